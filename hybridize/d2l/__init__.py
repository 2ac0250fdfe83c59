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

from hybridize.base.names import late, places
from hybridize.d2l.figures import pyplot as _pyplot

PLACES = places(
    "hybridize.d2l",
    {
        "arrays": (
            "argmax astype numpy reduce_mean reduce_sum repeat reshape size swapaxes to transpose try_all_gpus try_gpu"
        ),
        "attention": (
            "AddNorm AdditiveAttention AttentionDecoder DotProductAttention MultiHeadAttention PositionWiseFFN "
            "PositionalEncoding TransformerEncoder TransformerEncoderBlock masked_softmax show_heatmaps"
        ),
        "bert": "BERTEncoder BERTModel MaskLM NextSentencePred get_tokens_and_segments",
        "boxes": (
            "assign_anchor_to_bbox bbox_to_rect box_center_to_corner box_corner_to_center box_iou "
            "multibox_detection multibox_prior multibox_target nms offset_boxes offset_inverse show_bboxes"
        ),
        "classes": "Classifier DataModule Module Trainer",
        "datasets": (
            "Digits FashionMNIST SyntheticRegressionData get_dataloader_workers get_fashion_mnist_labels "
            "load_array load_data_digits load_data_fashion_mnist synthetic_data"
        ),
        "descent": "annotate get_data_ch11 show_trace_2d train_2d train_ch11 train_concise_ch11",
        "devices": (
            "ResNeXtBlock Residual evaluate_accuracy_gpus resnet18 split_batch split_batch_multi_inputs "
            "train_batch_ch13 train_ch13 update_D update_G"
        ),
        "downloads": "DATA_HUB DATA_URL download download_extract extract",
        "encoders": "Decoder Encoder EncoderDecoder Seq2Seq Seq2SeqEncoder bleu",
        "figures": (
            "Animator HyperParameters ProgressBoard add_to_class plot set_axes set_figsize show_images use_svg_display"
        ),
        "loops": (
            "accuracy evaluate_accuracy evaluate_accuracy_gpu evaluate_loss grad_clipping linreg predict_ch3 "
            "sgd squared_loss train_ch3 train_ch6 train_epoch_ch3"
        ),
        "models": "LeNet LinearRegression LinearRegressionScratch SGD SoftmaxRegression corr2d",
        "recurrent": "GRU RNN RNNLM RNNLMScratch RNNScratch check_len check_shape",
        "sequences": "MTFraEng TimeMachine preprocess_nmt show_list_len_pair_hist tokenize_nmt",
        "stopwatches": "Accumulator Benchmark Timer",
        "text": "Vocab tokenize truncate_pad",
    },
)
PLACES |= places(
    "hybridize",
    {
        "array.np": (
            "abs arange concat cos cosh exp expand_dims eye linspace log matmul=dot meshgrid ones ones_like sin sinh "
            "stack tanh tensor=array zeros zeros_like"
        ),
        "array.npx": "batch_matmul=batch_dot sigmoid",
        "array.random": "normal rand randn",
        "array.device": "cpu gpu num_gpus",
        "base.dtypes": "float32 int32 int64",
        "gluon.nn": "nn_Module=Block",
    },
)
"""Places of what the book names."""
_MODULES = {
    "np": "hybridize.array.np", "npx": "hybridize.array.npx", "gluon": "hybridize.gluon",
    "autograd": "hybridize.autograd", "init": "hybridize.init",
}  # fmt: skip
"""Places of the modules that its programs take from here."""

__all__ = sorted(PLACES)

_DOWNLOADS = "nothing is downloaded: fetch the file with a tool of the system, and open it"
_named, __dir__ = late(globals(), PLACES | _MODULES, {"download_all": _DOWNLOADS})


def __getattr__(name: str) -> Any:
    return _pyplot() if name == "plt" else _named(name)
