# SPDX-License-Identifier: Apache-2.0
"""Images with the boxes of what is seen: changes of both together, and `ImageDetIter`, batches of them.

Objects are a NumPy array [n, 5 and more]: class, left, top, right, bottom as parts of the image, and what else is
known.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import np
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, ShapeError, UndefinedError, ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.image import augmenters
from hybridize.image.augmenters import Augmenter
from hybridize.image.iterator import ImageIter
from hybridize.image.parts import Part, between, copyMakeBorder, fixed_crop, up_to
from hybridize.io import DataDesc

Objects = NDArray[Any]
_AREA = 2
"""The least number of pixels of an object or a part."""


class DetAugmenter:
    """Change an image and its objects. The base of such augmenters: a subclass defines `__call__`.

    Args:
        kwargs: its settings, which `dumps` writes.

    >>> from hybridize import image
    >>> isinstance(image.DetHorizontalFlipAug(0.5), image.DetAugmenter)
    True
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: getattr(value, "tolist", lambda value=value: value)() for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Return name and settings, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """The image and its objects, changed; subclasses say so."""
        what = f"{type(self).__name__} has no transformation"
        raise UndefinedError("E328", what, help="define __call__(self, src, label)")


class DetBorrowAug(DetAugmenter):
    """Apply an augmenter of images and leave the objects where they are.

    Args:
        augmenter: an `Augmenter` that moves no part of the image.

    >>> from hybridize import image, np
    >>> import numpy
    >>> objects = numpy.array([[0, 0.1, 0.2, 0.3, 0.4]])
    >>> picture, same = image.DetBorrowAug(image.CastAug("float32"))(np.ones((4, 4, 3)), objects)
    >>> picture.dtype, same.tolist()
    (dtype('float32'), [[0.0, 0.1, 0.2, 0.3, 0.4]])
    """

    def __init__(self, augmenter: Any) -> None:
        if not isinstance(augmenter, Augmenter):
            what = f"DetBorrowAug takes an Augmenter, got {type(augmenter).__name__}"
            raise ArgumentError("E309", what, help="changes of images with boxes, DetAugmenters, are used as they are")
        super().__init__()
        self.augmenter = augmenter

    def dumps(self) -> Any:
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Apply one of several augmenters, each with the same probability; none with probability `skip_prob`.

    Args:
        aug_list: the augmenters.
        skip_prob: the probability that none of them is applied.

    >>> from hybridize import image, np
    >>> import numpy
    >>> objects = numpy.array([[0, 0.1, 0.2, 0.9, 0.9]])
    >>> image.DetRandomSelectAug([image.DetHorizontalFlipAug(0.5)])(np.ones((8, 8, 3)), objects)[0].shape
    (8, 8, 3)
    """

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list: list[DetAugmenter] = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        self.skip_prob = skip_prob if self.aug_list else 1
        if not all(isinstance(one, DetAugmenter) for one in self.aug_list):
            raise ValueArgumentError("E361", "DetRandomSelectAug takes DetAugmenters", help="DetBorrowAug makes one")

    def dumps(self) -> Any:
        return [type(self).__name__.lower(), [one.dumps() for one in self.aug_list]]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        if between(0, 1) < self.skip_prob:
            return src, label
        changed: tuple[Any, Objects] = self.aug_list[up_to(len(self.aug_list) - 1)](src, label)
        return changed


class DetHorizontalFlipAug(DetAugmenter):
    """Mirror image and objects with probability `p`.

    Args:
        p: the probability, from 0 to 1.

    >>> from hybridize import image, np
    >>> import numpy
    >>> objects = numpy.array([[0, 0.1, 0.2, 0.3, 0.4]])
    >>> image.DetHorizontalFlipAug(1.0)(np.ones((4, 4, 3)), objects)[1].round(2).tolist()
    [[0.0, 0.7, 0.2, 0.9, 0.4]]
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        if between(0, 1) >= self.p:
            return src, label
        mirrored = label.copy()
        mirrored[:, 1], mirrored[:, 3] = 1 - label[:, 3], 1 - label[:, 1]
        return np.flip(src, axis=1), mirrored


