# SPDX-License-Identifier: Apache-2.0
"""Our primitives in ONNX's words; what is missing here has no counterpart.

Numbers are ours, or there is no word: integers are divided as Python divides, NaN spreads as NumPy has it.
"""

from __future__ import annotations

import contextlib
import math
from ast import literal_eval
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, float16, int32, int64, is_complex, is_float
from hybridize.base.types import Shape, TensorType
from hybridize.formats.formulas import FORMULAS
from hybridize.formats.onnx.kernels import CARRIERS
from hybridize.formats.onnx.writer import FileValue, NodeWriter, Write, is_bool
from hybridize.graph import Node
from hybridize.ops.contract import LETTERS
from hybridize.ops.contract import read as read_spec
from hybridize.ops.solutions import Det
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import full, like
from hybridize.runtime.recipes import exception

BY_OPS: Final[dict[type, Write]] = {}
"""The writers of primitives."""


def writes(*kinds: type) -> Callable[[Write], Write]:
    """Register the writer of some ops."""

    def register(write: Write) -> Write:
        BY_OPS.update(dict.fromkeys(kinds, write))
        return write

    return register


# --------------------------------------------------------------------------------------------------------- elementwise

UNARY: Final[dict[type, str]] = {
    ops.Abs: "Abs", ops.Sign: "Sign", ops.Floor: "Floor", ops.Ceil: "Ceil", ops.Round: "Round",
    ops.Sqrt: "Sqrt", ops.Exp: "Exp", ops.Log: "Log", ops.Sin: "Sin", ops.Cos: "Cos", ops.Tan: "Tan",
    ops.Arcsin: "Asin", ops.Arccos: "Acos", ops.Arctan: "Atan", ops.Sinh: "Sinh", ops.Cosh: "Cosh",
    ops.Tanh: "Tanh", ops.Arcsinh: "Asinh", ops.Arccosh: "Acosh", ops.Arctanh: "Atanh", ops.Erf: "Erf",
    ops.Sigmoid: "Sigmoid", ops.Isnan: "IsNaN", ops.Isinf: "IsInf",
}  # fmt: skip

BINARY: Final[dict[type, str]] = {
    ops.Add: "Add", ops.Sub: "Sub", ops.Mul: "Mul", ops.Div: "Div", ops.Max: "Max", ops.Min: "Min",
    ops.SharedMax: "Max", ops.SharedMin: "Min", ops.Eq: "Equal", ops.Lt: "Less", ops.Le: "LessOrEqual",
    ops.Gt: "Greater", ops.Ge: "GreaterOrEqual", ops.BitAnd: "BitwiseAnd", ops.BitOr: "BitwiseOr",
    ops.BitXor: "BitwiseXor",
}  # fmt: skip
_LOGIC = {
    ops.Add: "Or", ops.Mul: "And", ops.Max: "Or", ops.SharedMax: "Or", ops.Min: "And", ops.SharedMin: "And",
    ops.FMax: "Or", ops.FMin: "And", ops.BitAnd: "And", ops.BitOr: "Or", ops.BitXor: "Xor",
}  # fmt: skip
"""Of bools."""
_COMPARING = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")


def stretched(w: NodeWriter, node: Node, name: str) -> None:
    """Say that the result of an elementwise node is as large as its operands in the file are together."""
    (value,) = node.outputs
    shapes = [w.entry(x).shape for x in node.inputs]
    whole = value.type.shape
    rank = max(map(len, shapes), default=0)
    sizes = list(whole[len(whole) - rank :])
    for axis in range(1, rank + 1):
        if all(axis > len(shape) or dims.same(shape[-axis], 1) for shape in shapes):
            sizes[-axis] = 1
    w.entries[value] = FileValue(name, tuple(sizes))


def names_of(w: NodeWriter, node: Node) -> list[str]:
    """The operands as they are in the file."""
    return [w.entry(value).name for value in node.inputs]


@writes(*UNARY)
def _unary(w: NodeWriter, node: Node, op: Any) -> None:
    stretched(w, node, w.add(UNARY[type(op)], names_of(w, node)))


@writes(ops.Neg)
def _negative(w: NodeWriter, node: Node, op: Any) -> None:
    dtype, (x,) = node.inputs[0].type.dtype, names_of(w, node)
    unsigned = dtype.kind == "u"
    stretched(w, node, w.add("Sub", [w.constant(0, dtype), x]) if unsigned else w.add("Neg", [x]))


@writes(ops.Not)
def _not(w: NodeWriter, node: Node, op: Any) -> None:
    if not is_bool(node.inputs[0]):
        _since(w, node, 18)
    stretched(w, node, w.add("Not" if is_bool(node.inputs[0]) else "BitwiseNot", names_of(w, node)))


