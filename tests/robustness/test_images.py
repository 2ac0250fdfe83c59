"""Functions of images, of every door: odd inputs give PyTorch's result in both modes, bad ones an error at their line."""

import numpy
import pytest
import torch
import torch.nn.functional as F

from hybridize import hybridize, nd, np, npx
from hybridize.errors import HybridizeError
from hybridize.gluon import nn
from hybridize.gluon.contrib import nn as contrib
from tests.refusals import refusal


def drawn(*shape):
    return numpy.random.default_rng((7, *shape)).normal(size=shape)


def weights_of(shapes, channels, dtype="float64"):
    """Weights of both sides; c stands for the number of channels."""
    arrays = [drawn(*(channels if size == "c" else size for size in shape)) for shape in shapes]
    return [np.array(x.astype(dtype), dtype=dtype) for x in arrays], [torch.tensor(x) for x in arrays]


def normed(x, gamma, beta, mean, deviation, axis=1):
    variance, rest = deviation**2, {"use_global_stats": True, "fix_gamma": False, "eps": 0.1}
    return npx.batch_norm(x, gamma, beta, mean, variance, axis=axis, **rest)


def regions(x, *numbers):
    return np.array([numbers], dtype=x.dtype)


COLUMNS = {"kernel": (3, 2), "stride": 2, "dilate": (1, 2), "pad": (1, 2)}
CHANNEL = ("c",)
FUNCTIONS = {
    "convolution": ([(4, "c", 3, 3)], lambda x, w: npx.convolution(x, w, pad=1), lambda x, w: F.conv2d(x, w, padding=1)),
    "padding beyond the window": ([(2, "c", 2, 1), (2,)], lambda x, w, b: npx.convolution(x, w, b, pad=(3, 4)), lambda x, w, b: F.conv2d(x, w, b, padding=(3, 4))),
    "dilation and stride": ([(3, "c", 3, 2)], lambda x, w: npx.convolution(x, w, stride=(2, 3), dilate=(2, 3), pad=2), lambda x, w: F.conv2d(x, w, None, (2, 3), 2, (2, 3))),
    "a window for each channel": ([("c", 1, 3, 3)], lambda x, w: npx.convolution(x, w, stride=2, pad=1, num_group=w.shape[0]), lambda x, w: F.conv2d(x, w, None, 2, 1, 1, len(w))),
    "a transposed convolution": ([("c", 2, 3, 3)], lambda x, w: npx.deconvolution(x, w, stride=2, pad=1, adj=1), lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1)),
    "a transposed and dilated one": ([("c", 2, 2, 3)], lambda x, w: npx.deconvolution(x, w, stride=(2, 1), dilate=(3, 2)), lambda x, w: F.conv_transpose2d(x, w, None, (2, 1), 0, 0, 1, (3, 2))),
    "maxima": ([], lambda x: npx.pooling(x, (3, 3), stride=(2, 2), pad=(1, 1)), lambda x: F.max_pool2d(x, 3, 2, 1)),
    "means": ([], lambda x: npx.pooling(x, (3, 3), pool_type="avg", stride=(2, 1), pad=(1, 1)), lambda x: F.avg_pool2d(x, 3, (2, 1), 1)),
    "the mean of an image": ([], lambda x: npx.pooling(x, (1, 1), pool_type="avg", global_pool=True), lambda x: x.mean((2, 3), keepdim=True)),
    "a norm by running statistics": ([CHANNEL] * 4, normed, lambda x, g, b, m, d: F.batch_norm(x, m, d**2, g, b, eps=0.1)),
    "pixels repeated": ([], lambda x: npx.upsampling(x, scale=3, sample_type="nearest"), lambda x: x.repeat_interleave(3, 2).repeat_interleave(3, 3)),
    "a border repeated": ([], lambda x: npx.pad(x, "edge", (0, 0, 0, 0, 2, 1, 3, 4)), lambda x: F.pad(x, (3, 4, 2, 1), "replicate")),
    "interpolation": ([], lambda x: nd.contrib.BilinearResize2D(x, height=7, width=3), lambda x: F.interpolate(x, (7, 3), mode="bilinear", align_corners=True)),
    "means of parts": ([], lambda x: nd.contrib.AdaptiveAvgPooling2D(x, (3, 2)), lambda x: F.adaptive_avg_pool2d(x, (3, 2))),
    "a norm of channels": ([], lambda x: nd.LRN(x, alpha=0.3, nsize=3), lambda x: F.local_response_norm(x, 3, 0.3, 0.75, 2.0)),
    "windows as columns": ([], lambda x: nd.im2col(x, **COLUMNS), lambda x: F.unfold(x, (3, 2), (1, 2), (1, 2), 2)),
    "windows that may bend": ([(4, "c", 3, 3)], lambda x, w: npx.deformable_convolution(x, np.zeros((x.shape[0], 18, x.shape[2], x.shape[3]), dtype=x.dtype), w, pad=1), lambda x, w: F.conv2d(x, w, padding=1)),
    "maxima of regions": ([], lambda x: nd.ROIPooling(x, regions(x, 0, 0, 0, 99, 99), 1, 0.0), lambda x: x[:1, :, :1, :1]),
    "means of regions": ([], lambda x: nd.contrib.ROIAlign(x, regions(x, 0, 0, 0, 0, 0), 1, 1.0, 1), lambda x: F.pad(x[:1], (0, 1, 0, 1), "replicate")[:, :, :2, :2].mean((2, 3), keepdim=True)),
    "two images compared": ([], lambda x: nd.Correlation(x, x, max_displacement=0, pad_size=2), lambda x: F.pad((x * x).mean(1, keepdim=True), (2, 2, 2, 2))),
}  # fmt: skip
SIZES = {
    "an image": (2, 3, 5, 6), "other sizes": (3, 3, 7, 9), "no image": (0, 3, 6, 6), "one pixel": (2, 3, 1, 1),
    "one channel": (1, 1, 5, 4), "17 channels": (2, 17, 4, 5),
}  # fmt: skip
UNFIT = {("dilation and stride", "one pixel"), ("maxima of regions", "no image"), ("means of regions", "no image")}
"""Windows that do not fit; regions of images that are not there."""
NOT_PYTORCHS = {"a norm of channels": (0, 3, 6, 6), "windows as columns": (0, 18, 12)}
"""The shapes of batches of no image where PyTorch takes none."""
MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


