"""Each public method of tritonclient's four clients, with each of its parameters: an answer, or a true refusal.

The methods and parameters are those that the clients have: one that nobody thought of fails here.
"""

import asyncio
import inspect
import json
import queue
import time

import numpy
import pytest
import tritonclient.grpc as rpc
import tritonclient.grpc.aio as rpc_aio
import tritonclient.http as http
import tritonclient.http.aio as http_aio
from google.protobuf import json_format
from tritonclient.grpc import model_config_pb2, service_pb2
from tritonclient.utils import InferenceServerException

import hybridize
from hybridize.serve.oip import ENUMS
from tests.refusals import refusal

CLIENTS = {"http": http, "http_aio": http_aio, "grpc": rpc, "grpc_aio": rpc_aio}
X = numpy.arange(8, dtype="float32").reshape(2, 4)
Y = X * 2 + 1


class Caller:
    """A client of either kind, whose calls are waited for; it knows which parameters it was called with."""

    def __init__(self, kind, server):
        self.kind, self.module = kind, CLIENTS[kind]
        self.rest, self.aio = kind.startswith("http"), kind.endswith("aio")
        self.loop = asyncio.new_event_loop()
        self.passed = {}
        address = server.address if self.rest else server.rpc
        self.client = self.run(self.module.InferenceServerClient, address)

    def run(self, function, /, *args, **kwargs):
        async def awaited():
            outcome = function(*args, **kwargs)
            return await outcome if inspect.isawaitable(outcome) else outcome

        return self.loop.run_until_complete(awaited())

    def __call__(self, name, /, *args, **kwargs):
        method = getattr(self.client, name)
        self.passed.setdefault(name, set()).update(inspect.signature(method).bind(*args, **kwargs).arguments)
        return self.run(method, *args, **kwargs)

    def plain(self, name, /, *args, **kwargs):
        """Call it with the parameters that all calls have; give what it says as a tree."""
        common = {"headers": headers(), **({"query_params": {"a": "b"}} if self.rest else {})}
        if not self.rest:
            common["client_timeout"] = 20
        if "as_json" in inspect.signature(getattr(self.client, name)).parameters:
            common["as_json"] = True
            self(name, *args, **kwargs, **{**common, "as_json": False})
        answer = self(name, *args, **kwargs, **common)
        return answer if not hasattr(answer, "DESCRIPTOR") else json_format.MessageToDict(answer)

    def refused(self, text, name, /, *args, code="UNIMPLEMENTED", **kwargs):
        with refusal(InferenceServerException, text) as error:
            self.plain(name, *args, **kwargs)
        status = {"UNIMPLEMENTED": "501", "INVALID_ARGUMENT": "400"}[code] if self.rest else f"StatusCode.{code}"
        assert str(error.value.status()) == status

    def tensors(self, *names, value=X, **options):
        tensors = []
        for name in names or ("x",):
            tensors.append(self.module.InferInput(name, value.shape, "FP32"))
            tensors[-1].set_data_from_numpy(value, **options)
        return tensors

    def close(self):
        self.run(self.client.close)
        self.loop.close()


def headers():
    """Headers of a request; the clients write into them."""
    return {"x-request-id": "mine"}


def number(word):
    """A number of a tree; JSON of protobuf has those of 64 bits as strings."""
    return int(word)


def lives(call):
    assert call.plain("is_server_live") is True
    assert call.plain("is_server_ready") is True
    assert call.plain("is_model_ready", "scaled", model_version="1") is True


def server_metadata(call):
    """The extensions are those whose calls are answered, as the other checks of this table see."""
    assert call.plain("get_server_metadata") == {
        "name": "hybridize", "version": hybridize.__version__,
        "extensions": ["binary_tensor_data", "model_configuration", "model_repository",
                       "model_repository(unload_dependents)", "statistics"],
    }  # fmt: skip


def model_metadata(call):
    tree = call.plain("get_model_metadata", "scaled", model_version="1")
    (entry,) = tree["inputs"]
    assert (entry["name"], entry["datatype"], [*map(number, entry["shape"])]) == ("x", "FP32", [-1, 4])


def model_config(call):
    tree = call.plain("get_model_config", "pair", model_version="1")
    tree = tree if call.rest else tree["config"]
    ports = [
        (one["name"], one["data_type"], [*map(number, one.get("dims", ()))]) for one in tree["input"] + tree["output"]
    ]
    assert ports == [("a", "TYPE_FP32", [3]), ("b", "TYPE_FP32", [3]), ("sum", "TYPE_FP32", [3]), ("count", "TYPE_INT64", [])]  # fmt: skip
    assert (tree["name"], tree["platform"], tree["backend"]) == ("pair", "hybridize_archive", "hybridize")
    assert (tree["max_batch_size"], tree["version_policy"]) == (8, {"latest": {"num_versions": 1}})
    assert number(tree["dynamic_batching"]["max_queue_delay_microseconds"]) == 1500


