# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX with graphs inside: branches, loops, scans; and sequences, whose number of arrays is known."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, float32, int64
from hybridize.base.errors import CaptureError, HybridizeError, OutOfBoundsError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType, surely_same
from hybridize.formats.foreign.arrays import filled, is_number, logical_not, with_axes, without_axes
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.program import ForeignGraph, Port
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.graph import Graph
from hybridize.ops import bind
from hybridize.ops.gradient import apply
from hybridize.ops.op import Operand, type_of
from hybridize.ops.tracing import make_graph
from hybridize.runtime.recipes import recipe_of_error

LONGEST: Final = 1024
"""Rounds of the longest loop that is written out."""


def _graph(n: Application, name: str) -> ForeignGraph:
    graph = n.attributes.get(name)
    if not isinstance(graph, ForeignGraph):
        n.fail(f"the attribute {name} must be a graph")
    return graph


# -------------------------------------------------------------------------------------------------------------- bodies


def _leaves(value: Value) -> list[Value]:
    """The arrays of a value that may be a sequence, or a list of values."""
    return [leaf for one in value for leaf in _leaves(one)] if isinstance(value, list) else [value]


def _refilled(value: Value, leaves: Iterator[Value]) -> Value:
    """A value with others in place of its arrays."""
    return [_refilled(one, leaves) for one in value] if isinstance(value, list) else next(leaves)


def _is_data(leaf: Value) -> bool:
    return not isinstance(leaf, (Known, type(None)))


def _kind(leaf: Value) -> TensorType:
    return leaf if isinstance(leaf, TensorType) else leaf.type if isinstance(leaf, Known) else type_of(leaf)


@frozen(eq=False)
class _Body:
    """A graph inside of a node as a graph of ours.

    Its inputs are the data among the values that it was made for, then `outer`; its outputs those of its results that
    are not known to stay what they are.
    """

    graph: Graph
    results: list[Value]
    """Its results: values of the graph, known ones, sequences."""
    kinds: list[TensorType | None]
    """The types of the results' arrays; None where one is left out."""
    outer: list[Operand]
    """The values around it that it reads."""


def _body(n: Application, graph: ForeignGraph, values: Sequence[Value], fixed: Sequence[Value] = ()) -> _Body:
    """Walk a graph inside of a node.

    Args:
        n: the node.
        graph: of its attributes.
        values: of its inputs, each an operand, a type in place of one, a known value, or a sequence of them.
        fixed: the arrays, in the order of the results, that are not given where the body gives the very same.
    """
    names = [name for name in graph.free if any(map(_is_data, _leaves(n.around.get(name))))]
    outer = [leaf for name in names for leaf in _leaves(n.around[name]) if _is_data(leaf)]
    inner = [leaf for leaf in _leaves(list(values)) if _is_data(leaf)]
    results: list[Value] = []
    kinds: list[TensorType | None] = []

    def run(*operands: Operand) -> list[Operand]:
        data = iter(operands)

        def own(value: Value) -> Value:
            return _refilled(value, iter([next(data) if _is_data(leaf) else leaf for leaf in _leaves(value)]))

        inputs = {port.name: own(value) for port, value in zip(graph.inputs, values, strict=True)}
        around = {name: own(n.around[name]) for name in names}
        results[:] = n.walk.graph(graph, {**n.around, **around, **inputs})
        leaves = _leaves(results)
        kinds[:] = [None if leaf is None else _kind(leaf) for leaf in leaves]
        stays = [k < len(fixed) and _same(fixed[k], leaf) for k, leaf in enumerate(leaves)]
        return [operand_of(leaf) for leaf, same in zip(leaves, stays, strict=True) if leaf is not None and not same]

    return _Body(make_graph(run, [_kind(leaf) for leaf in [*inner, *outer]]), results, kinds, outer)


def _same(x: Value, y: Value) -> bool:
    """Tell whether two values are known to be the same numbers, or both left out."""
    if not isinstance(x, Known) or not isinstance(y, Known):
        return x is y is None
    return x.dtype == y.dtype and surely_same(x.array.shape, y.array.shape) and all(map(dims.same, x.list(), y.list()))


def _outline(value: Value) -> Any:
    """The sequences in a value, without their arrays."""
    return tuple(map(_outline, value)) if isinstance(value, list) else value is None


