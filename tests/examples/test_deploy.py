"""examples/deploy: each program is built and run as its head says, against what the nets gave in Python."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
PROGRAMS = [
    ("c/mlp.c", "mlp"),
    ("c/steps.c", "steps"),
    ("c/threads.c", "mlp.batch"),
    ("cpp/mlp.cpp", "mlp"),
    ("cpp/steps.cpp", "steps"),
    ("rust/mlp.rs", "mlp"),
    ("rust/steps.rs", "steps"),
    ("r/mlp.R", "mlp"),
    ("r/steps.R", "steps"),
    ("perl/mlp.pl", "mlp"),
    ("perl/steps.pl", "steps"),
    ("java/Mlp.java", "mlp"),
    ("java/Steps.java", "steps"),
    ("python/model.py", "mlp"),
    ("python/model.py", "steps"),
]
"""Sources, and the arrays that each compares."""

NEEDS = {
    "c": ["cc"],
    "cpp": ["c++"],
    "rust": ["rustc", "cc"],
    "r": ["R", "Rscript", "cc", "make"],
    "perl": ["perl"],
    "java": ["java", "javac", "/usr/share/java/jna.jar"],
    "python": [],
}
CHECKS = {"perl": ["perl", "-MFFI::Platypus=2.00", "-e", "1"]}

WRONG = {"mlp": (1, 511), "mlp.batch": (31, 512), "steps": (0, 16)}
"""Sizes of an input that does not fit; `threads.c` has made room for the outputs of 64 rows, whatever comes in."""
SAID = {
    "mlp": r"input 0 `data`: axis 1.*512",
    "mlp.batch": "output 0 `output`: axis 0",
    "steps": "input 0 `data`: axis 0|Allocation size must be greater than zero",  # which is Java's own word
}


def commands(source: Path) -> list[str]:
    """The lines of its head that build it and run it: those that lead from the folder of the models to the source."""
    head = source.read_text().splitlines()[:12]
    return [line.strip(" /*#!") for line in head if f"../{source.parent.name}/" in line]


def shell(folder: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    """What the lines print in this folder, where `python` is the one that runs the tests."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    return subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=folder, env=environment, capture_output=True, text=True)


def replace(folder: Path, name: str, array: numpy.ndarray) -> None:
    """Other contents for an array that the models were saved with."""
    numpy.save(folder / f"{name}.npy", array)
    array.tofile(folder / f"{name}.f32")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, system: Callable[..., None]) -> Path:
    """The folder of the models, made as a user makes it."""
    system("sh")
    folder = tmp_path_factory.mktemp("deploy") / "models"
    done = shell(folder.parent, f"python {DEPLOY / 'make_models.py'} {folder}")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize(("name", "arrays"), PROGRAMS, ids=lambda word: word)
def test_a_program_gives_what_the_net_gave_and_tells_what_is_wrong(name, arrays, models, system, tmp_path):
    """Built once, and run once for each thing that may be wrong: an input, a result, a count."""
    language = name.split("/")[0]
    system(*NEEDS[language], check=CHECKS.get(language))
    shutil.copytree(DEPLOY / language, tmp_path / language)
    shutil.copytree(models, tmp_path / "models")
    folder, lines = tmp_path / "models", commands(tmp_path / name)
    assert lines, f"{name} does not say how it is built and run"
    done = shell(folder, *lines)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr
    differences = re.findall(r"largest difference (\S+)", done.stdout)
    assert differences and all(float(found) <= 1e-5 for found in differences)

    line = lines[-1].split("&&")[-1].strip()
    data, expected = (numpy.load(folder / f"{arrays}.{kind}.npy") for kind in ("input", "output"))
    replace(folder, f"{arrays}.input", numpy.zeros(WRONG[arrays], numpy.float32))
    done = shell(folder, line)
    assert done.returncode != 0
    assert re.search(SAID[arrays], done.stderr), done.stdout + done.stderr
    replace(folder, f"{arrays}.input", data)
    for place, change in ((0, numpy.nan), (1, 3e-5)):
        other = expected.copy()
        other[0, place] += change
        replace(folder, f"{arrays}.output", other)
        assert shell(folder, line).returncode != 0, f"a result that differs by {change}"
    replace(folder, f"{arrays}.output", expected)
    if arrays == "steps":
        count = numpy.load(folder / "steps.count.npy") + 1
        numpy.save(folder / "steps.count.npy", count)
        count.tofile(folder / "steps.count.i64")
        assert shell(folder, line).returncode != 0, "a count that differs"


@pytest.mark.parametrize("source", sorted(path.name for path in (DEPLOY / "c").glob("*.c")))
def test_c_is_c99_without_a_warning(source, models, system):
    system("cc")
    done = shell(
        models, f"cc -std=c99 -pedantic -Wall -Wextra -Werror -fopenmp -fsyntax-only -I. {DEPLOY / 'c' / source}"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", sorted(path.name for path in (DEPLOY / "cpp").glob("*.cpp")))
def test_cpp_is_cpp17_without_a_warning(source, models, system):
    system("c++")
    flags = "-std=c++17 -pedantic -Wall -Wextra -Werror -Wconversion -fsyntax-only"
    done = shell(models, f"c++ {flags} -I. {DEPLOY / 'cpp' / source}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [name for name, _ in PROGRAMS if name.startswith("c")])
def test_is_clean_under_sanitizers(name, models, system, tmp_path):
    system(*NEEDS[name.split("/")[0]])
    for source in (models, DEPLOY / Path(name).parent):
        shutil.copytree(source, tmp_path / source.name)
    (line,) = commands(tmp_path / name)
    done = shell(tmp_path / "models", re.sub(r"-O2", "-g -fsanitize=address,undefined -fno-sanitize-recover", line))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_every_program_is_run():
    """`node` and `web` have tests of their own."""
    sources = {
        path.relative_to(DEPLOY)
        for language in {name.split("/")[0] for name, _ in PROGRAMS}
        for path in (DEPLOY / language).iterdir()
        if path.is_file() and not path.stem.endswith("_call")
    }
    assert {str(path) for path in sources if path.suffix not in (".o", ".pyc", ".toml")} == {
        name for name, _ in PROGRAMS
    }


def test_nothing_is_left_to_install(system):
    system(check=[str(DEPLOY / "install.sh"), "--check"])


def test_the_installer_names_what_it_cannot_install(tmp_path):
    done = subprocess.run(
        ["/bin/sh", DEPLOY / "install.sh"], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.search(
        r"no apt-get here; missing: gcc g\+\+ rustc cargo gfortran cmake pkg-config r-base-core .*nodejs", done.stderr
    )
