# SPDX-License-Identifier: Apache-2.0
"""Calls of MXNet's functions as data, which MXNet itself and this package both run.

A call is (name, operands, attributes); an operand is a number, or (dtype, shape, kind) of an array with contents that
follow from these three. The module needs nothing but NumPy, since MXNet's Python has nothing else.
"""

from __future__ import annotations

import itertools
import json
import operator
from collections.abc import Iterator
from typing import Any

import numpy

Call = tuple[str, list[Any], dict[str, Any]]

FLOATS = ("float64", "float32", "float16")
INTS = ("int32", "int64", "uint8", "int8")
DTYPES = FLOATS + INTS
UNARY = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh", "degrees",
    "erf", "erfinv", "exp", "expm1", "fix", "floor", "gamma", "gammaln", "identity", "log", "log10", "log1p", "log2",
    "logical_not", "negative", "ones_like", "radians", "rcbrt", "reciprocal", "relu", "rint", "round", "rsqrt",
    "sigmoid", "sign", "sin", "sinh", "softsign", "sqrt", "square", "tan", "tanh", "trunc", "zeros_like", "size_array",
    "shape_array", "hard_sigmoid", "BlockGrad", "Flatten", "contrib.isnan", "contrib.isinf", "contrib.isfinite",
    "contrib.div_sqrt_dim", "contrib.arange_like", "argmax_channel", "softmax", "log_softmax", "softmin", "make_loss",
    "SoftmaxActivation", "diag", "sort", "argsort", "squeeze", "transpose", "cumsum", "norm", "smooth_l1",
    "L2Normalization",
)  # fmt: skip
ARITHMETIC = ("add", "sub", "mul", "div", "mod", "power", "maximum", "minimum", "hypot")
COMPARISONS = (
    "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or",
    "logical_xor",
)  # fmt: skip
WITH_NUMBERS = (
    "add", "subtract", "multiply", "divide", "true_divide", "modulo", "power", "maximum", "minimum", "equal",
    "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip
CODES = (
    ((4, 6, 2, 2), (-1, -3, 0, -2), False), ((2, 3, 4, 5), (-2, 0, -3, -1), True),
    ((4, 12, 6), (0, -4, 1, -1, -2), False), ((2, 3, 4), (-2, -3, 0), True), ((6,), (-1, -2, 0), True),
    ((4, 12, 6), (6, -2, -2, -1, 0), True), ((2, 1, 6), (-4, 2, -1, -3), False),
    ((2, 1, 6), (-3, -4, 2, -1, -1), False), ((4, 6, 2, 2), (-2, -2, 1, -1, 2, -4, -1), True),
    ((12, 8), (0, -1, -2, 1), False), ((4, 6, 2, 2), (-1, 2, 0, -3), True),
    ((2, 3, 4), (-2, 2, 1, -4, 2, -1), True), ((4, 12, 6), (-4, 2, -1, 0, 0, -1), False),
    ((2, 3, 4, 5), (-3, 0, -2), False), ((2, 3, 4, 5), (1, -1, -3, -2), False),
    ((2, 1, 6), (-3, -1, 2, -4), True), ((4, 12, 6), (2, 2, -4, 0, -1), True),
    ((2, 3, 4, 5), (-1, -2), False), ((4, 6, 2, 2), (-3, 0, 0), False), ((4, 12, 6), (-1, 1, 0, 6), True),
    ((2, 3, 4), (-3, -2), False), ((4, 6, 2, 2), (3, 2, -1, -3), True), ((4, 6, 2, 2), (-2, -1), True),
    ((2, 1, 6), (1, -3, 2, 3, -4), True), ((12, 8), (1, 0, -1), False), ((2, 3, 4), (-3, -1, 2), False),
    ((4, 12, 6), (-1, -2, -2), False), ((4, 6, 2, 2), (-2, -3), True), ((4, 6, 2, 2), (0, 6, -3), True),
    ((2, 3, 4, 5), (0, 0, -1), True),
    ((2, 3, 4, 5), (-1, 0, 0, 0), False), ((12, 8), (0, -2), False), ((4, 6, 2, 2), (-3, 0, 2), False),
    ((2, 3, 4), (0, -1, 0), False), ((4, 12, 6), (-1, 2, -4, 1, -1, 12), False),
    ((4, 12, 6), (-3, -2, -2), False), ((12, 8), (4, -4, 2, -1, 3), False), ((2, 3, 4), (-2, 0, 3, 4), True),
    ((1, 1), (1, -1, -4), True), ((12, 8), (-1, 1, -2, -2, -2), True), ((6,), (0, -2, -2), False),
    ((2, 1, 6), (-3, -2, -2, -2), False), ((6,), (1, -1), True), ((2, 3, 4, 5), (-2, -2), False),
    ((2, 1, 6), (12, -1), False), ((1, 1), (-2,), False), ((1, 1), (0, 0), True),
    ((2, 1, 6), (0, 0, 6), False), ((4, 6, 2, 2), (-2,), True), ((12, 8), (2, 0, 4), True),
    ((12, 8), (-3,), False), ((6,), (2, 3, -4), True), ((4, 6, 2, 2), (4, 6, -3), True),
    ((6,), (-4, 2, 3), False), ((1, 1), (-2, -2), True), ((2, 3, 4, 5), (-3, -3), True),
    ((2, 3, 4, 5), (-3, -3), False), ((12, 8), (12, 0), False), ((2, 3, 4), (0, 0, 0), False),
    ((2, 3, 4), (-2, -2, -2), True), ((2, 3, 4), (1, 4, 6, 1), False), ((2, 1, 6), (1, 12), True),
)  # fmt: skip
"""Shapes, codes of new ones, and whether these are read from the right: a random draw, one of each mix of codes."""
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "nansum", "nanprod", "sum_axis", "max_axis", "min_axis")


