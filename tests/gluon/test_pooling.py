"""Pooling layers: values, gradients of both orders and errors, imperatively and compiled, against PyTorch."""

from __future__ import annotations

import itertools

import numpy
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, grad, hybridize, nd, np, npx
from hybridize.errors import ArgumentError, DTypeError, ShapeError, ValueArgumentError
from hybridize.gluon import nn
from tests.refusals import refusal

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
MEAN = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
ADAPTIVE = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}


def drawn(*shape, seed=1, dtype="float64"):
    """Numbers with ties among neighbours."""
    return numpy.random.default_rng(seed).normal(0, 2, shape).round(1).astype(dtype)


def weights(shape):
    return numpy.random.default_rng(7).normal(size=shape)


def channels_last(x):
    return numpy.ascontiguousarray(numpy.moveaxis(x, 1, -1))


def ran(layer, x, compiled):
    """The result of a layer for `x`, and the gradient of its weighted sum."""
    layer.initialize()
    layer.hybridize(compiled)
    a = np.array(x, dtype=x.dtype)
    a.attach_grad()
    with autograd.record():
        y = layer(a)
        loss = (y * np.array(weights(y.shape), dtype=x.dtype)).sum()
    loss.backward()
    if compiled:
        assert layer.program(a).fallbacks == ()
    return y.asnumpy(), a.grad.asnumpy()


def peer(function, x):
    t = torch.tensor(x, requires_grad=True)
    y = function(t)
    (y * torch.tensor(weights(y.shape), dtype=y.dtype)).sum().backward()
    return y.detach().numpy(), t.grad.numpy()


def compare(found, wanted, rtol=1e-10):
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        numpy.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


WINDOWS = [
    *((2, *window) for window in ((2, 2, 0, False), (3, 2, 1, True), (3, 1, 1, False), (2, 3, 0, False))),
    (2, 7, 2, 3, False),  # too large to be written out
    (1, 3, 2, 1, True),
    (3, 2, 2, 1, False),
]


@BOTH
@pytest.mark.parametrize(("rank", "size", "stride", "padding", "ceil"), WINDOWS)
def test_windows_are_pytorchs(rank, size, stride, padding, ceil, compiled):
    x = drawn(*(2, 3), *(8, 9, 7)[:rank])
    options = {"ceil_mode": ceil}
    layer = getattr(nn, f"MaxPool{rank}D")(size, stride, padding, **options)
    compare(ran(layer, x, compiled), peer(lambda t: MAX[rank](t, size, stride, padding, **options), x))
    for counted in (True, False):
        layer = getattr(nn, f"AvgPool{rank}D")(size, stride, padding, count_include_pad=counted, **options)
        wanted = peer(lambda t, c=counted: MEAN[rank](t, size, stride, padding, ceil, c), x)
        compare(ran(layer, x, compiled), wanted)


@BOTH
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_global_pooling_is_of_whole_images(rank, compiled):
    x = drawn(*(2, 3), *(5, 4, 3)[:rank])
    compare(ran(getattr(nn, f"GlobalMaxPool{rank}D")(), x, compiled), peer(lambda t: ADAPTIVE[rank](t, 1), x))
    axes = tuple(range(2, rank + 2))
    compare(ran(getattr(nn, f"GlobalAvgPool{rank}D")(), x, compiled), peer(lambda t: t.mean(axes, keepdim=True), x))


@BOTH
@pytest.mark.parametrize(
    ("name", "rank"),
    [("MaxPool", 2), ("AvgPool", 2), ("GlobalMaxPool", 2), ("GlobalAvgPool", 2), ("MaxPool", 3), ("AvgPool", 1)],
)
def test_channels_may_be_last(rank, name, compiled):
    x, letters = drawn(*(2, 5), *(6, 5, 4)[:rank]), "DHW"[-rank:]
    arguments = {} if name.startswith("Global") else {"pool_size": 5 - rank, "strides": 2, "padding": 1}
    make = getattr(nn, f"{name}{rank}D")
    y, slope = ran(make(layout=f"NC{letters}", **arguments), x, compiled)
    layer = make(layout=f"N{letters}C", **arguments)
    layer.hybridize(compiled)
    a = np.array(channels_last(x), dtype="float64")
    a.attach_grad()
    with autograd.record():
        z = layer(a)
        (z * np.array(channels_last(weights(y.shape)), dtype="float64")).sum().backward()
    numpy.testing.assert_allclose(z.asnumpy(), channels_last(y), rtol=1e-12)
    numpy.testing.assert_allclose(a.grad.asnumpy(), channels_last(slope), rtol=1e-12, atol=1e-12)


