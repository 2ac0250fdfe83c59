# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that multiply and add: products over any axes, convolutions, matrices."""

from __future__ import annotations

import string
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, int32, int64, is_float
from hybridize.base.types import TensorType
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, dtype_of, graph_of, sizes
from hybridize.ops.elimination import factored, solve_triangular
from hybridize.ops.factors import QR, SVD, Cholesky, Eigh
from hybridize.ops.fourier import Fourier, InverseRealFourier, RealFourier
from hybridize.ops.matrices import turned
from hybridize.ops.op import Operand, bind, bind1, type_of
from hybridize.ops.tracing import make_graph


def _result(n: Application, x: Operand) -> DType:
    return dtype_of(n, "preferred_element_type") if n.attributes.get("preferred_element_type") else type_of(x).dtype


@JAXPR("dot_general")
def product(n: Application, x: Operand, y: Operand) -> Operand:
    """Sums of products over some axes of both, for each place of others: those of both, of x, of y."""
    kind = _result(n, x)
    if kind != bool_:
        return _product(n, x, y, kind)
    count = _product(n, x, y, int32)
    return ops.ne(count, ops.like(0, count))  # true where one of the products is


def _product(n: Application, x: Operand, y: Operand, kind: DType) -> Operand:
    (sums_x, sums_y), (both_x, both_y) = sizes(n, "dimension_numbers")
    letters = iter(string.ascii_letters)
    of_x = {axis: next(letters) for axis in range(type_of(x).ndim)}
    of_y = {axis: of_x[other] for axis, other in zip((*both_y, *sums_y), (*both_x, *sums_x), strict=True)}
    rest_x = [axis for axis in of_x if axis not in (*both_x, *sums_x)]
    rest_y = [axis for axis in range(type_of(y).ndim) if axis not in of_y]
    of_y |= {axis: next(letters) for axis in rest_y}
    out = [*(of_x[axis] for axis in (*both_x, *rest_x)), *(of_y[axis] for axis in rest_y)]
    if not sums_x:
        return ops.mul(*(ops.cast(one, kind) for one in _apart(x, y, of_x, of_y, out)))
    kinds = type_of(x).dtype, type_of(y).dtype
    if kinds[0] != kinds[1] or (kind != kinds[0] and not (is_float(kind) and is_float(kinds[0]))):
        x, y = ops.cast(x, kind), ops.cast(y, kind)
    spec = f"{''.join(of_x[k] for k in sorted(of_x))},{''.join(of_y[k] for k in sorted(of_y))}->{''.join(out)}"
    return ops.contract(spec, x, y, result=None if kind == type_of(x).dtype else kind, name="dot_general")


def _apart(x: Operand, y: Operand, of_x: dict[int, str], of_y: dict[int, str], out: list[str]) -> list[Operand]:
    """Both operands over all axes of their product, where no axis is summed over."""
    shape: dict[str, Any] = {}
    for operand, letters in ((x, of_x), (y, of_y)):
        shape |= {letters[axis]: size for axis, size in enumerate(type_of(operand).shape)}
    full = tuple(shape[letter] for letter in out)
    results = []
    for operand, letters in ((x, of_x), (y, of_y)):
        places = {letter: axis for axis, letter in letters.items()}
        operand = ops.transpose(operand, tuple(places[letter] for letter in out if letter in places))
        ones = tuple(shape[letter] if letter in places else 1 for letter in out)
        results.append(ops.broadcast(ops.reshape(operand, ones), full))
    return results


