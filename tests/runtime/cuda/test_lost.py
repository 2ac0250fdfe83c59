"""A GPU that has failed: each use of an array that lives there says so, and what is known without its elements is told."""

import copy
import pickle
import re

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gluon, gpu, np, npx
from hybridize.errors import DeviceError
from tests.refusals import refusal

WORDS = r"E707: the GPU has failed \(.*700.*the last programs were .*mul.*\nhelp: start the process again"


def written(x):
    x[0] = 1


def added(x):
    x += 1


def backward(x):
    with autograd.record():
        loss = (x * x).sum()
    loss.backward()


USES = {
    "operation": lambda x: x + 1, "of a view": lambda x: x.T[1:] * 2, "function": lambda x: np.exp(x), "product": lambda x: x @ x.T, "element": lambda x: x[0, 0].item(),
    "float": lambda x: float(x[0, 0]), "truth": lambda x: bool((x > 0).all()), "numpy": lambda x: x.asnumpy(), "list": lambda x: x.tolist(), "as numpy": lambda x: numpy.asarray(x),
    "mask": lambda x: x[x > 0], "indices": lambda x: x[np.array([0], dtype="int64", ctx=x.ctx)], "write": written, "in place": added, "gradient": backward, "text": str, "format": lambda x: f"{x[0, 0]:.2f}",
    "copy": lambda x: x.copy(), "to the host": lambda x: x.as_in_ctx(cpu()), "to another": lambda x: x.as_in_ctx(gpu(1)), "deep copy": copy.deepcopy, "pickle": pickle.dumps, "wait": lambda x: x.wait_to_read(),
    "file": lambda x: npx.save("x.npz", x), "dlpack": lambda x: x.__dlpack__(), "compiled": hybridize.hybridize(lambda x: x * 3), "new": lambda x: np.ones(5, ctx=x.ctx), "sent": lambda x: np.array([1, 2], ctx=x.ctx),
    "random": lambda x: np.random.uniform(size=3, ctx=x.ctx), "all": lambda x: npx.waitall(),
}  # fmt: skip


@pytest.fixture
def lost(kernels, standin):
    """An array with a gradient, of a GPU that has failed since."""
    x = np.array([[1.0, 2], [3, 4]], ctx=gpu(0))
    x.attach_grad()
    with autograd.record():
        (x * 2).sum().backward()
    standin.fail("cuEventSynchronize", 700)
    with refusal(DeviceError, WORDS):
        x.asnumpy()
    standin.heal()  # whatever the driver says from now on
    return x


def test_each_use_says_that_the_gpu_has_failed(lost, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    elsewhere = np.ones(3, ctx=gpu(1))
    for use in USES.values():
        with refusal(DeviceError, WORDS):
            use(lost)
    here = np.ones(3)
    assert ((here + 1).asnumpy() == 2).all() and ((elsewhere + 1).asnumpy() == 2).all()
    with refusal(DeviceError, WORDS):
        here[:] = lost[0, :1]
    assert (here.asnumpy() == 1).all()
    with refusal(DeviceError, WORDS):
        lost.as_in_ctx(cpu())


def test_what_is_known_without_elements_is_told(lost):
    assert (lost.shape, lost.dtype, lost.ndim, len(lost), lost.ctx) == ((2, 2), numpy.float32, 2, 2, gpu(0))
    assert lost.T[1:].shape == (1, 2) and lost.reshape(4).strides == (4,) and lost.grad.size == 4
    assert lost in [lost] and lost.flags.c_contiguous
    words = r"array\(<E707: the GPU has failed \(.*\), and with it all arrays on it; the last programs were .*>, "
    assert re.fullmatch(words + r"shape=\(2, 2\), dtype=float32, ctx=gpu\(0\)\)", repr(lost))


def test_a_net_of_a_gpu_that_has_failed_is_made_anew_from_its_file(kernels, standin, tmp_path):
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize(ctx=gpu(0))
    net.save_parameters(str(tmp_path / "net"))
    before = net.weight.data().asnumpy()
    standin.fail("cuEventSynchronize", 700)
    with refusal(DeviceError, "E707: the GPU has failed"):
        net(np.ones((1, 3), ctx=gpu(0))).asnumpy()
    standin.heal()
    with refusal(DeviceError, "E707: the GPU has failed"):
        net.save_parameters(str(tmp_path / "later"))
    assert repr(net) == "Dense(3 -> 2, linear)" and net.weight.shape == (2, 3)
    again = gluon.nn.Dense(2, in_units=3)
    again.load_parameters(str(tmp_path / "net"), ctx=cpu())
    assert (again.weight.data().asnumpy() == before).all()