class _Framed(DetAugmenter):
    """The base of those that draw a frame, of a ratio and an area in ranges; where none fits, nothing is changed."""

    aspect_ratio_range: tuple[float, float]
    area_range: tuple[float, float]
    enabled: bool

    def __init__(self, ratios: Any, areas: Any, max_attempts: int, **settings: Any) -> None:
        self.aspect_ratio_range, self.area_range = (
            tuple(one) if isinstance(one, (tuple, list)) else (one, one) for one in (ratios, areas)
        )
        super().__init__(
            aspect_ratio_range=self.aspect_ratio_range,
            area_range=self.area_range,
            max_attempts=max_attempts,
            **settings,
        )
        self.max_attempts = max_attempts
        (narrow, wide), (small, large) = self.aspect_ratio_range, self.area_range
        self.enabled = 0 < narrow <= wide and self._least < large >= small
        if not self.enabled:
            warn(f"{type(self).__name__} does nothing: no frame has area_range={areas}, aspect_ratio_range={ratios}")

    _least: float
    """The area that the greatest one is above."""

    def _frame(self, label: Objects, height: int, width: int) -> tuple[Part, Objects] | None:
        """Draw a frame, and return it with the objects in it; None where it does not fit."""
        raise UndefinedError("E328", f"{type(self).__name__} draws no frame", help="define _frame")

    def _drawn(self, label: Objects, height: int, width: int) -> tuple[Part, Objects] | None:
        tries = self.max_attempts if self.enabled and height > 0 and width > 0 else 0
        return next(filter(None, (self._frame(label, height, width) for _ in range(tries))), None)

    def _heights(self, height: int, width: int) -> tuple[float, int, int]:
        """A ratio, and the heights that frames of the least and of the greatest area have with it."""
        ratio = between(*self.aspect_ratio_range)
        least, most = (round(math.sqrt(area * height * width / ratio)) for area in self.area_range)
        return ratio, least, most


class DetRandomCropAug(_Framed):
    """Return a part of the image with the objects of which enough is in it.

    Args:
        min_object_covered: the part of each object that it touches which has to be in it.
        aspect_ratio_range: least and greatest width divided by height; one number: both.
        area_range: least and greatest area, as a fraction of the image.
        min_eject_coverage: objects of which no larger part is in it are left out.
        max_attempts: how often to draw one; then the image stays whole.

    >>> from hybridize import image, np
    >>> import numpy
    >>> objects = numpy.array([[0, 0.1, 0.2, 0.9, 0.9]])
    >>> image.DetRandomCropAug(min_object_covered=0.5)(np.ones((8, 8, 3)), objects)[1].shape
    (1, 5)
    """

    _least = 0
    min_object_covered: float
    min_eject_coverage: float

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        settings = {"min_object_covered": min_object_covered, "min_eject_coverage": min_eject_coverage}
        super().__init__(aspect_ratio_range, area_range, max_attempts, **settings)
        self.min_object_covered, self.min_eject_coverage = min_object_covered, min_eject_coverage

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        drawn = self._drawn(label, *src.shape[:2])
        return (src, label) if drawn is None else (fixed_crop(src, *drawn[0]), drawn[1])

    def _frame(self, label: Objects, height: int, width: int) -> tuple[Part, Objects] | None:
        ratio, least, most = self._heights(height, width)
        most = min(most, height, int((width + 0.5 - 1e-7) / ratio))
        h = min(least, most) + up_to(max(most - least, 0))
        areas = [area * height * width for area in self.area_range]
        h += int(h * round(h * ratio) < areas[0]) - int(h * round(h * ratio) > areas[1])  # where widths were rounded
        w = round(h * ratio)
        if not (areas[0] <= w * h <= areas[1] and w <= width and h <= height and w * h >= _AREA):
            return None
        x, y = up_to(width - w), up_to(height - h)
        inside = _moved(label, x / width, y / height, w / width, h / height).clip(0, 1)
        whole = _areas(label[:, 1:])
        covered = _areas(inside) * w * h / (height * width) / numpy.where(whole > 0, whole, 1)
        touched = covered[(whole * height * width > _AREA) & (covered > 0)]
        whole_enough = (covered > self.min_eject_coverage) & (inside[:, 2:] > inside[:, :2]).all(1)
        if not touched.size or touched.min() <= self.min_object_covered or not whole_enough.any():
            return None
        return (x, y, w, h), numpy.hstack([label[:, :1], inside, label[:, 5:]])[whole_enough]


