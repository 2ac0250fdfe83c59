"""Whole modules where a part of the input does not count: padding, masks, labels that end; PyTorch's gradients."""

import copy
import pickle
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune

from hybridize import hybridize, load
from hybridize.base.errors import CaptureError


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def same(module, *args):
    """Values and gradients, of the arguments and of the parameters, are PyTorch's."""
    both = []
    for run in (module, hybridize(module)):
        given = [x.detach().clone().requires_grad_(x.requires_grad) for x in args]
        module.zero_grad()
        y = run(*given)
        (y * torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)).sum().backward()
        tensors = [x for x in given if x.requires_grad] + list(module.parameters())
        both.append([y.detach(), *(torch.zeros_like(x) if x.grad is None else x.grad.clone() for x in tensors)])
    for theirs, ours in zip(*both, strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("padding", [None, 0, 3, -1])
def test_the_row_for_padding_has_no_gradient(padding):
    torch.manual_seed(0)
    module = nn.Embedding(5, 2, padding_idx=padding)
    same(module, torch.tensor([[0, 3, 4], [3, 0, 1]]))
    if padding == 3:
        same(module, torch.tensor(3))


def test_an_embedding_by_frequency_is_refused():
    with pytest.raises(CaptureError, match="E422: scale_grad_by_freq=True") as caught:
        hybridize(nn.Embedding(5, 2, scale_grad_by_freq=True))(torch.tensor([1]))
    assert "use scale_grad_by_freq=False" in str(caught.value)


ROWS = [[True, True, True], [False] * 3, [True, False, True]]


@pytest.mark.parametrize("mask", ["bool", "float", "trained"])
def test_rows_that_are_wholly_masked(mask):
    torch.manual_seed(0)
    allowed = torch.tensor(ROWS)
    q, k, v = (torch.randn(2, 2, 3, 4, requires_grad=True) for _ in range(3))
    bias = torch.zeros(3, 3).masked_fill(~allowed, -float("inf")).requires_grad_(mask == "trained")
    same(Function(F.scaled_dot_product_attention), q, k, v, allowed if mask == "bool" else bias)


def test_attention_of_a_module_with_a_sequence_that_is_all_padding():
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 3, 8, requires_grad=True)
    padding = torch.tensor([[False, False, True], [True, True, True]])

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = attention

        def forward(self, x, padding):
            return self.attention(x, x, x, key_padding_mask=padding, need_weights=False)[0]

    same(Attention(), x, padding)


LABELS = torch.tensor([[3, 0, -1, 1], [3, 0, -1, -1], [3, 0, 1, 2], [-1, 0, -1, 1], [2, 2, -1, 0], [1, -1, 3, 3]])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_labels_end_at_the_first_negative_one(reduction):
    x = torch.linspace(-0.7, 1.9, LABELS.numel()).reshape(LABELS.shape).requires_grad_()
    same(nn.MultiLabelMarginLoss(reduction=reduction), x, LABELS)


def test_labels_of_one_sample():
    x = torch.tensor([0.1, 0.2, 0.4, 0.8], requires_grad=True)
    same(nn.MultiLabelMarginLoss(), x, LABELS[0])
    same(nn.MultiLabelMarginLoss(reduction="none"), x, LABELS[0])


DEVIATIONS = {
    "std": lambda x: x.std(1), "std_all": lambda x: x.std(), "std_biased": lambda x: x.std(1, unbiased=False),
    "std_mean": lambda x: torch.cat(torch.std_mean(x, 1)), "std_keepdim": lambda x: x.std((0, 1), keepdim=True),
    "var_biased": lambda x: x.var(0, unbiased=False), "var_mean": lambda x: torch.cat(torch.var_mean(x, 1, unbiased=False)),
    "var_all": lambda x: x.var(unbiased=False), "std_correction": lambda x: torch.std(x, 1, correction=2),
}  # fmt: skip


def _joined(functions):
    """The results of all functions as one vector, each of a row of its own."""

    def function(x):
        return torch.cat([one(row).flatten() for one, row in zip(functions, x, strict=True)])

    return Function(function)


def test_deviations_of_equal_elements():
    x = torch.tensor([[[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]]] * len(DEVIATIONS))
    x[1] = x[3] = 1.0
    same(_joined(DEVIATIONS.values()), x.requires_grad_())


