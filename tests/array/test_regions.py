"""Regions of images in bins, and windows compared: values that MXNet 1.9.1 gives, gradients, sizes, messages."""

import math

import numpy
import pytest

from hybridize import autograd, hybridize, nd, np, npx, sym
from hybridize.errors import ArgumentError, DTypeError, ShapeError
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


def drawn(*shape, seed=0):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape)


def given(*arrays):
    return [np.array(x, dtype=x.dtype) for x in arrays]


IMAGES, FIRST, SECOND = drawn(2, 8, 6, 7), drawn(2, 3, 6, 7), drawn(2, 3, 6, 7, seed=1)
REGIONS = numpy.array(
    [
        [0, 0, 0, 6, 5], [1, 1.5, 2.5, 4.2, 5.5], [1, 3, 3, 2, 1], [0, -3, -2, 3, 3], [0, 5, 4, 12, 9],
        [1, 0.2, 0.1, 0.4, 0.3], [0, 20, 20, 30, 30], [-1, 0, 0, 3, 3], [2, 0, 0, 3, 3],
    ]
)  # fmt: skip
"""Whole, between pixels, upside down, over two borders, smaller than a pixel, outside, of no image."""


def away(number):
    """Round, halves away from 0."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def pooled(x, rois, size, scale):
    """Maxima of bins, one after the other."""
    y = numpy.zeros((len(rois), x.shape[1], *size))
    for k, (number, *sides) in enumerate(rois):
        if not 0 <= number < len(x):
            continue
        left, top, right, bottom = (away(side * scale) for side in sides)
        height, width = max(bottom - top + 1, 1), max(right - left + 1, 1)
        for i, j in numpy.ndindex(*size):
            rows = [top + math.floor(i * height / size[0]), top + math.ceil((i + 1) * height / size[0])]
            columns = [left + math.floor(j * width / size[1]), left + math.ceil((j + 1) * width / size[1])]
            part = x[int(number), :, max(rows[0], 0) : max(rows[1], 0), max(columns[0], 0) : max(columns[1], 0)]
            if part.size:
                y[k, :, i, j] = part.max((1, 2))
    return y


def between(image, row, column):
    """A place between pixels; up to one beyond the image it is the border's."""
    h, w = image.shape[1:]
    if not (-1 <= row <= h and -1 <= column <= w):
        return numpy.zeros(len(image))
    row, column = min(max(row, 0), h - 1), min(max(column, 0), w - 1)
    weights = numpy.maximum(0, 1 - abs(numpy.arange(h) - row))[:, None] * numpy.maximum(
        0, 1 - abs(numpy.arange(w) - column)
    )
    return (image * weights).sum((1, 2))


