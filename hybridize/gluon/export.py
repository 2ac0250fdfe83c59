# SPDX-License-Identifier: Apache-2.0
"""`HybridBlock.export`: the captured program of a net as MXNet's pair of files."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray

from hybridize.base.errors import CaptureError, StateError
from hybridize.base.nested import Structure
from hybridize.capture import Function
from hybridize.formats import write_archive
from hybridize.formats.atomic import write_atomically
from hybridize.formats.mxnet.params import write_params
from hybridize.formats.saved import SavedProgram, SavedSignature
from hybridize.gluon.advice import warn
from hybridize.gluon.parameter_dict import ParameterDict
from hybridize.gluon.sizes import bound_axes, signature_of, with_sizes


def has_program(function: Function) -> bool:
    """Whether the function has been called, so that there is a graph."""
    return function.cache_info().programs > 0


def save(function: Function, parameters: ParameterDict, path: Any) -> None:
    """Write the archive of a net, its weights under the paths of the parameters.

    Raises:
        StateError E506: the net has not been called.
    """
    if not has_program(function):
        raise StateError("E506", "the net has not been compiled yet, so there is nothing to save", help="call it once")
    write_archive(path, function.saved(names_of(parameters)))


def names_of(parameters: ParameterDict) -> dict[int, str]:
    """Names by the identity of the arrays."""
    return {id(p._data): path for path, p in parameters.items() if p._data is not None}


def write(function: Function, parameters: ParameterDict, path: str, epoch: int) -> tuple[str, str | None]:
    """Write `PATH-symbol.json` and `PATH-EPOCH.params`; see `HybridBlock.export`."""
    from hybridize.formats.mxnet.write import symbol_json  # late: MXNet's names for all ops

    names = names_of(parameters)
    program = function.saved(names)
    stock = with_sizes(function, function.programs()[_for_inference(program)].stock)
    signature = signature_of(stock, names)
    graph = signature.graph
    arguments = len(graph.inputs) - len(signature.state)
    inputs = ["data"] if arguments == 1 else [f"data{position}" for position in range(arguments)]
    metadata = {
        "hybridize_inputs": json.dumps({n: str(v.type) for n, v in zip(inputs, graph.inputs, strict=False)}),
        "hybridize_result": json.dumps(_result(signature.result)),
        "hybridize_types": json.dumps([str(value.type) for value in graph.outputs]),
    }
    results = len(graph.outputs) - len(signature.writes)

    def drawn(other: SavedSignature) -> Any:
        names = [*inputs, *other.state]
        found = symbol_json(other.graph, names, len(other.graph.outputs), {}, arguments=arguments)
        return found.text, {name: (array.shape, array.tobytes()) for name, array in found.constants.items()}

    places, silent = bound_axes(function, stock, names, drawn)
    bound = {inputs[place]: axes for place, axes in places.items()}
    if bound:
        metadata["hybridize_bound"] = json.dumps(bound)
    if silent:
        types = ", ".join(f"{name} {value.type}" for name, value in zip(inputs, graph.inputs, strict=False))
        warn(f"the net computes with the sizes of its inputs, so the exported graph is only right for {types}")
    symbol = symbol_json(graph, [*inputs, *signature.state], results, metadata, arguments=arguments)
    arrays = {f"arg:{name}": _with_axis(program.weights[name]) for name in signature.state}
    arrays |= {f"arg:{name}": array for name, array in symbol.constants.items()}
    symbol_file, params_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
    if arrays:
        write_params(params_file, arrays, np_shape=symbol.np_shape)
    write_atomically(symbol_file, [symbol.text.encode()])
    return symbol_file, params_file if arrays else None


def _with_axis(array: NDArray[Any]) -> NDArray[Any]:
    """MXNet 1.x has no arrays without axes."""
    return array.reshape(1) if not array.ndim else array


def _for_inference(program: SavedProgram) -> int:
    """The latest program that was captured while predicting, whose arguments are all arrays; of known sizes if any."""
    found = reversed(list(enumerate(program.signatures)))
    for number, signature in sorted(found, key=lambda one: one[1].graph.scope is not None):
        if not signature.training and all(leaf.kind == "array" for leaf in signature.result_leaves):
            return number
    raise CaptureError(
        "E451",
        "the net was only called while training, or its result holds values that are no arrays",
        help="call it once outside of autograd.record() before export",
    )


def _result(structure: Structure) -> Any:
    """A structure as JSON that `SymbolBlock` reads."""
    if structure.kind in ("leaf", "none"):
        return "*" if structure.kind == "leaf" else None
    kind = "tuple" if structure.kind == "namedtuple" else structure.kind
    keys = [list(structure.keys)] if kind == "dict" else []
    return [kind, *keys, *map(_result, structure.children)]
