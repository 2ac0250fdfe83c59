"""The Open Inference Protocol as clients that are not ours speak it, and what its words say."""

import json
import struct

import grpc
import numpy
import pytest
import tritonclient.grpc as rpc
import tritonclient.http as http
from google.protobuf import descriptor_pb2, json_format
from tritonclient.grpc import model_config_pb2, service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

import hybridize
from hybridize.serve import oip
from hybridize.serve.extensions import REFUSED_METHODS


@pytest.fixture(params=["http", "grpc"])
def client(request, serving):
    """A client, and the module of its words."""
    module = http if request.param == "http" else rpc
    one = module.InferenceServerClient(serving.address if module is http else serving.rpc)
    yield one, module
    one.close()


def asked(client, module, model, arrays, **options):
    words = {"float32": "FP32", "int64": "INT64"}
    inputs = []
    for name, array in arrays.items():
        inputs.append(module.InferInput(name, array.shape, words[array.dtype.name]))
        inputs[-1].set_data_from_numpy(array)
    return client.infer(model, inputs, **options)


def plain(message):
    """What a message of protobuf or an object of JSON says."""
    if isinstance(message, (dict, list)):
        return message
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def test_health(client):
    one, _ = client
    assert one.is_server_live()
    assert one.is_server_ready()
    assert one.is_model_ready("net")
    assert one.is_model_ready("net", "1")


def test_metadata(client):
    one, _ = client
    server, model = plain(one.get_server_metadata()), plain(one.get_model_metadata("pair"))
    assert (server["name"], server["version"]) == ("hybridize", hybridize.__version__)
    assert "binary_tensor_data" in server["extensions"]
    assert (model["name"], model["versions"], model["platform"]) == ("pair", ["1"], "hybridize_archive")
    assert [port["name"] for port in model["inputs"]] == ["a", "b"]
    assert [(port["name"], port["datatype"]) for port in model["outputs"]] == [("sum", "FP32"), ("count", "INT64")]
    assert [list(map(int, port["shape"])) for port in model["inputs"]] == [[-1, 3], [-1, 3]]


@pytest.mark.parametrize("model", ["net", "exported", "graph"])
def test_formats_give_the_numbers_of_load(client, model, models, rows):
    path = {"net": "net", "exported": "exported", "graph": "graph.onnx"}[model]
    expected = hybridize.load(models / path)(hybridize.np.array(rows)).asnumpy()
    one, module = client
    metadata = plain(one.get_model_metadata(model))
    (entry,), (exit,) = metadata["inputs"], metadata["outputs"]
    answer = asked(one, module, model, {entry["name"]: rows}, request_id="of mine")
    numpy.testing.assert_allclose(answer.as_numpy(exit["name"]), expected, 1e-5, 1e-5)
    assert plain(answer.get_response())["id"] == "of mine"


def test_several_tensors_and_chosen_outputs(client):
    one, module = client
    a, b = numpy.arange(6, dtype="float32").reshape(2, 3), numpy.full((2, 3), 0.5, "float32")
    answer = asked(one, module, "pair", {"b": b, "a": a})
    numpy.testing.assert_array_equal(answer.as_numpy("sum"), a + b)
    numpy.testing.assert_array_equal(answer.as_numpy("count"), [2, 3])
    chosen = asked(one, module, "pair", {"a": a, "b": b}, outputs=[module.InferRequestedOutput("count")])
    assert chosen.as_numpy("sum") is None
    numpy.testing.assert_array_equal(chosen.as_numpy("count"), [2, 3])


@pytest.mark.parametrize("way", ["", "gzip", "deflate"])
def test_numbers_as_json_and_compressed(serving, rows, way):
    one = http.InferenceServerClient(serving.address)
    big = numpy.tile(rows, (100, 1))
    tensor = http.InferInput("x", big.shape, "FP32")
    tensor.set_data_from_numpy(big, binary_data=False)
    wanted = [http.InferRequestedOutput("output", binary_data=False)]
    answer = one.infer("scaled", [tensor], outputs=wanted, request_compression_algorithm=way or None,
                       response_compression_algorithm=way or None)  # fmt: skip
    numpy.testing.assert_array_equal(answer.as_numpy("output"), big * 2 + 1)
    one.close()


def test_errors_of_clients_name_the_thing(client, rows):
    one, module = client
    cases = {
        "there is no model 'nobody'": ("nobody", {"x": rows}, {}),
        "has no input 'y'; it takes x": ("scaled", {"y": rows}, {}),
        "input 'b' of pair version 1 is missing": ("pair", {"a": rows[:, :3]}, {}),
        "is FP32, got INT64": ("scaled", {"x": rows.astype("int64")}, {}),
        "has the shape [-1, 4], got [3, 2]": ("scaled", {"x": numpy.ascontiguousarray(rows[:, :2])}, {}),
        "version '7'": ("scaled", {"x": rows}, {"model_version": "7"}),
        "has no output 'none'": ("scaled", {"x": rows}, {"outputs": [module.InferRequestedOutput("none")]}),
    }
    for text, (model, arrays, options) in cases.items():
        with pytest.raises(InferenceServerException) as error:
            asked(one, module, model, arrays, **options)
        assert text in str(error.value)


