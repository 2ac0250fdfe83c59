# SPDX-License-Identifier: Apache-2.0
"""Files leave out what a program only notes in Python, and name it; what changes results is refused, each by name."""

import math
import re

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, load, np, npx
from hybridize.errors import CaptureError
from hybridize.gluon import nn
from tests.refusals import refusal
from tests.samples import sampled

CALLS = 0


class _Net(nn.HybridBlock):
    """A net that keeps what its calls may note."""

    def __init__(self, forward):
        super().__init__()
        self.dense = nn.Dense(2, in_units=3)
        self.calls, self.rate, self.last, self.log, self.table, self.seen = 0, 1.0, None, [], {"n": 0}, set()
        self._body = forward

    def forward(self, x):
        return self._body(self, x)


def _count(net, x):
    net.calls += 1
    return net.dense(x)


def _array(net, x):
    net.weights = npx.softmax(net.dense(x))
    return net.dense(x) * 2


def _list(net, x):
    net.log.append(x.sum())
    return net.dense(x)


def _item(net, x):
    net.table["n"] += 1
    net.table["x"] = x * 2
    return net.dense(x)


def _child(net, x):
    net.dense.last = x + 1
    return net.dense(x)


def _made(net, x):
    net.features = {}
    for k in range(3):
        net.features["disp", k] = net.dense(x) * k
    return net.dense(x)


def _returned(net, x):
    net.features = []
    for k in range(3):
        net.features.append(net.dense(x) * k)
    return net.dense(x), net.features


def _global(net, x):
    global CALLS
    CALLS += 1
    return net.dense(x)


def _running(net, x):
    net.rate = 0.5 * net.rate + 0.1
    return net.dense(x)


def _average(net, x):
    net.last = x.mean() if net.last is None else 0.9 * net.last + 0.1 * x.mean()
    return net.dense(x)


def _many(net, x):
    _count(net, x), _array(net, x), _list(net, x)
    net.seen.add(7)
    return _child(net, x)


NOTES = {
    "count": (_count, ["attribute 'calls' of _Net"]),
    "array": (_array, ["attribute 'weights' of _Net"]),
    "list": (_list, ["the items of a list"]),
    "items": (_item, ["item ['n']", "item ['x']"]),
    "child": (_child, ["attribute 'last' of Dense"]),
    "dict": (_made, ["attribute 'features' of _Net"]),
    "list that is returned": (_returned, ["attribute 'features' of _Net"]),
    "global": (_global, ["global 'CALLS'"]),
    "number of numbers": (_running, ["attribute 'rate' of _Net"]),
    "average": (_average, ["attribute 'last' of _Net"]),
    "many": (_many, ["attribute 'calls'", "attribute 'weights'", "the items of a list", "of a set", "of Dense"]),
}


def _net(body):
    net = _Net(body)
    net.initialize()
    net.hybridize()
    return net


def _x(rows):
    return np.array(numpy.linspace(-1, 1, 3 * rows, dtype="float32").reshape(rows, 3))


def _flat(result):
    parts = result if isinstance(result, (tuple, list)) else [result]
    return numpy.concatenate(
        [_flat(part) if isinstance(part, (tuple, list)) else part.asnumpy().ravel() for part in parts]
    )


@pytest.mark.parametrize("calls", sampled([3, 1], 2))
@pytest.mark.parametrize("case", NOTES)
def test_an_archive_does_without_notes(case, calls, tmp_path):
    body, noted = NOTES[case]
    net = _net(body)
    for _ in range(calls):
        expected = [net(_x(rows)) for rows in (1, 4)]
    written = net.export(tmp_path / "net", format="archive")
    assert all("as expected" in line for line in written.checks)
    for name in noted:
        assert sum(name in line for line in written.left_out) == 1, written
    assert all(re.search(r"test_notes.py:\d+\), which Python notes", line) for line in written.left_out)
    again = load(tmp_path / "net", verify=True)
    for rows, result in zip((1, 4), expected, strict=True):
        numpy.testing.assert_allclose(_flat(again(_x(rows))), _flat(result), rtol=1e-5, atol=1e-6)
    before = (net.calls, len(net.log), net.table["n"])
    with pytest.warns(UserWarning, match=re.escape(noted[0])) as told:
        net.save(tmp_path / "saved")
    assert len(told) == 1 and told[0].filename == __file__
    assert (net.calls, len(net.log), net.table["n"]) == before, "nothing was noted meanwhile"
    assert type(net(_x(1))) is type(expected[0]), "and calls go on"


