# SPDX-License-Identifier: Apache-2.0
"""`ndarray`: a concrete array, which is a NumPy buffer and, where anybody asked for it, the storage behind it.

The operators that imperative code calls most have a short way here: two float arrays of one dtype, or a float array
and a Python number, go straight to NumPy when nobody captures. Everything else takes the way of all functions.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from operator import setitem
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.array.device import AWAY, OTHERS, Device, cpu, gpu, when_away
from hybridize.array.operators import COMPARISONS, Operators, functions, not_an_index, not_one
from hybridize.array.storage import Storage
from hybridize.array.traced import LostHistory, Traced, Variable
from hybridize.base import errors
from hybridize.base.access import ACCESS, READERS, SMALL, WRITER, await_writer, consistently, exclusively
from hybridize.base.dtypes import NO_INDEX, DType, as_dtype, bool_, float32, float64, int32, int64
from hybridize.base.forks import renewed
from hybridize.base.loading import LOADING, load_module
from hybridize.base.tracebacks import leaves, trim
from hybridize.base.types import TensorType
from hybridize.ops.op import ACTIVE, Op, Operand, capturing
from hybridize.ops.op import taping as _taping
from hybridize.runtime.recipes import show

_storage_lock = renewed(threading.RLock())
_NUMPY = numpy.ndarray
_HOME = cpu()


class Taping(Protocol):
    """The tape, as functions of arrays ask it: a `Staging` that computes at once and remembers how."""

    def wrap(self, traced: Traced) -> ndarray:
        """Return a new array of an operand."""

    def copy(self, traced: Traced) -> ndarray:
        """Return a new array with the values of an operand."""

    def view(self, x: ndarray, steps: Sequence[Op], result: ndarray | None = None) -> ndarray:
        """Return the view of an array that view ops make; `result`: as it is without a history."""

    def unary(self, op: Op, x: ndarray) -> ndarray:
        """Apply a function of one float array, the short way."""

    def binary(self, name: str, x: ndarray, y: Any, reflected: bool) -> ndarray | None:
        """Apply an operator, the short way; None where there is only the way of all functions."""

    def made(self, name: str, arrays: Sequence[ndarray], y: NDArray[Any], *parameters: Any) -> ndarray:
        """Return an array of what a fused function has computed of arrays."""

    def by_rule(
        self, rule: Any, operands: Sequence[Operand], results: Sequence[ndarray], saved: Sequence[ndarray] = ()
    ) -> list[ndarray]:
        """Return results with a history: a rule of their own makes the gradients of the operands."""

    def concerns(self, x: ndarray, update: Operand) -> bool:
        """Tell whether a write of `update` to `x`, or to a part of it, has a history."""

    def write(self, x: ndarray, steps: Sequence[Op], update: Operand) -> None:
        """Write to the view of `x` that `steps` make, and remember where the values come from."""


taping: Callable[[], Taping | None] = _taping
"""The tape that is in charge in this thread; None where nothing is recorded by one."""


def direct(ufunc: Callable[..., Any], x: Any, y: Any, *, integers: bool) -> NDArray[Any] | None:
    """Compute with NumPy if nobody captures and our promotion table says the same of two arguments; else return None.

    That is so for two arrays of one dtype, and for an array and a Python number, of floats and, where the function
    keeps `integers`, of int64 and int32.
    """
    if ACTIVE:
        return None
    first, second = type(x), type(y)
    if first is ndarray:
        x = x._data
        dtype = x.dtype
        if second is ndarray:
            y = y._data
            if y.dtype is not dtype:
                return None
        elif second is not int and (second is not float or dtype.kind != "f"):
            return None
    elif second is ndarray:
        y = y._data
        dtype = y.dtype
        if first is not int and (first is not float or dtype.kind != "f"):
            return None
    else:
        return None
    if not (dtype is float32 or dtype is float64 or (integers and (dtype is int64 or dtype is int32))):
        return None
    writes = ACCESS.writes
    try:
        result = ufunc(x, y)
    except (TypeError, ValueError, OverflowError):
        return None  # the general way says what is wrong, with the types
    if ACCESS.writes is not writes:
        return None  # one of the two may have been written meanwhile
    return result if type(result) is _NUMPY else numpy.asarray(result)


_Operator = Callable[[Any, Any], Any]


def _binary(
    slow: _Operator, ufunc: numpy.ufunc, name: str, integers: bool = True, reflected: bool = False
) -> _Operator:
    """An operator with a short way to `ufunc`: `direct`, written out, since this is the most called code of all.

    Args:
        slow: the operator of all arrays.
        ufunc: NumPy's function.
        name: the operator's, without underscores.
        integers: the function keeps them.
        reflected: this is the operator of an operand on the right.
    """
    access = ACCESS

    def operator(self: ndarray, other: Any) -> Any:
        try:
            if not ACTIVE:
                x = self._data
                dtype = x.dtype
                kind = type(other)
                if kind is ndarray:
                    y = other._data
                    if y.dtype is not dtype:
                        return slow(self, other)
                elif kind is int or (kind is float and dtype.kind == "f"):
                    y = other
                else:
                    return slow(self, other)
                if dtype is float32 or dtype is float64 or (integers and (dtype is int64 or dtype is int32)):
                    writes = access.writes
                    try:
                        result = ufunc(y, x) if reflected else ufunc(x, y)
                    except (ValueError, OverflowError, TypeError):
                        return slow(self, other)  # which says what is wrong, with the types
                    if access.writes is not writes:
                        return slow(self, other)  # one of the two may have been written meanwhile
                    if type(result) is not _NUMPY:
                        result = numpy.asarray(result)
                    array = bare()
                    array._data = result
                    array._storage = None
                    return array
            elif (
                not OTHERS and (tape := taping()) and (output := tape.binary(name, self, other, reflected)) is not None
            ):
                return output
            return slow(self, other)
        except errors.HybridizeError as error:
            trim(error)
            raise

    return operator


def _in_place(slow: _Operator, ufunc: numpy.ufunc) -> _Operator:
    """The same for `x += y`, which writes the buffer of `x`."""

    def operator(self: ndarray, other: Any) -> Any:
        try:
            if not ACTIVE:
                x = self._data
                dtype = x.dtype
                kind = type(other)
                if dtype is float32 or dtype is float64:
                    y = other._data if kind is ndarray else other
                    if y.dtype is dtype if kind is ndarray else kind is float or kind is int:
                        try:
                            if READERS or x.size > SMALL:
                                exclusively(ufunc, x, y, x)
                            else:
                                ACCESS.writes += 1
                                ufunc(x, y, x)
                        except (ValueError, OverflowError, TypeError):
                            return slow(self, other)
                        if self._storage is not None:
                            self._storage.touch()
                        return self
            return slow(self, other)
        except errors.HybridizeError as error:
            trim(error)
            raise

    return operator


def _of_bits(slow: _Operator, ufunc: numpy.ufunc) -> _Operator:
    """The same for operators on bits, of two arrays of bools or of integers of one dtype."""

    def operator(self: ndarray, other: Any) -> Any:
        try:
            if not ACTIVE and type(other) is ndarray:
                x, y = self._data, other._data
                dtype = x.dtype
                if y.dtype is dtype and (dtype is bool_ or dtype is int64 or dtype is int32):
                    output = at_once(ufunc, x, y)
                    if output is not None:
                        return output
            return slow(self, other)
        except errors.HybridizeError as error:
            trim(error)
            raise

    return operator


def _power(self: ndarray, other: Any) -> ndarray:
    """The same for `x ** y` of floats, where a number 2 is a square and 1/2 a root, as in `np.power`."""
    if not ACTIVE:
        x = self._data
        dtype = x.dtype
        if dtype is float32 or dtype is float64:
            kind, output = type(other), None
            if kind is float or kind is int:
                if other == 2:
                    output = at_once(numpy.square, x)
                elif other == 0.5:
                    output = at_once(numpy.sqrt, x)
                else:
                    output = at_once(numpy.power, x, other)
            elif kind is ndarray and other._data.dtype is dtype:
                output = at_once(numpy.power, x, other._data)
            if output is not None:
                return output
    try:
        power: ndarray = Operators.__pow__(self, other)
    except errors.HybridizeError as error:
        trim(error)
        raise
    return power


def at_once(ufunc: Callable[..., Any], *data: Any) -> ndarray | None:
    """An array of what NumPy computes, or None where it objects, or somebody may have written meanwhile."""
    writes = ACCESS.writes
    try:
        result = ufunc(*data)
    except (ValueError, OverflowError, TypeError):
        return None  # the general way says what is wrong, with the types
    if ACCESS.writes is not writes:
        return None
    array = bare()
    array._data = result if type(result) is _NUMPY else numpy.asarray(result)
    array._storage = None
    return array


class _Arrays(type):
    """The class of `ndarray`: calling that wraps data, and `bare` allocates an array alone, without Python's help."""

    def __call__(cls, data: Any) -> Any:
        array: Any = super().__call__()
        array._data = numpy.asarray(data)
        array._storage = None
        return array


