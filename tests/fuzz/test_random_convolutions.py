# SPDX-License-Identifier: Apache-2.0
"""Random small networks of images: convolutions of every kind in chains with pooling, norms, residuals, joins.

Each is drawn as a list of steps over arrays of one to three image axes, channels first or last, and is run three times:
imperatively, hybridized, and by PyTorch in float64. Results and the gradients by the input and by every weight are the
same. A second call has another batch, so that the program for all batches is run too.
"""

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy
import pytest
import torch
from torch.nn import functional

from hybridize import autograd, hybridize, np, npx
from hybridize.base.config import CONFIG
from hybridize.codegen.llvm.engine import runnable
from tests.samples import sampled

COUNT = int(os.environ.get("HYBRIDIZE_FUZZ_CONVOLUTIONS", "1500"))
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
CHANNELS = (1, 2, 3, 4, 6, 8, 12, 16, 17, 24)
THICK = (16, 17, 24, 32)
MAX = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}
MEAN = {1: functional.avg_pool1d, 2: functional.avg_pool2d, 3: functional.avg_pool3d}
CONVOLVE = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
BACK = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
ROUNDED = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-2}
"""The error that is permitted, in parts of the largest element. In float64, a rounding (1.1e-16) for each of the few
thousand terms of the longest sum: PyTorch, which computes in float64 itself, rounds as much."""
LOST = 32
"""So many times what one rounding of each step costs is permitted too: see `Roundings`."""
LIMIT = 1 << 22
"""Multiply-adds of a step, so that none takes long by NumPy."""


@dataclass
class Roundings:
    """Noise on what the steps of PyTorch's run give, forward and backward: how far rounding goes in a network.

    Several norms one behind the other divide by small deviations, each of which makes more of what was rounded before
    it. Noise as large as one rounding of a step's largest element, in float64, tells how much: what is computed in
    float32 cannot come closer than that, nor what is computed in float64 with the noise of float64.
    """

    size: float = 0.0
    draw: torch.Generator = field(default_factory=torch.Generator)

    def __call__(self, y: torch.Tensor) -> torch.Tensor:
        """Return a step's result with noise, and the same for its gradient."""
        if not self.size or not y.numel():
            return y
        y = y + self.noise(y)
        if y.requires_grad:
            y.register_hook(lambda slope: slope + self.noise(slope))
        return y

    def noise(self, y: torch.Tensor) -> torch.Tensor:
        return self.size * float(y.detach().abs().max()) * torch.randn(y.shape, generator=self.draw, dtype=y.dtype)


@dataclass
class Step:
    """One step of a network for both sides, which are given arrays, theirs channels first, and the weights."""

    name: str
    ours: Callable[[Any, list[Any]], Any]
    theirs: Callable[[torch.Tensor, list[torch.Tensor]], torch.Tensor]