def aligned_means(x, rois, size, scale, ratio=-1, position_sensitive=False, aligned=False):
    """Means of points of bins, one after the other."""
    bins = size[0] * size[1]
    y = numpy.zeros((len(rois), x.shape[1] // (bins if position_sensitive else 1), *size))
    for k, (number, *sides) in enumerate(rois):
        if not 0 <= number < len(x):
            continue
        left, top, right, bottom = (side * scale - 0.5 * aligned for side in sides)
        height, width = bottom - top, right - left
        if aligned and min(height, width) <= 0:
            continue
        if not aligned:
            height, width = max(height, 1), max(width, 1)
        steps = height / size[0], width / size[1]
        points = [ratio if ratio > 0 else math.ceil(step) for step in steps]
        for i, j in numpy.ndindex(*size):
            image = x[int(number)]
            if position_sensitive:
                image = image[i * size[1] + j :: bins]
            found = [
                between(
                    image, top + (i + (r + 0.5) / points[0]) * steps[0], left + (j + (c + 0.5) / points[1]) * steps[1]
                )
                for r, c in numpy.ndindex(*points)
            ]
            y[k, :, i, j] = numpy.mean(found, 0)
    return y


def compared(x, y, kernel_size=1, max_displacement=1, stride1=1, stride2=1, pad_size=0, is_multiply=True):
    """Windows compared, one pair after the other."""
    widths = ((0, 0), (0, 0), (pad_size, pad_size), (pad_size, pad_size))
    x, y = numpy.pad(x, widths), numpy.pad(y, widths)
    border, side = max_displacement + kernel_size // 2, max_displacement // stride2
    counts = [-(-(size - 2 * border) // stride1) for size in x.shape[2:]]
    d = 2 * side + 1
    found = numpy.zeros((len(x), d * d, *counts))
    for p, q, i, j in numpy.ndindex(d, d, *counts):
        top, left = max_displacement + i * stride1, max_displacement + j * stride1
        down, right = top + (p - side) * stride2, left + (q - side) * stride2
        one = x[:, :, top : top + kernel_size, left : left + kernel_size]
        two = y[:, :, down : down + kernel_size, right : right + kernel_size]
        found[:, p * d + q, i, j] = (one * two if is_multiply else abs(one - two)).mean((1, 2, 3))
    return found


def with_regions(name, rois, *numbers, **more):
    function = {"pool": nd.ROIPooling, "align": nd.contrib.ROIAlign}[name]
    return lambda x: function(x, np.array(rois, dtype=x.dtype), *numbers, **more)


WIDE = {"kernel_size": 3, "max_displacement": 2, "stride1": 2, "stride2": 2, "pad_size": 3}
CASES = {
    "pool": (with_regions("pool", REGIONS, (2, 3), 1.0), (IMAGES,), pooled(IMAGES, REGIONS, (2, 3), 1)),
    "pool, scaled": (with_regions("pool", REGIONS, 7, 0.5), (IMAGES,), pooled(IMAGES, REGIONS, (7, 7), 0.5)),
    "align": (with_regions("align", REGIONS, (2, 3), 1.0), (IMAGES,), aligned_means(IMAGES, REGIONS, (2, 3), 1)),
    "align, 2 points": (
        with_regions("align", REGIONS, (3, 2), 0.75, 2), (IMAGES,), aligned_means(IMAGES, REGIONS, (3, 2), 0.75, 2),
    ),
    "align, 1 point, aligned": (
        with_regions("align", REGIONS, 2, 0.75, 1, aligned=True), (IMAGES,),
        aligned_means(IMAGES, REGIONS, (2, 2), 0.75, 1, aligned=True),
    ),
    "align by position": (
        with_regions("align", REGIONS, (2, 2), 1.0, position_sensitive=True, aligned=True), (IMAGES,),
        aligned_means(IMAGES, REGIONS, (2, 2), 1, -1, True, True),
    ),
    "align by position, 3 points": (
        with_regions("align", REGIONS, (4, 2), 0.5, 3, True), (IMAGES,),
        aligned_means(IMAGES, REGIONS, (4, 2), 0.5, 3, True),
    ),
    "products": (nd.Correlation, (FIRST, SECOND), compared(FIRST, SECOND)),
    "products of windows": (
        lambda x, y: nd.Correlation(x, y, **WIDE), (FIRST, SECOND), compared(FIRST, SECOND, **WIDE),
    ),
    "products, far apart": (
        lambda x, y: nd.Correlation(x, y, 1, 3, 2, 2, 3), (FIRST, SECOND), compared(FIRST, SECOND, 1, 3, 2, 2, 3),
    ),
    "differences": (
        lambda x, y: nd.Correlation(x, y, pad_size=2, is_multiply=False), (FIRST, SECOND),
        compared(FIRST, SECOND, pad_size=2, is_multiply=False),
    ),
    "differences of windows": (
        lambda x, y: nd.Correlation(x, y, is_multiply=False, **WIDE), (FIRST, SECOND),
        compared(FIRST, SECOND, is_multiply=False, **WIDE),
    ),
}  # fmt: skip


@MODES
@pytest.mark.parametrize("name", CASES)
def test_values(name, compiled):
    function, arrays, wanted = CASES[name]
    run = hybridize(function) if compiled else function
    found = run(*given(*arrays))
    assert found.dtype == "float64"
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12, atol=1e-12)
    for dtype, error in (("float32", 1e-5), ("float16", 1e-2))[compiled:]:
        found = run(*given(*(x.astype(dtype) for x in arrays)))
        assert found.dtype == dtype
        if "pool" in name or dtype == "float32":
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=error, atol=error)
    if compiled:
        assert run.program(*given(*arrays)).fallbacks == ()


@MODES
@pytest.mark.parametrize("name", CASES)
def test_gradients(name, compiled):
    """Central differences along a random direction; none of the functions is curved between its kinks."""
    function, arrays, wanted = CASES[name]
    factor, along = np.array(drawn(*wanted.shape, seed=3), dtype="float64"), [drawn(*x.shape, seed=4) for x in arrays]

    def slopes(*xs):
        with autograd.record():
            total = (function(*xs) * factor).sum()
        return total, autograd.grad(total, list(xs))

    run = hybridize(slopes) if compiled else slopes

    def at(step):
        xs = given(*(x + step * d for x, d in zip(arrays, along, strict=True)))
        for x in xs:
            x.attach_grad()
        return run(*xs)

    step = 1e-6
    (low, _), (_, first), (high, _) = at(-step), at(0.0), at(step)
    found = sum((x.asnumpy() * d).sum() for x, d in zip(first, along, strict=True))
    numpy.testing.assert_allclose(found, (high - low).item() / (2 * step), rtol=1e-6, atol=1e-6)


@MODES
def test_products_have_gradients_of_second_order(compiled):
    def second(x, y):
        with autograd.record():
            total = (nd.Correlation(x, y, **WIDE) ** 2).sum()
            (first,) = autograd.grad(total, [x], create_graph=True)
            return first, autograd.grad((first * y).sum(), [x])[0]

    run = hybridize(second) if compiled else second

    def at(x):
        x, y = given(x, SECOND)
        x.attach_grad()
        return [part.asnumpy() for part in run(x, y)]

    along, step = drawn(*FIRST.shape, seed=7), 1e-6
    (low, _), (_, found), (high, _) = (at(FIRST + k * step * along) for k in (-1, 0, 1))
    wanted = ((high - low) / (2 * step) * SECOND).sum()
    numpy.testing.assert_allclose((found * along).sum(), wanted, rtol=1e-6)


@MODES
def test_the_first_of_equal_maxima_has_the_gradient(compiled):
    """As in MXNet 1.9.1: bins of two pixels that overlap."""
    x = np.ones((1, 1, 4, 4))
    x.attach_grad()
    function = lambda x: nd.ROIPooling(x, np.array([[0, 0, 0, 2, 2]]), (2, 2), 1.0)  # noqa: E731
    run = hybridize(function) if compiled else function
    with autograd.record():
        y = run(x)
    y.backward()
    assert x.grad[0, 0].tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


@MODES
def test_equal_pixels_have_slopes_of_opposite_signs(compiled):
    """As in MXNet 1.9.1: |x - y| where they are the same."""
    x, y = np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 2, 2))
    for one in (x, y):
        one.attach_grad()
    function = lambda x, y: nd.Correlation(x, y, max_displacement=0, is_multiply=False)  # noqa: E731
    with autograd.record():
        found = (hybridize(function) if compiled else function)(x, y)
    found.backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([[[[1, 1], [1, 1]]]], [[[[-1, -1], [-1, -1]]]])


