"""Requests per second of `hybridize serve`, beside MLServer and a FastAPI program around ONNX Runtime.

    python benchmarks/serve.py [--seconds 5] [--rounds 3] [--clients 1 8 64] [--peers hybridize fastapi mlserver]
        [--python PATH] [--figures FILE]

Each server is a process of its own with one worker, asked over loopback by this one, whose clients send the same bytes
again as soon as they have an answer: the chapter's MLP (512, 256, 128, 2), one row of float32 as JSON, as the Open
Inference Protocol has it. Servers take turns in each round; given are the best round's requests per second and, from
/proc, the microseconds of the processor's time that the server spent on one request, which another process on the
machine does not change much. `batched` and `unbatched` are a wider MLP (8 layers of 1024) with and without
`--max-batch 64`, asked with binary tensors.

The peers are looked for in the environment of `--python`, this one by default: `pip install fastapi uvicorn[standard]
onnxruntime mlserver`. MLServer runs the same ONNX model by a runtime class of ten lines, without its access log.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy

FASTAPI = """
from fastapi import FastAPI
from pydantic import BaseModel
import numpy, onnxruntime

class Tensor(BaseModel):
    name: str
    shape: list[int]
    datatype: str
    data: list[float]

class Body(BaseModel):
    inputs: list[Tensor]

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession({model!r}, options, providers=["CPUExecutionProvider"])
app = FastAPI()

@app.post("/v2/models/mlp/infer")
async def infer(body: Body):
    one = body.inputs[0]
    x = numpy.array(one.data, "float32").reshape(one.shape)
    (y,) = session.run(None, {{one.name: x}})
    return {{"model_name": "mlp", "outputs": [
        {{"name": "output", "datatype": "FP32", "shape": y.shape, "data": y.reshape(-1).tolist()}}]}}

@app.get("/v2/health/ready")
async def ready():
    return {{}}
"""
MLSERVER = """
import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse

