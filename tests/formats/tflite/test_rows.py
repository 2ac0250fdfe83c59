# SPDX-License-Identifier: Apache-2.0
"""Every row of TFLite against LiteRT's own answers on small models; integers to the bit."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hybridize
from hybridize.formats.tflite.read import program
from hybridize.formats.tflite.rows import TFLITE
from hybridize.gluon.imported_block import ImportedBlock
from tests.formats.tflite.cases import CASES, answers, asked, kinds, part

ROUNDINGS = {"default": "float", "reference": "reference", "micro": "reference"}


def outputs(name: str, kind: str, compiled: bool = False) -> list[Any]:
    model, inputs = CASES[name]
    net = ImportedBlock(program(model, f"{name}.tflite", ROUNDINGS[kind]))
    net.hybridize(compiled)
    y = net(*map(hybridize.np.array, inputs))
    return [one.asnumpy() for one in (y if isinstance(y, tuple) else (y,))]


def check(name: str, kind: str, results: list[Any]) -> None:
    for k, y in enumerate(results):
        shape, some = answers()[f"{kind} {name} {k}"]
        assert y.shape == shape
        assert y.dtype == some.dtype
        if y.dtype.kind in "fc":
            numpy.testing.assert_allclose(part(y), some, rtol=2e-5, atol=2e-6)
        else:
            numpy.testing.assert_array_equal(part(y), some)


PAIRS = [(name, kind) for name in CASES for kind in kinds(name)]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_a_row_gives_what_litert_gives(name, kind):
    check(name, kind, outputs(name, kind))


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_a_row_compiled_gives_what_litert_gives(name, kind):
    check(name, kind, outputs(name, kind, compiled=True))


@pytest.mark.parametrize("name", ["int8 CONV_2D", "int8 ADD_1", "int8 MEAN", "MIRROR_PAD_0", "CONV_2D_same_by_2"])
def test_some_rows_compiled_give_what_litert_gives(name):
    for kind in kinds(name):
        check(name, kind, outputs(name, kind, compiled=True))


def _cases_of(op: str) -> list[str]:
    word, _, kind = op.rstrip("]").partition("[")
    names = [name.removeprefix(f"{kind} ") for name in CASES if name.partition(" ")[0] == kind or
             (not kind and not name.startswith(("int8 ", "int16 ")))]  # fmt: skip
    return [name for name in names if name.startswith(word)]


def test_every_operator_has_a_case():
    # Those of state, control and sparse weights have models of their own: test_read.py, test_state.py, test_control.py.
    elsewhere = {
        "DENSIFY",
        "VAR_HANDLE",
        "READ_VARIABLE",
        "ASSIGN_VARIABLE",
        "CALL_ONCE",
        "Convolution2DTransposeBias",
        "IF",
        "WHILE",
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
    }
    assert {op for op in TFLITE.operators() if not _cases_of(op) and not op.endswith("[complex]")} == elsewhere


@pytest.mark.long
def test_the_answers_are_still_litert_s():
    for kind in ("default", "reference", "micro"):
        names = [name for name in CASES if kind in kinds(name)]
        for name, result in zip(
            names, asked([(CASES[name].model, [CASES[name].inputs]) for name in names], kind), strict=True
        ):
            for k, y in enumerate(result[0]):
                shape, some = answers()[f"{kind} {name} {k}"]
                assert y.shape == shape, name
                numpy.testing.assert_array_equal(part(y), some, err_msg=name)
