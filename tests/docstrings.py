"""Examples in docstrings of a door, played in the environment of its library."""

import doctest
import importlib
import pkgutil


def play(door: str) -> int:
    """Run the examples of all modules of a package of hybridize, and return how many examples it has."""
    package = importlib.import_module(f"hybridize.{door}")
    names = [one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    flags, tried = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, 0
    for name in [package.__name__, *names]:
        failed, count = doctest.testmod(importlib.import_module(name), optionflags=flags)
        assert failed == 0, f"{failed} of {count} lines of examples in {name}"
        tried += count
    return tried
