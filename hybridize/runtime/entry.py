# SPDX-License-Identifier: Apache-2.0
"""The callable that Python gets for a compiled program: one emitted function, and a table per program that it reads.

    entry = new_entry(code, State(...))          entry(x, y)

The code (`codegen/runtimes/entry.c`) is the same for all programs and is compiled once; everything that differs
(types of the arguments, bound buffers, results) is data in `EntryTable`. Making an entry therefore costs microseconds.
A call that is not exactly what the table says goes to `fallback(*args)`, which is Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.access import NOBODY, WRITER
from hybridize.base.dims import SizeSymbol, is_symbolic, scope_of
from hybridize.base.dtypes import float64, int64
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.base.modes import BUSY
from hybridize.base.participation import slots_of
from hybridize.base.types import TensorType
from hybridize.runtime import cpython, effects
from hybridize.runtime.buffers import LARGE
from hybridize.runtime.exchange import Exchange, tensor_word
from hybridize.runtime.plan import FRAME
from hybridize.runtime.sizes import symbol_of

FIELDS: Final = (
    "process", "program", *FRAME, "dirty", "busy", "fallback", "wrapper", "data_offset", "storage_offset",
    "kind", "finish", "committed", "arguments", "argument_count", "inputs", "input_count", "outputs", "result_count",
    "output_count", "guards", "guard_count", "write_bytes", "prepare", "size_slot", "frame_words",
    "pending", "taken", "doubt", "writer", "exchange", "keywords", "keyword_count", "row_count",
    "view_count",
)  # fmt: skip
FIELD: Final = {name: number for number, name in enumerate(FIELDS)}
FIGURES: Final = FIELD[FRAME[0]]
"""The first word of what is known of all calls; where sizes differ from call to call, `prepare` makes these words."""

ARGUMENT: Final = ("kind", "slot", "object", "ndim", "dims", "flag")
"""Words of an argument's row; `object` is the descr of an array, the `word` of the exchange for another library's, the
width of a scalar, or the very object.

`flag` is what the attribute of that name must be of another library's array, differentiated or not, else 0.

`dims` points to its sizes. One below 0 stands for a size symbol, see `size_word`. Of a container `object` is the
class, `ndim` the number of its items, `slot` the row of the first of them, and `dims` points to the keys of a dict. The
rows of the arguments come first, then those of the items of the first container, and so on.
"""
OUTPUT: Final = ("descr", "ndim", "dims", "offset", "target", "nbytes")
"""Words of an output's row; `descr` is `tensor_word` for another library's array. The last three are for outputs that
are copied into a bound array, or, with an offset below 0, are written there by the program itself.

`dims` says where the sizes of a result are, in bytes after the figures of the call. The word before them is the
result's bytes where it is to begin on a cache line, else 0.
"""


GUARD: Final = ("kind", "owner", "key", "expected")
"""Words of a guard's row; `key` is an object, or an offset in bytes; `expected` is an object, or 0 for a null.

Of `Look.TENSOR` the key is where the words of its `Exchange` are, and what is expected points to the address of the
elements, `tensor_word`, sizes and strides.
"""


class ArgumentKind(IntEnum):
    """The kinds of arguments that an entry checks."""

    ARRAY = 0
    """An instance of the array class, or a NumPy array where there is no array class."""
    FLOAT = 1
    """Exactly a Python float; the program reads it as a 0-d f32 or f64."""
    INT = 2
    """Exactly a Python int that fits 64 bits; the program reads it as a 0-d i64."""
    SAME = 3
    """This very object (None, True, a mode string); the program does not read it."""
    TUPLE = 4
    """Exactly of a class that is a tuple, with so many items."""
    LIST = 5
    """Exactly a list of so many items."""
    DICT = 6
    """Exactly a dict of these keys, in this order."""
    TENSOR = 7
    """The same as `ARRAY`, where arrays are another library's."""
    VIEW = 8
    """The same, where they show their memory by the buffer protocol."""


