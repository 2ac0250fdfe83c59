"""Devices: an array remembers where it is, results are where their arguments are, and nothing mixes by accident."""

import contextlib
import copy
import inspect
import multiprocessing
import pickle
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, cpu_pinned, nd, np, npx
from hybridize.array import device as devices
from hybridize.array.ndarray import ndarray
from hybridize.errors import DeviceError
from hybridize.ops.op import ACTIVE
from tests.refusals import refusal

DATA = numpy.array([[1.0, 2.0], [3.0, 4.0]], "float32")


def there(number=1):
    return np.array(DATA, ctx=cpu(number))


def arrays(made):
    if isinstance(made, ndarray):
        yield made
    elif isinstance(made, (list, tuple)):
        for part in made:
            yield from arrays(part)


# --------------------------------------------------------------------------------------------------- where things are


def test_an_array_remembers_its_device():
    for x in (
        np.array(DATA, ctx=cpu(1)),
        np.array(DATA, device=cpu(1)),
        nd.array(DATA, cpu(1)),
        np.array(DATA).copyto(cpu(1)),
    ):
        assert x.ctx == x.context == x.device == cpu(1)
    assert nd.zeros((2,), cpu(1)).ctx == nd.ones((2,), ctx=cpu(1)).ctx == cpu(1)
    for x in (
        nd.random.uniform(0, 1, (2,), ctx=cpu(1)),
        nd.random.randn(2, ctx=cpu(1)),
        nd.random.randint(0, 3, ctx=cpu(1)),
    ):
        assert x.ctx == cpu(1)
    assert np.array(DATA).ctx == cpu(0)
    with cpu(2):
        assert np.array(DATA).ctx == np.zeros(2).ctx == np.random.normal(size=2).ctx == cpu(2)
        assert np.zeros(2, ctx=cpu(1)).ctx == cpu(1)
        assert there().T.ctx == cpu(1)
        with ThreadPoolExecutor(1) as other:
            assert other.submit(lambda: np.zeros(2).ctx).result() == cpu(0)
    assert np.zeros(2).ctx == cpu(0)


def test_moving():
    x = there()
    assert x.as_in_ctx(cpu(1)) is x.as_in_context(cpu(1)) is x.to_device(cpu(1)) is x.to_device("cpu:1") is x
    for y in (
        x.as_in_ctx(cpu(0)),
        x.copyto(cpu(0)),
        x.copyto(cpu(1)),
        np.array(x, ctx=cpu(0)),
        np.array(x, ctx=cpu(2)),
    ):
        y[...] = 0
        assert (x.asnumpy() == DATA).all()
    y = np.zeros((2, 2))
    assert x.copyto(y) is y
    assert (y.asnumpy() == DATA).all()
    y[...] = x * 2
    y[0] = x[1]
    assert y.ctx == cpu(0)
    assert y.asnumpy().tolist() == [[3, 4], [6, 8]]
    whole = np.array(DATA)
    part = np.asarray(whole[0], device=cpu(1))  # a copy, though nothing else asks for one
    part[...] = 0
    assert whole.ctx == cpu(0)
    assert whole[0].tolist() == [1, 2]


def test_views_copies_and_pickles_are_where_the_array_is():
    x = there()
    for y in (
        x[0], x[:, 1], x[0, 0], x.T, x.reshape(4), x.detach(), x.flatten(), x.copy(), x.astype("int32"), x.view("int32"),
        x[x > 2], x.base if x.base is not None else x, next(iter(x)), x.flat[1:2],
        copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)),
    ):  # fmt: skip
        assert y.ctx == cpu(1)
    x[0][0] = 9
    assert x[0, 0].item() == 9
    x += 1
    x[0] *= 2
    assert x.ctx == cpu(1)


SKIPPED = {
    "save", "savez", "savez_compressed", "load", "savetxt", "from_dlpack", "set_printoptions", "printoptions", "print",
    "fromfunction", "shuffle", "seed",
}  # fmt: skip


LEAST = {"hybridize.array.np": 190, "hybridize.array.linalg": 18, "hybridize.array.npx": 30}
"""Functions that some of the arguments are for."""


