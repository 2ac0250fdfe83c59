"""The chapter's tabs as notebooks: their very lines, run by a kernel, with what they have to print."""

import hashlib
import importlib.util
import itertools
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbclient
import nbformat
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
TORCH, GLUON, TENSORFLOW = "chapter_torch.ipynb", "chapter_gluon.ipynb", "chapter_tensorflow.ipynb"
CHAPTER = {
    TORCH: "e8a383515f026b82d922e0d7aa6e2073928c8b80755ce85816be4b096c23610b",
    GLUON: "957f99f9b5cc53e026d07825896eef9a3719c6cbf09e0eec04904c761e19fb9d",
}
"""Digests of the code of the chapter's cells, one after the other."""
OURS = {TORCH: (2, 1), GLUON: (0, 2), TENSORFLOW: (2, 2)}
"""Cells that are not the chapter's, at the beginning and at the end: our import and what stands for the book's package;
loading, and looking at what was made.
"""
RENAMED = {
    TORCH: {"= hybridize(": "= torch.jit.script("},
    TENSORFLOW: {"= hybridize(": "= tf.function("},
    GLUON: {
        "from hybridize import d2l": "from d2l import mxnet as d2l",
        "from hybridize import np": "from mxnet import np",
        "from hybridize.gluon import nn": "from mxnet.gluon import nn",
    },
}


def read(name):
    return nbformat.read(EXAMPLES / name, 4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(name, folder):
    """The outputs of each cell, as text."""
    notebook = read(name)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return code_cells(notebook)


def printed(cell):
    assert not any(output.output_type == "error" for output in cell.outputs)
    texts = [output.text if output.output_type == "stream" else output.data["text/plain"] for output in cell.outputs]
    return "".join(texts)


def kinds_of_output(cell):
    """What a cell gives, in order; what it prints is one output, though a busy machine hands it over in parts."""
    return [kind for kind, _ in itertools.groupby((one.output_type, one.get("name")) for one in cell.outputs)]


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+\.\d+(?:e-\d+)?", text)]


@pytest.mark.parametrize("name", CHAPTER)
def test_its_lines_are_the_chapters(name):
    notebook = read(name)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    first, last = OURS[name]
    written = "\n".join(cell.source for cell in cells[first : len(cells) - last])
    for ours, theirs in RENAMED[name].items():
        assert ours in written
        written = written.replace(ours, theirs)
    assert hashlib.sha256(written.encode()).hexdigest() == CHAPTER[name]
    if name == GLUON:
        kept = [output for cell in cells for output in cell.outputs]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), "run as a whole, in order"
        assert not any(output.output_type == "error" for output in kept)
        assert "site-packages" not in str(kept) and str(EXAMPLES.parent) not in str(kept), "no path of a machine"
    else:
        assert not any(cell.outputs for cell in cells), "it is kept without outputs"


def test_the_page_is_what_the_notebook_holds():
    spec = importlib.util.spec_from_file_location("chapter", EXAMPLES.parent / "docs" / "chapter.py")
    chapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(chapter)
    text, pictures = chapter.page(read(GLUON))
    assert chapter.PAGE.read_text() == text, "run `python docs/chapter.py page`"
    assert len(pictures) == 1
    for name, svg in pictures.items():
        assert (chapter.PAGE.parent / name).read_text() == svg + "\n"
        boxes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
        assert len(list(boxes)) >= 7, "the data, three layers, two activations, the result"


@pytest.mark.parametrize("name", [TORCH, TENSORFLOW])
def test_what_stands_for_the_book_is_short(name):
    ours, stand_in, *_ = [cell.source for cell in code_cells(read(name))]
    assert ours == "from hybridize import hybridize"
    assert len(stand_in.splitlines()) == 3