def test_every_norm_has_a_gradient():
    x = torch.tensor([[[0.5, -2.0, 0.0], [1.0, 3.0, -4.0]]] * 6, requires_grad=True)
    orders = (0, 1, 2, 3, float("inf"), -float("inf"))
    same(_joined([partial(torch.linalg.vector_norm, ord=order, dim=1) for order in orders]), x)
    same(Function(lambda x: torch.linalg.vector_norm(x, 0, dim=1)), x)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x):
        return {"y": self.linear(x), "nothing": None, "rest": (x.shape[0], 2.5, "word", [True, x * 2])}


@pytest.mark.parametrize("trained", [False, True])
def test_results_that_are_no_tensors(trained):
    module = Mixed().requires_grad_(trained)
    fast = hybridize(module)
    for rows in (2, 4, 7, 4):
        x = torch.ones(rows, 3)
        got, want = fast(x), module(x)
        torch.testing.assert_close(got["y"], want["y"])
        assert got["nothing"] is None
        assert got["rest"][:3] == want["rest"][:3]
        assert got["rest"][3][0] is True
        torch.testing.assert_close(got["rest"][3][1], x * 2)


def test_attention_without_weights(tmp_path):
    torch.manual_seed(0)
    module = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    fast = hybridize(module)
    x = torch.randn(2, 3, 8)
    with torch.no_grad():
        got = fast(x, x, x, need_weights=False)
        torch.testing.assert_close(got[0], module(x, x, x, need_weights=False)[0])
    assert got[1] is None
    assert len(fast.saved().signatures) == 1


def test_copies_have_weights_of_their_own():
    fast, x = hybridize(nn.Linear(4, 1), threads=1), torch.ones(3, 4)
    y = fast(x)
    for other in (copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        assert other.cache_info()["programs"] == 0
        assert other.options == fast.options
        torch.testing.assert_close(other(x), y)
        with torch.no_grad():
            other.module.bias.add_(1)
        torch.testing.assert_close(other(x), y + 1)
        torch.testing.assert_close(fast(x), y)
    assert copy.copy(fast).module is fast.module


def test_transforms_are_refused():
    fast, x = hybridize(nn.Linear(4, 1)), torch.ones(3, 4)
    fast(x)
    for transform in (torch.vmap(fast), torch.func.grad(lambda x: fast(x).sum())):
        with pytest.raises(CaptureError, match=r"E458: Linear is called within a transform of torch\.func"):
            transform(x)


def test_rows_that_are_scaled_where_gradients_are_recorded_are_refused():
    with pytest.raises(CaptureError, match="E422: an Embedding with max_norm") as caught:
        hybridize(nn.Embedding(5, 2, max_norm=1.0))(torch.tensor([1]))
    assert "torch.no_grad()" in caught.value.help


class Writes(nn.Module):
    """Writes its parameter, with a gradient or without."""

    def __init__(self, silent):
        super().__init__()
        self.weight, self.silent = nn.Parameter(torch.ones(3)), silent

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.silent):
            self.weight.mul_(2)
        return x * self.weight


def test_a_module_that_writes_its_parameter():
    x = torch.arange(3.0)
    module, twin = Writes(True), Writes(True)
    fast = hybridize(module)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(fast(x), twin(x))
    assert torch.equal(module.weight, twin.weight)
    for _ in range(2):
        found, wanted = fast(x), twin(x)
        torch.testing.assert_close(found, wanted)
        found.sum().backward()
        wanted.sum().backward()
        torch.testing.assert_close(module.weight.grad, twin.weight.grad)
    assert torch.equal(module.weight, twin.weight)
    with pytest.raises(RuntimeError) as theirs:
        Writes(False)(x)
    module = Writes(False)
    with pytest.raises(RuntimeError) as ours:
        hybridize(module)(x)
    assert "leaf" in str(theirs.value) and "leaf" in str(ours.value)
    assert torch.equal(module.weight, torch.ones(3))


class Mistaken(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x, y):
        self.count += 1
        match self.kind:
            case "attribute":
                return x.int_typo(3)
            case "keyword":
                return x.sort(0, True, descending=True, stable=True)
            case "shape":
                return x @ y.T @ y.T
            case "raised":
                raise ValueError("the user's own")


