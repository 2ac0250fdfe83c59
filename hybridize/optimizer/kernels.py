# SPDX-License-Identifier: Apache-2.0
"""A formula as machine code that writes into the weight and its slots where they are.

    Kernel      one formula for one combination of dtypes and flags: a program for vectors of any size, whose numbers
                (learning rate, decay, ...) are inputs
    Binding     a kernel with the buffers of one weight: a call is a table of numbers and a jump

A program's outputs may not overlap its inputs in general. Here each element of the results depends on the elements at
its own index, and on sums that are done before: they may, unless a value is computed twice and the second time from
what the first has overwritten. Whether that is so is tried when a kernel is made, on sizes that take every path of its
code. Where both ways do not give the same bits, results are written beside, and copied.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array import np
from hybridize.array.buffer import buffer_of, host_view, is_away
from hybridize.array.ndarray import ndarray, wrap, written
from hybridize.array.operands import operand
from hybridize.array.placing import beside
from hybridize.array.staging import ArrayTracer
from hybridize.array.symbol import Symbol
from hybridize.base.access import ACCESS, READERS, WRITER, exclusively
from hybridize.base.config import CONFIG
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import DType, bfloat16, float16, float32, float64
from hybridize.base.errors import ArgumentError
from hybridize.base.forks import renewed
from hybridize.base.loading import load_module
from hybridize.base.modes import is_disabled
from hybridize.base.types import Shape, TensorType
from hybridize.capture.outside.trust import is_trusted_file
from hybridize.capture.trace.recording import active_trace
from hybridize.ops import make_graph
from hybridize.ops.op import ACTIVE, capturing
from hybridize.runtime.buffers import aligned
from hybridize.runtime.cpython import USABLE
from hybridize.runtime.executable import Executable
from hybridize.runtime.plan import LONG_US

Slots = tuple[Any, ...]
Formula = Callable[..., tuple[Any, Slots]]
Flags = tuple[tuple[str, bool], ...]

LIMIT = 64
"""Kernels kept; the least recently made go first."""
_FLOATS = (float16, bfloat16, float32, float64)
_TRIED = (1, 2, 7, 16, 33, 100, 259, 5000)
"""Sizes below, at and above those of vectors and of several of them."""
_LONG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_SHORT = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""A call that lets other Python threads run, and one that is over before that would pay."""

_kernels: dict[tuple[Any, ...], FormulaProgram] = {}
_lock = renewed(threading.RLock())


def computed(
    formula: Formula, w: Any, g: Any, slots: Slots, s: Mapping[str, Any], flags: Mapping[str, bool]
) -> list[Any]:
    """The new weight and slots, in their dtypes; halves are computed in float32.

    What a slot remembers fades where gradients stay 0 (units that died), down to *denormal* numbers, with which many
    processors compute a hundred times slower; averages of some numbers never leave them. So a slot nearer to 0 than the
    least normal number is read as 0: before the formula and not after it, which would part its loop in several.

    Args:
        formula: `Optimizer.formula`.
        w: the weight.
        g: its gradient, of its shape.
        slots: what is remembered of it.
        s: the numbers that the formula reads.
        flags: what chooses the formula.
    """
    dtypes = [array.dtype for array in (w, *slots)]
    wide = float64 if w.dtype == float64 else float32
    w, g, *slots_ = (array if array.dtype == wide else array.astype(wide) for array in (w, g, *slots))
    least = float(numpy.finfo(wide).tiny)
    faded = tuple(np.where(np.abs(slot) < least, 0.0, slot) for slot in slots_)
    new, state = formula(w, g, faded, SimpleNamespace(**s, **flags))
    return [array if array.dtype == to else array.astype(to) for array, to in zip((new, *state), dtypes, strict=True)]


def updated(
    formula: Formula, weight: Any, grad: Any, slots: Slots, s: Mapping[str, Any], flags: Mapping[str, bool]
) -> None:
    """The update where no kernel serves: by array operations while a whole step is captured; else by a function that
    follows what a formula of the user's reads.
    """
    check(weight, grad)
    arrays = (weight, *slots)
    if compiled() and not is_ours(formula):
        function = _followed(formula, tuple(s), tuple(flags.items()))
        results = function(weight, grad, slots, tuple(s.values()))
    else:
        results = computed(formula, weight, grad, slots, s, flags)
    # A slot may remember the weight as it was, which is written before it.
    values = [one.copy() if any(one is array for array in arrays) else one for one in results]
    for array, result in zip(arrays, values, strict=True):
        array[...] = result


@functools.lru_cache(LIMIT)
def _followed(formula: Formula, names: tuple[str, ...], flags: Flags) -> Callable[..., list[Any]]:
    """Return `computed` of a formula as a compiled function, whose guards are what the formula reads outside.

    Args:
        formula: the user's.
        names: of the numbers that it reads.
        flags: what chooses the formula.
    """

    def update(w: Any, g: Any, slots: Slots, values: tuple[float, ...]) -> list[Any]:
        trace = active_trace()
        return computed(trace.convert(formula), w, g, slots, dict(zip(names, values, strict=True)), dict(flags))

    function: Callable[..., list[Any]] = load_module("hybridize.capture").Function(update)
    return function


