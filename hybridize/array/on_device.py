# SPDX-License-Identifier: Apache-2.0
"""Operations on arrays in the memory of a device: each runs a compiled program of that one operation.

    run(op, operands) -> outputs      where an operand is a `DeviceBuffer`; `ops.op.eagerly` asks

Ops that only say where elements are give views. Others get a program by what they do and by the types of their
operands: the first sizes have one of their own, and the second ones bring a program for all that differ between them.
Numbers at the host are arguments of programs, so that `x * 0.1` and `x * 0.2` are one. Arrays at the host that
functions compute with besides, as index tables, are sent.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.array.device import AWAY, Device, when_away
from hybridize.array.device import accelerator as accelerator_of
from hybridize.array.placing import device_inside, name_inside, within
from hybridize.array.single import bounded
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float64, int8
from hybridize.base.errors import DeviceError
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.compiler import strided as strided  # how views are copied
from hybridize.compiler.kernels import compile_kernels, device_target
from hybridize.ops import Effect, effect_of, make_graph
from hybridize.ops.op import ELSEWHERE, Op, Operand, bind, bind1, type_of
from hybridize.runtime.device_buffers import OPERATION, DeviceBuffer, sent, unsupported
from hybridize.runtime.device_code import DeviceExecutable

LIMIT = 4096
"""Programs kept."""
SMALL = 256
"""Bytes of an array at the host that are an argument of a program, beside its numbers."""


def run(op: Op, operands: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the outputs of an op for operands of which some are in the memory of a device; None where none is.

    Positions, which are made of no operand, are where the function that runs makes its results.

    Raises:
        DeviceError E705: it has no code on devices.
    """
    there = next((x for x in operands if type(x) is DeviceBuffer), None)
    if there is None:
        if isinstance(op, ops.Iota) and (device := device_inside()) is not None:
            return (created(ops.iota, device, op.shape, (op.axis, op.dtype)),)
        return None
    effect = effect_of(op)
    if effect is Effect.WORLD:  # assertions and prints: the host decides
        return op.eager(*[x.to_host() if type(x) is DeviceBuffer else x for x in operands])
    if effect is not Effect.PURE:
        raise _refused(op.name, there, there.device)
    if op.view or isinstance(op, ops.StopGradient):
        return (_viewed(op, there),)
    if all(x.size == 0 for x in operands if type(x) is DeviceBuffer):
        values = [numpy.zeros(x.shape, x.dtype) if type(x) is DeviceBuffer else x for x in operands]
        return tuple([sent(y, there.accelerator, there.number) for y in op.reference(*values)])
    return _by_program(op, operands, there)


def _viewed(op: Any, x: DeviceBuffer) -> DeviceBuffer:
    match op:
        case ops.Slice():
            stops = (None if stop < 0 else stop for stop in op.stops)
            return x[tuple(map(slice, op.starts, stops, op.steps))]
        case ops.Reshape():
            return x.reshape(op.shape)
        case ops.Transpose():
            return x.transpose(op.axes)
        case ops.Broadcast():
            return x.laid(numpy.broadcast_to(x.layout, op.shape))
    return x


def _refused(what: str, x: Any, device: str) -> DeviceError:
    function = name_inside()
    what = f"{function} ({what})" if function and function != what else what
    return unsupported(what, TensorType(x.shape, x.dtype), device)


# ------------------------------------------------------------------------------------------------------ operands


@frozen
class Lie:
    """The layout of an operand: a dense array, whose axes are permuted, and repeated along some."""

    dtype: Any
    axes: tuple[int, ...] | None
    """Of the dense array, in the order of the operand's; None: the same."""
    repeated: tuple[bool, ...]
    """The axes of the operand along which the dense array has one element; empty of a number."""


