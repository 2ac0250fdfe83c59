import mxnet as mx; from mxnet import autograd, gluon
from mxnet.gluon import nn as layers, rnn, data as gdata, loss as gloss

F = mx.nd


class Model(gluon.Block):
    """Words to words."""

    def __init__(self, vocab_size, num_hidden, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.encoder = layers.Embedding(vocab_size, num_hidden)
            self.rnn = rnn.LSTM(num_hidden, 1, layout="TNC")
            self.decoder = layers.Dense(vocab_size, flatten=False)

    def forward(self, inputs, hidden):
        emb = self.encoder(inputs)
        output, hidden = self.rnn(emb, hidden)
        return self.decoder(output), hidden

    def begin_state(self, *args, **kwargs):
        return self.rnn.begin_state(*args, **kwargs)


def detach(hidden):
    return [i.detach() for i in hidden]


model = Model(7, 12)
model.initialize(mx.init.Xavier())
trainer = gluon.Trainer(model.collect_params(), "adam", {"learning_rate": 2e-2})
words = F.array([[i % 7] * 2 for i in range(8)])
targets = F.array([[(i + 1) % 7] * 2 for i in range(8)])
criterion = gloss.SoftmaxCrossEntropyLoss()
state = model.begin_state(func=mx.nd.zeros, batch_size=2, ctx=mx.cpu())
losses = []
for step in range(30):
    state = detach(state)
    with autograd.record():
        out, state = model(words, state)
        loss = criterion(out, targets).mean()
    loss.backward()
    grads = [p.grad(mx.cpu()) for p in model.collect_params().values()]
    gluon.utils.clip_global_norm(grads, 1.0)
    trainer.step(1)
    losses.append(loss.asscalar())
assert losses[-1] < losses[0] / 3, losses
