# SPDX-License-Identifier: Apache-2.0
"""Methods of optimization beside each other, as the book has them: paths in the plane, a regression on measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from hybridize import autograd, gluon, init
from hybridize.array import np, random
from hybridize.d2l.datasets import load_array
from hybridize.d2l.downloads import download
from hybridize.d2l.figures import Animator, numbers, pyplot, set_figsize
from hybridize.d2l.loops import evaluate_loss, linreg, squared_loss
from hybridize.d2l.stopwatches import Timer
from hybridize.gluon import nn


def annotate(text: str, xy: tuple[float, float], xytext: tuple[float, float]) -> None:
    """Write a text at `xytext` into the present figure, with an arrow from there to `xy`.

    Args:
        text: what to write.
        xy: where the arrow ends.
        xytext: where the text is.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> d2l.annotate("saddle point", (0, -0.2), (-0.52, -5.0))
    >>> [text.get_text() for text in d2l.plt.gca().texts]
    ['saddle point']
    >>> d2l.plt.close()
    """
    pyplot().gca().annotate(text, xy=xy, xytext=xytext, arrowprops={"arrowstyle": "->"})


def train_2d(trainer: Callable[..., Any], steps: int = 20, f_grad: Any = None) -> list[tuple[Any, Any]]:
    """Go downhill in the plane from (-5, -2), and print the last position.

    Args:
        trainer: takes x1, x2 and two numbers of its own, at first 0, and gives them one step on.
        steps: how many.
        f_grad: the gradient, which is given to `trainer`; None: it needs none.

    Returns:
        The points, one more than there are steps.

    >>> from hybridize import d2l
    >>> results = d2l.train_2d(lambda x, y, s, t: (x / 2, y / 2, 0, 0), steps=2)
    epoch 2, x1: -1.250000, x2: -0.500000
    """
    state: tuple[Any, ...] = (-5, -2, 0, 0)
    points = [state[:2]]
    for _ in range(steps):
        state = trainer(*state, f_grad) if f_grad else trainer(*state)
        points.append(state[:2])
    print(f"epoch {steps}, x1: {float(state[0]):f}, x2: {float(state[1]):f}")
    return points


def show_trace_2d(f: Callable[[Any, Any], Any], results: list[tuple[Any, Any]]) -> None:
    """Draw points in the plane, over lines of equal height of a function.

    Args:
        f: a function of two arrays, x1 and x2.
        results: the points, as `train_2d` returns them.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> d2l.show_trace_2d(lambda x1, x2: x1**2 + 2 * x2**2, [(-5, -2), (-4, -1), (-3, -0.5)])
    >>> d2l.plt.gca().get_xlabel()
    'x1'
    >>> d2l.plt.close()
    """
    set_figsize()
    plt = pyplot()
    plt.plot([float(x) for x, _ in results], [float(y) for _, y in results], "-o", color="#ff7f0e")
    x1, x2 = numpy.meshgrid(numpy.arange(-5.5, 1.0, 0.1), numpy.arange(-3.0, 1.0, 0.1))
    plt.contour(x1, x2, numbers(f(x1, x2)), colors="#1f77b4")
    plt.xlabel("x1")
    plt.ylabel("x2")


def get_data_ch11(batch_size: int = 10, n: int = 1500) -> tuple[gluon.data.DataLoader, int]:
    """Read NASA's measurements of the noise of airfoils from a local file, each column with mean 0 and deviation 1.

    The file is `../data/airfoil_self_noise.dat`.

    Args:
        batch_size: how many examples in a batch.
        n: how many examples.

    Returns:
        An iterator over batches of features and of the measured noise, and the number of features.

    Raises:
        ArgumentError E381: the file is not there.

    >>> from hybridize import d2l
    >>> batches, feature_dim = d2l.get_data_ch11(batch_size=10)
    >>> X, y = next(iter(batches))
    >>> X.shape, y.shape, feature_dim
    ((10, 5), (10,), 5)
    """
    table = np.array(numpy.genfromtxt(download("airfoil"), dtype=numpy.float32, delimiter="\t"))
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    return load_array((table[:n, :-1], table[:n, -1]), batch_size, is_train=True), table.shape[1] - 1


class _Curve:
    """The loss over the epochs, a point every 200 examples; the time between points is that of training alone."""

    def __init__(self, epochs: int, data_iter: Any, loss_of: Callable[[], float]) -> None:
        self.animator = Animator(xlabel="epoch", ylabel="loss", xlim=[0, epochs], ylim=[0.22, 0.35])
        self.timer = Timer()
        self._epochs, self._data, self._loss_of = epochs, data_iter, loss_of

    def batches(self) -> Iterator[Any]:
        """The batches of all epochs."""
        seen = 0
        for _ in range(self._epochs):
            for X, y in self._data:
                yield X, y
                seen += len(X)
                if seen % 200 == 0:
                    self.timer.stop()
                    self.animator.add(seen / len(X) / len(self._data), (self._loss_of(),))
                    self.timer.start()

    def tell(self) -> None:
        """Print the last loss, and the time of an epoch."""
        print(f"loss: {self.animator.Y[0][-1]:.3f}, {self.timer.sum() / self._epochs:.3f} sec/epoch")


def train_ch11(
    trainer_fn: Callable[..., Any],
    states: Any,
    hyperparams: dict[str, Any],
    data_iter: Any,
    feature_dim: int,
    num_epochs: int = 2,
) -> tuple[list[float], list[float]]:
    """Train a linear regression by a method that is written by hand.

    Each 200 examples are a point of the curve of losses. The last loss and the time of an epoch are printed.

    Args:
        trainer_fn: takes the weights and the bias, `states` and `hyperparams`, and changes the first two in place.
        states: what the method keeps.
        hyperparams: its numbers.
        data_iter: batches of features and labels; it has a length.
        feature_dim: the number of features.
        num_epochs: how often the loop goes through all batches.

    Returns:
        Times in seconds, and losses, of each point of the curve.

    >>> from hybridize import d2l, np
    >>> def sgd(params, states, hyperparams):
    ...     for one in params:
    ...         one[:] -= hyperparams["lr"] * one.grad
    >>> data = d2l.load_array((np.ones((400, 2)), np.ones(400)), 100)
    >>> times, losses = d2l.train_ch11(sgd, None, {"lr": 0.1}, data, feature_dim=2)
    loss: 0.0..., ... sec/epoch
    >>> len(losses)
    4
    >>> d2l.plt.close()
    """
    w, b = random.normal(0, 0.01, (feature_dim, 1)), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    curve = _Curve(num_epochs, data_iter, lambda: evaluate_loss(lambda X: linreg(X, w, b), data_iter, squared_loss))
    for X, y in curve.batches():
        with autograd.record():
            loss = squared_loss(linreg(X, w, b), y).mean()
        loss.backward()
        trainer_fn([w, b], states, hyperparams)
    curve.tell()
    return curve.timer.cumsum(), curve.animator.Y[0]


def train_concise_ch11(tr_name: str, hyperparams: dict[str, Any], data_iter: Any, num_epochs: int = 2) -> None:
    """Train a linear regression by one of Gluon's methods. The last loss and the time of an epoch are printed.

    Args:
        tr_name: the method's name, as `gluon.Trainer` takes it.
        hyperparams: its numbers.
        data_iter, num_epochs: see `train_ch11`.

    >>> from hybridize import d2l, np
    >>> data = d2l.load_array((np.ones((400, 2)), np.ones(400)), 100)
    >>> d2l.train_concise_ch11("sgd", {"learning_rate": 0.1}, data)
    loss: 0.0..., ... sec/epoch
    >>> d2l.plt.close()
    """
    net = nn.Sequential()
    net.add(nn.Dense(1))
    net.initialize(init.Normal(sigma=0.01))
    trainer, loss = gluon.Trainer(net.collect_params(), tr_name, hyperparams), gluon.loss.L2Loss()
    curve = _Curve(num_epochs, data_iter, lambda: evaluate_loss(net, data_iter, loss))
    for X, y in curve.batches():
        with autograd.record():
            losses = loss(net(X), y)
        losses.backward()
        trainer.step(len(X))
    curve.tell()
