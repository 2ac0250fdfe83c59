# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's tensors as the emitted entry takes and makes them, and the modes in which it takes none."""

from __future__ import annotations

from functools import cache

import tensorflow as tf

from hybridize.base.config import CONFIG
from hybridize.base.dtypes import CODES
from hybridize.runtime import cpython
from hybridize.runtime.entry import Look, Watch
from hybridize.runtime.exchange import ViewExchange, formats_of
from hybridize.tensorflow.internals import EAGER, is_asynchronous, maker
from hybridize.tensorflow.internals import modes as functions


@cache
def exchange() -> ViewExchange | None:
    """Return how an emitted entry takes and makes tensors; None where this TensorFlow does not allow it."""
    function, operands = maker()
    if function is None or not cpython.supported():
        return None
    tensors = []
    for dtype in CODES:
        try:
            tensors.append(tf.zeros((1,), tf.as_dtype(dtype)))
        except (TypeError, tf.errors.OpError):  # it has no such tensors
            continue
    return ViewExchange(EAGER, function, operands, formats_of(tensors))


def modes(is_ordered: bool = False) -> list[Watch]:
    """List the modes that must be as they usually are for an entry to take a call: nobody differentiates or traces.

    With `is_ordered`, TensorFlow also has done what it was told to do: operations do not wait for others.
    """
    pairs = [*functions(), *([(is_asynchronous, False)] if is_ordered else [])]
    watches = [Watch(Look.CALL, function, None, expected) for function, expected in pairs]
    return [*watches, Watch(Look.SETTING, vars(CONFIG), "disable", False)]