def statistics(call):
    """Counts and times are those of what was asked meanwhile: three times two rows, and one bad request."""

    def counted():
        (tree,) = call.plain("get_inference_statistics", model_name="scaled", model_version="1")["model_stats"]
        parts = {word: (number(one.get("count", 0)), number(one.get("ns", 0))) for word, one in tree["inference_stats"].items()}  # fmt: skip
        batches = {
            number(one["batch_size"]): (number(one["compute_infer"]["count"]), number(one["compute_infer"]["ns"]))
            for one in tree.get("batch_stats", ())
        }
        totals = {word: number(tree.get(word, 0)) for word in ("inference_count", "execution_count", "last_inference")}
        return totals, parts, batches

    (totals, parts, batches), begin = counted(), time.time()
    for _ in range(3):
        call("infer", "scaled", call.tensors())
    with pytest.raises(InferenceServerException, match="no input 'y'"):
        call("infer", "scaled", call.tensors("y"))
    seconds = time.time() - begin
    totals_, parts_, batches_ = counted()
    assert totals_["inference_count"] - totals["inference_count"] == 6
    assert totals_["execution_count"] - totals["execution_count"] == 3
    assert begin - 0.01 <= totals_["last_inference"] / 1e3 <= time.time()
    counts = {word: parts_[word][0] - parts[word][0] for word in parts_}
    times = {word: parts_[word][1] - parts[word][1] for word in parts_}
    assert (counts.pop("fail"), counts.pop("cache_hit"), counts.pop("cache_miss")) == (1, 0, 0)
    assert set(counts.values()) == {3}
    assert 0 < times["queue"] + times["compute_infer"] <= times["success"] <= seconds * 1e9
    assert times["queue"] >= 3 * 1_500_000, "each waits so long for others, as --max-wait-us says"
    assert batches_[2][0] - batches.get(2, (0, 0))[0] == 3
    assert batches_[2][1] - batches.get(2, (0, 0))[1] == times["compute_infer"]
    everything = call.plain("get_inference_statistics")["model_stats"]
    assert {"pair", "scaled"} <= {one["name"] for one in everything}
    with pytest.raises(InferenceServerException, match="there is no model 'nobody'"):
        call("get_inference_statistics", "nobody")


def repository(call):
    index = call.plain("get_model_repository_index")
    assert "net" in [one["name"] for one in (index if call.rest else index["models"])]
    call.plain("unload_model", "net", unload_dependents=True)
    assert not call("is_model_ready", "net")
    call.plain("load_model", "net")
    assert call("is_model_ready", "net")
    for options in ({"config": "{}"}, {"config": "{}", "files": {"file:1/model.onnx": b"x"}}):
        call.refused("would replace what the operator named", "load_model", "net", code="INVALID_ARGUMENT", **options)


def settings(call):
    text = "traces are not served"
    call.refused(text, "get_trace_settings", model_name="net")
    call.refused(text, "get_trace_settings")
    call.refused(text, "update_trace_settings", model_name="net", settings={"trace_level": ["OFF"]})
    call.refused("hybridize serve --log does", "get_log_settings")
    call.refused("hybridize serve --log does", "update_log_settings", {"log_info": True})


def shared_memory(call):
    text = "shared memory is not served"
    call.refused(text, "register_system_shared_memory", "region", "/key", 64, offset=0)
    call.refused(text, "register_cuda_shared_memory", "region", b"aGFuZGxl", 0, 64)
    for kind in ("system", "cuda"):
        for region in ("", "region"):
            call.refused(text, f"get_{kind}_shared_memory_status", region_name=region)
            call.refused(text, f"unregister_{kind}_shared_memory", name=region)
    (tensor,) = call.tensors()
    tensor.set_shared_memory("region", 32)
    call.refused("'shared_memory_region'", "infer", "scaled", [tensor])
    output = call.module.InferRequestedOutput("output")
    output.set_shared_memory("region", 32)
    call.refused("'shared_memory_region'", "infer", "scaled", call.tensors(), outputs=[output])


