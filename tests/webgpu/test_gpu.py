"""A device of WebGPU by the face of devices: memory, copies, lists of launches, and what it cannot do."""

import os

import numpy as np
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize
from hybridize import np as hnp
from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError, DeviceError, DeviceMemoryError, HybridizeError
from hybridize.context import gpu_memory_info, num_gpus
from hybridize.gluon import nn
from hybridize.runtime import webgpu
from hybridize.runtime.device_buffers import sent
from hybridize.runtime.webgpu.kernels import COPIES, WgslArray, WgslKernel, read, written
from tests.refusals import refusal
from tests.webgpu.running import gpu as opened

RNG = np.random.default_rng(0)


def put(array):
    return sent(array, opened(), 0)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 64, 1001])
@pytest.mark.parametrize("first", [0, 1, 2, 3, 4])
def test_bytes_go_there_and_back_wherever_they_begin(count, first):
    whole = RNG.integers(0, 255, 1100).astype(np.uint8)
    buffer = put(whole)
    part = RNG.integers(0, 255, count).astype(np.uint8)
    opened().copy_in(buffer.address + first, part)
    whole[first : first + count] = part
    assert np.array_equal(buffer.to_host(), whole)
    back = np.empty(count, np.uint8)
    opened().copy_out(buffer.address + first, back)
    assert np.array_equal(back, part)


@pytest.mark.parametrize(
    ("to", "source", "nbytes"), [(0, 0, 64), (4, 8, 12), (1, 0, 10), (0, 3, 8), (3, 3, 1), (0, 0, 7), (2, 5, 1000)]
)
@pytest.mark.parametrize("same", [False, True])
def test_copies_on_the_device(to, source, nbytes, same):
    x, y = (RNG.integers(0, 255, 4000).astype(np.uint8) for _ in range(2))
    there, other = put(x), put(y)
    place = 2000 if same else 0
    opened().copy((there if same else other).address + place + to, there.address + source, nbytes)
    expected = x.copy() if same else y
    expected[place + to : place + to + nbytes] = x[source : source + nbytes]
    assert np.array_equal((there if same else other).to_host(), expected)


def test_no_buffer_is_larger_than_kernels_count(monkeypatch):
    """Offsets in it are numbers of 32 bits with a sign."""
    for name in ("max-storage-buffer-binding-size", "max-buffer-size"):
        monkeypatch.setitem(opened()._limits, name, 1 << 40)
    with refusal(DeviceMemoryError, rf"E706: .*has no buffers of {1 << 31} bytes, only of {(1 << 31) - 4}"):
        opened().alloc(1 << 31)


def test_memory_that_was_freed_is_used_again():
    address = opened().alloc(100_000)
    opened().free(address)
    assert opened().alloc(100_000) == address
    opened().free(address)
    opened().empty_cache()
    assert opened().alloc(100_000) != address


def test_work_that_was_recorded_is_done_again():
    x, y = put(np.arange(64, dtype=np.uint8)), put(np.zeros(64, np.uint8))
    with opened().capture() as graph:
        opened().copy(y.address + 1, x.address, 63)
    assert not y.to_host().any()
    graph.launch()
    assert np.array_equal(y.to_host()[1:], np.arange(63))
    opened().copy_in(x.address, np.full(64, 9, np.uint8))
    graph.launch()
    assert np.array_equal(y.to_host()[1:], np.full(63, 9))


def test_a_thousand_launches_are_several_lists():
    x = put(np.zeros(2000, np.uint8))
    opened().copy_in(x.address, np.array([7], np.uint8))
    for place in range(1000):
        opened().copy(x.address + place + 1, x.address + place, 1)
    assert x.to_host()[:1001].tolist() == [7] * 1001


def test_kernels_as_text():
    assert read(written(COPIES)) == COPIES


# What it cannot do


def test_a_buffer_beyond_the_limit_is_refused_before_anything_is_asked_for():
    with refusal(DeviceMemoryError, r"E706: .*has no buffers of \d+ bytes, only of \d+\nhelp: use smaller batches"):
        opened().alloc(1 << 40)


