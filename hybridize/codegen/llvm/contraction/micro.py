# SPDX-License-Identifier: Apache-2.0
"""The inner functions of contractions. Strides and sizes arrive in registers, so a module's layers share them.

    tile    c[rows][columns] (+)= sum over k of x[row, k] w[k, column]      x broadcast, w in vectors along its columns
    dots    c[row][column][lanes] = sum over k of x[row, k] w[column, k]    vectors along k, lanes not yet summed
    sums    c[row][column] = sum over lanes of the above
    flip    panel[k][column] = w[column, k], a register's width of columns
    copy    panel[k][column] = w[k, column], any width

Offsets and strides are in bytes. Operands are read as they are stored by `dots`, `flip` and `copy`; `tile` reads only
elements already converted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Literal

from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.terms import EachTurn, LoadVector, TermLoop, bring_line, in_one
from hybridize.codegen.llvm.registers import fetch, first_lanes
from hybridize.codegen.llvm.text import Function, Module, splat
from hybridize.schedule.contraction.panels import Summation

Adding = Literal["", "first", "last"]
"""Use of the sums in c by a tile, where `more` is set: none; its own begin with them; they are added to its own."""

_DOTS = [("ptr", "c"), ("i64", "cs"), ("ptr", "x"), ("i64", "xs"), ("ptr", "w"), ("i64", "ws"), ("i64", "k")]
_ADDING: Mapping[Adding, list[str]] = {"": ["once"], "first": [], "last": ["last"]}
"""The words in the names of tiles."""
_TILE = [*_DOTS, ("i1", "more")]
"""Parameters; c, its stride, x, ..."""
_NEXT = [("ptr", "next"), ("i64", "rate")]
"""Further parameters: memory to be brought near meanwhile, so many bytes with each term."""


@frozen
class TileEnding:
    """An epilogue that the micro-kernel writes itself instead of leaving its sums in c."""

    name: str
    """Begins the names of the functions of tiles that have it."""
    params: Sequence[tuple[str, str]]
    """Parameters that these functions take besides."""
    emit: Callable[[Function, list[str], int], None]
    """`emit(f, sums, vectors)` writes it, the sums being registers row by row, `vectors` to a row."""


Loading = Callable[[Function, int], AbstractContextManager[LoadVector]]


@frozen
class Light:
    """The way of elements that tiles load from panels which hold them as they are stored."""

    name: str
    """Begins the names of the functions that have it; empty if it is the same for all of an element type."""
    params: Sequence[tuple[str, str]]
    """Parameters that these functions take besides: `w.term` counts the terms before those of the call."""
    loading: Loading
    """`loading(f, vectors)` writes what terms do not change, and gives what loads a vector of one."""
    power: int = 0
    """Vectors are loaded times 2 to this power. Their sums are divided by it, which rounds nothing."""
    is_in_turns: bool = False
    """True if elements of several registers lie in turns."""

    @property
    def counts_terms(self) -> bool:
        """True if it depends on the number of a term."""
        return ("i64", "w.term") in self.params


@frozen
class Tile:
    """The form of a tile of the product: c is [rows][vectors * lanes].

    Its function is `(ptr c, i64 c_stride, ptr x, i64 x_stride, ptr w, i64 w_stride, i64 k, i1 more)`. Rows of c are
    `c_stride` apart. x is contiguous along k when `along_k`, its rows `x_stride` apart; else contiguous along its rows,
    and `x_stride` leads to the next k. `w_stride` leads from one k to the next.
    """

    rows: int
    vectors: int
    along_k: bool
    summation: Summation
    adds: Adding = "first"
    """The way in which c is added to, with `more`."""
    ahead: int = 0
    """The vectors of w so many bytes behind those that are read are fetched meanwhile."""
    brings: bool = False
    """Memory that the next tile reads is fetched from far away meanwhile: `ptr next, i64 rate` follow `more`, `rate`
    bytes with each term, as many lines at once would stand in the way of w.
    """
    gates: int = 1
    """With several, `i64 gate` follows, the bytes of w from the vectors of one to those of the next."""
    clamped: bool = False
    """`i64 count` comes first, how many of the rows there are, at least 1: the last stands in for the missing."""
    ending: TileEnding | None = None
    """Its parameters come last, and c is what it makes of it."""
    light: Light | None = None
    """The panel has elements as they are stored."""
    keeps: bool = False
    """Converted elements are stored for other tiles: `ptr converted` comes after the parameters of `light`."""
    dense: bool = False
    """True if the terms of the panel follow one another, as `w_stride` says then, too: loads come in pairs across
    them."""

    def row_bytes(self, arithmetic: ArithmeticEmitter) -> int:
        """The bytes of a term of its panel."""
        return self.vectors * (arithmetic.vector_bytes if self.light is None else arithmetic.packed_bytes)

    @property
    def long(self) -> bool:
        """True if sums have parts, so that rounding errors do not grow with the terms."""
        return self.summation.parts > 0

    def words(self, arithmetic: ArithmeticEmitter) -> str:
        """The end of the names of its functions."""
        reach = "" if self.ahead == self.vectors * arithmetic.vector_bytes else self.ahead
        words = [f"{self.rows}x{self.vectors}", "k" if self.along_k else "r", *_ADDING[self.adds]]
        words += [f"ahead{reach}"] * (self.ahead > 0) + ["brings"] * self.brings + ["clamped"] * self.clamped
        if self.light is not None:
            words.append(f"{arithmetic.packed.name}{'.turns' * self.light.is_in_turns}")
        words += ["keeps"] * self.keeps + ["dense"] * self.dense
        return ".".join(words + [f"{self.gates}gates"] * (self.gates > 1) + ["long"] * self.long)

    @property
    def owner(self) -> str:
        """The beginning of the names of functions that have what is the product's own."""
        return self.ending.name if self.ending else self.light.name if self.light else ""

    @property
    def params(self) -> list[tuple[str, str]]:
        """Its parameters, but those of an ending."""
        gate = [("i64", "gate")] * (self.gates > 1)
        light = self.light.params if self.light else ()
        converted = [("ptr", "converted")] * self.keeps
        return [*[("i64", "count")] * self.clamped, *_TILE, *_NEXT * self.brings, *gate, *light, *converted]


