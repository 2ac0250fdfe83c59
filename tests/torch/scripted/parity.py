"""What a first look at modules that are scripted consisted of: fifty programs, from loops over layers to prints."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch.scripted.cases import assign, call, call_method, case, change, floats, leaf, steps, whole


@case(call(floats(3, 4)), call(floats(5, 4)), grad=True)
class LoopOverLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return x


@case(call({"a": floats(2, 3), "b": floats(2, 3, seed=1)}))
class DictInAndOut(nn.Module):
    def forward(self, features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {name.upper(): value * 2 for name, value in features.items()} | {"sum": features["a"] + features["b"]}


class Prediction(NamedTuple):
    logits: torch.Tensor
    label: torch.Tensor


@case(call(floats(3, 4)))
class NamedTupleOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        logits = self.head(x)
        return Prediction(logits, logits.argmax(-1))


@case(call(floats(3), shift=floats(3, seed=1)), call(floats(3), scale=3.0, shift=floats(3, seed=1)))
class Keywords(nn.Module):
    def forward(self, x, *, scale: float = 2.0, shift: torch.Tensor):
        return x * scale + shift


@case(
    call(floats(3, 4), 2, 0.5, True, "sum", None),
    call(floats(3, 4), 3, 0.25, False, "mean", None),
    call(floats(3, 4), 2, 0.5, True, "mean", floats(4, seed=1)),
)
class PlainArguments(nn.Module):
    def forward(self, x, times: int, rate: float, keep: bool, how: str, bias):
        for _ in range(times):
            x = x * rate
        if bias is not None:
            x = x + bias
        return x.sum(1, keepdim=keep) if how == "sum" else x.mean(1, keepdim=keep)


@case(call([floats(2, 3), floats(2, 3, seed=1)]), call([floats(2, 3), floats(1, 3), floats(4, 3)]))
class ListIn(nn.Module):
    def forward(self, parts: list[torch.Tensor]):
        return torch.cat(parts, 0), len(parts)


@case(call(floats(5, 2, 3), (floats(1, 2, 4), floats(1, 2, 4, seed=1))), call(floats(5, 2, 3), None))
class LstmWithStates(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4)

    def forward(self, x, states):
        y, (h, c) = self.lstm(x, states)
        return y, h, c


@case(call(floats(6, 2, 3)), call(floats(4, 2, 3)), grad=True)
class GruCellLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x):
        h = torch.zeros(x.shape[1], 4)
        outputs = []
        for step in range(x.shape[0]):
            h = self.cell(x[step], h)
            outputs.append(h)
        return torch.stack(outputs)


@case(call(floats(2, 3)), call(floats(2, 3, seed=1)), call(floats(5, 3)))
class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        self.count += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean


@case(call(torch.ones(50)), change(nn.Module.train), call(torch.ones(50)), change(nn.Module.eval), call(torch.ones(50)))
class DropoutInBothModes(nn.Module):
    """The random numbers differ from PyTorch's: what is said of them does not."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.eval()

    def forward(self, x):
        y = self.drop(x)
        return ((y == 0) | (y == 2 * x)).all(), (y == x).all(), (y == 0).any()


@case(call(floats(3, 4)), call(floats(5, 4)), grad=True)
class WritesThroughViews(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[:, 0] = 1
        y[1:, 2:].mul_(2)
        y.t()[3] += x[:, 0]
        row = y[0]
        row.neg_()
        return y


@case(call(floats(5, 4), whole(5, 3)))
class IndexByTensor(nn.Module):
    def forward(self, x, rows):
        return x[rows], x[rows, :2], x[:, -1], x[..., None, 1:3], x[-1, rows % 4]


@case(call(floats(2, 5, 8)), call(floats(2, 7, 8)), grad=True)
class CausalAttentionByEinsum(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = 2
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).unbind(2)
        scores = torch.einsum("bthd,bshd->bhts", q, k) / (d // self.heads) ** 0.5
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        return self.out(torch.einsum("bhts,bshd->bthd", weights, v).reshape(b, t, d))


@case(call(floats(3, 6)))
class TopkCumsumGather(nn.Module):
    def forward(self, x):
        values, places = x.topk(3, dim=-1)
        return values.cumsum(-1), torch.gather(x, 1, places.flip(-1)), places


@case(call(floats(1, 3)), call(floats(4, 3)), call(floats(0, 3)))
class EarlyReturnOnSize(nn.Module):
    def forward(self, x):
        if x.shape[0] == 0:
            return x.new_zeros(3)
        if x.size(0) == 1:
            return x.squeeze(0) * 2
        return x.sum(0)


class Base(nn.Module):
    factor = 2.0

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x) * self.factor


@case(call(floats(2, 3)))
class InheritedForward(Base):
    factor = 3.0

    def forward(self, x):
        return super().forward(x).relu() + Base.forward(self, x)


@case(
    call(whole(7, 2, 3)),
    change(lambda m: m.embed.weight.mul_(2)),
    call(whole(7, 2, 3)),
    change(lambda m: setattr(m.head, "weight", nn.Parameter(m.embed.weight.detach().clone()))),
    change(lambda m: m.embed.weight.mul_(2)),
    call(whole(7, 2, 3)),
    grad=True,
)
class TiedAndUntied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.embed(tokens)))


