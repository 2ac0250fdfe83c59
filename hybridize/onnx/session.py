# SPDX-License-Identifier: Apache-2.0
"""The face of ONNX Runtime: a script changes its import, `import hybridize.onnx as onnxruntime`, and runs.

NumPy arrays go in and come out. What a session is told about devices, graphs and memory is accepted and has no effect,
but for the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import wrap
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, MissingNameError
from hybridize.base.frozen import frozen
from hybridize.formats.foreign.program import Port
from hybridize.formats.onnx.read import program, read
from hybridize.gluon.imported_block import ImportedBlock

_PROVIDER: Final = "CPUExecutionProvider"
_NAMES: Final = {"float16": "float16", "float32": "float", "float64": "double"}
"""Names of floats in ONNX Runtime's types; those of others are NumPy's."""

_NOTES: Final = (
    "producer", "producer version", "operator set", "graph", "domain", "version", "description", "graph description",
)  # fmt: skip
"""Keys of a model's metadata that are not its author's own."""
_RUN: Final = "run(names, {name: array}) takes NumPy arrays and returns NumPy arrays"
_INSTEAD: Final = {
    **dict.fromkeys(("io_binding", "run_with_iobinding", "run_with_ort_values", "run_with_ortvaluevector"), _RUN),
    "run_async": "within hybridize.engine.asynchronous() calls of session.block return at once",
    "end_profiling": "session.block.program(*arrays).explain() shows and times the kernels",
}


def get_available_providers() -> list[str]:
    """Return the list of providers that sessions run on: the CPU.

    >>> from hybridize import onnx
    >>> onnx.get_available_providers()
    ['CPUExecutionProvider']
    """
    return [_PROVIDER]


def get_device() -> str:
    """Return `CPU`.

    >>> from hybridize import onnx
    >>> onnx.get_device()
    'CPU'
    """
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Accept a log level. hybridize logs nothing.

    Args:
        severity: accepted.

    >>> from hybridize import onnx
    >>> onnx.set_default_logger_severity(3)
    """


def enable_telemetry_events() -> None:
    """Do nothing. hybridize sends no data.

    >>> from hybridize import onnx
    >>> onnx.enable_telemetry_events()
    """


def disable_telemetry_events() -> None:
    """Do nothing. hybridize sends no data.

    >>> from hybridize import onnx
    >>> onnx.disable_telemetry_events()
    """


class GraphOptimizationLevel(IntEnum):
    """Name ONNX Runtime's levels of graph optimization.

    hybridize ignores them: it compiles each program as a whole. They are `ORT_DISABLE_ALL`, `ORT_ENABLE_BASIC`,
    `ORT_ENABLE_EXTENDED`, `ORT_ENABLE_LAYOUT` and `ORT_ENABLE_ALL`, the default.

    >>> from hybridize import onnx
    >>> options = onnx.SessionOptions()
    >>> options.graph_optimization_level = onnx.GraphOptimizationLevel.ORT_ENABLE_BASIC
    """

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Name ONNX Runtime's ways to run nodes: `ORT_SEQUENTIAL`, the default, and `ORT_PARALLEL`.

    hybridize ignores them: its schedule decides which steps run beside each other.

    >>> from hybridize import onnx
    >>> options = onnx.SessionOptions()
    >>> options.execution_mode = onnx.ExecutionMode.ORT_PARALLEL
    """

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class RunOptions:
    """Hold options of one run. They have no effect.

    These are `log_severity_level`, `log_verbosity_level`, `logid` and `terminate`.

    >>> from hybridize import onnx
    >>> options = onnx.RunOptions()
    >>> options.log_severity_level = 3  # session.run(None, feed, options) takes them
    """

    log_severity_level = 2
    log_verbosity_level = 0
    logid = ""
    terminate = False

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Accept an option that has no effect."""


class SessionOptions:
    """Hold the options of a session.

    One has an effect: `intra_op_num_threads`, the number of threads; 0 leaves it to `set_num_threads`.

    These are accepted and have none: `inter_op_num_threads`, `graph_optimization_level`, `execution_mode`,
    `execution_order`, `enable_cpu_mem_arena`, `enable_mem_pattern`, `enable_mem_reuse`, `enable_profiling`,
    `log_severity_level`, `log_verbosity_level`, `logid`, `optimized_model_filepath`, `profile_file_prefix` and
    `use_deterministic_compute`.

    >>> from hybridize import onnx
    >>> options = onnx.SessionOptions()
    >>> options.intra_op_num_threads = 1
    """

    intra_op_num_threads = 0
    inter_op_num_threads = 0
    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    execution_mode = ExecutionMode.ORT_SEQUENTIAL
    execution_order = 0
    enable_cpu_mem_arena = True
    enable_mem_pattern = True
    enable_mem_reuse = True
    enable_profiling = False
    log_severity_level = 2
    log_verbosity_level = 0
    logid = ""
    optimized_model_filepath = ""
    profile_file_prefix = ""
    use_deterministic_compute = False

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keep an option that has no effect."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """Return an option that was added."""
        return self._entries[key]

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Accept the size that a name stands for. Each call may have another one."""


