# SPDX-License-Identifier: Apache-2.0
"""Samples of a module's programs: calls, and what PyTorch gives for them, by which files are checked."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

import numpy
import torch
from numpy.typing import NDArray

from hybridize.base.errors import HybridizeError, VerificationError
from hybridize.base.interruptions import let_through
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.formats import sampling
from hybridize.formats.saved import CheckedCall, SavedProgram, SavedSignature
from hybridize.torch.memory import as_numpy, as_tensor

Array = NDArray[Any]


def recorded(leaves: Sequence[Any]) -> tuple[Array, ...] | None:
    """Copies of the tensors among the leaves of a call; None where they are too large to keep."""
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    if sum(tensor.nbytes for tensor in tensors) > sampling.LIMIT:
        return None
    return tuple(_copy(as_numpy(tensor)) for tensor in tensors)


def _copy(array: Array) -> Array:
    return numpy.array(array, order="C", copy=True)


def samples(
    module: torch.nn.Module | None,
    program: SavedProgram,
    structure: Structure,
    leaves: Sequence[Any],
    calls: Sequence[tuple[Array, ...] | None],
    notes: list[str],
) -> tuple[CheckedCall, ...]:
    """Calls of a program with what is expected of it.

    Args:
        module: what PyTorch runs; None where it is not what was exported any more.
        program: with one signature.
        structure: of the arguments of a call.
        leaves: of that call, tensors as None.
        calls: the tensors of each; None stands for one that is made up.
        notes: hears where the specification had to stand for PyTorch.
    """
    (signature,) = program.signatures
    state = [program.weights[name] for name in signature.state]
    python = None if signature.writes else module
    found = []
    for call in calls:
        count = len(signature.graph.inputs) - len(state)
        for inputs in [call] if call is not None else sampling.candidates(signature.graph, count):
            try:
                outputs = (
                    None if python is None else _imperative(python, program.name, structure, leaves, inputs, notes)
                )
                outputs = outputs or sampling.reference(signature.graph, (*inputs, *state))
            except (HybridizeError, ArithmeticError):
                continue
            _check_types(program.name, signature, outputs)
            if sum(array.nbytes for array in (*inputs, *outputs)) <= 2 * sampling.LIMIT:
                found.append(CheckedCall(tuple(inputs), outputs))
            break
    return tuple(found)


def _imperative(
    module: torch.nn.Module,
    name: str,
    structure: Structure,
    leaves: Sequence[Any],
    inputs: Sequence[Array],
    notes: list[str],
) -> tuple[Array, ...] | None:
    """Run the module in PyTorch; None if it fails."""
    given = iter(inputs)
    filled = [as_tensor(_copy(next(given))) if leaf is None else leaf for leaf in leaves]
    args, kwargs = unflatten(structure, filled)
    try:
        with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            result = module(*args, **kwargs)
    except Exception as error:  # whatever it is: the program gives a result for this call
        let_through(error)
        first = (str(error).splitlines() or [""])[0]
        notes.append(
            f"{name}: PyTorch raises {type(error).__name__} for the sample ({first}); the specification stands for it"
        )
        return None
    return tuple(_copy(as_numpy(leaf)) for leaf in flatten(result)[0] if isinstance(leaf, torch.Tensor))


def _check_types(name: str, signature: SavedSignature, outputs: Sequence[Array]) -> None:
    types = [value.type for value in signature.graph.outputs]
    same = len(outputs) == len(types) and all(
        array.dtype == kind.dtype and array.ndim == kind.ndim for array, kind in zip(outputs, types, strict=True)
    )
    if not same:
        gives = ", ".join(f"{array.dtype}{list(array.shape)}" for array in outputs)
        takes = ", ".join(map(str, types))
        raise VerificationError("E811", f"{name} gives ({gives}) in PyTorch, and ({takes}) compiled, for one call")
