# SPDX-License-Identifier: Apache-2.0
"""Loops and branches as MXNet's `_foreach`, `_while_loop` and `_cond`; see `control_flow`, which reads them.

    scan over rows    `_foreach`; from the last row to the first: over reversed rows
    scan over none    `_while_loop`, whose condition counts
    while             `_while_loop`, if its condition holds for so many rounds at most as a counter says
    cond              `_cond`

A `_while_loop` stacks what its rounds put out; an array of which each round writes the row of its number is such an
output. Rows that no round wrote are whatever was in memory there, and without any round MXNet knows no shape for them:
so where there are rows the first round is always run, what it changes is kept only if the condition held, and the rows
that were not reached are taken from the array as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value
from hybridize.passes.dead import EliminateDead

Entry = tuple[int, int]
Maker = Callable[[], Entry]
"""Makes what stands for an entry, when it is used."""


class BodyWriter(Protocol):
    """Makes a graph in a node."""

    @property
    def add(self) -> Callable[..., Entry]: ...

    def slot(self, number: int) -> Entry: ...

    def apply(self, graph: Graph, given: Sequence[float | Maker]) -> list[Entry]: ...

    def closed(self, heads: Sequence[Entry]) -> tuple[dict[str, Any], list[int]]: ...


class OuterWriter(Protocol):
    """The part of the writer of a graph that is needed here."""

    nodes: list[dict[str, Any]]
    numbers: dict[Value, float]
    entries: dict[Value, Entry]

    @property
    def entry(self) -> Callable[[Value], Entry]: ...

    @property
    def add(self) -> Callable[..., Entry]: ...

    @property
    def alias(self) -> Callable[[Value, Value], None]: ...

    @property
    def constant(self) -> Callable[[NDArray[Any]], Entry]: ...

    def body(self, slots: list[Maker]) -> BodyWriter: ...

    def refuse(self, what: str, loc: SourceLoc | None, remedy: str = "") -> NoReturn: ...


def _node(writer: OuterWriter, op: str, inputs: Sequence[Entry], graphs: Sequence[Any], **attributes: Any) -> int:
    """Add a node with graphs inside and return its number."""
    number, _ = writer.add(op, inputs, num_args=len(inputs) + len(graphs), **attributes)
    writer.nodes[number]["subgraphs"] = list(graphs)
    return number


def _given(writer: OuterWriter, body: BodyWriter, node: Node, state: set[int]) -> list[float | Maker]:
    """The operands of a node inside of it: those that stay may be numbers."""
    return [
        writer.numbers[value]
        if value in writer.numbers and k not in state
        else functools.partial(body.slot, k)
        for k, value in enumerate(node.inputs)
    ]  # fmt: skip


def _using(body: BodyWriter, new: Entry, slot: int) -> Entry:
    """The new value of a variable, said so that the old one is an input: MXNet wants each of them to be one."""
    return body.add("broadcast_like", [new, body.slot(slot)])


def _updated(body: BodyWriter, heads: Sequence[Entry], places: Sequence[int | None]) -> tuple[Any, list[int]]:
    """Close a body, each of whose results replaces the variable of a slot, or none."""
    graph, used = body.closed(heads)
    if all(place is None or place in used for place in places):
        return graph, used
    return body.closed([
        head if place is None or place in used else _using(body, head, place)
        for head, place in zip(heads, places, strict=True)
    ])  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- scans


def write_scan(writer: OuterWriter, node: Node) -> None:
    """Write a loop over rows, or over nothing."""
    op: Any = node.op
    carried = range(op.num_carry)
    if not op.length:
        for k, value in enumerate(node.outputs):
            if k in carried:
                writer.alias(node.inputs[k], value)
            else:
                writer.entries[value] = writer.constant(numpy.zeros(value.type.shape, value.type.dtype))
        return
    written = _over_rows(writer, node)
    found, finals = _by_number(writer, node) if written is None else written
    for k, value in enumerate(node.outputs):
        if k in carried:
            writer.entries[value] = finals[k]
            continue
        entry = found, k - len(carried)
        if value.type.ndim == 1:  # rows without axes have one there
            entry = writer.add("Reshape", [entry], shape=(-1,))
        writer.entries[value] = writer.add("reverse", [entry], axis=(0,)) if op.reverse else entry


def _over_rows(writer: OuterWriter, node: Node) -> tuple[int, list[Entry]] | None:
    """Write a `_foreach`; return its node and the last states.

    None where the body uses no rows, or holds what MXNet knows no shapes of, which it must know here.
    """
    op: Any = node.op
    carried, rows = range(op.num_carry), op.stacked([value.type for value in node.inputs])
    slots = _slots(writer, node, rows)
    body = writer.body(slots)
    made = body.apply(op.body, _given(writer, body, node, {*carried, *rows}))
    outputs = len(made) - len(carried)
    heads = [*made[len(carried) :], *made[: len(carried)]]
    graph, used = _updated(body, heads, [*[None] * outputs, *carried])
    data = [k for k in rows if k in used]
    if not data or any(inner["op"] in ("_cond", "_while_loop") for inner in graph["nodes"]):
        return None
    order = [*data, *carried]
    order += [k for k in used if k not in order]
    found = _node(
        writer, "_foreach", [slots[k]() for k in order], [graph],
        num_outputs=len(heads), num_out_data=outputs,
        in_data_locs=[used.index(k) for k in data], in_state_locs=[used.index(k) for k in carried],
        remain_locs=[used.index(k) for k in order[len(data) + len(carried) :]],
    )  # fmt: skip
    return found, [(found, outputs + k) for k in carried]


def _by_number(writer: OuterWriter, node: Node) -> tuple[int, list[Entry]]:
    """Write a `_while_loop` that counts, and takes the rows by their numbers; return its node and the last states."""
    op: Any = node.op
    carried, rows = range(op.num_carry), op.stacked([value.type for value in node.inputs])
    slots = _slots(writer, node, rows)
    count = len(slots)
    slots.append(lambda: writer.constant(numpy.zeros(1, "i8")))
    body, asking = writer.body(slots), writer.body(slots)
    given = _given(writer, body, node, {*carried, *rows})
    for k in rows:
        given[k] = functools.partial(_row, body, k, count)
    made = body.apply(op.body, given)
    after = body.add("_plus_scalar", [body.slot(count)], scalar=1)
    heads = [*made[len(carried) :], *made[: len(carried)], after]
    variables = [*carried, count]
    func = _updated(body, heads, [*[None] * (len(made) - len(carried)), *variables])
    cond = asking.closed([asking.add("_lesser_scalar", [asking.slot(count)], scalar=op.length)])
    return _loop(writer, slots, cond, func, variables, op.length)


def _slots(writer: OuterWriter, node: Node, rows: Sequence[int]) -> list[Maker]:
    """The operands of a scan; the rows as they are gone over."""
    op: Any = node.op
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    for k in rows:
        slots[k] = functools.partial(_rows, writer, node.inputs[k], op.reverse)
    return slots


def _rows(writer: OuterWriter, value: Value, reverse: bool) -> Entry:
    """The rows that a loop goes over, in its order, each with an axis."""
    entry = writer.entry(value)
    if reverse:
        entry = writer.add("reverse", [entry], axis=(0,))
    return writer.add("expand_dims", [entry], axis=1) if value.type.ndim == 1 else entry


def _row(body: BodyWriter, slot: int, count: int) -> Entry:
    """A row by its number."""
    row = body.add("take", [body.slot(slot), body.slot(count)], axis=0, mode="clip")
    return body.add("Reshape", [row], shape=(-3, -2))  # the number has an axis


def _loop(
    writer: OuterWriter,
    slots: Sequence[Maker],
    cond: tuple[Any, list[int]],
    func: tuple[Any, list[int]],
    variables: Sequence[int],
    most: int,
) -> tuple[int, list[Entry]]:
    """Add a `_while_loop`; return its node and what its variables are in the end."""
    order = list(dict.fromkeys([*variables, *cond[1], *func[1]]))
    results = len(func[0]["heads"])
    found = _node(
        writer, "_while_loop", [slots[k]() for k in order], [cond[0], func[0]],
        num_outputs=results, num_out_data=results - len(variables), max_iterations=most,
        cond_input_locs=[order.index(k) for k in cond[1]], func_input_locs=[order.index(k) for k in func[1]],
        func_var_locs=[func[1].index(k) for k in variables],
    )  # fmt: skip
    return found, [(found, results - len(variables) + k) for k in range(len(variables))]


# --------------------------------------------------------------------------------------------------------------- while


class _Counter(NamedTuple):
    """A variable that counts rounds, and is below a number in each."""

    variable: int
    start: int
    step: int
    end: int

    @property
    def numbers_rounds(self) -> bool:
        """True if it is the number of the round."""
        return self.start == 0 and self.step == 1

    @property
    def rounds(self) -> int:
        """The rounds that there are at most."""
        return max(1, -((self.start - self.end) // self.step))


class _Makers:
    """The nodes of a graph by what they make."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes = {value: node for node in graph.nodes for value in node.outputs}

    def plain(self, value: Value) -> Value:
        """The value before it was only given another shape."""
        while (node := self.nodes.get(value)) is not None and isinstance(node.op, ops.Reshape | ops.Broadcast):
            (value,) = node.inputs
        return value

    def of(self, value: Value, kind: type) -> Node | None:
        """The node that makes a value, where it is of this kind."""
        node = self.nodes.get(self.plain(value))
        return node if node is not None and type(node.op) is kind else None

    def number(self, value: Value) -> Any:
        """The number that a value of one element is; None where it is none."""
        array = self.graph.constants.get(self.plain(value))
        return array.item() if array is not None and array.size == 1 else None

    def limits(self, truth: Value, known: dict[Value, bool]) -> list[tuple[Value, int]]:
        """The values that are below numbers where a truth holds; what else holds then is added to what is known."""
        both, chosen, branch = self.of(truth, ops.BitAnd), self.of(truth, ops.Where), self.of(truth, ops.Cond)
        if both is not None:
            return [found for part in both.inputs for found in self.limits(part, known)]
        if chosen is not None:
            asked, then, orelse = chosen.inputs
            for never, other, side in ((then, orelse, False), (orelse, then, True)):
                if self.number(never) is False:
                    known[asked] = side
                    return self.limits(other, known)
        if branch is not None:
            op: Any = branch.op
            result = op.orelse.outputs[branch.outputs.index(self.plain(truth))]
            inputs = dict(zip(op.orelse.inputs, branch.inputs[1:], strict=True))
            asked = branch.inputs[0]
            if inputs.get(result) is asked or _Makers(op.orelse).number(result) is False:
                known[asked] = True
                return self.limits(asked, known)
        for kind, low, high, more in ((ops.Lt, 0, 1, 0), (ops.Le, 0, 1, 1), (ops.Gt, 1, 0, 0), (ops.Ge, 1, 0, 1)):
            node = self.of(truth, kind)
            number = None if node is None else self.number(node.inputs[high])
            if node is not None and type(number) is int:
                return [(node.inputs[low], number + more)]
        return []

    def under(self, value: Value, known: dict[Value, bool]) -> Value:
        """The value that it is where some truths are known."""
        node = self.nodes.get(value)
        while node is not None and isinstance(node.op, ops.Where) and node.inputs[0] in known:
            value = node.inputs[1 if known[node.inputs[0]] else 2]
            node = self.nodes.get(value)
        return value


