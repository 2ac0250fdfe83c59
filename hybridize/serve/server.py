# SPDX-License-Identifier: Apache-2.0
"""The server: both protocols on one event loop, from the loading of the models to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import ssl
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from hybridize import system
from hybridize.base.errors import LoadError, StateError
from hybridize.serve.connections import GuardedProtocol
from hybridize.serve.grpc_service import grpc_server
from hybridize.serve.options import LOOPBACK, ServerOptions
from hybridize.serve.registry import ModelRegistry
from hybridize.serve.rest import RestApplication
from hybridize.serve.telemetry import LoggingLines, RequestLog

_FILES: Final = 1024
"""Files that a server opens beside its connections over REST: models, libraries, connections over gRPC."""

if TYPE_CHECKING:
    from threading import Event

if system.NAME == "windows":  # for which there is no uvloop
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop


class _Uvicorn(uvicorn.Server):
    """uvicorn's server, which tells ours when it listens, and of signals: it ends when its last answer is sent."""

    listening: Callable[[], None]
    stop: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.stop()


class ModelServer:
    """A server of models.

    Args:
        options: of the operator.
        log: where its lines go.

    Raises:
        LoadError: a model cannot be found.
    """

    port: int
    grpc_port: int | None

    def __init__(self, options: ServerOptions, log: RequestLog | None = None) -> None:
        self.options = options
        self.log: RequestLog = log if log is not None else RequestLog(options.log)
        self.port = options.port
        self.grpc_port = options.grpc_port
        self.started: Event = threading.Event()
        """Set when requests are answered, or the server has ended."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._uvicorn: _Uvicorn | None = None
        self._stopping = False
        self._rpc: Any = None
        self._rpc_end: asyncio.Task[None] | None = None
        self.registry: ModelRegistry | None = None

    def run(self) -> None:
        """Serve until a signal, or `stop`.

        Raises:
            HybridizeError: a model cannot be loaded, an address not be listened at.
        """
        try:
            with LoggingLines(self.log), asyncio.Runner(loop_factory=new_event_loop) as runner:
                runner.run(self._serve())
        finally:
            self.started.set()
            self.log.flush()

    def stop(self) -> None:
        """End the server, from any thread or handler of signals: taken requests are answered."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._begin_to_end)

    def _begin_to_end(self) -> None:
        if self._stopping or self._loop is None:
            return
        self._stopping = True
        if self.registry is not None:
            self.registry.draining = True
        self.log.event("draining", seconds=self.options.drain)
        if self._uvicorn is not None:
            # Balancers look at `ready`, and clients at `connection: close`, before nobody listens any more.
            self._loop.call_later(self.options.drain, self._end)

    def _end(self) -> None:
        """Listen no more; both protocols answer what they have taken, at the same time."""
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True
        if self._rpc is not None and self._loop is not None:
            self._rpc_end = self._loop.create_task(self._rpc.stop(self.options.timeout))

    def _listening(self) -> None:
        """Tell that requests are answered from now on."""
        options = self.options
        scheme = "https" if options.certificate else "http"
        models = self.registry.served() if self.registry is not None else []
        self.log.event(
            "listening", rest=f"{scheme}://{options.host}:{self.port}",
            grpc=f"{options.host}:{self.grpc_port}" if options.grpc_port is not None else None,
            open=options.host not in LOOPBACK and options.token is None,
            models=[f"{one.model.name}:{one.model.version}" for one in models],
        )  # fmt: skip
        self.started.set()

    def _bound(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.options.host else socket.AF_INET
        bound = socket.socket(family)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((self.options.host, self.options.port))
        except OSError as error:
            bound.close()
            what = f"REST cannot listen at {self.options.host}:{self.options.port}: {error.strerror or error}"
            raise StateError("E592", what, help="choose another --port or --host") from None
        return bound

    def _config(self, application: RestApplication) -> uvicorn.Config:
        options = self.options
        words = {"slow": options.slow, "most": options.max_connections, "crowded": staticmethod(application.crowded)}
        protocol = type("Guarded", (GuardedProtocol,), words)
        try:
            config = uvicorn.Config(
                application, http=protocol, ws="none", lifespan="off", log_config=None, access_log=False,
                server_header=False, date_header=False, proxy_headers=False, timeout_keep_alive=75,
                ssl_certfile=options.certificate, ssl_keyfile=options.key,
                timeout_graceful_shutdown=max(1, int(options.timeout)),
            )  # fmt: skip
            config.load()
        except (OSError, ssl.SSLError) as error:
            what = f"--certificate {options.certificate} with --key {options.key} cannot be used: {error}"
            raise LoadError("E693", what, help="give files in PEM: the chain, and its private key") from None
        return config

    async def _serve(self) -> None:
        system.allow_open_files(self.options.max_connections + _FILES)
        self._loop = asyncio.get_running_loop()
        self.registry = registry = ModelRegistry(self.options, self.log)
        config = self._config(RestApplication(registry))
        bound = self._bound()
        self._uvicorn = rest = _Uvicorn(config)
        rest.stop, rest.listening = self.stop, self._listening
        try:
            self.port = bound.getsockname()[1]
            await registry.load_all()
            if self.options.grpc_port is not None:
                self._rpc, self.grpc_port = grpc_server(registry)
                await self._rpc.start()
            await rest.serve(sockets=[bound])
        finally:
            bound.close()
            if self._rpc is not None:
                await (self._rpc_end or self._rpc.stop(0))
            registry.draining = True
        await registry.drained()
        self.log.event("ended")
