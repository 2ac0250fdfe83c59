# SPDX-License-Identifier: Apache-2.0
"""The choices of processors that were measured by hand: where a machine of such a family begins.

Without an entry a machine begins at the defaults of `Target`. Named targets (exports, `HYBRIDIZE_TARGET`) keep those,
as they are made for any machine of a level.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from hybridize.machine.target import Target

FAMILIES: Final[Mapping[str, Mapping[str, int]]] = {
    "intel avx512": {"unroll": 2, "packs_from": 1},
    # In doubt: measured since, on a processor with AMX at this level, `packs_from` 1 has 0.95 of the speed of 4, and
    # `unroll` 4 is 1.06 times as fast as 1. Neither is beyond what is noise (decision 0037), and machines that have no
    # more than AVX2 are measured when they come; so what was found by hand stays.
    "intel avx2": {"unroll": 4, "packs_from": 1},
}
"""Choices by the processor's maker and the target's name."""


def of_family(target: Target, maker: str) -> Target:
    """Return the target with the choices of its family; as it is, where there is no entry."""
    chosen: Mapping[str, int] = FAMILIES.get(f"{maker} {target.name}", {})
    return dataclasses.replace(target, **chosen) if chosen else target  # type: ignore[arg-type]
