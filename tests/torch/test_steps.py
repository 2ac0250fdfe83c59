# SPDX-License-Identifier: Apache-2.0
"""Whole training steps under `hybridize`: backward passes, torch's optimizers and schedules as part of the program."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.optim import lr_scheduler

import hybridize
from hybridize.errors import CaptureError
from hybridize.torch import island
from tests.refusals import refusal

STEPS = 5
Step = Callable[[torch.Tensor, torch.Tensor], Any]


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 12), nn.GELU(), nn.Linear(12, 3)
    )


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    random = torch.Generator().manual_seed(5)
    return [(torch.randn(6, 8, generator=random), torch.randint(0, 3, (6,), generator=random)) for _ in range(STEPS)]


class Trained:
    """What training leaves."""

    def __init__(self, make: Callable[[nn.Module], Any], compiled: bool) -> None:
        self.net = network()
        made = make(self.net)
        step, self.optimizers = made if isinstance(made, tuple) else (made, ())
        self.run = hybridize.hybridize(step) if compiled else step
        self.results = []
        for x, y in batches():
            leaves = torch.utils._pytree.tree_leaves(self.run(x, y))
            self.results += [torch.as_tensor(leaf).detach().clone() for leaf in leaves]

    @property
    def programs(self) -> int:
        return len(self.run.programs())

    def left(self) -> list[Any]:
        """All that it leaves, in one order."""
        found: list[Any] = [*self.results, *(p.detach() for p in self.net.parameters()), *self.net.buffers()]
        found += [p.grad for p in self.net.parameters()]
        for optimizer in self.optimizers:
            held = optimizer.state_dict()
            for number in sorted(held["state"]):
                found += [torch.as_tensor(held["state"][number][key]) for key in sorted(held["state"][number])]
            found += [torch.as_tensor(group["lr"]) for group in held["param_groups"]]
        return found


def check(make: Callable[[nn.Module], Any], programs: int = 2, rtol: float = 1e-4, atol: float = 1e-6) -> Trained:
    """Train imperatively and hybridized; both leave the same."""
    wanted, found = Trained(make, compiled=False), Trained(make, compiled=True)
    for one, other in zip(wanted.left(), found.left(), strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(other, one, rtol=rtol, atol=atol)
    assert found.programs <= programs
    return found


# ----------------------------------------------------------------------------------------------------- optimizers

OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, 0.1),
    "SGD, Nesterov": lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=1e-2),
    "SGD, dampening": lambda p: optim.SGD(p, 0.1, momentum=0.9, dampening=0.5),
    "SGD, maximize": lambda p: optim.SGD(p, 0.01, maximize=True),
    "SGD, a tensor for a rate": lambda p: optim.SGD(p, torch.tensor(0.1)),
    "Adam": lambda p: optim.Adam(p, 0.01),
    "Adam, fused": lambda p: optim.Adam(p, 0.01, fused=True),
    "Adam, foreach": lambda p: optim.Adam(p, 0.01, foreach=True, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, 0.01, amsgrad=True),
    "RMSprop": lambda p: optim.RMSprop(p, 0.01, momentum=0.5, centered=True),
    "Adagrad": lambda p: optim.Adagrad(p, 0.01, lr_decay=0.1),
    "Adadelta": lambda p: optim.Adadelta(p),
    "Adamax": lambda p: optim.Adamax(p),
    "NAdam": lambda p: optim.NAdam(p),
    "RAdam": lambda p: optim.RAdam(p),
    "ASGD": lambda p: optim.ASGD(p),
    "Rprop": lambda p: optim.Rprop(p, 0.001),
    "Adafactor": lambda p: optim.Adafactor(p, 0.05, weight_decay=0.1),
}


def plain(net: nn.Module, optimizer: Any, schedule: Any = None, clip: Any = None) -> Any:
    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        if clip is not None:
            clip(net.parameters())
        optimizer.step()
        if schedule is not None:
            schedule.step()
        return loss

    return step, (optimizer,)


EACH_KIND = {"SGD", "SGD, Nesterov", "SGD, a tensor for a rate", "Adam, fused", "AdamW", "Rprop", "Adafactor"}
"""Optimizers of every run: with and without state, with rates that are tensors, fused, and by loops."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in EACH_KIND else [pytest.mark.long]) for name in OPTIMIZERS]
)
def test_optimizers_of_torch_are_part_of_the_step(name):
    check(lambda net: plain(net, OPTIMIZERS[name](net.parameters())), programs=3, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "kind",
    [
        lambda o: lr_scheduler.StepLR(o, 2, 0.5),
        lambda o: lr_scheduler.CosineAnnealingLR(o, 4),
        lambda o: lr_scheduler.LambdaLR(o, lambda k: 1 / (1 + k)),
        lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=10),
        lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.LinearLR(o), lr_scheduler.ExponentialLR(o, 0.9)], [2]),
    ],
    ids=["StepLR", "CosineAnnealingLR", "LambdaLR", "OneCycleLR", "SequentialLR"],
)
@pytest.mark.filterwarnings("error")
def test_schedules_compile_nothing_again(kind):
    def make(net):
        optimizer = optim.Adam(net.parameters(), 0.01)
        return plain(net, optimizer, kind(optimizer))

    check(make, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    "clip",
    [
        lambda p: nn.utils.clip_grad_norm_(p, 0.1),
        lambda p: nn.utils.clip_grad_norm_(p, 0.1, norm_type=float("inf")),
        lambda p: nn.utils.clip_grad_norm_(p, 1.0, norm_type=1),
        lambda p: nn.utils.clip_grad_norm_(p, 0.1, foreach=True, error_if_nonfinite=True),
        lambda p: nn.utils.clip_grad_value_(p, 0.01),
    ],
)
def test_gradients_are_clipped(clip):
    check(lambda net: plain(net, optim.SGD(net.parameters(), 0.1), clip=clip))


