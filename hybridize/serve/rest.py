# SPDX-License-Identifier: Apache-2.0
"""REST of the Open Inference Protocol as an ASGI application: inference by itself, all else by Starlette's routes."""

from __future__ import annotations

import asyncio
import base64
import binascii
import gzip
import hmac
import re
import time
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from hybridize.base.version import VERSION
from hybridize.serve import rest_tensors
from hybridize.serve.extensions import EXTENSIONS, REFUSED_PATHS, configuration, statistics
from hybridize.serve.options import LOOPBACK
from hybridize.serve.page import page
from hybridize.serve.refusals import Refusal, refuse
from hybridize.serve.registry import ModelRegistry, ServedModel
from hybridize.serve.requests import InferenceRequest, gone, submitted

if TYPE_CHECKING:
    from hybridize.serve.options import ServerOptions
    from hybridize.serve.telemetry import RequestLog


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

SERVER: Final[dict[str, Any]] = {
    "name": "hybridize",
    "version": VERSION,
    "extensions": list(EXTENSIONS),
}
"""Metadata of the server itself."""
_HEADERS: Final = (
    b"content-length", b"content-encoding", b"accept-encoding", b"inference-header-content-length", b"x-request-id",
    b"authorization", b"origin", b"host",
)  # fmt: skip
_HEALTH: Final = "/v2/health/"
"""Paths of probes, which need no token."""
_ID: Final = re.compile(r"[\x20-\x7e]{1,128}")
_WATCH: Final = 0.05
"""Seconds that a request waits before its connection is watched for the client's going away."""
_DISCARDED: Final = 2.0
"""Seconds for which the rest of a body that is too large is read and dropped, so that the client reads the answer."""