def _counters(writer: OuterWriter, node: Node) -> list[_Counter]:
    """The counters that limit a while loop: whole numbers, from a number on, by a number above 0 in all that go on."""
    op: Any = node.op
    body, cond = _Makers(op.body), _Makers(op.cond)
    (asked,) = op.cond.outputs
    known: dict[Value, bool] = {}
    limits = [(op.cond.inputs.index(value), end) for value, end in cond.limits(asked, {}) if value in op.cond.inputs]
    if asked in op.cond.inputs:  # what it asks has been computed in the round before
        truth = op.body.outputs[op.cond.inputs.index(asked)]
        for value, end in body.limits(truth, known):
            limits += [(k, end) for k, new in enumerate(op.body.outputs) if body.under(new, known) is value]
    found: list[_Counter] = []
    for k, end in limits:
        added, start = body.of(body.under(op.body.outputs[k], known), ops.Add), writer.numbers.get(node.inputs[k])
        if added is None or not isinstance(start, int) or isinstance(start, bool):
            continue
        for old, other in (added.inputs, added.inputs[::-1]):
            step = body.number(other)
            if old is op.body.inputs[k] and type(step) is int and step > 0:
                found.append(_Counter(k, start, step, end))
    return found


def _written(node: Node, body: Graph, counters: Sequence[_Counter], rounds: int) -> dict[int, Value]:
    """The variables that are rows, of which each round writes the one of its number, and those rows."""
    op: Any = node.op
    made, uses, asked = _Makers(body), body.uses(), op.cond.uses()
    numbers = [body.inputs[one.variable] for one in counters if one.numbers_rounds]
    found = {}
    for k, (old, new) in enumerate(zip(body.inputs, body.outputs, strict=True)):
        update = made.nodes.get(new)
        if update is None or not isinstance(update.op, ops.UpdateAt) or update.op.axis:
            continue
        rows, number, row = update.inputs
        alone = rows is old and uses[old] == uses[new] == 1 and not asked.get(op.cond.inputs[k])
        if alone and number in numbers and row.type.shape[0] == 1 and old.type.shape[0] == rounds:
            found[k] = row
    return found


