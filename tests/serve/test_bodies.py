"""Bodies of two gigabytes that are really sent, by each way of HTTP and by gRPC: refused, in the memory of a small one."""

import http.client
import json
import socket
import time
import zlib
from contextlib import suppress
from pathlib import Path

import grpc
import numpy
import pytest
from tritonclient.grpc import service_pb2, service_pb2_grpc

from tests.serve.test_long_load import saved, serving_process

MOST = 8 << 20
TWO = 2 << 30
BLOCK = bytes(1 << 20)
PATH = "POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\n"


def peak(server):
    """The most bytes that the process has had at a time."""
    (line,) = [one for one in Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if one.startswith("VmHWM")]  # fmt: skip
    return int(line.split()[1]) << 10


def sent(server, head, blocks):
    """Send a request while the server reads; return the bytes that went, and the answer."""
    with socket.create_connection(("127.0.0.1", server.rest), timeout=30) as one:
        count = 0
        with suppress(OSError):  # where the server has read enough
            one.sendall(head.encode())
            for block in blocks:
                one.sendall(block)
                count += len(block)
        content = b""
        with suppress(ConnectionResetError):
            while piece := one.recv(1 << 16):
                content += piece
        return count, content


def chunked():
    for _ in range(TWO // len(BLOCK)):
        yield b"%x\r\n" % len(BLOCK) + BLOCK + b"\r\n"
    yield b"0\r\n\r\n"


def plain():
    for _ in range(TWO // len(BLOCK)):
        yield BLOCK


def bomb(bits):
    """Two gigabytes of spaces, compressed."""
    coder = zlib.compressobj(9, zlib.DEFLATED, bits)
    spaces = b" " * len(BLOCK)
    return b"".join([coder.compress(spaces) for _ in range(TWO // len(BLOCK))]) + coder.flush()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bodies")
    saved(folder / "m", 2.0)
    with serving_process(folder, "--max-body", MOST) as one:
        yield one


@pytest.fixture
def flat(server):
    """The server needs little more memory than before, and answers others."""
    before = peak(server)
    yield
    assert peak(server) - before < 4 * MOST
    body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}
    answer = json.loads(server.ask("/v2/models/m/infer", json.dumps(body).encode()))
    assert answer["outputs"][0]["data"] == [2, 4, 6, 8]


@pytest.mark.long
@pytest.mark.parametrize("way", ["length", "chunked", "both"])
def test_two_gigabytes(server, flat, way):
    """A client that goes on sending reads its answer; what it goes on sending is not kept."""
    heads = {"length": f"Content-Length: {TWO}\r\n", "chunked": "Transfer-Encoding: chunked\r\n",
             "both": "Content-Length: 10\r\nTransfer-Encoding: chunked\r\n"}  # fmt: skip
    count, answer = sent(server, PATH + heads[way] + "\r\n", plain() if way == "length" else chunked())
    if way == "both":  # two lengths are an attack on proxies
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413")), answer[:300]
        return
    assert count > MOST
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413"), answer[:300]


@pytest.mark.long
@pytest.mark.parametrize("way", ["length", "chunked"])
def test_the_refusal_of_two_gigabytes_is_read(server, flat, way):
    """A client that looks for an answer while it sends."""
    head = f"Content-Length: {TWO}\r\n" if way == "length" else "Transfer-Encoding: chunked\r\n"
    with socket.create_connection(("127.0.0.1", server.rest), timeout=30) as one:
        one.sendall((PATH + head + "\r\n").encode())
        one.setblocking(False)
        answer, blocks = b"", plain() if way == "length" else chunked()
        deadline = time.monotonic() + 30
        while not answer and time.monotonic() < deadline:
            with suppress(BlockingIOError):
                one.send(next(blocks))
            try:
                answer = one.recv(4000)
            except BlockingIOError:
                time.sleep(0.001)
    assert answer.startswith(b"HTTP/1.1 413"), answer
    assert b"--max-body allows 8388608" in answer


@pytest.mark.long
def test_more_than_the_length_says(server, flat):
    """The length is believed; what follows is another request, and none."""
    count, answer = sent(server, PATH + "Content-Length: 2\r\n\r\n", (b"{}", *plain()))
    assert count < TWO
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400"), answer[:300]


@pytest.mark.long
@pytest.mark.parametrize(("coding", "bits"), [("gzip", 31), ("deflate", 15)])
def test_bombs(server, flat, coding, bits):
    body = bomb(bits)
    assert len(body) < MOST
    one = http.client.HTTPConnection("127.0.0.1", server.rest, timeout=30)
    for chunks in (False, True):
        one.request("POST", "/v2/models/m/infer", iter([body]) if chunks else body, {"Content-Encoding": coding}, encode_chunked=chunks)  # fmt: skip
        answer = one.getresponse()
        assert (answer.status, "which --max-body allows" in json.loads(answer.read())["error"]) == (413, True)
    one.close()


@pytest.mark.long
@pytest.mark.parametrize("coding", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_a_gigabyte_over_grpc(server, flat, coding):
    request = service_pb2.ModelInferRequest(model_name="m")
    request.inputs.add(name="x", datatype="FP32", shape=[1 << 26, 4])
    request.raw_input_contents.append(numpy.zeros(1 << 30, "uint8").tobytes())
    options = [("grpc.max_send_message_length", -1)]
    with (
        grpc.insecure_channel(f"127.0.0.1:{server.rpc}", options) as channel,
        pytest.raises(grpc.RpcError, match=r"(?i)larger than max") as error,
    ):
        service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(request, compression=coding, timeout=60)
    assert error.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
