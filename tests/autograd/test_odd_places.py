# SPDX-License-Identifier: Apache-2.0
"""Gradients at odd places: ties, zeros, infinities, NaN, nothing, one; short floats; repeated and negative indices.

They are PyTorch's but for extremes, imperatively and through compiled functions. Where PyTorch's own functions differ among themselves
(the median of equal elements, a clamp and a hard sigmoid at their limits) there is nothing to compare.
"""

import numpy
import pytest
import torch
import torch.nn.functional as F

from hybridize import autograd, hybridize, np, npx

inf, nan = numpy.inf, numpy.nan
CASES = {}


def both(name, ours, theirs, data, dtype="float64", tol=1e-6):
    """A case: what is done here and there to which data."""
    name = f"{name} {dtype}" if dtype != "float64" else name
    assert name not in CASES
    CASES[name] = ours, theirs, numpy.array(data, "f8"), dtype, tol


def each(t, extreme):
    """An extreme of PyTorch's, of which each element that is as extreme has the whole gradient, as in MXNet."""
    axes = list(range(extreme.ndim, t.ndim))
    top = extreme.detach()[(..., *[None] * len(axes))]
    return top.reshape(extreme.shape) + ((t - t.detach()) * (t.detach() == top)).sum(axes)


T = [1.0, 3, 3, 2, 3, 1]
both("max ties", lambda x: x.max() + x * 0, lambda t: each(t, t.amax()) + t * 0, T)
both("min ties", lambda x: x.min(), lambda t: each(t, t.amin()), T)
both("max ties, an axis", lambda x: x.reshape(2, 3).max(1), lambda t: each(t.reshape(2, 3), t.reshape(2, 3).amax(1)), T)
# At a tie the first array has the whole gradient, as in MXNet; a number has none.
both("maximum tie", lambda x: np.maximum(x, 3.0), lambda t: torch.where(t >= 3, t, 3), T)
both("maximum tie of a number", lambda x: np.maximum(3.0, x), lambda t: torch.where(t >= 3, t, 3), T)
both("minimum tie", lambda x: np.minimum(x, x[::-1]), lambda t: torch.where(t <= t.flip(0), t, t.flip(0)), T)
both("minimum tie of a number", lambda x: np.minimum(3.0, x), lambda t: torch.where(t <= 3, t, 3), T)
both("fmax tie", lambda x: np.fmax(x, 3.0), lambda t: torch.fmax(t, torch.full_like(t, 3)), T)
both("sort ties", lambda x: np.sort(x) * np.arange(6), lambda t: torch.sort(t, stable=True)[0] * torch.arange(6), T)
both("clip at bounds", lambda x: np.clip(x, 1, 3), lambda t: torch.clamp(t, 1, 3), T)
both(
    "topk ties",
    lambda x: npx.topk(x, k=2, ret_typ="value") * np.array([1.0, 2]),
    lambda t: torch.topk(t, 2)[0] * torch.tensor([1.0, 2]),
    [1.0, 5, 3, 4],
)
Z = [0.0, 1, 0, -2]
both("abs0", np.abs, torch.abs, Z)
both("sqrt0", lambda x: np.sqrt(np.abs(x)), lambda t: torch.sqrt(t.abs()), Z)
both("sqrt0b", lambda x: np.sqrt(x), torch.sqrt, [0.0, 1, 4])
both("norm0", lambda x: np.linalg.norm(x) + x * 0, lambda t: torch.linalg.norm(t) + t * 0, [0.0, 0, 0])
both(
    "norm0axis",
    lambda x: np.linalg.norm(x.reshape(2, 2), axis=1) + 1,
    lambda t: torch.linalg.norm(t.reshape(2, 2), dim=1) + 1,
    [0.0, 0, 3, 4],
)
both("norm1", lambda x: np.linalg.norm(x, 1, 0) + 1, lambda t: torch.linalg.norm(t, 1) + 1, Z)
both("norm3", lambda x: np.linalg.norm(x, 3, 0) + 1, lambda t: torch.linalg.norm(t, 3) + 1, Z)
both("norm3zero", lambda x: np.linalg.norm(x, 3, 0) + 1, lambda t: torch.linalg.norm(t, 3) + 1, [0.0, 0])
both("norminf", lambda x: np.linalg.norm(x, numpy.inf, 0) + 1, lambda t: torch.linalg.norm(t, inf) + 1, [2.0, -2, 1])
both("npx.norm0", lambda x: npx.norm(x) + 1, lambda t: torch.linalg.norm(t) + 1, [0.0, 0])
both("std0", lambda x: np.std(x) + 1, lambda t: torch.std(t, correction=0) + 1, [2.0, 2, 2])
both("std1", lambda x: np.std(x) + 1, lambda t: torch.std(t, correction=0) + 1, [2.0])
both(
    "l2n0",
    lambda x: npx.l2_normalization(x.reshape(1, -1)),
    lambda t: (t / torch.sqrt((t * t).sum() + 1e-10)).reshape(1, -1),
    [0.0, 0],
)
for p in (0, 1, 2, 3, 0.5, -1):
    both(f"pow(x,{p})", lambda x, p=p: x**p, lambda t, p=p: t**p, [0.0, 1, 2])
