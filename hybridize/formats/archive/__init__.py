# SPDX-License-Identifier: Apache-2.0
"""Our own archive: one safetensors file that holds a program with its weights. See `docs/internals/archive.md`.

    container       the file: named tensors behind a header, mapped, each with a checksum
    reading         file -> `SavedProgram`, as little of it as a run needs; description, structures as JSON
    writing, lines  `SavedProgram` -> file; where the user wrote it

Graphs are in their text form: every op is looked up by name and typed again. Machine code is mapped by the compiler,
and only where the user said that the file is to be trusted.
"""

import os
from collections.abc import Sequence

from hybridize.base.loading import LOADING
from hybridize.formats.archive.reading import read_archive as read_archive
from hybridize.formats.archive.reading import read_if_archive as read_if_archive
from hybridize.formats.archive.reading import read_received as read_received
from hybridize.formats.saved import SavedProgram


def write_archive(
    path: str | os.PathLike[str], program: SavedProgram, targets: str | Sequence[str] | None = None
) -> None:
    """Write a program to one file; see `writing.write_archive`."""
    with LOADING:
        from hybridize.formats.archive import writing  # late: most processes write no file

    writing.write_archive(path, program, targets)


def written(program: SavedProgram) -> bytes:
    """Return the bytes of the file that a program was read from, with its present weights; of none, a new one's."""
    if program.file is not None:
        return program.file(program.weights)
    with LOADING:
        from hybridize.formats.archive import writing  # late: most processes write no file

    return writing.content(program, ())
