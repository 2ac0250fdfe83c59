"""Steps of PyTorch's modules and optimizers as C libraries: losses have Python's bits, states the names of state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.optim import lr_scheduler, swa_utils

import hybridize
from hybridize.errors import CaptureError, StateError
from tests.formats.library.trained import Trained
from tests.refusals import refusal

random = torch.Generator().manual_seed(5)
BATCHES = [(torch.randn(8, 6, generator=random), torch.randint(3, (8,), generator=random)) for _ in range(5)]
Step = Callable[[torch.Tensor, torch.Tensor], Any]


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 3))


def plain(net: nn.Module, optimizer: optim.Optimizer) -> Step:
    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return hybridize.hybridize(step)


def exported(step: Step, path: Any, calls: int = 2) -> Trained:
    for x, y in BATCHES[:calls]:
        step(x, y)
    return Trained(step.export(path, "library"), path.name)


def check_curve(step: Step, made: Trained, steps: int = 20) -> None:
    """Python and C go on from one state: every loss is the same, and not always one."""
    losses = []
    for k in range(steps):
        x, y = BATCHES[k % 5]
        losses.append(step(x, y).item())
        assert made.run(x.numpy(), y.numpy()) == losses[-1]
    assert len(set(losses)) == steps


def state_of(made: Trained, name: str, tensor: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(made.get(name, tensor.detach().numpy()))


OPTIMIZERS: dict[str, Callable[[list[nn.Parameter]], optim.Optimizer]] = {
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3),
    "adam": lambda p: optim.Adam(p, lr=1e-2, amsgrad=True),
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "fused": lambda p: optim.Adam(p, lr=1e-2, fused=True),
    "foreach": lambda p: optim.AdamW(p, lr=1e-2, foreach=True),
    "rmsprop": lambda p: optim.RMSprop(p, lr=1e-2, centered=True, momentum=0.5),
    "adagrad": lambda p: optim.Adagrad(p, lr=1e-2, lr_decay=0.1),
    "adadelta": lambda p: optim.Adadelta(p),
    "adamax": lambda p: optim.Adamax(p),
    "nadam": lambda p: optim.NAdam(p),
    "radam": lambda p: optim.RAdam(p),
    "rprop": lambda p: optim.Rprop(p),
    "adafactor": lambda p: optim.Adafactor(p),
}
QUICK = ("adam",)
LONG = [one if one in QUICK else pytest.param(one, marks=pytest.mark.long) for one in OPTIMIZERS]


@pytest.mark.parametrize("name", LONG)
def test_the_curve_of_an_optimizer(tmp_path, name):
    net = network()
    optimizer = OPTIMIZERS[name](list(net.parameters()))
    step = plain(net, optimizer)
    made = exported(step, tmp_path / f"{name}_step")
    check_curve(step, made)
    for title, tensor in net.state_dict().items():
        assert state_of(made, title, tensor).equal(tensor), title
    for title, parameter in net.named_parameters():
        for key, value in optimizer.state[parameter].items():
            if isinstance(value, torch.Tensor):
                assert state_of(made, f"{title}.{key}", value).equal(value), (title, key)


@pytest.mark.long
def test_muon_trains_matrices_and_the_others_gather_gradients(tmp_path):
    net = network()
    step = plain(net, optim.Muon([net[0].weight, net[3].weight]))
    made = exported(step, tmp_path / "muon_step")
    check_curve(step, made)
    assert {"0.weight.momentum_buffer", "0.bias.grad"} < set(made.states)
    assert state_of(made, "3.bias.grad", net[3].bias).equal(net[3].bias.grad)


# ------------------------------------------------------------------------------------------------------ forms of steps


def at_the_end(net: nn.Module) -> Step:
    optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def gathering(net: nn.Module) -> Step:
    """Gradients are never cleared: they are state."""
    optimizer = optim.SGD(net.parameters(), lr=0.01)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def by_hand(net: nn.Module) -> Step:
    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = F.cross_entropy(net(x), y)
        parameters = list(net.parameters())
        with torch.no_grad():
            for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
                parameter.sub_(0.1 * gradient)
        return loss

    return step


def averaged(net: nn.Module) -> Step:
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    average = swa_utils.AveragedModel(net, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.9))

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        average.update_parameters(net)
        return loss

    return step


def in_groups(net: nn.Module) -> Step:
    groups = [{"params": net[0].parameters()}, {"params": net[3].parameters(), "lr": 0.1}]
    optimizer = optim.AdamW(groups, lr=0.01)
    return plain(net, optimizer)


FORMS: dict[str, tuple[Callable[[nn.Module], Step], set[str]]] = {
    "at_the_end": (at_the_end, {"0.weight.momentum_buffer"}),
    "gathering": (gathering, {"0.weight.grad"}),
    "by_hand": (by_hand, {"0.weight", "2.running_mean"}),
    "averaged": (averaged, {"net.0.weight", "average.module.0.weight", "average.n_averaged"}),
    "in_groups": (in_groups, {"learning_rate", "learning_rate_1"}),
}


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_a_step(tmp_path, form):
    make, states = FORMS[form]
    made_step = make(network())
    step = made_step if hasattr(made_step, "export") else hybridize.hybridize(made_step)
    made = exported(step, tmp_path / f"{form}_step")
    check_curve(step, made)
    assert states <= set(made.states)


class Lightning(nn.Module):
    """Counts its steps, which only Python looks at."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.calls = network(), 0
        self.optimizer = optim.Adam(self.net.parameters())

    def training_step(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        self.optimizer.step()
        return loss


@pytest.mark.long
def test_a_method_of_a_module_and_what_it_notes(tmp_path):
    module = Lightning()
    step = hybridize.hybridize(module.training_step)
    made = exported(step, tmp_path / "method_step")
    check_curve(step, made)
    assert "net.0.weight.exp_avg" in made.states
    assert "attribute 'calls' of Lightning" in str(made.exported)


@pytest.mark.long
def test_a_schedule_is_the_host_s(tmp_path):
    net = network()
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    schedule = lr_scheduler.CosineAnnealingLR(optimizer, 10)

    @hybridize.hybridize
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss

    made = exported(step, tmp_path / "scheduled_step")
    assert "left out: the schedule CosineAnnealingLR: set learning_rate for each step\n" in str(made.exported) + "\n"
    for x, y in BATCHES:
        assert made.set("learning_rate", numpy.array(schedule.get_last_lr()[0])) == ""
        assert made.run(x.numpy(), y.numpy()) == step(x, y).item()


@pytest.mark.long
def test_random_numbers_go_on_from_a_state(tmp_path):
    """They are not those of torch's generator: two models draw the same, and other ones after another seed."""
    net = nn.Sequential(network(), nn.Dropout(0.5))
    step = plain(net, optim.SGD(net.parameters(), lr=0.1))
    made = exported(step, tmp_path / "drawing_step")
    assert "random.state" in made.states
    curves = []
    for seed in (1, 1, 2):
        made.model = made.create()
        assert made.function("seed")(made.model, seed) == 0
        curves.append([float(made.run(x.numpy(), y.numpy())) for x, y in BATCHES])
    assert curves[0] == curves[1] != curves[2]


# -------------------------------------------------------------------------------------------------------------- refused


def test_a_rate_that_results_need_is_refused(tmp_path):
    net = network()
    optimizer = optim.SGD(net.parameters(), lr=0.05)
    schedule = lr_scheduler.CosineAnnealingLR(optimizer, 10)

    @hybridize.hybridize
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss * schedule.get_last_lr()[0]

    for x, y in BATCHES[:2]:
        step(x, y)
    with refusal(CaptureError, "step reads a number of Python's schedule at each call"):
        step.export(tmp_path / "rated_step", "library")


def test_the_first_step_alone_is_none_of_the_others(tmp_path):
    """It makes the state of the optimizer, which later ones go on from."""
    net = network()
    step = plain(net, optim.Adam(net.parameters()))
    step(*BATCHES[0])
    with refusal(StateError, "step has changed since it was called: its trainer would do another step"):
        step.export(tmp_path / "first_step", "library")


def test_steps_that_data_decides_about_are_refused(tmp_path):
    net = network()
    optimizer, scaler = optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu")

    @hybridize.hybridize
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    for x, y in BATCHES[:2]:
        step(x, y)
    with refusal(CaptureError, "step is specialized on a value that depends on data"):
        step.export(tmp_path / "scaled_step", "library")


@pytest.mark.parametrize("format", ["archive", "wasm"])
def test_other_formats_hold_no_step(tmp_path, format):
    net = network()
    step = plain(net, optim.SGD(net.parameters(), lr=0.1))
    step(*BATCHES[0])
    with refusal(CaptureError, "holds an optimizer's step, whose settings and schedule are Python's"):
        step.export(tmp_path / "in_file", format)
