"""Objects made into images: every kind of reference that LLVM writes, where it ends up, what is refused."""

import ctypes
import math
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from hybridize import ops, system
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen import elf
from hybridize.codegen.link import link, link_functions
from hybridize.codegen.llvm.engine import compile_image, compile_module, host_target
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.llvm.program import build
from hybridize.codegen.split import split
from hybridize.graph import Builder
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime.image import Image, Loaded
from tests.catalog.samples import samples
from tests.platforms.compilers import commands, emulated
from tests.platforms.marks import linux
from tests.samples import sampled

EVERYTHING = """
@table = internal constant [3 x ptr] [ptr @one, ptr @two, ptr @numbers]
@numbers = internal constant [4 x i64] [i64 5, i64 6, i64 7, i64 8], align 64
@count = global i64 40, align 8
@sum = internal global i64 0
@room = internal global [5000 x i8] zeroinitializer, align 32
@self = global ptr @count
@seen = constant double 2.5

declare double @lgamma(double)
declare i64 @labs(i64)
declare ptr @memset(ptr, i32, i64)

define internal i64 @one() {
  ret i64 1
}
define internal i64 @two() {
  ret i64 2
}
define i64 @by_table(i64 %k) {
  %p = getelementptr ptr, ptr @table, i64 %k
  %f = load ptr, ptr %p
  %y = call i64 %f()
  ret i64 %y
}
define i64 @third(i64 %k) {
  %q = load ptr, ptr getelementptr (ptr, ptr @table, i64 2)
  %p = getelementptr i64, ptr %q, i64 %k
  %y = load i64, ptr %p
  ret i64 %y
}
define i64 @next() {
  %a = load i64, ptr @count
  %b = add i64 %a, 1
  store i64 %b, ptr @count
  %c = load i64, ptr @sum
  %d = add i64 %c, %b
  store i64 %d, ptr @sum
  ret i64 %d
}
define i8 @filled() {
  %p = call ptr @memset(ptr @room, i32 7, i64 5000)
  %q = getelementptr i8, ptr @room, i64 4999
  %y = load i8, ptr %q
  ret i8 %y
}
define double @outside(double %x) {
  %y = call double @lgamma(double %x)
  %z = call double @lgamma(double %y)
  %c = load double, ptr @seen
  %s = fadd double %z, %c
  ret double %s
}
define ptr @given() {
  ret ptr @labs
}
define i64 @chosen(i64 %k) {
  switch i64 %k, label %other [ i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e ]
a:
  ret i64 10
b:
  ret i64 210
c:
  %n = call i64 @next()
  ret i64 %n
d:
  ret i64 -3
e:
  ret i64 77
other:
  ret i64 0
}
"""
Int = ctypes.c_int64
HERE = host_target().machine


def function(loaded, name, returns, *params):
    return ctypes.CFUNCTYPE(returns, *params)(loaded.address(name))


def test_every_reference_reaches_its_target():
    loaded = compile_module(EVERYTHING, host_target())
    by_table, third, chosen = (function(loaded, name, Int, Int) for name in ("by_table", "third", "chosen"))
    assert [by_table(0), by_table(1)] == [1, 2]
    assert [third(k) for k in range(4)] == [5, 6, 7, 8]
    assert [chosen(k) for k in (0, 1, 3, 4, 9)] == [10, 210, -3, 77, 0]
    assert [function(loaded, "next", Int)(), chosen(2), Int.from_address(loaded.address("count")).value] == [41, 83, 42]
    assert function(loaded, "filled", ctypes.c_int8)() == 7
    assert Int.from_address(loaded.address("self")).value == loaded.address("count")
    gamma = function(loaded, "outside", ctypes.c_double, ctypes.c_double)
    assert gamma(50.0) == pytest.approx(2.5 + math.lgamma(math.lgamma(50.0)))
    given = ctypes.CFUNCTYPE(ctypes.c_void_p)(loaded.address("given"))()
    assert ctypes.CFUNCTYPE(Int, Int)(given)(-9) == 9


def test_images_of_one_module_share_nothing():
    image = compile_image(EVERYTHING, host_target())
    first, second = Loaded(image), Loaded(image)
    assert [function(first, "next", Int)() for _ in range(2)] == [41, 83]
    assert function(second, "next", Int)() == 41
    assert first.address("count") != second.address("count")


