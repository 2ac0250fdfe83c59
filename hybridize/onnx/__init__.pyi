# Written by `docs/make.py` from the module's table of names.

from hybridize.onnx import backend as backend
from hybridize.onnx.backend import Backend as Backend
from hybridize.onnx import mxnet as mx2onnx
from hybridize.onnx import mxnet as onnx2mx
from hybridize.onnx.mxnet import export_model as export_model
from hybridize.onnx.mxnet import get_model_metadata as get_model_metadata
from hybridize.onnx.mxnet import import_model as import_model
from hybridize.onnx.mxnet import import_to_gluon as import_to_gluon
from hybridize.onnx.session import ExecutionMode as ExecutionMode
from hybridize.onnx.session import GraphOptimizationLevel as GraphOptimizationLevel
from hybridize.onnx.session import InferenceSession as InferenceSession
from hybridize.onnx.session import ModelMetadata as ModelMetadata
from hybridize.onnx.session import NodeArg as NodeArg
from hybridize.onnx.session import RunOptions as RunOptions
from hybridize.onnx.session import SessionOptions as SessionOptions
from hybridize.onnx.session import disable_telemetry_events as disable_telemetry_events
from hybridize.onnx.session import enable_telemetry_events as enable_telemetry_events
from hybridize.onnx.session import get_available_providers as get_available_providers
from hybridize.onnx.session import get_device as get_device
from hybridize.onnx.session import set_default_logger_severity as set_default_logger_severity

PLACES: dict[str, str]
__all__ = [
    "Backend", "ExecutionMode", "GraphOptimizationLevel", "InferenceSession", "ModelMetadata", "NodeArg",
    "RunOptions", "SessionOptions", "backend", "disable_telemetry_events", "enable_telemetry_events", "export_model",
    "get_available_providers", "get_device", "get_model_metadata", "import_model", "import_to_gluon", "mx2onnx",
    "onnx2mx", "set_default_logger_severity"
]
