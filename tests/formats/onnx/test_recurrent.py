"""ONNX's recurrent layers give ONNX Runtime's numbers in all their forms, for any batch by one general program."""

import numpy
import pytest
import torch

from hybridize import autograd, np
from hybridize.errors import LoadError, ShapeError
from tests.formats.onnx.oracles import agree, block_of, info, model_of, node, reference

RANDOM = numpy.random.RandomState(0)
LONG = pytest.mark.long
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, SIZE, INPUTS = 5, 4, 3


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def layer(op, optional="", opset=14, batch_first=False, **attributes):
    """A model of one layer; optional inputs by their first letters: Bias, Lengths, Hidden state, Cell, Peepholes."""
    count = 2 if attributes.get("direction") == "bidirectional" else 1
    rows = GATES[op] * SIZE
    weights = {"w": floats(count, rows, INPUTS), "r": floats(count, rows, SIZE), "b": floats(count, 2 * rows),
               "p": floats(count, 3 * SIZE)}  # fmt: skip
    places = "bLHCp" if op == "LSTM" else "bLH"
    names = ["x", "w", "r", *(letter.lower() if letter in optional else "" for letter in places)]
    state = ["n", count, SIZE] if batch_first else [count, "n", SIZE]
    inputs = [info("x", "f4", ["n", STEPS, INPUTS] if batch_first else [STEPS, "n", INPUTS])]
    inputs += [info("l", "i4", ["n"])] if "L" in optional else []
    inputs += [info(letter.lower(), "f4", state) for letter in "HC" if letter in optional]
    outputs = ["y", "yh", "yc"][: 3 if op == "LSTM" else 2]
    used = {name: array for name, array in weights.items() if name in names}
    nodes = [node(op, names, outputs, hidden_size=SIZE, **attributes)]
    return model_of(nodes, inputs, [info(name) for name in outputs], used, opset), inputs


def feeds(inputs, batch):
    arrays = {}
    for one in inputs:
        shape = [size.dim_value or batch for size in one.type.tensor_type.shape.dim]
        arrays[one.name] = RANDOM.randint(0, STEPS + 1, shape).astype("i4") if one.name == "l" else floats(*shape)
    return arrays


def check(op, optional="", oracle=None, **attributes):
    model, inputs = layer(op, optional, batch_first=attributes.get("layout") == 1, **attributes)
    batches = [feeds(inputs, batch) for batch in (2, 3, 5)]
    return agree(model, *batches, **({} if oracle is None else {"oracle": oracle}))


@pytest.mark.parametrize(
    "direction", [pytest.param("forward", marks=LONG), pytest.param("reverse", marks=LONG), "bidirectional"]
)
@pytest.mark.parametrize("op", GATES)
def test_directions_with_everything(op, direction):
    check(op, "bLHCp" if op == "LSTM" else "bLH", direction=direction)


@pytest.mark.parametrize("op", GATES)
def test_nothing_but_weights(op):
    check(op)


@pytest.mark.parametrize("after", [0, 1])
def test_a_gru_resets_the_state_or_its_product(after):
    check("GRU", "bH", direction="bidirectional", linear_before_reset=after)


@LONG
def test_one_state_of_two():
    check("LSTM", "bC")


@pytest.mark.parametrize("op", ["LSTM", pytest.param("GRU", marks=LONG), pytest.param("RNN", marks=LONG)])
def test_sums_are_clipped(op):
    check(op, "bH", clip=0.3)


def test_a_cell_that_forgets_what_it_does_not_let_in():
    check("LSTM", "b", input_forget=1)


def test_the_batch_before_the_steps():
    """ONNX Runtime has no such layout."""
    check("LSTM", "bHC", oracle=reference, layout=1)
    check("GRU", "b", oracle=reference, layout=1, linear_before_reset=1)


@pytest.mark.parametrize("activations", [
    {"activations": ["HardSigmoid", "ScaledTanh"], "activation_alpha": [0.3, 1.5], "activation_beta": [0.4, 0.5]},
    {"activations": ["Sigmoid", "LeakyRelu"], "activation_alpha": [0.2]},
    pytest.param({"activations": ["Softsign", "Softplus"]}, marks=LONG),
    pytest.param({"activations": ["Affine", "Softsign"], "activation_alpha": [0.5], "activation_beta": [0.25]}, marks=LONG),
    pytest.param({"activations": ["Sigmoid", "Elu"], "activation_alpha": [0.7]}, marks=LONG),
    pytest.param({"activations": ["Tanh", "ThresholdedRelu"], "activation_alpha": [0.1]}, marks=LONG),
])  # fmt: skip
def test_activations_have_numbers_of_their_own(activations):
    check("GRU", "bH", **activations)


def test_each_direction_has_activations():
    check("RNN", "b", direction="bidirectional", activations=["Relu", "Sigmoid"])


@LONG
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_are_pytorchs(compiled):
    """Of inputs and weights, whose gates stand in another order there."""
    theirs = torch.nn.LSTM(INPUTS, SIZE)

    def turned(x):
        return numpy.concatenate([x.detach().numpy().reshape(4, SIZE, *x.shape[1:])[k] for k in (0, 3, 1, 2)])

    weights = {"w": turned(theirs.weight_ih_l0)[None], "r": turned(theirs.weight_hh_l0)[None],
               "b": numpy.concatenate([turned(theirs.bias_ih_l0), turned(theirs.bias_hh_l0)])[None]}  # fmt: skip
    model = model_of([node("LSTM", "x w r b", "y", hidden_size=SIZE)], [info("x", "f4", [STEPS, "n", INPUTS])],
                     [info("y")], weights)  # fmt: skip
    values = floats(STEPS, 2, INPUTS)
    x = torch.tensor(values, requires_grad=True)
    (theirs(x)[0] ** 2).sum().backward()
    block = block_of(model)
    block.hybridize(compiled)
    own = np.array(values)
    own.attach_grad()
    with autograd.record():
        loss = (block(own) ** 2).sum()
    loss.backward()
    numpy.testing.assert_allclose(own.grad.asnumpy(), x.grad.numpy(), rtol=1e-4, atol=1e-6)
    for name, of in (("w", theirs.weight_ih_l0), ("r", theirs.weight_hh_l0)):
        gradient = block.collect_params()[name].grad().asnumpy()[0]
        numpy.testing.assert_allclose(gradient, turned(of.grad), rtol=1e-4, atol=1e-6)


def test_what_no_layer_has_is_refused():
    model, _ = layer("RNN", activations=["Sin"])
    with pytest.raises(LoadError, match="the activation Sin is not supported") as error:
        block_of(model)(np.zeros((STEPS, 2, INPUTS)))
    assert error.value.code == "E603"
    model, _ = layer("RNN")
    del model.graph.input[0].type.tensor_type.shape.dim[:]
    model.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ShapeError, match=r"an input f32\[2,3\]") as error:
        block_of(model)(np.zeros((2, 3)))
    assert error.value.code == "E186"
