# SPDX-License-Identifier: Apache-2.0
"""Warnings that point at the user's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings

from hybridize.base.locations import PACKAGE


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside of hybridize."""
    level = 1
    while True:
        try:
            frame = sys._getframe(level)
        except ValueError:
            break
        if not frame.f_code.co_filename.startswith(PACKAGE):
            break
        level += 1
    warnings.warn(text, category, stacklevel=level + 1)
