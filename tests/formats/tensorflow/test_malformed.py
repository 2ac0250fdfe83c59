"""Broken SavedModels: errors, each at once, and no more memory than their files are worth."""

import os
import random
import shutil
import struct
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from hybridize import load
from hybridize.errors import LoadError
from hybridize.formats.tensorflow.bundle import Bundle
from tests.formats.mutants import SMALL, by_bytes, by_wire, peak, verdicts, wrong
from tests.formats.tensorflow.test_graphdef import FLOAT, const, loaded, node
from tests.platforms.marks import forks
from tests.refusals import refusal

STORED = Path(__file__).parent / "models"
NAMES = (
    "asserted",
    "autograph_while",
    "case_of_three",
    "counters",
    "growing_list",
    "raw_writes",
    "small_lstm",
    "structured",
)
PARTS = ("saved_model.pb", "saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in NAMES:
        with zipfile.ZipFile(STORED / f"{name}.zip") as file:
            file.extractall(folder)
    return [folder / name for name in NAMES]


def mutant(rng, models, target):
    """A copy of one of the models with one file broken; the others are the same files."""
    model = rng.choice(models)
    broken = rng.choice([part for part in PARTS if (model / part).exists()])
    for path in model.rglob("*"):
        part = path.relative_to(model)
        if path.is_file() and str(part) != broken:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target / part)
    data = (model / broken).read_bytes()
    other = (rng.choice(models) / PARTS[0]).read_bytes()
    way = by_wire(rng, data) if broken.endswith(".pb") and rng.random() < 0.6 else by_bytes(rng, data, other)
    (target / broken).parent.mkdir(parents=True, exist_ok=True)
    (target / broken).write_bytes(way)
    return str(target)


def tried(folder, models, count, seed):
    rng = random.Random(seed)
    return verdicts([mutant(rng, models, folder / str(number)) for number in range(count)])


@forks
def test_broken_copies_are_refused_or_run(tmp_path, models):
    results = tried(tmp_path, models, 200, 0)
    assert wrong(results) == {}
    counts = Counter(verdict for verdict, _ in results.values())
    assert counts["refused"] > 50 and counts["right"] > 20, "the mutants try something"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_thousand_broken_copies(tmp_path, models, seed):
    results = tried(tmp_path, models, 1000, seed)
    assert wrong(results) == {}
    assert Counter(verdict for verdict, _ in results.values())["time"] < 20


@forks
def test_what_is_whole_runs(models):
    assert {verdict for verdict, _ in verdicts(list(map(str, models))).values()} <= {"right", "refused"}
    assert load(models[0])


# ------------------------------------------------------------------------------------------------------------- by name


@pytest.mark.parametrize(
    "claim",
    [
        {"shape": {"dim": [{"size": 1 << 40}]}}, {"shape": {"dim": [{"size": 1 << 20}] * 3}},
        {"shape": {"dim": [{"size": -5}]}}, {"shape": {"dim": [{"size": 1}] * 40}}, {"content": bytes(6)},
        {"shape": {"dim": [{"size": 1 << 62}, {"size": 0}]}},
    ],
)  # fmt: skip
def test_what_a_constant_claims_takes_no_memory(tmp_path, claim):
    nodes = [const("c", [1.0, 2.0], FLOAT, **claim), node("AddV2", "y", "x", "c:output:0")]

    def refused():
        with refusal(LoadError, "E601"):
            loaded(tmp_path, nodes, "y:z:0")

    assert peak(refused) <= SMALL


def test_one_number_for_many_takes_no_memory(tmp_path):
    size = 1 << 27
    nodes = [const("c", [1.0], FLOAT, shape={"dim": [{"size": size}]}), node("StopGradient", "y", "x")]
    assert peak(loaded, tmp_path, nodes, "y:output:0") <= SMALL


def index_of(folder):
    return folder / "variables" / "variables.index"


def broken_index(models, folder, change):
    """A bundle whose index is changed by a function of its bytes."""
    data = bytearray(index_of(models[NAMES.index("small_lstm")]).read_bytes())
    change(data)
    (folder / "variables.index").write_bytes(bytes(data))
    return str(folder / "variables")


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (-48, b"\xff\xff\xff\xff\x0f"),
        (-46, b"\xff\xff\xff\xff\x0f"),
        (-48, b"\x80" * 10),
        (-8, b"\0"),
        (0, b"\xff\x7f"),
    ],
)
def test_an_index_that_leads_outside_is_refused(models, tmp_path, at, value):
    def change(data):
        start = at if at >= 0 else len(data) + at
        data[start : start + len(value)] = value

    path = broken_index(models, tmp_path, change)

    def refused():
        with pytest.raises(LoadError, match="E60"):
            Bundle(path, "net")

    assert peak(refused) <= 3 * os.stat(f"{path}.index").st_size + SMALL


def test_restarts_that_claim_gigabytes_are_refused(models, tmp_path):
    def change(data):
        magic = len(data) - 48
        for at in range(magic - 5, 0, -1):  # the last word of the last block is how many restarts it has
            if data[at : at + 4] == struct.pack("<I", 1):
                data[at : at + 4] = b"\xff\xff\xff\x7f"
                return

    with pytest.raises(LoadError, match=r"E60"):
        Bundle(broken_index(models, tmp_path, change), "net")


def test_data_that_is_short_is_refused_when_it_is_loaded(models, tmp_path):
    net = tmp_path / "net"
    shutil.copytree(models[NAMES.index("small_lstm")], net)
    os.truncate(net / PARTS[-1], 64)
    with pytest.raises(LoadError, match=r"E601.*bytes"):
        load(net)
