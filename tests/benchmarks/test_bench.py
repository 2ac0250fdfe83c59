"""The benchmark measures what it says, and a runtime that fails does not take the others along."""

import contextlib
import dataclasses
import importlib
import io
import itertools
import timeit
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from hybridize_bench import bench, goals, report, sampling, sizes, workloads
from hybridize_bench.convolutions import Convolution
from hybridize_bench.formulas import FORMULAS
from hybridize_bench.peers import HYBRIDIZED, ROWS, plain_numpy
from rich.console import Console
from typer.testing import CliRunner

from hybridize.tools.application import application

QUICK = bench.BenchOptions(rounds=2, seconds=0.01, cpu=0, only=("NumPy",))
NUMPY = next(row for row in ROWS if row.name == "NumPy")


def result(name: str, *rounds: list[float]) -> bench.Measurement:
    return bench.Measurement(name, list(rounds), [0.5])


def test_ratio_is_formed_within_the_round():
    ours = result("ours", [1.0, 1.0, 9.0], [2.0], [4.0])
    theirs = result("theirs", [2.0], [4.0], [8.0])
    assert theirs.ratio(ours) == 2
    assert ours.median == 2
    assert ours.p10 == pytest.approx(1.0)


def test_numpy_is_measured_and_checked():
    rows = {row.name: row for row in bench.run_calls("mlp-1", QUICK)}
    assert rows["NumPy"].error == ""
    assert len(rows["NumPy"].rounds) == 2
    assert 0 < rows["NumPy"].median < 0.1


def test_a_wrong_result_is_not_timed(tmp_path):
    data = workloads.write("mlp-1", tmp_path)
    wrong = workloads.Data(data.table, data.file, data.expected + 1)
    with bench.worker(0) as process:
        assert "wrong result" in bench.prepare(process, NUMPY, "mlp-1", wrong)["error"]
        assert "first_s" in bench.prepare(process, NUMPY, "mlp-1", data)


def test_a_result_that_is_not_a_number_is_wrong(tmp_path):
    data = workloads.write("mlp-1", tmp_path)
    wrong = workloads.Data(data.table, data.file, data.expected * numpy.nan)
    with bench.worker(0) as process:
        assert "wrong result" in bench.prepare(process, NUMPY, "mlp-1", wrong)["error"]


def test_a_failing_runtime_is_a_line_of_the_table(tmp_path):
    data = workloads.write("mlp-1", tmp_path)
    with bench.worker(0) as process:
        answer = process.ask(do="prepare", module="no_such_peer", mode="x", table="MLP", data=str(data.file))
        assert "no_such_peer" in answer["error"]
        assert "cannot do" in process.ask(do="sample", seconds=0.01)["error"]


@pytest.fixture
def torch_as_before():
    """A worker enters inference mode for good; this process goes on to other tests."""
    import torch
    from hybridize_bench.peers import pytorch

    threads = torch.get_num_threads()
    yield
    while pytorch._GUARDS:
        pytorch._GUARDS.pop().__exit__(None, None, None)
    torch.set_num_threads(threads)
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


@pytest.mark.usefixtures("torch_as_before")
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_what_every_runtime_computes(name, tmp_path):
    """Ours in its own words, at sizes that take no time, against the formula in float64."""
    from hybridize_bench.peers import ours, pytorch

    formula = dataclasses.replace(FORMULAS[name], shapes=tuple(small(shape) for shape in FORMULAS[name].shapes))
    arrays = formula.arrays()
    expected = formula.expected(arrays)
    assert numpy.isfinite(expected).all(), "a formula of numbers gives numbers"
    for build in (*ours.FORMULA.values(), plain_numpy.FORMULA["out"], pytorch.FORMULA["eager"]):
        prepared = build(name, arrays)()
        found = prepared.read(prepared.function(*prepared.arguments))
        numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def small(shape):
    return tuple(min(size, 24) for size in shape)


