# SPDX-License-Identifier: Apache-2.0
"""`Compiled`: the programs of one kind of call of a module, and the tensors that they read in place."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import torch
from numpy.typing import NDArray

from hybridize.array import random
from hybridize.array.ndarray import wrap
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.capture import Function
from hybridize.contract.call import Call
from hybridize.formats.saved import ARRAY, Leaf, SavedProgram, SavedSignature
from hybridize.formats.torch_export import to_graph
from hybridize.graph import Builder, Graph, sizes_of
from hybridize.ops import Add
from hybridize.programs import Program
from hybridize.programs.saving import RANDOM
from hybridize.torch.exported.eager_backward import with_eager_backward
from hybridize.torch.exported.exporting import ExportedModule
from hybridize.torch.exported.samples import recorded
from hybridize.torch.gradients import Gradients, wanted
from hybridize.torch.memory import as_numpy, as_tensor, type_of

SEEN = 4096
"""The number of calls' shapes that a program remembers to be right for."""

Shapes = tuple[torch.Size, ...]
_log = logging.getLogger(__name__)


class OtherTensorsError(Exception):
    """A parameter was replaced by one of another type, or is no longer the same as another one."""


def call_of(leaves: Sequence[Any], structure: Structure, training: bool) -> Call:
    """A call as `capture` knows it."""
    kinds = [type_of(leaf) if isinstance(leaf, torch.Tensor) else (type(leaf), leaf) for leaf in leaves]
    return Call(structure, list(leaves), tuple(kinds), training, False)


