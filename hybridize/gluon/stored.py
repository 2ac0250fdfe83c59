# SPDX-License-Identifier: Apache-2.0
"""Arrays of files and the parameters they belong to: structure paths, exported `arg:` names, MXNet 1.x names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats import mxnet
from hybridize.gluon.naming import without_counters
from hybridize.gluon.parameter import Parameter


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
            raise LoadError("E612", f"{filename}: {name!r} has no data, or occurs both as arg and as aux")
        named[short] = array
    return named


def names_by_path(parameters: Mapping[str, Parameter], values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """For each path the name under which its array is there: itself, or its MXNet 1.x name, counters aside.

    Args:
        parameters: by path.
        values: arrays by name.
        prefix: that names of MXNet 1.x may lack, as in the files of `save_params`.
    """
    candidates = [{path: path for path in parameters if path in values}]
    if len(candidates[0]) == len(values):
        return candidates[0]
    for start in dict.fromkeys(("", prefix)):
        whole = {start + name: name for name in values}
        names = {path: whole[p.name] for path, p in parameters.items() if p.name in whole}
        if len(set(names.values())) == len(values):
            return names
        theirs = {plain: whole[name] for name, plain in without_counters(whole).items()}
        ours = without_counters({p.name for p in parameters.values()})
        candidates.append({path: theirs[ours[p.name]] for path, p in parameters.items() if ours[p.name] in theirs})
    return max(candidates, key=len)


def listed(names: Mapping[str, Any]) -> str:
    """Name the first of several."""
    shown = list(names)[:5]
    return ", ".join(repr(name) for name in shown) + (", ..." if len(names) > len(shown) else "") or "nothing"
