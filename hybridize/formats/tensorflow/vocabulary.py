# SPDX-License-Identifier: Apache-2.0
"""`TENSORFLOW`: the vocabulary that the tables of rows fill, and the values of its walks that are no arrays."""

from __future__ import annotations

from typing import Final

from hybridize.base.frozen import frozen
from hybridize.formats.foreign.vocabulary import Vocabulary

TENSORFLOW: Final = Vocabulary("TensorFlow")


@frozen
class Handle:
    """A variable: the name under which `Walk.state` has what it holds at this place of the program."""

    name: str
