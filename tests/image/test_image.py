"""Images: sizes against Pillow's where both mean the same, parts, changes, batches out of files and records."""

import io as bytesio
import math
from pathlib import Path

import numpy
import pytest
from PIL import Image

from hybridize import image, np, random, recordio
from hybridize.errors import ArgumentError, HybridizeError, LoadError
from hybridize.formats import pictures
from hybridize.gluon import data
from hybridize.gluon.data import vision
from tests.refusals import refusal

RNG = numpy.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (12, 18, 3)).astype(numpy.uint8)


def saved(folder, name, pixels, **options):
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(folder / name, **options)
    return str(folder / name)


# ------------------------------------------------------------------------------------------------------- files, sizes


def test_reading(tmp_path):
    path = saved(tmp_path, "a.png", PIXELS)
    read = image.imread(path)
    assert read.dtype == numpy.uint8
    numpy.testing.assert_array_equal(read.asnumpy(), PIXELS)
    numpy.testing.assert_array_equal(image.imread(path, to_rgb=False).asnumpy(), PIXELS[:, :, ::-1])
    grey = image.imread(path, flag=0)
    numpy.testing.assert_array_equal(grey.asnumpy()[:, :, 0], numpy.asarray(Image.fromarray(PIXELS).convert("L")))
    data = Path(path).read_bytes()
    out = np.zeros((12, 18, 3), dtype="uint8")
    for given in (data, bytearray(data), numpy.frombuffer(data, numpy.uint8), np.array(list(data), dtype="uint8")):
        out[...] = 0
        assert image.imdecode(given, out=out) is out
        numpy.testing.assert_array_equal(out.asnumpy(), PIXELS)
    palette = bytesio.BytesIO()
    Image.fromarray(PIXELS).quantize(8).save(palette, "PNG")
    assert image.imdecode(palette.getvalue(), flag=-1).shape == (12, 18, 3)