def _lying(x: Any, accelerator: Any, number: int) -> tuple[Lie, Any, Shape]:
    """Return the layout of an operand, its dense array, and the sizes of its axes."""
    if type(x) is not DeviceBuffer:
        x = numpy.asarray(x)
        if x.size == 1 or (x.size and not any(x.strides)):
            return Lie(x.dtype, None, ()), x[(0,) * x.ndim], x.shape
        if x.nbytes <= SMALL:
            return Lie(x.dtype, None, (False,) * x.ndim), x, x.shape
        x = sent(x, accelerator, number)
    if x.flags.c_contiguous:
        return Lie(x.dtype, None, (False,) * x.ndim), x, x.shape
    repeated = tuple([stride == 0 and size > 1 for size, stride in zip(x.shape, x.strides, strict=True)])
    core = x[tuple([slice(0, 1) if one else slice(None) for one in repeated])] if any(repeated) else x
    order = sorted(range(x.ndim), key=lambda axis: -abs(core.strides[axis]))
    dense = core.transpose(order)
    if not dense.flags.c_contiguous:
        return Lie(x.dtype, None, repeated), core.copy(), x.shape
    axes = tuple([order.index(axis) for axis in range(x.ndim)])
    return Lie(x.dtype, None if axes == tuple(range(x.ndim)) else axes, repeated), dense, x.shape


def _collapsed(lies: Sequence[Lie], shapes: Sequence[Shape]) -> tuple[list[Lie], list[Shape]]:
    """The operands of an op by elements, with neighbouring axes as one wherever all operands allow it."""
    if any(lie.axes is not None for lie in lies):
        return [*lies], [*shapes]
    shape = next(shape for shape, lie in zip(shapes, lies, strict=True) if lie.repeated or not shape)
    patterns = [lie.repeated for lie in lies if lie.repeated]
    groups: list[list[int]] = []
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if groups and all(one[groups[-1][-1]] == one[axis] for one in patterns):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    sizes = tuple([math.prod(shape[axis] for axis in group) for group in groups])
    firsts = [group[0] for group in groups]
    new = [Lie(lie.dtype, None, tuple([lie.repeated[axis] for axis in firsts]) if lie.repeated else ()) for lie in lies]
    return new, [sizes] * len(new)


def _rebuilt(lie: Lie, shape: Shape, x: Operand) -> Operand:
    """In a graph: the operand, of its dense array."""
    if lie.axes is not None:
        x = bind1(ops.Transpose(lie.axes), x)
    return x if not any(lie.repeated) and lie.repeated else ops.broadcast(x, shape)


def _dense_shape(lie: Lie, shape: Shape) -> Shape:
    if not lie.repeated:
        return ()
    sizes = [1 if one else size for size, one in zip(shape, lie.repeated, strict=True)]
    if lie.axes is None:
        return tuple(sizes)
    return tuple([sizes[lie.axes.index(axis)] for axis in range(len(sizes))])


# ------------------------------------------------------------------------------------------------------ programs


def _by_program(op: Op, operands: Sequence[Any], there: DeviceBuffer) -> tuple[Any, ...]:
    """The outputs of an op; those by elements are computed as one row, wherever all operands allow it."""
    parts = [_lying(x, there.accelerator, there.number) for x in operands]
    lies, inputs, shapes = map(list, zip(*parts, strict=True))
    whole = shapes
    if op.by_element:
        lies, whole = _collapsed(lies, shapes)
    outputs = _launched((op, op.name, partial(bind, op)), lies, whole, inputs, there.accelerator, there.number)
    return tuple([y.reshape(shapes[0]) for y in outputs]) if op.by_element else tuple(outputs)


def _launched(
    work: Work, lies: Sequence[Lie], shapes: Sequence[Shape], inputs: Sequence[Any], accelerator: Any, number: int
) -> list[DeviceBuffer]:
    try:
        program, lacking = PROGRAMS.get(work, tuple(lies), shapes, accelerator.arch)
    except DeviceError as error:
        if error.code != "E705":
            raise
        raise _refused(work[1], inputs[0], f"gpu({number})") from None
    unread = [numpy.empty(0, numpy.int8)] if lacking else []
    wanted = _shapes_for((program, lacking), lies, shapes)
    arguments = [x.reshape(shape) for x, shape in zip([*inputs, *unread], wanted, strict=True)]
    return program.on(accelerator, number).run(arguments)


