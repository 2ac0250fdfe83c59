"""What may not stand in a file."""

import hashlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("hybridize", "tests", "examples", "benchmarks", "docs")
# Spelled in pieces, so that this file does not hold the words it looks for.
FORBIDDEN = {
    "an open end": re.compile(r"raise NotImplemented" + r"Error|TO" + "DO|FIX" + "ME|XX" + "X:"),
    "a path of one machine": re.compile(r"/ro" + r"ot/|/ho" + r"me/\w|/wo" + r"rk/|/opt/py" + "pi"),
    "the host of a registry": re.compile(r"pypi\." + r"org|pythonhosted\." + "org"),
    "pickle": re.compile(r"^\s*(import|from) pick" + "le", re.MULTILINE),
}


def committed_or_new() -> list[Path]:
    """Files of the project that hold text, tracked or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:  # an unpacked source archive has no git
        return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


TEXT = [path for path in committed_or_new() if path.suffix in (".py", ".md", ".toml", ".txt", ".json", ".svg", ".c")]


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_no_file_holds(reason):
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in TEXT
        if reason != "pickle" or "hybridize" in path.relative_to(ROOT).parts  # tests may pickle as users do
        for text in [path.read_text(encoding="utf-8", errors="replace")]
        for match in FORBIDDEN[reason].finditer(text)
    ]
    assert not found, "\n".join(found)


def test_every_module_says_what_it_is_for():
    silent = []
    for path in TEXT:
        if path.suffix == ".py" and path.is_relative_to(ROOT / "hybridize"):
            first = next((line for line in path.read_text().splitlines() if line and not line.startswith("#")), "")
            if not first.startswith(('"""', 'r"""')):
                silent.append(str(path.relative_to(ROOT)))
    assert not silent


def test_chapter_is_unchanged():
    """The acceptance tests are a copy; a change there would be a change of the promise."""
    sums = (ROOT / "tests/house/chapter.sha256").read_text().split()
    expected = dict(zip(sums[1::2], sums[::2], strict=True))
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / "tests/chapter").iterdir()
        if path.is_file()
    }
    assert found == expected
