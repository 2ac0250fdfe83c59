# SPDX-License-Identifier: Apache-2.0
"""`TENSORFLOW`: the vocabulary that the tables of rows fill, and the values of its walks that are no arrays."""

from __future__ import annotations

from typing import Final

from hybridize.formats.foreign.program import Handle as Handle
from hybridize.formats.foreign.vocabulary import Vocabulary

TENSORFLOW: Final = Vocabulary("TensorFlow")
