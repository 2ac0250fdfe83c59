"""Results of tests that run for hours in an emulator, kept as they come: a plugin, `-p tests.platforms.recording`.

Each line of the file that HYBRIDIZE_RESULTS names is one outcome of one test. A test that has one does not run again, so
that a run can be stopped, and goes on where it was. A test that began and has none ended its process.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

RAN = "passed", "failed", "skipped"


def results(path: Path) -> dict[str, tuple[str, str]]:
    """Return the last outcome of each test, and what it said: `passed`, `failed`, `skipped`, or `died`."""
    known: dict[str, tuple[str, str]] = {}
    if path.exists():
        for line in path.read_text().splitlines():
            name, outcome, why = json.loads(line)
            known[name] = ("died", "its process ended") if outcome == "began" else (outcome, why)
    return known


def run_again(path: Path) -> None:
    """Keep the outcomes of what passed or was skipped alone: all else runs again."""
    known = results(path)
    lines = [line for line in path.read_text().splitlines() if known[json.loads(line)[0]][0] in ("passed", "skipped")]
    path.write_text("".join(f"{line}\n" for line in lines))


def table(known: dict[str, tuple[str, str]]) -> str:
    """Return the counts of each folder of `tests`, in Markdown, and then what did not pass."""
    folders: dict[str, Counter[str]] = {}
    for name, (outcome, _) in known.items():
        folders.setdefault(name.split("/")[1].partition("::")[0], Counter())[outcome] += 1
    heads = *RAN, "died"
    lines = [f"| folder | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    for folder, counts in [*sorted(folders.items()), ("all", sum(folders.values(), Counter()))]:
        lines.append(f"| {folder} | {' | '.join(str(counts[head]) for head in heads)} |")
    lines += [""] + [
        f"- {name}: {outcome}: {why}" for name, (outcome, why) in known.items() if outcome in ("failed", "died")
    ]
    return "\n".join(lines)


def _write(name: str, outcome: str, why: str = "") -> None:
    with open(os.environ["HYBRIDIZE_RESULTS"], "a") as file:
        file.write(json.dumps([name, outcome, why]) + "\n")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_collection_modifyitems(items, config):
    """Leave out what has an outcome, after the shard was chosen among all."""
    yield
    known = results(Path(os.environ["HYBRIDIZE_RESULTS"]))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
    items[:] = [item for item in items if item.nodeid not in known]


def pytest_runtest_logstart(nodeid):
    _write(nodeid, "began")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        said = [line for line in reason.splitlines() if line.startswith("E  ")] or reason.splitlines()
        _write(report.nodeid, report.outcome, " ".join(said[0].split())[:300] if said else "")


def pytest_collectreport(report):
    if report.failed:
        _write(report.nodeid, "failed", " ".join(report.longreprtext.split())[-300:])
