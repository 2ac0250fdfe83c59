# Written by `docs/make.py` from the module's table of names.

from hybridize import amp as amp
from hybridize.contrib import io as io
from hybridize.contrib import text as text
from hybridize.ndarray import contrib as nd
from hybridize.ndarray import contrib as ndarray
from hybridize import onnx as onnx
from hybridize.symbol import contrib as sym
from hybridize.symbol import contrib as symbol

PLACES: dict[str, str]
__all__ = [
    "amp", "io", "nd", "ndarray", "onnx", "sym", "symbol", "text"
]
