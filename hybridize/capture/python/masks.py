# SPDX-License-Identifier: Apache-2.0
"""`x[mask]` while capturing: an array whose first size data decides.

It is kept as all of `x` and the mask. Operations element by element go over all of `x`, reductions count what the mask
selects, and `x[mask] = v` is a choice. What needs the size itself is refused. Elements that are not selected are
replaced by the first that is, so that nothing is computed of values that the function would never see.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.dims import same
from hybridize.base.dtypes import bool_
from hybridize.base.errors import CaptureError, ShapeError
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.capture.control import raising
from hybridize.capture.control.truth import RESULT, Undecided, refusal, truth
from hybridize.capture.trace.recording import Recording
from hybridize.graph import Node
from hybridize.ops.analysis import ANALYSIS
from hybridize.ops.op import in_charge

_UNARY = ANALYSIS.keys() | {
    "abs", "absolute", "fabs", "negative", "positive", "square", "reciprocal", "sign", "rint", "logical_not", "relu",
    "clip", "around", "degrees", "radians",
}  # fmt: skip
_BINARY = frozenset({
    "add", "subtract", "multiply", "divide", "true_divide", "power", "maximum", "minimum", "mod", "remainder", "fmax",
    "fmin", "floor_divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor", "arctan2", "hypot", "copysign", "fmod", "where",
})  # fmt: skip
_REDUCTIONS = frozenset({
    "sum", "prod", "mean", "max", "min", "amax", "amin", "any", "all", "std", "var", "count_nonzero",
})  # fmt: skip


class Masked(Undecided):
    """The elements of an array that a mask selects."""

    __slots__ = ("mask", "source")
    mask: Symbol
    source: Symbol

    def __init__(self, source: Symbol, mask: Symbol, loc: SourceLoc | None) -> None:
        super().__init__(loc)
        self.source, self.mask = source, mask

    # What it is.

    @property
    def dtype(self) -> Any:
        """Element type."""
        return self.source.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._rest) + 1

    @property
    def shape(self) -> tuple[Any, ...]:
        """Sizes, the first a number that the program counts."""
        return (self.count(), *self._rest)

    @property
    def size(self) -> Any:
        """Number of elements."""
        return self.count() * math.prod(self._rest)

    @property
    def _rest(self) -> tuple[int, ...]:
        return self.source.shape[len(self.mask.shape) :]

    @property
    def _wide(self) -> Symbol:
        """The mask with the axes of the array."""
        wide: Symbol = functions.reshape(self.mask, (*self.mask.shape, *(1,) * len(self._rest)))
        return wide

    def count(self) -> Any:
        """Return the number of elements that the mask selects: a Python number."""
        total = functions.sum(functions.astype(self.mask, "int64"))
        return Symbol.of(staging(), total.operand(), weak=int)

    def truth(self) -> Any:
        """Refused: the truth of an array needs its size."""
        raise self.refused("the truth")

    def refused(self, what: str) -> CaptureError:
        """The error for what needs to know the size."""
        return refusal(
            "E402", f"{what} of x[mask]: the number of its elements depends on the data",
            help="reduce it with sum, mean, max, min, any, all, std, var or len, or keep the size: np.where(mask, x, "
            "0)",
            loc=self.loc if what == RESULT else None,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<elements of {self.source!r} that data selects>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _REDUCTIONS:
            return lambda *args, **kwargs: reduced(name, self, *args, **kwargs)
        if name in ("copy", "astype", "clip", "round", "abs", "exp", "log", "sqrt", "square"):
            return lambda *args, **kwargs: self.of(getattr(self.source, name)(*args, **kwargs))
        raise self.refused(f".{name}")

    # Operations.

    def of(self, source: Symbol) -> Masked:
        """The same elements of another array of these sizes."""
        return Masked(source, self.mask, self.loc)

    def partner(self, other: Any) -> Any:
        """The other operand of an operation element by element, as it goes over all elements."""
        if isinstance(other, Masked):
            if not _same(self.mask, other.mask):
                raise self.refused("an operation with elements of another mask")
            return other.source
        if len(getattr(other, "shape", ())) > len(self._rest):
            raise self.refused("an operation with an array")
        return other

    def chosen(self, otherwise: Any) -> Symbol:
        """The array, something else where nothing is selected."""
        symbol: Symbol = functions.where(self._wide, self.source, otherwise)
        return symbol

    def operate(self, function: Callable[..., Any], other: Any, reflected: bool) -> Masked:
        """An operator."""
        partner = self.partner(other)
        return self.of(function(partner, self.source) if reflected else function(self.source, partner))


def _with_operator(name: str, function: Callable[..., Any]) -> None:
    setattr(Masked, f"__{name}__", lambda self, other: self.operate(function, other, False))
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Masked, f"__r{name}__", lambda self, other: self.operate(function, other, True))


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow,
    "floordiv": operator.floordiv, "mod": operator.mod, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
for _name, _operator in _OPERATORS.items():
    _with_operator(_name, _operator)
for _sign in (operator.neg, operator.pos, operator.abs, operator.invert):
    setattr(Masked, f"__{_sign.__name__.strip('_')}__", lambda self, function=_sign: self.of(function(self.source)))
for _name, _message in {
    "getitem": "an item", "setitem": "an item", "iter": "a loop over the elements", "contains": "`in`",
    "array": "an array", "matmul": "a product", "rmatmul": "a product", "len": "len()", "format": "text", "str": "text",
}.items():  # fmt: skip

    def _refuse(self: Masked, *args: Any, message: str = _message) -> Any:
        raise self.refused(message)

    setattr(Masked, f"__{_name}__", _refuse)


def selects(owner: Any, key: Any) -> bool:
    """Tell whether `owner[key]` is a selection by a mask."""
    return (
        type(owner) is Symbol and isinstance(key, (Symbol, ndarray)) and key.dtype == bool_
        and 0 < len(key.shape) <= len(owner.shape) and key.shape == owner.shape[: len(key.shape)]
    )  # fmt: skip


def selected(owner: Symbol, key: Any) -> Masked:
    """`owner[key]` for a mask, with the elements that both have now."""
    trace = in_charge(Recording)
    mask = Symbol.of(trace, trace.lifted(key).operand())
    rest = owner.shape[len(mask.shape) :]
    if same(math.prod(mask.shape), 0):
        return Masked(owner, mask, trace.root.location())  # there is no element to stand in for those not selected
    first_true = functions.argmax(functions.astype(functions.reshape(mask, (-1,)), "int32"))
    first = functions.reshape(owner, (-1, *rest))[first_true].detach()
    masked = Masked(owner, mask, trace.root.location())
    return masked.of(masked.chosen(first))


def assign(owner: Symbol, key: Any, value: Masked) -> None:
    """`owner[key] = value`, of the elements that a mask selects."""
    if not selects(owner, key):
        raise value.refused("an assignment")
    target = selected(owner, key)
    source = target.partner(value)
    owner[...] = functions.astype(functions.where(target._wide, source, owner), owner.dtype)


def applied(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of arrays among whose arguments are selections."""
    name = getattr(function, "__name__", "").lstrip("_")
    masked = next(x for x in (*args, *kwargs.values()) if isinstance(x, Masked))
    if getattr(function, "__module__", "").startswith("hybridize.array"):
        if name in _REDUCTIONS and args and args[0] is masked:
            return reduced(name, *args, **kwargs)
        if name in _UNARY | _BINARY:
            named = {key: masked.partner(x) for key, x in kwargs.items()}
            return masked.of(function(*map(masked.partner, args), **named))
    raise masked.refused(f"{name}()")


