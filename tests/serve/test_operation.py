"""What an operator relies on: limits, queues, swaps, the end; and what a request can not make the server do."""

import asyncio
import http.client
import json
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import grpc
import numpy
import pytest
import tritonclient.grpc as rpc
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

import hybridize
from hybridize import np
from hybridize.errors import LoadError, StateError
from hybridize.serve.batching import RequestQueue
from hybridize.serve.refusals import Refusal
from hybridize.serve.sources import Sources, snapshot
from tests.refusals import refusal


def saved(path, factor, rows=(2, 5)):
    function = hybridize.hybridize(lambda x: x * factor)
    for count in rows:
        function(np.ones((count, 4)))
    function.save(path)
    return path


def wait_until(holds, seconds=20):
    """Wait until something holds, as it does after a moment."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class FakeModel:
    """A model whose calls are counted, and wait for leave where they are told to."""

    label, name, programs, compiles = "fake version 1", "fake", 1, False

    def __init__(self, seconds=0.0, shapes=()):
        self.seconds, self.shapes = seconds, set(shapes)
        self.calls = []
        self.leave = threading.Event()
        self.leave.set()

    def run(self, arrays):
        self.leave.wait(10)
        self.calls.append(len(arrays[0]))
        if (arrays[0] == 13).any():
            raise hybridize.errors.OutOfBoundsError("E110", "13 is out of bounds")
        return [arrays[0] * 2]


def queue_of(model, **options):
    options = {"max_batch": 8, "max_wait": 0.0, "limit": 100, "max_programs": 4, **options}
    return RequestQueue(model, measured=lambda *_: None, **options)


def value(x, rows=1):
    return [numpy.full((rows, 2), x, "float32")]


def in_loop(test):
    asyncio.run(test())


def test_requests_of_one_turn_are_one_call():
    async def test():
        model = FakeModel(shapes=[((6, 2),)])
        queue = queue_of(model)
        futures = [queue.submit(value(k, 1 + k % 2), 1e9) for k in range(4)]
        for k, future in enumerate(futures):
            (output,) = await future
            numpy.testing.assert_array_equal(output, value(2 * k, 1 + k % 2)[0])
        assert model.calls == [6]

    in_loop(test)


def test_a_batch_has_no_more_rows_than_allowed_and_no_other_shapes():
    async def test():
        model = FakeModel()
        queue = queue_of(model, max_batch=4)
        futures = [queue.submit(value(k), 1e9) for k in range(6)]
        futures.append(queue.submit([numpy.zeros((1, 3), "float32")], 1e9))
        futures.append(queue.submit(value(1, 9), 1e9))
        await asyncio.gather(*futures)
        assert model.calls == [4, 2, 1, 9]

    in_loop(test)


def test_others_have_their_results_where_one_of_a_batch_fails():
    async def test():
        queue = queue_of(FakeModel())
        futures = [queue.submit(value(k), 1e9) for k in (1, 13, 3)]
        done = await asyncio.gather(*futures, return_exceptions=True)
        assert done[0][0][0, 0] == 2
        assert done[2][0][0, 0] == 6
        assert isinstance(done[1], Refusal)
        assert (done[1].code, "13 is out of bounds" in done[1].text) == ("INVALID_ARGUMENT", True)

    in_loop(test)


def test_a_request_waits_for_others_as_long_as_it_is_told():
    async def test():
        model = FakeModel()
        queue = queue_of(model, max_wait=0.05, max_batch=3)
        loop = asyncio.get_running_loop()
        begin = loop.time()
        first = queue.submit(value(1), 1e9)
        await asyncio.sleep(0.01)
        second = queue.submit(value(2), 1e9)
        await asyncio.gather(first, second)
        assert (model.calls, loop.time() - begin >= 0.045) == ([2], True)
        begin = loop.time()
        await asyncio.gather(*[queue.submit(value(k), 1e9) for k in range(3)])
        assert loop.time() - begin < 0.045, "a whole batch waits for nobody"

    in_loop(test)


def test_a_full_queue_refuses_and_late_or_cancelled_requests_are_not_run():
    async def test():
        model = FakeModel(seconds=1.0)
        model.leave.clear()
        queue = queue_of(model, limit=3, max_batch=1)
        running_one = queue.submit(value(0), 1e9)
        await asyncio.sleep(0.02)
        loop = asyncio.get_running_loop()
        late, cancelled, good = (queue.submit(value(k), deadline) for k, deadline in
                                 ((1, loop.time() + 0.01), (2, 1e9), (3, 1e9)))  # fmt: skip
        with pytest.raises(Refusal, match="takes no more") as error:
            queue.submit(value(4), 1e9)
        assert error.value.status == 429
        cancelled.cancel()
        await asyncio.sleep(0.02)
        model.leave.set()
        assert (await running_one)[0][0, 0] == 0
        assert (await good)[0][0, 0] == 6
        with pytest.raises(Refusal, match="did not answer in the time"):
            await late
        assert len(model.calls) == 2
        await queue.drained()

    in_loop(test)


def test_new_sizes_are_refused_where_the_model_has_many_programs():
    async def test():
        model = FakeModel(shapes=[((1, 2),)])
        model.compiles, model.programs = True, 4
        queue = queue_of(model, max_batch=1)
        assert (await queue.submit(value(1), 1e9))[0][0, 0] == 2
        with pytest.raises(Refusal, match="takes no other sizes"):
            await queue.submit(value(1, 5), 1e9)

    in_loop(test)


def test_batches_of_a_server_give_each_its_own(models, running):
    with running(models / "scaled", max_batch=16, max_wait_us=2000) as server:
        failures = []

        def client(number):
            one = rpc.InferenceServerClient(server.rpc)
            for k in range(20):
                x = numpy.full((1 + k % 3, 4), 100 * number + k, "float32")
                tensor = rpc.InferInput("x", x.shape, "FP32")
                tensor.set_data_from_numpy(x)
                if not (one.infer("scaled", [tensor]).as_numpy("output") == x * 2 + 1).all():
                    failures.append((number, k))
            one.close()

        threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert failures == []
        metrics = server.ask("/metrics")[2].decode()
        assert 'hybridize_requests_total{model="scaled",protocol="grpc",status="200",version="1"} 160.0' in metrics
        calls = float(metrics.split('hybridize_batch_rows_count{model="scaled",version="1"} ')[1].split("\n")[0])
        assert calls < 160, "no two requests were joined"


def test_models_without_rows_are_not_batched(models, tmp_path, running):
    mixed = hybridize.hybridize(lambda x: x - x.mean(0))
    total = hybridize.hybridize(lambda x: x.sum())
    for rows in (1, 2, 5):
        mixed(np.ones((rows, 4)))
        total(np.ones((rows, 4)))
    mixed.save(tmp_path / "mixed")
    total.save(tmp_path / "total")
    for name, text in (("mixed", "depends on the other rows"), ("total", "for two rows")):
        with refusal(LoadError, text), running(tmp_path / name, max_batch=8):
            pass


def test_a_swap_loses_nothing(tmp_path, running):
    saved(tmp_path / "m", 2.0)
    with running(tmp_path / "m") as server:
        answers, stop = [], threading.Event()

        def client():
            x = numpy.ones((1, 4), "float32")
            while not stop.is_set():
                status, answer = server.infer("m", x)
                answers.append((status, answer["outputs"][0]["data"][0] if status == 200 else answer))

        threads = [threading.Thread(target=client) for _ in range(3)]
        for one in threads:
            one.start()
        for factor in (3.0, 5.0):
            saved(tmp_path / "other", factor)
            os.replace(tmp_path / "other", tmp_path / "m")
            assert server.ask("/v2/repository/models/m/load", b"")[0] == 200
            time.sleep(0.05)
        stop.set()
        for one in threads:
            one.join()
        assert {status for status, _ in answers} == {200}
        numbers = [number for _, number in answers]
        assert set(numbers) == {2.0, 3.0, 5.0}


def test_versions(tmp_path, running):
    for version, factor in (("1", 10.0), ("2", 20.0), ("10", 30.0)):
        (tmp_path / "repository" / "m" / version).mkdir(parents=True)
        saved(tmp_path / "repository" / "m" / version / "model.hybridize", factor)
    x = numpy.ones((1, 4), "float32")
    with running(tmp_path / "repository", versions="all") as server:
        assert server.infer("m", x)[1]["model_version"] == "10"
        for version, number in (("1", 10.0), ("2", 20.0), ("10", 30.0)):
            body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 1, 1, 1]}]}
            answer = json.loads(server.ask(f"/v2/models/m/versions/{version}/infer", body)[2])
            assert answer["outputs"][0]["data"][0] == number
        assert json.loads(server.ask("/v2/models/m")[2])["versions"] == ["1", "2", "10"]
    with running(tmp_path / "repository") as server:
        index = json.loads(server.ask("/v2/repository/index", {})[2])
        assert [(row["version"], row["state"]) for row in index] == [
            ("1", "UNAVAILABLE"), ("2", "UNAVAILABLE"), ("10", "READY"),
        ]  # fmt: skip
        shutil.rmtree(tmp_path / "repository" / "m" / "10")
        assert server.ask("/v2/repository/models/m/load", b"")[0] == 200
        assert server.infer("m", x)[1]["model_version"] == "2"


def test_a_damaged_file_leaves_the_old_model_in_place(tmp_path, running):
    saved(tmp_path / "m", 2.0)
    content = (tmp_path / "m").read_bytes()
    with running(tmp_path / "m") as server:
        for damaged in (content[: len(content) // 2], b"", content[:-9] + b"\1" * 9):
            (tmp_path / "m").write_bytes(damaged)  # in place: a mapping of the file itself would lose its ground
            status, _, answer = server.ask("/v2/repository/models/m/load", b"")
            assert (status, "E6" in json.loads(answer)["error"]) == (400, True)
            status, answer = server.infer("m", numpy.ones((1, 4), "float32"))
            assert (status, answer["outputs"][0]["data"][0]) == (200, 2.0)


def test_an_older_version_does_not_stand_in_for_a_damaged_one(tmp_path, running):
    for version in (1, 2):
        (tmp_path / "m" / str(version)).mkdir(parents=True)
        saved(tmp_path / "m" / str(version) / "model", float(version))
    content = (tmp_path / "m" / "2" / "model").read_bytes()
    with running(tmp_path) as server:
        for version in (2, 3):
            (tmp_path / "m" / str(version)).mkdir(exist_ok=True)
            (tmp_path / "m" / str(version) / "model").write_bytes(content[:300])
            status, _, answer = server.ask("/v2/repository/models/m/load", b"")
            assert status == 400
            assert re.search(rf"E690.*m/{version} is no model that can be served", json.loads(answer)["error"])
            answer = server.infer("m", numpy.ones((1, 4), "float32"))[1]
            assert (answer["model_version"], answer["outputs"][0]["data"][0]) == ("2", 2.0)
        shutil.rmtree(tmp_path / "m" / "3")
        (tmp_path / "m" / "2" / "model").write_bytes(content)
        assert server.ask("/v2/repository/models/m/load", b"")[0] == 200


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    saved(tmp_path / "m", 2.0)
    (source,) = Sources([str(tmp_path / "m")]).scan()["m"].values()
    copy = shutil.copyfile

    def slow(one, other):
        copy(one, other)
        with open(one, "ab") as file:
            file.write(b"more")

    monkeypatch.setattr(shutil, "copyfile", slow)
    with pytest.raises(LoadError, match="changed while it was read"), snapshot(source):
        pass


def test_no_name_of_a_request_leads_to_a_file(tmp_path, models, running):
    secret = saved(tmp_path / "secret", 7.0)
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copy(models / "scaled", folder / "scaled")
    with running(folder) as server:
        names = ["../secret", "..%2fsecret", str(secret), "served/../../secret", "scaled/../../secret", "%00", "secret"]
        for name in names:
            for path in (f"/v2/repository/models/{name}/load", f"/v2/models/{name}/infer"):
                status, _, answer = server.ask(path, {"inputs": []})
                assert status in (400, 404), path
                assert "root:" not in answer.decode()
        assert [one["name"] for one in json.loads(server.ask("/v2/repository/index", {})[2])] == ["scaled"]


def test_requests_may_load_only_where_the_operator_allows_it(models, running):
    with running(models / "scaled", control=False) as server:
        for action in ("load", "unload"):
            assert server.ask(f"/v2/repository/models/scaled/{action}", b"")[0] == 403
        assert server.infer("scaled", numpy.ones((1, 4), "float32"))[0] == 200


def test_the_token(models, running):
    with running(models / "scaled", token="secret") as server:
        assert server.ask("/v2/health/ready")[0] == 200
        for path, body in (("/v2", None), ("/", None), ("/metrics", None), ("/v2/models/scaled/infer", {"inputs": []})):
            status, headers, answer = server.ask(path, body, {"Authorization": "Bearer other"})
            assert (status, "token" in json.loads(answer)["error"]) == (401, True)
            assert "Basic" in headers["www-authenticate"]
            assert server.ask(path, body, {"Authorization": "Bearer secret"})[0] == (400 if body else 200)
            assert server.ask(path, body, {"Authorization": "bearer secret"})[0] == (400 if body else 200)
        assert server.ask("/", None, {"Authorization": "Basic OnNlY3JldA=="})[0] == 200
        one = rpc.InferenceServerClient(server.rpc)
        assert one.is_server_live()
        with pytest.raises(InferenceServerException, match="token"):
            one.get_server_metadata()
        assert one.get_server_metadata(headers={"authorization": "Bearer secret"}).name == "hybridize"
        one.close()


def test_bodies_that_are_too_large_are_not_read(models, running):
    with running(models / "scaled", max_body=10_000, slow=0.5) as server:
        for headers in (b"Content-Length: 2000000000\r\n", b"Transfer-Encoding: chunked\r\n"):
            with socket.create_connection(server.address.split(":"), timeout=10) as one:
                one.sendall(b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
                block = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
                one.sendall(block * 2)
                answer = one.recv(4000)
            assert answer.startswith(b"HTTP/1.1 413")
            assert b"--max-body allows 10000" in answer
        one = rpc.InferenceServerClient(server.rpc)
        tensor = rpc.InferInput("x", (1000, 4), "FP32")
        tensor.set_data_from_numpy(numpy.ones((1000, 4), "float32"))
        with pytest.raises(InferenceServerException, match="larger than max"):
            one.infer("scaled", [tensor])
        one.close()
        status, _, answer = server.ask("/v2/models/scaled/infer", b"\x1f\x8b" + b"0" * 40, {"Content-Encoding": "gzip"})
        assert (status, "no gzip" in json.loads(answer)["error"]) == (400, True)
        import gzip

        bomb = gzip.compress(b" " * 1_000_000)
        assert server.ask("/v2/models/scaled/infer", bomb, {"Content-Encoding": "gzip"})[0] == 413
        assert server.infer("scaled", numpy.ones((1, 4), "float32"))[0] == 200


@pytest.mark.parametrize(
    ("begin", "answer"),
    [
        (b"", b""),
        (b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost:", b""),
        (b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", b"HTTP/1.1 504"),
    ],
)
def test_slow_clients_are_let_go(models, begin, answer, running):
    with running(models / "scaled", slow=0.3) as server:
        with socket.create_connection(server.address.split(":"), timeout=10) as one:
            one.sendall(begin)
            start = time.monotonic()
            content = b""
            try:
                while piece := one.recv(4000):
                    content += piece
            except ConnectionResetError:
                pass
            assert time.monotonic() - start < 8
        assert content.startswith(answer)
        assert server.infer("scaled", numpy.ones((1, 4), "float32"))[0] == 200


def test_a_loop_that_was_busy_does_not_take_clients_for_slow(models, running, monkeypatch):
    """What a client sent in time is read, although the clock has run out before the loop comes to reading it."""
    head = b"GET /v2 HTTP/1.1\r\nHost: x\r\n\r\n"
    with running(models / "scaled", slow=0.3) as server:
        protocol = server.server._uvicorn.config.http_protocol_class
        received = protocol.data_received
        monkeypatch.setattr(
            protocol, "data_received", lambda self, data: (received(self, data), time.sleep(len(data) == 10))
        )
        with socket.create_connection(server.address.split(":"), timeout=10) as one:
            one.sendall(head[:10])
            time.sleep(0.1)
            one.sendall(head[10:])
            assert one.recv(4000).startswith(b"HTTP/1.1 200")


def test_headers_without_end(models, running):
    with running(models / "scaled") as server:
        with socket.create_connection(server.address.split(":"), timeout=10) as one:
            one.sendall(b"GET / HTTP/1.1\r\nX: ")
            sent = 0
            with suppress(ConnectionError):
                while sent < 10_000_000:
                    sent += one.send(b"x" * 10_000)
                    time.sleep(0.001)
            assert sent < 10_000_000
        assert server.ask("/v2/health/live")[0] == 200


def test_many_requests_at_once_over_one_connection_of_grpc(models, running):
    """Each has a result or is refused by the queue; grpc's own limits cut none off."""

    async def ask_all(address):
        request = service_pb2.ModelInferRequest(model_name="scaled")
        request.raw_input_contents.append(numpy.ones(4, "float32").tobytes())
        request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
        async with grpc.aio.insecure_channel(address) as channel:
            call = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer
            await call(request)
            server.server._loop.call_soon_threadsafe(time.sleep, 1)  # grpc reads on meanwhile
            answers = await asyncio.gather(*[call(request, timeout=60) for _ in range(2500)], return_exceptions=True)
        return {one.code() if isinstance(one, grpc.RpcError) else grpc.StatusCode.OK for one in answers}

    with running(models / "scaled", max_queue=8, max_batch=16, max_wait_us=5000, log="off") as server:
        assert asyncio.run(ask_all(server.rpc)) == {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}


