# SPDX-License-Identifier: Apache-2.0
"""The table of opcodes that compute: name, types, operands and meaning, a line each. What is not here is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from tests.device import floats, integers
from tests.device.assembly import TYPES, Instruction, Type
from tests.device.conversions import conversion
from tests.device.fault import Fault

Function = Callable[..., object]
Maker = Callable[[Type, tuple[str, ...]], Function]


class Meaning(NamedTuple):
    """What an instruction computes: a function of arrays, the types of its result and of its operands."""

    function: Function
    result: Type
    operands: tuple[Type, ...]


class Row(NamedTuple):
    """One opcode for some types."""

    types: frozenset[str]
    signature: str
    """Types of result and operands: `t` is the instruction's, `w` twice as wide, others are named."""
    modifiers: frozenset[str]
    """What may stand between name and type."""
    maker: Maker


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INTEGERS = "u16 u32 u64 s16 s32 s64"
SIGNED = "s16 s32 s64"
BITS = "b16 b32 b64"
FLOATS = "f32 f64"
ANY = f"{INTEGERS} {BITS} {FLOATS}"

COMPARISONS: dict[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
UNORDERED = {
    "equ": np.not_equal,
    "neu": np.equal,
    "ltu": np.greater_equal,
    "leu": np.greater,
    "gtu": np.less_equal,
    "geu": np.less,
}
"""True for NaN: the opposite of each is false for it, but `neu`'s."""


def comparison(word: str, is_float: bool) -> Function:
    """Return a comparison by its name; NaN is unordered."""
    if word == "nan":
        return lambda x, y: np.isnan(x) | np.isnan(y)
    if word == "num":
        return lambda x, y: ~(np.isnan(x) | np.isnan(y))
    if word == "neu":
        return np.not_equal
    if word == "equ":
        return lambda x, y: (x == y) | np.isnan(x) | np.isnan(y)
    if word in UNORDERED:
        return lambda x, y: ~UNORDERED[word](x, y)
    if word == "ne" and is_float:
        return lambda x, y: (x != y) & ~(np.isnan(x) | np.isnan(y))
    return COMPARISONS[word]


def _setp(type: Type, modifiers: tuple[str, ...]) -> Function:
    (word,) = modifiers
    return comparison(word, type.kind == "f")


def _sign_bits(keep: bool) -> Maker:
    """Return what changes the sign of floats: `abs` clears it, `neg` flips it."""

    def maker(type: Type, modifiers: tuple[str, ...]) -> Function:
        unsigned = np.dtype(f"u{type.dtype.itemsize}")
        top = unsigned.type(1 << (8 * unsigned.itemsize - 1))

        def changed(x: np.ndarray) -> np.ndarray:
            bits = x.view(unsigned)
            return (bits & ~top if keep else bits ^ top).view(type.dtype)

        return changed

    return maker


def _extreme(name: str) -> Maker:
    return lambda type, modifiers: floats.EXTREMES[name, "NaN" in modifiers]


def _divided(function: Function) -> Function:
    def checked(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if not np.all(y):
            raise Fault("an integer is divided by 0, which gives unspecified bits")
        return function(x, y)

    return checked


def _copysign(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.copysign(y, x)  # the first operand has the sign


def _always(function: Function) -> Maker:
    return lambda type, modifiers: function


def _float(name: str) -> Maker:
    return lambda type, modifiers: floats.arithmetic(name, type)


def _row(types: str, signature: str, maker: Maker, modifiers: str = "") -> Row:
    return Row(_words(types), signature, _words(modifiers), maker)


def _ints(types: str, signature: str, function: Function, modifiers: str = "") -> Row:
    return _row(types, signature, _always(function), modifiers)


COMPARED = " ".join(("nan num", *COMPARISONS, *UNORDERED))
TABLE: dict[str, tuple[Row, ...]] = {
    # Integers
    "add": (_ints(INTEGERS, "t: t t", np.add), _row(FLOATS, "t: t t", _float("add"), "rn")),
    "sub": (_ints(INTEGERS, "t: t t", np.subtract), _row(FLOATS, "t: t t", _float("sub"), "rn")),
    "mul": (
        _ints(INTEGERS, "t: t t", np.multiply, "lo"),
        _ints(INTEGERS, "t: t t", integers.high, "hi"),
        _ints("u16 u32 s16 s32", "w: w w", np.multiply, "wide"),  # the operands are widened first
        _row(FLOATS, "t: t t", _float("mul"), "rn"),
    ),
    "mad": (
        _ints(INTEGERS, "t: t t t", lambda x, y, z: x * y + z, "lo"),
        _ints(INTEGERS, "t: t t t", lambda x, y, z: integers.high(x, y) + z, "hi"),
        _ints("u16 u32 s16 s32", "w: w w w", lambda x, y, z: x * y + z, "wide"),
    ),
    "div": (
        _ints(INTEGERS, "t: t t", _divided(integers.quotient)),
        _row(FLOATS, "t: t t", _float("div"), "rn"),
    ),
    "rem": (_ints(INTEGERS, "t: t t", _divided(integers.remainder)),),
    "abs": (_ints(SIGNED, "t: t", np.abs), _row(FLOATS, "t: t", _sign_bits(True))),
    "neg": (_ints(SIGNED, "t: t", np.negative), _row(FLOATS, "t: t", _sign_bits(False))),
    "min": (_ints(INTEGERS, "t: t t", np.minimum), _row(FLOATS, "t: t t", _extreme("min"), "NaN")),
    "max": (_ints(INTEGERS, "t: t t", np.maximum), _row(FLOATS, "t: t t", _extreme("max"), "NaN")),
    # Bits
    "and": (_ints(f"{BITS} pred", "t: t t", np.bitwise_and),),
    "or": (_ints(f"{BITS} pred", "t: t t", np.bitwise_or),),
    "xor": (_ints(f"{BITS} pred", "t: t t", np.bitwise_xor),),
    "not": (_ints(f"{BITS} pred", "t: t", np.invert),),
    "shl": (_ints(BITS, "t: t u32", integers.left),),
    "shr": (_ints(f"{BITS} {INTEGERS}", "t: t u32", integers.right),),
    "shf": (
        _ints("b32", "t: t t u32", partial(integers.funnel, True, True), "l wrap"),
        _ints("b32", "t: t t u32", partial(integers.funnel, True, False), "l clamp"),
        _ints("b32", "t: t t u32", partial(integers.funnel, False, True), "r wrap"),
        _ints("b32", "t: t t u32", partial(integers.funnel, False, False), "r clamp"),
    ),
    "popc": (_ints("b32 b64", "u32: t", lambda x: np.bitwise_count(x).astype(np.uint32)),),
    "clz": (_ints("b32 b64", "u32: t", integers.leading_zeros),),
    "brev": (_ints("b32 b64", "t: t", integers.reversed_bits),),
    "bfe": (_ints("u32 u64 s32 s64", "t: t u32 u32", integers.extracted),),
    "bfi": (_ints("b32 b64", "t: t t u32 u32", integers.inserted),),
    "prmt": (_ints("b32", "t: t t t", integers.permuted),),
    "lop3": (_ints("b32", "t: t t t u32", integers.looked_up),),
    # Floats
    "fma": (_row(FLOATS, "t: t t t", _float("fma"), "rn"),),
    "sqrt": (_row(FLOATS, "t: t", _float("sqrt"), "rn"),),
    "rcp": (_row(FLOATS, "t: t", _float("rcp"), "rn"),),
    "copysign": (_ints(FLOATS, "t: t t", _copysign),),
    # Choices
    "setp": (_row(ANY, "pred: t t", _setp, COMPARED),),
    "selp": (_ints(ANY, "t: t t pred", lambda x, y, p: np.where(p, x, y)),),
    "mov": (_ints(f"{ANY} pred", "t: t", lambda x: x),),
    "cvta": (_ints("u32 u64", "t: t", lambda x: x, "to global shared local const param"),),
}
"""`cvta` is here for the spaces whose addresses are generic ones; `compiled` moves those of shared and local memory."""

CONVERSIONS = _words("rn rni rzi rmi rpi rna")
ROUNDED = ("add", "sub", "mul", "div", "fma", "sqrt", "rcp")
"""Of floats, what says how it is rounded."""
KINDS = _words("lo hi wide l r wrap clamp")
"""Modifiers that tell rows of one opcode apart."""


def _twice(type: Type) -> Type:
    return TYPES[f"{type.kind}{16 * type.nbytes}"]


def _types(words: Iterable[str], type: Type) -> tuple[Type, ...]:
    return tuple(type if word == "t" else _twice(type) if word == "w" else TYPES[word] for word in words)


def meaning(one: Instruction) -> Meaning:
    """Look up what an instruction computes."""
    words = frozenset(one.modifiers)
    if words & {"approx", "full"}:
        raise one.fault("its bits are not exact: the ISA gives a bound of its error only")
    if one.name == "cvt":
        return _conversion(one)
    rows = TABLE.get(one.name)
    if rows is None:
        raise one.fault("this opcode is not known")
    if len(one.types) != 1:
        raise one.fault("an opcode with one type has another number of them")
    (type,) = one.types
    for row in rows:
        if type.name in row.types and words <= row.modifiers and words & KINDS == row.modifiers & KINDS:
            break
    else:
        raise one.fault("its types or modifiers are not known")
    if type.kind == "f" and one.name in ROUNDED and "rn" not in words:
        raise one.fault("without a rounding (.rn) the driver's compiler may fuse it with another operation")
    (result,), operands = (_types(part.split(), type) for part in row.signature.split(":"))
    return Meaning(row.maker(type, one.modifiers), result, operands)


def _conversion(one: Instruction) -> Meaning:
    if len(one.modifiers) > 1 or not frozenset(one.modifiers) <= CONVERSIONS:
        raise one.fault("its modifiers are not known")
    if len(one.types) != 2:
        raise one.fault("a conversion has two types")
    to, source = one.types
    try:
        return Meaning(conversion(to, source, one.modifiers), to, (source,))
    except KeyError as error:
        raise one.fault(f"this conversion is not known ({error})") from None
