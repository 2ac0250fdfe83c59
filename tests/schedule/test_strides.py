"""Products of matrices that lie within larger arrays: read and stored where they are."""

import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import hybridize, np, npx, ops
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import make_graph
from hybridize.passes import PIPELINE
from tests.schedule.goldens import f32


def numbers(seed, *shapes):
    rng = numpy.random.default_rng(seed)
    return [rng.normal(size=shape).astype("f4") for shape in shapes]


def copies(graph, target="avx512"):
    """Steps that only move elements, but for what packs matrices."""
    steps = scheduled(graph, named_target(target)).steps
    return [step for step in steps if str(step).startswith(tuple("loops")) and step.provenance.ops != ("pack",)]


ORDERS = ["".join(order) for order in itertools.permutations("bht")]


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(ORDERS),
    st.sampled_from(ORDERS),
    st.sampled_from(ORDERS),
    st.sampled_from([(1, 1), (1, 3), (2, 1), (2, 3)]),
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from([1, 3, 16, 40]),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_heads_in_any_order(first, second, third, batch, rows, columns, terms, twice, threads):
    """Scores of queries and keys, and means of values, whose axes lie in any order."""
    sizes = {"b": batch[0], "h": batch[1], "t": rows, "s": columns, "d": terms}
    second = second.replace("t", "s")
    x, w, v = numbers(rows, *([*(sizes[letter] for letter in order), terms] for order in (first, second, second)))

    def function(x, w, v):
        scores = ops.contract(f"{first}d,{second}d->bhts", x, w)
        scores = ops.mul(scores, ops.like(0.5, scores)) if twice else scores
        return [scores, ops.contract(f"bhts,{second}d->{third}d", scores, v)]

    graph = PIPELINE.run(make_graph(function, [f32(*one.shape) for one in (x, w, v)]))
    scores = numpy.einsum(f"{first}d,{second}d->bhts", *(one.astype("f8") for one in (x, w))) * (0.5 if twice else 1)
    wanted = numpy.einsum(f"bhts,{second}d->{third}d", scores, v)
    found = compiled(graph, host_target(), threads=threads).run([x, w, v])
    numpy.testing.assert_allclose(found[0], scores, rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(found[1], wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("target", ["avx512", "avx2"])
def test_heads_are_not_copied(target):
    graph = PIPELINE.run(
        make_graph(
            lambda q, k, v: [ops.contract("bhts,bshd->bthd", ops.contract("bthd,bshd->bhts", q, k), v)],
            [f32(2, 40, 4, 32)] * 3,
        )
    )
    assert not copies(graph, target)


def test_queries_keys_and_values_of_one_product():
    """Attention as people write it, of one product of the input: nothing is transposed in memory."""

    def attention(x, w):
        batch, length, channels = x.shape
        whole = np.matmul(x, w.T).reshape(batch, length, 3, 4, channels // 4)
        q, k, v = (np.swapaxes(whole[:, :, part], 1, 2) for part in range(3))
        scores = np.matmul(q, np.swapaxes(k, -1, -2)) * 0.25
        return np.swapaxes(np.matmul(npx.softmax(scores), v), 1, 2).reshape(batch, length, channels)

    function = hybridize(attention)
    for batch, length in ((1, 50), (2, 50), (2, 33), (3, 1), (1, 200)):
        x, w = numbers(length, (batch, length, 64), (192, 64))
        whole = (x.astype("f8") @ w.T).reshape(batch, length, 3, 4, 16)
        q, k, v = (whole[:, :, part].swapaxes(1, 2) for part in range(3))
        scores = q @ k.swapaxes(-1, -2) * 0.25
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        wanted = (powers / powers.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(batch, length, 64)
        numpy.testing.assert_allclose(function(np.array(x), np.array(w)).asnumpy(), wanted, rtol=1e-3, atol=1e-3)
    program = hybridize(attention).program(*map(np.array, numbers(0, (2, 50, 64), (192, 64))))
    assert program.fallbacks == ()
    ops_of = [step.provenance.ops for step in scheduled(PIPELINE.run(program.capture.graph), host_target()).steps]
    assert not any("transpose" in words and "reduce_max" not in words for words in ops_of)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x, w: ops.matmul(ops.slice(x, (0, 8), (24, 40), (1, 1)), w), lambda x, w: x[:, 8:40] @ w),
        (lambda x, w: ops.matmul(ops.slice(x, (1, 8), (24, 40), (2, 1)), w), lambda x, w: x[1::2, 8:40] @ w),
        (
            lambda x, w: ops.matmul(ops.flip(ops.slice(x, (0, 8), (24, 40), (1, 1)), 0), w),
            lambda x, w: x[::-1, 8:40] @ w,
        ),
        (lambda x, w: ops.matmul(ops.slice(x, (0, 0), (24, 64), (1, 2)), w), lambda x, w: x[:, ::2] @ w),
    ],
    ids=["columns", "every other row", "rows in another order", "every other column"],
)
def test_parts_of_a_matrix(function, wanted):
    x, w = numbers(0, (24, 64), (32, 20))
    graph = PIPELINE.run(make_graph(lambda x, w: [function(ops.tanh(x), w)], [f32(24, 64), f32(32, 20)]))
    (found,) = compiled(graph, host_target()).run([x, w])
    numpy.testing.assert_allclose(found, wanted(numpy.tanh(x.astype("f8")), w), rtol=1e-4, atol=1e-4)


SHARED = {
    "one": lambda x, w: w,
    "of a batch of one": lambda x, w: w[None, None],
    "repeated": lambda x, w: np.broadcast_to(w, (*x.shape[:2], *w.shape)),
    "computed": lambda x, w: np.tanh(w)[None, None],
}


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("how", SHARED)
def test_a_shared_matrix_and_a_result_that_is_read_transposed(how, batch):
    """The rows of all heads times one matrix are those of one matrix, unless the result lies in another order."""
    x, w, v = numbers(batch, (batch, 3, 25, 4), (4, 5), (15, 4))

    def function(x, w, v):
        y = np.matmul(x, SHARED[how](x, w))
        return np.transpose(y, (0, 2, 1, 3)).reshape(x.shape[0] * x.shape[2], -1) @ v

    given = [np.array(one) for one in (x, w, v)]
    found, wanted = hybridize(function)(*given).asnumpy(), function(*given).asnumpy()
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("first", ["bgrtd", "btgrd", "brgtd"])
def test_queries_that_share_their_keys(first):
    """Each head of the keys serves several of the queries: it is read several times, and not repeated in memory."""
    sizes = {"b": 2, "g": 2, "r": 3, "t": 90, "s": 90, "d": 16}
    shapes = [tuple(sizes[letter] for letter in order) for order in (first, "bgsd", "bgsd")]
    q, k, v = numbers(0, *shapes)

    def function(q, k, v):
        return [ops.contract(f"bgrts,bgsd->{first}", ops.contract(f"{first},bgsd->bgrts", q, k), v)]

    graph = PIPELINE.run(make_graph(function, [f32(*shape) for shape in shapes]))
    assert "contract" not in graph.op_names()
    assert not copies(graph)
    scores = numpy.einsum(f"{first},bgsd->bgrts", q.astype("f8"), k)
    (found,) = compiled(graph, host_target()).run([q, k, v])
    numpy.testing.assert_allclose(found, numpy.einsum(f"bgrts,bgsd->{first}", scores, v), rtol=1e-3, atol=1e-2)
