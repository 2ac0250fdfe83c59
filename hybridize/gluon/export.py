# SPDX-License-Identifier: Apache-2.0
"""`HybridBlock.export`: the captured programs of a net as files: MXNet's pair, or what runs without this Python."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base import modes
from hybridize.base.advice import warn
from hybridize.base.comparison import difference, largest
from hybridize.base.errors import ArgumentError, CaptureError, StateError, VerificationError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure, flatten
from hybridize.capture import Function, SavedFunction
from hybridize.formats import write_archive
from hybridize.formats.atomic import split, write_atomically
from hybridize.formats.mxnet.params import write_params
from hybridize.formats.saved import CheckedCall, SavedProgram, SavedSignature
from hybridize.gluon.parameter_dict import ParameterDict
from hybridize.gluon.sizes import bound_axes, signature_of, with_sizes
from hybridize.programs.saving import tell_notes

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported


Imports = Callable[[str, list[str], str | None], Callable[..., Any]]
"""Makes a block of a symbol file, the names of its inputs and a file of parameters: `SymbolBlock.imports`."""


def has_program(function: Function) -> bool:
    """Tell whether the function has been called, so that there is a graph."""
    return function.cache_info().programs > 0


def save(function: Function, parameters: ParameterDict, path: Any, samples: Sequence[Any] = ()) -> None:
    """Write the archive of a net, its weights under the paths of the parameters.

    Raises:
        StateError E506: the net has not been called.
    """
    if not has_program(function):
        raise StateError("E506", "the net has not been compiled: there is nothing to save", help="call the net once")
    saved = function.saved(names_of(parameters), samples)
    write_archive(path, saved)
    tell_notes(path, saved)


def deploy(
    function: Function,
    parameters: ParameterDict,
    path: Any,
    format: str,
    *,
    samples: Sequence[Any],
    progress: Callable[[str], None] | None,
    options: Mapping[str, Any],
) -> Exported:
    """Write files of another format than MXNet's; see `capture.Function.export`."""
    with LOADING:
        from hybridize.programs.exporting import export  # late: most processes write no file

    names = names_of(parameters)
    return export(
        lambda samples, notes: function.saved(names, samples, notes),
        SavedFunction,
        path,
        format,
        samples=samples,
        progress=progress,
        options=options,
    )


def names_of(parameters: ParameterDict) -> dict[int, str]:
    """Names by the identity of the arrays."""
    return {id(one._array): path for path, p in parameters.items() for one in p._copies() if one._array is not None}


def write(
    function: Function,
    parameters: ParameterDict,
    path: str | os.PathLike[str],
    epoch: int,
    samples: Sequence[Any],
    imports: Imports,
) -> tuple[str, str | None]:
    """Write `PATH-symbol.json` and `PATH-EPOCH.params`, once they give what the net gives; see `HybridBlock.export`."""
    if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 0:
        raise ArgumentError("E337", f"epoch must be an integer of 0 or more, got {epoch!r}")
    with LOADING:
        from hybridize.formats.file_set import put_in_place, temporary_folder  # late: most processes write no file

    destination, name = split(path)
    names = names_of(parameters)
    program = function.saved(names)
    number = _for_inference(program)
    with temporary_folder(path) as folder:
        staged = os.path.join(folder, name)
        files = _write(function, program, number, names, staged, epoch)
        alone = changed(program, signatures=(program.signatures[number],))
        tried = function.with_samples(alone, [function.current()[number]], samples, [])
        _check(files, tried.signatures[0], imports)
        placed = put_in_place([file for file in files if file is not None], destination)
        directory = os.path.dirname(os.fspath(path))  # as the user says it
        symbol_file, *others = [os.path.join(directory, os.path.basename(file)) for file in placed]
    tell_notes(symbol_file, program)
    return symbol_file, others[0] if others else None


def _check(files: tuple[str, str | None], signature: SavedSignature, imports: Imports) -> None:
    """Read the pair back and run it on the samples.

    Raises:
        VerificationError E810: it gives something else.
    """
    if signature.writes or any(leaf.kind == "scalar" for leaf in signature.leaves):
        return  # random numbers are drawn from the state of the process there
    symbol_file, params_file = files
    count = len(signature.graph.inputs) - len(signature.state)
    inputs = ["data"] if count == 1 else [f"data{position}" for position in range(count)]
    block = imports(symbol_file, inputs, params_file)
    for number, sample in enumerate(signature.samples):
        with modes.mode(recording=False, training=False):
            result = block(*map(wrap, sample.inputs))
        _compare(os.path.basename(symbol_file), number, flatten(result)[0], sample)


