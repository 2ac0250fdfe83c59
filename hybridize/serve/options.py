# SPDX-License-Identifier: Apache-2.0
"""The words of an operator: names of files, addresses, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ServerOptions:
    """Settings of a server; each is an option of `hybridize serve`."""

    paths: tuple[str, ...]
    """Files of models, folders of SavedModels, folders that hold models; `NAME=PATH` names one."""
    host: str = "127.0.0.1"
    port: int = 8000
    """Of REST; 0: any that is free."""
    grpc_port: int | None = 8001
    """Of gRPC; 0: any that is free; None: no gRPC."""
    max_batch: int = 1
    """Rows that one call of a model may have of several requests; 1: each request is a call."""
    max_wait_us: int = 0
    """Microseconds that a request waits for others to make a batch."""
    max_queue: int = 1024
    """Requests that wait for one model; further ones are refused with 429."""
    timeout: float = 60.0
    """Seconds until a request that is not answered is refused with 504; a request may ask for less."""
    max_body: int = 64 << 20
    """Bytes of a request."""
    max_programs: int = 32
    """Programs that one model may be compiled to, by requests of other sizes."""
    max_connections: int = 4096
    """Connections that are open at a time."""
    slow: float = 30.0
    """Seconds that a client may take to send a request, and to read an answer."""
    drain: float = 0.5
    """Seconds between the signal to end and the end of listening, in which `ready` is false."""
    versions: str = "latest"
    """`latest` or `all` of a model that has several."""
    control: bool | None = None
    """Let requests load and unload models; None: where only this machine, or who has the token, can ask."""
    token: str | None = None
    """The word that `Authorization: Bearer` must bring, of all requests but those for health."""
    certificate: str | None = None
    """File of a certificate chain in PEM, for TLS."""
    key: str | None = None
    """File of its private key."""
    log: str = "requests"
    """`requests`: a line for each; `errors`: for those that fail; `off`: none."""
    in_place: bool = False
    """Map the files themselves, not a copy: nobody overwrites them."""
    images: bool = False
    """Run the machine code in archives, which is to trust them as programs."""
    load: Mapping[str, Any] = field(default_factory=dict)
    """Keywords of `hybridize` for every model."""

    @property
    def controlled(self) -> bool:
        """True if requests may load and unload models."""
        return self.control if self.control is not None else self.host in LOOPBACK or self.token is not None
