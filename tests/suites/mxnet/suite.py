# SPDX-License-Identifier: Apache-2.0
"""Runs MXNet's own unit tests on hybridize, and prints what passes.

    git clone --branch 2.0.0.beta1 --depth 1 https://github.com/apache/mxnet CHECKOUT
    MXNET_CHECKOUT=CHECKOUT python tests/suites/mxnet/suite.py

MXNet is not installed, and its tests are not copied: `import mxnet` gives hybridize (`alias.py`), and the files are run
where they lie. A folder or a tar file of the checkout will do. What is left out, and why, stands in `left_out.txt`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMMIT = "fc54fabe61573d0405b6ddead8c1501aedad3a11"
"""Of the tag 2.0.0.beta1, the last release that MXNet's tests passed with."""
WHERE = f"git clone --branch 2.0.0.beta1 --depth 1 https://github.com/apache/mxnet CHECKOUT (commit {COMMIT[:12]})"

FILES = (
    "numpy_op", "numpy_ndarray", "numpy_gluon", "numpy_loss", "gluon", "gluon_rnn", "gluon_trainer", "gluon_data",
    "gluon_control_flow", "gluon_model_zoo", "gluon_estimator", "gluon_probability_v2", "loss", "metric", "autograd",
    "higher_order_grad", "optimizer", "random", "symbol", "contrib_control_flow", "kvstore", "io",
)  # fmt: skip


def checkout_of(given: str, scratch: Path) -> Path:
    """Return the folder of a checkout that is given as a folder or as a tar file."""
    path = Path(given)
    if path.is_file():
        with tarfile.open(path) as tar:
            tar.extractall(scratch, filter="data")
        path = scratch
    for folder in (path, *sorted(path.glob("*/"))):
        if (folder / "tests" / "python" / "unittest" / "common.py").exists():
            return folder.resolve()
    raise SystemExit(f"{given} holds no tests of MXNet's; to get them: {WHERE}")


def run_file(checkout: Path, name: str, out: Path, shard: str, arguments: list[str]) -> None:
    """Run a file's cases in processes of their own; a case that kills its process has failed."""
    tests = checkout / "tests" / "python" / "unittest"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "MXNET_CHECKOUT": str(checkout), "MXNET_SUITE_OUT": str(out), "MXNET_SUITE_SHARD": shard,
        "MXNET_TEST_SEED": os.environ.get("MXNET_TEST_SEED", "1"),
    }  # fmt: skip
    while True:
        done = {line["case"] for line in read([out]) if line["outcome"] != "started"}
        environment["MXNET_SUITE_DONE"] = "\n".join(done)
        command = [sys.executable, "-m", "pytest", str(tests / f"test_{name}.py"), "-p", "alias", "-q", "-n0", "--tb=short",
                   "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(checkout), "--noconftest",
                   "-p", "no:warnings", *arguments]  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:  # tests write files beside themselves
            run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        log = out.with_suffix(".log")
        log.write_text((log.read_text() if log.exists() else "") + run.stdout + run.stderr)
        ended = {line["case"] for line in read([out]) if line["outcome"] != "started"}
        cut = [line["case"] for line in read([out]) if line["outcome"] == "started" and line["case"] not in ended]
        if not cut:
            return
        with out.open("a") as lines:  # its process is gone: the others go on without it
            for case in cut:
                lines.write(
                    json.dumps({"case": case, "outcome": "failed", "error": f"process ended by {run.returncode}"})
                    + "\n"
                )


def read(files: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]


def outcomes(files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """The last outcome of each case; a case that failed in any part of it (its set-up, its end) has failed."""
    found: dict[str, dict[str, Any]] = {}
    for line in read(files):
        if line["outcome"] != "started" and found.get(line["case"], {}).get("outcome") != "failed":
            found[line["case"]] = line
    return found


def report(found: dict[str, dict[str, Any]], causes: int) -> None:
    """Print cases by file, and what failed grouped by the first line of the error."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for case, line in found.items():
        rows[case.partition("::")[0]][line["outcome"]] += 1
    kinds = ("passed", "failed", "skipped", "left out", "not collected")
    print("| file | " + " | ".join(kinds) + " | passed of run |\n| --- |" + " ---: |" * (len(kinds) + 1))
    total: Counter[str] = Counter()
    for file, row in sorted(rows.items()):
        total += row
        print(f"| {file.removesuffix('.py')} | " + " | ".join(str(row[kind]) for kind in kinds) + f" | {share(row)} |")
    print("| all | " + " | ".join(str(total[kind]) for kind in kinds) + f" | {share(total)} |")
    groups: dict[str, list[str]] = defaultdict(list)
    for case, line in found.items():
        if line["outcome"] in ("failed", "not collected"):
            groups[cause(line["error"])].append(case)
    print()
    for text, cases in sorted(groups.items(), key=lambda pair: -len(pair[1]))[:causes]:
        functions = Counter(case.partition("[")[0].partition("::")[2] for case in cases)
        print(f"{len(cases):5d}  {text}\n       {', '.join(f'{name} {n}' for name, n in functions.most_common(6))}")


def share(row: Counter[str]) -> str:
    run = row["passed"] + row["failed"] + row["not collected"]
    return f"{100 * row['passed'] / run:.1f} %" if run else "–"


def cause(error: str) -> str:
    """The error without its numbers and addresses, so that like falls to like."""
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", error.rpartition("  [")[0] or error)
    return re.sub(r"\d+(\.\d+)?(e-?\d+)?", "N", text)[:160]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--checkout", default=os.environ.get("MXNET_CHECKOUT"), help="folder or tar file; MXNET_CHECKOUT"
    )
    parser.add_argument("--files", nargs="*", default=FILES, help="such as loss gluon_rnn")
    parser.add_argument("--shard", default="0/1", help="K/N: every N-th case from the K-th on")
    parser.add_argument("--out", type=Path, help="a folder for the outcomes: what stands there is not run again")
    parser.add_argument("--report", action="store_true", help="run nothing: print what --out holds")
    parser.add_argument("--causes", type=int, default=40, help="how many causes of failures to print")
    options, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = options.out or Path(scratch) / "out"
        out.mkdir(parents=True, exist_ok=True)
        if not options.report:
            if not options.checkout:
                raise SystemExit(f"say where MXNet's tests are, by --checkout or MXNET_CHECKOUT; to get them: {WHERE}")
            checkout = checkout_of(options.checkout, Path(scratch))
            for name in options.files:
                file = out / f"{name}-{options.shard.replace('/', '-of-')}.jsonl"
                run_file(checkout, name, file, options.shard, arguments)
        report(outcomes(sorted(out.glob("*.jsonl"))), options.causes)


if __name__ == "__main__":
    main()
