# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators in files: each is a function of `nd`, `np` or `npx`, whose keywords are the operator's attributes.

An operator is found by its name: `_contrib_X` and `_linalg_X` in the groups of `nd`, `_npi_X` and `_np_X` in `np`,
`_npx_X` in `npx`, everything else in `nd`. The rows here are those whose names or attributes are others. Which of a
function's parameters are arrays is told by their names. Attributes that a function does not have are without effect on
values: what users wrote there, and settings of MXNet's libraries.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hybridize import ndarray as nd
from hybridize.array import legacy_rules, legacy_updates, np, npx
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.mxnet.attributes import parse_value
from hybridize.formats.mxnet.symbol import LABELLED, SymbolNode
from hybridize.formats.mxnet.words import PAIRS
from hybridize.symbol.operators import OPERATORS

Function = Callable[..., Any]

ARRAYS = frozenset((
    "A", "B", "C", "a", "anchor", "anchors", "array", "ary", "attention", "b", "base", "beta", "bias", "cls_pred",
    "cls_prob", "condition", "data", "data1", "data2", "data_lengths", "dilation", "exp", "gamma", "grid", "index",
    "index_vector", "indices", "key", "keys_values", "label", "label_lengths", "length", "lhs", "like", "loc",
    "loc_pred", "mask", "matches", "means", "mhs", "moving_mean", "moving_var", "new", "new_tensor", "offset",
    "old", "old_tensor", "parameters", "queries", "queries_keys_values", "query", "refs", "rhs", "rois", "samples",
    "score", "sequence_length", "shape_like", "state", "state_cell", "stds", "tensor", "valid_length", "value",
    "weight", "x", "x1", "x2", "y",
))  # fmt: skip
"""Names of parameters that are arrays, where they have no default, or None, and may be given by position."""
_WITHOUT_EFFECT = frozenset(("ctx", "cudnn_off", "cudnn_tune", "sparse_grad", "workspace"))
_UNREAD = frozenset(("output_mean_var", "output_size", "lhs_axes", "rhs_axes", "use_length", "infer_range", "step"))
"""Attributes of MXNet 1 that change values, where functions do not have them."""
_LONGEST = 80
_NUMPY_WORDS = (
    "equal", "not_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "add", "subtract",
    "multiply", "true_divide", "mod", "power", "maximum", "minimum", "hypot", "less", "less_equal",
)  # fmt: skip
_NUMPY_REVERSED = ("subtract", "true_divide", "mod", "power")
_RENAMED = {
    "BlockGrad": "stop_gradient", "IdentityAttachKLSparseReg": "identity", "Pooling_v1": "Pooling", "_copy": "identity",
    "_copyto": "identity", "_npi_absolute": "abs", "_rnn_param_concat": "concat", "amp_cast": "cast",
}  # fmt: skip


def _with_number(function: Function, reverse: bool, weak: bool) -> Function:
    """An operator on an array and a number; `weak`: an integer beside `np`'s arrays is one only if the file says so."""

    def call(data: Any, scalar: float = 1.0, is_int: bool | None = None) -> Any:
        number: Any = scalar
        if weak:
            whole = isinstance(scalar, int) if is_int is None else is_int
            number = int(scalar) if whole else float(scalar)
        return function(number, data) if reverse else function(data, number)

    return call


def _rnn(data: Any, parameters: Any, *rest: Any, **keywords: Any) -> Any:
    """States that the file begins with zeros are not among the inputs: see `formats.mxnet.symbol.without_zeros`."""
    if keywords.get("use_sequence_length") and rest:
        rest, keywords = rest[:-1], {**keywords, "sequence_length": rest[-1]}
    return npx.rnn(data, parameters, *rest, **keywords)


def _split_at(
    data: Any, indices: Any = (), axis: int = 1, squeeze_axis: bool = False, sections: int = 0,
    indices_or_sections: Any = None,
) -> Any:  # fmt: skip
    """Parts that begin at indices, of which the first is 0, or equal ones."""
    ends = indices if isinstance(indices, (tuple, list)) else (indices,)
    cuts = indices_or_sections if indices_or_sections is not None else sections or tuple(ends)[1:]
    return nd.split_v2(data, cuts, axis, squeeze_axis)


