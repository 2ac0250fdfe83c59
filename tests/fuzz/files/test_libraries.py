"""Exported libraries between pages that may not be touched, short of memory, from many threads, under the sanitizers.

drive.c does what a host may do; here is what is driven: `nets.NETS`, at every level of this machine.
"""

import importlib.util
import itertools
import os
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.deployable import deployable
from hybridize.formats.library import write_library
from hybridize.formats.library.write import compiled

HERE = Path(__file__).parent
LEVELS = runnable()
STRICT = ["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
BLOCKS = 12
SOME = ("attention", "empty", "indices", "integers", "mlp", "noise", "running", "together")
"""Of `make test`; the others take the long run."""


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


NETS = module("fuzz_nets", HERE / "nets.py").NETS


@pytest.fixture(scope="session")
def drivers(tmp_path_factory, system):
    """drive.c: as it is, under the sanitizers, and with a malloc that refuses."""
    system("cc")
    folder = tmp_path_factory.mktemp("drivers")
    kinds = {"plain": [], "sanitized": SANITIZED, "faults": ["-DFAULTS", "-fno-builtin", "-rdynamic"]}
    for kind, flags in kinds.items():
        command = ["cc", *STRICT, *flags, "-o", folder / kind, HERE / "drive.c", "-ldl", "-lpthread"]
        subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """The libraries of nets, made when they are first asked for: the file, and the file of weights or `-`."""
    folder = tmp_path_factory.mktemp("libraries")
    known = {}

    def get(name, weights="inside"):
        if (name, weights) not in known:
            place = folder / f"{name}-{weights}"
            place.mkdir()
            program = deployable(NETS[name][0]().saved())
            files = write_library(program, place / name, weights=weights)
            known[name, weights] = str(files[0]), str(files[-1]) if weights == "beside" else "-"
        return known[name, weights]

    return get


def words(name):
    """Sizes of the calls of a net, as the driver takes them."""
    return [",".join(map(str, sizes)) or "-" for sizes in NETS[name][1]]


def drive(command, library, name, level="-", turns=1, sizes=(), seconds=300, prefix=()):
    path, weights = library
    mode = command[1]
    line = [*prefix, command[0], mode, path, name, weights, level, str(turns), *sizes]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{mode} {name} {level}: {done.returncode}: {done.stderr[-3000:]}"
    return done


def everything(drivers, libraries, name, weights="inside", turns=20):
    library = libraries(name, weights)
    for level in LEVELS:
        drive((drivers / "sanitized", "calls"), library, name, level, sizes=words(name))
        drive((drivers / "plain", "wild"), library, name, level, turns, words(name))
    drive((drivers / "sanitized", "leaks"), library, name, turns=10 * turns, sizes=words(name))
    drive((drivers / "faults", "memory"), library, name, sizes=words(name))
    drive((drivers / "plain", "threads"), library, name, turns=turns, sizes=words(name)[:4])


@pytest.mark.parametrize("name", SOME)
def test_hosts_right_and_wrong(drivers, libraries, name):
    everything(drivers, libraries, name)


def test_weights_beside(drivers, libraries):
    everything(drivers, libraries, "mlp", "beside")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NETS if name not in SOME])
def test_more_hosts_right_and_wrong(drivers, libraries, name):
    everything(drivers, libraries, name)


@pytest.mark.long
@pytest.mark.parametrize("weights", ["inside", "beside"])
@pytest.mark.parametrize("name", ["mlp", "noise", "wide"])
def test_ten_thousand_models(drivers, libraries, name, weights):
    """Made, run once and given back, under LeakSanitizer."""
    drive((drivers / "sanitized", "leaks"), libraries(name, weights), name, turns=10_000, sizes=words(name)[:1])


