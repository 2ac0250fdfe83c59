# SPDX-License-Identifier: Apache-2.0
"""Backward passes inside of a program: the graph that is being captured is the tape.

What is bound while recording is remembered by the values that it made. Values never change, so nothing is kept and
nothing can be overwritten: a backward pass goes from its heads along the nodes, and adds the nodes of their gradients.

Two arrays may hold one value (a copy is no operation), but only one of them may be a variable, and what is copied while
nothing is recorded is a constant. So who reads an array while recording gets, of a variable, a value of its own, a
leaf, and who reads what has a history while nothing is recorded gets a value without one. Passes remove both.

What a backward pass has freed is a constant to what is recorded afterwards, as imperatively: it is read as a value
without a history. What a call computes while recording inside, and leaves outside, has none there: it is marked
(`LostHistory`), and read as a leaf by later programs, at which a backward pass is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy

from hybridize.array.ndarray import gradient_of, ndarray
from hybridize.array.symbol import Cell, Symbol
from hybridize.array.traced import LOST, OVERWRITTEN, LostHistory, Release, Variable
from hybridize.autograd.nodes import described, freed
from hybridize.autograd.sweep import head_gradients, missing, shaped
from hybridize.autograd.tape import WRITTEN_IN_PAUSE, WRITTEN_THROUGH, unclear, variable_written
from hybridize.base import modes
from hybridize.base.advice import warn
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.nested import listed
from hybridize.base.types import TensorType
from hybridize.capture.gradients.sweep import Producer, TraceSweep, origin, recording_of
from hybridize.capture.trace.inputs import Input
from hybridize.capture.trace.recording import Recording, Trace
from hybridize.contract.feeds import Feed, Transaction
from hybridize.contract.places import Gradient, variable_of
from hybridize.graph import Node, Value
from hybridize.ops import Cast, StopGradient, full
from hybridize.ops.arithmetic import add
from hybridize.ops.op import Operand


class History:
    """The tape of one capture: all that it knows of gradients."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.called: bool = modes.is_recording()
        """True if the function is called while recording: then it is differentiated as a whole, by its caller."""
        self.nodes: dict[Value, Producer] = {}
        self.leaves: dict[Value, tuple[Variable | LostHistory, Recording]] = {}
        """Variables, and arrays that have lost their history, by the values that recorded operations read them as."""
        self.marks: dict[int, Any] = {}
        """Leaves of the arguments that were read while recording, and their variables."""
        self.fresh: dict[Variable, bool] = {}
        """Variables whose gradients are written, and whether that was the case before."""
        self.requests: dict[Variable, str] = {}
        """Variables whose `req` the program sets, and what it was before."""
        self.passes: int = 0
        """Backward passes that have freed what they went along."""
        self._passed: dict[Value, int] = {}
        """The last of these passes that came to a leaf."""
        self._freed: dict[Value, Release] = {}
        self._live: set[Value] = set()
        """Values that the passes up to now have left a way from to a variable."""
        self._constants: dict[Value, tuple[Release, SourceLoc | None]] = {}
        """Values that recorded operations read freed ones as."""
        self._leaf_of: dict[tuple[Variable | LostHistory, Value], Value] = {}
        self._constant_of: dict[Value, Value] = {}
        self._carried: set[Value] = set()
        """Values that loops hand from round to round while recording: what they hold may have a history."""
        self._stops: set[Value] = set()
        """Values computed in a pause, where the function is differentiated as a whole."""
        self._unclear: weakref.WeakSet[Cell] = weakref.WeakSet()
        self._recorded: weakref.WeakSet[Cell] = weakref.WeakSet()
        """Written while recording."""
        self._doubtful: weakref.WeakSet[Cell] = weakref.WeakSet()

    # ------------------------------------------------------------------------------------------------- recording

    def noted(self, at: Recording, outputs: tuple[Value, ...]) -> tuple[Value, ...]:
        """The results of a node that was just added to a recording."""
        if modes.is_recording():
            node = at.builder.nodes[-1]
            if not isinstance(node.op, StopGradient) and any(self.has(at, value) for value in node.inputs):
                producer = Producer(len(at.builder.nodes) - 1, node, at)
                self.nodes.update((value, producer) for value in outputs if is_inexact(value.type.dtype))
        elif at.differentiated:  # as a whole, while this part of it is a constant
            stopped = tuple(self._stopped(at, value) if is_inexact(value.type.dtype) else value for value in outputs)
            self._stops.update(stopped)
            return stopped
        return outputs

    def carried(self, values: Sequence[Value]) -> None:
        """Hear of values that a loop hands from round to round."""
        if modes.is_recording() and not self.called:
            self._carried.update(value for value in values if is_inexact(value.type.dtype))

    def read(self, at: Recording, cell: Cell, detached: bool = False, passes: int | None = None) -> Operand:
        """The value that an array is to who reads it now.

        It is read `detached`, through a view without a history, or through one that was made after so many `passes`.
        """
        value = cell.value
        if detached or not modes.is_recording():
            if detached and cell in self._recorded and modes.is_recording():
                raise unclear(value.type, WRITTEN_THROUGH)
            known = value in self.nodes or value in self.leaves
            return self._constant(at, value) if (known or at.differentiated) and is_inexact(value.type.dtype) else value
        if self.called:
            if value in self._stops:
                self._check_origins(at, cell)
            return value
        if cell in self._unclear:
            raise unclear(value.type, WRITTEN_IN_PAUSE)
        left = self._left(at, value)
        if left is not value:
            return left
        variable = self._variable(cell)
        if variable is None:
            self._check_origins(at, cell)
            return value
        if isinstance(variable, LostHistory):
            if cell in self._recorded:
                return value  # of what it holds now, all is known
            self._check_overwritten(cell, variable)
        leaf = self._leaf(at, value, variable)
        if passes is not None and passes < self._passed.get(leaf, 0):
            raise unclear(value.type, "it is read through a view taken before a backward pass freed its graph")
        return leaf

    def _left(self, at: Recording, value: Value) -> Value:
        """Return a value, or a constant in its place where passes have freed all that it was computed of."""
        release = self._released(at, value)
        if release is None:
            return value
        constant = self._constant(at, value)
        self._constants[constant] = release, user_location()
        return constant

    def _released(self, at: Recording, value: Value) -> Release | None:
        """Return the pass that has freed what a value was computed of; None where a way to a variable is left."""
        gone, seen, todo = None, {value}, [value] if self._freed else []
        while todo:
            one = origin(at, todo.pop())
            producer = self.nodes.get(one)
            if one in self._freed:
                gone = self._freed[one]
            elif producer is not None and one not in self._live:
                todo += [x for x in producer.node.inputs if x not in seen]
                seen.update(producer.node.inputs)
            elif self.has(at, one):
                self._live.add(value)
                return None
        return gone

    def _check_overwritten(self, cell: Cell, lost: LostHistory) -> None:
        """Refuse an array that has lost its history, and that was written since while nothing was recorded."""
        entry = self.trace.inputs.of_cell(cell)
        if lost is OVERWRITTEN or (entry is not None and cell.value is not entry.value):
            raise unclear(cell.value.type, WRITTEN_IN_PAUSE)

    def _check_origins(self, at: Recording, cell: Cell) -> None:
        """Refuse an array that data has chosen while nothing was recorded, where one of those has a history."""
        if not self.has(at, cell.value):
            for other in self.trace.aliases.origins(cell, at):
                is_known = other.value not in self._stops if self.called else self._variable(other) is not None
                if is_known or self.has(at, other.value):
                    raise unclear(cell.value.type, "data decided, while nothing was recorded, whether it has a history")

    def _variable(self, cell: Cell) -> Variable | LostHistory | None:
        """The variable that the array of a cell is, or the mark of a lost history; the program depends on that."""
        entry = self.trace.inputs.of_cell(cell)
        if entry is None:
            return None
        if cell in self._doubtful:
            raise StateError(
                "E558", f"{_name(entry)} is used while recording, and of two arrays over its memory only one has a "
                "gradient attached",
                help="use one of them, or a copy",
            )  # fmt: skip
        mark = variable_of(entry.array)
        if mark is not None and not isinstance(mark, (Variable, LostHistory)):
            raise StateError(
                "E558", f"{_name(entry)} was computed while recording, before the compiled function was called: its "
                "backward pass would have to go on outside",
                help="pass x.detach(), or compute the array inside the function",
            )  # fmt: skip
        if mark is not None and not is_inexact(cell.value.type.dtype):
            raise ArgumentError(
                "E385", f"{_name(entry)} is {cell.value.type} and has a gradient attached: a compiled function that "
                "records by itself computes gradients of floats alone",
                help="record around the call, or cast the array first: x.astype('float32')",
            )  # fmt: skip
        if entry.position >= 0:
            self.marks[entry.position] = mark
        else:
            place = Gradient(entry.array)
            if place.key not in self.trace.world.guards:
                expected: Any = mark
                if isinstance(mark, Variable):  # the program itself may have set `req`
                    expected = mark, gradient_of(mark), self.requests.get(mark, mark.req)
                self.trace.world.guard(place, expected)
        return mark

    def met(self, entry: Input, array: ndarray) -> None:
        """Hear of a further array over the memory of one that is known."""
        if entry.array is not array and variable_of(entry.array) is not variable_of(array):
            self._doubtful.add(entry.symbol._cell)

    def wrote(self, at: Recording, cell: Cell, whole: bool) -> Operand:
        """Hear of a write to an array, or to a part of it, before it happens; give what it holds then."""
        self.trace.world.fed.check(self.trace, self.trace.inputs.of_cell(cell), "written")
        if not modes.is_recording():
            if cell.value in self.nodes and self._released(at, cell.value) is None:
                self._unclear.add(cell)
            return cell.value
        variable = None if self.called else self._variable(cell)
        if isinstance(variable, Variable):
            raise variable_written(cell.value.type)
        before = self._left(at, cell.value)
        if variable is not None and not whole and cell not in self._recorded:  # the rest of it has lost its history
            self._check_overwritten(cell, variable)
            before = self._leaf(at, before, variable)
        self._recorded.add(cell)
        return before

    def check_detached(self, at: Recording, cell: Cell, operand: Operand) -> None:
        """Refuse a write through `x.detach()` while recording, after which somebody would see a history or miss one."""
        if not modes.is_recording() or not is_inexact(cell.value.type.dtype):
            return
        if self.called or self.has(at, cell.value) or self.has(at, operand):
            raise StateError(
                "E544", f"the gradient of {cell.value.type} is ambiguous: it is written through "
                "x.detach() while that is recorded, and x is the same memory",
                help="write to a copy: x.detach().copy()",
            )  # fmt: skip

    def undone(self, at: Recording, count: int) -> None:
        """Hear that the nodes of a recording from some number on are gone."""
        gone = {value for value, producer in self.nodes.items() if producer.at is at and producer.number >= count}
        present = {value for node in at.builder.nodes for value in node.outputs}
        gone |= {value for value, (_, home) in self.leaves.items() if home is at and value not in present}
        for table in (self.nodes, self.leaves, self._freed):
            for value in gone:
                table.pop(value, None)
        self._leaf_of = {key: leaf for key, leaf in self._leaf_of.items() if leaf not in gone}
        self._constant_of = {
            value: constant for value, constant in self._constant_of.items()
            if recording_of(at, value) is not at or constant in present
        }  # fmt: skip

    def _leaf(self, at: Recording, value: Value, variable: Variable | LostHistory) -> Value:
        leaf = self._leaf_of.get((variable, value))
        if leaf is None:
            home = recording_of(at, value)
            leaf = self._leaf_of[variable, value] = _added(home, Cast(value.type.dtype), value)
            self.leaves[leaf] = (variable, home)
        return leaf

    def _constant(self, at: Recording, value: Value) -> Value:
        constant = self._constant_of.get(value)
        if constant is None:
            constant = self._constant_of[value] = self._stopped(recording_of(at, value), value)
        return constant

    def _stopped(self, at: Recording, value: Value) -> Value:
        return _added(at, StopGradient(), value)

    def transaction(self, feeds: Sequence[Feed]) -> Transaction:
        """Return the transaction of the program: the part that deals with gradients, for its calls to see to."""
        return Transaction(self.marks, {variable: variable.fresh for variable in self.fresh}, tuple(feeds))

    def set_fresh(self, variable: Variable, fresh: bool) -> None:
        """Say at each call whether a gradient is fresh: an update has used it up, or the user's code says so."""
        self.fresh.setdefault(variable, variable.fresh)
        variable.fresh = fresh

    def undo(self) -> None:
        """Put variables and counts back: the calls of the program write them."""
        for variable, fresh in self.fresh.items():
            variable.fresh = fresh

    # ----------------------------------------------------------------------------------------------- backward

    def gradient(self, at: Recording, symbol: Symbol) -> Symbol | None:
        """`x.grad`."""
        variable = None if symbol._view else self._variable(symbol._cell)
        return at.lift(gradient_of(variable)) if isinstance(variable, Variable) else None

    def backward(self, at: Recording, heads: Any, head_grads: Any, retain_graph: bool | None, train_mode: bool) -> None:
        """`autograd.backward`: gradients of variables, written where they go."""
        sweep = TraceSweep(self, at, self._heads(at, heads), None)
        with modes.mode(recording=False, training=train_mode):
            arrived = sweep.run(self._head_grads(at, sweep.heads, head_grads))
            written = self._write(at, arrived)
        for line, release in self._read_by(sweep.reached):
            if release.missed(written):
                warn(missing(line, release))
        if not retain_graph:
            self._free(sweep.nodes, written)

    def _read_by(self, nodes: Iterable[Node]) -> Iterator[tuple[str, Release]]:
        """Yield where nodes read what a pass had freed, in words, and that pass."""
        for constant in {x for node in nodes for x in node.inputs if x in self._constants}:
            release, line = self._constants[constant]
            yield "" if line is None else f", read at {line.described()},", release

    def _write(self, at: Recording, arrived: dict[Value, Operand]) -> Collection[Variable]:
        sums: dict[Variable, Operand] = {}
        for value, gradient in arrived.items():
            leaf = origin(at, value)
            if leaf in self.leaves:
                variable = self.leaves[leaf][0]
                assert isinstance(variable, Variable), "the sweep has refused all else"
                before = sums.get(variable)
                sums[variable] = gradient if before is None else add(before, gradient)
        for variable, gradient in sums.items():
            buffer = at.lift(gradient_of(variable))
            buffer.write(add(buffer.operand(), gradient) if variable.req == "add" else gradient)
            self.fresh.setdefault(variable, variable.fresh)
            variable.fresh = True
        return sums

    def grad(
        self, at: Recording, heads: Any, variables: Any, head_grads: Any, retain_graph: bool | None, create: bool,
        train_mode: bool,
    ) -> Any:  # fmt: skip
        """`autograd.grad`: gradients as new arrays."""
        begins = self._heads(at, heads)  # as imperatively, what is wrong with them is said first
        wanted, classes = [], []
        for x in listed(variables):
            symbol = at.lifted(x)
            value = self._head(symbol) if type(symbol) is Symbol and is_inexact(symbol.dtype) else None
            if value is None or not self.has(at, value):
                what = str(symbol.type) if type(symbol) is Symbol else type(x).__name__
                raise ArgumentError(
                    "E388", f"grad: {what} was not recorded",
                    help="call x.attach_grad() before recording",
                )  # fmt: skip
            wanted.append(value)
            classes.append(symbol.of_nd)
        sweep = TraceSweep(self, at, begins, wanted)
        with modes.mode(recording=create, training=train_mode):
            arrived = sweep.run(self._head_grads(at, sweep.heads, head_grads))
            results = []
            for value, of_nd in zip(wanted, classes, strict=True):
                here = next((x for x in arrived if origin(at, x) is value), None)
                gradient = full(0, value.type) if here is None else arrived[here]
                results.append(Symbol.of(at, gradient, of_nd=of_nd))
        leaves = {self.leaves[x][0]: x in arrived for x in wanted if x in self.leaves}
        for line, release in self._read_by(sweep.reached):
            if any(not has_arrived and release.reaches(leaf) for leaf, has_arrived in leaves.items()):
                raise freed(f"an array{line} that may depend on what the gradient is asked for", release.at)
        if not (create if retain_graph is None else retain_graph):
            self._free(sweep.nodes, [leaf for leaf, has_arrived in leaves.items() if has_arrived])
        return results if isinstance(variables, (list, tuple)) else results[0]

    def variable(self, at: Recording, x: Any) -> Symbol:
        """A copy of an array with respect to which gradients are asked; where it has a history, that goes on."""
        symbol = at.lifted(x)
        value = self._head(symbol)
        with modes.mode(recording=True):
            (copy,) = at.bind(Cast(value.type.dtype), (value,))
        if copy not in self.nodes:
            self.leaves[copy] = (Variable(value.type, "write"), at)
        return Symbol.of(at, copy, of_nd=symbol.of_nd)

    def gradients(self, at: Recording, value: Symbol, variables: Sequence[Symbol], create: bool) -> list[Symbol]:
        """Gradients of one number with respect to what `variable` gave."""
        head, wanted = self._head(value), [x._cell.value for x in variables]
        sweep = TraceSweep(self, at, [head], wanted, anew=True)
        with modes.mode(recording=create):
            arrived = sweep.run([(head, full(1, head.type))])
            gradients = [arrived[x] if x in arrived else full(0, x.type) for x in wanted]
            return [Symbol.of(at, one, of_nd=x.of_nd) for one, x in zip(gradients, variables, strict=True)]

    def has(self, at: Recording, value: Value) -> bool:
        """Tell whether a value has a history, or is a variable."""
        value = origin(at, value)
        return value in self.leaves or value in self.nodes or value in self._carried

    def lost(self, symbol: Symbol) -> LostHistory | None:
        """Tell of an array that is left outside whether it has a history, which outside it has no more."""
        cell = symbol._cell
        if self.called or symbol.weak is not None or symbol.detached or not is_inexact(symbol.dtype):
            return None
        if any(type(step) is StopGradient for step in symbol._view):
            return None
        entry = self.trace.inputs.of_cell(cell)
        if entry is not None and cell.value is entry.value:
            return LOST if symbol._view and self._variable(cell) is not None else None
        loss = self.lost_by_write(cell)
        return LOST if loss is not None and symbol._view else loss

    def lost_by_write(self, cell: Cell) -> LostHistory | None:
        """Tell the same of an array from outside that the program has written."""
        if self.called or not self.leaves or not self.has(self.trace, cell.value):
            return None
        return None if self._released(self.trace, cell.value) else LOST

    def _head(self, symbol: Symbol) -> Value:
        """The value of an array with its history."""
        with modes.mode(recording=True):
            value: Value = symbol.operand()
        return value

    def _heads(self, at: Recording, heads: Any) -> list[Value]:
        if self.called:
            raise StateError(
                "E559", "backward inside of a compiled function that is called while recording",
                help="call the function outside autograd.record(): it records itself",
            )  # fmt: skip
        values = []
        for head in listed(heads):
            symbol = at.lifted(head)
            if type(symbol) is not Symbol or symbol.weak is not None:
                kind = type(head).__name__ if type(symbol) is not Symbol else symbol.weak.__name__  # type: ignore[union-attr]
                raise ArgumentError("E385", f"backward starts from an array, got {kind}")
            if not is_inexact(symbol.dtype):
                raise ArgumentError(
                    "E385", f"only floats have gradients, not {symbol.type}", help="x.astype('float32')"
                )
            value = self._head(symbol)
            if not self.has(at, value):
                if value in self._constants:
                    raise freed("an array", self._constants[value][0].at)
                raise StateError(
                    "E540", f"{symbol.type} was not recorded, so it cannot be differentiated",
                    help="compute it within `with autograd.record():`, from an array with attach_grad()",
                )  # fmt: skip
            values.append(value)
        return values

    def _head_grads(self, at: Recording, heads: Sequence[Value], head_grads: Any) -> list[tuple[Value, Operand]]:
        def operand(g: Any, head: TensorType) -> Operand:
            if isinstance(g, (Symbol, ndarray)):
                return shaped(at.lifted(g), head).operand()
            return at.constant(numpy.asarray(g, head.dtype))

        gradients = head_gradients([head.type for head in heads], head_grads, operand, at.type_of)
        return [(head, full(1, head.type) if g is None else g) for head, g in zip(heads, gradients, strict=True)]

    def _free(self, nodes: Iterable[Node], variables: Iterable[Any]) -> None:
        release = Release.of(variables)
        self.passes += 1
        for node in nodes:
            self._freed.update(dict.fromkeys(node.outputs, release))
            self._passed.update((value, self.passes) for value in node.inputs if value in self.leaves)
        self._live.clear()

    def check(self, node: Node) -> None:
        """Refuse to go twice along a node that nobody asked to keep.

        Raises:
            StateError E541: as imperatively.
        """
        if node.outputs[0] in self._freed:
            raise freed(described(node.op.name, node.loc), self._freed[node.outputs[0]].at)


def _added(at: Recording, op: Any, value: Value) -> Value:
    """The result of an operation that is part of no history."""
    (result,) = at.builder.add(op, (value,), at.root.location())
    if at.parent is not None:
        at.mine.add(result)  # type: ignore[attr-defined]
    return result


def _name(entry: Input) -> str:
    return f"{entry.value.name or 'an array from outside'} ({entry.value.type})"
