# SPDX-License-Identifier: Apache-2.0
"""Random changes of images as objects, each called with an image (height, width, channels)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from hybridize.array import np, random
from hybridize.array.ndarray import ndarray
from hybridize.base.colours import DEVIATIONS, DIRECTIONS, LUMA, TO_YIQ
from hybridize.base.errors import UndefinedError, ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.image.parts import between, center_crop, color_normalize, random_crop, random_size_crop
from hybridize.image.resizing import BICUBIC, imresize, resize_short

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FROM_YIQ = numpy.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])
_GREY = numpy.array([0.21, 0.72, 0.07], numpy.float32)
_MEAN, _DEVIATION = [123.68, 116.28, 103.53], [58.395, 57.12, 57.375]
"""Of ImageNet's colours."""


class Augmenter:
    """A change of an image; a subclass says `__call__`.

    Args:
        kwargs: its settings, which `dumps` writes.
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {
            name: numpy.asarray(value).tolist() if isinstance(value, (ndarray, numpy.ndarray)) else value
            for name, value in kwargs.items()
        }

    def dumps(self) -> Any:
        """Name and settings, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any) -> Any:
        """The image, changed; subclasses say so."""
        raise UndefinedError("E328", f"{type(self).__name__} has no transformation", help="define __call__(self, src)")


class SequentialAug(Augmenter):
    """Changes one after the other."""

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__()
        self.ts: list[Augmenter] = list(ts)

    def dumps(self) -> Any:
        return [type(self).__name__.lower(), [one.dumps() for one in self.ts]]

    def __call__(self, src: Any) -> Any:
        for one in self.ts:
            src = one(src)
        return src


class RandomOrderAug(SequentialAug):
    """Changes one after the other, in a random order."""

    def __call__(self, src: Any) -> Any:
        for number in numpy.asarray(random.permutation(len(self.ts))).tolist():
            src = self.ts[number](src)
        return src


class _Sized(Augmenter):
    """The base of those that make images of one size."""

    interp: int
    size: Any

    def __init__(self, size: Any, interp: int = BICUBIC) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp


class ResizeAug(_Sized):
    """The image with a shorter edge of `size`."""

    def __call__(self, src: Any) -> Any:
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(_Sized):
    """The image in a size, (width, height), whatever its ratio."""

    def __call__(self, src: Any) -> Any:
        return imresize(src, self.size[0], self.size[1], interp=self.interp)


class RandomCropAug(_Sized):
    """A part of a size, (width, height), at a random position."""

    def __call__(self, src: Any) -> Any:
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """A part of random position, area and ratio, in a size, (width, height)."""

    area: Any
    ratio: tuple[float, float]
    interp: int
    size: tuple[int, int]

    def __init__(self, size: tuple[int, int], area: Any, ratio: tuple[float, float], interp: int = BICUBIC) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size, self.area, self.ratio, self.interp = size, area, ratio, interp

    def __call__(self, src: Any) -> Any:
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class CenterCropAug(_Sized):
    """The middle, of a size, (width, height)."""

    def __call__(self, src: Any) -> Any:
        return center_crop(src, self.size, self.interp)[0]