CONTAINERS: Final = (ArgumentKind.TUPLE, ArgumentKind.LIST, ArgumentKind.DICT)


class Returns(IntEnum):
    """The ways in which results are handed over."""

    LEAF = 0
    TUPLE = 1
    LIST = 2
    NONE = 3
    FINISH = 4
    """A tuple goes through the Python callable `finish`."""
    ATTACH = 5
    """As `FINISH`, with the arguments as a second tuple: for each row its array, and None for what is none."""


@frozen
class Argument:
    """One argument of an entry, or an item of one."""

    kind: ArgumentKind
    type: TensorType | None = None
    """Type of an array or scalar."""
    value: Any = None
    """The object of `ArgumentKind.SAME`, the class of a container."""
    items: tuple[Argument, ...] = ()
    """The content of a container."""
    keys: tuple[Any, ...] = ()
    """Of a dict."""
    flag: bool | None = None
    """The flag of another library's array: True if it is differentiated, False if it is not; None where that does not
    matter."""
    order: tuple[int, ...] = ()
    """For each item its number in the order of reading, where that is another one."""


class Look(IntEnum):
    """The ways in which a guard finds the object that must be the expected one."""

    ITEM = 0
    """`owner[key]`, of a dict."""
    WORD = 1
    """The pointer `key` bytes into `owner`: the content of a cell, what a function or an instance keeps in a slot."""
    CALL = 2
    """The object that `owner()` returns."""
    TENSOR = 3
    """The memory of `owner`, as the exchange `key` tells it: address, dtype, sizes, strides."""
    ATTRIBUTE = 4
    """`getattr(owner, key)`, where that runs no Python; another object is for the fallback, as with `CALL`."""
    VERSION = 6
    """No object: where the dict `owner` is as it was when the rows after this one were found right, which end with a
    `STAMP`, they are left out. `key` tells how many they are, `expected` is the dict's version then."""
    STAMP = 7
    """No object: the `VERSION` that many rows before it is the dict's of now."""
    PLACE = 8
    """No object: the word at address `key`, which `owner` keeps, is the number `expected`."""
    SETTING = 5
    """`owner[key]`, of a dict. Where another object is found the call is for the fallback, as with `CALL`; of all other
    kinds `doubt` is asked."""


@frozen
class Watch:
    """Something besides the arguments that calls depend on, looked at before them."""

    look: Look
    owner: Any
    key: Any
    """An object; of `WORD` a number of bytes."""
    expected: Any
    """The very object; `NULL` for none at all. Of `TENSOR` its words: see `GUARD`. Of `PLACE` a number."""


NULL: Final = object()


def items_watched(items: list[Any]) -> list[Watch]:
    """List what tells that a list has the very items that it has now; all of it, in this order."""
    address = cpython.items_address(items)
    places = [(id(items) + cpython.SEQUENCE_SIZE, len(items)), (id(items) + cpython.LIST_ITEMS, address)]
    places += [(address + 8 * number, id(item)) for number, item in enumerate(items)]
    owners = items, tuple(items)
    return [Watch(Look.PLACE, owners, place, word) for place, word in places]


@frozen
class Write:
    """An output that is copied into `target` when the program has run; comes after all results."""

    type: TensorType
    target: NDArray[Any]
    in_place: bool = False
    """True if the program writes into `target` itself."""

    @property
    def nbytes(self) -> int:
        """Scratch that it takes."""
        return 0 if self.in_place else _round_up(self.type.nbytes)