class ndarray(Operators, metaclass=_Arrays):  # noqa: N801 - the name NumPy gave it
    """Hold numbers of one dtype along any number of axes. Make one with `np.array`, `np.zeros` and other functions.

    `ndarray(data)` wraps a NumPy array without copying it. Basic indexing gives views, as in NumPy.

    >>> x = np.array([[1, 2], [3, 4]])
    >>> type(x) is np.ndarray, x.shape, x.dtype
    (True, (2, 2), dtype('float32'))
    """

    __slots__ = ("__weakref__", "_data", "_storage", "_traced")
    __hybridize_slots__: ClassVar[tuple[str, ...]] = ("_memory", "_storage")

    _data: NDArray[Any]
    """The elements at the host: exactly `numpy.ndarray`, of any strides. Other rooms ask for it by `array.buffer`.

    Of an array on a device it is refused (E705), so that nothing computes at the host what should be computed there.
    Those who only read ask `_elements`."""
    _content: Any
    """The elements where they are, at the host or in a `DeviceBuffer`, once no call is still to write them: what
    operations compute with. The same slot as `_data` where that is one."""
    _memory: NDArray[Any]
    """The buffer, an `array.buffer.ArrayBuffer`: no program that is still to write it is waited for (`array.pending`).
    The same slot as `_data` where no elements are still to come, and none are elsewhere."""
    _storage: Storage | None
    """The storage that all views of the buffer share; made when first needed (`storage`)."""
    _traced: Traced | LostHistory | None
    """The history that a tape keeps of it, or that it has lost; not even set where there is none (`history`)."""

    if TYPE_CHECKING:  # the metaclass's

        def __init__(self, data: Any) -> None: ...

    @property
    def storage(self) -> Storage:
        """The identity of the buffer, the same for all of its views."""
        if self._storage is None:
            with _storage_lock:
                if self._storage is None:
                    self._storage = Storage()
        return self._storage

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._memory.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._memory.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._memory.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._memory.size

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to the next, along each axis."""
        return self._memory.strides

    @property
    def type(self) -> TensorType:
        """Shape and dtype in one, printed `f32[2,3]`."""
        memory = self._memory
        return TensorType(memory.shape, memory.dtype)

    @property
    def device(self) -> Device:
        """The device of the array. All CPU devices share one memory."""
        if AWAY and type(self._memory) is _BUFFER[0]:
            return gpu(self._away().number)
        storage = self._storage
        return _HOME if storage is None or storage.device is None else storage.device

    if not TYPE_CHECKING:
        __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> ndarray:
        kind = type(key)
        if not ACTIVE and (kind is int or kind is slice):
            try:
                # The ellipsis makes NumPy give an array without axes, a view, where it would give a scalar, a copy.
                return view(self, self._data[key, ...])
            except IndexError:
                pass  # the general way says what is wrong
        try:
            part: ndarray = functions.getitem(self, key)
        except errors.HybridizeError as error:
            trim(error)
            raise
        return part

    @leaves
    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    @leaves
    def __int__(self) -> int:
        return int(self._one("int"))

    @leaves
    def __float__(self) -> float:
        return float(self._one("float"))

    @leaves
    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    @leaves
    def __trunc__(self) -> int:
        number: int = math.trunc(self._one("trunc"))
        return number

    @leaves
    def __index__(self) -> int:
        if self._memory.dtype.kind not in "iu" or self._memory.ndim:
            raise not_an_index(self.type)
        return int(self._one("an index"))

    def __repr__(self) -> str:
        functions.check_text()
        try:
            text = repr(self._printable())
        except errors.DeviceError as error:
            if error.code != "E707":
                raise
            return (
                f"array(<{error.code}: {error.what}>, shape={self.shape}, dtype={self.dtype.name}, ctx={self.device})"
            )
        dtype = self.dtype
        if "dtype=" in text:
            text = text[: text.rindex(",")] + ")"
        return text if dtype == float32 or dtype.kind == "b" else f"{text[:-1]}, dtype={dtype.name})"

    def __str__(self) -> str:
        functions.check_text()
        return str(self._printable())

    def _repr_html_(self) -> str:
        """Return a table of the elements, as notebooks show it."""
        functions.check_text()
        with LOADING:
            from hybridize.array.page import page  # late: few arrays are seen in notebooks

        return page(self._printable(), self.dtype.name)

    def __format__(self, spec: str) -> str:
        functions.check_text()  # looks at who asks, so no other function may be between
        try:
            if spec and self.ndim:
                what = f"the format {spec!r} is of one number, not of {self.type}"
                raise errors.ArgumentError("E344", what, help="format(x.item(), ...) for an array of one element")
            return format(self.item(), spec) if spec else str(self)
        except errors.HybridizeError as error:
            trim(error)
            raise

    @property
    def grad(self) -> ndarray | None:
        """The gradient of this array that the last backward pass computed; None unless `attach_grad` was called."""
        traced = history(self)
        if traced is None or traced.variable is None:
            return None
        grad = gradient_of(traced.variable)
        if OTHERS and grad.device != self.device:
            functions.place(grad, self.device)
        return grad

    def __copy__(self) -> ndarray:
        copied: ndarray = functions.copy(self)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> ndarray:
        copied: ndarray = functions.copy(self)
        req = self._attached()
        if req is not None:
            copied.attach_grad(req)  # as a weight that is copied with its net
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self._elements(), self._attached())
        return unpickled, (arguments if self.device == _HOME else (*arguments, self.device))

    def _attached(self) -> str | None:
        """The way in which `attach_grad` had its gradient written; None where it was not called."""
        traced = history(self)
        attached = traced is not None and traced.edge is not None and traced.edge is traced.variable
        return traced.variable.req if traced is not None and traced.variable is not None and attached else None

    def _check_known(self, call: str) -> None:
        if capturing():
            functions.known(self, call)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if ACTIVE:
            self._check_known("numpy.asarray()")
            if self._away() is not None:
                return self._copied_out(dtype, copy)
        if dtype is not None and numpy.dtype(dtype) != self._data.dtype:
            if copy is False:
                raise errors.ArgumentError("E305", f"{self.type} cannot be viewed as {dtype} without a copy")
            return self._data.astype(dtype)
        if copy:
            return self._data.copy()
        self.storage.exposed = True
        data = self._data
        _ = data.dtype  # raises what has kept it from being computed; NumPy would say that this is no array
        return data

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        if AWAY and self._away() is not None:
            exported: Callable[..., Any] = load_module("hybridize.array.handing_over").exported
            return exported(self, stream, max_version, dl_device, copy)
        self.storage.exposed = True
        return self._data.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        buffer = self._away()
        if buffer is not None:
            return buffer.accelerator.dlpack, buffer.number
        return self._data.__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory of an array on a GPU, as Numba and CuPy take it; other arrays have no such attribute."""
        if not AWAY or self._away() is None:
            raise AttributeError("__cuda_array_interface__ is an attribute of arrays on a GPU")
        interface: dict[str, Any] = load_module("hybridize.array.handing_over").interface(self)
        return interface

    def asnumpy(self) -> NDArray[Any]:
        """Return a copy of the array as one of NumPy.

        >>> np.ones(2).asnumpy()
        array([1., 1.], dtype=float32)
        """
        if ACTIVE:
            self._check_known("asnumpy()")
            buffer = self._away()
            return consistently(self._data.copy) if buffer is None else buffer.to_host()
        writes = ACCESS.writes
        copy = self._data.copy()
        return copy if ACCESS.writes is writes else consistently(self._data.copy)

    @leaves
    def tobytes(self, order: str | None = "C") -> bytes:
        r"""Return the bytes of the elements, row by row (`C`) or column by column (`F`).

        >>> np.array([1, 2], dtype="uint8").tobytes()
        b'\x01\x02'
        """
        self._check_known("tobytes()")
        await_writer()
        return self._elements().tobytes(order)  # type: ignore[arg-type]

    @leaves
    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        r"""Write the bytes of the elements to a file; with `sep`, text.

        Args:
            fid: a path or an open file.
            sep: what stands between numbers of a text; empty: bytes.
            format: of each number of a text.

        >>> np.array([1, 2], dtype="uint8").tofile("x.bin")
        >>> np.fromfile("x.bin", dtype="uint8")
        array([1, 2], dtype=uint8)
        """
        self._check_known("tofile()")
        await_writer()
        if not (isinstance(fid, (str, bytes, os.PathLike)) or hasattr(fid, "fileno")):
            what = f"tofile takes a path or a file, got {type(fid).__name__}"
            raise errors.ArgumentError("E344", what, help="pass a path, or the result of open(path, 'wb')")
        self._elements().tofile(fid, sep, format)

    @leaves
    def view(self, dtype: Any = None) -> ndarray:
        """Return an array over the same memory whose bytes are another dtype.

        Raises:
            ShapeError E104: the bytes of the last axis do not divide into elements.

        >>> np.array([1.0]).view("int32")
        array([1065353216], dtype=int32)
        """
        self._check_known("view()")
        if dtype is None:
            return view(self, self._content[...])
        wanted = as_dtype(dtype)
        try:
            return view(self, self._content.view(wanted))
        except (ValueError, TypeError) as error:
            raise errors.ShapeError("E104", f"view of {self.type} as {wanted.name}: {error}") from None

    @leaves
    def byteswap(self, inplace: bool = False) -> ndarray:
        """Return the elements with their bytes in the opposite order.

        >>> np.array([1, 256], dtype="int16").byteswap()
        array([256,   1], dtype=int16)
        """
        swapped = self._at_host("byteswap()").byteswap()
        if not inplace:
            return wrap(swapped)
        store(self, ..., swapped)
        return self

    @property
    def flags(self) -> Any:
        """NumPy's flags of the memory: `c_contiguous`, `writeable`, ..."""
        return self._content.flags

    @property
    def data(self) -> memoryview:
        """The memory itself, which keeps seeing the array."""
        data = self._at_host("x.data")
        self.storage.exposed = True
        return data.data

    @property
    def ctypes(self) -> Any:
        """NumPy's object with the address of the memory, for functions in C, which keep seeing the array."""
        data = self._at_host("x.ctypes")
        self.storage.exposed = True
        return data.ctypes

    @property
    def base(self) -> ndarray | None:
        """The array whose memory this is a part of; None where it has its own."""
        owner = self._content.base
        return view(self, owner) if type(owner) is _NUMPY else None

    def wait_to_read(self) -> None:
        """Wait until the elements are computed, and raise what kept them from it.

        Arrays of a GPU and asynchronous calls (`hybridize.engine`) make it wait; other elements are there already.

        >>> np.ones(2).wait_to_read()
        """
        buffer = self._away()
        if buffer is None:
            _ = self._data.dtype
        else:
            buffer.wait()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers.

        >>> np.array([[1, 2], [3, 4]]).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        if ACTIVE:
            self._check_known("tolist()")
            await_writer()  # NumPy keeps the GIL meanwhile
            return self._elements().tolist()
        return self._data.tolist()

    @leaves
    def item(self, *args: Any) -> Any:
        """Return the one element, or the element at an index, as a Python number.

        >>> np.array([1, 2.5]).item(1)
        2.5
        """
        data = self._read("item()") if ACTIVE else self._data
        if not args and data.size != 1:
            raise not_one("item()", self.type)
        try:
            return data.item(*args)
        except IndexError as error:
            raise key_error(error, self.type, args) from None
        except (TypeError, ValueError) as error:
            raise errors.ArgumentError("E344", f"item(): {error}", help="pass an index, or one for each axis") from None

    def _one(self, what: str) -> Any:
        """The one element, for the conversions of Python."""
        data = self._read(f"{what}()") if ACTIVE else self._data
        if data.size != 1:
            raise not_one(what, self.type)
        return data.item()

    def _printable(self) -> NDArray[Any]:
        elements = self._elements()
        return elements if elements.dtype.kind != "V" else elements.astype(float32)

    def _away(self) -> Any:
        """The `DeviceBuffer` of an array that is in the memory of a device; None of all others."""
        return self._memory if AWAY and type(self._memory) is _BUFFER[0] else None

    def _read(self, call: str) -> NDArray[Any]:
        """The elements for a call that reads them; refused where they are known to programs alone."""
        self._check_known(call)
        return self._elements()

    def _at_host(self, call: str) -> NDArray[Any]:
        """The memory itself, for a call that needs it at the host."""
        self._check_known(call)
        if self._away() is not None:
            raise functions.unsupported(call, self.type, self.device)
        return self._data

    def _elements(self) -> NDArray[Any]:
        """The elements, to be read alone: those of a device are copied."""
        buffer = self._away()
        return self._data if buffer is None else buffer.to_host()

    def _copied_out(self, dtype: Any, copy: bool | None) -> NDArray[Any]:
        """The elements for NumPy, of an array that is in the memory of a device."""
        if copy is False:
            what = f"{self.type} on {self.device} cannot be viewed at the host"
            raise errors.ArgumentError("E305", what, help="leave copy out, or call x.asnumpy()")
        elements = self._elements()
        return elements if dtype is None else elements.astype(dtype, copy=False)


