"""A process of clients for the load tests: requests at their times, whether others are answered or not.

`python -m tests.serve.load_client '{"rest": port, "rpc": port, "first": 0, "count": 1000, "rate": 500, "burst": 50, "cut": 0.01}'`
writes a line of JSON: how many requests were sent, answers by status, numbers whose answers are another's.
"""

import asyncio
import json
import random
import socket
import struct
import sys
import time

import grpc
import numpy
from tritonclient.grpc import service_pb2

FACTORS = (2.0, 3.0)
"""What the models that are swapped multiply by."""
_METHOD = "/inference.GRPCInferenceService/ModelInfer"


def values_of(number):
    """The rows of a request, which are its number."""
    return numpy.full((1 + number % 3, 4), number, "float32")


def packed(number):
    """The bytes of a request over REST, with binary tensors."""
    array = values_of(number)
    tail = array.tobytes()
    tensor = {"name": "x", "datatype": "FP32", "shape": array.shape, "parameters": {"binary_data_size": len(tail)}}
    head = json.dumps({"id": str(number), "inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    start = (
        f"POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: {len(head)}\r\n"
        f"Content-Length: {len(head) + len(tail)}\r\n\r\n"
    )
    return start.encode() + head + tail


def message(number):
    """The bytes of a request over gRPC."""
    array = values_of(number)
    request = service_pb2.ModelInferRequest(model_name="m", id=str(number), raw_input_contents=[array.tobytes()])
    request.inputs.add(name="x", datatype="FP32", shape=array.shape)
    return request.SerializeToString()


def right(number, identity, content):
    """Tell whether an answer is that of the request."""
    array = numpy.frombuffer(content, "float32")
    expected = [values_of(number).reshape(-1) * numpy.float32(factor) for factor in FACTORS]
    return identity == str(number) and any(numpy.array_equal(array, one) for one in expected)


async def answered(reader):
    """Status, headers and body of the next answer."""
    head = "http/1.1 100"
    while head.split()[1] == "100":
        head = (await reader.readuntil(b"\r\n\r\n")).lower().decode()
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    return int(head.split()[1]), fields, await reader.readexactly(int(fields["content-length"]))


def reset(writer):
    """Cut a connection as a machine does that goes down: no end, but a reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class Load:
    """The requests of one process, and what became of them."""

    def __init__(self, rest, rpc=None, cut=0.0, seed=7):
        self.rest, self.cut = rest, cut
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{rpc}") if rpc else None
        self.draw = random.Random(seed)
        self.free = []
        self.places = asyncio.Semaphore(1000)  # a machine that is too slow for the rate makes no endless queue here
        self.statuses, self.wrong, self.lost = {}, [], []

    async def run(self, first, count, rate, burst):
        """Send requests in bursts, at this rate in the mean."""
        begin = time.monotonic()
        tasks = set()
        for k in range(count):
            due = begin + k // burst * burst / rate
            if due > time.monotonic():
                await asyncio.sleep(due - time.monotonic())
            await self.places.acquire()
            over_rpc = self.channel is not None and k % 4 == 0
            task = asyncio.create_task(self.over_rpc(first + k) if over_rpc else self.over_rest(first + k))
            tasks.add(task)
            task.add_done_callback(lambda task: (tasks.discard(task), self.places.release()))
        await asyncio.gather(*tasks)
        for reader, writer in self.free:
            writer.write_eof()
            if await asyncio.wait_for(reader.read(), 20):
                self.wrong.append("an answer to nothing")
            writer.close()
        if self.channel is not None:
            await self.channel.close()

    def note(self, status):
        self.statuses[str(status)] = self.statuses.get(str(status), 0) + 1

    async def over_rest(self, number):
        try:
            reader, writer = self.free.pop() if self.free else await asyncio.open_connection("127.0.0.1", self.rest)
            writer.write(packed(number))
            if self.draw.random() < self.cut:
                await writer.drain()
                await asyncio.sleep(self.draw.random() * 0.01)
                reset(writer)
                return self.note("cut")
            status, fields, body = await asyncio.wait_for(answered(reader), 90)
        except (asyncio.IncompleteReadError, OSError, TimeoutError) as error:
            return self.lost.append(f"{number}: {error!r}")
        self.note(status)
        if status == 200:
            length = int(fields["inference-header-content-length"])
            if not right(number, json.loads(body[:length])["id"], body[length:]):
                self.wrong.append(number)
        elif "takes no more" not in json.loads(body)["error"]:
            self.wrong.append(f"{number}: {body[:200]}")
        if fields.get("connection") == "close":
            writer.close()
        else:
            self.free.append((reader, writer))

    async def over_rpc(self, number):
        begin = time.monotonic()
        try:
            content = await self.channel.unary_unary(_METHOD)(message(number), timeout=90)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                return self.lost.append(f"{number} after {time.monotonic() - begin:.3f} s: {error!r}")
            return self.note(error.code().name)
        self.note("OK")
        answer = service_pb2.ModelInferResponse.FromString(content)
        if not right(number, answer.id, answer.raw_output_contents[0]):
            self.wrong.append(number)


async def main(rest, rpc, first, count, rate, burst, cut):
    load = Load(rest, rpc, cut, seed=first)
    await load.run(first, count, rate, burst)
    print(json.dumps({"statuses": load.statuses, "wrong": load.wrong[:20], "lost": load.lost[:20]}))


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
