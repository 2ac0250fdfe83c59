# SPDX-License-Identifier: Apache-2.0
"""What depends on stable values alone is computed once, gives the same, and only where that saves something."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.compiler import cache_clear, compile
from hybridize.graph import Builder
from hybridize.ops import (
    Add,
    Broadcast,
    Cast,
    Concat,
    Cond,
    Exp,
    Matmul,
    Mul,
    Neg,
    Print,
    Reshape,
    Scan,
    Slice,
    Sqrt,
    Sub,
    Sum,
    Transpose,
)  # fmt: skip
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import bind1
from hybridize.ops.tracing import make_graph

F4 = np.dtype(np.float32)
F2 = np.dtype(np.float16)
RNG = np.random.default_rng(0)


def whole(*shape, dtype=F4):
    """Small whole numbers: sums of products are exact in any order."""
    return RNG.integers(-2, 3, shape).astype(dtype)


class Made:
    """A graph with its inputs, all but the first of them stable or constants."""

    def __init__(self, make, x, *weights, frozen=()):
        builder = Builder()
        values = [builder.input(TensorType(x.shape, x.dtype))]
        self.inputs = [x]
        for number, w in enumerate(weights):
            if number in frozen:
                values.append(builder.constant(w))
            else:
                values.append(builder.input(TensorType(w.shape, w.dtype)))
                self.inputs.append(w)
        self.graph = builder.finish([make(lambda op, *operands: builder.add(op, operands)[0], *values)])
        self.stable = range(1, len(self.inputs))

    def check(self):
        program = compile(self.graph, stable=self.stable)
        (found,), (wanted,) = program.run(self.inputs), evaluate(self.graph, self.inputs)
        np.testing.assert_array_equal(found, wanted)
        (plain,) = compile(self.graph).run(self.inputs)
        np.testing.assert_array_equal(found, plain)
        return program

    def once(self):
        """The operations that calls do without."""
        return [one.ops for one in self.check().plan.derivations if one.ops]


def scaled(do, x, w, v):
    return do(Matmul(False, True), x, do(Mul(), w, do(Broadcast(w.type.shape), v)))


X, W, V = whole(16, 64), whole(48, 64), whole(48, 1)


@pytest.mark.parametrize("frozen", [(), (0,), (1,)])
def test_a_weight_that_is_computed_of_several_is_packed_where_it_is_made(frozen):
    made = Made(scaled, X, W, V, frozen=frozen)
    (one,) = made.check().plan.derivations
    assert one.ops == ("broadcast", "mul")
    assert {source.kind for source in one.sources} == ({"input"} if not frozen else {"input", "constant"})
    assert len(one.sources) == 2
    (step,) = compile(made.graph, stable=made.stable).plan.steps
    assert step.ops == ("matmul",)


def test_large_constants_are_computed_when_the_program_is_made():
    w = whole(600, 1024)
    made = Made(lambda do, x, w, v: do(Matmul(False, True), x, do(Mul(), w, v)), whole(4, 1024), w, w, frozen=(0, 1))
    program = made.check()
    assert [one.inputs for one in program.plan.derivations] == [()]
    assert not program.derivers
    assert program.constant_bytes < program.plan.derivations[0].nbytes + 64  # neither w is kept


@pytest.mark.parametrize(
    ("make", "weights", "ops"),
    [
        (lambda do, x, w: do(Sub(), x, do(Broadcast((16, 64)), do(Sum((0,)), do(Cast(F4), w)))),
         [whole(300, 64, dtype=F2)], ("cast", "sum")),
        (lambda do, x, w, v: do(Matmul(False, False), x, do(Concat(1), w, v)), [whole(64, 80), whole(64, 9)], ("concat",)),
        (lambda do, x, w, v: do(Matmul(False, False), x, do(Matmul(True, False), w, v)), [whole(30, 64), whole(30, 70)],
         ("matmul",)),
        (lambda do, x, w: do(Sub(), x, do(Broadcast((16, 64)), do(Sum((0,)), w))), [whole(300, 64)], ("sum",)),
        (lambda do, x, w: do(Add(), x, do(Slice((2, 0), (18, 64), (1, 1)), do(Mul(), w, w))), [whole(512, 64)],
         ("mul", "slice")),
    ],
)  # fmt: skip
def test_operations_that_are_done_once(make, weights, ops):
    assert Made(make, X, *weights).once() == [ops]


@pytest.mark.parametrize(
    ("make", "weights"),
    [
        (lambda do, x, w: do(Matmul(False, False), x, do(Transpose((1, 0)), w)), [W]),
        (lambda do, x, w: do(Add(), x, do(Broadcast((16, 64)), w)), [whole(1, 64)]),
        (lambda do, x, w: do(Add(), x, do(Slice((0, 0), (16, 64), (1, 1)), w)), [whole(512, 64)]),
        (lambda do, x, w: do(Matmul(False, False), x, do(Reshape((64, 48)), w)), [W]),
        # Reading a large sum of two small ones takes longer than making it.
        (lambda do, x, w, v: do(Mul(), x, do(Add(), do(Broadcast((512, 512)), w), do(Broadcast((512, 512)), v))),
         [whole(512, 1), whole(1, 512)]),
    ],
    ids=["transpose", "broadcast", "slice", "reshape", "outer sum"],
)  # fmt: skip
def test_what_only_moves_or_enlarges_stays(make, weights):
    x = whole(512, 512) if len(weights) == 2 else X
    assert Made(make, x, *weights).once() == []


def test_what_is_derived_is_not_larger_than_there_is_room_for(monkeypatch):
    def make(do, x, w, v):
        return do(Mul(), x, do(Exp(), do(Mul(), do(Broadcast((512, 512)), w), do(Broadcast((512, 512)), v))))

    made = Made(make, whole(512, 512), np.zeros((512, 1), F4), whole(1, 512))
    assert made.once() == [("broadcast", "broadcast", "mul", "exp")]
    monkeypatch.setattr("hybridize.schedule.thresholds.DERIVED_BYTES", 512 * 512)
    cache_clear()
    assert made.once() == []


def test_effects_are_had_by_each_call(capfd):
    builder = Builder()
    w = builder.input(TensorType((512,), F4))
    builder.add(Print("{}"), [w])
    (y,) = builder.add(Exp(), [w])
    program = compile(builder.finish([y]), stable=[0])
    data = np.zeros(512, F4)
    assert [one.ops for one in program.plan.derivations] == [("exp",)]
    for _ in range(2):
        program.run([data])
    assert capfd.readouterr().out.count("[") == 2


def test_sizes_of_calls_are_not_computed_once():
    scope = SizeScope()
    n = scope.symbol(16)
    builder = Builder()
    x = builder.input(TensorType((n, 64), F4))
    w = builder.input(TensorType((1, 64), F4))
    (spread,) = builder.add(Broadcast((n, 64)), [w])
    (root,) = builder.add(Sqrt(), [spread])
    (y,) = builder.add(Add(), [x, root])
    graph = builder.finish([y])
    scope.capturing = False
    program = compile(graph, stable=[1])
    assert not program.plan.derivations
    for rows in (3, 16):
        x = whole(rows, 64)
        np.testing.assert_array_equal(program.run([x, np.full((1, 64), 4, F4)])[0], x + 2)


def test_a_program_of_any_size_has_derived_constants():
    scope = SizeScope()
    n = scope.symbol(16)
    builder = Builder()
    x = builder.input(TensorType((n, 64), F4))
    w, v = (builder.input(TensorType(shape, F4)) for shape in (W.shape, V.shape))
    y = scaled(lambda op, *operands: builder.add(op, operands)[0], x, w, v)
    graph = builder.finish([y])
    scope.capturing = False
    program = compile(graph, stable=[1, 2])
    assert [one.ops for one in program.plan.derivations] == [("broadcast", "mul")]
    for rows in (2, 7, 40):
        x = whole(rows, 64)
        np.testing.assert_array_equal(program.run([x, W, V])[0], x @ (W * V).T)


def test_bodies_read_what_was_computed_around_them_and_compute_what_they_are_given():
    state, w = TensorType((16, 64), F4), TensorType((64, 64), F4)

    def step(h, x, w, v):
        inner = bind1(Mul(), w, v)
        return [bind1(Add(), bind1(Matmul(False, True), h, inner), x)]

    body = make_graph(step, [state, state, w, w])
    builder = Builder()
    start, xs = builder.input(state), builder.input(TensorType((3, 16, 64), F4))
    a, b, pred = builder.input(w), builder.input(w), builder.input(TensorType((), np.dtype(bool)))
    (both,) = builder.add(Sub(), [a, b])
    (last,) = builder.add(Scan(body, 3, False, 1), [start, xs, both, b])
    then = make_graph(lambda h, w: [bind1(Matmul(False, True), h, bind1(Neg(), w))], [state, w])
    orelse = make_graph(lambda h, w: [h], [state, w])
    (y,) = builder.add(Cond(then, orelse), [pred, start, both])
    graph = builder.finish([last, y])
    inputs = [whole(16, 64), whole(3, 16, 64), whole(64, 64), whole(64, 64), np.array(True)]
    program = compile(graph, stable=[2, 3])
    assert sorted(one.ops for one in program.plan.derivations) == [("sub", "mul"), ("sub", "neg")]
    for pred in (True, False):
        inputs[4] = np.array(pred)
        for found, wanted in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
            np.testing.assert_array_equal(found, wanted)


UNARY = [lambda do, w: do(Neg(), w), lambda do, w: do(Transpose((1, 0)), w), lambda do, w: do(Cast(F2), w),
         lambda do, w: do(Broadcast(w.type.shape), do(Sum((0,)), w)),
         lambda do, w: do(Reshape(w.type.shape[::-1]), w)]  # fmt: skip
BINARY = [lambda do, v, w: do(Add(), v, w), lambda do, v, w: do(Mul(), v, w),
          lambda do, v, w: do(Concat(0), do(Slice((0, 0), (8, 24), (1, 1)), v), do(Slice((8, 0), (24, 24), (1, 1)), w)),
          lambda do, v, w: do(Matmul(False, True), v, w)]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_programs_of_stable_values(data):
    """Weights, what is computed of them, and x, used together: as they are, as matrices, and as results."""

    def make(do, x, *weights):
        known, reads = list(weights), [x]
        for _ in range(data.draw(st.integers(1, 7))):
            choice = data.draw(st.integers(0, 5))
            pick = lambda: known[data.draw(st.integers(0, len(known) - 1))]  # noqa: E731
            if choice < 2:
                made = data.draw(st.sampled_from(UNARY))(do, pick())
                known.append(made if made.type.dtype == F4 else do(Cast(F4), made))
            elif choice < 4:
                known.append(data.draw(st.sampled_from(BINARY))(do, pick(), pick()))
            else:
                last = reads[-1]
                op = data.draw(st.sampled_from([Matmul(False, False), Matmul(False, True), Add()]))
                reads.append(do(op, last, pick()))
        total = reads[-1]
        return do(Add(), total, known[-1])

    weights = [RNG.integers(-1, 2, (24, 24)).astype(F4) for _ in range(data.draw(st.integers(1, 3)))]
    frozen = {number for number in range(len(weights)) if data.draw(st.booleans())}
    made = Made(make, RNG.integers(-1, 2, (24, 24)).astype(F4), *weights, frozen=frozen)
    (wanted,) = evaluate(made.graph, made.inputs)
    if np.isfinite(wanted).all() and np.abs(wanted).max(initial=0) < 1 << 20:
        made.check()


def chain(do, x, *weights):
    """Two rows of products of weights alone, each of which runs in a band, and x with what comes of both."""
    found = []
    for first, *others in (weights[:3], weights[3:]):
        for w in others:
            first = do(Matmul(False, False), first, w)
        found.append(first)
    return do(Matmul(False, True), x, do(Matmul(False, True), *found))


def test_what_is_derived_may_run_in_bands():
    """Rows of large weights times small ones: what lies between them is no more than a block of rows."""
    rng = np.random.default_rng(0)
    tall, square = (rng.integers(-1, 2, shape).astype(F4) for shape in ((2048, 256), (256, 256)))
    made = Made(chain, whole(4, 2048), tall, square, np.abs(square), tall, square, square)
    program = compile(made.graph, stable=made.stable)
    (one,) = program.plan.derivations
    assert one.ops == ("matmul",) * 5
    x, a, b, c, d, e, f = (y.astype("f8") for y in made.inputs)
    wanted = x @ (a @ b @ c @ (d @ e @ f).T).T
    np.testing.assert_allclose(program.run(made.inputs)[0], wanted, rtol=1e-4, atol=1e-3 * np.abs(wanted).max())