@writes(*BINARY, ops.FMax, ops.FMin)
def _binary(w: NodeWriter, node: Node, op: Any) -> None:
    kind, dtype = type(op), node.inputs[0].type.dtype
    if dtype == bool_ and kind in _LOGIC:
        stretched(w, node, w.add(_LOGIC[kind], names_of(w, node)))
        return
    if kind in (ops.FMax, ops.FMin):
        _of_numbers(w, node, "Max" if kind is ops.FMax else "Min")
        return
    word = BINARY[kind]
    if word.startswith("Bitwise"):
        _since(w, node, 18)
    names = names_of(w, node)
    if word in _COMPARING:
        carrier = CARRIERS.get(word, {}).get(dtype.name)
        names = [w.cast(name, carrier) for name in names] if carrier is not None else names
        stretched(w, node, w.add(word, names))
        return
    stretched(w, node, w.carried(word, names, dtype))


def _of_numbers(w: NodeWriter, node: Node, word: str) -> None:
    """The larger or smaller one, the other where one is NaN."""
    x, y = names_of(w, node)
    dtype = node.inputs[0].type.dtype
    both = w.carried(word, [x, y], dtype)
    if is_float(dtype):
        both = w.add("Where", [w.add("IsNaN", [x]), y, w.add("Where", [w.add("IsNaN", [y]), x, both])])
    stretched(w, node, both)


@writes(ops.Ne)
def _unequal(w: NodeWriter, node: Node, op: Any) -> None:
    stretched(w, node, w.add("Not", [w.add("Equal", names_of(w, node))]))


@writes(ops.Where)
def _where(w: NodeWriter, node: Node, op: Any) -> None:
    condition, x, y = names_of(w, node)
    stretched(w, node, w.choice(condition, x, y, node.inputs[1].type.dtype))


def _divisor(w: NodeWriter, node: Node) -> tuple[str, str, str | None]:
    """The operands of a division of integers, 1 where the divisor is 0, and where that is; None: nowhere."""
    x, y = names_of(w, node)
    dtype, array = node.inputs[1].type.dtype, w.known(node.inputs[1])
    if array is not None and (array != 0).all():
        return x, y, None
    none = w.add("Equal", [y, w.constant(0, dtype)])
    return x, w.choice(none, w.constant(1, dtype), y, dtype), none


@writes(ops.FloorDiv, ops.Mod, ops.Fmod)
def _quotient(w: NodeWriter, node: Node, op: Any) -> None:
    """Rounded down, and what remains; ONNX cuts quotients off towards 0 and has no remainder of floats as Python's."""
    dtype = node.inputs[0].type.dtype
    if is_float(dtype) and isinstance(op, ops.Fmod):
        stretched(w, node, w.carried("Mod", names_of(w, node), dtype, fmod=1))
        return
    if is_float(dtype):
        inline(w, node, _remainder if isinstance(op, ops.Mod) else _floor_quotient)
        return
    x, y, none = _divisor(w, node)
    rest = w.add("Mod", [x, y], fmod=1 if isinstance(op, ops.Fmod) else None)
    result = w.add("Div", [w.add("Sub", [x, rest]), y]) if isinstance(op, ops.FloorDiv) else rest
    if none is not None:
        result = w.choice(none, w.constant(0, dtype), result, dtype)
    stretched(w, node, result)


def _apart(rest: Any, y: Any) -> Any:
    """True where the rest of a division is on the other side of 0 than the divisor."""
    zero = like(0, rest)
    return ops.bit_and(ops.ne(rest, zero), ops.ne(ops.lt(rest, zero), ops.lt(y, zero)))


def _remainder(x: Any, y: Any) -> Any:
    """The remainder with the sign of y."""
    rest, zero = ops.fmod(x, y), like(0, x)
    return ops.where(_apart(rest, y), ops.add(rest, y), ops.where(ops.eq(rest, zero), _signed(zero, y), rest))


def _signed(x: Any, y: Any) -> Any:
    """The magnitude of x with the sign of y, that of a zero, too."""
    negative = ops.bit_or(ops.lt(y, like(0, y)), ops.lt(ops.div(like(1, y), y), like(0, y)))
    size = ops.abs(x)
    return ops.where(negative, ops.neg(size), size)


def _floor_quotient(x: Any, y: Any) -> Any:
    """The quotient of floats without what follows the point, as NumPy has it."""
    rest = ops.fmod(x, y)
    whole = ops.div(ops.sub(x, rest), y)
    whole = ops.where(_apart(rest, y), ops.sub(whole, like(1, x)), whole)
    low = ops.floor(whole)
    low = ops.where(ops.gt(ops.sub(whole, low), like(0.5, x)), ops.add(low, like(1, x)), low)
    return ops.where(ops.eq(y, like(0, y)), ops.div(x, y), low)


@writes(ops.Pow)
def _power(w: NodeWriter, node: Node, op: Any) -> None:
    x, y = names_of(w, node)
    dtype = node.inputs[0].type.dtype
    if is_float(dtype):
        stretched(w, node, w.add("Pow", [x, y]))
        return
    array = w.known(node.inputs[1])
    if array is None or array.size != 1 or not 0 <= array.item() <= 16:  # runtimes go through float64
        w.refuse("a power of integers whose exponent is data", node.loc, "cast the base to float64 first")
    product = w.constant(1, dtype) if not array.item() else x
    for _ in range(array.item() - 1):
        product = w.add("Mul", [product, x])
    w.entries[node.outputs[0]] = FileValue(product, w.entry(node.inputs[0]).shape if array.item() else ())


