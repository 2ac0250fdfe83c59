"""Jaxprs that were stored with JAX's results: what the rows compute, in every way of running, without JAX."""

import sys
from pathlib import Path

import numpy
import pytest

from hybridize import load, np
from hybridize.formats.foreign.walk import every_graph
from hybridize.formats.jaxpr.rows import JAXPR
from hybridize.gluon.imported_block import ImportedBlock

sys.path.insert(0, str(Path(__file__).parent))
from stored import FOLDER, read

FILES = sorted(FOLDER.glob("*.json"))


def assert_same(ours, theirs):
    ours = ours if isinstance(ours, (tuple, list)) else [ours]
    for x, y in zip(ours, theirs, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        numpy.testing.assert_allclose(x.asnumpy(), y, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_results(path):
    program, arguments, results = read(path)
    net = ImportedBlock(program)
    arrays = [np.array(x, dtype=x.dtype) for x in arguments]
    assert_same(net(*arrays), results)
    net.hybridize()
    assert_same(net(*arrays), results)
    assert not list(net.program(*arrays).fallbacks)


def test_saved_with_a_gradient_of_its_own(tmp_path):
    program, arguments, results = read(FOLDER / "own_gradient.json")
    net = ImportedBlock(program)
    net.hybridize()
    net(*(np.array(x, dtype=x.dtype) for x in arguments))
    net.save(tmp_path / "net.hyb")
    assert_same(load(tmp_path / "net.hyb")(*(np.array(x, dtype=x.dtype) for x in arguments)), results)


def test_jax_is_not_loaded():
    assert "jax" not in sys.modules


def test_the_programs_use_many_rows():
    used = {node.op for path in FILES for graph in every_graph(read(path)[0]) for node in graph.nodes}
    assert len(used) >= 59
    assert all(JAXPR.find(op, 0) is not None for op in used)
