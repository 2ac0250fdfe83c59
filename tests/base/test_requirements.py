# SPDX-License-Identifier: Apache-2.0
"""What the package asks of the NumPy that it finds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hybridize

ROOT = Path(hybridize.__file__).parent.parent


@pytest.mark.parametrize("version", ["1.26.4", "1.9", "2.0.0", "3.1.dev0"])
def test_another_numpy(version, tmp_path):
    """A NumPy before 2 is named, with the remedy, before anything of it is asked for."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text(f"__version__ = {version!r}\n")
    done = subprocess.run(
        [sys.executable, "-c", "import hybridize"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True, text=True,
    )  # fmt: skip
    last = done.stderr.strip().splitlines()[-1]
    words = f"ImportError: hybridize needs NumPy >= 2, found {version}: pip install 'numpy>=2'"
    assert (last == words) is version.startswith("1.")
