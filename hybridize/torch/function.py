# SPDX-License-Identifier: Apache-2.0
"""`TorchFunction`: a module, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import logging
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import torch
from numpy.typing import NDArray

from hybridize.array.ndarray import wrap
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import ArgumentError, CaptureError, StateError
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.base.types import TensorType
from hybridize.capture import Function, Program
from hybridize.capture.function import Options
from hybridize.capture.signature import Call
from hybridize.capture.sizes import Family
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import ARRAY, Leaf, SavedProgram, SavedSignature
from hybridize.formats.torch_export import to_graph
from hybridize.graph import Graph
from hybridize.torch.exporting import Exported, export
from hybridize.torch.memory import as_numpy, as_tensor, type_of
from hybridize.torch.samples import example, recorded
from hybridize.torch.samples import samples as sampled

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported as Files

PROGRAMS = 64
"""How many programs a module keeps; those for the kind of call that last needed a new one longest ago go first."""
SEEN = 4096
"""How many calls' shapes a program remembers to be right for."""

Shapes = tuple[torch.Size, ...]
_log = logging.getLogger(__name__)


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
        self._kin: OrderedDict[Hashable, _Kin] = OrderedDict()
        """Programs by what their calls have in common but for sizes."""
        self._latest: _Compiled | None = None
        """The program of the last call, where calls like it need no taking apart."""
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"hybridize({self.module!r})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `module(*args, **kwargs)` gives, computed by a compiled program.

        Raises:
            CaptureError: a part of the module that cannot be compiled, named with its line.
            DeviceError E702: a tensor outside the computer's memory.
        """
        latest = self._latest
        if latest is not None and not kwargs and latest.fits(args):
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

    def compile(self, *specs: Any) -> Program:
        """Compile ahead of the first call.

        Args:
            specs: for each argument a tensor or number like it, or a type such as `"f32[2,3]"`.
        """
        return self.program(*(example(spec) if isinstance(spec, str) else spec for spec in specs))

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is exported again."""
        with self._lock:
            for kin in self._kin.values():
                kin.forget(program)
            self._latest = None

    def saved(self, samples: Sequence[Any] = (), notes: list[str] | None = None) -> SavedProgram:
        """Every program compiled so far as plain data, with the weights as they are now.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were exported at: each a
                tensor or a tuple of arguments.
            notes: hears where something else had to stand for PyTorch.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334: no program takes one of the samples.
        """
        with self._lock:
            compiled = self._all()
        if not compiled:
            raise StateError("E507", "there is no program to save yet", help="call the module once, then save it")
        calls: dict[int, list[tuple[NDArray[Any], ...] | None]] = {id(one): [one.sample] for one in compiled}
        for number, sample in enumerate(samples):
            leaves, structure = flatten((sample if isinstance(sample, tuple) else (sample,), {}))
            kin = self._kin.get((structure, tuple(map(_kind, leaves)), self.module.training))
            found = kin and kin.find(tuple(leaf.shape for leaf in leaves if isinstance(leaf, torch.Tensor)), leaves)
            if not found:
                text = f"sample {number} is a call that {type(self.module).__name__} has no program for"
                raise ArgumentError("E334", text, help="call it once with these arguments")
            calls[id(found)].append(recorded(leaves))
        told = [] if notes is None else notes
        weights: dict[str, Any] = {}
        signatures = []
        for one in compiled:
            weights.update(one.saved.weights)
            module = self.module if one.same_module() and one.same_tensors() and not one.frozen else None
            made = sampled(module, one.saved, one.structure, one.leaves, calls[id(one)], told)
            signatures.append(dataclasses.replace(one.saved.signatures[0], samples=made))
        return dataclasses.replace(compiled[0].saved, signatures=tuple(signatures), weights=weights)

    def save(self, path: str | Path, *, samples: Sequence[Any] = ()) -> None:
        """Write every program compiled so far, with the weights as they are now, as one file for `hybridize.load`.

        Args:
            path: of the file.
            samples: calls by which the file can be checked; see `export`.

        Raises:
            StateError E507: nothing has been compiled yet.
        """
        write_archive(path, self.saved(samples))

    def export(
        self, path: str | Path, format: str = "archive", *, samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None, **options: Any,
    ) -> Files:  # fmt: skip
        """Write all programs as files that run without this Python; each is run and compared before it is in place.

        Args:
            path: of the archive; of other formats, the folder and the name of the model.
            format: as in `hybridize.Function.export`: `"archive"`, `"library"`, `"object"` or `"wasm"`.
            samples: calls to check it with, besides those that the programs were exported at: each a tensor or a
                tuple of arguments.
            progress: hears what is being done.
            options: as in `hybridize.Function.export`.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E454 to E457: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what PyTorch gives. Nothing changed on the disk.
        """
        from hybridize.capture.exporting import export as write  # late: most processes write no file

        return write(
            self.saved, Function.from_saved, path, format, samples=samples, progress=progress, options=options
        )  # fmt: skip

    def cache_info(self) -> dict[str, int]:
        """How many programs are kept, and how many may be."""
        return {"programs": len(self._all()), "limit": PROGRAMS}

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._kin.clear()
            self._latest = None

    def _all(self) -> list[_Compiled]:
        return [one for kin in self._kin.values() for one in kin.programs()]

    def _compiled(
        self, leaves: Sequence[Any], structure: Structure, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Compiled:
        """The program for a call, made where there is none."""
        key = structure, tuple(map(_kind, leaves)), self.module.training
        shapes = tuple([leaf.shape for leaf in leaves if isinstance(leaf, torch.Tensor)])
        kin = self._kin.get(key)
        found = None if kin is None else kin.find(shapes, leaves)
        if found is None or not found.same_module() or not found.same_tensors():
            with self._lock:
                kin = self._kin.setdefault(key, _Kin())
                self._kin.move_to_end(key)
                if not all(one.same_module() for one in kin.programs()):
                    kin.clear()
                found = kin.find(shapes, leaves)
                if found is not None and not found.same_tensors():
                    found = self._renewed(kin, found, leaves, structure)
                if found is None:
                    found = self._made(kin, shapes, leaves, structure, args, kwargs)
        return found

    def _made(
        self, kin: _Kin, shapes: Shapes, leaves: Sequence[Any], structure: Structure, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> _Compiled:  # fmt: skip
        """A new program, for other sizes too where calls were seen to differ in those; the lock is held."""
        call = _call(leaves, structure, self.module.training)
        opened = kin.family.kinds(call, self.options["dynamic"])
        compiled = None if opened is None else self._general(kin, call, opened[0], args, kwargs)
        if compiled is None:
            compiled = _Compiled(self, leaves, structure, export(self.module, args, kwargs))
        kin.family.saw(call)
        kin.add(compiled, shapes)
        while len(self._all()) > PROGRAMS:
            oldest = next(iter(self._kin))
            self._kin[oldest].drop()
            if not self._kin[oldest].programs():
                del self._kin[oldest]
        return compiled

    def _general(
        self, kin: _Kin, call: Call, kinds: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Compiled | None:
        """A program for this call and others that differ in sizes; None where an exact one is of more use."""
        try:
            wanted = [kind for kind in kinds if isinstance(kind, TensorType)]
            exported = export(self.module, args, kwargs, wanted)
            compiled = _Compiled(self, call.leaves, call.structure, exported)
        except Exception as error:
            # Whatever it is: if it is the user's error, the exact export says so too, in terms of true sizes.
            _log.debug("%s cannot be exported for any size: %s", type(self.module).__name__, error, exc_info=True)
            kin.family.give_up(kinds, error)
            return None
        for asked, given in zip(wanted, exported.kinds, strict=True):
            for size, found in zip(asked.shape, given.shape, strict=True):
                if is_symbolic(size) and not _is_open(found):
                    int(size)  # which pins it, so that the family hears that it is no use as a symbol
        useful = kin.family.settle(kinds)
        if useful:
            compiled.explain(kin.family.change(call, kinds, [f"argument {i}" for i in range(len(kinds))]))
            return compiled
        return compiled if compiled.graph.scope is None else None

    def _renewed(self, kin: _Kin, before: _Compiled, leaves: Sequence[Any], structure: Structure) -> _Compiled | None:
        """A program whose tensors were replaced, over the new ones; None if that takes another graph."""
        try:
            compiled = _Compiled(self, leaves, structure, before.exported, before)
        except _OtherTensorsError:
            kin.clear()
            return None
        kin.replace(before, compiled)
        return compiled


class _Kin:
    """The programs of calls that differ in sizes only."""

    def __init__(self) -> None:
        self.family = Family()
        """Which sizes the calls come in."""
        self.exact: OrderedDict[Shapes, _Compiled] = OrderedDict()
        """Programs for one size; the ones made first come first."""
        self.general: list[_Compiled] = []
        """Programs for several sizes. Replaced, not changed: threads read it without the lock."""

    def programs(self) -> list[_Compiled]:
        """All of them."""
        return [*self.exact.values(), *self.general]

    def find(self, shapes: Shapes, leaves: Sequence[Any]) -> _Compiled | None:
        """The program that is right for a call, as far as the module is what it was."""
        found = self.exact.get(shapes)
        if found is None:
            found = next((one for one in self.general if one.accepts(shapes, leaves)), None)
        return found

    def add(self, program: _Compiled, shapes: Shapes) -> None:
        """Add a program that was made for a call of these shapes."""
        if program.graph.scope is None:
            self.exact[shapes] = program
        else:
            self.general = [program, *self.general]

    def drop(self) -> None:
        """Forget the oldest program; one for several sizes only where there is no other."""
        if self.exact:
            self.exact.popitem(last=False)
        else:
            self.general = self.general[:-1]

    def forget(self, program: Program) -> None:
        """Forget the one that runs this program."""
        for shapes, one in list(self.exact.items()):
            if program in one.function.programs():
                del self.exact[shapes]
        self.general = [one for one in self.general if program not in one.function.programs()]

    def replace(self, before: _Compiled, after: _Compiled) -> None:
        """Put a program in the place of another one."""
        self.exact.update({shapes: after for shapes, one in self.exact.items() if one is before})
        self.general = [after if one is before else one for one in self.general]

    def clear(self) -> None:
        """Forget all programs."""
        self.family = Family()
        self.exact.clear()
        self.general = []


class _OtherTensorsError(Exception):
    """A parameter was replaced by one of another type, or is no longer the same as another one."""


def _kind(leaf: Any) -> Hashable:
    """What calls of one program have in common, but for sizes."""
    if isinstance(leaf, torch.Tensor):
        return leaf.dtype, leaf.ndim
    if isinstance(leaf, (bool, int, float, str)):
        return type(leaf), leaf
    raise ArgumentError(
        "E311", f"an argument of class {type(leaf).__name__} cannot be part of a program",
        help="pass tensors, numbers, strings, None, or tuples, lists and dicts of them",
    )  # fmt: skip


def _call(leaves: Sequence[Any], structure: Structure, training: bool) -> Call:
    """A call as `capture` knows it."""
    kinds = [type_of(leaf) if isinstance(leaf, torch.Tensor) else (type(leaf), leaf) for leaf in leaves]
    return Call(structure, list(leaves), tuple(kinds), training, False)


def _is_open(size: int) -> bool:
    """Whether a program holds for more than one value of a size."""
    symbol = size.symbol if is_symbolic(size) else None  # type: ignore[attr-defined]
    return is_symbolic(size) and (symbol is None or not symbol.pinned)


class _Compiled:
    """The program of one kind of call, and the tensors it reads in place."""

    def __init__(
        self,
        owner: TorchFunction,
        leaves: Sequence[Any],
        structure: Structure,
        exported: Exported,
        before: _Compiled | None = None,
    ) -> None:
        """`before` is the program for the same call over tensors that have since been replaced."""
        self.exported = exported
        self.graph: Graph = before.graph if before else to_graph(exported.program)
        self.frozen = owner.frozen
        places = [_place(owner.module, name) for name in self.exported.state]
        self.state: list[torch.Tensor] = [
            self.exported.constants[name] if place is None else place[0][place[1]]
            for name, place in zip(self.exported.state, places, strict=True)
        ]
        self.owned = [
            (*place, tensor, tensor.data_ptr()) for place, tensor in zip(places, self.state, strict=True) if place
        ]
        if before and not before.may_read(self.state):
            raise _OtherTensorsError
        parts = list(owner.module.modules())
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
        self.saved = self._saved(owner, leaves, structure)
        self.function = Function.from_saved(self.saved, shared=True, **owner.options)

        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        self.dtypes = [tensor.dtype for tensor in tensors]
        self.seen: set[Shapes] = {tuple([tensor.shape for tensor in tensors])}
        """Shapes of calls that the program is right for, as far as calls have shown."""
        self.training = owner.module.training
        positional = structure.children[0].children
        self.plain = len(tensors) == len(positional) == len(leaves) and self.exported.structure.kind == "leaf"
        """Whether a call is tensors only and the result is one."""

    def fits(self, args: tuple[Any, ...]) -> bool:
        """Whether this program is right for a call of these arguments, and no gradients are asked for."""
        if (
            len(args) != len(self.dtypes) or torch.is_grad_enabled()
            or CONFIG.disable or modes.BUSY[0]
        ):  # fmt: skip
            return False
        for tensor, dtype in zip(args, self.dtypes, strict=True):
            if type(tensor) is not torch.Tensor or tensor.dtype is not dtype:
                return False
        return tuple([tensor.shape for tensor in args]) in self.seen and self.same_module() and self.same_tensors()

    def may_read(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether the graph is right for these parameters too: torch reads one that has two names by one of them."""
        named: dict[int, torch.Tensor] = {}
        return all(
            type_of(tensor) == value.type and named.setdefault(id(old), tensor) is tensor
            for tensor, old, value in zip(tensors, self.state, self.graph.inputs, strict=False)
        )

    def accepts(self, shapes: Shapes, leaves: Sequence[Any]) -> bool:
        """Whether this program is right for a call of its kind with tensors of these shapes."""
        if shapes in self.seen:
            return True
        (program,) = self.function.programs()
        if not program.accepts(_call(leaves, self.structure, self.training)):
            return False
        if len(self.seen) >= SEEN:
            self.seen.clear()
        self.seen.add(shapes)
        return True

    def explain(self, reason: str) -> None:
        """Say why the program was made."""
        (program,) = self.function.programs()
        program.reason = reason
        if CONFIG.explain:
            print(f"hybridize: {self.function.name} is exported again because {reason}", file=sys.stderr)

    def direct(self, args: tuple[Any, ...]) -> torch.Tensor:
        """Run for tensors that fit."""
        return as_tensor(self.function(*[wrap(as_numpy(tensor)) for tensor in args])._data)

    def same_module(self) -> bool:
        """Whether the module has the parts that it had, and each is in the mode, training or not, that it was in."""
        now = [attributes["training"] for attributes in self.attributes]
        return now == self.modes and [list(parts.values()) for parts in self.parents] == self.parts

    def same_tensors(self) -> bool:
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
