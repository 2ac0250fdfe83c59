"""Choices of a target: the words that set them, the table of families, and right results at every value."""

import dataclasses

import numpy as np
import pytest

from hybridize import compiler
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.graph import Builder
from hybridize.machine.choices import CHOICES, SIZES, settings, with_fields
from hybridize.machine.families import FAMILIES, of_family
from hybridize.machine.target import NAMES, Target, named_target
from hybridize.ops.evaluate import evaluate
from hybridize.ops.matmul import Matmul


@pytest.mark.parametrize(
    ("text", "measured", "fields"),
    [
        ("", True, {}),
        ("unroll=2", True, {"unroll": 2}),
        (" unroll = 4 , packs_from=1 ", True, {"unroll": 4, "packs_from": 1}),
        ("table", False, {}),
        ("table,l2_bytes=2097152", False, {"l2_bytes": 2 << 20}),
        ("unroll=2,unroll=2,", True, {"unroll": 2}),
    ],
)
def test_words(text, measured, fields):
    said = settings(text)
    assert (said.measured, dict(said.fields)) == (measured, fields)
    target = named_target("avx2")
    assert said.applied(target) == dataclasses.replace(target, **fields)
    assert said.complete == (not measured or fields.keys() >= CHOICES.keys())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fast", "'fast'"),
        ("unroll", "'unroll'"),
        ("speed=2", "'speed=2'"),
        ("registers=64", "'registers=64'"),
        ("unroll=3", "unroll must be 1, 2 or 4, got '3'"),
        ("unroll=two", "got 'two'"),
        ("unroll=", "got ''"),
        ("unroll=-1", "got '-1'"),
        ("unroll=²", "got '²'"),
        ("packs_from=2", "packs_from must be 1 or 4"),
        ("l1_bytes=0", "l1_bytes must be a number from 1024"),
        (f"l2_bytes={1 << 40}", "l2_bytes must be a number from"),
        ("unroll=1,unroll=2", "to 1 and 2"),
    ],
)
def test_words_that_cannot_be(text, names):
    with pytest.raises(ArgumentError, match="E392") as raised:
        settings(text)
    assert names in raised.value.what
    assert raised.value.help


def test_choices_are_fields_and_tables_hold_values_that_they_may_have():
    fields = {field.name: field.default for field in dataclasses.fields(Target)}
    for name, values in {**CHOICES, **SIZES}.items():
        assert fields[name] in values
    for family, chosen in FAMILIES.items():
        maker, name = family.split()
        assert name in NAMES
        assert all(value in CHOICES[field] for field, value in chosen.items())
        assert of_family(named_target(name), maker) == with_fields(named_target(name), chosen)
    assert of_family(named_target("avx2"), "nobody") is named_target("avx2")


SIZES_OF_PRODUCTS = [(1, 256, 100), (1, 33, 512), (2, 130, 65), (3, 64, 31), (7, 70, 66), (24, 64, 127), (64, 48, 5)]


def products():
    """Products of many sizes as one graph, w stored either way; those stored [n, k] may be packed."""
    builder, outputs, inputs = Builder(), [], []
    for (m, n, k), flipped in [(sizes, flipped) for sizes in SIZES_OF_PRODUCTS for flipped in (False, True)]:
        x, w = (builder.input(TensorType(shape, float32)) for shape in ((m, k), (n, k) if flipped else (k, n)))
        inputs += [x, w]
        outputs += builder.add(Matmul(False, flipped), [x, w])
    return builder.finish(outputs), range(1, len(inputs), 2)


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in CHOICES.items() for value in values])
@pytest.mark.parametrize("name", runnable())
def test_results_are_right_at_every_value(name, field, value):
    graph, stable = products()
    rng = np.random.default_rng(0)
    inputs = [rng.integers(-4, 5, value.type.shape).astype(value.type.dtype) for value in graph.inputs]
    program = compiler.compile(graph, with_fields(named_target(name), {field: value}), stable=stable)
    for found, true in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(found, true)  # sums of small integers are exact in any order
