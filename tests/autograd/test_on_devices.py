"""Gradients of imperative code on a device: those of the host, in the memory of the array that they are of."""

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gpu, np, npx
from hybridize.errors import DeviceError
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("two_gpus")
DATA = numpy.arange(24, dtype="float32").reshape(4, 6) / 8 - 1


def ones(x, *shape):
    return np.ones(shape, ctx=x.ctx)


def of_slices(x):
    y = x * 2
    y[1] = x[0] * 3
    y[2:, 1] = 0
    y += x
    return (y * y).sum()


def by_mask(x):
    y = x * 2
    y[x > 0] = 1.0
    return (y * x).sum()


class Doubled(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return dy * x * 4


EXACT = {
    "square": lambda x: (x * x).sum(), "many heads": lambda x: x * 3 - x, "product": lambda x: (x @ x.T).sum(), "parts": lambda x: x[1:, ::2].sum() + x[0, 0] * x[1, 2],
    "transposed": lambda x: (x.T * 2)[1:].sum(), "where": lambda x: np.where(x > 0, x, 0).sum(), "relu": lambda x: npx.relu(x).sum(), "joined": lambda x: np.concatenate([x, x * 2], 1).sum(),
    "maximum": lambda x: x.max(1).sum(), "cast": lambda x: (x.astype("float64") * 2).sum(), "stretched": lambda x: (x + ones(x, 3, 4, 6)).sum(), "reshaped": lambda x: (x.reshape(6, 4) @ ones(x, 4)).sum(),
    "detached": lambda x: (x * x.detach()).sum(), "moved": lambda x: (x.as_in_ctx(cpu()) * 3).sum(), "moved on": lambda x: (x.as_in_ctx(gpu(1)) * x.as_in_ctx(gpu(1))).as_in_ctx(x.ctx).sum(),
    "writes": of_slices, "masked": by_mask, "picked": lambda x: npx.pick(x, np.array([0, 1, 2, 3], dtype="int64", ctx=x.ctx)).sum(), "own rule": lambda x: Doubled()(x).sum(),
}  # fmt: skip
NEAR = {
    "exp": lambda x: np.exp(x).mean(), "softmax": lambda x: (npx.softmax(x) * x).sum(), "variance": lambda x: ((x - x.mean(0)) ** 2).mean(), "norm": np.linalg.norm,
    "layer norm": lambda x: (npx.layer_norm(x, ones(x, 6), ones(x, 6)) * x).sum(), "convolution": lambda x: npx.convolution(x.reshape(1, 1, 4, 6), ones(x, 2, 1, 2, 2), no_bias=True, kernel=(2, 2), num_filter=2).sum(),
}  # fmt: skip


def gradient(function, device, req, times):
    x = np.array(DATA, ctx=device)
    x.attach_grad(req)
    for _ in range(times):
        with autograd.record():
            y = function(x)
        y.backward()
    return x.grad


@pytest.mark.parametrize("name", [*EXACT, *NEAR])
def test_a_gradient_is_the_hosts_and_on_the_device_of_its_array(name):
    function = EXACT.get(name) or NEAR[name]
    for req, times in (("write", 1), ("add", 2)):
        there, here = (gradient(function, device, req, times) for device in (gpu(0), cpu()))
        assert there.ctx == gpu(0) and (there.shape, there.dtype) == (here.shape, here.dtype)
        if name in EXACT:
            assert (there.asnumpy() == here.asnumpy()).all()
        numpy.testing.assert_allclose(there.asnumpy(), here.asnumpy(), 1e-5, 1e-6)


def test_gradients_have_gradients():
    x = np.array(DATA, ctx=gpu(0))
    x.attach_grad()
    with autograd.record():
        y = (x**3).sum()
        (g,) = autograd.grad(y, x, create_graph=True)
        z = (g * x).sum()
    z.backward()
    assert g.ctx == x.grad.ctx == gpu(0)
    numpy.testing.assert_allclose(x.grad.asnumpy(), 9 * DATA**2, 1e-5)


def penalty(device, copies, back, compiled):
    """A loss, the gradient of it, and the gradient of the square of that, by way of copies to another device and back."""
    x = np.array(DATA, ctx=device)
    x.attach_grad()

    def loss(x):
        y = copies(x)
        y = np.exp(y) * y
        return ((back(y) * x if back else y) ** 2).sum()

    loss = hybridize.hybridize(loss) if compiled else loss
    with autograd.record():
        z = loss(x)
        (g,) = autograd.grad(z, x, create_graph=True, retain_graph=True)
        (g * g).sum().backward()
    assert g.ctx == x.grad.ctx == device
    return [one.asnumpy() for one in (z, g, x.grad)]


COPIES = {
    "to the device": (cpu(), lambda x: x.as_in_ctx(gpu(0)), None), "there and back": (cpu(), lambda x: x.to(gpu(0)), lambda y: y.to("cpu")), "to the host": (gpu(0), lambda x: x.to(cpu()), None),
    "by the host": (gpu(0), lambda x: x.as_in_ctx(cpu()), lambda y: y.as_in_ctx(gpu(0))), "by another": (gpu(0), lambda x: x.copyto(gpu(1)), lambda y: y.copyto(gpu(0))),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("compiled", [False, True])
def test_copies_have_gradients_of_gradients(name, compiled):
    device, copies, back = COPIES[name]
    if compiled and name == "by another":
        with refusal(DeviceError, r"E705: a compiled function copies f32\[4,6\] from gpu\(0\) to gpu\(1\)"):
            penalty(device, copies, back, compiled)
        return
    expected = penalty(cpu(), lambda x: x * 1, back and (lambda y: y * 1), False)
    for one, wanted in zip(penalty(device, copies, back, compiled), expected, strict=True):
        numpy.testing.assert_allclose(one, wanted, 1e-5, 1e-5)


def energy(x):
    return (np.exp(x) * x).sum()


def by_tape(x):
    x.attach_grad()
    with autograd.record():
        z = (hybridize.grad(energy)(x) * x).sum()
    z.backward()
    return x.grad


FUNCTIONS = {
    "gradient": hybridize.grad(energy), "value": lambda x: sum(hybridize.value_and_grad(energy)(x)), "second": hybridize.grad(lambda x: (hybridize.grad(energy)(x) ** 2).sum()), "recorded": by_tape,
    "no gradient": hybridize.grad(lambda x: ones(x)), "of many": lambda x: hybridize.grad(lambda d: energy(d["a"]) + energy(d["b"][0] * 2))({"a": x, "b": [x]})["b"][0],
    "moved": hybridize.grad(lambda x: energy(x.as_in_ctx(cpu()))), "computed again": hybridize.grad(hybridize.checkpoint(energy)), "again, second": hybridize.grad(lambda x: (hybridize.grad(hybridize.checkpoint(energy))(x) ** 2).sum()),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_as_functions(name):
    there, here = (FUNCTIONS[name](np.array(DATA, ctx=device)) for device in (gpu(0), cpu()))
    assert there.ctx == gpu(0) and there.dtype == here.dtype
    numpy.testing.assert_allclose(there.asnumpy(), here.asnumpy(), 1e-5, 1e-5)


def test_variables_on_which_nothing_depends_have_zeros_there():
    x, y = np.array(DATA, ctx=gpu(0)), np.ones(3, ctx=gpu(1))
    for one in (x, y):
        one.attach_grad()
    assert y.grad.ctx == gpu(1) and y.grad.tolist() == [0, 0, 0]
    with autograd.record():
        z = (x * 2).sum()
    g, zeros = autograd.grad(z, [x, y])
    assert (g.ctx, zeros.ctx) == (gpu(0), gpu(1)) and zeros.tolist() == [0, 0, 0]


def test_a_pass_changes_no_gradient_that_somebody_keeps():
    x = np.array(DATA, ctx=gpu(0))
    x.attach_grad()
    kept = []
    for factor in (2, 3):
        with autograd.record():
            y = (x * factor).sum()
        y.backward()
        kept.append(x.grad.copy())
    assert (kept[0].asnumpy() == 2).all() and (kept[1].asnumpy() == 3).all()


def test_a_loop_compiles_each_operation_once(compiled_ops):
    x = np.array(DATA, ctx=gpu(0))
    x.attach_grad()
    for _ in range(3):
        before = len(compiled_ops)
        with autograd.record():
            y = ((x * 0.5 + 1) ** 2).sum()
        y.backward()
    assert before == len(compiled_ops) > 3
