# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators by name, and the elementwise ones and reductions among them; `layers` and `shapes` add the rest.

An entry is called with the node's attributes and operands, and gives one operand, or a tuple of them. 1.x's operators
(`elemwise_add`, `_plus_scalar`) keep dtypes, comparisons included; those of `np` (`_npi_add`) promote, and compare to
bool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import FLOATS, bool_, float32
from hybridize.base.promotion import floating
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import (
    aligned,
    apply,
    axes_of,
    axis_of,
    broadcast,
    cast,
    dtype_of,
    keeping,
    like,
    reshape,
    shape_of,
    with_scalar,
)
from hybridize.ops import composites
from hybridize.ops.op import Op, Operand, bind1, type_of

Entry = Callable[..., Any]
TABLE: dict[str, Entry] = {}
"""By MXNet's canonical name; aliases do not occur in files."""


def operator(*names: str) -> Callable[[Entry], Entry]:
    """Put a function into the table under `names`."""

    def add(function: Entry) -> Entry:
        TABLE.update(dict.fromkeys(names, function))
        return function

    return add


# ------------------------------------------------------------------------------------------------------ one operand


def _unary(function: Callable[[Operand], Operand], *, floats: bool = True) -> Entry:
    def entry(a: Attributes, x: Operand) -> Operand:
        return function(cast(x, floating(dtype_of(x))) if floats else x)

    return entry


def _op(op: Op) -> Callable[[Operand], Operand]:
    return lambda x: bind1(op, x)


def _square(x: Operand) -> Operand:
    return bind1(ops.Mul(), x, x)


def _reciprocal(x: Operand) -> Operand:
    return bind1(ops.Div(), like(1, x), x)


def _half_away(x: Operand) -> Operand:
    """MXNet's `round`: halves away from zero."""
    whole = bind1(ops.Trunc(), x)
    rest = bind1(ops.Abs(), bind1(ops.Sub(), x, whole))
    up = cast(bind1(ops.Ge(), rest, like(0.5, x)), dtype_of(x))
    return bind1(ops.Add(), whole, bind1(ops.Mul(), bind1(ops.Sign(), x), up))


def _half_down(x: Operand) -> Operand:
    """MXNet's `rint`: halves to minus infinity."""
    low, high = bind1(ops.Floor(), x), bind1(ops.Ceil(), x)
    return bind1(ops.Where(), bind1(ops.Le(), bind1(ops.Sub(), x, low), bind1(ops.Sub(), high, x)), low, high)


def _hard_sigmoid(a: Attributes, x: Operand) -> Operand:
    line = apply(ops.Add(), apply(ops.Mul(), x, like(a.number("alpha", 0.2), x)), like(a.number("beta", 0.5), x))
    return bind1(ops.Min(), bind1(ops.Max(), line, like(0, x)), like(1, x))


_FLOAT_FUNCTIONS: dict[str, Op] = {
    "exp": ops.Exp(), "log": ops.Log(), "sqrt": ops.Sqrt(), "rsqrt": ops.Rsqrt(), "cbrt": ops.Cbrt(), "sin": ops.Sin(),
    "cos": ops.Cos(), "tan": ops.Tan(), "arcsin": ops.Arcsin(), "arccos": ops.Arccos(), "arctan": ops.Arctan(),
    "sinh": ops.Sinh(), "cosh": ops.Cosh(), "tanh": ops.Tanh(), "arcsinh": ops.Arcsinh(), "arccosh": ops.Arccosh(),
    "arctanh": ops.Arctanh(), "log2": ops.Log2(), "log10": ops.Log10(), "log1p": ops.Log1p(), "expm1": ops.Expm1(),
    "erf": ops.Erf(), "erfinv": ops.Erfinv(), "gamma": ops.Gamma(), "gammaln": ops.Gammaln(),
}  # fmt: skip
_FUNCTIONS: dict[str, Op] = {
    "abs": ops.Abs(), "negative": ops.Neg(), "sign": ops.Sign(), "floor": ops.Floor(), "ceil": ops.Ceil(),
    "trunc": ops.Trunc(), "fix": ops.Trunc(),
}  # fmt: skip
for _name, _function in _FLOAT_FUNCTIONS.items():
    TABLE[_name] = TABLE[f"_npi_{_name}"] = _unary(_op(_function))
