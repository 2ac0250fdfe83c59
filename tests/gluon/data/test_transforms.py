"""Transforms of images, against NumPy and PyTorch."""

import colorsys

import numpy
import pytest
import torch

from hybridize import image, np, random
from hybridize.errors import ArgumentError
from hybridize.gluon import data, nn
from hybridize.gluon.data.vision import transforms as T

RNG = numpy.random.default_rng(0)
IMAGE = RNG.integers(0, 256, (9, 12, 3), "uint8")
IMAGES = RNG.integers(0, 256, (4, 9, 12, 3), "uint8")


def of(transform, x, hybrid=False):
    if hybrid:
        transform.hybridize()
    return transform(np.array(x, dtype=x.dtype)).asnumpy()


@pytest.mark.parametrize("hybrid", [False, True])
def test_to_tensor_and_normalize(hybrid):
    for x, axes in ((IMAGE, (2, 0, 1)), (IMAGES, (0, 3, 1, 2))):
        y = of(T.ToTensor(), x, hybrid)
        assert y.dtype == "float32"
        numpy.testing.assert_allclose(y, x.transpose(axes) / 255, rtol=1e-6)
        mean, std = numpy.array([0.1, 0.2, 0.3]), numpy.array([1.0, 2.0, 4.0])
        z = of(T.Normalize(tuple(mean), list(std)), y, hybrid)
        numpy.testing.assert_allclose(z, (y - mean[:, None, None]) / std[:, None, None], rtol=1e-5, atol=1e-6)
        numpy.testing.assert_allclose(of(T.Normalize(0.5, 2), y, hybrid), (y - 0.5) / 2, rtol=1e-5, atol=1e-6)
    assert of(T.Cast("float16"), IMAGE, hybrid).dtype == "float16"


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("size", [(5, 4), (24, 18), (12, 9), (1, 1), (13, 30), 7])
def test_resize_is_pytorchs(size, hybrid):
    width, height = (size, size) if isinstance(size, int) else size
    for x in (IMAGE, IMAGES, IMAGE.astype("float32") / 7):
        planes = torch.tensor(x if x.ndim == 4 else x[None]).permute(0, 3, 1, 2)
        for interpolation, mode in ((1, "bilinear"), (0, "nearest")):
            options = {"align_corners": False} if interpolation else {}
            # PyTorch rounds bytes down by its own rules; the exact value is rounded here.
            expected = torch.nn.functional.interpolate(planes.double(), (height, width), mode=mode, **options)
            expected = expected.permute(0, 2, 3, 1).numpy().reshape(*x.shape[:-3], height, width, 3)
            found = of(T.Resize(size, interpolation=interpolation), x, hybrid)
            assert found.dtype == x.dtype
            if x.dtype == "uint8":
                assert abs(found - expected).max() <= 0.5 + 1e-4
            else:
                numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_resize_keeps_the_ratio_where_asked():
    assert of(T.Resize(6, keep_ratio=True), IMAGE).shape == (6, 8, 3)
    assert of(T.Resize(6, keep_ratio=True), IMAGE.transpose(1, 0, 2)).shape == (8, 6, 3)
    assert of(T.Resize(6), IMAGE).shape == (6, 6, 3)


@pytest.mark.parametrize("hybrid", [False, True])
def test_crops(hybrid):
    assert (of(T.CenterCrop((4, 5)), IMAGE, hybrid) == IMAGE[2:7, 4:8]).all()
    assert (of(T.CenterCrop(5), IMAGES, hybrid) == IMAGES[:, 2:7, 3:8]).all()
    assert (of(T.CropResize(3, 1, 5, 6), IMAGE, hybrid) == IMAGE[1:7, 3:8]).all()
    part = of(T.CropResize(3, 1, 5, 6, size=(10, 12)), IMAGE, hybrid)
    assert (part == of(T.Resize((10, 12)), IMAGE[1:7, 3:8])).all()
    # What is too small is enlarged.
    assert (of(T.CenterCrop((4, 20)), IMAGE, hybrid) == of(T.Resize((4, 20)), IMAGE[:, 4:8])).all()


def places(found, whole):
    h, w = found.shape[:2]
    return [
        (top, left)
        for top in range(whole.shape[0] - h + 1)
        for left in range(whole.shape[1] - w + 1)
        if (whole[top : top + h, left : left + w] == found).all()
    ]


def test_random_crops_are_parts_at_all_places():
    random.seed(0)
    crop = T.RandomCrop((10, 8))
    seen = {place for _ in range(80) for place in places(of(crop, IMAGE), IMAGE)}
    assert seen == {(top, left) for top in range(2) for left in range(3)}
    padded = numpy.pad(IMAGE, ((3, 0), (1, 2), (0, 0)), constant_values=9)
    crop = T.RandomCrop((15, 11), pad=(1, 2, 3, 0), pad_value=9)
    seen = {place for _ in range(40) for place in places(of(crop, IMAGE), padded)}
    assert seen == {(0, 0), (1, 0)}
    assert of(T.RandomCrop((20, 4)), IMAGE).shape == (4, 20, 3)


