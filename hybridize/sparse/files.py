# SPDX-License-Identifier: Apache-2.0
"""Files of arrays: `nd.save`, `nd.load`, `nd.load_frombuffer`, and what `npx.save`, `savez` and `load` do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy

from hybridize.array.nd_array import as_nd
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.errors import ArgumentError
from hybridize.base.participation import outside_only
from hybridize.base.progress import showing
from hybridize.formats.atomic import write_atomically
from hybridize.formats.cursor import bytes_of
from hybridize.formats.mxnet import parse_stored, read_stored, write_params
from hybridize.formats.mxnet.params import One, Stored, Writable
from hybridize.formats.mxnet.sparse import SparseArray
from hybridize.formats.mxnet.zipped import MAGIC, npy_chunks, zip_chunks
from hybridize.sparse.arrays import CLASSES, BaseSparseNDArray


@outside_only("writes a file")
def save(fname: Any, data: Any) -> None:
    """Write an array, a list of arrays, or arrays by name, as MXNet's binary list.

    Args:
        fname: a path; it is replaced when the new file is whole.
        data: an array, dense or sparse, a list or tuple of them, or a dict of them by name.

    Raises:
        ArgumentError E303: it holds something that is no array, or a name that is no string.
        DTypeError E202: MXNet has no such dtype.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.params")
    >>> nd.save(path, [nd.ones((2,))])
    >>> nd.load(path)[0].asnumpy()
    array([1., 1.], dtype=float32)
    """
    write_params(fname, _writable("nd.save", data))


@outside_only("reads a file")
def load(fname: Any) -> Any:
    """Read what any MXNet has saved: a dict of arrays with names, or a list of arrays without.

    An array that MXNet calls "none", without shape and data, is None.

    Raises:
        LoadError E600: the file cannot be opened; E601: it is malformed.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.params")
    >>> nd.save(path, {"weight": nd.ones((2,))})
    >>> nd.load(path)["weight"].asnumpy()
    array([1., 1.], dtype=float32)
    """
    with showing(f"loading {fname}"):
        return as_nd(_ours(read_stored(fname)))


@outside_only("reads bytes of a file")
def load_frombuffer(buf: Any) -> Any:
    """Read from bytes in memory what `load` reads from a file.

    Raises:
        ArgumentError E307: these are no bytes; LoadError E601: they are malformed.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "x.params")
    >>> nd.save(path, [nd.ones((2,))])
    >>> nd.load_frombuffer(path.read_bytes())[0].asnumpy()
    array([1., 1.], dtype=float32)
    """
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise ArgumentError("E307", f"nd.load_frombuffer takes bytes, got {type(buf).__name__}")
    return as_nd(_ours(parse_stored(buf)))


def save_np(file: Any, arr: Any) -> None:
    """Write what `npx.save` is given."""
    if isinstance(arr, BaseSparseNDArray):
        raise ArgumentError("E303", "npx.save: a .npy file holds no sparse array", help="npx.savez writes one")
    if isinstance(arr, (ndarray, numpy.ndarray)):
        write_atomically(file, npy_chunks(_numpys("npx.save", arr)))
    else:
        write_params(file, _writable("npx.save", arr), np_shape=True)


def savez(file: Any, arrays: Mapping[str, Any]) -> None:
    """Write what `npx.savez` is given."""
    members = {name: _stored("npx.savez", array) for name, array in arrays.items()}
    write_atomically(file, zip_chunks(members))


def load_np(file: Any) -> Any:
    """Read what `npx.load` reads."""
    data = bytes_of(file)
    arrays = _ours(parse_stored(data, os.fspath(file)))
    if bytes(data[:2]) == b"PK" and isinstance(arrays, list):  # a .npz file names those without names
        return {f"arr_{k}": one for k, one in enumerate(arrays)}
    return arrays[0] if bytes(data[:6]) == MAGIC else arrays


def _writable(name: str, data: Any) -> Writable:
    if isinstance(data, Mapping):
        return {key: _stored(name, array) for key, array in data.items()}
    if isinstance(data, (list, tuple)):
        return [_stored(name, array) for array in data]
    return [_stored(name, data)]


def _stored(name: str, array: Any) -> Any:
    return array._parts if isinstance(array, BaseSparseNDArray) else _numpys(name, array)


def _numpys(name: str, array: Any) -> Any:
    if isinstance(array, ndarray):
        return array.asnumpy()
    if isinstance(array, numpy.ndarray):
        return array
    raise ArgumentError(
        "E303", f"{name} takes arrays, a list or a dict of them, got {type(array).__name__}",
        help="np.array(x) creates an array",
    )  # fmt: skip


def _ours(arrays: Stored) -> Any:
    if isinstance(arrays, dict):
        return {name: _one(array) for name, array in arrays.items()}
    return [_one(array) for array in arrays]


def _one(array: One) -> Any:
    if array is None:
        return None
    if isinstance(array, SparseArray):
        return CLASSES[array.storage](array)
    return wrap(array)
