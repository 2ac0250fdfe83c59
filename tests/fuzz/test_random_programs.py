"""Random programs: Python source with branches, loops, views and writes gives the same imperatively and compiled.

Numbers are small integers in float32, so that every result is exact and no branch depends on rounding. A program may
be refused (at a line of its own, with an error that says so), but never give another result, nor write something else
to its arguments.
"""

import linecache
from dataclasses import dataclass, field
from typing import Any

import numpy
import pytest

from hybridize.array import ndarray, np, npx
from hybridize.base.errors import HybridizeError
from hybridize.base.nested import flatten
from hybridize.capture import Function

MATRIX, VECTOR, SCALAR, NUMBER = "matrix", "vector", "scalar", "number"
"""Kinds of values: f32[3,4], f32[4], f32[] and Python's own numbers."""
KINDS = (MATRIX, MATRIX, VECTOR, VECTOR, SCALAR, NUMBER)


@dataclass
class Writer:
    """Writes a program, line by line. `names` are the variables that may be read here, by kind."""

    draw: numpy.random.Generator
    lines: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    depth: int = 1
    loops: int = 0
    data_loops: int = 0
    count: int = 0

    def pick(self, choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.draw.random() < share)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # ------------------------------------------------------------------------------------------------- expressions

    def name(self, kind: str) -> str:
        return self.pick(self.names[kind])

    def expression(self, kind: str, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.25):
            return self.leaf(kind)
        return f"({getattr(self, '_' + kind)(depth - 1)})"

    def leaf(self, kind: str) -> str:
        if kind == NUMBER and self.chance(0.5):
            return str(self.pick([-2, -1, 0, 1, 2, 3]))
        return self.name(kind)

    def _arithmetic(self, kind: str, depth: int) -> str:
        left, right = self.expression(kind, depth), self.expression(kind, depth)
        return self.pick(
            [
                f"({left} + {right})",
                f"({left} - {right})",
                f"np.clip({left} * {right}, -9, 9)",
                f"np.maximum({left}, {right})",
                f"np.minimum({left}, {right})",
                f"np.where({left} > {right}, {left}, {right} + 1)",
                f"({left} // 2)",
                f"({left} % 5)",
                f"abs({left})",
                f"(-{left})",
                f"npx.relu({left})",
                f"({left} == {right}).astype('float32')",
                f"np.clip({left}, -3, 4)",
                f"np.where({left} != 0, {left}, 7)",
                f"(1 - {right})",
                f"({left} > 1) * {right}",
                f"{left}.copy()",
            ]
        )

    def _matrix(self, depth: int) -> str:
        matrix, vector, scalar, number = (self.expression(kind, depth) for kind in (MATRIX, VECTOR, SCALAR, NUMBER))
        return self.pick(
            [
                self._arithmetic(MATRIX, depth),
                self._arithmetic(MATRIX, depth),
                self._arithmetic(MATRIX, depth),
                f"({matrix} + {vector})",
                f"({matrix} - {scalar})",
                f"({matrix} + {number})",
                f"{matrix}[::-1]",
                f"{matrix}[:, ::-1]",
                f"{matrix}.reshape(4, 3).T",
                f"{matrix}.T.reshape(3, 4)",
                f"np.stack([{vector}, {vector}, {self.leaf(VECTOR)}])",
                f"np.concatenate([{matrix}[1:], {matrix}[:1]])",
                f"np.broadcast_to({vector}, (3, 4))",
                f"{matrix}[[2, 0, 1]]",
                f"np.roll({matrix}, 1, axis=1)",
                f"np.cumsum({matrix}, axis=0) % 7",
                f"np.sort({matrix}, axis=1)",
                f"np.flip({matrix}, 0)",
                f"(+{matrix})",
                f"np.array([row + {number} for row in {matrix}]) % 9",
                f"({matrix} if {self.condition(0)} else {self.leaf(MATRIX)})",
            ]
        )

    def _vector(self, depth: int) -> str:
        matrix, vector, scalar, number = (self.expression(kind, depth) for kind in (MATRIX, VECTOR, SCALAR, NUMBER))
        return self.pick(
            [
                self._arithmetic(VECTOR, depth),
                self._arithmetic(VECTOR, depth),
                self._arithmetic(VECTOR, depth),
                f"{matrix}[{self.pick([-1, 0, 1, 2])}]",
                f"{matrix}.sum(axis=0) % 9",
                f"{matrix}.max(0)",
                f"({vector} * {scalar}) % 9",
                f"({vector} + {number})",
                f"{vector}[::-1]",
                f"{matrix}.T[:, {self.pick([0, 1])}]",
                f"{matrix}.reshape(-1)[3:7]",
                f"np.cumsum({vector}) % 9",
                f"np.sort({vector})",
                f"({vector} if {self.condition(0)} else {self.leaf(VECTOR)})",
                f"{matrix}[np.argmax({vector}) % 3]",
                f"({vector} @ {matrix}.T @ {matrix}) % 9",
            ]
        )

    def _scalar(self, depth: int) -> str:
        matrix, vector, scalar = (self.expression(kind, depth) for kind in (MATRIX, VECTOR, SCALAR))
        return self.pick(
            [
                self._arithmetic(SCALAR, depth),
                f"({matrix}.sum() % 9)",
                f"{vector}.max()",
                f"{vector}[{self.pick([0, 1, -1])}]",
                f"{matrix}[1, 2]",
                f"({vector} @ {self.leaf(VECTOR)} % 9)",
                f"{vector}.min()",
                f"({scalar} + {self.leaf(NUMBER)})",
            ]
        )

    def _number(self, depth: int) -> str:
        number = self.expression(NUMBER, depth)
        matrix = self.leaf(MATRIX)
        return self.pick(
            [
                f"({number} + {self.leaf(NUMBER)})",
                f"({number} * 2 % 7)",
                f"{matrix}.shape[{self.pick([0, 1, -1])}]",
                f"len({matrix})",
                f"{matrix}.ndim",
                f"min({number}, 3)",
                f"max({number}, -1)",
                f"abs({number})",
                f"({number} // 2)",
            ]
        )

    def condition(self, depth: int = 1) -> str:
        number, scalar, vector = (
            self.expression(NUMBER, 1),
            self.expression(SCALAR, depth),
            self.expression(VECTOR, depth),
        )
        simple = self.pick(
            [
                f"{scalar} > {number}",
                f"{scalar} == {self.leaf(SCALAR)}",
                f"{vector}.sum() < 3",
                f"({vector} > 0).all()",
                f"{number} > 1",
                f"{self.leaf(NUMBER)} % 2 == 0",
                f"({vector} != 2).any()",
                f"-1 < {self.leaf(SCALAR)} <= 3",
                f"{self.leaf(SCALAR)}",
            ]
        )
        if depth and self.chance(0.2):
            return self.pick([f"not {simple}", f"{simple} and {self.condition(0)}", f"{simple} or {self.condition(0)}"])
        return simple

    # -------------------------------------------------------------------------------------------------- statements

    def assign(self, new: bool) -> None:
        kind = self.pick(KINDS)
        if new and self.chance(0.5):
            name = self.fresh("xyzuvw"[int(self.draw.integers(6))])
            self.line(f"{name} = {self.expression(kind)}")
            self.names[kind].append(name)
            return
        self.line(f"{self.name(kind)} = {self.expression(kind)}")

    def write(self) -> None:
        """In place, through whatever the name stands for."""
        matrix, vector, scalar, number = (self.expression(kind, 1) for kind in (MATRIX, VECTOR, SCALAR, NUMBER))
        m, v, s, n = (self.name(kind) for kind in (MATRIX, VECTOR, SCALAR, NUMBER))
        self.line(
            self.pick(
                [
                    f"{m} += {matrix}",
                    f"{m} -= {vector}",
                    f"{m} *= 2",
                    f"{m} %= 7",
                    f"{v} += {vector}",
                    f"{v} -= {scalar}",
                    f"{v} %= 5",
                    f"{m}[{self.pick([0, 1, -1])}] = {vector}",
                    f"{m}[:, {self.pick([0, 2])}] = {scalar}",
                    f"{m}[1:] = {vector}",
                    f"{m}[0, 1] += {number}",
                    f"{m}[::2] -= {vector}",
                    f"{v}[1:3] = {scalar}",
                    f"{v}[{self.pick([0, -1])}] = {number}",
                    f"{m}.T[1] = {scalar}",
                    f"{m}[...] = {matrix}",
                    f"{v}[:] = {vector}",
                    f"{n} += 1",
                    f"{s} = {s} + 1",
                    f"{m}[{m} > 3] = {number}",
                    f"{m}[1][2:] = {number}",
                    f"{v}[::-1][:2] = {vector}[1:3]",
                    f"{m}[:, 1:3] *= {m}[:, :2] % 3",
                    f"{m}[1:] = {m}[:-1]",
                    f"{v} = {m}[{self.pick([0, 1, 2])}]",
                    f"{m} = {m}[::-1]",
                ]
            )
        )

    def block(self, size: int) -> None:
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.depth += 1
        for _ in range(size):
            self.statement(new=True)
        self.depth -= 1
        self.names = saved

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        self.block(int(self.draw.integers(1, 3)))
        if self.chance(0.3):
            self.line(f"elif {self.condition()}:")
            self.block(1)
        if self.chance(0.6):
            self.line("else:")
            self.block(int(self.draw.integers(1, 3)))

    def loop(self) -> None:
        self.loops += 1
        kind = self.pick(["range", "range", "rows", "while", "while", "zip"])
        step = self.fresh("i")
        if kind == "range":
            self.line(f"for {step} in range({self.pick([0, 1, 2, 3])}):")
            self.names[NUMBER].append(step)
        elif kind == "rows":
            self.line(f"for {step} in {self.name(MATRIX)}:")
            self.names[VECTOR].append(step)
        elif kind == "zip":
            self.line(f"for {step}, {step}b in enumerate({self.name(MATRIX)}):")
            self.names[VECTOR].append(step + "b")
            self.names[NUMBER].append(step)
        else:
            self.line(f"{step} = {self.pick(['0', self.leaf(SCALAR) + ' % 4'])}")
            self.line(f"while {step} < 4{self.pick(['', ' and ' + self.condition(0)])}:")
            self.line(f"    {step} = {step} + 1")
        self.depth += 1
        if self.chance(0.25):
            self.line(f"if {self.condition(0)}:")
            self.line(f"    {self.pick(['break', 'continue'])}")
        self.depth -= 1
        self.block(int(self.draw.integers(1, 3)))
        if kind == "while":
            self.names[NUMBER] = [name for name in self.names[NUMBER] if name != step]
        else:
            for names in self.names.values():
                names[:] = [name for name in names if name not in (step, step + "b")]
        self.loops -= 1

    def statement(self, new: bool) -> None:
        share = self.draw.random()
        if share < 0.4:
            self.assign(new)
        elif share < 0.75:
            self.write()
        elif share < 0.9 and self.depth < 4:
            self.branch()
        elif self.depth < 3 and not self.loops:
            self.loop()
        elif self.depth == 1 and self.chance(0.3):
            self.line(f"if {self.condition()}:")
            self.line(
                f"    return {self.expression(MATRIX)}, {self.name(VECTOR)}, {self.expression(SCALAR)}, "
                f"{self.name(NUMBER)}"
            )
        else:
            self.assign(new)

    def program(self) -> str:
        self.names = {MATRIX: ["a", "b"], VECTOR: ["v", "w"], SCALAR: ["s"], NUMBER: ["n"]}
        if self.chance(0.4):
            self.line(
                self.pick(
                    ["b = a[::-1]", "v = a[1]", "w = b[:, ::2].reshape(-1)[:4]", "w = v[::-1]", "b = a.reshape(4, 3).T"]
                )
            )
        for _ in range(int(self.draw.integers(3, 8))):
            self.statement(new=True)
        results = [self.name(kind) for kind in (MATRIX, VECTOR, SCALAR, NUMBER)]
        self.line(f"return {', '.join(results)}, {self.expression(MATRIX)}")
        return "\n".join(["def program(a, b, v, w, s, n):", *self.lines, ""])