def test_random_resized_crops():
    random.seed(0)
    ramp = numpy.broadcast_to(numpy.arange(60, dtype="float32")[:, None, None], (60, 60, 1))
    crop = T.RandomResizedCrop(10, scale=(0.25, 0.5), ratio=(1, 1))
    spans = []
    for _ in range(30):
        y = of(crop, ramp)
        assert y.shape == (10, 10, 1)
        spans.append((y[9, 0, 0] - y[0, 0, 0]) / 9 * 10)  # rows of the part
    assert min(spans) > 28 and max(spans) < 44 and max(spans) - min(spans) > 3
    whole = T.RandomResizedCrop((12, 9), scale=(1, 1), ratio=(50, 60))  # such a part is never found: the middle
    assert (of(whole, IMAGE) == IMAGE).all()


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize(("kind", "axis"), [(T.RandomFlipLeftRight, -2), (T.RandomFlipTopBottom, -3)])
def test_flips(kind, axis, hybrid):
    random.seed(0)
    for x in (IMAGE, IMAGES):
        flipped = numpy.flip(x, axis)
        assert (of(kind(1), x, hybrid) == flipped).all()
        assert (of(kind(0), x, hybrid) == x).all()
        half = kind()
        times = sum(bool((of(half, x, hybrid) == flipped).all()) for _ in range(60))
        assert 15 < times < 45
        assert of(half, x).dtype == "uint8"


@pytest.mark.parametrize("hybrid", [False, True])
def test_brightness_contrast_saturation(hybrid):
    x = RNG.uniform(0, 1, (5, 6, 3)).astype("float32")
    luma = (x @ numpy.array([0.299, 0.587, 0.114]))[..., None]
    centres = {T.RandomBrightness: 0 * luma, T.RandomContrast: luma.mean(), T.RandomSaturation: luma}
    for kind, centre in centres.items():
        random.seed(3)
        transform, factors = kind(0.4), []
        for _ in range(25):
            y = of(transform, x, hybrid)
            factor = ((y - centre) / (x - centre)).ravel()
            factor = numpy.median(factor)
            numpy.testing.assert_allclose(y, centre + (x - centre) * factor, rtol=1e-3, atol=1e-4)
            factors.append(factor)
        assert 0.6 <= min(factors) < 0.75 and 1.25 < max(factors) <= 1.4
        assert (abs(of(kind(0), x, hybrid) - x) < 1e-6).all()


def test_bytes_stay_bytes():
    random.seed(0)
    for transform in (
        T.RandomBrightness(3),
        T.RandomContrast(3),
        T.RandomSaturation(3),
        T.RandomHue(0.5),
        T.RandomLighting(3),
        T.RandomColorJitter(1, 1, 1, 0.3),
        T.RandomGray(1),
    ):
        found = [of(transform, IMAGE) for _ in range(8)]
        assert all(y.dtype == "uint8" and y.shape == IMAGE.shape for y in found)
    bright = T.RandomBrightness(3)
    found = [of(bright, IMAGE) for _ in range(20)]
    assert any((y == 255).mean() > 0.2 for y in found), "what is too bright is white, not dark again"


def test_hue_turns_colours_and_leaves_lightness():
    random.seed(1)
    x = numpy.array([[[204, 51, 51]]], "float32")
    hues = []
    for _ in range(20):
        hue, *rest = colorsys.rgb_to_hls(*of(T.RandomHue(0.3), x)[0, 0] / 255)
        numpy.testing.assert_allclose(rest, [0.5, 0.6], rtol=1e-4)
        hues.append((hue + 0.5) % 1)
    assert 0.3 < max(hues) - min(hues) <= 0.6
    numpy.testing.assert_allclose(of(T.RandomHue(0), x), x, atol=1e-4)


def test_lighting_adds_one_colour_to_all_pixels():
    random.seed(1)
    x = numpy.zeros((4, 5, 3), "float32")
    steps = numpy.array([of(T.RandomLighting(0.1), x) for _ in range(400)])
    assert (steps == steps[:, :1, :1]).all()
    covariance = numpy.cov(steps[:, 0, 0].T)
    directions = numpy.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])
    expected = directions @ numpy.diag((0.1 * numpy.array([55.46, 4.794, 1.148])) ** 2) @ directions.T
    numpy.testing.assert_allclose(covariance, expected, rtol=0.3, atol=0.3)


def test_grey():
    x = RNG.uniform(0, 1, (3, 4, 3)).astype("float32")
    luma = (x @ numpy.array([0.299, 0.587, 0.114]))[..., None]
    numpy.testing.assert_allclose(of(T.RandomGray(1), x), numpy.broadcast_to(luma, x.shape), rtol=1e-5)
    assert (of(T.RandomGray(0), x) == x).all()


