# SPDX-License-Identifier: Apache-2.0
"""`Symbol`: an array while a program is being captured. It has a type, but no values yet.

A symbol is a cell and a chain of index steps. The cell stands for a buffer: its `value`, an operand of the trace, is
what the buffer holds now, and a write replaces it. The steps (slice, reshape, transpose, broadcast) say which view of
the buffer the symbol is: reading applies them in order, writing undoes them from the last to the first. So views see
each other's writes, as they do imperatively, while the graph has only values. What `x.detach()` gives is a view, too.
"""

from __future__ import annotations

import builtins
import contextlib
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn

import numpy

from hybridize import ops
from hybridize.array.layouts import Strides, reshaped, row_major
from hybridize.array.operators import Operators, functions, not_an_index, not_one
from hybridize.base import dims, modes
from hybridize.base.dtypes import DType, int64
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType, surely_same
from hybridize.ops.op import ACTIVE, EagerInterpreter, Op, Operand, bind1, constant, in_charge, type_of


@frozen
class At:
    """The view at an index of an axis that only the program knows, `x[i]` where `i` counts a loop; or from there on."""

    axis: int
    index: Operand
    """int64 without axes, counted from the front and within bounds."""
    length: int | None = None
    """The number of elements from there on; None: one, without an axis."""

    def infer(self, of: TensorType) -> tuple[TensorType]:
        """The type of the view."""
        sizes = () if self.length is None else (self.length,)
        return (of.with_shape((*of.shape[: self.axis], *sizes, *of.shape[self.axis + 1 :])),)


@frozen
class Strided:
    """A view whose axes step along several of the axes it is of, or along one of them twice: diagonals, windows."""

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    """The place of the first element, along each axis of what it is a view of."""
    moves: tuple[tuple[int, ...], ...]
    """For each axis of the view: how far a step goes along each axis of what it is a view of."""

    def infer(self, of: TensorType) -> tuple[TensorType]:
        """The type of the view."""
        return (of.with_shape(self.shape),)

    def positions(self, of: tuple[int, ...]) -> Operand:
        """Return the places of the elements in the row-major order of what it is a view of."""
        by = row_major(of)
        start = sum(first * one for first, one in zip(self.starts, by, strict=True))
        total = bind1(ops.Broadcast(self.shape), like_index(start))
        for axis, move in enumerate(self.moves):
            step = sum(along * one for along, one in zip(move, by, strict=True) if along != 0)
            count = bind1(ops.Iota(self.shape, axis, int64))
            total = bind1(ops.Add(), total, bind1(ops.Mul(), count, bind1(ops.Broadcast(self.shape), like_index(step))))
        return total

    def strides(self, of: Strides) -> Strides:
        """The strides of the view, by those of what it is a view of."""
        return tuple(sum(along * one for along, one in zip(move, of, strict=True)) for move in self.moves)

    def read(self, value: Operand) -> Operand:
        """The elements of the view, of a value that it is a view of."""
        shape = type_of(value).shape
        return bind1(ops.Gather(0), bind1(ops.Reshape((dims.product(shape),)), value), self.positions(shape))

    def written(self, value: Operand, update: Operand) -> Operand:
        """A value, changed so that the view of it is `update`."""
        shape = type_of(value).shape
        flat = bind1(ops.Reshape((dims.product(shape),)), value)
        points = bind1(ops.Reshape((*self.shape, 1)), self.positions(shape))
        return bind1(ops.Reshape(shape), bind1(ops.ScatterND("set"), flat, points, update))


def like_index(number: int) -> Operand:
    """Return a number, which may be a size that only a call knows, as an int64 without axes."""
    return ops.size_of(number) if dims.is_symbolic(number) else constant(numpy.asarray(number, int64))


Step = Op | At | Strided
"""The step that makes a view of a view."""