class EntryTable:
    """The table of one entry, and owner of everything that the table points to.

    `dirty[0] = 1` sends all later calls to the fallback until it is 0 again.
    """

    __slots__ = ("__weakref__", "_exchange", "_keep", "_on_line_from", "_words", "dirty", "table")

    def __init__(
        self,
        program: int,
        owner: object,
        arguments: Sequence[Argument],
        bound: Sequence[NDArray[Any]],
        results: Sequence[TensorType],
        fallback: Callable[..., Any],
        *,
        array_type: type | None = None,
        writes: Sequence[Write] = (),
        committed: Callable[[], object] | None = None,
        returns: Returns = Returns.TUPLE,
        finish: Callable[[tuple[Any, ...]], Any] | None = None,
        scratch_bytes: int = 0,
        release: bool = False,
        busy: NDArray[numpy.int64] = BUSY,
        watches: Sequence[Watch] = (),
        prepare: int = 0,
        acts: bool = False,
        outcome: Callable[[], BaseException | None] = effects.outcome,
        doubt: Callable[[], bool] | None = None,
        exclusive: bool = False,
        exchange: Exchange | None = None,
        keywords: Sequence[str] = (),
        on_line_from: int = LARGE,
    ) -> None:
        """`program` is an address of `void (ptr inputs, ptr outputs, ptr scratch)`, alive as long as `owner`.

        Its inputs are the arguments that are read, in order, then `bound`; its outputs are `results`, then `writes`.
        Calls go to the fallback while `busy[0]` is not 0. A program whose calls have sizes of their own comes with
        the address of its `prepare`, which finds out `scratch_bytes` and `release`. One that `acts` prints or asserts:
        what that leaves behind, which `outcome` gives, is raised instead of committing anything. Where one of `watches`
        finds another object, `doubt` says whether the program is right all the same: the other may be equal.
        Calls also go to the fallback while a thread writes in place (`base.access`), except where they are
        `exclusive`: made by that thread. With an `exchange` arrays are those of another library. The last of
        `arguments` are `keywords`. Results of `on_line_from` bytes and more, of known sizes, begin on a cache line.
        """
        watches = _by_dict(watches)
        self._keep: list[Any] = [owner, list(bound), fallback, committed, finish, array_type, list(arguments), busy]
        self._keep += [watches, doubt, outcome, exchange, keywords]
        self._words: list[int] = [0] * len(FIELDS)
        self._exchange = exchange
        self._on_line_from = on_line_from
        rows = _rows(arguments)
        slots = sum(row.slot >= 0 for row in rows)
        symbols = _symbols(arguments) if prepare else []
        fields = {
            "process": cpython.process_table().ctypes.data,
            "program": program,
            "scratch_bytes": _round_up(scratch_bytes),
            "write_bytes": sum(write.nbytes for write in writes),
            "prepare": prepare,
            "size_slot": slots + len(bound),
            "frame_words": len(FRAME) + sum(1 + type_.ndim for type_ in (*results, *(w.type for w in writes))),
            "busy": busy.ctypes.data,
            "fallback": id(fallback),
            "release": int(release),
            "kind": int(returns),
            "finish": id(finish) if finish is not None else 0,
            "committed": id(committed) if committed is not None else 0,
            "argument_count": len(arguments) - len(keywords),
            "keyword_count": len(keywords),
            "row_count": len(rows),
            "exchange": exchange.address if exchange is not None else 0,
            "view_count": len(rows) if exchange is not None and exchange.views else 0,
            "input_count": slots + len(bound) + (1 + len(symbols) if prepare else 0),
            "result_count": len(results),
            "output_count": len(results) + len(writes),
            "guard_count": len(watches),
            "pending": effects.PENDING.ctypes.data if acts else 0,
            "taken": id(outcome) if acts else 0,
            "doubt": id(doubt) if doubt is not None else 0,
            "writer": ctypes.addressof(NOBODY if exclusive else WRITER),
        }
        if array_type is not None:
            fields |= {"wrapper": id(array_type)} | _fields(array_type)
        for name, value in fields.items():
            self._words[FIELD[name]] = value
        relocations = self._records(rows, bound, results, writes, slots, symbols)
        relocations += [FIELD["keywords"], FIELD["guards"]]
        self._words[FIELD["keywords"]] = len(self._words)
        self._words.extend(map(id, keywords))
        relocations += self._watch(watches)
        self.table: NDArray[numpy.int64] = numpy.array(self._words, dtype=numpy.int64)
        for word in relocations:
            self.table[word] = self.table.ctypes.data + 8 * self.table[word]
        self.dirty: NDArray[numpy.int64] = self.table[FIELD["dirty"] : FIELD["dirty"] + 1]

    def _watch(self, watches: Sequence[Watch]) -> list[int]:
        """Append the guards; returns the words that hold word numbers to be turned into addresses."""
        words = self._words
        relocations: list[int] = []
        tensors = [watch.expected for watch in watches if watch.look is Look.TENSOR]
        places = []
        for expected in tensors:
            places.append(len(words))
            words.extend(expected)
        words[FIELD["guards"]] = len(words)
        starts = iter(places)
        for watch in watches:
            if watch.look in (Look.VERSION, Look.STAMP):
                words.extend([int(watch.look), id(watch.owner), watch.key, 0])
                continue
            if watch.look is Look.PLACE:
                words.extend([int(watch.look), id(watch.owner), watch.key, watch.expected])
                continue
            key = watch.key if watch.look is Look.WORD else id(watch.key)
            expected = 0 if watch.expected is NULL else id(watch.expected)
            if watch.look is Look.TENSOR:
                key, expected = watch.key.address, next(starts)
                relocations.append(len(words) + GUARD.index("expected"))
            words.extend([int(watch.look), id(watch.owner), key, expected])
        return relocations

    def _records(
        self,
        rows: Sequence[_Row],
        bound: Sequence[NDArray[Any]],
        results: Sequence[TensorType],
        writes: Sequence[Write],
        slots: int,
        symbols: Sequence[SizeSymbol],
    ) -> list[int]:
        """Append the variable parts; returns the words that hold word numbers to be turned into addresses."""
        words, relocations = self._words, [FIELD["arguments"], FIELD["inputs"], FIELD["outputs"]]
        dims = []
        for shape in _size_words([row.argument for row in rows]):
            dims.append(len(words))
            words.extend(shape)
        words[FIELD["arguments"]] = len(words)
        for row, at in zip(rows, dims, strict=True):
            argument = row.argument
            relocations.append(len(words) + ARGUMENT.index("dims"))
            ndim = argument.type.ndim if argument.type is not None else len(argument.items)
            kind, slot = argument.kind, row.first if argument.kind in CONTAINERS else max(row.slot, 0)
            if kind is ArgumentKind.ARRAY and self._exchange is not None:
                kind = ArgumentKind.VIEW if self._exchange.views else ArgumentKind.TENSOR
            flag = 0 if argument.flag is None else id(argument.flag)
            words.extend([int(kind), slot, self._object(argument), ndim, at, flag])
        words[FIELD["inputs"]] = len(words)
        words.extend([0] * slots)
        words.extend(array.ctypes.data for array in bound)
        words.extend([0] * (words[FIELD["input_count"]] - slots - len(bound)))
        at = len(FRAME)
        if not symbols:
            at = len(words) - FIGURES
            for type_ in results:
                words.extend([type_.nbytes if type_.nbytes >= self._on_line_from else 0, *type_.shape])
        words[FIELD["outputs"]] = len(words)
        for type_ in results:
            words.extend([self._descr(type_), type_.ndim, 8 * (at + 1), 0, 0, 0])
            at += 1 + type_.ndim
        write_offset = 0
        for write in writes:
            self._keep.append(write.target)
            offset = -1 if write.in_place else write_offset
            words.extend([0, 0, 0, offset, write.target.ctypes.data, write.type.nbytes])
            write_offset += write.nbytes
        return relocations

    def _descr(self, type_: TensorType) -> int:
        if self._exchange is not None:
            return tensor_word(type_.dtype, type_.ndim)
        self._keep.append(type_.dtype)
        return id(type_.dtype)

    def _object(self, argument: Argument) -> int:
        match argument.kind:
            case ArgumentKind.SAME | ArgumentKind.TUPLE | ArgumentKind.LIST | ArgumentKind.DICT:
                return id(argument.value)
            case ArgumentKind.ARRAY if argument.type is not None:
                if self._exchange is not None:
                    return self._exchange.word(argument.type.dtype, argument.type.ndim)
                return self._descr(argument.type)
        return argument.type.dtype.itemsize if argument.type is not None else 8


