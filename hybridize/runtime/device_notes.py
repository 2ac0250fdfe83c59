# SPDX-License-Identifier: Apache-2.0
"""Assertions and prints of programs that a device runs: it can call nobody, so the host reads what they say.

An assertion leaves a note. The *flag block* of a call begins with a number: 0, or that of the assertion that failed
first, counted from 1 among `Plan.notes`. Behind it, at `NOTE_BYTES` and then at multiples of it, are the operands of
its message. A print is the host's work: it waits for the operands, and prints unless an assertion has failed before.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import BY_CODE
from hybridize.runtime.effects import perform
from hybridize.runtime.plan import NOTE_BYTES, Plan, PlanNote, aligned_note

Read = Callable[[int, tuple[int, ...], Any], NDArray[Any]]
"""Gives an array of the device, by its first byte, shape and dtype; it waits for the work before."""


def raise_noted(plan: Plan, read: Read) -> None:
    """Raise what a failed assertion of a call raises, in the words of a processor; do nothing where all hold.

    Args:
        plan: whose sizes are numbers.
        read: counts bytes from the first of the flag block.
    """
    (number,) = read(0, (1,), numpy.int64)
    if number:
        note = plan.notes[number - 1]
        places = itertools.accumulate([aligned_note(one.nbytes) for one in note.operands], initial=NOTE_BYTES)
        _perform(note, [numpy.zeros((), numpy.bool_)], places, read)


def print_noted(note: PlanNote, addresses: Iterable[int], flag: int, read: Read) -> None:
    """Print what a program says while it runs, unless an assertion has failed before.

    Args:
        note: what it says.
        addresses: of the operands.
        flag: the address of the flag block; 0 for a program that asserts nothing.
        read: counts bytes from 0.
    """
    if not flag or not read(flag, (1,), numpy.int64)[0]:
        _perform(note, [], addresses, read)


def _perform(note: PlanNote, first: list[NDArray[Any]], places: Iterable[int], read: Read) -> None:
    pairs = zip(note.operands, places, strict=False)
    operands = [read(at, tuple(map(int, one.shape)), BY_CODE[one.dtype]) for one, at in pairs]
    perform(note.kind, note.message, note.recipe, [*first, *operands])
