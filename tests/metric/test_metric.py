"""Metrics: the formulas, over batches of any sizes as over all at once; names, settings, named arrays."""

import json
import math

import numpy
import pytest

import hybridize
from hybridize import metric
from hybridize.array import np
from hybridize.base.errors import ArgumentError, CaptureError, ShapeError
from tests.refusals import refusal

draw = numpy.random.default_rng(0)
COUNT = 60
CLASSES = draw.integers(0, 4, COUNT)
SCORES = draw.normal(size=(COUNT, 4))
CHANCES = numpy.exp(SCORES) / numpy.exp(SCORES).sum(1, keepdims=True)
TRUTHS = draw.integers(0, 2, COUNT)
CHANCE = draw.uniform(size=COUNT)
MANY, MANY_CHANCES = draw.integers(0, 2, (COUNT, 3)), draw.uniform(size=(COUNT, 3))
X, Y = draw.normal(size=(COUNT, 3)), draw.normal(size=(COUNT, 3))
ROWS = numpy.arange(COUNT)


def f_score(right, said, beta=1.0):
    hits, precision, recall = (right & said).sum(), said.sum(), right.sum()
    p, r = hits / precision, hits / recall
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def each_class(beta=1.0):
    return numpy.array([f_score(k == CLASSES, SCORES.argmax(1) == k, beta) for k in range(4)])


def correlation(right, said, count):
    """Of one-hot vectors, the sums over classes of their covariance and variances (Gorodkin 2004)."""
    x, y = (numpy.eye(count)[k] - numpy.eye(count)[k].mean(0) for k in (right, said))
    return (x * y).sum() / math.sqrt((x * x).sum() * (y * y).sum())


def in_first(k):
    return (numpy.argsort(-SCORES, axis=1)[:, :k] == CLASSES[:, None]).any(1).mean()


LOG = -numpy.log(CHANCES[ROWS, CLASSES])

