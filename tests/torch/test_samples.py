"""A module's files hold what PyTorch gives."""

import re
from collections import OrderedDict

import numpy
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import hybridize
from hybridize.base.errors import ArgumentError, StateError


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3)).eval()


def test_samples_are_calls_with_what_pytorch_gives():
    module = net()
    fast = hybridize.hybridize(module)
    x = torch.linspace(-1, 1, 24).reshape(4, 6)
    with torch.no_grad():
        fast(x)
        fast(x[:2])
        expected = module(x).numpy()
    x.zero_()
    signatures = sorted(fast.saved().signatures, key=lambda one: -one.samples[0].inputs[0].shape[0])
    numpy.testing.assert_array_equal(signatures[0].samples[0].outputs[0], expected)
    assert [one.samples[0].inputs[0].shape for one in signatures] == [(4, 6), (2, 6)]


def test_weights_that_changed_since():
    module = net()
    fast = hybridize.hybridize(module)
    x = torch.ones(1, 6)
    with torch.no_grad():
        fast(x)
        module[2].bias.add_(1)
        expected = module(x).numpy()
    numpy.testing.assert_array_equal(fast.saved().signatures[0].samples[0].outputs[0], expected)


def test_frozen_weights_are_those_of_the_export():
    module = net()
    fast = hybridize.hybridize(module, freeze=True)
    x = torch.ones(1, 6)
    with torch.no_grad():
        expected = fast(x).numpy()
        module[2].bias.add_(1)
    numpy.testing.assert_allclose(fast.saved().signatures[0].samples[0].outputs[0], expected, rtol=1e-5)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count.add_(1)
        return x * self.count


def test_buffers_that_are_written():
    module = Counting()
    fast = hybridize.hybridize(module)
    with torch.no_grad():
        fast(torch.ones(3))
    (sample,) = fast.saved().signatures[0].samples
    numpy.testing.assert_array_equal(sample.outputs[0], [2, 2, 2])
    numpy.testing.assert_array_equal(sample.outputs[1], [2])
    assert module.count == 1, "looking changes nothing"


def test_the_user_s_own_samples():
    fast = hybridize.hybridize(net())
    with pytest.raises(StateError, match="E507"):
        fast.saved()
    with torch.no_grad():
        fast(torch.ones(2, 6))
    assert len(fast.saved(samples=[torch.zeros(2, 6)]).signatures[0].samples) == 2
    with pytest.raises(ArgumentError, match=r"E334: sample 0 is \(f32\[5,6\]\), which Sequential has no program for"):
        fast.saved(samples=[torch.zeros(5, 6)])


def test_an_archive_is_checked_and_gives_the_same(tmp_path):
    module = net()
    fast = hybridize.hybridize(module)
    x = torch.linspace(-1, 1, 24).reshape(4, 6)
    with torch.no_grad():
        fast(x)
        expected = module(x).numpy()
    files = fast.export(tmp_path / "net").files
    assert files == (str(tmp_path / "net"),)
    loaded = hybridize.load(files[0])
    numpy.testing.assert_allclose(loaded(hybridize.np.array(x.numpy())).asnumpy(), expected, rtol=1e-5, atol=1e-6)


class Pair:
    def __init__(self, low, high):
        self.low, self.high = low, high


pytree.register_pytree_node(Pair, lambda one: ([one.low, one.high], None), lambda parts, _: Pair(*parts))


class Answer(OrderedDict):
    """A mapping that its user has registered, as transformers registers its own."""


pytree.register_pytree_node(
    Answer, lambda one: (list(one.values()), list(one)), lambda parts, keys: Answer(zip(keys, parts, strict=True))
)


class Answering(nn.Module):
    """Keeps a size for another method, and gives results in classes of its user's, which files do not have."""

    def forward(self, x):
        self.rows = x.shape[0]
        return Answer(found=x * 2, more=(x + self.scale(x), Pair(x - 1, x - 2)), sizes=x.shape)

    def scale(self, x):
        return x.sum() / self.rows


def test_results_of_classes_that_files_do_not_have(tmp_path):
    module = Answering()
    fast = hybridize.hybridize(module)
    with torch.no_grad():
        for rows in (2, 3):
            found = fast(torch.ones(rows, 3))
            assert (type(found), type(found["sizes"])) == (Answer, torch.Size)
        wanted = module(x := torch.rand(5, 3))
    written = fast.export(tmp_path / "answer", format="library")
    assert all("as expected" in line for line in written.checks)
    assert re.search(r"\bfound\b", (tmp_path / "answer.h").read_text())
    fast.save(tmp_path / "saved")
    found = hybridize.load(tmp_path / "saved")(x)
    assert list(found) == ["found", "more", "sizes"]
    torch.testing.assert_close(found["found"], wanted["found"])
    torch.testing.assert_close(found["more"], (wanted["more"][0], (wanted["more"][1].low, wanted["more"][1].high)))
    assert found["sizes"] == (5, 3)


class Remembering(nn.Module):
    def forward(self, x):
        self.last = x * 2
        return x + 1


def test_what_a_call_leaves_for_others_is_no_part_of_a_file(tmp_path):
    fast = hybridize.hybridize(Remembering())
    with torch.no_grad():
        fast(torch.ones(2))
    written = fast.export(tmp_path / "remembering")
    assert re.fullmatch(r"attribute 'last' of Remembering \(test_samples.py:\d+\), .*", written.left_out[0])
    torch.testing.assert_close(hybridize.load(tmp_path / "remembering")(torch.ones(2)), torch.full((2,), 2.0))
