# SPDX-License-Identifier: Apache-2.0
"""Read thousands of damaged copies of files in a process of its own, which has little memory and little time for each.

    python reading_bad_files.py COUNT SEED FILE...

COUNT mutations of each file are read; graphs that still say something are called on the inputs of their model. Prints
JSON: how many were refused, how many were not, the longest time for one, and what was neither. A crash ends the process,
memory beyond `MEMORY` or a second for one file is a failure.
"""

import functools
import json
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

import numpy

from hybridize import np
from hybridize.errors import HybridizeError, LoadError
from hybridize.formats.mxnet import parse_stored, read_params
from hybridize.formats.mxnet.symbol import parse_symbol
from hybridize.formats.tensors import parse_safetensors
from hybridize.gluon import SymbolBlock
from hybridize.symbol.file_operators import parameters_of

SIGNATURES = Path(__file__).parents[1] / "formats" / "mxnet_files" / "op_signatures_1_9_1.json"
OPERATORS = sorted(
    {op["name"] for op in json.loads(SIGNATURES.read_text())["ops"] if parameters_of(op["name"]) is not None}
    | {"_foreach", "_while_loop", "_cond", "no_such_op"}
)
MEMORY = 256 << 20
"""Bytes beyond what the process has when it begins."""
SECONDS = float(os.environ.get("HYBRIDIZE_SLOWER", "1"))
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


VALUES = [
    "-1",
    "0",
    "1",
    "3",
    "999999999999",
    "1e9",
    "(1, 2)",
    "(-5, 3)",
    "[7]",
    "()",
    "None",
    "True",
    "nosuch",
    "",
    "relu",
]
VALUES += ["(0, -1)", "(-2,)", "(1000000, 1000000)", "float16", "int64", "(None, 1)", "nan", "full", "max", "lstm"]


def edited(data: bytes, draw: random.Random) -> bytes:
    """Return a graph of which an attribute, an operator, an input or a result is another one, still sound JSON."""
    tree = json.loads(data)
    nodes = tree["nodes"] + [
        node for one in tree["nodes"] for body in one.get("subgraphs", ()) for node in body["nodes"]
    ]
    for _ in range(draw.choice((1, 1, 2, 4))):
        node = draw.choice(nodes)
        attributes = node.get("attrs")
        match draw.randrange(6):
            case 0 | 1 if attributes:
                attributes[draw.choice(list(attributes))] = draw.choice(VALUES)
            case 2 if attributes:
                del attributes[draw.choice(list(attributes))]
            case 3 if node["op"] != "null":
                node["op"] = draw.choice(OPERATORS)
            case 4 if node["inputs"]:
                node["inputs"][draw.randrange(len(node["inputs"]))] = [draw.randrange(len(nodes)), draw.randrange(3), 0]
            case 5 if node["inputs"]:
                node["inputs"] = draw.sample(node["inputs"], draw.randrange(len(node["inputs"]) + 1))
            case _:
                tree["heads"] = [[draw.randrange(len(tree["nodes"])), 0, 0]]
    return json.dumps(tree).encode()


def read(path: Path, data: bytes) -> None:
    """Read the bytes as what the file is."""
    if path.suffix == ".json":
        graph = parse_symbol(data, "bad.json")
        inputs, arrays = model_of(path)
        net = SymbolBlock(graph, [name for name in graph.variables if name.startswith("data")])
        try:
            net.load_dict(arrays, allow_missing=True, ignore_extra=True, source="bad.json")
            if inputs:
                net(*map(np.array, inputs))
        except LoadError as error:
            if error.code != "E613":  # names the parameter, which the file is not asked about
                raise
            raise LoadError("E603", f"bad.json, loaded: {error.what}") from error
        except HybridizeError as error:  # a sound file that says something else
            if error.code[1] not in "1235":
                raise
            raise LoadError("E603", f"bad.json, called: {error.what}") from error
    elif path.suffix == ".safetensors":
        parse_safetensors(data, "bad.safetensors")
    else:
        parse_stored(data, "bad.params")


@functools.cache
def model_of(path: Path) -> tuple[list[object], dict[str, object]]:
    """Return the inputs and the parameters that are stored beside a graph."""
    stem = str(path).removesuffix("-symbol.json")
    found = [numpy.load(file) for file in sorted(path.parent.glob(f"{Path(stem).name}-input*.npy"))]
    params = Path(f"{stem}-0000.params")
    arrays = read_params(params) if params.exists() else {}
    return found, {name[4:]: array for name, array in arrays.items()} if isinstance(arrays, dict) else {}


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
            data = (edited if path.suffix == ".json" and number % 2 else mutated)(whole, draw)
            begin = time.perf_counter()
            try:
                signal.setitimer(signal.ITIMER_REAL, SECONDS)
                try:
                    read(path, data)
                    sound += 1
                except LoadError as error:
                    refused += 1
                    if "bad." not in error.what:
                        wrong.append(f"{path.name} {number}: {error.what}")
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except BaseException as error:
                wrong.append(f"{path.name} {number}: {type(error).__name__}: {error}")
            longest = max(longest, time.perf_counter() - begin)
    return {"refused": refused, "sound": sound, "longest": longest, "wrong": wrong[:20]}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]])))
