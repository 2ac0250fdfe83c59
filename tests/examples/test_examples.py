"""What a newcomer runs first: the demo, and the code of the README."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def run(*arguments: str | Path, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_demo(tmp_path):
    shown = run(ROOT / "examples" / "chapter_mlp.py", tmp_path / "out", cwd=tmp_path)
    assert "All results are the same." in shown
    assert '"nodes"' in shown
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["my_mlp-0000.params", "my_mlp-symbol.json"]


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_readme(block, tmp_path):
    code = BLOCKS[block]
    if "hybridize(module)" in code:
        names = "import torch\nfrom hybridize import hybridize\n"
        code = names + "module, tensor = torch.nn.Linear(4, 2), torch.ones(1, 4)\n" + code
    (tmp_path / "readme.py").write_text(code)
    run("readme.py", cwd=tmp_path)
