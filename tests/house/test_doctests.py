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

NOT_HERE = [name for name in ("jax", "tensorflow") if importlib.util.find_spec(name) is None]
"""Libraries with an environment of their own: the doors to them are tried there."""
MODULES = [
    pytest.param(module.name, id=module.name.removeprefix("hybridize."))
    for module in pkgutil.walk_packages(hybridize.__path__, "hybridize.")
    if module.name.split(".")[1] not in NOT_HERE
]


@folded("name", MODULES)
def test_examples(name, folder_of_examples):
    module = importlib.import_module(name)
    if ">>>" not in Path(str(module.__file__)).read_text(encoding="utf-8"):
        return  # to look for docstrings takes longer than to run most of them
    failed, _ = doctest.testmod(module, extraglobs=GLOBALS, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
