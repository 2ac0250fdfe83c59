"""Names, prefixes, sharing, files and errors of MXNet 1, against what MXNet 1.9.1 gives."""

import copy
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

import hybridize as mx
from hybridize.errors import LoadError
from tests.gluon import first_generation

HERE = Path(__file__)
EXPECTED = json.loads(HERE.with_name("first_generation.json").read_text())
PROGRAMS = {
    (part, title): function
    for part, programs in first_generation.PARTS.items()
    for title, function in programs(mx)
}  # fmt: skip
MISTAKES = {
    (part, title): function
    for part in ("mistakes", "settings")
    for title, function in getattr(first_generation, part)(mx)
}  # fmt: skip
ALLOWED = {"summary hybridized", "modified twice", "row_sparse_data without a trainer"}
"""What hybridize does although MXNet refuses it, as docs/guide/differences.md says."""


def test_all_programs_have_a_result():
    assert {part: sorted(EXPECTED[part]) for part in first_generation.PARTS} == {
        part: sorted(title for one, title in PROGRAMS if one == part) for part in first_generation.PARTS
    }
    assert {(part, title) for part in ("mistakes", "settings") for title in EXPECTED[part]} == set(MISTAKES)


@pytest.mark.parametrize(("part", "title"), PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_is_as_in_mxnet(part, title):
    result, expected = json.loads(json.dumps(PROGRAMS[part, title]())), EXPECTED[part][title]
    if title == "trained":
        numpy.testing.assert_allclose(result, expected, rtol=1e-5)
    else:
        assert result == expected


@pytest.mark.parametrize(("part", "title"), MISTAKES)
@pytest.mark.filterwarnings("ignore")
def test_the_clauses_that_catch_an_error_of_mxnet_catch_ours(part, title):
    expected = EXPECTED[part][title]
    clauses = first_generation.caught(mx, MISTAKES[part, title])
    assert expected, "MXNet refuses it"
    assert clauses is None if title in ALLOWED else set(expected) <= set(clauses or ())


@pytest.mark.long
def test_the_results_are_those_of_mxnet():
    python = HERE.parents[2] / ".mxnet" / "1.9.1" / "bin" / "python"
    if sys.version_info >= (3, 12):
        pytest.skip("MXNet needs a NumPy that is there for Python up to 3.11")
    if not python.exists():
        pytest.fail("MXNet is not there: make .mxnet/.installed")
    done = subprocess.run([python, first_generation.__file__], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    for one in (results, EXPECTED):
        one["sharing"]["trained"] = [round(value, 5) for value in one["sharing"]["trained"]]
    assert results == EXPECTED


@pytest.mark.parametrize("which", ["collect_params", "params"])
def test_what_shares_nothing_is_warned_of(which):
    net, prediction, outside, _, translator = first_generation.nets(mx)

    def given(kind, **kwargs):
        other = kind(prefix="n_")
        return kind(params=other.collect_params() if which == "collect_params" else other.params, **kwargs)

    with pytest.warns(UserWarning, match="Outside shares nothing of params="):
        given(outside).initialize()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given(net).initialize()  # its own parameter, at the least
        given(lambda **kwargs: mx.gluon.nn.Dense(2, in_units=2, **kwargs)).initialize()
        if which == "collect_params":
            given(translator).initialize()
            given(prediction, prefix="m_").initialize()
    if which == "params":
        with pytest.warns(UserWarning, match="Translator shares nothing"):
            given(translator).initialize()


def _structural():
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class Modern(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layers = nn.HybridSequential()
            self.layers.add(nn.Dense(3, activation="relu"), nn.BatchNorm())
            self.cell = rnn.ResidualCell(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)))

        def forward(self, x):
            return self.layers(x)

    yield Modern()
    yield Modern().layers[0:1]
    yield mx.gluon.model_zoo.vision.resnet18_v1()
    yield mx.gluon.model_zoo.vision.mobilenet_v2_0_25()
    yield mx.gluon.model_zoo.vision.inception_v3().features
    yield nn.MultiHeadAttention(4, 2)
    yield nn.TransformerEncoder(2, 4, 2, 8)


def test_nets_of_mxnet_2_have_paths_as_keys_and_are_found_by_name():
    for net in _structural():
        keys = net.collect_params()
        assert list(keys) == list(net._parameters_by_path())
        for path, parameter in keys.items():
            assert keys[path] is keys[parameter.name] is keys.get(path) is keys.get(parameter.name)
            assert path in keys and parameter.name in keys
        names = [parameter.name for parameter in keys.values()]
        assert len(set(names)) == len({id(one) for one in keys.values()}), "names of our own layers are unique"
        assert "nothing" not in keys and keys.get("nothing") is None and keys.get("nothing", 3) == 3
        with pytest.raises(KeyError):
            keys["nothing"]


@pytest.mark.parametrize("means", ["prefix", "params", "name_scope", "hybrid_forward", "below"])
def test_one_part_of_mxnet_1_makes_names_the_keys(means):
    nn = mx.gluon.nn

    class Old(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x

    class Derived(Old):
        pass

    net = nn.HybridSequential()
    dense = nn.Dense(
        2, in_units=2, **{"prefix": {"prefix": "a_"}, "params": {"params": nn.Dense(2).params}}.get(means, {})
    )
    if means == "name_scope":
        with net.name_scope():
            dense = nn.Dense(2, in_units=2)
    net.add(dense)
    if means == "hybrid_forward":
        net.add(Derived())
    if means == "below":
        inner = nn.HybridSequential()
        inner.add(Old())
        net.add(inner)
    params = net.collect_params()
    assert list(params) == [dense.weight.name, dense.bias.name] == [p.name for p in params.values()]
    assert params["0.weight"] is dense.weight and "0.bias" in params
    other = nn.HybridSequential()
    other.add(nn.Dense(2, in_units=2))
    other.share_parameters(params)
    assert other[0].weight is dense.weight
    assert list(other.collect_params()) == ["0.weight", "0.bias"]


def test_names_and_what_is_shared_survive_copies(tmp_path):
    net, prediction, _, _, _ = first_generation.nets(mx)
    first = net(prefix="n_")
    first.initialize()
    again = copy.deepcopy(first)
    assert list(again.collect_params()) == list(first.collect_params())
    second = prediction(prefix="n_", params=again.collect_params())
    assert second.d.weight is again.d.weight is not first.d.weight


def test_a_file_of_save_parameters_is_read_by_names(tmp_path):
    net, *_ = first_generation.nets(mx)
    first, second = net(prefix="n_"), net(prefix="m_")
    first.initialize(mx.init.Normal(1.0))
    first.save_parameters(tmp_path / "f.params")
    second.collect_params().load(tmp_path / "f.params")
    numpy.testing.assert_array_equal(second.d.weight.data().asnumpy(), first.d.weight.data().asnumpy())
    third = net(prefix="n_")
    third.load_dict({name: one.data() for name, one in first.collect_params().items()})
    numpy.testing.assert_array_equal(third.d.weight.data().asnumpy(), first.d.weight.data().asnumpy())
    with pytest.raises(LoadError, match="E610"):
        net(prefix="o_").load_dict({name: one.data() for name, one in first.collect_params().items()})


def test_states_of_a_trainer_go_by_path_whatever_the_names(tmp_path):
    results = []
    for prefix in ("n_", "m_"):
        net = first_generation.nets(mx)[0](prefix=prefix)
        net.initialize(mx.init.One())
        trainer = mx.gluon.Trainer(net.collect_params(), "adam")
        if results:
            trainer.load_states(tmp_path / "f.states")
        with mx.autograd.record():
            loss = net(mx.nd.ones((2, 4))).sum()
        loss.backward()
        trainer.step(2)
        if not results:
            trainer.save_states(tmp_path / "f.states")
        results.append(trainer)
    assert results[1]._optimizer.num_update == 2
