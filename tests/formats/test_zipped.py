# SPDX-License-Identifier: Apache-2.0
"""The package imported from an archive: exports are run and compared there, too."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hybridize
from hybridize.formats.checking import node

EXPORTING = """
import hybridize, sys
from hybridize import np
assert ".zip" in hybridize.__file__
fast = hybridize.hybridize(lambda x: x * 2 + 1)
fast(np.ones((2, 3)))
for format in sys.argv[2:]:
    print(fast.export(sys.argv[1], format=format).checks)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("zipped") / "package.zip"
    root = Path(hybridize.__file__).parent
    with zipfile.ZipFile(path, "w") as made:
        for file in sorted(root.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                made.write(file, Path("hybridize") / file.relative_to(root))
    return path


def test_exports_are_checked(archive, tmp_path):
    formats = ["archive", "library", "wheel", *(["wasm"] if node() else [])]
    done = subprocess.run(
        [sys.executable, "-c", EXPORTING, str(tmp_path / "model"), *formats],
        env={**os.environ, "PYTHONPATH": str(archive)}, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [line.count("as expected") > 0 for line in done.stdout.splitlines()] == [True] * len(formats)