@case(
    call(floats(2, 3)),
    change(lambda m: m.load_state_dict({key: value * 2 for key, value in m.state_dict().items()})),
    call(floats(2, 3)),
    change(nn.Module.eval),
    call(floats(2, 3)),
    change(nn.Module.train),
    call(floats(2, 3)),
)
def loaded_and_switched():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))


@case(call(floats(2, 3)), change(lambda m: m.to(torch.float64)), call(floats(2, 3).double()))
def to_double():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


@case(
    call(floats(2, 3)),
    assign("weight", nn.Parameter(floats(3, 3, seed=5))),
    call(floats(2, 3)),
    change(lambda m: setattr(m.weight, "data", floats(3, 3, seed=6))),
    call(floats(2, 3)),
    change(lambda m: m.weight.t_()),
    call(floats(2, 3)),
    change(lambda m: setattr(m.weight, "data", m.weight.data.t())),
    call(floats(2, 3)),
)
class WeightReplaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(3, 3, seed=4))

    def forward(self, x):
        return x @ self.weight


@case(call(floats(4, 3)), call(floats(1, 3)), call(floats(0, 3)), call(floats(9, 3)))
def every_batch():
    return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Softmax(-1))


@case(call(floats(4, 2, 3)), call(floats(2, 2, 3)))
class UnbindLoop(nn.Module):
    def forward(self, x):
        total = torch.zeros_like(x[0])
        for index, row in enumerate(x.unbind(0)):
            total = total * 0.5 + row * (index + 1)
        return total


@case(call(floats(2, 3), "relu"), call(floats(2, 3), "tanh"), grad=True)
class DictAndListOfParts(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
        self.scales = nn.ParameterList([nn.Parameter(torch.full((3,), 1.0 + i)) for i in range(3)])

    def forward(self, x, kind: str):
        for scale in self.scales:
            x = self.kinds[kind](x * scale)
        return x


@case(call(floats(2, 3)), change(nn.Module.eval), call(floats(2, 3)))
class AsksItsMode(nn.Module):
    def forward(self, x):
        if self.training:
            return x * 2
        return x + 1


@case(call(floats(6, 4).t()), call(floats(8, 6)[::2]), call(floats(4, 6).flip(1)), call(floats(6).expand(4, 6)))
def strided_arguments():
    return nn.Linear(6, 3)


@case(call(floats(2, 4).bfloat16()), grad=True)
def in_bfloat16():
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3)).bfloat16()


@case(call(whole(9, 3, 4), whole(9, 3, 4, seed=1)), call(whole(9, 3, 4).int(), whole(9, 3, 4, seed=1).int()))
class WholeNumbers(nn.Module):
    def forward(self, a, b):
        return a + b, a // (b + 1), a % 3, a > b, (a * 2).sum(), a / (b + 1), a & b, -a, a.float().mean()


@case(call(leaf(3, 4)), grad=True)
class NoGradInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            scale = self.linear(x).abs().mean()
        return self.linear(x) * scale + x.detach()


@case(call(floats(2, 5, 8)), grad=True)
class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attend(x, x, x)


