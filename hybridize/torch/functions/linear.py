# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and matrices, and distances between rows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import broadcast, same
from hybridize.base.dtypes import float32, float64, int64, is_float
from hybridize.base.types import Shape
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library import einstein
from hybridize.ops.library.norms import differences, norm
from hybridize.torch.functions import rules
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.pointwise import add, multiply, subtract
from hybridize.torch.functions.reductions import sum_of
from hybridize.torch.functions.table import computes


def _shape(x: Operand) -> Shape:
    return type_of(x).shape


def _check_dtypes(*xs: Operand | None) -> None:
    """Check that operands of a product have one dtype."""
    rules.expect(len({type_of(x).dtype for x in xs if x is not None}) == 1)


def _check_product(x: Operand, y: Operand, has_axes: bool = True) -> None:
    """Check that there is a product: of bools only where there is nothing to multiply, and the result has axes."""
    rules.expect(type_of(x).dtype.kind != "b" or (has_axes and 0 in (*_shape(x), *_shape(y))))


def _check_axes(x: Operand, y: Operand, first: int, second: int) -> None:
    """Check that operands have the axes that a product takes, and fit."""
    rules.expect(type_of(x).ndim == first and type_of(y).ndim == second)
    _check_inner(_shape(x), _shape(y))


def _check_inner(left: Shape, right: Shape) -> None:
    """Check that operands of a product fit: the last axis of the first one goes with the one before the last of the
    second, or with its only one.
    """
    rules.expect(left[-1:] == right[-2:][:1])


