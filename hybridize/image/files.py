# SPDX-License-Identifier: Apache-2.0
"""Images out of files and bytes."""

from __future__ import annotations

import os
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operands import finished
from hybridize.base.errors import ArgumentError
from hybridize.base.participation import outside_only
from hybridize.formats.cursor import bytes_of
from hybridize.formats.pictures import decoded


@outside_only("reads a file")
def imread(filename: str, flag: int = 1, to_rgb: bool | int = True, out: Any = None) -> ndarray:
    """Read an image as uint8 [height, width, channels].

    Args:
        filename: path of a JPEG, PNG or another image that Pillow knows.
        flag: 1 for three channels, 0 for brightness alone, -1 as it is stored.
        to_rgb: red before green before blue; else blue first.
        out: the array to write to.

    Returns:
        uint8 (height, width, channels).

    Raises:
        ArgumentError E378: Pillow is not installed.
        LoadError E600: the file cannot be read.
        LoadError E667: it is no image, or a damaged one.

    >>> from hybridize import image
    >>> import os, tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "red.png")
    ...     Image.new("RGB", (4, 3), "red").save(path)
    ...     image.imread(path).shape
    (3, 4, 3)
    """
    return _result(decoded(bytes(bytes_of(filename)), _channels(flag), os.fspath(filename)), to_rgb, out)


@outside_only("decodes an image")
def imdecode(buf: Any, flag: int = 1, to_rgb: bool | int = True, out: Any = None) -> ndarray:
    """Decode the bytes of an image file as uint8 [height, width, channels].

    Args:
        buf: the bytes of a file, or a uint8 array of them.
        flag, to_rgb, out: see `imread`.

    Returns:
        uint8 (height, width, channels).

    Raises:
        ArgumentError E3005: `buf` is no bytes.
        ArgumentError E378: Pillow is not installed.
        LoadError E667: it is no image, or a damaged one.

    >>> from hybridize import image
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (4, 3), "red").save(file, "png")
    >>> image.imdecode(file.getvalue())[0, 0].tolist()
    [255, 0, 0]
    """
    if isinstance(buf, (ndarray, numpy.ndarray)):
        buf = numpy.asarray(buf).astype(numpy.uint8).tobytes()
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        what = f"an image is decoded of bytes, got {type(buf).__name__}"
        raise ArgumentError("E3005", what, help="imread reads a file")
    return _result(decoded(bytes(buf), _channels(flag)), to_rgb, out)


def _channels(flag: int) -> int | None:
    return {1: 3, 0: 1, -1: None}.get(flag, 3)


def _result(pixels: Any, to_rgb: bool | int, out: Any) -> ndarray:
    if not to_rgb and pixels.shape[2] >= 3:
        pixels = numpy.ascontiguousarray(pixels[:, :, [2, 1, 0, *range(3, pixels.shape[2])]])
    image: ndarray = finished(ndarray(pixels), out)
    return image
