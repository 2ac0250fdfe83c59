# SPDX-License-Identifier: Apache-2.0
"""Compressed images to arrays of bytes (height, width, channels) and back. The only door to Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError, LoadError
from hybridize.base.loading import load_module

_KINDS = {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG"}


def _pillow() -> Any:
    """Pillow's module for images.

    Raises:
        ArgumentError E378: it is not installed.
    """
    try:
        return load_module("PIL.Image")
    except ModuleNotFoundError as error:
        raise ArgumentError(
            "E378",
            "reading and writing compressed images needs Pillow, which is not installed",
            help='pip install "hybridize[image]"',
        ) from error


def decoded(data: bytes, channels: int | None, source: str = "the image") -> NDArray[Any]:
    """Return the pixels of a compressed image, (height, width, channels), as uint8.

    Args:
        data: the bytes of a file.
        channels: 3 for red, green, blue; 1 for brightness; None: as it is stored (1, 3, or 4 with opacity).
        source: what messages call it.

    Raises:
        ArgumentError E378: Pillow is not installed.
        LoadError E667: it is no image, or a damaged one.
    """
    pillow = _pillow()
    modes = {1: "L", 3: "RGB", 4: "RGBA"}
    try:
        with pillow.open(io.BytesIO(data)) as image:
            stored = len(image.getbands())
            if image.mode == "P":
                stored = 4 if "transparency" in image.info else 3
            mode = modes[channels if channels is not None else {2: 4}.get(stored, stored)]
            pixels = numpy.array(image if image.mode == mode else image.convert(mode), numpy.uint8)
    except (OSError, ValueError, KeyError, SyntaxError, EOFError, IndexError, TypeError, ArithmeticError) as error:
        if isinstance(error, (TimeoutError, InterruptedError)):
            raise
        raise LoadError("E667", f"{source}: {error}", help="pass a complete JPEG, PNG or other image") from error
    return pixels[:, :, None] if pixels.ndim == 2 else pixels


def encoded(pixels: NDArray[Any], kind: str, quality: int) -> bytes:
    """Return an image as the bytes of a file.

    Args:
        pixels: uint8, (height, width), or with 1, 3 or 4 channels.
        kind: `.jpg` or `.png`.
        quality: of JPEG 1 to 100; of PNG how much to compress, 0 to 9.

    Raises:
        ArgumentError E378: Pillow is not installed.
        ArgumentError E3005: another kind, or no such image.
    """
    name = _KINDS.get(kind.lower())
    if name is None:
        raise ArgumentError("E3005", f"images can be written as {', '.join(_KINDS)}, got {kind!r}")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.dtype != numpy.uint8 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] in (3, 4))):
        what = f"an image is uint8 (height, width, channels), got {pixels.dtype} of shape {pixels.shape}"
        raise ArgumentError("E3005", what)
    file = io.BytesIO()
    options = {"quality": quality} if name == "JPEG" else {"compress_level": min(max(quality, 0), 9)}
    _pillow().fromarray(pixels).save(file, name, **options)
    return file.getvalue()
