# SPDX-License-Identifier: Apache-2.0
"""`CallForm`: a function of JAX's arrays for calls of one structure, dtypes and constants; it is what is captured."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy

from hybridize.array.buffer import host_view
from hybridize.array.ndarray import wrap
from hybridize.array.operands import operand, result
from hybridize.base import dims
from hybridize.base.errors import ArgumentError
from hybridize.base.faces import TRACED_ELSEWHERE
from hybridize.base.frozen import frozen
from hybridize.capture import Function
from hybridize.capture.trace.recording import current_trace
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import Node
from hybridize.formats.foreign.walk import Walk
from hybridize.jax import internals
from hybridize.jax.arrays import elements, is_key, of_result
from hybridize.jax.outside import Outside
from hybridize.jax.reading import program_of, size_of
from hybridize.ops.op import constant, type_of


@frozen(eq=False)
class ArrayLeaf:
    """A leaf of the arguments that is data, as it is in all calls of a form."""

    dtype: Any
    ndim: int
    weak: bool
    python: str | None = None
    """The class of a number of Python's that it is."""


@frozen(eq=False)
class Static:
    """A leaf that is part of the key: a constant, equal to others of its class."""

    value: Any

    @property
    def _word(self) -> Any:
        """The value as it is compared: 0.0 and -0.0 are two constants, NaN is one."""
        return repr(self.value) if isinstance(self.value, (float, complex)) else self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and type(self.value) is type(other.value) and self._word == other._word

    def __hash__(self) -> int:
        """Return that of the value.

        Raises:
            ArgumentError E311: it has none.
        """
        try:
            return hash((type(self.value), self._word))
        except TypeError:
            array = isinstance(self.value, numpy.ndarray)
            what = f"an array of {self.value.dtype}" if array else f"a {type(self.value).__name__}"
            raise ArgumentError(
                "E311", f"{what} cannot be an argument of a compiled function of JAX's arrays",
                help="pass arrays, numbers, and tuples, lists or dicts of them; what is constant must have a hash",
            ) from None  # fmt: skip


@frozen(eq=False)
class Results:
    """The results of a trace: their tree, and the type of each leaf."""

    tree: Any
    leaves: tuple[Any, ...]
    """For each leaf its aval, or `Static`."""

    @functools.cached_property
    def plain(self) -> bool:
        """True if all leaves are arrays of numbers, none of which yields to other dtypes."""
        return not any(isinstance(one, Static) or is_key(one.dtype) or one.weak_type for one in self.leaves)

    def agrees(self, other: Results) -> bool:
        """Tell whether others have the same structure, and the same constants."""
        pairs = zip(self.leaves, other.leaves, strict=False)
        return self.tree == other.tree and all(
            x.value == y.value if isinstance(x, Static) and isinstance(y, Static) else type(x) is type(y)
            for x, y in pairs
        )


class ResultsDifferError(Exception):
    """The structure of the results depends on the sizes of the arguments."""


