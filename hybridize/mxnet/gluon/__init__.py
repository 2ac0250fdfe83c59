# SPDX-License-Identifier: Apache-2.0
"""Gluon of MXNet 1.9.1's face: its losses, layers, loader and trainer; all else is `hybridize.gluon`'s."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import face
from hybridize.mxnet.gluon.trainer import Trainer as Trainer

_NAMES = ("data", "loss", "nn", "trainer")
_OWN = {name: f"{__name__}.{name}" for name in _NAMES} | {"metric": "hybridize.mxnet.metric"}

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), "hybridize.gluon", _OWN)
