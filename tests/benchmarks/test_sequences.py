# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks over sequences: their sizes, and the same results in float64 and by every runtime here."""

import contextlib
import dataclasses
import importlib
import importlib.util
import itertools
from types import SimpleNamespace

import numpy
import pytest
import torch
from hybridize_bench import bench, goals, memory, report, sequence_memory, training_workloads, workloads
from hybridize_bench.peers import HYBRIDIZED, ROWS
from hybridize_bench.sequences import inference
from hybridize_bench.sequences.attention import AttentionGradients, AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet, DecodingNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.inference import MEASURED, SEQUENCES
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel
from hybridize_bench.sequences.recurrence import RecurrentNet
from hybridize_bench.sequences.training import LONG_TRAININGS, SEQUENCE_TRAININGS, SequenceTraining
from hybridize_bench.workloads import Data

SMALL_DECODER = {"layers": 2, "width": 32, "heads": 2, "inner": 24, "vocabulary": 11, "context": 9, "position": 5}
SMALL = {
    "lstm": RecurrentNet("lstm", 3, steps=5, inputs=6, hidden=8),
    "gru": RecurrentNet("gru", 1, steps=5, inputs=6, hidden=8),
    "encoder": EncoderNet(layers=2, width=16, heads=2, inner=24, steps=7, batch=2),
    "attention": AttentionNet(20, 2, size=8),
    "causal": AttentionNet(20, 2, causal=True, size=8),
    "gradients": AttentionGradients(20, 2, size=8),
    "causal gradients": AttentionGradients(20, 2, causal=True, size=8),
    "decoder": DecoderNet(**SMALL_DECODER),
    "decoding": DecodingNet(**SMALL_DECODER),
}
MODELS = {
    "recurrent": SequenceTraining("", RecurrentModel(5, vocabulary=9, embedding=6, hidden=8), 3, "sgd", 0.5),
    "transformer": SequenceTraining(
        "", TransformerModel(7, vocabulary=9, layers=2, width=16, heads=2, inner=24), 3, "adam", 1e-2
    ),
}


def cases(*tables):
    """The rows of tables as parameters; those that take long to start are tested with what takes long."""
    return [
        pytest.param(row, table, id=f"{row.name}, {table}", marks=[pytest.mark.long] if row.slow_start else [])
        for table in tables
        for row in ROWS
        if table in row.tables
    ]


@pytest.fixture
def torch_as_before():
    """A worker enters inference mode for good, and has one thread; this process goes on to other tests."""
    from hybridize_bench.peers import pytorch

    threads = torch.get_num_threads()
    yield
    while pytorch._GUARDS:
        pytorch._GUARDS.pop().__exit__(None, None, None)
    torch.set_num_threads(threads)
    assert torch.is_grad_enabled()


def build(row, table, *arguments):
    """The row's model, made as the worker makes it."""
    pytest.importorskip(row.package)
    return getattr(importlib.import_module(f"hybridize_bench.peers.{row.module}"), table)[row.mode](*arguments)()


@pytest.mark.usefixtures("torch_as_before")
@pytest.mark.parametrize(("row", "table"), cases(*dict.fromkeys(net.table for net in SMALL.values())))
def test_all_give_the_same(row, table, tmp_path):
    """Twice: states, caches and their position are as before then, or where they should be."""
    for name, net in SMALL.items():
        if net.table != table or (row.module == "sequences.litert" and name == "gru"):
            continue
        path = tmp_path / "data.npz"
        data = Data(table, path, inference.write(net, path))
        prepared = build(row, table, *inference.read(net, str(path)))
        for _ in range(1 if table == "DECODING" else 2):
            assert bench.disagreement(prepared.read(prepared.function(*prepared.arguments)), data) == "", name


def test_a_cache_that_is_not_written_is_found_out(tmp_path):
    net = SMALL["decoder"]
    arrays = net.arrays()
    data = Data(net.table, tmp_path, net.expected(arrays))
    arrays["keys"][:, :, net.position - 1] = 0
    assert "wrong result" in bench.disagreement(net.expected(arrays), data)
    other = dataclasses.replace(net, position=net.position - 1)
    assert "wrong result" in bench.disagreement(other.expected(net.arrays()), data)


@pytest.mark.usefixtures("torch_as_before")
@pytest.mark.parametrize("module", ["ours", "pytorch"])
def test_decoding_goes_on(module):
    """Each call is the next place; what it gives depends on all that were written before, and after the last comes 0."""
    net = SMALL["decoding"]
    positions = [*itertools.islice(net.positions(), net.context + 1)]
    assert positions == [5, 6, 7, 8, 0, 1, 2, 3, 4, 5]
    tables = importlib.import_module(f"hybridize_bench.peers.sequences.{module}")
    (mode,) = tables.DECODING
    prepared = tables.DECODING[mode](net, net.arrays())()
    arrays = net.arrays()
    for position in positions[:4]:
        found = prepared.read(prepared.function())
        stepped = dataclasses.replace(net, position=position)
        assert abs(found - stepped.expected(arrays)).max() < 1e-4
        written = _written(stepped, arrays)
        arrays["keys"][:, :, position], arrays["values"][:, :, position] = written


