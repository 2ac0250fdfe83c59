# SPDX-License-Identifier: Apache-2.0
"""Contractions mean the sums that they say, by every way of computing them; their gradients are their adjoints."""

import itertools
import math
from fractions import Fraction
from unittest import mock

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.base import dims
from hybridize.base.dims import FAR, SizeScope
from hybridize.base.dtypes import float32, int64
from hybridize.base.precision import default_precision
from hybridize.base.types import TensorType
from hybridize.loops import contraction as contractions
from hybridize.loops import expr as loops
from hybridize.loops.contraction import Contraction, Role, Subscript, by_w, by_x, plain, subscript
from hybridize.loops.kernel import ElementKernel, LoopBody, LoopNest, Param, Statement
from tests.loops.interpret import interpret


def value(index: Subscript, axes, size: int) -> int | None:
    """The index along an axis of that size, None where the element is 0."""
    found = Fraction(sum(c * axes[axis] for axis, c in index.terms) + index.offset, index.divisor)
    return int(found) if found.denominator == 1 and 0 <= found < size else None


def sums(contraction: Contraction, x, w):
    """The sums, one product after the other."""
    out = numpy.zeros(contraction.shape, contraction.precision.result)
    for axes in itertools.product(*map(range, contraction.sizes)):
        factors = []
        for subscripts, operand in ((contraction.x, x), (contraction.w, w)):
            at = [value(index, axes, size) for index, size in zip(subscripts, operand.shape, strict=True)]
            factors.append(0 if None in at else operand[tuple(at)])
        out[axes[: contraction.rank]] += factors[0] * factors[1]
    return out


def interpreted(contraction: Contraction, x, w):
    """The loop expression of each element, by the interpreter of kernels, which refuses to read outside."""
    kinds = [TensorType(operand.shape, operand.dtype) for operand in (x, w)]

    def flat(index, shape):
        total = loops.index(0)
        for part, size in zip(index, shape, strict=True):
            total = loops.add(loops.mul(total, loops.index(size)), part)
        return total

    def loaded(number):
        return lambda index: loops.Load(int64, number, (flat(index, kinds[number].shape),))

    element = contractions.element(contraction, loaded(0), loaded(1), kinds)
    axes = tuple(loops.axis(k) for k in range(contraction.rank))
    out = numpy.zeros(math.prod(contraction.shape), contraction.precision.result)
    params = (*(Param(kind.dtype, kind.size, False) for kind in kinds), Param(int64, out.size, True))
    body = LoopBody((), (Statement(2, flat(axes, contraction.shape), element(axes)),))
    interpret(ElementKernel(params, (), (LoopNest(contraction.shape, (body,)),)), [x.ravel(), w.ravel(), out])
    return out.reshape(contraction.shape)


def derived(found: contractions.ContractionGradient, shape, g, other, first: bool):
    """The gradient of that shape which a `ContractionGradient` stands for."""
    ones = (1,) * len(found.stretched)
    g = numpy.broadcast_to(g.reshape((*g.shape, *ones)), (*g.shape, *found.stretched))
    result = contractions.reference(found.contraction, *((g, other) if first else (other, g)))
    return numpy.broadcast_to(numpy.expand_dims(result, found.spread), shape), g


def in_parts(contraction: Contraction, x, w):
    """The product where operands are large."""
    with mock.patch.object(contractions, "_MOST", 3):
        return contractions.product(contraction, x, w)


def drawn(rng, shape):
    return rng.integers(-9, 10, shape, dtype=numpy.int64)


@st.composite
def cases(draw):
    """A contraction of at most four axes, of operands of at most three."""
    sizes = tuple(draw(st.lists(st.integers(0, 4) | st.integers(1, 3), min_size=1, max_size=4)))
    axes = st.integers(0, len(sizes) - 1)
    window = st.builds(
        subscript,
        st.lists(st.tuples(axes, st.sampled_from((1, 1, 2, 3, -1, -2))), max_size=2),
        st.integers(-3, 3),
        st.sampled_from((1, 1, 2, 3)),
    )
    operands, shapes = [], []
    for _ in range(2):
        subscripts = tuple(draw(st.lists(st.builds(plain, axes) | window, max_size=3)))
        operands.append(subscripts)
        shapes.append(
            tuple(
                sizes[index.axis] if index.axis is not None and draw(st.booleans()) else draw(st.integers(0, 5))
                for index in subscripts
            )
        )
    # Every axis stands in an operand, and those of the result in any.
    used = sorted(contractions.axes_of((*operands[0], *operands[1])))
    numbers = {axis: k for k, axis in enumerate(used)}
    x, w = (
        tuple(subscript([(numbers[axis], c) for axis, c in each.terms], each.offset, each.divisor) for each in one)
        for one in operands
    )
    rank = draw(st.integers(0, len(used)))
    contraction = Contraction(tuple(sizes[axis] for axis in used), rank, x, w, default_precision(int64))
    rng = numpy.random.default_rng(draw(st.integers(0, 99)))
    return contraction, *(drawn(rng, shape) for shape in shapes), rng


@settings(max_examples=150, deadline=None)
@given(cases())
def test_every_way_of_computing_it_gives_the_sums(case):
    contraction, x, w, _ = case
    wanted = sums(contraction, x, w)
    for way in (contractions.reference, contractions.product, in_parts, interpreted):
        found = way(contraction, x, w)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        numpy.testing.assert_array_equal(found, wanted, way.__name__)


