# SPDX-License-Identifier: Apache-2.0
"""Between arrays and operands: what a function was given becomes operands of equal dtype and shape, and results arrays.

x + 2.0      ndarray, number   ->  operands()   ndarray's buffer, 2.0
                                   aligned()    both float32, both of one shape: explicit Cast and Broadcast nodes
                                   bind1(Add)   an operand
                                   result()     ndarray, or Symbol while capturing
"""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar
from typing import cast as as_type

import numpy

from hybridize.array.device import OTHERS, FirstUse, begin_on, when_used
from hybridize.array.methods import functions
from hybridize.array.nd_array import IN_USE, holds_nd, plain, when_made, without_nd
from hybridize.array.ndarray import is_content, ndarray, taping, wrap
from hybridize.array.placing import located
from hybridize.array.staging import Staging, staging
from hybridize.array.symbol import Symbol, refusal
from hybridize.array.traced import Traced
from hybridize.base import dims, dtypes, errors
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import index_numbers as index_numbers_of
from hybridize.base.frozen import frozen
from hybridize.base.locations import is_users
from hybridize.base.promotion import NUMBERS, default_dtype, floating, python_kind, result_dtype, weak_kind
from hybridize.base.settings import arguments_of
from hybridize.base.spans import LISTENERS, OPERATION, span
from hybridize.base.tracebacks import is_misfit, trim
from hybridize.base.types import Shape, TensorType, same_shape, surely_same
from hybridize.ops import Broadcast, Cast, Concat, Iota, Isnan, Reshape, Where, size_of
from hybridize.ops.op import ACTIVE, Operand, bind1, capturing, constant, current, type_of

# NaN and infinity are values: as in MXNet and PyTorch, computing them is no event. Only warnings that NumPy would
# attribute to our own lines are left out; the user's NumPy code keeps its own.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"hybridize\.")


@frozen
class Weak:
    """An operand that stands for a Python number of a kind: it takes the dtype of the arrays beside it."""

    value: Operand
    kind: type
    size: Any = None
    """The size that it is, where it is one."""


class Handover(errors.UntypedError):
    """Raised where an argument of a foreign class wants the whole call: it has `__hybridize_function__`.

    Where no public function is called that could be handed over, it says so to the user.
    """

    def __init__(self, receiver: Any) -> None:
        text = f"an array is needed here, got an {type(receiver).__name__}, which has no values before it is compiled"
        super().__init__("E453", text, help="compute with functions of sym, or bind arrays to its variables first")
        self.receiver = receiver


Handover.__name__ = Handover.__qualname__ = errors.UntypedError.__name__  # as the user reads it
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Array = TypeVar("_Array")


def public(function: _Function, *, of_np: bool = True, takes_nd: bool = False) -> _Function:
    """Make a function part of the public namespaces: arguments of foreign classes may take the call over.

    A leading underscore is no part of the name: `_relu` is the general way of `relu`, which itself tries the short one.
    What NumPy or Python object to in the arguments, deep inside, is raised as an error about the arguments.

    Args:
        function: of arrays of `np`.
        of_np: its name is that by which its module has it; False of MXNet 1's.
        takes_nd: it tells NDArrays from other arrays.
    """
    name = function.__name__.lstrip("_")
    chosen: Callable[..., Any] = function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if LISTENERS and not capturing():
                return span(OPERATION, name, chosen, *args, **kwargs)
            return chosen(*args, **kwargs)
        except Handover as handed:
            return handed.receiver.__hybridize_function__(name, call, args, kwargs)
        except errors.HybridizeError as error:
            trim(error)
            raise
        except FirstUse:
            return call(*args, **kwargs)
        except _OBJECTIONS as error:
            if not _is_objection(error):
                receiver = _named_receiver(error, args, kwargs)
                if receiver is not None:
                    return receiver.__hybridize_function__(name, call, args, kwargs)
                if not is_misfit(error):
                    raise
            objection = _objection(name, args, kwargs, error)
            if isinstance(error, TypeError) and "argument" in str(error):
                objection.help = arguments_of(call)
            try:
                raise objection from (error if CONFIG.full_tracebacks else None)  # it says what the cause says
            except errors.HybridizeError:
                trim(objection)
                raise

    def choose(looks: bool | None = None) -> None:
        nonlocal chosen
        chosen = without_nd(function, name if of_np else "") if IN_USE and not takes_nd else function
        chosen = located(chosen, name) if OTHERS else chosen

    when_used(choose)
    when_made(choose)
    return as_type(_Function, call)


