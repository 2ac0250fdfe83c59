"""Assertions of programs on a device: the first that fails is raised, in the CPU's words and with its values."""

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import bool_, float32, int64
from hybridize.base.errors import HybridizeError
from hybridize.base.types import TensorType
from hybridize.ops.views import like
from hybridize.ops.world import Assert, Bounds, Permitted, Solvable
from tests.device.programs import SM_80, Run, build_kernels, graph_of, on_cpu, on_device
from tests.refusals import refusal
from tests.schedule.goldens import f32, unknown


def checked(indices, limit):
    """What is refused, then what is computed anyhow."""
    ops.bind(
        Bounds("an index is out of bounds for {} elements: {}"),
        ops.lt(indices, ops.broadcast(limit, (70,))),
        limit,
        indices,
    )
    ops.bind(Assert("no negative ones"), ops.ge(indices, like(0, indices)))
    return [ops.add(indices, indices)]


TYPES = [TensorType((70,), int64), TensorType((), int64)]


def inputs(at=None, value=0):
    indices = np.arange(70)
    if at is not None:
        indices[at] = value
    return [indices, np.array(70)]


def test_what_holds_is_nothing_but_looked_at():
    graph = graph_of(checked, *TYPES)
    (found,) = on_device(graph, inputs())
    np.testing.assert_array_equal(found, 2 * np.arange(70))


@pytest.mark.parametrize(("at", "value"), [(0, 99), (31, 100), (32, 71), (69, 70), (5, -1)])
def test_the_error_is_that_of_the_cpu(at, value):
    graph = graph_of(checked, *TYPES)
    with pytest.raises(HybridizeError) as expected:
        on_cpu(graph, inputs(at, value))
    with pytest.raises(HybridizeError) as found:
        on_device(graph, inputs(at, value))
    assert type(found.value) is type(expected.value)
    assert (found.value.code, found.value.what) == (expected.value.code, expected.value.what)


def test_the_first_failure_stays():
    graph = graph_of(checked, *TYPES)
    both = inputs(3, 90)
    both[0][4] = -7
    with refusal(HybridizeError, "an index is out of bounds for 70 elements"):
        on_device(graph, both)


@pytest.mark.parametrize("kind", [Assert, Bounds, Solvable, Permitted], ids=lambda one: one.kind)
def test_each_kind_has_its_error(kind):
    graph = graph_of(lambda x: [*ops.bind(kind("it fails"), x), ops.eq(x, like(False, x))], TensorType((3,), bool_))
    x = np.array([True, False, True])
    with pytest.raises(HybridizeError) as expected:
        on_cpu(graph, [x])
    with pytest.raises(type(expected.value), match="it fails") as found:
        on_device(graph, [x])
    assert found.value.code == expected.value.code


def test_equal_assertions_leave_one_note():
    def twice(x, y):
        for one in (x, y):
            ops.bind(Assert("it fails"), ops.lt(one, ops.add(one, one)))
        return [ops.add(x, y)]

    program = build_kernels(graph_of(twice, f32(5), f32(5)), SM_80)
    assert len(program.plan.notes) == 1
    ones = np.ones(5, float32)
    for pair in ([ones, -ones], [-ones, ones]):
        with refusal(HybridizeError, "it fails"):
            Run(program, pair).outputs()


def test_operands_of_any_size():
    size = unknown()

    def some(x):
        ops.bind(Assert("{}"), ops.lt(x, like(4, x)), x)
        return [ops.exp(x)]

    program = build_kernels(graph_of(some, f32(size)), SM_80)
    for count in (2, 9, 33):
        x = np.arange(count).astype(float32)
        run = Run(program, [x], {"n0": count})
        if count < 4:
            run.outputs()
            continue
        with pytest.raises(HybridizeError) as caught:
            run.outputs()
        assert str(x) in str(caught.value)
