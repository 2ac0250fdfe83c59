# SPDX-License-Identifier: Apache-2.0
"""IR of loads, stores and checks: what the functions of a library are written with."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import SizeSymbol
from hybridize.codegen.llvm.text import Function, Module, WordWriter, at


class SymbolFinder(Function):
    """A function that finds the values of size symbols among the sizes that it is given."""

    def bind(self, pointer: str, positions: dict[int, int]) -> None:
        """Let symbols, by their numbers, be the words at these positions of the array at `pointer`."""
        self._cells = (pointer, positions)

    def symbol(self, symbol: SizeSymbol) -> str:
        """The register of a symbol's value, loaded on entry."""
        pointer, positions = self._cells
        key = ("given", symbol.number)
        cell = self.on_entry(f"getelementptr i64, ptr {pointer}, i64 {positions[symbol.number]}", ("symbol", key))
        return self.on_entry(f"load i64, ptr {cell}, align 8", key)


class Writer(WordWriter):
    """Writes a function that returns a code, or nothing."""

    def __init__(
        self,
        module: Module,
        name: str,
        params: Sequence[tuple[str, str]],
        *,
        returns: str = "i32",
        linkage: str = "internal",
    ) -> None:
        f = SymbolFinder(module, name, params, returns=returns, linkage=linkage)
        super().__init__(f)
        self.symbols = f
        self._failures: dict[int, str] = {}

    def fail(self, condition: str, code: int) -> None:
        """Return a code if the condition holds."""
        label = self._failures.get(code)
        if label is None:
            label = self._failures[code] = self.f.fresh("fail")
        following = self.f.fresh("on")
        self.f.branch(condition, label, following, begin=following)

    def return_failure(self, answer: str) -> None:
        """Return a code other than 0."""
        with self.f.otherwise(self.test("eq", answer, 0, "i32")):
            self.f.do(f"ret i32 {answer}")

    def finish(self, result: str = "0") -> None:
        """Return `result`, and write the ends of all that failed."""
        self.f.do(f"ret i32 {result}")
        for code, label in self._failures.items():
            self.f.begin_block(label)
            self.f.do(f"ret i32 {code}")

    def external(self, name: str, returns: str, *args: str) -> str:
        """Call a function of the C library; `args` are with their types."""
        types = [arg.split()[0] for arg in args]
        callee = self.f.module.declare(name, returns, types, "nounwind")
        text = f"call {returns} {callee}({', '.join(args)})"
        if returns == "void":
            self.f.do(text)
            return ""
        return self.f.op(text)

    def lined(self, pointer: str) -> str:
        """The first address from `pointer` on that begins a cache line."""
        number = self.f.op(f"ptrtoint ptr {pointer} to i64")
        over = self.f.op(f"and i64 {self.f.op(f'add i64 {number}, 63')}, -64")
        return at(self.f, pointer, self.f.op(f"sub i64 {over}, {number}"))
