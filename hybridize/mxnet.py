# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.9.1's face: `import hybridize.mxnet as mx` gives programs the version that they ask for.

All else is hybridize's own: `hybridize.mxnet.gluon` is `hybridize.gluon`, and `from hybridize.mxnet.gluon.nn import
Dense` imports no second one.
"""

import multiprocessing.pool  # noqa: F401 - programs use it that import MXNet alone, which imports it
from typing import Any

import hybridize
from hybridize.base.names import ALIASES
from hybridize.base.version import MXNET

__version__ = MXNET
__path__: list[str] = []

ALIASES.add(__name__, hybridize.__name__)


def __getattr__(name: str) -> Any:
    return getattr(hybridize, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(hybridize)})
