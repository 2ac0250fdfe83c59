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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import address_of, content_of
from hybridize.array.device import AWAY, Device, accelerator, cpu, is_away
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import settle
from hybridize.base.errors import DeviceError
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.compiler.kernels import compile_kernels
from hybridize.contract.captured import Captured
from hybridize.graph import Graph, Node, Value, bound, needed, with_sizes
from hybridize.ops import Scan
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import Effect, effect_of
from hybridize.passes import PIPELINE
from hybridize.programs.backends import Machine, Making, Memory
from hybridize.programs.failures import locate_refused

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


def making(captured: Captured, stable: Mapping[int, ndarray]) -> tuple[Making, Making] | None:
    """Return what compiles graphs for the device of a captured function; None where that is the host.

    The first compiles any graph, the second one with the inputs of the function's own, and its outputs before others.

    Args:
        captured: the function.
        stable: arrays that seldom change, by the inputs of its graph.
    """
    device = device_of(captured)
    if device is None:
        return None
    kinds = captured.call.devices
    arrays: Iterator[Device] = repeat(cpu()) if kinds is None else iter(kinds[1:])
    leaves = [next(arrays) if isinstance(kind, TensorType) else None for kind in captured.call.kinds]
    places = [leaves[one.position] if one.array is None else one.array.device for one in captured.sources]
    outside = [number for number, place in enumerate(places) if not is_away(place)]
    away = [number for number, place in captured.devices.items() if is_away(place)]
    there = {number: array for number, array in stable.items() if is_away(array.device)}

    def part(graph: Graph, name: str, threads: int | None) -> Machine:
        return DeviceMachine(graph, name, threads, device=device)

    def whole(graph: Graph, name: str, threads: int | None) -> Machine:
        more = range(len(captured.graph.outputs), len(graph.outputs))  # what a pass back will read
        return DeviceMachine(graph, name, threads, device=device, outside=outside, away=(*away, *more), stable=there)

    return part, whole


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
        self._host_graph: Graph | None = None
        self._host_inputs = list(range(len(graph.inputs)))
        if self._at_host:
            self._host_graph = _alone(graph, self._at_host)
            if graph.scope is None:
                self._host_graph, self._host_inputs = _without_unread(self._host_graph)
        there = [k for k in range(len(graph.outputs)) if k not in self._at_host]
        self._there = there
        outputs = tuple(graph.outputs[k] for k in there)
        self._kernel_graph = graph
        if self._host_graph is not None:
            self._kernel_graph = Graph(graph.inputs, graph.nodes, outputs, graph.constants)
        gpu, stable = accelerator(device), stable or {}
        try:
            self.executable = compile_kernels(self._kernel_graph, gpu.arch, name=name, stable=tuple(stable))
        except DeviceError as error:
            locate_refused(error, self._kernel_graph)
            raise
        self.code = self.executable.on(gpu, device.device_id)
        self.derived: list[DerivedThere] = [
            _shared({number: stable[number] for number in one.inputs}, one) for one in self.code.derivers
        ]
        """Constants that its kernels read."""

    @property
    def is_partly_at_host(self) -> bool:
        """True if the host computes some of the outputs."""
        return self._host_graph is not None

    def run(self, inputs: Sequence[Operand]) -> list[Any]:
        """Ask the device for the outputs; those that are the host's own are there at once."""
        derived = [one.now() for one in self.derived]
        if self._host_graph is None:
            results: list[Any] = self.code.run(inputs, derived)
            return results
        outputs: list[Any] = [None] * len(self._graph.outputs)
        for number, value in zip(self._at_host, self._host_outputs(inputs), strict=True):
            outputs[number] = value
        for number, value in zip(self._there, self.code.run(inputs, derived), strict=True):
            outputs[number] = value
        return outputs

    def _host_outputs(self, inputs: Sequence[Operand]) -> list[Any]:
        graph, numbers = self._host_graph, self._host_inputs
        assert graph is not None
        if self._graph.scope is not None:
            sizes = bound(self._graph, [numpy.shape(x) for x in inputs])
            assert sizes is not None  # the program holds for them
            graph, numbers = _without_unread(with_sizes(graph, sizes))
        return [numpy.array(one, order="C") for one in evaluate(graph, [inputs[number] for number in numbers])]

    @property
    def target_name(self) -> str:
        """The device, and the name of its code."""
        return f"{self.device}, {self.executable.machine}"

    @property
    def compiled_graph(self) -> Graph:
        """The graph that the device runs."""
        return self._kernel_graph

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Operations that NumPy computes at the host, each once: those of the host's own outputs."""
        names = [] if self._host_graph is None else [f"{name} at the host" for name in self._host_graph.op_names()]
        return tuple(dict.fromkeys(names))

    @property
    def memory(self) -> Memory:
        """As planned, and the constants that are derived of arrays, which other programs may share."""
        return Memory(self.executable.peak_bytes, sum(one.nbytes for one in self.code.derivers))


