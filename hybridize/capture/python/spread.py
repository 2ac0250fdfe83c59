# SPDX-License-Identifier: Apache-2.0
"""Calls with arguments that Python unpacks, `f(*args, **kwargs)`: its own errors about these speak of `f`."""

from __future__ import annotations

from typing import Any

from hybridize.capture.python.semantics import Semantics


class Spread:
    """A function that the router calls, under the function's own name."""

    __slots__ = ("_function", "_router")

    def __init__(self, router: Semantics, function: Any) -> None:
        self._router, self._function = router, function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._router.call(self._function, *args, **kwargs)

    def __str__(self) -> str:
        return str(self._function)

    # Python looks for `__qualname__` and `__module__`, and asks for the text where the first is missing.
    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    @property
    def __module__(self) -> Any:  # type: ignore[override]
        return self._function.__module__
