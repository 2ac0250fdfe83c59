"""One face, three ends: each has every name, with the same parameters, and can be imported anywhere."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hybridize import system
from hybridize.system import linux, macos, windows

ROOT = Path(__file__).parents[2]
ENDS = (linux, macos, windows)
NAMES = re.findall(r"^(\w+) = end\.(\w+)$", Path(system.__file__).read_text(), re.MULTILINE)


def test_the_face_gives_names_as_they_are():
    assert len(NAMES) > 30
    assert all(face == end for face, end in NAMES)
    assert [getattr(system, face) is getattr(system.end, end) for face, end in NAMES] == [True] * len(NAMES)


def shape(value):
    """Parameters of a function or of the methods of a class; the kind of a constant."""
    if isinstance(value, type):
        public = {name: one for name, one in vars(value).items() if name[0] != "_" or name == "__init__"}
        return {name: shape(one) for name, one in public.items()}
    if not callable(value):
        return None
    parameters = inspect.signature(value).parameters.values()
    return [(one.name, one.kind, one.default) for one in parameters]


@pytest.mark.parametrize("name", [name for name, _ in NAMES])
def test_all_ends_have_the_same_names_with_the_same_parameters(name):
    first, *others = [shape(getattr(end, name)) for end in ENDS]
    if name == "PrivateFolder":  # flags of files to read are the system's
        for methods in (first, *others):
            methods["open"] = [one[:2] for one in methods["open"]]
    assert others == [first] * len(others)


def test_all_ends_manage_pages_in_the_same_way():
    from hybridize.system.posix import PosixPages

    methods = [
        {name: shape(one) for name, one in vars(kind).items() if name[0] != "_"}
        for kind in (PosixPages, windows.WindowsPages)
    ]
    assert methods[0] == methods[1]
    assert list(methods[0]) == ["new", "make_executable", "give_back"]


def test_ends_say_which_they_are():
    assert [end.NAME for end in ENDS] == ["linux", "macos", "windows"]
    assert system.PROCESSOR in ("x86_64", "aarch64") or os.uname().machine == system.PROCESSOR


@pytest.mark.long
@pytest.mark.parametrize(("platform", "end"), [("win32", "windows"), ("darwin", "macos")])
def test_types_where_the_system_is_another(platform, end, tmp_path):
    """The face takes its names from that end there: a name that it has not is an error of types."""
    command = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", str(tmp_path)]
    files = [
        "hybridize/system/__init__.py",
        f"hybridize/system/{end}.py",
        "hybridize/runtime/image.py",
        "hybridize/compiler/folder.py",
    ]
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True)
    wrong = [line for line in done.stdout.splitlines() if "error:" in line]
    assert wrong == [] and "Success" in done.stdout


def test_the_room_is_cheap_to_load():
    """Everything of the package loads it: no module but what Python has loaded by then, or what costs nothing."""
    code = (
        "import sys, types; package = types.ModuleType('hybridize'); package.__path__ = ['hybridize'];"
        "sys.modules['hybridize'] = package; import numpy, threading; before = set(sys.modules);"
        "import hybridize.system; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = {f"hybridize.system{name}" for name in ("", f".{system.NAME}", ".posix", ".imports", ".interruptions")}
    assert set(done.stdout.split()) == ours | {"__future__"}
