# SPDX-License-Identifier: Apache-2.0
"""Which arrays have gradients attached, as far as a program depends on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array.ndarray import gradient_of, history, ndarray
from hybridize.base.locations import SourceLoc
from hybridize.contract.guards import Guard


def mark_of(array: ndarray) -> Any:
    """The variable that an array is; what else a tape knows it by; None for a constant."""
    traced = history(array)
    return None if traced is None else traced.edge


class MarkGuard(Guard):
    """Whether an array has a gradient attached, and where that goes."""

    __slots__ = ("array", "buffer", "req")

    def __init__(self, array: ndarray, mark: Any, req: str | None, loc: SourceLoc | None) -> None:
        super().__init__(mark, loc)
        self.array = array
        self.req = req
        self.buffer: ndarray | None = None if mark is None else gradient_of(mark)

    def now(self) -> Any:
        return mark_of(self.array)

    def holds(self) -> bool:
        return _is_as(self.array, self.expected, self.req, self.buffer)

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(mark_of)}({refer(self.array)})"

    def check(self, refer: Callable[[Any], str]) -> str:
        if self.expected is None:
            return f"({self.source(refer)} is None)"
        mark = refer(self.expected)
        edge = f"{refer(self.array)}._traced.edge is {mark}"
        return f"({edge} and {mark}.grad is {refer(self.buffer)} and {mark}.req == {self.req!r})"

    def what(self) -> str:
        return f"the gradient attached to {self.array.type}"

    def change(self) -> str:
        return f"{self.what()} has changed: attach_grad was called, or grad_req set"


def _is_as(array: ndarray, mark: Any, req: Any, buffer: Any) -> bool:
    return mark_of(array) is mark and (mark is None or (mark.req == req and mark.grad is buffer))
