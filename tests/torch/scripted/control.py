"""Control flow on data: decoding, policies, searches, iterations."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch.scripted.cases import call, case, floats, leaf, steps, whole


@case(call(torch.tensor([1, 2])), call(torch.tensor([3, 0, 5])))
class GreedyDecoding(nn.Module):
    """Tokens until the end is drawn, or there are ten."""

    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(8, 6), nn.GRUCell(6, 6), nn.Linear(6, 8)
        self.end = 7

    def forward(self, prompt):
        h = torch.zeros(1, 6)
        for token in prompt:
            h = self.cell(self.embed(token)[None], h)
        made = []
        token = self.head(h).argmax(-1)
        while len(made) < 10 and token.item() != self.end:
            made.append(int(token))
            h = self.cell(self.embed(token), h)
            token = self.head(h).argmax(-1)
        return made, h


@case(call(torch.tensor([1]), 4), call(torch.tensor([2]), 6))
class GreedyFixedLength(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(8, 6), nn.Linear(6, 8)

    def forward(self, tokens, length: int):
        for _ in range(length):
            logits = self.head(self.embed(tokens).cumsum(0)[-1])
            tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)])
        return tokens


@case(call(floats(6), 3), call(floats(6, seed=1), 5))
class BeamSearch(nn.Module):
    def __init__(self):
        super().__init__()
        self.moves = nn.Linear(6, 6)
        self.width = 2

    def forward(self, start, length: int):
        scores, beams = F.log_softmax(start, -1).topk(self.width)
        beams = beams[:, None]
        for _ in range(length):
            log = F.log_softmax(self.moves(F.one_hot(beams[:, -1], 6).float()), -1) + scores[:, None]
            scores, flat = log.flatten().topk(self.width)
            beams = torch.cat([beams[flat // 6], (flat % 6)[:, None]], 1)
        return beams, scores


@case(call(floats(1, 4), False), call(floats(1, 4, seed=1), True), call(floats(1, 4, seed=1), False), grad=True)
class Policy(nn.Module):
    """An actor and critic as reinforcement learning has them: the action is a number of Python's."""

    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)

    def forward(self, state, explore: bool):
        h = torch.relu(self.body(state))
        logits = self.actor(h)
        action = int(logits.argmax(-1)) if not explore else int(logits.argmin(-1))
        return action, F.log_softmax(logits, -1)[0, action], self.critic(h).squeeze(-1)


@case(call(steps(0.1, -0.2)), call(steps(3, 4)), grad=True)
class ClipByNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(steps(1.5, 0.5))

    def forward(self, x):
        y = x * self.weight
        norm = y.norm()
        if norm > 1.0:
            y = y / norm
        return y


@case(call(leaf(3, 4), 0), call(leaf(3, 4), 1), grad=True)
class DifferentWorkPerSide(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.Linear(4, 2)
        self.large = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x, shift: int):
        if (x.mean() + shift > 0.5).item():
            y = self.large(x)
            for _ in range(3):
                y = torch.tanh(y)
        else:
            y = self.small(x)
        return y


@case(call(steps(2)), call(steps(9)), call(steps(2)))
class NewtonUntilConverged(nn.Module):
    def forward(self, a):
        x = a
        rounds = 0
        while (x * x - a).abs().max() > 1e-3:
            x = 0.5 * (x + a / x)
            rounds += 1
            if rounds > 50:
                break
        return x, rounds


@case(call(floats(5, 3)), call(floats(5, 3, seed=3)))
class BreakAndContinue(nn.Module):
    def forward(self, rows):
        total = torch.zeros(3)
        for row in rows:
            if row[0] < 0:
                continue
            if total.sum() > 2:
                break
            total = total + row.abs()
        return total


@case(call(torch.tensor([3, 1, 2])), call(torch.tensor([0, 5])))
class LoopOfTensorLength(nn.Module):
    def forward(self, counts):
        out = counts.new_zeros(0)
        for count in counts.tolist():
            out = torch.cat([out, torch.arange(count).sum()[None]])
        return out


@case(call(torch.tensor(4)), call(torch.tensor(1)))
class RangeOfItem(nn.Module):
    def forward(self, n):
        a, b = torch.tensor(0), torch.tensor(1)
        for _ in range(int(n)):
            a, b = b, a + b
        return a


@case(call(steps(1, 2)), call(steps(-1, 2)), call(steps(1, 2)))
class AssertOnData(nn.Module):
    def forward(self, x):
        assert (x > 0).all(), "all must be positive"
        return x.log()