class BrightnessJitterAug(Augmenter):
    """The image by a factor from 1 - brightness to 1 + brightness; of floats, changed in place, as by MXNet."""

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        src *= 1.0 + between(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Differences to the mean brightness by a factor from 1 - contrast to 1 + contrast."""

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast

    def __call__(self, src: Any) -> Any:
        alpha = 1.0 + between(-self.contrast, self.contrast)
        mean = float((src * np.array(LUMA)).sum()) / (src.size / 3)
        src *= alpha
        src += (1.0 - alpha) * mean
        return src


class SaturationJitterAug(Augmenter):
    """Differences to the brightness of each pixel by a factor from 1 - saturation to 1 + saturation."""

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation

    def __call__(self, src: Any) -> Any:
        alpha = 1.0 + between(-self.saturation, self.saturation)
        grey = (src * np.array(LUMA)).sum(axis=2, keepdims=True) * (1.0 - alpha)
        src *= alpha
        src += grey
        return src


class HueJitterAug(Augmenter):
    """Colours turned by an angle from -hue to hue half turns, in the plane of I and Q."""

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: Any) -> Any:
        angle = between(-self.hue, self.hue) * math.pi
        u, w = math.cos(angle), math.sin(angle)
        turn = numpy.array([[1.0, 0.0, 0.0], [0.0, u, -w], [0.0, w, u]])
        return np.dot(src, np.array((_FROM_YIQ @ turn @ TO_YIQ).T.astype(numpy.float32)))


class ColorJitterAug(RandomOrderAug):
    """Brightness, contrast and saturation, each by its factor, in a random order."""

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = (BrightnessJitterAug, brightness), (ContrastJitterAug, contrast), (SaturationJitterAug, saturation)
        super().__init__([kind(amount) for kind, amount in kinds if amount > 0])


class LightingAug(Augmenter):
    """A random colour added to all pixels, along principal directions of colours.

    Args:
        alphastd: the standard deviation.
        eigval: variances along the directions, (3,).
        eigvec: the directions, (3, 3).
    """

    alphastd: float
    eigval: NDArray[Any]
    eigvec: NDArray[Any]

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, numpy.asarray(eigval), numpy.asarray(eigvec)

    def __call__(self, src: Any) -> Any:
        alpha = numpy.asarray(random.normal(0, self.alphastd, (3,)))
        src += np.array(((self.eigvec * alpha) @ self.eigval).astype(numpy.float32))
        return src


class ColorNormalizeAug(Augmenter):
    """Colours less a mean, divided by a deviation; None leaves a step out."""

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean: ndarray | None = None if mean is None else np.array(numpy.asarray(mean, numpy.float32))
        self.std: ndarray | None = None if std is None else np.array(numpy.asarray(std, numpy.float32))

    def __call__(self, src: Any) -> Any:
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Brightness in the place of each colour, with the probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        if between(0, 1) < self.p:
            src = np.dot(src, np.array(numpy.stack([_GREY] * 3, axis=1)))
        return src


class HorizontalFlipAug(Augmenter):
    """The image in a mirror, with the probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        return np.flip(src, axis=1) if between(0, 1) < self.p else src


class CastAug(Augmenter):
    """The image as another dtype."""

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: Any) -> Any:
        return src.astype(self.typ)


def of_colours(brightness: float, contrast: float, saturation: float, hue: float, pca_noise: float) -> list[Augmenter]:
    """List what makes floats of an image, and changes their colours: those that are not 0."""
    augmenters: list[Augmenter] = [CastAug()]
    if brightness or contrast or saturation:
        augmenters.append(ColorJitterAug(brightness, contrast, saturation))
    augmenters += [HueJitterAug(hue)] if hue else []
    return [*augmenters, LightingAug(pca_noise, DEVIATIONS, DIRECTIONS)] if pca_noise > 0 else augmenters


def colours_of(mean: Any, std: Any) -> tuple[Any, Any]:
    """A mean and a deviation of colours; of True, those of ImageNet's."""
    return _MEAN if mean is True else mean, _DEVIATION if std is True else std


def CreateAugmenter(  # noqa: N802 - MXNet's name
    data_shape: Sequence[int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = BICUBIC,
) -> list[Augmenter]:
    """Put together the changes that images are trained with, in MXNet's order.

    Args:
        data_shape: (channels, height, width) of what comes out.
        resize: the shorter edge before all others; 0: as it is.
        rand_crop: take a part at a random position, not the middle.
        rand_resize: take a part of random area and ratio; needs `rand_crop`.
        rand_mirror: mirror half of the images.
        mean: what to take from colours; True: ImageNet's.
        std: what to divide by; True: ImageNet's.
        brightness, contrast, saturation, hue: how much to change each.
        pca_noise: the standard deviation of an added colour.
        rand_gray: the probability of an image without colours.
        inter_method: see `imresize`.

    Raises:
        ValueArgumentError E361: `rand_resize` without `rand_crop`.
    """
    size = (data_shape[2], data_shape[1])
    if rand_resize and not rand_crop:
        raise ValueArgumentError("E361", "rand_resize needs random crops", help="pass rand_crop=True as well")
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        augmenters.append(RandomSizedCropAug(size, 0.08, (3 / 4, 4 / 3), inter_method))
    else:
        augmenters.append((RandomCropAug if rand_crop else CenterCropAug)(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    augmenters += of_colours(brightness, contrast, saturation, hue, pca_noise)
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    mean, std = colours_of(mean, std)
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters
