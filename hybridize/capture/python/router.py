# SPDX-License-Identifier: Apache-2.0
"""The router, which converted code calls wherever capture has to look: reads of the world around, calls, writes,
control flow.

One `Router` belongs to one converted function. Where nothing is captured (a converted closure that outlived its
capture, say) every method does what Python does.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import operator
import sys
import types
import warnings
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, GeneratorType, MethodType
from typing import Any, Final, cast

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol, check_classes, described
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import CODES
from hybridize.base.faces import Face, check_own
from hybridize.base.members import class_member
from hybridize.base.nested import is_sequence_class
from hybridize.base.participation import WritePolicy, fed_of, is_of_package, outside_of, watches_of, write_of
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import special, statements, texts
from hybridize.capture.control.comparisons import comparison
from hybridize.capture.control.identity import is_different, is_same, key_of
from hybridize.capture.control.loops import through
from hybridize.capture.control.operators import and_, choose, compare, or_
from hybridize.capture.control.raising import Finally, Trying
from hybridize.capture.control.rolled import is_rolled
from hybridize.capture.control.rolled_lists import get, unroll
from hybridize.capture.control.selected import comprehension, selected
from hybridize.capture.control.signals import BREAK, CONTINUE, BlockStack, Returned
from hybridize.capture.control.special import KNOWN, is_users_object, iterated
from hybridize.capture.control.truth import Undecided, bool_, not_, plain
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside import trust
from hybridize.capture.outside.objects import is_users
from hybridize.capture.outside.world import World
from hybridize.capture.python import (
    classes,
    contexts,
    definitions,
    direct,
    implicit,
    instances,
    masks,
    rolled_calls,
    unconverted,
    writes,
)
from hybridize.capture.python.arguments import numbers_given
from hybridize.capture.python.builtins import REPLACED
from hybridize.capture.python.elements import ORDER, by_comparison, is_order
from hybridize.capture.python.logs import is_log, logged
from hybridize.capture.python.mathematics import ELEMENTS, member
from hybridize.capture.python.mutators import Held, store
from hybridize.capture.python.spread import Spread
from hybridize.capture.python.tables import is_index, looked_up, refuse_a_round
from hybridize.capture.trace.recording import Recording, Trace, current_trace
from hybridize.contract.places import (
    Attribute,
    CachedResult,
    CallResult,
    Closure,
    Global,
    Imported,
    Inherited,
    Item,
    short,
    static,
)
from hybridize.contract.snapshots import CONTAINERS, MISSING, own
from hybridize.ops.op import imperatively

_BUILTINS = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType,
)  # fmt: skip
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_TABLES = (FunctionType, types.ModuleType, type)
"""Objects whose attributes are looked at as a table of names."""
_INDEXED = (Symbol, ndarray, str, bytes, bytearray, range)
"""Classes, beside lists and tuples, whose items are found by a number."""
_PLAIN = (int, float, complex, str, bytes, type(None))
_OURS = ("hybridize", "numpy", "torch")
_METHODS = (*_BUILTINS, types.ClassMethodDescriptorType, FunctionType, classmethod, staticmethod)
_CONSTANT = (
    Operators, numpy.ndarray, numpy.generic, numpy.dtype, int, float, complex, str, bytes, slice, range, types.CodeType,
    BaseException, Storage,
)  # fmt: skip
"""Classes whose instances have no attributes that change, but for arrays, which are looked at otherwise."""
_TEMPORARY = 2
"""References to an argument that its caller holds no longer: the parameter, and the argument of `getrefcount`."""
_LOOKING = frozenset({"builtins", "copy", "dataclasses", "operator", "_operator", "json", "itertools"})
"""Modules of Python whose functions look into their arguments."""
_CONTEXT: Any = contextlib.contextmanager(cast(Any, iter))
"""The form of what `contextmanager` makes."""
_Key = tuple[Any, ...]


class Router:
    """The `__hybridize__` of one converted function."""

    __slots__ = ("_cells", "function", "names")

    BREAK = BREAK
    CONTINUE = CONTINUE

    # Control flow: see `capture.control`.
    enter: Final = staticmethod(BlockStack)
    returned: Final = staticmethod(Returned)
    done: Final = staticmethod(statements.done)
    block: Final = staticmethod(statements.block)
    if_: Final = staticmethod(statements.if_)
    while_: Final = staticmethod(statements.while_)
    for_: Final = staticmethod(statements.for_)
    choose: Final = staticmethod(choose)
    and_: Final = staticmethod(and_)
    or_: Final = staticmethod(or_)
    not_: Final = staticmethod(not_)
    bool_: Final = staticmethod(bool_)
    compare: Final = staticmethod(compare)
    assert_: Final = staticmethod(statements.assert_)
    raised: Final = staticmethod(statements.raised)
    caught: Final = staticmethod(statements.caught)
    plain: Final = staticmethod(plain)
    binary: Final = staticmethod(special.binary)
    unary: Final = staticmethod(special.unary)
    comparison: Final = staticmethod(comparison)
    is_same: Final = staticmethod(is_same)
    is_different: Final = staticmethod(is_different)
    trying: Final = staticmethod(Trying)
    ending: Final = staticmethod(Finally)
    selected: Final = staticmethod(selected)
    comprehension: Final = staticmethod(comprehension)
    text: Final = staticmethod(texts.text)
    joined: Final = staticmethod(texts.joined)
    percent: Final = staticmethod(texts.percent)

    @staticmethod
    def slice(*parts: Any) -> slice:
        """`start:stop:step`, of which each may be an object that tells its number."""
        return slice(*map(special.index, parts))

    @staticmethod
    def key(value: Any) -> Any:
        """Return what becomes a key of a dict, or a member of a set."""
        trace, value = current_trace(), key_of(plain(value))
        if trace is not None and type(value) not in _PLAIN:
            trace.root.keyed((value,))
        return value

    # Classes of values: see `capture.python.classes`.
    pattern_name = classes.PatternName
    class_pattern: Final = classes.class_pattern
    case_guard: Final = staticmethod(classes.case_guard)
    matched: Final = staticmethod(classes.matched)

    # Functions and classes that are defined: see `capture.python.definitions`.
    decorator: Final = definitions.decorator
    metaclass: Final = staticmethod(definitions.metaclass)

    # Writes: see `capture.python.writes`.
    new: Final = staticmethod(writes.new)
    set_attribute: Final = writes.set_attribute
    delete_attribute: Final = writes.delete_attribute
    delete_item: Final = writes.delete_item
    augmented: Final = staticmethod(writes.augmented)

    def __init__(self, function: FunctionType) -> None:
        self.function: FunctionType = function
        self.names: dict[str, Any] = function.__globals__
        self._cells: dict[str, types.CellType] | None = None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    # ----------------------------------------------------------------------------------------------------- reads

    def read_global(self, name: str, value: Any, whole: bool = True) -> Any:
        """A name of the user's module, or of Python (`max`), which the module has not and may get."""
        trace = current_trace()
        if trace is None:
            return value
        world = trace.root.world
        if name in self.names:
            return world.read(Global(self.names, name), value, name, whole)
        function: Any = self.function
        if function.__builtins__.get(name, MISSING) is not value:
            return value  # of a class around
        return world.read_builtin(function, name)

    def read_class_name(self, name: str, value: Any) -> Any:
        """A name that a class's body binds: until it has done so, one of the module or of Python."""
        return value if self.names.get(name, value) is not value else self.read_global(name, value)

    def read_closure(self, name: str, value: Any, whole: bool = True) -> Any:
        """A variable of a function around the converted one."""
        trace = current_trace()
        if trace is None:
            return value
        return trace.root.world.read(Closure(self._cell(name), name), value, name, whole)

    def read_unbound(self, name: str) -> None:
        """Depend on a variable's having no value: a name of the user's module, or of a function around."""
        trace = current_trace()
        if trace is None:
            return
        place = self._variable("closure" if name in self.function.__code__.co_freevars else "global", name)
        if place.read() is MISSING:
            trace.root.world.read(place, MISSING)

    @staticmethod
    def imported(name: str, value: Any) -> Any:
        """A module that `import` has bound in the function, which may be replaced by another in `sys.modules`."""
        trace = current_trace()
        if trace is not None and not trust.is_trusted_module(name):
            trace.root.world.read(Imported(sys.modules, name), sys.modules.get(name, MISSING), name, whole=False)
        return value

    def imported_from(self, name: str, level: int, attribute: str, value: Any) -> Any:
        """An attribute of a module that `from ... import` has bound in the function."""
        if current_trace() is None:
            return value
        if level:
            name = ".".join(filter(None, (self.names["__package__"].rsplit(".", level - 1)[0], name)))
        module = self.imported(name, sys.modules.get(name))
        return self.read_attribute(module, attribute) if hasattr(module, attribute) else value

    @as_python
    def read_attribute(self, owner: Any, name: str, whole: bool = True) -> Any:
        """`owner.name`."""
        trace = current_trace()
        kind: Any = type(owner)
        if trace is None or kind is Symbol:
            if kind is Symbol and name == "__class__":
                return classes.class_of(owner)
            return _number_attribute(owner, name) if kind is Symbol and owner.weak is not None else getattr(owner, name)
        if trace.root.library is None and direct.is_told(kind):
            value = direct.own_attribute(owner, name)
            if value is not MISSING and (watches := watches_of(owner, name)):
                return trace.root.world.read_told(Attribute(owner, name), value, watches, name, whole)
        if isinstance(array := trace.lifted(owner), (Symbol, Face)):
            return getattr(array, name)
        if isinstance(owner, Undecided):
            return getattr(owner, name)
        if kind is types.ModuleType:
            return _module_attribute(trace.root, owner, name, whole)
        if kind in CONTAINERS:
            return getattr(owner, name)
        if kind is super:
            return _inherited(trace.root.world, owner, name)
        if name == "__dict__":
            return self.call(vars, owner)
        try:
            return attribute(self, trace, owner, name, whole)
        except AttributeError:
            trace.root.world.read_absent(owner, name)
            raise

    @as_python
    def read_item(self, owner: Any, key: Any, whole: bool = True) -> Any:
        """`owner[key]`."""
        trace = current_trace()
        kind: Any = type(owner)
        if trace is None:
            return owner[key]
        if kind is tuple and type(key) is int and trace.root.library is None:
            part = owner[key]
            if type(part) is int:  # of a shape, say
                return part
        if is_users_object(key) and kind in _INDEXED:
            key = special.index(key)
        if isinstance(array := trace.lifted(owner), Symbol):
            check_classes(operator.getitem, array, key)
            return masks.selected(array, key) if masks.selects(array, key) else array[key]
        if isinstance(array, Face):
            return array[key]  # type: ignore[index]  # which the library's have
        if isinstance(owner, numpy.ndarray) and owner.dtype in CODES:
            return owner[plain(key)]  # NumPy has made it of what is known while capturing, as all of it is
        if kind in CONTAINERS:
            return item(self, trace.root, owner, plain(key), whole)
        method = special.method(trace, owner, "__getitem__")
        if method is not None:
            return method(key)
        if isinstance(owner, type) and not trust.is_trusted_class(owner):
            member = trace.root.world.depend_on(Attribute(owner, "__class_getitem__"))
            if is_users(member):
                return self.call(member, key)
        if isinstance(owner, Mapping):
            return item(self, trace.root, owner, plain(key), whole)
        if is_sequence_class(kind) and trace.root.world.is_own(owner):
            part = owner[plain(key)]
            return writes.new(part) if type(key) is slice else part
        trace.root.world.depend_on_state(owner, "__getitem__")
        return trace.root.world.wrap(owner[plain(key)], "an item", whole)

    # ----------------------------------------------------------------------------------------------------- calls

    @as_python
    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`: converted where it is the user's, as it is where it is trusted."""
        trace = current_trace()
        if trace is None:
            return function(*args, **kwargs)
        if (debugger := trust.debugger_name(function)) is not None:
            raise trace.refusal(
                "E420", f"{debugger}() stops Python, which runs none of these lines when the program runs",
                help="run them in Python: with hybridize.disabled(), or HYBRIDIZE_DISABLE=1",
            )  # fmt: skip
        if trace.root.library is None:
            if not trace.root.rolls:
                if direct.is_direct(function, args, kwargs):
                    return self._result(trace, function, trace.root.of_one_line(function, args, kwargs))
                if (layer := direct.owner_of(function, args, kwargs)) is not None:
                    trace.root.world.read_whole(layer)
                    return self._result(trace, function, function(*args, **kwargs))
            check_own(function)
        elif (theirs := trace.root.library.call(function)) is not None:
            return theirs(*args, **kwargs)
        match function:
            case FunctionType() if args and classes.is_dispatcher(function):
                return self.call(classes.implementation(trace, function, args[0]), *args, **kwargs)
            case FunctionType():
                result = self._call_function(trace, function, args, kwargs)
                if type(result) is GeneratorType and not trace.root.world.is_own(result):
                    writes.new(result)
                return result
            case MethodType():
                if isinstance(function.__func__, functools._lru_cache_wrapper):
                    return self._call_cached(trace, function.__func__, (function.__self__, *args), kwargs)
                if not trust.is_trusted_file(getattr(getattr(function.__func__, "__code__", None), "co_filename", "")):
                    _depend_on_method(trace.root.world, function)
                    return self.call(function.__func__, function.__self__, *args, **kwargs)
                return self._call_trusted(trace, function, args, kwargs)
            case type():
                return self._call_class(trace, function, args, kwargs)
            case functools.partial() if getattr(function.func, "__func__", None) is Router.call:
                return function(*args, **kwargs)  # a function of the user's that was handed to trusted code
            case functools.partial():
                _depend_on_partial(trace.root.world, function)
                leading = tuple(map(trace.lifted, function.args))
                named = _lifted_items(trace, function.keywords)
                return self.call(function.func, *leading, *args, **{**function.keywords, **named, **kwargs})
            case functools._lru_cache_wrapper():
                return self._call_cached(trace, function, args, kwargs)
        if type(function) is ORDER:
            return by_comparison(self, function, args, kwargs)
        if not isinstance(function, _BUILTINS):
            method = special.method(trace, function, "__call__")
            if method is not None:
                return method(*args, **kwargs)
        return self._call_trusted(trace, function, args, kwargs)

    def spread(self, function: Any) -> Any:
        """Return a function as it is called with arguments that are unpacked: `function(*args, **kwargs)`."""
        return Spread(self, function)

    def context(self, manager: Any) -> Any:
        """Return the context manager that a `with` enters: methods of the user's are called as all others."""
        trace = current_trace()
        if trace is None:
            return manager
        if isinstance(manager, contexts.OF_GENERATORS):
            return contexts.OfGenerator(manager)
        if isinstance(manager, warnings.catch_warnings):
            return contexts.OfWarnings(manager)
        if _is_of_library(manager):  # `closing(thing)`, say
            functions = [static(type(manager), name) for name in ("__enter__", "__exit__")]
            methods = [convert.converted(function, _Library(function)) for function in functions]
            if all(methods):
                return contexts.OfUsers(
                    manager, *(functools.partial(cast(FunctionType, one), manager) for one in methods)
                )
        enter, leave = special.method(trace, manager, "__enter__"), special.method(trace, manager, "__exit__")
        return manager if enter is None or leave is None else contexts.OfUsers(manager, enter, leave)

    @staticmethod
    def through(iterable: Any) -> Any:
        """Return the iterable that a comprehension goes through, its items guarded."""
        trace = current_trace()
        return iterable if trace is None else through(trace, iterable)

    @staticmethod
    def unpacked(value: Any) -> Any:
        """Return what is unpacked into variables or arguments."""
        if type(value) in KNOWN and type(value) not in CONTAINERS:
            return value
        trace = current_trace()
        if trace is not None:
            special.goes_on(trace, value)
        return iterated(value)

    @staticmethod
    def named(value: Any) -> Any:
        """Return a mapping whose items are given as arguments, with symbols for arrays in a dict."""
        trace = current_trace()
        known = type(value) in CONTAINERS and isinstance(value, Mapping)
        return {**value, **_lifted_items(trace, value)} if known and trace is not None else value

    @staticmethod
    def lifted(value: Any) -> Any:
        """Return the symbol of an array that Python itself has put into a variable; whatever else as it is."""
        trace = current_trace()
        return value if trace is None else trace.lifted(value)

    def _call_cached(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of `functools.cache` or `lru_cache`: what is kept for the arguments, or else computed, by Python."""
        if function.cache_parameters()["maxsize"] == 0:
            return self.call(function.__wrapped__, *args, **kwargs)
        values = [plain(x) for x in (*args, *kwargs.values())]
        if any(isinstance(x, Symbol) for x in values):
            raise trace.refusal(
                "E422", f"{function.__name__}() caches its results by arguments that have no value while capturing",
                help="call the function without its cache, or outside the compiled function",
            )  # fmt: skip
        place = CachedResult(function, tuple(values[: len(args)]), dict(zip(kwargs, values[len(args) :], strict=True)))
        with imperatively():
            value = place.read()
            if value is MISSING:
                if (trace.depth or trace.root.has_written) and unconverted.reads_outside(function.__wrapped__):
                    when = "in a branch that depends on data" if trace.depth else "after a write of the program"
                    raise trace.refusal(
                        "E422", f"{function.__name__}() keeps nothing yet for its arguments, and reads what is outside "
                        f"of it, {when}",
                        help="call it once before the compiled function, or at its beginning",
                    )  # fmt: skip
                value = trace.root.world.computed(place)
        return trace.root.world.read(place, value, function.__name__)

    @as_python
    def _call_function(self, trace: Recording, function: FunctionType, args: Any, kwargs: Any) -> Any:
        if convert.is_converted(function):
            return function(*args, **kwargs)
        if trust.is_trusted_file(function.__code__.co_filename):
            return self._call_trusted(trace, function, args, kwargs)
        if type(function) is not FunctionType:  # Nuitka's say that they are instances of it
            raise unconverted.without_bytecode(trace, function)
        _check_outside(trace, function, args, kwargs)
        trace.root.world.read_code(function)
        target = convert.converted(function, Router(function))
        if target is None:
            unroll(trace, (*args, *kwargs.values()))
            return unconverted.called(self, trace, function, args, kwargs)
        if function.__defaults__ or function.__kwdefaults__:
            kwargs = {**_default_arrays(trace.root.world, function, args, kwargs), **kwargs}
        try:
            return target(*args, **kwargs)
        except NameError as error:
            written = convert.as_written(error)
            if written is error:
                raise
            raise written from None

    def _call_class(self, trace: Recording, kind: Any, args: Any, kwargs: Any) -> Any:
        call = special.method(trace, kind, "__call__")  # of its metaclass
        if call is not None:
            return call(*args, **kwargs)
        return self._instance(trace, kind, args, kwargs)

    def _instance(self, trace: Recording, kind: Any, args: Any, kwargs: Any) -> Any:
        """Return an instance of a class, as `type.__call__` makes it."""
        if not trust.is_trusted_class(kind):
            for name in ("__new__", "__init__"):
                trace.root.world.depend_on(Attribute(kind, name))  # the class may get another
        if instances.is_made_here(kind):
            return instances.make(self, kind, args, kwargs)
        instance = self._call_trusted(trace, kind, args, kwargs)
        # A class with a `__new__` of its own may give an object that was there before.
        plain = static(kind, "__new__") is static(object, "__new__")
        new = (plain or trust.is_trusted_class(kind)) and not isinstance(
            instance, (Operators, type)
        )  # `type(x)` gives one
        return writes.new(instance) if new else instance

    @as_python
    def _call_trusted(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        if type(function) is Symbol:
            raise TypeError(f"{(function.weak or Symbol).__name__!r} object is not callable")
        for value in (getattr(function, "__self__", None), *args, *kwargs.values()):
            special.goes_on(trace, value)
        is_hashable = type(function).__hash__ is not None  # else it is in no table
        for rule in _RULES_OF_OBJECTS if is_hashable else _RULES_OF_UNHASHABLE:
            value = rule(self, trace, function, args, kwargs)
            if value is not NotImplemented:
                return value
        if is_hashable:
            args = implicit.python_arguments(self, function, args)
            for rule in _RULES:
                value = rule(self, trace, function, args, kwargs)
                if value is not NotImplemented:
                    return value
        return self._call_as_it_is(trace, function, args, kwargs)

    def _by_rolled_loops(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        return rolled_calls.answer(trace, function, args, kwargs) if trace.root.rolls else NotImplemented

    def _by_replacement(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        replaced = REPLACED.get(function)
        if replaced is None:
            return NotImplemented
        try:
            return replaced(self, *args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            return NotImplemented  # these are no arguments for it: the function itself says so, by its own name

    def _of_text(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        return texts.method(owner, function.__name__, args, kwargs) if type(owner) is str else NotImplemented

    def _of_weak_references(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if isinstance(function, weakref.ref) and not args and not kwargs:
            return trace.root.world.read_referent(function)
        if type(owner) is weakref.WeakValueDictionary and function.__name__ == "get" and args and not kwargs:
            return self._found_weakly(trace.root.world, owner, *args)
        return NotImplemented

    def _of_logs(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        if not is_log(trace, function, args):
            return NotImplemented
        logged(trace, function, args, kwargs)
        return None

    def _of_masked_arrays(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, masks.Masked):
                return masks.applied(function, args, kwargs)
        return NotImplemented

    def _of_numbers(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if type(owner) is Symbol and function.__name__ in ELEMENTS:
            value = ELEMENTS[function.__name__](owner, *args, **kwargs)
            return writes.new(value) if type(value) is list else value
        if type(owner) in (int, float) and any(map(is_symbolic, args)):
            return function(*(int(x) if is_symbolic(x) else x for x in args))  # (2).__eq__(n) does not know of sizes
        return NotImplemented

    def _of_containers(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if type(owner) in CONTAINERS:
            return writes.container_method(self, trace, owner, function.__name__, args, kwargs)
        if not (isinstance(function, _DESCRIPTORS) and args and type(args[0]) in CONTAINERS):  # list.append(log, x)
            return NotImplemented
        if getattr(type(args[0]), function.__name__, None) != function:
            raise trace.refusal(
                "E431", f"{function.__qualname__}() on a {type(args[0]).__name__}, which overrides it",
                help=f"call {type(args[0]).__name__}.{function.__name__}()",
            )  # fmt: skip
        return writes.container_method(self, trace, args[0], function.__name__, args[1:], kwargs)

    def _refusing(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        opaque = trust.opaque_name(function)
        if opaque is not None:
            raise trace.refusal(
                "E420", f"{opaque}() draws or reads in Python, but only once, while the program is captured",
                help="call it outside the compiled function and pass the result as an argument; use hybridize.random "
                "to draw inside",
            )  # fmt: skip
        wrapped = getattr(function, "__wrapped__", None)
        if isinstance(wrapped, FunctionType) and not trust.is_trusted_file(wrapped.__code__.co_filename):
            unconverted.depend_on_names(trace, wrapped)
        _check_outside(trace, function, args, kwargs)
        return NotImplemented

    def _found_weakly(self, world: World, table: Any, key: Any, default: Any = None) -> Any:
        """`get` of a dict whose values it does not keep alive."""
        reference = table.data.get(key, MISSING)
        world.read(Item(table.data, key), reference, repr(key), whole=False)
        referent = None if reference is MISSING else world.read_referent(reference)
        return default if referent is None else referent

    def _converted_call(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        """Return what a function of Python's gives that ends in code of the user's; NotImplemented for all others."""
        followed = self._followed(function, args, kwargs)
        if followed is not None:
            return followed()
        if type(function) is types.MethodWrapperType:  # of `super()`, in a method of the user's of that name
            owner = function.__self__
            if function.__name__ == "__setattr__":
                return store(self, owner, *args)
            if function.__name__ == "__call__" and isinstance(owner, type):
                return self._instance(trace, owner, args, kwargs)
            if function.__name__ == "__getattribute__":
                return attribute(self, trace, owner, args[0], True, inherited=True)
        if getattr(function, "__name__", "") == "__instancecheck__" and not kwargs:
            return classes.asked_base(function, args)
        if function is object.__getattribute__:
            return attribute(self, trace, args[0], args[1], True, inherited=True)
        if function is type.__call__:
            return self._instance(trace, args[0], args[1:], kwargs)
        return NotImplemented

    @as_python
    def _call_as_it_is(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if getattr(function, "__module__", None) == "pprint" and any(map(_needs_call, (*args, *kwargs.values()))):
            raise trace.refusal(
                "E424", f"pprint.{function.__name__}() of values that are known only at run time",
                help="use print() or f-strings, which format the values at each call",
            )  # fmt: skip
        args, kwargs = numbers_given(function, args, kwargs)
        if trust.asks_interpreter(function) and not any(isinstance(x, Symbol) for x in (*args, *kwargs.values())):
            place = CallResult(function, args, kwargs)
            return trace.root.world.read(place, place.read(), getattr(function, "__name__", ""))
        name = getattr(function, "__name__", "__call__")
        world = trace.root.world
        if trust.goes_by_decimal_context(function, (owner, *args)):
            world.read_decimal_context()
        seen = world.before_call(function if owner is None else owner, name)
        world.try_out(owner, name, args, kwargs)
        if owner is builtins or getattr(function, "__module__", None) in _LOOKING:
            for argument in args:
                if type(argument) not in CONTAINERS:
                    world.depend_on_state(argument, name)
        if any(isinstance(argument, (*trust.FUNCTIONS, ORDER)) for argument in args) or kwargs:
            args = tuple(self.handed(argument) for argument in args)
            kwargs = {name: self.handed(argument) for name, argument in kwargs.items()}
        snapshot = Held(trace, args)
        undone = trace.depth or trace.root.aliases.watches
        changeable = writes.Changeable(trace, (owner, *args), name) if undone else None
        objects = implicit.handed(function, args, kwargs)
        calling = unconverted.Implicit(trace, self, function, objects) if objects else None
        result = function(*args, **kwargs)
        snapshot.check(function)
        if changeable is not None:
            changeable.check()
        if calling is not None:
            calling.check()
            calling.finish(result)
        if seen is not None:
            world.after_call(seen, name)
        return self._result(trace, function, result)

    @staticmethod
    def _result(trace: Recording, function: Any, result: Any) -> Any:
        """Return what a function has given that was called as it is, as converted code gets it."""
        world = trace.root.world
        kind: Any = type(result)
        if kind is Symbol:
            return result
        if issubclass(kind, ndarray) or isinstance(result, numpy.ndarray):
            return trace.lifted(result)
        if instances.is_maker(function) and not trust.is_trusted_class(kind):
            return writes.new(result)
        if (kind in CONTAINERS and not world.is_outside(result)) or (
            trust.is_iterator(result) and not world.is_own(result)
        ):
            writes.new(result)
        return result

    def _followed(self, function: Any, args: Any, kwargs: Any) -> Callable[[], Any] | None:
        """A call of a function of Python's library that is converted, as it calls what the user wrote; None for others.

        Such are the functions of a few modules where they are given objects of the user's classes.
        """
        if isinstance(function, MethodType):
            function, args = function.__func__, (function.__self__, *args)
        if not isinstance(function, FunctionType) or not trust.is_library(function):
            return None
        if is_context(function):
            generator = self.handed(cast(Any, function).__wrapped__)
            return functools.partial(contextlib.contextmanager(generator), *args, **kwargs)
        if not any(map(_holds_users, (*args, *kwargs.values()))):
            return None
        target = convert.converted(function, _Library(function))
        return None if target is None else functools.partial(target, *args, **kwargs)

    def handed(self, argument: Any) -> Any:
        """A function of the user's that trusted code will call: converted when it is called."""
        if is_order(argument):
            return functools.partial(self.call, argument)
        if not isinstance(argument, trust.FUNCTIONS):
            return argument
        inner: Any = argument.__func__ if isinstance(argument, MethodType) else argument
        code = getattr(inner, "__code__", None)
        trusted = code is not None and trust.is_trusted_file(code.co_filename) and outside_of(argument) is None
        if code is None or convert.is_converted(inner) or (trusted and not _is_followed(argument)):
            return argument
        return functools.wraps(argument)(functools.partial(self.call, argument))

    # ---------------------------------------------------------------------------------------------------- writes

    def set_item(self, value: Any, owner: Any, key: Any) -> None:
        """`owner[key] = value`."""
        if type(value) is Symbol and sys.getrefcount(value) <= _TEMPORARY:
            value = writes.consumed(value)
        writes.set_item(self, value, owner, key)

    def attribute_before(self, owner: Any, name: str) -> tuple[Any, str, Any]:
        """Return what `owner.name += value` goes by: the owner, and the attribute before `value` is computed."""
        return owner, name, self.read_attribute(owner, name)

    def update_attribute(self, read: tuple[Any, str, Any], method: str, value: Any) -> None:
        """`owner.name += value`, or another operator."""
        owner, name, before = read
        after = writes.augmented(before, method, value)
        # Arrays are written in place; what a class has becomes the owner's own.
        in_place = after is before and isinstance(after, (Operators, Face))
        if not in_place or (name not in own(owner) and not isinstance(after, Face)):
            writes.set_attribute(self, after, owner, name)

    def item_before(self, owner: Any, key: Any) -> tuple[Any, Any, Any]:
        """Return what `owner[key] += value` goes by: owner and key, and the item before `value` is computed."""
        return owner, key, self.read_item(owner, key)

    def update_item(self, read: tuple[Any, Any, Any], method: str, value: Any) -> None:
        """`owner[key] += value`, or another operator."""
        owner, key, before = read
        writes.set_item(self, writes.augmented(before, method, value), owner, key)

    def rebinding(self, kind: str, name: str, deletes: bool = False) -> None:
        """Before a write to a variable that is not the function's own, or its `del`.

        Args:
            kind: of a variable: "global", of the module; "closure", of a function around the converted one;
                "enclosing", of one around that is converted too.
            name: of it.
            deletes: it is deleted, which is an exception where it has no value.
        """
        trace = current_trace()
        if trace is None:
            return
        if trace.depth:
            whose = "function around" if kind == "enclosing" else "surroundings"
            raise writes.refused(trace, f"the variable {name!r} of the {whose} is {'deleted' if deletes else 'set'}")
        if kind == "enclosing":
            trace.changes_own(None, "")  # nobody knows in which round of a loop that function was called
            return
        place = self._variable(kind, name)
        trace.root.world.remember(place)
        if deletes:
            trace.root.world.depend_on(place)

    def rebound(self, kind: str, name: str, value: Any = MISSING) -> None:
        """After it: the variable has a value, or is MISSING."""
        trace = current_trace()
        if trace is not None and kind != "enclosing":
            trace.root.world.write(self._variable(kind, name), value, done=True)

    def _variable(self, kind: str, name: str) -> Global | Closure:
        return Closure(self._cell(name), name) if kind == "closure" else Global(self.names, name)

    def _cell(self, name: str) -> types.CellType:
        """The cell of a variable of a function around the converted one."""
        if self._cells is None:
            self._cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        return self._cells[name]


_Rule = Callable[[Router, Recording, Any, Any, Any], Any]
_RULES_OF_OBJECTS: tuple[_Rule, ...] = (
    Router._by_rolled_loops,  # before all: items of a loop's rounds are no values that others could take
    implicit.answer,
)
"""Rules of calls of trusted functions on objects, in order: the first that does not give NotImplemented decides."""
_RULES: tuple[_Rule, ...] = (
    Router._by_replacement,
    Router._converted_call,
    Router._of_text,
    Router._of_weak_references,
    Router._of_logs,
    Router._of_masked_arrays,
    Router._of_numbers,
    Router._of_containers,
    Router._refusing,  # last: what no rule knows is called as it is, if it gives the same at each call
)
"""The same with the numbers that objects give for themselves in their places."""
_OF_TABLES = (implicit.answer, Router._by_replacement)
"""Those that look the function up in a table."""
_RULES_OF_UNHASHABLE = tuple(rule for rule in _RULES_OF_OBJECTS + _RULES if rule not in _OF_TABLES)
"""Rules of calls of what no table can hold."""


class _Library(Router):
    """The `__hybridize__` of a function of Python's library, or of another one: its own names are constant.

    Args:
        function: it.
        within: the package or module whose functions are followed when it calls them; "" for none but Python's.
    """

    __slots__ = ("_within",)

    def __init__(self, function: FunctionType, within: str = "") -> None:
        super().__init__(function)
        self._within = within

    def read_global(self, name: str, value: Any, whole: bool = True) -> Any:
        return value

    def read_closure(self, name: str, value: Any, whole: bool = True) -> Any:
        return super().read_closure(name, value, False)

    @as_python
    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return id(*args) if function is id else super().call(function, *args, **kwargs)

    def _followed(self, function: Any, args: Any, kwargs: Any) -> Callable[[], Any] | None:
        if isinstance(function, MethodType) and self._is_within(function.__func__):
            function, args = function.__func__, (function.__self__, *args)
        if isinstance(function, FunctionType) and (trust.is_library(function) or self._is_within(function)):
            target = convert.converted(function, _Library(function, self._within))
            return None if target is None else functools.partial(target, *args, **kwargs)
        return super()._followed(function, args, kwargs)

    def _is_within(self, function: Any) -> bool:
        of_python = isinstance(function, FunctionType) and bool(self._within)
        return of_python and f"{function.__module__}.".startswith(f"{self._within}.")


def library_router(function: FunctionType, within: str = "") -> Router:
    """Return the router of a function of a library that is converted because it calls what is the user's, or decides
    by data; functions of the package `within` that it calls are converted, too.
    """
    return _Library(function, within)


def is_context(function: Any) -> bool:
    """Tell whether a function is what `contextlib.contextmanager` has made of one of the user's."""
    wrapped = getattr(function, "__wrapped__", None)
    return (
        isinstance(wrapped, FunctionType)
        and function.__code__ is _CONTEXT.__code__
        and not trust.is_trusted_file(wrapped.__code__.co_filename)
    )


def _is_followed(function: Any) -> bool:
    """Tell whether the library that is captured has something else in the place of a method."""
    trace = current_trace()
    library = None if trace is None else trace.root.library
    return library is not None and isinstance(function, MethodType) and library.call(function) is not None


def _is_of_library(manager: Any) -> bool:
    """Tell whether a context manager of Python's library has an object of the user's that it calls methods of."""
    names = ("__enter__", "__exit__")
    functions = [static(type(manager), name) for name in names]
    if not all(isinstance(function, FunctionType) and trust.is_library(function) for function in functions):
        return False
    return any(map(_holds_users, own(manager).values()))


def _needs_call(value: Any) -> bool:
    """Tell whether text of a value is made at each call."""
    return texts.of_data(value) or texts.speaks(value)


def _holds_users(value: Any, depth: int = 3) -> bool:
    """Tell whether a value is an object of a class of the user's, or a container with one."""
    if type(value) in CONTAINERS:
        parts = value.values() if isinstance(value, dict) else value
        return depth > 0 and any(_holds_users(part, depth - 1) for part in parts)
    return is_users_object(value)


def routed(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as capture calls it: converted where it is the user's."""
    return functools.partial(_OUTSIDE.call, function)


def context(manager: Any) -> Any:
    """Return a context manager as capture enters it."""
    return _OUTSIDE.context(manager)


def _check_outside(trace: Recording, function: Any, args: Any, kwargs: Any) -> None:
    """Refuse a call of a function that declares that it cannot be part of a captured call.

    Raises:
        CaptureError E407: it is one.
    """
    outside = outside_of(function)
    if outside is not None and outside.holds(function, args, kwargs):
        raise trace.refusal(
            "E407", f"{function.__qualname__}() inside of a compiled function: it {outside.does}, which Python would "
            "have to do at each call",
            help=outside.help,
        )  # fmt: skip


def _number_attribute(symbol: Symbol, name: str) -> Any:
    """An attribute of a Python number."""
    kind: Any = symbol.weak
    if not hasattr(kind, name):
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise AttributeError(f"'{module}{kind.__name__}' object has no attribute {name!r}")
    number = plain(symbol)
    return member(symbol, name) if number is symbol else getattr(number, name)


def _depend_on_partial(world: World, function: functools.partial[Any]) -> None:
    """Depend on the arguments that a partial function holds, of which keywords can be replaced."""
    for argument in function.args:
        if type(argument) in CONTAINERS or isinstance(argument, numpy.ndarray):
            world.wrap(argument, "an argument")
    if not world.is_own(function):
        world.read_content(function.keywords, "the keywords of a partial function")


def _depend_on_method(world: World, method: MethodType) -> None:
    """Depend on a method's being what its object has under its name."""
    owner, name = method.__self__, method.__func__.__name__
    if getattr(owner, name, None) == method:
        read_member(world, owner, name)


def read_member(world: World, owner: Any, name: str) -> Any:
    """Give an attribute that is a method of the user's, and depend on it: its class and the object can get another."""
    value = getattr(owner, name)
    if world.has_own_class(owner) and name not in own(owner):
        world.depend_on(Attribute(type(owner), name))
    else:
        world.read(Attribute(owner, name), value, name, whole=False)
    return value


def _inherited(world: World, owner: Any, name: str) -> Any:
    """An attribute that `super()` finds."""
    value = getattr(owner, name)
    if not isinstance(value, trust.FUNCTIONS) or not is_users(value):
        return value
    receiver = owner.__self__
    world.depend_on(Inherited(owner.__thisclass__, type(receiver) if world.has_own_class(receiver) else receiver, name))
    return value


@as_python
def _module_attribute(root: Trace, module: types.ModuleType, name: str, whole: bool) -> Any:
    try:
        value = getattr(module, name)
    except AttributeError:
        root.world.read(Global(vars(module), name), MISSING)
        raise
    if trust.is_trusted_module(module.__name__):
        of_python = not module.__name__.startswith(_OURS) and (
            type(value) in CONTAINERS or callable(value) or isinstance(value, _PLAIN)
        )
        if not of_python:
            return value
    if name in vars(module):  # of Python's, too: `sys.argv` can be changed, and `math.sqrt` replaced
        return root.world.read(Global(vars(module), name), value, name, whole)
    return root.world.wrap(value, name, whole)


@as_python
def attribute(router: Router, trace: Recording, owner: Any, name: str, whole: bool, inherited: bool = False) -> Any:
    """An attribute of an object of any class; `inherited`, as `object.__getattribute__` gives it."""
    kind: Any = type(owner)
    world = trace.root.world
    member = static(kind, name)
    fed = fed_of(kind)
    if (
        is_users_object(owner)
        and (answer := _user_attribute(trace, owner, name, member, whole, inherited)) is not MISSING
    ):
        return answer
    if name in fed and not world.is_own(owner):
        return _fed(trace, owner, name, fed[name])
    if isinstance(member, property) and isinstance(member.fget, FunctionType):
        if trust.is_trusted_file(member.fget.__code__.co_filename):
            value = router.call(member.fget, owner)
            world.read_opaque(Attribute(owner, name), value)
            return value
        world.read_class(owner, name, member)
        return router.call(member.fget, owner)
    if isinstance(member, functools.cached_property) and name not in own(owner):
        world.read_class(owner, name, member)
        if not world.is_own(owner):
            world.read(Item(vars(owner), name), MISSING)
        value = router.call(member.func, owner)
        router.set_attribute(value, owner, name)
        return value
    if isinstance(owner, type) and isinstance(static(owner, name), functools.singledispatchmethod):
        return classes.dispatched_method(router, static(owner, name), None, owner)
    if isinstance(member, functools.singledispatchmethod):
        world.read_class(owner, name, member)
        return classes.dispatched_method(router, member, owner, kind)
    mine = own(owner)
    watches = watches_of(owner, name)
    if watches:
        value = getattr(owner, name)
        if is_users(value) and isinstance(value, MethodType):
            return read_member(world, owner, name)
        if isinstance(member, _METHODS) and name not in mine:
            world.read_method(kind, name)
        elif name not in mine and member is not MISSING and not hasattr(member, "__get__"):
            world.read(Attribute(kind, name), value, name, whole=False)  # nobody tells that a class gets another one
        return world.read_told(Attribute(owner, name), value, watches, name, whole)
    if trust.is_trusted_class(kind) and not isinstance(owner, type):
        value = getattr(owner, name)
        if isinstance(owner, _CONSTANT) and name not in mine:
            return trace.lifted(value)
        if isinstance(member, _METHODS) and name not in mine:
            if is_of_package(kind):
                world.read_method(kind, name)
            return trace.lifted(value)
        persistent = name in mine and (
            isinstance(value, ndarray) or write_of(kind) is WritePolicy.EFFECT
        )  # of a namespace, say
        if persistent and not world.is_own(owner) and not isinstance(value, Symbol):
            return world.read(Attribute(owner, name), value, name, whole)
        world.read_opaque(Attribute(owner, name), value)
        return world.wrap(value, name, whole)
    if isinstance(member, (FunctionType, classmethod, staticmethod)) and name not in mine:
        return read_member(world, owner, name)
    if member is MISSING and name not in mine and not isinstance(owner, type):
        dynamic = special.method(trace, owner, "__getattr__")
        if dynamic is not None:
            world.read_absent(owner, name, own=True)
            return dynamic(name)
    value = getattr(owner, name)
    if isinstance(owner, type) and trust.is_trusted_class(owner) and not isinstance(value, (int, float, str)):
        return value
    is_kept = name in mine or member is value or type(member) is types.MemberDescriptorType
    if isinstance(value, trust.FUNCTIONS) and not is_users(value) and not is_kept:
        return value  # made at each look: `super().__init__`, a method of a class of Python's
    if world.is_own(owner) and type(value) in CONTAINERS and Attribute(type(owner), name).read() is MISSING:
        return value
    if world.has_own_class(owner) and name not in mine and member is not MISSING:
        if hasattr(type(member), "__get__"):  # a slot, a field of a named tuple: the class has what gives it
            world.read_descriptor(owner, name)
            return world.wrap(value, name, whole)
        return world.read(Attribute(kind, name), value, name, whole)  # of the class
    return world.read(Attribute(owner, name), value, name, whole)


def _user_attribute(trace: Recording, owner: Any, name: str, member: Any, whole: bool, inherited: bool) -> Any:
    """An attribute that code of the user's gives, a `__getattribute__` or a descriptor; MISSING for all others."""
    world, mine = trace.root.world, own(owner)
    reading = None if inherited or name == "__class__" else special.method(trace, owner, "__getattribute__")
    if reading is not None:
        try:
            return reading(name)
        except AttributeError:
            dynamic = special.method(trace, owner, "__getattr__")
            if dynamic is None:
                raise
            return dynamic(name)
    if isinstance(owner, type):
        return MISSING
    if inherited and name in mine and not hasattr(type(member), "__set__"):
        value = mine[name]
        return (
            world.wrap(value, name, whole) if world.is_own(owner) else world.read(Item(mine, name), value, name, whole)
        )
    if name == "__dict__" and world.is_own(owner):
        return writes.new(mine)
    get = special.method(trace, member, "__get__")
    data = static(type(member), "__set__") is not MISSING or static(type(member), "__delete__") is not MISSING
    if get is None or (name in mine and not data):
        return MISSING
    if not (data or world.is_own(owner)) and hasattr(owner, "__dict__"):
        world.read_absent(owner, name, own=True)  # what the object itself gets hides it
    world.read_descriptor(owner, name)
    return get(owner, type(owner))


def _fed(trace: Recording, owner: Any, name: str, kind: type | None) -> Any:
    """Return a number that calls change, a learning rate say: at each call what it is when its turn comes.

    Raises:
        CaptureError E407: it is no number.
    """
    if kind is None:
        raise trace.refusal(
            "E407", f"{type(owner).__name__}.{name} is read inside a compiled function, whose calls change it",
            help="read it outside, after the call",
        )  # fmt: skip
    with imperatively():
        now = getattr(owner, name)
    return now if isinstance(now, Operators) else trace.reading(functools.partial(getattr, owner, name), kind)


@as_python
def item(router: Router, root: Trace, owner: Any, key: Any, whole: bool) -> Any:
    """An item of a container."""
    world = root.world
    if type(owner) in (list, tuple, deque) and type(key) not in KNOWN:
        key = special.index(key)
    ends = [plain(end) for end in (key.start, key.stop, key.step)] if type(key) is slice else []
    if any(type(end) is Symbol for end in ends):
        raise root.refusal(
            "E402", f"a slice of a {type(owner).__name__} whose ends depend on the data, so its length does too",
            help="keep all items, and loop over them with for i in range(len(...)) and if i < n",
        )  # fmt: skip
    if is_rolled(owner):
        return writes.new(get(owner, key)) if type(key) is slice else get(owner, key)
    if isinstance(key, Symbol):
        if isinstance(owner, (dict, set)):
            raise root.refusal(
                "E422",
                f"{described(key)} cannot be used as a key: it has no value while capturing",
                help="use Python values as keys",
            )
        if type(owner) in (list, tuple) and is_index(key):
            refuse_a_round(key)
            if world.is_outside(owner):
                world.read_content(owner)
            return looked_up(owner, key)
        return owner[key]  # asks for its number
    if isinstance(owner, (dict, set)):
        key = key_of(key, owner)
    outside = world.is_outside(owner) or type(owner) not in CONTAINERS
    if isinstance(owner, (dict, set)) and type(key) not in _PLAIN:
        root.keyed((key,), owner)
    if type(owner) is defaultdict and key not in owner and world.is_users(owner):
        world.read(Item(owner, key), MISSING)
        factory = world.read(Attribute(owner, "default_factory"), owner.default_factory, "default_factory", whole=False)
        if factory is not None:
            writes.set_item(router, router.call(factory), owner, key)
        return owner[key]
    missing = None if type(owner) in CONTAINERS else class_member(type(owner), "__missing__")
    if missing is not None and key not in owner:  # of a `Counter`, say
        if not world.is_own(owner):
            world.read(Item(owner, key), MISSING)
        return router.call(missing, owner, key)
    try:
        value = owner[key]
    except LookupError as error:
        if outside:
            world.read_missing(owner, key)
        if type(owner) in CONTAINERS and type(key) is str:
            root.certain = error
        raise
    if not outside:
        return root.lifted(value)
    if isinstance(owner, tuple):
        return world.wrap(value, repr(key), whole)
    if type(owner) is list and type(key) is slice:
        world.read_content(owner)
        return writes.new(value)
    if type(owner) is weakref.WeakValueDictionary:
        references = cast("Any", owner).data
        return world.read_referent(world.read(Item(references, key), references[key], repr(key), whole=False))
    return world.read(Item(owner, key), value, short(key), whole)


def _lifted_items(trace: Recording, named: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays among values, lifted."""
    symbols = {name: trace.lifted(value) for name, value in named.items()}
    return {name: value for name, value in symbols.items() if value is not named[name]}


def _default_arrays(
    world: World, function: FunctionType, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Arrays that are defaults of a call, lifted: operators of NumPy's would compute while capturing, and sides of a
    branch are to find one array.
    """
    defaults, code = function.__defaults__ or (), function.__code__
    first = code.co_argcount - len(defaults)
    count = max(0, len(args) - first, code.co_posonlyargcount - first)
    values = dict(zip(code.co_varnames[first + count : code.co_argcount], defaults[count:], strict=True))
    values.update(function.__kwdefaults__ or {})
    return {
        name: world.wrap(default, name)
        for name, default in values.items()
        if isinstance(default, ndarray | numpy.ndarray) and name not in kwargs
    }


def _nothing() -> None:
    """The function of the router that belongs to none."""


_OUTSIDE = Router(cast(FunctionType, _nothing))
