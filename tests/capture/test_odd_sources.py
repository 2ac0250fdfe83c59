# SPDX-License-Identifier: Apache-2.0
"""Functions whose source is not an ordinary file: right, or refused with the reason and what to do.

Loaders with and without source, generated code, files in odd encodings, code that was rewritten, debuggers.
"""

import ast
import bdb
import code
import dataclasses
import doctest
import functools
import importlib
import linecache
import operator
import pdb
import py_compile
import runpy
import subprocess
import sys
import textwrap
import types
import zipfile
import zlib

import attrs
import numpy
import pytest
import sympy

from hybridize import hybridize, np
from hybridize.errors import ArgumentError, CaptureError
from tests.refusals import refusal

ON_DATA = "def f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x - 1\n"
INPUTS = np.array([1.0, 2.0]), np.array([-1.0, -2.0])


def check(function):
    """Compare a function with itself, hybridized, where its branch goes either way."""
    compiled = hybridize(function)
    for x in INPUTS:
        numpy.testing.assert_allclose(compiled(x).asnumpy(), function(x).asnumpy(), rtol=1e-5)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that Python imports from, and whose modules it forgets afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


FILES = {
    "latin_1": ("# -*- coding: latin-1 -*-\n# é\n" + ON_DATA.replace("* 2", "* len('éé')")).encode("latin-1"),
    "byte_order_mark": ON_DATA.encode("utf-8-sig"),
    "crlf": ON_DATA.replace("\n", "\r\n").encode(),
    "cr": ON_DATA.replace("\n", "\r").encode(),
    "form_feeds": ("import os\n\f\n" + ON_DATA.replace("    if", "\f    if")).encode(),
    "tabs": ON_DATA.replace("    ", "\t").encode(),
    "continued_lines": b"def f(x):\n    if x.sum() \\\n        > 0:\n        s = '''a\n b'''; return x * len(s)\n    return x\n",
    "one_line": b"def g(x): return x\nf = lambda x: x if x.sum() > 0 else -x; h = lambda x: x * 3 if x.sum() > 0 else x\n",
    "annotations": b"from __future__ import annotations\ndef f(x: 'a') -> np.b:\n    if x.sum() > 0: return x\n    return -x\n",
    "private_names": b"class C:\n class D:\n  def __m(self, x):\n   if x.sum() > 0: return x * 2\n   return x\n"
    b"  def f(self, x): return self.__m(x)\nf = C.D().f\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_form(name, folder):
    (folder / f"{name}.py").write_bytes(FILES[name])
    check(importlib.import_module(name).f)


@pytest.mark.long
@pytest.mark.parametrize("level", ["-O", "-OO"])
def test_code_that_is_optimised_in_itself(level, folder):
    text = ON_DATA.replace(":\n", ':\n    """Doc."""\n    assert x.ndim == 1, "never"\n', 1)
    (folder / "optimised.py").write_text(text)
    program = "from hybridize import hybridize, np; from optimised import f\nfor n in (1, -1): print(hybridize(f)(np.ones(2) * n))"
    done = subprocess.run(
        [sys.executable, level, "-c", program], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout == "[2. 2.]\n[-2. -2.]\n"


def zipped(folder):
    with zipfile.ZipFile(folder / "modules.zip", "w") as archive:
        archive.writestr("in_zip.py", ON_DATA)
    sys.path.insert(0, str(folder / "modules.zip"))
    return importlib.import_module("in_zip").f


class Loader:
    """A module's loader that has a source, or something else."""

    def __init__(self, answer):
        self.answer = answer

    def get_source(self, name):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def loaded(answer, folder):
    names = {"__name__": "loaded", "__loader__": Loader(answer)}
    exec(compile(ON_DATA, folder / "loaded.py", "exec"), names)
    return names["f"]


def registered(folder):
    """As attrs and IPython do: the lines of what was made of text stand where Python looks for those of files."""
    linecache.cache["<made>"] = (len(ON_DATA), None, ON_DATA.splitlines(True), "<made>")
    names = {}
    exec(compile(ON_DATA, "<made>", "exec"), names)
    return names["f"]


def of_a_cell(folder):
    """As IPython runs a cell: each statement is compiled apart, so that its functions know nothing of its imports."""
    text = f"from hybridize import np\n{ON_DATA.replace('x.sum()', 'np.sum(x)')}"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    names = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), "<cell>", "exec"), names)
    return names["f"]


