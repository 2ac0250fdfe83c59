"""MXNet's own unit tests on hybridize: what passes does not become less. They are fetched by hand, never committed.

git clone --branch 2.0.0.beta1 --depth 1 https://github.com/apache/mxnet CHECKOUT
MXNET_CHECKOUT=CHECKOUT python -m pytest -m long tests/suites
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "mxnet"
FLOORS = {
    "autograd": 0.7, "contrib_control_flow": 0.75, "gluon": 0.88, "gluon_control_flow": 0.9, "gluon_data": 0.9,
    "gluon_estimator": 0.85, "gluon_model_zoo": 0.95, "gluon_probability_v2": 0.9, "gluon_rnn": 0.9,
    "gluon_trainer": 0.95, "higher_order_grad": 0.93, "kvstore": 0.85, "loss": 0.8, "metric": 1.0,
    "numpy_gluon": 0.9, "numpy_loss": 0.95, "numpy_ndarray": 0.83, "numpy_op": 0.94, "optimizer": 0.9, "random": 0.9,
    "symbol": 0.95,
}  # fmt: skip
"""The least share of the cases of a file that pass, of those that run."""


@pytest.fixture(scope="module")
def suite():
    spec = importlib.util.spec_from_file_location("mxnet_suite", HERE / "suite.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_program_says_where_the_tests_are(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "MXNET_CHECKOUT"}
    run = subprocess.run(
        [sys.executable, HERE / "suite.py"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert run.returncode != 0
    assert "git clone --branch 2.0.0.beta1" in run.stderr


def test_outcomes_are_counted_and_causes_grouped(suite, tmp_path, capsys):
    lines = [
        '{"case": "test_a.py::test_x[1]", "outcome": "started"}',
        '{"case": "test_a.py::test_x[1]", "outcome": "passed"}',
        '{"case": "test_a.py::test_x[2]", "outcome": "failed", "error": "ValueError: got 17 of 0x7fa  [a.py:3]"}',
        '{"case": "test_a.py::test_x[2]", "outcome": "passed"}',
        '{"case": "test_a.py::test_x[3]", "outcome": "failed", "error": "ValueError: got 2.5 of 0x1  [b.py:9]"}',
        '{"case": "test_a.py::test_y", "outcome": "left out", "error": "a reason"}',
    ]
    (tmp_path / "a-0-of-1.jsonl").write_text("\n".join(lines))
    found = suite.outcomes([tmp_path / "a-0-of-1.jsonl"])
    assert {case: line["outcome"] for case, line in found.items()} == {
        "test_a.py::test_x[1]": "passed", "test_a.py::test_x[2]": "failed", "test_a.py::test_x[3]": "failed",
        "test_a.py::test_y": "left out",
    }  # fmt: skip
    suite.report(found, 5)
    text = capsys.readouterr().out
    assert "| test_a | 1 | 2 | 0 | 1 | 0 | 33.3 % |" in text
    assert "    2  ValueError: got N of ADDRESS" in text


def test_each_case_that_is_left_out_has_a_reason():
    lines = [line for line in (HERE / "left_out.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) > 40
    for line in lines:
        pattern, separator, reason = line.partition("  # ")
        assert separator, line
        assert pattern.startswith("test_"), line
        assert len(reason) > 10, line


@pytest.mark.long
@pytest.mark.parametrize("name", FLOORS)
def test_what_passes_does_not_become_less(suite, name, tmp_path):
    if "MXNET_CHECKOUT" not in os.environ:
        pytest.skip(f"MXNET_CHECKOUT says where MXNet's tests are; to get them: {suite.WHERE}")
    shard = "0/40" if name == "numpy_op" else "0/1"  # of eleven thousand cases every fortieth
    command = [sys.executable, HERE / "suite.py", "--files", name, "--shard", shard, "--out", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    found = suite.outcomes(tmp_path.glob("*.jsonl"))
    outcomes = [line["outcome"] for line in found.values()]
    run = [one for one in outcomes if one in ("passed", "failed", "not collected")]
    assert outcomes.count("left out") <= 0.6 * len(outcomes)
    assert run.count("passed") / len(run) >= FLOORS[name], suite.report(found, 20)
