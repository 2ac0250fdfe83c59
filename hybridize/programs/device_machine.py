# SPDX-License-Identifier: Apache-2.0
"""The backend of programs on a device: which device a program is for, its kernels there, and what stays at the host.

    device_of         the device of a captured function
    DeviceMachine     runs a graph there
    DerivedThere      a constant derived of arrays of the device, of one version of these

What a call makes of the host's inputs alone (the next state of random numbers, numbers of numbers) is computed at the
host: nobody waits for the device to learn it. So is what it makes of copies from the device (`placing.copied_to`), for
which it waits. What goes back to the device from there is computed on the device, as if it had stayed; while a tape
records, all is, and only results are copied.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import address_of, buffer_of, content_of
from hybridize.array.buffer import is_away as is_memory_away
from hybridize.array.device import AWAY, Device, accelerator, cpu, is_away
from hybridize.array.ndarray import ndarray
from hybridize.array.placing import COPIED_OUT
from hybridize.array.storage import settle
from hybridize.base.access import consistently
from hybridize.base.errors import DeviceError
from hybridize.base.forks import renewed
from hybridize.base.types import TensorType
from hybridize.compiler.kernels import compile_kernels
from hybridize.contract.captured import Captured
from hybridize.contract.feeds import is_fed
from hybridize.graph import Graph, Node, Value, bound, needed, nodes_inside, with_sizes
from hybridize.ops import Composite, Scan
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import Effect, effect_of
from hybridize.passes import PIPELINE
from hybridize.programs.backends import Machine, Making, Memory
from hybridize.programs.failures import locate_refused
from hybridize.runtime.device_buffers import sent

SMALL = 256
"""Bytes of an array of the host up to which it goes with the numbers of each call."""
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
        help = f"call it for each GPU, as with split_and_load, or copy before the call: x.as_in_ctx({devices[0]})"
        raise DeviceError("E703", what, help=help)
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
    _check_copies(captured.graph)
    kinds = captured.call.devices
    arrays: Iterator[Device | None] = repeat(cpu()) if kinds is None else iter(kinds[1:])
    leaves = [next(arrays) if isinstance(kind, TensorType) else None for kind in captured.call.kinds]
    places = [leaves[one.position] if one.array is None else one.array.device for one in captured.sources]
    outside = [number for number, place in enumerate(places) if not is_away(place)]
    away = [number for number, place in captured.devices.items() if is_away(place)]
    away += [one.written for one, place in zip(captured.sources, places, strict=True) if is_away(place)]
    there = {number: array for number, array in stable.items() if is_away(array.device)}

    def part(graph: Graph, name: str, threads: int | None) -> Machine:
        return DeviceMachine(graph, name, threads, device=device)

    home = _Sides(captured.graph, outside, away).at_host
    here = {
        number: one.array
        for number, (one, place) in enumerate(zip(captured.sources, places, strict=True))
        if one.array is not None and one.written < 0 and not is_away(place) and not is_fed(one.array)
    }

    def whole(graph: Graph, name: str, threads: int | None) -> Machine:
        more = range(len(captured.graph.outputs), len(graph.outputs))  # what a pass back will read
        return DeviceMachine(
            graph,
            name,
            threads,
            device=device,
            outside=outside,
            away=(*away, *more),
            home=home,
            stable=there,
            here=here,
        )

    return part, whole


class DeviceMachine(Machine):
    """Kernels of a device.

    Args:
        graph: what is run.
        name: of the program.
        threads: of the host.
        device: where it runs.
        outside: numbers of the inputs that may be at the host: which outputs depend on no others is computed there.
            None where all outputs are computed on the device.
        away: numbers of outputs that are on the device, whatever they depend on.
        home: numbers of outputs that are at the host, wherever they are computed.
        stable: arrays of the device that seldom change, by their inputs.
        here: arrays of the host that calls only read, by their inputs: they are copied when they were written.
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
        home: Collection[int] = (),
        stable: Mapping[int, ndarray] | None = None,
        here: Mapping[int, ndarray] | None = None,
    ) -> None:
        self._graph, self.device, self._home = graph, device, frozenset(home)
        sides = _Sides(graph, range(len(graph.inputs)) if outside is None else outside, away)
        self._at_host = () if outside is None else sides.at_host
        self._host_graph: Graph | None = None
        self._host_inputs: list[int] = []
        self._host_machine: Machine | None = None
        there = tuple([k for k in range(len(graph.outputs)) if k not in self._at_host])
        self.there: tuple[int, ...] = there
        """Numbers of the outputs that kernels compute."""
        self._kernel_graph = graph
        if self._at_host or (outside is not None and sides.effects):
            self._host_graph, copies = sides.host_graph()
            outputs = *[graph.outputs[k] for k in there], *copies
            nodes = tuple(node for node in graph.nodes if node not in sides.effects)
            self._kernel_graph = Graph(graph.inputs, nodes, outputs, graph.constants)
            self._host_inputs = list(range(len(self._host_graph.inputs)))
            if graph.scope is None:
                self._host_graph, self._host_inputs = _without_unread(self._host_graph)
                if copies:
                    self._host_machine = Machine(self._host_graph, f"{name}.host", threads)
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
        self._brought: dict[int, DerivedThere] = {
            number: _shared({number: array}, _Sender(array, gpu, device.device_id))
            for number, array in (here or {}).items()
            if number in self.code.reads and buffer_of(array).nbytes > SMALL
        }
        """The copies of arrays of the host, by their inputs."""

    @property
    def waits(self) -> bool:
        """True if the host computes with copies from the device, or returns some: a call waits for them."""
        copies = self._host_machine is not None or not self._home.isdisjoint(self.there)
        return copies or (self._host_graph is not None and self._graph.scope is not None)

    @property
    def host_inputs(self) -> tuple[int, ...]:
        """Numbers of the inputs that the host computes with."""
        return tuple(self._host_inputs)

    def brings(self, number: int) -> bool:
        """Tell whether an input is an array of the host that has a lasting copy on the device."""
        return number in self._brought

    def run(self, inputs: Sequence[Operand]) -> list[Any]:
        """Ask the device for the outputs; those that are the host's own are there at once."""
        derived = [one.now() for one in self.derived]
        brought = [self._brought[k].now() if k in self._brought else x for k, x in enumerate(inputs)]
        results: list[Any] = self.code.run(brought, derived)
        for number, place in enumerate(self.there):
            if place in self._home:
                results[number] = results[number].to_host()
        if self._host_graph is None:
            return results
        copies = [one.to_host() for one in results[len(self.there) :]]
        outputs: list[Any] = [None] * len(self._graph.outputs)
        for number, value in zip(self.there, results, strict=False):
            outputs[number] = value
        for number, value in zip(self._at_host, self.at_host([*inputs, *copies]), strict=True):
            outputs[number] = value
        return outputs

    def at_host(self, inputs: Sequence[Operand]) -> list[Any]:
        """Return the outputs that the host computes, of all inputs and of the copies from the device."""
        graph, numbers = self._host_graph, self._host_inputs
        if graph is None:
            return []
        if self._host_machine is not None:
            return self._host_machine.run([inputs[number] for number in numbers])
        if self._graph.scope is not None:
            sizes = bound(self._graph, [numpy.shape(x) for x in inputs[: len(self._graph.inputs)]])
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
        if self._host_machine is not None:
            return self._host_machine.fallbacks
        names = [] if self._host_graph is None else [f"{name} at the host" for name in self._host_graph.op_names()]
        return tuple(dict.fromkeys(names))

    @property
    def memory(self) -> Memory:
        """As planned, and the constants that are derived of arrays, which other programs may share."""
        return Memory(self.executable.peak_bytes, sum(one.nbytes for one in self.code.derivers))


