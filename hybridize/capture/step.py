# SPDX-License-Identifier: Apache-2.0
"""What the calls of a program that holds a training step have to see to, besides its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.traced import Variable
from hybridize.base.frozen import frozen
from hybridize.capture.marks import mark_of


@frozen
class Step:
    """The part of a program that deals with gradients."""

    marks: dict[int, Any]
    """Leaves of the arguments that are read while recording: the variable that each is, None for a constant."""
    fresh: dict[Variable, bool]
    """Variables whose gradients are written, and whether nobody has used them at the end."""

    def takes(self, leaves: Sequence[Any]) -> bool:
        """Whether these arguments have gradients attached as it was captured for."""
        return all(
            (mark_of(leaves[position]) if type(leaves[position]) is ndarray else None) is mark
            for position, mark in self.marks.items()
        )

    def done(self) -> None:
        """Say that a call has written its gradients."""
        for variable, fresh in self.fresh.items():
            variable.fresh = fresh


NO_STEP = Step({}, {})
