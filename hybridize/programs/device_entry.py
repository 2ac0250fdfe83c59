# SPDX-License-Identifier: Apache-2.0
"""The short ways of calls whose arrays are on a device: arguments are compared, and the program is asked for.

The first is machine code, where the device lets it start graphs (`runtime.device_entry`). What that does not take comes
to the second, which is Python: it takes memory, asks for the program, and puts graphs into the table of the first. A
call of which anything differs from what is usual goes the way of all calls, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from operator import call, setitem
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import buffer_of, is_away, is_exposed
from hybridize.array.device import PRESENT, Device, current_device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import Storage
from hybridize.base.access import ACCESS, NOBODY, WRITER
from hybridize.base.config import CONFIG
from hybridize.base.errors import HybridizeError
from hybridize.base.frozen import frozen
from hybridize.base.modes import BUSY
from hybridize.base.spans import LISTENERS
from hybridize.base.types import TensorType
from hybridize.compiler.entry import make_device_entry
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.contract.guards import watches
from hybridize.ops.op import Effect, effect_of
from hybridize.programs.device_machine import DeviceMachine
from hybridize.programs.donation import updates_of
from hybridize.programs.entry import UNASKED, Entry, assembling, plain_structure
from hybridize.runtime import cpython
from hybridize.runtime.device_buffers import ASKING, DeviceBuffer, DeviceMemory, row_major
from hybridize.runtime.device_code import INSTANCES, Link
from hybridize.runtime.device_entry import (
    NUMBERS,
    CallNumbers,
    CallStates,
    StartableGraph,
    StartableGraphs,
    is_supported,
    number_word,
)  # fmt: skip
from hybridize.runtime.devices import is_inherited
from hybridize.runtime.entry import Argument, Look, Watch, input_rows


def why_none(captured: Captured, machine: object) -> str:
    """Say why the calls of a program have no short way on a device; empty where they have one."""
    reasons = {
        "it runs elsewhere": not isinstance(machine, DeviceMachine),
        "the host waits for a part of it": getattr(machine, "waits", True),
        "it is for any size": captured.graph.scope is not None,
        "weights are learned": captured.call.training,
        "gradients are attached to arguments": any(one is not None for one in captured.transaction.marks.values()),
        "it does more than compute": captured.effects or captured.decided is not None or captured.compared is not None,
        "it asserts or prints": any(effect_of(node.op) is not Effect.PURE for node in captured.graph.nodes),
        "its arguments do not lie row by row": captured.layouts,
        "its arrays are of nd": captured.call.of_nd,
        "its arguments are NumPy's": captured.call.numpys,
        **{why: test(captured) for why, test in UNASKED.items() if "devices" not in why},
    }
    return next((why for why, is_so in reasons.items() if is_so), "") or _why_no_state(captured, machine)


def _why_no_state(captured: Captured, machine: Any) -> str:
    """Say what of a program keeps more than state that nobody else has; empty where nothing does."""
    written = [(k, one) for k, one in enumerate(captured.sources) if one.written >= 0]
    count = len(captured.graph.outputs) - len(written)
    last = [*range(count, count + len(written))]
    bound, _ = _outside(captured)
    reasons = {
        "arguments are written": captured.writes_arguments,
        "what is written loses its history": any(one.lost is not None for _, one in written),
        "state is a part of the result": [one.written for _, one in written] != last
        or len(updates_of(captured)) < len(written),
        "the host computes a part of it": any(k not in machine.there for k in range(count))
        or any((one.written in machine.there) != (k in bound) for k, one in written),
    }
    return next((why for why, is_so in reasons.items() if is_so), "")


def _outside(captured: Captured) -> tuple[dict[int, ndarray], dict[int, ndarray]]:
    """The arrays from outside by the numbers of their inputs: those of the device, and those of the host."""
    arrays = [(k, one.array) for k, one in enumerate(captured.sources) if one.array is not None]
    bound = {k: array for k, array in arrays if is_away(buffer_of(array))}
    return bound, {k: array for k, array in arrays if k not in bound}


@frozen
class _State:
    """The states of a program: new values have memory of their own, which changes places at the end of a call."""

    bound: dict[int, ndarray]
    """Those on the device by the numbers of the inputs that they are, in the order of the outputs for new values."""
    hosts: dict[int, ndarray]
    """Those at the host, which computes their new values itself."""

    @classmethod
    def of(cls, captured: Captured) -> _State:
        """Return that of a program."""
        bound, hosts = (
            {k: array for k, array in arrays.items() if captured.sources[k].written >= 0}
            for arrays in _outside(captured)
        )
        return cls(bound, hosts)

    def memories(self, inputs: Sequence[Any]) -> list[DeviceMemory] | None:
        """Return the memory of each; None where somebody else has one, an argument above all, or may still ask for work
        on a spare, which was its memory before.
        """
        if self.bound and ASKING:
            return None
        memories = [inputs[k].base for k in self.bound]
        others = {id(x.base) for k, x in enumerate(inputs) if type(x) is DeviceBuffer and k not in self.bound}
        own = {*map(id, memories)}
        is_alone = (
            len(own) == len(memories) and own.isdisjoint(others) and not any(map(is_exposed, self.bound.values()))
        )
        is_whole = all(inputs[k].nbytes == one.nbytes for k, one in zip(self.bound, memories, strict=True))
        return memories if is_alone and is_whole else None

    def exchange(
        self, memories: Sequence[DeviceMemory], spares: Sequence[DeviceMemory], values: Sequence[Any],
        committed: Callable[[], None],
    ) -> None:  # fmt: skip
        """Let states have their new values, and say so: no signal's handler runs in between."""
        addresses = [one.address for one in (*spares, *memories)]
        exchanged = map(setattr, (*memories, *spares), repeat("address"), addresses)
        places: Iterable[Any] = map(buffer_of, self.hosts.values())
        written = map(setitem, places, repeat(...), values)
        _ = [*chain(exchanged, written, map(call, (committed,)))]
        for thread in [*ASKING]:
            thread.memories.extend(spares)


