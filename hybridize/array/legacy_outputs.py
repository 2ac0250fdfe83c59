# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's outputs of regression: predictions whose gradient is that of a loss, whatever is done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array import np, npx
from hybridize.array.operands import array
from hybridize.base import modes


def linear_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """The data; their gradient is that of half the squared distance to `label`, by the numbers of a sample."""
    return _regression(array(data), label, grad_scale, lambda distance: distance)


def mae_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """The data; their gradient is that of the distance to `label`, by the numbers of a sample."""
    return _regression(array(data), label, grad_scale, np.sign)


def logistic_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """The sigmoid of the data, whose gradient is that of the cross entropy with `label`, by the numbers of a sample."""
    x = array(data)
    return _regression(npx.sigmoid(x), label, grad_scale, lambda distance: distance, of=x)


def _regression(y: Any, label: Any, grad_scale: float, slope: Callable[[Any], Any], of: Any = None) -> Any:
    """A copy of y; the gradient of `of`, which is y unless said, is the slope of the distance to the label."""
    if not modes.is_recording():
        return np.copy(y)
    wanted = np.reshape(label, y.shape)
    scale = grad_scale * y.shape[0] / y.size
    gradient = npx.stop_gradient(slope(y - wanted) * scale)
    share = (y if of is None else of) * gradient
    return npx.stop_gradient(y) + (share - npx.stop_gradient(share))
