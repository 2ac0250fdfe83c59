# SPDX-License-Identifier: Apache-2.0
"""A jaxpr as plain data: a `ForeignProgram`, each node with the user's line."""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import jax
import numpy
from jax.extend import core
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dtypes import CODES, uint32
from hybridize.base.errors import CaptureError
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Node, Port
from hybridize.formats.jaxpr.rows import JAXPR
from hybridize.jax import internals
from hybridize.jax.arrays import is_key
from hybridize.system.interruptions import let_through

Sizes = Mapping[str, Any]
"""Dims by the names that JAX has for them."""
_LARGE: Final = 1024
"""Elements from which a constant of the jaxpr is an operand of its own."""
_MODES: Final = {"clip": "clip", "fill_or_drop": "fill", "promise_in_bounds": "promise_in_bounds"}
_REFUSED: Final = {
    "pure_callback": "calls Python", "io_callback": "calls Python", "debug_callback": "calls Python",
    "debug_print": "prints", "custom_call": "calls foreign code", "ffi_call": "calls foreign code",
}  # fmt: skip


def program_of(name: str, closed: Any, sizes: Sizes) -> tuple[ForeignProgram, list[str]]:
    """Return a closed jaxpr as a program, and the names of its inputs.

    Args:
        name: of the function, for messages.
        closed: the jaxpr with its constants.
        sizes: dims that stand for the sizes that JAX does not know.

    Raises:
        CaptureError E420: a primitive that has no row, at the user's line.
    """
    reader = _Reader(sizes)
    graph = reader.graph(closed.jaxpr, closed.consts)
    weights = {key: array for key, array in graph.constants.items() if array.size > _LARGE}
    small = {key: array for key, array in graph.constants.items() if key not in weights}
    graph = ForeignGraph(graph.inputs, graph.nodes, graph.outputs, small, graph.declared)
    return ForeignProgram(name, JAXPR, graph, weights=weights), [port.name for port in graph.inputs]


