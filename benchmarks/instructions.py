# SPDX-License-Identifier: Apache-2.0
"""Instructions of calls, of compiling and of loading, counted by valgrind: figures that a busy machine repeats.

    python benchmarks/instructions.py                  the table, beside the stored one
    python benchmarks/instructions.py --check          fails where a count is more than 3 % above the stored one
    python benchmarks/instructions.py --store          these counts are the stored ones from now on

Linux, x86-64, valgrind. One process does everything but a start under callgrind, which it tells when to count: what is
counted is work alone, no imports. The figure of a call is the difference between loops of 1000 and of 500, by 500; of a
step, between loops of 40 and of 20. Addresses, hashes and the environment are the same at every run, so that two runs
differ by less than 0.1 %.
Valgrind knows no AVX-512: the machine is AVX2.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import mmap
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED = HERE / "instructions.json"
WORSE = 0.03
"""A count that is so much above the stored one fails the check."""
CALLS = 500
"""Calls of a loop."""
STEPS = 20
"""Steps of a loop."""
OPS = 500
"""Operations of the long graph."""
ARCHIVE = "net.hybridize"
FIRST_LOAD, LATER_LOAD = "load: MLP, from an archive to its first result", "load: the same, once more"
ON_DEVICE = "device call"
FROM_DISK = "start: MLP, its first call, from the disk cache"

# ------------------------------------------------------------------------------------------- in the counted process

REQUEST = bytes.fromhex("4889f8 31d2 48c1c703 48c1c70d 48c1c73d 48c1c733 4887db c3")
"""void request(words): what valgrind listens to. Four rotations of rdi and an exchange of rbx with itself do nothing
outside of it; inside, rax points to a message (valgrind's manual, "the client request mechanism")."""
ZERO, DUMP, START, STOP = (ord("C") << 24 | ord("T") << 16 | number for number in (1, 3, 4, 5))
"""Callgrind's messages: forget what was counted; write it down, under a name; count; stop counting."""


class Counter:
    """Tells callgrind what to count; `of` writes one file for a loop."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._page.write(REQUEST)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        self._request = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
        self._words = (ctypes.c_int64 * 6)()

    def say(self, message: int, text: bytes = b"") -> None:
        """Send a message."""
        self._words[0] = message
        self._words[1] = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0
        self._request(ctypes.addressof(self._words))

    def of(self, name: str, loop: Callable[[int], object], counts: tuple[int, ...], *, warm: bool = True) -> None:
        """Count `loop` of each of `counts`; once before, uncounted, so that all find the same caches, if `warm`."""
        if warm:
            loop(counts[0])
        for count in counts:
            gc.collect()
            gc.disable()
            self.say(START)
            self.say(ZERO)
            loop(count)
            self.say(DUMP, f"{name}|{count}".encode())
            self.say(STOP)
            gc.enable()


def write_archive() -> None:
    """The chapter's net as the archive that `load_loop` reads, with code for the machine that valgrind is."""
    from hybridize_bench.peers.ours import gluon
    from hybridize_bench.workloads import layers_and_input

    from hybridize import hybridize, np

    layers, x = layers_and_input(1)
    net = hybridize(gluon(layers).forward)
    net(np.array(x))
    net.save(ARCHIVE, targets="avx2")


def load_loop() -> Callable[[int], object]:
    """From the archive to the first result; where it is the first thing that is done, as a new process finds it."""
    import numpy

    import hybridize

    x = numpy.ones((1, 512), numpy.float32)
    return lambda count: [hybridize.load(ARCHIVE, images=True)(x) for _ in range(count)]


def count_start(*, write: bool) -> None:
    """Make the first call of the chapter's net in a process; counted, or so that the next finds it on the disk."""
    from hybridize_bench.first_calls import mlp

    function, arguments = mlp()
    if write:
        function(*arguments)
        return
    Counter().of(FROM_DISK, lambda _: function(*arguments), (1,), warm=False)
    if "llvmlite" in sys.modules:
        raise RuntimeError("LLVM was loaded: the disk cache did not serve")


def call_loops() -> Iterator[tuple[str, Callable[[int], object]]]:
    """Calls of compiled programs whose kernels are next to nothing."""
    import numpy

    from hybridize import hybridize, np
    from hybridize.gluon import nn

    def add_one(x: Any) -> Any:
        return x + 1

    def calls(function: Callable[..., Any], *arguments: Any) -> Callable[[int], None]:
        def loop(count: int) -> None:
            for _ in range(count):
                function(*arguments)

        return loop

    one = np.array(numpy.ones((1,), numpy.float32))
    yield "call: x + 1, compiled", calls(hybridize(add_one), one)
    yield "call: x + 1, imperative", calls(add_one, one)
    net = nn.Dense(1, in_units=1)
    net.initialize()
    net.hybridize()
    yield "call: a block, 1 × 1 dense layer", calls(net, one.reshape(1, 1))
    general = hybridize(add_one)
    for size in (5, 6, 7):
        general(np.array(numpy.ones((size,), numpy.float32)))
    yield "call: x + 1, any size", calls(general, np.array(numpy.ones((8,), numpy.float32)))
    yield "call: hybridize(f) itself", lambda count: [hybridize(add_one) for _ in range(count)]


def step_loops() -> Iterator[tuple[str, Callable[[int], object]]]:
    """Compiled steps of training: of a net that is next to nothing, and of the chapter's."""
    import numpy
    from hybridize_bench.peers.ours import step_of
    from hybridize_bench.training_workloads import TRAININGS, arrays

    from hybridize import autograd, gluon, hybridize, np, set_num_threads

    set_num_threads(1)

    def loop_of(step: Callable[..., Any], *arguments: Any) -> Callable[[int], None]:
        compiled = hybridize(step)

        def loop(count: int) -> None:
            for _ in range(count):
                compiled(*arguments)

        return loop

    for optimizer in ("sgd", "adam"):
        net = gluon.nn.Dense(1, in_units=1)
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 1e-3})

        def tiny(x: Any, net: Any = net, trainer: Any = trainer) -> Any:
            with autograd.record():
                loss = net(x)
            loss.backward()
            trainer.step(1)
            return loss

        yield f"step: 1 × 1 dense layer, {optimizer}", loop_of(tiny, np.array(numpy.ones((1, 1), numpy.float32)))
    for workload in ("train-adam-1", "train-64"):
        training = TRAININGS[workload]
        layers, batches = arrays(training)
        yield f"step: {workload}", loop_of(step_of(training, layers), *map(np.array, batches[0]))


