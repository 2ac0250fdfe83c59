# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays and devices under the names that the book has for all of its editions."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.device import Device, cpu, gpu, num_gpus
from hybridize.base import dtypes
from hybridize.gluon import nn

float32, int32, int64 = dtypes.float32, dtypes.int32, dtypes.int64
nn_Module = nn.Block  # noqa: N816 - the book's name

ones, ones_like, zeros, zeros_like, arange, eye = np.ones, np.ones_like, np.zeros, np.zeros_like, np.arange, np.eye
linspace, meshgrid, tensor = np.linspace, np.meshgrid, np.array
sin, cos, sinh, cosh, tanh, exp, log, abs = np.sin, np.cos, np.sinh, np.cosh, np.tanh, np.exp, np.log, np.abs
normal, rand, randn = np.random.normal, np.random.rand, np.random.randn
matmul, concat, stack, expand_dims = np.dot, np.concatenate, np.stack, np.expand_dims
sigmoid, batch_matmul = npx.sigmoid, npx.batch_dot


def size(a: Any) -> int:
    """The number of elements."""
    number: int = a.size
    return number


def transpose(a: Any) -> Any:
    """All axes reversed."""
    return a.T


def numpy(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The array as NumPy's."""
    return x.asnumpy(*args, **kwargs)


def reshape(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The elements in another shape."""
    return x.reshape(*args, **kwargs)


def to(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The array on another device."""
    return x.as_in_context(*args, **kwargs)


def reduce_sum(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The sum of the elements, or along an axis."""
    return x.sum(*args, **kwargs)


def reduce_mean(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The mean of the elements, or along an axis."""
    return x.mean(*args, **kwargs)


def argmax(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The position of the greatest element, or along an axis."""
    return x.argmax(*args, **kwargs)


def astype(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The array as another dtype."""
    return x.astype(*args, **kwargs)


def swapaxes(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Two axes exchanged."""
    return x.swapaxes(*args, **kwargs)


def repeat(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Elements repeated."""
    return x.repeat(*args, **kwargs)


def try_gpu(i: int = 0) -> Device:
    """The GPU of a number where there is one; so, always, the CPU."""
    return gpu(i) if num_gpus() >= i + 1 else cpu()


def try_all_gpus() -> list[Device]:
    """All GPUs where there are some; so, always, the CPU alone."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


__all__ = [
    "abs", "arange", "argmax", "astype", "batch_matmul", "concat", "cos", "cosh", "cpu", "exp", "expand_dims", "eye",
    "float32", "gpu", "int32", "int64", "linspace", "log", "matmul", "meshgrid", "nn_Module", "normal", "num_gpus",
    "numpy", "ones", "ones_like", "rand", "randn", "reduce_mean", "reduce_sum", "repeat", "reshape", "sigmoid", "sin",
    "sinh", "size", "stack", "swapaxes", "tanh", "tensor", "to", "transpose", "try_all_gpus", "try_gpu", "zeros",
    "zeros_like",
]  # fmt: skip