class RestApplication:
    """The ASGI application.

    Args:
        registry: of the models.
    """

    def __init__(self, registry: ModelRegistry) -> None:
        self.registry = registry
        self.options: ServerOptions = registry.options
        self.log: RequestLog = registry.log
        self._token = f"Bearer {self.options.token}".encode() if self.options.token is not None else None
        self._routes = _routes(registry)

    async def crowded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request of a connection that is one too many; probes of health are answered."""
        await self({**scope, "crowded": True}, receive, send)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        begin = time.perf_counter()
        headers = {name: value for name, value in scope["headers"] if name in _HEADERS}
        identity = headers.get(b"x-request-id", b"").decode("latin-1")
        if not _ID.fullmatch(identity):
            identity = self.log.new_id()
        answer = _Answer(send, identity, self.registry)
        path: str = scope["path"]
        served: ServedModel | None = None
        failure = ""
        try:
            if "crowded" in scope and not path.startswith(_HEALTH):
                most = self.options.max_connections
                text = f"{most} connections are open, as many as --max-connections allows; try again later"
                raise Refusal("UNAVAILABLE", text, "connections")
            if b"origin" in headers:
                self._check_origin(headers[b"origin"], headers.get(b"host", b""))
            if self._token is not None:
                self._authorize(path, headers.get(b"authorization", b""))
            parts = path.split("/")
            if parts[-1] == "infer" and parts[1:3] == ["v2", "models"] and len(parts) in (5, 7):
                served = await self._infer(scope["method"], parts, headers, receive, answer)
            else:
                answer.body = await self._body(headers, receive) if scope["method"] == "POST" else b""
                await self._routes({**scope, "hybridize": answer}, answer.receive, answer.send)
        except Refusal as refusal:
            failure = refusal.text
            self.registry.metrics.refused.labels(refusal.reason).inc()
            await answer.refuse(refusal, receive)
        except asyncio.CancelledError:
            failure = "the server ends"
            raise
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            self.log.event("defect", request=identity, error=failure, path=path[:200])
            await answer.refuse(Refusal("INTERNAL", f"the server failed; its log says why at {identity}"), receive)
        finally:
            self._note(scope, path, answer, served, time.perf_counter() - begin, failure)

    def _note(
        self, scope: Scope, path: str, answer: _Answer, served: ServedModel | None, seconds: float, failure: str
    ) -> None:
        served = served or answer.served
        if served is not None:
            served.counts.answered("rest", answer.status, seconds)
        if self.log.level == "off" or (self.log.level == "errors" and answer.status < 400):
            return
        fields = {
            "request": answer.identity, "protocol": "rest", "method": scope["method"], "path": path[:200],
            "status": answer.status, "seconds": round(seconds, 6),
        }  # fmt: skip
        if scope.get("client"):
            fields["client"] = scope["client"][0]
        if failure:
            fields["error"] = failure[:1000]
        self.log.request(fields, answer.status >= 400)

    def _check_origin(self, origin: bytes, host: bytes) -> None:
        """Refuse what a page of another site has a browser send here, also by a name of its own for this machine."""
        own = origin.partition(b"://")[2]
        name = own.rpartition(b":")[0].strip(b"[]") if own[-1:] != b"]" and b":" in own else own.strip(b"[]")
        local = self.options.host in LOOPBACK and self.options.token is None
        if own != host or (local and name.decode("latin-1") not in LOOPBACK):
            text = f"a page of {origin.decode('latin-1')[:80]} asks, and this server answers its own pages alone"
            raise Refusal("PERMISSION_DENIED", text, "origin")

    def _authorize(self, path: str, header: bytes) -> None:
        """Refuse a request without the token; those for health need none."""
        if path.startswith(_HEALTH):
            return
        if not authorized(header, self._token or b""):
            raise Refusal("UNAUTHENTICATED", "this server asks for its token: Authorization: Bearer TOKEN", "token")

    async def _infer(
        self, method: str, parts: list[str], headers: dict[bytes, bytes], receive: Receive, answer: _Answer
    ) -> ServedModel:
        if method != "POST":
            raise _NotAllowed("POST")
        version = parts[5] if len(parts) == 7 else ""
        if len(parts) == 7 and (parts[4] != "versions" or not version):
            raise Refusal("NOT_FOUND", "there is nothing here: /v2/models/NAME/versions/VERSION/infer", "unknown")
        body = await self._body(headers, receive)
        served = answer.served = self.registry.find(parts[3], version)
        header = headers.get(b"inference-header-content-length")
        request = rest_tensors.parse(body, header.decode("latin-1") if header is not None else None)
        outcome = submitted(served, request, self.options.timeout)
        arrays = outcome if isinstance(outcome, list) else await _awaited(outcome, receive, served)
        content, length = rest_tensors.formatted(served, request, arrays)
        await answer.infer(content, length, headers.get(b"accept-encoding", b""))
        return served

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        """Read a body; refuse one that is too large or comes too slowly."""
        limit = self.options.max_body
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limit:
            raise _TooLarge(int(length), limit)
        message = await receive()
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            parts, size = [body], len(body)
            try:
                async with asyncio.timeout(self.options.slow):
                    while message.get("more_body") and size <= limit:
                        message = await receive()
                        parts.append(message.get("body", b""))
                        size += len(parts[-1])
            except TimeoutError:
                text = f"the body did not come within {self.options.slow:g} seconds"
                raise Refusal("DEADLINE_EXCEEDED", text, "slow") from None
            if size > limit:
                raise _TooLarge(size, limit)
            body = b"".join(parts)
        if len(body) > limit:
            raise _TooLarge(len(body), limit)
        if message["type"] == "http.disconnect":
            raise Refusal("CANCELLED", "the client went away before its request was whole", "cancelled")
        encoding = headers.get(b"content-encoding")
        if encoding is not None and encoding != b"identity":
            return rest_tensors.decompressed(body, encoding.decode("latin-1").strip().lower(), limit)
        return body


def authorized(header: bytes, token: bytes) -> bool:
    """Tell whether a header `Authorization` brings the token, which is `Bearer ...`, or has it as a password.

    Names of schemes are the same in any case.
    """
    if header[:6].lower() == b"basic ":  # of a browser, which asks its user, or of a client: any name will do
        try:
            header = b"Bearer " + base64.b64decode(header[6:], validate=True).partition(b":")[2]
        except (binascii.Error, ValueError):
            return False
    elif header[:7].lower() == b"bearer ":
        header = b"Bearer " + header[7:]
    return hmac.compare_digest(header, token)


async def _awaited(outcome: asyncio.Future[Any], receive: Receive, served: ServedModel) -> Any:
    """Wait for outputs; a request whose client goes away leaves the queue."""
    loop = asyncio.get_running_loop()
    watchers: list[asyncio.Task[None]] = []
    timer = loop.call_later(_WATCH, lambda: watchers.append(loop.create_task(_watch(receive, outcome))))
    try:
        return await outcome
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise gone(served.model.label) from None
    finally:
        timer.cancel()
        for task in watchers:
            task.cancel()


async def _watch(receive: Receive, outcome: asyncio.Future[Any]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    outcome.cancel()


class _TooLarge(Refusal):
    """A body that is larger than the operator allows."""

    def __init__(self, size: int, limit: int) -> None:
        text = f"the body has {size} bytes or more, and --max-body allows {limit}"
        super().__init__("OUT_OF_RANGE", text, "size")


class _NotAllowed(Refusal):
    """Another method than the path takes."""

    def __init__(self, method: str) -> None:
        super().__init__("INVALID_ARGUMENT", f"this path takes {method}")

    @property
    def status(self) -> int:
        """The status of HTTP, which gRPC has no code for."""
        return 405


class _Answer:
    """The answer to a request: sends it, once.

    Args:
        send: of the connection.
        identity: of the request, which the answer repeats.
        registry: says whether the server ends, which answers tell so that clients connect elsewhere.
    """

    def __init__(self, send: Send, identity: str, registry: ModelRegistry) -> None:
        self._send = send
        self._registry = registry
        self.identity = identity
        self.status = 499
        self.served: ServedModel | None = None
        self.body = b""
        self._started = False

    async def receive(self) -> dict[str, Any]:
        """Give the body, which was read before."""
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass on what a route sends, with the id of the request."""
        if message["type"] == "http.response.start":
            self.status, self._started = message["status"], True
            message["headers"] = [*message["headers"], *self._common()]
        await self._send(message)

    def _common(self) -> list[tuple[bytes, bytes]]:
        headers = [(b"x-request-id", self.identity.encode("latin-1"))]
        return [*headers, (b"connection", b"close")] if self._registry.draining else headers

    async def infer(self, content: bytes, length: int | None, accepted: bytes) -> None:
        """Send the outputs."""
        headers = self._common()
        if accepted and (b"gzip" in accepted or b"deflate" in accepted) and len(content) >= _WORTHWHILE:
            word = b"gzip" if b"gzip" in accepted else b"deflate"
            content = gzip.compress(content, 1) if word == b"gzip" else zlib.compress(content, 1)
            headers.append((b"content-encoding", word))
        if length is not None:
            headers.append((b"inference-header-content-length", b"%d" % length))
            headers.append((b"content-type", b"application/octet-stream"))
        else:
            headers.append((b"content-type", b"application/json"))
        headers.append((b"content-length", b"%d" % len(content)))
        self.status, self._started = 200, True
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": content})

    async def refuse(self, refusal: Refusal, receive: Receive) -> None:
        """Send the error; where a body was left unread, read on a while, so that the client gets to reading it."""
        self.status = refusal.status
        if self._started:
            return
        content = _error(refusal.text)
        headers = [*self._common(), (b"content-type", b"application/json"),
                   (b"content-length", b"%d" % len(content))]  # fmt: skip
        if refusal.status in (429, 503):
            headers.append((b"retry-after", b"1"))
        if refusal.status == 401:
            headers.append((b"www-authenticate", b'Basic realm="hybridize", Bearer'))
        unread = refusal.reason in ("size", "slow", "token", "connections")
        if unread and (b"connection", b"close") not in headers:
            headers.append((b"connection", b"close"))
        await self._send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": content, "more_body": unread})
        if unread:
            try:
                async with asyncio.timeout(_DISCARDED):
                    while (await receive()).get("more_body"):
                        pass
            except TimeoutError:
                pass
            await self._send({"type": "http.response.body", "body": b""})