class Cell:
    """A buffer while capturing: `value` is the operand that holds its present contents."""

    __slots__ = ("__weakref__", "device", "value")

    def __init__(self, value: Operand) -> None:
        self.value: Operand = value
        self.device: Any = None
        """The device of the buffer, where one is known (`array.placing`)."""


class SymbolStaging(EagerInterpreter):
    """The part of `staging.Staging` that symbols ask, of who made them and of who is in charge.

    By default a cell is what it holds, and nothing is known of numbers.
    """

    passes = 0
    """The number of backward passes that have freed what they went along."""

    def read(self, cell: Cell, detached: bool, passes: int | None = None) -> Operand:
        """Return the value that a cell holds, to who reads it now.

        Args:
            cell: the buffer.
            detached: it is read through a view without a history.
            passes: it is read through a view that was made after so many.
        """
        return cell.value

    def is_numpys(self, symbol: Symbol) -> bool:
        """Tell whether a symbol is an array of NumPy's that is there before the call, or a view of one."""
        return False

    def wrote(self, cell: Cell, whole: bool) -> None:
        """Hear of a write to a cell, or to a part of it, before it happens."""

    def check_detached(self, cell: Cell, operand: Operand) -> None:
        """Refuse a write of a value to a cell through a view without a history, where its gradient is not clear."""

    def layout(self, cell: Cell) -> Strides | None:
        """Return the strides, in elements, of an array that exists already; None for a buffer that a program makes."""
        return None

    def copied(self, cell: Cell, copy: Cell, decide: Callable[[], object]) -> None:
        """Hear of a copy of a cell, or of a part of it, that in calls of other sizes is a view.

        It is one of the two as soon as somebody can tell: `decide` lets the program hold where it is a copy only.
        """
        decide()

    def op_of(self, operand: Operand) -> Any:
        """Return the op that made an operand, of those that are recorded; None where it is not known."""
        return None

    def gradient(self, symbol: Symbol) -> Symbol | None:
        """Return `x.grad`; None where there is none."""
        return None

    def concretize(self, symbol: Symbol, kind: str) -> Any:
        """Return the Python value that a symbol stands for, asked for by `kind()`.

        Raises:
            CaptureError E401: there is none.
        """
        raise refusal(symbol, f"{kind}()")

    def number_of(self, symbol: Symbol) -> Any:
        """Return the Python number that a symbol stands for; None where it is not known."""
        return None

    def index_of(self, symbol: Symbol) -> int | None:
        """Return the integer that a symbol is as an index; None where data decides it, or calls differ in it."""
        number: int | None = self.number_of(symbol)
        return number

    def length_between(self, start: Any, stop: Any, size: dims.Size) -> int | None:
        """Return how far apart the ends of a part of an axis are whatever they are; None where that is open."""
        return None

    def check_text(self, asker: FrameType) -> None:
        """Before text is made of an array: refuse it to a program, which would keep what the array holds now."""

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Apply an operator to symbols of Python numbers as Python does; NotImplemented leaves it to the graph."""
        return NotImplemented


class Symbol(Operators):
    """An array of a program that is being captured."""

    __hybridize_captured__ = True
    """Arrays of a program are instances of a class that has this, to functions that are captured."""
    __slots__ = (
        "__weakref__", "_cell", "_passes", "_trace", "_type", "_view", "detached", "name", "of_nd", "of_numpy", "weak",
    )  # fmt: skip

    def __init__(
        self,
        trace: SymbolStaging,
        cell: Cell,
        view: tuple[Step, ...] = (),
        name: str = "",
        *,
        weak: type | None = None,
        type: TensorType | None = None,
        detached: bool = False,
        passes: int | None = None,
        of_numpy: bool = False,
    ) -> None:
        self._trace = trace
        self._cell = cell
        self._view = view
        self._type = type if type is not None else _stepped(trace.type_of(cell.value), view)
        self._passes = trace.passes if view and passes is None else passes
        """Backward passes before the first view on the way from its base; None where it is none."""
        self.detached: bool = detached
        """True if it is a view that was made while nothing was recorded: no gradient goes from it to its base."""
        self.name: str = name
        """The user's name of it; may be empty."""
        self.weak: builtins.type | None = weak
        """float, int or bool when it stands for a Python number, which takes the dtype of the arrays beside it."""
        self.of_nd: bool = False
        """True if its operators and methods are MXNet 1's (`array.nd_array`)."""
        self.of_numpy: bool = of_numpy
        """True if it is an array of NumPy's that is there before the call, or a view of one: it has no device."""

    @classmethod
    def of(
        cls, trace: SymbolStaging, value: Operand, name: str = "", *, weak: type | None = None, of_nd: bool = False
    ) -> Symbol:
        """A symbol of its own for an operand of `trace`."""
        symbol = cls(trace, Cell(value), (), name, weak=weak)
        symbol.of_nd = of_nd
        return symbol

    @property
    def type(self) -> TensorType:
        """Shape and dtype in one, printed `f32[2,3]`."""
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._type.dtype

    @property
    def grad(self) -> Any:
        """The gradient of this array; None unless `attach_grad` was called on it."""
        gradient = in_charge(SymbolStaging).gradient(self)
        if gradient is not None and self._cell.device is not None:
            gradient._cell.device = self._cell.device
        return gradient if gradient is None or not self.of_nd else gradient.faced(True)

    def operand(self) -> Operand:
        """The value that the symbol has now: its cell's, through its steps."""
        if not ACTIVE:
            raise CaptureError(
                "E410",
                f"{self!r} is used after the end of the capture that created it",
                help="return the array from the captured function instead of storing it elsewhere",
            )
        view = self._view
        if self.weak is not None or (view and _detached(view)):
            value = self._cell.value
        else:
            value = in_charge(SymbolStaging).read(self._cell, self.detached, self._passes)
        for step in view:
            value = _viewed(step, value)
        return value

    def write(self, operand: Operand) -> None:
        """Make `operand`, of this symbol's type, the contents of what it views."""
        staging = in_charge(SymbolStaging)
        if _detached(self._view):
            staging.check_detached(self._cell, operand)
        staging.wrote(self._cell, whole=not self._view)
        befores = [self._cell.value]
        for step in self._view:
            if isinstance(step, ops.Broadcast):
                raise ArgumentError("E306", "a broadcast view is read-only", help="write to a copy: x.copy()")
            befores.append(_viewed(step, befores[-1]))
        for step, before in zip(reversed(self._view), reversed(befores[:-1]), strict=True):
            operand = _undone(step, before, operand)
        self._cell.value = operand

    def view_by(self, op: Step) -> Symbol:
        """The view that `op` makes of this one."""
        detached = self.detached or not modes.is_recording()
        kind, passes = _stepped(self._type, (op,)), self._passes
        view = (*self._view, op)
        return Symbol(
            self._trace, self._cell, view, type=kind, detached=detached, passes=passes, of_numpy=self.of_numpy
        )

    def faced(self, of_nd: bool) -> Symbol:
        """The same array, with the operators and methods of MXNet 1 or with NumPy's."""
        other = Symbol(
            self._trace, self._cell, self._view, self.name, type=self._type, detached=self.detached, passes=self._passes
        )
        other.of_nd, other.of_numpy = of_nd, self.of_numpy
        return other

    def same(self) -> Symbol:
        """Another view of the same elements, an array of its own: `x[...]`."""
        return self.view_by(ops.Reshape(self.shape))

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to the next, along each axis, as this view has them imperatively."""
        return tuple(stride * self.dtype.itemsize for stride in self.steps_told())

    @property
    def exists(self) -> bool:
        """True if it is, or is a view of, an array that is there before the program runs."""
        return self._trace.layout(self._cell) is not None

    def has_step(self, kind: Callable[..., Any]) -> bool:
        """Tell whether one of the steps from its buffer to it is of a kind."""
        return any(step.__class__ is kind for step in self._view)

    @property
    def is_whole(self) -> bool:
        """True if it is its buffer itself, not a view of it."""
        return not self._view

    @property
    def base(self) -> Symbol:
        """The whole buffer that this is a view of."""
        return self.viewing(())

    def shares_buffer(self, other: Symbol) -> bool:
        """Tell whether this and another one are views of one buffer."""
        return self._cell is other._cell

    def viewing(self, steps: tuple[Step, ...]) -> Symbol:
        """Another view of the buffer that this is a view of."""
        detached = self.detached or not modes.is_recording()
        return Symbol(self._trace, self._cell, steps, detached=detached, passes=self._passes, of_numpy=self.of_numpy)

    def steps_told(self) -> Strides:
        """The same as `steps_between`, to be seen by the user, who sees those of axes of size 1 too: any numbers."""
        for size in self.shape:
            bool(size == 1)  # asked, so that the program holds where none is or where all are that are now
        return self.steps_between()

    def steps_between(self) -> Strides:
        """The strides, in elements, that this view has imperatively."""
        return self.layout()[1]

    def layout(self) -> tuple[int, Strides]:
        """Return the place where this view begins in its buffer, and its strides, in elements, as it has them."""
        shape = self._trace.type_of(self._cell.value).shape
        strides = self._trace.layout(self._cell)
        if strides is None:  # a buffer that the program makes
            strides = row_major(shape)
        start = 0
        for step in self._view:
            (kind,) = step.infer(TensorType(shape, self.dtype))
            match step:
                case ops.Slice():
                    start = start + sum(first * stride for first, stride in zip(step.starts, strides, strict=True))
                    strides = tuple(stride * by for stride, by in zip(strides, step.steps, strict=True))
                case ops.Reshape():
                    under = reshaped(shape, strides, kind.shape)
                    # None: another library lays its buffers out in another order, and has a view there
                    strides = row_major(kind.shape) if under is None else under
                case ops.Transpose():
                    strides = tuple(strides[axis] for axis in step.axes)
                case ops.Broadcast():
                    new = kind.ndim - len(shape)
                    sizes = zip(shape, kind.shape[new:], strides, strict=True)
                    rest = tuple(0 if dims.stretches(size, wide) else stride for size, wide, stride in sizes)
                    strides = (0,) * new + rest
                case At(length=None):
                    strides = strides[: step.axis] + strides[step.axis + 1 :]
                case Strided():
                    start = start + sum(first * stride for first, stride in zip(step.starts, strides, strict=True))
                    strides = step.strides(strides)
            shape = kind.shape
        return start, strides

    def __repr__(self) -> str:
        functions.check_text()
        return f"<Symbol {self.name + ' ' if self.name else ''}{self._type}>"

    def __str__(self) -> str:
        known = self._trace.number_of(self) if self.weak is not None and ACTIVE else None
        if known is not None:
            return str(known)
        functions.check_text()
        return repr(self)

    def __format__(self, spec: str) -> str:
        if spec:
            return format(self.item(), spec)
        known = self._trace.number_of(self) if self.weak is not None and ACTIVE else None
        if known is None:
            functions.check_text()
        return str(self)

    def __len__(self) -> int:
        if self.weak in _NUMBERS:
            return len(stand_in(self))  # refused by Python
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        return iter(stand_in(self)) if self.weak in _NUMBERS else super().__iter__()

    def __bool__(self) -> bool:
        self._check_one("bool")
        return bool(self._concretize("bool"))

    def __int__(self) -> int:
        return int(self._concretize("int"))

    def __float__(self) -> float:
        return float(self._concretize("float"))

    def __index__(self) -> int:
        if self.weak is float:
            operator.index(stand_in(self))  # refused by Python
        if self.weak is None and (self.shape or self.dtype.kind not in "iu"):
            raise not_an_index(self.type)
        return int(self._concretize("index"))

    def __complex__(self) -> complex:
        return complex(self._concretize("float"))

    def __contains__(self, value: Any) -> bool:
        if self.weak in _NUMBERS:
            return value in stand_in(self)  # refused by Python
        return bool(functions.any(functions.equal(self, value)))

    def item(self, *args: Any) -> Any:
        """Refused while capturing: there is no value yet."""
        return self._concretize("item") if not args else functions.getitem(self, args[0] if len(args) == 1 else args)

    def asscalar(self) -> Any:
        """Refused while capturing: there is no value yet."""
        return self._concretize("asscalar")

    def asnumpy(self) -> Any:
        """Refused while capturing: there is no value yet."""
        self._refuse("asnumpy()")

    def tolist(self) -> Any:
        """Refused while capturing: there is no value yet."""
        self._refuse("tolist()")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("numpy.asarray()")

    def __dlpack__(self, **options: Any) -> Any:
        self._refuse("__dlpack__()")

    def __copy__(self) -> Any:
        return functions.copy(self) if self.weak is None else self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__copy__()

    def __hash__(self) -> int:
        return object.__hash__(self) if self.weak is None else hash(self._concretize("hash"))

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs and any(map(_is_rounding, inputs)):
            answer = self._as_number(ufunc.__name__, ufunc, inputs)
            if answer is not NotImplemented:
                return answer
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    def _as_number(self, name: str, function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """An operator where this stands for a Python number: what Python gives, or NotImplemented for the graph's."""
        if self.weak is None or not all(
            isinstance(x, _PLAIN) or _is_rounding(x) or (type(x) is Symbol and x.weak is not None) for x in operands
        ):
            return NotImplemented
        answer = in_charge(SymbolStaging).operate(name, function, operands)
        if answer is NotImplemented and name not in _OF_BOOLS:
            counted = [_counted(x) for x in operands]
            if any(new is not old for new, old in zip(counted, operands, strict=True)):
                return function(*counted)
        return answer

    def __round__(self, ndigits: int | None = None) -> Any:
        if self.weak is None:
            return super().__round__(ndigits or 0)
        number = self._concretize("float" if self.weak is float else "int")
        return round(number) if ndigits is None else round(number, ndigits)

    def _concretize(self, kind: str) -> Any:
        """Ask the trace for a Python value, which it may know for Python numbers; refused otherwise."""
        return self._trace.concretize(self, kind)

    def _check_one(self, what: str) -> None:
        """Refuse to give the Python value of an array of which is known that it has other than one element."""
        if self.weak is None and not dims.is_symbolic(self.size) and self.size != 1:
            raise not_one(what, self.type)

    def _refuse(self, call: str) -> NoReturn:
        raise refusal(self, call)


