# SPDX-License-Identifier: Apache-2.0
"""MXNet's functions of ONNX: models of its symbols and parameters, and back.

    export_model("net-symbol.json", "net-0000.params", [(1, 3, 224, 224)], onnx_file_path="net.onnx")
    symbol, arg_params, aux_params = import_model("net.onnx")
    net = import_to_gluon("net.onnx")

`net.export(path, format="onnx")` and `load("net.onnx")` are the same without MXNet's files in between.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from hybridize import symbol as symbols
from hybridize import system
from hybridize.array import np
from hybridize.base.errors import ArgumentError
from hybridize.formats.onnx.read import read
from hybridize.gluon import HybridBlock, SymbolBlock
from hybridize.gluon.imported_block import ImportedBlock
from hybridize.sparse.files import load as load_arrays
from hybridize.symbol import stored

Shapes = Sequence[Sequence[int | str | None]]
_ARGUMENT, _STATE = "arg:", "aux:"
_GROWTH = (0, 1, 3)
"""Numbers added to dynamic sizes in the calls that a program for all of them is made of."""


def export_model(
    sym: Any,
    params: Any = None,
    in_shapes: Shapes | None = None,
    in_types: Any = numpy.float32,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Shapes | None = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Shapes | None = None,
    large_model: bool = False,
    **options: Any,
) -> str:
    """Write an ONNX model, check it, and return the path of its file: see `Exported`.

    Args:
        sym: a symbol, its file, or an object with `export`: a net, a hybridized function. If you have called that, you
            need no other argument.
        params: a symbol's arrays by name (with `arg:` and `aux:` before the names or not), or a file of them.
        in_shapes: shapes of the inputs.
        in_types: their dtype, or one for each.
        onnx_file_path: the file to be written.
        verbose: print what was written and checked.
        dynamic: let the sizes that are None or text in `dynamic_input_shapes` be any; without these the first of each.
        dynamic_input_shapes: of the inputs, with those.
        run_shape_inference: accepted for MXNet; shapes are always known.
        input_type: another name of `in_types`.
        input_shape: another name of `in_shapes`.
        large_model: accepted for MXNet; weights above 1 GiB always lie beside the model.
        options: of the format: `opset`, `input_names`, `output_names`.

    Raises:
        ArgumentError E333: shapes are missing, or not one for each input.
        CaptureError E466: an operation has no counterpart in ONNX.

    >>> import os, tempfile
    >>> from hybridize import np, onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> net.hybridize()
    >>> y = net(np.ones((1, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     onnx.get_model_metadata(path)["output_tensor_data"][0][1]
    (1, 2)
    """
    shapes = in_shapes if in_shapes is not None else input_shape
    is_symbol = isinstance(sym, (str, os.PathLike, symbols.Symbol))
    net, names = _block(sym, params) if is_symbol else (sym, None)
    if shapes is not None:
        types = input_type if input_type is not None else in_types
        _call(net, names, shapes, types, dynamic_input_shapes if dynamic else None, dynamic)
    elif names is not None:
        raise ArgumentError("E333", f"in_shapes must be a shape for each of {', '.join(names)}")
    if names is not None:
        options.setdefault("input_names", names)
    path = os.fspath(onnx_file_path)
    exported = net.export(path, format="onnx", **options)
    if exported.files[0] != path:
        system.replace(exported.files[0], path)
    if verbose:
        print(exported)
    return path


def _block(sym: Any, params: Any) -> tuple[SymbolBlock, list[str]]:
    """A symbol with its parameters as a block, and the names of its inputs."""
    expression = stored.load(os.fspath(sym)) if isinstance(sym, (str, os.PathLike)) else sym
    arrays = load_arrays(os.fspath(params)) if isinstance(params, (str, os.PathLike)) else dict(params or {})
    arrays = {name.removeprefix(_ARGUMENT).removeprefix(_STATE): array for name, array in arrays.items()}
    names = [name for name in expression.list_inputs() if name not in arrays]
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        file = os.path.join(folder, "net-symbol.json")
        expression.save(file)
        block = SymbolBlock.imports(file, names)
    block.load_dict(arrays, ignore_extra=True)
    return block, names


def _call(
    net: Any, names: Sequence[str] | None, shapes: Shapes, types: Any, dynamic: Shapes | None, any_batch: bool
) -> None:
    """Call a net, so that it has a program of these shapes, or of all such."""
    if names is not None and len(shapes) != len(names):
        raise ArgumentError("E333", f"in_shapes must be a shape for each of {', '.join(names)}, got {list(shapes)}")
    dtypes = list(types) if isinstance(types, (list, tuple)) else [types] * len(shapes)
    marks = dynamic if dynamic is not None else [[None, *shape[1:]] for shape in shapes] if any_batch else shapes
    if isinstance(net, HybridBlock):
        net.hybridize()
    for more in _GROWTH if any_batch else _GROWTH[:1]:
        sizes = [
            tuple(
                int(size or 1) + (0 if isinstance(mark, int) else more)
                for size, mark in zip(shape, marked, strict=True)
            )
            for shape, marked in zip(shapes, marks, strict=True)
        ]
        net(*(np.zeros(shape, dtype=numpy.dtype(dtype)) for shape, dtype in zip(sizes, dtypes, strict=True)))


def import_to_gluon(model_file: str | os.PathLike[str], ctx: Any = None) -> Any:
    """Read a model as a block, whose weights are parameters. `load(model_file)` is the same.

    Args:
        model_file: the file.
        ctx: accepted for MXNet.

    Raises:
        LoadError: the file cannot be read, is malformed, or has operators that are not supported.

    >>> import os, tempfile
    >>> from hybridize import np, onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize("ones")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     again = onnx.import_to_gluon(path)
    >>> again(np.ones((1, 3)))
    array([[3., 3.]])
    """
    block = ImportedBlock(read(model_file))
    block.hybridize()
    return block


def import_model(model_file: str | os.PathLike[str]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Read a model as a symbol, its parameters, and its auxiliary states, both as arrays by name.

    Sizes that the model leaves open are 1.

    Args:
        model_file: the file.

    Raises:
        LoadError: the file cannot be read, is malformed, or has operators that are not supported.
        CaptureError E467: an operation has no counterpart in MXNet's symbols. `import_to_gluon` reads it all the same.

    >>> import os, tempfile
    >>> from hybridize import onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     symbol, arg_params, aux_params = onnx.import_model(path)
    >>> sorted(array.shape for array in arg_params.values()), aux_params
    ([(2,), (2, 3)], {})
    """
    block = import_to_gluon(model_file)
    inputs = [
        np.zeros(tuple(size if isinstance(size, int) else 1 for size in port.shape or ()), dtype=port.dtype)
        for port in block.inputs
    ]
    block(*inputs)
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        symbol_file, params_file = block.export(os.path.join(folder, "model"))
        whole = stored.load(symbol_file)
        arrays: Mapping[str, Any] = load_arrays(params_file) if params_file is not None else {}
    parts = [
        {name.removeprefix(word): array for name, array in arrays.items() if name.startswith(word)}
        for word in (_ARGUMENT, _STATE)
    ]
    return whole, parts[0], parts[1]


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, list[tuple[str, tuple[Any, ...]]]]:
    """Return the names and shapes of a model's inputs (`input_tensor_data`) and outputs (`output_tensor_data`).

    Args:
        model_file: the file.

    Raises:
        LoadError: the file cannot be read or is malformed.

    >>> import os, tempfile
    >>> from hybridize import onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     metadata = onnx.get_model_metadata(path)
    >>> metadata["input_tensor_data"][0][1], metadata["output_tensor_data"][0][1]
    ((1, 3), (1, 2))
    """
    graph = read(model_file).graph
    return {
        f"{side}_tensor_data": [(port.name, tuple(port.shape or ())) for port in ports]
        for side, ports in (("input", graph.inputs), ("output", graph.outputs))
    }
