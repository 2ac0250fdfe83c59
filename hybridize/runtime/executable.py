# SPDX-License-Identifier: Apache-2.0
"""A compiled program that can be run: an address, a plan, constants. Loaded from a file or fresh from the compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.base.access import READERS, await_writer, begin_reading, while_reading
from hybridize.base.dtypes import int64, uint8
from hybridize.base.errors import ArgumentError, DTypeError
from hybridize.base.spans import LISTENERS, MACHINE_CODE, VARIANTS, is_heard, span
from hybridize.base.types import TensorType
from hybridize.runtime import cpython, effects
from hybridize.runtime.buffers import LARGE, aligned, aligned_copy, dense, uninitialized, weights
from hybridize.runtime.compiled import CompiledProgram
from hybridize.runtime.cpython import USABLE
from hybridize.runtime.entry import Argument, ArgumentKind, EntryTable, Returns, new_entry, plain_sizes
from hybridize.runtime.plan import LONG_US, PREPARE, Derivation, Plan
from hybridize.runtime.pool import POOL
from hybridize.runtime.sizes import Types

if TYPE_CHECKING:
    from hybridize.runtime.plan import PlanSource


LONG_BYTES = 1 << 20
"""Above this size making a constant lets other Python threads run."""


class Executable(CompiledProgram):
    """A program in memory. Its code lives as long as this object.

    `run` is the checked way in; `address` the bare one: `void (ptr inputs, ptr outputs, ptr scratch)`.
    """

    def __init__(
        self,
        owner: Any,
        address: int,
        plan: Plan,
        constants: Sequence[NDArray[Any]],
        sources: Sequence[NDArray[Any]] = (),
        *,
        name: str = "program",
        types: Types | None = None,
        optimized: Callable[[], Any] | None = None,
        graph_bytes: int = 0,
        effects: bool = False,
        code_bytes: int = 0,
        timings: Mapping[str, float] | None = None,
        llvm_text: Callable[[], str] | None = None,
        entry_code: Callable[[], int] | None = None,
        team: NDArray[Any] | None = None,
        updates: Mapping[int, int] | None = None,
        persistent: bool = False,
    ) -> None:
        """`owner` keeps the code at `address`, and its own `address` says where functions are that the plan names.
        `sources` are the constants that others are derived of.

        `types` are those of inputs and outputs, for a plan that would have to be read for them.
        `entry_code` gives the emitted entry's address, 0 where there is none; it is asked at the second call. `team`
        are the threads that a program with shared steps uses, see `runtime.pool`; without one it uses the caller's
        alone. `updates` are the outputs that it was compiled to have in an input's place, where that can
        be. `persistent` tells that nobody writes the constants, so that they need no copies.
        """
        super().__init__(
            plan,
            name=name,
            types=types,
            optimized=optimized,
            graph_bytes=graph_bytes,
            timings=timings,
            llvm_text=llvm_text,
            updates=updates,
        )
        self.address = address
        derivers = [Deriver(owner, one, sources) for one in plan.derivations]
        self.derivers: list[Deriver] = [one for one in derivers if one.inputs]
        """Makers of the constants that are derived of stable inputs."""
        ready = {one.slot: one for one in derivers if not one.inputs}
        self.constants: list[NDArray[Any]] = [
            ready[slot].made({}) if slot in ready else aligned_copy(constant, persistent)
            for slot, constant in enumerate(constants)
        ]
        for slot in plan.teams:
            self.constants[slot] = POOL.team(1) if team is None else team
        """As the program reads them. The slots of `derivers` are empty: whoever binds the inputs has those."""
        self.effects = effects
        """True if the program prints or asserts."""
        self.code_bytes = code_bytes
        self.prepare = owner.address(PREPARE) if plan.sizes else 0
        """Address of what the emitted entry asks before a call with sizes of its own."""
        self._owner = owner
        self._checked = _Checked(self)
        self._entry_code = entry_code
        self._call: Callable[..., list[NDArray[Any]]] | None = None
        self._called = False

    def constants_with(self, derived: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return the arrays that follow the inputs in the program's array of pointers."""
        return _with(self.constants, self.derivers, derived)

    @property
    def constant_bytes(self) -> int:
        """Memory of the constants as the program reads them."""
        return sum(constant.nbytes for constant in self.constants)

    @property
    def long(self) -> bool:
        """True if every call is worth releasing the GIL for; where its sizes are its own, each call is asked."""
        return not self.sizes.symbolic and self.plan.cost_us > LONG_US

    def run(
        self,
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None = None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]]:
        """Run the program over NumPy arrays; returns fresh arrays.

        Arrays that are not contiguous or not aligned are copied first; dtype and shape must be those of `parameters`.

        `derived` is what the `derivers` made, in their order; without it the call makes its own. `donated` are the
        arrays of outputs that take the place of an input, as the plan's `updates` allow; they are returned, too.
        `behind` are arrays that code which notes times finds behind the outputs.

        Raises:
            ArgumentError E310: wrong number of inputs.
            DTypeError E210, ShapeError E120: an input of another type than the program was compiled for.
            ShapeError E125: a call of such sizes would need more memory than there can be.
        """
        if LISTENERS and is_heard(MACHINE_CODE):
            return span(MACHINE_CODE, self, self._variant().run, inputs, derived, donated, behind)
        if derived is None and not donated and not behind:
            outputs = self._caller()(*inputs)
        else:
            outputs = self._checked.run(inputs, derived, donated, behind)
        if self.effects:
            effects.raise_pending()
        return outputs

    def run_unless(
        self,
        stale: NDArray[Any],
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]] | None:
        """Do as `run` does; None, and nothing has run, where `stale[0]` is set when the program would begin.

        So no write comes between a look at derived constants, which are then what the flag says, and their reading.
        """
        if LISTENERS and is_heard(MACHINE_CODE):
            return span(MACHINE_CODE, self, self._variant().run_unless, stale, inputs, derived, donated, behind)
        outputs = self._checked.run_unless(stale, inputs, derived, donated, behind)
        if self.effects:
            effects.raise_pending()
        return outputs

    def _variant(self) -> Executable:
        """Return what runs in place of this program while somebody hears of kernels; else the program itself."""
        for variant in tuple(VARIANTS):
            other: Executable = variant(self)  # or what runs as it does
            return other
        return self

    def caller_on_lines(self) -> Callable[..., list[NDArray[Any]]]:
        """Return a function that does what `run` does; results of known sizes begin on cache lines, however small."""
        return self._entry(1)

    def _caller(self) -> Callable[..., list[NDArray[Any]]]:
        """Return the function that `run` calls: `_checked` the first time, as most programs are run once; then a faster
        one.
        """
        if self._call is None:
            if not self._called:
                self._called = True
                return self._checked
            self._call = self._entry()
        return self._call

    def _entry(self, on_line_from: int = LARGE) -> Callable[..., list[NDArray[Any]]]:
        """The emitted entry, which hands all that is odd to `_checked`; or that itself."""
        checked = self._checked
        arguments = [Argument(ArgumentKind.ARRAY, type_) for type_ in self.parameters]
        if self._entry_code is None or not cpython.supported() or self.derivers or not plain_sizes(arguments):
            return checked
        entry_code = self._entry_code()
        if not entry_code:
            return checked
        idle = numpy.zeros(1, dtype=numpy.int64)  # modes are the business of whoever calls `run`
        state = EntryTable(
            self.address,
            self._owner,
            arguments,
            self.constants,
            self.results,
            checked,
            returns=Returns.LIST,
            scratch_bytes=self.scratch_bytes,
            release=self.long,
            busy=idle,
            prepare=self.prepare,
            acts=self.effects,
            on_line_from=on_line_from,
        )
        return new_entry(entry_code, state)


