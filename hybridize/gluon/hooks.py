# SPDX-License-Identifier: Apache-2.0
"""Hooks: functions that run before or after a block, until their handle is detached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]


class HookHandle:
    """Takes a hook off again; usable as a context manager."""

    def __init__(self, hooks: dict[int, Hook], hook: Hook, changed: Callable[[], None]) -> None:
        self._hooks, self._changed = hooks, changed
        self._key = id(self)
        hooks[self._key] = hook
        changed()

    def detach(self) -> None:
        """Remove the hook; a second time does nothing."""
        if self._hooks.pop(self._key, None) is not None:
            self._changed()

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()