@MODES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes(name, compiled):
    shapes, function, theirs = FUNCTIONS[name]
    run = hybridize(function) if compiled else function
    for what, shape in SIZES.items():
        if (name, what) in UNFIT:
            continue
        image = drawn(*shape)
        ours, weights = weights_of(shapes, shape[1])
        given = np.array(image, dtype="float64")
        if what == "no image" and name in NOT_PYTORCHS:
            assert run(given, *ours).shape == NOT_PYTORCHS[name]
            continue
        wanted = theirs(torch.tensor(image), *weights).numpy()
        numpy.testing.assert_allclose(run(given, *ours).asnumpy(), wanted, rtol=1e-10, atol=1e-10, err_msg=what)
    if compiled:
        assert run.program(given, *ours).fallbacks == ()


@MODES
@pytest.mark.parametrize("name", FUNCTIONS)
def test_memory_and_precision(name, compiled):
    """Views with strides, reversed too, memory that must not be written, float16."""
    shapes, function, theirs = FUNCTIONS[name]
    run = hybridize(function) if compiled else function
    image = drawn(2, 3, 5, 6)
    ours, weights = weights_of(shapes, 3)
    wanted = theirs(torch.tensor(image), *weights).numpy()
    large = numpy.zeros((6, 5, 3, 4))
    large.T[::2, :, ::-1] = image
    frozen = image.copy()
    frozen.flags.writeable = False
    for given in (np.array(large, dtype="float64").T[::2, :, ::-1], np.asarray(frozen, dtype="float64")):
        numpy.testing.assert_allclose(run(given, *ours).asnumpy(), wanted, rtol=1e-10, atol=1e-10)
        numpy.testing.assert_array_equal(given.asnumpy(), image)
    short = run(np.array(image.astype("f2"), dtype="float16"), *weights_of(shapes, 3, "float16")[0])
    assert short.dtype == "float16"
    numpy.testing.assert_allclose(short.asnumpy(), wanted, rtol=2e-2, atol=2e-2)


