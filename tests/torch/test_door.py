"""A torch module through the verb: results, weights wherever they are changed, gradients, refusals."""

import pytest
import torch
from torch import nn

from hybridize import hybridize, load
from hybridize.base.errors import StateError
from tests.refusals import refusal


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5), nn.LayerNorm(5), nn.GELU(), nn.Flatten(), nn.Linear(5, 3), nn.Softmax(-1))


@pytest.fixture
def x():
    return torch.linspace(-1, 1, 24).reshape(4, 6)


def test_layers_equal_pytorch_at_every_size(x):
    module = net()
    fast = hybridize(module)
    with torch.no_grad():
        for rows in (4, 1, 3, 4):
            torch.testing.assert_close(fast(x[:rows]), module(x[:rows]), rtol=1e-5, atol=1e-6)
    assert fast.cache_info()["programs"] == 3


def test_inputs_and_results_share_no_memory_and_inputs_are_not_copied(x):
    fast = hybridize(net())
    with torch.no_grad():
        before = x.clone()
        first, second = fast(x), fast(x)
    assert torch.equal(x, before)
    assert first.data_ptr() != second.data_ptr()


def test_strided_inputs(x):
    module = net()
    with torch.no_grad():
        for view in (x.t().contiguous().t(), x[::2], x.flip(0)):
            torch.testing.assert_close(hybridize(module)(view), module(view), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m[0].weight.data.mul_(2),
        lambda m: m[0].weight.detach().numpy().fill(0.1),
        lambda m: setattr(m[0].weight, "data", torch.full((5, 6), 0.3)),
        lambda m: setattr(m[0], "weight", nn.Parameter(torch.full((5, 6), 0.2))),
        lambda m: m.load_state_dict({key: value * 1.5 for key, value in m.state_dict().items()}),
    ],
)
def test_a_changed_weight_is_seen_however_it_was_changed(change, x):
    module = net()
    fast = hybridize(module)
    with torch.no_grad():
        before = fast(x)
        change(module)
        after = fast(x)
        torch.testing.assert_close(after, module(x), rtol=1e-5, atol=1e-6)
    assert not torch.equal(before, after)


def test_frozen_weights_are_the_users_word(x):
    module = net()
    fast = hybridize(module, freeze=True)
    with torch.no_grad():
        before = fast(x)
        module[0].weight.zero_()
        assert torch.equal(fast(x), before)


def test_gradients_are_pytorchs(x):
    module, twin = net(), net()
    x.requires_grad_()
    fast = hybridize(module)
    (fast(x) ** 2).sum().backward()
    got = x.grad.clone()
    x.grad = None
    (twin(x) ** 2).sum().backward()
    torch.testing.assert_close(got, x.grad)
    for ours, theirs in zip(module.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_structures_in_and_out(x):
    class Pair(nn.Module):
        def forward(self, pair, scale=2.0, *, name=None):
            a, b = pair
            return {"sum": a + b, "rest": [a * scale, (b - a).argmax(-1)]}

    module = Pair()
    fast = hybridize(module)
    for scale in (2.0, 3.0):
        got, want = fast((x, x * 2), scale=scale), module((x, x * 2), scale=scale)
        torch.testing.assert_close(got, want)


def test_buffers_that_the_module_writes_are_written(x):
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(6))

        def forward(self, x):
            self.total += x.sum(0)
            return x + self.total

    module, twin = Counter(), Counter()
    fast = hybridize(module)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(fast(x), twin(x))
    torch.testing.assert_close(module.total, twin.total)


def test_save_and_load(x, tmp_path):
    module = net()
    fast = hybridize(module)
    with pytest.raises(StateError, match="call the module once"):
        fast.save(tmp_path / "net")
    with torch.no_grad():
        want = fast(x)
        fast(x[:1])
    fast.save(tmp_path / "net")
    again = load(tmp_path / "net")
    torch.testing.assert_close(torch.from_numpy(again(x.numpy()).asnumpy()), want)
    assert again(x[:1].numpy()).shape == (1, 3)