def test_formulas_are_workloads(tmp_path):
    rows = {row.name: row for row in bench.run_calls("transpose-1024", QUICK)}
    assert rows["NumPy"].error == ""
    assert rows[HYBRIDIZED].rounds
    assert bench.BenchOptions().sizes == 1000
    limit = rows[bench.LIMIT]
    assert limit.error == ""
    assert len(limit.rounds) == 2
    assert "adding two arrays of 4,096 KiB" in limit.note


def test_first_calls_are_timed_in_processes_of_their_own():
    with bench.worker(0) as process:
        answer = process.ask(do="first", model="mlp", loaded=True)
        assert answer["llvm"]
        assert answer["cpu_s"] > 0
        assert 0 < answer["first_s"] < 10
        assert "no_such" in process.ask(do="first", model="no_such", loaded=True)["error"]


def test_sizes_are_counted_and_compared(monkeypatch):
    monkeypatch.setattr(sizes, "COMPARED", (3,))
    monkeypatch.setattr(sizes, "LARGEST", 5)
    monkeypatch.setattr(sizes, "ROUNDS", 1)
    answer = sizes.measure(4)
    assert 1 <= answer["programs"] <= 4
    assert answer["ratios"]["3"] > 0
    assert ("programs compiled", str(answer["programs"])) in report.sizes(answer, 4).rows
    assert report.sizes({"error": "no"}, 4).rows == [("failed", "no")]


def test_programs_of_a_checkout_are_workloads(monkeypatch, tmp_path):
    script = tmp_path / "one.py"
    monkeypatch.setitem(workloads.SCRIPTS, "products", workloads.Script(str(script), ("--markdown",)))
    assert "is not here" in bench.run_script("products", QUICK)[0]
    script.write_text("import sys; print('| a |', *sys.argv[1:])")
    assert bench.run_script("products", QUICK) == ("### products\n\n| a | --markdown\n", [])
    script.write_text("print('plain')")
    assert bench.run_script("products", QUICK)[0] == "### products\n\n```text\nplain\n```\n"
    script.write_text("raise OSError('no such luck')")
    assert "failed: OSError: no such luck" in bench.run_script("products", QUICK)[0]


def test_programs_leave_figures(monkeypatch, tmp_path):
    script = tmp_path / "one.py"
    monkeypatch.setitem(workloads.SCRIPTS, "products", workloads.Script(str(script), figures=True))
    script.write_text("import sys; print(*sys.argv[1:5]); open(sys.argv[6], 'w').write('{\"mean\": 0.5}')")
    text, found = bench.run_script("products", dataclasses.replace(QUICK, rounds=3, cpu=1))
    assert "--cpu 1 --rounds 3" in text
    assert found == [bench.Figure("mean", 0.5)]


def test_scripts_are_there():
    root = Path(bench.__file__).parents[2]
    assert all((root / script.file).is_file() for script in workloads.SCRIPTS.values())


def test_a_worker_that_died_answers_with_an_error():
    with bench.worker(0) as process:
        process._process.kill()
        process._process.wait()
        assert "ended" in process.ask(do="sample", seconds=0.01)["error"]


class Workers:
    """Stands for the workers: keeps what each was asked, in order, and answers as a machine whose clock falls.

    Each round, everything takes as much longer as the round before took; a row takes twice as long as the limit.
    """

    def __init__(self):
        self.asked = []
        self.count = 0
        self.turns = {}

    def __call__(self, cpu, environment=None):
        number, self.count = self.count, self.count + 1
        return contextlib.nullcontext(SimpleNamespace(ask=lambda **request: self.answer(number, request)))

    def answer(self, number, request):
        self.asked.append((number, request))
        if request["do"] == "prepare":
            numpy.save(request["result"], numpy.zeros(1))
            return {"first_s": 0.5}
        if request["do"] not in ("limit", "sample"):
            return {"error": f"nobody knows {request['do']}"}
        key = (number, request.get("kind"))
        turn = self.turns[key] = self.turns.get(key, -1) + 1
        if request["do"] == "limit":
            return self.limit(request["kind"], turn)
        limits = [self.limit(one["kind"], turn - 1) for one in request.get("limits", ())]
        return {"samples": [2 * 2.0 ** max(turn - 1, 0)], "limits": limits}  # the first is the warm-up

    def limit(self, kind, turn):
        """Multiply-adds at 1e9, then 0.5e9 a second; reading twice as fast as needed."""
        demand = next(one for one in workloads.demands("mlp-64") if one.probe.kind == kind)
        return {"samples": [(1 if kind == "multiply-adds" else 0.5) * 2.0**turn], "amount": demand.amount}