def test_the_example_of_mxnets_documentation():
    x, region = np.arange(48.0).reshape(1, 1, 8, 6), np.array([[0, 0, 0, 4, 4]])
    assert npx.roi_pooling(x, region, (2, 2), 1.0)[0, 0].tolist() == [[14, 16], [26, 28]]
    assert npx.roi_pooling(x, region, pooled_size=(2, 2), spatial_scale=0.7)[0, 0].tolist() == [[7, 9], [19, 21]]


@MODES
def test_regions_have_no_gradient_and_infinite_pixels_are_no_border(compiled):
    x, rois = np.full((1, 1, 3, 3), -numpy.inf), np.array([[0, 1, 1, 2, 2.0]])
    x[0, 0, 0] = 5
    for one in (x, rois):
        one.attach_grad()

    def both(x, rois):
        return nd.ROIPooling(x, rois, 1, 1.0), nd.contrib.ROIAlign(x * 0 + 1, rois, 1, 1.0)

    with autograd.record():
        one, two = (hybridize(both) if compiled else both)(nd.maximum(x, -1e30), rois)
        total = one.sum() + two.sum()
    total.backward()
    assert not rois.grad.any()
    assert (hybridize(both) if compiled else both)(x, rois)[0].item() == -numpy.inf


@MODES
def test_regions_that_are_no_numbers_do_no_harm(compiled):
    rois = numpy.array(
        [[numpy.nan, 0, 0, 2, 2], [0, numpy.nan, 0, 2, 2], [0, -numpy.inf, 0, numpy.inf, 2], [0, 1e30, 0, -1e30, 2]]
    )

    def both(x, rois):
        return (
            nd.ROIPooling(x, rois, 2, 1.0),
            nd.contrib.ROIAlign(x, rois, 2, 1.0),
            nd.contrib.ROIAlign(x, rois, 2, 1.0, 2),
        )

    for found in (hybridize(both) if compiled else both)(*given(numpy.ones((1, 2, 3, 3)), rois)):
        assert found.shape == (4, 2, 2, 2)
        assert not found[0].any(), "of no image"