def device_loops() -> Iterator[tuple[str, Callable[[int], object]]]:
    """Calls of compiled programs on a GPU whose driver does nothing: the host's part alone, without the driver's."""
    import numpy
    import silent_driver

    from hybridize import autograd, gluon, gpu, hybridize, np
    from hybridize.gluon import nn

    silent_driver.use()

    def calls(function: Callable[..., Any], *arguments: Any) -> Callable[[int], None]:
        for _ in range(8):  # until there are graphs for all addresses
            result = function(*arguments)
        del result

        def loop(count: int) -> None:
            for _ in range(count):
                function(*arguments)

        return loop

    def dense(layers: int) -> Any:
        net = nn.HybridSequential()
        net.add(*[nn.Dense(4, in_units=4) for _ in range(layers)])
        net.initialize(ctx=gpu(0))
        net.hybridize()
        return net

    def step(optimizer: str, dropout: float = 0) -> Callable[..., Any]:
        net = nn.HybridSequential()
        net.add(*[nn.Dense(4, in_units=4) for _ in range(3)], nn.Dropout(dropout))
        net.initialize(ctx=gpu(0))
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 1e-3})

        @hybridize
        def one_step(x: Any) -> Any:
            with autograd.record():
                loss = net(x)
            loss.backward()
            trainer.step(1)
            return loss

        return one_step

    one = np.array(numpy.ones((1,), numpy.float32), ctx=gpu(0))
    other = np.array(numpy.ones((1,), numpy.float32), ctx=gpu(0))
    row = np.array(numpy.ones((1, 4), numpy.float32), ctx=gpu(0))
    yield f"{ON_DEVICE}: x + 1, compiled", calls(hybridize(lambda x: x + 1), one)
    yield f"{ON_DEVICE}: three results of two arrays", calls(hybridize(lambda x, y: (x + y, x * y, x - y)), one, other)
    yield f"{ON_DEVICE}: a block, 3 dense layers", calls(dense(3), row)
    yield f"{ON_DEVICE}: a block, 50 dense layers", calls(dense(50), row)
    yield f"{ON_DEVICE}: a step, 3 dense layers, sgd", calls(step("sgd"), row)
    yield f"{ON_DEVICE}: a step, 3 dense layers, adam", calls(step("adam"), row)
    yield f"{ON_DEVICE}: a step, 3 dense layers, sgd, dropout", calls(step("sgd", 0.5), row)