def test_connections_beyond_the_limit(models, running):
    """Those that are there are answered, further ones get an error; probes of health are answered to all."""
    with running(models / "scaled", max_connections=2) as server:
        first, second, third, fourth = (http.client.HTTPConnection(server.address, timeout=20) for _ in range(4))
        for one in (first, second):
            one.request("GET", "/v2")
            assert one.getresponse().read()
        third.request("POST", "/v2/models/scaled/infer", b"{}")
        answer = third.getresponse()
        assert (answer.status, answer.headers["retry-after"], answer.headers["connection"]) == (503, "1", "close")
        assert "2 connections are open, as many as --max-connections allows" in json.loads(answer.read())["error"]
        fourth.request("GET", "/v2/health/ready")
        assert fourth.getresponse().status == 200
        fourth.close()
        first.request("GET", "/v2/models/scaled")
        assert json.loads(first.getresponse().read())["name"] == "scaled"
        second.close()
        wait_until(lambda: len(server.server._uvicorn.server_state.connections) == 1)
        third.request("GET", "/v2")
        assert third.getresponse().status == 200
        for one in (first, third):
            one.close()


def test_files_in_place(tmp_path, running):
    """They are mapped, not copied; replacing them by renaming is safe, and seen at the next load."""
    saved(tmp_path / "m", 2.0)
    source = next(iter(Sources([str(tmp_path / "m")]).scan()["m"].values()))
    with snapshot(source, in_place=True) as path:
        assert path == tmp_path / "m"
    with pytest.raises(LoadError, match="changed while it was read"), snapshot(source, in_place=True):
        (tmp_path / "m").touch()
    x = numpy.ones((1, 4), "float32")
    with running(tmp_path / "m", in_place=True) as server:
        assert str(tmp_path / "m") in Path("/proc/self/maps").read_text()
        saved(tmp_path / "next", 3.0)
        os.replace(tmp_path / "next", tmp_path / "m")
        assert server.infer("m", x)[1]["outputs"][0]["data"] == [2.0] * 4
        assert server.ask("/v2/repository/models/m/load", b"")[0] == 200
        assert server.infer("m", x)[1]["outputs"][0]["data"] == [3.0] * 4


