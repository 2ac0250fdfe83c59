"""The tutorials, docs/guide/wheel.md and train-elsewhere.md, played from top to bottom, as the page on deploying is."""

from pathlib import Path

import pytest

from hybridize.formats.library import cross
from tests.examples.test_deploy_guide import BLOCK, TITLE, play, same

DOCS = Path(__file__).parents[2] / "docs"
NEEDS = {
    "guide/wheel.md": [],
    "guide/train-elsewhere.md": ["c++", "cc"],
    "tutorials/first-net.md": [],
    "tutorials/lenet.md": ["cc", "node"],
    "tutorials/pytorch.md": ["cc"],
    "tutorials/language-model.md": [],
    "tutorials/control-flow.md": [],
    "tutorials/compiled-again.md": [],
}
QUICK = ("guide/wheel.md", "guide/train-elsewhere.md", "tutorials/first-net.md")
"""Pages that `make test` plays."""


@pytest.mark.parametrize(
    "page", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in NEEDS]
)
def test_the_page_says_what_happens(page, tmp_path, system):
    system(*NEEDS[page])
    if page == "guide/wheel.md" and cross.zig() is None:
        pytest.skip("the page links by Zig")
    commands = list(play((DOCS / page).read_text(), tmp_path))
    assert len(commands) >= 3
    for command, expected, found in commands:
        assert same(expected, found), f"$ {command}{found}\nand not\n{expected}"


@pytest.mark.parametrize("page", NEEDS)
def test_every_program_of_the_page_is_played(page):
    bodies = [body for language, body in BLOCK.findall((DOCS / page).read_text()) if language != "console"]
    assert bodies
    for body in bodies:
        assert TITLE.match(body), body


def test_every_tutorial_is_played_and_in_the_index():
    index = (DOCS / "tutorials" / "README.md").read_text()
    pages = [page.name for page in (DOCS / "tutorials").glob("*.md") if page.name != "README.md"]
    assert {f"tutorials/{name}" for name in pages} == {name for name in NEEDS if name.startswith("tutorials/")}
    assert [name for name in pages if f"]({name})" not in index] == []