def tile(module: Module, arithmetic: ArithmeticEmitter, form: Tile) -> str:
    """Write the function of a tile where there is none yet; return its name."""
    ending = form.ending
    if form.long and ending is None:
        return _long_tile(module, arithmetic, form)
    name = f"{form.owner or 'tile'}.{arithmetic.code}.{form.words(arithmetic)}"
    if name in module.functions:
        return name
    own = form.params
    f = Function(module, name, [*own, *(ending.params if ending else ())], attributes="nounwind noinline")
    count = form.rows * form.vectors
    numbered = _clamped(f, form.rows) if form.clamped else [str(i) for i in range(form.rows)]
    begin = [arithmetic.zero] * count
    if form.adds == "first":
        begin = sums_before(f, arithmetic, "%more", _pointers(f, arithmetic, numbered, form.vectors), count)
    offsets = [f.times("%xs", row) if form.along_k else f.times(row, arithmetic.bytes) for row in numbered]
    # Bytes from the first vector of a row of w to each, those of a gate beside each other.
    within, row_bytes = range(form.vectors // form.gates), form.row_bytes(arithmetic)
    nbytes, along_w = row_bytes // form.vectors, row_bytes if form.dense else "%ws"
    columns = [f.plus(f.times("%gate", str(gate)), v * nbytes) for gate in range(form.gates) for v in within]
    start, before, buffer = "0", "", ""
    if form.long:
        start, buffer = _before_last(f, form.summation.parts), f.alloca(arithmetic.type, count * arithmetic.lanes)
        before = f.op(f"icmp ne i64 {start}, 0")
        stride = str(form.vectors * arithmetic.vector_bytes)
        earlier = _long_tile(module, arithmetic, form)
        with f.when(before):
            _call_alike(f, earlier, own, {"c": buffer, "cs": stride, "k": start, "more": "false"})
    power = 0 if form.light is None else form.light.power
    begin = _times(f, arithmetic, begin, power)
    with plain_loads(f, arithmetic) if form.light is None else form.light.loading(f, form.vectors) as load:
        counts = form.keeps or (form.light is not None and form.light.counts_terms)
        loop = TermLoop(
            f, arithmetic, offsets, columns, along_x=arithmetic.bytes if form.along_k else "%xs", along_w=along_w,
            load=_keeping(f, arithmetic, load, form.vectors) if form.keeps else load,
            counts_terms=counts, ahead=form.ahead, row_bytes=row_bytes, converts=form.light is not None,
        )  # fmt: skip
        w = f.at("%w", f.times(start, "%ws"))
        total = loop.summed("%x", w, begin, (start, "%k"), form.summation, each_turn=_bring(f) if form.brings else None)
    total = _times(f, arithmetic, total, -power)
    if form.long:
        places = (f.at(buffer, number * arithmetic.vector_bytes) for number in range(count))
        total = _plus_sums(f, arithmetic, before, places, total)
    if form.adds == "last":
        total = _plus_sums(f, arithmetic, "%more", _pointers(f, arithmetic, numbered, form.vectors), total)
    if ending:
        ending.emit(f, total, form.vectors)
        return module.shared(f)
    for value, pointer in zip(total, _pointers(f, arithmetic, numbered, form.vectors), strict=True):
        arithmetic.store_computed(f, value, pointer)
    return module.shared(f) if form.owner else name


def _times(f: Function, arithmetic: ArithmeticEmitter, values: list[str], power: int) -> list[str]:
    """Registers times 2 to some power."""
    if power == 0:
        return values
    by = splat(2.0**power, arithmetic.accumulate, arithmetic.lanes)
    return [value if value == arithmetic.zero else f.op(f"fmul {arithmetic.vector} {value}, {by}") for value in values]


def _bring(f: Function) -> EachTurn:
    """Have a line of what the next tile reads brought near."""

    def turn(k: str, values: list[str]) -> list[str]:
        bring_line(f, f.at("%next", f.times(k, "%rate")))
        return values

    return turn


@contextmanager
def plain_loads(f: Function, arithmetic: ArithmeticEmitter) -> Iterator[LoadVector]:
    """Loads of a panel whose elements are those that are computed with."""
    yield lambda number, k, pointer: arithmetic.load_computed(f, pointer)


def _keeping(f: Function, arithmetic: ArithmeticEmitter, load: LoadVector, vectors: int) -> LoadVector:
    """Loads of vectors that are stored in another panel, too, all of a term after the last of them.

    A load after a store waits until it is known that it does not read what was stored: 4 % of a tile of 4 rows.
    """
    values: list[str] = []

    def converted(number: int, k: str, pointer: str) -> str:
        values.append(load(number, k, pointer))
        if number == vectors - 1:
            row = f.at("%converted", f.times(k, vectors * arithmetic.vector_bytes))
            for place, value in enumerate(values[-vectors:]):
                arithmetic.store_computed(f, value, f.at(row, place * arithmetic.vector_bytes))
        return values[-1]

    return converted


def widening(arithmetic: ArithmeticEmitter) -> Light:
    """Short floats, which become floats."""

    @contextmanager
    def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
        yield lambda number, k, pointer: arithmetic.load_packed(f, pointer)

    return Light("", (), loading)


def _call_alike(f: Function, name: str, params: Sequence[tuple[str, str]], instead: Mapping[str, str]) -> None:
    """Call a function with the parameters of the caller, but for those that are something else `instead`."""
    arguments = ", ".join(f"{type} {instead.get(param, f'%{param}')}" for type, param in params)
    f.do(f"call void @{name}({arguments})")


def _before_last(f: Function, part: int) -> str:
    """The terms before those that are summed last: whole parts of so many."""
    parts = f.op(f"sdiv i64 {f.op('sub i64 %k, 1')}, {part}")
    return f.op(f"mul i64 {parts}, {part}")


def sums_before(
    f: Function, arithmetic: ArithmeticEmitter, condition: str, pointers: Iterable[str], count: int
) -> list[str]:
    """The `count` sums that lie at `pointers` where a condition holds, else zeros."""
    first, load, start = f.label, f.fresh("load"), f.fresh("begin")
    f.branch(condition, load, start, begin=load)
    loaded = [arithmetic.load_computed(f, pointer) for pointer in pointers]
    f.enter(start)
    of = arithmetic.vector
    return [f.op(f"phi {of} [ {arithmetic.zero}, %{first} ], [ {value}, %{load} ]") for value in loaded]


def _plus_sums(
    f: Function, arithmetic: ArithmeticEmitter, condition: str, pointers: Iterator[str], total: list[str]
) -> list[str]:
    """Sums in registers, plus those that lie at `pointers` where a condition holds."""
    before, load, after = f.label, f.fresh("load"), f.fresh("added")
    f.branch(condition, load, after, begin=load)
    added = [
        arithmetic.add(f, arithmetic.load_computed(f, pointer), value, arithmetic.lanes)
        for pointer, value in zip(pointers, total, strict=True)
    ]
    f.enter(after)
    pairs = zip(total, added, strict=True)
    return [f.op(f"phi {arithmetic.vector} [ {one}, %{before} ], [ {other}, %{load} ]") for one, other in pairs]


def _long_tile(module: Module, arithmetic: ArithmeticEmitter, form: Tile) -> str:
    """A tile of any number of terms, as it is called: those of the terms of a part, added up in c."""
    count = form.summation.parts
    form = changed(form, adds="last", ending=None, summation=changed(form.summation, parts=0))
    part = tile(module, arithmetic, form)
    name = f"{part}.long"
    if name in module.functions:
        return name
    f = Function(module, name, form.params, attributes="nounwind noinline")
    last = f.op(f"add i64 {_before_last(f, count)}, 1")
    with f.loop("0", last, count) as loop:  # at least once: no terms give zeros
        left = f.op(f"sub i64 %k, {loop.index}")
        later = f.op(f"icmp ne i64 {loop.index}, 0")
        instead = {
            "x": f.at("%x", f.op(f"mul i64 {loop.index}, {arithmetic.bytes if form.along_k else '%xs'}")),
            "w": f.at("%w", f.op(f"mul i64 {loop.index}, %ws")),
            "k": f.umin(left, count),
            "more": f.op(f"or i1 %more, {later}"),
        }
        if form.light is not None and form.light.counts_terms:
            instead["w.term"] = f.op(f"add i64 %w.term, {loop.index}")
        if form.keeps:
            row = form.vectors * arithmetic.vector_bytes
            instead["converted"] = f.at("%converted", f.op(f"mul i64 {loop.index}, {row}"))
        if form.brings:
            instead["next"] = f.at("%next", f.op(f"mul i64 {loop.index}, %rate"))
        _call_alike(f, part, form.params, instead)
    return name


def _clamped(f: Function, rows: int) -> list[str]:
    """The numbers of `rows` rows of which there are `%count`: beyond the last, the last."""
    last = f.op("sub i64 %count, 1")
    return ["0", *(f.umin(last, i) for i in range(1, rows))]


def _pointers(f: Function, arithmetic: ArithmeticEmitter, numbered: list[str], vectors: int) -> Iterator[str]:
    """Pointers to the vectors of c, each written when it is asked for."""
    row = "%c"
    for i, number in enumerate(numbered):
        if number.isdecimal():
            row = f.at(row, "%cs") if i else row
        else:
            row = f.at("%c", f.times("%cs", number))
        for v in range(vectors):
            yield f.at(row, v * arithmetic.vector_bytes)


def any_tile(module: Module, arithmetic: ArithmeticEmitter, heights: tuple[int, ...], form: Tile) -> str:
    """`(i64 count, <as tile>)`: the tile with so many rows, one of `heights`, or fewer than the last of these."""
    *tall, last = heights
    form = changed(form, rows=last)
    rest = tile(module, arithmetic, changed(form, clamped=True))
    if not tall:
        return rest
    name = f"{form.owner or 'tiles'}.{arithmetic.code}.{'.'.join([*map(str, tall), form.words(arithmetic)])}"
    if name not in module.functions:
        exact = {height: tile(module, arithmetic, changed(form, rows=height)) for height in tall}
        params = [("i64", "count"), *form.params]
        f = Function(module, name, params, attributes="nounwind noinline", works=False)
        labels = {height: f.fresh("case") for height in exact}
        other = f.fresh("other")
        cases = " ".join(f"i64 {height}, label %{label}" for height, label in labels.items())
        f.do(f"switch i64 %count, label %{other} [ {cases} ]")
        arguments = ", ".join(f"{type} %{param}" for type, param in form.params)
        for height, label in labels.items():
            f.begin_block(label)
            f.do(f"tail call void @{exact[height]}({arguments})")
            f.do("ret void")
        f.begin_block(other)
        f.do(f"tail call void @{rest}(i64 %count, {arguments})")
    return name


def sums_of_parts(
    f: Function,
    arithmetic: ArithmeticEmitter,
    initial: Sequence[str],
    stop: str | int,
    together: int,
    part: Callable[[str, str, list[str]], list[str]],
) -> list[str]:
    """Sums over a range, so many indices of which have sums of their own, which are added in memory.

    `part(first, last, sums)` writes the loop over some of the range; `initial` are the sums before.
    """
    total = f.alloca(arithmetic.vector, len(initial))
    places = [f.at(total, number * arithmetic.vector_bytes) for number in range(len(initial))]
    for value, place in zip(initial, places, strict=True):
        arithmetic.store_computed(f, value, place)
    with f.loop(0, stop, together) as loop:
        end = f.umin(f.plus(loop.index, together), f.operand(stop))
        for value, place in zip(part(loop.index, end, [arithmetic.zero] * len(initial)), places, strict=True):
            before = arithmetic.load_computed(f, place)
            arithmetic.store_computed(f, arithmetic.add(f, before, value, arithmetic.lanes), place)
    return [arithmetic.load_computed(f, place) for place in places]


def dots(
    module: Module,
    arithmetic: ArithmeticEmitter,
    rows: int,
    columns: int,
    turns: int,
    whole: bool,
    *,
    ahead: int = 0,
    clamped: bool = False,
    parts: int = 0,
) -> str:
    """`(ptr c, i64 c_stride, ptr x, i64 x_stride, ptr w, i64 w_stride, i64 k)`: sums along k, lane by lane.

    Rows of x and rows of w (the columns of the product) are contiguous along k. Few rows of w at a time, each read far
    ahead by the hardware: sixteen rows at once took twice as long. `turns` vectors of k have sums of their own. With
    `whole`, k is a multiple of `turns` vectors. w is fetched `ahead` bytes before it is read, if it
    comes from far away. `clamped` is as for tiles; so many turns, `parts`, have sums of their own.
    """
    words = [f"{rows}x{columns}x{turns}", *["any"] * (not whole), *["ahead"] * (ahead > 0), *["clamped"] * clamped]
    words += ["long"] * (parts > 0)
    name = f"dots.{arithmetic.code}.{'.'.join(words)}"
    if name in module.functions:
        return name
    f = Function(module, name, [("i64", "count"), *_DOTS] if clamped else _DOTS, attributes="nounwind noinline")
    numbered = _clamped(f, rows) if clamped else [str(i) for i in range(rows)]
    xs, ws = [f.times("%xs", row) for row in numbered], [f.times("%ws", str(i)) for i in range(columns)]
    count, lanes = rows * columns, arithmetic.lanes
    step = lanes * turns
    stop = "%k" if whole else f.op(f"sub i64 %k, {f.op(f'urem i64 %k, {step}')}")

    def part(first: str, last: str, sums: list[str]) -> list[str]:
        with f.loop(first, last, step, carry=[(arithmetic.vector, value) for value in sums]) as loop:
            for turn in range(turns):
                own = loop.values[turn * count : (turn + 1) * count]
                if ahead:
                    for stride in ws:
                        near = f.at(f.at("%w", f.times(loop.index, arithmetic.stored_bytes)), stride)
                        stored = lanes * arithmetic.stored_bytes
                        fetch(f, near, ahead + turn * stored, stored)
                # AArch64's addresses have a register or a number beside the pointer: a number, and loads come in pairs.
                paired = arithmetic.target.processor == "aarch64"
                k, further = (loop.index, turn * lanes) if paired else (f.plus(loop.index, turn * lanes), 0)
                loop.following += _dots_step(f, arithmetic, k, xs, ws, own, further=further)
        return loop.results

    zeros = [arithmetic.zero] * (count * turns)
    results = sums_of_parts(f, arithmetic, zeros, stop, parts * step, part) if parts else part("0", stop, zeros)
    total = in_one(f, arithmetic, results, count)
    if not whole and arithmetic.target.by_lane:
        # Whole vectors first: a mask is a branch for each lane.
        last = f.op(f"sub i64 %k, {f.op(f'urem i64 %k, {lanes}')}")
        with f.loop(stop, last, lanes, carry=[(arithmetic.vector, value) for value in total]) as loop:
            loop.following = _dots_step(f, arithmetic, loop.index, xs, ws, loop.values)
        stop, total = last, loop.results
    if not whole:
        with f.loop(stop, "%k", lanes, carry=[(arithmetic.vector, value) for value in total]) as loop:
            mask = first_lanes(f, f.op(f"sub i64 %k, {loop.index}"), lanes)
            loop.following = _dots_step(f, arithmetic, loop.index, xs, ws, loop.values, mask=mask)
        total = loop.results
    for i, row in enumerate(numbered):
        c = f.at("%c", f.times("%cs", row))
        for j in range(columns):
            arithmetic.store_computed(f, total[i * columns + j], f.at(c, j * arithmetic.vector_bytes))
    return name


def any_dots(
    module: Module, arithmetic: ArithmeticEmitter, columns: int, turns: dict[int, int], whole: bool, parts: int
) -> str:
    """`(i64 count, <as dots>)`: the dots of so many rows, from one on; `turns` for the two numbers of rows in use."""
    few, many = sorted(turns)
    words = ["any"] * (not whole) + ["long"] * (parts > 0)
    name = ".".join([f"dots.{arithmetic.code}.any.{columns}x{turns[few]}.{turns[many]}", *words])
    if name not in module.functions:
        small, large = (
            dots(module, arithmetic, n, columns, turns[n], whole, clamped=True, parts=parts) for n in (few, many)
        )
        f = Function(module, name, [("i64", "count"), *_DOTS], attributes="nounwind noinline")
        arguments = ", ".join(f"{type} %{param}" for type, param in [("i64", "count"), *_DOTS])
        with f.when(f.op(f"icmp sgt i64 %count, {few}")):
            f.do(f"call void @{large}({arguments})")
        with f.when(f.op(f"icmp sle i64 %count, {few}")):
            f.do(f"call void @{small}({arguments})")
    return name


def _dots_step(
    f: Function,
    arithmetic: ArithmeticEmitter,
    k: str,
    xs: list[str],
    ws: list[str],
    sums: list[str],
    mask: str | None = None,
    further: int = 0,
) -> list[str]:
    """One vector of k, so many terms further: every row of x times every row of w."""
    offset = f.times(k, arithmetic.stored_bytes)
    x, w = f.at("%x", offset), f.at("%w", offset)
    more = further * arithmetic.stored_bytes
    rows = [arithmetic.load(f, f.at(f.at(x, stride), more), arithmetic.lanes, mask) for stride in xs]
    columns = [arithmetic.load(f, f.at(f.at(w, stride), more), arithmetic.lanes, mask) for stride in ws]
    return [
        arithmetic.multiply_add(f, row, column, sums[i * len(ws) + j])
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]


def sums(module: Module, arithmetic: ArithmeticEmitter, count: int) -> str:
    """`(ptr c, ptr d)`: c[j] = sum of the lanes of d[j], for `count` = 1, 2, 4, ... lanes vectors."""
    name = f"sums.{arithmetic.code}.{count}"
    if name in module.functions:
        return name
    f = Function(module, name, [("ptr", "c"), ("ptr", "d")], attributes="nounwind noinline")
    vectors = [arithmetic.load_computed(f, f.at("%d", j * arithmetic.vector_bytes)) for j in range(count)]
    arithmetic.store_computed(f, arithmetic.sums(f, vectors), "%c", count)
    return name


def move(
    f: Function,
    name: str,
    to: tuple[str, str | int],
    source: tuple[str, str | int],
    rows: str | int,
    width: str | int,
) -> None:
    """Call one of the functions that bring elements elsewhere: those of `flip`, `copy` and `rows_together`.

    `to` and `source` are pointers, each with its stride in bytes.
    """
    words = [f.operand(word) for word in (to[1], source[1], rows, width)]
    f.do(
        f"call void @{name}(ptr {to[0]}, i64 {words[0]}, ptr {source[0]}, i64 {words[1]}, i64 {words[2]}, "
        f"i64 {words[3]})"
    )


def flip(module: Module, arithmetic: ArithmeticEmitter) -> str:
    """`(ptr panel, i64 panel_stride, ptr w, i64 w_stride, i64 rows, i64 k)`: panel[k][row] = w[row][k], converted.

    A register's width of the panel's row is written. Where w has fewer than `lanes` rows, its last stands in for the
    missing: whoever uses the panel drops those columns.
    """
    name = f"flip.{arithmetic.code}"
    if name in module.functions:
        return name
    params = [("ptr", "p"), ("i64", "ps"), ("ptr", "w"), ("i64", "ws"), ("i64", "rows"), ("i64", "k")]
    f = Function(module, name, params, attributes="nounwind noinline")
    lanes = arithmetic.lanes
    last = f.op("sub i64 %rows, 1")
    if not arithmetic.chunk:  # small integers: element by element
        _flip_rest(f, arithmetic, last, "0")
        return name
    rows = ["%w"]
    for i in range(1, lanes):
        row = f.umin(last, i)
        rows.append(f.at("%w", f.op(f"mul i64 {row}, %ws")))
    whole = f.op(f"and i64 %k, {-arithmetic.chunk}")
    with f.loop("0", whole, arithmetic.chunk) as loop:
        panel = f.at("%p", f.op(f"mul i64 {loop.index}, %ps"))
        offset = f.times(loop.index, arithmetic.stored_bytes)
        for i, value in enumerate(arithmetic.transposed(f, [f.at(row, offset) for row in rows])):
            arithmetic.store_computed(f, value, panel)
            if i < arithmetic.chunk - 1:
                panel = f.at(panel, "%ps")
    _flip_rest(f, arithmetic, last, whole)
    return name


def _flip_rest(f: Function, arithmetic: ArithmeticEmitter, last: str, whole: str) -> None:
    """The last few k, one element at a time."""
    with f.loop(whole, "%k") as loop:
        panel = f.at("%p", f.op(f"mul i64 {loop.index}, %ps"))
        w = f.at("%w", f.times(loop.index, arithmetic.stored_bytes))
        with f.loop(0, arithmetic.lanes) as inner:
            row = f.umin(last, inner.index)
            one = arithmetic.load(f, f.at(w, f.op(f"mul i64 {row}, %ws")), 1)
            arithmetic.store_computed(f, one, f.at(panel, f.times(inner.index, arithmetic.bytes)), 1)


def copy(module: Module, arithmetic: ArithmeticEmitter) -> str:
    """`(ptr panel, i64 panel_stride, ptr w, i64 w_stride, i64 rows, i64 width)`: panel[row][:width] = w[row][:width].

    Converted on the way.
    """
    name = f"copy.{arithmetic.code}"
    if name in module.functions:
        return name
    params = [("ptr", "p"), ("i64", "ps"), ("ptr", "w"), ("i64", "ws"), ("i64", "rows"), ("i64", "width")]
    f = Function(module, name, params, attributes="nounwind noinline")
    lanes = arithmetic.lanes
    whole = f.op(f"sub i64 %width, {f.op(f'urem i64 %width, {lanes}')}")
    with f.loop("0", "%rows") as loop:
        panel, w = f.at("%p", f.op(f"mul i64 {loop.index}, %ps")), f.at("%w", f.op(f"mul i64 {loop.index}, %ws"))
        for start, stop, step in (("0", whole, lanes), (whole, "%width", 1)):
            with f.loop(start, stop, step) as inner:
                value = arithmetic.load(f, f.at(w, f.times(inner.index, arithmetic.stored_bytes)), step)
                arithmetic.store_computed(f, value, f.at(panel, f.times(inner.index, arithmetic.bytes)), step)
    return name


def widened(module: Module, arithmetic: ArithmeticEmitter, light: Light, vectors: int) -> str:
    """`(ptr panel, ptr packed, i64 k, <params of light>)`: the panel of elements as they are computed with."""
    name = f"{light.name or 'widen'}.{arithmetic.code}.{arithmetic.packed.name}.{vectors}"
    if name not in module.functions:
        params = [("ptr", "p"), ("ptr", "w"), ("i64", "k"), *light.params]
        f = Function(module, name, params, attributes="nounwind noinline")
        with light.loading(f, vectors) as load, f.loop("0", "%k") as loop:
            source = f.at("%w", f.times(loop.index, vectors * arithmetic.packed_bytes))
            panel = f.at("%p", f.times(loop.index, vectors * arithmetic.vector_bytes))
            for v in range(vectors):
                value = load(v, loop.index, f.at(source, v * arithmetic.packed_bytes))
                arithmetic.store_computed(f, value, f.at(panel, v * arithmetic.vector_bytes))
    return name


def rows_together(module: Module, arithmetic: ArithmeticEmitter, rows: int) -> str:
    """`(ptr to, i64 tile, ptr x, i64 x_stride, i64 k, i64 tiles)`: to[tile][k][rows] = x[k][tile * rows :][:rows],
    converted; `tile` bytes lead from one tile to the next, and nothing lies between two k.

    Tiles lie beside each other in x and share lines of the cache: each line is read once for all of them, and not once
    for each, long after it was driven out.
    """
    name = f"together.{arithmetic.code}.{rows}"
    if name not in module.functions:
        params = [("ptr", "to"), ("i64", "tile"), ("ptr", "x"), ("i64", "xs"), ("i64", "k"), ("i64", "tiles")]
        f = Function(module, name, params, attributes="nounwind noinline")
        row = rows * arithmetic.bytes
        with f.loop("0", "%k") as loop:
            x, to = f.at("%x", f.op(f"mul i64 {loop.index}, %xs")), f.at("%to", f.times(loop.index, row))
            with f.loop("0", "%tiles") as inner:
                value = arithmetic.load(f, f.at(x, f.times(inner.index, rows * arithmetic.stored_bytes)), rows)
                arithmetic.store_computed(f, value, f.at(to, f.op(f"mul i64 {inner.index}, %tile")), rows)
    return name
