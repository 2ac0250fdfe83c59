# SPDX-License-Identifier: Apache-2.0
"""Methods and devices under the names that the book has for all of its editions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array.device import Device, cpu, gpu, num_gpus


def size(a: Any) -> int:
    """Return the number of elements.

    >>> from hybridize import d2l, np
    >>> d2l.size(np.ones((2, 3)))
    6
    """
    number: int = a.size
    return number


def transpose(a: Any) -> Any:
    """Return the array with all axes reversed.

    >>> from hybridize import d2l, np
    >>> d2l.transpose(np.ones((2, 3))).shape
    (3, 2)
    """
    return a.T


def _method(name: str, text: str, example: str) -> Callable[..., Any]:
    """Return a method of arrays as a function.

    Args:
        name: of the method.
        text: the first line of the docstring.
        example: an expression, and after an arrow its result.
    """

    def function(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    call, _, result = example.partition(" -> ")
    function.__doc__ = f"""{text}

    Args:
        x: the array.
        args, kwargs: those of the array's method `{name}`.

    >>> from hybridize import d2l, np
    >>> {call}
    {result}
    """
    return function


numpy: Callable[..., Any] = _method(
    "asnumpy", "Return the array as NumPy's.", "d2l.numpy(np.ones(2)) -> array([1., 1.], dtype=float32)"
)
reshape: Callable[..., Any] = _method(
    "reshape", "Return the elements in another shape.", "d2l.reshape(np.ones(4), (2, 2)).shape -> (2, 2)"
)
to: Callable[..., Any] = _method(
    "as_in_context", "Return the array on another device.", "d2l.to(np.ones(1), d2l.cpu(1)).device -> cpu(1)"
)
reduce_sum: Callable[..., Any] = _method(
    "sum", "Return the sum of the elements, of all or along an axis.", "d2l.reduce_sum(np.ones(3)) -> array(3.)"
)
reduce_mean: Callable[..., Any] = _method(
    "mean", "Return the mean of the elements, of all or along an axis.", "d2l.reduce_mean(np.ones(3)) -> array(1.)"
)
argmax: Callable[..., Any] = _method(
    "argmax",
    "Return the position of the greatest element, of all or along an axis.",
    "d2l.argmax(np.array([1, 3, 2])).item() -> 1",
)
astype: Callable[..., Any] = _method(
    "astype", "Return the array in another dtype.", "d2l.astype(np.ones(1), \"int32\").dtype -> dtype('int32')"
)
swapaxes: Callable[..., Any] = _method(
    "swapaxes", "Return the array with two axes exchanged.", "d2l.swapaxes(np.ones((2, 3)), 0, 1).shape -> (3, 2)"
)
repeat: Callable[..., Any] = _method(
    "repeat", "Return the elements repeated.", "d2l.repeat(np.ones(2), 2).shape -> (4,)"
)


def try_gpu(i: int = 0) -> Device:
    """Return the GPU of a number if there is one, else the CPU.

    Args:
        i: the number.

    >>> from hybridize import d2l
    >>> d2l.try_gpu()
    cpu(0)
    """
    return gpu(i) if num_gpus() >= i + 1 else cpu()


def try_all_gpus() -> list[Device]:
    """Return all GPUs if there are any, else the CPU alone.

    >>> from hybridize import d2l
    >>> d2l.try_all_gpus()
    [cpu(0)]
    """
    return [gpu(i) for i in range(num_gpus())] or [cpu()]
