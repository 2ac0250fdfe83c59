# SPDX-License-Identifier: Apache-2.0
"""Assertions of programs that a device runs: it can call nobody, so it leaves a note that the host reads.

The *flag block* of a call begins with a number: 0, or that of the assertion that failed first, counted from 1 among
`Plan.notes`. Behind it, at `NOTE_BYTES` and then at multiples of it, are the operands of its message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import BY_CODE
from hybridize.runtime.effects import perform
from hybridize.runtime.plan import NOTE_BYTES, Plan, aligned_note


def raise_noted(plan: Plan, read: Callable[[int, tuple[int, ...], Any], NDArray[Any]]) -> None:
    """Raise what a failed assertion of a call raises, in the words of a processor; do nothing where all hold.

    Args:
        plan: whose sizes are numbers.
        read: gives an array of the flag block, by its first byte, shape and dtype; it waits for the call.
    """
    (number,) = read(0, (1,), numpy.int64)
    if not number:
        return
    note, at = plan.notes[number - 1], NOTE_BYTES
    operands: list[NDArray[Any]] = []
    for one in note.operands:
        operands.append(read(at, tuple(map(int, one.shape)), BY_CODE[one.dtype]))
        at += aligned_note(one.nbytes)
    perform(note.kind, note.message, note.recipe, [numpy.zeros((), numpy.bool_), *operands])