@JAXPR("conv_general_dilated")
def convolution(n: Application, x: Operand, w: Operand) -> Operand:
    """A convolution with its axes in any order, over elements that stand apart, in groups of channels or images."""
    of_x, of_w, of_out = sizes(n, "dimension_numbers")
    rank = len(of_x) - 2
    kind = _result(n, x)
    groups, batches = n.integer("feature_group_count", 1), n.integer("batch_group_count", 1)
    strides, pads = sizes(n, "window_strides"), sizes(n, "padding")
    spread, dilation = sizes(n, "lhs_dilation"), sizes(n, "rhs_dilation")
    x, w = (one if is_float(kind) and is_float(type_of(one).dtype) and kind == type_of(one).dtype
            else ops.cast(one, kind) for one in (x, w))  # fmt: skip
    last = rank > 0 and of_x[1] == rank + 1 and of_out[1] == rank + 1 and batches == 1
    order = (0, *range(2, rank + 2), 1) if last else tuple(range(rank + 2))
    x = ops.transpose(x, tuple(of_x[axis] for axis in order))
    w = ops.transpose(w, tuple(of_w[axis] for axis in order))
    if batches > 1:  # images of a group as channels of a group
        shape = type_of(x).shape
        apart = ops.reshape(x, (batches, shape[0] // batches, *shape[1:]))
        apart = ops.transpose(apart, (1, 0, *range(2, rank + 3)))
        x, groups = ops.reshape(apart, (shape[0] // batches, batches * shape[1], *shape[2:])), batches
    if rank == 0:
        y = _of_pixels(x, w, groups)
    else:
        y = ops.convolution(x, w, strides, pads, dilation, groups, spread, last)
    places = [of_out[axis] for axis in order]
    return ops.transpose(y, tuple(places.index(axis) for axis in range(rank + 2)))


def _of_pixels(x: Operand, w: Operand, groups: int) -> Operand:
    """A convolution without axes of windows: products of channels, group by group."""
    (count, _), (outputs, part) = type_of(x).shape, type_of(w).shape
    x = ops.reshape(x, (count, groups, part))
    y = ops.contract("ngc,goc->ngo", x, ops.reshape(w, (groups, outputs // groups, part)))
    return ops.reshape(y, (count, outputs))


# ------------------------------------------------------------------------------------------------------------- matrices


@JAXPR("cholesky")
def cholesky(n: Application, x: Operand) -> Operand:
    """The lower triangle whose product with its transposed is a matrix."""
    return bind1(Cholesky(), x)


@JAXPR("triangular_solve")
def triangular_solution(n: Application, a: Operand, b: Operand) -> Operand:
    """The solution of triangular equations, on the left or on the right of the unknown."""
    transposed = n.flag("transpose_a") != (not n.flag("left_side"))
    b = b if n.flag("left_side") else turned(b)
    x = solve_triangular(a, b, lower=n.flag("lower"), unit=n.flag("unit_diagonal"), transposed=transposed)
    return x if n.flag("left_side") else turned(x)


@JAXPR("lu")
def triangles(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The factors of a square matrix in one, the rows that were exchanged step by step, and their order."""
    shape = type_of(x).shape
    if not dims.same(shape[-1], shape[-2]):
        n.fail(f"{type_of(x)} is not square", help="use jax.numpy.linalg.qr")
    factors, order, _ = factored(x)
    exchanged = _exchanges(order) if n.node.outputs[1] else ops.full(0, type_of(order).with_dtype(int32))
    return factors, exchanged, ops.cast(order, int32)


def _exchanges(order: Operand) -> Operand:
    """The row that each row was exchanged with, in turn, so that rows came into an order."""
    *lead, count = type_of(order).shape
    rows = ops.transpose(order, (len(lead), *range(len(lead))))

    def step(present: Operand, wanted: Operand, number: Operand) -> list[Operand]:
        shape = type_of(present).shape
        here = ops.iota(shape, len(lead), int64)
        place = ops.arg_max(ops.eq(present, ops.spread(wanted, shape, (len(lead),))), len(lead))
        mine = ops.slice_at(present, number, len(lead), 1)
        both = ops.where(ops.eq(here, ops.spread(place, shape, (len(lead),))), ops.broadcast(mine, shape), present)
        mine = ops.eq(here, ops.broadcast(number, shape))
        return [ops.where(mine, ops.spread(wanted, shape, (len(lead),)), both), ops.cast(place, int32)]

    start = ops.iota(type_of(order).shape, len(lead), int64)
    body = make_graph(step, [type_of(start), type_of(order).with_shape(tuple(lead)), TensorType((), int64)])
    _, places = bind(ops.Scan(body, count, False, 1), start, rows, ops.iota((count,), 0, int64))
    return ops.transpose(places, (*range(1, len(lead) + 1), 0))


@JAXPR("lu_pivots_to_permutation")
def order_of_exchanges(n: Application, pivots: Operand) -> Operand:
    """The order of rows that exchanges lead to."""
    *lead, count = type_of(pivots).shape
    size = n.attributes["permutation_size"]
    rows = ops.cast(ops.transpose(pivots, (len(lead), *range(len(lead)))), int64)

    def step(present: Operand, other: Operand, number: Operand) -> list[Operand]:
        shape, last = type_of(present).shape, len(lead)
        here = ops.iota(shape, last, int64)
        mine = ops.broadcast(ops.slice_at(present, number, last, 1), shape)
        at_other = ops.eq(here, ops.spread(other, shape, (last,)))
        theirs = ops.spread(ops.sum(ops.where(at_other, present, ops.like(0, present)), (last,)), shape, (last,))
        return [ops.where(ops.eq(here, ops.broadcast(number, shape)), theirs, ops.where(at_other, mine, present))]

    start = ops.iota((*lead, size), len(lead), int64)
    body = make_graph(step, [type_of(start), type_of(rows).with_shape(tuple(lead)), TensorType((), int64)])
    (order,) = bind(ops.Scan(body, count, False, 1), start, rows, ops.iota((count,), 0, int64))
    return ops.cast(order, int32)


@JAXPR("qr")
def orthonormal(n: Application, x: Operand) -> tuple[Operand, ...]:
    """A matrix as orthonormal columns times an upper triangle."""
    if n.flag("pivoting"):
        n.fail("pivoting is not supported")
    return tuple(bind(QR(n.flag("full_matrices")), x))


@JAXPR("eigh")
def eigenvectors(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The eigenvectors of a symmetric matrix, and its eigenvalues."""
    if n.attributes.get("subset_by_index") is not None:
        n.fail("a part of the eigenvalues is not supported")
    values, vectors = bind(Eigh(not n.flag("lower")), x)
    return vectors, values


@JAXPR("svd")
def singular_values(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The singular values of a matrix, and its singular vectors where they are wanted."""
    if n.attributes.get("subset_by_index") is not None:
        n.fail("a part of the singular values is not supported")
    left, values, right = bind(SVD(n.flag("full_matrices")), x)
    return (values, left, right) if n.flag("compute_uv") else (values,)


@JAXPR("custom_linear_solve")
def linear_solution(n: Application, *operands: Operand) -> tuple[Operand, ...]:
    """The solution of linear equations, by the program that knows how."""
    start, count, total = sizes(n, "const_lengths")
    solve = graph_of(n, "solve")
    values = [*operands[start : start + count], *operands[total:]]
    return tuple(n.walk.graph(solve, dict(zip((port.name for port in solve.inputs), values, strict=True))))


@JAXPR("fft")
def fourier(n: Application, x: Operand) -> Operand:
    """The discrete Fourier transform along the last axes, or its inverse; of real numbers the first half."""
    kind, lengths = n.integer("fft_type"), n.integers("fft_lengths")
    ndim = type_of(x).ndim
    axes = list(range(ndim - len(lengths), ndim))
    if kind == 2:
        x = bind1(RealFourier(axes.pop()), x)
    for axis in axes if kind != 3 else axes[:-1]:
        x = bind1(Fourier(axis, kind in (1, 3)), x)
    return bind1(InverseRealFourier(axes[-1], lengths[-1]), x) if kind == 3 else x
