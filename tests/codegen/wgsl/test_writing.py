"""Kernels of GPUs as WGSL: what of the IR's meaning the language does not give by itself."""

import itertools
import operator
import re

import pytest

from hybridize import ops
from hybridize.base.dtypes import float64, int64
from hybridize.base.errors import CodegenError, DeviceError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.wgsl.binding import WgslBinder
from hybridize.codegen.wgsl.ranges import widths_of
from hybridize.codegen.wgsl.reading import read_function
from hybridize.codegen.wgsl.writing import write_kernel
from hybridize.machine.target import named_target
from hybridize.ops.factors import Cholesky
from hybridize.passes import PIPELINE
from tests.refusals import refusal
from tests.schedule.goldens import f32, unknown


def program(function, *types):
    """The texts of the kernels of a function."""
    binder = WgslBinder()
    binder.bind(build_kernels(PIPELINE.run(ops.make_graph(function, types)), named_target("webgpu")))
    return [one.text for one in binder.modules.values()]


def kernel(write, *params, name="k") -> str:
    """The module of a function that is written by hand, each of whose arrays has a buffer."""
    module = Module(halves=False)
    f = Function(module, name, [("ptr", one) for one in params], attributes='"nvvm.maxntid"="64"')
    write(f)
    made = write_kernel(f, module, 1)
    return made.text(range(len(made.used)))


def body(text: str) -> str:
    return text[text.index("fn main(") :].partition("\n")[2]


# What the text has to be


def test_a_buffer_that_is_read_and_written_is_bound_once():
    def write(f):
        f.do(f"store float {f.op('load float, ptr %a')}, ptr %b")

    module = Module(halves=False)
    f = Function(module, "k", [("ptr", "a"), ("ptr", "b")], attributes='"nvvm.maxntid"="64"')
    write(f)
    made = write_kernel(f, module, 1)
    assert made.bindings((0, 1)) == (False, True)
    assert made.bindings((0, 0)) == (True,)
    text = made.text((0, 0))
    assert "fn a_at(word: i32) -> u32 { return m0[word]; }" in text
    assert "fn b_put(word: i32, x: u32) { m0[word] = x; }" in text
    assert "m1" not in text


def test_parts_of_words_are_stored_by_atomic_operations_and_read_so():
    def write(f):
        f.do(f"store i8 {f.op('load i8, ptr %a')}, ptr {f.element('%a', 5, 'i8')}")

    text = kernel(write, "a")
    assert "array<atomic<u32>>" in text
    assert "atomicLoad(&m0[word])" in text
    assert "a_byte((a_from1 + 5), " in text


def test_blocks_beyond_one_axis_are_left_out():
    rows = unknown()
    assert (
        "if (u32(block_) >= words[1][0]) { return; }"
        in program(lambda x, y: [ops.add(x, y)], f32(rows, 3), f32(rows, 3))[0]
    )
    few = program(lambda x, y: [ops.add(x, y)], f32(7, 3), f32(7, 3))[0]
    assert "return;" not in body(few)


def test_the_threads_of_a_row_meet_in_a_tree():
    text = program(lambda x: [ops.sum(x, (1,))], f32(3, 1000))[0]
    assert text.count("workgroupBarrier();") == 2
    assert "shfl" not in text


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("olt", "x < y"), ("ult", "x < y || nan_(x) || nan_(y)"), ("une", "x != y || nan_(x) || nan_(y)"),
        ("one", "x != y && !(nan_(x) || nan_(y))"), ("ord", "!(nan_(x) || nan_(y))"), ("ueq", "x == y || nan_(x) || nan_(y)"),
    ],
)  # fmt: skip
def test_nan_is_known_by_its_bits(relation, text):
    def write(f):
        x, y = f.op("load float, ptr %a"), f.op("load float, ptr %b")
        flag = f.op(f"fcmp {relation} float {x}, {y}")
        f.do(f"store i32 {f.op(f'zext i1 {flag} to i32')}, ptr %c")

    first, second = "t_1", "t_2"
    assert f"({re.sub('y', second, re.sub('x', first, text))})" in kernel(write, "a", "b", "c")


