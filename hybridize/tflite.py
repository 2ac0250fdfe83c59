# SPDX-License-Identifier: Apache-2.0
"""The face of TFLite's interpreter: a script takes its `Interpreter` from here, and runs.

`hybridize.load("model.tflite")` is the shorter way: a block that is called.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError, StateError
from hybridize.formats.cursor import bytes_of
from hybridize.formats.tflite.read import StoredTensor, TensorTable, program, tensors
from hybridize.gluon.imported_block import ImportedBlock


class Interpreter:
    """Run a TFLite model by numbers of tensors, as LiteRT does. `block` is the same model as a block.

    Args:
        model_path: the file.
        model_content: its bytes, instead.
        num_threads: the number of threads of a call; None: that of `set_num_threads`.
        rounding: how integers of a quantized model are rounded; see `hybridize.load`.
        others: accepted, without effect: delegates, resolvers.

    Raises:
        ArgumentError E333: there is neither a path nor bytes, or both.
        LoadError: the model cannot be read, is malformed, or has operators that are not supported.

    >>> import numpy
    >>> from hybridize import tflite
    >>> interpreter = tflite.Interpreter("model.tflite")  # a model that doubles two numbers
    >>> interpreter.allocate_tensors()
    >>> interpreter.set_tensor(interpreter.get_input_details()[0]["index"], numpy.float32([[1.5, -2]]))
    >>> interpreter.invoke()
    >>> interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    array([[ 3., -4.]], dtype=float32)
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str] | None = None,
        model_content: bytes | None = None,
        num_threads: int | None = None,
        rounding: str = "float",
        **others: Any,
    ) -> None:
        if (model_path is None) == (model_content is None):
            raise ArgumentError("E333", "Interpreter takes model_path or model_content", help="pass one of them")
        name = "the model" if model_path is None else os.path.basename(os.fspath(model_path))
        data = bytes_of(model_path) if model_path is not None else memoryview(model_content or b"")
        self._model, self._threads = (data, name, rounding), num_threads
        self.block: ImportedBlock = self._block()
        self._tensors, self._inputs, self._outputs, self._signatures = tensors(data, name)
        self._blocks = {self.block.metadata.get("signature", ""): self.block}
        self._shapes = {number: self._tensors[number].shape for number in self._inputs}
        self._values: dict[int, NDArray[Any]] = {}

    def _block(self, signature: str | None = None) -> ImportedBlock:
        block = ImportedBlock(program(*self._model, signature))
        block.hybridize(threads=self._threads)
        return block

    def allocate_tensors(self) -> None:
        """Set the inputs to zeros of the present shapes. The next `invoke` sets the outputs."""
        self._values = {number: numpy.zeros(shape, self._tensors[number].port.dtype)
                        for number, shape in self._shapes.items()}  # fmt: skip

    def get_input_details(self) -> list[dict[str, Any]]:
        """Return what each input is: its name, number, shape, dtype and scale."""
        return [self._details(number) for number in self._inputs]

    def get_output_details(self) -> list[dict[str, Any]]:
        """Return what each output is."""
        return [self._details(number) for number in self._outputs]

    def get_tensor_details(self) -> list[dict[str, Any]]:
        """Return what each tensor of the model is."""
        return [self._details(number) for number in range(len(self._tensors))]

    def _details(self, number: int) -> dict[str, Any]:
        one = self._tensors[number]
        present = self._values[number].shape if number in self._values else self._shapes.get(number, one.shape)
        return _details(one, number, present)

    def resize_tensor_input(self, input_index: int, tensor_size: Sequence[int], strict: bool = False) -> None:
        """Give an input another shape, where the model leaves it open.

        Raises:
            ShapeError E120: the model does not take it.
        """
        one = self._input(input_index)
        shape = tuple(map(int, tensor_size))
        sizes = one.port.shape or ()
        if len(sizes) != len(shape) or any(own not in (None, size) for own, size in zip(sizes, shape, strict=True)):
            raise ShapeError("E120", f"the model takes {one.port}, not the shape {list(shape)}",
                             help="sizes that are ? in it may change")  # fmt: skip
        self._shapes[input_index] = shape
        self._values.clear()

    def _input(self, number: int) -> StoredTensor:
        if number not in self._inputs:
            raise ArgumentError("E333", f"tensor {number} is no input", help=f"inputs are {self._inputs}")
        return self._tensors[number]

    def set_tensor(self, tensor_index: int, value: Any) -> None:
        """Give an input its numbers.

        Raises:
            ArgumentError E333: the tensor is no input.
            DTypeError E210, ShapeError E120: the numbers are of another type than the model takes.
        """
        one = self._input(tensor_index)
        numbers = value.asnumpy() if isinstance(value, ndarray) else numpy.asarray(value)
        if numbers.dtype != one.port.dtype:
            raise DTypeError("E210", f"the model takes {one.port}, got {numbers.dtype}",
                             help=f"x.astype({str(one.port.dtype)!r})")  # fmt: skip
        if numbers.shape != self._shapes[tensor_index]:
            raise ShapeError("E120", f"the input {one.label!r} has the shape {list(self._shapes[tensor_index])}, got "
                             f"{list(numbers.shape)}", help="resize_tensor_input changes it")  # fmt: skip
        self._allocated()[tensor_index][...] = numbers

    def _allocated(self) -> dict[int, NDArray[Any]]:
        if not self._values:
            raise StateError("E591", "the interpreter has no tensors yet", help="call allocate_tensors first")
        return self._values

    def invoke(self) -> None:
        """Run the model on the present inputs."""
        values = self._allocated()
        results = self.block(*(wrap(values[number]) for number in self._inputs))
        arrays = results if isinstance(results, tuple) else (results,)
        for number, array in zip(self._outputs, arrays, strict=True):
            values[number] = array.asnumpy()

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> NDArray[Any]:
        """Return a copy of an input, of a constant of the model, or of an output after `invoke`.

        Raises:
            ArgumentError E333: the tensor is neither, or there is no output yet.
        """
        return self.tensor(tensor_index)().copy()

    def tensor(self, tensor_index: int) -> Callable[[], NDArray[Any]]:
        """Return a function that returns an input or output itself. A write into the array of an input sets it."""

        def array() -> NDArray[Any]:
            values = self._allocated()
            if tensor_index not in values:
                constant = self._tensors[tensor_index].array if 0 <= tensor_index < len(self._tensors) else None
                if constant is not None:
                    return constant
                what = "has no value before invoke" if tensor_index in self._outputs else "is not kept"
                raise ArgumentError("E333", f"tensor {tensor_index} {what}",
                                    help=f"inputs are {self._inputs}, outputs {self._outputs}")  # fmt: skip
            return values[tensor_index]

        return array

    def reset_all_variables(self) -> None:
        """Give the variables of the model their first values."""
        self.block.reset()

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """Return the names of inputs and outputs by signature."""
        return self._signatures

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """Return a signature of the model as a function of inputs by name that gives outputs by name.

        Raises:
            ArgumentError E333: there is no such signature, or none is named and there are several.
        """
        known = list(self._signatures)
        if signature_key not in known and (signature_key is not None or len(known) != 1):
            what = f"no signature {signature_key!r}" if signature_key is not None else f"{len(known)} signatures"
            raise ArgumentError("E333", f"the model has {what}", help=f"it has {', '.join(known) or 'none'}")
        key = known[0] if signature_key is None else signature_key
        if key not in self._blocks:
            self._blocks[key] = self._block(key)
            self._blocks[key].share_state(self.block)
        return SignatureRunner(self._blocks[key], tensors(*self._model[:2], key))


