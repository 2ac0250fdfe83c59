"""Every sample of every op as kernels of a device: the CPU's bits where sums have the CPU's order, else near.

What has no code on a device is refused, and written down here: complex numbers.
"""

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.errors import DeviceError, InternalError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.ops.op import OPS, Effect, effect_of
from hybridize.schedule.steps import ContractionStep, RoutineStep
from tests.catalog.samples import samples
from tests.device.programs import SM_80, Run, graph_of, on_cpu
from tests.refusals import said

COMPLEX = {
    "conj", "fourier", "from_parts", "imag_part", "inverse_real_fourier", "real_fourier", "real_part",
}  # fmt: skip
"""Ops of complex numbers in each sample."""

OF_LIBRARY = {
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cos", "cosh", "erf", "erfinv", "gammaln",
    "hypot", "log10", "log1p", "log2", "log_add_exp", "pow", "sin", "sinh", "tan",
}  # fmt: skip
"""Ops that a CPU asks the C library for in float64, and `gammaln` in all floats: last bits may differ."""
CIRCULAR = {"cos", "sin", "tan"}
"""Ops that a CPU asks the C library for, in all lanes of a vector in which one angle is large."""


def is_refused(word: str, inputs) -> bool:
    """Tell whether a sample is one that is written down."""
    kinds = {str(one.dtype) for one in inputs}
    return word in COMPLEX or any(one.startswith("complex") for one in kinds)


SUMS = {"dots_until", "eigh", "qr", "solve_triangular", "svd"}
"""Routines with sums along lines, which a CPU takes by vectors."""


def folds(program: DeviceProgram) -> bool:
    """Tell whether something is summed in another order than the CPU's."""
    return any(
        isinstance(step, ContractionStep)
        or "(v0 < " in str(step)
        or (isinstance(step, RoutineStep) and step.routine.name in SUMS)
        for step in program.schedule.steps
    )


def check(word: str, sample) -> str:
    """Run a sample; returns what came of it."""
    types = [TensorType(x.shape, x.dtype) for x in sample.inputs]
    try:
        graph = graph_of(lambda *xs: list(ops.bind(sample.op, *xs)), *types)
        expected = on_cpu(graph, sample.inputs)
    except InternalError:
        return "not a program"
    try:
        program = build_kernels(graph, SM_80)
    except DeviceError as error:
        if "has no code for sm_80 yet" in said(error) and is_refused(word, [*sample.inputs, *expected]):
            return "refused"
        raise
    for found, wanted in zip(Run(program, sample.inputs).outputs(), expected, strict=True):
        if folds(program) or word in CIRCULAR:
            single = wanted.dtype.kind not in "biu"
            np.testing.assert_allclose(
                np.asarray(found, np.float64 if single else found.dtype),
                np.asarray(wanted, np.float64 if single else wanted.dtype),
                rtol=1e-5 if found.dtype.itemsize > 2 else 1e-2,
                atol=1e-6,
            )
        elif word in OF_LIBRARY and wanted.dtype in ("float32", "float64"):
            np.testing.assert_array_max_ulp(found, wanted, 2)
        else:
            np.testing.assert_array_equal(found, wanted)
    return "ran"


def of(word: str):
    return [one for one in samples(OPS[word]) if one.fails is None and effect_of(one.op) is Effect.PURE]


WORDS = [word for word in sorted(OPS) if of(word)]
FEW = ["add", "arg_max", "concat", "contract", "gather", "matmul", "random_bits", "select", "sum", "window_sum"]


@pytest.mark.parametrize("word", [word for word in FEW if word in WORDS])
def test_a_sample(word):
    assert check(word, of(word)[0]) == "ran"


@pytest.mark.long
@pytest.mark.parametrize("word", WORDS)
def test_all_samples(word):
    results = {check(word, one) for one in of(word)}
    assert "ran" in results or word in COMPLEX or results == {"not a program"}
    assert word not in COMPLEX or "refused" in results or results == {"not a program"}
