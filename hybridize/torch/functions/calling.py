# SPDX-License-Identifier: Apache-2.0
"""Calls of torch's functions while a program is captured: the entry that stands for one, its arguments, what it writes.

Whatever of torch the function calls arrives here (`apply`): by methods and operators of `TracedTensor`, by
`__torch_function__` where torch's own layers call it, by a mode of torch's where no tensor of the program is among the
arguments.
"""

from __future__ import annotations

import functools
import math
import operator
import re
import types
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy
import torch
from torch.overrides import TorchFunctionMode

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import hint, is_symbolic
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError, DTypeError, HybridizeError, InternalError, ShapeError
from hybridize.base.locations import location_in
from hybridize.base.nested import flatten
from hybridize.base.promotion import number_dtype, python_kind
from hybridize.base.tracebacks import is_said
from hybridize.base.types import same_shape
from hybridize.capture.control.rolled_lists import joined_along, stacked, unroll
from hybridize.capture.python.rolled_calls import as_one
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import CallResult
from hybridize.graph import Value
from hybridize.ops import StopGradient, type_of
from hybridize.system.interruptions import let_through
from hybridize.torch.backward import CALLS, NotRecorded
from hybridize.torch.functions.lists import of_each
from hybridize.torch.functions.operands import SizeNumber, operand
from hybridize.torch.functions.rules import Misfit, check_numbers, check_operands, sizes_in, written_as
from hybridize.torch.functions.table import BY_NAME, FUNCTIONS, IN_PLACE, OPERATORS, REFLECTED, Entry
from hybridize.torch.functions.writing import store
from hybridize.torch.internals import OPERATORS as OF_LIBRARIES
from hybridize.torch.internals import RANGES, SET_GRAD, as_torch, overriding_mode, records, transform
from hybridize.torch.tensors import OWN, TracedTensor, is_traced

AS_IT_IS: set[Any] = {
    SET_GRAD, torch.device, torch.promote_types, torch.can_cast, *RANGES,
}  # fmt: skip
"""Functions of torch that compute nothing, and are called as they are: labels for profilers are those of captures."""
_JOINING: dict[Any, Callable[..., Any]] = {
    torch.stack: lambda tensors, dim=0: stacked(tensors, dim),
    **dict.fromkeys(
        (torch.cat, torch.concat, torch.concatenate), lambda tensors, dim=0: joined_along(tensors, dim)
    ),
}  # fmt: skip
"""Functions that make one tensor of a list, whose items may be those of a loop's rounds."""
_ASTYPE = re.compile(r"""\.astype\(["']?(\w*)[^)]*\)""")
_DEFECTS = (ArithmeticError, AssertionError, AttributeError, KeyError, NameError)
"""Exceptions that PyTorch raises for no arguments that it does not take."""


