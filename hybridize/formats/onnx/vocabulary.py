# SPDX-License-Identifier: Apache-2.0
"""`ONNX`: the vocabulary that the tables of rows fill."""

from __future__ import annotations

from typing import Final

from hybridize.formats.foreign.vocabulary import Vocabulary

ONNX: Final = Vocabulary("ONNX", "hybridize.formats.onnx.rows:ONNX")

_STRINGS: Final = "strings are no numbers: leave the operators on them out of the model"
ONNX.remedies.update({
    "NonMaxSuppression": "how many boxes stay is data: end the model before it, and use nd.contrib.box_nms",
    "ImageDecoder": "decode files before the model is called: hybridize.image.imdecode",
    **dict.fromkeys(("StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"), _STRINGS),
    **dict.fromkeys((f"ai.onnx.preview.training::{name}" for name in ("Adagrad", "Adam", "Momentum", "Gradient")),
                    "hybridize trains the parameters of a loaded model by gluon.Trainer"),
})  # fmt: skip
