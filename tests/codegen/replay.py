"""The IR of a corpus of programs, as digests: what a refactoring must leave as it is.

    python tests/codegen/replay.py            which programs have other IR than written down
    python tests/codegen/replay.py --write    write down the IR of today: for a change that is meant to change it

The corpus: every op by its samples, and nets, of fixed and unknown sizes, with threads, packed weights, gradients and
updates in place. No machine is asked: targets are named ones, some with values of real machines.
"""

import dataclasses
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy

import hybridize
from hybridize import autograd, gluon, np, npx, ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import build
from hybridize.graph import Builder
from hybridize.machine.target import Target, named_target
from hybridize.ops import OPS, make_graph
from hybridize.passes import PIPELINE
from tests.catalog.samples import samples

FILE = Path(__file__).with_name("replay.json")
TARGETS = {
    "avx512": named_target("avx512"),
    "intel": dataclasses.replace(named_target("avx512"), l1_bytes=48 << 10, l2_bytes=2 << 20, unroll=2, packs_from=1),
    "avx2": named_target("avx2"),
    "wasm32": named_target("wasm32"),
}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def ir(graph, target: Target, **options) -> str:
    """The module of a program, and its plan."""
    built = build(PIPELINE.run(graph), target, **options)
    return f"{summary(built.plan)}\n{built.module.text()}"


def op_graphs(word: str) -> Iterator:
    for sample in samples(OPS[word]):
        if sample.fails is None:
            builder = Builder()
            inputs = [builder.input(TensorType(x.shape, x.dtype)) for x in sample.inputs]
            yield builder.finish(builder.add(_named(sample.op), inputs))


def array(*shape, dtype="float32", seed=0):
    return np.array(numpy.random.default_rng(seed).normal(size=shape).astype(dtype))


def mlp():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(256, activation="relu", in_units=512), gluon.nn.Dense(128, activation="relu", in_units=256))
    net.add(gluon.nn.Dense(2, in_units=128))
    net.initialize()
    return net


def captured(function, *args):
    """The graph of a call, and the inputs that are the same at most calls."""
    program = hybridize.hybridize(function).program(*args)
    return program.capture.graph


def nets() -> Iterator[tuple[str, object, dict]]:
    """(name, graph, options of `build`)"""
    net = mlp()
    for rows in (1, 7, 64, 1024):
        graph = captured(net, array(rows, 512))
        yield f"mlp-{rows}", graph, {}
        yield f"mlp-{rows} packed", graph, {"stable": range(1, len(graph.inputs))}
        yield f"mlp-{rows} threads", graph, {"slots": 4}
    function = hybridize.hybridize(lambda x, w: npx.softmax(np.dot(x, w) + 1.0))
    function(array(5, 40), array(40, 30))
    function(array(9, 40), array(40, 30))
    yield "any rows", function.program(array(11, 40), array(40, 30)).capture.graph, {}
    yield "any rows threads", function.program(array(11, 40), array(40, 30)).capture.graph, {"slots": 2}

    def step(x, y):
        with autograd.record():
            loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        return loss, *[p.data().grad for p in net.collect_params().values()]

    yield "step", captured(step, array(64, 512), array(64, 2)), {}
    yield "norm", captured(lambda x: npx.layer_norm(x, np.ones(96), np.zeros(96)), array(50, 96)), {}
    yield "transposes", captured(lambda x: (x.T + 1.0) * x.sum(0, keepdims=True).T, array(130, 70)), {}
    yield "batches", captured(lambda a, b: npx.batch_dot(a, b, False, True), array(6, 33, 20), array(6, 17, 20)), {}
    for dtype in ("float16", "float64"):
        yield (
            f"products {dtype}",
            captured(lambda a, b: np.dot(a, b), array(30, 50, dtype=dtype), array(50, 70, dtype=dtype)),
            {},
        )
    yield "long chain", captured(chain, array(1000)), {}
    for name, spec, x, w, sizes in TAPS:
        types = [TensorType(shape, numpy.dtype("float32")) for shape in (x, w)]
        graph = make_graph(lambda x, w, spec=spec, sizes=sizes: [ops.contract(spec, x, w, sizes)], types)
        yield f"taps {name}", graph, {}
        yield f"taps {name} packed, threads", graph, {"stable": (1,), "slots": 4}


TAPS = (
    ("borders", "n[y+r-1][x+s-1]c,orsc->nyxo", (1, 56, 56, 64), (64, 3, 3, 64), {"y": 56, "x": 56}),
    ("phases", "nc[(y-r+1)/2][(x-s+1)/2],ocrs->noyx", (2, 32, 7, 7), (40, 32, 3, 3), {"y": 14, "x": 14}),
    ("blocks", "n[y+r-1][x+s-1]c,nyxo->orsc", (16, 56, 56, 16), (16, 56, 56, 32), {"r": 3, "s": 3}),
    ("far panels", "n[y+r][x+s]c,orsc->nyxo", (1, 9, 9, 512), (512, 3, 3, 512), {"y": 7, "x": 7}),
)
"""Contractions by tiles over taps."""


def chain(x):
    for k in range(150):
        x = np.tanh(x) * (1.0 + k) if k % 3 else x + 0.5
    return x


def lstm(x, w, h, u, b, c):
    return lstm_cell(np.dot(x, w) + np.dot(h, u) + b, c)


