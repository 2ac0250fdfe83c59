"""Images at places that are data, windows as columns, response norms: values, gradients of both orders, messages."""

import itertools

import numpy
import pytest
import torch
from torch.nn import functional

from hybridize import autograd, hybridize, nd, np, npx
from hybridize.errors import ArgumentError, DTypeError, ShapeError, ValueArgumentError
from hybridize.gluon import contrib, nn
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


def drawn(*shape, seed=0, low=None):
    numbers = numpy.random.default_rng((seed, *shape))
    return numbers.normal(size=shape) if low is None else numbers.uniform(low, -low, size=shape)


def given(*arrays):
    return [np.array(x, dtype=x.dtype) for x in arrays]


IMAGE, GRID, THETA = drawn(2, 4, 7, 6), drawn(2, 2, 5, 3, low=-1.3), drawn(2, 6)
FLOW = drawn(2, 2, 4, 5)
COLUMNS = functional.unfold(torch.tensor(IMAGE), (3, 2), (1, 2), (1, 2), (2, 1)).numpy()
WEIGHT, BIAS = drawn(6, 2, 3, 2), drawn(6)
OFFSET, MASK = 1.5 * drawn(2, 24, 4, 8), drawn(2, 12, 4, 8, low=-1)
BENT = {"stride": (2, 1), "dilate": (1, 2), "pad": (1, 2), "num_group": 2, "num_deformable_group": 2}


def torched(function, *arrays, **arguments):
    return function(*map(torch.tensor, arrays), **arguments).numpy()


def warped(flow):
    """A flow as a grid."""
    h, w = flow.shape[2:]
    rows, columns = numpy.mgrid[:h, :w]
    return numpy.stack([(flow[:, 0] + columns) / ((w - 1) / 2) - 1, (flow[:, 1] + rows) / ((h - 1) / 2) - 1], 1)


def pixel(image, row, column):
    """A place between pixels, by its four neighbours; what is beyond is 0."""
    total = 0.0
    for r, c in itertools.product((0, 1), (0, 1)):
        r, c = int(numpy.floor(row)) + r, int(numpy.floor(column)) + c
        if 0 <= r < image.shape[0] and 0 <= c < image.shape[1]:
            total += image[r, c] * (1 - abs(row - r)) * (1 - abs(column - c))
    return total


def bent(x, offset, mask, w, b, stride, dilate, pad, num_group, num_deformable_group):
    """A deformable convolution, one element of one window after the other; without a mask as its first version."""
    height, width = x.shape[2:]
    taps, inner = w.shape[2] * w.shape[3], w.shape[1]
    y = numpy.zeros((len(x), len(w), *offset.shape[2:]))
    for n, o, i, j in numpy.ndindex(y.shape):
        total = b[o]
        for k, r, s in numpy.ndindex(w.shape[1:]):
            channel = o // (len(w) // num_group) * inner + k
            part, tap = channel // (x.shape[1] // num_deformable_group), r * w.shape[3] + s
            down, right = offset[n, 2 * (part * taps + tap) : 2 * (part * taps + tap) + 2, i, j]
            row = i * stride[0] - pad[0] + r * dilate[0] + down
            column = j * stride[1] - pad[1] + s * dilate[1] + right
            if mask is not None:
                found = pixel(x[n, channel], row, column) * mask[n, part * taps + tap, i, j]
            elif 0 <= row < height and 0 <= column < width:
                found = pixel(x[n, channel], min(row, height - 1), min(column, width - 1))
            else:
                found = 0.0
            total += found * w[o, k, r, s]
        y[n, o, i, j] = total
    return y


