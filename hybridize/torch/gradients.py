# SPDX-License-Identifier: Apache-2.0
"""A graph as one function of torch's autograd: a compiled pass forward, and a compiled one back.

Forward gives the outputs and what the other pass reads of it, which torch keeps for us: so a tensor that is overwritten
in between, a second backward pass, and hooks on saved tensors are as in PyTorch. Where the backward pass is to be
differentiated itself (`create_graph=True`), the graph of the gradients is run as such a function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from operator import attrgetter, itemgetter, or_
from typing import Any, Final

import numpy
import torch
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.storage import STATE
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError, StateError
from hybridize.base.frozen import frozen
from hybridize.graph import Graph, Node, Value, needed
from hybridize.ops import Cond, CustomGradient, GraphTracer, Scan, StopGradient, interpreting, pullback
from hybridize.ops.foreign import foreign_nodes
from hybridize.passes import PIPELINE, Inline
from hybridize.programs.backends import Machine, Making
from hybridize.programs.differentiated import Pair, Recorded
from hybridize.runtime.exchange import Exchange
from hybridize.runtime.foreign import KeptCalls, keeping
from hybridize.torch.internals import in_rounds, is_graph_kept
from hybridize.torch.memory import as_memory, as_tensor, in_order

LIMIT = 16
"""For so many choices of what is differentiated a graph keeps programs."""
_NOTHING: Final = nullcontext()


@frozen(eq=False)
class Route:
    """The outputs and inputs between which a program is differentiated."""

    wrt: tuple[int, ...]
    """Inputs whose gradients are wanted."""
    of: tuple[int, ...]
    """Outputs that depend on those."""
    recorded: Recorded
    written_inputs: frozenset[int]
    """Inputs that are written, and on which what has a gradient depends: as they were, a second gradient reads them."""
    behind: tuple[int, ...]
    """For each output a bit for each of `wrt` on which it depends."""

    def reached(self, numbers: Iterable[int]) -> frozenset[int]:
        """Those of `wrt` on which the outputs `numbers` depend; a gradient that does not arrive there is 0."""
        mask = functools.reduce(or_, (self.behind[number] for number in numbers), 0)
        return frozenset(number for place, number in enumerate(self.wrt) if mask >> place & 1)


class Gradients:
    """Runs a graph for tensors, forward and back."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        *,
        writes: Sequence[int] = (),
        names: Sequence[str] = (),
        backend: str = "llvm",
        verify: Any = False,
        threads: int | None = None,
        make: Making = Machine,
    ) -> None:
        """The last outputs of `graph` are new contents of the inputs `writes`, called `names`."""
        self.graph = graph
        self.writes: tuple[int, ...] = tuple(writes)
        self.results: int = len(graph.outputs) - len(self.writes)
        """The number of outputs that are not written."""
        self._name, self._names = name, names
        self.calls_python: bool = any(True for _ in foreign_nodes(graph))
        self._options = backend, verify, threads
        self._make = make
        self._routes: dict[tuple[int, ...], Route] = {}
        self._second: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Gradients, tuple[int, ...], frozenset[int]]]
        self._second = {}

    def call(
        self, tensors: Sequence[torch.Tensor], buffers: Sequence[NDArray[Any]], wrt: tuple[int, ...]
    ) -> DifferentiatedCall:
        """A call whose programs are compiled, but not run yet.

        Args:
            tensors: the inputs.
            buffers: their memory.
            wrt: those that gradients are wanted for.

        Raises:
            CaptureError E459: what is written depends on `wrt`.
        """
        return DifferentiatedCall(self, *self.prepared(wrt, buffers), tensors, buffers)

    def prepared(self, wrt: tuple[int, ...], buffers: Sequence[NDArray[Any]]) -> tuple[Route, Pair]:
        """Return what a call that differentiates `wrt` runs, for inputs of the sizes of these."""
        route = self._routes.get(wrt) or self._route(wrt)
        return route, route.recorded.pair(wrt, buffers)

    def _route(self, wrt: tuple[int, ...]) -> Route:
        graph = Inline(differentiated=True)(self.graph)
        live = {graph.inputs[number]: 1 << place for place, number in enumerate(wrt)}
        for node in graph.nodes:
            _spread(node, live)
        of = tuple(number for number, value in enumerate(graph.outputs) if value in live)
        for number in of:
            if number >= self.results:
                name = self._names[number - self.results]
                raise CaptureError(
                    "E459",
                    f"{self._name} writes a value that requires a gradient to its buffer {name!r}",
                    help="write x.detach(), or write within torch.no_grad()",
                )
        inputs = _sources(graph, self.writes, of)
        behind = tuple(live.get(value, 0) for value in graph.outputs)
        route = Route(wrt, of, self._recorded(of), inputs, behind)
        self._routes[wrt] = route
        while len(self._routes) > LIMIT:
            del self._routes[next(iter(self._routes))]
        return route

    def _recorded(self, of: Sequence[int]) -> Recorded:
        backend, verify, threads = self._options
        return Recorded(self.graph, self._name, backend, verify, threads, of, self._make)

    def second(self, route: Route, arrived: tuple[int, ...]) -> tuple[Gradients, tuple[int, ...], frozenset[int]]:
        """The gradients as a function of the inputs and of the cotangents of the outputs `arrived`.

        Returns:
            It, the inputs whose gradients it gives, and the inputs that it reads.
        """
        entry = self._second.get((route.wrt, arrived))
        if entry is None:
            recorder = GraphTracer()
            inputs = [recorder.builder.input(value.type, value.name) for value in self.graph.inputs]
            placeholders = {number: recorder.builder.input(self.graph.outputs[number].type) for number in arrived}
            with interpreting(recorder):
                cotangents = [placeholders.get(number) for number in range(len(self.graph.outputs))]
                pulled = pullback(Inline(differentiated=True)(self.graph), inputs, cotangents)
            targets = tuple(k for k in route.wrt if pulled[k] is not None)
            gradients: list[Any] = [pulled[k] for k in targets]
            graph = recorder.builder.finish(gradients)
            used = {value for node in PIPELINE.run(graph).nodes for value in node.inputs}
            read = frozenset(k for k, value in enumerate(graph.inputs) if value in used)
            backend, verify, threads = self._options
            derivative = Gradients(
                graph, f"{self._name}.gradient", backend=backend, verify=verify, threads=threads, make=self._make
            )
            entry = self._second[route.wrt, arrived] = derivative, targets, read
        return entry


