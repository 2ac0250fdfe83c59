"""Tensors of PyTorch's on a GPU, which is a stand-in: their memory, and the order of PyTorch's stream and ours.

The memory of the stand-in is the heap's, so tensors at the host pose as tensors on the GPU.
"""

import ctypes

import numpy
import pytest
import torch

import hybridize
from hybridize.errors import CaptureError, DeviceError
from hybridize.runtime import devices
from hybridize.runtime.devices import opened
from hybridize.torch import on_device
from tests.refusals import refusal
from tests.runtime.cuda.conftest import kernels as kernels
from tests.runtime.cuda.conftest import standin as standin
from tests.runtime.cuda.conftest import standin_library as standin_library

CUDA, DEVICE = torch.device("cuda", 0), torch.Tensor.device
NUMPY = torch.Tensor.numpy


class Posing:
    """PyTorch, as it would be with a GPU: tensors that pose as its, and a stream on which it works."""

    def __init__(self, kernels, standin):
        self.kernels, self.standin, self.device = kernels, standin, opened(0)
        self.stream = standin.stream(self.device)
        self.storages = set()

    def there(self, tensor):
        """Let a tensor be on the GPU, and all that share its memory; return it."""
        storage = tensor.untyped_storage()
        self.storages.add(storage.data_ptr())
        self.kernels.others[storage.data_ptr()] = storage.nbytes()
        return tensor

    def is_there(self, tensor):
        return (
            type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.untyped_storage().data_ptr() in self.storages
        )

    def asked_write(self, tensor, values):
        """Ask PyTorch's stream to write a tensor, which it does later."""
        self.standin.asked_write(self.device, self.stream, tensor.data_ptr(), values)

    def read(self, tensor):
        """The elements of a tensor, as PyTorch's stream reads them."""
        raw = self.standin.copied_on(
            self.device, self.stream, tensor.data_ptr(), tensor.numel() * tensor.element_size()
        )
        return raw.view("float32").reshape(tuple(tensor.shape))

    def finish(self):
        """Wait for PyTorch's stream, and thereby for what that waits for."""
        self.standin.finish(self.device, self.stream)

    def from_capsule(self, capsule):
        """What PyTorch makes of a capsule: its tensors are at the host."""
        pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = ctypes.c_int32.from_address(pointer(capsule, b"dltensor_versioned") + 32 + 8)
        assert tensor.value == 2
        tensor.value = 1
        return self.there(torch.utils.dlpack.from_dlpack(capsule))


@pytest.fixture
def posing(kernels, standin, monkeypatch):
    fake = Posing(kernels, standin)

    def numpy_of(tensor, **options):
        if fake.is_there(tensor):
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        return NUMPY(tensor, **options)

    monkeypatch.setattr(torch.Tensor, "numpy", numpy_of)
    monkeypatch.setattr(
        torch.Tensor, "device", property(lambda tensor: CUDA if fake.is_there(tensor) else DEVICE.__get__(tensor))
    )
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(on_device, "stream_of", lambda number: fake.stream)
    monkeypatch.setattr(on_device, "from_capsule", fake.from_capsule)
    from hybridize.torch import exchange

    keys = exchange._plain_keys(torch.device("cpu"))
    monkeypatch.setattr(exchange, "_plain_keys", lambda device: keys)
    return fake


def moved(posing, module):
    for tensor in (*module.parameters(), *module.buffers()):
        posing.there(tensor)
    return module


def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))


VALUES = numpy.random.default_rng(0).normal(size=(4, 6)).astype("float32")


def test_a_module_runs_on_the_gpu_of_its_tensors_and_both_streams_wait(posing):
    expected = net()(torch.tensor(VALUES)).detach().numpy()
    compiled = hybridize.hybridize(moved(posing, net()))
    x = posing.there(torch.zeros(4, 6))
    posing.asked_write(x, VALUES)  # not done yet
    with torch.no_grad():
        for _ in range(3):
            y = compiled(x)
            assert y.device == CUDA
            numpy.testing.assert_allclose(posing.read(y), expected, rtol=1e-5)
    assert posing.kernels.launched


def test_weights_that_pytorch_writes_are_read_after_that(posing):
    module = moved(posing, torch.nn.Linear(6, 1, bias=False))
    compiled = hybridize.hybridize(module)
    x = posing.there(torch.tensor(VALUES))
    with torch.no_grad():
        compiled(x)
        for factor in (1.0, 2.0):
            posing.asked_write(module.weight, numpy.full((1, 6), factor, "float32"))
            numpy.testing.assert_allclose(
                posing.read(compiled(x)), factor * VALUES.sum(axis=1, keepdims=True), rtol=1e-5
            )


