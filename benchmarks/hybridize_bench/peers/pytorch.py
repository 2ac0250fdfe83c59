# SPDX-License-Identifier: Apache-2.0
"""PyTorch: eager, scripted and frozen, compiled; all but training under inference mode, the cheapest one."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
import torch._inductor
import torch.nn.functional as F
from torch._inductor import config as inductor
from torch.utils import data

from hybridize_bench.formulas import FORMULAS
from hybridize_bench.networks import Network
from hybridize_bench.peers import F32, Batches, BuildConvolution, Layers, Prepared, Start, torch_networks
from hybridize_bench.training_workloads import CHECKED_OF_NETWORKS, NetworkTraining, Training, epochs, steps


class AddOne(torch.nn.Module):
    """x + 1."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add one to each element."""
        return x + 1


def as_numpy(value: Any) -> F32:
    """The tensor as an array."""
    return value.detach().numpy()  # type: ignore[no-any-return]


def tensor(x: F32) -> torch.Tensor:
    """The array as a tensor with memory of its own."""
    return torch.from_numpy(x.copy())


def module(layers: Layers) -> torch.nn.Sequential:
    """The layers as the chapter's nn.Sequential, in evaluation mode."""
    parts: list[torch.nn.Module] = []
    for weight, bias in layers:
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
        with torch.no_grad():
            linear.weight.copy_(tensor(weight))
            linear.bias.copy_(tensor(bias))
        parts += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1]).eval()


_GUARDS: list[torch.inference_mode] = []


def in_inference_mode() -> None:
    """Enter inference mode for the rest of this worker's life: entering it at every call is not what is measured."""
    torch.set_num_threads(1)
    guard = torch.inference_mode()
    guard.__enter__()
    _GUARDS.append(guard)  # the mode ends when the guard is let go


def eager(net: torch.nn.Module, *xs: torch.Tensor) -> Start:
    """The module, called."""

    def start() -> Prepared:
        in_inference_mode()
        return Prepared(net, xs, as_numpy)

    return start


def scripted(net: torch.nn.Module, *xs: torch.Tensor) -> Start:
    """The module scripted, frozen, optimised for inference; called twice, because the executor specialises then."""

    def start() -> Prepared:
        in_inference_mode()
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.script(net)))
        for _ in range(2):
            frozen(*xs)
        return Prepared(frozen, xs, as_numpy)

    return start


def frozen(net: torch.nn.Module, *xs: torch.Tensor) -> Start:
    """The module through torch.compile, its weights constants (`freezing`)."""
    inductor.freezing = True
    return compiled(net, *xs)


def packaged(net: torch.nn.Module, *xs: torch.Tensor) -> Start:
    """The module exported, and compiled ahead of time with its weights as constants (AOTInductor)."""
    load_compiler()

    def start() -> Prepared:
        in_inference_mode()
        folder = tempfile.TemporaryDirectory()
        with torch.no_grad():
            exported = torch.export.export(net, xs)
            package = torch._inductor.aoti_compile_and_package(
                exported, package_path=f"{folder.name}/net.pt2", inductor_configs={"freezing": True}
            )
        call = torch._inductor.aoti_load_package(package)

        def read(y: Any, keep: Any = folder) -> F32:
            return as_numpy(y)

        return Prepared(call, xs, read)

    return start


def load_compiler() -> None:
    """Compile something unrelated: loading Inductor is not part of a model's first call."""
    with torch.no_grad():
        torch.compile(lambda value: value - 3)(torch.ones(2))


def compiled(net: torch.nn.Module, *xs: torch.Tensor) -> Start:
    """The module through torch.compile."""
    load_compiler()

    def start() -> Prepared:
        in_inference_mode()
        return Prepared(torch.compile(net), xs, as_numpy)

    return start