def _shorten(method: str, make: Callable[..., _Operator], *arguments: Any) -> None:
    """Give arrays an operator of their own, with a short way, instead of that of `Operators`."""
    operator: Any = make(getattr(Operators, method), *arguments)
    operator.__name__ = operator.__qualname__ = method
    setattr(ndarray, method, operator)


for _name, _ufunc in {
    "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "truediv": numpy.true_divide,
    "floordiv": numpy.floor_divide, "mod": numpy.remainder,
}.items():  # fmt: skip
    _shorten(f"__{_name}__", _binary, _ufunc, _name, _name != "truediv")
    _shorten(f"__r{_name}__", _binary, _ufunc, _name, _name != "truediv", True)
    _shorten(f"__i{_name}__", _in_place, _ufunc)
for _name, _comparison in COMPARISONS.items():
    _shorten(f"__{_name}__", _binary, getattr(numpy, _comparison), _name)
for _name in ("and", "or", "xor"):
    _shorten(f"__{_name}__", _of_bits, getattr(numpy, f"bitwise_{_name}"))
_shorten("__pow__", lambda slow: _power)
_shorten("__rpow__", _binary, numpy.power, "pow", False, True)
ndarray._memory = ndarray._content = vars(ndarray)["_data"]  # other names of the slot
_slot: Any = vars(ndarray)["_data"]
_BUFFER: list[Any] = [None]
"""The class of what is in the slot of an array on a device, once one was used."""


