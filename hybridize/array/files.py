# SPDX-License-Identifier: Apache-2.0
"""`npx.save`, `npx.savez` and `npx.load` by name; what reads and writes files is filled in from above."""

from __future__ import annotations

from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.base.hooks import Hooks
from hybridize.base.participation import outside_only
from hybridize.base.tracebacks import leaves

files: Hooks = Hooks()
"""`save`, `savez` and `load` of those who know formats."""


@outside_only("writes a file")
@leaves
def save(file: Any, arr: Any) -> None:
    """Write one array as `.npy`; a list of arrays, or arrays by name, as MXNet's binary list.

    Args:
        file: a path; it is replaced when the new file is whole. Nothing is added to its name.
        arr: an array, a list or tuple of them, or a dict of them by name.

    Raises:
        ArgumentError E303: it holds something that is no array, or a name that is no string.
        DTypeError E202: MXNet has no such dtype.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> npx.save(path, np.ones(2))
    >>> npx.load(path)
    array([1., 1.])
    """
    files.save(file, arr)


@outside_only("writes a file")
@leaves
def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Write arrays to an uncompressed `.npz` file, which MXNet 2 and `numpy.load` read.

    Args:
        file: a path; it is replaced when the new file is whole. Nothing is added to its name.
        args: arrays, which are called `arr_0`, `arr_1`, ...
        kwds: arrays by name.

    Raises:
        ArgumentError E303: it is no array, or a name comes twice.
        DTypeError E202: MXNet has no such dtype.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> npx.savez(path, weight=np.ones(2))
    >>> npx.load(path)
    {'weight': array([1., 1.])}
    """
    named = {f"arr_{number}": array for number, array in enumerate(args)}
    for name in named.keys() & kwds.keys():
        raise ArgumentError("E303", f"savez: two arrays have the name {name!r}, one by position and one by keyword")
    files.savez(file, named | kwds)


@outside_only("reads a file")
@leaves
def load(file: Any) -> Any:
    """Read arrays that any MXNet has saved: one, a dict of arrays with names, or a list of arrays without.

    Args:
        file: the path of a `.npy`, `.npz` or `.params`, told by its content.

    Raises:
        LoadError E600: the file cannot be opened; E601: it is malformed.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.params")
    >>> npx.save(path, {"weight": np.ones(2)})
    >>> npx.load(path)
    {'weight': array([1., 1.])}
    """
    return files.load(file)
