# SPDX-License-Identifier: Apache-2.0
"""The backend of programs on a device: which device a program is for, its kernels there, and what stays at the host.

    device_of         the device of a captured function
    DeviceMachine     runs a graph there
    DerivedThere      a constant derived of arrays of the device, of one version of these

What a call makes of the host's inputs alone (the next state of random numbers, numbers of numbers) is computed at the
host: nobody waits for the device to learn it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy

from hybridize.array.buffer import address_of, lying
from hybridize.array.device import AWAY, Device, accelerator, is_away
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import DeviceError
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.compiler.kernels import compile_kernels
from hybridize.contract.captured import Captured
from hybridize.graph import Graph, Value, bound, needed, with_sizes
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import Effect, effect_of
from hybridize.programs.backends import Machine, Making, Memory

Operand = Any
"""A buffer of the device, or an array of the host."""


def device_of(captured: Captured) -> Device | None:
    """Return the device that a captured function runs on; None for the host.

    Raises:
        DeviceError E703: it has arrays on two of them.
    """
    if not AWAY:
        return None
    arrays = [source.array for source in captured.sources if source.array is not None]
    known = [*(captured.call.devices or ())[1:], *(one.device for one in arrays), *captured.devices.values()]
    devices = list(dict.fromkeys(filter(is_away, known)))
    if len(devices) > 1:
        what = f"a compiled function has arrays on {devices[0]} and on {devices[1]}, and it runs on one device"
        raise DeviceError("E703", what, help=f"x.as_in_ctx({devices[0]}) gives an array there")
    return devices[0] if devices else None


def making(captured: Captured, stable: Mapping[int, ndarray]) -> Making | None:
    """Return what compiles graphs for the device of a captured function; None where that is the host.

    Args:
        captured: the function.
        stable: arrays that seldom change, by the inputs of its graph.
    """
    device = device_of(captured)
    if device is None:
        return None
    kinds = captured.call.devices or ()
    arrays = iter(kinds[1:])
    leaves = [next(arrays) if isinstance(kind, TensorType) else None for kind in captured.call.kinds]
    places = [leaves[one.position] if one.array is None else one.array.device for one in captured.sources]
    outside = [number for number, place in enumerate(places) if not is_away(place)]
    away = [number for number, place in captured.devices.items() if is_away(place)]
    there = {number: array for number, array in stable.items() if is_away(array.device)}

    def make(graph: Graph, name: str, threads: int | None) -> Machine:
        if graph is not captured.graph:  # a pass forward or back, or with all values
            return DeviceMachine(graph, name, threads, device=device)
        return DeviceMachine(graph, name, threads, device=device, outside=outside, away=away, stable=there)

    return make


class DeviceMachine(Machine):
    """Kernels of a device.

    Args:
        graph: what is run.
        name: of the program.
        threads: of the host, which matter to nothing here.
        device: where it runs.
        outside: numbers of the inputs that may be at the host: which outputs depend on no others is computed there.
            None where all outputs are computed on the device.
        away: numbers of outputs that are on the device, whatever they depend on.
        stable: arrays of the device that seldom change, by their inputs.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        threads: int | None = None,
        *,
        device: Device,
        outside: Collection[int] | None = None,
        away: Collection[int] = (),
        stable: Mapping[int, ndarray] | None = None,
    ) -> None:
        self._graph, self.device = graph, device
        self._at_host = () if outside is None else _outputs_of(graph, outside, away)
        self._host_graph = _alone(graph, self._at_host) if self._at_host else None
        there = [k for k in range(len(graph.outputs)) if k not in self._at_host]
        self._there = there
        outputs = tuple(graph.outputs[k] for k in there)
        kernels = graph if self._host_graph is None else Graph(graph.inputs, graph.nodes, outputs, graph.constants)
        gpu, stable = accelerator(device), stable or {}
        self.executable = compile_kernels(kernels, gpu.arch, name=name, stable=tuple(stable))
        self.code = self.executable.on(gpu, device.device_id)
        self._derived = [_shared({number: stable[number] for number in one.inputs}, one) for one in self.code.derivers]

    def run(self, inputs: Sequence[Operand]) -> list[Any]:
        """Ask the device for the outputs; those that are the host's own are there at once."""
        derived = [one.now() for one in self._derived]
        if self._host_graph is None:
            return self.code.run(inputs, derived)
        outputs: list[Any] = [None] * len(self._graph.outputs)
        for number, value in zip(self._at_host, self._host_outputs(inputs), strict=True):
            outputs[number] = value
        for number, value in zip(self._there, self.code.run(inputs, derived), strict=True):
            outputs[number] = value
        return outputs

    def _host_outputs(self, inputs: Sequence[Operand]) -> list[Any]:
        graph = self._host_graph
        assert graph is not None
        known = dict(zip(self._graph.inputs, inputs, strict=True))
        if self._graph.scope is not None:
            sizes = bound(self._graph, [numpy.shape(x) for x in inputs])
            assert sizes is not None  # the program holds for them
            graph = with_sizes(graph, sizes)
            original = _alone(self._graph, self._at_host).inputs
        else:
            original = graph.inputs
        return [numpy.array(one, order="C") for one in evaluate(graph, [known[value] for value in original])]

    @property
    def memory(self) -> Memory:
        """As planned, and the constants that are derived of arrays, which other programs may share."""
        return Memory(self.executable.peak_bytes, sum(one.nbytes for one in self.code.derivers))