def test_limits_are_measured_in_the_rounds_of_the_rows(monkeypatch):
    """Multiply-adds in turns with our row, reading by a process of its own; shares are formed within the round."""
    workers = Workers()
    monkeypatch.setattr(bench, "worker", workers)
    monkeypatch.setattr(bench, "disagreement", lambda found, data: "")
    options = bench.BenchOptions(rounds=3, seconds=0.07, only=("NumPy",))
    results = bench.run_calls("mlp-64", options)
    names = [one.name for one in results]
    assert names == [HYBRIDIZED, "NumPy", bench.LIMIT]
    timed = [(number, request) for number, request in workers.asked if request["do"] in ("limit", "sample")]
    rounds = timed[2:]  # after the warm-up
    assert len(rounds) == 3 * 3
    for turn in range(3):
        asked = rounds[3 * turn : 3 * turn + 3]
        assert [(number, request["do"]) for number, request in asked] == [(0, "sample"), (2, "limit"), (1, "sample")]
        assert [one["kind"] for one in asked[0][1]["limits"]] == ["multiply-adds"]
        assert asked[1][1]["kind"] == "reading"
        assert not asked[2][1].get("limits")
        assert {request["seconds"] for _, request in asked} == {0.07}
    ours, _, limit = results
    assert limit.medians == [1.0, 2.0, 4.0], "the slower of what is needed"
    assert limit.ratio(ours) == 0.5
    (row, *_) = report.calls("title", results).rows
    assert row[4] == "50.0%"


