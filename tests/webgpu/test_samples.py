"""Samples of all ops as kernels in WGSL: the CPU's results. What has no code on WebGPU is refused, and written down here."""

import collections

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.errors import DeviceError, InternalError
from hybridize.base.types import TensorType
from hybridize.ops.op import OPS, Effect, effect_of
from tests.catalog.samples import samples
from tests.device.programs import graph_of, on_cpu
from tests.device.test_samples import COMPLEX
from tests.refusals import said
from tests.webgpu.running import on_gpu

BY_FLOAT64 = {
    "cholesky", "cofactor", "cofactor_pullback", "det", "eigh", "inverse", "least_squares", "lu", "pseudo_inverse",
    "qr", "slog_det", "solve", "solve_triangular", "svd",
}  # fmt: skip
"""Factors of matrices, which are computed in float64 whatever their type."""
COUNTS: collections.Counter[str] = collections.Counter()


def check(word: str, sample) -> str:
    types = [TensorType(x.shape, x.dtype) for x in sample.inputs]
    try:
        graph = graph_of(lambda *xs: list(ops.bind(sample.op, *xs)), *types)
        expected = on_cpu(graph, sample.inputs)
    except InternalError:
        return "not a program"
    try:
        found = on_gpu(graph, sample.inputs)
    except DeviceError as error:
        kinds = {str(one.dtype) for one in [*sample.inputs, *expected]}
        wide = "float64" in kinds or any(kind.startswith("complex") for kind in kinds)
        if "has no code for webgpu yet" in said(error) and (wide or word in COMPLEX | BY_FLOAT64):
            return "refused"
        raise
    for one, wanted in zip(found, expected, strict=True):
        if wanted.dtype.kind in "biu":
            np.testing.assert_array_equal(one, wanted)
        else:
            loose = wanted.dtype.itemsize < 4
            wide = (np.asarray(x, np.float64) for x in (one, wanted))
            np.testing.assert_allclose(*wide, rtol=1e-2 if loose else 1e-5, atol=1e-6)
    return "ran"


def of(word: str):
    return [one for one in samples(OPS[word]) if one.fails is None and effect_of(one.op) is Effect.PURE]


WORDS = [word for word in sorted(OPS) if of(word)]


@pytest.mark.parametrize("word", WORDS)
def test_all_samples(word):
    results = [check(word, one) for one in of(word)]
    COUNTS.update(results)
    assert "ran" in results or word in COMPLEX | BY_FLOAT64 or set(results) == {"not a program"}


def test_most_samples_run():
    if sum(COUNTS.values()) > 1000:  # all of them were asked for
        print(dict(COUNTS))
        assert COUNTS["ran"] >= 1330, COUNTS
