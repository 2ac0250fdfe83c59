# SPDX-License-Identifier: Apache-2.0
"""Functions to files of every format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.errors import StateError
from hybridize.base.frozen import changed
from hybridize.base.progress import showing
from hybridize.formats import SavedProgram, exporting, read_archive
from hybridize.programs.verifying import LoadedFunction, verify

Saved = Callable[[Sequence[Any], list[str]], SavedProgram]
"""A program as plain data, with these calls as samples; what is worth telling is appended."""
Load = Callable[..., LoadedFunction]
"""Makes a function of an archive."""


def export(
    saved: Saved, loaded: Load, path: str | os.PathLike[str], format: str, *, samples: Sequence[Any] = (),
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
    with showing(f"exporting {os.path.basename(str(path))}") as shown:
        return _exported(saved, loaded, path, format, samples, _both(shown.say, progress), options)


def _both(shown: Callable[[str], None], progress: Callable[[str], None] | None) -> Callable[[str], None]:
    """Return what tells the terminal and, where there is one, the user's function."""

    def tell(what: str) -> None:
        shown(what)
        if progress is not None:
            progress(what)

    return tell


def _exported(
    saved: Saved, loaded: Load, path: str | os.PathLike[str], format: str, samples: Sequence[Any],
    progress: Callable[[str], None], options: Mapping[str, Any],
) -> exporting.Exported:  # fmt: skip
    progress("asking Python what is expected")
    notes: list[str] = []
    program = saved(samples, notes)

    def check(file: str) -> list[str]:
        title = os.path.basename(str(path))
        # With its machine code, which is what will run: that for each target that runs here. Else it is compiled.
        fitting = dict.fromkeys(code.target for one in read_archive(file).signatures for code in one.codes if code.fits)
        lines = []
        for target in list(fitting) or [""]:
            function = loaded(_with_code_for(target, read_archive(file)), owned=True, images=True)
            lines += verify(function, f"{title} ({target})" if len(fitting) > 1 else title)
        return lines

    return exporting.export(program, path, format, check=check, notes=notes, progress=progress, **options)


def _with_code_for(target: str, program: SavedProgram) -> SavedProgram:
    """A program from a file without its machine code for other targets."""
    signatures = [
        changed(one, codes=tuple(code for code in one.codes if code.target == target)) for one in program.signatures
    ]
    return changed(program, signatures=tuple(signatures))


def nothing_to_export(name: str) -> StateError:
    """The error for a function that was never called."""
    return StateError("E533", f"{name} has no program to export yet", help="call it once, or use compile(...)")
