"""What causal masks hide is left out of both products, and no bit of what stays is another."""

import dataclasses

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hybridize import hybridize as compile_function
from hybridize import np, npx, ops
from hybridize.base.dtypes import int64
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.ops import composites, make_graph
from hybridize.ops.slicing import iota
from hybridize.passes import PIPELINE
from hybridize.schedule import reach
from hybridize.schedule.steps import ContractionStep
from tests.schedule.goldens import f32

SMALL = dataclasses.replace(host_target(), l2_bytes=256 << 10)


def numbers(seed, *shapes):
    rng = numpy.random.default_rng(seed)
    return [rng.normal(size=shape).astype("f4") for shape in shapes]


def mask(shape, more=0):
    row, column = (iota(shape, axis, int64) for axis in (len(shape) - 2, len(shape) - 1))
    return ops.ge(ops.add(row, ops.like(more, row)), column)


def attention(q, k, v, more=0, fill=-numpy.inf):
    scores = ops.matmul(q, k, False, True)
    shape = ops.type_of(scores).shape
    scores = ops.where(mask(shape, more), scores, ops.like(fill, scores))
    return [ops.matmul(composites.softmax(scores, len(shape) - 1), v)]


def graph_of(function, *types):
    return PIPELINE.run(make_graph(function, types))


def reaches(graph, target=SMALL):
    """Of each product how far its rows are asked for, and those of x are filled."""
    steps = scheduled(graph, target).steps
    return [
        (step.plan.product.read_columns, step.plan.product.filled)
        for step in steps
        if isinstance(step, ContractionStep)
    ]


def whole(monkeypatch):
    """Products that leave out nothing."""
    monkeypatch.setattr(reach.Reaches, "asked", lambda self, value: None)
    monkeypatch.setattr(reach.Reaches, "filled", lambda self, value: None)


@settings(max_examples=8, deadline=None)
@example((), 2, 9, 4, -numpy.inf, 1)
@given(
    st.sampled_from([(), (3,), (2, 2)]),
    st.integers(2, 300),
    st.integers(2, 300),
    st.integers(0, 9),
    st.sampled_from([-numpy.inf, -1e9]),
    st.sampled_from([1, 2]),
)
def test_bits_are_the_same(batch, rows, columns, more, fill, threads):
    kinds = [(*batch, rows, 24), (*batch, columns, 24), (*batch, columns, 16)]
    inputs = numbers(rows, *kinds)

    def function(q, k, v):
        return attention(q, k, v, more, fill)

    graph = graph_of(function, *(f32(*kind) for kind in kinds))
    filled = more + 1 if fill == -numpy.inf else None
    if min(rows, columns) > 40:  # else other loops may suit
        assert reaches(graph) == [(more + 1, None), (None, filled)]
    (found,) = compiled(graph, SMALL, threads=threads).run(inputs)
    with pytest.MonkeyPatch.context() as patch:
        whole(patch)
        other = dataclasses.replace(SMALL, l1_bytes=SMALL.l1_bytes + 64)  # another key among compiled programs
        assert set(reaches(graph, other)) == {(None, None)}
        (wanted,) = compiled(graph, other).run(inputs)
    if min(rows, columns) > 40:
        numpy.testing.assert_array_equal(found, wanted)
    else:  # other loops add in another order
        numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_mask_of_floats_as_people_write_it():
    def causal(q, k, v):
        places = np.arange(q.shape[-2])
        scores = np.matmul(q, np.swapaxes(k, -1, -2)) * 0.25
        scores = np.where(places[:, None] >= places[None, :], scores, -numpy.inf)
        return np.matmul(npx.softmax(scores), v)

    inputs = numbers(0, *[(2, 150, 32)] * 3)
    graph = PIPELINE.run(compile_function(causal).program(*map(np.array, inputs)).capture.graph)
    assert reaches(graph) == [(1, None), (None, 1)]


def test_values_that_are_not_finite_count_where_they_are_seen():
    """NaN in a score that is hidden does nothing; in one that is seen, or in all of a row, it is NaN as ever."""
    q, k, v = numbers(0, *[(60, 16)] * 3)
    q[7], k[40] = numpy.nan, numpy.inf
    graph = graph_of(attention, *[f32(60, 16)] * 3)
    (found,) = compiled(graph, SMALL).run([q, k, v])
    with numpy.errstate(all="ignore"):
        scores = numpy.where(numpy.tri(60, dtype=bool), q @ k.T, -numpy.inf)
        powers = numpy.exp(scores - scores.max(1, keepdims=True))
        wanted = powers / powers.sum(1, keepdims=True) @ v
    assert numpy.isnan(found[7]).all()
    assert not numpy.isnan(found[:7]).any()
    numpy.testing.assert_array_equal(numpy.isnan(found), numpy.isnan(wanted))
    v[50] = numpy.nan  # hidden from the rows before: left out, where 0 times NaN would be NaN
    (found,) = compiled(graph, SMALL).run([q, k, v])
    assert not numpy.isnan(found[:7]).any()


@pytest.mark.parametrize(
    ("function", "wanted", "why"),
    [
        (lambda q, k, v: attention(q, k, v, -1), (0, None), "the first row is hidden whole: NaN, not 0"),
        (lambda q, k, v: attention(q, k, v, 0, -1e9), (1, None), "a number may be the largest of its row"),
        (lambda q, k, v: attention(q, k, v, 0, numpy.nan), (1, None), "NaN is no weight of 0"),
        (
            lambda q, k, v: [
                ops.matmul(
                    composites.softmax(ops.where(mask((60, 60)), s := ops.matmul(q, k, False, True), ops.tanh(s)), 1),
                    v,
                )
            ],
            (None, None),
            "scores are asked for on both sides",
        ),
    ],
)
def test_what_is_not_proven_is_computed(function, wanted, why):
    found = reaches(graph_of(function, *[f32(60, 16)] * 3))
    assert (found[0][0], found[1][1]) == wanted, why


def test_gradients_of_causal_attention():
    made = make_graph(lambda q, k, v: attention(q, k, v), [f32(90, 16)] * 3)
    graph = graph_of(lambda q, k, v, g: ops.pullback(made, [q, k, v], [g]), *[f32(90, 16)] * 4)
    q, k, v, g = (x.astype("f8") for x in numbers(0, *[(90, 16)] * 4))
    found = compiled(graph, SMALL).run([x.astype("f4") for x in (q, k, v, g)])
    scores = numpy.where(numpy.tri(90, dtype=bool), q @ k.T, -numpy.inf)
    p = numpy.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    dp = g @ v.T
    ds = p * (dp - (dp * p).sum(1, keepdims=True))
    for one, other in zip(found, (ds @ k, ds.T @ q, p.T @ g), strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
