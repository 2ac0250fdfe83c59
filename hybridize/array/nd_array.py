# SPDX-License-Identifier: Apache-2.0
"""`NDArray`: the arrays that MXNet 1's functions give, whose operators and methods are MXNet 1's, too.

    nd.f(x), an operator or a method of x        NDArrays, whatever the class of the other operands
    a block, a compiled function of NDArrays     NDArrays; in `hybrid_forward` all arrays are
    x[i], x[i:j], x.reshape(...), x.detach()     views; other functions, methods and indices give copies (`apart`)
    np.f(x), npx.f(x)                            computed as of arrays of `np`, which the results are

The class is a matter of operators and methods alone, so no function of arrays knows it: public functions take an
NDArray as the array of `np` over the same memory (`plain`), and MXNet 1's table gives what they return its class
(`as_nd`). While capturing, `Symbol.of_nd` says the same of a value of the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import numpy

from hybridize.array.device import OTHERS
from hybridize.array.methods import functions
from hybridize.array.ndarray import at_once, bare, ndarray, taping
from hybridize.array.operators import COMPARISONS, UNDERSTOOD, Operators
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import float32, float64, is_inexact
from hybridize.base.errors import HybridizeError
from hybridize.base.tracebacks import trim
from hybridize.ops.op import ACTIVE, capturing

IN_USE: list[type] = []
"""The class, once there are arrays of it; while it is empty, nobody looks for them."""
_HEARERS: list[Callable[[], None]] = []


def when_made(hear: Callable[[], None]) -> None:
    """Have a function called when the first NDArray is made, or at once if one was."""
    _HEARERS.append(hear)
    if IN_USE:
        hear()


def _begin() -> None:
    IN_USE.append(NDArray)
    for hear in _HEARERS:
        hear()


class _NDArrays(type(ndarray)):  # type: ignore[misc]
    """The class of `NDArray`: every array is an instance, as arrays of MXNet 2's `np` are."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, ndarray)

    def __call__(cls, data: Any) -> Any:
        return as_nd(ndarray(data))


class NDArray(ndarray, metaclass=_NDArrays):
    """Hold numbers of one dtype, with the operators and methods of MXNet 1.

    Comparisons give the dtype of their operands, and results have an axis at least.

    >>> x = nd.array([1, 2, 3])
    >>> (x > 1).asnumpy(), isinstance(x, nd.NDArray)
    (array([0., 1., 1.], dtype=float32), True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        functions.check_text()
        sizes = "x".join(map(str, self.shape))
        return f"\n{self._printable()}\n<NDArray {sizes} @{self.device}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(plain(self).reshape(()), spec) if spec and self.size == 1 else super().__format__(spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, super().__reduce__()

    @property
    def grad(self) -> Any:
        """The gradient of this array that the last backward pass computed; None unless `attach_grad` was called."""
        gradient = ndarray.grad.fget(self)  # type: ignore[attr-defined]
        if type(gradient) is ndarray:
            gradient.__class__ = NDArray  # one object, however often it is asked for
        return gradient


ND = NDArray
"""The class, for modules in which `NDArray` is NumPy's annotation."""
_bare: Callable[[], Any] = type.__call__.__get__(NDArray)
"""Allocates an NDArray without elements or storage."""


def _over(x: ndarray, new: Callable[[], Any]) -> Any:
    """Return another array over the memory of one, with its history."""
    array = new()
    array._memory = x._memory
    array._storage = x.storage
    traced = getattr(x, "_traced", None)
    if traced is not None:
        array._traced = traced
    return array


def plain(x: Any) -> Any:
    """Return an argument with the arrays of `np` over the same memory in the place of NDArrays."""
    kind = type(x)
    if kind is NDArray:
        if ACTIVE and capturing():
            return plain(staging().lift(x))
        return _over(x, bare)
    if kind is Symbol:
        return x.faced(False) if x.of_nd else x
    if kind is list or kind is tuple:
        return kind([plain(one) for one in x]) if any(map(holds_nd, x)) else x
    return x


