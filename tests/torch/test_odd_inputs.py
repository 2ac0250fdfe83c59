"""Functions of elements at odd places: values and gradients are eager PyTorch's, at zeros, joints, poles, overflow.

Every translation that takes one tensor is in the table by itself, and what is decomposed before it is translated by
name. What differs from PyTorch on purpose is in `DIFFERS`, with the reason.
"""

import math
import types

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize
from hybridize.torch.functions.table import BY_NAME

SINGLE = [
    number
    for size in (0.0, 1e-30, 1e-4, 0.5, 1.0, 2.0, 3.0, 6.0, 17.0, 20.0, 88.0, 89.0, 104.0, 1e4, 1e19, 3e38, math.inf)
    for number in (size, -size)
] + [math.nan]
DOUBLE = [*SINGLE, 709.0, -709.0, 710.0, -710.0, 745.0, -746.0, 1e300, -1e300]

RANDOM = ("bernoulli", "dropout", "empty", "exponential", "normal", "rand", "uniform")


def _of_one_tensor():
    """The functions of the table that take one tensor, and give one of its shape."""
    x, found = torch.tensor([0.3, 0.4, 0.5]), {}
    for name in sorted(BY_NAME):
        function = getattr(torch, name, None) or getattr(torch.special, name, None)
        if not isinstance(function, types.BuiltinFunctionType) or name.endswith("_"):
            continue
        if any(word in name for word in (*RANDOM, "asarray", "as_tensor", "cholesky", "qr", "rrelu", "sort")):
            continue
        try:
            y = function(x)
        except (
            RuntimeError,
            IndexError,
            TypeError,
            ValueError,
        ):  # it needs more, or another number of axes, or integers
            continue
        if isinstance(y, torch.Tensor) and y.shape == x.shape:
            found[name] = function
    return found


def _with(function, number):
    return lambda x: function(x, torch.full_like(x, number))


def _after(function, number):
    return lambda x: function(torch.full_like(x, number), x)


def _power(p):
    return lambda x: x**p


def _row(function, number=0.0):
    """`function` of rows whose second element is `number`."""
    return lambda x: function(torch.stack([x, torch.full_like(x, number)], 1))


