"""Knowledge points down, as imports do: no room names a module, class or member of a room above it, in no string.

What lower rooms have to know of objects of upper ones, these declare (`base.participation`).
"""

import ast
import builtins
import importlib
import inspect
import json
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy
import pytest

from hybridize import nd
from hybridize.base.participation import outside_only
from tests.house.sources import syntax

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "hybridize"


def _floors():
    """The rooms, lowest first, as import-linter has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["id"] == "layers")
    return [re.findall(r"\w+", layer) for layer in reversed(layers)]


LEVEL = {room: level for level, rooms in enumerate(_floors()) for room in rooms}
LOWER = [room for room, level in LEVEL.items() if level <= LEVEL["capture"]]
HOLDING = ("gluon", "optimizer", "init", "lr_scheduler", "metric")
"""Rooms above `capture` whose objects users hold, and use in functions that are captured."""
MEETING = ("base", "array", "autograd", "contract", "programs", "capture")
"""Lower rooms that such an object can come to; in the others a word like `baseline` is a word."""
FILES = defaultdict(list)
for _path in sorted(PACKAGE.rglob("*.py")):
    FILES[_path.relative_to(PACKAGE).parts[0].removesuffix(".py")].append(_path)
_OBJECTS = (*vars(builtins).values(), re, re.Pattern, json, numpy, numpy.ndarray, inspect)
PYTHONS = {name for thing in _OBJECTS for name in dir(thing)} | set(dir(builtins))
"""Names that objects of Python and NumPy have."""
ALLOWED = {
    ("base/platforms.py", "Windows"): "the operating system",
    ("base/errors.py", "hybridize.errors"): "tracebacks show the public name of an error's module, where users find it",
    (
        "capture/python/builtins.py",
        "hybrid_forward",
    ): "the name of a function of the user's, in which MXNet 1 prints once",
    ("graph/text.py", "Attributes"): "an annotation of an op's parameters",
    ("runtime/plan.py", "Place"): "the word of files for an address",
}


@cache
def _public_classes(room):
    classes = (node for path in FILES[room] for node in syntax(path).body if isinstance(node, ast.ClassDef))
    return [node for node in classes if not node.name.startswith("_")]


def _members(klass):
    """The names of the methods and attributes of a class."""
    for node in ast.walk(klass):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
    for node in klass.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _given(tree):
    """The names that a module itself gives to something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _documentation(tree):
    """The strings that are said to nobody but the reader."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    statements = [one for body in bodies for one in body if isinstance(one, ast.Expr)]
    return {id(one.value) for one in statements if isinstance(one.value, ast.Constant)}


@cache
def _names(room):
    return {name for path in FILES[room] for name in _given(syntax(path))}


@cache
def _members_of_users():
    """Names of members of what users hold, for which neither a lower room nor Python has a use."""
    names = {name for room in HOLDING for node in _public_classes(room) for name in _members(node)}
    return {name for name in names.difference(PYTHONS, *map(_names, LOWER)) if name[:2] != "__"}


def _above(room):
    """The modules and public classes above a room, and the members of classes above it, if it meets their objects."""
    rooms = [one for one in LEVEL if LEVEL[one] > LEVEL[room] and one != "tools"]
    here = [_names(one) for one in LOWER if LEVEL[one] <= LEVEL[room]]
    modules = {f"hybridize.{one}" for one in rooms}
    classes = {node.name for one in rooms for node in _public_classes(one)}
    classes = classes.difference(PYTHONS, dir(nd), dir(nd.contrib), *here)
    return modules, classes, _members_of_users() if room in MEETING else set()


def _named(tree, modules, classes, members):
    """List what a module names of rooms above it: line and text."""
    documentation, names = _documentation(tree), (classes | members) - {"hybridize"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in members:
            yield node.lineno, f".{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            text = node.value
            parts = text.split(".")
            of_room = any(text == module or text.startswith(f"{module}.") for module in modules)
            word = all(part.isidentifier() for part in parts)
            if of_room or (word and not names.isdisjoint(parts)):
                yield node.lineno, text


VOCABULARIES = ("onnx", "tensorflow", "tflite", "jaxpr")


def _is_operator(path, text):
    """Tell whether a word may be an operator of another framework: some are called as layers of ours are."""
    return path.parent.name in VOCABULARIES and path.parent.parent.name == "formats" and text.isidentifier()


@pytest.mark.parametrize("room", LOWER)
def test_no_room_names_what_is_above_it(room):
    above = _above(room)
    found = [
        f"{path.relative_to(ROOT)}:{line} names {text!r}"
        for path in FILES[room]
        for line, text in _named(syntax(path), *above)
        if (str(path.relative_to(PACKAGE)), text) not in ALLOWED and not _is_operator(path, text)
    ]
    assert found == [], "let the class declare it: hybridize/base/participation.py"


def test_what_is_allowed_is_there():
    for file, text in ALLOWED:
        assert any(isinstance(node, ast.Constant) and node.value == text for node in ast.walk(syntax(PACKAGE / file)))


@pytest.mark.parametrize(
    "source",
    [
        'OUTSIDE = {"Trainer.save_states"}',
        'name == "fresh_grad"',
        'getattr(owner, "_children", None)',
        "for child in block._children.values(): pass",
        'module.startswith("hybridize.metric")',
        'module.startswith(("hybridize.gluon.data",))',
        'type(owner).__name__ == "Optimizer"',
    ],
)
def test_knowledge_of_upper_rooms_is_seen(source):
    assert len(list(_named(ast.parse(source), *_above("capture")))) == 1


def test_documentation_may_name_what_it_likes():
    source = '"""Of a Trainer."""\ndef f():\n    """See Trainer."""\nX = 1\n"""Trainer"""'
    assert list(_named(ast.parse(source), *_above("capture"))) == []


# -------------------------------------------------------------------------------------------------- declarations

MODULES = ("gluon", "gluon.data", "gluon.data.batchify", "gluon.contrib.estimator", *HOLDING[1:])


def test_each_class_that_users_hold_says_how_it_takes_part():
    silent = []
    for name in MODULES:
        module = importlib.import_module(f"hybridize.{name}")
        for public in dir(module):
            found = getattr(module, public)
            ours = isinstance(found, type) and found.__module__.split(".")[1:2] == [name.split(".")[0]]
            if ours and public[0] != "_" and not issubclass(found, str) and not hasattr(found, "__hybridize_read__"):
                silent.append(f"{name}.{public}")
    assert silent == []


def test_declarations_are_ones_that_somebody_reads():
    """A misspelt declaration says nothing to anybody."""
    lower = [path.read_text() for room in LOWER for path in FILES[room]]
    texts = [path.read_text() for room in LEVEL for path in FILES[room]]
    read = {name for text in lower for name in re.findall(r'"(__hybridize_\w+?__)"', text)}
    declaration = re.compile(r"^    (?:def )?(__hybridize_\w+?__)(?: =|:|\()", re.MULTILINE)
    declared = {name for text in texts for name in declaration.findall(text)}
    assert {"__hybridize_read__", "__hybridize_write__", "__hybridize_fed__", "__hybridize_watch__"} <= declared <= read


def test_functions_for_outside_stay_as_they_are():
    def function(x):
        return x

    assert outside_only("writes a file")(function) is function


FRONT = [
    "base",
    "contract",
    "programs",
    *(f"capture/{room}" for room in ("control", "convert", "gradients", "outside", "python", "trace")),
]


@pytest.mark.parametrize("room", FRONT)
def test_the_door_of_a_room_names_what_is_in_it(room):
    """Who enters reads the `__init__`: each module has a word there."""
    said = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text()))
    inside = {
        path.stem for path in (PACKAGE / room).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(name for name in inside - {"__init__"} if not re.search(rf"\b{name}\b", said)) == []
