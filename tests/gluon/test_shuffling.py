"""Layers and functions that give images other sizes: against PyTorch, imperatively and compiled."""

from __future__ import annotations

import json

import numpy
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, grad, hybridize, nd, np, npx
from hybridize.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.gluon import SymbolBlock, contrib, nn
from tests.refusals import refusal

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
X = numpy.random.default_rng(2).normal(size=(2, 3, 5, 6))


def weights(shape):
    return numpy.random.default_rng(7).normal(size=shape)


def check(function, other, x, compiled, dtype="float64", rtol=1e-11):
    """Results and gradients of a function and of PyTorch's."""
    a = np.array(x, dtype=dtype)
    a.attach_grad()
    run = hybridize(function) if compiled else function
    with autograd.record():
        y = run(a)
        (y * np.array(weights(y.shape), dtype=dtype)).sum().backward()
    t = torch.tensor(x.astype(dtype), requires_grad=True)
    z = other(t)
    (z * torch.tensor(weights(z.shape), dtype=z.dtype)).sum().backward()
    assert y.dtype == dtype
    numpy.testing.assert_allclose(y.asnumpy(), z.detach().numpy(), rtol=rtol, atol=rtol)
    numpy.testing.assert_allclose(a.grad.asnumpy(), t.grad.numpy(), rtol=rtol, atol=rtol)
    if compiled:
        assert run.program(a).fallbacks == ()


@BOTH
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("size", [(10, 12), (7, 4), (1, 1), (5, 6), (3, 17)])
def test_interpolation_is_pytorchs(size, corners, compiled):
    def resize(x):
        return nd.contrib.BilinearResize2D(x, height=size[0], width=size[1], align_corners=corners)

    check(resize, lambda t: F.interpolate(t, size, mode="bilinear", align_corners=corners), X, compiled)


def test_modes_of_interpolation():
    x = np.array(X, dtype="float32")
    sizes = {
        "odd_scale": (9, 12), "to_even_down": (4, 6), "to_even_up": (6, 6), "to_odd_down": (5, 5), "to_odd_up": (5, 7),
    }  # fmt: skip
    for mode, size in sizes.items():
        assert nd.contrib.BilinearResize2D(x, scale_height=2, scale_width=2, mode=mode).shape == (2, 3, *size)
    assert nd.contrib.BilinearResize2D(x, scale_height=0.5, scale_width=1.5).shape == (2, 3, 2, 9)
    assert nd.contrib.BilinearResize2D(x, np.ones((1, 1, 8, 3)), mode="like").shape == (2, 3, 8, 3)


@BOTH
@pytest.mark.parametrize("size", [1, 2, (5, 3), (5, 6), (7, 4), (4, 9)])
def test_adaptive_means_are_pytorchs(size, compiled):
    check(
        lambda x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=size),
        lambda t: F.adaptive_avg_pool2d(t, size),
        X,
        compiled,
    )


@BOTH
def test_sums_of_short_floats_are_rounded_once(compiled):
    x = numpy.random.default_rng(3).normal(size=(2, 3, 9, 7)).astype("float16")

    def pool(x):
        return nd.contrib.AdaptiveAvgPooling2D(x, output_size=(4, 3))

    found = (hybridize(pool) if compiled else pool)(np.array(x, dtype="float16"))
    exact = F.adaptive_avg_pool2d(torch.tensor(x.astype("f8")), (4, 3)).numpy()
    numpy.testing.assert_allclose(found.asnumpy(), exact, rtol=2**-11)


@BOTH
def test_what_counts_nothing_is_not_looked_at(compiled):
    """Interpolating to the same size gives the image, infinities and NaN beside its pixels or not."""
    x = numpy.array([[numpy.inf, 1.0, numpy.nan, 2.0]], "f4").reshape(1, 1, 2, 2)

    def resize(x):
        return nd.contrib.BilinearResize2D(x, height=2, width=2)

    found = (hybridize(resize) if compiled else resize)(np.array(x))
    numpy.testing.assert_array_equal(found.asnumpy(), x)


