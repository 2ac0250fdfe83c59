"""What docs/internals/adding-a-target.md says is so: its row is added to a copy of the package, and programs run on it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hybridize.codegen.levels import runnable

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "adding-a-target.md").read_text(encoding="utf-8")
RUN = """
import sys
import numpy
sys.path.insert(0, {folder!r})
from models import convolutions, gelu_of_layer_norm, integers, lenet, mlp, recurrence, resnet18, sixteen_bits, softmax, turned
from models import attention, check
from hybridize.codegen.levels import runnable
from hybridize.compiler import compile as compiled, default_target
from hybridize.ops import evaluate

target = default_target()
assert target.name == "toy" and (target.registers, target.vector_bytes) == (12, 32) and "toy" in runnable()
jobs = [mlp(1), mlp(7), mlp(64), gelu_of_layer_norm(33, 70), softmax(9, 101), recurrence(), integers(), turned(),
        convolutions(), lenet(), resnet18(), attention(), *map(sixteen_bits, ("float16", "bfloat16"))]
for graph, inputs in jobs:
    check(graph, compiled(graph, target).run(inputs), evaluate(graph, inputs))
print(len(jobs), "programs")
"""


@pytest.mark.skipif("avx2" not in runnable(), reason="the toy target has instructions of avx2")
def test_the_page_is_played(tmp_path):
    shutil.copytree(ROOT / "hybridize", tmp_path / "hybridize", ignore=shutil.ignore_patterns("__pycache__"))
    ((name, row),) = re.findall(r"In `(hybridize/[\w/]+\.py)`.*?```python\n(.*?)```", PAGE, re.DOTALL)
    file = tmp_path / name
    text = file.read_text(encoding="utf-8")
    table = re.search(r"^_NAMED = \{\n(.*?)^\}\n", text, re.MULTILINE | re.DOTALL)
    file.write_text(text[: table.end(1)] + row + text[table.end(1) :], encoding="utf-8")
    code = RUN.format(folder=str(ROOT / "tests" / "targets"))
    environment = {"HYBRIDIZE_TARGET": "toy", "HYBRIDIZE_CACHE": "0", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "programs" in done.stdout


def test_the_page_tells_every_field():
    from hybridize.machine.target import Target

    rows = {
        name
        for line in PAGE.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert rows >= {name for name in Target.__dataclass_fields__ if name not in ("name", "pointer_bytes")}