def _alike(x: TensorType | None, y: TensorType | None) -> bool:
    return x is y if x is None or y is None else x.dtype == y.dtype and surely_same(x.shape, y.shape)


def _typed(kinds: Sequence[TensorType | None]) -> str:
    return f"({', '.join(map(str, kinds))})"


# ------------------------------------------------------------------------------------------------------------ branches


@ONNX("If", values=True, decides=1)
def branch(n: Application, condition: Value) -> Any:
    """One branch or the other: at once where the condition is known, else both are in the program.

    Where they give other types, the program is for one of them.
    """
    branches = _graph(n, "then_branch"), _graph(n, "else_branch")
    if isinstance(condition, Known):
        return tuple(n.walk.graph(branches[not condition.item()], n.around))
    predicate = ops.reshape(ops.cast(condition, bool_), ())
    bodies: list[_Body] = []
    for graph, other in zip(branches, branches[::-1], strict=True):
        try:
            bodies.append(_body(n, graph, ()))
        except HybridizeError as error:
            return _only(n, other, predicate, error)
    then, orelse = bodies
    alike = all(map(_alike, then.kinds, orelse.kinds))
    if not alike or _outline(then.results) != _outline(orelse.results):
        chosen = n.walk.decided(predicate)
        if chosen is not None:
            return tuple(n.walk.graph(branches[not chosen.item()], n.around))
        what = f"{n.place}: the branches give {_typed(then.kinds)} and {_typed(orelse.kinds)}"
        raise ShapeError("E162", what, help="a branch on data gives the same types")
    count = len(then.outer)
    operands = [*then.outer, *orelse.outer]
    graphs = [_widened(body.graph, start, operands) for body, start in ((then, 0), (orelse, count))]
    results = iter(bind(ops.Cond(*graphs), predicate, *operands))
    return tuple(_refilled(then.results, iter([None if kind is None else next(results) for kind in then.kinds])))


def _widened(graph: Graph, start: int, operands: Sequence[Operand]) -> Graph:
    """A graph of some of the operands, from one on, as a graph of all."""
    stop = start + len(graph.inputs)
    return make_graph(lambda *xs: apply(graph, xs[start:stop]), [type_of(x) for x in operands])


def _only(n: Application, graph: ForeignGraph, predicate: Operand, error: HybridizeError) -> Any:
    """The one branch that inputs of these sizes can take: models have branches for inputs of other sizes."""
    holds = graph is n.attributes["then_branch"]
    results = tuple(n.walk.graph(graph, n.around))
    what = f"{n.place}: the condition is {not holds}, and that branch cannot take inputs of these sizes: {error}"
    failure = ShapeError("E162", what.partition("\n")[0])
    bind(ops.Assert(str(failure), repr(recipe_of_error(failure))), predicate if holds else logical_not(predicate))
    return results


# --------------------------------------------------------------------------------------------------------------- loops


@ONNX("Loop", values=True, decides=2)
def loop(n: Application, count: Value, condition: Value = None, *state: Value) -> Any:
    """Rounds of a body: a scan where their number is known, a while loop where data decide, or written out.

    What the body gives as it came stays known; what changes from round to round is data, unless its type changes.
    """
    body = _graph(n, "body")
    limit, going = _scalar(count, int64), _scalar(condition, bool_)
    if going is None or isinstance(going, Known):
        limit = limit if going is None or going.item() else Known.of(0)
        going = Known.of(True, bool_)
    try:
        counter = _Counter(n, body, list(state))
        counted = counter.rounds() if isinstance(going, Known) else None
        if counted is not None and not _is_data(limit):
            whole = counted if limit is None else _least(counted, limit.item())
            return _Rounds.of(n, body, going, counter.state, counts=True).scanned(whole)
        rounds = _Rounds.of(n, body, going, list(state))
        if rounds.stacks and not _is_data(going) and not _is_data(rounds.end):
            limit = n.walk.decided(limit) or limit
        if _is_data(limit) or _is_data(rounds.end) or _is_data(going):
            return rounds.repeated(limit)
        if rounds.end.item() and limit is not None:
            return rounds.scanned(limit.item())
        problem = "nothing ends them"
    except CaptureError as error:
        if error.code != "E463":
            raise
        problem = str(error).partition("\n")[0]
    except (OutOfBoundsError, ShapeError):  # in a round of an array without elements, which there may be none of
        none = isinstance(limit, Known) and is_number(limit.item(), 0)
        rows = body.outputs[1 + len(state) :]
        if not none or any(port.dtype is None or port.shape is None for port in rows):
            raise
        return (*state, *(_of_no_round(port) for port in rows))
    return _written_out(n, body, limit, going, list(state), problem)


