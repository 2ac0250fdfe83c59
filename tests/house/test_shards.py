"""Shards of the long tests: together they are all of them, and each test is in one."""

import re
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BODY = """import pytest

def test_short():
    pass

@pytest.mark.long
@pytest.mark.parametrize("number", range(7))
def test_long(number):
    pass
"""


@pytest.fixture
def ran(pytester, monkeypatch):
    """`ran(shard)`: the long tests of a shard that ran, and the result."""
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makeini("[pytest]\nmarkers = long: minutes")
    pytester.makepyfile(BODY)

    def run(shard):
        monkeypatch.setenv("HYBRIDIZE_SHARD", shard)
        result = pytester.runpytest_subprocess("-m", "long", "-v")
        return re.findall(r"test_\w+\[\d\](?= PASSED)", "\n".join(result.outlines)), result

    return run


def test_each_long_test_is_in_one_shard(ran):
    shards = [ran(f"{number}/3")[0] for number in range(3)]
    assert [len(one) for one in shards] == [3, 2, 2]
    assert (
        sorted(name for one in shards for name in one) == ran("")[0] == [f"test_long[{number}]" for number in range(7)]
    )


def test_other_shards_are_refused(ran):
    for shard in ("3/3", "1", "one/3"):
        names, result = ran(shard)
        assert not names and result.ret != 0
        result.stderr.fnmatch_lines("*a shard is NUMBER/COUNT*")
