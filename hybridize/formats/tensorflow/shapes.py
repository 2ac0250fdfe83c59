# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that move elements or say shapes: sizes, reshapes, slices, gathers, joins."""

from __future__ import annotations

from hybridize.formats.foreign.arrays import reshaped
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Application, Value
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.op import Operand


@TENSORFLOW("Reshape", known=(1,))
def reshape(n: Application, x: Operand, sizes: Known) -> Operand:
    """The same elements under another shape."""
    return reshaped(x, sizes.list())


@TENSORFLOW("Placeholder", values=True)
def placeholder(n: Application) -> Value:
    """An input that nobody feeds."""
    n.fail("it is an input of the graph that the signature does not name")
