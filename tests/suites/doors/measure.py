"""One model of `models.py` in a process of its own: hybridize's numbers beside ONNX Runtime's, as a line of JSON.

python measure.py NUMBER
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy

sys.path.insert(0, str(Path(__file__).parent))
from models import MODELS, Model


def resident() -> int:
    """Bytes of memory of this process that are its own: not those of mapped files."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(
            int(line.split()[1]) << 10
            for line in file
            if line.startswith(("Private_Dirty", "Anonymous:")) and "Anon" in line
        )


def ours(model: Model) -> tuple[dict[str, Any], list[list[numpy.ndarray]]]:
    """What hybridize does: facts by name, and the outputs of each round."""
    import hybridize

    before = resident()
    begin = time.perf_counter()
    net = hybridize.load(model.file)
    facts: dict[str, Any] = {"load": round(time.perf_counter() - begin, 2)}
    dtypes = {port.name: port.dtype for port in net.inputs}
    outputs, programs = [], []
    for number in range(len(model.rounds)):
        results = net(**model.feeds(dtypes, number))
        outputs.append([one.asnumpy() for one in (results if isinstance(results, tuple) else (results,))])
        programs.append(net._function.cache_info().programs)
    facts["programs"] = programs
    facts["problem"] = "; ".join(filter(None, (one.problem for one in net._function._cache.families.values())))
    facts["fallbacks"] = sorted({one for program in net._function.programs() for one in program.fallbacks})
    weights = sum(array.nbytes for array in net._program.weights.values())
    facts["memory"] = (resident() - before - weights) >> 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.hybridize")
        net.save(path)
        again = hybridize.load(path)
        arrays = [model.feeds(dtypes, number) for number in range(len(model.rounds))]
        kept = [again(*(feeds[name] for name in dtypes)) for feeds in arrays]
    kept = [[one.asnumpy() for one in (results if isinstance(results, tuple) else (results,))] for results in kept]
    facts["saved"] = all(
        a.tobytes() == b.tobytes() for x, y in zip(outputs, kept, strict=True) for a, b in zip(x, y, strict=True)
    )
    return facts, outputs


def theirs(model: Model) -> list[list[numpy.ndarray]]:
    """The outputs of each round by ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(str(model.file), options)
    names = {
        "tensor(float)": "f4",
        "tensor(double)": "f8",
        "tensor(int64)": "i8",
        "tensor(int32)": "i4",
        "tensor(bool)": "?",
    }
    dtypes = {one.name: numpy.dtype(names[one.type]) for one in session.get_inputs()}
    return [session.run(None, model.feeds(dtypes, number)) for number in range(len(model.rounds))]


def apart(x: numpy.ndarray, y: numpy.ndarray) -> float:
    """The largest difference, relative to the largest number; infinite where types or shapes differ.

    Numbers below 0.01 are compared as if they were 0.01: ONNX Runtime has sigmoids right to some 1e-7, however small.
    """
    if x.shape != y.shape or x.dtype != y.dtype:
        return float("inf")
    a, b = x.astype("f8"), y.astype("f8")
    if (numpy.isnan(a) != numpy.isnan(b)).any():
        return float("inf")
    return float(numpy.nanmax(abs(a - b), initial=0.0) / max(1e-2, numpy.nanmax(abs(b), initial=0.0)))


def main(number: int) -> dict[str, Any]:
    """All facts of a model."""
    model = MODELS[number]
    expected = theirs(model)
    try:
        facts, outputs = ours(model)
    except Exception as error:
        return {"name": model.name, "error": f"{type(error).__name__}: {error}"}
    errors = [max(map(apart, x, y)) for x, y in zip(outputs, expected, strict=True)]
    return {"name": model.name, "errors": [float(f"{one:.1e}") for one in errors], **facts}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
