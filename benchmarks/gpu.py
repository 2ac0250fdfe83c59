# SPDX-License-Identifier: Apache-2.0
"""What a GPU is asked in one go: bits beside the CPU's, kernels, graphs, speeds beside PyTorch's, faults, full memory.

    python benchmarks/gpu.py [--minutes 8] [--only bits,speeds] [--markdown] [--small]

Nothing but hybridize is needed; where PyTorch has CUDA, it runs beside. Each part is caught and printed by itself, so a
part that fails takes none with it. `--markdown` prints tables for docs/benchmarks.md, with the card and the driver.
`--small` takes sizes that a test can run on an emulated device: its times mean nothing.

For races in kernels: compute-sanitizer --tool racecheck python benchmarks/gpu.py --only bits --small
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

os.environ.setdefault("HYBRIDIZE_DEVICE", "cuda")

import numpy

import hybridize
from hybridize import np, npx
from hybridize.errors import DeviceError, DeviceMemoryError
from hybridize.runtime import devices

WIDTH = 80
Row = tuple[str, ...]

TINY = """.version 7.0
.target sm_80
.address_size 64
.visible .entry tiny(.param .u64 p0)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p0];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 7;
  st.global.u32 [%rd2], %r1;
  ret;
}
"""
"""A kernel of one store, to time what is around it, and to fail at an address of nobody's."""


@dataclass
class Bench:
    """The device, the sizes, and how long all of it may take."""

    small: bool
    until: float
    gpu: Any = field(init=False)
    here: hybridize.Device = field(init=False)

    def __post_init__(self) -> None:
        self.here = hybridize.gpu(0)
        np.zeros(1, ctx=self.here)  # the first use opens it
        self.gpu = devices.opened(0)

    def left(self) -> bool:
        """Tell whether there is time for more."""
        return time.monotonic() < self.until

    def normal(self, *shape: int, dtype: str = "float32") -> Any:
        """Numbers on the device, the same each time."""
        return np.array(numpy.random.default_rng(sum(shape)).standard_normal(shape), dtype=dtype, ctx=self.here)

    def seconds(self, call: Callable[[], object], wait: Callable[[], object] | None = None) -> tuple[float, float]:
        """Time of a call in a row of calls, until all are done, and until all are asked for."""
        wait = wait or self.gpu.wait
        for _ in range(1 if self.small else 5):
            call()
        wait()
        begin = time.perf_counter()
        call()
        wait()
        times = 2 if self.small else max(5, min(1000, int(0.1 / max(1e-6, time.perf_counter() - begin))))
        begin = time.perf_counter()
        for _ in range(times):
            call()
        asked = time.perf_counter() - begin
        wait()
        return (time.perf_counter() - begin) / times, asked / times


# ----------------------------------------------------------------------------------------------------------- parts


def machine(bench: Bench) -> Iterator[Row]:
    """The card, the driver, and versions."""
    gpu = bench.gpu
    free, total = gpu.memory()
    yield "card", gpu.name
    yield "architecture", gpu.arch
    yield "driver", getattr(gpu, "release", "none")
    yield "memory, free of", f"{free / 1e9:.1f} of {total / 1e9:.1f} GB"
    yield "hybridize", hybridize.__version__
    yield "Python, system", f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    torch = with_cuda()
    yield "PyTorch", "without CUDA" if torch is None else f"{torch.__version__}, CUDA {torch.version.cuda}"


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "x * x + x": lambda x: x * x + x, "1 / x": lambda x: 1 / x, "sqrt": lambda x: np.sqrt(np.abs(x)),
    "exp": np.exp, "expm1": np.expm1, "log": lambda x: np.log(np.abs(x)), "log1p": lambda x: np.log1p(np.abs(x)),
    "tanh": np.tanh, "sin": np.sin, "cos": lambda x: np.cos(x * 1000), "arctan": np.arctan,
    "sigmoid": npx.sigmoid, "gelu": lambda x: npx.leaky_relu(x, act_type="gelu"), "power": lambda x: np.abs(x) ** 1.7,
    "mod": lambda x: x % 0.3, "floor": np.floor, "float16": lambda x: x.astype("float16"),
    "subnormal": lambda x: x * 1e-39, "int32": lambda x: (x * 1e6).astype("int32") // 7,
}  # fmt: skip
"""Functions whose bits are to be those of the CPU."""