def written(seed: int) -> str:
    return Writer(numpy.random.default_rng(seed)).program()


def compiled_source(source: str, seed: int) -> Any:
    """The function of a source text, which `inspect` can read, as that of a file."""
    file = f"<program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"np": np, "npx": npx, "__name__": "random_programs"}
    exec(compile(source, file, "exec"), names)
    return names["program"]


def arguments(draw: numpy.random.Generator) -> list[Any]:
    shapes = ((3, 4), (3, 4), (4,), (4,), ())
    return [np.array(draw.integers(-4, 5, shape), dtype="float32") for shape in shapes] + [int(draw.integers(0, 4))]


def plain(values: Any) -> list[Any]:
    return [
        (str(leaf.dtype), leaf.shape, leaf.asnumpy().tolist())
        if isinstance(leaf, ndarray)
        else (type(leaf).__name__, leaf)
        for leaf in flatten(values)[0]
    ]


def check(seed: int, backend: str = "llvm", calls: int = 4) -> str:
    """Run a program both ways: "same", "raised" (by Python itself) or "refused"."""
    source = written(seed)
    python = compiled_source(source, seed)
    function = Function(python, backend=backend)
    for call in range(calls):
        args, again = (
            arguments(numpy.random.default_rng([seed, call])),
            arguments(numpy.random.default_rng([seed, call])),
        )
        try:
            expected = python(*args)
        except Exception:
            return "raised"
        try:
            found = function(*again)
        except HybridizeError as error:
            refused = error
        else:
            refused = None
        if refused is not None:
            assert refused.loc is not None, f"seed {seed}: refused without a place: {refused}\n{source}"
            return f"refused {refused.code}"
        assert plain(found) == plain(expected), f"seed {seed}, call {call}\n{source}\n{plain(found)}\n{plain(expected)}"
        assert plain(again) == plain(args), (
            f"seed {seed}, call {call}: arguments\n{source}\n{plain(again)}\n{plain(args)}"
        )
    return "same"


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 6000, 500))
def test_many_random_programs(start: int) -> None:
    for seed in range(start, start + 500):
        check(seed)
