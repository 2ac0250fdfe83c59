# SPDX-License-Identifier: Apache-2.0
"""`SavedProgram`: a hybridized function as plain data, what archives hold and `capture.Function` is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from numpy.typing import NDArray

from hybridize.base.frozen import frozen
from hybridize.base.nested import Structure
from hybridize.compiler.archived import Code
from hybridize.graph import Graph


@frozen
class Leaf:
    """One leaf of the arguments or of the result."""

    kind: str
    """`array`; `scalar`, a Python number that reaches the graph as a 0-d input; or `constant`."""
    value: Any = None
    """Of a constant: None, a bool, int, float or str that calls must repeat, or that results repeat. Of a scalar: the
    name of its Python class, or None."""


ARRAY = Leaf("array")
OF_ND = Leaf("array", "nd")
"""An array with the operators and methods of MXNet 1."""


@frozen(eq=False)
class CheckedCall:
    """A call with what it gave, by which whatever is made of a program is checked."""

    inputs: tuple[NDArray[Any], ...]
    """For each input of the graph that is an argument."""
    outputs: tuple[NDArray[Any], ...]
    """For each output of the graph, those that are written back too, where the state is that of `SavedProgram`."""


@frozen
class SavedSignature:
    """One captured graph, and how a call's arguments and its result map to it."""

    graph: Graph
    """Its inputs: the leaves of the arguments that are not constant, in order; then `state`. Its outputs: the arrays
    of the result, in order; then the new values of the inputs that `writes` lists."""
    arguments: Structure
    """Of `(args, kwargs)`: a tuple of a tuple and a dict."""
    leaves: tuple[Leaf, ...]
    """One for each leaf of `arguments`."""
    result: Structure
    result_leaves: tuple[Leaf, ...]
    state: tuple[str, ...] = ()
    """Keys of `SavedProgram.weights`."""
    writes: tuple[int, ...] = ()
    """Positions in `graph.inputs`."""
    training: bool = False
    samples: Sequence[CheckedCall] = ()
    codes: tuple[Code, ...] = ()
    """Machine code that came with the file, for several targets; to be used where the user trusts it."""


@frozen
class SavedProgram:
    """All that a saved function is: its captured signatures share the weights."""

    name: str
    signatures: tuple[SavedSignature, ...]
    weights: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Arrays that the function read from outside: parameters, closures, the state of the random generator."""
    argument_names: tuple[str, ...] = ()
    """Names of the positional parameters, so that a loaded function takes them by keyword too."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keywords given to `hybridize` (JSON values)."""
    process: tuple[Code, ...] = ()
    """Machine code that came with the file and that a process needs once."""
    none_defaults: tuple[str, ...] = ()
    """Names of the parameters that are None where a call leaves them out."""
    left_out: tuple[str, ...] = ()
    """Descriptions of what calls do in Python and files do without: places that no result needs, schedules."""
    settable: tuple[str, ...] = ()
    """Keys of weights that no call writes, and that the host of a file sets between calls: learning rates."""
    file: Callable[[Mapping[str, NDArray[Any]]], bytes] | None = None
    """The bytes of the file that it was read from, with these weights in it; None where there is none."""
    identity: str = ""
    """Names what that file holds; empty where there is none."""