def _split_np(data: Any, num_outputs: int = 0, axis: int = 1, squeeze_axis: bool = False, **keywords: Any) -> Any:
    if num_outputs:
        return nd.split(data, num_outputs, axis, squeeze_axis)
    return _split_at(data, axis=axis, squeeze_axis=squeeze_axis, **keywords)


def _added_at(data: Any, indices: Any, shape: Any) -> Any:
    """Zeros to which is added at points: the gradient of `gather_nd`."""
    points = indices if indices.ndim > 1 else np.expand_dims(indices, 1)
    return npx.index_add(np.zeros(shape, data.dtype), points, data)


def _constant(value: float | None, np_shape: bool) -> Function:
    """An operator that makes an array of one value, of a shape whose sizes are known."""

    def filled(shape: Any, *, value: Any, dtype: Any = "float32") -> Any:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        if any(size < 0 or (size == 0 and not np_shape) for size in sizes):
            raise ValueError(f"shape={sizes} has a size that is not known")
        return np.full(sizes, value, dtype)

    if value is None:
        return filled
    return lambda shape=(), dtype="float32": filled(shape, value=value, dtype=dtype)


_MOST = 1 << 28


def _arange(
    start: float = 0, stop: float | None = None, step: float = 1, repeat: int = 1, infer_range: bool = False,
    dtype: Any = "float32",
) -> Any:  # fmt: skip
    first, last = (0, start) if stop is None else (start, stop)
    if not step or not abs((last - first) / step) * repeat <= _MOST:
        raise ValueError(f"a range from {first} to {last} by {step}")
    return nd.arange(start, stop, step, repeat, infer_range, dtype=dtype)


@cache
def _rows() -> Mapping[str, Function]:
    """Operators whose names or attributes are not those of a function."""
    rows: dict[str, Function] = {op: getattr(nd, word) for op, word in _RENAMED.items()}
    for word, names in PAIRS.items():
        function = getattr(nd, word)
        rows[f"_{word}"] = legacy_rules.of_equal_shapes(function)
        rows[names.scalar] = _with_number(function, False, False)
        if names.reverse.startswith("_r"):  # else it is that of another word
            rows[names.reverse] = _with_number(function, True, False)
    for word in _NUMPY_WORDS:
        rows[f"_npi_{word}_scalar"] = _with_number(getattr(np, word), False, True)
    for word in _NUMPY_REVERSED:
        rows[f"_npi_r{word}_scalar"] = _with_number(getattr(np, word), True, True)
    return rows | {
        "RNN": _rnn, "_backward_gather_nd": _added_at, "_grad_add": nd.elemwise_add, "_split_v2": _split_at,
        "_npi_split": _split_np, "_npi_reshape": npx.reshape, "arange_like": npx.arange_like,
        "_arange": _arange, "_npi_arange": _arange,
        "_npi_concatenate": lambda *data, axis=1, dim=None: np.concatenate(data, axis if dim is None else dim),
        "_npi_stack": lambda *data, axis=0: np.stack(data, axis),
        "_npi_where_lscalar": lambda condition, x, scalar=0.0: np.where(condition, scalar, x),
        "_npi_where_rscalar": lambda condition, x, scalar=0.0: np.where(condition, x, scalar),
        "_npx_group_norm": nd.GroupNorm,
    }  # fmt: skip


