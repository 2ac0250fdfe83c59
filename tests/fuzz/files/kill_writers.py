"""Kills writers in the middle of it (kill -9), and looks at what they leave: the old files or the new ones, each whole.

    python kill_writers.py FORMAT steps|times COUNT SEED FOLDER

`steps`: before each of the operations on files that an export takes, or COUNT of them. `times`: COUNT times after a
while that is drawn. Prints a line of JSON that says how often what was found.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

os.environ["HYBRIDIZE_CACHE"] = "0"

import numpy

import hybridize
from hybridize import np
from hybridize.base.errors import HybridizeError
from hybridize.capture import Function
from hybridize.gluon import nn

OPERATIONS = {
    "open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.unlink",
    "shutil.rmtree", "shutil.move", "subprocess.Popen", "tempfile.mkdtemp", "tempfile.mkstemp",
}  # fmt: skip
LEFT = re.compile(r"\.[^/]+\.[\w-]+\.part")
"""What a writer that was killed may leave beside the file: its own temporary file or folder."""
X = numpy.ones((1, 64), "f4")


def weights(number, columns):
    return np.array(numpy.random.default_rng(number).standard_normal((64, columns)).astype("f4"))


def function_of(number, columns=40_000):
    """A program with 10 MB of weights, so that writing takes time; both say the same sizes."""
    table = weights(number, columns)
    made = Function(lambda x: np.dot(x, table) + number)
    made.compile(np.array(X))
    return made


def net_of(number):
    """A net; the two have other sizes inside, so that a graph of one and weights of the other do not fit."""
    net = nn.HybridSequential()
    net.add(nn.Dense(30_000 + number, activation="relu", in_units=64), nn.Dense(3, in_units=30_000 + number))
    net.initialize()
    net.hybridize()
    net(np.array(X))
    return net


class Format:
    """How files are written, which they are, and what they give."""

    def __init__(self, name: str) -> None:
        self.name = name
        large = name == "archive"
        self.made = [net_of(k) if name == "mxnet" else function_of(k, 40_000 if large else 40) for k in (1, 2)]
        self.expected = [made(np.array(X)).asnumpy() for made in self.made]

    def write(self, number: int, folder: Path) -> None:
        path = folder / "model"
        made = self.made[number]
        match self.name:
            case "archive":
                made.save(path)
            case "mxnet":
                made.export(str(path))
            case "beside":
                made.export(path, format="library", weights="beside")
            case _:
                made.export(path, format=self.name)

    def run(self, folder: Path) -> numpy.ndarray:
        """What the files give.

        Raises:
            HybridizeError, Refused: they do not fit each other.
        """
        match self.name:
            case "archive":
                return hybridize.load(folder / "model")(np.array(X)).asnumpy()
            case "mxnet":
                return hybridize.load(folder / "model-symbol.json")(np.array(X)).asnumpy()
        return asked(self.name, folder)


class Refused(Exception):
    """A file said that it does not fit the other."""


def asked(name: str, folder: Path) -> numpy.ndarray:
    """The result of a library, object or module, in a process of its own."""
    calls, results = folder / ".calls", folder / ".results"
    from hybridize.formats import checking

    types = [hybridize.base.types.TensorType((1, 40), numpy.dtype("f4"))]
    calls.write_bytes(checking._calls([(X,)], types))
    if name == "wasm":
        command = ["node", str(checking.drivers() / "node.mjs"), str(folder / "model.mjs"), calls, results]
    elif name == "object":
        subprocess.run(["cc", "-shared", "-o", folder / ".linked.so", folder / "model.o", "-lm"], check=True)
        command = [
            sys.executable,
            "-I",
            str(checking.drivers() / "library.py"),
            folder / ".linked.so",
            "model",
            calls,
            results,
        ]
    else:
        beside = [str(folder / "model.safetensors")] if name == "beside" else []
        command = [
            sys.executable,
            "-I",
            str(checking.drivers() / "library.py"),
            folder / "libmodel.so",
            "model",
            calls,
            results,
        ]
        command += ["", *beside]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode == 1 and "LoadError" in done.stderr:
        raise Refused(done.stderr)
    assert done.returncode == 0, done.stderr
    (answer,) = checking._results(results.read_bytes(), 1, types)
    for one in (calls, results, folder / ".linked.so"):
        one.unlink(missing_ok=True)
    if answer.code:
        raise Refused(answer.text)
    return answer.outputs[0]


def contents(folder: Path) -> dict[str, bytes]:
    """The files, without what writers leave."""
    return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.startswith(".")}


def left(folder: Path) -> list[str]:
    found = [one.name for one in folder.iterdir() if one.name.startswith(".")]
    assert all(LEFT.fullmatch(name) for name in found), found
    return found


def killed(write, folder: Path, *, step: int = 0, after: float = 0.0) -> bool:
    """Write in another process and kill it; whether it was still alive."""
    child = os.fork()
    if not child:
        if step:
            count = 0

            def hook(event: str, arguments: object) -> None:
                nonlocal count
                if event in OPERATIONS and (event == "subprocess.Popen" or str(folder) in str(arguments)):
                    count += 1
                    if count == step:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(hook)
        os.close(2)
        write()
        os._exit(0)
    if after:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main(name: str, mode: str, count: str, seed: str, folder: str) -> None:
    format, draw = Format(name), random.Random(int(seed))
    place = Path(folder)
    known = []
    for number in (0, 1, 0):
        format.write(number, place)
        known.append(contents(place))
    assert known.pop() == known[0], "an export does not give the same files each time"
    started = time.monotonic()
    killed(lambda: format.write(0, place), place)
    duration = time.monotonic() - started  # of a process of its own, which takes longer
    kills, found, step = 0, Counter(), 0
    everything = steps_of(format, place) if mode == "steps" else 0
    chosen = list(range(1, everything + 1))
    if mode == "steps" and int(count) < everything:
        chosen = sorted(draw.sample(chosen, int(count)))
    while kills < (len(chosen) if mode == "steps" else int(count)):
        old = contents(place)
        before = 0 if old == known[0] else 1
        new = 1 - before if old in known else draw.randrange(2)
        step = chosen[kills] if mode == "steps" else 0
        after = 0.0 if mode == "steps" else draw.uniform(0.001, 1.1 * duration)
        done = killed(lambda new=new: format.write(new, place), place, step=step, after=after)
        found["killed" if done else "ended"] += 1
        kills += done
        now = contents(place)
        assert now.keys() == known[0].keys(), f"after {step or after}: {sorted(now)}"
        for file, content in now.items():
            assert content in (known[0][file], known[1][file]), f"after {step or after}: {file} is neither old nor new"
        mixed = now not in known
        found["mixed" if mixed else "new" if now == known[new] else "old"] += 1
        assert not (mixed and len(known[0]) == 1)
        try:
            result, refusal = format.run(place), ""
        except (HybridizeError, Refused) as error:
            result, refusal = None, str(error)
        assert mixed or not refusal, f"old or new, and does not run: {refusal}"
        if refusal:
            found["mixed, and refused"] += 1
        else:
            assert any(numpy.allclose(result, one, rtol=1e-4, atol=1e-3) for one in format.expected), "another result"
            found["mixed, and works"] += mixed
        rest = left(place)
        found["temporary files"] += len(rest)
        assert len(rest) <= 1, f"one writer left {rest}"
        for one in rest:
            subprocess.run(["rm", "-rf", place / one], check=True)
    format.write(0, place)
    assert contents(place) == known[0] and not left(place)
    print(json.dumps({**found, "steps": everything, "duration": round(duration, 2)}))


def steps_of(format: Format, folder: Path) -> int:
    """How many operations on files an export takes where nobody has left anything: a writer sweeps what others left."""

    def dies(step: int) -> bool:
        for one in left(folder):
            subprocess.run(["rm", "-rf", folder / one], check=True)
        return killed(lambda: format.write(0, folder), folder, step=step)

    low, high = 1, 2
    while dies(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if dies(middle) else (low, middle)
    for one in left(folder):
        subprocess.run(["rm", "-rf", folder / one], check=True)
    return low


if __name__ == "__main__":
    main(*sys.argv[1:])