def write_while(writer: OuterWriter, node: Node) -> None:
    """Write a loop that runs while a condition holds.

    Raises:
        CaptureError E450: nothing says how many rounds there are at most.
    """
    op: Any = node.op
    counters = _counters(writer, node)
    if not counters:
        writer.refuse(
            "a loop that runs while data says so, with no limit to its rounds,",
            node.loc,
            "write it as npx.while_loop(..., max_iterations=...), or ",
        )
    graph = EliminateDead()(op.body)
    rounds = min(one.rounds for one in counters)
    rows = _written(node, graph, counters, rounds)
    same = {k for k, (old, new) in enumerate(zip(graph.inputs, graph.outputs, strict=True)) if old is new}
    variables = [k for k in range(len(node.inputs)) if k not in rows and k not in same]
    results = (*rows.values(), *(graph.outputs[k] for k in variables))
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    func, asking = writer.body(slots), writer.body(slots)
    given, asked = (_given(writer, body, node, {*variables, *rows}) for body in (func, asking))
    heads = func.apply(Graph(graph.inputs, graph.nodes, results, graph.constants), given)
    places: list[int | None] = [*[None] * len(rows), *variables]
    if rows:
        count, going = len(slots), len(slots) + 1  # the rounds so far, and if there is another one: the first is run
        slots += [functools.partial(writer.constant, numpy.full(1, number, "f4")) for number in (0, 1)]
        (holds,) = func.apply(op.cond, given)
        kept = _if(func, holds, heads, places, graph)
        known = dict(zip(places, kept, strict=True))
        (again,) = func.apply(op.cond, [_known(known[k]) if k in known else x for k, x in enumerate(given)])
        heads = [*kept, func.add("elemwise_add", [func.slot(count), holds]), again]
        places = [*places, count, going]
        cond = asking.closed([asking.slot(going)])
    else:
        (truth,) = asking.apply(op.cond, asked)
        cond = asking.closed([truth])
    changed = [k for k in places if k is not None]
    found, finals = _loop(writer, slots, cond, _updated(func, heads, places), changed, rounds)
    for k in same:
        writer.alias(node.inputs[k], node.outputs[k])
    for k, entry in zip(variables, finals, strict=False):
        writer.entries[node.outputs[k]] = entry
    for position, k in enumerate(rows):
        _reached(writer, (found, position), node.inputs[k], node.outputs[k], finals[len(variables)])


