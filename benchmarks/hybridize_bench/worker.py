# SPDX-License-Identifier: Apache-2.0
"""A process that holds one runtime and answers the benchmark: one JSON object a line in, one out.

    {"do": "limit", "kind": k, "nbytes": n, "inputs": n,
     "seconds": s}                                          -> {"samples": [seconds of a call, ...], "amount": n}
    {"do": "prepare", "module": m, "mode": k, "table": t, "workload": w,
     "data": file.npz, "result": file.npy}                  -> {"first_s": ...}
    {"do": "sample", "seconds": s, "limits": [...]}         -> {"samples": [seconds of a call, ...], "disturbed": n,
                                                                "limits": [as of "limit", in turns with the samples]}
    {"do": "steps", "count": n, "seconds": s}               -> {"calls": n, "seconds": s}
    {"do": "losses"}                                        -> {"finite": bool}
    {"do": "memory", "data": file.npz, "calls": n, "shapes": n} -> {"before_calls": bytes, ...}
    {"do": "peak"}                                          -> {"bytes": n}
    {"do": "held"}                                          -> {"bytes": n}
    {"do": "planned", "workload": w, "data": file.npz}      -> {"bytes": n}
    {"do": "first", "model": m, "loaded": bool}             -> {"first_s": ..., "llvm": bool}
    {"do": "sizes", "count": n}                             -> {"programs": n, ...}
    {"do": "write", "module": m, "mode": k, "workload": w,
     "data": file.npz, "path": file}                        -> {}
    {"do": "library", "harness": file.so, "folder": f,
     "rounds": n, "seconds": s, "only": [case, ...]}        -> {"create": ..., "calls": ...}
    anything that fails                                     -> {"error": "one line"}

Started as `python -m hybridize_bench.worker CPU`, it pins itself to that CPU before it imports anything heavy.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import timeit
from collections.abc import Iterator
from typing import Any

import numpy as np

from hybridize.base.loading import load_module
from hybridize.compiler import default_target
from hybridize.compiler.limits import Probe, Probes
from hybridize_bench import training_workloads, workloads
from hybridize_bench.peers import Prepared
from hybridize_bench.sampling import sample, sample_in_turns


def stopwatch(prepared: Prepared) -> timeit.Timer:
    """A timer of the bare call: the loop is timeit's own, and nothing stands between it and the function."""
    names = [f"a{i}" for i in range(len(prepared.arguments))]
    scope = {"function": prepared.function, **dict(zip(names, prepared.arguments, strict=True))}
    return timeit.Timer(f"function({', '.join(names)})", globals=scope)


def probe_of(kind: str, nbytes: int, inputs: int) -> Probe:
    """A loop that measures a limit of the core, with vectors as wide as our programs use here."""
    return Probes(default_target()).probe(kind, nbytes, inputs)


def answers(requests: Iterator[str]) -> Iterator[dict[str, Any]]:
    """One answer for each request."""
    timer: timeit.Timer | None = None
    prepared: Prepared | None = None
    probe = functools.cache(probe_of)
    for line in requests:
        request = json.loads(line)
        try:
            match request["do"]:
                case "limit":
                    loop = probe(request["kind"], request["nbytes"], request["inputs"])
                    samples, disturbed = sample(timeit.Timer(loop.call), request["seconds"])
                    yield {"samples": samples, "amount": loop.amount, "disturbed": disturbed}
                case "prepare":
                    module = load_module(f"hybridize_bench.peers.{request['module']}")
                    build = getattr(module, request["table"])[request["mode"]]
                    start = build(*workloads.read(request["table"], request["workload"], request["data"]))
                    begin = time.perf_counter()
                    prepared = start()
                    result = prepared.function(*prepared.arguments)
                    first_s = time.perf_counter() - begin
                    np.save(request["result"], np.array(prepared.read(result), copy=True))
                    timer = stopwatch(prepared)
                    yield {"first_s": first_s}
                case "sample" if timer is not None:
                    loops = [probe(one["kind"], one["nbytes"], one["inputs"]) for one in request.get("limits", ())]
                    timers = [timer, *(timeit.Timer(loop.call) for loop in loops)]
                    (samples, disturbed), *beside = sample_in_turns(timers, request["seconds"])
                    yield {
                        "samples": samples,
                        "disturbed": disturbed,
                        "limits": [
                            {"samples": found, "amount": loop.amount}
                            for loop, (found, _) in zip(loops, beside, strict=True)
                        ],
                    }
                case "steps" if timer is not None:
                    begin, calls = time.perf_counter(), 0
                    while calls < request["count"] and time.perf_counter() - begin < request["seconds"]:
                        timer.timeit(1)
                        calls += 1
                    yield {"calls": calls, "seconds": time.perf_counter() - begin}
                case "losses" if prepared is not None:
                    losses = prepared.read(prepared.function(*prepared.arguments))
                    yield {"finite": bool(np.isfinite(losses).all())}
                case "memory":
                    layers, x = workloads.read("MLP", "mlp-1", request["data"])
                    memory = load_module("hybridize_bench.memory")
                    yield memory.measure(layers, x, request["calls"], request["shapes"])
                case "peak" if timer is not None:
                    memory = load_module("hybridize_bench.memory")
                    yield {"bytes": memory.peak_of(functools.partial(timer.timeit, 1))}
                case "held":
                    memory = load_module("hybridize_bench.memory")
                    yield {"bytes": memory.held_between_calls()}
                case "planned":
                    memory = load_module("hybridize_bench.memory")
                    table = training_workloads.table(request["workload"])
                    arguments = workloads.read(table, request["workload"], request["data"])
                    yield {"bytes": memory.planned(*arguments)}
                case "first":
                    first_calls = load_module("hybridize_bench.first_calls")
                    yield first_calls.measure(request["model"], loaded=request["loaded"])
                case "sizes":
                    sizes = load_module("hybridize_bench.sizes")
                    yield sizes.measure(request["count"])
                case "write":
                    module = load_module(f"hybridize_bench.peers.{request['module']}")
                    layers, x = workloads.read("MLP", request["workload"], request["data"])
                    module.FILE[request["mode"]](layers, x, request["path"])
                    yield {}
                case "library":
                    library = load_module("hybridize_bench.c_calls")
                    yield library.measure(**{name: value for name, value in request.items() if name != "do"})
                case unknown:
                    yield {"error": f"cannot do {unknown!r} now"}
        except Exception as error:  # whatever a runtime raises becomes a line of the table
            text = str(error).strip().splitlines()
            yield {"error": f"{type(error).__name__}: {text[0] if text else ''}"[:200]}


def main() -> None:
    """Serve requests on standard input until it closes."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(sys.argv[1])})
    # Runtimes print; the answers go to a copy of standard output that they do not know.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for answer in answers(iter(sys.stdin.readline, "")):
        channel.write(json.dumps(answer) + "\n")
        channel.flush()


if __name__ == "__main__":
    main()
