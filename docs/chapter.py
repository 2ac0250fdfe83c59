"""The chapter's notebook, run here, and a page of it for the guide.

python docs/chapter.py        runs examples/chapter_gluon.ipynb, keeps what it gives, and rewrites guide/chapter.md
python docs/chapter.py page   rewrites the page only, from what the notebook holds

Times are those of the machine that ran it. Pictures of the page lie beside it.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

DOCS = Path(__file__).parent
NOTEBOOK = DOCS.parent / "examples" / "chapter_gluon.ipynb"
PAGE = DOCS / "guide" / "chapter.md"
SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def run() -> None:
    """Run the notebook in a folder of its own, and keep its outputs in it."""
    notebook = nbformat.read(NOTEBOOK, 4)
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}})
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when each cell ran
    notebook.metadata.pop("language_info", None)
    text: str = nbformat.writes(notebook)
    NOTEBOOK.write_text(text.replace(f"{DOCS.parent}/", "") + "\n", encoding="utf-8")  # where the package lies here


def page(notebook: Any) -> tuple[str, dict[str, str]]:
    """Return the page, and the pictures that it shows, by the names of their files."""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source.strip()}\n```")
        for output in cell.outputs:
            text = output.text if output.output_type == "stream" else output.data.get("text/plain", "")
            if text.strip():
                parts.append(f"```text\n{ANSI.sub('', text.replace(chr(13), '')).rstrip()}\n```")
            html = output.data.get("text/html", "") if output.output_type != "stream" else ""
            for svg in SVG.findall(html):
                name = f"chapter-{len(pictures) + 1}.svg"
                pictures[name] = (
                    svg if "xmlns=" in svg else svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
                )
                parts.append(f"![what is computed]({name})")
    note = "[The notebook](../../examples/chapter_gluon.ipynb), as it ran; written by `docs/chapter.py`."
    head, _, rest = parts[0].partition("\n")
    parts[0] = f"{head}\n\n{note}\n{rest}"
    return "\n\n".join(parts) + "\n", pictures


def write() -> None:
    """Write the page and its pictures."""
    text, pictures = page(nbformat.read(NOTEBOOK, 4))
    PAGE.write_text(text, encoding="utf-8")
    for name, svg in pictures.items():
        (PAGE.parent / name).write_text(svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        run()
    write()
