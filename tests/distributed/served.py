"""A training whose ranks serve the weights: `served.py FOLDER [words]`, which mpirun starts."""

import os
import signal
import sys
import time

import numpy

import hybridize as hz
from hybridize import autograd, gluon, np
from hybridize.errors import HybridizeError
from hybridize.gluon import nn

out, *words = sys.argv[1:]
kv = hz.kvstore.create("dist_async")
kv.timeout = 60
rank, ranks = kv.rank, kv.num_workers
assert kv.type == "dist_async"


def is_refused(code, call):
    try:
        call()
    except HybridizeError as error:
        return code in str(error)
    return False


if "values" in words:
    kv.init(["a", "b"], [np.full((2, 3), rank + 5.0), np.zeros(4, dtype="float16")])
    a, b = np.zeros((2, 3)), np.zeros(4, dtype="float16")
    kv.pull("a", a)
    assert (a == 5).all()  # of rank 0
    assert is_refused("E577", lambda: kv.push("a", a))
    assert is_refused("E3002", lambda: kv.pull("c", a))
    kv.set_optimizer(hz.optimizer.SGD(learning_rate=1.0))
    assert is_refused("E3001", lambda: kv.push("a", np.zeros(3)))
    for _ in range(10):
        kv.push(["a", "b"], [[np.ones((2, 3)), np.ones((2, 3))], np.ones(4, dtype="float16")])
    kv.pull("b", b)
    assert (b <= -10).all() and (b >= -10 * ranks).all()  # a rank sees what it has pushed, whatever others have
    kv.barrier()
    kv.pull(["a", "b"], [a, b])
    assert (a == 5 - 20 * ranks).all() and (b == -10 * ranks).all()  # and all have arrived when all have pulled
    sys.exit()

hz.random.seed(7 + rank)
net = nn.HybridSequential()
width = 16 if "other" not in words or rank == 0 else 17
net.add(nn.Dense(width, activation="tanh", in_units=2), nn.Dense(2, in_units=width))
net.initialize()
store = None if "local" in words else kv
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02}, kvstore=store)
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
draws = numpy.random.default_rng(3 + rank)
losses = []
for number in range(60 if rank else 30):  # ranks may make different numbers of steps
    x = draws.normal(size=(32, 2)).astype("float32")
    y = (x[:, 0] > x[:, 1]).astype("int64")
    with autograd.record():
        loss = loss_of(net(np.array(x)), np.array(y, dtype="int64"))
    loss.backward()
    trainer.step(32)
    losses.append(float(loss.mean()))
    if number == 0 and store is not None:
        assert is_refused("E577", lambda: trainer.save_states(f"{out}/states"))
        assert is_refused("E577", lambda: trainer.load_states(f"{out}/states"))
        assert is_refused("E562", lambda: hz.hybridize(lambda: trainer.step(32))())
    if "killed" in words and number == 5 and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if "damaged" in words and number == 5 and rank == 1:
        kv._values[1] = None  # what it serves
    if rank == 0:
        time.sleep(0.001)
kv.barrier()
if store is not None:
    kv.pull(list(range(4)), [one.data() for one in net.collect_params().values()])
weights = {name: one.data().asnumpy() for name, one in net.collect_params().items()}
numpy.savez(f"{out}/rank{rank}of{ranks}{'local' if store is None else ''}.npz", losses=losses, **weights)