@computes("F.linear")
def _linear(input: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    _check_inner(_shape(input), _shape(weight)[::-1])
    _check_dtypes(input, weight, bias)
    if type_of(weight).ndim != 1:
        return composites.fully_connected(input, weight, bias, False)
    y = _matmul(input, weight)
    return y if bias is None else ops.add(y, ops.broadcast(bias, _shape(y)))


@computes("matmul", "linalg.matmul")
def _matmul(input: Operand, other: Operand) -> Operand:
    left, right = _shape(input), _shape(other)
    rules.expect(left and right)
    _check_inner(left, right)
    batch = rules.fitting(left[:-2], right[:-2])
    _check_dtypes(input, other)
    rows, columns = left[-2:-1], right[-1:] if len(right) > 1 else ()
    x, y = ops.reshape(input, left if rows else (1, *left)), ops.reshape(other, right if columns else (*right, 1))
    product = ops.matmul(*(ops.broadcast(one, (*batch, *_shape(one)[-2:])) for one in (x, y)))
    return ops.reshape(product, (*batch, *rows, *columns))


@computes("mm")
def _mm(input: Operand, mat2: Operand) -> Operand:
    _check_axes(input, mat2, 2, 2)
    return _matmul(input, mat2)


@computes("bmm")
def _bmm(input: Operand, mat2: Operand) -> Operand:
    _check_axes(input, mat2, 3, 3)
    rules.expect(_shape(input)[0] == _shape(mat2)[0])
    return _matmul(input, mat2)


@computes("mv")
def _mv(input: Operand, vec: Operand) -> Operand:
    _check_axes(input, vec, 2, 1)
    return _matmul(input, vec)


@computes("dot", "vdot")
def _dot(input: Operand, other: Operand) -> Operand:
    rules.expect(type_of(input).ndim == 1 and type_of(other).ndim == 1)
    rules.expect(_shape(input) == _shape(other))
    return _matmul(input, other)


@computes("inner", alike="input other")
def _inner(input: Operand, other: Operand) -> Operand:
    left, right = _shape(input), _shape(other)
    if not left or not right:
        return multiply(input, other)
    rules.expect(left[-1] == right[-1])
    _check_product(input, other, len(left) + len(right) > 2)
    return einsum_of(f"{_LETTERS[: len(left) - 1]}z,{_LETTERS[10 : 9 + len(right)]}z", input, other)


@computes("linalg.vecdot", kinds="f", alike="x y")
def _vecdot(x: Operand, y: Operand, *, dim: int = -1) -> Operand:
    products = multiply(x, y)
    return ops.sum(products, (rules.axis_of(dim, type_of(products).ndim),))


@computes("outer", "ger")
def _outer(input: Operand, vec2: Operand) -> Operand:
    rules.expect(type_of(input).ndim == 1 and type_of(vec2).ndim == 1)
    rows = ops.reshape(input, (*_shape(input), 1))
    return multiply(rows, vec2)


def _plus(input: Operand, product: Operand, beta: Any, alpha: Any, promotes: bool = False) -> Operand:
    """Return beta input + alpha product; where beta is 0, the elements of the input do not matter.

    Raises:
        RuntimeError: they do not fit; in torch's words.
    """
    rules.expect(promotes or type_of(input).dtype == type_of(product).dtype)
    result = rules.kind(rules.common(input, product), _shape(product))
    product = ops.cast(product, result.dtype)
    rules.expect(broadcast(_shape(input), result.shape) == result.shape)
    if not _is(alpha, 1):
        product = ops.mul(product, operand(alpha, result.dtype, result.shape))
    if _is(beta, 0):
        return ops.bind(ops.After(), product, input)[0]  # the gradient of the input is 0, and not missing
    wide = operand(input, result.dtype, result.shape)
    return ops.add(wide if _is(beta, 1) else ops.mul(wide, operand(beta, result.dtype, result.shape)), product)


def _is(factor: Any, number: int) -> bool:
    return isinstance(factor, (int, float)) and factor == number


@computes("addmm", scales="alpha beta")
def _addmm(input: Operand, mat1: Operand, mat2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Operand:
    return _plus(input, _mm(mat1, mat2), beta, alpha)


@computes("addmv", scales="alpha beta")
def _addmv(input: Operand, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1) -> Operand:
    return _plus(input, _mv(mat, vec), beta, alpha)


@computes("addr", scales="alpha beta")
def _addr(input: Operand, vec1: Operand, vec2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Operand:
    return _plus(input, _outer(vec1, vec2), beta, alpha, promotes=True)


@computes("baddbmm", scales="alpha beta")
def _baddbmm(input: Operand, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Operand:
    return _plus(input, _bmm(batch1, batch2), beta, alpha)


@computes("addbmm", scales="alpha beta")
def _addbmm(input: Operand, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Operand:
    return _plus(input, ops.sum(_bmm(batch1, batch2), (0,)), beta, alpha)


@computes("chain_matmul")
def _chain(*matrices: Operand) -> Operand:
    return functools.reduce(_mm, matrices)


@computes("linalg.multi_dot")
def _multi_dot(tensors: Sequence[Operand]) -> Operand:
    rules.expect(len(tensors) >= 2)
    return functools.reduce(_matmul, tensors)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""By the numbers that torch knows axes by: results have them in this order."""


def einsum_of(text: str, *xs: Operand) -> Operand:
    """Return Einstein's sum of operands of one dtype, as arrays have it."""
    _check_dtypes(*xs)
    return einstein.einsum(text, xs)


def _einsum_in_order(text: str, *xs: Operand) -> Operand:
    """Return Einstein's sum of any dtypes: that of the result depends on the order of sums and products.

    From left to right, what only one operand still has is summed first, of integers in int64; then the two are
    multiplied, or contracted.
    """
    terms, output = einstein.letters_of(text, [type_of(x) for x in xs])
    letters = output + "".join(sorted(set("".join(terms)).difference(output)))
    gone = tuple(range(len(output), len(letters)))
    operands = []
    for term, x in zip(terms, xs, strict=True):
        own = "".join(letter for letter in letters if letter in term)
        diagonal = einsum_of(f"{term}->{own}", x)
        sizes = dict(zip(own, _shape(diagonal), strict=True))
        operands.append(ops.reshape(diagonal, tuple(sizes.get(letter, 1) for letter in letters)))
    result, *others = operands
    if not others:
        return sum_of(result, gone) if gone else result
    counts = {axis: sum(not same(_shape(x)[axis], 1) for x in operands) for axis in gone}
    for other in others:
        result = _contracted(letters, counts, result, other)
    return ops.reshape(result, _shape(result)[: len(output)])


def _contracted(letters: str, counts: dict[int, int], x: Operand, y: Operand) -> Operand:
    """Return the products of two operands that have all axes, summed over those that no later operand has.

    Args:
        letters: of the axes.
        counts: of the axes that the result lacks, how many operands still have each; changed here.
        x: the first operand.
        y: the second one.
    """
    sums: dict[tuple[bool, bool], list[int]] = {}
    for axis, count in counts.items():
        owners = not same(_shape(x)[axis], 1), not same(_shape(y)[axis], 1)
        counts[axis] = count - all(owners)
        if any(owners) and counts[axis] == 1:
            sums.setdefault(owners, []).append(axis)
            counts[axis] = 0
    x, y = (
        sum_of(one, tuple(sums[owner]), True) if owner in sums else one
        for one, owner in ((x, (True, False)), (y, (False, True)))
    )
    shared = sums.get((True, True))
    if shared is None:
        return multiply(x, y)
    _check_product(x, y)
    if 0 in (*_shape(x), *_shape(y)):
        x = ops.cast(x, type_of(y).dtype)  # where there is nothing to multiply, dtypes may differ
    remaining = "".join(letter for axis, letter in enumerate(letters) if axis not in shared)
    product = einsum_of(f"{letters},{letters}->{remaining}", x, y)
    return ops.reshape(product, rules.reduced(rules.shape_of(x, y), shared, True))


@computes("einsum")
def _einsum(*args: Any) -> Operand:
    """Subscripts and operands, in a list or one by one; or operands each with a list of numbers of axes."""
    if isinstance(args[0], str):
        text, xs = args[0], args[1:]
        operands = list(xs[0]) if len(xs) == 1 and isinstance(xs[0], (list, tuple)) else list(xs)
        return _einsum_of(text.replace(" ", ""), *operands)
    last = args[-1:] if len(args) % 2 else ()
    terms = [_of_numbers(numbers) for numbers in (*args[1 : len(args) - len(last) : 2], *last)]
    operands = list(args[: len(args) - len(last) : 2])
    text = ",".join(terms[: len(operands)])
    return _einsum_of(f"{text}->{terms[-1]}" if last else text, *operands)


def _einsum_of(text: str, *xs: Operand) -> Operand:
    dtypes = {type_of(x).dtype for x in xs}
    alike = len(dtypes) == 1 and all(is_float(dtype) or dtype == int64 for dtype in dtypes)
    return (einsum_of if alike else _einsum_in_order)(text, *xs)


def _of_numbers(numbers: Sequence[Any]) -> str:
    return "".join("..." if number is Ellipsis else _LETTERS[number] for number in numbers)


@computes("tensordot")
def _tensordot(a: Operand, b: Operand, dims: Any = 2, out: Any = None) -> Operand:
    left, right = type_of(a).ndim, type_of(b).ndim
    if isinstance(dims, int):
        rules.expect(dims >= 0)
        firsts, seconds = list(range(left - dims, left)), list(range(dims))
    else:
        firsts, seconds = (
            [rules.axis_of(int(axis), n) for axis in one] for one, n in zip(dims, (left, right), strict=True)
        )
    rules.expect(len(firsts) == len(seconds))
    _check_dtypes(a, b)
    terms = list(_LETTERS[:left]), list(_LETTERS[left : left + right])
    for first, second in zip(firsts, seconds, strict=True):
        rules.expect(1 in (_shape(a)[first], _shape(b)[second]) or _shape(a)[first] == _shape(b)[second])
        terms[1][second] = terms[0][first]
    letters = [x for x in (*terms[0], *terms[1]) if (x in terms[0]) != (x in terms[1])]
    _check_product(a, b, bool(letters))
    return einsum_of(f"{''.join(terms[0])},{''.join(terms[1])}->{''.join(letters)}", a, b)


@computes("bilinear", alike="input1 input2 weight bias")
def _bilinear(input1: Operand, input2: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    rules.expect(_shape(input1)[:-1] == _shape(input2)[:-1])
    for number, x in enumerate((input1, input2), 1):
        rules.expect(_shape(x)[-1] == _shape(weight)[number])
    _check_product(input1, weight)
    y = einsum_of("...i,oij,...j->...o", input1, weight, input2)
    return y if bias is None else ops.add(y, operand(bias, type_of(y).dtype, _shape(y)))


@computes("cdist")
def _cdist(x1: Operand, x2: Operand, p: Any = 2.0, compute_mode: Any = None) -> Operand:
    left, right = _shape(x1), _shape(x2)
    rules.expect(len(left) >= 2 and len(right) >= 2)
    rules.expect(left[-1] == right[-1])
    rules.expect(type_of(x1).dtype in (float32, float64))
    _check_dtypes(x1, x2)
    apart = differences(x1, x2)
    return norm(apart, float(p), (type_of(apart).ndim - 1,))


@computes("F.pairwise_distance")
def pairwise_distance(x1: Operand, x2: Operand, p: Any = 2.0, eps: Any = 1e-6, keepdim: bool = False) -> Operand:
    """Return the norms of the differences of rows, to each element of which eps is added."""
    apart = add(subtract(x1, x2), eps)
    distances = norm(apart, float(p), (type_of(apart).ndim - 1,) if type_of(apart).ndim else ())
    return ops.reshape(distances, (*_shape(distances), 1)) if keepdim else distances


@computes("cosine_similarity", kinds="f")
def _cosine_similarity(x1: Operand, x2: Operand, dim: int = 1, eps: Any = 1e-8) -> Operand:
    """The product of rows that are divided by their norms, which are at least eps where that is smaller: their slope
    goes on through the other one.
    """
    shape, dtype = rules.shape_of(x1, x2), rules.common(x1, x2)
    axes = (rules.axis_of(dim, len(shape)),) if shape else ()

    def normal(x: Operand) -> Operand:
        of = type_of(x).dtype if is_float(type_of(x).dtype) else rules.kind(dtype, ()).dtype
        x = operand(x, of, shape)
        size = norm(x, 2.0, axes)
        least = operand(eps, of, _shape(size))
        # No slope of the bound; of a norm that is below it, torch writes the bound into the norm's memory.
        below = ops.add(least, ops.sub(size, ops.stop_gradient(size)))
        bounded = ops.where(ops.lt(size, least), below, size)  # an infinite norm stays one
        return ops.div(x, ops.spread(bounded, shape, axes))

    return ops.sum(multiply(normal(x1), normal(x2)), axes)


@computes("F.pdist")
def _pdist(input: Operand, p: Any = 2.0) -> Operand:
    """The distances of all pairs of rows, each once: of the first one to those behind it, of the second one, ..."""
    of = type_of(input)
    rules.expect(of.ndim == 2)
    first, second = (ops.constant(numbers) for numbers in numpy.triu_indices(int(of.shape[0]), 1))
    apart = ops.sub(ops.gather(input, first, 0), ops.gather(input, second, 0))
    return norm(apart, float(p), (1,))


@computes("renorm", kinds="f")
def _renorm(input: Operand, p: Any, dim: int, maxnorm: Any) -> Operand:
    """Parts along an axis whose norms are larger than `maxnorm` are scaled to that."""
    of = type_of(input)
    rules.expect(of.ndim >= 2)
    axes = tuple(axis for axis in range(of.ndim) if axis != rules.axis_of(dim, of.ndim))
    size = norm(input, float(p), axes)
    scale = ops.div(ops.like(maxnorm, size), ops.add(size, ops.like(1e-7, size)))
    factor = ops.where(ops.gt(size, ops.like(maxnorm, size)), scale, ops.like(1, scale))
    return ops.mul(input, ops.spread(factor, of.shape, axes))


@computes("F.grouped_mm", "_grouped_mm", kinds="f", alike="mat_a mat_b")
def _grouped_mm(
    mat_a: Operand, mat_b: Operand, *, offs: Operand | None = None, bias: Operand | None = None, out_dtype: Any = None
) -> Operand:
    """Products by groups, which end at `offs` along the axis that only one operand has, or along the summed one.

    Each group's product is of all rows, those of others being 0.
    """
    if offs is None:
        return _bmm(mat_a, mat_b)
    groups, two = type_of(offs).shape[0], type_of(mat_a).ndim == 2
    lines, summed = (0, type_of(mat_b).ndim == 2) if two else (1, False)
    cut = mat_a if two else mat_b  # what the groups lie in, one after the other
    axis = 1 if summed else lines
    wide = (groups, *type_of(cut).shape)
    place = ops.iota(wide, 1 + axis, int64)
    ends = ops.cast(offs, int64)
    starts = ops.pad(ops.slice(ends, (0,), (groups - 1,), (1,)), operand(0, int64), (1,), (0,))
    first, last = (ops.broadcast(ops.reshape(one, (groups, 1, 1)), wide) for one in (starts, ends))
    inside = ops.bit_and(ops.ge(place, first), ops.lt(place, last))
    parts = ops.where(inside, ops.broadcast(cut, wide), operand(0, type_of(cut).dtype, wide))
    other = mat_b if two else mat_a
    if summed:
        other = ops.broadcast(other, (groups, *type_of(other).shape))
    products = ops.matmul(parts, other) if two else ops.matmul(other, parts)
    return products if summed else ops.sum(products, (0,))
