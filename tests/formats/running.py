# SPDX-License-Identifier: Apache-2.0
"""Graphs of MXNet's files, run on NumPy's arrays."""

import numpy

from hybridize import np
from hybridize.symbol import stored


def execute(graph, feeds):
    """Return the results of a graph for arrays by the names of its variables, as NumPy's arrays."""
    expression = stored.of_graph(graph)
    arrays = {name: np.array(x, dtype=numpy.asarray(x).dtype) for name, x in feeds.items()}
    found = expression._replay()(*(arrays.get(one.name) for one in expression._variables()))
    return [x.asnumpy() for x in (found if isinstance(found, (list, tuple)) else [found])]
