# SPDX-License-Identifier: Apache-2.0
"""ONNX for those who know it by other names: MXNet's, the onnx package's, ONNX Runtime's. `load("model.onnx")` is ours.

`backend` is what the onnx package's own tests and tools take; `InferenceSession` is the face of ONNX Runtime; `mxnet`
has MXNet's functions.
"""

from hybridize.base.names import late, places

PLACES = {
    "backend": "hybridize.onnx.backend",
    "mx2onnx": "hybridize.onnx.mxnet",
    "onnx2mx": "hybridize.onnx.mxnet",
    **places("hybridize.onnx", {
        "backend": "Backend",
        "session": "InferenceSession SessionOptions RunOptions NodeArg ModelMetadata GraphOptimizationLevel "
        "ExecutionMode get_available_providers get_device set_default_logger_severity "
        "enable_telemetry_events disable_telemetry_events",
        "mxnet": "export_model get_model_metadata import_model import_to_gluon",
    }),
}  # fmt: skip

_ARRAYS = "sessions take NumPy arrays and return NumPy arrays"
_INSTEAD = {
    "OrtValue": _ARRAYS, "OrtDevice": _ARRAYS, "IOBinding": _ARRAYS, "SparseTensor": _ARRAYS,
    "capi": "errors are hybridize's: from hybridize.errors import HybridizeError",
    "quantization": "quantize with onnxruntime, and load the model here",
    "training": "session.block is a net: a gluon.Trainer trains it",
}  # fmt: skip

__getattr__, __dir__ = late(globals(), PLACES, _INSTEAD)
