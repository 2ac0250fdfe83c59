"""Kernels bound to buffers: arrays of a kind share one, and work says where each begins."""

import functools

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.wgsl import binding
from hybridize.codegen.wgsl.binding import WgslBinder, WgslCopy, WgslPlace
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from tests.schedule.goldens import f32, unknown


def kernels(function, *types):
    return build_kernels(PIPELINE.run(ops.make_graph(function, types)), named_target("webgpu"))


def bound(function, *types):
    """The work of a function, and the kernel of each launch."""
    binder = WgslBinder()
    call = binder.bind(kernels(function, *types))
    return call, [binder.modules[one.kernel] for one in call.work]


def total(*xs):
    return [functools.reduce(ops.add, xs)]


def test_arrays_of_a_kind_lie_in_one_buffer():
    call, (kernel,) = bound(total, *[f32(5)] * 12)
    assert call.inputs == tuple(WgslPlace(("input", 0), 32 * k) for k in range(12))
    assert call.buffers["input"] == (12 * 32,) and call.buffers["output"] == (32,)
    (launch,) = call.work
    assert launch.buffers == (("input", 0), ("output", 0))
    assert kernel.writes == (False, True) and kernel.text.count("var<storage") == 2
    assert launch.words[:13] == (*(32 * k for k in range(12)), 0)


def test_places_may_depend_on_sizes_of_the_call():
    rows = unknown()
    call, _ = bound(lambda x, y: [ops.mul(x, x), ops.add(y, y)], f32(rows, 3), f32(rows))
    assert [one.offset for one in call.inputs] == [0, "16*div(3*n0+3,4)"]
    assert call.buffers["input"] == ("16*div(3*n0+3,4)+16*div(n0+3,4)",)


def test_what_a_buffer_has_no_room_for_begins_another(monkeypatch):
    monkeypatch.setattr(binding, "BINDING", 64)
    call, (kernel,) = bound(total, *[f32(7)] * 3)
    assert [(one.buffer[1], one.offset) for one in call.inputs] == [(0, 0), (0, 32), (1, 0)]
    assert call.buffers["input"] == (64, 32) and kernel.writes == (False, False, True)


def test_an_array_larger_than_a_buffer_has_one_for_itself(monkeypatch):
    monkeypatch.setattr(binding, "BINDING", 64)
    call, _ = bound(total, f32(40), f32(40))
    assert call.buffers["input"] == (160, 160)


def test_scratch_is_read_and_written_by_one_binding():
    call, (first, second) = bound(lambda x: [ops.sum(x, (0,))], f32(100_000))
    assert [kind for kind, _ in call.work[0].buffers] == ["input", "scratch"] and first.writes == (False, True)
    assert sorted(kind for kind, _ in call.work[1].buffers) == ["output", "scratch"]
    assert second.text.count("var<storage") == 2


def test_equal_constants_and_kernels_of_programs_are_there_once():
    weight = numpy.arange(12, dtype="f4").reshape(3, 4)
    binder = WgslBinder(lambda array: array.tobytes())
    for _ in range(2):
        binder.bind(kernels(lambda x: [ops.mul(x, ops.constant(weight.copy()))], f32(3, 4)))
    assert len(binder.constants) == len(binder.modules) == 1
    assert binder.buffers == {"constant": (48,), "state": ()}
    binder.bind(kernels(lambda x: [ops.mul(x, ops.constant(weight + 1))], f32(3, 4)))
    assert [one.place.offset for one in binder.constants] == [0, 48] and len(binder.modules) == 1


@pytest.mark.parametrize("is_checked", [True, False])
def test_new_states_go_to_their_places_unless_an_assertion_fails(is_checked):
    def step(x, state):
        if is_checked:
            ops.bind(ops.Assert("x is true"), x)
        return [ops.bit_xor(x, x), ops.add(state, state)]

    binder = WgslBinder()
    binder.state(5)
    place = binder.state(12)
    call = binder.bind(kernels(step, TensorType((3,), bool_), f32(3)), [place], [place])
    assert len(call.inputs) == 1 and place == WgslPlace(("state", 0), 16)
    last = call.work[-1]
    assert len(call.notes) == is_checked
    if is_checked:
        assert last.buffers == (("state", 0), ("output", 0), ("flag", 0)) and last.words == (16, 16, 0, 3, 1, 0)
    else:
        assert last == WgslCopy(place, WgslPlace(("output", 0), 16), 12)
