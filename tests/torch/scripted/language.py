"""Python as modules use it: functions, classes, containers, texts, exceptions."""

import contextlib
import itertools
import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch.scripted.cases import assign, call, case, change, floats, leaf, steps, whole

GAIN = 2.0
SIZES = {"small": 2, "large": 3}


@case(call(floats(2, 3), "small"), call(floats(2, 3), "large"), call(floats(2, 3), "huge"))
class GlobalConstants(nn.Module):
    def forward(self, x, size: str):
        return x[:, : SIZES[size]] * GAIN + math.pi


LOUDNESS = 2.0


def set_loudness(value):
    global LOUDNESS
    LOUDNESS = value


@case(
    change(lambda m: set_loudness(2.0)),
    call(floats(3)),
    change(lambda m: set_loudness(3.0)),
    call(floats(3)),
    change(lambda m: set_loudness(2.0)),
    call(floats(3)),
)
class GlobalChanged(nn.Module):
    def forward(self, x):
        return x * LOUDNESS


@case(call(floats(3, 4)), grad=True)
class NestedFunctions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        seen = []

        def block(y, times=2):
            for _ in range(times):
                y = self.layer(y).tanh()
                seen.append(y)
            return y + x

        compose = lambda f, g: lambda y: f(g(y))  # noqa: E731
        y = compose(block, lambda y: y * 2)(x)
        return y, len(seen), sum(seen)


@case(call(floats(4, 3)), call(floats(6, 3)))
class Comprehensions(nn.Module):
    def pieces(self, x):
        for i in range(0, x.shape[0], 2):
            yield x[i : i + 2]

    def forward(self, x):
        sums = [piece.sum(0) for piece in self.pieces(x) if piece.shape[0] == 2]
        table = {i: piece.mean() for i, piece in enumerate(self.pieces(x))}
        return torch.stack(sums), table, sum(piece.max() for piece in self.pieces(x)), {len(sums)}


@case(call(floats(5, 3)), call(floats(2, 3)))
class IterationTools(nn.Module):
    def forward(self, x):
        rows = list(x)
        differences = [b - a for a, b in itertools.pairwise(rows)]
        pairs = [a * b for a, b in zip(rows, reversed(rows), strict=True)]
        order = sorted(range(len(rows)), key=lambda i: -i)
        return differences, torch.stack(pairs), x[order], list(map(len, rows)), any(r.shape[0] == 3 for r in rows)


@case(call(floats(2, 3)), assign("_scale", 4.0), call(floats(2, 3)))
class Properties(nn.Module):
    def __init__(self):
        super().__init__()
        self._scale = 2.0
        self.layer = nn.Linear(3, 3)

    @property
    def scale(self):
        return self._scale + 1

    @property
    def device(self):
        return next(self.parameters()).device

    @staticmethod
    def shift(x):
        return x + 1

    @classmethod
    def limit(cls):
        return 0.5

    def forward(self, x):
        x = x.to(self.device)
        return self.shift(self.layer(x) * self.scale).clamp(max=self.limit())


class Block(nn.Module):
    def __init__(self, size=3, **rest):
        super().__init__(**rest)
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.shortcut(x) + self.body(x)

    def shortcut(self, x):
        return x

    def body(self, x):
        return torch.zeros_like(x)


class Halved(Block):
    def shortcut(self, x):
        return super().shortcut(x) * 0.5


class Squashed(Block):
    def shortcut(self, x):
        return torch.tanh(super().shortcut(x))

    def body(self, x):
        return self.layer(x)


@case(call(floats(2, 3)), grad=True)
class DiamondInheritance(Halved, Squashed):
    def body(self, x):
        return super().body(x).relu()


@case(call(floats(3)), assign("bias", 1.5), call(floats(3)), change(lambda m: delattr(m, "bias")), call(floats(3)))
class AsksForAttributes(nn.Module):
    def forward(self, x):
        if hasattr(self, "bias"):
            x = x + self.bias
        return x * getattr(self, "factor", 2.0)