@BOTH
def test_second_order(compiled):
    def loss(x):
        wide = nd.contrib.BilinearResize2D(x * x, height=9, width=4)
        return (nd.contrib.AdaptiveAvgPooling2D(wide, output_size=(4, 3)) ** 3).sum()

    def slope(x):
        return grad(lambda x: (grad(loss)(x) ** 2).sum())(x)

    found = (hybridize(slope) if compiled else slope)(np.array(X, dtype="float64"))
    t = torch.tensor(X, requires_grad=True)
    wide = F.interpolate(t * t, (9, 4), mode="bilinear", align_corners=True)
    (first,) = torch.autograd.grad((F.adaptive_avg_pool2d(wide, (4, 3)) ** 3).sum(), t, create_graph=True)
    (first * first).sum().backward()
    numpy.testing.assert_allclose(found.asnumpy(), t.grad.numpy(), rtol=1e-9, atol=1e-9)


@BOTH
def test_repeated_pixels(compiled):
    check(lambda x: npx.upsampling(x, scale=3), lambda t: F.interpolate(t, scale_factor=3), X, compiled)
    small = np.array(weights((2, 2, 5, 3)), dtype="float64")

    def joined(x):
        return nd.UpSampling(x, small, scale=2, sample_type="nearest", num_args=2)

    def other(t):
        wide = torch.tensor(small.asnumpy()).repeat_interleave(2, 2).repeat_interleave(4, 3)
        return torch.cat([F.interpolate(t, scale_factor=2), wide], 1)

    check(joined, other, X, compiled)
    added = npx.upsampling(np.array(X), np.array(X[:, :, :, :3]), scale=2, multi_input_mode="sum")
    wide = numpy.repeat(numpy.repeat(X, 2, 2), 2, 3) + numpy.repeat(numpy.repeat(X[:, :, :, :3], 2, 2), 4, 3)
    numpy.testing.assert_allclose(added.asnumpy(), wide, rtol=1e-5, atol=1e-6)


@BOTH
@pytest.mark.parametrize("scale", [1, 2, 3])
def test_upsampling_by_a_weight(scale, compiled):
    kernel, pad = 2 * scale - scale % 2, scale // 2
    w = weights((3, 1, kernel, kernel))

    def ours(x):
        return nd.UpSampling(
            x, np.array(w, dtype="float64"), scale=scale, sample_type="bilinear", num_filter=3, num_args=2
        )

    def other(t):
        return F.conv_transpose2d(t, torch.tensor(w), stride=scale, padding=pad, groups=3)

    check(ours, other, X, compiled)
    assert ours(np.array(X, dtype="float64")).shape == (2, 3, 5 * scale, 6 * scale)


@BOTH
def test_channels_become_pixels(compiled):
    def layer(make, *shape):
        net = make()
        net.hybridize(compiled)
        return net(np.array(weights(shape), dtype="float64")).asnumpy()

    flat, image = torch.tensor(weights((2, 6, 4))), torch.tensor(weights((2, 12, 3, 5)))
    wanted = flat.reshape(2, 2, 3, 4).permute(0, 1, 3, 2).reshape(2, 2, 12)
    numpy.testing.assert_array_equal(layer(lambda: nn.PixelShuffle1D(3), 2, 6, 4), wanted)
    numpy.testing.assert_array_equal(layer(lambda: nn.PixelShuffle2D(2), 2, 12, 3, 5), F.pixel_shuffle(image, 2))
    assert layer(lambda: contrib.nn.PixelShuffle2D((3, 2)), 2, 12, 3, 5).shape == (2, 2, 9, 10)
    solid = torch.tensor(weights((1, 24, 2, 3, 2)))
    wanted = solid.reshape(1, 2, 2, 3, 2, 2, 3, 2).permute(0, 1, 5, 2, 6, 3, 7, 4).reshape(1, 2, 4, 9, 4)
    numpy.testing.assert_array_equal(layer(lambda: nn.PixelShuffle3D((2, 3, 2)), 1, 24, 2, 3, 2), wanted)
    check(nn.PixelShuffle2D(2), lambda t: F.pixel_shuffle(t, 2), weights((2, 12, 3, 5)), compiled)
    assert repr(nn.PixelShuffle1D(2)) == "PixelShuffle1D(2)"
    assert repr(nn.PixelShuffle2D(2)) == "PixelShuffle2D((2, 2))"


def test_space_and_depth():
    x = numpy.arange(2 * 8 * 2 * 3.0).reshape(2, 8, 2, 3)
    y = nd.depth_to_space(np.array(x), 2)
    wanted = x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(2, 2, 4, 6)
    numpy.testing.assert_array_equal(y.asnumpy(), wanted)
    numpy.testing.assert_array_equal(nd.space_to_depth(y, 2).asnumpy(), x)


