# SPDX-License-Identifier: Apache-2.0
"""`CarriedNumber`: what is a number before a loop of the graph, and an array after its first round.

    t = 0.0
    while x[i] < limit:
        t += x[i]

The first round makes a new array, and later ones write to it. A copy is written instead, which is the same as long as
nobody reads the old array afterwards by another name.
"""

from __future__ import annotations

from math import inf

from hybridize.base.errors import CaptureError
from hybridize.capture.trace.scope import GraphScope
from hybridize.graph import Value


class CarriedNumber:
    """A number that becomes an array in the first round of a loop.

    Args:
        value: what it is at the beginning of a round.
        body: the body of the loop.
        around: the same in a loop around, which this is at first.
    """

    def __init__(self, value: Value, body: GraphScope, around: CarriedNumber | None) -> None:
        self._value, self._body, self._around = value, body, around
        self._copies: list[tuple[GraphScope, int, GraphScope | None]] = []
        """Scopes where it was copied, the node of each from which on nobody may read it, and the branch in it, if any,
        which may."""
        self.refusal: CaptureError | None = None
        """Says that the first write to it may be seen by another name."""

    def copied(self, at: GraphScope, refusal: CaptureError, since: int | None = None) -> None:
        """Hear that a copy was written in its stead: `refusal` is raised if anybody reads it from here on."""
        self.refusal = self.refusal or refusal
        self._copies.append((at, len(at.builder.nodes) if since is None else since, None))
        while at is not self._body and at.parent is not None:
            branch, at = at, at.parent
            self._copies.append((at, len(at.builder.nodes), branch))
        if self._around is not None:
            self._around.copied(self._body, refusal, 0)

    def is_read(self) -> bool:
        """Tell whether anybody reads it after a copy of it was written."""
        return any(self._is_read(*copy) for copy in self._copies)

    def _is_read(self, at: GraphScope, since: int, branch: GraphScope | None) -> bool:
        end = since if branch is None or branch.end is None else branch.end
        value = self._inside(at)
        if value is None or inf in (end, at.end):
            return False
        return value in at.outputs or any(value in node.inputs for node in at.builder.nodes[int(end) :])

    def _inside(self, at: GraphScope) -> Value | None:
        """Return the value that stands for it in a scope; None: none does."""
        if at is self._body or at.parent is None:
            return self._value
        around = self._inside(at.parent)
        return None if around is None else at.inside(around)
