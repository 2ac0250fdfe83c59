# SPDX-License-Identifier: Apache-2.0
"""A compiled program whose kernels a device runs: their text for all devices of a kind, and their code on one of them.

    DeviceExecutable    the text and the plan; the disk cache has the same
    DeviceCode          the kernels, the constants and the graphs on one device; it runs calls
    DeviceDeriver       makes a derived constant there

A call takes buffers of the device, and arrays of the host: numbers and other small things, which go to the device
together, in the *call block*. Everything is in the order of the device's stream, so memory of a call is free for others
when it has been asked for all, and a call returns before its kernels have run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet, ref

import numpy
from numpy.typing import NDArray

from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, DeviceError, DeviceMemoryError, DTypeError, HybridizeError
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.runtime.compiled import CompiledProgram
from hybridize.runtime.device_buffers import ASKING, Asking, DeviceBuffer, DeviceMemory, new_buffer, row_major, sent
from hybridize.runtime.device_entry import NUMBERS, StartableGraph
from hybridize.runtime.device_notes import raise_noted
from hybridize.runtime.device_steps import Bases, DeviceLaunch, perform, recorded, work_of, work_size
from hybridize.runtime.device_stretches import Stretches
from hybridize.runtime.devices import Accelerator, DeviceGraph
from hybridize.runtime.plan import ALIGNMENT, FLAG, Derivation, Plan, PlanAddress, PlanStep
from hybridize.runtime.sizes import Sizes

Operand = DeviceBuffer | NDArray[Any]
"""An input of a call."""

INSTANCES: Final = 4
"""Graphs that a program has, one for each set of addresses: a loop that meets a few of them again only starts these."""
SEEN: Final = 16
"""Sets of addresses that are remembered: the second time they come, a graph is made for them."""
IN_GRAPH: Final = 4096
"""Launches of a graph at most: more, as of a scan of many turns, are several graphs, one after the other."""
IN_GRAPHS: Final = 16 * IN_GRAPH
"""Launches of all graphs of a call at most: more are asked for one by one, as the driver has memory for each."""
PLANS: Final = 16
"""Plans of calls with sizes of their own that are kept."""


class DeviceExecutable(CompiledProgram):
    """A program as text of kernels and a plan that launches them.

    Args:
        ptx: the kernels.
        plan: whose steps launch them.
        constants: in slot order; empty ones for what is derived.
        sources: the constants that others are derived of.
        described: as `CompiledProgram` has it.
    """

    def __init__(
        self,
        ptx: str,
        plan: Plan,
        constants: Sequence[NDArray[Any]],
        sources: Sequence[NDArray[Any]],
        **described: Any,
    ) -> None:
        super().__init__(plan, **described)
        self.ptx = ptx
        self.code_bytes = len(ptx)
        self.constants = list(constants)
        self.sources = list(sources)
        self._codes: dict[int, DeviceCode] = {}
        self._lock = renewed(threading.RLock())

    @property
    def constant_bytes(self) -> int:
        """Memory of the constants as the program reads them."""
        return sum(one.nbytes for one in self.constants) + sum(one.nbytes for one in self.plan.derivations)

    def on(self, accelerator: Accelerator, number: int) -> DeviceCode:
        """Return its code on a device, by the device's number too; loaded there once.

        Raises:
            CodegenError E907: the device does not take it.
            DeviceMemoryError E706: it has no memory for the constants.
        """
        with self._lock:
            code = self._codes.get(number)
            if code is None or code.accelerator is not accelerator:
                code = self._codes[number] = DeviceCode(self, accelerator, number)
            return code


class _Shared:
    """The graphs, the scratch and the spares that programs of a device share."""

    def __init__(self, accelerator: Accelerator) -> None:
        self._codes: WeakSet[DeviceCode] = WeakSet()
        self._spares: WeakKeyDictionary[DeviceMemory, DeviceMemory] = WeakKeyDictionary()
        self._listing = renewed(threading.RLock())
        self._scratch: DeviceMemory | None = None
        accelerator.when_scarce.append(self.drop)
        if accelerator.starter is not None:
            accelerator.starter.idle.append(self._idle_bytes)

    def add(self, code: DeviceCode) -> None:
        """Take a program in."""
        with self._listing:
            self._codes.add(code)

    def codes(self) -> list[DeviceCode]:
        """List the programs that are there."""
        with self._listing:
            return list(self._codes)

    def drop(self) -> None:
        """Give back the graphs of all programs, and what they keep."""
        self._scratch = None
        for thread in [*ASKING]:
            thread.memories.extend(self._spares.values())
        self._spares = WeakKeyDictionary()
        for one in self.codes():
            one.drop_graphs()

    def spare(self, memory: DeviceMemory) -> DeviceMemory:
        """Return the memory with which that of a state changes places, whichever program writes it: it has two
        addresses in turn.
        """
        spare = self._spares.get(memory)
        if spare is None:
            spare = self._spares[memory] = DeviceMemory(memory.accelerator, memory.nbytes)
        return spare

    def scratch(self, accelerator: Accelerator, nbytes: int) -> DeviceMemory:
        """Return the memory that all graphs have for their scratch, each for itself as long as it runs.

        A larger one takes the place of what is too small, and graphs that use that are made anew.
        """
        known = self._scratch
        if known is None or known.nbytes < nbytes:
            for one in self.codes() if known is not None else ():
                one.drop_graphs(known)
            known = self._scratch = None  # before there is another
            known = self._scratch = DeviceMemory(accelerator, nbytes)
        return known

    def _idle_bytes(self) -> int:
        """Count the bytes that are there for later calls alone."""
        scratch = 0 if self._scratch is None else self._scratch.nbytes
        spares = sum(one.nbytes for one in [*self._spares.values()])
        return scratch + spares + sum(one.idle_bytes for one in self.codes())


_SHARED: Final[WeakKeyDictionary[Accelerator, _Shared]] = WeakKeyDictionary()
_SHARING: Final = renewed(threading.RLock())


def _shared(accelerator: Accelerator) -> _Shared:
    with _SHARING:
        shared = _SHARED.get(accelerator)
        if shared is None:
            shared = _SHARED[accelerator] = _Shared(accelerator)
        return shared


def loaded_on(accelerator: Accelerator) -> list[DeviceCode]:
    """List the programs that are loaded on a device."""
    return _shared(accelerator).codes()


Link = Callable[
    [Sequence["DeviceBuffer | None"], Sequence["int | None"], Any, Sequence[DeviceMemory], DeviceMemory],
    "StartableGraph | None",
]
"""Puts a graph into a table of machine code: what its inputs are on the device, their addresses, the graph, the
memories of its results, its scratch."""


class _Recorded:
    """The graphs of a call, one after the other."""

    def __init__(self, graphs: list[DeviceGraph], scratch: DeviceMemory | None) -> None:
        self.graphs = graphs
        self.scratch = scratch
        """The memory that it shares with others, there for as long as it; None where a call brings its own."""
        self.started = 0
        """Its place among all that was started, when Python started it last."""
        self._instance: ref[StartableGraph] | None = None

    @property
    def instance(self) -> StartableGraph | None:
        """The graph in the table of machine code, which may start it, too; None where it is in none."""
        return None if self._instance is None else self._instance()

    def link(self, instance: StartableGraph) -> None:
        """Let machine code start it."""
        self._instance = ref(instance)

    @property
    def used(self) -> int:
        """Its place among all that was started, when it was started last."""
        instance = self.instance
        return self.started if instance is None else max(self.started, instance.used)

    def drop(self) -> None:
        """Keep machine code from starting it."""
        instance = self.instance
        if instance is not None:
            instance.drop()


class DeviceDeriver:
    """Makes a derived constant by kernels."""

    def __init__(self, code: DeviceCode, of: Derivation) -> None:
        self._code = code
        self._of = of
        self._steps: tuple[PlanStep, ...] = next(
            one.steps for one in code.program.plan.makers if one.function == of.function
        )
        self.slot: int = of.slot
        """Position among the constants."""
        self.inputs: tuple[int, ...] = of.inputs
        """Numbers of the inputs that it is made of."""
        self.nbytes: int = of.nbytes
        self.layout: str = of.layout
        """Equal sources make equal constants where this is equal."""
        self.ops: tuple[str, ...] = of.ops
        """Operations of the graph that calls do without."""

    def made(self, inputs: Mapping[int, Any] | Sequence[Any]) -> DeviceBuffer:
        """Return a fresh constant of inputs, by their numbers; those that it reads are buffers of the device."""
        code, of = self._code, self._of
        constant = code.memory((of.nbytes,), numpy.uint8)
        scratch = code.memory((of.scratch_bytes,), numpy.uint8)
        sources = [inputs[one.number] if one.kind == "input" else code.source(one.number) for one in of.sources]
        with Asking():
            bases = {("output", 0): constant.address, ("scratch", 0): scratch.address}
            for k, (source, one) in enumerate(zip(sources, of.sources, strict=True)):
                bases["input", k] = source.address + one.offset
            perform(work_of(self._steps, bases), code.accelerator, code.launch)
        return constant


class DeviceCode:
    """A program on one device."""

    def __init__(self, program: DeviceExecutable, accelerator: Accelerator, number: int) -> None:
        self.program = program
        self.accelerator = accelerator
        self.number = number
        self._kernels = accelerator.load(program.ptx) if program.ptx else {}
        self._plans: OrderedDict[tuple[int, ...], Plan] = OrderedDict()
        self._graphs: dict[tuple[Any, ...], _Recorded] = {}
        self._count = 0
        self._seen: OrderedDict[tuple[Any, ...], None] = OrderedDict()
        self._stretches = Stretches(accelerator, self.launch, IN_GRAPH, IN_GRAPHS, program.name)
        self.lock: Any = renewed(threading.RLock())
        """Held by who looks for a graph, makes one, or starts it."""
        self._sources: dict[int, DeviceBuffer] = {}
        derivers = {one.slot: DeviceDeriver(self, one) for one in program.plan.derivations}
        self.derivers: list[DeviceDeriver] = [one for one in derivers.values() if one.inputs]
        """Makers of the constants that are derived of stable inputs; what they make is given to `run`."""
        self.constants: list[DeviceBuffer] = [
            derivers[slot].made({}) if slot in derivers and not derivers[slot].inputs else self._sent(constant)
            for slot, constant in enumerate(program.constants)
        ]
        """Those in the slots of `derivers` are empty."""
        _shared(accelerator).add(self)
        addresses = [one for step in program.plan.steps for one in step.arguments if isinstance(one, PlanAddress)]
        sources = [one for derivation in program.plan.derivations for one in derivation.sources]
        self.reads: frozenset[int] = frozenset(
            [one.slot for one in addresses if one.kind == "input"]
            + [one.number for one in sources if one.kind == "input"]
        )
        """The inputs that a kernel reads: others need not go to the device."""

    def memory(self, shape: tuple[int, ...], dtype: Any) -> DeviceBuffer:
        """Return memory that nobody has written.

        Raises:
            DeviceMemoryError E706: there is not so much; the error names the program.
        """
        try:
            return new_buffer(self.accelerator, self.number, shape, dtype)
        except DeviceMemoryError as error:
            raise self._without_memory(error) from None

    def _without_memory(self, error: DeviceMemoryError) -> DeviceMemoryError:
        return DeviceMemoryError("E706", f"{self.program.name}: {error.what}", help=error.help)

    def spares(self, memories: Sequence[DeviceMemory]) -> list[DeviceMemory]:
        """Return memory with which that of states changes places at the end of a call.

        Raises:
            DeviceMemoryError E706: there is not so much; the error names the program.
        """
        shared = _shared(self.accelerator)
        try:
            return [*map(shared.spare, memories)]
        except DeviceMemoryError as error:
            raise self._without_memory(error) from None

    def source(self, number: int) -> DeviceBuffer:
        """Return a constant that others are derived of."""
        if number not in self._sources:
            self._sources[number] = self._sent(self.program.sources[number])
        return self._sources[number]

    def _sent(self, array: NDArray[Any]) -> DeviceBuffer:
        return sent(array, self.accelerator, self.number)

    def drop_graphs(self, scratch: DeviceMemory | None = None) -> None:
        """Give back the graphs, those that share a scratch or all, which are made anew where they are needed; not while
        another thread asks for a call: it may wait for the device, which the caller has.
        """
        if not self.lock.acquire(blocking=False):
            return
        try:
            for key, one in [*self._graphs.items()]:
                if scratch is None or one.scratch is scratch:
                    self._graphs.pop(key, None)
                    one.drop()
            if scratch is None:
                self._stretches.clear()
        finally:
            self.lock.release()

    @property
    def idle_bytes(self) -> int:
        """Bytes of results that graphs keep, and that nobody has."""
        instances = [one.instance for one in [*self._graphs.values()]]
        return sum(one.idle_bytes for one in instances if one is not None)

    # ------------------------------------------------------------------------------------------------------- calls

    def run(self, inputs: Sequence[Operand], derived: Sequence[DeviceBuffer] | None = None) -> list[DeviceBuffer]:
        """Ask the device to run the program; returns fresh buffers, which it will have written.

        Args:
            inputs: buffers of the device, and arrays of the host.
            derived: what the `derivers` made, in their order; without it the call makes its own.

        Raises:
            ArgumentError E310: wrong number of inputs.
            DTypeError E210, ShapeError E120: an input of another type than the program was compiled for.
            DeviceError E703: an input of another device.
            DeviceMemoryError E706: the device has not the memory for the call.
            HybridizeError: what an assertion of the program raises; then the call has been waited for.
        """
        program = self.program
        if len(inputs) != len(program.parameters):
            raise ArgumentError("E310", f"{program.name} takes {len(program.parameters)} arrays, got {len(inputs)}")
        pairs = zip(inputs, program.parameters, strict=True)
        operands = [self._operand(number, one, type_) for number, (one, type_) in enumerate(pairs)]
        sizes = program.sizes.checked([one.shape for one in operands])
        scratch_bytes = program.sizes.scratch_bytes(sizes)
        buffers = self._sent_together(operands)
        if derived is None:
            derived = [one.made(buffers) for one in self.derivers]
        constants = list(self.constants)
        for deriver, buffer in zip(self.derivers, derived, strict=True):
            constants[deriver.slot] = buffer
        numbers = tuple(sizes.values())
        layouts = [row_major(one.shape, one.dtype) for one in program.sizes.types(sizes)]
        with Asking():
            addresses = [None if one is None else one.address for one in (*buffers, *constants)]
            return self._asked(self._plan(sizes, numbers), numbers, addresses, layouts, scratch_bytes)

    def ask(
        self, inputs: Sequence[Operand], derived: Sequence[DeviceBuffer], link: Link | None = None,
        spares: Sequence[DeviceMemory] = (),
    ) -> list[DeviceBuffer]:  # fmt: skip
        """Do as `run` does with inputs that need no look, of a program whose sizes are known.

        Args:
            inputs: buffers of the device, and arrays of the host.
            derived: as `run` has it.
            link: is called with the graph of the call, once there is one.
            spares: memory for the last of the results, which are not returned.
        """
        constants = self.constants
        if derived:
            constants = list(constants)
            for deriver, buffer in zip(self.derivers, derived, strict=True):
                constants[deriver.slot] = buffer
        buffers = self._sent_together(inputs)
        plan = self.program.plan
        with Asking():
            addresses = [None if one is None else one.address for one in (*buffers, *constants)]
            tell = None if link is None else partial(link, buffers, addresses[: len(buffers)])
            return self._asked(plan, (), addresses, self._layouts, int(plan.scratch_bytes), tell, spares)

    @cached_property
    def _layouts(self) -> list[NDArray[Any]]:
        """The layouts of the results, where their sizes are known."""
        return [row_major(one.shape, one.dtype) for one in self.program.results]

    def _asked(
        self,
        plan: Plan,
        numbers: tuple[int, ...],
        addresses: Sequence[int | None],
        layouts: Sequence[NDArray[Any]],
        scratch_bytes: int,
        link: Callable[..., StartableGraph | None] | None = None,
        spares: Sequence[DeviceMemory] = (),
    ) -> list[DeviceBuffer]:
        """Ask for a call whose inputs and constants are there; returns what it writes, but for the spares."""
        layouts = layouts[: len(layouts) - len(spares)]
        shares = self.is_one_graph and plan is self.program.plan
        try:
            scratch = None if shares else DeviceMemory(self.accelerator, scratch_bytes)
            memories = [*[DeviceMemory(self.accelerator, one.nbytes) for one in layouts], *spares]
            written = [one.address for one in memories]
            flags = self._flags(plan)
            key = (numbers, scratch and scratch.address, flags and flags.address, *addresses, *written)
            with self.lock:
                if not self._started(key):
                    again = self._comes_again(plan, key)
                    if scratch is None:
                        scratch = self._scratch(scratch_bytes, again)
                    bases = {("scratch", 0): scratch.address}
                    if flags is not None:
                        bases[FLAG, 0] = flags.address
                    bases |= {("input", k): one for k, one in enumerate(addresses) if one is not None}
                    bases |= {("output", k): one for k, one in enumerate(written)}
                    if again:
                        self._record(plan, key, bases, scratch if shares else None)
                    if not self._started(key):
                        self._perform(plan, bases)
                if link is not None and shares:
                    self._link(key, link, memories)
        except DeviceMemoryError as error:
            raise self._without_memory(error) from None
        if flags is not None:
            raise_noted(plan, lambda *place: flags.part(*place).to_host())
        return [DeviceBuffer(one, layout, self.number, 0) for one, layout in zip(memories, layouts, strict=False)]

    def _flags(self, plan: Plan) -> DeviceBuffer | None:
        """Memory for the note of an assertion, empty; None for a program that has none."""
        if not plan.notes:
            return None
        flags = self.memory((plan.flag_bytes,), numpy.uint8)
        flags.part(0, (1,), numpy.int64)[...] = 0
        return flags

    def _operand(self, number: int, one: Operand, type_: TensorType) -> Operand:
        """An input that kernels can read: row by row, of the right type, on this device or at the host."""
        dtype = one.dtype
        if dtype != type_.dtype and (isinstance(one, DeviceBuffer) or dtype.newbyteorder("=") != type_.dtype):
            raise DTypeError("E210", f"input {number} of {self.program.name} must be {type_}, got dtype {dtype}")
        if not isinstance(one, DeviceBuffer):
            return numpy.asarray(one, type_.dtype)
        if one.accelerator is not self.accelerator:
            what = f"input {number} of {self.program.name} is on {one.device}, and it runs on gpu({self.number})"
            raise DeviceError("E703", what, help=f"x.as_in_ctx(gpu({self.number})) gives an array there")
        return one.aligned()

    def _sent_together(self, operands: Sequence[Operand]) -> list[DeviceBuffer | None]:
        """The operands on the device: those of the host in one block, by one copy; None of what no kernel reads."""
        places, end = self.places([None if isinstance(one, DeviceBuffer) else one.nbytes for one in operands])
        if not end:
            return [one if isinstance(one, DeviceBuffer) else None for one in operands]
        block = self.memory((max(end, 8 * NUMBERS),), numpy.uint8)
        content = numpy.zeros(end, numpy.uint8)
        buffers: list[DeviceBuffer | None] = []
        for one, start in zip(operands, places, strict=True):
            if start is None:
                buffers.append(one if isinstance(one, DeviceBuffer) else None)
                continue
            content[start : start + one.nbytes] = numpy.ascontiguousarray(one).reshape(-1).view(numpy.uint8)
            buffers.append(block.part(start, one.shape, one.dtype))
        block[:end] = content
        return buffers

    def places(self, sizes: Sequence[int | None]) -> tuple[list[int | None], int]:
        """Return where inputs are in the call block, and its bytes; None for those that are not there.

        Args:
            sizes: bytes of each input that is at the host; None for those on the device.
        """
        places: list[int | None] = []
        end = 0
        for number, nbytes in enumerate(sizes):
            inside = nbytes is not None and number in self.reads
            places.append(end if inside else None)
            end += -(-nbytes // ALIGNMENT) * ALIGNMENT if nbytes is not None and inside else 0
        return places, end

    def _plan(self, sizes: Sizes, numbers: tuple[int, ...]) -> Plan:
        """The plan of a call."""
        if not self.program.plan.sizes:
            return self.program.plan
        plan = self._plans.get(numbers)
        if plan is None:
            plan = self.program.plan.at({symbol.name: number for symbol, number in sizes.items()})
            self._plans[numbers] = plan
            while len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        return plan

    # -------------------------------------------------------------------------------------------------------- work

    def _record(self, plan: Plan, key: tuple[Any, ...], bases: Bases, scratch: DeviceMemory | None) -> None:
        """Make the graphs of a call, over a scratch that they share with others if there is one."""
        spare = self._spare() if len(self._graphs) >= INSTANCES else ()
        work = work_of(plan.steps, bases)
        graphs = recorded(work, self.accelerator, self.launch, IN_GRAPH, spare, self.program.name)
        self._graphs[key] = _Recorded(graphs, scratch)

    def _perform(self, plan: Plan, bases: Bases) -> None:
        """Ask for all launches of a call, one by one."""
        if CONFIG.device_check or work_size(plan.steps) is not None:
            perform(work_of(plan.steps, bases), self.accelerator, self._launched)
        else:
            self._stretches.perform(plan.steps, bases)

    def _started(self, key: tuple[Any, ...]) -> bool:
        """Ask for the graphs of a set of addresses; tell whether there are some."""
        one = self._graphs.get(key)
        if one is None:
            return False
        starter = self.accelerator.starter
        one.started = self._count = self._count + 1 if starter is None else starter.get("started")
        for graph in one.graphs:
            graph.launch()
        return True

    def _spare(self) -> Sequence[DeviceGraph]:
        """The graphs that were not started for longest, which nobody starts any more."""
        graphs = [*self._graphs.items()]
        key, oldest = min(graphs, key=lambda one: one[1].used)
        self._graphs.pop(key, None)
        oldest.drop()
        return oldest.graphs

    @cached_property
    def is_one_graph(self) -> bool:
        """True if a graph does all that a call asks for, and machine code may start it: it shares its scratch."""
        plan = self.program.plan
        size = None if plan.sizes else work_size(plan.steps)
        return self.accelerator.starter is not None and size is not None and 0 < size <= IN_GRAPH and not plan.notes

    def _scratch(self, nbytes: int, is_recorded: bool) -> DeviceMemory:
        """The scratch of a call that shares it with others: of one that is asked for launch by launch it is its own, as
        others ask for theirs in between.
        """
        if not is_recorded:
            return DeviceMemory(self.accelerator, nbytes)
        return _shared(self.accelerator).scratch(self.accelerator, nbytes)

    def _link(
        self, key: tuple[Any, ...], link: Callable[..., StartableGraph | None], memories: Sequence[DeviceMemory]
    ) -> None:
        """Let machine code start the graph of a call, if there is one."""
        one = self._graphs.get(key)
        if one is None or one.scratch is None:
            return
        one.drop()
        instance = link(one.graphs[0], memories, one.scratch)
        if instance is not None:
            one.link(instance)

    def _comes_again(self, plan: Plan, key: tuple[Any, ...]) -> bool:
        """Tell whether a graph is made for a call: not the first time, nor where the host has to ask in between."""
        if CONFIG.device_check:
            return False
        if key not in self._seen:
            self._seen[key] = None
            while len(self._seen) > SEEN:
                self._seen.popitem(last=False)
            return False
        size = work_size(plan.steps)
        return size is not None and 0 < size <= IN_GRAPHS

    def launch(self, one: DeviceLaunch) -> None:
        """Ask for one launch."""
        launch: Any = one.launch
        if launch.blocks:
            arguments = [*one.addresses, *launch.sizes]
            function = self._kernels[launch.function]
            function.name = f"{self.program.name}.{launch.function}"
            self.accelerator.launch(function, (launch.blocks, 1, 1), launch.threads, launch.shared_bytes, arguments)

    def _launched(self, one: DeviceLaunch) -> None:
        """Ask for one launch; wait for it where HYBRIDIZE_DEVICE_CHECK says so, and name it where it fails."""
        if not CONFIG.device_check:
            self.launch(one)
            return
        try:
            self.launch(one)
            self.accelerator.wait()
        except HybridizeError as error:
            lines = ", ".join(one.step.lines)
            error.add_note(f"in {one.launch.function} of {self.program.name}: {', '.join(one.step.ops)} ({lines})")
            raise
