# SPDX-License-Identifier: Apache-2.0
"""The memory of long sequences: attention that would not keep its scores, and decoding that goes on and on."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hybridize_bench import workloads
from hybridize_bench.bench import PATIENCE_S, Amount, BenchOptions, BenchWorker, Tell, prepare, rows, silent, worker
from hybridize_bench.deployment import compiled
from hybridize_bench.peak_memory import KEPT
from hybridize_bench.sequences.decoder import DecodingNet
from hybridize_bench.sequences.inference import MEASURED

BEFORE, STEPS = 1_000, 10_000
"""Steps of decoding before, and while, what is held is watched: the first fill every cache once."""
DECODED = f"decoding-1m, {STEPS:,} steps"
NOTE = (
    "in all: of attention its queries, keys and values, and the most of the C library's memory that a warm call takes "
    f"beyond what is held between two of them; of decoding what is held after {STEPS:,} steps, of which beyond: more "
    "than before them"
)


def run(options: BenchOptions, tell: Tell = silent) -> list[Amount]:
    """For each row of each workload its memory, and how much of it was not there before. It tells each row when that
    begins.
    """
    found: list[Amount] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            counter = compiled("peak.c", Path(folder) / "peak.so", options, "-shared", "-fPIC")
        except OSError as failure:
            return [Amount(workload, error=str(failure)) for workload in MEASURED]
        for number, (workload, net) in enumerate(MEASURED.items()):
            tell("what must come out", number, len(MEASURED))
            data = workloads.write(workload, Path(folder))
            name = DECODED if isinstance(net, DecodingNet) else workload
            for row in rows(options, data.table):
                tell(row.name, number, len(MEASURED))
                with worker(options.cpu, {"LD_PRELOAD": str(counter), **KEPT}) as process:
                    answer = prepare(process, row, workload, data)
                    if "error" not in answer:
                        answer = decoded(process) if isinstance(net, DecodingNet) else peak(process, workload)
                found.append(Amount(f"{name}: {row.name}", **answer))
    return found


def peak(process: BenchWorker, workload: str) -> dict[str, int]:
    """The most memory of a warm call, beyond what goes in."""
    answer = process.ask(do="peak")
    if "error" in answer:
        return answer
    there = sum(array.nbytes for array in MEASURED[workload].arrays().values())
    return {"nbytes": there + answer["bytes"], "besides": there}


def decoded(process: BenchWorker) -> dict[str, int]:
    """Bytes held after many steps, and before them."""
    held: list[int] = []
    for count in (BEFORE, STEPS):
        for request in ({"do": "steps", "count": count, "seconds": PATIENCE_S}, {"do": "held"}):
            answer = process.ask(**request)
            if "error" in answer:
                return answer
        held.append(answer["bytes"])
    return {"nbytes": held[1], "besides": held[0]}
