# SPDX-License-Identifier: Apache-2.0
"""The names of our ops and composites in MXNet 1.x; what is missing here has no counterpart."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from hybridize import ops
from hybridize.formats.formulas import FORMULAS
from hybridize.graph import Node
from hybridize.ops.views import like


class Words(NamedTuple):
    """The names of one operation on two operands."""

    equal: str
    """Of equal shapes."""
    broadcast: str
    scalar: str
    """With a number on the right."""
    reverse: str
    """With a number on the left."""


_MIRRORED = {"greater": "lesser", "greater_equal": "lesser_equal", "lesser": "greater", "lesser_equal": "greater_equal"}


def _words(word: str) -> Words:
    """Return MXNet 1's names of an operation, from its word in `broadcast_word`."""
    number = {"add": "plus", "sub": "minus"}.get(word, word)
    reverse = f"r{number}" if word in ("sub", "div", "mod", "power") else _MIRRORED.get(word, number)
    start = "elemwise" if word in ("add", "sub", "mul", "div") else ""
    return Words(f"{start}_{word}", f"broadcast_{word}", f"_{number}_scalar", f"_{reverse}_scalar")


PAIRS = {word: _words(word) for word in (
    "add", "sub", "mul", "div", "mod", "power", "maximum", "minimum", "hypot", "equal", "not_equal", "greater",
    "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor",
)}  # fmt: skip
"""MXNet 1's operations on two operands by their words, which are functions of `nd`, too."""
SYNONYMS = {
    "plus": "add", "subtract": "sub", "minus": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "modulo": "mod",
}  # fmt: skip
"""Other names of functions, and the words of what they compute."""

UNARY: dict[type, str] = {
    ops.Neg: "negative", ops.Abs: "abs", ops.Sign: "sign", ops.Floor: "floor", ops.Ceil: "ceil", ops.Trunc: "trunc",
    ops.Sqrt: "sqrt", ops.Rsqrt: "rsqrt", ops.Cbrt: "cbrt", ops.Exp: "exp", ops.Expm1: "expm1", ops.Log: "log",
    ops.Log2: "log2", ops.Log10: "log10", ops.Log1p: "log1p", ops.Sin: "sin", ops.Cos: "cos", ops.Tan: "tan",
    ops.Arcsin: "arcsin", ops.Arccos: "arccos", ops.Arctan: "arctan", ops.Sinh: "sinh", ops.Cosh: "cosh",
    ops.Tanh: "tanh", ops.Arcsinh: "arcsinh", ops.Arccosh: "arccosh", ops.Arctanh: "arctanh", ops.Erf: "erf",
    ops.Erfinv: "erfinv", ops.Gamma: "gamma", ops.Gammaln: "gammaln", ops.Sigmoid: "sigmoid", ops.Not: "logical_not",
}  # fmt: skip

BINARY: dict[type, Words] = {kind: PAIRS[word] for kind, word in {
    ops.Add: "add", ops.Sub: "sub", ops.Mul: "mul", ops.Div: "div", ops.Mod: "mod", ops.Pow: "power",
    ops.Max: "maximum", ops.Min: "minimum", ops.SharedMax: "maximum", ops.SharedMin: "minimum", ops.Hypot: "hypot",
    ops.Eq: "equal", ops.Ne: "not_equal", ops.Gt: "greater", ops.Ge: "greater_equal", ops.Lt: "lesser",
    ops.Le: "lesser_equal",
}.items()}  # fmt: skip

LOGIC: dict[type, Words] = {
    ops.BitAnd: PAIRS["logical_and"], ops.BitOr: PAIRS["logical_or"], ops.BitXor: PAIRS["logical_xor"],
}  # fmt: skip
"""Of what is true or false; MXNet has no such operators of bits."""

TRUTHS: set[type] = {
    *LOGIC, ops.Eq, ops.Ne, ops.Gt, ops.Ge, ops.Lt, ops.Le, ops.Max, ops.Min, ops.SharedMax, ops.SharedMin,
}  # fmt: skip
"""Operations on two operands that mean of 0 and 1 what they mean of bools."""

REDUCTIONS: dict[type, str] = {
    ops.Sum: "sum", ops.Prod: "prod", ops.ReduceMax: "max", ops.ReduceMin: "min", ops.Any: "max", ops.All: "min",
    ops.SharedReduceMax: "max", ops.SharedReduceMin: "min",
}  # fmt: skip

Spelled = tuple[str, dict[str, Any]]
"""An operator and its attributes."""


def _product(op: Any, node: Node) -> Spelled:
    word = {2: "dot", 3: "batch_dot"}.get(node.inputs[0].type.ndim, "_linalg_gemm2")
    return word, {"transpose_a": op.transpose_x, "transpose_b": op.transpose_w}


PLAIN: dict[type, Callable[[Any, Node], Spelled]] = {
    ops.ArgSort: lambda op, node: ("argsort", {"axis": op.axis, "is_ascend": not op.descending, "dtype": "int64"}),
    ops.Concat: lambda op, node: ("Concat", {"dim": op.axis, "num_args": len(node.inputs)}),
    ops.CumSum: lambda op, node: ("cumsum", {"axis": op.axis}),
    ops.Matmul: _product,
    ops.Sort: lambda op, node: ("sort", {"axis": op.axis, "is_ascend": not op.descending}),
    ops.StopGradient: lambda op, node: ("BlockGrad", {}),
    ops.Transpose: lambda op, node: ("transpose", {"axes": tuple(op.axes)}),
}
"""Operations of which MXNet has each as one operator of the same inputs."""


