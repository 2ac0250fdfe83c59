# SPDX-License-Identifier: Apache-2.0
"""The interpreter that records: operands are graph values, `bind` adds a node that knows the user's line.

A `Trace` is the program; a `Branch` is a part of it that becomes a closed sub-graph (a branch, the body of a loop, a
composite): values of the trace around that it reads become inputs of its own. Arrays that already exist are lifted:
they become inputs of the program, never constants, and what is written to them is written back after each call.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.array import random
from hybridize.array.layouts import row_major
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.staging import Staging
from hybridize.array.storage import Storage
from hybridize.array.symbol import Cell, Symbol, refusal
from hybridize.array.traced import Variable
from hybridize.base import modes
from hybridize.base.dims import SizeScope
from hybridize.base.errors import CaptureError
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.promotion import number_dtype
from hybridize.base.types import TensorType
from hybridize.capture.outside.fed import FedReads
from hybridize.capture.outside.world import World
from hybridize.capture.trace.numbers import Numbers
from hybridize.contract.captured import memory
from hybridize.contract.feeds import Feed, Reading, Transaction
from hybridize.contract.places import Key
from hybridize.graph import Builder, Graph, Value
from hybridize.ops import Composite
from hybridize.ops.op import Op, Operand, current, imperatively, interpreting


@dataclass(slots=True, eq=False)
class Input:
    """An input of the program: an array, or a Python number."""

    symbol: Symbol
    value: Value
    array: ndarray | None
    """The array, where there is one."""
    position: int
    """The number of the leaf of the arguments; -1 for a lifted array."""
    written_at: SourceLoc | None = None
    """The first line that writes to it, where one does."""


_Partner = tuple["weakref.ref[Recording]", "weakref.ref[Cell]"]


class BackwardPasses(Protocol):
    """Backward passes of a program that is being recorded, as its trace knows them."""

    called: bool
    """True if the function is called while recording: then its caller differentiates it as a whole."""
    fresh: dict[Variable, bool]
    requests: dict[Variable, str]

    def noted(self, at: Any, outputs: tuple[Value, ...], /) -> tuple[Value, ...]:
        """Hear of the results of a node that was just added."""

    def read(self, at: Any, cell: Cell, apart: bool, /) -> Operand:
        """Give the value that an array is to who reads it now."""

    def wrote(self, cell: Cell, /) -> None:
        """Hear of a write to an array, before it happens."""

    def check_detached(self, at: Any, cell: Cell, operand: Operand, /) -> None:
        """Refuse a write through a detached view while recording, where its gradient would not be clear."""

    def met(self, entry: Any, array: ndarray, /) -> None:
        """Hear of a further array over the memory of one that is known."""

    def has(self, at: Any, value: Value, /) -> bool:
        """Tell whether a value has a history, or is a variable."""

    def transaction(self, feeds: Sequence[Feed], /) -> Transaction:
        """Give what calls of the program have to see to."""

    def undo(self) -> None:
        """Put variables and counts back: the calls of the program write them."""

    def undone(self, at: Any, count: int, /) -> None:
        """Hear that the nodes of a recording from some number on are gone."""

    def set_fresh(self, variable: Variable, fresh: bool, /) -> None:
        """Say at each call whether a gradient is fresh."""

    def gradient(self, at: Any, symbol: Symbol, /) -> Symbol | None:
        """Give `x.grad`."""

    def variable(self, at: Any, x: Any, /) -> Symbol:
        """Copy an array with respect to which gradients are asked."""

    def gradients(self, at: Any, value: Symbol, variables: Sequence[Symbol], create: bool, /) -> list[Symbol]:
        """Differentiate one number with respect to what `variable` gave."""

    def backward(self, at: Any, *arguments: Any) -> None:
        """Run `autograd.backward`."""

    def grad(self, at: Any, *arguments: Any) -> Any:
        """Run `autograd.grad`."""


class Forms(Protocol):
    """Calls that record graphs of their own: control flow by functions, and custom gradients."""

    def custom(self, at: Any, function: Any, inputs: Sequence[Any], /) -> Any:
        """Call an `autograd.Function`."""

    def checkpoint(self, at: Any, *arguments: Any) -> Any:
        """Call what `autograd.checkpoint` gives, while recording."""

    def cond(self, at: Any, *arguments: Any) -> Any:
        """Record `npx.cond`."""

    def foreach(self, at: Any, *arguments: Any) -> Any:
        """Record `npx.foreach`."""

    def while_loop(self, at: Any, *arguments: Any) -> Any:
        """Record `npx.while_loop`."""

    def check(self, at: Any, test: Symbol, error: Exception, /) -> None:
        """Let the program raise an exception unless a bool is true."""


class Recording(Staging):
    """Base of traces and branches: records operations as nodes of a builder."""

    root: Trace

    def __init__(self, parent: Recording | None) -> None:
        self.parent = parent
        self.builder = Builder()
        self.differentiated = modes.is_recording()
        """True if a backward pass may go through what is recorded here as a whole."""
        self.journal: list[tuple[Cell, Operand]] = []
        """Writes to cells, with what they held before, so that a branch can be undone."""
        self.containers: dict[int, tuple[Any, Any, SourceLoc | None]] = {}
        """Lists, dicts and sets that a branch changed: themselves, what they held before, the line."""
        self.catches = False
        """True if who records this hears of exceptions, and lets the program raise them."""

    @property
    def depth(self) -> int:
        """0 for the program itself, more inside of branches that depend on data."""
        return 0 if self.parent is None else self.parent.depth + 1

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Add a node."""
        return self.root.history.noted(self, self.builder.add(op, operands, self.root.location()))

    def type_of(self, operand: Operand) -> TensorType:
        """Type of a value."""
        kind: TensorType = operand.type
        return kind

    def constant(self, array: NDArray[Any]) -> Operand:
        """Add a constant; NumPy arrays of the user's that may change later are lifted instead."""
        known = self.root.foreign.get(id(array))
        return self.builder.constant(array) if known is None else self.root.lift(known).operand()

    def composite(
        self,
        label: str,
        attributes: tuple[tuple[str, object], ...],
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Record `function` as one node."""
        inner = Branch(self)
        inputs = [inner.receive(operand) for operand in operands]
        with interpreting(inner):
            results = function(*inputs)
            outputs = [inner.own(result) for result in results]
        graph = inner.graph(list(inner.outer), outputs)
        return self.bind(Composite(label, attributes, graph), tuple(inner.outer))

    def wrote(self, cell: Cell) -> None:
        """Hear of a write to a cell, before it happens."""
        self.root.history.wrote(cell)
        self.root.check_write(cell, self)
        self.note(cell)

    def note_container(self, container: Any, loc: SourceLoc | None) -> None:
        """Remember what a container holds before a branch changes it, unless it is the branch's own."""
        made = self.root.world.fresh.get(id(container))
        if self.parent is not None and (made is None or made[1] is not self):
            self.containers.setdefault(id(container), (container, container.copy(), loc))

    def note(self, cell: Cell) -> None:
        """Remember what a cell holds before a write that is allowed."""
        if self.parent is not None or self.root.checkpoints:  # else there is nothing to go back to
            self.journal.append((cell, cell.value))

    def concretize(self, symbol: Symbol, kind: str) -> Any:
        """The Python number that a symbol stands for, which then becomes part of the program's key."""
        if symbol.weak is None:
            raise refusal(symbol, f"{kind}()")
        numbers = self.root.numbers
        number = numbers.truth(symbol, self) if kind == "bool" else numbers.number(symbol, self)
        if number is None:
            raise refusal(symbol, f"{kind}()")
        return number

    def number_of(self, symbol: Symbol) -> Any:
        """The Python number that a symbol stands for; None where data decides it."""
        return None if symbol.weak is None else self.root.numbers.number(symbol, self)

    def truth_of(self, symbol: Symbol) -> bool | None:
        """Tell whether the Python number that a symbol stands for is not 0, on which the program then depends.

        None where data decides it.
        """
        return None if symbol.weak is None else self.root.numbers.truth(symbol, self)

    def outside(self, value: Value, kind: type, low: int, high: int) -> Any:
        """The Python number that a value is, where its integer part is not between two; None where it is.

        Where data decides it, the program stops at this line if it is not.
        """
        return self.root.numbers.outside(value, kind, (low, high), self)

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """An operator between Python numbers: what Python gives, or NotImplemented to leave it to the graph."""
        return self.root.numbers.operate(name, function, operands, self)

    def layout(self, cell: Cell) -> tuple[int, ...] | None:
        """Strides, in elements, of an array that exists already; the program then holds for arrays laid out so."""
        return self.root.layout_of(cell)

    def operand(self, array: ndarray) -> Operand:
        return self.lift(array).operand()

    def lift(self, array: ndarray) -> Symbol:
        """The symbol of an array that exists already."""
        return self.root.lift(array)

    def read(self, cell: Cell, detached: bool) -> Operand:
        return self.root.history.read(self, cell, detached)

    def check_detached(self, cell: Cell, operand: Operand) -> None:
        """Before a write of a value to a cell through a view that is detached."""
        self.root.history.check_detached(self, cell, operand)

    def gradient(self, symbol: Symbol) -> Symbol | None:
        """`x.grad`."""
        return self.root.history.gradient(self, symbol)

    def feed(self, feed: Feed) -> None:
        """Let calls of the program prepare numbers that it reads."""
        self.root.feeds.append(feed)

    def reading(self, read: Callable[[], float], kind: type) -> Symbol:
        """A number of Python's of that kind, int or float, as calls of the program find it here."""
        feed = Reading(read, number_dtype(kind))
        with imperatively():
            feed.begin()
        self.feed(feed)
        return Symbol.of(self, self.root._add(feed.array, -1, "").value, weak=kind)

    def variable(self, x: Any) -> Symbol:
        """A copy of an array with respect to which gradients are asked."""
        return self.root.history.variable(self, x)

    def gradients(self, value: Symbol, variables: Sequence[Symbol], create: bool) -> list[Symbol]:
        """Those of one number with respect to what `variable` gave."""
        return self.root.history.gradients(self, value, variables, create)

    def custom(self, function: Any, inputs: Sequence[Any]) -> Any:
        """A call of an `autograd.Function`."""
        return self.root.forms.custom(self, function, inputs)

    def checkpoint(self, *arguments: Any) -> Any:
        """A call of what `autograd.checkpoint` gives, while recording."""
        return self.root.forms.checkpoint(self, *arguments)

    def cond(self, *arguments: Any) -> Any:
        """`npx.cond`."""
        return self.root.forms.cond(self, *arguments)

    def foreach(self, *arguments: Any) -> Any:
        """`npx.foreach`."""
        return self.root.forms.foreach(self, *arguments)

    def while_loop(self, *arguments: Any) -> Any:
        """`npx.while_loop`."""
        return self.root.forms.while_loop(self, *arguments)

    def backward(self, *arguments: Any) -> None:
        """`autograd.backward`."""
        self.root.history.backward(self, *arguments)

    def grad(self, *arguments: Any) -> Any:
        """`autograd.grad`."""
        return self.root.history.grad(self, *arguments)

    def depend(self, storage: Storage) -> None:
        """The program is valid until `storage` is touched."""
        self.root.world.depend(storage)

    def convert(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the user's, converted."""
        return self.root.converter(function)


class Branch(Recording):
    """A part of the program that becomes a closed sub-graph."""

    def __init__(self, parent: Recording) -> None:
        super().__init__(parent)
        self.root = parent.root
        self.outer: dict[Value, Value] = {}
        """Values of the trace around that are read here, and the inputs that stand for them."""
        self.stands: dict[Value, Value] = {}
        """The same the other way round."""
        self.mine: set[Value] = set()

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        mine = self.mine
        inputs = tuple([value if value in mine else self.own(value) for value in operands])
        outputs = self.builder.add(op, inputs, self.root.location())
        mine.update(outputs)
        return self.root.history.noted(self, outputs)

    def constant(self, array: NDArray[Any]) -> Operand:
        value = super().constant(array)
        if value in self.builder.constants:
            self.mine.add(value)
        return value

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """See above; what is made of numbers of the program alone is one of these, not of the branch."""
        answer = super().operate(name, function, operands)
        if answer is not NotImplemented:
            return answer
        given = [self.root.numbers.of_program(x, self) if type(x) is Symbol else x for x in operands]
        if any(x is None for x in given):
            return answer
        with interpreting(self.root):
            return function(*given)

    def own(self, value: Value) -> Value:
        """The value here: values of the trace around become inputs."""
        if value in self.mine:
            return value
        known = self.outer.get(value)
        return self.receive(value) if known is None else known

    def receive(self, value: Value) -> Value:
        """A new input that stands for a value of the trace around."""
        if value in self.outer:
            return self.outer[value]
        own = Value(value.type, value.name)
        self.outer[value] = own
        self.stands[own] = value
        self.mine.add(own)
        return own

    def input(self, kind: TensorType) -> Value:
        """A new input that stands for no value around: what a loop carries."""
        value = Value(kind)
        self.mine.add(value)
        return value

    def graph(self, operands: Sequence[Value], outputs: Sequence[Value], first: Sequence[Value] = ()) -> Graph:
        """The closed graph: inputs are `first`, then one for each of `operands`, values of the trace around."""
        inputs = [*first, *(self.receive(value) for value in operands)]
        return Graph(tuple(inputs), tuple(self.builder.nodes), tuple(outputs), dict(self.builder.constants))


class Trace(Recording):
    """A program being recorded."""

    def __init__(
        self,
        converter: Callable[[Callable[..., Any]], Callable[..., Any]],
        *,
        gradients: Callable[[Trace], BackwardPasses],
        forms: Forms,
        changing: Collection[Key] = (),
        freeze: bool = False,
        scope: SizeScope | None = None,
    ) -> None:
        self.root = self
        super().__init__(None)
        self.history = gradients(self)
        self.forms = forms
        self.world = World(self, FedReads(changing))
        self.feeds: list[Feed] = []
        """Numbers that calls of the program prepare, in the order of its lines."""
        self.converter = converter
        self.scope = scope
        """The assumptions of the program about sizes of arguments that are not known; None where all are."""
        self.freeze = freeze
        self.inputs: list[Input] = []
        self.numbers = Numbers(self)
        self.layouts: dict[int, tuple[int, ...] | None] = {}
        """Leaves of the arguments whose strides the program depends on: whether a reshape is a view or a copy. None
        where it depends on their being laid out row by row only."""
        self.bound: dict[int, ndarray] = {}
        """Leaves of the arguments that are over the memory of an array from outside: the program takes them for it."""
        self.foreign: dict[int, ndarray] = {}
        """NumPy arrays of the user's, by identity."""
        self.checkpoints: list[dict[int, tuple[Any, Any]]] = []
        """Containers changed since a loop may have to be undone, and what they held."""
        self.undefined: dict[str, str] = {}
        """Variables without a value after a branch or loop that depends on data, and why."""
        self.carried: weakref.WeakSet[Cell] = weakref.WeakSet()
        """Cells that a loop of the graph carries: they cannot be written, as at first they are an array from before."""
        self.carried_containers: dict[int, Any] = {}
        """The same of lists and dicts."""
        self._twins: dict[int, tuple[Any, list[Any]]] = {}
        """By identity: a list or dict, and those that it may be, depending on data."""
        self._partners: weakref.WeakKeyDictionary[Cell, dict[tuple[int, int], _Partner]] = weakref.WeakKeyDictionary()
        """Cells that may be one array or several, depending on data: while two are in use neither can be written."""
        self.raising: tuple[BaseException, SourceLoc | None] | None = None
        """The last exception that a line of the user's raised, and the line."""
        self.tries: list[Any] = []
        """The parts being run that an `except` may catch from, innermost last."""
        self.failed: Cell | None = None
        """A bool[], true if the program has raised an exception; None where it raises none."""
        self.paths = 0
        """Sides of branches followed so far."""
        self.refused: CaptureError | None = None
        """The last refusal, so that it cannot get lost in an `except` of the user's."""
        self._by_array: dict[int, Input] = {}
        self._by_memory: dict[tuple[Any, ...], Input] = {}
        self._by_cell: dict[Cell, Input] = {}
        self._locations: dict[tuple[str, int, str], SourceLoc] = {}

    def pin_sizes(self) -> None:
        """Let the program hold for the sizes of this call only: code may have seen them that nobody looked at."""
        for symbol in self.scope.symbols if self.scope is not None else ():
            symbol.low = symbol.high = symbol.hint

    def location(self) -> SourceLoc | None:
        """The user's line; equal ones are one object."""
        here = user_location()
        if here is None:
            return None
        return self._locations.setdefault((here.file, here.line, here.function), here)

    # ------------------------------------------------------------------------------------------------- inputs

    def argument(self, array: ndarray, position: int, name: str, kind: TensorType) -> Symbol:
        """The symbol of an array among the arguments, of a type; arrays over the same memory are one cell."""
        same = self._by_memory.get(memory(array))
        if same is not None:
            self.inputs.append(Input(same.symbol, self.builder.input(same.value.type, name), array, position))
            self._by_array[id(array)] = same
            return same.symbol
        return self._add(array, position, name, kind).symbol

    def number_argument(self, value: Any, kind: type, position: int, name: str) -> Symbol:
        """The symbol of a Python number among the arguments."""
        operand = self.builder.input(TensorType((), number_dtype(kind)), name)
        symbol = Symbol.of(self, operand, name, weak=kind)
        self.inputs.append(Input(symbol, operand, wrap(numpy.asarray(value)), position))
        return symbol

    def lift(self, array: ndarray, name: str = "") -> Symbol:
        """The symbol of an array that exists already: an input of the program, or a constant under `freeze`."""
        known = self._by_array.get(id(array)) or self._by_memory.get(memory(array))
        if known is not None:
            if known.position >= 0:
                self.bound[known.position] = array
            self.history.met(known, array)
            return known.symbol
        if self.freeze and array is not random.state:  # what the user calls constant are weights
            value = self.builder.constant(array._data, name)
            entry = Input(Symbol.of(self, value, name), value, array, -2)
            self._by_array[id(array)] = self._by_memory[memory(array)] = self._by_cell[entry.symbol._cell] = entry
            return entry.symbol
        return self._add(array, -1, name).symbol

    def _add(self, array: ndarray, position: int, name: str, kind: TensorType | None = None) -> Input:
        value = self.builder.input(kind or array.type, name)
        entry = Input(Symbol.of(self, value, name), value, array, position)
        self.inputs.append(entry)
        self._by_array[id(array)] = entry
        self._by_memory[memory(array)] = entry
        self._by_cell[entry.symbol._cell] = entry
        return entry

    def foreign_array(self, array: NDArray[Any]) -> None:
        """Remember an array of NumPy's as the user's, so that it is lifted where it is used."""
        if id(array) not in self.foreign:
            self.foreign[id(array)] = wrap(array if type(array) is numpy.ndarray else array.view(numpy.ndarray))
            self.foreign[id(array)].storage.exposed = True  # NumPy writes without a word

    def lift_numpy(self, array: NDArray[Any], name: str = "") -> Symbol:
        """The symbol of a NumPy array of the user's."""
        self.foreign_array(array)
        return self.lift(self.foreign[id(array)], name)

    def layout_of(self, cell: Cell) -> tuple[int, ...] | None:
        """See `layout`."""
        entry = self._by_cell.get(cell)
        if entry is None or entry.array is None:
            return None
        data = entry.array._data
        if entry.value.type.scope is not None:
            if data.flags.c_contiguous:
                self.layouts[entry.position] = None
                return row_major(entry.value.type.shape)
            self.pin_sizes()  # who knows how its strides depend on sizes
        if entry.position >= 0:
            self.layouts[entry.position] = data.strides
        return tuple(stride // data.itemsize for stride in data.strides)

    def input_of(self, cell: Cell) -> Input | None:
        """The input whose buffer a cell is."""
        return self._by_cell.get(cell)

    def check_write(self, cell: Cell, at: Recording) -> None:
        """Refuse writes that a program cannot do as Python does; remember those to inputs."""
        shared = cell in self.carried or self._has_partner(cell, at)
        if shared and cell not in self.carried:
            self._forget()
            shared = self._has_partner(cell, at)
        if shared:
            raise self.refusing(CaptureError(
                "E441", "a write to an array that is, depending on data, the same as another one or not",
                help="make a new array instead: x = x + 1, not x += 1",
            ))  # fmt: skip
        entry = self._by_cell.get(cell)
        if entry is not None and entry.written_at is None:
            if entry.position == -2:
                raise self.refusing(
                    CaptureError(
                        "E442", "a write to an array that freeze=True made a constant", help="hybridize without freeze"
                    )
                )
            entry.written_at = self.location()

    def may_share(self, cell: Cell, others: Iterable[Cell], at: Recording) -> None:
        """Say that an array may be, depending on data, the same as others, from here on in a branch."""
        known: dict[int, Cell] = {}
        for other in others:  # what may be the same as one of them may be the same as this one
            known[id(other)] = other
            known |= {id(further): further for _, further in self._sharing(other)}
        known.pop(id(cell), None)
        scope = weakref.ref(at)
        for other in known.values():
            for one, another in ((cell, other), (other, cell)):
                self._partners.setdefault(one, {})[id(at), id(another)] = (scope, weakref.ref(another))

    def origins(self, cell: Cell) -> list[Cell]:
        """The arrays in use that this one may be, depending on data."""
        return [other for _, other in self._sharing(cell)] if cell in self._partners else []

    def _sharing(self, cell: Cell) -> list[tuple[Recording, Cell]]:
        """The cells in use that may be the same array as this one, each with the branch where that is so."""
        partners = self._partners.get(cell)
        if partners is None:
            return []
        found: list[tuple[Recording, Cell]] = []
        for key, (scope, reference) in list(partners.items()):
            at, other = scope(), reference()
            if at is None or other is None:
                del partners[key]
            else:
                found.append((at, other))
        return found

    def _has_partner(self, cell: Cell, at: Recording) -> bool:
        """Tell whether an array that may be this one, here, is still in use."""
        around: Recording | None = at
        chain = set()
        while around is not None:
            chain.add(around)
            around = around.parent
        return any(scope in chain for scope, _ in self._sharing(cell))

    def may_be(self, containers: Collection[Any]) -> None:
        """Say that lists or dicts may be one or several, depending on data."""
        for container in containers:
            self._twins.setdefault(id(container), (container, []))[1].extend(
                other for other in containers if other is not container
            )

    def check_change(self, container: Any, at: Recording) -> None:
        """Refuse to change a list or dict that may be another one too, as long as anybody has that one."""
        if id(container) not in self.carried_containers:
            _, twins = self._twins.get(id(container), (None, []))
            if not any(self._is_used(twin, at) for twin in twins):
                return
            self._forget()
            if not any(self._is_used(twin, at) for twin in twins):
                return
        raise self.refusing(CaptureError(
            "E441", f"a change to a {type(container).__name__} that may be another one or not, depending on data",
            help=f"make a new {type(container).__name__} instead",
        ))  # fmt: skip

    def _is_used(self, container: Any, at: Recording) -> bool:
        """Tell whether anybody but this capture's own books holds a list or dict."""
        key = id(container)
        books = 3 + (key in self.world.fresh)  # the argument, the call, its own entry among the twins
        books += sum(one is container for _, others in self._twins.values() for one in others)
        books += sum(key in checkpoint for checkpoint in self.checkpoints)
        around: Recording | None = at
        while around is not None:
            books += key in around.containers
            around = around.parent
        return sys.getrefcount(container) > books + 1  # and the loop of the caller

    def _forget(self) -> None:
        """Let go of what nobody else holds."""
        for key in list(self.world.fresh):
            if sys.getrefcount(self.world.fresh[key][0]) <= 2:  # of the entry, and of the call
                del self.world.fresh[key]
        gc.collect()

    def refusing(self, error: CaptureError) -> CaptureError:
        """An error of this capture, which no `except` of the user's can swallow."""
        self.refused = error
        return error


def current_trace() -> Recording | None:
    """The trace or branch in charge in this thread; None where nothing is captured."""
    interpreter = current()
    return interpreter if isinstance(interpreter, Recording) else None
