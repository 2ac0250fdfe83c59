# SPDX-License-Identifier: Apache-2.0
"""Functions to files of every format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.base.errors import StateError
from hybridize.capture.verifying import verify
from hybridize.formats import SavedProgram, exporting, read_archive

if TYPE_CHECKING:
    from hybridize.capture.function import Function

Saved = Callable[[Sequence[Any], list[str]], SavedProgram]
"""A program as plain data, with these calls as samples; what is worth telling is appended."""
Loaded = Callable[..., "Function"]
"""`Function.from_saved`."""


def export(
    saved: Saved, loaded: Loaded, path: str | os.PathLike[str], format: str, *, samples: Sequence[Any] = (),
    progress: Callable[[str], None] | None = None, options: Mapping[str, Any],
) -> exporting.Exported:  # fmt: skip
    """Export what `saved` gives; see `formats.exporting.export`.

    Args:
        saved: gives the program.
        loaded: makes a function of an archive.
        path: of the file, or what the files are called.
        format: what to write.
        samples: calls of the user's to check it with, each an array or a tuple of arguments.
        progress: hears what is being done.
        options: of the format.
    """
    exporting.checked_options(format, options)  # before Python runs
    if progress is not None:
        progress("asking Python what is expected")
    notes: list[str] = []
    program = saved(samples, notes)

    def check(file: str) -> list[str]:
        # With its machine code, which is what will run.
        return verify(loaded(read_archive(file), owned=True, images=True), os.path.basename(os.fspath(path)))

    return exporting.export(program, path, format, check=check, notes=notes, progress=progress, **options)


def nothing_to_export(name: str) -> StateError:
    """The error for a function that was never called."""
    return StateError("E533", f"{name} has no program to export yet", help="call it once, or say compile(...)")
