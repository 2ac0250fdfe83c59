# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow with functions inside: branches, loops; and assertions, which stand in branches.

A function is handed its arguments; what is data among them are operands of our op, what is known stays known in the
body. A variable that a body writes is one of its results; those that it reads are operands.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import bool_
from hybridize.base.errors import AssertionFailed, ShapeError
from hybridize.formats.foreign.arrays import is_number
from hybridize.formats.foreign.known import Known, NoArray, operand_of
from hybridize.formats.foreign.program import ForeignGraph, Node, calls
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.assigns import WRITES
from hybridize.formats.tensorflow.calls import function_of, named
from hybridize.formats.tensorflow.draws import DRAWS, GENERATOR
from hybridize.formats.tensorflow.lists import InTurn, Repeated, RoundNumber, TensorList, filled_list
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW, Handle
from hybridize.graph import Graph
from hybridize.ops import bind
from hybridize.ops.gradient import apply
from hybridize.ops.op import Operand, type_of
from hybridize.ops.tracing import make_graph

# ------------------------------------------------------------------------------------- what bodies take, give and write


class Optional(NoArray):
    """Values that branches kept for their gradient.

    Attributes:
        choices: for each branch, what it kept; None of one that kept nothing here. Of no branch yet, one.
        branch: the number of the one that is traced.
    """

    __slots__ = ("branch", "choices")
    branch: int
    choices: tuple[tuple[Value, ...] | None, ...]

    def __init__(self, choices: Sequence[tuple[Value, ...] | None], branch: int = 0) -> None:
        self.choices, self.branch = tuple(choices), branch

    @property
    def parts(self) -> list[Value]:
        """All that is kept, of any branch."""
        return [one for parts in self.choices for one in parts or ()]

    def of(self, parts: Sequence[Value]) -> Optional:
        """The same, made of other values."""
        rest = iter(parts)
        return Optional([None if one is None else tuple(next(rest) for _ in one) for one in self.choices], self.branch)


@TENSORFLOW("OptionalFromValue", values=True)
def optional(n: Application, *parts: Value) -> Optional:
    """Values that are there."""
    return Optional([parts])


@TENSORFLOW("OptionalNone", values=True)
def nothing(n: Application) -> Optional:
    """Values that are not there."""
    return Optional([None])


@TENSORFLOW("OptionalGetValue", values=True)
def parts_of(n: Application, value: Value) -> tuple[Value, ...]:
    """The values, which are there."""
    parts = value.choices[value.branch] if isinstance(value, Optional) else None
    if parts is None:
        n.fail("it reads a value that is not there")
    return parts


def leaves(values: Sequence[Value]) -> list[Operand]:
    """Return the operands that values are made of: a body takes them."""
    result = []
    for value in values:
        if isinstance(value, TensorList):
            if value.array is not None:
                result.append(value.array)
        elif isinstance(value, Optional):
            result += leaves(value.parts)
        elif not isinstance(value, (Known, Handle, Repeated)) and value is not None:
            result.append(operand_of(value))
    return result


def with_leaves(values: Sequence[Value], operands: Iterator[Operand]) -> list[Value]:
    """Return the same values, made of other operands."""
    result: list[Value] = []
    for value in values:
        if isinstance(value, TensorList):
            array = None if value.array is None else next(operands)
            result.append(TensorList(array, value.count, value.dtype, value.seen))
        elif isinstance(value, Optional):
            result.append(value.of(with_leaves(value.parts, operands)))
        elif isinstance(value, (Known, Handle, Repeated)) or value is None:
            result.append(value)
        else:
            result.append(next(operands))
    return result


def names_of(n: Application, values: Sequence[Value]) -> list[str]:
    """Return the names of the variables among values, and that of the generator, which is handed to nobody."""
    names = [one.name for one in values if isinstance(one, Handle)]
    return [name for name in dict.fromkeys([*names, GENERATOR]) if name in n.walk.state]


def written(n: Application, graphs: Sequence[ForeignGraph], arguments: Sequence[Value]) -> list[str]:
    """Return the names of the variables that functions write, of those that they are handed."""
    positions = {k for graph in graphs for k in _written(n, graph, frozenset())}
    names = names_of(n, [arguments[k] for k in sorted(positions) if k < len(arguments)])
    return [name for name in names if name != GENERATOR or any(_draws(n, graph, frozenset()) for graph in graphs)]


