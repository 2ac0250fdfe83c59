"""The book's training programs: they reach what they say, and train alike imperatively and hybridized."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "training"
TRAINED = [
    ("linear_regression", "from_scratch", {"epochs": 1}), ("linear_regression", "concise", {"epochs": 1}),
    ("softmax_regression", "from_scratch", {"epochs": 5}), ("softmax_regression", "concise", {"epochs": 5}),
    ("mlp", "train", {"epochs": 5}), ("weight_decay", "train", {"epochs": 25, "decay": 3}),
    ("custom_parts", "train", {"epochs": 10}),
    *(("convolutions", "train", {"epochs": 5, "name": name}) for name in ("LeNet", "ResNet")),
    ("augmentation", "train", {"epochs": 4}),
    *(("optimizers", "train", {"epochs": 5, "name": name}) for name in (
        "sgd", "sgd with momentum", "nag", "adagrad", "rmsprop", "rmsprop, centred", "adadelta", "adam", "adamw",
        "adamax", "nadam", "ftrl", "lamb", "signum", "factor", "multi-factor", "polynomial", "cosine with warm-up",
        "adabelief", "ftml", "dcasgd", "lars", "lbsgd", "lans",
    )),
]  # fmt: skip
"""A function that gives the losses of all steps first, and what makes that a hundred steps."""
LONG = {"ResNet", "convolutions", "augmentation", "optimizers", "custom_parts", "weight_decay"}
"""What takes ten seconds and more, or is like what is tried. Steps of such nets: tests/gluon/test_convolutional_step.py."""
EACH_KIND = {"sgd with momentum", "adam", "lbsgd", "cosine with warm-up"}
"""Optimizers that are tried in float64, too: the program tries each in float32, tests/optimizer each formula."""


def is_long(name, options=()):
    whole = dict(options).get("name", name)
    return whole not in EACH_KIND and (whole in LONG or (name == "optimizers" and bool(options)))


def marks(*case):
    return [pytest.mark.long] if is_long(*case) else []


def program(name):
    spec = importlib.util.spec_from_file_location(f"training_{name}", PROGRAMS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=marks(name)) for name in sorted(path.stem for path in PROGRAMS.glob("*.py"))]
)
def test_program_reaches_its_goal(name, tmp_path):
    """Which it checks itself: accuracy, weights that were found, equal losses of both ways to run it."""
    done = subprocess.run([sys.executable, PROGRAMS / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "loss" in done.stdout


@pytest.mark.parametrize(
    ("name", "function", "options"),
    [pytest.param(*case, id=f"{case[0]}.{case[2].get('name', case[1])}", marks=marks(*case[::2])) for case in TRAINED],
)
def test_a_hundred_steps_in_float64_are_the_same(name, function, options):
    train = getattr(program(name), function)
    imperative = train(compiled=None, dtype="float64", **options)[0]
    for how in ("net", "step") if name == "mlp" else (True,):
        compiled = train(compiled=how, dtype="float64", **options)[0]
        assert len(imperative) == len(compiled) >= 100
        numpy.testing.assert_allclose(compiled, imperative, rtol=1e-6)
    assert sum(imperative[-10:]) < sum(imperative[:10]) * 0.8, "nothing was learned"


def test_all_optimizers_are_tried():
    from hybridize import lr_scheduler, optimizer

    module = program("optimizers")
    assert {case[2]["name"] for case in TRAINED if case[0] == "optimizers"} == set(module.SETTINGS)
    tried = {type(optimizer.create(name)).__name__ for name, _ in module.SETTINGS.values()}
    known = {
        name for name, one in vars(optimizer).items() if isinstance(one, type) and issubclass(one, optimizer.Optimizer)
    }
    # Signum without momentum; what samples does not learn; what trains matrices alone.
    assert known - tried == {"Optimizer", "SignSGD", "SGLD", "GroupAdaGrad"}
    schedules = {type(schedule) for schedule in module.SCHEDULES.values()}
    assert len(schedules) == 4 and all(issubclass(schedule, lr_scheduler.LRScheduler) for schedule in schedules)


def test_curves(tmp_path):
    command = [sys.executable, PROGRAMS / "optimizers.py", "--plot", tmp_path / "curves.png", "adam", "factor"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    module = program("optimizers")
    assert sorted(name for names in module.FAMILIES.values() for name in names) == sorted(module.SETTINGS)
