# SPDX-License-Identifier: Apache-2.0
"""Views in captured modules: what is written to one is seen in the other, as imperatively in PyTorch."""

import random

import pytest
import torch
from torch.utils import _pytree as pytree

from tests.torch.functions.opinfo import door


class Draw:
    """Choices that depend on numbers drawn before."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.used = 0

    def below(self, stop):  # type: ignore[no-untyped-def]
        """Return a number from 0 up to `stop`."""
        self.used += 1
        return self.numbers[self.used - 1] % stop

    def between(self, low, high):  # type: ignore[no-untyped-def]
        """Return a number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def one_of(self, items):  # type: ignore[no-untyped-def]
        """Return an item."""
        return items[self.below(len(items))]

    def order(self, count: int) -> list[int]:
        """Return numbers below `count` in some order."""
        rest = list(range(count))
        return [rest.pop(self.below(len(rest))) for _ in range(count)]


def views(x: torch.Tensor, draw: Draw) -> torch.Tensor:
    """Return a view of a tensor."""
    ndim = x.dim()
    axis = draw.below(ndim) if ndim else 0
    size = x.shape[axis] if ndim else 1
    other = draw.below(ndim) if ndim else 0
    kinds = [lambda: x.unsqueeze(draw.below(ndim + 1)), lambda: x.squeeze(), lambda: x[...], lambda: x[None]]
    if x.is_contiguous():
        kinds += [lambda: x.view(-1), lambda: x.flatten(), lambda: x.contiguous()]
    if ndim:
        kinds += [
            lambda: x.transpose(axis, other), lambda: x.movedim(axis, other), lambda: x.swapaxes(axis, other),
            lambda: x.permute(*draw.order(ndim)), lambda: x.mT if ndim > 1 else x.unsqueeze(-1),
        ]  # fmt: skip
    if ndim and size:
        at = draw.below(2 * size) - size
        low = draw.below(size)
        kinds += [
            lambda: x.select(axis, at), lambda: x[(slice(None),) * axis + (at,)],
            lambda: x.narrow(axis, low, draw.between(1, size - low)),
            lambda: x[(slice(None),) * axis + (slice(low, None, draw.between(1, 3)),)],
            lambda: x[..., draw.below(x.shape[-1]) if x.shape[-1] else slice(None)],
            lambda: draw.one_of(x.split(draw.between(1, size), axis)),
            lambda: draw.one_of(x.chunk(draw.between(1, 4), axis)), lambda: draw.one_of(x.unbind(axis)),
            lambda: draw.one_of(x.tensor_split(draw.between(1, 3), axis)),
            lambda: x.unfold(axis, draw.between(1, min(size, 2)), 2),
            lambda: x.unflatten(axis, (1, -1)), lambda: x[:, -1:] if ndim > 1 else x[-1:],
        ]  # fmt: skip
    if ndim > 1:
        kinds += [lambda: x.diagonal(draw.between(-1, 1), *draw.order(ndim)[:2])] * 2
        kinds += [lambda: x.reshape(x.shape[0], -1) if x.is_contiguous() else x.t() if ndim == 2 else x[0]]
    return draw.one_of(kinds)()


def writes(x: torch.Tensor, draw: Draw) -> None:
    """Write to a tensor in place."""
    number = draw.between(1, 5) / 2
    kind = draw.below(10)
    if kind == 0:
        x.add_(number)
    elif kind == 1:
        x.mul_(number)
    elif kind == 2:
        x.copy_(x * number + 1)
    elif kind == 3:
        x += number
    elif kind == 4:
        x[...] = number
    elif kind == 5:
        x[x > number] = 0.5
    elif kind == 6:
        x.fill_(number)
    elif kind == 7:
        x.sin_()
    elif kind == 8 and x.dim() and x.shape[0]:
        x[-1] = x[0] * number
    elif x.dim() and x.shape[0]:
        x[torch.tensor([x.shape[0] - 1])] *= number
    else:
        x.zero_()


