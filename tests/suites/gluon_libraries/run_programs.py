# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of a file, of MXNet or migrated, and writes a line of JSON for each: `comparison.py` starts it."""

from __future__ import annotations

import fnmatch
import importlib
import json
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from types import FrameType

import numpy_removed


def timed_out(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError("takes too long")  # of the processor: others may be using the machine


def main() -> None:
    file, out, seconds, pattern, *folders = sys.argv[1:]
    sys.path[:0] = [str(Path(file).parent)]
    sys.path += folders
    sys.argv[1:] = []
    warnings.simplefilter("ignore")
    numpy_removed.put_back()
    programs = importlib.import_module(Path(file).stem).PROGRAMS
    signal.signal(signal.SIGPROF, timed_out)
    with Path(out).open("a") as lines:
        for name, (function, *arguments) in programs.items():
            if not any(fnmatch.fnmatchcase(name, one) for one in pattern.split("|")):
                continue
            line: dict[str, object] = {"program": name}
            signal.setitimer(signal.ITIMER_PROF, float(seconds))
            started = time.process_time()
            try:
                line["numbers"] = function(*arguments)
            except Exception as error:
                frames = traceback.extract_tb(error.__traceback__)
                places = [f"{Path(one.filename).name}:{one.lineno}" for one in frames][-3:]
                line["error"] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}  {places}"
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            line["seconds"] = round(time.process_time() - started, 1)
            lines.write(json.dumps(line) + "\n")
            lines.flush()


if __name__ == "__main__":
    main()