def described(function: _Function, name: str, text: str) -> _Function:
    """Make a function public under a name, with a text."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return public(function)


def creates(*keywords: str) -> Callable[[Callable[..., _Array]], Callable[..., _Array]]:
    """Make a public function of one that makes an array: its last arguments are what such functions have in common.

    Args:
        keywords: their names: `order` of elements in memory, of which there is one; `ctx` and `device`, two names of
            where the array is made; `out`, an array that the result is written to. `ctx` and `device` unless said.
    """
    names = keywords or ("ctx", "device")
    added = [Parameter(key, Parameter.POSITIONAL_OR_KEYWORD, default=_COMMON[key], annotation="Any") for key in names]

    def decorate(function: Callable[..., _Array]) -> Callable[..., _Array]:
        name, count = function.__name__, function.__code__.co_argcount
        own = signature(function)
        parameters = list(own.parameters.values())
        whole = own.replace(parameters=[*parameters[:count], *added, *parameters[count:]])

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if len(args) <= count and kwargs.keys().isdisjoint(names):
                return function(*args, **kwargs)
            whole.bind(*args, **kwargs)
            common = dict(zip(names, args[count:], strict=False)) | {
                key: kwargs.pop(key) for key in names if key in kwargs
            }
            made_in_order(common.get("order"), name)
            begin_on(common["ctx"] if common.get("ctx") is not None else common.get("device"))
            return finished(function(*args[:count], **kwargs), common.get("out"))

        wrapper: Any = public(call)
        wrapper.__signature__ = whole
        return as_type(Callable[..., _Array], wrapper)

    return decorate


_COMMON = {"order": "C", "ctx": None, "device": None, "out": None}


def _named_receiver(error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The argument of a foreign class that takes over a call which is refused for its `name=`, as expressions have."""
    if "name" not in kwargs or not isinstance(error, TypeError):
        return None
    return next((one for one in [*args, *kwargs.values()] if hasattr(one, "__hybridize_name__")), None)


_OBJECTIONS = (TypeError, ValueError, IndexError, AttributeError, OverflowError)


def _is_objection(error: Exception) -> bool:
    """Tell whether an error comes from inside: not from the call itself, nor from user's code.

    Errors of classes that people catch on purpose, `numpy.linalg.LinAlgError`, stay what they are.
    """
    if isinstance(error, (errors.HybridizeError, UnicodeError, numpy.linalg.LinAlgError)):
        return False
    at = error.__traceback__.tb_next if error.__traceback__ is not None else None  # below the call itself
    inside = at is not None
    while at is not None:
        inside = inside and not is_users(at.tb_frame.f_code.co_filename)
        at = at.tb_next
    return inside


