# SPDX-License-Identifier: Apache-2.0
"""The book's first models: linear regression by hand and by layers, softmax regression, LeNet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridize import gluon, init
from hybridize.array import np, random
from hybridize.d2l.classes import SGD as SGD
from hybridize.d2l.classes import Classifier, Module
from hybridize.gluon import nn

if TYPE_CHECKING:
    from hybridize.array.ndarray import ndarray


class LinearRegressionScratch(Module):
    """Compute y = Xw + b with arrays as parameters.

    Args:
        num_inputs: how many features.
        lr: the learning rate.
        sigma: of the normal numbers that weights begin with.

    >>> from hybridize import d2l, np
    >>> d2l.LinearRegressionScratch(3, lr=0.1)(np.ones((2, 3))).shape
    (2, 1)
    """

    num_inputs: int
    lr: float
    sigma: float

    def __init__(self, num_inputs: int, lr: float, sigma: float = 0.01) -> None:
        super().__init__()
        self.num_inputs, self.lr, self.sigma = num_inputs, lr, sigma
        self.w: ndarray = random.normal(0, sigma, (num_inputs, 1))
        self.b: ndarray = np.zeros(1)
        self.w.attach_grad()
        self.b.attach_grad()

    def forward(self, X: Any) -> Any:
        return np.dot(X, self.w) + self.b

    def loss(self, y_hat: Any, y: Any) -> Any:
        """Return half of the mean squared difference."""
        return ((y_hat - y) ** 2 / 2).mean()

    def configure_optimizers(self) -> Any:
        return SGD([self.w, self.b], self.lr)


class LinearRegression(Module):
    """Compute y = Xw + b with a layer.

    Args:
        lr: the learning rate.

    >>> from hybridize import d2l, np
    >>> net = d2l.LinearRegression(lr=0.1)
    >>> net(np.ones((2, 3))).shape
    (2, 1)
    """

    def __init__(self, lr: float) -> None:
        super().__init__()
        self.lr = lr
        self.net: Any = nn.Dense(1)
        self.net.initialize(init.Normal(sigma=0.01))

    def loss(self, y_hat: Any, y: Any) -> Any:
        """Return half of the mean squared difference."""
        return gluon.loss.L2Loss()(y_hat, y).mean()

    def configure_optimizers(self) -> Any:
        return gluon.Trainer(self.collect_params(), "sgd", {"learning_rate": self.lr})

    def get_w_b(self) -> tuple[Any, Any]:
        """Return the weights and the bias."""
        return self.net.weight.data(), self.net.bias.data()


class SoftmaxRegression(Classifier):
    """Compute scores of classes as linear functions of the features.

    Args:
        num_outputs: how many classes.
        lr: the learning rate.

    >>> from hybridize import d2l, np
    >>> net = d2l.SoftmaxRegression(num_outputs=10, lr=0.1)
    >>> net(np.ones((2, 4))).shape
    (2, 10)
    """

    num_outputs: int
    lr: float

    def __init__(self, num_outputs: int, lr: float) -> None:
        super().__init__()
        self.num_outputs, self.lr = num_outputs, lr
        self.net: Any = nn.Dense(num_outputs)
        self.net.initialize()


class LeNet(Classifier):
    """Classify images by LeNet, from LeCun, "Gradient-based learning applied to document recognition" (1998).

    Args:
        lr: the learning rate.
        num_classes: how many classes.

    >>> from hybridize import d2l, np
    >>> net = d2l.LeNet()
    >>> net(np.ones((1, 1, 28, 28))).shape
    (1, 10)
    """

    lr: float
    num_classes: int

    def __init__(self, lr: float = 0.1, num_classes: int = 10) -> None:
        super().__init__()
        self.lr, self.num_classes = lr, num_classes
        self.net: Any = nn.Sequential()
        self.net.add(
            nn.Conv2D(channels=6, kernel_size=5, padding=2, activation="sigmoid"),
            nn.AvgPool2D(pool_size=2, strides=2),
            nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
            nn.AvgPool2D(pool_size=2, strides=2),
            nn.Dense(120, activation="sigmoid"),
            nn.Dense(84, activation="sigmoid"),
            nn.Dense(num_classes),
        )
        self.net.initialize(init.Xavier())


def corr2d(X: Any, K: Any) -> Any:
    """Return the cross-correlation of a matrix with a smaller one, window by window, as the book writes it.

    Args:
        X: a matrix.
        K: a smaller matrix, the kernel.

    >>> from hybridize import d2l, np
    >>> d2l.corr2d(np.arange(9).reshape(3, 3), np.array([[0.0, 1.0], [2.0, 3.0]]))
    array([[19., 25.],
           [37., 43.]])
    """
    h, w = K.shape
    Y = np.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1), ctx=X.ctx)
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y
