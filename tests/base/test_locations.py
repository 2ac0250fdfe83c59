"""Lines of the user's: in files by their names, in notebooks by the number of the cell."""

import linecache
import sys
import types

import pytest

from hybridize import hybridize, load, np
from hybridize.base.errors import HybridizeError
from hybridize.base.locations import SourceLoc

CELL = "/tmp/ipykernel_1234/42.py"
SOURCE = ["import math\n", "y = np.ones(2) @ np.ones(3)\n"]


@pytest.fixture
def notebook(monkeypatch):
    """IPython, as far as it is asked: which cell a file is."""
    compiler = types.SimpleNamespace(format_code_name=lambda name: ("Cell", "In[3]") if name == CELL else None)
    shell = types.SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(linecache.cache, CELL, (1, None, SOURCE, CELL))


def test_cells_are_named_by_their_number(notebook):
    loc = SourceLoc(CELL, 2, "<module>")
    assert str(loc) == "In [3]:2"
    assert loc.described() == "In [3]:2 in <module>:  y = np.ones(2) @ np.ones(3)"
    assert str(SourceLoc("/a/b.py", 2, "f")) == "b.py:2", "a file that cells import"


def test_errors_say_the_cell(notebook):
    with pytest.raises(HybridizeError) as caught:
        exec(compile("".join(SOURCE), CELL, "exec"), {"np": np})
    assert "\n  In [3]:2 in <module>:  y = np.ones(2)" in str(caught.value)


def test_saved_programs_say_it_in_other_processes(notebook, monkeypatch, tmp_path):
    source = "def f(x):\n    return x + 1\n"
    monkeypatch.setitem(linecache.cache, CELL, (len(source), None, source.splitlines(keepends=True), CELL))
    names = {}
    exec(compile(source, CELL, "exec"), names)
    fast = hybridize(names["f"])
    fast(np.ones(2))
    fast.save(tmp_path / "f")
    assert "In [3]:2" in repr(fast.program(np.ones(2)).explain())
    monkeypatch.delitem(sys.modules, "IPython")
    assert "In [3]:2" in repr(load(tmp_path / "f").program(np.ones(2)).explain())


@pytest.mark.parametrize(
    "shell", [None, types.SimpleNamespace(), types.SimpleNamespace(compile=types.SimpleNamespace())]
)
def test_without_a_shell_that_tells(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    assert str(SourceLoc(CELL, 2, "f")) == "42.py:2"
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace())
    assert str(SourceLoc(CELL, 2, "f")) == "42.py:2"
