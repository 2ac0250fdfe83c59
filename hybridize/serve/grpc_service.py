# SPDX-License-Identifier: Apache-2.0
"""gRPC of the Open Inference Protocol, on the event loop of REST: the same queues, the same models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from hybridize.base.errors import StateError
from hybridize.serve import grpc_tensors, oip
from hybridize.serve.extensions import REFUSED_METHODS, configuration, statistics
from hybridize.serve.options import ServerOptions
from hybridize.serve.refusals import Refusal
from hybridize.serve.registry import ModelRegistry, ServedModel
from hybridize.serve.requests import submitted
from hybridize.serve.rest import SERVER, authorized

_Handler = Callable[[Any, Any], Awaitable[Any]]
_PENDING: Final = 1 << 20
"""Requests that grpc has read and the event loop has not seen yet."""
_OPEN: Final = ("ServerLive", "ServerReady")
"""Calls that need no token."""


class GrpcService:
    """The calls of the service.

    Args:
        registry: of the models.
    """

    def __init__(self, registry: ModelRegistry) -> None:
        self.registry = registry
        self.options: ServerOptions = registry.options
        self._responses = {name: oip.message(f"{name}Response") for name in oip.METHODS}
        self._token = f"Bearer {self.options.token}".encode() if self.options.token is not None else None

    def handlers(self) -> Any:
        """Return the handlers of all calls, as grpc takes them."""
        calls: dict[str, _Handler] = {
            "ServerLive": self._live, "ServerReady": self._ready, "ModelReady": self._model_ready,
            "ServerMetadata": self._server, "ModelMetadata": self._model, "ModelInfer": self._infer,
            "RepositoryIndex": self._index, "RepositoryModelLoad": self._load, "RepositoryModelUnload": self._unload,
            "ModelConfig": self._configuration, "ModelStatistics": self._statistics,
        }  # fmt: skip
        methods = {
            name: grpc.unary_unary_rpc_method_handler(
                self._guarded(name, calls[name]),
                response_serializer=self._responses[name].SerializeToString,
            )
            for name in oip.METHODS
        }
        methods |= {
            name: grpc.unary_unary_rpc_method_handler(self._refused(text)) for name, text in REFUSED_METHODS.items()
        }
        return grpc.method_handlers_generic_handler(oip.SERVICE, methods)

    def _guarded(self, name: str, call: _Handler) -> _Handler:
        """Wrap a call: the token is looked at before, refusals become codes of gRPC."""
        guarded = self._token is not None and name not in _OPEN
        read = oip.message(f"{name}Request").FromString

        async def answer(content: bytes, context: Any) -> Any:
            try:
                if guarded:
                    self._authorize(context)
                try:
                    request = read(content)
                except DecodeError as error:
                    raise Refusal("INVALID_ARGUMENT", f"the message is no {name}Request: {error}") from None
                return await call(request, context)
            except Refusal as refusal:
                self.registry.metrics.refused.labels(refusal.reason).inc()
                code = "INVALID_ARGUMENT" if refusal.code == "OUT_OF_RANGE" else refusal.code
                await context.abort(grpc.StatusCode[code], refusal.text)

        return answer

    def _authorize(self, context: Any) -> None:
        metadata = dict(context.invocation_metadata() or ())
        header = metadata.get("authorization", "")
        if not authorized(header.encode() if isinstance(header, str) else header, self._token or b""):
            raise Refusal("UNAUTHENTICATED", "this server asks for its token: authorization: Bearer TOKEN", "token")

    def _refused(self, text: str) -> _Handler:
        """A call that nobody serves; what it brings is not read."""

        async def answer(content: bytes, context: Any) -> Any:
            self.registry.metrics.refused.labels("request").inc()
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, text)

        return answer

    async def _live(self, request: Any, context: Any) -> Any:
        return self._responses["ServerLive"](live=True)

    async def _ready(self, request: Any, context: Any) -> Any:
        return self._responses["ServerReady"](ready=self.registry.ready)

    async def _model_ready(self, request: Any, context: Any) -> Any:
        try:
            self.registry.find(request.name, request.version)
        except Refusal as refusal:
            if refusal.code != "UNAVAILABLE":
                raise
            return self._responses["ModelReady"](ready=False)
        return self._responses["ModelReady"](ready=not self.registry.draining)

    async def _server(self, request: Any, context: Any) -> Any:
        return self._responses["ServerMetadata"](**SERVER)

    async def _model(self, request: Any, context: Any) -> Any:
        return self._responses["ModelMetadata"](
            **self.registry.metadata(self.registry.find(request.name, request.version))
        )

    async def _index(self, request: Any, context: Any) -> Any:
        return self._responses["RepositoryIndex"](models=self.registry.index(request.ready))

    async def _load(self, request: Any, context: Any) -> Any:
        if request.parameters:
            text = "parameters of load would replace what the operator named; the model's own files are loaded"
            raise Refusal("INVALID_ARGUMENT", text)
        name = request.model_name or request.repository_name  # KServe's clients have the name in the first field
        await self.registry.load(name)
        return self._responses["RepositoryModelLoad"](model_name=name, isLoaded=True)

    async def _unload(self, request: Any, context: Any) -> Any:
        name = request.model_name or request.repository_name
        await self.registry.unload(name)
        return self._responses["RepositoryModelUnload"](model_name=name, isUnloaded=True)

    async def _configuration(self, request: Any, context: Any) -> Any:
        tree = configuration(self.registry, self.registry.find(request.name, request.version))
        return self._responses["ModelConfig"](config=tree)

    async def _statistics(self, request: Any, context: Any) -> Any:
        return self._responses["ModelStatistics"](**statistics(self.registry, request.name, request.version))

    async def _infer(self, call: Any, context: Any) -> Any:
        begin = time.perf_counter()
        served: ServedModel | None = None
        status, failure = 499, ""
        try:
            served = self.registry.find(call.model_name, call.model_version)
            request = grpc_tensors.parse(call)
            left = context.time_remaining()
            if left is not None:
                request.seconds = left if request.seconds is None else min(left, request.seconds)
            outcome = submitted(served, request, self.options.timeout)
            arrays = outcome if isinstance(outcome, list) else await outcome
            answer = grpc_tensors.formatted(served, request, arrays)
            status = 200
            return answer
        except Refusal as refusal:
            status, failure = refusal.status, refusal.text
            raise
        except asyncio.CancelledError:
            failure = "the client went away"
            raise
        except Exception as error:
            status, failure = 500, f"{type(error).__name__}: {error}"
            self.registry.log.event("defect", error=failure, model=call.model_name[:80])
            raise Refusal("INTERNAL", "the server failed; its log says why", "defect") from None
        finally:
            self._note(call, context, served, status, time.perf_counter() - begin, failure)

    def _note(
        self, call: Any, context: Any, served: ServedModel | None, status: int, seconds: float, failure: str
    ) -> None:
        if served is not None:
            served.counts.answered("grpc", status, seconds)
        log = self.registry.log
        if log.level == "off" or (log.level == "errors" and status < 400):
            return
        fields = {
            "request": call.id[:128] or log.new_id(), "protocol": "grpc", "model": call.model_name[:80],
            "status": status, "seconds": round(seconds, 6), "client": context.peer(),
        }  # fmt: skip
        if failure:
            fields["error"] = failure[:1000]
        log.request(fields, status >= 400)


def grpc_server(registry: ModelRegistry) -> tuple[Any, int]:
    """Return a server that listens, and its port.

    Raises:
        ArgumentError E389: the address cannot be listened at.
    """
    options: ServerOptions = registry.options
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", options.max_body),
            ("grpc.max_send_message_length", -1),
            ("grpc.so_reuseport", 0),
            # Far more than may wait: beyond these grpc itself cuts requests off, without a word of why.
            ("grpc.max_concurrent_streams", max(options.max_connections, 2 * options.max_queue)),
            ("grpc.server.max_pending_requests", _PENDING),
            ("grpc.server.max_pending_requests_hard_limit", _PENDING),
            ("grpc.keepalive_time_ms", 60_000),
        ]
    )
    server.add_generic_rpc_handlers((GrpcService(registry).handlers(),))
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"{host}:{options.grpc_port}"
    try:
        if options.certificate is not None and options.key is not None:
            pair = Path(options.key).read_bytes(), Path(options.certificate).read_bytes()
            port = server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
        else:
            port = server.add_insecure_port(address)
    except RuntimeError:
        port = 0
    if not port:
        raise StateError("E592", f"gRPC cannot listen at {address}", help="choose another --grpc-port, or --no-grpc")
    return server, port
