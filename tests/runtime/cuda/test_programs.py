"""Programs over the driver's calls: their kernels run over the memory that the driver has given."""

import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.errors import DeviceError
from hybridize.runtime.devices import opened
from tests.device.trained import check
from tests.refusals import refusal

GPU = hybridize.gpu(0)


def test_operations_and_programs_compute(kernels):
    x = np.array(numpy.arange(12, dtype="float32").reshape(3, 4), ctx=GPU)
    y = (x * 2 + 1)[::-1].copy()
    assert (y.asnumpy() == (x.asnumpy() * 2 + 1)[::-1]).all()

    @hybridize.hybridize
    def f(a, b):
        return npx.softmax(a @ b.T).sum(axis=0)

    on_cpu = f(x.as_in_ctx(hybridize.cpu()), y.as_in_ctx(hybridize.cpu()))
    for _ in range(4):  # launches, a graph that is made, and that graph again
        numpy.testing.assert_allclose(f(x, y).asnumpy(), on_cpu.asnumpy(), rtol=1e-6)
    assert kernels.launched > 4


@pytest.mark.long
def test_training_gives_the_losses_of_the_cpu(kernels):
    check("in_turn", 5, learning_rate=0.1, momentum=0.9)
    assert kernels.launched > 50


def test_what_a_failed_gpu_did_last_is_said_by_the_names_of_programs(kernels, standin):
    @hybridize.hybridize
    def doubled(x):
        return x * 2

    x = np.array([1.0, 2, 3], ctx=GPU)
    doubled(x)
    y = doubled(x)  # at the same address as the first result: a graph
    standin.fail("cuEventSynchronize", 700)
    for one in (y, x, y):
        with refusal(
            DeviceError, r"E707: the GPU has failed .*the last programs were .*doubled\.loops0, doubled\nhelp"
        ):
            one.asnumpy()
    with refusal(DeviceError, "E707: the GPU has failed"):
        doubled(x)


def test_the_graph_of_a_turn_has_the_name_of_its_program(kernels, standin):
    @hybridize.hybridize
    def grown(x):
        while x.sum() < 100:
            x = x * 2 + 1
        return x

    x = np.ones(3, ctx=GPU)
    for _ in range(4):
        assert grown(x).sum() >= 100
    assert "grown" in opened(0).starter.recent


@pytest.fixture
def impatient():
    """Threads take turns after few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.long
def test_threads_call_programs_while_another_one_asks_for_memory(kernels, standin, impatient):
    standin.set("total", 256 << 20)
    device, done = opened(0), threading.Event()

    @hybridize.hybridize
    def two(x, y):
        return x + y, (x * y).sum(axis=0)

    @hybridize.hybridize
    def grown(x):
        while x.sum() < 100:
            x = x * 2
        return x

    def drop():
        while not done.is_set():
            device.empty_cache()
            for one in [*device.when_scarce]:
                one()
            gc.collect()

    def calls(seed):
        rng, results = numpy.random.default_rng(seed), []
        for number in range(12):
            a, b = rng.random((2, 4, 8)).astype("float32")
            x, y = np.array(a, ctx=GPU), np.array(b, ctx=GPU)
            total, products = two(x, y)
            results = [*results[-3:], (total, a + b)]  # some addresses come again, others are in use
            numpy.testing.assert_allclose(products.asnumpy(), (a * b).sum(0), rtol=1e-5)
            assert all((one.asnumpy() == expected).all() for one, expected in results)
            assert ((x * 2 + y).asnumpy() == a * 2 + b).all()
            if number % 4 == 0:
                while a.sum() < 100:
                    a = a * 2
                assert (grown(x).asnumpy() == a).all()

    dropping = threading.Thread(target=drop)
    dropping.start()
    try:
        with ThreadPoolExecutor(4) as threads:
            assert [*threads.map(calls, range(4))] == [None] * 4
    finally:
        done.set()
        dropping.join()
