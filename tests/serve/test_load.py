"""Much at once: no request is lost or mixed up while models are swapped; mutated requests end in answers."""

import asyncio
import gc
import json
import os
import random
import struct
import threading
import time

import numpy
import pytest

import hybridize
from hybridize import np
from tests.serve.load_client import answered, packed


def saved(path, factor):
    function = hybridize.hybridize(lambda x: x * factor)
    for rows in (1, 2, 5):
        function(np.ones((rows, 4)))
    function.save(path)


async def ask_all(port, count, clients, rate, factors, killed=0.0):
    """Send `count` requests in an open loop: at their times, whether others are answered or not.

    Returns:
        The numbers of answers by status; all that answered something else than they were asked.
    """
    statuses, wrong = {}, []
    numbers = iter(range(count))
    begin = time.monotonic()
    draw = random.Random(7)

    async def client():
        reader = writer = None
        for number in numbers:
            await asyncio.sleep(max(0.0, begin + number / rate - time.monotonic()))
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(packed(number))
            if draw.random() < killed:  # a client that does not wait for its answer
                await writer.drain()
                writer.transport.abort()
                reader = writer = None
                statuses["killed"] = statuses.get("killed", 0) + 1
                continue
            status, fields, body = await answered(reader)
            statuses[status] = statuses.get(status, 0) + 1
            if status == 200:
                length = int(fields["inference-header-content-length"])
                answer = json.loads(body[:length])
                values = numpy.frombuffer(body[length:], "float32")
                expected = {numpy.float32(number * factor) for factor in factors}
                if answer["id"] != str(number) or len(values) != 4 * (1 + number % 3) or set(values) - expected:
                    wrong.append(number)
            elif status == 429:
                json.loads(body)["error"].index("takes no more")
            if fields.get("connection") == "close":
                writer.close()
                reader = writer = None
        if writer is not None:
            writer.close()

    await asyncio.gather(*[client() for _ in range(clients)])
    return statuses, wrong