class DetRandomPadAug(_Framed):
    """Put the image into a larger one, at a random position.

    Args:
        aspect_ratio_range: least and greatest width divided by height; one number: both.
        area_range: least and greatest area, as a multiple of the image.
        max_attempts: how often to draw one; then the image stays as it is.
        pad_val: the colour around it.

    >>> from hybridize import image, np
    >>> import numpy
    >>> objects = numpy.array([[0, 0.1, 0.2, 0.9, 0.9]])
    >>> image.DetRandomPadAug()(np.ones((8, 8, 3)), objects)[1].shape
    (1, 5)
    """

    _least = 1

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        super().__init__(aspect_ratio_range, area_range, max_attempts, pad_val=pad_val)
        self.pad_val: Sequence[float] = pad_val if isinstance(pad_val, (tuple, list)) else (pad_val,) * 3

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        height, width = src.shape[:2]
        drawn = self._drawn(label, height, width)
        if drawn is None:
            return src, label
        (x, y, w, h), moved = drawn
        return copyMakeBorder(src, y, h - y - height, x, w - x - width, values=self.pad_val), moved

    def _frame(self, label: Objects, height: int, width: int) -> tuple[Part, Objects] | None:
        ratio, least, most = self._heights(height, width)
        least = min(max(least, math.ceil((width - 0.5) / ratio), height), most)
        h = least + up_to(most - least)
        w = round(h * ratio)
        if h - height < 2 or w - width < 2:  # hardly a border
            return None
        x, y = up_to(w - width), up_to(h - height)
        moved = _moved(label, -x / width, -y / height, w / width, h / height)
        return (x, y, w, h), numpy.hstack([label[:, :1], moved, label[:, 5:]])


def _moved(label: Objects, left: float, top: float, width: float, height: float) -> Objects:
    """Boxes as parts of a frame, which is given as a part of the image."""
    boxes: Objects = (label[:, 1:5] - [left, top, left, top]) / [width, height, width, height]
    return boxes.astype(label.dtype)


def _areas(boxes: Objects) -> Objects:
    sides: Objects = numpy.maximum(0, boxes[:, 2:4] - boxes[:, :2])
    return sides[:, 0] * sides[:, 1]