class _Reader:
    """Makes graphs of jaxprs; one that is met again is made once.

    Args:
        sizes: dims by the names that JAX has for them.
    """

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._graphs: dict[tuple[int, bool], tuple[Any, ForeignGraph]] = {}
        self._names: dict[Any, str] = {}
        self._count = 0
        self.of_gradient = False
        """True within the gradient of a function with a rule of its own."""

    def graph(self, jaxpr: Any, constants: Sequence[Any]) -> ForeignGraph:
        """Return a jaxpr with its constants."""
        key = id(jaxpr), self.of_gradient
        if not constants and key in self._graphs:
            return self._graphs[key][1]
        arrays: dict[str, NDArray[Any]] = {
            self._name(variable): _constant(value) for variable, value in zip(jaxpr.constvars, constants, strict=True)
        }
        declared: dict[str, Port] = {}
        nodes = tuple(self._node(equation, arrays, declared) for equation in jaxpr.eqns)
        inputs = tuple(_port(self._name(variable), variable.aval) for variable in jaxpr.invars)
        outputs = tuple(_port(self._read(variable, arrays), variable.aval) for variable in jaxpr.outvars)
        graph = ForeignGraph(inputs, nodes, outputs, arrays, declared)
        self._graphs[key] = jaxpr, graph  # the jaxpr, too, so that its number stays its own
        return graph

    def _name(self, variable: Any) -> str:
        name = self._names.get(variable)
        if name is None:
            name = self._names[variable] = f"v{len(self._names)}"
        return name

    def _read(self, variable: Any, arrays: dict[str, NDArray[Any]]) -> str:
        """The name of a variable, or that of a constant for a number that stands in its place."""
        if not isinstance(variable, core.Literal):
            return self._name(variable)
        self._count += 1
        name = f"c{self._count}"
        arrays[name] = numpy.asarray(variable.val, variable.aval.dtype)
        return name

    def _node(self, equation: Any, arrays: dict[str, NDArray[Any]], declared: dict[str, Port]) -> Node:
        word = equation.primitive.name
        loc = internals.location(equation)
        known = JAXPR.find(word, 0) is not None
        composition = None if known or word in _REFUSED else self._composition(equation)
        if not known and composition is None:
            what = _REFUSED.get(word)
            raise CaptureError(
                "E420", f"{word} of JAX {what}, which no program does" if what else f"{word} of JAX is not supported",
                loc=loc, help="keep it outside of the function that is hybridized",
            )  # fmt: skip
        inputs = tuple(self._read(variable, arrays) for variable in equation.invars)
        outputs = []
        for variable in equation.outvars:
            dropped = type(variable).__name__ == "DropVar"
            outputs.append("" if dropped else self._name(variable))
            if not dropped:
                declared[outputs[-1]] = _port(outputs[-1], variable.aval)
        if composition is not None:
            return Node("jit", inputs, tuple(outputs), {"jaxpr": composition, "name": word}, word, loc=loc)
        attributes = self._attributes(equation)
        return Node(word, inputs, tuple(outputs), attributes, str(attributes.get("name", "")), loc=loc)

    def _composition(self, equation: Any) -> ForeignGraph | None:
        """Return the program of other primitives that JAX itself has for one."""
        function = internals.composition(equation)
        if function is None:
            return None
        avals = [jax.ShapeDtypeStruct(x.aval.shape, x.aval.dtype) for x in equation.invars]
        closed = jax.make_jaxpr(function)(*avals)
        return self.graph(closed.jaxpr, closed.consts)

    def _attributes(self, equation: Any) -> dict[str, Any]:
        params = equation.params
        special = _SPECIAL.get(equation.primitive.name)
        if special is not None:
            params = special(self, equation)
        attributes = {name: self.value(value) for name, value in params.items()}
        attributes = {name: value for name, value in attributes.items() if value is not None}
        keys = [_has_words(variable.aval) for variable in (*equation.invars, *equation.outvars)]
        if any(keys) and equation.primitive.name in _OF_WORDS:
            attributes |= _OF_WORDS[equation.primitive.name](attributes, equation)
        return attributes

    def value(self, value: Any) -> Any:
        """Return a parameter of an equation as plain data; of what is none, the name of its class."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, numpy.integer)):
            return int(value)
        if isinstance(value, (float, numpy.floating)):
            return float(value)
        if dims_of(value):
            return size_of(value, self._sizes)
        if isinstance(value, ForeignGraph):
            return value
        if isinstance(value, core.ClosedJaxpr):
            return self.graph(value.jaxpr, value.consts)
        if isinstance(value, core.Jaxpr):
            return self.graph(value, ())
        if isinstance(value, enum.Enum):
            return _MODES.get(value.name.lower(), int(value.value) if isinstance(value.value, int) else value.name)
        if isinstance(value, (tuple, list)):
            return tuple(self.value(one) for one in value)
        if isinstance(value, core.Primitive):
            return value.name
        dtype = getattr(value, "dtype", value) if not isinstance(value, type) else value
        try:
            kind = numpy.dtype(dtype)
        except TypeError:
            return f"a {type(value).__name__}"
        return kind.name if kind in CODES else f"a {type(value).__name__}"


def dims_of(value: Any) -> bool:
    """Tell whether a value is a size that JAX does not know."""
    return jax.export.is_symbolic_dim(value) if hasattr(jax.export, "is_symbolic_dim") else hasattr(value, "_evaluate")


def size_of(size: Any, sizes: Sizes) -> Any:
    """Return a size of JAX's as one of ours: an int, or a dim.

    Raises:
        ValueError: it is computed in a way that ours have not.
    """
    if isinstance(size, (int, numpy.integer)):
        return int(size)
    return _computed(ast.parse(str(size).replace("^", "**"), mode="eval").body, sizes)


_BINARY: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_CALLS: Final[Mapping[str, Callable[..., Any]]] = {
    "floordiv": operator.floordiv, "mod": operator.mod, "max": dims.maximum,
    "min": lambda x, y: -dims.maximum(-x, -y), "non_negative": lambda x: dims.maximum(x, 0),
}  # fmt: skip


def _computed(tree: ast.expr, sizes: Sizes) -> Any:
    """The value of the text of a size, as JAX writes it: `floordiv(b + 1, 2)*c^2 - 1`."""
    match tree:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in sizes:
            return sizes[name]
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -_computed(x, sizes)
        case ast.UnaryOp(op=ast.UAdd(), operand=x):
            return _computed(x, sizes)
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int(count))):
            base, total = _computed(x, sizes), 1
            for _ in range(count):
                total = total * base
            return total
        case ast.BinOp(left=x, op=op, right=y) if type(op) in _BINARY:
            return _BINARY[type(op)](_computed(x, sizes), _computed(y, sizes))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
            return _CALLS[name](*(_computed(one, sizes) for one in args))
    raise ValueError(f"a size {ast.unparse(tree)}")


def _has_words(aval: Any) -> bool:
    return is_key(getattr(aval, "dtype", numpy.dtype(bool)))


def _constant(value: Any) -> NDArray[Any]:
    if isinstance(value, jax.Array):
        return numpy.asarray(jax.random.key_data(value) if is_key(value.dtype) else value)
    return numpy.array(value)


def _port(name: str, aval: Any) -> Port:
    """The dtype of a value, and how many axes it has."""
    if not hasattr(aval, "shape"):
        return Port(name)
    if _has_words(aval):
        return Port(name, uint32, (*[None] * len(aval.shape), 2))
    return Port(name, numpy.dtype(aval.dtype), (None,) * len(aval.shape))


# Parameters that are spelled otherwise here.


def _gather(reader: _Reader, equation: Any) -> dict[str, Any]:
    numbers = equation.params["dimension_numbers"]
    return {
        "offset_dims": numbers.offset_dims, "dropped": numbers.collapsed_slice_dims,
        "index_axes": numbers.start_index_map, "operand_batching_dims": numbers.operand_batching_dims,
        "indices_batching_dims": numbers.start_indices_batching_dims, "slice_sizes": equation.params["slice_sizes"],
        "mode": equation.params["mode"], "fill_value": equation.params["fill_value"],
    }  # fmt: skip


def _scatter(reader: _Reader, equation: Any) -> dict[str, Any]:
    numbers = equation.params["dimension_numbers"]
    return {
        "update_window_dims": numbers.update_window_dims, "dropped": numbers.inserted_window_dims,
        "index_axes": numbers.scatter_dims_to_operand_dims, "operand_batching_dims": numbers.operand_batching_dims,
        "indices_batching_dims": numbers.scatter_indices_batching_dims, "mode": equation.params["mode"],
        "function": equation.params["update_jaxpr"] if equation.primitive.name == "scatter" else None,
    }  # fmt: skip


def _solve(reader: _Reader, equation: Any) -> dict[str, Any]:
    lengths = equation.params["const_lengths"]
    first = lengths.matvec + lengths.vecmat
    total = first + lengths.solve + (lengths.transpose_solve or 0)
    return {"solve": equation.params["jaxprs"].solve, "const_lengths": (first, lengths.solve, total)}


def _random(reader: _Reader, equation: Any) -> dict[str, Any]:
    implementation = equation.params.get("impl")
    for variable in equation.invars:
        implementation = getattr(variable.aval.dtype, "_impl", implementation)
    plain = {name: value for name, value in equation.params.items() if name != "impl"}
    name = getattr(implementation, "tag", str(implementation))
    return {**plain, "impl": name, "partitionable": bool(jax.config.jax_threefry_partitionable)}


def _size(reader: _Reader, equation: Any) -> dict[str, Any]:
    return {"dim": equation.params["dim"], "wide": equation.outvars[0].aval.dtype.itemsize == 8}


def is_inexact(array: Any) -> bool:
    """Tell whether an array, or an aval, is of floats or complex numbers."""
    return bool(jax.numpy.issubdtype(array.dtype, jax.numpy.inexact))


def _with_gradient(reader: _Reader, equation: Any) -> dict[str, Any]:
    """The program, and one for its gradient: of the cotangents of the results and the operands, as JAX makes it."""
    avals = [variable.aval for variable in equation.invars]
    own = equation.params.get("num_consts", 0)  # what the function closes over has no gradient by its rule
    wanted = [k for k, aval in enumerate(avals) if k >= own and is_inexact(aval)]
    params = {"call_jaxpr": equation.params["call_jaxpr"], "name": equation.params.get("name"), "wanted": tuple(wanted)}
    if not wanted or reader.of_gradient or any(map(_has_words, avals)):
        return {**params, "wanted": ()}
    count = len(equation.outvars)

    def gradient(*xs: Any) -> list[Any]:
        cotangents, operands = xs[:count], xs[count:]
        whole = list(operands)

        def function(*some: Any) -> list[Any]:
            for k, x in zip(wanted, some, strict=True):
                whole[k] = x
            return internals.applied(equation, *whole)

        results, pullback = jax.vjp(function, *(operands[k] for k in wanted))
        pairs = zip(cotangents, results, strict=True)
        return list(pullback([g if is_inexact(y) else numpy.zeros(y.shape, jax.dtypes.float0) for g, y in pairs]))

    every = [*(variable.aval for variable in equation.outvars), *avals]
    try:
        closed = jax.make_jaxpr(gradient)(*(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in every))
    except Exception as error:  # the rule is the user's: what it raises is only for those who differentiate
        let_through(error)
        return {**params, "wanted": ()}
    reader.of_gradient = True  # a gradient of a gradient, which may be the same again, is that of its operations
    try:
        return {**params, "gradient": reader.graph(closed.jaxpr, closed.consts)}
    finally:
        reader.of_gradient = False


_SPECIAL: Final[Mapping[str, Callable[[_Reader, Any], dict[str, Any]]]] = {
    "gather": _gather, "custom_linear_solve": _solve, "dim_as_value": _size, "custom_vjp_call": _with_gradient,
    **dict.fromkeys(("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"), _scatter),
    **dict.fromkeys(
        ("random_seed", "random_wrap", "random_unwrap", "random_split", "random_bits", "random_fold_in"), _random
    ),
}  # fmt: skip


# Keys have an axis more: their two words.


def _sliced(attributes: Mapping[str, Any], equation: Any) -> dict[str, Any]:
    more = {"start_indices": (*attributes["start_indices"], 0), "limit_indices": (*attributes["limit_indices"], 2)}
    return more | ({"strides": (*attributes["strides"], 1)} if "strides" in attributes else {})


def _stretched(attributes: Mapping[str, Any], equation: Any) -> dict[str, Any]:
    shape = attributes["shape"]
    return {"shape": (*shape, 2), "broadcast_dimensions": (*attributes["broadcast_dimensions"], len(shape))}


def _gathered(attributes: Mapping[str, Any], equation: Any) -> dict[str, Any]:
    ndim = len(equation.outvars[0].aval.shape)
    return {"offset_dims": (*attributes["offset_dims"], ndim), "slice_sizes": (*attributes["slice_sizes"], 2)}


_OF_WORDS: Final[Mapping[str, Callable[[Mapping[str, Any], Any], dict[str, Any]]]] = {
    "slice": _sliced, "broadcast_in_dim": _stretched, "gather": _gathered,
    "reshape": lambda a, _: {"new_sizes": (*a["new_sizes"], 2)},
    "transpose": lambda a, _: {"permutation": (*a["permutation"], len(a["permutation"]))},
    "dynamic_slice": lambda a, _: {"slice_sizes": (*a["slice_sizes"], 2)},
}  # fmt: skip
