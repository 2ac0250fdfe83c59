"""docs/guide/deploy.md, played from top to bottom: its files are written, its commands run, and print what it says."""

import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "deploy.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
TITLE = re.compile(r"(?:#|/\*|//|<!--) (\w+\.\w+)")
"""The first line of a block that is a file: a comment that begins with its name."""
EXCERPT = re.compile(r"/\* from (\S+) \*/\n")
"""The first line of a block that is part of a program in examples/deploy."""
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?")
NEEDS = ["cc", "readelf", "node", "aarch64-linux-gnu-gcc", "qemu-aarch64"]


def said(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, which `$` stands before, and what it prints."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        count = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\\n"))
        yield "".join(lines[:count]), "".join(lines[count:])


def shell(folder: Path, command: str) -> str:
    """What a command prints, errors included; `python` and `hybridize` are those of the tests."""
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    environment["COLUMNS"] = "120"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout


def same(expected: str, found: str) -> bool:
    """Whether the page and the command agree: word by word, `...` for any word; results to 1e-5, bytes to a quarter.

    What only some processors run may be in one of them alone, and tables are as wide as they are.
    """
    expected, found = (
        re.sub(r"^.*avx512.*\n|[\u2500-\u257f]", "", one, flags=re.MULTILINE) for one in (expected, found)
    )
    words, others = expected.split(), found.split()
    return len(words) == len(others) and all(map(_same_word, words, others))


def _same_word(expected: str, found: str) -> bool:
    if expected == "...":
        return True
    if [NUMBER.sub("", word) for word in (expected, found)] != [NUMBER.sub("", expected)] * 2:
        return False
    for text, other in zip(NUMBER.findall(expected), NUMBER.findall(found), strict=True):
        one, two = (float(number.replace(",", "")) for number in (text, other))
        if abs(one - two) > (0.25 * one if "," in text else 1e-5):
            return False
    return True


def play(page: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Write the files of a page and run its commands: each command, what the page says it prints, what it printed."""
    for language, body in BLOCK.findall(page):
        if language == "console":
            for command, expected in said(body):
                yield command, expected, shell(folder, command)
        elif title := TITLE.match(body):
            (folder / title[1]).write_text(body)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the page is played."""
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def played(folder, system):
    """What each command of the page printed."""
    system(*NEEDS)
    return list(play(PAGE.read_text(), folder))


@pytest.mark.long
def test_the_page_says_what_happens(played):
    assert len(played) >= 5
    for command, expected, found in played:
        assert same(expected, found), f"$ {command}{found}\nand not\n{expected}"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.long
def test_the_web_page_shows_what_the_c_program_prints(played, folder, tmp_path, system):
    system("chromium")
    numbers = next(found.strip() for command, _, found in played if command.strip() == "./main")
    spec = importlib.util.spec_from_file_location("browser", Path(__file__).with_name("browser.py"))
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with driver.Chromium(shutil.which("chromium"), tmp_path / "profile") as browser:
            browser.open(f"http://127.0.0.1:{server.server_port}/index.html")
            browser.wait("document.querySelector('output')?.textContent.includes('.')")
            assert same(numbers, browser.evaluate("document.querySelector('output').textContent"))
    finally:
        server.shutdown()
        server.server_close()


def test_a_page_that_says_something_else_fails(tmp_path):
    page = "```python\n# one.py\nprint(1)\n```\n```console\n$ python one.py\n2\n$ echo a  \\\n     b\na ...\n```\n"
    (_, two, one), (command, *both) = play(page, tmp_path)
    assert (two, one) == ("2\n", "1\n")
    assert not same(two, one)
    assert command == "echo a  \\\n     b\n"
    assert same(*both)


@pytest.mark.parametrize(
    ("expected", "found", "agree"),
    [
        ("a b\n", "a c\n", False),
        ("a b\n", "a\n", False),
        ("-0.039876 x", "-0.039877 x", True),
        ("-0.039876 x", "-0.039976 x", False),
        ("axis 1 must be 16", "axis 1 must be 17", False),
        ("axis 1", "axis [1]", False),
        ("a.so  42,096 bytes", "a.so  41,000 bytes", True),
        ("a.so  42,096 bytes", "a.so  142,096 bytes", False),
        ("largest difference 1.1e-08", "largest difference 0", True),
        ("┏━━━┓\n┃ a ┃\n", "┏━━━━━━━━┓\n┃ a    ┃\n", True),
        ("checked: avx512: 4 calls\nchecked: avx2: 4\n", "checked: avx2: 4\n", True),
    ],
)
def test_what_agrees(expected, found, agree):
    assert same(expected, found) is agree


def test_every_program_of_the_page_is_played_or_is_part_of_one_that_is_tested():
    bodies = [body for language, body in BLOCK.findall(PAGE.read_text()) if language != "console"]
    assert bodies
    for body in bodies:
        if excerpt := EXCERPT.match(body):
            assert body[excerpt.end() :] in (ROOT / "examples" / "deploy" / excerpt[1]).read_text()
        else:
            assert TITLE.match(body), body
