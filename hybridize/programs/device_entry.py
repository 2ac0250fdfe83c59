# SPDX-License-Identifier: Apache-2.0
"""The short way of calls whose arrays are on a device: arguments are compared, and the program is asked for.

It is Python: what comes back are objects of Python, and there is little besides. A call of which anything differs from
what is usual goes the way of all calls, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.array.buffer import buffer_of
from hybridize.array.device import PRESENT, Device, current_device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import Storage
from hybridize.base.access import ACCESS, WRITER
from hybridize.base.config import CONFIG
from hybridize.base.errors import HybridizeError
from hybridize.base.modes import BUSY
from hybridize.base.spans import LISTENERS
from hybridize.base.types import TensorType
from hybridize.compiler.entry import make_device_entry
from hybridize.contract.captured import Captured
from hybridize.contract.guards import watches
from hybridize.ops.op import Effect, effect_of
from hybridize.programs.device_machine import DeviceMachine
from hybridize.programs.entry import UNASKED, Entry, assembling, plain_structure
from hybridize.runtime.device_buffers import DeviceBuffer, DeviceMemory, row_major
from hybridize.runtime.device_code import INSTANCES
from hybridize.runtime.device_entry import Instance, Instances, is_supported
from hybridize.runtime.devices import is_inherited
from hybridize.runtime.entry import Look, Watch


def why_none(captured: Captured, machine: object) -> str:
    """Say why the calls of a program have no short way on a device; empty where they have one."""
    reasons = {
        "it runs elsewhere": not isinstance(machine, DeviceMachine),
        "the host computes a part of it": getattr(machine, "is_partly_at_host", True),
        "it is for any size": captured.graph.scope is not None,
        "it keeps state": captured.transaction.feeds or captured.transaction.marks or _writes(captured),
        "it does more than compute": captured.effects or captured.decided is not None or captured.compared is not None,
        "it asserts or prints": any(effect_of(node.op) is not Effect.PURE for node in captured.graph.nodes),
        "it has other arguments than arrays": not _takes_arrays(captured),
        "its arrays are of nd": captured.call.of_nd,
        **{why: test(captured) for why, test in UNASKED.items() if "devices" not in why},
    }
    return next((why for why, is_so in reasons.items() if is_so), "")


def _writes(captured: Captured) -> bool:
    return any(one.written >= 0 for one in captured.sources)


def _takes_arrays(captured: Captured) -> bool:
    """Tell whether all arguments are arrays, by position, which lie row by row."""
    positional, keywords = captured.call.structure.children
    plain = all(one.kind == "leaf" for one in positional.children) and not keywords.children
    return plain and all(isinstance(kind, TensorType) for kind in captured.call.kinds) and not captured.layouts


def device_entry(
    captured: Captured, machine: Any, dirty: NDArray[Any], holds: Callable[[], bool] | None, fallback: Entry
) -> Entry | None:
    """Return a callable for exactly the calls that a program is right for, which gives all others to `fallback`.

    Args:
        captured: of the program.
        machine: runs it.
        dirty: its first item is not 0 where the program may hold no longer.
        holds: tells whether its guards hold; None where it has none.
        fallback: gets the others.
    """
    finish = None if why_none(captured, machine) else assembling(captured.structure, captured.results)
    if finish is None:
        return None
    present, device = (captured.call.devices or (machine.device,))[0], machine.device
    code, derivers = machine.code, machine.derived
    gpu, count = code.accelerator, len(captured.call.kinds)
    alignment = gpu.alignment
    expected = [(value.type.shape, value.type.dtype) for value in captured.graph.inputs]
    sources = [(one.position, one.array, *kind) for one, kind in zip(captured.sources, expected, strict=True)]
    instances = _instances(captured, machine)

    def entry(*args: Any, **kwargs: Any) -> Any:
        is_usual = not (kwargs or dirty[0] or BUSY[0] or WRITER or LISTENERS or CONFIG.disable or ACCESS.queue)
        if not is_usual or len(args) != count or current_device() != present or is_inherited(gpu):
            return fallback(*args, **kwargs)
        if holds is not None and not holds():
            return fallback(*args)
        buffers: list[DeviceBuffer] = []
        for position, array, shape, dtype in sources:
            x = args[position] if array is None else array
            buffer: Any = buffer_of(x) if type(x) is ndarray else None
            if type(buffer) is not DeviceBuffer or buffer.base.accelerator is not gpu:
                return fallback(*args)
            layout = buffer.layout
            if layout.shape != shape or layout.dtype != dtype or not layout.flags.c_contiguous:
                return fallback(*args)
            if buffer.address % alignment:
                return fallback(*args)
            buffers.append(buffer)
        starts = [one.base.address for one in buffers]
        addresses = [start + one.offset for start, one in zip(starts, buffers, strict=True)]

        def link(graph: Any, memories: Sequence[DeviceMemory], scratch: DeviceMemory) -> Instance:
            assert instances is not None
            there = {position: address for (position, *_), address in zip(sources, addresses, strict=True)}
            rest = zip(sources, buffers, starts, strict=True)
            bound = [(buffer, start) for (_, array, *_), buffer, start in rest if array is not None]
            inputs = [there[position] for position in range(count)]
            return instances.add(graph, inputs, bound, derived, memories, scratch)

        try:
            derived = [one.now() for one in derivers]
            outputs = code.ask(addresses, derived, instances and link)
        except HybridizeError:
            outputs = None
        if outputs is None:
            return fallback(*args)  # which says at which line it was
        return finish(tuple([_array(one, device) for one in outputs]))

    return entry if instances is None else _started(captured, machine, instances, dirty, holds, entry)


def _instances(captured: Captured, machine: DeviceMachine) -> Instances | None:
    """The table of a program whose graphs machine code may start; None where it may not."""
    code, positions = machine.code, [one.position for one in captured.sources if one.array is None]
    starter = code.accelerator.starter
    if starter is None or not is_supported() or not code.is_one_graph:
        return None
    if set(positions) != set(range(len(captured.call.kinds))):
        return None
    results = machine.executable.results
    instances = Instances(
        starter,
        code.accelerator,
        name=machine.executable.name,
        lock=code.lock,
        inputs=len(captured.call.kinds),
        bound=[one.array for one in captured.sources if one.array is not None],
        buffers=[_pattern(one, code.number) for one in results],
        storages=[_storage(machine.device) for _ in results],
        derived=machine.derived,
        count=INSTANCES,
    )
    instances.present(PRESENT, (captured.call.devices or (machine.device,))[0])
    return instances


def _started(
    captured: Captured, machine: DeviceMachine, instances: Instances, dirty: NDArray[Any],
    holds: Callable[[], bool] | None, fallback: Entry,
) -> Entry:  # fmt: skip
    """The entry of machine code that starts the graphs of a program, and gives other calls to `fallback`."""
    modes = [Watch(Look.SETTING, vars(CONFIG), name, False) for name in ("disable", "device_check")]
    inputs = {one.position: value.type for one, value in zip(captured.sources, captured.graph.inputs, strict=True)}
    entry = make_device_entry(
        instances,
        array_type=ndarray,
        arguments=[inputs[position] for position in range(len(captured.call.kinds))],
        results=machine.executable.results,
        fallback=fallback,
        structure=plain_structure(captured, len(machine.executable.results)) or _finishing(captured),
        watches=[*modes, *watches(captured.guards)],
        doubt=holds,
    )
    state: Any = entry.__self__  # type: ignore[attr-defined]
    for storage in captured.watched:
        storage.watch(state)
    if dirty[0]:
        state.dirty[0] = 1
    return entry


def _finishing(captured: Captured) -> Callable[[tuple[Any, ...]], Any]:
    finish = assembling(captured.structure, captured.results)
    assert finish is not None
    return finish


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
