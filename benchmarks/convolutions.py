# SPDX-License-Identifier: Apache-2.0
"""Convolution layers of the benchmark's networks against oneDNN through PyTorch, one thread.

    python benchmarks/convolutions.py [--rounds 7] [--cpu 0] [--winograd] [--markdown]

Forty layers, each with bias and ReLU, on one image (of LeNet also on 64), channels last at both ends. Both sides run in
one process, in turns of a few milliseconds: ours is a hybridized layer from Python to Python; oneDNN has weights that
it has packed for the size, and bias and ReLU within its convolution. The ratio of a layer is the median over rounds of
ours over theirs; what is reported of all is the geometric mean.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass

import numpy
import torch
from hybridize_bench.goals import LAYERS
from hybridize_bench.networks import CONVOLUTION, Network, densenet121, lenet, mobilenet_v2, resnet18
from paired import geometric_mean, in_turns, median_ratio, microseconds, parser, run_on, table

from hybridize import np, set_num_threads
from hybridize.gluon import nn

COUNTS = ((lenet, 1, 2), (lenet, 64, 2), (resnet18, 1, 11), (mobilenet_v2, 1, 15), (densenet121, 1, 10))
"""A network, images in a call, and how many of its different layers are measured, evenly spread over it."""
TOLERANCE = 2e-4
WORDS = ("layer", "net")
"""Columns that hold no figures."""


@dataclass(frozen=True)
class Case:
    """One layer: `images` images of [height, width, channels]."""

    net: str
    images: int
    channels: int
    size: tuple[int, int]
    out: int
    kernel: int
    stride: int
    padding: int
    groups: int

    def __str__(self) -> str:
        grouped = f", {self.groups} groups" if self.groups > 1 else ""
        stride = f" / {self.stride}" if self.stride > 1 else ""
        return f"{self.images} x {self.size[0]}² x {self.channels} to {self.out}, {self.kernel}²{stride}{grouped}"

    @property
    def flops(self) -> int:
        """Operations, those with the padding included; a multiply-add is two."""
        pixels = [(length + 2 * self.padding - self.kernel) // self.stride + 1 for length in self.size]
        return 2 * self.images * pixels[0] * pixels[1] * self.out * self.channels // self.groups * self.kernel**2


@dataclass(frozen=True)
class Timed:
    """What a layer took, in seconds."""

    case: Case
    ours: float
    theirs: float
    ratio: float


def different(name: str, network: Network, images: int) -> list[Case]:
    """The different convolutions of a network, in its order."""
    found: dict[Case, None] = {}
    for layer in network.layers:
        if layer.kind == CONVOLUTION:
            channels, height, width = network.shape(layer.inputs[0])
            numbers = (layer.shape[0], layer.kernel, layer.stride, layer.padding, layer.groups)
            found[Case(name, images, channels, (height, width), *numbers)] = None
    return list(found)


def cases() -> list[Case]:
    """The layers that are measured: none twice, though two networks may have it."""
    found: dict[tuple[object, ...], Case] = {}
    for make, images, count in COUNTS:
        new = [one for one in different(make.__name__, make(), images) if _numbers(one) not in found]
        chosen = [new[len(new) * number // count] for number in range(min(count, len(new)))]
        found.update((_numbers(one), one) for one in chosen)
    return list(found.values())


def _numbers(case: Case) -> tuple[object, ...]:
    return (case.images, case.channels, case.size, case.out, case.kernel, case.stride, case.padding, case.groups)


def measure(case: Case, rounds: int, winograd: bool = False, sample_s: float = 0.004) -> Timed:
    """Check the layer, then time both sides in turns."""
    rng = numpy.random.default_rng(0)
    x = rng.standard_normal((case.images, *case.size, case.channels), dtype=numpy.float32)
    inside = case.channels // case.groups * case.kernel**2
    w = rng.standard_normal((case.out, case.channels // case.groups, case.kernel, case.kernel), dtype=numpy.float32)
    w *= numpy.float32((2 / inside) ** 0.5)
    bias = rng.standard_normal(case.out, dtype=numpy.float32)

    layer = nn.Conv2D(
        case.out, case.kernel, strides=case.stride, padding=case.padding, groups=case.groups, layout="NHWC",
        in_channels=case.channels, activation="relu",
    )  # fmt: skip
    layer.initialize()
    layer.weight.set_data(np.array(w.transpose(0, 2, 3, 1)))
    layer.bias.set_data(np.array(bias))
    layer.hybridize(winograd=winograd)
    mine = np.array(x)

    last = torch.channels_last
    a = torch.from_numpy(x).permute(0, 3, 1, 2)
    weight, b = torch.from_numpy(w).contiguous(memory_format=last), torch.from_numpy(bias)
    numbers = ([case.padding] * 2, [case.stride] * 2, [1, 1], case.groups)
    packed = torch.ops.mkldnn._reorder_convolution_weight(weight, *numbers, list(a.shape))
    convolve = torch.ops.mkldnn._convolution_pointwise
    functions = {
        "ours": lambda: layer(mine),
        "oneDNN": lambda: convolve(a, packed, b, *numbers, "relu", [], ""),
    }
    true = torch.conv2d(a.double(), weight.double(), b.double(), case.stride, case.padding, 1, case.groups).relu()
    expected = true.permute(0, 2, 3, 1).numpy()
    found = {"ours": layer(mine).asnumpy(), "oneDNN": functions["oneDNN"]().permute(0, 2, 3, 1).numpy()}
    for name, result in found.items():
        if not float(numpy.abs(result - expected).max()) <= TOLERANCE * max(1.0, float(expected.max())):
            raise SystemExit(f"{case}: {name} is wrong by {numpy.abs(result - expected).max()}")
    samples = in_turns(functions, rounds, sample_s)
    ours, theirs = (statistics.median(samples[name]) for name in ("ours", "oneDNN"))
    return Timed(case, ours, theirs, median_ratio(samples, "ours", "oneDNN"))


def report(timed: list[Timed], markdown: bool) -> None:
    """Print all layers, the worst first, then the mean."""
    rows = [
        (
            str(one.case),
            one.case.net,
            microseconds(one.ours),
            f"{1e-9 * one.case.flops / one.ours:.1f}",
            microseconds(one.theirs),
            f"{one.ratio:.3f}",
        )
        for one in sorted(timed, key=lambda one: -one.ratio)
    ]
    print("Convolutions with bias and ReLU, images x pixels x channels:\n")
    table(("layer", "net", "ours µs", "GFLOP/s", "oneDNN µs", "ratio"), rows, markdown, WORDS)
    print(f"\ngeometric mean of {len(timed)} ratios {mean_of(timed):.3f}\n")


def mean_of(timed: list[Timed]) -> float:
    """The geometric mean of the layers' ratios."""
    return geometric_mean([one.ratio for one in timed])


def main() -> None:
    """Measure and report."""
    arguments = parser(__doc__, rounds=7, cpu=0)
    arguments.add_argument("--winograd", action="store_true", help="ours may take fewer products")
    options = arguments.parse_args()
    run_on(options.cpu)
    torch.set_num_threads(1)
    set_num_threads(1)
    with torch.inference_mode():
        timed = [measure(case, options.rounds, options.winograd) for case in cases()]
    report(timed, options.markdown)
    if options.figures is not None:
        options.figures.write_text(json.dumps({LAYERS: mean_of(timed)}))


if __name__ == "__main__":
    main()
