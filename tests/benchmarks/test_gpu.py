"""The script for a GPU runs on a stand-in, so that it does not fail for a silly reason on a real one."""

import sys
from pathlib import Path

import pytest

from tests.runtime.cuda.conftest import kernels as kernels
from tests.runtime.cuda.conftest import standin as standin
from tests.runtime.cuda.conftest import standin_library as standin_library

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def gpu(monkeypatch, kernels):
    monkeypatch.syspath_prepend(str(HERE))
    import gpu

    yield gpu
    sys.modules.pop("gpu", None)


def printed(gpu, capsys, *arguments):
    failed = gpu.main(["--small", *arguments])
    text = capsys.readouterr().out
    assert not failed, text
    assert max(map(len, text.splitlines())) <= gpu.WIDTH, text
    return text


@pytest.mark.long
def test_bits(gpu, capsys):
    lines = printed(gpu, capsys, "--only", "bits").splitlines()
    rows = {line.split("  ")[0]: line.split()[-2:] for line in lines[4:-2]}
    assert rows.pop("sum of rows") and rows.pop("softmax")  # of which sums have another order
    assert set(rows) > {"exp", "product 40 x 36 x 20", "np.random.normal"}
    assert {name for name, (same, _) in rows.items() if same != "all"} == set()


@pytest.mark.long
def test_all_other_parts(gpu, capsys, monkeypatch):
    monkeypatch.setattr(gpu, "_in_child", lambda arguments, environment: "1.5 2.5 3.5\n")
    text = printed(gpu, capsys, "--only", "machine,kernels,graphs,speeds,faults,compiling")
    for words in (
        "Stand-in 0", "sm_90", "CUDA 12.4, driver 550.54.12040", "a graph of 30", "MLP, batch 4", "product, 32, bfloat16",
        "MLP, a step of training", "E706", "second process",
    ):  # fmt: skip
        assert words in text
    registers = [line for line in text.splitlines() if line.split()[-2:] == ["32", "16"]]
    assert len(registers) > 5


def test_graphs(gpu, capsys):
    text = printed(gpu, capsys, "--only", "graphs")
    assert "a graph of 30" in text and "copy 64 bytes out" in text


def test_markdown_has_a_table_for_each_part(gpu, capsys):
    assert gpu.main(["--small", "--only", "machine", "--markdown"]) == 0
    assert "| architecture | sm_90 |" in capsys.readouterr().out


def test_a_part_that_fails_takes_none_with_it(gpu, capsys, monkeypatch):
    def broken(bench):
        yield "one", "row"
        raise KeyError("words of the error")

    monkeypatch.setitem(gpu.PARTS, "bits", (broken, ("a", "b")))
    assert gpu.main(["--small", "--only", "bits,machine"]) == 1
    text = capsys.readouterr().out
    assert "one  row" in text and "KeyError: 'words of the error'" in text and "sm_90" in text
    assert text.endswith("failed: bits\n")


def test_a_fault_is_told(gpu, capsys, kernels):
    assert gpu.main(["--small", "--fault"]) == 0
    text = capsys.readouterr().out
    assert "E707: the GPU has failed (" in text and "arrays there say so, too" in text
    kernels.faults.clear()


def test_no_part_begins_after_the_time_is_over(gpu, capsys):
    assert gpu.main(["--small", "--only", "speeds", "--minutes", "0"]) == 0
    assert "no time left" in capsys.readouterr().out
