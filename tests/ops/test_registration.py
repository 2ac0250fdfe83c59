"""An op is one class in one place: that it can be printed, saved, loaded and tested follows from the class."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.base.errors import InternalError
from hybridize.base.frozen import frozen
from hybridize.loops.functions import FUNCTIONS
from hybridize.ops import OPS, Op
from hybridize.ops.elementwise import Unary
from tests.catalog.samples import samples
from tests.refusals import refusal

ROOT = Path(__file__).parents[2]
FOLDS = ("sum", "prod", "max", "min", "any", "all")
REGIONS = ("cond", "while", "scan", "print", "assert", "sort")

NEW_OP = '''
from __future__ import annotations

import numpy

from hybridize.base.frozen import frozen
from hybridize.loops.expr import call, const
from hybridize.ops.arithmetic import mul
from hybridize.ops.op import Op
from hybridize.ops.views import like


@frozen
class ScaledSquare(Op):
    """`scale` times the square of x."""

    scale: float

    def infer(self, x):
        return (x,)

    def reference(self, x):
        return (numpy.asarray(x * x * self.scale, x.dtype),)

    def vjp(self, g, y, x):
        return (mul(g[0], mul(like(2 * self.scale, x), x)),)

    def lower(self, x, *, types):
        def element(index):
            one = x(index)
            return call("mul", call("mul", one, one), const(self.scale, types[0].dtype))

        return (element,)
'''

SAMPLES = """
import numpy
from new_op import ScaledSquare

from tests.catalog.samples import Sample, of

@of(ScaledSquare)
def scaled_square(cls):
    yield Sample((numpy.array([[0.5, -1.0, 2.0]], "f4"),), cls(1.5))
    yield Sample((numpy.array(1.5, "f4"),), cls(-0.25))
"""

SAVE = """
import new_op
from hybridize import hybridize, np
from hybridize.array.operands import operand, result
from hybridize.ops.op import bind1

@hybridize
def f(x):
    return result([bind1(new_op.ScaledSquare(1.5), operand(x))][0])

assert f(np.array([1.0, 2.0, 4.0])).tolist() == [1.5, 6.0, 24.0]
f.save("scaled")
"""

LOAD = """
import new_op
from hybridize import load, np

f = load("scaled")
assert f(np.array([1.0, 2.0, 4.0])).tolist() == [1.5, 6.0, 24.0]
assert "scaled_square" in str(f.programs()[0].captured)
"""


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_op_is_one_class(tmp_path):
    """Defined in a module of its own, it is computed, compiled, saved, loaded and found by the catalogues of tests."""
    (tmp_path / "new_op.py").write_text(NEW_OP)
    (tmp_path / "samples_of_new_op.py").write_text(SAMPLES)
    run(tmp_path, "-c", SAVE)
    run(tmp_path, "-c", LOAD)
    catalogues = [str(ROOT / "tests" / name / "test_catalog.py") for name in ("catalog", "autograd")]
    told = run(
        tmp_path,
        "-m",
        "pytest",
        "-q",
        "-p",
        "samples_of_new_op",
        "-p",
        "no:cacheprovider",
        "-k",
        "scaled_square",
        f"--rootdir={ROOT}",
        "-c",
        str(ROOT / "pyproject.toml"),
        *catalogues,
    )
    assert "10 passed" in told, told


def part(self, *inputs, **_):
    return inputs


RULES = {"infer": part, "reference": part, "lower": part}


def test_a_word_is_that_of_one_op():
    for name, owner in (("Cholesky", "hybridize.ops.factors.Cholesky"), ("Add", "hybridize.ops.arithmetic.Add")):
        with refusal(InternalError, f"E913.*{name.lower()}.*{owner}"):
            type(name, (Op,), RULES)
    assert OPS["add"].__module__ == "hybridize.ops.arithmetic"


@pytest.mark.parametrize("name", ["Constant", "Return"])
def test_a_word_can_be_read_back(name):
    with pytest.raises(InternalError, match=r"E913.*the text of graphs"):
        type(name, (Op,), RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_class_defines_all_rules(rule):
    with refusal(InternalError, f"E914.*does not define {rule}"):
        type("Lacking", (Op,), {name: function for name, function in RULES.items() if name != rule})
    assert "lacking" not in OPS


def test_an_elementwise_op_names_its_scalar_function():
    with pytest.raises(InternalError, match=r"E914.*does not define scalar"):
        type("Lacking", (Unary,), {"meaning": numpy.abs, "slope": part})
    with pytest.raises(InternalError, match=r"E914.*does not define slope"):
        type("Lacking", (Unary,), {}, scalar="abs", meaning=numpy.abs)


def test_a_base_is_no_op():
    base = type("Base", (Op,), {}, abstract=True)
    assert "base" not in OPS
    with pytest.raises(InternalError, match=r"E914"):
        type("Lacking", (base,), {})


def test_parameters_are_what_text_can_hold():
    with pytest.raises(InternalError, match=r"E915.*parameter table .*dict"):
        frozen(type("Lacking", (Op,), {**RULES, "__annotations__": {"table": "dict[str, int]"}}))
    assert "lacking" not in OPS


VOCABULARIES = {"ops", "formats"}
"""Packages that name ops one by one: they define them, or say which of ours each of somebody else's is."""
NAMED = {
    # Which op computes a function of Python's `math`: a dictionary from a language that is not ours, as those of
    # `formats` are. Its keys are Python's, so a new op makes no line of it wrong or missing.
    "hybridize/capture/python/mathematics.py",
    # The emitter of each `loops.expr.Routine`. `Op.lower` names the routine; that LLVM exists, ops must not know.
    # An op that names a routine which nobody writes fails its samples with E955.
    "hybridize/codegen/llvm/routines/emit.py",
    # The scratch of each routine, laid out before anybody writes it.
    "hybridize/schedule/routines.py",
    # The routines that blocks of threads share on a device. Others run there, too: a thread for each unit.
    "hybridize/schedule/device/routines.py",
    # The exception of each kind of check, which the door of another library may replace by one that is its own, too.
    "hybridize/runtime/effects.py",
}
"""Files that translate between the ops and another vocabulary, which is why a class of `ops` cannot hold it."""
PUBLIC = {"array", "d2l", "jax", "symbol", "tensorflow", "torch", "tools"}
"""Packages that list public functions, which may be called as ops are."""