def _counted(x: Any) -> Any:
    """A symbol of a Python bool as the integer that it is to Python, not to the graph; anything else as it is."""
    if type(x) is not Symbol or x.weak is not bool:
        return x
    return Symbol.of(x._trace, bind1(ops.Cast(int64), x.operand()), weak=int)


_NUMBERS = (bool, int, float)
_OF_INTEGERS = ("and", "or", "xor", "lshift", "rshift")


def stand_in(x: Any) -> Any:
    """Return a number of the class of the Python number that a symbol stands for; anything else as it is."""
    return x.weak(1) if type(x) is Symbol and x.weak in _NUMBERS else x


def check_classes(function: Callable[..., Any], *operands: Any) -> None:
    """Refuse operands of which Python refuses the classes; those of the user's are not asked.

    Raises:
        TypeError: Python's own.
    """
    values = [stand_in(x) for x in operands]
    if all(type(x).__module__ == "builtins" for x in values):
        with contextlib.suppress(ArithmeticError, ValueError):
            function(*values)


def _is_rounding(x: Any) -> bool:
    """Tell whether a value is a scalar of NumPy's beside which a Python number is rounded to less than it holds."""
    return isinstance(x, numpy.generic) and x.dtype in _ROUNDING


_PLAIN = (bool, int, float, complex, str, bytes, list, tuple)
_OF_BOOLS = ("and", "or", "xor")
_BINARY: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift, "divmod": divmod,
}  # fmt: skip
_UNARY: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert, "trunc": math.trunc,
    "floor": math.floor, "ceil": math.ceil,
}  # fmt: skip