def CreateMultiRandCropAugmenter(  # noqa: N802 - MXNet's name
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Return an augmenter that draws one of several random crops.

    Each argument of `DetRandomCropAug` may be a list.

    Raises:
        ValueArgumentError E361: lists of different lengths.

    >>> from hybridize import image
    >>> type(image.CreateMultiRandCropAugmenter(min_object_covered=[0.1, 0.5])).__name__
    'DetRandomSelectAug'
    """
    settings = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    lists = [one if isinstance(one, list) else [one] for one in settings]
    count = max(map(len, lists))
    if any(len(one) not in (1, count) for one in lists):
        raise ValueArgumentError("E361", f"lists of {', '.join(str(len(one)) for one in lists)} settings of crops")
    combined = zip(*(one * count if len(one) == 1 else one for one in lists), strict=True)
    return DetRandomSelectAug([DetRandomCropAug(*one) for one in combined], skip_prob)


def CreateDetAugmenter(  # noqa: N802 - MXNet's name
    data_shape: Sequence[int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """Return the list of augmenters for training on images with objects, in MXNet's order.

    Args:
        data_shape: (channels, height, width) of what comes out.
        resize: the shorter edge before all others; 0: as it is.
        rand_crop: the probability of a part.
        rand_pad: the probability of a border.
        rand_gray: the probability of an image without colours.
        rand_mirror: mirror half of the images.
        mean, std, brightness, contrast, saturation, hue, pca_noise, inter_method: as of `CreateAugmenter`.
        min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts: as of
            `CreateMultiRandCropAugmenter`; the first or only of the ranges is of borders, too.
        pad_val: the colour of borders.

    >>> from hybridize import image
    >>> [type(one).__name__ for one in image.CreateDetAugmenter((3, 4, 4), rand_mirror=True)]
    ['DetHorizontalFlipAug', 'DetBorrowAug', 'DetBorrowAug']
    """
    changes: list[DetAugmenter] = [DetBorrowAug(augmenters.ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        settings = min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts
        changes.append(CreateMultiRandCropAugmenter(*settings, skip_prob=1 - rand_crop))
    if rand_mirror:
        changes.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        ratios, areas, tries = (
            one[0] if isinstance(one, list) else one for one in (aspect_ratio_range, area_range, max_attempts)
        )
        largest = areas[1] if isinstance(areas, tuple) else areas
        changes.append(DetRandomSelectAug([DetRandomPadAug(ratios, (1.0, largest), tries, pad_val)], 1 - rand_pad))
    rest: list[Augmenter] = [augmenters.ForceResizeAug((data_shape[2], data_shape[1]), inter_method)]
    rest += augmenters.of_colours(brightness, contrast, saturation, hue, pca_noise)
    if rand_gray > 0:
        rest.append(augmenters.RandomGrayAug(rand_gray))
    mean, std = augmenters.colours_of(mean, std)
    if mean is not None or std is not None:
        rest.append(augmenters.ColorNormalizeAug(mean, std))
    return [*changes, *map(DetBorrowAug, rest)]


class ImageDetIter(ImageIter):
    """Iterate over batches of images with channels first, float32, and of their objects, [batch, objects, 5 and more].

    A label of a file is `n, k, ..., objects`: n numbers that come before the objects, and k for each of them: its
    class, left, top, right and bottom as parts of the image, and what else is known. Images of fewer objects have -1
    in the places of others. An image of which no object is left, after its changes, is left out.

    Args:
        batch_size: how many images a batch has.
        data_shape: (3, height, width) of an image as it comes out.
        path_imgrec, path_imglist, path_root, path_imgidx, shuffle, part_index, num_parts, imglist: as of `ImageIter`.
        aug_list: changes of images and objects; None: those of `CreateDetAugmenter` for `kwargs`.
        data_name, label_name: names for `provide_data` and `provide_label`.
        last_batch_handle: as of `ImageIter`.
        kwargs: arguments of `CreateDetAugmenter`.

    Raises:
        ShapeError E181: a label does not say where objects are.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> from hybridize import image
    >>> objects = [2, 5, 0, 0.25, 0.25, 0.75, 0.5]  # 2 and 5 numbers; class 0 and its box
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (8, 6), "red").save(os.path.join(folder, "red.png"))
    ...     batches = image.ImageDetIter(1, (3, 4, 4), path_root=folder, imglist=[[*objects, "red.png"]])
    ...     batch = batches.next()
    >>> batch.data[0].shape, batch.label[0].tolist()
    ((1, 3, 4, 4), [[[0.0, 0.25, 0.25, 0.75, 0.5]]])
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[DetAugmenter] | None = None,
        imglist: Sequence[Sequence[Any]] | None = None,
        data_name: str = "data",
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size, data_shape, 1, path_imgrec, path_imglist, path_root, path_imgidx, shuffle, part_index,
            num_parts, [], imglist, data_name, label_name, last_batch_handle=last_batch_handle,
        )  # fmt: skip
        self.auglist: list[Any] = list(CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list)
        shapes = [self._objects(label).shape for label in self._labels()]
        if len({width for _, width in shapes}) != 1:
            widths = sorted({width for _, width in shapes})
            raise ShapeError(
                "E181",
                f"objects of the images have {widths} numbers",
                help="give each object of each image equally many numbers",
            )
        self.label_shape: tuple[Any, Any] = (max(count for count, _ in shapes), shapes[0][1])
        self._provide(label_name)
        self._restart()

    def _labels(self) -> Any:
        while True:
            try:
                yield self.next_sample()[0]
            except StopIteration:
                return

    def _provide(self, name: str) -> None:
        self.provide_label: Any = [DataDesc(name, (self.batch_size, *self.label_shape), self._dtype)]

    def _objects(self, label: Any) -> Objects:
        """The objects of a label of a file, those that have an area."""
        numbers = numpy.asarray(label, numpy.float32).ravel()
        header, width = map(int, numbers[:2]) if numbers.size > 1 else (0, 0)
        rest = numbers.size - header
        if header < 2 or width < 5 or rest <= 0 or rest % width:
            what = f"{self._place}: the label {numbers[:8].tolist()} of {numbers.size} numbers has no objects"
            raise ShapeError(
                "E181",
                what,
                help="a label begins with the length of its header and the count of numbers per object: "
                "[2, 5, class, left, top, right, bottom, ...]",
            )
        objects: Objects = numbers[header:].reshape(-1, width)
        objects = objects[(objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])]
        if not len(objects):
            raise ShapeError("E181", f"{self._place}: no object has an area", help="give left, top, right and bottom")
        return objects

    def augmentation_transform(self, data: Any, label: Objects) -> tuple[Any, Objects]:  # type: ignore[override]
        """Return the image and its objects after all changes."""
        for one in self.auglist:
            data, label = one(data, label)
        return data, label

    def _sample(self, label: Any, data: bytes) -> tuple[Any, Any] | None:
        image, objects = self.augmentation_transform(self.imdecode(data), self._objects(label))
        seen = (objects[:, 0] >= 0) & (objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])
        return (objects, image) if seen.any() else None

    def _label(self, label: Objects) -> Objects:
        if len(label) > self.label_shape[0]:
            what = f"{self._place}: {len(label)} objects, the label's shape is {self.label_shape}"
            raise ShapeError("E181", what, help="reshape(label_shape=...) makes room for more")
        padded = numpy.full(self.label_shape, -1, self._dtype)
        padded[: len(label)] = label
        return padded

    def reshape(self, data_shape: Sequence[int] | None = None, label_shape: tuple[int, int] | None = None) -> None:
        """Give images another size, or labels room for more objects."""
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.data_shape: tuple[int, ...] = tuple(data_shape)
            self.provide_data: Any = [DataDesc(self.provide_data[0].name, (self.batch_size, *self.data_shape))]
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.label_shape = (label_shape[0], label_shape[1])
            self._provide(self.provide_label[0].name)

    def check_label_shape(self, label_shape: tuple[int, int]) -> None:
        """Raise an error if a shape has fewer objects than the data, or other numbers for each object.

        Raises:
            ShapeError E181: it is such a shape.
        """
        count, width = self.label_shape
        if len(label_shape) != 2 or label_shape[0] < count or label_shape[1] != width:
            what = f"label_shape={tuple(label_shape)} for {count} objects of {width} numbers"
            raise ShapeError("E181", what, help=f"it is (objects, {width}), of {count} objects or more")

    def sync_label_shape(self, it: ImageDetIter, verbose: bool = False) -> ImageDetIter:
        """Give this iterator and another one room for the same number of objects, and return the other."""
        count = max(self.label_shape[0], it.label_shape[0])
        for one in (self, it):
            one.reshape(label_shape=(count, self.label_shape[1]))
        return it