LAST = {
    "convolution": (
        [(4, "c", 3, 2)],
        lambda x, w: npx.convolution(x, np.moveaxis(w, 1, -1), stride=2, dilate=(1, 2), pad=3, layout="NHWC"),
        lambda x, w: F.conv2d(x, w, None, 2, 3, (1, 2)),
    ),
    "a transposed convolution": (
        [("c", 2, 3, 3)],
        lambda x, w: npx.deconvolution(x, np.moveaxis(w, 1, -1), stride=2, pad=1, layout="NHWC"),
        lambda x, w: F.conv_transpose2d(x, w, None, 2, 1),
    ),
    "maxima": (
        [],
        lambda x: npx.pooling(x, (2, 2), stride=(1, 2), pad=(1, 1), layout="NHWC"),
        lambda x: F.max_pool2d(x, 2, (1, 2), 1),
    ),
    "a norm by running statistics": (
        [CHANNEL] * 4,
        lambda x, *ws: normed(x, *ws, axis=-1),
        FUNCTIONS["a norm by running statistics"][2],
    ),
}


@MODES
@pytest.mark.parametrize("name", LAST)
def test_channels_last(name, compiled):
    shapes, function, theirs = LAST[name]
    run = hybridize(function) if compiled else function
    for shape in SIZES.values():
        image = drawn(*shape)
        ours, weights = weights_of(shapes, shape[1])
        wanted = numpy.moveaxis(theirs(torch.tensor(image), *weights).numpy(), 1, -1)
        found = run(np.array(numpy.moveaxis(image, 1, -1).copy(), dtype="float64"), *ours).asnumpy()
        numpy.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


# ----------------------------------------------------------------------------------------------------------- bad input

X, W = np.ones((2, 4, 5, 5)), np.ones((6, 4, 3, 3))
HUGE = 1 << 62


def called(layer, x=X):
    layer.initialize()
    return layer(x)