def _with_numbers(name: str, function: Callable[..., Any]) -> None:
    """Let the operators of symbols that stand for Python numbers ask whether Python or the graph is to answer."""
    for reflected in (False, True):
        method = f"__{'r' if reflected else ''}{name}__"
        plain = getattr(Operators, method, None)
        if plain is not None:
            setattr(Symbol, method, _asking(name, function, plain, reflected))
    in_place: Any = getattr(Operators, f"__i{name}__", None)
    if in_place is not None:

        def change(self: Symbol, other: Any) -> Any:
            return in_place(self, other) if self.weak is None else function(self, other)  # numbers are not written

        setattr(Symbol, f"__i{name}__", change)


def _asking(name: str, function: Callable[..., Any], plain: Any, reflected: bool) -> Callable[[Symbol, Any], Any]:
    def operate(self: Symbol, other: Any) -> Any:
        if self.weak is not None:
            answer = self._as_number(name, function, (other, self) if reflected else (self, other))
            if answer is not NotImplemented:
                return answer
            if name in _OF_INTEGERS and float in (self.weak, getattr(other, "weak", type(other))):
                check_classes(function, *((other, self) if reflected else (self, other)))
        answer = plain(self, other)
        if answer is NotImplemented and self.weak is not None:
            check_classes(function, *((other, self) if reflected else (self, other)))
        return answer

    return operate


