"""A block with hybrid_forward, exported and read back, as in MXNet 1.x's tutorial on hybridizing."""
import mxnet
import mxnet.gluon
import mxnet.ndarray as nd
from mxnet.gluon import (
    nn,  # layers
    HybridBlock,
)


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super(Net, self).__init__(**kwargs)
        with self.name_scope():
            self.fc1 = nn.Dense(8)
            self.fc2 = nn.Dense(2)
            self.scale = self.params.get("scale", shape=(1, 8), init="ones")

    def hybrid_forward(self, F, x, scale):
        # F is nd or sym
        x = F.relu(self.fc1(x))
        x = F.broadcast_mul(x, scale)
        x = F.concat(x, F.zeros_like(x), dim=1)
        return self.fc2(F.reshape(x, shape=(0, -1)))


net = Net()
net.initialize(mxnet.init.Normal(.5))
x = nd.random.normal(shape=(3, 4))
before = net(x)
net.hybridize(static_alloc=True, static_shape=True)
after = net(x)
net.export("net", epoch=1)
again = mxnet.gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0001.params", ctx=mxnet.cpu())
assert nd.abs(before - after).max().asscalar() < 1e-5
assert nd.abs(again(x) - after).max().asscalar() < 1e-5
