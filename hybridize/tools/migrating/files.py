# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are migrated: which there are, what each became, where it is written."""

from __future__ import annotations

import difflib
import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from hybridize.base.errors import LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.atomic import refused, write_atomically
from hybridize.tools.migrating.notebook import migrate_notebook
from hybridize.tools.migrating.script import Migrated, migrate, unread

SUFFIXES = (".py", ".ipynb")
"""Of the files of a folder that are read."""


@frozen
class MigratedFile:
    """A file, read and rewritten in memory."""

    path: Path
    before: str
    encoding: str
    done: Migrated
    places: dict[int, str]
    """For lines of a notebook: cell and line. Empty for a script."""

    @property
    def changed(self) -> bool:
        """True if something in it was rewritten."""
        return self.done.text != self.before

    @property
    def altered(self) -> int:
        """The number of lines that were rewritten."""
        before, after = (text.split("\n") for text in (self.before, self.done.text))
        return sum(old != new for old, new in zip(before, after, strict=False))

    @property
    def left(self) -> int:
        """The number of places that need a human."""
        return sum(not one.done for one in self.done.findings)

    def place(self, line: int) -> str:
        """Return a line as people find it: its number, or a cell's and the line's in it."""
        return self.places.get(line, str(line))

    def difference(self) -> str:
        """The unified diff."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.done.text))
        return "".join(difflib.unified_diff(before, after, str(self.path), f"{self.path}, migrated"))

    def write(self, path: Path) -> None:
        """Write what it became, in the encoding that it had.

        Raises:
            WriteError E335: there is no writing there.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refused(str(path), error) from error
        mode = self.path.stat().st_mode  # a script that may be executed stays one
        write_atomically(path, [self.done.text.encode(self.encoding)])
        path.chmod(mode)


def read(path: Path, own: frozenset[str] = frozenset()) -> MigratedFile:
    """Read a script or a notebook and migrate it in memory; its newlines and its encoding stay.

    A file that is no text, or no notebook, is one that was not read.

    Args:
        path: of the file.
        own: packages that are migrated with it.
    """
    data = path.read_bytes()
    places: dict[int, str] = {}
    try:
        encoding = "utf-8" if path.suffix == ".ipynb" else tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = data.decode(encoding)
        if path.suffix == ".ipynb":
            done, places = migrate_notebook(text, str(path), own)
        else:
            done = migrate(text, own)
    except (SyntaxError, UnicodeDecodeError) as error:
        encoding, text = "latin-1", data.decode("latin-1")  # any bytes: they are written as they were
        done = unread(text, None, str(error), "no Python source: pass scripts and notebooks")
    except LoadError as error:
        done = unread(text, None, error.what, error.help)
    return MigratedFile(path, text, encoding, done, places)


def sources(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Give the files that are meant, each with its name below the argument that it was found by.

    Of a folder these are its scripts and notebooks, without hidden folders, caches and virtual environments.
    """
    for path in paths:
        if not path.is_dir():
            yield path, Path(path.name)
            continue
        for folder, inner, names in os.walk(path):
            here = Path(folder)
            inner[:] = sorted(
                name for name in inner
                if not name.startswith((".", "__pycache__")) and not (here / name / "pyvenv.cfg").exists()
            )  # fmt: skip
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    yield here / name, (here / name).relative_to(path)


def packages(paths: Sequence[Path]) -> frozenset[str]:
    """Return the packages that are migrated: those in the folders that are meant, and those that these lie in."""
    own: set[str] = set()
    for path in paths:
        folder = path.resolve()
        own.update(one.parent.name for one in folder.glob("*/__init__.py"))
        while (folder / "__init__.py").exists() or (folder.is_file() and (folder.parent / "__init__.py").exists()):
            own.add(folder.name)
            folder = folder.parent
    return frozenset(own)
