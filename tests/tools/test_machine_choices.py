"""`hybridize machine`: the choices, where each comes from, and measuring anew."""

import pytest
from typer.testing import CliRunner

from hybridize import system
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError
from hybridize.compiler import default_target, host, measured
from hybridize.compiler.measured import MeasuredChoices
from hybridize.machine.choices import CHOICES
from hybridize.tools.application import application


@pytest.fixture(autouse=True)
def asked(tmp_path, monkeypatch):
    """A machine of which each measuring finds something else."""
    results = []

    def measure(told):
        fields = {field: values[len(results) % len(values)] for field, values in CHOICES.items()}
        results.append(MeasuredChoices(fields, {"unroll": {1: 1.25}}, 0.04))
        return results[-1]

    monkeypatch.setattr(measured, "_measured", measure)
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(CONFIG, "machine", "")
    return results


def shown(*arguments):
    done = CliRunner().invoke(application, ["machine", *arguments], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.output.splitlines() if "│" in line]
    return {row[0]: row[1:] for row in rows}, done.output


def test_what_was_measured(asked):
    rows, text = shown()
    first = default_target()
    assert len(asked) == 1
    assert rows["unroll"] == [str(first.unroll), "measured", str(host.host_target().unroll), "1: 1.25 ×"]
    assert rows["l2_bytes"][0] == str(first.l2_bytes)
    assert "measured in 40 ms" in text
    assert shown()[0] == rows
    assert len(asked) == 1
    rows, _ = shown("--again")
    assert len(asked) == 2
    assert rows["packs_from"][:2] == [str(asked[1].fields["packs_from"]), "measured"]
    assert default_target().unroll == asked[1].fields["unroll"] != first.unroll


def test_the_processor_is_not_what_code_is_tuned_for(monkeypatch):
    """Code for AArch64 is ordered as for one model, whichever this is."""
    monkeypatch.setattr(system, "processor_name", lambda: "Neoverse-N1")
    monkeypatch.setattr(CONFIG, "target", "aarch64")
    _, text = shown()
    assert "machine: aarch64, tuned for cortex-a72, LLVM" in text
    assert "processor: Neoverse-N1" in text
    monkeypatch.setattr(system, "processor_name", lambda: "")
    assert "processor: unknown" in shown()[1]


def test_what_the_user_says(monkeypatch):
    monkeypatch.setattr(CONFIG, "machine", "unroll=4")
    rows, _ = shown()
    assert rows["unroll"][:2] == ["4", "HYBRIDIZE_MACHINE"]
    assert rows["packs_from"][1] == "measured"
    monkeypatch.setattr(CONFIG, "machine", "unroll=5")
    with pytest.raises(ArgumentError, match="E392"):
        CliRunner().invoke(application, ["machine"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("machine", "table", "nothing is measured"),
        ("target", "baseline", "named targets go by the table"),
        ("cache", False, "HYBRIDIZE_CACHE=0"),
    ],
)
def test_why_the_table_counts(asked, monkeypatch, name, value, why):
    monkeypatch.setattr(CONFIG, name, value)
    rows, text = shown()
    assert why in text
    assert rows["unroll"][1] in ("table", "default")
    assert rows["unroll"][0] == rows["unroll"][2]
    assert not asked
    rows, text = shown("--again")  # which may be asked for all the same
    assert "1: 1.25 ×" in text
    assert rows["unroll"][0] == rows["unroll"][2]
    assert len(asked) == 1