class Chains(torch.nn.Module):
    """Random chains of views of an argument, a parameter, a buffer or a new tensor, with writes between."""

    def __init__(self, seed: int, of: str) -> None:
        super().__init__()
        drawn = random.Random(seed)
        self.numbers = [drawn.randrange(10**6) for _ in range(80)]
        self.of = of
        self.weight = torch.nn.Parameter(torch.linspace(-1, 2, 24).reshape(2, 3, 4))
        self.register_buffer("state", torch.linspace(-2, 1, 24).reshape(4, 6))

    def forward(self, x):  # type: ignore[no-untyped-def]
        draw = Draw(self.numbers)
        base = {"argument": x, "parameter": self.weight, "buffer": self.state, "new": x * 2}[self.of]
        tensors = [base]
        for _ in range(5):
            tensors.append(views(draw.one_of(tensors), draw))
            if draw.below(10) < 6:
                target = draw.one_of(tensors)
                writes(target, draw)
        return tensors[-1], [one * 1 for one in tensors], tensors[draw.below(len(tensors))].sum()


def compare(seed: int, of: str, grad: bool) -> None:
    plain, module = Chains(seed, of), Chains(seed, of)
    fast = door(module)
    for rows in (4, 4, 6):
        given = torch.linspace(-1, 3, rows * 6, dtype=torch.float32).reshape(rows, 6)
        first, second = given.clone().requires_grad_(grad), given.clone().requires_grad_(grad)
        # Under no_grad a leaf is written; with gradients, only what the module makes.
        with torch.set_grad_enabled(grad):
            try:
                expected = plain(first)
            except RuntimeError:  # parts of one split may not be written while gradients are recorded
                return
            result = fast.call((second,), {})
        with torch.no_grad():
            for one, other in zip(pytree.tree_leaves(result), pytree.tree_leaves(expected), strict=True):
                torch.testing.assert_close(one, other)
        torch.testing.assert_close(second, first)
        torch.testing.assert_close(module.state_dict(), plain.state_dict())
        # What is returned is a view of what it is a view of imperatively.
        with torch.no_grad():
            if expected[0].numel() and not grad:
                for one in (expected[0], result[0]):
                    one.view(-1)[0:1].add_(3) if one.is_contiguous() else one.add_(3)
                torch.testing.assert_close(second, first)
                torch.testing.assert_close(module.state_dict(), plain.state_dict())
        if grad:
            total = [sum((part * part).sum() for part in one[1]) + one[2] for one in (expected, result)]
            for one in total:
                if one.requires_grad:  # of what is constant PyTorch has gradients of zeros where the program has none
                    one.backward()
            if first.grad is not None:
                torch.testing.assert_close(torch.zeros_like(second) if second.grad is None else second.grad, first.grad)


@pytest.mark.parametrize(("seed", "of"), [(0, "argument"), (1, "parameter"), (2, "buffer"), (3, "new")])
def test_views_share_what_is_written(seed: int, of: str) -> None:
    compare(seed, of, False)


@pytest.mark.parametrize("seed", range(2))
def test_gradients_go_through_views_that_are_written(seed: int) -> None:
    compare(seed, "new", True)


@pytest.mark.long
@pytest.mark.parametrize("of", ["argument", "parameter", "buffer", "new"])
@pytest.mark.parametrize("seed", range(60))
def test_many_views_share_what_is_written(seed: int, of: str) -> None:
    compare(seed, of, False)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_many_gradients_go_through_views_that_are_written(seed: int) -> None:
    compare(seed, "new", True)


def test_a_tensor_with_a_plus_is_the_same_memory():
    def function(x):
        x = x * 1
        y = +x
        y.add_(1)
        return x, torch.positive(y)

    x = torch.arange(3.0)
    torch.testing.assert_close(door(function).call((x,), {}), function(x))
