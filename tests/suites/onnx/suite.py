# SPDX-License-Identifier: Apache-2.0
"""Runs the node tests of the onnx package on `hybridize.onnx.backend`, and prints what passes.

    python tests/suites/onnx/suite.py [--imperatively] [--write] [PART OF A NAME ...]

Its tests are not copied. What does not pass, and why, stands in `ledger.txt`: it may only shrink. `--write` writes it.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy

HERE = Path(__file__).resolve().parent
LEDGER = HERE / "ledger.txt"
RANDOM = "it draws random numbers, and each generator has its own"
DIFFERS = {
    **dict.fromkeys(["bernoulli", "bernoulli_double", "bernoulli_seed", "bernoulli_expanded", "bernoulli_double_expanded", "bernoulli_seed_expanded", "training_dropout", "training_dropout_default", "training_dropout_default_mask", "training_dropout_mask"], RANDOM),
    **dict.fromkeys(
        ("resize_downsample_scales_cubic_align_corners", "resize_downsample_scales_linear_align_corners"),
        "the reference divides by a size that is no whole number; ours are ONNX Runtime's numbers, and PyTorch's",
    ),
    **dict.fromkeys(("dft_inverse", "dft_inverse_opset19"),
                    "the reference is further from 0 than the tolerance where the result is 0, ours is not"),
    "attention_4d_causal_fp16_expanded": "two of 192 float16 numbers are one unit of the last place off",
}  # fmt: skip
"""Tests whose numbers are others, and why; all else that does not pass is refused."""
OPERATOR = re.compile(r"E606: model: operator (\S+), node")


class Outcome(str):
    """The word for what became of a test, and what was said."""

    said: str = ""


def cases(modules: Iterable[str] | None = None) -> list[Any]:
    """The tests, by name: those of some modules of the onnx package, or all of them."""
    from onnx.backend.test.case import node

    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if modules is None:
            node.collect_testcases()
        for module in modules or ():
            importlib.import_module(f"{node.__name__}.{module}")
    return sorted(node._NodeTestCases, key=lambda case: str(case.name))


def modules() -> set[str]:
    """The modules of the onnx package that hold the tests of ONNX's own operators."""
    from onnx.backend.test.case import node

    return {path.stem for path in Path(str(node.__file__)).parent.glob("*.py") if not path.stem.startswith("_")}


def name_of(case: Any) -> str:
    """The name of a test without its first word."""
    return str(case.name).removeprefix("test_")


def outcome(case: Any, compiled: bool = True) -> Outcome:
    """Run a test: it `passes`, is `refused` by an error of ours, `differs`, or `breaks` in another way."""
    from onnx.backend.test.runner import Runner, _normalize_tensor

    from hybridize.base.errors import HybridizeError, InternalError
    from hybridize.onnx.backend import Backend

    word, said = "passes", ""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            prepared = Backend.prepare(case.model, compiled=compiled)
            for inputs, outputs in case.data_sets:
                results = prepared.run([_normalize_tensor(x) for x in inputs])
                wanted = [_normalize_tensor(x) for x in outputs]
                Runner.assert_similar_outputs(_flat(wanted), _flat(results), case.rtol, case.atol)
        except InternalError as error:
            word, said = "breaks", str(error)
        except HybridizeError as error:
            word, said = "refused", str(error)
        except AssertionError as error:
            word, said = "differs", str(error)
        except Exception as error:
            word, said = "breaks", f"{type(error).__name__}: {error}"
    result = Outcome(word)
    result.said = said
    return result


def _flat(values: Iterable[Any]) -> list[Any]:
    """Arrays, those of sequences behind their number: the package's comparison takes no numbers in sequences."""
    lists = [[numpy.array(len(one)), *_flat(one)] if isinstance(one, (list, tuple)) else [one] for one in values]
    return [array for one in lists for array in one]


def reason(name: str, result: Outcome) -> str:
    """Why a test does not pass, in a line."""
    operator = OPERATOR.search(result.said)
    if operator:
        return f"no operator {operator[1]}"
    if result == "differs":
        return DIFFERS.get(name, "DIFFERS")
    first = result.said.strip().splitlines()[0] if result.said.strip() else ""
    return re.sub(r"node '[^']*'", "node", first)[:150] if result == "refused" else f"BREAKS: {first[:100]}"


def ledger() -> dict[str, str]:
    """Tests that do not pass, with the reason."""
    lines = [line.split(":", 1) for line in LEDGER.read_text().splitlines() if line and not line.startswith("#")]
    return {name: text.strip() for name, text in lines}


def main(arguments: list[str]) -> int:
    """Run the tests whose names have one of the parts, all if there are none."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--imperatively", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("parts", nargs="*")
    chosen = parser.parse_args(arguments)
    results: Mapping[str, Outcome] = {
        name_of(case): outcome(case, not chosen.imperatively)
        for case in cases() if not chosen.parts or any(part in case.name for part in chosen.parts)
    }  # fmt: skip
    print(report(results))
    if chosen.write:
        rows = [f"{name}: {reason(name, one)}" for name, one in results.items() if one != "passes"]
        head = "# Node tests of onnx that do not pass, each with its reason. It may only shrink; see suite.py.\n"
        LEDGER.write_text(head + "".join(f"{row}\n" for row in rows))
    return 0


def report(results: Mapping[str, Outcome]) -> str:
    """The outcomes, counted: of operators, and of the same written out as functions."""
    lines = []
    for words, expanded in (("operators", False), ("operators as functions", True)):
        counts = Counter(one for name, one in results.items() if ("_expanded" in name) == expanded)
        lines.append(f"{words}: {', '.join(f'{count} {word}' for word, count in sorted(counts.items()))}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
