import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.gluon import nn
from hybridize.serve.options import ServerOptions
from hybridize.serve.server import ModelServer
from hybridize.serve.telemetry import RequestLog


class Lines:
    """A stream that keeps what is written."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def objects(self, event=None):
        lines = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if event is None or line["event"] == event]


class Running:
    """A server on a thread of this process, and a plain client."""

    def __init__(self, server, lines, thread):
        self.server, self.lines, self.thread = server, lines, thread
        self.address = f"127.0.0.1:{server.port}"
        self.rpc = f"127.0.0.1:{server.grpc_port}"

    def ask(self, path, body=None, headers=None, method=None):
        """Status, headers and body of an answer; a body that is no bytes goes as JSON."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.address}{path}", data, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def infer(self, model, *arrays, names=("x",), **more):
        """Status and JSON of an answer to arrays as numbers."""
        words = {"float32": "FP32", "int32": "INT32", "int64": "INT64", "float64": "FP64", "bool": "BOOL"}
        inputs = [
            {
                "name": name,
                "datatype": words[array.dtype.name],
                "shape": array.shape,
                "data": array.reshape(-1).tolist(),
            }
            for name, array in zip(names, arrays, strict=True)
        ]
        status, _, body = self.ask(f"/v2/models/{model}/infer", {"inputs": inputs, **more})
        return status, json.loads(body)


@contextmanager
def _running(*paths, **options):
    """A server of these models, at ports that are free."""
    lines = Lines()
    options = {"port": 0, "grpc_port": 0, "drain": 0.0, **options}
    server = ModelServer(
        ServerOptions(tuple(map(str, paths)), **options), RequestLog(options.pop("log", "requests"), lines)
    )
    failures = []

    def run():
        try:
            server.run()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert server.started.wait(60)
        if failures:
            raise failures[0]
        yield Running(server, lines, thread)
    finally:
        server.stop()
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Models by name: `scaled`, x times 2 plus 1 by row; `net`, in all formats; `pair`, two inputs and a dict."""
    at = tmp_path_factory.mktemp("models")
    scaled = hybridize.hybridize(lambda x: x * 2 + 1)
    for rows in (2, 5):
        scaled(np.ones((rows, 4)))
    scaled.save(at / "scaled")
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    net.initialize()
    net.hybridize()
    for rows in (1, 4):
        net(np.ones((rows, 4)))
    net.save(at / "net")
    net.export(at / "exported")
    net.export(at / "graph", format="onnx")

    @hybridize.hybridize
    def pair(a, b):
        return {"sum": a + b, "count": (a > 0).astype("int64").sum(1)}

    for rows in (2, 5):
        pair(np.ones((rows, 3)), np.ones((rows, 3)))
    pair.save(at / "pair")
    return at


@pytest.fixture(scope="session")
def serving(models):
    """A server of all of them."""
    with _running(*(models / name for name in ("scaled", "net", "exported", "graph.onnx", "pair"))) as server:
        yield server


@pytest.fixture(scope="session")
def running():
    """The server of models as a context."""
    return _running


@pytest.fixture
def rows():
    return numpy.random.default_rng(0).normal(size=(3, 4)).astype("float32")
