# SPDX-License-Identifier: Apache-2.0
"""Identities of single ops, exact to the bit, that never make more nodes.

A rule is a function of one class of op, named by its equation. It is given the op, its operands and the graph so far,
and returns the value that stands for the result, or None where it does not apply.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dims import Size
from hybridize.base.dtypes import DType, bool_, is_float, is_integer
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.base.types import Shape, surely_same
from hybridize.graph import Graph, Node, OpLike, Value
from hybridize.graph.constants import one_number
from hybridize.graph.text import INLINE
from hybridize.ops import Op
from hybridize.passes.pipeline import Rewriter

Operands = tuple[Value, ...]
Rule = Callable[["RewriteContext", Op, Operands], Value | None]

RULES: dict[type[Op], list[Rule]] = {}


def rewrites(*classes: type[Op]) -> Callable[[Rule], Rule]:
    """Register a rule for nodes of these classes."""

    def register(rule: Rule) -> Rule:
        for cls in classes:
            RULES.setdefault(cls, []).append(rule)
        return rule

    return register


@frozen
class SumOfUpdates:
    """A value that adds up arrays of zeros in which one part each was set."""

    size: Size
    """Elements of all parts together: all of the array's, where each is in one part."""
    terms: tuple[Node | SumOfUpdates, ...]

    def updates(self) -> list[Node]:
        """The nodes that set the parts, each once."""
        nodes: dict[int, Node] = {}
        left, seen = [self], {id(self)}
        while left:
            for term in left.pop().terms:
                if isinstance(term, Node):
                    nodes[id(term)] = term
                elif id(term) not in seen:
                    seen.add(id(term))
                    left.append(term)
        return [*nodes.values()]