def _compare(title: str, number: int, leaves: Sequence[Any], sample: CheckedCall) -> None:
    arrays = [host_copy(array) for array in leaves if isinstance(array, ndarray)]
    for output, (array, expected) in enumerate(zip(arrays, sample.outputs, strict=True)):
        problem = difference(array, expected)
        if problem:
            apart = f"the largest difference is {largest(array, expected):.3g}"
            text = f"{title}, sample {number}: output {output} differs: {problem}; {apart}; nothing was written"
            raise VerificationError("E810", text, help='please report it; format="archive" keeps the graph as it is')


def _write(
    function: Function, program: SavedProgram, number: int, names: dict[int, str], path: str, epoch: int
) -> tuple[str, str | None]:
    with LOADING:
        from hybridize.formats.mxnet.write import symbol_json  # late: MXNet's names for all ops

    captured = with_sizes(function, function.current()[number].capture)
    signature = signature_of(captured, names)
    graph = signature.graph
    arguments = len(graph.inputs) - len(signature.state)
    inputs = ["data"] if arguments == 1 else [f"data{position}" for position in range(arguments)]
    metadata = {
        "hybridize_inputs": json.dumps({n: str(v.type) for n, v in zip(inputs, graph.inputs, strict=False)}),
        "hybridize_result": json.dumps(_result(signature.result)),
        "hybridize_types": json.dumps([str(value.type) for value in graph.outputs]),
    }
    results = len(graph.outputs) - len(signature.writes)

    def drawn(other: SavedSignature, means: bool) -> Any:
        names = [*inputs, *other.state]
        translation = symbol_json(other.graph, names, len(other.graph.outputs), {}, arguments=arguments, means=means)
        return translation.text, {name: (array.shape, array.tobytes()) for name, array in translation.constants.items()}

    for means in (True, False):  # a sum may be divided by a number that is that of its terms by chance
        axes_of, silent = bound_axes(function, captured, names, functools.partial(drawn, means=means))
        if not silent:
            break
    bound = {inputs[position]: axes for position, axes in axes_of.items()}
    if bound:
        metadata["hybridize_bound"] = json.dumps(bound)
    if silent:
        types = ", ".join(f"{name} {value.type}" for name, value in zip(inputs, graph.inputs, strict=False))
        warn(f"the net computes with the sizes of its inputs, so the exported graph is only right for {types}")
    symbol = symbol_json(graph, [*inputs, *signature.state], results, metadata, arguments=arguments, means=means)
    weights = {name: numpy.atleast_1d(program.weights[name]) for name in signature.state} | symbol.constants
    arrays = {f"{'aux' if name in symbol.auxiliary else 'arg'}:{name}": array for name, array in weights.items()}
    symbol_file, params_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
    if arrays:
        write_params(params_file, arrays, np_shape=symbol.np_shape)
    write_atomically(symbol_file, [symbol.text.encode()])
    return symbol_file, params_file if arrays else None


def _for_inference(program: SavedProgram) -> int:
    """The latest program that was captured while predicting, whose arguments are all arrays; of known sizes if any."""
    candidates = reversed(list(enumerate(program.signatures)))
    if all(signature.training for signature in program.signatures):
        text = "the net was only called while training"
        raise CaptureError("E451", text, help="call it once outside autograd.record() before the export")
    for number, signature in sorted(candidates, key=lambda one: one[1].graph.scope is not None):
        if not signature.training and all(leaf.kind == "array" for leaf in signature.result_leaves):
            return number
    raise CaptureError(
        "E451",
        "the result of the net holds values that are not arrays, which MXNet's graphs do not have",
        help='return arrays alone, or use another format: format="archive" keeps them',
    )


def _result(structure: Structure) -> Any:
    """A structure as JSON that `SymbolBlock` reads."""
    if structure.kind in ("leaf", "none"):
        return "*" if structure.kind == "leaf" else None
    kind = "tuple" if structure.kind == "namedtuple" else structure.kind
    if kind == "sequence" and structure.cls is not None:
        kind = "list" if issubclass(structure.cls, list) else "tuple"
    keys = [list(structure.keys)] if kind == "dict" else []
    return [kind, *keys, *map(_result, structure.children)]
