# SPDX-License-Identifier: Apache-2.0
"""Methods that mean one thing of arrays of `nd`, as in MXNet 1, and another of arrays of `np`, as in NumPy.

What no array of `nd` went into is of `np`: images, parameters, batches of NumPy arrays and of data sets of vision.
"""

from __future__ import annotations

import ast

_FIRST = frozenset({"nd", "ndarray", "sym", "symbol"})
"""The modules whose arrays and expressions have MXNet 1's methods."""


def is_of_the_first(script: ast.Module) -> bool:
    """Tell whether a script is written for MXNet 1: it has `hybrid_forward`, or uses `nd` or `sym`."""
    for node in ast.walk(script):
        if isinstance(node, ast.FunctionDef) and node.name == "hybrid_forward":
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _FIRST:
            return True
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name.rpartition(".")[2] for alias in node.names]
            if _FIRST.intersection(names) and "mxnet" in f"{getattr(node, 'module', '')}{node.names[0].name}":
                return True
    return False


def remedy(call: ast.Call, used: bool) -> str | None:
    """Say what to write for a call of a method whose meaning is another; None: nothing is to be done.

    Args:
        call: any call of an attribute.
        used: whether something is done with what it gives.
    """
    assert isinstance(call.func, ast.Attribute)
    keywords = {one.arg for one in call.keywords}
    first = call.args[0] if call.args else None
    match call.func.attr:
        case "flatten" if not call.args and not keywords and not _of_numpy(call.func.value):
            return "all elements on one axis, as in NumPy; MXNet 1's keeps the first: F.flatten(x), nd.flatten(x)"
        case "split" if isinstance(first, ast.Constant) and type(first.value) is int and len(call.args) == 1:
            return None if keywords else "along axis 0, as in NumPy; MXNet 1's is along axis 1: say axis=1"
        case "take" if len(call.args) == 1 and "axis" not in keywords:
            return "of all elements, as in NumPy; MXNet 1's is along axis 0: say axis=0"
        case "sort" if used and "is_ascend" not in keywords:
            return "in place, as in NumPy, and gives None; MXNet 1's gives a sorted copy: F.sort(x), nd.sort(x)"
    return None


def _of_numpy(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "asnumpy"