class _Sides:
    """The sides of a graph: the host computes what depends on nothing on the device, but for copies to the host.

    Args:
        graph: the graph.
        outside: numbers of the inputs that may be at the host.
        away: numbers of outputs that are on the device, whatever they depend on.
    """

    def __init__(self, graph: Graph, outside: Collection[int], away: Collection[int]) -> None:
        self._graph = graph
        there = {value for number, value in enumerate(graph.inputs) if number not in outside}
        copied: set[Value] = set()
        effects = []
        for node in graph.nodes:
            if _is_copy_out(node):
                copied.update(node.outputs)
                continue
            is_there, is_copied = not there.isdisjoint(node.inputs), not copied.isdisjoint(node.inputs)
            if effect_of(node.op) is Effect.PURE:
                there.update(_made_of(node, there) if is_there else ())
            elif is_copied and not is_there:
                effects.append(node)
            else:
                there.update(node.outputs)
            copied.update(node.outputs if is_copied else ())
        self.effects: frozenset[Node] = frozenset(effects)
        """The nodes that print or assert of copies to the host."""
        self.at_host = tuple([k for k, value in enumerate(graph.outputs) if value not in there and k not in away])
        """Numbers of the outputs."""

    def host_graph(self) -> tuple[Graph, list[Value]]:
        """Return what the host computes, of all inputs and of copies from the device, and these copies."""
        graph = self._graph
        chosen = tuple(graph.outputs[number] for number in self.at_host)
        values = set(chosen)
        left = [node for node in graph.nodes if not _is_copy_out(node)]
        nodes = tuple(needed(left, values, self.effects.__contains__))
        copies = [value for node in graph.nodes if _is_copy_out(node) for value in node.outputs if value in values]
        constants = {value: array for value, array in graph.constants.items() if value in values}
        alone = Graph((*graph.inputs, *copies), nodes, chosen, constants)
        return PIPELINE.run(alone) if alone.has(Scan) else alone, copies  # of a scan what other outputs need goes away


