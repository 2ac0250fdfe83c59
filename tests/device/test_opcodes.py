"""Each opcode of the table, as a kernel that loads, computes and stores, against arithmetic by fractions and Python's integers."""

import functools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.device import references as ref
from tests.device.assembly import TYPES
from tests.device.operations import TABLE
from tests.device.references import nearest, to_bits, to_float, toward_zero, wrapped
from tests.device.written import faulty, module, tried
from tests.folding import folded

LANES = 32
SIGNED = {"s8", "s16", "s32", "s64"}
FLOATS = {"f16", "f32", "f64"}


def width(kind: str) -> int:
    return 8 if kind == "pred" else 8 * TYPES[kind].nbytes


def text_of(opcode: str, result: str, operands: tuple[str, ...], *numbers: int) -> str:
    """Return a kernel that applies an opcode to each element of arrays, which numbers follow."""
    lines, names = [], []
    for k, kind in enumerate(operands):
        lines += [f"mul.wide.s32 %rd1, %r93, {width(kind) // 8};", f"add.s64 %rd1, %rd1, %rd{61 + k};"]
        if kind == "pred":
            lines += [f"ld.global.u8 %h{k + 20}, [%rd1];", f"setp.ne.u16 %p{k}, %h{k + 20}, 0;"]
            names.append(f"%p{k}")
            continue
        letter = {8: "h", 16: "h", 32: "r", 64: "rd"}[width(kind)]
        lines.append(f"ld.global.b{width(kind)} %{letter}{k + 2}, [%rd1];")
        names.append(f"%{letter}{k + 2}")
    target = "%p9" if result == "pred" else {8: "%h9", 16: "%h9", 32: "%r9", 64: "%rd9"}[width(result)]
    lines.append(f"{opcode} {', '.join([target, *names, *map(str, numbers)])};")
    lines += [f"mul.wide.s32 %rd1, %r93, {width(result) // 8};", "add.s64 %rd1, %rd1, %rd60;"]
    if result == "pred":
        lines += ["selp.u16 %h9, 1, 0, %p9;", "st.global.u8 [%rd1], %h9;"]
    else:
        lines.append(f"st.global.b{width(result)} [%rd1], {target};")
    params = ["u64 out", *(f"u64 x{k}" for k in range(len(operands)))]
    return module("\n".join(lines), params)


def trial(opcode: str, result: str, operands: tuple[str, ...], *numbers: int):
    """Return a function of arrays of bits: a kernel with this opcode for each of their elements."""
    text, out = text_of(opcode, result, operands, *numbers), np.empty(LANES, f"u{width(result) // 8}")
    return lambda *arrays: tried(text, 1, LANES, arrays, [out])[0]


@functools.cache
def edges(bits: int) -> list[int]:
    """Return bits at which things change: small and large integers, floats around 1, subnormal and infinite ones."""
    top = 1 << (bits - 1)
    plain = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, top >> 1, top - 1, top, top + 1]
    plain += [2 * top - 2, 2 * top - 1]
    for fraction in {8: (), 16: (10,), 32: (23,), 64: (52,)}[bits]:
        bias = (1 << (bits - 2 - fraction)) - 1
        one, infinite = bias << fraction, ((1 << (bits - 1 - fraction)) - 1) << fraction
        numbers = [one, one + 1, one - 1, infinite, infinite - 1, infinite + 1, 1 << fraction, (1 << fraction) - 1]
        plain += [x | sign for x in numbers for sign in (0, top)]
    return sorted({x & (2 * top - 1) for x in plain})


def drawn(random: np.random.Generator, kind: str) -> list[int]:
    """Return bits of operands: half of them near an edge, half of them any."""
    if kind == "pred":
        return random.integers(0, 2, LANES).tolist()
    size = width(kind)
    near = random.choice(np.array(edges(size), np.uint64), LANES) + random.integers(-2, 3, LANES).astype(np.uint64)
    every = random.integers(0, 2**64, LANES, np.uint64)
    return [int(x) & ((1 << size) - 1) for x in np.where(random.random(LANES) < 0.5, near, every)]


def number(x: int, kind: str) -> float:
    """Return an operand as what its type says."""
    if kind in FLOATS:
        return to_float(x, kind)
    return wrapped(x, width(kind), kind in SIGNED) if kind != "pred" else bool(x)


