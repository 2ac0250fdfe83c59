"""State of the module: buffers, attributes, hooks, weights that change between calls or by a call."""

import collections
import functools
import types

import numpy
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrize

from tests.torch.scripted.cases import assign, call, case, change, change_by_door, floats, leaf, steps, whole


@case(call(floats(4, 3)), call(floats(6, 3, seed=1)), change(nn.Module.eval), call(floats(4, 3)), grad=True)
def batch_norm_in_training():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())


@case(call(floats(2, 3)), call(floats(2, 3, seed=1)), change(nn.Module.eval), call(floats(2, 3)))
class ExponentialAverage(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("average", self.layer.weight.detach().clone())
        self.decay = 0.5

    @torch.no_grad()
    def update(self):
        self.average.lerp_(self.layer.weight, 1 - self.decay)

    def forward(self, x):
        if self.training:
            self.update()
            return self.layer(x)
        return F.linear(x, self.average, self.layer.bias)


@case(call(floats(2)), call(floats(2, seed=1)), call(floats(2, seed=2)))
class KeepsAList(nn.Module):
    def __init__(self):
        super().__init__()
        self.history = []

    def forward(self, x):
        self.history.append(x * 2)
        return torch.stack(self.history).sum(0), len(self.history)


@case(call("a", floats(2)), call("b", floats(2, seed=1)), call("a", floats(2, seed=2)))
class KeepsACache(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, key: str, x):
        if key not in self.cache:
            self.cache[key] = x.exp()
        return self.cache[key] + x


@case(call(floats(1, 1, 4)), call(floats(1, 1, 4, seed=1)), call(floats(1, 1, 4, seed=2)))
class KeyValueCache(nn.Module):
    """Decoding one token at a time, with the keys and values of those before in buffers."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)
        self.register_buffer("keys", torch.zeros(1, 8, 4))
        self.register_buffer("values", torch.zeros(1, 8, 4))
        self.filled = 0

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        self.keys[:, self.filled : self.filled + 1] = k
        self.values[:, self.filled : self.filled + 1] = v
        self.filled += 1
        scores = q @ self.keys[:, : self.filled].transpose(1, 2)
        return scores.softmax(-1) @ self.values[:, : self.filled]


@case(call(floats(1, 3)), call(floats(1, 3, seed=1)), change(lambda m: m.reset()), call(floats(1, 3)))
class HiddenStateKept(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)
        self.hidden = None

    def reset(self):
        self.hidden = None

    def forward(self, x):
        self.hidden = self.cell(x, self.hidden)
        return self.hidden


@case(call(floats(3)), call(floats(3)), call(floats(3)))
class LazyConstant(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = None

    def forward(self, x):
        if self.table is None:
            self.table = torch.arange(3).float().exp()
        return x * self.table


@case(
    call(floats(2, 3)),
    assign("mode", "hard"),
    call(floats(2, 3)),
    change(lambda m: m.options.update(shift=3.0)),
    call(floats(2, 3)),
    change(lambda m: m.sizes.append(1)),
    call(floats(2, 3)),
)
class OptionsChangedLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode, self.options, self.sizes = "soft", {"shift": 1.0}, [1, 2]

    def forward(self, x):
        y = x + self.options["shift"]
        for size in self.sizes:
            y = y * (size + 1)
        return y.softmax(-1) if self.mode == "soft" else (y > 0).float()


@case(
    call(floats(2, 3)),
    change(lambda m: setattr(m[1], "negative_slope", 0.5)),
    call(floats(2, 3)),
    change(lambda m: setattr(m[2], "eps", 0.5)),
    call(floats(2, 3)),
)
def attributes_of_layers_changed():
    return nn.Sequential(nn.Linear(3, 3), nn.LeakyReLU(0.1), nn.LayerNorm(3))


@case(
    call(floats(2, 3)),
    change(lambda m: m.append(nn.Tanh())),
    call(floats(2, 3)),
    change(lambda m: m.__setitem__(0, nn.Linear(3, 3, bias=False))),
    change(lambda m: m[0].weight.fill_(0.5)),
    call(floats(2, 3)),
    change(lambda m: m.__delitem__(1)),
    call(floats(2, 3)),
)
def layers_added_and_replaced():
    return nn.Sequential(nn.Linear(3, 3), nn.ReLU())


def record(part, args, result):
    part.seen.append(tuple(result.shape))


@case(call(floats(2, 3)), call(floats(4, 3)))
def hooks_that_record():
    module = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    for part in module:
        part.seen = []
        part.register_forward_hook(record)
    return module


@case(call(floats(2, 3)), call(floats(2, 3)))
class FeaturesByHooks(nn.Module):
    """Activations in the middle of a net, as feature extractors collect them."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        self.features = {}
        self.net[1].register_forward_hook(self.keep)

    def keep(self, part, args, result):
        self.features["relu"] = result

    def forward(self, x):
        self.features = {}
        return self.net(x), self.features


def doubled(self, x):
    return F.linear(x, self.weight, self.bias) * 2


@case(call(floats(2, 3)), grad=True)
def forward_bound_to_an_instance():
    module = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    module[0].forward = types.MethodType(doubled, module[0])
    return module


@case(call(floats(2, 3)), call(floats(2, 3)), grad=True)
class WeightsShared(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Linear(3, 3)
        self.blocks = nn.ModuleList([self.block] * 3)

    def forward(self, x):
        for block in self.blocks:
            x = torch.tanh(block(x))
        return x + self.block(x)


@case(call(leaf(2, 3)), call(leaf(2, 3)), grad=True)
def weight_parametrized():
    return nn.utils.parametrizations.weight_norm(nn.Linear(3, 4))


class Symmetric(nn.Module):
    def forward(self, weight):
        return weight.triu() + weight.triu(1).transpose(-1, -2)


@case(
    call(floats(2, 3)),
    change(lambda m: parametrize.register_parametrization(m, "weight", Symmetric())),
    call(floats(2, 3)),
    change(lambda m: parametrize.remove_parametrizations(m, "weight")),
    call(floats(2, 3)),
)
def parametrized_later():
    return nn.Linear(3, 3)


@case(
    call(floats(2, 3)),
    change(lambda m: m[0].requires_grad_(False)),
    call(floats(2, 3)),
    change(lambda m: m.requires_grad_(True)),
    change(lambda m: m.zero_grad()),
    call(floats(2, 3)),
    grad=True,
)
def frozen_and_thawed():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def descend(module):
    for parameter in module.parameters():
        parameter -= 0.1 * parameter.grad
        parameter.grad = None


@case(call(floats(4, 3)), change(descend), call(floats(4, 3)), change(descend), call(floats(4, 3)), grad=True)
def steps_of_descent():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


@case(call(floats(2, 3)), assign("scale", numpy.float32(0.5)), call(floats(2, 3)))
class NumpyScalars(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.count = numpy.float64(1.5), numpy.int64(2)

    def forward(self, x):
        for _ in range(self.count):
            x = x * float(self.scale)
        return x


@case(call(floats(3)), change(lambda m: m.table.__setitem__(0, 9.0)), call(floats(3)))
class NumpyTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = numpy.array([1.0, 2.0, 3.0], dtype=numpy.float32)

    def forward(self, x):
        return x * torch.from_numpy(self.table)


@case(
    call(floats(3)),
    change(lambda m: m.offset.add_(1)),
    call(floats(3)),
    assign("offset", steps(5, 5, 5)),
    call(floats(3)),
)
class TensorAttribute(nn.Module):
    """A tensor that is neither parameter nor buffer."""

    def __init__(self):
        super().__init__()
        self.offset = steps(1, 2, 3)

    def forward(self, x):
        return x + self.offset


@case(call(floats(3)), call(floats(3)), call(floats(3)))
class DequeOfFrames(nn.Module):
    def __init__(self):
        super().__init__()
        self.frames = collections.deque([torch.zeros(3), torch.zeros(3)], maxlen=2)

    def forward(self, x):
        self.frames.append(x)
        return torch.cat(list(self.frames))


@case(
    call(floats(3)),
    change(lambda m: setattr(m, "act", functools.partial(F.leaky_relu, negative_slope=0.5))),
    call(floats(3)),
)
class ActivationIsAFunction(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = functools.partial(F.leaky_relu, negative_slope=0.1)

    def forward(self, x):
        return self.act(x)


@case(call(whole(6, 4)), call(whole(6, 4, seed=1)))
class Histogram(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("counts", torch.zeros(6, dtype=torch.long))
        self.register_buffer("total", torch.tensor(0), persistent=False)

    def forward(self, labels):
        self.counts.scatter_add_(0, labels, torch.ones_like(labels))
        self.total += labels.numel()
        return self.counts.float() / self.total


@case(
    call(floats(4, 3)),
    change_by_door(lambda fast: fast.eval()),
    call(floats(4, 3)),
    change_by_door(lambda fast: fast.double()),
    call(floats(4, 3).double()),
    change_by_door(lambda fast: fast.load_state_dict({name: value * 2 for name, value in fast.state_dict().items()})),
    call(floats(4, 3).double()),
    rounded=True,
)
def switched_by_the_door():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))


@case(call(floats(3)), call(floats(3)))
class BufferRegisteredByForward(nn.Module):
    def forward(self, x):
        if not hasattr(self, "first"):
            self.register_buffer("first", x.clone())
        return x - self.first


@case(call(floats(4, 3)), call(floats(4, 3, seed=1)), call(floats(4, 3, seed=2)), grad=True)
class BufferOfResults(nn.Module):
    """Prototypes that are moved after each batch, as in clustering."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 2)
        self.register_buffer("centres", steps(0, 1, 1, 0).reshape(2, 2))

    def forward(self, x):
        z = self.embed(x)
        near = torch.cdist(z, self.centres).argmin(1)
        with torch.no_grad():
            hits = F.one_hot(near, 2).to(z.dtype)
            sums = hits.t() @ z
            self.centres.copy_(
                torch.where(hits.sum(0)[:, None] > 0, sums / hits.sum(0)[:, None].clamp(min=1), self.centres)
            )
        return ((z - self.centres[near]) ** 2).sum(), near
