"""Writes the golden archives of the version that this package writes: `python tests/formats/golden/make.py v2`.

Files of earlier versions stay as they were written then: that they are still read is what they are there for. Their
calls, with what the functions gave while they were still Python, are in `calls.json`.
"""

import json
import sys
from pathlib import Path

import numpy

from hybridize import np, npx, random
from hybridize.base.nested import flatten
from hybridize.capture import Function

HERE = Path(__file__).parent


def drawn(*shape, seed=7):
    return np.array(numpy.random.default_rng(seed).normal(size=shape).astype("f4"))


def mlp():
    """Any number of rows, and exactly two."""
    first, second = drawn(5, 8), drawn(8, 3, seed=8)
    fast = Function(lambda x: npx.softmax(np.dot(npx.relu(np.dot(x, first) + 0.5), second)))
    calls = [(drawn(rows, 5, seed=rows),) for rows in (2, 3, 7)]
    return fast, calls


def control():
    """A loop and a branch."""

    def collatz(x, limit):
        count = np.array(0, dtype="int64")
        while x > limit:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            count = count + 1
        return {"count": count, "last": x}

    return Function(collatz), [(np.array(start, dtype="int64"), 1) for start in (27, 6)]


def noise():
    """The state of the random generator, which the file holds: three draws in a row."""
    random.seed(3)

    def noise(x):
        return x + np.random.normal(0, 1, (4,)), "noise"

    return Function(noise), [(np.zeros(4),)]


def rows():
    """Integers as input, a Python number, a list and None as result."""
    table = drawn(6, 2)

    def rows(indices, scale=2.0):
        return [np.take(table, indices, axis=0) * scale, None]

    return Function(rows), [(np.array([[0, 5], [3, 1]], dtype="int32"), 2.0)]


def bf16():
    """Weights of a dtype that NumPy does not have."""
    half = drawn(3, 3).astype("bfloat16")
    return Function(lambda x: np.dot(x, half) + x), [(drawn(2, 3, seed=2).astype("bfloat16"),)]


def state():
    """An array that calls write."""
    total = np.zeros(3)

    def running(x):
        total[:] = total + x
        return total * 2

    fast = Function(running)
    fast(np.ones(3))
    total[:] = 0
    return fast, [(np.array([1.0, 2.0, 3.0]),)]


TARGETS = {"mlp": ("baseline",), "control": ("baseline",), "random": ("baseline",)}
"""Code that files bring along; the others have none."""
NETS = {"mlp": mlp, "control": control, "random": noise, "rows": rows, "bf16": bf16, "state": state}


def plain(value):
    """A leaf as JSON has it."""
    if not isinstance(value, np.ndarray):
        return value
    data = value.asnumpy()
    return {"dtype": str(data.dtype), "data": data.astype("f8").tolist() if data.dtype.kind in "fV" else data.tolist()}


def main(version):
    calls = json.loads((HERE / "calls.json").read_text())
    for name, net in NETS.items():
        fast, arguments = net()
        path = HERE / f"{version}-{name}.hybridize"
        if name == "mlp":  # sizes are left open when calls have differed in them
            for args in arguments:
                fast(*args)
        elif name != "state":
            fast.compile(*arguments[0])
        fast.save(path, targets=TARGETS.get(name, ()))
        results = [fast(*args) for args in arguments]
        known = [
            {"arguments": list(map(plain, args)), "result": list(map(plain, flatten(result)[0]))}
            for args, result in zip(arguments, results, strict=True)
        ]
        calls.setdefault(name, known)
    lines = [f'"{name}": {json.dumps(known)}' for name, known in calls.items()]
    (HERE / "calls.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
