# A classifier as the tutorials of MXNet 1.x write it: nd, autograd, gluon, a context, batches from a DataLoader.
from __future__ import print_function

import mxnet as mx
import numpy as np
from mxnet import nd, autograd, gluon   # three blanks stay

mx.random.seed(1)
np.random.seed(1)
ctx = mx.cpu()   # whichever is there
data_ctx = mx.gpu(0)

num_inputs, num_outputs = 8, 3
centres = np.random.normal(size=(num_outputs, num_inputs)) * 2
labels = np.arange(96) % num_outputs
features = centres[labels] + np.random.normal(size=(96, num_inputs))
data = gluon.data.ArrayDataset(nd.array(features), nd.array(labels))
loader = gluon.data.DataLoader(data, batch_size=16, shuffle=True)

net = gluon.nn.HybridSequential()
with net.name_scope():
    net.add(gluon.nn.Dense(16, activation="relu"))
    net.add(gluon.nn.Dense(num_outputs))
net.collect_params().initialize(mx.init.Xavier(magnitude=2.24), ctx=ctx)
net.hybridize()

softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': .1})


def evaluate_accuracy(data_iterator, net):
    acc = mx.metric.Accuracy()
    for i, (data, label) in enumerate(data_iterator):
        data = data.as_in_context(ctx)
        output = net(data)
        predictions = nd.argmax(output, axis=1)
        acc.update(preds=predictions, labels=label)
    return acc.get()[1]


for e in range(8):
    cumulative_loss = 0
    for i, (data, label) in enumerate(loader):
        data = data.as_in_context(data_ctx)
        label = label.as_in_context(data_ctx)
        with autograd.record():
            loss = softmax_cross_entropy(net(data), label)
        loss.backward()
        trainer.step(data.shape[0])
        cumulative_loss += nd.sum(loss).asscalar()

accuracy = evaluate_accuracy(loader, net)
print("accuracy %s" % accuracy)
assert accuracy > 0.9
