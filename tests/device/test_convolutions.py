"""Convolutions and their gradients on a device, as implicit products: elements are whole numbers, so sums are exact in
any order, and a wrong one shows.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float64, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.machine.target import named_target
from hybridize.schedule.device.contractions import BlockPlan
from hybridize.schedule.steps import ContractionStep
from tests.device.programs import SM_80, Run, graph_of, on_cpu
from tests.schedule.goldens import convolved, each, f32, unknown


def whole(types, low=-3, high=4, seed=0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(low, high, one.shape).astype(one.dtype) for one in types]


def plans(program) -> list[BlockPlan]:
    return [step.plan for step in program.schedule.steps if isinstance(step, ContractionStep)]


def same(function, *types) -> list[BlockPlan]:
    """Check that a device and the CPU agree to the bit; the plans of the device's contractions."""
    graph, inputs = graph_of(function, *types), whole(types)
    program = build_kernels(graph, SM_80)
    for found, expected in zip(Run(program, inputs).outputs(), on_cpu(graph, inputs), strict=True):
        np.testing.assert_array_equal(found, expected)
    return plans(program)


def with_gradients(function, x, w):
    """A contraction and its gradients by both operands, and the types of all inputs."""
    made = ops.make_graph(function, [x, w])
    (out,) = made.outputs
    return lambda a, b, g: [*function(a, b), *ops.pullback(made, [a, b], [g])], (x, w, out.type)


@pytest.mark.long
@settings(max_examples=20)
@given(
    images=st.integers(1, 3),
    channels=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    groups=st.sampled_from([1, 2]),
    image=st.lists(st.integers(5, 9), min_size=1, max_size=2),
    window=st.integers(1, 3),
    stride=st.integers(1, 3),
    pad=st.integers(0, 2),
    dilation=st.integers(1, 2),
)
def test_convolutions_and_their_gradients(images, channels, groups, image, window, stride, pad, dilation):
    x = f32(images, channels[0] * groups, *image)
    w = f32(channels[1] * groups, channels[0], *[window] * len(image))
    function, types = with_gradients(convolved(stride, pad, dilation, groups=groups), x, w)
    same(function, *types)


@pytest.mark.parametrize(
    ("how", "x", "w"),
    [
        ((1, 1), (2, 8, 9), (6, 8, 3)),
        pytest.param((2, 1), (2, 4, 5, 6, 7), (5, 4, 3, 3, 3), marks=pytest.mark.long),
        pytest.param(((2, 1), (0, 2)), (2, 8, 9, 7), (5, 8, 3, 2), marks=pytest.mark.long),
    ],
    ids=["one axis", "three axes", "other strides along each axis"],
)
def test_windows_over_one_axis_and_three(how, x, w):
    function, types = with_gradients(convolved(*how), f32(*x), f32(*w))
    found = same(function, *types)
    assert all(plan.is_mapped for plan in found)
    assert len(found) == 3


def test_a_strided_gradient_is_a_launch_for_each_phase():
    function, types = with_gradients(convolved(2, 1), f32(2, 8, 9, 9), f32(5, 8, 3, 3))
    (by_data,) = (plan for plan in same(function, *types) if plan.sizes == (2, 8, 9, 9))
    assert [one.grid.k for one in by_data.launches] == [5, 10, 10, 20]


@pytest.mark.long
def test_a_window_that_leaves_gaps_has_phases_of_zeros():
    """Pixels between the windows have a gradient of 0, which a launch without terms stores."""
    function, types = with_gradients(convolved(3, 0), f32(1, 4, 11, 11), f32(5, 4, 2, 2))
    (by_data,) = (plan for plan in same(function, *types) if plan.sizes == (1, 4, 11, 11))
    assert sorted(one.grid.k for one in by_data.launches) == [0] * 5 + [5] * 4


@pytest.mark.long
def test_the_gradient_by_a_weight_is_cut_into_parts():
    function, types = with_gradients(convolved(1, 2), f32(4, 4, 28, 28), f32(6, 4, 5, 5))
    (by_weight,) = (plan for plan in same(function, *types) if plan.sizes == (6, 4, 5, 5))
    ((grid,),) = [[one.grid for one in by_weight.launches]]
    assert grid.parts * grid.terms >= grid.k == 4 * 28 * 28
    assert grid.parts == 22
    assert by_weight.scratch_bytes == grid.parts * 6 * 100 * 4


@pytest.mark.parametrize("dtype", [float64, float16, bfloat16, int32], ids=str)
def test_convolutions_of_each_dtype(dtype):
    types = TensorType((2, 4, 7, 7), dtype), TensorType((6, 4, 3, 3), dtype)
    assert [plan.is_mapped for plan in same(convolved(1, 1), *types)] == [True]


def test_the_epilogue_is_in_the_kernel_of_a_convolution():
    def block(x, w, bias):
        y = convolved(1, 1)(x, w)[0]
        kind = ops.type_of(y)
        y = ops.add(y, ops.broadcast(ops.reshape(bias, (1, 6, 1, 1)), kind.shape))
        return [ops.max(y, ops.full(0.0, kind))]

    assert len(same(block, f32(2, 4, 9, 9), f32(6, 4, 3, 3), f32(6))) == 1
    graph = graph_of(block, f32(2, 4, 9, 9), f32(6, 4, 3, 3), f32(6))
    assert len(build_kernels(graph, SM_80).schedule.steps) == 1


def test_views_of_operands_are_read_as_they_lie():
    def sliced(x, w):
        return convolved(1, 1)(ops.slice(x, (0, 1, 0, 0), (2, 5, 9, 9), (1, 1, 1, 1)), ops.transpose(w, (1, 0, 2, 3)))

    types = f32(2, 6, 9, 9), f32(4, 5, 3, 3)
    assert len(same(sliced, *types)) == 1
    assert len(build_kernels(graph_of(sliced, *types), SM_80).schedule.steps) == 1


def test_contractions_of_several_rows_and_columns():
    function = each(lambda x, w: ops.contract("abkl,lkcd->acbd", x, w))
    assert [plan.is_mapped for plan in same(function, f32(3, 4, 5, 6), f32(6, 5, 2, 7))] == [True]


def test_a_batch_of_images_of_any_size():
    images = unknown()
    graph = graph_of(convolved(1, 1), f32(images, 4, 6, 6), f32(5, 4, 3, 3))
    program = build_kernels(graph, SM_80)
    for count in (2, 3, 9):
        types = f32(count, 4, 6, 6), f32(5, 4, 3, 3)
        inputs = whole(types)
        (found,) = Run(program, inputs, {"n0": count}).outputs()
        np.testing.assert_array_equal(found, on_cpu(graph_of(convolved(1, 1), *types), inputs)[0])


def test_sums_of_parts_do_not_depend_on_the_device():
    """Parts follow from sizes: the text is the same for both devices but for its head."""
    graph = graph_of(each(ops.matmul), f32(16, 4096), f32(4096, 16))
    grids = {str(build_kernels(graph, named_target(name)).schedule.steps[0]) for name in ("sm_80", "sm_90")}
    assert len(grids) == 1
    assert "parts of" in grids.pop()
