# SPDX-License-Identifier: Apache-2.0
"""A PyTorch module -> the neutral `TensorProgram`, by `torch.export`: PyTorch traces, we translate."""

from __future__ import annotations

import operator
import os
import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export import Dim
from torch.export.graph_signature import InputKind, OutputKind

from hybridize.base.dims import is_symbolic
from hybridize.base.errors import CaptureError
from hybridize.base.interruptions import let_through
from hybridize.base.locations import SourceLoc
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.base.types import TensorType
from hybridize.formats.saved import ARRAY, Leaf
from hybridize.formats.torch_export import TABLE, Instruction, ResultName, TensorProgram, placed
from hybridize.torch.exported.sizes import Sizes
from hybridize.torch.exported.tracing import TracedModule
from hybridize.torch.internals import pytree, refusals

_TORCH = f"{os.sep}site-packages{os.sep}torch{os.sep}"
_HYBRIDIZE = f"{os.sep}hybridize{os.sep}torch{os.sep}"
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')


@dataclass(frozen=True, slots=True)
class ExportedModule:
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
    """Of the result."""
    result: tuple[Leaf, ...]
    """The leaves of the result: tensors, and numbers and strings that every call gives back."""
    kinds: tuple[TensorType, ...]
    """Types of the tensors of the call, with symbols where the sizes may be others."""
    own: str = ""
    """Parts of the module's backward pass that are not in the program; empty if there are none."""


