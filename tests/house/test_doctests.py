"""Every example in a docstring runs."""

import doctest
import importlib
import importlib.util
import pkgutil

import pytest

import hybridize
from tests.folding import folded

ABSENT = {f"hybridize.{name}" for name in ("jax", "tensorflow") if importlib.util.find_spec(name) is None}
"""Doors to what this environment has not: they are imported where it is."""
MODULES = [
    pytest.param(module.name, id=module.name.removeprefix("hybridize."))
    for module in pkgutil.walk_packages(hybridize.__path__, "hybridize.")
    if module.name not in ABSENT
]


@folded("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
