# SPDX-License-Identifier: Apache-2.0
"""Random expressions, and a net that learns, beside PyTorch."""

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, np, npx
from hybridize.gluon import nn

SHAPES = [(2, 3), (3,), (1, 3), (2, 1), (), (3, 3)]
UNARY = {
    "tanh": (np.tanh, torch.tanh), "sin": (np.sin, torch.sin), "sigmoid": (npx.sigmoid, torch.sigmoid),
    "exp": (lambda x: np.exp(x * 0.1), lambda x: torch.exp(x * 0.1)), "square": (np.square, torch.square),
    "relu": (npx.relu, torch.relu), "neg": (lambda x: -x, lambda x: -x), "abs": (np.abs, torch.abs),
    "half": (lambda x: x / 2 + 1, lambda x: x / 2 + 1), "log1p": (lambda x: np.log1p(x * x), lambda x: torch.log1p(x * x)),
    "sum": (lambda x: x.sum(), lambda x: x.sum()), "softmax": (lambda x: npx.softmax(x.reshape(-1)).reshape(x.shape), lambda x: torch.softmax(x.reshape(-1), 0).reshape(x.shape)),
    "T": (lambda x: x.T, lambda x: x.permute(tuple(range(x.ndim))[::-1])), "keep": (lambda x: x.sum(-1, keepdims=True) if x.ndim else x, lambda x: x.sum(-1, keepdim=True) if x.ndim else x),
    "flip": (lambda x: x[::-1] if x.ndim else x, lambda x: x.flip(0) if x.ndim else x), "first": (lambda x: x[0] if x.ndim else x, lambda x: x[0] if x.ndim else x),
    "detach": (lambda x: x.detach(), lambda x: x.detach()),
    "added": (lambda x: _added(np.copy(x)), lambda x: _added(x.clone())),
    "sort": (lambda x: np.sort(x, 0) if x.ndim else x, lambda x: torch.sort(x, dim=0, stable=True)[0] if x.ndim else x), "clip": (lambda x: np.clip(x, -0.5, 0.5), lambda x: x.clamp(-0.5, 0.5)),
    "cumsum": (lambda x: np.cumsum(x, -1) if x.ndim else x, lambda x: x.cumsum(-1) if x.ndim else x), "cumprod": (lambda x: np.cumprod(x, 0) if x.ndim else x, lambda x: x.cumprod(0) if x.ndim else x),
    "max": (lambda x: x.max(0) if x.ndim else x, lambda x: _max(x) if x.ndim else x), "prod": (lambda x: x.prod(-1) if x.ndim else x, lambda x: x.prod(-1) if x.ndim else x),
    "norm": (npx.norm, torch.linalg.norm), "std": (lambda x: x.std(), lambda x: x.std(correction=0)), "gelu": (npx.gelu, torch.nn.functional.gelu), "roll": (lambda x: np.roll(x, 1), lambda x: torch.roll(x, 1)),
    "take": (lambda x: np.take(x, numpy.array([0, -1, 0]), 0, "raise") if x.ndim else x, lambda x: x[[0, -1, 0]] if x.ndim else x), "masked": (lambda x: _masked(x * 1), lambda x: torch.where(x > 0, 0.25, x)),
    "along": (lambda x: np.take_along_axis(x, numpy.zeros((2,) + (1,) * (x.ndim - 1), "i8"), 0) if x.ndim else x, lambda x: x[[0, 0]] if x.ndim else x),
    "where": (lambda x: np.where(x > 0, x * x, x), lambda x: torch.where(x > 0, x * x, x)), "tril": (lambda x: np.tril(x) if x.ndim > 1 else x, lambda x: torch.tril(x) if x.ndim > 1 else x),
    "gram": (lambda x: x.T @ x if x.ndim == 2 else x, lambda x: x.T @ x if x.ndim == 2 else x), "logsumexp": (lambda x: npx.logsumexp(x, -1) if x.ndim else x, lambda x: torch.logsumexp(x, -1) if x.ndim else x),
    "pad": (lambda x: np.pad(x, 1) if x.ndim else x, lambda x: torch.nn.functional.pad(x, (1, 1) * x.ndim) if x.ndim else x), "repeat": (lambda x: np.repeat(x, 2, 0) if x.ndim else x, lambda x: x.repeat_interleave(2, 0) if x.ndim else x),
}  # fmt: skip
BINARY = {
    "add": (lambda x, y: x + y,) * 2, "sub": (lambda x, y: x - y,) * 2, "mul": (lambda x, y: x * y,) * 2, "div": (lambda x, y: x / (y * y + 1),) * 2,
    "maximum": (np.maximum, lambda x, y: torch.where(x >= y, x, y)), "logaddexp": (np.logaddexp, torch.logaddexp), "hypot": (lambda x, y: np.hypot(x, y * y + 0.1), lambda x, y: torch.hypot(x, y * y + 0.1)),
    "power": (lambda x, y: np.power(x * x + 0.5, y), lambda x, y: torch.pow(x * x + 0.5, y)),
}  # fmt: skip


def _max(x):
    """PyTorch's maximum with MXNet's gradient: each of several equal elements gets the whole, which amax parts evenly."""
    highest = x.amax(0).detach()
    return highest + ((x == highest) * (x - x.detach())).sum(0)


