"""How much faster two processes train than one: a step of LeNet, a batch of 128 in all, one core for each process.

    python benchmarks/ranks.py [--rounds 5] [--steps 60]

One rank on one core and two ranks on two cores take turns, started by mpirun (`pip install hybridize[mpi]`). Each is
timed over its steps after ten that do not count, from a barrier to the end of the last update. Printed are the median
of the rounds of each, and their ratio; then the same by the best rounds, which another process on the machine disturbs
less. The machine must have two cores and nothing else to do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

BATCH = 128
WARM = 10


def train(steps: int) -> None:
    """Take steps as one rank, and let rank 0 print the seconds of one."""
    import hybridize as hz
    from hybridize import autograd, gluon
    from hybridize.gluon import nn

    kv = hz.kvstore.create("dist_sync")
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[kv.rank]})
    hz.set_num_threads(1)
    hz.random.seed(1)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid"),
        nn.AvgPool2D(2, 2), nn.Dense(120, activation="sigmoid"), nn.Dense(84, activation="sigmoid"), nn.Dense(10),
    )  # fmt: skip
    net.initialize()
    x = hz.np.random.normal(size=(BATCH // kv.num_workers, 1, 28, 28))
    y = hz.np.random.randint(0, 10, size=(len(x),))
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=kv)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hz.hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean()

    for _ in range(WARM):
        step(x, y)
    kv.barrier()
    begin = time.perf_counter()
    for _ in range(steps):
        loss = step(x, y)
    float(loss)
    kv.barrier()
    if kv.rank == 0:
        print((time.perf_counter() - begin) / steps)


def seconds(ranks: int, steps: int) -> float:
    """Return the seconds of a step with so many ranks."""
    mpirun = Path(sys.executable).with_name("mpirun")
    starter = str(mpirun) if mpirun.exists() else shutil.which("mpirun")
    if starter is None:
        raise SystemExit("there is no mpirun: pip install hybridize[mpi]")
    command = [starter, "-n", str(ranks), sys.executable, __file__, "--worker", "--steps", str(steps)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        train(options.steps)
        return
    rows: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for ranks, times in rows.items():
            times.append(seconds(ranks, options.steps))
    for title, of in (("median", statistics.median), ("best", min)):
        one, two = of(rows[1]), of(rows[2])
        print(f"{title}: one rank {one * 1e3:.2f} ms, two ranks {two * 1e3:.2f} ms a step: {one / two:.2f} x")


if __name__ == "__main__":
    main()