GRID_LAST = numpy.ascontiguousarray(GRID.transpose(0, 2, 3, 1))
MAPPED = functional.affine_grid(torch.tensor(THETA).reshape(2, 2, 3), (2, 1, 4, 5), align_corners=True)
CASES = {
    "BilinearSampler": (
        nd.BilinearSampler, (IMAGE, GRID), torched(functional.grid_sample, IMAGE, GRID_LAST, align_corners=True),
    ),
    "GridGenerator affine": (
        lambda t: nd.GridGenerator(t, transform_type="affine", target_shape=(4, 5)), (THETA,),
        MAPPED.permute(0, 3, 1, 2).numpy(),
    ),
    "GridGenerator warp": (lambda t: nd.GridGenerator(data=t, transform_type="warp"), (FLOW,), warped(FLOW)),
    "SpatialTransformer": (
        lambda x, t: nd.SpatialTransformer(x, t, (4, 5), "affine", "bilinear"), (IMAGE, THETA),
        functional.grid_sample(torch.tensor(IMAGE), MAPPED, align_corners=True).numpy(),
    ),
    "im2col": (lambda x: nd.im2col(x, (3, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 2)), (IMAGE,), COLUMNS),
    "im2col of a line": (
        lambda x: nd.im2col(x, 3, 2, pad=1), (IMAGE[:, :, 0],),
        torched(functional.unfold, IMAGE[:, :, :1], kernel_size=(1, 3), stride=(1, 2), padding=(0, 1)),
    ),
    "col2im": (
        lambda x: nd.col2im(x, (7, 6), (3, 2), (2, 1), (1, 2), (1, 2)), (COLUMNS,),
        torched(functional.fold, COLUMNS, output_size=(7, 6), kernel_size=(3, 2), dilation=(1, 2), padding=(1, 2), stride=(2, 1)),
    ),
    "LRN": (
        lambda x: nd.LRN(x, alpha=0.3, beta=0.75, knorm=2, nsize=3), (IMAGE,),
        torched(functional.local_response_norm, IMAGE, size=3, alpha=0.3, beta=0.75, k=2),
    ),
    "deformable": (
        lambda *xs: npx.deformable_convolution(*xs, **BENT), (IMAGE, OFFSET, WEIGHT, BIAS),
        bent(IMAGE, OFFSET, None, WEIGHT, BIAS, **BENT),
    ),
    "modulated": (
        lambda *xs: nd.contrib.ModulatedDeformableConvolution(*xs, kernel=(3, 2), num_filter=6, **BENT),
        (IMAGE, OFFSET, MASK, WEIGHT, BIAS), bent(IMAGE, OFFSET, MASK, WEIGHT, BIAS, **BENT),
    ),
}  # fmt: skip


@MODES
@pytest.mark.parametrize("name", CASES)
def test_values(name, compiled):
    function, arrays, wanted = CASES[name]
    run = hybridize(function) if compiled else function
    numpy.testing.assert_allclose(run(*given(*arrays)).asnumpy(), wanted, rtol=1e-12, atol=1e-12)
    for dtype, rtol in (("float32", 1e-4), ("float16", 5e-2)):
        found = run(*given(*(x.astype(dtype) for x in arrays)))
        assert found.dtype == dtype
        if dtype == "float32":
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=rtol, atol=1e-4)


@MODES
@pytest.mark.parametrize("name", CASES)
def test_gradients_of_both_orders(name, compiled):
    """Central differences, along a random direction, of the result and of the slope."""
    function, arrays, wanted = CASES[name]
    factor, along = drawn(*wanted.shape, seed=3), [drawn(*x.shape, seed=4) for x in arrays]

    def slopes(*xs):
        with autograd.record():
            total = (function(*xs) ** 2 * np.array(factor, dtype="float64")).sum()
            first = autograd.grad(total, list(xs), create_graph=True)
            second = sum((slope * np.array(d, dtype="float64")).sum() for slope, d in zip(first, along, strict=True))
        return total, first, autograd.grad(second, list(xs))

    run = hybridize(slopes) if compiled else slopes

    def at(step):
        xs = given(*(x + step * d for x, d in zip(arrays, along, strict=True)))
        for x in xs:
            x.attach_grad()
        return run(*xs)

    step = 1e-6
    (low, before, _), (_, first, second), (high, after, _) = at(-step), at(0.0), at(step)
    dot = lambda xs: sum((x.asnumpy() * d).sum() for x, d in zip(xs, along, strict=True))  # noqa: E731
    numpy.testing.assert_allclose(dot(first), (high - low).item() / (2 * step), rtol=1e-5, atol=1e-5)
    numpy.testing.assert_allclose(dot(second), (dot(after) - dot(before)) / (2 * step), rtol=1e-4, atol=1e-4)


