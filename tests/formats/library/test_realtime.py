"""Calls after create: they allocate nothing, make no system call, wait for nobody, and stay within the header's stack."""

import platform
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.library.stack import C_LIBRARY_BYTES, stack_bytes
from hybridize.formats.deployable import deployable
from hybridize.formats.library import write_library
from hybridize.formats.library.write import compiled
from hybridize.gluon import nn
from tests.samples import sampled

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the program watches Linux on x86-64"
)
HERE = Path(__file__).parent
CALLS = 10_000
ALLOCATED, NO_FILTER = 90, 77
STACK = re.compile(r"_STACK_BYTES (\d+)\n")


def normal(*shape):
    return np.array(numpy.random.default_rng(shape).standard_normal(shape).astype("f4"))


def traced(net, x):
    """A net that was called, as what is deployed."""
    net.initialize()
    net.hybridize()
    net(x)
    return deployable(net._function.saved()), x


def layers():
    """A net of a few layers."""
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="tanh"), nn.LayerNorm(), nn.Dense(8))
    return traced(net, normal(4, 16))


def convolutions():
    """A net whose calls take more scratch than lies on the stack."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, padding=1, activation="relu"), nn.MaxPool2D(), nn.Conv2D(16, 3), nn.Dense(10))
    return traced(net, normal(1, 3, 24, 24))


def attended(x):
    scores = npx.softmax(np.dot(x, x.T) * 0.2)
    return np.sort(np.dot(scores, x), axis=-1)


def halved(x):
    while np.abs(x).max() > 1:
        x = x / 2
    return x


PROGRAMS = {
    "layers": layers,
    "convolutions": convolutions,
    "attention and sort": lambda: (attended, normal(48, 64)),
    "loop": lambda: (halved, normal(300)),
    "random": lambda: (lambda x: x + np.random.uniform(size=(64, 64)), normal(64, 64)),
    "c library": lambda: (lambda x: npx.gamma(x.astype("float64")), normal(50)),
}
FIRST = {"c library": 1}
"""Calls that come before the pages of the C library are there."""


@pytest.fixture(scope="module")
def watcher(tmp_path_factory, system):
    """The program that watches calls."""
    system("cc")
    program = tmp_path_factory.mktemp("realtime") / "realtime"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(["cc", *flags, HERE / "realtime.c", "-o", program, "-ldl"], check=True)
    return program


def watched(watcher, library, level, *, calls=CALLS, stack=None, first=0):
    """Return the exit status of the program, and the page faults that it counted."""
    bound = int(STACK.search(library.files[1].read_text())[1]) if stack is None else stack
    beside = str(library.files[2]) if len(library.files) > 2 else ""
    words = [watcher, library.files[0], library.name, level, beside, *map(str, (bound, calls, first))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == NO_FILTER:
        pytest.skip("this machine has no seccomp")
    return done.returncode, done.stdout and int(done.stdout)


def least_watched(watcher, library, level, **words):
    """Watch up to three processes, until one has no page fault.

    Pages that the system took away meanwhile are no fault of the library's: its own come back in each process.
    """
    outcome = watched(watcher, library, level, **words)
    for _ in range(2):
        if outcome[0] or not outcome[1]:
            break
        outcome = watched(watcher, library, level, **words)
    return outcome


@pytest.mark.parametrize("level", runnable())
@pytest.mark.parametrize("kind", sampled(PROGRAMS, 2))
def test_calls_keep_the_contract(library, watcher, kind, level):
    function, x = PROGRAMS[kind]()
    made = library(function, *[(x,)] * callable(function))
    assert least_watched(watcher, made, level, first=FIRST.get(kind, 0)) == (0, 0)


@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_pages_of_weights_are_there_before_the_first_call(library, watcher, weights):
    net = nn.HybridSequential()
    net.add(nn.Dense(1024, activation="relu"), nn.Dense(1024))
    program, _ = traced(net, normal(1, 512))
    made = library(program, weights=weights)
    assert least_watched(watcher, made, runnable()[0], calls=1) == (0, 0)


def test_a_million_calls(library, watcher):
    made = library(layers()[0])
    assert least_watched(watcher, made, runnable()[0], calls=1_000_000) == (0, 0)


def test_what_the_program_watches_for(library, watcher):
    """Open sizes: no promise, and the first call allocates. Less stack than the header says: the page below stops it."""
    opened = library(lambda x: np.sort(np.dot(x, x.T)), (normal(3, 64),), (normal(5, 64),))
    assert not STACK.search(opened.files[1].read_text())
    assert "real time" not in opened.files[1].read_text()
    assert watched(watcher, opened, "baseline", stack=1 << 16)[0] == ALLOCATED
    fixed = library(layers()[0])
    assert watched(watcher, fixed, "baseline", stack=128)[0] == -signal.SIGSEGV


FUNCTIONS = {
    "net_run": "\tpushq\t%rbx\n\tsubq\t$96, %rsp\n\tcallq\t*80(%rdi)\n\taddq\t$96, %rsp\n\tpopq\t%rbx\n\tretq",
    ".Lcall.v0.l0": "\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tandq\t$-64, %rsp\n\tsubq\t$256, %rsp\n\tcallq\t.Lleaf.v0.l0\n"
    "\tcallq\t.Lin_parallel.v0.l0\n\tleaq\t.Lbody.v0.l0(%rip), %rsi\n\tmovq\t%rbp, %rsp\n\tretq",
    ".Lleaf.v0.l0": "\tretq",
    ".Lin_parallel.v0.l0": "\tpushq\t%rbx\n\tcallq\t*%rsi\n\tretq",
    ".Lbody.v0.l0": "\tsubq\t$1000, %rsp\n\tretq",
}


def assembly_of(**changes):
    functions = FUNCTIONS | {f".L{name}.v0.l0": text for name, text in changes.items()}
    return "".join(
        f"\t.type\t{name},@function\n{name}:\n{text}\n.Lfunc_end{number}:\n"
        for number, (name, text) in enumerate(functions.items())
    )


def up(nbytes):
    return -(-nbytes // 64) * 64


WAY = (8 + 8 + 96) + (8 + 8 + 64 + 256) + (8 + 8) + (8 + 1000) + 128
"""Of `run`, `call`, what calls the body, the body, and what a function may use below its stack."""


def test_the_deepest_way_counts_with_what_calls_a_body():
    assert stack_bytes(assembly_of(), "net") == up(WAY)
    tables = "\tmovslq\t.LJTI3_0(%rip), %rax\n\tjmpq\t*%rax"
    assert stack_bytes(assembly_of(leaf=tables), "net") == up(WAY)
    assert stack_bytes(assembly_of(leaf="\tcallq\tlgamma@PLT"), "net") == up(WAY + C_LIBRARY_BYTES)
    assert stack_bytes(assembly_of(leaf="\tjmp\tmemcpy@PLT"), "net") == up(WAY + C_LIBRARY_BYTES)
    assert stack_bytes(assembly_of(body="\tsubq\t$1000, %rsp\n\taddq\t$-128, %rsp"), "net") == up(WAY + 128)


@pytest.mark.parametrize(
    "text",
    [
        "\tcallq\t.Lcall.v0.l0",
        "\tcallq\t.Lleaf.v0.l0",
        "\tcallq\t*%rax",
        "\tjmpq\t*%rax",
        "\tsubq\t%rax, %rsp",
        "\tmovq\t%rcx, %rsp",
        "\tblr\tx8",
        "\tsub\tsp, sp, x8",
        "\tmov\tsp, x9",
    ],
)
def test_what_has_no_bound_has_none(text):
    """Functions that come back to themselves, calls by unknown pointers, frames of any size."""
    assert stack_bytes(assembly_of(leaf=text), "net") is None


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("\tstp\tx29, x30, [sp, #-96]!\n\tmov\tx29, sp\n\tldp\tx29, x30, [sp], #96", 96),
        ("\tstr\tx19, [sp, #-16]!\n\tsub\tsp, sp, #3, lsl #12\n\tadd\tsp, sp, #3, lsl #12", 16 + (3 << 12)),
        ("\tsub\tx9, sp, #1104\n\tand\tsp, x9, #0xffffffffffffffc0\n\tmov\tsp, x29", 1104 + 64),
        ("\tsub\tsp, sp, #48\n\tstr\tx30, [sp, #32]\n\tadd\tsp, sp, #48", 48),
    ],
)
def test_frames_of_aarch64(text, nbytes):
    assert stack_bytes(assembly_of(body=text), "net") == up(WAY - 1000 + nbytes)


SYSTEM_CALL = re.compile(r"^\d+ (\w+)\(", re.MULTILINE)
EMULATED_CALLS = 3
LONG_ON_AARCH64 = ("convolutions", "attention and sort", "loop", "random")


def emulated(tmp_path, kind, *, stack=None):
    """Return the exit status of the program and the system calls of its calls, in an emulator of AArch64."""
    program, watcher = tmp_path / "program", tmp_path / "watcher"
    function, x = PROGRAMS[kind]()
    if callable(function):
        captured = hybridize(function)
        captured(x)
        function = deployable(captured.saved())
    library, header, *_ = write_library(function, program, targets="aarch64-linux")
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(["aarch64-linux-gnu-gcc", *flags, HERE / "realtime.c", "-o", watcher, "-ldl"], check=True)
    bound = int(STACK.search(Path(header).read_text())[1]) if stack is None else stack
    words = ["qemu-aarch64", "-strace", "-L", "/usr/aarch64-linux-gnu", watcher, library, "program", "aarch64", ""]
    done = subprocess.run([*words, str(bound), str(EMULATED_CALLS), "1"], capture_output=True, text=True, check=False)
    names = SYSTEM_CALL.findall(done.stderr)
    if done.returncode:
        return done.returncode, names
    *_, before, after = [number for number, name in enumerate(names) if name == "getrusage"]
    return 0, names[before + 1 : after]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] if kind in LONG_ON_AARCH64 else []) for kind in PROGRAMS]
)
def test_calls_on_aarch64_keep_the_contract(tmp_path, system, kind):
    """No memory, no system call, no more stack than the header says; page faults are the emulator's own."""
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    assert emulated(tmp_path, kind) == (0, [])


def test_what_the_emulator_watches_for(tmp_path, system):
    """With less stack than the header says, the page below it ends the process."""
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    assert emulated(tmp_path, "layers", stack=128)[0] == -signal.SIGSEGV


def test_libraries_for_aarch64_say_a_bound():
    program = layers()[0]
    text = compiled(program, targets="aarch64-linux").header
    assert 128 < int(STACK.search(text)[1]) < 1 << 15
    assert not STACK.search(compiled(program, targets="x86_64-windows").header)
