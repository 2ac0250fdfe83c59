"""Outputs that take the place of an input: which may, and that results are the same as apart, to the bit."""

import dataclasses
import random

import numpy
import pytest

from hybridize import compiler, np
from hybridize.array.operands import operand, result
from hybridize.array.staging import ArrayTracer
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import float32, float64
from hybridize.base.errors import AssertionFailed
from hybridize.base.types import TensorType
from hybridize.loops.index import Interner
from hybridize.loops.kernel import Param, Statement
from hybridize.ops import make_graph, scatter_nd, update_at
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import Body, Kernel, LoopAxis, Nest
from hybridize.schedule.parallel import shared_loops
from tests.schedule.goldens import f32


def compiled(function, types, updates, **options):
    """The program of a function of arrays that gives a list of arrays."""

    tracer = ArrayTracer()

    def steps(*inputs):
        return [operand(x) for x in function(*(Symbol.of(tracer, one) for one in inputs))]

    return compiler.compile(make_graph(steps, types, tracer=tracer), updates=updates, **options)


def samples(types):
    rng = numpy.random.default_rng(0)
    return [numpy.asarray(rng.standard_normal(one.shape)).astype(one.dtype) for one in types]


def taken(function, types, updates, **options):
    """The updates that are taken; results in place must be those apart."""
    executable = compiled(function, types, updates, **options)
    inputs = samples(types)
    expected = executable.run([one.copy() for one in inputs])
    there = [one.copy() for one in inputs]
    pairs = dict(executable.plan.updates)
    found = executable.run(there, donated={output: there[source] for output, source in pairs.items()})
    for number, (x, y) in enumerate(zip(found, expected, strict=True)):
        assert x.tobytes() == y.tobytes(), f"output {number} of {pairs}"
    for output, source in pairs.items():
        assert found[output] is there[source]
    untouched = [number for number in range(len(types)) if number not in pairs.values()]
    assert all(there[number].tobytes() == inputs[number].tobytes() for number in untouched)
    return pairs


SIZES = (1, 3, 16, 37, 259, 5000)


