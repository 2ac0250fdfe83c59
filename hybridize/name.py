# SPDX-License-Identifier: Apache-2.0
"""MXNet's `name`: the names that expressions get where the user gives none."""

from hybridize.base.names import refuses
from hybridize.base.prefixes import NameManager as NameManager
from hybridize.base.prefixes import Prefix as Prefix

__getattr__ = refuses(__name__, globals())
