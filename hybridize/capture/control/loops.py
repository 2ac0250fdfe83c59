# SPDX-License-Identifier: Apache-2.0
"""Loops: unrolled where Python knows how often they run, a `Scan` where that is often or not known, a `While` where
data decides.

Rounds that are counted, of an array's rows or a range, are tried as a scan first; what cannot be one is undone, and run
in Python round by round. After the first rounds the types of variables may have come to rest, so the rest is tried
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType
from typing import TYPE_CHECKING, Any

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.branches import Promote
from hybridize.capture.control.recorded_loops import RecordedLoop
from hybridize.capture.control.rounds import IteratedRounds, Rounds, rounds_of
from hybridize.capture.control.scans import ScanLoop
from hybridize.capture.control.selected import certain
from hybridize.capture.control.signals import (
    BREAK,
    CONTINUE,
    BlockStack,
    Part,
    PythonLoop,
    Rest,
    Signal,
    SymbolicRange,
    Unrollable,
    assign,
    content,
    go_on,
    variables,
)
from hybridize.capture.control.special import goes_on, steps, symbolic_items
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.snapshots import refill
from hybridize.ops.op import in_charge

if TYPE_CHECKING:
    from hybridize.array.symbol import Cell
    from hybridize.capture.trace.aliases import ChangesSince


_NESTED = 64
"""Iterations of a loop that can be unrolled into branches in branches, where no loop of the graph can be made."""
_MOST = 100_000
_FEW = 16
"""Rounds up to which a loop is unrolled, where Python knows how many there are."""
_PEELED = 2
"""Rounds that are run in Python before the rest is a scan, at most."""


class Loop:
    """One loop statement that is being run."""

    orelse: Part | None
    test: Part | None
    body: Part
    rest: Part | None
    items: Sequence[Any] | SymbolicRange | Rounds | None
    few: int

    def __init__(
        self, body: Part, orelse: Part | None, rest: Part | None, names: Sequence[str] | dict[str, CellType], *,
        test: Part | None = None, items: Sequence[Any] | SymbolicRange | Rounds | None = None, few: int = _FEW,
    ) -> None:  # fmt: skip
        self.body, self.orelse, self.rest, self.test = body, orelse, rest, test
        self.items, self.few = items, few
        self.cells: dict[str, CellType] = names if isinstance(names, dict) else variables(names, test, body, orelse)
        self.promotable: bool = test is not None or isinstance(items, Rounds)
        self.scannable: bool = isinstance(items, Rounds)

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
            elif (trace is not None and self._scanned(stack, number, trace)) or self._is_over(number):
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
            raise trace.refusal(
                "E445", "a loop whose end depends on data goes through an iterator without end, or too many items: it "
                "is unrolled, each iteration in a branch of the one before",
                help="use while True: with your own counter, or for k in range(n):",
            ) from None  # fmt: skip

    def _is_over(self, number: int) -> bool:
        if isinstance(self.items, Rounds):
            return bool(number >= self.items.count)
        return number >= len(self.items)  # type: ignore[arg-type]

    def _scanned(self, stack: BlockStack, number: int, trace: Recording) -> bool:
        """Tell whether the rounds from a number on are a scan, which is recorded then."""
        items = self.items
        if not self.scannable or not isinstance(items, Rounds):
            return False
        if not is_symbolic(items.count) and items.count - number <= self.few:
            return False
        if number > _PEELED:
            self.scannable = False
            items.count = int(items.count)  # from here on the program holds for these rounds
            return False
        if not items.count > number:
            return False
        point = Checkpoint(trace, self.cells)
        try:
            ScanLoop(self, stack, number, trace).run(None)
        except (HybridizeError, NameError, Unrollable):
            if point.watch.lasts:
                raise
            point.restore()
            trace.root.refused = None
            return False
        finally:
            point.forget()
        return True

    def otherwise(self, stack: BlockStack) -> Signal | None:
        """The `else` of the loop."""
        signal: Signal | None = stack.run(self.orelse, [*stack.frames, Rest(self.rest)])
        return signal

    def item(self, number: int) -> list[Any]:
        """Arguments of the body."""
        if self.items is None:
            return []
        return [self.items.at(number) if isinstance(self.items, Rounds) else self.items[number]]  # type: ignore[index]

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
            if not isinstance(self.items, Rounds) or self.items.count - number > _NESTED:
                raise
        finally:
            point.forget()
        trace.root.refused = None
        self.promotable = False
        return self.run(stack, number)


_PROMOTED = Signal("promoted", -1)


class Checkpoint:
    """The state of a recording, to come back to."""

    undefined: dict[str, str]
    failed: Cell | None

    def __init__(self, trace: Recording, cells: dict[str, CellType]) -> None:
        self.trace = trace
        self.values: list[tuple[CellType, Any]] = [(cell, content(cell)) for cell in cells.values()]
        self.nodes: int = len(trace.builder.nodes)
        self.journal: int = len(trace.journal)
        self.mark: tuple[int, int] = trace.root.world.mark()
        self.watch: ChangesSince = trace.root.aliases.watch()
        self.undefined, self.failed = dict(trace.root.undefined), trace.root.failed

    def restore(self) -> None:
        """Undo everything since."""
        trace = self.trace
        for cell, value in self.values:
            assign(cell, value)
        for array, old in reversed(trace.journal[self.journal :]):
            array.value = old
        del trace.journal[self.journal :]
        del trace.builder.nodes[self.nodes :]
        trace.producers.forget(self.nodes)
        trace.root.history.undone(trace, self.nodes)
        if trace is trace.root and trace.root.decisions is not None:
            trace.root.decisions.forget(self.nodes)
        for owner, items in self.watch.containers.values():
            refill(owner, items)
        trace.root.world.back(self.mark)
        trace.root.undefined, trace.root.failed = self.undefined, self.failed

    def forget(self) -> None:
        """Watch no longer."""
        self.trace.root.aliases.unwatch(self.watch)


def while_(
    test: Part, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None, rest: Part | None
) -> Signal | None:  # fmt: skip
    """A `while`."""
    loop = Loop(body, orelse, rest, names, test=test)
    return go_on(loop.run(stack or BlockStack(), 0), rest)


@as_python
def for_(
    iterable: Any, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None, rest: Part | None
) -> Signal | None:  # fmt: skip
    """A `for`."""
    trace = current_trace()
    rounds = None if trace is None else rounds_of(trace, iterable)
    if trace is not None and rounds is None:
        iterable = through(trace, trace.lift(iterable) if isinstance(iterable, ndarray) else iterable)
    if isinstance(iterable, SymbolicRange):
        if trace is not None and _has_gradient(trace, iterable):
            raise Unrollable("a while loop has no gradient; unrolled, the loop around gives these rounds a number")
        loop = Loop(body, orelse, rest, names, items=iterable)
        return go_on(_graph_loop(loop, stack or BlockStack(), 0, None), rest)
    if rounds is not None:
        loop = Loop(body, orelse, rest, names, items=rounds)
        signal = loop.run(stack or BlockStack(), 0)
        if isinstance(iterable, IteratedRounds):
            iterable.end()
        return go_on(signal, rest)
    iterable = certain(iterable)
    if stack is None:
        for item in iterable:
            body(item)
        if orelse is not None:
            orelse()
        return None
    if not isinstance(iterable, (range, tuple)):
        iterable = _Items(iterable)
    loop = Loop(body, orelse, rest, names, items=iterable)
    return go_on(loop.run(stack, 0), rest)


def _has_gradient(trace: Recording, rounds: SymbolicRange) -> bool:
    """Tell whether gradients may go through rounds whose number only the round of a loop around decides."""
    bounds = [x.operand() for x in (rounds.start, rounds.stop, rounds.step) if type(x) is Symbol]
    if not all(trace.root.numbers.line(bound, trace) is not None for bound in bounds):
        return False
    library = trace.root.library
    return modes.is_recording() and (library is None or library.differentiates(trace))


def through(trace: Recording, iterable: Any) -> Any:
    """Return what a loop goes through, its items guarded."""
    if isinstance(iterable, Rounds):
        return iterable
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
        self._items: list[Any] = []
        self._over = False

    def __getitem__(self, number: Any) -> Any:
        return self._items[number]

    def __len__(self) -> int:
        """Number of items, where no more than one beyond those taken is known: enough to tell whether to go on."""
        if len(self._items) > _MOST:
            text = f"a loop that was unrolled over {_MOST} items"
            raise CaptureError("E445", text, help="use a while loop or a range whose end depends on data")
        if not self._over:
            trace = current_trace()
            if trace is not None and trace.root.aliases.is_iterator(self._iterable):
                trace.root.aliases.goes_on(self._iterable, trace)
            try:
                self._items.append(next(self._iterator))
            except StopIteration:
                self._over = True
        return len(self._items)


def _graph_loop(loop: Loop, stack: BlockStack, number: int, first: Symbol | None) -> Signal | None:
    """Run the loop from an iteration on as one of the graph."""
    trace = in_charge(Recording)
    return RecordedLoop(loop, stack, number, trace).run(first)
