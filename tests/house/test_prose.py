"""The linter of prose (docs/prose.py): each of its rules finds a bad sentence, and leaves what is not prose."""

import importlib.util
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = "You write ordinary Python on arrays. hybridize compiles it.\n"


@pytest.fixture(scope="module")
def prose():
    spec = importlib.util.spec_from_file_location("prose", ROOT / "docs" / "prose.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("A call " + "reads it and " * 12 + "ends.", "words: make two sentences"),
        ("What is another one at every call belongs among the arguments.", "begins with a clause"),
        ("Who wants a copy makes it.", "begins with a clause"),
        ("It runs. Whether x is y is decided by z.", "begins with a clause"),
        ("It runs. (That a sentence is short helps.)", "begins with a clause"),
        ("- One that is not is refused.", "begins with a clause"),
        ("| a | What it does not know is an error. |", "begins with a clause"),
        ("The first and the later ones differ.", '"ones": repeat the noun'),
        ("Nobody reads it.", '"nobody": say who does not'),
        ("Internationalization necessitates organizational interoperability considerations.", "readability"),
    ],
)
def test_a_rule_finds_a_bad_sentence_in_its_line(prose, bad, rule):
    first = "readability" in rule
    ((line, text, _),) = prose.findings(bad if first else f"# Title\n\n{GOOD}\n{bad}\n\n{GOOD}")
    assert rule in text
    assert line == (1 if first else 5)


@pytest.mark.parametrize(
    "fine",
    [
        GOOD,
        "What does it do? It compiles.",
        "That is all. That function is one of them.",
        "When a second size comes, hybridize compiles again.",
        "```python\nwhat = 'nobody'\n```\n",
        "## What is refused\n",
        "| What it does | Who |\n| --- | --- |\n| What is stored | who |\n",
        "| before | after |\n| --- | --- |\n| Nobody knows. | You do not know. |\n",
        "Call `nobody.reads.the.ones(himself)`, or [go on](nobody.md).",
        "---\ntitle: What nobody knows\n---\n\nIt runs.\n",
        "`a`, `b`, " * 40 + "`c`.\n",
        "[a](a.md) · " * 40 + "b\n",
        "- " + "one two three\n- " * 20 + "four\n",
    ],
)
def test_what_is_plain_or_no_prose_passes(prose, fine):
    assert list(prose.findings(fine)) == []


def test_code_is_one_word_and_a_link_its_words(prose):
    ((_, sentence, _),) = prose.sentences("See [the guide](a/b.md), `a b c` and **this**.\n")
    assert prose.words(sentence) == ["See", "the", "guide,", "#code", "and", "this."]


def test_simpler_words_read_more_easily(prose):
    assert prose.readability(GOOD) > prose.readability("Interoperability considerations necessitate documentation.\n")


def test_the_remedy_is_printed_with_page_and_line(prose, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(f"{GOOD}\nNobody reads it.\n")
    assert prose.main("page.md") == 1
    assert capsys.readouterr().out == 'page.md:3: "nobody": say who does not: Nobody reads it.\n'
    (tmp_path / "page.md").write_text(GOOD)
    assert prose.main("page.md") == 0


def test_a_median_of_guide_and_tutorials_is_asked(prose, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    for name in "ab":
        (tmp_path / "docs" / "guide" / f"{name}.md").write_text(GOOD)
    assert prose.main("docs/guide") == 0
    monkeypatch.setattr(prose, "MEDIAN", 101)
    assert prose.main("docs/guide") == 1
    assert "use shorter words" in capsys.readouterr().out


def test_the_pages_of_the_linter_are_plain(prose, capsys):
    assert prose.main() == 0, capsys.readouterr().out


def test_the_readme_fits_three_screens():
    """Three of forty lines, a hundred columns wide."""
    lines = (ROOT / "README.md").read_text().splitlines()
    assert sum(len(textwrap.wrap(line, 100, break_long_words=False)) or 1 for line in lines) <= 120
