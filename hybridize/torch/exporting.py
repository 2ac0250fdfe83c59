# SPDX-License-Identifier: Apache-2.0
"""A PyTorch module -> the neutral `TensorProgram`, by `torch.export`: PyTorch traces, we translate."""

from __future__ import annotations

import operator
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.export.graph_signature import InputKind, OutputKind

from hybridize.base.dtypes import BY_NAME, DType
from hybridize.base.errors import CaptureError, DTypeError
from hybridize.base.locations import SourceLoc
from hybridize.base.nested import Structure, flatten
from hybridize.base.types import TensorType
from hybridize.formats.torch_export import TABLE, Instruction, Reference, TensorProgram

_TORCH = f"{os.sep}site-packages{os.sep}torch{os.sep}"
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')


@dataclass(frozen=True, slots=True)
class Exported:
    """A module for arguments of given types."""

    program: TensorProgram
    """Its inputs: `state`, then the tensors of the call."""
    state: tuple[str, ...]
    """Names of parameters, buffers and constants, in the order of the inputs."""
    constants: dict[str, torch.Tensor]
    """Tensors that are neither parameter nor buffer of the module."""
    written: tuple[str, ...]
    """Names of the buffers that the module writes; their new contents are the first outputs."""
    structure: Structure
    """Of the result, around its tensors."""


def export(module: torch.nn.Module, args: Sequence[Any], kwargs: dict[str, Any]) -> Exported:
    """Trace `module` on these arguments.

    Raises:
        CaptureError E424: `torch.export` cannot trace it (a branch on data, say); its own message is part of ours.
    """
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # what torch deprecates inside itself is not the user's to mend
            exported = torch.export.export(module, tuple(args), kwargs, strict=False)
            table = torch.export.default_decompositions()
            for op in [op for op in table if f"aten.{_short(op)}" in TABLE]:
                del table[op]
            exported = exported.run_decompositions(table)
    except Exception as problem:  # torch raises whatever its tracer met; the user needs all of it
        raise CaptureError(
            "E424",
            f"torch.export cannot trace {type(module).__name__}: {problem}",
            help="write the branch or loop on data with torch.cond or torch.while_loop, or keep it outside the module",
        ) from problem
    return _neutral(exported)


def _neutral(exported: torch.export.ExportedProgram) -> Exported:
    signature = exported.graph_signature
    placeholders = [node for node in exported.graph.nodes if node.op == "placeholder"]
    state, constants, inputs, user = [], {}, [], []
    for node, spec in zip(placeholders, signature.input_specs, strict=True):
        entry = (node.name, type_of(node.meta["val"])) if isinstance(node.meta.get("val"), torch.Tensor) else None
        if spec.kind is InputKind.USER_INPUT:
            if entry is not None:
                user.append(entry)
        elif entry is not None and spec.target is not None:
            state.append(spec.target)
            inputs.append(entry)
            if spec.kind is InputKind.CONSTANT_TENSOR:
                constants[spec.target] = exported.constants[spec.target]
    results = list(next(node for node in exported.graph.nodes if node.op == "output").args[0])
    written = []
    for spec, result in zip(signature.output_specs, results, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION and spec.target is not None:
            written.append(spec.target)
        elif spec.kind is not OutputKind.USER_OUTPUT or not isinstance(result, torch.fx.Node):
            raise CaptureError(
                "E425",
                f"the module gives or changes something that is no tensor: {result!r} ({spec.kind.name.lower()})",
                help="return tensors, and write no arguments",
            )  # fmt: skip
    calls = [node for node in exported.graph.nodes if node.op == "call_function"]
    program = TensorProgram(
        tuple(inputs + user), tuple(map(_instruction, calls)), tuple(Reference(result.name) for result in results)
    )
    leaves = len(results) - len(written)
    result = torch.utils._pytree.tree_unflatten([0] * leaves, exported.call_spec.out_spec)
    return Exported(program, tuple(state), constants, tuple(written), flatten(result)[1])


def _short(op: Any) -> str:
    """`aten.addmm.default` without `aten.`."""
    return str(op).removeprefix("aten.")


def _instruction(node: torch.fx.Node) -> Instruction:
    values = node.meta.get("val")
    values = values if isinstance(values, (list, tuple)) else [values]
    types = tuple(type_of(value) for value in values if isinstance(value, torch.Tensor))
    name = "getitem" if node.target is operator.getitem else str(node.target)
    arguments = tuple(_plain(argument) for argument in node.args)
    return Instruction(
        name, node.name, arguments, {k: _plain(v) for k, v in node.kwargs.items()}, types, _location(node)
    )


def _plain(argument: Any) -> Any:
    """Nodes become references; torch's own enumerations stay out."""
    if isinstance(argument, torch.fx.Node):
        return Reference(argument.name)
    if isinstance(argument, (list, tuple)):
        return tuple(_plain(item) for item in argument)
    return argument if isinstance(argument, (bool, int, float, str, type(None))) else str(argument)


def _location(node: torch.fx.Node) -> SourceLoc | None:
    """The last line of the user's in the node's stack."""
    found = [match for match in _FRAME.finditer(node.meta.get("stack_trace") or "") if _TORCH not in match["file"]]
    return SourceLoc(found[-1]["file"], int(found[-1]["line"]), found[-1]["function"]) if found else None


def dtype_of(dtype: torch.dtype) -> DType:
    """PyTorch's dtype as ours.

    Raises:
        DTypeError E223: we do not compute with it.
    """
    name = str(dtype).removeprefix("torch.")
    if name not in BY_NAME:
        raise DTypeError("E223", f"tensors of {dtype} cannot be part of a program", help="convert them: x.float()")
    return BY_NAME[name]


def type_of(tensor: torch.Tensor) -> TensorType:
    """Type of a tensor."""
    return TensorType(tuple(int(size) for size in tensor.shape), dtype_of(tensor.dtype))