def test_pytorchs_tab_runs(tmp_path):
    _, _, imperative, symbolic, eager, compiled, _, timed, saved, loaded = map(printed, executed(TORCH, tmp_path))
    assert imperative == "10\n" and symbolic.endswith("print(fancy_func(1, 2, 3, 4))\n10\n")
    assert "grad_fn" in eager and "grad_fn" in compiled
    for found, expected in zip(numbers(compiled), numbers(eager), strict=True):
        assert abs(found - expected) < 2e-4  # of the four digits that are printed
    assert re.fullmatch(r"Without torchscript: \d+\.\d{4} sec\nWith torchscript: \d+\.\d{4} sec\n", timed)
    assert "my_mlp" in saved and (tmp_path / "my_mlp").stat().st_size > 600_000
    assert len(numbers(loaded)) == 2


def test_gluons_tab_runs(tmp_path):
    cells = executed(GLUON, tmp_path)
    imperative, symbolic, first, compiled, _, timed, saved, head, _, *hybrid, same, report = map(printed, cells)
    assert imperative == "10\n" and symbolic.endswith("print(fancy_func(1, 2, 3, 4))\n10\n")
    for found, expected in zip(numbers(compiled), numbers(first), strict=True):
        assert abs(found - expected) < 2e-5
    assert re.fullmatch(r"Without hybridization: \d+\.\d{4} sec\nWith hybridization: \d+\.\d{4} sec\n", timed)
    assert "my_mlp-0000.params" in saved and "my_mlp-symbol.json" in saved
    assert head.startswith("{") and '"nodes"' in head
    plain, capturing, silent = hybrid
    assert re.search(r"module F: .*hybridize\.ndarray", plain)
    assert re.search(r"module F: .*hybridize\.symbol", capturing), "F is the symbols' module while capturing"
    assert "module F" not in silent, "no line of Python runs any more"
    assert numbers(silent) == numbers(capturing.splitlines()[-1])
    assert "True" in same
    assert re.search(r"In \[\d+\]:\d+", report), "lines of cells"
    assert "<svg" in cells[-1].outputs[0].data["text/html"]
    assert cells[-1].outputs[0].data["text/plain"].startswith("HybridSequential\n  takes"), (
        "the report, as it is printed"
    )
    names = [cell.source for cell in cells]
    assert [cell.source for cell in code_cells(read(GLUON))] == names, "the stored outputs are of these cells"
    stored = code_cells(read(GLUON))
    assert [kinds_of_output(cell) for cell in stored] == [kinds_of_output(cell) for cell in cells]


RUN = """
import json, sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": sys.argv[2]}}).execute()
print(json.dumps(nbformat.writes(notebook)))
"""


@pytest.mark.long
def test_tensorflows_tab_runs(tmp_path):
    root = EXAMPLES.parent
    command = [root / ".tensorflow" / "bin" / "python", "-c", RUN, EXAMPLES / TENSORFLOW, tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(root), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cells = code_cells(nbformat.reads(json.loads(done.stdout.splitlines()[-1]), 4))
    for cell in cells:  # Keras has advice on `input_shape`
        cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    shown = [printed(cell) for cell in cells]
    _, _, imperative, symbolic, eager, compiled, _, timed, saved, loaded, whole = shown
    assert imperative == "10\n" and symbolic.endswith("print(fancy_func(1, 2, 3, 4))\n10\n")
    for text in (eager, compiled):
        assert "tf.Tensor: shape=(1, 2), dtype=float32" in text
    for found, expected in zip(numbers(compiled), numbers(eager), strict=True):
        assert abs(found - expected) < 2e-6
    assert re.fullmatch(r"Eager Mode: \d+\.\d{4} sec\nGraph Mode: \d+\.\d{4} sec\n", timed)
    assert "saved_model.pb" in saved and (tmp_path / "my_mlp" / "saved_model.pb").exists()
    theirs, ours = numbers(loaded)[:2], numbers(loaded)[2:4]
    assert len(ours) == 2 and all(abs(x - y) < 2e-6 for x, y in zip(theirs, ours, strict=True))
    assert (tmp_path / "my_mlp.net").stat().st_size > 600_000
    assert "tf.Tensor: shape=(1, 2), dtype=float32" in whole
    for found, expected in zip(numbers(whole), theirs, strict=True):
        assert abs(found - expected) < 2e-6