def wanted(tensors: Sequence[torch.Tensor]) -> tuple[int, ...]:
    """Numbers of the tensors whose gradients are wanted."""
    return tuple([number for number, tensor in enumerate(tensors) if tensor.requires_grad])


def _spread(node: Node, of: dict[Value, int]) -> None:
    """Tell of the outputs of a node which inputs they depend on, by torch's rule: floats that are made of such.

    Args:
        node: of a graph.
        of: the values so far that have gradients, each with a bit for each input.
    """
    count = node.op.results if isinstance(node.op, CustomGradient) else 0
    for number, (value, positions) in enumerate(zip(node.outputs, _paths(node), strict=True)):
        is_whole = number < count and is_float(value.type.dtype)  # also where its `backward` gives nothing
        if any(one in of for one in (node.inputs if is_whole else [node.inputs[k] for k in positions])):
            of[value] = functools.reduce(or_, (of.get(node.inputs[k], 0) for k in positions), 0)


def _paths(node: Node) -> list[frozenset[int]]:
    """Return for each output of a node the operands that a gradient goes to from it; a condition has none."""
    op: Any = node.op
    if isinstance(op, StopGradient):
        return [frozenset()] * len(node.outputs)
    if isinstance(op, Cond):
        sides = zip(_paths_of(op.then), _paths_of(op.orelse), strict=True)
        return [frozenset(k + 1 for k in then | orelse) for then, orelse in sides]
    if isinstance(op, Scan):
        return _paths_of_rounds(_paths_of(op.body), op.num_carry)
    is_custom = isinstance(op, CustomGradient)
    every = frozenset(op.wrt if is_custom else range(len(node.inputs)))
    count = op.results if is_custom else len(node.outputs)
    return [every if k < count and is_float(one.type.dtype) else frozenset() for k, one in enumerate(node.outputs)]


def _paths_of(graph: Graph) -> list[frozenset[int]]:
    """The same of the outputs and inputs of a graph."""
    of = {value: 1 << k for k, value in enumerate(graph.inputs) if is_float(value.type.dtype)}
    for node in graph.nodes:
        _spread(node, of)
    masks = [of.get(value, 0) for value in graph.outputs]
    return [frozenset(k for k in range(len(graph.inputs)) if mask >> k & 1) for mask in masks]


