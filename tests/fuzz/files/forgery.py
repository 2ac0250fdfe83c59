"""Archives that somebody wrote by hand: parts changed, and every checksum made right again."""

import json
import math
import random
import re
import sys
from binascii import crc32
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from hybridize.base.digests import digest
from hybridize.formats.archive import container

DESCRIPTION = "hybridize:program"


class Archive:
    """An archive in parts: what the header says of each tensor, the bytes of each, the description."""

    def __init__(self, data: bytes) -> None:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        self.metadata: dict[str, Any] = header.pop("__metadata__")
        self.digits = len(self.metadata["checksum"])
        self.entries: dict[str, Any] = header
        start = 8 + length
        places = {name: entry["data_offsets"] for name, entry in header.items()}
        self.tensors = {name: data[start + begin : start + end] for name, (begin, end) in places.items()}
        self.description: Any = json.loads(self.tensors.pop(DESCRIPTION))
        self.borders = [8, start, *(start + end for _, end in places.values())]

    def put(self, name: str, content: bytes) -> None:
        """Another content of a tensor; of a section of bytes the header follows."""
        self.tensors[name] = content
        if self.entries.setdefault(name, {"dtype": "U8", "shape": [0]})["dtype"] == "U8":
            self.entries[name]["shape"] = [len(content)]

    def whole(self, text: bytes | None = None, header: Callable[[Any], Any] = lambda tree: tree) -> bytes:
        """The file, with all checksums.

        Args:
            text: the description, where it is not the JSON of `description`; its checksums stay as they are.
            header: changes the header when the offsets are known.
        """
        if text is None:
            checks = [container.checksum(numpy.frombuffer(content, "u1")) for content in self.tensors.values()]
            known = isinstance(self.description, dict) and isinstance(self.description.get("checks"), list)
            text = json.dumps({**self.description, "checks": checks} if known else self.description).encode()
        contents = {**self.tensors, DESCRIPTION: text}
        tree: dict[str, Any] = {}
        at = 0
        for name, content in contents.items():
            entry = self.entries[name] if name != DESCRIPTION else {"dtype": "U8", "shape": [len(text)]}
            tree[name] = {**entry, "data_offsets": [at, at := at + len(content)]}
        metadata = {**self.metadata, "checksum": "0" * self.digits, "program": digest(text).hex()}
        words = json.dumps(header({"__metadata__": metadata, **tree}), separators=(",", ":")).encode()
        words += b" " * (-(8 + len(words)) % 64)
        return len(words).to_bytes(8, "little") + signed(words, self.digits) + b"".join(contents.values())


def signed(header: bytes, digits: int) -> bytes:
    """A header with its checksum, where it has room for one."""
    at = header.find(b'"checksum":"') + len(b'"checksum":"')
    if header[at : at + digits] != b"0" * digits:
        return header
    return header[:at] + checksum(header, digits).encode() + header[at + digits :]


def checksum(content: bytes, digits: int) -> str:
    """CRC-32 in so many digits."""
    return f"{crc32(content):0{digits}x}"


# ------------------------------------------------------------------------------------------------------------- edits

VALUES: list[Any] = [
    -1, 0, 1, 2, 33, 1 << 31, (1 << 63) - 1, 1 << 63, 1 << 64, 10**30, -(10**30), 1.5, -0.0, math.inf, math.nan, "", "x", "\0",
    "../../../etc/passwd", "__class__", "os.system('true')", "f32", "bf16", "i64", "F64", "n0", "n0*n0-7", None, True, False,
    [], {}, [[]], [1, 2, 3], {"kind": "leaf"}, ["array"], ["constant", 3], "a" * 10_000, [0] * 10_000,
]  # fmt: skip


def nested(depth: int) -> Any:
    """Lists in lists."""
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


def places(tree: Any) -> list[tuple[Any, Any]]:
    """All that can be replaced in a tree: containers and keys."""
    found = []
    left = [tree]
    while left:
        here = left.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here))
        for key in keys:
            found.append((here, key))
            if isinstance(here[key], (dict, list)):
                left.append(here[key])
    return found


