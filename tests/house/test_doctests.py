"""Every example in a docstring runs."""

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import hybridize
from tests.folding import folded
from tests.house.test_reference import GLOBALS

DOORS = {"jax": "hybridize.jax", "tensorflow": "hybridize.tensorflow", "wgpu": "hybridize.runtime.webgpu.gpu"}
SHUT = tuple(door for library, door in DOORS.items() if importlib.util.find_spec(library) is None)
"""Doors to libraries with an environment of their own: they are tried there."""
MODULES = [
    pytest.param(module.name, id=module.name.removeprefix("hybridize."))
    for module in pkgutil.walk_packages(hybridize.__path__, "hybridize.")
    if not module.name.startswith(SHUT)
]


@folded("name", MODULES)
def test_examples(name, folder_of_examples):
    module = importlib.import_module(name)
    if ">>>" not in Path(str(module.__file__)).read_text(encoding="utf-8"):
        return  # to look for docstrings takes longer than to run most of them
    failed, _ = doctest.testmod(module, extraglobs=GLOBALS, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
