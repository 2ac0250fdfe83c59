# SPDX-License-Identifier: Apache-2.0
"""Training on several devices at once, the nets that the book trains so, and two nets that train against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize import autograd, gluon
from hybridize.array import np, npx
from hybridize.d2l.arrays import try_all_gpus
from hybridize.d2l.figures import Animator
from hybridize.d2l.loops import accuracy
from hybridize.d2l.stopwatches import Accumulator, Timer
from hybridize.gluon import nn
from hybridize.gluon.utils import split_and_load


class Residual(nn.Block):
    """Add the input to two convolutions of it: He and others, "Deep residual learning" (2015).

    Args:
        num_channels: how many channels the result has.
        use_1x1conv: whether the input goes through a convolution of its own, so that it has the result's shape.
        strides: of the first convolution, and of the input's own.

    >>> from hybridize import d2l, np
    >>> block = d2l.Residual(3)
    >>> block.initialize()
    >>> block(np.ones((1, 3, 6, 6))).shape
    (1, 3, 6, 6)
    """

    conv1: nn.Conv2D
    conv2: nn.Conv2D
    conv3: nn.Conv2D | None
    bn1: nn.BatchNorm
    bn2: nn.BatchNorm

    def __init__(self, num_channels: int, use_1x1conv: bool = False, strides: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
        self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()

    def forward(self, X: Any) -> Any:
        Y = self.bn2(self.conv2(npx.relu(self.bn1(self.conv1(X)))))
        return npx.relu(Y + (self.conv3(X) if self.conv3 is not None else X))


class ResNeXtBlock(nn.Block):
    """Add the input to three convolutions of it, the middle one in groups.

    From Xie and others, "Aggregated residual transformations for deep neural networks" (2017).

    Args:
        num_channels: how many channels the result has.
        groups: how many channels are in a group.
        bot_mul: how many channels the middle has, as a share of the result's.
        use_1x1conv, strides: see `Residual`.

    >>> from hybridize import d2l, np
    >>> block = d2l.ResNeXtBlock(8, 4, 1)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 6, 6))).shape
    (1, 8, 6, 6)
    """

    conv1: nn.Conv2D
    conv2: nn.Conv2D
    conv3: nn.Conv2D
    conv4: nn.Conv2D | None
    bn1: nn.BatchNorm
    bn2: nn.BatchNorm
    bn3: nn.BatchNorm
    bn4: nn.BatchNorm | None

    def __init__(
        self, num_channels: int, groups: int, bot_mul: float, use_1x1conv: bool = False, strides: int = 1, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        middle = round(num_channels * bot_mul)
        self.conv1 = nn.Conv2D(middle, kernel_size=1)
        self.conv2 = nn.Conv2D(middle, kernel_size=3, padding=1, strides=strides, groups=middle // groups)
        self.conv3 = nn.Conv2D(num_channels, kernel_size=1)
        self.bn1, self.bn2, self.bn3 = nn.BatchNorm(), nn.BatchNorm(), nn.BatchNorm()
        self.conv4 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
        self.bn4 = nn.BatchNorm() if use_1x1conv else None

    def forward(self, X: Any) -> Any:
        Y = npx.relu(self.bn2(self.conv2(npx.relu(self.bn1(self.conv1(X))))))
        Y = self.bn3(self.conv3(Y))
        return npx.relu(Y + (self.bn4(self.conv4(X)) if self.conv4 is not None and self.bn4 is not None else X))


def resnet18(num_classes: int) -> nn.Sequential:
    """Return a ResNet of 18 layers for small images: its first convolution keeps their size, and no pooling follows.

    Args:
        num_classes: how many scores the net returns.

    >>> from hybridize import d2l
    >>> net = d2l.resnet18(10)
    """
    net = nn.Sequential()
    net.add(nn.Conv2D(64, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    for stage, channels in enumerate((64, 128, 256, 512)):
        first = Residual(channels, use_1x1conv=True, strides=2) if stage else Residual(channels)
        blocks = nn.Sequential()
        blocks.add(first, Residual(channels))
        net.add(blocks)
    net.add(nn.GlobalAvgPool2D(), nn.Dense(num_classes))
    return net


def split_batch(X: Any, y: Any, devices: Sequence[Any]) -> tuple[Any, Any]:
    """Split features and labels along the first axis, with a part on each device.

    Args:
        X: features.
        y: labels.
        devices: the devices.

    >>> from hybridize import d2l, np
    >>> X, y = d2l.split_batch(np.ones((4, 3)), np.ones(4), [d2l.cpu(0), d2l.cpu(1)])
    >>> X[0].shape
    (2, 3)
    """
    assert X.shape[0] == y.shape[0], f"{X.shape[0]} examples have {y.shape[0]} labels"
    return split_and_load(X, devices), split_and_load(y, devices)


def split_batch_multi_inputs(X: Sequence[Any], y: Any, devices: Sequence[Any]) -> tuple[Any, Any]:
    """Split several inputs and the labels along the first axis, with a part on each device. Parts may differ in length.

    Args:
        X: arrays, one for each input of the net.
        y: labels.
        devices: the devices.

    Returns:
        For each device a tuple of inputs; and its labels.

    >>> from hybridize import d2l, np
    >>> X, y = d2l.split_batch_multi_inputs((np.ones((3, 2)), np.ones((3, 4))), np.ones(3), [d2l.cpu(0), d2l.cpu(1)])
    >>> [one.shape for one in X[0]], [one.shape for one in X[1]]
    ([(2, 2), (2, 4)], [(1, 2), (1, 4)])
    """
    parts = [split_and_load(one, devices, even_split=False) for one in X]
    return [*zip(*parts, strict=True)], split_and_load(y, devices, even_split=False)


def evaluate_accuracy_gpus(net: Any, data_iter: Any, split_f: Callable[..., Any] = split_batch) -> float:
    """Return the share of examples that a net puts into the right class. Each batch is split among the net's devices.

    Args:
        net: a block that gives scores of classes.
        data_iter: batches of features and labels.
        split_f: splits features and labels among devices.

    >>> from hybridize import d2l, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2)
    >>> net.initialize("zeros", ctx=[d2l.cpu(0), d2l.cpu(1)])
    >>> d2l.evaluate_accuracy_gpus(net, [(np.ones((4, 3)), np.array([0, 0, 0, 1]))])
    0.75
    """
    devices = next(iter(net.collect_params().values())).list_ctx()
    sums = Accumulator(2)
    for features, labels in data_iter:
        parts = zip(*split_f(features, labels, devices), strict=True)
        sums.add(sum(accuracy(net(X), y) for X, y in parts), labels.size)
    return sums[0] / sums[1]


def train_batch_ch13(
    net: Any,
    features: Any,
    labels: Any,
    loss: Callable[[Any, Any], Any],
    trainer: gluon.Trainer,
    devices: Sequence[Any],
    split_f: Callable[..., Any] = split_batch,
) -> tuple[float, float]:
    """Take one step of training, a part of the batch on each device.

    Args:
        net: a block.
        features, labels: of a batch.
        loss: of results and labels, for each example.
        trainer: changes the weights; those that got no new gradient stay.
        devices: where.
        split_f: parts features and labels among the devices.

    Returns:
        The sum of the losses, and the number of examples in the right class.

    >>> from hybridize import d2l, gluon, np
    >>> devices = [d2l.cpu(0), d2l.cpu(1)]
    >>> net = gluon.nn.Dense(2)
    >>> net.initialize("zeros", ctx=devices)
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> loss = gluon.loss.SoftmaxCrossEntropyLoss()
    >>> total, right = d2l.train_batch_ch13(net, np.ones((4, 3)), np.array([0, 1, 0, 1]), loss, trainer, devices)
    >>> round(total, 3), right
    (2.773, 2.0)
    """
    X_parts, y_parts = split_f(features, labels, devices)
    with autograd.record():
        results = [net(X) for X in X_parts]
        losses = [loss(one, y) for one, y in zip(results, y_parts, strict=True)]
    autograd.backward(losses)
    trainer.step(labels.shape[0], ignore_stale_grad=True)
    right = sum(accuracy(one, y) for one, y in zip(results, y_parts, strict=True))
    return sum(float(one.sum()) for one in losses), right


def train_ch13(
    net: Any,
    train_iter: Any,
    test_iter: Any,
    loss: Callable[[Any, Any], Any],
    trainer: gluon.Trainer,
    num_epochs: int,
    devices: Sequence[Any] | None = None,
    split_f: Callable[..., Any] = split_batch,
) -> Animator:
    """Train a net on several devices, with curves.

    At the end it prints the loss, the accuracies and the speed.

    Args:
        net, loss, trainer, split_f: see `train_batch_ch13`.
        train_iter: batches of features and labels; it has a length.
        test_iter: batches to test with.
        num_epochs: how often the loop goes through all batches.
        devices: where; None: all GPUs, or the CPU.

    Returns:
        The curves of loss and accuracy.

    >>> from hybridize import d2l, gluon, np
    >>> net = gluon.nn.Dense(2)
    >>> net.initialize("zeros")
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    >>> batches = [(np.array([[1.0], [-1.0]]), np.array([0, 1]))]
    >>> curves = d2l.train_ch13(net, batches, batches, gluon.loss.SoftmaxCrossEntropyLoss(), trainer, 2)
    loss ..., train acc 1.000, test acc 1.000
    ... examples/sec on [cpu(0)]
    >>> d2l.plt.close()
    """
    devices = try_all_gpus() if devices is None else devices
    legend = ["train loss", "train acc", "test acc"]
    animator = Animator(xlabel="epoch", xlim=[1, num_epochs], ylim=[0, 1], legend=legend)
    timer, count, examples, sums = Timer(), len(train_iter), 0.0, Accumulator(4)
    test_accuracy = float("nan")
    for epoch in range(num_epochs):
        sums.reset()
        for number, (features, labels) in enumerate(train_iter, 1):
            timer.start()
            totals = train_batch_ch13(net, features, labels, loss, trainer, devices, split_f)
            sums.add(*totals, labels.shape[0], labels.size)
            timer.stop()
            if number % max(count // 5, 1) == 0 or number == count:
                animator.add(epoch + number / count, (sums[0] / sums[2], sums[1] / sums[3], None))
        examples += sums[2]
        test_accuracy = evaluate_accuracy_gpus(net, test_iter, split_f)
        animator.add(epoch + 1, (None, None, test_accuracy))
    print(f"loss {sums[0] / sums[2]:.3f}, train acc {sums[1] / sums[3]:.3f}, test acc {test_accuracy:.3f}")
    print(f"{examples / timer.sum():.1f} examples/sec on {list(devices)}")
    return animator


def update_D(  # noqa: N802 - the book's name
    X: Any, Z: Any, net_D: Any, net_G: Any, loss: Any, trainer_D: gluon.Trainer
) -> float:
    """Train a discriminator by one batch.

    Args:
        X: data.
        Z: numbers that the generator makes data of.
        net_D: gives one score for each example.
        net_G: the generator; it stays as it is.
        loss: of scores and labels; the label is 1 for data and 0 for the generator's results.
        trainer_D: changes the discriminator.

    Returns:
        The sum of the losses.

    >>> from hybridize import d2l, gluon, np
    >>> net_D, net_G = gluon.nn.Dense(1), gluon.nn.Dense(2)
    >>> net_D.initialize("zeros")
    >>> net_G.initialize()
    >>> trainer = gluon.Trainer(net_D.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    >>> round(d2l.update_D(np.ones((4, 2)), np.ones((4, 3)), net_D, net_G, loss, trainer), 3)
    2.773
    """
    ones, zeros = np.ones((len(X),), ctx=X.ctx), np.zeros((len(X),), ctx=X.ctx)
    with autograd.record():
        fakes = net_G(Z).detach()
        losses = (loss(net_D(X), ones) + loss(net_D(fakes), zeros)) / 2
    losses.backward()
    trainer_D.step(len(X))
    return float(losses.sum())


def update_G(Z: Any, net_D: Any, net_G: Any, loss: Any, trainer_G: gluon.Trainer) -> float:  # noqa: N802 - the same
    """Train a generator by one batch, so that the discriminator takes its results for data.

    Args:
        Z: numbers that the generator makes data of.
        net_D: the discriminator; it stays as it is.
        net_G: the generator.
        loss: see `update_D`.
        trainer_G: changes the generator.

    Returns:
        The sum of the losses.

    >>> from hybridize import d2l, gluon, np
    >>> net_D, net_G = gluon.nn.Dense(1), gluon.nn.Dense(2)
    >>> net_D.initialize("zeros")
    >>> net_G.initialize()
    >>> trainer = gluon.Trainer(net_G.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    >>> round(d2l.update_G(np.ones((4, 3)), net_D, net_G, loss, trainer), 3)
    2.773
    """
    with autograd.record():
        losses = loss(net_D(net_G(Z)), np.ones((len(Z),), ctx=Z.ctx))
    losses.backward()
    trainer_G.step(len(Z))
    return float(losses.sum())