def test_what_libraries_log_is_json(models, running):
    before = list(logging.getLogger("uvicorn").handlers)
    with running(models / "scaled") as server:
        with socket.create_connection(server.address.split(":"), timeout=10) as one:
            one.sendall(b"no HTTP at all\r\n\r\n")
            assert one.recv(1000).startswith(b"HTTP/1.1 400")
        (line,) = server.lines.objects("warning")
        assert (line["library"], line["text"]) == ("uvicorn.error", "Invalid HTTP request received.")
    assert logging.getLogger("uvicorn").handlers == before


def test_deadlines_and_clients_that_go_away(tmp_path, monkeypatch, running):
    saved(tmp_path / "m", 2.0)
    with running(tmp_path / "m", max_queue=2) as server:
        one = next(iter(server.server.registry.served()))
        leave, run = threading.Event(), one.model.run
        calls = []

        def slow(arrays):
            calls.append(arrays[0][0, 0])
            leave.wait(20)
            return run(arrays)

        one.model.run = slow
        one.queue._seconds = 1.0

        def late(number, **parameters):
            return server.infer("m", numpy.full((1, 4), number, "float32"), parameters=parameters)

        begin = time.monotonic()
        status, answer = late(1, timeout=50_000)
        assert (status, "in the time" in answer["error"], time.monotonic() - begin < 5) == (504, True, True)
        client = rpc.InferenceServerClient(server.rpc)
        tensor = rpc.InferInput("x", (1, 4), "FP32")
        tensor.set_data_from_numpy(numpy.full((1, 4), 2, "float32"))
        with pytest.raises(InferenceServerException, match=r"(?i)deadline"):
            client.infer("m", [tensor], client_timeout=0.2)
        client.close()
        head = b"POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        body = json.dumps(
            {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [3, 3, 3, 3]}]}
        ).encode()
        gone = socket.create_connection(server.address.split(":"))
        gone.sendall(head % len(body) + body)
        wait_until(lambda: len(one.queue) == 1)
        gone.close()
        wait_until(lambda: len(one.queue) == 0)
        waiting = [threading.Thread(target=late, args=(4,)) for _ in range(2)]
        for thread in waiting:
            thread.start()
        wait_until(lambda: len(one.queue) == 2)
        status, headers, answer = server.ask("/v2/models/m/infer", body)
        assert (status, headers["retry-after"]) == (429, "1")
        leave.set()
        for thread in waiting:
            thread.join()
        assert calls == [1, 4, 4]
        assert {line["status"] for line in server.lines.objects("request")} <= {200, 429, 499, 504}


