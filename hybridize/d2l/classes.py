# SPDX-License-Identifier: Apache-2.0
"""Nets, data and training as the book parts them: `Module`, `DataModule`, `Trainer`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from hybridize import autograd, gluon
from hybridize.array import random
from hybridize.array.device import cpu, gpu
from hybridize.array.device import num_gpus as count_gpus
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import StateError, UndefinedError
from hybridize.d2l.figures import HyperParameters, ProgressBoard
from hybridize.gluon import nn


def not_said(owner: object, method: str) -> NoReturn:
    """Refuse a method, or an attribute, that subclasses have to say."""
    raise UndefinedError("E328", f"{type(owner).__name__} does not define {method}", help="add it, or use add_to_class")


class SGD(HyperParameters):
    """Step against the gradients of arrays (stochastic gradient descent).

    Args:
        params: the arrays.
        lr: the learning rate.

    >>> from hybridize import autograd, d2l, np
    >>> w = np.array([1.0])
    >>> w.attach_grad()
    >>> with autograd.record():
    ...     y = w * 2
    >>> y.backward()
    >>> d2l.SGD([w], lr=0.5).step(1)
    >>> w
    array([0.])
    """

    params: Sequence[Any]
    lr: float

    def __init__(self, params: Sequence[Any], lr: float) -> None:
        self.params, self.lr = params, lr

    def step(self, _: Any) -> None:
        """Move each array against its gradient."""
        for one in self.params:
            one -= self.lr * one.grad


class Module(nn.Block, HyperParameters):
    """Hold a net with its loss and its optimizer. A subclass sets `net`, or defines `forward`.

    Args:
        plot_train_per_epoch: how many points of the training curve an epoch has.
        plot_valid_per_epoch: how many points of the validation curve an epoch has.

    >>> from hybridize import d2l, np
    >>> from hybridize.gluon import nn
    >>> class Linear(d2l.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.net = nn.Dense(1)
    ...         self.net.initialize()
    ...     def loss(self, y_hat, y):
    ...         return d2l.squared_loss(y_hat, y).mean()
    >>> Linear()(np.ones((2, 3))).shape
    (2, 1)
    """

    board: ProgressBoard
    net: Any
    lr: float
    trainer: Any
    plot_train_per_epoch: float
    plot_valid_per_epoch: float

    def __init__(self, plot_train_per_epoch: float = 2, plot_valid_per_epoch: float = 1) -> None:
        super().__init__()
        self.plot_train_per_epoch, self.plot_valid_per_epoch = plot_train_per_epoch, plot_valid_per_epoch
        self.board = ProgressBoard()

    def loss(self, y_hat: Any, y: Any) -> Any:
        """Return the loss of results and labels. A subclass defines it."""
        not_said(self, "loss")

    def forward(self, X: Any) -> Any:
        """Return the result of `net`."""
        if not hasattr(self, "net"):
            not_said(self, "net")
        return self.net(X)

    def plot(self, key: str, value: Any, train: bool) -> None:
        """Add a point to the curve `train_key` or `val_key` of the board.

        Raises:
            StateError E578: the module is not being trained.
        """
        trainer = getattr(self, "trainer", None)
        if trainer is None:
            raise StateError("E578", f"{type(self).__name__} has no trainer", help="use Trainer(...).fit(module, data)")
        self.board.xlabel = "epoch"
        if train:
            x = trainer.train_batch_idx / trainer.num_train_batches
            each = trainer.num_train_batches / self.plot_train_per_epoch
        else:
            x, each = trainer.epoch + 1, trainer.num_val_batches / self.plot_valid_per_epoch
        self.board.draw(x, value, ("train_" if train else "val_") + key, every_n=int(each))

    def training_step(self, batch: Sequence[Any]) -> Any:
        """Return the loss of a batch, whose last part is the labels, and add it to the training curve."""
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("loss", loss, train=True)
        return loss

    def validation_step(self, batch: Sequence[Any]) -> None:
        """Add the loss of a batch to the curve of validation."""
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self) -> Any:
        """Return the optimizer: SGD with the learning rate `lr`."""
        parameters = self.parameters()
        if isinstance(parameters, list):
            return SGD(parameters, self.lr)
        return gluon.Trainer(parameters, "sgd", {"learning_rate": self.lr})

    def get_scratch_params(self) -> list[ndarray]:
        """Return the arrays among the attributes, and those of modules among them."""
        arrays: list[ndarray] = []
        for name in sorted(vars(self)):
            value = getattr(self, name)
            if isinstance(value, ndarray):
                arrays.append(value)
            elif isinstance(value, Module):
                arrays.extend(value.get_scratch_params())
        return arrays

    def parameters(self) -> Any:
        """Return Gluon's parameters if there are any, else the list of arrays among the attributes."""
        params = self.collect_params()
        return params if len(params) else self.get_scratch_params()

    def set_scratch_params_device(self, device: Any) -> None:
        """Put the arrays among the attributes on a device."""
        for name in sorted(vars(self)):
            value = getattr(self, name)
            if isinstance(value, ndarray):
                moved = value.as_in_ctx(device)
                moved.attach_grad()
                setattr(self, name, moved)
            elif isinstance(value, Module):
                value.set_scratch_params_device(device)


class Classifier(Module):
    """Hold a net whose results are scores of classes: with the cross-entropy as loss, and with an accuracy.

    Args:
        plot_train_per_epoch, plot_valid_per_epoch: see `Module`.

    >>> from hybridize import d2l, np
    >>> scores, labels = np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1])
    >>> d2l.Classifier().accuracy(scores, labels)
    array(0.5)
    """

    def validation_step(self, batch: Sequence[Any]) -> None:
        """Add loss and accuracy of a batch to the curves of validation."""
        scores = self(*batch[:-1])
        self.plot("loss", self.loss(scores, batch[-1]), train=False)
        self.plot("acc", self.accuracy(scores, batch[-1]), train=False)

    def accuracy(self, Y_hat: Any, Y: Any, averaged: bool = True) -> Any:
        """Return the share of examples whose greatest score is that of the label.

        Without `averaged`, return 0 or 1 for each example.
        """
        scores = Y_hat.reshape((-1, Y_hat.shape[-1]))
        right = (scores.argmax(axis=1).astype(Y.dtype) == Y.reshape(-1)).astype("float32")
        return right.mean() if averaged else right

    def loss(self, Y_hat: Any, Y: Any, averaged: bool = True) -> Any:
        """Return the cross-entropy of scores and labels. Without `averaged`, return it for each example."""
        losses = gluon.loss.SoftmaxCrossEntropyLoss()(Y_hat.reshape((-1, Y_hat.shape[-1])), Y.reshape((-1,)))
        return losses.mean() if averaged else losses

    def layer_summary(self, X_shape: Sequence[int]) -> None:
        """Print the shapes that an input of a shape takes behind each layer of `net`."""
        X = random.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(type(layer).__name__, "output shape:\t", X.shape)


class DataModule(HyperParameters):
    """Give batches for training and for validation. A subclass defines `get_dataloader`.

    Args:
        root: the folder of files.
        num_workers: how many processes make batches.

    >>> from hybridize import d2l, np
    >>> class Ones(d2l.DataModule):
    ...     batch_size = 2
    ...     def get_dataloader(self, train):
    ...         return self.get_tensorloader((np.ones((4, 3)), np.ones(4)), train)
    >>> [X.shape for X, y in Ones().train_dataloader()]
    [(2, 3), (2, 3)]
    """

    batch_size: int
    num_workers: int
    root: str

    def __init__(self, root: str = "../data", num_workers: int = 0) -> None:
        self.root, self.num_workers = root, num_workers

    def get_dataloader(self, train: bool) -> Any:
        """Return batches for training or for validation. A subclass defines it."""
        not_said(self, "get_dataloader")

    def train_dataloader(self) -> Any:
        """Return the batches for training."""
        return self.get_dataloader(train=True)

    def val_dataloader(self) -> Any:
        """Return the batches for validation."""
        return self.get_dataloader(train=False)

    def get_tensorloader(self, tensors: Sequence[Any], train: bool, indices: slice = slice(0, None)) -> Any:
        """Return batches of some rows of arrays. For training, each round draws a new order."""
        dataset = gluon.data.ArrayDataset(*(array[indices] for array in tensors))
        return gluon.data.DataLoader(dataset, self.batch_size, shuffle=train)


class Trainer(HyperParameters):
    """Train a `Module` on a `DataModule`.

    Args:
        max_epochs: how often the loop goes through all batches.
        num_gpus: how many GPUs may be used. The book's trainer takes the first one, where there is one.
        gradient_clip_val: the largest norm of all gradients together; 0: no limit.

    >>> from hybridize import d2l, np
    >>> data = d2l.SyntheticRegressionData(np.array([2.0, -3.4]), 4.2, num_train=64, num_val=32, batch_size=16)
    >>> model = d2l.LinearRegression(lr=0.1)
    >>> d2l.Trainer(max_epochs=2).fit(model, data)
    >>> {name: len(points) for name, points in model.board.data.items()}
    {'train_loss': 4, 'val_loss': 2}
    """

    max_epochs: int
    num_gpus: int
    gradient_clip_val: float
    epoch: int
    train_batch_idx: int
    val_batch_idx: int

    def __init__(self, max_epochs: int, num_gpus: int = 0, gradient_clip_val: float = 0) -> None:
        self.max_epochs, self.num_gpus, self.gradient_clip_val = max_epochs, num_gpus, gradient_clip_val
        self.gpus: list[Any] = [gpu(number) for number in range(min(num_gpus, count_gpus()))]

    def prepare_data(self, data: DataModule) -> None:
        """Take the batches of some data."""
        self.train_dataloader: Any = data.train_dataloader()
        self.val_dataloader: Any = data.val_dataloader()
        self.num_train_batches: int = len(self.train_dataloader)
        self.num_val_batches: int = len(self.val_dataloader) if self.val_dataloader is not None else 0

    def prepare_model(self, model: Any) -> None:
        """Take a module, and give it this trainer; its parameters move to the GPU."""
        model.trainer = self
        if self.gpus:
            model.collect_params().reset_ctx(self.gpus[0])
            model.set_scratch_params_device(self.gpus[0])
        model.board.xlim = [0, self.max_epochs]
        self.model = model

    def prepare_batch(self, batch: Any) -> Any:
        """Return a batch as a module takes it: on the GPU, or the CPU."""
        return [one.as_in_ctx(self.gpus[0] if self.gpus else cpu()) for one in batch]

    def fit(self, model: Any, data: DataModule) -> None:
        """Train a module on some data."""
        self.prepare_data(data)
        self.prepare_model(model)
        self.optim: Any = model.configure_optimizers()
        self.epoch = self.train_batch_idx = self.val_batch_idx = 0
        for self.epoch in range(self.max_epochs):  # noqa: B020 - a module reads it
            self.fit_epoch()

    def fit_epoch(self) -> None:
        """Go through all batches once."""
        for batch in self.train_dataloader:
            with autograd.record():
                loss = self.model.training_step(self.prepare_batch(batch))
            loss.backward()
            if self.gradient_clip_val > 0:
                self.clip_gradients(self.gradient_clip_val, self.model)
            self.optim.step(1)
            self.train_batch_idx += 1
        for batch in self.val_dataloader or ():
            self.model.validation_step(self.prepare_batch(batch))
            self.val_batch_idx += 1

    def clip_gradients(self, grad_clip_val: float, model: Any) -> None:
        """Scale all gradients so that together they are no longer than `grad_clip_val`."""
        clip(model.parameters(), grad_clip_val)


def clip(parameters: Any, theta: float) -> None:
    """Scale the gradients of parameters, or of arrays, so that together they are no longer than `theta`."""
    values = parameters.values() if isinstance(parameters, Mapping) else parameters
    arrays = [one.data() if isinstance(one, gluon.Parameter) else one for one in values]
    gradients = [one.grad for one in arrays if one.grad is not None]
    length = math.sqrt(sum(float((one**2).sum()) for one in gradients))
    if length > theta:
        for one in gradients:
            one *= theta / length
