"""A writer that is killed leaves the old files or the new ones, each of them whole; see kill_writers.py.

What is promised: an archive is the old one or the new one. Of formats of several files each is the old one or the new
one, and between two renames there may be some of each; a library with the weights of another, and a pair of MXNet's
whose sizes do not fit, are refused. What a killed writer leaves besides is one file or folder `.NAME.*.part`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def killed(folder, format, mode, count, seed=1):
    command = [sys.executable, HERE / "kill_writers.py", format, mode, str(count), str(seed), folder]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HYBRIDIZE_CACHE": "0"})
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def needs(format, system):
    if format == "wasm":
        system("node")
    assert shutil.which("cc")


@pytest.mark.parametrize(
    ("format", "count"),
    [
        ("archive", 7),
        ("mxnet", 4),
        *(pytest.param(*one, marks=pytest.mark.long) for one in (("beside", 5), ("wasm", 4))),
    ],
)
def test_a_writer_that_is_killed(tmp_path, system, format, count):
    """At twenty of the operations on files that writers do."""
    needs(format, system)
    found = killed(tmp_path, format, "steps", count)
    assert found["killed"] == min(count, found["steps"])


@pytest.mark.long
@pytest.mark.parametrize("format", ["archive", "mxnet", "library", "beside", "object", "wasm"])
def test_a_writer_that_is_killed_at_every_step(tmp_path, system, format):
    """Before each of its operations on files."""
    needs(format, system)
    found = killed(tmp_path, format, "steps", 1000)
    assert found["killed"] == found["steps"] >= 5
    assert found["old"] and found["new"]


@pytest.mark.long
@pytest.mark.parametrize(("format", "count"), [("archive", 100), ("mxnet", 40), ("beside", 30), ("wasm", 30)])
def test_a_writer_that_is_killed_at_any_time(tmp_path, system, format, count):
    """Two hundred times, after a while that is drawn."""
    needs(format, system)
    found = killed(tmp_path, format, "times", count)
    assert found["killed"] == count
