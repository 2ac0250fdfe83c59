"""A training that mpirun or torchrun starts: `train.py OUT [words]`; rank 0 writes the weights, one file for each step."""

import os
import resource
import signal
import sys
import time
from pathlib import Path

import numpy

import hybridize as hz
from hybridize import autograd, gluon, np
from hybridize.gluon import nn

out, *words = sys.argv[1:]
options = dict(word.split("=") for word in words if "=" in word)
parts = int(options.get("parts", 0))
"""Devices of this rank, each of which has 16 rows of the batch; 0: the rank's share of the batch on one."""
kv = hz.kvstore.create("dist_sync")
kv.timeout = 60
rank, ranks = kv.rank, kv.num_workers

hz.random.seed(7 if "alike" in words else 7 + rank)
devices = [hz.cpu(k) for k in range(parts or 1)]
net = nn.HybridSequential()
net.add(nn.Conv2D(4, 3, in_channels=1, activation="relu"), nn.MaxPool2D(2), nn.Flatten())
net.add(
    nn.Dense(20 if "other" not in words or rank == 0 else 21, activation="tanh", in_units=0 if "late" in words else 36)
)
net.add(nn.Dense(3, in_units=20 if "other" not in words or rank == 0 else 21))
net.initialize(device=devices)
last = max((int(file.stem) for file in Path(out).glob("*.states")), default=-1) if "resume" in words else -1
"""The step of the last checkpoint whose second file is there, which then has both."""
if "resume" in words:
    net.load_parameters(f"{out}/{last}.params", device=devices)
if "hybridize" in words:
    net.hybridize()
trainer = gluon.Trainer(
    net.collect_params(),
    options.get("by", "adam"),
    {"learning_rate": 0.05},
    kvstore=kv,
    deterministic="deterministic" in words,
    update_on_kvstore=False if "apart" in words else None,
    check_finite="finite" in words,
)
if "resume" in words:
    trainer.load_states(f"{out}/{last}.states")
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
draws = numpy.random.default_rng(3)
data = draws.normal(size=(8, 64, 1, 8, 8)).astype("float32")
labels = draws.integers(0, 3, size=(8, 64))
mine = slice(rank * 64 // ranks, (rank + 1) * 64 // ranks)


def step(xs, ys):
    with autograd.record():
        losses = [loss_fn(net(x), y) for x, y in zip(xs, ys, strict=True)]
    autograd.backward(losses)
    if "apart" in words:
        trainer.allreduce_grads()
        trainer.update(64)
    else:
        trainer.step(64)
    return losses


if "compiled" in words:
    step = hz.hybridize(step)

for number in range(last + 1, int(options.get("steps", 4)) - ("short" in words and rank == 1)):
    x, y = np.array(data[number][mine]), np.array(labels[number][mine])
    if "nan" in words and rank == 1 and number == 2:
        x[:] = float("nan")
    losses = step(gluon.utils.split_and_load(x, devices), gluon.utils.split_and_load(y, devices))
    kv.barrier()
    if rank == 0:
        print(f"step {number} loss {sum(float(one.sum()) for one in losses):.4f}", flush=True)
        if "checkpoint" in words:
            net.save_parameters(f"{out}/{number}.params")
            if "full" in words and number == 2:
                size = os.path.getsize(f"{out}/{number}.params")
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            trainer.save_states(f"{out}/{number}.states")
    kv.barrier()
    if rank == 1 and number == 1:
        if "raise" in words:
            raise ValueError("no more data")
        if "killed" in words:
            os.kill(os.getpid(), signal.SIGKILL)
        if "exit" in words:
            sys.exit(3)
        if "absent" in words:
            time.sleep(60)
    if "absent" in words and number == 1:
        kv.timeout = 1
weights = {name: one.data(devices[0]).asnumpy() for name, one in net.collect_params().items()}
numpy.savez(f"{out}/rank{rank}of{ranks}x{parts}{'c' if 'compiled' in words else ''}.npz", **weights)
