# SPDX-License-Identifier: Apache-2.0
"""`TorchFunction`: a module, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from numpy.typing import NDArray

from hybridize.array.ndarray import wrap
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError, StateError
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.capture import Function, Program
from hybridize.capture.function import Options
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import ARRAY, Leaf, SavedProgram, SavedSignature
from hybridize.formats.torch_export import to_graph
from hybridize.graph import Graph
from hybridize.torch.exporting import Exported, export
from hybridize.torch.memory import as_numpy, as_tensor

PROGRAMS = 64
"""How many programs a module keeps; the one that was not used for longest goes first."""


class TorchFunction:
    """A `torch.nn.Module` whose calls run as machine code.

    Attributes:
        module: the module itself; its parameters are read where they are.
    """

    def __init__(self, module: torch.nn.Module, **options: Any) -> None:
        """Wrap `module`; `options` are those of `hybridize`."""
        self.module = module
        checked = Options.of(options)
        self.options = {field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)}
        """Keywords of the programs."""
        self.frozen = checked.freeze
        """Whether weights are constants of the programs."""
        self._programs: OrderedDict[Hashable, _Compiled] = OrderedDict()
        self._latest: _Compiled | None = None
        """The program of the last call, where calls like it need no taking apart."""
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"hybridize({self.module!r})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `module(*args, **kwargs)` gives, computed by a compiled program.

        Raises:
            CaptureError: a part of the module that cannot be compiled, named with its line.
            DeviceError E702: a tensor outside the computer's memory.
        """
        latest = self._latest
        if latest is not None and not kwargs and latest.fits(args, self.module.training):
            return latest.direct(args)
        if CONFIG.disable or modes.is_disabled():
            return self.module(*args, **kwargs)
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        if torch.is_grad_enabled():
            inputs = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
            parameters = dict(self.module.named_parameters())
            wanted = [tensor for tensor in (*inputs, *parameters.values()) if tensor.requires_grad]
            if wanted:
                call = _Call(self.module, compiled, leaves, structure, len(inputs), tuple(parameters))
                flat = _Attached.apply(call, *inputs, *parameters.values())  # type: ignore[no-untyped-call]
                return unflatten(compiled.exported.structure, flat)
        self._latest = compiled if compiled.plain and not kwargs else None
        return unflatten(compiled.exported.structure, compiled(leaves))

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs."""
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        args, kwargs = compiled.call(leaves)
        return compiled.function.program(*args, **kwargs)

    def save(self, path: str | Path) -> None:
        """Write every program compiled so far, with the weights as they are now, as one file for `hybridize.load`.

        Raises:
            StateError E507: nothing has been compiled yet.
        """
        with self._lock:
            compiled = list(self._programs.values())
        if not compiled:
            raise StateError("E507", "there is no program to save yet", help="call the module once, then save it")
        first, *others = [one.saved for one in compiled]
        weights = dict(first.weights)
        for other in others:
            weights.update(other.weights)
        signatures = tuple(signature for one in (first, *others) for signature in one.signatures)
        write_archive(path, dataclasses.replace(first, signatures=signatures, weights=weights))

    def cache_info(self) -> dict[str, int]:
        """How many programs are kept, and how many may be."""
        return {"programs": len(self._programs), "limit": PROGRAMS}

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._programs.clear()
            self._latest = None

    def _compiled(
        self, leaves: Sequence[Any], structure: Structure, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Compiled:
        key = (structure, tuple(map(_key, leaves)), self.module.training)
        found = self._programs.get(key)
        if found is None or not found.valid():
            before = found if found is not None and not self.frozen else None
            found = _Compiled(self, args, kwargs, leaves, structure, before)
            with self._lock:
                self._programs[key] = found
                while len(self._programs) > PROGRAMS:
                    self._programs.popitem(last=False)
        return found


def _key(leaf: Any) -> Hashable:
    if isinstance(leaf, torch.Tensor):
        return leaf.shape, leaf.dtype
    if isinstance(leaf, (bool, int, float, str)):
        return type(leaf), leaf
    raise ArgumentError(
        "E311", f"an argument of class {type(leaf).__name__} cannot be part of a program",
        help="pass tensors, numbers, strings, None, or tuples, lists and dicts of them",
    )  # fmt: skip


class _Compiled:
    """The program of one kind of call, and the tensors it reads in place."""

    def __init__(
        self,
        owner: TorchFunction,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: Sequence[Any],
        structure: Structure,
        before: _Compiled | None,
    ) -> None:
        """`before` is the program for the same call over tensors that have since been replaced."""
        self.exported: Exported = before.exported if before else export(owner.module, args, kwargs)
        self.graph: Graph = before.graph if before else to_graph(self.exported.program)
        self.frozen = owner.frozen
        places = [_place(owner.module, name) for name in self.exported.state]
        self.state: list[torch.Tensor] = [
            self.exported.constants[name] if place is None else place[0][place[1]]
            for name, place in zip(self.exported.state, places, strict=True)
        ]
        self.owned = [
            (*place, tensor, tensor.data_ptr()) for place, tensor in zip(places, self.state, strict=True) if place
        ]
        self.structure = structure
        self.saved = self._saved(owner, leaves, structure)
        self.function = Function.from_saved(self.saved, shared=True, **owner.options)

        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        self.shapes = [(tensor.shape, tensor.dtype) for tensor in tensors]
        self.training = owner.module.training
        self.plain = len(tensors) == len(args) == len(leaves) and self.exported.structure.kind == "leaf"
        """Whether a call is tensors only and the result is one."""

    def fits(self, args: tuple[Any, ...], training: bool) -> bool:
        """Whether this program is right for a call of these arguments, and no gradients are asked for."""
        if (
            len(args) != len(self.shapes) or training is not self.training or torch.is_grad_enabled()
            or CONFIG.disable or modes.BUSY[0]
        ):  # fmt: skip
            return False
        for tensor, (shape, dtype) in zip(args, self.shapes, strict=True):
            if type(tensor) is not torch.Tensor or tensor.dtype is not dtype or tensor.shape != shape:
                return False
        return self.valid()

    def direct(self, args: tuple[Any, ...]) -> torch.Tensor:
        """Run for tensors that fit."""
        return as_tensor(self.function(*[wrap(as_numpy(tensor)) for tensor in args])._data)

    def valid(self) -> bool:
        """Whether the module still holds the very tensors, in the very memory, that the program reads."""
        if self.frozen:
            return True
        for tensors, name, tensor, address in self.owned:
            if tensors.get(name) is not tensor or tensor.data_ptr() != address:
                return False
        return True

    def _saved(self, owner: TorchFunction, leaves: Sequence[Any], structure: Structure) -> SavedProgram:
        graph, names = self.graph, self.exported.state
        weights = {name: as_numpy(tensor) for name, tensor in zip(names, self.state, strict=True)}
        state, arguments = graph.inputs[: len(names)], graph.inputs[len(names) :]
        written, results = self.exported.written, graph.outputs[len(self.exported.written) :]
        constants = dict(graph.constants)
        if self.frozen:
            if written:
                raise CaptureError(
                    "E442", f"the module writes its buffer {written[0]!r}, which freeze=True makes a constant",
                    help="hybridize without freeze, or call module.eval() first",
                )  # fmt: skip
            constants.update(zip(state, map(_constant, weights.values()), strict=True))
            state, names, weights = (), (), {}
        outputs = (*results, *graph.outputs[: len(written)])
        signature = SavedSignature(
            Graph((*arguments, *state), graph.nodes, outputs, constants),
            structure,
            tuple(ARRAY if isinstance(leaf, torch.Tensor) else Leaf("constant", leaf) for leaf in leaves),
            self.exported.structure,
            (ARRAY,) * len(results),
            names,
            tuple(len(arguments) + names.index(name) for name in written),
        )
        return SavedProgram(type(owner.module).__name__, (signature,), weights)

    def call(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, tensors as arrays over the same memory."""
        arrays = [wrap(as_numpy(leaf)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = unflatten(self.structure, arrays)
        return args, kwargs

    def __call__(self, leaves: Sequence[Any]) -> list[torch.Tensor]:
        """Run; returns the tensors of the result. Buffers that the module writes are written."""
        args, kwargs = self.call(leaves)
        return [as_tensor(array._data) for array in flatten(self.function(*args, **kwargs))[0]]


def _constant(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that nobody can write."""
    copy = numpy.array(array, order="C")
    copy.setflags(write=False)
    return copy


def _place(module: torch.nn.Module, name: str) -> tuple[dict[str, Any], str] | None:
    """The dict and the key under which a module keeps the parameter or buffer `name`; None for other tensors."""
    path, _, last = name.rpartition(".")
    try:
        owner = module.get_submodule(path)
    except AttributeError:
        return None
    for tensors in (owner._parameters, owner._buffers):
        if tensors.get(last) is not None:
            return tensors, last
    return None


@dataclasses.dataclass(frozen=True, slots=True)
class _Call:
    """One call whose result has gradients."""

    module: torch.nn.Module
    compiled: _Compiled
    leaves: list[Any]
    structure: Structure
    inputs: int
    """How many of the tensors are arguments; the rest are the parameters called `names`."""
    names: tuple[str, ...]

    def again(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The results, computed by PyTorch from these tensors."""
        arguments = iter(tensors[: self.inputs])
        leaves = [next(arguments) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = unflatten(self.structure, leaves)
        parameters = dict(zip(self.names, tensors[self.inputs :], strict=True))
        return flatten(torch.func.functional_call(self.module, parameters, args, kwargs))[0]


class _Attached(torch.autograd.Function):
    """Puts a compiled forward pass into torch's graph; the backward pass differentiates the module itself."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Run the program."""
        ctx.call = call
        ctx.save_for_backward(*tensors)
        results = tuple(call.compiled(call.leaves))
        ctx.mark_non_differentiable(*(r for r in results if not r.dtype.is_floating_point))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run the module once more in PyTorch, and differentiate that."""
        call: _Call = ctx.call
        needed = ctx.needs_input_grad[1:]
        tensors = [t.detach().requires_grad_(need) for t, need in zip(ctx.saved_tensors, needed, strict=True)]
        with torch.enable_grad():
            results = call.again(tensors)
        pairs = [(r, g) for r, g in zip(results, gradients, strict=True) if g is not None and r.requires_grad]
        wanted = [tensor for tensor in tensors if tensor.requires_grad]
        found = iter(torch.autograd.grad([r for r, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True))
        return (None, *(next(found) if tensor.requires_grad else None for tensor in tensors))
