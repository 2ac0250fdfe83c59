# SPDX-License-Identifier: Apache-2.0
"""Methods and devices under the names that the book has for all of its editions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array.device import Device, cpu, gpu, num_gpus


def size(a: Any) -> int:
    """The number of elements."""
    number: int = a.size
    return number


def transpose(a: Any) -> Any:
    """All axes reversed."""
    return a.T


def _method(name: str, text: str) -> Callable[..., Any]:
    """A method of arrays as a function."""

    def function(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    function.__doc__ = text
    return function


numpy: Callable[..., Any] = _method("asnumpy", "The array as NumPy's.")
reshape: Callable[..., Any] = _method("reshape", "The elements in another shape.")
to: Callable[..., Any] = _method("as_in_context", "The array on another device.")
reduce_sum: Callable[..., Any] = _method("sum", "The sum of the elements, or along an axis.")
reduce_mean: Callable[..., Any] = _method("mean", "The mean of the elements, or along an axis.")
argmax: Callable[..., Any] = _method("argmax", "The position of the greatest element, or along an axis.")
astype: Callable[..., Any] = _method("astype", "The array as another dtype.")
swapaxes: Callable[..., Any] = _method("swapaxes", "Two axes exchanged.")
repeat: Callable[..., Any] = _method("repeat", "Elements repeated.")


def try_gpu(i: int = 0) -> Device:
    """The GPU of a number where there is one; so, always, the CPU."""
    return gpu(i) if num_gpus() >= i + 1 else cpu()


def try_all_gpus() -> list[Device]:
    """All GPUs where there are some; so, always, the CPU alone."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]
