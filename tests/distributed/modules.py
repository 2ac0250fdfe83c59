"""DistributedDataParallel around hybridized modules, which torchrun starts: `modules.py CASES...`."""

import os
import sys

import torch
import torch.distributed as distributed
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.parallel import DistributedDataParallel

from hybridize import hybridize
from hybridize.errors import CaptureError
from hybridize.torch import island
from tests.refusals import refusal

distributed.init_process_group("gloo")
rank, ranks = distributed.get_rank(), distributed.get_world_size()


class Net(nn.Module):
    def __init__(self, with_unused=False):
        super().__init__()
        torch.manual_seed(rank)  # other weights on each rank: those of rank 0 are taken
        self.first, self.norm = nn.Linear(6, 16), nn.BatchNorm1d(16)
        self.last, self.other = nn.Linear(16, 3), nn.Linear(16, 3)
        self.with_unused = with_unused

    def forward(self, x):
        hidden = torch.relu(self.norm(self.first(x)))
        return self.last(hidden) if self.with_unused else self.last(hidden) + self.other(hidden)


WAYS = {
    "plain": DistributedDataParallel,
    "inner": lambda net, **options: DistributedDataParallel(hybridize(net), **options),
    "outer": lambda net, **options: hybridize(DistributedDataParallel(net, **options)),
}


def trained(way, with_unused=False, accumulates=False, compresses=False, by=torch.optim.SGD, **options):
    """The gradients of each step, and the buffers and parameters at the end."""
    net = Net(with_unused)
    model = WAYS[way](net, **options)
    if compresses:
        model.register_comm_hook(None, fp16_compress_hook)
    optimizer = by(model.parameters(), lr=0.05)
    draws = torch.Generator().manual_seed(5)
    states = []
    for _ in range(4):
        x = torch.randn(8 * ranks, 6, generator=draws)[rank * 8 : rank * 8 + 8]
        y = torch.randint(3, (8 * ranks,), generator=draws)[rank * 8 : rank * 8 + 8]
        optimizer.zero_grad()
        if accumulates:
            with model.no_sync():
                nn.functional.cross_entropy(model(x), y).backward()
        nn.functional.cross_entropy(model(x), y).backward()
        states += [one.grad.clone() for one in net.parameters() if one.grad is not None]
        optimizer.step()
    assert isinstance(model, DistributedDataParallel)
    if way != "plain":
        assert model.module.programs()
    return states, [*net.buffers(), *(one.detach() for one in net.parameters())]


CASES = {
    "sums": {},
    "no_sync": {"accumulates": True},
    "unused": {"with_unused": True, "find_unused_parameters": True},
    "static": {"static_graph": True},
    "views": {"gradient_as_bucket_view": True},
    "hook": {"compresses": True},
    "buffers": {"broadcast_buffers": False},
    "adam": {"by": torch.optim.Adam},
}
if "adam" in sys.argv:  # a bias before a batch norm has rounding errors for gradients, which Adam makes large
    nn.BatchNorm1d = lambda size: nn.LayerNorm(size)


def check_case(name):
    """Gradients, buffers and weights are those of the module without us, and the weights are equal on all ranks."""
    grads, state = trained("plain", **CASES[name])
    for way in ("inner", "outer"):
        own_grads, own = trained(way, **CASES[name])
        tolerance = {"rtol": 1e-2, "atol": 1e-3} if name == "hook" else {"rtol": 1e-4, "atol": 1e-6}
        torch.testing.assert_close(own_grads, grads, **tolerance)
        torch.testing.assert_close(own, state, **tolerance)
        flat = torch.cat([one.flatten() for one in own[-6:]])
        first = flat.clone()
        distributed.broadcast(first, src=0)
        assert (first == flat).all()


def check_refusals():
    """A program that would leave out the sums is refused, and each remedy that is named works."""
    net = Net()
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    @hybridize
    def step(x):
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        return loss

    x = torch.randn(4, 6)
    with refusal(CaptureError, r"E420: a DistributedDataParallel cannot be compiled: .*\n.*Parallel\(hybridize\(mod"):
        step(x)
    around = hybridize(nn.Sequential(model, nn.ReLU()))
    with refusal(CaptureError, r"E420: a DistributedDataParallel cannot be compiled: .*\n.*island"):
        around(x)
    hybridize(nn.Sequential(island(model), nn.Softplus()))(x).sum().backward()
    own = net.first.weight.grad.clone()
    net.zero_grad()
    nn.functional.softplus(model(x)).sum().backward()
    torch.testing.assert_close(own, net.first.weight.grad)
    assert own.any()
    with refusal(TypeError, "unknown"):
        hybridize(model, unknown=1)


for case in sys.argv[1:]:
    check_refusals() if case == "refusals" else check_case(case)
distributed.barrier()
os._exit(0)  # PyTorch 2.13's own end of gloo aborts now and then, without us, too
