# SPDX-License-Identifier: Apache-2.0
"""The PyTorch door: first calls in new processes, overhead of a call, a training step, beside PyTorch and TorchScript.

    python benchmarks/torch_door.py [--only NAME] [--rounds 5] [--markdown]

First calls are from the module in memory to its first result, in a process that has imported torch and hybridize, with
nothing cached; TorchScript's are from `torch.jit.trace` to its first result. A call's overhead is its time less that of
its kernel. Ways are run in turn, round by round, on one thread.
"""

from __future__ import annotations

import compileall
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paired import parser, run_on, table

import hybridize

FIRST = ("first-mlp", "first-bert", "first-resnet18")
CALLS = ("call-mlp", "call-mlp-gradients", "dict")
TRAINING = "train-64"


def first(name: str, way: str) -> float:
    """Seconds of a first call in a new process."""
    environment = {**os.environ, "HYBRIDIZE_CACHE": "0"}
    command = [sys.executable, "-W", "ignore", str(Path(__file__).parent / "torch_modules.py"), name, way]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def per_call(function: Callable[..., Any], *args: Any) -> float:
    """Seconds of a call, the least of several runs."""
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(300):
            function(*args)
        best = min(best, (time.perf_counter() - begin) / 300)
    return best


def calls(rounds: int) -> dict[str, float]:
    """Seconds over the kernel of calls: the net of the chapter, also with gradients wanted; a dict in and out."""
    import torch
    import torch_modules

    from hybridize import hybridize
    from hybridize.array.ndarray import wrap

    found: dict[str, list[float]] = {name: [] for name in CALLS}
    net, x = torch_modules.MADE["mlp"]()
    fast, record, given = hybridize(net.eval()), hybridize(torch_modules.Record().eval()), {"x": torch.randn(1, 4)}
    with torch.no_grad():
        for _ in range(2):
            fast(x)
            record(given)
        programs = [one.programs()[0] for one in (fast, record)]
    arrays = [wrap(x.numpy()), wrap(given["x"].numpy())]
    for _ in range(rounds):
        with torch.no_grad():
            alone = [per_call(one._runs.run, buffers(one, array)) for one, array in zip(programs, arrays, strict=True)]
            found["call-mlp"].append(per_call(fast, x) - alone[0])
            found["dict"].append(per_call(record, given) - alone[1])
        found["call-mlp-gradients"].append(per_call(fast, x) - alone[0])
    return {name: statistics.median(values) for name, values in found.items()}


def buffers(program: Any, array: Any) -> list[Any]:
    """The inputs of a program, its argument among them."""
    return [array._data if one.array is None else one.array._data for one in program.capture.sources]


def training(rounds: int) -> tuple[float, float]:
    """The time of a step with a compiled net and its loss, and of a compiled step, over that of eager's, all of torch's
    SGD with a fused update.
    """
    import torch
    import torch_modules
    from torch import nn

    from hybridize import hybridize

    class WithLoss(nn.Module):
        def __init__(self, net: Any) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: Any, y: Any) -> Any:
            return nn.functional.cross_entropy(self.net(x), y)

    x, y = torch.randn(64, 512), torch.randint(0, 2, (64,))

    def stepping(made: Callable[[Any], Any], whole: bool = False) -> Callable[[], Any]:
        torch.manual_seed(0)
        net = torch_modules.mlp()
        loss_of = made(WithLoss(net))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused=True)

        def step() -> None:
            optimizer.zero_grad()
            loss_of(x, y).backward()
            optimizer.step()

        def together(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            loss = loss_of(x, y)
            loss.backward()
            optimizer.step()
            return loss

        if whole:
            compiled = hybridize(together)
            step = functools.partial(compiled, x, y)
        for _ in range(5):
            step()
        return step

    ours, whole, eager = stepping(hybridize), stepping(lambda net: net, whole=True), stepping(lambda net: net)
    times = [(per_call(ours), per_call(whole), per_call(eager)) for _ in range(rounds)]
    module, step = (statistics.median(row[k] / row[2] for row in times) for k in (0, 1))
    return module, step


def main() -> None:
    arguments = parser(__doc__, rounds=5)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    run_on(options.cpu)
    os.environ["HYBRIDIZE_CACHE"] = "0"
    rows, found = [], {}
    compileall.compile_dir(Path(hybridize.__file__).parent, quiet=2)  # as installed packages are
    for name in FIRST:
        if options.only in name:
            pairs = [(first(name[6:], "hybridize"), first(name[6:], "trace")) for _ in range(options.rounds)]
            ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
            found[f"{name}, ms"] = 1e3 * ours
            rows.append((name, f"{1e3 * ours:.0f} ms", f"torch.jit.trace {1e3 * theirs:.0f} ms"))
    if any(options.only in name for name in CALLS):
        for name, seconds in calls(options.rounds).items():
            if options.only not in name:
                continue
            found[f"{name}, µs"] = 1e6 * seconds
            rows.append((name, f"{1e6 * seconds:.2f} µs", "over the kernel"))
    if options.only in TRAINING:
        ratio, whole = training(options.rounds)
        found |= {f"{TRAINING} ÷ eager, fused": ratio, f"{TRAINING}, whole step ÷ eager, fused": whole}
        rows.append((TRAINING, f"{ratio:.2f}", "÷ PyTorch eager, fused update"))
        rows.append((f"{TRAINING}, whole step", f"{whole:.2f}", "÷ PyTorch eager, fused update"))
    table(("row", "hybridize", "beside"), rows, options.markdown, ("row",))
    if options.figures:
        options.figures.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
