# SPDX-License-Identifier: Apache-2.0
"""Images with the boxes of objects: what changes do to both, and batches of them."""

import json

import numpy
import pytest

from hybridize import image, np, random, recordio
from hybridize.errors import ArgumentError, HybridizeError, ShapeError, UndefinedError
from tests.image.test_image import PIXELS, saved

BOXES = numpy.array([[1, 0.25, 0.25, 0.75, 0.5, 9], [0, 0.5, 0.0, 1.0, 1.0, 8]], "f4")


def pixels(height=24, width=32):
    """Each pixel tells where it was: red is its column, green its row."""
    y, x = numpy.mgrid[:height, :width]
    return np.array(numpy.stack([x, y, x * 0 + 7], -1).astype(numpy.uint8))


def places(objects, height, width):
    """Corners of boxes in pixels."""
    return objects[:, 1:5] * [width, height, width, height]


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(3)


def test_a_mirror_turns_boxes():
    mirrored, objects = image.DetHorizontalFlipAug(1)(pixels(), BOXES)
    numpy.testing.assert_array_equal(mirrored, pixels().asnumpy()[:, ::-1])
    numpy.testing.assert_allclose(objects[:, 1:5], [[0.25, 0.25, 0.75, 0.5], [0, 0, 0.5, 1]])
    again = image.DetHorizontalFlipAug(1)(mirrored, objects)
    numpy.testing.assert_array_equal(again[0], pixels().asnumpy())
    numpy.testing.assert_allclose(again[1], BOXES)
    assert image.DetHorizontalFlipAug(0)(pixels(), BOXES)[1] is BOXES


