# Data iterators, contexts by number, a store of values, and a file of arrays: MXNet 1.x around Gluon.
import logging
import mxnet as mx
from mxnet import autograd as ag, gluon
from mxnet.base import MXNetError

logging.getLogger().setLevel(logging.ERROR)


def try_all_gpus():
    devices = [mx.gpu(i) for i in range(mx.context.num_gpus())]
    return devices if devices else [mx.cpu()]


ctx = try_all_gpus()
mx.random.seed(3)
X = mx.nd.random.uniform(-1, 1, shape=(60, 5))
y = (X.sum(axis=1) > 0)
train = mx.io.NDArrayIter(data=X, label=y, batch_size=20, shuffle=False, label_name="softmax_label")
net = gluon.nn.Sequential(prefix="mlp_")
with net.name_scope():
    net.add(gluon.nn.Dense(8, activation="tanh"), gluon.nn.Dense(2))
net.initialize(mx.initializer.Xavier(rnd_type="gaussian"), ctx=ctx)
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05}, kvstore="local")
softmax_loss = gluon.loss.SoftmaxCELoss()
metric = mx.metric.Accuracy()
for epoch in range(12):
    train.reset()
    metric.reset()
    for batch in train:
        data = gluon.utils.split_and_load(batch.data[0], ctx_list=ctx, batch_axis=0)
        label = gluon.utils.split_and_load(batch.label[0], ctx_list=ctx, batch_axis=0)
        outputs = []
        with ag.record():
            losses = []
            for d, l in zip(data, label):
                z = net(d)
                losses.append(softmax_loss(z, l))
                outputs.append(z)
        for l in losses:
            l.backward()
        metric.update(label, outputs)
        trainer.step(batch.data[0].shape[0])
assert metric.get()[1] > 0.9, metric.get()
kv = mx.kv.create("local")
kv.init(3, mx.nd.ones((2, 3)))
out = mx.nd.zeros((2, 3))
kv.pull(3, out=out)
assert out.sum().asscalar() == 6
try:
    mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))
except MXNetError as error:
    print("as expected:", type(error).__name__)
else:
    raise SystemExit("no error")
