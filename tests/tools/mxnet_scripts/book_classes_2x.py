"""The book's object-oriented design: a module, data and a trainer, with scratch parameters and a device."""
from d2l import mxnet as d2l
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn
npx.set_np()

device = npx.gpu() if npx.num_gpus() > 0 else npx.cpu()


class Perceptron(d2l.Module):  #@save
    def __init__(self, num_hiddens, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.HybridSequential()
        self.net.add(nn.Dense(num_hiddens, activation='relu'), nn.Dense(1))
        self.net.initialize(init.Xavier(), ctx=device)
        self.net.hybridize()

    def forward(self, X):
        return self.net(X)

    def loss(self, y_hat, y):
        return gluon.loss.L2Loss()(y_hat, y).mean()

    def configure_optimizers(self):
        return gluon.Trainer(self.collect_params(), 'sgd', {'learning_rate': self.lr})


@d2l.add_to_class(Perceptron)
def plot(self, key, value, train):
    if not train:
        seen.append(float(value))


seen = []
model = Perceptron(8, lr=0.02)
data = d2l.SyntheticRegressionData(w=np.array([2, -3.4]), b=4.2, num_train=200, num_val=50)
trainer = d2l.Trainer(max_epochs=4)
trainer.fit(model, data)
assert seen and seen[-1] < seen[0], seen
