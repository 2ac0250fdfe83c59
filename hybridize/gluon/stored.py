# SPDX-License-Identifier: Apache-2.0
"""Arrays of files and the parameters they belong to: structure paths, exported `arg:` names, MXNet 1.x names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats import mxnet
from hybridize.gluon.naming import without_counters
from hybridize.gluon.parameter import Constant, Parameter, checked_devices


def named_arrays(filename: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a `.params` file by name, `arg:` and `aux:` taken off.

    Raises:
        LoadError E612: the file has arrays without names, or names without arrays.
    """
    arrays = mxnet.read_params(filename, mapped=True)  # they are copied, once, into the parameters
    if not isinstance(arrays, dict):
        if arrays:
            raise LoadError("E612", f"{filename} holds {len(arrays)} arrays without names")
        return {}
    named: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        short = name[4:] if name[:4] in ("arg:", "aux:") else name
        if array is None or short in named:
            raise LoadError("E612", f"{filename}: {name!r} has no data, or comes as arg and as aux")
        named[short] = array
    return named


def load_into(
    parameters: Mapping[str, Parameter],
    arrays: Mapping[str, Any],
    source: str,
    allow_missing: bool = False,
    ignore_extra: bool = False,
    *,
    cast_dtype: bool = False,
    dtype_source: str = "current",
    device: Any = None,
) -> None:
    """Copy arrays into parameters. Nothing is written unless everything is there and fits.

    Args:
        parameters: by path.
        arrays: by path, or by MXNet 1.x's name.
        source: what messages call the arrays' origin.
        allow_missing: leave parameters without an array as they are.
        ignore_extra: leave out arrays without a parameter.
        cast_dtype: convert where dtypes differ.
        dtype_source: `current` converts to the parameter's dtype, `saved` makes it the array's.
        device: a device, or a list of them, for parameters that have none yet; others must be there.

    Raises:
        LoadError E610: a parameter is missing; E611: an array belongs to none; E613: a shape or dtype differs.
        DeviceError E704: a parameter is on other devices.
    """
    devices = None if device is None else checked_devices(device)
    values = {name: _as_numpy(array) for name, array in arrays.items()}
    by_name = _names_by_path(parameters, values)
    for path, name in by_name.items():
        if parameters[path].shape == () and values[name].shape == (1,):
            values[name] = values[name].reshape(())  # MXNet 1.x's way to write it
    shared: dict[int, str] = {id(parameters[path]): path for path in by_name}
    missing = [path for path, p in parameters.items() if id(p) not in shared and not isinstance(p, Constant)]
    if missing and not allow_missing:
        raise LoadError(
            "E610",
            f"parameter {missing[0]!r} is missing in {source}, which contains {_listed(values)}",
            help="allow_missing=True leaves such parameters as they are",
        )
    extra = set(values) - set(by_name.values())
    if extra and not ignore_extra:
        raise LoadError(
            "E611",
            f"parameter {min(extra)!r} of {source} is not in the net, which has {_listed(parameters)}",
            help="ignore_extra=True leaves it out",
        )
    for path, name in by_name.items():
        parameters[path].check(values[name], path, cast_dtype)
        if devices is not None:
            parameters[path].expect_on(devices)
    for path, name in by_name.items():
        parameters[path].load(values[name], dtype_source=dtype_source)


def _names_by_path(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, str]:
    """For each path the name under which its array is there: itself, or its MXNet 1.x name, counters aside."""
    names = {path: path for path in parameters if path in values}
    if names or not values:
        return names
    names = {path: p.name for path, p in parameters.items() if p.name in values}
    if len(names) == len(values):
        return names
    theirs = {plain: name for name, plain in without_counters(values).items()}
    ours = without_counters({p.name for p in parameters.values()})
    return {path: theirs[ours[p.name]] for path, p in parameters.items() if ours[p.name] in theirs}


def _as_numpy(array: Any) -> NDArray[Any]:
    return array.asnumpy() if hasattr(array, "asnumpy") else numpy.asarray(array)


def _listed(names: Mapping[str, Any]) -> str:
    shown = list(names)[:5]
    return ", ".join(repr(name) for name in shown) + (", ..." if len(names) > len(shown) else "") or "nothing"
