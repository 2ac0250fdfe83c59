# SPDX-License-Identifier: Apache-2.0
"""A compiled model called from Python by ctypes and buffers: nothing else has to be installed."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_KINDS = {
    "bool": ("?", 1), "int8": ("b", 1), "int16": ("h", 2), "int32": ("i", 4), "int64": ("q", 8), "uint8": ("B", 1),
    "uint16": ("H", 2), "uint32": ("I", 4), "uint64": ("Q", 8), "float16": ("H", 2), "bfloat16": ("H", 2),
    "float32": ("f", 4), "float64": ("d", 8),
}  # fmt: skip
"""For each dtype the format in memoryviews and the bytes of an element; short floats are there as their bits."""
_ELEMENTS = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "q": "int64", "B": "uint8", "H": "uint16", "I": "uint32",
    "Q": "uint64", "f": "float", "d": "double",
}  # fmt: skip
_DTYPES = {"?": "bool", "e": "float16", "f": "float32", "d": "float64"}


_MOST_AXES = 64
"""Of memoryviews."""


class PackagedModel:
    """A model in memory; subclasses, which are written with each model, say which it is."""

    name: str
    folder: str
    libraries: dict[str, tuple[str, int]]
    """By machine the library in the folder, and its bytes."""
    weights: str
    """The file of weights beside the library; empty where they are in it."""
    inputs: tuple[tuple[str, str, str], ...]
    """Name, dtype, and shape as text."""
    outputs: tuple[tuple[str, str, str], ...]
    _functions: dict[str, Any] | None = None

    def __init__(self, processor: str | None = None) -> None:
        """Make a model.

        Args:
            processor: the code to run at most: "avx512", "avx2" or "baseline"; None is the best for this machine.

        Raises:
            ImportError: the library is damaged, or there is none for this machine.
            ValueError: there is no such processor.
        """
        self._model, self._processor = ctypes.c_void_p(), processor
        if self._functions is None:
            type(self)._functions = self._load()
        library = os.path.join(self.folder, self.libraries[_machine()][0])
        weights = os.path.join(os.path.dirname(library), self.weights) if self.weights else ""
        texts = [ctypes.c_char_p(os.fsencode(text) or None) for text in (weights, processor or "")]
        options = (ctypes.c_void_p * 5)(*(ctypes.cast(text, ctypes.c_void_p).value for text in texts))
        self._check(self._function("create")(ctypes.byref(self._model), options))

    def __reduce__(self) -> Any:
        return type(self), (self._processor,)  # a copy is a model of its own

    def __del__(self) -> None:
        if self._functions is not None and self._model:
            self._functions["destroy"](self._model)

    @classmethod
    def _load(cls) -> dict[str, Any]:
        machine = _machine()
        if machine not in cls.libraries:
            raise ImportError(f"{cls.name} has code for {', '.join(cls.libraries)}, and this machine is {machine}")
        file, nbytes = cls.libraries[machine]
        path = os.path.join(cls.folder, file)
        try:
            if os.path.getsize(path) != nbytes:  # a library that is cut off would stop the process
                raise ImportError(
                    f"{path} has {os.path.getsize(path)} bytes and not {nbytes}: install {cls.name} again"
                )
            library = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(f"{path} cannot be loaded: {error}") from None
        words = ("create", "destroy", "sizes", "run", "error", "seed")
        functions: dict[str, Any] = {word: getattr(library, f"{cls.name}_{word}", None) for word in words}
        functions["error"].restype = ctypes.c_char_p
        functions["destroy"].restype = None
        return functions

    def _function(self, word: str) -> Any:
        assert self._functions is not None, "the class is loaded with its first model"
        return self._functions[word]

    def _check(self, code: int) -> None:
        if code:
            kinds = {4: MemoryError, 5: OSError, 6: AssertionError}
            raise kinds.get(code & 255, ValueError)(self._function("error")(code).decode())

    def _seed(self, number: int) -> None:
        self._check(self._function("seed")(self._model, ctypes.c_int64(number)))

    def _call(self, *arrays: Any) -> list[Any]:
        """Run the model on an array for each input; returns the outputs.

        Raises:
            TypeError, ValueError: an array of another dtype, or of a shape that the model does not take.
            AssertionError: an assertion of the model failed.
        """
        operands = [_operand(array, *declared) for array, declared in zip(arrays, self.inputs, strict=True)]
        sizes = [size for operand in operands for size in operand.shape]
        ranks = [_rank(shape) for _, _, shape in self.outputs]
        words, wanted = (ctypes.c_int64 * (len(sizes) + 1))(*sizes), (ctypes.c_int64 * (sum(ranks) + 1))()
        self._check(self._function("sizes")(words, wanted))
        make = next((operand.make for operand in operands if operand.make is not None), _of_bytes)
        results, start = [], 0
        for rank, (_, dtype, _) in zip(ranks, self.outputs, strict=True):
            results.append(make(tuple(wanted[start : start + rank]), dtype))
            start += rank
        inputs = (ctypes.c_void_p * (len(operands) + 1))(*(operand.address for operand in operands))
        outputs = (ctypes.c_void_p * (len(results) + 1))(*(address for address, _ in results))
        self._check(self._function("run")(self._model, inputs, words, outputs, wanted))
        return [array for _, array in results]


class _Operand:
    """An argument: where it is, what it is, what holds its memory, and what makes outputs of the same library."""

    def __init__(self, holder: Any, address: int, shape: Any, dtype: str, make: Any) -> None:
        self.holder, self.address, self.shape, self.dtype, self.make = holder, address, tuple(shape), dtype, make


def _machine() -> str:
    """Return processor and system, as in x86_64-linux."""
    processor = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    return f"{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(processor.lower(), processor) }-{system}"


def _rank(shape: str) -> int:
    return 0 if shape == "[]" else shape.count(",") + 1


def _operand(value: Any, name: str, dtype: str, shape: str) -> _Operand:
    library = type(value).__module__.partition(".")[0]
    if library == "torch" and hasattr(value, "data_ptr"):
        tensor = value.detach().cpu().resolve_neg().contiguous()
        operand = _Operand(tensor, tensor.data_ptr(), tensor.shape, str(tensor.dtype).rpartition(".")[2], _of_torch)
    elif library in ("numpy", "ml_dtypes") and hasattr(value, "dtype") and value.dtype.isnative:
        array = sys.modules["numpy"].asarray(value)
        if not array.flags.c_contiguous or not array.flags.aligned:
            array = array.copy("C")
        address = array.__array_interface__["data"][0]
        operand = _Operand(array, address, array.shape, array.dtype.name, _of_numpy)
    else:
        operand = _of_buffer(_buffer(value, name, dtype), dtype, _of_numpy if library == "numpy" else None)
    if operand.dtype != dtype:
        raise TypeError(f"{name} must be {dtype}{shape}, got {operand.dtype}{list(operand.shape)}")
    if len(operand.shape) != _rank(shape):
        raise ValueError(f"{name} must be {dtype}{shape}, got {operand.dtype}{list(operand.shape)}")
    return operand


def _of_buffer(view: Any, dtype: str, make: Any) -> _Operand:
    own = "<" if sys.byteorder == "little" else ">"
    code = view.format.lstrip("@=" + own)
    integer = f"{'u' if code.isupper() else ''}int{8 * view.itemsize}" if code and code in "bhilqnBHILQN" else ""
    kind = _DTYPES.get(code) or integer or f"elements of format {view.format!r} "
    if kind == "uint16" and _KINDS[dtype][0] == "H":
        kind = dtype
    holder: Any = view
    if view.readonly or not view.c_contiguous or _address(view) % view.itemsize:
        holder = bytearray(view.tobytes())
    return _Operand(holder, _address(holder), view.shape or (), kind, make)


def _buffer(value: Any, name: str, dtype: str) -> Any:
    """Return the buffer of an argument, or one made of a number or of nested lists of numbers."""
    try:
        return memoryview(value)
    except TypeError:
        pass
    numbers: list[Any] = [value]
    sizes: list[int] = []
    own: Any = _KINDS[dtype][0]
    while isinstance(numbers[0], (list, tuple)):
        if len(sizes) == _MOST_AXES:
            raise ValueError(f"{name} is nested more than {_MOST_AXES} levels deep")
        if not all(isinstance(part, (list, tuple)) and len(part) == len(numbers[0]) for part in numbers):
            raise ValueError(f"{name} is a list whose parts differ in length")
        sizes.append(len(numbers[0]))
        numbers = [number for part in numbers for number in part] or [0]
        if 0 in sizes:
            return empty_buffer(own, sizes)
    import struct  # late: arrays need none

    try:
        if dtype == "bfloat16":
            words = struct.unpack(f"{len(numbers)}I", struct.pack(f"{len(numbers)}f", *numbers))
            numbers = [
                word >> 16 | 64 if x != x else word + 0x7FFF + (word >> 16 & 1) >> 16
                for word, x in zip(words, numbers, strict=True)
            ]
        data = struct.pack(f"{len(numbers)}{'e' if dtype == 'float16' else own}", *numbers)
    except (struct.error, OverflowError) as error:
        raise TypeError(f"{name} must be an array of {dtype}, or nested lists of such numbers: {error}") from None
    return memoryview(bytearray(data)).cast(own, sizes)


def empty_buffer(code: str, shape: Any) -> Any:
    """Return a buffer without elements; memoryview's own casts make none of several axes."""
    kind: Any = getattr(ctypes, f"c_{_ELEMENTS[code]}")
    for size in reversed(shape):
        kind = kind * size
    return memoryview(kind())


def _address(buffer: Any) -> int:
    """Return where the memory of a buffer begins; 0 where it has no elements, or cannot be handed on as it is."""
    view = memoryview(buffer)
    if view.readonly or not view.nbytes or not view.c_contiguous:
        return 0
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


def _of_bytes(shape: tuple[int, ...], dtype: str) -> tuple[int, Any]:
    code, nbytes = _KINDS[dtype]
    for size in shape:
        nbytes *= size
    memory: Any = memoryview(bytearray(nbytes))
    return _address(memory), memory.cast(code, shape) if nbytes else memory.cast(code)


def _of_numpy(shape: tuple[int, ...], dtype: str) -> tuple[int, Any]:
    bits = dtype == "bfloat16" and "ml_dtypes" not in sys.modules  # NumPy itself has no such dtype
    array = sys.modules["numpy"].empty(shape, "uint16" if bits else dtype)
    return array.__array_interface__["data"][0], array


def _of_torch(shape: tuple[int, ...], dtype: str) -> tuple[int, Any]:
    torch = sys.modules["torch"]
    tensor = torch.empty(shape, dtype=getattr(torch, dtype))
    return tensor.data_ptr(), tensor