def sent_to(device: Device, values: NDArray[Any]) -> DeviceBuffer:
    """Return a copy of an array in the memory of a device."""
    return sent(values, accelerator_of(device), device.device_id)


def created(
    function: Callable[..., Operand], device: Device, shape: Shape, parameters: tuple[Any, ...], *numbers: Any
) -> DeviceBuffer:
    """Return what a function of operands makes of a shape, parameters and numbers, in the memory of a device.

    A device without numbers of 64 bits gets a copy of what the host makes, where such are computed with.

    Args:
        function: called as `function(shape, *parameters, *numbers)`.
        device: where the elements are made.
        shape: of the result. The first one has a program of its own, all others have one.
        parameters: there is a program for each.
        numbers: arrays without axes, which are arguments of the program; None stays None.
    """
    gpu, number = accelerator_of(device), device.device_id
    facts = device_target(gpu.arch).device
    present = [one for one in numbers if one is not None]
    is_wide = float64 in (*parameters, *[one.dtype for one in present])
    if not math.prod(shape) or (is_wide and facts is not None and not facts.float64):
        return sent(numpy.array(within(function, shape, *parameters, *numbers), order="C"), gpu, number)

    def create(of: Shape, *operands: Operand) -> Operand:
        left = iter(operands)
        return function(of, *parameters, *[one if one is None else next(left) for one in numbers])

    key = function, *parameters, *[one is None for one in numbers]
    return _of_sizes(key, function.__name__.strip("_"), create, shape, present, gpu, number)


def drawn(
    function: Callable[..., Operand], name: str, device: Device, key: NDArray[Any], count: int, arguments: Sequence[Any]
) -> DeviceBuffer:
    """Return random numbers, see `single.CompiledDraw`, as many as `count` says, in the memory of a device."""

    def draw(of: Shape, before: Operand, *operands: Operand) -> Operand:
        return function(before, of, *operands)

    operands = key, *arguments
    return _of_sizes(function, name, draw, (count,), operands, accelerator_of(device), device.device_id)


def _of_sizes(
    key: Any, name: str, apply: Callable[..., Operand], shape: Shape, operands: Sequence[Any], gpu: Any, number: int
) -> DeviceBuffer:
    """Return what a program makes of sizes and operands; the sizes are those of a number that is repeated."""
    unread = Lie(int8, None, ()), numpy.zeros((), int8), shape
    lies, inputs, shapes = zip(*[_lying(x, gpu, number) for x in operands], unread, strict=True)
    work = key, name, lambda *xs: [apply(type_of(xs[-1]).shape, *xs[:-1])]
    return _launched(work, lies, shapes, inputs, gpu, number)[0]


Work = tuple[Any, str, Callable[..., Sequence[Operand]]]
"""Something that is equal for programs that do the same, a name for reports, and the function of operands."""
Sizes = tuple[Any, ...]
"""Sizes of all operands, one after the other: a number, or which of the symbols it is, as `(3,)`."""
Fitted = tuple[DeviceExecutable, tuple[int, ...]]
"""A program, and which of its sizes no array of a call has: those of one more argument, which has no elements."""


