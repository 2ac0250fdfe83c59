# SPDX-License-Identifier: Apache-2.0
"""Kernels bound to buffers, and the work of a call: for those who run a program elsewhere, as a web page.

    WgslBinder().bind(program) -> WgslCall

Arrays of a kind lie in one buffer, one after the other: inputs, outputs, states, constants, scratch, the flag block. So
a kernel binds six buffers, however many arrays it has, where a device may bind no more than eight.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from hybridize.base import dims
from hybridize.base.dims import is_symbolic, parse_scope
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.device.program import DeviceProgram
from hybridize.codegen.wgsl.program import write_kernels
from hybridize.graph.ir import Array
from hybridize.runtime.device_steps import DeviceCopy, DeviceLaunch, work_of
from hybridize.runtime.plan import (
    ALIGNMENT,
    FLAG,
    NOTE_BYTES,
    Buffer,
    KernelLaunch,
    PlanNote,
    PlanReport,
    PlanStep,
    Quantity,
    aligned_note,
    filled,
    plain,
)
from hybridize.runtime.webgpu.kernels import COPIES, THREADS, WgslKernel
from hybridize.schedule.device.refusals import refused

BINDING: Final = 1 << 27
"""Bytes that each device binds at least: beyond, arrays of a kind begin another buffer."""


@frozen
class WgslPlace:
    """A byte of a buffer, as an address that work computes with."""

    buffer: tuple[str, int]
    """Its kind and its number."""
    offset: Quantity

    def __add__(self, offset: Quantity) -> WgslPlace:
        return WgslPlace(self.buffer, self.offset + offset)


@frozen
class WgslLaunch:
    """One launch of a kernel."""

    kernel: str
    """A name of `WgslBinder.modules`."""
    buffers: tuple[tuple[str, int], ...]
    """Kind and number of each storage buffer in the order of the bindings."""
    words: tuple[Quantity, ...]
    """The words of the call, each of 32 bits: the last but one is the number of blocks."""


@frozen
class WgslCopy:
    """Bytes that go from a place to another; they do not overlap."""

    to: WgslPlace
    source: WgslPlace
    nbytes: Quantity


WgslWork = WgslLaunch | WgslCopy
WgslNote = tuple[str, tuple[tuple[str, tuple[Quantity, ...], Quantity], ...]]
"""Words of a failed assertion: its message, then code, shape and first byte of each operand in the flag block."""


@frozen
class WgslModule:
    """A kernel for certain buffers."""

    text: str
    """Its entry point is `main`."""
    writes: tuple[bool, ...]
    """Of each storage buffer that it binds, from binding 1 on: True if it writes to it."""


@frozen
class WgslCall:
    """The work of a call, or of what makes a constant, with its memory."""

    inputs: tuple[WgslPlace, ...]
    """Of the arguments, or of the sources."""
    outputs: tuple[WgslPlace, ...]
    buffers: Mapping[str, tuple[Quantity, ...]]
    """Bytes of those that the call has for itself, by their kind."""
    work: tuple[WgslWork, ...]
    notes: tuple[WgslNote, ...] = ()


@frozen(eq=False)
class WgslConstant:
    """A constant, which is there before calls."""

    place: WgslPlace
    nbytes: int
    sources: tuple[Array, ...]
    """The array itself, or those that it is made of."""
    make: WgslCall | None
    """The work that makes it; None where it is the array."""


class _Buffers:
    """The buffers of a kind, which arrays are put into one after the other."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.nbytes: list[Quantity] = []

    def place(self, nbytes: Quantity) -> WgslPlace:
        """Take so many bytes, in a further buffer where the last one would become too large."""
        size = -(-nbytes // ALIGNMENT) * ALIGNMENT
        end = self.nbytes[-1] + size if self.nbytes else size
        if not self.nbytes or (not is_symbolic(end) and end > BINDING):
            self.nbytes.append(0)
        place = WgslPlace((self._kind, len(self.nbytes) - 1), self.nbytes[-1])
        self.nbytes[-1] += size
        return place


class WgslBinder:
    """Binds the kernels of programs that share modules, states and constants.

    Args:
        identity: tells equal constants: what it gives for them is equal. Without it, each is its own.
    """

    def __init__(self, identity: Callable[[Array], Hashable] = id) -> None:
        self.modules: dict[str, WgslModule] = {}
        self.constants: list[WgslConstant] = []
        self._identity = identity
        self._names: dict[WgslModule, str] = {}
        self._places: dict[Hashable, WgslPlace] = {}
        self._lasting = {"constant": _Buffers("constant"), "state": _Buffers("state")}

    @property
    def buffers(self) -> dict[str, tuple[int, ...]]:
        """Bytes of the buffers of states and constants."""
        return {kind: tuple(one.nbytes) for kind, one in self._lasting.items()}

    def text(self) -> str:
        """All modules, to look at."""
        return "\n".join(f"// {name}\n{one.text}" for name, one in self.modules.items())

    def state(self, nbytes: int) -> WgslPlace:
        """Return the place of a further state."""
        return self._lasting["state"].place(nbytes)

    def bind(
        self, program: DeviceProgram, states: Sequence[WgslPlace] = (), new_states: Sequence[WgslPlace] = ()
    ) -> WgslCall:
        """Write a program's kernels for buffers.

        Args:
            program: its kernels and its plan.
            states: the places of the last inputs, which are states.
            new_states: the places of the states that the last outputs are.

        Raises:
            DeviceError E705: it has arrays of float64, or control flow that is not known before a call.
        """
        # With dims for the sizes of the call, places are computed as they are with numbers.
        plan = filled(program.plan, parse_scope(program.plan.sizes)[1])
        kernels = _Kernels(self, program)
        count = len(plan.inputs) - len(states)
        places = [*states, *self._constants_of(program, kernels)]
        lasting = {("input", k): place for k, place in enumerate(places, count)}
        notes, flag = _notes(plan.notes)
        memory = [plan.scratch_bytes, *flag]
        call = kernels.call(plan.steps, plan.inputs[:count], plan.outputs, memory, lasting, new_states)
        return changed(call, notes=notes)

    def named(self, module: WgslModule) -> str:
        """Return the name of a module, which is added if no equal one is there."""
        name = self._names.setdefault(module, f"kernel{len(self.modules)}")
        self.modules[name] = module
        return name

    def _constants_of(self, program: DeviceProgram, kernels: _Kernels) -> Iterator[WgslPlace]:
        """Iterate over the places of a program's constants, which are added if no equal ones are there."""
        plan = program.plan
        steps = {one.function: one.steps for one in plan.makers}
        derivations = {one.slot: one for one in plan.derivations}
        for slot, array in enumerate(program.constants):
            one = derivations.get(slot)
            sources = (array,) if one is None else tuple(program.sources[source.number] for source in one.sources)
            key = (*map(self._identity, sources), one and one.layout)
            if key not in self._places:
                nbytes = array.nbytes if one is None else one.nbytes
                place = self._places[key] = self._lasting["constant"].place(nbytes)
                make = None
                if one is not None:
                    arrays = [Buffer("u8", (size,), size) for size in (*(source.nbytes for source in sources), nbytes)]
                    memory = [one.scratch_bytes]
                    make = kernels.call(steps[one.function], arrays[:-1], arrays[-1:], memory, to=[place])
                self.constants.append(WgslConstant(place, nbytes, sources, make))
            yield self._places[key]


class _Kernels:
    """The kernels of a program, each of which is a module for the buffers that a launch has."""

    def __init__(self, binder: WgslBinder, program: DeviceProgram) -> None:
        self._binder, self._target = binder, program.target
        self._kernels = write_kernels(program)
        self._names: dict[tuple[str, tuple[int, ...]], str] = {}

    def call(
        self,
        steps: Sequence[PlanStep],
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        memory: Sequence[Quantity],
        lasting: Mapping[tuple[str, int], WgslPlace] = MappingProxyType({}),
        to: Sequence[WgslPlace] = (),
    ) -> WgslCall:
        """Put arrays into buffers of the call, and bind the launches of its steps.

        Args:
            steps: with dims for the sizes of the call.
            inputs: those that are the call's.
            outputs: all of them.
            memory: bytes of scratch, and of the flag block if there is one.
            lasting: the places of other inputs.
            to: where the last outputs are copied in the end, unless an assertion fails.
        """
        own = {kind: _Buffers(kind) for kind in ("input", "output", "scratch", FLAG)}
        arguments = [own["input"].place(one.nbytes) for one in inputs]
        results = [own["output"].place(one.nbytes) for one in outputs]
        blocks = [own[kind].place(nbytes) for kind, nbytes in zip(("scratch", FLAG), memory, strict=False)]
        bases: dict[tuple[str, int], Any] = {**lasting, **{one.buffer: one for one in blocks}}
        for kind, places in (("input", arguments), ("output", results)):
            bases |= {(kind, k): place for k, place in enumerate(places)}
        work = [one for step in steps for one in self._of_step(step, bases)]
        for place, source, buffer in zip(to, results[-len(to) :], outputs[-len(to) :], strict=False):
            work.append(self._commit(place, source, buffer.nbytes, bases.get((FLAG, 0))))
        sizes = {kind: tuple(map(plain, one.nbytes)) for kind, one in own.items()}
        return WgslCall(tuple(map(_plain, arguments)), tuple(map(_plain, results)), sizes, tuple(work))

    def _of_step(self, step: PlanStep, bases: Mapping[tuple[str, int], Any]) -> Iterator[WgslWork]:
        open_way = _open_way(step)
        if open_way:
            raise refused(f"{', '.join(step.ops)}, {open_way},", self._target, ", ".join(step.lines))
        for work in work_of([step], bases):
            match work:
                case DeviceLaunch(launch=launch):
                    assert isinstance(launch, KernelLaunch)
                    # Where nothing is read or written, the address is 0.
                    places: list[Any] = [one or bases["scratch", 0] for one in work.addresses]
                    yield self._launch(self._kernels[launch.function], places, launch.sizes, launch.blocks)
                case DeviceCopy():
                    to, source = cast(tuple[WgslPlace, WgslPlace], (work.to, work.source))
                    yield self._copy(to, source, work.nbytes)

    def _commit(self, to: WgslPlace, source: WgslPlace, nbytes: Quantity, flag: WgslPlace | None) -> WgslWork:
        words = -(-nbytes // 4)
        if flag is None:
            return self._copy(to, source, 4 * words)
        return self._launch(COPIES["commit"], [to, source, flag], (words,), -(-words // THREADS))

    def _copy(self, to: WgslPlace, source: WgslPlace, nbytes: Quantity) -> WgslWork:
        """Copy bytes: by a kernel, where they are parts of words, or within a buffer."""
        is_whole = all(dims.same(one % 4, 0) for one in (to.offset, source.offset, nbytes))
        if is_whole and to.buffer != source.buffer:
            return WgslCopy(_plain(to), _plain(source), plain(nbytes))
        kernel, count = (COPIES["copy_words"], nbytes // 4) if is_whole else (COPIES["copy"], nbytes)
        return self._launch(kernel, [to, source], (count,), -(-count // THREADS))

    def _launch(
        self, kernel: WgslKernel, places: Sequence[WgslPlace], sizes: Sequence[Quantity], blocks: Quantity
    ) -> WgslLaunch:
        """A launch over arrays that begin at these places."""
        numbers: dict[tuple[str, int], int] = {}
        buffers = tuple(numbers.setdefault(places[number].buffer, len(numbers)) for number in kernel.used)
        name = self._names.get((kernel.name, buffers))
        if name is None:
            name = self._binder.named(WgslModule(kernel.text(buffers), kernel.bindings(buffers)))
            self._names[kernel.name, buffers] = name
        words = (*(plain(one.offset) for one in places), *map(plain, sizes), plain(blocks), 0)
        return WgslLaunch(name, tuple(numbers), words)


def _plain(place: WgslPlace) -> WgslPlace:
    """A place as a plan has it."""
    return WgslPlace(place.buffer, plain(place.offset))


def _notes(notes: Sequence[PlanNote]) -> tuple[tuple[WgslNote, ...], list[Quantity]]:
    """Return the notes that assertions may leave, and the bytes of the longest if there is one."""
    all_of: list[WgslNote] = []
    longest: Quantity = 0
    for note in notes:
        end: Quantity = NOTE_BYTES
        operands = []
        for one in note.operands:
            shape: tuple[Quantity, ...] = one.shape
            operands.append((one.dtype, tuple(map(plain, shape)), plain(end)))
            end += aligned_note(one.nbytes)
        all_of.append((note.message, tuple(operands)))
        longest = dims.maximum(longest, end)
    return tuple(all_of), [longest] if notes else []


def _open_way(step: PlanStep) -> str:
    """Name what of a step is not known before it runs; nothing, if its launches are."""
    if any(isinstance(one, PlanReport) for one in step.launches):
        return "which Python does"
    region = step.region
    if region is None:
        return ""
    if region.control != "scan":
        return "whose way data decides"
    if is_symbolic(region.length):
        return "whose length only a call knows"
    return next(filter(None, (_open_way(one) for body in region.bodies for one in body.steps)), "")
