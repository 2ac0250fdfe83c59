# SPDX-License-Identifier: Apache-2.0
"""`TensorFlowFunction`: something that is called with tensors, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy
import tensorflow as tf
from numpy.typing import NDArray

from hybridize.array.buffer import host_view
from hybridize.array.draws import bits
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.dims import SizeScope
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import changed, frozen
from hybridize.base.nested import flatten, unflatten
from hybridize.base.tracebacks import trim
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.contract.call import Call, SameObject
from hybridize.contract.captured import Captured
from hybridize.formats import ARRAY, Leaf, SavedProgram, SavedSignature
from hybridize.formats.tensorflow.draws import GENERATOR
from hybridize.graph import Graph
from hybridize.programs import Program, saving
from hybridize.tensorflow.calls import Site
from hybridize.tensorflow.internals import EAGER, could_record, elements, unconverted
from hybridize.tensorflow.layers import LayerSettings
from hybridize.tensorflow.memory import as_array, as_tensor
from hybridize.tensorflow.tracing import TracedGraph, trace

_CONSTANTS: Final = (bool, int, float, str, type(None))
"""Classes of arguments that are no tensors and that calls are keyed by without looking into them."""
_OBJECTS: Final[dict[int, SameObject]] = {}
"""Variables that were arguments, by identity: each is one object to programs."""
_CHAIN: Final = 4
"""Programs whose entries are tried before Python looks for the right one."""
_KEYS: Final = 256
"""Kinds of calls, exact sizes and all, that are found without Python taking them apart."""


@frozen
class TracedProgram(Captured):
    """A program of a trace."""

    trace: TracedGraph | None = None


@unconverted
class TensorFlowFunction(Function[Any, Any]):
    """Run the calls of a Keras model, a `tf.function` or a `tf.Module` as machine code.

    `hybridize(model)` returns it.

    Other attributes are those of the wrapped object: variables, layers, methods.

    Attributes:
        target: the wrapped object. Each call reads its variables. Its Python runs once, while it is traced, as under
            `tf.function`; `retrace()` traces it again.

    >>> import tensorflow as tf
    >>> from hybridize import hybridize
    >>> from hybridize.tensorflow import TensorFlowFunction
    >>> double = hybridize(tf.function(lambda x: x * 2))
    >>> isinstance(double, TensorFlowFunction), double(tf.ones(2)).numpy()
    (True, array([2., 2.], dtype=float32))
    """

    def __init__(self, target: Callable[..., Any], **options: Any) -> None:
        """Wrap `target`; `options` are those of `hybridize`."""
        self.target: Any = target.target if isinstance(target, TensorFlowFunction) else target
        target = self.target
        self.name: str = _name(target)
        self._sites: dict[tuple[Any, ...], Site] = {}
        self._graphs: dict[int, Site] = {}
        self._settings = LayerSettings(target)
        self._owner: weakref.ref[Function[Any, Any]] | None = None
        """The function that this is the counterpart of."""
        self._entered: list[Site] = []
        """Those that have entries, the latest first."""
        self._random: Any = None
        self._traced = _traceable(target)
        super().__init__(_of_arrays(self), **options)
        self.described_by: Callable[..., Any] | tuple[str, ...] = _described(target)
        self._learning: TensorFlowFunction | None = None
        self._is_whole = True

    def _install(self) -> None:
        """Make the entries of the latest programs what a call reaches first."""
        owner = None if self._owner is None else self._owner()
        if owner is None:
            object.__setattr__(self, "__call__", self.chain(self._dispatch))
        else:
            owner.install()  # under its lock, which comes before that of this

    def chain(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callable for the calls of the latest programs, which gives all others to `fallback`."""
        with self._lock:
            entry, entered = fallback, list[Site]()
            for site in reversed(self._entered):
                own = site.entry(entry, self._settings.watches())
                if own is not None:
                    entry, entered = own, [site, *entered]
            self._entered = entered
        return entry

    def serve(self, owner: Function[Any, Any]) -> None:
        """Have a function that this is the counterpart of try the entries, too."""
        self._owner = weakref.ref(owner)

    def _enter(self, site: Site) -> None:
        """Make an entry for the calls of a program."""
        with self._lock:
            self._entered = [site, *(one for one in self._entered if one is not site)][:_CHAIN]
        self._install()

    def leave(self, *sites: Site) -> None:
        """Let the calls of programs, or all, go through Python."""
        with self._lock:
            before, self._entered = self._entered, [one for one in self._entered if sites and one not in sites]
        if len(before) > len(self._entered):
            self._install()

    def __getattr__(self, name: str) -> Any:
        """Give what the object has under a name."""
        target = vars(self).get("target")
        if target is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(target, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute of the object, where it has one of that name and this has none."""
        own = vars(self)
        if "_is_whole" not in own or name in own or hasattr(type(self), name) or not hasattr(own["target"], name):
            object.__setattr__(self, name, value)
        else:
            setattr(own["target"], name, value)

    def __repr__(self) -> str:
        return f"hybridize({self.target!r})"

    def __reduce__(self) -> Any:
        """Copies, and what is read from a file of `pickle`, have the object's own copy and no program yet."""
        return _of_target, (self.target, self._keywords)

    @property
    def _keywords(self) -> dict[str, Any]:
        return {field.name: getattr(self.options, field.name) for field in dataclasses.fields(self.options)}

    # ---------------------------------------------------------------------------------------------------- calls

    def _dispatch(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute `target(*args, **kwargs)` by a compiled program.

        Raises:
            CaptureError: what cannot be compiled, at the user's line.
        """
        if self.options.freeze and could_record():  # somebody may want the gradients of variables
            self._learning = self._learning or TensorFlowFunction(self.target, **{**self._keywords, "freeze": False})
            return self._learning(*args, **kwargs)
        tensors: list[Any] = []
        arrays: list[Any] = []
        key: list[Any] = [len(args), *kwargs]
        for x in (*args, *kwargs.values()) if kwargs else args:
            kind = type(x)
            if kind is EAGER:
                array = elements(x)
                tensors.append(x)
                arrays.append(array)
                key += [array.dtype, array.shape]
            elif kind in _CONSTANTS:
                key += [kind, repr(x) if kind is float else x]  # of zeros there are two
            else:
                return self._slowly(args, kwargs)
        site = self._sites.get(tuple(key))
        if (
            site is None
            or not tf.executing_eagerly()
            or CONFIG.disable
            or modes.is_disabled()
            or not self._settings.hold()
        ):
            return self._slowly(args, kwargs, tuple(key))
        return self._run(site, tensors, arrays)

    def _slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any], key: tuple[Any, ...] | None = None) -> Any:
        """A call of a kind that was not met before, or of a kind that Python takes apart.

        Args:
            args: positional arguments.
            kwargs: keywords.
            key: under which its program is found from now on.
        """
        if CONFIG.disable or modes.is_disabled():
            return self.target(*args, **kwargs)
        leaves, _ = flatten((args, kwargs))
        if any(type(leaf).__name__ == "KerasTensor" for leaf in leaves):
            return self.target(*args, **kwargs)  # a part of a model of Keras's
        if not tf.executing_eagerly() or any(isinstance(x, tf.Tensor) and type(x) is not EAGER for x in leaves):
            return self._traced(*args, **kwargs)  # a part of a graph of TensorFlow's
        try:
            if not self._settings.hold():
                self.retrace()
                self._settings.see()
            call, tensors = _call_of(args, kwargs)
            with self._lock:
                program = self._find(call) or self._capture(call)
                site = self._site(program)
                if key is not None:
                    if len(self._sites) >= _KEYS:
                        self._sites.clear()
                    self._sites[key] = site
        except Exception as error:
            trim(error)
            raise
        return self._run(site, tensors, [as_array(one) for one in tensors])

    def _run(self, site: Site, tensors: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """Return the result of a call that no entry has taken, and see to it that one takes the next ones."""
        if site in self._entered:
            if not site.holds():
                self.leave(site)
        elif site.is_due():
            self._enter(site)
        return site.call(tensors, arrays)

    def _site(self, program: Program) -> Site:
        """The calls of a program."""
        site = self._graphs.get(id(program))
        if site is None:
            capture: Any = program.capture
            if len(self._graphs) >= _KEYS:
                self._graphs.clear()
            site = self._graphs[id(program)] = Site(program, capture.trace, self)
        return site

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._sites.clear()
            self._graphs.clear()
        self.leave()
        super().cache_clear()

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is captured again."""
        with self._lock:
            self._sites.clear()
            self._graphs.pop(id(program), None)
        self.leave()
        super().forget(program)

    def retrace(self) -> None:
        """Let the next calls trace the object anew: what its Python reads may have changed."""
        with self._lock:
            self._traced = _traceable(self.target, anew=True)
            self._learning = None
        self.cache_clear()

    # ------------------------------------------------------------------------------------------------- captures

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        return _call_of(args, kwargs)[0]

    def _door_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """There is no other door: this is TensorFlow's."""

    def captured(self, call: Call, scope: SizeScope | None = None) -> Captured:
        """Trace the object for a call, and do not keep it; sizes in its kinds may be symbols of `scope`."""
        places = [k for k, kind in enumerate(call.kinds) if isinstance(kind, TensorType)]

        structure = call.structure
        others = [None if k in places else _object_of(leaf) for k, leaf in enumerate(call.leaves)]

        @unconverted
        def arguments(tensors: Sequence[Any]) -> tuple[Any, Any]:
            leaves = list(others)
            for place, tensor in zip(places, tensors, strict=True):
                leaves[place] = tensor
            args, kwargs = unflatten(structure, leaves)
            return args, kwargs

        kinds = {name: call.kinds[place] for place, name in zip(places, self._names_of(call, places), strict=True)}
        with modes.busy():
            traced = trace(self._traced, arguments, kinds, self.name, self._generator, self.options.freeze)
        saved = SavedProgram(self.name, (_signature(traced, call),), _weights(traced.names, traced.variables))
        (captured,) = saving.captured(saved, shared=True)
        fields = {name: getattr(captured, name) for name in Captured.__dataclass_fields__}
        fields["call"] = changed(captured.call, kinds=call.kinds, leaves=list(call.leaves), originals=call.originals)
        return TracedProgram(**fields, trace=traced)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Leave variables that programs assign, at the end of a `with` block, as they were at its beginning."""
        captures: list[Any] = [program.capture for program in self._cache]
        before = [(one, one.read_value()) for capture in captures for one in capture.trace.written]
        try:
            yield
        finally:
            for variable, value in before:
                variable.assign(value)

    def _generator(self) -> Any:
        """The generator of random numbers that have no seed: its own is drawn by `hybridize.random`."""
        if self._random is None:
            words = host_view(bits((2,))).view(numpy.uint64)
            self._random = tf.Variable(numpy.append(words, numpy.uint64(0)), trainable=False, name=GENERATOR)
        return self._random

    def _names_of(self, call: Call, places: Sequence[int]) -> list[str]:
        """Names of the tensors, each once."""
        names = self.leaf_names(call)
        return [f"{names[k]}_{k}" if names.count(names[k]) > 1 else names[k] for k in places]

    def _judge(self) -> Callable[..., Any] | None:
        return self.python_function

    def current(self) -> list[Program]:
        """The programs in the order in which they were made."""
        return list(self._cache)

    def _plain(self, programs: Sequence[Program], names: Mapping[int, str], steps: bool = False) -> SavedProgram:
        """The programs as plain data, with the variables' values of now."""
        weights: dict[str, Any] = {}
        signatures = []
        for program in programs:
            capture: Any = program.capture
            for leaf, kind in zip(capture.call.leaves, capture.call.kinds, strict=True):
                if isinstance(kind, SameObject):
                    raise CaptureError(
                        "E464", f"{self.name} was called with {leaf!r}, which a file does not hold",
                        help="close over it, or pass tensors",
                    )  # fmt: skip
            one: TracedGraph = capture.trace
            weights |= _weights((*one.names, *one.written_names), (*one.variables, *one.written))
            signatures.append(_signature(one, capture.call, writes=True))
        options = {"backend": self.options.backend, "freeze": self.options.freeze}
        return SavedProgram(self.name, tuple(signatures), weights, self._parameters(), options)


def _weights(names: Sequence[str], variables: Sequence[Any]) -> dict[str, NDArray[Any]]:
    return {name: as_array(variable.read_value()) for name, variable in zip(names, variables, strict=True)}


def _signature(traced: TracedGraph, call: Call, *, writes: bool = False) -> SavedSignature:
    """A trace as plain data.

    Args:
        traced: the trace.
        call: that it is of.
        writes: calls write the variables; else the new values of those are no more than outputs.
    """
    leaves = [ARRAY if isinstance(kind, TensorType) else Leaf("constant", leaf)
              for kind, leaf in zip(call.kinds, call.leaves, strict=True)]  # fmt: skip
    graph, names = traced.graph, list(traced.names)
    first = len(graph.inputs) - len(names)
    outputs = graph.outputs[: traced.results]
    written: list[int] = []
    if writes:
        missing = [name for name in traced.written_names if name not in names]
        inputs = list(graph.inputs)
        new = dict(zip(traced.written_names, graph.outputs[traced.results :], strict=True))
        for name in missing:  # assigned without being read
            inputs.append(graph_input(new[name], name))
            names.append(name)
        written = sorted(first + names.index(name) for name in traced.written_names)
        graph = Graph(
            tuple(inputs), graph.nodes, (*outputs, *(new[names[k - first]] for k in written)), graph.constants
        )
    return SavedSignature(
        graph, call.structure, tuple(leaves), traced.structure, (ARRAY,) * len(outputs), tuple(names), tuple(written),
    )  # fmt: skip


def graph_input(like: Any, name: str) -> Any:
    """A value that is an input of the type of another one."""
    return type(like)(like.type, name)


def _call_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, list[Any]]:
    """Take a call apart: with arrays over the tensors' memory; and the tensors, those too that stand for arrays."""
    leaves, structure = flatten((args, kwargs))
    tensors: list[Any] = []
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, (ndarray, numpy.ndarray, numpy.generic)):
            leaf = tf.convert_to_tensor(host_view(leaf) if isinstance(leaf, ndarray) else leaf)
        if type(leaf) is EAGER:
            tensors.append(leaf)
            leaves[number] = wrap(as_array(leaf))
        elif isinstance(leaf, tf.__internal__.CompositeTensor) and not isinstance(leaf, tf.Variable):
            raise CaptureError(
                "E420", f"an argument is a {type(leaf).__name__}, which no program takes", help="pass dense tensors",
            )  # fmt: skip
        elif hasattr(leaf, "__array__"):  # a variable
            leaves[number] = _OBJECTS.setdefault(id(leaf), SameObject(leaf))
    return Call.of(*unflatten(structure, leaves)), tensors