def reduced(name: str, masked: Masked, axis: Any = None, dtype: Any = None, *, ddof: Any = 0) -> Any:
    """A reduction of the elements that are selected: of all, or (`axis=0`) with the other axes kept."""
    if axis not in (None, 0):
        raise masked.refused(f"{name}() along another axis")
    if dtype is not None:
        masked = masked.of(functions.astype(masked.source, dtype))
    axes = tuple(range(len(masked.mask.shape if axis == 0 else masked.source.shape)))
    source = masked.source
    shape = () if axis is None else masked._rest
    count = functions.sum(functions.astype(masked.mask, "float64"))
    count = count * (math.prod(masked._rest) if axis is None else 1)
    match name:
        case "sum":
            return functions.sum(masked.chosen(_zero(source)), axis=axes)
        case "prod":
            return functions.prod(masked.chosen(_zero(source) + 1), axis=axes)
        case "any":
            return functions.any(functions.logical_and(masked._wide, functions.astype(source, bool)), axis=axes)
        case "all":
            unselected = functions.logical_not(masked._wide)
            return functions.all(functions.logical_or(unselected, functions.astype(source, bool)), axis=axes)
        case "count_nonzero":
            counted = functions.logical_and(masked._wide, functions.not_equal(source, 0))
            return functions.sum(functions.astype(counted, "int64"), axis=axes)
        case "max" | "min" | "amax" | "amin":
            return _extreme(name[-3:], masked, axes)
    kind = functions.mean(source).dtype
    exact = masked.of(functions.astype(source, kind))
    number = functions.astype(count, kind)
    mean = functions.sum(exact.chosen(_zero(exact.source)), axis=axes) / number
    if name == "mean":
        return mean
    spread = exact.of(exact.source - functions.reshape(mean, shape))
    squares = functions.sum(functions.square(spread.chosen(_zero(exact.source))), axis=axes) / functions.maximum(
        number - ddof, 0
    )
    return squares if name == "var" else functions.sqrt(squares)


def _zero(source: Symbol) -> Symbol:
    zeros: Symbol = functions.astype(functions.zeros_like(source), source.dtype)
    return zeros


def _extreme(name: str, masked: Masked, axes: tuple[int, ...]) -> Any:
    trace = in_charge(Recording)
    empty = TensorType((0, *masked._rest), masked.dtype)
    error = ShapeError("E109", f"{name} of {empty} over no elements", help="pass initial=, or test x.size first")
    raising.check(trace, truth(functions.any(masked.mask)), error)
    reduction = functions.max if name == "max" else functions.min
    worst = (functions.min if name == "max" else functions.max)(masked.source).detach()
    return reduction(masked.chosen(worst), axis=axes)


def _same(x: Symbol, y: Symbol) -> bool:
    """Tell whether two masks are computed alike."""
    trace = in_charge(Recording)
    producers: dict[Any, Node] = {out: node for node in trace.builder.nodes for out in node.outputs}

    def alike(a: Any, b: Any, depth: int) -> bool:
        if a is b:
            return True
        one, other = producers.get(a), producers.get(b)
        if depth == 0 or one is None or other is None or one.op != other.op or len(one.inputs) != len(other.inputs):
            constants = trace.builder.constants
            return a in constants and b in constants and a.type == b.type and bool((constants[a] == constants[b]).all())
        return all(alike(p, q, depth - 1) for p, q in zip(one.inputs, other.inputs, strict=True))

    return alike(x._cell.value, y._cell.value, 8)
