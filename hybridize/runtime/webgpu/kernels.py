# SPDX-License-Identifier: Apache-2.0
"""A kernel in WGSL, and the module that it is once it is known which of its arrays lie in one buffer.

A buffer may be bound once to a kernel that writes to it. So arrays of one buffer, as those of the scratch memory, share
a binding, and each of them begins where a word of the call says:

    group(0) binding(0)  uniform  the words of the call: where arrays begin, in bytes; sizes; the number of blocks; 0
    group(0) binding(1)  storage  the first buffer, from its beginning on, and so on
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from hybridize.base.frozen import frozen

ROW: Final = 65535
"""Blocks along an axis of a launch, at most: beyond, they are counted along two."""


_ACCESS: Final = re.compile(r"\b(\w+)_(?:at|put|byte|short)\(")


@frozen
class WgslArray:
    """An array of words that a kernel works on."""

    words: int
    """Of one that the kernel has for itself."""
    written: bool
    in_parts: bool
    """True if parts of words are stored: by atomic operations, where other threads store the rest of them."""
    content: str
    """Of a table its words; `private` for one that each thread has; else empty."""


@frozen
class WgslKernel:
    """A kernel, without its bindings."""

    name: str
    library: str
    """The functions that it calls."""
    body: str
    threads: int
    """Of a block."""
    params: tuple[str, ...]
    """The arrays that a launch gives, in order."""
    arrays: Mapping[str, WgslArray]
    sizes_end: int
    """Words of the call before the number of blocks: where each param begins, then sizes."""

    @property
    def words(self) -> int:
        """Words of the call."""
        return self.sizes_end + 2

    @property
    def shared_bytes(self) -> int:
        """Memory that the threads of a block share."""
        own = (one for name, one in self.arrays.items() if name not in self.params and not one.content)
        return sum(-(-one.words // 4) * 16 for one in own)

    @property
    def used(self) -> tuple[int, ...]:
        """Numbers of the params that the kernel reads or writes; the others are not bound."""
        called = set(_ACCESS.findall(self.body))
        return tuple(number for number, name in enumerate(self.params) if name in called)

    def bindings(self, buffers: Sequence[int]) -> tuple[bool, ...]:
        """Tell of each buffer whether it is written; `buffers` has the number of each used param's, from 0 on."""
        written = [False] * (max(buffers, default=-1) + 1)
        for number, buffer in zip(self.used, buffers, strict=True):
            written[buffer] |= self.arrays[self.params[number]].written
        return tuple(written)

    def text(self, buffers: Sequence[int]) -> str:
        """The module for used params that lie in these buffers; its entry point is `main`."""
        of = {self.params[number]: buffer for number, buffer in zip(self.used, buffers, strict=True)}
        in_parts = {of[name] for name in of if self.arrays[name].in_parts}
        lines = [f"@group(0) @binding(0) var<uniform> words: array<vec4<u32>, {-(-self.words // 4)}>;"]
        for number, written in enumerate(self.bindings(buffers)):
            access = "read_write" if written else "read"
            kind = "atomic<u32>" if number in in_parts else "u32"
            lines.append(f"@group(0) @binding({number + 1}) var<storage, {access}> m{number}: array<{kind}>;")
        for name, number in of.items():
            lines += self._access(name, f"m{number}", atomic=number in in_parts)
        for name, one in self.arrays.items():
            if name not in self.params:
                lines += self._own(name, one)
        if "fixed_(" in self.body:
            number = self.words - 1
            bits = f"bitcast<u32>(x) ^ words[{number // 4}][{number % 4}]"
            lines.append(f"fn fixed_(x: f32) -> f32 {{ return bitcast<f32>({bits}); }}")
        return "\n".join([*lines, *filter(None, [self.library]), *self._entry(), self.body, "}", ""])

    def _entry(self) -> list[str]:
        lines = [
            f"@compute @workgroup_size({self.threads})",
            "fn main(@builtin(workgroup_id) group_: vec3<u32>, @builtin(local_invocation_index) index_: u32) {",
        ]
        if re.search(r"\bthread_\b", self.body):
            lines.append("  let thread_ = i32(index_);")
        if re.search(r"\bblock_\b", self.body):
            lines.append(f"  let block_ = i32(group_.x + group_.y * {ROW}u);")
        return lines

    def _own(self, name: str, one: WgslArray) -> list[str]:
        """An array of the kernel's own."""
        if one.content:
            content = "" if one.content == "private" else f" = array<u32, {one.words}>({one.content})"
            line = f"var<private> {name}_m: array<u32, {one.words}>{content};"
            return [line, *self._access(name, f"{name}_m", atomic=False)]
        kind = "atomic<u32>" if one.in_parts else "u32"
        line = f"var<workgroup> {name}_m: array<{kind}, {one.words}>;"
        return [line, *self._access(name, f"{name}_m", atomic=one.in_parts)]

    def _access(self, name: str, memory: str, *, atomic: bool) -> list[str]:
        """Functions that read and write the words of an array, those that the kernel calls."""
        word = f"{memory}[word]"
        read, write = (f"atomicLoad(&{word})", f"atomicStore(&{word}, x)") if atomic else (word, f"{word} = x")
        change = (
            "atomicAnd(&{0}, ~mask); atomicOr(&{0}, part);" if atomic else "{0} = ({0} & ~mask) | part;"
        )  # fmt: skip
        all_of = {
            "at": f"fn {name}_at(word: i32) -> u32 {{ return {read}; }}",
            "put": f"fn {name}_put(word: i32, x: u32) {{ {write}; }}",
        }
        for part, bits, shift, most in (("byte", 3, 2, 255), ("short", 4, 1, 65535)):
            to = f"{memory}[index >> {shift}u]"
            all_of[part] = (
                f"fn {name}_{part}(index: i32, x: u32) {{\n"
                f"  let place = u32(index & {(1 << shift) - 1}) << {bits}u;\n"
                f"  let mask = {most}u << place;\n"
                f"  let part = (x & {most}u) << place;\n"
                f"  {change.format(to)}\n"
                "}"
            )
        return [text for part, text in all_of.items() if f"{name}_{part}(" in self.body]


