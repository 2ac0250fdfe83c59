"""Tests run stricter than users do: graphs are verified after every pass, and the chapter may not skip."""

import functools
import gc
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

# Before anything is imported, and for the processes that tests start: what is tested is this compiler, not what it, or
# an earlier one, has left on the disk. Tests of the disk cache switch it on in a folder of their own.
os.environ["HYBRIDIZE_CACHE"] = "0"
# Nor what this machine was measured to be good at: the same code is tested each time. Tests of measuring ask for it.
os.environ["HYBRIDIZE_MACHINE"] = "table"
# Threads of PyTorch's wait asleep, and NumPy multiplies by one: beside a second process of tests they would spin for ten
# times as long as they compute.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Figures are drawn in memory, also where there is a screen.
os.environ["MPLBACKEND"] = "agg"

CHAPTER = Path(__file__).parent / "chapter"


def pytest_configure(config: pytest.Config) -> None:
    """Let `make test` draw the same examples each time, and `make test-long` other ones: what they find, CI keeps.

    No example has a limit of time: beside other processes it may take ten times as long.
    """
    usual = hypothesis.settings.get_profile("default")  # not the one in force, which is "ci" where CI is set
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("long", usual, deadline=None, suppress_health_check=slow, print_blob=True)
    hypothesis.settings.load_profile("long" if config.getoption("markexpr") == "long" else "ci")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests whose names are others in each process: two of them could not share the run."""
    changing = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if changing:
        raise pytest.UsageError(f"the name of a test holds an address: {changing[0]}; give its parameters ids")


@pytest.hookimpl(specname="pytest_collection_modifyitems", trylast=True)  # after `-m`
def pytest_select_shard(items: list[pytest.Item], config: pytest.Config) -> None:
    """Keep the tests of one shard: `make test-long SHARD=0/12` runs every twelfth one from the first on."""
    shard = os.environ.pop("HYBRIDIZE_SHARD", "")  # not for the processes that tests start, which run tests, too
    number, _, count = shard.partition("/")
    if not number:
        return
    if not (number.isdecimal() and count.isdecimal() and int(number) < int(count)):
        raise pytest.UsageError("a shard is NUMBER/COUNT, from 0/COUNT on")
    others = [item for k, item in enumerate(items) if k % int(count) != int(number)]
    items[:] = items[int(number) :: int(count)]
    config.hook.pytest_deselected(items=others)


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    """Verify every graph after every pass, as CHECK=1 does."""
    from hybridize.base.config import CONFIG

    before, CONFIG.check = CONFIG.check, True
    yield
    CONFIG.check = before


@pytest.fixture(autouse=True)
def without_set_np() -> Iterator[None]:
    """Let no test have set what loaders of `hybridize.mxnet` give to the next ones."""
    yield
    modes = sys.modules.get("hybridize.base.modes")
    if modes is not None:
        modes.PROCESS.np_arrays = False


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Let no test leave a reader, a writer or an interpreter behind: every later one would wait for it, or record."""
    yield
    access, op = (sys.modules.get(f"hybridize.{name}") for name in ("base.access", "ops.op"))
    if access is None or op is None:
        return
    until = time.monotonic() + 5  # threads of its own may be in a last call

    def left() -> dict[str, object]:
        numbers = access.ACCESS
        readers, writer = access.READERS.value - numbers.standing, access.WRITER.value
        return {
            "readers": readers,
            "writer": writer,
            "waiting": {*numbers.queued, *numbers.waiting},
            "active": op.ACTIVE,
        }

    while any(left().values()) and time.monotonic() < until:
        time.sleep(0.01)
    rest = left()
    if any(rest.values()):
        access.READERS.value, rest["active"] = access.ACCESS.standing, str(rest["active"])
        op.ACTIVE.clear()  # the tests after it are not to blame
        pytest.fail(f"it leaves behind: {rest}")


@pytest.fixture(autouse=True)
def one_device(quiet: None) -> Iterator[None]:
    """Leave no device but `cpu(0)` in use: from the first other one on, no function of arrays takes a short way."""
    yield
    devices = sys.modules.get("hybridize.array.device")
    if devices is not None:
        devices.forget()


_files = itertools.count(1)
EACH = 60
"""After so many files of tests, what was kept out of collections is looked through once."""


@pytest.fixture(scope="module", autouse=True)
def left() -> Iterator[None]:
    """Keep what the tests of a file leave out of later collections; programs over dying objects ask for many."""
    yield
    if next(_files) % EACH == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