class PythonEntry:
    """Stands in where the emitted entry cannot serve: every call goes to the fallback. Has the face of an entry."""

    __slots__ = ("__weakref__", "_fallback", "dirty")

    def __init__(self, fallback: Callable[..., Any]) -> None:
        self._fallback = fallback
        self.dirty: NDArray[numpy.int64] = numpy.zeros(1, dtype=numpy.int64)

    @property
    def __self__(self) -> PythonEntry:
        """The state, as in an emitted entry."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the fallback."""
        return self._fallback(*args, **kwargs)


def size_word(number: int, again: bool) -> int:
    """Return the word for size symbol `number` among an argument's sizes: bound where first met, compared `again`
    later.
    """
    return -1 - 2 * number - again


@frozen
class _Row:
    """The place of an argument, or of an item of one."""

    argument: Argument
    slot: int
    """The number of the input that it is; -1 where the program does not read it."""
    first: int
    """The row of the first item."""


def _rows(arguments: Sequence[Argument]) -> list[_Row]:
    """The rows of arguments: inputs are numbered in the order of reading, rows come as `ARGUMENT` says."""
    placed: list[tuple[Argument, tuple[int, ...]]] = [(one, (number,)) for number, one in enumerate(arguments)]
    firsts = []
    for argument, path in placed:  # which grows
        firsts.append(len(placed))
        numbers = argument.order or range(len(argument.items))
        placed += [(one, (*path, number)) for number, one in zip(numbers, argument.items, strict=True)]
    read = [number for number, (one, _) in enumerate(placed) if one.kind not in (ArgumentKind.SAME, *CONTAINERS)]
    slots = {row: slot for slot, row in enumerate(sorted(read, key=lambda number: placed[number][1]))}
    return [
        _Row(argument, slots.get(number, -1), first)
        for number, ((argument, _), first) in enumerate(zip(placed, firsts, strict=True))
    ]