@pytest.mark.parametrize("module", [np, np.linalg, npx], ids=lambda one: one.__name__)
@pytest.mark.parametrize("taped", [False, True])
def test_results_are_where_the_arguments_are(module, taped):
    """Every public function, with the arguments of these that it takes."""
    seen, mixed = set(), []
    for name in sorted(set(module.__all__) - SKIPPED):
        function = getattr(module, name)
        if not callable(function) or isinstance(function, type):
            continue
        x, i = there(), np.array([[0, 1], [1, 0]], dtype="int64", ctx=cpu(1))
        y = np.array([3.0, 1.0, 2.0], ctx=cpu(1))
        x.attach_grad()
        for args in (
            (x,),
            (x, x),
            (x, x, x),
            (x, i),
            ([x, x],),
            (x, 1),
            (i,),
            (i, i),
            (y,),
            (y, y),
            (x, 0, 1),
            (x, (4,)),
        ):
            with autograd.record() if taped else contextlib.nullcontext(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    made = function(*args)
                except Exception as error:
                    mixed += [name] * ("E703" in str(error))
                    continue
            for found in arrays(made):
                assert found.ctx == cpu(1), (name, args)
                seen.add(name)
    assert not mixed
    assert len(seen) >= LEAST[module.__name__]


MADE = {
    np: {
        "arange": (3,), "array": ([1],), "asarray": ([1],), "bartlett": (3,), "blackman": (3,), "empty": (2,),
        "eye": (2,), "full": (2, 1), "hamming": (3,), "hanning": (3,), "identity": (2,), "indices": ((2, 2),),
        "kaiser": (3, 1.0), "linspace": (0, 1, 3), "logspace": (0, 1, 3), "ones": (2,), "tri": (2,), "zeros": (2,),
    },
    np.random: {
        "beta": (1.0, 2.0, 2), "chisquare": (2.0, 2), "choice": (3, 2), "exponential": (1.0, 2),
        "gamma": (1.0, 1.0, 2), "gumbel": (0.0, 1.0, 2), "laplace": (0.0, 1.0, 2), "logistic": (0.0, 1.0, 2),
        "lognormal": (0.0, 1.0, 2), "normal": (0.0, 1.0, 2), "randint": (0, 3, 2), "uniform": (0.0, 1.0, 2),
    },
}  # fmt: skip


@pytest.mark.parametrize("module", MADE, ids=["np", "random"])
def test_functions_that_make_arrays(module):
    for name, args in MADE[module].items():
        function = getattr(module, name)
        with cpu(2):
            assert function(*args).ctx == cpu(2), name
            keywords = {key for key in ("ctx", "device") if key in inspect.signature(function).parameters}
            assert keywords, name
            for key in keywords:
                assert function(*args, **{key: cpu(1)}).ctx == cpu(1), name


# -------------------------------------------------------------------------------------------------------------- mixing


MIXED = {
    "operator": lambda a, b: a + b, "reflected": lambda a, b: b - a, "compared": lambda a, b: a == b,
    "matmul": lambda a, b: a @ b, "function": np.maximum, "keyword": lambda a, b: np.where(condition=a > 0, x=a, y=b),
    "list": lambda a, b: np.concatenate([a, b]), "layer": lambda a, b: npx.fully_connected(a, b, None, no_bias=True),
    "index": lambda a, b: a[b > 0], "out": lambda a, b: np.exp(a, out=b), "in place": lambda a, b: a.__iadd__(b),
    "part": lambda a, b: a[0] * b[1],
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("taped", [False, True])
def test_devices_do_not_mix(name, taped):
    function = MIXED[name]
    a, b = np.array(DATA), there()
    with autograd.record() if taped else contextlib.nullcontext():
        for pair in ((a, b), (b, a), (there(2), b)):
            with refusal(DeviceError, r"(?s)E703.*on cpu\(\d\) and .*on cpu\(\d\).*as_in_ctx"):
                function(*pair)
    assert (a.asnumpy() == DATA).all()
    assert (b.asnumpy() == DATA).all()


def test_numbers_numpy_and_pinned_memory_are_everywhere():
    x, pinned = there(), np.array(DATA, ctx=cpu_pinned())
    for y in (x + 1, 1 - x, x * DATA, np.add(DATA, x), x + pinned, pinned + x, np.stack([pinned, x])):
        assert y.ctx == cpu(1)
    assert (pinned * 2).ctx == cpu_pinned()


def test_devices_that_are_not_there():
    for use in (
        lambda: there().as_in_ctx(hybridize.gpu(0)),
        lambda: there().copyto("gpu"),
        lambda: there().to_device("tpu"),
    ):
        with refusal(DeviceError, "E701"):
            use()


# --------------------------------------------------------------------------------------------------------- gradients


def test_gradients_are_where_their_arrays_are_and_pass_moves():
    x, w = there(), np.array(DATA)
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = (x * x).as_in_ctx(cpu(0)) * w
        z = y.copyto(cpu(2)).sum()
    z.backward()
    assert (x.grad.ctx, w.grad.ctx, z.ctx) == (cpu(1), cpu(0), cpu(2))
    numpy.testing.assert_allclose(x.grad.asnumpy(), 2 * DATA * DATA)
    numpy.testing.assert_allclose(w.grad.asnumpy(), DATA * DATA)
    with autograd.record():
        loss = (x * x * x).sum()
        (first,) = autograd.grad(loss, [x], create_graph=True)
        assert first.ctx == cpu(1)
        again = (first * x).sum()
    again.backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), 9 * DATA * DATA)
    assert hybridize.grad(lambda v: (v * v).sum())(x).ctx == cpu(1)