def test_gradients_that_are_not_finite_raise_where_they_are_to():
    weight = nn.Parameter(torch.ones(3))

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return nn.utils.clip_grad_norm_([weight], 1.0, error_if_nonfinite=True)

    fast = hybridize.hybridize(step)
    for x in (torch.ones(3), torch.full((3,), torch.inf), torch.ones(3)):
        if x.isfinite().all():
            torch.testing.assert_close(fast(x), x.norm())
        else:
            with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
                fast(x)


def test_an_optimizer_goes_on_from_a_file_and_with_other_settings():
    def make(net, compiled):
        optimizer = optim.Adam(net.parameters(), 0.01)
        step, _ = plain(net, optimizer)
        seen = []

        def outside(x, y):
            loss = made(x, y)
            seen.append(loss)
            if len(seen) == 2:
                optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
            if len(seen) == 3:
                optimizer.param_groups[0]["weight_decay"] = 0.1
            optimizer.param_groups[0]["lr"] *= 0.9
            return loss

        made = hybridize.hybridize(step) if compiled else step
        return outside, (optimizer,)

    left = [Trained(functools.partial(make, compiled=compiled), compiled=False).left() for compiled in (False, True)]
    for one, other in zip(*left, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-3, atol=1e-5)


# ------------------------------------------------------------------------------------------------ the user's own steps

PROGRAMS: dict[str, Callable[[nn.Module], Any]] = {}


def program(make: Callable[[nn.Module], Any]) -> Callable[[nn.Module], Any]:
    PROGRAMS[make.__name__] = make
    return make


@program
def updates_by_hand(net):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.1 * p.grad
                p.grad.zero_()
        return loss

    return step


@program
def gradients_looked_at_for_none(net):
    def step(x, y):
        for p in net.parameters():
            if p.grad is not None:
                p.grad = None
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p.add_(p.grad, alpha=-0.1)
        return loss.detach()

    return step


