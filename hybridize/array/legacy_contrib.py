# SPDX-License-Identifier: Apache-2.0
"""Functions of `nd.contrib` that are few operations of others."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.legacy_rules import with_gradient_of
from hybridize.array.operands import array
from hybridize.base.dtypes import float32


def sync_batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    ndev: int = 1,
    key: str = "",
) -> Any:
    """`BatchNorm`, under the name of what MXNet synchronizes between devices: here the whole batch is on one."""
    options = {"fix_gamma": fix_gamma, "use_global_stats": use_global_stats, "output_mean_var": output_mean_var}
    return npx.batch_norm(data, gamma, beta, moving_mean, moving_var, eps=eps, momentum=momentum, **options)


def batch_norm_with_relu(
    data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 1e-3, **options: Any
) -> Any:
    """`BatchNorm`, and 0 where its result is below."""
    return npx.relu(npx.batch_norm(data, gamma, beta, moving_mean, moving_var, eps=eps, **options))


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True) -> Any:
    """1 where no element of `a` is further from that of `b` than atol + rtol |b|, else 0."""
    return np.allclose(a, b, rtol, atol, equal_nan) * np.ones((1,), float32)


def quadratic(data: Any, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Any:
    """a x² + b x + c"""
    x = array(data)
    return x * (x * a + b) + c


def gradientmultiplier(data: Any, scalar: float = 1.0) -> Any:
    """The same values, whose gradient is times `scalar`."""
    x = array(data)
    return with_gradient_of(x * scalar, x)


def round_ste(data: Any) -> Any:
    """The nearest integer, halves away from zero; its gradient is that of the data."""
    x = array(data)
    whole = np.trunc(x)
    return with_gradient_of(x, whole + np.sign(x) * (np.abs(x - whole) >= 0.5).astype(x.dtype))


def sign_ste(data: Any) -> Any:
    """The sign; its gradient is that of the data."""
    x = array(data)
    return with_gradient_of(x, np.sign(x))
