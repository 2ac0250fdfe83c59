"""The names of MXNet's `contrib`: where they lead, and what is said of those that lead nowhere."""

import numpy
import pytest

import hybridize
from hybridize import contrib, gluon, nd, np, sym
from hybridize.errors import ArgumentError, MissingNameError
from tests.refusals import refusal


def test_where_names_lead():
    assert contrib.amp is hybridize.amp
    assert contrib.onnx is hybridize.onnx
    assert contrib.nd.foreach is contrib.ndarray.foreach is nd.contrib.foreach
    assert contrib.sym.foreach is contrib.symbol.foreach is sym.contrib.foreach
    assert {"amp", "io", "nd", "onnx", "symbol"} <= set(dir(contrib))


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        (contrib, "quantization", "no int8"),
        (hybridize.amp, "convert_hybrid_block", r"net.cast\('bfloat16'\)"),
        (hybridize.amp, "list_lp16_ops", "no operation is cast"),
    ],
)
def test_what_is_said_of_others(module, name, said):
    with refusal(MissingNameError, said):
        getattr(module, name)


def test_loaders_as_iterators():
    x, y = np.arange(20).reshape(10, 2), np.arange(10)
    batches = contrib.io.DataLoaderIter(gluon.data.DataLoader(gluon.data.ArrayDataset(x, y), batch_size=4))
    assert (batches.batch_size, batches.provide_data[0].shape, batches.provide_label[0].name) == (
        4,
        (4, 2),
        "softmax_label",
    )
    for _ in range(2):
        seen = list(batches)
        assert [one.pad for one in seen] == [0, 0, 2]
        whole = numpy.concatenate([one.data[0].asnumpy() for one in seen])
        numpy.testing.assert_array_equal(whole[:10], x)
        assert not whole[10:].any()
        assert seen[2].label[0].tolist() == [8, 9, 0, 0]
        assert seen[0].data[0].dtype == numpy.float32
        batches.reset()
    with refusal(ArgumentError, "no batches"):
        contrib.io.DataLoaderIter([])
    with refusal(ArgumentError, "pairs of data and labels, got ndarray"):
        contrib.io.DataLoaderIter([x])
