"""The model of the live demo: the tutorial's programs are run, and what they write goes into the site."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = re.compile(r"```python\n(# (\w+\.py)\n.*?)```", re.DOTALL)
WRITTEN = ("lenet.wasm", "lenet.mjs", "samples.json")


def build(root: Path, folder: Path) -> list[Path]:
    """Train the tutorial's net, unless its program is the one that was trained, export it, and return the files.

    Args:
        root: the repository.
        folder: where the programs run; the weights stay there for the next time.
    """
    programs = {name: text for text, name in PROGRAM.findall((root / "docs/tutorials/lenet.md").read_text("utf-8"))}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs.items():
        (folder / name).write_text(text, encoding="utf-8")
    digest = hashlib.sha256((programs["net.py"] + programs["train.py"]).encode()).hexdigest()
    trained = folder / "trained"
    if not trained.is_file() or trained.read_text() != digest:
        _run(folder, "train.py")
        trained.write_text(digest)
    _run(folder, "to_web.py")
    return [folder / name for name in WRITTEN]


def _run(folder: Path, program: str) -> None:
    """Run a program, and show what it prints only where it fails."""
    done = subprocess.run([sys.executable, program], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program} of docs/tutorials/lenet.md failed:\n{done.stdout}{done.stderr}")
