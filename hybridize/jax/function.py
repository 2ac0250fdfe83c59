# SPDX-License-Identifier: Apache-2.0
"""`JaxFunction`: a function of JAX's arrays, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from typing import Any, Final

import jax
import numpy

from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import operand, result
from hybridize.base import dims, modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.base.locations import location_in
from hybridize.base.tracebacks import trim
from hybridize.capture import Function
from hybridize.capture.options import Options
from hybridize.capture.trace.recording import current_trace
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import Node
from hybridize.formats.foreign.walk import Walk
from hybridize.jax import internals
from hybridize.jax.arrays import elements, is_key, of_result
from hybridize.jax.reading import program_of, size_of
from hybridize.ops.op import constant, type_of
from hybridize.programs import Program

_NUMBERS: Final = (int, float, complex)
_HELD: Final = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)
"""What JAX raises where Python asks for the value of what is traced."""


@frozen(eq=False)
class Leaf:
    """What is the same of a leaf of the arguments in all calls of a form."""

    dtype: Any
    ndim: int
    weak: bool


@frozen(eq=False)
class Static:
    """A leaf of the arguments that is part of the key: a constant."""

    value: Any


@frozen(eq=False)
class Results:
    """What a trace says of the results."""

    tree: Any
    leaves: tuple[Any, ...]
    """For each leaf its aval, or `Static`."""

    def agrees(self, other: Results) -> bool:
        """Tell whether others have the same structure, and the same constants."""
        pairs = zip(self.leaves, other.leaves, strict=False)
        return self.tree == other.tree and all(
            x.value == y.value if isinstance(x, Static) and isinstance(y, Static) else type(x) is type(y)
            for x, y in pairs
        )


class ResultsDifferError(Exception):
    """The structure of the results depends on the sizes of the arguments."""


class Form:
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

    def __init__(
        self, function: Callable[..., Any], name: str, tree: Any, leaves: Sequence[Leaf | Static],
        fixed: tuple[dict[int, Any], dict[str, Any]], eager: bool,
    ) -> None:  # fmt: skip
        self.function, self.__name__, self.tree, self.leaves, self.fixed = function, name, tree, tuple(leaves), fixed
        self.eager = eager
        self.results: Results | None = None
        """Of the latest trace."""
        self.error: Exception | None = None
        """What JAX raised when it traced the function for very sizes."""
        self.key: Hashable = None
        self.compiled: Function[..., Any]

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

        closed = jax.make_jaxpr(flat)(*specs)
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
    def _dynamic(self) -> list[Leaf]:
        """The leaves that are no constants."""
        return [one for one in self.leaves if isinstance(one, Leaf)]

    def _whole(self, array: Any, leaf: Leaf) -> Any:
        """Return an array of ours as JAX has it."""
        return of_result(wrap(numpy.array(array._data)), leaf.weak, leaf.dtype if is_key(leaf.dtype) else None)

    def _walked(self, operands: Sequence[Any], shapes: Sequence[Any]) -> Any:
        sizes, names = _named(shapes)
        specs = [
            jax.ShapeDtypeStruct(
                tuple(names.get(size, size) if dims.is_symbolic(size) else size for size in shape[: leaf.ndim]),
                leaf.dtype, weak_type=leaf.weak,
            ) for shape, leaf in zip(shapes, self._dynamic, strict=True)
        ]  # fmt: skip
        with internals.compared() if sizes else nullcontext([]) as unequal:
            try:
                closed, results = self.traced(specs)
            except Exception as error:
                self.error = None if sizes else error
                raise
        if unequal is None:
            raise ValueError("this version of JAX does not tell what it assumes of sizes")
        for one, other in unequal:
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
    found: list[Any] = []
    for size in (size for shape in shapes for size in shape if dims.is_symbolic(size)):
        if not any(one is size or dims.same(one, size) for one in found):
            found.append(size)
    if not found:
        return {}, {}
    names = [f"d{number}" for number in range(len(found))]
    symbols = jax.export.symbolic_shape(",".join(names))
    return dict(zip(names, found, strict=True)), _BySize(found, symbols)


class _BySize(dict[Any, Any]):
    """Sizes of JAX by dims of ours, which are not asked for their hash."""

    def __init__(self, sizes: Sequence[Any], symbols: Sequence[Any]) -> None:
        super().__init__()
        self._pairs = list(zip(sizes, symbols, strict=True))

    def get(self, size: Any, default: Any = None) -> Any:
        return next((symbol for one, symbol in self._pairs if dims.same(one, size)), default)


def _is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, numpy.ndarray, numpy.generic))


class JaxFunction:
    """A function of JAX's arrays whose calls run as machine code.

    Under JAX's own transformations, `jax.grad`, `jax.vmap`, `jax.jit` around it, it is the function itself.

    Attributes:
        function: the user's; jitted or not.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        """Wrap `function`; `options` are those of `hybridize`."""
        functools.update_wrapper(self, function)
        self.function = function
        checked = Options.of(options)
        self.options = {field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)}
        """Keywords of the programs."""
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self._eager = not isinstance(function, jax.stages.Wrapped)
        self._positions, self._keywords = internals.static_arguments(function)
        self._fixes = False
        """True if Python's numbers among the arguments are constants."""
        self._sized: set[Hashable] = set()
        """Forms whose results have another structure for other sizes: there is one for each."""
        self._forms: dict[Hashable, Form] = {}
        self._lock = renewed(threading.RLock())

    def __repr__(self) -> str:
        return f"hybridize({self.function!r})"

    def __getattr__(self, name: str) -> Any:
        """Give what the function has under a name: `lower`, say."""
        function = self.__dict__.get("function")
        if function is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(function, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    # ------------------------------------------------------------------------------------------------------- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute `function(*args, **kwargs)` by a compiled program.

        Raises:
            CaptureError E420: a primitive that no program has, or a value that Python asks for; at the user's line.
            DeviceError E702: an array outside the computer's memory.
        """
        if CONFIG.disable or modes.is_disabled():
            return self.function(*args, **kwargs)
        try:
            while True:
                found = self._form(args, kwargs)
                if found is None:
                    return self.function(*args, **kwargs)
                form, arrays = found
                try:
                    return self._results(form, form.compiled(*arrays))
                except Exception as error:
                    self._answer(form, error)
        except Exception as error:
            trim(error)
            raise

    def _answer(self, form: Form, error: Exception) -> None:
        """Do about an error of a call what can be done, so that it is called again; else raise what the user meets."""
        own, form.error = form.error, None
        if isinstance(error, ResultsDifferError):
            self._sized.add(form.key)
            return
        if own is None or error is not own:
            raise error
        if isinstance(own, _HELD) and self._eager:
            if not self._fixes and any(isinstance(one, Leaf) and one.weak for one in form.leaves):
                self._fixes = True
                return
            raise CaptureError(
                "E420", f"{self.name} asks in Python for the value of an array, which is not known before it runs",
                loc=location_in(own), help="use jax.lax.cond, jax.lax.while_loop or jax.numpy.where",
            ) from None  # fmt: skip
        raise own.with_traceback(own.__traceback__)

    def _form(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Form, list[ndarray]] | None:
        """Return the form of a call, and the arrays that its program takes; None where JAX itself calls."""
        fixed: tuple[dict[int, Any], dict[str, Any]] = {}, {}
        if self._positions or self._keywords:
            args, kwargs, fixed = self._without_static(args, kwargs)
        leaves, tree = jax.tree.flatten((tuple(args), kwargs))
        kinds: list[Leaf | Static] = []
        key: list[Hashable] = [tree, internals.settings(), self._fixes]
        arrays: list[ndarray] = []
        for leaf in leaves:
            taken = self._taken(leaf)
            if taken is None:
                return None
            if isinstance(taken, Static):
                kinds.append(taken)
                key.append(_static_key(taken.value))
                continue
            data, dtype, ndim, weak = taken
            kinds.append(Leaf(dtype, ndim, weak))
            key += [dtype, ndim, weak]
            arrays.append(wrap(data))
        for part in fixed:
            key += [(name, _static_key(value)) for name, value in part.items()]
        whole: Hashable = tuple(key)
        if whole in self._sized:
            whole = whole, tuple(array.shape for array in arrays)
        form = self._forms.get(whole)
        if form is None:
            with self._lock:
                form = self._forms.get(whole)
                if form is None:
                    form = Form(self.function, self.name, tree, kinds, fixed, self._eager)
                    form.key = tuple(key)
                    form.compiled = Function(form, **self.options)
                    self._forms[whole] = form
        return form, arrays

    def _without_static(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The arguments without those that the jitted function takes for constants, and these."""
        positions = {position % len(args) for position in self._positions if -len(args) <= position < len(args)}
        return (
            [arg for position, arg in enumerate(args) if position not in positions],
            {name: value for name, value in kwargs.items() if name not in self._keywords},
            (
                {position: args[position] for position in sorted(positions)},
                {name: value for name, value in kwargs.items() if name in self._keywords},
            ),
        )

    def _taken(self, leaf: Any) -> Any:
        """Take a leaf of the arguments over: its elements, dtype, number of axes, and if its dtype yields to others.

        What is no array is `Static`; None for what stands for an array in a transformation of JAX's.
        """
        if isinstance(leaf, jax.core.Tracer):
            return None
        if isinstance(leaf, jax.Array):
            return elements(leaf), leaf.dtype, leaf.ndim, leaf.weak_type
        if isinstance(leaf, ndarray):
            leaf = leaf.asnumpy()
        if isinstance(leaf, (numpy.ndarray, numpy.generic)) and leaf.dtype.kind not in "OUSMm":
            dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
            data = numpy.asarray(leaf, dtype).view()
            data.setflags(write=False)  # what the program gives of it is a copy
            return data, dtype, data.ndim, False
        if isinstance(leaf, _NUMBERS) and not self._fixes and not (self._eager and isinstance(leaf, bool)):
            dtype = jax.dtypes.canonicalize_dtype(type(leaf))
            return numpy.array(leaf, dtype), dtype, 0, not isinstance(leaf, bool)
        return Static(leaf)

    def _results(self, form: Form, arrays: Sequence[ndarray]) -> Any:
        """The results as the function gives them."""
        results = form.results
        assert results is not None
        rest = iter(arrays)
        leaves = []
        for leaf in results.leaves:
            if isinstance(leaf, Static):
                leaves.append(leaf.value)
            else:
                key = leaf.dtype if is_key(leaf.dtype) else None
                leaves.append(of_result(next(rest), leaf.weak_type, key))
        return jax.tree.unflatten(results.tree, leaves)

    # ---------------------------------------------------------------------------------------------------- programs

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs; captured and compiled if need be, but not run."""
        while True:
            found = self._form(args, kwargs)
            if found is None:
                raise ArgumentError("E311", f"{self.name} is called by JAX, which runs no program", help="pass arrays")
            form, arrays = found
            try:
                return form.compiled.program(*arrays)
            except Exception as error:
                self._answer(form, error)

    def programs(self) -> list[Program]:
        """All programs, those of a form together."""
        return [program for form in self._forms.values() for program in form.compiled.programs()]

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is captured again."""
        for form in self._forms.values():
            form.compiled.forget(program)

    def cache_info(self) -> dict[str, int]:
        """Count the programs that are kept, and the forms of calls that they are for."""
        return {"programs": len(self.programs()), "forms": len(self._forms)}

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._forms.clear()

    clear = cache_clear


def _static_key(value: Any) -> Hashable:
    """The part of a key that a constant is.

    Raises:
        ArgumentError E311: it has no hash.
    """
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            "E311", f"a {type(value).__name__} cannot be an argument of a compiled function of JAX's arrays",
            help="pass arrays, numbers, and tuples, lists or dicts of them; what is constant must have a hash",
        ) from None  # fmt: skip
    return type(value), value


def called(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call of a compiled function with arrays of JAX among its arguments."""
    return _counterpart(function)(*args, **kwargs)


def program(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Return the program that such a call runs; captured and compiled if need be."""
    return _counterpart(function).program(*args, **kwargs)


def _counterpart(function: Function[Any, Any]) -> JaxFunction:
    counterpart = function.counterpart
    if not isinstance(counterpart, JaxFunction):
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        counterpart = function.counterpart = JaxFunction(function.python_function, **options)
    return counterpart
