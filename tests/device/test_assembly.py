"""Text of PTX: what is read, and where it is refused."""

import pytest

from tests.device.assembly import TYPES, Address, Constant, Name, Pack, Register, parse
from tests.device.written import faulty, module


def only(body: str):
    """Return the instruction of a body, which stands before `ret`."""
    return parse(module(body)).kernels["k"].code[-2]


def test_an_instruction_has_its_parts():
    one = only("@!%p3 ld.global.nc.v2.f32 {%f1, _}, [%rd2+-8];")
    assert one.name == "ld"
    assert one.modifiers == ("global", "nc", "v2")
    assert one.types == (TYPES["f32"],)
    assert one.guard == Register("%p3", negated=True)
    assert one.operands == (Pack((Register("%f1"), Register("_"))), Address(Register("%rd2"), -8))


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0f3F800000", "f32", 1.0), ("0d3FF8000000000000", "f64", 1.5), ("-1", "u32", 2**32 - 1), ("0x10U", "s64", 16),
        ("-2147483648", "s32", -(2**31)), ("0x3C00", "f16", 1.0), ("1", "pred", True),
    ],
)  # fmt: skip
def test_constants_are_of_the_type_that_wants_them(text, kind, value):
    (_, constant) = only(f"mov.b64 %rd1, {text};").operands
    assert isinstance(constant, Constant)
    assert constant.of(TYPES[kind]) == value


def test_comments_lines_and_scopes():
    body = """
        /* a comment
           of two lines */ mov.u32 %r1, 1; // and mov.u32 %r1, 2;
        {
            .reg .b32 part;
            mov.b32 part, %r1;
            add.u32 %r2,
                part, 1;
        }
        { .reg .b32 part; mov.b32 part, %r2; }
    """
    kernel = parse(module(body)).kernels["k"]
    first, second = (one.operands[0].name for one in kernel.code[-5:-1] if one.operands[0].name.startswith("part"))
    assert first != second
    text = next(one for one in kernel.code if one.name == "add" and one.operands[0] == Register("%r2"))
    assert text.text == "add.u32 %r2 , part , 1"
    assert module(body).splitlines()[text.line - 1].strip() == "add.u32 %r2,"


def test_variables_have_their_size_and_content():
    head = """
        .shared .align 16 .b8 room[3][4];
        .extern .shared .align 8 .b64 more[];
        .const .f32 table[2] = {0f3F800000, 0f40000000};
    """
    whole = parse(module("mov.u64 %rd1, room;", head=head))
    sizes = {one.name: (one.space, one.align, one.nbytes) for one in whole.variables.values()}
    assert sizes == {"room": ("shared", 16, 12), "more": ("shared", 8, 0), "table": ("const", 4, 8)}
    assert whole.variables["table"].content.hex() == "0000803f00000040"
    assert [one.name for one in whole.kernels["k"].named("shared")] == ["room"]
    assert only("bra $on; $on: mov.u64 %rd1, room;").operands[1] == Name("room")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (module("mov.u32 %r1, 1 2;"), "'2' after an operand"),
        (module("mov.u32 %r1, `;"), "`;: not PTX"),
        (module(".reg .b1 %q<3>;"), "registers of b1"),
        (module("", head=".func helper() { ret; }"), ".func: only kernels and variables are known; inline functions"),
        (module("", ("u64 out", "b8 bytes[16]")), "a parameter that is an array"),
        (".version 7.0\n.entry k() { ret }", "'}' where an operand belongs"),
        (".entry k( .reg .b32 x ) { ret; }", "'.reg' where .param belongs"),
    ],
    ids=range(7),
)
def test_what_is_not_read(text, words):
    with faulty(words):
        parse(text)


def test_a_kernel_that_goes_on_past_its_end():
    from tests.device.emulated import Emulated

    with faulty("the kernel goes on past its last instruction"):
        Emulated().load(".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, 1; }")["k"]
