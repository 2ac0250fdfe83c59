# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.9.1's face: `import hybridize.mxnet as mx` gives programs the version that they ask for, and its numbers.

Where MXNet 1.9.1 and 2.0 give different numbers under one name, its own modules have those of 1.9.1: optimizers, the
trainer, which finds optimizers by their names, losses, metrics, `GroupNorm`. All else is hybridize's own:
`hybridize.mxnet.nd` is `hybridize.nd`, and `from hybridize.mxnet.gluon.nn import Dense` imports no second one.
"""

import multiprocessing.pool  # noqa: F401 - programs use it that import MXNet alone, which imports it
from collections.abc import Callable
from typing import Any

from hybridize.base.names import face
from hybridize.base.version import MXNET

__version__ = MXNET
_OPTIMIZER = f"{__name__}.optimizer"

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(
    globals(),
    "hybridize",
    {"gluon": f"{__name__}.gluon", "metric": f"{__name__}.metric", "opt": _OPTIMIZER, "optimizer": _OPTIMIZER},
)