def _draws(n: Application, graph: ForeignGraph, above: frozenset[int]) -> bool:
    """Tell whether a function, or what it calls, draws numbers of the generator."""
    if id(graph) in above:
        return False
    within = above | {id(graph)}
    return any(node.op in DRAWS or any(_draws(n, one, within) for one in _called(n, node)) for node in graph.nodes)


def _written(n: Application, graph: ForeignGraph, above: frozenset[int]) -> set[int]:
    """The numbers of a function's inputs that are variables which it, or what it calls, writes."""
    if id(graph) in above:
        return set()
    places = {port.name: k for k, port in enumerate(graph.inputs)}
    result: set[int] = set()
    for node in graph.nodes:
        if node.op in ("Identity", "IdentityN"):
            for name, output in zip(node.inputs, node.outputs, strict=False):
                if name in places:
                    places[output] = places[name]
        if node.op in WRITES and node.inputs[0] in places:
            result.add(places[node.inputs[0]])
        first = 1 if node.op in ("If", "StatelessIf", "Case", "StatelessCase") else 0
        for inner in _called(n, node):
            for k in _written(n, inner, above | {id(graph)}):
                if first + k < len(node.inputs) and node.inputs[first + k] in places:
                    result.add(places[node.inputs[first + k]])
    return result


def _called(n: Application, node: Node) -> Iterator[ForeignGraph]:
    functions = n.walk.program.functions
    yield from (functions[name] for name in (*calls(node), node.op) if name in functions)


class _State:
    """The variables that bodies see: the walk's own while one is traced."""

    def __init__(self, n: Application, names: Sequence[str]) -> None:
        self.walk, self.names = n.walk, list(names)

    def operands(self) -> list[Operand]:
        """Return the values that they hold now."""
        return [operand_of(self.walk.state[name]) for name in self.names]

    def traced(self, operands: Mapping[str, Operand], run: Callable[[], list[Operand]]) -> list[Operand]:
        """Run something while they hold operands of a body, and put back what they present."""
        before, key = dict(self.walk.state), self.walk.key
        self.walk.state.update(operands)
        self.walk.key = None  # which would be drawn once for all rounds
        try:
            return run()
        finally:
            self.walk.key = key
            self.walk.state.clear()
            self.walk.state.update(before)


# ------------------------------------------------------------------------------------------------------------- branches


@TENSORFLOW("If", "StatelessIf", values=True)
def branch(n: Application, condition: Value, *arguments: Value) -> Sequence[Value]:
    """One branch or the other: at once where the condition is known, else both are in the program."""
    branches = function_of(n, "then_branch"), function_of(n, "else_branch")
    if isinstance(condition, Known):
        return tuple(n.walk.function(branches[not condition.item()], arguments, {}))
    predicate = ops.reshape(operand_of(condition), ())
    if type_of(predicate).dtype != bool_:
        predicate = ops.ne(predicate, ops.like(0, predicate))
    return _branched(n, [predicate], branches, arguments)


@TENSORFLOW("Case", "StatelessCase", values=True)
def choice(n: Application, index: Value, *arguments: Value) -> Sequence[Value]:
    """The branch of a number, the last one where there is none of that number."""
    branches = [named(n, one) for one in n.attributes.get("branches", ())]
    if not branches:
        n.fail("it has no branches")
    if isinstance(index, Known):
        number = index.item()
        return tuple(n.walk.function(branches[number if 0 <= number < len(branches) else -1], arguments, {}))
    number = ops.reshape(operand_of(index), ())
    return _branched(n, [ops.eq(number, ops.like(k, number)) for k in range(len(branches) - 1)], branches, arguments)