class Programs:
    """The programs by what they do and how operands lie, and by sizes."""

    def __init__(self) -> None:
        self._exact: dict[Any, Fitted] = {}
        self._of: dict[Any, list[tuple[Sizes, Fitted]]] = {}
        """Those of a key: for what sizes each is."""
        self._lock = renewed(threading.RLock())

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._exact.clear()
            self._of.clear()

    def get(self, work: Work, lies: tuple[Lie, ...], shapes: Sequence[Shape], arch: str) -> Fitted:
        """Return the program for operands of some sizes."""
        key = work[0], lies, arch
        exact = (key, *shapes)
        program = self._exact.get(exact)
        if program is None:
            with self._lock:
                program = self._exact.get(exact)
                if program is None:
                    program = self._fitting(key, work, shapes)
                bounded(self._exact, LIMIT)[exact] = program
        return program

    def _fitting(self, key: Any, work: Work, shapes: Sequence[Shape]) -> Fitted:
        _, lies, arch = key
        key = *key, tuple(map(len, shapes))
        sizes: Sizes = tuple([size for shape in shapes for size in shape])
        known = self._of.get(key, [])
        for pattern, program in known:
            if _fits(pattern, sizes) and program[0].accepts(_shapes_for(program, lies, shapes)):
                return program
        patterns = [_common(one, sizes) for one, _ in known]
        pattern = next((one for one in patterns if one != sizes), sizes)
        program = _compiled(work, lies, shapes, pattern, arch)
        if not known:
            bounded(self._of, LIMIT)[key] = known
        known.append((pattern, program))
        return program


def _shapes_for(program: Fitted, lies: Sequence[Lie], shapes: Sequence[Shape]) -> list[Shape]:
    """The shapes of a program's arguments."""
    dense = [_dense_shape(lie, shape) for lie, shape in zip(lies, shapes, strict=True)]
    if not program[1]:
        return dense
    sizes = [size for shape in shapes for size in shape]
    return [*dense, (*[sizes[at] for at in program[1]], 0)]


def _fits(pattern: Sizes, sizes: Sizes) -> bool:
    symbols: dict[Any, int] = {}
    return all(
        symbols.setdefault(one, size) == size and size > 1 if type(one) is tuple else one == size
        for one, size in zip(pattern, sizes, strict=True)
    )


def _common(pattern: Sizes, sizes: Sizes) -> Sizes:
    """The sizes of two calls as one pattern: those that differ are symbols, and those that differ alike are one."""
    pairs = [*zip(pattern, sizes, strict=True)]
    if any(size < 2 or (type(one) is int and one < 2) for one, size in pairs if one != size):
        return sizes  # of one element, which is broadcast, and of none there are other programs
    differing = [*dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])]
    return tuple([size if one == size else (differing.index((one, size)),) for one, size in pairs])


def _compiled(work: Work, lies: Sequence[Lie], shapes: Sequence[Shape], pattern: Sizes, arch: str) -> Fitted:
    _, name, apply = work
    scope = SizeScope()
    scope.capturing = False  # nobody asks for the sizes: the operation is the same for all
    symbols: dict[Any, Any] = {}
    left, wanted = iter(pattern), []
    for shape in shapes:
        sizes = []
        for size in shape:
            one = next(left)
            if type(one) is tuple and one not in symbols:
                symbols[one] = scope.symbol(size, low=2)
            sizes.append(symbols[one] if type(one) is tuple else one)
        wanted.append(tuple(sizes))
    types = [TensorType(_dense_shape(lie, shape), lie.dtype) for lie, shape in zip(lies, wanted, strict=True)]
    seen = {size for type_ in types for size in type_.shape}
    lacking = {one: at for at, one in enumerate(pattern) if type(one) is tuple and symbols[one] not in seen}
    if lacking:
        types.append(TensorType((*[symbols[one] for one in lacking], 0), numpy.dtype(numpy.int8)))
    graph = make_graph(
        lambda *xs: apply(*[_rebuilt(lie, shape, x) for lie, shape, x in zip(lies, wanted, xs, strict=False)]), types
    )
    return compile_kernels(graph, arch, name=name), tuple(lacking.values())


PROGRAMS = Programs()


def _hear_away() -> None:
    ELSEWHERE[:] = [run] if AWAY else []


when_away(_hear_away)
OPERATION.fill(name_inside)