def graphs() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """What is compiled: the chapter's net, and a long chain of operations that are all different."""
    import numpy
    from hybridize_bench.peers.ours import gluon
    from hybridize_bench.workloads import layers_and_input

    from hybridize import np

    layers, x = layers_and_input(1)
    yield "MLP", gluon(layers).forward, (np.array(x),)

    def long(x: Any) -> Any:
        y = x
        for k in range(OPS // 2):
            y = y * (1 + k * 1e-6) + x
        return y

    yield f"{OPS} operations", long, (np.array(numpy.ones((1000,), numpy.float32)),)


def compile_loops() -> Iterator[tuple[str, Callable[[int], object]]]:
    """The first call in all, and the stages that are ours or LLVM's."""
    from hybridize import compiler, hybridize
    from hybridize.codegen.llvm.engine import compile_module
    from hybridize.codegen.llvm.program import build
    from hybridize.passes import PIPELINE

    target = compiler.default_target()
    for name, function, arguments in graphs():

        def first(count: int, function: Any = function, arguments: Any = arguments) -> None:
            for _ in range(count):
                compiler.cache_clear()
                hybridize(function)(*arguments)

        graph = hybridize(function).program(*arguments).captured
        optimized = PIPELINE.run(graph)
        text = build(optimized, target).module.text()
        yield f"compile: {name}, first call", first
        yield f"compile: {name}, passes", lambda count, graph=graph: [PIPELINE.run(graph) for _ in range(count)]
        yield (
            f"compile: {name}, schedule and code",
            lambda count, graph=optimized: [build(graph, target).module.text() for _ in range(count)],
        )
        yield (
            f"compile: {name}, LLVM",
            lambda count, text=text: [compile_module(text, target) for _ in range(count)],
        )


def count_on_device(only: str) -> None:
    """The counted process of calls on a device: from its first use on, calls on the CPU look where arrays are."""
    counter = Counter()
    for name, loop in device_loops():
        if only in name:
            count = STEPS if "a step" in name else CALLS
            counter.of(name, loop, (count, 2 * count))


def count_all(only: str) -> None:
    """The counted process."""
    counter = Counter()
    for name in (FIRST_LOAD, LATER_LOAD):
        if only in name:
            counter.of(name, load_loop(), (1,), warm=name == LATER_LOAD)
    steps = (STEPS, 2 * STEPS)
    for counts, loops in (((CALLS, 2 * CALLS), call_loops()), (steps, step_loops()), ((1,), compile_loops())):
        for name, loop in loops:
            if only in name:
                counter.of(name, loop, counts)


# --------------------------------------------------------------------------------------------------- around it


def available() -> bool:
    """Whether this machine can count."""
    return platform.machine() == "x86_64" and all(shutil.which(tool) for tool in ("valgrind", "setarch"))


def counted(only: str = "") -> dict[str, float]:
    """Instructions of one repetition, by name; `only` names whose name contains it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": folder,
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(HERE.parent),
            "HYBRIDIZE_TARGET": "avx2",
            "HYBRIDIZE_CACHE": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }

        def run(*command: str, **more: str) -> None:
            done = subprocess.run(command, env=environment | more, capture_output=True, text=True, cwd=folder)
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])

        def count(*arguments: str, **more: str) -> None:
            files = f"--callgrind-out-file={folder}/out.{arguments[0]}"
            tool = ("--tool=callgrind", "--instr-atstart=no", "--compress-strings=no", files)
            run("setarch", "-R", "valgrind", *tool, sys.executable, __file__, *arguments, **more)

        if only in FIRST_LOAD or only in LATER_LOAD:
            run(sys.executable, __file__, "--write")
        if not only.startswith(ON_DEVICE):
            count("--child", only)
        if not only or ON_DEVICE.startswith(only) or only.startswith(ON_DEVICE):
            count("--device", only)
        if only in FROM_DISK:
            # The machine that valgrind is, as a process finds it that has been told nothing of machines.
            kept = {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": f"{folder}/cache", "HYBRIDIZE_TARGET": ""}
            run("valgrind", "--tool=none", sys.executable, __file__, "--start", "write", **kept)
            count("--start", "count", **kept)
        totals: dict[str, dict[int, int]] = {}
        for path in Path(folder).glob("out.*"):
            text = path.read_text(errors="replace")
            trigger = re.search(r"^desc: Trigger: Client Request: (.*)\|(\d+)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if trigger and total:
                totals.setdefault(trigger[1], {})[int(trigger[2])] = int(total[1])
        return {name: per_repetition(both) for name, both in sorted(totals.items())}


def per_repetition(totals: dict[int, int]) -> float:
    """Instructions of one repetition, from those of loops by their number of repetitions."""
    least, most = min(totals), max(totals)
    if least == most:
        return totals[most] / most
    return round((totals[most] - totals[least]) / (most - least), 1)


def versions() -> dict[str, str]:
    """What the counts depend on besides us."""
    import llvmlite
    import numpy

    return {"python": platform.python_version(), "numpy": numpy.__version__, "llvmlite": llvmlite.__version__}


def comparable(stored: dict[str, Any]) -> str:
    """Why stored counts do not hold here; empty where they do."""
    changed = [
        f"{name} {stored['versions'].get(name)} then, {now} now"
        for name, now in versions().items()
        if stored["versions"].get(name) != now
    ]
    return ", ".join(changed)


def table(found: dict[str, float], stored: dict[str, float]) -> str:
    """Counts beside the stored ones, as Markdown."""
    lines = ["| instructions of one | now | stored | change |", "| --- | ---: | ---: | ---: |"]
    for name, count in found.items():
        before = stored.get(name)
        change = f"{count / before - 1:+.2%}" if before else ""
        lines.append(f"| {name} | {count:,.0f} | {f'{before:,.0f}' if before else ''} | {change} |")
    return "\n".join(lines)


def worse(found: dict[str, float], stored: dict[str, float]) -> list[str]:
    """What takes more than is allowed."""
    return [
        f"{name}: {count:,.0f} instructions, {stored[name]:,.0f} stored"
        for name, count in found.items()
        if name in stored and count > stored[name] * (1 + WORSE)
    ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where a count is worse than the stored one")
    parser.add_argument("--store", action="store_true", help="write the counts down as those to compare with")
    parser.add_argument("--only", default="", help="count what has this in its name")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--device", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--start", choices=("write", "count"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.start:
        count_start(write=given.start == "write")
        return 0
    if given.write:
        write_archive()
        return 0
    if given.device is not None:
        count_on_device(given.device)
        return 0
    if given.child is not None:
        count_all(given.child)
        return 0
    if not available():
        print("valgrind on x86-64 Linux is needed")
        return 2
    stored = json.loads(STORED.read_text()) if STORED.is_file() else {"versions": versions(), "counts": {}}
    found = counted(given.only)
    print(table(found, stored["counts"]))
    if given.store:
        text = json.dumps(
            {"versions": versions(), "counts": {**stored["counts"], **found}}, indent=1, ensure_ascii=False
        )
        STORED.write_text(text + "\n")
    why = comparable(stored)
    if why:
        print(f"\nthe stored counts are of other versions: {why}")
    problems = [] if why else worse(found, stored["counts"])
    if given.check and problems:
        print("\n" + "\n".join(problems))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