both("pow(0,y)", lambda x: np.power(0.0, x), lambda t: torch.pow(torch.zeros(()).double(), t), [1.0, 2, 0])
both("pow neg", lambda x: np.power(x, 2.0), lambda t: torch.pow(t, 2.0), [-1.0, -2, 0])
both("pow xx", lambda x: np.power(x, x), lambda t: torch.pow(t, t), [1.0, 2, 0.5])
both(
    "pow 0 0 arr",
    lambda x: np.power(x, np.array([0.0, 2, 1], dtype="float64")),
    lambda t: torch.pow(t, torch.tensor([0.0, 2, 1]).double()),
    [0.0, 0, 0],
)
both("prod zeros", lambda x: np.prod(x) + x, lambda t: torch.prod(t) + t, [0.0, 2, 3])
both("prod 2 zeros", lambda x: np.prod(x) + x, lambda t: torch.prod(t) + t, [0.0, 2, 0])
both("cumprod zeros", lambda x: np.cumprod(x), lambda t: torch.cumprod(t, 0), [2.0, 0, 3, 0, 4])
both("relu0", npx.relu, torch.relu, [0.0, -0.0, 1, -1])
both("sign", lambda x: np.sign(x) * x, lambda t: torch.sign(t) * t, Z)
both("leaky0", lambda x: npx.leaky_relu(x), lambda t: F.leaky_relu(t, 0.25), Z)
both("elu0", lambda x: npx.leaky_relu(x, act_type="elu", slope=1.0), F.elu, Z)
both("selu0", lambda x: npx.leaky_relu(x, act_type="selu"), F.selu, Z)
both("smoothl1", npx.smooth_l1, lambda t: F.smooth_l1_loss(t, torch.zeros_like(t), reduction="none"), [0.0, 1, -1, 0.5])
both(
    "where inf",
    lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1)), 0),
    lambda t: torch.where(t > 0, torch.log(torch.where(t > 0, t, 1)), 0),
    [0.0, 1, 2, -1],
)
both(
    "where nan masked naive",
    lambda x: np.where(x > 0, np.sqrt(x), 0.0),
    lambda t: torch.where(t > 0, torch.sqrt(t), 0.0),
    [0.0, 1, 4],
)
both("hypot0", lambda x: np.hypot(x, x[::-1]) + 1, lambda t: torch.hypot(t, t.flip(0)) + 1, [0.0, 0, 1, 0])
both("arctan2 0", lambda x: np.arctan2(x, x[::-1]) + 1, lambda t: torch.atan2(t, t.flip(0)) + 1, [0.0, 0, 1, 0.0])
both(
    "logaddexp inf",
    lambda x: np.where(np.isfinite(x), np.logaddexp(x, x[::-1]), 0),
    lambda t: torch.where(t.isfinite(), torch.logaddexp(t, t.flip(0)), 0),
    [-inf, 1, 2, -inf],
)
both(
    "logaddexp -inf -inf",
    lambda x: np.exp(np.logaddexp(x, x[::-1])),
    lambda t: torch.exp(torch.logaddexp(t, t.flip(0))),
    [-inf, 1, -inf],
)
both("logsumexp -inf", lambda x: np.exp(npx.logsumexp(x)), lambda t: torch.exp(torch.logsumexp(t, 0)), [-inf, -inf])
both("logsumexp one -inf", lambda x: npx.logsumexp(x), lambda t: torch.logsumexp(t, 0), [-inf, 1.0])
both("softmax -inf", lambda x: npx.softmax(x), lambda t: torch.softmax(t, 0), [-inf, 1.0, 2])
both("log_softmax -inf", lambda x: npx.log_softmax(x)[1:], lambda t: torch.log_softmax(t, 0)[1:], [-inf, 1.0, 2])
both("sigmoid big", npx.sigmoid, torch.sigmoid, [1000.0, -1000, 0])
both("softplus big", npx.softrelu, F.softplus, [1000.0, -1000, 0])
both("tanh big", np.tanh, torch.tanh, [1000.0, -1000])
both("gelu big", npx.gelu, F.gelu, [1000.0, -1000, 0])
both("mish big", npx.mish, F.mish, [1000.0, -1000, 0])
both("silu big", npx.silu, F.silu, [1000.0, -1000, 0])
both("logsig", npx.log_sigmoid, F.logsigmoid, [1000.0, -1000, 0])
both("erf", npx.erf, torch.erf, [100.0, -100])
both("expm1", np.expm1, torch.expm1, [-1000.0, 0])
both("gelu inf", npx.gelu, F.gelu, [inf, -inf])
both("silu inf", npx.silu, F.silu, [inf, -inf])
both("mish inf", npx.mish, F.mish, [inf, -inf])
both("softsign", npx.softsign, F.softsign, [0.0, 1, -1])
both(
    "xlogx",
    lambda x: np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, x))),
    lambda t: torch.where(t == 0, 0, t * torch.log(torch.where(t == 0, 1, t))),
    [0.0, 1, 2],
)
both("nansum", np.nansum, torch.nansum, [nan, 1, 2])
both("nanmean", np.nanmean, torch.nanmean, [nan, 1, 2])
both(
    "nan_to_num",
    lambda x: np.sin(np.nan_to_num(x, posinf=3.0)),
    lambda t: torch.sin(torch.nan_to_num(t, posinf=3.0)),
    [nan, 1, inf],
)
both("nanmax", lambda x: np.nanmax(x), lambda t: t[1:].max(), [nan, 1, 2])
both("nanvar", lambda x: np.nanvar(x), lambda t: t[1:].var(correction=0), [nan, 1, 2])
both("max nan", lambda x: np.where(x == x, x, 0).max(), lambda t: torch.where(t == t, t, 0).amax(), [nan, 1, 2])
# shapes
both("empty", lambda x: x.sum() + np.exp(x).sum(), lambda t: t.sum() + torch.exp(t).sum(), [])
both("empty prod", lambda x: x.prod() * 2, lambda t: t.prod() * 2, [])
both("empty sort", lambda x: np.sort(x), lambda t: t.sort()[0], [])
both(
    "empty mat",
    lambda x: x.reshape(0, 3) @ np.ones((3, 2), dtype="float64"),
    lambda t: t.reshape(0, 3) @ torch.ones(3, 2).double(),
    [],
)
both(
    "empty take",
    lambda x: np.take(x, numpy.array([], "i8"), mode="raise"),
    lambda t: t[torch.tensor([], dtype=torch.long)],
    [1.0, 2],
)
both("empty cumsum", lambda x: np.cumsum(x), lambda t: t.cumsum(0), [])
both("empty concat", lambda x: np.concatenate([x, x[:0]]), lambda t: torch.cat([t, t[:0]]), [1.0, 2])
both("empty softmax", lambda x: npx.softmax(x.reshape(0, 3)), lambda t: torch.softmax(t.reshape(0, 3), 1), [])
both(
    "0d",
    lambda x: np.sin(x) * x.sum() + x.max() + np.sort(x.reshape(1)),
    lambda t: torch.sin(t) * t.sum() + t.max() + t.reshape(1).sort()[0],
    2.0,
)
both(
    "0d cumsum",
    lambda x: np.cumsum(x) + np.prod(x) + np.std(x.reshape(1)),
    lambda t: t.reshape(1).cumsum(0) + t.prod() + torch.std(t.reshape(1), correction=0),
    2.0,
)
M = numpy.arange(6.0).reshape(2, 3)
both("bc", lambda x: x[:1] * x[:, :1] + x[0, 0], lambda t: t[:1] * t[:, :1] + t[0, 0], M)
both("bc where", lambda x: np.where(x[:, :1] > 1, x, x[0]), lambda t: torch.where(t[:, :1] > 1, t, t[0]), M)
both("mask", lambda x: x * (x > 2), lambda t: t * (t > 2), M)
both("neg idx", lambda x: x[-1, [-1, 0, -1]], lambda t: t[-1, [-1, 0, -1]], M)
both("rep take", lambda x: np.take(x, numpy.array([0, 0, 1, 0]), 0), lambda t: t[[0, 0, 1, 0]], M)
both("take wrap", lambda x: np.take(x, numpy.array([-1, 3, 7]), 1, mode="wrap"), lambda t: t[:, [2, 0, 1]], M)
both("take clip", lambda x: np.take(x, numpy.array([-1, 3, 7]), 1, mode="clip"), lambda t: t[:, [0, 2, 2]], M)
both("take raise", lambda x: np.take(x, numpy.array([-1, -2]), 1, mode="raise"), lambda t: t[:, [-1, -2]], M)
both(
    "taa neg rep",
    lambda x: np.take_along_axis(x, numpy.array([[-1, -1, 0], [0, 0, 0]]), 1),
    lambda t: torch.gather(t, 1, torch.tensor([[2, 2, 0], [0, 0, 0]])),
    M,
)
both(
    "gather_nd rep",
    lambda x: npx.gather_nd(x, numpy.array([[0, 0, -1], [1, 1, -1]])),
    lambda t: t[[0, 0, -1], [1, 1, -1]],
    M,
)
both(
    "scatter_nd rep",
    lambda x: npx.scatter_nd(x[0], numpy.array([[1, 1, 0]]), (2,)),
    lambda t: torch.stack([t[0, 2], t[0, 1]]),
    M,
)
both(
    "index_update rep",
    lambda x: npx.index_update(x, numpy.array([[0, 0]]), x * 3),
    lambda t: torch.stack([t[1] * 3, t[1]]),
    M,
)