@writes(ops.Cast)
def _cast(w: NodeWriter, node: Node, op: Any) -> None:
    if is_complex(op.dtype) or is_complex(node.inputs[0].type.dtype):
        w.refuse("an array of complex numbers", node.loc, "compute with its real and imaginary parts")
    stretched(w, node, w.cast(names_of(w, node)[0], op.dtype))


@writes(ops.ShiftLeft, ops.ShiftRight)
def _shift(w: NodeWriter, node: Node, op: Any) -> None:
    """By ONNX's shift of unsigned numbers; that of negative ones to the right is that of their complement."""
    x, y = names_of(w, node)
    dtype = node.inputs[0].type.dtype
    bits = 8 * dtype.itemsize
    unsigned = numpy.dtype(f"u{4 if dtype.itemsize == 2 else dtype.itemsize}")  # there is no kernel of 16 bits
    right = isinstance(op, ops.ShiftRight)
    signed = dtype.kind == "i"
    beyond = w.add("Not", [w.add("And", [
        w.add("GreaterOrEqual", [y, w.constant(0, dtype)]), w.add("Less", [y, w.constant(bits, dtype)])])])  # fmt: skip
    by = w.cast(w.choice(beyond, w.constant(0, dtype), y, dtype), unsigned)
    zero = w.constant(0, dtype)
    negative = w.add("Less", [x, zero]) if right and signed else None
    if negative is not None:
        _since(w, node, 18)
        x = w.choice(negative, w.add("BitwiseNot", [x]), x, dtype)
    moved = w.cast(w.add("BitShift", [w.cast(x, unsigned), by], direction="RIGHT" if right else "LEFT"), dtype)
    moved = w.choice(beyond, zero, moved, dtype)
    stretched(w, node, moved if negative is None else w.choice(negative, w.add("BitwiseNot", [moved]), moved, dtype))


def _since(w: NodeWriter, node: Node, opset: int) -> None:
    if w.opset < opset:
        name = node.op.name
        w.refuse(f"the operation {name}", node.loc, f"ONNX has it from operator set {opset} on: opset={opset}")


# ------------------------------------------------------------------------------------------------- made of other words


def inline(w: NodeWriter, node: Node, formula: Callable[..., Any]) -> None:
    """Write a node as what a formula of ops makes of its operands."""
    graph = make_graph(lambda *xs: [formula(*xs)], [value.type for value in node.inputs])
    (entry,) = w.inside(graph, [w.entry(value) for value in node.inputs])
    w.entries[node.outputs[0]] = entry


def _log1p(x: Any) -> Any:
    """By what is lost in 1 + x, which the quotient brings back."""
    more = ops.add(x, like(1, x))
    lost = ops.mul(ops.log(more), ops.div(x, ops.sub(more, like(1, x))))
    return ops.where(ops.eq(more, like(1, x)), x, ops.where(ops.eq(more, like(math.inf, x)), more, lost))


def _expm1(x: Any) -> Any:
    """Of small numbers by the hyperbolic tangent, which loses nothing near 0."""
    half = ops.tanh(ops.mul(x, like(0.5, x)))
    small = ops.div(ops.mul(half, like(2, x)), ops.sub(like(1, x), half))
    return ops.where(ops.lt(ops.abs(x), like(0.5, x)), small, ops.sub(ops.exp(x), like(1, x)))


def _trunc(x: Any) -> Any:
    return ops.where(ops.lt(x, like(0, x)), ops.ceil(x), ops.floor(x))


def _cbrt(x: Any) -> Any:
    return ops.mul(ops.sign(x), ops.pow(ops.abs(x), like(1 / 3, x)))


def _hypot(x: Any, y: Any) -> Any:
    a, b = ops.abs(x), ops.abs(y)
    large, small = ops.max(a, b), ops.min(a, b)
    plain = ops.bit_or(ops.eq(large, like(0, x)), ops.eq(large, like(math.inf, x)))
    ratio = ops.div(small, ops.where(plain, like(1, x), large))
    root = ops.mul(large, ops.sqrt(ops.add(ops.mul(ratio, ratio), like(1, x))))
    infinite = ops.bit_or(ops.eq(a, like(math.inf, x)), ops.eq(b, like(math.inf, x)))
    return ops.where(infinite, like(math.inf, x), ops.where(plain, large, root))


def _arctan2(y: Any, x: Any) -> Any:
    zero, pi = like(0, x), like(math.pi, x)
    negative = ops.bit_or(ops.lt(x, zero), ops.lt(ops.div(like(1, x), x), zero))
    a, b = ops.abs(y), ops.abs(x)
    nothing = ops.eq(a, zero)
    both = ops.bit_and(ops.eq(a, like(math.inf, x)), ops.eq(b, like(math.inf, x)))
    ratio = ops.div(ops.where(both, like(1, x), a), ops.where(both, like(1, x), b))
    angle = ops.where(nothing, ops.where(ops.eq(b, b), zero, b), ops.arctan(ratio))
    return _signed(ops.where(negative, ops.sub(pi, angle), angle), y)


