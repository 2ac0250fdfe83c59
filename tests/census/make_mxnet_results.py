# SPDX-License-Identifier: Apache-2.0
"""Run the calls of `mxnet_calls` in a release of MXNet and store what it gives, as `SURFACES` says.

    .mxnet/1.9.1/bin/python tests/census/make_mxnet_results.py 1.9.1
    .mxnet/1.9.1/bin/python tests/census/make_mxnet_results.py 1.9.1-expressions
    .mxnet/2.0.0b1/bin/python tests/census/make_mxnet_results.py 2.0.0b1

A call that ends the process is stored as "crash"; the rest goes on in another process.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]  # it has a numbers.py
_spec = importlib.util.spec_from_file_location("mxnet_calls", os.path.join(os.path.dirname(__file__), "mxnet_calls.py"))
mxnet_calls: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(mxnet_calls)


def _described(value: Any) -> Any:
    """Return an array as dtype, shape and the bytes of its elements; a list of them as a list."""
    if isinstance(value, (list, tuple)):
        return [_described(one) for one in value]
    import numpy  # after the path has changed

    x = value.asnumpy() if hasattr(value, "asnumpy") else numpy.asarray(value)
    return {"dtype": x.dtype.name, "shape": list(x.shape), "bytes": x.tobytes().hex()}


def _run(surface: str, every: list[Any], start: int) -> None:
    import mxnet

    if surface == "npx":
        mxnet.npx.set_np()
    array = mxnet.np.array if surface == "npx" else mxnet.nd.array
    face = getattr(mxnet, surface) if surface else None
    for call in every[start:]:
        name, operands, attributes = call
        print("begin", flush=True)
        try:
            function = mxnet_calls.function_of(face, name)
            arrays = [
                array(mxnet_calls.array(*one), dtype=one[0]) if isinstance(one, tuple) else one for one in operands
            ]
            result = function(*arrays, **attributes)
            found = _described(mxnet_calls.seen(name, result, [one for one in arrays if hasattr(one, "asnumpy")]))
        except Exception as error:
            found = f"{type(error).__name__}: {str(error).strip().splitlines()[-1][:120]}"
        print(json.dumps(found), flush=True)


def main() -> None:
    """Run everything and write the file."""
    surface, calls, name = mxnet_calls.SURFACES[sys.argv[1]]
    every, path = calls(), os.path.join(os.path.dirname(__file__), name)
    if len(sys.argv) > 2:
        _run(surface, every, int(sys.argv[2]))
        return
    results: list[Any] = []
    while len(results) < len(every):
        command = [sys.executable, __file__, sys.argv[1], str(len(results))]
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        results += [json.loads(line) for line in text.splitlines() if line != "begin"]
        if len(results) < len(every):
            results.append("crash")
    text = mxnet_calls.stored({mxnet_calls.key(call): found for call, found in zip(every, results, strict=True)})
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.write(text.encode())
    refused = sum(isinstance(one, str) for one in results)
    print(
        f"{len(results)} calls, {refused} of them refused, {results.count('crash')} crashed; {os.path.getsize(path)} bytes"
    )


main()