def is_ours(formula: Formula) -> bool:
    """Tell whether a formula reads nothing but what it is given, as those of this package do."""
    code = getattr(formula, "__code__", None)
    return code is not None and is_trusted_file(code.co_filename)


def check(weight: Any, grad: Any) -> None:
    """Refuse a gradient that is not like the weight.

    Raises:
        ArgumentError E356: it has another shape, or one of the two is not of floats.
    """
    if weight.shape != grad.shape:
        what = f"a weight of shape {weight.shape} has a gradient of shape {grad.shape}"
        raise ArgumentError("E356", what, help="give update(index, weight, grad, state) the arrays of one parameter")
    for array in (weight, grad):
        if array.dtype not in _FLOATS:
            raise ArgumentError("E356", f"optimizers update floats, got {array.dtype}", help="set grad_req='null'")


def zeros_beside(weight: ndarray, shape: Shape, dtype: DType) -> ndarray:
    """Return an array of zeros in the memory in which a weight is."""
    zeros = ndarray(aligned(shape, dtype))
    return beside(zeros, weight) if is_away(buffer_of(weight)) else zeros


def compiled() -> bool:
    """Tell whether updates run as machine code: not while they are captured, nor where users want their Python."""
    return not ((ACTIVE and capturing()) or CONFIG.disable or is_disabled())


def kernel_for(
    formula: Formula, weight: Any, grad: Any, slots: Slots, names: tuple[str, ...], flags: Mapping[str, bool]
) -> FormulaProgram | None:
    """The kernel of a formula of ours for such arrays; None where `updated` has to do.

    Args:
        formula: `Optimizer.formula`.
        weight: the weight.
        grad: its gradient.
        slots: what is remembered of it.
        names: of the numbers that the formula reads, in the order in which they will be given.
        flags: what chooses the formula.

    Raises:
        ArgumentError E356: a gradient that is not like the weight.
    """
    arrays = (weight, grad, *slots)
    if not is_ours(formula) or not all(isinstance(array, ndarray) for array in arrays):
        return None
    check(weight, grad)
    buffers = [host_view(array) for array in arrays]
    if any(not _usable(buffer, weight.shape) for buffer in buffers) or not weight.size:
        return None
    key = (formula, names, tuple(flags.items()), *(buffer.dtype for buffer in buffers))
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = FormulaProgram(formula, names, tuple(flags.items()), [buffer.dtype for buffer in buffers])
        with _lock:
            _kernels[key] = kernel
            while len(_kernels) > LIMIT:
                del _kernels[next(iter(_kernels))]
    return kernel


def _usable(buffer: NDArray[Any], shape: tuple[int, ...]) -> bool:
    return (
        buffer.flags.num & USABLE == USABLE
        and buffer.flags.writeable
        and buffer.shape == shape
        and (buffer.dtype.isnative)
    )