def _made_of(node: Node, values: Collection[Value]) -> Iterable[Value]:
    """The outputs of a node that depend on values; of a scan, those of which its body makes them."""
    op = node.op
    return _made_by_turns(op, node, values) if isinstance(op, Scan) else node.outputs


def _reached(graph: Graph, values: Iterable[Value]) -> set[Value]:
    """The values that depend on some, and what nodes with effects make."""
    reached = set(values)
    for node in graph.nodes:
        if effect_of(node.op) is not Effect.PURE:
            reached.update(node.outputs)
        elif not reached.isdisjoint(node.inputs):
            reached.update(_made_of(node, reached))
    return reached


def _made_by_turns(op: Scan, node: Node, reached: Collection[Value]) -> list[Value]:
    """The outputs of a scan that depend on values in some turn."""
    body, numbers = op.body, {k for k, value in enumerate(node.inputs) if value in reached}
    while True:
        inside = _reached(body, [body.inputs[k] for k in numbers])
        carried = {k for k, value in enumerate(body.outputs[: op.num_carry]) if value in inside}
        if carried <= numbers:
            return [one for one, value in zip(node.outputs, body.outputs, strict=True) if value in inside]
        numbers |= carried


def _is_copy_out(node: Node) -> bool:
    """Tell whether a node is a copy from the device to the host, which is no operation to kernels."""
    return isinstance(node.op, Composite) and node.op.label == COPIED_OUT


def _check_copies(graph: Graph) -> None:
    """Refuse copies to the host within loops and branches, which run on the device as a whole.

    Raises:
        DeviceError E705: there is one.
    """
    for node in graph.nodes:
        for inner in nodes_inside(node.op):
            if _is_copy_out(inner):
                what = f"{node.op.name} copies {inner.outputs[0].type} to the host in a compiled function"
                help = "copy it behind the loop or the branch, or what the call returns"
                raise DeviceError("E705", what, help=help, loc=inner.loc)


def _without_unread(graph: Graph) -> tuple[Graph, list[int]]:
    """A graph without the inputs that it does not read, and the numbers of the others."""
    read = {value for node in graph.nodes for value in node.inputs} | set(graph.outputs)
    numbers = [number for number, value in enumerate(graph.inputs) if value in read]
    inputs = tuple(graph.inputs[number] for number in numbers)
    return Graph(inputs, graph.nodes, graph.outputs, graph.constants), numbers


class _Sender:
    """Makes copies of an array of the host, as `runtime.device_code.DeviceDeriver` makes constants."""

    def __init__(self, array: ndarray, gpu: Any, number: int) -> None:
        self._place = gpu, number
        self.layout: str = f"{array.type} of strides {array.strides} for {id(gpu)}"
        """Equal sources have equal copies where this is equal."""

    def made(self, sources: Mapping[int, NDArray[Any]]) -> Any:
        """Return a copy of the one source."""
        (values,) = sources.values()
        return consistently(sent, values, *self._place)


class DerivedThere:
    """A constant that kernels derive of arrays, made again when one of these was written."""

    __slots__ = ("__weakref__", "_arrays", "_deriver", "_lock", "_versions", "buffer", "dirty")

    def __init__(self, deriver: Any, arrays: Mapping[int, ndarray]) -> None:
        """`arrays` are its sources by the number of their input."""
        self._deriver = deriver
        self._arrays = dict(arrays)
        self.buffer: Any = None
        """The latest constant."""
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
                    contents = {number: content_of(array) for number, array in self._arrays.items()}
                    sources = {number: x.dense() if is_memory_away(x) else x for number, x in contents.items()}
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