def bits(bench: Bench) -> Iterator[Row]:
    """Elements that have the CPU's bits: pointwise functions, products, sums of rows, random numbers, a net."""
    count = 1000 if bench.small else 1_000_000
    x = numpy.random.default_rng(0).standard_normal(count).astype("float32") * 3
    for name, function in FUNCTIONS.items():
        yield name, *_alike(bench, function, x)
    for m, n, k in ((40, 36, 20),) if bench.small else ((256, 256, 256), (1000, 300, 500)):
        rng = numpy.random.default_rng(m)
        a, b = (rng.standard_normal(shape).astype("float32") for shape in ((m, k), (k, n)))
        yield f"product {m} x {n} x {k}", *_alike(bench, lambda p, q: p @ q, a, b)
    rows = x[: 64 * (count // 64)].reshape(64, -1)
    yield "softmax", *_alike(bench, lambda p: npx.softmax(p), rows)
    yield "sum of rows", *_alike(bench, lambda p: p.sum(axis=1), rows)
    for name, draw in {"uniform": np.random.uniform, "normal": np.random.normal}.items():
        drawn = []
        for device in (hybridize.cpu(), bench.here):
            hybridize.random.seed(7)
            drawn.append(draw(size=count // 10, ctx=device).asnumpy())
        yield f"np.random.{name}", *_compared(*drawn)


def _alike(bench: Bench, function: Callable[..., Any], *arrays: Any) -> Row:
    """How many elements of a compiled function are the CPU's, and the largest difference."""
    compiled = hybridize.hybridize(function)
    places = hybridize.cpu(), bench.here
    return _compared(*[compiled(*[np.array(x, ctx=one) for x in arrays]).asnumpy() for one in places])


def _compared(one: Any, other: Any) -> Row:
    same = one.view(f"u{one.itemsize}") == other.view(f"u{one.itemsize}")
    difference = numpy.abs(one.astype("float64") - other.astype("float64"))
    largest = numpy.nanmax(numpy.where(same, 0, difference))
    return f"{same.mean():.4%}" if not same.all() else "all", f"{largest:.1e}"


def kernels(bench: Bench) -> Iterator[Row]:
    """Registers and bytes of memory of a thread, for the kernels of a net's training step."""
    before = {id(code) for code in _codes(bench)}
    _training(bench)()
    for code in _codes(bench):
        known = getattr(code._kernels, "_kernels", {}) if id(code) not in before else {}
        for name, kernel in sorted(known.items()):
            if hasattr(kernel, "registers"):
                yield f"{code.program.name}: {name}", f"{kernel.registers}", f"{kernel.local_bytes}"


def _codes(bench: Bench) -> list[Any]:
    """The programs that are loaded on the device."""
    from hybridize.runtime.device_code import loaded_on

    return loaded_on(bench.gpu)


def compiling(bench: Bench) -> Iterator[Row]:
    """The time until the first result, without files of another process and with them."""
    script = (
        "import time; begin = time.perf_counter()\n"
        "import hybridize; from hybridize import np, npx\n"
        "loaded = time.perf_counter()\n"
        "x = np.ones((64, 512), ctx=hybridize.gpu(0)); x.asnumpy(); opened = time.perf_counter()\n"
        "f = hybridize.hybridize(lambda a: npx.softmax(a @ a.T)); f(x).asnumpy()\n"
        "print(loaded - begin, opened - loaded, time.perf_counter() - opened)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HYBRIDIZE_CACHE_DIR": folder}
        for name in ("first process", "second process"):
            times = _in_child(["-c", script], environment).split()
            yield name, *(f"{1e3 * float(one):.0f}" for one in times[-3:])


def graphs(bench: Bench) -> Iterator[Row]:
    """What it takes to ask for a graph, by its number of kernels, and what each kernel takes."""
    gpu = bench.gpu
    kernel, at = gpu.load(TINY)["tiny"], gpu.alloc(256)
    wait = gpu.wait
    total, host = bench.seconds(lambda: gpu.launch(kernel, (1, 1, 1), 1, 0, [at]), wait)
    yield "a kernel, no graph", f"{1e6 * host:.2f}", f"{1e6 * total:.2f}", ""
    for count in (3, 30) if bench.small else (3, 30, 300, 3000):
        with gpu.capture() as graph:
            for _ in range(count):
                gpu.launch(kernel, (1, 1, 1), 1, 0, [at])
        total, host = bench.seconds(graph.launch, wait)
        yield f"a graph of {count}", f"{1e6 * host:.2f}", f"{1e6 * total:.2f}", f"{1e6 * total / count:.2f}"
        begin = time.perf_counter()
        with gpu.capture(graph):
            for _ in range(count):
                gpu.launch(kernel, (1, 1, 1), 1, 0, [at])
        yield f"  recorded again ({count})", f"{1e6 * (time.perf_counter() - begin):.0f}", "", ""
    small, out = numpy.zeros(16, "float32"), numpy.zeros(16, "float32")
    total, host = bench.seconds(lambda: gpu.copy_in(at, small), wait)
    yield "copy 64 bytes in", f"{1e6 * host:.2f}", f"{1e6 * total:.2f}", ""
    total, host = bench.seconds(lambda: gpu.copy_out(at, out), wait)
    yield "copy 64 bytes out", f"{1e6 * host:.2f}", f"{1e6 * total:.2f}", ""
    gpu.free(at)


# ---------------------------------------------------------------------------------------------------------- speeds


def speeds(bench: Bench) -> Iterator[Row]:
    """Nets, formulas and products beside PyTorch: microseconds until done, and at the host."""
    for name, ours, theirs, work, unit in _cases(bench):
        if not bench.left():
            yield f"{name}: no time left", "", "", "", ""
            return
        done, host = bench.seconds(ours)
        yield name, "hybridize", f"{1e6 * host:.2f}", f"{1e6 * done:.2f}", f"{work / done:.1f} {unit}" if work else ""
        for label, call in theirs.items():
            torch = with_cuda()
            done, host = bench.seconds(call, torch.cuda.synchronize)
            yield "", label, f"{1e6 * host:.2f}", f"{1e6 * done:.2f}", f"{work / done:.1f} {unit}" if work else ""


def _cases(bench: Bench) -> Iterator[tuple[str, Callable[[], Any], dict[str, Callable[[], Any]], float, str]]:
    """Names, our call, those of PyTorch, the work of a call and its unit."""
    for batch in (1, 4) if bench.small else (1, 64, 1024):
        call = partial(_mlp(bench), bench.normal(batch, 512))
        yield f"MLP, batch {batch}", call, _torch_mlp(batch), 3.3e-7 * batch, "TFLOP/s"
    n = 32 if bench.small else 1024
    x = bench.normal(n, n)
    for name, function in {
        "x + 1": lambda a: a + 1, "softmax": lambda a: npx.softmax(a),
        "layer norm, gelu": lambda a: npx.leaky_relu(_normalized(a), act_type="gelu"),
        "sum of columns": lambda a: a.sum(axis=0),
    }.items():  # fmt: skip
        compiled = hybridize.hybridize(function)
        moved = 8e-9 * n * n / (2 if name == "sum of columns" else 1)
        yield f"{name}, {n} x {n}", partial(compiled, x), _torch_formula(name, n), moved, "GB/s"
    for dtype in ("float32", "bfloat16"):
        for n in (32,) if bench.small else (512, 1024, 2048, 4096, 8192):
            a, b = bench.normal(n, n, dtype=dtype), bench.normal(n, n, dtype=dtype)
            product = hybridize.hybridize(lambda p, q: p @ q)
            yield f"product, {n}, {dtype}", partial(product, a, b), _torch_product(n, dtype), 2e-12 * n**3, "TFLOP/s"
    step = _training(bench)
    yield "MLP, a step of training", step, {}, 0, ""


def _normalized(a: Any) -> Any:
    centred = a - a.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)


def _mlp(bench: Bench) -> Any:
    from hybridize.gluon import nn

    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu", in_units=512), nn.Dense(128, activation="relu", in_units=256))
    net.add(nn.Dense(2, in_units=128))
    net.initialize(ctx=bench.here)
    net.hybridize()
    return net


def _training(bench: Bench) -> Callable[[], object]:
    from hybridize import autograd, gluon

    net = _mlp(bench)
    batch = 8 if bench.small else 256
    x, labels = bench.normal(batch, 512), np.zeros(batch, ctx=bench.here)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step() -> object:
        with autograd.record():
            loss = loss_of(net(x), labels).mean()
        loss.backward()
        trainer.step(1)
        return loss

    return step


# --------------------------------------------------------------------------------------------------------- PyTorch


def with_cuda() -> Any:
    """Return PyTorch where it has a GPU."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def _both(torch: Any, call: Callable[[], Any]) -> dict[str, Callable[[], Any]]:
    """A call as it is, and as a graph of CUDA's."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return {"PyTorch": call, "PyTorch, graph": graph.replay}


def _torch_mlp(batch: int) -> dict[str, Callable[[], Any]]:
    torch = with_cuda()
    if torch is None:
        return {}
    torch.set_grad_enabled(False)
    layers = [(512, 256), (256, 128), (128, 2)]
    parts = [part for k, n in layers for part in (torch.nn.Linear(k, n), torch.nn.ReLU())][:-1]
    net, x = torch.nn.Sequential(*parts).cuda().eval(), torch.randn(batch, 512, device="cuda")
    return _both(torch, lambda: net(x))


def _torch_formula(name: str, n: int) -> dict[str, Callable[[], Any]]:
    torch = with_cuda()
    if torch is None:
        return {}
    x = torch.randn(n, n, device="cuda")
    functional = torch.nn.functional
    calls = {
        "x + 1": lambda: x + 1, "softmax": lambda: torch.softmax(x, -1),
        "layer norm, gelu": lambda: functional.gelu(functional.layer_norm(x, (n,))), "sum of columns": lambda: x.sum(0),
    }  # fmt: skip
    return _both(torch, calls[name])


def _torch_product(n: int, dtype: str) -> dict[str, Callable[[], Any]]:
    torch = with_cuda()
    if torch is None:
        return {}
    a, b = (torch.randn(n, n, device="cuda", dtype=getattr(torch, dtype)) for _ in range(2))
    calls = {"PyTorch": lambda: a @ b}
    if dtype == "float32":

        def in_tf32() -> Any:
            torch.backends.cuda.matmul.allow_tf32 = True
            try:
                return a @ b
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False

        calls["PyTorch, TF32"] = in_tf32
    return calls


# ---------------------------------------------------------------------------------------------------------- faults


def faults(bench: Bench) -> Iterator[Row]:
    """A kernel that stores at an address of nobody's, in a child process; then all of the memory is asked for."""
    said = _in_child([os.path.abspath(__file__), "--fault", *(["--small"] if bench.small else [])], dict(os.environ))
    for line in said.splitlines()[-4:]:
        yield "a fault in a child", line[: WIDTH - 24]
    yield "this process", "works" if (np.ones(3, ctx=bench.here) + 1).asnumpy().tolist() == [2, 2, 2] else "is broken"
    _, total = bench.gpu.memory()
    try:
        np.zeros(2 * total, dtype="uint8", ctx=bench.here)
        yield "twice the memory", "was given"
    except (DeviceMemoryError, MemoryError) as error:
        yield "twice the memory", str(error).splitlines()[0][: WIDTH - 24]
    yield "afterwards", "works" if (np.ones(3, ctx=bench.here) + 1).asnumpy().tolist() == [2, 2, 2] else "is broken"


def fault(bench: Bench) -> None:
    """Fail on purpose, and say what is said."""
    kernel = bench.gpu.load(TINY)["tiny"]
    x = np.ones(3, ctx=bench.here)
    try:
        bench.gpu.launch(kernel, (1, 1, 1), 1, 0, [8])
        bench.gpu.wait()
        print("nothing is said")
    except DeviceError as error:
        print(str(error).splitlines()[0])
    try:
        x.asnumpy()
        print("arrays can still be read")
    except DeviceError:
        print("arrays there say so, too")


def _in_child(arguments: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a child ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


# ---------------------------------------------------------------------------------------------------------- output

PARTS: dict[str, tuple[Callable[[Bench], Iterator[Row]], Row]] = {
    "machine": (machine, ("what", "value")),
    "bits": (bits, ("function", "the CPU's bits", "largest difference")),
    "kernels": (kernels, ("kernel", "registers", "local bytes")),
    "graphs": (graphs, ("asked for", "host us", "done us", "us each")),
    "speeds": (speeds, ("case", "by", "host us", "done us", "rate")),
    "faults": (faults, ("what", "said")),
    "compiling": (compiling, ("process", "import ms", "open ms", "first call ms")),
}


def shown(columns: Row, rows: Sequence[Row], markdown: bool) -> str:
    """Return a table of at most 80 columns."""
    if markdown:
        lines = [columns, tuple("---" if k == 0 else "---:" for k in range(len(columns))), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1))
    printed = []
    for row in (columns, *rows):
        cells = [row[0][: widths[0]].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        printed.append("  ".join(cells).rstrip())
    return "\n".join(printed)


def run(bench: Bench, names: Sequence[str], markdown: bool) -> list[str]:
    """Run parts and print what they say; returns the names of those that failed."""
    failed: list[str] = []
    for name in names:
        part, columns = PARTS[name]
        print(f"\n### {name}\n" if markdown else "\n" + textwrap.fill(f"{name}: {part.__doc__}", WIDTH))
        rows: list[Row] = []
        try:
            rows.extend(part(bench))  # one by one, so that those before a failure are there
        except Exception:
            failed.append(name)
            trouble = traceback.format_exc()
        if rows:
            print(shown(columns, rows, markdown), flush=True)
        if name in failed:
            print(trouble, flush=True)
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--only", default=",".join(PARTS), help="names of parts, by commas")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--fault", action="store_true", help="fail on purpose")
    options = parser.parse_args(arguments)
    bench = Bench(options.small, time.monotonic() + 60 * options.minutes)
    if options.fault:
        fault(bench)
        return 0
    failed = run(bench, [name for name in options.only.split(",") if name in PARTS], options.markdown)
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall parts ran")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
