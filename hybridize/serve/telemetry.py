# SPDX-License-Identifier: Apache-2.0
"""Metrics for Prometheus, and a log of one JSON object a line."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import secrets
import sys
import time
from collections import deque
from typing import Any, Final, NamedTuple, TextIO

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_ROWS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_PERIOD: Final = 0.1
"""Seconds that a line may wait for others to be written with it."""
_BUFFERED: Final = 1000
"""Lines that may wait."""


class RequestLog:
    """Lines about requests, written a few times a second so that a line costs no system call.

    Args:
        level: `requests`, `errors` or `off`.
        stream: where the lines go; standard error where None.
    """

    def __init__(self, level: str, stream: TextIO | None = None) -> None:
        self.level: str = level
        self._stream = stream if stream is not None else sys.stderr
        self._lines: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._prefix = secrets.token_hex(4)
        self._numbers = itertools.count(1)

    def new_id(self) -> str:
        """Return an id for a request that came without one, unlike those of other processes."""
        return f"{self._prefix}-{next(self._numbers)}"

    def event(self, event: str, **fields: Any) -> None:
        """Write a line about the server at once."""
        if self.level != "off":
            self._lines.append(_line(event, fields))
            self.flush()

    def request(self, fields: dict[str, Any], failed: bool) -> None:
        """Write a line about a request, soon."""
        if self.level == "off" or (self.level == "errors" and not failed):
            return
        self._lines.append(_line("request", fields))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PERIOD, self.flush)
        elif len(self._lines) >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write the lines that wait."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lines, self._lines = self._lines, []
        if lines:
            try:
                self._stream.write((b"\n".join(lines) + b"\n").decode())
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads the log any more: requests are answered all the same
                self.level = "off"


def _line(event: str, fields: dict[str, Any]) -> bytes:
    whole = {"time": round(time.time(), 6), "event": event, **fields}
    try:
        return orjson.dumps(whole, default=str)
    except TypeError:  # half of a surrogate pair, which a request brought along
        return json.dumps(whole, default=str).encode()


class LoggingLines(logging.Handler):
    """Write what libraries say by Python's `logging` as lines of a log.

    Args:
        log: where the lines go.
    """

    LIBRARIES = "uvicorn", "asyncio", "grpc"

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.log.event(record.levelname.lower(), library=record.name, text=self.format(record)[:2000])

    def __enter__(self) -> None:
        for name in self.LIBRARIES:
            logging.getLogger(name).addHandler(self)

    def __exit__(self, *_: object) -> None:
        for name in self.LIBRARIES:
            logging.getLogger(name).removeHandler(self)


class MeasuredCall(NamedTuple):
    """A call of a model that gave results."""

    requests: int
    rows: int
    """Of all requests; without batches each is one."""
    waiting: float = 0.0
    """Seconds that requests waited in the queue, summed over them."""
    joining: float = 0.0
    """Seconds of making one array of several requests'."""
    running: float = 0.0
    """Seconds of the model."""
    splitting: float = 0.0
    """Seconds of giving each request its rows."""


class Durations:
    """A number of things, and the seconds that they took together."""

    __slots__ = ("count", "seconds")

    def __init__(self) -> None:
        self.count: int = 0
        self.seconds: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Count things that took so long together."""
        self.count += count
        self.seconds += seconds


class ModelCounts:
    """Counts of one version of a model.

    Args:
        metrics: where it is shown.
        name: of the model.
        version: of it.
    """

    success: Durations
    fail: Durations
    """Requests by their end; seconds from the last byte of each to its answer."""
    waiting: Durations
    joining: Durations
    running: Durations
    splitting: Durations
    """Parts of the seconds of requests with results; each request counts the whole time of the call it was in."""

    def __init__(self, metrics: Metrics, name: str, version: str) -> None:
        self.success, self.fail = Durations(), Durations()
        self.waiting, self.joining, self.running, self.splitting = Durations(), Durations(), Durations(), Durations()
        self.batches: dict[int, tuple[Durations, Durations, Durations]] = {}
        """Calls by their rows: joining, running, splitting."""
        self.last: float = 0.0
        """Time of the last answer, in seconds since 1970."""
        self.recent: deque[float] = deque(maxlen=512)
        """Seconds of the last requests."""
        self._seconds = metrics.seconds.labels(name, version)
        self._run = metrics.run.labels(name, version)
        self._rows = metrics.rows.labels(name, version)
        self._answers: dict[tuple[str, int], Any] = {}
        self._counter, self._labels = metrics.requests, (name, version)

    def answered(self, protocol: str, status: int, seconds: float) -> None:
        """Count an answer: the protocol, the status of HTTP, the seconds since the request was read."""
        (self.success if status < 400 else self.fail).add(seconds)
        self.last = time.time()
        self.recent.append(seconds)
        self._seconds.observe(seconds)
        answer = self._answers.get((protocol, status))
        if answer is None:
            answer = self._answers[protocol, status] = self._counter.labels(*self._labels, protocol, str(status))
        answer.inc()

    def ran(self, call: MeasuredCall) -> None:
        """Count a call of the model."""
        self._run.observe(call.running)
        self._rows.observe(call.rows)
        self.waiting.add(call.waiting, call.requests)
        parts = self.batches.get(call.rows)
        if parts is None:
            parts = self.batches[call.rows] = Durations(), Durations(), Durations()
        seconds = call.joining, call.running, call.splitting
        for one, by_rows, time_ in zip((self.joining, self.running, self.splitting), parts, seconds, strict=True):
            one.add(time_ * call.requests, call.requests)
            by_rows.add(time_)


class Metrics:
    """The metrics of a server, in a registry of its own."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    run: Histogram
    rows: Histogram
    waiting: Gauge
    ready: Gauge
    refused: Counter

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        model = ("model", "version")
        self.requests = Counter(
            "hybridize_requests",
            "Answers to inference requests.",
            (*model, "protocol", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "hybridize_request_seconds", "From a request's last byte to its answer.", model,
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.run = Histogram(
            "hybridize_run_seconds", "Calls of the model.", model, buckets=_SECONDS, registry=self.registry
        )
        self.rows = Histogram("hybridize_batch_rows", "Rows of a call.", model, buckets=_ROWS, registry=self.registry)
        self.waiting = Gauge("hybridize_waiting_requests", "Requests in the queue.", model, registry=self.registry)
        self.ready = Gauge("hybridize_model_ready", "1 if the version answers.", model, registry=self.registry)
        self.refused = Counter(
            "hybridize_refused", "Requests without a result, by reason.", ("reason",), registry=self.registry
        )

    def text(self) -> bytes:
        """Return all of them in the text format of Prometheus."""
        return generate_latest(self.registry)
