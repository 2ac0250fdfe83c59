"""Training loops as people write them: nets, their optimizers, and a step that gives the loss."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.parametrizations import spectral_norm, weight_norm


@dataclass
class Loop:
    """One loop; `step(runs, nets, optimizers, number)` gives the loss, and what it calls is among `runs`."""

    nets: list[nn.Module]
    step: Callable
    optimizers: Callable = lambda nets: [torch.optim.SGD(p for net in nets for p in net.parameters())]
    schedule: Callable | None = None
    extra: dict = field(default_factory=dict)


LOOPS: dict[str, Callable[[], Loop]] = {}


def loop(function):
    LOOPS[function.__name__] = function
    return function


def mlp(*widths, last=nn.Identity):
    layers = [layer for a, b in itertools.pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1], last())


def sgd(rate=0.1, **options):
    return lambda nets: [torch.optim.SGD([p for net in nets for p in net.parameters()], lr=rate, **options)]


def adam(rate=0.01, **options):
    return lambda nets: [torch.optim.Adam([p for net in nets for p in net.parameters()], lr=rate, **options)]


def data(number, *shape):
    """The inputs of one step, the same for every run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(number)).to(torch.get_default_dtype())


def labels(number, count, classes):
    return torch.randint(0, classes, (count,), generator=torch.Generator().manual_seed(number + 1000))


def descend(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def classify(runs, nets, optimizers, number):
    return descend(optimizers[0], F.cross_entropy(runs[0](data(number, 8, 6)), labels(number, 8, 3)))


OPTIMIZERS = {
    "sgd": sgd(0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "adam": adam(amsgrad=True),
    "adamw": lambda nets: [torch.optim.AdamW(nets[0].parameters(), lr=0.01, foreach=False)],
    "rmsprop": lambda nets: [torch.optim.RMSprop(nets[0].parameters(), lr=0.01, centered=True)],
    "adagrad": lambda nets: [torch.optim.Adagrad(nets[0].parameters(), lr=0.1)],
    "adadelta": lambda nets: [torch.optim.Adadelta(nets[0].parameters())],
    "adamax": lambda nets: [torch.optim.Adamax(nets[0].parameters())],
    "nadam": lambda nets: [torch.optim.NAdam(nets[0].parameters())],
    "radam": lambda nets: [torch.optim.RAdam(nets[0].parameters())],
    "asgd": lambda nets: [torch.optim.ASGD(nets[0].parameters())],
    "rprop": lambda nets: [torch.optim.Rprop(nets[0].parameters())],
}
for _name, _optimizer in OPTIMIZERS.items():
    LOOPS[f"mlp_{_name}"] = lambda optimizer=_optimizer: Loop([mlp(6, 8, 3)], classify, optimizer)


@loop
def lbfgs():
    def step(runs, nets, optimizers, number):
        def closure():
            optimizers[0].zero_grad()
            loss = F.mse_loss(runs[0](data(0, 8, 6)), data(1, 8, 3))
            loss.backward()
            return loss

        return optimizers[0].step(closure)

    return Loop([mlp(6, 4, 3)], step, lambda nets: [torch.optim.LBFGS(nets[0].parameters(), lr=0.1, max_iter=4)])


@loop
def logistic_regression():
    def step(runs, nets, optimizers, number):
        target = labels(number, 8, 2).to(torch.get_default_dtype())
        return descend(optimizers[0], F.binary_cross_entropy_with_logits(runs[0](data(number, 8, 6))[:, 0], target))

    return Loop([nn.Linear(6, 1)], step, sgd())


@loop
def clipped_and_scheduled():
    def step(runs, nets, optimizers, number):
        loss = F.cross_entropy(runs[0](data(number, 8, 6)), labels(number, 8, 3))
        optimizers[0].zero_grad()
        loss.backward()
        clip_grad_norm_(nets[0].parameters(), 0.1)
        optimizers[0].step()
        return loss

    schedule = lambda optimizer: torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)  # noqa: E731
    return Loop([mlp(6, 8, 3)], step, sgd(0.5), schedule)


@loop
def batch_norm():
    net = nn.Sequential(nn.Linear(6, 8, bias=False), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
    return Loop([net], classify, adam())


@loop
def residual_layer_norm():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.inner, self.head = nn.LayerNorm(6), mlp(6, 12, 6), nn.Linear(6, 3)

        def forward(self, x):
            return self.head(x + self.inner(self.norm(x)))

    return Loop([Block()], classify, adam())


@loop
def group_norm_images():
    net = nn.Sequential(nn.Unflatten(1, (4, 3)), nn.GroupNorm(2, 4), nn.SiLU(), nn.Flatten(), nn.Linear(12, 3))

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], F.cross_entropy(runs[0](data(number, 8, 12)), labels(number, 8, 3)))

    return Loop([net], step, adam())


