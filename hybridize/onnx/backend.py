# SPDX-License-Identifier: Apache-2.0
"""`Backend`: ONNX models run by hybridize, by the interface of the onnx package (`onnx.backend.base`).

    import hybridize.onnx.backend as backend
    outputs = backend.prepare(model).run([x, y])              arrays of NumPy, in and out
    onnx.backend.test.BackendTest(backend, __name__)          its own tests

It needs neither the onnx package nor classes of it: a model is what has `SerializeToString`, or the bytes of a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy

from hybridize.array.functions.creation import array
from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, LoadError
from hybridize.formats.foreign.program import ForeignProgram, Port
from hybridize.formats.foreign.specialization import known_inputs, specialized
from hybridize.formats.onnx.messages import NEWEST_OPSET, NUMBERS
from hybridize.formats.onnx.read import program, program_of_node
from hybridize.gluon.imported_block import ImportedBlock

_PROGRAMS: Final = 32
"""Programs that are kept of one model, for values of the inputs that say shapes."""


class Prepared:
    """A model that is ready to be run again and again.

    Inputs that say shapes, axes or counts are part of a program: for each of their values another one is made.

    Args:
        program: the model as data.
        compiled: False: run it imperatively.
    """

    def __init__(self, program: ForeignProgram, compiled: bool = True) -> None:
        self._program, self._compiled = program, compiled
        self._known = known_inputs(program)
        self._blocks: dict[tuple[Any, ...], ImportedBlock] = {}

    def run(self, inputs: Sequence[Any] | Mapping[str, Any], **kwargs: Any) -> tuple[Any, ...]:
        """Return the outputs, as arrays of NumPy; of a sequence, a list of them.

        Args:
            inputs: arrays of NumPy in the order of the model's inputs, or by their names.
            **kwargs: taken and not looked at, as the interface has it.
        """
        names = [port.name for port in self._program.graph.inputs]
        if not isinstance(inputs, Mapping):
            if len(inputs) > len(names):
                raise ArgumentError("E333", f"{self._program.source} takes {len(names)} inputs, got {len(inputs)}")
            inputs = dict(zip(names, inputs, strict=False))
        known = {name: numpy.asarray(inputs[name]) for name in self._known if name in inputs}
        block = self._block(known)
        dtypes = {port.name: port.dtype for port in block.inputs}
        outputs = block(**{name: _array(x, dtypes.get(name)) for name, x in inputs.items() if name not in known})
        several = outputs if len(block.outputs) > 1 else (outputs,)
        return tuple(map(_numpy, several))

    def _block(self, known: Mapping[str, Any]) -> ImportedBlock:
        key = tuple((name, x.dtype, x.shape, x.tobytes()) for name, x in known.items())
        block = self._blocks.pop(key, None)
        if block is None:
            block = ImportedBlock(specialized(self._program, known) if known else self._program)
            if self._compiled:
                block.hybridize()
        self._blocks[key] = block
        if len(self._blocks) > _PROGRAMS:
            del self._blocks[next(iter(self._blocks))]
        return block


def _array(x: Any, dtype: DType | None = None) -> Any:
    """An array of ours; a shorter float, or a shorter integer, in the wider type that the program has for it."""
    if isinstance(x, (list, tuple)):
        return [_array(one) for one in x]
    x = numpy.asarray(x)
    x = x.astype(dtype) if dtype is not None and x.dtype.kind != "O" and x.dtype not in NUMBERS else x
    return array(x, dtype=x.dtype)


def _numpy(x: Any) -> Any:
    return [_numpy(one) for one in x] if isinstance(x, (list, tuple)) else x.asnumpy() if isinstance(x, ndarray) else x


class Backend:
    """Run ONNX models by the class methods that the onnx package expects of a backend.

    >>> from hybridize.onnx import Backend
    >>> Backend.supports_device("CPU"), Backend.supports_device("CUDA")
    (True, False)
    """

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
        """Tell whether all operators of a model are supported."""
        try:
            cls.prepare(model, device)
        except LoadError:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", *, compiled: bool = True, **kwargs: Any) -> Prepared:
        """Read a model.

        Args:
            model: a `ModelProto`, or bytes of one.
            device: `CPU`.
            compiled: False: it will run imperatively, operator by operator.
            **kwargs: taken and not looked at, as the interface has it.

        Raises:
            LoadError: E601 malformed, E602 newer or older than what is read, E606 operators that are not supported.
        """
        cls._check(device)
        data = model if isinstance(model, (bytes, memoryview)) else model.SerializeToString()
        return Prepared(program(data, "model"), compiled)

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Return the outputs of a model, see `prepare` and `Prepared.run`."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, *,
        opset_version: int = NEWEST_OPSET, compiled: bool = True, **kwargs: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return the outputs of one operator.

        Args:
            node: a `NodeProto` of ONNX's own operators.
            inputs: its inputs that are not left out, in order, or by name.
            device: `CPU`.
            outputs_info: types of the outputs, which it finds itself.
            opset_version: version of the operator set.
            compiled: False: run it imperatively.
            **kwargs: taken and not looked at, as the interface has it.
        """
        cls._check(device)
        names = list(dict.fromkeys(filter(None, node.input)))
        values = dict(inputs) if isinstance(inputs, Mapping) else dict(zip(names, inputs, strict=True))
        ports = {name: Port(name) for name in values}
        return Prepared(program_of_node(node.SerializeToString(), opset_version, ports), compiled).run(values)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Tell whether models run on a device: `CPU`."""
        return device.split(":")[0] == "CPU"

    @classmethod
    def _check(cls, device: str) -> None:
        if not cls.supports_device(device):
            raise ArgumentError("E333", f"models run on the CPU, got the device {device!r}")


is_compatible: Final = Backend.is_compatible
prepare: Final = Backend.prepare
supports_device: Final = Backend.supports_device
run_model: Final = Backend.run_model
run_node: Final = Backend.run_node
