# SPDX-License-Identifier: Apache-2.0
"""The interpreter that records: operands are graph values, `bind` adds a node that knows the user's line.

A `Trace` is the program; a `Branch` is a part of it that becomes a closed sub-graph (a branch, the body of a loop, a
composite): values of the trace around that it reads become inputs of its own. Arrays that already exist are lifted:
they become inputs of the program, never constants, and what is written to them is written back after each call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType, MappingProxyType
from typing import Any, Protocol

from numpy.typing import NDArray

from hybridize.array.buffer import check_writable
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage
from hybridize.array.symbol import Cell, Symbol, refusal
from hybridize.array.traced import LostHistory, Variable
from hybridize.base import modes
from hybridize.base.dims import Size, SizeScope
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Library
from hybridize.base.hooks import Hooks
from hybridize.base.locations import NODE, SourceLoc, asks_for_text, user_line
from hybridize.base.promotion import number_dtype
from hybridize.base.types import TensorType
from hybridize.capture.outside.fed import FedReads
from hybridize.capture.outside.objects import is_users
from hybridize.capture.outside.world import World
from hybridize.capture.trace.aliases import Aliases
from hybridize.capture.trace.decisions import Decisions
from hybridize.capture.trace.inputs import FROZEN, Input, Inputs
from hybridize.capture.trace.numbers import Numbers
from hybridize.capture.trace.scope import GraphScope
from hybridize.contract.feeds import Feed, FeedStates, Reading, Transaction
from hybridize.contract.guards import Guard
from hybridize.contract.places import Attribute, Key
from hybridize.graph import Graph, Value
from hybridize.ops import Composite
from hybridize.ops.composite import CompositeBody
from hybridize.ops.contract import by_winograd
from hybridize.ops.op import STACK, Op, Operand, imperatively, interpreting
from hybridize.ops.world import Assert, Solvable, raised_by
from hybridize.runtime.recipes import recipe_of_error


class BackwardPasses(Protocol):
    """Backward passes of a program that is being recorded, as its trace knows them."""

    called: bool
    """True if the function is called while recording: then its caller differentiates it as a whole."""
    fresh: dict[Variable, bool]
    requests: dict[Variable, str]

    def noted(self, at: Recording, outputs: tuple[Value, ...], /) -> tuple[Value, ...]:
        """Hear of the results of a node that was just added."""

    def carried(self, values: Sequence[Value], /) -> None:
        """Hear of values that a loop of the graph hands from round to round."""

    passes: int
    """The number of passes that have freed what they went along."""

    def read(self, at: Recording, cell: Cell, detached: bool, passes: int | None, /) -> Operand:
        """Give the value that an array is to who reads it now."""

    def wrote(self, at: Recording, cell: Cell, whole: bool, /) -> Operand:
        """Hear of a write to an array, or to a part of it, before it happens; give what it holds then."""

    def check_detached(self, at: Recording, cell: Cell, operand: Operand, /) -> None:
        """Refuse a write through a detached view while recording, where its gradient would not be clear."""

    def met(self, entry: Input, array: ndarray, /) -> None:
        """Hear of a further array over the memory of one that is known."""

    def has(self, at: Recording, value: Value, /) -> bool:
        """Tell whether a value has a history, or is a variable."""

    def lost(self, symbol: Symbol, /) -> LostHistory | None:
        """Tell of an array that is left outside whether it has a history, which outside it has no more."""

    def lost_by_write(self, cell: Cell, /) -> LostHistory | None:
        """Tell the same of an array from outside that the program has written."""

    def transaction(self, feeds: Sequence[Feed], /) -> Transaction:
        """Give what calls of the program have to see to."""

    def undo(self) -> None:
        """Put variables and counts back: the calls of the program write them."""

    def undone(self, at: Recording, count: int, /) -> None:
        """Hear that the nodes of a recording from some number on are gone."""

    def set_fresh(self, variable: Variable, fresh: bool, /) -> None:
        """Say at each call whether a gradient is fresh."""

    def gradient(self, at: Recording, symbol: Symbol, /) -> Symbol | None:
        """Give `x.grad`."""

    def variable(self, at: Recording, x: Any, /) -> Symbol:
        """Copy an array with respect to which gradients are asked."""

    def gradients(self, at: Recording, value: Symbol, variables: Sequence[Symbol], create: bool, /) -> list[Symbol]:
        """Differentiate one number with respect to what `variable` gave."""

    def backward(
        self, at: Recording, heads: Any, head_grads: Any, retain_graph: bool | None, train_mode: bool, /
    ) -> None:
        """Run `autograd.backward`."""

    def grad(
        self,
        at: Recording,
        heads: Any,
        variables: Sequence[Any],
        head_grads: Any,
        retain_graph: bool | None,
        create_graph: bool,
        train_mode: bool,
        /,
    ) -> Any:
        """Run `autograd.grad`."""


FORMS = Hooks()
"""Calls that record graphs of their own, by those who know how: `custom` (an `autograd.Function`) and `checkpoint`,
`cond`, `foreach` and `while_loop`. Few programs have one."""


_INT = frozenset({int})


class Interned:
    """Lines and composites of a program, equal ones as one object."""

    def __init__(self) -> None:
        self.locations: dict[tuple[str, int, str], SourceLoc] = {}
        self.composites: dict[tuple[Hashable, ...], Composite] = {}
        """By what their bodies depend on."""


class Recording(GraphScope):
    """Base of traces and branches: records operations as nodes of a builder."""

    root: Trace
    parent: Recording | None

    def __init__(self, parent: Recording | None) -> None:
        super().__init__(parent)
        self.differentiated: bool = modes.is_recording()
        """True if a backward pass may go through what is recorded here as a whole."""
        self.catches = False
        """True if who records this hears of exceptions, and lets the program raise them."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Add a node."""
        op = self.root.permitted(op)
        return self.root.history.noted(self, self.builder.add(op, operands, self.root.location()))

    def constant(self, array: NDArray[Any]) -> Operand:
        """Add a constant; NumPy arrays of the user's that may change later are lifted instead."""
        known = self.root.inputs.foreign.get(id(array))
        return self.builder.constant(array) if known is None else self.root.lift(known).operand()

    def composite(
        self,
        label: str,
        attributes: tuple[tuple[str, object], ...],
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Record `function` as one node; equal ones of operands of equal types, at the same line, have one body."""
        return tuple(self.root.of_one_line(self._composite, (label, attributes, function, operands), {}))

    def _composite(
        self,
        label: str,
        attributes: tuple[tuple[str, object], ...],
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        key = self._composite_key(label, function, operands)
        known = None if key is None else self.root.interned.composites.get(key)
        if known is not None:
            return self.bind(known, tuple(operands))
        inner = Branch(self)
        inputs = [inner.receive(operand) for operand in operands]
        with interpreting(inner):
            results = function(*inputs)
            outputs = [inner.own(result) for result in results]
        graph = inner.graph(list(inner.outer), outputs)
        op = Composite(label, attributes, graph)
        if key is not None and tuple(inner.outer) == tuple(operands):  # it has met no others
            self.root.interned.composites[key] = op
        return self.bind(op, tuple(inner.outer))

    def _composite_key(
        self,
        label: str,
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Hashable, ...] | None:
        """A key that tells bodies of composites apart; None where what happens in one is noted elsewhere too."""
        own = function.key if isinstance(function, CompositeBody) else None
        if own is None or self.root.tries or self.differentiated or modes.is_recording():
            return None
        types = [operand.type for operand in operands]
        sizes = {type(size) for kind in types for size in kind.shape}
        if len({*operands}) < len(operands) or not sizes <= _INT:
            return None  # to ask which symbolic sizes are equal would bind the program to some
        return label, own, tuple(types), modes.is_training(), self.root.location()

    def wrote(self, cell: Cell, whole: bool) -> None:
        """Hear of a write to a cell, or to a part of it, before it happens."""
        before = self.root.history.wrote(self, cell, whole)
        self.root.check_write(cell, self)
        self.note(cell)
        cell.value = before

    def note_container(self, container: Any, loc: SourceLoc | None) -> None:
        """Remember what a container holds before a branch changes it, unless it is the branch's own."""
        entry = self.root.world.fresh.get(id(container))
        if self.parent is not None and (entry is None or entry[1] is not self):
            self.containers.setdefault(id(container), (container, container.copy(), loc))

    def changes_own(self, owner: Any, what: str) -> None:
        """Hear that an object of the program's own is about to be changed, in a way that nobody can take back.

        Raises:
            CaptureError E430: in a branch on data, of which the other side may not change it.
        """
        if not self.root.aliases.lasts(owner, self):
            raise self.in_a_branch(what)

    def in_a_branch(self, what: str, help: str = "") -> CaptureError:
        """The error for a side effect where data decides whether it happens."""
        remedy = help or "set a variable on both sides, and write it after the branch: b = new if better else self.best"
        text = f"{what} in a branch or loop that depends on data: Python runs both sides once"
        return self.refusal("E430", text, help=remedy)

    def note(self, cell: Cell) -> None:
        """Remember what a cell holds before a write that is allowed."""
        if self.parent is not None or self.root.aliases.watches:  # else there is nothing to go back to
            self.journal.append((cell, cell.value))

    def leave(self, cell: Cell, value: Operand) -> None:
        """Let an array hold what a branch or loop has left in it: the writes themselves were checked there."""
        self.note(cell)
        cell.value = value

    def concretize(self, symbol: Symbol, kind: str) -> Any:
        """The Python number that a symbol stands for, which then becomes part of the program's key."""
        if symbol.weak is None:
            raise refusal(symbol, f"{kind}()")
        numbers = self.root.numbers
        number = numbers.truth(symbol, self) if kind == "bool" else numbers.number(symbol, self)
        if number is None and symbol.weak in (bool, int):
            number = self.decided(symbol)
        if number is None:
            raise refusal(symbol, f"{kind}()")
        return number

    def number_of(self, symbol: Symbol) -> Any:
        """The Python number that a symbol stands for; None where data decides it."""
        if symbol.weak is None:
            return None
        number = self.root.numbers.number(symbol, self)
        return self.decided(symbol) if number is None and symbol.weak in (bool, int) else number

    def decided(self, symbol: Symbol) -> Any:
        """The bool or integer that data decides a symbol to be, which the program is specialized on then.

        None where it is not: it stays data.
        """
        return None if self.root.decisions is None else self.root.decisions.known(symbol, self)

    def index_of(self, symbol: Symbol) -> int | None:
        """The integer that a symbol is as an index; None where data decides it, or calls differ in it."""
        return self.root.numbers.index(symbol, self)

    def length_between(self, start: Any, stop: Any, size: Size) -> int | None:
        """Return how far apart the ends of a part of an axis are whatever they are; None where that is not known."""
        length: int | None = self.root.numbers.length_between(start, stop, size, self)
        return length

    def check_text(self, asker: FrameType) -> None:
        """Refuse text of an array to code of the user's that is not converted: calls would not make it again."""
        if (line := asks_for_text(asker)) is not None:
            raise self.refusal(
                "E424",
                "text is made from an array, whose values are known only at run time, by code that cannot be captured",
                help="where the source of the function can be read, f-strings, str(), % and print() are followed; or "
                "return the array, and make the text outside", loc=line,
            )  # fmt: skip

    def outside(self, value: Value, kind: type, low: int, high: int) -> Any:
        """The Python number that a value is, where its integer part is not between two; None where it is.

        Where data decides it, the program stops at this line if it is not.
        """
        return self.root.numbers.outside(value, kind, (low, high), self)

    def between(self, value: Value) -> tuple[Size, Size]:
        """Return what the elements of an integer value are known to be between, whatever the call."""
        return self.root.numbers.between(value, self)

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """An operator between Python numbers: what Python gives, or NotImplemented to leave it to the graph."""
        return self.root.numbers.operate(name, function, operands, self)

    def layout(self, cell: Cell) -> tuple[int, ...] | None:
        """Strides, in elements, of an array that exists already; the program then holds for arrays laid out so."""
        return self.root.inputs.layout(cell)

    def copied(self, cell: Cell, copy: Cell, decide: Callable[[], object]) -> None:
        """Hear of a copy that in calls of other sizes is a view."""
        self.root.aliases.copied(cell, copy, decide, self)

    def operand(self, array: ndarray) -> Operand:
        return self.lift(array).operand()

    def lift(self, array: ndarray) -> Symbol:
        """The symbol of an array that exists already."""
        return self.root.inputs.lift(array)

    def lifted(self, value: Any) -> Any:
        """Return the symbol of an array, ours or one of NumPy's that is the user's; of another library's its face.

        Whatever else is returned as it is.
        """
        inputs, library = self.root.inputs, self.root.library
        if library is not None and library.holds(value):
            return library.face(inputs.lift(library.array(value)), value)
        array = value if isinstance(value, ndarray) else inputs.foreign.get(id(value))
        return value if array is None else inputs.lift(array)

    def is_numpys(self, symbol: Symbol) -> bool:
        """Tell whether a symbol is an array of NumPy's that is there before the call, or a view of one."""
        return self.root.inputs.is_foreign(symbol)

    def compare(self, left: Symbol, right: Symbol) -> None:
        """Hear that two arrays were asked for being one object.

        Raises:
            CaptureError E441, E431: data decides which array one of them is; a program does not know NumPy's objects.
        """
        root = self.root
        if left is not right and left.weak is None and right.weak is None:
            root.aliases.check_compared(left._cell, right._cell, self)
        for symbol in (left, right):
            self.check_identity(symbol)
        if root.inputs.compare(left, right) and (root.inputs.is_foreign(left) or root.inputs.is_foreign(right)):
            raise root.refusal(
                "E431", "an argument is asked for being a NumPy array from outside, which programs know as an array of "
                "hybridize",
                help="convert it once outside the function with np.array(a), and compare with the result",
            )  # fmt: skip

    def refusal(self, code: str, what: str, *, help: str = "", loc: SourceLoc | None = None) -> CaptureError:
        """Return the error for what the capture cannot do, which no `except` of the user's can swallow."""
        return self.root.refusing(CaptureError(code, what, help=help, loc=loc))

    def check_identity(self, symbol: Symbol) -> None:
        """Refuse to ask which object an array is that is replaced outside between calls."""
        if self.root.inputs.object_of(symbol) is not None:
            self.root.world.fed.check(self.root, self.root.inputs.of_cell(symbol._cell), "asked for its identity")

    def fill(self, value: Operand, number: Operand) -> None:
        self.root.fills[value] = number

    def fill_of(self, value: Operand) -> Operand | None:
        return self.root.fills.get(value)

    @property
    def passes(self) -> int:  # type: ignore[override]
        return self.root.history.passes

    def read(self, cell: Cell, detached: bool, passes: int | None = None) -> Operand:
        return self.root.history.read(self, cell, detached, passes)

    def check_detached(self, cell: Cell, operand: Operand) -> None:
        """Before a write of a value to a cell through a view that is detached."""
        self.root.history.check_detached(self, cell, operand)

    def gradient(self, symbol: Symbol) -> Symbol | None:
        """`x.grad`."""
        return self.root.history.gradient(self, symbol)

    def feed(self, feed: Feed, before: Any) -> None:
        """Let calls of the program begin with a feed, as the capture itself does or has done: `before` undoes that."""
        self.root.feed_states.append((feed, before))

    def begin(self, feed: Feed) -> None:
        """Let calls of the program begin with a feed, and begin it now: what comes later in the program goes by it."""
        with imperatively():
            before = feed.before()
            self.feed(feed, before)
            feed.begin(before)

    def reading(self, read: Callable[[], float], kind: type, setting: tuple[str, object] | None = None) -> Symbol:
        """A number of Python's of that kind, int or float, as calls of the program find it here; see `Reading`."""
        feed = Reading(read, number_dtype(kind), setting)
        self.begin(feed)
        return Symbol.of(self, self.root.inputs.add(feed.array, -1, "").value, weak=kind)

    def variable(self, x: Any) -> Symbol:
        """A copy of an array with respect to which gradients are asked."""
        return self.root.history.variable(self, x)

    def gradients(self, value: Symbol, variables: Sequence[Symbol], create: bool) -> list[Symbol]:
        """Those of one number with respect to what `variable` gave."""
        return self.root.history.gradients(self, value, variables, create)

    def form(self, name: str, *args: Any) -> Any:
        return getattr(FORMS, name)(self, *args)

    def backward(self, heads: Any, head_grads: Any, retain_graph: bool | None, train_mode: bool) -> None:
        self.root.history.backward(self, heads, head_grads, retain_graph, train_mode)

    def grad(
        self,
        heads: Any,
        variables: Sequence[Any],
        head_grads: Any,
        retain_graph: bool | None,
        create_graph: bool,
        train_mode: bool,
    ) -> Any:
        return self.root.history.grad(self, heads, variables, head_grads, retain_graph, create_graph, train_mode)

    def depend(self, storage: Storage) -> None:
        """The program is valid until `storage` is touched."""
        self.root.world.depend(storage)

    def convert(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the user's, converted."""
        return self.root.converter(function)

    def method(self, owner: Any, name: str) -> Any:
        """A method of an object, converted; the object and its class can get another one, or a way to call it."""
        member = getattr(owner, name)
        if is_users(member):
            self.root.world.read(Attribute(owner, name), member, name, whole=False)
        else:
            self.root.world.read_method(type(owner), name, "__call__")
        return self.root.converter(member)


class Branch(Recording):
    """A part of the program that becomes a closed sub-graph."""

    def __init__(self, parent: Recording) -> None:
        super().__init__(parent)
        self.root: Trace = parent.root
        self.outer: dict[Value, Value] = {}
        """Values of the trace around that are read here, and the inputs that stand for them."""
        self.stands: dict[Value, Value] = {}
        """The same the other way round."""
        self.mine: set[Value] = set()

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        op = self.root.permitted(op)
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
        """See above; what is made of numbers among the arguments is a number of the program, not of the branch.

        What is made of a number that data decides stays in the branch: it may raise, which only the calls do that
        take the branch.
        """
        answer = super().operate(name, function, operands)
        numbers = self.root.numbers
        if answer is not NotImplemented or not all(numbers.is_known(x, self) for x in operands if type(x) is Symbol):
            return answer
        values = [numbers.of_program(x, self) if type(x) is Symbol else x for x in operands]
        with interpreting(self.root):
            return function(*values)

    def is_own(self, value: Value) -> bool:
        return value in self.mine

    def around(self, value: Value) -> Value | None:
        return self.stands.get(value)

    def inside(self, value: Value) -> Value | None:
        return self.outer.get(value)

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
        self.outputs: tuple[Value, ...] = tuple(outputs)
        return Graph(tuple(inputs), tuple(self.builder.nodes), self.outputs, dict(self.builder.constants))


class Trace(Recording):
    """A program being recorded, and the parts that see to one thing each.

    Args:
        converter: gives a function of the user's as the program calls it.
        keyed: depends on what tells keys of dicts and members of sets apart.
        gradients: makes what sees to backward passes.
        check: lets the program raise an exception unless a bool is true.
        changing: numbers, arrays and containers from outside that each call reads.
        indices: leaves of the arguments that are data where they index.
        freeze: arrays from outside are constants.
        winograd: convolutions may be computed by Winograd's algorithm.
        sizes: the assumptions of the program about sizes of arguments that are not known; None where all are.
        library: the array library that the function is written for, where that is another one.
        decides: what Python has to know of data is known, and the program specialized on it.
    """

    def __init__(
        self,
        converter: Callable[[Callable[..., Any]], Callable[..., Any]],
        *,
        keyed: Callable[..., None],
        gradients: Callable[[Trace], BackwardPasses],
        check: Callable[[Symbol, Exception], None],
        changing: Mapping[Key, Guard] = MappingProxyType({}),
        indices: Collection[int] = (),
        freeze: bool = False,
        winograd: bool = False,
        sizes: SizeScope | None = None,
        library: Library | None = None,
        decides: bool = False,
    ) -> None:
        self.root: Trace = self
        self.library = library
        self._winograd = winograd
        super().__init__(None)
        self.converter = converter
        self._keyed = keyed
        self.sizes = sizes
        self.history: BackwardPasses = gradients(self)
        self.inputs: Inputs = Inputs(self, self.history.met, sizes, freeze)
        self.world: World = World(self, FedReads(changing, library))
        self.aliases: Aliases = Aliases(self.world)
        self.numbers: Numbers = Numbers(self, self.inputs, self.world, check, indices)
        self.fills: dict[Value, Operand] = {}
        """MXNet 1's arrays of one number whose sizes of 0 are unknown, and that number."""
        self.feed_states: FeedStates = []
        """Feeds that calls of the program begin with, in the order of its lines, and what undoes the capture's own."""
        self.decisions: Decisions | None = (
            Decisions(self, self.inputs, self.world, self.feed_states, sizes) if decides else None
        )
        """The values that data decides and Python knows; None where they stay data."""
        self.undefined: dict[str, str] = {}
        """Variables without a value after a branch or loop that depends on data, and why."""
        self.raising: tuple[BaseException, SourceLoc | None] | None = None
        """The last exception that a line of the user's raised, and the line."""
        self.tries: list[Any] = []
        """The parts being run that an `except` may catch from, innermost last."""
        self.failed: Cell | None = None
        """A bool[], true if the program has raised an exception; None where it raises none."""
        self.rolls = False
        """True if a list has the items of a loop's rounds in it, see `control.rolled`."""
        self.paths = 0
        """Sides of branches followed so far."""
        self.refused: CaptureError | None = None
        """The last refusal, so that it cannot get lost in an `except` of the user's."""
        self.certain: BaseException | None = None
        """The last exception that only what is guarded decides: a `raise` that was reached, a name that is no key."""
        self.interned: Interned = Interned()
        self._here: list[SourceLoc | None] | None = None
        """The user's line while it is the same, once it was asked for; None where it has to be looked for."""

    def location(self) -> SourceLoc | None:
        """The user's line, equal ones as one object; or the node of a loaded model that is at work."""
        node = NODE.get()
        if node is not None:
            return node
        here = self._here
        if here is None:
            return self._found_location()
        if not here:
            here.append(self._found_location())
        return here[0]

    def of_one_line(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function that runs no code of the user's: all that it records is of the line that calls it."""
        before = self._here
        if before is None:
            self._here = []
        try:
            return function(*args, **kwargs)
        finally:
            self._here = before

    @contextmanager
    def at(self, loc: SourceLoc) -> Iterator[None]:
        """Take a line for the user's within: what runs there was written there."""
        before, self._here = self._here, [loc]
        try:
            yield
        finally:
            self._here = before

    def _found_location(self) -> SourceLoc | None:
        key = user_line(3)  # below this method and the one that calls it
        if key is None:
            return None
        known = self.interned.locations.get(key)
        if known is None:
            known = self.interned.locations[key] = SourceLoc(*key)
        return known

    def permitted(self, op: Op) -> Op:
        """Return an op as it is recorded: what the user permits is part of it, and so is what no `except` will catch.

        Raises:
            CaptureError E433: it may raise what an `except` around it may catch, and is no failure.
        """
        for kind in raised_by(op) if self.tries else ():
            if not isinstance(op, Solvable):
                self.check_tries(kind, self.location())
            elif self.is_caught(kind, self.location()):
                failure = self.failure(kind, self.location())
                op = Assert(str(failure), repr(recipe_of_error(failure)))
        return by_winograd(op) if self._winograd else op

    def is_caught(self, kind: type[BaseException], loc: SourceLoc | None) -> bool:
        """Tell whether an `except` around the present line may catch an exception of a class."""
        return any(one.may_catch(kind, loc) for one in self.tries)

    def failure(self, kind: type[BaseException], loc: SourceLoc | None) -> CaptureError:
        """Return what the program raises in place of an exception of a class, which an `except` around may catch."""
        return CaptureError(
            "E433", f"{kind.__name__} is raised, and an enclosing except may catch it: a program does not go there",
            help="call it without compiling it, or decide by if and else before it", loc=loc,
        )  # fmt: skip

    def check_tries(self, kind: type[BaseException], loc: SourceLoc | None) -> None:
        """Refuse what raises an exception of a class when the program runs, inside of a `try` that may catch it.

        Raises:
            CaptureError E433: it is inside of one.
        """
        if self.is_caught(kind, loc):
            raise self.refusal(
                "E433", f"{kind.__name__} is raised depending on data, and an enclosing except may catch it",
                help="move the try statement into the branch, or use if and else instead", loc=loc,
            )  # fmt: skip

    def keyed(self, keys: Iterable[Any], among: Iterable[Any] = ()) -> None:
        """Depend on what tells keys apart, from each other and from those that are there already."""
        self._keyed(self, keys, among)

    def lift(self, array: ndarray, name: str = "") -> Symbol:
        """The symbol of an array that exists already, under a name that reports show."""
        return self.inputs.lift(array, name)

    @property
    def has_written(self) -> bool:
        """True if the program has written to an array that is there before, or to anything else outside."""
        entries = (entry for entry in self.inputs.entries if entry.symbol.weak is None)
        return bool(self.world.effects) or any(entry.symbol._cell.value is not entry.value for entry in entries)

    def foreign_array(self, array: NDArray[Any]) -> ndarray:
        """Remember an array of NumPy's as the user's, so that it is lifted where it is used; return it as ours."""
        return self.inputs.foreign_array(array)

    def check_write(self, cell: Cell, at: Recording) -> None:
        """Refuse a write that a program cannot do as Python does; remember one to an input.

        Raises:
            CaptureError E441, E442: the array may be another one, depending on data; it is a constant.
            ArgumentError E306: it is a read-only view.
        """
        self.aliases.check_write(cell, at)
        entry = self.inputs.of_cell(cell)
        if entry is not None and entry.written_at is None:
            if entry.array is not None:
                check_writable(entry.array)
            if entry.position == FROZEN:
                raise self.refusal(
                    "E442",
                    "a write to an array that freeze=True made constant",
                    help="leave out freeze",
                )
            entry.written_at = self.location()

    def refusing(self, error: CaptureError) -> CaptureError:
        """An error of this capture, which no `except` of the user's can swallow."""
        self.refused = error
        return error


def active_trace() -> Recording:
    """The trace or branch in charge in this thread, of code that runs while a function is captured."""
    trace = current_trace()
    assert trace is not None, "a function is captured"
    return trace


def current_trace() -> Recording | None:
    """The trace or branch in charge in this thread; None where nothing is captured."""
    interpreter = STACK.interpreters[-1]
    return interpreter if isinstance(interpreter, Recording) else None
