"""Modules and names that programs import from MXNet: there, of one meaning, imported when they are asked for."""

import importlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

import hybridize
from hybridize import Context, Device, context, cpu, device, engine, gpu, np, npx, util
from hybridize.base import MXNetError, data_dir, integer_types, numeric_types, py_str, string_types
from hybridize.errors import ArgumentError, DeviceError, DTypeError, HybridizeError
from tests.refusals import refusal


def test_names_of_one_thing():
    import hybridize.initializer
    import hybridize.numpy
    import hybridize.numpy.linalg
    import hybridize.numpy.random
    import hybridize.numpy_extension as extension
    from hybridize.numpy import ones

    import hybridize.random

    assert hybridize.numpy is hybridize.np is np
    assert hybridize.numpy.random is np.random
    assert hybridize.random is hybridize.rnd
    assert hybridize.random.seed is np.random.seed
    assert hybridize.numpy.linalg is np.linalg
    assert (extension, ones) == (npx, np.ones)
    assert hybridize.initializer is hybridize.init
    assert hybridize.MXNetError is MXNetError is HybridizeError
    assert context.Context is Device is Context is device.Device
    assert hybridize.kv is hybridize.kvstore
    assert hybridize.img is hybridize.image
    assert hybridize.waitall is npx.waitall


@pytest.mark.parametrize("name", sorted(hybridize.PLACES))
def test_each_name_is_there_and_listed(name):
    assert getattr(hybridize, name) is not None
    assert name in dir(hybridize)


def test_modules_import_by_their_names_in_a_fresh_process():
    names = [
        "base", "context", "device", "engine", "image", "initializer", "io", "kvstore", "numpy", "numpy_extension",
        "random", "recordio", "util", "d2l",
    ]  # fmt: skip
    code = "import sys\n" + "".join(f"import hybridize.{name}\nfrom hybridize import {name}\n" for name in names)
    code += "import hybridize as mx\nassert mx.numpy is mx.np and mx.numpy.__name__ == 'hybridize.array.np'"
    subprocess.run([sys.executable, "-c", code], check=True)


# ------------------------------------------------------------------------------------------------------------ devices


def test_devices_are_values():
    assert cpu(1) == cpu(1) != cpu(0)
    assert len({cpu(0), cpu(1), cpu(1), gpu(1), Device("cpu", 1), Device(gpu(1))}) == 3
    assert [str(one) for one in (cpu(), gpu(2), hybridize.cpu_pinned(1))] == ["cpu(0)", "gpu(2)", "cpu_pinned(1)"]
    one = Device("gpu", 3)
    assert (one.device_type, one.device_id, one.device_typeid) == ("gpu", 3, 2)
    assert Context.devtype2str[1] == "cpu"
    assert pickle.loads(pickle.dumps(one)) == one
    with refusal(ArgumentError, "cpu_pinned, cpu_shared, got 'tpu'"):
        Device("tpu")


def test_the_present_device():
    assert context.current_context() == device.current_device() == npx.current_device() == cpu(0)
    with cpu(1) as entered:
        assert entered == device.current_device() == cpu(1)
        with cpu(1), cpu(2):
            assert device.current_device() == cpu(2)
            with ThreadPoolExecutor(1) as other:
                assert other.submit(device.current_device).result() == cpu(0)
        assert device.current_device() == cpu(1)
        with pytest.raises(ZeroDivisionError), cpu(3):
            raise ZeroDivisionError
        assert device.current_device() == cpu(1)
    assert device.current_device() == cpu(0)


def test_gpus_are_names_until_they_are_used():
    assert device.num_gpus() == 0
    tried = gpu(0) if device.num_gpus() else cpu()
    assert tried == cpu()
    for use in (
        lambda: np.zeros(2, ctx=gpu(0)),
        lambda: np.zeros(2, device=gpu(1)),
        lambda: np.ones(2).as_in_ctx(gpu(0)),
        lambda: np.ones(2).copyto(gpu(0)),
        lambda: gpu(0).__enter__(),
        lambda: context.gpu_memory_info(),
        lambda: hybridize.gluon.nn.Dense(2).initialize(ctx=gpu(0)),
        lambda: hybridize.gluon.nn.Dense(2).initialize(ctx=[cpu(0), gpu(0)]),
    ):
        with refusal(DeviceError, r"E701.*no gpu\([01]\)"):
            use()
    assert device.current_device() == cpu(0)


