# SPDX-License-Identifier: Apache-2.0
"""The table of opcodes that compute: name, types, operands and meaning, a line each. What is not here is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from tests.device import floats, integers
from tests.device.assembly import TYPES, Instruction, Type
from tests.device.conversions import conversion, packed
from tests.device.fault import Fault

Function = Callable[..., object]
Maker = Callable[[Type, tuple[str, ...]], Function]


class Meaning(NamedTuple):
    """What an instruction computes: a function of arrays, the types of its results and of its operands."""

    function: Function
    results: tuple[Type, ...]
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
HALVES = "f16 bf16 f16x2 bf16x2"
FLOATS = f"f32 f64 {HALVES}"
ANY = f"{INTEGERS} {BITS} f32 f64 f16 bf16"

COMPARISONS: dict[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
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
BOOLEANS: dict[str, Function] = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


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
    """Return a comparison, joined with a predicate; a second result is its opposite, joined."""
    compare = comparison(next(one for one in modifiers if one != "ftz"), type.kind in ("f", "bf"))
    join = next((BOOLEANS[one] for one in modifiers[1:] if one in BOOLEANS), None)

    def compared(x: np.ndarray, y: np.ndarray, *with_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if type.kind == "bf":
            x, y = floats.widened(x), floats.widened(y)
        if "ftz" in modifiers and type.name == "f32":
            x, y = floats.flushed(x), floats.flushed(y)
        yes = compare(x, y)
        if join is None:
            return yes, ~yes
        return join(yes, *with_), join(~yes, *with_)

    return compared


def _sign_bits(keep: bool) -> Maker:
    """Return what changes the sign of floats: `abs` clears it, `neg` flips it."""

    def maker(type: Type, modifiers: tuple[str, ...]) -> Function:
        unsigned = np.dtype(f"u{type.dtype.itemsize}")
        top = unsigned.type(1 << (8 * unsigned.itemsize - 1))

        def changed(x: np.ndarray) -> np.ndarray:
            bits = x.view(unsigned)
            return (bits & ~top if keep else bits ^ top).view(type.dtype)

        return floats.finished(changed, type, modifiers)

    return maker


def _extreme(name: str) -> Maker:
    def maker(type: Type, modifiers: tuple[str, ...]) -> Function:
        chosen = floats.EXTREMES[name, "NaN" in modifiers]
        function = floats.brain(chosen) if type.kind == "bf" else chosen
        return floats.finished(function, type, tuple(one for one in modifiers if one == "ftz"))

    return maker


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
    return lambda type, modifiers: floats.arithmetic(name, type, modifiers)


def _approximate(name: str) -> Maker:
    return lambda type, modifiers: floats.approximate(name, type, modifiers)


def _row(types: str, signature: str, maker: Maker, modifiers: str = "") -> Row:
    return Row(_words(types), signature, _words(modifiers), maker)


def _ints(types: str, signature: str, function: Function, modifiers: str = "") -> Row:
    return _row(types, signature, _always(function), modifiers)


ROUNDED = "rn rz rm rp ftz sat"
COMPARED = " ".join(("ftz nan num and or xor", *COMPARISONS, *UNORDERED))
APPROXIMATE = "approx full ftz"
TABLE: dict[str, tuple[Row, ...]] = {
    # Integers
    "add": (_ints(INTEGERS, "t: t t", np.add), _row(FLOATS, "t: t t", _float("add"), ROUNDED)),
    "sub": (_ints(INTEGERS, "t: t t", np.subtract), _row(FLOATS, "t: t t", _float("sub"), ROUNDED)),
    "mul": (
        _ints(INTEGERS, "t: t t", np.multiply, "lo"),
        _ints(INTEGERS, "t: t t", integers.high, "hi"),
        _ints("u16 u32 s16 s32", "w: w w", np.multiply, "wide"),  # the operands are widened first
        _row(FLOATS, "t: t t", _float("mul"), ROUNDED),
    ),
    "mad": (
        _ints(INTEGERS, "t: t t t", lambda x, y, z: x * y + z, "lo"),
        _ints(INTEGERS, "t: t t t", lambda x, y, z: integers.high(x, y) + z, "hi"),
        _ints("u16 u32 s16 s32", "w: w w w", lambda x, y, z: x * y + z, "wide"),
    ),
    "div": (
        _ints(INTEGERS, "t: t t", _divided(integers.quotient)),
        _row("f32 f64", "t: t t", _float("div"), "rn rz rm rp ftz"),
        _row("f32", "t: t t", _approximate("div"), APPROXIMATE),
    ),
    "rem": (_ints(INTEGERS, "t: t t", _divided(integers.remainder)),),
    "abs": (_ints(SIGNED, "t: t", np.abs), _row(FLOATS, "t: t", _sign_bits(True), "ftz")),
    "neg": (_ints(SIGNED, "t: t", np.negative), _row(FLOATS, "t: t", _sign_bits(False), "ftz")),
    "min": (_ints(INTEGERS, "t: t t", np.minimum), _row(FLOATS, "t: t t", _extreme("min"), "NaN ftz")),
    "max": (_ints(INTEGERS, "t: t t", np.maximum), _row(FLOATS, "t: t t", _extreme("max"), "NaN ftz")),
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
    "fma": (_row(FLOATS, "t: t t t", _float("fma"), f"{ROUNDED} relu"),),
    "sqrt": (
        _row("f32 f64", "t: t", _float("sqrt"), "rn rz rm rp ftz"),
        _row("f32", "t: t", _approximate("sqrt"), APPROXIMATE),
    ),
    "rcp": (
        _row("f32 f64", "t: t", _float("rcp"), "rn rz rm rp ftz"),
        _row("f32 f64", "t: t", _approximate("rcp"), APPROXIMATE),
    ),
    "copysign": (_ints("f32 f64", "t: t t", _copysign),),
    "testp": (_row("f32 f64", "pred: t", lambda type, words: floats.TESTS[words[0]], " ".join(floats.TESTS)),),
    "ex2": (_row("f32 f16 bf16", "t: t", _approximate("ex2"), APPROXIMATE),),
    "lg2": (_row("f32", "t: t", _approximate("lg2"), APPROXIMATE),),
    "sin": (_row("f32", "t: t", _approximate("sin"), APPROXIMATE),),
    "cos": (_row("f32", "t: t", _approximate("cos"), APPROXIMATE),),
    "tanh": (_row("f32 f16 bf16", "t: t", _approximate("tanh"), APPROXIMATE),),
    "rsqrt": (_row("f32 f64", "t: t", _approximate("rsqrt"), APPROXIMATE),),
    # Choices
    "setp": (_row(ANY, "pred pred: t t", _setp, COMPARED),),
    "selp": (_ints(ANY, "t: t t pred", lambda x, y, p: np.where(p, x, y)),),
    "mov": (_ints(f"{ANY} pred", "t: t", lambda x: x),),
    "cvta": (_ints("u32 u64", "t: t", lambda x: x, "to global shared local const param"),),
}
"""`cvta` is here for the spaces whose addresses are generic ones; `compiled` moves those of shared and local memory."""

CONVERSIONS = _words("rn rz rm rp rni rzi rmi rpi rna sat relu ftz")
ROUNDS = _words("rn rz rm rp")
NEED_ROUNDING = ("add", "sub", "mul")


def _twice(type: Type) -> Type:
    return TYPES[f"{type.kind}{16 * type.nbytes}"]


def _types(words: Iterable[str], type: Type) -> tuple[Type, ...]:
    return tuple(type if word == "t" else _twice(type) if word == "w" else TYPES[word] for word in words)


def _paired(meaning: Meaning, type: Type) -> Meaning:
    """Return an operation on words by one on the two halves in each."""

    def both(*words: np.ndarray) -> np.ndarray:
        same = np.broadcast_arrays(*map(np.atleast_1d, words))
        return meaning.function(*(np.ascontiguousarray(one).view(type.dtype) for one in same)).view(np.uint32)

    return Meaning(both, (TYPES["b32"],), (TYPES["b32"],) * len(meaning.operands))


def meaning(one: Instruction, approximate: bool) -> Meaning:
    """Look up what an instruction computes.

    Args:
        one: The instruction.
        approximate: Whether operations without exact bits, as `ex2.approx`, may run.
    """
    if one.name == "cvt":
        return _conversion(one)
    rows = TABLE.get(one.name)
    if rows is None:
        raise one.fault("this opcode is not known")
    if len(one.types) != 1:
        raise one.fault("an opcode with one type has another number of them")
    (type,), words = one.types, frozenset(one.modifiers)
    wanted = {"lo", "hi", "wide", "l", "r", "wrap", "clamp"} & words
    for row in rows:
        needed = {"lo", "hi", "wide", "l", "r", "wrap", "clamp"} & row.modifiers
        if type.name in row.types and words <= row.modifiers and (one.name == "setp" or wanted == needed):
            break
    else:
        raise one.fault("its types or modifiers are not known")
    is_approximate = bool(words & {"approx", "full"})
    if is_approximate and not approximate:
        raise one.fault("its bits are not exact: the ISA gives a bound of its error only")
    if type.kind in ("f", "bf") and one.name in NEED_ROUNDING and not words & ROUNDS:
        raise one.fault("without a rounding (.rn) the driver's compiler may fuse it with another operation")
    results, operands = (part.split() for part in row.signature.split(":"))
    if one.name == "setp" and words & {"and", "or", "xor"}:
        operands = [*operands, "pred"]
    result = Meaning(row.maker(type, one.modifiers), _types(results, type), _types(operands, type))
    return _paired(result, type) if type.packs == 2 else result


def _conversion(one: Instruction) -> Meaning:
    if not frozenset(one.modifiers) <= CONVERSIONS:
        raise one.fault("its modifiers are not known")
    if len(one.types) != 2:
        raise one.fault("a conversion has two types")
    to, source = one.types
    try:
        if to.packs == 2:
            return Meaning(packed(to, one.modifiers), (TYPES["b32"],), (source, source))
        return Meaning(conversion(to, source, one.modifiers), (to,), (source,))
    except (KeyError, ValueError) as error:
        raise one.fault(f"this conversion is not known ({error})") from None
