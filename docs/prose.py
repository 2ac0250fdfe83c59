"""Check the prose of the pages that users and newcomers read, by the rules of internals/writing.md.

    python docs/prose.py                          the pages in PAGES: each broken rule, exit status 1 if there is one
    python docs/prose.py README.md docs/guide     these pages, in PAGES or not
    python docs/prose.py --count docs             the number of broken rules and the readability of each page alone

Readability is Flesch's: 100 is easy, 60 plain English, 30 a contract. pyphen counts syllables, as for textstat, whose
own figures move in steps of 8. Code is one word. Headings and tables do not count; the other rules hold for tables.
"""

import re
import statistics
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyphen

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/index.md", "docs/demo.md", "docs/compatibility.md",
    "docs/tutorials", "docs/guide", "docs/internals",
)  # fmt: skip
"""The pages and folders that `make lint` checks."""
EASY, MEDIAN, LONGEST = 50, 60, 30
"""The least readability of a page, the least median of guide and tutorials, the most words of a sentence."""
TAUGHT = ("docs/guide", "docs/tutorials")
ENGLISH = pyphen.Pyphen(lang="en_US")
WORDS = {
    "albeit": "although", "and/or": "or", "hence": "so", "himself": "yourself", "in order to": "to",
    "leverage": "use", "nobody": "say who does not", "of course": "leave it out", "obviously": "leave it out",
    "ones": "repeat the noun", "other's": "name the thing", "seamlessly": "leave it out", "simply": "leave it out",
    "somebody": "say who", "thereby": "so", "therein": "in it", "thereof": "of it", "thus": "so", "utilize": "use",
    "whereby": "by which", "wherein": "in which", "whoever": "say who",
}  # fmt: skip
"""Words not to use, each with what to do instead."""
CLAUSE = re.compile(
    r"(What|Whatever|Which|Whichever|Who|Whoever|Whom|Whose|Whether|How|Why)\b"
    r"|That (an?|the|no|it|they|you|we|he|its|each|every|all|both|some|nothing|nobody)\b"
    r"|(All|Any(body|one|thing)?|Everything|He|No(body|thing| one)|Ones?|Somebody|Those) (that|who|which|whose)\b"
)
END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(*_\[]*(?:[A-Z\d#]|hybridize|joblib))")
NO_PROSE = re.compile(
    r"\A---\n.*?\n---\n|<!--.*?-->|<(script|style|svg)\b.*?</\1>|^( *)(```|~~~).*?^\2\3 *$", re.DOTALL | re.MULTILINE
)
SHORT = re.compile(r"\b(e\.g|i\.e|vs|cf|approx|No)\.\s")


def plain(text: str) -> str:
    """Return text without marks: code becomes `#code`, and a link its words."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]*>", "", text)
    text = re.sub(r"(`+).+?\1|\$[^$]+\$", "#code", text)
    text = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return SHORT.sub(r"\1 ", re.sub(r"(?<![\w#])[*_]+|[*_]+(?!\w)", "", text)).strip()


def blocks(page: str) -> Iterator[tuple[int, str, bool]]:
    """Give each paragraph, item of a list and cell of a table: its line, its text, whether it is a cell.

    A column whose head is "before" shows sentences as they should not be.
    """
    page = NO_PROSE.sub(lambda match: "\n" * match[0].count("\n"), page)
    first, lines, header = 0, [], []
    for number, line in enumerate([*page.split("\n"), ""], 1):
        text = line.strip()
        begins = re.match(r"([-*+]|\d+\.) |> ", text)
        if lines and (begins or not text or text[0] in "#|<" or text.startswith(("===", "!!!", "???"))):
            if (whole := " ".join(lines)).count(" · ") < 3:
                yield first, whole, False
            lines = []
        if text.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
            header = header or cells
            if not re.fullmatch(r"[|:\- ]+", text):
                yield from ((number, cell, True) for cell, head in zip(cells, header, strict=False) if head != "before")
            continue
        header = []
        if text and not text.startswith(("#", "<", "===", "!!!", "???")):
            first = number if not lines else first
            lines.append(text[begins.end() :] if begins else text)


def sentences(page: str) -> Iterator[tuple[int, str, bool]]:
    """Give the sentences of a page without marks: the line of the paragraph, the text, whether it is in a table."""
    for line, text, cell in blocks(page):
        for sentence in END.split(plain(text)):
            if re.search(r"\w", sentence.replace("#code", "")):
                yield line, sentence, cell


def words(text: str) -> list[str]:
    """Return the words of a sentence."""
    return [word for word in text.split() if re.search(r"\w", word)]


@cache
def syllables(word: str) -> int:
    """Return the number of syllables of a word, by its hyphenation; code has one."""
    parts = re.findall(r"[A-Za-z]+", word)
    return 1 if word.startswith("#") else max(1, sum(len(ENGLISH.positions(part.lower())) + 1 for part in parts))


def readability(text: str) -> float:
    """Return how easily a page reads: Flesch's figure for its sentences outside of tables."""
    read = [words(sentence) for _, sentence, cell in sentences(text) if not cell]
    count = sum(map(len, read))
    if not count:
        return 100.0
    return 206.835 - 1.015 * count / len(read) - 84.6 * sum(syllables(word) for line in read for word in line) / count


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """Give the rules that a page breaks: the line, the rule with its remedy, the sentence."""
    for line, sentence, cell in sentences(text):
        count = len(words(sentence))
        if count > LONGEST:
            yield (line, f"{count} words: make two sentences of it, of at most 25 words each", sentence)
        whole = sentence[-1] in ".!:" or not cell
        if whole and CLAUSE.match(sentence.lstrip("\"'(")) and not sentence.endswith("?"):
            yield (line, "begins with a clause: begin with the subject, who does what", sentence)
        for word, remedy in WORDS.items():
            if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", sentence, re.IGNORECASE):
                yield (line, f'"{word}": {remedy}', sentence)
    if (easy := readability(text)) < EASY:
        yield (1, f"readability {easy:.0f}, least {EASY}: use shorter words, and shorter sentences", "")


def main(*arguments: str) -> int:
    """Print the findings of pages; return 1 where there are any."""
    names = [name for name in arguments if name != "--count"] or PAGES
    files = [path for name in names for path in (sorted((ROOT / name).rglob("*.md")) or [ROOT / name])]
    total, taught = 0, []
    for path in files:
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        broken = list(findings(text))
        lines = [f"{page}:{line}: {rule}{sentence and ': '}{sentence}" for line, rule, sentence in broken]
        easy = f"{page}: {len(broken)}, readability {readability(text):.0f}"
        for shown in [easy] if "--count" in arguments else lines:
            print(shown)
        taught += [readability(text)] if page.startswith(TAUGHT) else []
        total += len(broken)
    if len(taught) > 1 and (median := statistics.median(taught)) < MEDIAN:
        print(f"guide and tutorials: median readability {median:.0f}, least {MEDIAN}: use shorter words and sentences")
        total += 1
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