ACTIVATIONS = {
    name: getattr(F, name)
    for name in (
        "relu", "relu6", "hardtanh", "hardswish", "hardsigmoid", "softplus", "mish", "silu", "gelu", "elu", "selu", "celu",
        "logsigmoid", "softsign", "tanhshrink", "hardshrink", "softshrink", "leaky_relu",
    )
} | {
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "softplus_of": lambda x: F.softplus(x, 3.0, 5.0),
    "elu_of": lambda x: F.elu(x, 2.0), "celu_of": lambda x: F.celu(x, 0.5), "rrelu": lambda x: F.rrelu(x, training=False),
    "threshold": lambda x: F.threshold(x, 1.0, 0.1), "prelu": lambda x: F.prelu(x, torch.tensor([0.2], dtype=x.dtype)),
    "glu": lambda x: F.glu(torch.cat([x, x])), "clamp": lambda x: x.clamp(-1, 1), "clamp_min": lambda x: x.clamp_min(0.5),
    "clamp_max": lambda x: x.clamp_max(0.5), "logit_of": lambda x: torch.logit(x, 0.1),
}  # fmt: skip
NAMED = {
    name: getattr(torch, name)
    for name in (
        "sgn", "square", "positive", "frac", "sinc", "logit", "deg2rad", "rad2deg", "nan_to_num", "isposinf", "isneginf"
    )
} | {f"special_{name}": getattr(torch.special, name) for name in ("entr", "ndtr", "psi", "gammaln")}  # fmt: skip
BINARY = {
    **{f"pow_{p}": _power(p) for p in (2, 3, 0, 1, 0.5, -1, -2, 1.5)}, "power_of_2": lambda x: 2.0**x,
    "hypot": _with(torch.hypot, 1.0), "atan2": _with(torch.atan2, 1.0), "atan2_after": _after(torch.atan2, 1.0),
    "logaddexp": _with(torch.logaddexp, 1.0), "logaddexp2": _with(torch.logaddexp2, 1.0), "div": lambda x: 1 / x,
    "xlogy": _with(torch.xlogy, 0.5), "xlogy_of_0": _after(torch.xlogy, 0.0), "xlogx": lambda x: torch.xlogy(x, x),
    "xlog1py": _with(torch.special.xlog1py, 1.0), "xlog1py_of_0": _after(torch.special.xlog1py, 0.0),
    "fmod": lambda x: torch.fmod(x, 3.0), "remainder": lambda x: torch.remainder(x, 3.0), "copysign": _with(torch.copysign, -2.0),
    "maximum": _with(torch.maximum, 0.0), "minimum": _with(torch.minimum, 0.0), "fmax": _with(torch.fmax, 0.0),
    "fmin": _with(torch.fmin, 0.0), "where": lambda x: torch.where(x > 0, x, -x), "floor_divide": lambda x: x.detach() // 3.0,
    "heaviside": lambda x: torch.heaviside(x.detach(), torch.ones_like(x)), "lerp": lambda x: torch.lerp(x, torch.ones_like(x), 0.3),
}  # fmt: skip
LOSSES = {
    "bce_1": lambda x: F.binary_cross_entropy(x.nan_to_num().sigmoid(), torch.ones_like(x), reduction="none"),
    "bce_0": lambda x: F.binary_cross_entropy(x.nan_to_num().sigmoid(), torch.zeros_like(x), torch.full_like(x, 2.0)),
    "bce_of_bounds": lambda x: F.binary_cross_entropy(x.clamp(0, 1).nan_to_num(), torch.full_like(x, 0.25), reduction="sum"),
    "bce_logits": lambda x: F.binary_cross_entropy_with_logits(x, torch.full_like(x, 0.3), reduction="none"),
    "smooth_l1": lambda x: F.smooth_l1_loss(x, torch.zeros_like(x), reduction="none"),
    "huber": lambda x: F.huber_loss(x, torch.zeros_like(x), reduction="none"), "l1": _with(F.l1_loss, 0.0),
    "mse": lambda x: F.mse_loss(x, torch.zeros_like(x), reduction="none"),
    "soft_margin": lambda x: F.soft_margin_loss(x, torch.ones_like(x), reduction="none"),
    "poisson": lambda x: F.poisson_nll_loss(x, torch.ones_like(x), reduction="none"),
    "hinge": lambda x: F.hinge_embedding_loss(x, -torch.ones_like(x), reduction="none"),
    "multilabel": lambda x: F.multilabel_soft_margin_loss(x[:, None], torch.ones_like(x)[:, None], reduction="none"),
    "kl": lambda x: F.kl_div(x, torch.ones_like(x), reduction="none"),
}  # fmt: skip
ROWS = {
    "softmax": _row(lambda x: x.softmax(1)), "log_softmax": _row(lambda x: x.log_softmax(1)), "softmin": _row(lambda x: F.softmin(x, 1)),
    "logsumexp": _row(lambda x: x.logsumexp(1)), "std_of_equal": lambda x: torch.stack([x, x], 1).std(1), "std": _row(lambda x: x.std(1)),
    "std_mean": _row(lambda x: torch.std_mean(x, 1)[0]), "norm": _row(lambda x: x.norm(dim=1)), "normalize": _row(F.normalize),
    "norm_0": _row(lambda x: x.norm(0, dim=1)), "norm_1": _row(lambda x: x.norm(1, dim=1)), "norm_3": _row(lambda x: x.norm(3, dim=1)),
    "prod": _row(lambda x: x.prod(1)), "cosine": lambda x: F.cosine_similarity(torch.stack([x, x], 1), torch.ones(1, 2, dtype=x.dtype)),
    "logsumexp_masked": _row(lambda x: x.logsumexp(1), -math.inf), "softmax_masked": _row(lambda x: x.softmax(1), -math.inf),
}  # fmt: skip
GROUPS = {
    "translations": _of_one_tensor(), "activations": ACTIVATIONS, "named": NAMED, "binary": BINARY, "losses": LOSSES, "rows": ROWS,
}  # fmt: skip
VALUE, GRADIENT, BOTH = {"value"}, {"gradient"}, {"value", "gradient"}
DIFFERS = [
    ("gelu hardswish", VALUE, lambda p: p > 1e38, "x is multiplied before it is divided in PyTorch, and overflows"),
    ("gelu", VALUE, lambda p: p == -3, "PyTorch's error function is less exact in single precision"),
    ("hardsigmoid", GRADIENT, lambda p: abs(p) < 3, "PyTorch's sixth is one of single precision"),
    (
        "hardsigmoid hardtanh relu6 hardshrink softshrink clamp clamp_min clamp_max angle maximum minimum norm_0 norm_1 l1 hinge",
        GRADIENT, math.isnan, "NaN has no slope: PyTorch has 0 or 1, and not the same for both precisions",
    ),
    (
        "elu elu_of selu celu celu_of hardswish logit logit_of", GRADIENT, math.isnan,
        "as the element stands in a vector or alone, PyTorch has NaN or 1: how wide vectors are, the machine says",
    ),
    ("sinc", GRADIENT, lambda p: abs(p) == 1e-4, "two nearly equal numbers are subtracted in both"),
    ("logit special_entr", GRADIENT, lambda p: p < 0 or p > 1, "outside of the domain PyTorch's slope is NaN"),
    ("special_entr", GRADIENT, lambda p: p == 0, "the slope beside the end of the domain is infinite, at it 0"),
    ("rsqrt", GRADIENT, lambda p: p == 0, "the sign of an infinity at -0"),
    ("sinh cosh", BOTH, lambda p: abs(p) in (89, 710), "finite as it is; PyTorch divides an exponential that overflowed"),
    ("digamma special_psi", GRADIENT, lambda p: p < 0 and p == int(p), "no slope at a pole; PyTorch's is any number"),
    ("digamma special_psi", GRADIENT, lambda p: p in (0.5, 1, 2, 3, math.inf), "PyTorch's trigamma has eight digits"),
    ("pow_1.5", GRADIENT, lambda p: p == -math.inf, "C's pow, where PyTorch takes a square root"),
    ("copysign", GRADIENT, math.isinf, "the slope is a sign; PyTorch divides infinities"),
    ("bce_1", VALUE, lambda p: p == -89, "the sigmoid is not 0 as it is; PyTorch divides by an exponential that overflowed"),
    ("bce_of_bounds", GRADIENT, lambda p: p in (0, 1e-30, 1), "PyTorch's 1e-12 is one of single precision"),
    ("std std_of_equal std_mean", GRADIENT, lambda p: abs(p) == 3e38, "PyTorch's differences overflow in single precision"),
]  # fmt: skip
"""(functions, what differs, at which inputs, why)"""


