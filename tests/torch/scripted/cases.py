"""What a case is: a module, and what happens to it, call by call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True)
class Call:
    """One call of the module, or of another method of it."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    method: str = ""


@dataclass(frozen=True)
class Change:
    """What a user does to the module between calls."""

    act: Callable[[Any], Any]
    by_door: bool = False
    """Whether it is done to what `hybridize(module)` returned, as if that were the module."""


@dataclass(frozen=True)
class Case:
    """A small module of the kind that is scripted, with calls of it."""

    name: str
    make: Callable[[], nn.Module]
    steps: tuple[Call | Change, ...]
    grad: bool
    """Whether calls are made with gradients on, and each is followed by a backward pass."""
    memory: bool
    """Whether which tensors share memory is compared: arguments, results of all calls so far, and the module's own."""
    rounded: bool = False
    """Whether the module is made one of double precision after it has computed what it keeps in single precision."""


CASES: dict[str, Case] = {}


def case(
    *steps: Call | Change, grad: bool = False, memory: bool = False, rounded: bool = False
) -> Callable[[Any], Any]:
    """Put a class of modules, or a function that makes one, among the cases, under its name."""

    def add(make: Any) -> Any:
        name = make.__name__
        assert name not in CASES, f"two cases are called {name}"
        CASES[name] = Case(name, make, steps, grad, memory, rounded)
        return make

    return add


def call(*args: Any, **kwargs: Any) -> Call:
    """A call of the module; every run has a copy of the arguments."""
    return Call(args, kwargs)


def call_method(method: str, *args: Any, **kwargs: Any) -> Call:
    """A call of another method of the module."""
    return Call(args, kwargs, method)


def change(act: Callable[[Any], Any]) -> Change:
    """A change of the module."""
    return Change(act)


def change_by_door(act: Callable[[Any], Any]) -> Change:
    """A change by way of what `hybridize` returned: where PyTorch alone runs, that is the module."""
    return Change(act, by_door=True)


def assign(name: str, value: Any) -> Change:
    """A new value for an attribute; every run has a copy of it."""
    return Change(lambda module: setattr(module, name, copy.deepcopy(value)))


def floats(*shape: int, seed: int = 0) -> torch.Tensor:
    """Numbers from a normal distribution, the same each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def leaf(*shape: int, seed: int = 0) -> torch.Tensor:
    """The same, of which the gradient is wanted."""
    return floats(*shape, seed=seed).requires_grad_()


def whole(below: int, *shape: int, seed: int = 0) -> torch.Tensor:
    """Whole numbers from 0."""
    return torch.randint(below, shape, generator=torch.Generator().manual_seed(seed))


def steps(*values: float) -> torch.Tensor:
    """The values as a tensor of float32."""
    return torch.tensor(values, dtype=torch.float32)