class Deriver:
    """Makes a derived constant, by the program's own code."""

    __slots__ = (
        "_constants", "_make", "_owner", "inputs", "layout", "nbytes", "ops", "scratch_bytes", "slot", "sources",
    )  # fmt: skip

    def __init__(self, owner: Any, of: Derivation, constants: Sequence[NDArray[Any]]) -> None:
        """`owner` keeps the code; `constants` are what derivations read besides inputs."""
        self.slot: int = of.slot
        """Position among the constants."""
        self.sources: tuple[PlanSource, ...] = of.sources
        self.inputs: tuple[int, ...] = of.inputs
        """Numbers of the inputs that it is made of."""
        self.nbytes: int = of.nbytes
        self.layout: str = of.layout
        """Equal sources make equal constants where this is equal, whichever programs they are made for."""
        self.ops: tuple[str, ...] = of.ops
        """Operations of the graph that calls do without."""
        self.scratch_bytes: int = of.scratch_bytes
        self._owner = owner
        self._constants = {one.number: dense(constants[one.number]) for one in of.sources if one.kind == "constant"}
        kind = ctypes.CFUNCTYPE if of.nbytes > LONG_BYTES else ctypes.PYFUNCTYPE
        self._make = kind(None, *[ctypes.c_void_p] * 3)(owner.address(of.function))

    def made(self, arrays: Mapping[int, NDArray[Any]] | Sequence[NDArray[Any]]) -> NDArray[Any]:
        """A fresh constant of inputs, by their numbers, that nobody writes."""
        target = self.empty()
        pointers, scratch = self._pointers(target, arrays), self._scratch()
        self._make(*_addresses(pointers, scratch))
        target.setflags(write=False)
        return target

    def empty(self) -> NDArray[Any]:
        """Memory for a constant."""
        return weights((self.nbytes,), uint8)

    def fill(self, target: NDArray[Any], arrays: Mapping[int, NDArray[Any]] | Sequence[NDArray[Any]]) -> bool:
        """Make it in what `empty` gave; False, and nothing is done, while another thread writes in place."""
        pointers, scratch = self._pointers(target, arrays), self._scratch()
        return while_reading(self._make, *_addresses(pointers, scratch))

    def _pointers(
        self, target: NDArray[Any], arrays: Mapping[int, NDArray[Any]] | Sequence[NDArray[Any]]
    ) -> NDArray[Any]:
        """Addresses of the target, then of each source."""
        addresses = [target.ctypes.data]
        for source in self.sources:
            array = self._constants[source.number] if source.kind == "constant" else arrays[source.number]
            addresses.append(array.ctypes.data + source.offset)
        return numpy.array(addresses, dtype=int64)

    def _scratch(self) -> NDArray[Any]:
        return aligned((self.scratch_bytes,), uint8)


