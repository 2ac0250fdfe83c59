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
    devices     train_ch13 and its parts: training on several devices; residual nets; two nets against each other
    descent     paths in the plane, train_ch11: how methods of optimization compare
    recurrent   language models, by hand and by layers
    encoders    encoders and decoders, what a translation is worth
    attention   attention, its heads, the Transformer's encoder
    bert        BERT, and what it is trained by
    boxes       boxes around objects: anchors, what two share, which of them stay
    datasets    data that is drawn, digits, Fashion-MNIST from local files
    downloads   the book's files by name, in a local folder
    sequences   texts from local files: a novel, sentences in two languages
    text        Vocab, and lists of words made one length
"""

from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.d2l import arrays as _arrays
from hybridize.d2l.arrays import *  # noqa: F403 - a namespace
from hybridize.d2l.attention import AdditiveAttention as AdditiveAttention
from hybridize.d2l.attention import AddNorm as AddNorm
from hybridize.d2l.attention import AttentionDecoder as AttentionDecoder
from hybridize.d2l.attention import DotProductAttention as DotProductAttention
from hybridize.d2l.attention import MultiHeadAttention as MultiHeadAttention
from hybridize.d2l.attention import PositionalEncoding as PositionalEncoding
from hybridize.d2l.attention import PositionWiseFFN as PositionWiseFFN
from hybridize.d2l.attention import TransformerEncoder as TransformerEncoder
from hybridize.d2l.attention import TransformerEncoderBlock as TransformerEncoderBlock
from hybridize.d2l.attention import masked_softmax as masked_softmax
from hybridize.d2l.attention import show_heatmaps as show_heatmaps
from hybridize.d2l.bert import BERTEncoder as BERTEncoder
from hybridize.d2l.bert import BERTModel as BERTModel
from hybridize.d2l.bert import MaskLM as MaskLM
from hybridize.d2l.bert import NextSentencePred as NextSentencePred
from hybridize.d2l.bert import get_tokens_and_segments as get_tokens_and_segments
from hybridize.d2l.boxes import assign_anchor_to_bbox as assign_anchor_to_bbox
from hybridize.d2l.boxes import bbox_to_rect as bbox_to_rect
from hybridize.d2l.boxes import box_center_to_corner as box_center_to_corner
from hybridize.d2l.boxes import box_corner_to_center as box_corner_to_center
from hybridize.d2l.boxes import box_iou as box_iou
from hybridize.d2l.boxes import multibox_detection as multibox_detection
from hybridize.d2l.boxes import multibox_prior as multibox_prior
from hybridize.d2l.boxes import multibox_target as multibox_target
from hybridize.d2l.boxes import nms as nms
from hybridize.d2l.boxes import offset_boxes as offset_boxes
from hybridize.d2l.boxes import offset_inverse as offset_inverse
from hybridize.d2l.boxes import show_bboxes as show_bboxes
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
from hybridize.d2l.descent import annotate as annotate
from hybridize.d2l.descent import get_data_ch11 as get_data_ch11
from hybridize.d2l.descent import show_trace_2d as show_trace_2d
from hybridize.d2l.descent import train_2d as train_2d
from hybridize.d2l.descent import train_ch11 as train_ch11
from hybridize.d2l.descent import train_concise_ch11 as train_concise_ch11
from hybridize.d2l.devices import Residual as Residual
from hybridize.d2l.devices import ResNeXtBlock as ResNeXtBlock
from hybridize.d2l.devices import evaluate_accuracy_gpus as evaluate_accuracy_gpus
from hybridize.d2l.devices import resnet18 as resnet18
from hybridize.d2l.devices import split_batch as split_batch
from hybridize.d2l.devices import split_batch_multi_inputs as split_batch_multi_inputs
from hybridize.d2l.devices import train_batch_ch13 as train_batch_ch13
from hybridize.d2l.devices import train_ch13 as train_ch13
from hybridize.d2l.devices import update_D as update_D
from hybridize.d2l.devices import update_G as update_G
from hybridize.d2l.downloads import DATA_HUB as DATA_HUB
from hybridize.d2l.downloads import DATA_URL as DATA_URL
from hybridize.d2l.downloads import download as download
from hybridize.d2l.downloads import download_extract as download_extract
from hybridize.d2l.downloads import extract as extract
from hybridize.d2l.encoders import Decoder as Decoder
from hybridize.d2l.encoders import Encoder as Encoder
from hybridize.d2l.encoders import EncoderDecoder as EncoderDecoder
from hybridize.d2l.encoders import Seq2Seq as Seq2Seq
from hybridize.d2l.encoders import Seq2SeqEncoder as Seq2SeqEncoder
from hybridize.d2l.encoders import bleu as bleu
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
from hybridize.d2l.recurrent import GRU as GRU
from hybridize.d2l.recurrent import RNN as RNN
from hybridize.d2l.recurrent import RNNLM as RNNLM
from hybridize.d2l.recurrent import RNNLMScratch as RNNLMScratch
from hybridize.d2l.recurrent import RNNScratch as RNNScratch
from hybridize.d2l.recurrent import check_len as check_len
from hybridize.d2l.recurrent import check_shape as check_shape
from hybridize.d2l.sequences import MTFraEng as MTFraEng
from hybridize.d2l.sequences import TimeMachine as TimeMachine
from hybridize.d2l.sequences import preprocess_nmt as preprocess_nmt
from hybridize.d2l.sequences import show_list_len_pair_hist as show_list_len_pair_hist
from hybridize.d2l.sequences import tokenize_nmt as tokenize_nmt
from hybridize.d2l.stopwatches import Accumulator as Accumulator
from hybridize.d2l.stopwatches import Benchmark as Benchmark
from hybridize.d2l.stopwatches import Timer as Timer
from hybridize.d2l.text import Vocab as Vocab
from hybridize.d2l.text import tokenize as tokenize
from hybridize.d2l.text import truncate_pad as truncate_pad

_DOWNLOADS = "nothing is downloaded: fetch the file with a tool of the system, and open it"
_INSTEAD = {"download_all": _DOWNLOADS}


def __getattr__(name: str) -> Any:
    if name == "plt":
        return _pyplot()
    if name in ("np", "npx"):
        return load_module(f"hybridize.array.{name}")
    if name in ("gluon", "autograd", "init"):
        return load_module(f"hybridize.{name}")
    raise missing(__name__, name, {*globals(), *_arrays.__all__}, _INSTEAD)