@dataclass
class Net:
    """A network being drawn: the steps so far, the shapes of the weights, and the shape that the steps give."""

    draw: random.Random
    rank: int
    last: bool
    dtype: str
    shape: tuple[int, ...]
    steps: list[Step] = field(default_factory=list)
    weights: list[tuple[int, ...]] = field(default_factory=list)
    near: list[float] = field(default_factory=list)
    """The distances to a kink that PyTorch's run met: nearer than rounding, gradients are either side's."""
    roundings: Roundings = field(default_factory=Roundings)
    thick: bool = False
    """Many channels and windows of 3 by 3, which may go by fewer products, and which threads share."""

    @property
    def layout(self) -> str:
        return LAYOUTS[self.rank][self.last]

    def weight(self, *shape: int) -> int:
        self.weights.append(shape)
        return len(self.weights) - 1

    def turned(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape of ours, which is channels last where the network is."""
        return (shape[0], *shape[2:], shape[1]) if self.last else shape

    def add(self, name: str, ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
        self.steps.append(Step(name, ours, lambda x, ws: self.roundings(theirs(x, ws))))

    def numbers(self, choices: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.draw.choice(choices) for _ in range(self.rank))

    def __str__(self) -> str:
        steps = ", ".join(step.name for step in self.steps)
        return f"{self.layout} {self.dtype} -> {self.shape}: {steps}"


def convolution(net: Net) -> None:
    """A convolution: groups of every size, windows beyond the image, a bias or none."""
    draw, channels = net.draw, net.shape[1]
    kernel = net.numbers((1, 1, 2, 3, 3, 5))
    stride, dilate, pad = net.numbers((1, 1, 2, 3)), net.numbers((1, 1, 1, 2, 3)), net.numbers((0, 1, 1, 2, 4))
    if net.thick:
        kernel, stride, dilate = ((each,) * net.rank for each in (3, 1, 1))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilate, strict=True)]
    if any(size + 2 * p < r for size, p, r in zip(net.shape[2:], pad, reach, strict=True)):
        return
    divisors = [g for g in range(1, channels + 1) if channels % g == 0]
    groups = draw.choice([1, 1, draw.choice(divisors), channels])
    filters = groups * draw.choice((1, 2, 3)) if groups > 1 else draw.choice(CHANNELS)
    if net.thick:
        groups, filters = 1, draw.choice(THICK)
    sizes = [(size + 2 * p - r) // s + 1 for size, p, r, s in zip(net.shape[2:], pad, reach, stride, strict=True)]
    if numpy.prod([net.shape[0] + 1, *sizes, *kernel, filters, channels // groups], dtype=float) > LIMIT:
        return
    w = net.weight(filters, channels // groups, *kernel)
    b = net.weight(filters) if draw.random() < 0.6 else None
    arguments = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": groups, "layout": net.layout}
    net.add(
        f"conv {kernel} to {filters} {arguments}{' biased' if b is not None else ''}",
        lambda x, ws: npx.convolution(x, ws[w], None if b is None else ws[b], **arguments),
        lambda x, ws: CONVOLVE[net.rank](x, ws[w], None if b is None else ws[b], stride, pad, dilate, groups),
    )
    net.shape = (net.shape[0], filters, *sizes)


def deconvolution(net: Net) -> None:
    """A transposed one."""
    draw, channels = net.draw, net.shape[1]
    kernel, stride, dilate = net.numbers((1, 2, 3, 4)), net.numbers((1, 2, 3)), net.numbers((1, 1, 2))
    pad = net.numbers((0, 1, 2))
    more = tuple(draw.randrange(max(pair)) for pair in zip(stride, dilate, strict=True))
    sizes = [
        (size - 1) * s + (k - 1) * d + 1 - 2 * p + m
        for size, s, k, d, p, m in zip(net.shape[2:], stride, kernel, dilate, pad, more, strict=True)
    ]
    groups = draw.choice([1, 1, draw.choice([g for g in range(1, channels + 1) if channels % g == 0])])
    each = draw.choice((1, 2, 3, 8))
    if min(sizes) < 1 or numpy.prod([net.shape[0] + 1, *sizes, *kernel, each * groups, channels], dtype=float) > LIMIT:
        return
    w = net.weight(channels, each, *kernel)
    b = net.weight(each * groups) if draw.random() < 0.5 else None
    arguments = {
        "stride": stride, "dilate": dilate, "pad": pad, "adj": more, "num_group": groups, "layout": net.layout,
    }  # fmt: skip
    net.add(
        f"deconv {kernel} to {each * groups} {arguments}{' biased' if b is not None else ''}",
        lambda x, ws: npx.deconvolution(x, ws[w], None if b is None else ws[b], **arguments),
        lambda x, ws: BACK[net.rank](x, ws[w], None if b is None else ws[b], stride, pad, more, groups, dilate),
    )
    net.shape = (net.shape[0], each * groups, *sizes)


def pooling(net: Net) -> None:
    """Largest elements and means of windows. In short floats only exact elements are compared: ties would differ."""
    draw = net.draw
    kernel, stride = net.numbers((1, 2, 3)), net.numbers((1, 2, 3))
    pad = tuple(draw.randint(0, k // 2) for k in kernel)
    if any(size + 2 * p < k for size, p, k in zip(net.shape[2:], pad, kernel, strict=True)):
        return
    if net.rank == 3 and any(size < k for size, k in zip(net.shape[2:], kernel, strict=True)):
        return  # PyTorch has no mean of such windows
    largest = draw.random() < 0.5 and (net.dtype == "float64" or not net.steps)
    ceil, counted = draw.random() < 0.3, draw.random() < 0.5
    arguments: dict[str, Any] = {
        "kernel": kernel, "stride": stride, "pad": pad, "layout": net.layout,
        "pooling_convention": "full" if ceil else "valid", "pool_type": "max" if largest else "avg",
    }  # fmt: skip
    if largest:
        pool = lambda x: MAX[net.rank](x, kernel, stride, pad, ceil_mode=ceil)  # noqa: E731
    else:
        arguments["count_include_pad"] = counted
        pool = lambda x: MEAN[net.rank](x, kernel, stride, pad, ceil, counted)  # noqa: E731
    whole = pool(torch.zeros((1, 1, *net.shape[2:]), dtype=torch.float64)).shape[2:]
    if (
        ceil
        and any(  # where PyTorch drops a window that begins in the padding, MXNet keeps it
            -(-(size + 2 * p - k) // s) + 1 != found
            for size, p, k, s, found in zip(net.shape[2:], pad, kernel, stride, whole, strict=True)
        )
    ):
        return
    net.add(f"pool {arguments}", lambda x, ws: npx.pooling(x, **arguments), lambda x, ws: pool(x))
    net.shape = (*net.shape[:2], *whole)


def norm(net: Net) -> None:
    """A batch norm, by running statistics or by the batch; a norm of groups."""
    channels, axis = net.shape[1], -1 if net.last else 1
    gamma, beta = net.weight(channels), net.weight(channels)
    if net.draw.random() < 0.5 or net.shape[0] * numpy.prod(net.shape[2:]) < 4:
        mean, var = net.weight(channels), net.weight(channels)
        net.add(
            "batch norm by running statistics",
            lambda x, ws: npx.batch_norm(
                x, ws[gamma], ws[beta], ws[mean], ws[var] ** 2, eps=0.1, fix_gamma=False, axis=axis,
                use_global_stats=True,
            ),
            lambda x, ws: along(ws[gamma], x) * (x - along(ws[mean], x)) / torch.sqrt(along(ws[var], x) ** 2 + 0.1)
            + along(ws[beta], x),
        )  # fmt: skip
        return
    net.add(
        "batch norm",
        lambda x, ws: npx.batch_norm(
            x, ws[gamma], ws[beta], np.zeros(channels, dtype=net.dtype), np.ones(channels, dtype=net.dtype), eps=0.1,
            fix_gamma=False, axis=axis,
        ),
        lambda x, ws: functional.batch_norm(x, None, None, ws[gamma], ws[beta], training=True, eps=0.1),
    )  # fmt: skip


def along(channels: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """A number for each channel, as an array that broadcasts."""
    return channels.reshape(1, -1, *(1,) * (x.ndim - 2))


def activation(net: Net) -> None:
    kind = net.draw.choice(("relu", "tanh", "softrelu", "leaky"))

    def theirs(x: torch.Tensor, ws: list[torch.Tensor]) -> torch.Tensor:
        if kind in ("relu", "leaky") and x.numel():
            net.near.append(float(x.detach().abs().min()))
        by = {
            "relu": torch.relu, "tanh": torch.tanh, "softrelu": softplus,
            "leaky": lambda x: functional.leaky_relu(x, 0.2),
        }  # fmt: skip
        return by[kind](x)

    net.add(
        kind,
        (lambda x, ws: npx.leaky_relu(x, slope=0.2))
        if kind == "leaky"
        else (lambda x, ws: npx.activation(x, act_type=kind)),
        theirs,
    )


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 + exp(x)). PyTorch's own gives x beyond 20: 2e-9 too little there, and a gradient as wrong."""
    return torch.logaddexp(x, torch.zeros_like(x))


def residual(net: Net) -> None:
    """What a few steps give that keep the shape, added to what they were given, or joined to it along the channels."""
    joined = net.draw.random() < 0.5
    inner = Net(net.draw, net.rank, net.last, net.dtype, net.shape, [], net.weights, net.near, net.roundings)
    channels = net.shape[1]
    for _ in range(net.draw.randint(1, 2)):
        k = net.draw.choice((1, 3, 5))
        dilate = net.draw.choice((1, 2))
        pad = k // 2 * dilate
        w = inner.weight(channels, channels, *(k,) * net.rank)
        inner.add(
            f"conv {k} dilated {dilate}",
            lambda x, ws, w=w, dilate=dilate, pad=pad: npx.convolution(
                x, ws[w], dilate=dilate, pad=pad, layout=net.layout
            ),
            lambda x, ws, w=w, dilate=dilate, pad=pad: CONVOLVE[net.rank](x, ws[w], None, 1, pad, dilate),
        )
        net.draw.choice((activation, norm))(inner)

    def through(run: str, x: Any, ws: list[Any]) -> Any:
        for step in inner.steps:
            x = getattr(step, run)(x, ws)
        return x

    axis = -1 if net.last else 1
    names = ", ".join(step.name for step in inner.steps)
    if joined:
        net.add(
            f"join [{names}]",
            lambda x, ws: np.concatenate([through("ours", x, ws), x], axis=axis),
            lambda x, ws: torch.cat([through("theirs", x, ws), x], 1),
        )
        net.shape = (net.shape[0], 2 * channels, *net.shape[2:])
    else:
        net.add(f"add [{names}]", lambda x, ws: x + through("ours", x, ws), lambda x, ws: x + through("theirs", x, ws))


STEPS = (convolution, convolution, convolution, convolution, deconvolution, pooling, norm, activation, residual)


def drawn(seed: int, thick: bool = False) -> tuple[Net, tuple[int, ...]]:
    """Draw a network, and the shape of its input, channels first."""
    draw = random.Random(seed)
    rank = 2 if thick else draw.choice((1, 2, 2, 2, 3))
    dtype = "float32" if thick else draw.choice(("float64", "float64", "float32", "float32", "float16"))
    largest = {1: 40, 2: 13, 3: 7}[rank]
    pixels = tuple(draw.choice((1, 2, draw.randint(1, largest), draw.randint(3, largest))) for _ in range(rank))
    if thick:
        pixels = (draw.randint(8, 14), draw.randint(8, 14))
    shape = (draw.choice((0, 1, 1, 2, 2, 3, 5)), draw.choice(THICK if thick else CHANNELS), *pixels)
    net = Net(draw, rank, draw.random() < 0.4, dtype, shape, thick=thick)
    for number in range(draw.randint(1, 5)):
        step = convolution if thick and number % 2 == 0 else draw.choice(STEPS)
        if step is residual and shape[0] * numpy.prod(net.shape[1:]) * net.shape[1] * 5**rank > LIMIT:
            continue
        step(net)
        if not numpy.prod(net.shape[1:]) or numpy.prod(net.shape[1:]) > 1 << 14:
            break
    return net, shape


def check(seed: int, second: bool = False, dtype: str | None = None, thick: bool = False, **options: Any) -> set[str]:
    """Run one network on all sides; return the words of its program's report that name a way to run it.

    One in which rounding goes far is run in float64 too, where it is right to twelve digits.
    """
    net, shape = drawn(seed, thick)
    net.dtype = dtype or net.dtype
    goes_far = False
    if not net.steps:
        return set()
    numbers = numpy.random.default_rng(seed)
    weights = [
        (numbers.normal(size=each) / max(1, numpy.prod(each[1:])) ** 0.5).astype(net.dtype) for each in net.weights
    ]
    arrays = [given(each, net.last and each.ndim > 2) for each in weights]

    def forward(x: Any, *ws: Any) -> Any:
        for step in net.steps:
            x = step.ours(x, list(ws))
        return x

    def gradients(x: Any, g: Any, *ws: Any) -> Any:
        with autograd.record():
            y = forward(x, *ws)
            total = (y * g).sum()
        return y, autograd.grad(total, [x, *ws])

    def result(x: Any, g: Any, *ws: Any) -> Any:
        with autograd.train_mode():
            return forward(x, *ws), []

    run = gradients if net.dtype != "float16" else result
    # Weights from outside are packed, and transformed, once for many calls; those that are arguments are not.
    held = arrays if thick else []
    passed = [] if thick else arrays
    compiled = hybridize(lambda x, g, *ws: run(x, g, *held, *ws), **options)
    kinds: set[str] = set()
    for batch in (shape[0], shape[0] + 1) if second else (shape[0],):
        net.near.clear()
        image = numbers.normal(size=(batch, *shape[1:])).astype(net.dtype)
        factor = numbers.normal(size=(batch, *net.shape[1:])).astype(net.dtype)
        wanted = torchs(net, [image, *weights], factor, 0.0)
        noise = {"float32": 2.0**-24, "float64": 2.0**-53}.get(net.dtype)
        noisy = wanted if noise is None else torchs(net, [image, *weights], factor, noise)
        kinked = net.dtype != "float64" and min(net.near, default=1.0) < 1e-4
        x, g = given(image, net.last), given(factor, net.last)
        found = [[value, *rest] for value, rest in (run(x, g, *arrays), compiled(x, g, *passed))]
        names = ["result", "by the input", *(f"by weight {k} {each}" for k, each in enumerate(net.weights))]
        for mode, ours in zip(("imperatively", "hybridized"), found, strict=True):
            for place, (name, one) in enumerate(zip(names, ours, strict=False)):
                said = f"seed {seed}, batch {batch}, {mode}, {name}\n{net}"
                assert one.dtype == net.dtype, said
                array = one.asnumpy()
                array = numpy.moveaxis(array, -1, 1) if net.last and array.ndim > 2 else array
                if wanted is None:
                    assert array.shape == ((batch, *net.shape[1:]) if place == 0 else array.shape), said
                    continue
                if place and kinked:
                    continue
                permitted = ROUNDED[net.dtype] + LOST * error(noisy[place], wanted[place])
                assert array.shape == wanted[place].shape, f"{said}: {array.shape} for {wanted[place].shape}"
                found_error = error(array, wanted[place])
                goes_far |= found_error > ROUNDED[net.dtype]
                assert found_error <= permitted, f"{said}: differs by {found_error:.2e}, permitted {permitted:.2e}"
        if thick:
            kinds |= {word for word in ("winograd", "threads") if shown(compiled.program(x, g, *passed), word)}
    if goes_far:
        check(seed, second, "float64", thick, **options)
    return kinds


def torchs(net: Net, inputs: list[numpy.ndarray], factor: numpy.ndarray, noise: float) -> list[numpy.ndarray] | None:
    """PyTorch's result and gradients by all inputs, in float64; None of an empty batch that it does not take."""
    net.roundings.size = noise
    tensors = [torch.tensor(each.astype("f8"), requires_grad=True) for each in inputs]
    y = tensors[0]
    try:
        for step in net.steps:
            y = step.theirs(y, tensors[1:])
    except (RuntimeError, ValueError) as refused:
        if len(inputs[0]) and "more than 1 value per channel" not in str(refused):
            raise
        return None
    slopes = torch.autograd.grad((y * torch.tensor(factor.astype("f8"))).sum(), tensors, allow_unused=True)
    zeros = [torch.zeros_like(x) if s is None else s for s, x in zip(slopes, tensors, strict=True)]
    return [y.detach().numpy(), *(slope.numpy() for slope in zeros)]


def error(found: numpy.ndarray, wanted: numpy.ndarray) -> float:
    """The largest error, as a part of the largest element."""
    if not wanted.size:
        return 0.0
    return float(numpy.abs(found.astype("f8") - wanted).max() / max(1.0, numpy.abs(wanted).max()))


def shown(program: Any, word: str) -> bool:
    """True if a row of the report of steps has such a word, not as a part of an op's name; rows may have several lines."""
    row = rf"^ +\d+ +[^\n]*(\n {{5,}}[^\n]*)*?\b{word}\b"
    return re.search(row, str(program.explain()), re.MULTILINE) is not None


def given(array: numpy.ndarray, turned: bool) -> Any:
    """An array of ours with a gradient, channels last if they are turned."""
    found = np.array(numpy.moveaxis(array, 1, -1).copy() if turned else array, dtype=array.dtype)
    found.attach_grad()
    return found


@pytest.mark.parametrize("block", sampled(range(4), 2))
def test_random_networks(block):
    for seed in range(block * 10, block * 10 + 10):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(15))
