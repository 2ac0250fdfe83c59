# SPDX-License-Identifier: Apache-2.0
"""The loops that train in the book's earlier chapters, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hybridize import autograd, gluon, init
from hybridize.array import np
from hybridize.array.device import cpu
from hybridize.d2l.classes import clip
from hybridize.d2l.datasets import get_fashion_mnist_labels
from hybridize.d2l.figures import Animator, show_images
from hybridize.d2l.stopwatches import Accumulator, Timer
from hybridize.gluon.utils import split_and_load


def linreg(X: Any, w: Any, b: Any) -> Any:
    """Return Xw + b.

    Args:
        X: features, (batch, features).
        w: weights.
        b: the bias.

    >>> from hybridize import d2l, np
    >>> d2l.linreg(np.ones((2, 3)), np.ones(3), 1.0)
    array([4., 4.])
    """
    return np.dot(X, w) + b


def squared_loss(y_hat: Any, y: Any) -> Any:
    """Return half of the squared difference, for each element.

    Args:
        y_hat: results.
        y: labels, of as many elements.

    >>> from hybridize import d2l, np
    >>> d2l.squared_loss(np.array([3.0]), np.array([1.0]))
    array([2.])
    """
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params: Iterable[Any], lr: float, batch_size: int) -> None:
    """Move each array against its gradient, which is a sum over `batch_size` examples.

    Args:
        params: arrays with gradients.
        lr: the learning rate.
        batch_size: how many examples the gradients are sums over.

    >>> from hybridize import autograd, d2l, np
    >>> w = np.array([1.0])
    >>> w.attach_grad()
    >>> with autograd.record():
    ...     y = w * 4
    >>> y.backward()
    >>> d2l.sgd([w], lr=0.5, batch_size=4)
    >>> w
    array([0.5])
    """
    for one in params:
        one[:] = one - lr * one.grad / batch_size


def grad_clipping(net: Any, theta: float) -> None:
    """Scale the gradients of a net, or of an object's `params`, so that their common norm is at most `theta`.

    Args:
        net: a block, or an object with `params`, a list of arrays.
        theta: the largest norm.

    >>> from hybridize import autograd, d2l, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(1, in_units=2, use_bias=False)
    >>> net.initialize()
    >>> with autograd.record():
    ...     y = net(np.array([[3.0, 4.0]]))
    >>> y.backward()
    >>> d2l.grad_clipping(net, 1.0)
    >>> net.weight.grad().round(2)
    array([[0.6, 0.8]])
    """
    clip(net.collect_params() if isinstance(net, gluon.Block) else net.params, theta)


def accuracy(y_hat: Any, y: Any) -> float:
    """Return the number of examples whose greatest score, or whose class, is that of the label.

    Args:
        y_hat: scores (batch, classes), or classes (batch,).
        y: labels, (batch,).

    >>> from hybridize import d2l, np
    >>> d2l.accuracy(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    1.0
    """
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    return float((y_hat.astype(y.dtype) == y).astype("float32").sum())


def evaluate_accuracy(net: Callable[[Any], Any], data_iter: Iterable[Any]) -> float:
    """Return the share of examples of an iterator that a net puts into the right class.

    Args:
        net: gives scores of classes.
        data_iter: batches of features and labels.

    >>> from hybridize import d2l, np
    >>> d2l.evaluate_accuracy(lambda x: x, [(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))])
    0.5
    """
    sums = Accumulator(2)
    for X, y in data_iter:
        sums.add(accuracy(net(X), y), y.size)
    return sums[0] / sums[1]


def evaluate_accuracy_gpu(net: Any, data_iter: Iterable[Any], device: Any = None) -> float:
    """Return the share of examples that a net puts into the right class, and put each batch on a device first.

    Args:
        net: a block that gives scores of classes.
        data_iter: batches of features and labels.
        device: where; None: the device of the net's first parameter.

    >>> from hybridize import d2l, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2)
    >>> net.initialize("zeros")
    >>> d2l.evaluate_accuracy_gpu(net, [(np.ones((2, 3)), np.array([0, 1]))])
    0.5
    """
    if device is None:
        device = next(iter(net.collect_params().values())).list_ctx()[0]
    return evaluate_accuracy(net, ((X.as_in_ctx(device), y.as_in_ctx(device)) for X, y in data_iter))


def evaluate_loss(net: Callable[[Any], Any], data_iter: Iterable[Any], loss: Callable[[Any, Any], Any]) -> float:
    """Return the mean loss over the examples of an iterator.

    Args:
        net: a block, or any function of a batch.
        data_iter: batches of features and labels.
        loss: of results and labels, for each example.

    >>> from hybridize import d2l, np
    >>> d2l.evaluate_loss(lambda x: x, [(np.array([1.0, 2.0]), np.zeros(2))], d2l.squared_loss)
    1.25
    """
    sums = Accumulator(2)
    for X, y in data_iter:
        losses = loss(net(X), y)
        sums.add(losses.sum(), losses.size)
    return sums[0] / sums[1]


def train_epoch_ch3(
    net: Any, train_iter: Iterable[Any], loss: Callable[[Any, Any], Any], updater: Any
) -> tuple[float, float]:
    """Train on all batches once.

    Args:
        net: a block, or any function of a batch.
        train_iter: batches of features and labels.
        loss: of results and labels, for each example.
        updater: a `gluon.Trainer`, or a function of the batch size.

    Returns:
        The mean loss, and the share of examples in the right class, both before each batch's update.

    >>> from hybridize import d2l, gluon, np
    >>> net = gluon.nn.Dense(2)
    >>> net.initialize("zeros")
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> batches = [(np.ones((2, 3)), np.array([0, 1]))]
    >>> loss, accuracy = d2l.train_epoch_ch3(net, batches, gluon.loss.SoftmaxCrossEntropyLoss(), trainer)
    >>> round(loss, 4), accuracy
    (0.6931, 0.5)
    """
    update = updater.step if isinstance(updater, gluon.Trainer) else updater
    sums = Accumulator(3)
    for X, y in train_iter:
        with autograd.record():
            y_hat = net(X)
            losses = loss(y_hat, y)
        losses.backward()
        update(X.shape[0])
        sums.add(losses.sum(), accuracy(y_hat, y), y.size)
    return sums[0] / sums[2], sums[1] / sums[2]


def train_ch3(
    net: Any,
    train_iter: Iterable[Any],
    test_iter: Iterable[Any],
    loss: Callable[[Any, Any], Any],
    num_epochs: int,
    updater: Any,
) -> Animator:
    """Train a net, and draw curves of its loss and accuracy.

    Args:
        net, train_iter, loss, updater: see `train_epoch_ch3`.
        test_iter: batches to test with.
        num_epochs: how often the loop goes through all batches.

    Returns:
        The curves.

    >>> from hybridize import d2l, gluon, np
    >>> net = gluon.nn.Dense(2)
    >>> net.initialize("zeros")
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> batches = [(np.array([[1.0], [-1.0]]), np.array([0, 1]))]
    >>> curves = d2l.train_ch3(net, batches, batches, gluon.loss.SoftmaxCrossEntropyLoss(), 2, trainer)
    >>> curves.Y[2]  # the accuracy on the test data after each epoch
    [1.0, 1.0]
    >>> d2l.plt.close()
    """
    animator = Animator(xlabel="epoch", xlim=[1, num_epochs], legend=["train loss", "train acc", "test acc"])
    for epoch in range(num_epochs):
        trained = train_epoch_ch3(net, train_iter, loss, updater)
        animator.add(epoch + 1, (*trained, evaluate_accuracy(net, test_iter)))
    return animator


def train_ch6(net: Any, train_iter: Any, test_iter: Any, num_epochs: int, lr: float, device: Any = None) -> Animator:
    """Initialize a net by Xavier's rule and train it by SGD, with curves.

    At the end it prints the loss, the accuracies and the speed.

    Args:
        net: a block that gives scores of classes.
        train_iter: batches of features and labels; it has a length.
        test_iter: batches to test with.
        num_epochs: how often the loop goes through all batches.
        lr: the learning rate.
        device: where; None: the CPU.

    Returns:
        The curves of loss and accuracy.

    >>> from hybridize import d2l, np
    >>> from hybridize.gluon import nn
    >>> batches = [(np.array([[1.0], [-1.0]]), np.array([0, 1]))]
    >>> curves = d2l.train_ch6(nn.Dense(2), batches, batches, num_epochs=4, lr=1.0)
    loss 0..., train acc 1.000, test acc 1.000
    ... examples/sec on cpu(0)
    >>> d2l.plt.close()
    """
    devices = [device if device is not None else cpu()]
    net.initialize(force_reinit=True, ctx=device, init=init.Xavier())
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": lr})
    animator = Animator(xlabel="epoch", xlim=[1, num_epochs], legend=["train loss", "train acc", "test acc"])
    timer, count, examples = Timer(), len(train_iter), 0.0
    timer.times.clear()
    train_loss = train_accuracy = test_accuracy = float("nan")
    for epoch in range(num_epochs):
        sums = Accumulator(3)
        for number, (X, y) in enumerate(train_iter, 1):
            timer.start()
            ((X,), (y,)) = split_and_load(X, devices), split_and_load(y, devices)
            with autograd.record():
                y_hat = net(X)
                losses = loss(y_hat, y)
            losses.backward()
            trainer.step(X.shape[0])
            sums.add(losses.sum(), accuracy(y_hat, y), X.shape[0])
            timer.stop()
            train_loss, train_accuracy = sums[0] / sums[2], sums[1] / sums[2]
            if number % max(count // 5, 1) == 0 or number == count:
                animator.add(epoch + number / count, (train_loss, train_accuracy, None))
        examples += sums[2]
        test_accuracy = evaluate_accuracy_gpu(net, test_iter)
        animator.add(epoch + 1, (None, None, test_accuracy))
    print(f"loss {train_loss:.3f}, train acc {train_accuracy:.3f}, test acc {test_accuracy:.3f}")
    print(f"{examples / timer.sum():.1f} examples/sec on {devices[0]}")
    return animator


def predict_ch3(
    net: Callable[[Any], Any],
    test_iter: Iterable[Any],
    n: int = 6,
    labels: Callable[[Any], Sequence[str]] = get_fashion_mnist_labels,
) -> Any:
    r"""Draw the first images of an iterator, each below its label and the class that a net puts it in.

    Args:
        net: gives scores of classes.
        test_iter: batches of square images, channels first, and labels.
        n: how many images.
        labels: names of classes, by number.

    Returns:
        The axes.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l, np
    >>> batches = [(np.zeros((2, 1, 8, 8)), np.array([0, 9]))]
    >>> axes = d2l.predict_ch3(lambda X: np.eye(10)[:2], batches, n=2)
    >>> axes[1].get_title()
    'ankle boot\ntrouser'
    >>> d2l.plt.close()
    """
    X, y = next(iter(test_iter))
    titles = [f"{true}\n{guess}" for true, guess in zip(labels(y), labels(net(X).argmax(axis=1)), strict=True)]
    side = X[0].size
    return show_images(X[:n].reshape((n, round(side**0.5), -1)), 1, n, titles=titles[:n])
