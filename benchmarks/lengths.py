# SPDX-License-Identifier: Apache-2.0
"""Programs that nets over sequences need for a thousand random lengths and batches.

    python benchmarks/lengths.py [--calls 1000] [--only NAME] [--markdown]

Each net is small, and called with a length of 1 to 48 and a batch of 1 to 8 each time; losses of trainings stay finite.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from hybridize_bench.peers.sequences import ours
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel
from hybridize_bench.sequences.recurrence import RecurrentNet
from hybridize_bench.sequences.training import SequenceTraining
from paired import table

from hybridize import hybridize, np

LENGTH, BATCH = 48, 8
"""The most of each."""
Call = Callable[[int, int], Any]
"""A call with a length and a batch."""


def recurrent(kind: str) -> tuple[Any, Call]:
    """A layer of LSTM or GRU."""
    small = RecurrentNet(kind, 1, inputs=12, hidden=16)
    net = ours.recurrent(kind, small.inputs, small.arrays())
    return hybridized(net), lambda time, batch: net(floats(time, batch, 12))


def encoder() -> tuple[Any, Call]:
    """Two layers without a mask, and sums before their normalizations."""
    small = EncoderNet(layers=2, width=16, heads=2, inner=24, steps=LENGTH)
    net = ours.stack(small, small.arrays(), first=False)
    return hybridized(net), lambda time, batch: net(floats(batch, time, 16))


TRANSFORMER = TransformerModel(LENGTH, vocabulary=30, layers=2, width=16, heads=2, inner=24)
RECURRENT = RecurrentModel(LENGTH, vocabulary=30, embedding=8, hidden=16)


def transformer() -> tuple[Any, Call]:
    """Scores of a causal Transformer."""
    net = ours.TransformerScores(TRANSFORMER, TRANSFORMER.arrays())
    return hybridized(net), lambda time, batch: net(tokens(batch, time))


def stepping(training: SequenceTraining) -> tuple[Any, Call]:
    """A training step."""
    step = hybridize(ours.step_of(training, training.model.arrays()))
    turned = isinstance(training.model, RecurrentModel)

    def call(time: int, batch: int) -> Any:
        shape = (time, batch) if turned else (batch, time)
        loss = step(tokens(*shape), tokens(*shape))
        assert numpy.isfinite(float(loss))
        return loss

    return step, call


NETS: dict[str, Callable[[], tuple[Any, Call]]] = {
    "LSTM": lambda: recurrent("lstm"),
    "GRU": lambda: recurrent("gru"),
    "Transformer encoder": encoder,
    "causal Transformer": transformer,
    "training step of an LSTM": lambda: stepping(SequenceTraining("", RECURRENT, BATCH, "sgd", 0.1)),
    "of a Transformer": lambda: stepping(SequenceTraining("", TRANSFORMER, BATCH, "adam", 1e-3)),
}


def hybridized(net: Any) -> Any:
    net.hybridize()
    return net


def floats(*shape: int) -> Any:
    return np.array(numpy.random.default_rng(0).standard_normal(shape).astype(numpy.float32))


def tokens(*shape: int) -> Any:
    return np.array(numpy.random.default_rng(0).integers(0, 30, shape).astype(numpy.int32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--figures", type=Path, help="write the number of programs of each net here, as JSON")
    parser.add_argument("--cpu", type=int, help="as other programs take it; nothing is timed closely here")
    parser.add_argument("--rounds", type=int, help="the same")
    options = parser.parse_args()
    random = numpy.random.default_rng(1)
    sizes = numpy.stack([random.integers(1, most + 1, options.calls) for most in (LENGTH, BATCH)], 1)
    rows, found = [], {}
    for name, make in NETS.items():
        if options.only not in name:
            continue
        net, call = make()
        seconds = []
        for steps, batch in sizes.tolist():
            begin = time.perf_counter()
            call(steps, batch)
            seconds.append(time.perf_counter() - begin)
        found[name] = net.cache_info().programs
        figures = (str(found[name]), f"{sum(seconds):.2f} s", f"{max(seconds):.2f} s")
        rows.append((name, f"{options.calls:,}", *figures))
    table(("net", "calls", "programs", "all calls", "the slowest"), rows, options.markdown, ("net",))
    if options.figures:
        options.figures.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