def test_the_log_and_the_page(models, rows, running):
    with running(models / "scaled") as server:
        server.ask("/v2/models/scaled/infer", {"inputs": []}, {"X-Request-Id": "bad one"})
        server.infer("scaled", rows)
        page = server.ask("/")[2].decode()
        time.sleep(0.2)
    (bad,) = [line for line in server.lines.objects("request") if line["request"] == "bad one"]
    assert (bad["status"], bad["path"], "inputs must be" in bad["error"]) == (400, "/v2/models/scaled/infer", True)
    ids = [line["request"] for line in server.lines.objects("request")]
    assert len(set(ids)) == len(ids)
    assert [line["event"] for line in server.lines.objects() if line["event"] != "request"] == [
        "loaded", "listening", "draining", "ended",
    ]  # fmt: skip
    for text in ("scaled", "x: FP32[any, 4]", "hybridize_archive", ">2<", ">1<"):
        assert text in page


def test_what_is_no_model(tmp_path, running):
    (tmp_path / "text").write_text("text")
    (tmp_path / "empty").mkdir()
    for path in ("text", "empty", "nothing"):
        with refusal(LoadError, f"{path} is no model"), running(tmp_path / path):
            pass


def test_an_address_that_is_in_use(models, running):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        for options in ({"port": port}, {"grpc_port": port}):
            with (
                refusal(StateError, f"cannot listen at 127.0.0.1:{port}"),
                running(models / "net", **options),
            ):
                pass


