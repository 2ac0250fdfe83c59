# SPDX-License-Identifier: Apache-2.0
"""MXNet's `RNN`, a stack of recurrent layers with all parameters in one vector, and what joins these."""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dtypes import int64
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import axis_of, cast, dtype_of, shape_of
from hybridize.formats.mxnet.table import operator
from hybridize.ops.library import rnn
from hybridize.ops.op import Operand, bind1

MODES = tuple(rnn.GATES)


def stack_of(a: Attributes) -> rnn.RecurrentStack:
    """Read the attributes of a node."""
    mode = a.text("mode", "")
    if mode not in MODES:
        a.fail(f"mode={mode} is not one of {', '.join(MODES)}")
    low, high = (
        None if a.values.get(key, "None") == "None" else float(a.number(key))
        for key in ("lstm_state_clip_min", "lstm_state_clip_max")
    )
    return rnn.RecurrentStack(
        mode, a.integer("state_size"), a.integer("num_layers"), a.flag("bidirectional", False),
        a.optional_integer("projection_size"), float(a.number("p", 0.0)), low, high,
        a.flag("lstm_state_clip_nan", False),
    )  # fmt: skip


@operator("RNN")
def _rnn(
    a: Attributes, x: Operand, parameters: Operand, *rest: Operand, key: Operand | None = None
) -> Operand | tuple[Operand, ...]:
    """States that the file begins with zeros are not among the inputs: see `symbol.without_zeros`."""
    stack = stack_of(a)
    dtype = dtype_of(parameters)
    states = [cast(state, dtype) for state in rest]
    lengths = cast(rest[-1], int64) if a.flag("use_sequence_length", False) and rest else None
    states = states if lengths is None else states[:-1]
    found = rnn.rnn(stack, cast(x, dtype), rnn.unpacked(stack, parameters), states, lengths, key)
    return found if a.flag("state_outputs", False) else found[0]


@operator("_rnn_param_concat")
def _joined(a: Attributes, *xs: Operand) -> Operand:
    return bind1(ops.Concat(axis_of(a.integer("dim", 1), len(shape_of(xs[0])))), *xs)