@program
def data_updated(net):
    def step(x, y):
        net.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        for p in net.parameters():
            p.data.sub_(0.1 * p.grad)
            p.data -= 0.01 * p.grad
        return loss

    return step


@program
def gradients_as_results(net):
    def step(x, y):
        parameters = list(net.parameters())
        loss = F.cross_entropy(net(x), y)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for p, g in zip(parameters, gradients, strict=True):
                p.sub_(g * 0.1)
        return loss, gradients[0]

    return step


@program
def accumulated_inside(net):
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        for k in range(2):
            (F.cross_entropy(net(x + k), y) / 2).backward()
        optimizer.step()
        optimizer.zero_grad()
        return x.sum()

    return step, (optimizer,)


@program
def accumulated_over_calls(net):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        return loss

    return step


@program
def zeroed_in_place(net):
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        optimizer.zero_grad(set_to_none=False)
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, (optimizer,)


@program
def two_players(net):
    other = nn.Linear(8, 1)
    mine, theirs = optim.Adam(net.parameters(), 0.01), optim.Adam(other.parameters(), 0.01)

    def step(x, y):
        made = torch.cat([net(x), x[:, 3:]], 1)
        theirs.zero_grad()
        lost = F.softplus(other(made.detach()).mean()) + F.softplus(-other(x).mean())
        lost.backward()
        theirs.step()
        mine.zero_grad()
        won = F.softplus(-other(made).mean())
        won.backward()
        mine.step()
        return lost.detach(), won.detach()

    return step


