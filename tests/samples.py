"""A part of many cases in `make test`, all of them in `make test-long`."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], step: int, first: int = 0) -> list[Any]:
    """Return the cases for `pytest.mark.parametrize`; all but every `step`-th one, from `first` on, are long."""
    return [
        case if place % step == first else pytest.param(case, marks=pytest.mark.long)
        for place, case in enumerate(cases)
    ]
