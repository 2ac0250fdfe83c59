"""Nets of sequences in every format that leaves Python: an LSTM, a Transformer, and a loop that decodes."""

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import SequenceSampler
from hybridize.gluon.model_zoo.text import Llama


def recurrent():
    net = nn.HybridSequential()
    net.add(nn.Embedding(11, 8), rnn.LSTM(12, bidirectional=True, layout="NTC"), nn.Dense(5, flatten=False))
    return net


def transformer():
    net = nn.HybridSequential()
    net.add(nn.Embedding(11, 16), nn.PositionalEncoding(16, max_length=20))
    net.add(nn.TransformerEncoder(1, 16, 2, 24), nn.Dense(5, flatten=False))
    return net


def decoding():
    return SequenceSampler(Llama(11, 16, 1, 2, 1, max_length=12), 5, stop_tokens=2)


def tokens(rows, steps):
    return np.array(numpy.random.default_rng(rows + steps).integers(0, 11, (rows, steps)), dtype="int64")


NETS = {"LSTM": recurrent, "Transformer": transformer, "decoding loop": decoding}
LONG = [pytest.param(name, marks=pytest.mark.long) if name == "decoding loop" else name for name in NETS]


@pytest.mark.parametrize("form", ["library", "wasm", "archive"])
@pytest.mark.parametrize("name", LONG)
def test_an_export_gives_what_python_gives(name, form, system, tmp_path):
    """It runs what it writes on the calls that were seen, two batches and two lengths among them."""
    if form == "wasm":
        system("node")
    numpy.random.seed(5)
    net = NETS[name]()
    net.initialize()
    calls = [tokens(1, 4), tokens(3, 6), tokens(2, 5)]
    wanted = [net(call) for call in calls]
    net.hybridize()
    for call in calls:
        net(call)
    assert net.program(calls[1]).fallbacks == ()
    found = net.export(str(tmp_path / "net"), format=form)
    assert any("as expected" in check for check in found.checks), found
    if form != "archive":
        return
    loaded = hybridize.load(tmp_path / "net", images=True)
    for call, expected in zip(calls, wanted, strict=True):
        given, expected = (one if isinstance(one, (tuple, list)) else [one] for one in (loaded(call), expected))
        for one, other in zip(given, expected, strict=True):
            numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)
