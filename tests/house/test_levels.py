"""Tests of a level of x86-64 that this machine lacks are skipped, and say so; other machines' code is no excuse."""

from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BODY = """
from hybridize.codegen.llvm import engine
from hybridize.machine.target import named_target

engine.runnable = lambda: ("baseline",)

def compiled(name):
    engine.compile_module("define void @f() {\\n  ret void\\n}\\n", named_target(name))

def test_level():
    compiled("avx512")

def test_machine():
    compiled("aarch64")
"""


def test_what_this_machine_cannot_run_is_skipped_with_the_reason(pytester):
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makepyfile(BODY)
    result = pytester.runpytest_subprocess("-rs")
    result.assert_outcomes(skipped=1, failed=1)
    result.stdout.fnmatch_lines(["*E965*avx512 does not run on this machine*"])