MODES = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}


@BOTH
@pytest.mark.parametrize("mode", MODES)
def test_padding_is_pytorchs(mode, compiled):
    widths = ((0, 0), (0, 0), (2, 1), (3, 4))
    check(lambda x: np.pad(x, widths, mode), lambda t: F.pad(t, (3, 4, 2, 1), mode=MODES[mode]), X, compiled)


@BOTH
@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_padding_is_numpys(mode, compiled):
    """Also where it is longer than the array."""
    for shape, widths in (((3, 4), ((2, 1), (0, 3))), ((3, 4), ((5, 0), (9, 7))), ((1, 2), ((0, 0), (1, 1)))):
        x = numpy.arange(numpy.prod(shape), dtype="f4").reshape(shape)

        def pad(x, widths=widths):
            return np.pad(x, widths, mode)

        found = (hybridize(pad) if compiled else pad)(np.array(x))
        numpy.testing.assert_array_equal(found.asnumpy(), numpy.pad(x, widths, mode))


def test_padding_of_images():
    x = np.array(X, dtype="float32")
    net = nn.ReflectionPad2D(2)
    net.hybridize(dynamic=True)
    for part in (x, x[:1, :, :4, :3], x[:, :2, :, :5]):
        wanted = numpy.pad(part.asnumpy(), ((0, 0), (0, 0), (2, 2), (2, 2)), "reflect")
        numpy.testing.assert_array_equal(net(part).asnumpy(), wanted)
    assert net.program(x).fallbacks == ()
    assert nn.ReflectionPad2D((0, 0, 0, 0, 1, 2, 0, 3))(x).shape == (2, 3, 8, 9)
    for pad in (npx.pad, nd.pad, nd.Pad):
        found = pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 0, 0, 2), constant_value=3)
        wanted = numpy.pad(x.asnumpy(), ((0, 0), (0, 0), (1, 0), (0, 2)), constant_values=3)
        numpy.testing.assert_array_equal(found.asnumpy(), wanted)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ShapeError, r"the input must be \[batch", lambda x: nn.PixelShuffle1D(3)(x)),
        (ArgumentError, "factor", lambda x: nn.PixelShuffle2D((1, 2, 3))),
        (ArgumentError, "factor", lambda x: nn.PixelShuffle2D(0)),
        (ArgumentError, "padding", lambda x: nn.ReflectionPad2D((1, 1))),
        (ArgumentError, "padding", lambda x: nn.ReflectionPad2D(-1)),
        (ShapeError, "width", lambda x: nn.ReflectionPad2D(1)(x[0])),
        (ArgumentError, "pad_width", lambda x: npx.pad(x, pad_width=(1, 1))),
        (ArgumentError, "no mode", lambda x: npx.pad(x, mode="mirror", pad_width=(0,) * 8)),
        (ArgumentError, "scale", lambda x: npx.upsampling(x, scale=1.5)),
        (ArgumentError, "2 arrays", lambda x: npx.upsampling(x, x, scale=2, num_args=1)),
        (ArgumentError, "1 arrays", lambda x: npx.upsampling(x, scale=2, sample_type="bilinear")),
        (ShapeError, "whole factor", lambda x: npx.upsampling(x, x[:, :, :4], scale=2)),
        (ValueArgumentError, "sample_type", lambda x: npx.upsampling(x, scale=2, sample_type="cubic")),
        (ShapeError, "batch", lambda x: nd.contrib.AdaptiveAvgPooling2D(x[0], output_size=2)),
        (ShapeError, "pixel", lambda x: nd.contrib.AdaptiveAvgPooling2D(x[:, :, :0], output_size=2)),
        (ArgumentError, "output_size", lambda x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=(2, 2, 2))),
        (ArgumentError, "output_size", lambda x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=0)),
        (ArgumentError, "height", lambda x: nd.contrib.BilinearResize2D(x, height=0, width=2)),
        (ArgumentError, "scale_width", lambda x: nd.contrib.BilinearResize2D(x, height=2, scale_width=-1.0)),
        (ArgumentError, "scale_height", lambda x: nd.contrib.BilinearResize2D(x, mode="odd_scale")),
        (ArgumentError, "like", lambda x: nd.contrib.BilinearResize2D(x, mode="like")),
        (ValueArgumentError, "mode", lambda x: nd.contrib.BilinearResize2D(x, mode="half")),
        (ShapeError, "height", lambda x: nd.contrib.BilinearResize2D(x[:, :, :0], height=2, width=2)),
        (ShapeError, "of 3 channels", lambda x: nn.PixelShuffle2D(2)(x)),
        (ShapeError, "a multiple of 2", lambda x: nn.PixelShuffle2D((1, 2))(x)),
        (ShapeError, "a multiple of 2", lambda x: nn.PixelShuffle1D(2)(x[:, :, 0])),
        (ShapeError, "a multiple of 4", lambda x: nn.PixelShuffle3D((1, 2, 2))(np.expand_dims(x, 2))),
        (ShapeError, r"the input must be \[batch", lambda x: nn.PixelShuffle2D(1)(x[0])),
        (ShapeError, r"the input must be \[batch", lambda x: nn.PixelShuffle3D(1)(x)),
        (ShapeError, "multiple", lambda x: nd.depth_to_space(x, 2)),
        (ShapeError, "multiples", lambda x: nd.space_to_depth(x, 2)),
    ],
)
def test_what_is_refused(error, words, call):
    with refusal(error, words) as raised:
        call(np.ones((2, 3, 5, 6)))
    assert raised.value.loc.file == __file__