def holds_nd(x: Any) -> bool:
    """Tell whether an argument is an NDArray, or a list or tuple with one."""
    kind = type(x)
    if kind is list or kind is tuple:
        return any(map(holds_nd, x))
    return kind is NDArray or (kind is Symbol and x.of_nd)


def as_nd(x: Any) -> Any:
    """Return a result with NDArrays over the same memory in the place of other arrays."""
    kind = type(x)
    if kind is ndarray:
        if ACTIVE and capturing():
            return as_nd(staging().lift(x))
        if not IN_USE:
            _begin()
        return _over(x, _bare)
    if kind is Symbol:
        if not IN_USE:
            _begin()
        return x if x.of_nd or x.weak is not None else x.faced(True)
    if kind is dict:
        return {key: as_nd(one) for key, one in x.items()}
    return each(as_nd, x)


def apart(x: Any, args: Iterable[Any]) -> Any:
    """Return a result, copied where it is a view of an argument: the operations of MXNet 1 share no memory."""
    kind = type(x)
    if kind is ndarray or kind is NDArray:
        return functions.copy(x) if x._storage is not None and any(_shares(one, x) for one in args) else x
    if kind is Symbol:
        viewed = x.weak is None and (not x.is_whole or any(_shares(one, x) for one in args))
        return functions.copy(x) if viewed else x
    return each(lambda one: apart(one, args), x)


def _shares(one: Any, x: Any) -> bool:
    """Tell whether an argument, or a part of it, is an array over the buffer of an array."""
    kind = type(one)
    if kind is list or kind is tuple:
        return any(_shares(part, x) for part in one)
    if kind is Symbol or type(x) is Symbol:
        return kind is type(x) and one.shares_buffer(x)
    return isinstance(one, ndarray) and one._storage is x._storage


def each(function: Callable[[Any], Any], x: Any) -> Any:
    """Apply a function to the parts of a list or tuple; what is none stays as it is."""
    if type(x) is list or type(x) is tuple:
        return type(x)(map(function, x))
    return type(x)(*map(function, x)) if isinstance(x, tuple) and hasattr(x, "_fields") else x


def classed(x: Any, of_nd: bool) -> Any:
    """Return an array as one of `nd` or of `np`; what is none stays as it is."""
    if not isinstance(x, ndarray) or (type(x) is NDArray) == of_nd:
        return x
    return as_nd(x) if of_nd else plain(x)


def like(x: Any, array: Any) -> Any:
    """Return an array of the class that another one has."""
    return as_nd(array) if holds_nd(x) else array


def through_np(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that is written for arrays of `np`; of NDArrays it gives NDArrays."""
    if not IN_USE or not (any(map(holds_nd, args)) or (kwargs and any(map(holds_nd, kwargs.values())))):
        return function(*args, **kwargs)
    output = function(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})
    return as_nd(apart(output, args))


def without_nd(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Make of a function of arrays of `np` one that takes NDArrays, too; `out` it returns as it is.

    Args:
        function: of arrays of `np`.
        name: of the function that tries a short way first, in the same module; none: there is no such function.
    """
    module = sys.modules[function.__module__]
    own: list[str] | None = None if name else []
    short = function

    def call(*args: Any, **kwargs: Any) -> Any:
        if not (any(map(holds_nd, args)) or (kwargs and any(map(holds_nd, kwargs.values())))):
            return function(*args, **kwargs)
        nonlocal own, short
        if own is None:  # now that the module is there: a general way may take other arguments
            own = list(signature(function).parameters)
            first = getattr(module, name, function)
            short = first if list(signature(first).parameters) == own else function
        return short(*map(plain, args), **{key: one if key == "out" else plain(one) for key, one in kwargs.items()})

    return call


def _unpickled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return as_nd(function(*arguments))


def fresh(x: Any) -> Any:
    """Let a new array, which nobody else has, be an NDArray."""
    if type(x) is ndarray:
        if not IN_USE:
            _begin()
        x.__class__ = NDArray
    elif type(x) is Symbol:
        if not IN_USE:
            _begin()
        x.of_nd = x.weak is None
    return x


def with_an_axis(x: Any) -> Any:
    """Let a new part of an NDArray be one, of one axis at least."""
    return fresh(x if x.ndim else functions.reshape(x, (1,)))


def _function(name: str) -> Callable[..., Any]:
    """Return a function of `nd`."""
    function: Callable[..., Any] = functions.legacy_table()[name]
    return function


_ARITHMETIC = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "mod": "modulo", "pow": "power",
}  # fmt: skip
"""Functions of `nd` of two operands, by operators."""
_COMPARISONS = COMPARISONS | {"lt": "lesser", "le": "lesser_equal"}
_UFUNCS = {**{one: one for one in (*_ARITHMETIC.values(), *COMPARISONS.values())}, "remainder": "modulo"}
_UFUNCS |= {"less": "lesser", "less_equal": "lesser_equal"}
"""The same by the names of NumPy's functions."""