def _outputs_of(graph: Graph, outside: Collection[int], away: Collection[int]) -> tuple[int, ...]:
    """The numbers of the outputs that depend on no other inputs than those, and are not on the device."""
    there = {value for number, value in enumerate(graph.inputs) if number not in outside}
    reached = set(there)
    for node in graph.nodes:
        if not reached.isdisjoint(node.inputs) or effect_of(node.op) is not Effect.PURE:
            reached.update(node.outputs)
    return tuple(number for number, value in enumerate(graph.outputs) if value not in reached and number not in away)


def _alone(graph: Graph, outputs: Sequence[int]) -> Graph:
    """The part of a graph that computes some outputs."""
    values: set[Value] = {graph.outputs[number] for number in outputs}
    chosen = tuple(graph.outputs[number] for number in outputs)
    nodes = tuple(needed(graph.nodes, values))
    inputs = tuple(value for value in graph.inputs if value in values)
    return Graph(inputs, nodes, chosen, {value: array for value, array in graph.constants.items() if value in values})


class DerivedThere:
    """A constant that kernels derive of arrays, made again when one of these was written."""

    __slots__ = ("__weakref__", "_arrays", "_buffer", "_deriver", "_lock", "_versions")

    def __init__(self, deriver: Any, arrays: Mapping[int, ndarray]) -> None:
        """`arrays` are its sources by the number of their input."""
        self._deriver = deriver
        self._arrays = dict(arrays)
        self._buffer: Any = None
        self._versions: tuple[int, ...] = ()
        self._lock = renewed(threading.RLock())

    def now(self) -> Any:
        """Return it, as what it is made of is now."""
        with self._lock:
            storages = [array.storage for array in self._arrays.values()]
            versions = tuple(storage.version for storage in storages)  # first: what is written meanwhile is later
            if self._buffer is None or versions != self._versions or any(one.exposed for one in storages):
                sources = {number: lying(array).dense() for number, array in self._arrays.items()}
                self._buffer, self._versions = self._deriver.made(sources), versions
            return self._buffer


_DERIVED: Final[weakref.WeakValueDictionary[tuple[Any, ...], DerivedThere]] = weakref.WeakValueDictionary()


def _shared(arrays: Mapping[int, ndarray], deriver: Any) -> DerivedThere:
    """The constant of a deriver, which all programs share that derive the same of the same arrays."""
    key = (deriver.layout, *((id(array.storage), address_of(array)) for array in arrays.values()))
    known = _DERIVED.get(key)
    if known is None:
        known = _DERIVED[key] = DerivedThere(deriver, arrays)
    return known
