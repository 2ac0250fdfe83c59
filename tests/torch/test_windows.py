"""Convolutions, pooling, padding, other sizes and points of images: values and gradients are PyTorch's."""

import copy
import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from hybridize import hybridize
from hybridize.errors import HybridizeError
from tests.refusals import refusal

CONVOLUTION = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
MAXIMA = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
MEANS = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
PARTS = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
MAXIMA_OF_PARTS = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
UNPOOLED = {1: F.max_unpool1d, 2: F.max_unpool2d, 3: F.max_unpool3d}
NORMS = {1: F.lp_pool1d, 2: F.lp_pool2d, 3: F.lp_pool3d}
LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}
SIZES = {1: (9,), 2: (9, 6), 3: (5, 6, 4)}


def image(rank, dtype=torch.float64):
    """Images of four channels, with ties among neighbours."""
    made = torch.randn(2, 4, *SIZES[rank], generator=torch.Generator().manual_seed(rank), dtype=torch.float64)
    return (made * 2).round(decimals=1).to(dtype)


def weight(*shape, dtype=torch.float64):
    return torch.linspace(-1, 1, math.prod(shape), dtype=torch.float64).sin().reshape(shape).to(dtype)


class Many(nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, *xs):
        return {name: _tensors(function(*xs)) for name, function in self.functions.items()}


def _tensors(y):
    return [y] if isinstance(y, torch.Tensor) else list(y)


def compare(functions, *xs, rtol=1e-9):
    """Compare results of functions of the arguments, and gradients of weighted sums, with PyTorch's own.

    Returns:
        The module.
    """
    module = Many(functions)
    given, twins = ([x.clone().requires_grad_(x.dtype.is_floating_point) for x in xs] for _ in range(2))
    want = module(*twins)
    compiled = hybridize(module)
    got = compiled(*given)
    atol = rtol / 10
    for name, results in want.items():
        at = {"msg": lambda text, name=name: f"{name}: {text}"}
        for ours, theirs in zip(got[name], results, strict=True):
            assert ours.dtype == theirs.dtype and ours.requires_grad == theirs.requires_grad, name
            torch.testing.assert_close(ours, theirs, rtol=rtol, atol=atol, **at)
        floats = [k for k, y in enumerate(results) if y.requires_grad]
        slopes = []
        for ys, leaves in ((got[name], given), (results, twins)):
            total = sum((ys[k] * weight(*ys[k].shape, dtype=ys[k].dtype)).sum() for k in floats)
            leaves = [x for x in leaves if x.requires_grad]
            slopes.append(torch.autograd.grad(total, leaves, retain_graph=True, allow_unused=True) if floats else ())
        for ours, theirs in zip(*slopes, strict=True):
            assert (ours is None) == (theirs is None), name
            if theirs is not None:
                torch.testing.assert_close(ours, theirs, rtol=10 * rtol, atol=10 * atol, **at)
    with torch.no_grad():
        assert compiled.program(*xs).fallbacks == ()
    return compiled


def convolutions(rank):
    convolution, transposed = CONVOLUTION[rank], TRANSPOSED[rank]
    w = (3,) * rank
    plain, grouped, depthwise = weight(6, 4, *w), weight(6, 2, *w), weight(8, 1, *w)
    back, parts = weight(4, 6, *w), weight(4, 3, *w)
    bias = weight(6)
    return {
        "plain": lambda x: convolution(x, plain, bias),
        "strided": lambda x: convolution(x, plain, None, 2, 1),
        "dilated": lambda x: convolution(x, plain, bias, 1, 2, 2),
        "grouped": lambda x: convolution(x, grouped, bias, 2, 1, 1, 2),
        "depthwise": lambda x: convolution(x, depthwise, None, 1, 1, 1, 4),
        "same": lambda x: convolution(x, plain, bias, padding="same"),
        "same of an even window": lambda x: convolution(x, weight(6, 4, *(2,) * rank), bias, padding="same"),
        "valid": lambda x: convolution(x, plain, bias, padding="valid"),
        "one image": lambda x: convolution(x[0], plain, bias, 1, 1),
        "weight that varies": lambda x: convolution(x, x[:, :, *(slice(0, 3),) * rank], None, 1, 1),
        "transposed": lambda x: transposed(x, back, bias),
        "transposed by strides": lambda x: transposed(x, back, bias, 2, 1, 1),
        "transposed in groups": lambda x: transposed(x, parts, bias, 3, 1, 2, 2),
        "transposed with dilation": lambda x: transposed(x, back, None, 1, 0, 0, 1, 2),
    }


