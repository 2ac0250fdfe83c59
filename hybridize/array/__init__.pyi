# Written by `docs/make.py` from the module's table of names.

from hybridize.array import array_api as array_api
from hybridize.array.device import cpu as cpu
from hybridize.array.device import gpu as gpu
from hybridize.array.device import num_gpus as num_gpus
from hybridize.array import linalg as linalg
from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.ndarray import wrap as wrap
from hybridize.array import np as np
from hybridize.array import npx as npx
from hybridize.array.operators import Operators as Operators
from hybridize.array import random as random
from hybridize.array.storage import Storage as Storage
from hybridize.array.symbol import Cell as Cell
from hybridize.array.symbol import Symbol as Symbol
from hybridize.array import windows as windows

PLACES: dict[str, str]
__all__ = [
    "Cell", "Operators", "Storage", "Symbol", "array_api", "cpu", "gpu", "linalg", "ndarray", "np", "npx", "num_gpus",
    "random", "windows", "wrap"
]
