# SPDX-License-Identifier: Apache-2.0
"""The backward pass by PyTorch: the module runs once more there, and that is differentiated.

For modules with gradients that no graph tells: a `torch.autograd.Function` of the user's own, a hook on a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from hybridize.base.frozen import frozen
from hybridize.base.nested import Structure, flatten, unflatten


@frozen(eq=False)
class RepeatedCall:
    """One call, and how to repeat it in PyTorch."""

    module: torch.nn.Module
    run: Callable[[], Sequence[torch.Tensor]]
    """Runs the program."""
    leaves: Sequence[Any]
    structure: Structure
    inputs: int
    """The number of tensors that are arguments; the rest are the parameters called `names`."""
    names: tuple[str, ...]
    buffers: dict[str, torch.Tensor]
    """Copies of the buffers that the module writes, which it is not to write twice."""

    def rerun(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The results, computed by PyTorch from these tensors."""
        arguments = iter(tensors[: self.inputs])
        leaves = [next(arguments) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = unflatten(self.structure, leaves)
        state = dict(zip(self.names, tensors[self.inputs :], strict=True))
        state.update((name, buffer.clone()) for name, buffer in self.buffers.items())
        leaves = flatten(torch.func.functional_call(self.module, state, args, kwargs))[0]
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def with_eager_backward(
    module: torch.nn.Module,
    leaves: Sequence[Any],
    structure: Structure,
    written: Sequence[str],
    run: Callable[[], Sequence[torch.Tensor]],
) -> Sequence[torch.Tensor]:
    """The results of a call by `run`, part of torch's graph.

    Args:
        module: the module.
        leaves: of the arguments.
        structure: of the arguments.
        written: names of buffers that the module writes.
        run: runs the program.
    """
    inputs = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    parameters = dict(module.named_parameters())
    buffers = dict(module.named_buffers())
    before = {name: buffers[name].clone() for name in written}
    call = RepeatedCall(module, run, leaves, structure, len(inputs), tuple(parameters), before)
    results: tuple[torch.Tensor, ...] = EagerBackward.apply(call, *inputs, *parameters.values())  # type: ignore[no-untyped-call]
    return results


class EagerBackward(torch.autograd.Function):
    """Puts a compiled forward pass into torch's graph; the backward pass differentiates the module itself."""

    @staticmethod
    def forward(ctx: Any, call: RepeatedCall, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Run the program."""
        ctx.call = call
        ctx.save_for_backward(*tensors)
        results = tuple(call.run())
        ctx.mark_non_differentiable(*(r for r in results if not r.dtype.is_floating_point))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Run the module once more in PyTorch, and differentiate that."""
        call: RepeatedCall = ctx.call
        needed = ctx.needs_input_grad[1:]
        second = torch.is_grad_enabled()
        tensors = [
            t if second and need else t.detach().requires_grad_(need)
            for t, need in zip(ctx.saved_tensors, needed, strict=True)
        ]
        with torch.enable_grad():
            results = call.rerun(tensors)
        pairs = [(r, g) for r, g in zip(results, gradients, strict=True) if g is not None and r.requires_grad]
        wanted = [tensor for tensor in tensors if tensor.requires_grad]
        found = iter(
            torch.autograd.grad(
                [r for r, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True, create_graph=second
            )
        )
        return (None, *(next(found) if tensor.requires_grad else None for tensor in tensors))
