# SPDX-License-Identifier: Apache-2.0
"""The notebook that this process runs in, if any: where figures that grow are shown, and modules are loaded again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from hybridize.base.loading import load_module

_followed: set[tuple[type, int]] = set()
"""Classes that autoreload knows, and the identity of its list."""


def notebook() -> Any:
    """Return IPython's module `display` in a notebook, else None."""
    if "IPython" not in sys.modules or sys.modules["IPython"].get_ipython() is None:
        return None
    return load_module("IPython.display")


def show_again(figure: Any) -> None:
    """Show a figure below the cell of the notebook, in the place of the one before; elsewhere do nothing."""
    display = notebook()
    if display is not None:
        display.display(figure)
        display.clear_output(wait=True)


def follow_autoreload(kind: type, inner: Callable[[Any], Any]) -> None:
    """Have IPython's autoreload, where it is loaded, update what objects of a class wrap, as it updates functions.

    Call it when one is created: so it is heard of before a module that was loaded again is compared with what it was.
    """
    autoreload = sys.modules.get("IPython.extensions.autoreload")
    rules = getattr(autoreload, "UPDATE_RULES", None)
    if rules is None or (kind, id(rules)) in _followed:
        return
    _followed.add((kind, id(rules)))

    def are_both(old: Any, new: Any) -> bool:
        return isinstance(old, kind) and isinstance(new, kind)

    def update(old: Any, new: Any) -> bool:
        return bool(autoreload.update_generic(inner(old), inner(new)))  # type: ignore[union-attr]

    rules.append((are_both, update))
