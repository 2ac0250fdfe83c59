"""What becomes one kernel, what is kept in a row, what is stored, and how much memory that takes."""

import time

import numpy
import pytest

from hybridize import hybridize, np, npx, ops
from hybridize.base.dtypes import float16, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.program import scheduled as schedule
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.slicing import iota
from hybridize.passes.inline import Inline
from hybridize.runtime.executable import Executable
from tests.platforms.pace import SLOWER
from tests.schedule.goldens import f32


def scheduled(function, *types):
    graph = Inline()(ops.make_graph(function, types))
    return schedule(graph, host_target())


def compiled(function, *types, tolerance=1e-5):
    """Schedule, compile, run, compare; returns the plan."""
    graph = Inline()(ops.make_graph(function, types))
    built = build(graph, host_target())
    loaded = compile_module(built.module.text(), host_target())
    inputs = [numpy.asarray(numpy.random.standard_normal(t.shape) * 2).astype(t.dtype) for t in types]
    found = Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources).run(inputs)
    for x, y in zip(found, evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol=tolerance, atol=tolerance)
    return built.plan


def test_elementwise_ops_of_one_shape_are_one_loop_over_all_elements():
    plan = compiled(lambda x, y: [ops.add(ops.mul(x, y), ops.tanh(x))], f32(7, 5, 3), f32(7, 5, 3))
    assert [step.shape for step in plan.steps] == [(105,)]
    assert plan.scratch_bytes == 0


def test_a_bias_leaves_rows_and_columns():
    plan = compiled(lambda x, b: [ops.add(x, ops.broadcast(b, (7, 5)))], f32(7, 5), f32(5))
    assert [step.shape for step in plan.steps] == [(7, 5)]


def test_softmax_is_one_kernel_that_keeps_one_row():
    plan = compiled(lambda x: [composites.softmax(x, 1)], f32(9, 40))
    assert len(plan.steps) == 1
    assert plan.scratch_bytes == 192


def test_softmax_over_leading_axis_is_one_kernel():
    assert len(compiled(lambda x: [composites.softmax(x, 0)], f32(9, 40)).steps) == 1


def test_layer_norm_is_one_kernel_without_scratch():
    plan = compiled(lambda x, g, b: [composites.layer_norm(x, g, b, 2)], f32(3, 4, 33), f32(33), f32(33))
    assert len(plan.steps) == 1
    assert plan.scratch_bytes == 0


def test_a_residual_stored_on_the_way_is_part_of_the_layer_norm_kernel():
    def block(x, y, g, b):
        z = ops.add(x, ops.tanh(y))
        return [z, composites.layer_norm(z, g, b, 1)]

    plan = compiled(block, f32(6, 50), f32(6, 50), f32(50), f32(50))
    assert len(plan.steps) == 1


def test_mean_and_spread_of_all_elements():
    def standard(x):
        return [ops.sub(x, ops.broadcast(composites.mean(x, (0, 1)), (30, 20)))]

    assert len(compiled(standard, f32(30, 20)).steps) == 1


def test_bias_activation_and_residual_are_the_epilogue_of_a_product():
    def layer(x, w, b, r):
        y = ops.add(ops.matmul(x, w, False, True), ops.broadcast(b, (6, 20)))
        return [ops.add(ops.tanh(y), r)]

    plan = compiled(layer, f32(6, 30), f32(20, 30), f32(20), f32(6, 20))
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_what_the_backward_pass_needs_is_stored_by_the_epilogue():
    def layer(x, w):
        y = ops.matmul(x, w, False, True)
        z = ops.add(y, y)
        return [ops.tanh(z), z]

    plan = compiled(layer, f32(6, 30), f32(20, 30))
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_a_gradient_through_relu_is_an_epilogue_though_its_rows_are_summed():
    def backward(g, w, h):
        back = ops.matmul(g, w, False, False)
        masked = ops.where(ops.gt(h, ops.like(0, h)), back, ops.like(0, back))
        return [ops.matmul(masked, h, True, False), ops.sum(masked, (0,))]

    plan = compiled(backward, f32(6, 10), f32(10, 20), f32(6, 20), tolerance=1e-3)
    assert [step.kind for step in plan.steps] == ["contraction", "contraction", "loops"]
    assert "where" in plan.steps[0].ops