def _addresses(pointers: NDArray[Any], scratch: NDArray[Any]) -> tuple[int, int, int]:
    """Arguments of a derivation: where the sources are listed, where the target is, and scratch."""
    at = pointers.ctypes.data
    return at + pointers.itemsize, at, scratch.ctypes.data


def _made_whole(deriver: Deriver, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return a fresh constant of what others may write."""
    target = deriver.empty()
    while not deriver.fill(target, arrays):
        await_writer()
    return target


_CLEAN = numpy.zeros(1, dtype=int64)
"""The flag of what is never stale."""
_LONG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_SHORT = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""A program that lets other Python threads run, and one that is done before that would pay."""


class _Checked:
    """The way in that is Python throughout: checks, copies, allocates, calls."""

    def __init__(self, executable: Executable) -> None:
        # Not the executable itself: it holds this object, and code should be freed at once when it is dropped.
        self.name = executable.name
        self.parameters = executable.parameters
        self.sizes = executable.sizes
        self.constants = executable.constants
        self.derivers = executable.derivers
        # Whether calls of any size are long is not known: they let other threads run.
        kind = _LONG if executable.long or executable.sizes.symbolic else _SHORT
        self.program = kind(executable.address)

    def __call__(self, *inputs: NDArray[Any]) -> list[NDArray[Any]]:
        return self.run(inputs)

    def run(
        self,
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None = None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]]:
        """Call the program; see `Executable.run`."""
        outputs = self.run_unless(_CLEAN, inputs, derived, donated, behind)
        assert outputs is not None
        return outputs

    def run_unless(
        self,
        stale: NDArray[Any],
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None = None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]] | None:
        """Call the program; see `Executable.run_unless`."""
        if len(inputs) != len(self.parameters):
            raise ArgumentError("E310", f"{self.name} takes {len(self.parameters)} arrays, got {len(inputs)}")
        arrays = [self._operand(number, array, self.parameters[number]) for number, array in enumerate(inputs)]
        sizes = self.sizes.checked([array.shape for array in arrays])
        scratch = numpy.empty(self.sizes.scratch_bytes(sizes) + 64, dtype=uint8)
        buffers = donated or {}
        outputs = [
            buffers[number] if number in buffers else uninitialized(type_.shape, type_.dtype)
            for number, type_ in enumerate(self.sizes.types(sizes))
        ]
        if derived is None:
            derived = [_made_whole(deriver, arrays) for deriver in self.derivers]
        # A name of its own: pointers do not keep what they point to, and other threads may run meanwhile.
        read = [*arrays, *_with(self.constants, self.derivers, derived)]
        if self.sizes.symbolic:
            read.append(self.sizes.values(sizes))
        pointers = numpy.array([array.ctypes.data for array in (*read, *outputs, *behind)], dtype=int64)
        at, scratch_at = pointers.ctypes.data, scratch.ctypes.data
        # By `map`, as no signal's handler runs then between the call and its caller's commit: see `Program.run`. Nor
        # does another thread between the look at writers, that at `stale`, and the call.
        call = map(self.program, (at,), (at + 8 * len(read),), (-(-scratch_at // 64) * 64,))
        begin_reading()
        try:
            if stale[0]:
                return None
            _ = [*call]
        finally:
            READERS.value -= 1
        return outputs

    def _operand(self, number: int, array: NDArray[Any], type_: TensorType) -> NDArray[Any]:
        if type(array) is numpy.ndarray and array.dtype is type_.dtype and array.flags.num & USABLE == USABLE:
            return array
        if not isinstance(array, numpy.ndarray):
            raise ArgumentError("E310", f"input {number} of {self.name} is a {type(array).__name__}, not a NumPy array")
        if array.dtype != type_.dtype and array.dtype.newbyteorder("=") != type_.dtype:
            raise DTypeError("E210", f"input {number} of {self.name} must be {type_}, got dtype {array.dtype}")
        return dense(array)


def _with(
    constants: Sequence[NDArray[Any]], derivers: Sequence[Deriver], derived: Sequence[NDArray[Any]]
) -> list[NDArray[Any]]:
    """The constants, derived ones in their slots."""
    result = list(constants)
    for deriver, array in zip(derivers, derived, strict=True):
        result[deriver.slot] = array
    return result