def test_repository(client):
    one, _ = client
    index = plain(one.get_model_repository_index())
    index = index["models"] if isinstance(index, dict) else index
    assert {row["name"]: row["state"] for row in index}["pair"] == "READY"
    one.unload_model("pair")
    assert not one.is_model_ready("pair")
    one.load_model("pair")
    assert one.is_model_ready("pair")
    for name in ("../../etc/passwd", "%2e%2e%2fpasswd", "/etc/passwd", ".", "net\0"):
        with pytest.raises(InferenceServerException, match=r"there is no model|this server has no"):
            one.load_model(name)
    with pytest.raises(InferenceServerException, match="replace what the operator named"):
        one.load_model("pair", config="{}")


def test_a_mean_json_body(serving):
    """As the protocol's own examples: nested data, NaN, an id that is repeated."""
    x = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    body = {"id": "42", "inputs": [{"name": "x", "shape": [2, 4], "datatype": "FP32", "data": x}]}
    status, headers, answer = serving.ask("/v2/models/scaled/versions/1/infer", body, {"X-Request-Id": "mine"})
    assert status == 200
    assert headers["x-request-id"] == "mine"
    assert json.loads(answer) == {
        "model_name": "scaled", "model_version": "1", "id": "42",
        "outputs": [{"name": "output", "datatype": "FP32", "shape": [2, 4], "data": [3, 5, 7, 9, 11, 13, 15, 17]}],
    }  # fmt: skip
    body["inputs"][0]["data"] = [float("nan")] * 8
    status, _, answer = serving.ask("/v2/models/scaled/infer", body)
    assert status == 200
    assert numpy.isnan(json.loads(answer)["outputs"][0]["data"]).all()


def tensor(**changes):
    return {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4], **changes}


