"""The libraries that were written for Gluon, migrated: what imports does not become less. pip brings them, see Makefile.

make .gluon/.installed
python -m pytest -m long tests/suites/test_gluon_libraries.py
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "gluon_libraries"
FLOORS = {
    "gluoncv": 1.0, "gluoncv2": 1.0, "gluonnlp": 0.97, "gluonts": 1.0, "d2l": 1.0, "d2lzh": 1.0, "gluonbook": 1.0,
    "sockeye": 1.0, "gluonfr": 1.0, "mxboard": 1.0, "mxfusion": 1.0, "xfer-ml": 0.18, "bert-embedding": 1.0,
    "insightface": 1.0, "mxop": 1.0, "gluonar": 0.9,
}  # fmt: skip
"""The least share of a library's modules that import, of those that lack no other package."""


FLOORS_OF_PROGRAMS = {
    "book": 1.0, "classification": 0.95, "detection": 0.9, "distributions": 1.0, "forecasts": 0.95, "language": 1.0,
    "segmentation": 0.9, "series_blocks": 1.0, "small": 0.95, "translation": 1.0, "videos": 0.5, "zoo2": 1.0,
}  # fmt: skip
"""The least share of a file's programs that give MXNet's numbers."""


@pytest.fixture(scope="module")
def suite():
    spec = importlib.util.spec_from_file_location("gluon_libraries_suite", HERE / "suite.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_program_says_how_the_libraries_are_installed(tmp_path):
    environment = {**os.environ, "GLUON_LIBRARIES": str(tmp_path)}
    run = subprocess.run([sys.executable, HERE / "suite.py"], capture_output=True, text=True, env=environment)
    assert run.returncode != 0
    assert "make .gluon/.installed" in run.stderr


def test_each_library_has_a_floor(suite):
    assert [one.name for one in suite.libraries()] == [*FLOORS]
    assert all(one.version[0].isdigit() and one.package.isidentifier() for one in suite.libraries())


def test_modules_are_counted_and_the_table_fits(suite, tmp_path):
    """On a package of our own, installed where the libraries are."""
    package = tmp_path / "ours" / "ours"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import numpy\nassert numpy.float is float\n")
    (package / "good.py").write_text("")
    (package / "bad.py").write_text("def f():\n    raise ValueError('n ' * 99)\nf()\n")
    (package / "lacks.py").write_text("import no_such_package\n")
    (package / "own.py").write_text("import ours.nothing\n")
    out = tmp_path / "modules.jsonl"
    command = [sys.executable, HERE / "imports.py", "ours", tmp_path / "ours", out, "ours.own"]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    library = suite.Library("ours", "1.0", "ours", ())
    done = suite.Outcome(library, {line["module"]: line["error"] for line in map(suite.json.loads, out.open())})
    assert (len(done.errors), done.imported, done.lacking) == (4, 2, 1)
    assert done.share == 2 / 3
    assert done.first.endswith("[ours/bad.py:2]")
    assert done.errors["ours.lacks"].startswith("lacks no_such_package: ")
    text = suite.table([done])
    assert max(map(len, text.splitlines())) <= 80
    assert "66.7 %" in text


@pytest.fixture
def comparison(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    return importlib.import_module("comparison")


def test_programs_in_the_styles_of_the_libraries_give_the_numbers_of_mxnet(comparison, tmp_path):
    """Imperatively, hybridized, and after a step of training; they are migrated first, as the libraries are."""
    interpreter = Path(sys.executable)
    home = comparison.migrated(interpreter, tmp_path / "programs")
    assert "import hybridize.mxnet as mx" in (home / "styles.py").read_text()
    found = dict(comparison.compared(interpreter, HERE / "programs" / "styles.py", home))
    assert found == dict.fromkeys(["images", "detector", "forecast", "language", "book"], "")


def test_another_number_is_told(comparison):
    numbers = [float(one) for one in range(38)]
    assert comparison.difference({"output": numbers}, {"numbers": {"output": numbers}}) == ""
    for place, value in ((5, 5.1), (30, float("nan"))):
        wrong = [*numbers[:place], value, *numbers[place + 1 :]]
        assert f"output: array {place // 19}" in comparison.difference(
            {"output": numbers}, {"numbers": {"output": wrong}}
        )
    again = {"output": numbers, "hybridized": numbers, "read back": [*numbers[:-1], 0.0]}
    assert comparison.difference({"output": numbers}, {"numbers": again}).startswith("read back: array 1")
    assert comparison.difference({"output": numbers, "trained": numbers}, {"numbers": again}).startswith("read back")
    assert "trained: 0 arrays" in comparison.difference(
        {"output": numbers, "trained": numbers}, {"numbers": {"output": numbers}}
    )
    assert "1 arrays, MXNet 2" in comparison.difference({"output": numbers}, {"numbers": {"output": numbers[:19]}})
    assert comparison.difference({"output": numbers}, {"error": "ValueError"}) == "ValueError"


@pytest.mark.long
@pytest.mark.parametrize("name", FLOORS)
def test_what_imports_does_not_become_less(suite, name):
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the libraries are not installed; to get them: {suite.WHERE}")
    library = next(one for one in suite.libraries() if one.name == name)
    done = suite.outcome(library, suite.migrated(library))
    assert done.share >= FLOORS[name], suite.table([done])


@pytest.mark.long
@pytest.mark.parametrize("name", FLOORS_OF_PROGRAMS)
def test_programs_on_the_libraries_give_the_numbers_of_mxnet(suite, comparison, name):
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the libraries are not installed; to get them: {suite.WHERE}")
    for library in suite.libraries():
        suite.migrated(library)
    home = comparison.migrated(suite.python(), suite.FOLDER / "migrated" / "programs")
    found = dict(comparison.compared(suite.python(), HERE / "programs" / f"{name}.py", home))
    assert list(found.values()).count("") / len(found) >= FLOORS_OF_PROGRAMS[name], found


@pytest.mark.long
def test_nets_that_mxnet_writes_are_read(suite, comparison, tmp_path, monkeypatch):
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the libraries are not installed; to get them: {suite.WHERE}")
    monkeypatch.setenv("FOLDER_OF_NETS", str(tmp_path))
    home = comparison.migrated(suite.python(), suite.FOLDER / "migrated" / "programs")
    found = comparison.exchanged(suite.python(), home, tmp_path)
    assert found == dict.fromkeys(found, "")
    assert len(found) == 7


@pytest.mark.long
def test_the_guides_page_runs(suite, tmp_path):
    """Its two scripts, migrated as it says, beside the two libraries, migrated as they are."""
    page = (suite.ROOT / "docs" / "guide" / "bring-a-library-over.md").read_text()
    homes = [suite.migrated(one) for one in suite.libraries() if one.name in ("gluoncv", "gluonts")]
    environment = suite.environment()
    environment["PYTHONPATH"] = os.pathsep.join([*map(str, homes), environment["PYTHONPATH"]])
    printed = []
    for number, part in enumerate(page.split("```python\n")[1:]):
        script = tmp_path / f"script{number}.py"
        script.write_text(part.partition("```")[0])
        for command in (["-m", "hybridize", "migrate", "--write", script], [script]):
            done = subprocess.run(
                [suite.python(), *command], env=environment, cwd=tmp_path, capture_output=True, text=True
            )
            assert done.returncode == 0 or command[0] == "-m", done.stderr
        printed.append(done.stdout)
    assert "read back: True" in printed[0]
    assert len(printed) == 2
    assert printed[1].count("2021-07-20 [") == 2