def apply(trace: Recording, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a program has in the place of `function(*args, **kwargs)`, of torch.

    Raises:
        CaptureError E420: no entry of the table is for it.
    """
    if torch.is_autocast_enabled("cpu"):
        raise trace.refusal("E420", "torch.autocast in a module cannot be compiled", help="use module.bfloat16()")
    if transform() is not None:
        raise trace.refusal(
            "E420",
            "a transform of torch.func, such as vmap, inside of a module cannot be compiled yet",
            help="write the computation for a whole batch with functions of torch",
        )
    if overriding := overriding_mode(Capturing):
        raise trace.refusal(
            "E420",
            f"functions of PyTorch within {overriding} cannot be compiled",
            help="run this part in an island: hybridize.torch.island(...)",
        )
    if trace.root.rolls:
        joined = as_one(_JOINING, function, args, kwargs)
        if joined is not NotImplemented:
            return TracedTensor(joined)
        unroll(trace, (*args, *kwargs.values()))
    handler = CALLS.get(function)
    if handler is not None:
        return handler(trace, *args, **kwargs)
    entry = FUNCTIONS.get(function) or FUNCTIONS.get(getattr(function, "__wrapped__", None))  # `__pow__` wraps `pow`
    call = _derived(function) if entry is None else functools.partial(_with, _called, entry)
    if call is not None:
        try:
            return call(trace, args, kwargs)
        except Exception as error:
            let_through(error)
            problem = _error_for_user(trace, function, args, kwargs, error)
            if problem is error:
                raise
            raise problem from (error if isinstance(problem, InternalError) else None)
    each = of_each(function)
    if each is not None:
        return each(functools.partial(apply, trace), *args, **kwargs)
    if _is_own(function) and isinstance(args[0], torch.Tensor):  # also of one from outside, whose face tells
        return getattr(trace.lifted(args[0]), function.__name__)(*args[1:], **kwargs)
    library: Any = trace.root.library
    if function is SET_GRAD and args[0] and not library.records:
        inference = torch.is_inference_mode_enabled
        infers = trace.root.world.read(CallResult(inference, (), {}), inference(), "inference mode", whole=False)
        if not infers and not trace.root.differentiated and not torch.is_grad_enabled():
            raise NotRecorded("E422", "gradients are recorded inside of a function that is called without")
    if function in AS_IT_IS or _looks(function, args):
        with as_torch():
            return function(*args, **kwargs)
    if isinstance(function, types.FunctionType) and function.__module__.partition(".")[0] == "torch":
        arguments, named = _with_numbers(trace, args), {name: _with_numbers(trace, x) for name, x in kwargs.items()}
        with Capturing():  # where torch asks a mode, that mode is not asked again
            return _as_torch_has_it(function)(*arguments, **named)
    raise unsupported(trace, function)


def _with_numbers(trace: Recording, x: Any) -> Any:
    """Return what is given to a function that torch has in Python, with the numbers in tuples and lists as Python has
    them: sizes and axes, whose classes it asks.
    """
    if type(x) not in (list, tuple):
        return x
    parts = [_as_number(trace, part) if type(part) is Symbol else _with_numbers(trace, part) for part in x]
    return x if all(map(operator.is_, parts, x)) else type(x)(parts)


def _is_open(x: Any) -> bool:
    """Tell whether an argument is a number that stays data."""
    return type(x) is Symbol and x.weak is not None and x._trace.number_of(x) is None


def _error_for_user(
    trace: Recording, function: Any, args: Sequence[Any], kwargs: dict[str, Any], error: Exception
) -> Exception:
    """Return what the user meets of an exception that an entry has raised: that, torch's own, or a refusal.

    What torch does not raise for these arguments is a defect of ours (InternalError E978), whatever its class.
    """
    if location_in(error) is not None or isinstance(error, CaptureError):  # of code of the user's that an entry calls
        return error
    of_class = isinstance(error, TypeError) and not isinstance(error, HybridizeError)
    own = _own_error(function, args, kwargs, TypeError if of_class else Exception)
    if own is not None:
        return own
    if of_class and any(map(_is_open, flatten((args, kwargs), whole=is_traced)[0])):
        return trace.refusal(
            "E422",
            f"a size, an axis or an option of {name_of(function)}() depends on data",
            help="use a size of a tensor, or a number passed as an argument",
        )
    if str(error) in (_TOO_BIG, _UNPACKED):
        return error
    unsaid = isinstance(error, (ValueError, TypeError, LookupError)) and not is_said(error)
    is_defect = unsaid or isinstance(error, (Misfit, ShapeError, *_DEFECTS))
    if isinstance(error, DTypeError):  # in the words of tensors
        error.help = _ASTYPE.sub(lambda cast: f".to({f'torch.{cast[1]}' if cast[1] else '...'})", error.help)
    if not is_defect or isinstance(error, DTypeError):
        return error
    return InternalError(
        "E978",
        f"capturing {name_of(function)} raised {type(error).__name__}: {error}",
        help="please report it; hybridize.torch.island(...) runs a part of a module in PyTorch",
    )


def _own_error(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any], classes: type[Exception]
) -> Exception | None:
    """Return what torch says of arguments that no entry takes: its own words; None where it takes them."""
    try:
        with as_torch():
            tensors = [x for x in flatten((args, kwargs), whole=is_traced)[0] if isinstance(x, torch.Tensor)]
            count = sum(math.prod(map(hint, x.shape)) for x in tensors)
            device = "cpu" if count <= MOST_ASKED else "meta"
            function(
                *(_blank(arg, device) for arg in args),
                **{name: _blank(value, device) for name, value in kwargs.items()},
            )
    except classes as error:
        return error
    except Exception as error:
        let_through(error)
    return None


MOST_ASKED = 2**20
"""The most elements of tensors of which torch is asked what it says: beyond, it sees their sizes and dtypes alone."""


def _blank(x: Any, device: str) -> Any:
    """Return an argument without what only the program knows."""
    if isinstance(x, torch.Tensor):
        return torch.zeros(tuple(map(hint, x.shape)), dtype=x.dtype, device=device)
    if is_symbolic(x):
        return hint(x)
    if type(x) is Symbol:
        number = None if x.weak is None else x._trace.number_of(x)
        return number if number is not None else 1.0 if x.weak is float else 1
    if type(x) is slice:
        return slice(*(_blank(end, device) for end in (x.start, x.stop, x.step)))
    return type(x)(_blank(part, device) for part in x) if type(x) in (list, tuple) else x


class Capturing(TorchFunctionMode):
    """While a module is captured, functions of torch are of the program also where no tensor of it is given to them."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        trace = current_trace()
        if trace is None or trace.root.library is None:  # what Python does while nothing is recorded
            with as_torch():
                return func(*args, **(kwargs or {}))
        return apply(trace, func, args, kwargs or {})


def _not_asked(*args: Any, **kwargs: Any) -> bool:
    return False


ASKING = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


_AS_TORCH_HAS_THEM: dict[types.FunctionType, types.FunctionType] = {}


def _as_torch_has_it(function: types.FunctionType) -> types.FunctionType:
    """Return a function that torch has in Python without its question whether somebody overrides it: it runs as it is.

    What it calls of torch arrives here in its turn, so that only functions written in C need entries.
    """
    known = _AS_TORCH_HAS_THEM.get(function)
    if known is not None:
        return known
    space = {name: _straight(value) for name, value in function.__globals__.items()} | dict.fromkeys(ASKING, _not_asked)
    if function.__globals__.get("overrides") is torch.overrides:
        space["overrides"] = types.SimpleNamespace(**vars(torch.overrides) | dict.fromkeys(ASKING, _not_asked))
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    twin = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells)
    twin.__kwdefaults__ = function.__kwdefaults__
    _AS_TORCH_HAS_THEM[function] = twin  # before its cells: one may hold the function itself
    for cell, of in zip(cells, function.__closure__ or (), strict=True):  # of what chooses one of two, or wraps another
        content = of.cell_contents
        cell.cell_contents = _as_torch_has_it(content) if isinstance(content, types.FunctionType) else content
    return twin


