"""Kernels that differ only in numbers are one, and compute what each of them would."""

import math

import numpy
import pytest

from hybridize import hybridize, np, npx, ops
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.llvm.program import build
from hybridize.compiler import cache_clear
from hybridize.machine.target import NAMES, named_target
from hybridize.passes import PIPELINE
from tests.schedule.goldens import f32, scaled, schedule_of


def chain(length):
    def function(x):
        y = x
        for k in range(length):
            y = y * (1 + k * 1e-3) + x
        return y

    return function


def drawn(*shape, dtype="float32", seed=0):
    return np.array(numpy.random.default_rng(seed).normal(size=shape).astype(dtype))


def functions(function, *args, target="avx2"):
    """The functions of loops that are written for a call."""
    graph = PIPELINE.run(hybridize(function).program(*args).captured)
    module = build(graph, named_target(target)).module
    return [name for name in module.functions if "loops" in name]


def bits(array):
    return numpy.asarray(array).tobytes()


def test_a_longer_chain_has_no_more_code():
    x = drawn(100)
    assert len(functions(chain(200), x)) == len(functions(chain(600), x)) < 8


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_results_are_those_of_the_operations(dtype, size):
    x = drawn(size, dtype=dtype)
    assert bits(hybridize(chain(150))(x)) == bits(chain(150)(x))


def test_results_of_any_size_and_by_several_threads():
    function = hybridize(chain(150), threads=2)
    for size in (5, 6, 9, 1 << 18):
        x = drawn(size)
        assert bits(function(x)) == bits(chain(150)(x))


def test_within_loops_and_branches():
    @hybridize
    def function(x, count):
        for _ in range(3):
            if x.sum() > count:
                x = chain(120)(x)
            else:
                x = chain(240)(-x)
        return x

    def imperative(x, count):
        for _ in range(3):
            x = chain(120)(x) if x.sum() > count else chain(240)(-x)
        return x

    for seed in range(3):
        x = drawn(33, seed=seed)
        assert bits(function(x, np.array(0.5))) == bits(imperative(x, np.array(0.5)))


@pytest.mark.parametrize("target", NAMES)
def test_every_target_takes_it(target):
    graph = PIPELINE.run(hybridize(chain(150)).program(drawn(50)).captured)
    assert emit_object(build(graph, named_target(target)).module.text(), named_target(target))


NUMBERS = {
    "signs of zero": (0.0, -0.0),
    "infinite": (math.inf, -math.inf),
    "not a number": (math.nan, 1.0),
    "beyond float32": (1e-300, 1e-310),
    "one": (1.0, 3.0),
}


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_told_apart_by_their_bits(numbers):
    def both(x, y):
        return x * numbers[0] + 1, y * numbers[1] + 1, numpy.float32(2) / (x * 0 + numbers[0])

    x, y = drawn(40), drawn(40, seed=1)
    with numpy.errstate(all="ignore"):
        for found, wanted in zip(hybridize(both)(x, y), both(x, y), strict=True):
            numpy.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
            assert (numpy.signbit(found.asnumpy()) == numpy.signbit(wanted.asnumpy())).all()


def test_a_number_that_all_have_stays_a_constant():
    one, two, three = schedule_of(scaled, f32(40), f32(40), f32(40)).steps
    assert one.kernel is two.kernel is three.kernel
    assert (one.numbers, two.numbers, three.numbers) == ((2.0,), (3.0,), (4.0,))
    assert "6.0:f32" in str(one.kernel)


def test_one_number_in_two_places_is_one_entry():
    def twice(number, x):
        y = ops.full(number, x.type)
        return ops.mul(ops.add(x, y), ops.sub(ops.tanh(x), y))

    one, two = schedule_of(lambda x, y: [twice(2, x), twice(3, y)], f32(40), f32(40)).steps
    assert one.kernel is two.kernel
    assert (one.numbers, two.numbers) == ((2.0,), (3.0,))


def shifted(count):
    return lambda x: ops.mul(ops.slice(x, (count,), (count + 20,), (1,)), ops.full(count + 2, f32(20)))


APART = {
    "sizes": lambda x: [ops.mul(x, ops.full(2, x.type)), ops.mul(shifted(0)(x), ops.full(3, f32(20)))],
    "places": lambda x: [shifted(0)(x), shifted(1)(x)],
    "operations": lambda x: [ops.mul(x, ops.full(2, x.type)), ops.add(x, ops.full(2, x.type))],
    "sides": lambda x: [ops.sub(x, ops.full(2, x.type)), ops.sub(ops.full(3, x.type), x)],
}


@pytest.mark.parametrize("function", APART.values(), ids=APART)
def test_what_differs_otherwise_stays_apart(function):
    one, two = schedule_of(function, f32(40)).steps
    assert not one.numbers and not two.numbers
    assert str(one.kernel) != str(two.kernel)


def test_one_number_for_each_of_many_layers():
    """Rows, folds and products between do not hinder what lies around them."""

    def layers(x):
        for k in range(6):
            x = npx.softmax(np.tanh(x * (1.5 + k)) @ x.T) * (2.0 + k) + 1
        return x

    x = drawn(9, 9)
    numpy.testing.assert_allclose(hybridize(layers)(x).asnumpy(), layers(x).asnumpy(), rtol=2e-5, atol=1e-6)


def centred(x, number, axis):
    y = npx.relu(x * number + 0.5)
    return (y - y.mean(axis=axis, keepdims=True)) * (number + 1)


FOLDED = {
    "rows": lambda x, number: centred(x, number, 1),
    "columns": lambda x, number: centred(x, number, 0),
    "within sums": lambda x, number: x + np.sum(np.exp(x * number), axis=-1, keepdims=True),
    "softmax": lambda x, number: npx.softmax(x * number) * number - 0.25,
    "places": lambda x, number: x * number + np.argmax(x - number * x * x, axis=1).astype(x.dtype).reshape(-1, 1),
}


@pytest.mark.parametrize(("shape", "dtype"), [((3, 5), "float64"), ((64, 200), "float32")])
@pytest.mark.parametrize("name", FOLDED)
def test_kernels_with_rows_and_folds_are_merged_and_keep_their_bits(name, shape, dtype, monkeypatch):
    def each(*arrays):
        return [FOLDED[name](x, 0.5 + k / 16) for k, x in enumerate(arrays)]

    arrays = [drawn(*shape, dtype=dtype, seed=seed) for seed in range(3)]
    merged = [bits(y) for y in hybridize(each, threads=2)(*arrays)], len(functions(each, *arrays))
    monkeypatch.setattr("hybridize.schedule.scheduler.merged", tuple)
    cache_clear()
    apart = [bits(y) for y in hybridize(each, threads=2)(*arrays)], len(functions(each, *arrays))
    cache_clear()
    assert merged[0] == apart[0]
    assert (merged[1], apart[1]) == (1, 3) or name == "columns"
