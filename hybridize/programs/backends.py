# SPDX-License-Identifier: Apache-2.0
"""Backends, which run a captured graph: machine code, or NumPy; and the comparison of the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.buffer import at_host, is_away
from hybridize.base.access import consistent, consistently
from hybridize.base.comparison import difference
from hybridize.base.errors import VerificationError
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.types import Shape
from hybridize.graph import Graph, Node, Value, sizes_of, with_sizes
from hybridize.ops.evaluate import evaluate
from hybridize.ops.foreign import PythonCall, foreign_nodes
from hybridize.ops.hosted import hosted_nodes
from hybridize.ops.op import Effect, Op, effect_of
from hybridize.passes import PIPELINE, Inline
from hybridize.runtime.foreign import keeping, observed

Buffer = NDArray[Any]


@frozen
class Memory:
    """Memory of one call."""

    peak_bytes: int
    """Scratch and outputs."""
    packed_bytes: int = 0
    """Copies of parameters that are kept between calls; programs over the same parameters share them."""


class Backend(Protocol):
    """Runs one graph."""

    name: str

    def run(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Outputs for inputs; fresh arrays."""

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """Tell whether it runs for inputs of these shapes, for which the graph holds: compiling may assume more."""

    @property
    def optimized(self) -> Graph:
        """The graph after all passes."""

    @property
    def kernels(self) -> tuple[Any, ...]:
        """The steps of the program."""

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Names of the operations that run by code that is not ours, each once."""

    @property
    def memory(self) -> Memory:
        """Memory of one call."""


class Machine:
    """Machine code."""

    name = "llvm"
    executable: Any
    """An `Executable`; a `DeviceExecutable` of those for a device."""

    def __init__(self, graph: Graph, name: str, threads: int | None = None) -> None:
        self.executable = compiler.compile(graph, name=name, threads=threads)
        self._graph = graph

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """As the program says."""
        accepted: bool = self.executable.accepts(shapes)
        return accepted

    def run(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Call the program."""
        outputs: list[Buffer] = self.executable.run(inputs)
        return outputs

    @property
    def target_name(self) -> str:
        """The name of the target, where that is not this machine."""
        return ""

    @property
    def compiled_graph(self) -> Graph:
        """The graph that was compiled, before all passes."""
        return self._graph

    @property
    def optimized(self) -> Graph:
        """The graph that was compiled, after all passes."""
        graph: Graph = self.executable.optimized
        return graph

    @property
    def kernels(self) -> tuple[Any, ...]:
        """The kernels."""
        kernels: tuple[Any, ...] = self.executable.kernels
        return kernels

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Functions of Python that the program calls, and ops of complex numbers, which NumPy computes: with lines.

        All else is code of ours.
        """
        nodes = (*foreign_nodes(self._graph), *hosted_nodes(self._graph))
        return tuple(dict.fromkeys(map(_called, nodes)))

    @property
    def memory(self) -> Memory:
        """As planned."""
        return Memory(self.executable.peak_bytes)


class Evaluation:
    """The NumPy backend: node by node, by the ops' own specifications."""

    name = "numpy"

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._pure = all(effect_of(node.op) is Effect.PURE for node in graph.nodes)
        self._optimized: Graph | None = None

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """Always: nothing is compiled."""
        return True

    def run(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Evaluate the graph, of inputs that others may write meanwhile; those of a device are copied."""
        inputs = list(map(at_host, inputs))
        if not self._pure:
            inputs = _copied(inputs)
        outputs = consistently(evaluate, self.graph, inputs) if self._pure else evaluate(self.graph, inputs)
        return [numpy.array(output, order="C", copy=True) for output in outputs]

    @property
    def optimized(self) -> Graph:
        """The graph after all passes, which this backend does without."""
        if self._optimized is None:
            self._optimized = PIPELINE.run(self.graph)
        return self._optimized

    @property
    def kernels(self) -> tuple[Any, ...]:
        """One for each node."""
        return self.graph.nodes

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """All operations: NumPy computes them."""
        return tuple(dict.fromkeys(self.graph.op_names()))

    @property
    def memory(self) -> Memory:
        """The most bytes that are alive at once, inputs not counted, and the copies of the outputs.

        Of any size: for those of the first call.
        """
        graph = with_sizes(self.graph)
        left = graph.uses()
        alive = peak = 0
        inputs = {*graph.inputs, *graph.constants}
        for node in graph.nodes:
            alive += sum(value.type.nbytes for value in node.outputs)
            peak = max(peak, alive)
            for value in node.inputs:
                left[value] -= 1
                if not left[value] and value not in inputs:
                    alive -= value.type.nbytes
        return Memory(peak + sum(value.type.nbytes for value in graph.outputs))


@consistent
def _copied(inputs: Sequence[Buffer]) -> list[Buffer]:
    """Copy what others may write between two looks at it."""
    return [one.copy() if is_away(one) else numpy.array(one) for one in inputs]


Making = Callable[[Graph, str, int | None], Machine]
"""Compiles a graph by its name, for so many threads at most: a `Machine`, or one for a device."""


class Verifying(Machine):
    """Both backends at every call; they must agree."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        every_op: bool,
        threads: int | None = None,
        make: Making = Machine,
        whole: Making | None = None,
    ) -> None:
        """`make` compiles graphs, `whole` that of the function; both are the same where it is not given."""
        self._graph, self._compiled = graph, (whole or make)(graph, name, threads)
        self.executable = self._compiled.executable
        self._silent = _without_effects(graph)
        self._everything = _with_all_values(graph) if every_op else None
        everything = self._everything
        self._machine_of_everything = make(everything, name, threads) if everything is not None else None

    @property
    def target_name(self) -> str:
        """As the compiled program says."""
        return self._compiled.target_name

    @property
    def compiled_graph(self) -> Graph:
        """As the compiled program says."""
        return self._compiled.compiled_graph

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """As the compiled program says, and that of every operation."""
        everything = self._machine_of_everything
        return super().accepts(shapes) and (everything is None or everything.accepts(shapes))

    def run(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Outputs of the machine code.

        Raises:
            VerificationError E801, E802: they differ from what the specification says.
        """
        inputs = _copied(inputs)
        with observed() as observations:
            outputs = self._compiled.run(inputs)
        if self._everything is not None and self._machine_of_everything is not None:
            with keeping(None, observations):
                results = self._machine_of_everything.run(inputs)
            with keeping(None, observations):
                _check_each(self._everything, list(map(at_host, inputs)), list(map(at_host, results)))
        inputs = list(map(at_host, inputs))
        with keeping(None, observations):
            expected = evaluate(self._silent, inputs)
        with LOADING:
            from hybridize.formats.roundoff import Rounding  # late: only what is verified needs it

        with keeping(None, observations):
            problems = Rounding(self._silent, inputs, expected).problems(list(map(at_host, outputs)))
        for number, problem in enumerate(problems):
            if problem:
                text = f"output {number} of the compiled program differs: {problem}"
                raise VerificationError("E801", text, help='verify="ops" names the operation')
        return outputs


def _called(node: Node) -> str:
    op: Any = node.op
    title = op.title if isinstance(op, PythonCall) else f"{op.name} of complex numbers"
    return title if node.loc is None else f"{title} ({node.loc})"


def _check_each(graph: Graph, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> None:
    """Compare every operation with what it should give for what the compiled program gave it: errors do not add up.

    Raises:
        VerificationError E802: one differs.
    """
    with LOADING:
        from hybridize.formats.roundoff import local  # late: it is seldom needed

    if graph.scope is not None:
        graph = with_sizes(graph, sizes_of(graph, [x.shape for x in inputs]) or {})
    values: dict[Value, Buffer] = dict(zip(graph.inputs, map(numpy.asarray, inputs), strict=True))
    values.update(graph.constants)
    values.update(zip(graph.outputs, outputs, strict=True))
    for node in graph.nodes:
        op: Any = node.op
        arguments = [values[value] for value in node.inputs]
        with numpy.errstate(all="ignore"):
            expected = op.reference(*arguments)
        slack = local(op, arguments, expected)
        for value, y, more in zip(node.outputs, expected, slack, strict=True):
            problem = difference(values[value], y, more)
            if problem:
                text = f"{op.name} is the first operation whose compiled result differs: {problem}"
                raise VerificationError("E802", text, loc=node.loc)


def _without_effects(graph: Graph) -> Graph:
    """The graph without printing and asserting, to be evaluated once more; calls of Python are not made again."""
    nodes = [
        node for node in graph.nodes if not isinstance(node.op, Op) or node.op.effect is Effect.PURE or node.outputs
    ]
    return Graph(graph.inputs, tuple(nodes), graph.outputs, graph.constants)


def _with_all_values(graph: Graph) -> Graph:
    """The graph with every value as an output, composites opened."""
    graph = Inline()(_without_effects(graph))
    values = tuple(output for node in graph.nodes for output in node.outputs)
    return Graph(graph.inputs, graph.nodes, values, graph.constants)
