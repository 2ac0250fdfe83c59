"""CTC: PyTorch's values and gradients, and those of all alignments counted one by one; compiled as one scan."""

import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import autograd, nd
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.loss import CTCLoss

torch = pytest.importorskip("torch")

STEPS, BATCH, CLASSES = 7, 4, 5
SCORES = numpy.random.default_rng(0).normal(size=(STEPS, BATCH, CLASSES)) * 2
LABELS = numpy.array([[1, 1, 2], [3, 0, -1], [2, -1, -1], [-1, -1, -1]])
LENGTHS = numpy.array([3, 2, 1, 0])
ENDS = numpy.array([7, 5, 4, 6])


def by_torch(scores, labels, ends, lengths, blank):
    x = torch.tensor(scores, requires_grad=True)
    given = [torch.tensor(a) for a in (numpy.maximum(labels, 0), ends, lengths)]
    value = torch.nn.functional.ctc_loss(x.log_softmax(-1), *given, blank=blank, reduction="none")
    value.sum().backward()
    return value.detach().numpy(), x.grad.numpy()


def value_and_slope(function, scores, *others):
    """What a function gives, and the gradient of its sum by the scores."""
    scores.attach_grad()
    with autograd.record():
        value = function(scores, *others)
    value.backward()
    return value.asnumpy(), scores.grad.asnumpy()


