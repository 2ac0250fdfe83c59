"""Arrays in the memory of a device: they are made there by copies, read by copies, and nothing computes with them."""

import contextlib
import copy
import gc
import pickle
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, context, cpu, engine, gluon, gpu, nd, np, npx
from hybridize.array import device as places
from hybridize.array.buffer import (
    ArrayBuffer,
    address_of,
    buffer_of,
    host_view,
    is_row_major,
    memory_key,
    overwrite,
    owner_of,
    share_elements,
)  # fmt: skip
from hybridize.array.ndarray import ndarray
from hybridize.base.config import CONFIG, _device
from hybridize.errors import ArgumentError, DeviceError, KeyTypeError, OutOfBoundsError, ShapeError
from hybridize.runtime import devices
from tests.refusals import refusal

DATA = numpy.arange(24, dtype="float32").reshape(4, 6) - 7


pytestmark = pytest.mark.usefixtures("two_gpus")


def there(values=DATA, number=0):
    return np.array(values, ctx=gpu(number))


# --------------------------------------------------------------------------------------------------- there and back


def test_without_a_device_there_is_none(monkeypatch):
    assert hybridize.num_gpus() == 2 and hybridize.util.get_gpu_count() == 2
    with refusal(DeviceError, r"E701: there is no gpu\(2\): HYBRIDIZE_DEVICE=emulated shows 2 GPUs\nhelp: .*num_gpus"):
        np.zeros(2, ctx=gpu(2))
    monkeypatch.setattr(CONFIG, "device", "")
    assert hybridize.num_gpus() == 0
    for use in (
        lambda: np.ones(2).as_in_ctx(gpu(0)),
        lambda: context.gpu_memory_info(0),
        gpu(0).empty_cache,
        gpu(0).__enter__,
    ):
        with refusal(
            DeviceError, r"E701: there is no gpu\(0\): HYBRIDIZE_DEVICE is not set.*\nhelp: .*to cuda or webgpu"
        ):
            use()


def test_a_device_that_has_another_name_or_number(monkeypatch):
    with refusal(DeviceError, r"E701: there is no gpu\(-1\): HYBRIDIZE_DEVICE=emulated shows 2 GPUs\nhelp: .*num_gpus"):
        np.zeros(2, ctx=gpu(-1))
    with refusal(DeviceError, r"E701: there is no cuda:0: a device is cpu\(0\), gpu\(0\).*\nhelp: use gpu\(0\)"):
        np.zeros(2, device="cuda:0")
    monkeypatch.setattr(devices, "count", lambda: 0)
    with refusal(DeviceError, r"E701: there is no gpu\(0\): HYBRIDIZE_DEVICE=emulated shows no GPU\nhelp: .* doctor"):
        np.zeros(2, ctx=gpu(0))


@pytest.mark.parametrize("name", ["gpu", "CUDA", "cuda:1"])
def test_a_kind_of_device_that_does_not_exist(name, monkeypatch):
    monkeypatch.setenv("HYBRIDIZE_DEVICE", name)
    with refusal(ArgumentError, rf"E348: HYBRIDIZE_DEVICE takes cuda or webgpu, got '{name}'\nhelp: leave it out"):
        _device()


WAYS = {
    "as_in_ctx": lambda x: x.as_in_ctx(gpu(0)), "as_in_context": lambda x: x.as_in_context(gpu(0)),
    "to_device": lambda x: x.to_device("gpu:0"), "copyto": lambda x: x.copyto(gpu(0)), "array": lambda x: np.array(x, ctx=gpu(0)),
    "asarray": lambda x: np.asarray(x, device=gpu(0)), "to": lambda x: x.to(gpu(0)), "array of NumPy's": lambda x: np.array(x.asnumpy(), device="gpu"),
}  # fmt: skip


DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64"]


@pytest.mark.parametrize(("way", "dtype"), [*((way, "float32") for way in WAYS), *(("to", dtype) for dtype in DTYPES)])
def test_elements_come_back_as_they_were(way, dtype):
    for values in (DATA, DATA[0], DATA[:0], DATA[1, 2]):
        x = np.array(values).astype(dtype)
        y = WAYS[way](x)
        assert (y.ctx, y.shape, y.size, y.ndim) == (gpu(0), x.shape, x.size, x.ndim)
        assert y.dtype == x.dtype or way == "array of NumPy's"
        back = y.as_in_ctx(cpu())
        assert back.ctx == cpu() and type(buffer_of(back)) is numpy.ndarray
        assert (back.asnumpy() == x.asnumpy()).all() and (y.asnumpy() == x.asnumpy()).all()
        assert (y.strides == back.strides or not y.size) and y.nbytes == back.nbytes
        assert y.as_in_ctx(gpu(0)) is y and y.to(gpu(0)) is y


