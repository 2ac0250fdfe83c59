# SPDX-License-Identifier: Apache-2.0
"""Connections that do not wait for ever: uvicorn's protocol with limits on what comes before a request is there."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_READ: Final = 0.05
"""Seconds for reading what has come: where the loop was busy, its clocks run out before it reads."""
_HEADERS: Final = 64 << 10
"""Bytes of the headers of a request."""


class GuardedProtocol(HttpToolsProtocol):
    """Connections whose clients have to send the headers of a request, and read an answer, within some seconds."""

    slow: ClassVar[float] = 30.0
    """The seconds."""
    most = 4096
    """Connections that are open at a time; requests of further ones go to `crowded`."""
    crowded: Any = None
    """The application that refuses them."""
    app: Any

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._within_headers = True
        self._header_bytes = 0
        self._guard: asyncio.TimerHandle | None = None
        self._reader: asyncio.TimerHandle | None = None
        """Cuts the connection if the client does not read its answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self.app = self.crowded
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unguard()
        if self._reader is not None:
            self._reader.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._within_headers and self._header_bytes > _HEADERS:
            self.send_400_response("The headers of the request are too large.")
            return
        super().data_received(data)
        if self._within_headers:
            self._header_bytes += len(data)
            if self._guard is None and not self.transport.is_closing():
                self._wait_for_headers()

    def on_message_begin(self) -> None:
        self._within_headers, self._header_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._within_headers = False
        self._unguard()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reader = self.loop.call_later(self.slow, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reader is not None:
            self._reader.cancel()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that is not used any more; one whose client does not read its answer is cut."""
        super().timeout_keep_alive_handler()
        self._wait_for_headers()

    def _wait_for_headers(self) -> None:
        self._guard = self.loop.call_later(self.slow, self._late)

    def _late(self) -> None:
        """Cut the connection, unless what came while the loop was busy is still to be read."""
        self._guard = self.loop.call_later(_READ, self.transport.abort)

    def _unguard(self) -> None:
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None
