"""A skip in tests/chapter is a failure; elsewhere it is a skip."""

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BODY = "import pytest\n\ndef test_it():\n    pytest.skip('no reason')\n"


@pytest.mark.parametrize(
    "body", [BODY, "import pytest\npytest.importorskip('no_such_module')\n"], ids=["in a test", "in a module"]
)
def test_skip_in_the_chapter_fails(pytester, body):
    pytester.makeconftest(CONFTEST.read_text())
    for folder in ("chapter", "elsewhere"):
        pytester.mkdir(folder)
    (pytester.path / "chapter" / "test_in_chapter.py").write_text(body)
    result = pytester.runpytest_subprocess("chapter")
    assert result.ret != 0
    result.stdout.fnmatch_lines("*the chapter may not skip*")


def test_skip_elsewhere_is_a_skip(pytester):
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makepyfile(test_elsewhere=BODY)
    pytester.runpytest_subprocess().assert_outcomes(skipped=1)