# ----------------------------------------------------------------------------------------------------------- compiled


def test_compiled_functions_give_what_python_gives():
    @hybridize.hybridize
    def compiled(x, y):
        z = np.tanh(x) @ y
        return z, z[0], [x.T, {"moved": z.as_in_ctx(cpu(2)) * 2}], x, x.ctx.device_id

    for x in (np.array(DATA), there(), np.array(DATA), there(3), there()):
        for _ in range(3):
            z, row, (turned, more), same, number = compiled(x, x)
            assert [one.ctx for one in (z, row, turned, more["moved"])] == [x.ctx, x.ctx, x.ctx, cpu(2)]
            assert same is x
            assert number == x.ctx.device_id
            numpy.testing.assert_allclose(z.asnumpy(), numpy.tanh(DATA) @ DATA, rtol=1e-5)
    with refusal(DeviceError, r"E703.*on cpu\(0\) and .*on cpu\(1\)"):
        compiled(np.array(DATA), there())


def test_compiled_functions_of_several_devices():
    @hybridize.hybridize
    def compiled(parts):
        total = sum((part.as_in_ctx(parts[0].ctx) for part in parts[1:]), parts[0])
        return [part * 2 for part in parts], total

    for numbers in ((0, 1), (1, 2), (1, 0), (0, 0)):
        for _ in range(2):
            doubled, total = compiled([there(number) for number in numbers])
            assert [one.ctx for one in doubled] == [cpu(number) for number in numbers]
            assert total.ctx == cpu(numbers[0])
            numpy.testing.assert_allclose(total.asnumpy(), 2 * DATA)


def test_programs_of_files(tmp_path):
    compiled = hybridize.hybridize(lambda x: (np.tanh(x), {"twice": x * 2}))
    compiled(np.array(DATA))
    compiled.save(tmp_path / "saved")
    loaded = hybridize.load(tmp_path / "saved")
    for number in (1, 0, 2, 1):
        for _ in range(2):
            one, more = loaded(there(number))
            assert one.ctx == more["twice"].ctx == cpu(number)
            numpy.testing.assert_allclose(one.asnumpy(), numpy.tanh(DATA), rtol=1e-5)


def test_arrays_that_a_program_keeps_and_writes():
    kept, state = {}, there()

    @hybridize.hybridize
    def compiled(x):
        state[...] = state + x
        kept["last"] = x * 2
        return state * 1

    for number in range(1, 4):
        assert compiled(there()).ctx == cpu(1)
        assert kept["last"].ctx == state.ctx == cpu(1)
        numpy.testing.assert_allclose(state.asnumpy(), (number + 1) * DATA)