def test_many_random_networks(block):
    for seed in range(1000 + block, 1000 + COUNT, 15):
        check(seed, second=True)


WAYS = {
    "winograd": {"winograd": True, "threads": 1},
    "threads": {"threads": 2},
    "both": {"winograd": True, "threads": 2},
}


@pytest.mark.parametrize("way", sampled(["both", "winograd"], 2))
def test_random_networks_of_many_channels(way):
    """By fewer products, and by two threads: some of them are indeed."""
    kinds: set[str] = set()
    for seed in range(300, 304):
        kinds |= check(seed, thick=True, **WAYS[way])
    assert kinds == ({"winograd"} if way == "winograd" else {"winograd", "threads"})


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("block", range(4))
def test_many_random_networks_of_many_channels(way, block):
    for seed in range(7000 + block, 7000 + COUNT // 4, 4):
        check(seed, second=True, thick=True, **WAYS[way])


NARROWER = [level for level in ("avx2", "baseline") if level in runnable()]


@pytest.mark.parametrize("level", NARROWER)
def test_random_networks_on_narrower_machines(level, monkeypatch):
    monkeypatch.setattr(CONFIG, "target", level)
    for seed in range(200, 206):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("level", NARROWER)
def test_many_random_networks_on_narrower_machines(level, monkeypatch):
    monkeypatch.setattr(CONFIG, "target", level)
    for seed in range(5000, 5000 + COUNT // 5):
        check(seed, second=True)
