"""Functions that TensorFlow traced, stored by `store.py`: the live door's graphs, without TensorFlow."""

from pathlib import Path

import numpy
import pytest

from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.formats.tensorflow.functional import functional
from hybridize.formats.tensorflow.graphdef import program_of_functions
from hybridize.formats.tensorflow.messages import SCHEMAS
from hybridize.formats.tensorflow.vocabulary import Handle
from hybridize.formats.wire import parse
from hybridize.programs.backends import Evaluation, Machine
from hybridize.programs.differentiated import Recorded

STORED = Path(__file__).parent / "stored"


def stored(name):
    """The program, and the numbers beside it."""
    library = parse((STORED / f"{name}.pb").read_bytes(), "Library", SCHEMAS, name)
    functions = [parse(data, "Function", SCHEMAS, name) for data in library["function"]]
    numbers = dict(numpy.load(STORED / f"{name}.npz"))
    handles = [Handle(str(k)) for k in range(sum(key.startswith("before.") for key in numbers))]
    root = functions[-1]["signature"]["name"]
    program = program_of_functions({one["signature"]["name"]: one for one in functions}, root, handles, source=name)
    return program, numbers, [one.name for one in handles]


def called(numbers, number, kind):
    return [numbers[f"{number}.{kind}.{k}"] for k in range(sum(key.startswith(f"{number}.{kind}.") for key in numbers))]


@pytest.mark.parametrize("backend", [Machine, Evaluation])
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("name", ["training_step", "running_sums"])
def test_a_stored_function_gives_what_tensorflow_gave(name, frozen, backend):
    program, numbers, names = stored(name)
    state = {one: numbers[f"before.{one}"] for one in names}
    scope = SizeScope()
    size = scope.symbol(len(numbers["0.in.0"]), low=2)
    kinds = {
        f"x{k}": TensorType((size, *x.shape[1:]), x.dtype) for k, x in enumerate(called(numbers, 0, "in"))
    }  # fmt: skip
    types = {one: TensorType(array.shape, array.dtype) for one, array in state.items()}
    graph, read, written = functional(program, kinds, types, state if frozen else {})
    assert set(written) == set(names), "each of these functions assigns all of its variables"
    assert not scope.pinned, "one graph for batches of any size"
    runs = backend(graph, name) if backend is Machine else backend(graph)
    for number in range(sum(key.endswith(".in.0") for key in numbers)):
        outputs = runs.run([*called(numbers, number, "in"), *(state[one] for one in read)])
        state |= zip(written, outputs[len(outputs) - len(written) :], strict=True)
        expected = [*called(numbers, number, "out"), *called(numbers, number, "after")]
        for found, array in zip(
            [*outputs[: len(outputs) - len(written)], *(state[one] for one in names)], expected, strict=True
        ):
            assert found.shape == array.shape and found.dtype == array.dtype
            numpy.testing.assert_allclose(found, array, rtol=1e-5, atol=1e-6)


def test_what_is_read_after_an_assignment_has_the_variables_gradient():
    program, numbers, names = stored("running_sums")
    x = numbers["0.in.0"]
    state = {one: numbers[f"before.{one}"] for one in names}
    types = {one: TensorType(array.shape, array.dtype) for one, array in state.items()}
    graph, read, _ = functional(program, {"x": TensorType(x.shape, x.dtype)}, types, {})
    total = 1 + read.index(next(one for one in names if types[one].shape == (3,)))
    inputs = [x, *(state[one] for one in read)]
    pair = Recorded(graph, "sums", "numpy", False, None, [0]).pair((0, total), inputs)
    outputs, halves = pair.forward.run(inputs), pair.halves
    kept = [
        *(inputs[k] for k in halves.inputs),
        *(outputs[k] for k in (*halves.outputs, *range(len(graph.outputs), len(outputs)))),
        *pair.dims(inputs),
    ]
    found = dict(zip(halves.gradients, pair.back([*kept, numpy.ones_like(x)], [True]), strict=True))
    assert found[total].any()
    assert 0 not in found or not found[0].any(), "to TensorFlow no gradient goes through an assignment"
