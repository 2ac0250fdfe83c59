# Written by `docs/make.py` from the module's table of names.

from hybridize.programs.program import Program as Program

PLACES: dict[str, str]
__all__ = [
    "Program"
]
