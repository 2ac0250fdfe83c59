# SPDX-License-Identifier: Apache-2.0
"""Nets, data and training as the book parts them: `Module`, `DataModule`, `Trainer`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from hybridize import autograd, gluon
from hybridize.array import random
from hybridize.array.device import cpu
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
        plot_train_per_epoch: how many points of the curve of training an epoch has.
        plot_valid_per_epoch: how many points that of validation has.
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
        """Subclasses say it."""
        not_said(self, "loss")

    def forward(self, X: Any) -> Any:
        """The result of `net`."""
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
        """The loss of a batch, whose last part is the labels; a point of the curve."""
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("loss", loss, train=True)
        return loss

    def validation_step(self, batch: Sequence[Any]) -> None:
        """Add the loss of a batch to the curve of validation."""
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self) -> Any:
        """The optimizer: SGD with the learning rate `lr`."""
        parameters = self.parameters()
        if isinstance(parameters, list):
            return SGD(parameters, self.lr)
        return gluon.Trainer(parameters, "sgd", {"learning_rate": self.lr})

    def get_scratch_params(self) -> list[ndarray]:
        """The arrays among the attributes, and those of modules among them."""
        arrays: list[ndarray] = []
        for name in sorted(vars(self)):
            value = getattr(self, name)
            if isinstance(value, ndarray):
                arrays.append(value)
            elif isinstance(value, Module):
                arrays.extend(value.get_scratch_params())
        return arrays

    def parameters(self) -> Any:
        """Gluon's parameters where there are some, else the list of arrays among the attributes."""
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
    """A module whose results are scores of classes."""

    def validation_step(self, batch: Sequence[Any]) -> None:
        """Add loss and accuracy of a batch to the curves of validation."""
        scores = self(*batch[:-1])
        self.plot("loss", self.loss(scores, batch[-1]), train=False)
        self.plot("acc", self.accuracy(scores, batch[-1]), train=False)

    def accuracy(self, Y_hat: Any, Y: Any, averaged: bool = True) -> Any:
        """The share of examples whose greatest score is that of the label; of each one 0 or 1, unless `averaged`."""
        scores = Y_hat.reshape((-1, Y_hat.shape[-1]))
        right = (scores.argmax(axis=1).astype(Y.dtype) == Y.reshape(-1)).astype("float32")
        return right.mean() if averaged else right

    def loss(self, Y_hat: Any, Y: Any, averaged: bool = True) -> Any:
        """The cross-entropy of scores and labels; of each example, unless `averaged`."""
        losses = gluon.loss.SoftmaxCrossEntropyLoss()(Y_hat.reshape((-1, Y_hat.shape[-1])), Y.reshape((-1,)))
        return losses.mean() if averaged else losses

    def layer_summary(self, X_shape: Sequence[int]) -> None:
        """Print the shapes that an input of a shape takes behind each layer of `net`."""
        X = random.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(type(layer).__name__, "output shape:\t", X.shape)


class DataModule(HyperParameters):
    """Data: an iterator over batches to train with, and one to validate with.

    Args:
        root: the folder of files.
        num_workers: how many processes make batches.
    """

    batch_size: int
    num_workers: int
    root: str

    def __init__(self, root: str = "../data", num_workers: int = 0) -> None:
        self.root, self.num_workers = root, num_workers

    def get_dataloader(self, train: bool) -> Any:
        """Subclasses say it."""
        not_said(self, "get_dataloader")

    def train_dataloader(self) -> Any:
        """The batches to train with."""
        return self.get_dataloader(train=True)

    def val_dataloader(self) -> Any:
        """The batches to validate with."""
        return self.get_dataloader(train=False)

    def get_tensorloader(self, tensors: Sequence[Any], train: bool, indices: slice = slice(0, None)) -> Any:
        """Batches of some rows of arrays, in a drawn order where they are to train with."""
        dataset = gluon.data.ArrayDataset(*(array[indices] for array in tensors))
        return gluon.data.DataLoader(dataset, self.batch_size, shuffle=train)


class Trainer(HyperParameters):
    """Train a `Module` on a `DataModule`.

    Args:
        max_epochs: how often all batches are gone through.
        num_gpus: accepted; there is none, and it is trained on the CPU.
        gradient_clip_val: the greatest length of all gradients together; 0: any.
    """

    max_epochs: int
    num_gpus: int
    gradient_clip_val: float
    epoch: int
    train_batch_idx: int
    val_batch_idx: int

    def __init__(self, max_epochs: int, num_gpus: int = 0, gradient_clip_val: float = 0) -> None:
        self.max_epochs, self.num_gpus, self.gradient_clip_val = max_epochs, num_gpus, gradient_clip_val
        self.gpus: list[Any] = []

    def prepare_data(self, data: DataModule) -> None:
        """Take the batches of some data."""
        self.train_dataloader: Any = data.train_dataloader()
        self.val_dataloader: Any = data.val_dataloader()
        self.num_train_batches: int = len(self.train_dataloader)
        self.num_val_batches: int = len(self.val_dataloader) if self.val_dataloader is not None else 0

    def prepare_model(self, model: Any) -> None:
        """Take a module, and give it this trainer."""
        model.trainer = self
        model.board.xlim = [0, self.max_epochs]
        self.model = model

    def prepare_batch(self, batch: Any) -> Any:
        """The batch as a module takes it."""
        return [one.as_in_ctx(cpu()) for one in batch]

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
