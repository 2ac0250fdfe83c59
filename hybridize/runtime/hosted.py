# SPDX-License-Identifier: Apache-2.0
"""Parts of programs that NumPy computes, which machine code asks for by its way back into Python (`runtime.effects`).

A program names such a part by the text of its graph, so that any process can compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.base.errors import InternalError
from hybridize.base.hooks import Hook

Arrays = Sequence[NDArray[Any]]


def _nobody(text: str, operands: Arrays) -> Arrays:
    raise InternalError("E917", "a program asked for what NumPy computes before `ops.hosted` was imported")


COMPUTE: Hook[Callable[[str, Arrays], Arrays]] = Hook(_nobody)
"""Gives the outputs of a graph, given as text; filled by `ops.hosted`, which knows graphs."""
