# SPDX-License-Identifier: Apache-2.0
"""MXNet's `attribute`: attributes of all expressions that are made in a `with` block."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import refuses
from hybridize.symbol.scopes import AttrScope as AttrScope

__getattr__: Callable[[str], Any] = refuses(__name__, globals())
