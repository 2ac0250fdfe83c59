# SPDX-License-Identifier: Apache-2.0
"""The notebook that this process runs in, if any: where figures that grow are shown."""

from __future__ import annotations

import sys
from typing import Any

from hybridize.base.loading import load_module


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
