# SPDX-License-Identifier: Apache-2.0
"""Functions of `nd.contrib` that are few operations of others."""

from __future__ import annotations

from functools import wraps
from typing import Any

from hybridize.array import npx


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
    """Normalize as `BatchNorm` does: the whole batch is on one device, so nothing needs to be synchronized.

    >>> x, one, zero = nd.array([[1.0], [3.0]]), nd.ones(1), nd.zeros(1)
    >>> nd.contrib.SyncBatchNorm(x, one, zero, zero, one, eps=0.0).asnumpy().round(4)
    array([[1.],
           [3.]], dtype=float32)
    """
    options: dict[str, Any] = {
        "fix_gamma": fix_gamma, "use_global_stats": use_global_stats, "output_mean_var": output_mean_var,
    }  # fmt: skip
    return npx.batch_norm(data, gamma, beta, moving_mean, moving_var, eps=eps, momentum=momentum, **options)


@wraps(npx.batch_norm, (), ())  # for the signature alone
def batch_norm_with_relu(*args: Any, **keywords: Any) -> Any:
    """`BatchNorm`, and 0 where its result is below."""
    output = npx.batch_norm(*args, **keywords)
    return [npx.relu(output[0]), *output[1:]] if isinstance(output, (list, tuple)) else npx.relu(output)
