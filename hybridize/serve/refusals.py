# SPDX-License-Identifier: Apache-2.0
"""Requests that are refused: one exception, which both protocols translate."""

from __future__ import annotations

from typing import Final, NoReturn

STATUSES: Final = {
    "INVALID_ARGUMENT": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
    "OUT_OF_RANGE": 413, "RESOURCE_EXHAUSTED": 429, "CANCELLED": 499, "INTERNAL": 500, "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}  # fmt: skip
"""The codes of gRPC that are used here, and the status of HTTP that each is."""


class Refusal(Exception):
    """A request that gets an answer without a result.

    Args:
        code: one of `STATUSES`.
        text: which thing is wrong, what was expected, what to do.
        reason: one word for metrics.
    """

    def __init__(self, code: str, text: str, reason: str = "request") -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.reason = reason

    @property
    def status(self) -> int:
        """The status of HTTP."""
        return STATUSES[self.code]


def refuse(text: str) -> NoReturn:
    """Raise the refusal of a request that is wrong by itself."""
    raise Refusal("INVALID_ARGUMENT", text)