@loop
def loss_inside_of_the_module():
    class WithLoss(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.loss = mlp(6, 8, 3), nn.CrossEntropyLoss(label_smoothing=0.1)

        def forward(self, x, y):
            logits = self.net(x)
            return {"loss": self.loss(logits, y), "logits": logits}

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[0](data(number, 8, 6), labels(number, 8, 3))["loss"])

    return Loop([WithLoss()], step, adam())


@loop
def loss_hybridized_too():
    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[1](runs[0](data(number, 8, 6)), labels(number, 8, 3)))

    return Loop([mlp(6, 8, 3), nn.CrossEntropyLoss()], step, adam())


@loop
def ragged_batches():
    def step(runs, nets, optimizers, number):
        rows = (8, 8, 5, 3, 1)[number % 5]
        return descend(optimizers[0], F.cross_entropy(runs[0](data(number, rows, 6)), labels(number, rows, 3)))

    return Loop([mlp(6, 8, 3)], step, adam())


@loop
def embedding_classifier():
    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.head = nn.Embedding(20, 5, padding_idx=0), nn.Linear(5, 3)

        def forward(self, tokens):
            mask = (tokens != 0).unsqueeze(-1)
            total = (self.words(tokens) * mask).sum(1)
            return self.head(total / mask.sum(1).clamp(min=1))

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], F.cross_entropy(runs[0](labels(number, 40, 20).view(8, 5)), labels(number, 8, 3)))

    return Loop([Words()], step, adam())


@loop
def embedding_bag():
    net = nn.Sequential(nn.EmbeddingBag(20, 5), nn.Linear(5, 3))

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], F.cross_entropy(runs[0](labels(number, 40, 20).view(8, 5)), labels(number, 8, 3)))

    return Loop([net], step, sgd(0.5))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer, self.head = nn.Linear(4, 20), nn.Linear(5, 20, bias=False), nn.Linear(5, 3)

    def forward(self, x):
        h, c = x.new_zeros(x.shape[0], 5), x.new_zeros(x.shape[0], 5)
        for t in range(x.shape[1]):
            i, f, g, o = (self.inner(x[:, t]) + self.outer(h)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return self.head(h)


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer, self.head = nn.Linear(4, 15), nn.Linear(5, 15), nn.Linear(5, 3)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 5)
        for t in range(x.shape[1]):
            a, b = self.inner(x[:, t]).split(5, 1), self.outer(h).split(5, 1)
            r, z = (a[0] + b[0]).sigmoid(), (a[1] + b[1]).sigmoid()
            h = (1 - z) * (a[2] + r * b[2]).tanh() + z * h
        return self.head(h)


def sequences(runs, nets, optimizers, number):
    result = runs[0](data(number, 8, 4, 4))
    logits = result if isinstance(result, torch.Tensor) else result[0][:, -1, :3]
    return descend(optimizers[0], F.cross_entropy(logits, labels(number, 8, 3)))


LOOPS["lstm_by_hand"] = lambda: Loop([Lstm()], sequences, adam())
LOOPS["gru_by_hand"] = lambda: Loop([Gru()], sequences, adam())
LOOPS["lstm"] = lambda: Loop([nn.LSTM(4, 5, batch_first=True)], sequences, adam())
LOOPS["gru"] = lambda: Loop([nn.GRU(4, 5, batch_first=True)], sequences, adam())


class Attention(nn.Module):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, lengths):
        batch, steps, width = x.shape
        q, k, v = self.qkv(x).view(batch, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        mask = torch.arange(steps) < lengths[:, None]
        weights = scores.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, steps, width))


@loop
def attention():
    def step(runs, nets, optimizers, number):
        x = data(number, 4, 5, 8)
        return descend(optimizers[0], F.mse_loss(runs[0](x, labels(number, 4, 5) + 1), x.flip(1)))

    return Loop([Attention()], step, adam())


@loop
def transformer_layer():
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)

    def step(runs, nets, optimizers, number):
        x = data(number, 4, 5, 8)
        return descend(optimizers[0], F.mse_loss(runs[0](x), x.flip(1)))

    # Not Adam: the keys' gradients are 0 but for rounding, which it would blow up.
    return Loop([net], step, sgd(0.2, momentum=0.9))