@BOTH
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_short_floats(dtype, compiled):
    x = drawn(2, 3, 9, 8, dtype=dtype)
    rtol = 1e-2 if dtype == "float16" else 1e-5
    compare(ran(nn.MaxPool2D(3, 2, 1), x, compiled), peer(lambda t: F.max_pool2d(t, 3, 2, 1), x), rtol)
    compare(ran(nn.AvgPool2D(3, 2, 1), x, compiled), peer(lambda t: F.avg_pool2d(t, 3, 2, 1), x), rtol)


@BOTH
def test_a_mean_of_large_short_floats_is_no_infinity(compiled):
    layer = nn.AvgPool2D(2)
    layer.hybridize(compiled)
    assert layer(np.full((1, 1, 2, 2), 60000, dtype="float16")).item() == 60000


@BOTH
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_integers_have_a_maximum_and_a_sum(dtype, compiled):
    x = numpy.random.default_rng(3).integers(0, 100, (2, 3, 7, 6)).astype(dtype)
    x -= numpy.array(100 if dtype != "uint8" else 0, dtype)

    def pool(a):
        most = npx.pooling(a, kernel=(3, 3), stride=(2, 2), pad=(1, 1))
        return most, npx.pooling(a, kernel=(2, 2), pool_type="sum")

    most, total = (hybridize(pool) if compiled else pool)(np.array(x, dtype=dtype))
    wanted = F.max_pool2d(torch.tensor(x.astype("f8")), 3, 2, 1).numpy()
    numpy.testing.assert_array_equal(most.asnumpy(), wanted.astype(dtype))
    assert most.dtype == total.dtype == dtype
    wanted = (x[:, :, 1:, 1:] + x[:, :, :-1, 1:]) + (x[:, :, 1:, :-1] + x[:, :, :-1, :-1])
    numpy.testing.assert_array_equal(total.asnumpy(), wanted)


@BOTH
def test_infinities_and_nan(compiled):
    inf, nan = numpy.inf, numpy.nan
    x = numpy.array([-inf, -inf, -inf, -inf, 1, nan, 2, inf, inf, nan, nan, 0.0], "f4").reshape(1, 1, 12)
    layer = nn.MaxPool1D(2)
    y, slope = ran(layer, x, compiled)
    numpy.testing.assert_array_equal(y[0, 0], [-inf, -inf, nan, inf, nan, nan])
    w = weights((1, 1, 6)).astype("f4")[0, 0]
    numpy.testing.assert_array_equal(slope[0, 0], [w[0], 0, w[1], 0, 0, w[2], 0, w[3], 0, w[4], w[5], 0])
    # Where there is nothing but -inf beside the padding, the gradient is that of an element, not of the padding.
    y, slope = ran(nn.MaxPool1D(3, 1, 1), numpy.full((1, 1, 2), -inf), compiled)
    assert (y == -inf).all()
    numpy.testing.assert_allclose(slope[0, 0], [weights((1, 1, 2)).sum(), 0])


@BOTH
def test_ties_go_to_the_first(compiled):
    x = numpy.zeros((1, 1, 4, 4))
    _, slope = ran(nn.MaxPool2D(2), x, compiled)
    w = weights((1, 1, 2, 2))
    numpy.testing.assert_array_equal(slope[0, 0, ::2, ::2], w[0, 0])
    assert numpy.count_nonzero(slope) == 4


@BOTH
@pytest.mark.parametrize("make", [lambda: nn.MaxPool2D(3, 2, 1), lambda: nn.AvgPool2D(3, 2, 1), nn.GlobalMaxPool2D])
def test_empty_batches(make, compiled):
    layer = make()
    y, slope = ran(layer, numpy.zeros((0, 3, 5, 5)), compiled)
    assert y.shape[:2] == (0, 3)
    assert slope.shape == (0, 3, 5, 5)


@pytest.mark.parametrize(
    ("layer", "other"),
    [
        (lambda: nn.MaxPool2D(2, 2, ceil_mode=True), lambda t: F.max_pool2d(t, 2, 2, ceil_mode=True)),
        (lambda: nn.AvgPool2D(3, 2, 1, count_include_pad=False), lambda t: F.avg_pool2d(t, 3, 2, 1, False, False)),
        (nn.GlobalAvgPool2D, lambda t: t.mean((2, 3), keepdim=True)),
        (nn.GlobalMaxPool2D, lambda t: F.adaptive_max_pool2d(t, 1)),
    ],
    ids=["max", "mean", "global mean", "global max"],
)
def test_one_program_for_all_sizes(layer, other):
    net = layer()
    net.hybridize(dynamic=True)
    for shape in ((2, 3, 8, 8), (1, 3, 11, 5), (4, 3, 6, 13), (2, 3, 7, 7)):
        x = drawn(*shape)
        a = np.array(x, dtype="float64")
        a.attach_grad()
        with autograd.record():
            y = net(a)
            (y * np.array(weights(y.shape), dtype="float64")).sum().backward()
        compare((y.asnumpy(), a.grad.asnumpy()), peer(other, x))
    assert net.program(a).fallbacks == ()


