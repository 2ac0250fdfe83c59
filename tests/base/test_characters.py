"""Characters that not every output has: outputs of Windows have those of a code page."""

import os
import subprocess
import sys

import pytest

from hybridize.base.characters import printable

PROGRAM = """
from hybridize import hybridize, np
from hybridize.runtime import feature_list
f = hybridize(lambda x: np.dot(x, x).sum())
print(feature_list()[0])
x = np.ones((256, 256))
print(f.program(x).explain())
"""


@pytest.mark.parametrize(("encoding", "text"), [("cp1252", "<="), ("ascii", "<="), ("utf-8", "≤"), (None, "≤")])
def test_a_plain_text_stands_in_where_the_output_lacks_a_character(monkeypatch, encoding, text):
    class Output:
        pass

    Output.encoding = encoding
    monkeypatch.setattr(sys, "stdout", Output())
    assert printable("≤", "<=") == text


def test_reports_are_printed_on_an_output_of_windows():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, env={**os.environ, "PYTHONIOENCODING": "cp1252"}
    )
    assert done.returncode == 0, done.stderr.decode()
    mark, _, report = done.stdout.decode("cp1252").partition("\n")
    assert mark[0] in "+-" and "kernel" in report
