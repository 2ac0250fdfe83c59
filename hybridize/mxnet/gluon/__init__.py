# SPDX-License-Identifier: Apache-2.0
"""Gluon of MXNet 1.9.1's face: a trainer by its optimizers, and its losses; all else is that of `hybridize.gluon`."""

from hybridize.base.names import face
from hybridize.mxnet.gluon.trainer import Trainer as Trainer

__getattr__, __dir__ = face(globals(), "hybridize.gluon", {name: f"{__name__}.{name}" for name in ("loss", "trainer")})
