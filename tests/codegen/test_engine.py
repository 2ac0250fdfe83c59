"""The door to LLVM: targets as data, text to code, lives of loaded modules."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hybridize import ops, system
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm import engine, objects
from hybridize.codegen.llvm.engine import compile_image, compile_module, host_target
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build
from hybridize.machine.target import Target, named_target
from hybridize.runtime.image import Loaded
from tests.platforms.marks import linux

TARGETS = ["avx512", "avx2", "baseline"]
TWICE = """
define i64 @twice(i64 %x) {
  %y = add i64 %x, %x
  ret i64 %y
}
define internal i64 @hidden(i64 %x) {
  ret i64 %x
}
"""


def function(loaded, name, returns, *params):
    return ctypes.CFUNCTYPE(returns, *params)(loaded.address(name))


@pytest.mark.parametrize(("level", "field"), [(1, "l1_bytes"), (2, "l2_bytes")])
def test_the_target_knows_the_caches_of_this_machine(level, field):
    """As the operating system tells by another road: `lscpu` counts all of them, `getconf` gives one."""
    name = {1: "LEVEL1_DCACHE_SIZE", 2: "LEVEL2_CACHE_SIZE"}[level]
    told = subprocess.run(["getconf", name], capture_output=True, text=True, check=False).stdout.strip()
    known = int(told) if told.isdecimal() else 0
    assert getattr(host_target(), field) == (known or getattr(Target, field))


@pytest.mark.parametrize(
    ("name", "features", "known"),
    [
        ("rocketlake", {"amx-tile": True, "avx512f": True}, "sapphirerapids"),  # a hypervisor hides the model
        ("icelake-server", {"amx-tile": True}, "sapphirerapids"),
        ("x86-64-v4", {"amx-tile": True}, "sapphirerapids"),
        ("graniterapids", {"amx-tile": True}, "graniterapids"),
        ("sapphirerapids", {"amx-tile": True}, "sapphirerapids"),
        ("rocketlake", {"amx-tile": False}, "rocketlake"),
        ("znver5", {}, "znver5"),
    ],
)
def test_processors_with_matrix_tiles_are_no_older_than_the_first_that_has_them(name, features, known):
    assert engine._processor_name(named_target("baseline"), name, features) == known


def test_targets_that_are_one_to_llvm_share_its_code_generator():
    target = named_target("avx2")
    generators = objects._generators
    assert generators(target, 2) is generators(replace(target, unroll=4, packs_from=1, l2_bytes=1 << 16), 2)
    assert generators(target, 2) is not generators(replace(target, cpu="znver4"), 2)
    assert generators(target, 2) is not generators(target, 0)


def test_a_processor_of_which_llvm_tells_no_features_has_those_of_its_level(monkeypatch):
    """So it is on Apple silicon."""

    class Binding:
        get_host_cpu_features = dict

        def get_host_cpu_name(self):
            return "apple-m1"

    monkeypatch.setattr(engine, "binding", Binding)
    monkeypatch.setattr(engine, "runnable", lambda: ("aarch64",))
    monkeypatch.setattr(system, "NAME", "macos")
    made = engine.host_target.__wrapped__()
    assert (made.cpu, made.features) == (named_target("aarch64").cpu, named_target("aarch64").features + ",-dotprod")
    assert made.triple.startswith("arm64-apple-macosx")
    assert "fmla" in assembly(FUSED, made)


FUSED = """
define <4 x float> @fused(<4 x float> %x, <4 x float> %y, <4 x float> %z) {
  %r = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> %y, <4 x float> %z)
  ret <4 x float> %r
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
"""


def test_targets_are_equal_data():
    assert host_target() == host_target()
    assert named_target("avx2") == named_target("avx2")
    assert [named_target(name).lanes(4) for name in TARGETS] == [16, 8, 4]
    assert host_target().name in TARGETS
    with pytest.raises(CodegenError, match=r"E960.*'sse9'"):
        named_target("sse9")


@pytest.mark.parametrize("name", TARGETS)
def test_equal_targets_give_equal_code(name):
    first, second = (compile_image(TWICE, named_target(name)) for _ in range(2))
    assert first == second
    assert function(Loaded(first), "twice", ctypes.c_int64, ctypes.c_int64)(21) == 42


def test_only_exported_names_have_addresses():
    loaded = compile_module(TWICE + "@cell = global i64 7, align 64\n", host_target())
    assert ctypes.c_int64.from_address(loaded.address("cell")).value == 7
    assert loaded.address("cell") % 64 == 0
    with pytest.raises(CodegenError, match=r"E961.*hidden.*only twice, cell"):
        loaded.address("hidden")


def test_symbols_of_libm_the_c_library_and_python_resolve():
    text = """
    declare float @llvm.exp.f32(float)
    declare double @tgamma(double)
    declare ptr @PyLong_FromLong(i64)
    declare ptr @malloc(i64)
    declare void @free(ptr)
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define float @e(float %x) {
      %y = call float @llvm.exp.f32(float %x)
      ret float %y
    }
    define double @g(double %x) {
      %y = call double @tgamma(double %x)
      ret double %y
    }
    define ptr @p(i64 %x) {
      %y = call ptr @PyLong_FromLong(i64 %x)
      ret ptr %y
    }
    define i64 @m(ptr %x, i64 %size) {
      %y = call ptr @malloc(i64 %size)
      call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 %size, i1 false)
      %z = load i64, ptr %y
      call void @free(ptr %y)
      ret i64 %z
    }
    """
    loaded = compile_module(text, host_target())
    assert function(loaded, "e", ctypes.c_float, ctypes.c_float)(1.0) == pytest.approx(np.e, rel=1e-6)
    assert function(loaded, "g", ctypes.c_double, ctypes.c_double)(5.0) == pytest.approx(24)
    assert ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_int64)(loaded.address("p"))(123456789) == 123456789
    word = np.array([5, 6])
    assert function(loaded, "m", ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(word.ctypes.data, 16) == 5


def test_a_bad_module_is_shown_with_its_line():
    with pytest.raises(CodegenError, match=r"(?s)E962.*2   %y = add i64 %nothing, 1"):
        compile_module("define i64 @f() {\n  %y = add i64 %nothing, 1\n  ret i64 %y\n}\n", host_target())


def test_a_symbol_that_is_nowhere_is_named():
    text = "declare void @nobody.knows()\ndefine void @f() {\n  call void @nobody.knows()\n  ret void\n}\n"
    with pytest.raises(CodegenError, match="E963"):
        compile_module(text, host_target())
    compile_module(TWICE, host_target())  # and nothing is left broken


def test_images_load_again():
    image = compile_image(TWICE, host_target())
    loaded, again = Loaded(image), Loaded(image)
    assert function(again, "twice", ctypes.c_int64, ctypes.c_int64)(4) == 8
    assert again.address("twice") != loaded.address("twice")


def test_many_modules_come_and_go():
    kept = []
    for number in range(60):
        loaded = compile_module(TWICE.replace("%x, %x", f"%x, {number}"), host_target())
        if number % 10 == 0:
            kept.append((number, loaded))
    del loaded
    gc.collect()
    for number, loaded in kept:
        assert function(loaded, "twice", ctypes.c_int64, ctypes.c_int64)(100) == 100 + number


def test_threads_compile_at_once():
    results = {}

    def work(number):
        loaded = compile_module(TWICE.replace("%x, %x", f"%x, {number}"), host_target())
        results[number] = function(loaded, "twice", ctypes.c_int64, ctypes.c_int64)(1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number + 1 for number in range(12)}


def test_a_process_ends_cleanly_with_modules_loaded():
    code = (
        "from hybridize.codegen.llvm.engine import compile_module, host_target\n"
        "text = 'define void @f() {\\n  ret void\\n}\\n'\n"
        "a = compile_module(text, host_target()); b = compile_module(text, host_target())\n"
        "del a; a = [b]; a.append(a)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_llvm_is_loaded_with_the_first_use():
    code = "import sys, hybridize.codegen.llvm.engine\nassert 'llvmlite.binding' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_assembly_shows_the_registers_of_the_target():
    text = (
        "define void @f(ptr %x) {\n  %v = load <16 x float>, ptr %x, align 4\n  %w = fadd <16 x float> %v, %v\n"
        "  store <16 x float> %w, ptr %x, align 4\n  ret void\n}\n"
    )
    registers = {name: assembly(text, named_target(name)) for name in TARGETS}
    assert "zmm" in registers["avx512"]
    assert "ymm" in registers["avx2"]
    assert "zmm" not in registers["avx2"]
    assert "ymm" not in registers["baseline"]


@linux
def test_modules_that_are_dropped_leave_no_memory_behind():
    image = compile_image("define void @nothing() {\n  ret void\n}\n", host_target())

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(200):
        Loaded(image)
    before = resident()
    for _ in range(600):
        Loaded(image)
    assert resident() - before < 1 << 20


STRIDES = """
define void @strides(ptr %x, ptr %y, i64 %n, i64 %step) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %at = mul i64 %i, %step
  %from = getelementptr float, ptr %x, i64 %at
  %to = getelementptr float, ptr %y, i64 %at
  %v = load float, ptr %from
  store float %v, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


