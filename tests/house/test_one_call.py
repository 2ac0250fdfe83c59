"""docs/internals/one-call.md names every file of ours that a call passes, and no other: the calls are traced."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "internals" / "one-call.md"
GROUND = "The ground floor"
"""The section for `base` and `system`, whose helpers all calls share; the others name none of them."""
ADDED_TO = {
    "The first call of a training step": "The first call",
    "The second call of a training step": "The second call",
}
"""Sections that name only the files that another one does not."""
TRACER = '''
import json, os, sys

import hybridize

FOLDER = os.path.dirname(hybridize.__file__) + os.sep
LATE = os.path.join("base", "names.py"), os.path.join("base", "hooks.py")  # load a name that is first asked for


def passed(call):
    """List the files of ours of which a call enters functions, in order; what runs at an import does not count."""
    found, importing = {}, 0

    def look(frame, event, _):
        nonlocal importing
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(FOLDER):
            return
        if code.co_name == "<module>" or (code.co_name == "__getattr__" and code.co_filename.endswith(LATE)):
            importing += 1 if event == "call" else -1
        elif event == "call" and not importing:
            found.setdefault(code.co_filename[len(FOLDER):].replace(os.sep, "/"))

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(found)
'''
CALLS = {
    "function": ["The first call", "The second call", "From the third call on"],
    "step": [
        "The first call of a training step", "The second call of a training step",
        "From the third call of a training step on",
    ],
}  # fmt: skip


def page_code(name):
    """The example of the page that defines `name`."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if f"def {name}(" in block)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The files that each call passes, by the section about it; every example in a process with an empty disk cache."""
    folder = tmp_path_factory.mktemp("one_call")
    found = {}
    for example, function in (("function", "f"), ("step", "train")):
        lines = page_code(function), TRACER, f"calls = [passed(lambda: {function}(x)) for _ in range(4)]"
        script = folder / f"{example}.py"
        script.write_text("\n".join([*lines, "print(json.dumps(calls))"]))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("HYBRIDIZE_")}
        environment |= {"HYBRIDIZE_CACHE_DIR": str(folder / f"{example}_cache"), "PYTHONPATH": str(ROOT)}
        environment["HYBRIDIZE_MACHINE"] = "table"  # measuring passes a compilation of its own
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        *calls, fourth = json.loads(done.stdout)
        assert set(fourth) == set(calls[-1])
        found |= dict(zip(CALLS[example], calls, strict=True))
    return found


def named():
    """The files that each section of the page names in its tables."""
    sections = re.split(r"^## (.*)$", PAGE.read_text(), flags=re.MULTILINE)[1:]
    return {
        title: re.findall(r"^\| `([\w/]+\.py)` \|", text, re.MULTILINE)
        for title, text in zip(sections[::2], sections[1::2], strict=True)
    }


def is_helper(file):
    return file.startswith(("base/", "system/"))


@pytest.mark.parametrize("title", [title for titles in CALLS.values() for title in titles])
def test_a_section_names_what_a_call_passes(traced, title):
    files = {file for file in traced[title] if not is_helper(file)}
    written = named()[title]
    assert len(written) == len(set(written)), "a file is named twice"
    shared = set(named()[ADDED_TO[title]]) if title in ADDED_TO else set()
    assert set(written) & shared == set(), "named in the section that this one adds to"
    assert sorted(files - set(written) - shared) == [], f"passed, but not named under {title!r} of {PAGE.name}"
    assert sorted((set(written) | shared) - files) == [], f"named under {title!r} of {PAGE.name}, but not passed"


def test_the_ground_floor_is_what_all_calls_share(traced):
    assert set(named()[GROUND]) == {file for files in traced.values() for file in files if is_helper(file)}


def test_each_named_file_has_a_sentence():
    rows = re.findall(r"^\| `([\w/]+\.py)` \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    assert len(rows) == sum(map(len, named().values()))
    assert [file for file, text in rows if len(text.split()) < 4] == []


def test_what_is_handed_on_has_the_names_of_the_code():
    """The classes in the drawing of what is handed on are defined in the files that it names."""
    drawing = re.search(r"^```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
    found = re.findall(r"(\w+) \(([\w/]+\.py)\)", drawing)
    assert len(found) > 5
    for name, file in found:
        tree = ast.parse((ROOT / "hybridize" / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}, (name, file)
