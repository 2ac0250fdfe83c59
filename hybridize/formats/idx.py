# SPDX-License-Identifier: Apache-2.0
"""Files in the form of MNIST's: bytes along some axes, as they are or packed by gzip."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.base.loading import LOADING


def read_idx(path: str, axes: int) -> NDArray[Any]:
    """Read an array of bytes: 0, 0, 8 for bytes, the number of axes, their sizes, the elements.

    Raises:
        LoadError E664: the file is not of that form, or has another number of axes.
    """
    data = read_bytes(path)
    start = 4 + 4 * axes
    if len(data) < start or data[:4] != bytes((0, 0, 8, axes)):
        raise not_as_published(path, f"a file with {axes} axes begins with 00 00 08 0{axes}, not {data[:4].hex(' ')}")
    sizes = numpy.frombuffer(data, ">u4", axes, 4).tolist()
    expected = start + int(numpy.prod(sizes, dtype=object))
    if len(data) != expected:
        raise not_as_published(path, f"sizes {sizes} need {expected} bytes, the file has {len(data)}")
    return numpy.frombuffer(data, numpy.uint8, offset=start).reshape(sizes).copy()


def read_bytes(path: str) -> bytes:
    """Read a whole file, unpacked where its name ends with .gz.

    Raises:
        LoadError E664: it is no whole gzip file.
    """
    if not path.endswith(".gz"):
        with open(path, "rb") as file:
            return file.read()
    with LOADING:
        import gzip
        import zlib

    try:
        with gzip.open(path) as packed:
            return packed.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LoadError("E664", f"{path}: not a whole gzip file: {error}", help="download the file again") from None


def not_as_published(path: str, what: str) -> LoadError:
    """The error for a file of a data set that is not what its name says."""
    return LoadError("E664", f"{path}: {what}", help="download the file again")