def test_a_reshape_between_product_and_bias_changes_nothing():
    def layer(x, w, b):
        y = ops.reshape(ops.matmul(ops.reshape(x, (12, 10)), w, False, True), (3, 4, 7))
        return [ops.max(ops.add(y, ops.broadcast(b, (3, 4, 7))), ops.full(0, f32(3, 4, 7)))]

    plan = compiled(layer, f32(3, 4, 10), f32(7, 10), f32(7))
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_a_single_column_with_an_epilogue():
    plan = compiled(lambda x, w: [ops.tanh(ops.matmul(x, w, False, False))], f32(5, 9), f32(9, 1))
    assert len(plan.steps) == 1


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("compare", [ops.ge, ops.lt, ops.eq])
def test_masks_of_indices_are_in_no_memory(compare, turned):
    """However many steps read them: a mask is computed of where an element is."""
    shape = (96, 96)

    def masked(x, w):
        seen = compare(iota(shape, 0, int64), iota(shape, 1, int64))
        seen = ops.transpose(seen, (1, 0)) if turned else seen
        y = ops.where(seen, ops.matmul(x, w), ops.like(0.0, x))
        z = ops.where(seen, ops.matmul(w, ops.tanh(y)), ops.like(-1.0, x))
        return [z, ops.sum(ops.where(seen, ops.exp(y), z), (0,))]

    plan = compiled(masked, f32(*shape), f32(*shape), tolerance=1e-3)
    assert not [step for step in plan.steps if not set(step.ops) & {"matmul", "sum", "where"}]


def test_transposes_of_operands_are_read_in_place():
    def attention(q, k):
        return [ops.matmul(q, ops.transpose(k, (0, 2, 1)), False, False)]

    plan = compiled(attention, f32(2, 5, 8), f32(2, 6, 8), tolerance=1e-4)
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_one_matrix_for_a_batch_is_not_copied():
    def project(x, w, b):
        every = ops.broadcast(ops.transpose(w, (1, 0)), (2, 3, 7, 6))
        return [ops.add(ops.matmul(x, every, False, False), ops.broadcast(b, (2, 3, 5, 6)))]

    plan = compiled(project, f32(2, 3, 5, 7), f32(6, 7), f32(6), tolerance=1e-4)
    assert [step.kind for step in plan.steps] == ["contraction"]


@pytest.mark.parametrize("x", [(5, 7), (1, 5, 7), (3, 5, 7), (7, 5), (3, 7, 5)])
@pytest.mark.parametrize("w", [(7, 6), (1, 7, 6), (3, 7, 6), (6, 7)])
def test_products_of_broadcast_and_transposed_matrices(x, w):
    def product(x, w):
        sides = []
        for side, shape in ((x, (3, 5, 7)), (w, (3, 7, 6))):
            rank = len(ops.type_of(side).shape)
            if ops.type_of(side).shape[-2:] != shape[-2:]:
                side = ops.transpose(side, (*range(rank - 2), rank - 1, rank - 2))
            sides.append(ops.broadcast(side, shape))
        return [ops.matmul(*sides, False, False)]

    plan = compiled(product, f32(*x), f32(*w), tolerance=1e-4)
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_two_products_in_one_sum_are_two_steps():
    def cell(x, h, w, u):
        return [ops.tanh(ops.add(ops.matmul(x, w, False, True), ops.matmul(h, u, False, True)))]

    plan = compiled(cell, f32(3, 8), f32(3, 9), f32(10, 8), f32(10, 9))
    assert [step.kind for step in plan.steps] == ["contraction", "contraction"]


def test_float16_layers_compute_in_float32():
    def layer(x, w, b):
        return [ops.tanh(ops.add(ops.matmul(x, w, False, True), ops.broadcast(b, (6, 20))))]

    half = [TensorType(shape, float16) for shape in ((6, 30), (20, 30), (20,))]
    compiled(layer, *half, tolerance=4e-3)


