"""Operators of PyTorch: values, gradients (at ties and bounds too) and second gradients are PyTorch's."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize

# Ties, zeros, bounds of clamps, and what is beyond them.
X = torch.tensor(
    [[0.0, 1.0, -1.0, 1.0, 2.5, -3.0], [0.5, 0.5, -0.5, 3.0, -2.0, 6.0], [7.0, -7.0, 0.25, 0.0, 0.0, 1.5],
     [-0.1, 0.2, 0.3, -0.4, 0.7, -0.9]], dtype=torch.float64,
)  # fmt: skip
P = X.sigmoid()
T = torch.tensor([1, 0, 5, 3])
SIGNS = torch.where(X > 0, 1.0, -1.0).double()

ACTIVATIONS = {
    name: (lambda f: lambda x: f(x))(function)
    for name, function in {
        "relu": F.relu, "relu6": F.relu6, "hardtanh": F.hardtanh, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
        "softplus": F.softplus, "mish": F.mish, "silu": F.silu, "gelu": F.gelu, "elu": F.elu, "selu": F.selu,
        "celu": F.celu, "logsigmoid": F.logsigmoid, "softsign": F.softsign, "tanhshrink": F.tanhshrink,
        "hardshrink": F.hardshrink, "softshrink": F.softshrink, "leaky_relu": F.leaky_relu,
    }.items()
}  # fmt: skip
ACTIVATIONS |= {
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "glu": lambda x: F.glu(x),
    "clamp": lambda x: x.clamp(-1, 1),
    "clamp_max": lambda x: x.clamp_max(0.5),
    "clamp_min": lambda x: x.clamp_min(0.5),
    "clamp_tensors": lambda x: torch.clamp(x, x.flip(0) - 1, x.flip(1) + 3),
    "threshold": lambda x: F.threshold(x, 1.0, 0.1),
    "prelu": lambda x: F.prelu(x, torch.tensor([0.2], dtype=x.dtype)),
    "softmin": lambda x: F.softmin(x, 0),
    "rrelu": lambda x: F.rrelu(x, training=False),
    "abs": torch.abs,
    "logit": lambda x: x.sigmoid().logit(),
    "log_softmax": lambda x: F.log_softmax(x, 0),
}
LOSSES = {
    "cross_entropy": lambda x: F.cross_entropy(x, T),
    "cross_entropy_smooth": lambda x: F.cross_entropy(x, T, label_smoothing=0.1),
    "cross_entropy_weight": lambda x: F.cross_entropy(x, T, weight=torch.arange(1.0, 7.0, dtype=x.dtype)),
    "cross_entropy_ignore": lambda x: F.cross_entropy(x, torch.tensor([1, -100, 5, 3]), reduction="sum"),
    "cross_entropy_soft": lambda x: F.cross_entropy(x, P.softmax(1)),
    "cross_entropy_images": lambda x: F.cross_entropy(x.reshape(2, 3, 4), torch.tensor([[0, 1, 2, 0], [2, 2, 1, 0]])),
    "nll": lambda x: F.nll_loss(x, T, reduction="none"),
    "mse": lambda x: F.mse_loss(x, P), "l1": lambda x: F.l1_loss(x, P), "smooth_l1": lambda x: F.smooth_l1_loss(x, P),
    "huber": lambda x: F.huber_loss(x, P, delta=0.5), "bce": lambda x: F.binary_cross_entropy(x.sigmoid(), P),
    "bce_logits": lambda x: F.binary_cross_entropy_with_logits(x, P, pos_weight=P[0] + 1),
    "kl": lambda x: F.kl_div(F.log_softmax(x, 1), P, reduction="batchmean"),
    "hinge": lambda x: F.hinge_embedding_loss(x, SIGNS), "soft_margin": lambda x: F.soft_margin_loss(x, SIGNS),
    "ranking": lambda x: F.margin_ranking_loss(x[0], x[1], SIGNS[2]), "triplet": lambda x: F.triplet_margin_loss(x, P, P * 2),
    "cosine": lambda x: F.cosine_embedding_loss(x, P, torch.tensor([1, -1, 1, -1])),
    "multi_margin": lambda x: F.multi_margin_loss(x + torch.arange(6) / 97, T), "multilabel": lambda x: F.multilabel_soft_margin_loss(x, P),
    "poisson": lambda x: F.poisson_nll_loss(x, P),
    "kl_normal": lambda x: torch.distributions.kl_divergence(
        torch.distributions.Normal(x, x.exp()), torch.distributions.Normal(0.0, 1.0)
    ),
    "log_prob": lambda x: torch.distributions.Categorical(logits=x).log_prob(T),
    "entropy": lambda x: torch.distributions.Categorical(logits=x).entropy(),
}  # fmt: skip
REDUCTIONS = {
    "var": lambda x: x.var(1), "var_all": lambda x: x.var(correction=0), "var_mean": lambda x: torch.var_mean(x, 0),
    "std": lambda x: x.std(1, keepdim=True), "logsumexp": lambda x: x.logsumexp(1), "max": lambda x: x.max(),
    "min": lambda x: x.min(), "max_dim": lambda x: x.max(1), "min_dim": lambda x: x.min(0, keepdim=True),
    "amax": lambda x: x.amax(1), "amin": lambda x: x.amin(0), "argmin": lambda x: x.argmin(1), "all": lambda x: (x > -9).all(1),
    "prod": lambda x: x.prod(1), "cumprod": lambda x: x.cumprod(1), "cumsum": lambda x: x.cumsum(0), "norm": lambda x: x.norm(),
    "norm_1": lambda x: x.norm(1, dim=1), "norm_3": lambda x: x.norm(3, dim=1), "norm_inf": lambda x: x.norm(float("inf"), dim=1),
    "norm_zero": lambda x: (x * 0).norm(dim=1), "normalize": lambda x: F.normalize(x), "dist": lambda x: torch.dist(x, P),
    "cosine_similarity": lambda x: F.cosine_similarity(x, P), "cdist": lambda x: torch.cdist(x, P), "mean": lambda x: x.mean((0, 1)),
    "pairwise": lambda x: F.pairwise_distance(x, P), "count": lambda x: x.count_nonzero(1), "trace": lambda x: x[:, :4].trace(),
    "bucketize": lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0], dtype=x.dtype)),
    "median_by_sort": lambda x: x.sort(1)[0][:, 2],
}  # fmt: skip
INDEXING = {
    "rows": lambda x: x[torch.tensor([0, 2, 2, -1])], "points": lambda x: x[torch.arange(4), T], "columns": lambda x: x[:, T],
    "grid": lambda x: x[torch.tensor([[0], [1]]), torch.tensor([[1, 5]])],
    "apart": lambda x: x.reshape(2, 2, 6)[torch.tensor([0, 1]), :, torch.tensor([3, 4])],
    "put": lambda x: torch.index_put(x, (torch.tensor([0, 2]),), x[1] * 2),
    "put_twice": lambda x: torch.index_put(x, (torch.tensor([2, 2, 0]),), torch.stack([x[1], x[1], x[3]])),
    "scatter_twice": lambda x: x.scatter(1, torch.tensor([[0, 3, 3, 0]]).expand(4, 4), x[:, 1:2].expand(4, 4) * 2),
    "add": lambda x: torch.index_put(x, (torch.tensor([0, 0]),), x[1:3], accumulate=True),
    "index_add": lambda x: torch.zeros(6, 6, dtype=x.dtype).index_add(0, torch.tensor([0, 2, 2, 5]), x),
    "scatter": lambda x: torch.zeros(4, 6, dtype=x.dtype).scatter(1, T[:, None], x[:, :1]), "one_hot": lambda x: F.one_hot(T, 6) * x,
    "scatter_value": lambda x: x.scatter(1, T[:, None], 3.0), "gather": lambda x: x.gather(1, T[:, None]),
    "scatter_add": lambda x: torch.zeros(2, 6, dtype=x.dtype).scatter_add(0, (x > 0).long(), x),
    "topk": lambda x: (x + torch.arange(6) / 100).topk(3), "sort": lambda x: x.sort(dim=-1, stable=True),
    "argsort": lambda x: x.argsort(dim=0, stable=True), "diagonal": lambda x: x.diagonal(1), "diag": lambda x: torch.diag(x[0]),
    "diag_embed": lambda x: torch.diag_embed(x), "unfold": lambda x: x.unfold(1, 3, 2), "tril": lambda x: x.tril(-1),
    "triu": lambda x: x.triu(1), "roll": lambda x: x.roll(2, 1), "rot90": lambda x: torch.rot90(x),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 0), "embedding": lambda x: F.embedding(T[:3] % 4, x),
    "bag": lambda x: F.embedding_bag(torch.tensor([[0, 1], [3, 3]]), x), "reflect": lambda x: F.pad(x[None], (2, 1), mode="reflect"),
    "bag_sum": lambda x: F.embedding_bag(torch.tensor([0, 1, 3, 3, 2]), x, torch.tensor([0, 2]), mode="sum"),
    "write": lambda x: _written(x), "diff": lambda x: x.diff(), "meshgrid": lambda x: torch.meshgrid(x[0], x[1], indexing="ij"),
}  # fmt: skip
ALGEBRA = {
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, P), "outer": lambda x: torch.outer(x[0], x[1]), "mv": lambda x: x @ x[0],
    "addmv": lambda x: torch.addmv(x[:, 0], x, x[0], beta=2, alpha=3), "tensordot": lambda x: torch.tensordot(x, P, ([1], [1])),
    "kron": lambda x: torch.kron(x[:2, :2], P[:2, :2]), "cross": lambda x: torch.linalg.cross(x[:, :3], x[:, 3:]),
    "bilinear": lambda x: F.bilinear(x, P, torch.arange(72, dtype=x.dtype).reshape(2, 6, 6) / 72),
    "lerp": lambda x: torch.lerp(x, P, 0.3), "addcmul": lambda x: torch.addcmul(x, x, P, value=0.5),
    "addcdiv": lambda x: torch.addcdiv(x, x, P, value=0.5), "hypot": lambda x: x.hypot(P), "logaddexp": lambda x: torch.logaddexp(x, P),
    "xlogy": lambda x: torch.xlogy(x, P), "copysign": lambda x: (x + 0.3).copysign(-x - 0.2), "fmax": lambda x: torch.fmax(x, P),
    "maximum": lambda x: torch.maximum(x, x.flip(1)), "minimum": lambda x: torch.minimum(x, x.flip(1)), "atan2": lambda x: x.atan2(P),
    "erfc": torch.erfc, "erfinv": lambda x: (x / 9).erfinv(), "lgamma": lambda x: (x.abs() + 0.5).lgamma(), "exp2": torch.exp2,
    "log10": lambda x: P.log10() * x, "asinh": torch.asinh, "acosh": lambda x: (x.abs() + 1.5).acosh(), "atanh": lambda x: (x / 9).atanh(),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], P[None], x[None], is_causal=True), "isinf": lambda x: (x / 0).isinf(),
    "linspace": lambda x: torch.linspace(0, 1, 6, dtype=x.dtype) * x, "group_norm": lambda x: F.group_norm(x, 2, P[0], P[1]),
    "layer_norm": lambda x: F.layer_norm(x, (6,), P[0], P[1]), "rms_norm": lambda x: F.rms_norm(x, (6,), P[0]),
    "batch_norm": lambda x: F.batch_norm(x, None, None, P[0], P[1], True), "instance_norm": lambda x: F.instance_norm(x.reshape(2, 2, 6)),
    "nan_to_num": lambda x: (x / x.relu()).nan_to_num(0.5, 2.0, -2.0).detach() * x, "square": torch.square, "pow": lambda x: x**3,
}  # fmt: skip


def _written(x):
    y = x.clone()
    y[:, 1] = 2.0
    y[torch.tensor([0, 3])] = x[1] * 3
    y[1, 2:4] += x[0, 0]
    return y


class Many(nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, x):
        return {name: _tensors(function(x)) for name, function in self.functions.items()}


def _tensors(y):
    return [y] if isinstance(y, torch.Tensor) else list(y)


GROUPS = {
    "activations": ACTIVATIONS, "losses": LOSSES, "reductions": REDUCTIONS, "indexing": INDEXING, "algebra": ALGEBRA,
}  # fmt: skip


@pytest.mark.parametrize("group", list(GROUPS))
def test_values_and_gradients(group):
    module = Many(GROUPS[group])
    x, twin = X.clone().requires_grad_(), X.clone().requires_grad_()
    got, want = hybridize(module)(x), module(twin)
    for name, results in want.items():
        for ours, theirs in zip(got[name], results, strict=True):
            torch.testing.assert_close(
                ours, theirs, rtol=1e-9, atol=1e-12, msg=lambda text, name=name: f"{name}: {text}"
            )
            assert ours.requires_grad == theirs.requires_grad, name
            if not theirs.requires_grad:
                continue
            weights = torch.linspace(-1, 2, theirs.numel(), dtype=X.dtype).reshape(theirs.shape)
            firsts = [
                torch.autograd.grad((y * weights).sum(), [a], create_graph=False, retain_graph=True)[0]
                for y, a in ((ours, x), (theirs, twin))
            ]
            torch.testing.assert_close(*firsts, rtol=1e-7, atol=1e-9, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("group", list(GROUPS))
def test_single_precision(group):
    x = X.float()
    mixed = {"huber", "soft_margin"}  # of both precisions, whose common one torch.export takes for another
    chosen = {name: f for name, f in GROUPS[group].items() if name not in mixed and _takes_single(f, x)}
    module = Many(chosen)
    assert len(module.functions) > len(GROUPS[group]) / 3
    with torch.no_grad():
        got, want = hybridize(module)(x), module(x)
    for name, results in want.items():
        for ours, theirs in zip(got[name], results, strict=True):
            torch.testing.assert_close(
                ours, theirs, rtol=1e-4, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}"
            )


def _takes_single(function, x):
    try:
        return all(y.dtype != torch.float64 for y in _tensors(function(x)))
    except RuntimeError:  # a constant in double precision
        return False


def test_second_gradients():
    smooth = {**LOSSES, **ALGEBRA, "softplus": F.softplus, "mish": F.mish, "var": lambda x: x.var(1)}
    left_out = {
        "l1",
        "smooth_l1",
        "huber",
        "hinge",
        "ranking",
        "multi_margin",
        "triplet",
        "lgamma",
        "fmax",
        "maximum",
        "minimum",
        "nan_to_num",
        "copysign",
    }
    module = Many({name: function for name, function in smooth.items() if name not in left_out})
    x, twin = (X + 0.05).requires_grad_(), (X + 0.05).requires_grad_()
    seconds = []
    for run, a in ((hybridize(module), x), (module, twin)):
        results = [y for part in run(a).values() for y in part if y.requires_grad]
        total = sum((y * torch.linspace(1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)).sum() for y in results)
        (first,) = torch.autograd.grad(total, [a], create_graph=True)
        seconds.append(torch.autograd.grad(first.square().sum(), [a])[0])
    torch.testing.assert_close(*seconds, rtol=1e-7, atol=1e-7)