@pytest.mark.parametrize(("change", "words"), [
    ({"threads": 1 << 20}, "threads in a block"), ({"words": 1 << 24}, "bytes of shared memory"), ({"params": 200}, "buffers"),
])  # fmt: skip
def test_a_kernel_beyond_the_limits_is_refused(change, words):
    count = change.get("params", 1)
    names = tuple(f"b{k}" for k in range(count))
    arrays = {name: WgslArray(0, True, False, "") for name in names} | {
        "s": WgslArray(change.get("words", 4), True, False, "")
    }
    body = "\n".join(f"  {name}_put(0, s_at(0));" for name in names)
    kernel = WgslKernel("k", "", body, change.get("threads", 64), names, arrays, count)
    code = opened().load(written({"k": kernel}))
    buffers = [put(np.zeros(4, np.uint8)) for _ in names]
    with refusal(DeviceError, rf"E705: k needs \d+ {words}, and .* has \d+\nhelp: x.as_in_ctx\(cpu\(\)\) gives a copy"):
        opened().launch(code["k"], (1, 1, 1), 64, 0, [one.address for one in buffers])


def test_a_text_that_is_no_kernel_is_refused_with_what_the_driver_says():
    kernel = WgslKernel("k", "", "  nonsense(;", 64, (), {}, 0)
    with refusal(CodegenError, "E907: .* does not take k: "):
        opened().launch(opened().load(written({"k": kernel}))["k"], (1, 1, 1), 64, 0, [])


def test_without_the_package_it_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "wgpu", None)
    with refusal(
        DeviceError, r"E709: HYBRIDIZE_DEVICE=webgpu needs the package wgpu\nhelp: pip install 'hybridize\[webgpu\]'"
    ):
        webgpu.count()


# The user's arrays


@pytest.fixture
def chosen(monkeypatch):
    """`gpu(0)` is the device."""
    monkeypatch.setattr(CONFIG, "device", "webgpu")


@pytest.mark.usefixtures("chosen")
def test_a_net_learns_as_on_the_cpu():
    assert num_gpus() >= 1
    free, total = gpu_memory_info(0)
    assert 0 < free <= total
    losses = []
    for device in (None, gpu(0)):
        hnp.random.seed(0)
        net = nn.HybridSequential()
        net.add(nn.Dense(16, activation="relu", in_units=20), nn.Dense(10, in_units=16))
        net.initialize()
        x, y = hnp.random.normal(size=(8, 20)), hnp.array([1, 2, 3, 4, 5, 6, 7, 0])
        if device is not None:
            net.reset_ctx(device)
            x, y = x.as_in_ctx(device), y.as_in_ctx(device)
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-2})
        loss_of, own = gluon.loss.SoftmaxCrossEntropyLoss(), []
        for _ in range(3):
            with autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(8)
            own.append(float(loss.mean()))
        losses.append(own)
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


@pytest.mark.usefixtures("chosen")
def test_operations_one_by_one():
    x = hnp.arange(24).reshape(4, 6).as_in_ctx(gpu(0))
    same = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert np.array_equal((x * 2 + 1).asnumpy(), same * 2 + 1)
    assert np.array_equal((x > 7).asnumpy(), same > 7)
    assert np.array_equal(x[1:3, ::2].asnumpy(), same[1:3, ::2])
    assert np.array_equal(x.T.reshape(-1)[3:9].asnumpy(), same.T.reshape(-1)[3:9])
    assert int(x.argmax()) == 23
    assert np.array_equal(x.astype("int64").sum(axis=0).asnumpy(), same.astype(np.int64).sum(axis=0))


@pytest.mark.usefixtures("chosen")
def test_random_numbers_are_those_of_the_cpu():
    drawn = []
    for device in (None, gpu(0)):
        hnp.random.seed(3)
        draw = hybridize(lambda device: hnp.random.uniform(size=(1000,), ctx=device))
        drawn.append(draw(device or cpu()).asnumpy())
    assert np.array_equal(*drawn)


@pytest.mark.usefixtures("chosen")
def test_float64_is_refused():
    x = hnp.ones((3,), dtype="float64", ctx=gpu(0))
    with refusal(DeviceError, "E705: add reads f64"):
        x + 1
    with refusal(DeviceError, "E705: add of float64 .*has no code for webgpu yet(.|\n)*help: use float32"):
        hybridize(lambda x: x + 1)(x)


@pytest.mark.usefixtures("chosen")
def test_a_capsule_of_our_own_is_the_same_memory():
    x = hnp.arange(6).reshape(2, 3).as_in_ctx(gpu(0))
    y = hnp.from_dlpack(x)
    x[0, 1] = 9
    assert y.ctx == gpu(0)
    assert y.asnumpy().tolist() == [[0, 9, 2], [3, 4, 5]]
    del x
    hnp.ones((6,), ctx=gpu(0))  # would take the memory, were it free
    assert y.asnumpy().tolist() == [[0, 9, 2], [3, 4, 5]]
    with pytest.raises((BufferError, RuntimeError, TypeError)):
        np.from_dlpack(y)