def test_concatenation_is_loops_without_a_choice_inside():
    made = scheduled(lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(3, 4), f32(3, 5))
    (step,) = made.steps
    assert len(step.kernel.nests) == 2
    assert "select" not in str(step.kernel)
    compiled(lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(3, 4), f32(3, 5))


def test_reshapes_of_stored_values_are_aliases():
    def view(x):
        y = ops.sort(x, 1)
        return [ops.sort(ops.reshape(y, (6, 4)), 0)]

    plan = compiled(view, f32(4, 6))
    assert [step.kind for step in plan.steps] == ["routine", "routine"]


def test_leading_slices_of_stored_values_are_aliases():
    def halves(x, w):
        return [ops.matmul(x, ops.slice(w, (4, 0), (8, 5), (1, 1)), False, False)]

    plan = compiled(halves, f32(3, 4), f32(8, 5), tolerance=1e-4)
    assert [step.kind for step in plan.steps] == ["contraction"]


def test_an_output_that_is_an_input_or_given_twice_is_copied():
    def same(x):
        y = ops.tanh(x)
        return [x, y, y, ops.reshape(x, (6,)), ops.full(2, f32(3))]

    plan = compiled(same, f32(2, 3))
    assert sum("copy" in step.ops for step in plan.steps) >= 2


def test_a_view_that_is_an_output_lies_in_the_output():
    plan = compiled(lambda x, w: [ops.reshape(ops.matmul(x, w, False, False), (2, 3, 5))], f32(6, 4), f32(4, 5))
    assert [step.kind for step in plan.steps] == ["contraction"]
    assert plan.steps[0].writes[0].kind == "output"


def test_thousand_layers_need_two_buffers_few_functions_and_little_time():
    def chain(x):
        for _ in range(1000):
            x = ops.add(ops.tanh(x), ops.like(1, x))
        return [x]

    graph = ops.make_graph(chain, [f32(100, 30)])
    start = time.thread_time()
    built = build(graph, host_target())
    compile_module(built.module.text(), host_target())
    assert time.thread_time() - start < 2 * SLOWER
    assert built.plan.scratch_bytes <= 2 * 100 * 30 * 4 + 128
    assert len({step.name for step in built.plan.steps}) <= 3


@pytest.mark.parametrize("turns", [10, 19, 20, 21, 50, 200])
def test_a_long_chain_keeps_two_arrays_whatever_its_length(turns):
    """Beyond the operations of one kernel the next begins: none stores each value that it makes on the way."""

    @hybridize
    def chain(x):
        for _ in range(turns):
            x = npx.relu(x * 1.01 + 0.25) - 0.2
        return x

    x = np.array(numpy.linspace(-1, 1, 2000))
    numpy.testing.assert_allclose(chain(x).asnumpy(), chain.python_function(x).asnumpy(), rtol=1e-5)
    assert chain.program(x).memory.peak_bytes <= 2 * x.nbytes


def test_a_deep_network_reuses_functions_and_memory():
    def deep(x, w):
        for _ in range(50):
            x = ops.mul(ops.tanh(ops.matmul(x, w, False, True)), ops.like(0.1, x))
        return [x]

    plan = compiled(deep, f32(4, 16), f32(16, 16), tolerance=1e-4)
    assert len({step.name for step in plan.steps}) == 1
    assert plan.scratch_bytes <= 2 * 256 + 50_000


def test_a_cheap_value_is_computed_twice_rather_than_stored():
    made = scheduled(lambda x: [composites.variance(x, (1,))], f32(5, 40))
    assert len(made.steps) == 1
    assert made.plan.scratch_bytes == 0


def test_a_costly_broadcast_value_is_computed_once():
    def scaled(x, b):
        return [ops.mul(x, ops.broadcast(ops.exp(b), (50, 40)))]

    plan = compiled(scaled, f32(50, 40), f32(40))
    assert len(plan.steps) == 1
    assert plan.scratch_bytes == 192


def test_peak_is_scratch_and_outputs():
    made = scheduled(lambda x: [ops.tanh(x)], f32(10, 10))
    assert made.plan.peak_bytes == 400


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (1, 7), (7, 1)])
def test_empty_and_single(shape):
    compiled(lambda x: [composites.softmax(ops.tanh(x), 1), ops.sum(x, (0,))], f32(*shape))