def agrees(
    opcode: str, result: str, operands: tuple[str, ...], reference, allowed=lambda *x: True, examples: int = 4
) -> None:
    """Try an opcode on many operands: integers as they are, floats by their bits."""
    run = trial(opcode, result, operands)

    @settings(max_examples=examples, deadline=None, phases=[Phase.explicit, Phase.generate])
    @given(st.integers(0, 2**32))
    def check(seed):
        random = np.random.default_rng(seed)
        rows = zip(*(drawn(random, kind) for kind in operands), strict=True)
        rows = [row if allowed(*map(number, row, operands)) else (1,) * len(row) for row in rows]
        arrays = [
            np.array(column, f"u{width(kind) // 8}")
            for column, kind in zip(zip(*rows, strict=True), operands, strict=True)
        ]
        for row, one in zip(rows, run(*arrays).tolist(), strict=True):
            want = reference(*map(number, row, operands))
            if result in FLOATS:
                nan = math.isnan(want)
                want = to_bits(want, result)
                if nan and result == "f64":
                    assert math.isnan(to_float(one, result)), (opcode, row)
                    continue
            want = int(want) & ((1 << width(result)) - 1)
            assert one == want, (opcode, [hex(x) for x in row], hex(one), hex(want))

    check()


def shift(x: int, count: int) -> int:
    return x << count if count < 64 else 0


def reversed_bits(x: int, size: int) -> int:
    return int(f"{x:0{size}b}"[::-1], 2)


def extract(x: int, place: int, count: int, size: int, signed: bool) -> int:
    """Return a field, bit by bit, as the ISA's text has it."""
    place, count = place & 255, count & 255
    raw, top = x & ((1 << size) - 1), size - 1
    if not signed or not count:
        sign = 0
    else:
        sign = raw >> min(place + count - 1, top) & 1
    result = 0
    for k in range(size):
        bit = raw >> (place + k) & 1 if k < count and place + k <= top else sign
        result |= bit << k
    return result


def insert(x: int, into: int, place: int, count: int, size: int) -> int:
    place, count, result = place & 255, count & 255, into
    for k in range(count):
        if place + k >= size:
            break
        bit = x >> k & 1 if k < size else 0
        result = result & ~(1 << (place + k)) | bit << (place + k)
    return result


def permute(x: int, y: int, selector: int) -> int:
    both = (y << 32 | x).to_bytes(8, "little")
    result = []
    for k in range(4):
        choice = selector >> 4 * k & 15
        byte = both[choice & 7]
        result.append((0xFF if byte & 0x80 else 0) if choice & 8 else byte)
    return int.from_bytes(bytes(result), "little")


def least(x: float, y: float, sign: int, has_nan: bool) -> float:
    if math.isnan(x) or math.isnan(y):
        return math.nan if has_nan or (math.isnan(x) and math.isnan(y)) else (y if math.isnan(x) else x)
    key = lambda v: (sign * v, sign * math.copysign(1, v))  # noqa: E731
    return min(x, y, key=key)


