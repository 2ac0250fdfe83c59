"""Activations at odd places: values and gradients are PyTorch's, imperative and hybridized."""

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from hybridize import autograd, gluon, np, npx

POINTS = [
    number
    for size in (0.0, 1e-30, 1e-12, 0.5, 1.0, 6.0, 17.0, 20.0, 88.0, 89.0, 104.0, 1e4, 1e19, 3e38)
    for number in (size, -size)
]
ACTIVATIONS = {
    "relu": (npx.relu, F.relu), "sigmoid": (npx.sigmoid, torch.sigmoid), "log_sigmoid": (npx.log_sigmoid, F.logsigmoid),
    "softrelu": (npx.softrelu, F.softplus), "softsign": (npx.softsign, F.softsign), "silu": (npx.silu, F.silu),
    "gelu": (npx.gelu, F.gelu), "gelu_tanh": (lambda x: npx.gelu(x, "tanh"), lambda x: F.gelu(x, approximate="tanh")),
    "mish": (npx.mish, F.mish), "leaky": (lambda x: npx.leaky_relu(x, act_type="leaky"), lambda x: F.leaky_relu(x, 0.25)),
    "elu": (lambda x: npx.leaky_relu(x, act_type="elu", slope=2.0), lambda x: F.elu(x, 2.0)),
    "selu": (lambda x: npx.leaky_relu(x, act_type="selu"), F.selu), "tanh": (np.tanh, torch.tanh),
    "prelu": (
        lambda x: npx.leaky_relu(x, np.array([0.25]), "prelu"), lambda x: F.prelu(x, torch.tensor([0.25], dtype=x.dtype))
    ),
    "smooth_l1": (npx.smooth_l1, lambda x: F.smooth_l1_loss(x, torch.zeros_like(x), reduction="none")),
    "sinc": (np.sinc, torch.sinc), "relu_of": (lambda x: npx.activation(x, "relu"), F.relu),
    **{
        f"activation_{name}": (partial(npx.activation, act_type=name), function)
        for name, function in (("mish", F.mish), ("softrelu", F.softplus), ("silu", F.silu), ("log_sigmoid", F.logsigmoid))
    },
}  # fmt: skip
BLOCKS = {
    "ELU": (lambda: gluon.nn.ELU(1.0), F.elu), "SELU": (gluon.nn.SELU, F.selu), "GELU": (gluon.nn.GELU, F.gelu),
    "SiLU": (gluon.nn.SiLU, F.silu), "LeakyReLU": (lambda: gluon.nn.LeakyReLU(0.1), lambda x: F.leaky_relu(x, 0.1)),
    "PReLU": (gluon.nn.PReLU, lambda x: F.prelu(x, torch.tensor([0.25], dtype=x.dtype))),
    "Swish": (lambda: gluon.nn.Swish(2.0), lambda x: x * torch.sigmoid(2 * x)),
}  # fmt: skip
OVERFLOW = {
    "gelu": 1e38, "gelu_tanh": 1e12, "GELU": 1e38,
}  # fmt: skip
"""From where on PyTorch's own intermediate numbers overflow."""


class Functions(gluon.HybridBlock):
    """Each function of a row of its own."""

    def __init__(self, blocks):
        super().__init__()
        for name, block in blocks.items():
            setattr(self, name, block)

    def forward(self, x):
        parts = [ours(x[row]) for row, (ours, _) in enumerate(ACTIVATIONS.values())]
        return np.stack(parts + [getattr(self, name)(x[len(parts) + k]) for k, name in enumerate(BLOCKS)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("hybrid", [False, True])
def test_activations(hybrid, dtype):
    net = Functions({name: make() for name, (make, _) in BLOCKS.items()})
    net.initialize()
    if dtype == "float64":
        net.cast("float64")
    if hybrid:
        net.hybridize()
    names = [*ACTIVATIONS, *BLOCKS]
    x = np.array([POINTS] * len(names), dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    twin = torch.tensor([POINTS] * len(names), dtype=getattr(torch, dtype), requires_grad=True)
    functions = [theirs for _, theirs in (*ACTIVATIONS.values(), *BLOCKS.values())]
    want = torch.stack([function(row) for function, row in zip(functions, twin, strict=True)])
    want.sum().backward()
    rtol, atol = (2e-5, 2.5e-7) if dtype == "float32" else (1e-9, 5e-16)
    wrong = []
    for part, ours, theirs in (("value", y, want.detach()), ("gradient", x.grad, twin.grad)):
        close = torch.isclose(torch.tensor(ours.asnumpy()), theirs, rtol=rtol, atol=atol, equal_nan=True)
        for row, column in (~close).nonzero().tolist():
            name, point = names[row], POINTS[column]
            if abs(point) < OVERFLOW.get(name, math.inf):
                found = f"{ours[row, column].item():g} for {theirs[row, column]:g}"
                wrong.append(f"{part} of {name} at {point:g}: {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("function", [npx.softmax, npx.log_softmax])
def test_rows_of_length_0(function):
    x = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    x.attach_grad()
    with autograd.record():
        y = function(x, length=np.array([0, 2]), axis=-1)
        loss = (y * np.array([1.0, 2.0, 3.0])).sum()
    loss.backward()
    assert y[0].tolist() == [0, 0, 0]
    assert x.grad[0].tolist() == [0, 0, 0]
    assert abs(x.grad[1, 0].item()) > 0.1


def test_huber_loss_of_what_is_infinite():
    x = np.array([[math.inf, -math.inf, 0.5, 3.0]])
    x.attach_grad()
    with autograd.record():
        loss = gluon.loss.HuberLoss()(x, np.zeros((1, 4)))
    loss.backward()
    assert (x.grad * 4)[0].tolist() == [1, -1, 0.5, 1]
