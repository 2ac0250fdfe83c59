# SPDX-License-Identifier: Apache-2.0
"""Read thousands of damaged copies of files in a process of its own, which has little memory and little time for each.

    python reading_bad_files.py COUNT SEED FILE...

COUNT mutations of each file are read. Prints JSON: how many were refused, how many still say something, the longest time
for one, and what was neither. A crash ends the process, memory beyond `MEMORY` or a second for one file is a failure.
"""

import json
import random
import resource
import signal
import sys
import time
from pathlib import Path

from hybridize.errors import LoadError
from hybridize.formats.mxnet import parse_stored
from hybridize.formats.mxnet.symbol import parse_symbol
from hybridize.formats.tensors import read_safetensors
from hybridize.gluon import SymbolBlock

MEMORY = 256 << 20
"""Bytes beyond what the process has when it begins."""
SECONDS = 1.0
NUMBERS = [
    number.to_bytes(8, "little", signed=True) for number in (-1, 0, 1, 33, 1 << 31, 1 << 40, 1 << 62, -(1 << 63))
]
WORDS = [b"-1", b"9" * 30, b"null", b"[]", b"{}", b'"x"', b"1e400", b"NaN", b"(2, -3)", b"[[[[[[", b"\xff", b"(" * 500]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return a copy that is cut, or has bytes changed, removed, doubled, or replaced by extreme numbers and words."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(max(len(made), 1))
        match draw.randrange(6):
            case 0:
                del made[at:]
            case 1 if made:
                made[at] ^= 1 << draw.randrange(8)
            case 2:
                del made[at : at + draw.randrange(1, 20)]
            case 3:
                made[at:at] = made[at : at + draw.randrange(1, 40)]
            case 4:
                number = draw.choice(NUMBERS)[: draw.choice((4, 8))]
                made[at : at + len(number)] = number
            case _:
                made[at : at + draw.randrange(4)] = draw.choice(WORDS)
    return bytes(made)


def read(path: Path, data: bytes) -> None:
    """Read the bytes as what the file is."""
    if path.suffix == ".json":
        graph = parse_symbol(data, "bad.json")
        SymbolBlock(graph, [name for name in graph.variables if name.startswith("data")])
    elif path.suffix == ".safetensors":
        target = path.with_name("bad.safetensors")
        target.write_bytes(data)
        read_safetensors(target)
    else:
        parse_stored(data, "bad.params")


def too_long(*_: object) -> None:
    """Say that a file has taken too long."""
    raise TimeoutError


def main(count: int, seed: int, paths: list[Path]) -> dict[str, object]:
    """Read all of the mutations, and count."""
    for path in paths:
        read(path, path.read_bytes())  # loads what is loaded late
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    signal.signal(signal.SIGALRM, too_long)
    refused = sound = 0
    longest, wrong = 0.0, []
    for path in paths:
        draw = random.Random(f"{seed} {path.name}")
        whole = path.read_bytes()
        for number in range(count):
            data = mutated(whole, draw)
            begin = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                read(path, data)
                sound += 1
            except LoadError as error:
                refused += 1
                if "bad." not in error.what:
                    wrong.append(f"{path.name} {number}: {error.what}")
            except BaseException as error:
                wrong.append(f"{path.name} {number}: {type(error).__name__}: {error}")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            longest = max(longest, time.perf_counter() - begin)
    return {"refused": refused, "sound": sound, "longest": longest, "wrong": wrong[:20]}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]])))