def _added(x):
    """A write in place."""
    if x.ndim and x.shape[0]:
        x[0] = x[0] * 2
    x += 1
    return x


def _masked(x):
    x[x > 0] = 0.25
    return x


@st.composite
def programs(draw):
    """Steps, each on values made before: (name, numbers of its operands)."""
    leaves = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    steps = []
    for count in range(draw(st.integers(1, 12))):
        have = len(leaves) + count
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(sorted(UNARY))), (draw(st.integers(0, have - 1)),)))
        else:
            pick = st.integers(0, have - 1)
            steps.append((draw(st.sampled_from(sorted(BINARY))), (draw(pick), draw(pick))))
    return leaves, steps, draw(st.integers(0, 2**16))


def run(steps, values, side):
    values = list(values)
    for name, at in steps:
        xs = [values[k] for k in at]
        if name in UNARY:
            values.append(UNARY[name][side](xs[0]))
        else:
            try:
                shape = numpy.broadcast_shapes(*(tuple(x.shape) for x in xs))
            except ValueError:
                shape = None
            values.append(BINARY[name][side](*xs) if shape is not None else xs[0] * 1)
    return values


@settings(max_examples=150, deadline=None)
@given(programs(), st.booleans())
def test_random_programs(program, twice):
    leaves, steps, seed = program
    data = [numpy.asarray(numpy.random.default_rng(seed + n).uniform(-1, 1, shape)) for n, shape in enumerate(leaves)]
    ours = [np.array(x, dtype="float64") for x in data]
    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in data]
    for x in ours:
        x.attach_grad()
    with autograd.record():
        values = run(steps, ours, 0)
        loss = sum((np.sin(v).sum() for v in values[len(leaves) :]), np.zeros((), dtype="float64") + ours[0].sum())
        if twice:
            found = autograd.grad(loss, ours, create_graph=True)
            loss = sum((g * g).sum() for g in found) + loss
    loss.backward()
    wanted = run(steps, theirs, 1)
    total = sum((torch.sin(v).sum() for v in wanted[len(leaves) :]), theirs[0].sum())
    if twice:
        grads = torch.autograd.grad(total, theirs, create_graph=True, allow_unused=True)
        total = sum((g * g).sum() for g in grads if g is not None) + total
    total.backward()
    if not numpy.isfinite(total.item()) or abs(total.item()) > 1e12:
        return  # a power of a power
    if max(value.detach().abs().max().item() for value in wanted if value.numel()) > 1e4:
        return  # the sine of a large number: the last digit of the number is all digits of its sine
    assert float(loss) == pytest.approx(total.item(), rel=1e-9)
    for x, t in zip(ours, theirs, strict=True):
        expected = numpy.zeros(x.shape) if t.grad is None else t.grad.numpy()
        if numpy.isnan(expected).any():
            return  # the deviation of one element, twice: an infinite slope by zero, which PyTorch makes NaN
        scale = max(1.0, abs(expected).max(initial=0))
        numpy.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-8, atol=1e-9 * scale)


def nets(hybrid):
    """The same net, data and labels, here and in PyTorch."""
    rng = numpy.random.default_rng(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dense(16, activation="tanh"), nn.LayerNorm(), nn.Dense(4))
    net.initialize()
    x, y = rng.normal(size=(48, 20)).astype("f4"), rng.integers(0, 4, 48)
    net(np.array(x))
    if hybrid:
        net.hybridize()
    theirs = torch.nn.Sequential(
        torch.nn.Linear(20, 32),
        torch.nn.ReLU(),
        torch.nn.Linear(32, 16),
        torch.nn.Tanh(),
        torch.nn.LayerNorm(16),
        torch.nn.Linear(16, 4),
    )
    ours = list(net.collect_params().values())
    for p, q in zip(ours, theirs.parameters(), strict=True):
        q.data = torch.from_numpy(p.data().asnumpy())
    return net, ours, theirs, x, y


def steps(net, parameters, x, y, sizes):
    """Losses of stochastic gradient descent, by hand."""
    losses = []
    for number, size in enumerate(sizes):
        at = slice(number * 5 % 16, number * 5 % 16 + size)
        batch, labels = np.array(x[at]), np.array(y[at], dtype="int32")
        with autograd.record():
            loss = -npx.pick(npx.log_softmax(net(batch)), labels).mean()
        loss.backward()
        for p in parameters:
            p.data()[...] = p.data() - 0.3 * p.grad()
        losses.append(float(loss))
    return losses


def expected(net, x, y, sizes):
    losses = []
    for number, size in enumerate(sizes):
        at = slice(number * 5 % 16, number * 5 % 16 + size)
        loss = torch.nn.functional.cross_entropy(net(torch.from_numpy(x[at])), torch.from_numpy(y[at]))
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.3 * p.grad
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
def test_a_net_learns_as_in_pytorch(hybrid):
    net, parameters, theirs, x, y = nets(hybrid)
    sizes = [32] * 20
    found = steps(net, parameters, x, y, sizes)
    numpy.testing.assert_allclose(found, expected(theirs, x, y, sizes), rtol=1e-5)
    assert found[-1] < found[0] / 2