_IN_64_BITS: dict[str, Op] = {"neg": ops.Neg(), "abs": ops.Abs()}


def _with_number(name: str, function: Callable[..., Any]) -> None:
    plain = getattr(Operators, f"__{name}__", None)
    op = _IN_64_BITS.get(name)

    def operate(self: Symbol) -> Any:
        answer = self._as_number(name, function, (self,))
        if answer is not NotImplemented:
            return answer
        if self.weak is not None and op is not None:
            return Symbol.of(in_charge(SymbolStaging), bind1(op, self.operand()), weak=self.weak)
        if self.weak is float and name == "invert":
            raise TypeError("bad operand type for unary ~: 'float'")
        return function(self._concretize("float")) if plain is None else plain(self)

    setattr(Symbol, f"__{name}__", operate)


def _comparing(name: str, function: Callable[..., Any]) -> None:
    """Let comparisons of symbols that stand for NumPy's scalars give what these give: a `numpy.bool_`.

    Beside a float32 Python numbers are rounded to one, and uint64 has numbers that 64 signed bits lack: there the
    program depends on the very number.
    """
    plain: Any = getattr(Operators, f"__{name}__")

    def compare(self: Symbol, other: Any) -> Any:
        if self.weak in _NUMBERS and isinstance(other, (list, tuple, dict, set, frozenset)):
            return function(stand_in(self), other)  # no number is one, whatever its value
        if self.weak is float and type(other) is int and not _is_float(other):
            return _between_floats(name, self, other)
        if self.weak is not None and _is_rounding(other):
            return self._as_number(name, function, (self, other))
        numbers = [x for x in (self, other) if type(x) is Symbol]
        scalars = [x for x in numbers if x.weak is not None and issubclass(x.weak, numpy.generic)]
        if not scalars or any(x.weak is None for x in numbers):
            answer = plain(self, other)
            if answer is NotImplemented and self.weak is not None:
                check_classes(function, self, other)
            return answer
        if any(numpy.dtype(x.weak) in _ROUNDING for x in scalars):
            return self._as_number(name, function, (self, other))
        comparison = plain(self, other)
        if type(comparison) is Symbol:
            comparison.weak = numpy.bool_
        return comparison

    setattr(Symbol, f"__{name}__", compare)