@BOTH
def test_second_order(compiled):
    """Of a function of the gradient; the maximum is linear in pieces, so its own second gradient is 0."""

    def loss(x):
        return sum(
            ((npx.pooling(x * x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type=kind)) ** 3).sum()
            for kind in ("max", "avg")
        )

    def other(t):
        return (F.max_pool2d(t * t, 3, 2, 1) ** 3).sum() + (F.avg_pool2d(t * t, 3, 2, 1) ** 3).sum()

    def slope(x):
        return grad(lambda x: (grad(loss)(x) ** 2).sum())(x)

    x = numpy.random.default_rng(4).normal(size=(2, 2, 6, 5))
    found = (hybridize(slope) if compiled else slope)(np.array(x, dtype="float64"))
    t = torch.tensor(x, requires_grad=True)
    (first,) = torch.autograd.grad(other(t), t, create_graph=True)
    (first * first).sum().backward()
    numpy.testing.assert_allclose(found.asnumpy(), t.grad.numpy(), rtol=1e-9, atol=1e-9)


@BOTH
@pytest.mark.parametrize("power", [1, 2, 3])
def test_norms_of_windows(power, compiled):
    """The root of the sum of powers; of nothing but zeros it is 0, and so is the gradient, which PyTorch makes NaN."""
    x = numpy.random.default_rng(5).uniform(0.5, 2, (2, 3, 6, 6))

    class Norm(nn.HybridBlock):
        def forward(self, x):
            return npx.pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="lp", p_value=power)

    compare(ran(Norm(), x, compiled), peer(lambda t: F.lp_pool2d(t, float(power), 2), x))
    y, slope = ran(Norm(), numpy.zeros((1, 1, 2, 2)), compiled)
    assert y.item() == 0
    if power > 1:
        numpy.testing.assert_array_equal(slope, numpy.zeros((1, 1, 2, 2)))


@BOTH
def test_conventions(compiled):
    """MXNet's: "full" and "same" begin windows that end beyond the padding; means count the padding, not beyond it."""

    def pool(x):
        return [
            npx.pooling(x, kernel=(3,), stride=(2,), pad=(1,), pool_type=kind, pooling_convention=convention)
            for kind, convention in itertools.product(("max", "avg", "sum"), ("valid", "full", "same"))
        ]

    x = np.array([[[1.0, 2, 3, 4, 5, 6]]])
    found = [y.asnumpy()[0, 0].tolist() for y in (hybridize(pool) if compiled else pool)(x)]
    assert found[:3] == [[2, 4, 6], [2, 4, 6, 6], [2, 4, 6, 6]]
    assert found[3:6] == [[1, 3, 5], [1, 3, 5, 3], [1, 3, 5, 3]]
    assert found[6:] == [[3, 9, 15], [3, 9, 15, 6], [3, 9, 15, 6]]


def test_names_of_both_generations():
    x = np.array(drawn(2, 3, 6, 6))
    wanted = nn.MaxPool2D(2)(x).asnumpy()
    assert (npx.pooling(x, kernel=(2, 2), stride=(2, 2)).asnumpy() == wanted).all()
    assert (nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool1").asnumpy() == wanted).all()
    assert nd.Pooling(x, (2, 2)).shape == (2, 3, 5, 5)  # strides are 1 here, where layers take the size of a window
    assert nd.Pooling(x, global_pool=True, pool_type="avg").shape == (2, 3, 1, 1)
    assert nn.MaxPool2D(2).name.startswith("pool")
    assert repr(nn.AvgPool2D(3, 2, (1, 0))) == (
        "AvgPool2D(size=(3, 3), stride=(2, 2), padding=(1, 0), ceil_mode=False, global_pool=False, pool_type=avg, "
        "layout=NCHW)"
    )


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ShapeError, "larger than", lambda x: nn.MaxPool2D(9)(x)),
        (ShapeError, "nothing but padding", lambda x: nn.AvgPool2D(2, padding=2)(x)),
        (ShapeError, "layout NCW", lambda x: nn.MaxPool1D()(x)),
        (ShapeError, "3 to 5 axes", lambda x: npx.pooling(x[0, 0], kernel=2)),
        (ShapeError, "last window begins", lambda x: nn.MaxPool2D(1, 3, ceil_mode=True)(x[:, :, :5])),
        (ShapeError, "without elements", lambda x: nn.GlobalMaxPool2D()(x[:, :, :0])),
        (ValueArgumentError, "layout", lambda x: nn.MaxPool2D(layout="NCWH")(x)),
        (ValueArgumentError, "layout", lambda x: npx.pooling(x, kernel=2, layout="CNHW")),
        (ValueArgumentError, "pool_type", lambda x: npx.pooling(x, kernel=2, pool_type="min")),
        (ValueArgumentError, "pooling_convention", lambda x: npx.pooling(x, kernel=2, pooling_convention="half")),
        (ArgumentError, "kernel", lambda x: npx.pooling(x)),
        (ArgumentError, "kernel", lambda x: npx.pooling(x, kernel=(2, 2, 2))),
        (ArgumentError, "stride", lambda x: npx.pooling(x, kernel=2, stride=0)),
        (ArgumentError, "pool_size", lambda x: nn.MaxPool2D(2.5)(x)),
        (ArgumentError, "pool_size", lambda x: nn.MaxPool3D((2, 2))(x)),
        (ArgumentError, "p_value", lambda x: npx.pooling(x, kernel=2, pool_type="lp")),
        (DTypeError, "cast it first", lambda x: nn.AvgPool2D()(x.astype("int32"))),
        (DTypeError, "bool", lambda x: nn.MaxPool2D()(x > 0)),
    ],
)
def test_what_is_refused(error, words, call):
    x = np.ones((2, 3, 6, 6))
    with refusal(error, words) as raised:
        call(x)
    assert f"{__file__}:" in str(raised.value) or "test_pooling.py:" in str(raised.value)