class _Space:
    """A module of torch's, whose functions go to the table at once: those in C take numbers of Python only."""

    def __init__(self, of: types.ModuleType) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        return _straight(getattr(self._of, name))


@functools.cache
def _space(of: types.ModuleType) -> _Space:
    return _Space(of)


def _straight(value: Any) -> Any:
    """Return what torch's own functions find under a name: functions in C by their entries, all else as it is."""
    if isinstance(value, types.ModuleType):
        return _space(value) if value.__name__.partition(".")[0] == "torch" else value
    if not isinstance(value, types.BuiltinFunctionType) or value not in FUNCTIONS:
        return value
    return functools.partial(_computed, value)


def _computed(function: Any, *args: Any, **kwargs: Any) -> Any:
    trace = current_trace()
    return function(*args, **kwargs) if trace is None else apply(trace, function, args, kwargs)


def unsupported(trace: Recording, function: Any) -> CaptureError:
    """The error for a function that no entry is for."""
    return trace.refusal(
        "E420",
        f"{name_of(function)} cannot be compiled yet",
        help="write this part with the functions of docs/guide/pytorch.md; or hybridize.torch.island(...) runs "
        "a part of it in PyTorch",
    )


def name_of(function: Any) -> str:
    """Name a function of torch as users write it."""
    if isinstance(function, OF_LIBRARIES):
        return f"torch.ops.{function}"
    if getattr(function, "__name__", "") in ("__get__", "__set__", "__delete__"):
        function = function.__self__
    name = getattr(function, "__name__", str(function))
    owner = getattr(function, "__objclass__", None) or getattr(function, "__self__", None)
    if owner is not None and "Tensor" in getattr(owner, "__name__", ""):
        return f"torch.Tensor.{name}"
    module = getattr(function, "__module__", None) or "torch"
    return f"{module}.{name}" if module.startswith("torch") and not module.startswith("torch._") else f"torch.{name}"


