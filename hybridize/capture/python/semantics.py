# SPDX-License-Identifier: Apache-2.0
"""`Semantics`: what operations of Python mean in a converted function, as those see it who stand for builtins.

`python.router.Router` is the one that there is: converted code calls it. What it calls in turn (`writes`, and the
replacements of builtins in `builtins`, `elements`, `mathematics`, `mutators`) reads, writes and calls by it again.
"""

from __future__ import annotations

from typing import Any, Protocol


class Semantics(Protocol):
    """Reads, calls and writes of one converted function."""

    @property
    def name(self) -> str:
        """The name of the function."""

    @property
    def names(self) -> dict[str, Any]:
        """The names of the function's module."""

    def read_global(self, name: str, value: Any, whole: bool = True) -> Any:
        """Read a name of the module, which now has `value`."""

    def read_attribute(self, owner: Any, name: str, whole: bool = True) -> Any:
        """Read `owner.name`."""

    def read_item(self, owner: Any, key: Any, whole: bool = True) -> Any:
        """Read `owner[key]`."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function: converted where it is the user's, as it is where it is trusted."""

    def handed(self, argument: Any) -> Any:
        """Return an argument as code that is not converted is given it: a function of the user's is converted."""

    def context(self, manager: Any) -> Any:
        """Return a context manager as it is entered."""

    def set_attribute(self, value: Any, owner: Any, name: str) -> None:
        """Do `owner.name = value`."""

    def set_item(self, value: Any, owner: Any, key: Any) -> None:
        """Do `owner[key] = value`."""

    def delete_attribute(self, owner: Any, name: str) -> None:
        """Do `del owner.name`."""

    def delete_item(self, owner: Any, key: Any) -> None:
        """Do `del owner[key]`."""