_LANCZOS: Final = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)  # fmt: skip
"""Lanczos' coefficients for g = 7, by which the logarithm of gamma is exact to 1e-15."""


def _log_gamma(x: Any) -> Any:
    """By Lanczos' sum from a half on; below, by the reflection at a half."""
    half, one = like(0.5, x), like(1, x)
    low = ops.lt(x, half)
    z = ops.sub(ops.where(low, ops.sub(one, x), x), one)
    series = like(_LANCZOS[0], x)
    for number, coefficient in enumerate(_LANCZOS[1:], 1):
        series = ops.add(series, ops.div(like(coefficient, x), ops.add(z, like(number, x))))
    t = ops.add(z, like(7.5, x))
    high = ops.add(
        ops.sub(ops.mul(ops.add(z, half), ops.log(t)), t), ops.log(ops.mul(series, like(math.sqrt(2 * math.pi), x)))
    )
    sine = ops.abs(ops.sin(ops.mul(ops.sub(x, ops.round(x)), like(math.pi, x))))  # of the distance from a pole
    reflected = ops.sub(ops.log(ops.div(like(math.pi, x), sine)), high)
    whole = ops.where(low, reflected, high)
    return ops.where(ops.eq(ops.abs(x), like(math.inf, x)), like(math.inf, x), whole)


def _gamma(x: Any) -> Any:
    """With the sign that changes at each pole; NaN at the poles below 0."""
    down = ops.floor(x)
    odd = ops.ne(ops.mul(ops.floor(ops.mul(down, like(0.5, x))), like(2, x)), down)
    size = ops.exp(_log_gamma(x))
    signed = ops.where(ops.bit_and(ops.lt(x, like(0, x)), odd), ops.neg(size), size)
    pole = ops.bit_and(ops.lt(x, like(0, x)), ops.eq(down, x))
    signed = ops.where(ops.eq(x, like(0, x)), ops.div(like(1, x), x), signed)
    return ops.where(pole, like(math.nan, x), signed)


MADE_OF: Final[dict[type, Callable[..., Any]]] = {
    **FORMULAS,
    ops.Arctan2: _arctan2,
    ops.Cbrt: _cbrt,
    ops.Copysign: _signed,
    ops.Expm1: _expm1,
    ops.Gamma: _gamma,
    ops.Gammaln: _log_gamma,
    ops.Hypot: _hypot,
    ops.Log10: lambda x: ops.mul(ops.log(x), like(1 / math.log(10), x)),
    ops.Log1p: _log1p,
    ops.Log2: lambda x: ops.mul(ops.log(x), like(1 / math.log(2), x)),
    ops.Rsqrt: lambda x: ops.div(like(1, x), ops.sqrt(x)),
    ops.Trunc: _trunc,
}
"""Ops that others make together, as formulas."""


@writes(*MADE_OF)
def _made(w: NodeWriter, node: Node, op: Any) -> None:
    if node.inputs[0].type.dtype == float16:  # in which a formula loses too much
        w.widened(node)
    else:
        inline(w, node, MADE_OF[type(op)])


# --------------------------------------------------------------------------------------------------------------- views


@writes(ops.StopGradient, ops.After)
def _same(w: NodeWriter, node: Node, op: Any) -> None:
    w.alias(node.inputs[0], node.outputs[0])


@writes(ops.Broadcast)
def _broadcast(w: NodeWriter, node: Node, op: Any) -> None:
    w.alias(node.inputs[0], node.outputs[0])  # stretched where it is needed


@writes(ops.Reshape)
def _reshape(w: NodeWriter, node: Node, op: Any) -> None:
    x = node.inputs[0]
    if w.entry(x).shape == ():
        w.alias(x, node.outputs[0])  # one number, whatever the shape
        return
    w.put(node, w.reshaped(w.full(x), x.type.shape, op.shape))


@writes(ops.Transpose)
def _transpose(w: NodeWriter, node: Node, op: Any) -> None:
    x = node.inputs[0]
    if w.entry(x).shape == ():
        w.alias(x, node.outputs[0])
        return
    w.put(node, w.transposed(w.full(x), op.axes))


@writes(ops.SizeOf)
def _size_of(w: NodeWriter, node: Node, op: Any) -> None:
    w.put(node, w.add("Reshape", [w.size(op.size), w.constant(numpy.zeros(0))]))


