"""The profiler: what runs is in its tables and its file, and nothing is while it does not run."""

import json
import os
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, np, npx, profiler
from hybridize.base import modes, spans
from hybridize.errors import ArgumentError, CaptureError, HybridizeError, StateError
from hybridize.gluon import nn
from hybridize.ops.op import ACTIVE
from tests.platforms.marks import forks
from tests.refusals import refusal


@pytest.fixture(autouse=True)
def _stopped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    profiler.set_config(filename=tmp_path / "profile.json")
    yield
    profiler.resume()
    profiler.set_state("stop")
    profiler.dumps(reset=True)
    profiler.dump()
    profiler.set_config()
    assert spans.LISTENERS == []
    assert modes.BUSY[0] == 0
    assert not ACTIVE


def times():
    return json.loads(profiler.dumps(format="json"))["Time"]


def events(path):
    return json.loads(path.read_text())["traceEvents"]


def net_of(hybridized, units=3):
    net = nn.HybridSequential()
    net.add(nn.Dense(units, activation="relu"), nn.Dense(2))
    net.initialize()
    if hybridized:
        net.hybridize()
    net(np.ones((4, 5)))
    net(np.ones((4, 5)))
    return net


def test_operations_are_counted_once_by_the_names_that_users_call():
    x = np.ones((4, 5))
    expected = npx.softmax(x), x + x, np.linalg.norm(x)
    profiler.set_state("run")
    found = npx.softmax(x), x + x, np.linalg.norm(x)
    npx.softmax(x)
    profiler.set_state("stop")
    npx.softmax(x)
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(one, other)
    counts = {name: one["Count"] for name, one in times()["operator"].items()}
    assert counts == {"softmax": 2, "add": 1, "norm": 1}


def test_programs_their_machine_code_and_what_is_compiled():
    net, x = net_of(True), np.ones((4, 5))
    expected = net(x)
    profiler.set_state("run")
    for _ in range(3):
        found = net(x)
    net(np.ones((6, 5)))
    profiler.set_state("stop")
    net(x)
    numpy.testing.assert_array_equal(found, expected)
    kinds = times()
    name = net._function.name
    assert kinds["program"][name]["Count"] == kinds["machine code"][name]["Count"] == 4
    assert kinds["compilation"][name]["Count"] == 1
    assert kinds["program"][name]["Total"] >= kinds["machine code"][name]["Total"] > 0
    assert kinds["program"][name]["Min"] <= kinds["program"][name]["Avg"] <= kinds["program"][name]["Max"]
    memory = json.loads(profiler.dumps(format="json"))["Memory"]["cpu/0"][name]
    assert memory["Count"] == 4
    assert memory["Min"] >= 4 * 2 * 4 / 1024  # the result itself


def test_training_is_seen_whole():
    # Units that no other test has: equal programs share their machine code, which has the name of the first.
    net, x = net_of(True, units=37), np.ones((4, 5))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def step():
        with autograd.record():
            y = loss(net(x), np.zeros(4)).mean()
        y.backward()
        trainer.step(4)

    step()
    before = [p.data().copy() for p in net.collect_params().values()]
    profiler.set_state("run")
    step()
    profiler.set_state("stop")
    assert any((p.data() != w).any() for p, w in zip(net.collect_params().values(), before, strict=True))
    kinds = times()
    name = net._function.name
    assert kinds["machine code"][name]["Count"] == kinds["machine code"][f"{name}.backward"]["Count"] == 1
    assert {"cross_entropy", "mean", "SGD.step"} <= kinds["operator"].keys()


def test_what_is_recorded_is_what_the_settings_say():
    net, x = net_of(True), np.ones((4, 5))
    for setting, seen in (("profile_imperative", {"program", "machine code"}), ("profile_symbolic", {"operator"})):
        profiler.dumps(reset=True)
        profiler.set_config(**{setting: False})
        profiler.set_state("run")
        net(x)
        npx.softmax(x)
        profiler.set_state("stop")
        assert times().keys() == seen
    with refusal(ArgumentError, "no setting 'profile_nonsense'.*\n.*profile_all"):
        profiler.set_config(profile_nonsense=True)
    with refusal(HybridizeError, "positive number of seconds"):
        profiler.set_config(dump_period=0)
    with refusal(HybridizeError, "this process"):
        profiler.set_config(profile_process="server")
    with refusal(HybridizeError, "'run' or 'stop', got 'go'"):
        profiler.set_state("go")