def _in_numbers(ufunc: numpy.ufunc) -> Callable[..., Any]:
    """A comparison that answers in numbers of the operands' dtype."""
    return lambda x, y: ufunc(x, y).astype((x if type(x) is numpy.ndarray else y).dtype)


def _binary(
    name: str, tape_name: str, compute: Callable[..., Any] | None, reflected: bool
) -> Callable[[Any, Any], Any]:
    """An operator that is a function of `nd`; of floats of one dtype, and of a number beside them, NumPy's at once."""

    def operate(self: Any, other: Any) -> Any:
        kind, output = type(other), None
        if ACTIVE:
            if compute is not None and not OTHERS and (tape := taping()) is not None:
                output = tape.binary(tape_name, self, other, reflected)
        elif compute is not None:
            x = self._data
            dtype = x.dtype
            if dtype is float32 or dtype is float64:
                if kind is NDArray or kind is ndarray:
                    other_data = other._data
                    if other_data.dtype is dtype:
                        output = at_once(compute, other_data, x) if reflected else at_once(compute, x, other_data)
                elif kind is float or kind is int:
                    output = at_once(compute, other, x) if reflected else at_once(compute, x, other)
        if output is not None:
            output.__class__ = NDArray
            return output
        if not isinstance(other, UNDERSTOOD):
            return NotImplemented
        return _function(name)(other, self) if reflected else _function(name)(self, other)

    return operate


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    """`x += y` and its like: of integers what `x + y` gives, written to `x`."""
    base = getattr(ndarray, f"__i{name}__")

    def operate(self: Any, other: Any) -> Any:
        if is_inexact(self.dtype):
            return base(self, plain(other))
        value = getattr(self, f"__{name}__")(other)
        if value is not NotImplemented:
            self[...] = value
            return self
        return value

    return operate


def _method(name: str) -> Callable[..., Any]:
    """A method that is the function of `nd` of its name."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return _function(name)(self, *args, **kwargs)
        except HybridizeError as error:
            trim(error)
            raise

    return method


def _kept(name: str) -> Callable[..., Any]:
    """A method that is NumPy's, or for MXNet 1 the same, and gives NDArrays."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            own = plain(self)
            output = getattr(own, name)(*args, **kwargs)
            if output is own:
                return self
            if any(output is one for one in args):
                return output
            return as_nd(output if name in _VIEWS else apart(output, (own,)))
        except HybridizeError as error:
            trim(error)
            raise

    return method


