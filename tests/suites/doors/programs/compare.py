# SPDX-License-Identifier: Apache-2.0
"""Load what `tensorflow_programs.py` wrote, without TensorFlow, and compare: python compare.py FOLDER [NAME ...]."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import numpy

import hybridize
from hybridize import load, np


def compare(folder: str, name: str, verbose: bool = False, imperative: bool = False) -> float:
    """Return the largest difference from TensorFlow's results, in parts of the largest number.

    Args:
        folder: of the models.
        name: of the case.
        verbose: print each result's difference.
        imperative: run the model without compiling it.

    Raises:
        AssertionError: shapes or dtypes differ, or integers.
    """
    numbers = numpy.load(os.path.join(folder, name + ".npz"))
    net = load(os.path.join(folder, name), signature=str(numbers["signature"]))
    if imperative:
        net.hybridize(False)
    worst = 0.0
    calls = sorted({int(key.partition(".")[0]) for key in numbers.files if key[0].isdigit()})
    for call in calls:
        inputs = {key.split(".", 2)[2]: np.array(numbers[key], dtype=numbers[key].dtype) for key in numbers.files
                  if key.startswith(f"{call}.in.")}  # fmt: skip
        result = net(*inputs.values())
        named = [key for key in numbers.files if key.startswith(f"{call}.named.")]
        if named:
            pairs = [(numbers[key], result[key.split(".", 2)[2]]) for key in named]
        else:
            results: Any = list(result.values()) if isinstance(result, dict) else result
            if not isinstance(results, (tuple, list)):
                results = [results]
            count = sum(key.startswith(f"{call}.out.") for key in numbers.files)
            assert len(results) == count, (len(results), count)
            pairs = [(numbers[f"{call}.out.{k}"], one) for k, one in enumerate(results)]
        for number, (theirs, ours) in enumerate(pairs):
            ours = ours.asnumpy()
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (
                number,
                ours.shape,
                theirs.shape,
                ours.dtype,
                theirs.dtype,
            )
            if theirs.dtype.kind in "fc":
                assert (numpy.isnan(ours) == numpy.isnan(theirs)).all(), number
                finite = numpy.isfinite(theirs)
                assert (ours[~finite & ~numpy.isnan(theirs)] == theirs[~finite & ~numpy.isnan(theirs)]).all(), number
                apart = numpy.abs(ours - theirs, where=finite, out=numpy.zeros_like(theirs))
                part = float(apart.max(initial=0) / max(float(numpy.abs(theirs[finite]).max(initial=0)), 1e-6))
                if verbose:
                    print("   ", call, number, part)
                worst = max(worst, part)
            else:
                assert (ours == theirs).all(), (number, ours, theirs)
    return worst


def main() -> None:
    """Compare the cases that are named, or all."""
    folder, *names = sys.argv[1:]
    names = names or sorted(name.removesuffix(".npz") for name in os.listdir(folder) if name.endswith(".npz"))
    for name in names:
        try:
            print(f"{name:28} {compare(folder, name, imperative=bool(os.environ.get('IMPERATIVE'))):.1e}", flush=True)
        except Exception as error:
            print(f"{name:28} {type(error).__name__} {str(error)[:700]}", flush=True)
            if os.environ.get("TRACE"):
                traceback.print_exc()
    assert "tensorflow" not in sys.modules and hybridize


if __name__ == "__main__":
    main()
