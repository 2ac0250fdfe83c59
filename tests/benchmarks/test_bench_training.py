"""The benchmark's trainings are the same training everywhere, and one that is not is found out."""

import dataclasses
import importlib
import math

import pytest
from hybridize_bench import bench, goals, report, training_workloads, workloads
from hybridize_bench.peers import IMPERATIVE, ROWS
from hybridize_bench.sequences.training import SEQUENCE_TRAININGS
from hybridize_bench.training_workloads import EPOCHS, NETWORK_TRAININGS, STEPWISE, TRAININGS, Training
from hybridize_bench.workloads import Data

SMALL = {kind: Training("small", (12, 16, 8, 3), 6, kind, rate) for kind, rate in (("sgd", 0.1), ("adam", 0.01))}
STEPPING = [row for row in ROWS if "TRAIN" in row.tables]


def cases(table):
    """The rows of a table as parameters; those that take long to start are tested with what takes long."""
    marks = {True: [pytest.mark.long], False: []}
    return [pytest.param(row, marks=marks[row.slow_start], id=row.name) for row in ROWS if table in row.tables]


@pytest.fixture
def threads_as_before():
    import torch

    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def losses(row, training, path, table="TRAIN"):
    """What the row's training gives, made as the worker makes it."""
    module = importlib.import_module(f"hybridize_bench.peers.{row.module}")
    prepared = getattr(module, table)[row.mode](training, *training_workloads.read(str(path)))()
    return prepared.read(prepared.function(*prepared.arguments))


@pytest.mark.usefixtures("threads_as_before")
@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("row", cases("TRAIN"))
def test_losses_are_those_in_float64(row, kind, tmp_path):
    pytest.importorskip(row.package)
    path = tmp_path / "data.npz"
    data = Data("TRAIN", path, training_workloads.write(SMALL[kind], path))
    assert len(set(data.expected)) == training_workloads.CHECKED
    assert bench.disagreement(losses(row, SMALL[kind], path), data) == ""


@pytest.mark.parametrize("kind", SMALL)
def test_another_training_is_found_out(kind, tmp_path):
    """Half the rate, another optimizer, the batches in another order: each changes what is compared."""
    path = tmp_path / "data.npz"
    training = SMALL[kind]
    data = Data("TRAIN", path, training_workloads.write(training, path))
    (ours, *_) = STEPPING
    others = (
        dataclasses.replace(training, rate=training.rate / 2),
        dataclasses.replace(training, optimizer="adam" if kind == "sgd" else "sgd"),
    )
    for other in others:
        assert "wrong result" in bench.disagreement(losses(ours, other, path), data)
    layers, batches = training_workloads.arrays(training)
    backwards = training_workloads.expected(training, layers, batches[training_workloads.CHECKED - 1 :: -1])
    assert "wrong result" in bench.disagreement(backwards, data)


def test_what_is_expected_is_what_pytorch_finds_in_float64():
    import torch

    for training in SMALL.values():
        layers, batches = training_workloads.arrays(training)
        parameters = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for layer in layers for one in layer]
        kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[training.optimizer]
        optimizer = kind(parameters, lr=training.rate)
        found = []
        for x, y in batches:
            value = torch.tensor(x, dtype=torch.float64)
            for i in range(0, len(parameters), 2):
                value = torch.nn.functional.linear(value.relu() if i else value, parameters[i], parameters[i + 1])
            loss = torch.nn.functional.cross_entropy(value, torch.tensor(y, dtype=torch.int64))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        assert training_workloads.expected(training, layers, batches) == pytest.approx(found, rel=1e-9)


def test_no_number_of_steps_learns_the_batches():
    """Losses stay where labels that contradict each other keep them, so gradients do not fade while they are timed."""
    training = SMALL["sgd"]
    layers, batches = training_workloads.arrays(training)
    assert all(
        (batches[i][0] == batches[i + training_workloads.COUNT][0]).all() for i in range(training_workloads.COUNT)
    )
    assert training_workloads.expected(training, layers, batches * 100)[-2 * training_workloads.COUNT :].mean() > 0.5


@pytest.mark.long
def test_a_step_is_timed_in_its_worker():
    options = bench.BenchOptions(rounds=1, seconds=0.01, only=("imperative",), steps=30)
    told = []
    results = bench.run_calls("train-adam-1", options, lambda what, done, total: told.append((what, done, total)))
    assert len(results) == 2
    for result in results:
        assert not result.error
        assert result.note == "after 30 steps"
        assert 0 < result.median < 0.1
        assert (f"steps of {result.name}", 0, 30) in told