@MODES
def test_sizes_that_only_calls_know(compiled):
    """Any batch, height, width and number of regions is one program from the second call on."""

    def net(x, rois):
        parts = (
            nd.ROIPooling(x, rois, 2, 1.0),
            nd.contrib.ROIAlign(x, rois, 2, 1.0, 2),
            nd.contrib.ROIAlign(x, rois, 2, 1.0),
        )
        return (
            *parts,
            nd.Correlation(x, x * 2, pad_size=1),
            nd.Correlation(x, x * 2, 3, pad_size=2, is_multiply=False),
        )

    run = hybridize(net) if compiled else net
    for n, h, w, k in ((2, 5, 6, 3), (3, 7, 4, 5), (1, 9, 3, 1), (2, 4, 4, 0)):
        x, rois = drawn(n, 3, h, w), numpy.abs(drawn(k, 5)) * 3
        rois[:, 0] = numpy.arange(k) % n
        wanted = (
            pooled(x, rois, (2, 2), 1), aligned_means(x, rois, (2, 2), 1, 2), aligned_means(x, rois, (2, 2), 1),
            compared(x, x * 2, pad_size=1), compared(x, x * 2, 3, pad_size=2, is_multiply=False),
        )  # fmt: skip
        for one, other in zip(run(*given(x, rois)), wanted, strict=True):
            numpy.testing.assert_allclose(one.asnumpy(), other, rtol=1e-10, atol=1e-10)
    if compiled:
        first, second = (run.program(*given(drawn(*s), drawn(k, 5))) for s, k in (((3, 3, 7, 4), 5), ((5, 3, 8, 9), 2)))
        assert first is second
        assert first.fallbacks == ()


def test_symbols_and_batches_of_no_image():
    x, rois = np.ones((1, 4, 3, 3)), np.array([[0, 0, 0, 2, 2.0]])
    a, b = sym.var("a"), sym.var("b")
    program = sym.contrib.ROIAlign(a, b, pooled_size=(2, 2), spatial_scale=1.0, position_sensitive=True)
    found = program.compile(a=x.shape, b=rois.shape)(x, rois)
    assert found.tolist() == [[[[1, 1], [1, 1]]]]
    assert nd.Correlation(np.ones((0, 3, 4, 4)), np.ones((0, 3, 4, 4))).shape == (0, 9, 2, 2)


# ------------------------------------------------------------------------------------------------------------ messages

X, R, Y = (np.array(x.astype("f4")) for x in (IMAGES, REGIONS, FIRST))


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        (lambda: nd.ROIPooling(X, R[:, :4], 2, 1.0), ShapeError, "E182.*image, left, top"),
        (lambda: nd.ROIPooling(X[0], R, 2, 1.0), ShapeError, "E182.*batch, channels"),
        (lambda: nd.ROIPooling(X[:, :, :0], R, 2, 1.0), ShapeError, "E182.*no pixel"),
        (lambda: nd.ROIPooling(X.astype("int32"), R, 2, 1.0), DTypeError, "E239"),
        (lambda: nd.ROIPooling(X, R, 0, 1.0), ArgumentError, "E398.*pooled_size=0"),
        (lambda: nd.ROIPooling(X, R, (2, 2, 2), 1.0), ArgumentError, "E398.*pooled_size="),
        (lambda: nd.ROIPooling(X, R, 2, 16.0), ArgumentError, "E399.*spatial_scale=16"),
        (lambda: nd.contrib.ROIAlign(X, R, 2, float("nan")), ArgumentError, "E399.*spatial_scale=nan"),
        (lambda: nd.contrib.ROIAlign(X, R, 3, 1.0, position_sensitive=True), ShapeError, "E182.*multiple of the 9 bins"),
        (lambda: nd.contrib.ROIAlign(X, R, 2, 1.0, 1.5), ArgumentError, "E398.*sample_ratio=1.5"),
        (lambda: nd.Correlation(Y, Y[:1]), ShapeError, "E174.*of equal sizes"),
        (lambda: nd.Correlation(Y[0], Y[0]), ShapeError, "E174.*of equal sizes"),
        (lambda: nd.Correlation(Y, Y, 2), ArgumentError, "E399.*odd"),
        (lambda: nd.Correlation(Y, Y, max_displacement=3), ShapeError, "E175.*7 elements do not fit into 6"),
        (lambda: nd.Correlation(Y, Y, stride2=0), ArgumentError, "E398.*stride2=0"),
        (lambda: nd.Correlation(Y, Y, pad_size=-1), ArgumentError, "E398.*pad_size=-1"),
        (lambda: nd.Correlation(Y.astype("int32"), Y), DTypeError, "E239"),
    ],
)  # fmt: skip
def test_what_is_refused(function, error, said):
    with refusal(error, f"(?s){said}") as caught:
        function()
    assert caught.value.loc.file == __file__
    with refusal(error, f"(?s){said}") as caught:
        hybridize(lambda one: (function(), one)[0])(X)
    assert caught.value.loc.file == __file__