def test_hidden_and_internal_names_are_not_exported():
    image = compile_image(EVERYTHING + "define hidden void @inner() {\n  ret void\n}\n", host_target())
    names = {name for name, _ in image.exports}
    assert names == {"by_table", "third", "next", "filled", "outside", "given", "chosen", "count", "self", "seen"}
    assert {name for name, _ in image.externals} == {"lgamma", "labs", "memset"}


TWO = (
    """
@table = internal constant [2 x ptr] [ptr @one, ptr @there]
@same = private constant i64 3
@count = global i64 40
declare double @lgamma(double)
declare hidden i64 @there(i64)
declare i64 @shown()
define hidden i64 @one(i64 %x) {
  %c = load i64, ptr @same
  %y = add i64 %x, %c
  ret i64 %y
}
define i64 @by_table(i64 %k, i64 %x) {
  %p = getelementptr ptr, ptr @table, i64 %k
  %f = load ptr, ptr %p
  %y = call i64 %f(i64 %x)
  %s = call i64 @shown()
  %z = add i64 %y, %s
  ret i64 %z
}
define double @outside(double %x) {
  %y = call double @lgamma(double %x)
  ret double %y
}
""",
    """
@same = private constant i64 50
@count = external global i64
declare double @lgamma(double)
declare i64 @labs(i64)
declare hidden i64 @one(i64)
define hidden i64 @there(i64 %x) {
  %y = call i64 @one(i64 %x)
  %c = load i64, ptr @same
  %z = mul i64 %y, %c
  ret i64 %z
}
define i64 @shown() {
  %a = load i64, ptr @count
  %n = sub i64 0, %a
  %b = call i64 @labs(i64 %n)
  store i64 0, ptr @count
  ret i64 %b
}
define double @also(double %x) {
  %y = call double @lgamma(double %x)
  %z = fneg double %y
  ret double %z
}
""",
)
"""Modules that need each other: functions, by calls and in a table, and a variable; a private name that both have."""


SWITCHES = """
declare i64 @labs(i64)
define hidden i64 @there.too(i64 %x) {
  ret i64 %x
}
""" + "".join(
    f"""
define i64 @chosen.{number}(i64 %k, float %y) {{
  switch i64 %k, label %other [ i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e ]
a:
  ret i64 {number}10
b:
  %m = call i64 @there.too(i64 {number}3)
  ret i64 %m
c:
  %n = call i64 @labs(i64 -{number}9)
  ret i64 %n
d:
  ret i64 -{number}3
e:
  %z = fadd float %y, {number}.5
  %w = fmul float %z, 4.0
  %v = fptosi float %w to i64
  ret i64 %v
other:
  ret i64 0
}}
"""
    for number in (1, 2)
)
"""Tables of jumps that share a section, and constants of the code generator's."""


def taken_apart(text, target):
    """The functions of a module, each of which is put into a section of its own."""
    text = re.sub(r"(?m)^(define .*@([\w.]+)\(.*\)) {", r'\1 section ".text.\2" {', text)
    return split(emit_object(text.replace("@count = global i64 40", "@count = external global i64"), target))


@pytest.mark.parametrize("order", [1, -1])
def test_functions_of_several_objects_make_one_image(order):
    functions = {}
    for text in TWO[::order]:
        functions |= taken_apart(text, host_target())
    shown = [name for name in functions if name not in ("one", "there")]
    image = link_functions(functions, shown, {"count": 8}, HERE)
    assert sorted(name for name, _ in image.exports) == ["also", "by_table", "count", "outside", "shown"]
    assert sorted(name for name, _ in image.externals) == ["labs", "lgamma"]
    loaded = Loaded(image)
    count = Int.from_address(loaded.address("count"))
    assert count.value == 0
    count.value = 40
    by_table = function(loaded, "by_table", Int, Int, Int)
    assert [by_table(0, 7), by_table(0, 7), by_table(1, 7)] == [7 + 3 + 40, 7 + 3, (7 + 3) * 50]
    gamma = [function(loaded, name, ctypes.c_double, ctypes.c_double)(50.0) for name in ("outside", "also")]
    assert gamma == [pytest.approx(math.lgamma(50.0)), pytest.approx(-math.lgamma(50.0))]


