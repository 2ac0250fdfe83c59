"""Kernels in WGSL as text: each kind as its file has it."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("wgsl_goldens", Path(__file__).with_name("goldens.py"))
goldens = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(goldens)


@pytest.mark.parametrize("name", goldens.CASES)
def test_text(name):
    path = goldens.path_of(name)
    assert goldens.text_of(name) == path.read_text(), "python tests/codegen/wgsl/goldens.py --write, and look at it"


def test_no_file_is_left_over():
    assert {path.name for path in goldens.FOLDER.iterdir()} == {goldens.path_of(name).name for name in goldens.CASES}