NAMED = [
    lambda x: torch.topk(x, 2), lambda x: (torch.sort(x), x.shape), lambda x: {"a": torch.max(x, 1)}, torch.linalg.qr,
    lambda x: [torch.linalg.slogdet(x.T @ x), torch.aminmax(x)],
]  # fmt: skip


@pytest.mark.parametrize("function", NAMED)
def test_files_have_tuples_for_results_with_names(function, tmp_path):
    class Named(nn.Module):
        def forward(self, x):
            return function(x)

    x = torch.tensor([[2.0, 1.0], [0.5, 3.0], [1.0, -1.0]])
    fast = hybridize(Named())
    with torch.no_grad():
        want = fast(x)
    fast.save(tmp_path / "named")
    got = load(tmp_path / "named")(x)
    flat = torch.utils._pytree.tree_leaves
    assert type(want) is type(function(x))
    torch.testing.assert_close(flat(got), flat(torch.utils._pytree.tree_map(lambda one: one, want)))


def test_the_numpy_backend_and_verification(x):
    module = net()
    with torch.no_grad():
        want = module(x)
        torch.testing.assert_close(hybridize(module, backend="numpy")(x), want, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(hybridize(module, verify="outputs")(x), want, rtol=1e-5, atol=1e-6)
    assert hybridize(module, backend="numpy").program(x).backend == "numpy"


def test_what_cannot_be_taken_is_refused(x):
    module = net()
    with refusal(TypeError, "speed"):
        hybridize(module, speed=9)
    fast = hybridize(module)
    for wrong in (object(), x[:, :4], x.long()):
        with pytest.raises((TypeError, RuntimeError)) as theirs:
            module(wrong)
        with pytest.raises(type(theirs.value)) as ours:
            fast(wrong)
        assert str(ours.value) == str(theirs.value)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(hybridize(nn.Sequential(nn.Dropout(0.5)).eval())(x), x)


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: nn.functional.embedding(i, x),
        lambda x, i: x[i],
        lambda x, i: x.gather(0, i[:, None]),
        lambda x, i: nn.functional.cross_entropy(x, i),
        lambda x, i: x.index_select(1, i),
        lambda x, i: x.scatter(1, i[:, None], 0.0),
        lambda x, i: torch.index_put(x, (i,), x[:4]),
    ],
)
def test_an_index_out_of_range_is_an_error(function, gradients):
    class Lambda(nn.Module):
        def forward(self, x, i):
            return function(x, i)

    fast = hybridize(Lambda())
    x = torch.rand(4, 4, requires_grad=gradients)
    good, bad = torch.tensor([0, 3, 1, 2]), torch.tensor([0, 4, 1, 2])
    torch.testing.assert_close(fast(x, good), function(x, good))
    with pytest.raises((IndexError, RuntimeError), match=r"(?i)out of|bounds") as theirs:
        function(x, bad)
    for _ in range(3):
        with pytest.raises(theirs.type, match=r"index is out of (range|bounds)"):
            fast(x, bad)
    torch.testing.assert_close(fast(x, good), function(x, good))


BROADCAST = {
    "expand": lambda x: (x.expand(3, 4),),
    "expand, then computed": lambda x: (x[:, None].expand(4, 2) * 1,),
    "expand, then copied": lambda x: (x.expand(3, 4).clone(),),
    "meshgrid": lambda x: torch.meshgrid(x, x, indexing="ij"),
}


@pytest.mark.parametrize("what", BROADCAST)
def test_results_that_are_broadcast_are_tensors_as_others(what, recwarn):
    class Lambda(nn.Module):
        def forward(self, x):
            return BROADCAST[what](x)

    given, wanted = torch.arange(4.0), torch.arange(4.0)
    with torch.no_grad():
        found = hybridize(Lambda())(given)
    expected = Lambda()(wanted)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.stride() == theirs.stride()
        for tensor in (ours, theirs):  # what is a view of the argument, or of another result, is so in both
            tensor[tuple(slice(1) if not step else slice(None) for step in tensor.stride())].add_(1)
    torch.testing.assert_close(list(found), list(expected))
    torch.testing.assert_close(given, wanted)
    assert not [one for one in recwarn if "writable" in str(one.message)]
