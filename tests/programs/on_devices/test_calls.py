"""Calls of compiled functions over arrays of a device: the CPU's results there, and what is refused before it runs."""

import re
from pathlib import Path

import numpy
import pytest

from hybridize import cpu, gpu, hybridize, np, npx
from hybridize.array.buffer import buffer_of, memory_key
from hybridize.errors import DeviceError
from hybridize.programs.changes import Changes
from hybridize.runtime.device_buffers import DeviceBuffer, unsupported
from tests.refusals import refusal


def numbers(*shape, seed=0):
    return np.array(numpy.random.default_rng(seed).standard_normal(shape), dtype="float32")


def there(*arrays, number=0):
    return [x.as_in_ctx(gpu(number)) for x in arrays]


def same_bits(function, *arrays):
    """The CPU's result, and the same on the device."""
    expected, y = function(*arrays), function(*there(*arrays))
    assert y.device == gpu(0) and type(buffer_of(y)) is DeviceBuffer
    assert y.asnumpy().tobytes() == expected.asnumpy().tobytes()
    return y


def test_the_result_is_where_the_arguments_are_and_has_the_cpu_s_bits():
    f = hybridize(lambda x, y: np.tanh(x) * y + np.exp(x - y))
    for seed in range(3):
        same_bits(f, numbers(5, 7, seed=seed), numbers(5, 7, seed=9))


def test_a_function_has_a_program_for_each_device():
    f = hybridize(lambda x: x * 2 + 1)
    x = numbers(6)
    for _ in range(2):
        ys = [f(x), f(*there(x)), f(*there(x, number=1))]
        assert [y.device for y in ys] == [cpu(0), gpu(0), gpu(1)]
        assert len({y.asnumpy().tobytes() for y in ys}) == 1
    assert len(f.programs()) == 3


@pytest.mark.parametrize("sizes", [(3, 5, 1, 40), (2, 0, 7)])
def test_one_program_takes_all_sizes(sizes):
    f = hybridize(lambda x: np.exp(x).sum(axis=1))
    for n in sizes:
        x = numbers(n, 4)
        (on_gpu,) = there(x)
        numpy.testing.assert_allclose(f(on_gpu).asnumpy(), numpy.exp(x.asnumpy()).sum(1), rtol=1e-6)
    assert len(f.programs()) <= 3


def test_numbers_go_with_each_call():
    f = hybridize(lambda x, k: x * k + 2)
    (x,) = there(numbers(3))
    for k in (1.5, -2.0, numpy.float32(0.5)):
        assert f(x, k).asnumpy().tobytes() == (x.asnumpy() * numpy.float32(k) + 2).tobytes()
    assert len(f.programs()) == 2  # of Python's number, and of NumPy's


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_arguments_may_begin_anywhere(dtype):
    f = hybridize(lambda x, y: x * 2 + y)
    x = np.array(numpy.arange(70), dtype=dtype)
    (on_gpu,) = there(x)
    for first in (0, 1, 3, 4, 8, 16, 5, 5, 5):
        y = f(on_gpu[first : first + 50], on_gpu[:50])
        expected = x.asnumpy()[first : first + 50] * 2 + x.asnumpy()[:50]
        assert y.asnumpy().tobytes() == expected.astype(dtype).tobytes()


def test_an_array_that_is_two_arguments_is_one():
    f = hybridize(lambda x, y: x * y)
    (x,) = there(numbers(4))
    assert (f(x, x).asnumpy() == x.asnumpy() ** 2).all()


def test_arguments_may_lie_otherwise_than_row_by_row():
    f = hybridize(lambda x, y: x - 2 * y)
    x, y = numbers(6, 4), numbers(4, 3)
    a, b = there(x, y)
    found = f(a[::2].T, b)
    assert found.asnumpy().tobytes() == f(x[::2].T, y).asnumpy().tobytes()


def test_results_are_views_and_parts_as_on_the_cpu():
    f = hybridize(lambda x: (x[1:], x.T, (x + 1).reshape(-1), {"sum": x.sum(0)}))
    (x,) = there(numbers(3, 2))
    part, turned, flat, sums = f(x)
    assert all(y.device == gpu(0) for y in (part, turned, flat, sums["sum"]))
    part[:] = 0
    assert (x.asnumpy()[1:] == 0).all()
    assert (turned.asnumpy() == x.asnumpy().T).all()


def test_numbers_and_texts_are_made_at_the_host():
    @hybridize
    def f(x):
        total = x.sum()
        return total, float(total), f"{float(total):.1f}"

    array, number, text = f(np.ones((2, 3), ctx=gpu(0)))
    assert (array.item(), number, text) == (6.0, 6.0, "6.0") and array.device == gpu(0)


def test_arrays_from_outside_stay_where_they_are():
    (weight,) = there(numbers(3))
    table = numpy.arange(3, dtype="float32")
    f = hybridize(lambda k: weight * k + np.array(table, ctx=gpu(0)))
    assert f(2.0).asnumpy().tobytes() == (weight.asnumpy() * 2 + table).tobytes()
    weight[:] = 1
    assert f(2.0).asnumpy().tolist() == [2, 3, 4] and f(2.0).device == gpu(0)


def test_what_is_made_on_a_device_makes_the_program_one_for_it():
    f = hybridize(lambda k: np.zeros((2, 2), ctx=gpu(0)) + k)
    assert f(2.5).device == gpu(0) and f(1.5).asnumpy().tolist() == [[1.5, 1.5]] * 2


