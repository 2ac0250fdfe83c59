"""Kernels on the timeline: what ran is what `explain` names, within its program, on the thread that ran it."""

import json
import os
import threading
from collections import Counter

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, np, npx, profiler, set_num_threads
from hybridize.base import spans
from hybridize.compiler import timeline
from hybridize.errors import OutOfBoundsError
from hybridize.gluon import nn
from hybridize.runtime.pool import POOL


@pytest.fixture(autouse=True)
def _stopped(tmp_path):
    profiler.set_config(profile_all=True, profile_kernels=True, filename=tmp_path / "profile.json")
    yield
    profiler.set_state("stop")
    profiler.dumps(reset=True)
    profiler.dump()
    profiler.set_config()
    assert spans.VARIANTS == []


@pytest.fixture
def _two_threads():
    set_num_threads(2)
    yield
    POOL.choose(None)


def events_of(tmp_path, call, times=3):
    """Profile calls of a function; returns its last result and the events."""
    profiler.set_state("run")
    for _ in range(times):
        result = call()
    profiler.dump()
    return result, json.loads((tmp_path / "profile.json").read_text())["traceEvents"]


def kinds(events):
    return Counter(one["cat"] for one in events if one["ph"] == "X")


def check_format(events):
    """Hold the file against the format of trace events: what each event must have, and that those of a thread nest."""
    for one in events:
        assert {"name", "ph", "pid", "tid"} <= one.keys()
        assert one["ph"] in "XMiC"
        assert one["ph"] == "M" or one["ts"] > 0
        assert one["ph"] != "X" or one["dur"] >= 0
    named = {one["tid"] for one in events if one["ph"] == "M"}
    for thread in {one["tid"] for one in events}:
        assert thread in named
        open_until = []
        for one in sorted(
            (one for one in events if one["ph"] == "X" and one["tid"] == thread), key=lambda x: (x["ts"], -x["dur"])
        ):
            end = one["ts"] + one["dur"]
            while open_until and open_until[-1] <= one["ts"]:
                open_until.pop()
            assert not open_until or end <= open_until[-1], one
            open_until.append(end)


def within(inner, outer):
    return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