def test_others_who_use_llvm_meanwhile_get_their_own_options():
    """LLVM's options are of the process: ours are never seen by another library's thread."""
    import llvmlite.binding as llvm

    target = host_target()
    usual = assembly(STRIDES, target)
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        target.cpu, target.features, 2, "pic", "small"
    )

    def of_others():
        return machine.emit_assembly(llvm.parse_assembly(STRIDES))

    alone = of_others()
    assert len(alone.splitlines()) != len(usual.splitlines()), "the option must matter to this loop"
    ended = threading.Event()
    ours = {}

    def compile_ours():
        while not ended.is_set():
            ours[assembly(STRIDES, target)] = True

    thread = threading.Thread(target=compile_ours)
    thread.start()
    try:
        theirs = {of_others() for _ in range(200)}
    finally:
        ended.set()
        thread.join()
    assert theirs == {alone}
    assert ours == {usual: True}


def opcodes(text):
    """The instructions of an assembly, sorted, without their registers."""
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return sorted(words[0] for words in lines if words and not words[0].startswith(".") and not words[0].endswith(":"))


@pytest.mark.parametrize("cpu", ["", "sapphirerapids", "znver4"])
@pytest.mark.parametrize("name", TARGETS)
def test_the_level_of_what_works_gives_the_instructions_of_level_2(name, cpu):
    target = replace(named_target(name), cpu=cpu) if cpu and name == "avx512" else named_target(name)
    graph = ops.make_graph(
        lambda x, w: [ops.tanh(ops.matmul(x, w)), ops.transpose(ops.exp(x), (1, 0)), ops.sum(ops.mul(x, x), (1,))],
        [TensorType((9, 48), np.dtype("f4")), TensorType((48, 40), np.dtype("f4"))],
    )
    text = build(graph, target).module.text()
    texts = [assembly(text, target, level) for level in (engine.working_level(target), 2)]
    assert opcodes(texts[0]) == opcodes(texts[1])
    assert texts[0] == texts[1] or cpu == "znver4"