@st.composite
def pools(draw):
    rank = draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 9)) for _ in range(rank)]
    window = [draw(st.integers(1, 5)) for _ in range(rank)]
    padding = [draw(st.integers(0, k // 2)) for k in window]
    stride = [draw(st.integers(1, 4)) for _ in range(rank)]
    for axis in range(rank):
        # PyTorch compares windows over volumes with the image alone.
        window[axis] = min(window[axis], sizes[axis] + (2 * padding[axis] if rank < 3 else 0))
        padding[axis] = min(padding[axis], window[axis] // 2)
    ceil = draw(st.booleans())
    if ceil:  # where PyTorch leaves out a window that begins behind the image, MXNet has none
        stride = [min(s, k - p) for s, k, p in zip(stride, window, padding, strict=True)]
    batch, channels = draw(st.integers(0, 2)), draw(st.sampled_from([1, 3, 17]))
    return (batch, channels, *sizes), window, stride, padding, ceil, draw(st.booleans()), draw(st.booleans())


def holds(case, dtype):
    shape, window, stride, padding, ceil, counted, compiled = case
    rank, x = len(window), drawn(*shape, dtype=dtype)
    options = {"ceil_mode": ceil}
    most = getattr(nn, f"MaxPool{rank}D")(tuple(window), tuple(stride), tuple(padding), **options)
    mean = getattr(nn, f"AvgPool{rank}D")(
        tuple(window), tuple(stride), tuple(padding), count_include_pad=counted, **options
    )
    if not shape[0]:
        assert ran(most, x, compiled)[1].shape == ran(mean, x, compiled)[1].shape == shape
        return
    compare(ran(most, x, compiled), peer(lambda t: MAX[rank](t, window, stride, padding, **options), x), 1e-5)
    compare(ran(mean, x, compiled), peer(lambda t: MEAN[rank](t, window, stride, padding, ceil, counted), x), 1e-5)


@given(pools(), st.sampled_from(["float32", "float64"]))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_any_windows(case, dtype):
    holds(case, dtype)


@pytest.mark.long
@given(pools(), st.sampled_from(["float32", "float64"]))
@settings(max_examples=400, deadline=None)
def test_many_windows(case, dtype):
    holds(case, dtype)


@pytest.mark.parametrize(
    ("layer", "shape", "given", "expected"),
    [
        (nn.AvgPool2D, (1, 1, 6, 6), (3, 2, 0, True), (3, 3)),
        (nn.AvgPool3D, (1, 1, 6, 6, 6), (3, 2, 0, True), (3, 3, 3)),
        (nn.MaxPool3D, (1, 1, 6, 6, 6), (3, 2, 0, True), (3, 3, 3)),
        (nn.MaxPool2D, (1, 1, 6, 6), (3, 2, 0, "NCHW", True), (3, 3)),
        (nn.AvgPool1D, (1, 1, 6), (3, 2, 0, "NCW", True), (3,)),
        (nn.MaxPool1D, (1, 1, 6), (3, 2, 0, "NCW", True), (3,)),
    ],
)
def test_settings_stand_in_mxnets_order(layer, shape, given, expected):
    assert layer(*given)(np.ones(shape)).shape[2:] == expected