@writes(ops.Iota)
def _iota(w: NodeWriter, node: Node, op: Any) -> None:
    size = op.shape[op.axis]
    if not dims.is_symbolic(size):
        column = w.constant(numpy.arange(size).astype(op.dtype), op.dtype)
    else:
        carrier = CARRIERS["Range"].get(op.dtype.name, op.dtype)
        stop = w.cast(w.add("Reshape", [w.size(size), w.constant(numpy.zeros(0))]), carrier)
        column = w.add("Range", [w.constant(0, carrier), stop, w.constant(1, carrier)])
        column = w.cast(column, op.dtype) if carrier != op.dtype else column
    rest = len(op.shape) - op.axis - 1
    if rest:
        column = w.add("Reshape", [column, w.constant([-1, *[1] * rest])])
    w.entries[node.outputs[0]] = FileValue(column, (size, *[1] * rest))


@writes(ops.Concat)
def _concat(w: NodeWriter, node: Node, op: Any) -> None:
    w.put(node, w.add("Concat", [w.full(value) for value in node.inputs], axis=op.axis))


@writes(ops.Slice)
def _slice(w: NodeWriter, node: Node, op: Any) -> None:
    x = node.inputs[0]
    parts = zip(op.starts, op.stops, op.steps, x.type.shape, strict=True)
    cuts = [(axis, *part) for axis, part in enumerate(parts)]
    w.put(node, sliced(w, w.full(x), [cut for cut in cuts if not _whole(*cut[1:])]))


def _whole(start: Any, stop: Any, step: int, size: Any) -> bool:
    return step == 1 and dims.same(start, 0) and dims.same(stop, size)


def sliced(w: NodeWriter, name: str, cuts: Sequence[tuple[int, Any, Any, int, Any]]) -> str:
    """A part of a value: axis, start, stop, step and size of each axis that is cut."""
    if not cuts:
        return name
    axes, starts, stops, steps, sizes = zip(*cuts, strict=True)
    ends = [_stop(stop, step, size) for stop, step, size in zip(stops, steps, sizes, strict=True)]
    part: str = w.add("Slice", [name, w.shape(starts), w.shape(ends), w.constant(axes), w.constant(steps)])
    return part


def _stop(stop: Any, step: int, size: Any) -> Any:
    if step < 0:
        return -(1 << 63) if not dims.is_symbolic(stop) and stop < 0 else stop
    return (1 << 63) - 1 if dims.same(stop, size) else stop


@writes(ops.UpdateSlice)
def _update_slice(w: NodeWriter, node: Node, op: Any) -> None:
    base, update = node.inputs
    parts = zip(op.starts, op.stops, op.steps, base.type.shape, strict=True)
    cuts = [(axis, *part) for axis, part in enumerate(parts)]
    if update.type.size == 0:
        w.alias(base, node.outputs[0])
        return
    cuts = [cut for cut in cuts if not _whole(*cut[1:])]
    shape = list(base.type.shape)
    w.put(node, _replaced(w, node, w.full(base), w.full(update), cuts, shape, update.type.shape))


def _replaced(
    w: NodeWriter, node: Node, name: str, update: str, cuts: Sequence[Any], shape: list[Any], lengths: Shape
) -> str:
    """A value whose part within some axes is another one: what is before it, it, and what is behind."""
    if not cuts:
        return update
    (axis, start, _, step, size), *rest = cuts
    length = lengths[axis]
    if dims.same(length, 1):
        step = 1
    if step != 1:
        if not dims.known((start, size, length)):
            w.refuse("an assignment to a slice with a step, of an axis whose size is not known", node.loc)
        inner = sliced(w, name, [(axis, start, start + step * length if step > 0 else -1, step, size)]) if rest else ""
        part = _replaced(w, node, inner, update, rest, shape, lengths) if rest else update
        places = numpy.arange(size)
        places[start : None if step < 0 and start + step * length < 0 else start + step * length : step] = (
            size + numpy.arange(length)
        )
        whole = w.add("Concat", [name, part], axis=axis)
        chosen: str = w.add("Gather", [whole, w.constant(places)], axis=axis)
        return chosen
    stop = start + length
    part = update
    if rest:
        part = _replaced(w, node, sliced(w, name, [(axis, start, stop, 1, size)]), update, rest, shape, lengths)
    parts = [] if dims.same(start, 0) else [sliced(w, name, [(axis, 0, start, 1, size)])]
    parts.append(part)
    parts += [] if dims.same(stop, size) else [sliced(w, name, [(axis, stop, size, 1, size)])]
    joined: str = w.add("Concat", parts, axis=axis) if len(parts) > 1 else parts[0]
    return joined


def _framed(op: Any, x: Any, value: Any) -> Any:
    """`x` within what is full of a value that data says, which readers want to know before."""
    shape = ops.type_of(x).shape
    whole = tuple(low + size + high for low, size, high in zip(op.low, shape, op.high, strict=True))
    stops = tuple(low + size for low, size in zip(op.low, shape, strict=True))
    return ops.update_slice(ops.broadcast(value, whole), x, op.low, stops, (1,) * len(shape))


