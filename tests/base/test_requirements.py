# SPDX-License-Identifier: Apache-2.0
"""What the package asks of the Python, and of the packages, that it finds."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import hybridize
from hybridize.base import requirements
from hybridize.codegen.llvm import objects
from tests.refusals import refusal

ROOT = Path(hybridize.__file__).parent.parent
NUMPY = "hybridize needs NumPy >= 2.0, < 3, {}: pip install 'numpy>=2.0,<3'"
ML_DTYPES = "hybridize needs ml_dtypes >= 0.5, < 1, {}: pip install 'ml_dtypes>=0.5,<1'"


def fails(folder, statement="import hybridize", **environment):
    """Return the last line of a process that finds the packages of `folder` first."""
    done = subprocess.run(
        [sys.executable, "-c", statement],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), **environment},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode
    return done.stderr.strip().splitlines()[-1]


def install(folder, name, text):
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(text)


@pytest.mark.parametrize(
    ("name", "version", "sentence"),
    [
        ("numpy", "1.26.4", NUMPY),
        ("numpy", "3.1.dev0", NUMPY),
        ("ml_dtypes", "0.4.1", ML_DTYPES),
        ("ml_dtypes", "1.0", ML_DTYPES),
    ],
)
def test_another_release_at_import(name, version, sentence, tmp_path):
    """A release that hybridize does not take is named, with the remedy, before anything of it is asked for."""
    install(tmp_path, name, f"__version__ = {version!r}\n")
    assert fails(tmp_path) == f"ImportError: {sentence.format(f'found {version}')}"


@pytest.mark.parametrize(("name", "sentence"), [("numpy", NUMPY), ("ml_dtypes", ML_DTYPES)])
def test_a_package_that_is_not_installed(name, sentence, tmp_path):
    block = f"import sys; sys.modules[{name!r}] = None; import hybridize"
    assert fails(tmp_path, block) == f"ImportError: {sentence.format('it is not installed')}"


def test_what_a_package_lacks_itself_is_said_by_it(tmp_path):
    install(tmp_path, "ml_dtypes", "import something_else\n")
    assert fails(tmp_path) == "ModuleNotFoundError: No module named 'something_else'"


@pytest.mark.parametrize(
    ("name", "version", "taken"),
    [
        ("numpy", "2.0.0", True),
        ("numpy", "2.0.0rc1", True),
        ("numpy", "2", True),
        ("numpy", "2.17.1+local", True),
        ("numpy", "1.99", False),
        ("numpy", "3.0.0.dev0+git", False),
        ("numpy", "unknown", False),
        ("ml_dtypes", "0.5.0", True),
        ("ml_dtypes", "0.50", True),
        ("llvmlite", "0.44.0", False),
        ("llvmlite", "0.45.0rc1", True),
        ("llvmlite", "0+unknown", False),
        ("llvmlite", "1.0", False),
    ],
)
def test_ranges(name, version, taken):
    assert (requirements.lack_of(name, version) == "") is taken


def test_ranges_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, (first, end) in requirements.RANGES.items():
        assert f"{name}>={'.'.join(map(str, first))},<{'.'.join(map(str, end))}" in project["dependencies"]
    assert project["requires-python"] == f">={'.'.join(map(str, requirements.PYTHON))}"


def test_musl_has_no_wheels_of_some():
    words = "there are no wheels of ml_dtypes for musl (Alpine), so use a system with glibc"
    assert words in requirements.lack_of("ml_dtypes", None, musl=True)
    assert "musl" not in requirements.lack_of("numpy", None, musl=True)
    assert "musl" not in requirements.lack_of("ml_dtypes", "0.4", musl=True)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (("pypy", (3, 11, 13)), "needs CPython, found pypy"),
        (("graalpy", (3, 12, 0)), "needs CPython, found graalpy"),
        (("cpython", (3, 10, 13)), "needs Python >= 3.11, found 3.10.13"),
        (("cpython", (3, 8, 0)), "needs Python >= 3.11, found 3.8.0"),
        (("cpython", (3, 11, 0)), ""),
        (("cpython", (3, 15, 0)), ""),
        (("cpython", (4, 0, 0)), ""),
    ],
)
def test_interpreters(facts, sentence):
    lack = requirements.lack_of_python(*facts)
    assert sentence in lack
    assert bool(lack) is bool(sentence)


def test_without_a_gil(tmp_path):
    """A free-threaded build is refused where it runs without a GIL, and is told how to run with one."""
    planted = "import sys; sys._is_gil_enabled = lambda: False; import hybridize"
    words = "ImportError: hybridize needs Python's GIL, and this free-threaded Python runs without it: set PYTHON_GIL=1"
    assert fails(tmp_path, planted) == words


def test_a_subinterpreter_with_a_gil_of_its_own(tmp_path):
    """NumPy, which refuses it in a page of text, is named in a sentence."""
    said = "module numpy._core._multiarray_umath does not support loading in subinterpreters"
    install(tmp_path, "numpy", f"raise ImportError('''a page\\n{said}''')\n")
    words = "hybridize needs NumPy, which does not load in subinterpreters with a GIL of their own: use threads"
    assert words in fails(tmp_path)


@pytest.mark.parametrize("version", [None, "0.44.0", "1.0"])
def test_another_llvmlite_is_told_where_it_is_first_used(version, monkeypatch):

    if version is None:
        monkeypatch.setitem(sys.modules, "llvmlite", None)
    else:
        module = ModuleType("llvmlite")
        module.__version__ = version
        monkeypatch.setitem(sys.modules, "llvmlite", module)
    found = "it is not installed" if version is None else f"found {version}"
    with refusal(ImportError, f"hybridize needs llvmlite >= 0.45, < 1, {found}: pip install 'llvmlite>=0.45,<1'"):
        objects.binding.__wrapped__()


def test_a_llvmlite_without_a_function_that_is_called(monkeypatch):
    class Functions:
        def __init__(self, name):
            self.LLVMPY_ContextCreate = lambda: None

    objects.binding()  # loads the library itself
    monkeypatch.setattr(objects.ctypes, "CDLL", Functions)
    words = "hybridize needs LLVMPY_ContextDispose, which this llvmlite does not have: pip install 'llvmlite=="
    with refusal(ImportError, words):
        objects._Library()