def test_a_program_of_a_type_is_compiled_for_the_present_device():
    f = hybridize(lambda x: x * 2 + 1)
    with gpu(1):
        f.compile("f32[3]")
        assert f(np.ones(3)).device == gpu(1)
    f(np.ones(3, ctx=gpu(0)))
    assert [program.capture.call.device for program in f.programs()] == [gpu(1), gpu(0)]


def test_what_depends_on_arrays_of_the_host_alone_is_computed_there():
    f = hybridize(lambda x, y: (x * 2, y * 3))
    x, y = numbers(3), numbers(4)
    for _ in range(2):
        doubled, tripled = f(*there(x), y)
        assert (doubled.device, tripled.device) == (gpu(0), cpu(0))
        assert (tripled.asnumpy() == y.asnumpy() * 3).all() and (doubled.asnumpy() == x.asnumpy() * 2).all()
    assert f.programs()[0].fallbacks == ("broadcast at the host", "mul at the host")


def test_arguments_are_written_on_their_device():
    @hybridize
    def f(x):
        x[:] = x + 1
        return x.sum()

    x = np.ones((3, 2), ctx=gpu(0))
    part = x[1:]
    key = memory_key(x)
    assert [f(x).item() for _ in range(3)] == [12, 18, 24]
    assert (x.asnumpy() == 4).all() and (part.asnumpy() == 4).all()
    assert memory_key(x) == key != memory_key(part)
    f(part)
    assert x.asnumpy().tolist() == [[4, 4], [5, 5], [5, 5]]


def test_random_numbers_are_the_cpu_s():
    @hybridize
    def f(x):
        return x + np.random.normal(size=x.shape, ctx=x.ctx)

    x = numbers(4, 3)
    np.random.seed(3)
    expected = [f(x).asnumpy() for _ in range(3)]
    np.random.seed(3)
    for one in expected:
        assert f(*there(x)).asnumpy().tobytes() == one.tobytes()


# ----------------------------------------------------------------------------------------------------- what is refused


def test_arrays_of_two_memories_do_not_go_together():
    f = hybridize(lambda x, y: x + y)
    x = numbers(3)
    with refusal(DeviceError, r"E703: add: .* f32\[3\] on gpu\(0\) and f32\[3\] on cpu\(0\)") as caught:
        f(*there(x), x)
    assert caught.value.loc.line == f.__wrapped__.__code__.co_firstlineno
    with refusal(DeviceError, r"E703: add: .* on gpu\(0\) and f32\[3\] on gpu\(1\)\nhelp: .* before the call gives"):
        f(*there(x), *there(x, number=1))
    g = hybridize(lambda x, y: (x + 1, y + 1))
    words = (
        r"E703: a compiled function has arrays on gpu\(0\) and on gpu\(1\), and it runs on one(?s:.*)before the call"
    )
    with refusal(DeviceError, words):
        g(*there(x), *there(x, number=1))
    for function, arrays in ((f, there(x)), (g, there(x))):  # what the remedies say
        assert np.array(function(*arrays, there(x, number=1)[0].as_in_ctx(gpu(0)))).shape[-1] == 3
    h = hybridize(lambda x, y: (x.as_in_ctx(cpu()) + y, x + y.as_in_ctx(x.ctx)))
    assert [y.device for y in h(*there(x), x)] == [cpu(0), gpu(0)]


def test_a_program_copies_nothing_to_another_gpu():
    f = hybridize(lambda x: x.as_in_ctx(gpu(1)) + 1)
    with refusal(DeviceError, r"E705: a compiled function copies f32\[3\] from gpu\(0\) to gpu\(1\)"):
        f(*there(numbers(3)))
    g = hybridize(lambda x: x.as_in_ctx(gpu(0)) + 1)
    assert g(*there(numbers(3))).device == g(numbers(3)).device == gpu(0)


def test_what_a_device_cannot_do_is_not_hidden_by_another_capture():
    changes, seen = Changes(), []
    changes._numbers.add(0)

    def capture(places, numbers):
        seen.append(numbers)
        if numbers:
            raise unsupported("f", np.ones(3).type, "gpu(0)")

    with refusal(DeviceError, "E705: f reads f32.3. on gpu"):
        changes.captured(capture, alone=True)
    assert seen == [frozenset({0})]


def test_what_a_device_cannot_do_is_refused_before_anything_runs():
    state = np.zeros(3, ctx=gpu(0))

    @hybridize
    def f(x):
        state[:] = state + x
        return abs(np.fft.fft(x))

    with refusal(DeviceError, r"E705: fourier \(test_calls.py:\d+\) has no code for sm_80 yet") as caught:
        f(np.ones(3, ctx=gpu(0)))
    assert caught.value.loc.line == f.__wrapped__.__code__.co_firstlineno + 3
    assert state.asnumpy().tolist() == [0, 0, 0]


def test_the_plan_of_the_internals_is_that_of_its_program():
    page = (Path(__file__).parents[3] / "docs" / "internals" / "device-programs.md").read_text()
    w = np.ones((20, 30), ctx=gpu(0))

    @hybridize
    def f(x, k):
        return npx.softmax(x @ w) * k

    x = np.ones((64, 20), ctx=gpu(0))
    f(x, 0.5)
    plan = str(f.program(x, 0.5)._runs.executable.plan)
    for line in re.search(r"```text\n(step 0.*?)```", page, re.DOTALL)[1].splitlines():
        assert line in plan.splitlines(), line