def edited(tree: Any, draw: random.Random) -> str:
    """Change a tree in one place; gives what was done."""
    everywhere = places(tree)
    if not everywhere:
        return "nothing"
    here, key = draw.choice(everywhere)
    match draw.randrange(9):
        case 0 | 1 | 2:
            here[key] = draw.choice(VALUES)
            return f"{key} = {str(here[key])[:40]!r}"
        case 3:
            del here[key]
            return f"without {key}"
        case 4:
            other, place = draw.choice(everywhere)
            here[key] = json.loads(json.dumps(other[place]))
            return f"{key} = what {place} is"
        case 5 if isinstance(here[key], (int, float)):
            here[key] = here[key] * draw.choice((-1, 2, 1 << 20, 1 << 62)) + draw.choice((-1, 0, 1))
            return f"{key} = {here[key]}"
        case 6 if isinstance(here, list):
            here.extend(json.loads(json.dumps(here)) * draw.choice((1, 2, 50)))
            return f"{key} and more, again"
        case 7 if isinstance(here, dict):
            here[draw.choice(("kind", "", "keys", "class", "unknown", str(key) + "x"))] = here.pop(key)
            return f"{key} has another name"
        case _:
            here[key] = nested(draw.choice((1, 3, 60)))
            return f"{key} is lists in lists"


_WORD = re.compile(r"%\d+|sha256:\w+|[A-Za-z_]\w*|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|<[^>\n]*>|[][(){},=]")
_WORDS = (
    "%0", "%1", "%7", "%99999999999", "-1", "0", "1", "3", "99999999999", "1e400", "nan", "-inf", "True", "None", "f32", "i64",
    "bool", "bf16", "graph", "constant", "composite", "sizes", "return", "add", "sum", "reshape", "matmul", "while", "cond",
    "<n0>", "<n0*n0*n0*n0*n0>", "<n0//0>", "<n1>", "<" + "(" * 500 + ">", "()", "(-1,)", "(4611686018427387904,)", "(0, 0)",
    "[2,2]", "f32[9999999999,9999999999]", "f32[]", "q8[2]", '"', "(" * 1000, "\\", "\0", "é", "sha256:" + "0" * 64,
)  # fmt: skip


def rewritten(text: str, draw: random.Random) -> tuple[str, str]:
    """Another text of a graph, and what was done to it."""
    words = list(_WORD.finditer(text))
    lines = text.split("\n")
    match draw.randrange(8):
        case 0:
            at = draw.randrange(len(lines))
            return f"without line {at}", "\n".join(lines[:at] + lines[at + 1 :])
        case 1:
            at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[at], lines[to] = lines[to], lines[at]
            return f"lines {at} and {to} exchanged", "\n".join(lines)
        case 2:
            at = draw.randrange(len(lines))
            return f"line {at} many times", "\n".join([*lines[:at], *[lines[at]] * draw.choice((2, 500)), *lines[at:]])
        case 3:
            word, other = draw.choice(words), draw.choice(words)
            return f"{word[0][:20]} -> {other[0][:20]}", text[: word.start()] + other[0] + text[word.end() :]
        case _:
            word, other = draw.choice(words), draw.choice(_WORDS)
            return f"{word[0][:20]} -> {other[:20]}", text[: word.start()] + other + text[word.end() :]


# ----------------------------------------------------------------------------------------------------------- archives