class Mixed(nn.HybridBlock):
    """A net of all that moves pixels."""

    def __init__(self, F):
        super().__init__()
        self.F = F
        self.pad, self.most, self.mean = nn.ReflectionPad2D(1), nn.MaxPool2D(3, 2, 1), nn.AvgPool2D(2, ceil_mode=True)
        self.all, self.shuffle = nn.GlobalAvgPool2D(), nn.PixelShuffle2D(2)

    def forward(self, x):
        F, y = self.F, self.shuffle(self.pad(x))
        wide = F.contrib.BilinearResize2D(F.UpSampling(y, scale=2, sample_type="nearest"), height=9, width=8)
        return self.most(wide) * self.all(y), F.contrib.AdaptiveAvgPooling2D(self.mean(y), (3, 2))


def test_files_have_mxnets_own_operators(tmp_path):
    x = np.array(numpy.random.default_rng(3).normal(size=(2, 4, 5, 6)))
    net = Mixed(nd)
    net.initialize()
    wanted = net(x)
    net.hybridize()
    net(x)
    net.export(tmp_path / "net")
    nodes = json.loads((tmp_path / "net-symbol.json").read_text())["nodes"]
    assert {"Pad", "Pooling", "UpSampling", "_contrib_BilinearResize2D", "_contrib_AdaptiveAvgPooling2D"} <= {
        node["op"] for node in nodes
    }
    most = next(node["attrs"] for node in nodes if node["op"] == "Pooling")
    assert (most["kernel"], most["pad"], most["pool_type"]) == ("(3, 3)", "(1, 1)", "max") or most["pool_type"] == "avg"
    again = SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"])
    for compiled in (False, True):
        again.hybridize(compiled)
        for found, expected in zip(again(x), wanted, strict=True):
            numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@st.composite
def resizes(draw):
    sizes = tuple(draw(st.integers(1, 9)) for _ in range(2))
    wanted = tuple(draw(st.integers(1, 12)) for _ in range(2))
    return sizes, wanted, draw(st.booleans()), draw(st.booleans())


def holds(case):
    sizes, wanted, corners, compiled = case
    x = weights((2, 2, *sizes))

    def resize(x):
        return nd.contrib.BilinearResize2D(x, height=wanted[0], width=wanted[1], align_corners=corners)

    check(resize, lambda t: F.interpolate(t, wanted, mode="bilinear", align_corners=corners), x, compiled, rtol=1e-10)
    check(
        lambda x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=wanted),
        lambda t: F.adaptive_avg_pool2d(t, wanted),
        x,
        compiled,
        rtol=1e-10,
    )


@given(resizes())
@settings(max_examples=6, deadline=None, derandomize=True)
def test_any_sizes(case):
    holds(case)


@pytest.mark.long
@given(resizes())
@settings(max_examples=200, deadline=None)
def test_many_sizes(case):
    holds(case)
