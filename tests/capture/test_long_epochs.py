# SPDX-License-Identifier: Apache-2.0
"""The work of capturing and compiling an epoch grows as its steps do: what is looked at is counted."""

import pytest

import hybridize
from hybridize import autograd, gluon, np
from hybridize.array.buffer import some_share_elements
from hybridize.base.config import CONFIG
from hybridize.gluon import nn
from hybridize.schedule import grouping

FEW, TIMES = 16, 4
MOST = 1.25
"""How much faster than the steps the work may grow."""


def epoch_of():
    """A function of batches that trains over them, each by a step of its own in the program."""
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.Dense(4))
    net.initialize()
    net(np.ones((8, 8)))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss_fn = gluon.loss.L2Loss()

    @hybridize.hybridize
    def epoch(batches):
        total = 0.0
        for x, y in batches:
            with autograd.record():
                loss = loss_fn(net(x), y)
            loss.backward()
            trainer.step(8)
            total = total + loss.mean()
        return total

    return epoch


@pytest.fixture
def visits(monkeypatch):
    """A function that counts the units that fusion looks at, until the program of an epoch of some steps is there."""
    monkeypatch.setattr(CONFIG, "check", False)
    counts = [0]

    def counted(unit, results=grouping._results):
        counts[0] += 1
        return results(unit)

    monkeypatch.setattr(grouping, "_results", counted)

    def of(steps):
        batches = [(np.ones((8, 8)), np.ones((8, 4))) for _ in range(steps)]
        epoch = epoch_of()
        counts[0] = 0
        epoch.program(batches)
        return counts[0]

    return of


def test_fusion_looks_at_as_many_units_more_as_there_are_steps_more(visits):
    few, many = visits(FEW), visits(TIMES * FEW)
    assert few > 100 and many < MOST * TIMES * few


@pytest.mark.parametrize("count", [50, 500])
def test_arrays_that_lie_apart_are_not_compared(count, monkeypatch):
    compared = []
    monkeypatch.setattr("hybridize.array.buffer.share_elements", lambda x, y: compared.append(0))
    assert not some_share_elements([np.ones(3) for _ in range(count)]) and not compared


def test_arrays_that_overlap():
    base, apart = np.arange(40).reshape(4, 10), np.ones(40)
    assert some_share_elements([apart, base[0], np.ones(2), base])
    assert some_share_elements([base[1:3, 5], apart, base[2]])
    assert not some_share_elements([base[0], base[1], apart, base[2]])
    assert not some_share_elements([base[:, :5], base[:, 5:], apart])  # interleaved: their bounds overlap
    assert not some_share_elements([base[:0], base[:0], base])
    assert some_share_elements([apart, apart])
