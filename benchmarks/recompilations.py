"""Programs that a thousand training steps need, with a schedule and a last batch that is short.

    python benchmarks/recompilations.py

Fails when it compiles more than twice again.
"""

import itertools

import numpy

from hybridize import autograd, gluon, hybridize, init, lr_scheduler, np
from hybridize.gluon import data, nn

STEPS, SAMPLES, BATCH = 1000, 1000, 64
MOST = 2


def main():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu", in_units=512), nn.Dense(128, activation="relu", in_units=256))
    net.add(nn.Dense(2, in_units=128))
    net.initialize(init.Xavier())
    schedule = lr_scheduler.CosineScheduler(STEPS, base_lr=0.01, final_lr=1e-4, warmup_steps=50)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    random = numpy.random.default_rng(0)
    x = random.standard_normal((SAMPLES, 512)).astype("float32")
    loader = data.DataLoader(data.ArrayDataset(x, (x[:, 0] > 0).astype("int32")), BATCH, shuffle=True)
    batches = itertools.islice(itertools.chain.from_iterable(itertools.repeat(loader)), STEPS)
    rates, sizes = set(), set()
    for x, y in batches:
        rates.add(trainer.learning_rate)
        sizes.add(len(x))
        loss = step(np.array(x), np.array(y))
    again = step.cache_info().programs - 1
    print(f"| steps | learning rates | batch sizes | compiled again | last loss |\n|{' ---: |' * 5}")
    print(f"| {STEPS:,} | {len(rates)} | {len(sizes)} | {again} | {float(loss):.4f} |")
    if again > MOST:
        raise SystemExit(f"more than {MOST} recompilations")


if __name__ == "__main__":
    main()