@settings(max_examples=300, deadline=None)
@given(cases())
def test_gradients_are_adjoints_and_contractions_themselves(case):
    """<c(x, w), g> = <x, by_x(g, w)> = <w, by_w(x, g)>, in whole numbers, and so again for those contractions."""
    contraction, x, w, rng = case
    for _ in range(2):
        y = contractions.reference(contraction, x, w)
        g = drawn(rng, y.shape)
        wanted = (y * g).sum()
        shapes = x.shape, w.shape
        dx, stretched = derived(by_x(contraction, shapes), x.shape, g, w, True)
        dw, _ = derived(by_w(contraction, shapes), w.shape, g, x, False)
        assert dx.shape == x.shape
        assert dw.shape == w.shape
        assert (dx * x).sum() == wanted
        assert (dw * w).sum() == wanted
        contraction, x = by_x(contraction, shapes).contraction, stretched


def convolution(stride, dilation, padding, sizes=(2, 3, 4, 2, 3), divisor=1):
    """x [n, c, i], w [o, c, r] -> [n, o, y]; axes n, o, y, c, r."""
    window = subscript(((2, stride), (4, dilation)), -padding, divisor)
    return Contraction(
        sizes, 3, (plain(0), plain(3), window), (plain(1), plain(3), plain(4)), default_precision(float32)
    )


def test_roles_of_axes():
    assert contractions.roles(convolution(1, 1, 1)) == (Role.ROW, Role.COLUMN, Role.ROW, Role.SUM, Role.SUM)
    batch = Contraction((2, 3, 4), 1, (plain(0), plain(1)), (plain(0), plain(2)), default_precision(int64))
    assert contractions.roles(batch) == (Role.BATCH, Role.SUM, Role.SUM)


@pytest.mark.parametrize(
    ("stride", "padding", "divisor", "size", "leaves"),
    [(1, 0, 1, 6, False), (1, 0, 1, 5, True), (1, 1, 1, 9, True), (2, 0, 1, 9, False), (1, 0, 2, 9, True)],
)
def test_axes_that_indices_may_leave(stride, padding, divisor, size, leaves):
    found = convolution(stride, 1, padding, divisor=divisor)
    assert contractions.outside(found.x, found.sizes, (2, 2, size)) == (False, False, leaves)
    assert contractions.outside(found.w, found.sizes, (3, 2, 3)) == (False, False, False)


def test_a_gradient_of_a_convolution_counts_its_window():
    """Not the pixels: each gradient is as much work as the convolution, also those of a gradient."""
    found = convolution(2, 1, 1, sizes=(2, 3, 8, 4, 3))
    x, w, g = (2, 4, 16), (3, 4, 3), (2, 3, 8)
    first = by_x(found, (x, w)).contraction
    assert first.sizes == (2, 4, 16, 3, 3)
    assert first.x == (plain(0), plain(3), subscript(((2, 1), (4, -1)), 1, 2))
    again = by_w(first, (g, w)).contraction
    assert sorted(again.sizes) == sorted((3, 4, 3, 2, 8))
    assert all(index.divisor == 1 for index in (*again.x, *again.w))
    assert by_x(first, (g, w)).contraction.sizes == (2, 3, 8, 4, 3)


@pytest.mark.parametrize(
    ("batch", "stride", "size", "window"), [(1, 1, 2, 3), (4, 1, 3, 5), (1, 2, 2, 7), (2, 3, 4, 9)]
)
def test_a_gradient_by_images_smaller_than_their_window_keeps_its_columns(batch, stride, size, window):
    """The window stays in the cotangent, and w gives the columns: a batch is fewer than the channels."""
    pad = window // 2
    found = convolution(stride, 1, pad, sizes=(batch, 32, size, 16, window))
    gradient = by_x(found, ((batch, 16, stride * size), (32, 16, window))).contraction
    assert gradient.w == (plain(3), plain(1), plain(4))
    assert gradient.sizes == (batch, 16, stride * size, 32, window)


@pytest.mark.parametrize(("batch", "channels", "outputs", "size"), [(64, 6, 16, 14), (64, 3, 6, 28), (32, 1, 8, 12)])
def test_a_gradient_by_few_channels_counts_the_window(batch, channels, outputs, size):
    """However large the batch: pixels of a line fill vectors then, and twice as many sums would not pay."""
    found = convolution(1, 1, 0, sizes=(batch, outputs, size - 4, channels, 5))
    gradient = by_x(found, ((batch, channels, size), (outputs, channels, 5))).contraction
    assert gradient.sizes == (batch, channels, size, outputs, 5)
    assert gradient.x[2] == subscript(((2, 1), (4, -1)))


@pytest.mark.parametrize("padding", [0, 1])
def test_sizes_that_are_not_known_are_not_asked(padding):
    scope = SizeScope()
    scope.capturing = False
    n, i = scope.symbol(8), scope.symbol(9, low=3)
    rows = i + 2 * padding - 2
    found = convolution(1, 1, padding, sizes=(n, 3, rows, 2, 3))
    shapes = (n, 2, i), (3, 2, 3)
    assert contractions.outside(found.x, found.sizes, shapes[0]) == (False, False, padding > 0)
    assert contractions.roles(found)[0] is Role.ROW
    for gradient in (by_x(found, shapes), by_w(found, shapes)):
        assert not gradient.stretched
        assert not gradient.spread
        assert not dims.known(gradient.contraction.sizes)
    kinds = [TensorType(shape, float32) for shape in shapes]
    loaded = [lambda index, k=k: loops.Load(float32, k, index) for k in range(2)]
    contractions.element(found, *loaded, kinds)(tuple(map(loops.axis, range(3))))
    assert not scope.conditions
    assert [symbol.bounds for symbol in scope.symbols] == [(2, FAR), (3, FAR)]
