# SPDX-License-Identifier: Apache-2.0
"""The short way of calls whose arrays are on a device: arguments are compared, and the program is asked for.

It is Python: what comes back are objects of Python, and there is little besides. A call of which anything differs from
what is usual goes the way of all calls, which also says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from hybridize.array.buffer import buffer_of
from hybridize.array.device import Device, current_device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import Storage
from hybridize.base.access import ACCESS, WRITER
from hybridize.base.config import CONFIG
from hybridize.base.errors import HybridizeError
from hybridize.base.modes import BUSY
from hybridize.base.spans import LISTENERS
from hybridize.base.types import TensorType
from hybridize.contract.captured import Captured
from hybridize.ops.op import Effect, effect_of
from hybridize.programs.device_machine import DeviceMachine
from hybridize.programs.entry import UNASKED, Entry, assembling
from hybridize.runtime.device_buffers import DeviceBuffer
from hybridize.runtime.devices import is_inherited


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
        try:
            outputs = code.ask(buffers, [one.now() for one in derivers])
        except HybridizeError:
            outputs = None
        if outputs is None:
            return fallback(*args)  # which says at which line it was
        return finish(tuple([_array(one, device) for one in outputs]))

    return entry


def _array(buffer: Any, device: Device) -> ndarray:
    storage = Storage()
    storage.device = device
    return wrap(buffer, storage)
