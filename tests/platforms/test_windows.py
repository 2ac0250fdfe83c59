"""What a user does on Windows, in Wine, and files that go between Windows and Linux; long."""

import os
import shutil
import subprocess
import sys

import numpy
import pytest

from hybridize.codegen.levels import runnable
from tests.platforms import wine
from tests.platforms.debian import CHECKOUT
from tests.platforms.windows_steps import X

STEPS, EXCHANGED = "tests/platforms/windows_steps.py", "tests/platforms/exchanged.py"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("avx2" not in runnable(), reason="both sides are compared with AVX2's code"),
    pytest.mark.skipif(not wine.PREFIX.exists(), reason="`python -m tests.platforms.wine make` makes the root"),
]


def there(*words, **environment):
    """What a program for Windows says."""
    with wine.start(list(words), environment) as process:
        text = process.stdout.read().decode("cp1252").replace("\r\n", "\n").strip()
    assert process.returncode == 0, text
    return text


def here(script, *words):
    """What a program says on this machine."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "HYBRIDIZE_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, script, *map(str, words)], cwd=CHECKOUT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of this machine, which is `Z:\\tmp\\` and its name there."""
    folder = wine.ROOT / "tmp" / tmp_path_factory.mktemp("windows").name
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


def of_windows(path):
    return "Z:\\" + str(path.relative_to(wine.ROOT)).replace("/", "\\")


@pytest.fixture(scope="module")
def installed(place):
    """A folder into which pip has put hybridize's wheel there, and the environment that looks there first."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, CHECKOUT]
    subprocess.run(build, check=True)
    (wheel,) = place.glob("hybridize-*.whl")
    target = of_windows(place / "installed")
    there("python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target, of_windows(wheel))
    environment = {"PYTHONPATH": target}
    said = there("python", "-P", "-c", "import hybridize; print(hybridize.__file__)", **environment)
    assert said.startswith(target)
    return place / "installed", environment


def test_the_demo():
    text = there("python", "examples/chapter_mlp.py")
    assert "fallbacks 0" in text
    assert "my_mlp.dll: " in text
    assert "from C: largest difference" in text
    assert "All results are the same." in text


def test_the_command(installed, place):
    """A user's afternoon with `hybridize.exe`."""
    folder, environment = installed
    command = of_windows(folder / "bin" / "hybridize.exe")
    (place / "net.py").write_text("from tests.platforms.windows_steps import get_net\nnet = get_net()\n")
    environment = {**environment, "PYTHONPATH": f"{environment['PYTHONPATH']};{of_windows(place)}"}

    def run(*words):
        return there(command, *words, **environment)

    assert "x86_64" in run("doctor")
    assert run("machine")
    library, archive = of_windows(place / "out"), of_windows(place / "saved")
    said = run("compile", "net:net", "--format", "library", "--output", library, "--input", "f32[1,16]")
    assert "out.dll" in said
    assert "as expected" in said
    assert "x86_64-windows" in run("inspect", f"{library}.dll")
    numpy.save(place / "x.npy", X)
    numbers = run("run", f"{library}.dll", "--input", of_windows(place / "x.npy"))
    run("compile", "net:net", "--output", archive, "--input", "f32[1,16]")
    assert run("run", archive, "--input", of_windows(place / "x.npy")) == numbers
    assert "kernel" in run("explain", archive, "--input", of_windows(place / "x.npy"))
    assert "E812" in run("explain-error", "E812")
    assert run("cache")
    assert "bench" in run("bench", "--help")


CALLER = """
#include <stdio.h>
#include "net.h"

int main(void) {
    float x[16], y[3];
    const void *inputs[] = {x};
    void *outputs[] = {y};
    net *model;
    for (int k = 0; k < 16; k++) x[k] = -1 + k * 2 / 15.0f;
    int32_t code = net_create(&model, NULL);
    if (!code) code = net_run(model, inputs, NULL, outputs, NULL);
    if (code) return fprintf(stderr, "%s", net_error(code)), 1;
    net_destroy(model);
    return printf("%.9g %.9g %.9g", y[0], y[1], y[2]) < 0;
}
"""