class RewriteContext:
    """The context of a rewrite rule: the nodes above it, constants, and adding a node in place of another."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._producers: dict[Value, Node] = {}
        self._sums: dict[Value, SumOfUpdates | None] = {}
        self._numbers: dict[Value, float | int | bool | None] = {}
        """Of constants that were asked for."""
        self._constants: dict[tuple[float, float, DType], Value] = {}
        """Constants that were added, by sign, number and dtype."""
        self._kinds: dict[type[Op], bool] = {}
        self.loc: SourceLoc | None = None

    def observe(self, node: Node) -> None:
        """Note a node that now stands in the graph."""
        for value in node.outputs:
            self._producers[value] = node

    def producer(self, value: Value, cls: type[Op]) -> Node | None:
        """The node that produces `value`, if its op is of class `cls`."""
        node = self._producers.get(value)
        return node if node is not None and isinstance(node.op, cls) else None

    def number(self, value: Value) -> float | int | bool | None:
        """The one number that `value` holds in every element, where that is known."""
        while (node := self._producers.get(value)) is not None:
            if not isinstance(node.op, ops.Broadcast):
                return None
            value = node.inputs[0]
        array = self._rewriter.builder.constants.get(value)
        if array is None:
            return None
        if value not in self._numbers:
            first = one_number(array, INLINE)
            if first is not None:
                first = first.astype(numpy.float64).item() if is_float(first.dtype) else first.item()
            self._numbers[value] = first
        return self._numbers[value]

    def has(self, cls: type[Op]) -> bool:
        """Tell whether the graph has an op of class `cls` to begin with."""
        known = self._kinds.get(cls)
        if known is None:
            known = self._kinds[cls] = self._rewriter.graph.has(cls)
        return known

    def total(self, operands: Operands) -> SumOfUpdates | None:
        """Return an addition of `operands` as a sum of updates; None where it adds something else."""
        terms = [self._sum(value) for value in operands]
        known = tuple(term for term in terms if term is not None)
        return SumOfUpdates(sum(term.size for term in known), known) if len(known) == len(terms) else None

    def _sum(self, value: Value) -> SumOfUpdates | None:
        """Return `value` as a sum of updates, which is kept: the next addition asks again."""
        if value not in self._sums:
            update, addition = self.producer(value, ops.UpdateSlice), self.producer(value, ops.Add)
            total = None if addition is None else self.total(addition.inputs)
            if update is not None and _is(self.number(update.inputs[0]), 0):
                total = SumOfUpdates(update.inputs[1].type.size, (update,))
            self._sums[value] = total
        return self._sums[value]

    def constant(self, number: float, dtype: DType) -> Value:
        """Add a 0-d constant; one that was added before is the same."""
        key = math.copysign(1, number), number, dtype
        if key not in self._constants:
            self._constants[key] = self._rewriter.builder.constant(numpy.asarray(number, dtype=dtype))
        return self._constants[key]

    def apply(self, op: Op, *operands: Value) -> Value:
        """Add a node, itself simplified."""
        simpler = simplified(self, op, operands)
        if simpler is not None:
            return simpler
        outputs = self._rewriter.builder.add(op, operands, self.loc)
        self.observe(self._rewriter.builder.nodes[-1])
        return outputs[0]


def simplified(context: RewriteContext, op: OpLike, operands: Operands) -> Value | None:
    """The value that stands for `op` of `operands` by the first rule that applies."""
    if isinstance(op, Op):
        for rule in RULES.get(type(op), ()):
            value = rule(context, op, operands)
            if value is not None:
                return value
    return None


class Simplify:
    """Apply the rules, one sweep down: a rule sees operands that are simple already."""

    name = "simplify"

    def __call__(self, graph: Graph) -> Graph:
        """The graph with every rule applied where it can be."""
        rewriter = Rewriter(graph)
        context = RewriteContext(rewriter)
        for node in graph.nodes:
            context.loc = node.loc
            operands = rewriter.operands(node)
            value = simplified(context, node.op, operands)
            if value is None:
                rewriter.keep(node, operands)
                context.observe(rewriter.builder.nodes[-1])
            else:
                rewriter.replace(node, (value,))
        return rewriter.finish() if rewriter.values else graph


# Shapes.


@rewrites(ops.Reshape, ops.Broadcast, ops.Cast)
def _same_type_is_identity(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    (x,) = operands
    if isinstance(op, ops.Cast):
        return x if op.dtype == x.type.dtype else None
    assert isinstance(op, ops.Reshape | ops.Broadcast)
    return x if surely_same(op.shape, x.type.shape) else None


@rewrites(ops.Reshape)
def _reshape_of_reshape(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    inner = context.producer(operands[0], ops.Reshape)
    return None if inner is None else context.apply(op, inner.inputs[0])


@rewrites(ops.Broadcast)
def _broadcast_of_broadcast(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    inner = context.producer(operands[0], ops.Broadcast)
    return None if inner is None else context.apply(op, inner.inputs[0])


@rewrites(ops.Reshape)
def _reshape_offilled(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """reshape(broadcast(s)) = broadcast(s) for one number s."""
    inner = context.producer(operands[0], ops.Broadcast)
    if inner is None or inner.inputs[0].type.ndim:
        return None
    return context.apply(ops.Broadcast(op.infer(operands[0].type)[0].shape), inner.inputs[0])


@rewrites(ops.Transpose)
def _transpose_of_transpose(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    assert isinstance(op, ops.Transpose)
    inner = context.producer(operands[0], ops.Transpose)
    if inner is None:
        return operands[0] if op.axes == tuple(range(len(op.axes))) else None
    assert isinstance(inner.op, ops.Transpose)
    return context.apply(ops.Transpose(tuple(inner.op.axes[axis] for axis in op.axes)), inner.inputs[0])


@rewrites(ops.Slice)
def _whole_slice(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    assert isinstance(op, ops.Slice)
    whole = surely_same(op.infer(operands[0].type)[0].shape, operands[0].type.shape) and all(s == 1 for s in op.steps)
    return operands[0] if whole else None


@rewrites(ops.Slice)
def _slice_of_one_part(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """slice(concat(x, y)) = slice(y) where it lies within y."""
    assert isinstance(op, ops.Slice)
    joined = context.producer(operands[0], ops.Concat)
    if joined is None:
        return None
    assert isinstance(joined.op, ops.Concat)
    axis, at = joined.op.axis, 0
    start, stop = op.starts[axis], op.stops[axis]
    if dims.is_symbolic(start) or dims.is_symbolic(stop) or op.steps[axis] < 1 or stop <= start:
        return None
    for part in joined.inputs:
        end = at + part.type.shape[axis]
        if dims.is_symbolic(end):
            return None
        if at <= start and stop <= end:
            starts, stops = (
                tuple(bound - at if k == axis else bound for k, bound in enumerate(bounds))
                for bounds in (op.starts, op.stops)
            )
            return context.apply(ops.Slice(starts, stops, op.steps), part)
        at = end
    return None


@rewrites(ops.UpdateSlice)
def _whole_update(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    assert isinstance(op, ops.UpdateSlice)
    base, update = operands
    return update if surely_same(update.type.shape, base.type.shape) and all(step == 1 for step in op.steps) else None


@rewrites(ops.Concat)
def _concat_of_one(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    return operands[0] if len(operands) == 1 else None


@rewrites(ops.Pad)
def _pad_by_nothing(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    assert isinstance(op, ops.Pad)
    return operands[0] if not any((*op.low, *op.high)) else None


@rewrites(ops.StopGradient)
def _stop_gradient_is_identity(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    return operands[0]


@rewrites(ops.Sum, ops.Prod, ops.ReduceMax, ops.ReduceMin, ops.SharedReduceMax, ops.SharedReduceMin, ops.Any, ops.All)
def _reduction_over_nothing(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """A reduction over axes of size one only drops them; a sum, which begins with 0.0, makes -0.0 positive, too."""
    result = op.infer(operands[0].type)[0]
    if not dims.same(result.size, operands[0].type.size) or result.dtype != operands[0].type.dtype or result.size == 0:
        return None
    dropped = context.apply(ops.Reshape(result.shape), operands[0])
    if not isinstance(op, ops.Sum) or not op.axes or not is_float(result.dtype):
        return dropped
    zero = context.apply(ops.Broadcast(result.shape), context.constant(0.0, result.dtype))
    return context.apply(ops.Add(), dropped, zero)


@rewrites(ops.Matmul)
def _matmul_of_transposed(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x (w^T) = matmul(x, w, transpose_w): the kernels read either order."""
    assert isinstance(op, ops.Matmul)
    flags, values, changed = [op.transpose_x, op.transpose_w], list(operands), False
    for i in range(2):
        node = context.producer(values[i], ops.Transpose)
        if node is None:
            continue
        assert isinstance(node.op, ops.Transpose)
        ndim = len(node.op.axes)
        if node.op.axes == (*range(ndim - 2), ndim - 1, ndim - 2):
            flags[i], values[i], changed = not flags[i], node.inputs[0], True
    return context.apply(ops.Matmul(flags[0], flags[1]), *values) if changed else None