def _by_dict(watches: Sequence[Watch]) -> list[Watch]:
    """Put items of one dict behind one look at its version, where dicts have those; what may be odd comes first."""
    items: dict[int, list[Watch]] = {}
    for watch in watches if cpython.has_versions() else ():
        if watch.look is Look.ITEM and type(watch.owner) is dict:
            items.setdefault(id(watch.owner), []).append(watch)
    order: list[Watch] = []
    for watch in watches:
        alike = items.get(id(watch.owner), ()) if watch.look is Look.ITEM else ()
        if not alike:
            order.append(watch)
        elif watch is alike[0]:
            first = Watch(Look.VERSION, watch.owner, len(alike) + 1, None)
            order += [first, *alike, Watch(Look.STAMP, watch.owner, len(alike) + 1, None)]
    return order


def input_rows(arguments: Sequence[Argument]) -> list[int]:
    """Return the rows of the arguments that the program reads, in the order of its inputs."""
    rows = [(row.slot, number) for number, row in enumerate(_rows(arguments)) if row.slot >= 0]
    return [number for _, number in sorted(rows)]


def _all(arguments: Sequence[Argument]) -> list[Argument]:
    """Return arguments, and what is in them."""
    return [row.argument for row in _rows(arguments)]


def _size_words(arguments: Sequence[Argument]) -> list[list[int]]:
    """The sizes of each row's argument, or the keys of a dict, as the row has them."""
    symbols: set[SizeSymbol] = set()
    rows = []
    for argument in arguments:
        words = list(map(id, argument.keys))
        for size in argument.type.shape if argument.type is not None else ():
            symbol = symbol_of(size)
            words.append(size if symbol is None else size_word(symbol.number, symbol in symbols))
            if symbol is not None:
                symbols.add(symbol)
        rows.append(words)
    return rows