def array(dtype: str, shape: tuple[int, ...], kind: str = "mixed") -> numpy.ndarray:
    """Return the contents of an operand."""
    size = int(numpy.prod(shape, dtype=int))
    if kind == "mixed":  # halves, signs, zero
        values = numpy.array([-2.5, 1.5, 0.5, 0.0, 2.0, -0.5, 3.25, -1.0])
    elif kind == "other":
        values = numpy.array([2.0, -1.5, 0.5, 3.0, -2.0, 1.0, 2.5])
    elif kind == "positive":
        values = numpy.array([2.0, 1.5, 0.5, 3.0, 1.0, 2.5, 4.0])
    elif kind == "edges":  # what rounding in the dtype's own steps must leave alone
        values = numpy.array([8388609.0, 0.49999997, -0.49999997, -8388609.0, numpy.nan, numpy.inf, -numpy.inf, -0.0])
    elif kind == "indices":
        values = numpy.array([0, 2, 1, 1, 0, 2])
    elif kind == "lengths":
        values = numpy.array([1, 2, 1])
    elif kind == "symmetric":
        values = numpy.array([2.0, -1.0, -1.0, 3.0])
    elif kind == "outside":
        values = numpy.array([-1, 5, 1, 3, -4, 0])
    else:
        values = numpy.linspace(-1.0, 1.25, max(size, 1))
        values = values[numpy.random.RandomState(size).permutation(size)]
    values = numpy.resize(values, size).reshape(shape)
    if dtype == "bool":
        return values > 0
    if dtype not in FLOATS:
        values = numpy.trunc(numpy.nan_to_num(values * (1 if kind in ("indices", "outside", "positive") else 2)))
        if dtype == "uint8":
            values = numpy.abs(values)
        values = numpy.clip(values, numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    return values.astype(dtype)


def _unary() -> Iterator[Call]:
    for name, dtype in itertools.product(UNARY, DTYPES):
        yield name, [(dtype, (2, 3), "mixed")], {}
    for name, dtype in itertools.product(("rint", "round", "floor", "ceil", "trunc", "fix", "sign"), FLOATS):
        yield name, [(dtype, (8,), "edges")], {}
    for name, dtype in itertools.product(("log", "sqrt", "gamma", "log_softmax", "sigmoid"), DTYPES):
        yield name, [(dtype, (2, 3), "positive")], {}


def _binary() -> Iterator[Call]:
    for word, dtype in itertools.product(ARITHMETIC + COMPARISONS, DTYPES):
        second = "positive" if word == "power" else "other"
        for shape in ((2, 3), (1, 3), (1,), (2, 1)):
            if len(shape) == 2:
                yield f"broadcast_{word}", [(dtype, (2, 3), "mixed"), (dtype, shape, second)], {}
        if word in ("add", "sub", "mul", "div"):
            yield f"elemwise_{word}", [(dtype, (2, 3), "mixed"), (dtype, (2, 3), "other")], {}
    for word, dtype, number in itertools.product(WITH_NUMBERS, DTYPES, (2, 2.5, 0.5, -3)):
        yield word, [(dtype, (2, 3), "positive"), number], {}
        if word in ("add", "subtract", "multiply", "divide", "modulo", "power", "maximum", "lesser", "logical_and"):
            yield word, [number, (dtype, (2, 3), "positive")], {}
    for word, dtype in itertools.product(WITH_NUMBERS, DTYPES):
        if word != "power":
            yield word, [(dtype, (2, 3), "mixed"), (dtype, (1, 1), "other")], {}
    for word in ("add", "multiply", "maximum", "equal"):
        yield word, [3, 2.5], {}


def _reductions() -> Iterator[Call]:
    for name, dtype in itertools.product(REDUCTIONS, DTYPES):
        for axis, keepdims, exclude in (
            (None, False, False), (0, False, False), (1, True, False), (-1, False, True), ((0, 1), False, False),
            ((0, 1), True, False), ((), False, False), (0, True, True), ((0, 1), False, True),
        ):  # fmt: skip
            attributes: dict[str, Any] = {} if axis is None else {"axis": axis}
            attributes |= {"keepdims": True} if keepdims else {}
            attributes |= {"exclude": True} if exclude else {}
            yield name, [(dtype, (2, 3), "mixed")], attributes
    for name, dtype in itertools.product(("argmax", "argmin"), DTYPES):
        for attributes in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": -1}):
            yield name, [(dtype, (2, 3), "mixed")], attributes
    for dtype in DTYPES:
        for attributes in ({}, {"ord": 1}, {"axis": 1}, {"axis": (0, 1), "keepdims": True}, {"ord": 1, "axis": 0}):
            yield "norm", [(dtype, (2, 3), "mixed")], attributes
        yield "moments", [(dtype, (2, 3), "mixed")], {"axes": (0,)}
        yield "cumsum", [(dtype, (2, 3), "mixed")], {"axis": 1}
        yield "cumsum", [(dtype, (2, 3), "mixed")], {"axis": 1, "dtype": "float64"}
        yield "softmax_cross_entropy", [(dtype, (2, 3), "mixed"), (dtype, (2,), "indices")], {}


def _look_ups() -> Iterator[Call]:
    for dtype, where in itertools.product(DTYPES, ("indices", "outside")):
        x, kept = ("float32", (3, 4), "line"), (dtype, (3,), where)
        yield "Embedding", [(dtype, (2, 2), where), ("float32", (3, 2), "line")], {"input_dim": 3, "output_dim": 2}
        yield "take", [x, kept], {}
        yield "take", [x, kept], {"axis": 1}
        yield "take", [x, kept], {"mode": "wrap"}
        yield "pick", [x, kept], {}
        yield "pick", [x, (dtype, (4,), where)], {"axis": 0, "keepdims": True}
        yield "pick", [x, kept], {"mode": "wrap"}
        yield "batch_take", [x, kept], {}
        yield "one_hot", [kept], {"depth": 3}
        yield "one_hot", [kept], {"depth": 3, "on_value": 2.5, "off_value": -1.0, "dtype": "int32"}
    for dtype in DTYPES:
        x = (dtype, (2, 3), "mixed")
        yield "take", [x, ("int32", (2,), "indices")], {"axis": 1}
        yield "pick", [x, ("float32", (2,), "indices")], {}
        yield "gather_nd", [(dtype, (3, 2), "mixed"), ("int64", (1, 2), "indices")], {}
        yield "where", [(dtype, (2, 3), "mixed"), ("float32", (2, 3), "line"), ("float32", (2, 3), "other")], {}
        yield "where", [("float32", (2, 3), "mixed"), x, (dtype, (2, 3), "other")], {}
        yield "where", [("float32", (2,), "mixed"), x, (dtype, (2, 3), "other")], {}
        yield "clip", [x], {"a_min": -1.0, "a_max": 1.5}
        for to in DTYPES:
            yield "cast", [x], {"dtype": to}
        for attributes in (
            {}, {"k": 2}, {"k": 1, "axis": 0}, {"ret_typ": "value"}, {"ret_typ": "both", "k": 2},
            {"ret_typ": "mask", "k": 2}, {"is_ascend": True, "k": 2}, {"dtype": "int32"}, {"axis": None, "k": 3},
        ):  # fmt: skip
            yield "topk", [(dtype, (2, 4), "positive")], attributes
        for attributes in ({}, {"axis": 0}, {"is_ascend": False}, {"axis": None}):
            yield "sort", [(dtype, (2, 4), "positive")], attributes
            yield "argsort", [(dtype, (2, 4), "positive")], attributes
        yield "argsort", [(dtype, (2, 4), "positive")], {"dtype": "int32"}
        yield "unravel_index", [("int64", (3,), "positive")], {"shape": (4, 5)}
        yield "slice_like", [(dtype, (4, 3), "mixed"), (dtype, (2, 3), "other")], {"axes": (0,)}
        yield "contrib.index_copy", [(dtype, (3, 2), "mixed"), ("int64", (2,), "indices"), (dtype, (2, 2), "other")], {}
        yield "contrib.index_array", [(dtype, (2, 2), "mixed")], {}
        yield "contrib.boolean_mask", [(dtype, (3, 2), "mixed"), ("float32", (3,), "indices")], {}


def _shapes() -> Iterator[Call]:
    for dtype in DTYPES:
        x = (dtype, (2, 3, 4), "line")
        for shape in ((0, -1), (-2,), (-3, 0), (0, -4, 1, 3, 0), (4, 6), (-1,), (2, -2), (-4, 1, 2, -2)):
            yield "reshape", [x], {"shape": shape}
        yield "transpose", [x], {"axes": (1, 0, 2)}
        yield "expand_dims", [x], {"axis": 1}
        yield "squeeze", [(dtype, (2, 1, 3), "line")], {"axis": 1}
        yield "squeeze", [(dtype, (1, 1), "line")], {}
        yield "flip", [x], {"axis": 1}
        yield "tile", [(dtype, (2, 3), "line")], {"reps": (2, 1, 2)}
        yield "repeat", [(dtype, (2, 3), "line")], {"repeats": 2}
        yield "repeat", [(dtype, (2, 3), "line")], {"repeats": 2, "axis": 1}
        yield "swapaxes", [x], {"dim1": 0, "dim2": 2}
        yield "slice", [x], {"begin": (0, 1), "end": (2, 3)}
        yield "slice", [x], {"begin": (None, 2), "end": (None, None), "step": (1, -1)}
        yield "slice_axis", [x], {"axis": 2, "begin": -3, "end": None}
        yield "broadcast_to", [(dtype, (1, 3), "line")], {"shape": (2, 0)}
        yield "broadcast_axis", [(dtype, (1, 3), "line")], {"axis": 0, "size": 2}
        yield "broadcast_like", [(dtype, (1, 3), "line"), (dtype, (2, 3), "other")], {}
        yield "reshape_like", [(dtype, (2, 3), "line"), (dtype, (3, 2), "other")], {}
        yield "concat", [(dtype, (2, 3), "line"), (dtype, (2, 2), "other")], {"dim": 1}
        yield "stack", [(dtype, (2, 3), "line"), (dtype, (2, 3), "other")], {"axis": 1}
        yield "add_n", [(dtype, (2, 3), "line"), (dtype, (2, 3), "other"), (dtype, (2, 3), "mixed")], {}
        yield "split", [x], {"num_outputs": 2, "axis": 2}
        yield "split", [x], {"num_outputs": 3, "axis": 1, "squeeze_axis": True}
        yield "split", [x], {"num_outputs": 1, "axis": 1}
        yield "split_v2", [x], {"indices_or_sections": (1, 3), "axis": 2}
        yield "diag", [(dtype, (3,), "line")], {"k": 1}
        yield "diag", [(dtype, (3, 4), "line")], {"k": -1}
        yield "depth_to_space", [(dtype, (1, 4, 2, 3), "line")], {"block_size": 2}
        yield "space_to_depth", [(dtype, (1, 1, 4, 6), "line")], {"block_size": 2}
        yield "SequenceMask", [x, ("float32", (3,), "indices")], {"use_sequence_length": True, "value": -1.0}
        yield "SequenceLast", [x, ("float32", (3,), "lengths")], {"use_sequence_length": True}
        yield "SequenceReverse", [x, ("float32", (3,), "indices")], {"use_sequence_length": True}
        yield "pad", [(dtype, (1, 1, 2, 3), "line")], {
            "mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 1, 0), "constant_value": 2.0,
        }  # fmt: skip
    for old, codes, reverse in CODES:
        yield "reshape", [("int32", old, "line")], {"shape": codes, "reverse": reverse}
    for attributes in (
        {"lhs_begin": 0, "lhs_end": 2},
        {"lhs_begin": -2, "lhs_end": None, "rhs_begin": 0, "rhs_end": 2},
    ):
        yield "reshape_like", [("float32", (3, 2, 4), "line"), ("float32", (2, 4, 3), "other")], attributes
    for name in ("zeros", "ones"):
        yield name, [], {"shape": (2, 3)}
        yield name, [], {"shape": (2, 3), "dtype": "int32"}
    yield "full", [], {"shape": (2,), "val": 2.5}
    yield "arange", [], {"start": 5}
    yield "arange", [], {"start": 1, "stop": 6, "step": 2, "repeat": 2, "dtype": "int32"}
    yield "eye", [], {"N": 2, "M": 3, "k": 1}
    yield "linspace", [], {"start": 0, "stop": 1, "num": 5}


def _layers() -> Iterator[Call]:
    for dtype in FLOATS:
        x, image = (dtype, (2, 6), "line"), (dtype, (2, 4, 5, 5), "line")
        of_channels = [(dtype, (4,), "positive"), (dtype, (4,), "mixed")]
        weight = (dtype, (3, 6), "other")
        yield "FullyConnected", [x, weight, (dtype, (3,), "line")], {"num_hidden": 3}
        yield (
            "FullyConnected",
            [(dtype, (2, 2, 6), "line"), weight],
            {"num_hidden": 3, "no_bias": True, "flatten": False},
        )
        yield "dot", [x, (dtype, (6, 2), "other")], {}
        yield "dot", [(dtype, (6, 2), "line"), (dtype, (6, 2), "other")], {"transpose_a": True}
        yield "dot", [(dtype, (3,), "line"), (dtype, (3,), "other")], {}
        yield "dot", [(dtype, (2, 3, 4), "line"), (dtype, (4, 2), "other")], {}
        yield "batch_dot", [(dtype, (2, 2, 3), "line"), (dtype, (2, 3, 2), "other")], {}
        for word in ("relu", "sigmoid", "tanh", "softrelu", "softsign"):
            yield "Activation", [x], {"act_type": word}
        for word in ("leaky", "elu", "selu", "gelu"):
            yield "LeakyReLU", [x], {"act_type": word}
        yield "LeakyReLU", [image, (dtype, (4,), "positive")], {"act_type": "prelu"}
        for attributes in ({}, {"axis": 0}, {"temperature": 2.0}, {"axis": 1, "dtype": "float32"}):
            yield "softmax", [x], attributes
            yield "log_softmax", [x], attributes
        for attributes in ({}, {"multi_output": True}, {"preserve_shape": True}):
            labels = (2, 4) if "multi_output" in attributes else (2, 3)
            yield "SoftmaxOutput", [(dtype, (2, 3, 4), "line"), (dtype, labels, "indices")], attributes
        yield "SoftmaxOutput", [x, (dtype, (2,), "indices")], {}
        for mode in ("instance", "channel"):
            yield "SoftmaxActivation", [image], {"mode": mode}
        for name in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"):
            yield name, [x, (dtype, (2, 6), "other")], {}
        yield "LayerNorm", [image, (dtype, (5,), "positive"), (dtype, (5,), "mixed")], {}
        yield "InstanceNorm", [image, *of_channels], {}
        yield "GroupNorm", [image, *of_channels], {"num_groups": 2}
        yield "BatchNorm", [image, *of_channels, (dtype, (4,), "line"), (dtype, (4,), "positive")], {}
        yield "BatchNorm", [image, *of_channels, (dtype, (4,), "line"), (dtype, (4,), "positive")], {
            "fix_gamma": False, "eps": 0.1,
        }  # fmt: skip
        for mode in ("instance", "channel", "spatial"):
            yield "L2Normalization", [image], {"mode": mode}
        yield "LRN", [image], {"nsize": 3}
        for pool in ("max", "avg", "sum"):
            yield "Pooling", [image], {"kernel": (2, 2), "stride": (2, 2), "pool_type": pool}
            yield "Pooling", [image], {
                "kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pool_type": pool, "pooling_convention": "full",
            }  # fmt: skip
            yield "Pooling", [image], {"global_pool": True, "pool_type": pool, "kernel": (1, 1)}
        yield "smooth_l1", [x], {"scalar": 2.0}
        yield "hard_sigmoid", [x], {"alpha": 0.5, "beta": 0.1}
        yield "contrib.AdaptiveAvgPooling2D", [image], {"output_size": (2, 3)}
        yield "contrib.BilinearResize2D", [image], {"height": 3, "width": 7}
        yield "UpSampling", [image], {"scale": 2, "sample_type": "nearest"}
    for dtype in ("float64", "float32"):
        image = (dtype, (2, 4, 5, 5), "line")
        yield "Convolution", [image, (dtype, (2, 4, 3, 3), "other"), (dtype, (2,), "line")], {
            "kernel": (3, 3), "num_filter": 2, "pad": (1, 1), "stride": (2, 2),
        }  # fmt: skip
        yield "Deconvolution", [image, (dtype, (4, 2, 3, 3), "other")], {"kernel": (3, 3), "num_filter": 2}
        square = (dtype, (2, 2), "positive")
        yield "linalg.gemm2", [square, square], {"transpose_b": True, "alpha": 0.5}
        yield "linalg.syrk", [square], {"alpha": 2.0}
        yield "linalg.det", [square], {}
        yield "linalg.slogdet", [square], {}
        yield "linalg.inverse", [square], {}
        yield "linalg.extractdiag", [square], {}
        yield "linalg.makediag", [(dtype, (3,), "line")], {}
        yield "linalg.sumlogdiag", [square], {}
        yield "im2col", [image], {"kernel": (2, 2)}
        yield "GridGenerator", [(dtype, (2, 6), "line")], {"transform_type": "affine", "target_shape": (3, 3)}
    image = ("float32", (2, 4, 5, 5), "line")
    yield "contrib.MultiBoxPrior", [image], {"sizes": (0.5, 0.25), "ratios": (1.0, 2.0)}
    yield "contrib.box_iou", [("float32", (2, 4), "positive"), ("float32", (3, 4), "positive")], {}


def _updates() -> Iterator[Call]:
    states = {
        "sgd_update": 0, "sgd_mom_update": 1, "nag_mom_update": 1, "signsgd_update": 0, "signum_update": 1,
        "adam_update": 2, "ftrl_update": 2, "rmsprop_update": 1, "ftml_update": 3, "lamb_update_phase1": 2,
    }  # fmt: skip
    shape, kinds = (2, 4), ("mixed", "line", "positive", "positive", "positive")
    for name, count in states.items():
        own: dict[str, Any] = {} if "lamb" in name else {"lr": 0.125}
        own |= {"momentum": 0.75} if "mom" in name or "signum" in name else {}
        own |= {"t": 2} if name in ("ftml_update", "lamb_update_phase1") else {}
        last = {"clip_grad": 0.3} if name == "ftml_update" else {"clip_gradient": 0.3}
        for attributes in ({"wd": 0.0}, {"wd": 0.1, "rescale_grad": 0.5, **last}):
            yield name, [("float32", shape, kind) for kind in kinds[: count + 2]], {**own, **attributes}
            if name in ("sgd_update", "sgd_mom_update"):
                half = [("float16", shape, kind) for kind in kinds[:2]]
                rest = [("float32", shape, kind) for kind in kinds[2 : count + 2]]
                yield f"mp_{name}", [*half, *rest, ("float32", shape, "mixed")], {**own, **attributes}
    yield "signum_update", [("float32", shape, kind) for kind in kinds[:3]], {"lr": 0.1, "momentum": 0.5, "wd_lh": 0.1}
    yield "rmsprop_update", [("float32", shape, kind) for kind in kinds[:3]], {"lr": 0.1, "clip_weights": 0.5}
    g = ("float32", shape, "line")
    for bounds in ({}, {"lower_bound": 2.5}, {"upper_bound": 1.5}):
        norms: list[Any] = [("float32", (1,), "positive"), ("float32", (1,), "other")]
        yield "lamb_update_phase2", [("float32", shape, "mixed"), g, *norms], {"lr": 0.1, **bounds}
    numbers: dict[str, Any] = {"lrs": (0.125, 0.25), "wds": (0.1, 0.0), "num_weights": 2, "rescale_grad": 0.5}
    for width, name in enumerate(("multi_sgd_update", "multi_sgd_mom_update"), 2):
        arrays = [("float32", shape, kind) for kind in kinds[:width]]
        momentum = {"momentum": 0.75} if width == 3 else {}
        yield name, [*arrays, *arrays[::-1]], numbers | momentum
        loaded = {word: value for word, value in numbers.items() if word not in ("lrs", "wds")}
        two = [("float32", (2,), "positive"), ("float32", (2,), "line")]
        yield f"preloaded_{name}", [*arrays, *arrays[::-1], *two], loaded | momentum
    for scale in ("positive", "mixed"):
        arrays = [("float32", shape, kind) for kind in kinds[:4]]
        yield "contrib.adamw_update", [*arrays, ("float32", (1,), scale), 0.125, 0.5], {"wd": 0.1, "clip_gradient": 0.5}
    yield "multi_sum_sq", [g, ("float32", (3,), "mixed")], {"num_arrays": 2}
    yield "multi_lars", [("float32", (4,), kind) for kind in ("positive", "indices", "lengths", "line")], {
        "eta": 0.1, "eps": 0.01, "rescale_grad": 0.5,
    }  # fmt: skip
    yield "all_finite", [g], {}
    yield "multi_all_finite", [g, ("float32", (8,), "edges")], {"num_arrays": 2}


def _others() -> Iterator[Call]:
    image = ("float32", (1, 2, 5, 7), "line")
    yield "Crop", [image], {"num_args": 1, "offset": (1, 2), "h_w": (2, 3)}
    yield "Crop", [image, ("float32", (1, 1, 2, 4), "other")], {"num_args": 2, "center_crop": True}
    yield "Crop", [image, ("float32", (1, 1, 2, 4), "other")], {"num_args": 2, "offset": (2, 1)}
    yield "khatri_rao", [("float32", (2, 3), "line"), ("float32", (4, 3), "other")], {}
    yield (
        "fill_element_0index",
        [("float32", (2, 3), "line"), *[("float32", (2,), k) for k in ("other", "indices")]],
        {},
    )
    yield "SVMOutput", [("float32", (2, 3), "line"), ("float32", (2,), "indices")], {}
    yield "contrib.quadratic", [("float32", (2, 3), "line")], {"a": 1.0, "b": 2.0, "c": 3.0}
    yield "contrib.round_ste", [("float32", (8,), "mixed")], {}
    yield "contrib.sign_ste", [("float32", (8,), "mixed")], {}
    yield "contrib.gradientmultiplier", [("float32", (8,), "mixed")], {"scalar": -0.5}
    for dtype, shape in itertools.product(("float32", "float64"), ((3, 3), (2, 2, 2))):
        yield "linalg.gelqf", [(dtype, (*shape[:-2], 2, 3), "line")], {}
        if len(shape) == 2:  # symmetric by its contents
            yield "linalg.syevd", [(dtype, (2, 2), "symmetric")], {}


def seen(name: str, result: Any, arrays: list[Any]) -> Any:
    """Return what a call is compared by: of an operator that writes states its arrays, too."""
    if "_update" not in name or name == "index_update":
        return result
    return [*(result if isinstance(result, (list, tuple)) else [result]), *arrays]


def _npx_elements() -> Iterator[Call]:
    for dtype in DTYPES:
        x, positive = (dtype, (2, 3), "mixed"), (dtype, (2, 3), "positive")
        for name in (
            "relu",
            "sigmoid",
            "erf",
            "erfinv",
            "softsign",
            "stop_gradient",
            "smooth_l1",
            "shape_array",
            "digamma",
        ):
            yield name, [x], {}
        for name in ("gamma", "gammaln", "digamma"):
            yield name, [positive], {}
        yield "smooth_l1", [x], {"scalar": 2.0}
        yield "add_n", [x, positive, x], {}
        for attributes in ({}, {"axis": 0}, {"temperature": 2.0}, {"axis": 1, "dtype": "float32"}):
            yield "softmax", [x], attributes
            yield "log_softmax", [x], attributes
        mask = ("bool", (2, 3), "indices")
        for attributes in ({}, {"axis": 0}, {"temperature": 2.0}):
            yield "masked_softmax", [x, mask], attributes
            yield "masked_log_softmax", [x, mask], attributes
        for attributes in ({}, {"ord": 1}, {"axis": 1}, {"axis": (0, 1), "keepdims": True}, {"ord": 1, "axis": 0}):
            yield "norm", [x], attributes
        for word in ("relu", "sigmoid", "tanh", "softrelu", "softsign", "log_sigmoid", "mish"):
            yield "activation", [x], {"act_type": word}
        for word in ("leaky", "elu", "selu", "gelu"):
            yield "leaky_relu", [x], {"act_type": word}
        yield "leaky_relu", [(dtype, (2, 4, 3), "mixed"), (dtype, (4,), "positive")], {"act_type": "prelu"}
        for to in DTYPES:
            yield "cast", [x], {"dtype": to}


def _npx_look_ups() -> Iterator[Call]:
    for dtype, where in itertools.product(DTYPES, ("indices", "outside")):
        x, kept = ("float32", (3, 4), "line"), (dtype, (3,), where)
        yield "embedding", [(dtype, (2, 2), where), ("float32", (3, 2), "line")], {"input_dim": 3, "output_dim": 2}
        for attributes in ({}, {"mode": "wrap"}, {"keepdims": True}):
            yield "pick", [x, kept], attributes
        yield "pick", [x, (dtype, (4,), where)], {"axis": 0}
        yield "one_hot", [kept], {"depth": 3}
        yield "one_hot", [kept], {"depth": 3, "on_value": 2.5, "off_value": -1.0, "dtype": "int32"}
    for dtype in DTYPES:
        yield "pick", [(dtype, (2, 3), "mixed"), ("int32", (2,), "indices")], {}
        yield "gather_nd", [(dtype, (3, 2), "mixed"), ("int64", (1, 2), "indices")], {}
        places, values = ("int32", (1, 2), "indices"), (dtype, (2, 2), "other")
        yield "index_add", [(dtype, (3, 2), "mixed"), places, values], {}
        yield "index_update", [(dtype, (3, 2), "mixed"), places, values], {}
        for attributes in (
            {}, {"k": 2}, {"k": 1, "axis": 0}, {"ret_typ": "value"}, {"ret_typ": "both", "k": 2},
            {"ret_typ": "mask", "k": 2}, {"is_ascend": True, "k": 2}, {"dtype": "int32"}, {"axis": None, "k": 3},
        ):  # fmt: skip
            yield "topk", [(dtype, (2, 4), "positive")], attributes


def _npx_shapes() -> Iterator[Call]:
    for dtype in DTYPES:
        x = (dtype, (2, 3, 4), "line")
        for shape in ((-2, -1), (-4,), (-5, -2), (-6, 1, 2, -4), (4, 6), (-1,), (-2, -2, -6, 2, 2), (-2, -4)):
            yield "reshape", [x], {"newshape": shape}
        yield "reshape", [x], {"newshape": (-1, -2), "reverse": True}
        yield "reshape_like", [(dtype, (2, 3), "line"), (dtype, (3, 2), "other")], {}
        yield "reshape_like", [x, (dtype, (3, 2), "other")], {"lhs_begin": 0, "lhs_end": 2}
        yield "batch_flatten", [x], {}
        yield "slice", [x], {"begin": (0, 1), "end": (2, 3)}
        yield "slice", [x], {"begin": (None, 2), "end": (None, None), "step": (1, -1)}
        yield "slice_like", [(dtype, (4, 3), "mixed"), (dtype, (2, 3), "other")], {"axes": (0,)}
        yield "broadcast_like", [(dtype, (1, 3), "line"), (dtype, (2, 3), "other")], {}
        for attributes in ({}, {"axis": 1}, {"start": 2, "step": 0.5}, {"repeat": 2, "axis": 2}):
            yield "arange_like", [x], attributes
        yield "sequence_mask", [x, ("float32", (3,), "indices")], {"use_sequence_length": True, "value": -1.0}
        yield "sequence_last", [x, ("float32", (3,), "lengths")], {"use_sequence_length": True}
        yield "sequence_reverse", [x, ("float32", (3,), "indices")], {"use_sequence_length": True}
        for name in ("sequence_mask", "sequence_last", "sequence_reverse"):
            yield name, [x], {}
        widths = (0, 0, 0, 0, 1, 1, 1, 0)
        yield "pad", [(dtype, (1, 1, 2, 3), "line")], {
            "mode": "constant", "pad_width": widths, "constant_value": 2.0,
        }  # fmt: skip
        for mode in ("edge", "reflect"):
            yield "pad", [(dtype, (1, 1, 2, 3), "line")], {"mode": mode, "pad_width": widths}


def _npx_layers() -> Iterator[Call]:
    for dtype in FLOATS:
        x, image = (dtype, (2, 6), "line"), (dtype, (2, 4, 5, 5), "line")
        of_channels, weight = [(dtype, (4,), "positive"), (dtype, (4,), "mixed")], (dtype, (3, 6), "other")
        yield "fully_connected", [x, weight, (dtype, (3,), "line")], {"num_hidden": 3, "no_bias": False}
        yield "fully_connected", [(dtype, (2, 2, 6), "line"), weight], {
            "num_hidden": 3, "no_bias": True, "flatten": False,
        }  # fmt: skip
        for attributes in ({}, {"transpose_b": True}, {"transpose_a": True, "transpose_b": True}):
            first = (2, 3, 2) if "transpose_a" in attributes else (2, 2, 3)
            second = (2, 2, 3) if "transpose_b" in attributes else (2, 3, 2)
            yield "batch_dot", [(dtype, first, "line"), (dtype, second, "other")], attributes
        yield "layer_norm", [image, (dtype, (5,), "positive"), (dtype, (5,), "mixed")], {}
        yield "layer_norm", [image, *of_channels], {"axis": 1, "eps": 0.1}
        yield "instance_norm", [image, *of_channels], {}
        yield "group_norm", [image, *of_channels], {"num_groups": 2}
        for attributes in ({}, {"fix_gamma": False, "eps": 0.1}, {"use_global_stats": True, "fix_gamma": False}):
            yield "batch_norm", [image, *of_channels, (dtype, (4,), "line"), (dtype, (4,), "positive")], attributes
        for pool in ("max", "avg", "sum", "lp"):
            extra: dict[str, Any] = {"p_value": 2} if pool == "lp" else {}
            yield "pooling", [image], {"kernel": (2, 2), "stride": (2, 2), "pool_type": pool, **extra}
            yield "pooling", [image], {
                "kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pool_type": pool, "pooling_convention": "full", **extra,
            }  # fmt: skip
            yield "pooling", [image], {"global_pool": True, "pool_type": pool, "kernel": (1, 1), **extra}
        yield "pooling", [image], {
            "kernel": (2, 2), "pad": (1, 1), "pool_type": "avg", "count_include_pad": False,
        }  # fmt: skip
        attended = {
            "interleaved_matmul_selfatt_qk": [(3, 2, 12)],
            "interleaved_matmul_selfatt_valatt": [(3, 2, 12), (4, 3, 3)],
            "interleaved_matmul_encdec_qk": [(3, 2, 4), (5, 2, 8)],
            "interleaved_matmul_encdec_valatt": [(5, 2, 8), (4, 3, 5)],
        }
        for name, shapes in attended.items():
            yield name, [(dtype, shape, "line") for shape in shapes], {"heads": 2}
    for dtype in ("float64", "float32"):
        image = (dtype, (2, 4, 5, 5), "line")
        yield "convolution", [image, (dtype, (2, 4, 3, 3), "other"), (dtype, (2,), "line")], {
            "kernel": (3, 3), "num_filter": 2, "pad": (1, 1), "stride": (2, 2),
        }  # fmt: skip
        yield "convolution", [image, (dtype, (4, 2, 3, 3), "other")], {
            "kernel": (3, 3), "num_filter": 4, "num_group": 2, "dilate": (2, 2), "no_bias": True,
        }  # fmt: skip
        yield "deconvolution", [image, (dtype, (4, 2, 3, 3), "other")], {
            "kernel": (3, 3), "num_filter": 2, "no_bias": True, "stride": (2, 2), "adj": (1, 1),
        }  # fmt: skip
        yield "roi_pooling", [image, (dtype, (2, 5), "indices")], {"pooled_size": (2, 2), "spatial_scale": 1.0}
    image = ("float32", (2, 4, 5, 5), "line")
    yield "multibox_prior", [image], {"sizes": (0.5, 0.25), "ratios": (1.0, 2.0)}
    yield "ctc_loss", [("float32", (4, 2, 3), "line"), ("float32", (2, 2), "lengths")], {}


def npx_calls() -> list[Call]:
    """Return all calls of MXNet 2's `npx`, each once."""
    every = [call for family in (_npx_elements, _npx_look_ups, _npx_shapes, _npx_layers) for call in family()]
    return list({key(call): call for call in every}.values())


def calls() -> list[Call]:
    """Return all calls of MXNet 1's `nd`, each once."""
    every = [
        call
        for family in (_unary, _binary, _reductions, _look_ups, _shapes, _layers, _updates, _others)
        for call in family()
    ]
    return list({key(call): call for call in every}.values())


_OF_TWO = (
    "x + y", "x - y", "x * y", "x / y", "x % y", "x == y", "x != y", "x < y", "x <= y", "x > y", "x >= y",
    "(x > 0) + (x > y)", "1 - (x > y)", "(x == y).mean()", "operator.iadd(x, y)", "operator.isub(x, y)",
    "operator.imul(x, y)", "operator.itruediv(x, y)", "x.broadcast_like(y)", "x.reshape_like(y)", "x.slice_like(y)",
)  # fmt: skip
_OF_ONE = (
    "x + 2.5", "2.5 + x", "x - 2.5", "2.5 - x", "x * 2.5", "2.5 * x", "x / 2", "x / 2.5", "x % 2", "x % 2.5",
    "x ** 2", "x == 1", "1 == x", "x != 1", "x > 1.5", "x >= 1", "x < 1", "1.5 > x", "-x", "abs(x)", "x[0, 1]", "x[0]",
    "x[0][1]", "x[-1, -1]", "x[:, 1]", "x[0:1, 1]", "x[..., 0]", "x[None]", "x[[0, 1], [2, 0]]", "x[1:, ::2]",
    "[row for row in x]", "[one for one in x[0]]", "operator.iadd(x, 2.5)", "operator.imul(x, 2.5)",
    "operator.itruediv(x, 2)", "x.sum()", "x.sum(axis=1)", "x.sum(axis=(0, 1))", "x.sum(axis=())",
    "x.sum(axis=0, exclude=True)", "x.sum(axis=1, keepdims=True)", "x.mean()", "x.mean(axis=0)", "x.max()",
    "x.max(axis=1)", "x.min()", "x.min(axis=0, keepdims=True)", "x.prod()", "x.nansum()", "x.nanprod()",
    "x.norm(ord=1)", "x.argmax()", "x.argmax(axis=1)", "x.argmin(axis=0)", "x.argmax_channel()", "x.argsort()",
    "x.argsort(axis=0, is_ascend=False)", "x.sort()", "x.sort(axis=0, is_ascend=False)", "x.topk(k=2)",
    "x.topk(k=2, ret_typ='value')", "x.flatten()", "x.expand_dims(0).flatten()", "x.round()", "x.rint()", "x.fix()",
    "x.floor()", "x.ceil()", "x.trunc()", "x.sign()", "x.abs()", "x.square()", "x.exp()", "x.sin()", "x.tanh()",
    "x.sigmoid()", "x.relu()", "x.softmax()", "x.softmax(axis=0)", "x.log_softmax()", "x.arctan()", "x.cbrt()",
    "x.clip(0.5, 2.5)", "x.clip(-1, 1)", "x.repeat(2)", "x.repeat(2, axis=1)", "x.split(3)", "x.split(2, axis=0)",
    "x.split(2, axis=0, squeeze_axis=True)", "x.tile(2)", "x.tile((2, 1))", "x.transpose()", "x.transpose((1, 0))",
    "x.T", "x.swapaxes(0, 1)", "x.flip(axis=1)", "x.reshape(-1)", "x.reshape(3, 2)", "x.reshape((0, -1))",
    "x.reshape((-3,))", "x.reshape((-4, 1, -1, 0))", "x.reshape(shape=(0, 1, -1))", "x.expand_dims(1)", "x.squeeze()",
    "x.slice((0, 1), (2, 3))", "x.slice_axis(1, 0, 2)", "x.diag()", "x.broadcast_to((2, 3))",
    "x.expand_dims(0).broadcast_axes(axis=0, size=2)", "x.zeros_like()", "x.ones_like()", "x.shape_array()",
    "x.size_array()", "x.copy()", "x.astype('int32') / 2", "x.astype('float32').mean()", "x.detach()", "x.take(x * 0)",
    "x.one_hot(3)", "x.pick(x.max(axis=1) * 0)",
)  # fmt: skip
_OF_POSITIVE = (
    "2 ** x", "x ** x", "2 / (x + 1)", "7 % (x + 1)", "x.sqrt()", "(x + 1).log()", "(x + 1).rsqrt()", "(x + 1).log2()",
    "(x + 1).reciprocal()",
)  # fmt: skip


def expressions() -> list[Call]:
    """Return expressions of arrays that `nd` makes: operators, indices and methods."""
    every: list[Call] = []
    for dtype in DTYPES:
        x = (dtype, (2, 3), "mixed")
        every += [(one, [x, (dtype, (2, 3), "other")], {}) for one in _OF_TWO]
        every += [(one, [x, (dtype, (1, 3), "other")], {}) for one in _OF_TWO[:13]]
        every += [(one, [x], {}) for one in _OF_ONE]
        every += [(one, [(dtype, (2, 3), "positive")], {}) for one in _OF_POSITIVE]
    return every


def function_of(face: Any, name: str) -> Any:
    """Return a function of a face by its name; without a face, an expression of `x` and `y` as one."""
    if face is None:
        return eval(f"lambda x, y=None: {name}", {"operator": operator})
    for word in name.split("."):
        face = getattr(face, word)
    return face


SURFACES = {
    "1.9.1": ("nd", calls, "mxnet_1_9_1.json.gz"), "2.0.0b1": ("npx", npx_calls, "mxnet_2_0_0.json.gz"),
    "1.9.1-expressions": ("", expressions, "mxnet_1_9_1_expressions.json.gz"),
}  # fmt: skip
"""For each release the surface that it is asked for, the calls, and the file of the results."""


def key(call: Call) -> str:
    """Return a call as a line of text."""
    name, operands, attributes = call
    shown = [
        f"{one[0]}{list(one[1])}{one[2]}" if isinstance(one, tuple) else repr(one)
        for one in operands
    ]  # fmt: skip
    return f"{name}({', '.join([*shown, *(f'{word}={value!r}' for word, value in attributes.items())])})"


def stored(results: dict[str, Any]) -> str:
    """Return results as text: one line each, so that files of them differ where results do."""
    return "\n".join(json.dumps([name, value]) for name, value in results.items()) + "\n"