def test_jitter_without_amounts_does_nothing():
    assert (of(T.RandomColorJitter(), IMAGE) == IMAGE).all()


def test_random_apply():
    random.seed(0)
    flip = T.RandomFlipTopBottom(1)
    for kind in (T.RandomApply, T.HybridRandomApply):
        assert (of(kind([flip, T.Resize((12, 9))], 1), IMAGE) == IMAGE[::-1]).all()
        assert (of(kind(flip, 0), IMAGE) == IMAGE).all()
        half = kind(flip)
        assert 5 < sum(bool((of(half, IMAGE) == IMAGE[::-1]).all()) for _ in range(40)) < 35


@pytest.mark.parametrize("compose", [T.Compose, T.HybridCompose])
def test_compositions_in_a_loader(compose):
    steps = compose([T.Resize((6, 4)), T.ToTensor(), T.Normalize(0.5, 0.5)])
    ds = data.ArrayDataset(IMAGES, numpy.arange(4)).transform_first(steps)
    by_hand = (of(T.Resize((6, 4)), IMAGES).transpose(0, 3, 1, 2) / 255 - 0.5) / 0.5
    for workers in (0, 1):
        x, y = next(iter(data.DataLoader(ds, 4, num_workers=workers)))
        assert x.shape == (4, 3, 4, 6) and x.dtype == "float32"
        numpy.testing.assert_allclose(x.asnumpy(), by_hand, rtol=1e-5, atol=1e-5)
        assert y.asnumpy().tolist() == [0, 1, 2, 3]


def test_augmentation_in_workers_follows_the_seed():
    flips = data.ArrayDataset(IMAGES, numpy.arange(4)).transform_first(T.RandomFlipLeftRight())
    found = []
    for workers in (1, 2):
        random.seed(2)
        loader = data.DataLoader(flips, 1, num_workers=workers)
        found.append(numpy.array([x.asnumpy() for _ in range(6) for x, _ in loader]))
    assert (found[0] == found[1]).all()
    unchanged = [bool((x[0] == IMAGES[n % 4]).all()) for n, x in enumerate(found[0])]
    assert 4 < sum(unchanged) < 20


@pytest.mark.parametrize(
    "call",
    [
        lambda: T.Resize(0),
        lambda: T.Resize((3, 4, 5)),
        lambda: T.Resize(3, interpolation=2),
        lambda: T.Resize(2.5),
        lambda: T.CropResize(-1, 0, 2, 2),
        lambda: of(T.CropResize(10, 0, 5, 5), IMAGE),
        lambda: T.RandomFlipLeftRight(1.5),
        lambda: T.RandomBrightness(-1),
        lambda: T.Normalize(0, 0),
        lambda: T.RandomResizedCrop(3, scale=(0, 2)),
        lambda: T.RandomCrop(3, pad=(1, 2)),
        lambda: of(T.ToTensor(), IMAGE[0]),
        lambda: of(T.Resize(3), IMAGE[0]),
    ],
)
def test_what_is_refused(call):
    with pytest.raises(ArgumentError, match="E384"):
        call()


def test_other_blocks_are_transforms_too():
    x, _ = data.ArrayDataset(IMAGES, numpy.arange(4)).transform_first(T.Compose([T.ToTensor(), nn.Flatten()]))[0]
    assert x.shape == (3, 9 * 12)


@pytest.mark.parametrize("zooms", [(False, False), (True, False), (False, True)])
def test_rotations_are_those_of_images(zooms):
    one = np.array(numpy.random.default_rng(0).uniform(size=(3, 9, 12)).astype("f4"))
    batch = np.stack([one, one * 2])
    numpy.testing.assert_array_equal(T.Rotate(30, *zooms)(one), image.imrotate(one, 30, *zooms))
    numpy.testing.assert_array_equal(T.Rotate(30, *zooms)(batch), image.imrotate(batch, 30, *zooms))
    narrow = T.RandomRotation((29.999, 30.0), *zooms)
    numpy.testing.assert_allclose(narrow(one), image.imrotate(one, 30, *zooms), atol=1e-3)
    turned = T.RandomRotation((-180, 180), *zooms)(batch).asnumpy()
    assert turned.shape == batch.shape
    assert abs(turned[1] - 2 * turned[0]).max() > 0.1  # each has its own angle


def test_rotations_with_a_probability():
    one = np.ones((3, 8, 8))
    assert T.RandomRotation((10, 20), rotate_with_proba=0.0)(one) is one
    some = T.RandomRotation((10, 20), rotate_with_proba=0.5)
    assert 20 < sum(some(one) is one for _ in range(100)) < 80
    with pytest.raises(ArgumentError, match="E384"):
        T.RandomRotation((10, 20), rotate_with_proba=1.5)
    with pytest.raises(ValueError, match="E361"):
        T.RandomRotation((20, 10))
    with pytest.raises(TypeError, match="E251"):
        T.Rotate(10)(one.astype("uint8"))