_CONSTANTS = {"_zeros": 0, "_ones": 1, "_full": None}
_NUMPY = frozenset((
    "abs", "add", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax",
    "argmin", "around", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_to", "cbrt", "ceil",
    "clip", "copy", "copysign", "cos", "cosh", "cross", "cumsum", "degrees", "deg2rad", "diff", "dot", "equal", "exp",
    "expand_dims", "expm1", "fix", "floor", "floor_divide", "fmax", "fmin", "fmod", "full_like", "greater",
    "greater_equal", "hypot", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "kron", "lcm", "ldexp", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "matmul", "max", "maximum", "mean", "min", "minimum", "mod", "moveaxis", "multiply",
    "nan_to_num", "negative", "not_equal", "ones_like", "power", "prod", "rad2deg", "radians", "reciprocal", "repeat",
    "rint", "roll", "sign", "sin", "sinh", "sqrt", "square", "squeeze", "std", "subtract", "sum", "tan", "tanh",
    "tile", "transpose", "true_divide", "trunc", "var", "where", "zeros_like",
))  # fmt: skip
"""Functions of `np` whose attributes in files are their parameters."""
_NUMPY_EXTENSION = frozenset((
    "activation", "batch_flatten", "convolution", "deconvolution", "deformable_convolution", "dropout",
    "fully_connected", "gather_nd", "gelu", "layer_norm", "leaky_relu", "log_softmax", "masked_log_softmax",
    "masked_softmax", "modulated_deformable_convolution", "multibox_prior", "one_hot", "pick", "relu", "reshape",
    "reshape_like", "roi_pooling", "sigmoid", "smooth_l1", "softmax", "stop_gradient", "topk", "arange_like",
    "broadcast_like", "embedding", "erf", "erfinv", "gamma", "gammaln", "rnn",
))  # fmt: skip
"""Functions of `npx` whose attributes in files are their parameters."""
GROUPS: dict[str, Callable[[], Any]] = {
    "_contrib_": lambda: nd.contrib, "_image_": lambda: nd.image, "_linalg_": lambda: nd.linalg,
}  # fmt: skip
"""Groups of functions of `nd`, by how their operators begin."""
_NUMPY_GROUPS = {"_npi_": (np, _NUMPY), "_np_": (np, _NUMPY), "_npx_": (npx, _NUMPY_EXTENSION)}
_RANDOM = ("random_", "sample_", "shuffle", "_random_", "_sample_", "_shuffle")
"""Beginnings of operators that draw numbers, whose shapes and generators files say in other ways."""
_NO_OPERATORS = frozenset((
    "Custom", "array", "concatenate", "empty", "exponential", "from_numpy", "full_like", "histogram", "load",
    "meshgrid", "normal", "onehot_encode", "poisson", "randn", "save", "split_v2", "uniform", "waitall",
    *legacy_updates.FUNCTIONS, *legacy_updates.CONTRIB,
))  # fmt: skip
"""Functions of `nd` that are no operators of MXNet's files."""


def function_of(op: str, np_shape: bool = False) -> Function | None:
    """Return the function that an operator is; None where there is none.

    Args:
        op: the operator's name in files.
        np_shape: True if the file means sizes of 0 as they are; else they are not known.
    """
    constant = op.replace("_npi_", "_")
    if constant in _CONSTANTS:
        return _constant(_CONSTANTS[constant], np_shape)
    if op in _rows():
        return _rows()[op]
    if op.startswith(_RANDOM):
        return None
    for start, (room, names) in _NUMPY_GROUPS.items():
        if op.startswith(start):
            name = op.removeprefix(start)
            return getattr(room, name) if name in names else None
    for start, group in GROUPS.items():
        if op.startswith(start):
            return _public(group(), op.removeprefix(start))
    return _public(nd, op) or (_public(nd, op[1:]) if op.startswith("_") else None)


def _public(room: Any, name: str) -> Function | None:
    if not name or name.startswith("_") or name in _NO_OPERATORS:
        return None
    try:
        member = getattr(room, name)
    except AttributeError:
        return None
    return member if callable(member) and not isinstance(member, type) else None


@frozen
class Parameters:
    """Inputs and attributes of an operator."""

    leading: int
    """Arrays that come first."""
    later: tuple[str, ...]
    """Arrays behind attributes, by name."""
    least: int
    most: float
    required: tuple[str, ...]
    """Attributes that have no default."""
    attributes: frozenset[str] | None
    """None: any."""


