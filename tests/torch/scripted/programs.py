"""Fifty more, of the kinds people script: heads of detectors, decoders, samplers, front ends, caches, ragged batches."""

import functools
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch.scripted.cases import assign, call, call_method, case, change, floats, leaf, steps, whole


def boxes(count: int, seed: int = 0) -> torch.Tensor:
    """Corners of boxes."""
    low, size = floats(count, 2, seed=seed), floats(count, 2, seed=seed + 1).abs() + 0.5
    return torch.cat([low, low + size], 1)


@case(call(boxes(6), floats(6)), call(boxes(6, 5), floats(6, seed=1)), call(boxes(3), floats(3)))
class GreedySuppression(nn.Module):
    """Non-maximum suppression of one image, box by box, most certain first."""

    def forward(self, boxes, scores):
        order = scores.argsort(descending=True)
        areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        kept = []
        while order.numel() > 0:
            first = order[0]
            kept.append(first)
            rest = order[1:]
            low = torch.maximum(boxes[first, :2], boxes[rest, :2])
            high = torch.minimum(boxes[first, 2:], boxes[rest, 2:])
            common = (high - low).clamp(min=0).prod(1)
            overlap = common / (areas[first] + areas[rest] - common)
            order = rest[overlap <= 0.3]
        return torch.stack(kept)


@case(call(boxes(5), floats(5)), call(boxes(5, 3), floats(5, seed=4) - 2))
class FilterDetections(nn.Module):
    def __init__(self):
        super().__init__()
        self.threshold = 0.0

    def forward(self, boxes, scores):
        keep = scores > self.threshold
        boxes, scores = boxes[keep], scores[keep]
        if boxes.shape[0] == 0:
            return {"boxes": torch.zeros(0, 4), "scores": scores, "count": 0}
        best = scores.argsort(descending=True)[:3]
        return {"boxes": boxes[best], "scores": scores[best], "count": len(best)}


@case(call(floats(2, 4, 3, 3)), call(floats(1, 4, 2, 5)))
class AnchorDecoder(nn.Module):
    """The centres and sizes of a grid of anchors."""

    def __init__(self, stride=8):
        super().__init__()
        self.stride = stride

    @staticmethod
    def grid(height: int, width: int):
        y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        return torch.stack([x, y], -1).float()

    def forward(self, raw):
        _, _, height, width = raw.shape
        xy, wh = raw.permute(0, 2, 3, 1).split(2, -1)
        centre = (xy.sigmoid() + self.grid(height, width)) * self.stride
        size = wh.exp() * self.stride
        return torch.cat([centre - size / 2, centre + size / 2], -1).reshape(raw.shape[0], -1, 4)


@case(
    call(floats(5, 3), torch.tensor([0, 2, 1, 1, 0])), call(floats(4, 3, seed=2), torch.tensor([2, 2, 1, 0])), grad=True
)
class ChainScore(nn.Module):
    """The negative log likelihood of a conditional random field."""

    def __init__(self):
        super().__init__()
        self.moves = nn.Parameter(floats(3, 3, seed=9))

    def forward(self, scores, tags):
        path = scores[torch.arange(len(tags)), tags].sum() + self.moves[tags[:-1], tags[1:]].sum()
        alpha = scores[0]
        for row in scores[1:]:
            alpha = torch.logsumexp(alpha[:, None] + self.moves, 0) + row
        return torch.logsumexp(alpha, 0) - path


