# SPDX-License-Identifier: Apache-2.0
"""Models of other frameworks as `ForeignProgram`s, by the kinds that `detect` tells."""

from __future__ import annotations

import os
from typing import Final

from hybridize.base.loading import LOADING
from hybridize.formats.foreign.program import ForeignProgram

MODELS: Final = {"onnx": "ONNX", "saved_model": "TensorFlow", "tflite": "TFLite"}
"""The kinds of files that are models, with the frameworks."""


def read_model(
    path: str | os.PathLike[str], kind: str, signature: str | None = None, rounding: str = "float"
) -> ForeignProgram:
    """Read a model; nothing is executed.

    Args:
        path: of the file or folder.
        kind: one of `MODELS`.
        signature: of a SavedModel or a TFLite model, which of its functions.
        rounding: of integers that stand for numbers in a TFLite model.

    Raises:
        LoadError: the file is malformed, or has operators that are not supported.
    """
    with LOADING:  # late: the tables of their operators
        if kind == "saved_model":
            from hybridize.formats.tensorflow import saved_model

            return saved_model.read(path, signature)
        if kind == "tflite":
            from hybridize.formats.tflite.read import read as read_tflite

            return read_tflite(path, rounding, signature)
        from hybridize.formats.onnx.read import read

        return read(path)
