"""Every primitive is written as ONNX and gives the same numbers there, or is refused by its name."""

import warnings

import numpy
import pytest

from hybridize.base.dtypes import bfloat16, is_inexact
from hybridize.base.errors import CaptureError
from hybridize.formats.onnx.write import read_back
from hybridize.graph import Builder
from hybridize.ops import OPS, Cast, WindowMax, evaluate
from tests.catalog.samples import samples
from tests.folding import folded
from tests.formats.onnx.written import answers, graph_of, typed, written

REFUSED = {
    "bit_count", "bitcast", "cholesky", "cofactor", "cofactor_pullback", "conj", "eig", "eigh", "erfinv", "fourier",
    "from_parts", "hosted", "imag_part", "inverse", "inverse_real_fourier", "least_squares", "lu",
    "print", "pseudo_inverse", "python_call", "qr", "random_bits", "real_fourier", "real_part", "slog_det", "solvable",
    "solve", "solve_triangular", "standard_gamma", "svd", "winograd_contract",
}  # fmt: skip
"""Without a counterpart; this list may only become shorter."""
PARTLY = {"cast": "complex numbers", "pow": "power of integers", "sort": "uint64", "arg_sort": "uint64"}
"""Refused for some operands, and a word of the reason."""
KERNELS = {
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "erf",
    "arctan2",
    "det",
}
"""Those that ONNX Runtime has no code for in float64: its other checks stand, and our reader's results."""
ASSERTIONS = {"assert", "bounds", "permitted"}
"""Those that have no results."""
TOLERANCE = {2: 1e-2, 4: 1e-5, 8: 1e-9}
LOST = {"gamma": 1e-4, "gammaln": 1e-5, "cbrt": 1e-5, "exp2": 1e-5, "expm1": 1e-5, "log1p": 1e-5}


def cases(most=None):
    for word, cls in OPS.items():
        fitting = [sample for sample in samples(cls) if sample.fails is None]
        for number, sample in enumerate(fitting[:most]):
            if word not in ASSERTIONS and not (type(sample.op) is WindowMax and has_nan(sample)):
                yield pytest.param(sample, id=f"{word}.{number}({'-'.join(str(typed(x)) for x in sample.inputs)})")


def has_nan(sample):
    """Tell whether a runtime's pooling, which passes over NaN, differs by right."""
    return any(is_inexact(x.dtype) and numpy.isnan(x.astype("f8")).any() for x in sample.inputs)


def graph(sample):
    """The op on the sample's operands, with float32 in place of bfloat16, which NumPy cannot hand to ONNX Runtime."""
    builder = Builder()
    values = []
    for x in sample.inputs:
        short = x.dtype == bfloat16
        value = builder.input(typed(x.astype("f4") if short else x))
        values.append(builder.add(Cast(bfloat16), [value])[0] if short else value)
    outputs = [
        builder.add(Cast(numpy.dtype("f4")), [value])[0] if value.type.dtype == bfloat16 else value
        for value in builder.add(sample.op, values)
    ]
    return builder.finish(outputs)


def compare(found, wanted, sample):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert typed(one) == typed(other)
        if is_inexact(other.dtype):
            least = min([x.dtype.itemsize for x in (*sample.inputs, other) if is_inexact(x.dtype)])
            least = 2 if any(x.dtype == bfloat16 for x in sample.inputs) else least
            slack = max(TOLERANCE[least], sample.rtol, LOST.get(sample.op.word, 0))
            with numpy.errstate(all="ignore"):
                numpy.testing.assert_allclose(one.astype("f8"), other.astype("f8"), slack, max(sample.atol, slack / 10))
        elif type(sample.op) is Cast and is_inexact(sample.inputs[0].dtype):
            (x,) = (x.astype("f8") for x in sample.inputs)
            limits = numpy.iinfo(other.dtype) if other.dtype.kind in "iu" else None
            inside = numpy.ones(x.shape, bool) if limits is None else (x > limits.min) & (x < limits.max)
            numpy.testing.assert_array_equal(one[inside], other[inside])  # of the others nothing is promised
        else:
            numpy.testing.assert_array_equal(one, other)


def refused(of, path):
    """The text of the refusal to write a graph; None where it was written."""
    try:
        written(of, path)
    except CaptureError as error:
        return str(error)
    return None


def check(sample, folder):
    word, inputs = sample.op.word, [x.astype("f4") if x.dtype == bfloat16 else x for x in sample.inputs]
    of, file = graph(sample), folder / "op.onnx"
    reason = refused(of, file)
    if reason is not None:
        assert "E466" in reason
        assert word in REFUSED or PARTLY[word] in reason
        return
    assert word not in REFUSED, "it is written by now: take it off the list"
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = evaluate(of, inputs)
        lacks = word in KERNELS and any(x.dtype == numpy.float64 for x in inputs)
        if lacks:
            with pytest.raises(Exception, match="NOT_IMPLEMENTED"):
                answers(file, inputs)
        else:
            compare(answers(file, inputs), wanted, sample)
        compare(read_back(file, [inputs])[0], wanted, sample)


@folded("sample", cases(most=2), by=lambda name: "operators")
def test_operators(sample, tmp_path):
    check(sample, tmp_path)


@pytest.mark.long
@folded("sample", cases())
def test_all_samples_of_operators(sample, tmp_path):
    check(sample, tmp_path)


def test_the_ledger_names_ops_that_there_are():
    assert (REFUSED | KERNELS | ASSERTIONS | PARTLY.keys()) <= set(OPS)


def test_graphs_of_ops_are_what_they_say():
    (sample,) = [one for one in samples(OPS["sin"]) if one.fails is None][:1]
    assert graph_of(sample.op, sample.inputs).op_names() == ["sin"]