_WORTHWHILE: Final = 1024
"""Bytes from which an answer is compressed for clients that take it so."""


def _error(text: str) -> bytes:
    """The body of an error. It may repeat half of a surrogate pair of a request, which JSON has no bytes for."""
    return orjson.dumps({"error": text.encode("utf-8", "replace").decode()})


def _json(content: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")


def _found(registry: ModelRegistry, request: Request) -> ServedModel:
    return registry.find(request.path_params["name"], request.path_params.get("version", ""))


async def _posted(request: Request) -> dict[str, Any]:
    body = await request.body()
    tree = rest_tensors.loads(body) if body.strip() else {}
    if not isinstance(tree, dict):
        refuse("the body must be a JSON object")
    return tree


def _health(registry: ModelRegistry) -> list[Route]:
    async def live(request: Request) -> Response:
        return _json({"live": True})

    async def ready(request: Request) -> Response:
        return _json({"ready": registry.ready}, 200 if registry.ready else 503)

    async def model_ready(request: Request) -> Response:
        one = _found(registry, request)
        state = not registry.draining
        return _json({"name": one.model.name, "ready": state}, 200 if state else 503)

    return [
        Route("/v2/health/live", live),
        Route("/v2/health/ready", ready),
        *_of_models("ready", model_ready),
    ]


def _metadata(registry: ModelRegistry) -> list[Route]:
    async def server(request: Request) -> Response:
        return _json(SERVER)

    async def model(request: Request) -> Response:
        return _json(registry.metadata(_found(registry, request)))

    async def config(request: Request) -> Response:
        return _json(configuration(registry, _found(registry, request)))

    async def stats(request: Request) -> Response:
        words = request.path_params
        return _json(statistics(registry, words.get("name", ""), words.get("version", "")))

    async def metrics(request: Request) -> Response:
        return Response(registry.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def status(request: Request) -> Response:
        return HTMLResponse(
            page(registry), headers={"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
        )

    async def models(request: Request) -> Response:
        return _json({"models": sorted({one.model.name for one in registry.served()})})

    return [
        Route("/", status),
        Route("/metrics", metrics),
        Route("/v2", server),
        Route("/v2/", server),
        Route("/v2/models", models),
        Route("/v2/models/stats", stats),
        Route("/v2/models/{name}", model),
        Route("/v2/models/{name}/versions/{version}", model),
        *_of_models("stats", stats),
        *_of_models("config", config),
    ]


def _of_models(word: str, answer: Callable[[Request], Awaitable[Response]]) -> list[Route]:
    """The routes of what is asked of a model, and of one version of it."""
    paths = "/v2/models/{name}", "/v2/models/{name}/versions/{version}"
    return [Route(f"{path}/{word}", answer) for path in paths]


def _refused() -> list[Route]:
    """Extensions that nobody serves: an error that says so, by any method."""

    def refusing(text: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            raise Refusal("UNIMPLEMENTED", text)

        return answer

    return [Route(path, refusing(text), methods=["GET", "POST"]) for path, text in REFUSED_PATHS.items()]


def _repository(registry: ModelRegistry) -> list[Route]:
    async def index(request: Request) -> Response:
        tree = await _posted(request)
        return _json(registry.index(tree.get("ready") is True))

    async def load(request: Request) -> Response:
        tree = await _posted(request)
        if tree.get("parameters"):
            refuse("parameters of load would replace what the operator named; the model's own files are loaded")
        await registry.load(request.path_params["name"])
        return _json({"name": request.path_params["name"], "load": True})

    async def unload(request: Request) -> Response:
        await registry.unload(request.path_params["name"])
        return _json({"name": request.path_params["name"], "unload": True})

    return [
        Route("/v2/repository/index", index, methods=["POST"]),
        Route("/v2/repository/models/{name}/load", load, methods=["POST"]),
        Route("/v2/repository/models/{name}/unload", unload, methods=["POST"]),
    ]


def _routes(registry: ModelRegistry) -> Starlette:
    async def refused(request: Request, error: Exception) -> Response:
        if isinstance(error, Refusal):
            registry.metrics.refused.labels(error.reason).inc()
            return Response(_error(error.text), error.status, media_type="application/json")
        status = error.status_code if isinstance(error, HTTPException) else 500
        path = request.url.path[:200]
        text = f"this server has no {path}" if status == 404 else f"{path} takes no {request.method}"
        return _json({"error": text}, status)

    return Starlette(
        routes=[*_health(registry), *_metadata(registry), *_repository(registry), *_refused()],
        exception_handlers={Refusal: refused, HTTPException: refused},
    )


__all__ = ["SERVER", "InferenceRequest", "RestApplication"]
