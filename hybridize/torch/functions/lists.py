# SPDX-License-Identifier: Apache-2.0
"""Functions of torch of whole lists of tensors, by which optimizers and averages of weights are written.

Each does with every tensor what the function of its name does with one: `torch._foreach_lerp_` is `lerp_`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_PREFIX = "_foreach_"
_OF_ONE: dict[str, Callable[..., Any]] = {"norm": torch.linalg.vector_norm}
"""Functions of one tensor that have another name."""
_FACTORED = ("addcmul", "addcdiv")
"""Functions whose last argument has a name in those of one tensor."""


def of_each(function: Any) -> Callable[..., Any] | None:
    """Return how a program calls a function of lists of tensors; None for all other functions.

    What is returned takes what applies a function to one tensor, and the arguments.
    """
    whole = getattr(function, "__name__", "")
    if not whole.startswith(_PREFIX):
        return None
    name = whole.removeprefix(_PREFIX)
    of_one = _OF_ONE.get(name) or getattr(torch.Tensor if name.endswith("_") else torch, name, None)
    if of_one is None:
        return None

    def call(apply: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        count = len(next(arg for arg in args if isinstance(arg, (list, tuple))))
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, (list, tuple)) and len(arg) != count:
                raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(arg)}")
        if name.rstrip("_") in _FACTORED and len(args) == 4:
            *args, kwargs["value"] = args  # type: ignore[assignment]
        results = [
            apply(of_one, [_item(arg, k) for arg in args], {word: _item(arg, k) for word, arg in kwargs.items()})
            for k in range(count)
        ]
        return results if name.endswith("_") else tuple(results)

    return call


def _item(argument: Any, number: int) -> Any:
    """Return the part of an argument that is one tensor's."""
    return argument[number] if isinstance(argument, (list, tuple)) else argument