class FormulaProgram:
    """The program of one formula, for weights of any size.

    Its inputs are weight, gradient and slots as vectors, then the numbers; its outputs the new weight and slots.

    Args:
        formula: `Optimizer.formula`.
        names: of the numbers.
        flags: what chooses the formula.
        dtypes: of weight, gradient and slots.
    """

    numbers: struct.Struct

    def __init__(self, formula: Formula, names: tuple[str, ...], flags: Flags, dtypes: Sequence[DType]) -> None:
        self.formula = formula
        self.wide: DType = float64 if dtypes[0] == float64 else float32
        self.numbers = struct.Struct(f"{len(names)}{'d' if self.wide == float64 else 'f'}")
        self.dtypes: tuple[DType, ...] = tuple(dtypes)
        scope = SizeScope()
        scope.capturing = False  # nobody asks for the size: the formula is the same for all
        size: Any = scope.symbol(4096, name="n", low=1)
        types = [*(TensorType((size,), dtype) for dtype in dtypes), *(TensorType((), self.wide) for _ in names)]

        tracer = ArrayTracer()

        def steps(*inputs: Any) -> list[Any]:
            w, g, *rest = (Symbol.of(tracer, one) for one in inputs)
            count = len(dtypes) - 2
            s = dict(zip(names, rest[count:], strict=True))
            return [operand(x) for x in computed(formula, w, g, tuple(rest[:count]), s, dict(flags))]

        name = f"{formula.__qualname__.split('.')[0]} update"
        updates = {
            0: 0,
            **{1 + k: 2 + k for k in range(len(dtypes) - 2)},
        }  # so that the code counts with it, where it can
        graph = make_graph(steps, types, tracer=tracer)
        self.executable: Executable = compiler.compile(graph, name=name, updates=updates)
        self.in_place: bool = all(map(self._serves_in_place, _TRIED))
        """True if the results may take the places of what they are made of."""

    def _serves_in_place(self, size: int) -> bool:
        """Try a size: both ways must give the same bits."""
        waves = [numpy.sin(numpy.arange(1.0, size + 1) * (k + 1)) for k in range(len(self.dtypes))]
        arrays = [wave if k < 2 else abs(wave) for k, wave in enumerate(waves)]
        samples = [wrap(array.astype(dtype)) for array, dtype in zip(arrays, self.dtypes, strict=True)]
        numbers = tuple(0.5 / (k + 1) for k in range(self.numbers.size // self.wide.itemsize))
        inputs = [host_view(array) for array in samples] + [numpy.asarray(x, self.wide) for x in numbers]
        expected = self.executable.run(inputs)
        Binding(self, samples[0], samples[1], tuple(samples[2:]), {}, in_place=True).run(numbers)
        actual = [host_view(samples[0]), *(host_view(array) for array in samples[2:])]
        return all(a.tobytes() == b.tobytes() for a, b in zip(actual, expected, strict=True))


class Binding:
    """A kernel and the buffers of one weight, their addresses where the program looks for them.

    Args:
        kernel: for arrays of these dtypes.
        weight: the weight.
        grad: its gradient.
        slots: what is remembered of it.
        flags: what chose the formula.
        in_place: whether results go where weight and slots are; None: as the kernel found that they may.
    """

    weight: ndarray
    slots: Slots

    def __init__(
        self,
        kernel: FormulaProgram,
        weight: ndarray,
        grad: ndarray,
        slots: Slots,
        flags: Mapping[str, bool],
        *,
        in_place: bool | None = None,
    ) -> None:
        executable = kernel.executable
        self.kernel = kernel
        self.flags: dict[str, bool] = dict(flags)
        self.weight, self.slots = weight, slots
        self._buffers = (host_view(weight), *(host_view(slot) for slot in slots))
        # The gradient's may be another at each update, and is not kept: see `autograd.backward.commit`.
        self._gradient, self._gradient_dtype = weakref.ref(host_view(grad)), host_view(grad).dtype
        size = weight.size
        (symbol,) = executable.sizes.scope.symbols
        sizes = {symbol: size}
        self._numbers = numpy.zeros(kernel.numbers.size // kernel.wide.itemsize, kernel.wide)
        self._view = self._numbers.data.cast("B")
        self._values: tuple[float, ...] = ()
        targets = list(self._buffers)
        self._beside: list[tuple[NDArray[Any], NDArray[Any]]] = []
        """Copies that are made afterwards: from where, to where."""
        if not (kernel.in_place if in_place is None else in_place):
            self._beside = [(aligned(target.shape, target.dtype), target) for target in targets]
            targets = [source for source, _ in self._beside]
        scratch = aligned((executable.sizes.scratch_bytes(sizes) + 64,), numpy.dtype(numpy.uint8))
        numbers = [self._numbers[k : k + 1] for k in range(len(self._numbers))]
        read = [
            self._buffers[0], host_view(grad), *self._buffers[1:], *numbers, *executable.constants,
            executable.sizes.values(sizes),
        ]  # fmt: skip
        self._inputs = numpy.array([array.ctypes.data for array in read], dtype=numpy.int64)
        self._outputs = numpy.array([array.ctypes.data for array in targets], dtype=numpy.int64)
        del read[1]
        self._keep = (read, scratch)
        self._at = (self._inputs.ctypes.data, self._outputs.ctypes.data, scratch.ctypes.data)
        long = executable.plan.at({symbol.name: size}).cost_us > LONG_US
        self._program = (_LONG if long else _SHORT)(executable.address)
        self._releases = long or bool(self._beside)
        """True if other Python threads may run in the middle of an update."""

    def holds(self, formula: Formula, weight: Any, data: Any, slots: Slots, flags: Mapping[str, bool]) -> bool:
        """Tell whether these are the arrays and the formula that it was made for; `data` is the gradient's buffer.

        Another buffer of the gradient is taken note of. Whoever calls `run` next keeps it until that has returned.
        """
        buffers = self._buffers
        if weight is not self.weight or host_view(weight) is not buffers[0]:
            return False
        if self._gradient() is not data:
            if data.dtype is not self._gradient_dtype or not _usable(data, buffers[0].shape):
                return False
            self._gradient = weakref.ref(data)
            self._inputs[1] = data.__array_interface__["data"][0]
        if formula is not self.kernel.formula or flags != self.flags or len(slots) != len(self.slots):
            return False
        return not slots or all(host_view(slot) is buffers[k] for k, slot in enumerate(slots, 1))

    def _write(self) -> None:
        self._program(*self._at)
        for source, target in self._beside:
            numpy.copyto(target, source)

    def run(self, values: tuple[float, ...]) -> None:
        """Update the weight and the slots with these numbers."""
        if values != self._values:
            try:
                self.kernel.numbers.pack_into(self._view, 0, *values)
            except OverflowError:  # beyond float32: infinite there
                self._numbers[...] = values
            self._values = values
        if READERS or WRITER or self._releases:
            exclusively(self._write)
        else:
            ACCESS.writes += 1
            self._program(*self._at)
        written(self.weight)
        for slot in self.slots:
            written(slot)
