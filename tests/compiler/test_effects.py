# SPDX-License-Identifier: Apache-2.0
"""Printing and asserting in compiled programs: in order, kept by the passes, errors before any result."""

import numpy as np
import pytest

from hybridize import compiler
from hybridize.base.errors import StateError
from hybridize.base.types import TensorType
from hybridize.graph import Builder
from hybridize.ops import Add, Assert, Gt, Print
from hybridize.runtime.entry import PythonEntry

F2 = TensorType((2,), np.dtype(np.float32))


def program():
    builder = Builder()
    x = builder.input(F2)
    zero = builder.constant(np.zeros(2, np.float32))
    builder.add(Print("first {}"), [x])
    (twice,) = builder.add(Add(), [x, x])
    builder.add(Print("then {} of {}"), [twice, x])
    (positive,) = builder.add(Gt(), [twice, zero])
    builder.add(Assert("not positive: {}"), [positive, twice])
    return compiler.compile(builder.finish([twice]))


def test_prints_in_order(capfd):
    compiled = program()
    (y,) = compiled.run([np.array([1, 2], np.float32)])
    np.testing.assert_array_equal(y, [2, 4])
    assert capfd.readouterr().out == "first [1. 2.]\nthen [2. 4.] of [1. 2.]\n"


def test_a_failed_assertion_is_an_error_of_that_call_only():
    compiled = program()
    with pytest.raises(StateError, match=r"E520: not positive: \[ 2. -2.\]"):
        compiled.run([np.array([1, -1], np.float32)])
    compiled.run([np.array([1, 1], np.float32)])


def test_what_printing_raises_comes_out(monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    compiled = program()
    monkeypatch.setattr("builtins.print", broken)
    with pytest.raises(KeyboardInterrupt):
        compiled.run([np.array([1, 2], np.float32)])


def test_programs_with_effects_are_called_from_python():
    compiled = program()
    assert compiled.effects
    entry = compiler.make_entry(compiled, array_type=None, arguments=[F2], fallback=lambda *a: "python")
    assert isinstance(entry, PythonEntry)
    assert entry(np.zeros(2, np.float32)) == "python"