def _paths_of_rounds(body: Sequence[frozenset[int]], carried: int) -> list[frozenset[int]]:
    """The same of a loop, whose first operands and results are handed from round to round."""
    state = [frozenset([k]) for k in range(carried)]

    def through(positions: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*(state[k] if k < carried else {k} for k in positions))

    while True:
        grown = [before | through(body[k]) for k, before in enumerate(state)]
        if grown == state:
            return [*state, *map(through, body[carried:])]
        state = grown


def sides_differ(graph: Graph, leaves: set[Value]) -> bool:
    """Tell whether data decides on which of some inputs a value depends: to torch one without a path has no gradient.

    Branches are looked into, also those in branches. What a loop reads counts as read, however often it runs.
    """
    return any(then != orelse for then, orelse in _sides(graph, {leaf: 1 << k for k, leaf in enumerate(leaves)}))


def _sides(graph: Graph, of: dict[Value, int]) -> Iterator[tuple[int, int]]:
    """List for the values that branches give the leaves that each depends on by either side, as bits.

    Args:
        graph: a graph.
        of: the leaves that its inputs depend on; filled for all of its values.
    """
    for node in graph.nodes:
        if not isinstance(node.op, Cond):
            _spread(node, of)
            continue
        sides: list[dict[Value, int]] = []
        for side in (node.op.then, node.op.orelse):
            pairs = zip(side.inputs, node.inputs[1:], strict=True)
            sides.append({inner: of[outer] for inner, outer in pairs if outer in of})
            yield from _sides(side, sides[-1])
        for value, *results in zip(node.outputs, node.op.then.outputs, node.op.orelse.outputs, strict=True):
            if is_float(value.type.dtype):
                then, orelse = (side.get(result, 0) for side, result in zip(sides, results, strict=True))
                of[value] = then | orelse
                yield then, orelse


def _sources(graph: Graph, inputs: Sequence[int], of: Sequence[int]) -> frozenset[int]:
    """Inputs that outputs are computed from, with a gradient or without."""
    used = {graph.outputs[number] for number in of}
    needed(graph.nodes, used)
    return frozenset(number for number in inputs if graph.inputs[number] in used)


_VERSION: Final = attrgetter("_version")


def _versions(tensors: Sequence[torch.Tensor]) -> list[int]:
    """Return how often tensors were written; nobody counts that for those of inference mode, which are never saved."""
    try:
        return list(map(_VERSION, tensors))
    except RuntimeError:
        return [0 if tensor.is_inference() else tensor._version for tensor in tensors]


