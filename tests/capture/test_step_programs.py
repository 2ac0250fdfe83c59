"""Programs of chance that train: source text with nets, trainers, containers, objects, branches, loops, and draws.

Each is run imperatively and compiled. All that can be seen afterwards must be the same, or the program is refused.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from contextlib import nullcontext
from typing import Any

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, np
from hybridize.errors import HybridizeError
from hybridize.gluon import nn

CALLS = 3
REFUSALS = ("E407", "E408", "E423", "E430", "E431", "E432", "E440", "E441", "E446", "E521", "E541", "E543", "E544",
            "E545", "E556", "E558", "E562")  # fmt: skip
"""What may be refused where imperative Python does something: gradients that are not clear, and branches on data."""

HEAD = """
from hybridize import autograd, hybridize, np, npx
from hybridize.programs_of_chance import Twice, World


def helper(x, y):
    if x.sum() > y.sum():
        return x * 0.5
    z = np.tanh(y)
    for k in range(2):
        z = z + x * k
    return z


@hybridize
def compiled(x, y):
    return np.sin(x) * y + x


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by


def make(W: World):
    D, L, O = W.dict, W.list, W.object
    a, b, c = W.arrays
    scale = Scale(0.7)

    def step(x, n):
"""


class Twice(autograd.Function):
    """A gradient of its own: twice the true one."""

    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, g):
        (x,) = self.saved_tensors
        return 4 * g * x


class Plain:
    """An object with attributes."""


class World:
    """What a step may reach."""

    def __init__(self, seed: int) -> None:
        rng = numpy.random.default_rng(seed)
        hz.random.seed(seed)

        def array() -> Any:
            return np.array(rng.standard_normal(4) * 0.7, dtype="float64")

        self.arrays = [array() for _ in range(3)]
        for number, one in enumerate(self.arrays):
            one.attach_grad("add" if seed % 4 == 0 and number == 1 else "write")
        self.dict = {"m": array(), "v": array(), "k": 2.0, "n": numpy.arange(4.0)}
        self.list = [array(), self.arrays[0], array()]
        self.object = Plain()
        self.object.h, self.object.k, self.object.flag, self.object.inner = array(), 1.5, seed % 2 == 0, Plain()
        self.object.inner.h, self.object.loss = array(), array()
        self.nets = []
        for number in range(2):
            net = nn.HybridSequential()
            net.add(nn.Dense(4, in_units=4, activation="tanh"), nn.Dropout(0.3 * number))
            net.initialize(init.Normal(0.5))
            net.cast("float64")
            self.nets.append(net)
        if seed % 3 == 0:
            self.nets[1].hybridize()
        first, second = (net.collect_params() for net in self.nets)
        if seed % 5 == 0:
            next(iter(first.values())).grad_req = "add"
        self.trainers = [
            gluon.Trainer(first, "sgd", {"learning_rate": 0.1, "momentum": 0.5}),
            gluon.Trainer(second, "adam", {"learning_rate": 0.05, "wd": 0.01}),
        ]
        self.parameters = [*first.values(), *second.values()]

    def seen(self) -> list[Any]:
        """All that can be seen from outside."""
        o = self.object
        found = [*self.arrays, *(x.grad for x in self.arrays), *self.dict.values(), *self.list, o.h, o.k, o.inner.h]
        found += [o.loss, *(p.data() for p in self.parameters), *(p.grad() for p in self.parameters)]
        found += [t.optimizer.num_update for t in self.trainers] + [self.trainers[1].optimizer.rescale_grad]
        kept = [*self.list, self.dict["m"], self.dict["v"], o.h, o.inner.h, o.loss]
        shared = [x is y for x in kept for y in (*self.arrays, *kept)]
        return [*found, shared, [bool(p.fresh_grad) for p in self.parameters], hz.random.state]


# ------------------------------------------------------------------------------------------------------ the grammar


class Writer:
    """Writes the body of one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.names: list[str] = []
        """Values made so far that every path has."""
        self.depth = 2
        self.count = 0
        self.recorded: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def new(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def value(self) -> str:
        """An array of four elements."""
        outside = [
            "a", "b", "c", "x", "D['m']", "D['v']", "L[0]", "L[1]", "L[n % 3]", "O.h", "O.inner.h",
        ]  # fmt: skip
        if self.names and self.rng.random() < 0.6:
            return self.rng.choice(self.names[-6:])
        return self.rng.choice(outside)

    def expression(self) -> str:
        p, q = self.value(), self.value()
        return self.rng.choice([
            f"{p} * {q}", f"{p} + {q} * 0.5", f"np.tanh({p})", f"{p}[::-1]", f"{p}.reshape(2, 2).T.reshape(4)",
            f"{p} * O.k", f"{p} * D['n']", f"{p} * D['k'] + n", f"helper({p}, {q})", f"compiled({p}, {q})", f"scale({p}) - {q}",
            f"np.where({p} > 0, {p}, {q} * 2)", f"{p}.detach() * {q}", f"npx.stop_gradient({p}) + {q}",
            f"({p} if {q}.sum() > 0 else {p} * 0.3)", f"Twice()({p}) * 0.1", f"autograd.checkpoint(helper)({p}, {q})",
            f"npx.foreach(lambda r, s: (r * s, s + r), {p} * 1, {q}[0])[0]",
            f"npx.cond({p}.sum() > 0, lambda: {p} * 1, lambda: {q} * 2)",
            f"W.nets[0](({p}).reshape(1, 4)).reshape(4)", f"W.nets[1](({p}).reshape(1, 4)).reshape(4)",
            f"np.concatenate([{p}[:2], {q}[2:]])", f"{p} * (1 if O.flag else 2)", f"max({p}.sum(), {q}.sum()) * {q}",
            f"np.dot({p}.reshape(2, 2), {q}.reshape(2, 2)).reshape(4)",
            f"{p} + np.random.uniform(size=(4,)).astype('float64') * 0.5",
        ])  # fmt: skip

    def inside(self) -> None:
        """A statement of what is recorded."""
        others = ["pause", "write", "scale", "branch", "loop", "rows", "while", "collect", "local"]
        kind = self.rng.choice([*["let"] * 6, *others])
        name = self.new()
        match kind:
            case "let":
                self.line(f"{name} = {self.expression()}")
            case "pause":
                self.line("with autograd.pause():")
                self.line(f"    {name} = {self.expression()}")
            case "write" if self.names:
                target = self.rng.choice(self.names)
                self.line(f"{target}[1:3] = {self.value()}[:2]")
                self.line(f"{name} = {target} * 1.5")
            case "scale" if self.names:
                target = self.rng.choice(self.names)
                self.line(f"{target} *= {self.value()}")
                self.line(f"{name} = {target}")
            case "branch":
                self.line(f"{name} = {self.expression()}")
                self.line(f"if {self.value()}.sum() > {self.rng.choice(['0', 'n', 'O.k'])}:")
                self.line(f"    {name} = {self.expression()}")
                if self.rng.random() < 0.5:
                    self.line("else:")
                    self.line(f"    {name} = {name} * 0.5")
            case "loop":
                self.line(f"{name} = {self.value()} * 1")
                self.line("for i in range(3):")
                self.line(f"    {name} = {name} * 0.5 + {self.value()}")
                if self.rng.random() < 0.3:
                    self.line(f"    if {name}.sum() > 1:")
                    self.line(f"        {self.rng.choice(['break', 'continue'])}")
            case "rows":
                self.line(f"{name} = 0")
                self.line(f"for row in {self.value()}.reshape(2, 2):")
                self.line(f"    {name} = {name} + row.sum() * {self.value()}")
            case "while":
                self.line(f"{name}, i = {self.value()} * 1, 0")
                self.line(f"while i < {self.rng.choice(['2', 'n + 1'])}:")
                self.line(f"    {name} = {name} + {self.value()}")
                self.line("    i += 1")
            case "collect":
                self.line(f"parts = [{self.expression()}, {self.expression()}]")
                self.line(f"parts.append(parts[0] * {self.value()})")
                self.line(f"{name} = sum(p * 0.5 for p in parts)")
            case "local":
                self.line("o = {'q': " + self.value() + " * 1, 'r': [" + self.value() + "]}")
                self.line("o['q'] = o['q'] + o['r'][0]; o['r'][0] = o['q'] * 2")
                self.line(f"{name} = o['r'][0] - o['q']")
            case _:
                self.line(f"{name} = {self.expression()}")
        self.names.append(name)

    def recording(self) -> None:
        """A recording and its backward pass."""
        mode = self.rng.choice(["autograd.record()", "autograd.record()", "autograd.record(train_mode=False)"])
        self.line(f"with {mode}:")
        self.depth += 1
        for _ in range(self.rng.randint(1, 5)):
            self.inside()
        loss = self.new()
        used = " + ".join(f"({name} * {name}).sum()" for name in self.rng.sample(self.names, min(3, len(self.names))))
        nets = " + ".join(f"(W.nets[{k}](({self.value()}).reshape(1, 4)) ** 2).sum()" for k in range(2))
        self.line(f"{loss} = {used} * 0.1 + (a * b * c).sum() + {nets}")
        self.depth -= 1
        match self.rng.randrange(4):
            case 0:
                self.line(f"autograd.backward([{loss}])")
            case 1:
                self.line(f"{loss}.backward(retain_graph=True)")
            case _:
                self.line(f"{loss}.backward()")
        self.recorded.append(loss)

    def outside(self) -> None:
        """A statement of what is not recorded."""
        name, p = self.new(), self.value()
        kind = self.rng.choice([
            "t0", "t0", "t1", "sgd", "sgd", "zero", "zero p", "dict", "list", "object", "inner", "number", "loss", "let",
            "view", "rate", "item", "swap", "branch", "average", "add",
        ])  # fmt: skip
        match kind:
            case "t0":
                self.line("W.trainers[0].step(n + 1, ignore_stale_grad=True)")
            case "t1":
                self.line("W.trainers[1].step(2, ignore_stale_grad=True)")
            case "sgd":
                w = self.rng.choice("abc")
                self.line(f"{w}[...] -= 0.05 * {w}.grad")
            case "zero":
                self.line(f"{self.rng.choice('abc')}.grad[...] = 0")
            case "zero p":
                self.line("W.nets[0].collect_params().zero_grad()")
            case "dict":
                self.line(f"D['m'] = {p} * 0.9")
            case "average":
                self.line(f"D['v'] = 0.9 * D['v'] + {p}.detach()")
            case "list":
                self.line(f"L[{self.rng.randrange(3)}] = {p} + 0.1")
            case "object":
                self.line(f"O.h = {p} * 0.8")
            case "inner":
                self.line(f"O.inner.h = O.inner.h + {p} * 0.1")
            case "number":
                self.line("O.k = O.k * 1.1")
            case "loss" if self.recorded:
                self.line(f"O.loss = {self.recorded[-1]}")
            case "let":
                self.line(f"{name} = {p} * {self.value()}")
                self.names.append(name)
            case "view":
                self.line(f"{name} = {p}[::-1]")
                self.names.append(name)
            case "rate":
                self.line(f"{name} = {p} * W.trainers[0].learning_rate + W.trainers[1].optimizer.num_update")
                self.names.append(name)
            case "item":
                self.line(f"O.inner.h[1:] = {p}[1:] * 0.5")
            case "swap":
                self.line("L[0], L[2] = L[2], L[0]")
            case "add":
                self.line(f"L[1] -= 0.01 * {p}")
            case "branch":
                self.line("if O.flag and n < 2:")
                self.line("    O.h[...] = O.h * 0.5")
            case _:
                self.line(f"{name} = {p} * 2")
                self.names.append(name)

    def forward(self) -> str:
        """A program that somebody else records and goes back through."""
        for _ in range(self.rng.randint(2, 6)):
            self.inside()
        used = " + ".join(f"({name} * {name}).sum()" for name in self.rng.sample(self.names, min(3, len(self.names))))
        nets = " + ".join(f"(W.nets[{k}](({self.value()}).reshape(1, 4)) ** 2).sum()" for k in range(2))
        self.line(f"loss = {used} * 0.1 + (a * b * c).sum() + {nets}")
        self.line(f"return loss, {self.names[-1]}, {self.value()}")
        return HEAD + "\n".join(self.lines) + "\n\n    return step\n"

    def text(self) -> str:
        """A program that trains."""
        for _ in range(self.rng.randint(1, 2)):
            for _ in range(self.rng.randint(0, 2)):
                self.outside()
            if self.rng.random() < 0.85:
                self.names = []  # what was recorded before is gone, mostly
            self.recording()
            for _ in range(self.rng.randint(1, 4)):
                self.outside()
        results = ", ".join([*self.recorded, self.value(), self.value()])
        self.line(f"return {results}")
        return HEAD + "\n".join(self.lines) + "\n\n    return step\n"


def _module(seed: int, folder: Any, *, whole: bool) -> Any:
    path = folder / f"program_{seed}_{whole}.py"
    text = Writer(seed).text() if whole else Writer(seed).forward()
    path.write_text(text.replace("hybridize.programs_of_chance", __name__))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _flat(values: Any) -> list[Any]:
    return [numpy.array(x.asnumpy() if hasattr(x, "asnumpy") else x, copy=True) for x in values]


def _recorded(world: World, step: Any, x: Any, n: int) -> Any:
    """A call that is recorded, its backward pass, and updates."""
    with autograd.record():
        results = step(x, n)
        total = results[0] + (results[1] * world.arrays[0]).sum() * 0.1
    total.backward()
    for trainer in world.trainers:
        trainer.step(2, ignore_stale_grad=True)
    world.arrays[0][...] -= 0.05 * world.arrays[0].grad
    return results


def run(seed: int, folder: Any, *, compiled: bool, whole: bool = True, **options: Any) -> Any:
    """What there is to be seen after each call; the error where there was one."""
    sys.modules.setdefault(__name__, sys.modules[run.__module__])
    with nullcontext() if compiled else hz.disabled():
        world = World(seed)
        step = _module(seed, folder, whole=whole).make(world)
        step = hybridize(step, **options) if compiled else step
        found = []
        rng = numpy.random.default_rng(seed + 1)
        try:
            for call in range(CALLS):
                x = np.array(rng.standard_normal(4), dtype="float64")
                n = call % 2 + 1
                results = step(x, n) if whole else _recorded(world, step, x, n)
                found.append([*_flat(results), *_flat(world.seen())])
        except HybridizeError as error:
            return error
        except AttributeError as error:  # NumPy's arrays know no detach()
            return HybridizeError("E000", str(error))
        return found


def compare(seed: int, folder: Any, *, whole: bool = True, **options: Any) -> str:
    """`same`, or the code of a refusal; raises where something differs."""
    expected = run(seed, folder, compiled=False, whole=whole)
    if isinstance(expected, HybridizeError):
        return "imperative " + expected.code
    found = run(seed, folder, compiled=True, whole=whole, **options)
    if isinstance(found, HybridizeError):
        if found.code not in REFUSALS:
            raise found
        return found.code
    for call, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        for place, (x, y) in enumerate(zip(ours, theirs, strict=True)):
            assert x.dtype == y.dtype and x.shape == y.shape, (seed, call, place, x, y)
            numpy.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-10, err_msg=f"seed {seed}, call {call}, {place}")
    return "same"


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.long) for first in (8, 16))])
def test_programs_of_chance(first, whole, tmp_path):
    outcomes = [compare(seed, tmp_path, whole=whole) for seed in range(first, first + 8)]
    assert outcomes.count("same") >= 5, outcomes