def pointwise(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """As its users write it."""
    return F.gelu(F.layer_norm(x, x.shape[-1:], w, b), approximate="tanh") + x


OWN: dict[str, Callable[..., Any]] = {"pointwise": pointwise, "softmax": lambda x: torch.softmax(x, -1)}


def formula(name: str, arrays: Sequence[F32], *, compiled: bool) -> Start:
    """A formula in PyTorch's own words where it has some, called or compiled."""
    function = OWN.get(name) or FORMULAS[name].of(torch)
    arguments = tuple(map(tensor, arrays))
    if compiled:
        load_compiler()

    def start() -> Prepared:
        in_inference_mode()
        return Prepared(torch.compile(function) if compiled else function, arguments, as_numpy)

    return start


def convolution(x: F32, weight: F32, bias: F32) -> tuple[torch.nn.Module, torch.Tensor]:
    """The operation and its ReLU as a module, and its argument, both channels-last."""
    outputs, inputs, window, _ = weight.shape
    one = torch.nn.Conv2d(inputs, outputs, window, padding=window // 2)
    with torch.no_grad():
        one.weight.copy_(tensor(weight))
        if one.bias is not None:
            one.bias.copy_(tensor(bias))
    net = torch.nn.Sequential(one, torch.nn.ReLU(inplace=True)).eval()
    with torch.no_grad():
        one.weight.data = one.weight.contiguous(memory_format=torch.channels_last)
    return net, tensor(x).permute(0, 3, 1, 2)


def channels_last(
    mode: Callable[[torch.nn.Module, torch.Tensor], Start],
) -> BuildConvolution:
    """A build of the convolution that is run as `mode` says."""

    def build(x: F32, weight: F32, bias: F32) -> Start:
        start = mode(*convolution(x, weight, bias))

        def begin() -> Prepared:
            return replace(start(), read=lambda y: as_numpy(y.permute(0, 2, 3, 1)))

        return begin

    return build


Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The mean loss of samples and labels."""


def loss_of(net: torch.nn.Module) -> Loss:
    """The loss of a net, eager."""
    return lambda x, y: F.cross_entropy(net(x), y)


def compiled_loss_of(net: torch.nn.Module) -> Loss:
    """The loss of a net through torch.compile, which makes a program forward and one back."""
    load_compiler()
    return torch.compile(loss_of(net))


def step_of(
    training: Training, layers: Layers, made: Callable[[torch.nn.Module], Loss] = loss_of, **keywords: bool
) -> Callable[[Any, Any], Any]:
    """A step, from samples and labels to the mean loss; `keywords` go to the optimizer."""
    net = module(layers).train()
    kind: Any = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[training.optimizer]
    return stepping(made(net), kind(net.parameters(), lr=training.rate, **keywords))


def stepping(mean_loss: Loss, optimizer: torch.optim.Optimizer) -> Callable[[Any, Any], Any]:
    """A step as its users write it."""

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = mean_loss(x, y)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss

    return step


def train(training: Training, layers: Layers, batches: Batches, **keywords: Any) -> Start:
    """Steps, eager."""
    step = step_of(training, layers, **keywords)
    tensors = [(tensor(x), torch.from_numpy(y.astype("int64"))) for x, y in batches]

    def start() -> Prepared:
        torch.set_num_threads(1)
        return steps(step, tensors, torch.Tensor.item)

    return start


def epoch(training: Training, layers: Layers, batches: Batches, **keywords: Any) -> Start:
    """Epochs with a `DataLoader` over a `TensorDataset`."""
    step = step_of(training, layers, **keywords)
    ((x, y),) = batches
    samples = data.TensorDataset(tensor(x), torch.from_numpy(y.astype("int64")))
    loaders = [data.DataLoader(samples, training.batch, shuffle=shuffle) for shuffle in (False, True)]

    def start() -> Prepared:
        torch.set_num_threads(1)
        return epochs(step, loaders, torch.Tensor.item)

    return start


def network(network: Network, weights: list[tuple[F32, ...]], x: F32) -> tuple[torch.nn.Module, torch.Tensor]:
    """The network and its images, both channels last."""
    return torch_networks.module(network, weights), tensor(x).contiguous(memory_format=torch.channels_last)


def train_network(
    training: NetworkTraining,
    weights: list[tuple[F32, ...]],
    batches: Batches,
    made: Callable[[torch.nn.Module], Loss] = loss_of,
    **keywords: bool,
) -> Start:
    """Steps of a network; it and its images are channels last, which is the faster way for both networks."""
    net = torch_networks.module(training.make(), weights).train()
    optimizer = torch.optim.SGD(net.parameters(), lr=training.rate, momentum=training.momentum, **keywords)
    step = stepping(made(net), optimizer)
    last = torch.channels_last
    tensors = [(tensor(x).contiguous(memory_format=last), torch.from_numpy(y.astype("int64"))) for x, y in batches]

    def start() -> Prepared:
        torch.set_num_threads(1)
        return steps(step, tensors, torch.Tensor.item, CHECKED_OF_NETWORKS)

    return start


def file(layers: Layers, x: F32, path: str) -> None:
    """Write the module scripted and frozen, as a file for `torch.jit.load`."""
    torch.jit.freeze(torch.jit.script(module(layers))).save(path)


_MODES = {"eager": eager, "script": scripted, "compile": compiled}
MLP = {name: lambda layers, x, mode=mode: mode(module(layers), tensor(x)) for name, mode in _MODES.items()}
ADD_ONE = {name: lambda x, mode=mode: mode(AddOne().eval(), tensor(x)) for name, mode in _MODES.items()}
FORMULA = {
    "eager": functools.partial(formula, compiled=False),
    "compile": functools.partial(formula, compiled=True),
}
CONV = {name: channels_last(mode) for name, mode in _MODES.items()}
NET = {
    name: lambda net, weights, x, mode=mode: mode(*network(net, weights, x))
    for name, mode in (_MODES | {"freezing": frozen, "aot": packaged}).items()
}
STEP = {"eager": train, "fused": functools.partial(train, fused=True)}
TRAIN = {**STEP, "compile": functools.partial(train, made=compiled_loss_of, fused=True)}
EPOCH = {
    "eager": epoch,
    "fused": functools.partial(epoch, fused=True),
    "compile": functools.partial(epoch, made=compiled_loss_of, fused=True),
}
TRAIN_NET = {
    "eager": train_network,
    "fused": functools.partial(train_network, fused=True),
    "compile": functools.partial(train_network, made=compiled_loss_of, fused=True),
}
FILE = {"script": file}
