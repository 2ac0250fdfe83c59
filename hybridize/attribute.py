# SPDX-License-Identifier: Apache-2.0
"""MXNet's `attribute`: attributes of all expressions that are made in a `with` block."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.base.names import refuses
from hybridize.symbol.scopes import AttrScope as AttrScope

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals())
