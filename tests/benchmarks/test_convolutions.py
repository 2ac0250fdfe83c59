"""The benchmark of single convolutions: which layers it measures, and that both sides compute them."""

import runpy
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def convolutions(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import convolutions

    yield convolutions
    for name in ("convolutions", "paired"):
        sys.modules.pop(name, None)


def test_forty_different_layers_of_all_networks(convolutions):
    cases = convolutions.cases()
    assert len(cases) == len(set(cases)) == 40
    assert {case.net for case in cases} == {"lenet", "resnet18", "mobilenet_v2", "densenet121"}
    assert {case.kernel for case in cases} == {1, 3, 5, 7}
    assert any(case.groups > 1 for case in cases)
    assert any(case.stride > 1 for case in cases)
    assert max(case.flops for case in cases) == 2 * 112**2 * 64 * 3 * 49


@pytest.mark.parametrize("number", [0, 3])
def test_both_sides_compute_a_layer(convolutions, number):
    found = convolutions.measure(convolutions.cases()[number], rounds=1, sample_s=1e-5)
    assert found.ratio > 0
    assert found.ours > 0 < found.theirs


def test_a_wrong_result_is_an_error(convolutions, monkeypatch):
    monkeypatch.setattr(convolutions, "TOLERANCE", -1)
    with pytest.raises(SystemExit, match="ours is wrong"):
        convolutions.measure(convolutions.cases()[0], rounds=1)


@pytest.mark.parametrize("name", ["convolutions", "products"])
def test_scripts_explain_themselves(name, convolutions, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    assert not left.value.code
    assert "oneDNN" in capsys.readouterr().out
