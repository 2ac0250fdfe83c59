# SPDX-License-Identifier: Apache-2.0
"""Values that data decides and that Python has to know: how many elements a mask selects, which side of a branch is
taken where no program could do both.

A program is specialized on them: it holds for the calls in which they are what they were while capturing (a guard on
data). They are evaluated with the arrays of the call that is captured, and what computes them is kept beside the
program, which asks it before a call runs. So nothing is frozen, and nothing that a call does has to be taken back.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.buffer import host_copy
from hybridize.array.symbol import Symbol
from hybridize.base.dims import SizeScope
from hybridize.capture.outside.world import World
from hybridize.capture.trace.inputs import FROZEN, Input, Inputs
from hybridize.capture.trace.scope import GraphScope, of_program
from hybridize.contract.conditions import Decided, HeldOutside
from hybridize.contract.feeds import FeedStates
from hybridize.graph import Graph, Node, Value, exact
from hybridize.ops.op import Effect, effect_of

MOST = 512
"""Values that a program may be specialized on: what needs more is refused."""


class Decisions:
    """The values of data that a program which is being recorded is specialized on.

    Args:
        program: that program.
        inputs: of it, with the arrays of the call.
        world: numbers from outside that it feeds.
        feeds: feeds that calls begin with: what they fill is not known before.
        sizes: the assumptions of the program about sizes that are not known; None where all are.
    """

    def __init__(
        self, program: GraphScope, inputs: Inputs, world: World, feeds: FeedStates, sizes: SizeScope | None
    ) -> None:
        self._program, self._inputs, self._world, self._feed_states, self._sizes = program, inputs, world, feeds, sizes
        self._expected: dict[Value, Any] = {}
        self._asked: dict[Value, int] = {}
        """The number of nodes there were when each was asked for."""
        self._known: dict[Value, Any] = {}
        self._unknown: set[Value] = set()

    def forget(self, nodes: int) -> None:
        """Hear that the nodes from a number on were undone."""
        for value in [one for one, before in self._asked.items() if before > nodes]:
            del self._asked[value], self._expected[value]

    def known(self, symbol: Symbol, at: GraphScope) -> Any:
        """Return the bool or integer that a symbol of one element is for the call that is captured; the program then
        depends on it. None where only a branch has it, or it is not known before the call.
        """
        value = of_program(symbol._cell.value if symbol.weak is not None else symbol.operand(), at)
        if value is None or value.type.dtype.kind not in "biu" or len(self._expected) >= MOST:
            return None
        if not self._evaluated(value):
            return None
        number: Any = self._known[value].reshape(()).item()
        if value not in self._expected:
            self._expected[value], self._asked[value] = number, len(self._program.builder.nodes)
        return number

    def decided(self) -> Decided | None:
        """Return what calls of the program have to be asked; None where nothing is."""
        if not self._expected:
            return None
        nodes, leaves = self._slice(list(self._expected))
        positions: list[Any] = []
        inputs: list[Value] = []
        for entry in self._inputs.entries:
            if entry.value in leaves and entry.position != FROZEN:
                inputs.append(entry.value)
                positions.append(entry.position if entry.position >= 0 else HeldOutside(entry.array))
        for value, outside in self._world.fed.numbers.items():
            if value in leaves and value not in inputs:
                inputs.append(value)
                positions.append(outside)
        constants = {one: array for one, array in self._program.builder.constants.items() if one in leaves}
        graph = Graph(tuple(inputs), tuple(nodes), tuple(self._expected), constants)
        return Decided(graph, tuple(positions), tuple(self._expected.values()), self._world.program.location())

    # ------------------------------------------------------------------------------------------------- evaluation

    def _evaluated(self, value: Value) -> bool:
        """Evaluate a value, and all that it is made of; tell whether it is known before the call runs."""
        nodes, leaves = self._slice([value])
        if not self._unknown.isdisjoint(leaves) or any(effect_of(node.op) is not Effect.PURE for node in nodes):
            return False
        for leaf in leaves - self._known.keys():
            array = self._leaf(leaf)
            if array is None:
                self._unknown.add(leaf)
                return False
            self._known[leaf] = array
        sizes = {} if self._sizes is None else {one: one.hint for one in self._sizes.symbols}
        with numpy.errstate(all="ignore"):
            for node in nodes:
                if node.outputs[0] not in self._known:
                    op: Any = exact(node.op, sizes) if sizes else node.op
                    results = op.reference(*(self._known[x] for x in node.inputs))
                    self._known.update(zip(node.outputs, results, strict=True))
        return True

    def _leaf(self, value: Value) -> Any:
        """The array of this call that an input or constant is; None where a call has it only once it runs."""
        constant = self._program.builder.constants.get(value)
        if constant is not None:
            return constant
        outside = self._world.fed.numbers.get(value)
        if outside is not None:
            return host_copy(outside.array).copy()
        entry: Input | None = next((one for one in self._inputs.entries if one.value is value), None)
        if entry is None or any(getattr(feed, "array", None) is entry.array for feed, _ in self._feed_states):
            return None
        return host_copy(entry.array)

    def _slice(self, values: list[Value]) -> tuple[list[Node], set[Value]]:
        """The nodes that compute values, in order, and the values that no node makes."""
        nodes: dict[int, Node] = {}
        leaves: set[Value] = set()
        open_: list[tuple[Value, bool]] = [(value, False) for value in reversed(values)]
        visits: set[Value] = set()
        while open_:
            value, done = open_.pop()
            node = self._program.producers.of(value)
            if node is None:
                leaves.add(value)
            elif done:
                nodes.setdefault(id(node), node)
            elif value not in visits:
                visits.add(value)
                open_.append((value, True))
                open_ += [(x, False) for x in reversed(node.inputs)]
        return list(nodes.values()), leaves
