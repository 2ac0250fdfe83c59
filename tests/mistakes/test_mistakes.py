"""Each mistake of the table: the sentence, the remedy, the user's own line, and no frame of ours above it."""

import contextlib
import io
import linecache
import textwrap
import traceback
import warnings

import pytest

from hybridize.errors import HybridizeError
from tests.mistakes.table import MISTAKES, PREPARED

ROWS = [(row, way) for rows in MISTAKES.values() for row in rows for way in row.ways]


def program(row, way):
    """Return the source of a mistake, and the number of the line where the typed code begins."""
    before = f"{PREPARED}\n{row.before}".rstrip("\n") + "\n\n"
    if way == "imperatively":
        return f"{before}{row.typed}\n", before.count("\n") + 1
    before += "\n@hybridize\ndef run():\n"
    return f"{before}{textwrap.indent(row.typed.rstrip(), '    ')}\n\n\nrun()\n", before.count("\n") + 1


@pytest.mark.parametrize(("row", "way"), ROWS, ids=[f"{row.code}-{way}" for row, way in ROWS])
def test_a_mistake_is_said_at_the_line(row, way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source, first = program(row, way)
    name = str(tmp_path / "mistake.py")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    with (
        warnings.catch_warnings(action="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        pytest.raises(HybridizeError) as caught,
    ):
        exec(compile(source, name, "exec"), {"__name__": "__main__"})
    error = caught.value
    assert error.code == row.code
    assert row.says in error.what
    assert row.remedy in error.help
    typed = range(first, first + row.typed.rstrip().count("\n") + 1)
    assert (error.loc.file, error.loc.line in typed) == (name, True), error.loc
    own, *frames = traceback.extract_tb(error.__traceback__)
    assert own.filename == __file__
    assert {frame.filename for frame in frames} == {name}, "a frame of ours is left in the traceback"
    assert way != "imperatively" or frames[0].lineno in typed


def test_the_table_has_enough_mistakes_of_different_kinds():
    typed = {(row.before, row.typed) for rows in MISTAKES.values() for row in rows}
    assert len(typed) >= 80
    assert len({row.code for rows in MISTAKES.values() for row in rows}) >= 40