def asked(call, name, ask):
    """Check the parameters that each way of asking has; `ask` gives the result, or raises."""
    module = call.module
    ways = (
        ("request_compression_algorithm", "response_compression_algorithm") if call.rest else ("compression_algorithm",)
    )
    for way in (None, "gzip", "deflate"):
        options = {} if name == "async_stream_infer" else dict.fromkeys(ways, way)
        answer = ask(
            "scaled", call.tensors(), model_version="1", outputs=[module.InferRequestedOutput("output")],
            request_id="mine", priority=0, timeout=20_000_000, parameters={"of mine": "is not looked at"}, **options,
        )  # fmt: skip
        numpy.testing.assert_array_equal(answer.as_numpy("output"), Y)
        tree = answer.get_response()
        assert (tree if call.rest else json_format.MessageToDict(tree))["id"] == "mine"
    for options, word in (
        ({"priority": 1}, "priority"),
        ({"sequence_id": 7}, "sequence_id"),
        ({"sequence_id": "seven", "sequence_start": True, "sequence_end": True}, "sequence_id"),
        ({"outputs": [module.InferRequestedOutput("output", class_count=2)]}, "classification"),
    ):
        with refusal(InferenceServerException, f"'{word}' asks for what this server does not do"):
            ask("scaled", call.tensors(), **options)
    strings = module.InferInput("x", (1,), "BYTES")
    strings.set_data_from_numpy(numpy.array([b"word"], object))
    with refusal(InferenceServerException, "strings"):
        ask("scaled", [strings])


def infer(call):
    common = {"query_params": {"a": ["b", "c"]}} if call.rest else {"client_timeout": 20}
    asked(call, "infer", lambda *args, **options: call("infer", *args, **options, **common, headers=headers()))
    a = numpy.ones((2, 3), "float32")
    names = ["count", "sum"]
    outputs = [call.module.InferRequestedOutput(name) for name in names]
    answer = call("infer", "pair", call.tensors("a", "b", value=a), outputs=outputs)
    tree = answer.get_response()
    assert [one["name"] for one in (tree if call.rest else json_format.MessageToDict(tree))["outputs"]] == names
    numpy.testing.assert_array_equal(answer.as_numpy("count"), [3, 3])
    if call.rest:  # numbers as JSON, in and out
        wanted = [call.module.InferRequestedOutput("output", binary_data=False)]
        answer = call("infer", "scaled", call.tensors(binary_data=False), outputs=wanted)
        numpy.testing.assert_array_equal(answer.as_numpy("output"), Y)


def async_infer(call):
    if call.rest:

        def later(*args, **more):
            return call("async_infer", *args, headers=headers(), query_params={"a": "b"}, **more).get_result()

        asked(call, "async_infer", later)
        return

    def ask(*args, **more):
        answers = queue.Queue()
        call("async_infer", *args, callback=lambda result, error: answers.put((result, error)), headers=headers(),
             client_timeout=20, **more)  # fmt: skip
        result, error = answers.get(timeout=20)
        if error is not None:
            raise error
        return result

    asked(call, "async_infer", ask)


def streams(call):
    text = "ModelInfer takes the same requests"
    if call.aio:

        async def requests():
            yield {"model_name": "scaled", "inputs": call.tensors()}

        async def first():
            stream = call.client.stream_infer(
                requests(), stream_timeout=20, headers=headers(), compression_algorithm="gzip"
            )
            async for _ in await stream if inspect.isawaitable(stream) else stream:
                pass

        call.passed["stream_infer"] = set(inspect.signature(call.client.stream_infer).parameters)
        with refusal(Exception, text):
            call.run(first)
        return
    answers = queue.Queue()
    call("start_stream", lambda result, error: answers.put((result, error)), stream_timeout=20, headers=headers(),
         compression_algorithm="gzip")  # fmt: skip
    call(
        "async_stream_infer", "scaled", call.tensors(), model_version="1", request_id="mine", outputs=None, sequence_id=0,
        sequence_start=False, sequence_end=False, enable_empty_final_response=True, priority=0, timeout=1000, parameters={},
    )  # fmt: skip
    result, error = answers.get(timeout=20)
    assert result is None
    assert text in str(error)
    call("stop_stream", cancel_requests=True)