def test_tables_are_sorted():
    for _ in range(3):
        profiler.set_state("run")
        np.exp(np.ones(3))
    np.linalg.svd(np.ones((64, 64)))
    profiler.set_state("stop")
    table = profiler.dumps(sort_by="count")
    assert table.index("\nexp") < table.index("\nsvd")
    table = profiler.dumps(sort_by="total", ascending=True, reset=True)
    assert table.index("\nexp") < table.index("\nsvd")
    row = next(line for line in table.splitlines() if line.startswith("exp"))
    assert row.split()[1] == "3"
    assert times() == {}
    with refusal(HybridizeError, "sort_by is one of total, avg"):
        profiler.dumps(sort_by="name")
    with refusal(HybridizeError, "format is one of table, json"):
        profiler.dumps(format="html")


def test_users_objects_are_in_the_file(tmp_path):
    domain = profiler.Domain("training")
    task, frame, event = domain.new_task("load"), domain.new_frame("epoch"), profiler.Event("step")
    counter, marker = domain.new_counter("examples", 5), domain.new_marker("here")
    task.start()
    task.stop()  # nobody records yet
    profiler.set_state("run")
    with profiler.scope("outer"), profiler.scope("inner"):
        task.start()
        task.stop()
    with frame, event:
        np.exp(np.ones(3))
    counter += 2
    counter -= 1
    counter.increment(4)
    marker.mark("global")
    assert counter.value == 10
    with refusal(HybridizeError, "the scope of a mark must be one of global"):
        marker.mark("world")
    with refusal(StateError, "Task load ends, which has not begun"):
        task.stop()
    profiler.dump()
    found = events(tmp_path / "profile.json")
    by_name = {one["name"]: one for one in found}
    assert by_name["load"]["cat"] == "training"
    assert by_name["load"]["args"] == {"scope": "outer:inner:"}
    inner, outer = by_name["exp"], by_name["epoch"]
    assert outer["ts"] <= inner["ts"] <= inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 1e-3
    assert [one["args"]["examples"] for one in found if one["ph"] == "C"] == [7, 6, 10]
    assert (by_name["here"]["ph"], by_name["here"]["s"]) == ("i", "g")
    assert {one["pid"] for one in found} == {os.getpid()}
    profiler.dump()
    assert events(tmp_path / "profile.json") == []


def test_pauses_and_threads(tmp_path):
    profiler.set_state("run")
    profiler.pause()
    np.exp(np.ones(3))
    profiler.resume()
    thread = threading.Thread(target=lambda: np.tan(np.ones(3)))
    thread.start()
    thread.join()
    profiler.dump(finished=False)
    np.sin(np.ones(3))
    assert "exp" not in times()["operator"]
    assert {"tan", "sin"} <= times()["operator"].keys()
    (tan,) = [one for one in events(tmp_path / "profile.json") if one["name"] == "tan"]
    assert tan["tid"] != threading.get_native_id()


def test_the_file_is_written_meanwhile(tmp_path):
    profiler.set_config(filename=tmp_path / "early.json", continuous_dump=True, dump_period=1e-9)
    profiler.set_state("run")
    np.exp(np.ones(3))
    assert "exp" in {one["name"] for one in events(tmp_path / "early.json")}


def test_errors_pass_through():
    profiler.set_state("run")
    with pytest.raises(hybridize.errors.ShapeError):
        np.ones(3) @ np.ones(4)
    assert np.exp(np.zeros(2)).tolist() == [1, 1]
    assert "exp" in times()["operator"]


@pytest.mark.parametrize("call", [lambda: profiler.set_state("run"), lambda: profiler.dumps()])
def test_it_is_no_part_of_a_program(call):
    def function(x):
        call()
        return x + 1

    with pytest.raises(CaptureError, match="E407"):
        hybridize.hybridize(function)(np.ones(3))


@forks
def test_a_forked_child_begins_anew():
    profiler.set_state("run")
    np.exp(np.ones(3))
    child = os.fork()
    if child == 0:
        fine = times() == {} and not spans.LISTENERS and modes.BUSY[0] == 0 and not ACTIVE
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert "exp" in times()["operator"]


def test_old_names(tmp_path):
    with pytest.warns(DeprecationWarning, match="set_config"):
        profiler.profiler_set_config(mode="all", filename=tmp_path / "old.json")
    with pytest.warns(DeprecationWarning, match="set_state"):
        profiler.profiler_set_state("run")
    np.exp(np.ones(3))
    with pytest.warns(DeprecationWarning, match="dump"):
        profiler.dump_profile()
    assert "exp" in {one["name"] for one in events(tmp_path / "old.json")}
