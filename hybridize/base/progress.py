# SPDX-License-Identifier: Apache-2.0
"""Progress: a line at the bottom of the terminal about what takes longer than two seconds, gone when it is done.

    with showing("compiling net") as shown:
        shown.say("machine code", 3, 40)

It goes to standard error, and only where that is a terminal: nothing is written to a pipe, a file, a notebook, or to
what somebody has put in place of `sys.stderr`. `HYBRIDIZE_PROGRESS=0` turns it off. What is within is part of the same
line. A thread writes it, as what takes long is mostly one call of LLVM or of a server.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from hybridize.base.config import CONFIG
from hybridize.base.forks import in_child, renewed
from hybridize.system.interruptions import let_through

T = TypeVar("T")

AFTER_S: Final = 2.0
"""Seconds that go by before anything is shown."""
EVERY_S: Final = 0.1
"""Seconds between two looks of the line."""
_TURNING: Final = "|/-\\"
_BAR: Final = 20
"""Letters of a bar."""
_CLEAR: Final = "\r\x1b[2K"


class Progress:
    """Work in progress, and how much of it is done; this one is shown nowhere."""

    def say(self, what: str, done: int = 0, total: int | None = None) -> None:
        """Tell what is being done now and, where that is known, how much of how much is done."""


NOBODY: Final = Progress()
"""Of work that nobody watches."""


class _Task(Progress):
    """A piece of work on the line."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._now: tuple[str, int, int | None] = ("", 0, None)

    def say(self, what: str, done: int = 0, total: int | None = None) -> None:
        self._now = what, done, total

    def text(self) -> str:
        what, done, total = self._now
        words = ": ".join(filter(None, (self._title, what)))
        if not total:
            return words
        full = _BAR * min(done, total) // total
        return f"{words} [{'#' * full}{'.' * (_BAR - full)}] {done:,} of {total:,}"


class _Line:
    """The line at the bottom of the terminal."""

    def __init__(self, task: _Task) -> None:
        self.owner = threading.get_ident()
        self.tasks = [task]
        """From the outermost one inwards."""
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, name="hybridize progress", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Take it away."""
        self._over.set()
        self._thread.join()

    def _show(self) -> None:
        if self._over.wait(AFTER_S):
            return
        turn = 0
        while not self._over.wait(EVERY_S):
            self._write(f"{_CLEAR}{self._cut(_TURNING[turn % len(_TURNING)])}")
            turn += 1
        self._write(_CLEAR)

    def _cut(self, sign: str) -> str:
        """The text, no wider than the terminal."""
        try:
            width = os.get_terminal_size(sys.__stderr__.fileno()).columns if sys.__stderr__ else 80
        except (OSError, ValueError) as error:
            let_through(error)
            width = 80
        texts = [task.text() for task in tuple(self.tasks)]
        end = f" {time.monotonic() - self._began:.0f} s"
        text = f"{sign} {' > '.join(texts)}"
        room = max(width, 20) - 1 - len(end)
        return (text if len(text) <= room else f"{text[: room - 3]}...") + end

    @staticmethod
    def _write(text: str) -> None:
        stream = sys.__stderr__
        if stream is not None and not stream.closed:
            stream.write(text)
            stream.flush()


_lock = renewed(threading.RLock())
_lines: Final[list[_Line]] = []
"""The line that is there, if any."""
in_child(_lines.clear)


def is_shown() -> bool:
    """Tell whether progress is shown: on a terminal, unless the user does without."""
    stream = sys.__stderr__
    if stream is None or stream is not sys.stderr or not CONFIG.progress or os.environ.get("TERM") == "dumb":
        return False
    return not stream.closed and stream.isatty()


@contextmanager
def showing(title: str) -> Iterator[Progress]:
    """Show what the body does, if it takes long, under a title; what other threads do meanwhile is not shown.

    >>> with showing("reading") as shown:
    ...     for number in range(3):
    ...         shown.say("rows", number, 3)
    """
    if not is_shown():
        yield NOBODY
        return
    task = _Task(title)
    with _lock:
        around = _lines[0] if _lines else None
        line = around or _Line(task)
        if around is None:
            _lines.append(line)
    if line.owner != threading.get_ident():
        yield NOBODY
        return
    if around is not None:
        line.tasks.append(task)
    try:
        yield task
    finally:
        line.tasks.remove(task)
        if around is None and line in _lines:  # a forked child has none
            _lines.remove(line)
            line.end()


def watched(title: str, items: Collection[T]) -> Iterator[T]:
    """Give the items, and show how many are done if they take long.

    >>> list(watched("counting", [1, 2]))
    [1, 2]
    """
    with showing(title) as shown:
        for number, item in enumerate(items):
            shown.say("", number, len(items))
            yield item
