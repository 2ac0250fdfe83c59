"""What PyTorch refuses of arguments that do not fit, a program refuses by the same class and in the same words.

The calls are PyTorch's own samples of errors. Where eager PyTorch sees an argument that no program has (a tensor of
another device), or a refusal of ours comes first, nothing is compared.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.utils import _pytree as pytree  # noqa: E402

from hybridize.errors import CaptureError  # noqa: E402
from hybridize.torch.traced import CannotCapture  # noqa: E402
from tests.torch.functions.door import door  # noqa: E402
from tests.torch.functions.opinfo import INFOS  # noqa: E402

NAMES = sorted(name for name, info in INFOS.items() if info.error_inputs_func is not None)
QUICK = random.Random(0).sample(NAMES, 12)
TAKEN = {
    "cov": "weights that are negative or no integers",
    "diff": "an order below 0",
    "isclose": "tolerances below 0",
    "masked_fill": "a float for integers is cut off",
    "aminmax": "out= of another dtype; and tensors of 65 axes are none of NumPy's",
    "amax": "tensors of 65 axes are none of NumPy's",
    "amin": "tensors of 65 axes are none of NumPy's",
    "gather": "out= of another dtype",
    "multinomial": "out= of another dtype",
    "__rdiv__": "two numbers, which no tensor is among",
    **dict.fromkeys(("scatter", "scatter_add"), "which index is out of range, only the call knows"),
    "linalg.cross": "sizes that are broadcast",
    "item": "a refusal of arrays comes first",
}
"""Functions that take what PyTorch does not, or say it otherwise, and why."""


class Call(torch.nn.Module):
    def __init__(self, function: Any, leaves: list[Any], spec: Any) -> None:
        super().__init__()
        self.function, self.leaves, self.spec = function, leaves, spec

    def forward(self, tensors: list[Any]) -> Any:
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return self.function(*args, **kwargs)


def outcome(call: Any, tensors: list[Any]) -> Exception | None:
    """Return what a call raises."""
    try:
        call([tensor.clone() for tensor in tensors])
    except CannotCapture as error:
        cause = error.__cause__
        assert isinstance(cause, Exception)
        return cause
    except Exception as error:
        return error
    return None


def apart(name: str) -> list[str]:
    """Tell what a program says otherwise than PyTorch of the samples of errors of a function."""
    wrong = []
    info = INFOS[name]
    for case in info.error_inputs("cpu"):
        sample = case.sample_input
        leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), dict(sample.kwargs)))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if not tensors or any(tensor.is_meta for tensor in tensors):
            continue
        module = Call(info.op, leaves, spec)
        theirs = outcome(module, tensors)
        ours = outcome(lambda given, module=module: door(module).call((given,), {}), tensors)
        if theirs is None or isinstance(ours, CaptureError):
            continue
        if type(ours) is not type(theirs) or str(ours).split("\n")[0][:40] != str(theirs).split("\n")[0][:40]:
            wrong.append(f"{ours!r} for {theirs!r}")
    return wrong


def check(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = apart(name)
    assert not wrong or name in TAKEN, "\n".join(wrong)


@pytest.mark.parametrize("name", QUICK)
def test_words_are_those_of_pytorch(name: str) -> None:
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_words_of_all_functions_are_those_of_pytorch(name: str) -> None:
    check(name)
    assert name not in TAKEN or apart(name), "a difference that is none any more"
