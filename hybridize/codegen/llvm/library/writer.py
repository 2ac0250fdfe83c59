# SPDX-License-Identifier: Apache-2.0
"""Functions of a library: they return codes, call the C library, and find sizes among those that they are given."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import SizeSymbol
from hybridize.codegen.llvm.library.layout import LINE
from hybridize.codegen.llvm.text import Function, Module


class Writer(Function):
    """Writes a function that returns a code."""

    def __init__(
        self,
        module: Module,
        name: str,
        params: Sequence[tuple[str, str]],
        *,
        returns: str = "i32",
        linkage: str = "internal",
    ) -> None:
        super().__init__(module, name, params, returns=returns, linkage=linkage)
        self._failures: dict[int, str] = {}
        self._positions: dict[int, int] = {}

    def bind(self, positions: dict[int, int]) -> None:
        """Let size symbols, by their numbers, be the words at these positions of `%sizes`."""
        self._positions = positions

    def symbol(self, symbol: SizeSymbol) -> str:
        """The register of a symbol's value, loaded on entry."""
        key = ("given", symbol.number)
        cell = self.on_entry(f"getelementptr i64, ptr %sizes, i64 {self._positions[symbol.number]}", ("symbol", key))
        return self.on_entry(f"load i64, ptr {cell}, align 8", key)

    def is_null(self, pointer: str) -> str:
        """Tell whether a pointer is null."""
        return self.test("eq", pointer, "null", "ptr")

    def fail(self, condition: str, code: int) -> None:
        """Return a code if the condition holds."""
        label = self._failures.get(code)
        if label is None:
            label = self._failures[code] = self.fresh("fail")
        following = self.fresh("on")
        self.branch(condition, label, following, begin=following)

    def return_failure(self, answer: str) -> None:
        """Return a code other than 0."""
        with self.otherwise(self.test("eq", answer, 0, "i32")):
            self.do(f"ret i32 {answer}")

    def finish(self, result: str = "0") -> None:
        """Return `result`, and write the ends of all that failed."""
        self.do(f"ret i32 {result}")
        for code, label in self._failures.items():
            self.begin_block(label)
            self.do(f"ret i32 {code}")

    def external(self, name: str, returns: str, *args: str) -> str:
        """Call a function of the C library; `args` are with their types."""
        callee = self.module.declare(name, returns, [arg.split()[0] for arg in args], "nounwind")
        text = f"call {returns} {callee}({', '.join(args)})"
        if returns == "void":
            self.do(text)
            return ""
        return self.op(text)

    def lined(self, pointer: str) -> str:
        """The first address from `pointer` on that begins a cache line."""
        number = self.op(f"ptrtoint ptr {pointer} to i64")
        over = self.op(f"and i64 {self.plus(number, LINE - 1)}, {-LINE}")
        return self.at(pointer, self.minus(over, number))