def lstm_cell(z, c):
    i, forget, g, o = np.split(z, 4, axis=-1)
    c = npx.sigmoid(forget) * c + npx.sigmoid(i) * np.tanh(g)
    return npx.sigmoid(o) * np.tanh(c), c


def gates() -> Iterator[tuple[str, object, dict]]:
    """Steps of a recurrent layer."""
    for rows in (1, 32):
        cell = array(rows, 64), array(64, 512), array(rows, 128), array(128, 512), array(512), array(rows, 128)
        yield f"gates-{rows}", captured(lstm, *cell), {}
        yield f"gates-{rows} packed", captured(lstm, *cell), {"stable": (1, 3)}


def recurrent() -> Iterator[tuple[str, object, dict]]:
    """Recurrent layers over their input products, as `nets`."""

    def layer(z, h, c, u):
        def body(at, state):
            h, c = lstm_cell(at + np.dot(state[0], u.T), state[1])
            return h, [h, c]

        return npx.foreach(body, z, [h, c])[0]

    for rows in (1, 32):
        operands = array(35, rows, 512), array(rows, 128), array(rows, 128), array(512, 128)
        graph = captured(layer, *operands)
        yield f"scan-{rows}", graph, {}
        yield f"scan-{rows} packed", graph, {"stable": (3,)}
        yield f"scan-{rows} threads", graph, {"slots": 4}
    small = array(9, 2, 64), array(2, 16), array(2, 16), array(64, 16)
    yield "scans in one loop", captured(lambda *xs: (layer(*xs), layer(xs[0] + 1.0, *xs[1:])), *small), {}


def banded() -> Iterator[tuple[str, object, dict]]:
    """Nets whose steps share bands of rows, as `nets`."""
    yield "attention", captured(attention, *[array(4, 512, 32)] * 3), {}
    yield "attention threads", captured(attention, *[array(4, 512, 32)] * 3), {"slots": 4}


def attention(q, k, v):
    return np.matmul(npx.softmax(np.matmul(q, k.transpose(0, 2, 1)) * 0.25), v)


def inverted(stride):
    """An inverted residual: pointwise, depthwise, pointwise."""

    def run(x, expand, depth, project):
        y = ops.convolution(x, expand)
        channels, _, taps, _ = ops.type_of(depth).shape
        y = ops.convolution(ops.max(y, ops.like(0, y)), depth, stride, taps // 2, 1, channels)
        return [ops.convolution(ops.max(y, ops.like(0, y)), project)]

    return run


DEPTHWISE = (("28", (28, 28), 96, 3, 1), ("strided", (15, 14), 33, 3, 2), ("five", (14, 14), 40, 5, 1))
"""Inverted residuals: sizes of images, channels, of the window, stride."""


def depthwise() -> Iterator[tuple[str, object, dict]]:
    """Nets with depthwise convolutions, as `nets`."""
    for name, sizes, channels, taps, stride in DEPTHWISE:
        shapes = (2, 16, *sizes), (channels, 16, 1, 1), (channels, 1, taps, taps), (24, channels, 1, 1)
        types = [TensorType(shape, numpy.dtype("float32")) for shape in shapes]
        graph = make_graph(inverted(stride), types)
        yield f"depthwise {name}", graph, {"stable": (1, 2, 3)}
        yield f"depthwise {name} threads", graph, {"slots": 4}

        def slopes(*of, graph=graph):
            return ops.pullback(graph, of[:4], of[4:])

        yield f"depthwise {name} gradients", make_graph(slopes, [*types, graph.outputs[0].type]), {}


def corpus() -> dict[str, str]:
    """A digest for each program, of ops for all samples together."""
    found = {}
    for word in sorted(OPS):
        texts = []
        for graph in op_graphs(word):
            try:
                texts.append(ir(graph, TARGETS["avx512"]))
            except hybridize.errors.HybridizeError as error:
                texts.append(str(error.code))  # no program holds it
        found[f"op {word}"] = digest("\n".join(texts))
    for name, graph, options in (*nets(), *gates(), *recurrent(), *banded(), *depthwise()):
        for target, machine in TARGETS.items():
            found[f"{name} for {target}"] = digest(ir(graph, machine, **options))
    return found


def _named(op):
    """An op; a call of Python has a name that counts the functions of this process. Below, as plans have lines of this
    file."""
    return dataclasses.replace(op, callee="1") if op.name == "python_call" else op


def summary(plan) -> str:
    """The steps of a plan at the sizes that it was compiled at, a line each."""
    from tests.runtime.plan_text import parse  # here, as digests know the lines of what is above

    assert parse(str(plan)) == plan
    now = plan.as_compiled()
    lines = [f"sizes {', '.join(plan.sizes)}"] if plan.sizes else []
    lines.append(f"scratch {now.scratch_bytes} bytes, peak {now.peak_bytes} bytes")
    return "\n".join(lines + [f"  {step}" for step in now.steps])


if __name__ == "__main__":
    from tests.records import check_tree  # here, as digests know the lines of what is above

    check_tree(__file__)
    now = corpus()
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(now, indent=0) + "\n")
    else:
        before = json.loads(FILE.read_text())
        differ = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        print(*differ, f"{len(differ)} of {len(now)} differ", sep="\n")