def _symbols(arguments: Sequence[Argument]) -> list[SizeSymbol]:
    """The size symbols of the arguments' scope, all of which the arguments' sizes give."""
    sizes = [size for argument in _all(arguments) if argument.type is not None for size in argument.type.shape]
    scope = scope_of(sizes)
    return scope.symbols if scope is not None else []


def plain_sizes(arguments: Sequence[Argument]) -> bool:
    """Tell whether each size of an argument is a number or a symbol, and each symbol is met."""
    sizes = [size for argument in _all(arguments) if argument.type is not None for size in argument.type.shape]
    symbols = {symbol_of(size) for size in sizes if is_symbolic(size)}
    return None not in symbols and symbols == set(_symbols(arguments))


def _round_up(count: int) -> int:
    return -(-count // 64) * 64


def _offsets(array_type: type) -> tuple[int | None, ...]:
    """Return the offsets at which instances keep their NumPy array and their storage; None where one is not proven."""
    return tuple([cpython.member_offset(array_type, name) for name in slots_of(array_type)])


def _fields(array_type: type) -> dict[str, int]:
    data, storage = _offsets(array_type)
    if data is None or storage is None:
        slots = " and ".join(slots_of(array_type))
        raise CodegenError("E964", f"{array_type.__name__} has no slots {slots} where they can be read")
    return {"data_offset": data, "storage_offset": storage}


def servable(
    arguments: Sequence[Argument],
    bound: Sequence[NDArray[Any]],
    writes: Sequence[Write],
    array_type: type | None,
    exchange: Exchange | None = None,
    results: Sequence[TensorType] = (),
) -> bool:
    """Tell whether an entry can serve such a program on this interpreter; otherwise Python must."""
    if not cpython.supported() or state_offset() is None:
        return False
    if array_type is not None and None in _offsets(array_type):
        return False
    scalars = {ArgumentKind.FLOAT: ("float32", "float64"), ArgumentKind.INT: ("int64",)}
    if any(a.kind in scalars and (a.type is None or a.type.dtype.name not in scalars[a.kind]) for a in _all(arguments)):
        return False
    types = [*(one.type for one in _all(arguments) if one.kind is ArgumentKind.ARRAY), *results]
    if exchange is not None and not all(type_ is None or exchange.takes(type_.dtype) for type_ in types):
        return False
    if not plain_sizes(arguments) or any(write.type.scope is not None for write in writes):
        return False
    arrays = [*bound, *(write.target for write in writes)]
    return all(type(array) is numpy.ndarray and array.flags.num & cpython.USABLE == cpython.USABLE for array in arrays)


def state_offset() -> int | None:
    """Byte offset of `EntryTable.table` in a State, which the emitted entry finds as its `self`."""
    return cpython.member_offset(EntryTable, "table")


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


_FASTCALL_KEYWORDS: Final = 0x82
_definitions: dict[int, _MethodDef] = {}


def new_entry(code: int, state: EntryTable) -> Callable[..., Any]:
    """A built-in function over `state`; `entry.__self__` is the state. The code at `code` must live for ever."""
    definition = _definitions.get(code)
    if definition is None:
        doc = b"A compiled program of hybridize."
        definition = _definitions.setdefault(code, _MethodDef(b"program", code, _FASTCALL_KEYWORDS, doc))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    entry: Callable[..., Any] = new(ctypes.addressof(definition), state, None)
    return entry


def argument(value: TensorType | Argument) -> Argument:
    """An argument from a type: the type of an array stands for the array."""
    return value if isinstance(value, Argument) else Argument(ArgumentKind.ARRAY, value)


FLOAT = Argument(ArgumentKind.FLOAT, TensorType((), float64))
INT = Argument(ArgumentKind.INT, TensorType((), int64))
