# SPDX-License-Identifier: Apache-2.0
"""Broken TFLite files: errors, each at once, and no more memory than the file is worth."""

from __future__ import annotations

import random
import struct
from collections import Counter
from contextlib import suppress

import pytest

from hybridize.errors import LoadError
from hybridize.formats.tflite.read import program
from tests.formats.mutants import SMALL, by_bytes, peak, verdicts, wrong
from tests.formats.tflite.cases import CASES
from tests.formats.tflite.test_read import dense, sparse
from tests.platforms.marks import forks
from tests.refusals import refusal

MODELS = [dense(), sparse()[0], *(CASES[name].model for name in ("int8 CONV_2D", "int8 ADD", "WHILE") if name in CASES)]
WORDS = [0, 1, 2, 4, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000, 0x3FFFFFFF, 0x40000000]


def mutant(rng, model, other):
    """The model with some words or bytes changed, or cut short."""
    if rng.random() < 0.4:
        return by_bytes(rng, model, other)
    data = bytearray(model)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(data) - 4) & ~3
        struct.pack_into("<I", data, at, rng.choice([*WORDS, len(data), rng.getrandbits(32), rng.randrange(len(data))]))
    return bytes(data)


def tried(folder, count, seed):
    rng, paths = random.Random(seed), []
    for number in range(count):
        paths.append(str(folder / f"{number}.tflite"))
        (folder / f"{number}.tflite").write_bytes(mutant(rng, rng.choice(MODELS), rng.choice(MODELS)))
    return verdicts(paths)


@forks
def test_broken_copies_are_refused_or_run(tmp_path):
    results = tried(tmp_path, 300, 0)
    assert wrong(results) == {}
    counts = Counter(verdict for verdict, _ in results.values())
    assert counts["refused"] > 100 and counts["right"] > 20, "the mutants try something"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_thousand_broken_copies(tmp_path, seed):
    results = tried(tmp_path, 1000, seed)
    assert wrong(results) == {}
    assert Counter(verdict for verdict, _ in results.values())["time"] < 20


# ------------------------------------------------------------------------------------------------------------- by name


FEW = (0x7FFFFFFF, 0x40000000)


@pytest.mark.parametrize("value", [one if one in FEW else pytest.param(one, marks=pytest.mark.long) for one in WORDS])
def test_every_word_that_claims_gigabytes_takes_no_memory(value):
    data = dense()
    for at in range(8, len(data) - 4, 4):
        broken = bytearray(data)
        struct.pack_into("<I", broken, at, value)

        def read(broken=bytes(broken)):
            with suppress(LoadError):
                program(broken, "m.tflite")

        assert peak(read) <= 3 * len(data) + SMALL, at


def test_a_sparse_weight_that_claims_gigabytes_takes_no_memory():
    data = sparse()[0]
    shape = struct.pack("<iii", 2, 4, 4)
    assert data.count(shape) >= 1
    broken = data.replace(shape, struct.pack("<iii", 2, 4, 1 << 24))

    def read():
        with refusal(LoadError, "E601.*of its 67108864 elements only"):
            program(broken, "m.tflite")

    assert peak(read) <= 3 * len(data) + SMALL
