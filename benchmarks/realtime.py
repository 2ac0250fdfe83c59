"""How late the slowest calls are: a net of fixed sizes as a C library, bound in Python, by ONNX Runtime, by LiteRT.

    python benchmarks/realtime.py [CALLS] [--litert PYTHON]

Three layers, one row, one thread. All are called from one loop of Python, with arrays that are bound beforehand, in
blocks that take turns; Python's collector is off. LiteRT runs in a process of the interpreter that is named, which has
ai-edge-litert and flatbuffers (`.litert/bin/python` after `make test`), and sleeps while others take their turn;
without the option it is left out. The table has, in microseconds, the median, the 99th and the 99.9th percentile and
the largest of all calls (a million, where nothing else is said), and an empty function that is called by ctypes
likewise: what the loop and the machine do of their own accord. The machine must have nothing else to do.
"""

import argparse
import ctypes
import gc
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy
import onnxruntime

from hybridize import load, np
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


def bound_call(path: Path, x: numpy.ndarray, y: numpy.ndarray) -> Call:
    """Return a call of the program in the file at `path`, bound to its arrays."""
    return load(path).bound(x, out=y)


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


LITERT = """
import ctypes, gc, sys, time
import numpy
sys.path.insert(0, sys.argv[1])
from ai_edge_litert.interpreter import Interpreter
from hybridize_bench.peers.litert import ACTIVATION, OPERATOR, OPTIONS, Model, schema
data = dict(numpy.load(sys.argv[2]))
model, x = Model(), data["x"]
source = value = model.tensor("x", x.shape)
for k in range(3):
    weight, bias = data[f"weight{k}"], data[f"bias{k}"]
    operands = [value, model.tensor(f"w{k}", weight.shape, weight), model.tensor(f"b{k}", bias.shape, bias)]
    value = model.tensor(f"h{k}", (len(x), len(bias)))
    options = schema.FullyConnectedOptionsT(fusedActivationFunction=ACTIVATION.NONE)
    model.operator(OPERATOR.FULLY_CONNECTED, operands, value, OPTIONS.FullyConnectedOptions, options)
    if k < 2:
        operands, value = [value], model.tensor(f"a{k}", (len(x), len(bias)))
        model.operator(OPERATOR.TANH, operands, value)
net = Interpreter(model_content=model.written([source], value), num_threads=1)
net.allocate_tensors()
net.set_tensor(net.get_input_details()[0]["index"], x)
call, clock = net.invoke, time.perf_counter_ns
gc.disable()
for line in sys.stdin:
    times = numpy.empty(int(line), numpy.int64)
    for number in range(len(times)):
        start = clock()
        call()
        times[number] = clock() - start
    y = net.get_tensor(net.get_output_details()[0]["index"])
    sys.stdout.buffer.write(times.tobytes() + y.tobytes())
    sys.stdout.buffer.flush()
"""


class LiteRT:
    """Calls of the same net by LiteRT, in a process of its own."""

    def __init__(self, python: str, net: nn.HybridSequential, x: numpy.ndarray, y: numpy.ndarray, folder: Path) -> None:
        layers = enumerate(net)
        arrays = {f"{word}{k}": getattr(one, word).data().asnumpy() for k, one in layers for word in ("weight", "bias")}
        numpy.savez(folder / "weights.npz", x=x, **arrays)
        words = [python, "-c", LITERT, str(Path(__file__).parent), str(folder / "weights.npz")]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.y = y

    def timed(self, count: int) -> numpy.ndarray:
        """The nanoseconds of each of `count` calls; `y` is what the last of them gave."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{count}\n".encode())
        self.process.stdin.flush()
        data = self.process.stdout.read(8 * count + self.y.nbytes)
        if len(data) < 8 * count + self.y.nbytes:
            raise SystemExit(f"LiteRT does not run in {self.process.args[0]}")
        self.y[...] = numpy.frombuffer(data, self.y.dtype, self.y.size, 8 * count).reshape(self.y.shape)
        return numpy.frombuffer(data, numpy.int64, count)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="?", type=int, default=CALLS, metavar="CALLS", help="calls of each")
    parser.add_argument("--litert", metavar="PYTHON", help="interpreter that has ai-edge-litert and flatbuffers")
    return parser.parse_args()


def main() -> None:
    arguments = read_arguments()
    total, block = arguments.calls, min(BLOCK, arguments.calls)
    x = numpy.random.default_rng(0).standard_normal((1, 32)).astype("f4")
    results = [numpy.zeros((1, 8), "f4") for _ in range(4)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        net = get_net()
        net.export(folder / "controller", format="library")
        net.export(folder / "controller", format="onnx")
        net.save(folder / "controller.hybridize")
        expected = net(np.array(x)).asnumpy()
        calls = {
            "hybridize, library": library_call(folder / "libcontroller.so", x, results[0]),
            "hybridize, bound call": bound_call(folder / "controller.hybridize", x, results[1]),
            "ONNX Runtime": onnx_call(folder / "controller.onnx", x, results[2]),
        }
        timers = {title: partial(timed, call) for title, call in calls.items()}
        litert = LiteRT(arguments.litert, net, x, results[3], folder) if arguments.litert else None
        if litert is not None:
            timers["LiteRT"] = litert.timed
        for (title, timer), result in zip(timers.items(), results, strict=False):
            timer(FIRST)
            numpy.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5, err_msg=title)
        timers["an empty function"] = partial(timed, empty_call())
        blocks: dict[str, list[numpy.ndarray]] = {title: [] for title in timers}
        gc.disable()
        for _ in range(total // block):
            for title, timer in timers.items():
                blocks[title].append(timer(block))
        if litert is not None:
            litert.close()
    print(f"{total // block * block:,} calls each{'median':>10}{'p99':>10}{'p99.9':>10}{'largest':>10}")
    for title, parts in blocks.items():
        times = numpy.concatenate(parts) / 1e3
        print(f"{title:24}", *(f"{value:9.2f}" for value in (*numpy.percentile(times, (50, 99, 99.9)), times.max())))


if __name__ == "__main__":
    main()
