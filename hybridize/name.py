# SPDX-License-Identifier: Apache-2.0
"""MXNet's `name`: the names that expressions get where the user gives none."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.base.names import refuses
from hybridize.base.prefixes import NameManager as NameManager
from hybridize.base.prefixes import Prefix as Prefix

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals())