def _at_host(array: ndarray) -> NDArray[Any]:
    """The slot, where arrays may be on devices: of one that is, or that has failed, there are no elements to be had."""
    data: Any = _slot.__get__(array)
    return data if type(data) is _NUMPY else data.__array__()


def _anywhere(array: ndarray) -> Any:
    """The slot, wherever the elements are; of one whose call has failed there are none."""
    data: Any = _slot.__get__(array)
    return data if type(data) in (_NUMPY, _BUFFER[0]) else data.__array__()


def is_content(x: Any) -> bool:
    """Tell whether an operand is elements that are there, at the host or on a device, and not a value of a program."""
    return type(x) in (_NUMPY, _BUFFER[0])


def reach_slots() -> None:
    """Let `_data` and `_content` be the slot itself, or look at what is in it where arrays may be on devices."""
    type.__setattr__(ndarray, "_data", property(_at_host, _slot.__set__) if AWAY else _slot)
    type.__setattr__(ndarray, "_content", property(_anywhere, _slot.__set__) if AWAY else _slot)


def _hear_away() -> None:
    if AWAY:
        _BUFFER[0] = load_module("hybridize.runtime.device_buffers").DeviceBuffer
    if ACCESS.queue is None:  # else `array.pending` looks
        reach_slots()


when_away(_hear_away)
bare: Callable[[], ndarray] = type.__call__.__get__(ndarray)
"""Allocates an array without elements or storage, in two thirds of the time of `object.__new__`."""