def _of_target(target: Any, options: dict[str, Any]) -> TensorFlowFunction:
    return TensorFlowFunction(target, **options)


def _object_of(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, SameObject) else leaf


def _traceable(target: Any, anew: bool = False) -> Any:
    """Return what TensorFlow is to trace; `anew`: nothing of what it has traced before."""
    if isinstance(target, tf.types.experimental.GenericFunction):
        function = getattr(target, "python_function", None) if anew else None
        return target if function is None else tf.function(function)
    if isinstance(target, tf.types.experimental.Callable):
        return target

    def call(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    return tf.function(call)


def _described(target: Any) -> Any:
    """The function whose parameters name the arguments."""
    call = getattr(target, "call", None)  # of a Keras layer
    return getattr(target, "python_function", None) or call or target


def _name(target: Any) -> str:
    return str(getattr(target, "__name__", None) or getattr(target, "name", None) or type(target).__name__)


def _of_arrays(owner: TensorFlowFunction) -> Callable[..., Any]:
    """A function that calls the object, with arrays of ours too: files are checked by that."""

    def function(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        if not any(isinstance(leaf, ndarray) for leaf in leaves):
            return owner.target(*args, **kwargs)
        leaves = [as_tensor(host_view(leaf).copy()) if isinstance(leaf, ndarray) else leaf for leaf in leaves]
        args, kwargs = unflatten(structure, list(map(_object_of, leaves)))
        with owner.kept():
            results, shape = flatten(owner.target(*args, **kwargs))
        return unflatten(shape, [wrap(as_array(one).copy()) if type(one) is EAGER else one for one in results])

    function.__name__ = function.__qualname__ = owner.name
    return function
