# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that are products of matrices, sums of products, and the biases behind them."""

from __future__ import annotations

from hybridize import ops
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.complexes import conj
from hybridize.ops.library.convolution_layers import with_bias
from hybridize.ops.library.einstein import einsum as sum_of
from hybridize.ops.library.products import matrix_product
from hybridize.ops.op import Operand, type_of


@TENSORFLOW("MatMul")
def matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The product of matrices, each transposed or not."""
    return ops.matmul(x, y, n.flag("transpose_a"), n.flag("transpose_b"))


@TENSORFLOW("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The product over the last two axes, perhaps of a wider type; axes before them stretch to each other."""
    if n.has("Tout"):
        x, y = (ops.cast(one, dtype_of(n, "Tout", type_of(one).dtype)) for one in (x, y))
    return matrix_product(_turned(x) if n.flag("adj_x") else x, _turned(y) if n.flag("adj_y") else y)


def _turned(x: Operand) -> Operand:
    axes = tuple(range(type_of(x).ndim))
    return conj(ops.transpose(x, (*axes[:-2], axes[-1], axes[-2])))


@TENSORFLOW("Einsum")
def einsum(n: Application, *xs: Operand) -> Operand:
    """Einstein's sum."""
    return sum_of(n.text("equation").replace(" ", ""), xs)


@TENSORFLOW("BiasAdd")
def bias_add(n: Application, x: Operand, bias: Operand) -> Operand:
    """A number added to each channel."""
    return with_bias("BiasAdd", x, bias, channels_last(n))


def channels_last(n: Application) -> bool:
    """Tell whether channels are the last axis."""
    return n.text("data_format", "NHWC").endswith("C")
