# SPDX-License-Identifier: Apache-2.0
"""Rows of tables by their numbers, sums of such, and numbers as vectors of zeros and a one."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import int32, int64
from hybridize.base.errors import CaptureError
from hybridize.base.types import Shape
from hybridize.capture.trace.recording import active_trace
from hybridize.ops import Operand, type_of
from hybridize.ops.library.norms import norm
from hybridize.torch.functions.operands import operand, within
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes


def _check_numbers(x: Operand) -> None:
    expect(type_of(x).dtype in (int64, int32))


@computes("embedding")
def _embedding(
    weight: Operand, indices: Operand, padding_idx: Any = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Operand:
    """The row for padding, if that is not negative, has no gradient. A sparse gradient is dense here.

    Raises:
        CaptureError E422: a gradient that is divided by how often an index comes.
    """
    of = type_of(weight)
    expect(of.ndim == 2)
    _check_numbers(indices)
    if scale_grad_by_freq:
        raise CaptureError("E422", "scale_grad_by_freq=True cannot be compiled", help="use scale_grad_by_freq=False")
    numbers = within(ops.cast(indices, int64), of.shape[0])
    rows = ops.gather(weight, numbers, 0)
    if padding_idx < 0:
        return rows
    shape = type_of(rows).shape
    blank = ops.spread(ops.eq(numbers, ops.like(padding_idx, numbers)), shape, (len(shape) - 1,))
    return ops.where(blank, ops.stop_gradient(rows), rows)


@computes("embedding_renorm_")
def _renorm(self: Operand, indices: Operand, max_norm: Any, norm_type: Any) -> Operand:
    """Rows that are named, and longer than `max_norm`, are scaled to that.

    Raises:
        CaptureError E422: gradients are recorded: torch changes the table behind the back of its gradient.
    """
    trace = active_trace()
    if trace.differentiated:
        raise CaptureError(
            "E422",
            "an Embedding with max_norm cannot be compiled where gradients are recorded",
            help="call it under torch.no_grad(), or scale the rows outside and leave out max_norm",
        )
    of, count = type_of(self), type_of(indices).size
    size = norm(ops.stop_gradient(self), float(norm_type), (1,))
    numbers = within(operand(ops.reshape(indices, (count,)), int64, (count,)), of.shape[0])
    points, base = ops.reshape(numbers, (count, 1)), operand(0, int64, of.shape[:1])
    named = ops.scatter_nd(base, points, ops.like(1, numbers), "set")
    longer = ops.bit_and(ops.gt(size, ops.like(max_norm, size)), ops.eq(named, ops.like(1, named)))
    scale = ops.div(ops.like(max_norm, size), ops.add(size, ops.like(1e-7, size)))
    factor = ops.where(longer, scale, ops.like(1, scale))
    return ops.mul(self, ops.spread(factor, of.shape, (1,)))


@computes("embedding_bag")
def _embedding_bag(
    weight: Operand,
    indices: Operand,
    offsets: Operand,
    scale_grad_by_freq: bool = False,
    mode: Any = 0,
    sparse: bool = False,
    per_sample_weights: Operand | None = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> tuple[Operand | None, ...]:
    """Sums (mode 0) or means (mode 1) of rows of `weight`, by where each bag of indices begins."""
    if scale_grad_by_freq:
        raise CaptureError("E422", "scale_grad_by_freq=True cannot be compiled", help="use scale_grad_by_freq=False")
    _check_numbers(indices)
    of = type_of(weight)
    bags = type_of(offsets).shape[0] - (1 if include_last_offset else 0)
    if mode == 2 or padding_idx is not None:
        raise CaptureError(
            "E422",
            "an EmbeddingBag with mode='max' or padding_idx cannot be compiled",
            help="use mode='sum' or mode='mean' without padding_idx",
        )
    count = type_of(indices).shape[0]
    wide = (count, bags)
    begins = operand(ops.part(offsets, 0, 0, bags), int64, wide)
    behind = ops.ge(ops.iota(wide, 0, int64), begins)
    bag = ops.sum(ops.cast(behind, int64), (1,))
    points = ops.reshape(ops.sub(bag, ops.like(1, bag)), (count, 1))
    numbers = within(ops.cast(indices, int64), of.shape[0], message="an index of a bag is out of range")
    rows = ops.gather(weight, numbers, 0)
    if per_sample_weights is not None:
        rows = ops.mul(rows, ops.spread(per_sample_weights, type_of(rows).shape, (1,)))
    total = ops.scatter_nd(operand(0, of.dtype, (bags, of.shape[1])), points, rows, "add")
    if mode == 1:
        sizes = ops.scatter_nd(operand(0, of.dtype, (bags,)), points, operand(1, of.dtype, (count,)), "add")
        total = ops.div(total, ops.spread(ops.max(sizes, ops.like(1, sizes)), type_of(total).shape, (1,)))
    return total, None, None, None


@computes("F.one_hot")
def _one_hot(tensor: Operand, num_classes: Any = -1) -> Operand:
    """Numbers are below the number of classes, which the program asserts.

    Raises:
        CaptureError E422: there is no such number, and it would be the largest of what only the program knows.
    """
    of = type_of(tensor)
    expect(of.dtype == int64)
    if num_classes == -1:
        raise CaptureError("E422", "one_hot without num_classes cannot be compiled", help="use one_hot(x, num_classes)")
    expect(num_classes >= 1)
    shape: Shape = (*of.shape, num_classes)
    numbers = within(tensor, num_classes, message="Class values must be non-negative and smaller than num_classes.")
    hot = ops.eq(ops.spread(numbers, shape, (of.ndim,)), ops.iota(shape, of.ndim, int64))
    return ops.cast(hot, int64)
