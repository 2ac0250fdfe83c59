"""Value-range analysis: whatever a call gives, each integer of the graph is between the bounds that were found for it."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.capture.trace.bounds import bounds, of_dtype
from hybridize.graph import Builder

DTYPES = ("int8", "int32", "int64", "uint8")
BINARY = (ops.Add, ops.Sub, ops.Mul, ops.Mod, ops.FloorDiv, ops.Max, ops.Min, ops.BitAnd, ops.ShiftLeft)
UNARY = (ops.Neg, ops.Abs)


def random_graph(rng):
    """A graph of integers of shape [4] and of positions in them, each value an output."""
    builder = Builder()
    values = []
    for name in DTYPES:
        dtype = numpy.dtype(name)
        values.append(builder.input(TensorType((4,), dtype)))
        low, high = of_dtype(dtype)
        values.append(builder.constant(rng.integers(max(low, -5), min(high, 9), 4).astype(dtype)))
    for _ in range(25):
        x = values[rng.integers(len(values))]
        alike = [one for one in values if one.type == x.type]
        y = alike[rng.integers(len(alike))]
        match rng.integers(10):
            case 0 | 1 | 2 | 3:
                found = builder.add(BINARY[rng.integers(len(BINARY))](), [x, y])
            case 4:
                found = builder.add(UNARY[rng.integers(len(UNARY))](), [x])
            case 5:
                wide = numpy.dtype(("float32", "float64", *DTYPES)[rng.integers(6)])
                found = builder.add(ops.Cast(wide), [x])
                found = builder.add(ops.Cast(numpy.dtype("int64")), found) if wide.kind == "f" else found
            case 6:
                found = builder.add(ops.Where(), [*builder.add(ops.Lt(), [x, y]), x, y])
            case 7:
                made = (ops.ArgSort(0), ops.Sort(0), ops.Iota((4,), 0, x.type.dtype))[rng.integers(3)]
                found = builder.add(made, [] if isinstance(made, ops.Iota) else [x])
            case 8:
                top = builder.add((ops.ArgMax(0), ops.ReduceMin((0,)), ops.ReduceMax((0,)))[rng.integers(3)], [x])
                found = builder.add(ops.Broadcast((4,)), top)
            case _:
                parts = [
                    builder.add(ops.Slice((start,), (start + 2,), (1,)), [one])[0] for one, start in ((x, 0), (y, 2))
                ]
                found = builder.add(ops.Concat(0), parts)
        values += found
    return builder.finish(values)


@pytest.mark.parametrize("seed", range(60))
def test_values_are_between_their_bounds(seed):
    rng = numpy.random.default_rng(seed)
    graph = random_graph(rng)
    makers = {value: node for node in graph.nodes for value in node.outputs}
    for extreme in (False, True):
        known = dict(graph.constants)
        for value in graph.inputs:
            low, high = of_dtype(value.type.dtype)
            ends = numpy.array([low, high, 0, 1], value.type.dtype)
            known[value] = ends if extreme else rng.integers(-5, 9, 4).astype(value.type.dtype)
        for node in graph.nodes:
            with numpy.errstate(all="ignore"):
                known |= zip(node.outputs, node.op.reference(*(known[value] for value in node.inputs)), strict=True)
        for value in graph.outputs:
            low, high = bounds(value, makers.get, graph.constants.get, {})
            assert low <= int(known[value].min()), graph.text
            assert int(known[value].max()) <= high, graph.text