def _outputs_of(graph: Graph, outside: Collection[int], away: Collection[int]) -> tuple[int, ...]:
    """The numbers of the outputs that depend on no other inputs than those, and are not on the device."""
    reached = _reached(graph, [value for number, value in enumerate(graph.inputs) if number not in outside])
    return tuple(number for number, value in enumerate(graph.outputs) if value not in reached and number not in away)


def _reached(graph: Graph, values: Iterable[Value]) -> set[Value]:
    """The values that depend on some, and what nodes with effects make. Of a scan, what its body makes of them."""
    reached = set(values)
    for node in graph.nodes:
        if effect_of(node.op) is not Effect.PURE:
            reached.update(node.outputs)
        elif not reached.isdisjoint(node.inputs):
            op = node.op
            reached.update(_reached_by_turns(op, node, reached) if isinstance(op, Scan) else node.outputs)
    return reached


def _reached_by_turns(op: Scan, node: Node, reached: Collection[Value]) -> list[Value]:
    """The outputs of a scan that depend on values in some turn."""
    body, numbers = op.body, {k for k, value in enumerate(node.inputs) if value in reached}
    while True:
        inside = _reached(body, [body.inputs[k] for k in numbers])
        carried = {k for k, value in enumerate(body.outputs[: op.num_carry]) if value in inside}
        if carried <= numbers:
            return [one for one, value in zip(node.outputs, body.outputs, strict=True) if value in inside]
        numbers |= carried


def _alone(graph: Graph, outputs: Sequence[int]) -> Graph:
    """The part of a graph that computes some outputs, with all inputs."""
    values: set[Value] = {graph.outputs[number] for number in outputs}
    chosen = tuple(graph.outputs[number] for number in outputs)
    nodes = tuple(needed(graph.nodes, values))
    constants = {value: array for value, array in graph.constants.items() if value in values}
    alone = Graph(graph.inputs, nodes, chosen, constants)
    return PIPELINE.run(alone) if alone.has(Scan) else alone  # of a scan what other outputs need goes away


def _without_unread(graph: Graph) -> tuple[Graph, list[int]]:
    """A graph without the inputs that it does not read, and the numbers of the others."""
    read = {value for node in graph.nodes for value in node.inputs} | set(graph.outputs)
    numbers = [number for number, value in enumerate(graph.inputs) if value in read]
    inputs = tuple(graph.inputs[number] for number in numbers)
    return Graph(inputs, graph.nodes, graph.outputs, graph.constants), numbers


class DerivedThere:
    """A constant that kernels derive of arrays, made again when one of these was written."""

    __slots__ = ("__weakref__", "_arrays", "_deriver", "_lock", "_versions", "buffer", "dirty")

    def __init__(self, deriver: Any, arrays: Mapping[int, ndarray]) -> None:
        """`arrays` are its sources by the number of their input."""
        self._deriver = deriver
        self._arrays = dict(arrays)
        self.buffer: Any = None
        """What was made last."""
        self.dirty: NDArray[Any] = numpy.ones(1, numpy.int64)
        """Its item is 0 while that is right."""
        self._versions: tuple[int, ...] = ()
        self._lock = renewed(threading.RLock())
        for array in arrays.values():
            array.storage.watch(self)

    def now(self) -> Any:
        """Return it, as what it is made of is now."""
        with self._lock:
            if self.dirty[0]:
                storages = [array.storage for array in self._arrays.values()]
                versions = tuple(storage.version for storage in storages)  # first: what is written meanwhile is later
                is_exposed = any(one.exposed for one in storages)
                if self.buffer is None or versions != self._versions or is_exposed:
                    sources = {number: content_of(array).dense() for number, array in self._arrays.items()}
                    self.buffer, self._versions = self._deriver.made(sources), versions
                if not is_exposed:
                    settle(self, zip(storages, versions, strict=True))
            return self.buffer


_DERIVED: Final[weakref.WeakValueDictionary[tuple[Any, ...], DerivedThere]] = weakref.WeakValueDictionary()


def _shared(arrays: Mapping[int, ndarray], deriver: Any) -> DerivedThere:
    """The constant of a deriver, which all programs share that derive the same of the same arrays."""
    key = (deriver.layout, *((id(array.storage), address_of(array)) for array in arrays.values()))
    known = _DERIVED.get(key)
    if known is None:
        known = _DERIVED[key] = DerivedThere(deriver, arrays)
    return known