def test_samples_in_turns():
    calls = []
    timers = [timeit.Timer(lambda number=number: calls.append(number)) for number in range(3)]
    found = sampling.sample_in_turns(timers, 0.01)
    assert len(found) == 3
    assert all(samples and all(seconds > 0 for seconds in samples) for samples, _ in found)
    taken = [number for number, _ in itertools.groupby(calls[len(calls) // 2 :])]
    assert taken[:6] in ([0, 1, 2, 0, 1, 2], [1, 2, 0, 1, 2, 0], [2, 0, 1, 2, 0, 1])


def test_a_limit_that_fails_leaves_the_rows_alone(monkeypatch):
    workers = Workers()
    answer = workers.answer
    monkeypatch.setattr(
        workers, "answer", lambda n, request: {"error": "no"} if request["do"] == "limit" else answer(n, request)
    )
    monkeypatch.setattr(bench, "worker", workers)
    monkeypatch.setattr(bench, "disagreement", lambda found, data: "")
    *rows, limit = bench.run_calls("mlp-64", dataclasses.replace(QUICK, rounds=2))
    assert (limit.error, limit.rounds) == ("no", [])
    assert all(len(row.rounds) == 2 and not row.error for row in rows)
    assert [row[4] for row in report.calls("title", [*rows, limit]).rows] == ["", "", ""]
    assert goals.reached(next(goal for goal in goals.GOALS if goal.workload == "mlp-64"), [*rows, limit]).share is None


def test_limits_are_plausible():
    with bench.worker(0) as process:
        rates = {}
        for kind, nbytes, inputs in (("multiply-adds", 0, 1), ("reading", 16 << 10, 1), ("moving", 1 << 20, 2)):
            answer = process.ask(do="limit", kind=kind, nbytes=nbytes, inputs=inputs, seconds=0.01)
            rates[kind] = answer["amount"] / min(answer["samples"]) / 1e9
        assert "no probe" in process.ask(do="limit", kind="flying", nbytes=1, inputs=1, seconds=0.01)["error"]
    assert min(rates["reading"], rates["moving"]) > 0.1  # which is more depends on who else reads
    assert rates["multiply-adds"] > 0.1


def test_demands_are_what_a_workload_cannot_do_without():
    amounts = {name: {one.probe.kind: one.amount for one in workloads.demands(name)} for name in workloads.CALLS}
    products = 512 * 256 + 256 * 128 + 128 * 2
    assert amounts["mlp-64"] == {"multiply-adds": 2 * 64 * products, "reading": 4 * (products + 386)}
    assert amounts["mlp-1"]["reading"] == amounts["mlp-64"]["reading"]
    assert amounts["conv-64-56"] == {"multiply-adds": 2 * 56 * 56 * 64 * 64 * 9}
    assert amounts["transpose-1024"] == {"moving": 3 * 4 * 1024**2}
    assert amounts["pointwise"] == {"moving": 2 * 4 * 1024**2}
    assert amounts["sum-0"] == {"reading": 4 * 4096**2}
    assert amounts["train-64"] == amounts["call-overhead"] == {}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_figure_is_cut_in_a_narrow_window(width):
    long = "a runtime of a name that is longer than most names of runtimes are: and of a case, 1,024"
    measured = [result(name, [0.00123456], [0.9]) for name in (HYBRIDIZED, long, *{g.ours for g in goals.GOALS})]
    by_workload = {
        goal.workload: [result(name, [0.00123456]) for name in (goal.ours, *goal.against)] for goal in goals.GOALS
    }
    for bound in goals.BOUNDS:
        by_workload.setdefault(bound.workload, []).append(result(bound.row, [0.0123]))
    tables = [
        report.calls("calls", [*measured, result(bench.LIMIT, [0.00123456], [0.9])]),
        report.exported("exported", measured),
        report.goals(by_workload),
        report.Grid("words", ("name", "operator", "bytes"), [(long, long.replace(" ", "_"), "1,234,567")], words=2),
    ]
    assert len(tables[2].rows) > 10
    for table in tables:
        console = Console(file=io.StringIO(), width=width)
        table.show(console)
        text = console.file.getvalue()
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        lines = [line.split("│") for line in text.splitlines() if line.count("│") == len(table.columns) + 1]
        for place in range(len(table.columns)):
            shown = [line[place + 1].strip() for line in lines]
            if place >= table.words:
                assert [figure for figure in shown if figure] == [row[place] for row in table.rows if row[place]]
            else:  # folded
                joined = "".join(shown).replace(" ", "")
                assert all(row[place].replace(" ", "") in joined for row in table.rows)


def test_goals_take_the_best_peer():
    results = [
        result(HYBRIDIZED, [1.0]),
        result("ONNX Runtime run", [4.0]),
        result("OpenVINO infer(bound)", [2.0]),
    ]
    goal = next(goal for goal in goals.GOALS if goal.workload == "mlp-64")
    assert goals.reached(goal, results) == goals.Outcome("OpenVINO infer(bound)", 0.5)
    assert goals.reached(goal, results[:1]) is None
    text = report.goals({"mlp-64": results}).markdown()
    assert "| mlp-64 ÷ OpenVINO infer(bound) | 0.50 | 0.93 or 97% | 98.5% | must |" in text
    results.append(result(bench.LIMIT, [0.99]))
    assert "| 0.50, 99.0% | 0.93 or 97% | 98.5% | aim |" in report.goals({"mlp-64": results}).markdown()


@pytest.mark.parametrize(
    ("ratio", "share", "expected"),
    [
        (0.93, None, "must"),
        (0.94, None, "no"),
        (0.94, 0.97, "must"),
        (0.5, 0.1, "must"),
        (0.94, 0.9699, "no"),
        (None, 0.97, "must"),
        (None, 0.985, "aim"),
        (2.0, 0.985, "aim"),
        (None, None, "no"),
    ],
)
def test_a_ratio_or_a_share_is_enough(ratio, share, expected):
    levels = (goals.Level(0.93, 0.97), goals.Level(share=0.985))
    goal = goals.Goal("mlp-64", HYBRIDIZED, ("NumPy",), *levels)
    assert goals.verdict(goal, goals.Outcome("NumPy", ratio, share)) == expected
    only = dataclasses.replace(goal, aim=None)
    assert goals.verdict(only, goals.Outcome("NumPy", ratio, share)) == ("no" if expected == "no" else "must")


def test_a_share_is_that_of_the_same_rounds():
    """The clock falls to a half: our row and the limit with it, and its share stays."""
    goal = goals.Goal("conv-64-56", HYBRIDIZED, (), goals.Level(share=0.9))
    rows = [result(HYBRIDIZED, [1.0], [2.0], [2.0]), result(bench.LIMIT, [0.95], [1.9], [1.8])]
    assert goals.reached(goal, rows) == goals.Outcome(share=0.95)
    assert goals.reached(goal, rows[:1]) is None
    assert goals.reached(goal, rows[1:]) is None
    assert report.goals({"conv-64-56": rows}).rows == [("conv-64-56 of the limit", "95.0%", "90%", "97%", "must")]


def test_figures_of_programs_have_goals():
    found = {
        value: report.goals({"products": [bench.Figure(goals.PRODUCTS[0], value)]}).rows for value in (0.44, 0.5, 1)
    }
    assert [rows[0][-1] for rows in found.values()] == ["aim", "must", "no"]
    assert report.goals({"products": [bench.Figure(goals.PRODUCTS[0], error="no")]}) is None


def test_goals_fit_a_page():
    """The table of what is asked fits 80 columns, whoever is the best peer."""
    for goal in goals.GOALS:
        if goal.workload.startswith("deploy"):  # their rows are sentences
            continue
        for peer in goal.against or ("",):
            results = [result(goal.ours, [1.0]), result(bench.LIMIT, [1.0])]
            results += [result(peer, [1.0])] if peer else []
            text = report.goals({goal.workload: results}).markdown()
            assert max(map(len, text.splitlines())) <= report.WIDTH, text


def test_the_head_of_a_page_says_where_and_how():
    text = report.head("a processor, AVX-512, " * 9, "one 1.0, two 2.0", "hybridize bench mlp-1", "2026-01-02")
    assert text.startswith("2026-01-02\n\na processor")
    assert "`hybridize bench mlp-1`" in text
    assert max(map(len, text.splitlines())) <= report.WIDTH


def test_table_shows_failures_beside_figures():
    grid = report.calls("title", [result(HYBRIDIZED, [1e-6]), bench.Measurement("broken", error="no such thing")])
    assert grid.rows[0][1:4] == ("1.00 µs", "1.00 µs", "1.00 ×")
    assert grid.rows[1][1] == "failed"
    assert grid.notes == ("broken: no such thing",)
    assert "no such thing" in grid.markdown()
    assert grid.markdown().startswith("### title\n\n| runtime | median |")
    assert "time ÷ hybridized" in grid.columns


def test_facts_of_a_run_stand_below_its_table():
    rows = [result("ours, imperative", [1e-6]), result("other", [2e-6]), result("third", [2e-6])]
    for row in rows:
        row.note = "after 20,000 steps"
    grid = report.calls("title", rows)
    assert grid.notes == ("all: after 20,000 steps",)
    assert "time ÷ imperative" in grid.columns
    rows[1].note = "after 2,000 steps"
    notes = report.calls("title", rows).notes
    assert notes == ("ours, imperative; third: after 20,000 steps", "other: after 2,000 steps")


def test_starts_say_what_the_processor_took():
    first = bench.Measurement("MLP", [[0.1], [0.3]], cpu_s=[0.02, 0.04])
    grid = report.starts("compile", [first, bench.Measurement("broken", error="no")])
    assert grid.rows[0] == ("MLP", "200 ms", "100 ms", "2")
    assert "MLP 30.0 ms" in grid.notes[0]
    assert grid.notes[1] == "broken: no"


def test_memory_table():
    answer = {"before_calls": 100e6, "after_calls": 101e6, "before_shapes": 200e6, "after_shapes": 200e6}
    assert [row[-1] for row in report.memory(answer, 1000, 10).rows] == ["+1.00 %", "+0.00 %"]


def test_command_writes_markdown(tmp_path):
    page = tmp_path / "page.md"
    arguments = ["bench", "mlp-1", "--only", "NumPy", "--rounds", "1", "--seconds", "0.01", "--markdown", str(page)]
    done = CliRunner().invoke(application, arguments)
    assert done.exit_code == 0, done.output
    assert "NumPy" in done.output
    text = page.read_text()
    assert "| NumPy |" in text
    assert "bench mlp-1 --rounds 1 --seconds 0.01 --only NumPy`" in " ".join(text.split())
    assert f"{date.today()}" in text
    assert "numpy" in text
    assert f"- {bench.LIMIT}: " in text


def test_unknown_workload_is_refused():
    done = CliRunner().invoke(application, ["bench", "no-such-workload"])
    assert done.exit_code == 2
    assert "no-such-workload" in done.output


@pytest.mark.parametrize("batch", [1, 3])
def test_onnx_file_says_the_same(batch):
    onnxruntime = pytest.importorskip("onnxruntime")
    from hybridize_bench.peers import onnx_model

    layers, x = workloads.layers_and_input(batch)
    session = onnxruntime.InferenceSession(onnx_model.mlp(layers, x), providers=["CPUExecutionProvider"])
    numpy.testing.assert_allclose(
        session.run(None, {"x": x})[0], workloads.expected_mlp(layers, x), rtol=1e-3, atol=1e-3
    )


def test_litert_file_says_the_same():
    pytest.importorskip("ai_edge_litert")
    from hybridize_bench.peers import litert

    layers, x = workloads.layers_and_input(3)
    prepared = litert.mlp(layers, x)()
    found = prepared.read(prepared.function(*prepared.arguments))
    numpy.testing.assert_allclose(found, workloads.expected_mlp(layers, x), rtol=1e-3, atol=1e-3)


@pytest.mark.usefixtures("torch_as_before")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("module", ["ours", "pytorch", "ort", "litert"])
def test_convolutions_are_what_every_runtime_computes(module):
    """Channels of a size that no vector divides, in and out; against NumPy in float64."""
    pytest.importorskip({"ort": "onnxruntime", "litert": "ai_edge_litert"}.get(module, "torch"))
    small = Convolution(batch=2, size=6, inputs=3, outputs=5, kernel=3)
    arrays = small.arrays()
    modes = importlib.import_module(f"hybridize_bench.peers.{module}").CONV
    assert modes.keys() == {row.mode for row in ROWS if row.module == module and "CONV" in row.tables}
    for mode, build in modes.items():
        if mode == "compile":
            continue  # the eager module, through torch's compiler
        prepared = build(*arrays)()
        found = prepared.read(prepared.function(*prepared.arguments))
        numpy.testing.assert_allclose(found, small.expected(*arrays), rtol=1e-4, atol=1e-4)


def test_what_is_expected_of_a_convolution_is_what_pytorch_finds():
    import torch

    small = Convolution(batch=2, size=6, inputs=3, outputs=5, kernel=3)
    x, weight, bias = (torch.tensor(array, dtype=torch.float64) for array in small.arrays())
    found = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), weight, bias, padding=1).relu().permute(0, 2, 3, 1)
    numpy.testing.assert_allclose(small.expected(*small.arrays()), found.numpy(), rtol=1e-9, atol=1e-12)
    assert small.flops == 2 * found.numel() * 3 * 3 * 3
