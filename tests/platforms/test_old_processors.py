"""Processors without AVX, and those of AMD's before AVX-512, in an emulator: code of no other level is ever run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROCESSORS = {"Nehalem": "baseline", "EPYC": "avx2 baseline"}
"""Names of QEMU's, and the levels that these processors run. NumPy itself needs x86-64-v2, which Nehalem was the first
to have.
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_library_chooses(processor, exported, system):
    system("cc", "qemu-x86_64")
    exported.build("cc", "-static", "net.o")
    for word in ([], ["avx512"], ["baseline"]):  # the highest level to use
        exported.run("qemu-x86_64", "-cpu", processor, "./main", *word)
    said = exported.run("qemu-x86_64", "-cpu", processor, "./main", "avx10", fails=True)
    assert said == "options.processor is none of those that this library has code for"


def python(processor, *words, **environment):
    """Run Python in the emulator."""
    done = subprocess.run(
        ["qemu-x86_64", "-cpu", processor, sys.executable, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HYBRIDIZE_CACHE": "0", **environment},
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def archive(tmp_path):
    """A function with machine code for AVX-512 alone."""
    script = (
        "import sys; from hybridize import hybridize, np; f = hybridize(lambda x: (x * 2 + 1).sum()); "
        "f(np.ones((3, 4))); f.save(sys.argv[1])"
    )
    path = tmp_path / "doubled"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HYBRIDIZE_TARGET": "avx512"}
    subprocess.run([sys.executable, "-c", script, path], env=environment, check=True)
    return path


@pytest.mark.long
@pytest.mark.parametrize("processor", PROCESSORS)
def test_all_of_it(processor, archive, system):
    """A net is trained, exported and loaded; a file with code for AVX-512 alone is compiled anew."""
    system("qemu-x86_64")
    returned, said = python(processor, "-m", "tests.platforms.probe", str(archive))
    assert returned == 0, said
    assert f" {PROCESSORS[processor]} for " in said


@pytest.mark.long
def test_a_level_that_the_processor_does_not_have(system):
    system("qemu-x86_64")
    script = "from hybridize import hybridize, np; print(hybridize(lambda x: x + 1)(np.ones(3)))"
    returned, said = python("Nehalem", "-c", script, HYBRIDIZE_TARGET="avx512")
    assert returned == 1
    assert "CodegenError E965: avx512 does not run on this machine, which runs baseline" in said


@pytest.mark.long
@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_chapter(processor, system):
    system("qemu-x86_64")
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/chapter/test_function.py")
    returned, said = python(processor, *words, OPENBLAS_CORETYPE="Nehalem" if processor == "Nehalem" else "ZEN")
    assert returned == 0, said[-3000:]