def load(running, folder, count, swaps, *, killed=0.0, rate=1e9, **options):
    """A load while models are swapped: what was answered, what was wrong, memory before and after."""
    saved(folder / "m", 2.0)
    with running(folder / "m", log="errors", **options) as server:
        stop = threading.Event()
        loads = []

        def swap():
            while not stop.is_set() and len(loads) < swaps:
                saved(folder / "next", (2.0, 3.0)[len(loads) % 2])
                os.replace(folder / "next", folder / "m")
                loads.append(server.ask("/v2/repository/models/m/load", b"")[0])
                time.sleep(0.05)

        asyncio.run(ask_all(server.server.port, count // 10, 16, rate, (2.0,)))
        gc.collect()
        before = resident()
        thread = threading.Thread(target=swap)
        thread.start()
        statuses, wrong = asyncio.run(ask_all(server.server.port, count, 64, rate, (2.0, 3.0), killed))
        stop.set()
        thread.join()
        gc.collect()
        return statuses, wrong, loads, resident() - before


def resident():
    """Bytes of this process, which is the server's, too."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("batch", [1, 16])
def test_a_thousand_requests_under_swaps(running, tmp_path, batch):
    statuses, wrong, loads, _ = load(running, tmp_path, 1000, 3, max_batch=batch, max_wait_us=200 * (batch > 1))
    assert (statuses, wrong) == ({200: 1000}, [])
    assert set(loads) == {200}


def test_overload_and_killed_clients(running, tmp_path):
    statuses, wrong, _, _ = load(running, tmp_path, 1000, 1, killed=0.1, max_batch=4, max_wait_us=3000, max_queue=8)
    assert wrong == []
    assert sum(statuses.values()) == 1000
    assert set(statuses) == {200, 429, "killed"}


@pytest.mark.long
@pytest.mark.parametrize("batch", [1, 64])
def test_a_hundred_thousand_requests_under_swaps(running, tmp_path, batch):
    statuses, wrong, loads, grown = load(
        running, tmp_path, 100_000, 200, max_batch=batch, max_wait_us=300 * (batch > 1), killed=0.01
    )
    assert wrong == []
    assert statuses[200] + statuses["killed"] == 100_000
    assert set(loads) == {200}
    assert grown < 64 << 20, f"{grown >> 20} MiB more than before"


BASE = json.dumps(
    {"id": "a", "parameters": {"binary_data_output": True, "timeout": 100000},
     "inputs": [{"name": "x", "shape": [2, 4], "datatype": "FP32", "data": [1, 2, 3, 4, 5, 6, 7, 8]}],
     "outputs": [{"name": "output", "parameters": {"binary_data": False}}]}
).encode()  # fmt: skip
WORDS = [b"null", b"true", b"-1", b"1e999", b"[]", b"{}", b"[[[[", b'"BYTES"', b'"FP16"', b"NaN", b"\xff", b"\\ud800",
         b"9" * 400, b"18446744073709551616", b'"x"', b"0", b",", b":", b'"', b"-Infinity", b"\0"]  # fmt: skip


def mutated(draw):
    """A request that is wrong in some places, mostly; the whole of its bytes."""
    body = bytearray(BASE)
    for _ in range(draw.randint(0, 4)):
        at = draw.randrange(len(body))
        match draw.randrange(5):
            case 0:
                body[at] = draw.randrange(256)
            case 1:
                del body[at : at + draw.randint(1, 20)]
            case 2:
                body[at:at] = draw.choice(WORDS)
            case 3:
                body[at:at] = body[at : at + draw.randint(1, 60)] * draw.randint(1, 5)
            case 4:
                end = body.find(b",", at)
                body[at : end if end > 0 else at + 3] = draw.choice(WORDS)
    path = draw.choice(["m/infer"] * 20 + ["m/versions/1/infer", "m/versions//infer", "../infer", "%00/infer", "m/ready",
                                          "m", "n/infer", "m/versions/-1/infer", "?/infer", "m/infer?x=%ff"])  # fmt: skip
    headers = [f"Content-Length: {len(body)}"]
    if draw.random() < 0.3:
        length = draw.choice([len(body), len(body) - 1, draw.randrange(400), -5, "x", 10**30, ""])
        headers.append(f"Inference-Header-Content-Length: {length}")
        body += struct.pack("<f", draw.random()) * draw.randint(0, 9)
        headers[0] = f"Content-Length: {len(body)}"
    if draw.random() < 0.1:
        headers.append(draw.choice(["Content-Encoding: gzip", "Content-Encoding: br", "Accept-Encoding: gzip",
                                    "X-Request-Id: \t", "Authorization: Basic !", "Expect: 100-continue"]))  # fmt: skip
    if draw.random() < 0.02:
        headers[0] = draw.choice(["Content-Length: -1", "Content-Length: 99999999999999", "Transfer-Encoding: chunked"])
    method = draw.choice(["POST"] * 30 + ["GET", "PUT", "DELETE", "HEAD"])
    return (
        f"{method} /v2/models/{path} HTTP/1.1\r\nHost: x\r\n".encode()
        + "\r\n".join(headers).encode()
        + b"\r\n\r\n"
        + body
    )


async def fuzz(port, count, clients=8):
    """Send mutated requests; return statuses, and the requests that got no answer by the rules."""
    statuses, bad = {}, []
    numbers = iter(range(count))

    async def client():
        reader = writer = None
        for number in numbers:
            content = mutated(random.Random(number))
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(content)
            try:
                if content.startswith(b"HEAD"):
                    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)).decode().lower()
                    status, fields = int(head.split()[1]), {"connection": "close"}
                else:
                    status, fields, body = await asyncio.wait_for(answered(reader), 20)
                    if status >= 400 and "json" in fields["content-type"]:
                        assert json.loads(body)["error"]
            except (asyncio.IncompleteReadError, ConnectionError):
                status, fields = "closed", {"connection": "close"}
            except Exception as error:
                bad.append((number, repr(error)))
                status, fields = "bad", {"connection": "close"}
            statuses[status] = statuses.get(status, 0) + 1
            odd = b"Length: 999999" in content or b"Length: -1" in content or b"chunked" in content
            if status == 500 or (status == "closed" and not odd):
                bad.append((number, status))
            if odd or status not in (200, 400) or fields.get("connection") == "close" or b"Expect" in content:
                writer.transport.abort()
                reader = writer = None
        if writer is not None:
            writer.close()

    await asyncio.gather(*[client() for _ in range(clients)])
    return statuses, bad


def fuzzed(running, folder, count):
    saved(folder / "m", 2.0)
    with running(folder / "m", log="errors", slow=2.0) as server:
        statuses, bad = asyncio.run(fuzz(server.server.port, count))
        answer = server.infer("m", numpy.ones((1, 4), "float32"))
        assert answer[1]["outputs"][0]["data"] == [2.0] * 4
        assert server.lines.objects("defect") == []
        return statuses, bad


def test_mutated_requests(running, tmp_path):
    statuses, bad = fuzzed(running, tmp_path, 600)
    assert bad == []
    assert statuses[200] > 20
    assert statuses[400] > 200


@pytest.mark.long
def test_fifty_thousand_mutated_requests(running, tmp_path):
    _, bad = fuzzed(running, tmp_path, 50_000)
    assert bad == []


def test_mutated_messages_of_grpc(running, tmp_path):
    """Bytes that are no message, and messages that are no request, end in codes of the protocol."""
    import grpc
    from tritonclient.grpc import service_pb2

    saved(tmp_path / "m", 2.0)
    base = service_pb2.ModelInferRequest(model_name="m")
    base.inputs.add(name="x", datatype="FP32", shape=[1, 4])
    base.raw_input_contents.append(numpy.ones(4, "float32").tobytes())
    content = base.SerializeToString()
    codes = set()
    with running(tmp_path / "m", log="errors") as server, grpc.insecure_channel(server.rpc) as channel:
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
        for number in range(300):
            draw = random.Random(number)
            body = bytearray(content)
            for _ in range(draw.randint(0, 3)):
                body[draw.randrange(len(body))] = draw.randrange(256)
            try:
                call(bytes(body), timeout=20)
                codes.add("OK")
            except grpc.RpcError as error:
                codes.add(error.code().name)
        assert server.lines.objects("defect") == []
    assert {"OK", "INVALID_ARGUMENT"} <= codes <= {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "INTERNAL", "UNIMPLEMENTED"}
