"""The bytes that kernels are said to move are those of the elements that they touch, each once."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope, hint, is_symbolic, value
from hybridize.base.dtypes import float32, int64
from hybridize.base.types import TensorType
from hybridize.loops.measure import kernel_bytes
from hybridize.machine.target import named_target
from hybridize.ops import composites
from hybridize.passes.inline import Inline
from hybridize.schedule import schedule
from hybridize.schedule.steps import LoopStep
from tests.loops.interpret import interpret


class Recorder:
    """A flat buffer that notes which of its elements are read or stored."""

    def __init__(self, param):
        self.size = int(param.size)
        self._data = numpy.zeros(self.size, param.dtype)
        self.touched = set()

    def __getitem__(self, at):
        self.touched.add(at)
        return self._data[at]

    def __setitem__(self, at, number):
        self.touched.add(at)
        self._data[at] = number


def f32(*shape):
    return TensorType(shape, float32)


def kernels(function, *types):
    made = schedule(Inline()(ops.make_graph(function, types)), named_target("avx2"))
    return [step for step in made.steps if isinstance(step, LoopStep)]


def touched(kernel):
    buffers = [Recorder(param) for param in kernel.params]
    interpret(kernel.elements, buffers)
    return sum(len(one.touched) * one._data.itemsize for one in buffers)


def halves(x):
    return ops.slice(x, (0, 0), (6, 4), (1, 1)), ops.slice(x, (0, 4), (6, 8), (1, 1))


def joined(x, y):
    """Parts that are stored straight into what they are joined to, by steps of their own."""
    z = ops.concat(composites.softmax(x, 1), ops.tanh(ops.transpose(y, (1, 0))), axis=1)
    return [z, ops.sum(z, (0,))]


def in_a_row(x):
    y = ops.sum(x, (1,))
    return [ops.sub(x, ops.broadcast(ops.reshape(y, (6, 1)), (6, 8)))]


CASES = {
    "whole": (lambda x, y: [ops.add(x, y)], f32(6, 8), f32(6, 8)),
    "a slice": (lambda x: [ops.neg(halves(x)[0])], f32(6, 8)),
    "two slices": (lambda x: [ops.add(*halves(x))], f32(6, 8)),
    "one slice twice": (lambda x: [ops.add(y := halves(x)[1], ops.tanh(y))], f32(6, 8)),
    "every other": (lambda x: [ops.neg(ops.slice(x, (1, 0), (6, 8), (2, 3)))], f32(6, 8)),
    "backwards": (lambda x: [ops.neg(ops.flip(x, 1))], f32(6, 8)),
    "transposed": (lambda x: [ops.neg(ops.transpose(x, (1, 0)))], f32(6, 8)),
    "broadcast": (lambda x, y: [ops.add(x, ops.broadcast(y, (6, 8)))], f32(6, 8), f32(8)),
    "joined": (joined, f32(6, 5), f32(3, 6)),
    "rows": (in_a_row, f32(6, 8)),
    "a sum of a slice": (lambda x: [ops.sum(halves(x)[0], (0,))], f32(6, 8)),
}


@pytest.mark.parametrize("name", CASES)
def test_each_element_counts_once(name):
    function, *types = CASES[name]
    found = kernels(function, *types)
    assert found
    for step in found:
        assert step.nbytes == kernel_bytes(step.kernel.elements) == touched(step.kernel), str(step)


def test_addresses_that_data_decides_may_be_anywhere():
    (step,) = kernels(lambda x, at: [ops.gather(x, at, 0)], f32(6, 8), TensorType((2,), int64))
    assert step.nbytes == 4 * (48 + 16) + 8 * 2 >= touched(step.kernel)


@pytest.mark.parametrize("name", ["a slice", "two slices", "broadcast", "transposed", "joined"])
def test_sizes_that_are_not_known_give_a_formula_and_assume_nothing(name):
    """Rows of any number: at each size the formula is what is counted there, or, where it is not proven, the whole."""
    scope = SizeScope()
    rows = scope.symbol(9, low=6)
    (number,) = scope.symbols

    def parts(x):
        n = ops.type_of(x).shape[0]
        return ops.slice(x, (0, 0), (n, 4), (1, 1)), ops.slice(x, (0, 4), (n, 8), (1, 1))

    functions = {
        "a slice": (lambda x: [ops.neg(parts(x)[0])], lambda n: [f32(n, 8)]),
        "two slices": (lambda x: [ops.add(*parts(x))], lambda n: [f32(n, 8)]),
        "broadcast": (lambda x, y: [ops.add(x, ops.broadcast(y, x.type.shape))], lambda n: [f32(n, 8), f32(8)]),
        "transposed": (lambda x: [ops.neg(ops.transpose(x, (1, 0)))], lambda n: [f32(n, 8)]),
        "joined": (joined, lambda n: [f32(n, 5), f32(3, n)]),
    }
    function, types = functions[name]
    general = kernels(function, *types(rows))
    scope.capturing = False
    assert not scope.conditions
    assert any(is_symbolic(step.nbytes) for step in general)
    for size in (6, 9, 40):
        exact = kernels(function, *types(size))
        assert [value(step.nbytes, {number: size}) for step in general] == [step.nbytes for step in exact]
    assert hint(general[0].nbytes) == value(general[0].nbytes, {number: 9})


def test_the_plan_says_what_a_step_of_a_part_moves():
    """Two steps fill a concatenation: together they store it once, not each all of it."""
    made = schedule(Inline()(ops.make_graph(joined, [f32(64, 32), f32(96, 64)])), named_target("avx2"))
    first, second = [step for step in made.plan.steps if step.kind == "loops"][:2]
    assert {first.bytes, second.bytes} == {2 * 4 * 64 * 32, 2 * 4 * 64 * 96}
