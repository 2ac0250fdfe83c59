# SPDX-License-Identifier: Apache-2.0
"""Loops: unrolled where Python knows how often they run, `While` in the graph where data decides.

A loop of the graph carries the variables that its body changes. Which these are, and of what type, is found by
recording the body until nothing changes any more: a variable that was 0 before and is an array of float32 after the
body starts as one; one whose types have nothing in common has no value in the loop, and reading it is the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from types import CellType
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Cell, Symbol
from hybridize.base import modes
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.frozen import mutable
from hybridize.base.interruptions import let_through
from hybridize.base.types import TensorType
from hybridize.capture.control import branches, raising
from hybridize.capture.control import joining as merge
from hybridize.capture.control.branches import Promote
from hybridize.capture.control.joining import LeafSpec, Mismatch, Spec
from hybridize.capture.control.selected import certain
from hybridize.capture.control.signals import (
    BREAK,
    CONTINUE,
    ENDED,
    RESULT,
    BlockStack,
    GraphLoop,
    Part,
    PythonLoop,
    Rest,
    Returned,
    Signal,
    SymbolicRange,
    assign,
    content,
    go_on,
    variables,
)
from hybridize.capture.control.special import goes_on, steps, symbolic_items
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Branch, Recording, current_trace
from hybridize.contract.snapshots import MISSING, refill, same
from hybridize.graph import Graph, Value
from hybridize.ops import Cond, Scan, While
from hybridize.ops.op import Op, bind, constant, interpreting
from hybridize.ops.tracing import make_graph

_NESTED = 64
"""Iterations of a loop that can be unrolled into branches in branches, where no loop of the graph can be made."""
_ROUNDS = 40
_MOST = 100_000


class Loop:
    """One loop statement that is being run."""

    def __init__(
        self, body: Part, orelse: Part | None, rest: Part | None, names: Sequence[str], *,
        test: Part | None = None, items: Sequence[Any] | SymbolicRange | Symbol | None = None,
    ) -> None:  # fmt: skip
        self.body, self.orelse, self.rest, self.test = body, orelse, rest, test
        self.items = items
        self.cells = variables(names, test, body, orelse)
        self.promotable = test is not None or isinstance(items, (range, Symbol))

    def run(self, stack: BlockStack, number: int) -> Signal | None:
        """Run the loop in Python from an iteration on."""
        trace = current_trace()
        while True:
            if self.test is not None:
                known = truth(self.test())
                if type(known) is Symbol:
                    return _graph_loop(self, stack, 0, known)
                if not known:
                    break
            elif number >= len(self.items):  # type: ignore[arg-type]
                break
            if trace is None:
                signal: Signal | None = self._iteration(stack, number)
            else:
                outcome = self._watched_iteration(stack, number, trace)
                if outcome is _PROMOTED:
                    return self._promoted(stack, number, trace)
                signal = outcome
            number += 1
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return self.otherwise(stack)

    def resume(self, stack: BlockStack, number: int) -> Signal | None:
        """Run the iterations that are left, on the side of a branch that goes on.

        Raises:
            CaptureError E445: they are too many, or without end: each lies in a branch of the one before.
        """
        try:
            return self.run(stack, number)
        except RecursionError:
            trace = current_trace()
            if trace is None or number <= _NESTED:
                raise  # the function calls itself
            raise trace.root.refusing(CaptureError(
                "E445", "a loop whose end depends on data goes through an iterator without end, or too many items: it "
                "is unrolled, each iteration in a branch of the one before",
                help="let data decide when it ends: while True: with a counter of your own, or for k in range(n):",
            )) from None  # fmt: skip

    def otherwise(self, stack: BlockStack) -> Signal | None:
        """The `else` of the loop."""
        signal: Signal | None = stack.run(self.orelse, [*stack.frames, Rest(self.rest)])
        return signal

    def item(self, number: int) -> list[Any]:
        """Arguments of the body."""
        if self.items is None:
            return []
        return [self.items[number]]  # type: ignore[index]

    def _iteration(self, stack: BlockStack, number: int) -> Signal | None:
        frame = PythonLoop(self, number + 1)
        signal: Signal | None = stack.run(self.body, [*stack.frames, frame], *self.item(number))
        return signal

    def _watched_iteration(self, stack: BlockStack, number: int, trace: Recording) -> Any:
        """One iteration, undone where it turns out that the loop has to be one of the graph."""
        if not self.promotable:
            return self._iteration(stack, number)
        point = Checkpoint(trace, self.cells)
        frame = PythonLoop(self, number + 1, point.watch)
        try:
            return stack.run(self.body, [*stack.frames, frame], *self.item(number))
        except Promote as promotion:
            if promotion.frame is not frame:
                raise
            point.restore()
            return _PROMOTED
        finally:
            point.forget()

    def _promoted(self, stack: BlockStack, number: int, trace: Recording) -> Signal | None:
        point = Checkpoint(trace, self.cells)
        try:
            return _graph_loop(self, stack, number, None)
        except (HybridizeError, NameError):
            if point.watch.lasts:
                raise
            point.restore()
            if self.test is not None or len(self.items) - number > _NESTED:  # type: ignore[arg-type]
                raise
        finally:
            point.forget()
        trace.root.refused = None
        self.promotable = False
        return self.run(stack, number)


_PROMOTED = Signal("promoted", -1)


class Checkpoint:
    """The state of a recording, to come back to."""

    def __init__(self, trace: Recording, cells: dict[str, CellType]) -> None:
        self.trace = trace
        self.values = [(cell, content(cell)) for cell in cells.values()]
        self.nodes = len(trace.builder.nodes)
        self.journal = len(trace.journal)
        self.mark = trace.root.world.mark()
        self.watch = trace.root.aliases.watch()

    def restore(self) -> None:
        """Undo everything since."""
        trace = self.trace
        for cell, value in self.values:
            assign(cell, value)
        for array, old in reversed(trace.journal[self.journal :]):
            array.value = old
        del trace.journal[self.journal :]
        del trace.builder.nodes[self.nodes :]
        trace.root.history.undone(trace, self.nodes)
        if trace is trace.root:
            trace.root.numbers.forget(self.nodes)
        for owner, held in self.watch.containers.values():
            refill(owner, held)
        trace.root.world.back(self.mark)

    def forget(self) -> None:
        """Watch no longer."""
        self.trace.root.aliases.unwatch(self.watch)


def while_(
    test: Part, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None, rest: Part | None
) -> Signal | None:  # fmt: skip
    """A `while`."""
    loop = Loop(body, orelse, rest, names, test=test)
    return go_on(loop.run(stack or BlockStack(), 0), rest)


def for_(
    iterable: Any, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None, rest: Part | None
) -> Signal | None:  # fmt: skip
    """A `for`."""
    trace = current_trace()
    if type(iterable) is ndarray and trace is not None:
        iterable = trace.lift(iterable)
    if trace is not None:
        iterable = through(trace, iterable)
    if isinstance(iterable, SymbolicRange):
        loop = Loop(body, orelse, rest, names, items=iterable)
        return go_on(_graph_loop(loop, stack or BlockStack(), 0, None), rest)
    iterable = certain(iterable)
    if stack is None:
        for item in iterable:
            body(item)
        if orelse is not None:
            orelse()
        return None
    if type(iterable) is Symbol:
        iter(iterable)  # refuses what has no rows
    elif not isinstance(iterable, (range, tuple)):
        iterable = _Items(iterable)
    loop = Loop(body, orelse, rest, names, items=iterable)
    return go_on(loop.run(stack, 0), rest)


def through(trace: Recording, iterable: Any) -> Any:
    """Return what a loop goes through, its items guarded."""
    items = steps(iterable)
    if items is not iterable:
        return items
    goes_on(trace, iterable)
    trace.root.world.read_items(iterable)
    return symbolic_items(trace, iterable)


class _Items(Sequence[Any]):
    """The items of an iterator, taken when they are asked for and kept, as two branches may go through them."""

    def __init__(self, iterable: Any) -> None:
        self._iterable, self._iterator = iterable, iter(iterable)
        self._taken: list[Any] = []
        self._over = False

    def __getitem__(self, number: Any) -> Any:
        return self._taken[number]

    def __len__(self) -> int:
        """Number of items, where no more than one beyond those taken is known: enough to tell whether to go on."""
        if len(self._taken) > _MOST:
            text = f"a loop that was unrolled over {_MOST} items"
            raise CaptureError("E445", text, help="let data decide when it ends: while, or range")
        if not self._over:
            trace = current_trace()
            if trace is not None and trace.root.aliases.is_iterator(self._iterable):
                trace.root.aliases.goes_on(self._iterable, trace)
            try:
                self._taken.append(next(self._iterator))
            except StopIteration:
                self._over = True
        return len(self._taken)


# ---------------------------------------------------------------------------------------------- loops of the graph


@mutable
class _Carried:
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
class _Recorded:
    """The body of a loop, recorded once."""

    branch: Branch
    inputs: dict[Any, Any]
    """For each carried variable the values and what it was at the start; for each carried array the value."""
    after: dict[str, Any]
    """Variables at the end."""
    arrays: dict[Cell, Value]
    """The contents of arrays at the end: of those that are carried, and of all that were written."""


class _Shared:
    """Aliases of the results of a loop: arrays from before it, and arrays that the body gives, round after round."""

    def __init__(self) -> None:
        self._origins: dict[Cell, set[Cell]] = {}
        """For the cell of a result, and the one that carries it, the arrays that it may be."""
        self._results: list[Cell] = []

    def add(self, result: Cell, carrier: Cell | None, origin: Cell | None) -> None:
        """Say that a result, and what the body reads of it, may be an array."""
        for cell in (result, carrier):
            if origin is not None and cell is not None:
                self._origins.setdefault(cell, set()).add(origin)
        if result not in self._results:
            self._results.append(result)

    def tell(self, trace: Recording) -> None:
        """Link each result with all arrays that it may be, and with the results that may be one of these too."""
        reached = [self._reached(result) for result in self._results]
        for number, (result, arrays) in enumerate(zip(self._results, reached, strict=True)):
            others = [self._results[i] for i in range(number) if reached[i] & arrays]
            trace.root.aliases.may_share(result, [*arrays, *others], trace)

    def _reached(self, result: Cell) -> set[Cell]:
        found: set[Cell] = set()
        waiting = [result]
        while waiting:
            for origin in self._origins.get(waiting.pop(), ()):
                if origin not in found:
                    found.add(origin)
                    waiting.append(origin)
        return found


_COUNTER, _RUNNING, _BROKE, _RETURNED = (
    f"__hybridize_{what}__" for what in ("counter", "running", "broke", "returned")
)  # fmt: skip
_RESULT = RESULT


def _graph_loop(loop: Loop, stack: BlockStack, number: int, first: Symbol | None) -> Signal | None:
    """Run the loop from an iteration on as a `While`."""
    trace = current_trace()
    assert trace is not None
    return _GraphLoop(loop, stack, number, trace).run(first)


class _GraphLoop:
    """A loop on its way into the graph."""

    def __init__(self, loop: Loop, stack: BlockStack, number: int, trace: Recording) -> None:
        self.loop, self.stack, self.trace, self.number = loop, stack, trace, number
        self.own = {name: CellType() for name in (_COUNTER, _RUNNING, _BROKE, _RETURNED, _RESULT)}
        self.cells = loop.cells | self.own
        self.own[_BROKE].cell_contents = False
        self.own[_RETURNED].cell_contents = False
        self.loc = trace.root.location()
        self.endless = True
        """True if nothing but `return` ends the loop."""
        self.at_once = False
        """True if the loop runs at least once because of its condition."""

    # The loop's own decisions, as values of the graph.

    def _test(self) -> Any:
        if self.loop.test is not None:
            return truth(self.loop.test())
        counter = self.own[_COUNTER].cell_contents
        items = self.loop.items
        if not isinstance(items, SymbolicRange):
            return counter < len(items)  # type: ignore[arg-type]
        value = self._item_of(counter)
        return value < items.stop if items.step > 0 else value > items.stop

    def _item_of(self, counter: Any) -> Any:
        items = self.loop.items
        if isinstance(items, (range, SymbolicRange)):
            return counter * items.step + items.start
        symbol: Any = items
        return symbol[counter]

    def _proceed(self) -> None:
        if self.loop.test is None:
            self.own[_COUNTER].cell_contents = self.own[_COUNTER].cell_contents + 1
        going = self._test()
        self.own[_RUNNING].cell_contents = raising.unless_failed(going)
        self.endless = self.endless and going is True

    def _stop(self) -> None:
        self.endless = False
        self._end()

    def _end(self) -> None:
        self.own[_RUNNING].cell_contents = False
        self.own[_BROKE].cell_contents = True

    def _leave(self, value: Any) -> None:
        self._end()
        self.own[_RETURNED].cell_contents = True
        self.own[_RESULT].cell_contents = value

    def run(self, first: Symbol | None) -> Signal | None:
        """Record the loop, and what follows where it may be left by `return`."""
        if isinstance(self.loop.items, SymbolicRange) and isinstance(self.loop.items.step, Symbol):
            raise self.trace.root.refusing(
                CaptureError(
                    "E443", "range() with a step that depends on data", help="use a while loop, or multiply the index"
                )
            )
        if self.loop.test is None:
            # A symbol from the start: a plain number would be taken for one that the body may unroll over.
            self.own[_COUNTER].cell_contents = Symbol.of(self.trace, constant(numpy.asarray(self.number)), weak=int)
        going = self._test() if first is None else first
        self.own[_RUNNING].cell_contents = raising.unless_failed(going)
        self.endless = self.at_once = going is True
        carried = self._initial()
        for _ in range(_ROUNDS):
            recorded = self._body(carried)
            if not self._adjust(carried, recorded):
                self._bind(carried, recorded)
                return self._after()
        raise self.trace.root.refusing(CaptureError(
            "E444", "the variables of a loop that depends on data keep changing their types",
            help="give them the shape and dtype that they have at the end before the loop",
        ))  # fmt: skip

    def _initial(self) -> _Carried:
        carried = _Carried()
        carried.specs[_RUNNING] = Spec(merge.spec_of(True).structure, (LeafSpec(None, TensorType((), bool_)),))
        if self.loop.test is None:
            carried.specs[_COUNTER] = Spec(merge.spec_of(0).structure, (LeafSpec(int, TensorType((), int64)),))
        return carried

    def _body(self, carried: _Carried) -> _Recorded:
        """Record the body once."""
        branch = Branch(self.trace)
        branch.catches = branch.repeats = True
        before = {name: content(cell) for name, cell in self.cells.items()}
        inputs: dict[Any, Any] = {}
        for name, spec in carried.specs.items():
            values = [branch.input(kind) for kind in spec.types]
            if name not in carried.far:
                self.trace.root.numbers.carry(values)
            made, cells = merge.rebuilt(spec, values, branch)
            for cell in cells:
                self.trace.root.aliases.carry(cell)
            self.trace.root.aliases.carry_containers(merge.containers_of(made))
            inputs[name] = (values, made)
            assign(self.cells[name], made)
        for name in carried.unset:
            assign(self.cells[name], MISSING)
        # Whether an earlier round has set them depends on data, so reading one is no exception of the user's.
        undefined = self.trace.root.undefined
        unset = {name for name in self.loop.cells if content(self.cells[name]) is MISSING}
        later = {name: self._reason("is set in the loop only") for name in unset if name not in undefined}
        undefined.update(later)
        held = {cell: cell.value for cell in carried.arrays}
        for cell, kind in carried.arrays.items():
            inputs[cell] = cell.value = branch.input(kind)
        try:
            with interpreting(branch):
                self._iterate()
            after = {name: content(cell) for name, cell in self.cells.items()}
            written = {cell for cell, _ in branch.journal}
            arrays = {cell: cell.value for cell in [*carried.arrays, *written]}
        finally:
            for name, cell_ in self.cells.items():
                assign(cell_, before[name])
            for cell, old in reversed(branch.journal):
                cell.value = old
            for cell, old in held.items():
                cell.value = old
            changed = list(branch.containers.values())
            for owner, old, _ in changed:
                refill(owner, old)
        if changed:
            raise branches.refused_change(self.trace, changed[0][0], changed[0][2])
        for name in later:
            del undefined[name]
        return _Recorded(branch, inputs, after, arrays)

    def _iterate(self) -> None:
        """The body, and the decision whether there is another iteration."""
        frame = GraphLoop(self._proceed, self._stop, self._leave, self.cells)
        arguments = [] if self.loop.test is not None else [self._item_of(self.own[_COUNTER].cell_contents)]
        branch = current_trace()
        assert branch is not None
        try:
            signal = self.stack.run(self.loop.body, [*self.stack.frames, frame], *arguments)
            if signal is None or signal is CONTINUE:
                self._proceed()
            elif signal is BREAK:
                self._stop()
            elif isinstance(signal, Returned):
                self._leave(signal.value)
            else:
                assert signal is ENDED
        except raising.Ended:
            self._stop()
        except Exception as error:
            let_through(error)
            raising.stop(branch, error)
            self._stop()

    def _adjust(self, carried: _Carried, recorded: _Recorded) -> bool:
        """Carry what the body turned out to change; returns whether anything is new."""
        new = False
        for cell, value in recorded.arrays.items():
            if cell not in carried.arrays and cell.value not in recorded.branch.mine:
                carried.arrays[cell] = value.type
                new = True
        for name, cell_ in self.cells.items():
            start = recorded.inputs[name][1] if name in carried.specs else content(cell_)
            now = recorded.after[name]
            known = now is not MISSING and start is not MISSING
            if name in carried.unset or now is start or (known and same(now, start)):
                continue
            before = content(cell_)
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
                carried.specs.pop(name, None)
                carried.unset[name] = self.trace.root.undefined[name] = self._reason(str(mismatch))
                new = new or before is not MISSING
                continue
            if carried.specs.get(name) != spec:
                carried.specs[name] = spec
                new = True
        return self._widen(carried, recorded) or new

    def _widen(self, carried: _Carried, recorded: _Recorded) -> bool:
        """Find integers that may leave the bounds which the body took for granted; returns whether any is new."""
        numbers = self.trace.root.numbers
        found = {
            name
            for name, spec in carried.specs.items()
            if name not in carried.far and any(leaf.weak is int for leaf in spec.leaves)
            if numbers.is_far(content(self.cells[name]), self.trace)
            or numbers.is_far(recorded.after[name], recorded.branch)
        }
        carried.far |= found
        return bool(found)

    def _has_first(self, name: str) -> bool:
        """Tell whether the value that a round gives a variable is there after the loop, whatever it was before."""
        if name == _RESULT or self.at_once:
            return True
        items = self.loop.items
        if isinstance(items, Symbol):
            return bool(items.shape[0] > self.number)
        return isinstance(items, range) and len(items) > self.number

    def _reason(self, mismatch: str) -> str:
        where = f"that depends on data at {self.loc}"
        if mismatch.startswith("is "):
            return f"{mismatch} {where}"
        return f"is {mismatch.replace(' and ', ' before and ', 1)} after one round of the loop {where}"

    def _bind(self, carried: _Carried, recorded: _Recorded) -> None:
        """Add the While, and give the variables and arrays what it gives."""
        trace, branch, inputs = self.trace, recorded.branch, recorded.inputs
        first: list[Value] = []
        start: list[Value] = []
        outputs: list[Value] = []
        for name, spec in carried.specs.items():
            first += inputs[name][0]
            start += self._start(name, spec, carried)
            with interpreting(branch), branches.held(recorded.arrays):
                outputs += [branch.own(value) for value in merge.operands(recorded.after[name], spec)]
        for cell in carried.arrays:
            first.append(inputs[cell])
            start.append(cell.value)
            outputs.append(branch.own(recorded.arrays[cell]))
        read = list(branch.outer)
        outputs += [branch.outer[value] for value in read]
        body = branch.graph(read, outputs, first)
        running = first.index(inputs[_RUNNING][0][0])
        most = self._most() if modes.is_recording() or trace.differentiated else None
        op = _while(body, running) if most is None else _bounded(body, running, len(first), most)
        results = list(trace.bind(op, (*start, *read)))
        shared = _Shared()
        for name, spec in carried.specs.items():
            values = [results.pop(0) for _ in spec.types]
            if name not in carried.far:
                trace.root.numbers.carry(values)
            made, cells = merge.rebuilt(spec, values, trace)
            # Without an iteration it is still the array from before, after one what the body made it.
            before = (content(self.cells[name]), recorded.after[name])
            containers = [one for value in before for one in merge.containers_of(value)]
            if containers:
                trace.root.aliases.may_be([*merge.containers_of(made), *containers])
            inside = merge.cells_of(inputs[name][1], spec)
            for value in before:
                found = merge.cells_of(value, spec) if value is not MISSING else []
                for cell, carrier, origin in zip(cells, inside, found, strict=False):
                    if origin in carried.arrays:
                        raise self._refused_write(name)
                    shared.add(cell, carrier, origin)
            assign(self.cells[name], made)
        shared.tell(trace)
        for cell in carried.arrays:
            branches.write_cell(trace, cell, results.pop(0))
        for name in carried.unset:
            assign(self.cells[name], MISSING)

    def _most(self) -> int | None:
        """Return the most rounds that there may be (the trip count's bound); None where Python does not know."""
        items = self.loop.items
        count = items.shape[0] if isinstance(items, Symbol) else len(items) if isinstance(items, range) else None
        return None if count is None or is_symbolic(count) else max(count - self.number, 0)

    def _refused_write(self, name: str) -> CaptureError:
        return self.trace.root.refusing(CaptureError(
            "E441", f"a loop that depends on data sets {name!r} and writes to an array that is the same for a time",
            help="make a new array instead: x = x + 1, not x += 1", loc=self.loc,
        ))  # fmt: skip

    def _start(self, name: str, spec: Spec, carried: _Carried) -> list[Value]:
        before = content(self.cells[name])
        if name in carried.first:
            before = merge.zeros(spec, self.trace)
        return merge.operands(before, spec)

    def _after(self) -> Signal | None:
        """Run what follows the loop: its `else` unless it was broken out of; its `return` where it returned."""
        returned, broke = (self.own[name].cell_contents for name in (_RETURNED, _BROKE))
        loop, stack = self.loop, self.stack

        def otherwise() -> Signal | None:
            if loop.orelse is None or broke is True:
                return None
            if broke is False:
                return loop.otherwise(stack)
            return branches.branch(truth(broke), None, loop.orelse, loop.cells, stack, loop.rest)

        if returned is False:
            return otherwise()
        result = content(self.own[_RESULT])
        if result is MISSING:
            reason = self.trace.root.undefined.get(_RESULT, "")
            if not reason.startswith("is ") or reason.startswith("is set"):
                reason = "has several types"
            raise self.trace.root.refusing(CaptureError(
                "E440", f"the result of the function, returned in a loop that depends on data, {reason}",
                help="give all of them the same shape and dtype, and the same structure", loc=self.loc,
            ))  # fmt: skip
        if self.endless:
            return Returned(result)
        return branches.branch(truth(returned), lambda: Returned(result), otherwise, loop.cells, stack, loop.rest)


def _while(body: Graph, running: int) -> Op:
    """The body, as long as one of its inputs is true."""
    going = [Value(value.type) for value in body.inputs]
    return While(Graph(tuple(going), (), (going[running],), {}), body)


def _bounded(body: Graph, running: int, count: int, most: int) -> Op:
    """The same, of which the first inputs change, at most so many times: other than a While it has a gradient."""
    same = tuple(Value(value.type) for value in body.inputs)
    sides = Graph(body.inputs, body.nodes, body.outputs[:count], body.constants), Graph(same, (), same[:count], {})

    def once(*state: Value) -> tuple[Value, ...]:
        return bind(Cond(*sides), state[running], *state)

    return Scan(make_graph(once, [value.type for value in body.inputs]), most, False, count)