for _name, _function in _FUNCTIONS.items():
    TABLE[_name] = TABLE[f"_npi_{_name}"] = _unary(_op(_function), floats=False)
TABLE["_npi_absolute"] = TABLE["abs"]
TABLE["rcbrt"] = _unary(lambda x: _reciprocal(bind1(ops.Cbrt(), x)))
TABLE["square"] = TABLE["_npi_square"] = _unary(_square, floats=False)
TABLE["reciprocal"] = TABLE["_npi_reciprocal"] = _unary(_reciprocal)
TABLE["round"] = _unary(_half_away)
TABLE["rint"] = _unary(_half_down)
TABLE["_npi_rint"] = _unary(_op(ops.Round()))
TABLE["sigmoid"] = TABLE["_npx_sigmoid"] = _unary(_op(ops.Sigmoid()))
TABLE["relu"] = TABLE["_npx_relu"] = _unary(composites.relu, floats=False)
TABLE["softsign"] = _unary(lambda x: composites.activation(x, "softsign"))
TABLE["hard_sigmoid"] = _hard_sigmoid
TABLE["_npi_logical_not"] = lambda a, x: bind1(ops.Eq(), x, like(0, x))
TABLE["logical_not"] = lambda a, x: cast(bind1(ops.Eq(), x, like(0, x)), dtype_of(x))
for _name, _function in {"isnan": ops.Isnan(), "isinf": ops.Isinf(), "isfinite": ops.Isfinite()}.items():
    TABLE[f"_npi_{_name}"] = _unary(_op(_function), floats=False)


@operator("_copy", "_copyto", "_np_copy", "_npi_copy", "identity", "MakeLoss", "make_loss", "IdentityAttachKLSparseReg")
def _identity(a: Attributes, x: Operand) -> Operand:
    return x


@operator("BlockGrad")
def _stop_gradient(a: Attributes, x: Operand) -> Operand:
    return bind1(ops.StopGradient(), x)


@operator("Cast", "amp_cast")
def _cast(a: Attributes, x: Operand) -> Operand:
    dtype = a.dtype("dtype", None)
    if dtype is None:
        a.fail("the attribute dtype is missing")
    return cast(x, dtype)


@operator("clip", "_npi_clip")
def _clip(a: Attributes, x: Operand) -> Operand:
    low, high = a.values.get("a_min"), a.values.get("a_max")
    if low not in (None, "None"):
        x = apply(ops.Max(), x, like(a.number("a_min"), x))
    if high not in (None, "None"):
        x = apply(ops.Min(), x, like(a.number("a_max"), x))
    return x


# ----------------------------------------------------------------------------------------------------- two operands

_ARITHMETIC: dict[str, Op] = {
    "add": ops.Add(), "sub": ops.Sub(), "mul": ops.Mul(), "div": ops.Div(), "mod": ops.Mod(), "power": ops.Pow(),
    "maximum": ops.Max(), "minimum": ops.Min(), "hypot": ops.Hypot(),
}  # fmt: skip
_COMPARISONS: dict[str, Op] = {
    "equal": ops.Eq(), "not_equal": ops.Ne(), "greater": ops.Gt(), "greater_equal": ops.Ge(), "lesser": ops.Lt(),
    "lesser_equal": ops.Le(),
}  # fmt: skip
_LOGIC: dict[str, Op] = {"logical_and": ops.BitAnd(), "logical_or": ops.BitOr(), "logical_xor": ops.BitXor()}
_NUMPY_NAMES = {
    "sub": "subtract", "mul": "multiply", "div": "true_divide", "lesser": "less", "lesser_equal": "less_equal",
}  # fmt: skip
_FLOAT_ONLY = (ops.Div, ops.Hypot, ops.Pow)


def _legacy(op: Op, *, equal_shapes: bool = False) -> Entry:
    """A 1.x operator: the dtype stays, also of comparisons."""

    def entry(a: Attributes, x: Operand, y: Operand) -> Operand:
        if equal_shapes and shape_of(x) != shape_of(y):
            a.fail(f"the shapes differ: {type_of(x)} and {type_of(y)}", help="broadcast_* operators broadcast")
        x, y = aligned(x, y)
        return cast(_computed(a, op, x, y), dtype_of(x))

    return entry


