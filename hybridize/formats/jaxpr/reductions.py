# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that fold axes, or run along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType, bool_, int32, is_float
from hybridize.formats.foreign.arrays import filled, is_number
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, dtype_of, graph_of, least, most, of_any_shape
from hybridize.ops.library.norms import log_cum_sum_exp
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.views import remaining


def _over_axes(
    fold: Callable[[Operand, tuple[int, ...]], Operand], of_none: Callable[[DType], Any]
) -> Callable[[Application, Operand], Operand]:
    def row(n: Application, x: Operand) -> Operand:
        axes, kind = tuple(sorted(n.integers("axes"))), type_of(x)
        if any(is_number(kind.shape[axis], 0) for axis in axes):
            return filled(of_none(kind.dtype), remaining(kind.shape, axes), kind.dtype)
        return fold(x, axes) if axes else x

    return row


def _largest(x: Operand, axes: tuple[int, ...]) -> Operand:
    return ops.any(x, axes) if type_of(x).dtype == bool_ else ops.reduce_max(x, axes)


def _smallest(x: Operand, axes: tuple[int, ...]) -> Operand:
    return ops.all(x, axes) if type_of(x).dtype == bool_ else ops.reduce_min(x, axes)


def _any(x: Operand, axes: tuple[int, ...]) -> Operand:
    return ops.any(x, axes) if type_of(x).dtype == bool_ else _folded(ops.bit_or, x, axes)


def _all(x: Operand, axes: tuple[int, ...]) -> Operand:
    return ops.all(x, axes) if type_of(x).dtype == bool_ else _folded(ops.bit_and, x, axes)


def _odd(x: Operand, axes: tuple[int, ...]) -> Operand:
    if type_of(x).dtype != bool_:
        return _folded(ops.bit_xor, x, axes)
    count = ops.sum(ops.cast(x, int32), axes)
    return ops.cast(ops.bit_and(count, ops.like(1, count)), bool_)


def _folded(join: Callable[[Operand, Operand], Operand], x: Operand, axes: tuple[int, ...]) -> Operand:
    """An array folded by a function for which there is no reduction: halves joined until one is left."""
    for axis in reversed(axes):
        while (size := type_of(x).shape[axis]) > 1:
            half = size // 2
            both = join(ops.part(x, axis, 0, half), ops.part(x, axis, half, 2 * half))
            x = both if half * 2 == size else ops.concat(both, ops.part(x, axis, 2 * half, size), axis=axis)
        x = ops.reshape(x, remaining(type_of(x).shape, (axis,)))
    return x


for _name, _fold, _of_none in (
    ("reduce_sum", ops.sum, lambda kind: 0), ("reduce_prod", ops.prod, lambda kind: 1),
    ("reduce_max", _largest, least), ("reduce_min", _smallest, most), ("reduce_xor", _odd, lambda kind: 0),
    ("reduce_or", _any, lambda kind: 0), ("reduce_and", _all, lambda kind: -1 if kind.kind == "i" else most(kind)),
):  # fmt: skip
    JAXPR(_name)(_over_axes(_fold, _of_none))


@JAXPR("argmax", "argmin")
def place(n: Application, x: Operand) -> Operand:
    """The place of the largest or smallest element, the first of equal ones."""
    (axis,) = n.integers("axes")
    find = ops.arg_max if n.node.op == "argmax" else ops.arg_min
    return ops.cast(find(ops.cast(x, int32) if type_of(x).dtype == bool_ else x, axis), dtype_of(n, "index_dtype"))


def _negated(x: Operand) -> Operand:
    """Numbers in the opposite order: of integers their complement, as the smallest has no negative."""
    return ops.neg(x) if is_float(type_of(x).dtype) else ops.bit_not(x)


def _cum_min(x: Operand, axis: int) -> Operand:
    return _negated(ops.cum_max(_negated(x), axis))


def _along(run: Callable[[Operand, int], Operand]) -> Callable[[Application, Operand], Operand]:
    def row(n: Application, x: Operand) -> Operand:
        axis = n.integer("axis")
        if n.flag("reverse"):
            return ops.flip(run(ops.flip(x, axis), axis), axis)
        return run(x, axis)

    return row


for _name, _run in {
    "cumsum": ops.cum_sum, "cumprod": ops.cum_prod, "cummax": ops.cum_max, "cummin": _cum_min,
    "cumlogsumexp": log_cum_sum_exp,
}.items():  # fmt: skip
    JAXPR(_name)(_along(_run))


@JAXPR("reduce")
def reduce(n: Application, *operands: Operand) -> tuple[Operand, ...]:
    """Arrays folded together by a function of scalars: a scan over the elements, for all places at once."""
    count = len(operands) // 2
    xs, starts = operands[:count], operands[count:]
    axes = tuple(sorted(n.integers("dimensions")))
    shape = type_of(xs[0]).shape
    rest = tuple(axis for axis in range(len(shape)) if axis not in axes)
    lead = tuple(shape[axis] for axis in rest)
    length = 1
    for axis in axes:
        length = length * shape[axis]
    rows = [ops.reshape(ops.transpose(x, (*axes, *rest)), (length, *lead)) for x in xs]
    states = [ops.broadcast(start, lead) for start in starts]
    kinds = [type_of(state) for state in states]
    body = n.walk.body(of_any_shape(graph_of(n, "jaxpr")), [*kinds, *kinds], (), {})
    return tuple(bind(ops.Scan(body, length, False, count), *states, *rows))
