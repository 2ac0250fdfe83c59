# SPDX-License-Identifier: Apache-2.0
"""Sources: files that change and are imported again, functions without source, and very long ones."""

import importlib
import os
import runpy
import subprocess
import sys
import textwrap

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.errors import CaptureError
from tests.refusals import refusal

ON_DATA = """
def f(x):
    if x.sum() > 0:
        return x * {factor}
    return x - {factor}

class C:
    def f(self, x):
        while x.sum() < {factor}0:
            x = x + {factor}
        return x

make = lambda: (lambda x: x * {factor} if x.sum() > 0 else x)
"""


def _write(path, factor, lines):
    """Write the module with other lines and another time, as an editor does."""
    path.write_text("\n" * lines + ON_DATA.format(factor=factor))
    os.utime(path, ns=(factor * 10**12, factor * 10**12))


AGAIN = {
    "reload": lambda path: vars(importlib.reload(importlib.import_module(path.stem))),
    "runpy": lambda path: runpy.run_path(str(path)),
    "exec": lambda path: _executed(path),
}


def _executed(path):
    names = {"__name__": path.stem}
    exec(compile(path.read_text(), path, "exec"), names)
    return names


@pytest.mark.parametrize("way", AGAIN)
def test_a_changed_file_that_is_imported_again(way, tmp_path, monkeypatch):
    path = tmp_path / f"changing_{way}.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    try:
        for factor, lines in ((2, 0), (3, 0), (4, 5), (5, 1)):
            _write(path, factor, lines)
            importlib.invalidate_caches()
            names = AGAIN[way](path)
            for function in (names["f"], names["C"]().f, names["make"]()):
                for x in (np.ones(2), -np.ones(2)):
                    numpy.testing.assert_array_equal(hybridize(function)(x).asnumpy(), function(x).asnumpy())
    finally:
        sys.modules.pop(path.stem, None)


def test_a_file_that_is_changed_and_not_imported_again_is_refused(tmp_path):
    path = tmp_path / "edited.py"
    _write(path, 2, 0)
    names = runpy.run_path(str(path))
    _write(path, 3, 2)
    with refusal(
        CaptureError, r"E411: f\(\) cannot be converted.* is not what was imported(.|\n)*import the module again"
    ):
        hybridize(names["f"])(np.ones(2))


WITHOUT = """
from hybridize import hybridize, np
from hybridize.gluon import nn
def f(x):
    if x.sum() > 0:
        return x * 2
    return x
class Net(nn.HybridBlock):
    def forward(self, x):
        while x.sum() < 10:
            x = x + 1
        return x
net = Net()
net.hybridize()
for function in (hybridize(f), hybridize(lambda x: f(x)), net):
    try:
        function(np.ones(2))
    except Exception as error:
        print(str(error).replace(chr(10), " "))
print(hybridize(lambda x: x * 2)(np.ones(2)))
"""


@pytest.mark.parametrize("way", ["-c", "stdin", "exec", "compiled"])
def test_functions_without_source_say_so(way):
    code = {
        "exec": f"exec({WITHOUT!r})",
        "compiled": f"exec(compile({WITHOUT!r}, 'generated.py', 'exec'))",
    }.get(way, WITHOUT)
    given = {"args": ["-"], "input": code} if way == "stdin" else {"args": ["-c", code]}
    done = subprocess.run(
        [sys.executable, *given["args"]], input=given.get("input"), capture_output=True, text=True, check=True
    )
    *told, result = done.stdout.splitlines()
    if way == "-c" and sys.version_info >= (3, 13):  # which knows the lines of such a program
        assert result == "[2. 2.]" and not told
        return
    assert result == "[2. 2.]" and len(told) == 3
    why = "there is no file generated.py" if way == "compiled" else "it was made of text"
    for line in told:
        assert "E401: bool() of an array" in line and line.count("the source of ") == 1
        assert why in line and "put the function into a file that Python imports" in line


LONG = {
    "terms": "return " + " + ".join(["x"] * 600),
    "products": "return " + " + ".join(f"{k}.0 * x" for k in range(450)),
    "elif on data": "if x.sum() < 0:\n    y = x\n"
    + "".join(f"elif x.sum() < {k}:\n    y = x * {k}\n" for k in range(70))
    + "else:\n    y = -x\nreturn y",
    "elif": "if k < 0:\n    y = x\n"
    + "".join(f"elif k == {k}:\n    y = x * {k}\n" for k in range(250))
    + "else:\n    y = -x\nreturn y",
}


@pytest.mark.parametrize("case", LONG)
def test_long_expressions_and_chains(case, tmp_path):
    path = tmp_path / "long.py"
    path.write_text("def f(x, k=200):\n" + textwrap.indent(LONG[case], "    ") + "\n")
    function, limit = runpy.run_path(str(path))["f"], sys.getrecursionlimit()
    for x in (np.array([1.0, 2.0]), np.array([30.0, 40.0])):
        numpy.testing.assert_allclose(hybridize(function)(x).asnumpy(), function(x).asnumpy(), rtol=1e-5)
    assert sys.getrecursionlimit() == limit


def endless(x):
    return endless(x + 1)


def other(x):
    return endless_of_two(x * 2)


def endless_of_two(x):
    return other(x + 1)


@pytest.mark.parametrize("function", [endless, other])
def test_functions_that_call_themselves_without_end_are_told(function):
    with refusal(CaptureError, r"E447: the function calls itself endlessly") as caught:
        hybridize(function)(np.ones(2))
    assert caught.value.loc.file == __file__


def test_many_functions_that_call_each_other_are_not_said_to_be_one(tmp_path):
    path = tmp_path / "calling.py"
    path.write_text(
        "".join(f"def f{k}(x):\n    return f{k + 1}(x) + 1\n" for k in range(400)) + "def f400(x): return x\n"
    )
    function = runpy.run_path(str(path))["f0"]
    with refusal(CaptureError, r"E447: branches on data, or calls, in \d+ others(.|\n)*sys.setrecursionlimit"):
        hybridize(function)(np.ones(2))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        assert hybridize(function)(np.ones(2)).tolist() == [401, 401]
    finally:
        sys.setrecursionlimit(limit)