@writes(ops.Pad)
def _pad(w: NodeWriter, node: Node, op: Any) -> None:
    x, value = (w.full(one) for one in node.inputs)
    dtype = node.inputs[0].type.dtype
    if not op.low:
        w.alias(node.inputs[0], node.outputs[0])
        return
    if w.known(node.inputs[1]) is None:
        inline(w, node, lambda x, value: _framed(op, x, value))
        return
    pads = w.shape((*op.low, *op.high))
    carrier = CARRIERS["Pad"].get(dtype.name)
    if carrier is None:
        w.put(node, w.add("Pad", [x, pads, value]))
    else:
        w.put(node, w.cast(w.add("Pad", [w.cast(x, carrier), pads, w.cast(value, carrier)]), dtype))


# ---------------------------------------------------------------------------------------------------------- reductions

_REDUCTIONS: dict[type, str] = {
    ops.Sum: "ReduceSum", ops.Prod: "ReduceProd", ops.ReduceMax: "ReduceMax", ops.ReduceMin: "ReduceMin",
    ops.SharedReduceMax: "ReduceMax", ops.SharedReduceMin: "ReduceMin",
}  # fmt: skip


def reduced(w: NodeWriter, word: str, name: str, axes: Sequence[int], dtype: DType, keep: bool = False) -> str:
    """A value with some axes folded; in any operator set."""
    if not axes:
        return name
    carrier = CARRIERS.get(word, {}).get(dtype.name)
    name = w.cast(name, carrier) if carrier is not None else name
    if w.opset >= (13 if word == "ReduceSum" else 18):
        result: str = w.add(word, [name, w.constant(list(axes))], keepdims=int(keep))
    else:
        result = w.add(word, [name], axes=tuple(axes), keepdims=int(keep))
    return w.cast(result, dtype) if carrier is not None else result


@writes(*_REDUCTIONS)
def _reduce(w: NodeWriter, node: Node, op: Any) -> None:
    x, dtype, word = node.inputs[0], node.inputs[0].type.dtype, _REDUCTIONS[type(op)]
    count = math.prod(x.type.shape[axis] for axis in op.axes)
    mean = w.quotient(node.outputs[0], count) if word == "ReduceSum" and not dims.is_symbolic(count) else None
    if mean is not None and is_float(dtype):
        w.done.add(mean)
        w.put(mean, reduced(w, "ReduceMean", w.full(x), op.axes, dtype))
        return
    result = reduced(w, word, w.full(x), op.axes, dtype)
    if word in ("ReduceMax", "ReduceMin") and is_float(dtype) and op.axes:  # which lose NaN here and there
        number = w.cast(w.add("IsNaN", [w.full(x)]), int32)
        missing = w.cast(reduced(w, "ReduceMax", number, op.axes, int32), bool_)
        result = w.add("Where", [missing, w.constant(math.nan, dtype), result])
    w.put(node, result)


@writes(ops.Any, ops.All)
def _logical(w: NodeWriter, node: Node, op: Any) -> None:
    """By the number of those that are true, or false, which is 0 of nothing, too."""
    every, name = isinstance(op, ops.All), w.full(node.inputs[0])
    name = w.add("Not", [name]) if every else name
    some = w.cast(reduced(w, "ReduceSum", w.cast(name, int32), op.axes, int32), bool_)
    w.put(node, w.add("Not", [some]) if every else some)


@writes(ops.ArgMax, ops.ArgMin)
def _position(w: NodeWriter, node: Node, op: Any) -> None:
    """The first; of NaN where there is one."""
    word, x = ("ArgMax" if isinstance(op, ops.ArgMax) else "ArgMin"), node.inputs[0]
    dtype, name = x.type.dtype, w.full(x)
    carrier = CARRIERS[word].get(dtype.name)
    result = w.add(word, [w.cast(name, carrier) if carrier else name], axis=op.axis, keepdims=0)
    if is_float(dtype):
        number = w.cast(w.add("IsNaN", [name]), int32)
        missing = w.cast(reduced(w, "ReduceMax", number, [op.axis], int32), bool_)
        result = w.add("Where", [missing, w.add("ArgMax", [number], axis=op.axis, keepdims=0), result])
    w.put(node, result)


@writes(ops.CumSum)
def _running_sum(w: NodeWriter, node: Node, op: Any) -> None:
    x, axis, dtype = w.full(node.inputs[0]), w.constant(op.axis), node.inputs[0].type.dtype
    carrier = CARRIERS["CumSum"].get(dtype.name)
    if carrier is None:
        w.put(node, w.add("CumSum", [x, axis]))
    else:
        w.put(node, w.cast(w.add("CumSum", [w.cast(x, carrier), axis]), dtype))


@writes(ops.CumProd, ops.CumMax)
def _running(w: NodeWriter, node: Node, op: Any) -> None:
    """As a scan over the axis."""
    join = ops.mul if isinstance(op, ops.CumProd) else ops.max
    kind = node.inputs[0].type
    if kind.size == 0:
        w.alias(node.inputs[0], node.outputs[0])
        return
    order = (op.axis, *(k for k in range(kind.ndim) if k != op.axis))

    def formula(x: Any) -> Any:
        rows = ops.transpose(x, order)
        length, *rest = ops.type_of(rows).shape
        row = TensorType(tuple(rest), kind.dtype)
        least = -math.inf if is_float(kind.dtype) else 0 if kind.dtype == bool_ else numpy.iinfo(kind.dtype).min
        body = make_graph(lambda total, one: [join(total, one)] * 2, (row, row))
        first = full(1 if isinstance(op, ops.CumProd) else least, row)
        _, totals = ops.bind(ops.Scan(body, length, False, 1), first, rows)
        return ops.transpose(totals, ops.Transpose(order).inverse)

    formula_graph = make_graph(lambda x: [formula(x)], (kind,))
    w.call(node, op.name, formula_graph)