BAD = {
    "no JSON": b"{",
    "must be a JSON object": [1],
    "inputs must be a list": {"inputs": {}},
    "an input must be an object": {"inputs": [3]},
    "datatype 'F32'": {"inputs": [tensor(datatype="F32")]},
    "strings (BYTES)": {"inputs": [tensor(datatype="BYTES")]},
    "sizes from 0 on": {"inputs": [tensor(shape=[-1, 4])]},
    "got [1, 1.5]": {"inputs": [tensor(shape=[1, 1.5])]},
    "got [True, 4]": {"inputs": [tensor(shape=[True, 4])]},
    "at most 32 axes": {"inputs": [tensor(shape=[2**41])]},
    "is 4 numbers, and 3 numbers": {"inputs": [tensor(data=[1, 2, 3])]},
    "data is strings": {"inputs": [tensor(data=["1", "2", "3", "4"])]},
    "flat or nested": {"inputs": [tensor(data=[[1, 2], [3]])]},
    "data of shape [2, 2]": {"inputs": [tensor(data=[[1, 2], [3, 4]])]},
    "neither data nor": {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32"}]},
    "input 'x' is there twice": {"inputs": [tensor(), tensor()]},
    "id must be a string": {"id": 3, "inputs": [tensor()]},
    "timeout needs microseconds": {"inputs": [tensor()], "parameters": {"timeout": "soon"}},
    "parameters must be an object": {"inputs": [tensor()], "parameters": []},
    "parameter 'classification'": {"inputs": [tensor()], "outputs": [{"name": "output", "parameters": {"classification": 3}}]},
    "'shared_memory_region'": {"inputs": [tensor(parameters={"shared_memory_region": "etc"})]},
    "outputs must be a list": {"inputs": [tensor()], "outputs": ["output"]},
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_bodies_are_named(serving, text):
    status, _, answer = serving.ask("/v2/models/scaled/infer", BAD[text])
    assert status in (400, 501)
    assert text in json.loads(answer)["error"]


def test_integers_are_not_cut(serving):
    for datatype, number in (("INT32", 2**40), ("UINT8", -1), ("INT64", 1.5), ("BOOL", 1)):
        status, _, answer = serving.ask(
            "/v2/models/scaled/infer", {"inputs": [tensor(datatype=datatype, data=[number] * 4)]}
        )
        assert (status, datatype in json.loads(answer)["error"]) == (400, True)


def binary(header, tail, **headers):
    head = json.dumps(header).encode()
    return head + tail, {"Inference-Header-Content-Length": str(len(head)), **headers}


@pytest.mark.parametrize(
    ("size", "tail", "text"),
    [
        (16, b"\0" * 15, "says 16 bytes of binary data, and 15 are left"),
        (16, b"\0" * 20, "4 bytes follow the tensors"),
        (12, b"\0" * 12, "is 16 bytes; got 12"),
        (-1, b"", "a number of bytes"),
        (1.5, b"", "a number of bytes"),
    ],
)
def test_binary_tensors_that_are_cut(serving, size, tail, text):
    one = {key: value for key, value in tensor(parameters={"binary_data_size": size}).items() if key != "data"}
    body, headers = binary({"inputs": [one]}, tail)
    status, _, answer = serving.ask("/v2/models/scaled/infer", body, headers)
    assert status == 400
    assert text in json.loads(answer)["error"]


@pytest.mark.parametrize("length", ["99999", "-1", "x", "1" * 50])
def test_a_header_length_that_is_wrong(serving, length):
    status, _, answer = serving.ask("/v2/models/scaled/infer", b"{}", {"Inference-Header-Content-Length": length})
    assert status == 400
    assert "Inference-Header-Content-Length" in json.loads(answer)["error"]


def test_binary_in_json_out_and_the_other_way(serving):
    one = {key: value for key, value in tensor(parameters={"binary_data_size": 16}).items() if key != "data"}
    body, headers = binary({"inputs": [one]}, struct.pack("<4f", 1, 2, 3, 4))
    status, _, answer = serving.ask("/v2/models/scaled/infer", body, headers)
    assert json.loads(answer)["outputs"][0]["data"] == [3, 5, 7, 9]
    status, headers, answer = serving.ask(
        "/v2/models/scaled/infer", {"inputs": [tensor()], "parameters": {"binary_data_output": True}}
    )
    length = int(headers["Inference-Header-Content-Length"])
    assert json.loads(answer[:length])["outputs"][0]["parameters"] == {"binary_data_size": 16}
    assert struct.unpack("<4f", answer[length:]) == (3, 5, 7, 9)
    assert status == 200


@pytest.mark.parametrize(
    ("path", "status"), [("/v2/nothing", 404), ("/v2/models/net/infer", 405), ("/v2/repository/index", 405)]
)
def test_other_paths_and_methods(serving, path, status):
    code, _, answer = serving.ask(path)
    assert code == status
    assert "error" in json.loads(answer)


def fields(message):
    """Names, numbers and types of a message's fields, and of the messages within it."""
    return {
        (field.name, field.number, field.type, field.label, field.type_name, field.HasField("oneof_index"))
        for field in message.field
    }, {inner.name: fields(inner) for inner in message.nested_type}


PARTS = {"ModelConfig", "ModelVersionPolicy", "ModelInput", "ModelOutput", "ModelDynamicBatching", "ModelStatistics"}
"""Messages of Triton's that have fields of what is not served."""
OF_KSERVE = {("model_name", 1), ("isLoaded", 2), ("isUnloaded", 2), ("properties", 6)}
"""Fields of the protocol's and KServe's that Triton's messages lack."""


def test_the_messages_are_those_of_the_client():
    known = {}
    for module in (service_pb2, model_config_pb2):
        theirs = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(theirs)
        known |= {one.name: one for one in theirs.message_type}
    for own in oip._described().message_type:
        here, there = fields(own), fields(known[own.name])
        extra = {
            field for field in here[0] if field[:2] in OF_KSERVE and own.name.startswith(("Repository", "ModelMeta"))
        }
        plain = here[0] - extra, {name: one for name, one in here[1].items() if name != "PropertiesEntry"}
        if own.name in PARTS:
            assert plain[0] <= there[0], own.name
            assert all(there[1][name] == one for name, one in plain[1].items())
        else:
            assert plain == there, own.name
    (service,) = service_pb2.DESCRIPTOR.services_by_name.values()
    assert {*oip.METHODS, *REFUSED_METHODS} == {method.name for method in service.methods}


def test_typed_contents_of_grpc(serving):
    """As KServe's own clients send numbers: not as bytes; the answer has numbers, too."""

    request = service_pb2.ModelInferRequest(model_name="scaled", id="7")
    one = request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
    one.contents.fp32_contents.extend([1, 2, 3, 4])
    with grpc.insecure_channel(serving.rpc) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        answer = stub.ModelInfer(request)
        assert (answer.id, list(answer.outputs[0].contents.fp32_contents)) == ("7", [3, 5, 7, 9])
        one.contents.fp32_contents.append(5)
        with pytest.raises(grpc.RpcError) as error:
            stub.ModelInfer(request)
        assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "is 4 numbers, and 5 in fp32_contents" in error.value.details()


def test_half_of_a_surrogate_pair(serving):
    """JSON can bring what UTF-8 cannot: in a name, an id, a parameter; NaN leads to the reader that lets it in."""
    for change in ({"name": "\ud800"}, {"datatype": "\ud800"}, {"shape": ["\ud800"]}):
        status, _, answer = serving.ask(
            "/v2/models/scaled/infer", {"inputs": [tensor(data=[float("nan")] * 4, **change)]}
        )
        assert status == 400
        assert json.loads(answer)["error"]
    status, _, answer = serving.ask(
        "/v2/models/scaled/infer", {"id": "\ud800", "inputs": [tensor(data=[float("nan")] * 4)]}
    )
    assert (status, json.loads(answer)["id"]) == (200, "?")
    assert serving.lines.objects("defect") == []