def _computed(a: Attributes, op: Op, x: Operand, y: Operand) -> Operand:
    if isinstance(op, (ops.BitAnd, ops.BitOr, ops.BitXor)):
        x, y = (bind1(ops.Ne(), value, like(0, value)) for value in (x, y))
    if isinstance(op, _FLOAT_ONLY) and dtype_of(x) not in FLOATS and not isinstance(op, ops.Pow):
        a.fail(f"{type_of(x)}: only floats are supported")
    return bind1(op, x, y)


def _numpy(op: Op) -> Entry:
    """An operator of `np`: promotes; division gives floats, comparisons bools."""

    def entry(a: Attributes, x: Operand, y: Operand) -> Operand:
        x, y = aligned(x, y)
        if isinstance(op, (ops.Div, ops.Hypot)):
            x, y = (cast(value, floating(dtype_of(value))) for value in (x, y))
        return _computed(a, op, x, y)

    return entry


def _scalar(op: Op, *, legacy: bool, reverse: bool = False) -> Entry:
    def entry(a: Attributes, x: Operand) -> Operand:
        value = a.number("scalar", 1.0)
        is_int = a.flag("is_int", isinstance(value, int))
        dtype = dtype_of(x)
        if isinstance(op, (ops.Div, ops.Hypot)) and not legacy:
            x = cast(x, floating(dtype))
        x, y = with_scalar(x, value, is_int, legacy=legacy)
        found = _computed(a, op, *((y, x) if reverse else (x, y)))
        return cast(found, dtype) if legacy else found

    return entry


for _name, _function in {**_ARITHMETIC, **_COMPARISONS, **_LOGIC}.items():
    TABLE[f"broadcast_{_name}"] = _legacy(_function)
    TABLE[f"_npi_{_NUMPY_NAMES.get(_name, _name)}"] = _numpy(_function)
    TABLE[f"_npi_{_NUMPY_NAMES.get(_name, _name)}_scalar"] = _scalar(_function, legacy=False)
for _name, _function in {**_COMPARISONS, **_LOGIC}.items():
    TABLE[f"_{_name}"] = _legacy(_function, equal_shapes=True)
    TABLE[f"_{_name}_scalar"] = _scalar(_function, legacy=True)
for _name in ("add", "sub", "mul", "div"):
    TABLE[f"elemwise_{_name}"] = _legacy(_ARITHMETIC[_name], equal_shapes=True)
for _name in ("mod", "power", "maximum", "minimum", "hypot"):
    TABLE[f"_{_name}"] = _legacy(_ARITHMETIC[_name], equal_shapes=True)
    TABLE[f"_{_name}_scalar"] = _scalar(_ARITHMETIC[_name], legacy=True)
for _name, _word in {"plus": "add", "minus": "sub", "mul": "mul", "div": "div"}.items():
    TABLE[f"_{_name}_scalar"] = _scalar(_ARITHMETIC[_word], legacy=True)
for _name, _word in {"rminus": "sub", "rdiv": "div", "rmod": "mod", "rpower": "power"}.items():
    TABLE[f"_{_name}_scalar"] = _scalar(_ARITHMETIC[_word], legacy=True, reverse=True)
    TABLE[f"_npi_r{_NUMPY_NAMES.get(_word, _word)}_scalar"] = _scalar(_ARITHMETIC[_word], legacy=False, reverse=True)


@operator("add_n")
def _add_n(a: Attributes, *xs: Operand) -> Operand:
    total = xs[0]
    for x in xs[1:]:
        total = apply(ops.Add(), total, x)
    return total


@operator("where", "_npi_where")
def _where(a: Attributes, condition: Operand, x: Operand, y: Operand) -> Operand:
    x, y = aligned(x, y)
    condition = condition if dtype_of(condition) == bool_ else bind1(ops.Ne(), condition, like(0, condition))
    if a.op == "where" and len(shape_of(condition)) == 1 and len(shape_of(x)) > 1:
        # 1.x lets a vector choose among rows.
        condition = reshape(condition, (*shape_of(condition), *[1] * (len(shape_of(x)) - 1)))
    shape = numpy.broadcast_shapes(shape_of(condition), shape_of(x))
    return bind1(ops.Where(), *(broadcast(value, shape) for value in (condition, x, y)))


