"""The short way of calls on a device: it takes the calls that a program is right for, and no others."""

from functools import partial

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gpu, np
from hybridize.base.config import CONFIG
from hybridize.errors import DeviceError
from hybridize.programs import device_entry
from tests.refusals import refusal

X = numpy.arange(6, dtype="float32").reshape(2, 3)


def there(values=X, device=None, **options):
    return np.array(values, ctx=device or gpu(0), **options)


def taken(function, *args, **kwargs):
    """The result of a call by the short way; None where it goes the way of all calls."""
    went, run = [], device_entry.DeviceMachine.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_entry.DeviceMachine, "run", lambda *inputs: went.append(None) or run(*inputs))
        result = function(*args, **kwargs)
    return None if went else result


@pytest.fixture
def weight():
    return there(numpy.full((2, 3), 2, "float32"))


@pytest.fixture
def function(weight):
    def of(x):
        return x * weight + 1

    compiled = hybridize.hybridize(of)
    for _ in range(3):
        compiled(there())
    return compiled


def test_a_call_like_the_last_one_is_taken(function):
    for values in (X, -X):
        y = taken(function, there(values))
        assert y.device == gpu(0) and type(y) is type(there()) and (y.asnumpy() == values * 2 + 1).all()


def test_results_in_containers_are_what_the_function_gives():
    for of in (lambda a: (a + 1, a * 2), lambda a: [a + 1, a * 2], lambda a: {"x": a + 1, "y": [a * 2]}):
        compiled = hybridize.hybridize(of)
        for _ in range(3):
            compiled(there())
        result, expected = taken(compiled, there()), of(there())
        assert type(result) is type(expected)
        assert str(result) == str(expected)


def test_numbers_containers_and_keywords_are_taken():
    def of(x, n, pair, *, mode, y=None):
        a, b = pair["a"], pair["b"][0]
        return (x * n + a, b + 1) if mode == "sum" and y is None else x * 2

    compiled = hybridize.hybridize(of)
    for number in (2.0, 2.0, 2.0, 3.0, 0.5):
        call = partial(compiled, there(), number, {"a": there(-X), "b": [there(), "four"]}, mode="sum")
        a, b = taken(call) or call()
        assert (a.asnumpy() == X * number - X).all() and (b.asnumpy() == X + 1).all()
    assert taken(call)
    assert taken(partial(compiled, there(), 0.5, {"a": there(), "b": [there(), "four"]}, mode="other")) is None


OTHERS = {
    "dtype": lambda f: f(there(dtype="float64")), "size": lambda f: f(there(X[:1])), "rank": lambda f: f(there(X[0])),
    "layout": lambda f: f(there(numpy.ascontiguousarray(X.T)).T), "keyword": lambda f: f(x=there()),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_calls_go_the_way_of_all(function, name):
    values = {"size": X[:1], "rank": X[0]}.get(name, X)
    assert taken(OTHERS[name], function) is None
    assert (OTHERS[name](function).asnumpy() == values * 2 + 1).all()


def test_an_array_that_begins_anywhere_is_copied_on_the_way_of_all(function):
    whole = there(numpy.concatenate([X.reshape(-1)] * 3))
    for first, is_taken in ((0, True), (1, False), (4, True), (6, False)):
        x = whole[first : first + 6].reshape(2, 3)
        expected = whole.asnumpy()[first : first + 6].reshape(2, 3) * 2 + 1
        assert (taken(function, x) is not None) == is_taken
        assert (function(x).asnumpy() == expected).all()


def test_arrays_elsewhere_are_refused_as_ever(function):
    for device in (cpu(), gpu(1)):
        with refusal(DeviceError, "E703"):
            function(there(device=device))
    with gpu(1):
        assert (function(there()).asnumpy() == X * 2 + 1).all()


def test_weights_are_read_as_they_are_now(function, weight):
    weight[...] = 5
    assert (taken(function, there()).asnumpy() == X * 5 + 1).all()
    weight += 1
    assert (taken(function, there()).asnumpy() == X * 6 + 1).all()


FACTOR = 2.0


def test_a_global_that_changes_is_seen(monkeypatch):
    compiled = hybridize.hybridize(lambda x: x * FACTOR)
    for _ in range(3):
        compiled(there())
    assert taken(compiled, there()) is not None
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert (compiled(there()).asnumpy() == X * 3).all()


def test_recording_and_disabling_are_heeded(monkeypatch, function):
    x = there()
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert (x.grad.asnumpy() == 2).all()
    assert (taken(function, x).asnumpy() == X * 2 + 1).all()  # nothing is recorded
    monkeypatch.setattr(CONFIG, "disable", True)
    assert taken(lambda z: str(function(z)), x)


def test_programs_of_training_take_no_calls_that_predict():
    """A layer differs in training, and so does a function that asks which mode it is."""
    norm = hybridize.gluon.nn.BatchNorm(in_channels=3)
    norm.initialize(ctx=gpu(0))
    norm.hybridize()
    compiled = hybridize.hybridize(lambda x: x * 3 if autograd.is_training() else x * 2)
    x = there()
    for _ in range(4):
        with autograd.train_mode():
            assert (compiled(x).asnumpy() == X * 3).all()
            numpy.testing.assert_allclose(norm(x).asnumpy().mean(axis=0), 0, atol=1e-6)
        assert (compiled(x).asnumpy() == X * 2).all()
        mean, variance = norm.running_mean.data().asnumpy(), norm.running_var.data().asnumpy()
        numpy.testing.assert_allclose(norm(x).asnumpy(), (X - mean) / numpy.sqrt(variance + 1e-5), 1e-5, 1e-6)


AT_HOST = np.arange(3)


@pytest.mark.parametrize(
    ("of", "args", "why"),
    [
        (lambda x: (x + 1, AT_HOST.sum()), (), "the host computes a part of it"),
        (lambda x: x.as_in_ctx(cpu()) + 1, (), "the host waits for a part of it"),
        (lambda x, y: x + y, ("itself",), "arguments are over one memory"),
    ],
)
def test_programs_that_ask_more_have_none(of, args, why):
    compiled, x = hybridize.hybridize(of), there()
    args = (x, *(x if one == "itself" else one for one in args))
    for _ in range(3):
        compiled(*args)
    program = compiled.program(*args)
    assert device_entry.why_none(program.capture, program._runs) == why


def test_short_memory_is_told_with_the_line(monkeypatch, function):
    from hybridize.errors import DeviceMemoryError
    from hybridize.runtime.devices import opened

    def nothing(nbytes, name=""):
        raise DeviceMemoryError("E706", "no memory", help="drop arrays")

    x = there()
    monkeypatch.setattr(opened(0), "alloc", nothing)
    with refusal(DeviceMemoryError, "E706: of: no memory\nhelp: drop arrays") as caught:
        function(x)
    assert caught.value.loc.file == __file__