def test_kernels_have_the_names_of_the_report_and_add_up_to_the_program(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(512, activation="relu"), nn.Dense(300, activation="tanh"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = np.random.normal(size=(256, 512))
    expected = net(x)
    found, events = events_of(tmp_path, lambda: net(x), times=5)
    check_format(events)
    numpy.testing.assert_array_equal(found, expected)
    report = net.program(x).explain()
    runs = [one for one in events if one.get("cat") == "machine code"]
    assert len(runs) == 5
    shares = []
    for run in runs:
        kernels = [one for one in events if one.get("cat") == "kernel" and within(one, run)]
        assert [one["name"] for one in kernels] == [one.name for one in report.kernels]
        assert [one["args"]["lines"] for one in kernels] == [list(one.lines) for one in report.kernels]
        assert [one["args"]["flops"] for one in kernels] == [one.flops for one in report.kernels]
        total = sum(one["dur"] for one in kernels)
        assert 0 < total <= run["dur"]
        shares.append(total / run["dur"])
    assert max(shares) > 0.5  # milliseconds of products beside microseconds of Python: of five calls, one undisturbed
    (steps,) = json.loads(profiler.dumps(format="json"))["Kernels"].values()
    assert [one["name"] for one in steps] == [one.name for one in report.kernels]
    assert sum(one["share"] for one in steps) == pytest.approx(1)
    assert all(one["count"] == 5 for one in steps)
    assert f"kernels of {net._function.name}" in profiler.dumps()


def test_nothing_is_compiled_again_unless_kernels_are_asked_for(tmp_path, monkeypatch):
    net = nn.Dense(3)
    net.initialize()
    net.hybridize()
    x = np.ones((4, 5))
    net(x)
    monkeypatch.setattr(timeline, "Timed", None)
    profiler.set_config(profile_all=True, filename=tmp_path / "profile.json")
    _, events = events_of(tmp_path, lambda: net(x))
    assert kinds(events) == {"program": 3, "machine code": 3}
    assert "Kernels" not in json.loads(profiler.dumps(format="json"))
    net(x)


def test_a_program_is_compiled_once_for_it_and_runs_as_before_afterwards(tmp_path):
    f = hybridize.hybridize(lambda x: np.exp(x) + 1)
    x = np.ones((7, 11))
    f(x)
    _, events = events_of(tmp_path, lambda: f(x), times=4)
    assert kinds(events) == {"compilation": 1, "kernel": 4, "machine code": 4, "program": 4}
    (compiled,) = [one for one in events if one.get("cat") == "compilation"]
    assert compiled["name"].endswith("with clocks")
    _, events = events_of(tmp_path, lambda: f(x), times=2)
    assert kinds(events) == {"kernel": 2, "machine code": 2, "program": 2}


@pytest.mark.usefixtures("_two_threads")
def test_parts_show_which_thread_ran_them(tmp_path):
    w = np.random.normal(size=(256, 256))
    f = hybridize.hybridize(lambda x: np.tanh(x @ w).sum(axis=0) + np.exp(x).max())
    x = np.random.normal(size=(512, 256))
    expected = f(x)
    found, events = events_of(tmp_path, lambda: f(x))
    check_format(events)
    numpy.testing.assert_array_equal(found, expected)
    kernels = [one for one in events if one.get("cat") == "kernel"]
    parts = [one for one in events if one.get("cat") == "part of a kernel"]
    assert {one["name"] for one in parts} <= {one["name"] for one in kernels}
    assert sum("threads" in one["args"]["kind"] for one in kernels) >= 3
    for kernel in kernels:
        if "threads" in kernel["args"]["kind"]:
            assert any(within(part, kernel) and part["name"] == kernel["name"] for part in parts)
    names = {one["tid"]: one["args"]["name"] for one in events if one["ph"] == "M"}
    for part in parts:
        here = part["tid"] == threading.get_native_id()
        assert here or names[part["tid"]] == f"hybridize worker {part['tid']}"
    assert all(one["tid"] == threading.get_native_id() for one in kernels)


@pytest.mark.usefixtures("_two_threads")
def test_kernels_beside_each_other_and_in_turns_are_one_event_with_parts_of_their_own(tmp_path):
    def branches(x, *weights):
        return [np.tanh(x @ w).sum(axis=1) for w in weights]

    def attention(q, k, v):
        return npx.softmax(q @ k.T) @ v

    x, *weights = (np.random.normal(size=(200, 256)), *(np.random.normal(size=(256, n)) for n in (256, 300, 130, 260)))
    for function, arguments in ((branches, (x, *weights)), (attention, [np.random.normal(size=(700, 64))] * 3)):
        compiled = hybridize.hybridize(function)
        compiled(*arguments)
        report = compiled.current()[0].explain()
        assert report.groups or report.bands
        _, events = events_of(tmp_path, lambda: compiled(*arguments), times=1)  # noqa: B023
        check_format(events)
        kernels = [one for one in events if one.get("cat") == "kernel"]
        numbers = [each["kernel"] for one in kernels for each in one["args"].get("kernels", [one["args"]])]
        assert numbers == list(range(len(report.kernels)))
        together = [one for one in kernels if "kernels" in one["args"]]
        assert together
        for one in together:
            members = [report.kernels[each["kernel"]].name for each in one["args"]["kernels"]]
            assert one["name"] == "; ".join(members)
            parts = {each["name"] for each in events if each.get("cat") == "part of a kernel"}
            assert one["name"] in parts or set(members) <= parts


def test_training_steps_sizes_of_calls_and_control_flow(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(31, activation="relu"), nn.BatchNorm(), nn.Dense(3))
    net.initialize()
    net.hybridize()
    trainer, loss = gluon.Trainer(net.collect_params(), "adam"), gluon.loss.SoftmaxCrossEntropyLoss()
    x, y = np.random.normal(size=(8, 5)), np.zeros(8)

    def step():
        with autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(8)

    step()
    before = net[0].weight.data().copy()
    _, events = events_of(tmp_path, step, times=1)
    check_format(events)
    assert (net[0].weight.data() != before).any()
    assert kinds(events)["machine code"] == 2
    assert len({one["ts"] for one in events if one.get("cat") == "kernel"}) > 2

    whole = hybridize.hybridize(step)
    whole()
    before = net[0].weight.data().copy()
    _, events = events_of(tmp_path, whole, times=1)
    assert (net[0].weight.data() != before).any()
    assert kinds(events)["kernel"] > 2

    def halve(x):
        while np.abs(x).max() > 1:
            x = x / 2
        return x

    halved = hybridize.hybridize(halve)
    for size in (5, 9, 13):
        halved(np.full((size,), 100.0))
    found, events = events_of(tmp_path, lambda: halved(np.full((21,), 100.0)), times=1)
    numpy.testing.assert_array_equal(found, numpy.full(21, 100 / 128))
    assert any("while" in one["name"] for one in events if one.get("cat") == "kernel")
    assert not any("bytes" in one.get("args", {}) for one in events)


def test_loaded_programs_and_errors(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(33, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = np.random.normal(size=(8, 5))
    expected = net(x)
    net.save(tmp_path / "net.hyb")
    loaded = hybridize.load(tmp_path / "net.hyb", images=True)
    found, events = events_of(tmp_path, lambda: loaded(x))
    numpy.testing.assert_array_equal(found, expected)
    assert kinds(events)["kernel"] == 6

    take = hybridize.hybridize(lambda x, i: x[i])
    take(x, np.array([1, 2]))
    with pytest.raises(OutOfBoundsError):
        events_of(tmp_path, lambda: take(x, np.array([1, 99])))
    numpy.testing.assert_array_equal(take(x, np.array([0])), x[:1])


def test_parts_that_find_no_room_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(timeline, "ROOM", 2)
    w = np.random.normal(size=(64, 64))
    f = hybridize.hybridize(lambda x: np.tanh(x @ w) @ w.T + w.sum())
    x = np.random.normal(size=(900, 64))
    f(x)
    _, events = events_of(tmp_path, lambda: f(x), times=1)
    parts = kinds(events)["part of a kernel"]
    lost = [one for one in events if one["ph"] == "i"]
    assert parts <= 2
    assert (parts == 2) == bool(lost) or not lost
    assert all(one["args"]["parts"] > 0 and "are not shown" in one["name"] for one in lost)


@pytest.mark.usefixtures("_two_threads")
def test_several_threads_at_once(tmp_path):
    w = np.random.normal(size=(128, 128))
    f = hybridize.hybridize(lambda x: np.tanh(x @ w) @ w)
    xs = [np.random.normal(size=(300, 128)) for _ in range(4)]
    expected = [f(x) for x in xs]
    found = {}

    def call(number):
        for _ in range(5):
            found[number] = f(xs[number])

    def all_at_once():
        threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    _, events = events_of(tmp_path, all_at_once, times=1)
    check_format(events)
    for number, one in enumerate(expected):
        numpy.testing.assert_array_equal(found[number], one)
    counts = Counter(one["tid"] for one in events if one.get("cat") == "machine code")
    kernels = Counter(one["tid"] for one in events if one.get("cat") == "kernel")
    assert list(counts.values()) == [5] * 4
    assert {thread: count / 5 for thread, count in kernels.items()} == dict.fromkeys(counts, kernels.total() / 20)
    assert os.getpid() in {one["pid"] for one in events}
