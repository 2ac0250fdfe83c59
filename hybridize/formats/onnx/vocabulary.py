# SPDX-License-Identifier: Apache-2.0
"""`ONNX`: the vocabulary that the tables of rows fill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hybridize.formats.foreign.vocabulary import Vocabulary

_GENERATOR: Final = "random numbers are those of hybridize's own generator, which random.seed starts"
_OTHER_TYPES: Final = "it is about floats of 8 bits, to which nothing is cast"
_PRECISION: Final = "what it names is the least precision, and ours is no less"
_KIND: Final = "it is a type, which the values have themselves"
_COUNTS: Final = "it says how often a node was visited while the trees were grown"
IDLE: Final[Mapping[str, str]] = {
    **{f"{op}.seed": _GENERATOR for op in ("RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike",
                                           "Bernoulli", "Multinomial", "Dropout")},
    **{f"{op}.{name}": _OTHER_TYPES for op in ("Cast", "CastLike") for name in ("saturate", "round_mode")},
    "QuantizeLinear.saturate": _OTHER_TYPES,
    "Dropout.ratio": "as an attribute it is of operator sets whose nodes do not train: nothing is dropped",
    "GroupNormalization.stash_type": _PRECISION,
    "Range.stash_type": _PRECISION,
    "SequenceEmpty.dtype": _KIND,
    "Optional.type": _KIND,
    "TopK.sorted": "without it the order is open, and ours is one",
    "ai.onnx.ml::LinearClassifier.multi_class": "ONNX Runtime uses it for nothing",
    "ai.onnx.ml::LabelEncoder.default_string": "a row of numbers gives no words",
    "com.microsoft::MatMulNBits.accuracy_level": "it allows products of less precision than ours",
    "com.microsoft::EmbedLayerNormalization.mask_index_type": "ONNX Runtime uses it for nothing",
    **{f"ai.onnx.ml::TreeEnsemble{kind}.nodes_hitrates{end}": _COUNTS
       for kind in ("Regressor", "Classifier") for end in ("", "_as_tensor")},
    "ai.onnx.ml::TreeEnsemble.nodes_hitrates": _COUNTS,
}  # fmt: skip
"""Attributes that change nothing of what a call computes here, each with the reason; no row asks for them."""


def _idle(op: str, name: str, value: Any) -> bool:
    return f"{op}.{name}" in IDLE


ONNX: Final = Vocabulary("ONNX", "hybridize.formats.onnx.rows:ONNX", idle=_idle)

_STRINGS: Final = "strings are no numbers: leave the operators on them out of the model"
ONNX.remedies.update({
    "NonMaxSuppression": "how many boxes stay is data: end the model before it, and use nd.contrib.box_nms",
    "ImageDecoder": "decode files before the model is called: hybridize.image.imdecode",
    **dict.fromkeys(("StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"), _STRINGS),
    **dict.fromkeys((f"ai.onnx.preview.training::{name}" for name in ("Adagrad", "Adam", "Momentum", "Gradient")),
                    "hybridize trains the parameters of a loaded model by gluon.Trainer"),
})  # fmt: skip
