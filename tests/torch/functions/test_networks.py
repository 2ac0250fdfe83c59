"""`torch.nn.functional` inside programs, against PyTorch on its own samples; and torch's own layers, both modes."""

import copy
import warnings
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from hybridize.errors import HybridizeError
from hybridize.torch.traced import CannotCapture
from tests.torch.functions import opinfo

_RANDOM = {
    "nn.functional.fractional_max_pool2d": "where its windows begin is drawn",
    "nn.functional.fractional_max_pool3d": "where its windows begin is drawn",
    "nn.functional.multi_head_attention_forward": "its dropout is drawn",
}
_ROUNDED = {
    "nn.functional.hardsigmoid": "PyTorch's slope of a double is a sixth in single precision",
    "nn.functional.conv_transpose3d": "sums of many products in single precision",
}
_OTHERS = ("matmul", "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "addmm", "addmv", "addr", "addbmm", "baddbmm",
           "einsum", "tensordot", "cdist", "linalg.multi_dot", "linalg.vecdot", "softmax", "log_softmax")  # fmt: skip
FUNCTIONS = [*(name for name in opinfo.INFOS if name.startswith("nn.functional.")), *_OTHERS]
QUICK = ("nn.functional.linear", "nn.functional.conv2d", "nn.functional.max_pool2d", "nn.functional.batch_norm",
         "nn.functional.layer_norm", "nn.functional.gelu", "nn.functional.cross_entropy", "nn.functional.embedding_bag",
         "nn.functional.scaled_dot_product_attention", "nn.functional.pad.replicate_negative", "nn.functional.pad.circular",
         "nn.functional.interpolate.bilinear", "nn.functional.gaussian_nll_loss", "nn.functional.margin_ranking_loss",
         "nn.functional.adaptive_max_pool2d", "nn.functional.pdist", "addmm", "einsum", "tensordot")  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_functions_give_what_torch_gives(name):
    outcome = opinfo.check(name, 2, 5.0, (torch.float64,), again=False)
    assert outcome.right and not outcome.wrong, outcome


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_torch_gives_for_all_samples(name):
    outcome = opinfo.check(name, 12, 60.0)
    wrong = [] if name in _ROUNDED or name in _RANDOM else outcome.wrong
    assert not wrong, outcome


def _cases(info: Any, training: bool) -> list[Any]:
    try:
        found = info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True, training=training)
    except Exception:  # torch's own samples may need what is not installed
        return []
    return [one for one in found if one.forward_input is not None]


def _parts(arguments: Any, module: torch.nn.Module) -> list[torch.Tensor]:
    found = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor)]
    return [*found, *module.parameters()]


def _copied(leaf: Any) -> Any:
    return leaf.detach().clone().requires_grad_(leaf.requires_grad) if isinstance(leaf, torch.Tensor) else leaf


def _is_random(module: torch.nn.Module) -> bool:
    drops = any(getattr(part, "p", getattr(part, "dropout", 0)) for part in module.modules() if part.training)
    return drops or type(module).__name__.startswith("Fractional") or isinstance(module, torch.nn.RReLU)


def check_layer(info: Any, training: bool, most: int) -> tuple[int, list[str], list[str]]:
    """Return how many samples of a layer are right, and what is refused and wrong: values, gradients, buffers."""
    right, refused, wrong = 0, [], []
    for case in opinfo.spread(_cases(info, training), most):
        torch.manual_seed(1)
        given = case.constructor_input
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = info.module_cls(*given.args, **given.kwargs).double().train(training)
            twin = copy.deepcopy(module)
            arguments = case.forward_input.args, case.forward_input.kwargs
            ours, theirs = pytree.tree_map(_copied, arguments), pytree.tree_map(_copied, arguments)
            try:
                torch.manual_seed(2)
                expected = twin(*theirs[0], **theirs[1])
            except Exception:  # not for these arguments
                continue
            try:
                torch.manual_seed(2)
                result = opinfo.door(module).call(*ours)
                told = opinfo._apart(
                    result, expected, _parts(ours, module), _parts(theirs, twin), not _is_random(module)
                )
            except CannotCapture as error:
                cause = error.__cause__
                (refused if isinstance(cause, HybridizeError) else wrong).append(f"{case.desc}: {cause}")
                continue
        for (name, one), (_, other) in zip(module.named_buffers(), twin.named_buffers(), strict=True):
            told = told or (f"{name}: {text}" if (text := opinfo.differs(one, other)) else "")
        if told:
            wrong.append(f"{case.desc}: {told}")
        right += not told
    return right, refused, wrong


LAYERS = {info.module_cls.__name__: info for info in opinfo.module_db}


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize(
    "name", ["BatchNorm1d", "InstanceNorm1d", "LSTM", "GRUCell", "MultiheadAttention", "TransformerEncoder"]
)
def test_layers_of_torch_give_what_torch_gives(name, training):
    right, refused, wrong = check_layer(LAYERS[name], training, 2)
    assert right and not refused and not wrong, (refused, wrong)


@pytest.mark.long
@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_torch_give_what_torch_gives_for_all_samples(name, training):
    _, _, wrong = check_layer(LAYERS[name], training, 100)
    assert not wrong, wrong


def test_batch_norm_without_momentum_keeps_means_of_all_batches():
    module = torch.nn.BatchNorm1d(3, momentum=None)
    twin, fast = copy.deepcopy(module), opinfo.door(module)
    for count in (4, 4, 6):
        x = torch.randn(count, 3)
        torch.testing.assert_close(fast.call((x,), {}), twin(x))
    torch.testing.assert_close(dict(module.named_buffers()), dict(twin.named_buffers()))


def test_variances_below_0_are_refused_when_the_program_runs():
    fast = opinfo.door(torch.nn.GaussianNLLLoss())
    x = torch.randn(3)
    fast.call((x, x, torch.ones(3)), {})
    with pytest.raises(ValueError, match="var has negative"):
        fast.call((x, x, -torch.ones(3)), {})


def test_lazy_modules_without_sizes_say_what_to_do():
    with pytest.raises(CannotCapture) as error:
        opinfo.door(torch.nn.LazyLinear(3)).call((torch.randn(2, 4),), {})
    assert "call the module once" in str(error.value.__cause__)


def test_tables_with_a_largest_norm_are_written_where_no_gradients_are_recorded():
    weight = torch.randn(5, 3) * 3
    twin, numbers = weight.clone(), torch.tensor([1, 3])

    class Module(torch.nn.Module):
        def forward(self, numbers: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.embedding(numbers, weight, max_norm=1.0)

    with torch.no_grad():
        torch.testing.assert_close(opinfo.door(Module()).call((numbers, weight), {}), Module()(numbers, twin))
    torch.testing.assert_close(weight, twin)
    with pytest.raises(CannotCapture):
        opinfo.door(Module()).call((numbers, weight), {})