def test_tables_of_jumps_and_constants_come_along():
    functions = taken_apart(SWITCHES, host_target())
    loaded = Loaded(link_functions(functions, ["chosen.1", "chosen.2"], {}, HERE))
    for number in (1, 2):
        chosen = function(loaded, f"chosen.{number}", Int, Int, ctypes.c_float)
        results = [chosen(k, 1.0) for k in (0, 1, 2, 3, 4, 7)]
        ten, three, nine = (int(f"{number}{digits}") for digits in (10, 3, 9))
        assert results == [ten, three, nine, -three, 4 * (number + 1) + 2, 0]
    # One that refers to another's instructions, as tables that share a section do, says so.
    assert functions["chosen.1"].refers_to({"there.too", "chosen.2"}) >= {"there.too"}


def test_a_variable_is_no_constant_of_a_function():
    with pytest.raises(CodegenError, match=r"E967.*no constant"):
        taken_apart("@sum = internal global i64 5\n" + SUM, host_target())


SUM = """
define i64 @next() {
  %c = load i64, ptr @sum
  %d = add i64 %c, 1
  store i64 %d, ptr @sum
  ret i64 %d
}
"""


def test_an_object_alone_that_needs_another_names_what_it_lacks():
    with pytest.raises(CodegenError, match="'there'") as raised:
        link(emit_object(TWO[0], host_target()), HERE)
    assert raised.value.code == "E967"