class NodeArg:
    """Describe an input or output of a model.

    Attributes:
        name: its name in the model.
        type: such as `tensor(float)`, ONNX Runtime's word for float32.
        shape: sizes; a size that calls choose is its name in the model, or None.

    >>> import os, tempfile
    >>> from hybridize import np, onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     [one] = onnx.InferenceSession(path).get_inputs()
    >>> isinstance(one, onnx.NodeArg), one.type, one.shape
    (True, 'tensor(float)', [1, 3])
    """

    def __init__(self, port: Port) -> None:
        self.name: str = port.name
        self.type: str = "unknown" if port.dtype is None else f"tensor({_type_name(port.dtype)})"
        self.shape: list[int | str | None] = list(port.shape or ())

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"


def _type_name(dtype: DType) -> str:
    return _NAMES.get(dtype.name, dtype.name)


@frozen
class ModelMetadata:
    """Hold the notes of a model file. `InferenceSession.get_modelmeta` returns it.

    Attributes:
        producer_name: the program that wrote the file.
        graph_name, domain, description, graph_description: texts of the file; empty where it has none.
        version: the model's own number.
        custom_metadata_map: notes of the author, by name.

    >>> import os, tempfile
    >>> from hybridize import onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = onnx.export_model(net, in_shapes=[(1, 3)], onnx_file_path=os.path.join(folder, "net.onnx"))
    ...     notes = onnx.InferenceSession(path).get_modelmeta()
    >>> isinstance(notes, onnx.ModelMetadata), notes.producer_name
    (True, 'hybridize')
    """

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: Mapping[str, str]


class InferenceSession:
    """Run an ONNX model by names of inputs and outputs, as ONNX Runtime does.

    `block` is the same model as a block.

    Args:
        path_or_bytes: the file, or its contents.
        sess_options: their number of threads has an effect.
        providers: accepted; the model runs on the CPU.
        provider_options: accepted.
        options: accepted.

    Raises:
        LoadError: the file cannot be read, is malformed, or has operators that are not supported.

    >>> import os, tempfile
    >>> import numpy
    >>> from hybridize import np, onnx
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize("ones")
    >>> net.hybridize()
    >>> y = net(np.ones((1, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "net.onnx")
    ...     _ = onnx.export_model(net, onnx_file_path=path)
    ...     session = onnx.InferenceSession(path)
    >>> session.run(None, {session.get_inputs()[0].name: numpy.ones((1, 3), numpy.float32)})
    [array([[3., 3.]], dtype=float32)]
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Any] | None = None,
        **options: Any,
    ) -> None:
        content = isinstance(path_or_bytes, (bytes, bytearray, memoryview))
        model = program(bytes(path_or_bytes), "the model") if content else read(path_or_bytes)  # type: ignore[arg-type]
        self._options = SessionOptions() if sess_options is None else sess_options
        self.block: ImportedBlock = ImportedBlock(model)
        self.block.hybridize(threads=self._options.intra_op_num_threads or None)
        self._inputs = [NodeArg(port) for port in self.block.inputs]
        self._outputs = [NodeArg(port) for port in self.block.outputs]

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """Return the outputs as NumPy arrays.

        Args:
            output_names: which, in this order; None or none: all.
            input_feed: an array for each input, by name.
            run_options: accepted.

        Raises:
            ArgumentError E333: an input is missing, or there is none of a name; likewise an output.
            DTypeError E210, ShapeError E120: an input is of another type than the model takes.
        """
        feeds = {name: wrap(x) if type(x) is numpy.ndarray and x.flags.carray else x for name, x in input_feed.items()}
        results = self.block(**feeds)
        names = [one.name for one in self._outputs]
        arrays = dict(zip(names, results if isinstance(results, tuple) else (results,), strict=True))
        wanted = list(output_names or names)
        unknown = [name for name in wanted if name not in arrays]
        if unknown:
            raise ArgumentError("E333", f"the model has no output {unknown[0]!r}", help=f"it has {', '.join(names)}")
        return [_numpy(arrays[name], input_feed.values()) for name in wanted]

    def get_inputs(self) -> list[NodeArg]:
        """Return the inputs, in order."""
        return list(self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        """Return the outputs, in order."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return nothing: weights are parameters of `block`."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """Return the notes of the file."""
        notes = dict(self.block.metadata)
        fixed = {key: notes.pop(key, "") for key in _NOTES}
        return ModelMetadata(
            fixed["producer"], fixed["graph"], fixed["domain"], fixed["description"], fixed["graph description"],
            int(fixed["version"] or 0), notes,
        )  # fmt: skip

    def get_providers(self) -> list[str]:
        """Return the list of providers that it runs on: the CPU."""
        return [_PROVIDER]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of each provider: the CPU has none."""
        return {_PROVIDER: {}}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Accept providers. The model runs on the CPU."""

    def get_session_options(self) -> SessionOptions:
        """Return the options of the session."""
        return self._options

    def __getattr__(self, name: str) -> Any:
        if name in _INSTEAD:
            raise MissingNameError("E364", f"a session has no {name!r}", help=_INSTEAD[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _numpy(value: Any, inputs: Any) -> Any:
    """An output as NumPy's array, of a sequence a list of them; never memory of an input."""
    if isinstance(value, list):
        return [_numpy(one, inputs) for one in value]
    array: NDArray[Any] = numpy.asarray(value)
    shares = any(isinstance(x, numpy.ndarray) and numpy.may_share_memory(array, x) for x in inputs)
    return array.copy() if shares or not array.flags.writeable else array