@case(call(floats(3, 4)), call(floats(3, 5)), call(floats(3, 4)))
class RaisesOnShape(nn.Module):
    def forward(self, x):
        if x.shape[-1] != 4:
            raise ValueError(f"expected 4 columns, got {tuple(x.shape)}")
        return x.sum(-1)


@case(call(steps(1, 2)), call(steps(float("nan"), 2)), call(steps(1, 2)))
class RaisesOnData(nn.Module):
    def forward(self, x):
        if torch.isnan(x).any():
            raise ArithmeticError("there are NaN")
        return x * 2


@case(
    call(steps(0, 0, 2, 2), steps(0.1, 0, 2, 2), steps(5, 5, 6, 6)),
    call(steps(0, 0, 1, 1), steps(3, 3, 4, 4), steps(5, 5, 6, 6)),
)
class NonMaximumSuppression(nn.Module):
    def overlap(self, a, b):
        low, high = torch.maximum(a[:2], b[:2]), torch.minimum(a[2:], b[2:])
        common = (high - low).clamp(min=0).prod()
        return common / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - common)

    def forward(self, *boxes):
        kept = []
        for box in boxes:
            if all(self.overlap(box, other) < 0.5 for other in kept):
                kept.append(box)
        return torch.stack(kept)


@case(call(floats(2, 5, 6)), call(floats(3, 8, 6)))
class DetectionHead(nn.Module):
    """The best boxes of each image by their score."""

    def __init__(self):
        super().__init__()
        self.score, self.box = nn.Linear(6, 1), nn.Linear(6, 4)
        self.k = 3

    def forward(self, features):
        scores = self.score(features).squeeze(-1).sigmoid()
        best, places = scores.topk(min(self.k, scores.shape[1]), dim=1)
        boxes = self.box(features).gather(1, places[..., None].expand(-1, -1, 4))
        centre, size = boxes.chunk(2, -1)
        return {"boxes": torch.cat([centre - size.exp() / 2, centre + size.exp() / 2], -1), "scores": best}


@case(call(whole(9, 8)), call(torch.tensor([4, 4, 1, 1, 1, 0])))
class CollapseRepeats(nn.Module):
    """Greedy CTC: repeats are one, blanks are none."""

    def forward(self, tokens):
        last = -1
        out: list[int] = []
        for token in tokens.tolist():
            if token not in (last, 0):
                out.append(token)
            last = token
        return out


@case(call(torch.tensor([[5, 6, 0, 0], [7, 8, 9, 0]])), call(torch.tensor([[1, 2, 3, 4]])))
class PadMask(nn.Module):
    def forward(self, tokens):
        lengths = (tokens != 0).sum(1)
        positions = torch.arange(tokens.shape[1])
        mask = positions[None, :] < lengths[:, None]
        ends = tokens.gather(1, (lengths - 1)[:, None]).squeeze(1)
        return mask, lengths, ends, torch.where(mask, tokens, -100)


@case(call(floats(4, 3)), call(-floats(4, 3).abs()))
class Ternary(nn.Module):
    def forward(self, x):
        scale = 2.0 if x.max() > 0 else 0.5
        return x * scale, bool(x.min() > -1), float(x.sum())


@case(call(floats(3), torch.tensor(True)), call(floats(3), torch.tensor(False)))
class BoolTensors(nn.Module):
    def forward(self, x, flag):
        if flag and not (x == 0).any():
            x = x + 1
        return x if not flag or x[0] > 100 else -x


@case(call(steps(1, 3, 5, 7, 9), 6.0), call(steps(1, 3, 5, 7, 9), 0.0), call(steps(1, 3, 5, 7, 9), 100.0))
class BinarySearch(nn.Module):
    def forward(self, table, wanted: float):
        low, high = 0, table.shape[0]
        while low < high:
            middle = (low + high) // 2
            if table[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        return low


@case(call(leaf(2, 4)), grad=True)
class FixedPoint(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        z = torch.zeros_like(x)
        for _ in range(30):
            new = torch.tanh(0.5 * self.layer(z) + x)
            if (new - z).abs().max() < 1e-2:
                break
            z = new
        return z


@case(call(floats(2, 3), 0), call(floats(2, 3), 2), call(floats(2, 3), 7))
class MatchOnNumber(nn.Module):
    def forward(self, x, kind: int):
        match kind:
            case 0:
                return x.relu()
            case 1 | 2:
                return x.tanh()
            case _:
                return x
