"""Values that lie within others: slices, transposes and parts of concatenations, without copies."""

import functools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import compiler, np, npx, ops
from hybridize.array.operands import operand, result
from hybridize.array.staging import ArrayTracer
from hybridize.array.symbol import Symbol
from hybridize.base.types import TensorType
from hybridize.ops import make_graph
from hybridize.ops.evaluate import evaluate
from tests.schedule.goldens import f32


def graph_of(function, types):
    tracer = ArrayTracer()

    def steps(*inputs):
        return [operand(x) for x in function(*(Symbol.of(tracer, one) for one in inputs))]

    return make_graph(steps, types, tracer=tracer)


def check(function, *types, **options):
    """Compare a program with the reference evaluation of its graph; return its plan."""
    graph = graph_of(function, types)
    rng = numpy.random.default_rng(0)
    inputs = [rng.uniform(-1, 1, one.shape).astype(one.dtype) for one in types]
    executable = compiler.compile(graph, **options)
    for x, y in zip(executable.run(inputs), evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5)
    return executable.plan


def copies(plan):
    """The steps that only bring elements of views and concatenations elsewhere."""
    return [step for step in plan.steps if set(step.ops) <= {"concat", "slice", "transpose", "reshape"}]


def conv(x, w, pad=1):
    return result(ops.convolution(operand(x), operand(w), padding=pad))


# Views


def test_a_slice_that_several_read_is_no_copy():
    def function(x, w, v):
        y = conv(x, w)[:, 8:24]
        return conv(y, v, 0), np.exp(y).sum((2, 3)), conv(y * 2.0, v, 0)

    plan = check(function, f32(2, 8, 10, 10), f32(32, 8, 3, 3), f32(16, 16, 1, 1))
    assert not copies(plan)


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (0, 1, 3, 2), (2, 3, 0, 1)])
def test_a_transpose_is_read_as_it_lies(order):
    def function(x, w, v):
        y = np.tanh(conv(x, w)).transpose(order)
        return np.dot(y, v), y.sum(-1)

    shape = (2, 16, 6, 6)
    check(function, f32(2, 8, 6, 6), f32(16, 8, 3, 3), f32(shape[order[-1]], 5))


def test_matrices_read_what_lies_channels_last_in_order():
    """A product composes a swap of axes only over memory that is in the order of the axes."""

    def function(x, w, v):
        y = conv(x, w)
        return np.matmul(y.swapaxes(2, 3), v), conv(y, w)

    check(function, f32(1, 16, 6, 6), f32(16, 16, 3, 3), f32(6, 5))


# Concatenations