class Stepper:
    """Stands for a worker whose step takes `step_s`; counts the steps, and loses finite numbers after `finite`."""

    def __init__(self, step_s, finite=10**9):
        self.step_s, self.finite, self.calls = step_s, finite, 0

    def ask(self, do, count=0, seconds=0.0):
        if do == "losses":
            return {"finite": self.calls <= self.finite}
        calls = min(count, math.ceil(seconds / self.step_s))
        self.calls += calls
        return {"calls": calls, "seconds": calls * self.step_s}


@pytest.mark.parametrize(
    ("workload", "step_s", "steps", "calls"),
    [
        ("train-adam-1", 1e-4, 20_000, 20_000),
        ("train-adam-1", 5e-3, 20_000, 20_000),  # however long they take
        ("train-wide", 5e-4, 20_000, 20_000),
        ("train-wide", 5e-3, 20_000, 4_000),  # what 20 seconds hold
        ("train-wide", 5e-2, 20_000, 2_000),  # some thousands, however long they take
        ("train-wide", 5e-2, 100, 100),
        ("train-digits", 2e-3, 20_000, -(-20_000 // 23)),
    ],
)
def test_steps_come_before_the_samples(workload, step_s, steps, calls):
    worker, result = Stepper(step_s), bench.Measurement("x")
    assert bench.settle(worker, result, workload, bench.BenchOptions(steps=steps), bench.silent) == ""
    assert worker.calls == pytest.approx(calls, rel=0.02)
    of_a_call = training_workloads.steps_of_call(workload)
    assert result.note == f"after {worker.calls * of_a_call:,} steps"


def test_losses_stay_finite():
    worker, result = Stepper(1e-3, finite=100), bench.Measurement("x")
    error = bench.settle(worker, result, "train-64", bench.BenchOptions(steps=200), bench.silent)
    assert error == "losses are no longer finite after 200 steps"


def test_a_training_that_fails_is_no_figure(monkeypatch):
    monkeypatch.setattr(bench, "settle", lambda *_: "losses are no longer finite after 7 steps")
    options = bench.BenchOptions(rounds=1, seconds=0.01, only=("nothing else",))
    (ours,) = bench.run_calls("train-adam-1", options)
    assert "no longer finite" in ours.error
    assert not ours.rounds
    assert goals.reached(goals.GOALS[0], [ours]) is None


def test_an_epoch_has_as_many_steps_as_its_loader_gives():
    _, _, batches = training_workloads.digits(EPOCHS["train-digits"])
    assert training_workloads.steps_of_call("train-digits") == len(batches)
    assert training_workloads.steps_of_call("train-64") == 1


def test_an_imperative_step_is_set_against_imperative_ones():
    asked = bench.rows(bench.BenchOptions(only=("eager",)), training_workloads.table("imperative-step"))
    assert [row.name for row in asked] == [IMPERATIVE, goals.EAGER, goals.FUSED]
    results = [bench.Measurement(row.name, [[1.0]]) for row in asked]
    assert [row[0] for row in report.goals({"imperative-step": results}).rows] == [
        f"imperative-step: imperative ÷ {goals.EAGER}"
    ]


def test_goals_name_what_is_there():
    names = {row.name for row in STEPPING}
    known = [goal for goal in goals.GOALS if training_workloads.known(goal.workload)]
    asked = [goal for goal in known if goal.workload not in SEQUENCE_TRAININGS]
    assert (
        {goal.workload for goal in asked}
        == {*TRAININGS, *NETWORK_TRAININGS, *STEPWISE, *EPOCHS}
        <= set(workloads.CALLS)
    )
    assert all({goal.ours, *goal.against} <= names for goal in asked)


@pytest.mark.usefixtures("threads_as_before")
@pytest.mark.parametrize("row", cases("EPOCH"))
def test_an_epoch_learns_each_digit_once(row, tmp_path):
    data = workloads.write("train-digits", tmp_path)
    training = EPOCHS["train-digits"]
    assert data.table == "EPOCH"
    assert len(data.expected) == -(-1438 // training.batch)
    assert data.expected[-1] < data.expected[0] / 2
    assert bench.disagreement(losses(row, training, data.file, data.table), data) == ""


def test_later_epochs_are_shuffled():
    prepared = training_workloads.epochs(lambda x, y: x + y, [[(1, 1)], [(2, 2), (3, 3)]], float)
    assert [prepared.function() for _ in range(3)] == [[2.0], [4.0, 6.0], [4.0, 6.0]]


@pytest.mark.long
def test_a_thousand_steps_compile_at_most_twice_again():
    """The program fails where they do not, which `run_script` says."""
    text, _ = bench.run_script("train-programs", bench.BenchOptions())
    assert "compiled again" in text
    steps, rates, sizes, again, _ = (word.strip() for word in text.splitlines()[-1].strip(" |").split("|"))
    assert (steps, rates, sizes) == ("1,000", "1000", "2")
    assert int(again) <= 2