def _takes_arrays(captured: Captured) -> bool:
    """Tell whether all arguments are arrays, by position."""
    positional, keywords = captured.call.structure.children
    plain = all(one.kind == "leaf" for one in positional.children) and not keywords.children
    return plain and all(isinstance(kind, TensorType) for kind in captured.call.kinds)


@frozen
class DeviceCalls:
    """A program on a device, and what tells whether a call is for it."""

    captured: Captured
    machine: DeviceMachine
    arguments: Sequence[Argument]
    keywords: tuple[str, ...]
    """The names of the last of the arguments."""
    dirty: NDArray[Any]
    """Its first item is not 0 where the program may hold no longer."""
    holds: Callable[[], bool] | None
    """Tells whether its guards hold; None where it has none."""
    suits: Callable[[Call], bool]
    """Tells whether it is right for a call of its key, as far as can be told once that has begun."""
    is_alone: bool
    """Its calls are made by who keeps others out that read arrays."""
    committed: Callable[[], None]
    """Is called when states have their new values."""

    def leaves_of(self) -> Callable[[tuple[Any, ...], dict[str, Any]], Sequence[Any] | None]:
        """Make a function that takes a call apart; of one that the program is not right for it gives None."""
        captured, holds, suits = self.captured, self.holds, self.suits
        count, key = len(captured.call.kinds), captured.call.key
        present, gpu = (captured.call.devices or (self.machine.device,))[0], self.machine.code.accelerator

        def of_arrays(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any] | None:
            if kwargs or len(args) != count or current_device() != present or is_inherited(gpu):
                return None
            return args if holds is None or holds() else None

        def of_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any] | None:
            one = None if is_inherited(gpu) else Call.of(args, kwargs)
            return one.leaves if one is not None and one.key == key and suits(one) else None

        return of_arrays if _takes_arrays(captured) else of_all

    def entry(self, fallback: Entry) -> Entry | None:
        """Return a callable for exactly the calls that the program is right for, which gives all others to `fallback`;
        None where there can be none.
        """
        captured, machine, dirty, committed = self.captured, self.machine, self.dirty, self.committed
        finish = assembling(captured.structure, captured.results)
        if finish is None:
            return None
        code, derivers, device, gpu = machine.code, machine.derived, machine.device, machine.code.accelerator
        expected = [(value.type.shape, value.type.dtype) for value in captured.graph.inputs]
        sources = [(one.position, one.array, *kind) for one, kind in zip(captured.sources, expected, strict=True)]
        _, hosts = _outside(captured)
        if any(map(machine.brings, hosts)):
            return None
        state, writer = _State.of(captured), NOBODY if self.is_alone else WRITER
        leaves_of, instances, alignment = self.leaves_of(), self._instances(state), gpu.alignment

        def entry(*args: Any, **kwargs: Any) -> Any:
            is_usual = not (dirty[0] or BUSY[0] or writer or LISTENERS or CONFIG.disable or ACCESS.queue)
            leaves = leaves_of(args, kwargs) if is_usual else None
            if leaves is None:
                return fallback(*args, **kwargs)
            inputs: list[Any] = []
            for position, array, shape, dtype in sources:
                x = leaves[position] if array is None else array
                if type(x) is not ndarray:
                    if type(x) not in (float, int):
                        return fallback(*args, **kwargs)
                    inputs.append(numpy.array(x, dtype))
                    continue
                buffer: Any = buffer_of(x)
                if type(buffer) is not DeviceBuffer and array is not None:
                    inputs.append(buffer)
                    continue
                if type(buffer) is not DeviceBuffer or buffer.base.accelerator is not gpu:
                    return fallback(*args, **kwargs)
                layout = buffer.layout
                is_usual = layout.shape == shape and layout.dtype == dtype and layout.flags.c_contiguous
                if not is_usual or buffer.address % alignment:
                    return fallback(*args, **kwargs)
                inputs.append(buffer)
            memories = state.memories(inputs)
            outputs = None
            if memories is not None:
                try:
                    spares = code.spares(memories)
                    derived = [one.now() for one in derivers]
                    link = None if instances is None else _linking(captured, instances, inputs, derived, len(spares))
                    outputs = code.ask(inputs, derived, link, spares)
                except HybridizeError:
                    pass
            if outputs is None or memories is None:
                return fallback(*args, **kwargs)  # which says at which line it was
            if memories or state.hosts:
                state.exchange(memories, spares, machine.at_host(inputs), committed)
            return finish(tuple([_array(one, device) for one in outputs]))

        return entry if instances is None else self._started(instances, state, entry)

    def _instances(self, state: _State) -> StartableGraphs | None:
        """The table of the program, whose graphs machine code may start; None where it may not."""
        code, captured = self.machine.code, self.captured
        starter, numbers = code.accelerator.starter, self._numbers()
        bound, at_host = _outside(captured)
        hosts = [*at_host]
        if starter is None or not is_supported() or not code.is_one_graph or numbers is None:
            return None
        arguments = [one for one in captured.sources if one.array is None]
        if _read(self.arguments) != len(arguments) or not {*self.machine.host_inputs} <= {*hosts}:
            return None
        states = CallStates(
            tuple(map([*bound].index, state.bound)),
            cpython.member_offset(Storage, "_exposed") or 0,
            tuple([(hosts.index(k), numpy.empty_like(buffer_of(array))) for k, array in state.hosts.items()]),
        )
        if states.bound and not states.exposed:
            return None
        instances = StartableGraphs(
            starter,
            code.accelerator,
            name=self.machine.executable.name,
            lock=code.lock,
            inputs=len(arguments),
            numbers=numbers,
            bound=[*bound.values()],
            states=states,
            buffers=[_pattern(one, code.number) for one in self.results],
            storages=[_storage(self.machine.device) for _ in self.results],
            derived=self.machine.derived,
            count=INSTANCES,
        )
        instances.present(PRESENT, (captured.call.devices or (self.machine.device,))[0])
        return instances

    @property
    def results(self) -> list[TensorType]:
        """The types of the outputs that are not states."""
        count = len(self.captured.graph.outputs) - sum(one.written >= 0 for one in self.captured.sources)
        return [*self.machine.executable.results[:count]]

    def _numbers(self) -> CallNumbers | None:
        """List what calls read at the host; None where that is too much for machine code."""
        captured = self.captured
        sources, types = captured.sources, [value.type for value in captured.graph.inputs]
        hosts = {k: (array, buffer_of(array)) for k, array in _outside(captured)[1].items()}
        slots = sorted(one.position for one in sources if one.array is None)
        origins = {k: ~number for number, k in enumerate(hosts)}
        for k, one in enumerate(sources):
            if one.array is None and not isinstance(captured.call.kinds[one.position], TensorType):
                origins[k] = slots.index(one.position)
        places, end = self.machine.code.places([one.nbytes if k in origins else None for k, one in enumerate(types)])
        is_plain = all(
            type(x) is numpy.ndarray and x.flags.c_contiguous and (x.shape, x.dtype) == (types[k].shape, types[k].dtype)
            for k, (_, x) in hosts.items()
        )
        if end > 8 * NUMBERS or not is_plain:
            return None
        numbers = [(origins[k], place, types[k].nbytes) for k, place in enumerate(places) if place is not None]
        return CallNumbers(tuple(hosts.values()), tuple(numbers), end // 8)

    def _started(self, instances: StartableGraphs, state: _State, fallback: Entry) -> Entry:
        """The entry of machine code that starts the graphs of the program, and gives other calls to `fallback`."""
        captured, results, machine = self.captured, self.results, self.machine
        structure = plain_structure(captured, len(results)) or assembling(captured.structure, captured.results)
        assert structure is not None
        modes = [Watch(Look.SETTING, vars(CONFIG), name, False) for name in ("disable", "device_check")]
        entry = make_device_entry(
            instances,
            array_type=ndarray,
            arguments=self.arguments,
            keywords=self.keywords,
            results=results,
            fallback=fallback,
            structure=structure,
            watches=[*modes, *watches(captured.guards)],
            doubt=self.holds,
            committed=self.committed if state.bound or state.hosts else None,
            exclusive=self.is_alone,
        )
        table: Any = entry.__self__  # type: ignore[attr-defined]
        for storage in captured.watched:
            storage.watch(table)
        if self.dirty[0]:
            table.dirty[0] = 1
        if not state.hosts:
            return entry
        places = [place for _, place in instances.states.at_host]
        hosts = {k: buffer_of(array) for k, array in _outside(captured)[1].items()}
        inputs = [hosts.get(k) for k in range(len(captured.sources))]

        def counted(*args: Any, **kwargs: Any) -> Any:
            for place, value in zip(places, machine.at_host(inputs), strict=True):
                place[...] = value
            return entry(*args, **kwargs)

        return counted


def _read(arguments: Sequence[Argument]) -> int:
    """Count the leaves of arguments that a program reads."""
    return len(input_rows(arguments))


def _linking(
    captured: Captured, instances: StartableGraphs, inputs: Sequence[Any], derived: Sequence[DeviceBuffer], spares: int
) -> Link:
    """Make a function that puts the graph of a call with these inputs and derived constants into a table; the last of
    its memories are so many spares.
    """
    starts = [one.base.address if type(one) is DeviceBuffer else None for one in inputs]

    def link(
        buffers: Sequence[DeviceBuffer | None], addresses: Sequence[int | None], graph: Any,
        memories: Sequence[DeviceMemory], scratch: DeviceMemory,
    ) -> StartableGraph | None:  # fmt: skip
        words: dict[int, int] = {}
        bound: list[tuple[DeviceBuffer, int]] = []
        keep: list[Any] = [scratch]
        block = 0
        places = zip(buffers, addresses, strict=True)
        for source, x, start, (buffer, address) in zip(captured.sources, inputs, starts, places, strict=True):
            if start is None:
                if buffer is not None:  # in the block, which is this graph's from now on
                    block = buffer.base.address
                    keep.append(buffer)
                if source.array is None:
                    words[source.position] = 0 if buffer is not None else number_word(x)
            elif start + x.offset != address:
                return None  # another thread has exchanged its memory
            elif source.array is None:
                words[source.position] = start + x.offset
            else:
                bound.append((x, start))
        count = len(memories) - spares
        arguments = [words[one] for one in sorted(words)]
        return instances.add(graph, block, arguments, bound, derived, memories[count:], memories[:count], keep)

    return link


def _pattern(type_: TensorType, number: int) -> DeviceBuffer:
    """A buffer that is like those of a result, and has no memory."""
    nothing: Any = None
    pattern = DeviceBuffer(nothing, row_major(type_.shape, type_.dtype), number, 0)
    del pattern.base
    return pattern


def _array(buffer: Any, device: Device) -> ndarray:
    return wrap(buffer, _storage(device))


def _storage(device: Device) -> Storage:
    storage = Storage()
    storage.device = device
    return storage