def test_copies_are_copies():
    x = np.array(DATA)
    y = x.as_in_ctx(gpu(0))
    x[...] = 0
    z = y.copyto(gpu(1))
    same = y.copy(), copy.copy(y), copy.deepcopy(y), np.array(y), y.copyto(gpu(0)), np.copy(y), nd.array(y, ctx=gpu(0))
    y[...] = 5
    assert (y.asnumpy() == 5).all() and (z.asnumpy() == DATA).all() and z.ctx == gpu(1)
    for one in same:
        assert one.ctx == gpu(0) and (one.asnumpy() == DATA).all()
        assert owner_of(buffer_of(one)) is not owner_of(buffer_of(y))


def test_a_view_of_the_host_is_left_where_it_is():
    x = np.array(DATA)
    part = np.asarray(x[1:3, ::2], device=gpu(0))
    part[...] = 0
    assert part.ctx == gpu(0) and (x.asnumpy() == DATA).all() and x.ctx == cpu()


def test_new_arrays_are_made_where_the_block_says():
    with gpu(1):
        made = [
            np.ones((2, 3)),
            np.zeros(3),
            np.full(2, 7),
            np.arange(3),
            np.array([1, 2]),
            nd.zeros((2,)),
            np.random.normal(size=3),
        ]
        assert hybridize.current_device() == gpu(1)
        inner = np.ones(2, ctx=cpu())
    assert [one.ctx for one in made] == [gpu(1)] * len(made) and inner.ctx == cpu()
    assert made[0].tolist() == [[1, 1, 1]] * 2 and made[3].tolist() == [0, 1, 2]
    assert type(made[5]).__name__ == "NDArray" and "gpu(1)" in repr(made[5])
    assert np.zeros(2, ctx=gpu(0)).ctx == nd.ones((2,), ctx=gpu(0)).ctx == gpu(0)
    np.random.seed(3)
    here = np.random.normal(size=5)
    np.random.seed(3)
    assert (np.random.normal(size=5, ctx=gpu(0)).asnumpy() == here.asnumpy()).all()


# ----------------------------------------------------------------------------------------------------------- reading


def test_reading_is_a_copy():
    x, one = there(), there(3.5)
    x.asnumpy()[...] = 0
    numpy.asarray(x)[...] = 0
    assert x.tolist() == DATA.tolist() and x.tobytes() == DATA.tobytes()
    assert (x.item(3), x[1, 2].item(), float(one), int(one), bool(one)) == (-4, 1, 3.5, 3, True)
    assert list(range(4))[np.array(2, dtype="int64", ctx=gpu(0))] == 2
    assert len(x) == 4 and [row.asnumpy().tolist() for row in x] == DATA.tolist()
    assert numpy.asarray(x, "int64").dtype == numpy.int64
    with refusal(ArgumentError, r"E305: f32\[4,6\] on gpu\(0\) cannot be viewed at the host\nhelp: .*asnumpy"):
        numpy.asarray(x, copy=False)
    with refusal(ValueError, "E302|E344|one element"):
        x.item()


def test_printing():
    x, y = np.array(DATA), there()
    assert (repr(y), str(y), f"{y[0, 0]:.2f}", y._repr_html_()) == (repr(x), str(x), "-7.00", x._repr_html_())
    assert repr(np.array([1, 2], dtype="int32", ctx=gpu(0))) == "array([1, 2], dtype=int32)"
    assert "1.5" in repr(np.array(1.5).astype("bfloat16").as_in_ctx(gpu(0)))


def test_pickles_and_files(tmp_path):
    x = there(number=1)
    y = pickle.loads(pickle.dumps(x))
    assert y.ctx == gpu(1) and (y.asnumpy() == DATA).all()
    for save, load, name in (
        (np.save, np.load, "a.npy"),
        (npx.save, npx.load, "b.npy"),
        (nd.save, nd.load, "c.params"),
    ):
        save(str(tmp_path / name), x)
        back = load(str(tmp_path / name))
        back = back[0] if isinstance(back, list) else back
        assert back.ctx == cpu() and (back.asnumpy() == DATA).all()
    np.savez(tmp_path / "d.npz", x=x)
    assert (np.load(tmp_path / "d.npz")["x"].asnumpy() == DATA).all()
    x.tofile(str(tmp_path / "e"))
    assert (np.fromfile(str(tmp_path / "e"), dtype="float32").asnumpy() == DATA.ravel()).all()


