"""Names, prefixes, sharing, files and errors of MXNet 1, against what MXNet 1.9.1 gives."""

import json
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize as mx
from tests.gluon import first_generation

HERE = Path(__file__)
EXPECTED = json.loads(HERE.with_name("first_generation.json").read_text())
PROGRAMS = {
    (part, title): function
    for part, programs in first_generation.PARTS.items()
    for title, function in programs(mx)
}  # fmt: skip
MISTAKES = dict(first_generation.mistakes(mx))


def test_all_programs_have_a_result():
    assert {part: sorted(EXPECTED[part]) for part in first_generation.PARTS} == {
        part: sorted(title for one, title in PROGRAMS if one == part) for part in first_generation.PARTS
    }
    assert sorted(EXPECTED["mistakes"]) == sorted(MISTAKES)


@pytest.mark.parametrize(("part", "title"), PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_is_as_in_mxnet(part, title):
    result, expected = json.loads(json.dumps(PROGRAMS[part, title]())), EXPECTED[part][title]
    if title == "trained":
        numpy.testing.assert_allclose(result, expected, rtol=1e-5)
    else:
        assert result == expected


@pytest.mark.parametrize("title", MISTAKES)
@pytest.mark.filterwarnings("ignore")
def test_the_clauses_that_catch_an_error_of_mxnet_catch_ours(title):
    assert EXPECTED["mistakes"][title], "MXNet refuses it"
    assert set(EXPECTED["mistakes"][title]) <= set(first_generation.caught(mx, MISTAKES[title]) or ())


@pytest.mark.long
def test_the_results_are_those_of_mxnet():
    python = HERE.parents[2] / ".mxnet" / "1.9.1" / "bin" / "python"
    if sys.version_info >= (3, 12):
        pytest.skip("MXNet needs a NumPy that is there for Python up to 3.11")
    if not python.exists():
        pytest.fail("MXNet is not there: make .mxnet/.installed")
    done = subprocess.run([python, first_generation.__file__], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    for one in (results, EXPECTED):
        one["sharing"]["trained"] = [round(value, 5) for value in one["sharing"]["trained"]]
    assert results == EXPECTED