INTEGERS = [
    case
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64")
    for case in (
        (f"add.{kind}", kind, (kind,) * 2, operator.add),
        (f"sub.{kind}", kind, (kind,) * 2, operator.sub),
        (f"mul.lo.{kind}", kind, (kind,) * 2, operator.mul),
        (f"mul.hi.{kind}", kind, (kind,) * 2, lambda x, y, n=8 * TYPES[kind].nbytes: x * y >> n),
        (f"mad.lo.{kind}", kind, (kind,) * 3, lambda x, y, z: x * y + z),
        (f"mad.hi.{kind}", kind, (kind,) * 3, lambda x, y, z, n=8 * TYPES[kind].nbytes: (x * y >> n) + z),
        (f"min.{kind}", kind, (kind,) * 2, min),
        (f"max.{kind}", kind, (kind,) * 2, max),
        (f"shr.{kind}", kind, (kind, "u32"), lambda x, n: x >> n),
    )
]
DIVIDED = [
    (f"{word}.{kind}", kind, (kind,) * 2, function)
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64")
    for word, function in (("div", toward_zero), ("rem", lambda x, y: x - toward_zero(x, y) * y))
]
WIDE = [
    case
    for kind, wide in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64"))
    for case in (
        (f"mul.wide.{kind}", wide, (kind,) * 2, operator.mul),
        (f"mad.wide.{kind}", wide, (kind, kind, wide), lambda x, y, z: x * y + z),
    )
]
SIGNS = [
    (f"{word}.{kind}", kind, (kind,), function)
    for kind in ("s16", "s32", "s64")
    for word, function in (("abs", abs), ("neg", operator.neg))
]
BITS = [
    case
    for kind in ("b16", "b32", "b64")
    for case in (
        (f"and.{kind}", kind, (kind,) * 2, operator.and_),
        (f"or.{kind}", kind, (kind,) * 2, operator.or_),
        (f"xor.{kind}", kind, (kind,) * 2, operator.xor),
        (f"not.{kind}", kind, (kind,), operator.invert),
        (f"shl.{kind}", kind, (kind, "u32"), shift),
        (f"shr.{kind}", kind, (kind, "u32"), lambda x, n: x >> n),
        (f"mov.{kind}", kind, (kind,), lambda x: x),
        (f"selp.{kind}", kind, (kind, kind, "pred"), lambda x, y, p: x if p else y),
    )
]
WORDS = [
    case
    for n in (32, 64)
    for case in (
        (f"popc.b{n}", "u32", (f"b{n}",), int.bit_count),
        (f"clz.b{n}", "u32", (f"b{n}",), lambda x, n=n: n - x.bit_length()),
        (f"brev.b{n}", f"b{n}", (f"b{n}",), lambda x, n=n: reversed_bits(x, n)),
        (f"bfe.u{n}", f"u{n}", (f"u{n}", "u32", "u32"), lambda x, a, b, n=n: extract(x, a, b, n, False)),
        (f"bfe.s{n}", f"s{n}", (f"s{n}", "u32", "u32"), lambda x, a, b, n=n: extract(x, a, b, n, True)),
        (f"bfi.b{n}", f"b{n}", (f"b{n}", f"b{n}", "u32", "u32"), lambda x, y, a, b, n=n: insert(x, y, a, b, n)),
    )
] + [
    ("prmt.b32", "b32", ("b32",) * 3, permute),
    ("shf.l.wrap.b32", "b32", ("b32", "b32", "u32"), lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    ("shf.r.wrap.b32", "b32", ("b32", "b32", "u32"), lambda a, b, c: (b << 32 | a) >> (c & 31)),
    ("shf.l.clamp.b32", "b32", ("b32", "b32", "u32"), lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32),
    ("shf.r.clamp.b32", "b32", ("b32", "b32", "u32"), lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    ("cvta.to.global.u64", "u64", ("u64",), lambda x: x),
]
PREDICATES = [
    (f"{word}.pred", "pred", ("pred",) * count, function)
    for word, count, function in (
        ("and", 2, operator.and_),
        ("or", 2, operator.or_),
        ("xor", 2, operator.xor),
        ("not", 1, operator.not_),
        ("mov", 1, bool),
    )
]
INTEGER_COMPARISONS = [
    (f"setp.{word}.{kind}", "pred", (kind,) * 2, function)
    for word, function in (
        ("eq", operator.eq), ("ne", operator.ne), ("lt", operator.lt), ("le", operator.le), ("gt", operator.gt),
        ("ge", operator.ge),
    )
    for kind in ("s16", "u16", "s32", "u32", "s64", "u64")
]  # fmt: skip


def unordered(x: float, y: float) -> bool:
    return math.isnan(x) or math.isnan(y)


FLOAT_COMPARISONS = [
    (f"setp.{word}.{kind}", "pred", (kind,) * 2, function)
    for word, function in (
        ("eq", lambda x, y: x == y),
        ("ne", lambda x, y: x != y and not unordered(x, y)),
        ("lt", operator.lt),
        ("le", operator.le),
        ("gt", operator.gt),
        ("ge", operator.ge),
        ("equ", lambda x, y: x == y or unordered(x, y)),
        ("neu", lambda x, y: x != y),
        ("ltu", lambda x, y: x < y or unordered(x, y)),
        ("leu", lambda x, y: x <= y or unordered(x, y)),
        ("gtu", lambda x, y: x > y or unordered(x, y)),
        ("geu", lambda x, y: x >= y or unordered(x, y)),
        ("num", lambda x, y: not unordered(x, y)),
        ("nan", unordered),
    )
    for kind in ("f32", "f64")
]
ARITHMETIC = [
    case
    for kind in ("f32", "f64")
    for case in (
        (f"add.rn.{kind}", kind, (kind,) * 2, functools.partial(ref.add, form=kind)),
        (f"sub.rn.{kind}", kind, (kind,) * 2, lambda x, y, form=kind: ref.add(x, -y, form)),
        (f"mul.rn.{kind}", kind, (kind,) * 2, functools.partial(ref.mul, form=kind)),
        (f"fma.rn.{kind}", kind, (kind,) * 3, functools.partial(ref.fma, form=kind)),
        (f"div.rn.{kind}", kind, (kind,) * 2, functools.partial(ref.div, form=kind)),
        (f"rcp.rn.{kind}", kind, (kind,), lambda x, form=kind: ref.div(1.0, x, form)),
        (f"sqrt.rn.{kind}", kind, (kind,), functools.partial(ref.sqrt, form=kind)),
    )
]
EXTREMES = [
    (f"{word}{'.NaN' if has_nan else ''}.{kind}", kind, (kind,) * 2, lambda x, y, s=sign, n=has_nan: least(x, y, s, n))
    for kind in ("f32", "f64")
    for word, sign in (("min", 1), ("max", -1))
    for has_nan in (False, True)
    if kind != "f64" or not has_nan
]


def each(cases: list[tuple]):
    """Run a test with each case, those of one opcode together."""
    return folded("opcode, result, operands, reference", [pytest.param(*case, id=case[0]) for case in cases])


@each([*INTEGERS, *WIDE, *SIGNS, *BITS, *WORDS, *PREDICATES])
def test_integers(opcode, result, operands, reference):
    agrees(opcode, result, operands, reference)


@each(DIVIDED)
def test_quotients(opcode, result, operands, reference):
    lowest = -(1 << (width(result) - 1))
    agrees(opcode, result, operands, reference, lambda x, y: y != 0 and (x, y) != (lowest, -1))


@each([*INTEGER_COMPARISONS, *FLOAT_COMPARISONS])
def test_comparisons(opcode, result, operands, reference):
    agrees(opcode, result, operands, reference, examples=2)


@each([*ARITHMETIC, *EXTREMES])
def test_floats(opcode, result, operands, reference):
    agrees(opcode, result, operands, reference, examples=5)


@each([
    case
    for kind in ("f32", "f64")
    for case in (
        (f"abs.{kind}", kind, (kind,), abs), (f"neg.{kind}", kind, (kind,), operator.neg),
        (f"copysign.{kind}", kind, (kind,) * 2, lambda x, y: math.copysign(y, x)),
    )
])  # fmt: skip
def test_signs(opcode, result, operands, reference):
    agrees(opcode, result, operands, reference, lambda *x: not any(map(math.isnan, x)))


INTEGER_KINDS = tuple(f"{letter}{n}" for letter in "us" for n in (8, 16, 32, 64))


def clamped(x: int, kind: str) -> int:
    low, high = (
        (-(1 << (width(kind) - 1)), (1 << (width(kind) - 1)) - 1) if kind[0] == "s" else (0, (1 << width(kind)) - 1)
    )
    return min(max(x, low), high)


def whole(x: float, kind: str, source: str, mode: str) -> int:
    """Return a float as an integer: rounded, clamped; NaN is 0, or the highest bit where a type has 64 bits."""
    if math.isnan(x):
        return 1 << (width(kind) - 1) if "64" in source or "64" in kind else 0
    if math.isinf(x):
        return clamped((1 if x > 0 else -1) << 70, kind)
    return clamped({"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}[mode](x), kind)


def converted(x: float, form: str) -> float:
    return nearest(Fraction(x), form) if x and math.isfinite(x) else float(x)


CONVERSIONS = [
    *((f"cvt.{to}.{source}", to, (source,), lambda x: x) for to in INTEGER_KINDS for source in INTEGER_KINDS),
    *(
        (f"cvt.{mode}.{to}.{source}", to, (source,), lambda x, to=to, source=source, mode=mode: whole(x, to, source, mode))
        for mode in ("rzi", "rni", "rmi", "rpi")
        for to in INTEGER_KINDS
        for source in ("f16", "f32", "f64")
        if mode in ("rzi", "rni") or to in ("s32", "u64")
    ),
    *(
        (f"cvt.rn.{to}.{source}", to, (source,), lambda x, to=to: converted(x, to))
        for to in ("f16", "f32", "f64")
        for source in INTEGER_KINDS
    ),
    *(
        (f"cvt.rn.{to}.{source}", to, (source,), lambda x, to=to: converted(x, to))
        for to, source in (("f32", "f64"), ("f16", "f32"), ("f16", "f64"))
    ),
    *((f"cvt.{to}.{source}", to, (source,), lambda x: x) for to, source in (("f64", "f32"), ("f32", "f16"), ("f64", "f16"))),
    *(
        (f"cvt.{mode}.{kind}.{kind}", kind, (kind,), lambda x, round=function: math.copysign(float(round(x)), x) if math.isfinite(x) else x)
        for kind in ("f32", "f64")
        for mode, function in (("rni", round), ("rzi", math.trunc), ("rmi", math.floor), ("rpi", math.ceil))
    ),
]  # fmt: skip


@each(CONVERSIONS)
def test_conversions(opcode, result, operands, reference):
    agrees(opcode, result, operands, reference, examples=2)


def test_tf32_rounds_ties_away_from_zero():
    def rounded(x):
        if not math.isfinite(x) or not x:
            return to_bits(x, "f32")
        unit = Fraction(2) ** max(math.frexp(x)[1] - 11, -136)
        size = math.floor(abs(Fraction(x)) / unit + Fraction(1, 2)) * unit
        value = math.inf if size >= 2**128 else float(size)
        return to_bits(math.copysign(value, x), "f32")

    agrees("cvt.rna.tf32.f32", "b32", ("f32",), rounded)


def test_fma_is_rounded_once_where_twice_would_show():
    """A product half-way between two numbers, and a third number that is far too small for float64's sum."""
    run = trial("fma.rn.f32", "f32", ("f32",) * 3)

    @settings(max_examples=30, deadline=None, phases=[Phase.explicit, Phase.generate])
    @given(st.integers(0, 2**32))
    def check(seed):
        random = np.random.default_rng(seed)
        x = (1 + random.integers(0, 2**12, LANES) * 2.0**-12).astype(np.float32)
        y = (1 + random.integers(0, 2**12, LANES) * 2.0**-12).astype(
            np.float32
        )  # products have 24 or 25 bits: many a tie
        z = np.ldexp(random.choice([-1.0, 0.0, 1.0], LANES), random.integers(-149, -30, LANES)).astype(np.float32)
        scale = np.ldexp(1.0, random.integers(-148, 100, LANES))
        z = np.where(random.random(LANES) < 0.5, z, z * scale).astype(np.float32)
        x = (x * np.ldexp(1.0, random.integers(-126, 20, LANES))).astype(np.float32)  # subnormal results as well
        numbers = run(*(v.view(np.uint32) for v in (x, y, z))).tolist()
        assert numbers == [to_bits(ref.fma(*map(float, row), "f32"), "f32") for row in zip(x, y, z, strict=True)]

    check()


def test_lop3_is_its_table():
    @settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.generate])
    @given(st.integers(0, 255), st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=3))
    def check(table, numbers):
        run = trial("lop3.b32", "b32", ("b32",) * 3, table)
        words = run(*(np.full(LANES, x, np.uint32) for x in numbers))
        want = sum(
            (table >> ((numbers[0] >> k & 1) << 2 | (numbers[1] >> k & 1) << 1 | (numbers[2] >> k & 1)) & 1) << k
            for k in range(32)
        )
        assert (words == want).all()

    check()


@pytest.mark.parametrize(
    ("opcode", "result", "operands", "words"),
    [
        ("add.f32", "f32", ("f32", "f32"), "without a rounding"),
        ("mul.f64", "f64", ("f64", "f64"), "without a rounding"),
        ("div.full.f32", "f32", ("f32", "f32"), "its bits are not exact"),
        ("ex2.approx.f32", "f32", ("f32",), "its bits are not exact"),
        ("mul.s32", "s32", ("s32", "s32"), "its types or modifiers are not known"),
        ("sad.s32", "s32", ("s32", "s32"), "this opcode is not known"),
        ("add.rn.s32", "s32", ("s32", "s32"), "its types or modifiers are not known"),
        ("cvt.rn.f32.s32.u8", "f32", ("s32",), "a conversion has two types"),
    ],
)
def test_what_is_refused(opcode, result, operands, words):
    with faulty(words):
        trial(opcode, result, operands)


def test_division_by_zero_has_no_bits():
    zero, one = np.zeros(LANES, np.uint32), np.ones(LANES, np.uint32)
    with faulty("div.s32 %r9 , %r2 , %r3: an integer is divided by 0"):
        trial("div.s32", "s32", ("s32", "s32"))(one, zero)


def test_every_opcode_of_the_table_is_tried():
    cases = [
        *INTEGERS,
        *DIVIDED,
        *WIDE,
        *SIGNS,
        *BITS,
        *WORDS,
        *PREDICATES,
        *INTEGER_COMPARISONS,
        *FLOAT_COMPARISONS,
        *ARITHMETIC,
        *EXTREMES,
    ]
    elsewhere = {"abs", "neg", "copysign", "lop3"}
    assert {case[0].split(".")[0] for case in cases} | elsewhere == set(TABLE)
