"""Nets of attention and of sequences as MXNet's files: its own operators where it has them, and read back."""

import json

import numpy
import pytest

from hybridize import nd, np, npx
from hybridize.gluon import SymbolBlock, nn


class Net(nn.HybridBlock):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *xs):
        return self.function(*xs)


X = numpy.random.default_rng(0).normal(size=(5, 2, 24)).astype("f4")
LENGTHS = numpy.array([3, 5])
OURS = {
    "SequenceMask": lambda x, n: npx.sequence_mask(x, n, True, -1.0),
    "SequenceLast": lambda x, n: npx.sequence_last(x, n),
    "SequenceReverse": lambda x, n: npx.sequence_reverse(x, n),
    "_contrib_arange_like": lambda x: npx.arange_like(x, axis=-1) * x,
    "_contrib_div_sqrt_dim": lambda x: nd.contrib.div_sqrt_dim(x),
    "_contrib_interleaved_matmul_selfatt_qk": lambda x: npx.interleaved_matmul_selfatt_qk(x, 2),
    "_contrib_interleaved_matmul_selfatt_valatt": lambda x: npx.interleaved_matmul_selfatt_valatt(x, np.ones((4, 5, 5)), 2),
    "_contrib_interleaved_matmul_encdec_qk": lambda x: npx.interleaved_matmul_encdec_qk(x[:, :, :12], x, 2),
    "_contrib_interleaved_matmul_encdec_valatt": lambda x: npx.interleaved_matmul_encdec_valatt(x, np.ones((4, 3, 5)), 2),
    "_contrib_sldwin_atten_score": lambda x: npx.sldwin_atten_score(x.reshape(5, 2, 4, 6), x.reshape(5, 2, 4, 6), np.array([1, 1, 2, 1]), 1),
    "_linalg_gemm2": lambda x: npx.scaled_dot_product_attention(x, x, x, layout="BHTD"),
    "BlockGrad": lambda x: npx.masked_softmax(x, x > 0),
    "elemwise_mul": lambda x: npx.glu(x, act_type="silu"),
}  # fmt: skip


def written_and_read(net, xs, folder):
    net.initialize()
    net.hybridize()
    wanted = net(*xs)
    _, parameters = net.export(folder / "net")
    nodes = json.loads((folder / "net-symbol.json").read_text())["nodes"]
    names = [node["name"] for node in nodes if node["op"] == "null"][: len(xs)]
    again = SymbolBlock.imports(str(folder / "net-symbol.json"), names, parameters and str(parameters))
    numpy.testing.assert_allclose(again(*xs).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
    return [node["op"] for node in nodes]


@pytest.mark.parametrize("word", OURS)
@pytest.mark.filterwarnings("ignore")
def test_functions(word, tmp_path):
    function = OURS[word]
    xs = [np.array(X), np.array(LENGTHS)][: function.__code__.co_argcount]
    found = written_and_read(Net(function), xs, tmp_path)
    assert word in found or (word == "_linalg_gemm2" and "batch_dot" in found)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.MultiHeadAttention(8, 2),
        lambda: nn.TransformerEncoder(1, 24, 4, 32),
        lambda: nn.TransformerEncoder(1, 24, 4, 32, norm="rms_norm", activation="swiglu", pre_norm=True),
        lambda: nn.PositionalEncoding(24),
    ],
    ids=["attention", "transformer", "LLaMA's", "positions"],
)
def test_layers(make, tmp_path):
    words = written_and_read(make(), [np.array(X)], tmp_path)
    assert set(words) & {"softmax", "broadcast_add"}
