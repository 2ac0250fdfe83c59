# Written by `docs/make.py` from the module's table of names.

from hybridize.capture.calls import CacheInfo as CacheInfo
from hybridize.capture.function import Function as Function
from hybridize.capture.saved_function import SavedFunction as SavedFunction
from hybridize.programs.program import Program as Program

PLACES: dict[str, str]
__all__ = [
    "CacheInfo", "Function", "Program", "SavedFunction"
]