def pools(rank):
    maxima, means, size = MAXIMA[rank], MEANS[rank], SIZES[rank]
    found = {
        "maxima": lambda x: maxima(x, 2),
        "maxima within padding": lambda x: maxima(x, 3, 2, 1),
        "maxima up to the end": lambda x: maxima(x, 2, 3, 1, ceil_mode=True),
        "maxima and places": lambda x: maxima(x, 3, 2, 1, return_indices=True),
        "maxima apart": lambda x: maxima(x, 2, 1, 1, 3, return_indices=True),
        "maxima of one image": lambda x: maxima(x[0], 3, 2, 1, return_indices=True),
        "unpooled": lambda x: UNPOOLED[rank](*maxima(x, 2, 2, return_indices=True), 2, 2, output_size=size),
        "unpooled where windows overlap": lambda x: UNPOOLED[rank](*maxima(x, 3, 1, return_indices=True), 3, 1),
        "means": lambda x: means(x, 2),
        "means with padding": lambda x: means(x, 3, 2, 1),
        "means without padding": lambda x: means(x, 3, 2, 1, count_include_pad=False),
        "means up to the end": lambda x: means(x, 3, 2, 1, ceil_mode=True),
        "means up to the end, without padding": lambda x: means(x, 2, 3, 1, ceil_mode=True, count_include_pad=False),
        "means of one image": lambda x: means(x[0], 3, 2, 1),
        "norms": lambda x: NORMS[rank](x.abs() + 1, 2, 3, 2),
        "parts": lambda x: PARTS[rank](x, 3),
        "parts that overlap": lambda x: PARTS[rank](x, tuple(n + 2 for n in size)),
        "one part": lambda x: PARTS[rank](x, 1),
        "maxima of parts": lambda x: MAXIMA_OF_PARTS[rank](x, 2, return_indices=True),
        "maxima of even parts": lambda x: MAXIMA_OF_PARTS[rank](x, tuple(size[:rank]), return_indices=True),
        "maximum": lambda x: MAXIMA_OF_PARTS[rank](x[0], 1, return_indices=True),
        "responses": lambda x: F.local_response_norm(x, 3),
    }
    if rank > 1:
        found["means by a divisor"] = lambda x: means(x, 3, 2, 1, divisor_override=5)
        fractional = {2: F.fractional_max_pool2d, 3: F.fractional_max_pool3d}[rank]
        shifts = weight(2, 4, rank).abs()
        found["maxima at uneven distances"] = lambda x: fractional(
            x, 2, tuple(n // 2 for n in size), None, True, shifts
        )
        found["maxima of a ratio"] = lambda x: fractional(x, (3, 2, 1)[:rank], None, (0.5,) * rank, True, shifts)
        found["one maximum of an image"] = lambda x: fractional(x[0], 2, 1, None, True, shifts[:1])
        found["windows of several sizes"] = lambda x: maxima(x, (2, 3, 1)[:rank], (2, 1, 2)[:rank], (0, 1, 0)[:rank])
    return found


def borders(rank):
    each = (2, 1) * rank
    mixed = (1, 0) * rank
    return {
        "reflected": lambda x: F.pad(x, each, mode="reflect"),
        "reflected on one side": lambda x: F.pad(x, mixed, mode="reflect"),
        "replicated": lambda x: F.pad(x, (5, 1) * rank, mode="replicate"),
        "replicated and cut": lambda x: F.pad(x, (2, -1) * rank, mode="replicate"),
        "circular": lambda x: F.pad(x, each, mode="circular"),
        "constant": lambda x: F.pad(x, (1, -1) * rank, value=0.5),
        "one image": lambda x: F.pad(x[0], each, mode="reflect"),
        "channels": lambda x: F.channel_shuffle(x, 2),
    }


def sizes(rank):
    wanted = tuple(n + 3 for n in SIZES[rank])
    smaller = (3,) * rank
    found = {
        "twice": lambda x: F.interpolate(x, scale_factor=2),
        "nearest": lambda x: F.interpolate(x, size=wanted),
        "fewer": lambda x: F.interpolate(x, size=smaller),
        "nearest by a scale": lambda x: F.interpolate(x, scale_factor=1.7),
        "nearest by a scale of their own": lambda x: F.interpolate(x, scale_factor=0.6, recompute_scale_factor=True),
        "exactly": lambda x: F.interpolate(x, scale_factor=1.7, mode="nearest-exact"),
        "exactly fewer": lambda x: F.interpolate(x, size=smaller, mode="nearest-exact"),
        "linear": lambda x: F.interpolate(x, size=wanted, mode=LINEAR[rank]),
        "linear by a scale": lambda x: F.interpolate(x, scale_factor=1.7, mode=LINEAR[rank]),
        "linear, as many by a scale": lambda x: F.interpolate(x, scale_factor=1.07, mode=LINEAR[rank]),
        "linear, fewer": lambda x: F.interpolate(x, scale_factor=0.4, mode=LINEAR[rank]),
        "corners": lambda x: F.interpolate(x, size=wanted, mode=LINEAR[rank], align_corners=True),
        "corners of one": lambda x: F.interpolate(x, size=1, mode=LINEAR[rank], align_corners=True),
        "areas": lambda x: F.interpolate(x, size=smaller, mode="area"),
    }
    if rank == 2:
        for mode, corners in itertools.product(("bilinear", "bicubic"), (False, True)):
            how = {"mode": mode, "align_corners": corners}
            found[f"{mode} {corners}"] = lambda x, how=how: F.interpolate(x, scale_factor=(1.7, 0.6), **how)
            found[f"smooth {mode} {corners}"] = lambda x, how=how: F.interpolate(x, size=(4, 9), antialias=True, **how)
        found["shuffled"] = lambda x: F.pixel_shuffle(x, 2)
        found["blocks"] = lambda x: F.pixel_unshuffle(x, 3)
        found["windows"] = lambda x: F.unfold(x, 3, 1, 1, 2)
        found["windows added up"] = lambda x: F.fold(F.unfold(x, 3, 2, 1, 2), SIZES[2], 3, 2, 1, 2)
    return found


@pytest.mark.parametrize("rank", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("group", [convolutions, pools, borders, sizes])
def test_values_and_gradients(group, rank):
    compare(group(rank), image(rank))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_nearest_by_scales_that_leave_a_size_or_double_it(rank):
    """Values alone: for one axis and three, PyTorch's gradient is not that of its values."""
    x = torch.arange(5.0**rank).reshape(1, 1, *(5,) * rank)
    scales = (1.0, 1.1, 1.19, 2.0, 2.1, 2.19)
    net = Many({str(scale): lambda x, scale=scale: F.interpolate(x, scale_factor=scale) for scale in scales})
    got = hybridize(net)(x)
    for name, theirs in net(x).items():
        torch.testing.assert_close(got[name], theirs, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_other_precisions(dtype):
    w = weight(6, 4, 3, 3, dtype=dtype)
    functions = {
        "convolution": lambda x: F.conv2d(x, w, None, 2, 1),
        "maxima": lambda x: F.max_pool2d(x, 3, 2, 1),
        "means": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        "linear": lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
        "nearest": lambda x: F.interpolate(x, size=(7, 5)),
    }
    rtol = 1e-5 if dtype == torch.float32 else 3e-2
    compare(functions, image(2, dtype), rtol=rtol)


@pytest.mark.parametrize(
    ("dtype", "whole"), [(torch.float16, True), (torch.bfloat16, False)], ids=["the whole module", "images alone"]
)
def test_norms_of_half_the_precision(dtype, whole):
    """Statistics and slopes are single within; buffers keep their own precision."""
    norms = (
        nn.BatchNorm2d(4), nn.BatchNorm2d(4, track_running_stats=False), nn.GroupNorm(2, 4), nn.LayerNorm(6),
        nn.InstanceNorm2d(4, affine=True, track_running_stats=True),
    )  # fmt: skip
    net = nn.ModuleList(norms)
    for number, tensor in enumerate(net.parameters()):
        nn.init.normal_(tensor, 1, 0.1, generator=torch.Generator().manual_seed(number))
    net = net.to(dtype) if whole else net

    class Every(nn.Module):
        def __init__(self, parts):
            super().__init__()
            self.parts = parts

        def forward(self, x):
            return [part(x * 3 + 1) for part in self.parts]

    twin = copy.deepcopy(net)
    ours, theirs = hybridize(Every(net)), Every(twin)
    tolerance = {"rtol": 2e-2, "atol": 2e-2 if dtype == torch.bfloat16 else 4e-3}
    for training in (True, True, False):
        net.train(training)
        twin.train(training)
        given, same = (image(2, dtype).requires_grad_() for _ in range(2))
        for got in (ours(given), theirs(same)):
            sum((y * weight(*y.shape, dtype=dtype)).sum() for y in got).backward()
        for got, want in zip(ours(given), theirs(same), strict=True):
            torch.testing.assert_close(got, want, **tolerance)
        torch.testing.assert_close(given.grad, same.grad, **tolerance)
        for (name, got), want in zip(net.state_dict().items(), twin.state_dict().values(), strict=True):
            torch.testing.assert_close(got, want, msg=lambda text, name=name: f"{name}: {text}", **tolerance)


@pytest.mark.parametrize("rank", [1, 3])
def test_other_axes(rank):
    groups = convolutions(rank) | pools(rank) | borders(rank) | sizes(rank)
    chosen = ("strided", "transposed by strides", "maxima within padding", "means up to the end", "reflected", "linear")
    compare({name: groups[name] for name in chosen}, image(rank))


def test_whole_numbers():
    x = (image(2) * 10).long()
    compare({"maxima": lambda x: F.max_pool2d(x, 2, return_indices=True), "nearest": lambda x: x.repeat(1, 1, 2, 2)}, x)


WAYS = list(itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True)))
FEW = [("bilinear", "zeros", False), ("bilinear", "reflection", True), ("nearest", "border", False)]


@pytest.mark.parametrize("ways", [FEW, pytest.param(WAYS, marks=pytest.mark.long)], ids=["few", "all"])
def test_points(ways):
    generator = torch.Generator().manual_seed(5)
    grid = torch.rand(2, 5, 4, 2, generator=generator, dtype=torch.float64) * 3 - 1.5
    functions = {
        f"{way} {border} {corners}": lambda x, g, how=(way, border, corners): F.grid_sample(x, g, *how)
        for way, border, corners in ways
    }
    theta = weight(2, 2, 3)
    functions["affine"] = lambda x, g: F.grid_sample(x, F.affine_grid(theta, (2, 4, 5, 5), False), align_corners=False)
    compare(functions, image(2), grid)


@pytest.mark.parametrize("ways", [FEW[:1], pytest.param(WAYS, marks=pytest.mark.long)], ids=["few", "all"])
def test_points_of_volumes(ways):
    generator = torch.Generator().manual_seed(5)
    grid = torch.rand(2, 3, 4, 2, 3, generator=generator, dtype=torch.float64) * 3 - 1.5
    functions = {
        f"{way} {border} {corners}": lambda x, g, how=(way, border, corners): F.grid_sample(x, g, *how)
        for way, border, corners in ways
        if way != "bicubic"
    }
    compare(functions, image(3), grid)


def test_channels_last():
    w = weight(6, 4, 3, 3)
    functions = {
        "convolution": lambda x: F.conv2d(x, w, None, 2, 1),
        "maxima": lambda x: F.max_pool2d(x, 2),
        "rows": lambda x: x.contiguous(memory_format=torch.channels_last).permute(0, 2, 3, 1).reshape(-1),
    }
    x = image(2).to(memory_format=torch.channels_last)
    compare(functions, x)
    net = nn.Sequential(nn.Conv2d(4, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 5, 1)).double().eval()
    net = net.to(memory_format=torch.channels_last)
    with torch.no_grad():
        torch.testing.assert_close(hybridize(net)(x), net(x))


def test_a_batch_of_none_and_of_other_sizes():
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )
    compiled = hybridize(net)
    with torch.no_grad():
        for batch, height, width in ((2, 8, 8), (5, 8, 8), (9, 12, 10), (3, 20, 6), (0, 8, 8), (1, 4, 4)):
            x = torch.randn(batch, 3, height, width)
            torch.testing.assert_close(compiled(x), net(x))
    assert compiled.cache_info()["programs"] <= 5