def dense(parts, x, *weights):
    for w in weights:
        x = np.concatenate((x, conv(np.maximum(x * 0.1, 0), w)), 1)
    return [np.tanh(x)] if parts == 1 else [np.tanh(x), x[:, : x.shape[1] // parts] * 2.0]


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("threads", [1, 3])
def test_concatenations_of_concatenations_are_one_buffer(parts, threads):
    weights = [f32(16, 32 + k * 16, 3, 3) for k in range(4)]
    plan = check(functools.partial(dense, parts), f32(2, 32, 8, 8), *weights, threads=threads)
    (given,) = copies(plan)
    assert [one.kind for one in given.reads] == ["input"], "the graph's input alone is copied"
    stored = [step.writes for step in plan.steps if step.kind == "contraction"]
    assert stored[:3] == [given.writes] * 3


def test_parts_are_bytes_of_the_whole():
    def whole(a, b, v):
        return [np.dot(np.concatenate((npx.softmax(a), npx.softmax(b)), 0), v)]

    rows = 2000
    plan = check(whole, f32(rows, 32), f32(rows, 32), f32(32, 32))
    assert plan.scratch_bytes < 1.5 * 2 * rows * 32 * 4


def test_borders_are_cleared_before_the_first_part():
    """A convolution finds zeros around its operand, whoever stores the parts of that."""

    def function(x, w, v):
        y = conv(x, w)
        return [conv(np.concatenate((np.tanh(y), npx.softmax(x, 1)), 1), v), np.exp(y).sum(1)]

    plan = check(function, f32(2, 16, 5, 7), f32(16, 16, 3, 3), f32(16, 32, 3, 3))
    assert not copies(plan)


@pytest.mark.parametrize("axis", [0, 1])
def test_sizes_that_are_not_known(axis):
    def function(a, b, v):
        x, y = np.dot(a, v), npx.softmax(b)
        c = np.concatenate((x, y, a), axis)
        return np.dot(c[:, :32], v), npx.softmax(c), x.sum(0), c[1:, 8:24] * 2.0

    compiled = hybridize.hybridize(function)
    rng = numpy.random.default_rng(0)
    for rows in (4, 9, 17, 6):
        args = [np.array(rng.uniform(-1, 1, (n, 32)).astype("f4")) for n in (rows, rows, 32)]
        for x, y in zip(compiled(*args), function(*args), strict=True):
            numpy.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=2e-5, atol=2e-5)


def test_a_product_stores_straight_into_a_concatenation():
    def function(a, b, v):
        c = np.concatenate((np.dot(a, v), np.dot(b, v)), 0)
        return [npx.softmax(c), np.dot(c, v)]

    plan = check(function, f32(20, 32), f32(12, 32), f32(32, 32))
    assert not copies(plan)


def test_an_output_is_stored_part_by_part():
    def function(a, b, v):
        return [np.concatenate((np.dot(a, v), npx.softmax(b)), 0)]

    plan = check(function, f32(20, 32), f32(12, 32), f32(32, 32))
    assert not copies(plan)


def test_short_rows_are_one_loop():
    def function(a, b, v):
        return [np.concatenate((npx.softmax(a), npx.softmax(b)), 1)]

    plan = check(function, f32(20, 3), f32(20, 2), f32(3, 3))
    assert any("concat" in step.ops for step in plan.steps)


CASES = {
    "twice": lambda a, b, v: np.concatenate((a, a), 0),
    "slices of itself": lambda a, b, v: np.concatenate(
        (np.concatenate((a, b), 0)[5:], np.concatenate((a, b), 0)[:5]), 0
    ),
    "part of two": lambda a, b, v: np.dot(np.concatenate((a, b), 0), v)[:32] + np.concatenate((b, a), 0)[:32],
    "nested": lambda a, b, v: np.concatenate((np.concatenate((a, b), 1), np.concatenate((b, a), 1)), 0),
    "with a part read later": lambda a, b, v: np.concatenate((np.concatenate((a, b), 0), np.dot(a, v)), 0),
    "with a constant": lambda a, b, v: np.concatenate((a, np.zeros((2, 32)), np.ones((3, 32)) * 2, b), 0),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["product", "softmax", "elements", "input"])
@pytest.mark.parametrize("end", ["output", "product", "fold"])
def test_all_kinds_of_parts_and_readers(case, kind, end):
    def function(a, b, v):
        made = {
            "product": lambda x: np.dot(x, v),
            "softmax": lambda x: npx.softmax(x),
            "elements": lambda x: np.tanh(x) + 1.0,
            "input": lambda x: x,
        }[kind]
        a, b = made(a), made(b)
        c = CASES[case](a, b, v)
        last = {"output": c, "product": np.dot(c[:, :32], v), "fold": npx.softmax(c)}[end]
        return [last, a.sum(0), c.sum(1)]

    check(function, f32(16, 32), f32(16, 32), f32(32, 32))


def test_in_the_body_of_a_loop():
    kind = TensorType((), numpy.dtype("i8"))

    def body(n, x, w):
        y = ops.matmul(ops.slice(x, (0, 0), (8, 16), (1, 1)), w)
        z = ops.matmul(ops.exp(ops.slice(x, (8, 0), (16, 16), (1, 1))), w)
        return [ops.add(n, ops.like(1, n)), ops.concat(z, y, axis=0), w]

    types = (kind, f32(16, 16), f32(16, 16))
    loop = ops.While(ops.make_graph(lambda n, x, w: [ops.lt(n, ops.like(4, n))], types), ops.make_graph(body, types))
    graph = ops.make_graph(lambda x, w: ops.bind(loop, ops.full(0, kind), x, w)[1:2], types[1:])
    rng = numpy.random.default_rng(0)
    inputs = [rng.uniform(-0.3, 0.3, (16, 16)).astype("f4") for _ in range(2)]
    for x, y in zip(compiler.compile(graph).run(inputs), evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


# Any graph


@st.composite
def programs(draw):
    """Steps over a pool of images (2, C, 4, 4); each names values by their place in the pool."""
    number = st.integers(0, 50)
    step = st.one_of(
        st.tuples(st.just("conv"), number, st.sampled_from([1, 3])),
        st.tuples(st.just("concat"), st.lists(number, min_size=2, max_size=3)),
        st.tuples(st.just("slice"), number, st.sampled_from([(0, 1), (1, 1), (0, 2), (3, -1)])),
        st.tuples(st.just("map"), number, number),
        st.tuples(st.just("rows"), number),
        st.tuples(st.just("turn"), number),
        st.tuples(st.just("product"), number),
    )
    return draw(st.lists(step, min_size=2, max_size=9)), draw(st.lists(number, min_size=1, max_size=3))


def image_program(steps, outputs, x, y, w, v):
    pool = [x, y]
    for kind, at, *rest in steps:
        if kind == "concat":
            made = np.concatenate([pool[k % len(pool)] for k in at], 1)
        else:
            one = pool[at % len(pool)]
            channels = one.shape[1]
            if kind == "conv":
                one = np.concatenate([one] * (-(-16 // channels)), 1)[:, :16]
                made = conv(one, w if rest[0] == 3 else w[:, :, :1, :1], rest[0] // 2)
            elif kind == "slice":
                first, step = rest[0]
                made = one[:, ::-1] if step < 0 else one[:, min(first, channels - 1) :: step]
            elif kind == "map":
                other = pool[rest[0] % len(pool)]
                least = min(channels, other.shape[1])
                made = np.tanh(one[:, :least] + other[:, -least:])
            elif kind == "rows":
                made = npx.softmax(one, axis=1)
            elif kind == "turn":
                made = one.swapaxes(2, 3)
            else:
                made = np.matmul(one, v)
        if made.shape[1] <= 64:
            pool.append(made)
    return [pool[-1 - k % len(pool)] for k in outputs]


@settings(max_examples=30, deadline=None)
@given(programs())
def test_any_program_means_what_its_graph_means(program):
    steps, outputs = program
    check(
        functools.partial(image_program, steps, outputs),
        f32(2, 16, 4, 4),
        f32(2, 8, 4, 4),
        f32(16, 16, 3, 3),
        f32(4, 4),
    )