def export(
    module: torch.nn.Module, args: Sequence[Any], kwargs: dict[str, Any], kinds: Sequence[TensorType] = ()
) -> ExportedModule:
    """Trace `module` on arguments like these.

    Args:
        module: the module.
        args: of a call.
        kwargs: of the call.
        kinds: types of the tensors among the arguments, in order, where sizes may be symbols: the program is to hold
            for others too. Which it does is in `ExportedModule.kinds`.

    Raises:
        CaptureError E424: `torch.export` cannot trace it (a branch on data, say); its own message is part of ours.
        CaptureError E420: an operator whose results have sizes that depend on data.
        Exception: what the module itself raises for these arguments.
    """
    leaves_given, structure = flatten((tuple(args), kwargs))
    leaves = [_like(leaf, bool(kinds)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves_given]
    like, kwargs = unflatten(structure, leaves)
    traced = TracedModule(module)
    shapes = _dynamic(traced, like, kwargs, [x for x in leaves if isinstance(x, torch.Tensor)], kinds)
    try:
        with warnings.catch_warnings(), torch.no_grad(), _unchanged(module):
            warnings.simplefilter("ignore")  # what torch deprecates inside itself is not the user's to mend
            with traced.watched():
                exported = torch.export.export(traced, like, kwargs, dynamic_shapes=shapes, strict=False)
            for environment in _environments(exported):
                environment.frozen = False  # else it answers what the decompositions ask, and remembers nothing
            table = torch.export.default_decompositions()
            for op in [op for op in table if f"aten.{_short(op)}" in TABLE]:
                del table[op]
            exported = exported.run_decompositions(table)
    except CaptureError:
        raise
    except Exception as problem:  # torch raises whatever its tracer met; the user needs all of it
        let_through(problem)
        own = None if kinds else own_error(module, leaves_given, structure)
        if own is not None:
            raise own from None
        raise _refused(module, problem) from problem
    try:
        return replace(_neutral(exported, kinds), own=next(iter(traced.notes.found), ""))
    except CaptureError:
        own = None if kinds else own_error(module, leaves_given, structure)
        if own is not None:
            raise own from None
        raise


def own_error(module: torch.nn.Module, leaves: Sequence[Any], structure: Structure) -> Exception | None:
    """Return what the module raises in PyTorch for these arguments, if it does: its own words for what we refuse.

    It runs on copies of tensors, parameters and buffers, and of the state of the random generator. Modules of
    TorchScript, whose tensors cannot be replaced, do not run.
    """
    if any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
        return None
    args, kwargs = unflatten(structure, [_copied(leaf) for leaf in leaves])
    state = {name: _copied(tensor) for name, tensor in (*module.named_parameters(), *module.named_buffers())}
    try:
        with torch.random.fork_rng(devices=[]), _unchanged(module):
            torch.func.functional_call(module, state, args, kwargs)
    except Exception as error:
        let_through(error)
        return error
    return None


def _copied(x: Any) -> Any:
    if not isinstance(x, torch.Tensor):
        return x
    copied = x.detach().clone().requires_grad_(x.requires_grad)
    return copied if x.is_leaf else copied.clone()


def _refused(module: torch.nn.Module, problem: Exception) -> CaptureError:
    """Return our error for one of torch.export's, at the line of the user's at which that arose."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [one for one in frames if _TORCH not in one.filename and _HYBRIDIZE not in one.filename]
    loc = SourceLoc(own[-1].filename, own[-1].lineno or 0, own[-1].name) if own else None
    operator = getattr(problem, "func", None)
    if isinstance(problem, refusals()) and operator is not None:
        return CaptureError(
            "E420",
            f"{operator} cannot be compiled yet",
            loc=loc,
            help="write this part with the operators of docs/guide/pytorch.md, or keep it outside",
        )
    remedy = "write the branch or loop on data with torch.cond or torch.while_loop, or keep it outside the module"
    if any(one.name == "_detect_is_causal_mask" for one in frames):
        remedy = "PyTorch looks into the mask: pass is_causal=True or is_causal=False beside it"
    text = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
    return CaptureError("E424", f"torch.export cannot trace {type(module).__name__}: {text}", loc=loc, help=remedy)


def _like(tensor: torch.Tensor, row_major: bool) -> torch.Tensor:
    """A stand-in for an argument: torch takes a tensor that is given twice for one, in later calls too.

    Args:
        tensor: the argument.
        row_major: lay it out row by row; strides would be symbols of their own.
    """
    if tensor.layout is not torch.strided:
        return tensor
    if row_major:
        return torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)


def _dynamic(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tensors: Sequence[torch.Tensor],
    kinds: Sequence[TensorType],
) -> Any:
    """Tell torch.export which sizes it may leave open: those that are symbols in `kinds`."""
    if not kinds:
        return None
    shapes: Any = torch.export.ShapesCollection()  # type: ignore[no-untyped-call]
    for tensor, kind in zip(tensors, kinds, strict=True):
        shapes[tensor] = {axis: Dim.AUTO for axis, size in enumerate(kind.shape) if is_symbolic(size)}
    return shapes.dynamic_shapes(module, args, kwargs)


@contextmanager
def _unchanged(module: torch.nn.Module) -> Iterator[None]:
    """Undo what the module does to its attributes while it is traced: it would find torch's stand-ins there later."""
    owners = [vars(part) for part in module.modules()]
    before = [dict(attributes) for attributes in owners]
    try:
        yield
    finally:
        for attributes, old in zip(owners, before, strict=True):
            for name in attributes.keys() - old.keys():
                del attributes[name]
            attributes.update(old)


def _environments(exported: torch.export.ExportedProgram) -> list[Any]:
    """Return torch's shape environment, if it left any sizes open."""
    sizes = [size for node in _placeholders(exported) for size in getattr(node.meta.get("val"), "shape", ())]
    return [size.node.shape_env for size in sizes if isinstance(size, torch.SymInt)][:1]


def _placeholders(exported: torch.export.ExportedProgram) -> list[torch.fx.Node]:
    return [node for node in exported.graph.nodes if node.op == "placeholder"]


def _neutral(exported: torch.export.ExportedProgram, kinds: Sequence[TensorType]) -> ExportedModule:
    signature = exported.graph_signature
    entries = list(zip(_placeholders(exported), signature.input_specs, strict=True))
    entries = [(node, spec) for node, spec in entries if isinstance(node.meta.get("val"), torch.Tensor)]
    taken = [node for node, spec in entries if spec.kind is InputKind.USER_INPUT]
    sizes = Sizes(list(zip([node.meta["val"] for node in taken], kinds, strict=True)) if kinds else [])
    arguments = [(node.name, sizes.type_of(node.meta["val"])) for node in taken]
    state, constants, inputs = [], {}, []
    for node, spec in entries:
        if spec.kind is not InputKind.USER_INPUT and spec.target is not None:
            state.append(_name(spec.target))
            inputs.append((node.name, sizes.type_of(node.meta["val"])))
            if spec.kind is InputKind.CONSTANT_TENSOR:
                constants[_name(spec.target)] = exported.constants[spec.target]
    results = list(next(node for node in exported.graph.nodes if node.op == "output").args[0])
    written = []
    for spec, result in zip(signature.output_specs, results, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION and spec.target is not None:
            written.append(_name(spec.target))
        elif spec.kind is OutputKind.PARAMETER_MUTATION:
            raise CaptureError(
                "E425",
                f"the module writes its parameter {_name(spec.target or '')!r}",
                help="write it outside of the module, within torch.no_grad(); of an Embedding leave out max_norm",
            )
        elif spec.kind is OutputKind.TOKEN:
            raise CaptureError(
                "E420",
                "an operator that checks its results cannot be compiled yet",
                loc=_effect(exported),
                help="write this part with the operators of docs/guide/pytorch.md, or keep it outside",
            )
        elif spec.kind is not OutputKind.USER_OUTPUT or not (_is_tensor(result) or _is_constant(result)):
            raise CaptureError(
                "E425",
                f"the module gives or changes something that is not a tensor: {result!r} ({spec.kind.name.lower()})",
                help="return tensors, and write no arguments",
            )
    calls = [node for node in exported.graph.nodes if node.op == "call_function"]
    steps = []
    for node in calls:
        if not isinstance(node.meta.get("val"), torch.SymInt):
            with placed(_location(node)):
                steps.append(_instruction(node, sizes))
    tensors = tuple(ResultName(result.name) for result in results if _is_tensor(result))
    program = TensorProgram(tuple(inputs + arguments), tuple(steps), tensors)
    given = [ARRAY if _is_tensor(result) else result for result in results[len(written) :]]
    leaves, structure = flatten(pytree.tree_unflatten(given, exported.call_spec.out_spec))
    result = tuple(leaf if leaf is ARRAY else Leaf("constant", leaf) for leaf in leaves)
    kinds = tuple(kind for _, kind in arguments)
    return ExportedModule(program, tuple(state), constants, tuple(written), structure, result, kinds)


def _name(target: str) -> str:
    """As the user's module calls it."""
    return target.removeprefix(TracedModule.PREFIX)


def _is_tensor(result: Any) -> bool:
    return isinstance(result, torch.fx.Node) and isinstance(result.meta.get("val"), torch.Tensor)


def _is_constant(result: Any) -> bool:
    return result is None or isinstance(result, (bool, int, float, str))


def _effect(exported: torch.export.ExportedProgram) -> SourceLoc | None:
    """Return the line of the first call whose order torch keeps by a token."""
    calls = (node for node in exported.graph.nodes if "with_effects" in str(node.target))
    return next((_location(node) for node in calls), None)


def _short(op: Any) -> str:
    """`aten.addmm.default` without `aten.`."""
    return str(op).removeprefix("aten.")


def _instruction(node: torch.fx.Node, sizes: Sizes) -> Instruction:
    values = node.meta.get("val")
    values = values if isinstance(values, (list, tuple)) else [values]
    types = tuple(sizes.type_of(value) for value in values if isinstance(value, torch.Tensor))
    name = "getitem" if node.target is operator.getitem else str(node.target)
    if any(isinstance(value, torch.SymFloat) for value in values):
        name = f"size.{getattr(node.target, '__name__', node.target)}"
    arguments = tuple(_plain(argument, sizes) for argument in node.args)
    keywords = {name: _plain(argument, sizes) for name, argument in node.kwargs.items()}
    return Instruction(name, node.name, arguments, keywords, types, _location(node))


def _plain(argument: Any, sizes: Sizes) -> Any:
    """Sizes become ours, other nodes references; torch's own enumerations stay out."""
    value = argument.meta.get("val") if isinstance(argument, torch.fx.Node) else argument
    if isinstance(value, torch.SymInt):
        return sizes.size(value)
    if isinstance(argument, torch.fx.Node):
        if argument.op == "placeholder" and not isinstance(value, torch.Tensor):
            raise CaptureError(
                "E420",
                f"an operator that takes an object, {argument.name.rpartition('lifted_')[2]}, cannot be compiled yet",
                help="random numbers of a torch.Generator: leave the generator out, or draw them outside of the module",
            )
        return ResultName(argument.name)
    if isinstance(argument, (list, tuple)):
        return tuple(_plain(item, sizes) for item in argument)
    return argument if isinstance(argument, (bool, int, float, str, type(None))) else str(argument)


def _location(node: torch.fx.Node) -> SourceLoc | None:
    """The last line of the user's in the node's stack."""
    found = [match for match in _FRAME.finditer(node.meta.get("stack_trace") or "") if _TORCH not in match["file"]]
    return SourceLoc(found[-1]["file"], int(found[-1]["line"]), found[-1]["function"]) if found else None