def _known(entry: Entry) -> Maker:
    return lambda: entry


def _if(
    body: BodyWriter, holds: Entry, heads: Sequence[Entry], places: Sequence[int | None], graph: Graph
) -> list[Entry]:
    """The new variables if a truth holds, else the old ones."""
    found: list[Entry] = []
    for head, place in zip(heads, places, strict=True):
        if place is None:
            found.append(head)
            continue
        old, axes = body.slot(place), max(1, graph.inputs[place].type.ndim)
        chosen = holds if axes == 1 else body.add("Reshape", [holds], shape=(1,) * axes)
        found.append(body.add("where", [body.add("broadcast_like", [chosen, old]), head, old]))
    return found


def _reached(writer: OuterWriter, stacked: Entry, before: Value, after: Value, count: Entry) -> None:
    """Write rows that a loop gave as far as it came, and those of the array as it was."""
    shape = (-3,) if after.type.ndim == 1 else (-3, -2)  # its rounds give rows with an axis of 1 in front
    rows = writer.add("Reshape", [stacked], shape=shape)
    numbers = writer.constant(numpy.arange(after.type.shape[0], dtype="f4"))
    written = writer.add("broadcast_lesser", [numbers, count])
    number = writer.numbers.get(before)
    if number is None:
        others = writer.entry(before)
    else:
        others = writer.add("zeros_like", [rows])
        others = writer.add("_plus_scalar", [others], scalar=float(number)) if number else others
    writer.entries[after] = writer.add("where", [written, rows, others])


# ------------------------------------------------------------------------------------------------------------ branches


def write_cond(writer: OuterWriter, node: Node) -> None:
    """Write a branch on data."""
    op: Any = node.op
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    test = writer.body(slots)
    asked, of_asked = test.closed([test.slot(0)])
    graphs, places = [asked], [of_asked]
    for branch in (op.then, op.orelse):
        body = writer.body(slots)
        graph, used = body.closed(body.apply(branch, _given(writer, body, node, {0})[1:]))
        graphs.append(graph)
        places.append(used)
    order = list(dict.fromkeys([k for used in places for k in used]))
    cond_locs, then_locs, else_locs = ([order.index(k) for k in used] for used in places)
    found = _node(
        writer, "_cond", [slots[k]() for k in order], graphs, num_outputs=len(node.outputs),
        cond_input_locs=cond_locs, then_input_locs=then_locs, else_input_locs=else_locs,
    )  # fmt: skip
    for k, value in enumerate(node.outputs):
        writer.entries[value] = found, k
