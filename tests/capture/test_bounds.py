"""Programs write what their results take, and nothing behind it."""

from __future__ import annotations

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.runtime import executable


@pytest.mark.parametrize("small", ["bool", "int8", "uint8", "float16"])
@pytest.mark.parametrize("large", ["float32", "float64"])
def test_results_of_elements_of_several_sizes(small, large, monkeypatch):
    behind = []

    def guarded(shape, dtype):
        count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
        room = numpy.full(count + 512, 0xAB, dtype="uint8")
        behind.extend([room[:256], room[256 + count :]])
        return room[256 : 256 + count].view(dtype).reshape(shape)

    monkeypatch.setattr(executable, "uninitialized", guarded)
    monkeypatch.setattr(executable.Executable, "_entry", lambda self: self._checked)

    @hybridize
    def parts(x):
        chosen = x > 0.2
        return np.where(chosen, np.exp(x) * 1.25, 0.0), np.exp(x), chosen.astype(small)

    for length in (6, 4, 5, 7, 3, 2, 9):
        x = np.array(numpy.random.default_rng(length).standard_normal((3, length, length)), dtype=large)
        results = parts.program(x)(x)
        assert results[2].tolist() == (x.asnumpy() > 0.2).astype(small).tolist()
        assert behind
        assert all((room == 0xAB).all() for room in behind)
        behind.clear()