class Attachment:
    """Makes the outputs of an emitted entry a part of torch's graph; has the entry of the program back.

    What a call does is written out as Python for the one signature, with the tensors from outside as constants.
    """

    owner: Gradients
    route: Route
    pair: Pair

    def __init__(
        self, owner: Gradients, route: Route, pair: Pair, outside: Sequence[torch.Tensor], rows: Sequence[int],
        library: Exchange,
    ) -> None:  # fmt: skip
        """`rows` are those of the entry's arguments that are inputs; the inputs `outside` follow them."""
        self.owner, self.route, self.pair = owner, route, pair
        halves, outputs = pair.halves, len(owner.graph.outputs)
        self._outside = {f"x{number}": tensor for number, tensor in enumerate(outside)}
        self._inputs = [*(f"given[{row}]" for row in rows), *self._outside]
        expressions = [f"outputs[{k}]" for k in (*halves.outputs, *range(outputs, outputs + halves.residual_count))]
        self._saved = [*(self._inputs[k] for k in halves.inputs), *expressions]
        """Tensors that torch is to keep, in the order in which the backward pass reads them."""
        self.unsaved: list[int] = [k for k in range(len(self._inputs)) if k not in halves.inputs]
        """Inputs that torch is not to keep."""
        self.tensors: Callable[..., Any] = self._function_of([f"return lambda given: {_tuple(self._inputs)}"])
        """Takes all inputs."""
        self.is_single: bool = outputs == 1
        self.constants: list[int] = [k for k in range(outputs) if k not in route.of]
        """Outputs without gradients."""
        self.backward: Callable[..., Any] | None = self._backward(library)
        """The entry of the program back; None where there is none."""
        self.order: Callable[[Sequence[Any]], tuple[Any, ...]] | None = None
        """The gradients for `route.wrt` among those of the program back, where all outputs have cotangents."""
        places = {k: number for number, k in enumerate(halves.gradients)}
        if halves.cotangents == route.of and route.reached(route.of).issuperset(route.wrt):
            self.order = _picked([places[k] for k in route.wrt]) if places.keys() >= set(route.wrt) else None
        leaves = [outside[k - len(rows)] for k in route.wrt if k >= len(rows)]
        edge = torch.autograd.graph.get_gradient_edge
        with torch.inference_mode(False):  # within it torch makes no nodes
            self._edges = [edge(x) for x in leaves if x.is_leaf and x.requires_grad and not x.is_inference()]
        """Nodes that add to gradients: torch makes them anew for each call unless somebody keeps them."""

    def _function_of(self, lines: Sequence[str], **names: Any) -> Callable[..., Any]:
        """Return what lines of Python give, in which tensors from outside have names."""
        names |= self._outside
        space: dict[str, Any] = {}
        exec("\n ".join([f"def factory({', '.join(names)}):", *lines]), space)
        function: Callable[..., Any] = space["factory"](**names)
        return function

    def finishing(self, finish: Callable[[Any], Any]) -> Callable[[tuple[torch.Tensor, ...], tuple[Any, ...]], Any]:
        """Return what makes the results of a call out of its outputs and the tensors among its arguments, by row.

        Args:
            finish: makes the results out of outputs that are a part of torch's graph.
        """
        versions = _tuple([f"{self._inputs[k]}._version" for k in self.unsaved])
        wrt = "".join(f", {self._inputs[k]}" for k in self.route.wrt)
        results = f"attached(given, outputs{wrt})"
        ending = ["return outputs[0]"]
        if not self.is_single:
            ending = [
                "ctx.materialize_grads = False",
                f"results = outputs[: {self.owner.results}]",
                "ctx.kept.append([one.shape for one in results])",
                "return results",
            ]
        if self.constants:
            marked = ", ".join(f"outputs[{k}]" for k in self.constants)
            ending.insert(0, f"ctx.mark_non_differentiable({marked})")
        lines = [
            "def forward(ctx, given, outputs, *_):",  # as `save_for_backward` and so on do, which take longer
            f"    ctx.to_save = {_tuple(self._saved)}",
            "    try:",
            f"        ctx.kept = [steps, given, {versions}]",
            "    except RuntimeError:",  # of inference: nobody counts
            "        ctx.kept = [steps, given, steps.versions(given)]",
            *(f"    {line}" for line in ending),
            "attached = attaching(forward)",
            f"return lambda outputs, given: finish({f'({results},)' if self.is_single else results})",
        ]
        return self._function_of(lines, steps=self, attaching=_attaching, finish=finish)

    def versions(self, args: Sequence[Any]) -> tuple[int, ...]:
        """Return the versions of the inputs that torch is not to keep; `args` are tensors among arguments, by row."""
        versions = _versions(self.tensors(args))
        return tuple([versions[k] for k in self.unsaved])

    def all_versions(self, args: Sequence[Any], before: Sequence[int]) -> list[int]:
        """Return the versions of all inputs as they were at a call: torch itself has looked at the saved.

        Args:
            args: the tensors among the arguments, by row.
            before: the versions of the others at the call.
        """
        versions = _versions(self.tensors(args))
        for number, version in zip(self.unsaved, before, strict=True):
            versions[number] = version
        return versions

    def _backward(self, library: Exchange) -> Callable[..., Any] | None:
        backend, halves = self.pair.backward, self.pair.halves
        if not isinstance(backend, Machine) or backend.executable.derivers or halves.sizes:
            return None
        executable = backend.executable
        return compiler.make_entry(
            executable, array_type=None, arguments=executable.parameters, fallback=_not_taken, exchange=library,
            modal=False,
        )  # fmt: skip


def _tuple(items: Sequence[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items)})"


