# SPDX-License-Identifier: Apache-2.0
"""The text of a plan, read again."""

import json
import re

from hybridize.runtime.plan import (
    Buffer,
    Derivation,
    Plan,
    PlanAddress,
    PlanBand,
    PlanLaunch,
    PlanLines,
    PlanMaker,
    PlanPacking,
    PlanRegion,
    PlanRolling,
    PlanRows,
    PlanScans,
    PlanShare,
    PlanSource,
    PlanState,
    PlanStep,
    PlanStop,
    PlanTable,
    PlanTasks,
)


def parse(text: str) -> Plan:
    """The plan of a text; a line that is not understood is an error."""
    return plan_of(tree(text.splitlines()))


def tree(lines):
    """Lines with those that stand further to the right within them."""
    root = []
    stack = [(-1, root)]
    for line in lines:
        depth = len(line) - len(line.lstrip())
        while stack[-1][0] >= depth:
            stack.pop()
        inner = []
        stack[-1][1].append((line.strip(), inner))
        stack.append((depth, inner))
    return root


class Fields:
    """The lines of something, by their first word, in order; all must be asked for."""

    def __init__(self, lines, *words):
        self.lines = lines
        unknown = [line for line, _ in lines if line.split(" ", 1)[0] not in words]
        assert not unknown, f"not a line of a plan: {unknown}"

    def of(self, word):
        return [
            (rest, inner) for line, inner in self.lines for first, _, rest in [line.partition(" ")] if first == word
        ]

    def texts(self, word):
        assert not [inner for _, inner in self.of(word) if inner], f"nothing is within {word}"
        return tuple(rest for rest, _ in self.of(word))

    def one(self, word):
        (rest,) = self.texts(word)
        return rest


