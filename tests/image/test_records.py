"""`ImageRecordIter`: MXNet's settings, each by what it does to the pixels of images in a RecordIO file."""

import numpy
import pytest

from hybridize import image, io, random, recordio
from hybridize.errors import ArgumentError, HybridizeError, LoadError, ShapeError
from tests.refusals import refusal

RNG = numpy.random.default_rng(1)
IMAGES = [RNG.integers(0, 256, (9, 12, 3)).astype(numpy.uint8) for _ in range(5)]
"""Blue before green before red, as records have them."""
RGB = [one[:, :, ::-1].astype(numpy.float32) for one in IMAGES]


@pytest.fixture
def path(tmp_path):
    records = recordio.MXIndexedRecordIO(str(tmp_path / "a.idx"), str(tmp_path / "a.rec"), "w")
    for number, pixels in enumerate(IMAGES):
        header = recordio.IRHeader(0, float(number), number, 0)
        records.write_idx(number, recordio.pack_img(header, pixels, 3, ".png"))
    records.close()
    return str(tmp_path / "a.rec")


def read(path, batch_size=2, data_shape=(3, 9, 12), **settings):
    return io.ImageRecordIter(path_imgrec=path, data_shape=data_shape, batch_size=batch_size, **settings)


def pixels(batches):
    """All images, those that fill up left out."""
    return [one for batch in batches for one in batch.data[0].asnumpy()[: len(batch.data[0]) - batch.pad]]


def test_batches(path):
    batches = read(path, preprocess_threads=4, prefetch_buffer=2, verbose=False)
    assert io.ImageRecordIter is image.ImageRecordIter is io.ImageRecordIter_v1
    assert (batches.provide_data[0].shape, batches.provide_label[0].shape) == ((2, 3, 9, 12), (2,))
    for _ in range(2):
        seen = list(batches)
        assert [batch.pad for batch in seen] == [0, 0, 1]
        assert [batch.label[0].tolist() for batch in seen] == [[0, 1], [2, 3], [4, 0]]
        for found, wanted in zip(pixels(seen), RGB, strict=True):
            numpy.testing.assert_array_equal(found, wanted.transpose(2, 0, 1))
        batches.reset()


def test_colours(path):
    settings = {"mean_r": 10, "mean_g": 20, "mean_b": 30, "std_r": 2, "std_g": 4, "std_b": 8, "scale": 0.5}
    for found, wanted in zip(pixels(read(path, **settings)), RGB, strict=True):
        expected = (wanted - [10, 20, 30]) / [2, 4, 8] * 0.5
        numpy.testing.assert_allclose(found, expected.transpose(2, 0, 1), rtol=1e-5, atol=1e-5)
    (grey,) = pixels(read(path, 1, (1, 9, 12), num_parts=5))
    luma = RGB[0] @ numpy.array([0.299, 0.587, 0.114], numpy.float32)
    assert abs(grey[0] - luma).max() < 1.01  # rounded by whoever decodes


def test_parts_of_images(path):
    for found, wanted in zip(pixels(read(path, data_shape=(3, 5, 6))), RGB, strict=True):
        numpy.testing.assert_array_equal(found, wanted[2:7, 3:9].transpose(2, 0, 1))
    for found, wanted in zip(pixels(read(path, mirror=True)), RGB, strict=True):
        numpy.testing.assert_array_equal(found, wanted[:, ::-1].transpose(2, 0, 1))
    for found, wanted in zip(pixels(read(path, data_shape=(3, 13, 16), pad=2, fill_value=7)), RGB, strict=True):
        expected = numpy.pad(wanted, ((2, 2), (2, 2), (0, 0)), constant_values=7)
        numpy.testing.assert_array_equal(found, expected.transpose(2, 0, 1))
    random.seed(0)
    places = set()
    for _ in range(4):
        for found, wanted in zip(pixels(read(path, data_shape=(3, 5, 6), rand_crop=True)), RGB, strict=True):
            windows = numpy.lib.stride_tricks.sliding_window_view(wanted.transpose(2, 0, 1), (3, 5, 6))[0]
            (at,) = numpy.argwhere((windows == found).all((2, 3, 4)))
            places.add(tuple(at))
    assert len(places) > 3
    for settings in ({"resize": 5}, {"random_resized_crop": True, "min_random_area": 0.5, "max_aspect_ratio": 1.5}):
        assert pixels(read(path, data_shape=(3, 5, 5), rand_mirror=True, **settings))[0].shape == (3, 5, 5)


def test_orders_and_parts_of_files(path, tmp_path):
    random.seed(2)
    orders = set()
    for index in (None, str(tmp_path / "a.idx")):
        batches = read(path, 5, shuffle=True, path_imgidx=index)
        for _ in range(3):
            (batch,) = batches
            labels = batch.label[0].asnumpy().astype(int)
            for label, found in zip(labels, batch.data[0].asnumpy(), strict=True):
                numpy.testing.assert_array_equal(found, RGB[label].transpose(2, 0, 1))
            assert sorted(labels) == list(range(5))
            orders.add(tuple(labels))
            batches.reset()
    assert len(orders) > 1
    halves = [[batch.label[0].tolist() for batch in read(path, num_parts=2, part_index=k)] for k in (0, 1)]
    assert halves == [[[0, 1]], [[2, 3]]]


def test_what_is_refused(path, tmp_path):
    with refusal(ArgumentError, "rotate=5 is not done here"):
        read(path, rotate=5)
    read(path, rotate=-1, max_rotate_angle=0)
    with refusal(ArgumentError, "rand_corp=True is no setting"):
        read(path, rand_corp=True)
    with refusal(ArgumentError, "gives float32, got dtype='uint8'"):
        read(path, dtype="uint8")
    with refusal(ShapeError, "12 × 9 is smaller than 20 × 20"):
        next(read(path, data_shape=(3, 20, 20)))
    for shape in ((2, 9, 12), (9, 12)):
        with refusal(ShapeError, "data_shape must be"):
            read(path, data_shape=shape)
    with refusal(HybridizeError, "no part 3 of 2"):
        read(path, num_parts=2, part_index=3)
    (tmp_path / "cut.rec").write_bytes((tmp_path / "a.rec").read_bytes()[:-7])
    with refusal(LoadError, "E666"):
        read(str(tmp_path / "cut.rec"))
    with refusal(LoadError, "E600"):
        read(str(tmp_path / "none.rec"))
    with refusal(AttributeError, "float32"):
        io.ImageRecordUInt8Iter  # noqa: B018
