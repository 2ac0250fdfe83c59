# Written by `docs/make.py` from the module's table of names.

from hybridize.onnx import backend as backend
from hybridize.onnx.backend import Backend as Backend

PLACES: dict[str, str]
__all__ = [
    "Backend", "backend"
]
