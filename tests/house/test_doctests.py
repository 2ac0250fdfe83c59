"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import hybridize
from tests.folding import folded

MODULES = [
    pytest.param(module.name, id=module.name.removeprefix("hybridize."))
    for module in pkgutil.walk_packages(hybridize.__path__, "hybridize.")
]


@folded("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