def wrap(data: NDArray[Any], storage: Storage | None = None) -> ndarray:
    """An array around `data`, which must be exactly a `numpy.ndarray` that nobody writes but by `storage`."""
    array = bare()
    array._data = data
    array._storage = storage
    return array


def unpickled(data: NDArray[Any], req: str | None, device: Device = _HOME) -> ndarray:
    """An array of what `pickle` brings; joblib brings large ones as read-only views of a file."""
    array = ndarray(data if data.flags.writeable else data.copy())
    if device != _HOME:
        functions.place(array, functions.as_device(device))
    if req is not None:
        array.attach_grad(req)
    return array


def view(base: ndarray, data: NDArray[Any]) -> ndarray:
    """An array around `data`, a NumPy view of the buffer of `base`."""
    array = bare()
    array._data = data
    array._storage = base._storage if base._storage is not None else base.storage
    return array


def history(array: ndarray) -> Traced | None:
    """Return the history that a tape keeps of an array; None if there is none."""
    traced: Traced | LostHistory | None = getattr(array, "_traced", None)
    if type(traced) is LostHistory:  # a call has only marked what it has made: seldom does somebody ask
        traced = array._traced = traced.history(array._content, array.storage, 0)
    return traced  # type: ignore[return-value]


def have_one_history(x: ndarray, y: ndarray) -> bool:
    """Tell whether gradients of two arrays over one memory go the same way: they are views, or neither has any."""
    one, other = history(x), history(y)
    if one is other:
        return True
    edges = [None if traced is None else traced.edge for traced in (one, other)]
    if edges[0] is None or edges[1] is None:
        return edges[0] is edges[1]
    views = any(traced is not None and traced.base is not None for traced in (one, other))
    return views or all(isinstance(edge, tuple) for edge in edges) or edges[0] is edges[1]


