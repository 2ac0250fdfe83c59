"""Outcomes of runs in emulators, that of a test whatever its name."""

import json

import pytest

from tests.platforms import recording

QUOTED = 'tests/array/test_b.py::test_text[say "x" \\ é]'


@pytest.fixture
def path(tmp_path):
    """What a run leaves: three tests passed, were skipped, failed; a fourth ended its process."""
    path = tmp_path / "results"
    said = [("passed", QUOTED), ("skipped", "tests/a/test_a.py::test_s"), ("failed", 'tests/a/test_a.py::test_f["]')]
    lines = [line for outcome, name in said for line in ([name, "began", ""], [name, outcome, "why"])]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, ["tests/a/test_a.py::test_d", "began", ""]]))
    return path


def test_what_did_not_pass_runs_again(path):
    assert recording.results(path)["tests/a/test_a.py::test_d"][0] == "died"
    recording.run_again(path)
    assert recording.results(path) == {QUOTED: ("passed", "why"), "tests/a/test_a.py::test_s": ("skipped", "why")}


def test_each_folder_is_a_row_and_what_did_not_pass_is_named(path):
    rows, named = recording.table(recording.results(path)).split("\n\n")
    assert rows.splitlines()[2:] == ["| a | 0 | 1 | 1 | 1 |", "| array | 1 | 0 | 0 | 0 |", "| all | 1 | 1 | 1 | 1 |"]
    assert [line.split(": ")[1] for line in named.splitlines()] == ["failed", "died"]
