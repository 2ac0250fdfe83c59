# SPDX-License-Identifier: Apache-2.0
"""A page that one can open: it runs a model where the visitor's browser can, and shows where, how long and what."""

from __future__ import annotations

import base64
import json
from importlib import resources
from typing import Any, Final

from numpy.typing import NDArray

from hybridize.formats.deployable import Deployable

_MOST: Final = 256 << 10
"""Bytes of a call that the page holds."""


def page(deployable: Deployable) -> str:
    """The text of NAME.html."""
    text = resources.files("hybridize.formats.wasm").joinpath("page.html").read_text(encoding="utf-8")
    sample = json.dumps(_sample(deployable), separators=(",", ":"))
    return text.replace("NAME", deployable.name).replace(">SAMPLE<", f">{sample}<")


def _sample(deployable: Deployable) -> dict[str, Any] | None:
    """The first call that was captured, with its results.

    None if there is none, only larger ones, or states, which have changed since.
    """
    if deployable.states:
        return None
    for variant in deployable.variants:
        for call in variant.samples:
            outputs = call.outputs[: len(deployable.outputs)]
            if sum(array.nbytes for array in (*call.inputs, *outputs)) <= _MOST:
                return {"inputs": [_array(one) for one in call.inputs], "outputs": [_array(one) for one in outputs]}
    return None


def _array(array: NDArray[Any]) -> dict[str, Any]:
    return {"base64": base64.b64encode(array.tobytes()).decode(), "shape": array.shape}