class CallForm:
    """The function for calls whose arguments have one structure, the same dtypes and constants.

    It is what is captured: a function of the arrays alone.

    Args:
        function: the user's.
        name: of it.
        tree: the structure of the arguments.
        leaves: of the arguments.
        fixed: arguments that are constants, by position and by name.
        eager: the user's function is not jitted: what it gives besides arrays stays what it is.
    """

    tree: Any
    fixed: tuple[dict[int, Any], dict[str, Any]]
    function: Callable[..., Any]
    __name__: str
    leaves: tuple[ArrayLeaf | Static, ...]

    def __init__(
        self, function: Callable[..., Any], name: str, tree: Any, leaves: Sequence[ArrayLeaf | Static],
        fixed: tuple[dict[int, Any], dict[str, Any]], eager: bool,
    ) -> None:  # fmt: skip
        self.function, self.__name__, self.tree, self.leaves, self.fixed = function, name, tree, tuple(leaves), fixed
        self.eager = eager
        self.results: Results | None = None
        """Of the latest trace."""
        self.error: Exception | None = None
        """The exception that JAX raised when it traced the function for very sizes."""
        self.key: Hashable = None
        self.outside: Outside | None = None
        """The values that the constants among the arguments hold, if the function is not jitted."""
        self.compiled: Function[..., Any]
        self.calls = 0
        """Calls that Python found it for."""

    def holds(self) -> bool:
        """Tell whether the constants among the arguments still hold what they did."""
        return self.outside is None or self.outside.holds()

    @functools.cached_property
    def names(self) -> list[str]:
        """Names of the arrays: `params['w']`, `x`."""
        paths, _ = jax.tree.flatten_with_path(jax.tree.unflatten(self.tree, range(len(self.leaves))))
        fixed = sorted(self.fixed[0])
        parameters = [name for k, name in enumerate(parameters_of(self.function)) if k not in fixed]
        names = []
        for (whole, *path), number in paths:
            if not isinstance(self.leaves[number], ArrayLeaf):
                continue
            first, *rest = path
            position = getattr(first, "idx", None)
            name = str(getattr(first, "key", f"arg{position}"))
            if whole.idx == 0 and position is not None and position < len(parameters):
                name = parameters[position]
            names.append(name + jax.tree_util.keystr(tuple(rest)))
        return names

    def applied(self, *leaves: Any) -> Any:
        """Apply the user's function to leaves that are no constants."""
        rest = iter(leaves)
        args, kwargs = jax.tree.unflatten(
            self.tree, [one.value if isinstance(one, Static) else next(rest) for one in self.leaves]
        )
        positions, names = self.fixed
        args = list(args)
        for position in sorted(positions):
            args.insert(position, positions[position])
        return self.function(*args, **kwargs, **names)

    def traced(self, specs: Sequence[Any]) -> tuple[Any, Results]:
        """Return the closed jaxpr for arguments of these types, and what it says of the results."""
        tree: Any = None
        fixed: dict[int, Static] = {}

        def flat(*leaves: Any) -> list[Any]:
            nonlocal tree
            values, tree = jax.tree.flatten(self.applied(*leaves))
            arrays = []
            for position, value in enumerate(values):
                if _is_array(value) or not self.eager:
                    arrays.append(value)
                else:
                    fixed[position] = Static(value)
            return arrays

        token = TRACED_ELSEWHERE.set(True)
        try:
            closed = jax.make_jaxpr(flat)(*specs)
        finally:
            TRACED_ELSEWHERE.reset(token)
        avals = iter(closed.out_avals)
        count = len(fixed) + len(closed.out_avals)
        return closed, Results(tree, tuple(fixed[k] if k in fixed else next(avals) for k in range(count)))

    def __call__(self, *arrays: Any) -> Any:
        """Compute the leaves of the results that are arrays: by JAX, and while something is captured as a part of that.

        Raises:
            Exception: what the user's function raises; `error` is what JAX raised, where it did.
        """
        if current_trace() is None:
            leaves = jax.tree.leaves(self.applied(*map(self._whole, arrays, self._dynamic)))
            return tuple(
                wrap(numpy.array(elements(jax.numpy.asarray(x)))) for x in leaves if not self.eager or _is_array(x)
            )
        operands = [operand(x) for x in arrays]
        return self._walked(operands, [type_of(x).shape for x in operands])

    @property
    def _dynamic(self) -> list[ArrayLeaf]:
        """The leaves that are no constants."""
        return [one for one in self.leaves if isinstance(one, ArrayLeaf)]

    def _whole(self, array: Any, leaf: ArrayLeaf) -> Any:
        """Return an array of ours as JAX has it."""
        return of_result(wrap(numpy.array(host_view(array))), leaf.weak, leaf.dtype if is_key(leaf.dtype) else None)

    def _walked(self, operands: Sequence[Any], shapes: Sequence[Any]) -> Any:
        sizes, names = _named(shapes)
        specs = [
            jax.ShapeDtypeStruct(
                tuple(names.get(size, size) if dims.is_symbolic(size) else size for size in shape[: leaf.ndim]),
                leaf.dtype, weak_type=leaf.weak,
            ) for shape, leaf in zip(shapes, self._dynamic, strict=True)
        ]  # fmt: skip
        with internals.compared() as unequal:
            try:
                closed, results = self.traced(specs)
            except Exception as error:
                self.error = None if sizes else error
                raise
        if unequal is None and sizes:
            raise ValueError("this version of JAX does not tell what it assumes of sizes")
        for one, other in unequal or ():
            if size_of(one, sizes) == size_of(other, sizes):
                raise ValueError(f"JAX takes the sizes {one} and {other} to be unequal, which they are not")
        program, inputs = program_of(self.__name__, closed, sizes)
        if self.results is not None and not self.results.agrees(results):
            raise ResultsDifferError
        self.results = results
        weights = {name: constant(numpy.ascontiguousarray(array)) for name, array in program.weights.items()}
        values = _Walk(program)(dict(zip(inputs, operands, strict=True)), weights)
        return tuple(result(value.operand() if isinstance(value, Known) else value) for value in values)


class _Walk(Walk):
    """A walk whose operations have the lines that JAX has noted."""

    def node(self, node: Node, values: Any, attributes: Any) -> Any:
        trace = current_trace()
        if trace is None or node.loc is None:
            return super().node(node, values, attributes)
        with trace.root.at(node.loc):
            return super().node(node, values, attributes)


def _named(shapes: Sequence[Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Names for the dims among sizes, and the sizes of JAX for them."""
    unknown: list[Any] = []
    for size in (size for shape in shapes for size in shape if dims.is_symbolic(size)):
        if not any(one is size or dims.same(one, size) for one in unknown):
            unknown.append(size)
    if not unknown:
        return {}, {}
    names = [f"d{number}" for number in range(len(unknown))]
    for size in unknown:
        if size == 1:  # to JAX no size that it does not know is 1
            raise ValueError("a size is 1, which JAX takes for no other")
    symbols = jax.export.symbolic_shape(",".join(names), constraints=[f"{name} >= 2" for name in names])
    return dict(zip(names, unknown, strict=True)), _BySize(unknown, symbols)


class _BySize(dict[Any, Any]):
    """Sizes of JAX by dims of ours, which are not asked for their hash."""

    def __init__(self, sizes: Sequence[Any], symbols: Sequence[Any]) -> None:
        super().__init__()
        self._pairs = list(zip(sizes, symbols, strict=True))

    def get(self, size: Any, default: Any = None) -> Any:
        return next((symbol for one, symbol in self._pairs if dims.same(one, size)), default)


def parameters_of(function: Any) -> list[str]:
    """List the names of the parameters that arguments may be for by their position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [one.name for one in parameters if one.kind in kinds]


def _is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, numpy.ndarray, numpy.generic))
