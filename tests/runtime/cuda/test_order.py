"""The order of work: of threads, of two GPUs, and of others who work in the same context."""

from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.errors import DeviceMemoryError, InternalError
from hybridize.runtime.cuda import staging
from hybridize.runtime.devices import opened
from tests.refusals import refusal
from tests.runtime.cuda.test_gpu import CODE, on, read

VALUES = numpy.arange(16, dtype="float32")


def filled(device, value, nbytes=64):
    at = device.alloc(nbytes)
    device.launch(device.load(CODE)["fill"], (1, 1, 1), 1, 0, [at, value, nbytes])
    return at


def work(device, at):
    """Ask for everything that does not wait."""
    other = filled(device, 3)
    device.copy(other, at, 64)
    device.event()
    with device.capture() as graph:
        device.copy(other, at, 64)
    graph.launch()
    return other


# ------------------------------------------------------------------------------------------------------ threads


@pytest.mark.parametrize("wait", [lambda device, at: device.wait(), lambda device, at: read(device, at, VALUES)])
def test_others_ask_for_work_while_one_waits(standin, wait):
    device = opened(0)
    at = on(device, VALUES)
    standin.set("slow", 1)
    standin.calls()
    with ThreadPoolExecutor(2) as threads:
        try:
            waiting = threads.submit(wait, device, at)
            while "cuEventSynchronize" not in standin.calls():
                assert not waiting.done()
            other = threads.submit(work, device, at).result(timeout=10)
            assert not waiting.done()
        finally:
            standin.set("slow", 0)
    assert (read(device, other, VALUES) == VALUES).all()


def test_threads_copy_at_once_and_use_places_again(standin):
    device = opened(0)
    sources = [numpy.full(2 * staging.PLACE + 9, number, "uint8") for number in range(4)]

    def there_and_back(values):
        at = on(device, values)
        same = (read(device, at, values) == values).all()
        device.free(at)
        return same

    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert all(threads.map(there_and_back, sources))
    standin.calls()
    assert there_and_back(sources[0]) and "cuMemHostAlloc" not in standin.calls()


# -------------------------------------------------------------------------------------------------- several GPUs


def test_a_copy_from_another_gpu_comes_after_its_work_and_before_what_it_does_next(standin):
    one, other = opened(0), opened(1)
    source = filled(one, 5)
    to = other.alloc(64)
    other.copy_from(one, to, source, 64)
    one.launch(one.load(CODE)["fill"], (1, 1, 1), 1, 0, [source, 9, 64])
    one.wait()  # the copy has come before
    assert (read(other, to, numpy.zeros(64, "uint8")) == 5).all()
    assert (read(one, source, numpy.zeros(64, "uint8")) == 9).all()
    names = standin.calls()
    assert names.count("cuMemcpyPeerAsync") == 1 and names.count("cuMemcpyDtoHAsync_v2") == 2


@pytest.mark.parametrize("result", [0, 217, 704, 711])
def test_a_gpu_is_asked_once_for_a_way_to_another(standin, result):
    one, other = opened(0), opened(1)
    if result == 704:  # PyTorch has asked
        standin.set("peers", 1)
    elif result:
        standin.fail("cuCtxEnablePeerAccess", result)
    source = filled(one, 5)
    to = other.alloc(64)
    for _ in range(2):
        other.copy_from(one, to, source, 64)
    assert standin.calls().count("cuCtxEnablePeerAccess") == 1
    standin.fail("cuCtxEnablePeerAccess", 1)
    with refusal(InternalError, "E908: .*cuCtxEnablePeerAccess"):
        one.copy_from(other, source, to, 64)


def test_an_event_that_is_waited_for_is_nobody_elses_before(standin, monkeypatch):
    one, other = opened(0), opened(1)
    source, to = filled(one, 5), other.alloc(64)
    one.event(), other.event()  # there are some that nobody has
    for device in (one, other):

        def watched(name, *args, call=device.call):
            if name == "cuStreamWaitEvent":
                spare = [*one.events, *other.events]
                assert args[1].value not in [event.value for event in spare]
            call(name, *args)

        monkeypatch.setattr(device, "call", watched)
    other.copy_from(one, to, source, 64)
    assert (read(other, to, numpy.zeros(64, "uint8")) == 5).all()


def test_arrays_go_from_one_gpu_to_another_without_the_host(standin):
    x = np.array(VALUES, ctx=hybridize.gpu(0))
    standin.calls()
    y = x.as_in_ctx(hybridize.gpu(1))
    assert not [name for name in standin.calls() if "HtoD" in name or "DtoH" in name]
    assert y.device == hybridize.gpu(1) and (y.asnumpy() == VALUES).all()


# ------------------------------------------------------------------------------------------- large arrays that come

LARGE = numpy.arange(1 << 16, dtype="float32")


def test_a_large_array_comes_beside_the_work_and_is_waited_for(standin):
    device = opened(0)
    x = np.array(LARGE, ctx=hybridize.gpu(0))
    standin.calls()
    source = LARGE.copy()
    y = np.array(source, ctx=hybridize.gpu(0))
    source[...] = 0  # it may be written at once
    names = standin.calls()
    assert names.count("cuStreamWaitEvent") == 1 and "cuEventSynchronize" not in names
    to = device.alloc(LARGE.nbytes)
    device.copy(to, y._memory.address, LARGE.nbytes)
    assert (read(device, to, LARGE) == LARGE).all() and (x.asnumpy() == LARGE).all()


def test_memory_that_is_still_read_is_not_overwritten_by_an_array_that_comes(standin):
    device = opened(0)
    x = np.array(LARGE, ctx=hybridize.gpu(0))
    to, address = device.alloc(LARGE.nbytes), x._memory.address
    device.copy(to, address, LARGE.nbytes)  # not done yet
    del x
    y = np.array(LARGE + 1, ctx=hybridize.gpu(0))
    assert y._memory.address == address
    standin.finish(device, device.arriving)
    assert (read(device, to, LARGE) == LARGE).all() and (y.asnumpy() == LARGE + 1).all()


def test_an_array_that_comes_does_not_wait_for_work_after_the_end_of_the_last_one(standin):
    device = opened(0)
    x = np.array(LARGE, ctx=hybridize.gpu(0))
    address = x._memory.address
    del x
    with device.capture() as graph:
        pass
    device.event()  # whoever asks next takes note
    late = filled(device, 3)  # work that does not concern it
    graph.launch()
    y = np.array(LARGE, ctx=hybridize.gpu(0))
    assert y._memory.address == address
    standin.finish(device, device.arriving)
    assert standin.pending(device.stream_number) > 0  # the other work was not waited for
    assert (read(device, late, numpy.zeros(64, "uint8")) == 3).all()


@pytest.mark.parametrize("name", ["cuMemHostAlloc", "cuMemcpyHtoDAsync_v2", "cuEventRecord"])
def test_memory_of_an_array_that_does_not_come_is_free(standin, name):
    device = opened(0)
    for _ in range(2):
        standin.fail(name, 2)
        with refusal(DeviceMemoryError, f"E706: {name}"):
            np.array(LARGE, ctx=hybridize.gpu(0))
        device.empty_cache()
        assert standin.get("used") == 0
    assert (np.array(LARGE, ctx=hybridize.gpu(0)).asnumpy() == LARGE).all()


def test_memory_of_arrays_that_came_goes_back_to_the_driver(standin):
    device = opened(0)
    x = np.array(LARGE, ctx=hybridize.gpu(0))
    before = device.memory()
    del x
    device.empty_cache()
    assert standin.get("used") == 0 and device.memory()[0] > before[0]
