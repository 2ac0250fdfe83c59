"""Instruction counts: what is read from callgrind, and (long) that neither calls nor compiling became more expensive."""

import importlib.util
import json
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "instructions.py"


@pytest.fixture(scope="module")
def instructions():
    spec = importlib.util.spec_from_file_location("instructions", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_call_is_the_difference_of_two_loops(instructions):
    assert instructions.per_repetition({500: 1_000_700, 1000: 2_000_700}) == 2000
    assert instructions.per_repetition({1: 5}) == 5


def test_what_is_worse_is_named(instructions):
    stored = {"call": 1000, "compile": 100}
    assert instructions.worse({"call": 1029, "compile": 50, "new": 7}, stored) == []
    assert instructions.worse({"call": 1031}, stored) == ["call: 1,031 instructions, 1,000 stored"]
    assert "| call | 1,100 | 1,000 | +10.00% |" in instructions.table({"call": 1100}, stored)


def test_counts_of_other_versions_are_not_compared(instructions):
    now = {"versions": instructions.versions()}
    assert instructions.comparable(now) == ""
    assert "numpy 1.0 then" in instructions.comparable({"versions": {**now["versions"], "numpy": "1.0"}})


def test_stored_counts_are_whole(instructions):
    stored = json.loads(instructions.STORED.read_text())
    assert set(stored["versions"]) == set(instructions.versions())
    assert all(count > 0 for count in stored["counts"].values())
    assert any(name.startswith("call") for name in stored["counts"])
    assert any(name.startswith("compile") for name in stored["counts"])


@pytest.mark.long
def test_counts_repeat_and_are_not_worse(instructions):
    if not instructions.available():
        pytest.skip("valgrind on x86-64 Linux is needed")
    first, second = (instructions.counted("call: x + 1, compiled") for _ in range(2))
    assert first == pytest.approx(second, rel=1e-3)
    stored = json.loads(instructions.STORED.read_text())
    if instructions.comparable(stored):
        pytest.skip(f"stored counts are of other versions: {instructions.comparable(stored)}")
    assert instructions.worse(instructions.counted(), stored["counts"]) == []