@writes(ops.Sort, ops.ArgSort)
def _sort(w: NodeWriter, node: Node, op: Any) -> None:
    """By TopK, which keeps the order of equal elements; NaN, which it does not know, stands behind infinity.

    Positions are sorted a second time by what is NaN, so that these come last (or first) in their order.
    """
    x, (value,) = node.inputs[0], node.outputs
    dtype, shape, axis = x.type.dtype, x.type.shape, op.axis
    if dtype.name == "uint64":
        w.refuse("a sort of uint64", node.loc, "sort a copy as int64 or float64")
    name, largest = w.full(x), int(op.descending)
    carrier = CARRIERS["TopK"].get(dtype.name)
    missing = w.add("IsNaN", [name]) if is_float(dtype) else None
    keys = w.cast(name, carrier) if carrier is not None else name
    if missing is not None:
        keys = w.add("Where", [missing, w.constant(math.inf, dtype), keys])
    size = w.size(shape[axis])
    sorted_, order = w.add("TopK", [keys, size], 2, axis=axis, largest=largest)
    if missing is not None:
        flags = w.add("GatherElements", [w.cast(missing, int32), order], axis=axis)
        last, again = w.add("TopK", [flags, size], 2, axis=axis, largest=largest)
        order = w.add("GatherElements", [order, again], axis=axis)
        sorted_ = w.add("Where", [w.cast(last, bool_), w.constant(math.nan, dtype), sorted_])
    if isinstance(op, ops.ArgSort):
        w.put(node, order)
    else:
        w.entries[value] = FileValue(w.cast(sorted_, dtype) if carrier is not None else sorted_, shape)


# ------------------------------------------------------------------------------------------------------------- indices


@writes(ops.Gather, ops.TakeAlongAxis)
def _gather(w: NodeWriter, node: Node, op: Any) -> None:
    word = "Gather" if isinstance(op, ops.Gather) else "GatherElements"
    w.put(node, w.add(word, [w.full(value) for value in node.inputs], axis=op.axis))


@writes(ops.GatherND)
def _gather_points(w: NodeWriter, node: Node, op: Any) -> None:
    w.put(node, w.add("GatherND", [w.full(value) for value in node.inputs]))


@writes(ops.ScatterND)
def _scatter(w: NodeWriter, node: Node, op: Any) -> None:
    """Points that come again: all are added, or the last one counts, whose value then all of them set."""
    base, points, updates = node.inputs
    dtype = base.type.dtype
    names = [w.full(value) for value in node.inputs]
    if op.mode == "add":
        _since(w, node, 16)
        carrier = CARRIERS["ScatterND"].get(dtype.name)
        if carrier is not None:
            names = [w.cast(names[0], carrier), names[1], w.cast(names[2], carrier)]
        total = w.add("ScatterND", names, reduction="add")
        w.put(node, w.cast(total, dtype) if carrier is not None else total)
        return
    rows = points.type.shape[:-1]
    known, count = w.known(points), math.prod(rows)
    unique = dims.same(count, 1) or (
        known is not None and len({*map(tuple, known.reshape(-1, known.shape[-1]).tolist())}) == count
    )
    if not unique:
        _since(w, node, 18)
        depth = points.type.shape[-1]
        space = base.type.shape[:depth]
        number = _iota_graph(w, count, rows)
        marks = w.add("ScatterND", [
            w.add("Expand", [w.constant(-1), w.shape(space)]), names[1], number], reduction="max")  # fmt: skip
        last = w.add("GatherND", [marks, names[1]])
        rest = base.type.shape[depth:]
        names[2] = w.add("Gather", [w.reshaped(names[2], updates.type.shape, (count, *rest)), last], axis=0)
    w.put(node, w.add("ScatterND", names))


def _iota_graph(w: NodeWriter, count: Any, shape: Shape) -> str:
    """The numbers from 0 on, in a shape of so many."""
    graph = make_graph(lambda: [ops.reshape(ops.iota((count,), 0, int64), shape)], ())
    graph_entry = w.inside(graph, [])[0]
    return graph_entry.name


