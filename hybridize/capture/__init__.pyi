# Written by `docs/make.py` from the module's table of names.

from hybridize.capture.function import CacheInfo as CacheInfo
from hybridize.capture.function import Function as Function
from hybridize.programs.program import Program as Program

PLACES: dict[str, str]
__all__ = [
    "CacheInfo", "Function", "Program"
]
