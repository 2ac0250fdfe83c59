# SPDX-License-Identifier: Apache-2.0
"""`ImageRecordIter`: MXNet's iterator over RecordIO files of images, by the names of its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.image import augmenters
from hybridize.image.files import imdecode
from hybridize.image.iterator import ImageIter
from hybridize.image.parts import copyMakeBorder
from hybridize.image.resizing import BILINEAR
from hybridize.recordio import ScannedRecordIO

_SPEED: Final = frozenset({
    "preprocess_threads", "prefetch_buffer", "verbose", "shuffle_chunk_size", "shuffle_chunk_seed", "ctx",
    "device_id", "seed_aug", "seed", "data_name", "label_name", "path_imglist", "round_batch",
})  # fmt: skip
"""Settings of MXNet's that say how fast it reads, or are read elsewhere."""
_NONE: Final[dict[str, Any]] = {
    "mean_img": "", "max_rotate_angle": 0, "rotate": -1, "max_shear_ratio": 0.0, "max_random_scale": 1.0,
    "min_random_scale": 1.0, "max_img_size": 1e10, "min_img_size": 0.0, "max_crop_size": -1, "min_crop_size": -1,
    "random_h": 0, "random_s": 0, "random_l": 0, "max_random_contrast": 0.0, "max_random_illumination": 0.0,
    "crop_x_start": -1, "crop_y_start": -1,
}  # fmt: skip
"""Settings that there are not here, with the values at which they do nothing."""


class PadAug(augmenters.Augmenter):
    """A border around the image, of so many pixels of one value."""

    pad: int
    fill_value: float

    def __init__(self, pad: int, fill_value: float) -> None:
        super().__init__(pad=pad, fill_value=fill_value)
        self.pad, self.fill_value = pad, fill_value

    def __call__(self, src: Any) -> Any:
        pad = self.pad
        return copyMakeBorder(src, pad, pad, pad, pad, value=self.fill_value)


class ScaleAug(augmenters.Augmenter):
    """Colours times a number."""

    def __init__(self, scale: float) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def __call__(self, src: Any) -> Any:
        return src * self.scale