def _branched(
    n: Application, predicates: Sequence[Operand], branches: Sequence[ForeignGraph], arguments: Sequence[Value]
) -> Sequence[Value]:
    """The results of the first branch whose predicate holds, of the last one where none does."""
    state = _State(n, names_of(n, arguments))
    changed = written(n, branches, arguments)
    inputs = [*leaves(arguments), *state.operands()]
    types = [type_of(x) for x in inputs]
    count = len(inputs) - len(state.names)
    results: list[list[Value]] = []
    optionals: dict[int, list[Value]] = {}

    def traced(graph: ForeignGraph, number: int) -> Graph:
        def run(*operands: Operand) -> list[Operand]:
            def inside() -> list[Operand]:
                inner = with_leaves(arguments, iter(operands[:count]))
                for value in inner:
                    if isinstance(value, Optional) and len(value.choices) > 1:
                        value.branch = number
                values = list(n.walk.function(graph, inner, {}))
                for k, several in optionals.items():
                    values[k] = _among(several, values[k], number)
                results.append(values)
                return [*_arrays(values), *(operand_of(n.walk.state[name]) for name in changed)]

            return state.traced(dict(zip(state.names, operands[count:], strict=True)), inside)

        return make_graph(run, types)

    bodies = [traced(graph, number) for number, graph in enumerate(branches)]
    for k, several in enumerate(zip(*results, strict=True)):
        if any(isinstance(one, Optional) for one in several):
            optionals[k] = list(several)
    if optionals:
        results.clear()
        bodies = [traced(graph, number) for number, graph in enumerate(branches)]
    _check_same(n, bodies)
    outputs = iter(_chosen(predicates, bodies, inputs))
    values = [_common(several, outputs) for several in zip(*results, strict=True)]
    n.walk.state.update(zip(changed, outputs, strict=True))
    return tuple(values)


def _among(several: Sequence[Value], own: Value, number: int) -> Optional:
    """The values that a branch kept, among zeros like those that each of the others did: nobody reads these."""
    choices = [_zeros(one) if k != number else own.choices[0] for k, one in enumerate(several)]
    return Optional(choices)


def _zeros(own: Optional) -> tuple[Value, ...] | None:
    (parts,) = own.choices
    return None if parts is None else tuple(with_leaves(parts, iter([ops.full(0, type_of(x)) for x in leaves(parts)])))


def _arrays(values: Sequence[Value]) -> list[Operand]:
    """The arrays among the results of a body."""
    return [operand for value in values
            for operand in ([operand_of(value)] if isinstance(value, Known) else leaves([value]))]  # fmt: skip


def _common(values: Sequence[Value], outputs: Iterator[Operand]) -> Value:
    """The result that branches give, of their arrays: known where it is the same in all of them."""
    first = values[0]
    if not isinstance(first, Known) and all(not isinstance(one, Known) for one in values):
        (result,) = with_leaves([first], outputs)
        return result
    output = next(outputs)
    known = all(isinstance(one, Known) and not one.symbolic for one in values)
    return first if known and all(numpy.array_equal(one.array, first.array) for one in values) else output


def _check_same(n: Application, bodies: Sequence[Graph]) -> None:
    kinds = [[str(value.type) for value in body.outputs] for body in bodies]
    if any(kind != kinds[0] for kind in kinds):
        listed = " and ".join(f"({', '.join(kind)})" for kind in dict.fromkeys(map(tuple, kinds)))
        raise ShapeError("E162", f"{n.place}: the branches give {listed}", help="a branch on data gives the same types")


def _chosen(predicates: Sequence[Operand], bodies: Sequence[Graph], inputs: Sequence[Operand]) -> Sequence[Operand]:
    if not predicates:
        return apply(bodies[0], inputs)
    body = bodies[-1]
    if len(predicates) == 1:
        return bind(ops.Cond(bodies[0], body), predicates[0], *inputs)
    count = len(inputs)
    types = [*map(type_of, inputs), *map(type_of, predicates[1:])]
    others = make_graph(lambda *xs: list(_chosen(xs[count:], bodies[1:], xs[:count])), types)
    first = make_graph(lambda *xs: apply(bodies[0], xs[:count]), types)
    return bind(ops.Cond(first, others), predicates[0], *inputs, *predicates[1:])


# ---------------------------------------------------------------------------------------------------------------- loops


