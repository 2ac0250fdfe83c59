# SPDX-License-Identifier: Apache-2.0
"""Group the axes of two shapes of as many elements: what a reshape leaves as it is, and what it mixes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hybridize.base.dims.sizes import proven, same

Groups: TypeAlias = "list[tuple[list[int], list[int]]]"
"""Axes of the one shape and of the other one that have equal products, front to back."""


def grouped(old: Sequence[int], new: Sequence[int]) -> Groups:
    """Cut two shapes of one size into the smallest groups of axes with equal products, front to back.

    (2, 3, 4) and (6, 4): axes 0, 1 with axis 0, and axis 2 with axis 1. Axes of size 1 belong to no group. Sizes that
    are not known are asked for nothing where they group alike whatever they are; one that may be 1 is in a group then.
    """
    groups = _grouped(old, new, same, lambda a, b: proven(b - a, 0))  # by what is known of the sizes
    if groups is not None:
        return groups
    groups = None if math.prod(old) == 0 else _grouped(old, new, operator.eq, operator.lt)
    # Else a size is 0; or one that is not known is 1 in the call that is compiled.
    return [(_wide(old, operator.eq), _wide(new, operator.eq))] if groups is None else groups


def _wide(sizes: Sequence[int], equal: Callable[[int, int], bool]) -> list[int]:
    """List the axes of which the size is not 1."""
    return [axis for axis, size in enumerate(sizes) if not equal(size, 1)]


def _grouped(
    old: Sequence[int], new: Sequence[int], equal: Callable[[int, int], bool], less: Callable[[int, int], bool]
) -> Groups | None:
    """Return the groups by two comparisons of sizes; None where these do not tell."""
    left, right = _wide(old, equal), _wide(new, equal)
    groups: Groups = []
    i = j = 0
    while i < len(left) and j < len(right):
        mine, yours = [left[i]], [right[j]]
        a, b = old[left[i]], new[right[j]]
        i, j = i + 1, j + 1
        while not equal(a, b):
            if i < len(left) and less(a, b):
                mine.append(left[i])
                a, i = a * old[left[i]], i + 1
            elif j < len(right) and less(b, a):
                yours.append(right[j])
                b, j = b * new[right[j]], j + 1
            else:
                return None
        groups.append((mine, yours))
    return groups if i == len(left) and j == len(right) else None
