"""What importing costs, and who may import whom."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules_after(statement: str) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after `statement`."""
    code = f"import sys\n{statement}\nprint(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_layers():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("heavy", ["llvmlite", "torch", "onnx", "typer", "rich", "hypothesis"])
def test_import_hybridize_does_not_load(heavy):
    assert heavy not in modules_after("import hybridize")


def test_runtime_alone_knows_no_compiler():
    """A package's `__init__` runs first, so the public surface is replaced by an empty one with the same folder."""
    alone = (
        "import types; package = types.ModuleType('hybridize'); package.__path__ = ['hybridize'];"
        "sys.modules['hybridize'] = package; import hybridize.runtime"
    )
    loaded = modules_after(alone)
    assert "llvmlite" not in loaded
    ours = {name.split(".")[1] for name in loaded if name.startswith("hybridize.")}
    assert ours <= {"runtime", "base"}
