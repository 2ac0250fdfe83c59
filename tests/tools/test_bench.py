"""The benchmark measures what it says, and a runtime that fails does not take the others along."""

import dataclasses
import io
from pathlib import Path

import numpy
import pytest
from rich.console import Console
from typer.testing import CliRunner

from hybridize.tools import bench, goals, report, sizes, workloads
from hybridize.tools.command import application
from hybridize.tools.formulas import FORMULAS
from hybridize.tools.peers import HYBRIDIZED, ROWS, plain_numpy

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

    from hybridize.tools.peers import pytorch

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
    from hybridize.tools.peers import ours, pytorch

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
    limits = bench.Limits(400, 200, 100, 40, 250, 32 << 10, 1 << 20, 32 << 20)
    assert workloads.limit_s("sum-0", limits) == pytest.approx(4 * (4096**2 + 4096) / 40e9)
    assert workloads.limit_s("transpose-1024", limits) == pytest.approx(3 * 4 * 1024**2 / 100e9)


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
    monkeypatch.setitem(workloads.SCRIPTS, "products", (str(script), "--markdown"))
    assert "is not here" in bench.run_script("products")
    script.write_text("import sys; print('| a |', sys.argv[1])")
    assert bench.run_script("products") == "### products\n\n| a | --markdown\n"
    script.write_text("print('plain')")
    assert bench.run_script("products") == "### products\n\n```text\nplain\n```\n"
    script.write_text("raise OSError('no such luck')")
    assert "failed: OSError: no such luck" in bench.run_script("products")


def test_scripts_are_there():
    root = Path(bench.__file__).parents[2]
    assert all((root / file).is_file() for file, *_ in workloads.SCRIPTS.values())


def test_a_worker_that_died_answers_with_an_error():
    with bench.worker(0) as process:
        process._process.kill()
        process._process.wait()
        assert "ended" in process.ask(do="sample", seconds=0.01)["error"]


def test_limits_are_plausible():
    limits = bench.limits(QUICK)
    assert limits.l1_gb_per_s > limits.memory_gb_per_s > 0.1
    assert limits.l2_gb_per_s > 1
    assert workloads.limit_s("mlp-64", limits) >= workloads.limit_s("mlp-1", limits) > 0
    assert workloads.limit_s("import", limits) is None
    assert limits.gflops > 0.1


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
        report.calls("calls", measured, 0.001),
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
    assert goals.reached(goal, results) == ("OpenVINO infer(bound)", 0.5)
    assert goals.reached(goal, results[:1]) is None
    text = report.goals({"mlp-64": results}).markdown()
    assert "| 0.50 | 0.90 | 0.80 | aim |" in text


def test_table_shows_failures_beside_figures():
    grid = report.calls("title", [result(HYBRIDIZED, [1e-6]), bench.Measurement("broken", error="no such thing")])
    assert grid.rows[0][1:4] == ("1.00 µs", "1.00 µs", "1.00 ×")
    assert grid.rows[1][1] == "failed"
    assert grid.notes == ("broken: no such thing",)
    assert "no such thing" in grid.markdown()
    assert grid.markdown().startswith("### title\n\n| runtime | median |")


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
    assert "| NumPy |" in page.read_text()


def test_unknown_workload_is_refused():
    done = CliRunner().invoke(application, ["bench", "no-such-workload"])
    assert done.exit_code == 2
    assert "no-such-workload" in done.output


@pytest.mark.parametrize("batch", [1, 3])
def test_onnx_file_says_the_same(batch):
    onnxruntime = pytest.importorskip("onnxruntime")
    from hybridize.tools.peers import onnx_model

    layers, x = workloads.layers_and_input(batch)
    session = onnxruntime.InferenceSession(onnx_model.mlp(layers, x), providers=["CPUExecutionProvider"])
    numpy.testing.assert_allclose(
        session.run(None, {"x": x})[0], workloads.expected_mlp(layers, x), rtol=1e-3, atol=1e-3
    )


def test_litert_file_says_the_same():
    pytest.importorskip("ai_edge_litert")
    from hybridize.tools.peers import litert

    layers, x = workloads.layers_and_input(3)
    prepared = litert.mlp(layers, x)()
    found = prepared.read(prepared.function(*prepared.arguments))
    numpy.testing.assert_allclose(found, workloads.expected_mlp(layers, x), rtol=1e-3, atol=1e-3)