def test_the_opposite_of_a_comparison_is_one_of_its_own():
    def write(f):
        x, y = f.op("load float, ptr %a"), f.op("load float, ptr %b")
        less = f.op(f"fcmp ole float {x}, {y}")
        flag = f.op(f"xor i1 {less}, true")
        f.do(f"store i32 {f.op(f'zext i1 {flag} to i32')}, ptr %c")

    text = kernel(write, "a", "b", "c")
    assert "t_1 > t_2 || nan_(t_1) || nan_(t_2)" in text
    assert "!t_" not in text


def test_numbers_that_are_compared_with_themselves():
    def write(f):
        x = f.op("load float, ptr %a")
        same = f.op(f"fcmp oeq float {x}, {x}")
        f.do(f"store i32 {f.op(f'zext i1 {same} to i32')}, ptr %c")

    assert "!(nan_(t_1))" in kernel(write, "a", "c")


def test_constants_alone_are_no_expression_of_the_language():
    """WGSL computes those itself, and refuses what overflows."""

    def write(f):
        f.do(f"store i32 {f.op('add i32 2147483647, 1')}, ptr %a")
        f.do(f"store float {f.op('fmul float 0x47EFFFFFE0000000, 2.0')}, ptr %b")

    text = kernel(write, "a", "b")
    assert "i_(2147483647) + 1" in text
    assert "float_(2139095039u) * 2.0" in text


def test_registers_that_change_together_are_read_before():
    def write(f):
        with f.loop(0, 5, 1, [("i32", "1"), ("i32", "2")]) as loop:
            loop.following = loop.values[::-1]
        f.do(f"store i32 {loop.results[0]}, ptr %a")

    lines = [line.strip() for line in kernel(write, "a").splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("let now1 = "))
    one, two = (re.fullmatch(r"let now\d = (c_\d+);", line)[1] for line in lines[first : first + 2])
    assert {f"{two} = now1;", f"{one} = now2;"} <= set(lines[first + 2 : first + 5])


# 64 bits


def widths(write, *params):
    module = Module(halves=False)
    f = Function(module, "k", [("ptr", one) for one in params])
    names = write(f)
    found = widths_of(read_function(f), {})
    return [name in found.narrow for name in names]


def test_indices_are_narrow_and_elements_are_not():
    def write(f):
        with f.loop(0, 1000, 7) as loop:
            place = f.op(f"mul i64 {loop.index}, 40")
            x = f.op(f"load i64, ptr {f.element('%a', place)}")
            y = f.op(f"add i64 {x}, 1")
            f.do(f"store i64 {y}, ptr %a")
        return loop.index, place, x, y

    assert widths(write, "a") == [True, True, False, False]


def test_only_the_lower_word_of_an_index_counts():
    def write(f):
        x = f.op("load i64, ptr %a")
        y = f.op(f"add i64 {x}, 5")
        f.do(f"store float 0.0, ptr {f.element('%b', y, 'float')}")
        z = f.op(f"lshr i64 {x}, 3")
        f.do(f"store float 0.0, ptr {f.element('%b', z, 'float')}")
        return x, y, z

    assert widths(write, "a", "b") == [False, True, True]


def test_what_is_cut_off_is_narrow():
    def write(f):
        x = f.op("load i64, ptr %a")
        low = f.op(f"and i64 {x}, 255")
        clipped = f.between(x, 0, 99)
        rest = f.op(f"urem i64 {low}, 7")
        product = f.op(f"mul i64 {clipped}, 100000000")
        f.do(f"store i64 {product}, ptr %a")
        f.do(f"store i64 {rest}, ptr %a")
        return x, low, clipped, rest, product

    assert widths(write, "a") == [False, True, True, True, False]