@st.composite
def drawn(draw, rank):
    """A convolution, and a pooling of its result, of options that fit."""
    each = st.integers
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    channels, filters = groups * draw(each(1, 3)), groups * draw(each(1, 3))
    window = tuple(draw(each(1, 3)) for _ in range(rank))
    stride, dilation = (tuple(draw(each(1, 3)) for _ in range(rank)) for _ in range(2))
    pad = tuple(draw(each(0, 2)) for _ in range(rank))
    least = [max(1, (k - 1) * d + 1 - 2 * p) for k, d, p in zip(window, dilation, pad, strict=True)]
    size = tuple(n + draw(each(0, 6)) for n in least)
    transposed = draw(st.booleans())
    more = tuple(draw(each(0, max(s, d) - 1)) for s, d in zip(stride, dilation, strict=True)) if transposed else None
    pool = tuple(draw(each(1, 3)) for _ in range(rank))
    step = tuple(draw(each(1, 3)) for _ in range(rank))
    sides = tuple(draw(each(0, k // 2)) for k in pool)
    ceil, counted, scale = draw(st.booleans()), draw(st.booleans()), draw(st.floats(0.5, 3.0))
    corners = draw(st.booleans())
    batch = draw(each(1, 2))
    return locals()


def _fits(function, *xs):
    try:
        return function(*xs) is not None
    except RuntimeError:  # a size that PyTorch refuses
        return False


def check(case):
    rank = case["rank"]
    window, groups = case["window"], case["groups"]
    if case["transposed"]:
        w = weight(case["channels"], case["filters"] // groups, *window)
        how = (case["stride"], case["pad"], case["more"], groups, case["dilation"])
        functions = {"transposed": lambda x: TRANSPOSED[rank](x, w, None, *how)}
    else:
        w = weight(case["filters"], case["channels"] // groups, *window)
        how = (case["stride"], case["pad"], case["dilation"], groups)
        functions = {"convolution": lambda x: CONVOLUTION[rank](x, w, None, *how)}
    pool = case["pool"], case["step"], case["sides"]
    scale, corners = case["scale"], case["corners"]
    functions |= {
        "maxima": lambda x: MAXIMA[rank](x, *pool, ceil_mode=case["ceil"], return_indices=True),
        "means": lambda x: MEANS[rank](x, *pool, case["ceil"], case["counted"]),
        "nearest": lambda x: F.interpolate(x, scale_factor=scale),
        "exactly": lambda x: F.interpolate(x, scale_factor=scale, mode="nearest-exact"),
        "linear": lambda x: F.interpolate(x, scale_factor=scale, mode=LINEAR[rank], align_corners=corners),
        "parts": lambda x: PARTS[rank](x, case["pool"]),
        "maxima of parts": lambda x: MAXIMA_OF_PARTS[rank](x, case["pool"], return_indices=True),
    }
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(case["batch"], case["channels"], *case["size"], generator=generator, dtype=torch.float64)
    functions = {name: function for name, function in functions.items() if _fits(function, x)}
    if rank != 2 and any(int(n * scale) in (n, 2 * n) for n in case["size"]):
        functions.pop("nearest", None)  # see test_nearest_by_scales_that_leave_a_size_or_double_it
    compare(functions, x.round(decimals=1))


@pytest.mark.parametrize("rank", [1, 2])
@given(data=st.data())
@settings(max_examples=2, deadline=None, derandomize=True)
def test_random_options(rank, data):
    check(data.draw(drawn(rank)))


@pytest.mark.long
@pytest.mark.parametrize("rank", [1, 2, 3])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_many_random_options(rank, data):
    check(data.draw(drawn(rank)))


class Refused(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)  # the line that errors name


OWN_ERRORS = {
    "two precisions": (lambda x: F.conv2d(x, weight(4, 4, 3, 3, dtype=torch.float32)), "expected scalar type"),
    "bools": (lambda x: F.max_pool2d(x > 0, 2), "not implemented for 'Bool'"),
    "an empty image": (lambda x: F.grid_sample(x[:, :, :0], weight(2, 2, 2, 2)), "non-empty spatial"),
    "output padding": (lambda x: F.conv_transpose2d(x, weight(4, 2, 3, 3), stride=2, output_padding=2), "output padding must"),
    "no sizes": (lambda x: F.interpolate(x, scale_factor=0.01), "sizes should be greater than 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", OWN_ERRORS)
def test_errors_that_tracing_does_not_find_are_pytorchs(name):
    function, text = OWN_ERRORS[name]
    with refusal(RuntimeError, text):
        Refused(function)(image(2))
    with refusal(RuntimeError, text):
        hybridize(Refused(function))(image(2))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: F.interpolate(x.to(torch.uint8), size=(5, 5), mode="bilinear"), "E422"),
        (lambda x: torch.fft.fft2(x).abs(), "E420"),
        (lambda x: x + torch.rand(4, 1, 1, generator=torch.Generator()), "E422"),
    ],
    ids=["bytes", "complex", "a generator"],
)
def test_what_is_refused_names_the_line_in_forward(function, text):
    with refusal(HybridizeError, text) as caught:
        hybridize(Refused(function))(image(2))
    assert caught.value.loc.file == __file__ and caught.value.loc.function in ("forward", "<lambda>")
    assert caught.value.help


def test_no_parts():
    net = Many(
        {
            "means": lambda x: F.adaptive_avg_pool2d(x, (0, 2)),
            "maxima": lambda x: F.adaptive_max_pool2d(x, (2, 0), return_indices=True),
        }
    )
    x = image(2)
    with torch.no_grad():
        got, want = hybridize(net)(x), net(x)
    for name, theirs in want.items():
        for y, z in zip(got[name], theirs, strict=True):
            assert y.shape == z.shape and y.dtype == z.dtype, name
    x.requires_grad_()
    (slope,) = torch.autograd.grad(hybridize(net)(x)["means"][0].sum(), x)
    assert not slope.any()


@pytest.mark.parametrize("border", ["zeros", "border", "reflection"])
def test_points_that_are_nowhere(border):
    odd = (math.inf, -math.inf, math.nan, 0.1)
    grid = torch.tensor(list(itertools.product(odd, odd)), dtype=torch.float64).reshape(1, 4, 4, 2)
    net = Many({way: lambda x, way=way: F.grid_sample(x, grid, way, border, False) for way in ("bilinear", "nearest")})
    with torch.no_grad():  # PyTorch's own backward pass reads beyond its memory here
        got, want = hybridize(net)(image(2)[:1]), net(image(2)[:1])
    for way in got:
        torch.testing.assert_close(got[way], want[way], equal_nan=True)


def test_sizes_that_a_table_needs_are_those_of_the_call():
    """A table of interpolation is for a number that was computed of an open size: both are the same size after it."""

    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.places = nn.Parameter(image(2)[:1])
            self.patches = nn.Conv2d(3, 4, 4, 4, dtype=torch.float64)

        def forward(self, x):
            y = self.patches(x)
            return y + F.interpolate(self.places, size=y.shape[-2:], mode="bilinear")

    net = Positions()
    compiled = hybridize(net)
    with torch.no_grad():
        for size in ((2, 3, 16, 16), (2, 3, 24, 12), (3, 3, 8, 20)):
            x = weight(*size)
            torch.testing.assert_close(compiled(x), net(x))


def test_means_of_equal_parts_are_of_any_size():
    net = nn.Sequential(nn.MaxPool2d(2), nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(2))
    compiled = hybridize(net, dynamic=True)
    with torch.no_grad():
        for size in ((2, 4, 12, 14), (3, 4, 8, 16), (3, 4, 10, 20)):
            x = weight(*size)
            torch.testing.assert_close(compiled(x), net(x))
    assert compiled.cache_info()["programs"] == 1
