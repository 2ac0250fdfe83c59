"""Programs made at random of every form of control flow: the compiled function agrees with Python, or is refused."""

import linecache
import random

import numpy
import pytest

from hybridize.array import np
from hybridize.base.errors import HybridizeError
from hybridize.capture import Function

INPUTS = [[1.0, 2.0], [-1.0, -2.0], [0.5, -0.25], [9.0, 3.0]]


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> str:
        return self.pick("1", "2", "3", "0.5", "n", "k", "n + k")

    def array(self) -> str:
        return self.pick(
            "x + {n}",
            "x * {n}",
            "y - {n}",
            "x + y",
            "y * 0.5",
            "np.abs(x)",
            "-y",
            "np.maximum(x, y)",
            "x - y * 0.25",
            "(x if {c} else y)",
            "(x + 1 if {c} else y - 1)",
            "twice(x)",
            "turned(y)",
            "parts[0] + y",
            "box[0] - x",
            "x[::-1]",
            "x",
            "y",
            "box[1]",
            "state['a'] * 2",
            "inner(y)",
            "np.where(x > y, x, y)",
            "x.reshape(2)",
        ).format(n=self.number(), c=self.condition())

    def condition(self) -> str:
        return self.pick(
            "x.sum() > 1",
            "y.max() < 2",
            "x[0] > y[0]",
            "n > 2",
            "k % 2 == 0",
            "x.sum() > 0 and n < 4",
            "not y.sum() > 3",
            "x.min() < -1 or k > 1",
            "-5 < x.sum() < 5",
            "n < k",
            "True",
            "x.sum() > n",
        )

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, size: int) -> None:
        for _ in range(self.random.randint(1, size)):
            if self.statement(depth):
                return

    def statement(self, depth: int) -> bool:
        """Write a statement; returns whether it ends its block."""
        roll = self.random.random()
        if depth >= 4 or roll < 0.45:
            self.simple(depth)
        elif roll < 0.70:
            self.write(depth, f"if {self.condition()}:")
            self.block(depth + 1, 3)
            if self.random.random() < 0.3:
                self.write(depth, f"elif {self.condition()}:")
                self.block(depth + 1, 2)
            if self.random.random() < 0.5:
                self.write(depth, "else:")
                self.block(depth + 1, 3)
        elif roll < 0.86:
            self.loop(depth)
        elif self.loops and roll < 0.94:
            self.write(depth, self.pick("break", "continue"))
            return True
        elif roll < 0.97:
            self.write(depth, self.pick("return x, n", "return y, k", "return x + y, n + k"))
            return True
        else:
            self.write(depth, "with scope():")
            self.block(depth + 1, 2)
        return False

    def simple(self, depth: int) -> None:
        self.write(
            depth,
            self.pick(
                f"x = {self.array()}",
                f"y = {self.array()}",
                "n = n + 1",
                "n += 2",
                f"k = {self.pick('n', '1', 'k + 1', '2')}",
                "x, y = y, x",
                "y += 1",
                "x[0] = 2",
                "y *= x",
                f"parts = [{self.array()}]",
                "parts[0] = parts[0] + 1",
                f"box = ({self.array()}, y)",
                "x, y = box",
                f"state['a'] = {self.array()}",
                "v = x[0:1]",
                "v += 3",
                "parts.append(x)",
                "t = t + x.sum()",
                "t = y.max() * 2",
                f"state = {{'a': {self.array()}}}",
                "x[1:] = y[1:]",
                "parts[-1] = y",
                "x = x + len(parts)",
                "def inner(z): return z * n if z.sum() > t else z - x",
            ),
        )

    def loop(self, depth: int) -> None:
        self.loops += 1
        self.count += 1
        i = f"i{self.count}"
        if self.random.random() < 0.5:
            self.write(depth, f"for {i} in {self.pick('range(3)', 'range(k)', '[1, 2]', 'range(6)')}:")
            if self.random.random() < 0.5:
                self.write(depth + 1, f"x = x + {i}")
        else:
            # Each loop has a counter of its own, so that it ends.
            self.write(depth, f"{i} = 0")
            self.write(depth, f"while {i} < 5 and ({self.condition()}):")
            self.write(depth + 1, f"{i} += 1")
        self.block(depth + 1, 3)
        self.loops -= 1
        if self.random.random() < 0.25:
            self.write(depth, "else:")
            before, self.loops = self.loops, 0
            self.block(depth + 1, 1)
            self.loops = before

    def program(self) -> str:
        self.write(0, "def program(x):")
        self.write(1, "n, k = 0, 1")
        self.write(1, "y = x * 2")
        if self.random.random() < 0.7:
            self.write(1, "x = x + 0")
        self.write(1, "parts, box, state, t, v = [x], (y, x), {'a': y}, 0.0, x[1:]")
        self.write(1, "def inner(z): return z + n")
        self.block(1, 7)
        self.write(1, "return x - y + parts[0] * box[1] + t, n * k + 1")
        return "\n".join(self.lines) + "\n"


class scope:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


def twice(x):
    return x * 2 if x.sum() > 0 else x


def turned(x):
    if x[0] > x[1]:
        return x[::-1]
    return x + 0


def made(text: str, name: str):
    """The function of a text, with its source at hand."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"np": np, "scope": scope, "twice": twice, "turned": turned}
    exec(compile(text, name, "exec"), names)
    return names["program"]


def agree(seed: int, backend: str) -> str:
    """Run one program both ways; returns the code of the refusal, or nothing."""
    text = Writer(seed).program()
    name = f"/programs/{seed}.py"
    function = made(text, name)
    compiled = Function(function, backend=backend)
    refusal = None
    for values in INPUTS:
        given, again = np.array(values), np.array(values)
        expected, count = function(given)
        try:
            found, number = compiled(again)
        except HybridizeError as error:
            refusal = error
            break
        numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-4, err_msg=text)
        numpy.testing.assert_allclose(again.asnumpy(), given.asnumpy(), rtol=1e-4, atol=1e-4, err_msg=text)
        assert number == count, f"{values}: {number} for {count}\n{text}"
        assert type(number) is type(count), text
    if refusal is None:
        assert compiled.cache_info().captures == 1, text
        return ""
    assert refusal.code.startswith("E4"), f"{refusal}\n{text}"
    assert refusal.loc is not None, f"{refusal}\n{text}"
    assert refusal.loc.file in (name, __file__), f"{refusal}\n{text}"
    return refusal.code


def test_random_programs():
    refusals = [agree(seed, "numpy") for seed in range(50)]
    assert refusals.count("") > 25, "most of them are no matter of refusal"


def test_random_programs_as_machine_code():
    for seed in range(1000, 1020):
        agree(seed, "llvm")


@pytest.mark.long
def test_many_random_programs():
    for seed in range(2000, 6000):
        agree(seed, "numpy")