def test_a_sum_that_grows_without_an_end_is_wide():
    def write(f):
        with f.loop(0, 100, 1, [("i64", "0")]) as loop:
            loop.following = [f.op(f"add i64 {loop.values[0]}, 1000000000")]
        f.do(f"store i64 {loop.results[0]}, ptr %a")
        return loop.values[0], loop.index

    assert widths(write, "a") == [False, True]


@pytest.mark.parametrize(("word", "count", "text"), [
    ("lshr", 32, "0"), ("ashr", 40, "(t_3 >> 31u)"), ("lshr", 31, "(t_3 >> 31u)"), ("shl", 33, "0"),
])  # fmt: skip
def test_shifts_of_narrow_numbers_by_more_than_they_have(word, count, text):
    """A shift by 32 of 32 bits is none."""

    def write(f):
        x = f.between(f.op("load i64, ptr %a"), 0, 99)
        y = f.op(f"{word} i64 {x}, {count}")
        f.do(f"store float 0.0, ptr {f.element('%b', y, 'float')}")

    assert f"b_put((b_from4 + {text}), " in kernel(write, "a", "b")


@pytest.mark.parametrize("word", ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"])
def test_bools_have_an_order(word):
    """WGSL compares none of them."""

    def write(f):
        x, y = (f.op(f"icmp eq i32 {f.op(f'load i32, ptr %{one}')}, 1") for one in "ab")
        flag = f.op(f"icmp {word} i1 {x}, {y}")
        f.do(f"store i32 {f.op(f'zext i1 {flag} to i32')}, ptr %c")

    expression = re.search(r"select\(0, 1, \((!?\(t_. == 1\) [|&] \(t_. == 1\))\)", kernel(write, "a", "b", "c"))[1]
    meaning = expression.replace("!", "not ").replace("|", "or").replace("&", "and")
    compare = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}[word[1:]]
    for first, second in itertools.product([False, True], repeat=2):
        sign = -1 if word[0] == "s" else 1
        expected = compare(sign * first, sign * second)
        assert bool(eval(meaning, {"t_1": first, "t_3": second})) == expected


# What is refused


def test_float64_is_refused_at_the_line():
    with refusal(DeviceError, r"E705: add of float64 .*has no code for webgpu yet(.|\n)*help: use float32"):
        program(lambda x: [ops.add(x, x)], TensorType((3,), float64))


def test_float64_in_a_routine_is_too():
    with refusal(DeviceError, r"E705: cholesky of float64 .*has no code for webgpu yet(.|\n)*help: use float32"):
        program(lambda x: ops.bind(Cholesky(), x)[:1], TensorType((3, 3), float64))


def test_int64_is_not():
    assert "add64_" in program(lambda x: [ops.add(x, x)], TensorType((3,), int64))[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("frem float 1.0, 2.0", "does not know|has no"),
        ("call float @strange(float 1.0)", "WGSL has no function strange"),
        ("atomicrmw add ptr %a, i32 1 monotonic", "does not know"),
        ("load ptr, ptr %a", "no pointers in memory"),
    ],
)
def test_an_instruction_without_a_form_is_a_defect(line, words):
    with refusal(CodegenError, f"E980: .*({words})"):
        kernel(lambda f: f.op(line), "a")


def test_a_pointer_into_several_arrays_is_a_defect():
    """It would take the elements of one of them, whichever way it came: a sort of more than 32 elements was wrong."""

    def write(f):
        with f.loop("0", "3", carry=[("ptr", "%a"), ("ptr", "%b")]) as loop:
            f.store(f.load(loop.values[0], loop.index, "i32"), f.element(loop.values[1], loop.index, "i32"), type="i32")
            loop.following = loop.values[::-1]

    with refusal(CodegenError, "E980: .*points into 2 of them"):
        kernel(write, "a", "b")
