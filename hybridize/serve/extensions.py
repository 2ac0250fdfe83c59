# SPDX-License-Identifier: Apache-2.0
"""Triton's extensions of the protocol: what a model is configured to, what it has done, and which ones are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hybridize.serve.loaded import ServedTensor
from hybridize.serve.refusals import Refusal
from hybridize.serve.registry import ModelRegistry, ServedModel
from hybridize.serve.telemetry import Durations

EXTENSIONS: Final = (
    "binary_tensor_data", "model_configuration", "model_repository", "model_repository(unload_dependents)",
    "statistics",
)  # fmt: skip
"""Extensions whose calls are answered, as metadata of the server list them."""

_MEMORY: Final = "shared memory is not served, as a request names no memory or file of this machine; send bytes"
_TRACE: Final = "traces are not served; each answer has an id, which the server's log and its metrics follow"
_LOG: Final = "requests do not change the log, nor read its settings; hybridize serve --log does"
_STREAM: Final = "streams are not served; ModelInfer takes the same requests, many at a time on one connection"

REFUSED_METHODS: Final = {
    "ModelStreamInfer": _STREAM,
    "SystemSharedMemoryStatus": _MEMORY, "SystemSharedMemoryRegister": _MEMORY, "SystemSharedMemoryUnregister": _MEMORY,
    "CudaSharedMemoryStatus": _MEMORY, "CudaSharedMemoryRegister": _MEMORY, "CudaSharedMemoryUnregister": _MEMORY,
    "TraceSetting": _TRACE, "LogSettings": _LOG,
}  # fmt: skip
"""Calls of gRPC that end in UNIMPLEMENTED, and why."""
REFUSED_PATHS: Final = {
    "/v2/systemsharedmemory/{rest:path}": _MEMORY, "/v2/cudasharedmemory/{rest:path}": _MEMORY,
    "/v2/trace/setting": _TRACE, "/v2/models/{name}/trace/setting": _TRACE, "/v2/logging": _LOG,
}  # fmt: skip
"""Paths of REST that end in 501, and why."""


def configuration(registry: ModelRegistry, one: ServedModel) -> dict[str, Any]:
    """Return the configuration of a version, as far as it is one: ports, batches, which versions are loaded."""
    options, model = registry.options, one.model
    batched = options.max_batch > 1
    tree: dict[str, Any] = {
        "name": model.name,
        "platform": model.platform,
        "backend": "hybridize",
        "version_policy": {"all": {}} if options.versions == "all" else {"latest": {"num_versions": 1}},
        "max_batch_size": options.max_batch if batched else 0,
        "input": [_port(port, batched) for port in model.inputs],
        "output": [_port(port, batched) for port in model.outputs],
    }
    if batched:
        tree["dynamic_batching"] = {"max_queue_delay_microseconds": options.max_wait_us}
    return tree


def _port(port: ServedTensor, batched: bool) -> dict[str, Any]:
    """An input or output; in batches the first axis is understood."""
    words = port.described()
    datatype = "STRING" if words["datatype"] == "BYTES" else words["datatype"]
    dims = words["shape"][1:] if batched and port.shape is not None else words["shape"]
    return {"name": port.name, "data_type": f"TYPE_{datatype}", "dims": dims}


def statistics(registry: ModelRegistry, name: str, version: str) -> dict[str, Any]:
    """Return what models have done since the server started.

    Args:
        registry: of the models.
        name: of a model; empty: all that are loaded.
        version: of it; empty: all that are loaded.

    Raises:
        Refusal: there is no such model or version, or it is not loaded.
    """
    if version and not name:
        raise Refusal("INVALID_ARGUMENT", f"version {version[:20]!r} needs the name of its model")
    if name:
        registry.find(name, version)
    chosen = [
        one for one in registry.served()
        if name in ("", one.model.name) and version in ("", one.model.version)
    ]  # fmt: skip
    return {"model_stats": [_statistics(one) for one in chosen]}


def _statistics(one: ServedModel) -> dict[str, Any]:
    counts = one.counts
    words = "compute_input", "compute_infer", "compute_output"
    batches = sorted(counts.batches.items())
    return {
        "name": one.model.name,
        "version": one.model.version,
        "last_inference": int(counts.last * 1e3),
        "inference_count": sum(rows * running.count for rows, (_, running, _) in batches),
        "execution_count": sum(running.count for _, (_, running, _) in batches),
        "inference_stats": {
            "success": _duration(counts.success),
            "fail": _duration(counts.fail),
            "queue": _duration(counts.waiting),
            **_durations(words, (counts.joining, counts.running, counts.splitting)),
            "cache_hit": _duration(Durations()),
            "cache_miss": _duration(Durations()),
        },
        "batch_stats": [{"batch_size": rows, **_durations(words, parts)} for rows, parts in batches],
    }


def _durations(words: Sequence[str], all_of_them: Sequence[Durations]) -> dict[str, dict[str, int]]:
    return {word: _duration(one) for word, one in zip(words, all_of_them, strict=True)}


def _duration(one: Durations) -> dict[str, int]:
    return {"count": one.count, "ns": int(one.seconds * 1e9)}