def test_offsets_of_nothing_are_a_convolution():
    zeros = numpy.zeros_like(OFFSET)
    wanted = npx.convolution(*given(IMAGE, WEIGHT, BIAS), stride=(2, 1), dilate=(1, 2), pad=(1, 2), num_group=2)
    found = npx.deformable_convolution(*given(IMAGE, zeros, WEIGHT, BIAS), **BENT)
    numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-12, atol=1e-12)


@MODES
def test_places_that_are_no_numbers_or_far_away_are_beyond(compiled):
    places = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1e30, -5.0, 0.0]).reshape(1, 1, 1, 6)
    grid = numpy.concatenate([places, numpy.zeros_like(places)], 1)
    run = hybridize(nd.BilinearSampler) if compiled else nd.BilinearSampler
    found = run(*given(numpy.ones((1, 1, 3, 3)), grid)).asnumpy().ravel()
    numpy.testing.assert_array_equal(found, [0, 0, 0, 0, 0, 1])


@MODES
def test_sizes_that_only_calls_know(compiled):
    """Any batch, height and width is one program from the second call on."""
    offsets, weight = drawn(8, 3, 2, 2, seed=5), drawn(4, 3, 2, 2, seed=6)

    def net(x, v, w):
        return npx.deformable_convolution(nd.LRN(x, nsize=3), npx.convolution(x, v), w)

    run = hybridize(net) if compiled else net
    for shape in ((2, 3, 5, 6), (3, 3, 8, 4), (4, 3, 9, 9), (0, 3, 4, 4)):
        x = drawn(*shape)
        moved = torched(functional.conv2d, x, offsets)
        wanted = bent(
            torched(functional.local_response_norm, x, size=3, k=2.0) if shape[0] else x,
            moved, None, weight, numpy.zeros(4), (1, 1), (1, 1), (0, 0), 1, 1,
        )  # fmt: skip
        numpy.testing.assert_allclose(run(*given(x, offsets, weight)).asnumpy(), wanted, rtol=1e-10, atol=1e-10)
    if compiled:
        programs = [run.program(*given(drawn(*shape), offsets, weight)) for shape in ((3, 3, 8, 4), (5, 3, 7, 6))]
        assert programs[0] is programs[1]
        assert programs[0].fallbacks == ()


# -------------------------------------------------------------------------------------------------------------- layers


@MODES
@pytest.mark.parametrize(
    "kind", [nn.DeformableConvolution, nn.ModulatedDeformableConvolution, contrib.cnn.DeformableConvolution]
)
def test_layers(kind, compiled):
    layer = kind(6, (3, 2), 2, 1, groups=2, num_deformable_group=2, offset_weight_initializer="normal")
    layer.initialize()
    x = np.array(IMAGE.astype("f4"))
    layer.infer_shape(x)
    layer.hybridize(compiled)
    found = layer(x).asnumpy()
    weight, bias, moving, moved = (
        p.data().asnumpy().astype("f8")
        for p in (layer.deformable_conv_weight, layer.deformable_conv_bias, layer.offset_weight, layer.offset_bias)
    )
    places = torched(functional.conv2d, IMAGE, moving, moved, stride=2, padding=1)
    numbers = ((2, 2), (1, 1), (1, 1), 2, 2)
    if len(places[0]) == 36:
        mask = 2 / (1 + numpy.exp(-places[:, 24:]))
        wanted = bent(IMAGE, places[:, :24], mask, weight, bias, *numbers)
    else:
        wanted = bent(IMAGE, places, None, weight, bias, *numbers)
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    if compiled:
        assert layer.program(x).fallbacks == ()


def names_of(layer):
    return [parameter.name for parameter in layer.collect_params().values()]


def test_names_of_parameters_are_mxnets():
    layer = nn.DeformableConvolution(4, 3, in_channels=2)
    names = ["offset_weight", "offset_bias", "deformable_conv_weight", "deformable_conv_bias"]
    assert [name.rpartition("deformableconvolution")[2].partition("_")[2] for name in names_of(layer)] == names
    assert layer.offset_weight.shape == (18, 2, 3, 3)
    assert nn.ModulatedDeformableConvolution(4, 3, in_channels=2).offset_weight.shape == (27, 2, 3, 3)
    assert repr(layer) == "DeformableConvolution(2 -> 4, kernel_size=(3, 3), stride=(1, 1), padding=(0, 0))"


