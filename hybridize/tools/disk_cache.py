# SPDX-License-Identifier: Apache-2.0
"""The disk cache on the command line: a table of what it holds, and how it is emptied."""

from __future__ import annotations

import time

from hybridize.base.config import CONFIG
from hybridize.compiler import disk
from hybridize.tools.tables import Grid

_UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))


def table() -> Grid:
    """Describe the disk cache: its folder, how much it holds, and whether it can be used."""
    folder = disk.folder()
    if folder is None:
        why = "HYBRIDIZE_CACHE=0" if not CONFIG.cache else "this user has no home; HYBRIDIZE_CACHE_DIR names a folder"
        return Grid("disk cache: switched off", ("what", "value"), (), (why,), words=2)
    records = folder.entries()
    rows = [
        ("folder", folder.path),
        ("records", f"{len(records):,}"),
        ("bytes", f"{sum(record.nbytes for record in records):,} of {folder.limit_bytes:,}"),
    ]
    if records:
        rows += [("last used", _ago(records[-1].used)), ("longest unused", _ago(records[0].used))]
    problem = disk.problem()
    return Grid("disk cache", ("what", "value"), rows, (problem,) if problem else (), words=2)


def cleared() -> str:
    """Empty the cache; returns what became of it."""
    folder = disk.folder()
    return f"{folder.clear() if folder is not None else 0:,} bytes freed"


def _ago(moment: float) -> str:
    seconds = time.time() - moment
    for unit, length in _UNITS:
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"
