"""The innermost loops of AArch64 assembly, and what is counted in them."""

import re
from collections.abc import Iterator, Sequence

from hybridize.base.frozen import frozen

_JUMP = re.compile(r"^(b|b\.\w+|cbz|cbnz|tbz|tbnz|br|ret)(?:\t(.*))?$")
_FUNCTION = re.compile(r"^(?!\.L)([\w.$]+):[^\n]*\n(.*?)^\.Lfunc_end", re.MULTILINE | re.DOTALL)
_REGISTER = re.compile(r"\b[vqdsh]\d+\b")
_PRODUCT = re.compile(r"(fmla|fmls|fmadd|mla|smlal2?|sdot)\b")


@frozen
class AssemblyLoop:
    """The instructions of a loop that has no loop within."""

    function: str
    body: Sequence[str]

    @property
    def vectors(self) -> Sequence[str]:
        """Instructions of vector registers, loads and stores among them."""
        return [line for line in self.body if _REGISTER.search(line)]

    @property
    def products(self) -> int:
        """Multiply-adds."""
        return sum(bool(_PRODUCT.match(line)) for line in self.body)

    @property
    def share(self) -> float:
        """Multiply-adds among vector instructions."""
        return self.products / max(1, len(self.vectors))

    @property
    def spills(self) -> Sequence[str]:
        """Loads and stores of the stack; loops that call functions have arguments there."""
        calls = any(line.startswith(("bl\t", "blr\t")) for line in self.body)
        return [] if calls else [line for line in self.body if "[sp" in line and _REGISTER.search(line)]

    def count(self, *words: str) -> int:
        """Instructions that begin with one of these words."""
        return sum(line.startswith(words) for line in self.body)


def innermost(text: str) -> Iterator[AssemblyLoop]:
    """All loops of all functions that have none within."""
    for name, lines in _FUNCTION.findall(text):
        blocks, labels = _blocks(lines)
        for members in _natural_loops(_successors(blocks, labels)):
            yield AssemblyLoop(name, [line for number in sorted(members) for line in blocks[number]])


def _blocks(lines: str) -> tuple[list[list[str]], dict[str, int]]:
    """Instructions between labels and jumps, and the number of the block of each label."""
    blocks: list[list[str]] = [[]]
    labels: dict[str, int] = {}
    for line in lines.splitlines():
        text = line.partition("//")[0].strip()
        if text.startswith(".LBB") and text.endswith(":"):
            if blocks[-1]:
                blocks.append([])
            labels[text[:-1]] = len(blocks) - 1
        elif text and not text.startswith(".") and line.startswith("\t"):
            blocks[-1].append(text)
            if _JUMP.match(text):
                blocks.append([])
    return blocks, labels


def _successors(blocks: Sequence[Sequence[str]], labels: dict[str, int]) -> list[set[int]]:
    following = []
    for number, block in enumerate(blocks):
        jump = _JUMP.match(block[-1]) if block else None
        target = (jump[2] or "").split(",")[-1].strip() if jump else ""
        after = {labels[target]} if target in labels else set()
        if number + 1 < len(blocks) and (jump is None or jump[1] not in ("b", "br", "ret")):
            after.add(number + 1)
        following.append(after)
    return following


def _natural_loops(following: Sequence[set[int]]) -> Iterator[set[int]]:
    """The blocks of each loop that has none within: what leads back to a block that all ways to there pass."""
    before: list[set[int]] = [set() for _ in following]
    reached, waiting = {0}, [0]
    while waiting:
        block = waiting.pop()
        for other in following[block]:
            before[other].add(block)
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    passed = {block: set(reached) for block in reached} | {0: {0}}
    changing = True
    while changing:
        changing = False
        for block in sorted(reached - {0}):
            now = {block}.union(set.intersection(*(passed[one] for one in before[block])))
            changing, passed[block] = changing or now != passed[block], now
    loops: dict[int, set[int]] = {}
    for block in reached:
        for head in following[block] & passed[block]:
            members, waiting = loops.setdefault(head, {head}), [block]
            while waiting:
                one = waiting.pop()
                if one not in members:
                    members.add(one)
                    waiting.extend(before[one])
    yield from (members for head, members in loops.items() if not any(one in members for one in loops if one != head))