@pytest.mark.parametrize("format", ["library", "wasm", "mxnet"])
@pytest.mark.parametrize("calls", [1, 3])
def test_all_formats_do_without_notes(format, calls, tmp_path, system):
    if format == "wasm":
        system("node")
    net = _net(_many)
    for _ in range(calls):
        net(_x(2))
    if format == "mxnet":
        with pytest.warns(UserWarning, match="attribute 'calls' of _Net") as told:
            symbol_file, params_file = net.export(tmp_path / "net")
        assert len(told) == 1
        again = gluon.SymbolBlock.imports(symbol_file, ["data"], params_file)
        numpy.testing.assert_allclose(again(_x(2)).asnumpy(), net(_x(2)).asnumpy(), rtol=1e-5, atol=1e-6)
        return
    written = net.export(tmp_path / "net", format=format)
    assert any("as expected" in line for line in written.checks)
    assert sum("attribute 'calls' of _Net" in line for line in written.left_out) == 1


def _by_count(net, x):
    net.calls += 1
    return net.dense(x) * net.calls


def _by_rate(net, x):
    net.rate *= 0.5
    return net.dense(x) * net.rate


def _by_choice(net, x):
    net.calls += 1
    return net.dense(x) * (2 if net.calls < 100 else 3)


def _by_last(net, x):
    y = net.dense(x)
    net.last = y if net.last is None else y + net.last
    return net.last


def _by_length(net, x):
    net.log.append(x.sum())
    return net.dense(x) * len(net.log)


def _by_content(net, x):
    net.log.append(x.sum())
    return net.dense(x) + sum(net.log)


REFUSED = {
    "count": (
        _by_count,
        r"E465: _Net sets attribute 'calls' of _Net and depends on its value(.|\n)*self.state\[:\]",
    ),
    "rate": (_by_rate, r"E465: _Net sets attribute 'rate' of _Net and depends on its value"),
    "choice": (_by_choice, r"E465: _Net sets attribute 'calls' of _Net and depends on its value"),
    "array": (_by_last, r"E465: _Net sets attribute 'last' of _Net and depends on its value"),
    "length": (_by_length, r"E465: _Net changes a list from call to call(.|\n)*fixed size"),
    "content": (_by_content, r"E465: _Net changes a list from call to call"),
}


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("case", REFUSED)
def test_what_changes_results_is_refused_by_name(case, calls, tmp_path):
    body, words = REFUSED[case]
    net = _net(body)
    for _ in range(calls):
        net(_x(2))
    for format in ("archive", "library", "mxnet"):
        with refusal(CaptureError, words):
            net.export(tmp_path / "net", format=format)
    assert list(tmp_path.iterdir()) == []


def test_what_one_program_notes_another_may_read(tmp_path):
    """Programs of one file are asked together."""

    def body(net, x):
        if autograd.is_training():
            net.calls += 1
            return net.dense(x)
        return net.dense(x) * net.calls

    net = _net(body)
    for _ in range(3):
        with autograd.train_mode():
            net(_x(2))
        net(_x(2))
    with refusal(CaptureError, r"E465: _Net .*'calls' of _Net"):
        net.export(tmp_path / "net", format="archive")


def test_a_number_that_others_set_is_what_it_is_now(tmp_path):
    """Between calls, by Python, so that calls read it: a file has that of now, as of one that never changed."""
    net = _net(lambda net, x: _count(net, x) * net.rate)
    for rate in (1.0, 2.0, 3.0):
        net.rate = rate
        expected = net(_x(2)).asnumpy()
    net.export(tmp_path / "net", format="archive")
    numpy.testing.assert_allclose(load(tmp_path / "net")(_x(2)).asnumpy(), expected, rtol=1e-6)
    net.rate = 5.0
    net.export(tmp_path / "net", format="archive")
    numpy.testing.assert_allclose(load(tmp_path / "net")(_x(2)).asnumpy(), expected * 5 / 3, rtol=1e-6)


def _set_rate(trainer, x):
    trainer.set_learning_rate(0.5)
    return x


SCHEDULES = {
    "read": (lambda trainer, x: x * trainer.learning_rate, "reads a number of Python's schedule"),
    "set": (_set_rate, "sets a trainer's learning rate"),
}