def test_what_cannot_be_read(tmp_path, monkeypatch):
    path = saved(tmp_path, "a.png", PIXELS)
    whole = Path(path).read_bytes()
    with refusal(LoadError, "E600"):
        image.imread(str(tmp_path / "b.png"))
    for damaged in (b"", b"text", whole[:60], whole[: len(whole) // 2]):
        with refusal(LoadError, "E667"):
            image.imdecode(damaged)
    with refusal(ArgumentError, "bytes, got str"):
        image.imdecode("a.png")

    def nothing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(pictures, "load_module", nothing)
    with refusal(ArgumentError, r"E378(.|\n)*hybridize\[image\]"):
        image.imread(path)


@pytest.mark.parametrize(("w", "h"), [(36, 24), (27, 30), (18, 24)])
def test_bilinear_enlarging_is_pillows(w, h):
    """Away from borders and to a step: Pillow rounds in between."""
    found = image.imresize(np.array(PIXELS), w, h, 1).asnumpy().astype(int)
    expected = numpy.asarray(Image.fromarray(PIXELS).resize((w, h), Image.Resampling.BILINEAR)).astype(int)
    assert abs(found - expected).max() <= 1


@pytest.mark.parametrize(("w", "h"), [(9, 6), (6, 4), (7, 5), (11, 12)])
def test_areas_are_pillows_boxes(w, h):
    floats = PIXELS.astype(numpy.float32)
    found = image.imresize(np.array(floats), w, h, 3).asnumpy()
    if 18 % w == 0 and 12 % h == 0:
        blocks = floats.reshape(h, 12 // h, w, 18 // w, 3).mean((1, 3))
        numpy.testing.assert_allclose(found, blocks, rtol=1e-5)
    numpy.testing.assert_allclose(found.mean((0, 1)), floats.mean((0, 1)), rtol=1e-5)  # each pixel counts once


@pytest.mark.parametrize("interp", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize(("w", "h"), [(18, 12), (36, 24), (9, 6), (5, 31)])
def test_sizes(interp, w, h):
    flat = np.ones((12, 18, 3)) * 7
    numpy.testing.assert_allclose(image.imresize(flat, w, h, interp).asnumpy(), 7, rtol=1e-5)
    found = image.imresize(np.array(PIXELS), w, h, interp)
    assert (found.shape, found.dtype) == ((h, w, 3), numpy.uint8)
    if (w, h) == (18, 12):
        numpy.testing.assert_array_equal(found.asnumpy(), PIXELS)
    ramp = np.array(numpy.broadcast_to(numpy.arange(18.0)[None, :, None], (12, 18, 1)).astype(numpy.float32))
    columns = image.imresize(ramp, 2 * 18, 12, interp).asnumpy()[0, 10:-10, 0]
    if interp in (1, 4, 9):  # a straight line stays one, Lanczos nearly
        numpy.testing.assert_allclose(columns, (numpy.arange(10, 26) + 0.5) / 2 - 0.5, atol=0.03)


def test_cubic_weights_are_opencvs():
    """Of a single bright pixel, twice as large: the cubic with a = -0.75 at quarters."""
    point = numpy.zeros((1, 9, 1), numpy.float32)
    point[0, 4] = 1

    def weight(x, a=-0.75):
        x = abs(x)
        if x <= 1:
            return (a + 2) * x**3 - (a + 3) * x**2 + 1
        return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0

    found = image.imresize(np.array(point), 18, 1, 2).asnumpy()[0, :, 0]
    expected = [weight((i + 0.5) / 2 - 0.5 - 4) for i in range(18)]
    numpy.testing.assert_allclose(found, expected, atol=1e-6)


def test_names_of_interpolations():
    x = np.array(PIXELS)
    assert (image.imresize(x, 36, 24, 9) == image.imresize(x, 36, 24, 2)).all()
    assert (image.imresize(x, 9, 6, 9) == image.imresize(x, 9, 6, 3)).all()
    assert (image.imresize(x, 9, 24, 9) == image.imresize(x, 9, 24, 1)).all()
    assert image.imresize(x, 5, 5, 10).shape == (5, 5, 3)
    assert image.resize_short(x, 6).shape == (6, 9, 3)
    assert image.resize_short(np.array(PIXELS.transpose(1, 0, 2)), 6).shape == (9, 6, 3)
    for call, words in (
        (lambda: image.imresize(x, 5, 5, 7), "0 to 4, 9 or 10, got 7"),
        (lambda: image.imresize(x, 0, 5), "at least 1 × 1"),
        (lambda: image.imresize(np.ones((4, 4)), 2, 2), "height, width, channels"),
    ):
        with refusal(HybridizeError, words):
            call()


# ---------------------------------------------------------------------------------------------------- parts, colours


def test_parts():
    x = np.array(PIXELS)
    numpy.testing.assert_array_equal(image.fixed_crop(x, 2, 3, 5, 4).asnumpy(), PIXELS[3:7, 2:7])
    part, where = image.center_crop(x, (6, 4))
    assert where == (6, 4, 6, 4)
    numpy.testing.assert_array_equal(part.asnumpy(), PIXELS[4:8, 6:12])
    assert image.center_crop(x, (36, 12))[1] == (0, 3, 18, 6)
    assert image.center_crop(x, (36, 12))[0].shape == (12, 36, 3)
    places = set()
    for _ in range(60):
        part, (left, top, w, h) = image.random_crop(x, (16, 11))
        numpy.testing.assert_array_equal(part.asnumpy(), PIXELS[top : top + h, left : left + w])
        places.add((left, top))
    assert places == {(left, top) for left in range(3) for top in range(2)}
    for _ in range(30):
        part, (left, top, w, h) = image.random_size_crop(x, (4, 4), (0.2, 0.5), (0.5, 2))
        assert part.shape == (4, 4, 3)
        assert (0 <= left <= 18 - w) and (0 <= top <= 12 - h)
        assert 0.1 < w * h / 216 < 0.65
    assert image.scale_down((640, 480), (720, 120)) == (640, 106)
    with refusal(HybridizeError, "exceeds the image of 18 × 12"):
        image.fixed_crop(x, 15, 0, 5, 5)


def test_borders():
    for kind, mode in ((1, "edge"), (2, "symmetric"), (3, "wrap"), (4, "reflect")):
        found = image.copyMakeBorder(np.array(PIXELS), 1, 2, 3, 4, type=kind).asnumpy()
        numpy.testing.assert_array_equal(found, numpy.pad(PIXELS, ((1, 2), (3, 4), (0, 0)), mode))
    found = image.copyMakeBorder(np.array(PIXELS), 1, 0, 0, 1, values=[1, 2, 3]).asnumpy()
    assert found[0, 0].tolist() == [1, 2, 3]
    numpy.testing.assert_array_equal(found[1:, :-1], PIXELS)


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_turning(quarter):
    square = RNG.random((2, 5, 5)).astype(numpy.float32)
    found = image.imrotate(np.array(square), 90 * quarter)
    expected = numpy.rot90(square, quarter, (1, 2))  # against the clock
    numpy.testing.assert_allclose(found.asnumpy(), expected, atol=1e-5)
    batch = image.imrotate(np.array(numpy.stack([square, square])), [0, 90 * quarter])
    numpy.testing.assert_allclose(batch.asnumpy()[1], expected, atol=1e-5)


def test_zooms():
    white = np.ones((1, 20, 20))
    plain, closer, farther = (
        image.imrotate(white, 45, **zoom).asnumpy() for zoom in ({}, {"zoom_in": True}, {"zoom_out": True})
    )
    assert closer.min() > 0.99  # nothing from outside
    assert farther.mean() < plain.mean() < 1
    assert image.random_rotate(np.ones((3, 1, 8, 8)), (-30, 30)).shape == (3, 1, 8, 8)
    for call, words in (
        (lambda: image.imrotate(white, 3, True, True), "in and out"),
        (lambda: image.imrotate(np.ones((1, 4, 4), dtype="uint8"), 3), "E251"),
        (lambda: image.imrotate(white, [1, 2]), "one angle"),
    ):
        with refusal(HybridizeError, words):
            call()


def test_changes_of_colours():
    floats = PIXELS.astype(numpy.float32)
    luma = numpy.array([0.299, 0.587, 0.114])

    def changed(aug):
        return aug(np.array(floats)).asnumpy()

    for _ in range(5):
        bright = changed(image.BrightnessJitterAug(0.3)) / numpy.maximum(floats, 1e-9)
        assert 0.7 <= numpy.median(bright) <= 1.3
        contrast = changed(image.ContrastJitterAug(0.3))
        numpy.testing.assert_allclose((contrast @ luma).mean(), (floats @ luma).mean(), rtol=1e-4)
        saturated = changed(image.SaturationJitterAug(0.3))
        numpy.testing.assert_allclose(saturated @ luma, floats @ luma, rtol=1e-3)
        hue = changed(image.HueJitterAug(0.2))
        numpy.testing.assert_allclose(hue @ luma, floats @ luma, rtol=2e-2, atol=1)
    numpy.testing.assert_allclose(changed(image.HueJitterAug(0)), floats, atol=2)  # the matrices are rounded
    grey = changed(image.RandomGrayAug(1))
    numpy.testing.assert_allclose(grey, numpy.repeat(floats @ [[0.21], [0.72], [0.07]], 3, 2), rtol=1e-4)
    numpy.testing.assert_array_equal(changed(image.RandomGrayAug(0)), floats)
    numpy.testing.assert_array_equal(changed(image.HorizontalFlipAug(1)), floats[:, ::-1])
    light = changed(image.LightingAug(0.5, numpy.ones(3), numpy.eye(3))) - floats
    assert light.reshape(-1, 3).std(0).max() < 1e-4  # one colour for all pixels
    normal = image.ColorNormalizeAug([1.0, 2.0, 3.0], [2.0, 2.0, 4.0])
    numpy.testing.assert_allclose(changed(normal), (floats - [1, 2, 3]) / [2, 2, 4], rtol=1e-5)


def test_augmenters_are_put_together():
    augs = image.CreateAugmenter(
        (3, 8, 8), resize=10, rand_crop=True, rand_resize=True, rand_mirror=True, mean=True, std=True, brightness=0.1,
        contrast=0.1, saturation=0.1, hue=0.1, pca_noise=0.1, rand_gray=0.1,
    )  # fmt: skip
    assert [type(one).__name__ for one in augs] == [
        "ResizeAug", "RandomSizedCropAug", "HorizontalFlipAug", "CastAug", "ColorJitterAug", "HueJitterAug",
        "LightingAug", "RandomGrayAug", "ColorNormalizeAug",
    ]  # fmt: skip
    random.seed(1)
    first = image.SequentialAug(augs)(np.array(PIXELS))
    random.seed(1)
    again = image.SequentialAug(augs)(np.array(PIXELS))
    assert (first.shape, first.dtype) == ((8, 8, 3), numpy.float32)
    assert (first == again).all()
    assert augs[0].dumps() == '["resizeaug", {"size": 10, "interp": 2}]'
    assert '"mean": [123.68, 116.28, 103.53]' in augs[-1].dumps()
    assert [type(one).__name__ for one in image.CreateAugmenter((3, 8, 8))] == ["CenterCropAug", "CastAug"]
    with refusal(HybridizeError, "rand_crop=True as well"):
        image.CreateAugmenter((3, 8, 8), rand_resize=True)
    with refusal(ArgumentError, "has no transformation"):
        image.Augmenter()(np.array(PIXELS))


# ----------------------------------------------------------------------------------------------------------- batches


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Ten images in one colour each, 10 × 12, in a RecordIO file, as files, and in a list."""
    folder = tmp_path_factory.mktemp("images")
    names = str(folder / "x.idx"), str(folder / "x.rec")
    lines = []
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        for number in range(10):
            pixels = numpy.full((10, 12, 3), number * 10, numpy.uint8)
            writer.write_idx(number, recordio.pack_img((0, number, number, 0), pixels, 9, ".png"))
            saved(folder / "files" / ("even", "odd")[number % 2], f"{number}.png", pixels)
            lines.append(f"{number}\t{number}\t{('even', 'odd')[number % 2]}/{number}.png\n")
    (folder / "x.lst").write_text("".join(lines))
    return folder


def joined(lists):
    return [one for several in lists for one in several]


def numbers(batches):
    found = []
    for batch in batches:
        values = batch.data[0].asnumpy()
        numpy.testing.assert_array_equal(values[:, 0, 0, 0], batch.label[0].asnumpy().ravel() * 10)
        assert values.std((1, 2, 3)).max() == 0
        found.append(batch.label[0].asnumpy().ravel().astype(int).tolist())
    return found


@pytest.mark.parametrize("source", ["records", "indexed", "list", "imglist"])
def test_sources(records, source):
    files = {"path_root": str(records / "files")}
    arguments = {
        "records": {"path_imgrec": str(records / "x.rec")},
        "indexed": {"path_imgrec": str(records / "x.rec"), "path_imgidx": str(records / "x.idx")},
        "list": {"path_imglist": str(records / "x.lst"), **files},
        "imglist": {"imglist": [[n, f"{('even', 'odd')[n % 2]}/{n}.png"] for n in range(10)], **files},
    }[source]
    batches = image.ImageIter(4, (3, 8, 8), **arguments)
    assert batches.provide_data == [("data", (4, 3, 8, 8))]
    for _ in range(2):
        found = list(batches)
        assert numbers(found) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]]
        assert [batch.pad for batch in found] == [0, 0, 2]
        batches.reset()
    discarding = image.ImageIter(4, (3, 8, 8), last_batch_handle="discard", **arguments)
    assert numbers(discarding) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    rolling = image.ImageIter(4, (3, 8, 8), last_batch_handle="roll_over", **arguments)
    assert numbers(rolling) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    rolling.reset()
    assert numbers(rolling) == [[8, 9, 0, 1], [2, 3, 4, 5], [6, 7, 8, 9]]
    if source != "records":
        random.seed(2)
        mixed = image.ImageIter(5, (3, 8, 8), shuffle=True, **arguments)
        orders = [joined(numbers(mixed)), mixed.reset() or joined(numbers(mixed))]
        assert sorted(orders[0]) == sorted(orders[1]) == list(range(10))
        assert orders[0] != orders[1]
        part = image.ImageIter(2, (3, 8, 8), num_parts=3, part_index=1, last_batch_handle="discard", **arguments)
        assert numbers(part) == [[3, 4]]


def test_refused_sources(records, tmp_path):
    rec = str(records / "x.rec")
    for arguments, words in (
        ({}, "there are no images"),
        ({"path_imgrec": rec, "shuffle": True}, "path_imgidx"),
        ({"path_imgrec": rec, "data_shape": (1, 8, 8)}, r"\(3, height, width\)"),
        ({"path_imgrec": rec, "label_width": 2}, "1 labels, label_width is 2"),
        ({"path_imgrec": rec, "aug_list": []}, "comes out as"),
        ({"path_imgrec": rec, "last_batch_handle": "keep"}, "got 'keep'"),
        ({"imglist": [[0, "nothing.png"]], "path_root": str(tmp_path)}, "E600"),
    ):
        with refusal(HybridizeError, words):
            next(image.ImageIter(**({"batch_size": 2, "data_shape": (3, 8, 8)} | arguments)))
    (tmp_path / "text.png").write_text("no image")
    with refusal(LoadError, r"E667: text.png"):
        next(image.ImageIter(1, (3, 8, 8), imglist=[[0, "text.png"]], path_root=str(tmp_path)))


def test_several_labels(tmp_path):
    path = saved(tmp_path, "a.png", PIXELS)
    batches = image.ImageIter(1, (3, 8, 8), label_width=2, imglist=[[1.5, 2, path]], dtype="float64")
    batch = next(batches)
    assert (batch.label[0].tolist(), batch.label[0].dtype) == ([[1.5, 2.0]], numpy.float64)
    assert batches.provide_label == [("softmax_label", (1, 2))]


def test_data_sets(records):
    saved(records / "files", "stray.png", PIXELS)
    with pytest.warns(UserWarning, match="not a directory"):
        folders = vision.ImageFolderDataset(str(records / "files"))
    assert (folders.synsets, len(folders)) == (["even", "odd"], 10)
    picture, label = folders[7]
    assert (picture.shape, int(picture[0, 0, 0]), label) == ((10, 12, 3), 50, 1)
    assert vision.ImageFolderDataset.__mro__[1] is data.Dataset
    recorded = vision.ImageRecordDataset(str(records / "x.rec"))
    picture, label = recorded[3]
    assert (int(picture[0, 0, 0]), label) == (30, 3.0)
    loader = data.DataLoader(recorded.transform_first(lambda x: x.astype("float32")), 5)
    assert [batch[1].tolist() for batch in loader] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    listed = vision.ImageListDataset(str(records / "files"), [[2, "even/2.png"], [4, 5, "even/4.png"]])
    assert [(int(x[0, 0, 0]), y.tolist()) for x, y in (listed[0], listed[1])] == [(20, [2.0]), (40, [4.0, 5.0])]
    from_file = vision.ImageListDataset(str(records / "files"), "../x.lst")
    assert (len(from_file), from_file[9][1].tolist()) == (10, [9.0])
    assert vision.ImageRecordDataset(str(records / "x.rec"), 0, lambda x, y: (x.shape, y))[1] == ((10, 12, 1), 1.0)
    for call in (lambda: vision.ImageFolderDataset(str(records / "no")), lambda: vision.ImageListDataset(".", 3)):
        with pytest.raises(ArgumentError):
            call()


def test_angles_are_those_of_mxnet():
    """MXNet's own rule: where a pixel comes from is turned by the angle, the y axis pointing down."""
    x = RNG.random((1, 7, 9)).astype(numpy.float32)
    found = image.imrotate(np.array(x), 30).asnumpy()
    i, j = 3, 5  # a pixel near the middle
    a = math.radians(30)
    dx, dy = j - 4, i - 3
    sx, sy = dx * math.cos(a) - dy * math.sin(a) + 4, dx * math.sin(a) + dy * math.cos(a) + 3
    fx, fy = math.floor(sx), math.floor(sy)
    expected = sum(
        x[0, fy + p, fx + q] * (1 - abs(sy - fy - p)) * (1 - abs(sx - fx - q)) for p in (0, 1) for q in (0, 1)
    )
    assert found[0, i, j] == pytest.approx(expected, rel=1e-5)
