"""Code for the calling conventions of Windows and macOS: linked, looked at, and run here by callers that have them.

A function of Windows on x86-64, and one of macOS on either processor, computes the same as one of Linux: an executable
of Linux can call it, if it calls as that system does (convention.h). So nothing here shows that those systems load it.
"""

import os
import re
import shutil

import pytest

from hybridize.codegen import clang, elf, runtimes
from hybridize.codegen.levels import runnable
from hybridize.codegen.link import link
from hybridize.codegen.llvm.objects import assembly, emit_object
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.timed import TimedWriter
from hybridize.machine.target import named_target
from hybridize.ops import evaluate
from tests.platforms.compilers import emulated
from tests.samples import sampled

MATHEMATICS = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "expm1",
    "fmod", "hypot", "lgamma", "log", "log10", "log1p", "log2", "nextafter", "pow", "sin", "sinh", "tan", "tanh",
    "tgamma",
}  # fmt: skip
PYTHON = {
    "PyErr_CheckSignals", "PyErr_Fetch", "PyErr_NormalizeException", "PyEval_RestoreThread", "PyEval_SaveThread",
    "PyException_SetTraceback", "PyGILState_Ensure", "PyGILState_Release", "Py_DecRef",
}  # fmt: skip
ALLOWED = MATHEMATICS | {f"{name}f" for name in MATHEMATICS} | {"memcpy", "memmove", "memset"} | PYTHON
"""Functions of the process that programs may need, by names that all these systems have."""
OF_SYSTEM = {"windows": {"__chkstk"}, "macos": set()}

needs_gcc = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("objcopy") and "baseline" in runnable() and os.name == "posix"),
    reason="there is no gcc for x86-64, or no objcopy",
)
wide = pytest.mark.skipif("avx2" not in runnable(), reason="this machine has no AVX2")
RUN = [
    pytest.param("baseline-windows", marks=needs_gcc),
    pytest.param("avx2-windows", marks=[needs_gcc, wide]),
    pytest.param("avx2-macos", marks=[needs_gcc, wide, pytest.mark.long]),
    pytest.param("aarch64-macos", marks=emulated),
]
TARGETS = ["baseline-windows", "avx512-windows", "avx2-macos", "aarch64-macos"]


@pytest.mark.parametrize("name", RUN)
def test_a_few_ops_are_the_reference(name, catalogue, programs):
    cases = catalogue.cases[::60]
    catalogue.check(cases, programs(catalogue.jobs(cases), name).in_c())


@pytest.mark.parametrize("name", RUN)
@pytest.mark.long
def test_every_op_is_the_reference(name, catalogue, programs):
    catalogue.check(catalogue.cases, programs(catalogue.jobs(catalogue.cases), name).in_c())


@pytest.mark.parametrize("name", RUN)
def test_a_net_runs(name, models, programs):
    """Its tiles take all registers, among them those that a function of Windows must leave as they were."""
    jobs = [models.mlp(64, constant=False), models.gelu_of_layer_norm(64, 128)]
    for (graph, inputs), outputs in zip(jobs, programs(jobs, name).in_c(), strict=True):
        models.check(graph, outputs, evaluate(graph, inputs))


@pytest.mark.parametrize("name", RUN)
@pytest.mark.long
def test_models_run(name, models, programs):
    several, exact = models.of_any_length([2, 3, 16, 70])
    jobs = [*(make() for make in models.MODELS.values()), models.resnet18()]
    found = programs([*jobs, *several], name).in_c()
    for (graph, inputs), outputs in zip([*jobs, *exact], found, strict=True):
        models.check(graph, outputs, evaluate(graph, inputs))


@pytest.mark.parametrize("name", sampled(TARGETS, 4))
def test_programs_link_and_need_nothing_but_what_the_system_has(name, catalogue):
    target = named_target(name)
    first = {label.partition(".")[0]: (label, sample) for label, sample in catalogue.cases}
    cases = [*first.values()][:: 8 if name == TARGETS[0] else 1]
    for graph, _ in catalogue.jobs(cases):
        image = link(emit_object(build(graph, target).module.text(), target), target.machine)
        assert image.machine == target.machine
        assert {word for word, _ in image.externals} <= ALLOWED | OF_SYSTEM[target.system]


