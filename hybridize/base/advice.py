# SPDX-License-Identifier: Apache-2.0
"""Warnings that point at the user's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings

from hybridize.base.locations import PACKAGE, SourceLoc


def warn_at(loc: SourceLoc | None, text: str, category: type[Warning]) -> None:
    """Warn at a line of the user's, each time; where it is not known, at the innermost line outside of hybridize."""
    if loc is None:
        warn(text, category)
    else:
        warnings.warn_explicit(text, category, loc.file, loc.line)


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
