"""Tensors of PyTorch's on a GPU, which is a stand-in: their memory, and the order of PyTorch's stream and ours.

The memory of the stand-in is the heap's, so tensors at the host pose as tensors on the GPU.
"""

import ctypes

import numpy
import pytest
import torch

import hybridize
from hybridize.errors import CaptureError, DeviceError
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
        return DEVICE.__get__(tensor).type == "cpu" and tensor.untyped_storage().data_ptr() in self.storages

    def asked_write(self, tensor, values):
        """Ask PyTorch's stream to write a tensor, which it does later."""
        self.standin.asked_write(self.device, self.stream, tensor.data_ptr(), values)

    def read(self, tensor):
        """The elements of a tensor, as PyTorch's stream reads them."""
        raw = self.standin.copied_on(self.device, self.stream, tensor.data_ptr(), tensor.numel() * tensor.element_size())
        return raw.view("float32").reshape(tuple(tensor.shape))

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
            numpy.testing.assert_allclose(posing.read(compiled(x)), factor * VALUES.sum(axis=1, keepdims=True), rtol=1e-5)