@pytest.mark.parametrize("size", SIZES)
def test_elements_that_depend_on_their_own_place_alone(size):
    types = [f32(size)] * 4

    def adam(w, g, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return [w - 0.1 * m / (np.sqrt(np.abs(v)) + 1e-8), m, v]

    assert taken(adam, types, {0: 0, 1: 2, 2: 3}) == {0: 0, 1: 2, 2: 3}


def test_what_nobody_reads_is_written_in_place():
    assert taken(lambda g, x: [x[::-1] * 2], [f32(100), f32(100)], {0: 0}) == {0: 0}


@pytest.mark.parametrize(
    "update",
    [
        lambda w: w[::-1] + w,
        lambda w: np.concatenate([w[1:], w[:1]]),
        lambda w: np.cumsum(w),
        lambda w: np.sort(w)[::-1] * w[::-1],
        lambda w: np.where(w > 0, w, w[::-1]),
        lambda w: w * np.flip(w).reshape(100),
    ],
)
def test_elements_that_need_others_are_written_apart(update):
    assert taken(lambda w: [update(w)], [f32(100)], {0: 0}) == {}


def test_a_transposed_matrix_is_written_apart():
    assert taken(lambda w: [w.T + w], [f32(40, 40)], {0: 0}) == {}
    assert taken(lambda w: [w @ w], [f32(40, 40)], {0: 0}) == {}


def test_sums_of_the_old_value():
    """In the same loops they are not proven to be read before; in a step of their own they are."""
    taken(lambda w: [w / (1 + np.abs(w).sum())], [f32(1000)], {0: 0})
    taken(lambda w: [w - w.mean()], [f32(7, 300)], {0: 0})

    def step(w, x):
        y = np.sort(w)[::-1] + x
        return [y * w.sum(), w - x]

    assert taken(step, [f32(100), f32(100)], {1: 0}) == {1: 0}


@pytest.mark.parametrize("shape", [(1, 5), (9, 40), (300, 7), (33, 1000)])
def test_rows_are_right_whatever_is_taken(shape):
    def softmax(w):
        e = np.exp(w - w.max(1, keepdims=True))
        return [e / e.sum(1, keepdims=True)]

    taken(softmax, [f32(*shape)], {0: 0})
    taken(lambda w: [w - w.mean(1, keepdims=True), w.sum(0)], [f32(*shape)], {0: 0})
    taken(lambda w: [w - w.mean(0), w.sum(1)], [f32(*shape)], {0: 0})


@pytest.mark.parametrize("batch", [1, 2, 7, 64])
@pytest.mark.parametrize(("rows", "columns"), [(10, 33), (64, 64), (17, 300)])
def test_readers_of_a_weight_come_before_its_update(batch, rows, columns):
    """The gradient of what comes before a layer reads the old weight, though the program says it later."""

    def step(w, v, x, d):
        new = w - 0.1 * (x.T @ d)
        return [new, 0.5 * v + (x.T @ d), d @ w.T, x @ w]

    types = [f32(rows, columns), f32(rows, columns), f32(batch, rows), f32(batch, columns)]
    assert taken(step, types, {0: 0, 1: 1}) == {0: 0, 1: 1}


def test_values_that_change_places():
    pairs = taken(lambda a, b: [b + 0, a + 0], [f32(100), f32(100)], {0: 0, 1: 1})
    assert len(pairs) < 2
    pairs = taken(lambda a, b: [b, a], [f32(100), f32(100)], {0: 0, 1: 1})
    assert len(pairs) < 2


def test_one_value_for_two_states():
    def same(a, b):
        c = a * 2 + b
        return [c, c]

    taken(same, [f32(100), f32(100)], {0: 0, 1: 1})
    assert taken(lambda a, b: [a, a * 2], [f32(100), f32(100)], {0: 0, 1: 1}) == {0: 0, 1: 1}


def test_an_old_value_that_is_needed_later():
    def step(w, x):
        new = w * 2 + x
        return [new, (np.cumsum(new) * w[::-1])]

    assert taken(step, [f32(50), f32(50)], {0: 0}) == {}


def test_a_row_or_a_part_is_updated():
    def step(w, x):
        new = w.copy()
        new[3] = new[3] + x
        return [new]

    taken(step, [f32(10, 30), f32(30)], {0: 0})


def test_sizes_that_a_call_brings_along():
    from hybridize.base.dims import SizeScope

    scope = SizeScope()
    scope.capturing = False
    size = scope.symbol(64, name="n", low=1)
    executable = compiled(lambda w, x: [w - 0.5 * x], [TensorType((size,), float32)] * 2, {0: 0})
    assert dict(executable.plan.updates) == {0: 0}
    for count in SIZES:
        w, x = samples([f32(count), f32(count)])
        expected = w - numpy.float32(0.5) * x
        (found,) = executable.run([w, x], donated={0: w})
        assert found is w
        assert w.tobytes() == expected.tobytes()


def _asserting(w, x, message, held):
    from hybridize import npx

    npx.assert_(held, message)  # noqa: PT009
    return [w - x]


def test_a_program_that_asserts_stops_before_it_writes():
    """Wherever the assertion stands in the program: before, between, and behind what is written over an input."""
    from hybridize import npx

    def before(w, x):
        return _asserting(w, x, "before", x.sum() > 0)

    def behind(w, x):
        new = w - x
        npx.assert_((x * 2).sum() > 0, "behind")  # noqa: PT009
        return [new]

    def of_the_old(w, x):
        npx.assert_(w.sum() < 1e6, "small")  # noqa: PT009
        new = w * 0.5 - x
        npx.assert_(x.max() > 0, "two")  # noqa: PT009
        return [new]

    for step in (before, behind, of_the_old):
        executable = compiled(step, [f32(300), f32(300)], {0: 0})
        assert dict(executable.plan.updates) == {0: 0}, step
        w, x = numpy.arange(300, dtype="f4"), numpy.ones(300, "f4")
        expected = (w * 0.5 if step is of_the_old else w) - x
        executable.run([w, x], donated={0: w})
        numpy.testing.assert_array_equal(w, expected)
        with pytest.raises(AssertionFailed):
            executable.run([w, -x], donated={0: w})
        numpy.testing.assert_array_equal(w, expected)


def test_an_assertion_of_what_is_written_is_no_update():
    def step(w, x):
        from hybridize import npx

        new = w - x
        npx.assert_(new.sum() > 0, "a sum above 0")  # noqa: PT009
        return [new]

    executable = compiled(step, [f32(10), f32(10)], {0: 0})
    w = numpy.ones(10, "f4")
    with pytest.raises(AssertionFailed):
        executable.run([w, 2 * w], donated={0: w} if executable.plan.updates else {})
    numpy.testing.assert_array_equal(w, numpy.ones(10, "f4"))


def test_nothing_of_a_program_that_asserts_of_many_or_prints():
    from hybridize import npx

    def many(w, x):
        return _asserting(w, x, "all", x > 0)

    def printing(w, x):
        npx.print(x.sum())
        return [w - x]

    for step in (many, printing):
        assert dict(compiled(step, [f32(10), f32(10)], {0: 0}).plan.updates) == {}


def test_inputs_of_other_types_or_offered_twice_are_not_taken():
    assert taken(lambda w, x: [w.astype("float64")], [f32(9), f32(9)], {0: 0}) == {}
    assert taken(lambda w, x: [w + x, w - x], [f32(9), f32(9)], {0: 0, 1: 0}) == {}


def test_memory_and_the_cache_tell_them_apart():
    def step(w, x):
        return [w - x, (w * x).sum()]

    types = [f32(1000), f32(1000)]
    apart, there = compiled(step, types, None), compiled(step, types, {0: 0})
    assert apart is not there
    assert there is compiled(step, types, {0: 0})
    assert apart.peak_bytes - there.peak_bytes == 4000


def test_threads_share_an_update():
    size = 1 << 20

    def step(w, g):
        return [w - 0.1 * np.tanh(g) * np.exp(-w * w)]

    assert taken(step, [f32(size), f32(size)], {0: 0}, threads=2) == {0: 0}


def _scattered(base, updates, rows, mode):
    """`base` with rows of `updates` set, or added, at rows that data names, some of them several times."""
    points = np.clip(np.abs(rows), 0, 1e6).astype("int64").reshape((-1, 1)) % base.shape[0]
    return result(scatter_nd(operand(base), operand(points), operand(updates), mode))


def _chance(rng, size):
    """A function of four states and two inputs that computes new states of old ones."""

    def function(*arrays):
        values = list(arrays)
        for _ in range(rng.randint(3, 12)):
            x, y = rng.choice(values), rng.choice(values)
            kind = rng.randrange(14)
            if kind < 4:
                values.append(x * 0.5 + y)
            elif kind == 4:
                values.append(np.tanh(x) * y)
            elif kind == 5:
                values.append(x[::-1] - y)
            elif kind == 6:
                values.append(x.T.reshape(size, size) + y)
            elif kind == 7:
                values.append((x @ y) * 0.01)
            elif kind == 8:
                values.append(x - (x * y).mean(rng.randrange(2), keepdims=True))
            elif kind == 9:
                values.append(y + (x.T @ y) * 0.01 - x)
            elif kind == 10:
                base = rng.choice((np.zeros_like(x), x * 0.5, x))
                values.append(_scattered(base, y, y[0] * 3, rng.choice(("add", "set"))))
            elif kind == 11:
                values.append(_scattered(np.zeros_like(x), x, y[-1] * 5, "add"))
            elif kind == 12:
                values.append(np.concatenate([x[1:], y[:1]]))
            else:
                values.append(np.where(x > 0, x, y) + x.sum())
        return [rng.choice(values) for _ in range(4)]

    return function


@pytest.mark.parametrize("seed", range(60))
def test_programs_of_chance(seed):
    rng = random.Random(seed)
    size = rng.choice((1, 2, 5, 16, 33, 70))
    type_ = TensorType((size, size), rng.choice((float32, float32, float64)))
    taken(_chance(rng, size), [type_] * 6, {k: k for k in range(4)})


@pytest.mark.parametrize("seed", range(60, 75))
def test_programs_of_chance_on_two_threads(seed, monkeypatch):
    """A nest that reads an old value elsewhere is over before another thread stores the new one."""
    for name, least in (("WORTH_US", 0.0), ("RANGE_US", 1e-9)):
        monkeypatch.setattr(thresholds, name, least)
    rng = random.Random(seed)
    size = rng.choice((16, 33, 70))
    taken(_chance(rng, size), [TensorType((size, size), float32)] * 6, {k: k for k in range(4)}, threads=2)


def test_nests_are_parted_where_one_stores_over_what_another_reads():
    """Told of their memory, they share no loop any more."""
    axes = (LoopAxis(64),)
    interner = Interner()
    own, back = interner.axis(0), interner.index(63, ((interner.axis(0), -1),))
    statements = [
        Statement(2, own, interner.load(float32, 0, (back,))),
        Statement(3, own, interner.load(float32, 1, (own,))),
    ]
    nests = tuple(Nest((), (Body(axes, (one,)),)) for one in statements)
    params = [Param(float32, 64, written) for written in (False, False, True, True)]
    assert [loop.nests for loop in shared_loops(Kernel(tuple(params), (), nests))] == [2]
    for number in (0, 3):
        params[number] = dataclasses.replace(params[number], shared=True)
    assert [loop.nests for loop in shared_loops(Kernel(tuple(params), (), nests))] == [1, 1]


def test_a_part_at_an_index_that_data_gives_is_written_alone():
    """The rest stays where it is, whoever reads the array afterwards; not if somebody needs what was there."""
    types = [f32(3, 8, 5), f32(3, 2, 5), TensorType((), numpy.dtype("i8"))]

    def put(cache, k, at):
        return result(update_at(operand(cache), operand(at), operand(k), 1))

    def rows(cache, k, at):
        points = np.abs(at.reshape((1, 1))) % 3
        return result(scatter_nd(operand(cache), operand(points), operand(cache[1:2] + k[0, 0]), "set"))

    def written_and_read(cache, k, at):
        new = put(cache, k, at)
        return [new, (new * 2).sum()]

    assert taken(written_and_read, types, {0: 0}) == {0: 0}
    assert taken(lambda cache, k, at: [put(cache, k * cache[:, :2], at)], types, {0: 0}) == {0: 0}
    assert taken(lambda cache, k, at: [rows(cache, k, at)], types, {0: 0}) == {0: 0}
    assert taken(lambda cache, k, at: [put(cache, cache[:, 3:5], at)], types, {0: 0}) == {0: 0}
    assert taken(lambda cache, k, at: [put(put(cache, k, at), k + 1, at), cache * 2], types, {0: 0}) == {0: 0}


def test_memory_of_a_value_that_dies_is_written_over():
    types = [f32(30, 80, 5), f32(30, 2, 5), TensorType((), numpy.dtype("i8"))]

    def write(x, k, at):
        held = x * 2
        for part in (k, k + 1, k * 3):
            held = result(update_at(operand(held), operand(at), operand(part), 1))
        return [held.sum(1)]

    plan = compiled(write, types, {}).plan
    assert plan.scratch_bytes < 1.5 * types[0].nbytes


def gradients(w, x, rows):
    return [_scattered(np.zeros_like(w), x, rows, "add"), (x * 2).sum()]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("updates", [{}, {0: 0}])
def test_what_is_added_to_zeros_is_added_where_the_result_lies(updates, threads):
    """The gradient of an embedding: no zeros elsewhere, which would then be copied."""
    types = [f32(3000, 40), f32(50, 40), f32(50)]
    assert taken(gradients, types, updates, threads=threads) == updates
    assert compiled(gradients, types, updates, threads=threads).plan.scratch_bytes < types[0].nbytes // 4


def test_an_old_value_that_is_read_meanwhile_stays():
    """The sum of old and new gradients: zeros may not lie where the old one does."""
    types = [f32(3000, 40), f32(50, 40), f32(50)]

    def accumulated(g, x, rows):
        made = _scattered(np.zeros_like(g), x, rows, "add")
        return [made, (g * g).sum(), made.max()]

    def turned(g, x, rows):
        return [_scattered(g.reshape(40, 3000).T * 0.5, x, rows, "add")]

    assert taken(accumulated, types, {0: 0}) == {0: 0}
    assert taken(turned, types, {0: 0}) == {}
    assert taken(lambda g, x, rows: [_scattered(g * 2, x, rows, "add")], types, {0: 0}) in ({}, {0: 0})


def test_an_assertion_comes_before_zeros_that_lie_over_an_input():
    from hybridize import npx

    def step(w, x, rows):
        new = _scattered(np.zeros_like(w), x, rows, "add")
        npx.assert_(x.sum() > 0, "positive")  # noqa: PT009
        return [new]

    types = [f32(300, 40), f32(50, 40), f32(50)]
    executable = compiled(step, types, {0: 0})
    w, x, rows = samples(types)
    kept = w.copy()
    donated = {0: w} if executable.plan.updates else {}
    with pytest.raises(AssertionFailed):
        executable.run([w, -numpy.abs(x), rows], donated=donated)
    numpy.testing.assert_array_equal(w, kept)
