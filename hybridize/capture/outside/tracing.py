# SPDX-License-Identifier: Apache-2.0
"""`Tracing`: the part of a trace that `outside` asks; `capture.trace.recording.Trace` is the one that there is."""

from __future__ import annotations

from typing import Any, Protocol

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Library
from hybridize.base.locations import SourceLoc
from hybridize.contract.feeds import Feed


class Tracing(Protocol):
    """The trace of a program, as those see it who decide about the world outside."""

    library: Library | None
    """The array library that the function is written for, where that is another one."""

    def lift(self, array: ndarray, name: str = "") -> Symbol:
        """Give the symbol of an array that exists already."""

    def foreign_array(self, array: Any) -> ndarray:
        """Remember an array of NumPy's as the user's, so that it is lifted where it is used; give it as ours."""

    def location(self) -> SourceLoc | None:
        """Give the user's line."""

    def feed(self, feed: Feed, before: Any) -> None:
        """Let calls of the program begin with a feed."""

    def refusing(self, error: CaptureError) -> CaptureError:
        """Keep an error of this capture, which no `except` of the user's can swallow."""

    def refusal(self, code: str, what: str, *, help: str = "", loc: SourceLoc | None = None) -> CaptureError:
        """Give the error for what the capture cannot do, which no `except` of the user's can swallow."""
