"""Lines of the user's: in files by their names, in notebooks by the number of the cell."""

import linecache
import os
import sys
import types

import pytest

from hybridize import hybridize, load, np
from hybridize.array import operands
from hybridize.base.errors import HybridizeError, ValueArgumentError
from hybridize.base.locations import SourceLoc, is_users
from tests.refusals import refusal

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


@pytest.mark.parametrize(
    ("file", "users"),
    [
        ("/venv/lib/python3.13/site-packages/numpy/_core/numeric.py", False),
        ("/usr/lib/python3/dist-packages/numpy/_core/numeric.py", False),
        ("/usr/local/lib/python3.13/dist-packages/torch/nn/modules/module.py", False),
        ("/usr/lib/python3/dist-packages/sklearn/base.py", True),
        ("/venv/lib/python3.13/site-packages/numpydoc/numpydoc.py", True),
        ("/project/numpy/train.py", True),
    ],
)
def test_whose_a_file_is(file, users):
    """Debian's Python has its packages in a folder of another name."""
    assert is_users(file.replace("/", os.sep)) is users


@pytest.mark.parametrize("site", ["site-packages", "dist-packages"])
def test_what_numpy_objects_to_is_an_error_of_ours_wherever_it_is_installed(site, monkeypatch):
    """The words of NumPy, and the line of the user's."""

    file = os.path.join(os.sep, "usr", "lib", "python3", site, "numpy", "_core", "numeric.py")
    names = {"__name__": __name__}
    exec(compile("def refuse(x):\n    raise ValueError('an inhomogeneous shape')\n", file, "exec"), names)
    call = operands.public(names["refuse"])
    with refusal(ValueArgumentError, "E345: refuse.*an inhomogeneous shape") as caught:
        call(np.ones(3))
    assert caught.value.loc.file == __file__
