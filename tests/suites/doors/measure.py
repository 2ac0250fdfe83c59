"""One model of `models.py` in a process of its own, as a line of JSON.

python measure.py NUMBER             hybridize's numbers beside ONNX Runtime's, programs, archives
python measure.py NUMBER --memory    what loading it and a call take, code from the disk where that has it
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

LEAST = 1e-2
"""Numbers below it are compared as if they were it: ONNX Runtime has sigmoids right to some 1e-7, however small."""


def flat(results: Any) -> list[numpy.ndarray]:
    """The outputs of a call as NumPy arrays."""
    return [one.asnumpy() for one in (results if isinstance(results, tuple) else (results,))]


def ours(model: Model) -> tuple[dict[str, Any], list[list[numpy.ndarray]]]:
    """What hybridize does: facts by name, and the outputs of each round."""
    import hybridize

    begin = time.perf_counter()
    net = hybridize.load(model.file)
    facts: dict[str, Any] = {"load": round(time.perf_counter() - begin, 2)}
    dtypes = {port.name: port.dtype for port in net.inputs}
    calls = [model.feeds(dtypes, number) for number in range(len(model.rounds))]
    outputs, programs = [], []
    for feeds in calls:
        outputs.append(flat(net(**feeds)))
        programs.append(net.cache_info().programs)
    facts["programs"] = programs
    facts["problem"] = "; ".join(filter(None, (one.problem for one in net._function._cache.families.values())))
    facts["fallbacks"] = sorted({one for program in net._function.programs() for one in program.fallbacks})
    with tempfile.TemporaryDirectory() as folder:
        net.save(os.path.join(folder, "net.hybridize"))
        again = hybridize.load(os.path.join(folder, "net.hybridize"))
        kept = [flat(again(*(feeds[name] for name in dtypes))) for feeds in calls]
    bits = [[array.tobytes() for one in side for array in one] for side in (outputs, kept)]
    return {**facts, "saved": bits[0] == bits[1]}, outputs


def theirs(model: Model) -> list[list[numpy.ndarray]]:
    """The outputs of each round by ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(str(model.file), options)
    names = {"float": "f4", "double": "f8", "int64": "i8", "int32": "i4", "bool": "?"}
    dtypes = {one.name: numpy.dtype(names[one.type[len("tensor(") : -1]]) for one in session.get_inputs()}
    return [session.run(None, model.feeds(dtypes, number)) for number in range(len(model.rounds))]


def apart(x: numpy.ndarray, y: numpy.ndarray) -> float:
    """The largest difference, relative to the largest number; infinite where types, shapes or NaNs differ."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return float("inf")
    a, b = x.astype("f8"), y.astype("f8")
    if (numpy.isnan(a) != numpy.isnan(b)).any():
        return float("inf")
    return float(numpy.nanmax(abs(a - b), initial=0.0) / max(LEAST, numpy.nanmax(abs(b), initial=0.0)))


def compared(model: Model) -> dict[str, Any]:
    """All facts of a model."""
    expected = theirs(model)
    try:
        facts, outputs = ours(model)
    except Exception as error:
        return {"name": model.name, "error": f"{type(error).__name__}: {error}"}
    errors = [max(map(apart, x, y)) for x, y in zip(outputs, expected, strict=True)]
    return {
        "name": model.name,
        "errors": [float(f"{one:.1e}") for one in errors],
        "tolerance": model.tolerance,
        **facts,
    }


def memory(model: Model) -> dict[str, Any]:
    """Megabytes that loading and a call take beside the imports, and those of the file and of what lies beside it."""
    import hybridize
    import hybridize.gluon.imported_block

    before = _own()
    net = hybridize.load(model.file)
    loaded = _own()
    dtypes = {port.name: port.dtype for port in net.inputs}
    net(**model.feeds(dtypes, 0))
    weights = sum(one.stat().st_size for one in model.file.parent.glob(f"{model.file.name}*"))
    return {
        "name": model.name,
        "weights": weights >> 20,
        "loaded": loaded - before >> 20,
        "called": _own() - before >> 20,
    }


def _own() -> int:
    """Bytes of memory that are this process's alone: not those of mapped files."""
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("Anonymous:"))


if __name__ == "__main__":
    what = memory if "--memory" in sys.argv else compared
    print(json.dumps(what(MODELS[int(sys.argv[1])])))
