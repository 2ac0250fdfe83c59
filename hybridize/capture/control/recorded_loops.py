# SPDX-License-Identifier: Apache-2.0
"""A loop on its way into the graph: its body is recorded until the types of what it changes stay the same.

Loop-carried are the variables that the body changes, the arrays that it writes in place, and what lists and dicts hold
that it changes. A `While` runs as long as a condition holds; `scans` makes loops whose rounds are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field
from math import inf
from types import CellType
from typing import Any

import numpy

from hybridize.array.symbol import Cell, Symbol
from hybridize.base import modes
from hybridize.base.dims import Size, is_symbolic
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import mutable
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.capture.control import branches, raising, signals
from hybridize.capture.control import joining as merge
from hybridize.capture.control.joining import LeafSpec, Mismatch, Spec
from hybridize.capture.control.rounds import Rounds
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.lines import Affine, Line
from hybridize.capture.trace.recording import Branch, Recording, current_trace
from hybridize.contract.snapshots import MISSING, refill, same
from hybridize.graph import Graph, Value
from hybridize.ops import Cond, Scan, While, size_of
from hybridize.ops.op import Op, bind, constant, in_charge, interpreting
from hybridize.ops.tracing import make_graph
from hybridize.system.interruptions import let_through

ROUNDS = 40
"""So often the body of a loop is recorded at most, until its types stay the same."""


@mutable
class Carried:
    """The loop-carried values of a loop of the graph: variables by name, and arrays that are written in place."""

    specs: dict[str, Spec] = field(default_factory=dict)
    arrays: dict[Cell, TensorType] = field(default_factory=dict)
    unset: dict[str, str] = field(default_factory=dict)
    """Variables that have no value in the loop, and why."""
    first: set[str] = field(default_factory=set)
    """Variables that have no value before the loop, but after each of its rounds, of which there is at least one."""
    far: set[str] = field(default_factory=set)
    """Variables whose integers are not only counted by little in each round."""


@mutable
class RecordedBody:
    """The body of a loop, recorded once."""

    branch: Branch
    inputs: dict[Any, Any]
    """For each carried variable the values and what it was at the start; for each carried array the value."""
    after: dict[str, Any]
    """Variables at the end."""
    arrays: dict[Cell, Value]
    """The contents of arrays at the end: of those that are carried, and of all that were written."""
    new: bool = False
    """True if it turned out to change what has to be carried too."""


class _Shared:
    """Aliases of the results of a loop: arrays from before it, and arrays that the body gives, round after round."""

    def __init__(self) -> None:
        self._origins: dict[Cell, set[Cell]] = {}
        """For the cell of a result, and the one that carries it, the arrays that it may be."""
        self._results: list[Cell] = []

    def add(self, result: Cell, carrier: Cell | None, origin: Cell | None, *, left: bool) -> None:
        """Say that what the body reads of a result, and where it may be `left` as it was the result, is an array."""
        for cell in (result, carrier) if left else (carrier,):
            if origin is not None and cell is not None:
                self._origins.setdefault(cell, set()).add(origin)
        if result not in self._results:
            self._results.append(result)

    def tell(self, trace: Recording, body: Branch) -> None:
        """Link each result with all arrays of before that it may be, and with the results that may be one array."""
        reached = [self._reached(result) for result in self._results]
        for number, (result, arrays) in enumerate(zip(self._results, reached, strict=True)):
            others = [self._results[i] for i in range(number) if reached[i] & arrays]
            before = [array for array in arrays if not body.is_own(array.value)]
            trace.root.aliases.may_share(result, [*before, *others], trace)

    def check_writes(self, trace: Recording, body: Branch, readers: Collection[Cell], left: Iterable[Cell]) -> None:
        """Check that writes of the body to what the loop carries are seen by no other name, in whichever round.

        Args:
            trace: where the loop is.
            body: of the loop.
            readers: what the loop carries of which a round reads what the one before has left.
            left: arrays that rounds leave elsewhere.

        Raises:
            CaptureError E441: one may be.
        """
        aliases = trace.root.aliases
        reached = {cell: aliases.reached({cell} | self._reached(cell)) for cell in self._origins}
        for cell, arrays in reached.items():
            others = [reached[other] for other in readers if other is not cell and other in reached]
            aliases.check_carried(cell, arrays, set(left).union(*others), body)

    def _reached(self, result: Cell) -> set[Cell]:
        cells: set[Cell] = set()
        waiting = [result]
        while waiting:
            for origin in self._origins.get(waiting.pop(), ()):
                if origin not in cells:
                    cells.add(origin)
                    waiting.append(origin)
        return cells


COUNTER, RUNNING, BROKE, RETURNED = (
    f"__hybridize_{what}__" for what in ("counter", "running", "broke", "returned")
)  # fmt: skip


@mutable
class LentContent:
    """The content of a list or dict of the program that the body of a loop changes: carried as a variable is."""

    owner: Any
    loc: SourceLoc | None
    """The line of the first change."""


class RecordedLoop:
    """A loop on its way into the graph, as a `While`."""

    loop: Any
    stack: signals.BlockStack
    trace: Recording
    number: int

    def __init__(self, loop: Any, stack: signals.BlockStack, number: int, trace: Recording) -> None:
        self.loop, self.stack, self.trace, self.number = loop, stack, trace, number
        self.own: dict[str, CellType] = {
            name: CellType() for name in (COUNTER, RUNNING, BROKE, RETURNED, signals.RESULT)
        }
        self.cells: Any = loop.cells | self.own
        self.own[BROKE].cell_contents = False
        self.own[RETURNED].cell_contents = False
        self.loc: SourceLoc | None = trace.root.location()
        self.endless: bool = True
        """True if nothing but `return` ends the loop."""
        self.at_once: bool = False
        """True if the loop runs at least once because of its condition."""
        self.contents: dict[str, LentContent] = {}
        """Lists and dicts whose content is carried, by the name of the variable that stands for it."""

    # The loop's own decisions, as values of the graph.

    def _test(self) -> Any:
        if self.loop.test is not None:
            return truth(self.loop.test())
        counter = self.own[COUNTER].cell_contents
        items = self.loop.items
        if isinstance(items, Rounds):
            return counter < number_of(items.count)
        value = self._item_of(counter)
        return value < items.stop if items.step > 0 else value > items.stop

    def _item_of(self, counter: Any) -> Any:
        items = self.loop.items
        return items.at(counter) if isinstance(items, Rounds) else counter * items.step + items.start

    def _proceed(self) -> None:
        if self.loop.test is None:
            self.own[COUNTER].cell_contents = self.own[COUNTER].cell_contents + 1
        going = self._test()
        self.own[RUNNING].cell_contents = raising.unless_failed(going)
        self.endless = self.endless and going is True

    def _stop(self) -> None:
        self.endless = False
        self._end()

    def _end(self) -> None:
        self.own[RUNNING].cell_contents = False
        self.own[BROKE].cell_contents = True

    def _leave(self, value: Any) -> None:
        self._end()
        self.own[RETURNED].cell_contents = True
        self.own[signals.RESULT].cell_contents = value

    def run(self, first: Symbol | None) -> signals.Signal | None:
        """Record the loop, and what follows where it may be left by `return`."""
        if isinstance(self.loop.items, signals.SymbolicRange) and isinstance(self.loop.items.step, Symbol):
            raise self.trace.refusal(
                "E443", "range() with a step that depends on data", help="use a while loop, or multiply the index"
            )
        if self.loop.test is None:
            # A symbol from the start: a plain number would be taken for one that the body may unroll over.
            self.own[COUNTER].cell_contents = Symbol.of(self.trace, constant(numpy.asarray(self.number)), weak=int)
        going = self._test() if first is None else first
        self.own[RUNNING].cell_contents = raising.unless_failed(going)
        self.endless = self.at_once = going is True
        carried = self._initial()
        for _ in range(ROUNDS):
            recorded = self._body(carried)
            if not self._adjust(carried, recorded):
                self._bind(carried, recorded)
                return self._after()
            recorded.branch.end = inf
        raise self.trace.refusal(
            "E444", "the variables of a loop that depends on data keep changing their types",
            help="before the loop, give them the shape and dtype that they have at its end",
        )  # fmt: skip

    def _initial(self) -> Carried:
        carried = Carried()
        carried.specs[RUNNING] = Spec(merge.spec_of(True).structure, (LeafSpec(None, TensorType((), bool_)),))
        if self.loop.test is None:
            carried.specs[COUNTER] = Spec(merge.spec_of(0).structure, (LeafSpec(int, TensorType((), int64)),))
        return carried

    def _body(self, carried: Carried) -> RecordedBody:
        """Record the body once."""
        branch = Branch(self.trace)
        branch.catches = branch.repeats = True
        before = {name: signals.content(cell) for name, cell in self.cells.items()}
        inputs: dict[Any, Any] = {}
        for name, spec in carried.specs.items():
            values = [branch.input(kind) for kind in spec.types]
            if name not in carried.far:
                self.trace.root.numbers.carry(values)
            if name == COUNTER:
                items = self.loop.items
                rounds = items.count - self.number if isinstance(items, Rounds) else self._most()
                if rounds is not None:
                    self.trace.root.numbers.counts(values[0], Line(self.number, 1, rounds, ends_early=True), branch)
            self.trace.root.history.carried(values)
            value, cells = merge.rebuilt(spec, values, branch)
            self._carry(name, spec, cells, branch)
            self.trace.root.aliases.carry_containers(merge.containers_of(value))
            inputs[name] = (values, value)
            signals.assign(self.cells[name], value)
        for name in carried.unset:
            signals.assign(self.cells[name], MISSING)
        # Whether an earlier round has set them depends on data, so reading one is no exception of the user's.
        undefined = self.trace.root.undefined
        unset = {name for name in self.loop.cells if signals.content(self.cells[name]) is MISSING}
        later = {name: self._reason("is set in the loop only") for name in unset if name not in undefined}
        undefined.update(later)
        starts = {cell: cell.value for cell in carried.arrays}
        for cell, kind in carried.arrays.items():
            inputs[cell] = cell.value = branch.input(kind)
            self.trace.root.history.carried([inputs[cell]])
        originals = [(lent.owner, lent.owner.copy()) for lent in self.contents.values()]
        for name, lent in self.contents.items():
            refill(lent.owner, signals.content(self.cells[name]))
        try:
            with interpreting(branch):
                self._iterate()
            for name, lent in self.contents.items():
                signals.assign(self.cells[name], lent.owner.copy())
            after = {name: signals.content(cell) for name, cell in self.cells.items()}
            written = {cell for cell, _ in branch.journal}
            arrays = {cell: cell.value for cell in [*carried.arrays, *written]}
        finally:
            for name, cell_ in self.cells.items():
                signals.assign(cell_, before[name])
            for cell, old in reversed(branch.journal):
                cell.value = old
            for cell, old in starts.items():
                cell.value = old
            for owner, old in originals:
                refill(owner, old)
            lent_now = {id(lent.owner) for lent in self.contents.values()}
            changed = [(owner, owner.copy(), old, loc) for key, (owner, old, loc) in branch.containers.items()
                       if key not in lent_now]  # fmt: skip
            for owner, _, old, _ in changed:
                refill(owner, old)
        new = [self._changed(*change) for change in changed]
        for name in later:
            del undefined[name]
        return RecordedBody(branch, inputs, after, arrays, any(new))

    def _carry(self, name: str, spec: Spec, cells: list[Cell], branch: Branch) -> None:
        """Say of the arrays that the body carries in a variable what they are before the loop."""
        before = signals.content(self.cells[name])
        starts = [None] * len(cells) if before is MISSING else merge.cells_of(before, spec)
        for cell, start in zip(cells, starts, strict=True):
            is_number = before is not MISSING and start is None
            self.trace.root.aliases.carry(cell, is_number, start, branch)

    def _changed(self, owner: Any, now: Any, before: Any, loc: SourceLoc | None) -> bool:
        """Hear that the body changes a container; return whether it has to be recorded again for that.

        Raises:
            CaptureError E430: no program can carry what it holds.
        """
        own = self.trace.root.world.is_own(owner)
        if (
            not own
            or type(owner) not in (list, dict)
            or merge.containers_of(before)[1:]
            or merge.containers_of(now)[1:]
        ):
            raise branches.refused_change(self.trace, owner, loc)
        name = f"__hybridize_content_{len(self.contents)}__"
        self.contents[name] = LentContent(owner, loc)
        self.cells[name] = CellType(before)
        return True

    def _iterate(self) -> None:
        """The body, and the decision whether there is another iteration."""
        frame = signals.GraphLoop(self._proceed, self._stop, self._leave, self.cells)
        arguments = [] if self.loop.test is not None else [self._item_of(self.own[COUNTER].cell_contents)]
        branch = in_charge(Recording)
        try:
            signal = self.stack.run(self.loop.body, [*self.stack.frames, frame], *arguments)
            if signal is None or signal is signals.CONTINUE:
                self._proceed()
            elif signal is signals.BREAK:
                self._stop()
            elif isinstance(signal, signals.Returned):
                self._leave(signal.value)
            else:
                assert signal is signals.ENDED
        except raising.Ended:
            self._stop()
        except Exception as error:
            let_through(error)
            raising.stop(branch, error)
            self._stop()

    def _adjust(self, carried: Carried, recorded: RecordedBody) -> bool:
        """Carry what the body turned out to change; returns whether anything is new."""
        new = recorded.new
        for cell, value in recorded.arrays.items():
            if cell not in carried.arrays and cell.value not in recorded.branch.mine:
                carried.arrays[cell] = value.type
                new = True
        for name, cell_ in self.cells.items():
            if name not in recorded.after:
                continue
            start = recorded.inputs[name][1] if name in carried.specs else signals.content(cell_)
            now = recorded.after[name]
            known = now is not MISSING and start is not MISSING
            if name in carried.unset or now is start or (known and same(now, start)):
                continue
            before = signals.content(cell_)
            if before is MISSING and now is not MISSING and self._has_first(name):
                before = now  # a placeholder of its type, which nobody reads: the body was recorded without it
                carried.first.add(name)
            try:
                if now is MISSING or before is MISSING:
                    raise Mismatch("is set in the loop only" if before is MISSING else "is unset in the loop")
                spec = merge.joined(merge.spec_of(before), merge.spec_of(now))
                if name in carried.specs:
                    spec = merge.joined(spec, carried.specs[name])
            except Mismatch as mismatch:
                if name in self.contents:
                    raise self._refused_content(name) from None
                carried.specs.pop(name, None)
                carried.unset[name] = self.trace.root.undefined[name] = self._reason(str(mismatch))
                new = new or before is not MISSING
                continue
            if carried.specs.get(name) != spec:
                carried.specs[name] = spec
                new = True
        return self._widen(carried, recorded) or new

    def _widen(self, carried: Carried, recorded: RecordedBody) -> bool:
        """Find integers that may leave the bounds which the body took for granted; returns whether any is new."""
        numbers = self.trace.root.numbers
        names = {
            name
            for name, spec in carried.specs.items()
            if name not in carried.far and any(leaf.weak is int for leaf in spec.leaves)
            if numbers.is_far(signals.content(self.cells[name]), self.trace)
            or numbers.is_far(recorded.after[name], recorded.branch)
        }
        carried.far |= names
        return bool(names)

    def _has_first(self, name: str) -> bool:
        """Tell whether the value that a round gives a variable is there after the loop, whatever it was before."""
        if name == signals.RESULT or self.at_once:
            return True
        items = self.loop.items
        return isinstance(items, Rounds) and bool(items.count > self.number)

    def _runs(self) -> bool:
        """Tell whether the loop is known to have a round, whatever the call."""
        return self.at_once

    def _reason(self, mismatch: str) -> str:
        where = f"that depends on data at {self.loc}"
        if mismatch.startswith("is "):
            return f"{mismatch} {where}"
        return f"is {mismatch.replace(' and ', ' before and ', 1)} after one round of the loop {where}"

    def _bind(self, carried: Carried, recorded: RecordedBody) -> None:
        """Add the While, and give the variables and arrays what it gives."""
        trace, branch, inputs = self.trace, recorded.branch, recorded.inputs
        first: list[Value] = []
        start: list[Value] = []
        outputs: list[Value] = []
        for name, spec in carried.specs.items():
            first += inputs[name][0]
            start += self._start(name, spec, carried)
            with interpreting(branch), branches.with_values(recorded.arrays):
                outputs += [branch.own(value) for value in merge.operands(recorded.after[name], spec)]
        for cell in carried.arrays:
            first.append(inputs[cell])
            start.append(cell.value)
            outputs.append(branch.own(recorded.arrays[cell]))
        results = self._looped(recorded, first, start, outputs)
        branch.end = len(trace.builder.nodes)
        shared = _Shared()
        read = {value for node in branch.builder.nodes for value in node.inputs}.union(outputs)
        readers: list[Cell] = []
        for name, spec in carried.specs.items():
            values = [results.pop(0) for _ in spec.types]
            if name not in carried.far:
                trace.root.numbers.carry(values)
            outcome, cells = merge.rebuilt(spec, values, trace)
            # Without an iteration it is still the array from before, after one what the body made it.
            before = (signals.content(self.cells[name]), recorded.after[name])
            containers = [one for value in before for one in merge.containers_of(value)]
            if containers:
                trace.root.aliases.may_be([*merge.containers_of(outcome), *containers])
            inside = merge.cells_of(inputs[name][1], spec)
            if name != signals.RESULT:  # after which there is no round
                readers += [cell for cell in inside if cell is not None and cell.value in read]
            for value, left in zip(before, (not self._runs(), True), strict=True):
                origins = merge.cells_of(value, spec) if value is not MISSING else []
                for cell, carrier, origin in zip(cells, inside, origins, strict=False):
                    if origin in carried.arrays:
                        raise self._refused_write(name)
                    shared.add(cell, carrier, origin, left=left)
            signals.assign(self.cells[name], outcome)
        shared.check_writes(trace, branch, readers, self._left())
        shared.tell(trace, branch)
        for cell in carried.arrays:
            trace.leave(cell, results.pop(0))
        for name in carried.unset:
            signals.assign(self.cells[name], MISSING)
        for name, lent in self.contents.items():
            trace.note_container(lent.owner, lent.loc)
            trace.root.aliases.changes(lent.owner, trace)
            refill(lent.owner, signals.content(self.cells[name]))

    def _left(self) -> list[Cell]:
        """Return arrays that rounds leave elsewhere than in variables."""
        return []

    def _looped(
        self, recorded: RecordedBody, first: list[Value], start: list[Value], outputs: list[Value]
    ) -> list[Value]:  # fmt: skip
        """Add the loop; return what it gives of the state.

        Args:
            recorded: the body.
            first: the state in the body.
            start: the state before.
            outputs: the state after a round.
        """
        branch = recorded.branch
        read = list(branch.outer)
        outputs += [branch.outer[value] for value in read]
        body = branch.graph(read, outputs, first)
        running = first.index(recorded.inputs[RUNNING][0][0])
        most = self._most() if modes.is_recording() or self.trace.differentiated else None
        op = _while(body, running) if most is None else _bounded(body, running, len(first), most)
        return list(self.trace.bind(op, (*start, *read)))

    def _most(self) -> Size | None:
        """Return the most rounds that there may be (the trip count's bound); None where Python does not know."""
        items = self.loop.items
        if isinstance(items, Rounds):
            return items.count - self.number if items.count > self.number else None
        if not isinstance(items, signals.SymbolicRange) or self.number:
            return None
        # The number of a round around counts within what it is between: range(i) in a loop over range(n).
        start, stop = (self._affine(end) for end in (items.start, items.stop))
        if start is None or stop is None:
            return None
        span = stop.plus(start.times(-1)).times(1 if items.step > 0 else -1).ends[1]
        if not span > 0:
            return None
        return span if abs(items.step) == 1 else (span + abs(items.step) - 1) // abs(items.step)

    def _affine(self, number: Any) -> Affine | None:
        """Return what an end of a range is over the rounds of loops around; None where that is not known."""
        if type(number) is not Symbol:
            return Affine(number)
        return self.trace.root.numbers.affine(number.operand(), self.trace)

    def _refused_content(self, name: str) -> CaptureError:
        lent = self.contents[name]
        return branches.refused_change(self.trace, lent.owner, lent.loc)

    def _refused_write(self, name: str) -> CaptureError:
        return self.trace.refusal(
            "E441",
            f"a loop that depends on data sets {name!r} and writes to an array that is the same object in some "
            f"iterations",
            help="create a new array: x = x + 1 instead of x += 1", loc=self.loc,
        )  # fmt: skip

    def _start(self, name: str, spec: Spec, carried: Carried) -> list[Value]:
        before = signals.content(self.cells[name])
        if name in carried.first:
            before = merge.zeros(spec, self.trace)
        return merge.operands(before, spec)

    def _after(self) -> signals.Signal | None:
        """Run what follows the loop: its `else` unless it was broken out of; its `return` where it returned."""
        returned, broke = (self.own[name].cell_contents for name in (RETURNED, BROKE))
        loop, stack = self.loop, self.stack

        def otherwise() -> signals.Signal | None:
            if loop.orelse is None or broke is True:
                return None
            if broke is False:
                signal: signals.Signal | None = loop.otherwise(stack)
                return signal
            return branches.branch(truth(broke), None, loop.orelse, loop.cells, stack, loop.rest)

        if returned is False:
            return otherwise()
        result = signals.content(self.own[signals.RESULT])
        if result is MISSING:
            reason = self.trace.root.undefined.get(signals.RESULT, "")
            if not reason.startswith("is ") or reason.startswith("is set"):
                reason = "has several types"
            raise self.trace.refusal(
                "E440", f"the result of the function, returned in a loop that depends on data, {reason}",
                help="return the same structure, shapes and dtypes from all places", loc=self.loc,
            )  # fmt: skip
        if self.endless:
            return signals.Returned(result)
        return branches.branch(
            truth(returned), lambda: signals.Returned(result), otherwise, loop.cells, stack, loop.rest
        )


def number_of(size: Size) -> Any:
    """A size as a Python number of the program; a number that is known as it is."""
    trace = current_trace()
    return size if not is_symbolic(size) or trace is None else Symbol.of(trace, size_of(size), weak=int)


def _while(body: Graph, running: int) -> Op:
    """The body, as long as one of its inputs is true."""
    going = [Value(value.type) for value in body.inputs]
    return While(Graph(tuple(going), (), (going[running],), {}), body)


def _bounded(body: Graph, running: int, count: int, most: Any) -> Op:
    """The same, of which the first inputs change, at most so many times: other than a While it has a gradient."""
    same = tuple(Value(value.type) for value in body.inputs)
    sides = Graph(body.inputs, body.nodes, body.outputs[:count], body.constants), Graph(same, (), same[:count], {})

    def once(*state: Value) -> tuple[Value, ...]:
        return bind(Cond(*sides), state[running], *state)

    return Scan(make_graph(once, [value.type for value in body.inputs]), most, False, count)
