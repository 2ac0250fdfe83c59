# SPDX-License-Identifier: Apache-2.0
"""`TracedModule`: a module captured by our own capture, and its calls, with gradients and without.

The module's `forward` is converted and followed like any function of the user's, on tensors of the program (`tensors`),
and what it calls of torch is in the table of `functions`. What comes of it is an ordinary `Program`: guards, sizes,
numbers, state and control flow on data are those of all functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Final

import numpy
import torch
from torch.utils import _pytree as pytree

from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import STATE
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.frozen import changed
from hybridize.base.nested import flatten, unflatten
from hybridize.capture import Function
from hybridize.capture.function import Options
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.call import Call
from hybridize.contract.captured import Output, Result
from hybridize.graph import Graph, exact
from hybridize.ops.op import Op
from hybridize.programs import Program
from hybridize.torch.functions import Capturing
from hybridize.torch.gradients import Gradients, wanted
from hybridize.torch.library import TorchLibrary
from hybridize.torch.memory import as_numpy, as_tensor, tensor_of
from hybridize.torch.tensors import TracedTensor

_NOTHING: Final = nullcontext()


class TracedModule:
    """A module whose calls run as programs of our own capture.

    Args:
        module: the module.
        options: keywords of `hybridize`.
    """

    def __init__(self, module: torch.nn.Module, options: dict[str, Any]) -> None:
        self.module = module
        self.library = TorchLibrary()
        self.function = _Captured(self._run, self.library, options)
        self.function.name = type(module).__name__
        self._differentiated: dict[int, tuple[Program, Differentiated]] = {}

    def _run(self, flags: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the module on tensors of the program; what the capture calls."""
        trace = current_trace()
        assert trace is not None and trace.root.library is self.library, "it is captured"
        leaves, structure = flatten((args, kwargs))
        faces = [TracedTensor(x) if type(x) is Symbol and x.weak is None else x for x in leaves]
        tensors = [x for x in faces if type(x) is TracedTensor]
        marked = zip(tensors, flags or (), strict=False)
        self.library.flagged = {face.array.operand() for face, flag in marked if flag}
        args, kwargs = unflatten(structure, faces)
        recording = torch.is_grad_enabled()
        try:
            with Capturing():
                return _plain(trace.lifted(trace.convert(self.module)(*args, **kwargs)))
        finally:
            torch._C._set_grad_enabled(recording)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call.

        Raises:
            CannotCapture: the module cannot be captured for it.
        """
        leaves, structure = flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        arrays = [_array(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        given, named = unflatten(structure, arrays)
        if not torch.is_grad_enabled():
            program, call = self._program((None, *given), named)
            return _whole(program.run(call))
        flags = tuple(tensor.requires_grad for tensor in tensors)
        with modes.mode(recording=True):
            program, call = self._program((flags if any(flags) else None, *given), named)
        back = {id(array): leaf for array, leaf in zip(arrays, leaves, strict=True) if isinstance(leaf, torch.Tensor)}
        return _whole(self._of(program).call(call, back))

    def _program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Program, Call]:
        call = Call.of(args, kwargs)
        return self.function.program_of(call), call

    def _of(self, program: Program) -> Differentiated:
        known = self._differentiated.get(id(program))
        if known is None or known[0] is not program:
            known = self._differentiated[id(program)] = program, Differentiated(program, self.function.options)
        return known[1]


class CannotCapture(Exception):  # noqa: N818  # it never reaches the user
    """A module cannot be captured for a call; the cause tells why."""


class _Captured(Function[Any, Any]):
    """The function that a module is to the capture."""

    def __init__(self, function: Any, library: TorchLibrary, options: dict[str, Any]) -> None:
        super().__init__(function, **options)
        self.library = library

    def program_of(self, call: Call) -> Program:
        """Return the program for a call, captured and compiled where there is none.

        Raises:
            CannotCapture: it cannot be.
        """
        program = self._find(call)
        if program is None:
            with self._lock:
                program = self._find(call)
                if program is None:
                    try:
                        program = self._capture(call)
                    except Exception as error:
                        raise CannotCapture from error
        return program


def _array(tensor: torch.Tensor) -> ndarray:
    return wrap(as_numpy(tensor.detach() if tensor.requires_grad else tensor))


class _Spec:
    """The structure of a result, as torch's users may have registered it."""

    __slots__ = ("spec",)

    def __init__(self, spec: Any) -> None:
        self.spec = spec


def _plain(result: Any) -> Any:
    """Return the result of a module as the capture takes it: a symbol, or a structure and its leaves."""
    leaves, spec = pytree.tree_flatten(result)
    plain = [leaf.array if type(leaf) is TracedTensor else leaf for leaf in leaves]
    return plain[0] if spec.is_leaf() and len(plain) == 1 else (_Spec(spec), *plain)