def _with_inplace(name: str) -> Callable[..., Any]:
    """A method that is the function of `nd` of its name, and a view with `inplace=True`."""

    def method(self: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        try:
            output = _function(name)(self, *args, **kwargs)
            return self.reshape(output.shape) if inplace else output
        except HybridizeError as error:
            trim(error)
            raise

    return method


def _getitem(self: Any, key: Any) -> Any:
    """Index as NumPy does; an element has one axis, of size 1, and what does not lie in one piece is a copy."""
    part = functions.getitem(self, key)
    if type(key) is not int and not _in_one_piece(key, self.shape):
        is_laid_out = type(part) is Symbol or part._memory.flags.c_contiguous  # NumPy may lay elements out by columns
        part = apart(part, (self,)) if is_laid_out else functions.copy(part)
    return with_an_axis(part) if self.ndim else fresh(part)


def _in_one_piece(key: Any, shape: tuple[Any, ...]) -> bool:
    """Tell whether the elements at a basic key follow each other; an axis of unknown size counts as of several."""
    keys = key if type(key) is tuple else (key,)
    rest = len(shape) - sum(one is not None and one is not Ellipsis for one in keys)
    axis, several = 0, False
    for one in keys:
        if one is None:
            continue
        count = rest if one is Ellipsis else 1
        for size in shape[axis : axis + count]:
            length, step = _extent(one, size)
            is_whole = length is size or (type(size) is int and length == size)
            is_one = type(length) is int and length == 1
            if (several and not is_whole) or not (is_one or step == 1):
                return False
            several = several or not is_one
        axis += count
    return True


def _extent(key: Any, size: Any) -> tuple[Any, Any]:
    """Return how many elements of an axis a basic key selects, -1 for an open number, and the step between them."""
    if key is Ellipsis or (type(key) is slice and key == slice(None)):
        return size, 1
    if type(key) is not slice:
        return 1, 1
    if type(size) is int and all(one is None or type(one) is int for one in (key.start, key.stop, key.step)):
        part = range(size)[key]
        return len(part), part.step
    return -1, 1 if key.step is None else key.step


_OF_TABLE = (
    "abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmax_channel argmin argsort broadcast_axes "
    "broadcast_like broadcast_to cbrt ceil clip cos cosh cumsum degrees depth_to_space diag dot exp expm1 "
    "fix flip floor log log10 log1p log2 log_softmax max mean min nanprod nansum norm one_hot ones_like pad "
    "pick prod radians rcbrt reciprocal relu repeat reshape_like rint round rsqrt shape_array sigmoid sign sin sinh "
    "size_array slice slice_axis slice_like softmax softmin sort space_to_depth split split_v2 sqrt square "
    "sum swapaxes take tan tanh tile topk trunc zeros_like"
)
_OF_NUMPY = (
    "all any argpartition as_in_context as_in_ctx astype choose compress conj conjugate copy copyto cumprod detach "
    "diagonal nonzero ravel reshape searchsorted std to_device tostype trace transpose var view byteswap __copy__ "
    "__deepcopy__ __neg__ __pos__ __abs__ __invert__ __round__"
)
_WITH_INPLACE = "expand_dims flatten squeeze"
_VIEWS = frozenset({"as_in_context", "as_in_ctx", "detach", "reshape", "to_device", "view"})
"""Methods whose results may share the memory of the array."""
_PROPERTIES = "T mT real imag"
_BITS = ("floordiv", "matmul", "and", "or", "xor", "lshift", "rshift", "divmod")
"""Operators that MXNet 1 has not."""
_POWERS: dict[Any, Callable[..., Any]] = {2: numpy.square, 0.5: numpy.sqrt}


def _power(x: Any, y: Any) -> Any:
    """NumPy's power, as operators of `np` compute it: a number 2 is a square, and 1/2 a root."""
    shorter = _POWERS.get(y) if type(y) in (int, float) else None
    return numpy.power(x, y) if shorter is None else shorter(x)


_AT_ONCE: dict[str, Callable[..., Any]] = {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "truediv": numpy.true_divide,
    "mod": numpy.remainder, "pow": _power,
}  # fmt: skip


def _members() -> dict[str, Any]:
    """Make the operators, methods and properties of MXNet 1."""
    members: dict[str, Any] = {name: _method(name) for name in _OF_TABLE.split()}
    members |= {name: _kept(name) for name in _OF_NUMPY.split()}
    members |= {name: _with_inplace(name) for name in _WITH_INPLACE.split()}
    members |= {name: property(_kept_property(name)) for name in _PROPERTIES.split()}
    for operator, name in _ARITHMETIC.items():
        members[f"__{operator}__"] = _binary(name, operator, _AT_ONCE[operator], False)
        members[f"__r{operator}__"] = _binary(name, operator, _AT_ONCE[operator], True)
        members[f"__i{operator}__"] = _in_place(operator)
    for operator, name in _COMPARISONS.items():
        members[f"__{operator}__"] = _binary(name, operator, _in_numbers(getattr(numpy, COMPARISONS[operator])), False)
    for operator in _BITS:
        members |= {name: _kept(name) for name in (f"__{operator}__", f"__r{operator}__")}
    return members | {"__getitem__": _getitem, "__array_ufunc__": _array_ufunc}


def _kept_property(name: str) -> Callable[[Any], Any]:
    return lambda self: as_nd(apart(getattr(own := plain(self), name), (own,)))


def _array_ufunc(self: Any, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Compute a function of NumPy; of two operands as the operators do."""
    name = _UFUNCS.get(ufunc.__name__)
    if name is not None and method == "__call__" and not kwargs:
        return _function(name)(*inputs)
    return as_nd(functions.array_ufunc(ufunc, method, tuple(map(plain, inputs)), kwargs))


def _either(name: str, of_np: Any, of_nd: Any, is_operator: bool) -> Callable[..., Any]:
    """A method of values of a program, which is MXNet 1's where the value, or the other operand, is of `nd`.

    Args:
        name: of the method.
        of_np: the method of all other values; None: that of the classes above.
        of_nd: MXNet 1's.
        is_operator: the classes of the arguments count, too.
    """

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if self.of_nd or (is_operator and any(map(holds_nd, (*args, *kwargs.values())))):
                return of_nd(self, *args, **kwargs)
            if of_np is not None:
                return of_np(self, *args, **kwargs)
            return getattr(super(Symbol, self), name)(*args, **kwargs)
        except HybridizeError as error:
            trim(error)
            raise

    method.__name__ = method.__qualname__ = name
    return method


def _beside_nd(name: str) -> Callable[..., Any]:
    """A method of arrays of `np` that is MXNet 1's where its operand is of `nd`, as an operator would be."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if IN_USE and any(map(holds_nd, (*args, *kwargs.values()))):
                return _function(name)(self, *args, **kwargs)
            return getattr(super(ndarray, self), name)(*args, **kwargs)
        except HybridizeError as error:
            trim(error)
            raise

    method.__name__ = method.__qualname__ = name
    return method


_OF_TWO = ("dot", "pick", "take")
"""Methods of two operands that mean another thing in NumPy."""
_OPERATORS = frozenset(f"__{side}{name}__" for name in (*_ARITHMETIC, *_COMPARISONS, *_BITS) for side in ("", "r"))
_OPERATORS |= frozenset(_OF_TWO)
for _name, _member in _members().items():
    if not isinstance(_member, property):
        _member.__name__ = _member.__qualname__ = _name
    setattr(NDArray, _name, _member)
    if all(_name not in vars(_base) for _base in Symbol.__mro__):
        continue  # of memory, which values of a program have not
    if isinstance(_member, property):
        _whole: Any = _either(_name, getattr(Symbol, _name).fget, _member.fget, False)
        setattr(Symbol, _name, property(_whole))
    else:
        setattr(Symbol, _name, _either(_name, vars(Symbol).get(_name), _member, _name in _OPERATORS))
NDArray.__hash__ = Operators.__hash__  # type: ignore[method-assign]
for _name in _OF_TWO:
    setattr(ndarray, _name, _beside_nd(_name))
