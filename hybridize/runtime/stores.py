# SPDX-License-Identifier: Apache-2.0
"""Bytes that outlive the process: what was made from the same parts before, perhaps by another process.

The disk cache belongs to `compiler`, which says here how others use it.
"""

from __future__ import annotations

from typing import Final, Protocol

from hybridize.base.hooks import Hook


class Store(Protocol):
    """Bytes, by the parts that they were made from."""

    def find(self, *parts: str) -> bytes | None:
        """Return what was made from `parts`; None where it is not there, or damaged."""

    def keep(self, content: bytes, *parts: str) -> None:
        """Keep what was made from `parts`, if that is possible."""


class _Empty:
    """A store without a disk."""

    def find(self, *parts: str) -> bytes | None:
        return None

    def keep(self, content: bytes, *parts: str) -> None:
        pass


STORE: Final[Hook[Store]] = Hook(_Empty())
