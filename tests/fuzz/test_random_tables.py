"""Random programs over open sizes: tables that nested loops read and write at offsets, the same compiled.

Each program is called with several sizes, captured for each of them (the default), and for all of them from the first
call (`dynamic=True`). Numbers are small integers in float32 and int32, so that every result is exact. A program may be
refused at a line of its own, but never give another result, nor write something else to its arguments. Gradients are
compared where Python can take them.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy
import pytest

from hybridize import autograd
from hybridize.array import np
from hybridize.base.errors import HybridizeError
from hybridize.capture import Function
from tests.fuzz.test_random_programs import compiled_source, plain
from tests.samples import sampled

SPARE = 3
"""Tables are so much larger than what loops go through, so that offsets of 0 to 2 stay inside."""
EXACT = 1e5
"""Gradients that are less than this are exact: so are the sums that they are made of."""


@dataclass
class Writer:
    """Writes a program, line by line: `rows` and `columns` are the numbers that may index here."""

    draw: numpy.random.Generator
    lines: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=lambda: ["s"])
    tables: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    integers: bool = False
    """True where tables hold int32, to which no float can be added in place."""
    depth: int = 1
    count: int = 0

    def pick(self, choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.draw.random() < share)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # ------------------------------------------------------------------------------------------------------ numbers

    def place(self, names: list[str], size: str) -> str:
        """An index of an axis of a table: the number of a round and an offset, or a number of its own."""
        if not names or self.chance(0.1):
            return self.pick(["0", "1", "-1", size, f"{size} - 1"])
        name = self.pick(names)
        return self.pick([name, name, f"{name} + 1", f"{name} + 2", f"{name} - 1", f"{size} - {name}", f"-{name} - 1"])

    def element(self, tables: list[str] | None = None) -> str:
        """A number of a table, of a vector or of an argument."""
        i, j = self.place(self.rows, "n"), self.place(self.columns, "m")
        table = self.pick(tables or self.tables)
        choices = [f"{table}[{i}, {j}]", f"{table}[{i}, {j}]", f"{table}[{i}][{j}]", f"{self.pick(self.vectors)}[{i}]"]
        if tables is None:
            row, column = self.pick(self.rows or ["0"]), self.pick(self.columns or ["0"])
            choices += [f"a[{row}]", f"b[{column}]", f"c[{row}, {column}]", self.pick(self.scalars)]
            choices += [self.pick([*self.rows, *self.columns, "k", "2"])]
        return self.pick(choices)

    def expression(self, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.2):
            return self.element()
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return self.pick([
            f"({left} + {right})", f"({left} + {right})", f"({left} - {right})", f"np.maximum({left}, {right})",
            f"np.minimum({left}, {right})", f"np.where({left} > {right}, {left}, {right} + 1)", f"({left} * 2)",
            f"({left} if {self.condition()} else {right})",
        ])  # fmt: skip

    def condition(self) -> str:
        numbers = [*self.rows, *self.columns, "k"]
        return self.pick([
            f"{self.element()} > {self.element()}", f"{self.pick(numbers)} < {self.pick(numbers)}",
            f"{self.pick(numbers)} % 2 == 0", f"{self.element()} == 2", f"{self.pick(numbers)} <= {self.element()}",
        ])  # fmt: skip

    # --------------------------------------------------------------------------------------------------- statements

    def addend(self, depth: int) -> str:
        """A number that may be added to a table in place."""
        return self.element(self.tables) if self.integers else self.expression(depth)

    def write(self) -> None:
        i, j = self.place(self.rows, "n"), self.place(self.columns, "m")
        table, vector = self.pick(self.tables), self.pick(self.vectors)
        target = self.pick([f"{table}[{i}, {j}]", f"{table}[{i}, {j}]", f"{table}[{i}][{j}]", f"{vector}[{i}]"])
        if self.chance(0.3):
            self.line(f"{target} {self.pick(['+=', '-='])} {self.addend(1)}")
            self.line(f"{target} %= 7")
        else:
            self.line(f"{target} = {self.expression()} % 7")

    def write_part(self) -> None:
        """A write of rows, columns or slices."""
        i, other = self.place(self.rows, "n"), self.place(self.rows, "n")
        j, beside = self.place(self.columns, "m"), self.place(self.columns, "m")
        table, source, vector = self.pick(self.tables), self.pick(self.tables), self.pick(self.vectors)
        row = self.pick(self.rows or ["0"])
        self.line(self.pick([
            f"{table}[{i}] = {source}[{other}] + {self.element()}", f"{table}[{i}] += {source}[{other}]",
            f"{table}[:, {j}] = {source}[:, {beside}] - {self.element()}",
            f"{table}[{i}, 1:] = {source}[{other}, :-1]",
            f"{table}[{i}, : m] = b", f"{table}[: n, {j}] = a",
            f"{vector}[{row} : {row} + 2] += {self.addend(0)}",
            f"{vector}[{row} + 1 : {row} + 3] = {vector}[{row} : {row} + 2] + 1",
            f"{table}[{row} : {row} + 2] = {source}[{row} + 1 : {row} + 3] - 1",
            f"{vector}[{i}] = {table}[{other}].max()", f"{vector}[{i}] = {table}[:, {j}].min()",
            f"{table}[{i}] = np.where({source}[{other}] > 1, {table}[{i}], 3)",
        ]))  # fmt: skip
        self.line(f"{table} %= 7" if self.chance(0.5) else f"{vector} %= 5")

    def append(self) -> None:
        if self.chance(0.3):
            self.line(f"rows.append({self.pick(self.tables)}[{self.place(self.rows, 'n')}] + 0)")
        else:
            self.line(f"outs.append({self.expression(1)} * a[0])")

    def assign(self) -> None:
        self.line(f"s = ({self.expression(1)} + 0 * a[0]) % 9")

    def statement(self) -> None:
        share = self.draw.random()
        if share < 0.5:
            self.write()
        elif share < 0.62:
            self.write_part()
        elif share < 0.7:
            self.assign()
        elif share < 0.75 and self.rows:
            self.append()
        elif share < 0.85:
            self.branch()
        elif len(self.rows) + len(self.columns) < 3 and self.depth < 5:
            self.loop()
        else:
            self.write()

    def block(self, size: int) -> None:
        self.depth += 1
        for _ in range(size):
            self.statement()
        self.depth -= 1

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        if self.rows and self.chance(0.12):
            self.line(f"    {self.pick(['break', 'continue'])}")
            return
        self.block(1)
        if self.chance(0.5):
            self.line("else:")
            self.block(1)

    def loop(self) -> None:
        self.count += 1
        along_rows = self.chance(0.5) if self.rows or self.columns else self.chance(0.7)
        names, size, argument = (self.rows, "n", "a") if along_rows else (self.columns, "m", "b")
        name = f"{'ij'[not along_rows]}{self.count}"
        item: list[str] = []
        ranges = [
            f"range({size})", f"range({size})", f"range({size})", f"range(1, {size})", f"range({size} - 1, -1, -1)",
            f"reversed(range({size}))", f"range(0, {size}, 2)", f"range(len({argument}))", f"range({argument}.shape[0])",
        ]  # fmt: skip
        if names:
            ranges += [f"range({names[-1]})", f"range({names[-1]}, {size})"]
        kind = self.draw.random()
        if kind < 0.7:
            self.line(f"for {name} in {self.pick(ranges)}:")
        elif kind < 0.85:
            item = [f"u{self.count}"]
            self.line(f"for {name}, {item[0]} in enumerate({argument}):")
        elif kind < 0.93 or self.depth > 1:
            item = [f"u{self.count}"]
            self.line(f"for {name}, {item[0]} in zip(range({size}), {argument}[::-1]):")
        else:
            self.line(f"{name} = -1")
            self.line(f"while {name} < {size} - 1:")
            self.line(f"    {name} += 1")
        names.append(name)
        self.scalars += item
        self.block(int(self.draw.integers(1, 4)))
        names.remove(name)
        self.scalars = [one for one in self.scalars if one not in item]

    def program(self) -> str:
        self.line("n, m = a.shape[0], len(b)")
        self.line("s, outs, rows = a[0], [], []")
        self.integers = self.chance(0.3)
        dtype = ", dtype='int32'" if self.integers else ""
        for name in ("T", "U")[: self.pick([1, 1, 2])]:
            self.tables.append(name)
            self.line(f"{name} = np.zeros((n + {SPARE}, m + {SPARE}){dtype})")
        for name in ("x", "y")[: self.pick([1, 2])]:
            self.vectors.append(name)
            self.line(f"{name} = np.zeros(n + {SPARE}{dtype})")
        if self.chance(0.2):
            self.vectors.append("z")
            self.line(self.pick(["z = x[::-1]", "z = x", "z = T[:, 1]"]))
        if self.chance(0.15):
            self.tables.append("V")
            self.line(self.pick(["V = T[::-1]", "V = T[:, ::-1]", "V = T"]))
        if self.chance(0.3):
            self.line("T[0, : m] = b")
        if self.chance(0.3):
            self.line("T[: n, 0] = a")
        for _ in range(int(self.draw.integers(1, 4))):
            self.loop()
        self.line("outs = np.stack(outs) if outs else a")
        self.line("rows = np.stack(rows) if rows else b")
        self.line(f"return {', '.join([*self.tables, *self.vectors, 's', 'outs', 'rows'])}")
        return "\n".join(["def program(a, b, c, k):", *self.lines, ""])


def written(seed: int) -> str:
    return Writer(numpy.random.default_rng([7, seed])).program()


def sizes(seed: int) -> list[tuple[int, int]]:
    """Sizes of the calls of a program: few, some equal, some beyond what is unrolled."""
    draw = numpy.random.default_rng([8, seed])
    near = [(int(draw.integers(1, 6)), int(draw.integers(1, 6))) for _ in range(2)]
    far = (int(draw.integers(17, 20)), int(draw.integers(2, 20)))
    return [near[0], far, near[1]] if draw.random() < 0.5 else [(4, 4), near[0], far]


def arguments(n: int, m: int, draw: numpy.random.Generator) -> list[Any]:
    made: list[Any] = [np.array(draw.integers(0, 5, shape), dtype="float32") for shape in ((n,), (m,), (n, m))]
    return [*made, int(draw.integers(0, 4))]


def gradients(function: Any, args: list[Any]) -> list[numpy.ndarray]:
    for one in args[:3]:
        one.attach_grad()
    with autograd.record():
        results = function(*args)
        total = sum(((one * one).sum() for one in results if one.dtype == numpy.float32), start=args[0].sum())
    total.backward()
    return [one.grad.asnumpy() for one in args[:3]]


def check(seed: int, dynamic: bool | None, *, with_gradients: bool = False) -> str:
    """Run a program both ways: "same", "raised" (by Python itself) or "refused"."""
    source = written(seed)
    python = compiled_source(source, seed)
    function = Function(python, dynamic=dynamic)
    for call, (n, m) in enumerate(sizes(seed)):
        args, again = (arguments(n, m, numpy.random.default_rng([9, seed, call])) for _ in range(2))
        about = f"seed {seed}, dynamic={dynamic}, sizes {n}, {m}\n{source}"
        try:
            expected = gradients(python, args) if with_gradients else python(*args)
        except Exception:
            return "raised"
        try:
            found = gradients(function, again) if with_gradients else function(*again)
        except HybridizeError as error:
            refused = error
        else:
            refused = None
        if refused is not None:
            assert refused.loc is not None, f"refused without a place: {refused}\n{about}"
            return f"refused {refused.code}"
        if with_gradients:
            for one, other in zip(found, expected, strict=True):
                if numpy.abs(other).max() < EXACT:
                    assert numpy.array_equal(one, other), f"gradients: {about}\n{one}\n{other}"
            continue
        assert plain(found) == plain(expected), f"{about}\n{plain(found)}\n{plain(expected)}"
        assert plain(again) == plain(args), f"arguments: {about}"
    return "same"


@pytest.mark.parametrize("seed", sampled(range(8), 2))
def test_random_tables(seed: int) -> None:
    check(seed, True)
    check(seed, None)


@pytest.mark.parametrize("seed", sampled(range(100, 102), 2))
def test_random_gradients_of_tables(seed: int) -> None:
    check(seed, bool(seed % 2) or None, with_gradients=True)


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 3000, 250))
@pytest.mark.parametrize("dynamic", [True, None])
def test_many_random_tables(start: int, dynamic: bool | None) -> None:
    for seed in range(start, start + 250):
        check(seed, dynamic)


@pytest.mark.long
@pytest.mark.parametrize("start", range(3000, 4000, 250))
@pytest.mark.parametrize("dynamic", [True, None])
def test_many_random_gradients_of_tables(start: int, dynamic: bool | None) -> None:
    for seed in range(start, start + 250):
        check(seed, dynamic, with_gradients=True)