def by_counting(scores, label, blank):
    """-log of the sum over all alignments: each one read by joining neighbours and leaving blanks out."""
    p = numpy.exp(scores) / numpy.exp(scores).sum(-1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        read = [k for k, _ in itertools.groupby(path) if k != blank]
        total += numpy.prod(p[range(len(scores)), path]) if read == list(label) else 0.0
    return -numpy.log(total) if total else numpy.inf


def test_values_are_pytorchs():
    wanted, _ = by_torch(SCORES, LABELS, ENDS, LENGTHS, CLASSES - 1)
    x, labels, ends, lengths = np.array(SCORES, dtype="float64"), np.array(LABELS), np.array(ENDS), np.array(LENGTHS)
    loss = CTCLoss(layout="TNC")
    numpy.testing.assert_allclose(loss(x, labels, ends, lengths).asnumpy(), wanted, rtol=1e-12)
    numpy.testing.assert_allclose(loss(x, labels, ends).asnumpy(), wanted, rtol=1e-12)  # -1 ends a label
    swapped = CTCLoss(label_layout="TN")(np.swapaxes(x, 0, 1), np.swapaxes(labels, 0, 1), ends)
    numpy.testing.assert_allclose(swapped.asnumpy(), wanted, rtol=1e-12)
    weighted = CTCLoss("TNC", weight=0.5)(x, labels, ends, lengths, np.array([1.0, 2.0, 3.0, 4.0], dtype="float64"))
    numpy.testing.assert_allclose(weighted.asnumpy(), 0.5 * wanted * [1, 2, 3, 4], rtol=1e-12)
    everything, _ = by_torch(SCORES, LABELS, numpy.full(BATCH, STEPS), LENGTHS, CLASSES - 1)
    numpy.testing.assert_allclose(loss(x, labels).asnumpy(), everything, rtol=1e-12)


@pytest.mark.parametrize("blank", ["first", "last"])
def test_either_class_may_be_the_blank(blank):
    first = blank == "first"
    labels = numpy.where(LABELS < 0, 0, LABELS + 1) if first else LABELS
    wanted, slope = by_torch(SCORES, labels, ENDS, LENGTHS, 0 if first else CLASSES - 1)
    given = np.array(SCORES, dtype="float64"), np.array(labels), np.array(ENDS)
    run = hybridize.hybridize(lambda x, y, n: npx.ctc_loss(x, y, n, blank_label=blank))
    program = run.program(*given)
    assert program.fallbacks == ()
    assert "scan" in program.optimized.op_names()
    numpy.testing.assert_allclose(run(*given).asnumpy(), wanted, rtol=1e-12)
    _, found = value_and_slope(run, *given)
    numpy.testing.assert_allclose(found, slope, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("label", [[], [0], [1, 1], [0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1, 1]])
def test_all_alignments_are_counted(label):
    scores = SCORES[:5, 0, :3]
    found = npx.ctc_loss(np.array(scores[:, None], dtype="float64"), np.array([[*label, -1]]), blank_label="last")
    numpy.testing.assert_allclose(found.asnumpy(), [by_counting(scores, label, 2)], rtol=1e-12)


def test_labels_that_are_too_long_cost_infinitely_and_teach_nothing():
    scores, labels = np.array(SCORES[:2, :2], dtype="float64"), np.array([[1, 1], [0, 1]])
    run = hybridize.hybridize(lambda x, y: npx.ctc_loss(x, y, blank_label="last"))
    value, slope = value_and_slope(run, scores, labels)
    assert value[0] == numpy.inf
    assert (slope[:, 0] == 0).all()
    assert numpy.isfinite(slope).all() and (slope[:, 1] != 0).any()


def test_hybridized_blocks_take_other_sizes():
    loss = CTCLoss("TNC")
    loss.hybridize()
    for steps, batch in ((7, 4), (7, 3), (5, 2), (6, 4), (7, 4)):
        found = loss(np.array(SCORES[:steps, :batch]), np.array(LABELS[:batch])).asnumpy()
        wanted, _ = by_torch(
            SCORES[:steps, :batch], LABELS[:batch], numpy.full(batch, steps), LENGTHS[:batch], CLASSES - 1
        )
        numpy.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_short_floats_and_legacy_names():
    wanted, _ = by_torch(SCORES, LABELS, numpy.full(BATCH, STEPS), LENGTHS, CLASSES - 1)
    half = CTCLoss("TNC")(np.array(SCORES, dtype="float16"), np.array(LABELS))
    assert half.dtype == numpy.float16
    numpy.testing.assert_allclose(half.asnumpy(), wanted, rtol=2e-3)
    for name in ("CTCLoss", "ctc_loss"):
        found = getattr(nd, name)(np.array(SCORES), np.array(LABELS), blank_label="last")
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


def test_impossible_scores_are_no_nan():
    """A class that a net rules out (-inf) may still be none of the label's."""
    scores = SCORES[:, :1].copy()
    scores[:, :, 3] = -numpy.inf
    found = npx.ctc_loss(np.array(scores, dtype="float64"), np.array(LABELS[:1]), blank_label="last").asnumpy()
    numpy.testing.assert_allclose(found, [by_counting(numpy.delete(scores[:, 0], 3, 1), LABELS[0], 3)], rtol=1e-12)


def test_what_cannot_be_is_an_error():
    with pytest.raises(ArgumentError, match="layouts 'NCT'"):
        CTCLoss(layout="NCT")
    with pytest.raises(ArgumentError, match="blank_label 'middle'"):
        npx.ctc_loss(np.ones((3, 2, 4)), np.ones((2, 1)), blank_label="middle")
    with pytest.raises(ShapeError, match=r"labels \[batch, length\]"):
        CTCLoss()(np.ones((3, 2, 4)), np.ones((2, 1)))


@pytest.mark.parametrize("hybrid", [False, True])
def test_backward_gives_pytorchs_gradient(hybrid):
    _, wanted = by_torch(SCORES, LABELS, ENDS, LENGTHS, CLASSES - 1)
    x = np.array(SCORES, dtype="float64")
    x.attach_grad()
    loss = CTCLoss("TNC")
    if hybrid:
        loss.hybridize()
    with autograd.record():
        value = loss(x, np.array(LABELS), np.array(ENDS))
    value.backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(2, 6),
    st.integers(0, 5),
    st.sampled_from(["first", "last"]),
    st.integers(0, 1 << 30),
)
def test_any_sizes(steps, batch, classes, length, blank, seed):
    """Values and slopes beside PyTorch's, labels with repeats, lengths given or not, impossible ones among them."""
    rng = numpy.random.default_rng(seed)
    scores = rng.normal(size=(steps, batch, classes)) * 3
    first = blank == "first"
    lengths, ends = rng.integers(0, length + 1, batch), rng.integers(1, steps + 1, batch)
    labels = rng.integers(1 if first else 0, classes if first else classes - 1, (batch, length))
    padded = numpy.where(numpy.arange(length) < lengths[:, None], labels, 0 if first else -1)
    wanted, slope = by_torch(scores, padded, ends, lengths, 0 if first else classes - 1)
    x = np.array(scores, dtype="float64")
    x.attach_grad()
    for label, options in ((padded, ()), (labels, (np.array(lengths),))):
        with autograd.record():
            value = npx.ctc_loss(x, np.array(label, dtype="int64"), np.array(ends), *options, blank_label=blank)
        value.backward()
        numpy.testing.assert_allclose(value.asnumpy(), wanted, rtol=1e-9, atol=1e-9)
        possible = numpy.isfinite(wanted)  # elsewhere PyTorch's gradient is NaN, and ours 0
        found = x.grad.asnumpy()
        numpy.testing.assert_allclose(found[:, possible], slope[:, possible], rtol=1e-7, atol=1e-9)
        assert (found[:, ~possible] == 0).all()


def test_slopes_of_slopes_are_those_of_differences():
    x = np.array(SCORES, dtype="float64")
    by = np.array(numpy.random.default_rng(1).normal(size=SCORES.shape), dtype="float64")
    labels, ends = np.array(LABELS), np.array(ENDS)

    def slope(x):
        x.attach_grad()
        with autograd.record():
            value = npx.ctc_loss(x, labels, ends, blank_label="last")
        value.backward()
        return x.grad.asnumpy()

    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(npx.ctc_loss(x, labels, ends, blank_label="last"), [x], create_graph=True)
        pushed = (first * by).sum()
    pushed.backward()
    found = x.grad.asnumpy()
    step = 1e-5
    moved = [slope(np.array(SCORES + sign * step * by.asnumpy(), dtype="float64")) for sign in (1, -1)]
    numpy.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * step), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
def test_long_sequences_are_exact_in_float32(compiled):
    rng = numpy.random.default_rng(0)
    scores, labels = rng.normal(size=(400, 4, 30)) * 3, np.array(rng.integers(1, 29, (4, 60)))
    loss = lambda x: npx.ctc_loss(x, labels)  # noqa: E731
    wanted, slope = value_and_slope(loss, np.array(scores, dtype="float64"))
    found, narrow = value_and_slope(hybridize.hybridize(loss) if compiled else loss, np.array(scores))
    assert narrow.dtype == "float32"
    numpy.testing.assert_allclose(found, wanted, rtol=1e-6)
    numpy.testing.assert_allclose(narrow, slope, atol=4e-4)
