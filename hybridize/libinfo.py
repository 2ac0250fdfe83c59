# SPDX-License-Identifier: Apache-2.0
"""MXNet's `libinfo`: the version of MXNet whose programs run here. There is no library of its own to be found."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.base.names import refuses
from hybridize.base.version import MXNET

__version__ = MXNET

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals())