def test_gather_reads_rows_by_data():
    def embed(w, i):
        return [ops.tanh(ops.gather(w, i, 0))]

    graph = ops.make_graph(embed, [f32(11, 6), TensorType((4, 2), int64)])
    built = build(graph, host_target())
    assert len(built.plan.steps) == 1


def test_a_long_concatenation_is_one_loop_per_part():
    def join(*xs):
        return [ops.neg(ops.concat(*xs, axis=1))]

    plan = compiled(join, *[f32(3, k % 5 + 1) for k in range(40)])
    assert len(plan.steps) == 1
    assert plan.scratch_bytes == 0


def test_rows_read_a_concatenation_from_memory():
    plan = compiled(lambda x, y: [composites.softmax(ops.concat(x, y, axis=1), 1)], f32(3, 4), f32(3, 5))
    assert [step.ops[0] for step in plan.steps] == ["concat", "reduce_max"]


def test_a_fold_that_others_need_is_one_fold():
    """The mean that a variance subtracts and the mean that the elements subtract, over axes that become one."""

    def normalised(x):
        shape = ops.type_of(x).shape
        mean = ops.broadcast(ops.reshape(composites.mean(x, (1, 2)), (shape[0], 1, 1)), shape)
        centred = ops.sub(x, mean)
        variance = ops.reshape(composites.mean(ops.mul(centred, centred), (1, 2)), (shape[0], 1, 1))
        return [ops.div(centred, ops.broadcast(ops.sqrt(variance), shape))]

    (step,) = scheduled(normalised, f32(7, 5, 30)).steps
    assert str(step.kernel).count("sum(") == 2
    compiled(normalised, f32(7, 5, 30))


@pytest.mark.parametrize("transposed", [(False, False), (True, True), (True, False), (False, True)])
def test_a_contraction_of_one_term_is_part_of_the_loops_that_read_it(transposed):
    def update(w, x, y):
        g = ops.matmul(x, y, *transposed)
        return [g, ops.sub(w, ops.mul(g, g))]

    types = [f32(2, 1, 9) if transposed[0] else f32(2, 9, 1), f32(2, 40, 1) if transposed[1] else f32(2, 1, 40)]
    plan = compiled(update, f32(2, 9, 40), *types)
    assert [step.kind for step in plan.steps] == ["loops"]


def test_what_others_wait_for_is_not_computed_with_what_comes_last():
    """The gradient of a layer's result is needed by the layer before it, which also reads the weight."""

    def step(w, x, d, v):
        cut = ops.add(ops.tanh(d), v)
        new = ops.sub(w, ops.matmul(cut, x, True, False))
        return [new, ops.matmul(cut, w)]

    graph = Inline()(ops.make_graph(step, [f32(32, 48), f32(1, 48), f32(1, 32), f32(1, 32)]))
    plan = schedule(graph, host_target(), updates={0: 0}).plan
    assert plan.updates == ((0, 0),)
    assert plan.steps[-1].ops[-1] == "sub"


def per_row_and_per_column(x, of):
    """`x[i, j] * d[i] * d[j]` with d = sqrt of the sum of each row of `of`: a symmetric normalisation."""
    n = x.type.shape[0]
    d = ops.sqrt(ops.sum(of, (1,)))
    return [ops.mul(ops.mul(x, ops.broadcast(ops.reshape(d, (n, 1)), (n, n))), ops.broadcast(d, (n, n)))]


def test_what_other_rows_read_is_computed_before_the_rows():
    """Its sum would make rows of a kernel that has it stored on the way: the first row would read what is not there."""
    assert len(compiled(lambda x: per_row_and_per_column(ops.abs(x), ops.abs(x)), f32(6, 6)).steps) == 2


def test_what_other_elements_read_is_computed_before_an_epilogue():
    def function(x, w):
        n = x.type.shape[0]
        product = ops.matmul(x, x)
        d = ops.sqrt(ops.abs(w))
        return [ops.mul(ops.mul(product, ops.broadcast(ops.reshape(d, (n, 1)), (n, n))), ops.broadcast(d, (n, n)))]

    compiled(function, f32(16, 16), f32(16), tolerance=1e-4)