@cache
def parameters_of(op: str) -> Parameters | None:
    """Return what an operator takes; None where it is not known."""
    function = function_of(op)
    if function is None:
        return None
    leading, least, most = 0, 0, 0.0
    later: list[str] = []
    required: list[str] = []
    attributes: set[str] | None = set()
    for parameter in inspect.signature(function).parameters.values():
        needed = parameter.default is parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            least, most = (least if most else max(least, 1)), math.inf
        elif parameter.kind is parameter.VAR_KEYWORD:
            attributes = None
        elif (
            parameter.name in ARRAYS
            and parameter.default in (None, parameter.empty)
            and parameter.kind is not parameter.KEYWORD_ONLY
        ):
            optional = not needed or (op in LABELLED and parameter.name == "label")
            least, most = least + (not optional), most + 1
            if attributes or later:
                later.append(parameter.name)
            else:
                leading += 1
        else:
            if attributes is not None:
                attributes.add(parameter.name)
            required += [parameter.name] if needed else []
    known = None if attributes is None else frozenset(attributes)
    return Parameters(leading, tuple(later), least, most, tuple(required), known)


class FileOperator:
    """An operator of a file, as a function of arrays.

    Args:
        node: of the file.
        source: the file.
        np_shape: as in `function_of`.

    Raises:
        LoadError E603: the message names operator, node, and the attribute or the number of inputs.
    """

    attributes: dict[str, str]
    op: str

    def __init__(self, node: SymbolNode, source: str, np_shape: bool) -> None:
        self.op, self.attributes = node.op, node.attributes
        self._where = f"{source}: operator {node.op}, node {node.name!r}"
        function, takes = function_of(node.op, np_shape), parameters_of(node.op)
        assert function is not None
        assert takes is not None
        self._function, self._takes = function, takes
        self.keywords: dict[str, Any] = self._keywords(node.attributes)
        """Attributes as values."""
        self._check_inputs(len(node.inputs))

    def _keywords(self, attributes: Mapping[str, str]) -> dict[str, Any]:
        known = self._takes.attributes
        keywords: dict[str, Any] = {}
        for name, text in attributes.items():
            if name.startswith("__") or name == "num_args":
                continue
            if known is not None and name not in known:
                self._check_absent(name, text.strip())
                continue
            value = self._value(name, text.strip())
            if value is not None or name not in ("dtype", "ctx"):
                keywords[name] = value
        for name in self._takes.required:
            if name not in keywords:
                raise LoadError("E603", f"{self._where}: the attribute {name} is missing")
        return keywords

    def _check_absent(self, name: str, text: str) -> None:
        """Refuse an attribute that the function does not have, but for those that change no value.

        Files of MXNet 1 have what users noted among the attributes.
        """
        noted = not self.op.startswith("_np") and name not in _UNREAD
        if not (noted or name in _WITHOUT_EFFECT or text in ("None", "False", "0", "()")):
            raise LoadError("E603", f"{self._where}: {name}={text[:_LONGEST]} is not supported")

    def _value(self, name: str, text: str) -> Any:
        try:
            return parse_value(text)
        except ValueError:
            if text[:1].isalpha() and len(text) <= _LONGEST:
                return text
        raise LoadError("E603", f"{self._where}: {name} cannot be read, got {text[:_LONGEST]!r}")

    def _check_inputs(self, count: int) -> None:
        least, most = self._takes.least, self._takes.most
        if not least <= count <= most:
            takes = (
                f"{least}" if least == most else f"{least} or more" if most == math.inf else f"{least} to {most:.0f}"
            )
            inputs = "input" if takes == "1" else "inputs"
            raise LoadError("E603", f"{self._where}, takes {takes} {inputs}, the file gives {count}")
        operator = OPERATORS.get(self.op)
        if operator is not None and "bias" in operator.arrays[count:] and operator.takes("bias", self.keywords):
            raise LoadError("E603", f"{self._where}: it has no bias, and no_bias is not set")

    def __call__(self, *arrays: Any) -> Any:
        """Apply it.

        Raises:
            LoadError E603: its attributes do not fit its inputs.
        """
        leading = arrays if self._takes.most == math.inf else arrays[: self._takes.leading]
        later = dict(zip(self._takes.later, arrays[len(leading) :], strict=False))
        try:
            return self._function(*leading, **later, **self.keywords)
        except HybridizeError as error:
            if not error.what.startswith(self._where):
                error.what = f"{self._where}: {error.what}"
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, MemoryError) as error:
            attributes = ", ".join(f"{name}={text}" for name, text in self.attributes.items())
            what = f"{self._where}: its attributes {attributes:.200} do not fit its inputs ({error!r:.200})"
            raise LoadError("E603", what) from error
