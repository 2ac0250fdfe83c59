"""What can happen to the bytes of a file: cut, flipped, moved, overwritten, mixed with those of another. Seeded."""

import random
import struct
from collections.abc import Iterator, Sequence

NUMBERS = [
    *(struct.pack("<q", n) for n in (-1, 0, 1, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1, -(1 << 63))),
    *(struct.pack("<i", n) for n in (-1, (1 << 31) - 1)),
    *(b"-1", b"0", b"99999999999999999999", b"1e400", b"NaN", b"null", b"true", b"[]", b"{}", b'"x"', b"\xff\xfe"),
]
"""Written over what is there."""


def damaged(data: bytes, borders: Sequence[int], others: Sequence[bytes], seed: int) -> Iterator[tuple[str, bytes]]:
    """Copies of a file that are not the file, and what was done to them; without an end.

    Args:
        data: the file.
        borders: where its parts begin and end; it is cut at each of them, and one byte before and after.
        others: files of the same kind, whose parts get mixed in.
        seed: of all that is drawn.
    """
    draw = random.Random(seed)
    places = sorted({cut for border in borders for cut in (border - 1, border, border + 1) if 0 <= cut < len(data)})
    draw.shuffle(places)
    for turn in range(1 << 60):
        kind = _KINDS[turn % len(_KINDS)]
        if kind == "cut at a border" and places:
            yield kind, data[: places.pop()]
            continue
        found = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 5)) if kind != "cut" else 1):
            _change(kind, found, borders, others, draw)
        if bytes(found) != data:
            yield kind, bytes(found)


_KINDS = (
    "cut at a border", "cut", "flip", "flip", "flip", "flips", "exchange", "double", "zero", "ones", "remove", "insert",
    "number", "number at a border", "mix", "append",
)  # fmt: skip


def _change(kind: str, data: bytearray, borders: Sequence[int], others: Sequence[bytes], draw: random.Random) -> None:
    at = draw.randrange(max(1, len(data)))
    length = draw.choice((1, 2, 7, 8, 64, 300))
    end = at + length
    match kind:
        case "cut" | "cut at a border":
            del data[at:]
        case "flip" | "flips" if data:
            for _ in range(1 if kind == "flip" else draw.randrange(2, 20)):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        case "exchange":
            to = draw.randrange(max(1, len(data)))
            first, second = sorted((at, to))
            length = min(length, second - first, len(data) - second)
            one, other = data[first : first + length], data[second : second + length]
            data[first : first + length], data[second : second + length] = other, one
        case "double":
            data[at:at] = data[at:end]
        case "zero" | "ones":
            count = len(data[at:end])
            data[at:end] = (b"\0" if kind == "zero" else b"\xff") * count
        case "remove":
            del data[at:end]
        case "insert":
            data[at:at] = draw.randbytes(length)
        case "number" | "number at a border":
            at = at if kind == "number" else draw.choice([0, 8, *borders])
            number = draw.choice(NUMBERS)
            data[at : at + len(number)] = number
        case "mix":
            other = draw.choice(others)
            start = draw.randrange(len(other))
            data[at:end] = other[start : start + length] if draw.random() < 0.5 else other[at:end]
        case "append":
            data += draw.choice((b"\0", b" ", b"\n", draw.randbytes(length), data[at:end] or b"\0"))