def forged(data: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """Archives of version 2 that are like `data` except for one or a few things, and what these are; without an end."""
    draw = random.Random(seed)
    for turn in range(1 << 60):
        archive = Archive(data)
        edit = _EDITS[turn % len(_EDITS)]
        try:
            what, found = edit(archive, draw)
        except (TypeError, ValueError, KeyError, AttributeError):  # what is there now cannot be edited like this
            continue
        if found != data:
            yield f"{edit.__name__.strip('_')}: {what}", found


def _description(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    said = [edited(archive.description, draw) for _ in range(draw.choice((1, 1, 1, 2, 4)))]
    return ", ".join(said), archive.whole()


def _description_text(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    text = archive.whole()
    whole = Archive(text)
    words = json.dumps(whole.description).encode()
    at = draw.randrange(len(words))
    new = draw.choice(
        (
            b"[" * 100_000,
            b"{" * 1000,
            b'{"a":' * 20_000,
            b"\xff\xfe",
            b"",
            b"1" * 5000,
            b'"' + b"a" * 300_000,
            words * 2,
            b"\0" * 8,
            b"null",
            b"[]",
            b"-",
            b"1e999999999",
            words[:at],
            words[:at] + b"[" * 3000 + words[at:],
            words[:1] + b'"name":"b",' + words[1:],
            words[:-1] + b',"signatures":[]}',
            words[:at] + b"9" * 4500 + words[at:],
        )
    )
    return str(new[:30]), archive.whole(new)


def _graph(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    name = draw.choice([name for name in archive.tensors if name.startswith("hybridize:graph")])
    text = archive.tensors[name].decode()
    said = []
    for _ in range(draw.choice((1, 1, 1, 3))):
        what, text = rewritten(text, draw)
        said.append(what)
    archive.put(name, text.encode())
    return ", ".join(said), archive.whole()


def _lines(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    name = draw.choice([name for name in archive.tensors if name.startswith("hybridize:lines")])
    tree = json.loads(archive.tensors[name])
    what = edited(tree, draw)
    archive.put(name, json.dumps(tree).encode())
    return what, archive.whole()


def _header(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    said = []

    def change(tree: Any) -> Any:
        name = draw.choice(list(tree))
        match draw.randrange(7):
            case 0:
                said.append(edited(tree, draw))
            case 1:
                said.append(f"{name} {edited(tree[name], draw)}")
            case 2:
                tree[name]["dtype"] = draw.choice(
                    ("BOOL", "I8", "I64", "F16", "BF16", "F64", "U64", "F8_E4M3", "C64", "f32", "")
                )
                said.append(f"{name} {tree[name]['dtype']}")
            case 3:
                count = math.prod(tree[name]["shape"])
                tree[name]["shape"] = draw.choice(
                    (
                        [count],
                        [1] * 40 + [count],
                        [count, 1],
                        [-1, -count],
                        [0, count],
                        [1 << 62, 4],
                        [count * 1.0],
                        [],
                        [1 << 40],
                    )
                )
                said.append(f"{name} {tree[name]['shape']}")
            case 4:  # another tensor's place
                other = draw.choice([name for name in tree if name[:2] != "__"])
                tree[name]["data_offsets"] = list(tree[other]["data_offsets"])
                said.append(f"{name} lies where {other} lies")
            case 5:
                start, end = tree[name]["data_offsets"]
                tree[name]["data_offsets"] = draw.choice(
                    (
                        [end, start],
                        [start + 1, end + 1],
                        [start, end + 1],
                        [-8, end],
                        [0, 1 << 62],
                        [start, start],
                        [start + 0.0, end],
                    )
                )
                said.append(f"{name} lies at {tree[name]['data_offsets']}")
            case _:
                tree[draw.choice(("weight:first", "nothing", "hybridize:graph:0", "hybridize:code:x", ""))] = tree.pop(
                    name
                )
                said.append(f"{name} has another name")
        return tree

    return ", ".join(said), archive.whole(header=change)


def _tensor(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    """Sound for weights: the program then has others. Nothing else may be other than it is known to be."""
    name = draw.choice([name for name in archive.tensors if not name.startswith("hybridize:")] or list(archive.tensors))
    content = bytearray(archive.tensors[name])
    match draw.randrange(4):
        case 0:
            del archive.tensors[name], archive.entries[name]
            return f"without {name}", archive.whole()
        case 1 if content:
            content[draw.randrange(len(content))] ^= 0xFF
        case 2:
            content += bytes(content) or b"\0"
            archive.entries[name]["shape"] = [2, *archive.entries[name]["shape"]]
        case _:
            other = draw.choice(list(archive.tensors))
            archive.entries[name], content = dict(archive.entries[other]), bytearray(archive.tensors[other])
            archive.tensors[name] = bytes(content)
            return f"{name} is {other}", archive.whole()
    archive.tensors[name] = bytes(content)
    return name, archive.whole()


def _version(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    archive.metadata["version"] = draw.choice(("3", "10", "2.1", "", "-2", "two", "2 ", "02", "9" * 70, "\u0662", "1"))
    return archive.metadata["version"], archive.whole()


def _metadata(archive: Archive, draw: random.Random) -> tuple[str, bytes]:
    what = edited(archive.metadata, draw)
    return what, archive.whole()


_EDITS = (
    _description, _graph, _header, _description, _graph, _tensor, _lines, _description_text, _header, _graph, _description,
    _version, _metadata,
)  # fmt: skip


if __name__ == "__main__":
    sys.exit("what runs this is try_archives.py")
