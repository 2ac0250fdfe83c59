# SPDX-License-Identifier: Apache-2.0
"""Inputs that a program must know: a model may take the shape of a result as an input; a program is then for one value.

names = known_inputs(program)                           what rows need to know, as far as it is computed of inputs
specialized(program, {"shape": numpy.array([2, 3])})    the program for this value
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from hybridize.base.frozen import changed
from hybridize.formats.foreign.program import ForeignProgram
from hybridize.formats.foreign.walk import known_names


def known_inputs(program: ForeignProgram, by_graphs: bool = True) -> tuple[str, ...]:
    """Return the inputs of a program that say shapes, axes or counts; see `walk.known_names`."""
    names = known_names(program, by_graphs=by_graphs)
    return tuple(port.name for port in program.graph.inputs if port.name in names)


def specialized(program: ForeignProgram, values: Mapping[str, NDArray[Any]]) -> ForeignProgram:
    """Return a program in which some inputs are constants.

    Args:
        program: any.
        values: by the name of the input.
    """
    graph = program.graph
    inputs = tuple(port for port in graph.inputs if port.name not in values)
    return changed(program, graph=changed(graph, inputs=inputs, constants={**graph.constants, **values}))
