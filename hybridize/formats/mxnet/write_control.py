# SPDX-License-Identifier: Apache-2.0
"""Loops and branches as MXNet's `_foreach`, `_while_loop` and `_cond`.

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

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy

from hybridize import ops
from hybridize.formats.mxnet.writer import BodyWriter, Entry, GraphWriter
from hybridize.graph import Builder, Graph, Node, Value
from hybridize.passes.dead import EliminateDead

Maker = Callable[[], Entry]
"""Makes what stands for an entry, when it is used."""


def _node(writer: GraphWriter, op: str, inputs: Sequence[Entry], graphs: Sequence[Any], **attributes: Any) -> int:
    """Add a node with graphs inside and return its number."""
    number, _ = writer.add(op, inputs, num_args=len(inputs) + len(graphs), **attributes)
    writer.nodes[number]["subgraphs"] = list(graphs)
    return number


def _operands(writer: GraphWriter, body: BodyWriter, node: Node, state: set[int]) -> list[float | Maker]:
    """The operands of a node inside of it: those that stay may be numbers."""
    return [
        writer.numbers[value]
        if value in writer.numbers and k not in state
        else functools.partial(body.slot, k)
        for k, value in enumerate(node.inputs)
    ]  # fmt: skip


def _updated(body: BodyWriter, heads: Sequence[Entry], places: Sequence[int | None]) -> tuple[Any, list[int]]:
    """Close a body, each of whose results replaces the variable of a slot, or none."""
    graph, used = body.closed(heads)
    if all(place is None or place in used for place in places):
        return graph, used
    return body.closed([  # MXNet wants each variable to be an input: what replaces an unread one is made like it
        head if place is None or place in used else body.add("broadcast_like", [head, body.slot(place)])
        for head, place in zip(heads, places, strict=True)
    ])  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- scans


def write_scan(writer: GraphWriter, node: Node, op: Any) -> None:
    """Write a loop over rows, or over nothing."""
    carried = range(op.num_carry)
    if not op.length:
        for k, value in enumerate(node.outputs):
            if k in carried:
                writer.alias(node.inputs[k], value)
            else:
                writer.entries[value] = writer.constant(numpy.zeros(value.type.shape, value.type.dtype))
        return
    written = _over_rows(writer, node, op)
    number, finals = _by_number(writer, node, op) if written is None else written
    for k, value in enumerate(node.outputs):
        if k in carried:
            writer.entries[value] = finals[k]
            continue
        entry = number, k - len(carried)
        if value.type.ndim == 1:  # rows without axes have one there
            entry = writer.add("Reshape", [entry], shape=(-1,))
        writer.entries[value] = writer.add("reverse", [entry], axis=(0,)) if op.reverse else entry


def _over_rows(writer: GraphWriter, node: Node, op: Any) -> tuple[int, list[Entry]] | None:
    """Write a `_foreach`; return its node and the last states.

    None where the body uses no rows, or holds what MXNet knows no shapes of, which it must know here.
    """
    carried, rows = range(op.num_carry), op.stacked([value.type for value in node.inputs])
    slots = _slots(writer, node, op, rows)
    body = writer.body(slots)
    results = body.apply(op.body, _operands(writer, body, node, {*carried, *rows}))
    outputs = len(results) - len(carried)
    heads = [*results[len(carried) :], *results[: len(carried)]]
    graph, used = _updated(body, heads, [*[None] * outputs, *carried])
    data = [k for k in rows if k in used]
    if not data or any(inner["op"] in ("_cond", "_while_loop") for inner in graph["nodes"]):
        return None
    order = [*data, *carried]
    order += [k for k in used if k not in order]
    number = _node(
        writer, "_foreach", [slots[k]() for k in order], [graph],
        num_outputs=len(heads), num_out_data=outputs,
        in_data_locs=[used.index(k) for k in data], in_state_locs=[used.index(k) for k in carried],
        remain_locs=[used.index(k) for k in order[len(data) + len(carried) :]],
    )  # fmt: skip
    return number, [(number, outputs + k) for k in carried]


def _by_number(writer: GraphWriter, node: Node, op: Any) -> tuple[int, list[Entry]]:
    """Write a `_while_loop` that counts, and takes the rows by their numbers; return its node and the last states."""
    carried, rows = range(op.num_carry), op.stacked([value.type for value in node.inputs])
    slots = _slots(writer, node, op, rows)
    count = len(slots)
    slots.append(lambda: writer.constant(numpy.zeros(1, "i8")))
    body, asking = writer.body(slots), writer.body(slots)
    inputs = _operands(writer, body, node, {*carried, *rows})
    for k in rows:
        inputs[k] = functools.partial(_row, body, k, count)
    results = body.apply(op.body, inputs)
    after = body.add("_plus_scalar", [body.slot(count)], scalar=1)
    heads = [*results[len(carried) :], *results[: len(carried)], after]
    variables = [*carried, count]
    func = _updated(body, heads, [*[None] * (len(results) - len(carried)), *variables])
    cond = asking.closed([asking.add("_lesser_scalar", [asking.slot(count)], scalar=op.length)])
    return _loop(writer, slots, cond, func, variables, op.length)


def _slots(writer: GraphWriter, node: Node, op: Any, rows: Sequence[int]) -> list[Maker]:
    """The operands of a scan; the rows as they are gone over."""
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    for k in rows:
        slots[k] = functools.partial(_rows, writer, node.inputs[k], op.reverse)
    return slots


def _rows(writer: GraphWriter, value: Value, reverse: bool) -> Entry:
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
    writer: GraphWriter,
    slots: Sequence[Maker],
    cond: tuple[Any, list[int]],
    func: tuple[Any, list[int]],
    variables: Sequence[int],
    most: int,
) -> tuple[int, list[Entry]]:
    """Add a `_while_loop`; return its node and what its variables are in the end."""
    order = list(dict.fromkeys([*variables, *cond[1], *func[1]]))
    results = len(func[0]["heads"])
    number = _node(
        writer, "_while_loop", [slots[k]() for k in order], [cond[0], func[0]],
        num_outputs=results, num_out_data=results - len(variables), max_iterations=most,
        cond_input_locs=[order.index(k) for k in cond[1]], func_input_locs=[order.index(k) for k in func[1]],
        func_var_locs=[func[1].index(k) for k in variables],
    )  # fmt: skip
    return number, [(number, results - len(variables) + k) for k in range(len(variables))]


# --------------------------------------------------------------------------------------------------------------- while


class _Counter(NamedTuple):
    """A variable that counts rounds, and is below a number in each."""

    variable: int
    start: int
    step: int
    """The least that is added in a round."""
    steady: bool
    """True if it is always that much."""
    end: int

    @property
    def numbers_rounds(self) -> bool:
        """True if it is the number of the round."""
        return self.start == 0 and self.step == 1 and self.steady

    @property
    def rounds(self) -> int:
        """The rounds that there are at most."""
        return max(1, -((self.start - self.end) // self.step))


_BELOW: dict[type, tuple[int, int, int]] = {
    ops.Lt: (0, 1, 0), ops.Le: (0, 1, 1), ops.Gt: (1, 0, 0), ops.Ge: (1, 0, 1),
}  # fmt: skip
"""By comparison: the operand that is below the other, this other one, and what is added to it."""
_CASES = 64
"""Ways through the branches of a round that are looked at; where there are more, branches say nothing."""


class _Case:
    """Facts of the values of a graph, one way through its branches."""

    def __init__(self, graph: Graph) -> None:
        self.constants = dict(graph.constants)
        self.nodes = {value: node for node in graph.nodes for value in node.outputs}
        self.same: dict[Value, Value] = {}
        self.known: dict[Value, bool] = {}
        self.below: list[tuple[Value, int]] = []
        """Values that are below whole numbers."""

    def other(self) -> _Case:
        """The same case, of which more may be supposed."""
        case = copy.copy(self)
        case.constants, case.nodes, case.below = dict(self.constants), dict(self.nodes), list(self.below)
        case.same, case.known = dict(self.same), dict(self.known)
        return case

    def plain(self, value: Value) -> Value:
        """The value that a value is, but for its shape."""
        while True:
            node = self.nodes.get(value)
            if value in self.same:
                value = self.same[value]
            elif node is None:
                return value
            elif isinstance(node.op, ops.Reshape | ops.Broadcast):
                (value,) = node.inputs
            elif isinstance(node.op, ops.Where) and self.plain(node.inputs[0]) in self.known:
                value = node.inputs[1 if self.known[self.plain(node.inputs[0])] else 2]
            else:
                return value

    def number(self, value: Value) -> Any:
        """The number that a value of one element is; None where it is none."""
        array = self.constants.get(self.plain(value))
        return array.item() if array is not None and array.size == 1 else None

    def suppose(self, truth: Value) -> list[_Case]:
        """The cases in which a truth holds."""
        truth = self.plain(truth)
        node, known = self.nodes.get(truth), self.known.get(truth, self.number(truth))
        if known is not None:
            return [self] if known else []
        case = self.other()
        case.known[truth] = True
        if node is None:
            return [case]
        kind: type = type(node.op)
        if kind is ops.BitAnd:
            return [last for first in case.suppose(node.inputs[0]) for last in first.suppose(node.inputs[1])]
        if kind in (ops.Where, ops.Cond):
            cases = [last for one in self.sides(node) for last in one.suppose(truth)]
            return cases if len(cases) <= _CASES else [case]
        if kind in _BELOW:
            low, high, more = _BELOW[kind]
            number = self.number(node.inputs[high])
            if isinstance(number, int):
                case.below.append((self.plain(node.inputs[low]), number + more))
        return [case]

    def sides(self, node: Node) -> list[_Case]:
        """The cases of a choice or of a branch."""
        condition = self.plain(node.inputs[0])
        known = self.known.get(condition, self.number(condition))
        then = [case.other() for case in self.suppose(condition)]
        orelse = [] if known else [self.other()]
        for cases, truth in ((then, True), (orelse, False)):
            for case in cases:
                case.known[condition] = truth
                case.enter(node, truth)
        return [*then, *orelse]

    def enter(self, node: Node, truth: bool) -> None:
        """Suppose that one side of a branch was taken."""
        if not isinstance(node.op, ops.Cond):
            return
        side = Builder()
        results = side.inline(node.op.then if truth else node.op.orelse, node.inputs[1:])
        self.constants.update(side.constants)
        self.nodes.update({value: one for one in side.nodes for value in one.outputs})
        self.same.update(zip(node.outputs, results, strict=True))


def _counters(writer: GraphWriter, node: Node, op: Any) -> list[_Counter]:
    """The counters that limit a while loop: whole numbers, from a number on, by a number above 0 in all that go on."""
    starts: list[Any] = [writer.numbers.get(value) for value in node.inputs]
    condition = op.cond.outputs[0]
    if condition in op.cond.inputs:  # it has been computed in the round before
        cases = _Case(op.body).suppose(op.body.outputs[op.cond.inputs.index(condition)])
        below = [[dict(case.below).get(case.plain(value)) for value in op.body.outputs] for case in cases]
    else:
        cases = [_Case(op.body)]
        below = [
            [dict(case.below).get(value) for value in op.cond.inputs] for case in _Case(op.cond).suppose(condition)
        ]
    counters: list[_Counter] = []
    for k, start in enumerate(starts):
        steps = [_step(case, op.body.inputs[k], op.body.outputs[k]) for case in cases]
        limits = [one[k] for one in below]
        known = [step for step in steps if step is not None]
        ends = [end for end in limits if end is not None]
        if limits and isinstance(start, int) and (known, ends) == (steps, limits):
            counters.append(_Counter(k, start, min(known), min(known) == max(known), max(ends)))
    return counters


def _step(case: _Case, old: Value, new: Value) -> int | None:
    """The whole number above 0 that is added to a variable; None where it is anything else."""
    node = case.nodes.get(case.plain(new))
    op: Any = None if node is None else node.op
    if node is None or not isinstance(op, ops.Add):
        return None
    for one, other in (node.inputs, node.inputs[::-1]):
        step = case.number(other)
        if case.plain(one) is old and isinstance(step, int) and step > 0:
            return step
    return None


def _written(op: Any, body: Graph, counters: Sequence[_Counter], rounds: int) -> dict[int, Value]:
    """The variables that are rows, of which each round writes the one of its number, and those rows."""
    makers = {value: one for one in body.nodes for value in one.outputs}
    uses, cond_uses = body.uses(), op.cond.uses()
    numbers = [body.inputs[one.variable] for one in counters if one.numbers_rounds]
    variables = {}
    for k, (old, new) in enumerate(zip(body.inputs, body.outputs, strict=True)):
        update = makers.get(new)
        if update is None or not isinstance(update.op, ops.UpdateAt) or update.op.axis:
            continue
        rows, number, row = update.inputs
        alone = rows is old and uses[old] == uses[new] == 1 and not cond_uses.get(op.cond.inputs[k])
        if alone and number in numbers and row.type.shape[0] == 1 and old.type.shape[0] == rounds:
            variables[k] = row
    return variables


def write_while(writer: GraphWriter, node: Node, op: Any) -> None:
    """Write a loop that runs while a condition holds.

    Raises:
        CaptureError E467: nothing says how many rounds there are at most.
    """
    counters = _counters(writer, node, op)
    if not counters:
        writer.refuse(
            "a loop that runs while data says so, with no limit to its rounds,",
            node.loc,
            "write it as npx.while_loop(..., max_iterations=...), or ",
        )
    graph = EliminateDead()(op.body)
    rounds = min(one.rounds for one in counters)
    rows = _written(op, graph, counters, rounds)
    same = {k for k, (old, new) in enumerate(zip(graph.inputs, graph.outputs, strict=True)) if old is new}
    variables = [k for k in range(len(node.inputs)) if k not in rows and k not in same]
    results = (*rows.values(), *(graph.outputs[k] for k in variables))
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    func, asking = writer.body(slots), writer.body(slots)
    inputs, cond_inputs = (_operands(writer, body, node, {*variables, *rows}) for body in (func, asking))
    heads = func.apply(Graph(graph.inputs, graph.nodes, results, graph.constants), inputs)
    places: list[int | None] = [*[None] * len(rows), *variables]
    if rows:
        count, going = len(slots), len(slots) + 1  # the rounds so far, and if there is another one: the first is run
        slots += [functools.partial(writer.constant, numpy.full(1, number, "f4")) for number in (0, 1)]
        (holds,) = func.apply(op.cond, inputs)
        entries = _if(func, holds, heads, places, graph)
        known = dict(zip(places, entries, strict=True))
        (again,) = func.apply(
            op.cond, [functools.partial(known.__getitem__, k) if k in known else x for k, x in enumerate(inputs)]
        )
        heads = [*entries, func.add("elemwise_add", [func.slot(count), holds]), again]
        places = [*places, count, going]
        cond = asking.closed([asking.slot(going)])
    else:
        (truth,) = asking.apply(op.cond, cond_inputs)
        cond = asking.closed([truth])
    changed = [k for k in places if k is not None]
    number, finals = _loop(writer, slots, cond, _updated(func, heads, places), changed, rounds)
    for k in same:
        writer.alias(node.inputs[k], node.outputs[k])
    for k, entry in zip(variables, finals, strict=False):
        writer.entries[node.outputs[k]] = entry
    for position, k in enumerate(rows):
        _reached(writer, (number, position), node.inputs[k], node.outputs[k], finals[len(variables)])


def _if(
    body: BodyWriter, holds: Entry, heads: Sequence[Entry], places: Sequence[int | None], graph: Graph
) -> list[Entry]:
    """The new variables if a truth holds, else the old ones."""
    entries: list[Entry] = []
    for head, place in zip(heads, places, strict=True):
        if place is None:
            entries.append(head)
            continue
        old, axes = body.slot(place), max(1, graph.inputs[place].type.ndim)
        chosen = holds if axes == 1 else body.add("Reshape", [holds], shape=(1,) * axes)
        entries.append(body.add("where", [body.add("broadcast_like", [chosen, old]), head, old]))
    return entries


def _reached(writer: GraphWriter, stacked: Entry, before: Value, after: Value, count: Entry) -> None:
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


def write_cond(writer: GraphWriter, node: Node, op: Any) -> None:
    """Write a branch on data."""
    slots: list[Maker] = [functools.partial(writer.entry, value) for value in node.inputs]
    test = writer.body(slots)
    condition, of_condition = test.closed([test.slot(0)])
    graphs, places = [condition], [of_condition]
    for branch in (op.then, op.orelse):
        body = writer.body(slots)
        graph, used = body.closed(body.apply(branch, _operands(writer, body, node, {0})[1:]))
        graphs.append(graph)
        places.append(used)
    order = list(dict.fromkeys([k for used in places for k in used]))
    cond_locs, then_locs, else_locs = ([order.index(k) for k in used] for used in places)
    number = _node(
        writer, "_cond", [slots[k]() for k in order], graphs, num_outputs=len(node.outputs),
        cond_input_locs=cond_locs, then_input_locs=then_locs, else_input_locs=else_locs,
    )  # fmt: skip
    for k, value in enumerate(node.outputs):
        writer.entries[value] = number, k