@case(call(floats(3).abs()), call(-floats(3).abs()), call(floats(3).abs()), grad=True)
class IfOnData(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return torch.exp(x)


@case(call(steps(1, 2, 3)), call(steps(40, 1, 1)), call(steps(0.5, 0, 0)))
class WhileOnData(nn.Module):
    def forward(self, x):
        while x.sum() < 100:
            x = x * 2
        return x


@case(call(floats(6, 2), torch.tensor(4)), call(floats(6, 2), torch.tensor(2)))
class ItemAsSize(nn.Module):
    def forward(self, x, n):
        return x[: int(n.item())].sum(0)


@case(call(steps(1, -2, 3, -4)), call(steps(-1, -2, -3, -4)), call(steps(1, 2, 3, 4)))
class SelectByMask(nn.Module):
    def forward(self, x):
        return x[x > 0]


@case(call(leaf(3, 4)), grad=True)
class WriteByMask(nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x) + 0.0
        y[y > 0.7] = 5
        y[y < 0.3] *= 2
        return y


@case(call(floats(3), True), call(floats(3), False))
class OptionalResult(nn.Module):
    def forward(self, x, wanted: bool):
        return x + 1, (x * 2 if wanted else None)


@case(call(floats(3, 4)), call(floats(5, 4)))
class PlainResults(nn.Module):
    def forward(self, x):
        return x.shape[0], 2.5, "name", x.dim() == 2, x.sum(0), x.numel() / 2


@case(call(floats(3, 4), floats(3, 4, seed=1)), memory=True)
class WritesItsArgument(nn.Module):
    def forward(self, x, y):
        x.add_(y)
        x[:, 0] = 0
        return x.sum()


@case(call(floats(3, 4)))
def relu_in_place_first():
    return nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 2))


@case(call(floats(2, 4)), call_method("encode", floats(2, 4)), call_method("decode", floats(2, 3)))
class OtherMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Linear(4, 3), nn.Linear(3, 4)

    def forward(self, x):
        return self.decode(self.encode(x))

    def encode(self, x):
        return torch.tanh(self.down(x))

    def decode(self, z):
        return self.up(z)


@case(call(floats(3).abs()), call(-floats(3).abs()))
class TorchCond(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))


@case(call(floats(1, 2, 6, 6)), call(floats(2, 2, 6, 8)), grad=True)
class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 3, 3, stride=2)

    def forward(self, x):
        return self.second(F.max_pool2d(torch.relu(self.first(x)), 2)).flatten(1).mean(1)


@case(call(floats(2, 3), floats(3, 4)), call(floats(2, 3), floats(2, 3)))
class TriesShapes(nn.Module):
    def forward(self, a, b):
        try:
            return a @ b
        except RuntimeError:
            return a @ b.t()


@case(call(floats(3)), call(floats(12)), call(floats(120)))
class SizeAsText(nn.Module):
    def forward(self, x):
        digits = len(f"{x.shape[0]}")
        return x.sum() * digits, str(x.shape[0])


@case(call(floats(3)), call(floats(3)), call(floats(3)))
class PythonCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


@case(call(floats(3)), call(floats(3, seed=1)), call(floats(3, seed=2)))
class TensorAttributeWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(3)

    def forward(self, x):
        change = x - self.last
        self.last = x
        return change


@case(call(floats(3)), assign("scale", 5.0), call(floats(3)), assign("scale", 2), call(floats(3)))
class AttributeChangedLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        return x * self.scale


@case(
    call(floats(2, 3)),
    change(lambda m: m[0].register_forward_hook(lambda part, args, result: result + 10)),
    call(floats(2, 3)),
    change(lambda m: m.register_forward_pre_hook(lambda part, args: (args[0] * 2,))),
    call(floats(2, 3)),
)
def hooks_put_on_later():
    return nn.Sequential(nn.Linear(3, 3), nn.ReLU())


@case(
    call(floats(2, 3)),
    change(lambda m: setattr(m[1], "forward", lambda x: x * 100)),
    call(floats(2, 3)),
    change(lambda m: delattr(m[1], "forward")),
    call(floats(2, 3)),
)
def forward_replaced():
    return nn.Sequential(nn.Linear(3, 3), nn.ReLU())


@case(call(floats(3, 4)), memory=True)
class ResultIsAView(nn.Module):
    def forward(self, x):
        return x.t(), x[1:], x.sum()


@case(call(floats(3)), call(floats(3)), memory=True)
class ResultIsABuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total += x
        return self.total


@case(call(floats(3)), call(floats(3)), memory=True)
class ResultGivenTwice(nn.Module):
    def forward(self, x):
        y = x * 2
        return y, {"again": y, "other": x * 2}


@case(call(steps(1, 2)), call(steps(1, 2)), call(steps(3, 4)))
class Prints(nn.Module):
    def forward(self, x):
        print("called with", tuple(x.shape))
        return x + 1
