# SPDX-License-Identifier: Apache-2.0
"""Runs the array API's own test suite on `hybridize.array_api`, and prints what passes.

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests CHECKOUT
    pip install -r CHECKOUT/requirements.txt
    ARRAY_API_CHECKOUT=CHECKOUT python tests/suites/array_api/suite.py

Its tests are not copied. What may fail, and why, stands in `known.txt`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
"""Of the suite, with which the figures of docs/compatibility.md were made."""
WHERE = "git clone --recurse-submodules https://github.com/data-apis/array-api-tests CHECKOUT"
_OUTCOME = re.compile(r"^(array_api_tests/\S+\.py::.+?) (PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b", re.MULTILINE)


def checkout_of(given: str | None) -> Path:
    """Return the folder of a checkout with its submodule.

    Raises:
        SystemExit: there is none.
    """
    path = Path(given or "")
    if not given or not (path / "array_api_tests").is_dir():
        raise SystemExit(f"say where the array API's tests are, by ARRAY_API_CHECKOUT; to get them: {WHERE}")
    if not (path / "array-api" / "src").is_dir():
        raise SystemExit(f"{path} lacks the standard itself, a submodule: git submodule update --init")
    return path.resolve()


def outcomes(checkout: Path, examples: int, arguments: list[str]) -> dict[str, str]:
    """Run the suite; the outcome of each case, in lower case."""
    environment = {
        **os.environ, "ARRAY_API_TESTS_MODULE": "hybridize.array_api",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "pytest", "array_api_tests", "-v", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore",
        "--max-examples", str(examples), "--disable-deadline", "--hypothesis-derandomize", "--tb=line", *arguments,
    ]  # fmt: skip
    run = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    found = {case: outcome.lower() for case, outcome in _OUTCOME.findall(run.stdout)}
    if not found:
        raise SystemExit(f"the suite did not run:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
    return found


def known() -> dict[str, str]:
    """Cases that fail, by their names, with the reason."""
    lines = [line for line in (HERE / "known.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {case: reason for case, _, reason in (line.partition("  # ") for line in lines)}


def share(found: dict[str, str]) -> float:
    """The share of the cases that pass, of those that the suite does not skip itself."""
    run = [outcome for outcome in found.values() if outcome != "skipped"]
    return run.count("passed") / len(run)


def report(found: dict[str, str]) -> str:
    """Counts, and the cases that failed."""
    counts = ", ".join(f"{list(found.values()).count(kind)} {kind}" for kind in sorted(set(found.values())))
    failed = [case for case, outcome in found.items() if outcome not in ("passed", "skipped")]
    return "\n".join([f"{counts}: {100 * share(found):.2f} % of what is not skipped", *failed])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", default=os.environ.get("ARRAY_API_CHECKOUT"), help="a folder; ARRAY_API_CHECKOUT")
    parser.add_argument("--examples", type=int, default=100, help="of Hypothesis, for each case")
    options, arguments = parser.parse_known_args()
    print(report(outcomes(checkout_of(options.checkout), options.examples, arguments)))


if __name__ == "__main__":
    main()
