"""The chapter's PyTorch tab as a notebook: its very lines, run by a kernel, with what they have to print."""

import hashlib
import re
from pathlib import Path

import nbclient
import nbformat

NOTEBOOK = Path(__file__).parents[2] / "examples" / "chapter_torch.ipynb"
CHAPTER = "e8a383515f026b82d922e0d7aa6e2073928c8b80755ce85816be4b096c23610b"
"""Digest of the code of the chapter's cells, one after the other."""
OWN = 3
"""Cells that are not the chapter's: our import, what stands for its package, and at the end loading."""


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell):
    assert not any(output.output_type == "error" for output in cell.outputs)
    texts = [output.text if output.output_type == "stream" else output.data["text/plain"] for output in cell.outputs]
    return "".join(texts)


def test_its_lines_are_the_chapters():
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    ours, stand_in, *chapter, _ = [cell.source for cell in cells]
    assert len(cells) == 7 + OWN and ours == "from hybridize import hybridize"
    assert len(stand_in.splitlines()) == 3
    written = "\n".join(chapter).replace("= hybridize(", "= torch.jit.script(")
    assert hashlib.sha256(written.encode()).hexdigest() == CHAPTER
    assert not any(cell.outputs for cell in cells), "it is kept without outputs"


def test_it_runs(tmp_path):
    notebook = nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    _, _, imperative, symbolic, eager, compiled, _, timed, saved, loaded = map(printed, code_cells(notebook))
    assert imperative == "10\n" and symbolic.endswith("print(fancy_func(1, 2, 3, 4))\n10\n")

    def numbers(text):
        return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]

    assert "grad_fn" in eager and "grad_fn" in compiled
    for found, expected in zip(numbers(compiled), numbers(eager), strict=True):
        assert abs(found - expected) < 2e-4  # of the four digits that are printed
    assert re.fullmatch(r"Without torchscript: \d+\.\d{4} sec\nWith torchscript: \d+\.\d{4} sec\n", timed)
    assert "my_mlp" in saved and (tmp_path / "my_mlp").stat().st_size > 600_000
    assert len(numbers(loaded)) == 2