def test_tls_and_the_end_by_a_signal(models, tmp_path):
    """The command as it is run: a token in a file, TLS, SIGTERM while a request is on its way."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key.pem", "-out",
         tmp_path / "cert.pem", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
        capture_output=True,
    )  # fmt: skip
    assert made.returncode == 0
    (tmp_path / "token").write_text("secret\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "hybridize", "serve", f"mine={models / 'scaled'}", "--port", "0", "--grpc-port", "0",
         "--certificate", tmp_path / "cert.pem", "--key", tmp_path / "key.pem", "--token-file", tmp_path / "token",
         "--drain", "2"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for text in process.stderr:
            line = json.loads(text)
            if line["event"] == "listening":
                break
        context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))

        def ask(path):
            request = urllib.request.Request(line["rest"] + path, headers={"Authorization": "Bearer secret"})
            with urllib.request.urlopen(request, context=context, timeout=10) as answer:
                return json.loads(answer.read())

        assert ask("/v2/models/mine")["name"] == "mine"
        credentials = grpc.ssl_channel_credentials((tmp_path / "cert.pem").read_bytes())
        one = rpc.InferenceServerClient(line["grpc"], creds=credentials, ssl=True)
        assert one.is_server_ready()
        process.send_signal(signal.SIGTERM)

        def is_unready():
            try:
                ask("/v2/health/ready")
            except urllib.error.HTTPError as error:
                return error.code == 503
            return False

        wait_until(is_unready)
        assert ask("/v2/models/mine")["name"] == "mine", "requests are answered while balancers look away"
        assert process.wait(20) == 0
        assert '"event":"ended"' in process.stderr.read()
        one.close()
    finally:
        process.kill()
        process.stderr.close()


def test_a_model_that_writes_its_argument_writes_no_request(running, tmp_path):
    @hybridize.hybridize
    def emptied(x):
        x[:] = x * 2
        return x + 1

    for rows in (2, 5):
        emptied(np.ones((rows, 4)))
    emptied.save(tmp_path / "m")
    with running(tmp_path / "m") as server:
        body = numpy.ones((1, 4), "float32")
        tensor = rpc.InferInput("x", body.shape, "FP32")
        tensor.set_data_from_numpy(body)
        one = rpc.InferenceServerClient(server.rpc)
        for _ in range(3):
            assert (one.infer("m", [tensor]).as_numpy("output") == 3).all()
        one.close()


def test_the_end_waits_for_requests_of_both_protocols(running, models):
    with running(models / "scaled") as server:
        one = next(iter(server.server.registry.served()))
        leave, run = threading.Event(), one.model.run
        one.model.run = lambda arrays: (leave.wait(20), run(arrays))[1]
        one.queue._seconds = 1.0
        answers = []
        client = rpc.InferenceServerClient(server.rpc)
        x = numpy.ones((1, 4), "float32")
        tensor = rpc.InferInput("x", x.shape, "FP32")
        tensor.set_data_from_numpy(x)
        calls = [
            lambda: answers.append(server.infer("scaled", x)[1]["outputs"][0]["data"]),
            lambda: answers.append(client.infer("scaled", [tensor]).as_numpy("output")[0].tolist()),
        ]
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(one.queue) == 1)  # one runs, one waits
        server.server.stop()

        def is_closed():
            try:
                socket.create_connection(server.address.split(":"), timeout=20).close()
            except OSError:
                return True
            return False

        wait_until(is_closed)
        assert answers == []
        leave.set()
        for thread in threads:
            thread.join()
        client.close()
        assert answers == [[3.0] * 4] * 2
        server.thread.join(20)
        assert not server.thread.is_alive()


def test_pages_of_other_sites(running, models):
    with running(models / "scaled") as server:
        port = server.server.port
        for origin, host, status in (
            ("http://evil.example", None, 403), ("null", None, 403), (f"http://evil.example:{port}", f"evil.example:{port}", 403),
            (f"http://127.0.0.1:{port}", None, 200), (f"http://localhost:{port}", f"localhost:{port}", 200),
        ):  # fmt: skip
            headers = {"Origin": origin, "Content-Type": "text/plain", **({"Host": host} if host else {})}
            assert server.ask("/v2/repository/models/scaled/load", b"", headers)[0] == status, origin


def test_clients_that_do_not_read_their_answers(running, models):
    with running(models / "scaled", slow=0.5) as server:
        x = numpy.ones((500_000, 4), "float32")
        head = {"name": "x", "datatype": "FP32", "shape": x.shape, "parameters": {"binary_data_size": x.nbytes}}
        body = json.dumps({"inputs": [head], "parameters": {"binary_data_output": True}}).encode()
        connections = server.server._uvicorn.server_state.connections
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(("127.0.0.1", server.server.port))
            one.sendall(
                b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: %d\r\n"
                b"Content-Length: %d\r\n\r\n" % (len(body), len(body) + x.nbytes) + body + x.tobytes()
            )
            assert one.recv(12) == b"HTTP/1.1 200"
            deadline = time.monotonic() + 10
            while connections and time.monotonic() < deadline:
                time.sleep(0.05)
            assert not connections
