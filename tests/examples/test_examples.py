"""What a newcomer runs first: the demo, and the code of the README and the guide, which gives what it says."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
PAGES.remove(ROOT / "docs" / "guide" / "deploy.md")  # several programs and languages: test_deploy_guide.py plays it
PAGES.remove(ROOT / "docs" / "guide" / "bring-a-library-over.md")  # needs libraries: test_gluon_libraries.py plays it
PAGES.remove(ROOT / "docs" / "guide" / "chapter.md")  # a notebook: test_notebook.py plays it
for page in ("jax", "saved-models", "tensorflow", "tflite"):
    PAGES.remove(ROOT / "docs" / "guide" / f"{page}.md")  # files and libraries of others: tests of the doors have them
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SAID = re.compile(r"#\s+((?:[\[({'\"\d-]|array\(|True|False|None).*)$")
"""A comment that begins with a value."""

IMPORTS = """import numpy
from hybridize import hybridize, load, np, npx
from hybridize.gluon import nn
"""
TORCH = "import torch\nmodule, tensor = torch.nn.Linear(4, 2), torch.ones(1, 4)\nx = tensor\n"
NET = "net, x = nn.Dense(2), np.ones((1, 4))\nnet.initialize()\nnet.hybridize()\nnet(x)\n"
BEFORE = {"README.md": TORCH, "docs/guide/pytorch.md": IMPORTS + TORCH}
"""What the text around the code of a page has said already; elsewhere there are a net and its input."""

COMPARE = """
def said(value, comment):
    texts = [text.replace("'", '"') for text in (str(value), repr(value))]
    assert comment.replace("'", '"').startswith(tuple(texts)), f"{value} is not {comment}"

"""


def checked(code: str) -> str:
    """The code, with each value that a comment tells compared with it."""
    lines = code.splitlines()
    for node in reversed(ast.parse(code).body):
        comment = SAID.search(lines[node.end_lineno - 1])
        if not isinstance(node, ast.Expr) or comment is None:
            continue
        value = ast.get_source_segment(code, node.value)
        if value.startswith("print("):
            value = f"str({value[len('print(') :]}"
        lines[node.lineno - 1 : node.end_lineno] = [f"said({value}, {comment[1]!r})"]
    return "\n".join(lines)


def run(*arguments: str | Path, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_demo(tmp_path):
    shown = run(ROOT / "examples" / "chapter_mlp.py", tmp_path / "out", cwd=tmp_path)
    assert "All results are the same." in shown
    assert '"nodes"' in shown
    files = ["libmy_mlp.so", "my_mlp-0000.params", "my_mlp-symbol.json", "my_mlp.h"]
    programs = {"main", "main.c"}
    assert sorted({path.name for path in (tmp_path / "out").iterdir()} - programs) == files
    assert "from C: largest difference" in shown or shutil.which("cc") is None


def test_c_of_the_readme(tmp_path, system):
    """Its ten lines run the library that its Python exports."""
    system("cc")
    text = (ROOT / "README.md").read_text()
    made = text[text.index("## Thirty seconds") :]
    python = BLOCK.search(made)[1] + 'net.export("my_mlp", format="library")\nprint(*net(np.zeros((1, 512)))[0])\n'
    (tmp_path / "page.py").write_text(python)
    expected = [float(word) for word in run("page.py", cwd=tmp_path).split()]
    (fragment,) = re.findall(r"```c\n(.*?)```", text, re.DOTALL)
    shown = 'printf("%.9g %.9g\\n", output[0], output[1]);'
    program = f'#include <stdio.h>\n#include "my_mlp.h"\nint main(void) {{\n{fragment}{shown}return code;\n}}\n'
    (tmp_path / "main.c").write_text(program)
    build = ["cc", "-Wall", "-Werror", "main.c", "-o", "main", "-L.", "-lmy_mlp", "-Wl,-rpath,."]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [float(word) for word in done.stdout.split()] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_pages(page, tmp_path):
    code = "\n".join(map(checked, BLOCK.findall((ROOT / page).read_text())))
    (tmp_path / "page.py").write_text(COMPARE + BEFORE.get(page, IMPORTS + NET) + code)
    run("page.py", cwd=tmp_path)


def test_what_a_comment_says_is_compared(tmp_path):
    (tmp_path / "right.py").write_text(
        COMPARE + checked("1 + 1  # 2\nprint('a')  # 'a'\n(1, 2)  # (1, 2): a pair\n'x'  # not a value\n")
    )
    run("right.py", cwd=tmp_path)
    (tmp_path / "wrong.py").write_text(COMPARE + checked("1 + 1  # 3\n"))
    with pytest.raises(AssertionError, match="2 is not 3"):
        run("wrong.py", cwd=tmp_path)
