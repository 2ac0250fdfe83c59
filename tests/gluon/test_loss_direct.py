"""Losses by few passes: what they are made of gives the same, with slopes, slopes of slopes, and all that is refused."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np
from hybridize.base.errors import OutOfBoundsError, StateError
from hybridize.gluon import loss as losses
from tests.refusals import refusal

torch = pytest.importorskip("torch")
functional = torch.nn.functional

draw = numpy.random.default_rng(0)
SCORES = draw.normal(size=(6, 4)) * 3
CLASSES = draw.integers(0, 4, 6)
TARGETS = draw.normal(size=(6, 4))
CHANCES = draw.uniform(size=(6, 4))

CASES = [
    (losses.SoftmaxCELoss(), CLASSES, lambda x, y: functional.cross_entropy(x, y, reduction="none")),
    (losses.SoftmaxCELoss(axis=1, weight=0.5), CLASSES, lambda x, y: 0.5 * functional.cross_entropy(x, y, reduction="none")),
    (losses.SigmoidBCELoss(), CHANCES, lambda x, y: functional.binary_cross_entropy_with_logits(x, y, reduction="none").mean(1)),
    (losses.SigmoidBCELoss(weight=2), CHANCES, lambda x, y: 2 * functional.binary_cross_entropy_with_logits(x, y, reduction="none").mean(1)),
    (losses.L2Loss(), TARGETS, lambda x, y: 0.5 * ((x - y) ** 2).mean(1)),
    (losses.L2Loss(weight=3), TARGETS, lambda x, y: 1.5 * ((x - y) ** 2).mean(1)),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: repr(case[0]))
def case(request):
    return request.param


def given(label, dtype="float64"):
    x = np.array(SCORES, dtype=dtype)
    x.attach_grad()
    return x, np.array(label, dtype=dtype if label.dtype.kind == "f" else label.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_as_by_operations(case, dtype):
    """One weight for all samples, 1, takes the other way."""
    loss, label, formula = case
    found = []
    for weights in ((), (np.ones((6, 1), dtype=dtype),)):
        x, y = given(label, dtype)
        outside = loss(x, y, *weights)
        with autograd.record():
            value = loss(x, y, *weights)
        value.backward(np.arange(6, dtype=dtype))
        assert value.dtype == x.dtype and x.grad.dtype == x.dtype
        numpy.testing.assert_array_equal(outside.asnumpy(), value.asnumpy())
        found.append((value.asnumpy(), x.grad.asnumpy()))
    for direct, composed in zip(*found, strict=True):
        numpy.testing.assert_allclose(
            direct, composed, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-6 if dtype == "float32" else 1e-12
        )
    wanted = formula(torch.tensor(SCORES), torch.tensor(label))
    numpy.testing.assert_allclose(found[0][0], wanted.numpy(), rtol=1e-5)


def test_slopes_of_slopes(case):
    loss, label, formula = case
    x, y = given(label)
    by = draw.normal(size=(6, 4))
    with autograd.record():
        (slope,) = autograd.grad(loss(x, y) ** 2, [x], create_graph=True)
        pushed = (slope * np.array(by, dtype="float64")).sum()
    pushed.backward()
    t = torch.tensor(SCORES, requires_grad=True)
    (first,) = torch.autograd.grad((formula(t, torch.tensor(label)) ** 2).sum(), t, create_graph=True)
    (first * torch.tensor(by)).sum().backward()
    numpy.testing.assert_allclose(slope.asnumpy(), first.detach().numpy(), rtol=1e-9, atol=1e-12)
    numpy.testing.assert_allclose(x.grad.asnumpy(), t.grad.numpy(), rtol=1e-9, atol=1e-12)


def test_labels_have_slopes_too():
    x, y = np.array(SCORES[:, :1], dtype="float64"), np.array(TARGETS[:, 0], dtype="float64")
    y.attach_grad()
    with autograd.record():
        value = losses.L2Loss()(x, y)
    value.backward()
    numpy.testing.assert_allclose(y.grad.asnumpy(), TARGETS[:, 0] - SCORES[:, 0], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1", "i4", "i8"])
def test_labels_of_any_kind(dtype):
    label = CLASSES.astype(dtype)
    x, y = given(CLASSES, "float32")
    y = np.array(label, dtype=label.dtype)
    with autograd.record():
        value = losses.SoftmaxCELoss()(x, y)
    value.backward()
    t = torch.tensor(SCORES, requires_grad=True)
    functional.cross_entropy(t, torch.tensor(label.astype("i8")), reduction="sum").backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), t.grad.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("wrong", [-1, 4, 9, 200])
@pytest.mark.parametrize("dtype", ["f4", "u1", "i1", "i4", "i8"])
def test_labels_that_are_no_class(wrong, dtype):
    """Each way to compute the loss refuses them, and a step that is compiled changes nothing."""
    if not numpy.can_cast(numpy.min_scalar_type(wrong), dtype):
        wrong = 9
    label = CLASSES.astype(dtype)
    label[1] = wrong
    x, y = given(CLASSES, "float32")
    y = np.array(label, dtype=label.dtype)
    loss = losses.SoftmaxCELoss()
    other = losses.SoftmaxCELoss(weight=2.0)
    for way in (
        lambda: loss(x, y),
        lambda: other(np.stack([x, x], 1), np.stack([y, y], 1)),
        lambda: hybridize.hybridize(lambda p, q: loss(p, q))(x, y),
    ):
        with pytest.raises(IndexError, match="E110"):
            way()
    with pytest.raises(IndexError, match="E110"), autograd.record():
        loss(x, y)


def test_a_compiled_step_with_a_label_that_is_no_class_changes_nothing():
    net = gluon.nn.Dense(4, in_units=3)
    net.initialize()
    trainer, loss = gluon.Trainer(net.collect_params(), "adam"), losses.SoftmaxCELoss()

    @hybridize.hybridize
    def step(x, y):
        with autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(x.shape[0])
        return value

    x, y, wrong = np.ones((5, 3)), np.array([0, 1, 2, 3, 0]), np.array([0, 1, 2, 4, 0])
    for _ in range(3):
        step(x, y)
    before = [p.data().asnumpy() for p in net.collect_params().values()]
    for _ in range(2):
        with pytest.raises(IndexError, match="labels of 4 classes"):
            step(x, wrong)
    for p, kept in zip(net.collect_params().values(), before, strict=True):
        numpy.testing.assert_array_equal(p.data().asnumpy(), kept)
    step(x, y)
    assert trainer.optimizer.num_update == 4


def test_a_second_pass_needs_the_first_to_retain(case):
    loss, label, _ = case
    x, y = given(label)
    with autograd.record():
        value = loss(x, y)
    value.backward(retain_graph=True)
    once = x.grad.asnumpy().copy()
    value.backward()
    numpy.testing.assert_array_equal(x.grad.asnumpy(), once)
    with pytest.raises(StateError, match="E541"):
        value.backward()


def test_what_was_predicted_may_not_be_overwritten():
    x, y = given(TARGETS)
    with autograd.record():
        pred = x * 1
        value = losses.L2Loss()(pred, y)
    pred[...] = 0
    with refusal(StateError, "overwritten"):
        value.backward()


def test_constants_leave_no_trace():
    x = np.array(SCORES)
    with autograd.record():
        value = losses.SoftmaxCELoss()(x, np.array(CLASSES))
    with pytest.raises(StateError, match="E540"):
        value.backward()


def test_great_scores_and_nan():
    loss = losses.SoftmaxCELoss()
    found = loss(np.array([[1e4, -1e4], [numpy.nan, 0.0], [numpy.inf, 0.0]]), np.array([1, 0, 0])).asnumpy()
    assert found[0] == 2e4
    assert numpy.isnan(found[1:]).all()


def test_batches_of_nothing():
    for loss, label in ((losses.SoftmaxCELoss(), np.zeros((0,))), (losses.L2Loss(), np.zeros((0, 3)))):
        assert loss(np.zeros((0, 3)), label).shape == (0,)


def test_labels_of_probabilities_have_slopes():
    x, y = np.array(SCORES, dtype="float64"), np.array(CHANCES, dtype="float64")
    y.attach_grad()
    with autograd.record():
        value = losses.SigmoidBCELoss()(x, y)
    value.backward()
    numpy.testing.assert_allclose(y.grad.asnumpy(), -SCORES / 4, rtol=1e-12)


def test_scores_of_all_sizes_keep_their_digits():
    x = np.array([[-1e4], [1e4], [50.0], [-50.0], [0.0]])
    found = losses.SigmoidBCELoss()(x, np.array([[1.0], [0.0], [1.0], [0.0], [1.0]])).asnumpy()
    numpy.testing.assert_allclose(found, [1e4, 1e4, numpy.exp(-50.0), numpy.exp(-50.0), numpy.log(2)], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("labels", ["int32", "int64", "uint8", "float32"])
@pytest.mark.parametrize(("batch", "classes"), [(1, 1), (1, 5), (3, 1), (3, 5), (2, 2), (70, 33)])
def test_cross_entropy_of_any_sizes(batch, classes, labels, dtype):
    """Sizes of 1 are other programs than those of any size; labels of any dtype, contiguous or not."""
    scores = draw.normal(size=(batch, classes)).astype(dtype)
    chosen = draw.integers(0, classes, batch)
    loss = losses.SoftmaxCELoss()
    wanted = torch.tensor(scores.astype("float64"), requires_grad=True)
    expected = functional.cross_entropy(wanted, torch.tensor(chosen), reduction="none")
    expected.sum().backward()
    for x in (np.array(scores), np.array(scores.T.copy()).T):
        for y in (np.array(chosen, dtype=labels), np.array(numpy.repeat(chosen, 2), dtype=labels)[::2]):
            x.attach_grad()
            with autograd.record():
                value = loss(x, y)
            y[:] = 0  # what was recorded is of the labels that there were
            value.backward()
            numpy.testing.assert_allclose(value.asnumpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
            numpy.testing.assert_allclose(x.grad.asnumpy(), wanted.grad.numpy(), rtol=1e-5, atol=1e-6)
    for wrong in (-1, classes):
        if numpy.can_cast(numpy.min_scalar_type(wrong), labels):
            chosen[-1] = wrong
            with refusal(OutOfBoundsError, str(classes)):
                loss(np.array(scores), np.array(chosen, dtype=labels))


def test_a_loss_that_is_kept_holds_no_scores():
    x = np.array(SCORES)
    x.attach_grad()
    with autograd.record():
        value = losses.SoftmaxCELoss()(x, np.array(CLASSES))
    rule = value._traced.edge[0].rule
    value.backward()
    assert rule._slope is None and rule._labels is None
