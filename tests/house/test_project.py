"""What contributors and the forge read: workflows name targets that exist, pages link to files, versions agree."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", ".github/pull_request_template.md")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def targets():
    return set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split())


def commands(text):
    """The targets that lines of a text say `make` of, in workflows and in code of pages."""
    return {
        word
        for line in re.findall(r"(?:run: |`|^|&& )make ([a-z][\w -]*)", text, re.MULTILINE)
        for word in line.split()[:1]
    }


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows(file):
    """Each is YAML, has jobs with steps and an end, may only read, and runs targets that exist."""
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert True in workflow  # `on`, as YAML 1.1 reads it
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps", "timeout-minutes"} <= set(job)
        for step in job["steps"]:
            assert len({"uses", "run"} & set(step)) == 1
            assert not (set(step) - {"uses", "run", "with", "shell", "name", "if"})
    assert commands(file.read_text(encoding="utf-8")) <= targets()


def test_workflows_run_what_they_should():
    text = "\n".join(file.read_text(encoding="utf-8") for file in WORKFLOWS)
    assert {"lint", "tests", "site", "release", "test-long"} <= commands(text)
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-latest" in text
    for file in re.findall(r"tests/[\w/]+\.py", text):
        assert (ROOT / file).is_file(), file


def test_make_help_names_every_target():
    listed = set(re.findall(r"^# make ([\w-]+) ", MAKEFILE, re.MULTILINE))
    parts = {"help", "tests", "style", "types", "clean"}
    assert listed | parts == targets()
    assert not listed & parts


@pytest.mark.parametrize("page", PAGES)
def test_pages(page):
    """Links lead to files and headings, commands to targets, and no address is made up."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.search(r"[\w.]+@[\w-]+\.\w+|https?://", text)
    assert commands(text) <= targets()
    for target, _, heading in (link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", text)):
        file = (ROOT / page).parent / target
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
            assert heading in anchors, heading


def test_one_version_is_cited():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_other_files_are_well_formed():
    yaml = pytest.importorskip("yaml")
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for repo in hooks["repos"] for hook in repo["hooks"]} == {"ruff-check", "ruff-format", "layers"}
    for hook in hooks["repos"][0]["hooks"][
        :2
    ]:  # else ruff formats files that it is told to leave out, as they are named
        assert "--force-exclude" in hook["entry"]
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert commands(container["postCreateCommand"]) <= targets()
    yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for template in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"):
        head = template.read_text(encoding="utf-8").split("---")[1]
        assert {"name", "about", "labels"} <= set(yaml.safe_load(head))
