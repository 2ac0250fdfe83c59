# SPDX-License-Identifier: Apache-2.0
"""The trainer of MXNet 1.9.1's face."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import face
from hybridize.gluon import trainer
from hybridize.mxnet.optimizer import create


class Trainer(trainer.Trainer):
    """`hybridize.gluon.Trainer`, to which an optimizer's name is that of MXNet 1.9.1's.

    Args:
        params: as of `hybridize.gluon.Trainer`.
        optimizer: as there.
        kwargs: as there.
    """

    _create = staticmethod(create)


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), trainer.__name__)