def _of_no_round(port: Port) -> Operand:
    """Stack no elements, as of a loop without rounds, to what the model declares."""
    sizes = [size if isinstance(size, int) else 0 for size in port.shape or ()]
    return filled(0, (0, *sizes), port.dtype or float32)


def _scalar(x: Value, dtype: DType) -> Value:
    return x if x is None or isinstance(x, Known) else ops.reshape(ops.cast(x, dtype), ())


def _unknown(n: Application, what: str) -> CaptureError:
    return CaptureError("E463", f"{n.place}: {what}", help="make what decides a constant, or compute it from shapes")


@frozen(eq=False)
class _Rounds:
    """A loop whose rounds are one graph of ours: of the number of the round, whether there is one, and the state."""

    n: Application
    body: _Body
    state: list[Value]
    """The values of the first round: operands, what stays known, sequences."""
    going: Value
    """True if there is a first round."""
    end: Value
    """True if there is another one, as the body gives it."""

    @classmethod
    def of(cls, n: Application, graph: ForeignGraph, going: Value, state: list[Value], counts: bool = False) -> _Rounds:
        """Find out which known values stay so; `counts`: the number of rounds is known, whatever the body says.

        Raises:
            CaptureError E463: the rounds are not one graph.
        """
        decided = going
        while True:
            leaves = _leaves(state)
            values = [TensorType((), int64), TensorType((), bool_) if _is_data(decided) else decided, *state]
            body = _body(n, graph, values, [decided, *leaves])
            count = len(state)
            if _outline(body.results[1 : 1 + count]) != _outline(state):
                raise _unknown(n, "a round changes the number of arrays in a sequence")
            after, kinds = _leaves(body.results[1 : 1 + count]), body.kinds[1 : 1 + len(leaves)]
            before = [None if x is None else _kind(x) for x in leaves]
            if not all(map(_alike, before, kinds)):
                raise _unknown(n, f"a round takes {_typed(before)} and gives {_typed(kinds)}")
            changed = [k for k, pair in enumerate(zip(leaves, after, strict=True))
                       if isinstance(pair[0], Known) and not _same(*pair)]  # fmt: skip
            end = body.results[0]
            if not changed and (counts or _is_data(decided) or isinstance(end, Known)):
                return cls(n, body, state, going, end)
            for k in changed:
                leaves[k] = leaves[k].operand()
            state = _refilled(state, iter(leaves))
            decided = decided if counts or isinstance(end, Known) else end

    @property
    def stacks(self) -> bool:
        """True if an array has an element for each round."""
        return len(self.body.results) > 1 + len(self.state)

    @property
    def carried(self) -> list[Operand]:
        """The values that change from round to round."""
        return [leaf for leaf in _leaves(self.state) if _is_data(leaf)]

    def scanned(self, count: Any) -> tuple[Value, ...]:
        """The results of so many rounds."""
        carried, graph = self.carried, self.body.graph
        c = len(carried)
        number = ops.iota((count,), 0, int64)
        operands = [*carried, number, *self.body.outer]
        kinds = [*map(type_of, carried), TensorType((), int64), *map(type_of, self.body.outer)]
        ends = int(_is_data(self.end))
        step = make_graph(lambda *xs: apply(graph, [xs[c], *xs[:c], *xs[c + 1 :]])[ends:], kinds)
        last = bind(ops.Scan(step, count, False, c), *operands)
        return (*self._state_of(last[:c]), *last[c:])

    def repeated(self, limit: Value) -> tuple[Value, ...]:
        """The results of rounds until data end them.

        Raises:
            CaptureError E463: an array has an element for each round.
        """
        if self.stacks:
            raise _unknown(self.n, "data decide how many rounds there are, and an array has an element for each")
        carried, graph = self.carried, self.body.graph
        stop = None if limit is None else operand_of(limit)
        first = [ops.full(0, TensorType((), int64)), operand_of(self.going), *carried, *self.body.outer]
        c, size = 2 + len(carried), len(first)
        operands = first if stop is None else [*first, stop]
        decided = len(graph.inputs) == size  # else the body knows that there is a round

        def goes_on(number: Operand, going: Operand, *rest: Operand) -> list[Operand]:
            return [going if stop is None else ops.bit_and(going, ops.lt(number, rest[-1]))]

        def step(number: Operand, going: Operand, *rest: Operand) -> list[Operand]:
            inner = [number, *([going] if decided else []), *rest[: size - 2]]
            following = ops.add(number, ops.like(1, number))
            results = apply(graph, inner)
            after = results[len(results) - len(carried) :]
            end = results[0] if len(results) > len(carried) else going
            return [following, ops.reshape(ops.cast(end, bool_), ()), *after, *rest[c - 2 :]]

        kinds = [type_of(x) for x in operands]
        last = bind(ops.While(make_graph(goes_on, kinds), make_graph(step, kinds)), *operands)
        return tuple(self._state_of(last[2:c]))

    def _state_of(self, data: Sequence[Operand]) -> list[Value]:
        rest = iter(data)
        state: list[Value] = _refilled(
            self.state, iter([next(rest) if _is_data(x) else x for x in _leaves(self.state)])
        )
        return state