def setm(x):
    y = x * 2
    y[x > 2] = 0.0
    return y


def tsetm(t):
    y = t * 2
    y = torch.where(t > 2, 0, y)
    return y


both("set mask", setm, tsetm, M)


def setrep(x):
    y = x * 2
    y[:, [0, 0]] = x[:, 1:]
    return y


def tsetrep(t):
    y = t * 2
    return torch.cat([t[:, 2:], y[:, 1:]], 1)


both("set rep", setrep, tsetrep, M)


def neg(x):
    y = x * 2
    y[-1, ::-1] = x[0]
    return y


both("set neg", neg, lambda t: torch.stack([t[0] * 2, t[0].flip(0)]), M)
for dt, tol in (("float32", 1e-5), ("float16", 2e-2), ("bfloat16", 8e-2)):
    D = [0.5, 1.25, -0.75]
    for n, (f, g) in {
        "sin": (np.sin, torch.sin),
        "tanh": (np.tanh, torch.tanh),
        "softmax": (npx.softmax, lambda t: torch.softmax(t, 0)),
        "sum": (lambda x: x.sum(), lambda t: t.sum()),
        "mean": (lambda x: x.mean(), lambda t: t.mean()),
        "std": (lambda x: x.std(), lambda t: t.std(correction=0)),
        "prod": (lambda x: x.prod(), lambda t: t.prod()),
        "max": (lambda x: x.max(), lambda t: t.amax()),
        "sort": (np.sort, lambda t: t.sort()[0]),
        "cumsum": (np.cumsum, lambda t: t.cumsum(0)),
        "matmul": (lambda x: np.outer(x, x) @ x, lambda t: torch.outer(t, t) @ t),
        "take": (lambda x: np.take(x, numpy.array([0, 0, 2])), lambda t: t[[0, 0, 2]]),
        "relu": (npx.relu, torch.relu),
        "gelu": (npx.gelu, F.gelu),
        "erf": (npx.erf, torch.erf),
        "exp": (np.exp, torch.exp),
        "norm": (np.linalg.norm, torch.linalg.norm),
        "ln": (
            lambda x: npx.layer_norm(x.reshape(1, 3), np.ones(3, dtype=x.dtype), np.zeros(3, dtype=x.dtype)) + 1,
            lambda t: F.layer_norm(t.reshape(1, 3), (3,)) + 1,
        ),
        "lse": (npx.logsumexp, lambda t: torch.logsumexp(t, 0)),
        "mixed": (lambda x: x * np.array([1, 2, 3], dtype="int32") + 2, lambda t: t * torch.tensor([1, 2, 3]) + 2),
        "div int": (lambda x: x / np.array([1, 2, 3], dtype="int32"), lambda t: t / torch.tensor([1, 2, 3])),
        "pow int": (lambda x: x ** np.array([1, 2, 3], dtype="int32"), lambda t: t ** torch.tensor([1, 2, 3])),
        "where": (lambda x: np.where(x > 0, x, np.array(2, dtype="int32")), lambda t: torch.where(t > 0, t, 2.0)),
    }.items():
        both(n, f, g, D, dt, tol)


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_pytorchs(name, compiled):
    ours, theirs, data, dtype, tol = CASES[name]
    x = np.array(data, dtype=dtype)
    x.attach_grad()
    function = hybridize(lambda x: ours(x)) if compiled else ours
    with autograd.record():
        y = function(x)
        total = (y * y).sum()
    total.backward()
    t = torch.tensor(data, dtype=getattr(torch, dtype), requires_grad=True)
    z = theirs(t)
    (z * z).sum().backward()
    assert x.grad.dtype == x.dtype
    numpy.testing.assert_allclose(x.grad.astype("float64").asnumpy(), t.grad.double().numpy(), rtol=tol, atol=tol)


def test_slopes_at_odd_places_have_slopes():
    """What counts as 0 is 0 in the second order, too."""
    for function in (np.linalg.norm, np.std, lambda x: np.arctan2(x, x), lambda x: np.linalg.norm(x, 3, 0)):
        x = np.zeros(3, dtype="float64")
        x.attach_grad()
        with autograd.record():
            (slope,) = autograd.grad(function(x).sum(), x, create_graph=True)
            total = (slope * np.array([1.0, 2.0, 3.0])).sum()
        total.backward()
        assert slope.tolist() == x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_integers_have_slopes_of_powers(dtype):
    """Rounded to 0; of the exponent, too, whose logarithm is a float."""
    for function, wanted in ((lambda x: x**3, [3, 12, 27]), (lambda x: np.power(x, x), [1, 6, 56])):
        for compiled in (False, True):
            x = np.array([1, 2, 3], dtype=dtype)
            x.attach_grad()
            run = hybridize(lambda x, function=function: function(x)) if compiled else function
            with autograd.record():
                y = run(x)
            y.backward()
            assert x.grad.tolist() == wanted
