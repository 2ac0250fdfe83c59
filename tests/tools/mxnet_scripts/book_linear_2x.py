# The book's linear regression: from scratch, then concisely.
import random
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn
from d2l import mxnet as d2l

npx.set_np()

true_w = np.array([2, -3.4])
true_b = 4.2
features, labels = d2l.synthetic_data(true_w, true_b, 400)


def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    random.shuffle(indices)
    for i in range(0, num_examples, batch_size):
        batch_indices = np.array(
            indices[i: min(i + batch_size, num_examples)])
        yield features[batch_indices], labels[batch_indices]


w = np.random.normal(0, 0.01, (2, 1))
b = np.zeros(1)
w.attach_grad()
b.attach_grad()
timer = d2l.Timer()
for epoch in range(6):
    for X, y in data_iter(20, features, labels):
        with autograd.record():
            l = d2l.squared_loss(d2l.linreg(X, w, b), y)
        l.backward()
        d2l.sgd([w, b], 0.1, 20)
print(f'{timer.stop():.5f} sec, loss {float(l.mean()):f}')
assert np.abs(true_w - w.reshape(true_w.shape)).max() < 0.1

data = d2l.load_array((features, labels), 20)
net = nn.Sequential()
net.add(nn.Dense(1))
net.initialize(init.Normal(sigma=0.01), ctx=d2l.try_gpu())
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})
loss = gluon.loss.L2Loss()
for epoch in range(4):
    for X, y in data:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(20)
assert abs(true_b - net[0].bias.data()) < 0.1