# ------------------------------------------------------------------------------------------------------------ messages

X, G, T, W, MOVED = (np.array(x.astype("f4")) for x in (IMAGE, GRID, THETA, WEIGHT, OFFSET))


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        (lambda: nd.BilinearSampler(X, X), ShapeError, "E182.*grid"),
        (lambda: nd.BilinearSampler(X, G[:1]), ShapeError, "E182"),
        (lambda: nd.BilinearSampler(X[:, :, :0], G), ShapeError, "E182.*has no pixels"),
        (lambda: nd.BilinearSampler(X.astype("int32"), G), DTypeError, "E239"),
        (lambda: nd.GridGenerator(T, transform_type="bent"), ValueArgumentError, "E345.*'affine' or 'warp'"),
        (lambda: nd.GridGenerator(T, transform_type="affine"), ArgumentError, "E398.*target_shape"),
        (lambda: nd.GridGenerator(G, "affine", (2, 2)), ShapeError, r"E182.*\[batch, 6\]"),
        (lambda: nd.GridGenerator(T, "warp"), ShapeError, "E182.*columns first, then rows"),
        (lambda: nd.SpatialTransformer(T, T), ShapeError, "E182"),
        (lambda: nd.SpatialTransformer(X, T, (2, 2, 2)), ArgumentError, "E398.*target_shape"),
        (lambda: nd.im2col(X, (8, 2)), ShapeError, "E175.*over 8 elements does not fit into 7"),
        (lambda: nd.im2col(X, (2, 2, 2)), ArgumentError, "E398.*kernel="),
        (lambda: nd.im2col(X, 2, stride=0), ArgumentError, "E398.*stride=0"),
        (lambda: nd.im2col(T, 2), ShapeError, "E176.*3 to 5 axes"),
        (lambda: nd.col2im(X[0], (4, 4), 2), ShapeError, r"E174.*\[batch, channels \* 4, 9\]"),
        (lambda: nd.LRN(X), ArgumentError, "E398.*nsize"),
        (lambda: nd.LRN(X, nsize=2), ArgumentError, "E399.*odd"),
        (
            lambda: npx.deformable_convolution(X, MOVED[:, :4], W, **BENT),
            ShapeError,
            "E174.*offsets.*must be f32.2,24,4,8",
        ),
        (lambda: npx.deformable_convolution(X, MOVED, W, stride=2), ShapeError, "E174.*in 1 groups"),
        (lambda: npx.deformable_convolution(X, MOVED, W, layout="NHWC", **BENT), ValueArgumentError, "E345.*NCHW"),
        (lambda: npx.deformable_convolution(X, MOVED, W, pad=-1), ArgumentError, "E398.*pad=-1"),
        (lambda: npx.deformable_convolution(X, MOVED, W, kernel=(3, 3), **BENT), ShapeError, "E174.*kernel="),
        (lambda: npx.deformable_convolution(X, MOVED, np.ones((6, 4, 8, 2))), ShapeError, "E175.*does not fit into 7"),
        (
            lambda: npx.modulated_deformable_convolution(X, MOVED, MOVED, W, **BENT),
            ShapeError,
            "E174.*a mask.*must be f32.2,12,4,8",
        ),
        (lambda: nn.DeformableConvolution(4, 3, groups=3), ArgumentError, "E331.*3 groups"),
        (lambda: nn.DeformableConvolution(0), ArgumentError, "E331.*positive"),
        (lambda: nn.DeformableConvolution(4, 3, layout="NHWC"), ArgumentError, "E331.*'NCHW'"),
        (lambda: nn.DeformableConvolution(4, 3, strides=0), ArgumentError, "E398.*strides=0"),
    ],
)
def test_what_is_refused(function, error, said):
    with refusal(error, f"(?s){said}") as caught:
        function()
    assert caught.value.loc.file == __file__
    with refusal(error, f"(?s){said}") as caught:
        hybridize(lambda one: (function(), one)[0])(X)
    assert caught.value.loc.file == __file__
