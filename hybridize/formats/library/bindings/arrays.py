# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs as the parameters of a call, in the words of a language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.describe import shape_text
from hybridize.codegen.llvm.library.model import LibraryModel


@frozen
class CallArray:
    """One array of a call."""

    name: str
    """Unique among those of the call, and a name that the language takes."""
    dtype: str
    shape: str
    """As in `[n0,16]`."""
    axes: int
    is_input: bool


def call_arrays(model: LibraryModel, reserved: Collection[str], longest: int = 60) -> list[CallArray]:
    """Return the inputs of a model, then its outputs, by names that differ in more than case.

    Args:
        model: what was emitted.
        reserved: names in lower case that the language, or the text around, has already.
        longest: letters of a name.
    """
    names = {name.lower() for name in reserved}
    arrays = []
    for number, one in enumerate((*model.inputs, *model.outputs)):
        word = one.name.strip("_")[:longest] or "array"
        word = f"a_{word}" if word[0].isdigit() else word
        while word.lower() in names:
            word += "_a"
        names.add(word.lower())
        type_ = one.type
        arrays.append(
            CallArray(word, type_.dtype.name, shape_text(model, number), type_.ndim, number < len(model.inputs))
        )
    return arrays


def filled(template: str, model: LibraryModel, parts: Mapping[str, str | Sequence[str]]) -> str:
    """Return a template with %PARTS% put in, lines joined, and NAME as the model's name."""
    text = template.replace("NAME", model.name)
    for key, part in parts.items():
        text = text.replace(f"%{key}%", part if isinstance(part, str) else "\n".join(part))
    return text
