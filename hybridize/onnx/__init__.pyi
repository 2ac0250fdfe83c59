# Written by `docs/make.py` from the module's table of names.

from hybridize.onnx import backend as backend
from hybridize.onnx.backend import Backend as Backend
from hybridize.onnx import mxnet as mx2onnx
from hybridize.onnx import mxnet as onnx2mx
from hybridize.onnx.mxnet import export_model as export_model
from hybridize.onnx.mxnet import get_model_metadata as get_model_metadata
from hybridize.onnx.mxnet import import_model as import_model
from hybridize.onnx.mxnet import import_to_gluon as import_to_gluon

PLACES: dict[str, str]
__all__ = [
    "Backend", "backend", "export_model", "get_model_metadata", "import_model", "import_to_gluon", "mx2onnx",
    "onnx2mx"
]
