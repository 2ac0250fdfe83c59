# SPDX-License-Identifier: Apache-2.0
"""`hybridize migrate`: the files that the command line names, their reports, their differences."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Sequence
from pathlib import Path

from hybridize.base.errors import LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.atomic import refused, write_atomically
from hybridize.tools.migrating.notebook import migrate_notebook
from hybridize.tools.migrating.script import Migrated, migrate
from hybridize.tools.tables import Grid


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
    def left(self) -> int:
        """The number of places that need a human."""
        return sum(not one.done for one in self.done.findings)

    def table(self) -> Grid:
        """The report: line, what was found, what to do."""
        before, after = (text.split("\n") for text in (self.before, self.done.text))
        altered = sum(old != new for old, new in zip(before, after, strict=False))
        rows = [(self.places.get(one.line, str(one.line)), one.text, one.remedy) for one in self.done.findings]
        note = f"{altered} line{'' if altered == 1 else 's'} rewritten; {self.left or 'nothing'} left for a human"
        return Grid(str(self.path), ("line", "found", "what to do"), rows, (note,), words=3)

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


def read(path: Path) -> MigratedFile:
    """Read a script or a notebook and migrate it in memory; its newlines and its encoding stay.

    Raises:
        LoadError E680: it is no text, or no notebook.
    """
    data = path.read_bytes()
    try:
        encoding = "utf-8" if path.suffix == ".ipynb" else tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise LoadError("E680", f"{path} is not Python source: {error}", help="pass scripts and notebooks") from error
    if path.suffix == ".ipynb":
        done, places = migrate_notebook(text, str(path))
    else:
        done, places = migrate(text), {}
    return MigratedFile(path, text, encoding, done, places)


def targets(paths: Sequence[Path], output: Path | None) -> list[Path]:
    """Return where each file is to be written: over itself, into a folder, or one file under another name."""
    if output is None:
        return [*paths]
    if len(paths) == 1 and not output.is_dir() and output.suffix == paths[0].suffix:
        return [output]
    return [output / path.name for path in paths]