# --------------------------------------------------------------------------------------------------------- base, util


def test_base():
    with pytest.raises(MXNetError):
        np.ones(2) @ np.ones(3)
    assert isinstance("a", string_types)
    assert isinstance(numpy.int64(1), integer_types)
    assert isinstance(numpy.float32(1), numeric_types)
    assert py_str(b"a") == "a"
    with refusal(AttributeError, "did you mean 'MXNetError'"):
        hybridize.base.MXnetError  # noqa: B018


def test_the_folder_of_files(monkeypatch):
    monkeypatch.setenv("MXNET_HOME", "somewhere")
    assert data_dir() == "somewhere"
    monkeypatch.delenv("MXNET_HOME")
    assert data_dir() == os.path.expanduser("~/.mxnet")


def test_numpy_is_always_on():
    assert util.is_np_array() is util.is_np_shape() is True
    assert util.is_np_default_dtype() is False
    assert util.set_np_shape(True) is True
    with util.np_shape(), util.np_array(True), util.np_default_dtype(False):
        assert np.ones(()).shape == ()

    @util.use_np
    @util.use_np_shape
    @util.np_shape(True)
    def function(x):
        return x + 1

    assert function(np.ones(2)).tolist() == [2, 2]

    @util.use_np
    class Net(hybridize.gluon.nn.HybridBlock):
        def forward(self, x):
            return x * 2

    assert Net()(np.ones(2)).tolist() == [2, 2]
    for off in (lambda: util.set_np_shape(False), lambda: util.np_array(False).__enter__()):
        with refusal(ArgumentError, "only NumPy's"):
            off()
    with refusal(ArgumentError, "float64"):
        util.set_np_default_dtype(True)


def test_small_helpers(monkeypatch):
    util.setenv("HYBRIDIZE_TEST_NAMES", "1")
    assert util.getenv("HYBRIDIZE_TEST_NAMES") == os.environ["HYBRIDIZE_TEST_NAMES"] == "1"
    util.setenv("HYBRIDIZE_TEST_NAMES", None)
    assert util.getenv("HYBRIDIZE_TEST_NAMES") is None
    numbers = (1, 2**63, 1.5, 1e300, numpy.int8(1))
    assert [util.dtype_from_number(one) for one in numbers] == ["int64", "uint64", "float32", "float64", "int8"]
    with pytest.raises(OverflowError):
        util.dtype_from_number(2**64)
    with refusal(DTypeError, "E250"):
        util.dtype_from_number("1")
    assert util.default_array([1, 2]).dtype == numpy.float32
    with util.TemporaryDirectory() as path:
        assert os.path.isdir(path)
    assert not os.path.exists(path)

    @util.set_module("mxnet.mine")
    def function():
        pass

    assert function.__module__ == "mxnet.mine"


def test_bulks():
    before = engine.set_bulk_size(10)
    assert engine.set_bulk_size(before) == 10
    with engine.bulk(20):
        with engine.bulk(30):
            assert engine.set_bulk_size(30) == 30
        x = np.zeros(1)
        for _ in range(100):
            x += 1
        assert engine.set_bulk_size(20) == 20
    assert (x.item(), engine.set_bulk_size(before)) == (100, before)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mod", "gluon.Trainer"), ("module", "gluon.Trainer"), ("kvstor", "did you mean 'kvstore'"),
        ("error", "hybridize.errors"), ("contexts", "did you mean 'context'"), ("rtc", "@hybridize compiles array code"),
    ],
)  # fmt: skip
def test_what_is_not_there_says_what_to_do(name, words):
    with refusal(AttributeError, words):
        getattr(hybridize, name)
    with pytest.raises(ImportError):
        importlib.import_module(f"hybridize.{name}_")