# the metric, labels, predictions, what comes out
CASES = {
    "accuracy": (metric.Accuracy(), CLASSES, SCORES, (SCORES.argmax(1) == CLASSES).mean()),
    "accuracy of classes": (metric.Accuracy(), CLASSES, SCORES.argmax(1), (SCORES.argmax(1) == CLASSES).mean()),
    "top 2": (metric.TopKAccuracy(2), CLASSES, SCORES, in_first(2)),
    "top 3": (metric.TopKAccuracy(top_k=3), CLASSES, SCORES, in_first(3)),
    "top 9": (metric.TopKAccuracy(top_k=9), CLASSES, SCORES, 1.0),
    "binary accuracy": (metric.BinaryAccuracy(), TRUTHS, CHANCE, ((CHANCE > 0.5) == TRUTHS).mean()),
    "binary accuracy, thresholds": (metric.BinaryAccuracy(threshold=np.array([0.2, 0.5, 0.7])), MANY, MANY_CHANCES, ((numpy.array([0.2, 0.5, 0.7], "f4") < MANY_CHANCES) == MANY).mean()),
    "f1": (metric.F1(), TRUTHS, CHANCE, f_score(TRUTHS == 1, CHANCE > 0.5)),
    "f1, two columns": (metric.F1(threshold=0.4), TRUTHS, numpy.stack([1 - CHANCE, CHANCE], 1), f_score(TRUTHS == 1, CHANCE > 0.4)),
    "f1, column": (metric.F1(), TRUTHS, CHANCE[:, None], f_score(TRUTHS == 1, CHANCE > 0.5)),
    "f1, micro": (metric.F1(class_type="multiclass"), CLASSES, SCORES, (SCORES.argmax(1) == CLASSES).mean()),
    "f1, macro": (metric.F1(class_type="multiclass", average="macro"), CLASSES, SCORES, each_class().mean()),
    "f1, each": (metric.F1(class_type="multiclass", average=None), CLASSES, SCORES, each_class()),
    "f1, labels": (metric.F1(class_type="multilabel"), MANY, MANY_CHANCES, f_score(MANY.ravel() == 1, MANY_CHANCES.ravel() > 0.5)),
    "f1, labels, macro": (metric.F1(class_type="multilabel", average="macro", threshold=0.3), MANY, MANY_CHANCES,
     numpy.mean([f_score(MANY[:, k] == 1, MANY_CHANCES[:, k] > 0.3) for k in range(3)])),
    "fbeta": (metric.Fbeta(beta=2), TRUTHS, CHANCE, f_score(TRUTHS == 1, CHANCE > 0.5, 2)),
    "fbeta, macro": (metric.Fbeta(beta=0.5, class_type="multiclass", average="macro"), CLASSES, SCORES, each_class(0.5).mean()),
    "mcc": (metric.MCC(), TRUTHS, CHANCE, numpy.corrcoef(TRUTHS, CHANCE > 0.5)[0, 1]),
    "pcc": (metric.PCC(), CLASSES, SCORES, correlation(CLASSES, SCORES.argmax(1), 4)),
    "pcc of two": (metric.PCC(), TRUTHS, (CHANCE > 0.5).astype(int), numpy.corrcoef(TRUTHS, CHANCE > 0.5)[0, 1]),
    "mae": (metric.MAE(), X, Y, abs(X - Y).mean()),
    "mse": (metric.MSE(), X, Y, ((X - Y) ** 2).mean()),
    "rmse": (metric.RMSE(), X, Y, math.sqrt(((X - Y) ** 2).mean())),
    "mae of a column": (metric.MAE(), X[:, 0], Y[:, :1], abs(X[:, 0] - Y[:, 0]).mean()),
    "mpd": (metric.MeanPairwiseDistance(), X, Y, numpy.linalg.norm(X - Y, axis=1).mean()),
    "mpd, greatest": (metric.MeanPairwiseDistance(p=math.inf), X, Y, abs(X - Y).max(1).mean()),
    "mpd, p": (metric.MeanPairwiseDistance(p=3), X, Y, (abs(X - Y) ** 3).sum(1).__pow__(1 / 3).mean()),
    "cosines": (metric.MeanCosineSimilarity(), X, Y, ((X * Y).sum(1) / numpy.linalg.norm(X, axis=1) / numpy.linalg.norm(Y, axis=1)).mean()),
    "cross-entropy": (metric.CrossEntropy(), CLASSES, CHANCES, LOG.mean()),
    "cross-entropy of scores": (metric.CrossEntropy(from_logits=True), CLASSES, SCORES, LOG.mean()),
    "cross-entropy, ignoring": (metric.CrossEntropy(ignore_label=2), CLASSES, CHANCES, LOG[CLASSES != 2].mean()),
    "cross-entropy, axis": (metric.CrossEntropy(axis=1), CLASSES.reshape(COUNT // 2, 2), CHANCES.reshape(COUNT // 2, 2, 4).swapaxes(1, 2), LOG.mean()),
    "nll": (metric.NegativeLogLikelihood(), CLASSES, CHANCES, LOG.mean()),
    "perplexity": (metric.Perplexity(), CLASSES, CHANCES, numpy.exp(LOG.mean())),
    "perplexity, ignoring": (metric.Perplexity(ignore_label=0), CLASSES, CHANCES, numpy.exp(LOG[CLASSES != 0].mean())),
    "pearson": (metric.PearsonCorrelation(), X, Y, numpy.corrcoef(X.ravel(), Y.ravel())[0, 1]),
    "pearson, far away": (metric.PearsonCorrelation(), X + 1e6, Y * 3 - 1e6, numpy.corrcoef(X.ravel(), Y.ravel())[0, 1]),
    "loss": (metric.Loss(), X, Y, Y.mean()),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request):
    one, labels, preds, value = CASES[request.param]
    one.reset()
    return one, labels, preds, value


def close(found, value):
    numpy.testing.assert_allclose(found, value, rtol=2e-6 if numpy.ndim(value) else 2e-7)


def test_formulas(case):
    one, labels, preds, value = case
    one.update([np.array(labels, dtype=labels.dtype)], [np.array(preds, dtype=preds.dtype)])
    close(one.get()[1], value)
    assert isinstance(one.get()[1], float) or numpy.ndim(value)


def test_batches_add_up(case):
    """Of any sizes, several at a time, of any library's arrays."""
    one, labels, preds, value = case
    cuts = (7, 8, 25)
    parts = [(numpy.split(labels, cuts)[k], numpy.split(preds, cuts)[k]) for k in range(4)]
    if (
        labels.ndim == 2
        and "axis" in str(one.get_config())
        and one.get_config().get("axis") == 1
        and isinstance(one, metric.CrossEntropy)
    ):
        parts = [(labels[:4], preds[:4]), (labels[4:5], preds[4:5]), (labels[5:9], preds[5:9]), (labels[9:], preds[9:])]
    one.update(parts[0][0], parts[0][1])
    one.update(
        [np.array(parts[k][0], dtype=labels.dtype) for k in (1, 2)],
        [np.array(parts[k][1], dtype=preds.dtype) for k in (1, 2)],
    )
    one.update_dict({"label": parts[3][0]}, {"output": parts[3][1]})
    close(one.get()[1], value)
    close(one.get_global()[1], value)


def test_local_and_global(case):
    one, labels, preds, value = case
    one.update(labels, preds)
    one.reset_local()
    assert math.isnan(one.get()[1])
    one.update(labels[:20], preds[:20])
    first = type(one)(**{k: v for k, v in one.get_config().items() if k != "metric"})
    first.update(labels[:20], preds[:20])
    close(one.get()[1], first.get()[1])
    twice = type(one)(**{k: v for k, v in one.get_config().items() if k != "metric"})
    twice.update(labels, preds)
    twice.update(labels[:20], preds[:20])
    close(one.get_global()[1], twice.get()[1])
    assert numpy.ndim(value) or one.get_global_name_value() == [one.get_global()]
    one.reset()
    assert math.isnan(one.get_global()[1])


def test_settings_make_the_same_metric(case):
    one, labels, preds, value = case
    made = metric.create(**one.get_config())
    assert type(made) is type(one)
    assert made.get_config() == one.get_config()
    assert made.name == one.name
    made.update(labels, preds)
    close(made.get()[1], value)


def test_empty_batches_change_nothing(case):
    one, labels, preds, value = case
    one.update(labels, preds)
    one.update(labels[:0], preds[:0])
    close(one.get()[1], value)


def test_several_as_one():
    both = metric.create(["acc", metric.Perplexity(), ["mae", "mse"]][:2])
    both.add("top_k_acc")
    both.update([CLASSES], [CHANCES])
    names, values = both.get()
    assert names == ["accuracy", "perplexity", "top_k_accuracy_1"]
    assert values[0] == values[2]
    assert both.get_name_value() == list(zip(names, values, strict=True)) == both.get_global_name_value()
    assert both.get_metric(1).get() == ("perplexity", values[1])
    made = metric.create(json.dumps(both.get_config()))
    made.update(CLASSES, CHANCES)
    assert made.get() == (names, values)
    both.reset_local()
    assert all(math.isnan(value) for value in both.get()[1])
    assert both.get_global() == (names, values)
    both.reset()
    assert all(math.isnan(value) for value in both.get_global()[1])
    with pytest.raises(ArgumentError, match="no metric 3 in a composite of 3"):
        both.get_metric(3)


def test_names_choose_arrays():
    one = metric.MAE(output_names=["b"], label_names=["y"])
    one.update_dict({"x": X, "y": Y}, {"a": X, "b": X})
    close(one.get()[1], abs(X - Y).mean())
    both = metric.CompositeEvalMetric([metric.MAE(), "mse"], output_names=["b"], label_names=["y"])
    both.update_dict({"x": X, "y": Y}, {"a": X, "b": X})
    close(both.get()[1], [abs(X - Y).mean(), ((X - Y) ** 2).mean()])
    with pytest.raises(ArgumentError, match=r"no prediction 'b'(.|\n)*available: a"):
        one.update_dict({"y": Y}, {"a": X})


@pytest.mark.parametrize(
    "name",
    [
        "acc",
        "Accuracy",
        "ce",
        "f1",
        "fbeta",
        "mcc",
        "pcc",
        "mae",
        "mse",
        "rmse",
        "pearsonr",
        "nll_loss",
        "loss",
        "composite",
        "top_k_acc",
        '["topkaccuracy", {"top_k": 2}]',
        "perplexity",
        "meanpairwisedistance",
        "meancosinesimilarity",
        "binaryaccuracy",
        "torch",
        metric.F1,
    ],
)
def test_strings_name_metrics(name):
    assert isinstance(metric.create(name), metric.EvalMetric)


def test_functions_are_metrics():
    def error(label, pred):
        assert type(label) is numpy.ndarray and type(pred) is numpy.ndarray
        return abs(label - pred).max()

    one = metric.create(error)
    one.update([np.zeros(2), np.zeros(2)], [np.array([1.0, -3.0]), np.array([1.0, 0.5])])
    assert one.get() == ("error", 2.0)
    assert metric.np(lambda x, y: 0).name == "custom(<lambda>)"
    sums = metric.np(
        lambda label, pred: (float((label == pred).sum()), label.size), name="same", allow_extra_outputs=True
    )
    sums.update([np.array([1, 2])], [np.array([1, 3]), np.array([9, 9, 9])])
    sums.update([np.array([1, 2, 3])], [np.array([1, 2, 3]), np.zeros(1)])
    assert sums.get() == ("same", 0.8)
    with pytest.raises(ShapeError, match="numbers of arrays"):
        one.update([X], [X, Y])
    with pytest.raises(ArgumentError, match="holds a function"):
        one.get_config()


def test_own_classes():
    @metric.alias("worst_error")
    @metric.register
    class Worst(metric.EvalMetric):
        def __init__(self, name="worst", output_names=None, label_names=None, power=1):
            super().__init__(name, output_names, label_names, power=power)
            self.power = power

        def update(self, labels, preds):
            for label, pred in zip(labels, preds, strict=True):
                self.sum_metric = max(self.sum_metric, (abs(label - pred) ** self.power).max())
                self.num_inst = 1

    one = metric.create("worst_error", power=2)
    one.update([np.zeros(3)], [np.array([1.0, -4.0, 2.0])])
    assert one.get() == one.get_global() == ("worst", 16.0)
    assert str(one) == "EvalMetric: {'worst': 16.0}"
    assert metric.create(**one.get_config()).power == 2
    with pytest.raises(NotImplementedError, match="E328"):
        metric.EvalMetric("x").update([], [])


def test_values_are_there_before_a_loop_ends():
    """Sums of float32 losses are kept in float64: 2**24 ones and one more."""
    one = metric.Loss()
    one.update(None, [np.full((1 << 12, 1 << 12), 1.0)])
    one.update(None, np.array([2.0]))
    assert one.sum_metric == (1 << 24) + 2
    halves = metric.Loss()
    halves.update(None, np.ones(70_000, dtype="float16"))  # more than their dtype holds
    assert halves.get() == ("loss", 1.0)


def test_extremes():
    one = metric.CrossEntropy()
    one.update(np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    close(one.get()[1], -math.log(1e-12) / 2)
    one = metric.CrossEntropy(eps=0, from_logits=True)
    one.update(np.array([0, 1]), np.array([[1e4, -1e4], [1e4, -1e4]]))
    assert one.get()[1] == 1e4
    one = metric.Perplexity(eps=0)
    one.update(np.array([0]), np.array([[0.0, 1.0]]))
    assert one.get()[1] == math.inf
    never = metric.F1()
    never.update(np.array([0, 0]), np.array([0.1, 0.2]))
    assert never.get()[1] == 0
    same = metric.MCC()
    same.update(np.array([0, 1]), np.array([0.9, 0.8]))
    assert same.get()[1] == 0
    for one in (metric.PCC(), metric.PearsonCorrelation()):
        one.update(np.array([1, 1]), np.array([0, 1]))
        assert math.isnan(one.get()[1])
    top = metric.TopKAccuracy(top_k=2)
    top.update(np.array([0, 1, 2, 7]), np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]))
    assert top.get()[1] == 0.5
    top.reset()
    top.update(
        np.array([0, 1, 1]), np.array([[numpy.nan, 1, 1, 0], [numpy.nan, 1, 0, 0], [numpy.nan, numpy.nan, 1, 0]])
    )
    assert top.get()[1] == 1 / 3


def test_nan_is_not_hidden():
    chances = np.array([[numpy.nan, 1.0], [0.1, 0.9]])
    for one in (metric.CrossEntropy(), metric.Perplexity(), metric.Perplexity(from_logits=True)):
        one.update(np.array([0, 1]), chances)
        assert math.isnan(one.get()[1])


NOTHING = [
    (metric.Accuracy(), (0,), (0, 3)), (metric.TopKAccuracy(2), (0,), (0, 3)), (metric.BinaryAccuracy(), (0,), (0,)),
    (metric.CrossEntropy(), (0,), (0, 3)), (metric.CrossEntropy(), (0,), (0, 0)), (metric.Perplexity(), (0,), (0, 3)),
    (metric.F1(), (0,), (0, 2)), (metric.F1(class_type="multiclass"), (0,), (0, 3)),
    (metric.F1(class_type="multiclass"), (0,), (0, 0)), (metric.F1(class_type="multilabel"), (0, 3), (0, 3)),
    (metric.F1(class_type="multilabel"), (2, 0), (2, 0)), (metric.MCC(), (0,), (0,)), (metric.PCC(), (0,), (0, 3)),
    (metric.MAE(), (0,), (0, 1)), (metric.RMSE(), (0, 4), (0, 4)), (metric.MeanPairwiseDistance(), (0, 4), (0, 4)),
    (metric.MeanCosineSimilarity(), (0, 3), (0, 3)),
    (metric.PearsonCorrelation(), (0,), (0,)), (metric.Loss(), (0,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "labels", "preds"), NOTHING)
def test_an_empty_batch_counts_nothing(one, labels, preds):
    one = metric.create(one.get_config())
    one.update(numpy.zeros(labels), numpy.zeros(preds))
    assert one.num_inst == 0 and math.isnan(one.get()[1])


def test_pcc_grows():
    one = metric.PCC()
    for lot in (CLASSES < 2, CLASSES < 3, CLASSES < 4):
        one.update(CLASSES[lot], SCORES.argmax(1)[lot] % 3)
    right = numpy.concatenate([CLASSES[k > CLASSES] for k in (2, 3, 4)])
    said = numpy.concatenate([(SCORES.argmax(1) % 3)[k > CLASSES] for k in (2, 3, 4)])
    close(one.get()[1], correlation(right, said, 4))


def test_float16_and_torch():
    torch = pytest.importorskip("torch")
    one = metric.MAE()
    one.update(torch.tensor([1.0, 2.0], requires_grad=True), np.array([1.5, 2.5], dtype="bfloat16"))
    assert one.get()[1] == 0.5


@pytest.mark.parametrize(
    ("one", "labels", "preds", "text"),
    [
        (metric.Accuracy(), (3,), (4,), "looks for classes along axis 1"),
        (metric.Accuracy(), (3,), (4, 2), r"3 labels \[3\] for 4"),
        (metric.Accuracy(axis=0), (2, 2), (2, 3), "4 labels"),
        (metric.TopKAccuracy(2), (3,), (4, 5), "scores"),
        (metric.F1(), (3,), (3, 3), "two classes"),
        (metric.F1(class_type="multilabel"), (3,), (3, 1), "a label per prediction"),
        (metric.BinaryAccuracy(threshold=numpy.ones(3)), (3,), (3, 1), "thresholds"),
        (metric.MAE(), (3,), (3, 3), "has 3 labels"),
        (metric.MeanCosineSimilarity(), (3, 2), (3, 3), "vectors"),
        (metric.PearsonCorrelation(), (3,), (3, 1), "Pearson"),
        (metric.CrossEntropy(), (3,), (4, 3), "a label for each"),
        (metric.CrossEntropy(axis=2), (3,), (4, 3), "along axis 2"),
    ],
)
def test_shapes_that_do_not_fit(one, labels, preds, text):
    with refusal(ShapeError, text):
        one.update(numpy.zeros(labels), numpy.zeros(preds))
    assert one.num_inst == 0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: metric.create("nonsense"), "'nonsense' is not a metric(.|\n)*accuracy"),
        (lambda: metric.create(3), "3 is not a metric"),
        (lambda: metric.TopKAccuracy(0), "of 1 or more"),
        (lambda: metric.TopKAccuracy("3"), "integer"),
        (lambda: metric.Perplexity(-1), "ignore_label"),
        (lambda: metric.F1(class_type="x"), "multiclass"),
        (lambda: metric.CustomMetric(3), "function"),
        (lambda: metric.F1().update(numpy.array([2]), numpy.array([0.5])), "labels 0 and 1"),
        (lambda: metric.F1(class_type="multiclass").update(numpy.array([2]), numpy.zeros((1, 2))), "2 classes"),
        (lambda: metric.F1(class_type="multiclass").update(numpy.array([-1]), numpy.zeros((1, 2))), "from -1 to -1"),
        (lambda: metric.Fbeta(beta=-1), "beta of Fbeta"),
        (lambda: metric.Fbeta(beta=math.inf), "beta of Fbeta"),
        (lambda: metric.MeanPairwiseDistance(p=0), "p of MeanPairwiseDistance"),
        (lambda: metric.create({}), "metric"),
        (lambda: metric.create("[]"), "describes no metric"),
        (lambda: metric.create('["mae"'), "describes no metric"),
        (lambda: metric.CrossEntropy().update(numpy.array([-1]), numpy.ones((1, 2))), "ignore_label"),
        (lambda: metric.PCC().update(numpy.array([-1]), numpy.array([1])), "from 0"),
    ],
)
def test_what_cannot_be_is_an_error(make, text):
    with refusal(ArgumentError, text):
        make()


def test_metrics_are_no_part_of_programs():
    one = metric.Loss()
    run = hybridize.hybridize(lambda x: one.update(None, x))
    with pytest.raises(CaptureError):
        run(np.ones(3))
    assert one.num_inst == 0


def test_where_metrics_are_found():
    assert hybridize.metric is metric
    assert hybridize.gluon.metric is metric
    assert "metric" in dir(hybridize)
    for module in (hybridize, hybridize.gluon):
        with pytest.raises(AttributeError, match="has no 'nonsense'"):
            _ = module.nonsense