@loop
def causal_language_model_with_tied_weights():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(12, 8), nn.Parameter(torch.randn(6, 8) * 0.1)
            self.block, self.head = Attention(), nn.Linear(8, 12, bias=False)
            self.head.weight = self.words.weight

        def forward(self, tokens, targets):
            x = self.words(tokens) + self.places[: tokens.shape[1]]
            x = x + self.block(x, torch.full((tokens.shape[0],), tokens.shape[1]))
            return F.cross_entropy(self.head(x).flatten(0, 1), targets.flatten())

    def step(runs, nets, optimizers, number):
        tokens = labels(number, 28, 12).view(4, 7)
        return descend(optimizers[0], runs[0](tokens[:, :-1], tokens[:, 1:]))

    return Loop([Model()], step, sgd(0.2, momentum=0.9))


@loop
def autoencoder():
    net = nn.Sequential(mlp(6, 3, last=nn.Tanh), mlp(3, 6))

    def step(runs, nets, optimizers, number):
        x = data(number, 8, 6)
        return descend(optimizers[0], F.mse_loss(runs[0](x + 0.1 * data(number + 50, 8, 6)), x))

    return Loop([net], step, adam())


@loop
def autoencoder_of_two_modules():
    def step(runs, nets, optimizers, number):
        x = data(number, 8, 6)
        return descend(optimizers[0], F.smooth_l1_loss(runs[1](runs[0](x)), x))

    return Loop([mlp(6, 3), mlp(3, 6)], step, adam())


@loop
def siamese():
    def step(runs, nets, optimizers, number):
        anchor, near, far = (runs[0](data(number + k, 8, 6)) for k in (0, 100, 200))
        return descend(optimizers[0], F.triplet_margin_loss(anchor, near, far))

    return Loop([mlp(6, 8, 4)], step, adam())


@loop
def contrastive():
    class Normalized(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.scale = mlp(6, 8, 4), nn.Parameter(torch.tensor(1.0))

        def forward(self, x, y):
            a, b = F.normalize(self.net(x), dim=1), F.normalize(self.net(y), dim=1)
            logits = a @ b.T * self.scale.exp()
            target = torch.arange(x.shape[0])
            return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[0](data(number, 8, 6), data(number + 100, 8, 6)))

    return Loop([Normalized()], step, adam())


@loop
def variational_autoencoder():
    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = mlp(6, 8, 4), mlp(2, 8, 6)

        def forward(self, x, noise):
            mean, scale = self.encoder(x).chunk(2, 1)
            code = torch.distributions.Normal(mean, F.softplus(scale))
            prior = torch.distributions.Normal(torch.zeros_like(mean), torch.ones_like(mean))
            y = self.decoder(code.mean + code.stddev * noise)
            divergence = torch.distributions.kl_divergence(code, prior).sum(1).mean()
            return F.mse_loss(y, x, reduction="sum") / x.shape[0] + 0.1 * divergence

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[0](data(number, 8, 6), data(number + 100, 8, 2)))

    return Loop([Vae()], step, adam())


@loop
def adversarial():
    def step(runs, nets, optimizers, number):
        generator, judge = runs
        real, noise = data(number, 8, 4), data(number + 100, 8, 2)
        fake = generator(noise)
        ones, zeros = real.new_ones(8, 1), real.new_zeros(8, 1)
        score = F.binary_cross_entropy_with_logits
        first = descend(optimizers[1], score(judge(real), ones) + score(judge(fake.detach()), zeros))
        second = descend(optimizers[0], score(judge(fake), ones))
        return first + second

    two = lambda nets: [torch.optim.Adam(net.parameters(), lr=0.01, betas=(0.5, 0.9)) for net in nets]  # noqa: E731
    return Loop([mlp(2, 8, 4), nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))], step, two)


@loop
def gradient_penalty():
    def step(runs, nets, optimizers, number):
        x = data(number, 8, 4).requires_grad_()
        scores = runs[0](x)
        (slope,) = torch.autograd.grad(scores.sum(), [x], create_graph=True)
        return descend(optimizers[0], scores.mean() + 10 * (slope.norm(dim=1) - 1).square().mean())

    return Loop([nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))], step, adam())