def texts_for_macos(models):
    """What is compiled for Apple's processors: a net, and the runtimes."""
    target = named_target("aarch64-macos")
    yield build(models.mlp(64, constant=False)[0], target).module.text()
    yield build(models.gelu_of_layer_norm(64, 128)[0], target).module.text()
    yield runtimes.text("entry", table_offset=24)
    yield runtimes.text("pool", target.machine)


def test_apples_register_is_not_touched(models):
    """macOS uses x18 for itself, and overwrites it at any time."""
    target = named_target("aarch64-macos")
    for text in texts_for_macos(models):
        assert not re.search(r"\b[xw]18\b", assembly(text, target))
    busy = "\n".join(f"  %v{k} = load volatile i64, ptr %p" for k in range(29))
    used = "\n".join(f"  store volatile i64 %v{k}, ptr %p" for k in range(29))
    text = f"define void @busy(ptr %p) {{\n{busy}\n{used}\n  ret void\n}}\n"
    assert re.search(r"\bx18\b", assembly(text, named_target("aarch64-linux"))), "or nothing was shown"
    assert not re.search(r"\bx18\b", assembly(text, target))


def test_apple_passes_the_rest_of_a_variadic_call_on_the_stack():
    text = "define i64 @f(ptr %g) {\n  %y = call i64 (i64, ...) %g(i64 1, i64 2)\n  ret i64 %y\n}\n"
    stored = re.compile(r"\bstr\s+x\d+, \[sp\]")
    assert stored.search(assembly(text, named_target("aarch64-macos")))
    assert not stored.search(assembly(text, named_target("aarch64-linux")))


def test_variadic_calls_are_two_and_say_so():
    """By the type of the function, which LLVM needs where a convention passes their arguments in another way."""
    variadic = {
        (name, line)
        for name, processors in clang.RUNTIMES.items()
        for one in processors
        for line in re.findall(r"\bcall (\w+ \(.*?\.\.\.\)) [%@]", clang.file(name, one).read_text())
    }
    assert variadic == {("pool", "i64 (i64, ...)"), ("weights_mapped", "i32 (ptr, i32, ...)")}
    sources = {path.name: re.sub(r"//.*", "", path.read_text()) for path in clang.FOLDER.glob("*.[ch]")}
    assert {name for name, text in sources.items() if "..." in text} == {"threads_linux.h", "weights_mapped.c"}


def test_runtimes_have_no_type_whose_size_the_system_decides():
    for name in clang.RUNTIMES:
        source = re.sub(r"//.*", "", (clang.FOLDER / f"{name}.c").read_text())
        assert not re.search(r"\b(long|wchar_t|time_t|off_t)\b", source), name


def test_runtimes_pass_no_structures_by_value():
    """Their text is made once, for one convention: another would pass them in other registers, or by address. What
    functions of one text do among themselves is their own affair.
    """
    for name, processors in clang.RUNTIMES.items():
        for one in processors:
            for line in clang.file(name, one).read_text().splitlines():
                seen_outside = re.match(r"(define|declare) (?!internal)", line)
                assert not (seen_outside and re.search(r"\b(byval|sret|inalloca)\b|^\w+ \{", line)), f"{name}: {line}"


@pytest.mark.parametrize(("name", "clock", "thread"), [
    ("baseline-linux", {"clock_gettime"}, {"gettid"}),
    ("baseline-windows", {"QueryPerformanceCounter", "QueryPerformanceFrequency"}, {"GetCurrentThreadId"}),
    ("aarch64-macos", {"clock_gettime"}, {"pthread_threadid_np"}),
])  # fmt: skip
def test_programs_that_note_times_ask_the_clock_of_their_system(name, clock, thread, models):
    target = named_target(name)
    graph, _ = models.mlp(64, constant=False)
    for parts, expected in ((False, clock), (True, clock | thread)):
        host = lambda functions, target, parts=parts: TimedWriter(functions, target, 1, parts=parts)  # noqa: E731
        text = build(graph, target, slots=4 if parts else 1, host_of=host).module.text()
        image = link(emit_object(text, target), target.machine)
        assert {word for word, _ in image.externals} - ALLOWED - {"__chkstk"} == expected


def test_objects_are_elf_for_every_system():
    """`codegen.link` takes no others: what differs is the convention, not the form."""
    for name in (*TARGETS, "aarch64-linux"):
        target = named_target(name)
        obj = elf.read(emit_object("define i64 @f(i64 %x) {\n  ret i64 %x\n}\n", target))
        assert obj.machine == target.processor