@pytest.mark.parametrize("covered", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("areas", [(0.3, 1.0), (0.1, 0.6), 1.0])
def test_parts_keep_what_is_seen_enough_of_at_its_place(areas, covered):
    change = image.DetRandomCropAug(covered, (0.75, 1.5), areas, 0.3)
    low, high = areas if isinstance(areas, tuple) else (areas, areas)
    changed = 0
    for _ in range(60):
        part, objects = change(pixels(), BOXES)
        if objects is BOXES:
            continue
        changed += 1
        height, width = part.shape[:2]
        assert low * 24 * 32 <= height * width <= high * 24 * 32
        assert 0.7 < width / height < 1.6
        x, y = part.asnumpy()[0, 0, :2].tolist()
        assert len(objects)
        for one in objects:
            whole = BOXES[BOXES[:, 5] == one[5]][0]
            corners = places(whole[None], 24, 32)[0] - [x, y, x, y]
            seen = numpy.clip(corners, 0, [width, height, width, height])
            numpy.testing.assert_allclose(places(one[None], height, width)[0], seen, atol=1e-3)
            share = numpy.prod(seen[2:] - seen[:2]) / numpy.prod(corners[2:] - corners[:2])
            assert share > max(covered, 0.3) - 1e-6
    assert changed or covered == 0.9 or areas == 1.0


def test_borders_keep_objects_at_their_places():
    change = image.DetRandomPadAug((0.75, 1.5), (1.0, 4.0), pad_val=(1, 2, 3))
    changed = 0
    for _ in range(40):
        wide, objects = change(pixels(), BOXES)
        if objects is BOXES:
            continue
        changed += 1
        values = wide.asnumpy()
        height, width = values.shape[:2]
        y, x = numpy.argwhere(values[:, :, 2] == 7)[0]
        numpy.testing.assert_array_equal(values[y : y + 24, x : x + 32], pixels())
        assert (values[:, :, 2] == 7).sum() == 24 * 32
        assert (values[values[:, :, 2] != 7] == [1, 2, 3]).all()
        numpy.testing.assert_allclose(
            places(objects, height, width), places(BOXES, 24, 32) + numpy.array([x, y, x, y]), atol=1e-3
        )
        numpy.testing.assert_array_equal(objects[:, [0, 5]], BOXES[:, [0, 5]])
    assert changed > 20


def test_ranges_of_no_frame_change_nothing():
    for make in (
        lambda: image.DetRandomCropAug(area_range=(0.9, 0.5)),
        lambda: image.DetRandomCropAug(aspect_ratio_range=(0, 1)),
        lambda: image.DetRandomPadAug(area_range=(0.5, 1.0)),
    ):
        with pytest.warns(UserWarning, match="does nothing"):
            change = make()
        assert change(pixels(), BOXES)[1] is BOXES


def test_one_of_several_changes():
    mirror, same = image.DetHorizontalFlipAug(1), image.DetHorizontalFlipAug(0)
    turned = [image.DetRandomSelectAug([mirror, same])(pixels(), BOXES)[1] is not BOXES for _ in range(200)]
    assert 60 < sum(turned) < 140
    for skipping in (image.DetRandomSelectAug([mirror], 1), image.DetRandomSelectAug([])):
        assert skipping(pixels(), BOXES)[1] is BOXES
    many = image.CreateMultiRandCropAugmenter([0.1, 0.5], area_range=(0.3, 0.9), skip_prob=0.2)
    assert [one.min_object_covered for one in many.aug_list] == [0.1, 0.5]
    assert many.dumps()[0] == "detrandomselectaug"
    assert json.loads(many.aug_list[0].dumps())[1]["area_range"] == [0.3, 0.9]
    with pytest.raises(HybridizeError, match="E361"):
        image.CreateMultiRandCropAugmenter([0.1, 0.5], max_attempts=[1, 2, 3])
    with pytest.raises(HybridizeError, match="E361"):
        image.DetRandomSelectAug([image.CastAug()])
    with pytest.raises(ArgumentError, match="E309"):
        image.DetBorrowAug(mirror)
    with pytest.raises(UndefinedError, match="E328"):
        image.DetAugmenter()(pixels(), BOXES)


def test_changes_put_together():
    changes = image.CreateDetAugmenter(
        (3, 20, 30), 26, 0.5, 0.5, 0.1, True, True, True, 0.1, 0.1, 0.1, 0.05, 0.1, min_object_covered=[0.1, 0.5]
    )  # fmt: skip
    names = [
        type(one).__name__ if not isinstance(one, image.DetBorrowAug) else type(one.augmenter).__name__
        for one in changes
    ]
    assert names == [
        "ResizeAug", "DetRandomSelectAug", "DetHorizontalFlipAug", "DetRandomSelectAug", "ForceResizeAug", "CastAug",
        "ColorJitterAug", "HueJitterAug", "LightingAug", "RandomGrayAug", "ColorNormalizeAug",
    ]  # fmt: skip
    for _ in range(10):
        data, objects = pixels(), BOXES
        for one in changes:
            data, objects = one(data, objects)
        assert data.shape == (20, 30, 3)
        assert data.dtype == numpy.float32
        assert ((objects[:, 1:5] >= 0) & (objects[:, 1:5] <= 1)).all()


def labelled(*objects):
    return [2, 5, *[number for one in objects for number in one]]


ONE, TWO = (1, 0.1, 0.2, 0.5, 0.6), (0, 0.0, 0.5, 1.0, 1.0)
ENTRIES = [labelled(ONE), labelled(TWO, ONE), labelled(TWO, (3, 0.5, 0.5, 0.5, 0.9))]


@pytest.mark.parametrize("kind", ["list", "record"])
def test_batches_of_images_and_objects(tmp_path, kind):
    if kind == "list":
        paths = [saved(tmp_path, f"{number}.png", PIXELS + number) for number in range(3)]
        source = {"imglist": [[*label, path] for label, path in zip(ENTRIES, paths, strict=True)], "path_root": ""}
    else:
        source = {"path_imgrec": str(tmp_path / "a.rec"), "path_imgidx": str(tmp_path / "a.idx")}
        record = recordio.MXIndexedRecordIO(source["path_imgidx"], source["path_imgrec"], "w")
        for number, label in enumerate(ENTRIES):
            header = recordio.IRHeader(0, numpy.array(label, "f4"), number, 0)
            record.write_idx(number, recordio.pack_img(header, (PIXELS + number)[:, :, ::-1], img_fmt=".png"))
        record.close()
    batches = image.ImageDetIter(2, (3, 12, 18), aug_list=[], **source)
    assert batches.label_shape == (2, 5)
    assert batches.provide_label[0][:2] == ("label", (2, 2, 5))
    rounds = [[(one.data[0].asnumpy(), one.label[0].asnumpy(), one.pad) for one in batches], None]
    batches.reset()
    rounds[1] = [(one.data[0].asnumpy(), one.label[0].asnumpy(), one.pad) for one in batches]
    for first, last in rounds:
        numpy.testing.assert_array_equal(first[0], numpy.stack([PIXELS, PIXELS + 1]).transpose(0, 3, 1, 2))
        numpy.testing.assert_allclose(first[1], [[ONE, [-1] * 5], [TWO, ONE]])
        numpy.testing.assert_allclose(last[1][0], [TWO, [-1] * 5])  # an object without an area is none
        assert (first[2], last[2]) == (0, 1)
    sized = image.ImageDetIter(
        1, (3, 8, 8), rand_mirror=True, rand_crop=0.5, rand_pad=0.5, mean=True, shuffle=True, **source
    )
    assert next(iter(sized)).data[0].shape == (1, 3, 8, 8)


def test_labels_have_room_for_more_objects(tmp_path):
    path = saved(tmp_path, "a.png", PIXELS)
    one, two = (
        image.ImageDetIter(1, (3, 12, 18), aug_list=[], imglist=[[*label, path]], path_root="") for label in ENTRIES[:2]
    )
    assert one.sync_label_shape(two) is two
    assert (one.label_shape, two.label_shape) == ((2, 5), (2, 5))
    assert next(one).label[0].shape == (1, 2, 5)
    two.reshape((3, 12, 18), (4, 5))
    assert next(two).label[0].shape == (1, 4, 5)
    for shape in ((1, 5), (4, 6), (4,)):
        with pytest.raises(ShapeError, match="E181"):
            two.reshape(label_shape=shape)


@pytest.mark.parametrize(
    "label", [[1.0], [2, 5], [2, 5, 1, 0.1, 0.2, 0.5], [2, 4, 1, 0.1, 0.2, 0.5], [2, 5, 1, 0.5, 0.2, 0.5, 0.6]]
)
def test_labels_without_objects_are_refused(tmp_path, label):
    path = saved(tmp_path, "a.png", PIXELS)
    with pytest.raises(ShapeError, match=r"E181.*a\.png"):
        image.ImageDetIter(1, (3, 12, 18), aug_list=[], imglist=[[*label, path]], path_root="")