# Dtypes.

_MANTISSA = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_EXPONENT = {"float16": 5, "bfloat16": 8, "float32": 8, "float64": 11}


def holds(wide: DType, narrow: DType) -> bool:
    """Tell whether every number of `narrow` is a number of `wide`."""
    if wide == narrow or narrow == bool_:
        return True
    if is_float(wide) and is_float(narrow):
        return _MANTISSA[wide.name] >= _MANTISSA[narrow.name] and _EXPONENT[wide.name] >= _EXPONENT[narrow.name]
    if is_float(wide) and is_integer(narrow):
        bits = narrow.itemsize * 8 - (narrow.kind == "i")
        return _MANTISSA[wide.name] >= bits and bits < 2 ** (_EXPONENT[wide.name] - 1)
    return bool(is_integer(wide) and is_integer(narrow) and numpy.can_cast(narrow, wide, "safe"))


@rewrites(ops.Cast)
def _cast_through_wider(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    inner = context.producer(operands[0], ops.Cast)
    if inner is None or not holds(operands[0].type.dtype, inner.inputs[0].type.dtype):
        return None
    return context.apply(op, inner.inputs[0])


# Arithmetic.


@rewrites(ops.Neg, ops.Not)
def _twice_is_identity(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    inner = context.producer(operands[0], type(op))
    return None if inner is None else inner.inputs[0]


def _is(number: float | int | bool | None, wanted: float) -> bool:
    """Equal, and of the same sign where it is zero."""
    return number is not None and number == wanted and math.copysign(1, number) == math.copysign(1, wanted)


@rewrites(ops.Mul)
def _times_one(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    x, y = operands
    return x if _is(context.number(y), 1) else y if _is(context.number(x), 1) else None


@rewrites(ops.Add)
def _plus_zero(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x + (-0.0) = x; x + 0.0 is not x, as -0.0 + 0.0 = 0.0."""
    x, y = operands
    zero = -0.0 if is_float(x.type.dtype) else 0
    return x if _is(context.number(y), zero) else y if _is(context.number(x), zero) else None


@rewrites(ops.Add)
def _sum_of_parts(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """0 with x at one part + 0 with y at the other = concat(x + 0, y + 0), of as many parts as there are.

    Gradients of slices, the gates of a cell say, meet so. The 0 stays, as -0.0 + 0.0 = 0.0.
    """
    if not context.has(ops.UpdateSlice):
        return None
    shape, total = operands[0].type.shape, context.total(operands)
    if total is None or not dims.same(total.size, operands[0].type.size):
        return None
    updates = total.updates()
    for axis in range(len(shape)):
        parts = _one_after_the_other(updates, axis, shape)
        if parts is not None:
            zero = context.constant(0.0, operands[0].type.dtype)
            added = [context.apply(op, part, context.apply(ops.Broadcast(part.type.shape), zero)) for part in parts]
            return context.apply(ops.Concat(axis), *added)
    return None


def _one_after_the_other(updates: list[Node], axis: int, shape: Shape) -> list[Value] | None:
    """List what updates set that have each element of an axis once, in order; None where they have not."""
    left = {start: node for node in updates if (start := _start(node.op, axis, shape)) is not None}
    at: Size = 0
    parts = []
    while (node := left.pop(dims.text(at), None)) is not None:
        parts.append(node.inputs[1])
        at = at + node.inputs[1].type.shape[axis]
    return parts if len(parts) == len(updates) > 1 and dims.same(at, shape[axis]) else None


def _start(op: OpLike, axis: int, shape: Shape) -> str | None:
    """The text of where a part begins along an axis; None unless it goes on one by one, whole along the others."""
    assert isinstance(op, ops.UpdateSlice)
    others = (
        dims.same(start, 0) and dims.same(stop, shape[k])
        for k, (start, stop) in enumerate(zip(op.starts, op.stops, strict=True))
        if k != axis
    )
    return dims.text(op.starts[axis]) if all(step == 1 for step in op.steps) and all(others) else None


@rewrites(ops.Sub)
def _minus_zero(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    return operands[0] if _is(context.number(operands[1]), 0) else None


@rewrites(ops.Div)
def _divided_by_power_of_two(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x / 2^k = x 2^-k exactly, wherever 2^-k is a normal number."""
    x, y = operands
    number = context.number(y)
    if number is None or not math.isfinite(number) or number == 0:
        return None
    if abs(math.frexp(number)[0]) != 0.5 or not -14 <= math.log2(abs(number)) <= 14:
        return None
    return context.apply(ops.Mul(), x, filled(context, y, 1 / number))


@rewrites(ops.Pow)
def _small_power(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x^1 = x, x^2 = x x."""
    x, y = operands
    number = context.number(y)
    return x if number == 1 else context.apply(ops.Mul(), x, x) if number == 2 else None


@rewrites(ops.Max, ops.Min, ops.SharedMax, ops.SharedMin)
def _constant_first(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """max(x, c) = max(c, x) for a number c other than 0, whose sign would tell: a NaN is looked for in the first."""
    x, y = operands
    number = context.number(y)
    if number is None or number == 0 or number != number or not is_float(x.type.dtype):
        return None
    return None if context.number(x) is not None else context.apply(op, y, x)


@rewrites(ops.Where)
def _either_way(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    condition, x, y = operands
    number = context.number(condition)
    return x if x is y else None if number is None else x if number else y


def filled(context: RewriteContext, like: Value, number: float) -> Value:
    """`number` in every element of the type of `like`."""
    return context.apply(ops.Broadcast(like.type.shape), context.constant(number, like.type.dtype))