def _objection(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> errors.HybridizeError:
    shown = ", ".join([*map(_shown, args), *(f"{key}={_shown(value)}" for key, value in kwargs.items())])
    what = f"{name}({shown}): {error}"
    if any(text in str(error) for text in _BEYOND_MEMORY):
        return errors.ShapeError("E125", what, help="an array of this size cannot be addressed")
    if isinstance(error, IndexError):
        return errors.OutOfBoundsError("E110", what)
    if isinstance(error, (ValueError, OverflowError)):
        return errors.ValueArgumentError("E345", what)
    return errors.ArgumentError("E344", what)


_BEYOND_MEMORY = ("array is too big", "Maximum allowed dimension exceeded")
"""NumPy's words for results that have more bytes than addresses count."""


def _shown(x: Any) -> str:
    """An argument, in a few words: arrays by their types."""
    if isinstance(x, (ndarray, Symbol, numpy.ndarray)):
        return (
            f"{dtypes.code(x.dtype)}[{','.join(map(dims.text, x.shape))}]"
            if x.dtype in dtypes.CODES
            else f"{x.dtype} array"
        )
    if isinstance(x, (tuple, list)) and len(x) <= 8:
        inner = ", ".join(map(_shown, x))
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
    if isinstance(x, numpy.generic):
        return repr(x)
    return reprlib.repr(x) if isinstance(x, (bool, int, float, str, type(None), slice)) else type(x).__name__


def operand(x: Any, dtype: dtypes.DType | None = None) -> Any:
    """The operand of an argument; Python numbers stay as they are, to be typed by what stands beside them.

    Lists become arrays: of `dtype` where given, else float64 becomes float32 as in `np.array`, integers stay integers,
    and complex numbers are complex64.
    """
    kind = type(x)
    if kind is ndarray:
        return x._data if not ACTIVE else staging().operand(x)
    if kind is Symbol:
        return x.operand() if x.weak is None else Weak(x.operand(), python_kind(x.weak))
    if isinstance(x, NUMBERS):
        return Weak(size_of(x), int, x) if dims.is_symbolic(x) else x
    if isinstance(x, numpy.ndarray):
        return outside_operand(checked(x))
    if isinstance(x, (list, tuple)):
        return from_list(x, dtype)
    if isinstance(x, ndarray):
        return operand(plain(x))
    if hasattr(x, "__hybridize_function__"):
        raise Handover(x)
    raise errors.ArgumentError("E307", f"expected an array or a number, got {type(x).__name__}", help="use np.array(x)")


def operands(*xs: Any) -> list[Any]:
    """The operands of arguments that compute together: a list beside float64 is rounded once, to that."""
    values = [operand(x) for x in xs]
    if any(isinstance(x, (list, tuple)) for x in xs):
        dtype = common_dtype(values)
        if dtype in (dtypes.float64, dtypes.complex128):
            return [operand(x, dtype) if isinstance(x, (list, tuple)) else y for x, y in zip(xs, values, strict=True)]
    return values


def outside_operand(array: numpy.ndarray[Any, Any]) -> Operand:
    """The operand of a NumPy array: itself, or a constant of the program while capturing."""
    return array if not ACTIVE or not capturing() else constant(array)


def checked(x: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """`x` as exactly `numpy.ndarray`, of a dtype that we compute with."""
    if type(x) is not numpy.ndarray:
        x = numpy.asarray(x)
    return x if x.dtype in dtypes.CODES else x.astype(dtypes.as_dtype(x.dtype))


def has_arrays(x: Any) -> bool:
    """Tell whether a nested list holds arrays of ours, or sizes that only the program knows."""
    if isinstance(x, (list, tuple)):
        return any(has_arrays(part) for part in x)
    return isinstance(x, (ndarray, Symbol)) or dims.is_symbolic(x) or hasattr(x, "__hybridize_function__")


def from_list(x: Any, dtype: dtypes.DType | None = None) -> Operand:
    """The operand of nested lists of numbers and arrays."""
    if has_arrays(x):
        parts = [operand(part, dtype) for part in x]
        for part in parts[1:]:
            if not same_shape(shape_of(part), shape_of(parts[0])):
                kinds = f"{typed(parts[0])} and {typed(part)}"
                raise errors.ShapeError(
                    "E103",
                    f"a list cannot become an array: its parts differ in shape, {kinds}",
                    help="make all parts equally long, with zeros at their ends, for example",
                )
        if dtype is not None:
            parts = [_part(part, dtype) for part in parts]
        return stacked(aligned(*parts))
    try:
        array = numpy.array(x)
    except ValueError as error:
        raise errors.ShapeError(
            "E103",
            f"a list cannot become an array: {error}",
            help="make all rows equally long, with zeros at their ends, for example",
        ) from None
    _numbers_in(array)
    if dtype is None:
        short = {dtypes.float64: dtypes.float32, dtypes.complex128: dtypes.complex64}.get(array.dtype)
        dtype = dtypes.float32 if array.size == 0 else short or dtypes.as_dtype(array.dtype)
    if array.dtype.kind == "c" != dtype.kind:
        return cast(outside_operand(array), dtype)
    return outside_operand(array if array.dtype == dtype else dtypes.converted(array, dtype))


def _part(part: Any, dtype: dtypes.DType) -> Any:
    """A part of a list that becomes an array of `dtype`; of an integer that int64 does not hold NumPy makes uint64."""
    if not isinstance(part, int) or -(1 << 63) <= part < 1 << 63:
        return part
    return outside_operand(_numbers_in(numpy.asarray(part)).astype(dtype))


def _numbers_in(array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Return what NumPy has made of a list, if that is an array of numbers.

    Raises:
        DTypeError E202: there is an integer that no dtype holds, or something else than a number.
    """
    if array.dtype.kind in "OSU":
        raise errors.DTypeError("E202", f"cannot make an array of {array.tolist()!r:.60}", help="pass numbers")
    return array


def stacked(parts: Sequence[Operand]) -> Operand:
    """Operands of one type along a new first axis."""
    return bind1(Concat(0), *(bind1(Reshape((1, *shape_of(part))), part) for part in parts))


def shape_of(x: Any) -> Shape:
    """Shape of an operand; numbers have none."""
    if isinstance(x, numpy.ndarray):
        return tuple(x.shape)
    if isinstance(x, Weak):
        return shape_of(x.value)
    return () if isinstance(x, NUMBERS) else type_of(x).shape


def dtype_of(x: Any) -> dtypes.DType:
    """Dtype of an operand; of a number, the one it has alone."""
    if isinstance(x, numpy.ndarray):
        dtype: dtypes.DType = x.dtype
        return dtype
    if isinstance(x, Weak):
        return default_dtype(x.kind)
    return default_dtype(weak_kind(x)) if isinstance(x, NUMBERS) else type_of(x).dtype


def typed(x: Any) -> TensorType:
    """Type of an operand."""
    return TensorType(shape_of(x), dtype_of(x))


def cast(x: Any, dtype: dtypes.DType) -> Operand:
    """An operand or a number as an operand of `dtype`.

    Raises:
        DTypeError E207: it is of complex numbers, and `dtype` is not; only `astype` drops imaginary parts.
    """
    if isinstance(x, NUMBERS):
        return number(x, dtype)
    if isinstance(x, Weak):
        _check_range(x, dtype)
        x = x.value
    source: dtypes.DType = x.dtype if isinstance(x, numpy.ndarray) else type_of(x).dtype
    if source == dtype:
        return x
    if dtypes.is_complex(source) and not dtypes.is_complex(dtype) and dtype != dtypes.bool_:
        what = f"{typed(x)} cannot become {dtypes.code(dtype)} without its imaginary part"
        raise errors.DTypeError("E207", what, help="use x.real, x.imag or np.abs(x)")
    return bind1(Cast(dtype), x)


def check_real(name: str, *arrays: Any) -> None:
    """Refuse arrays of complex numbers where they have no meaning.

    Raises:
        DTypeError E242: there is one.
    """
    for x in arrays:
        if dtypes.is_complex(x.dtype):
            what = f"{name} takes real numbers, got {x.type}"
            raise errors.DTypeError("E242", what, help="use x.real, x.imag, np.abs(x) or np.angle(x)")


def number(x: Any, dtype: dtypes.DType) -> Operand:
    """A Python number as an operand without axes."""
    if dims.is_symbolic(x):
        return cast(Weak(size_of(x), int, x), dtype)
    try:
        array = numpy.asarray(x, dtype=dtype)
    except (OverflowError, TypeError, ValueError) as error:
        what = f"{_shown(x)} is not a {dtypes.code(dtype)}: {error}"
        raise errors.DTypeError("E203", what, help="cast the array first: x.astype(...)") from None
    return outside_operand(array)


def _check_range(x: Weak, dtype: dtypes.DType) -> None:
    """Check that a number that only calls know is one of an integer `dtype`, as `number` does for one that is known.

    The program depends on it; where data decides it, the program stops at this line.
    """
    if dtype.kind not in "iu" or x.kind is bool or (x.size is not None and dtype == dtypes.int64):
        return
    ends = numpy.iinfo(dtype)
    low, high = int(ends.min), int(ends.max)
    if x.size is not None:
        if not low <= x.size <= high:
            number(dims.hint(x.size), dtype)  # raises
        return
    source = type_of(x.value).dtype
    if source.kind in "iu" and low <= numpy.iinfo(source).min and numpy.iinfo(source).max <= high:
        return
    outlier = staging().outside(x.value, x.kind, low, high)
    if outlier is not None:
        number(outlier, dtype)  # raises


def strong(x: Any, dtype: dtypes.DType | None = None) -> Operand:
    """The operand of an argument, numbers included, as `dtype` or the dtype that it has."""
    x = operand(x, dtype)
    if dtype is None:
        return cast(x, dtype_of(x)) if isinstance(x, _UNTYPED) else x
    return cast(x, dtype)


_UNTYPED = (Weak, *NUMBERS)


def indices(x: Any) -> Operand:
    """The int64 operand of an argument that holds indices."""
    x = operand(x, dtypes.int64)
    if isinstance(x, _UNTYPED) and dtype_of(x).kind not in "iu":
        raise errors.KeyTypeError(
            "E204",
            f"an index must be an integer, got {typed(x)}",
            help="convert it: int(i), or x.astype(int) of an array",
        )
    return index_numbers(x)


def index_numbers(x: Operand) -> Operand:
    """The int64 operand of one that holds indices, as MXNet does in float arrays, too; NaN is out of bounds."""
    if not dtypes.is_float(dtype_of(x)):
        return cast(x, dtypes.int64)
    if isinstance(x, numpy.ndarray):
        return index_numbers_of(x)
    numbers = cast(x, dtypes.int64)
    known = staging().between(numbers)
    if known is not None and dims.proven(known[0], dtypes.NO_INDEX + 1):
        return numbers  # made of integers
    missing = broadcast(outside_operand(numpy.array(dtypes.NO_INDEX)), shape_of(x))
    return bind1(Where(), bind1(Isnan(), x), missing, numbers)


def common_dtype(xs: Sequence[Any], *, float_only: bool = False) -> dtypes.DType:
    """The dtype in which operands compute together."""
    weak = [weak_kind(x) if isinstance(x, NUMBERS) else x.kind for x in xs if isinstance(x, (Weak, *NUMBERS))]
    dtype = result_dtype((dtype_of(x) for x in xs if not isinstance(x, (Weak, *NUMBERS))), weak)
    return floating(dtype) if float_only else dtype


def common_kind(xs: Sequence[Any]) -> type | None:
    """The kind of Python number that the result is when all operands are; at least one must be a captured one."""
    if not any(isinstance(x, Weak) for x in xs) or not all(isinstance(x, (Weak, *NUMBERS)) for x in xs):
        return None
    kinds = {weak_kind(x) if isinstance(x, NUMBERS) else x.kind for x in xs}
    if complex in kinds:
        raise errors.DTypeError(
            "E205",
            "arithmetic of a complex number and a Python number whose value differs from call to call is not supported",
            help="make one of them an array: np.array(x)",
        )
    return float if float in kinds else int if int in kinds else bool


def common_shape(xs: Sequence[Any], name: str) -> Shape:
    """The shape that operands broadcast to together."""
    shapes = [shape_of(x) for x in xs]
    first = shapes[0]
    if all(surely_same(shape, first) for shape in shapes):
        return first
    common = dims.broadcast(*open_shapes(xs))
    if common is None:
        types = " and ".join(str(typed(x)) for x in xs)
        raise errors.ShapeError(
            "E101",
            f"{name}: shapes do not broadcast: {types}",
            help="compared from the last axis, two sizes must be equal or one of them must be 1",
        )
    return common


def positions(count: int) -> Any:
    """0, 1, ... count - 1 as an index array: NumPy's, or ours where only the program knows how many."""
    if not dims.is_symbolic(count):
        return numpy.arange(count)
    return result(bind1(Iota((count,), 0, dtypes.int64)))


def broadcast(x: Operand, shape: Shape) -> Operand:
    """An operand stretched to `shape`."""
    has = shape_of(x)
    if surely_same(has, shape):
        return x
    number = _number_of(x, has)
    return bind1(Broadcast(shape), x if number is None else number)


def unknown_sizes(value: Any, number: Any) -> Any:
    """An array of MXNet 1's that is `number` everywhere; in a program its sizes of 0 are those of what it meets."""
    if type(value) is Symbol and any(type(size) is int and size == 0 for size in value.shape):
        staging().fill(operand(value), strong(number, value.dtype))
    return value


def _number_of(x: Operand, shape: Shape) -> Operand | None:
    """The number that an operand with sizes that are unknown is everywhere; None of all others."""
    return staging().fill_of(x) if _is_open(shape) and capturing() else None


def _is_open(shape: Shape) -> bool:
    """Tell whether a size may be one that is unknown."""
    for size in shape:  # noqa: SIM110 - of every operand of every operation
        if type(size) is int and size == 0:
            return True
    return False


def open_shapes(xs: Sequence[Any]) -> list[Shape]:
    """The shapes of operands, with 1 in the place of sizes that are unknown where another operand tells them."""
    shapes = [shape_of(x) for x in xs]
    if not any(map(_is_open, shapes)):
        return shapes
    unknown = [_number_of(x, shape) is not None for x, shape in zip(xs, shapes, strict=True)]
    if all(is_open or not shape for shape, is_open in zip(shapes, unknown, strict=True)):
        return shapes
    return [
        tuple(1 if type(size) is int and size == 0 else size for size in shape) if is_open else shape
        for shape, is_open in zip(shapes, unknown, strict=True)
    ]


def completed(x: Any, shape: Shape) -> Any:
    """An array; where some of its sizes are unknown, with those of `shape`, which has the others too."""
    if type(x) is not Symbol or x.weak is not None or x.ndim != len(shape):
        return x
    number = _number_of(operand(x), x.shape)
    if number is None or any(mine not in (0, size) for mine, size in zip(x.shape, shape, strict=True)):
        return x
    return result(bind1(Broadcast(shape), number))


def aligned(*xs: Any, name: str = "", float_only: bool = False, dtype: dtypes.DType | None = None) -> list[Operand]:
    """Operands of one dtype and one shape."""
    if dtype is None:
        dtype = common_dtype(xs, float_only=float_only)
    shape = common_shape(xs, name)
    return [broadcast(cast(x, dtype), shape) for x in xs]


def result(x: Any, kind: type | None = None) -> Any:
    """The array of an operand: an `ndarray`, or a `Symbol` while capturing."""
    if type(x) is Traced:
        tape = taping()
        assert tape is not None, "histories are a tape's"
        return tape.wrap(x)
    if not ACTIVE or not capturing():
        return wrap(x if is_content(x) else numpy.asarray(x))
    return Symbol.of(staging(), x, weak=kind)


def known(x: ndarray, call: str) -> None:
    """Refuse to be asked for values of an array while capturing: they would be frozen into the program.

    Raises:
        CaptureError E401: whoever records cannot tell them.
    """
    lifted = staging().lift(x)
    if isinstance(lifted, Symbol):
        raise refusal(lifted, call)


def check_text() -> None:
    """Refuse text of an array to a program that is being captured: it would be frozen into the program.

    Raises:
        CaptureError E424: code of the user's that is not converted asks a method for it, which asks here.
    """
    interpreter = current()
    if isinstance(interpreter, Staging):
        interpreter.check_text(sys._getframe(2))


def array(x: Any, dtype: dtypes.DType | None = None) -> Any:
    """An argument as an array of ours: arrays as they are, everything else made into one."""
    if type(x) is ndarray or (type(x) is Symbol and x.weak is None and not x.of_nd):
        return x
    if holds_nd(x):
        return array(plain(x), dtype)
    return result(strong(x, dtype))


def floats(x: Any) -> Any:
    """An argument as an array of floats, or of complex numbers; what is one stays the same object."""
    x = array(x)
    return x.astype(floating(x.dtype), copy=False)


def float_operand(x: Any) -> Operand:
    """The operand of an argument, in floats or complex numbers."""
    x = array(x)
    return cast(operand(x), floating(x.dtype))


def finished(x: Any, out: Any) -> Any:
    """`x`, or `out` with `x` written to it; of several, each to one of a list."""
    if out is None:
        return x
    if not isinstance(out, (list, tuple)):
        out[...] = x
        return out
    for one, value in zip(out, several(x), strict=True):
        one[...] = value
    return out


def axis_of(axis: Any, ndim: int, name: str) -> int:
    """An axis counted from the front."""
    try:
        number_ = axis.__index__()
    except (AttributeError, TypeError):
        raise errors.ArgumentError("E308", f"{name}: an axis must be an integer, got {axis!r}") from None
    if not -ndim <= number_ < ndim:
        raise errors.AxisError(
            "E111",
            f"{name}: axis {axis} is out of bounds for an array of {ndim} axes",
            help=f"axes run from {-ndim} to {ndim - 1}"
            if ndim
            else "an array of one element without axes takes no axis",
        )
    return int(number_) % ndim


def array_and_axis(x: Any, axis: Any, name: str) -> tuple[Any, int]:
    """An array and an axis of it, from the front; for the axis None, all elements as a vector, and its axis."""
    x = array(x) if axis is not None else functions.ravel(x)
    return x, axis_of(0 if axis is None else axis, x.ndim, name)


def cut(x: Any, axis: int, *ends: Any) -> Any:
    """The slice of an array along an axis, counted from the front: `ends` are those of `slice`."""
    return x[(*(slice(None),) * axis, slice(*ends))]


def one_of(value: Any, options: Sequence[Any], name: str, keyword: str, help: str = "") -> None:
    """Refuse a value of a keyword that is none of its `options`.

    Raises:
        ValueArgumentError E345: it is none of them.
    """
    if not isinstance(value, (str, type(None))) or value not in options:
        *others, last = map(repr, options)
        known = f"{', '.join(others)} or {last}" if others else last
        raise errors.ValueArgumentError("E345", f"{name}: {keyword} must be {known}, got {value!r}", help=help)


def made_in_order(order: Any, name: str) -> None:
    """Refuse an order of elements in memory that arrays of ours are not made in.

    Raises:
        UnsupportedError E351: column-major order.
        ValueArgumentError E345: no order at all.
    """
    remedy = "arrays are made row by row; x.T of one is column by column"
    if order == "F":
        raise errors.UnsupportedError("E351", f"{name}: order='F'", help=remedy)
    one_of(order, ("C", "A", "K", None), name, "order", remedy)


def reduced_axes(axis: Any, ndim: int, name: str) -> tuple[int, ...]:
    """The axes of a reduction, as `axes_of`; one element without axes is reduced over 0 and -1, too, as in NumPy."""
    return () if ndim == 0 and type(axis) is int and axis in (0, -1) else axes_of(axis, ndim, name)


def axes_of(axis: Any, ndim: int, name: str) -> tuple[int, ...]:
    """Axes counted from the front, sorted; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (axis_of(axis, ndim, name),)
    axes = tuple(sorted(axis_of(part, ndim, name) for part in axis))
    if len(set(axes)) != len(axes):
        raise errors.ValueArgumentError("E345", f"{name}: an axis occurs twice in {axis}")
    return axes


def several(x: Any) -> Any:
    """An argument that is one or several: a tuple or a list of them."""
    return x if isinstance(x, (tuple, list)) else (x,)


def whole(number: Any, what: str) -> Any:
    """An argument that is an integer; `what` says which, of which function.

    Raises:
        ArgumentError E308: it is none.
    """
    try:
        return _size(number)
    except (AttributeError, TypeError):
        raise errors.ArgumentError("E308", f"{what} must be an integer, got {number!r}") from None


def count(number: Any, what: str) -> Any:
    """An argument that is an integer from 0 on.

    Raises:
        ArgumentError E308: it is no integer.
        ValueArgumentError E345: it is negative.
    """
    integer = whole(number, what)
    if integer < 0:
        raise errors.ValueArgumentError("E345", f"{what} must not be negative, got {integer}")
    return integer


def shape_from(shape: Any) -> Shape:
    """A shape from an integer or a sequence of them."""
    if isinstance(shape, (tuple, list)):
        try:
            return tuple(map(_size, shape))
        except AttributeError:
            raise errors.ArgumentError("E309", f"the sizes of a shape must be integers, got {shape!r}") from None
    if isinstance(shape, numpy.ndarray):
        return tuple(int(length) for length in shape.reshape(-1))
    try:
        return (_size(shape),)
    except AttributeError:
        raise errors.ArgumentError("E309", f"a shape must be an integer or a tuple of them, got {shape!r}") from None


def _size(length: Any) -> int:
    return length if dims.is_symbolic(length) else int(length.__index__())


def sizes_from(shape: Any) -> Shape:
    """The shape of a new array."""
    sizes = shape_from(shape)
    if any(length < 0 for length in sizes):
        raise errors.ShapeError(
            "E112",
            f"sizes must not be negative, got {list(sizes)}",
            help="only reshape takes -1, as it knows the number of elements",
        )
    return sizes