@pytest.mark.parametrize("case", SCHEDULES)
def test_schedules_are_refused_by_name(case, tmp_path):
    body, words = SCHEDULES[case]
    net = nn.Dense(2, in_units=3)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    fast = hybridize(lambda x: body(trainer, x))
    fast(_x(2)), fast(_x(2))
    with refusal(CaptureError, rf"E465: .*{words}"):
        fast.save(tmp_path / "f")


def test_a_list_among_the_arguments_is_refused(tmp_path):
    def function(x, log):
        log.append(x.sum())
        return x * 2

    fast = hybridize(function)
    fast(np.ones(2), [])
    with refusal(CaptureError, r"E465: function changes a list or dict argument"):
        fast.save(tmp_path / "f")


def test_attributes_of_layers_that_programs_set_compile_nothing_again():
    """A layer of ours reads no attribute that its class does not mention."""
    net = _net(_child)
    for _ in range(4):
        net(_x(2))
    assert net._function.cache_info().captures == 1
    net.dense._flatten = not net.dense._flatten
    net(_x(2))
    assert net._function.cache_info().captures == 2, "a setting does"


# ---------------------------------------------------------------------------------- attention, as in the book


class DotProductAttention(nn.HybridBlock):
    """Scaled dot products, of which the weights are kept for pictures."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(queries.shape[-1])
        if valid_lens is not None:
            lens = np.repeat(valid_lens, scores.shape[1])
            scores = npx.sequence_mask(scores.reshape(-1, scores.shape[-1]), lens, True, value=-1e6, axis=1).reshape(
                scores.shape
            )
        self.attention_weights = npx.softmax(scores)
        return npx.batch_dot(self.dropout(self.attention_weights), values)


class MultiHeadAttention(nn.HybridBlock):
    """Several of them side by side."""

    def __init__(self, units, heads):
        super().__init__()
        self.heads, self.attention = heads, DotProductAttention(0.1)
        self.parts = nn.HybridSequential()
        self.parts.add(*(nn.Dense(units, use_bias=False, flatten=False) for _ in range(4)))

    def split(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(0, 2, 1, 3)
        return x.reshape(-1, x.shape[2], x.shape[3])

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = (self.split(self.parts[n](x)) for n, x in enumerate((queries, keys, values)))
        lens = None if valid_lens is None else valid_lens.repeat(self.heads, axis=0)
        out = self.attention(q, k, v, lens)
        out = out.reshape(-1, self.heads, out.shape[1], out.shape[2]).transpose(0, 2, 1, 3)
        return self.parts[3](out.reshape(out.shape[0], out.shape[1], -1))


class Encoder(nn.HybridBlock):
    """Blocks whose weights are kept in a list of the encoder."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.HybridSequential()
        self.blocks.add(*(MultiHeadAttention(8, 2) for _ in range(2)))

    def forward(self, x, valid_lens):
        self.attention_weights = [None] * len(self.blocks)
        for k, block in enumerate(self.blocks):
            x = x + block(x, x, x, valid_lens)
            self.attention_weights[k] = block.attention.attention_weights
        return x


@pytest.mark.parametrize("format", ["archive", "library", "wasm", "mxnet"])
def test_attention_that_keeps_its_weights(format, tmp_path):
    net = Encoder()
    net.initialize()
    x, lens = np.array(numpy.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")), np.array([3, 5])
    plain = net(x, lens).asnumpy()
    net.hybridize()
    for _ in range(2):
        numpy.testing.assert_allclose(net(x, lens).asnumpy(), plain, rtol=1e-4, atol=1e-5)
    assert [one.shape for one in net.attention_weights] == 2 * [(4, 5, 5)]
    if format == "mxnet":
        with pytest.warns(UserWarning, match="'attention_weights' of DotProductAttention"):
            symbol_file, params_file = net.export(tmp_path / "net")
        again = gluon.SymbolBlock.imports(symbol_file, ["data0", "data1"], params_file)
        numpy.testing.assert_allclose(again(x, lens).asnumpy(), plain, rtol=1e-4, atol=1e-5)
        return
    written = net.export(tmp_path / "net", format=format)
    assert any("as expected" in line for line in written.checks)
    assert any("'attention_weights' of Encoder" in line for line in written.left_out)
    if format == "archive":
        numpy.testing.assert_allclose(load(tmp_path / "net")(x, lens).asnumpy(), plain, rtol=1e-4, atol=1e-5)
