# SPDX-License-Identifier: Apache-2.0
"""MXNet's `model_store`: where the files of networks lie, by name. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ValueArgumentError
from hybridize.base.names import late
from hybridize.formats.downloads import check_sha1
from hybridize.gluon.model_zoo.files import find_parameters, models_folder

_model_sha1: dict[str, str] = {}
"""Digests of files by the names of their networks; libraries add their own."""


def short_hash(name: str) -> str:
    """Return the part of a network's digest that stands in the name of its file.

    Raises:
        ValueArgumentError E361: no digest is known.
    """
    if name not in _model_sha1:
        what = f"no digest of {name!r} is known"
        raise ValueArgumentError(
            "E361", what, help=f"load_parameters(path) reads any file; add to {__name__}._model_sha1"
        )
    return _model_sha1[name][:8]


def get_model_file(name: str, root: Any = None) -> str:
    """Return the path of a network's file.

    Args:
        name: of the network.
        root: the folder; where none is given, `models` in `$MXNET_HOME` or `~/.mxnet`.

    Raises:
        LoadError E615: there is none.
        ValueArgumentError E361: it has another digest than the one that is known.
    """
    path = os.fspath(find_parameters(name, root))
    digest = _model_sha1.get(name)
    if digest is not None and not check_sha1(path, digest):
        raise ValueArgumentError("E361", f"{path} has another SHA-1 than {name!r} should have, {digest}")
    return path


def purge(root: Any = None) -> None:
    """Delete the files of parameters in a folder: by default, that of `get_model_file`."""
    folder = models_folder() if root is None else os.path.expanduser(root)
    for file in os.listdir(folder):
        if file.endswith(".params"):
            os.remove(os.path.join(folder, file))


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
