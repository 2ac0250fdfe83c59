# SPDX-License-Identifier: Apache-2.0
"""Run the calls of `mxnet_calls` in MXNet 1.9.1 and store what it gives, as `mxnet_1_9_1.json.gz`.

    .mxnet/1.9.1/bin/python tests/census/make_mxnet_results.py

A call that ends the process is stored as "crash"; the rest goes on in another process.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(__file__))
import mxnet_calls
import numpy

FILE = os.path.join(os.path.dirname(__file__), "mxnet_1_9_1.json.gz")


def _described(value: Any) -> Any:
    """Return an array as dtype, shape and the bytes of its elements; a list of them as a list."""
    if isinstance(value, (list, tuple)):
        return [_described(one) for one in value]
    x = value.asnumpy() if hasattr(value, "asnumpy") else numpy.asarray(value)
    return {"dtype": x.dtype.name, "shape": list(x.shape), "bytes": x.tobytes().hex()}


def _run(start: int) -> None:
    import mxnet

    for call in mxnet_calls.calls()[start:]:
        name, operands, attributes = call
        print("begin", flush=True)
        try:
            function = mxnet.nd
            for word in name.split("."):
                function = getattr(function, word)
            arrays = [
                mxnet.nd.array(mxnet_calls.array(*one), dtype=one[0]) if isinstance(one, tuple) else one
                for one in operands
            ]
            found = _described(function(*arrays, **attributes))
        except Exception as error:
            found = f"{type(error).__name__}: {str(error).strip().splitlines()[-1][:120]}"
        print(json.dumps(found), flush=True)


def main() -> None:
    """Run everything and write the file."""
    if len(sys.argv) > 1:
        _run(int(sys.argv[1]))
        return
    results: list[Any] = []
    every = mxnet_calls.calls()
    while len(results) < len(every):
        command = [sys.executable, __file__, str(len(results))]
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        results += [json.loads(line) for line in text.splitlines() if line != "begin"]
        if len(results) < len(every):
            results.append("crash")
    text = mxnet_calls.stored({mxnet_calls.key(call): found for call, found in zip(every, results, strict=True)})
    with open(FILE, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.write(text.encode())
    refused = sum(isinstance(one, str) for one in results)
    print(
        f"{len(results)} calls, {refused} of them refused, {results.count('crash')} crashed; {os.path.getsize(FILE)} bytes"
    )


main()
