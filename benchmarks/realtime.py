"""How late the slowest calls are: a net of fixed sizes as a C library, and by ONNX Runtime, in one process and thread.

    python benchmarks/realtime.py [CALLS]

Three layers, one row. Both are called from one loop of Python, with arrays that are bound beforehand, in blocks that
take turns; Python's collector is off. The table has, in microseconds, the median, the 99th and the 99.9th percentile
and the largest of all calls (a million, where nothing else is said), and an empty function that is called by ctypes
likewise: what the loop and the machine do of their own accord. The machine must have nothing else to do.
"""

import ctypes
import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy
import onnxruntime

from hybridize import np
from hybridize.gluon import nn

CALLS = 1_000_000
BLOCK = 10_000
FIRST = 100
Call = Callable[[], object]


def get_net():
    net = nn.HybridSequential()
    net.add(nn.Dense(128, activation="tanh"), nn.Dense(64, activation="tanh"), nn.Dense(8))
    net.initialize()
    net.hybridize()
    net(np.ones((1, 32)))
    return net


def library_call(path: Path, x: numpy.ndarray, y: numpy.ndarray) -> Call:
    """Return a call of the library at `path`, bound to its arrays."""
    code = ctypes.CDLL(str(path))
    model = ctypes.c_void_p()
    if code.controller_create(ctypes.byref(model), None):
        raise SystemExit("the library makes no model")
    inputs, outputs = ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data)
    arguments = (model, ctypes.byref(inputs), None, ctypes.byref(outputs), None)
    run = code.controller_run
    run.argtypes = [ctypes.c_void_p] * 5
    return lambda: run(*arguments)


def onnx_call(path: Path, x: numpy.ndarray, y: numpy.ndarray) -> Call:
    """Return a call of ONNX Runtime with its arrays bound, on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for one, array, bind in (
        (session.get_inputs()[0], x, binding.bind_input),
        (session.get_outputs()[0], y, binding.bind_output),
    ):
        bind(one.name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def empty_call() -> Call:
    """Return a call of a C function that does nothing to speak of."""
    function = ctypes.CDLL(None).labs
    function.argtypes = [ctypes.c_long]
    return lambda: function(1)


def timed(call: Call, count: int) -> numpy.ndarray:
    """The nanoseconds of each of `count` calls."""
    times = numpy.empty(count, numpy.int64)
    clock = time.perf_counter_ns
    for number in range(count):
        start = clock()
        call()
        times[number] = clock() - start
    return times


def main() -> None:
    total = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    block = min(BLOCK, total)
    x = numpy.random.default_rng(0).standard_normal((1, 32)).astype("f4")
    ours, theirs = numpy.zeros((1, 8), "f4"), numpy.zeros((1, 8), "f4")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        net = get_net()
        net.export(folder / "controller", format="library")
        net.export(folder / "controller", format="onnx")
        calls = {
            "hybridize, library": library_call(folder / "libcontroller.so", x, ours),
            "ONNX Runtime": onnx_call(folder / "controller.onnx", x, theirs),
            "an empty function": empty_call(),
        }
        for call in calls.values():
            timed(call, FIRST)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
        blocks: dict[str, list[numpy.ndarray]] = {title: [] for title in calls}
        gc.disable()
        for _ in range(total // block):
            for title, call in calls.items():
                blocks[title].append(timed(call, block))
    print(f"{total // block * block:,} calls each{'median':>10}{'p99':>10}{'p99.9':>10}{'largest':>10}")
    for title, parts in blocks.items():
        times = numpy.concatenate(parts) / 1e3
        print(f"{title:24}", *(f"{value:9.2f}" for value in (*numpy.percentile(times, (50, 99, 99.9)), times.max())))


if __name__ == "__main__":
    main()
