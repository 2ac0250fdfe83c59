"""Classes of tensors and modes by which somebody overrides functions of torch: refused where programs would not ask them."""

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal


class Counting(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs or {})
        return result + 1 if function is torch.mul else result


class Named(torch.Tensor):
    """Results are of the class."""


class Weight(nn.Parameter):
    """Results are plain."""


class Adding(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        return result + 1 if function is torch.mul else result


class Module(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


DOORS = pytest.mark.parametrize("door", [hybridize, lambda one: hybridize(Module(one))], ids=["function", "module"])


def doubled(x):
    return torch.mul(x, 2)


@DOORS
@pytest.mark.parametrize("kind", [Counting, Named])
def test_classes_with_functions_of_their_own(kind, door):
    x = torch.ones(2).as_subclass(kind)
    compiled = door(doubled)
    compiled(torch.ones(2))
    for call in (lambda: compiled(x), lambda: door(lambda y: y * x)(torch.ones(2))):
        with refusal(
            CaptureError, f"E420: a tensor of class {kind.__name__}, which overrides functions .*\n.*as_subclass"
        ):
            call()
    assert compiled(x.as_subclass(torch.Tensor)).tolist() == [2.0, 2.0]


@DOORS
@pytest.mark.parametrize("make", [Weight, nn.Parameter, nn.Buffer])
def test_classes_without(make, door):
    x = make(torch.ones(2))
    for found in (door(doubled)(x), door(lambda y: y * x * 2)(torch.ones(2))):
        assert type(found) is torch.Tensor
        assert found.tolist() == [2.0, 2.0]
        assert found.requires_grad == x.requires_grad


@DOORS
@pytest.mark.parametrize("mode", [Adding, lambda: torch.device("meta"), lambda: FlopCounterMode(display=False)])
def test_modes_around_a_call(mode, door):
    compiled = door(doubled)
    for _ in range(3):
        with mode(), refusal(CaptureError, "E458: .* is called within"):
            compiled(torch.ones(2))
        assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]


@DOORS
@pytest.mark.parametrize("mode", [Adding, lambda: torch.device("meta")])
@pytest.mark.parametrize("function", [doubled, lambda x: x * 2, lambda x: torch.zeros(2)])
def test_modes_within_a_function(function, mode, door):
    def within(x):
        with mode():
            return function(x)

    with refusal(CaptureError, "E420: functions of PyTorch within"):
        door(within)(torch.ones(2))


@DOORS
def test_the_device_that_tensors_are_on_anyway(door):
    def within(x):
        with torch.device("cpu"):
            return x * 2 + torch.ones(2)

    compiled = door(within)
    with torch.device("cpu"):
        assert compiled(torch.ones(2)).tolist() == [3.0, 3.0]
    assert compiled(torch.ones(2)).tolist() == [3.0, 3.0]
    torch.set_default_device("cpu")
    try:
        assert compiled(torch.ones(2)).tolist() == [3.0, 3.0]
    finally:
        torch.set_default_device(None)
