# SPDX-License-Identifier: Apache-2.0
"""`ImportedBlock`: a model of another framework as a block, its weights as parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy

from hybridize.array import draws
from hybridize.array.functions.creation import array
from hybridize.array.nd_array import NDArray
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import operand, result, strong
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base import dims, modes
from hybridize.base.dtypes import DType, as_dtype, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, HybridizeError, ShapeError
from hybridize.base.frozen import changed
from hybridize.base.promotion import NUMBERS
from hybridize.base.tracebacks import trim
from hybridize.formats.cursor import forget
from hybridize.formats.foreign.checks import every_graph
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.program import ForeignProgram, Port, without_file
from hybridize.formats.foreign.specialization import known_inputs
from hybridize.formats.foreign.walk import Walk
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.naming import open_scope
from hybridize.gluon.parameter import Parameter
from hybridize.ops.op import current, type_of
from hybridize.ops.slicing import part
from hybridize.ops.tracing import GraphTracer
from hybridize.ops.views import cast, reshape

if TYPE_CHECKING:
    from hybridize.capture.function import Function

_FEW: Final = 64
"""Elements of the largest input that a program may be made for."""
_ARRAYS: Final = frozenset((ndarray, numpy.ndarray, NDArray, Symbol))


class ImportedBlock(HybridBlock):
    """A model that another framework wrote. It is called with its inputs, by position or by their names in the file.

    Its weights are parameters, by their names in the file; `inputs` and `outputs` say what it takes and gives.

    Args:
        program: the model as data.
    """

    def __init__(self, program: ForeignProgram) -> None:
        with open_scope(None, internal=True):
            super().__init__(prefix="")
        self._program = without_file(changed(program, weights={}))  # which are the parameters' from now on
        self._weights = tuple(program.weights)
        for name, weight in program.weights.items():
            self._adopt(name, weight, is_float(weight.dtype) and (not program.trained or name in program.trained))
        self._state = {name: self._adopt(f"{name}:state" if name in program.weights else name, first, False)
                       for name, first in program.state.items()}  # fmt: skip
        whole = {port.name for port in self.inputs if port.dtype is not None and port.dtype.kind in "iub"}
        self._shaping = tuple(name for name in known_inputs(program, False) if name in whole) if whole else ()

    def _adopt(self, name: str, values: numpy.ndarray[Any, Any], trained: bool) -> Parameter:
        parameter = Parameter(name, shape=values.shape, dtype=values.dtype, differentiable=trained,
                              grad_req="write" if trained else "null")  # fmt: skip
        parameter.adopted = True
        parameter._load(values)
        forget(values)  # of which the parameter has a copy: the file may change, or be gone
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

    if not TYPE_CHECKING:  # of what type it is says `Block`

        def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # an input may be called `self`
            """Run the model; inputs by name are put in order first, and numbers and lists made arrays."""
            if kwargs or len(args) != len(self.inputs) or not all(type(x) in _ARRAYS for x in args):
                try:
                    args = tuple(self._array(port, x) for port, x in self._arranged(args, kwargs))
                except HybridizeError as error:
                    trim(error)
                    raise
            return super().__call__(*args)

    def forward(self, *args: Any) -> Any:
        program = self._program
        inputs = {port.name: self._input(port, x) for port, x in self._arranged(args, {})}
        inputs |= {name: _numbers(inputs[name]) for name in self._shaping}
        weights = {name: operand(self._parameters[name].data()) for name in self._weights}
        before = weights | {name: operand(parameter.data()) for name, parameter in self._state.items()}
        walk = Walk(program, dict(before), key=draws.key, number=_number)
        outputs = [_array(value) for value in walk(inputs, weights)]
        for name, value in walk.state.items():
            if value is not before[name]:
                with modes.mode(recording=False):  # as running statistics are written
                    (self._state.get(name) or self._parameters[name]).data()[...] = _array(value)
        if len(outputs) == 1:
            return outputs[0]
        names = [port.name for port in self.outputs]
        return dict(zip(names, outputs, strict=True)) if program.named else tuple(outputs)

    def _new_function(self, options: Mapping[str, Any]) -> Function:
        function = super()._new_function(options)
        function.decides = True  # the walk asks for numbers where no program can do without
        return function

    def cast(self, dtype: Any) -> None:
        """Refuse another dtype than that of all weights: operators in the file are of the types that it declares.

        Raises:
            DTypeError E210: the weights are of other types.
        """
        wanted = as_dtype(dtype)
        other = [one for one in self._parameters.values() if is_float(one.dtype) and one.dtype != wanted]
        if other:
            what = f"{self._program.source} is not cast to {wanted.name}: its operators are of the types of the file"
            raise DTypeError("E210", what, help="convert the file: onnxconverter_common has float16 for models of ONNX")

    def export(
        self, path: Any, epoch: int = 0, remove_amp_cast: bool = True, format: str = "mxnet", **options: Any
    ) -> Any:
        """Write the model as files; see `HybridBlock.export`. Outputs in a model of ONNX have the names of this one."""
        names = [port.name for port in self.outputs]
        arrays = all(port.dtype is not None for port in self.outputs)
        apart = len({*names, *(port.name for port in self.inputs)}) == len(names) + len(self.inputs)
        if format == "onnx" and arrays and apart:
            options = {"output_names": names, **options}
        return super().export(path, epoch, remove_amp_cast, format, **options)

    def reset(self) -> None:
        """Give the variables of the model their first values."""
        for name, parameter in self._state.items():
            parameter.set_data(self._program.state[name])

    def share_state(self, other: ImportedBlock) -> None:
        """Take the variables of another block of the same model for this one's own."""
        for name, parameter in other._state.items():
            if name in self._state:
                key = next(key for key, one in self._parameters.items() if one is self._state[name])
                self._state[name] = self._parameters[key] = parameter

    def _arranged(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[tuple[Port, Any]]:
        """Each input with its argument."""
        ports = self.inputs
        names = [port.name for port in ports]
        values = dict(zip(names, args, strict=False))
        double = [name for name in kwargs if name in values]
        unknown = [name for name in kwargs if name not in names]
        if len(args) > len(names) or double or unknown or len(values) + len(kwargs) < len(names):
            missing = [name for name in names if name not in values and name not in kwargs]
            shown = ", ".join([*(f"{len(args)} by position" for _ in args[:1]), *(f"{name}=" for name in kwargs)])
            wrong = f"; {missing[0]} is missing" if missing else f"; {double[0]} is there twice" if double else ""
            raise ArgumentError("E333", f"{self._takes()}; got {shown or 'none'}{wrong}")
        values |= kwargs
        return [(port, values[port.name]) for port in ports]

    def _takes(self) -> str:
        return f"{self._program.source} takes {', '.join(map(str, self.inputs)) or 'no inputs'}"

    def _array(self, port: Port, x: Any) -> Any:
        """An argument that is a number or a list of them as an array of the type that the model declares."""
        if isinstance(x, numpy.generic):
            return wrap(numpy.asarray(x))
        if port.dtype is None or not isinstance(x, (bool, int, float, complex, list, tuple)):
            return x
        try:
            kind = numpy.asarray(x).dtype
            if not numpy.can_cast(kind, port.dtype, "same_kind"):
                raise TypeError(f"it holds {kind.name}")
            return array(x, port.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            what = f"a {type(x).__name__} that is no array of {port.dtype.name}: {error}"
            raise DTypeError("E210", f"{self._takes()}; got for {port.name} {what}") from None

    def _input(self, port: Port, x: Any) -> Any:
        """The operand of an argument, which is what the model declares."""
        if port.dtype is None and isinstance(x, (list, tuple)):
            return [operand(one) for one in x]
        try:
            value = strong(x, port.dtype if _is_weak(x, port.dtype) else None)
        except ArgumentError as error:
            raise ArgumentError(error.code, f"{self._takes()}; got {type(x).__name__} for {port.name}") from None
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

    def _described_by(self) -> tuple[str, ...]:
        return tuple(port.name for port in self.inputs)

    def __repr__(self) -> str:
        program = self._program
        lines = [f"  {word} {port}" for word, ports in (("in ", self.inputs), ("out", self.outputs)) for port in ports]
        count = f"  {sum(len(graph.nodes) for graph in every_graph(program))} nodes, {len(self._weights)} weights"
        return "\n".join([f"{type(self).__name__}({program.source}", *lines, count, ")"])


def _is_weak(x: Any, dtype: DType | None) -> bool:
    """Tell whether a value is a number of Python's, captured or not, that an array of a type may hold."""
    kind = x.weak if isinstance(x, Symbol) else type(x)
    return dtype is not None and kind in NUMBERS and numpy.can_cast(numpy.dtype(kind), dtype, "same_kind")


def _numbers(value: Any) -> Any:
    """An operand of few whole numbers as what is known: shapes, axes or counts; a program holds for these alone."""
    kind = type_of(value)
    if any(map(dims.is_symbolic, kind.shape)) or kind.size > _FEW:
        return value
    flat = reshape(value, (kind.size,))
    numbers = [_number(reshape(part(flat, 0, k, k + 1), ())) for k in range(kind.size)]
    return value if None in numbers else Known(numpy.array(numbers).astype(kind.dtype).reshape(kind.shape), kind.dtype)


def _number(value: Any) -> int | None:
    """The number that a bool or integer of data is; a program that is captured holds for it alone."""
    if type(current()) is GraphTracer:
        return None
    x = result(cast(value, int64), int)
    number: int | None = staging().number_of(x) if isinstance(x, Symbol) else int(x.asnumpy().item())
    return number


def _array(value: Any) -> Any:
    """The array of a value of the walk; of a sequence, a list of them."""
    if isinstance(value, list):
        return [_array(one) for one in value]
    return result(operand_of(value))
