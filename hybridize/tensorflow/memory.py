# SPDX-License-Identifier: Apache-2.0
"""Tensors and arrays over the same memory.

TensorFlow ends the process where it gets memory that does not begin at a multiple of 64: what lies elsewhere is copied.
"""

from __future__ import annotations

from typing import Any, Final

import numpy
import tensorflow as tf
from numpy.typing import NDArray

from hybridize.base.dtypes import CODES, DType
from hybridize.base.errors import DTypeError
from hybridize.runtime.buffers import ALIGNMENT, aligned
from hybridize.tensorflow.internals import elements, over

_BFLOAT16: Final = numpy.dtype(tf.bfloat16.as_numpy_dtype)


def as_array(tensor: Any) -> NDArray[Any]:
    """Return the elements of a tensor as an array that is only to be read, without a copy.

    Raises:
        DTypeError E223: we do not compute with such elements.
    """
    array: Any = elements(tensor)
    if type(array) is not numpy.ndarray:
        array = numpy.asarray(array)
    if array.dtype not in CODES:
        dtype_of(tensor.dtype)
    elements_of: NDArray[Any] = array
    return elements_of


def as_tensor(array: NDArray[Any]) -> Any:
    """Return a tensor over the memory of an array, which belongs to TensorFlow from now on; of a copy where that memory
    does not begin where TensorFlow's does.
    """
    if array.dtype == _BFLOAT16:  # which DLPack's NumPy does not know
        return tf.bitcast(as_tensor(array.view(numpy.uint16)), tf.bfloat16)
    if array.__array_interface__["data"][0] % ALIGNMENT or not array.flags.c_contiguous or not array.flags.writeable:
        copy = aligned(array.shape, array.dtype)
        copy[...] = array
        array = copy
    return over(array)


def dtype_of(dtype: Any) -> DType:
    """Return TensorFlow's dtype as ours.

    Raises:
        DTypeError E223: we do not compute with it.
    """
    known: DType | None = (
        numpy.dtype(dtype.as_numpy_dtype) if dtype not in (tf.resource, tf.variant, tf.string) else None
    )
    if known is None or known not in CODES:
        raise DTypeError(
            "E223", f"tensors of {dtype.name} cannot be part of a program", help="convert them: tf.cast(x, tf.float32)"
        )
    return known
