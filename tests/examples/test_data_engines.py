"""docs/guide/data-engines.md, played: every recipe runs on two workers, gives what one process gives, and shows errors."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

import hybridize

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "data-engines.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
MODEL, RECIPES = PYTHON[1], PYTHON[2:]
HERE = {"concurrent.futures": RECIPES[0], "joblib": RECIPES[1]}
THERE = {"ray": RECIPES[2], "dask array": RECIPES[3], "dask dataframe": RECIPES[4], "spark": RECIPES[5]}
ENGINES = ROOT / ".engines" / "bin"
engines = pytest.mark.skipif(not (ENGINES / "python").exists(), reason="make test-long installs the engines")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("engines")
    (at / "make.py").write_text(MODEL)
    subprocess.run([sys.executable, "make.py"], cwd=at, check=True)
    return at


def started(python, text, folder, **more):
    (folder / "recipe.py").write_text(text)
    path = f"{Path(python).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "PATH": path, "COLUMNS": "200", **more}
    return subprocess.Popen(
        [python, "recipe.py"], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def done(python, text, folder, **more):
    process = started(python, text, folder, **more)
    output, errors = process.communicate(timeout=280)
    return process.returncode, output, errors


def saving(text):
    """The recipe, which also writes its results."""
    line = re.search(r"^( *)print\(.*results.*\)$", text, re.M)
    return f"{text}\n{line[1]}import pickle; pickle.dump(results, open('results', 'wb'))\n"


def expected(folder):
    x = numpy.random.default_rng(0).normal(size=(1000, 8)).astype("float32")
    model = hybridize.load(folder / "model.hybridize")
    return numpy.concatenate([model(rows).asnumpy() for rows in x.reshape(20, 50, 8)])


def wrong(text):
    """The recipe with a model that takes other arguments than it gets."""
    return text.replace("model.hybridize", "other.hybridize")


@pytest.fixture(scope="module")
def other(folder):
    """Make a model of nine features in the place of eight."""
    (folder / "other.py").write_text(re.sub(r"\b8\b", "9", MODEL).replace("model.hybridize", "other.hybridize"))
    subprocess.run([sys.executable, "other.py"], cwd=folder, check=True)


def test_the_page_has_these_recipes():
    assert len(PYTHON) == 8
    assert all(len([line for line in text.splitlines() if line.strip()]) <= 20 for text in RECIPES)
    for name, text in {**HERE, **THERE}.items():
        assert name.split()[0] in text


@pytest.mark.parametrize("name", HERE)
def test_recipes_of_one_machine(folder, name):
    status, output, errors = done(sys.executable, saving(HERE[name]), folder)
    assert (status, output) == (0, "20 (50, 4)\n"), errors
    results = numpy.concatenate(numpy.load(folder / "results", allow_pickle=True))
    numpy.testing.assert_array_equal(results, expected(folder))


@pytest.mark.long
@pytest.mark.parametrize("name", HERE)
def test_errors_of_workers_are_told_by_their_class_and_words(folder, other, name):
    caught = "import hybridize.errors, sys\nsys.excepthook = lambda kind, error, _: print(kind.__name__, error.code, error)\n"
    status, output, _ = done(sys.executable, caught + wrong(HERE[name]), folder)
    assert status == 1
    assert output.startswith("ShapeError E120 ShapeError E120: ")
    assert "f32[50,8]" in output
    assert ("return model(batch).asnumpy()" if name != "joblib" else "<dynamic-code>:10 in predict") in output


def test_forked_pools_too(folder):
    """After the parent has run the model on its threads."""
    text = HERE["concurrent.futures"].replace('"spawn"', '"fork"').replace("threads=1", "threads=2")
    line = "    batches ="
    text = saving(text.replace(line, f"    model(numpy.zeros((4000, 8), 'f4'))\n{line}"))
    status, output, errors = done(sys.executable, text, folder)
    assert (status, output) == (0, "20 (50, 4)\n"), errors
    results = numpy.concatenate(numpy.load(folder / "results", allow_pickle=True))
    numpy.testing.assert_array_equal(results, expected(folder))


@pytest.mark.long
@pytest.mark.parametrize("name", HERE)
def test_ctrl_c_ends_the_workers(folder, name):
    """While they compute; a pool of Python's first finishes the two or three calls that its workers have in hand."""
    text = HERE[name].replace(
        "    return model",
        "    import time\n    until = time.time() + 3\n    print(flush=True)\n"
        "    while time.time() < until:\n        model(batch)\n    return model",
    )
    process = started(sys.executable, text, folder)
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    until = time.monotonic() + 20
    while group(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert not group(process.pid)


def group(number):
    """The processes of a group that still run."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_worker_has_the_threads_that_the_model_says(folder):
    text = (
        HERE["concurrent.futures"]
        .replace("return model(batch).asnumpy()", "model(batch)\n    return model.options.threads, id(model)")
        .replace("results[0].shape", "{one[0] for one in results}, len({one[1] for one in results}) <= 2")
    )
    status, output, errors = done(sys.executable, text, folder)
    assert (status, output) == (0, "20 {1} True\n"), errors


# ------------------------------------------------------------------------------------------------------ engines


@pytest.mark.long
@engines
@pytest.mark.parametrize("name", THERE)
def test_recipes_of_engines(folder, name):
    status, output, errors = done(str(ENGINES / "python"), saving(THERE[name]), folder)
    assert status == 0, errors
    assert output.splitlines()[-1] in ("(1000, 4)", "(1000, 9)", "1000 4"), output
    code = "import pickle, numpy; r = pickle.load(open('results', 'rb')); numpy.save('plain', numpy.asarray(PART))"
    part = {"dask dataframe": "r.y", "spark": "[one.y for one in r]"}.get(name, "r")
    subprocess.run([ENGINES / "python", "-c", code.replace("PART", part)], cwd=folder, check=True)
    results, wanted = numpy.load(folder / "plain.npy"), expected(folder)
    if name == "dask dataframe":
        wanted = wanted.argmax(1)
    numpy.testing.assert_allclose(results, wanted, rtol=1e-6)


@pytest.mark.long
@engines
@pytest.mark.parametrize("name", THERE)
def test_errors_of_engines(folder, other, name):
    status, output, errors = done(str(ENGINES / "python"), wrong(THERE[name]), folder)
    assert status == 1
    assert "ShapeError E120" in output + errors
    assert re.search(r"f32\[\d+,8\]", output + errors)  # Dask tries a function with two rows, first