def _differs(name, part, point):
    short = name.removeprefix("aten.").removesuffix(".default")
    return any(short in names.split() and part in parts and at(point) for names, parts, at, _ in DIFFERS)


class Many(nn.Module):
    """Each function of a row of its own, so that no gradient goes through another one."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, x):
        return {name: function(row) for (name, function), row in zip(self.functions.items(), x, strict=True)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["single", "double"])
@pytest.mark.parametrize("group", list(GROUPS))
def test_odd_inputs(group, dtype):
    points = SINGLE if dtype == torch.float32 else DOUBLE
    module = Many(GROUPS[group])
    x, twin = (torch.tensor([points] * len(module.functions), dtype=dtype, requires_grad=True) for _ in range(2))
    got, want = hybridize(module)(x), module(twin)
    for results in (got, want):
        sum(y.sum() for y in results.values() if y.requires_grad).backward()
    wrong = []
    for row, (name, theirs) in enumerate(want.items()):
        ours = got[name]
        assert ours.dtype == theirs.dtype, name
        assert ours.requires_grad == theirs.requires_grad, name
        for part, mine, eager in (("value", ours.detach(), theirs.detach()), ("gradient", x.grad[row], twin.grad[row])):
            count = max(eager.numel() // len(points), 1)
            for index in (~_close(mine, eager)).flatten().nonzero().flatten().tolist():
                point = points[index // count % len(points)]
                if not _differs(name, part, point):
                    found = f"{mine.flatten()[index]:g} for {eager.flatten()[index]:g}"
                    wrong.append(f"{part} of {name} at {point:g}: {found}")
    assert not wrong, "\n".join(wrong)


def _close(ours, theirs):
    if not theirs.is_floating_point():
        return ours == theirs
    rtol, atol = (2e-5, 2.5e-7) if theirs.dtype == torch.float32 else (1e-9, 5e-16)
    return torch.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)


WHOLE = {
    "max": torch.max, "min": torch.min, "amax": torch.amax, "amin": torch.amin, "median": torch.median, "nanmedian": torch.nanmedian,
    "max_of": lambda x: x.max(0)[0], "median_of": lambda x: x.median(0)[0], "quantile": lambda x: x.quantile(0.5),
    "quantiles": lambda x: x.quantile(torch.tensor([0.0, 0.3, 1.0], dtype=x.dtype), interpolation="nearest"), "nanquantile": lambda x: x.nanquantile(0.5),
    "norm": torch.norm, "norm_1": lambda x: x.norm(1), "norm_inf": lambda x: x.norm(math.inf), "norm_-inf": lambda x: x.norm(-math.inf),
    "dist": lambda x: torch.dist(x, torch.zeros_like(x), math.inf), "l1": lambda x: F.l1_loss(torch.zeros_like(x), x),
    "std": lambda x: x.std(correction=0), "smooth_l1": lambda x: F.smooth_l1_loss(x, torch.zeros_like(x)),
}  # fmt: skip
SEVERAL = [
    [1.0, math.nan, -2.0, math.inf], [math.nan, math.nan, 0.0, -0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 2.0, 1.0, -2.0], [4.0, 4.0], [0.5],
    [0.0, 0.0], [1e30, -1e30, 0.0], [1e-30, -1e-30, 4e-30], [math.inf, math.inf], [-math.inf, 1.0], [math.nan],
]  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["single", "double"])
@pytest.mark.parametrize("name", WHOLE)
def test_reductions_of_odd_elements(name, dtype):
    """Values, gradients and gradients of those, as many elements as are equal share one."""
    function, compiled = WHOLE[name], hybridize(lambda x: WHOLE[name](x))
    for row in SEVERAL:
        x, twin = (torch.tensor(row, dtype=dtype, requires_grad=True) for _ in range(2))
        found = []
        for call, of in ((compiled, x), (function, twin)):
            y = call(of).sum()
            (gradient,) = torch.autograd.grad(y, of)
            found.append((y.detach(), gradient))
        for mine, eager in zip(*found, strict=True):
            assert torch.isclose(mine, eager, rtol=2e-5, atol=0, equal_nan=True).all(), (row, found)


def test_the_gradient_of_a_gradient_at_shared_elements():
    for function in (lambda x: (x**3).max(), lambda x: (x**3).norm(math.inf), lambda x: torch.xlogy(x, x).sum()):
        x, twin = (torch.tensor([2.0, 0.5, 2.0], requires_grad=True) for _ in range(2))
        seconds = []
        for call, of in ((hybridize(function), x), (function, twin)):
            (first,) = torch.autograd.grad(call(of), of, create_graph=True)
            seconds.append(torch.autograd.grad((first * first).sum(), of)[0])
        torch.testing.assert_close(*seconds)