def _written(net, arrays):
    """Keys and values that a step writes, by PyTorch's."""
    from hybridize_bench.peers.sequences import torch_modules

    module = torch_modules.TorchStepper(net, arrays, compiled=False)
    with torch.no_grad():
        module(torch.tensor([net.token]), net.position)
    return [
        numpy.stack([getattr(layer, name)[0, :, net.position].numpy() for layer in module.layers])
        for name in ("keys", "values")
    ]


@pytest.mark.usefixtures("torch_as_before")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("row", "table"), cases("TRAIN_SEQUENCE"))
def test_all_learn_the_same(row, table, model, tmp_path):
    path = tmp_path / "data.npz"
    data = Data(table, path, training_workloads.write_sequences(MODELS[model], path))
    assert len(set(data.expected)) == training_workloads.CHECKED_OF_NETWORKS
    prepared = build(row, table, MODELS[model], *training_workloads.read_sequences(str(path)))
    assert bench.disagreement(prepared.read(prepared.function(*prepared.arguments)), data) == ""


@pytest.mark.parametrize("model", MODELS)
def test_gradients_are_those_that_pytorch_finds_in_float64(model):
    from hybridize_bench.peers.sequences import torch_modules

    training = MODELS[model]
    weights = training.model.arrays()
    ((x, y),) = training.tokens(1)
    wide = {name: array.astype("float64") for name, array in weights.items()}
    loss, gradients = training.model.backward(wide, x, y)
    module = torch_modules.TorchLoss(training.model, weights).double()
    theirs = module(torch.from_numpy(x).long(), torch.from_numpy(y).long())
    theirs.backward()
    assert loss == pytest.approx(theirs.item(), rel=1e-12)
    of_torch = sorted((tuple(one.shape), float(one.grad.abs().sum())) for one in module.parameters())
    of_ours = sorted((one.shape, float(abs(one).sum())) for one in gradients.values())
    assert [shape for shape, _ in of_ours] == [shape for shape, _ in of_torch]
    assert [total for _, total in of_ours] == pytest.approx([total for _, total in of_torch], rel=1e-9)
    assert gradients.keys() == weights.keys()


@pytest.mark.parametrize("model", MODELS)
def test_another_training_is_found_out(model, tmp_path):
    """Half the rate, another optimizer, the batches in another order."""
    training = MODELS[model]
    weights, batches = training.model.arrays(), training.tokens(training_workloads.CHECKED_OF_NETWORKS)
    data = Data("", tmp_path, training_workloads.expected_of_sequences(training, weights, batches))
    others = (
        dataclasses.replace(training, rate=training.rate / 2),
        dataclasses.replace(training, optimizer={"sgd": "adam", "adam": "sgd"}[training.optimizer]),
    )
    for other in others:
        found = training_workloads.expected_of_sequences(other, weights, batches)
        assert "wrong result" in bench.disagreement(found, data)
    backwards = training_workloads.expected_of_sequences(training, weights, batches[::-1])
    assert "wrong result" in bench.disagreement(backwards, data)


@pytest.mark.parametrize("workload", SEQUENCE_TRAININGS)
def test_half_the_rate_is_found_out_at_full_size(workload, tmp_path):
    """A step of the sizes that are timed changes the losses by more than is admitted: by what it knows without one."""
    training = SEQUENCE_TRAININGS[workload]
    assert training.rate * 0.5 * numpy.log(training.model.vocabulary) > 10 * bench.TOLERANCE


def test_bands_of_attention_are_all_of_it(monkeypatch):
    from hybridize_bench.sequences import attention

    for name in ("attention", "causal", "gradients", "causal gradients"):
        net = SMALL[name]
        whole = net.expected(net.arrays())
        monkeypatch.setattr(attention, "BAND", 7)
        numpy.testing.assert_allclose(net.expected(net.arrays()), whole, rtol=1e-12)
        monkeypatch.undo()