def _picked(numbers: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Make a function that takes the items of these numbers out of a sequence."""
    if len(numbers) < 2:
        return lambda items: tuple([items[k] for k in numbers])
    return itemgetter(*numbers)


def _not_taken(*args: Any) -> None:
    """The answer of an entry that did not take a call."""


class DifferentiatedCall:
    """One call of a graph, and what its backward pass needs besides what torch keeps."""

    owner: Gradients
    route: Route
    pair: Pair

    def __init__(
        self,
        owner: Gradients,
        route: Route,
        pair: Pair,
        tensors: Sequence[torch.Tensor],
        buffers: Sequence[NDArray[Any]],
    ) -> None:
        self.owner, self.route, self.pair = owner, route, pair
        self.tensors: Sequence[torch.Tensor] = tensors
        """The inputs; nothing once a backward pass has freed the graph."""
        self.versions: list[int] = _versions(tensors)
        self.buffers: Sequence[NDArray[Any]] = buffers
        self.size_values: list[NDArray[Any]] = pair.dims(tensors) if pair.halves.sizes and tensors else []
        """Sizes that nothing else tells the backward pass."""
        self.results_like: Sequence[torch.Size] = ()
        """Sizes of the results, for cotangents that do not arrive."""
        self.before: dict[int, torch.Tensor] = {}
        """Copies of inputs that gradients read, but that the forward pass writes."""
        self.calls = KeptCalls() if owner.calls_python else None
        """Objects that functions of Python, called by the program, keep for the backward pass."""
        self.again: KeptCalls | None = None
        """Calls that the program makes again, which give what they gave."""

    def results(self) -> Sequence[torch.Tensor]:
        """Run forward; part of torch's graph where there is anything to differentiate. Inputs are written."""
        if not self.route.of:
            return self.run()[: self.owner.results]
        results: tuple[torch.Tensor, ...] = Attached.apply(  # type: ignore[no-untyped-call]
            self, *[self.tensors[k] for k in self.route.wrt]
        )
        return results

    def run(self) -> list[torch.Tensor]:
        """All outputs, then what is kept; what is to be written is written."""
        writes, buffers = self.owner.writes, self.buffers
        with STATE if writes else _NOTHING:
            if self.route.of:
                inputs = self.route.written_inputs.union(self.pair.halves.inputs)
                self.before = {k: self.tensors[k].clone() for k in writes if k in inputs}
            with _NOTHING if self.calls is None else keeping(self.calls, self.again):
                arrays = self.pair.forward.run(buffers)
            for number, result in enumerate(writes, self.owner.results):
                buffers[result][...] = arrays[number]
        if writes:
            torch.autograd.graph.increment_version([self.tensors[result] for result in writes])
        self.buffers = ()
        return [as_tensor(array) for array in arrays]

    def saved(self, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the tensors that torch is to keep, in the order in which the backward pass reads them."""
        halves, tensors, before = self.pair.halves, self.tensors, self.before
        residuals = [before[k] if k in before else tensors[k] for k in halves.inputs]
        residuals += [outputs[k] for k in halves.outputs]
        return residuals + list(outputs[len(self.owner.graph.outputs) :])

    def gradients(
        self, saved: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None]:
        """For each of `route.wrt`, by the compiled backward pass."""
        halves, whole = self.pair.halves, self._whole(cotangents)
        arrays = [*(as_memory(tensor) for tensor in saved), *self.size_values]
        arrays += [as_memory(whole[k].contiguous()) for k in halves.cotangents]
        with _NOTHING if self.calls is None else keeping(self.calls):
            gradients = self.pair.back(arrays, [one is not None for one in cotangents])
        by_input = dict(zip(halves.gradients, gradients, strict=True))
        return self._all_gradients({k: as_tensor(array) for k, array in by_input.items()}, cotangents)

    def run_back(
        self, saved: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> Sequence[torch.Tensor | None]:
        """Return the gradients for `route.wrt`, as a part of torch's graph where it records."""
        with in_order():
            if torch.is_grad_enabled():
                return in_rounds(self.recorded, cotangents)
            gradients = in_rounds(functools.partial(self.gradients, saved), cotangents)
        if not is_graph_kept():
            self.tensors = ()  # memory that nobody will ask for again
            self.calls = None
        return gradients

    def recorded(self, cotangents: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
        """The same as a part of torch's graph.

        Raises:
            StateError E541: the graph was freed by a backward pass before.
            StateError E542: an input was overwritten meanwhile.
        """
        name = self.owner._name
        if not self.tensors:
            raise StateError("E541", f"the graph of {name} was freed by a backward pass", help="pass retain_graph=True")
        arrived = self._arrived(cotangents)
        second, targets, read = self.owner.second(self.route, arrived)
        for number, (version, now) in enumerate(zip(self.versions, _versions(self.tensors), strict=True)):
            if number in read and number not in self.before and now != version:
                raise StateError(
                    "E542",
                    f"an argument of {name} was overwritten after it was recorded",
                    help="write to a copy, or call backward before the write",
                )
        tensors = [self.before.get(k, tensor) for k, tensor in enumerate(self.tensors)]
        tensors += [one for k in arrived if (one := cotangents[k]) is not None]
        buffers = [as_memory(tensor.detach()) for tensor in tensors]
        call = second.call(tensors, buffers, wanted(tensors))
        call.again = self.calls
        results = call.results()
        return self._all_gradients(dict(zip(targets, results, strict=True)), cotangents)

    def _whole(self, cotangents: Sequence[torch.Tensor | None]) -> dict[int, torch.Tensor]:
        """Cotangents of all outputs that have one, 0 where none arrived: what the backward pass never reads."""
        graph, by_output = self.owner.graph, {}
        for k in self.route.of:
            one = cotangents[k]
            if one is None:
                dtype = as_tensor(numpy.empty(0, graph.outputs[k].type.dtype)).dtype
                device = self.tensors[0].device if self.tensors else None
                one = torch.zeros(self.results_like[k], dtype=dtype, device=device)
            by_output[k] = one
        return by_output

    def _arrived(self, cotangents: Sequence[torch.Tensor | None]) -> tuple[int, ...]:
        """Return the outputs that have cotangents."""
        return tuple([k for k in self.route.of if cotangents[k] is not None])

    def _all_gradients(
        self, by_input: dict[int, torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None]:
        """Gradients for `route.wrt`: none where no output with a cotangent depends on an input, else 0 at least."""
        reached = self.route.reached(self._arrived(cotangents))
        gradients: list[torch.Tensor | None] = []
        for k in self.route.wrt:
            gradient = by_input.get(k) if k in reached else None
            if gradient is None and k in reached and self.tensors:
                gradient = torch.zeros_like(self.tensors[k])
            gradients.append(gradient)
        return gradients


class Attached(torch.autograd.Function):
    """Puts a call into torch's graph."""

    @staticmethod
    def forward(ctx: Any, call: DifferentiatedCall, *_: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Run the program forward."""
        outputs = call.run()
        ctx.call = call
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*call.saved(outputs))
        results = tuple(outputs[: call.owner.results])
        call.results_like = [result.shape for result in results]
        if len(call.route.of) < len(results):
            ctx.mark_non_differentiable(*[y for number, y in enumerate(results) if number not in call.route.of])
        return results

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run the program back."""
        return None, *ctx.call.run_back(() if torch.is_grad_enabled() else ctx.saved_tensors, cotangents)


class AttachedOutputs(Attached):
    """Puts a call into torch's graph whose program has run; each signature has a class with a `forward` of its own."""

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run the program back."""
        record, saved = ctx.kept, ctx.saved_tensors
        steps: Attachment = record[0]
        recording = torch.is_grad_enabled()
        order, entry = steps.order, steps.backward
        if not recording and order is not None and entry is not None:
            results = entry(*saved, *[cotangents[k] for k in steps.route.of])
            if results is not None:
                if not is_graph_kept():
                    record[1] = None  # memory that nobody will ask for again
                return None, None, *order(results)
        tensors = () if record[1] is None else steps.tensors(record[1])
        call = DifferentiatedCall(steps.owner, steps.route, steps.pair, tensors, ())
        if not steps.is_single:
            call.results_like = record[3]
        if recording:
            call.versions = steps.all_versions(record[1], record[2]) if tensors else []
        gradients = call.run_back(saved, cotangents)
        if not call.tensors:
            record[1] = None
        return None, None, *gradients


def _attaching(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return `apply` of a class with this `forward`, which does not look for transforms: entries run in none."""
    own = {"forward": staticmethod(forward), "setup_context": staticmethod(Attached.setup_context)}
    kind: Any = type("AttachedOutputs", (AttachedOutputs,), own)  # torch looks for both by names that no cache knows
    attached: Callable[..., Any] = super(torch.autograd.Function, kind).apply
    return attached
