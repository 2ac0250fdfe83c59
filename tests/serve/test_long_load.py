"""All trouble at once, with the server as a process: swaps, overload, clients that are killed, that cut, that are slow."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import np

ROOT = Path(__file__).parents[2]


def saved(path, factor):
    function = hybridize.hybridize(lambda x: x * factor)
    for rows in (1, 2, 5):
        function(np.ones((rows, 4)))
    function.save(path)


class Process:
    """A server as operators run it: its ports, its memory, its log."""

    def __init__(self, folder, *arguments):
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hybridize", "serve", str(folder / "m"), "--port", "0", "--grpc-port", "0",
                 "--log", "errors", *map(str, arguments)],
                stderr=log, cwd=ROOT,
            )  # fmt: skip
        (listening,) = self.wait_for("listening")
        self.rest, self.rpc = (int(listening[word].rpartition(":")[2]) for word in ("rest", "grpc"))

    def lines(self, event):
        return [line for text in self.log.read_text().splitlines() if (line := json.loads(text))["event"] == event]

    def wait_for(self, event, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.lines(event) and time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)
        return self.lines(event)

    def memory(self):
        """Bytes that the process has of its own."""
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private"))

    def ask(self, path, body=None):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}{path}", body, timeout=60) as answer:
            return answer.read()


@contextmanager
def serving_process(folder, *arguments):
    one = Process(folder, *arguments)
    try:
        yield one
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(90) == 0
        assert one.lines("ended")
        assert one.lines("defect") == []
    finally:
        one.process.kill()
        one.process.wait()


def clients(server, first, count, rate, burst, cut, rpc=True):
    """A process of clients that runs."""
    words = {"rest": server.rest, "rpc": server.rpc if rpc else None, "first": first, "count": count, "rate": rate,
             "burst": burst, "cut": cut}  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "tests.serve.load_client", json.dumps(words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def swapping(server, folder, stop, loads):
    """Replace the model, again and again."""
    while not stop.is_set():
        saved(folder / "next", (2.0, 3.0)[len(loads) % 2])
        os.replace(folder / "next", folder / "m")
        server.ask("/v2/repository/models/m/load", b"")
        loads.append(time.monotonic())
        stop.wait(0.2)


def killing(server, stop, killed):
    """Start clients, and kill them in the middle of their requests."""
    draw = random.Random(1)
    while not stop.is_set():
        one = clients(server, 1_000_000, 100_000, 300, 10, 0.0)
        stop.wait(1.5 + draw.random())
        assert one.poll() is None
        one.send_signal(signal.SIGKILL)
        one.wait()
        killed.append(one.returncode)
        one.stdout.close()


def dawdling(server, stop, slow):
    """Open connections that send a byte now and then, or ask for much and read nothing."""
    body = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [40_000, 4],
                                   "parameters": {"binary_data_size": 640_000}}]}).encode()  # fmt: skip
    head = b"POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\n"
    whole = head + b"Inference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (
        len(body),
        len(body) + 640_000,
    )
    whole += body + numpy.ones(160_000, "float32").tobytes()
    while not stop.is_set():
        some = []
        for begin in (b"", head, head + b"Content-Length: 1000\r\n\r\n", whole):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(("127.0.0.1", server.rest))
            with suppress(OSError):
                one.sendall(begin)
            some.append(one)
        for _ in range(10):
            for one in some[:3]:
                with suppress(OSError):
                    one.send(b"x")
            stop.wait(0.3)
        for one in some:
            one.close()
            slow.append(one)


def burdened(folder, parts, rate, burst):
    """Run loads of so many requests, one after the other; return answers by status, troubles, memory after each."""
    saved(folder / "m", 2.0)
    options = "--max-batch", 16, "--max-wait-us", 500, "--max-queue", 64, "--slow", 2
    with serving_process(folder, *options) as server:
        stop, loads, killed, slow = threading.Event(), [], [], []
        troubles = [
            threading.Thread(target=swapping, args=(server, folder, stop, loads)),
            threading.Thread(target=killing, args=(server, stop, killed)),
            threading.Thread(target=dawdling, args=(server, stop, slow)),
        ]
        for one in troubles:
            one.start()
        try:
            memory, outcomes, done = [], [], 0
            for part in parts:
                living = [clients(server, done + k * part // 2, part // 2, rate / 2, burst, 0.02) for k in range(2)]
                outcomes += [json.loads(one.communicate(timeout=1800)[0]) for one in living]
                assert [one.returncode for one in living] == [0, 0]
                memory.append(server.memory())
                done += part
        finally:
            stop.set()
            for one in troubles:
                one.join()
        (row,) = json.loads(server.ask("/v2/models/m/stats"))["model_stats"]
    statuses = {}
    for outcome in outcomes:
        for status, number in outcome["statuses"].items():
            statuses[status] = statuses.get(status, 0) + number
    assert [outcome["lost"] + outcome["wrong"] for outcome in outcomes] == [[]] * len(outcomes)
    assert set(killed) == {-signal.SIGKILL}
    assert row["inference_stats"]["success"]["count"] >= statuses["200"] + statuses["OK"]
    return statuses, {"swaps": len(loads), "killed": len(killed), "slow": len(slow)}, memory


def test_a_load_with_all_troubles(tmp_path):
    statuses, troubles, _ = burdened(tmp_path, [1200], 1200, 200)
    assert sum(statuses.values()) == 1200
    assert set(statuses) >= {"200", "OK", "cut", "429"}
    assert min(troubles.values()) > 0


@pytest.mark.long
def test_a_hundred_thousand_requests_with_all_troubles(tmp_path):
    """None is lost or mixed up, and the server needs no more memory than after the first tenth of them."""
    statuses, troubles, memory = burdened(tmp_path, [10_000, 90_000], 700, 200)
    print(statuses, troubles, [size >> 20 for size in memory])
    assert sum(statuses.values()) == 100_000
    assert set(statuses) == {"200", "OK", "cut", "429", "RESOURCE_EXHAUSTED"}
    assert min(troubles.values()) > 20
    assert memory[1] - memory[0] < 32 << 20