def _whole(result: Any) -> Any:
    """Return what a program gives as the module does."""
    if type(result) is tuple and result and type(result[0]) is _Spec:
        return pytree.tree_unflatten([_shown(leaf) for leaf in result[1:]], result[0].spec)
    return _shown(result)


def _shown(leaf: Any) -> Any:
    return tensor_of(leaf) if type(leaf) is ndarray else leaf


class Differentiated:
    """Runs a program whose results are part of torch's graph."""

    def __init__(self, program: Program, options: Options) -> None:
        captured = program.capture
        written = [(number, one.written) for number, one in enumerate(captured.sources) if one.written >= 0]
        last = [output for _, output in written]
        first = [number for number in range(len(captured.graph.outputs)) if number not in last]
        self._program, self._captured = program, captured
        self._place = {number: place for place, number in enumerate(first)}
        """Outputs that are results, by their numbers in the program."""
        outputs = tuple(captured.graph.outputs[number] for number in (*first, *last))
        graph: Graph = changed(captured.graph, outputs=outputs)
        names = [captured.graph.inputs[number].name or "a tensor" for number, _ in written]
        self._gradients = Gradients(
            graph,
            program.name,
            writes=[number for number, _ in written],
            names=names,
            backend=options.backend,
            verify=options.verify,
            threads=options.threads,
        )

    def call(self, call: Call, given: dict[int, torch.Tensor]) -> Any:
        """Return the result of a call; `given` are the tensors behind the arrays among its leaves, by identity."""
        captured = self._captured
        took: list[None] = []
        fed = bool(captured.transaction.feeds)
        with STATE if fed else _NOTHING, captured.transaction.call(took) if fed else _NOTHING:
            tensors, buffers = self._inputs(call, given)
            found = self._gradients.call(tensors, buffers, wanted(tensors)).results()
            captured.transaction.commit()
        values = self._values(call, found, tensors)
        result = unflatten(captured.structure, values)
        if captured.raises is not None:
            raise captured.raises.exception(result)
        return result

    def _inputs(self, call: Call, given: dict[int, torch.Tensor]) -> tuple[list[torch.Tensor], list[Any]]:
        tensors: list[torch.Tensor] = []
        buffers: list[Any] = []
        for source, value in zip(self._captured.sources, self._captured.graph.inputs, strict=True):
            array = call.leaves[source.position] if source.array is None else source.array
            if isinstance(array, ndarray):
                buffers.append(array._data)
                tensor = given.get(id(array))
                tensors.append(tensor_of(array) if tensor is None else tensor)
            else:
                buffers.append(numpy.asarray(array, dtype=value.type.dtype))
                tensors.append(as_tensor(buffers[-1]))
        return tensors, buffers

    def _values(self, call: Call, found: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> list[Any]:
        """The leaves of the result; what the module does to objects outside is done."""
        captured, program = self._captured, self._program
        sizes = {} if program._same_views else program._sizes(call) or {}

        def steps(of: tuple[Op, ...]) -> tuple[Op, ...]:
            return tuple(exact(step, sizes) for step in of)

        def output(number: int, of: tuple[Op, ...]) -> torch.Tensor:
            return _viewed(found[self._place[number]], steps(of))

        arrays: list[Any] = [None] * len(captured.graph.outputs)
        for number, place in self._place.items():
            arrays[number] = found[place].detach()
        made: dict[Any, Any] = {}
        for one in captured.stand_ins:
            if isinstance(one, Output) and one.weak is None:
                made[one.index, steps(one.steps)] = output(one.index, one.steps)

        def leaf(result: Result) -> Any:
            match result.kind:
                case "array":
                    return output(result.index, result.steps)
                case "view":
                    return _viewed(tensors[result.index], steps(result.steps))
                case "number":
                    return result.value(arrays[result.index])
                case "made":
                    return result.value.now([None if one is None else as_numpy(one) for one in arrays])
                case "container":
                    return fill(result.value)
            return result.value

        fill = program._filling(call, [None if one is None else as_numpy(one) for one in arrays], made)
        for effect in captured.effects:
            keywords = {name: fill(argument) for name, argument in effect.keywords.items()}
            effect.apply(*map(fill, effect.arguments), **keywords)
        return [leaf(result) for result in captured.results]


def _viewed(tensor: torch.Tensor, steps: Sequence[Op]) -> torch.Tensor:
    """Return the view of a tensor that view ops make."""
    if not steps:
        return tensor
    from hybridize.autograd.tape import viewed  # late: few results are views of others

    base = as_numpy(tensor.detach())
    view = viewed(base, tuple(steps))
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = [stride // view.itemsize for stride in view.strides]
    return tensor.as_strided(view.shape, strides, tensor.storage_offset() + start // view.itemsize)
