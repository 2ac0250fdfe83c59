"""What a subclass has to define is refused by one error, which is Python's NotImplementedError, as MXNet's is."""

import pytest

from hybridize import autograd, d2l, gluon, image, init, io, kvstore, lr_scheduler, metric, np, operator, optimizer
from hybridize.errors import ArgumentError, UndefinedError

X = np.ones((2, 3))
STORE = kvstore.KVStoreBase()
CALLS = {
    "Block.forward": lambda: gluon.Block()(X),
    "HybridBlock.forward": lambda: gluon.HybridBlock()(X),
    "Loss.forward": lambda: gluon.loss.Loss(1, 0)(X, X),
    "RecurrentCell.state_info": lambda: gluon.rnn.RecurrentCell().state_info(),
    "BidirectionalCell": lambda: gluon.rnn.BidirectionalCell(gluon.rnn.LSTMCell(2), gluon.rnn.LSTMCell(2))(X, []),
    "Dataset item": lambda: gluon.data.Dataset()[0],
    "Dataset length": lambda: len(gluon.data.Dataset()),
    "Sampler order": lambda: list(gluon.data.Sampler()),
    "Sampler length": lambda: len(gluon.data.Sampler()),
    "EvalMetric": lambda: metric.EvalMetric("m").update(X, X),
    "Initializer": lambda: init.Initializer()("weight", X),
    "Optimizer": lambda: optimizer.Optimizer().update(0, X, X, None),
    "LRScheduler": lambda: lr_scheduler.LRScheduler()(1),
    "Function.forward": lambda: autograd.Function()(X),
    "Function.backward": lambda: autograd.Function().backward(X),
    "CustomOp.forward": lambda: operator.CustomOp().forward(True, [], [], [], []),
    "CustomOp.backward": lambda: operator.CustomOp().backward([], [], [], [], [], []),
    "Augmenter": lambda: image.Augmenter()(X),
    "DataIter": lambda: io.DataIter(2).next(),
    "KVStoreBase.broadcast": lambda: STORE.broadcast(0, X, X),
    "KVStoreBase.pushpull": lambda: STORE.pushpull(0, X),
    "KVStoreBase.set_optimizer": lambda: STORE.set_optimizer(optimizer.SGD()),
    "KVStoreBase.is_capable": lambda: kvstore.KVStoreBase.is_capable(STORE, "optimizer"),
    "KVStoreBase.save": lambda: STORE.save_optimizer_states("f"),
    "KVStoreBase.load": lambda: STORE.load_optimizer_states("f"),
    "KVStoreBase.type": lambda: STORE.type,
    "KVStoreBase.rank": lambda: STORE.rank,
    "KVStoreBase.num_workers": lambda: STORE.num_workers,
    "d2l.Module": lambda: d2l.Module().loss(X, X),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_method_that_a_subclass_has_to_define(name):
    with pytest.raises(NotImplementedError, match=r"E328(.|\n)*help: ") as caught:
        CALLS[name]()
    assert isinstance(caught.value, UndefinedError)
    assert isinstance(caught.value, ArgumentError)