def losses(posing):
    """Losses of some steps of SGD; at the host without `posing`."""
    module = net() if posing is None else moved(posing, net())
    there = (lambda x: x) if posing is None else posing.there
    finish = bool if posing is None else posing.finish  # PyTorch's own work is done at once here, and not by its stream
    compiled = hybridize.hybridize(module)
    seen = []
    for _ in range(4):
        x, target = there(torch.tensor(VALUES)), there(torch.ones(4, 3))
        y = compiled(x)
        finish()
        loss = ((y - target) ** 2).mean()
        loss.backward()
        finish()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
        seen.append(loss.item())
    return seen


def test_gradients_are_those_of_the_cpu(posing):
    expected = losses(None)
    assert losses(posing) == pytest.approx(expected, rel=1e-5)


def test_state_that_a_module_writes_is_pytorchs(posing):
    norm, like = torch.nn.BatchNorm1d(6), torch.nn.BatchNorm1d(6)
    like(torch.tensor(VALUES))
    compiled = hybridize.hybridize(moved(posing, norm))
    with torch.no_grad():
        compiled(posing.there(torch.tensor(VALUES)))
    numpy.testing.assert_allclose(posing.read(norm.running_mean), like.running_mean.numpy(), rtol=1e-5)
    numpy.testing.assert_allclose(posing.read(norm.running_var), like.running_var.numpy(), rtol=1e-5)


class Asking(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.place = device

    def forward(self, x):
        ones = torch.ones(6, device=self.place or x.device)
        return x + ones if x.is_cuda and not x.is_cpu and x.get_device() == 0 else x - ones


def test_a_module_is_told_the_device_of_its_tensors(posing):
    x = posing.there(torch.tensor(VALUES))
    with torch.no_grad():
        numpy.testing.assert_array_equal(posing.read(hybridize.hybridize(Asking(None))(x)), VALUES + 1)
        numpy.testing.assert_array_equal(hybridize.hybridize(Asking(None))(torch.tensor(VALUES)).numpy(), VALUES - 1)
        with refusal(CaptureError, 'E422: this program runs on cuda:0, not on cpu\n.*help: device="cuda:0"'):
            hybridize.hybridize(Asking("cpu"))(x)


def test_a_gpu_that_this_process_does_not_use_is_refused(posing, monkeypatch):
    monkeypatch.setattr(hybridize.base.config.CONFIG, "device", "")
    monkeypatch.setattr(devices, "_OPENED", {})
    x = posing.there(torch.tensor(VALUES))
    with torch.no_grad(), refusal(DeviceError, r"E702: .*device 0 of DLPack's kind 2, .*\nhelp: HYBRIDIZE_DEVICE=cuda"):
        hybridize.hybridize(torch.nn.ReLU())(x)


class Table(torch.nn.Module):
    """A module that is called without a tensor on the GPU."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
        self.register_buffer("steps", torch.zeros(3))

    def forward(self, number=3, *, made=True):
        self.steps += 1
        there = self.weight.device
        rows = torch.arange(2, device=there), torch.ones(3, device=there) if made else self.steps * 2
        return self.weight * number, *rows, there, self.weight.is_cuda


@pytest.mark.parametrize("number", [3, torch.tensor(3.0)])
@pytest.mark.parametrize("recording", [False, True])
def test_results_are_where_the_weights_are_also_without_a_tensor_there_among_the_arguments(posing, number, recording):
    compiled = hybridize.hybridize(moved(posing, Table()))
    with torch.set_grad_enabled(recording):
        for _ in range(3):
            product, row, ones, device, is_cuda = compiled(number)
            assert {product.device, row.device, ones.device, device} == {CUDA} and is_cuda
            posing.finish()
            assert posing.read(product).tolist() == [[0, 3, 6], [9, 12, 15]] and row.tolist() == [0, 1]
            assert posing.read(ones).tolist() == [1, 1, 1]
    assert posing.read(compiled(number, made=False)[2]).tolist() == [8, 8, 8]
    at_host = hybridize.hybridize(Table())(3)
    assert {one.device for one in at_host[:4] if isinstance(one, torch.Tensor)} == {torch.device("cpu")}


@pytest.mark.parametrize("recording", [False, True])
def test_a_module_at_the_host_computes_there_whichever_device_is_present(two_gpus, recording):
    module, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
    expected = module(x)
    compiled = hybridize.hybridize(module)
    with hybridize.gpu(0), torch.set_grad_enabled(recording):
        hybridize.np.ones(1)  # a device is in use
        for _ in range(3):
            y = compiled(x)
            assert y.device.type == "cpu" and torch.allclose(y, expected)
        if recording:
            y.sum().backward()
            assert module.weight.grad.tolist() == [[4, 4, 4], [4, 4, 4]]
