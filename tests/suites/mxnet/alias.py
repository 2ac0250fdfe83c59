# SPDX-License-Identifier: Apache-2.0
"""Makes `import mxnet` give hybridize, for MXNet's own tests and for nothing else.

A pytest plugin (`-p alias`), which `suite.py` loads. `mxnet.a.b` is `hybridize.a.b`; where names differ, `MODULES` says
what is meant. `mxnet.test_utils` is MXNet's own source, taken from the checkout, so the tests' assertions are MXNet's.
What tests import of MXNet's inside, and what was taken out of NumPy since, is put there by `inside.py`.
"""

from __future__ import annotations

import fnmatch
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import inside
import numpy
import pytest

import hybridize

MODULES = {
    "context": "hybridize.context", "contrib": "hybridize", "gluon.contrib.estimator.event_handler":
    "hybridize.gluon.contrib.estimator", "img": "hybridize.image", "initializer": "hybridize.init",
    "kv": "hybridize.kvstore", "ndarray": "hybridize.nd", "gluon.metric": "hybridize.metric", "nd": "hybridize.nd",
    "np": "hybridize.array.np", "npx": "hybridize.array.npx", "numpy": "hybridize.array.np",
    "numpy_extension": "hybridize.array.npx", "random": "hybridize.array.legacy_random",
    "rnd": "hybridize.array.legacy_random", "sym": "hybridize.symbol", "viz": "hybridize.visualization",
}  # fmt: skip
"""Where `mxnet.NAME` is not `hybridize.NAME`."""

TIMEOUT_S = float(os.environ.get("MXNET_SUITE_TIMEOUT", "120"))


class MXNet(ModuleType):
    """`mxnet`: the names of hybridize."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return importlib.import_module(f"mxnet.{name}")
        except ModuleNotFoundError:
            return getattr(importlib.import_module("hybridize"), name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `mxnet` and what is below it."""

    def __init__(self, checkout: Path) -> None:
        self.test_utils = checkout / "python" / "mxnet" / "test_utils.py"

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        top, _, below = name.partition(".")
        if top != "mxnet":
            return None
        if below == "test_utils":
            return importlib.util.spec_from_file_location(name, self.test_utils)
        if below and _find(below) is None:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return MXNet(spec.name) if spec.name == "mxnet" else None

    def exec_module(self, module: ModuleType) -> None:
        _, _, below = module.__name__.partition(".")
        if below:
            found = _find(below)
            assert found is not None
            sys.modules[module.__name__] = found
        else:
            module.__version__ = "2.0.0"  # type: ignore[attr-defined]


def _find(below: str) -> ModuleType | None:
    """The module that `mxnet.BELOW` means, or None: what tests need of MXNet's inside comes before our own."""
    ours = MODULES.get(below)
    if ours is None:
        first, _, rest = below.partition(".")
        ours = ".".join([MODULES.get(first, f"hybridize.{first}"), *([rest] if rest else [])])
    try:
        found: Any = importlib.import_module(ours)
    except ModuleNotFoundError:
        parent, _, name = ours.rpartition(".")
        try:
            found = getattr(importlib.import_module(parent), name, None)
        except ModuleNotFoundError:
            found = None
        found = found if isinstance(found, ModuleType) else None
    return inside.completed(below, found)


# --------------------------------------------------------------------------------------------------------- the plugin


class Recorder:
    """Writes a line for each case: when it starts, and how it ended."""

    def __init__(self) -> None:
        self.out = open(os.environ["MXNET_SUITE_OUT"], "a", buffering=1)  # noqa: SIM115 - as long as pytest runs
        self.left_out = read_left_out(Path(__file__).with_name("left_out.txt"))
        self.done = set(filter(None, os.environ.get("MXNET_SUITE_DONE", "").split("\n")))
        part, _, parts = os.environ.get("MXNET_SUITE_SHARD", "0/1").partition("/")
        self.part, self.parts = int(part), int(parts)

    def write(self, **fields: Any) -> None:
        self.out.write(json.dumps(fields) + "\n")

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for module in {item.module for item in items if isinstance(item, pytest.Function)}:
            if hasattr(module, "assertRaises"):
                module.assertRaises = inside.assert_raises
        kept, dropped = [], []
        for number, item in enumerate(items):
            name = case_name(item.nodeid)
            if number % self.parts != self.part or name in self.done:
                dropped.append(item)
            elif reason := reason_for(name, self.left_out):
                self.write(case=name, outcome="left out", error=reason)
                dropped.append(item)
            else:
                kept.append(item)
        items[:] = kept
        config.hook.pytest_deselected(items=dropped)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.write(case=case_name(item.nodeid), outcome="started", at=time.time())
        signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, TIMEOUT_S)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            if hasattr(report, "wasxfail"):
                outcome = "skipped" if report.outcome == "skipped" else "passed"
            else:
                outcome = report.outcome
            error = last_line(report) if outcome == "failed" else ""
            self.write(case=case_name(report.nodeid), outcome=outcome, error=error, seconds=round(report.duration, 2))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(case=case_name(report.nodeid), outcome="not collected", error=last_line(report))


@pytest.fixture(autouse=True)
def seeded(request: pytest.FixtureRequest) -> None:
    """Seed all generators, as MXNet's own conftest.py does; that one also looks for leaks of its own arrays."""
    marker = request.node.get_closest_marker("seed")
    seed = marker.args[0] if marker else int(os.environ.get("MXNET_TEST_SEED", "1"))
    random.seed(seed)
    numpy.random.seed(seed)
    hybridize.random.seed(seed)


def _too_long(signum: int, frame: FrameType | None) -> None:
    pytest.fail(f"took longer than {TIMEOUT_S:.0f} s")


def case_name(nodeid: str) -> str:
    """`test_loss.py::test_ce_loss`, wherever the checkout lies."""
    path, separator, case = nodeid.partition("::")
    return Path(path).name + separator + case


def last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the error's kind and first line, and where it was raised."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        lines = [line for line in str(report.longrepr).splitlines() if line.startswith("E  ")]
        return lines[-1][1:].strip() if lines else str(report.longrepr)[-300:]
    first = next(iter(crash.message.strip().splitlines()), "")
    return f"{first[:300]}  [{Path(crash.path).name}:{crash.lineno}]"


def read_left_out(path: Path) -> list[tuple[str, str]]:
    """Patterns of cases and the reason why they are left out, one a line: `PATTERN  # REASON`."""
    pairs = []
    for line in path.read_text().splitlines():
        pattern, _, reason = line.partition("  # ")
        if pattern.strip() and not line.startswith("#"):
            pairs.append((pattern.strip(), reason.strip()))
    return pairs


def reason_for(case: str, left_out: list[tuple[str, str]]) -> str | None:
    """Return why a case is left out; None: it is run. `[` in a pattern is itself."""
    for pattern, reason in left_out:
        whole = pattern if "[" in pattern else f"{pattern}[[]*"
        if fnmatch.fnmatchcase(case, pattern.replace("[", "[[]")) or (
            "[" not in pattern and fnmatch.fnmatchcase(case, whole)
        ):
            return reason
    return None


sys.meta_path.insert(0, Finder(Path(os.environ["MXNET_CHECKOUT"])))
inside.restore_numpy()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "seed(number): of MXNet's own tests")
    config.addinivalue_line("markers", "serial: of MXNet's own tests")
    config.addinivalue_line("markers", "garbage_expected: of MXNet's own tests")
    if "MXNET_SUITE_OUT" in os.environ:
        config.pluginmanager.register(Recorder())
