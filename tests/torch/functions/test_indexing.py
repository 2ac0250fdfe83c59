# SPDX-License-Identifier: Apache-2.0
"""Keys of every form, read and written, as imperatively in PyTorch; and PyTorch's refusals."""

from typing import Any

import numpy
import pytest
import torch

from hybridize.errors import CaptureError
from hybridize.torch.traced import CannotCapture
from tests.torch.functions.opinfo import door

I = torch.tensor([2, 0, -1])  # noqa: E741
J = torch.tensor([[1], [3]])
KEYS: dict[str, Any] = {
    "int": lambda x: 1,
    "negative": lambda x: -1,
    "ints": lambda x: (0, -2),
    "all ints": lambda x: (0, 1, 2),
    "slice": lambda x: slice(1, None),
    "steps": lambda x: (slice(None, None, 2), slice(1, 4, 3)),
    "past the end": lambda x: slice(-100, 100),
    "empty": lambda x: slice(3, 1),
    "a size": lambda x: slice(x.shape[0] - 2, x.shape[0]),
    "half a size": lambda x: slice(None, x.shape[0] // 2),
    "a size as index": lambda x: x.shape[0] - 1,
    "a step of a size": lambda x: slice(None, None, x.shape[0]),
    "None": lambda x: None,
    "Nones": lambda x: (None, slice(1, 3), None, 0),
    "Ellipsis": lambda x: ...,
    "Ellipsis and int": lambda x: (..., 1),
    "int and Ellipsis": lambda x: (1, ..., None),
    "tensor": lambda x: I,
    "tensors": lambda x: (I, I),
    "broadcast tensors": lambda x: (I, J),
    "tensors apart": lambda x: (I, slice(None), I),
    "int and tensor": lambda x: (0, slice(None), I),
    "tensor and int": lambda x: (I, slice(None), 1),
    "tensor last": lambda x: (..., I),
    "tensor and None": lambda x: (I, None, I),
    "slice and tensors": lambda x: (slice(1, 3), I, J),
    "list": lambda x: [0, 2],
    "lists": lambda x: ([0, 2], [1, 1]),
    "array": lambda x: numpy.array([1, 0]),
    "empty list": lambda x: [],
    "number in a tensor": lambda x: torch.tensor(1),
    "number in a tensor and slice": lambda x: (slice(None), torch.tensor(-1)),
    "number of data": lambda x: x.argmax() * 0 + 1,
    "True": lambda x: True,
    "False": lambda x: False,
    "True and int": lambda x: (0, True),
    "int32": lambda x: I.int(),
}


class Get(torch.nn.Module):
    """Reads by a key."""

    def __init__(self, key: Any) -> None:
        super().__init__()
        self.key = key

    def forward(self, x):  # type: ignore[no-untyped-def]
        return x[self.key(x)] * 1


class Set(Get):
    """Writes a number, a sum, and a tensor by a key."""

    def forward(self, x):  # type: ignore[no-untyped-def]
        y = x * 2
        y[self.key(x)] = 3
        first = y * 1
        y[self.key(x)] += 0.5
        second = y * 1
        y[self.key(x)] = x[self.key(x)] * 2
        return first, second, y


def tensors() -> list[torch.Tensor]:
    return [torch.linspace(-1, 2, rows * 20).reshape(rows, 4, 5) for rows in (3, 3, 6)]


SHORT = {"steps", "half a size", "int and tensor", "tensors apart", "number of data", "Nones"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in SHORT else pytest.mark.long) for name in KEYS])
@pytest.mark.parametrize("kind", [Get, Set])
def test_keys(name: str, kind: Any) -> None:
    module = kind(KEYS[name])
    fast = door(module)
    for x in tensors():
        first, second = x.clone().requires_grad_(), x.clone().requires_grad_()
        expected, result = module(first), fast.call((second,), {})
        expected, result = ((one,) if isinstance(one, torch.Tensor) else one for one in (expected, result))
        for one, other in zip(result, expected, strict=True):
            torch.testing.assert_close(one, other)
        for one in (expected, result):
            sum((part * part).sum() for part in one).backward()
        torch.testing.assert_close(second.grad, first.grad)


