"""What a test needs of the system is there, or the test fails; it is skipped only where the user has said so."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BODY = """
def test_there(system):
    system("sh", "/bin/sh", check=["sh", "-c", "true"])

def test_no_program(system):
    system("sh", "a-program-that-nobody-has")

def test_no_tool_chain(system):
    system("proxy-without-a-tool-chain")

def test_no_file(system):
    system("/there/is/no/such.jar")

def test_no_module(system):
    system("sh", check=["sh", "-c", "false"])
"""


@pytest.fixture
def run(pytester, monkeypatch):
    shutil.copy(ROOT / "tests" / "conftest.py", pytester.path / "conftest.py")
    pytester.makepyfile(test_needs=BODY)
    proxy = pytester.path / "bin" / "proxy-without-a-tool-chain"
    proxy.parent.mkdir()
    proxy.write_text("#!/bin/sh\necho no default tool chain is set >&2\nexit 1\n")
    proxy.chmod(0o755)
    monkeypatch.setenv("PATH", str(proxy.parent), prepend=os.pathsep)
    return lambda: pytester.runpytest_subprocess("-rs")


def test_what_is_missing_fails(run, monkeypatch):
    monkeypatch.delenv("SYSTEM", raising=False)
    result = run()
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(["*not here: a-program-that-nobody-has; run examples/deploy/install.sh*"])
    result.stdout.fnmatch_lines(["*not here: proxy-without-a-tool-chain; run *"])
    result.stdout.fnmatch_lines(["*not here: sh -c false;*"])


def test_the_user_may_go_without(run, monkeypatch):
    monkeypatch.setenv("SYSTEM", "0")
    result = run()
    result.assert_outcomes(passed=1, skipped=4)
    result.stdout.fnmatch_lines(["*SKIPPED*not here: /there/is/no/such.jar;*"])