def _least(x: Any, y: Any) -> Any:
    return -dims.maximum(-x, -y)


class _Counter:
    """The number that the body of a loop counts up to: in TensorFlow, loops end where a number comes to a known one.

    Args:
        n: the node.
        graph: the body.
        state: what goes into the first round.
    """

    def __init__(self, n: Application, graph: ForeignGraph, state: list[Value]) -> None:
        self._n, self._graph, self._state = n, graph, state
        self.state = list(state)
        """The same, with the numbers that count as data: to compare them would ask for sizes."""
        self._makers = {name: node for node in graph.nodes for name in node.outputs}
        self._places = {port.name: k for k, port in enumerate(graph.inputs[2:])}

    def rounds(self, name: str | None = None) -> Any:
        """Return how many rounds there are where the first is sure; None where the condition is another one."""
        node = self._makers.get(self._origin(self._graph.outputs[0].name if name is None else name))
        if node is None:
            return None
        if node.op == "And":
            counts = [self.rounds(one) for one in node.inputs]
            return None if None in counts else _least(*counts)
        if node.op not in ("Less", "Greater"):
            return None
        low, high = node.inputs if node.op == "Less" else node.inputs[::-1]
        limit, (start, step) = self._fixed(high), self._following(low)
        if limit is None or step is None or dims.is_symbolic(step) or step <= 0:
            return None
        return dims.maximum(-((start - limit) // step), 1)

    def _origin(self, name: str) -> str:
        """The value that another one is but for its type."""
        while (node := self._makers.get(name)) is not None and node.op in ("Identity", "Cast"):
            name = node.inputs[0]
        return name

    def _gives(self, place: int) -> str:
        return self._origin(self._graph.outputs[1 + place].name)

    def _fixed(self, name: str) -> Any:
        """A whole number that is the same in all rounds; None where a value is none."""
        name = self._origin(name)
        place, node = self._places.get(name), self._makers.get(name)
        value: Value = self._n.around.get(name)
        if name in self._graph.constants:
            value = Known(self._graph.constants[name], self._graph.constants[name].dtype)
        elif node is not None and node.op == "Constant":
            value = self._n.walk.node(node, {}, None)[0]
        elif place is not None:
            value = self._state[place] if self._gives(place) == name else None
        return value.item() if isinstance(value, Known) and value.dtype.kind in "iu" and value.array.size == 1 else None

    def _following(self, name: str) -> tuple[Any, Any]:
        """The first number of those that the state has in the next round, and how much is added to it each time."""
        name = self._origin(name)
        node = self._makers.get(name)
        if node is not None and node.op == "Add":
            for x, y in (node.inputs, node.inputs[::-1]):
                place, step = self._places.get(self._origin(x)), self._fixed(y)
                first = None if place is None else self._state[place]
                if step is not None and isinstance(first, Known) and place is not None and self._gives(place) == name:
                    self.state[place] = first.operand()
                    return first.item(), step
        return None, None


def _written_out(
    n: Application, body: ForeignGraph, limit: Value, going: Value, state: list[Value], problem: str
) -> tuple[Value, ...]:
    """The results of rounds one after the other, whose number is known, or that the program is for.

    Raises:
        CaptureError E463: data decide it, or it is large.
    """
    known = n.walk.decided(limit)
    if known is None and limit is not None:
        raise _unknown(n, f"the number of rounds is data, and they are not one graph: {problem}")
    names = [port.name for port in body.inputs]
    count = None if known is None else int(known.item())
    columns: list[list[Operand]] = [[] for _ in body.outputs[1 + len(state) :]]
    number = 0
    while count is None or number < count:
        going = n.walk.decided(going)
        if going is None:
            raise _unknown(n, f"data decide whether the rounds go on, and they are not one graph: {problem}")
        if not going.item():
            break
        if number == LONGEST:
            raise _unknown(n, f"there are more than {LONGEST} rounds, which are not one graph: {problem}")
        inputs = dict(zip(names, [Known.of(number), going, *state], strict=True))
        going, *results = n.walk.graph(body, {**n.around, **inputs})
        state, rows = results[: len(state)], results[len(state) :]
        for column, row in zip(columns, rows, strict=True):
            column.append(with_axes(operand_of(row), [0]))
        number += 1
    if columns and not number:
        kinds = _body(n, body, [Known.of(0), going, *state]).kinds[-len(columns) :]
        return (*state, *(ops.full(0, kind.with_shape((0, *kind.shape))) for kind in kinds if kind is not None))
    return (*state, *(ops.concat(*column, axis=0) for column in columns))


# --------------------------------------------------------------------------------------------------------------- scans


def _directions(n: Application, name: str, count: int) -> tuple[int, ...]:
    return n.integers(name, (0,) * count)


@ONNX("Scan", since=9, values=True)
def scan(n: Application, *values: Value) -> tuple[Operand, ...]:
    """Steps along axes of arrays, some the other way; each gives an element of some axis of its results."""
    graph, count = _graph(n, "body"), n.integer("num_scan_inputs")
    states, inputs = ([operand_of(x) for x in part] for part in (values[:-count], values[-count:]))
    emitted = len(graph.outputs) - len(states)
    ways, ways_out = _directions(n, "scan_input_directions", count), _directions(n, "scan_output_directions", emitted)
    back = all(ways) and all(ways_out)
    axes = n.integers("scan_input_axes", (0,) * count)
    slices = [_turned(x, n.axis_of(axis, type_of(x).ndim), 0) for x, axis in zip(inputs, axes, strict=True)]
    slices = [ops.flip(x, 0) if way and not back else x for x, way in zip(slices, ways, strict=True)]
    kinds = [type_of(x).with_shape(type_of(x).shape[1:]) for x in slices]
    body = _body(n, graph, [*map(type_of, states), *kinds])
    op = ops.Scan(body.graph, type_of(slices[0]).shape[0], back, len(states))
    results = bind(op, *states, *slices, *body.outer)
    rows = [ops.flip(y, 0) if way and not back else y for y, way in zip(results[len(states) :], ways_out, strict=True)]
    axes = n.integers("scan_output_axes", (0,) * emitted)
    rows = [_turned(y, 0, n.axis_of(axis, type_of(y).ndim)) for y, axis in zip(rows, axes, strict=True)]
    return (*results[: len(states)], *rows)


def _turned(x: Operand, axis: int, to: int) -> Operand:
    """An array with an axis at another place."""
    order = [k for k in range(type_of(x).ndim) if k != axis]
    order.insert(to, axis)
    return ops.transpose(x, tuple(order))


@ONNX("Scan", until=8, values=True)
def scan_of_a_batch(n: Application, lengths: Value, *values: Value) -> tuple[Operand, ...]:
    """Steps along the second axis of arrays, for each element of the first."""
    if lengths is not None:
        n.fail("lengths of sequences are not supported")
    graph, count = _graph(n, "body"), n.integer("num_scan_inputs")
    ways = _directions(n, "directions", count)
    operands = [operand_of(x) for x in values]
    states = len(operands) - count
    for k, way in enumerate(ways):
        operands[states + k] = ops.flip(operands[states + k], 1) if way else operands[states + k]
    kinds = [type_of(x).with_shape(type_of(x).shape[1:]) for x in operands]
    inner = [kind if k < states else kind.with_shape(kind.shape[1:]) for k, kind in enumerate(kinds)]
    body = _body(n, graph, inner)
    steps = ops.Scan(body.graph, kinds[states].shape[0], False, states)
    each = make_graph(lambda *xs: bind(steps, *xs), [*kinds, *map(type_of, body.outer)])
    return bind(ops.Scan(each, type_of(operands[0]).shape[0]), *operands, *body.outer)


# ----------------------------------------------------------------------------------------------------------- sequences


def _place(n: Application, sequence: list[Value], place: Value) -> int:
    """A place in a sequence, from 0 on."""
    return n.axis_of(int(n.known(place, 1).item()), len(sequence))


@ONNX("SequenceConstruct", values=True)
def sequence(n: Application, *xs: Value) -> list[Value]:
    """A sequence of arrays."""
    return list(xs)


@ONNX("SequenceEmpty", values=True)
def empty_sequence(n: Application) -> list[Value]:
    """A sequence of none."""
    return []


@ONNX("SequenceAt", known=(1,), values=True)
def element(n: Application, xs: list[Value], place: Value) -> Value:
    """An array of a sequence."""
    return xs[_place(n, xs, place)]


@ONNX("SequenceInsert", known=(2,), values=True)
def inserted(n: Application, xs: list[Value], x: Value, place: Value = None) -> list[Value]:
    """A sequence with one array more, at its end where no place is given."""
    at = len(xs) if place is None else int(n.known(place, 2).item())
    at = at if at == len(xs) else n.axis_of(at, len(xs))
    return [*xs[:at], x, *xs[at:]]


@ONNX("SequenceErase", known=(1,), values=True)
def erased(n: Application, xs: list[Value], place: Value = None) -> list[Value]:
    """A sequence with one array less, the last where no place is given."""
    at = len(xs) - 1 if place is None else _place(n, xs, place)
    return [*xs[:at], *xs[at + 1 :]]


@ONNX("SequenceLength", values=True)
def length(n: Application, xs: list[Value]) -> Known:
    """The number of arrays in a sequence."""
    return Known.of(len(xs))


@ONNX("SplitToSequence", known=(1,), values=True)
def parts(n: Application, x: Value, sizes: Value = None) -> list[Value]:
    """Parts of an axis as a sequence: of one size, of several, or its elements."""
    x = operand_of(x)
    axis, keeps = n.axis(x, default=0), n.flag("keepdims", True)
    whole = type_of(x).shape[axis]
    split = Known.of(1) if sizes is None else n.known(sizes, 1)
    if split.array.ndim:
        ends = list(itertools.accumulate(int(size) for size in split.list()))
    else:
        step = int(split.item())
        ends = [*range(step, int(whole), step), int(whole)] if step > 0 else [0]
    if not ends or ends[-1] != whole:
        n.fail(f"parts of {split.list()} do not make an axis of {dims.text(whole)}")
    pieces = [ops.part(x, axis, start, end) for start, end in zip([0, *ends], ends, strict=False)]
    return pieces if sizes is not None or keeps else [without_axes(one, [axis]) for one in pieces]


@ONNX("ConcatFromSequence", values=True)
def joined(n: Application, xs: list[Value]) -> Operand:
    """The arrays of a sequence one after the other, along an axis or a new one."""
    operands = [operand_of(x) for x in xs]
    if not operands:
        n.fail("the sequence has no arrays")
    ndim = type_of(operands[0]).ndim + n.flag("new_axis")
    axis = n.axis_of(n.integer("axis"), ndim)
    return ops.concat(*(with_axes(x, [axis]) if n.flag("new_axis") else x for x in operands), axis=axis)


@ONNX("SequenceMap", values=True)
def mapped(n: Application, xs: list[Value], *others: Value) -> tuple[list[Value], ...]:
    """A graph applied to each array of a sequence, and to those of other sequences at its place."""
    body = _graph(n, "body")
    names = [port.name for port in body.inputs]
    rows = []
    for k, x in enumerate(xs):
        values = [x, *(other[k] if isinstance(other, list) else other for other in others)]
        rows.append(n.walk.graph(body, {**n.around, **dict(zip(names, values, strict=True))}))
    return tuple([row[k] for row in rows] for k in range(len(body.outputs)))


@ONNX("Identity", values=True)
def itself(n: Application, x: Value) -> Value:
    """A value of any kind."""
    return x


@ONNX("Optional", "OptionalGetElement", values=True)
def optional(n: Application, x: Value = None) -> Value:
    """A value that may be missing, which is known."""
    if x is None and n.node.op != "Optional":
        n.fail("the value is missing")
    return x


@ONNX("OptionalHasElement", values=True)
def present(n: Application, x: Value = None) -> Known:
    """True if a value is there."""
    return Known.of(x is not None, bool_)
