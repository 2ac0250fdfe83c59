# SPDX-License-Identifier: Apache-2.0
"""A branch on a value of the graph: both sides are recorded, and what they leave behind is merged by a `Cond`.

Each side runs in a `Branch` of its own with the variables, arrays and containers as they were before. Where the sides
end differently (one returns, the other goes on), the one that ended earlier goes on, still in its branch, with what
follows: the rest of the block, of the blocks around, of the loop, until both have left equally far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import CellType
from typing import Any

from hybridize.array.operators import functions
from hybridize.array.symbol import Cell, Symbol
from hybridize.base import modes
from hybridize.base.errors import CaptureError
from hybridize.base.locations import SourceLoc
from hybridize.base.nested import flatten, unflatten
from hybridize.capture.control import joining as merge
from hybridize.capture.control import raising
from hybridize.capture.control.joining import Mismatch, Spec
from hybridize.capture.control.mixed import Alternative, MixedValue
from hybridize.capture.control.signals import (
    BREAK,
    CONTINUE,
    ENDED,
    RAISED,
    RESULT,
    BlockStack,
    Frame,
    GraphLoop,
    Part,
    PythonLoop,
    Rest,
    Returned,
    Signal,
    Unwinding,
    assign,
    content,
    level,
)
from hybridize.capture.control.truth import as_bool, truth
from hybridize.capture.trace.recording import Branch, Recording
from hybridize.contract.snapshots import MISSING, refill, same
from hybridize.graph import Value
from hybridize.ops import Cond, Where
from hybridize.ops.control import Control
from hybridize.ops.op import Effect, effect_of, in_charge, interpreting
from hybridize.system.interruptions import let_through

_SMALL = 16
"""Sides of at most so many scalar operations are computed both, and one of the results is selected."""


_PATHS = 3000
"""Sides of branches that a capture follows: each may be continued to the end of the function."""


class Promote(Unwinding):
    """A loop that Python was running has to become one of the graph."""

    def __init__(self, frame: PythonLoop) -> None:
        super().__init__()
        self.frame = frame


class Side:
    """One side of a branch, which can be left and entered again."""

    def __init__(self, trace: Recording, cells: dict[str, CellType], stack: BlockStack, frames: list[Frame]) -> None:
        self.branch: Branch = Branch(trace)
        self.cells = cells
        self.stack = stack
        self.frames: list[Frame] = frames
        self.values: dict[str, Any] = {name: content(cell) for name, cell in cells.items()}
        self.arrays: dict[Cell, Any] = {}
        """The contents of arrays at the end of the side."""
        self.containers: dict[int, tuple[Any, Any, SourceLoc | None]] = {}
        """The contents of containers at the end of the side."""
        self.signal: Signal | None = None
        self.branch.catches = True

    @property
    def raises(self) -> bool:
        """True if the side ends with an exception: nothing that it leaves behind is looked at."""
        return self.signal is RAISED

    def run(self, part: Part | None, frames: list[Frame], *args: Any) -> Signal | None:
        """Run `part` where `frames` say; returns how it ended, as `signal` tells too."""
        self._count()
        before = {name: content(cell) for name, cell in self.cells.items()}
        originals: dict[int, tuple[Any, Any]] = {}
        for name, cell in self.cells.items():
            assign(cell, self.values[name])
        first = {cell: cell.value for cell in self.arrays}
        for array, value in self.arrays.items():
            array.value = value
        for key, (owner, now, _) in self.containers.items():
            originals[key] = (owner, owner.copy())
            refill(owner, now)
        self.branch.journal.clear()
        self.branch.containers.clear()
        self.frames = frames
        try:
            try:
                with interpreting(self.branch):
                    self.signal = self.stack.run(part, frames, *args)
            except raising.Ended:
                self.signal = RAISED
            except Exception as error:
                let_through(error)
                raising.stop(self.branch, error)
                self.signal = RAISED
            self.values = {name: content(cell) for name, cell in self.cells.items()}
        finally:
            self._leave(before, first, originals)
        return self.signal

    def _count(self) -> None:
        root = self.branch.root
        root.paths += 1
        if root.paths > _PATHS:
            raise root.refusal(
                "E448", f"more than {_PATHS} paths through a function whose branches depend on data",
                help="compute both branches and select with np.where, or move branches into separate functions",
            )  # fmt: skip

    def _leave(self, before: dict[str, Any], first: dict[Cell, Any], originals: dict[int, tuple[Any, Any]]) -> None:
        for name, variable in self.cells.items():
            assign(variable, before[name])
        written = {cell for cell, _ in self.branch.journal} | set(first)
        self.arrays = {cell: cell.value for cell in written}
        for cell, old in [*reversed(self.branch.journal), *first.items()]:
            cell.value = old
        for key, (owner, old, loc) in self.branch.containers.items():
            originals.setdefault(key, (owner, old))
            self.containers[key] = (owner, None, loc)
        for key, (owner, old) in originals.items():
            self.containers[key] = (owner, owner.copy(), self.containers[key][2])
            refill(owner, old)

    def at_end(self, value: Any) -> Any:
        """A copy of a value, with what the lists and dicts in it hold at the end of the side."""
        before = [(owner, owner.copy()) for owner, _, _ in self.containers.values()]
        for owner, items, _ in self.containers.values():
            refill(owner, items)
        leaves, structure = flatten(value, lambda _: False)
        for owner, now in before:
            refill(owner, now)
        return unflatten(structure, leaves)


@contextmanager
def with_values(arrays: Mapping[Cell, Any]) -> Iterator[None]:
    """Let arrays hold what they hold at the end of a branch for the length of a `with` block."""
    before = [(cell, cell.value) for cell in arrays]
    for cell, value in arrays.items():
        cell.value = value
    try:
        yield
    finally:
        for cell, value in before:
            cell.value = value


def choose(test: Symbol, then: Part, orelse: Part) -> Any:
    """A conditional expression."""
    signal = branch(test, lambda: Returned(then()), lambda: Returned(orelse()), {}, None, None)
    return signal.value  # type: ignore[union-attr]


def either(test: Symbol, then: Part, orelse: Part, true: tuple[bool | None, bool | None]) -> Any:
    """The same, where the two may have no type in common; `true`: what the truth of each is then, if known."""
    signal = branch(test, lambda: Returned(then()), lambda: Returned(orelse()), {}, None, None, true)
    return signal.value  # type: ignore[union-attr]


def under(test: Symbol, part: Part) -> Any:
    """Record `part` under a condition: its value where `test` holds; zeros elsewhere, where nobody looks at it."""
    try:
        signal = branch(test, lambda: Returned(part()), _nothing, {}, None, None)
    except raising.Ended:  # where `test` holds there is an exception
        return 0
    return signal.value  # type: ignore[union-attr]


def truth_under(test: Any, part: Part) -> Any:
    """Return the truth of a part as `truth` does, where a condition holds; nobody looks at it elsewhere.

    Args:
        test: True, False, or a symbol of type bool[].
        part: gives the value. Its exceptions, and those of its truth, are of the calls where `test` holds.
    """
    if type(test) is not Symbol:
        return truth(part()) if test else False
    return truth(under(test, lambda: as_bool(truth(part()))))


def _nothing() -> None:
    """A side that is never looked at."""
    raise raising.Ended


def branch(
    test: Symbol, then: Part | None, orelse: Part | None, cells: dict[str, CellType], stack: BlockStack | None,
    rest: Part | None, true: tuple[bool | None, bool | None] | None = None,
) -> Signal | None:  # fmt: skip
    """An `if` on a value of the graph; `rest` is what would follow, should one side have to go on; `true`: `either`."""
    trace = in_charge(Recording)
    if stack is None:
        frames: list[Frame] = []
        stack = BlockStack()
    else:
        frames = [*stack.frames, Rest(rest)]
        cells = cells | _reachable(frames)
    sides = [Side(trace, cells, stack, frames) for _ in range(2)]
    for side, part in zip(sides, (then, orelse), strict=True):
        side.run(part, frames)
    _level(sides, trace)
    return _merged(trace, test, sides, true)


def _reachable(frames: Iterable[Frame]) -> dict[str, CellType]:
    """All variables that what follows could set."""
    variables: dict[str, CellType] = {}
    for frame in frames:
        match frame:
            case Rest(run=run):
                parts: tuple[Part | None, ...] = (run,)
            case PythonLoop(loop=loop):
                parts = (loop.test, loop.body, loop.orelse, loop.rest)
            case GraphLoop(cells=cells):
                parts = ()
                variables.update(cells)
            case _:
                parts = ()
        for part in parts:
            code = getattr(part, "__code__", None)
            if code is not None and part is not None:
                pairs = zip(code.co_freevars, part.__closure__ or (), strict=True)
                variables.update((name, cell) for name, cell in pairs if not name.startswith("__hybridize_"))
    return variables


# ---------------------------------------------------------------------------------------------------- going on


def _level(sides: list[Side], trace: Recording) -> None:
    """Let the side that ended earlier go on until both sides have left equally far; one that raises waits for none."""
    if any(side.signal is RAISED for side in sides):
        return
    ended = [side.signal is ENDED for side in sides]
    if level(sides[0].signal) == level(sides[1].signal) and ended[0] == ended[1]:
        return
    nearest = next((frame for frame in reversed(sides[0].frames) if isinstance(frame, (PythonLoop, GraphLoop))), None)
    watch = nearest.watch if isinstance(nearest, PythonLoop) and nearest.loop.promotable else None
    if watch is not None and not watch.lasts:
        raise Promote(nearest)  # type: ignore[arg-type]
    if isinstance(nearest, GraphLoop):
        for side in sides:
            while side.signal is not ENDED and not side.raises:
                _settle(side, nearest, trace)
        return
    while not any(side.raises for side in sides):
        target = max(level(side.signal) for side in sides)
        behind = [side for side in sides if level(side.signal) < target]
        if not behind:
            return
        for side in behind:
            _extend(side, trace)


def _extend(side: Side, trace: Recording) -> None:
    """Go one step further."""
    frames = side.frames
    if side.signal is None:
        if not frames:
            side.signal = Returned(None)
            return
        match frames[-1]:
            case Rest(run=run):
                side.run(run, frames[:-1])
            case PythonLoop() | GraphLoop():
                side.signal = CONTINUE
            case _:
                raise trace.refusal(
                    "E434", "return, break or continue inside a with or try block, in a branch that depends on data",
                    help="set a variable inside the block, and return, break or continue after it",
                )  # fmt: skip
        return
    at = next(i for i in reversed(range(len(frames))) if isinstance(frames[i], PythonLoop))
    frame: Any = frames[at]
    if side.signal is CONTINUE:
        signal = side.run(lambda: frame.loop.resume(side.stack, frame.following), frames[:at])
        if signal is None:
            side.signal, side.frames = BREAK, frames
    else:
        side.signal, side.frames = None, [*frames[:at], Rest(frame.loop.rest)]


def _settle(side: Side, loop: GraphLoop, trace: Recording) -> None:
    """Go one step further towards the end of an iteration of a loop in the graph."""
    signal = side.signal
    frames = side.frames
    if signal is None:
        _extend(side, trace)
        return
    at = next(i for i in reversed(range(len(frames))) if frames[i] is loop)
    if signal is CONTINUE:
        side.run(loop.proceed, frames[:at])
    elif signal is BREAK:
        side.run(loop.stop, frames[:at])
    elif isinstance(signal, Returned):
        side.run(loop.leave, frames[:at], signal.value)
    side.signal = ENDED


# -------------------------------------------------------------------------------------------------------- merging


class _Outputs:
    """Outputs of the two sub-graphs, in step, and what is to be done with those of the Cond."""

    def __init__(self, sides: list[Side]) -> None:
        self.sides = sides
        self.values: tuple[list[Value], list[Value]] = ([], [])
        self.uses: list[Callable[[list[Value]], None]] = []
        self.origins: dict[int, list[Cell]] = {}
        """By the identity of an array of a side: itself, and what it became part of."""

    def add(self, spec: Spec, x: Any, y: Any, use: Callable[[list[Value]], None]) -> None:
        """Add a value of both sides; `use` gets what the Cond gives for it."""
        start = len(self.values[0])
        for side, value, outputs in zip(self.sides, (x, y), self.values, strict=True):
            with interpreting(side.branch), with_values(side.arrays):
                outputs.extend(side.branch.own(operand) for operand in merge.operands(value, spec))
        stop = len(self.values[0])
        self.uses.append(lambda results: use(results[start:stop]))

    def add_array(self, x: Any, y: Any, use: Callable[[Value], None]) -> None:
        """Add what an array holds."""
        at = len(self.values[0])
        for side, value, outputs in zip(self.sides, (x, y), self.values, strict=True):
            outputs.append(side.branch.own(value))
        self.uses.append(lambda results: use(results[at]))


def _merged(
    trace: Recording, test: Symbol, sides: list[Side], true: tuple[bool | None, bool | None] | None
) -> Signal | None:  # fmt: skip
    """Merge what both sides left behind; returns how they ended."""
    outputs = _Outputs(sides)
    signal = next((side.signal for side in sides if not side.raises), RAISED)
    result: list[Any] = []
    if isinstance(signal, Returned):
        _merge_results(trace, test, sides, outputs, result, true)
    else:
        for name, cell in sides[0].cells.items():
            _merge_variable(trace, name, cell, sides, outputs)
        _merge_containers(trace, sides, outputs)
    for array in {**sides[0].arrays, **sides[1].arrays}:
        if any(array.value in side.branch.mine for side in sides):
            continue  # made inside of a side
        x, y = (side.arrays.get(array, array.value) for side in sides)
        if x is not y:
            outputs.add_array(x, y, partial(trace.leave, array))
        elif x is not None and x is not array.value:  # both sides have written the same, from before the branch
            trace.leave(array, x)
    results = _bind(trace, test.operand(), sides, outputs)
    for side in sides:
        side.branch.end = len(trace.builder.nodes)
    for use in outputs.uses:
        use(results)
    outputs.uses.clear()  # they refer to `outputs`: the values of the sides are to go at once
    for cells in outputs.origins.values():
        origin, *merged = cells
        for number, one in enumerate(merged):
            trace.root.aliases.may_share(one, [origin, *merged[:number]], trace)
    if signal is RAISED:
        raise raising.Ended
    return Returned(result[0]) if result else signal


def _pair(sides: list[Side], values: list[Any]) -> list[Any]:
    """A value of each side, where one raises zeros instead."""
    if any(side.raises for side in sides) and all(value is not MISSING for value in values):
        for number, side in enumerate(sides):
            if side.raises:
                return _with_zeros(sides, values, number)
    return values


def _with_zeros(sides: list[Side], values: list[Any], number: int) -> list[Any]:
    """The values, that of one side replaced by zeros of the type of the other."""
    filled = list(values)
    filled[number] = _zeros(sides[number], merge.spec_of(sides[1 - number].at_end(values[1 - number])))
    return filled


def _merge_results(
    trace: Recording, test: Symbol, sides: list[Side], outputs: _Outputs, result: list[Any],
    true: tuple[bool | None, bool | None] | None,
) -> None:  # fmt: skip
    x, y = (getattr(side.signal, "value", None) for side in sides)
    x, y = _pair(sides, [x, y])
    if x is y:
        result.append(x)
        return
    x, y = (side.at_end(value) for side, value in zip(sides, (x, y), strict=True))
    try:
        spec = merge.with_common(merge.joined(merge.spec_of(x), merge.spec_of(y)), x, y)
    except Mismatch as mismatch:
        if true is not None:
            result.append(_mixed(trace, test, sides, outputs, (x, y), true))
            return
        raise trace.refusal(
            "E440", f"the two branches of a condition that depends on data give {mismatch}",
            help="give both the same shape and dtype, and the same structure",
        ) from None  # fmt: skip

    def use(values: list[Value]) -> None:
        result.append(_rebuild(trace, spec, values, outputs, (x, y)))

    outputs.add(spec, x, y, use)


def _mixed(
    trace: Recording, test: Symbol, sides: list[Side], outputs: _Outputs, values: tuple[Any, Any],
    true: tuple[bool | None, bool | None],
) -> MixedValue:  # fmt: skip
    """Return the values of both sides, each under its own condition."""
    alternatives: list[Alternative] = []
    for number, value in enumerate(values):
        test = test if number == 0 else functions.logical_not(test)
        parts = value.alternatives if type(value) is MixedValue else [Alternative(test, value, true[number])]
        for part in parts:
            original = (part.value,) if part.condition is test else (part.value, part.condition)
            spec = merge.spec_of(original)
            both = [original, original]
            both[1 - number] = _zeros(sides[1 - number], spec)

            def use(
                values: list[Value], part: Any = part, original: Any = original, spec: Spec = spec, test: Any = test
            ) -> None:
                result = _rebuild(trace, spec, values, outputs, (original, original))
                alternatives.append(Alternative(result[1] if len(result) > 1 else test, result[0], part.true))

            outputs.add(spec, both[0], both[1], use)
    return MixedValue(alternatives, truth_under)


def _merge_variable(trace: Recording, name: str, cell: CellType, sides: list[Side], outputs: _Outputs) -> None:
    x, y = (side.values[name] for side in sides)
    if x is y or (x is not MISSING and y is not MISSING and same(x, y)):
        assign(cell, x)
        return
    unseen = [side.raises or (name == RESULT and value is MISSING) for side, value in zip(sides, (x, y), strict=True)]
    if any(unseen) and (y if unseen[0] else x) is MISSING:
        assign(cell, MISSING)
        return
    if any(unseen):  # one side returns, or raises: what the other has is not looked at
        x, y = _with_zeros(sides, [x, y], unseen.index(True))
    origins = [*merge.containers_of(x), *merge.containers_of(y)]
    x, y = (side.at_end(value) for side, value in zip(sides, (x, y), strict=True))
    try:
        if x is MISSING or y is MISSING:
            raise Mismatch("is set on one side only")
        spec = merge.with_common(merge.joined(merge.spec_of(x), merge.spec_of(y)), x, y)
    except Mismatch as mismatch:
        text = str(mismatch)
        if not text.startswith("is set"):
            text = f"is {text.replace(' and ', ' on one side, ', 1)} on the other,"
        elif name in trace.root.undefined:  # an `elif`, say, has left that side without a value, and said why
            text = ""
        if text:
            line = trace.root.location()
            trace.root.undefined[name] = f"{text} of the branch that depends on data at {line}"
        assign(cell, MISSING)
        return

    def use(values: list[Value]) -> None:
        value = _rebuild(trace, spec, values, outputs, (x, y))
        if origins:
            trace.root.aliases.may_be([*merge.containers_of(value), *origins])
        assign(cell, value)

    outputs.add(spec, x, y, use)


def _zeros(side: Side, spec: Spec) -> Any:
    with interpreting(side.branch):
        return merge.zeros(spec, side.branch)


def _rebuild(trace: Recording, spec: Spec, values: list[Value], outputs: _Outputs, originals: tuple[Any, Any]) -> Any:
    """A merged value; notes which arrays it may be."""
    result, cells = merge.rebuilt(spec, values, trace)
    for value in originals:
        for cell, origin in zip(cells, merge.cells_of(value, spec), strict=True):
            if origin is not None:
                outputs.origins.setdefault(id(origin), [origin]).append(cell)
    return result


def _merge_containers(trace: Recording, sides: list[Side], outputs: _Outputs) -> None:
    for key in {**sides[0].containers, **sides[1].containers}:
        owner, _, loc = sides[0].containers.get(key) or sides[1].containers[key]
        x, y = (side.containers[key][1] if key in side.containers else owner.copy() for side in sides)
        if all(side.raises or key not in side.containers for side in sides):
            continue  # nobody will see what was changed before an exception
        plain = (list, dict)
        try:
            if type(owner) not in plain:
                raise Mismatch("a set")
            x, y = _pair(sides, [x, y])
            spec = merge.with_common(merge.joined(merge.spec_of(x), merge.spec_of(y)), x, y)
        except Mismatch:
            raise refused_change(trace, owner, loc) from None

        outputs.add(spec, x, y, partial(_fill, trace, owner, loc, spec, outputs, (x, y)))


def _fill(
    trace: Recording, owner: Any, loc: SourceLoc | None, spec: Spec, outputs: _Outputs, originals: tuple[Any, Any],
    values: list[Value],
) -> None:  # fmt: skip
    """Give a container the content merged of both sides."""
    trace.note_container(owner, loc)
    refill(owner, _rebuild(trace, spec, values, outputs, originals))


def refused_change(trace: Recording, owner: Any, loc: SourceLoc | None) -> CaptureError:
    """The error for a container that cannot be merged."""
    return trace.refusal(
        "E430", f"a {type(owner).__name__} is changed differently in the branches of a condition that depends on data",
        help="build the new value with np.where, or keep arrays of a fixed size", loc=loc,
    )  # fmt: skip


def _bind(trace: Recording, test: Value, sides: list[Side], outputs: _Outputs) -> list[Value]:
    """The Cond, or, where both sides are a few scalar operations, both and a selection."""
    branches = [side.branch for side in sides]
    nodes = [node for inner in branches for node in inner.builder.nodes]
    if not outputs.values[0] and all(effect_of(node.op) is Effect.PURE for node in nodes):
        return []
    operands = list(dict.fromkeys([*branches[0].outer, *branches[1].outer]))
    then, orelse = (inner.graph(operands, values) for inner, values in zip(branches, outputs.values, strict=True))
    whole = modes.is_recording() or trace.differentiated  # the slope of the side that is not taken may be infinite
    small = all(_small(graph.nodes) and all(v.type.shape == () for v in graph.outputs) for graph in (then, orelse))
    if small and not whole:
        pairs = zip(*(_inlined(trace, graph, operands) for graph in (then, orelse)), strict=True)
        return [trace.bind(Where(), (test, x, y))[0] for x, y in pairs]
    return list(trace.bind(Cond(then, orelse), (test, *operands)))


def _inlined(trace: Recording, graph: Any, operands: list[Value]) -> list[Value]:
    here = dict(zip(graph.inputs, operands, strict=True))
    here.update((value, trace.constant(array)) for value, array in graph.constants.items())
    for node in graph.nodes:
        results = trace.bind(node.op, tuple(here[value] for value in node.inputs))
        here.update(zip(node.outputs, results, strict=True))
    return [here[value] for value in graph.outputs]


def _small(nodes: Any) -> bool:
    return len(nodes) <= _SMALL and all(
        effect_of(node.op) is Effect.PURE and not isinstance(node.op, Control)
        and all(value.type.shape == () for value in (*node.inputs, *node.outputs))
        for node in nodes
    )  # fmt: skip