class SignatureRunner:
    """Call a signature of a model with inputs by name. It returns outputs by name, as NumPy arrays.

    `Interpreter.get_signature_runner` makes it.

    Attributes:
        block: the signature as a block. Signatures of one model share their variables.

    Raises:
        ArgumentError E333: an input is missing, or there is none of a name.
        DTypeError E210, ShapeError E120: an input is of another type than the model takes.

    >>> import numpy
    >>> from hybridize import tflite
    >>> runner = tflite.Interpreter("model.tflite").get_signature_runner("serving_default")
    >>> isinstance(runner, tflite.SignatureRunner), list(runner.get_input_details())
    (True, ['x'])
    >>> runner(x=numpy.float32([[1.5, -2]]))
    {'y': array([[ 3., -4.]], dtype=float32)}
    """

    block: ImportedBlock

    def __init__(self, block: ImportedBlock, table: TensorTable) -> None:
        self.block, self._table = block, table

    def __call__(self, **inputs: Any) -> Mapping[str, NDArray[Any]]:
        """Run it."""
        results = self.block(**inputs)
        arrays = results if isinstance(results, tuple) else (results,)
        return {port.name: array.asnumpy() for port, array in zip(self.block.outputs, arrays, strict=True)}

    def get_input_details(self) -> dict[str, dict[str, Any]]:
        """Return what each input is, by name."""
        return self._of(self._table.inputs)

    def get_output_details(self) -> dict[str, dict[str, Any]]:
        """Return what each output is, by name."""
        return self._of(self._table.outputs)

    def _of(self, numbers: Sequence[int]) -> dict[str, dict[str, Any]]:
        every = self._table.every
        return {every[k].name: _details(every[k], k, every[k].shape) for k in numbers}


def _details(one: StoredTensor, number: int, present: Sequence[int]) -> dict[str, Any]:
    signature = [-1 if size is None else size for size in one.port.shape or ()]
    scales, zeros, axis = _scales(one)
    single = (float(scales[0]), int(zeros[0])) if len(scales) == 1 else (0.0, 0)
    return {
        "name": one.label, "index": number, "shape": numpy.array(present, "i4"),
        "shape_signature": numpy.array(signature, "i4"),
        "dtype": numpy.object_ if one.port.dtype is None else one.port.dtype.type, "quantization": single,
        "quantization_parameters": {"scales": scales, "zero_points": zeros, "quantized_dimension": axis,
                                    "block_size": 0},
        "sparsity_parameters": {},
    }  # fmt: skip


def _scales(one: StoredTensor) -> tuple[NDArray[Any], NDArray[Any], int]:
    if one.quantization is None:
        return numpy.zeros(0, "f4"), numpy.zeros(0, "i4"), 0
    return one.quantization.scales, one.quantization.zeros, one.quantization.axis
