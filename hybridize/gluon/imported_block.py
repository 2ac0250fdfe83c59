# SPDX-License-Identifier: Apache-2.0
"""`ImportedBlock`: a model of another framework as a block, its weights as parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.array.operands import operand, result, strong
from hybridize.base import modes
from hybridize.base.dtypes import is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import ForeignProgram, Port
from hybridize.formats.foreign.walk import Walk
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.naming import open_scope
from hybridize.gluon.parameter import Parameter
from hybridize.ops.op import type_of


class ImportedBlock(HybridBlock):
    """A model that another framework wrote. It is called with its inputs, by position or by their names in the file.

    Its weights are parameters, by their names in the file; `inputs` and `outputs` say what it takes and gives.

    Args:
        program: the model as data.
    """

    def __init__(self, program: ForeignProgram) -> None:
        with open_scope(None, internal=True):
            super().__init__(prefix="")
        self._program = program
        for name, array in program.weights.items():
            self._adopt(name, array, is_float(array.dtype) and (not program.trained or name in program.trained))
        self._state = {name: self._adopt(f"{name}:state" if name in program.weights else name, array, False)
                       for name, array in program.state.items()}  # fmt: skip

    def _adopt(self, name: str, array: NDArray[Any], trained: bool) -> Parameter:
        parameter = Parameter(name, shape=array.shape, dtype=array.dtype, differentiable=trained,
                              grad_req="write" if trained else "null")  # fmt: skip
        parameter.adopted = True
        parameter.load(array)
        self._parameters[name] = parameter
        return parameter

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs, in order: name, dtype, sizes."""
        return self._program.graph.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs, in order: name, dtype, sizes."""
        return self._program.graph.outputs

    @property
    def metadata(self) -> Mapping[str, str]:
        """The notes of the file: its producer, its description."""
        return self._program.metadata

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        program = self._program
        inputs = {port.name: self._input(port, x) for port, x in self._arranged(args, kwargs)}
        weights = {name: operand(self._parameters[name].data()) for name in program.weights}
        before = {name: operand(parameter.data()) for name, parameter in self._state.items()}
        walk = Walk(program, dict(before))
        outputs = [_array(value) for value in walk(inputs, weights)]
        with modes.mode(recording=False):
            for name, parameter in self._state.items():
                if walk.state[name] is not before[name]:
                    parameter.data()[...] = _array(walk.state[name])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def reset(self) -> None:
        """Give the variables of the model their first values."""
        for name, parameter in self._state.items():
            parameter.set_data(self._program.state[name])

    def _arranged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[tuple[Port, Any]]:
        """Each input with its argument."""
        ports = self.inputs
        names = [port.name for port in ports]
        values = dict(zip(names, args, strict=False))
        double = [name for name in kwargs if name in values]
        unknown = [name for name in kwargs if name not in names]
        if len(args) > len(names) or double or unknown or len(values) + len(kwargs) < len(names):
            missing = [name for name in names if name not in values and name not in kwargs]
            found = ", ".join([*(f"{len(args)} by position" for _ in args[:1]), *(f"{name}=" for name in kwargs)])
            wrong = f"; {missing[0]} is missing" if missing else f"; {double[0]} is there twice" if double else ""
            raise ArgumentError("E333", f"{self._takes()}; got {found or 'none'}{wrong}")
        values |= kwargs
        return [(port, values[port.name]) for port in ports]

    def _takes(self) -> str:
        return f"{self._program.source} takes {', '.join(map(str, self.inputs)) or 'no inputs'}"

    def _input(self, port: Port, x: Any) -> Any:
        """The operand of an argument, which is what the model declares."""
        value = strong(x, port.dtype) if not hasattr(x, "dtype") else operand(x)
        kind = type_of(value)
        if port.dtype is not None and kind.dtype != port.dtype:
            raise DTypeError("E210", f"{self._takes()}; got {kind} for {port.name}",
                             help=f"x.astype({port.dtype.name!r})")  # fmt: skip
        if port.shape is not None:
            fits = len(port.shape) == kind.ndim and all(
                not isinstance(wanted, int) or size == wanted
                for size, wanted in zip(kind.shape, port.shape, strict=True)
            )
            if not fits:
                raise ShapeError("E120", f"{self._takes()}; got {kind} for {port.name}")
        return value

    def __repr__(self) -> str:
        program = self._program
        lines = [f"  {word} {port}" for word, ports in (("in ", self.inputs), ("out", self.outputs)) for port in ports]
        count = f"  {len(program.graph.nodes)} nodes, {len(program.weights)} weights"
        return "\n".join([f"{type(self).__name__}({program.source}", *lines, count, ")"])


def _array(value: Any) -> Any:
    """The array of a value of the walk; of a sequence, a list of them."""
    if isinstance(value, list):
        return [_array(one) for one in value]
    return result(value.operand() if isinstance(value, Known) else value)


