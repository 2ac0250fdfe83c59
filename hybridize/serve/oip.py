# SPDX-License-Identifier: Apache-2.0
"""The messages of the Open Inference Protocol for gRPC, as tables; protobuf makes the classes when this is imported.

The classes are in a pool of their own: clients that are imported in the same process bring the same names along.
Fields and numbers are those of the protocol's `open_inference_grpc.proto`, with model repositories as Triton and KServe
have them, and Triton's configurations and statistics as far as this server fills them in; a test compares them with
those of `tritonclient` and with the protocol's.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE: Final = "inference"
SERVICE: Final = f"{PACKAGE}.GRPCInferenceService"
_FILE: Final = "grpc_predict_v2.proto"

MESSAGES: Final = """
ServerLiveRequest
ServerLiveResponse: bool live 1
ServerReadyRequest
ServerReadyResponse: bool ready 1
ModelReadyRequest: string name 1, string version 2
ModelReadyResponse: bool ready 1
ServerMetadataRequest
ServerMetadataResponse: string name 1, string version 2, repeated string extensions 3
ModelMetadataRequest: string name 1, string version 2
ModelMetadataResponse: string name 1, repeated string versions 2, string platform 3, \
repeated .TensorMetadata inputs 4, repeated .TensorMetadata outputs 5, map string properties 6
ModelMetadataResponse.TensorMetadata: string name 1, string datatype 2, repeated int64 shape 3
InferParameter: bool bool_param 1 of parameter_choice, int64 int64_param 2 of parameter_choice, \
string string_param 3 of parameter_choice, double double_param 4 of parameter_choice, \
uint64 uint64_param 5 of parameter_choice
InferTensorContents: repeated bool bool_contents 1, repeated int32 int_contents 2, repeated int64 int64_contents 3, \
repeated uint32 uint_contents 4, repeated uint64 uint64_contents 5, repeated float fp32_contents 6, \
repeated double fp64_contents 7, repeated bytes bytes_contents 8
ModelInferRequest: string model_name 1, string model_version 2, string id 3, map InferParameter parameters 4, \
repeated .InferInputTensor inputs 5, repeated .InferRequestedOutputTensor outputs 6, repeated bytes raw_input_contents 7
ModelInferRequest.InferInputTensor: string name 1, string datatype 2, repeated int64 shape 3, \
map InferParameter parameters 4, InferTensorContents contents 5
ModelInferRequest.InferRequestedOutputTensor: string name 1, map InferParameter parameters 2
ModelInferResponse: string model_name 1, string model_version 2, string id 3, map InferParameter parameters 4, \
repeated .InferOutputTensor outputs 5, repeated bytes raw_output_contents 6
ModelInferResponse.InferOutputTensor: string name 1, string datatype 2, repeated int64 shape 3, \
map InferParameter parameters 4, InferTensorContents contents 5
ModelRepositoryParameter: bool bool_param 1 of parameter_choice, int64 int64_param 2 of parameter_choice, \
string string_param 3 of parameter_choice, bytes bytes_param 4 of parameter_choice
RepositoryIndexRequest: string repository_name 1, bool ready 2
RepositoryIndexResponse: repeated .ModelIndex models 1
RepositoryIndexResponse.ModelIndex: string name 1, string version 2, string state 3, string reason 4
RepositoryModelLoadRequest: string repository_name 1, string model_name 2, map ModelRepositoryParameter parameters 3
RepositoryModelLoadResponse: string model_name 1, bool isLoaded 2
RepositoryModelUnloadRequest: string repository_name 1, string model_name 2, map ModelRepositoryParameter parameters 3
RepositoryModelUnloadResponse: string model_name 1, bool isUnloaded 2
ModelConfigRequest: string name 1, string version 2
ModelConfigResponse: ModelConfig config 1
ModelConfig: string name 1, string platform 2, ModelVersionPolicy version_policy 3, int32 max_batch_size 4, \
repeated ModelInput input 5, repeated ModelOutput output 6, ModelDynamicBatching dynamic_batching 11 of \
scheduling_choice, string backend 17
ModelVersionPolicy: .Latest latest 1 of policy_choice, .All all 2 of policy_choice
ModelVersionPolicy.Latest: uint32 num_versions 1
ModelVersionPolicy.All
ModelInput: string name 1, DataType data_type 2, repeated int64 dims 4
ModelOutput: string name 1, DataType data_type 2, repeated int64 dims 3
ModelDynamicBatching: uint64 max_queue_delay_microseconds 2
ModelStatisticsRequest: string name 1, string version 2
ModelStatisticsResponse: repeated ModelStatistics model_stats 1
ModelStatistics: string name 1, string version 2, uint64 last_inference 3, uint64 inference_count 4, \
uint64 execution_count 5, InferStatistics inference_stats 6, repeated InferBatchStatistics batch_stats 7
InferStatistics: StatisticDuration success 1, StatisticDuration fail 2, StatisticDuration queue 3, \
StatisticDuration compute_input 4, StatisticDuration compute_infer 5, StatisticDuration compute_output 6, \
StatisticDuration cache_hit 7, StatisticDuration cache_miss 8
InferBatchStatistics: uint64 batch_size 1, StatisticDuration compute_input 2, StatisticDuration compute_infer 3, \
StatisticDuration compute_output 4
StatisticDuration: uint64 count 1, uint64 ns 2
"""
"""A message a line: its name and its fields, each with type, name and number; `of`: of which group only one is set. A
type `.Name` is a message within this one; `map` is one by strings."""

ENUMS: Final = {
    "DataType": ("TYPE_INVALID", "TYPE_BOOL", "TYPE_UINT8", "TYPE_UINT16", "TYPE_UINT32", "TYPE_UINT64", "TYPE_INT8",
                 "TYPE_INT16", "TYPE_INT32", "TYPE_INT64", "TYPE_FP16", "TYPE_FP32", "TYPE_FP64", "TYPE_STRING",
                 "TYPE_BF16"),
}  # fmt: skip
"""The words of enumerations, by number."""

METHODS: Final = (
    "ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelInfer", "RepositoryIndex",
    "RepositoryModelLoad", "RepositoryModelUnload", "ModelConfig", "ModelStatistics",
)  # fmt: skip
"""The calls of the service; each takes `...Request` and gives `...Response`."""

_Field = descriptor_pb2.FieldDescriptorProto
_TYPES: Final = {
    "bool": _Field.TYPE_BOOL, "string": _Field.TYPE_STRING, "bytes": _Field.TYPE_BYTES, "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64, "uint32": _Field.TYPE_UINT32, "uint64": _Field.TYPE_UINT64,
    "float": _Field.TYPE_FLOAT, "double": _Field.TYPE_DOUBLE,
}  # fmt: skip


def _field(message: Any, path: str, text: str) -> None:
    """Add a field, as `MESSAGES` writes it."""
    words, _, group = text.partition(" of ")
    label, kind, name, number = (["optional", *words.split()])[-4:]
    field = message.field.add(name=name, number=int(number))
    field.label = _Field.LABEL_REPEATED if label != "optional" else _Field.LABEL_OPTIONAL
    if group:
        if group not in [one.name for one in message.oneof_decl]:
            message.oneof_decl.add(name=group)
        field.oneof_index = [one.name for one in message.oneof_decl].index(group)
    if label == "map":
        entry = message.nested_type.add(name="".join(word.title() for word in name.split("_")) + "Entry")
        entry.options.map_entry = True
        _field(entry, f"{path}.{entry.name}", "string key 1")
        _field(entry, f"{path}.{entry.name}", f"{kind} value 2")
        kind = f".{entry.name}"
    if kind in _TYPES:
        field.type = _TYPES[kind]
    elif kind in ENUMS:
        field.type, field.type_name = _Field.TYPE_ENUM, f".{PACKAGE}.{kind}"
    else:
        field.type = _Field.TYPE_MESSAGE
        field.type_name = f".{PACKAGE}.{path}{kind}" if kind.startswith(".") else f".{PACKAGE}.{kind}"


def _described() -> descriptor_pb2.FileDescriptorProto:
    """The whole table as protobuf describes files."""
    file = descriptor_pb2.FileDescriptorProto(name=_FILE, package=PACKAGE, syntax="proto3")
    messages: dict[str, Any] = {}
    for name, words in ENUMS.items():
        enum = file.enum_type.add(name=name)
        for number, word in enumerate(words):
            enum.value.add(name=word, number=number)
    for line in MESSAGES.strip().splitlines():
        path, _, fields = line.partition(": ")
        outer, _, name = path.rpartition(".")
        message = messages[outer].nested_type.add(name=name) if outer else file.message_type.add(name=path)
        messages[path] = message
        for text in filter(None, fields.split(", ")):
            _field(message, path, text)
    return file


_POOL: Final = descriptor_pool.DescriptorPool()
_POOL.Add(_described())


def message(name: str) -> Any:
    """Return the class of a message, as "ModelInferRequest"."""
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.{name}"))