@case(call(floats(5, 3)), call(floats(7, 3, seed=1)))
class ViterbiPath(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("moves", floats(3, 3, seed=9))

    def forward(self, scores):
        best = scores[0]
        back: list[torch.Tensor] = []
        for t in range(1, scores.shape[0]):
            best, place = (best[:, None] + self.moves).max(0)
            best = best + scores[t]
            back.append(place)
        tag = best.argmax()
        path = [int(tag)]
        for place in reversed(back):
            tag = place[tag]
            path.insert(0, int(tag))
        return path, best.max()


@case(call(torch.tensor([1, 2]), 3), call(torch.tensor([0, 3]), 5))
class BeamsAsObjects(nn.Module):
    """A beam search over lists of Python's, sorted by score."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(floats(5, 5))
        self.eos = 4

    def forward(self, prompt, length: int):
        beams = [(prompt.tolist(), 0.0)]
        for _ in range(length):
            grown = []
            for tokens, score in beams:
                if tokens[-1] == self.eos:
                    grown.append((tokens, score))
                    continue
                log = F.log_softmax(self.table[tokens[-1]], -1)
                values, places = log.topk(2)
                for value, place in zip(values, places, strict=True):
                    grown.append(([*tokens, int(place)], score + float(value)))
            beams = sorted(grown, key=lambda beam: -beam[1])[:2]
        return beams[0][0], round(beams[0][1], 3)


@case(call(floats(8), 3, 0.9), call(floats(8, seed=3), 5, 0.5), call(floats(8), 8, 1.0))
class TopKTopP(nn.Module):
    """Logits of which only the likeliest are left."""

    def forward(self, logits, k: int, p: float):
        least = logits.topk(k).values[-1]
        logits = torch.where(logits < least, torch.full_like(logits, -math.inf), logits)
        ordered, places = logits.sort(descending=True)
        cumulative = ordered.softmax(-1).cumsum(-1)
        drop = cumulative > p
        drop[1:] = drop[:-1].clone()
        drop[0] = False
        return logits.masked_fill(drop.scatter(0, places, drop), -math.inf).softmax(-1)


@case(call(torch.tensor([3, 5, 3]), floats(8)), call(torch.tensor([], dtype=torch.long), floats(8)))
class RepetitionPenalty(nn.Module):
    def __init__(self, penalty: float = 1.3):
        super().__init__()
        self.penalty = penalty

    def forward(self, seen, logits):
        if seen.numel() == 0:
            return logits
        chosen = logits[seen]
        chosen = torch.where(chosen < 0, chosen * self.penalty, chosen / self.penalty)
        return logits.scatter(0, seen, chosen)


class Step(NamedTuple):
    action: torch.Tensor
    value: torch.Tensor
    done: bool


@case(call(floats(4), 0), call(floats(4, seed=1), 9), call(floats(4, seed=2), 10))
class EpisodePolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.heads = nn.Linear(4, 6), nn.ModuleDict({"pi": nn.Linear(6, 2), "v": nn.Linear(6, 1)})
        self.limit = 10

    def forward(self, state, step: int) -> Step:
        h = self.body(state).tanh()
        return Step(self.heads["pi"](h).argmax(), self.heads["v"](h)[0], step >= self.limit)


@case(
    call(floats(6), torch.tensor([0, 0, 1, 0, 0, 1]).bool(), 0.9),
    call(floats(4), torch.tensor([0, 1, 0, 0]).bool(), 0.5),
)
class DiscountedReturns(nn.Module):
    def forward(self, rewards, done, gamma: float):
        total = torch.zeros(())
        out = torch.zeros_like(rewards)
        for t in range(len(rewards) - 1, -1, -1):
            if done[t]:
                total = torch.zeros(())
            total = rewards[t] + gamma * total
            out[t] = total
        return out


@case(call(floats(3)), call(floats(3, seed=1)), call(floats(3, seed=2)), call(floats(3, seed=3)))
class RingBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.zeros(2, 3))
        self.register_buffer("position", torch.tensor(0))
        self.full = False

    def forward(self, x):
        self.memory[self.position] = x
        self.position.add_(1).remainder_(2)
        self.full = self.full or bool(self.position == 0)
        return self.memory.mean(0) if self.full else x * 0, self.full


@case(call(torch.tensor([7, 0, 3, 9])), call(torch.tensor([1, 1])))
class TokenWindows(nn.Module):
    """Index mathematics of a tokenizer: pairs, ranks and a hash."""

    def forward(self, ids):
        pairs = ids[:-1] * 10 + ids[1:]
        ranks = torch.searchsorted(torch.tensor([5, 30, 71]), pairs)
        return pairs, ranks, pairs.unique().numel(), (pairs * 31 % 97).sum().item()


@case(call("to be or not to be"), call("to err"), call(""))
class WordIds(nn.Module):
    vocabulary = {"to": 1, "be": 2, "or": 3}

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 2)

    def forward(self, text: str):
        ids = [self.vocabulary.get(word, 0) for word in text.split()]
        if not ids:
            return torch.zeros(2)
        return self.embed(torch.tensor(ids)).mean(0)


@case(call(floats(64)), call(floats(96, seed=1)))
class LogEnergies(nn.Module):
    """Windows of a signal, and the energy of each."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, wave):
        wave = torch.cat([wave[:1], wave[1:] - 0.97 * wave[:-1]])
        frames = wave.unfold(0, 16, 8) * self.window
        return frames.square().sum(-1).clamp(min=1e-6).log10() * 10


@case(call(floats(2, 40)), call(floats(1, 64)))
class MelByMatrix(nn.Module):
    """A spectrum by products with sines and cosines."""

    def __init__(self, size: int = 16, bands: int = 4):
        super().__init__()
        angles = 2 * math.pi * torch.outer(torch.arange(size // 2 + 1.0), torch.arange(1.0 * size)) / size
        self.register_buffer("basis", torch.stack([angles.cos(), -angles.sin()]))
        self.register_buffer("bands", floats(bands, size // 2 + 1).abs())
        self.hop = size // 2

    def forward(self, wave):
        frames = F.pad(wave[:, None], (8, 8), mode="reflect")[:, 0].unfold(-1, 16, self.hop)
        real, imaginary = (frames @ part.T for part in self.basis)
        return torch.log1p((real**2 + imaginary**2) @ self.bands.T)


@case(
    call(floats(4, 3), torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])),
    call(floats(3, 3), torch.tensor([[0, 1], [1, 0]])),
    grad=True,
)
class MessagePassing(nn.Module):
    def __init__(self):
        super().__init__()
        self.message, self.update = nn.Linear(6, 5), nn.GRUCell(5, 3)

    def forward(self, nodes, edges):
        source, target = edges
        messages = self.message(torch.cat([nodes[source], nodes[target]], -1)).relu()
        gathered = torch.zeros(nodes.shape[0], 5).index_add(0, target, messages)
        degree = torch.zeros(nodes.shape[0]).index_add(0, target, torch.ones(len(target)))
        return self.update(gathered / degree.clamp(min=1)[:, None], nodes)


@case(call(floats(5, 2), torch.tensor([0, 0, 1, 2, 2])), call(floats(3, 2), torch.tensor([1, 0, 1])), grad=True)
class SegmentSoftmax(nn.Module):
    def forward(self, x, group):
        count = int(group.max()) + 1
        most = torch.full((count, 2), -math.inf).scatter_reduce(0, group[:, None].expand(-1, 2), x, "amax")
        e = (x - most[group]).exp()
        return e / torch.zeros(count, 2).index_add(0, group, e)[group]


@case(call(floats(6, 2, 3)), call(floats(6, 2, 3, seed=4)), grad=True)
class EarlyExitCell(nn.Module):
    """A recurrent cell that stops when it is sure."""

    def __init__(self):
        super().__init__()
        self.cell, self.halt = nn.RNNCell(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        h = torch.zeros(x.shape[1], 4)
        used = 0
        for step in x:
            h = self.cell(step, h)
            used += 1
            if self.halt(h).sigmoid().mean() > 0.6:
                break
        return h, used


@case(call([floats(2, 3), floats(4, 3, seed=1)]), call([floats(1, 3)]), grad=True)
class RaggedBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, rows: list[torch.Tensor]):
        lengths = [len(row) for row in rows]
        flat = self.layer(torch.cat(rows))
        parts = flat.split(lengths)
        most = max(lengths)
        padded = torch.stack([F.pad(part, (0, 0, 0, most - len(part))) for part in parts])
        return padded, torch.tensor(lengths)


@case(call(floats(2, 3), None), call(floats(2, 3), {"h": floats(2, 3, seed=1), "t": 4}), grad=True)
class DictState(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 3)

    def forward(self, x, state: dict | None):
        if state is None:
            state = {"h": torch.zeros_like(x), "t": 0}
        h = torch.tanh(self.mix(torch.cat([x, state["h"]], 1)))
        return h * (1 + state["t"]), {**state, "h": h, "t": state["t"] + 1}


@dataclass
class Losses:
    total: torch.Tensor
    parts: dict[str, torch.Tensor] = field(default_factory=dict)
    note: str = ""


@case(call(floats(3, 2), floats(3, 2, seed=1)), call(floats(5, 2), floats(5, 2, seed=1)), grad=True)
class WeightedLosses(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.weights = {"l1": 0.5, "l2": 2.0}

    def forward(self, x, y):
        error = self.layer(x) - y
        parts = {"l1": error.abs().mean(), "l2": error.square().mean()}
        total = sum(self.weights[name] * part for name, part in parts.items())
        return Losses(total, parts, note=f"{len(x)} rows")


@case(
    call("up", floats(1, 2, 4, 4)),
    call("down", floats(1, 2, 4, 4)),
    call("same", floats(1, 2, 4, 4)),
    call("other", floats(1, 2, 4, 4)),
)
class DispatchByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.ways = nn.ModuleDict({"up": nn.Upsample(scale_factor=2), "down": nn.AvgPool2d(2), "same": nn.Identity()})

    def forward(self, how: str, x):
        if how not in self.ways:
            raise KeyError(f"no way {how!r} of {sorted(self.ways)}")
        return self.ways[how](x)


@case(call(steps(1, 2, 3)), call(steps(float("inf"), 1)), call(steps(1, 2, 3)))
class AssertsWithMessages(nn.Module):
    def forward(self, x):
        assert x.ndim == 1, f"one axis, not {x.ndim}"
        assert torch.isfinite(x).all(), "finite numbers"
        return x / x.sum()


@case(call(floats(2, 3), "relu"), call(floats(2, 3), "nothing"))
class TriesAttributes(nn.Module):
    def forward(self, x, name: str):
        try:
            return getattr(F, name)(x)
        except AttributeError:
            return x
        finally:
            self.last = name


@case(call({"a": floats(2)}, "a"), call({"a": floats(2)}, "b"))
class TriesKeys(nn.Module):
    def forward(self, table, key: str):
        try:
            value = table[key]
        except KeyError as error:
            return torch.zeros(2), str(error)
        else:
            return value * 2, "found"


@case(call(floats(3)), call(floats(3, seed=1)))
class Closures(nn.Module):
    def forward(self, x):
        scale = x.abs().max()
        calls = []

        def normal(y):
            nonlocal scale
            scale = scale + 1
            calls.append(y.shape[0])
            return y / scale

        return [normal(x), normal(x * 2), functools.reduce(torch.add, [x, x, x])], calls


class WithDefaults(nn.Module):
    eps = 1e-3
    names: tuple[str, ...] = ("mean", "std")

    @property
    def width(self) -> int:
        return self.weight.shape[0] * len(self.names)

    @classmethod
    def order(cls) -> list[str]:
        return sorted(cls.names, reverse=True)

    @staticmethod
    def safe(x, eps):
        return x.clamp(min=eps)


@case(call(floats(4, 3)), assign("eps", 1.0), call(floats(4, 3)), call(floats(6, 3)), grad=True)
class ClassMembers(WithDefaults):
    names = ("mean", "std", "max")

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        found = {"mean": x.mean(0), "std": x.std(0), "max": x.amax(0)}
        return [self.safe(found[name], self.eps) * self.weight for name in self.order()], self.width


@case(
    call(floats(2, 3)),
    change(lambda m: m.gate.register_forward_hook(lambda _, args, y: y.sigmoid())),
    call(floats(2, 3)),
    grad=True,
)
class HookedGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.body = nn.Linear(3, 3), nn.Linear(3, 3)
        self.seen = []
        self.body.register_forward_hook(self.note)

    def forward(self, x):
        return self.gate(x) * self.body(x), len(self.seen)

    def note(self, module, args, out):
        self.seen.append(tuple(out.shape))


@case(call(floats(2, 4, 6)), call(floats(2, 5, 6)), call(floats(2, 4, 6), torch.tensor([4, 2])), grad=True)
class PooledByMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(6, 1)

    def forward(self, x, lengths: torch.Tensor | None = None):
        scores = self.score(x).squeeze(-1)
        if lengths is not None:
            mask = torch.arange(x.shape[1]).expand(x.shape[0], -1) >= lengths[:, None]
            scores = scores.masked_fill(mask, -math.inf)
        return torch.bmm(scores.softmax(-1)[:, None], x)[:, 0]


@case(
    call(floats(1, 3, 8)),
    call(floats(1, 1, 8, seed=1)),
    call(floats(1, 1, 8, seed=2)),
    call_method("reset"),
    call(floats(1, 2, 8)),
)
class AnotherKeyValueCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.past = None

    def reset(self):
        self.past = None

    def forward(self, x):
        k, v = self.k(x), self.v(x)
        if self.past is not None:
            k, v = torch.cat([self.past[0], k], 1), torch.cat([self.past[1], v], 1)
        self.past = (k, v)
        return F.scaled_dot_product_attention(self.q(x), k, v)


@case(call(floats(6, 2)), call(floats(6, 2, seed=1)))
class KMeans(nn.Module):
    """Lloyd's steps until no row changes its cluster."""

    def forward(self, x):
        centres = x[:2].clone()
        labels = torch.zeros(len(x), dtype=torch.long)
        for _ in range(20):
            new = torch.cdist(x, centres).argmin(1)
            if torch.equal(new, labels):
                break
            labels = new
            for c in range(2):
                members = labels == c
                if members.any():
                    centres[c] = x[members].mean(0)
        return labels, centres


@case(call(torch.tensor(7)), call(torch.tensor(27)), call(torch.tensor(1)))
class Collatz(nn.Module):
    def forward(self, n):
        trail = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            trail += 1
        return trail


@case(call(floats(4, 4)), call(floats(3, 3, seed=1)), grad=True)
class PowerIteration(nn.Module):
    def __init__(self):
        super().__init__()
        self.rounds = 50

    def forward(self, a):
        a = a @ a.T
        v = torch.ones(len(a))
        last = torch.tensor(0.0)
        for _ in range(self.rounds):
            v = a @ v
            norm = v.norm()
            v = v / norm
            if (norm - last).abs() < 1e-4 * norm:
                break
            last = norm
        return v @ a @ v


@case(call(floats(2, 3, 4, 4)), change(nn.Module.eval), call(floats(2, 3, 4, 4)), call(floats(1, 3, 6, 6)), grad=True)
class BlocksByConfig(nn.Module):
    def __init__(self, config=(("conv", 4), ("norm", None), ("relu", None), ("conv", 2), ("pool", None))):
        super().__init__()
        width, layers = 3, []
        for kind, value in config:
            match kind:
                case "conv":
                    layers.append(nn.Conv2d(width, value, 3, padding=1))
                    width = value
                case "norm":
                    layers.append(nn.BatchNorm2d(width))
                case "pool":
                    layers.append(nn.AdaptiveAvgPool2d(1))
                case _:
                    layers.append(nn.ReLU())
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        shapes = []
        for layer in self.layers:
            x = layer(x)
            shapes.append(list(x.shape))
        return x.flatten(1), shapes


@case(call(floats(3, 5), torch.tensor([1, 0, 4])), call(floats(2, 5), torch.tensor([-100, 2])), grad=True)
class LabelSmoothing(nn.Module):
    def forward(self, logits, target, smoothing: float = 0.1, ignore: int = -100):
        keep = target != ignore
        log = logits.log_softmax(-1)[keep]
        target = target[keep]
        nll = -log.gather(1, target[:, None]).squeeze(1)
        return ((1 - smoothing) * nll - smoothing * log.mean(-1)).mean()


@case(
    call(floats(4, 3), torch.tensor([0, 1, 0, 1])), call(floats(5, 3, seed=1), torch.tensor([2, 0, 2, 2, 1])), grad=True
)
class Prototypes(nn.Module):
    """The mean of each class that is there."""

    def forward(self, x, labels):
        return {int(c): x[labels == c].mean(0) for c in labels.unique()}


@case(call(leaf(4, 3), leaf(4, 3, seed=1)), grad=True)
class HardTriplets(nn.Module):
    def forward(self, anchors, others):
        distances = torch.cdist(anchors, others)
        same = distances.diagonal()
        hardest = (distances + torch.eye(len(anchors)) * 1e6).min(1).values
        violating = same - hardest + 0.2 > 0
        if not violating.any():
            return distances.sum() * 0
        return F.relu(same - hardest + 0.2)[violating].mean()


@case(call(floats(3, 4)), call(floats(3, 4) * 100), call(floats(3, 4) * float("nan")))
class SkipsBadBatches(nn.Module):
    def __init__(self):
        super().__init__()
        self.skipped = 0

    def forward(self, x):
        if torch.isnan(x).any() or x.abs().max() > 50:
            self.skipped += 1
            return None
        return x.mean()


@case(call(floats(2, 6)), call(floats(3, 6)), change(lambda m: m.set_mode("max")), call(floats(3, 6)))
class StringMode(nn.Module):
    MODES = ("mean", "max", "both")

    def __init__(self):
        super().__init__()
        self.mode = "both"

    def set_mode(self, mode: str):
        if mode not in self.MODES:
            raise ValueError(mode)
        self.mode = mode

    def forward(self, x):
        parts = []
        if self.mode in ("mean", "both"):
            parts.append(x.mean(-1))
        if self.mode in ("max", "both"):
            parts.append(x.amax(-1))
        return torch.stack(parts, -1), f"{self.mode}:{len(parts)}"


@case(call(floats(2, 8), 2), call(floats(2, 8), 4), call(floats(3, 12), 3), grad=True)
class HeadsByArgument(nn.Module):
    def forward(self, x, heads: int):
        x = x.unflatten(-1, (heads, -1))
        order = torch.arange(heads - 1, -1, -1)
        return x[:, order].softmax(-1).flatten(1), x.sum(1, keepdim=True).expand(-1, heads, -1)


@case(call(whole(2, 3, 8), 2), call(whole(2, 2, 8, seed=1), 4))
class PackBits(nn.Module):
    def forward(self, bits, group: int):
        weights = 2 ** torch.arange(group)
        packed = (bits.reshape(len(bits), -1, group) * weights).sum(-1)
        return packed, (packed[..., None] >> torch.arange(group)) & 1


@case(call(floats(2, 3)), call(floats(2, 3) * 10))
class FakeQuantization(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.tensor(float("inf")))
        self.register_buffer("high", torch.tensor(-float("inf")))

    def forward(self, x):
        self.low.copy_(torch.minimum(self.low, x.min()))
        self.high.copy_(torch.maximum(self.high, x.max()))
        scale = (self.high - self.low) / 255
        zero = (-self.low / scale).round().int()
        q = ((x / scale).round() + zero).clamp(0, 255).to(torch.uint8)
        return q, (q.float() - zero) * scale


@case(call(floats(3, 4), floats(3, 4, seed=1)), call(floats(5, 4), floats(5, 4, seed=1)))
class Metrics(nn.Module):
    def forward(self, scores, other):
        prediction, truth = scores.argmax(1), other.argmax(1)
        confusion = torch.zeros(4, 4, dtype=torch.long)
        for t, p in zip(truth, prediction, strict=True):
            confusion[t, p] += 1
        hits = confusion.diag().sum().item()
        return confusion, hits / len(scores), torch.bincount(truth, minlength=4)


@case(call(floats(5)), call(torch.zeros(5)), call(floats(2)))
class Peaks(nn.Module):
    """Where a signal is larger than both neighbours."""

    def forward(self, x):
        inner = (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])
        places = torch.nonzero(inner).flatten() + 1
        return places, x[places], places.numel() > 0


@case(call(floats(4, 2)), call(floats(3, 2, seed=1)))
class FarthestPoints(nn.Module):
    """A sample of a cloud of points, each far from those before."""

    def forward(self, points, count: int = 3):
        chosen = [0]
        distance = torch.full((len(points),), math.inf)
        for _ in range(count - 1):
            distance = torch.minimum(distance, (points - points[chosen[-1]]).square().sum(1))
            chosen.append(distance.argmax().item())
        return torch.tensor(chosen), points[chosen]


@case(call(floats(3, 2, 4)), call(floats(5, 2, 4)), grad=True)
class GeneratorOfLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.forwards, self.backwards = nn.GRUCell(4, 3), nn.GRUCell(4, 3)

    def run(self, cell, x):
        h = torch.zeros(x.shape[1], 3)
        for row in x:
            h = cell(row, h)
            yield h

    def forward(self, x):
        there = list(self.run(self.forwards, x))
        back = list(self.run(self.backwards, x.flip(0)))[::-1]
        return torch.stack([torch.cat(pair, -1) for pair in zip(there, back, strict=True)])


@case(call(floats(2, 3)), call(floats(2, 3, seed=1)), call(floats(2, 3, seed=2)))
class TimedSchedule(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.log: dict[str, float] = {}

    @property
    def temperature(self) -> float:
        return max(0.1, 1.0 * 0.5**self.calls)

    def forward(self, x):
        y = (x / self.temperature).softmax(-1)
        self.calls += 1
        self.log[f"call {self.calls}"] = self.temperature
        return y


@case(call(floats(3, 3)), call(floats(4, 4, seed=1)))
class Elimination(nn.Module):
    """Gauss with pivots, in place."""

    def forward(self, a):
        a = a.clone()
        sign = 1
        for k in range(len(a)):
            pivot = int(a[k:, k].abs().argmax()) + k
            if pivot != k:
                a[[k, pivot]] = a[[pivot, k]]
                sign = -sign
            for row in range(k + 1, len(a)):
                a[row] -= a[row, k] / a[k, k] * a[k]
        return sign * a.diagonal().prod()


@case(call(floats(2, 3), 2), call(floats(2, 3), 0), call(floats(4, 3), 1), grad=True)
class TreeOfCalls(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf, self.join = nn.Linear(3, 3), nn.Bilinear(3, 3, 3)

    def forward(self, x, depth: int):
        if depth == 0:
            return self.leaf(x)
        return self.join(self.forward(x, depth - 1), self.forward(x * 2, depth - 1)).tanh()


@case(call(whole(5, 2, 6)), call(torch.tensor([[1, 4, 2, 3, 0, 0], [4, 4, 4, 4, 4, 4]])))
class CutAtEnd(nn.Module):
    """Sequences as lists, each up to its end token."""

    def __init__(self):
        super().__init__()
        self.end = 4

    def forward(self, tokens):
        out: list[list[int]] = []
        for row in tokens.tolist():
            out.append(row[: row.index(self.end)] if self.end in row else row)  # noqa: PERF401
        return out, max(map(len, out))
