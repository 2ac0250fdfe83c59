"""What goes in and comes out: structures, classes of containers, plain values."""

import collections
import enum
from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import torch
from torch import nn

from tests.torch.scripted.cases import call, case, floats, leaf, whole


@dataclass
class Batch:
    tokens: torch.Tensor
    mask: torch.Tensor
    name: str = "batch"


@dataclass
class Output:
    loss: torch.Tensor
    logits: torch.Tensor | None = None


@case(call(Batch(whole(5, 2, 3), whole(2, 2, 3).bool())))
class DataclassIn(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)

    def forward(self, batch: Batch):
        weights = batch.mask.float()[..., None]
        return (self.embed(batch.tokens) * weights).sum(1) / weights.sum(1).clamp(min=1)


@case(call(floats(3)), call(floats(3), keep=False), grad=True)
class DataclassOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x, keep: bool = True):
        logits = self.layer(x)
        return Output(logits.square().sum(), logits if keep else None)


@case(call(floats(3)))
class OrderedDictOut(nn.Module):
    def forward(self, x):
        out = OrderedDict()
        out["low"] = x.clamp(max=0)
        out["high"] = x.clamp(min=0)
        return out


@case(call(floats(2, 3)))
class DefaultDictOut(nn.Module):
    def forward(self, x):
        groups = collections.defaultdict(list)
        for index, row in enumerate(x):
            groups["even" if index % 2 == 0 else "odd"].append(row * index)
        return groups


Pair = namedtuple("Pair", ["first", "second"])


@case(call(Pair(floats(2), floats(2, seed=1))))
class NamedTupleIn(nn.Module):
    def forward(self, pair):
        return pair._replace(first=pair.second * 2), pair.first + pair[1]


@case(
    call({"image": {"left": floats(2, 2), "right": floats(2, 2, seed=1)}, "ids": [whole(4, 2), (floats(1),)]}),
    grad=True,
)
class DeepStructures(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, tree):
        images = {side: self.layer(image) for side, image in tree["image"].items()}
        ids, (scale,) = tree["ids"]
        return [images, ((ids + 1, scale), []), {}]


@case(call(floats(3, 4)))
class ReturnTypes(nn.Module):
    def forward(self, x):
        return x.max(dim=1), x.topk(2), x.sort(-1)


@case(call(floats(3)), call(floats(3), floats(3, seed=1)), call(floats(3), y=floats(3, seed=1), z=2))
class OptionalArguments(nn.Module):
    def forward(self, x, y: torch.Tensor | None = None, z: int | None = None):
        if y is None:
            y = torch.ones_like(x)
        return x * y + (z or 0)


@case(call(floats(3)), call(floats(3), floats(3), floats(3)), call(floats(3), scale=2.0, bias=1.0))
class StarArguments(nn.Module):
    def forward(self, *tensors, **options):
        total = sum(tensors)
        for name in sorted(options):
            total = total * options[name] if name == "scale" else total + options[name]
        return total


class Reduction(enum.Enum):
    MEAN = "mean"
    SUM = "sum"


@case(call(leaf(4), Reduction.MEAN), call(leaf(4), Reduction.SUM), grad=True)
class EnumOption(nn.Module):
    def forward(self, x, reduction: Reduction):
        losses = x.square()
        if reduction is Reduction.MEAN:
            return losses.mean()
        return losses.sum()


@case(call(floats(3)))
class EnumResult(nn.Module):
    def forward(self, x):
        return x + 1, Reduction("mean"), x.dtype, x.shape


@case(call(floats(5, 3)), call(floats(2, 3)))
class ListOfTensorsOut(nn.Module):
    def forward(self, x):
        return [row.sum() * i for i, row in enumerate(x)]


@case(call(floats(2, 3)))
class NothingOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(2, 3))

    def forward(self, x):
        self.last.copy_(x)


@case(call(floats(2, 3)), call(floats(3, 2)))
class NoTensorOut(nn.Module):
    def forward(self, x):
        rows, columns = x.shape
        return {"rows": rows, "name": f"{rows}x{columns}", "ratio": rows / columns, "wide": columns > rows}


@case(call(3), call(5))
class NoTensorIn(nn.Module):
    def forward(self, n: int):
        return torch.arange(n) * 2, torch.ones(n, 2), torch.eye(n)


@case(call())
class NoArguments(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(floats(3))

    def forward(self):
        return self.weight.softmax(0)


@case(
    call({"b": floats(2), "a": floats(2, seed=1)}),
    call({"a": floats(2), "b": floats(2, seed=1)}),
    call({"a": floats(2)}),
)
class KeysOfADict(nn.Module):
    def forward(self, parts):
        out = [parts[key] * (i + 1) for i, key in enumerate(sorted(parts))]
        return torch.stack(out), list(parts), parts.get("b", torch.zeros(2)), "c" in parts


@case(call(torch.zeros(3, dtype=torch.float64), floats(3).half(), whole(3, 3).int(), whole(2, 3).bool()))
class EveryType(nn.Module):
    def forward(self, double, half, integer, flag):
        return (
            double + integer,
            half * 2.0,
            integer * 1.5,
            flag + 1,
            flag & (integer > 0),
            half.float() + double.float(),
            integer.to(torch.uint8),
            double.type_as(half),
            torch.promote_types(half.dtype, integer.dtype),
        )
