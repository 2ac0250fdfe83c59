# SPDX-License-Identifier: Apache-2.0
"""Calls that NumPy refuses, here and there: those of the census of names, with an argument that makes no sense.

    python -m tests.array.nonsense_census

prints the calls that NumPy refuses with an error of one class and ours do not.
"""

from __future__ import annotations

import ast
import warnings

import numpy

import hybridize
from tests.array import numpy_census

NONSENSE = ("99", "-99", "[[1, 2], [3]]", "np.zeros((0,))", "np.zeros((2, 0, 3))", "1.5", "(5, 7)", "A.T", "np.zeros(7)")  # fmt: skip
KEYWORDS = ("axis=9", "axis=-9", "axis='word'", "axis=(0, 0)", "axis=1.5", "axis=(0, 9)", "dtype='word'", "dtype=3.5", "out=3", "nothing=1", "where='word'")  # fmt: skip
FAMILIES = (IndexError, TypeError, ValueError, NotImplementedError, OverflowError, ZeroDivisionError, AttributeError)


def calls():
    """The calls: the first of each function that reads no file, with one argument in the place of another."""
    for name, texts in {
        **numpy_census.CALLS,
        **{f"linalg.{name}": text for name, text in numpy_census.LINALG.items()},
    }.items():
        text = texts.split(";")[0].strip()
        if any(word in text for word in ("stored(", "raw(", "printoptions", "seterr", "geterr", "done(")):
            continue
        tree = ast.parse(text, mode="eval")
        wanted = f"np.{name}"
        call = next(
            (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == wanted), None
        )
        if call is None:
            continue
        texts = [ast.unparse(arg) for arg in call.args]
        named = [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords]
        for k in range(len(texts)):
            for instead in NONSENSE:
                yield name, f"{wanted}({', '.join([*texts[:k], instead, *texts[k + 1 :], *named])})"
        for more in KEYWORDS:
            kept = [one for one in named if one.split("=")[0] != more.split("=")[0]]
            yield name, f"{wanted}({', '.join([*texts, *kept, more])})"
        yield name, f"{wanted}({', '.join([*texts[:-1], *named])})"


def outcome(text, module):
    """The error of a call; None where it returns."""
    try:
        numpy_census.run(text, module)
    except Exception as error:
        return error
    return None


def family(error):
    """The classes of Python's that an error is of."""
    return {kind for kind in FAMILIES if isinstance(error, kind)}


def differences(every=1):
    """Calls that NumPy refuses, or every so many of them: counted, and those where ours has no error of such a class."""
    count, found = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, text in list(calls())[::every]:
            theirs = outcome(text, numpy)
            if theirs is None or not family(theirs) or (type(theirs) is AttributeError):
                continue
            count += 1
            ours = outcome(text, hybridize.np)
            if ours is None or not family(ours) & family(theirs):
                found.append((name, text, theirs, ours))
    return count, found


def main() -> None:
    """Print them."""
    count, found = differences()
    for _, text, theirs, ours in found:
        print(
            f"{text}\n    {type(theirs).__name__}: {str(theirs)[:90]}\n    {type(ours).__name__}: {str(ours).splitlines()[0][:140] if ours is not None else ''}"
        )
    print(f"{len(found)} of {count}")


if __name__ == "__main__":
    main()
