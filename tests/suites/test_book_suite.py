"""The cells of the book's MXNet edition on hybridize: what passes does not become less. It is fetched by hand.

git clone --depth 1 https://github.com/d2l-ai/d2l-en CHECKOUT
D2L_CHECKOUT=CHECKOUT python -m pytest -m long tests/suites
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "book"
FLOOR = 0.97
"""The least share of the cells that pass, of sections that need no download."""
FLOOR_OF_STAND_INS = 0.9
"""The same of sections that run on small files of our own."""
SCRIPTS = (
    "linear-regression/linear-regression-scratch", "linear-regression/linear-regression-concise",
    "multilayer-perceptrons/mlp", "recurrent-neural-networks/sequence", "generative-adversarial-networks/gan",
)  # fmt: skip
SECTION = """# Our own section, in the form of the book's

```{.python .input}
%load_ext d2lbook.tab
tab.interact_select('mxnet', 'pytorch')
```

Text with `code`.

```{.python .input  n=1}
%%tab mxnet
%matplotlib inline
from d2l import mxnet as d2l
from mxnet import autograd, np, npx
npx.set_np()
```

```{.python .input}
%%tab pytorch
import torch
```

```{.python .input}
%%tab mxnet, pytorch
x = d2l.arange(4.0)
if tab.selected('mxnet'):
    x.attach_grad()
if tab.selected('pytorch'):
    x.requires_grad_(True)
```

```{.python .input}
%%tab all
def twice(x):
    if tab.selected('mxnet') or tab.selected('jax'):
        with autograd.record():
            if tab.selected('pytorch'):
                return None
            return (2 * x * x).sum()
    if tab.selected('pytorch'):
        return torch
twice(x)
```

```{.python .input}
#@tab mxnet
twice(x).backward()
assert x.grad.tolist() == [0, 4, 8, 12]
x.grad
```

```{.python .input}
#@tab mxnet
raise ValueError("cell 5 fails, at 0x7fa0")
```

```{.python .input}
#@tab mxnet
while True:
    pass
```

```{.python .input}
#@tab all
assert not hasattr(d2l, "no_such_name")
d2l.no_such_name
```

```{.python .input}
#@tab mxnet
import os
os._exit(3)
```

```{.python .input}
#@tab mxnet
"not reached"
```
"""


@pytest.fixture(scope="module")
def suite():
    spec = importlib.util.spec_from_file_location("book_suite", HERE / "suite.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sections(suite):
    return importlib.import_module("sections")


def test_the_program_says_where_the_book_is(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "D2L_CHECKOUT"}
    run = subprocess.run(
        [sys.executable, HERE / "suite.py"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert run.returncode != 0
    assert "git clone --depth 1 https://github.com/d2l-ai/d2l-en" in run.stderr


def test_cells_of_one_edition(sections):
    cells = sections.cells_of(SECTION)
    assert len(cells) == 9
    assert cells[0].startswith("%matplotlib inline\nfrom d2l")
    assert cells[1] == "x = d2l.arange(4.0)\nx.attach_grad()"
    assert cells[2] == "def twice(x):\n    with autograd.record():\n        return (2 * x * x).sum()\ntwice(x)"
    assert sections.cells_of(SECTION.replace("interact_select('mxnet', ", "interact_select(")) == []
    assert sections.cells_of("```{.python .input}\n#@tab pytorch\n1\n```") == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if tab.selected('pytorch'):\n    a = 1\nb = 2", "b = 2"),
        ("if tab.selected('pytorch'):\n    a = 1\nelse:\n    a = 2", "a = 2"),
        ("def f():\n    if tab.selected('jax'):\n        return 1", "def f():\n    pass"),
        ("if not tab.selected('jax', 'pytorch'):\n    if x:\n        y = '''a\n  b'''", "if x:\n    y = '''a\n  b'''"),
        ("if tab.selected('jax'):\n    a = 1\nelif tab.selected('mxnet'):\n    a = 2\nelse:\n    a = 3", "a = 2"),
    ],
)
def test_branches_of_other_editions_are_cut(sections, source, expected):
    assert sections.selected(source) == expected


def test_a_section_is_migrated_run_and_counted(suite, sections, tmp_path, capsys):
    chapter = tmp_path / "book" / "chapter_preliminaries"
    chapter.mkdir(parents=True)
    (tmp_path / "book" / "img").mkdir()
    (chapter / "ndarray.md").write_text(SECTION)
    out = tmp_path / "out"
    out.mkdir()
    checkout = suite.checkout_of(str(tmp_path / "book"), tmp_path)
    (section,) = sections.sections(checkout)
    suite.run_section(section, checkout, out, 2, 120)
    found = suite.gathered(sorted(out.glob("*.jsonl")))
    assert [line["outcome"] for line in found["preliminaries/ndarray"]] == ["passed"] * 4 + ["failed"] * 5
    errors = [line.get("error") for line in found["preliminaries/ndarray"]]
    assert errors[5] == "takes more than 2 s"
    assert errors[7:] == ["process ended by 3"] * 2, "cells that are not reached have failed"
    suite.report(found, 5)
    text = capsys.readouterr().out
    assert "| preliminaries/ndarray | 9 | 4 | 5 | 44.4 % |" in text
    assert "   1  ValueError: cell N fails, at ADDRESS" in text
    assert "no_such_name" in (out / "preliminaries--ndarray.log").read_text()


def test_each_section_that_downloads_has_a_reason(suite):
    listed = suite.reasons()
    assert len(listed) > 40
    for pattern, reason in listed:
        assert "/" in pattern
        assert len(reason) > 5, pattern
    assert suite.group_of("recurrent-modern/gru", listed) == ("stand-ins", "The Time Machine")
    assert suite.group_of("computer-vision/ssd", listed)[0] == "left out"
    assert suite.group_of("preliminaries/ndarray", listed) == ("plain", "")


# ---------------------------------------------------------------------------------------------------- the book itself


@pytest.fixture(scope="module")
def checkout(suite, tmp_path_factory):
    if "D2L_CHECKOUT" not in os.environ:
        pytest.skip(f"D2L_CHECKOUT says where the book's source is; to get it: {suite.WHERE}")
    return suite.checkout_of(os.environ["D2L_CHECKOUT"], tmp_path_factory.mktemp("checkout"))


@pytest.mark.long
def test_what_passes_does_not_become_less(suite, checkout, tmp_path):
    command = [sys.executable, HERE / "suite.py", "--checkout", checkout, "--out", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    found, listed = suite.gathered(tmp_path.glob("*.jsonl")), suite.reasons()
    for group, floor in (("plain", FLOOR), ("stand-ins", FLOOR_OF_STAND_INS)):
        lines = [line for name in found if suite.group_of(name, listed)[0] == group for line in found[name]]
        assert len(lines) > 250
        passed = sum(line["outcome"] == "passed" for line in lines)
        assert passed / len(lines) >= floor, suite.report(found, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_section_as_a_script_runs_once_migrated(suite, sections, checkout, name, tmp_path):
    """What `hybridize migrate` is for: one command, and the script runs to its end."""
    (section,) = [one for one in sections.sections(checkout) if one.name == name]
    script = tmp_path / "section.py"
    script.write_text(section.script())
    report = suite.migrated(script)
    assert "nothing left for a human" in report, report
    assert "mxnet" not in script.read_text()
    environment = {**os.environ, "PYTHONPATH": str(suite.ROOT), "MPLBACKEND": "agg"}
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