@pytest.mark.long
@pytest.mark.parametrize("name", NETS)
def test_any_numbers(drivers, libraries, name):
    """NaN, infinities, the extremes of integers, indices beyond their arrays: nothing is touched that should not be."""
    for level in LEVELS:
        drive((drivers / "plain", "wild"), libraries(name), name, level, 300, words(name)[:6])


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_any_numbers_to_every_op(drivers, tmp_path, block):
    """The samples of the catalogue with other numbers in their arrays."""
    made = module("fuzz_library", HERE.parents[1] / "formats" / "library" / "conftest.py")
    catalogue = made._TARGETS.Catalogue()
    objects, sizes = [], {}
    for number, (word, sample) in list(enumerate(catalogue.cases))[block::BLOCKS]:
        if word.startswith("while"):  # may run for ever, with some numbers
            continue
        name = f"op{number}"
        objects.append(tmp_path / f"{name}.o")
        objects[-1].write_bytes(compiled(made.of_graph(catalogue.tests.graph_of(sample), name)).object)
        sizes[name] = ",".join(str(size) for x in sample.inputs for size in numpy.shape(x)) or "-"
    path = tmp_path / "libops.so"
    subprocess.run(["cc", "-shared", "-o", path, *objects, "-lm"], check=True)
    for name, words in sizes.items():
        for level in LEVELS:
            drive((drivers / "plain", "wild"), (str(path), "-"), name, level, 20, [words], 60)


@pytest.mark.long
@pytest.mark.parametrize("name", NETS)
def test_valgrind_finds_nothing(drivers, libraries, system, name):
    """Nothing that nobody has written is used; valgrind knows no AVX-512."""
    system("valgrind")
    prefix = [
        "valgrind",
        "--quiet",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect,possible",
        "--error-exitcode=9",
    ]
    for level in [level for level in LEVELS if level != "avx512"]:
        for mode in ("wild", "leaks"):
            drive((drivers / "plain", mode), libraries(name), name, level, 1, words(name)[:6], prefix=prefix)


@pytest.mark.long
def test_helgrind_finds_no_race(drivers, libraries, system):
    """Tasks of a host's parallel-for share nothing that they write. (Calls hand memory to each other by atomic exchange,
    which it does not know: so one at a time.)"""
    system("valgrind")
    prefix = ["valgrind", "--quiet", "--tool=helgrind", "--error-exitcode=9"]
    drive((drivers / "plain", "tasks"), libraries("wide"), "wide", "avx2", 1, ["33,384"], 600, prefix)


def test_files_that_are_not_the_weights(drivers, libraries, tmp_path):
    """Each is refused at once; a pipe or a device is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to("first")
    (tmp_path / "empty").touch()
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    library, weights = libraries("mlp", "beside")
    _, other = libraries("attention", "beside")
    (tmp_path / "short").write_bytes(Path(weights).read_bytes()[:-1])
    files = [tmp_path / name for name in ("pipe", "first", "empty", "sparse", "short", "absent")]
    files += [
        tmp_path,
        "/",
        "/dev/null",
        "/dev/zero",
        "/proc/self/mem",
        "/proc/self/maps",
        "",
        other,
        library,
        "x" * 5000,
    ]
    drive((drivers / "sanitized", "refused"), (library, "-"), "mlp", sizes=files, seconds=30)
    os.chmod(tmp_path / "short", 0)
    drive((drivers / "sanitized", "refused"), (library, "-"), "mlp", sizes=[tmp_path / "short"], seconds=30)


# --------------------------------------------------------------------------------------- the driver finds what is there

FOUND_BY = {
    1: ["calls"], 2: ["calls"], 3: ["memory"], 4: ["leaks", "memory"], 5: ["calls"], 6: ["calls"], 7: ["calls"], 8: ["calls", "wild"],
    9: ["calls", "wild"], 10: ["calls", "wild"], 11: ["calls", "wild"], 12: ["calls"], 13: ["threads"],
}  # fmt: skip
KINDS = {"calls": "sanitized", "wild": "plain", "leaks": "sanitized", "memory": "faults", "threads": "plain"}


@pytest.mark.parametrize("fault", range(14))
def test_faults_are_found(drivers, tmp_path, fault):
    """In a library that was made wrong by hand; and none in one that was made right."""
    path = tmp_path / "libfaulty.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-DFAULT={fault}", "-o", path, HERE / "faulty.c"], check=True)
    for mode in FOUND_BY.get(fault, KINDS):
        command = [drivers / KINDS[mode], mode, path, "faulty", "-", "-", "20", "3"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert (done.returncode != 0) == (fault != 0), f"{mode}: {done.returncode} {done.stderr[-800:]}"


def test_every_kind_of_fault_is_looked_for():
    source = (HERE / "faulty.c").read_text()
    assert {int(number) for number in itertools.chain(FOUND_BY)} == {
        n for n in range(1, 30) if f"FAULT == {n}" in source or f"FAULT != {n}" in source
    }
    assert shutil.which("cc")