def _is_own(function: Any) -> bool:
    """Tell whether a function is a method of tensors that those of programs have themselves, or torch's of its name."""
    name = getattr(function, "__name__", "")
    of_class = getattr(function, "__objclass__", None) is not None
    return name in OWN and (of_class or (isinstance(function, types.BuiltinFunctionType) and hasattr(torch, name)))


def _looks(function: Any, args: Sequence[Any]) -> bool:
    """Tell whether a call only looks at attributes of a tensor from outside: its sizes, its dtype."""
    return getattr(function, "__name__", "") == "__get__" and not isinstance(args[0], TracedTensor)


@functools.cache
def _derived(function: Any) -> Callable[..., Any] | None:
    """Return how a function is called that torch derives of another one: an operator, a method that writes."""
    name = getattr(function, "__name__", "")
    for table, call in ((OPERATORS, _called), (REFLECTED, _reflected), (IN_PLACE, _in_place)):
        if name in table:
            entry = BY_NAME.get(table[name])
            return None if entry is None else functools.partial(_operated, functools.partial(_with, call, entry))
    if name.endswith("_") and not name.startswith("__"):
        entry = BY_NAME.get(name) or BY_NAME.get(name[:-1])
        return None if entry is None else functools.partial(_with, _seen_so if entry.views else _in_place, entry)
    if name.endswith("_copy") and (entry := BY_NAME.get(name.removesuffix("_copy"))) is not None and entry.views:
        return functools.partial(_with, _copied, entry)
    entry = None
    if getattr(function, "__objclass__", None) is not None:
        entry = BY_NAME.get(name)
    return None if entry is None else functools.partial(_with, _called, entry)


