"""Lines in the log, comparisons as MXNet makes them, scopes, features."""

import logging
import os

import numpy
import pytest

import hybridize
from hybridize import attribute, callback, metric, name, np, runtime, sym, test_utils
from hybridize.errors import ArgumentError, HybridizeError
from tests.refusals import refusal


def batches(call, count, found=None, epoch=0):
    for number in range(1, count + 1):
        call(callback.BatchEndParam(epoch, number, found))


def test_how_fast_it_goes(caplog):
    caplog.set_level(logging.INFO)
    found = metric.Accuracy()
    found.update([np.array([1, 1])], [np.array([[0.1, 0.9], [0.9, 0.1]])])
    batches(callback.Speedometer(32, 5, auto_reset=False), 10, found)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split("\t")[0] for line in lines] == ["Epoch[0] Batch [5]", "Epoch[0] Batch [10]"]
    assert all("samples/sec\taccuracy=0.500000" in line for line in lines)
    caplog.clear()
    speed = callback.Speedometer(32, 2)
    batches(speed, 4, found)
    batches(speed, 2, None, epoch=1)
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0].startswith("Epoch[0] Batch [0-2]\t")
    assert numpy.isnan(found.get()[1])  # it starts again
    assert lines[-1].startswith("Epoch[1] Batch [2]\tSpeed")
    with refusal(HybridizeError, "1 or more batches"):
        callback.Speedometer(32, 0)


def test_bars_and_metrics(caplog):
    caplog.set_level(logging.INFO)
    found = metric.Accuracy()
    found.update([np.array([1])], [np.array([[0.1, 0.9]])])
    batches(callback.ProgressBar(4, length=8), 2)
    callback.LogValidationMetricsCallback()(callback.BatchEndParam(3, 0, found))
    batches(callback.log_train_metric(2, auto_reset=True), 2, found)
    assert [record.getMessage() for record in caplog.records] == [
        "[==------] 25%\r",
        "[====----] 50%\r",
        "Epoch[3] Validation-accuracy=1.000000",
        "Iter[0] Batch[2] Train-accuracy=1.000000",
    ]
    with refusal(AttributeError, "CheckpointHandler"):
        callback.module_checkpoint  # noqa: B018


def test_comparisons():
    x = np.array([1.0, 2.0])
    test_utils.assert_almost_equal(x, x + 1e-5)
    test_utils.assert_almost_equal(x.astype("float16"), x * 1.005)
    assert test_utils.almost_equal(x, [1.0, 2.0])
    assert not test_utils.almost_equal(x, x + 0.01)
    assert test_utils.same(x, x.copy())
    for wrong in (x + 0.01, np.array([1.0, numpy.nan])):
        with pytest.raises(AssertionError, match="left and right differ"):
            test_utils.assert_almost_equal(x, wrong, names=("left", "right"))
    test_utils.assert_almost_equal_ignore_nan(x, np.array([1.0, numpy.nan]))
    with pytest.raises(AssertionError):
        test_utils.assert_almost_equal(x, np.ones((2, 2)), use_broadcast=False)
    test_utils.assert_exception(lambda: x @ np.ones(3), ValueError)
    with pytest.raises(AssertionError, match="did not raise ValueError"):
        test_utils.assert_exception(lambda: x, ValueError)


def test_random_arrays():
    assert all(1 <= size <= 3 for _ in range(20) for size in test_utils.rand_shape_nd(4, 3))
    assert len(test_utils.rand_shape_2d()) == 2
    assert len(test_utils.rand_shape_3d()) == 3
    found = test_utils.rand_ndarray((100, 3), scale=2)
    assert (found.shape, found.dtype) == ((100, 3), numpy.float32)
    assert -2 <= found.min() < -1 < 1 < found.max() <= 2
    with refusal(ArgumentError, "stype='csr'"):
        test_utils.rand_ndarray((2, 2), "csr")
    one, two = test_utils.random_arrays((2,), (3, 4))
    assert (one.shape, two.shape) == ((2,), (3, 4))


def test_surroundings():
    with test_utils.environment("HYBRIDIZE_TEST_A", "1"):
        with test_utils.environment({"HYBRIDIZE_TEST_A": None, "HYBRIDIZE_TEST_B": "2"}):
            assert os.environ.get("HYBRIDIZE_TEST_A") is None
            assert os.environ["HYBRIDIZE_TEST_B"] == "2"
        assert os.environ["HYBRIDIZE_TEST_A"] == "1"
    assert "HYBRIDIZE_TEST_A" not in os.environ
    assert test_utils.default_context() == hybridize.cpu()
    assert test_utils.list_gpus() == []


def test_scopes():
    assert hybridize.AttrScope is attribute.AttrScope is sym.AttrScope
    with name.Prefix("net_"), attribute.AttrScope(group="4"):
        y = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc1")
    assert y.name == "net_fc1"
    assert y.attr("group") == "4"


def test_features():
    features = runtime.Features()
    assert not features.is_enabled("cuda")
    assert features.is_enabled("INT64_TENSOR_SIZE")
    assert len(runtime.feature_list()) == len(features)
    assert "✖ CUDA" in repr(features)
    with refusal(ArgumentError, "no feature 'magic'"):
        features.is_enabled("magic")