class Compiled:
    """The programs of one kind of call: one to predict, and pairs for what is to be differentiated."""

    def __init__(
        self,
        module: torch.nn.Module,
        leaves: Sequence[Any],
        structure: Structure,
        exported: ExportedModule,
        options: Mapping[str, Any],
        before: Compiled | None = None,
    ) -> None:
        """`options` are keywords of `hybridize`; `before` is the same over tensors that have since been replaced."""
        self.module = module
        self.exported = exported
        graph, draws = (before.graph, before.draws) if before else to_graph(exported.program)
        self.graph: Graph = graph
        self.draws: int = draws
        """The number of times that a call draws random numbers."""
        self.options = options
        self.frozen: bool = options["freeze"]
        owners = [_owner_of(module, name) for name in exported.state]
        self.state: list[torch.Tensor] = [
            exported.constants[name] if owner is None else owner[0][owner[1]]
            for name, owner in zip(exported.state, owners, strict=True)
        ]
        self.owned = [
            (*owner, tensor, tensor.data_ptr()) for owner, tensor in zip(owners, self.state, strict=True) if owner
        ]
        if before and not before.may_read(self.state):
            raise OtherTensorsError
        parts = list(module.modules())
        self.attributes = [vars(part) for part in parts if "training" in vars(part)]
        """Of the module and of its parts."""
        self.modes = [attributes["training"] for attributes in self.attributes]
        self.parents = [part._modules for part in parts if part._modules]
        self.parts = [list(children.values()) for children in self.parents]
        self.structure = structure
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        """Of the call, tensors as None."""
        self.sample: tuple[NDArray[Any], ...] | None = before.sample if before else recorded(leaves)
        """The tensors of the call, copied; None where they are too large to keep."""
        self.reason = ""
        """The reason why the programs were made; empty for the first ones."""
        self._function: Function | None = None
        self._served: set[Shapes] = set()
        """Shapes that `_function` is right for, where it is for some only."""

        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        self.dtypes = [tensor.dtype for tensor in tensors]
        self.seen: set[Shapes] = {tuple([tensor.shape for tensor in tensors])}
        """Shapes of calls that the graph is right for, as far as calls have shown."""
        self.training = module.training
        positional = structure.children[0].children
        self.plain = len(tensors) == len(positional) == len(leaves) and exported.structure.kind == "leaf"
        """True if a call is tensors only and the result is one."""

        self.arrays = [as_numpy(tensor) for tensor in self.state]
        """Memory of what the program reads."""
        whole = self._whole()
        self.read: list[torch.Tensor] = [] if self.frozen else self.state
        """Tensors that calls read besides arguments."""
        if self.frozen:
            self.arrays = []
        writes = tuple(len(tensors) + exported.state.index(name) for name in exported.written)
        self.saved = self._saved(whole, leaves, writes)
        self.gradients: Gradients = (
            before.gradients
            if before
            else Gradients(
                whole,
                type(module).__name__,
                writes=writes,
                names=exported.written,
                backend=options["backend"],
                verify=options["verify"],
                threads=options["threads"],
            )
        )
        self.own: str = before.own if before else ""
        """The reason why PyTorch computes gradients; empty if a program does."""
        if exported.own and not before:
            self._leave(exported.own)

    # --------------------------------------------------------------------------------------------- what it is for

    def fits(self, args: tuple[Any, ...]) -> bool:
        """Tell whether these programs are right for a call of these arguments."""
        if len(args) != len(self.dtypes) or CONFIG.disable or modes.BUSY[0]:
            return False
        for tensor, dtype in zip(args, self.dtypes, strict=True):
            if type(tensor) is not torch.Tensor or tensor.dtype is not dtype:
                return False
        return tuple([tensor.shape for tensor in args]) in self.seen and self.same_module() and self.same_tensors()

    def may_read(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Tell whether the graph is right for these parameters too: torch reads one of two names by one of them."""
        named: dict[int, torch.Tensor] = {}
        return all(
            type_of(tensor) == value.type and named.setdefault(id(old), tensor) is tensor
            for tensor, old, value in zip(tensors, self.state, self.graph.inputs, strict=False)
        )

    def accepts(self, shapes: Shapes) -> bool:
        """Tell whether the graph is right for a call of its kind with tensors of these shapes."""
        if shapes in self.seen:
            return True
        state = [tensor.shape for tensor in self.state]
        key = [(2,)] if self.draws else []
        if self.graph.scope is None or sizes_of(self.graph, [*state, *shapes, *key]) is None:
            return False
        if len(self.seen) >= SEEN:
            self.seen.clear()
        self.seen.add(shapes)
        return True

    def same_module(self) -> bool:
        """Tell whether the module has the parts that it had, each in the mode, training or not, that it was in."""
        now = [attributes["training"] for attributes in self.attributes]
        return now == self.modes and [list(parts.values()) for parts in self.parents] == self.parts

    def same_tensors(self) -> bool:
        """Tell whether the module still holds the very tensors, in the very memory, that the programs read."""
        if self.frozen:
            return True
        for tensors, name, tensor, address in self.owned:
            if tensors.get(name) is not tensor or tensor.data_ptr() != address:
                return False
        return True

    def explain(self, reason: str) -> None:
        """Say why the programs were made."""
        self.reason = reason
        if CONFIG.explain:
            print(f"hybridize: {self.saved.name} is exported again because {reason}", file=sys.stderr)

    # ---------------------------------------------------------------------------------------------------- calls

    def call(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, tensors as arrays over the same memory."""
        arrays = [wrap(as_numpy(leaf)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = unflatten(self.structure, arrays)
        return args, kwargs

    def direct(self, args: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """The result of a call that fits."""
        wrt = self._wanted(args)
        if wrt or not self._predicts(args):
            return self._general(args, args, wrt)[0]
        return as_tensor(self.function(*[wrap(as_numpy(tensor)) for tensor in args])._data)

    def __call__(self, leaves: Sequence[Any]) -> Sequence[torch.Tensor]:
        """The tensors of the result. Buffers that the module writes are written."""
        tensors = tuple([leaf for leaf in leaves if isinstance(leaf, torch.Tensor)])
        wrt = self._wanted(tensors)
        if wrt or not self._predicts(tensors):
            return self._general(tensors, leaves, wrt)
        args, kwargs = self.call(leaves)
        found = zip(flatten(self.function(*args, **kwargs))[0], self.exported.result, strict=True)
        return [as_tensor(array._data) for array, leaf in found if leaf is ARRAY]

    def result(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The result of a call, put together from its tensors."""
        found = iter(tensors)
        leaves = [next(found) if leaf is ARRAY else leaf.value for leaf in self.exported.result]
        return unflatten(self.exported.structure, leaves)

    def _wanted(self, tensors: Sequence[torch.Tensor]) -> tuple[int, ...]:
        """Return the tensors, and the states after them, that are to be differentiated with respect to."""
        return wanted([*tensors, *self.state]) if torch.is_grad_enabled() else ()

    def _predicts(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Tell whether the program that predicts is right for a call: not where it draws, as torch has the seed."""
        if self.draws:
            return False
        if self.graph.scope is None:
            return True
        shapes = tuple([tensor.shape for tensor in tensors])
        if shapes not in self._served:
            function: Any = self.function  # mypy binds what a property gives, as if it were a method
            (program,) = function.programs()
            leaves = iter(tensors)
            values = [leaf if leaf is not None else next(leaves) for leaf in self.leaves]
            if not program.accepts(call_of(values, self.structure, self.training)):
                return False
            if len(self._served) >= SEEN:
                self._served.clear()
            self._served.add(shapes)
        return True

    def _general(
        self, tensors: Sequence[torch.Tensor], leaves: Sequence[Any], wrt: tuple[int, ...]
    ) -> Sequence[torch.Tensor]:
        """The results where gradients are wanted or random numbers are drawn.

        Raises:
            CaptureError E423: the module draws, and its gradients are PyTorch's, which would draw other numbers.
        """
        inputs = [*tensors, *self.read]
        buffers = [as_numpy(tensor.detach() if tensor.requires_grad else tensor) for tensor in tensors]
        buffers += self.arrays
        if self.draws:
            key = torch.empty(2, dtype=torch.int64).random_().view(torch.uint64)
            inputs.append(key)
            buffers.append(key.numpy())
        if wrt and self.frozen and wrt[-1] >= len(tensors) and not self.own:
            self._leave("freeze=True, which makes constants of its parameters")
        if wrt and not self.own:
            try:
                call = self.gradients.call(inputs, buffers, wrt)
            except HybridizeError as error:
                if error.code == "E459" or self.draws:
                    raise
                self._leave(error.what)
            else:
                return call.results()
        call = self.gradients.call(inputs, buffers, ())
        if not wrt:
            return call.results()
        if self.draws:
            raise CaptureError(
                "E423",
                f"{self.saved.name} draws random numbers, and its backward pass runs in PyTorch because of "
                f"{self.own}: it would draw others",
                help="draw outside of the module, or call module.eval()",
            )
        return with_eager_backward(self.module, leaves, self.structure, self.exported.written, call.results)

    def _leave(self, reason: str) -> None:
        """Leave gradients to PyTorch, and say so."""
        self.own = reason
        text = f"the backward pass of {self.saved.name} runs in PyTorch, because of {reason}"
        _log.info("%s", text)
        if CONFIG.explain:
            print(f"hybridize: {text}", file=sys.stderr)

    # ------------------------------------------------------------------------------------------------- the programs

    @property
    def function(self) -> Function:
        """The program that predicts."""
        if self._function is None:
            self._function = Function.from_saved(self.saved, shared=True, **self.options)
            (program,) = self._function.programs()
            program.reason = self.reason
        return self._function

    def runs(self, program: Program) -> bool:
        """Tell whether this is the program that predicts."""
        return self._function is not None and program in self._function.programs()

    def _whole(self) -> Graph:
        """The graph as programs have it: its inputs are arguments, state and key, its outputs results and state."""
        graph, count, written = self.graph, len(self.exported.state), len(self.exported.written)
        state, given = graph.inputs[:count], graph.inputs[count:]
        constants = dict(graph.constants)
        if self.frozen:
            if written:
                raise CaptureError(
                    "E442",
                    f"the module writes its buffer {self.exported.written[0]!r}, which freeze=True makes a constant",
                    help="hybridize without freeze, or call module.eval() first",
                )
            constants.update(zip(state, map(_constant, self.arrays), strict=True))
            state = ()
        arguments, key = given[: len(self.dtypes)], given[len(self.dtypes) :]
        outputs = (*graph.outputs[written:], *graph.outputs[:written])
        return Graph((*arguments, *state, *key), graph.nodes, outputs, constants)

    def _saved(self, graph: Graph, leaves: Sequence[Any], writes: tuple[int, ...]) -> SavedProgram:
        """The program that predicts, as plain data. Where it draws, its key is a state that each call steps on."""
        names = () if self.frozen else self.exported.state
        weights = dict(zip(names, self.arrays, strict=True))
        if self.draws:
            builder = Builder()
            builder.inputs, builder.nodes, builder.constants = (
                list(graph.inputs),
                list(graph.nodes),
                dict(graph.constants),
            )
            step = builder.constant(numpy.array([0, self.draws], dtype=numpy.uint64))
            graph = builder.finish([*graph.outputs, *builder.add(Add(), [graph.inputs[-1], step], None)])
            weights[RANDOM] = random.state._data.copy()
            writes, names = (*writes, len(graph.inputs) - 1), (*names, RANDOM)
        given = tuple(ARRAY if isinstance(leaf, torch.Tensor) else Leaf("constant", leaf) for leaf in leaves)
        result = self.exported.structure
        signature = SavedSignature(graph, self.structure, given, result, self.exported.result, names, writes)
        return SavedProgram(type(self.module).__name__, (signature,), weights)


def _constant(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that nobody can write."""
    copy = numpy.array(array, order="C")
    copy.setflags(write=False)
    return copy


def _owner_of(module: torch.nn.Module, name: str) -> tuple[dict[str, Any], str] | None:
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
