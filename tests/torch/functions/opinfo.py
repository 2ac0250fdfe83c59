"""PyTorch's own samples of its functions, run eagerly and through a hybridized module.

`check("add")` runs the samples of one `OpInfo`: function, method and in-place variant; float32, float64 with gradients,
int64 and bool where it takes them; and each program once more with another first size. Each run is right, refused
(the capture tells why) or wrong. As a program, a table of all names that were given:

    python -m tests.torch.functions.opinfo add mul 'nn.functional.*' [--samples 5] [--seconds 20] [-v]
"""

import argparse
import dataclasses
import fnmatch
import inspect
import itertools
import sys
import time
import types
import unittest
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import torch
from torch.utils import _pytree as pytree

from hybridize import ops
from hybridize.errors import HybridizeError
from hybridize.torch import draws
from hybridize.torch.traced import CannotCapture
from tests.torch.functions.door import door

try:
    import expecttest as _  # noqa: F401
except ImportError:  # torch's samples are beside its tests, which have a class of this one that samples do not use
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = unittest.TestCase  # type: ignore[attr-defined]

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db as module_db

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool)
TOLERANCES = {
    torch.float32: (1e-4, 1e-5),
    torch.float64: (1e-8, 1e-9),
    torch.float16: (1e-2, 1e-2),
    torch.bfloat16: (1e-2, 1e-2),
}
RANDOM = {
    "rand_like", "randn_like", "randint_like", "randint", "randn", "bernoulli", "normal", "multinomial", "uniform",
    "exponential", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "cauchy",
    "geometric", "log_normal", "normal.in_place", "normal.number_mean", "nn.functional.dropout", "nn.functional.dropout2d",
    "nn.functional.dropout3d", "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout.with_train",
    "nn.functional.rrelu", "rand", "randperm", "resize_", "resize_as_",
}  # fmt: skip
"""Those whose values nobody promises: sizes and dtypes are compared."""


def full_name(info: Any) -> str:
    """Return the name of an `OpInfo`, with that of its variant."""
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else str(info.name)


INFOS = {full_name(info): info for info in op_db}


class Slot:
    """The place of a tensor among arguments."""

    def __init__(self, number: int) -> None:
        self.number = number


