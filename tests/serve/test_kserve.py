"""Requests as KServe and the protocol's own documents show them, and KServe's own client, against models of these shapes."""

import json
import subprocess
from pathlib import Path

import grpc
import numpy
import onnx
import pytest
from google.protobuf import descriptor_pb2, json_format
from onnx import TensorProto, helper, numpy_helper
from tritonclient.grpc import service_pb2, service_pb2_grpc

import hybridize
from hybridize import np
from hybridize.serve import oip

SERVERS = Path(__file__).parents[2] / ".servers"
WEIGHTS = numpy.random.default_rng(0).normal(size=(4, 3)).astype("float32")
IRIS = [[6.8, 2.8, 4.8, 1.4], [6.0, 3.4, 4.5, 1.6]]
WINE = {"fixed acidity": 7.4, "volatile acidity": 0.7, "citric acid": 0.0, "residual sugar": 1.9, "chlorides": 0.076,
        "free sulfur dioxide": 11, "total sulfur dioxide": 34, "density": 0.9978, "pH": 3.51, "sulphates": 0.56,
        "alcohol": 9.4}  # fmt: skip


def written(path, nodes, inputs, outputs, weights=()):
    """Write a model of ONNX whose inputs and outputs are called as KServe's servers call theirs."""
    ports = [
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in side.items()]
        for side in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, "g", *ports, [numpy_helper.from_array(array, name) for name, array in weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


@pytest.fixture(scope="module")
def kserving(tmp_path_factory, running):
    """A server of models that take what KServe's samples send."""
    at = tmp_path_factory.mktemp("kserve")
    floating, integer = TensorProto.FLOAT, TensorProto.INT64
    node = helper.make_node
    written(
        at / "sklearn-iris.onnx", [node("MatMul", ["input-0", "w"], ["s"]), node("ArgMax", ["s"], ["output-0"], axis=1, keepdims=0)],
        {"input-0": (floating, ["n", 4])}, {"output-0": (integer, ["n"])}, [("w", WEIGHTS)],
    )  # fmt: skip
    written(at / "mnist.onnx", [node("Flatten", ["input-0"], ["output-0"])], {"input-0": (floating, [1, 28, 28])},
            {"output-0": (floating, [1, 784])})  # fmt: skip
    written(at / "cifar10.onnx", [node("GlobalAveragePool", ["INPUT__0"], ["OUTPUT__0"])],
            {"INPUT__0": (floating, ["n", 3, 32, 32])}, {"OUTPUT__0": (floating, ["n", 3, 1, 1])})  # fmt: skip
    written(at / "wine.onnx", [node("Sum", list(WINE), ["quality"])], {name: (floating, [1]) for name in WINE},
            {"quality": (floating, [1])})  # fmt: skip

    @hybridize.hybridize
    def mymodel(input0, input1):
        row = input0[0].astype("float32")
        return {"output0": np.where(input1.reshape(3, 1), row, -row)}

    mymodel(np.ones((2, 2), "uint32"), np.ones(3, "bool"))
    mymodel.save(at / "mymodel")
    with running(at) as server:
        yield server


def asked(server, model, tree):
    status, headers, body = server.ask(f"/v2/models/{model}/infer", tree)
    length = headers.get("inference-header-content-length")
    return status, json.loads(body[: int(length)] if length else body), body[int(length) :] if length else b""


def iris(**more):
    return {"inputs": [{"name": "input-0", "shape": [2, 4], "datatype": "FP32", "data": IRIS}], **more}


CLASSES = (numpy.array(IRIS, "float32") @ WEIGHTS).argmax(1)


def test_the_iris_of_all_samples(kserving):
    status, answer, _ = asked(kserving, "sklearn-iris", iris())
    assert (status, answer) == (200, {
        "model_name": "sklearn-iris", "model_version": "1",
        "outputs": [{"name": "output-0", "datatype": "INT64", "shape": [2], "data": CLASSES.tolist()}],
    })  # fmt: skip


@pytest.mark.parametrize("more", [
    {"parameters": {"binary_data_output": True}},
    {"outputs": [{"name": "output-0", "parameters": {"binary_data": True}}]},
])  # fmt: skip
def test_the_iris_with_bytes_as_the_answer(kserving, more):
    status, answer, tail = asked(kserving, "sklearn-iris", iris(**more))
    assert (status, answer["outputs"][0]["parameters"]) == (200, {"binary_data_size": 16})
    numpy.testing.assert_array_equal(numpy.frombuffer(tail, "int64"), CLASSES)


def test_the_iris_over_grpc(kserving):
    tree = {"model_name": "sklearn-iris", "inputs": [
        {"name": "input-0", "shape": [2, 4], "datatype": "FP32", "contents": {"fp32_contents": IRIS[0] + IRIS[1]}}]}  # fmt: skip
    with grpc.insecure_channel(kserving.rpc) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        answer = stub.ModelInfer(json_format.ParseDict(tree, service_pb2.ModelInferRequest()))
    assert list(answer.outputs[0].contents.int64_contents) == CLASSES.tolist()


def test_images(kserving):
    image = numpy.random.default_rng(1).uniform(size=(1, 28, 28)).round(4)
    tree = {"id": "d3b15cad-50a2-4eaf-80ce-8b0a428bd298",
            "inputs": [{"name": "input-0", "shape": [1, 28, 28], "datatype": "FP32", "data": image.tolist()}]}  # fmt: skip
    status, answer, _ = asked(kserving, "mnist", tree)
    assert (status, answer["id"], answer["outputs"][0]["shape"]) == (200, tree["id"], [1, 784])
    numpy.testing.assert_array_equal(numpy.float32(answer["outputs"][0]["data"]), numpy.float32(image.reshape(-1)))
    image = numpy.random.default_rng(2).uniform(size=(1, 3, 32, 32))
    tree = {"inputs": [{"name": "INPUT__0", "shape": [1, 3, 32, 32], "datatype": "FP32", "data": image.tolist()}]}
    status, answer, _ = asked(kserving, "cifar10", tree)
    assert (status, answer["outputs"][0]["name"], answer["outputs"][0]["shape"]) == (200, "OUTPUT__0", [1, 3, 1, 1])
    numpy.testing.assert_allclose(answer["outputs"][0]["data"], image.mean((0, 2, 3)), 1e-5)


def test_a_column_an_input(kserving):
    """As MLflow's models are asked: names with spaces, a parameter for MLServer's codecs."""
    columns = [{"name": name, "shape": [1], "datatype": "FP32", "data": [value]} for name, value in WINE.items()]
    status, answer, _ = asked(kserving, "wine", {"parameters": {"content_type": "pd"}, "inputs": columns})
    assert status == 200
    numpy.testing.assert_allclose(answer["outputs"][0]["data"], [sum(WINE.values())], 1e-6)


def test_the_example_of_the_protocol(kserving):
    """Its second input says three elements and brings one: refused; with three it is answered."""
    tree = {"id": "42", "outputs": [{"name": "output0"}], "inputs": [
        {"name": "input0", "shape": [2, 2], "datatype": "UINT32", "data": [1, 2, 3, 4]},
        {"name": "input1", "shape": [3], "datatype": "BOOL", "data": [True]},
    ]}  # fmt: skip
    status, answer, _ = asked(kserving, "mymodel", tree)
    assert (status, answer["error"]) == (400, "input 'input1' has the shape [3], which is 3 numbers, and 1 numbers")
    tree["inputs"][1]["data"] = [True, False, True]
    status, answer, _ = asked(kserving, "mymodel", tree)
    (output,) = answer["outputs"]
    assert (status, answer["id"], output["shape"], output["datatype"]) == (200, "42", [3, 2], "FP32")
    assert output["data"] == [1, 2, -1, -2, 1, 2]


@pytest.mark.parametrize(
    ("shape", "data"), [([], ["Hello, my dog is cute."]), (-1, "iVBORw0KGgo="), ([1], ["/9j/4AAQ"])]
)
def test_strings_are_refused(kserving, shape, data):
    tree = {"inputs": [{"name": "input-0", "shape": shape, "datatype": "BYTES", "data": data}]}
    status, answer, _ = asked(kserving, "mnist", tree)
    assert (status, "has strings (BYTES); models here take" in answer["error"]) == (400, True)


def test_the_list_of_models_and_answers_to_probes(kserving):
    assert json.loads(kserving.ask("/v2/models")[2]) == {
        "models": ["cifar10", "mnist", "mymodel", "sklearn-iris", "wine"]
    }
    assert json.loads(kserving.ask("/v2/health/live")[2]) == {"live": True}
    assert json.loads(kserving.ask("/v2/health/ready")[2]) == {"ready": True}
    assert json.loads(kserving.ask("/v2/models/mnist/ready")[2]) == {"name": "mnist", "ready": True}
    assert json.loads(kserving.ask("/v2/repository/models/mnist/load", b"")[2]) == {"name": "mnist", "load": True}


def test_repositories_as_kserve_numbers_their_fields(kserving):
    """Its messages have the name of the model in the field that Triton's have the repository's in."""
    with grpc.insecure_channel(kserving.rpc) as channel:
        for word, flag in (("Unload", "isUnloaded"), ("Load", "isLoaded")):
            call = channel.unary_unary(f"/{oip.SERVICE}/RepositoryModel{word}")
            answer = oip.message(f"RepositoryModel{word}Response").FromString(call(b"\n\x04wine"))
            assert (answer.model_name, getattr(answer, flag)) == ("wine", True)


CLIENT = """
import asyncio, sys, json
from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferOutput, InferRequest, RESTConfig
from kserve.protocol.infer_type import RequestedOutput
import numpy

iris = numpy.array(json.loads(sys.argv[3]), "float32")

def request(binary, **more):
    entry = InferInput("input-0", [2, 4], "FP32")
    entry.set_data_from_numpy(iris, binary_data=binary)
    return InferRequest("sklearn-iris", [entry], **more)

async def main():
    rest = InferenceRESTClient(RESTConfig(protocol="v2"))
    base = "http://" + sys.argv[1]
    assert await rest.is_server_live(base) and await rest.is_server_ready(base)
    assert await rest.is_model_ready(base, "sklearn-iris") and not await rest.is_model_ready(base, "nobody")
    answers = []
    for binary in (False, True):
        wanted = [RequestedOutput("output-0", parameters={"binary_data": binary})]
        for more in ({}, {"request_outputs": wanted}, {"parameters": {"binary_data_output": True}}):
            answer = await rest.infer(base, request(binary, request_id="mine", **more), model_name="sklearn-iris")
            assert answer.id == "mine", answer.id
            answers.append(answer.outputs[0].as_numpy().tolist())
    async with InferenceGRPCClient(sys.argv[2]) as client:
        assert await client.is_server_live() and await client.is_server_ready()
        assert await client.is_model_ready("sklearn-iris")
        for binary in (False, True):
            answer = await client.infer(request(binary, request_id="mine"))
            assert answer.id == "mine"
            answers.append(answer.outputs[0].as_numpy().tolist())
    await rest.close()
    print(json.dumps(answers))

asyncio.run(main())
"""

FIELDS = """
from google.protobuf import descriptor_pb2
from {} import {} as module
file = descriptor_pb2.FileDescriptorProto()
module.DESCRIPTOR.CopyToProto(file)
print(file.SerializeToString().hex())
"""


def run(environment, program, *arguments):
    python = SERVERS / environment / "bin" / "python"
    done = subprocess.run([python, "-c", program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


others = pytest.mark.skipif(not SERVERS.exists(), reason="make test-long installs the other servers")


@pytest.mark.long
@others
def test_the_client_of_kserve(kserving):
    answers = json.loads(run("kserve", CLIENT, kserving.address, kserving.rpc, json.dumps(IRIS)))
    assert answers == [CLASSES.tolist()] * 8


def numbered(messages, path=""):
    """The fields of messages, each with its message, name, number, type and label."""
    for one in messages:
        name = f"{path}{one.name}"
        yield from ((name, field.name, field.number, field.type, field.label) for field in one.field)
        yield from numbered(one.nested_type, f"{name}.")


@pytest.mark.long
@others
@pytest.mark.parametrize(
    ("environment", "package", "module", "lacking"),
    [
        ("kserve", "kserve.protocol.grpc", "grpc_predict_v2_pb2",
         {(f"RepositoryModel{word}Request", "model_name", 1) for word in ("Load", "Unload")}),
        (".", "mlserver.grpc", "dataplane_pb2",
         {("ModelMetadataResponse", "parameters", 6), ("ModelMetadataResponse.TensorMetadata", "parameters", 4)}),
    ],
)  # fmt: skip
def test_the_messages_are_those_of_other_servers(environment, package, module, lacking):
    """All fields that they have are here, but a name that KServe has elsewhere, and MLServer's own of metadata."""
    file = descriptor_pb2.FileDescriptorProto.FromString(
        bytes.fromhex(run(environment, FIELDS.format(package, module)))
    )
    own = set(numbered(oip._described().message_type))
    theirs = set(numbered(file.message_type))
    assert len(theirs) > 60
    assert {field[:3] for field in theirs - own if not field[0].endswith("Entry")} == lacking
