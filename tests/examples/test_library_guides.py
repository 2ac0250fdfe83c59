"""docs/guide/wheel.md and train-elsewhere.md, played from top to bottom, as the page on deploying is."""

from pathlib import Path

import pytest

from hybridize.formats.library import cross
from tests.examples.test_deploy_guide import BLOCK, TITLE, play, same

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
NEEDS = {"wheel.md": [], "train-elsewhere.md": ["c++", "cc"]}


@pytest.mark.parametrize("page", NEEDS)
def test_the_page_says_what_happens(page, tmp_path, system):
    system(*NEEDS[page])
    if page == "wheel.md" and cross.zig() is None:
        pytest.skip("the page links by Zig")
    commands = list(play((GUIDE / page).read_text(), tmp_path))
    assert len(commands) >= 3
    for command, expected, found in commands:
        assert same(expected, found), f"$ {command}{found}\nand not\n{expected}"


@pytest.mark.parametrize("page", NEEDS)
def test_every_program_of_the_page_is_played(page):
    bodies = [body for language, body in BLOCK.findall((GUIDE / page).read_text()) if language != "console"]
    assert bodies
    for body in bodies:
        assert TITLE.match(body), body
