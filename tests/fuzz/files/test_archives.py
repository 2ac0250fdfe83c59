"""Archives that are damaged, written by hand, later, of another machine: refused, or what they say; in time, in bounds.

Files are tried in processes of their own, since a crash is one of the things that may not be. What is tried is drawn
from seeds: a file that fails is made again by its seed and number, see try_archives.py.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import hybridize
from hybridize.base.digests import digest
from hybridize.base.errors import LoadError
from hybridize.formats.archive import read_archive
from hybridize.formats.archive.container import opened
from hybridize.runtime import abi
from tests.platforms.marks import signals

HERE = Path(__file__).parent
GOLDEN = HERE.parents[1] / "formats" / "golden"
CALLS = json.loads((GOLDEN / "calls.json").read_text())
COUNT = int(os.environ.get("HYBRIDIZE_FUZZ_FILES", "700"))
"""Files of each kind for each archive, of the long test."""


def module(path):
    spec = importlib.util.spec_from_file_location(f"fuzz_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


forgery = module(HERE / "forgery.py")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Small programs of all kinds."""
    folder = tmp_path_factory.mktemp("archives")
    nets = module(GOLDEN / "make.py").NETS
    found = {}
    for name, net in nets.items():
        function, calls = net()
        for call in calls if name == "mlp" else calls[:1]:
            function.compile(*call)
        found[name] = folder / name
        function.save(found[name])
    return found


def survive(archives, names, kinds, seed, count):
    """Try files, and fail with whatever went wrong; gives how often what came of them."""
    others = [str(archives[name]) for name in ("mlp", "state", "bf16")]
    jobs = [
        {
            "archive": str(archives[name]),
            "calls": [call["arguments"] for call in CALLS[name]],
            "kind": kind,
            "seed": seed,
            "first": 0,
            "count": count,
            "others": others,
        }
        for name in names
        for kind in kinds
    ]
    command = [sys.executable, str(HERE / "try_archives.py")]
    done = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    outcomes = [line for line in lines if "said" in line]
    assert done.returncode == 0, f"died of {lines[-1] if lines else 'nothing'}: {done.stderr[-3000:]}"
    assert len(outcomes) == len(jobs) * count
    wrong = [line for line in outcomes if line["said"].split(" ")[0] not in ("refused", "same", "runs", "fails")]
    assert not wrong, "\n".join(map(str, wrong[:20]))
    return Counter(" ".join(line["said"].split(" ")[:2]) for line in outcomes)


@signals
@pytest.mark.parametrize("kind", ["damaged", "forged"])
def test_a_few_hundred(archives, kind):
    counts = survive(archives, list(archives), [kind], 1, 30)
    assert counts["refused E604"] + counts["refused E614"] > 0.6 * counts.total()


@signals
@pytest.mark.long
@pytest.mark.parametrize("kind", ["damaged", "forged"])
@pytest.mark.parametrize("name", CALLS)
def test_thousands(archives, name, kind):
    survive(archives, [name], [kind], 2, COUNT)


# -------------------------------------------------------------------------------------------- machine code in archives


def recoded(archive, change):
    """The archive with other images, all checksums made right again."""
    for code in codes(archive):
        content = bytearray(archive.tensors[code["section"]])
        change(content, code["said"])
        archive.put(code["section"], bytes(content))
        code["digest"] = digest(bytes(content)).hex()
    return archive.whole()


def codes(archive):
    """What the description says of each code."""
    tree = archive.description
    return [*tree["process"], *(code for one in tree["signatures"] for code in one["codes"])]


def trapped(content, said):
    """Code whose every instruction ends the process."""
    content[: said["code"]] = b"\xcc" * said["code"]


RUN = """
import sys, json, hybridize
from hybridize import np
function = hybridize.load(sys.argv[1], images=sys.argv[2] == "images")
print(function(np.array([1.0, 2.0, 3.0])).asnumpy().tolist())
"""


