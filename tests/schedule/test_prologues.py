# SPDX-License-Identifier: Apache-2.0
"""Weights in few bits are read as they are stored: no call and no constant has a copy of them in float32."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile
from hybridize.graph import Builder
from hybridize.machine.target import named_target
from hybridize.ops import Broadcast, Cast, Exp, Matmul, Mul, Reshape, Slice, Sub, Tanh
from hybridize.passes import PIPELINE
from tests.schedule.test_hoisting import Made

F4, I4 = np.dtype(np.float32), np.dtype(np.int32)
SCALES = {"columns": (0, 1), "terms": (1, 0), "one": (0, 0)}
"""Of [k, n]: the axes along which a scale differs."""
STORED = ["int8", "uint8", "int16", "float16", bfloat16]


def weights(shape, dtype, seed=0):
    dtype, rng = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def reals(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(F4)


class Layer:
    """x times a weight that is converted, and scaled where there is a scale; rows may be known to the call only."""

    def __init__(self, rows, k, n, dtype, scale="columns", flip=False, symbolic=False, offset=None, after=()):
        self.x, self.w = reals(rows, k), weights((n, k) if flip else (k, n), dtype)
        self.s = None if scale is None else reals(*self.along(scale, k, n, flip), seed=2)
        self.offset = None if offset is None else reals(*self.along(offset, k, n, flip), seed=3)
        scope, builder = SizeScope(), Builder()
        size = scope.symbol(rows) if symbolic else rows
        x = builder.input(TensorType((size, k), F4))
        arrays = [one for one in (self.w, self.s, self.offset) if one is not None]
        known = [builder.input(TensorType(one.shape, one.dtype)) for one in arrays]
        (value,) = builder.add(Cast(F4), [known[0]])
        for op, one in zip((Mul(), Sub()) if scale else (Sub(),), known[1:], strict=False):
            value = builder.add(op, [value, builder.add(Broadcast(value.type.shape), [one])[0]])[0]
        (value,) = builder.add(Matmul(False, flip), [x, value])
        for op in after:
            (value,) = builder.add(op, [value])
        self.graph, scope.capturing = builder.finish([value]), False
        self.inputs, self.stable = [self.x, *arrays], range(1, 1 + len(arrays))

    @staticmethod
    def along(name, k, n, flip):
        shape = [size if has else 1 for size, has in zip((k, n), SCALES[name], strict=True)]
        return tuple(reversed(shape)) if flip else tuple(shape)

    @property
    def weight(self):
        """The weight of the layer, rounded as the program rounds it."""
        w = self.w.astype(F4)
        w = w if self.s is None else w * self.s
        return w if self.offset is None else w - self.offset

    def check(self, tolerance=2e-5):
        program = compile(self.graph, stable=self.stable)
        (found,) = program.run(self.inputs)
        w = self.weight.T if self.w.shape[0] != self.x.shape[1] or self.flipped else self.weight
        exact = self.x.astype("f8") @ w.astype("f8")
        size = np.abs(self.x).astype("f8") @ np.abs(w).astype("f8")
        assert np.all(np.abs(found - exact) <= tolerance * size)
        return program

    @property
    def flipped(self):
        return next(node.op.transpose_w for node in self.graph.nodes if isinstance(node.op, Matmul))


def has_no_copy(layer, target="avx512"):
    """Tell whether all constants that are derived, and scratch, are smaller than a float32 copy of the weight."""
    schedule = scheduled(PIPELINE.run(layer.graph), named_target(target), stable=tuple(layer.stable))
    copy = layer.w.size * 4
    derived = [one for one in schedule.constants if hasattr(one, "steps")]
    assert sum(one.type.nbytes for one in derived) <= 1.1 * layer.w.nbytes
    assert all(one.scratch_bytes < copy / 2 for one in derived)
    assert schedule.scratch_bytes < copy / 2
    assert [step.kind for step in schedule.steps] == ["contraction"]
    return schedule


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("dtype", STORED, ids=str)
@pytest.mark.parametrize(("rows", "symbolic"), [(1, False), (8, False), (64, False), (16, True)])
def test_there_is_no_float32_copy_of_a_weight_in_few_bits(dtype, rows, symbolic, target):
    for number, scale in enumerate((*SCALES, None)):
        has_no_copy(Layer(rows, 512, 1024, dtype, scale, flip=(number + rows) % 2 == 0, symbolic=symbolic), target)


def test_a_copy_is_found():
    """A weight that is computed by more than tiles would compute is derived in float32."""
    layer = Layer(1, 1024, 1024, "int8")
    builder = Builder()
    x, w = (builder.input(TensorType(one.shape, one.dtype)) for one in (layer.x, layer.w))
    (value,) = builder.add(Cast(F4), [w])
    for op in (Tanh(), Exp()):
        (value,) = builder.add(op, [value])
    layer.graph, layer.stable = builder.finish(builder.add(Matmul(), [x, value])), (1,)
    with pytest.raises(AssertionError):
        has_no_copy(layer)


@pytest.mark.parametrize(("rows", "scale"), [(1, "columns"), (2, "terms"), (8, "one"), (65, None)])
@pytest.mark.parametrize("dtype", STORED, ids=str)
def test_results_are_those_of_a_weight_in_float32(dtype, rows, scale):
    Layer(rows, 70, 90, dtype, scale, flip=rows % 2 == 0).check()
    Layer(rows, 70, 90, dtype, scale, flip=rows % 2 == 1, offset="columns").check()


@given(
    rows=st.integers(1, 40),
    k=st.integers(2, 600),
    n=st.integers(1, 150),
    dtype=st.sampled_from(STORED),
    scale=st.sampled_from([*SCALES, None]),
    offset=st.sampled_from([*SCALES, None]),
    flip=st.booleans(),
    symbolic=st.booleans(),
)
@settings(max_examples=6, deadline=None)
def test_any_shape_gives_what_float32_gives(rows, k, n, dtype, scale, offset, flip, symbolic):
    Layer(rows, k, n, dtype, scale, flip, symbolic, offset).check()


def test_equal_orders_of_sums_give_equal_bits():
    for scale in ("terms", None):
        layer = Layer(64, 96, 80, "int8", scale)
        plain = compile(layer.graph)
        np.testing.assert_array_equal(layer.check().run(layer.inputs)[0], plain.run(layer.inputs)[0])


@pytest.mark.parametrize("rows", [1, 64])
@pytest.mark.parametrize("scale", ["columns", "one"])
@pytest.mark.parametrize("flip", [False, True])
def test_scales_that_terms_share_are_multiplied_by_behind_the_sum(rows, scale, flip):
    """The bits are those of the program that says so: the weight is converted in the loop, and no more."""
    layer = Layer(rows, 96, 80, "int8", scale, flip)
    x, w, s = layer.inputs
    builder = Builder()
    values = [builder.input(TensorType(one.shape, one.dtype)) for one in (x, w, s.T if flip else s)]
    (value,) = builder.add(Matmul(False, flip), [values[0], *builder.add(Cast(F4), [values[1]])])
    (value,) = builder.add(Mul(), [value, *builder.add(Broadcast(value.type.shape), [values[2]])])
    wanted = compile(builder.finish([value]), stable=(1, 2)).run([x, w, s.T if flip else s])[0]
    np.testing.assert_array_equal(layer.check().run(layer.inputs)[0], wanted)
    (step,) = scheduled(PIPELINE.run(layer.graph), named_target("avx512"), stable=tuple(layer.stable)).steps
    assert "mul(" not in str(step.plan.product.prologue)


@pytest.mark.parametrize("offset", ["columns", "terms"])
def test_what_is_no_factor_of_the_sum_stays_in_the_loop(offset):
    """(w s - z): neither is a factor; (w - z) s: s alone is."""
    layer = Layer(3, 96, 80, "int8", "columns", offset=offset)
    (step,) = scheduled(PIPELINE.run(layer.graph), named_target("avx512"), stable=tuple(layer.stable)).steps
    assert "mul(" in str(step.plan.product.prologue)
    assert "sub(" in str(step.plan.product.prologue)
    layer.check()


@pytest.mark.parametrize("word", ["f2", bfloat16], ids=str)
def test_products_that_are_rounded_keep_their_scales_in_the_loop(word):
    """Multiplied by behind a rounded sum, results would be rounded twice."""
    x, w, s = reals(4, 96).astype(word), weights((96, 72), "int8"), reals(1, 72, seed=2).astype(word)
    graph = ops.make_graph(
        lambda x, w, s: [ops.matmul(x, ops.mul(ops.cast(w, np.dtype(word)), spread(s, w)))],
        [TensorType(one.shape, one.dtype) for one in (x, w, s)],
    )
    (step,) = scheduled(PIPELINE.run(graph), named_target("avx512"), stable=(1, 2)).steps
    assert step.kind == "contraction"
    assert step.ending.is_plain


def test_sums_in_blocks_know_which_terms_they_have():
    """Panels that are longer than the second-level cache: each block of terms has its part of a scale."""
    for rows in (3, 40):
        Layer(rows, 9000, 33, "int8", "terms", offset="one").check()


def test_symbolic_rows_are_any_number():
    layer = Layer(16, 128, 96, "int8", symbolic=True)
    program = compile(layer.graph, stable=layer.stable)
    for rows in (2, 3, 5, 17, 100):
        x = reals(rows, 128, seed=rows)
        (found,) = program.run([x, *layer.inputs[1:]])
        np.testing.assert_allclose(found, x @ layer.weight, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("rows", [1, 5, 64])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_gates_have_each_their_part_of_a_scale(rows, count):
    n, k = 80, 70
    x, w, s = reals(rows, k), weights((count * n, k), "int8"), reals(count * n, 1, seed=2)

    def cell(do, x, w, s):
        z = do(Matmul(False, True), x, do(Mul(), do(Cast(F4), w), do(Broadcast((count * n, k)), s)))
        parts = [do(Slice((0, n * gate), (rows, n * (gate + 1)), (1, 1)), z) for gate in range(count)]
        value = parts[0]
        for part in parts[1:]:
            value = do(Sub(), do(Mul(), value, part), part)
        return value

    made = Made(cell, x, w, s)
    program = compile(made.graph, stable=made.stable)
    assert [step.ops[-1] for step in program.plan.steps] == ["sub"]
    z = x.astype("f8") @ (w * s).T.astype("f8")
    wanted = z[:, :n]
    for gate in range(1, count):
        part = z[:, n * gate : n * (gate + 1)]
        wanted = wanted * part - part
    np.testing.assert_allclose(program.run(made.inputs)[0], wanted, rtol=2e-3, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("rows", [1, 40])
def test_each_matrix_of_a_batch_has_its_own_scale(rows, flip):
    x, w, s = reals(6, rows, 70), weights((6, 90, 70) if flip else (6, 70, 90), "int8"), reals(6, 1, 1, seed=2)
    made = Made(
        lambda do, x, w, s: do(Matmul(False, flip), x, do(Mul(), do(Cast(F4), w), do(Broadcast(w.type.shape), s))),
        x,
        w,
        s,
    )
    program = compile(made.graph, stable=made.stable)
    (one,) = program.plan.derivations
    assert one.nbytes < 2 * w.nbytes
    w = (w * s).astype("f8")
    np.testing.assert_allclose(
        program.run(made.inputs)[0], x.astype("f8") @ (w.swapaxes(1, 2) if flip else w), rtol=1e-3, atol=1e-2
    )


def test_scales_of_groups_of_terms():
    """A scale for every 32 terms of a column: [groups, 32, columns] times [groups, 1, columns]."""
    for rows in (1, 50):
        x, w, s = reals(rows, 256), weights((8, 32, 70), "int8"), reals(8, 1, 70, seed=2)

        def grouped(do, x, w, s):
            scaled = do(Mul(), do(Cast(F4), w), do(Broadcast((8, 32, 70)), s))
            return do(Matmul(), x, do(Reshape((256, 70)), scaled))

        made = Made(grouped, x, w, s)
        program = compile(made.graph, stable=made.stable)
        (one,) = program.plan.derivations
        assert one.nbytes < 1.2 * w.nbytes
        exact = x.astype("f8") @ (w * s).astype("f8").reshape(256, 70)
        np.testing.assert_allclose(program.run(made.inputs)[0], exact, rtol=1e-3, atol=1e-2)


CONTRACTIONS = {
    "convolution": (lambda x, w: ops.convolution(x, w, 1, 1), (2, 16, 12, 12), (40, 16, 3, 3), 0),
    "of few pixels": (lambda x, w: ops.convolution(x, w, 1, 0), (1, 64, 1, 2), (72, 64, 1, 1), 0),
    "strided": (lambda x, w: ops.convolution(x, w, 2, 1), (1, 24, 9, 9), (33, 24, 3, 3), 0),
    "of a line": (lambda x, w: ops.convolution(x, w, 1, 2), (3, 24, 30), (33, 24, 5), 0),
    "in groups": (lambda x, w: ops.convolution(x, w, 1, 1, 1, 2), (2, 16, 12, 12), (40, 8, 3, 3), 0),
    "over two axes": (lambda x, w: ops.contract("abc,cdb->ad", x, w), (3, 5, 64), (64, 40, 5), 1),
    "of heads": (lambda x, w: ops.contract("bhc,hcd->bhd", x, w), (2, 5, 64), (5, 64, 40), 2),
    "of long sums": (lambda x, w: ops.contract("abc,cdb->ad", x, w), (3, 50, 640), (640, 24, 50), 1),
}
"""What is computed, the shapes, and the axis of the weight that results have."""


@pytest.mark.parametrize("name", CONTRACTIONS)
@pytest.mark.parametrize("dtype", ["int8", "float16", bfloat16], ids=str)
def test_other_contractions_read_weights_as_they_are_stored(name, dtype):
    function, *shapes, axis = CONTRACTIONS[name]
    x, w = reals(*shapes[0]), weights(shapes[1], dtype)
    s = reals(*(size if k == axis else 1 for k, size in enumerate(w.shape)), seed=2)

    def scaled(x, w, *s):
        value = ops.cast(w, F4)
        return [function(x, ops.mul(value, ops.broadcast(s[0], w.type.shape)) if s else value)]

    whole = ops.make_graph(lambda x, w: [function(x, w)], [TensorType(shape, F4) for shape in shapes])
    for scales in ((), (s,)):
        inputs = [x, w, *scales]
        program = compile(
            ops.make_graph(scaled, [TensorType(a.shape, a.dtype) for a in inputs]), stable=(1, 2)[: len(inputs) - 1]
        )
        (one,) = program.plan.derivations
        assert one.nbytes <= 2 * w.nbytes  # 72 columns in panels of 80, say
        exact = w.astype(F4) * s if scales else w.astype(F4)
        wanted = compile(whole, stable=(1,)).run([x, exact])[0]
        np.testing.assert_allclose(program.run(inputs)[0], wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())


def test_short_floats_times_short_floats_keep_weights_short():
    for shapes in (((4, 512), (512, 256)), ((2, 16, 12, 12), (48, 16, 3, 3))):
        x, w = (weights(shape, bfloat16, seed) for seed, shape in enumerate(shapes))
        multiply = ops.matmul if x.ndim == 2 else lambda x, w: ops.convolution(x, w, 1, 1)
        types = [TensorType(a.shape, a.dtype) for a in (x, w)]
        graph = ops.make_graph(lambda x, w, multiply=multiply: [multiply(x, w)], types)
        program = compile(graph, stable=(1,))
        assert [one.nbytes for one in program.plan.derivations] == [w.nbytes]
        np.testing.assert_array_equal(program.run([x, w])[0], compile(graph).run([x, w])[0])


def test_integers_in_integers_are_packed_as_they_are():
    x, w = weights((2, 16, 12, 12), "int8", 1), weights((48, 16, 3, 3), "int8")
    graph = ops.make_graph(
        lambda x, w: [ops.convolution(x, w, 1, 1, result=np.dtype("int32"))],
        [TensorType(a.shape, a.dtype) for a in (x, w)],
    )
    program = compile(graph, stable=(1,))
    assert [one.nbytes for one in program.plan.derivations] == [w.nbytes]
    np.testing.assert_array_equal(program.run([x, w])[0], ops.evaluate(graph, [x, w])[0])


def spread(x, like):
    return ops.broadcast(x, like.type.shape)


EXPRESSIONS = {
    "zero points": (
        "f4",
        [weights((96, 72), "int8"), weights((1, 72), "int8", 1), reals(1, 72)],
        lambda w, z, s: ops.mul(ops.cast(ops.sub(ops.cast(w, I4), spread(ops.cast(z, I4), w)), F4), spread(s, w)),
    ),
    "integers": ("i4", [weights((96, 72), "int8")], lambda w: ops.cast(w, I4)),
    "less an integer": (
        "i4", [weights((96, 72), "uint8"), weights((96, 1), "int32")], lambda w, z: ops.sub(ops.cast(w, I4), spread(z, w))
    ),
    "double of float": ("f8", [reals(96, 72)], lambda w: ops.cast(w, np.dtype("f8"))),
    "truth": ("f4", [weights((96, 72), "int8") > 0, reals(1, 72)], lambda w, s: ops.mul(ops.cast(w, F4), spread(s, w))),
    "rounded to bfloat16": (
        bfloat16,
        [weights((96, 72), "int8"), weights((1, 72), bfloat16)],
        lambda w, s: ops.mul(ops.cast(w, np.dtype(bfloat16)), spread(s, w)),
    ),
    "scales that take long": (
        "f4",
        [weights((96, 72), "int8"), reals(1, 72)],
        lambda w, s: ops.mul(ops.cast(w, F4), spread(ops.exp(ops.tanh(ops.exp(s))), w)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_other_light_expressions(name):
    dtype, arrays, expression = EXPRESSIONS[name]
    for rows in (1, 40):
        inputs = [weights((rows, 96), dtype, 5) if dtype == "i4" else reals(rows, 96).astype(dtype), *arrays]
        types = [TensorType(a.shape, a.dtype) for a in inputs]
        graph = ops.make_graph(lambda x, *a: [ops.matmul(x, expression(*a))], types)
        program = compile(graph, stable=range(1, len(inputs)))
        (found,), (wanted,) = program.run(inputs), ops.evaluate(graph, inputs)
        assert program.plan.derivations[-1].nbytes <= 1.2 * arrays[0].nbytes
        if dtype == "i4":
            np.testing.assert_array_equal(found, wanted)
        else:
            error = np.abs(found.astype("f8") - wanted.astype("f8")).max()
            assert error <= (1e-12 if dtype == "f8" else 2e-6) * np.abs(wanted.astype("f8")).max()


TURNS = {"int8": 4, "uint8": 4, bfloat16: 2}
"""The registers of a panel whose elements lie in turns, on AVX-512."""


def plan_of(layer, target="avx512"):
    (step,) = scheduled(PIPELINE.run(layer.graph), named_target(target), stable=tuple(layer.stable)).steps
    return step.plan


@pytest.mark.parametrize("dtype", TURNS, ids=str)
@pytest.mark.parametrize("scale", ["columns", None])
def test_elements_lie_in_turns_where_tiles_make_floats_of_them(dtype, scale):
    for target, turns in (("avx512", TURNS[dtype]), ("avx2", 2 if dtype == bfloat16 else 1), ("baseline", 1)):
        for rows in (1, 64):
            sections = plan_of(Layer(rows, 96, 128, dtype, scale), target).tiling.sections
            assert [section.turns for section in sections] == [turns], target
            assert turns == 1 or not any(section.pack for section in sections)
    assert [section.turns for section in plan_of(Layer(1, 96, 128, dtype, "terms")).tiling.sections] == [1]
    narrow = plan_of(Layer(1, 96, 112, dtype, scale)).tiling.sections
    assert [(section.vectors, section.turns) for section in narrow] == [(4, TURNS[dtype]), (3, 1)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", bfloat16], ids=str)
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("n", [64, 100, 120, 200])
def test_each_weight_is_exactly_the_one_in_its_place(dtype, flip, n):
    """Rows of zeros and one 1: results are weights, every bit, all integers of a byte among them."""
    layer = Layer(1, 300, n, dtype, None, flip)
    for rows in (1, 3, 7, 300):
        layer.x = np.eye(300, dtype=F4)[:rows]
        one = Layer(rows, 300, n, dtype, None, flip)
        (found,) = compile(one.graph, stable=one.stable).run([layer.x, layer.w])
        np.testing.assert_array_equal(found, (layer.weight.T if flip else layer.weight)[:rows])


def test_bytes_in_turns_read_nothing_before_their_memory():
    """A vector is read from up to two bytes before its line: before the first panel of each matrix there is a line."""
    x, w = reals(3, 1, 70), weights((3, 70, 128), "int8")
    made = Made(lambda do, x, w: do(Matmul(), x, do(Cast(F4), w)), x, w)
    program = compile(made.graph, stable=made.stable)
    (one,) = program.plan.derivations
    assert one.nbytes == w.nbytes + 3 * 64
    np.testing.assert_allclose(program.run(made.inputs)[0], x @ w.astype(F4), rtol=1e-4, atol=1e-2)


def test_sums_of_scaled_bytes_are_as_large_and_small_as_they_are():
    """Bytes are loaded times 2^24: sums are right from the smallest numbers to 2^103."""
    layer = Layer(1, 64, 64, "int8", None)
    for factor in (1e-42, 1e-38, 1e-20, 1e20, 1e27):
        x = (layer.x * F4.type(factor)).astype(F4)
        (found,) = compile(layer.graph, stable=layer.stable).run([x, layer.w])
        exact = x.astype("f8") @ layer.weight.astype("f8")
        size = np.abs(x).astype("f8") @ np.abs(layer.weight).astype("f8")
        assert np.all(np.abs(found - exact) <= 1e-6 * size + 64 * 2.0**-149)
