# SPDX-License-Identifier: Apache-2.0
"""Products of one operand with several stable matrices are one product where that pays, equal to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import named_target
from hybridize.compiler import cache_clear, compile
from hybridize.ops.evaluate import evaluate
from hybridize.schedule import scheduler
from hybridize.schedule.joining import Joining

F4 = np.dtype(np.float32)
WIDE = named_target("avx512")


def normal(*shape, seed=0):
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(F4)


def apart(graph, stable, target):
    """No products are joined."""
    return Joining(graph, frozenset(), {})


def both(monkeypatch, function, *arrays, target=None, stable=None):
    """The program, and its steps without joining; results of both are equal to the bit."""
    graph = ops.make_graph(function, [TensorType(x.shape, x.dtype) for x in arrays])
    stable = range(1, len(arrays)) if stable is None else stable
    program = compile(graph, target, stable=stable)
    found = program.run(arrays)
    cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(scheduler, "joined", apart)
        plain = compile(graph, target, stable=stable)
    cache_clear()
    for x, y, z in zip(found, plain.run(arrays), evaluate(graph, arrays), strict=True):
        np.testing.assert_array_equal(x, y)
        np.testing.assert_allclose(x, z, rtol=1e-3, atol=1e-3)
    return program.plan.steps, plain.plan.steps


def along(v, like):
    return ops.broadcast(v, ops.type_of(like).shape)


def heads(x, *weights):
    return [ops.matmul(x, w, False, True) for w in weights]


def attention(x, *weights):
    """Scores of each head, of queries and keys with a bias."""
    count = len(weights) // 4
    found = []
    for q, k, b, c in zip(*(weights[part::4] for part in range(4)), strict=True):
        query, key = ops.matmul(x, q, False, True), ops.matmul(x, k, False, True)
        found.append(ops.matmul(ops.add(query, along(b, query)), ops.add(key, along(c, key)), False, True))
    assert len(found) == count
    return found


def gated(x, w, v, b, c):
    y, z = ops.matmul(x, w, False, True), ops.matmul(x, v, False, True)
    return [ops.mul(ops.sigmoid(ops.add(y, along(b, y))), ops.add(z, along(c, z)))]


def test_narrow_heads_are_one_product(monkeypatch):
    weights = [normal(16, 64, seed=k) for k in range(8)]
    joined, plain = both(monkeypatch, heads, normal(16, 64), *weights, target=WIDE)
    assert len(joined) == 1 and len(plain) == 8
    assert joined[0].ops.count("matmul") == 8  # and it says so


def test_what_follows_all_alike_stays_in_the_store(monkeypatch):
    weights = [normal(*shape, seed=k) for k in range(4) for shape in ((16, 64), (16, 64), (16,), (16,))]
    joined, plain = both(monkeypatch, attention, normal(12, 64), *weights, target=WIDE)
    assert [step.kind for step in joined] == ["contraction"] * 5
    assert len(plain) == 12
    assert joined[0].ops.count("add") == 8


@pytest.mark.parametrize("m", [1, 16, 70])
def test_gates_of_two_weights_are_one_step(monkeypatch, m):
    arrays = [normal(m, 64), normal(128, 64), normal(128, 64, seed=1), normal(128), normal(128, seed=1)]
    joined, plain = both(monkeypatch, gated, *arrays, target=WIDE)
    assert len(plain) == 2
    # One row reads a w stored along k in place, as dot products, which sum in another order.
    assert len(joined) == (2 if m == 1 else 1)


@pytest.mark.parametrize(
    ("sizes", "stable"),
    [
        ([(256, 64)] * 3, None),  # whole panels: nothing is gained
        ([(16, 64)] * 8, ()),  # known to calls alone
        ([(4, 4)] * 3, None),  # small
        ([(100, 64), (16, 60)], None),
    ],
    ids=["wide", "not stable", "small", "other sums"],
)
def test_what_stays_apart(monkeypatch, sizes, stable):
    def function(x, *weights):
        width = ops.type_of(x).shape[1]
        of = (ops.slice(x, (0, 0), (ops.type_of(x).shape[0], ops.type_of(w).shape[1]), (1, 1)) for w in weights)
        return [
            ops.matmul(x if ops.type_of(w).shape[1] == width else y, w, False, True)
            for w, y in zip(weights, of, strict=True)
        ]

    arrays = [normal(16, sizes[0][1]), *(normal(*size, seed=k) for k, size in enumerate(sizes))]
    joined, plain = both(monkeypatch, function, *arrays, stable=stable)
    assert len(joined) == len(plain) >= len(sizes)


def test_any_number_of_rows():
    """Tiles of whole panels have one set of sums however few rows there are; narrow ones of four rows have two."""
    scope = SizeScope()
    n = scope.symbol(16)
    weights = [normal(128, 64), normal(128, 64, seed=1), normal(128), normal(128, seed=1)]
    narrow = [normal(16, 64, seed=k) for k in range(6)]
    arrays = [*weights, *narrow]
    graph = ops.make_graph(
        lambda x, *ws: [*gated(x, *ws[:4]), *heads(x, *ws[4:])],
        [TensorType((n, 64), F4), *(TensorType(w.shape, F4) for w in arrays)],
    )
    scope.capturing = False
    program = compile(graph, WIDE, stable=range(1, 1 + len(arrays)))
    assert [step.ops.count("matmul") for step in program.plan.steps] == [2, *[1] * 6]
    for rows in (2, 9, 40):
        x = normal(rows, 64)
        first, *others = program.run([x, *arrays])
        w, v, b, c = weights
        np.testing.assert_allclose(first, (x @ v.T + c) / (1 + np.exp(-(x @ w.T + b))), rtol=1e-3, atol=1e-4)
        for found, one in zip(others, narrow, strict=True):
            np.testing.assert_allclose(found, x @ one.T, rtol=1e-3, atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_random_products_of_one_operand(data):
    """Of any widths, either way round, each followed by what is drawn; the same with and without joining."""
    transposed, m, k = data.draw(st.booleans()), data.draw(st.integers(1, 20)), data.draw(st.sampled_from([8, 33, 64]))
    widths = data.draw(st.lists(st.sampled_from([9, 16, 20, 40, 70]), min_size=2, max_size=5))
    ends = [data.draw(st.sampled_from(["", "bias", "relu", "bias tanh", "with x"])) for _ in widths]
    kept = [data.draw(st.booleans()) for _ in widths]

    def function(x, *weights):
        found = []
        for number, (end, keep) in enumerate(zip(ends, kept, strict=True)):
            y = ops.matmul(x, weights[2 * number], False, transposed)
            if keep:
                found.append(y)
            if "bias" in end:
                y = ops.add(y, along(weights[2 * number + 1], y))
            if "relu" in end:
                y = ops.max(y, along(ops.scalar(0, F4), y))
            if "tanh" in end:
                y = ops.tanh(y)
            if "with x" in end:
                y = ops.matmul(x, y, True, False)
            found.append(y)
        return found

    weights = [w for k2, n in enumerate(widths) for w in (normal(n, k, seed=k2) if transposed else normal(k, n, seed=k2),
                                                         normal(n, seed=k2))]  # fmt: skip
    with pytest.MonkeyPatch.context() as monkeypatch:
        both(monkeypatch, function, normal(m, k), *weights)