@pytest.mark.usefixtures("chosen")
def test_bytes_of_another_device_come_by_way_of_the_host():
    other = webgpu.opened(0)
    x = sent(np.arange(7, dtype=np.uint8), other, 1)
    y = put(np.zeros(9, np.uint8))
    opened().copy_from(other, y.address + 1, x.address, 7)
    assert y.to_host().tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 0]


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "float16", "int64", "bool"])
def test_views_are_copied_and_written(dtype):
    same = RNG.integers(0, 2, (4, 5, 3)).astype(dtype)
    x = hnp.array(same, dtype=dtype).as_in_ctx(gpu(0))
    assert np.array_equal(x.transpose(2, 0, 1).copy().asnumpy(), same.transpose(2, 0, 1))
    assert np.array_equal(x[::-1, 1:4:2].copy().asnumpy(), same[::-1, 1:4:2])
    x[1:3, ::2] = x[0:2, 1:4].copy()[:, :1]
    same[1:3, ::2] = same[0:2, 1:4].copy()[:, :1]
    assert np.array_equal(x.asnumpy(), same)


@pytest.mark.usefixtures("chosen")
def test_a_step_of_training_as_one_program():
    losses = []
    for device in (cpu(), gpu(0)):
        hnp.random.seed(0)
        net = nn.HybridSequential()
        net.add(nn.Dense(16, activation="relu", in_units=20), nn.Dropout(0.5), nn.Dense(10, in_units=16))
        net.initialize(ctx=device)
        x, y = (hnp.array(one, ctx=device) for one in (np.linspace(-1, 1, 160).reshape(8, 20), np.arange(8)))
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

        @hybridize
        def step(x, y, net=net, trainer=trainer, loss_of=loss_of):
            with autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(len(x))
            return loss.mean()

        losses.append([float(step(x, y)) for _ in range(4)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)


@pytest.mark.usefixtures("chosen")
def test_float64_in_a_routine_is_refused_at_the_users_line():
    x = hnp.ones((3, 3), dtype="float64", ctx=gpu(0))
    with refusal(
        DeviceError, r"E705: cholesky of float64 .*test_gpu.py:\d+.*has no code for webgpu(.|\n)*help: use float32"
    ):
        hybridize(lambda x: hnp.linalg.cholesky(x))(x)


@pytest.mark.usefixtures("chosen")
def test_an_index_out_of_bounds_is_the_error_of_the_cpu():
    table, rows = hnp.arange(12).reshape(4, 3), hnp.array([0, 3, 4], dtype="int64")
    look = hybridize(lambda table, rows: hnp.take(table, rows, axis=0, mode="raise"))
    texts = []
    for device in (cpu(), gpu(0)):
        with pytest.raises(HybridizeError) as error:
            look(table.as_in_ctx(device), rows.as_in_ctx(device))
        texts.append((error.value.code, error.value.what))
    assert texts[0] == texts[1]
    good = hnp.array([0, 3, 1], dtype="int64").as_in_ctx(gpu(0))
    assert look(table.as_in_ctx(gpu(0)), good).asnumpy()[:, 0].tolist() == [0, 9, 3]


@pytest.mark.usefixtures("chosen")
def test_a_kernel_of_more_arrays_than_the_device_binds_is_refused_and_nothing_is_changed(monkeypatch):
    monkeypatch.setitem(opened_as_zero()._limits, "max-storage-buffers-per-shader-stage", 8)
    xs = [hnp.full((40,), float(k), ctx=gpu(0)) for k in range(10)]
    total = hnp.zeros((40,), ctx=gpu(0))

    @hybridize
    def add_up(*xs):
        total[:] = total + sum(xs)

    with refusal(DeviceError, r"E705: .* needs 1\d buffers, and .* has 8\nhelp: x.as_in_ctx\(cpu\(\)\) gives a copy"):
        add_up(*xs)
    assert not total.asnumpy().any()


def opened_as_zero():
    """The device of `gpu(0)`."""
    return hnp.ones((1,), ctx=gpu(0))._memory.accelerator


def test_adapters_have_an_order():
    assert os.environ.get("VK_DRIVER_FILES") is None or webgpu.count() >= 1