class Onnx(MLModel):
    async def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession({model!r}, options, providers=["CPUExecutionProvider"])
        return True

    async def predict(self, payload):
        one = payload.inputs[0]
        (y,) = self.session.run(None, {{one.name: NumpyCodec.decode_input(one)}})
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("output", y)])
"""


def make_models(folder: Path) -> None:
    """Write the two nets, each as an archive and as an ONNX model."""
    from hybridize import np
    from hybridize.gluon import nn

    for name, sizes in (("mlp", (256, 128, 2)), ("wide", (1024,) * 8)):
        net = nn.HybridSequential()
        net.add(*(nn.Dense(size, activation="relu" if k + 1 < len(sizes) else None) for k, size in enumerate(sizes)))
        net.initialize()
        net.hybridize(threads=1)
        for rows in (1, 4, 64):
            net(np.random.normal(size=(rows, 512)))
        net.save(folder / name)
        net.export(str(folder / name), format="onnx")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def command(kind: str, folder: Path, port: int, python: str) -> tuple[list[str], dict[str, str]]:
    """What starts a server, and the variables that it needs."""
    serve = [sys.executable, "-m", "hybridize", "serve", "--port", str(port), "--no-grpc", "--threads", "1"]
    if kind in ("hybridize", "unbatched"):
        return [*serve, "--log", "errors", str(folder / ("mlp" if kind == "hybridize" else "wide"))], {}
    if kind == "logging":
        return [*serve, str(folder / "mlp")], {}
    if kind == "batched":
        return [*serve, "--log", "errors", "--max-batch", "64", str(folder / "wide")], {}
    model = str(folder / "mlp.onnx")
    if kind == "fastapi":
        (folder / "program.py").write_text(FASTAPI.format(model=model))
        arguments = ["--app-dir", str(folder), "--port", str(port), "--no-access-log", "--log-level", "warning"]
        return [python, "-m", "uvicorn", "program:app", *arguments], {}
    own = folder / "mlserver"
    own.mkdir(exist_ok=True)
    (own / "onnx_runtime.py").write_text(MLSERVER.format(model=model))
    (own / "model-settings.json").write_text(json.dumps({"name": "mlp", "implementation": "onnx_runtime.Onnx"}))
    settings = {"http_port": port, "grpc_port": free_port(), "metrics_port": free_port(), "parallel_workers": 0,
                "host": "127.0.0.1", "debug": False, "access_logging": False}  # fmt: skip
    (own / "settings.json").write_text(json.dumps(settings))
    return [python, "-c", "from mlserver.cli import main; main()", "start", str(own)], {"PYTHONPATH": str(own)}


@contextmanager
def server(kind: str, folder: Path, python: str):
    """A running server: its process and its port."""
    port = free_port()
    arguments, variables = command(kind, folder, port, python)
    with (folder / f"{kind}.log").open("w") as log:
        process = subprocess.Popen(arguments, stdout=log, stderr=log, env={**os.environ, **variables})
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/health/ready", timeout=1):
                    break
            except OSError:
                if process.poll() is not None:
                    raise RuntimeError(f"{kind} ended:\n{(folder / f'{kind}.log').read_text()}") from None
                time.sleep(0.1)
        yield process, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def request(kind: str) -> bytes:
    """The bytes of one request."""
    x = numpy.random.default_rng(0).normal(size=(1, 512)).astype("float32")
    model, tensor = "mlp", {"name": "data", "shape": [1, 512], "datatype": "FP32"}
    extra, tail = b"", b""
    if kind in ("batched", "unbatched"):
        model, tail = "wide", x.tobytes()
        body = json.dumps({"inputs": [{**tensor, "parameters": {"binary_data_size": len(tail)}}],
                           "parameters": {"binary_data_output": True}}).encode()  # fmt: skip
        extra = b"Inference-Header-Content-Length: %d\r\n" % len(body)
    else:
        body = json.dumps({"inputs": [{**tensor, "data": x.reshape(-1).tolist()}]}).encode()
    head = b"POST /v2/models/%s/infer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" % model.encode()
    return head + extra + b"Content-Length: %d\r\n\r\n" % (len(body) + len(tail)) + body + tail


class Client(asyncio.Protocol):
    """Sends a request as soon as the answer to the last one is there."""

    def __init__(self, content: bytes, counts: list[int]) -> None:
        self.content, self.counts = content, counts
        self.buffer = b""

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.content)

    def data_received(self, data):
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(self.buffer[:500].decode())
        self.buffer = b""
        self.counts[0] += 1
        self.transport.write(self.content)


def processor_seconds(process: int) -> float:
    """User and system time of a process and of its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


async def asked(port: int, content: bytes, clients: int, seconds: float, process: int) -> tuple[float, float]:
    """Requests per second, and the server's microseconds for each."""
    loop, counts = asyncio.get_running_loop(), [0]
    made = [await loop.create_connection(lambda: Client(content, counts), "127.0.0.1", port) for _ in range(clients)]
    await asyncio.sleep(min(1.0, seconds / 3))
    begin, used, before = time.perf_counter(), processor_seconds(process), counts[0]
    await asyncio.sleep(seconds)
    count = counts[0] - before
    rate = count / (time.perf_counter() - begin)
    cost = (processor_seconds(process) - used) / max(count, 1)
    for transport, _ in made:
        transport.abort()
    return rate, 1e6 * cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 64])
    peers = ["hybridize", "logging", "fastapi", "mlserver", "unbatched", "batched"]
    parser.add_argument("--peers", nargs="*", default=peers)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--figures", type=Path)
    options = parser.parse_args()
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_models(folder)
        for _ in range(options.rounds):
            for kind in options.peers:
                with server(kind, folder, options.python) as (process, port):
                    for clients in options.clients:
                        rate, cost = asyncio.run(asked(port, request(kind), clients, options.seconds, process.pid))
                        row = best.setdefault(f"{kind} {clients}", {"requests/s": 0.0, "processor us": 1e9})
                        row["requests/s"] = max(row["requests/s"], rate)
                        row["processor us"] = min(row["processor us"], cost)
    print(f"{'server, clients':<24}{'requests/s':>12}{'processor us/request':>24}")
    for name, row in best.items():
        print(f"{name:<24}{row['requests/s']:>12.0f}{row['processor us']:>24.0f}")
    if options.figures:
        options.figures.write_text(json.dumps(best, indent=1) + "\n")


if __name__ == "__main__":
    main()