def size(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def sizes(text):
    """Sizes in a list; commas within brackets are their own."""
    if text in ("", "-"):
        return ()
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(map(size, parts))


def match(pattern, text):
    words = re.fullmatch(pattern, text)
    assert words, f"{text!r} does not read like {pattern!r}"
    return words.groups()


def buffer(text):
    dtype, shape, nbytes = match(r"(\w+)\[(.*)\] (.*)", text)
    return Buffer(dtype, sizes(shape), size(nbytes))


def address(text):
    if text == "nowhere":
        return PlanAddress("nowhere", 0, 0)
    kind, slot, offset = match(r"(input|output|scratch)(\d*)\+(.*)", text)
    return PlanAddress(kind, int(slot or 0), size(offset))


def number(text):
    if text in ("True", "False"):
        return text == "True"
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def argument(text):
    if text.endswith(")") and re.match(r"\w+\(", text):
        dtype, numbers = match(r"(\w+)\((.*)\)", text)
        return PlanTable(dtype, tuple(map(number, numbers.split(","))))
    return address(text)


PLAN = (
    "size", "input", "constant", "output", "scratch", "team", "update", "layout", "derive", "step", "run", "stop",
    "tasks", "band", "rolling", "scans", "maker",
)  # fmt: skip
NODES = ("run", "stop", "tasks", "band", "rolling", "scans")


def plan_of(lines):
    fields = Fields(lines, *PLAN)
    updates = (match(r"output(\d+) over input(\d+)", text) for text in fields.texts("update"))
    layouts = (match(r"(\d+) (.*)", text) for text in fields.texts("layout"))
    return Plan(
        *(tuple(map(buffer, fields.texts(word))) for word in ("input", "constant", "output")),
        size(fields.one("scratch")),
        steps_of(fields),
        tuple(map(derivation, fields.texts("derive"))),
        fields.texts("size"),
        tuple(map(int, fields.texts("team"))),
        tuple((int(output), int(number)) for output, number in updates),
        tuple((json.loads(layout), int(count)) for count, layout in layouts),
        order_of(lines),
        tuple(maker(text, inner) for text, inner in fields.of("maker")),
    )


def steps_of(fields):
    steps = [step(text, inner) for text, inner in fields.of("step")]
    assert [number for number, _ in steps] == list(range(len(steps)))
    return tuple(one for _, one in steps)


def order_of(lines):
    return tuple(node(line, inner) for line, inner in lines if line.split(" ", 1)[0] in NODES)


def derivation(text):
    slot, function, sources, nbytes, scratch, layout, ops = match(
        r"(\d+) by (\S+) of (\S+) bytes (\d+) scratch (\d+) layout (\"[^\"]*\") ops (\[.*\])", text
    )
    found = (match(r"([a-z]+)(\d+)\+(\d+)", one) for one in sources.split(",") if one != "-")
    return Derivation(
        int(slot),
        function,
        int(nbytes),
        json.loads(layout),
        tuple(PlanSource(kind, int(number), int(offset)) for kind, number, offset in found),
        int(scratch),
        tuple(json.loads(ops)),
    )


def maker(function, lines):
    return PlanMaker(function, steps_of(Fields(lines, "step", *NODES)), order_of(lines))


def step(text, lines):
    number, kind, shape, nbytes, flops = match(r"(\d+) (\w+) \[(.*)\] bytes (\S+) flops (\S+)", text)
    fields = Fields(lines, "ops", "lines", "r", "w", "s", "call", "share", "region")
    arguments = [line.split(" ", 1) for line, _ in lines if line.split(" ", 1)[0] in "rws"]
    return int(number), PlanStep(
        kind,
        tuple(json.loads(fields.one("ops"))),
        tuple(json.loads(fields.one("lines"))),
        tuple(argument(one) for _, one in arguments),
        "".join(way for way, _ in arguments),
        sizes(shape),
        size(nbytes),
        size(flops),
        tuple(map(launch, fields.texts("call"))),
        share(fields),
        next((region(text, inner) for text, inner in fields.of("region")), None),
    )


def launch(text):
    function, turns, symbols = match(r"(\S+)(?: turns (\S+))?(?: sizes (\S+))?", text)
    return PlanLaunch(function, None if turns is None else size(turns), sizes(symbols or ""))


def share(fields):
    for text in fields.texts("share"):
        own, nbytes, flops, wakes, threads = match(
            r"own (\S+) bytes (\S+) flops (\S+) wakes ([01]) threads (\d+)", text
        )
        return PlanShare(sizes(own), size(nbytes), size(flops), wakes == "1", int(threads))
    return None


def region(text, lines):
    control, length, reverse, scratch, acts = match(
        r"(cond|while|scan) length (\S+) reverse ([01]) scratch (\S+) acts ([01])", text
    )
    fields = Fields(lines, "output", "input", "gives", "stacked", "unread", "state", "body")
    state = (match(r"(.*) (-?\d+) (\S+)", one) for one in fields.texts("state"))
    return PlanRegion(
        control,
        tuple(map(buffer, fields.texts("output"))),
        tuple(map(buffer, fields.texts("input"))),
        tuple(plan_of(inner) for line, inner in lines if line == "body"),
        sizes(fields.one("gives")),
        tuple(PlanState(kind, int(stack), size(offset)) for kind, stack, offset in state),
        size(length),
        reverse == "1",
        sizes(fields.one("stacked")),
        sizes(fields.one("unread")),
        size(scratch),
        acts == "1",
    )


def node(line, lines):
    word, _, text = line.partition(" ")
    return {"run": run, "stop": stop, "tasks": tasks, "band": band, "rolling": rolling, "scans": scans}[word](
        text, lines
    )


def run(text, lines):
    assert not lines
    return int(text)


def stop(text, lines):
    assert not lines
    return PlanStop(None if text == "failed" else address(text))


def scans(text, lines):
    assert not lines
    return PlanScans(*map(int, text.split()))


def tasks(text, lines):
    first, last = map(int, text.split())
    fields = Fields(lines, "share", "task")
    parts = (
        tuple(tuple(map(int, match(r"(\d+):(\d+)/(\d+)", part))) for part in one.split())
        for one in fields.texts("task")
    )
    return PlanTasks(first, last, tuple(parts), share(fields))


def band(text, lines):
    block, rows, count, batch, turn = match(r"block (\d+) rows (\S+) count (\S+) batch (\S+) in turn ([01])", text)
    fields = Fields(lines, "packing", "rows", "own", "share")
    packing = (match(r"(\d+) bytes (\S+) members ?(.*)", one) for one in fields.texts("packing"))
    by_rows = (match(r"of (\d+) by (\S+)", one) for one in fields.texts("rows"))
    return PlanBand(
        tuple(PlanRows(int(number), sizes(blocks)) for number, blocks in by_rows),
        int(block),
        size(rows),
        size(count),
        size(batch),
        tuple(map(address, fields.texts("own"))),
        share(fields),
        tuple(
            PlanPacking(int(number), tuple(map(sizes, members.split())), size(nbytes))
            for number, nbytes, members in packing
        ),
        turn == "1",
    )


def rolling(text, lines):
    first, last, block, units, parts = map(int, match(r"(\d+) (\d+) size (\d+) units (\d+) parts (\d+)", text))
    fields = Fields(lines, "memory", "block", "share")
    memories = (match(r"(\S+) line (\d+) lines (\d+)", one) for one in fields.texts("memory"))
    return PlanRolling(
        first,
        last,
        block,
        units,
        parts,
        tuple(PlanLines(address(at), int(nbytes), int(lines)) for at, nbytes, lines in memories),
        tuple(map(sizes, fields.texts("block"))),
        share(fields),
    )
