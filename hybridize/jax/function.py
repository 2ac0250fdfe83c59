# SPDX-License-Identifier: Apache-2.0
"""`JaxFunction`: a function of JAX's arrays, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import functools
import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jax
import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import address_of, host_view
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError, StateError
from hybridize.base.forks import renewed
from hybridize.base.frozen import changed
from hybridize.base.locations import location_in
from hybridize.base.nested import unflatten
from hybridize.base.tracebacks import trim
from hybridize.capture import Function, SavedFunction
from hybridize.capture.options import Options
from hybridize.capture.saved_function import MODELESS, Exportable
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.call import Call
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import SavedProgram
from hybridize.jax import internals
from hybridize.jax.arrays import ARRAY, check_dtype, elements, is_at_home, is_key, of_result
from hybridize.jax.entries import Entered, exchange, settings_watched
from hybridize.jax.forms import ArrayLeaf, CallForm, ResultsDifferError, Static, parameters_of
from hybridize.jax.outside import Outside
from hybridize.jax.saving import nested, structure_of
from hybridize.programs import Program

_CHAIN: Final = 4
"""Forms whose entries are tried before Python looks for the right one."""
_NUMBERS: Final = (int, float, complex)
_HELD: Final = (
    jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError, jax.errors.TracerIntegerConversionError,
    jax.errors.TracerBoolConversionError, jax.errors.NonConcreteBooleanIndexError,
)  # fmt: skip
"""Exceptions that JAX raises where Python asks for the value of what is traced."""


class Compiled(Function[..., Any]):
    """The compiled function of a form, its arguments named as the user has them."""

    def leaf_names(self, call: Call) -> list[str]:
        """Names of the arguments: paths from the parameters of the user's function."""
        form: Any = self.python_function
        names: list[str] = form.names
        return names