def mapping(address):
    """Beginning, end and rights of the pages around an address."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
        if int(start, 16) <= address < int(end, 16):
            return int(start, 16), int(end, 16), rights
    return None


@linux
def test_no_page_of_an_image_is_writable_and_executable():
    loaded = compile_module(EVERYTHING, host_target())
    rights = {name: mapping(loaded.address(name))[2] for name in ("next", "seen", "count")}
    assert rights == {"next": "r-xp", "seen": "r-xp", "count": "rw-p"}


def test_memory_is_given_back():
    loaded = compile_module(EVERYTHING, host_target())
    code, variable = loaded.address("by_table"), loaded.address("count")
    assert loaded.nbytes % 4096 == 0
    assert mapping(code)[2] == "r-xp"
    assert mapping(variable)[2] == "rw-p"
    del loaded
    # Something else may lie there by now, but neither code nor our variables beside it.
    after = mapping(code), mapping(variable)
    assert after[0] is None or after[0][2] != "r-xp" or after[1] is None or after[1][2] != "rw-p"


def test_many_references_are_resolved_as_few_are():
    sums = "\n".join(f"  %x{k + 1} = fadd double %x{k}, {k}.25" for k in range(3000))
    loaded = compile_module(f"define double @sum(double %x0) {{\n{sums}\n  ret double %x3000\n}}\n", host_target())
    assert function(loaded, "sum", ctypes.c_double, ctypes.c_double)(1.0) == 1 + sum(k + 0.25 for k in range(3000))


def test_what_no_module_of_ours_has_is_refused():
    with pytest.raises(CodegenError, match=r"E967.*\.tbss"):
        compile_image("@x = thread_local global i64 0\n", host_target())


def test_what_is_no_object_is_refused():
    content = emit_object(EVERYTHING, host_target())
    assert elf.read(content).machine == host_target().processor
    for wrong in (b"", b"\x7fELF" * 40, content[:16] + b"\2\0" + content[18:], content[:18] + b"\x28\0" + content[20:]):
        with pytest.raises(CodegenError, match="E967"):
            link(wrong, HERE)


def test_an_unknown_kind_of_reference_is_refused():
    content = bytearray(emit_object(EVERYTHING, host_target()))
    obj = elf.read(bytes(content))
    _, records = obj.relocations()[0]
    at = bytes(content).index(records[0].tobytes())
    struct.pack_into("<I", content, at + 8, 10)  # R_X86_64_32
    with pytest.raises(CodegenError, match=r"E967.*type 10"):
        link(bytes(content), HERE)


def test_images_of_other_machines_are_refused():
    image = compile_image(EVERYTHING, host_target())
    fields = {name: getattr(image, name) for name in Image.__dataclass_fields__}
    with pytest.raises(CodegenError, match=r"E966.*sparc"):
        Loaded(Image(**fields | {"machine": "sparc"}))
    with pytest.raises(CodegenError, match=r"E966.*pages"):
        Loaded(Image(**fields | {"data_offset": image.data_offset + 64}))


x86 = pytest.mark.skipif(system.PROCESSOR != "x86_64", reason="its code is run by this processor")


def header(image):
    """The image as C."""
    fields = {
        "code_bytes": len(image.code),
        "data_bytes": len(image.data),
        "data_offset": image.data_offset,
        "nbytes": image.nbytes,
    }
    lines = [f"static const size_t {name} = {value};" for name, value in fields.items()]
    for name, content in (("code", image.code), ("data", image.data)):
        lines.append(f"static const unsigned char {name}[] = {{{','.join(map(str, content))}}};")
    externals = ",".join(f"{{{place}, (void *)of_{name}}}" for name, place in image.externals)
    lines.append(f"static const struct {{ size_t word; void *function; }} externals[] = {{{externals}}};")
    pointers = ",".join(f"{{{place}, {target}}}" for place, target in image.pointers)
    lines.append(f"static const struct {{ size_t word, target; }} pointers[] = {{{pointers}}};")
    return "\n".join([*lines, *(f"#define OFFSET_{name} {place}" for name, place in image.exports)]) + "\n"


@pytest.mark.parametrize(
    "name",
    [
        *[pytest.param(f"baseline-{name}", marks=x86) for name in ("linux", "macos", "windows")],
        *[pytest.param(f"aarch64-{name}", marks=emulated) for name in ("linux", "macos")],
    ],
)
def test_a_loader_in_c_runs_images_of_each_machine(name, tmp_path):
    target = named_target(name)
    text = EVERYTHING
    if target.system == "windows":  # where code reaches a function of the process by calling it alone: see below
        text = text.replace("ret ptr @labs", "ret ptr @of_labs") + OF_LABS
    (tmp_path / "image.h").write_text(header(link(emit_object(text, target), target.machine)))
    compiler, *runner = commands(target.processor)
    called = "-DCALLED=" + ("__attribute__((ms_abi))" if target.system == "windows" else "")
    if not shutil.which(compiler):
        pytest.skip("there is no C compiler")
    source, program = Path(__file__).with_name("load_image.c"), tmp_path / "program"
    subprocess.run([compiler, called, "-O1", "-static", "-I", tmp_path, source, "-o", program, "-lm"], check=True)
    done = subprocess.run([*runner, program], check=True, capture_output=True, text=True)
    *numbers, last = done.stdout.split()
    assert list(map(int, numbers)) == [1, 2, 5, 6, 7, 8, 10, 210, 41, -3, 77, 0, 83, 7, 9]
    assert float(last) == pytest.approx(2.5 + math.lgamma(math.lgamma(50.0)))


OF_LABS = """
define internal i64 @of_labs(i64 %x) {
  %y = call i64 @labs(i64 %x)
  ret i64 %y
}
"""


def test_on_windows_a_function_of_the_process_has_no_address_but_is_called():
    target = named_target("baseline-windows")
    with pytest.raises(CodegenError, match=r"E967.*'labs' cannot be resolved"):
        link(emit_object(EVERYTHING, target), target.machine)


IDENTITY = "define i64 @f(i64 %x) {\n  ret i64 %x\n}\n"


def test_an_object_is_of_the_processor_that_its_image_is_for():
    with pytest.raises(CodegenError, match=r"E967.*for aarch64.*x86_64-macos"):
        link(emit_object(IDENTITY, named_target("aarch64-macos")), "x86_64-macos")


@pytest.mark.parametrize("name", sampled(["avx512", "baseline", "aarch64"], 2))
def test_every_reference_of_the_catalogue_is_known(name):
    """A program of each kind is linked for each processor that objects are ELF on."""
    for cls in ops.OPS.values():
        if cls.word == "eig":  # no program holds it, and capturing refuses it (tests/array/test_linear.py)
            continue
        sample = next(sample for sample in samples(cls) if sample.fails is None)
        builder = Builder()
        inputs = [builder.input(TensorType(x.shape, x.dtype)) for x in sample.inputs]
        graph = PIPELINE.run(builder.finish(builder.add(sample.op, inputs)))
        image = compile_image(build(graph, named_target(name)).module.text(), named_target(name))
        assert "program" in dict(image.exports)