@pytest.mark.parametrize("kind", ["attribute", "keyword", "shape", "raised"])
def test_a_mistake_in_forward_is_the_error_that_pytorch_raises(kind):
    module, args = Mistaken(kind), (torch.ones(2, 3), torch.ones(2, 3))
    with pytest.raises((AttributeError, TypeError, RuntimeError, ValueError)) as theirs:
        module(*args)
    count, state = module.count.clone(), torch.random.get_rng_state()
    line = f"{__file__}:{theirs.traceback[-1].lineno + 1} in forward"
    fast = hybridize(module)
    for gradients in (True, False, True):
        with torch.set_grad_enabled(gradients), pytest.raises(type(theirs.value)) as ours:
            fast(*args)
        assert type(ours.value) is type(theirs.value)
        assert str(ours.value) == str(theirs.value)
        assert line in "".join(ours.value.__notes__)
        assert ours.traceback[-1].frame.code.path == theirs.traceback[-1].frame.code.path, "no frame of ours"
        count += 1  # what forward did before is done, as in PyTorch
        assert module.count == count
    assert torch.equal(state, torch.random.get_rng_state())


def test_what_torch_exports_not_is_compiled():
    def branches(x):
        return x if x.sum() > 0 else -x

    fast = hybridize(Function(branches))
    for x in (torch.ones(3), -torch.ones(3), torch.zeros(3)):
        assert torch.equal(fast(x), branches(x))
    assert fast.cache_info()["programs"] == 1
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).eval()
    mask, x = nn.Transformer.generate_square_subsequent_mask(4), torch.randn(2, 4, 8)
    fast = hybridize(encoder)
    torch.testing.assert_close(fast(x, mask), encoder(x, mask))
    other = mask.clone()
    other[3, 0] = -float("inf")
    torch.testing.assert_close(fast(x, other), encoder(x, other))  # by the mask that is given, causal or not


def test_what_no_program_computes_is_refused_at_its_line():
    def loss(x):
        return F.one_hot(x)

    with pytest.raises(CaptureError, match=r"E422: .*one_hot") as caught:
        hybridize(Function(loss))(torch.tensor([1, 2]))
    assert caught.value.loc.line == loss.__code__.co_firstlineno + 1


def test_the_default_dtype_is_that_of_the_call():
    class Table(nn.Module):
        def forward(self, x):
            return x + torch.linspace(0, 1, 4), torch.zeros(2), x.long() / 2

    fast, module, x = hybridize(Table()), Table(), torch.ones(4)
    try:
        for dtype in (torch.float32, torch.float64, torch.float32):
            torch.set_default_dtype(dtype)
            for ours, theirs in zip(fast(x), module(x), strict=True):
                assert ours.dtype == theirs.dtype
                torch.testing.assert_close(ours, theirs)
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_function_of_tensors_tells_its_programs_and_can_be_saved(tmp_path):
    net, x = nn.Linear(3, 2), torch.randn(4, 3)

    @hybridize
    def score(x, limit):
        y = net(x)
        if y.abs().max() > limit:
            y = y / y.abs().max()
        return {"score": y}

    with torch.no_grad():
        wanted = score(x, 0.1)["score"]
    (program,) = score.programs()
    assert score.cache_info().programs == 1 and score.program(x, 0.1) is program
    score.save(tmp_path / "score", samples=[(x, 0.1)])
    assert torch.equal(load(tmp_path / "score")(x, 0.1)["score"], wanted)
    score.forget(program)
    assert not score.programs()
    score.program(x, 0.1)
    score.cache_clear()
    assert not score.programs()


@pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning")
@pytest.mark.parametrize("changed", [
    lambda layer: prune.l1_unstructured(layer, "weight", 0.5),
    lambda layer: prune.l1_unstructured(prune.random_unstructured(layer, "weight", 0.3), "bias", 0.5),
    nn.utils.weight_norm,
    nn.utils.spectral_norm,
])  # fmt: skip
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_what_hooks_of_torch_set_is_what_a_call_computed(changed, inside, training):
    x, pairs = torch.linspace(-1, 2, 3), []
    for _ in range(2):
        torch.manual_seed(0)
        layer = changed(nn.Linear(3, 3)).train(training)
        module = Function(lambda x, layer=layer: layer(layer(x)) * layer.weight.sum()) if inside else layer
        pairs.append((layer, module))
    (theirs, module), (ours, other) = pairs
    fast = hybridize(other)
    for grad in (True, False, True, True):
        with torch.set_grad_enabled(grad):
            torch.testing.assert_close(fast(x), module(x))
            assert type(ours.weight) is torch.Tensor and ours.weight.requires_grad is theirs.weight.requires_grad
            torch.testing.assert_close(ours.weight, theirs.weight)
            with torch.no_grad():
                next(iter(ours.parameters())).mul_(2)
                next(iter(theirs.parameters())).mul_(2)
    module(x).sum().backward()
    fast(x).sum().backward()
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad)
    if hasattr(ours, "weight_mask"):
        prune.l1_unstructured(ours, "weight", 0.5)
        prune.l1_unstructured(theirs, "weight", 0.5)
        torch.testing.assert_close(fast(x), module(x))
        prune.remove(ours, "weight")
        prune.remove(theirs, "weight")
        torch.testing.assert_close(fast(x), module(x))