def test_sizes_are_those_that_are_asked():
    assert SEQUENCES["decode-20m"].parameters == pytest.approx(20e6, rel=0.01)
    assert SEQUENCES["decode-1m"].parameters == pytest.approx(1e6, rel=0.01)
    for name in ("decode-20m", "decode-1m"):
        net = SEQUENCES[name]
        arrays = net.arrays()
        caches = arrays["keys"].nbytes + arrays["values"].nbytes
        assert net.weight_bytes == sum(one.nbytes for one in arrays.values()) - caches
        assert 0 < net.position < net.context - 1
    assert SEQUENCES["lstm-1"].flops == 2 * 35 * 4 * 256 * (128 + 256)
    assert SEQUENCES["gru-1"].flops * 4 == SEQUENCES["lstm-1"].flops * 3
    amounts = {name: {one.probe.kind: one.amount for one in workloads.demands(name)} for name in SEQUENCES}
    assert amounts["lstm-32"] == {
        "multiply-adds": 32 * SEQUENCES["lstm-1"].flops,
        "reading": 4 * 1024 * (35 * 256 + 128),
    }
    assert amounts["decode-20m"] == {"reading": 4 * SEQUENCES["decode-20m"].parameters}
    assert amounts["attention-128"] == {"multiply-adds": 4 * 4 * 128 * 128 * 64}
    assert amounts["attention-causal-128"] == {"multiply-adds": 4 * 4 * 128 * 129 // 2 * 64}
    of_layer = 2 * 128 * (4 * 256 * 256 + 2 * 256 * 1024) + 4 * 128 * 128 * 256
    assert amounts["transformer-1"]["multiply-adds"] == 4 * of_layer
    assert amounts["transformer-1"]["reading"] == SEQUENCES["transformer-1"].weight_bytes
    (demand,) = workloads.demands("train-lstm-lm")
    assert demand.amount == 6 * 35 * 32 * (4 * 256 * (128 + 256) + 256 * 2000)


def test_goals_name_what_is_there():
    asked = {goal.workload: set() for goal in goals.GOALS}
    for goal in goals.GOALS:
        asked[goal.workload] |= {goal.ours, *goal.against}
    for workload in (*SEQUENCES, *SEQUENCE_TRAININGS):
        net = SEQUENCES.get(workload)
        table = training_workloads.table(workload) if net is None else net.table
        assert workload in workloads.CALLS
        assert asked[workload] <= {row.name for row in ROWS if table in row.tables}
        first = next(row for row in ROWS if table in row.tables)
        assert first.name == HYBRIDIZED
    twice = [goal for goal in goals.GOALS if goal.workload == "decode-20m"]
    assert [bool(goal.against) for goal in twice] == [False, True]


def test_the_plan_of_a_language_models_step():
    training = MODELS["recurrent"]
    batches = training.tokens(1)
    assert memory.planned(training, training.model.arrays(), batches) > 0
    from hybridize_bench import peak_memory

    weights = sum(one.nbytes for one in training.model.arrays().values())
    assert peak_memory.state_bytes(training) == 2 * weights
    assert peak_memory.state_bytes(dataclasses.replace(training, optimizer="adam")) == 4 * weights
    assert {*SEQUENCE_TRAININGS, *LONG_TRAININGS} <= set(peak_memory.every())
    assert {*LONG_TRAININGS}.isdisjoint(workloads.CALLS)


class Holder:
    """Stands for a worker: each call takes 1,000 bytes, each step leaves one behind."""

    def __init__(self):
        self.steps = 0

    def ask(self, do, count=0, seconds=0.0):
        self.steps += count
        return {"peak": {"bytes": 1000}, "held": {"bytes": 500 + self.steps}, "steps": {"calls": count}}[do]


def test_memory_of_sequences(monkeypatch):
    there = 3 * 4 * 4 * 8192 * 64
    assert sequence_memory.peak(Holder(), "attention-8192") == {"nbytes": there + 1000, "besides": there}
    assert sequence_memory.decoded(Holder()) == {"nbytes": 11_500, "besides": 1_500}
    broken = SimpleNamespace(ask=lambda **_: {"error": "no"})
    assert sequence_memory.decoded(broken) == sequence_memory.peak(broken, "attention-8192") == {"error": "no"}
    monkeypatch.setattr(sequence_memory, "compiled", lambda *_: "peak.so")
    monkeypatch.setattr(workloads, "write", lambda workload, _: Data(MEASURED[workload].table, None, None))
    monkeypatch.setattr(sequence_memory, "prepare", lambda *_: {})
    monkeypatch.setattr(sequence_memory, "worker", lambda *_: contextlib.nullcontext(Holder()))
    found = {one.name: one for one in sequence_memory.run(bench.BenchOptions(only=("nothing else",)))}
    asked = {one.row for one in goals.CEILINGS if one.workload == "sequence-memory"}
    assert asked == set(found)
    (grid,) = [report.goals({"sequence-memory": [*found.values()]})]
    assert [row[-1] for row in grid.rows] == ["aim", "aim", "must"]


@pytest.mark.long
def test_memory_of_long_sequences():
    """In earnest: no array of queries by keys, and nothing that decoding leaves behind."""
    found = sequence_memory.run(bench.BenchOptions(only=("nothing else",)))
    assert {one.error for one in found} == {""}
    assert "no" not in [row[-1] for row in report.goals({"sequence-memory": found}).rows]