@pytest.mark.parametrize("way", [zipped, functools.partial(loaded, ON_DATA), registered, of_a_cell])
def test_sources_that_are_no_files(way, folder, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    check(way(folder))


@pytest.mark.parametrize("answer", [None, ImportError("none"), RuntimeError("broken"), b"bytes"], ids=repr)
def test_loaders_without_source(answer, folder):
    with refusal(CaptureError, r"E401: bool\(\)(.|\n)*the source of f\(\)(.|\n)*there is no file .*loaded.py"):
        hybridize(loaded(answer, folder))(INPUTS[0])


@pytest.mark.parametrize(
    "problem", [zlib.error("cut off"), OSError("gone"), ValueError("odd"), KeyError("none")], ids=repr
)
def test_errors_are_shown_where_the_loader_fails_by_then(problem, folder):
    """As that of a zip file does, which was written anew: the line is left out, and nothing else."""
    function = loaded(problem, folder)
    linecache.lazycache(str(folder / "loaded.py"), function.__globals__)
    with pytest.raises(CaptureError) as caught:
        hybridize(function)(INPUTS[0])
    assert f"{folder / 'loaded.py'}:2 in f\n" in str(caught.value)


@pytest.mark.parametrize("imported", ["function", "module", "class"])
def test_autoreload_updates_what_was_imported_by_name(folder, imported, monkeypatch):
    """`from module import f` has the function of before, which autoreload gives the new code: also where it is ours."""
    autoreload = pytest.importorskip("IPython.extensions.autoreload")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    text = "from hybridize import hybridize\n\n@hybridize\n" + ON_DATA
    text += "\nclass C:\n    @hybridize\n    def m(self, x):\n        return x * 2 if x.sum() > 0 else x\n"
    (folder / "again.py").write_text(text)
    reloader = autoreload.ModuleReloader()
    module = importlib.import_module("again")
    one = module.C()
    call = {"function": module.f, "module": lambda x: module.f(x), "class": lambda x: one.m(x)}[imported]
    for factor in ("2", "30", "4"):
        (folder / "again.py").write_text(text.replace("* 2", f"* {factor}"))
        autoreload.superreload(module, old_objects=reloader.old_objects)
        for x in INPUTS:
            expected = x * float(factor) if x.sum() > 0 else x - (imported != "class")
            numpy.testing.assert_array_equal(call(x).asnumpy(), expected.asnumpy())


def test_bytecode_alone(folder):
    (folder / "source.py").write_text(ON_DATA)
    py_compile.compile(folder / "source.py", folder / "alone.pyc", doraise=True)
    (folder / "source.py").unlink()
    function = importlib.import_module("alone").f
    with refusal(CaptureError, r"E401(.|\n)*there is no file .*source.py\n(.|\n)*put the function into a file"):
        hybridize(function)(INPUTS[0])


def test_a_file_that_is_gone(folder):
    (folder / "gone.py").write_text(ON_DATA)
    function = importlib.import_module("gone").f
    (folder / "gone.py").unlink()
    with refusal(CaptureError, r"E401(.|\n)*there is no file .*gone.py"):
        hybridize(function)(INPUTS[0])


def test_what_a_frozen_program_is_told(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    names = {}
    exec(compile(ON_DATA, "frozen_program.py", "exec"), names)
    with refusal(
        CaptureError,
        r"E401(.|\n)*no file frozen_program.py, as this program is frozen(.|\n)*add the file to what is frozen",
    ):
        hybridize(names["f"])(INPUTS[0])


SCALE = 2.0


def scaled(x):
    if x.sum() > 0:
        return x * SCALE
    return x - SCALE


def test_a_function_of_other_globals():
    check(types.FunctionType(scaled.__code__, {"SCALE": 5.0}))


REWRITTEN = {
    "constants": lambda code: code.replace(co_consts=tuple(7 if one == 0 else one for one in code.co_consts)),
    "name": lambda code: code.replace(co_name="other"),
}


def test_code_of_other_lines_than_its_file_has():
    """As IPython's autoreload leaves it, which compiles a function apart."""
    check(types.FunctionType(scaled.__code__.replace(co_firstlineno=3), globals()))


def test_lines_that_came_above_a_function_since_its_import(folder):
    text = ON_DATA + "g = lambda x: x * 3 if x.sum() > 0 else x; h = lambda x: x * 5 if x.sum() > 0 else x\n"
    (folder / "moved.py").write_text(text)
    module = importlib.import_module("moved")
    (folder / "moved.py").write_text("import os\n\n\n" + text)
    for function in (module.f, module.g, module.h):
        check(function)


class Disguised:
    """As a function that Nuitka compiled: it says that it is one of Python's."""

    __class__ = property(lambda self: types.FunctionType)
    __name__, __code__, __defaults__, __kwdefaults__ = "disguised", scaled.__code__, None, None

    def __call__(self, x):
        return x * 2


def test_functions_without_bytecode_are_refused_with_the_reason():
    compiled_by_others = Disguised()
    assert isinstance(compiled_by_others, types.FunctionType)
    with refusal(CaptureError, r"E403: disguised\(\) is a Disguised: a tool has compiled it to machine code"):
        hybridize(lambda x: compiled_by_others(x) + 1)(INPUTS[0])


@pytest.mark.parametrize("what", REWRITTEN)
def test_code_that_was_rewritten_is_not_taken_for_its_source(what):
    function = types.FunctionType(REWRITTEN[what](scaled.__code__), globals())
    with refusal(CaptureError, r"E411(.|\n)*is not what was imported(.|\n)*if a tool rewrites its code"):
        hybridize(function)(INPUTS[0])


def test_many_texts_of_one_name_are_not_said_to_be_an_edited_file(monkeypatch):
    """Python 3.13 has the lines of `python -c`, under the name that code of `exec` has, too."""
    monkeypatch.setitem(linecache.cache, "<string>", (1, None, ["def f(x): return x\n"], "<string>"))
    names = {}
    exec(ON_DATA, names)
    with refusal(CaptureError, r"E401(.|\n)*it was made of text"):
        hybridize(names["f"])(INPUTS[0])


def wrapped(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return wrapper


@wrapped
@wrapped
def decorated(x):
    if x.sum() > 0:
        return x
    return -x


@functools.singledispatch
def dispatched(x):
    if x.sum() > 0:
        return x * 2
    return x


@attrs.define
class Scaling:
    """A callable of a library of classes, whose `__init__` is made of text."""

    factor: float = attrs.field(converter=float, validator=attrs.validators.instance_of(float))

    def __call__(self, x):
        if x.sum() > 0:
            return x * self.factor
        return attrs.evolve(self, factor=1).factor * x


@dataclasses.dataclass(slots=True)
class Pair:
    x: object
    y: float = 2.0


def of_pairs(x):
    pair = dataclasses.replace(Pair(x), y=3.0)
    if pair.x.sum() > 0:
        return pair.x * pair.y
    return pair.x


@pytest.mark.parametrize(
    "function",
    [decorated, dispatched, Scaling(3), of_pairs, functools.partial(operator.mul, 3.0), eval("lambda x: x * 2")],
    ids=["wraps", "singledispatch", "attrs", "dataclass", "partial", "eval"],
)
def test_code_that_libraries_make(function):
    check(function)


@pytest.mark.parametrize("modules", ["numpy", [{"sin": np.sin}, np]], ids=["numpy", "ours"])
@pytest.mark.parametrize("terms", [3, 300])
def test_lambdified_expressions(modules, terms):
    x = sympy.Symbol("x")
    check(sympy.lambdify(x, sum(sympy.sin(k * x) for k in range(1, terms + 1)), modules))


class Descriptor:
    """A class of which nobody can say the module: as that of Cython's functions, each of which has one of its own."""

    __module__ = property(lambda self: "some")

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def test_a_class_without_a_name_of_its_module():
    scale = Descriptor(3.0)
    check(lambda x: scale(x) if x.sum() > 0 else x)


class Orders:
    """Methods that are decorated below and above `hybridize`."""

    @hybridize
    @staticmethod
    def static_below(x):
        return x * 2 if x.sum() > 0 else x

    @staticmethod
    @hybridize
    def static_above(x):
        return x * 2 if x.sum() > 0 else x

    @hybridize(dynamic=True)
    @classmethod
    def class_below(cls, x):
        return x * cls.factor if x.sum() > 0 else x

    @classmethod
    @hybridize
    def class_above(cls, x):
        return x * cls.factor if x.sum() > 0 else x

    factor = 2


class Inheriting(Orders):
    factor = 3


@pytest.mark.parametrize("name", [name for name in vars(Orders) if "_below" in name or "_above" in name])
@pytest.mark.parametrize("owner", [Orders, Inheriting, Orders(), Inheriting()], ids=["class", "heir", "one", "heirs"])
def test_static_and_class_methods(owner, name):
    for x in INPUTS:
        factor = (owner.factor if "class" in name else 2) if x.sum() > 0 else 1
        numpy.testing.assert_array_equal(getattr(owner, name)(x).asnumpy(), (x * factor).asnumpy())


@pytest.mark.parametrize(
    ("thing", "remedy"),
    [
        (property(scaled), "write @hybridize below @property, next to the function"),
        (functools.cached_property(scaled), "write @hybridize below @cached_property"),
        (Scaling, r"decorate its methods, or pass an instance: hybridize\(Scaling\(\)\)"),
    ],
)
def test_what_is_decorated_in_the_wrong_order(thing, remedy):
    with refusal(ArgumentError, f"E301: hybridize takes a function(.|\n)*{remedy}"):
        hybridize(thing)


@pytest.mark.parametrize("library", ["torch", "jax", "tensorflow"])
def test_files_of_the_user_with_the_names_of_libraries(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, types.ModuleType(library))
    check(scaled)


# Debuggers and coverage


def stops_by_name(x):
    breakpoint()
    return x


def stops_by_module(x):
    pdb.set_trace()
    return x


def asks(x):
    code.interact()
    return x


@pytest.mark.parametrize(
    ("function", "name"),
    [(stops_by_name, "breakpoint"), (stops_by_module, "(pdb|_pytest).set_trace"), (asks, "code.interact")],
)
def test_functions_of_debuggers(function, name):
    with refusal(CaptureError, rf"E420: {name}\(\) stops Python(.|\n)*hybridize.disabled\(\)"):
        hybridize(function)(INPUTS[0])


def test_breakpoints_that_are_off(monkeypatch):
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    check(stops_by_name)


class Stepping(bdb.Bdb):
    """A debugger that stops at every line, and goes on."""

    def __init__(self):
        super().__init__()
        self.lines = 0

    def user_line(self, frame):
        self.lines += 1
        self.set_step()


def test_under_a_debugger():
    debugger = Stepping()
    result = debugger.runcall(hybridize(scaled), INPUTS[0])
    numpy.testing.assert_array_equal(result.asnumpy(), scaled(INPUTS[0]).asnumpy())
    assert debugger.lines > 100


def test_under_a_trace_and_a_profile_function():
    events = []

    def seen(frame, event, _):
        events.append(event)
        return seen

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(seen)
    sys.setprofile(lambda *_: None)
    try:
        compiled = hybridize(scaled)
        results = [compiled(x).asnumpy() for x in INPUTS]
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    for x, result in zip(INPUTS, results, strict=True):
        numpy.testing.assert_array_equal(result, scaled(x).asnumpy())
    assert "line" in events


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is of Python 3.12")
@pytest.mark.parametrize("when", ["before", "after"])
def test_under_monitoring_which_rewrites_instructions(when):
    """Coverage of Python 3.12 and later: code runs with other instructions, and shows those that it was made with."""
    events, monitoring = [], sys.monitoring

    def started():
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "test")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, lambda *seen: events.append(seen))
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.INSTRUCTION, lambda *seen: None)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE | monitoring.events.INSTRUCTION)

    compiled = hybridize(scaled)
    if when == "after":
        compiled(INPUTS[0])
    started()
    try:
        scaled(INPUTS[0])  # instrumented by now
        results = [compiled(x).asnumpy() for x in INPUTS]
        again = hybridize(types.FunctionType(scaled.__code__, globals()))(INPUTS[1])
    finally:
        monitoring.free_tool_id(monitoring.COVERAGE_ID)
    for x, result in zip(INPUTS, results, strict=True):
        numpy.testing.assert_array_equal(result, scaled(x).asnumpy())
    numpy.testing.assert_array_equal(again.asnumpy(), scaled(INPUTS[1]).asnumpy())
    assert events


def test_doctests():
    """A function of an example has the source of it, while doctest runs it."""
    text = textwrap.indent(ON_DATA, "... ").replace("... def", ">>> def", 1)
    text = f"{text}>>> from hybridize import hybridize, np\n>>> print(hybridize(f)(np.ones(2)), hybridize(f)(-np.ones(2)))\n"
    example = doctest.DocTestParser().get_doctest(text + "[2. 2.] [-2. -2.]\n", {}, "example", "example.py", 0)
    runner = doctest.DocTestRunner()
    told = []
    assert runner.run(example, out=told.append).failed == 0, "".join(told)


def test_runpy_of_a_module(folder):
    (folder / "program.py").write_text(ON_DATA)
    check(runpy.run_module("program", run_name="__main__")["f"])