def test_what_a_hook_of_torch_sets_is_put_back_where_the_capture_is_refused():
    layer = prune.l1_unstructured(nn.Linear(3, 3), "weight", 0.5)
    before = layer.weight

    embedding = nn.Embedding(5, 2, scale_grad_by_freq=True)

    with pytest.raises(CaptureError, match="E422: scale_grad_by_freq=True"):
        hybridize(lambda x: (layer(x), embedding(torch.tensor([1]))))(torch.ones(3))
    assert layer.weight is before


@pytest.mark.parametrize("momentum", [None, 0.1])
def test_a_batch_norm_that_tracks_no_more(momentum):
    modules = [nn.BatchNorm1d(3, momentum=momentum) for _ in range(2)]
    x = torch.randn(4, 3)
    for run, norm in zip((hybridize(modules[0]), modules[1]), modules, strict=True):
        norm.track_running_stats = False
        run(x)
        assert norm.num_batches_tracked == 0
        norm.track_running_stats = True
        run(x)
        assert norm.num_batches_tracked == 1
    torch.testing.assert_close(modules[0].running_mean, modules[1].running_mean)


@pytest.mark.parametrize(("ask", "changing"), [
    (torch.is_inference_mode_enabled, torch.inference_mode),
    (torch.is_anomaly_enabled, torch.autograd.detect_anomaly),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_a_setting_of_torch_is_the_one_of_the_call(ask, changing):
    fast, x = hybridize(lambda x: (x + 1, ask())), torch.ones(2)
    for _ in range(2):
        for manager, expected in ((changing, True), (torch.no_grad, False)):
            for _ in range(3):
                with torch.no_grad(), manager():
                    assert fast(x)[1] is expected
    assert fast(x)[1] is False


def test_tensors_of_inference_mode_outside_of_it():
    with torch.inference_mode():
        x, layer, idle = torch.ones(2), nn.Linear(2, 2), nn.Linear(2, 2).requires_grad_(False)
    plain = torch.linspace(0, 1, 2)
    for function in (lambda x: x * 2, lambda x: x.sum() + 1):
        fast = hybridize(function)
        for _ in range(3):
            torch.testing.assert_close(fast(x), function(x))
    for module, given in ((layer, plain), (idle, x), (idle, plain)):
        fast = hybridize(module)
        for _ in range(3):
            torch.testing.assert_close(fast(given), module(given))
    trained = nn.Linear(2, 2)
    for run in (trained, hybridize(trained)):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            run(x)


def _halved(module, *args):
    return args[-1] * 0.5 if isinstance(module, (nn.Linear, nn.Sequential)) else None


def _moved(module, args):
    return (args[0] + 0.25, *args[1:]) if isinstance(module, nn.Linear) else None


_REGISTER = torch.nn.modules.module
GLOBAL_HOOKS = {
    "before": (_REGISTER.register_module_forward_pre_hook, _moved),
    "after": (_REGISTER.register_module_forward_hook, _halved),
    "after, with keywords": (lambda hook: _REGISTER.register_module_forward_hook(hook, with_kwargs=True), _halved),
    "back": (_REGISTER.register_module_full_backward_hook, lambda module, inputs, outputs: None),
    "before back": (_REGISTER.register_module_full_backward_pre_hook, lambda module, outputs: None),
}


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("name", GLOBAL_HOOKS)
def test_hooks_of_all_modules(name, recording):
    register, hook = GLOBAL_HOOKS[name]
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)  # whose parts torch's own code calls
    module = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Tanh()), layer, nn.Linear(4, 3))
    fast, x = hybridize(module), torch.linspace(-1, 1, 40).reshape(2, 5, 4)
    with torch.set_grad_enabled(recording):
        for present in (False, True, False, True):
            handle = register(hook) if present else None
            try:
                for _ in range(3):
                    if present and "back" in name:
                        with pytest.raises(
                            CaptureError,
                            match="all modules have hooks of the backward pass cannot be compiled",
                        ):
                            fast(x)
                    else:
                        torch.testing.assert_close(fast(x), module(x))
            finally:
                if handle is not None:
                    handle.remove()