def tables_in(path: Path, words: set[str]) -> list[str]:
    """Displays of three or more classes of ops, or of three or more of the words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = {
        name.asname or name.name
        for node in imports
        if node.module and node.module.startswith("hybridize.ops")
        for name in node.names
    }
    classes = {cls.__name__ for cls in OPS.values()}

    def is_op(part: ast.expr | None) -> bool:
        match part:
            case ast.Name(id=name):
                return name in classes and name in ours
            case ast.Attribute(value=ast.Name(id="ops"), attr=name):
                return name in classes
        return False

    found = []
    for node in ast.walk(tree):
        parts = (*node.keys, *node.values) if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        named = [part for part in parts if isinstance(part, ast.Constant) and part.value in words]
        if sum(map(is_op, parts)) >= 3 or len(named) >= 3:
            found.append(f"{path}:{node.lineno}: {ast.unparse(node)[:80]}")
    return found


def test_no_table_of_ops_stands_anywhere_else():
    """What is to be known of an op is asked of its class: a table elsewhere would forget the next one."""
    words = set(OPS) - set(FUNCTIONS) - set(FOLDS) - set(REGIONS)  # those are the loop IR's too
    found = []
    for path in sorted((ROOT / "hybridize").rglob("*.py")):
        room = path.relative_to(ROOT / "hybridize").parts[0]
        if room not in VOCABULARIES and str(path.relative_to(ROOT)) not in NAMED:
            found += tables_in(path, set() if room in PUBLIC else words)
    assert found == []


def test_a_table_would_be_found(tmp_path):
    path = tmp_path / "table.py"
    for text in (
        "KEPT = ('reshape', 'arg_max', 'log_add_exp')",
        "from hybridize.ops import Add, Mul, Sub\nT = {Add: 1, Mul: 2, Sub: 3}",
        "from hybridize import ops\nT = {'a': ops.Add, 'b': ops.Mul, 'c': ops.Sub}",
    ):
        path.write_text(text)
        assert len(tables_in(path, set(OPS))) == 1, text


def test_ops_that_join_their_operands_say_along_which_axis():
    """The schedule has operands lie within such a result; it asks no op for its class."""
    joining = set()
    for word, kind in OPS.items():
        for sample in samples(kind):
            axis = sample.op.joined_along
            if axis is None or sample.fails is not None:
                continue
            joining.add(word)
            (found,) = sample.op.reference(*sample.inputs)
            numpy.testing.assert_array_equal(found, numpy.concatenate(sample.inputs, axis))
    assert joining == {"concat"}
