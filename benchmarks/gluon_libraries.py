# SPDX-License-Identifier: Apache-2.0
"""Networks and training of the libraries that were written for Gluon, on hybridize and on MXNet 1.9.1, in turns.

    make .gluon/.installed
    python benchmarks/gluon_libraries.py [--only NAME]... [--rounds 5] [--cpu 0] [--markdown]

Each side has a process of its own, since the two need different versions of NumPy: hybridize with the libraries as
`hybridize migrate` rewrites them, MXNet with the libraries as they are. Both are hybridized (`static_alloc` and
`static_shape`), have the same weights, and one thread. What they give is compared before it is timed. A sample of a
network is the mean of some calls; a sample of DeepAR is an epoch of training after the first.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from paired import parser, table

ROOT = Path(__file__).parents[1]
SUITE = ROOT / "tests" / "suites" / "gluon_libraries"
OURS, WINOGRAD, MXNET = "hybridize", "hybridize, winograd", "MXNet 1.9.1"
MODULES = {OURS: "hybridize.mxnet", WINOGRAD: "hybridize.mxnet", MXNET: "mxnet"}
OPTIONS: dict[str, bool] = {"static_alloc": True, "static_shape": True}
"""Of `net.hybridize`; the side `WINOGRAD` adds its own, which counts fewer products."""
TOLERANCE = 1e-3
"""Of the largest number of an output."""
SAMPLE_S = 1.0
STEPS = 50
"""Batches of an epoch of DeepAR."""


def network(net: Any, *inputs: Any, number: int | None = None) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """Return functions that give a network's outputs, or the one of a number, and the seconds of a call."""
    net.hybridize(**OPTIONS)

    def flat(part: Any) -> list[Any]:
        return [leaf for one in part for leaf in flat(one)] if isinstance(part, (list, tuple)) else [part]

    def chosen(arrays: list[Any]) -> list[Any]:
        return arrays if number is None else [arrays[number]]

    def output() -> list[float]:
        return [float(one) for array in chosen(flat(net(*inputs))) for one in array.asnumpy().ravel()[:1000]]

    def call() -> None:
        for array in flat(net(*inputs)):
            array.wait_to_read()

    def seconds() -> float:
        begin, calls = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < SAMPLE_S or not calls:
            call()
            calls += 1
        return spent / calls

    return output, seconds


def resnet(mx: Any) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """ResNet-50 v1b of GluonCV, an image of 224."""
    from gluoncv.model_zoo import get_model
    from rules import Rule, numbers

    net = get_model("resnet50_v1b", pretrained=False)
    net.initialize(Rule())
    return network(net, numbers((1, 3, 224, 224)))


def ssd(mx: Any) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """SSD of GluonCV on MobileNet, an image of 512, with the suppression of boxes; scores are compared."""
    from rules import model, numbers

    return network(model("ssd_512_mobilenet1.0_voc", pretrained_base=False), numbers((1, 3, 512, 512)), number=1)


def bert(mx: Any) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """BERT-base of GluonNLP, 128 tokens: its encoder and pooler."""
    import collections

    import gluonnlp
    import numpy as np
    from rules import Rule

    vocabulary = gluonnlp.vocab.BERTVocab(collections.Counter({f"w{number}": 1 for number in range(2000)}))
    net, _ = gluonnlp.model.get_model(
        "bert_12_768_12", dataset_name=None, vocab=vocabulary, pretrained=False, use_decoder=False, use_classifier=False
    )
    net.initialize(Rule())
    tokens = mx.nd.array((np.arange(128) * 37 % 2000).reshape(1, 128), dtype="float32")
    types = mx.nd.array((np.arange(128) > 60).reshape(1, 128), dtype="float32")
    return network(net, tokens, types, mx.nd.array([120], dtype="float32"))


def deepar(mx: Any) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """DeepAR of GluonTS: an epoch of fifty batches of 32 series, two layers of 40 cells, 72 hours."""
    import random

    import numpy as np
    from forecasts import series
    from gluonts.mx import DeepAREstimator
    from gluonts.mx.trainer import Trainer
    from gluonts.mx.trainer.callback import Callback
    from rules import Rule

    class Clock(Callback):
        def __init__(self) -> None:
            self.begun = time.perf_counter()
            self.epochs: list[float] = []
            self.losses: list[float] = []

        def on_train_epoch_start(self, training_network: Any) -> None:
            self.begun = time.perf_counter()

        def on_train_epoch_end(
            self, epoch_no: int, epoch_loss: float, training_network: Any, trainer: Any, **_: Any
        ) -> bool:
            self.epochs.append(time.perf_counter() - self.begun)
            self.losses.append(float(epoch_loss))
            return True

    def trained(epochs: int) -> Clock:
        np.random.seed(3)
        random.seed(3)
        mx.random.seed(3)
        clock = Clock()
        trainer = Trainer(
            ctx=mx.cpu(), epochs=epochs, num_batches_per_epoch=STEPS, learning_rate=1e-3, hybridize=True, init=Rule(),
            callbacks=[clock],
        )  # fmt: skip
        DeepAREstimator(
            freq="D", prediction_length=24, context_length=48, num_layers=2, num_cells=40, dropout_rate=0.0,
            trainer=trainer,
        ).train(series())  # fmt: skip
        return clock

    return lambda: trained(1).losses, lambda: min(trained(3).epochs[1:])


