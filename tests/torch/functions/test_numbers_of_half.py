# SPDX-License-Identifier: Apache-2.0
"""Numbers beside tensors of 16 bits: products and quotients take them as float32, as PyTorch does, bit by bit.

Each as a constant of the program, and as one that data decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from hybridize import hybridize

PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "x * s": lambda x, s: x * s,
    "s * x": lambda x, s: s * x,
    "mul_": lambda x, s: x.clone().mul_(s),
    "x / s": lambda x, s: x / s,
    "s / x": lambda x, s: s / x,
    "floor": lambda x, s: torch.div(x, s, rounding_mode="floor"),
    "trunc": lambda x, s: torch.div(x, s, rounding_mode="trunc"),
    "x // s": lambda x, s: x // s,
    "lerp": lambda x, s: torch.lerp(x, x * 2, s),
    "x + s": lambda x, s: x + s,
    "s - x": lambda x, s: s - x,
    "x % s": lambda x, s: x % s,
    "x < s": lambda x, s: x < s,
    "where": lambda x, s: torch.where(x > 1, x, s),
    "0-d": lambda x, s: x[0] * s,
    "tensor": lambda x, s: x * torch.tensor(s, dtype=torch.float64),
    "tensor first": lambda x, s: torch.tensor(s, dtype=torch.float64) * x,
    "quotient of a tensor": lambda x, s: x / torch.tensor(s, dtype=torch.float64),
}
SCALES = [1e6, 0.7234567, 70000, 65519.0, 3e-6, 1e-9, -1e5, math.inf, math.nan]
DTYPES = [torch.float16, torch.bfloat16]
X = torch.tensor([1e-4, 0.3, 1.0, 3.1, 47.7, 250.3])


class AtOnce(torch.nn.Module):
    """Each function of a number that is a literal, and of one that data decides."""

    def __init__(self, functions: list[Callable[[Any, Any], Any]], literal: float | None) -> None:
        super().__init__()
        self.functions, self.literal = functions, literal

    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> list[torch.Tensor]:
        number = scale.item() if self.literal is None else self.literal
        return [function(x, number) for function in self.functions]


@pytest.mark.parametrize("literal", [True, False], ids=["literal", "data"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_products_and_sums_with_numbers(dtype: torch.dtype, literal: bool) -> None:
    x = X.to(dtype)
    data = None if literal else hybridize(AtOnce(list(PRODUCTS.values()), None))
    for scale in SCALES[:2] if literal else SCALES:
        functions = list(PRODUCTS.values())
        number = torch.tensor(scale, dtype=torch.float64)
        expected = AtOnce(functions, scale if literal else None)(x, number)
        module = data or hybridize(AtOnce(functions, scale))
        with torch.no_grad():
            result = module(x, number)
        for name, one, other in zip(PRODUCTS, result, expected, strict=True):
            torch.testing.assert_close(one, other, equal_nan=True, rtol=0, atol=0, msg=f"{name} {scale}: {one} {other}")