class Called(torch.nn.Module):
    """A module that calls a function of torch on its arguments, and on those that are always the same."""

    def __init__(self, function: Any, arguments: Any, in_place: bool = False) -> None:
        super().__init__()
        self.function, self.in_place = function, in_place
        leaves, self.structure = pytree.tree_flatten(arguments)
        self.tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        numbers = itertools.count()
        self.leaves = [Slot(next(numbers)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def forward(self, *tensors):  # type: ignore[no-untyped-def]
        leaves = [tensors[leaf.number] if isinstance(leaf, Slot) else leaf for leaf in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.structure)
        if self.in_place:
            changed = args[0].clone()
            return self.function(changed, *args[1:], **kwargs), changed
        return self.function(*args, **kwargs)


@dataclasses.dataclass
class Outcome:
    """What came of the samples of a function."""

    name: str
    right: int = 0
    refused: dict[str, int] = dataclasses.field(default_factory=dict)
    """Reasons, and how often each was given."""
    wrong: list[str] = dataclasses.field(default_factory=list)
    """What differs, for each run."""

    def __str__(self) -> str:
        text = f"{self.name:42} right {self.right:4}  refused {sum(self.refused.values()):4}  wrong {len(self.wrong):4}"
        reasons = [f"\n      refused {count}: {reason}" for reason, count in self.refused.items()]
        return (
            text + "".join(reasons) + "".join(f"\n      WRONG {what}" for what in list(dict.fromkeys(self.wrong))[:6])
        )


class _Keys:
    """Keys of draws, constant: for captures that have none of their own."""

    def __init__(self) -> None:
        self.count = 0

    def key(self) -> Any:
        self.count += 1
        return ops.constant(numpy.array([7, self.count], dtype=numpy.uint64))


@contextmanager
def drawing() -> Iterator[None]:
    """Draw random numbers of programs from keys that are constants."""
    token = draws.CURRENT.set(_Keys())  # type: ignore[arg-type]
    try:
        yield
    finally:
        draws.CURRENT.reset(token)


def check(name: str, samples: int = 3, seconds: float = 10.0, dtypes: Any = DTYPES, again: bool = True) -> Outcome:
    """Run the samples of a function of torch, at most `samples` for each dtype and variant, for some seconds.

    Args:
        name: that of an `OpInfo`, with that of its variant after a dot.
        samples: most samples of a dtype; they are taken from all over the list.
        seconds: no run starts later than this.
        dtypes: those of the samples.
        again: run each program for another first size too, where PyTorch takes one.
    """
    info, outcome, end = INFOS[name], Outcome(name), time.monotonic() + seconds
    variants = [(variant, False) for variant in (info.op, info.method_variant) if variant is not None]
    if info.inplace_variant is not None:
        variants.append((info.inplace_variant, True))
    # A method that is the function does not tell anything new.
    for dtype in dtypes:
        if not info.supports_dtype(dtype, "cpu"):
            continue
        torch.manual_seed(0)
        differentiated = dtype == torch.float64 and info.supports_autograd
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = list(info.sample_inputs("cpu", dtype, requires_grad=differentiated))
            except Exception:  # torch's own samples may need what is not installed
                continue
            for sample in spread(found, samples):
                for variant, in_place in variants:
                    if time.monotonic() > end:
                        return outcome
                    if in_place and sample.broadcasts_input:
                        continue
                    _run(outcome, variant, in_place, sample, dtype, again)
    return outcome


def spread(found: list[Any], count: int) -> list[Any]:
    """Return some of a list, the first and the last and those evenly between."""
    if len(found) <= count:
        return found
    return [found[round(k * (len(found) - 1) / max(count - 1, 1))] for k in range(count)]


def _run(outcome: Outcome, variant: Any, in_place: bool, sample: Any, dtype: torch.dtype, again: bool) -> None:
    torch.manual_seed(1)
    module = Called(variant, ((sample.input, *sample.args), dict(sample.kwargs)), in_place)
    fast = door(module)
    where = f"{'in place' if in_place else getattr(variant, '__name__', '?')} {dtype} {_shown(sample)}"
    for number, tensors in enumerate((module.tensors, _larger(module.tensors) if again else None)):
        if tensors is None:
            return
        try:
            torch.manual_seed(2)
            expected = module(*_copied(tensors))
        except Exception:  # not for these arguments
            return
        if any(
            isinstance(leaf, torch.Tensor) and (leaf.is_complex() or leaf.layout != torch.strided)
            for leaf in pytree.tree_leaves(expected)
        ):
            return
        try:
            with drawing():
                given, same = _copied(tensors), _copied(tensors)
                torch.manual_seed(2)
                result, expected = fast.call(tuple(given), {}), module(*same)
                drawn = outcome.name in RANDOM or bool(sample.kwargs.get("dropout_p"))
                wrong = _apart(result, expected, given, same, not drawn)
        except CannotCapture as error:
            cause = error.__cause__
            if isinstance(cause, HybridizeError):
                reason = f"{cause.code}: {cause.what}"
                outcome.refused[reason] = outcome.refused.get(reason, 0) + 1
                return
            wrong = f"capture raises {type(cause).__name__}: {str(cause)[:200]}"
        except Exception as error:  # what is reported
            wrong = f"raises {type(error).__name__}: {str(error)[:200]}"
        if wrong:
            outcome.wrong.append(f"{wrong}  [{where}{', another first size' if number else ''}]")
            return
        outcome.right += 1


def _shown(sample: Any) -> str:
    def one(x: Any) -> Any:
        return f"{str(x.dtype)[6:]}{list(x.shape)}" if isinstance(x, torch.Tensor) else x

    return str(pytree.tree_map(one, (sample.input, *sample.args, dict(sample.kwargs))))[:200]


def _copied(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return [tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in tensors]


def _larger(tensors: list[torch.Tensor]) -> list[torch.Tensor] | None:
    """Return tensors of twice the first size, as many as have that of the first one."""
    size = next((len(tensor) for tensor in tensors if tensor.ndim), 0)
    if size < 2:
        return None
    return [
        torch.cat([tensor.detach()] * 2).requires_grad_(tensor.requires_grad)
        if tensor.ndim and len(tensor) == size
        else tensor
        for tensor in tensors
    ]


def _apart(result: Any, expected: Any, given: Any, same: Any, values: bool) -> str:
    """Tell what differs of a result, and of the gradients of what was given; nothing if all is the same."""
    leaves, spec = pytree.tree_flatten(result)
    others, wanted = pytree.tree_flatten(expected)
    if spec != wanted:
        return f"structure {spec} for {wanted}"
    for one, other in zip(leaves, others, strict=True):
        if not isinstance(other, torch.Tensor):
            if type(one) is not type(other) or (one != other and one == one):
                return f"{one!r} for {other!r}"
            continue
        if not isinstance(one, torch.Tensor):
            return f"a {type(one).__name__} for a tensor"
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{one.dtype} {list(one.shape)} for {other.dtype} {list(other.shape)}"
        if one.requires_grad != other.requires_grad:
            return f"requires_grad {one.requires_grad} for {other.requires_grad}"
        if values and (text := differs(one, other)):
            return f"values: {text}"
    for one, other in zip(given, same, strict=True):
        if values and (text := differs(one, other)):
            return f"an argument afterwards: {text}"
    roots = [k for k, leaf in enumerate(others) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    sources = [k for k, leaf in enumerate(given) if leaf.requires_grad]
    if not roots or not sources or not values:
        return ""
    weights = [
        torch.linspace(0.5, 1.5, others[k].numel(), dtype=others[k].dtype).reshape(others[k].shape) for k in roots
    ]
    try:
        true = torch.autograd.grad([others[k] for k in roots], [same[k] for k in sources], weights, allow_unused=True)
    except (RuntimeError, NotImplementedError):  # PyTorch has none
        return ""
    ours = torch.autograd.grad([leaves[k] for k in roots], [given[k] for k in sources], weights, allow_unused=True)
    for one, other, k in zip(ours, true, sources, strict=True):
        if other is None:
            other = torch.zeros_like(given[k])
        if text := differs(torch.zeros_like(given[k]) if one is None else one, other):
            return f"gradient of argument {k}: {text}"
    return ""


def differs(one: torch.Tensor, other: torch.Tensor) -> str:
    """Tell how far two tensors are apart; nothing if they are close, NaN where the other is."""
    relative, absolute = TOLERANCES.get(one.dtype, (0.0, 0.0))
    one, other = one.detach(), other.detach()
    if torch.allclose(one, other, rtol=relative, atol=absolute, equal_nan=True):
        return ""
    apart = ~torch.isclose(one, other, rtol=relative, atol=absolute, equal_nan=True)
    return f"{one[apart].flatten()[:4].tolist()} for {other[apart].flatten()[:4].tolist()} ({int(apart.sum())} of {one.numel()})"


def names(patterns: list[str]) -> list[str]:
    """Return the names that match one of some patterns."""
    return [name for name in INFOS if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def main() -> None:
    """Print a line for each function, with reasons and differences."""
    parser = argparse.ArgumentParser(description=inspect.getdoc(sys.modules[__name__]))
    parser.add_argument("names", nargs="+")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    for name in names(given.names):
        print(check(name, given.samples, given.seconds), flush=True)


if __name__ == "__main__":
    main()
