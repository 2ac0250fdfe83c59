# SPDX-License-Identifier: Apache-2.0
"""Options of TFLite's operators: each is read by the row of its operator, or a table says why it has no effect."""

from __future__ import annotations

import numpy
import pytest

from hybridize.errors import LoadError
from hybridize.formats.tflite.messages import OPERATORS, SCHEMAS
from hybridize.formats.tflite.vocabulary import IDLE
from hybridize.formats.wire import schemas
from tests.formats.tflite.test_read import run
from tests.formats.tflite.writer import Builder
from tests.refusals import refusal

X = numpy.array([[1, -2, 3, -4]], "f4")


def model(op, options=None, count=1, **more):
    b = Builder()
    x = b.input((1, 4), name="x")
    y = b.tensor((1, 4), name="y")
    b.operator(op, [x] * count, [y], options, **more)
    b.outputs(y)
    return b.bytes()


def test_what_has_no_effect_stands_in_the_schema():
    names = {field.name for fields in SCHEMAS.values() for field in fields.values()}
    for name in IDLE:
        op, _, field = name.rpartition(".")
        assert not op or op in OPERATORS, name
        assert field in names or field in ("types", "of", "to", "rounding", "init"), name


def test_options_are_read():
    assert (run(model("ADD", ("add", {"activation": 1}), 2), X)[0] == [[2, 0, 6, 0]]).all()
    assert (run(model("ADD", ("add", {"powers_of_two": False}), 2), X)[0] == 2 * X).all()


@pytest.mark.parametrize(
    ("op", "options", "words"),
    [
        ("NEG", ("softmax", {"beta": 1.0}), "operator NEG.* has the attribute beta,"),
        (
            "SOFTMAX",
            ("pool", {"filter_w": 2, "stride_w": 1}),
            "operator SOFTMAX.* has the attributes filter_w, stride_w",
        ),
        ("MAXIMUM", ("add", {"activation": 1}), "operator MAXIMUM.* has the attribute activation"),
    ],
)
def test_options_of_other_operators_are_refused(op, options, words):
    with refusal(LoadError, f"E603.*{words}"):
        run(model(op, options, 2 if op == "MAXIMUM" else 1), X)


def test_bytes_of_other_operators_are_refused():
    assert (run(model("NEG", custom=[]), X)[0] == -X).all()
    with refusal(LoadError, "E603.*operator NEG.* has the attribute custom"):
        run(model("NEG", custom=[1, 2]), X)


def test_options_that_the_schema_has_not_are_refused(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(SCHEMAS, "Softmax", SCHEMAS["Softmax"] | schemas("Softmax: 3 base f32")["Softmax"])
        later = model("SOFTMAX", ("softmax", {"beta": 1.0, "base": 2.0}))
    with refusal(LoadError, "E603.*operator SOFTMAX.* has the attribute field 3"):
        run(later, X)
    with monkeypatch.context() as patch:
        patch.setitem(SCHEMAS, "Options", SCHEMAS["Options"] | schemas("Options: 120 later Softmax")["Options"])
        other = model("NEG", ("later", {"beta": 1.0}))
        empty = model("NEG", ("later", {}))
    assert (run(empty, X)[0] == -X).all()
    with refusal(LoadError, "E603.*operator NEG.* has the attribute field 0"):
        run(other, X)
