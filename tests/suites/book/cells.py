# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of a notebook in IPython, each after the other, and writes how each ended.

    python cells.py NOTEBOOK OUTCOMES SECONDS

A cell that fails is noted, and the next one runs. One that takes more than SECONDS of the processor fails. What a cell's last line
gives is shown as a notebook shows it, so that what arrays and nets say of themselves is run too.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
import traceback
from types import FrameType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

import hybridize


class TooLong(BaseException):
    """A cell has run for too long."""


class Shell(InteractiveShell):
    """IPython without a screen."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Nothing is shown in windows."""

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Errors are told below."""


def main(notebook: str, outcomes: str, seconds: float) -> None:
    import numpy

    shell = Shell.instance()
    random.seed(0)
    numpy.random.seed(0)
    hybridize.random.seed(0)
    signal.signal(signal.SIGPROF, _too_long)
    with open(notebook) as file:
        cells = [cell["source"] for cell in json.load(file)["cells"]]
    with open(outcomes, "a", buffering=1) as out:
        for number, source in enumerate(cells, 1):
            begin = time.perf_counter()
            print(f"---------- cell {number}", flush=True)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                result = shell.run_cell(source, store_history=True)
                error = result.error_before_exec or result.error_in_exec
            except TooLong as late:
                error = late
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            line: dict[str, Any] = {"cell": number, "outcome": "passed"}
            if error is not None:
                traceback.print_exception(error)
                line = {"cell": number, "outcome": "failed", "error": told(error, seconds)}
            out.write(json.dumps({**line, "seconds": round(time.perf_counter() - begin, 2)}) + "\n")


def told(error: BaseException, seconds: float) -> str:
    if isinstance(error, TooLong):
        return f"takes more than {seconds:.0f} s"
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def _too_long(signum: int, frame: FrameType | None) -> None:
    raise TooLong


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
