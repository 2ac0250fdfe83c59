# SPDX-License-Identifier: Apache-2.0
"""Samples: calls of a program with what is expected of them, by which everything that is made of it is checked.

The arguments of the call that a program was captured at are kept (`recorded_calls`). What is expected is computed when
a file is written: by the user's own Python, run imperatively, where a call changes nothing; else by the specification
of the graph.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_copy
from hybridize.array.nd_array import classed
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base import modes
from hybridize.base.errors import VerificationError
from hybridize.base.nested import flatten, unflatten
from hybridize.contract.call import Call
from hybridize.formats import sampling
from hybridize.formats.saved import CheckedCall, SavedSignature
from hybridize.programs.program import Program
from hybridize.programs.recorded_calls import copied
from hybridize.system.interruptions import let_through

Leaves = Sequence[Any]


def samples(
    program: Program, signature: SavedSignature, weights: Mapping[str, Any], function: Callable[..., Any] | None,
    calls: Sequence[Call], notes: list[str],
) -> tuple[CheckedCall, ...]:  # fmt: skip
    """The samples of a program: of the call that it was captured at, or of one that is made up, and of given calls.

    Args:
        program: captured while predicting; others have none.
        signature: the same as data.
        weights: what its `state` stands for.
        function: the user's Python; None where there is none, or where it is not what the program is.
        calls: calls of the user's that the program takes.
        notes: hears where the specification had to stand for the user's Python.

    Raises:
        VerificationError E811: the user's Python gives arrays of other types than the program.
    """
    call = program.capture.call
    if call.training or (call.recording and not program.capture.is_closed):
        return ()
    state = [weights[name] for name in signature.state]
    checks = [_sample(program, signature, state, function, list(one.leaves), notes) for one in calls]
    if signature.samples:  # of a file
        if any(source.written >= 0 for source in program.capture.sources):  # the state has changed since
            again = [sampling.reference(signature.graph, (*one.inputs, *state)) for one in signature.samples]
            pairs = zip(signature.samples, again, strict=True)
            return (*(CheckedCall(one.inputs, outputs) for one, outputs in pairs), *checks)
        return (*signature.samples, *checks)
    for leaves in [program.sample] if program.sample is not None else _made_up(program, signature):
        messages: list[str] = []
        try:
            checks.insert(0, _sample(program, signature, state, function, leaves, messages))
            notes += messages
            break
        except Exception as error:  # of any class: what the program raises for these numbers
            let_through(error)
            if isinstance(error, VerificationError):
                raise
    limit = sampling.LIMIT
    return tuple(one for one in checks if sum(array.nbytes for array in (*one.inputs, *one.outputs)) <= 2 * limit)


def _made_up(program: Program, signature: SavedSignature) -> Iterator[Leaves]:
    """Leaves of calls that the program may take: its numbers and constants with other arrays."""
    call = program.capture.call
    count = len(signature.graph.inputs) - len(signature.state)
    for arrays in sampling.candidates(signature.graph, count):
        inputs = iter(arrays)
        leaves = list(call.leaves)
        for position, leaf in enumerate(signature.leaves):
            if leaf.kind == "array":
                leaves[position] = next(inputs)
            elif leaf.kind == "scalar":
                array = next(inputs)
                leaves[position] = array.item() if leaves[position] is None else leaves[position]
        yield leaves


def _sample(
    program: Program, signature: SavedSignature, state: Sequence[NDArray[Any]], function: Callable[..., Any] | None,
    leaves: Leaves, notes: list[str],
) -> CheckedCall:  # fmt: skip
    values = iter(signature.graph.inputs)
    inputs = []
    for leaf, value in zip(signature.leaves, leaves, strict=True):
        if leaf.kind != "constant":
            data = host_copy(value) if isinstance(value, ndarray) else value
            inputs.append(numpy.array(data, dtype=next(values).type.dtype, order="C"))
    outputs = None
    if function is not None and _is_pure(program):
        outputs = _imperative(program, signature, function, leaves, notes)
    if outputs is None:
        outputs = sampling.reference(signature.graph, (*inputs, *state))
    return CheckedCall(tuple(inputs), outputs)


def _is_pure(program: Program) -> bool:
    """Tell whether a call changes nothing that another one sees."""
    return not program.capture.effects and all(source.written < 0 for source in program.capture.sources)


def _imperative(
    program: Program, signature: SavedSignature, function: Callable[..., Any], leaves: Leaves, notes: list[str]
) -> tuple[NDArray[Any], ...] | None:
    """Run the user's Python for a call; None where it is not what the program was captured from, or fails."""
    call = program.capture.call
    arrays = [
        classed(wrap(copied(leaf)), position in call.of_nd) if isinstance(leaf, numpy.ndarray) else leaf
        for position, leaf in enumerate(leaves)
    ]
    present = call.place(arrays)
    args, kwargs = unflatten(call.structure, arrays)
    if not program.accepts(Call.of(args, kwargs)):
        return None  # what it depends on has changed since
    try:
        # What the user's Python prints was seen when it was captured.
        with modes.mode(disabled=True), contextlib.redirect_stdout(io.StringIO()), present:
            result = function(*args, **kwargs)
    except Exception as error:  # whatever it is: the program gives a result for this call, Python does not
        let_through(error)
        first = (str(error).splitlines() or [""])[0]
        notes.append(
            f"{program.name}: the Python raises {type(error).__name__} for the sample ({first}); "
            "the specification stands for it"
        )
        return None
    return _outputs(program, signature, flatten(result)[0])


def _outputs(program: Program, signature: SavedSignature, results: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    kinds = [leaf.kind for leaf in signature.result_leaves]
    types = [value.type for value in signature.graph.outputs]
    if len(results) == len(kinds):
        values = [value for value, kind in zip(results, kinds, strict=True) if kind != "constant"]
        outputs = [
            copied(host_copy(value)) if isinstance(value, ndarray) else numpy.asarray(value, dtype=kind.dtype)
            for value, kind in zip(values, types, strict=True)
        ]
        if all(x.dtype == kind.dtype and x.ndim == kind.ndim for x, kind in zip(outputs, types, strict=True)):
            return tuple(outputs)
    takes = ", ".join(map(str, types))
    gives = ", ".join(f"{leaf.dtype}{list(leaf.shape)}" if hasattr(leaf, "dtype") else repr(leaf) for leaf in results)
    raise VerificationError(
        "E811", f"{program.name} returns ({gives}) in Python but ({takes}) compiled, for the same arguments",
        help="if the function depends on a value that changes, pass it as an argument",
    )  # fmt: skip