def _is_float(number: int) -> bool:
    """Tell whether a float is as large as an integer."""
    try:
        return float(number) == number
    except OverflowError:
        return False


def _between_floats(name: str, symbol: Symbol, number: int) -> Any:
    """A comparison of a float with an integer that lies between two floats: with one of these."""
    if name in ("eq", "ne"):
        return name == "ne"
    try:
        near = float(number)
    except OverflowError:
        near = math.inf if number > 0 else -math.inf
    if name in ("lt", "le"):
        return symbol <= (near if near < number else math.nextafter(near, -math.inf))
    return symbol >= (near if near > number else math.nextafter(near, math.inf))


_ROUNDING = (numpy.dtype("float16"), numpy.dtype("float32"), numpy.dtype("uint64"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparing(_name, getattr(operator, _name))
for _name, _function in _BINARY.items():
    _with_numbers(_name, _function)
for _name, _function in _UNARY.items():
    _with_number(_name, _function)


_REMEDIES = {
    "bool()": "np.any, np.all, np.max, np.min, np.isin and np.where compute with it when the program runs",
    "index()": "index with the array itself, x[i], or x[i + np.arange(n)] for n elements from there; a loop over data "
    "is npx.while_loop or npx.foreach",
}


def refusal(symbol: Symbol, call: str) -> CaptureError:
    """The error for asking a symbol for a value: names the call and a remedy."""
    help = _REMEDIES.get(call, "keep it an array: np and npx compute with it; npx.print shows it when the program runs")
    return CaptureError("E401", f"{call} of {described(symbol)}: a captured array has no value", help=help)


def described(symbol: Symbol) -> str:
    """A value of a program for messages: an array with its type, or a Python number."""
    if symbol.weak is not None:
        article = "an" if symbol.weak is int else "a"
        return f"{article} {symbol.weak.__name__} that depends on data"
    return f"{symbol.name + ', ' if symbol.name else ''}an array {symbol.type}"


def _stepped(type: TensorType, steps: tuple[Step, ...]) -> TensorType:
    for step in steps:
        (type,) = step.infer(type)
    return type


Symbol.__name__ = "ndarray"  # Python's own errors name the class: "'ndarray' object has no attribute 'foo'"


def _detached(steps: tuple[Step, ...]) -> bool:
    """Tell whether a view is of values of which nothing is remembered, whatever the history of the buffer."""
    return any(type(step) is ops.StopGradient for step in steps)


def _viewed(step: Step, value: Operand) -> Operand:
    """Apply one indexing step of a view to a value."""
    if isinstance(step, ops.Reshape) and surely_same(step.shape, type_of(value).shape):
        return value  # an array of its own, of the same elements
    if isinstance(step, Strided):
        return step.read(value)
    if not isinstance(step, At):
        return bind1(step, value)
    op = ops.Gather(step.axis) if step.length is None else ops.SliceAt(step.axis, step.length)
    return bind1(op, value, step.index)


def _undone(step: Step, before: Operand, update: Operand) -> Operand:
    """`before`, changed so that `step` of it is `update`."""
    match step:
        case ops.StopGradient():
            return update
        case ops.Slice():
            return bind1(ops.UpdateSlice(step.starts, step.stops, step.steps), before, update)
        case ops.Reshape():
            shape = type_of(before).shape
            return update if surely_same(step.shape, shape) else bind1(ops.Reshape(shape), update)
        case ops.Transpose():
            return bind1(ops.Transpose(tuple(int(i) for i in numpy.argsort(step.axes))), update)
        case At():
            if step.length is None:
                shape = type_of(update).shape
                update = bind1(ops.Reshape((*shape[: step.axis], 1, *shape[step.axis :])), update)
            return bind1(ops.UpdateAt(step.axis), before, step.index, update)
        case Strided():
            return step.written(before, update)
    raise ArgumentError("E306", f"a view made by {step.name} is read-only")
