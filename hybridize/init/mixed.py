# SPDX-License-Identifier: Apache-2.0
"""Several initializers, chosen by the parameter's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError
from hybridize.init.base import Initializer, create, register


@register
class Mixed(Initializer):
    """For each parameter the first initializer whose pattern its name matches.

    Args:
        patterns: regular expressions, matched from the start of the name.
        initializers: as many initializers.
    """

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        super().__init__(patterns=list(patterns), initializers=list(initializers))
        if len(patterns) != len(initializers):
            raise ArgumentError(
                "E313", f"Mixed needs one initializer for each of {len(patterns)} patterns, got {len(initializers)}"
            )
        self.map = [(re.compile(p), create(i)) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, desc: str, arr: ndarray) -> None:
        """Fill `arr` by the first initializer whose pattern matches."""
        for pattern, initializer in self.map:
            if pattern.match(desc):
                initializer(desc, arr)
                return
        raise ArgumentError(
            "E313", f"no pattern of Mixed matches the parameter {str(desc)!r}", help='add ".*" as the last pattern'
        )