def gradient_of(variable: Variable) -> ndarray:
    """The buffer of a gradient, zeros before the first backward pass."""
    if variable.grad is None:
        variable.grad = wrap(numpy.zeros(variable.type.shape, variable.type.dtype))
        if variable.device is not None:
            functions.place(variable.grad, variable.device)
    grad: ndarray = variable.grad
    return grad


def store(array: ndarray, key: Any, value: Any) -> None:
    """Write `value` to the elements of `array` at a basic key, as NumPy does; others see all of it or nothing."""
    data = array._content
    if READERS or WRITER or data.size > SMALL:
        exclusively(setitem, data, key, value)
    else:
        ACCESS.writes += 1
        data[key] = value
    if array._storage is not None:
        array._storage.touch()


def written(array: ndarray) -> None:
    """Say that the elements of `array` were written."""
    if array._storage is not None:
        array._storage.touch()


def key_error(error: IndexError, of: TensorType, key: Any) -> errors.HybridizeError:
    """Our error for NumPy's, which refused a key."""
    text = str(error).replace(str(NO_INDEX), "NaN")
    if "out of bounds" in text:
        return errors.OutOfBoundsError("E110", f"x[{key!r}] of {of}: {text}", help="indices run from -n to n - 1")
    if "too many" in text or "boolean index did not match" in text or "broadcast" in text:
        return errors.KeyShapeError(
            "E133", f"x[{key!r}] of {of}: {text}", help="each index uses one axis, and a mask as many as it has axes"
        )
    return errors.KeyTypeError(
        "E204", f"x[{key!r}] of {of}: {text}", help="convert it: int(i), or x.astype(int) of an array"
    )


show("array", wrap)