def floor_quotient(x: Any, y: Any) -> Any:
    """The quotient of floats without what follows the point."""
    whole = ops.div(ops.sub(x, ops.mod(x, y)), y)
    return ops.floor(ops.add(whole, like(0.5, whole)))


def _round(x: Any) -> Any:
    """The nearest integer, halves to the even one, which MXNet's `rint` does not know."""
    low = ops.floor(x)
    above, half = ops.sub(x, low), like(0.5, x)
    up = ops.where(ops.eq(above, half), ops.mod(low, like(2, x)), ops.cast(ops.gt(above, half), ops.type_of(x).dtype))
    return ops.where(ops.isfinite(x), ops.add(low, up), x)


MADE_OF: dict[type, Callable[..., Any]] = {
    **FORMULAS,
    ops.Isinf: lambda x: ops.eq(ops.abs(x), like(math.inf, x)),
    ops.Isnan: lambda x: ops.ne(x, x),
    ops.Round: _round,
}
"""Operations that MXNet's operators make together, as functions of operands."""

Spelling = Callable[[dict[str, Any], Node], Spelled | None]
"""The operator that a composite with some attributes is; None: it is written by what it is made of."""


def _of(*kept: str) -> Spelling:
    """The operator of the composite's name, with some of its attributes."""
    return lambda attributes, node: (node.op.name, {key: attributes[key] for key in kept})


def _where(holds: Callable[[dict[str, Any], Node], bool]) -> Spelling:
    """The operator of the composite's name, with its attributes, where MXNet has it."""
    return lambda attributes, node: (node.op.name, attributes) if holds(attributes, node) else None


def _fully_connected(attributes: dict[str, Any], node: Node) -> Spelled:
    units = node.inputs[1].type.shape[0]
    return "FullyConnected", {"num_hidden": units, "no_bias": len(node.inputs) == 2, "flatten": attributes["flatten"]}


def _transposes(attributes: dict[str, Any], node: Node) -> bool:
    steps = zip(attributes["adj"], attributes["stride"], strict=True)
    return attributes["layout"] != "NWC" and all(more < step for more, step in steps)


def _columns(attributes: dict[str, Any], node: Node) -> Spelled | None:
    attributes = {"pad" if key == "padding" else key: value for key, value in attributes.items()}
    return (node.op.name, attributes) if len(attributes["kernel"]) == 2 else None  # all that MXNet has


def _pads(attributes: dict[str, Any], node: Node) -> bool:
    mode, widths = attributes["mode"], attributes["pad_width"]
    images = len(widths) in (8, 10) and not any(widths[:4])  # all that 1.x pads
    return images and mode in ("constant", "edge", "reflect")


_ACTIVATIONS = ("relu", "sigmoid", "softrelu", "softsign", "tanh")


def _leaky_relu(attributes: dict[str, Any], node: Node) -> Spelled | None:
    word = attributes["act_type"]
    if word not in ("elu", "gelu", "leaky", "prelu", "selu"):
        return None
    return "LeakyReLU", {"act_type": word, **({"slope": attributes["slope"]} if word in ("elu", "leaky") else {})}


def _embedding(attributes: dict[str, Any], node: Node) -> Spelled:
    rows, columns = node.inputs[1].type.shape
    return "Embedding", {"input_dim": rows, "output_dim": columns}


_ALWAYS = (
    "BilinearSampler", "Correlation", "GridGenerator", "InstanceNorm", "LRN", "Pooling", "ROIPooling",
    "SequenceLast", "SequenceMask", "SpatialTransformer", "UpSampling", "_contrib_AdaptiveAvgPooling2D",
    "_contrib_BilinearResize2D", "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution",
    "_contrib_MultiBoxDetection", "_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget", "_contrib_ROIAlign",
    "_contrib_bipartite_matching", "_contrib_box_decode", "_contrib_box_encode", "_contrib_box_iou",
    "_contrib_div_sqrt_dim", "_contrib_interleaved_matmul_encdec_qk", "_contrib_interleaved_matmul_encdec_valatt",
    "_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_selfatt_valatt",
    "_contrib_sldwin_atten_context", "_contrib_sldwin_atten_mask_like", "_contrib_sldwin_atten_score",
)  # fmt: skip
COMPOSITES: dict[str, Spelling] = {
    **dict.fromkeys(_ALWAYS, _where(lambda attributes, node: True)),
    "Activation": _where(lambda attributes, node: attributes["act_type"] in _ACTIVATIONS),
    "BatchNorm": _where(lambda attributes, node: len(node.inputs) == 5),  # else of the batch: training's
    "Convolution": _where(lambda attributes, node: attributes["layout"] != "NWC"),  # which 1.x has not
    "Deconvolution": _where(_transposes),
    "Embedding": _embedding,
    "Flatten": _of(),
    "FullyConnected": _fully_connected,
    "LayerNorm": _of("axis", "eps"),
    "LeakyReLU": _leaky_relu,
    "Pad": _where(_pads),
    "SequenceReverse": _where(lambda attributes, node: not attributes["axis"]),  # all that MXNet reverses
    "_contrib_box_nms": _where(lambda attributes, node: attributes["in_format"] == attributes["out_format"]),
    "_contrib_arange_like": _where(lambda attributes, node: node.inputs[0].type.dtype == node.outputs[0].type.dtype),
    "col2im": _columns,
    "im2col": _columns,
    "log_softmax": _of("axis"),
    "one_hot": lambda attributes, node: ("one_hot", {**attributes, "dtype": attributes["dtype"].name}),
    "relu": lambda attributes, node: ("Activation", {"act_type": "relu"}),
    "softmax": _of("axis"),
}
"""By label. GroupNorm, whose gamma MXNet's versions shape differently, is not among them."""