class _LargeEnough(augmenters.Augmenter):
    """Refuses an image from which no part can be taken."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(size=size)
        self.size = size

    def __call__(self, src: Any) -> Any:
        height, width = src.shape[:2]
        if width < self.size[0] or height < self.size[1]:
            what = f"an image of {width} × {height} is smaller than {self.size[0]} × {self.size[1]} of data_shape"
            raise ShapeError("E181", what, help="resize= makes the shorter edge longer, pad= adds a border")
        return src


class ImageRecordIter(ImageIter):
    """Iterate over batches of images from a RecordIO file, float32, channels first, red before green before blue.

    Args:
        path_imgrec: the file.
        data_shape: (channels, height, width) of an image as it comes out; 3 channels, or 1 for brightness.
        batch_size: how many images a batch has.
        label_width: how many numbers a label has.
        path_imgidx: the file of positions; None: one pass over the records finds them.
        shuffle: draw the order of each round, from `hybridize.random`.
        part_index, num_parts: which part of the images to read, of how many.
        resize: the shorter edge before all else; -1: as it is.
        pad, fill_value: a border, before a part is taken, and its value.
        rand_crop: take a part at a random position, not the middle.
        random_resized_crop: take a part of random area and ratio, and make it `data_shape`.
        min_random_area, max_random_area: of such a part, as fractions of the image.
        min_aspect_ratio, max_aspect_ratio: of such a part, width by height.
        brightness, contrast, saturation: how much to change each.
        pca_noise: the standard deviation of an added colour.
        rand_mirror: mirror half of the images; `mirror`: all of them.
        mean_r, mean_g, mean_b: what to subtract from the colours.
        std_r, std_g, std_b: what to divide by, then.
        scale: what to multiply by, in the end.
        inter_method: see `imresize`.
        dtype: `float32`.
        kwargs: other settings of MXNet's: those about speed are accepted, the others only at their defaults.

    Raises:
        ArgumentError E3005: an unknown setting, or another dtype.
        ShapeError E181: `data_shape` is another shape, or an image is smaller.
        LoadError E600, E666, E667: a file that cannot be read, is damaged, or holds no image.

    >>> import os, tempfile
    >>> import numpy
    >>> from hybridize import image, recordio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.rec")
    ...     record = recordio.MXRecordIO(path, "w")
    ...     record.write(recordio.pack_img((0, 5.0, 1, 0), numpy.zeros((4, 4, 3), "uint8"), img_fmt=".png"))
    ...     record.close()
    ...     batch = image.ImageRecordIter(path, (3, 4, 4), batch_size=1).next()
    >>> batch.data[0].shape, batch.label[0].tolist()
    ((1, 3, 4, 4), [5.0])
    """

    def __init__(
        self,
        path_imgrec: str,
        data_shape: Sequence[int],
        batch_size: int,
        label_width: int = 1,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        resize: int = -1,
        pad: int = 0,
        fill_value: float = 255,
        rand_crop: bool = False,
        random_resized_crop: bool = False,
        min_random_area: float = 1.0,
        max_random_area: float = 1.0,
        min_aspect_ratio: float | None = None,
        max_aspect_ratio: float = 0.0,
        brightness: float = 0.0,
        contrast: float = 0.0,
        saturation: float = 0.0,
        pca_noise: float = 0.0,
        rand_mirror: bool = False,
        mirror: bool = False,
        mean_r: float = 0.0,
        mean_g: float = 0.0,
        mean_b: float = 0.0,
        std_r: float = 1.0,
        std_g: float = 1.0,
        std_b: float = 1.0,
        scale: float = 1.0,
        inter_method: int = BILINEAR,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        _check_others(kwargs)
        if str(getattr(dtype, "name", dtype)) not in ("float32", "None"):
            raise ArgumentError(
                "E3005", f"ImageRecordIter gives float32, got dtype={dtype!r}", help="batch.astype(...)"
            )
        self._flag = 0 if tuple(data_shape)[:1] == (1,) else 1
        size = (int(data_shape[2]), int(data_shape[1])) if len(data_shape) == 3 else (0, 0)
        changes: list[augmenters.Augmenter] = [augmenters.ResizeAug(resize, inter_method)] if resize > 0 else []
        changes += [PadAug(pad, fill_value)] if pad else []
        if random_resized_crop:
            least = 1 / max_aspect_ratio if min_aspect_ratio is None and max_aspect_ratio else min_aspect_ratio or 1.0
            ratio = least, max_aspect_ratio or 1.0
            changes.append(augmenters.RandomSizedCropAug(size, (min_random_area, max_random_area), ratio, inter_method))
        else:
            changes += [
                _LargeEnough(size),
                (augmenters.RandomCropAug if rand_crop else augmenters.CenterCropAug)(size, inter_method),
            ]
        changes += [augmenters.HorizontalFlipAug(1.0 if mirror else 0.5)] if mirror or rand_mirror else []
        changes += augmenters.of_colours(brightness, contrast, saturation, 0, pca_noise)
        mean, deviation = (mean_r, mean_g, mean_b), (std_r, std_g, std_b)
        if any(mean) or deviation != (1.0, 1.0, 1.0):
            channels = slice(None) if self._flag else slice(1)
            changes.append(augmenters.ColorNormalizeAug(mean[channels], deviation[channels]))
        changes += [ScaleAug(scale)] if scale != 1.0 else []
        super().__init__(
            batch_size, data_shape, label_width, path_imgrec, kwargs.get("path_imglist"), None, path_imgidx,
            shuffle, part_index, num_parts, changes, data_name=kwargs.get("data_name", "data"),
            label_name=kwargs.get("label_name", "softmax_label"),
        )  # fmt: skip

    def _record(self, path: str) -> Any:
        return ScannedRecordIO(path)

    def check_data_shape(self, data_shape: Sequence[int]) -> None:
        """Raise an error unless the shape is (3, height, width) or (1, height, width).

        Raises:
            ShapeError E181: it is not.
        """
        if len(data_shape) != 3 or data_shape[0] not in (1, 3):
            what = f"data_shape must be (3, height, width) or (1, height, width), got {tuple(data_shape)}"
            raise ShapeError("E181", what)

    def _decoded(self, s: bytes) -> ndarray:
        return imdecode(s, self._flag)


def _check_others(settings: dict[str, Any]) -> None:
    """Refuse settings that would change images, and that there are not.

    Raises:
        ArgumentError E3005: one is given, at another value than that which changes nothing.
    """
    for name, value in settings.items():
        if name in _SPEED or (name in _NONE and value in (_NONE[name], None)):
            continue
        why = "is not done here" if name in _NONE else "is no setting"
        raise ArgumentError(
            "E3005", f"ImageRecordIter: {name}={value!r} {why}",
            help="image.ImageIter(..., aug_list=[...]) accepts your own augmenters",
        )  # fmt: skip
