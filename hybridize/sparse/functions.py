# SPDX-License-Identifier: Apache-2.0
"""Functions of `nd` that are functions of `nd.sparse` as well: what is sparse of their results, sparse arrays say."""

from __future__ import annotations

from typing import Any

from hybridize.array import legacy


def __getattr__(name: str) -> Any:
    table = legacy.table()
    if name in table:
        return table[name]
    raise AttributeError(name)
