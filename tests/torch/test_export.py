"""ATen programs through the common road equal PyTorch."""

import warnings

import numpy
import pytest
import torch

from hybridize.base.errors import CaptureError
from hybridize.compiler import compile as compile_graph
from hybridize.formats.torch_export import to_graph
from hybridize.ops import evaluate
from hybridize.torch.exported.exporting import export
from tests.refusals import refusal


class Lambda(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


X = torch.linspace(-3, 3, 24).reshape(2, 3, 4)
CASES = {
    "arithmetic": lambda x: (x + 2) * 3 - x / 4 + 1 / (x * x + 1) - (2 - x),
    "alpha": lambda x: torch.add(x, x * 2, alpha=0.5) - torch.sub(x, 1.0, alpha=2),
    "functions": lambda x: torch.exp(x) + torch.tanh(x) + torch.sigmoid(x) + torch.sin(x) * torch.cos(x) + torch.erf(x),
    "roots": lambda x: torch.sqrt(x.abs()) + torch.rsqrt(x.abs() + 1) + torch.log1p(x.abs()) + x.neg().floor(),
    "powers": lambda x: x**2 + x.abs() ** 0.5 + torch.pow(x, 3),
    "comparisons": lambda x: torch.where(x > 0.5, x, -x) + (x <= 1) + (x == x).float(),
    "activations": lambda x: (
        torch.relu(x)
        + torch.nn.functional.gelu(x)
        + torch.nn.functional.gelu(x, approximate="tanh")
        + torch.nn.functional.silu(x)
        + torch.nn.functional.leaky_relu(x, 0.1)
        + torch.nn.functional.elu(x, 1.5)
        + torch.nn.functional.hardtanh(x)
    ),
    "clamp": lambda x: x.clamp(-1, 1) + x.clamp(min=0) + x.clamp(max=0.5),
    "softmax": lambda x: x.softmax(-1) + x.softmax(0) + x.log_softmax(1),
    "reductions": lambda x: x.sum(1, keepdim=True) + x.mean((0, 2), keepdim=True) + x.amax(-1, keepdim=True) + x.sum(),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (4,)) + torch.nn.functional.layer_norm(x, (3, 4)),
    "shapes": lambda x: x.permute(2, 0, 1).reshape(4, 6).t().unsqueeze(0).expand(2, 6, 4).flatten(1).squeeze(),
    "pieces": lambda x: torch.cat([x[:, 1:, ::2], x[:, :2, 1:3]], 1) + x.select(1, 0)[:, None, :2],
    "split": lambda x: x.chunk(2, -1)[0] * x.split([1, 1, 2], -1)[2] + torch.stack(list(x.unbind(-1))[:2], -1),
    "pad": lambda x: torch.nn.functional.pad(x, (1, 2, 0, 1), value=1.5)[:, :, :-1].flip(1),
    "repeat": lambda x: x.repeat(2, 1, 2),
    "matmul": lambda x: x @ x.transpose(1, 2) @ torch.ones(3),
    "creation": lambda x: x * torch.arange(4) + torch.zeros(3, 1) + torch.full((4,), 2.0) + torch.ones_like(x),
    "cumsum": lambda x: x.cumsum(1),
    "integers": lambda x: (x.long() % 3) + (x.long() // 2) + x.long().abs(),
    "several": lambda x: (x + 1, [x * 2, x.argmax(-1)]),
}


@pytest.mark.parametrize("name", CASES)
def test_operators_equal_pytorch(name):
    module = Lambda(CASES[name])
    exported = export(module, (X,), {})
    graph, _ = to_graph(exported.program)
    values = [exported.constants[target].numpy() for target in exported.state] + [X.numpy()]
    wanted = torch.utils._pytree.tree_leaves(module(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = {"numpy": evaluate(graph, values), "llvm": compile_graph(graph).run(values)}
    for backend, found in results.items():
        assert len(found) == len(wanted)
        for got, want in zip(found, wanted, strict=True):
            assert got.dtype == want.numpy().dtype
            numpy.testing.assert_allclose(got, want.numpy(), rtol=2e-5, atol=2e-6, err_msg=backend)


def test_an_operator_that_is_not_there_is_refused_by_name_and_line():
    with pytest.raises(CaptureError, match=r"aten\.\w+.*cannot be compiled") as error:
        to_graph(export(Lambda(lambda x: torch.linalg.svdvals(x)), (X,), {}).program)
    assert "test_export.py" in str(error.value)


def test_control_flow_on_data_is_refused_with_torchs_own_reason():
    with refusal(CaptureError, "Lambda"):
        export(Lambda(lambda x: x if x.sum() > 0 else -x), (X,), {})
