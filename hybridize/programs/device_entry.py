# SPDX-License-Identifier: Apache-2.0
"""The short ways of calls whose arrays are on a device: arguments are compared, and the program is asked for.

The first is machine code, where the device lets it start graphs (`runtime.device_entry`). What that does not take comes
to the second, which is Python: it takes memory, asks for the program, and puts graphs into the table of the first. A
call of which anything differs from what is usual goes the way of all calls, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import buffer_of
from hybridize.array.device import PRESENT, Device, current_device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import Storage
from hybridize.base.access import ACCESS, WRITER
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
from hybridize.programs.entry import UNASKED, Entry, assembling, plain_structure
from hybridize.runtime.device_buffers import DeviceBuffer, DeviceMemory, row_major
from hybridize.runtime.device_code import INSTANCES, Link
from hybridize.runtime.device_entry import StartableGraph, StartableGraphs, is_supported, number_word
from hybridize.runtime.devices import is_inherited
from hybridize.runtime.entry import Argument, Look, Watch, input_rows


def why_none(captured: Captured, machine: object) -> str:
    """Say why the calls of a program have no short way on a device; empty where they have one."""
    reasons = {
        "it runs elsewhere": not isinstance(machine, DeviceMachine),
        "the host computes a part of it": getattr(machine, "is_partly_at_host", True),
        "it is for any size": captured.graph.scope is not None,
        "weights are learned": captured.call.training,
        "it keeps state": captured.transaction.feeds or captured.transaction.marks or _writes(captured),
        "it does more than compute": captured.effects or captured.decided is not None or captured.compared is not None,
        "it asserts or prints": any(effect_of(node.op) is not Effect.PURE for node in captured.graph.nodes),
        "its arguments do not lie row by row": captured.layouts,
        "its arrays are of nd": captured.call.of_nd,
        **{why: test(captured) for why, test in UNASKED.items() if "devices" not in why},
    }
    return next((why for why, is_so in reasons.items() if is_so), "")


def _writes(captured: Captured) -> bool:
    return any(one.written >= 0 for one in captured.sources)


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
    accepts: Callable[[Call], bool]
    """Tells whether it is right for a call of its key."""

    def leaves_of(self) -> Callable[[tuple[Any, ...], dict[str, Any]], Sequence[Any] | None]:
        """Make a function that takes a call apart; of one that the program is not right for it gives None."""
        captured, holds, accepts = self.captured, self.holds, self.accepts
        count, key = len(captured.call.kinds), captured.call.key
        present, gpu = (captured.call.devices or (self.machine.device,))[0], self.machine.code.accelerator

        def of_arrays(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any] | None:
            if kwargs or len(args) != count or current_device() != present or is_inherited(gpu):
                return None
            return args if holds is None or holds() else None

        def of_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any] | None:
            call = None if is_inherited(gpu) else Call.of(args, kwargs)
            return call.leaves if call is not None and call.key == key and accepts(call) else None

        return of_arrays if _takes_arrays(captured) else of_all

    def entry(self, fallback: Entry) -> Entry | None:
        """Return a callable for exactly the calls that the program is right for, which gives all others to `fallback`;
        None where there can be none.
        """
        captured, machine, dirty = self.captured, self.machine, self.dirty
        finish = assembling(captured.structure, captured.results)
        if finish is None:
            return None
        code, derivers, device, gpu = machine.code, machine.derived, machine.device, machine.code.accelerator
        expected = [(value.type.shape, value.type.dtype) for value in captured.graph.inputs]
        sources = [(one.position, one.array, *kind) for one, kind in zip(captured.sources, expected, strict=True)]
        leaves_of, instances, alignment = self.leaves_of(), self._instances(), gpu.alignment

        def entry(*args: Any, **kwargs: Any) -> Any:
            is_usual = not (dirty[0] or BUSY[0] or WRITER or LISTENERS or CONFIG.disable or ACCESS.queue)
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
                if type(buffer) is not DeviceBuffer or buffer.base.accelerator is not gpu:
                    return fallback(*args, **kwargs)
                layout = buffer.layout
                is_usual = layout.shape == shape and layout.dtype == dtype and layout.flags.c_contiguous
                if not is_usual or buffer.address % alignment:
                    return fallback(*args, **kwargs)
                inputs.append(buffer)
            try:
                derived = [one.now() for one in derivers]
                link = None if instances is None else _linking(captured, instances, inputs, derived)
                outputs = code.ask(inputs, derived, link)
            except HybridizeError:
                outputs = None
            if outputs is None:
                return fallback(*args, **kwargs)  # which says at which line it was
            return finish(tuple([_array(one, device) for one in outputs]))

        return entry if instances is None else self._started(instances, entry)

    def _instances(self) -> StartableGraphs | None:
        """The table of the program, whose graphs machine code may start; None where it may not."""
        code, captured, results = self.machine.code, self.captured, self.machine.executable.results
        starter = code.accelerator.starter
        if starter is None or not is_supported() or not code.is_one_graph:
            return None
        if _read(self.arguments) != len([one for one in captured.sources if one.array is None]):
            return None
        instances = StartableGraphs(
            starter,
            code.accelerator,
            name=self.machine.executable.name,
            lock=code.lock,
            inputs=_read(self.arguments),
            bound=[one.array for one in captured.sources if one.array is not None],
            buffers=[_pattern(one, code.number) for one in results],
            storages=[_storage(self.machine.device) for _ in results],
            derived=self.machine.derived,
            count=INSTANCES,
        )
        instances.present(PRESENT, (captured.call.devices or (self.machine.device,))[0])
        return instances

    def _started(self, instances: StartableGraphs, fallback: Entry) -> Entry:
        """The entry of machine code that starts the graphs of the program, and gives other calls to `fallback`."""
        captured, results = self.captured, self.machine.executable.results
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
        )
        state: Any = entry.__self__  # type: ignore[attr-defined]
        for storage in captured.watched:
            storage.watch(state)
        if self.dirty[0]:
            state.dirty[0] = 1
        return entry


def _read(arguments: Sequence[Argument]) -> int:
    """Count the leaves of arguments that a program reads."""
    return len(input_rows(arguments))


def _linking(
    captured: Captured, instances: StartableGraphs, inputs: Sequence[Any], derived: Sequence[DeviceBuffer]
) -> Link:
    """Make a function that puts the graph of a call with these inputs and derived constants into a table."""
    starts = [one.base.address if type(one) is DeviceBuffer else None for one in inputs]

    def link(
        buffers: Sequence[DeviceBuffer | None], addresses: Sequence[int | None], graph: Any,
        memories: Sequence[DeviceMemory], scratch: DeviceMemory,
    ) -> StartableGraph | None:  # fmt: skip
        words: dict[int, int] = {}
        bound: list[tuple[DeviceBuffer, int]] = []
        keep: list[Any] = [scratch]
        places = zip(buffers, addresses, strict=True)
        for source, x, start, (buffer, address) in zip(captured.sources, inputs, starts, places, strict=True):
            if start is None:
                words[source.position] = number_word(x)
                keep.append(buffer)  # the numbers on the device, which are this graph's from now on
            elif start + x.offset != address:
                return None  # another thread has exchanged its memory
            elif source.array is None:
                words[source.position] = start + x.offset
            else:
                bound.append((x, start))
        return instances.add(graph, [words[one] for one in sorted(words)], bound, derived, memories, keep)

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
