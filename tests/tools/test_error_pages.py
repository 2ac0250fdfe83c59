"""Each code has a page: its example raises the code, what to write instead runs, and the command prints it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hybridize.tools import error_pages
from hybridize.tools.application import application

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_pages.py")
PAGES = {code: error_pages.page(code) for code in error_pages.codes()}


def wanted(*, long):
    """Return the codes whose examples run within seconds, or not."""
    return [code for code, page in PAGES.items() if "no example" not in page.marks and ("long" in page.marks) is long]


def problems(codes):
    """Run pages in a process of their own; return what is wrong with them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, RUNNER, *codes], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_examples_raise_their_codes_and_remedies_run():
    """In one process: to import hybridize and PyTorch takes longer than most examples."""
    assert problems(wanted(long=False)) == ""


@pytest.mark.long
def test_examples_that_take_seconds():
    assert problems(wanted(long=True)) == ""


def test_every_code_has_a_page_and_every_page_a_code():
    """A code that is raised without a page fails here, by name."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "docs" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    raised = dict(make.raised())
    assert {code: raised.get(code) for code in raised.keys() ^ PAGES.keys()} == {}, (
        "each code needs a page hybridize/tools/errors/CODE.md, and each page a code: docs/internals/adding.md, An error"
    )
    assert {code: (page.kind, raised[code]) for code, page in PAGES.items() if page.kind != raised[code]} == {}


def test_every_page_has_its_four_sections_and_both_programs():
    for code, page in PAGES.items():
        assert page.code == code
        assert tuple(page.sections) == error_pages.SECTIONS, code
        if "no example" not in page.marks:
            assert page.example, code
            assert page.remedy, code
        assert all(page.sections.values()), code
        assert page.title[-1] not in ".!", code
    assert len([page for page in PAGES.values() if "no example" in page.marks]) <= 13


def command(*arguments):
    return CliRunner().invoke(application, ["explain-error", *arguments])


def test_the_command_prints_a_page():
    printed = command("E450")
    assert printed.exit_code == 0
    assert printed.output == PAGES["E450"].text
    assert command("e450", "--example").output == PAGES["E450"].example
    assert command("450").output == PAGES["E450"].text


def test_a_code_that_is_none_is_refused():
    for code in ("E999", "999", "asnumpy", "EE450", "../E450"):
        refused = command(code)
        assert refused.exit_code == 2
        assert "a code is written like E450" in " ".join(refused.output.replace("│", " ").split())