def _with(call: Any, entry: Entry, trace: Recording, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return call(trace, entry, args, kwargs)


def _operated(call: Callable[..., Any], trace: Recording, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return what an operator gives; NotImplemented for what is neither a tensor nor a number, as torch's do."""
    operands = (torch.Tensor, Symbol, int, float, complex, numpy.generic, numpy.ndarray)
    if not all(isinstance(arg, operands) or is_symbolic(arg) for arg in args):
        return NotImplemented
    return call(trace, args, kwargs)


def _reflected(trace: Recording, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return _called(trace, entry, (args[1], args[0]), kwargs)


def _in_place(trace: Recording, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return write(trace, args[0], _called(trace, entry, args, kwargs))


def _seen_so(trace: Recording, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A view in the place of the tensor that it is of: `x.unsqueeze_(0)`.

    Raises:
        CaptureError E422: the tensor is there before the call.
    """
    face = args[0]
    if type(face) is not TracedTensor or face.of is not None or face.array.exists:
        raise trace.refusal(
            "E422",
            f"{entry.name}_() of a tensor that existed before the call would change its sizes",
            help=f"x.{entry.name}() returns a view of these sizes",
        )
    face.array = _called(trace, entry, args, kwargs).array
    return face


def _copied(trace: Recording, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    out = kwargs.pop("out", None)
    output = _called(trace, entry, args, kwargs)
    copies = [faced(trace, one.array.operand()) for one in (output if isinstance(output, tuple) else (output,))]
    result = tuple(copies) if isinstance(output, tuple) else copies[0]
    return result if out is None else _write_out(trace, out, result)


def _called(trace: Recording, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    out = kwargs.get("out")
    if out is not None:
        kwargs = {name: value for name, value in kwargs.items() if name != "out"}
        if "dtype" in entry.parameters and not isinstance(out, (tuple, list)):
            kwargs = {"dtype": out.dtype} | kwargs
    is_leaf = bool(kwargs.get("requires_grad")) and "requires_grad" not in entry.parameters
    if is_leaf:
        kwargs = {name: value for name, value in kwargs.items() if name != "requires_grad"}
    inplace = "inplace" in entry.parameters and _flag(entry, "inplace", args, kwargs)
    detached = is_detached(trace)
    kwargs = {_spelled(entry, name): value for name, value in kwargs.items()}
    if entry.packed is not None and len(args) > entry.packed:
        args = (*args[: entry.packed], sizes_in(args[entry.packed :]))
    convert = functools.partial(_symbols if entry.views else _operands, trace, detached)
    operands = [convert(value, name) for name, value in zip_longest(entry.places[: len(args)], args, fillvalue="")]
    named = {name: convert(value, name) for name, value in kwargs.items()}
    check_operands(entry, operands, named)
    output = entry.function(*operands, **named)
    if entry.held or entry.scales or entry.fills or entry.whole:
        check_numbers(entry, operands, named, output)
    if detached and entry.views:
        output = _without_history(output, args)
    if out is not None:
        if isinstance(out, (tuple, list)):
            return type(out)(_write_out(trace, one, faced(trace, new)) for one, new in zip(out, output, strict=True))
        return _write_out(trace, out, faced(trace, output))
    face = faced(trace, output)
    if is_leaf:
        return CALLS[torch.Tensor.requires_grad_](trace, face)
    return write(trace, args[0] if args else kwargs["input"], face) if inplace else face


def _without_history(output: Any, args: Sequence[Any]) -> Any:
    """Return views that are made while torch records no gradients; a tensor that was given stays what it is."""
    if type(output) in (tuple, list):
        return type(output)(_without_history(one, args) for one in output)
    if type(output) is not Symbol or output.weak is not None or not is_float(output.dtype):
        return output
    is_argument = any(isinstance(one, TracedTensor) and one.array is output for one in args)
    return output if is_argument else output.view_by(StopGradient())


def is_detached(trace: Recording) -> bool:
    """Tell whether torch records no gradients now, in a program that has some."""
    return trace.differentiated and not records()


def cut(value: Value) -> Value:
    """Return a value through which no gradient goes."""
    return ops.stop_gradient(value) if is_float(type_of(value).dtype) else value


def _spelled(entry: Entry, name: str) -> str:
    """Return the name of the parameter that a keyword is for, which may be another one of torch's, or NumPy's."""
    other = entry.synonyms.get(name) or _NUMPYS.get(name)
    return name if other is None or name in entry.parameters or other not in entry.parameters else other


_VALUES = frozenset({
    "input", "other", "value", "fill_value", "alpha", "beta", "min", "max", "exponent", "x", "y", "self", "data", "out",
    "source", "src", "weight", "mean", "std", "threshold", "index", "start", "length", "key", "element",
    "condition",
})  # fmt: skip
"""Parameters for which a number may be another one at each call of a program; others are sizes, axes and options."""
_TOO_BIG, _UNPACKED = "int too big to convert", "Overflow when unpacking long long"
_NUMPYS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "a": "input", "x2": "other"}


def _flag(entry: Entry, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    place = list(entry.parameters).index(name)
    return bool(args[place] if len(args) > place else kwargs.get(name, False))


def write(trace: Recording, target: Any, source: Any) -> Any:
    """Write a tensor of the program to another one, in whose dtype, and return that.

    Raises:
        RuntimeError: the sizes do not fit, or a kind would be lost; in torch's words.
    """
    symbol = trace.lifted(target).array
    value = source.array.operand() if isinstance(source, TracedTensor) else source
    kind = symbol.type
    if isinstance(value, Value):
        source_kind = type_of(value)
        if tuple(source_kind.shape) != tuple(kind.shape) and _wider(source_kind.shape, kind.shape):
            raise RuntimeError(
                f"output with shape {list(kind.shape)} doesn't match the broadcast shape {list(source_kind.shape)}"
            )
        value = written_as(value, kind.dtype)
    store(symbol, operand(value, kind.dtype, kind.shape))
    return target


def _write_out(trace: Recording, target: Any, source: Any) -> Any:
    """Write a result to the tensor that was given for it, which then has its sizes.

    Raises:
        CaptureError E422: the tensor is there before the call, or a view, and has other sizes.
        RuntimeError: a kind would be lost; in torch's words.
    """
    face = trace.lifted(target)
    shape = source.array.shape
    if len(face.array.shape) == len(shape) and same_shape(face.array.shape, shape):
        return write(trace, target, source)
    if face.of is not None or face.array.exists or not face.array.is_whole:
        raise trace.refusal(
            "E422",
            f"out= of sizes {list(face.array.shape)}, there before the call or a view, for a result of sizes "
            f"{list(shape)}",
            help="pass a tensor of the sizes of the result, or use the return value of the function",
        )
    face.array = Symbol.of(trace, written_as(source.array.operand(), face.array.dtype))
    return target


def _wider(sizes: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Tell whether sizes cannot be broadcast to others."""
    if len(sizes) > len(wanted):
        return True
    pairs = zip(reversed(sizes), reversed(wanted), strict=False)
    return any(x != y and x != 1 for x, y in pairs)


def _as_number(trace: Recording, x: Symbol) -> Any:
    """Return the number that a symbol of one is, which the program then depends on; itself where data decides it."""
    number = trace.number_of(x)
    return x if number is None else number


def _plain(trace: Recording, x: Any, name: str) -> Any:
    """Return a number of NumPy's, or of a subclass of Python's, as the number of Python's that torch takes it for.

    Where torch makes a tensor of `data`, that has NumPy's dtype; a bool of NumPy's is a float to torch's arithmetic.

    Raises:
        TypeError: a bool of NumPy's is no option; in torch's words.
    """
    kind: Any = x.weak if type(x) is Symbol else None if is_symbolic(x) else type(x)
    if type(x) is int and not -(1 << 63) <= x < 1 << 64 and name != "data":
        raise ValueError(_UNPACKED) if name == "source" else OverflowError(_TOO_BIG)
    if kind in (None, bool, int, float) or name == "data" or not issubclass(kind, (int, float, numpy.generic)):
        return x
    if kind is numpy.bool_ and name and name not in _VALUES:
        raise TypeError(f"argument '{name}' must be bool, not numpy.bool")
    if issubclass(kind, numpy.generic):
        wanted = float if issubclass(kind, numpy.bool_) else python_kind(kind)
    else:
        wanted = int if issubclass(kind, int) else float
    if type(x) is not Symbol:
        return wanted(x)
    return Symbol.of(trace, ops.cast(x.operand(), number_dtype(wanted)), weak=wanted)


def _operands(trace: Recording, detached: bool, x: Any, name: str) -> Any:
    """Return an argument as entries get it that compute: tensors as operands, numbers as such where they are known.

    Args:
        trace: the part of the program that is being recorded.
        detached: torch records no gradients.
        x: the argument.
        name: the parameter that it is given for; see `_VALUES`.
    """
    x = _plain(trace, trace.lifted(x), name)
    if isinstance(x, TracedTensor):
        x.check()
        value = x.array.operand()
        return cut(value) if detached else value
    if type(x) is Symbol and x.weak is not None and name not in _VALUES:
        x = _as_number(trace, x)
    if type(x) is Symbol:
        return x.operand() if x.weak is None else SizeNumber(x.operand(), x.weak)
    if type(x) in (list, tuple):
        return type(x)(_operands(trace, detached, part, name) for part in x)
    if isinstance(x, numpy.ndarray) and name != "data":
        raise trace.refusal("E420", "a NumPy array among tensors", help="torch.from_numpy(x) makes a tensor")
    return x


def _symbols(trace: Recording, detached: bool, x: Any, name: str) -> Any:
    """Return an argument as entries get it that make views: tensors as symbols."""
    x = _plain(trace, trace.lifted(x), name)
    if isinstance(x, TracedTensor):
        x.check()
        return x.array
    if type(x) is Symbol and x.weak is not None and name not in _VALUES:
        return _as_number(trace, x)
    if type(x) in (list, tuple):
        return type(x)(_symbols(trace, detached, part, name) for part in x)
    if type(x) is slice:
        return slice(*(_symbols(trace, detached, part, name) for part in (x.start, x.stop, x.step)))
    return x


def faced(trace: Recording, value: Any) -> Any:
    """Return operands and symbols as tensors of the program."""
    if isinstance(value, Value):
        return TracedTensor(Symbol.of(trace, value))
    if type(value) is Symbol:
        return TracedTensor(value) if value.weak is None else value
    if type(value) in (list, tuple):
        return type(value)(faced(trace, part) for part in value)
    if isinstance(value, tuple):  # torch.return_types
        return type(value)([faced(trace, part) for part in value])
    return value