@program
def penalty_of_a_gradient(net):
    net.eval()
    optimizer = optim.Adam(net.parameters(), 0.01)

    def step(x, y):
        optimizer.zero_grad()
        x = x.detach().requires_grad_()
        out = net(x)
        (gradient,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        loss = F.cross_entropy(out, y) + ((gradient.norm(dim=1) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, (optimizer,)


@program
def closure(net):
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        def evaluate():
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            return loss

        return optimizer.step(evaluate)

    return step, (optimizer,)


@program
def rates_read(net):
    optimizer = optim.SGD(net.parameters(), 0.1)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss, schedule.get_last_lr()[0], optimizer.param_groups[0]["lr"]

    return step, (optimizer,)


@program
def schedule_by_a_metric(net):
    optimizer = optim.SGD(net.parameters(), 0.1)
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        schedule.step(loss.detach())
        return loss

    return step, (optimizer,)


@program
def norms_of_gradients(net):
    def step(x, y):
        net.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        return {"loss": loss, "norm": torch.stack([p.grad.norm() for p in net.parameters()]).sum()}

    return step


@program
def several_steps(net):
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses)

    return step, (optimizer,)


@program
def averaged_weights(net):
    average = copy.deepcopy(net).requires_grad_(False)
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for a, b in zip(average.parameters(), net.parameters(), strict=True):
                a.lerp_(b, 0.1)
        return loss, average(x)

    return step, (optimizer,)


@program
def groups(net):
    optimizer = optim.AdamW(
        [{"params": net[0].parameters(), "lr": 1e-3}, {"params": net[3].parameters(), "weight_decay": 0.0}], lr=1e-2
    )

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, ()


@program
def part_is_frozen(net):
    net[0].requires_grad_(False)
    return plain(net, optim.Adam(net.parameters(), 1e-2))


@program
def compiled_module_inside(net):
    inside = hybridize.hybridize(net)
    return plain(inside, optim.SGD(inside.parameters(), 0.1))


def by_backward(net, x):
    F.cross_entropy(net(x), torch.zeros(len(x), dtype=torch.long)).backward()


def by_asking(net, x):
    loss = net(x).square().sum()
    last = net[-1]
    last.weight.grad, last.bias.grad = torch.autograd.grad(loss, [last.weight, last.bias], retain_graph=True)
    loss.backward(inputs=[p for p in net.parameters() if p.requires_grad])


def by_a_write_before(net, x):
    with torch.no_grad():
        net[0].weight.mul_(0.5)
    net(x).square().sum().backward()


def by_an_island(net, x):
    (island(net[0])(x).square().sum() + net(x).square().sum()).backward()


@pytest.mark.parametrize("passing", [by_backward, by_asking, by_a_write_before, by_an_island])
def test_parameters_are_frozen_and_thawed_between_steps(passing):
    """Each step asks anew which of them want a gradient, those that wanted none when it was captured as well."""
    left = []
    for compiled in (False, True):
        net = network()
        run = hybridize.hybridize(passing) if compiled else passing
        for frozen in ("", "03", "0", "3", "", "03"):
            for number in "03":
                net[int(number)].weight.requires_grad_(number not in frozen)
            net.zero_grad()
            run(net, batches()[0][0])
            left.append([p.grad for p in net.parameters()])
    half = len(left) // 2
    assert [one is None for one in left[0]] != [one is None for one in left[1]]
    for wanted, found in zip(left[:half], left[half:], strict=True):
        assert [one is None for one in found] == [one is None for one in wanted]
        for one, other in zip(found, wanted, strict=True):
            if other is not None:
                torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("kind", [lambda p: optim.SGD(p, 0.1, momentum=0.5), lambda p: optim.Adam(p, 0.01)])
def test_data_decides_whether_there_is_a_step(kind):
    """A call whose data decides otherwise than a program expects has written nothing by it."""

    def make(net):
        optimizer, net[1].training = kind(net.parameters()), False

        def step(x, y):
            optimizer.zero_grad()
            bad = y.sum() % 2 == 0
            loss = F.cross_entropy(net(torch.where(bad, torch.nan, x)), y)
            loss.backward()
            if torch.isfinite(loss):
                optimizer.step()
            return bad.sum()

        return step, (optimizer,)

    found = check(make, programs=4)
    assert 0 < sum(int(bad) for bad in found.results) < STEPS


def test_a_later_step_takes_other_sizes():
    wanted, found = network(), network()
    steps = []
    for net in (wanted, found):
        step, _ = plain(net, optim.Adam(net.parameters(), 0.01))
        steps.append(step)
    steps[1] = hybridize.hybridize(steps[1])
    for size in (4, 6, 9, 5, 17, 1 + 3):
        x, y = torch.randn(size, 8), torch.randint(0, 3, (size,))
        torch.testing.assert_close(steps[1](x, y), steps[0](x, y), rtol=1e-3, atol=1e-5)
    assert steps[1].cache_info().programs <= 4
    for one, other in zip(wanted.parameters(), found.parameters(), strict=True):
        torch.testing.assert_close(other, one, rtol=1e-2, atol=1e-3)


# ------------------------------------------------------------------------------------------------ gradients in modules


class Energy(nn.Module):
    """Forces are the gradient of an energy: at prediction, too."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, positions):
        with torch.enable_grad():
            positions = positions.detach().requires_grad_(True)
            energy = self.net(positions).sum()
            (gradient,) = torch.autograd.grad(energy, positions, create_graph=self.training)
        return {"energy": energy, "forces": -gradient}


def test_forces_are_predicted_trained_and_saved(tmp_path):
    module, x = Energy(), torch.randn(7, 3)
    fast = hybridize.hybridize(copy.deepcopy(module))
    gradients = []
    for one in (module, fast):
        found = one(x)
        loss = found["energy"] ** 2 + (found["forces"] ** 2).sum()
        loss.backward()
        gradients.append([p.grad for p in one.parameters()])
    for wanted, got in zip(*gradients, strict=True):
        torch.testing.assert_close(got, wanted)
    module.eval()
    fast.eval()
    with torch.no_grad():
        wanted, got = module(x), fast(x)
    torch.testing.assert_close(got["forces"], wanted["forces"])
    fast.save(tmp_path / "energy")
    torch.testing.assert_close(hybridize.load(tmp_path / "energy")(x)["forces"], wanted["forces"])


# -------------------------------------------------------------------------------------------------------- refusals


def refused(step: Step, text: str) -> None:
    x, y = batches()[0]
    with refusal(CaptureError, text):
        hybridize.hybridize(step)(x, y)


def test_what_cannot_be_part_of_a_step_is_refused_and_nothing_has_changed():
    net = network()
    before = copy.deepcopy(net.state_dict())
    hooked = optim.SGD(net.parameters(), 0.1)
    hooked.register_step_post_hook(lambda *_: None)
    refused(plain(net, hooked)[0], "hooks of its steps")
    other = optim.LBFGS(net.parameters())
    refused(plain(net, other)[0], "a step of LBFGS which searches by data")
    assert not other.state
    torch.testing.assert_close(net.state_dict(), before)
    assert all(p.grad is None for p in net.parameters())


def test_an_argument_that_the_step_itself_makes_a_leaf_gets_no_gradient():
    net, (x, y) = network(), batches()[0]

    def step(x, y):
        loss = F.cross_entropy(net(x.requires_grad_()), y)
        loss.backward()
        return loss

    with refusal(CaptureError, "reaches one of its arguments|existed before the call"):
        hybridize.hybridize(step)(x, y)


def test_writes_to_leaves_are_seen_by_torch():
    """A backward pass of torch's own notices that a step has written what it saved."""
    net, (x, y) = network(), batches()[0]
    step = hybridize.hybridize(plain(net, optim.SGD(net.parameters(), 0.1))[0])
    out = net[5](torch.randn(2, 12, requires_grad=True))
    step(x, y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


# --------------------------------------------------------------------------------------- what strangers have tried


@program
def hooks_of_parameters(net):
    net[3].weight.register_hook(lambda g: g * 0.1)
    net[5].weight.register_hook(lambda g: None)

    def tripled(p):
        p.grad.mul_(3)

    net[5].bias.register_post_accumulate_grad_hook(tripled)
    return plain(net, optim.SGD(net.parameters(), 0.1))


@program
def hooked_gradients_asked_for(net):
    net[3].weight.register_hook(lambda g: g + 1)

    def step(x, y):
        return torch.autograd.grad(F.cross_entropy(net(x), y), [net[3].weight, net[5].bias])

    return step


@program
def several_first_steps(net):
    optimizer = optim.Adam(net.parameters(), 0.01)

    def step(x, y):
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
        return x.sum()

    return step, (optimizer,)


@program
def a_tensor_for_a_rate_and_a_schedule(net):
    optimizer = optim.SGD(net.parameters(), torch.tensor(0.1), momentum=0.5)
    return plain(net, optimizer, lr_scheduler.ExponentialLR(optimizer, 0.5))


@program
def data_of_gradients(net):
    def step(x, y):
        net.zero_grad()
        F.cross_entropy(net(x), y).backward()
        for p in net.parameters():
            p.grad.data.clamp_(-0.01, 0.01)
            p.data = p.data - 0.1 * p.grad.data
        return x.sum()

    return step


class Mine(optim.Optimizer):
    """An optimizer of the user's own."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "speed" not in state:
                    state["speed"] = torch.zeros_like(p)
                state["speed"].mul_(0.9).add_(p.grad)
                p.add_(state["speed"], alpha=-group["lr"])


@program
def optimizer_of_ones_own(net):
    return plain(net, Mine(net.parameters()))


@program
def norm_and_clipping_apart(net):
    def step(x, y):
        net.zero_grad()
        F.cross_entropy(net(x), y).backward()
        norm = nn.utils.get_total_norm([p.grad for p in net.parameters()])
        nn.utils.clip_grads_with_norm_(net.parameters(), 0.1, norm)
        return norm

    return step


@program
def state_of_an_optimizer_read(net):
    optimizer = optim.Adam(net.parameters(), 0.01)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        state = optimizer.state[net[3].weight]
        return state["exp_avg"].norm(), state["step"] + 1

    return step, (optimizer,)


@program
def state_read_between_two_steps(net):
    optimizer = optim.SGD(net.parameters(), 0.1, momentum=0.9)

    def step(x, y):
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
            norm = optimizer.state[net[3].weight]["momentum_buffer"].norm()
        return norm

    return step, (optimizer,)


@program
def rates_read_after_a_metric(net):
    optimizer = optim.SGD(net.parameters(), 0.1, momentum=0.5)
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)

    def step(x, y):
        for k in range(2):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()  # the second one by the rate that the first loss has left
            schedule.step(loss.detach() + k + x.sum().item())
        return optimizer.param_groups[0]["lr"], schedule.get_last_lr()[0]

    return step, (optimizer,)


@program
def sharpness_aware(net):
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        net.zero_grad()
        F.cross_entropy(net(x), y).backward()
        before = [p.data for p in net.parameters()]
        for p in net.parameters():
            p.data = p.data + 0.05 * p.grad
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        for p, data in zip(net.parameters(), before, strict=True):
            p.data = data
        optimizer.step()
        return loss

    return step, (optimizer,)


@program
def steps_along_the_way(net):
    """Meta-learning: gradients through an update, asked for by the values of a dict."""
    optimizer = optim.SGD(net.parameters(), 0.1)

    def step(x, y):
        parameters = dict(net.named_parameters())
        loss = F.cross_entropy(torch.func.functional_call(net, parameters, (x,)), y)
        gradients = torch.autograd.grad(loss, parameters.values(), create_graph=True)
        fast = {name: p - 0.1 * g for (name, p), g in zip(parameters.items(), gradients, strict=True)}
        optimizer.zero_grad()
        torch.func.functional_call(net, fast, (x,)).square().mean().backward()
        optimizer.step()
        return loss

    return step, (optimizer,)


class Average:
    """A moving average of weights whose rate is a number that each update changes."""

    def __init__(self, net):
        self.count = 0
        self.shadow = {name: p.detach().clone() for name, p in net.named_parameters()}

    @torch.no_grad()
    def update(self, net):
        self.count += 1
        decay = min(0.9, (1 + self.count) / (10 + self.count))
        for name, p in net.named_parameters():
            self.shadow[name] = decay * self.shadow[name] + (1 - decay) * p


@program
def average_with_a_count(net):
    optimizer, average = optim.SGD(net.parameters(), 0.1), Average(net)

    def step(x, y):
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        average.update(net)
        return list(average.shadow.values())

    return step, (optimizer,)


AVERAGES = {
    "plain": {},
    "a function": {"avg_fn": lambda average, now, count: 0.9 * average + 0.1 * now + 0 * count},
    "of lists": {"multi_avg_fn": optim.swa_utils.get_ema_multi_avg_fn(0.9)},
    "with buffers": {"multi_avg_fn": optim.swa_utils.get_ema_multi_avg_fn(0.9), "use_buffers": True},
}


@pytest.mark.parametrize("kind", AVERAGES)
def test_averaged_models_are_updated(kind):
    def make(net):
        optimizer = optim.SGD(net.parameters(), 0.1)
        average = optim.swa_utils.AveragedModel(net, **AVERAGES[kind])

        def step(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            average.update_parameters(net)
            return [p.detach() for p in average.parameters()], [b + 0 for b in average.buffers()]

        return step, (optimizer,)

    check(make, programs=1)


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_scaled_gradients(enabled, apart):
    def make(net):
        optimizer = optim.Adam(net.parameters(), 0.01)
        scaler = torch.amp.GradScaler("cpu", enabled=enabled, init_scale=8.0, growth_interval=2)
        net[1].training = False

        def step(x, y):
            optimizer.zero_grad()
            bad = y.sum() % 2 == 0
            loss = F.cross_entropy(net(torch.where(bad, torch.inf, x) if enabled else x), y)
            scaler.scale(loss).backward()
            if apart:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            return bad, scaler.get_scale()

        return step, (optimizer,)

    found = check(make, programs=4, rtol=1e-3, atol=1e-4)
    assert 0 < sum(int(bad) for bad in found.results[::2]) < STEPS


def test_a_scaler_is_updated_where_it_steps():
    net = network()
    optimizer, scaler = optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu")

    def step(x, y):
        scaler.scale(F.cross_entropy(net(x), y)).backward()
        scaler.unscale_(optimizer)
        return x.sum()

    refused(step, "without update")
    scaler.scale(net(batches()[0][0]).sum()).backward()
    scaler.unscale_(optimizer)
    refused(step, "was called outside without update")


def test_parameters_are_frozen_and_thawed():
    """A program that was made with frozen parameters is not taken where they are not."""
    nets = network(), network()
    steps = [plain(net, optim.Adam(net.parameters(), 0.01))[0] for net in nets]
    steps[1] = hybridize.hybridize(steps[1])
    for number in range(6):
        for net, step in zip(nets, steps, strict=True):
            net[3].requires_grad_(number not in (2, 3))
            step(*batches()[0])
        for one, other in zip(*(net.parameters() for net in nets), strict=True):
            torch.testing.assert_close(other, one, rtol=1e-3, atol=1e-5)
            assert (one.grad is None) == (other.grad is None)


def test_steps_need_no_tensor_among_their_arguments():
    """A function that uses torch is followed for it: weights are none of its constants."""
    w = nn.Parameter(torch.ones(2))
    optimizer, x = optim.SGD([w], lr=0.1), torch.ones(2)

    @hybridize.hybridize
    def step():
        optimizer.zero_grad()
        loss = (w * x).pow(2).sum()
        loss.backward()
        optimizer.step()
        return loss.item()

    assert [round(step(), 4) for _ in range(3)] == [2.0, 1.28, 0.8192]

    @hybridize.hybridize
    def norm(net):
        return sum(p.pow(2).sum() for p in net.parameters())

    net = network()
    for _ in range(3):
        torch.testing.assert_close(norm(net), sum(p.pow(2).sum() for p in net.parameters()))
        with torch.no_grad():
            net[3].weight.mul_(2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_do_what_they_do_imperatively(name):
    check(PROGRAMS[name], rtol=1e-3, atol=1e-5)


class Sharpness(optim.Optimizer):
    """Sharpness-aware minimization as people write it: old weights are kept in the state, and set as `p.data`."""

    def __init__(self, params, base, rho=0.05, **options):
        super().__init__(params, {"rho": rho, **options})
        self.base = base(self.param_groups, **options)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        grads = [p.grad.norm(p=2) for group in self.param_groups for p in group["params"] if p.grad is not None]
        norm = torch.norm(torch.stack(grads), p=2)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.state[p]["old_p"] = p.data.clone()
                    p.add_(p.grad * (group["rho"] / (norm + 1e-12)).to(p))
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.data = self.state[p]["old_p"]
        self.base.step()
        self.zero_grad()


def kept_beside(net):
    """The same with the state of the optimizer that steps."""
    optimizer = optim.SGD(net.parameters(), 0.1, momentum=0.9)

    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        for p in net.parameters():
            optimizer.state[p]["old_p"] = p.data.clone()
            p.data.add_(p.grad * 0.05)
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        for p in net.parameters():
            p.data = optimizer.state[p]["old_p"]
        optimizer.step()
        return loss

    return step


def by_a_class(net):
    optimizer = Sharpness(net.parameters(), optim.SGD, lr=0.1, momentum=0.9)

    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.first_step()
        F.cross_entropy(net(x), y).backward()
        optimizer.second_step()
        return loss

    return step


@pytest.mark.parametrize("make", [kept_beside, by_a_class])
def test_old_weights_are_kept_in_the_state_of_an_optimizer(make):
    nets = [network(), network()]
    nets[1].load_state_dict(nets[0].state_dict())
    fast, slow = hybridize.hybridize(make(nets[0])), make(nets[1])
    for x, y in batches()[:4]:
        torch.testing.assert_close(fast(x, y), slow(x, y), rtol=1e-3, atol=1e-5)
    for one, other in zip(*(net.parameters() for net in nets), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


EXPANDED = {
    "all": lambda x: x.add_(1),
    "an operator": lambda x: x.__imul__(2),
    "a function": torch.relu_,
    "by out": lambda x: torch.add(x, 1, out=x),
    "a copy": lambda x: x.copy_(torch.ones(3, 4)),
}
PARTS = {
    "a row": lambda x: x[0].add_(1),
    "a column": lambda x: x[:, 0].mul_(2),
    "rows": lambda x: x[:2].mul_(2),
    "an item": lambda x: x.__setitem__(0, 1.0),
    "one element": lambda x: x[1, 1].fill_(2),
}


@pytest.mark.parametrize(
    "make", [lambda: torch.arange(4.0).expand(3, 4), lambda: torch.arange(3.0)[:, None].expand(3, 4)]
)
def test_writes_to_expanded_arguments(make):
    for function in EXPANDED.values():
        for one in (function, hybridize.hybridize(function)):
            x = make()
            with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
                one(x)
            torch.testing.assert_close(x, make())
    for function in PARTS.values():
        try:
            function(make())
            expected = CaptureError, "an expanded tensor"
        except RuntimeError:
            expected = RuntimeError, "more than one element of the written-to tensor"
        x = make()
        with refusal(*expected):
            hybridize.hybridize(function)(x)
        torch.testing.assert_close(x, make())


# ------------------------------------------------------------------------------------- optimizers of the user's own


class Clipped(optim.SGD):
    def step(self, closure=None):
        result = super().step(closure)
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.clamp_(-0.3, 0.3)
        return result


class Decorated(optim.Adam):
    @torch.no_grad()
    def step(self, closure=None):
        return super().step()


class Twice(Decorated):
    def step(self, closure=None):
        super().step(closure)
        return super().step(closure)


class Counting(optim.SGD):
    def step(self, closure=None):
        self.count = getattr(self, "count", 0) + 1
        return super().step(closure)


class Decaying(optim.SGD):
    def step(self, closure=None):
        for group in self.param_groups:
            group["lr"] = group["lr"] * 0.5
        return super().step(closure)


WITHOUT_SOURCE: dict = {"Adam": optim.Adam}
exec("class Hidden(Adam):\n    def step(self, closure=None):\n        return super().step(closure)\n", WITHOUT_SOURCE)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Clipped, {}),
        (Clipped, {"momentum": 0.9}),
        (Decorated, {}),
        (Twice, {"amsgrad": True}),
        (WITHOUT_SOURCE["Hidden"], {}),
    ],
)
def test_steps_that_call_the_step_of_their_base(kind, options):
    torch.manual_seed(0)
    first = nn.Linear(3, 2).double()
    outcomes = []
    for compile in (hybridize.hybridize, lambda function: function):
        net = copy.deepcopy(first)
        optimizer = kind(net.parameters(), 0.1, **options)

        def step(x, net=net, optimizer=optimizer):
            optimizer.zero_grad()
            loss = net(x).square().sum()
            loss.backward()
            optimizer.step()
            return loss.detach()

        run = compile(step)
        losses = [run(torch.full((2, 3), k / 2, dtype=torch.float64)) for k in (1, 2, 3, 1)]
        outcomes.append((losses, list(net.parameters()), [list(one.values()) for one in optimizer.state.values()]))
    torch.testing.assert_close(outcomes[0], outcomes[1])


@pytest.mark.parametrize(("kind", "name"), [(Counting, "count"), (Decaying, "lr")])
def test_steps_that_set_what_no_program_keeps(kind, name):
    net = nn.Linear(3, 2)
    optimizer = kind(net.parameters(), 0.1)

    def step(x):
        net(x).sum().backward()
        optimizer.step()

    with refusal(CaptureError, f"a step of {kind.__name__}, which sets '{name}'"):
        hybridize.hybridize(step)(torch.ones(2, 3))
