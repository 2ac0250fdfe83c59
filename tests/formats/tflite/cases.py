# SPDX-License-Identifier: Apache-2.0
"""Small TFLite models of our own making, one for each row, with inputs: what LiteRT answers stands in answers.npz.

python -m tests.formats.tflite.cases      asks it again (.litert/bin/python), and writes the file; of new cases, twice
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from tests.formats.tflite.writer import Builder

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.npz"
MOST = 32
LITERT = Path(__file__).parents[3] / ".litert/bin/python"


class Case(NamedTuple):
    model: bytes
    inputs: tuple[Any, ...]


CASES: dict[str, Case] = {}


def part(y: Any) -> Any:
    """Some elements of an output, evenly from all of it: what is stored."""
    flat = numpy.asarray(y).reshape(-1)
    return flat[:: -(-flat.size // MOST)] if flat.size > 2 * MOST and flat.size != 600 else flat


@functools.cache
def answers() -> dict[str, tuple[tuple[int, ...], Any]]:
    """What LiteRT answered, the shape and some elements of each output: `KIND NAME OUTPUT`."""
    if not ANSWERS.exists():
        return {}
    with numpy.load(ANSWERS) as stored:
        table, data = json.loads(bytes(stored["table"])), stored["data"]
    found, at = {}, 0
    for name, dtype, shape, count in table:
        end = at + count * numpy.dtype(dtype).itemsize
        found[name] = tuple(shape), numpy.frombuffer(data[at:end].tobytes(), dtype)
        at = end
    return found


def numbers(*shape: int, seed: int = 0, dtype: Any = "f4") -> Any:
    if numpy.dtype(dtype).kind == "i":
        return numpy.random.default_rng(seed).integers(-128, 128, shape).astype(dtype)
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


def case(name: str, op: str, inputs: Any, constants: Any = (), options: Any = None, outputs: Any = ("f4",), version: int = 1,
         first: bool = False, **more: Any) -> None:  # fmt: skip
    """A model of one operator on inputs, then constants (or first these); scales of quantized tensors are in tuples."""
    b = Builder()

    def tensor(one: Any, make: Any) -> int:
        array, *quantization = one if isinstance(one, tuple) else (one,)
        return make(array, *quantization)

    places = [tensor(x, lambda x, *q: b.input(x.shape, x.dtype, *q)) for x in inputs]
    fixed = [-1 if one is None else tensor(one, b.constant) for one in constants]
    results = []
    for k, one in enumerate(outputs):
        # LiteRT's faster kernels, which users run, take a node only where its result has a shape in the file.
        shape, _ = answers().get(f"default {name} {k}", ((), None))
        results.append(tensor(one, lambda dtype, *q, shape=shape: b.tensor(shape, dtype, *q)))
    b.operator(op, [*fixed, *places] if first else [*places, *fixed], results, options, version=version, **more)
    b.outputs(*results)
    CASES[name] = Case(b.bytes(), tuple(x[0] if isinstance(x, tuple) else x for x in inputs))


def ints(*values: int, dtype: str = "i4") -> Any:
    return numpy.array(values, dtype)


X, Y, IMAGE = numbers(2, 3), numbers(2, 3, seed=1), numbers(1, 6, 7, 4)
ABOVE = numpy.abs(X) + numpy.float32(0.5)

for _op in ("ABS", "CEIL", "COS", "EXP", "FLOOR", "LOGISTIC", "NEG", "ROUND", "SIGN", "SIN", "TANH", "SQUARE", "RELU",
            "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ELU", "HARD_SWISH", "ZEROS_LIKE"):  # fmt: skip
    case(_op, _op, [X * 4])
for _op in ("LOG", "SQRT", "RSQRT"):
    case(_op, _op, [ABOVE])
case("LEAKY_RELU", "LEAKY_RELU", [X], options=("leaky", {"alpha": 0.3}))
case("GELU", "GELU", [X], options=("gelu", {"approximate": False}))
case("GELU_tanh", "GELU", [X], options=("gelu", {"approximate": True}))
case("PRELU", "PRELU", [IMAGE], [numbers(1, 1, 4)])
case("SOFTMAX", "SOFTMAX", [X], options=("softmax", {"beta": 0.7}))
case("LOG_SOFTMAX", "LOG_SOFTMAX", [X])
for _op, _name in (("ADD", "add"), ("SUB", "sub"), ("MUL", "mul"), ("DIV", "div")):
    for _number in (0, 1, 2, 3):
        case(f"{_op}_{_number}", _op, [X * 3, ABOVE[:1]], options=(_name, {"activation": _number}))
case("DIV_whole", "DIV", [ints(7, -7, 6), ints(2, 2, -4)], options=("div", {}), outputs=["i4"], version=2)
for _op in ("MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "ATAN2", "FLOOR_DIV", "FLOOR_MOD"):
    case(_op, _op, [X * 3, Y], version=2 if _op.startswith("FLOOR") else 1)
case("POW", "POW", [ABOVE, Y])
case("FLOOR_DIV_whole", "FLOOR_DIV", [ints(7, -7, 6), ints(2, 2, -4)], outputs=["i4"])
for _op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
    case(_op, _op, [numpy.round(X), numpy.round(Y)], outputs=["?"])
for _op in ("LOGICAL_AND", "LOGICAL_OR"):
    case(_op, _op, [X > 0, Y > 0], outputs=["?"])
case("LOGICAL_NOT", "LOGICAL_NOT", [X > 0], outputs=["?"])
case("ADD_N", "ADD_N", [X, Y, X])
case("SELECT", "SELECT", [numpy.array([True, False]), X, Y])
case("SELECT_V2", "SELECT_V2", [X > 0, X, Y[:1]])
case("RIGHT_SHIFT", "RIGHT_SHIFT", [ints(9, -9, 40), ints(1, 1, 3)], outputs=["i4"])
case("BITWISE_XOR", "BITWISE_XOR", [ints(9, -9, 40), ints(1, 1, 3)], outputs=["i4"])
for _op in ("COMPLEX_ABS", "REAL", "IMAG"):
    case(_op, _op, [(X + 1j * Y).astype("c8")], version=1)
case("CAST", "CAST", [X * 5], outputs=["i4"])
case("CAST_bool", "CAST", [ints(0, 2, -1)], outputs=["?"])
case("DEQUANTIZE_short", "DEQUANTIZE", [X.astype("f2")])

# ------------------------------------------------------------------------------------------------------------- elements

case("RESHAPE", "RESHAPE", [X], [ints(3, -1)])
case("RESHAPE_option", "RESHAPE", [X], options=("reshape", {"shape": [6, 1]}))
case("SHAPE", "SHAPE", [X], options=("shape", {"type": 2}), outputs=["i4"])
case("RANK", "RANK", [X], outputs=["i4"])
case("SQUEEZE", "SQUEEZE", [numbers(1, 3, 1)], options=("squeeze", {"axes": [0]}))
case("SQUEEZE_all", "SQUEEZE", [numbers(1, 3, 1)], options=("squeeze", {}))
case("EXPAND_DIMS", "EXPAND_DIMS", [X], [ints(-1)])
case("TRANSPOSE", "TRANSPOSE", [numbers(2, 3, 4)], [ints(2, 0, 1)])
case("BROADCAST_TO", "BROADCAST_TO", [X], [ints(4, 2, 3)], version=2)
case("FILL", "FILL", [], [ints(2, 3), numpy.float32(1.5)])
case("RANGE", "RANGE", [], [ints(1).reshape(()), ints(9).reshape(()), ints(3).reshape(())], outputs=["i4"])
case("PAD", "PAD", [X], [ints(1, 0, 0, 2).reshape(2, 2)])
case("PADV2", "PADV2", [X], [ints(1, 0, 0, 2).reshape(2, 2), numpy.float32(3)])
for _mode in (0, 1):
    case(f"MIRROR_PAD_{_mode}", "MIRROR_PAD", [X], [ints(1, 0, 2, 1).reshape(2, 2)], ("mirror", {"mode": _mode}))
case("SLICE", "SLICE", [numbers(4, 5)], [ints(1, 2), ints(2, -1)])
_MASKS: dict[str, Any] = {
    "": ((1, 0, -1), (3, 4, -4), (1, 2, -1), {}), "_masks": ((1, 1, 1), (3, 2, 2), (1, 1, 1), {"begin_mask": 2, "end_mask": 4}),
    "_shrink": ((-1, 0, 2), (9, 4, 3), (1, 1, 1), {"shrink_mask": 5}),
    "_ellipsis": ((0, 1), (0, 3), (1, 1), {"ellipsis_mask": 1}),
    "_new": ((0, 0, 1), (0, 2, 3), (1, 1, 1), {"new_mask": 1}),
    "_offset": ((1, 0, 1), (2, 3, 2), (1, 1, 1), {"offset": True}),
}  # fmt: skip
for _name, (_begin, _end, _steps, _masks) in _MASKS.items():
    case("STRIDED_SLICE" + _name, "STRIDED_SLICE", [numbers(4, 5, 6)], [ints(*_begin), ints(*_end), ints(*_steps)],
         ("strided", _masks), version=8 if _name == "_offset" else 1)  # fmt: skip
case("SPLIT", "SPLIT", [numbers(4, 6)], [ints(1).reshape(())], ("split", {"count": 3}), ["f4"] * 3, first=True)
case("SPLIT_V", "SPLIT_V", [numbers(4, 6)], [ints(1, -1, 2), ints(1).reshape(())], ("parts", {"count": 3}), ["f4"] * 3)
case("UNPACK", "UNPACK", [X], options=("unpack", {"count": 2, "axis": 0}), outputs=["f4"] * 2)
case("PACK", "PACK", [X, Y], options=("pack", {"count": 2, "axis": 1}))
case("CONCATENATION", "CONCATENATION", [X, Y], options=("concatenation", {"axis": -1}))
case("GATHER", "GATHER", [numbers(4, 5)], [ints(3, 0, 3)], ("gather", {"axis": 1}))
case(
    "GATHER_batch",
    "GATHER",
    [numbers(2, 3, 5)],
    [ints(3, 0, 1, 2).reshape(2, 2)],
    ("gather", {"axis": 2, "batch": 1}),
    version=5,
)
case("GATHER_ND", "GATHER_ND", [numbers(4, 5, 2)], [ints(3, 0, 1, 4).reshape(2, 2)])
case("TILE", "TILE", [X], [ints(2, 3)])
case("REVERSE_V2", "REVERSE_V2", [numbers(2, 3, 4)], [ints(1)])
case("DEPTH_TO_SPACE", "DEPTH_TO_SPACE", [IMAGE], options=("depth", {"block": 2}))
case("SPACE_TO_DEPTH", "SPACE_TO_DEPTH", [numbers(1, 4, 6, 2)], options=("blocks", {"block": 2}))
case("SPACE_TO_BATCH_ND", "SPACE_TO_BATCH_ND", [numbers(1, 5, 6, 2)], [ints(2, 3), ints(1, 0, 0, 0).reshape(2, 2)])
case("BATCH_TO_SPACE_ND", "BATCH_TO_SPACE_ND", [numbers(6, 3, 2, 2)], [ints(2, 3), ints(1, 0, 0, 2).reshape(2, 2)])
for _op in ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"):
    case(_op, _op, [IMAGE], [ints(1, -2)], ("fold", {"keep": _op == "MEAN"}))
for _op in ("REDUCE_ANY", "REDUCE_ALL"):
    case(_op, _op, [X > 0], [ints(1)], ("fold", {}), ["?"])
for _op, _name in (("ARG_MAX", "largest"), ("ARG_MIN", "smallest")):
    case(_op, _op, [X], [ints(1)], (_name, {"type": 4}), ["i8"])
case("CUMSUM", "CUMSUM", [X], [ints(1).reshape(())], ("running", {}))
case("CUMSUM_both", "CUMSUM", [X], [ints(1).reshape(())], ("running", {"exclusive": True, "reverse": True}))
case(
    "ONE_HOT",
    "ONE_HOT",
    [ints(0, 2, 5)],
    [ints(4).reshape(()), numpy.float32(2), numpy.float32(-1)],
    ("one_hot", {"axis": -1}),
)
for _size in ((1, 16), (4, 8)):
    case(f"RFFT2D_{_size[0]}", "RFFT2D", [numbers(2, 3, 12)], [ints(*_size)], outputs=["c8"])

# ------------------------------------------------------------------------------------------------------------- products

_CONVOLUTIONS = {
    "": {"padding": 0, "stride_w": 1, "stride_h": 1}, "_valid": {"padding": 1, "stride_w": 2, "stride_h": 1},
    "_same_by_2": {"padding": 0, "stride_w": 2, "stride_h": 2, "activation": 3},
    "_apart": {"padding": 0, "stride_w": 1, "stride_h": 1, "dilation_w": 2, "dilation_h": 2, "activation": 1},
}  # fmt: skip
for _name, _options in _CONVOLUTIONS.items():
    case("CONV_2D" + _name, "CONV_2D", [IMAGE], [numbers(5, 3, 2, 4), numbers(5)], ("conv", _options))
    case("DEPTHWISE_CONV_2D" + _name, "DEPTHWISE_CONV_2D", [IMAGE], [numbers(1, 3, 2, 8), numbers(8)],
         ("depthwise", {**_options, "multiplier": 2}))  # fmt: skip
case("CONV_2D_groups", "CONV_2D", [IMAGE], [numbers(6, 3, 3, 2), numbers(6)], ("conv", _CONVOLUTIONS[""]))
for _padding, _size in ((0, (12, 14)), (1, (13, 14))):
    case(f"TRANSPOSE_CONV_{_padding}", "TRANSPOSE_CONV", [IMAGE], [ints(1, *_size, 3), numbers(3, 3, 2, 4)],
         ("transposed", {"padding": _padding, "stride_w": 2, "stride_h": 2}), first=True)  # fmt: skip
case(
    "FULLY_CONNECTED", "FULLY_CONNECTED", [numbers(2, 2, 4)], [numbers(3, 4), numbers(3)], ("dense", {"activation": 1})
)
case(
    "FULLY_CONNECTED_kept",
    "FULLY_CONNECTED",
    [numbers(2, 2, 4)],
    [numbers(3, 4), None],
    ("dense", {"keep_axes": True}),
    version=5,
)
case("BATCH_MATMUL", "BATCH_MATMUL", [numbers(2, 3, 4), numbers(2, 5, 4)], options=("product", {"adjoint_y": True}))
for _padding in (0, 1):
    _windows = {"padding": _padding, "stride_w": 2, "stride_h": 2, "filter_w": 3, "filter_h": 2}
    case(f"MAX_POOL_2D_{_padding}", "MAX_POOL_2D", [IMAGE], options=("pool", _windows))
    case(f"AVERAGE_POOL_2D_{_padding}", "AVERAGE_POOL_2D", [IMAGE], options=("pool", {**_windows, "activation": 1}))
case("L2_NORMALIZATION", "L2_NORMALIZATION", [X], options=("norm", {}))
case("LOCAL_RESPONSE_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION", [IMAGE],
     options=("response", {"radius": 1, "bias": 1.0, "alpha": 0.5, "beta": 0.75}))  # fmt: skip
for _name, _options in {"": {}, "_half": {"half": True}, "_corners": {"corners": True}}.items():
    case("RESIZE_BILINEAR" + _name, "RESIZE_BILINEAR", [IMAGE], [ints(9, 4)], ("bilinear", _options), version=3)
    case(
        "RESIZE_NEAREST_NEIGHBOR" + _name,
        "RESIZE_NEAREST_NEIGHBOR",
        [IMAGE],
        [ints(9, 4)],
        ("nearest", _options),
        version=3,
    )

case("CONV_3D", "CONV_3D", [numbers(1, 4, 5, 6, 2)], [numbers(2, 3, 2, 2, 4), numbers(4)],
     ("conv3d", {"padding": 0, "stride_d": 1, "stride_w": 2, "stride_h": 1, "activation": 1}))  # fmt: skip
case("MEAN_whole", "MEAN", [ints(7, -7, 6, 2, -9, -9).reshape(3, 2)], [ints(1)], ("fold", {}), ["i4"], 2)

# ---------------------------------------------------------------------------------------------------- indices and order

_TIES = ints(3, 1, 3, 2, 2, 3, 0, 0, 0, 5).reshape(2, 5)
case("TOPK_V2", "TOPK_V2", [X], [ints(2).reshape(())], outputs=["f4", "i4"])
case("TOPK_V2_ties", "TOPK_V2", [_TIES], [ints(4).reshape(())], outputs=["i4", "i4"], version=2)
case("REVERSE_SEQUENCE", "REVERSE_SEQUENCE", [numbers(2, 3, 4)], [ints(3, 0, 4)], ("sequence", {"time": 2, "batch": 1}))
case("BUCKETIZE", "BUCKETIZE", [X], (), ("buckets", {"boundaries": [-0.5, 0.0, 1.0]}), ["i4"])
case("SCATTER_ND", "SCATTER_ND", [ints(4, 1, 4).reshape(3, 1), numbers(3, 2)], [ints(6, 2)])
case("SPARSE_TO_DENSE", "SPARSE_TO_DENSE", [], [ints(0, 1, 2, 0).reshape(2, 2), ints(3, 2), numbers(2), numbers(1)[0]])
case("DYNAMIC_UPDATE_SLICE", "DYNAMIC_UPDATE_SLICE", [numbers(5, 4), numbers(2, 2, seed=1), ints(4, 1)])
for _op, _version in (("SUM", 1), ("PROD", 1), ("MAX", 1), ("MIN", 1)):
    case(
        f"UNSORTED_SEGMENT_{_op}",
        f"UNSORTED_SEGMENT_{_op}",
        [numbers(5, 2), ints(2, 0, 2, -1, 2)],
        [ints(4).reshape(())],
    )
case("SEGMENT_SUM", "SEGMENT_SUM", [numbers(4, 3)], [ints(0, 0, 1, 2)])
case("MATRIX_DIAG", "MATRIX_DIAG", [X])
case("MATRIX_SET_DIAG_wide", "MATRIX_SET_DIAG", [numbers(2, 2, 3), numbers(2, 2)])
case("MATRIX_SET_DIAG_high", "MATRIX_SET_DIAG", [numbers(2, 3, 2), numbers(2, 2)])
_BOXES = numpy.random.default_rng(3).uniform(0, 1, (20, 4)).astype("f4")
_SCORES = numpy.random.default_rng(4).uniform(0, 1, 20).astype("f4")
_LIMITS = [numpy.array(one, dtype) for one, dtype in ((6, "i4"), (0.25, "f4"), (0.4, "f4"), (0.5, "f4"))]
case("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V4", [_BOXES, _SCORES], _LIMITS[:3], outputs=["i4", "i4"])
case("NON_MAX_SUPPRESSION_V4_few", "NON_MAX_SUPPRESSION_V4", [_BOXES, _SCORES / 2], _LIMITS[:3], outputs=["i4", "i4"])
case("NON_MAX_SUPPRESSION_V5", "NON_MAX_SUPPRESSION_V5", [_BOXES, _SCORES], _LIMITS, outputs=["i4", "f4", "i4"])
case("WHERE", "WHERE", [], [X > 0], outputs=["i8"])

# ------------------------------------------------------------------------------------------------------------- integers

EVERY, BYTES = numpy.arange(-128, 128).astype("i1").reshape(1, 256), numbers(1, 6, 7, 4, dtype="i1")
_Q = (numpy.float32(0.037), -5)
case("int8 LOGISTIC", "LOGISTIC", [(EVERY, *_Q)], outputs=[("i1", 1 / 256, -128)], version=2)
case("int8 TANH", "TANH", [(EVERY, *_Q)], outputs=[("i1", 1 / 128, 0)], version=2)
case("int8 QUANTIZE", "QUANTIZE", [(EVERY, *_Q)], outputs=[("i1", 0.061, 7)], version=2)
case("int8 QUANTIZE_bytes", "QUANTIZE", [(EVERY, *_Q)], outputs=[("u1", _Q[0], 123)], version=2)
case("int8 QUANTIZE_floats", "QUANTIZE", [(numpy.arange(-40, 40) / 8).astype("f4")], outputs=[("i1", 0.25, 3)])
case("int8 DEQUANTIZE", "DEQUANTIZE", [(EVERY, *_Q)], version=2)
case(
    "int8 SOFTMAX",
    "SOFTMAX",
    [(BYTES, *_Q)],
    options=("softmax", {"beta": 1.0}),
    outputs=[("i1", 1 / 256, -128)],
    version=2,
)
case("int8 PAD", "PAD", [(BYTES, *_Q)], [ints(0, 0, 1, 2, 0, 1, 0, 0).reshape(4, 2)], outputs=[("i1", *_Q)], version=2)
case(
    "int8 CONCATENATION",
    "CONCATENATION",
    [(BYTES, *_Q), (BYTES, *_Q)],
    (),
    ("concatenation", {"axis": 2}),
    [("i1", *_Q)],
    2,
)
case("int8 RESHAPE", "RESHAPE", [(BYTES, *_Q)], [ints(-1)], outputs=[("i1", *_Q)])
for _op, _name in (("ADD", "add"), ("SUB", "sub"), ("MUL", "mul")):
    for _number in (0, 1, 3):
        case(f"int8 {_op}_{_number}", _op, [(BYTES, *_Q), (numbers(1, 6, 7, 4, seed=2, dtype="i1"), 0.081, 11)], (),
             (_name, {"activation": _number}), [("i1", 0.057, -20)], 2)  # fmt: skip
for _name, _keep, _axes in (("", True, (1, 2)), ("_channels", False, (3,))):
    case("int8 MEAN" + _name, "MEAN", [(BYTES, *_Q)], [ints(*_axes)], ("fold", {"keep": _keep}), [("i1", 0.031, -9)], 2)
for _padding in (0, 1):
    _windows = {"padding": _padding, "stride_w": 2, "stride_h": 2, "filter_w": 3, "filter_h": 2}
    for _op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        case(
            f"int8 {_op}_{_padding}", _op, [(BYTES, *_Q)], options=("pool", _windows), outputs=[("i1", *_Q)], version=2
        )

for _op in ("RELU", "RELU6", "RELU_N1_TO_1", "HARD_SWISH"):
    case(
        f"int8 {_op}",
        _op,
        [(EVERY, *_Q)],
        outputs=[("i1", 0.029, -11)],
        version=1 if _op in ("HARD_SWISH", "RELU_N1_TO_1") else 2,
    )
case(
    "int8 LEAKY_RELU",
    "LEAKY_RELU",
    [(EVERY, *_Q)],
    options=("leaky", {"alpha": 0.21}),
    outputs=[("i1", 0.029, -11)],
    version=2,
)
case(
    "int8 PRELU",
    "PRELU",
    [(BYTES, *_Q)],
    [(numbers(1, 1, 4, seed=9, dtype="i1"), 0.004, 6)],
    outputs=[("i1", 0.029, -11)],
)
for _op in ("MAXIMUM", "MINIMUM"):
    case(f"int8 {_op}", _op, [(BYTES, *_Q), (BYTES[:, ::-1].copy(), *_Q)], outputs=[("i1", *_Q)], version=2)
for _name, _options in {"": {}, "_half": {"half": True}, "_corners": {"corners": True}}.items():
    case(
        "int8 RESIZE_BILINEAR" + _name,
        "RESIZE_BILINEAR",
        [(BYTES, *_Q)],
        [ints(9, 5)],
        ("bilinear", _options),
        [("i1", *_Q)],
        3,
    )

for _op, _version in (("ABS", 2), ("ELU", 1), ("EXP", 2)):
    case(f"int8 {_op}", _op, [(EVERY, *_Q)], outputs=[("i1", 0.029, -11)], version=_version)
case("int8 LOG_SOFTMAX", "LOG_SOFTMAX", [(BYTES, *_Q)], outputs=[("i1", 16 / 256, 127)], version=2)
case("int8 L2_NORMALIZATION", "L2_NORMALIZATION", [(BYTES, *_Q)], (), ("norm", {}), [("i1", 1 / 128, 0)], 2)
for _op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
    case(
        f"int8 {_op}",
        _op,
        [(BYTES, *_Q), (numbers(1, 6, 7, 4, seed=2, dtype="i1"), 0.041, 11)],
        outputs=["?"],
        version=2,
    )
for _name, _axes in (("", (1, 2)), ("_all", (0, 1, 2, 3))):
    case("int8 SUM" + _name, "SUM", [(BYTES, *_Q)], [ints(*_axes)], ("fold", {}), [("i1", 0.31, -9)], 2)
case("int8 SELECT_V2", "SELECT_V2", [BYTES > 3], [(BYTES, *_Q), (BYTES[:, ::-1].copy(), *_Q)], outputs=[("i1", *_Q)])
case("int8 TOPK_V2", "TOPK_V2", [(BYTES, *_Q)], [ints(2).reshape(())], outputs=[("i1", *_Q), "i4"], version=2)
case("int8 PADV2", "PADV2", [(BYTES, *_Q)], [ints(0, 0, 1, 2, 0, 1, 0, 0).reshape(4, 2), (numbers(1, dtype="i1")[0], *_Q)],
     outputs=[("i1", *_Q)], version=2)  # fmt: skip
for _op in ("LOG", "RSQRT", "SQRT"):
    case(f"int8 {_op}", _op, [(EVERY[:, 1:], 0.02, -128)], outputs=[("i1", 0.029, -11)], version=2)
for _exact in (True, False):
    case(
        f"int8 GELU_{_exact}",
        "GELU",
        [(EVERY, *_Q)],
        (),
        ("gelu", {"approximate": not _exact}),
        [("i1", 0.029, -11)],
        2,
    )
case("int8 SQUARED_DIFFERENCE", "SQUARED_DIFFERENCE", [(BYTES, *_Q), (numbers(1, 6, 7, 4, seed=2, dtype="i1"), 0.081, 11)],
     outputs=[("i1", 0.31, -100)], version=2)  # fmt: skip
case("int8 BATCH_MATMUL", "BATCH_MATMUL", [(BYTES, *_Q), (numbers(1, 6, 4, 5, seed=2, dtype="i1"), 0.081, 11)],
     options=("product", {}), outputs=[("i1", 0.7, -10)], version=2)  # fmt: skip
case("int8 BATCH_MATMUL_halves", "BATCH_MATMUL", [(BYTES.reshape(-1)[:20].reshape(20, 1), *_Q), (EVERY[:, 100:130], 0.081, 11)],
     options=("product", {}), outputs=[("i1", 0.006, -10)], version=2)  # fmt: skip
for _op in ("REDUCE_MAX", "REDUCE_MIN"):
    case(f"int8 {_op}", _op, [(BYTES, *_Q)], [ints(1, -1)], ("fold", {}), [("i1", *_Q)], 2)
case("int8 SPACE_TO_BATCH_ND", "SPACE_TO_BATCH_ND", [(BYTES, *_Q)], [ints(2, 3), ints(1, 1, 2, 0).reshape(2, 2)],
     outputs=[("i1", *_Q)], version=2)  # fmt: skip
case("int8 BATCH_TO_SPACE_ND", "BATCH_TO_SPACE_ND", [(BYTES.reshape(6, 1, 7, 4), *_Q)],
     [ints(2, 3), ints(1, 0, 0, 2).reshape(2, 2)], outputs=[("i1", *_Q)], version=2)  # fmt: skip


def _weight(*shape: int, axis: int) -> Any:
    channels = shape[axis]
    scales = numpy.random.default_rng(5).uniform(0.002, 0.01, channels).astype("f4")
    w = numbers(*shape, seed=3, dtype="i1")
    bias = numpy.random.default_rng(6).integers(-3000, 3000, channels).astype("i4")
    return (numpy.where(w == -128, numpy.int8(-127), w), scales, 0, axis), (bias, _Q[0] * scales, 0, 0)


for _name, _options in _CONVOLUTIONS.items():
    case(
        "int8 CONV_2D" + _name,
        "CONV_2D",
        [(BYTES, *_Q)],
        _weight(5, 3, 2, 4, axis=0),
        ("conv", _options),
        [("i1", 0.063, 4)],
        3,
    )
    case("int8 DEPTHWISE_CONV_2D" + _name, "DEPTHWISE_CONV_2D", [(BYTES, *_Q)], _weight(1, 3, 2, 8, axis=3),
         ("depthwise", {**_options, "multiplier": 2}), [("i1", 0.041, 4)], 3)  # fmt: skip

case("int8 TRANSPOSE_CONV", "TRANSPOSE_CONV", [(BYTES, *_Q)], [ints(1, 12, 14, 5), _weight(5, 3, 2, 4, axis=0)[0]],
     ("transposed", {"padding": 0, "stride_w": 2, "stride_h": 2}), [("i1", 0.063, 4)], 2, first=True)  # fmt: skip

for _name, _options in {"": {"activation": 1}, "_kept": {"keep_axes": True}}.items():
    case("int8 FULLY_CONNECTED" + _name, "FULLY_CONNECTED", [(numbers(2, 3, 16, seed=4, dtype="i1"), *_Q)], _weight(7, 16, axis=0),
         ("dense", _options), [("i1", 0.063, 4)], 5 if _options else 4)  # fmt: skip
_OLD = (numbers(5, 3, 2, 4, seed=3, dtype="i1").view("u1"), 0.006, 121)
case("int8 CONV_2D_unsigned", "CONV_2D", [(BYTES.view("u1"), 0.037, 123)], [_OLD, (ints(*range(-2000, 3000, 1000)), 0.037 * 0.006)],
     ("conv", _CONVOLUTIONS["_same_by_2"]), [("u1", 0.063, 4)])  # fmt: skip

case("int8 CONV_2D_deep", "CONV_2D", [(numbers(1, 3, 4, 600, seed=12, dtype="i1"), 0.037, -128)], _weight(5, 1, 1, 600, axis=0),
     ("conv", {"padding": 1, "stride_w": 1, "stride_h": 1}), [("i1", 0.9, 4)], 3)  # fmt: skip
_MANY = numbers(2, 6, 7, 4, seed=11) * numpy.array([1, 3], "f4").reshape(2, 1, 1, 1)
for _op, _shape, _axis, _kind in (("CONV_2D", (5, 3, 2, 4), 0, "conv"), ("DEPTHWISE_CONV_2D", (1, 3, 2, 4), 3, "depthwise"),
                                  ("FULLY_CONNECTED", (5, 4), 0, "dense")):  # fmt: skip
    case(f"weights of int8 {_op}", _op, [_MANY if _axis or len(_shape) == 4 else _MANY[0, 0]],
         [_weight(*_shape, axis=_axis)[0], numbers(_shape[_axis])],
         (_kind, {"activation": 1} if _kind == "dense" else _CONVOLUTIONS[""] | ({"multiplier": 1} if _axis else {})),
         version={"conv": 5, "depthwise": 6, "dense": 9}[_kind])  # fmt: skip

for _turned in (False, True):
    case(f"weights of int8 BATCH_MATMUL_{_turned}", "BATCH_MATMUL", [numbers(2, 12, 12) * numpy.linspace(0.1, 3, 12, dtype="f4")],
         [(numbers(2, 12, 12, seed=1, dtype="i1"), 0.03, 0)], ("product", {"adjoint_x": _turned, "asymmetric": True}),
         version=4)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- 16 bits

_SHORT, _ALL = (
    (numbers(1, 6, 7, 4) * 9000).astype("i2"),
    numpy.arange(-(1 << 15), 1 << 15, 97).astype("i2").reshape(1, -1),
)
for _op in ("LOGISTIC", "TANH"):
    case(f"int16 {_op}", _op, [(_ALL, 0.000125, 0)], outputs=[("i2", 1 / 32768, 0)], version=3)
case("int16 SOFTMAX", "SOFTMAX", [(_SHORT, 0.0003, 0)], (), ("softmax", {"beta": 1.0}), [("i2", 1 / 32768, 0)], 3)
case("int16 QUANTIZE", "QUANTIZE", [X * 3], outputs=[("i2", 0.00021, 0)], version=2)
case("int16 QUANTIZE_again", "QUANTIZE", [(_SHORT, 0.0003, 0)], outputs=[("i2", 0.00021, 0)], version=2)
case("int16 DEQUANTIZE", "DEQUANTIZE", [(_SHORT, 0.0003, 0)], version=3)
for _op, _name in (("ADD", "add"), ("SUB", "sub"), ("MUL", "mul")):
    case(f"int16 {_op}", _op, [(_SHORT, 0.0003, 0), (_SHORT[:, ::-1].copy(), 0.0001, 0)], (),
         (_name, {"activation": 1, "powers_of_two": False}), [("i2", 0.00021, 0)], 5 if _op == "SUB" else 4)  # fmt: skip
for _name, _axes in (("", (1, 2)), ("_channels", (3,))):
    case("int16 MEAN" + _name, "MEAN", [(_SHORT, 0.0003, 0)], [ints(*_axes)], ("fold", {}), [("i2", 0.00011, 0)], 3)
for _op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
    case(f"int16 {_op}", _op, [(_SHORT, 0.0003, 0)], (), ("pool", {"padding": 0, "stride_w": 2, "stride_h": 2, "filter_w": 3,
         "filter_h": 2}), [("i2", 0.0003, 0)], 3)  # fmt: skip


def _long(weights: Any) -> Any:
    (w, scales, *rest), (bias, *_) = weights
    return (w, scales, *rest), (bias.astype("i8") * 999, 0.0003 * scales, 0, 0)


case("int16 CONV_2D", "CONV_2D", [(_SHORT, 0.0003, 0)], _long(_weight(5, 3, 2, 4, axis=0)),
     ("conv", {**_CONVOLUTIONS["_same_by_2"], "activation": 1}), [("i2", 0.0006, 0)], 4)  # fmt: skip
case("int16 DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D", [(_SHORT, 0.0003, 0)], _long(_weight(1, 3, 2, 4, axis=3)),
     ("depthwise", {**_CONVOLUTIONS["_same_by_2"], "multiplier": 1}), [("i2", 0.0003, 0)], 5)  # fmt: skip
case("int16 FULLY_CONNECTED", "FULLY_CONNECTED", [(_SHORT.reshape(-1, 12), 0.0003, 0)], _long(_weight(40, 12, axis=0)),
     ("dense", {}), [("i2", 0.0006, 0)], 11)  # fmt: skip
case("int16 BATCH_MATMUL", "BATCH_MATMUL", [(_SHORT, 0.0003, 0), (_SHORT.reshape(1, 6, 4, 7), 0.0003, 0)], (),
     ("product", {}), [("i2", 0.0008, 0)], 4)  # fmt: skip
for _op in ("MAXIMUM", "MINIMUM"):
    case(
        f"int16 {_op}",
        _op,
        [(_SHORT, 0.0003, 0), (_SHORT[:, ::-1].copy(), 0.0003, 0)],
        outputs=[("i2", 0.0003, 0)],
        version=3,
    )
for _op in ("REDUCE_MAX", "REDUCE_MIN"):
    case(f"int16 {_op}", _op, [(_SHORT, 0.0003, 0)], [ints(1, -1)], ("fold", {}), [("i2", 0.0003, 0)], 3)
case(
    "int16 PAD",
    "PAD",
    [(_SHORT, 0.0003, 0)],
    [ints(0, 0, 1, 2, 0, 1, 0, 0).reshape(4, 2)],
    outputs=[("i2", 0.0003, 0)],
    version=3,
)
case(
    "int16 CONCATENATION",
    "CONCATENATION",
    [(_SHORT, 0.0003, 0)] * 2,
    (),
    ("concatenation", {"axis": 2}),
    [("i2", 0.0003, 0)],
    3,
)
case("int16 RELU", "RELU", [(_SHORT, 0.0003, 0)], outputs=[("i2", 0.0002, 0)], version=3)
case("int16 TRANSPOSE_CONV", "TRANSPOSE_CONV", [(_SHORT, 0.0003, 0)], [ints(1, 12, 14, 5), _weight(5, 3, 2, 4, axis=0)[0]],
     ("transposed", {"padding": 0, "stride_w": 2, "stride_h": 2}), [("i2", 0.0006, 0)], 3, first=True)  # fmt: skip


def _transposed_by_computed_sizes() -> None:
    """A transposed convolution whose sizes an operator gives: XNNPACK does not take it."""
    b = Builder()
    x, sizes = b.input((1, 6, 5, 4), "i1", *_Q), b.tensor((4,), "i4")
    b.operator("RESHAPE", [b.constant(ints(1, 12, 10, 5)), b.constant(ints(4))], [sizes])
    w, *more = _weight(5, 3, 2, 4, axis=0)[0]
    y = b.tensor((1, 12, 10, 5), "i1", 0.063, 4)
    b.operator("TRANSPOSE_CONV", [sizes, b.constant(w, *more), x], [y],
               ("transposed", {"padding": 0, "stride_w": 2, "stride_h": 2}), version=2)  # fmt: skip
    b.outputs(y)
    CASES["int8 TRANSPOSE_CONV_computed"] = Case(b.bytes(), (BYTES[:, :, :5].copy(),))


_transposed_by_computed_sizes()


def _near_halves(name: str, op: str, options: Any) -> None:
    """Sums of nothing but a bias: numbers whose products with the multiplier lie next to halves, or are halves."""
    rng = numpy.random.default_rng(7)
    count = 600
    scales = rng.uniform(1e-6, 1e-5, count).astype("f4")
    scale, to = numpy.float32(0.05), numpy.float32(0.125)
    halves = rng.integers(-120, 120, count) + 0.5
    bias = numpy.rint(halves / (numpy.float64(scale) * scales / to)).astype("i4")
    scales[: count // 4], bias[: count // 4] = to / 2 / scale, numpy.arange(count // 4) - count // 8
    one = numpy.zeros((1, 1, 1, count if op.startswith("DEPTH") else 4), "i1")
    shape, axis = ((1, 1, 1, count), 3) if op.startswith("DEPTH") else ((count, 1, 1, 4), 0)
    if op == "FULLY_CONNECTED":
        one, shape = one.reshape(1, 4), (count, 4)
    weights = (numpy.zeros(shape, "i1"), scales, 0, axis), (bias, scale * scales, 0, 0)
    case(f"int8 {name}", op, [(one, scale, 3)], weights, options, [("i1", to, 1)], 4 if op == "FULLY_CONNECTED" else 3)


_PLAIN = {"padding": 1, "stride_w": 1, "stride_h": 1}
_near_halves("CONV_2D_halves", "CONV_2D", ("conv", _PLAIN))
_near_halves("DEPTHWISE_CONV_2D_halves", "DEPTHWISE_CONV_2D", ("depthwise", {**_PLAIN, "multiplier": 1}))
_near_halves("FULLY_CONNECTED_halves", "FULLY_CONNECTED", ("dense", {}))


# -------------------------------------------------------------------------------------------------------------- answers


def asked(models: Any, kind: str) -> Any:
    """Return the outputs of models, or of one where it fails its error, step by step, from LiteRT (`default`, `reference`) or TFLM (`micro`).

    Args:
        models: pairs of a file's bytes, or its path, and inputs of each step.
        kind: whose kernels.
    """
    if not LITERT.exists():
        import pytest

        pytest.fail("LiteRT is not there: make .litert/.installed")
    with tempfile.TemporaryDirectory() as folder:
        arrays = {}
        for number, (model, steps) in enumerate(models):
            path = Path(folder, f"{number}.tflite")
            path.write_bytes(model if isinstance(model, bytes) else Path(model).read_bytes())
            for step, inputs in enumerate(steps):
                arrays |= {f"{number} {step} {k}": x for k, x in enumerate(inputs)}
            arrays[f"{number} steps"] = numpy.array(len(steps))
        numpy.savez(Path(folder, "in.npz"), **arrays)
        subprocess.run([str(LITERT), str(HERE / "litert_process.py"), folder, kind], check=True, capture_output=True)
        with numpy.load(Path(folder, "out.npz")) as found:
            outputs = dict(found)
    results: list[Any] = []
    for number, (_, steps) in enumerate(models):
        if f"{number} error" in outputs:
            results.append(str(outputs[f"{number} error"]))
            continue
        count = int(outputs[f"{number} outputs"])
        results.append([[outputs[f"{number} {step} {k}"] for k in range(count)] for step in range(len(steps))])
    return results


def kinds(name: str) -> tuple[str, ...]:
    """Whose answers a case is compared with; TFLM's kernel of dense layers rounds as its others, LiteRT's does not, and lacks one."""
    if not name.startswith("int8"):
        return ("default",)
    return "default", "micro" if "FULLY_CONNECTED" in name or "SUM" in name or name == "int8 ELU" else "reference"


def written_answers() -> dict[str, Any]:
    models = [(case.model, [case.inputs]) for case in CASES.values()]
    found = {}
    for kind in ("default", "reference", "micro"):
        chosen = [name for name in CASES if kind in kinds(name)]
        some = [model for name, model in zip(CASES, models, strict=True) if name in chosen]
        for name, result in zip(chosen, asked(some, kind), strict=True):
            if isinstance(result, str):
                print(kind, name, result, file=sys.stderr)
                continue
            found |= {f"{kind} {name} {k}": y for k, y in enumerate(result[0])}
    return found


if __name__ == "__main__":
    found = written_answers()
    table = [(name, y.dtype.str, y.shape, part(y).size) for name, y in found.items()]
    data = numpy.frombuffer(b"".join(part(y).tobytes() for y in found.values()), "u1")
    numpy.savez_compressed(ANSWERS, table=numpy.frombuffer(json.dumps(table).encode(), "u1"), data=data)
    print(len(CASES), "cases,", ANSWERS.stat().st_size, "bytes")