def _where_scalar(left: bool) -> Entry:
    def entry(a: Attributes, condition: Operand, x: Operand) -> Operand:
        number = like(a.number("scalar", 0.0), x)
        return _where(a, condition, *((number, x) if left else (x, number)))

    return entry


TABLE["_npi_where_lscalar"], TABLE["_npi_where_rscalar"] = _where_scalar(True), _where_scalar(False)


# ------------------------------------------------------------------------------------------------------- reductions


def _reduction(function: Callable[[Operand, tuple[int, ...]], Operand]) -> Entry:
    def entry(a: Attributes, x: Operand) -> Operand:
        a.only(initial=None)
        axes = axes_of(a.axes("axis"), len(shape_of(x)), a.flag("exclude", False))
        dtype = a.dtype("dtype", None)
        found = keeping(function(cast(x, dtype) if dtype is not None else x, axes), x, axes, a.flag("keepdims", False))
        return with_axis(a, found)

    return entry


def with_axis(a: Attributes, x: Operand) -> Operand:
    """1.x has no arrays without axes: what would be one has an axis of size 1, also under NumPy's shapes."""
    return reshape(x, (1,)) if not shape_of(x) and not a.op.startswith("_np") else x


def _variance(x: Operand, axes: tuple[int, ...]) -> Operand:
    return composites.variance(cast(x, floating(dtype_of(x))), axes)


def _mean(x: Operand, axes: tuple[int, ...]) -> Operand:
    return composites.mean(cast(x, floating(dtype_of(x))), axes)


for _name, _reduce in {
    "sum": lambda x, axes: bind1(ops.Sum(axes), x),
    "prod": lambda x, axes: bind1(ops.Prod(axes), x),
    "max": lambda x, axes: bind1(ops.ReduceMax(axes), x),
    "min": lambda x, axes: bind1(ops.ReduceMin(axes), x),
    "mean": _mean,
    "var": _variance,
    "std": lambda x, axes: bind1(ops.Sqrt(), _variance(x, axes)),
}.items():
    TABLE[f"_npi_{_name}"] = TABLE[f"_np_{_name}"] = _reduction(_reduce)
    if _name not in ("var", "std"):
        TABLE[_name] = _reduction(_reduce)


@operator("norm")
def _norm(a: Attributes, x: Operand) -> Operand:
    order = a.integer("ord", 2)
    axes = axes_of(a.axes("axis"), len(shape_of(x)))
    if order not in (1, 2):
        a.fail(f"ord={order} is not supported, only 1 and 2")
    total = bind1(ops.Sum(axes), bind1(ops.Abs(), x) if order == 1 else bind1(ops.Mul(), x, x))
    found = total if order == 1 else bind1(ops.Sqrt(), total)
    return with_axis(a, keeping(found, x, axes, a.flag("keepdims", False)))


@operator("argmax", "argmin", "_npi_argmax", "_npi_argmin")
def _argument(a: Attributes, x: Operand) -> Operand:
    """1.x gives floats, `np` int64."""
    op = ops.ArgMax if a.op.endswith("argmax") else ops.ArgMin
    axis = a.optional_integer("axis")
    shape = shape_of(x)
    flat = axis is None
    axis_index = 0 if axis is None else axis_of(axis, len(shape))
    found = bind1(op(axis_index), reshape(x, (type_of(x).size,)) if flat else x)
    if a.flag("keepdims", False):
        found = reshape(found, tuple(1 if flat or k == axis_index else size for k, size in enumerate(shape)))
    return found if a.op.startswith("_npi_") else cast(with_axis(a, found), float32)


@operator("cumsum", "_np_cumsum", "_npi_cumsum")
def _cumsum(a: Attributes, x: Operand) -> Operand:
    axis = a.optional_integer("axis")
    dtype = a.dtype("dtype", None)
    x = x if dtype is None else cast(x, dtype)
    if axis is None:
        x, axis = reshape(x, (type_of(x).size,)), 0
    return bind1(ops.CumSum(axis_of(axis, len(shape_of(x)))), x)
