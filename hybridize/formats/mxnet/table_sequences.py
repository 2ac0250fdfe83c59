# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators of sequences and of attention: lengths, masks, products over projections that are interleaved."""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dtypes import FLOATS, bool_, int64
from hybridize.base.promotion import floating
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import axis_of, cast, dtype_of, like, shape_of
from hybridize.formats.mxnet.table import operator
from hybridize.ops.library import attention, interleaved, positions, sequences
from hybridize.ops.op import Operand, bind1


def _lengths(a: Attributes, lengths: Operand | None) -> Operand | None:
    """Lengths as integers; None where they do not count."""
    if not a.flag("use_sequence_length", False):
        return None
    if lengths is None:
        a.fail("use_sequence_length without lengths")
    return cast(lengths, int64)


def _between(lengths: Operand | None, least: int, most: int) -> Operand | None:
    """Lengths as MXNet would have them, within the array."""
    if lengths is None:
        return None
    return bind1(ops.Min(), bind1(ops.Max(), lengths, like(least, lengths)), like(most, lengths))


@operator("SequenceMask")
def _sequence_mask(a: Attributes, x: Operand, lengths: Operand | None = None) -> Operand:
    found = _lengths(a, lengths)
    if found is None:
        return x
    return sequences.sequence_mask(x, found, a.number("value", 0.0), a.integer("axis", 0))


@operator("SequenceLast")
def _sequence_last(a: Attributes, x: Operand, lengths: Operand | None = None) -> Operand:
    axis = a.integer("axis", 0)
    return sequences.sequence_last(x, _between(_lengths(a, lengths), 1, shape_of(x)[axis]), axis)


@operator("SequenceReverse")
def _sequence_reverse(a: Attributes, x: Operand, lengths: Operand | None = None) -> Operand:
    axis = a.integer("axis", 0)
    return sequences.sequence_reverse(x, _between(_lengths(a, lengths), 0, shape_of(x)[axis]), axis)


@operator("masked_softmax", "masked_log_softmax")
def _masked_softmax(a: Attributes, x: Operand, mask: Operand) -> Operand:
    x, seen = cast(x, floating(dtype_of(x))), cast(mask, bool_)
    temperature = 1.0 if a.values.get("temperature", "None") == "None" else a.number("temperature")
    axis = axis_of(a.integer("axis", -1), len(shape_of(x)))
    if a.op == "masked_softmax":
        return attention.masked_softmax(x, seen, axis, temperature)
    scaled = x if temperature == 1 else bind1(ops.Div(), x, like(temperature, x))
    return attention.masked_log_softmax(scaled, seen, axis)


@operator("_contrib_div_sqrt_dim")
def _div_sqrt_dim(a: Attributes, x: Operand) -> Operand:
    return attention.div_sqrt_dim(x)


@operator("arange_like", "_contrib_arange_like")
def _arange_like(a: Attributes, x: Operand) -> Operand:
    axis = a.optional_integer("axis")
    start, step = float(a.number("start", 0.0)), float(a.number("step", 1.0))
    along = None if axis is None else axis_of(axis, len(shape_of(x)))
    return positions.arange_like(x, start, step, a.integer("repeat", 1), along, dtype_of(x))


@operator("_contrib_interleaved_matmul_selfatt_qk")
def _selfatt_qk(a: Attributes, x: Operand) -> Operand:
    return interleaved.selfatt_qk(_float(a, x), a.integer("heads"))


@operator("_contrib_interleaved_matmul_selfatt_valatt")
def _selfatt_valatt(a: Attributes, x: Operand, weights: Operand) -> Operand:
    return interleaved.selfatt_valatt(_float(a, x), cast(weights, dtype_of(x)), a.integer("heads"))


@operator("_contrib_interleaved_matmul_encdec_qk")
def _encdec_qk(a: Attributes, queries: Operand, x: Operand) -> Operand:
    return interleaved.encdec_qk(_float(a, queries), cast(x, dtype_of(queries)), a.integer("heads"))


@operator("_contrib_interleaved_matmul_encdec_valatt")
def _encdec_valatt(a: Attributes, x: Operand, weights: Operand) -> Operand:
    return interleaved.encdec_valatt(_float(a, x), cast(weights, dtype_of(x)), a.integer("heads"))


@operator("_contrib_sldwin_atten_score")
def _sldwin_score(a: Attributes, query: Operand, key: Operand, dilation: Operand) -> Operand:
    step, w = cast(dilation, int64), a.integer("w")
    return interleaved.sldwin_atten_score(
        _float(a, query), cast(key, dtype_of(query)), step, w, a.flag("symmetric", True)
    )


@operator("_contrib_sldwin_atten_context")
def _sldwin_context(a: Attributes, score: Operand, value: Operand, dilation: Operand) -> Operand:
    step, w = cast(dilation, int64), a.integer("w")
    weights = _float(a, score)
    return interleaved.sldwin_atten_context(weights, cast(value, dtype_of(score)), step, w, a.flag("symmetric", True))


@operator("_contrib_sldwin_atten_mask_like")
def _sldwin_mask(a: Attributes, score: Operand, dilation: Operand, lengths: Operand) -> Operand:
    step, w = cast(dilation, int64), a.integer("w")
    return interleaved.sldwin_atten_mask_like(score, step, cast(lengths, int64), w, a.flag("symmetric", True))


def _float(a: Attributes, x: Operand) -> Operand:
    if dtype_of(x) not in FLOATS:
        a.fail(f"no products of {dtype_of(x)}")
    return x
