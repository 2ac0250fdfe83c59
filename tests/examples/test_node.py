"""examples/deploy/node: each program is run as its head says, against what the nets gave in Python."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

import hybridize

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"


@pytest.fixture(scope="module")
def made(tmp_path_factory, system):
    """The folder of the examples with the models."""
    system("node")
    spec = importlib.util.spec_from_file_location("make_models", DEPLOY / "make_models.py")
    makers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(makers)
    folder = tmp_path_factory.mktemp("deploy")
    (folder / "models").mkdir()
    hybridize.random.seed(0)
    for name in ("mlp", "steps"):
        net = getattr(makers, f"make_{name}")(folder / "models")
        net.export(str(folder / "models" / name), format="wasm")
    shutil.copytree(DEPLOY / "node", folder / "node")
    return folder


@pytest.fixture(params=["mlp", "steps"])
def program(request, made, tmp_path):
    """`program()`: runs it as its head says; its folder of models, and its name."""
    name = request.param
    shutil.copytree(made, tmp_path / "deploy")
    models = tmp_path / "deploy" / "models"
    (line,) = re.findall(r"^//     (node .*)$", (made / "node" / f"{name}.mjs").read_text(), re.MULTILINE)
    return lambda: subprocess.run(["sh", "-ec", line], cwd=models, capture_output=True, text=True), models, name


def test_gives_what_the_net_gave(program):
    run, _, _ = program
    done = run()
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"largest difference (\S+)", done.stdout)[1]) <= 1e-5


@pytest.mark.parametrize("value", [1.0, numpy.nan])
def test_fails_where_the_output_differs(program, value):
    run, models, name = program
    expected = numpy.fromfile(models / f"{name}.output.f32", numpy.float32)
    expected[1] += value
    expected.tofile(models / f"{name}.output.f32")
    assert run().returncode == 1


def test_fails_where_the_count_differs(program):
    run, models, name = program
    if name == "steps":
        count = numpy.fromfile(models / "steps.count.i64", numpy.int64) + 1
        count.tofile(models / "steps.count.i64")
        assert run().returncode == 1


def test_tells_what_is_wrong_with_an_input(program):
    run, models, name = program
    file = models / f"{name}.input.f32"
    numpy.fromfile(file, numpy.float32)[:-1].tofile(file)
    done = run()
    assert done.returncode != 0
    assert f"RangeError: {name} takes data float32[" in done.stderr
