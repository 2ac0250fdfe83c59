# SPDX-License-Identifier: Apache-2.0
"""Helpers under the names that "Dive into Deep Learning" gives them in its MXNet edition, written anew.

    from hybridize import d2l                     # where the book says: from d2l import mxnet as d2l

In: nets, arrays, iterators over batches. Out: numbers, curves, trained nets. Nothing is downloaded: data are drawn,
come with scikit-learn, or lie in local files. Figures need matplotlib, and are shown in a notebook; without it curves
are kept as numbers. No other room may need this one.

    arrays      the book's names of functions of arrays, and of devices
    stopwatches Timer, Benchmark, Accumulator
    figures     plot, show_images, Animator, ProgressBoard
    classes     HyperParameters, Module, DataModule, Trainer: nets, data and training as three classes
    models      linear and softmax regression, LeNet, and what they are compared with
    loops       train_ch3, train_ch6 and their parts
    datasets    data that is drawn, digits, Fashion-MNIST from local files
    text        Vocab, and lists of words made one length
"""

from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.d2l import arrays as _arrays
from hybridize.d2l.arrays import *  # noqa: F403 - a namespace
from hybridize.d2l.classes import Classifier as Classifier
from hybridize.d2l.classes import DataModule as DataModule
from hybridize.d2l.classes import Module as Module
from hybridize.d2l.classes import Trainer as Trainer
from hybridize.d2l.datasets import Digits as Digits
from hybridize.d2l.datasets import FashionMNIST as FashionMNIST
from hybridize.d2l.datasets import SyntheticRegressionData as SyntheticRegressionData
from hybridize.d2l.datasets import get_dataloader_workers as get_dataloader_workers
from hybridize.d2l.datasets import get_fashion_mnist_labels as get_fashion_mnist_labels
from hybridize.d2l.datasets import load_array as load_array
from hybridize.d2l.datasets import load_data_digits as load_data_digits
from hybridize.d2l.datasets import load_data_fashion_mnist as load_data_fashion_mnist
from hybridize.d2l.datasets import synthetic_data as synthetic_data
from hybridize.d2l.figures import Animator as Animator
from hybridize.d2l.figures import HyperParameters as HyperParameters
from hybridize.d2l.figures import ProgressBoard as ProgressBoard
from hybridize.d2l.figures import add_to_class as add_to_class
from hybridize.d2l.figures import plot as plot
from hybridize.d2l.figures import pyplot as _pyplot
from hybridize.d2l.figures import set_axes as set_axes
from hybridize.d2l.figures import set_figsize as set_figsize
from hybridize.d2l.figures import show_images as show_images
from hybridize.d2l.figures import use_svg_display as use_svg_display
from hybridize.d2l.loops import accuracy as accuracy
from hybridize.d2l.loops import evaluate_accuracy as evaluate_accuracy
from hybridize.d2l.loops import evaluate_accuracy_gpu as evaluate_accuracy_gpu
from hybridize.d2l.loops import evaluate_loss as evaluate_loss
from hybridize.d2l.loops import grad_clipping as grad_clipping
from hybridize.d2l.loops import linreg as linreg
from hybridize.d2l.loops import predict_ch3 as predict_ch3
from hybridize.d2l.loops import sgd as sgd
from hybridize.d2l.loops import squared_loss as squared_loss
from hybridize.d2l.loops import train_ch3 as train_ch3
from hybridize.d2l.loops import train_ch6 as train_ch6
from hybridize.d2l.loops import train_epoch_ch3 as train_epoch_ch3
from hybridize.d2l.models import SGD as SGD
from hybridize.d2l.models import LeNet as LeNet
from hybridize.d2l.models import LinearRegression as LinearRegression
from hybridize.d2l.models import LinearRegressionScratch as LinearRegressionScratch
from hybridize.d2l.models import SoftmaxRegression as SoftmaxRegression
from hybridize.d2l.models import corr2d as corr2d
from hybridize.d2l.stopwatches import Accumulator as Accumulator
from hybridize.d2l.stopwatches import Benchmark as Benchmark
from hybridize.d2l.stopwatches import Timer as Timer
from hybridize.d2l.text import Vocab as Vocab
from hybridize.d2l.text import tokenize as tokenize
from hybridize.d2l.text import truncate_pad as truncate_pad

_DOWNLOADS = "nothing is downloaded: fetch the file with a tool of the system, and open it"
_INSTEAD = {
    "download": _DOWNLOADS, "download_extract": _DOWNLOADS, "extract": _DOWNLOADS, "download_all": _DOWNLOADS,
    "DATA_HUB": _DOWNLOADS, "DATA_URL": _DOWNLOADS, "TimeMachine": "d2l.Vocab, and gluon.data.ArrayDataset of a file",
    "MultiHeadAttention": "gluon.nn.MultiHeadAttention", "PositionalEncoding": "npx.sinusoidal_positions",
    "masked_softmax": "npx.masked_softmax", "bleu": "define it as the book does",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "plt":
        return _pyplot()
    if name in ("np", "npx"):
        return load_module(f"hybridize.array.{name}")
    if name in ("gluon", "autograd", "init"):
        return load_module(f"hybridize.{name}")
    raise missing(__name__, name, {*globals(), *_arrays.__all__}, (), _INSTEAD)