@pytest.mark.parametrize("make", [lambda f: f, hybridize.hybridize], ids=["imperative", "compiled"])
def test_loops_and_branches(make):
    def looped(x):
        total, _ = npx.foreach(lambda row, sums: (row + sums, row + sums), x, np.zeros_like(x[0]))
        return np.where(x.sum() > 0, total, -total) if x.shape[0] > 1 else total

    def branched(x):
        return npx.cond(x.sum() > 0, lambda: x * 2, lambda: x)

    for x in (np.array(DATA), there()):
        assert make(looped)(x).ctx == make(branched)(x).ctx == x.ctx


# ------------------------------------------------------------------------------------------------------- what it costs


def test_nothing_is_looked_at_before_another_device_is_used():
    code = """
import numpy, hybridize
from hybridize import np, cpu, gpu, autograd
from hybridize.array import device, placing
from hybridize.ops.op import ACTIVE
for module in (np, hybridize.npx): [getattr(module, name) for name in module.__all__]  # they are loaded late
np.zeros(2)[:] = 1
def looked(*args): raise AssertionError("looked")
placing.located = placing.device_of = placing.arrays_in = looked
x = np.ones(10, ctx=cpu(0)); cpu(1); gpu(0); cpu(1) == cpu(0)
with cpu(0): y = np.exp(x + 1).as_in_ctx(cpu(0)).copyto(np.ones(10))
f = hybridize.hybridize(lambda v: v * 2)
for _ in range(3): f(x)
x.attach_grad()
with autograd.record(): z = f(x).sum()
z.backward()
assert not ACTIVE and not device.OTHERS and x._storage.device is None
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_first_use_inside_of_a_call():
    assert not devices.OTHERS
    x = np.ones(3)
    assert np.random.lognormal(0.0, 1.0, 3, ctx=cpu(1)).ctx == cpu(1)  # a function of functions
    assert [cpu(1)] == devices.OTHERS
    assert ACTIVE
    devices.forget()
    assert not ACTIVE
    y = x.as_in_ctx(cpu(1))
    with refusal(DeviceError, "E703"):
        x + y


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system has no forks")
def test_in_a_forked_process():
    x = there()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_added, (x,)) == (cpu(1), "DeviceError")


def _added(x):
    try:
        np.ones((2, 2)) + x
    except DeviceError as error:
        return (x * 2).ctx, type(error).__name__
    return None


def test_the_first_use_of_a_device_makes_nothing_anew(monkeypatch):
    """A process may hold functions whose programs have no entry: they have failed, or are too large for any machine."""
    function = hybridize.hybridize(lambda x: x + 1)
    x = np.array(DATA)
    for _ in range(3):
        function(x)

    def entry(*args):
        raise AssertionError("made for nobody who calls")

    monkeypatch.setattr(type(function.programs()[0]), "entry", entry)
    made = np.array(DATA, ctx=cpu(1))
    monkeypatch.undo()
    for one in (made, x, made):
        assert function(one).ctx == one.ctx
        numpy.testing.assert_array_equal(function(one).asnumpy(), x.asnumpy() + 1)


# --------------------------------------------------------------------------------------------------------- roundings

DRAWN = numpy.random.default_rng(0).normal(size=(16, 64)).astype("float32")
WEIGHT = numpy.random.default_rng(1).normal(size=(24, 64)).astype("float32")
SHORT_WAYS = {
    "sigmoid": npx.sigmoid,
    "softmax": npx.softmax,
    "log_softmax": lambda x: npx.log_softmax(x, 0),
    **{
        f"activation {name}": lambda x, name=name: npx.activation(x, name)
        for name in ("relu", "sigmoid", "silu", "tanh", "softrelu", "gelu", "mish")
    },
    "dense": lambda x: npx.fully_connected(x, beside(WEIGHT, x), beside(WEIGHT[:, 0], x), num_hidden=24),
    "dense of a row": lambda x: npx.fully_connected(x[:1], beside(WEIGHT, x), num_hidden=24, no_bias=True),
    "layer_norm": lambda x: npx.layer_norm(x, beside(WEIGHT[0], x), beside(WEIGHT[1], x)),
    "batch_norm": lambda x: npx.batch_norm(x, *(beside(numpy.abs(WEIGHT[k]), x) for k in range(4))),
    "arithmetic": lambda x: (1.7 / (x * x + 1) + 0.3) ** 2.5 - 2,
    "products": lambda x: np.matmul(x, x.T) + np.dot(x, x.T),
    "sums": lambda x: x.sum(0) / x.mean() + x.std() + np.prod(x, axis=0) + np.cumsum(x, 1).max(0),
}


def beside(data, x):
    return np.array(data, ctx=x.ctx)


def bits(function, device, recorded):
    """Result and gradient, or the result where nothing is recorded."""
    x = np.array(DRAWN, ctx=device)
    if not recorded:
        return [function(x).asnumpy()]
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward(np.array(numpy.linspace(-1, 1, y.size).reshape(y.shape).astype("float32"), ctx=device))
    assert y.ctx == x.grad.ctx == device
    return [y.asnumpy(), x.grad.asnumpy()]


@pytest.mark.parametrize("recorded", [False, True], ids=["imperative", "recorded"])
@pytest.mark.parametrize("name", SHORT_WAYS)
def test_results_have_the_same_bits_whatever_devices_are_used(name, recorded):
    function = SHORT_WAYS[name]
    first = bits(function, cpu(0), recorded)
    for device in (cpu(0), cpu(1)):
        np.zeros(1, ctx=cpu(1))  # from here on devices are looked at
        for one, other in zip(bits(function, device, recorded), first, strict=True):
            assert (one == other).all()


@pytest.mark.parametrize("name", SHORT_WAYS)
def test_results_have_the_same_bits_while_another_thread_records(name):
    first = bits(SHORT_WAYS[name], cpu(0), False)
    begun, done = threading.Event(), threading.Event()

    def recording():
        with autograd.record():
            begun.set()
            done.wait()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(recording)
        begun.wait()
        assert ACTIVE
        again = bits(SHORT_WAYS[name], cpu(0), False)
        done.set()
    assert (again[0] == first[0]).all()


class Exponential(autograd.Function):
    def forward(self, x):
        y = np.exp(x)
        self.save_for_backward(x, y)
        return y

    def backward(self, g):
        x, y = self.saved_tensors
        return g * y + 0 * x


def test_gradients_of_the_users_own_are_where_the_results_are():
    x = there()
    x.attach_grad()
    with autograd.record():
        y = Exponential()(x)
    y.backward()
    assert x.grad.ctx == y.ctx == cpu(1)
    assert (x.grad == y).all()


class _Watched:
    """A lock that says when another thread than the first one asks for it."""

    def __init__(self, lock, asked):
        self._lock, self._asked, self._first = lock, asked, threading.get_ident()

    def __enter__(self):
        if threading.get_ident() != self._first:
            self._asked.set()
        return self._lock.__enter__()

    def __exit__(self, *error):
        return self._lock.__exit__(*error)


@pytest.mark.parametrize(
    "make", [lambda: there(), lambda: np.ones(3, ctx=cpu(1)), lambda: np.random.normal(size=2, ctx=cpu(1)),
             lambda: nd.zeros((2,), cpu(1)), lambda: npx.arange_like(np.array(DATA), ctx=cpu(1))]
)  # fmt: skip
def test_an_array_that_another_thread_begins_to_make_at_the_first_use_is_on_its_device(make, monkeypatch):
    devices.forget()
    asked = threading.Event()
    monkeypatch.setattr(devices, "_USING", _Watched(devices._USING, asked))
    with ThreadPoolExecutor(1) as threads:
        later = []

        def begin(is_used):
            if is_used and not later:
                later.append(threads.submit(make))  # functions do not look for devices yet
                assert asked.wait(10)

        monkeypatch.setattr(devices, "_WHEN_USED", [begin, *devices._WHEN_USED])
        assert there().ctx == cpu(1)
        assert later[0].result(10).ctx == cpu(1)
