# SPDX-License-Identifier: Apache-2.0
"""Group the axes of two shapes of as many elements: what a reshape leaves as it is, and what it mixes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from hybridize.base.dims.sizes import proven, same

Groups: TypeAlias = "list[tuple[list[int], list[int]]]"
"""Axes of the one shape and of the other one that have equal products, front to back."""


def grouped(old: Sequence[int], new: Sequence[int]) -> Groups:
    """Cut two shapes of one size into the smallest groups of axes with equal products, front to back.

    (2, 3, 4) and (6, 4): axes 0, 1 with axis 0, and axis 2 with axis 1. Axes of size 1 belong to no group. Sizes that
    are not known are asked for nothing where they group alike whatever they are; one that may be 1 is in a group then.
    """
    groups = _grouped_anyway(old, new)
    return _grouped_by_asking(old, new) if groups is None else groups


def _grouped_anyway(old: Sequence[int], new: Sequence[int]) -> Groups | None:
    """The groups whatever the sizes are, by what is known of them; None where that is not enough."""
    left = [k for k, size in enumerate(old) if not same(size, 1)]
    right = [k for k, size in enumerate(new) if not same(size, 1)]
    groups: Groups = []
    i = j = 0
    while i < len(left) and j < len(right):
        mine, yours = [left[i]], [right[j]]
        a, b = old[left[i]], new[right[j]]
        i, j = i + 1, j + 1
        while not same(a, b):
            if proven(b - a, 0) and i < len(left):
                mine.append(left[i])
                a, i = a * old[left[i]], i + 1
            elif proven(a - b, 0) and j < len(right):
                yours.append(right[j])
                b, j = b * new[right[j]], j + 1
            else:
                return None
        groups.append((mine, yours))
    return groups if i == len(left) and j == len(right) else None


def _grouped_by_asking(old: Sequence[int], new: Sequence[int]) -> Groups:
    left = [k for k, size in enumerate(old) if size != 1]
    right = [k for k, size in enumerate(new) if size != 1]
    if math.prod(old) == 0:
        return [(left, right)]
    groups: Groups = []
    i = j = 0
    while i < len(left) and j < len(right):
        mine, yours = [left[i]], [right[j]]
        a, b = old[left[i]], new[right[j]]
        i, j = i + 1, j + 1
        while a != b:
            if i == len(left) or j == len(right):
                return [(left, right)]  # a size that is not known is 1 in the call that is compiled
            if a < b:
                mine.append(left[i])
                a, i = a * old[left[i]], i + 1
            else:
                yours.append(right[j])
                b, j = b * new[right[j]], j + 1
        groups.append((mine, yours))
    return groups
