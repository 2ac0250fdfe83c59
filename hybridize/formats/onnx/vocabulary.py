# SPDX-License-Identifier: Apache-2.0
"""`ONNX`: the vocabulary that the tables of rows fill."""

from __future__ import annotations

from typing import Final

from hybridize.formats.foreign.vocabulary import Vocabulary

ONNX: Final = Vocabulary("ONNX", "hybridize.formats.onnx.rows:ONNX")
