# SPDX-License-Identifier: Apache-2.0
"""Data of MXNet 1.9.1's face: its loader; all else is `hybridize.gluon.data`'s."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import face
from hybridize.mxnet.gluon.data.dataloader import DataLoader as DataLoader

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), "hybridize.gluon.data", {"dataloader": f"{__name__}.dataloader"})