def suppression(mx: Any) -> tuple[Callable[[], list[float]], Callable[[], float]]:
    """The suppression of 4,000 boxes that overlap, of which 400 are looked at, as a network of its own."""
    import numpy as np

    drawn = np.random.RandomState(0)
    corners = drawn.uniform(0, 90, (4000, 2))
    boxes = np.concatenate(
        [drawn.permutation(4000)[:, None] / 4000, corners, corners + drawn.uniform(5, 10, (4000, 2))], 1
    )

    class Suppression(mx.gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.contrib.box_nms(x, overlap_thresh=0.45, topk=400, coord_start=1, score_index=0)

    return network(Suppression(), mx.nd.array(boxes[None]))


WORKLOADS = {
    "ResNet-50 v1b": resnet, "SSD-MobileNet": ssd, "DeepAR, an epoch": deepar, "BERT-base": bert,
    "box_nms, 4,000 boxes": suppression,
}  # fmt: skip

OF_CONVOLUTIONS = ("ResNet-50 v1b", "SSD-MobileNet")
"""Those that are run once more with `winograd=True`."""


def work(side: str, name: str, answers: IO[str]) -> None:
    """Answer a line of numbers for every line that is read: the output first, then seconds."""
    OPTIONS.update({"winograd": True} if side == WINOGRAD else {})
    output, seconds = WORKLOADS[name](importlib.import_module(MODULES[side]))
    for order in sys.stdin:
        print(json.dumps(output() if order.strip() == "output" else seconds()), file=answers, flush=True)


@contextmanager
def process(side: str, name: str, cpu: int | None) -> Iterator[Callable[[str], Any]]:
    """Start a side's process, and give the function that asks it."""
    sys.path.insert(0, str(SUITE))
    import comparison
    import suite

    ours = side != MXNET
    interpreter = suite.python() if ours else suite.FOLDER / "oracle" / "bin" / "python"
    homes = [suite.FOLDER / ("migrated" if ours else "upstream") / one.name for one in suite.libraries()]
    programs = suite.FOLDER / "migrated" / "programs" if ours else comparison.HERE / "programs"
    environment = {**suite.environment(), "OMP_NUM_THREADS": "1", "MXNET_MKLDNN_ENABLED": "1"}
    paths = [*([ROOT] if ours else []), ROOT / "benchmarks", SUITE, programs, *homes]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    command = [interpreter, __file__, "--side", side, "--only", name]
    keep = None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=keep
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        orders, answers = worker.stdin, worker.stdout

        def ask(order: str) -> Any:
            print(order, file=orders, flush=True)
            line = answers.readline()
            if not line:
                raise SystemExit(f"{name}: the process of {side} has ended; what it said stands above")
            return json.loads(line)

        try:
            yield ask
        finally:
            orders.close()


def agree(name: str, ours: list[float], theirs: list[float]) -> None:
    """Stop the program where outputs differ."""
    largest = max(map(abs, theirs), default=1.0)
    apart = max((abs(a - b) / largest for a, b in zip(ours, theirs, strict=True)), default=0.0)
    if not apart <= TOLERANCE:
        raise SystemExit(f"{name}: the outputs differ by {apart:.2g} of the largest number")


def main() -> None:
    options = parser(__doc__, rounds=5, cpu=0)
    options.add_argument("--only", action="append", choices=WORKLOADS)
    options.add_argument("--side", choices=MODULES, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.side:
        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what the libraries print goes to the messages
        sys.path.insert(0, str(SUITE))
        importlib.import_module("numpy_removed").put_back()
        work(chosen.side, chosen.only[0], answers)
        return
    sys.path.insert(0, str(SUITE))
    comparison, suite = importlib.import_module("comparison"), importlib.import_module("suite")
    for library in suite.libraries():
        if library.name in ("gluoncv", "gluonnlp", "gluonts"):
            suite.migrated(library)
    comparison.migrated(suite.python(), suite.FOLDER / "migrated" / "programs")
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name in chosen.only or WORKLOADS:
        for side in (OURS, WINOGRAD) if name in OF_CONVOLUTIONS else (OURS,):
            with process(side, name, chosen.cpu) as ours, process(MXNET, name, chosen.cpu) as theirs:
                agree(name, ours("output"), theirs("output"))
                samples = [(ours("seconds"), theirs("seconds")) for _ in range(chosen.rounds)]
            mine, other = (1e3 * statistics.median(column) for column in zip(*samples, strict=True))
            title = name + side.removeprefix(OURS)
            figures[title] = statistics.median(a / b for a, b in samples)
            rows.append((title, f"{mine:.1f}", f"{other:.1f}", f"{figures[title]:.2f}"))
            print(f"{title}: {figures[title]:.2f}", file=sys.stderr)
    table(("workload", f"{OURS}, ms", f"{MXNET}, ms", "ratio"), rows, chosen.markdown, {"workload"})
    if chosen.figures:
        chosen.figures.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