class JaxFunction(Exportable):
    """Run the calls of a function of JAX's arrays as machine code. `hybridize(jax.jit(function))` returns it.

    `hybridize(function)` returns a `hybridize.Function`, which gives the calls with JAX's arrays to an object of this
    class. Inside of JAX's own transformations (`jax.grad`, `jax.vmap`, `jax.jit`) both are the function itself.

    Attributes:
        function: the user's, jitted or not.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> from hybridize import hybridize
    >>> from hybridize.jax import JaxFunction
    >>> double = hybridize(jax.jit(lambda x: x * 2))
    >>> isinstance(double, JaxFunction), double(jnp.ones(2))
    (True, Array([2., 2.], dtype=float32))
    """

    # As in `hybridize.Function`: what `self(...)` calls is the entry of the latest program itself.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        """Wrap `function`; `options` are those of `hybridize`."""
        functools.update_wrapper(self, function)
        self.function = function
        checked = Options.of(options)
        self.options: dict[str, Any] = {
            field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)
        }
        """Keywords of the programs."""
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self._eager = not isinstance(function, jax.stages.Wrapped)
        self._positions, self._keywords = internals.static_arguments(function)
        self._fixes = False
        """True if Python's numbers among the arguments are constants."""
        self._sized: set[Hashable] = set()
        """Forms whose results have another structure for other sizes: there is one for each."""
        self._forms: dict[Hashable, CallForm] = {}
        self._outside: Outside | None = None
        """The values that it has read from outside, if it is not jitted."""
        self._lock = renewed(threading.RLock())
        self._entered: list[Entered] = []
        """Forms whose programs have entries, the latest first."""
        self._owner: weakref.ref[Function[Any, Any]] | None = None
        """The function that this is the counterpart of."""
        self._install()

    def serve(self, owner: Function[Any, Any]) -> None:
        """Have a function that this is the counterpart of try the entries, too."""
        self._owner = weakref.ref(owner)

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

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        """Compute `function(*args, **kwargs)` by a compiled program; a call that no entry is for.

        Raises:
            CaptureError E420: a primitive that no program has, or a value that Python asks for; at the user's line.
            DeviceError E702: an array outside the computer's memory.
        """
        if CONFIG.disable or modes.is_disabled() or current_trace() is not None:
            return self.function(*args, **kwargs)
        try:
            if self._eager:
                self._look_outside()
            while True:
                pair = self._form(args, kwargs)
                if pair is None:
                    return self.function(*args, **kwargs)
                form, arrays = pair
                try:
                    result = self._results(form, form.compiled(*arrays))
                    self._enter(form, args, kwargs)
                    return result
                except Exception as error:
                    self._answer(form, error)
        except Exception as error:
            trim(error)
            raise

    def _install(self) -> None:
        """Make the entries of the latest programs what a call reaches first."""
        owner = None if self._owner is None else self._owner()
        if owner is None:
            object.__setattr__(self, "__call__", self.chain(self._called))
        else:
            owner.install()  # under its lock, which comes before that of this

    def chain(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callable for the calls of the latest programs, which gives all others to `fallback`."""
        library = exchange() if self._entered else None
        entry = fallback
        if library is None:
            return entry
        settings = settings_watched()
        for one in reversed(self._entered):
            entry = one.entry(entry, library, settings, [self._outside, one.form.outside])
        return entry

    def _enter(self, form: CallForm, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Make entries for the calls of a form, at its second call through Python and where it has another program."""
        form.calls += 1
        known = next((one for one in self._entered if one.form is form), None)
        if form.calls < 2 or form.key in self._sized or (known is not None and known.is_current()):
            return
        with self._lock:
            others = [one for one in self._entered if one.form is not form][: _CHAIN - 1]
            self._entered = [Entered(form, args, kwargs, self._positions, self._keywords), *others]
        self._install()

    def _look_outside(self) -> None:
        """Forget all programs if what the function reads from outside has changed since they were made."""
        if self._outside is None or not self._outside.holds():
            with self._lock:
                self._forms.clear()
                self._outside = Outside(self.function)
            self._leave()

    def _answer(self, form: CallForm, error: Exception) -> None:
        """Do about an error of a call what can be done, so that it is called again; else raise what the user meets."""
        own, form.error = form.error, None
        if isinstance(error, ResultsDifferError):
            self._sized.add(form.key)
            return
        if own is None or error is not own:
            raise error
        if self._eager and not self._fixes and any(isinstance(one, ArrayLeaf) and one.python for one in form.leaves):
            self._fixes = True  # numbers may be what Python has to know
            return
        if isinstance(own, _HELD) and self._eager:
            numpys = isinstance(own, jax.errors.TracerArrayConversionError)
            raise CaptureError(
                "E420", f"{self.name} asks in Python for the value of an array, which is not known before it runs",
                loc=location_in(own),
                help="use functions of jax.numpy, not NumPy's" if numpys
                else "use jax.lax.cond, jax.lax.while_loop or jax.numpy.where",
            ) from None  # fmt: skip
        raise own.with_traceback(own.__traceback__)

    def _form(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[CallForm, list[ndarray]] | None:
        """Return the form of a call, and the arrays that its program takes; None where JAX itself calls."""
        fixed: tuple[dict[int, Any], dict[str, Any]] = {}, {}
        if self._positions or self._keywords:
            args, kwargs, fixed = self._without_static(args, kwargs)
        leaves, tree = jax.tree.flatten((args, kwargs))
        kinds: list[Any] = []
        arrays: list[ndarray] = []
        for leaf in leaves:
            if type(leaf) is ARRAY and isinstance(leaf.dtype, numpy.dtype) and is_at_home(leaf):  # most of them
                kinds.append((leaf.dtype, leaf.ndim, leaf.weak_type, None))
                arrays.append(wrap(numpy.asarray(leaf)))
                continue
            if isinstance(leaf, jax.core.Tracer):
                return None
            kind, data = self._taken(leaf)
            kinds.append(kind)
            if data is not None:
                arrays.append(wrap(data))
        if len(set(map(id, leaves))) != len(leaves):
            _part(arrays)
        named = (*fixed[0].items(), *fixed[1].items())
        key: Hashable = (tree, internals.settings(), self._fixes, *kinds, *((name, Static(one)) for name, one in named))
        if self._sized and key in self._sized:
            key = key, tuple(array.shape for array in arrays)
        form = self._forms.get(key)
        if form is None and jax.config.jax_disable_jit:  # a setting, and so part of the key
            return None
        return (self._new_form(key, tree, kinds, fixed) if form is None or not form.holds() else form), arrays

    def _new_form(self, key: Hashable, tree: Any, kinds: Sequence[Any], fixed: Any) -> CallForm:
        """Make the form of a key, unless another thread has."""
        with self._lock:
            form = self._forms.get(key)
            if form is None or not form.holds():
                leaves = [kind if isinstance(kind, Static) else ArrayLeaf(*kind) for kind in kinds]
                for leaf in leaves:
                    if isinstance(leaf, ArrayLeaf):
                        check_dtype(leaf.dtype)
                form = CallForm(self.function, self.name, tree, leaves, fixed, self._eager)
                form.key = key
                objects = [
                    leaf.value for leaf in leaves if isinstance(leaf, Static) and hasattr(leaf.value, "__dict__")
                ]
                if self._eager and objects:
                    form.outside = Outside(self.function, *objects)
                form.compiled = Compiled(form, **self.options)
                self._forms[key] = form
            return form

    def _without_static(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The arguments without those that the jitted function takes for constants, and these."""
        positions = {position % len(args) for position in self._positions if -len(args) <= position < len(args)}
        return (
            tuple(arg for position, arg in enumerate(args) if position not in positions),
            {name: value for name, value in kwargs.items() if name not in self._keywords},
            (
                {position: args[position] for position in sorted(positions)},
                {name: value for name, value in kwargs.items() if name in self._keywords},
            ),
        )

    def _taken(self, leaf: Any) -> tuple[Any, NDArray[Any] | None]:
        """Return what is part of the key of a leaf, and its elements: dtype, number of axes, if its dtype yields to
        others, the class of a number of Python's. What is no array is `Static`.
        """
        if isinstance(leaf, jax.Array):
            return (leaf.dtype, leaf.ndim, getattr(leaf, "weak_type", False), None), elements(leaf)
        if isinstance(leaf, ndarray):
            leaf = leaf.asnumpy()
        if isinstance(leaf, (numpy.ndarray, numpy.generic)) and leaf.dtype.kind not in "OUSMm":
            dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
            data = numpy.asarray(leaf, dtype).view()
            data.setflags(write=False)  # what the program gives of it is a copy
            return (dtype, data.ndim, False, None), data
        if isinstance(leaf, _NUMBERS) and not self._fixes and not (self._eager and isinstance(leaf, bool)):
            dtype = jax.dtypes.canonicalize_dtype(type(leaf))
            return (dtype, 0, not isinstance(leaf, bool), type(leaf).__name__), numpy.array(leaf, dtype)
        return Static(leaf), None

    def _results(self, form: CallForm, arrays: Sequence[ndarray]) -> Any:
        """The results as the function gives them."""
        results = form.results
        assert results is not None
        if results.plain:
            return results.tree.unflatten([of_result(array) for array in arrays])
        rest = iter(arrays)
        leaves = []
        for leaf in results.leaves:
            if isinstance(leaf, Static):
                leaves.append(leaf.value)
            else:
                key = leaf.dtype if is_key(leaf.dtype) else None
                leaves.append(of_result(next(rest), key is None and leaf.weak_type, key))
        return results.tree.unflatten(leaves)

    # ---------------------------------------------------------------------------------------------------- programs

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs; captured and compiled if need be, but not run."""
        if self._eager:
            self._look_outside()
        while True:
            pair = self._form(args, kwargs)
            if pair is None:
                raise ArgumentError("E311", f"{self.name} is called by JAX, which runs no program", help="pass arrays")
            form, arrays = pair
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
        self._leave()

    def cache_info(self) -> dict[str, int]:
        """Count the programs that are kept, and the forms of calls that they are for."""
        return {"programs": len(self.programs()), "forms": len(self._forms)}

    # ------------------------------------------------------------------------------------------------------- files

    def saved(
        self, samples: Sequence[Any] | None = (), notes: list[str] | None = None, steps: bool = False
    ) -> SavedProgram:
        """Every program compiled so far as plain data; what they are constants of is in them.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were made at: each an
                array or a tuple of arguments.
            notes: hears where something else had to stand for JAX.
            steps: accepted; a function of JAX's changes no state.

        Raises:
            StateError E507: nothing has been compiled yet.
            CaptureError E464: an argument or a result is an object that no file holds.
        """
        forms = [form for form in self._forms.values() if form.compiled.programs()]
        if not forms:
            raise StateError("E507", "there is no program to save yet", help="call the function once, then save it")
        own: dict[int, list[tuple[Any, ...]]] = {id(form): [] for form in forms}
        for sample in samples or ():
            pair = self._form(sample if isinstance(sample, tuple) else (sample,), {})
            if pair is None or id(pair[0]) not in own:
                raise ArgumentError("E334", f"{self.name} has no program for a sample", help="call it with that first")
            own[id(pair[0])].append(tuple(pair[1]))
        saved = [
            (form, form.compiled.saved(samples=None if samples is None else own[id(form)], notes=notes))
            for form in forms
        ]
        signatures = tuple(nested(form, one, self.name) for form, part in saved for one in part.signatures)
        return changed(
            saved[0][1], signatures=signatures, argument_names=tuple(parameters_of(self.function)),
            options={**saved[0][1].options, MODELESS: True},
        )  # fmt: skip

    def save(
        self, path: str | Path, *, samples: Sequence[Any] = (), targets: str | Sequence[str] | None = None
    ) -> None:
        """Write every program compiled so far as one file for `hybridize.load`, which needs no JAX.

        Args:
            path: of the file.
            samples: calls by which the file can be checked; see `export`.
            targets: as in `hybridize.Function.save`.

        Raises:
            StateError E507: nothing has been compiled yet.
        """
        write_archive(path, self.saved(samples), targets)

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._forms.clear()
        self._leave()

    def _leave(self) -> None:
        """Let all calls go through Python."""
        if self._entered:
            self._entered = []
            self._install()

    clear = cache_clear


def _part(arrays: list[ndarray]) -> None:
    """Copy the arrays that lie where one before lies: a program takes arguments that overlap for what calls repeat."""
    seen: set[int] = set()
    for position, array in enumerate(arrays):
        place = address_of(array)
        if place in seen:
            arrays[position] = wrap(host_view(array).copy())
        seen.add(place)


def called(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call with arrays of JAX among the arguments: arrays of JAX.

    A program that was loaded reads them where they are; a function is traced by JAX.
    """
    if isinstance(function, SavedFunction):
        result = function(*_ours(args), **_ours(kwargs))
        return jax.tree.map(lambda x: of_result(x) if isinstance(x, ndarray) else x, result)
    return _counterpart(function)(*args, **kwargs)


def program(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Return the program that such a call runs; captured and compiled if need be."""
    if isinstance(function, SavedFunction):
        return function.program(*_ours(args), **_ours(kwargs))
    return _counterpart(function).program(*args, **kwargs)


def _ours(tree: Any) -> Any:
    """Arguments as files have them: arrays of ours over the memory of JAX's, tuples for nodes of other classes."""
    leaves, kind = jax.tree.flatten(tree)
    return unflatten(structure_of(kind), [wrap(elements(x)) if isinstance(x, jax.Array) else x for x in leaves])


def _counterpart(function: Function[Any, Any]) -> JaxFunction:
    counterpart = function.counterpart
    if not isinstance(counterpart, JaxFunction):
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        counterpart = function.counterpart = JaxFunction(function.python_function, **options)
        counterpart.serve(function)
    return counterpart