def written(kernels: Mapping[str, WgslKernel]) -> str:
    """Kernels as text."""
    return json.dumps(
        [
            {**{name: getattr(one, name) for name in _FIELDS}, "arrays": {k: _row(a) for k, a in one.arrays.items()}}
            for one in kernels.values()
        ]
    )


def read(text: str) -> dict[str, WgslKernel]:
    """Kernels from their text."""
    kernels = {}
    for one in json.loads(text):
        arrays = {name: WgslArray(*row) for name, row in one.pop("arrays").items()}
        one["params"] = tuple(one["params"])
        kernels[one["name"]] = WgslKernel(arrays=arrays, **one)
    return kernels


_FIELDS: Final = ("name", "library", "body", "threads", "params", "sizes_end")


def _row(one: WgslArray) -> tuple[int, bool, bool, str]:
    return one.words, one.written, one.in_parts, one.content


THREADS: Final = 256
"""Of a block of a copy."""
_BYTE: Final = "fn byte_(word: u32, index: i32) -> i32 { return i32((word >> (u32(index & 3) << 3u)) & 0xffu); }"


def _copy(name: str, params: tuple[str, ...], act: str, library: str = "", *, in_parts: bool = False) -> WgslKernel:
    """A kernel whose threads each do the same for one index, below a size of the call."""
    number = len(params)
    beginnings = (f"  let {one}_from = i32(words[0][{k}]);" for k, one in enumerate(params))
    body = (
        f"  if (u32(block_) >= words[{(number + 1) // 4}][{(number + 1) % 4}]) {{ return; }}",
        *beginnings,
        f"  let index = block_ * {THREADS} + thread_;",
        f"  if (index < i32(words[0][{number}])) {{ {act} }}",
    )
    arrays = {one: WgslArray(0, one == "to", one == "to" and in_parts, "") for one in params}
    return WgslKernel(name, library, "\n".join(body), THREADS, params, arrays, number + 1)


_MOVE: Final = "to_put((to_from >> 2u) + index, source_at((source_from >> 2u) + index));"
COPIES: Final = {
    one.name: one
    for one in (
        _copy(
            "copy",
            ("to", "source"),
            "let at = source_from + index; to_byte(to_from + index, u32(byte_(source_at(at >> 2u), at)));",
            _BYTE,
            in_parts=True,
        ),
        _copy("copy_words", ("to", "source"), _MOVE),
        _copy("commit", ("to", "source", "note"), f"if (note_at(note_from >> 2u) == 0u) {{ {_MOVE} }}"),
    )
}
"""Kernels that copy: bytes, wherever they begin; words; words, unless an assertion has left a note."""