def test_a_pickle_of_a_device_that_is_not_there(monkeypatch):
    data = pickle.dumps(there(number=1))
    monkeypatch.setattr(CONFIG, "device", "")
    places.forget()
    with refusal(DeviceError, r"E701: there is no gpu\(1\)"):
        pickle.loads(data)


# ------------------------------------------------------------------------------------------------- views and writing

KEYS = [
    0, -1, slice(1, 3), slice(None, None, -1), (slice(None), 2), (Ellipsis, slice(1, None, 2)), (1, 2), (None, 0), Ellipsis,
    (slice(3, 0, -2), slice(None, None, -3)), (slice(2, 2), 0), (),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_basic_keys_give_views(key):
    x, y = there(), DATA.copy()
    part = x[key]
    assert part.ctx == gpu(0) and part.shape == y[key].shape and (part.asnumpy() == y[key]).all()
    assert owner_of(buffer_of(part)) is owner_of(buffer_of(x)) and part.storage is x.storage
    assert is_row_major(part) == y[key].flags.c_contiguous or y[key].ndim == 0
    for value in (9, y[key][..., None][..., 0] * 2, np.array(y[key] + 1)):
        part[...] = value
        y[key] = value.asnumpy() if isinstance(value, ndarray) else value
        assert (x.asnumpy() == y).all()
        x[key] = value
        assert (x.asnumpy() == y).all()
    x[key] = there(number=0)[key]
    x[key] = there(number=1)[key]
    y[key] = DATA[key]
    assert (x.asnumpy() == y).all()


def test_writing_between_memories():
    x, here = there(), np.zeros((4, 6))
    here[...] = x
    here[0] = x[1]
    assert here.ctx == cpu() and (here.asnumpy() == DATA[[1, 1, 2, 3]]).all()
    version = x.storage.version
    assert (here * 2).copyto(x) is x
    assert (x.asnumpy() == 2 * DATA[[1, 1, 2, 3]]).all() and x.storage.version > version
    x[1:] = x[:-1]  # they overlap
    assert (x.asnumpy() == 2 * DATA[[1, 1, 1, 2]]).all()
    x[...] = numpy.float64(1.5)
    x[0] = [1, 2, 3, 4, 5, 6]
    assert x[0].tolist() == [1, 2, 3, 4, 5, 6] and x[1].tolist() == [1.5] * 6
    x.fill(2)
    assert (x.asnumpy() == 2).all()
    overwrite(x, 3)
    assert (x.asnumpy() == 3).all()
    for value in (numpy.ones(5), np.ones((5,)), np.ones((5,), ctx=gpu(0)), numpy.ones((2, 6))):
        texts = []
        for array in (x, here):  # a device says what NumPy says at the host
            with refusal(ShapeError, r"E132: x\[0\] = value: could not broadcast .*; x is f32\[4,6\]") as caught:
                array[0] = value
            texts.append(caught.value.what)
        assert texts[0] == texts[1]
    with refusal(OutOfBoundsError, "E110"):
        x[4]
    with refusal(OutOfBoundsError, "E110"):
        x[0, 9] = 1
    with refusal(KeyTypeError, "E204"):
        x["a"]


def test_what_buffers_say():
    x = there()
    y = x[1:]
    assert isinstance(buffer_of(x), ArrayBuffer) and buffer_of(x).device == "gpu(0)"
    assert address_of(y) == address_of(x) + 24
    assert memory_key(x[1:]) == memory_key(y) != memory_key(x) and memory_key(y) != memory_key(there()[1:])
    assert share_elements(x, y) and not share_elements(x[:1], y) and not share_elements(x, np.array(DATA))
    assert not share_elements(np.array(DATA), x) and not share_elements(x, there())


def test_memory_is_free_when_the_last_view_has_gone():
    there()
    gc.collect()  # what other tests have left
    free, total = context.gpu_memory_info(0)
    x = there()
    part = x[1]
    assert context.gpu_memory_info(0) == (free - DATA.nbytes, total) == hybridize.util.get_gpu_memory(0)
    del x
    assert context.gpu_memory_info(0) == (free - DATA.nbytes, total)
    del part
    gpu(0).empty_cache()
    assert context.gpu_memory_info(0) == (free, total)


def test_waiting_is_for_the_device(monkeypatch):
    x, waits = there(), []
    monkeypatch.setattr(type(devices.opened(0)), "wait", lambda *event: waits.append(event))
    x.wait_to_read()
    assert len(waits) == 1


# ----------------------------------------------------------------------------------------------- what does not go there

REFUSED = {
    "nonzero": np.nonzero, "fft": np.fft.fft, "ctypes": lambda x: x.ctypes, "host view": host_view,
    "byteswap": lambda x: x.byteswap(), "complex": lambda x: x.astype("complex64") * 1j,
    "beside numpy's": lambda x: x + DATA, "beside the host's": lambda x: x + np.array(DATA),
    "foreach": lambda x: npx.foreach(lambda row, s: (row + s, s), x, np.zeros(6)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("taped", [False, True])
def test_operations_are_refused_and_change_nothing(name, taped):
    x = there()
    recording = autograd.record() if taped else contextlib.nullcontext()
    with recording, refusal(DeviceError, r"E70[35]: .*(gpu|cpu)\(0\)(?s:.*)\nhelp: .*(as_in_ctx|ctx=gpu)"):
        REFUSED[name](x)
    assert (x.asnumpy() == DATA).all()


def test_functions_that_are_compiled_already_look_where_arrays_are():
    f = hybridize.hybridize(lambda x: x * 2)
    for _ in range(3):
        f(np.array(DATA))
    y = f(there())
    assert y.ctx == gpu(0) and (y.asnumpy() == DATA * 2).all()
    assert (f(np.array(DATA)).asnumpy() == DATA * 2).all()


def test_a_net_computes_where_it_is():
    net = gluon.nn.Dense(3, in_units=6)
    net.initialize()
    expected = net(np.array(DATA)).asnumpy()
    with refusal(DeviceError, r"E704: .* not initialized on device gpu\(0\).*\nhelp: net.reset_device\(gpu\(0\)\)"):
        net(there())
    net.reset_device(gpu(0))
    with refusal(DeviceError, r"E704: .* not initialized on device cpu\(0\).*\nhelp: pass x.as_in_ctx\(gpu\(0\)\)"):
        net(np.array(DATA))
    assert net.weight.data().ctx == gpu(0) and net.weight.list_device() == [gpu(0)]
    for call in (net, hybridize.hybridize(net)):
        y = call(there())
        assert y.ctx == gpu(0) and numpy.allclose(y.asnumpy(), expected, 1e-6, 1e-6)
    net.reset_device(cpu())
    with refusal(DeviceError, r"E704: .* not initialized on device gpu\(0\)"):
        net(there())
    assert net.weight.data().ctx == cpu() and net(np.array(DATA)).shape == (4, 3)


# ------------------------------------------------------------------------------------------------- beside other things


def test_the_slot_is_bare_until_a_device_is_used():
    slot = vars(ndarray)["_memory"]
    assert vars(ndarray)["_data"] is slot
    np.ones(2, ctx=cpu(1))
    assert vars(ndarray)["_data"] is slot
    x = there()
    assert vars(ndarray)["_data"] is not slot
    del x
    places.forget()
    assert vars(ndarray)["_data"] is slot


def test_asynchronous_calls_are_waited_for_before_a_copy():
    f = hybridize.hybridize(lambda x: (x @ x.T).sum(axis=1))
    x = np.ones((300, 300))
    expected = f(x).asnumpy()
    before = engine.set_asynchronous(True)
    try:
        y = f(x).as_in_ctx(gpu(0))
        assert ((y + 1).asnumpy() == expected + 1).all()
    finally:
        engine.set_asynchronous(before)
    assert ((y + 1).asnumpy() == expected + 1).all()
    assert (y.asnumpy() == expected).all()


def test_threads_make_and_drop_arrays_at_once():
    wrong = []

    def work(number):
        for turn in range(20):
            x = np.full(7, 100 * number + turn, ctx=gpu(number % 2))
            if x.tolist() != [100 * number + turn] * 7:
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_forked_process_drops_what_it_cannot_use(inherited):
    x = there()
    device = devices.opened(0)
    living = len(device.heap.living())
    inherited.append(device)
    for use in (
        x.asnumpy,
        lambda: x.as_in_ctx(cpu()),
        lambda: x.__setitem__(0, 1),
        lambda: repr(x),
        lambda: np.ones(1, ctx=gpu(0)),
    ):
        with refusal(DeviceError, "E708: .*emulated:0"):
            use()
    x = use = None
    gc.collect()
    assert len(device.heap.living()) == living
