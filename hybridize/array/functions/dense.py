# SPDX-License-Identifier: Apache-2.0
"""The dense layer's product: a compiled program, NumPy for small ones, a composite while capturing."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.array.device import OTHERS
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import array, cast, public, result, strong
from hybridize.array.placing import short_tape, unwatched
from hybridize.array.single import FEW, Single
from hybridize.array.symbol import Symbol
from hybridize.base.access import consistent
from hybridize.base.advice import warn
from hybridize.base.dtypes import DType, float32, float64
from hybridize.base.errors import HybridizeError, ShapeError
from hybridize.base.promotion import floating, promote
from hybridize.base.tracebacks import trim
from hybridize.ops import composites
from hybridize.ops.op import ACTIVE, Operand


def fully_connected(
    x: Any,
    weight: Any,
    bias: Any = None,
    num_hidden: int | None = None,
    no_bias: bool | None = None,
    flatten: bool = True,
) -> Any:
    """Return x Wᵀ + b, what a dense layer computes; all axes of `x` but the first are joined.

    Args:
        x: [batch, ...] (flattened to [batch, in] when `flatten`), or [..., in].
        weight: [out, in].
        bias: [out], or None.
        num_hidden: `out`; the weight says it already.
        no_bias: leave the bias out.
        flatten: make all axes but the first one.

    Returns:
        [batch, out], or [..., out].

    Raises:
        ShapeError E102: `in` differs.

    >>> npx.fully_connected(np.array([[1, 2]]), np.array([[1, 0], [0, 1], [1, 1]]), np.zeros(3))
    array([[1., 2., 3.]])
    """
    try:
        if no_bias:
            bias = None
        if num_hidden is not None and isinstance(weight, (ndarray, Symbol)) and weight.shape[:1] != (num_hidden,):
            what = f"fully_connected: a weight {weight.type} for num_hidden={num_hidden}"
            raise ShapeError("E102", what, help="the weight is [num_hidden, in]")
        product = _at_once(x, weight, bias, flatten)
        return _fully_connected(x, weight, bias, flatten) if product is None else product
    except HybridizeError as error:
        trim(error)
        raise


def _at_once(x: Any, weight: Any, bias: Any, flatten: bool) -> ndarray | None:
    """The product of arrays where nobody captures, as one step of a tape where one records; else None."""
    if type(x) is ndarray and type(weight) is ndarray and (bias is None or type(bias) is ndarray):
        if not ACTIVE or unwatched():
            return _product(x, weight, bias, flatten)
        if (tape := short_tape()) is not None and x._data.ndim == 2:
            product = _product(x, weight, bias, flatten)
            if product is not None:
                arrays = (x, weight) if bias is None else (x, weight, bias)
                return tape.made("FullyConnected", arrays, product._data)  # type: ignore[no-any-return]
    return None


def _product(x: ndarray, weight: ndarray, bias: ndarray | None, flatten: bool) -> ndarray | None:
    """The product at once, by a program where it is worth one, else by NumPy; None where neither takes the arrays."""
    a, w = x._data, weight._data
    if bias is None:
        return _by_numpy(a, w, None, flatten)
    key = a.shape, w.shape, bias._data.shape
    program = _ROWS.programs.get(key)
    if program is None:
        if not (a.ndim == 2 and worth_a_program(len(a), w.size) and _fit(a, w, bias._data)):
            return _by_numpy(a, w, bias._data, flatten)
        program = _ROWS.make(key)
    return program(x, weight, bias)  # type: ignore[no-any-return]


@consistent
def _by_numpy(x: Any, w: Any, b: Any, flatten: bool) -> ndarray | None:
    """The direct rule, for floats of one dtype and shapes that fit; None otherwise."""
    dtype = x.dtype
    if dtype is not w.dtype or w.ndim != 2 or not x.ndim or not (dtype is float32 or dtype is float64):
        return None
    if flatten and x.ndim != 2:
        x = x.reshape(x.shape[0], math.prod(x.shape[1:]))
    if x.shape[-1] != w.shape[1]:
        return None
    if b is not None and (b.dtype is not dtype or b.shape != w.shape[:1]):
        return None
    y = numpy.dot(x, w.T)
    if b is not None:
        y += b
    return wrap(y)


def _fit(x: Any, w: Any, b: Any) -> bool:
    """Tell whether the program for a few rows takes these buffers, once it is made."""
    return (
        x.dtype is float32
        and w.dtype is float32
        and b.dtype is float32
        and w.ndim == 2
        and x.shape[1] == w.shape[1]
        and b.shape == w.shape[:1]
    )


_LARGE, _MANY = 1 << 8, 1 << 15
"""Elements of a weight, for a few rows, and multiply-adds, for more, at which a program is worth its compilation."""
_ROWS = Single(
    lambda x, w, b: [composites.fully_connected(x, w, b, True)],
    lambda x, w, b: _by_numpy(x._data, w._data, b._data, True),
    "fully_connected",
    rows=(True, False, False),
)


def worth_a_program(rows: int, size: int) -> bool:
    """Tell whether the product of some rows and a weight of `size` elements is worth a compiled program."""
    return rows > 0 and (size >= _LARGE if rows <= FEW else rows * size >= _MANY)


def layer_dtype(x: Any, weight: Any) -> DType:
    """Return the dtype that a layer computes in; warn of an input that takes float32 weights to float64."""
    if x.dtype == float64 and weight.dtype == float32:
        warn(
            f"an input {x.type} of a layer with float32 weights: from here on all is computed in float64, at half the "
            "speed. x.astype('float32'), or np.array(x) of what NumPy made, is float32; net.cast('float64') says that "
            "float64 is meant"
        )
    return floating(promote(x.dtype, weight.dtype))


def layer_operands(x: Any, weight: Any, bias: Any = None) -> tuple[Operand, Operand, Operand | None]:
    """Input, weight and bias of a layer as operands of the dtype that it computes in; see `layer_dtype`."""
    dtype = layer_dtype(x, weight)
    return cast(strong(x), dtype), cast(strong(weight), dtype), None if bias is None else cast(strong(bias), dtype)


@public
def _fully_connected(x: Any, weight: Any, bias: Any, flatten: bool) -> Any:
    if OTHERS and (product := _at_once(x, weight, bias, flatten)) is not None:
        return product
    a, matrix = array(x), array(weight)
    inner = math.prod(a.shape[1:]) if flatten else a.shape[-1] if a.ndim else 1
    if matrix.ndim != 2 or inner != matrix.shape[1] or not a.ndim:
        raise ShapeError(
            "E102",
            f"fully_connected needs [n, in] and weight [out, in], got {a.type} and {matrix.type}",
            help=f"each row has {inner} elements and must have as many as the weight's rows, "
            f"{matrix.shape[-1] if matrix.ndim else 0}",
        )
    return result(composites.fully_connected(*layer_operands(a, matrix, bias), flatten))
