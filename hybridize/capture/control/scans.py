# SPDX-License-Identifier: Apache-2.0
"""Loops whose rounds are counted, as a `Scan`: one body, compiled once for any number of rounds.

    for x in xs:            state: h
        h = cell(x, h)      slices: x, of xs
        outs.append(h)      rows: h, stacked for outs

What is the same in each round or a line over the rounds (`n = n + 1`, the number of the round) is no state, and stays a
number that Python knows. Where a body cannot be one for all rounds, `Unrollable` or a refusal says so, and the caller
comes back to where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from types import CellType
from typing import Any

import numpy

from hybridize.array.nd_array import with_an_axis
from hybridize.array.ndarray import ndarray
from hybridize.array.placing import device_of
from hybridize.array.symbol import At, Cell, Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import int64
from hybridize.base.errors import HybridizeError
from hybridize.base.frozen import mutable
from hybridize.base.locations import SourceLoc
from hybridize.base.nested import flatten, unflatten
from hybridize.base.types import TensorType
from hybridize.capture.control import branches, raising, signals
from hybridize.capture.control import joining as merge
from hybridize.capture.control.recorded_loops import ROUNDS, RUNNING, Carried, RecordedBody, RecordedLoop
from hybridize.capture.control.rolled import EarlierItems, RolledItems
from hybridize.capture.control.rounds import Rounds
from hybridize.capture.control.rows import RoundSlice, RowsByNumber
from hybridize.capture.trace.lines import Line
from hybridize.capture.trace.recording import Branch, Recording
from hybridize.contract.snapshots import MISSING, refill
from hybridize.graph import Value
from hybridize.ops import Add, Scan, Sub
from hybridize.ops.op import in_charge, interpreting
from hybridize.system.interruptions import let_through

_CONSTANT = (str, bytes, bool, int, float, complex, type(None), numpy.dtype)
"""Classes of what may be in an item besides arrays and numbers: it is the same in each round."""


@mutable
class _Growing:
    """A list to which each round appends an item."""

    owner: list[Any]
    before: list[Any]
    loc: SourceLoc | None
    last: str
    """The name of the variable that the last item is in a round that asks for it."""
    item: Any = None
    """The item of the round that was recorded."""


class _AskedForLast(signals.Unwinding):
    """Leaves a round that reads the last item of a list, for it to be recorded anew with that at hand."""

    def __init__(self, list: _Growing) -> None:
        super().__init__()
        self.list = list


class ScanLoop(RecordedLoop):
    """A loop whose rounds are counted on its way into the graph."""

    def __init__(self, loop: Any, stack: signals.BlockStack, number: int, trace: Recording) -> None:
        super().__init__(loop, stack, number, trace)
        self.rounds: Rounds = loop.items.after(number)
        self.count: int = self.rounds.count
        self.growing: dict[int, _Growing] = {}
        self.slices: list[RoundSlice] = []
        self.lines: dict[str, Line] = {}
        """Variables that are a line over the rounds."""
        self.lasts: dict[str, Any] = {}
        """Variables whose value after the loop is known without it."""
        self._read: list[RoundSlice] = []
        self._written: list[Value] = []
        self._rows: list[Value] = []
        """The rows that rounds put out besides items of lists."""
        self._rolled: list[RolledItems] = []
        self._items: list[Any] = []
        """The parts of the item of the round that was recorded."""
        self.indexed: bool = False
        """True if the body writes to what the loop goes through: then a round's item is a view."""

    # What a round is.

    def _proceed(self) -> None:
        self.own[RUNNING].cell_contents = True

    def run(self, first: Symbol | None) -> None:
        """Record the loop."""
        carried = self._initial()
        for _ in range(ROUNDS):
            try:
                recorded = self._body(carried)
            except _AskedForLast as request:
                self.cells[request.list.last] = CellType(request.list.before[-1])
                continue
            if not self._adjust(carried, recorded):
                self._bind(carried, recorded)
                return
            recorded.branch.end = inf
        raise signals.Unrollable("types change from round to round")

    def _initial(self) -> Carried:
        self.own[RUNNING].cell_contents = True
        return Carried()

    def _take(self, source: Any) -> Symbol:
        branch = in_charge(Branch)
        if isinstance(source, Line):
            return self._counted(source)
        kind = source.type
        value = branch.input(kind.with_shape(kind.shape[1:]))
        self.trace.root.history.carried([value])
        self.slices.append(RoundSlice(value, source))
        one = Symbol.of(branch, value, source.name)
        one._cell.device, one.of_numpy = device_of(source), source.of_numpy
        return with_an_axis(one) if source.of_nd else one

    def _counted(self, line: Line) -> Symbol:
        """The number of a round, by a line."""
        for known in self.slices:
            if isinstance(known.source, Line) and known.source.is_same(line):
                return Symbol.of(self._branch, known.value, weak=int)
        value = self._branch.input(TensorType((), int64))
        self.trace.root.numbers.counts(value, line, self._branch)
        self.slices.append(RoundSlice(value, line))
        return Symbol.of(self._branch, value, weak=int)

    def _iterate(self) -> None:
        branch = in_charge(Branch)
        self._branch = branch
        self.slices = []
        for name, line in self.lines.items():
            signals.assign(self.cells[name], self._counted(line))
        number = Line(0, 1, self.count)
        item = self.rounds.at(self._counted(number)) if self.indexed else self.rounds.sliced(self._take)
        self._items = flatten(item)[0]
        frame = signals.GraphLoop(self._proceed, self._stop, self._leave, self.cells)
        for one in self.growing.values():
            one.owner.append(EarlierItems(partial(self._counted, number), partial(self._last_of, one)))
            self.trace.root.rolls = True
        try:
            signal = self.stack.run(self.loop.body, [*self.stack.frames, frame], item)
            if signal is signals.BREAK or isinstance(signal, signals.Returned):
                raise signals.Unrollable("the first round is the last one")
        except (raising.Ended, HybridizeError, NameError):
            raise
        except Exception as error:
            let_through(error)
            raise signals.Unrollable("a round raises an exception") from error
        finally:
            grown = [one.owner.copy() for one in self.growing.values()]
            for one in self.growing.values():
                refill(one.owner, one.before)
        for one, now in zip(self.growing.values(), grown, strict=True):
            self._grew(one, now)
            branch.containers.pop(id(one.owner), None)

    def _last_of(self, one: _Growing) -> Any:
        """Return the item that the round before, or who came before the loop, has appended to a list."""
        if one.last not in self.cells:
            if not one.before:
                raise signals.Unrollable("the first round finds no item in a list")
            raise _AskedForLast(one)
        return signals.content(self.cells[one.last])

    def _grew(self, one: _Growing, now: list[Any]) -> None:
        """Hear what a list holds after a round."""
        *before, earlier, item = now if len(now) == len(one.before) + 2 else [None, None]
        if type(earlier) is not EarlierItems or any(x is not y for x, y in zip(before, one.before, strict=True)):
            raise signals.Unrollable("a list is changed otherwise than by one item at its end")
        one.item = item
        if one.last in self.cells:
            signals.assign(self.cells[one.last], item)

    def _changed(self, owner: Any, now: Any, before: Any, loc: SourceLoc | None) -> bool:
        if (
            type(owner) is list
            and len(now) == len(before) + 1
            and all(x is y for x, y in zip(now, before, strict=False))
        ):
            self.growing[id(owner)] = _Growing(owner, before, loc, f"__hybridize_last_{len(self.growing)}__")
            return True
        return super()._changed(owner, now, before, loc)

    # What the rounds leave behind.

    def _runs(self) -> bool:
        return True  # who makes a scan has compared

    def _adjust(self, carried: Carried, recorded: RecordedBody) -> bool:
        if recorded.after[RUNNING] is not True:
            raise signals.Unrollable("data decides which round is the last")
        if not self.indexed and self._writes_items(recorded):
            self.indexed = True
            return True
        lines = [self._is_line(name, carried, recorded) for name in self.cells]
        if any(lines):
            return True
        return super()._adjust(carried, recorded) or self._check(carried, recorded)

    def _writes_items(self, recorded: RecordedBody) -> bool:
        """Tell whether a round writes to the item of its own, or to what the loop goes through."""
        written = {cell for cell, _ in recorded.branch.journal}
        sources = {one.source._cell for one in self.slices if isinstance(one.source, Symbol)}
        values = {one.value for one in self.slices}
        return not written.isdisjoint(sources) or any(before in values for _, before in recorded.branch.journal)

    def _is_line(self, name: str, carried: Carried, recorded: RecordedBody) -> bool:
        """Hear of a variable; return whether it turned out to be a line over the rounds, for which to record anew.

        Such a variable, and one that is an item, is no state, and what it is after the loop is known.
        """
        now = recorded.after.get(name, MISSING)
        item = next((k for k, one in enumerate(self._items) if one is now), None)
        if item is not None and signals.content(self.cells[name]) is MISSING:
            self.lasts[name] = flatten(self.rounds.at(self.count - 1))[0][item]
            recorded.after[name] = MISSING
            return False
        if type(now) is not Symbol or now._view:
            if name in self.lines:
                raise signals.Unrollable("a variable does not count evenly")
            return False
        value = now._cell.value
        if name in self.lines:
            step = self._step(value, self._value_of(self.lines[name]), recorded.branch)
            if step != self.lines[name].step:
                raise signals.Unrollable("a variable does not count evenly")
            assert step is not None
            self.lasts[name] = self.lines[name].last + step
            recorded.after[name] = signals.content(self.cells[name])
            return False
        if signals.content(self.cells[name]) is MISSING:
            line = self.trace.root.numbers.line(value, recorded.branch) if now.weak is int else None
            if line is not None:
                self.lasts[name] = line.last
                recorded.after[name] = MISSING
            return False
        start = signals.content(self.cells[name])
        if now.weak is not int or not (type(start) is int or is_symbolic(start)) or name not in carried.specs:
            return False
        step = self._step(value, recorded.inputs[name][0][0], recorded.branch)
        if step is None:
            return False
        self.lines[name] = Line(start, step, self.count)
        del carried.specs[name]
        return True

    def _value_of(self, line: Line) -> Value:
        return next(one.value for one in self.slices if isinstance(one.source, Line) and one.source.is_same(line))

    def _step(self, value: Value, start: Value, branch: Branch) -> int | None:
        """Return the constant by which a round counts an integer up; None where it does otherwise."""
        producers = {output: node for node in branch.builder.nodes for output in node.outputs}
        total = 0
        while value is not start:
            node = producers.get(value)
            if node is None or not isinstance(node.op, (Add, Sub)):
                return None
            one, other = node.inputs
            if isinstance(node.op, Add) and one in branch.builder.constants:
                one, other = other, one
            if other not in branch.builder.constants:
                return None
            by = int(branch.builder.constants[other])
            total += by if isinstance(node.op, Add) else -by
            value = one
        return total

    def _check(self, carried: Carried, recorded: RecordedBody) -> bool:
        """Refuse what would make of a value that Python knows after the loop one that it does not.

        Return whether to record anew: a variable that each round sets by its number is no state, whatever it was.
        """
        if carried.unset and not is_symbolic(self.count):
            raise signals.Unrollable("a variable changes its type")
        for name, spec in carried.specs.items():
            leaves = (
                flatten(signals.content(self.cells[name]))[0]
                if name not in carried.first
                else [MISSING] * len(spec.leaves)
            )
            for leaf, before in zip(spec.leaves, leaves, strict=False):
                if leaf.weak is None or is_symbolic(self.count):
                    continue
                if type(before) is not Symbol or self.trace.root.numbers.is_known(before, self.trace):
                    if not self._is_of_the_round(recorded.after[name], recorded.branch):
                        raise signals.Unrollable("Python knows a number after the loop")
                    # A round that reads it first does not find it, and the loop is unrolled.
                    signals.assign(self.cells[name], MISSING)
                    del carried.specs[name]
                    return True
        return False

    def _is_of_the_round(self, value: Any, branch: Branch) -> bool:
        """Tell whether a value is the item of the round that was recorded, or follows from its number."""
        if any(one is value for one in self._items):
            return True
        is_number = type(value) is Symbol and not value._view and value.weak is int
        return is_number and self.trace.root.numbers.line(value._cell.value, branch) is not None

    def _bind(self, carried: Carried, recorded: RecordedBody) -> None:
        before = {name: signals.content(cell) for name, cell in self.cells.items()}
        left = self._arrays_of(recorded)
        cells = {symbol._cell for symbol in left}
        values = {cell.value for cell in cells} | set(recorded.arrays.values())
        values |= {step.index for symbol in left for step in symbol._view if isinstance(step, At)}
        rows = RowsByNumber(self.trace, recorded.branch, values)
        written = []
        for cell in [cell for cell in carried.arrays if cell not in cells]:
            write = rows.written(recorded.inputs[cell], recorded.arrays[cell])
            if write is not None:
                written.append((cell, write))
                del carried.arrays[cell]
        self._written = [write.update for _, write in written]
        self._read = rows.read()
        super()._bind(carried, recorded)
        for (cell, write), value in zip(written, self._rows, strict=True):
            self.trace.leave(cell, write.result(self.trace, cell.value, value))
        for one, rolled in zip(self.growing.values(), self._rolled, strict=True):
            for item, symbol in zip(flatten(one.item)[0], flatten(rolled.stacked)[0], strict=True):
                self._tell(item, symbol, before, carried, recorded)
        for name, value in self.lasts.items():
            signals.assign(self.cells[name], value)

    def _arrays_of(self, recorded: RecordedBody) -> list[Symbol]:
        """The arrays that a round leaves in variables and lists."""
        items = [one.item for one in self.growing.values()]
        leaves = flatten([list(recorded.after.values()), items], lambda x: type(x) is RolledItems)[0]
        return [leaf for leaf in leaves if type(leaf) is Symbol]

    def _left(self) -> list[Cell]:
        leaves = flatten([one.item for one in self.growing.values()], lambda x: type(x) is RolledItems)[0]
        return [leaf._cell for leaf in leaves if type(leaf) is Symbol]

    def _tell(self, item: Any, rolled: Any, before: dict[str, Any], carried: Carried, recorded: RecordedBody) -> None:
        """Tell which arrays the items of a list may be: one that is carried, one from before, what the loop is over."""
        if not isinstance(item, (Symbol, ndarray)) or (type(item) is Symbol and item.weak is not None):
            return
        cell = self.trace.lifted(item)._cell
        origins = [] if cell.value in recorded.branch.mine else [cell]
        for name, spec in carried.specs.items():
            columns = (recorded.inputs[name][1], before[name], recorded.after[name], signals.content(self.cells[name]))
            known = [merge.cells_of(x, spec) if x is not MISSING else [None] * len(spec.leaves) for x in columns]
            for inside, first, after, last in zip(*known, strict=False):
                origins += [first] * (inside is cell and first is not None) + [last] * (after is cell)
        for k, one in enumerate(self._items):
            if type(one) is Symbol and one._cell is cell:
                origins.append(flatten(self.rounds.at(self.count - 1))[0][k]._cell)
        if origins:
            self.trace.root.aliases.may_share(rolled._cell, origins, self.trace)

    def _looped(
        self, recorded: RecordedBody, first: list[Value], start: list[Value], outputs: list[Value]
    ) -> list[Value]:  # fmt: skip
        branch = recorded.branch
        state = len(first)
        specs = [self._row(one, recorded, outputs) for one in self.growing.values()]
        outputs += [branch.own(value) for value in self._written]
        used = {value for node in branch.builder.nodes for value in node.inputs} | set(outputs)
        slices = [one for one in [*self.slices, *self._read] if one.value in used]
        stacked = [one.source.operand() for one in slices]
        read = [value for value, inner in branch.outer.items() if inner in used]
        body = branch.graph(read, outputs, [*first, *(one.value for one in slices)])
        results = list(self.trace.bind(Scan(body, self.count, False, state), (*start, *stacked, *read)))
        rows = iter(results[state:])
        self._rolled = [self._fill(one, spec, rows) for one, spec in zip(self.growing.values(), specs, strict=True)]
        self._rows = list(rows)
        return results[:state]

    def _row(self, one: _Growing, recorded: RecordedBody, outputs: list[Value]) -> merge.Spec:
        """Let a round put out the item that it appends to a list; return the type of the item."""
        branch = recorded.branch
        if merge.containers_of(one.item) or type(one.item) in (RolledItems, EarlierItems):
            raise signals.Unrollable("an item of a list is a list or dict")
        spec = merge.spec_of(one.item)
        if not spec.types or not all(
            leaf.type is not None or isinstance(leaf.value, _CONSTANT) for leaf in spec.leaves
        ):
            raise signals.Unrollable("an item of a list has no type")
        if any(leaf.weak is not None for leaf in spec.leaves) and not is_symbolic(self.count):
            raise signals.Unrollable("Python knows the items of a list")
        for cell in merge.cells_of(one.item, spec):
            if cell in recorded.arrays and cell.value not in branch.mine:
                raise signals.Unrollable("an item of a list is an array from before the loop, to which rounds write")
        with interpreting(branch), branches.with_values(recorded.arrays):
            outputs += [branch.own(value) for value in merge.operands(one.item, spec)]
        return spec

    def _fill(self, one: _Growing, spec: merge.Spec, rows: Iterator[Value]) -> RolledItems:
        """Let a list hold the items of all rounds."""
        trace = self.trace
        leaves = [
            merge.symbol_of(leaf, next(rows), trace) if leaf.type is not None else leaf.value for leaf in spec.leaves
        ]
        kinds = tuple(leaf.weak for leaf in spec.leaves if leaf.type is not None)
        trace.root.aliases.changes(one.owner, trace)
        trace.note_container(one.owner, one.loc)
        trace.root.rolls = True
        rolled = RolledItems(unflatten(spec.structure, leaves), kinds)
        one.owner.append(rolled)
        return rolled