@case(call(floats(3)), call([floats(3), floats(3)]), call(2.0), call("text"))
class AsksForClasses(nn.Module):
    def forward(self, x):
        if isinstance(x, torch.Tensor):
            return x * 2
        if isinstance(x, (list, tuple)):
            return torch.stack(list(x)).sum(0)
        if isinstance(x, (int, float)):
            return torch.full((2,), float(x))
        raise TypeError(f"what is {x!r} of {type(x).__name__}?")


@case(call(floats(2, 3)), call(floats(3, 3)), call(floats(2, 3)))
class AssertsShape(nn.Module):
    def forward(self, x):
        rows, columns = x.shape
        assert rows == 2, f"{rows} rows, {columns} columns"
        return x.mean(0)


@case(call(floats(4)), call(floats(5)), call(floats(4)))
class TryFinally(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = []

    def forward(self, x):
        try:
            y = x.view(2, 2)
        except RuntimeError:
            self.log.append("failed")
            y = x[:4].view(2, 2) * 0
        finally:
            self.log.append(len(x))
        return y


@case(call(floats(3), {"scale": 2.0}), call(floats(3), {}), call(floats(3), {"scale": 2.0, "shift": 1}))
class OptionsByGet(nn.Module):
    def forward(self, x, options):
        x = x * options.get("scale", 1.0) + options.get("shift", 0)
        return x, options.setdefault("used", "yes")


@case(call(steps(1, 2, 3)), call(steps(1, 2, 3)), call(steps(4, 5, 6)))
class PrintsValues(nn.Module):
    def forward(self, x):
        total = x.sum()
        print(f"sum {total.item():.1f}", x.shape)
        print(x)
        return total


@case(call(floats(4), 0), call(floats(4), 3), call(floats(4), -1))
class Walrus(nn.Module):
    def forward(self, x, start: int, *, limit: int = 3):
        parts = []
        while (start := start + 1) < limit:
            parts.append(x * start)
        first, *rest = [x, *parts]
        return first, rest, start


@dataclass
class Settings:
    depth: int = 2
    rates: list = field(default_factory=lambda: [0.5, 0.25])

    def rate(self, level):
        return self.rates[level % len(self.rates)]


@case(call(floats(3)), change(lambda m: setattr(m.settings, "depth", 3)), call(floats(3)))
class SettingsObject(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = Settings()

    def forward(self, x):
        for level in range(self.settings.depth):
            x = x + self.settings.rate(level)
        return x


@contextlib.contextmanager
def scaled(module, value):
    before, module.scale = module.scale, value
    try:
        yield
    finally:
        module.scale = before


@case(call(floats(3)), call(floats(3)))
class OwnContext(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def part(self, x):
        return x * self.scale

    def forward(self, x):
        with scaled(self, 5.0):
            y = self.part(x)
        return y + self.part(x)


@case(call(floats(2, 3)), call(floats(2, 3)))
class FunctionsInATable(nn.Module):
    table = {"relu": F.relu, "square": torch.square, "double": lambda x: x * 2}

    def __init__(self):
        super().__init__()
        self.names = ("square", "double", "relu")

    def forward(self, x):
        for name in self.names:
            x = self.table[name](x) - 0.1
        return getattr(torch, "tanh")(x)  # noqa: B009


@case(call(leaf(3), 5), call(leaf(3), 2), grad=True)
class Recursion(nn.Module):
    def power(self, x, n: int):
        if n == 0:
            return torch.ones_like(x)
        half = self.power(x, n // 2)
        return half * half * (x if n % 2 else 1)

    def forward(self, x, n: int):
        return self.power(x, n)


@case(call(whole(20, 6)), call(whole(20, 3, seed=1)))
class Detokenizer(nn.Module):
    """Text out of tokens, as behind a decoder."""

    def __init__(self):
        super().__init__()
        self.words = [f"w{i}" for i in range(20)]

    def forward(self, tokens):
        words = [self.words[i] for i in tokens.tolist()]
        return " ".join(words), {word: len(word) for word in words}


@case(call(floats(3)), change(lambda m: m.train(False)), call(floats(3)))
class ByNameOfLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        norms = {}
        for name, parameter in self.named_parameters():
            norms[name] = parameter.norm()
        for name, part in self.named_children():
            x = part(x) if name != "second" or self.training else x
        return x, norms
