"""Type checkers see through `hybridize`: a function keeps its signature, a net its class."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import hybridize

PROGRAM = """
from typing import Any, assert_type

from hybridize import autograd, gluon, hybridize, load, np
from hybridize.array import ndarray


@hybridize
def scaled(x: ndarray, k: float = 1.0) -> ndarray:
    return x


@hybridize(dynamic=True)
def both(x: ndarray, *, flag: bool) -> tuple[ndarray, int]:
    return x, 1


class Model:
    @hybridize
    def method(self, x: ndarray) -> ndarray:
        return x


class Net(gluon.HybridBlock):
    def forward(self, x: ndarray, k: int = 1) -> tuple[ndarray, int]:
        return x, k


class Old(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x


x = np.ones(3)
reveal_type(scaled)
reveal_type(scaled(x, 2.0))
reveal_type(both(x, flag=True))
reveal_type(Model().method)
reveal_type(Model().method(x))
reveal_type(hybridize(gluon.nn.Dense(3)))
reveal_type(hybridize(dynamic=True)(gluon.nn.Dense(3)))
reveal_type(hybridize(scaled, verify="outputs"))
reveal_type(gluon.nn.Dense(3)(x))
reveal_type(gluon.nn.HybridSequential()(x))
reveal_type(gluon.loss.L2Loss()(x, x))
reveal_type(gluon.rnn.LSTM(3)(x))
reveal_type(gluon.rnn.LSTM(3)(x, [x]))
reveal_type(gluon.rnn.LSTMCell(3)(x, [x]))
reveal_type(Net()(x, k=2))
reveal_type(hybridize(Net())(x))
reveal_type(Old()(x, 1))
block: gluon.Block = Net()
reveal_type(block(x))
Net()(x, k="x")
scaled.cache_clear()
scaled("x")
scaled()
both(x)
Model().method(x, x)

# What an editor completes: what layers, methods and operators give.
with autograd.record():
    y = gluon.nn.Dense(4)(np.random.normal(size=(2, 3)))
for one in (
    assert_type(np.ones((3, 5)), ndarray),
    assert_type(y, ndarray),
    assert_type(gluon.nn.Conv2D(3, 3)(y), ndarray),
    assert_type(gluon.nn.BatchNorm()(y), ndarray),
    assert_type(gluon.nn.Embedding(3, 3)(y), ndarray),
    assert_type(gluon.nn.Dense(3).weight, gluon.Parameter).data(),
    assert_type(y.sum(), ndarray),
    assert_type(y.reshape(3, 1, -1), ndarray),
    assert_type(y.astype("float64"), ndarray),
    assert_type((y + 1) * 2 - y, ndarray),
    assert_type(2 / y, ndarray),
    assert_type(y > 0, ndarray),
    assert_type(y @ y.T, ndarray),
    assert_type(y[0], ndarray),
    assert_type(y[:, 1:], ndarray),
):
    assert_type(one.shape, tuple[int, ...])
"""

ARRAY = "hybridize.array.ndarray.ndarray"
FUNCTION = "hybridize.capture.function.Function"
EXPECTED = [
    f'note: Revealed type is "{FUNCTION}[[x: {ARRAY}, k: float =], {ARRAY}]"',
    f'note: Revealed type is "{ARRAY}"',
    f'note: Revealed type is "tuple[{ARRAY}, int]"',
    f'note: Revealed type is "def (x: {ARRAY}) -> {ARRAY}"',
    f'note: Revealed type is "{ARRAY}"',
    'note: Revealed type is "hybridize.gluon.nn.basic.Dense"',
    'note: Revealed type is "hybridize.gluon.nn.basic.Dense"',
    f'note: Revealed type is "{FUNCTION}[[x: {ARRAY}, k: float =], {ARRAY}]"',
    *[f'note: Revealed type is "{ARRAY}"'] * 4,
    *[f'note: Revealed type is "tuple[{ARRAY}, list[{ARRAY}]]"'] * 2,
    *[f'note: Revealed type is "tuple[{ARRAY}, int]"'] * 2,
    *['note: Revealed type is "Any"'] * 2,
    'error: Argument "k" has incompatible type "str"; expected "int"',
    f'error: Argument 1 to "__call__" of "Function" has incompatible type "str"; expected "{ARRAY.split(".")[-1]}"',
    'error: Missing positional argument "x" in call to "__call__" of "Function"',
    'error: Missing named argument "flag" for "__call__" of "Function"',
    "error: Too many arguments",
]


@pytest.mark.skipif(find_spec("mypy") is None, reason="needs mypy, of the extra [dev]")
def test_hybridized_functions_keep_their_types(tmp_path):
    root = Path(hybridize.__file__).parents[1]
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", str(file)]  # set up as `make lint` does, whose findings it knows then
    environment = {**os.environ, "MYPYPATH": str(root)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=root)
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if ": error: " in line or "Revealed" in line]
    assert [line[: len(expected)] for line, expected in zip(lines, EXPECTED, strict=False)] == EXPECTED, done.stdout
    assert len(lines) == len(EXPECTED), done.stdout