def test_masked_writes_keep_sizes() -> None:
    class Plain(torch.nn.Module):
        def forward(self, x):  # type: ignore[no-untyped-def]
            y = x * 1
            y[y > 0.9] = 5
            y[:, y[0, :, 0] < 0] = x[:, :1] * 2
            y[..., x[0, 0] > 0] = 1
            y[x[:, 0, 0] > 0] = torch.arange(20.0).reshape(4, 5)
            y[x.sum() > 0] = 4.0
            z = (x * 3).int()
            z[z > 2] = 7.9
            return y, z

    fast = door(Plain())
    for x in tensors():
        for one, other in zip(fast.call((x,), {}), Plain()(x), strict=True):
            torch.testing.assert_close(one, other)


def test_what_a_mask_of_random_numbers_picks_is_refused_with_a_remedy() -> None:
    """Nobody knows it before the call; of arguments and weights, it is asked: tests/torch/test_decided.py."""
    for function in (
        lambda x: x[torch.rand_like(x) > 0.5],
        lambda x: torch.nonzero(torch.rand_like(x) > 0.5),
        lambda x: torch.masked_select(x, torch.rand_like(x) > 0.5),
        lambda x: torch.unique(torch.rand_like(x)),
    ):
        with pytest.raises(CannotCapture) as caught:
            door(_of(function)).call((torch.ones(3),), {})
        cause = caught.value.__cause__
        assert isinstance(cause, CaptureError) and cause.code == "E422" and "depends on data" in cause.what


def _of(function: Any) -> torch.nn.Module:
    class Of(torch.nn.Module):
        def forward(self, *tensors):  # type: ignore[no-untyped-def]
            return function(*tensors)

    return Of()


def _write_expanded(x):  # type: ignore[no-untyped-def]
    y = (x * 1)[:1].expand(3, -1)
    y.add_(1)
    return y


def _set_leaf(x):  # type: ignore[no-untyped-def]
    x.add_(1)
    return x


def _set_part_of_leaf(x):  # type: ignore[no-untyped-def]
    x[0] = 1
    return x


REFUSED: dict[str, Any] = {
    "written expanded": _write_expanded,
    "index": lambda x: x[7],
    "select": lambda x: x.select(0, 9),
    "too many": lambda x: x[0, 0, 0],
    "two ones": lambda x: x.view(-1, -1),
    "sizes": lambda x: x.view(5, 5),
    "reshape": lambda x: x.reshape(7),
    "no view": lambda x: x.t().view(-1),
    "axis": lambda x: x.unsqueeze(5),
    "transpose": lambda x: x.transpose(0, 3),
    "negative step": lambda x: x[::-1],
    "set": lambda x: (x * 1).__setitem__(0, torch.ones(9)),
    "set by tensors": lambda x: (x * 1).__setitem__(torch.tensor([0, 1]), torch.ones(9)),
    "set of another dtype": lambda x: (x * 1).__setitem__(torch.tensor([0, 1]), torch.ones(4).double()),
    "view of a leaf": _set_part_of_leaf,
    "narrow": lambda x: x.narrow(0, 2, 5),
    "split": lambda x: x.split([1, 1]),
    "chunk": lambda x: x.chunk(0),
    "expand": lambda x: x.expand(3, 9),
    "cat": lambda x: torch.cat([x, x[:, :1]], 0),
    "stack": lambda x: torch.stack([x, x[:1]]),
    "gather": lambda x: x.gather(0, torch.zeros(2, dtype=torch.int64)),
    "permute": lambda x: x.permute(0, 0),
    "len": lambda x: len(x.sum()),
    "iter": lambda x: list(x.sum()),
    "diagonal": lambda x: x.diagonal(0, 1, 1),
    "topk": lambda x: x.topk(50),
    "inv": lambda x: torch.linalg.inv(x),
    "flip": lambda x: x.flip(0, 0),
    "unfold": lambda x: x.unfold(0, 9, 1),
    "float index": lambda x: x[x],
    "leaf": _set_leaf,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_class_and_the_words_of_pytorch(name: str) -> None:
    x = torch.ones(3, 4, requires_grad="leaf" in name)
    with pytest.raises(Exception) as expected:
        REFUSED[name](x)
    with pytest.raises(CannotCapture) as caught:
        door(_of(REFUSED[name])).call((x,), {})
    cause = caught.value.__cause__
    assert type(cause) is expected.type, (cause, expected.value)
    assert str(cause)[:20] == str(expected.value)[:20], (cause, expected.value)
