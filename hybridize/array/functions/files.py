# SPDX-License-Identifier: Apache-2.0
"""NumPy's files, and arrays of bytes and of text: what `np.save` writes, NumPy reads, and the other way round.

Values keep the dtype in which they were stored. Nothing is pickled: files of Python objects are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from hybridize.array.functions.creation import array as made_array
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import public
from hybridize.base.dtypes import CODES, as_dtype, bfloat16, float32, float64
from hybridize.base.errors import DTypeError
from hybridize.base.participation import outside_only


def _values(x: Any) -> numpy.ndarray[Any, Any]:
    """The values to be written, as NumPy's; of a list the array that NumPy makes of it."""
    if not isinstance(x, ndarray):
        values = numpy.asarray(x)
        if values.dtype.hasobject:
            raise DTypeError("E202", f"Python objects cannot be saved, got {x!r:.60}", help="pass numbers")
        return values
    if x.dtype == bfloat16:
        what = f"NumPy's files have no bfloat16, got {x.type}"
        raise DTypeError("E202", what, help="cast first: x.astype('float32')")
    return x.asnumpy()


def _ours(data: numpy.ndarray[Any, Any], name: str) -> ndarray:
    """An array over what was read."""
    if data.dtype not in CODES and data.dtype.newbyteorder("=") in CODES:
        data = data.astype(data.dtype.newbyteorder("="))
    if data.dtype not in CODES:
        raise DTypeError("E202", f"{name}: arrays of {data.dtype} are not supported", help="read it with numpy.load")
    return wrap(numpy.asarray(data))


@public
@outside_only("writes a file")
def save(file: Any, arr: Any, allow_pickle: bool = False) -> None:
    """Write an array to a `.npy` file; a path without an ending gets this one.

    Args:
        file: a path or an open file.
        arr: the array.
        allow_pickle: has no use: no file is a pickle.

    Raises:
        DTypeError E202: bfloat16, or Python objects.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> np.save(path, np.array([1, 2]))
    >>> np.load(path)
    array([1., 2.])
    """
    numpy.save(file, _values(arr), allow_pickle=False)


@public
@outside_only("writes a file")
def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Write several arrays to a `.npz` file, under their keywords or as `arr_0`, `arr_1`, ...

    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, np.zeros(1), weight=np.ones(2))
    >>> _ = file.seek(0)
    >>> np.load(file)["weight"]
    array([1., 1.])
    """
    write: Any = numpy.savez  # whose type takes no arrays by name
    write(file, *map(_values, args), **{name: _values(x) for name, x in kwds.items()})


@public
@outside_only("writes a file")
def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """Write several arrays to a compressed `.npz` file; see `savez`.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez_compressed(file, weight=np.ones(2))
    >>> _ = file.seek(0)
    >>> np.load(file)["weight"]
    array([1., 1.])
    """
    write: Any = numpy.savez_compressed
    write(file, *map(_values, args), **{name: _values(x) for name, x in kwds.items()})


class Archive(Mapping[str, ndarray]):
    """The arrays of a `.npz` file by name, read when they are asked for; closed by `close`, or as a context."""

    def __init__(self, file: Any) -> None:
        self._file = file

    @property
    def files(self) -> list[str]:
        """The names."""
        return list(self._file.files)

    def __getitem__(self, name: str) -> ndarray:
        return _ours(self._file[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.files)

    def __len__(self) -> int:
        return len(self._file.files)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@public
@outside_only("reads a file")
def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False, *, max_header_size: int = 10000) -> Any:
    """Read what `save`, `savez` or NumPy has written. No file is a pickle.

    Args:
        file: a name or an open file.
        mmap_mode: `r`, `r+`, `c`: the elements stay in the file until they are used; `.npy` only.
        allow_pickle: taken where it is false; nothing is unpickled.
        max_header_size: of the file, in bytes.

    Returns:
        An array; of a `.npz` file an `Archive`, arrays by name.

    Raises:
        DTypeError E202: the file has Python objects, or a dtype that arrays have not.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.array([1, 2]))
    >>> _ = file.seek(0)
    >>> np.load(file)
    array([1., 2.])
    """
    if allow_pickle:
        raise DTypeError("E202", "load: Python objects are not supported", help="numpy.load(file, allow_pickle=True)")
    contents = numpy.load(file, mmap_mode, allow_pickle=False, max_header_size=max_header_size)
    return _ours(contents, "load") if isinstance(contents, numpy.ndarray) else Archive(contents)


@public
@outside_only("writes a file")
def savetxt(fname: Any, X: Any, *args: Any, **kwargs: Any) -> None:
    """Write a vector or a matrix as text, a row a line; further arguments are those of `numpy.savetxt`.

    >>> import sys
    >>> np.savetxt(sys.stdout, np.array([[1, 2], [3, 4]]), fmt="%.1f")
    1.0 2.0
    3.0 4.0
    """
    numpy.savetxt(fname, _values(X), *args, **kwargs)


@public
@outside_only("reads a file")
def loadtxt(fname: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    r"""Read numbers from text; float32 unless you pass a dtype. Other arguments are those of `numpy.loadtxt`.

    >>> import io
    >>> np.loadtxt(io.StringIO("1 2\n3 4"))
    array([[1., 2.],
           [3., 4.]])
    """
    contents: Any = numpy.loadtxt(fname, float32 if dtype is None else as_dtype(dtype), *args, **kwargs)
    return [_ours(one, "loadtxt") for one in contents] if isinstance(contents, list) else _ours(contents, "loadtxt")


@public
def frombuffer(buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0) -> Any:
    r"""Return an array over the bytes of a buffer, which cannot be written; float64 unless you pass a dtype.

    Args:
        buffer: bytes or another object with a buffer.
        dtype: of the elements.
        count: how many elements; -1: all.
        offset: bytes before the first element.

    >>> np.frombuffer(b"\x01\x02", dtype="uint8")
    array([1, 2], dtype=uint8)
    """
    return made_array(numpy.frombuffer(buffer, _of_bytes(dtype), count, offset), _of_bytes(dtype), copy=False)


@public
@outside_only("reads a file")
def fromfile(file: Any, dtype: Any = None, count: int = -1, sep: str = "", offset: int = 0) -> Any:
    r"""Read the elements that the bytes of a file are; float64 unless you pass a dtype.

    Args:
        file: a path or an open file.
        dtype: of the elements.
        count: how many elements; -1: all.
        sep: what stands between numbers of a text; empty: the file is binary.
        offset: bytes before the first element.

    >>> np.array([1, 2], dtype="uint8").tofile("x.bin")
    >>> np.fromfile("x.bin", dtype="uint8")
    array([1, 2], dtype=uint8)
    """
    return wrap(numpy.fromfile(file, _of_bytes(dtype), count, sep, offset=offset))


@public
def fromstring(string: str, dtype: Any = None, count: int = -1, *, sep: str) -> Any:
    """Read numbers from a text, between separators; float32 unless you pass a dtype.

    Args:
        string: the text.
        dtype: of the numbers.
        count: how many numbers; -1: all.
        sep: what stands between them.

    >>> np.fromstring("1, 2, 3", sep=",")
    array([1., 2., 3.])
    """
    return made_array(numpy.fromstring(string, float32 if dtype is None else as_dtype(dtype), count, sep=sep), dtype)


def _of_bytes(dtype: Any) -> Any:
    return float64 if dtype is None else as_dtype(dtype)