def bodies(call):
    """What the client makes without sending it, sent by another, and read."""
    outputs = [call.module.InferRequestedOutput("output")]
    body, length = call.client.generate_request_body(
        call.tensors(), outputs, "mine", 0, False, False, 0, 20_000_000, {"a": 1}
    )
    status, fields, content = call.server.ask(
        "/v2/models/scaled/infer", body, {"Inference-Header-Content-Length": str(length), "Accept-Encoding": "gzip"}
    )
    assert status == 200
    answer = call.client.parse_response_body(
        content, verbose=False, header_length=int(fields["inference-header-content-length"]),
        content_encoding=fields["content-encoding"],
    )  # fmt: skip
    numpy.testing.assert_array_equal(answer.as_numpy("output"), Y)
    for name in ("generate_request_body", "parse_response_body"):
        call.passed[name] = set(inspect.signature(getattr(call.client, name)).parameters)


def plugins(call):
    """A plugin changes the headers of requests: here the token, as a password."""
    auth = __import__(f"tritonclient.{'http' if call.rest else 'grpc'}.auth", fromlist=["BasicAuth"])
    with pytest.raises(InferenceServerException, match="asks for its token"):
        call("get_server_metadata")
    one = auth.BasicAuth("anybody", "secret")
    call("register_plugin", one)
    assert call("plugin") is one
    call.plain("get_server_metadata")
    call("unregister_plugin")
    with pytest.raises(InferenceServerException, match="asks for its token"):
        call("get_server_metadata")


CHECKS = {
    lives: "is_server_live is_server_ready is_model_ready",
    server_metadata: "get_server_metadata",
    model_metadata: "get_model_metadata",
    model_config: "get_model_config",
    statistics: "get_inference_statistics",
    repository: "get_model_repository_index load_model unload_model",
    settings: "get_trace_settings update_trace_settings get_log_settings update_log_settings",
    shared_memory: "register_system_shared_memory register_cuda_shared_memory get_system_shared_memory_status "
    "get_cuda_shared_memory_status unregister_system_shared_memory unregister_cuda_shared_memory",
    infer: "infer",
    async_infer: "async_infer",
    streams: "start_stream stop_stream async_stream_infer stream_infer",
    bodies: "generate_request_body parse_response_body",
    plugins: "plugin register_plugin unregister_plugin",
}
"""What is checked of which methods. `close` ends each of the checks."""


def methods(kind):
    client = CLIENTS[kind].InferenceServerClient
    return {name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))} - {"close"}


CASES = [
    (kind, check)
    for kind in CLIENTS
    for check, words in CHECKS.items()
    if methods(kind) & {*words.split()}
]  # fmt: skip


@pytest.fixture(scope="module")
def batching(models, running):
    with running(*(models / name for name in ("scaled", "net", "pair")), max_batch=8, max_wait_us=1500) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(models, running):
    with running(models / "scaled", token="secret") as server:
        yield server


@pytest.mark.parametrize("kind", CLIENTS)
def test_no_method_is_left_out(kind):
    assert methods(kind) <= {name for words in CHECKS.values() for name in words.split()}


@pytest.mark.parametrize(("kind", "check"), CASES, ids=[f"{kind} {check.__name__}" for kind, check in CASES])
def test_methods(kind, check, batching, guarded):
    call = Caller(kind, guarded if check is plugins else batching)
    call.server = batching
    try:
        check(call)
        for name in methods(kind) & {*CHECKS[check].split()}:
            left = set(inspect.signature(getattr(call.client, name)).parameters) - call.passed[name]
            assert not left, f"{name}: nobody has tried {left}"
    finally:
        call.close()
    assert batching.lines.objects("defect") == []


def test_compressed_messages_are_not_larger_than_allowed(models, running):
    """The limit is on what a message becomes: gzip makes little of much."""
    with running(models / "scaled", max_body=100_000) as server, rpc.InferenceServerClient(server.rpc) as client:
        tensor = rpc.InferInput("x", (100_000, 4), "FP32")
        tensor.set_data_from_numpy(numpy.zeros((100_000, 4), "float32"))
        with pytest.raises(InferenceServerException, match=r"(?i)max"):
            client.infer("scaled", [tensor], compression_algorithm="gzip")


def test_the_configuration_without_batches(serving):
    """All axes are said, and no batches."""
    tree = json.loads(serving.ask("/v2/models/scaled/config")[2])
    assert (tree["max_batch_size"], "dynamic_batching" in tree) == (0, False)
    assert tree["input"] == [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1, 4]}]


def test_the_enumeration_is_that_of_the_client():
    values = model_config_pb2.DESCRIPTOR.enum_types_by_name["DataType"].values
    assert {(value.name, value.number) for value in values} == {(word, k) for k, word in enumerate(ENUMS["DataType"])}
    assert service_pb2.DESCRIPTOR.package == model_config_pb2.DESCRIPTOR.package