class _Form:
    """The form of a loop, seen without running it: its values that stay, that count, lists that are used in turn."""

    def __init__(self, condition: ForeignGraph, body: ForeignGraph) -> None:
        self.condition, self.body = condition, body
        self.inputs = [port.name for port in body.inputs]
        self.sources = _sources(body)
        self.makers = {name: node for node in body.nodes for name in node.outputs}
        self.ends = [self.sources.get(port.name, port.name) for port in body.outputs]
        self.readers: dict[str, list[Node]] = {}
        for node in body.nodes:
            for name in node.inputs:
                if node.op != "Identity":
                    self.readers.setdefault(self.sources.get(name, name), []).append(node)
        self.fixed = {k for k, name in enumerate(self.inputs) if self.ends[k] == name}

    def steps(self, arguments: Sequence[Value]) -> dict[int, int]:
        """The values that grow or shrink by a known number from round to round, and by how much."""
        steps = {}
        for k, name in enumerate(self.inputs):
            node = self.makers.get(self.ends[k])
            if node is None or node.op not in ("AddV2", "Add", "Sub") or not isinstance(arguments[k], Known):
                continue
            names = [self.sources.get(one, one) for one in node.inputs]
            if name in names[: 1 if node.op == "Sub" else 2]:
                step = self._known(names[1 - names.index(name)], arguments)
                if step:
                    steps[k] = -step if node.op == "Sub" else step
        return steps

    def _known(self, name: str, arguments: Sequence[Value]) -> int | None:
        """A whole number that is the same in all rounds, if it is known."""
        value = self.body.constants.get(name)
        if value is None and name in self.inputs and self.inputs.index(name) in self.fixed:
            argument = arguments[self.inputs.index(name)]
            value = argument.array if isinstance(argument, Known) else None
        return int(value) if value is not None and value.shape == () and value.dtype.kind in "iu" else None

    def bounds(self) -> list[tuple[Any, Any, bool]] | None:
        """The conditions that the loop goes on by: one value is below another or, if the third is true, equal to it.

        Values are numbers of inputs, or constants. None where it goes on by others.
        """
        graph = self.condition
        sources, makers = _sources(graph), {name: node for node in graph.nodes for name in node.outputs}
        places = {port.name: k for k, port in enumerate(graph.inputs)}
        todo, conditions = [sources.get(port.name, port.name) for port in graph.outputs[:1]], []
        while todo:
            name = todo.pop()
            node = makers.get(name)
            if node is None:
                constant = graph.constants.get(name)
                if constant is None or not constant.all():
                    return None
                continue
            names = [sources.get(one, one) for one in node.inputs]
            if node.op == "LogicalAnd":
                todo += names
                continue
            if node.op not in ("Less", "LessEqual", "Greater", "GreaterEqual"):
                return None
            low, high = (
                places.get(one, graph.constants.get(one)) for one in (names if "Less" in node.op else names[::-1])
            )
            if low is None or high is None:
                return None
            conditions.append((low, high, node.op.endswith("Equal")))
        return conditions

    def rounds(self, arguments: Sequence[Value], steps: Mapping[int, int]) -> Any:
        """The number of rounds where it is known, else None."""
        counts = []
        for low, high, equal in self.bounds() or ():
            ends = [arguments[one] if isinstance(one, int) else Known(one, one.dtype) for one in (low, high)]
            closer = [
                None if isinstance(one, int) and one not in {*self.fixed, *steps}
                else sign * steps.get(one, 0) if isinstance(one, int) else 0
                for one, sign in ((low, 1), (high, -1))
            ]  # fmt: skip
            known = [one for one in closer if one is not None]
            if len(known) < 2 or not all(isinstance(one, Known) and one.dtype.kind in "iu" for one in ends):
                return None
            apart, step = ends[1].item() - ends[0].item() + int(equal), sum(known)
            if step <= 0:
                return None
            counts.append(-(-apart // step))
        if not counts:
            return None
        least = counts[0]
        for one in counts[1:]:
            if not dims.same(one, least):
                least = one + least - dims.maximum(one, least)
        return dims.maximum(least, 0)

    def reads_in_turn(self, k: int, numbers: Collection[int]) -> bool:
        """Tell whether a list is read at the number of the round, and nothing else is done with it.

        Args:
            k: of the list.
            numbers: of the values that are the number of the round.
        """
        readers = self.readers.get(self.inputs[k], ())
        return all(node.op == "TensorListGetItem" and self._at_round(node, numbers) for node in readers)

    def writes_in_turn(self, k: int, numbers: Collection[int]) -> bool:
        """Tell whether a list is written at the number of the round, and nothing else is done with it."""
        readers = self.readers.get(self.inputs[k], ())
        if len(readers) != 1 or self.makers.get(self.ends[k]) is not readers[0]:
            return False
        if self.readers.get(self.ends[k]):
            return False
        return readers[0].op == "TensorListPushBack" or (
            readers[0].op == "TensorListSetItem" and self._at_round(readers[0], numbers)
        )

    def takes_in_turn(self, k: int) -> bool:
        """Tell whether each round takes the last element of a list, and nothing else is done with it."""
        readers = self.readers.get(self.inputs[k], ())
        return (
            len(readers) == 1
            and readers[0].op == "TensorListPopBack"
            and self.ends[k] == readers[0].outputs[0]
            and not self.readers.get(self.ends[k])
        )

    def _at_round(self, node: Node, numbers: Collection[int]) -> bool:
        name = self.sources.get(node.inputs[1], node.inputs[1])
        return name in self.inputs and self.inputs.index(name) in numbers


def _sources(graph: ForeignGraph) -> dict[str, str]:
    """The values that others are, by another name."""
    sources: dict[str, str] = {}
    for node in graph.nodes:
        if node.op in ("Identity", "IdentityN"):
            for name, output in zip(node.inputs, node.outputs, strict=False):
                sources[output] = sources.get(name, name)
    return sources


@functools.lru_cache(maxsize=256)
def _form(condition: ForeignGraph, body: ForeignGraph) -> _Form:
    return _Form(condition, body)


@TENSORFLOW("While", "StatelessWhile", values=True)
def loop(n: Application, *arguments: Value) -> Sequence[Value]:
    """The values after the last round: a scan where the number of rounds is known."""
    form = _form(function_of(n, "cond"), function_of(n, "body"))
    if len(arguments) != len(form.inputs) or len(form.ends) != len(form.inputs):
        n.fail(f"its body takes {len(form.inputs)} values and gives {len(form.ends)}, it has {len(arguments)}")
    steps = form.steps(arguments)
    count = form.rounds(arguments, steps)
    if count is None:
        return _while(n, form, arguments)
    if not dims.is_symbolic(count) and count == 0:
        return arguments
    return _scan(n, form, arguments, steps, count)


def _begun(n: Application, form: _Form, values: Sequence[Value], chosen: Sequence[int], run: Any) -> list[Value]:
    """The values with which a loop begins, lists of elements of an unknown shape filled: a round is tried to see it."""
    values = list(values)
    if any(isinstance(values[k], TensorList) and values[k].array is None for k in chosen):
        run(values)
        for k in chosen:
            items = values[k]
            if isinstance(items, TensorList) and items.array is None and "shape" in items.seen:
                values[k] = TensorList(filled_list(items.seen["shape"], items), items.count, items.dtype)
    return values


def _cut(operands: Sequence[Operand], sizes: Sequence[int]) -> list[Sequence[Operand]]:
    """Consecutive parts of these sizes."""
    ends = [*itertools.accumulate(sizes)]
    return [operands[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _scan(
    n: Application, form: _Form, arguments: Sequence[Value], steps: Mapping[int, int], count: Any
) -> Sequence[Value]:
    """The results of a loop of so many rounds."""
    indices = range(len(arguments))
    counters = list(steps)
    numbers = [k for k, step in steps.items() if step == 1 and _from_zero(arguments[k])]
    read = [k for k in form.fixed if _has_rows(arguments[k], count) and form.reads_in_turn(k, numbers)]
    stacked = [k for k in indices if isinstance(arguments[k], TensorList) and form.writes_in_turn(k, numbers)]
    shrinking = [k for k in indices if form.takes_in_turn(k)]
    ends_first = [k for k in shrinking if _has_rows(arguments[k], count)]
    repeated = [k for k in shrinking if isinstance(arguments[k], Repeated) and dims.same(arguments[k].count, count)]
    changed = written(n, [form.body], arguments)
    state = _State(n, names_of(n, arguments))
    in_turn = {*form.fixed, *counters, *stacked, *ends_first, *repeated}
    carried = [k for k in indices if k not in in_turn]
    others = [k for k in indices if k in form.fixed and k not in read]
    key = object()
    same: dict[int, Known] = {}

    def plan(values: Sequence[Value]) -> tuple[list[Operand], Graph]:
        """The operands of the scan, and its body."""
        begin = [operand_of(x) if not isinstance(x, (TensorList, Handle)) else x for x in (values[k] for k in carried)]
        fixed = [values[k] for k in others]
        counts = [_counted(values[k], steps[k], count) for k in counters]
        own = [name for name in state.names if name not in changed]
        constants, moving = ([operand_of(n.walk.state[name]) for name in names] for names in (own, changed))
        rows = [*(values[k].array for k in read), *(ops.flip(values[k].array, 0) for k in ends_first)]
        parts = [leaves(begin), moving, counts, rows, leaves(fixed), constants]
        sizes = [len(part) for part in parts]
        sliced = {2, 3}
        types = [
            kind.with_shape(kind.shape[1:]) if number in sliced else kind
            for number, part in enumerate(parts) for kind in map(type_of, part)
        ]  # fmt: skip

        def run(*operands: Operand) -> list[Operand]:
            cut = _cut(operands, sizes)
            inner: list[Value] = [None] * len(arguments)
            first, constant = with_leaves(begin, iter(cut[0])), with_leaves(fixed, iter(cut[4]))
            for k, value in zip([*carried, *others], [*first, *constant], strict=True):
                inner[k] = value
            for k, x in zip(counters, cut[2], strict=True):
                inner[k] = RoundNumber(key, x) if k in numbers else x
            for k, x in zip([*read, *ends_first], cut[3], strict=True):
                inner[k] = InTurn(key, x, values[k].dtype)
            for k in repeated:
                inner[k] = InTurn(key, values[k].element, values[k].dtype)
            for k in stacked:
                inner[k] = InTurn(key, None, values[k].dtype)

            def inside() -> list[Operand]:
                results = n.walk.function(form.body, inner, {})
                ends = _as_begun(n, begin, [results[k] for k in carried])
                after = [operand_of(n.walk.state[name]) for name in changed]
                for k in stacked:
                    if isinstance(results[k].element, Known) and is_number(values[k].count, 0):
                        same[k] = results[k].element
                return [*ends, *after, *(operand_of(results[k].element) for k in stacked if k not in same)]

            return state.traced(dict(zip([*changed, *own], [*cut[1], *cut[5]], strict=True)), inside)

        return [x for part in parts for x in part], make_graph(run, types)

    values = _begun(n, form, arguments, carried, plan)
    operands, body = plan(values)
    begin = [values[k] if isinstance(values[k], (TensorList, Handle)) else operand_of(values[k]) for k in carried]
    outputs = iter(bind(ops.Scan(body, count, False, len(leaves(begin)) + len(changed)), *operands))
    result = list(values)
    for k, value in zip(carried, with_leaves(begin, outputs), strict=True):
        result[k] = value
    for name in changed:
        n.walk.state[name] = next(outputs)
    for k in stacked:
        if k in same:
            result[k] = Repeated(same[k], count, values[k].dtype)
        else:
            result[k] = _with_rows(values[k], next(outputs), count, form.makers[form.ends[k]].op)
    for k in (*ends_first, *repeated):
        result[k] = TensorList(None, 0, values[k].dtype)
    for k in counters:
        result[k] = Known.of(values[k].item() + count * steps[k], values[k].dtype)
    return tuple(result)


def _counted(start: Known, step: int, count: Any) -> Operand:
    """The values of a counter in all rounds."""
    index = ops.iota((count,), 0, start.dtype)
    return ops.add(ops.mul(index, ops.like(step, index)), ops.like(start.item(), index))


def _has_rows(value: Value, count: Any) -> bool:
    return isinstance(value, TensorList) and value.array is not None and _is_same(value.count, count)


def _is_same(x: Any, y: Any) -> bool:
    return bool(dims.same(x, y) or (not dims.is_symbolic(x) and not dims.is_symbolic(y) and x == y))


def _from_zero(value: Known) -> bool:
    return not value.symbolic and value.item() == 0


def _with_rows(items: TensorList, rows: Operand, count: Any, op: str) -> TensorList:
    """A list to which a scan gave rows: all of its elements, its first ones, or more of them."""
    if op == "TensorListPushBack":
        if items.array is None:
            return TensorList(rows, count, items.dtype)
        return TensorList(ops.concat(items.array, rows, axis=0), items.count + count, items.dtype)
    if dims.same(items.count, count) or items.count <= count:
        return TensorList(rows, count, items.dtype)
    shape = type_of(rows).shape
    base = items.array if items.array is not None else filled_list(shape[1:], items)
    low, ones = (0,) * len(shape), (1,) * len(shape)
    return TensorList(ops.update_slice(base, rows, low, shape, ones), items.count, items.dtype)


def _as_begun(n: Application, begin: Sequence[Value], ends: Sequence[Value]) -> list[Operand]:
    """The results of a round as operands of the types with which the loop began."""
    result: list[Operand] = []
    for before, after in zip(begin, ends, strict=True):
        if isinstance(before, TensorList) and isinstance(after, TensorList) and not _is_same(before.count, after.count):
            n.fail("a list grows or shrinks in a loop, and the loop's number of rounds is data",
                   help="give the TensorArray a size; a gradient needs a known number of rounds")  # fmt: skip
        if isinstance(before, TensorList) and before.array is None:
            if isinstance(after, TensorList) and after.array is not None:
                result.append(after.array)  # of a trial: its shape is what is asked for
            continue
        if isinstance(before, Handle):
            if before != after:
                n.fail("a variable becomes another one in a loop")
            continue
        result += leaves([after]) if isinstance(after, TensorList) else [operand_of(after)]
    return result


def _while(n: Application, form: _Form, arguments: Sequence[Value]) -> Sequence[Value]:
    """The results of a loop that ends where data say so."""
    changed = written(n, [form.condition, form.body], arguments)
    state = _State(n, names_of(n, arguments))
    carried = [k for k in range(len(arguments)) if k not in form.fixed]
    others = [k for k in range(len(arguments)) if k in form.fixed]

    def plan(values: Sequence[Value]) -> tuple[list[Operand], list[Value], Graph, Graph]:
        begin = [x if isinstance(x, (TensorList, Handle)) else operand_of(x) for x in (values[k] for k in carried)]
        fixed = [values[k] for k in others]
        parts = [leaves(begin), state.operands(), leaves(fixed)]
        types = [type_of(x) for part in parts for x in part]
        first, second = len(parts[0]), len(parts[0]) + len(parts[1])

        def traced(what: Callable[[list[Value]], list[Operand]]) -> Graph:
            def run(*operands: Operand) -> list[Operand]:
                inner: list[Value] = [None] * len(arguments)
                for k, value in zip(carried, with_leaves(begin, iter(operands[:first])), strict=True):
                    inner[k] = value
                for k, value in zip(others, with_leaves(fixed, iter(operands[second:])), strict=True):
                    inner[k] = value
                present = dict(zip(state.names, operands[first:second], strict=True))
                return state.traced(present, lambda: [*what(inner), *_rest(what, operands)])

            return make_graph(run, types)

        def _rest(what: Any, operands: Sequence[Operand]) -> list[Operand]:
            return [] if what is goes_on else [*state.operands(), *operands[second:]]

        def goes_on(inner: list[Value]) -> list[Operand]:
            answer = operand_of(n.walk.function(form.condition, inner, {})[0])
            return [ops.reshape(answer, ())]

        def rounds(inner: list[Value]) -> list[Operand]:
            results = n.walk.function(form.body, inner, {})
            return _as_begun(n, begin, [results[k] for k in carried])

        body = traced(rounds)
        return [x for part in parts for x in part], begin, traced(goes_on), body

    values = _begun(n, form, arguments, carried, plan)
    operands, begin, condition, body = plan(values)
    outputs = iter(bind(ops.While(condition, body), *operands))
    result = list(values)
    for k, value in zip(carried, with_leaves(begin, outputs), strict=True):
        result[k] = value
    for name, value in zip(state.names, outputs, strict=False):
        if name in changed:
            n.walk.state[name] = value
    return tuple(result)


# -------------------------------------------------------------------------------------------------------------- effects


@TENSORFLOW("Assert", values=True)
def assertion(n: Application, condition: Value, *data: Value) -> tuple[()]:
    """Stop with a message where a condition does not hold: at once where it is known, else when the program runs."""
    texts = [str(one, "utf-8", "replace") for x in data if isinstance(x, Known) and x.array.dtype == object
             for one in x.array.reshape(-1) if isinstance(one, bytes)]  # fmt: skip
    message = f"{n.place}: {' '.join(filter(None, texts)) or 'the assertion does not hold'}"
    if isinstance(condition, Known):
        if not numpy.all(condition.pinned()):
            raise AssertionFailed("E520", message)
        return ()
    bind(ops.Assert(message), operand_of(condition))
    return ()


@TENSORFLOW("CheckNumerics")
def finite(n: Application, x: Operand) -> Operand:
    """The array itself, all of whose numbers are finite."""
    fine = ops.all(ops.isfinite(x), tuple(range(type_of(x).ndim)))
    bind(ops.Assert(f"{n.place}: {n.text('message', '')} : the array has numbers that are not finite"), fine)
    return x