@loop
def physics_informed():
    def step(runs, nets, optimizers, number):
        t = data(number, 8, 1).requires_grad_()
        u = runs[0](t)
        (du,) = torch.autograd.grad(u.sum(), [t], create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), [t], create_graph=True)
        return descend(optimizers[0], (ddu + u).square().mean() + (runs[0](t.new_zeros(1, 1)) - 1).square().mean())

    return Loop([nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))], step, adam())


@loop
def accumulated():
    def step(runs, nets, optimizers, number):
        optimizers[0].zero_grad(set_to_none=False)
        total = 0
        for part in range(4):
            loss = F.cross_entropy(runs[0](data(4 * number + part, 4, 6)), labels(4 * number + part, 4, 3)) / 4
            loss.backward()
            total = total + loss.detach()
        optimizers[0].step()
        return total

    return Loop([mlp(6, 8, 3)], step, adam())


@loop
def frozen_backbone_that_thaws():
    def step(runs, nets, optimizers, number):
        for p in nets[0][0].parameters():
            p.requires_grad_(number >= 5)
        return classify(runs, nets, optimizers, number)

    groups = lambda nets: [  # noqa: E731
        torch.optim.SGD([{"params": nets[0][0].parameters(), "lr": 0.01}, {"params": nets[0][2].parameters()}], lr=0.1)
    ]
    return Loop([mlp(6, 8, 3)], step, groups)


@loop
def distillation():
    def step(runs, nets, optimizers, number):
        x = data(number, 8, 6)
        with torch.no_grad():
            teacher = F.log_softmax(runs[1](x) / 2, 1)
        student = F.log_softmax(runs[0](x) / 2, 1)
        return descend(optimizers[0], F.kl_div(student, teacher, reduction="batchmean", log_target=True) * 4)

    return Loop([mlp(6, 4, 3), mlp(6, 16, 3)], step, lambda nets: adam()(nets[:1]))


@loop
def mean_teacher():
    def step(runs, nets, optimizers, number):
        x = data(number, 8, 6)
        with torch.no_grad():
            wanted = runs[1](x)
        loss = descend(optimizers[0], F.mse_loss(runs[0](x + 0.1), wanted) + runs[0](x).square().mean())
        with torch.no_grad():
            for p, q in zip(nets[1].parameters(), nets[0].parameters(), strict=True):
                p.lerp_(q, 0.1)
        return loss

    return Loop([mlp(6, 8, 3), mlp(6, 8, 3)], step, lambda nets: adam()(nets[:1]))


@loop
def mixture_of_experts():
    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = nn.Linear(6, 3), nn.ModuleList(nn.Linear(6, 3) for _ in range(3))

        def forward(self, x):
            weights, chosen = self.gate(x).softmax(1).topk(2)
            results = torch.stack([expert(x) for expert in self.experts], 1)
            picked = results.gather(1, chosen.unsqueeze(-1).expand(-1, -1, 3))
            return (weights.unsqueeze(-1) * picked).sum(1)

    return Loop([Mixture()], classify, adam())