@pytest.mark.parametrize("writer", ["here", "there"])
def test_a_library_is_called_there_by_python_and_by_an_executable(place, writer):
    """Written on either system; a program in C is compiled for Windows, and links the library itself."""
    folder = place / f"library-{writer}"
    if writer == "here":
        here(STEPS, "export", folder, "library", "x86_64-windows")
    else:
        assert "as expected" in there("python", STEPS, "export", of_windows(folder), "library")
    there("python", STEPS, "call", of_windows(folder))
    (folder / "main.c").write_text(CALLER)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-Wall", "-Werror"]
    subprocess.run([*zig, "main.c", "-L.", "-lnet", "-o", "main.exe"], cwd=folder, check=True)
    numbers = there(of_windows(folder / "main.exe")).split()
    numpy.testing.assert_allclose([list(map(float, numbers))], numpy.load(folder / "result.npy"), rtol=1e-5)


@pytest.mark.parametrize("writer", ["here", "there"])
def test_a_wheel_of_a_model_is_installed_and_run_there(place, writer):
    folder = place / f"wheel-{writer}"
    if writer == "here":
        here(STEPS, "export", folder, "wheel", "x86_64-windows")
    else:
        assert "all as expected" in there("python", STEPS, "export", of_windows(folder), "wheel")
    (wheel,) = folder.glob("*-win_amd64.whl")
    target = of_windows(folder / "installed")
    there("python", "-m", "pip", "install", "--quiet", "--no-index", "--target", target, of_windows(wheel))
    assert "all as expected" in there("python", "-S", "-m", "wine_net", PYTHONPATH=target)


@pytest.fixture(scope="module")
def exchanged(place):
    """What each of both writes of one net and one function."""
    targets = "avx2-linux", "avx2-windows"
    here(EXCHANGED, "write", place / "here", *targets)
    there("python", EXCHANGED, "write", of_windows(place / "there"), *targets)
    return place / "here", place / "there"


def test_every_export_has_the_same_bytes_wherever_it_is_written(exchanged):
    contents = [
        {
            file.relative_to(folder): file.read_bytes()
            for file in folder.rglob("*")
            if file.suffix in (".o", ".wasm", ".h")
        }
        for folder in exchanged
    ]
    assert len(contents[0]) >= 11
    assert [name for name in contents[0] if contents[0][name] != contents[1].get(name)] == []


def test_code_in_archives_runs_on_the_other_system(exchanged):
    for folder in exchanged:
        assert here(EXCHANGED, "read", folder / "f") == "False"
        assert there("python", EXCHANGED, "read", of_windows(folder / "f")) == "False"


def test_processes_share_a_disk_cache(place):
    first, second = there("python", STEPS, "at_once", of_windows(place / "cache")).splitlines()
    assert len(first.split()) == 4
    assert {"True"} <= {*first.split()} <= {"True", "False"}  # who comes late finds the code
    assert second == "False"


@pytest.mark.parametrize(("kind", "makers"), [("processes", "2"), ("threads", "1")])
def test_workers_of_a_loader(kind, makers):
    assert there("python", STEPS, "load", kind) == makers


def test_folders_of_all_names():
    """Words, letters that the code page lacks, and as long as Wine lets them be."""
    lengths = [int(line.split()[0]) for line in there("python", STEPS, "places").splitlines() if line[0].isdecimal()]
    assert len(lengths) == 3
    assert max(lengths) > 150


@pytest.mark.parametrize("encoding", ["cp932", "ascii"])
def test_what_is_printed_has_the_characters_of_the_output(encoding):
    said = there("python", "-m", "hybridize", "doctor", PYTHONIOENCODING=encoding)
    assert "UnicodeEncodeError" not in said


def test_a_file_that_another_process_has_open(place):
    (place / "locked").mkdir()
    assert there("python", STEPS, "locked", of_windows(place / "locked")).endswith("saved")


def test_ctrl_c_ends_a_compiled_loop():
    said = there("python", STEPS, "ctrl_c")
    assert "ended" in said