def seed_everywhere() -> None:
    """Start every generator of random numbers that is loaded anew."""
    if "numpy" in sys.modules:  # imported late: its number of threads is set above
        sys.modules["numpy"].random.seed(0)
    if "hybridize" in sys.modules:
        random = getattr(sys.modules["hybridize"], "random", None)
        if random is not None:
            random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(0)  # `torch.manual_seed` asks for a stack for other devices


@pytest.fixture(autouse=True)
def seeded_everywhere() -> None:
    """Every test draws the same numbers, alone or in company."""
    seed_everywhere()


@pytest.fixture
def two_gpus(monkeypatch) -> Iterator[None]:
    """There are `gpu(0)` and `gpu(1)`, emulated; afterwards the process is as one that has used neither."""
    from hybridize.array import device
    from hybridize.base.config import CONFIG
    from hybridize.runtime import devices

    monkeypatch.setattr(CONFIG, "device", "emulated")
    monkeypatch.setitem(devices._PLACES, "emulated", "tests.device.emulated")
    monkeypatch.setattr(devices, "_OPENED", {})
    device.forget()
    yield
    device.forget()


@pytest.fixture
def compiled_ops(monkeypatch) -> list[str]:
    """The operations on devices for which programs are compiled from now on; none has one yet."""
    from hybridize.array import on_device

    names, compile_kernels = [], on_device.compile_kernels
    monkeypatch.setattr(
        on_device, "compile_kernels", lambda *args, name: names.append(name) or compile_kernels(*args, name=name)
    )
    on_device.PROGRAMS.clear()
    return names


@pytest.fixture
def sent_bytes(two_gpus, monkeypatch) -> list[int]:
    """The bytes of each copy from the host to a device from now on."""
    from hybridize.runtime import devices

    sizes, kind = [], type(devices.opened(0))
    copy_in = kind.copy_in
    monkeypatch.setattr(kind, "copy_in", lambda gpu, to, array: sizes.append(array.nbytes) or copy_in(gpu, to, array))
    return sizes


@pytest.fixture
def inherited() -> Iterator[list[object]]:
    """The devices that the process has of the one it was forked from; afterwards there are none."""
    from hybridize.runtime import devices

    yield devices._INHERITED
    devices._INHERITED.clear()


@functools.cache
def works(name: str) -> bool:
    """Whether a program runs: a name on the path may be a proxy that has no tool chain, or lack its libraries."""
    found = shutil.which(name)
    if found is None:
        return False
    question = ["-c", "true"] if name == "sh" else ["--version"]
    return (
        subprocess.run([found, *question], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    )


@pytest.fixture(scope="session")
def system() -> Callable[..., None]:
    """`system("R", "/usr/share/java/jna.jar", check=["perl", ...])`: what a test needs beside Python's packages.

    Programs that must work, files that must be there, and a command that must succeed. The test fails where one is missing, so that
    nothing goes untested unseen; it is skipped when the user has said `make test SYSTEM=0`.
    """

    def ask(*names: str, check: list[str] | None = None) -> None:
        missing = [name for name in names if not (works(name) if os.sep not in name else os.path.isfile(name))]
        if not missing and check is not None and subprocess.run(check, capture_output=True, check=False).returncode:
            missing = [" ".join(check)]
        if missing:
            text = f"not here: {', '.join(missing)}; run examples/deploy/install.sh, or make test SYSTEM=0"
            (pytest.skip if os.environ.get("SYSTEM") == "0" else pytest.fail)(text)

    return ask


def forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip of the acceptance tests into a failure that says so."""
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, and the chapter may not skip: {report.longrepr}"


def excuse_missing_level(report: pytest.TestReport, error: BaseException) -> None:
    """Turn a failure into a skip where the test asks for code that there is none of here.

    That is a level of x86-64 that this machine lacks, on AArch64 all, or a processor that its system does not run on.
    """
    errors = error.exceptions if isinstance(error, BaseExceptionGroup) else [error]  # of cases in one test
    lacking = "E965: (avx|baseline)" + "|E960: there is no machine code for Windows on" * (os.name == "nt")
    if all(re.search(lacking, str(one)) for one in errors):
        report.outcome = "skipped"
        report.longrepr = (report.location[0], report.location[1] or 0, str(errors[0]).splitlines()[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.excinfo is not None:
        excuse_missing_level(report, call.excinfo.value)
    if CHAPTER in item.path.parents:
        forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if CHAPTER in collector.path.parents:
        forbid_skip(report)
    return report


def pytest_collection_finish() -> None:
    """Keep what was imported out of later collections, each of which would look through all of it: a third of the time."""
    gc.collect()
    gc.freeze()
