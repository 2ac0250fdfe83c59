"""Curves of losses: nets of every kind, with every optimizer, trained on in C from where Python stands, with its bits."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, lr_scheduler, np, optimizer
from hybridize.gluon import nn, rnn
from tests.formats.library.trained import Trained

STEPS = 20
draw = numpy.random.default_rng(7)
IMAGES = draw.standard_normal((5, 4, 2, 8, 8)).astype("f4")
ROWS = draw.standard_normal((5, 4, 6)).astype("f4")
SEQUENCES = draw.standard_normal((5, 4, 5, 6)).astype("f4")
WORDS = draw.integers(0, 11, (5, 4, 5)).astype("i4")
LABELS = draw.integers(0, 3, (5, 4)).astype("f4")
TARGETS = draw.random((5, 4, 3)).astype("f4")


def chain(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


class Last(nn.HybridBlock):
    """A recurrent layer's last output."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[:, -1]


class Encoder(nn.HybridBlock):
    """Words, an encoder's layer with attention and dropout, their mean."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(11, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1)

    def forward(self, x):
        return self.layer(self.words(x)).mean(axis=1)


CE, L2 = gluon.loss.SoftmaxCrossEntropyLoss, gluon.loss.L2Loss
NETS = {
    "dense": (lambda: chain(nn.Dense(8, activation="tanh"), nn.Dense(3)), CE, ROWS, LABELS),
    "convolutions": (
        lambda: chain(
            nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2), nn.Conv2D(4, 3),
            nn.Flatten(), nn.Dense(3),
        ), CE, IMAGES, LABELS,
    ),
    "lstm": (lambda: chain(Last(rnn.LSTM(7, layout="NTC")), nn.Dense(3)), gluon.loss.HuberLoss, SEQUENCES, TARGETS),
    "gru": (lambda: chain(Last(rnn.GRU(7, layout="NTC")), nn.Dense(3)), L2, SEQUENCES, TARGETS),
    "transformer": (lambda: chain(Encoder(), nn.Dense(3)), CE, WORDS, LABELS),
    "dropout": (
        lambda: chain(nn.Dense(16), nn.LayerNorm(), nn.GELU(), nn.Dropout(0.4), nn.Dense(3)),
        gluon.loss.SigmoidBCELoss, ROWS, TARGETS,
    ),
    "embedding": (lambda: chain(nn.Embedding(11, 4), nn.Flatten(), nn.Dense(3)), gluon.loss.L1Loss, WORDS, TARGETS),
    "log": (lambda: chain(nn.Dense(3), nn.HybridLambda("log_softmax")), gluon.loss.KLDivLoss, ROWS, TARGETS),
}  # fmt: skip
SETTINGS = {
    "sgd": {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-3},
    "adam": {"learning_rate": 1e-2, "clip_gradient": 0.1},
    "adamw": {"wd": 0.01},
    "rmsprop": {"centered": True},
    "lars": {"momentum": 0.9, "wd": 1e-3},
    "lbsgd": {"momentum": 0.5, "batch_scale": 3, "warmup_epochs": 2, "updates_per_epoch": 6},
    "dcasgd": {"momentum": 0.5},
    "sgld": {"learning_rate": 1e-4},
}  # fmt: skip
QUICK = {
    ("dense", "nadam"), ("convolutions", "sgd"), ("lstm", "adam"), ("embedding", "ftml"),
}  # fmt: skip
ROUNDED = {("convolutions", "lars"), ("convolutions", "lans")}
"""Pairs whose curves differ in last bits: lengths of gradients of convolutions. The cause has not been looked for to the end."""
MATRICES = ("groupadagrad",)
"""Optimizers of matrices alone."""
LONG = pytest.mark.long
PAIRS = [
    pytest.param(net, name, marks=() if (net, name) in QUICK else LONG)
    for net in NETS
    for name in sorted(optimizer.Optimizer.opt_registry)
    if name not in MATRICES or net in ("dense", "embedding")
]


def check_curve(path, net, name, settings):
    kind, (make, loss_of, xs, ys) = net, NETS[net]
    hybridize.random.seed(11)
    net = make()
    net.initialize("xavier")
    if name in MATRICES:
        net.collect_params(".*bias").setattr("grad_req", "null")
    trainer, loss_of = gluon.Trainer(net.collect_params(), name, settings), loss_of()

    @hybridize.hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss.mean()

    def in_python(k):
        return step(np.array(xs[k], dtype=xs.dtype), np.array(ys[k])).asnumpy()

    for k in range(2):
        in_python(k)
    made = Trained(step.export(path / "curve_step", "library"), "curve_step")
    losses = []
    for k in range(STEPS):
        losses.append(in_python(k % 5))
        loss = made.run(xs[k % 5], ys[k % 5])
        assert loss == losses[-1] or ((kind, name) in ROUNDED and abs(loss / losses[-1] - 1) < 1e-5), k
    assert numpy.isfinite(losses).all()
    assert len({float(one) for one in losses}) > STEPS // 2
    return made


@pytest.mark.parametrize(("net", "name"), PAIRS)
def test_an_optimizer_trains_a_net(tmp_path, net, name):
    made = check_curve(tmp_path, net, name, SETTINGS.get(name, {}))
    assert made.exported.left_out == ()


SCHEDULES = {
    "factor": lambda: lr_scheduler.FactorScheduler(3, 0.7, 0.05, base_lr=0.3, warmup_steps=5, warmup_begin_lr=0.1),
    "several": lambda: lr_scheduler.MultiFactorScheduler([4, 9, 15], 0.5, base_lr=0.3),
    "power": lambda: lr_scheduler.PolyScheduler(15, base_lr=0.3, final_lr=0.01, pwr=1.7),
    "cosine": lambda: lr_scheduler.CosineScheduler(18, 0.3, 0.0, 4, 0.2, "constant"),
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one == "cosine" else LONG) for one in SCHEDULES])
def test_a_schedule_is_part_of_the_step(tmp_path, name):
    made = check_curve(tmp_path, "dense", "sgd", {"lr_scheduler": SCHEDULES[name]()})
    assert made.exported.left_out == ()
    assert made.get("base_lr", numpy.array(0.0)) == 0.3
    assert "learning_rate" not in made.states
