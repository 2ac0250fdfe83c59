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
    """Change an image. The base of augmenters: a subclass defines `__call__`.

    Args:
        kwargs: its settings, which `dumps` writes.

    >>> from hybridize import image, np
    >>> class Double(image.Augmenter):
    ...     def __call__(self, src):
    ...         return src * 2
    >>> Double()(np.ones((1, 1, 3))).tolist()
    [[[2.0, 2.0, 2.0]]]
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {
            name: numpy.asarray(value).tolist() if isinstance(value, (ndarray, numpy.ndarray)) else value
            for name, value in kwargs.items()
        }

    def dumps(self) -> Any:
        """Return name and settings, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any) -> Any:
        """The image, changed; subclasses say so."""
        raise UndefinedError("E328", f"{type(self).__name__} has no transformation", help="define __call__(self, src)")


class SequentialAug(Augmenter):
    """Apply augmenters one after the other.

    Args:
        ts: the augmenters.

    >>> from hybridize import image, np
    >>> image.SequentialAug([image.ResizeAug(4), image.CenterCropAug((2, 2))])(np.ones((8, 8, 3))).shape
    (2, 2, 3)
    """

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
    """Apply augmenters one after the other, in a random order.

    Args:
        ts: the augmenters.

    >>> from hybridize import image, np
    >>> image.RandomOrderAug([image.HorizontalFlipAug(0.5), image.CastAug("float32")])(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

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
    """Resize the image so that its shorter edge is `size`.

    Args:
        size: pixels of the shorter edge.
        interp: see `imresize`.

    >>> from hybridize import image, np
    >>> image.ResizeAug(2)(np.ones((4, 8, 3))).shape
    (2, 4, 3)
    """

    def __call__(self, src: Any) -> Any:
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(_Sized):
    """Resize the image to (width, height), whatever its ratio.

    Args:
        size: (width, height).
        interp: see `imresize`.

    >>> from hybridize import image, np
    >>> image.ForceResizeAug((2, 3))(np.ones((4, 4, 3))).shape
    (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        return imresize(src, self.size[0], self.size[1], interp=self.interp)


class RandomCropAug(_Sized):
    """Return a part of the size (width, height), at a random position.

    Args:
        size: (width, height).
        interp: see `imresize`.

    >>> from hybridize import image, np
    >>> image.RandomCropAug((2, 3))(np.ones((4, 4, 3))).shape
    (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Return a part of random position, area and ratio, resized to (width, height).

    Args:
        size, area, ratio, interp: see `random_size_crop`.

    >>> from hybridize import image, np
    >>> image.RandomSizedCropAug((2, 3), (0.5, 1.0), (0.75, 1.25))(np.ones((8, 8, 3))).shape
    (3, 2, 3)
    """

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
    """Return the middle of the image, of the size (width, height).

    Args:
        size: (width, height).
        interp: see `imresize`.

    >>> from hybridize import image, np
    >>> image.CenterCropAug((2, 3))(np.ones((4, 4, 3))).shape
    (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        return center_crop(src, self.size, self.interp)[0]


class BrightnessJitterAug(Augmenter):
    """Multiply the image by a factor from 1 - brightness to 1 + brightness.

    Images of floats change in place, as in MXNet.

    Args:
        brightness: the largest change of the factor from 1.

    >>> from hybridize import image, np
    >>> image.BrightnessJitterAug(0.2)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        src *= 1.0 + between(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Multiply the differences to the mean brightness by a factor from 1 - contrast to 1 + contrast.

    Args:
        contrast: the largest change of the factor from 1.

    >>> from hybridize import image, np
    >>> image.ContrastJitterAug(0.1)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

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
    """Multiply the differences to the brightness of each pixel by a factor from 1 - saturation to 1 + saturation.

    Args:
        saturation: the largest change of the factor from 1.

    >>> from hybridize import image, np
    >>> image.SaturationJitterAug(0.1)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

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
    """Turn colours by an angle from -hue to hue half turns, in the plane of I and Q.

    Args:
        hue: the largest angle, in half turns.

    >>> from hybridize import image, np
    >>> image.HueJitterAug(0.1)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: Any) -> Any:
        angle = between(-self.hue, self.hue) * math.pi
        u, w = math.cos(angle), math.sin(angle)
        turn = numpy.array([[1.0, 0.0, 0.0], [0.0, u, -w], [0.0, w, u]])
        return np.dot(src, np.array((_FROM_YIQ @ turn @ TO_YIQ).T.astype(numpy.float32)))


class ColorJitterAug(RandomOrderAug):
    """Multiply brightness, contrast and saturation by random factors, in a random order.

    Args:
        brightness, contrast, saturation: the largest change of each factor from 1; 0 leaves the step out.

    >>> from hybridize import image, np
    >>> image.ColorJitterAug(0.1, 0.1, 0.1)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = (BrightnessJitterAug, brightness), (ContrastJitterAug, contrast), (SaturationJitterAug, saturation)
        super().__init__([kind(amount) for kind, amount in kinds if amount > 0])


class LightingAug(Augmenter):
    """Add a random colour to all pixels, along principal directions of colours.

    Args:
        alphastd: the standard deviation.
        eigval: variances along the directions, (3,).
        eigvec: the directions, (3, 3).

    >>> from hybridize import image, np
    >>> image.LightingAug(0.1, np.ones(3), np.ones((3, 3)))(np.ones((4, 4, 3))).shape
    (4, 4, 3)
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
    """Subtract a mean from the colours and divide by a deviation. None leaves a step out.

    Args:
        mean: what to subtract, for each channel.
        std: what to divide by, for each channel.

    >>> from hybridize import image, np
    >>> image.ColorNormalizeAug(np.array([1.0, 1.0, 1.0]), None)(np.ones((1, 1, 3))).tolist()
    [[[0.0, 0.0, 0.0]]]
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean: ndarray | None = None if mean is None else np.array(numpy.asarray(mean, numpy.float32))
        self.std: ndarray | None = None if std is None else np.array(numpy.asarray(std, numpy.float32))

    def __call__(self, src: Any) -> Any:
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Replace each colour by the brightness, with probability `p`.

    Args:
        p: the probability, from 0 to 1.

    >>> from hybridize import image, np
    >>> image.RandomGrayAug(1.0)(np.ones((4, 4, 3))).shape
    (4, 4, 3)
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        if between(0, 1) < self.p:
            src = np.dot(src, np.array(numpy.stack([_GREY] * 3, axis=1)))
        return src


class HorizontalFlipAug(Augmenter):
    """Mirror the image with probability `p`.

    Args:
        p: the probability, from 0 to 1.

    >>> from hybridize import image, np
    >>> image.HorizontalFlipAug(1.0)(np.array([[[1.0], [2.0]]])).tolist()
    [[[2.0], [1.0]]]
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        return np.flip(src, axis=1) if between(0, 1) < self.p else src


class CastAug(Augmenter):
    """Convert the image to another dtype.

    Args:
        typ: the dtype.

    >>> from hybridize import image, np
    >>> image.CastAug("float32")(np.ones((4, 4, 3), dtype="uint8")).dtype
    dtype('float32')
    """

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
    """Return the list of augmenters for training on images, in MXNet's order.

    Args:
        data_shape: (channels, height, width) of what comes out.
        resize: the shorter edge before all others; 0: as it is.
        rand_crop: take a part at a random position, not the middle.
        rand_resize: take a part of random area and ratio; needs `rand_crop`.
        rand_mirror: mirror half of the images.
        mean: what to subtract from colours; True: ImageNet's.
        std: what to divide by; True: ImageNet's.
        brightness, contrast, saturation, hue: how much to change each.
        pca_noise: the standard deviation of an added colour.
        rand_gray: the probability of an image without colours.
        inter_method: see `imresize`.

    Raises:
        ValueArgumentError E361: `rand_resize` without `rand_crop`.

    >>> from hybridize import image
    >>> [type(one).__name__ for one in image.CreateAugmenter((3, 4, 4), rand_mirror=True)]
    ['CenterCropAug', 'HorizontalFlipAug', 'CastAug']
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