def _from_start(op: Any, x: Any, start: Any, *update: Any) -> Any:
    """The elements from a start on, by their places; or an array in which others stand there."""
    shape = ops.type_of(x).shape
    size, length = shape[op.axis], op.length if not update else ops.type_of(update[0]).shape[op.axis]
    room = like(size - length, start)
    first = ops.max(ops.min(start, room), like(0, start))
    if not update:
        return ops.gather(x, ops.add(ops.iota((length,), 0, int64), ops.broadcast(first, (length,))), op.axis)
    if dims.same(length, 0):
        return x
    place = ops.sub(ops.iota((size,), 0, int64), ops.broadcast(first, (size,)))
    last = like(length - 1, place)
    inside = ops.bit_and(ops.ge(place, like(0, place)), ops.le(place, last))
    whole = ops.gather(update[0], ops.max(ops.min(place, last), like(0, place)), op.axis)
    along = tuple(size if k == op.axis else 1 for k, size in enumerate(shape))
    return ops.where(ops.broadcast(ops.reshape(inside, along), shape), whole, x)


@writes(ops.SliceAt, ops.UpdateAt)
def _at_start(w: NodeWriter, node: Node, op: Any) -> None:
    inline(w, node, lambda *operands: _from_start(op, *operands))


# -------------------------------------------------------------------------------------------------------------- checks


@writes(ops.Assert, ops.Bounds, ops.Permitted)
def _check(w: NodeWriter, node: Node, op: Any) -> None:
    (condition, *_) = node.inputs
    message = op.message
    if op.recipe:
        with contextlib.suppress(IndexError):  # of a text that has values of the call in it
            error = exception(literal_eval(op.recipe), [])
            message = f"{type(error).__name__}: {error}"
    wrong = w.cast(w.add("Not", [w.full(condition)]), int32)
    w.require(w.cast(reduced(w, "ReduceSum", wrong, range(condition.type.ndim), int32), bool_), message)


# ------------------------------------------------------------------------------------------------------------ products


@writes(ops.Matmul)
def _product(w: NodeWriter, node: Node, op: Any) -> None:
    names = [w.full(value) for value in node.inputs]
    kind = node.inputs[0].type
    if kind.ndim == 2 and is_float(kind.dtype) and (op.transpose_x or op.transpose_w):
        w.put(node, w.add("Gemm", names, transA=int(op.transpose_x), transB=int(op.transpose_w)))
        return
    order = (*range(kind.ndim - 2), kind.ndim - 1, kind.ndim - 2)
    turned = (op.transpose_x, op.transpose_w)
    names = [w.transposed(name, order) if turn else name for name, turn in zip(names, turned, strict=True)]
    w.put(node, w.carried("MatMul", names, kind.dtype))


@writes(Det)
def _determinant(w: NodeWriter, node: Node, op: Any) -> None:
    w.put(node, w.add("Det", [w.full(node.inputs[0])]))


@writes(ops.Contract)
def _contract(w: NodeWriter, node: Node, op: Any) -> None:
    """By Einsum; an axis that an index map reads is gathered by the map before, with a 0 where that leaves the axis."""
    spec = read_spec(op.spec)
    dtype = node.outputs[0].type.dtype
    lengths: dict[int, Any] = dict(enumerate(node.outputs[0].type.shape))
    for value, subscripts, bare in zip(node.inputs, spec.operands, spec.bare, strict=True):
        pairs = zip(value.type.shape, subscripts, bare, strict=True)
        lengths.update((index.axes[0], size) for size, index, alone in pairs if alone)
    lengths.update(zip(spec.free_axes, op.sizes, strict=True))
    names, words = [], []
    for value, subscripts, bare in zip(node.inputs, spec.operands, spec.bare, strict=True):
        name, word, rank = w.full(value), "", value.type.ndim
        name = w.cast(name, dtype) if value.type.dtype != dtype else name
        for size, index, alone in zip(value.type.shape, subscripts, bare, strict=True):
            if not alone:
                sizes = [lengths[axis] for axis in index.axes]
                if not dims.known((size, *sizes)):
                    w.refuse(f"the contraction {op.spec} with windows of sizes that are not known", node.loc)
                name = _mapped(w, name, len(word), rank, int(size), index, list(map(int, sizes)), dtype)
                rank += len(sizes) - 1
            word += "".join(LETTERS[axis] for axis in index.axes)
        names.append(name)
        words.append(word)
    w.put(node, w.carried("Einsum", names, dtype, equation=f"{','.join(words)}->{LETTERS[: spec.rank]}"))


def _mapped(
    w: NodeWriter, name: str, axis: int, rank: int, size: int, index: Any, lengths: Sequence[int], dtype: DType
) -> str:
    """A value whose axis is read by an index map: instead of it, an axis for each letter of the map."""
    place: Any = numpy.full(lengths, index.offset, numpy.int64)
    for position, (_, factor) in enumerate(index.terms):
        along = [-1 if k == position else 1 for k in range(len(lengths))]
        place = place + factor * numpy.arange(lengths[position]).reshape(along)
    inside = (place % index.divisor == 0) & (place >= 0) & (place // index.divisor < size)
    place = numpy.where(inside, place // index.divisor, size)
    if not inside.all():
        pads = [1 if k == rank + axis else 0 for k in range(2 * rank)]
        name = w.add("Pad", [name, w.constant(pads), w.constant(0, dtype)])
    gathered: str = w.add("Gather", [name, w.constant(place)], axis=axis)
    return gathered