@loop
def matrix_factorization():
    class Factors(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items = nn.Embedding(10, 4), nn.Embedding(12, 4)
            self.bias = nn.Parameter(torch.zeros(12))

        def forward(self, user, item):
            return (self.users(user) * self.items(item)).sum(1) + self.bias[item]

    def step(runs, nets, optimizers, number):
        scores = runs[0](labels(number, 16, 10), labels(number + 7, 16, 12))
        return descend(optimizers[0], F.huber_loss(scores, data(number, 16)))

    return Loop([Factors()], step, sgd(0.5, momentum=0.9))


@loop
def deep_sets():
    class Sets(nn.Module):
        def __init__(self):
            super().__init__()
            self.each, self.all = mlp(4, 8, last=nn.ReLU), mlp(16, 8, 3)

        def forward(self, x, mask):
            h = self.each(x).masked_fill(~mask.unsqueeze(-1), 0.0)
            return self.all(torch.cat([h.amax(1), h.sum(1)], 1))

    def step(runs, nets, optimizers, number):
        mask = data(number + 9, 8, 5) > -0.5
        return descend(optimizers[0], F.cross_entropy(runs[0](data(number, 8, 5, 4), mask), labels(number, 8, 3)))

    return Loop([Sets()], step, adam())


@loop
def mixture_density():
    class Density(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp(6, 8, 9)

        def forward(self, x, y):
            logits, mean, spread = self.net(x).chunk(3, 1)
            each = torch.distributions.Normal(mean, spread.exp()).log_prob(y.unsqueeze(1))
            return -torch.logsumexp(F.log_softmax(logits, 1) + each, 1).mean()

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[0](data(number, 8, 6), data(number + 1, 8)))

    return Loop([Density()], step, adam())


@loop
def policy_and_value():
    class Agent(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.policy, self.value = mlp(6, 8, last=nn.Tanh), nn.Linear(8, 3), nn.Linear(8, 1)

        def forward(self, x):
            h = self.trunk(x)
            return self.policy(h), self.value(h).squeeze(-1)

    def step(runs, nets, optimizers, number):
        logits, value = runs[0](data(number, 8, 6))
        reward = data(number + 3, 8)
        chosen = torch.distributions.Categorical(logits=logits)
        gain = (reward - value.detach()) * chosen.log_prob(labels(number, 8, 3))
        return descend(optimizers[0], -gain.mean() + (value - reward).square().mean() - 0.01 * chosen.entropy().mean())

    return Loop([Agent()], step, adam())


@loop
def many_tasks():
    class Tasks(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.scale = mlp(6, 8, last=nn.GELU), nn.Parameter(torch.zeros(2))
            self.heads = nn.ModuleDict({"kind": nn.Linear(8, 3), "size": nn.Linear(8, 1)})

        def forward(self, x):
            h = self.trunk(x)
            return {name: head(h) for name, head in self.heads.items()} | {"scale": self.scale.exp()}

    def step(runs, nets, optimizers, number):
        y = runs[0](data(number, 8, 6))
        losses = [F.cross_entropy(y["kind"], labels(number, 8, 3)), y["size"].square().mean()]
        return descend(optimizers[0], sum(loss * w for loss, w in zip(losses, y["scale"], strict=True)))

    return Loop([Tasks()], step, adam())


@loop
def normalized_weights():
    net = nn.Sequential(weight_norm(nn.Linear(6, 8)), nn.ReLU(), nn.Linear(8, 3))
    return Loop([net], classify, adam())


@loop
def spectral_weights():
    net = nn.Sequential(spectral_norm(nn.Linear(6, 8)), nn.ReLU(), nn.Linear(8, 3))
    return Loop([net], classify, sgd())


@loop
def sharpness_aware():
    def step(runs, nets, optimizers, number):
        x, y = data(number, 8, 6), labels(number, 8, 3)
        optimizers[0].zero_grad()
        F.cross_entropy(runs[0](x), y).backward()
        with torch.no_grad():
            steps = [0.05 * p.grad / (p.grad.norm() + 1e-12) for p in nets[0].parameters()]
            for p, e in zip(nets[0].parameters(), steps, strict=True):
                p.add_(e)
        optimizers[0].zero_grad()
        loss = F.cross_entropy(runs[0](x), y)
        loss.backward()
        with torch.no_grad():
            for p, e in zip(nets[0].parameters(), steps, strict=True):
                p.sub_(e)
        optimizers[0].step()
        return loss

    return Loop([mlp(6, 8, 3)], step, sgd())


@loop
def codebook():
    class Quantizer(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = mlp(6, 3), mlp(3, 6)
            self.register_buffer("codes", torch.randn(5, 3))

        def forward(self, x):
            h = self.encoder(x)
            chosen = torch.cdist(h, self.codes).argmin(1)
            code = self.codes[chosen]
            if self.training:
                with torch.no_grad():
                    hot = F.one_hot(chosen, 5).to(x.dtype)
                    count = hot.sum(0).clamp(min=1).unsqueeze(1)
                    self.codes.mul_(0.9).add_(0.1 * (hot.T @ h) / count)
            y = self.decoder(h + (code - h).detach())
            return F.mse_loss(y, x) + 0.25 * F.mse_loss(h, code.detach())

    def step(runs, nets, optimizers, number):
        return descend(optimizers[0], runs[0](data(number, 8, 6)))

    return Loop([Quantizer()], step, adam())


@loop
def hopfield_energy():
    class Energy(nn.Module):
        def __init__(self):
            super().__init__()
            self.memories = nn.Parameter(torch.randn(7, 6))

        def forward(self, x):
            for _ in range(3):
                x = torch.einsum(
                    "bm,md->bd", torch.softmax(2.0 * torch.einsum("bd,md->bm", x, self.memories), 1), self.memories
                )
            return x

    def step(runs, nets, optimizers, number):
        x = data(number, 8, 6)
        return descend(optimizers[0], F.l1_loss(runs[0](x), x))

    return Loop([Energy()], step, sgd(0.3))