LAYERS = {
    rank: tuple(getattr(nn, f"{name}{rank}D{more}") for name, more in (("Conv", ""), ("Conv", "Transpose"), ("MaxPool", ""), ("AvgPool", "")))
    for rank in (1, 2, 3)
}  # fmt: skip
IMAGES = {rank: np.ones((2, 4, *(5,) * rank)) for rank in LAYERS}
BAD = {
    f"{words}, {rank} axes": case
    for rank, (conv, back, largest, mean) in LAYERS.items()
    for words, case in {
        "a large window": ("does not fit", lambda c=conv, r=rank: called(c(3, 9, padding=1), IMAGES[r])),
        "a large window of maxima": ("larger than the padded", lambda c=largest, r=rank: called(c(9, padding=1), IMAGES[r])),
        "a large window of means": ("larger than the padded", lambda c=mean, r=rank: called(c(9), IMAGES[r])),
        "padding that leaves nothing": ("no element", lambda c=back, r=rank: called(c(3, 2, padding=7), IMAGES[r])),
        "groups of filters": ("groups", lambda c=conv: called(c(3, 3, groups=2))),
        "groups of channels": ("groups", lambda c=conv, r=rank: called(c(6, 3, groups=3), IMAGES[r])),
        "groups back": ("groups", lambda c=back: called(c(3, 3, groups=2))),
        "a layout": ("layout", lambda c=conv: called(c(3, 3, layout="NCQW"))),
        "a layout back": ("layout", lambda c=back: called(c(3, 3, layout="NCQW"))),
        "a layout of maxima": ("layout", lambda c=largest: called(c(2, layout="HW"))),
        "other channels": ("E174", lambda c=conv, r=rank: called(c(3, 3, in_channels=5), IMAGES[r])),
        "other channels back": ("E174", lambda c=back, r=rank: called(c(3, 3, in_channels=5), IMAGES[r])),
        "padding that overflows": ("E1", lambda c=conv, r=rank: called(c(3, 3, padding=HUGE), IMAGES[r])),
        "a stride that overflows": ("E1", lambda c=back, r=rank: called(c(3, 3, strides=HUGE), IMAGES[r])),
        "a window that overflows": ("E125.*parameter", lambda c=conv, r=rank: called(c(3, HUGE), IMAGES[r])),
        "filters that overflow": ("E125.*parameter", lambda c=conv, r=rank: called(c(HUGE, 3), IMAGES[r])),
    }.items()
} | {
    "npx: a large window": ("does not fit", lambda: npx.convolution(X, np.ones((6, 4, 7, 7)))),
    "npx: a large window of maxima": ("larger than the padded", lambda: npx.pooling(X, (7, 7))),
    "npx: groups": ("groups", lambda: npx.convolution(X, W, num_group=3)),
    "npx: groups back": ("groups", lambda: npx.deconvolution(X, W, num_group=4)),
    "npx: a layout": ("layout", lambda: npx.convolution(X, W, layout="NHCW")),
    "npx: a layout of maxima": ("layout", lambda: npx.pooling(X, (2, 2), layout="N")),
    "npx: channels": ("E174", lambda: npx.convolution(X, np.ones((6, 3, 3, 3)))),
    "npx: channels back": ("E174", lambda: npx.deconvolution(X, W)),
    "npx: padding that overflows": ("E1", lambda: npx.convolution(X, W, pad=HUGE)),
    "npx: a stride that overflows": ("E1", lambda: npx.deconvolution(X, np.ones((4, 6, 3, 3)), stride=HUGE)),
    "npx: pixels repeated beyond all": ("E345|E125", lambda: npx.upsampling(X, scale=HUGE, sample_type="nearest")),
    "nd: interpolated beyond all": ("E125", lambda: nd.contrib.BilinearResize2D(X, height=HUGE, width=3)),
    "nd: parts beyond all": ("E125", lambda: nd.contrib.AdaptiveAvgPooling2D(X, HUGE)),
    "nd: columns beyond all": ("E1", lambda: nd.im2col(X, 2, pad=HUGE)),
    "nd: a grid beyond all": ("E345|E125", lambda: nd.GridGenerator(np.ones((2, 6)), "affine", (HUGE, HUGE))),
    "nd: bins beyond all": ("E345|E125", lambda: nd.ROIPooling(X, np.ones((2, 5)), (HUGE, HUGE), 1.0)),
    "nd: displacements beyond all": ("E173: Correlation", lambda: nd.Correlation(X, X, max_displacement=HUGE, pad_size=HUGE)),
    "nd: differences beyond all": (
        "E173: Correlation",
        lambda: nd.Correlation(X, X, max_displacement=HUGE, pad_size=HUGE, is_multiply=False),
    ),
    "nd: displacements far apart": ("E173: Correlation", lambda: nd.Correlation(X, X, stride2=HUGE)),
    "nd: blocks of channels": ("E1|E3", lambda: nd.depth_to_space(X, 3)),
    "nd: blocks of pixels": ("E1|E3", lambda: nd.space_to_depth(X, 3)),
    "contrib: blocks of channels": ("E179.*of 4 channels", lambda: called(contrib.PixelShuffle2D(3))),
    "bent: padding that overflows": ("E1", lambda: npx.deformable_convolution(X, np.ones((2, 18, 3, 3)), W, pad=HUGE)),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit(name):
    said, function = BAD[name]
    for call in (function, lambda: hybridize(lambda one: (function(), one)[0])(X)):
        with refusal(HybridizeError, f"(?s){said}") as caught:
            call()
        assert caught.value.loc.file == __file__


class Wrapped(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.conv2d(x, torch.ones(6, 4, 7, 7)),
        lambda x: F.conv2d(x, torch.ones(6, 4, 3, 3), groups=3),
        lambda x: F.conv2d(x, torch.ones(6, 3, 3, 3)),
        lambda x: F.conv_transpose2d(x, torch.ones(3, 6, 3, 3)),
        lambda x: F.max_pool2d(x, 7),
        lambda x: F.avg_pool2d(x, 2, padding=3),
        lambda x: F.pixel_shuffle(x, 3),
    ],
)
def test_what_does_not_fit_in_pytorch(function):
    """PyTorch's own error, or ours, at the line of the module."""
    x = torch.ones(2, 4, 5, 5)
    with pytest.raises((RuntimeError, ValueError)) as theirs:
        function(x)
    with pytest.raises((HybridizeError, type(theirs.value))) as ours:
        hybridize(Wrapped(function))(x)
    if isinstance(ours.value, HybridizeError):
        assert ours.value.loc.file == __file__
