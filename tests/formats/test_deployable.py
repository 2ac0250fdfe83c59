"""A saved program as what runs without Python sees it."""

import numpy
import pytest

import hybridize as hy
from hybridize import np
from hybridize.base.errors import CaptureError, StateError
from hybridize.formats import SavedProgram
from hybridize.formats.deployable import deployable, identifier
from hybridize.formats.sampling import reference
from hybridize.gluon import nn
from hybridize.graph import verify


def saved(function, *calls):
    compiled = hy.hybridize(function)
    for call in calls:
        compiled(*call)
    return compiled.saved()


def test_weights_are_constants_and_sizes_make_variants():
    w = np.array(numpy.arange(6.0).reshape(2, 3))
    found = deployable(saved(lambda x: np.dot(x, w), (np.ones((1, 2)),), (np.ones((4, 2)),)))
    assert [one.name for one in found.inputs] == ["x"]
    assert [one.name for one in found.outputs] == ["output"]
    exact, general = found.variants
    assert exact.scope is None and general.scope is not None
    assert [str(value.type) for value in exact.graph.inputs] == ["f32[1,2]"]
    assert any(numpy.array_equal(array, w.asnumpy()) for array in exact.graph.constants.values())
    assert found.states == () and found.left_out == ()
    assert found.inputs[0].type == general.graph.inputs[0].type
    for variant in found.variants:
        verify(variant.graph)


def test_names_come_from_parameters_structures_and_keys():
    def f(pair, scale=2.0, *, more):
        return {"sum": pair[0] + pair[1], "rest": [scale * more, more]}

    program = hy.hybridize(f)
    x = np.ones((2,))
    program((x, x), 3.0, more=x)
    found = deployable(program.saved())
    assert [one.name for one in found.inputs] == ["pair_0", "pair_1", "scale", "more"]
    assert [one.name for one in found.outputs] == ["sum", "rest_0", "rest_1"]


def test_what_a_call_writes_is_state_or_a_further_output():
    def f(x):
        x[0] = 7
        return np.random.uniform(size=(3,)) + x

    found = deployable(saved(f, (np.ones((3,)),)))
    (state,) = found.states
    assert state.initial.dtype == numpy.uint64 and state.initial.shape == (2,)
    assert [one.name for one in found.outputs] == ["output", "x_after"]
    (variant,) = found.variants
    assert len(variant.graph.inputs) == 2 and variant.states == (0,)
    assert len(variant.graph.outputs) == 3 and variant.new_states == (0,)
    assert variant.graph.outputs[-1].type.dtype == numpy.uint64


def test_other_dtypes_are_left_out_by_name():
    found = deployable(saved(lambda x: x + x, (np.ones((2,), dtype="float64"),), (np.ones((2,)),)))
    assert found.left_out == ("(f64[2])",)
    assert str(found.inputs[0].type) == "f32[2]"


def test_what_cannot_leave_is_refused():
    with pytest.raises(StateError, match="E532"):
        deployable(SavedProgram("f", ()))
    with pytest.raises(CaptureError, match="E454"):
        deployable(saved(lambda x: 3, (np.ones((2,)),)))


def test_a_block():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(np.ones((1, 4)))
    found = deployable(net._function.saved() if hasattr(net, "_function") else net.program(np.ones((1, 4))).saved())
    assert found.name.isidentifier()


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("my-net.0", "my_net_0"),
        ("3d", "_3d"),
        ("<lambda>", "lambda"),
        ("é", "e"),
        ("模型", "program"),
        ("Übergröße", "Ubergrosse"),
    ],
)
def test_identifiers(given, word):
    assert identifier(given) == word


def test_what_is_fixed_is_told():
    def f(x, flag, mode, scale, nothing=None):
        return (x if flag else -x) * np.array(scale), mode, None, {"always": 5}

    compiled = hy.hybridize(f)
    compiled(np.ones((2,)), False, "a", 2.5)
    compiled(np.ones((2,)), True, mode="b", scale=1.5)
    compiled(np.ones((2,)), True, "b", 2.5)
    found = deployable(compiled.saved())
    assert [one.name for one in found.inputs] == ["x"] and [one.name for one in found.outputs] == ["output_0"]
    assert found.fixed == (
        "the argument flag is True",
        "the argument mode is 'b'",
        "the argument scale is 2.5",
        "the result output_1 is 'b'",
        "the result output_3_always is 5",
    )
    assert found.left_out == ("(f32[2], False, 'a', 2.5)", "(f32[2], True, 'b', 1.5)")


def test_nothing_is_fixed_and_nothing_left_out_where_one_program_takes_all_calls():
    # The result of a size is a constant of the exact program, and computed by the general one.
    calls = [(np.ones((size, 2)),) for size in (3, 5, 1)]
    for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0)):
        program = saved(lambda x: (x.shape[0], x * 2, 7), *(calls[k] for k in order))
        found = deployable(program)
        assert [one.scope is not None for one in found.variants] == [False] * (len(found.variants) - 1) + [True]
        assert len(found.variants) > 1
        assert found.left_out == () and found.fixed == ("the result output_2 is 7",)
        for variant in found.variants:
            verify(variant.graph)
            for one in variant.samples:
                assert [len(one.outputs), int(one.outputs[0])] == [2, len(one.inputs[0])]
                found_outputs = reference(variant.graph, one.inputs)
                assert all(map(numpy.array_equal, found_outputs, one.outputs))


def test_programs_of_training_are_told():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with hy.autograd.train_mode():
        net(np.ones((1, 3)))
    found = deployable(net._function.saved())
    assert found.fixed == ("it is a program of training: dropout is active, and the like",)
    assert found.left_out == ()
