"""The LLVM text of the runtimes is what their C says, for the tables of today, and any LLVM takes it."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hybridize.codegen import clang
from hybridize.compiler.host import process_image
from hybridize.machine.target import named_target
from hybridize.runtime import pool
from hybridize.runtime.pool import PARALLEL, SHUTDOWN

TEXTS = [(name, processor) for name, processors in clang.RUNTIMES.items() for processor in processors]
EXPORTS = {"entry": {"hybridize_entry"}, "pool": {PARALLEL, SHUTDOWN}}
"""What is asked for by name, of code that is mapped anywhere."""
STALE = "run `make runtimes`"


def test_c_knows_the_tables_of_today():
    for name, text in clang.headers().items():
        assert (clang.FOLDER / name).read_text() == text, STALE


@pytest.mark.parametrize(("name", "processor"), TEXTS)
def test_the_text_was_made_of_these_sources(name, processor):
    """What is asked of machines without a compiler of C, too."""
    assert clang.file(name, processor).read_text().splitlines()[1] == f"; {clang.sources(name)}", STALE


@pytest.mark.skipif(find_spec("ziglang") is None, reason="no compiler of C that makes LLVM text: the package ziglang")
@pytest.mark.parametrize(("name", "processor"), TEXTS)
def test_the_text_is_what_the_compiler_makes(name, processor):
    text = clang.file(name, processor).read_text()
    if clang.head(name) != "".join(text.splitlines(keepends=True)[:2]):
        pytest.skip(f"ziglang brings {clang.compiler()}, another release than the one that made the text")
    assert text == clang.compiled(name, processor), STALE


@pytest.mark.parametrize("name", ["avx512", "avx2", "baseline", "aarch64", "baseline-windows", "aarch64-macos"])
@pytest.mark.parametrize("runtime", EXPORTS)
def test_the_code_needs_nothing_from_outside(runtime, name):
    target = named_target(name)
    image = process_image(runtime, target, (24,))
    # Windows has a stack grow page by page: whoever takes much of it says so.
    grows = {"__chkstk"} if runtime == "entry" and target.system == "windows" else set()
    assert ({word for word, _ in image.externals}, image.pointers, image.data) == (grows, (), b"")
    assert {word for word, _ in image.exports} == EXPORTS[runtime]


@pytest.mark.long  # the first time zig makes a C library
@pytest.mark.skipif(find_spec("ziglang") is None, reason="links for other machines: the package ziglang")
@pytest.mark.parametrize("machine", clang.RUNTIMES["pool"])
def test_the_pool_runs_on_every_machine(tmp_path, machine):
    """In a process of Linux, whose functions stand for those of other systems."""
    processor, _, system = machine.partition("-")
    emulator = [] if processor == os.uname().machine else [f"qemu-{processor}"]
    if emulator and shutil.which(emulator[0]) is None:
        pytest.skip(f"{emulator[0]}, which runs code of another processor, is not here")
    words = [f"-DWORD_{name}={word}" for name, word in pool.WORD.items()]
    host = Path(__file__).with_name("pool_host.c")
    sources = [str(host), str(clang.file("pool", machine)), "-o", str(tmp_path / "host")]
    flags = [
        "-target",
        f"{processor}-linux-musl",
        "-O1",
        "-Wno-override-module",
        *([f"-D{system.upper()}"] * bool(system)),
    ]
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *flags, *words, *sources], check=True)
    told = subprocess.run([*emulator, str(tmp_path / "host")], capture_output=True, text=True, timeout=60).stdout
    assert told == "2 workers, 0 wrong\n"


@pytest.mark.parametrize(("name", "processor"), TEXTS)
def test_nothing_of_a_machine_or_of_one_release_stands_in_the_text(name, processor):
    text = clang.file(name, processor).read_text()
    assert not re.search(r"^target |^attributes |^!|\bcaptures\(|\binitializes\(|lifetime|!\d|#\d", text, re.M)


def test_a_change_of_the_source_is_found(tmp_path, monkeypatch):
    shutil.copytree(clang.FOLDER, tmp_path / "runtimes")
    monkeypatch.setattr(clang, "FOLDER", tmp_path / "runtimes")
    before = clang.sources("pool")
    with (clang.FOLDER / "processor.h").open("a") as header:
        header.write("\n")
    assert clang.sources("pool") != before