def run(path, images):
    command = [sys.executable, "-c", RUN, str(path), "images" if images else ""]
    environment = {**os.environ, "HYBRIDIZE_CACHE": "0"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_code_is_not_run_unless_that_was_asked_for(archives, tmp_path):
    archive = forgery.Archive(archives["state"].read_bytes())
    path = tmp_path / "trap"
    path.write_bytes(recoded(archive, trapped))
    done = run(path, images=False)
    assert done.stdout.strip() == "[2.0, 4.0, 6.0]", done.stderr
    assert run(path, images=True).returncode < 0, "the trap is none: the test shows nothing"


def test_altered_code_is_refused_where_it_was_asked_for(archives, tmp_path):
    data = bytearray(archives["state"].read_bytes())
    entries = opened(str(archives["state"])).entries
    data[next(entry.start for name, entry in entries.items() if name.startswith("hybridize:code:0")) + 5] ^= 0xFF
    path = tmp_path / "altered"
    path.write_bytes(data)
    done = run(path, images=True)
    assert done.returncode == 1 and "LoadError E614" in done.stderr
    assert "LoadError E614" in run(path, images=False).stderr or "[2.0, 4.0, 6.0]" in run(path, images=False).stdout


@pytest.mark.parametrize(
    "change",
    [
        lambda code: code.update(abi=code["abi"] + 1),
        lambda code: code.update(abi=-1),
        lambda code: code.update(target="aarch64"),
        lambda code: code.update(target="avx4096"),
        lambda code: code.update(target=""),
        lambda code: code.update(numbers=[1]) if code["kind"] == "entry" else None,
        lambda code: code.update(kind="nothing") if code["kind"] == "entry" else None,
    ],
)
def test_code_of_another_runtime_or_machine_is_left_alone(archives, tmp_path, change):
    archive = forgery.Archive(archives["state"].read_bytes())
    for code in codes(archive):
        change(code)
    path = tmp_path / "other"
    path.write_bytes(archive.whole())
    done = run(path, images=True)
    assert done.stdout.strip() == "[2.0, 4.0, 6.0]", done.stderr


@pytest.mark.parametrize("number", [1, abi.NUMBER - 1])
def test_code_of_an_earlier_runtime_is_compiled_anew(archives, tmp_path, number):
    """Such a file is whole, its checksums fit; what it holds as code does not run, and the graph is compiled instead."""
    archive = forgery.Archive(archives["state"].read_bytes())
    for code in codes(archive):
        assert code["abi"] == abi.NUMBER
        code["abi"] = number
    path = tmp_path / "earlier"
    path.write_bytes(recoded(archive, trapped))
    (signature,) = read_archive(path).signatures
    assert [(code.abi, code.fits) for code in signature.codes] == [(number, False)] * len(signature.codes) != []
    done = run(path, images=True)
    assert done.stdout.strip() == "[2.0, 4.0, 6.0]", done.stderr


def test_an_image_that_says_it_is_of_another_processor_is_not_mapped(archives, tmp_path):
    def elsewhere(content, said):
        assert said["machine"] in ("x86_64", "aarch64")
        said["machine"] = "mips64"

    path = tmp_path / "elsewhere"
    path.write_bytes(recoded(forgery.Archive(archives["state"].read_bytes()), elsewhere))
    done = run(path, images=True)
    assert done.stdout.strip() == "[2.0, 4.0, 6.0]" or "Error E" in done.stderr, done.stderr


@pytest.mark.parametrize("version", ["1", "3", "2.1", "10", "1000000"])
def test_another_version_is_refused_with_the_remedy(archives, tmp_path, version):
    archive = forgery.Archive(archives["mlp"].read_bytes())
    archive.metadata["version"] = version
    path = tmp_path / "later"
    path.write_bytes(archive.whole())
    with pytest.raises(LoadError, match=r"E605(.|\n)*load it with the release"):
        hybridize.load(path)


# -------------------------------------------------------------------------------------------------- large files

LARGE = """
import json, os, random, resource, sys, time
sys.path.insert(0, sys.argv[2])
import numpy
import hybridize
from hybridize import np
from hybridize.base.digests import digest
from hybridize.base.errors import LoadError
from hybridize.formats.archive import read_archive
from hybridize.formats.archive.container import opened
from hybridize.runtime import abi
from try_archives import reading, status, within
from pathlib import Path

path = Path(sys.argv[1])
table = np.array(numpy.random.default_rng(0).standard_normal((1 << 12, 1 << 12)).astype("f4"))
function = hybridize.hybridize(lambda x: np.dot(x, table))
x = np.ones((1, 1 << 12))
function(x)
function.save(path)
del function, table
hybridize.load(path)(x)
size = path.stat().st_size
draw = random.Random(1)
for turn in range(30):
    place = draw.randrange(size) if turn % 3 else draw.randrange(3000)
    with open(path, "r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1 << draw.randrange(8)]))
    before = reading()
    try:
        hybridize.load(path, images=True)(x)
        print("TAKEN", place)
    except LoadError as error:
        assert error.code in ("E604", "E614", "E605", "E608", "E611"), error
    said = within(before, path)
    if said:
        print(said, place)
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(bytes([byte]))
    if turn % 5 == 0:
        short = path.with_name("short")
        short.write_bytes(path.read_bytes()[: draw.randrange(size)])
        before = reading()
        try:
            hybridize.load(short)
            print("TAKEN short")
        except LoadError:
            pass
        if within(before, short):
            print(within(before, short))
"""


@pytest.mark.long
def test_large_files_are_read_in_bounds(tmp_path):
    command = [sys.executable, "-c", LARGE, str(tmp_path / "large"), str(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HYBRIDIZE_CACHE": "0"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
