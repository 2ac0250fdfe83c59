# The second generation: np, npx, forward, device.
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn
npx.set_np()


class Residual(nn.HybridBlock):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.bn = nn.BatchNorm()
        self.conv2 = nn.Conv2D(channels, kernel_size=1)

    def forward(self, X):
        return npx.relu(self.bn(self.conv1(X)) + self.conv2(X))


net = nn.HybridSequential()
net.add(Residual(4), nn.GlobalAvgPool2D(), nn.Dense(2))
net.initialize(init=init.Xavier())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1, 'momentum': 0.9})
X = np.random.uniform(size=(16, 1, 6, 6))
X[8:] *= -1
y = np.array([0] * 8 + [1] * 8)
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
for epoch in range(12):
    with autograd.record():
        l = loss_fn(net(X), y).mean()
    l.backward()
    trainer.step(1)
metric = gluon.metric.Accuracy()
metric.update(y, net(X))
assert metric.get()[1] > 0.9, metric.get()
