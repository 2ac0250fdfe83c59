"""Products that run a few rows at a time: which do, and that the bits are the same."""

import dataclasses
import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.ops import make_graph
from hybridize.schedule import scheduler
from hybridize.schedule.steps import ProductStep

SMALL = dataclasses.replace(host_target(), l2_bytes=256 << 10)
"""This machine with a small second-level cache, so that small products have bands."""


def layers(sizes, residual=False, twice=False):
    """Products one after the other, each with something after it."""

    def net(x, *weights):
        first = x
        for number, w in enumerate(weights):
            y = ops.matmul(x, w, False, True)
            y = ops.max(y, ops.like(0.0, y)) if number % 2 else ops.tanh(y)
            x = ops.add(y, first) if residual and y_like(y, first) else y
        return [x, ops.neg(x)] if twice else [x]

    return net


def y_like(x, y):
    return ops.type_of(x).shape == ops.type_of(y).shape


def graph_of(rows, sizes, **how):
    kinds = [(rows, sizes[0]), *((b, a) for a, b in itertools.pairwise(sizes))]
    return make_graph(layers(sizes, **how), [TensorType(shape, float32) for shape in kinds]), kinds


def bands(graph, count, target=SMALL, slots=1):
    steps = scheduled(graph, target, stable=range(1, count), slots=slots).steps
    return [step.band for step in steps if isinstance(step, ProductStep)]


def test_products_of_many_rows_share_a_band():
    graph, kinds = graph_of(600, (64, 64, 64, 128))
    found = bands(graph, len(kinds))
    assert found[0] is not None
    assert len(set(map(id, found))) == 3
    assert len({band.number for band in found}) == 1
    assert "band 0: " in str(scheduled(graph, SMALL, stable=range(1, 4)))


@pytest.mark.parametrize(
    ("rows", "sizes", "why"),
    [
        (24, (64, 64, 64), "few rows stay near anyway"),
        (600, (64, 64, 2), "a narrow product has other rows in a unit"),
        (600, (256, 256, 256), "matrices that fill the cache"),
    ],
)
def test_others_do_not(rows, sizes, why):
    graph, kinds = graph_of(rows, sizes)
    assert bands(graph, len(kinds)) == [None] * (len(sizes) - 1), why


def test_threads_share_steps_instead():
    graph, kinds = graph_of(20_000, (64, 64, 64))
    assert bands(graph, len(kinds), slots=2) == [None, None]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(100, 700),
    st.lists(st.sampled_from([64, 128]), min_size=3, max_size=5),
    st.booleans(),
    st.booleans(),
)
def test_bits_are_the_same(rows, sizes, residual, twice):
    graph, kinds = graph_of(rows, sizes, residual=residual, twice=twice)
    rng = numpy.random.default_rng(rows)
    inputs = [rng.normal(size=shape).astype("f4") for shape in kinds]
    stable = range(1, len(kinds))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "find_bands", lambda steps, target: {})
        whole = compiled(graph, dataclasses.replace(SMALL, l1_bytes=SMALL.l1_bytes + 64), stable=stable).run(inputs)
    for found, wanted in zip(compiled(graph, SMALL, stable=stable).run(inputs), whole, strict=True):
        numpy.testing.assert_array_equal(found, wanted)
