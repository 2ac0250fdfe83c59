"""The chapter in one program: a net written imperatively, hybridized, timed, exported, loaded back, run from C.

    python examples/chapter_mlp.py [FOLDER]

Writes my_mlp-symbol.json and my_mlp-0000.params, then libmy_mlp.so (on Windows my_mlp.dll) and my_mlp.h, into FOLDER,
or into a temporary folder that is removed afterwards. Where nothing links it writes my_mlp.o. Exits with an error when
a result differs.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from hybridize import np, npx
from hybridize.gluon import SymbolBlock, nn

console = Console()

C_PROGRAM = """
#include <stdio.h>
#include "my_mlp.h"

int main(void) {
    float data[512], output[2];
    const void *inputs[] = {data};
    void *outputs[] = {output};
    const int64_t sizes[] = {1, 512};
    for (int k = 0; k < 512; k++)
        if (scanf("%f", &data[k]) != 1) return 1;

    my_mlp *model;
    int32_t code = my_mlp_create(&model, NULL);
    if (!code) code = my_mlp_run(model, inputs, sizes, outputs, NULL);
    if (code) return fprintf(stderr, "%s\\n", my_mlp_error(code)), 1;
    my_mlp_destroy(model);
    return printf("%.9g %.9g\\n", output[0], output[1]) < 0;
}
"""


def get_net() -> nn.HybridSequential:
    """The multilayer perceptron: 512 -> 256 -> 128 -> 2."""
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def show_equal(name: str, found: numpy.ndarray, expected: numpy.ndarray) -> None:
    """Print by how much two results differ; stop the program when that is more than rounding."""
    numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    console.print(f"  {name}: largest difference {abs(found - expected).max():.1e}", highlight=False)


def microseconds(function: Callable[..., object], x: object) -> float:
    """Median time of `function(x)`: thirty samples of enough calls to last a millisecond each."""
    timer = timeit.Timer(lambda: function(x))
    number = max(1, round(1e-3 / min(timer.repeat(3, 10)) * 10))
    return statistics.median(timer.repeat(30, number)) / number * 1e6


def compiler() -> list[str] | None:
    """The command of a C compiler: `cc`, or Zig, which `pip install "hybridize[export]"` brings."""
    if shutil.which("cc") is not None:
        return ["cc"]
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") is not None else None


def run_from_c(command: list[str], folder: Path, x: numpy.ndarray) -> numpy.ndarray:
    """What a C program that uses the exported library gives."""
    (folder / "main.c").write_text(C_PROGRAM)
    program = folder / ("main.exe" if os.name == "nt" else "main")
    linked = ["-L.", "-lmy_mlp", "-Wl,-rpath,."]
    subprocess.run([*command, "main.c", "-o", program.name, *linked], cwd=folder, check=True)
    numbers = " ".join(map(str, x.ravel()))
    done = subprocess.run([program], cwd=folder, input=numbers, stdout=subprocess.PIPE, check=True, text=True)
    return numpy.array([done.stdout.split()], "f4")


def main() -> None:
    console.rule("[bold]1. Write it imperatively")
    net = get_net()
    x = np.random.normal(size=(1, 512))
    imperative = net(x)
    print(net)
    print("net(x) =", imperative)

    console.rule("[bold]2. Say hybridize")
    batches = [np.random.normal(size=(n, 512)) for n in (1, 64)]
    expected = [net(batch).asnumpy() for batch in batches]
    times: dict[str, list[float]] = {"imperative": [microseconds(net, batch) for batch in batches]}
    net.hybridize()
    first = timeit.timeit(lambda: net(x), number=1)
    for batch, want in zip(batches, expected, strict=True):
        show_equal(f"batch {len(want)}, imperative and hybridized", net(batch).asnumpy(), want)
    times["hybridized"] = [microseconds(net, batch) for batch in batches]
    npx.waitall()
    program = net.program(x)
    console.print(f"  backend {program.backend}, kernels {len(program.kernels)}, fallbacks {len(program.fallbacks)}")

    table = Table("", "batch 1", "batch 64")
    for name, values in times.items():
        table.add_row(name, *(f"{value:.1f} µs" for value in values))
    ratios = (before / after for before, after in zip(times["imperative"], times["hybridized"], strict=True))
    table.add_row("gain", *(f"{ratio:.1f} ×" for ratio in ratios), style="bold green")
    console.print(table)
    console.print(f"  first hybridized call, LLVM loaded and the net compiled: {first * 1e3:.0f} ms")
    console.print("  `make bench` compares with other runtimes.")

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        folder.mkdir(parents=True, exist_ok=True)
        console.rule("[bold]3. Save it")
        net.export(os.fspath(folder / "my_mlp"))
        symbol, parameters = folder / "my_mlp-symbol.json", folder / "my_mlp-0000.params"
        for path in (symbol, parameters):
            console.print(f"  {path.name}: {path.stat().st_size:,} bytes", highlight=False)
        head = symbol.read_text().splitlines()[:16]
        print(*head, "...", sep="\n")

        console.rule("[bold]4. Load it back")
        again = SymbolBlock.imports(os.fspath(symbol), ["data"], os.fspath(parameters))
        show_equal("saved and loaded", again(x).asnumpy(), imperative.asnumpy())

        console.rule("[bold]5. Run it without Python")
        command = compiler()
        exported = net.export(os.fspath(folder / "my_mlp"), format="object" if command is None else "library")
        for file in map(Path, exported.files):
            console.print(f"  {file.name}: {file.stat().st_size:,} bytes", highlight=False)
        for check in exported.checks:
            console.print(Padding(f"checked: {check}", (0, 0, 0, 2), expand=False), highlight=False)
        if command is None:
            console.print("  there is no cc here to build a program with", highlight=False)
            console.print(r'  pip install "hybridize\[export]" brings what compiles and links', highlight=False)
        else:
            show_equal("from C", run_from_c(command, folder, x.asnumpy()), imperative.asnumpy())
    console.print("[bold green]All results are the same.")


if __name__ == "__main__":
    main()
