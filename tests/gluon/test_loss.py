"""Losses: MXNet's values, imperatively and compiled; PyTorch's gradients; labels that do not fit are said to."""

import math

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon import loss as losses

torch = pytest.importorskip("torch")
functional = torch.nn.functional

draw = numpy.random.default_rng(0)
SCORES = draw.normal(size=(4, 3, 5)) * 3
TARGETS = draw.normal(size=(4, 3, 5)) * 3
PARTS = draw.uniform(0.01, 0.99, size=(4, 3, 5))
SIGNS = numpy.where(draw.normal(size=(4, 3, 5)) > 0, 1.0, -1.0)
COUNTS = draw.integers(0, 6, size=(4, 3, 5)).astype("f8")
CLASSES = draw.integers(0, 5, size=(4, 3))
ROWS = draw.normal(size=(4, 6)), draw.normal(size=(4, 6)), draw.normal(size=(4, 6))
DISTRIBUTION = PARTS / PARTS.sum(-1, keepdims=True)


def over_samples(loss):
    return loss.reshape(loss.shape[0], -1).mean(1)


def softplus(x):
    return functional.softplus(x, threshold=1000.0)


def pos_weighted(x, y, p):
    return over_samples(-p * y * functional.logsigmoid(x) - (1 - y) * functional.logsigmoid(-x))


def stirling(y):
    factor = torch.where(y > 1, y * torch.log(y.clamp(1)) - y + 0.5 * torch.log(2 * torch.pi * y.clamp(1)), 0 * y)
    return factor


WEIGHTS = numpy.array([0.5, 1.0, 2.0, 3.0, 4.0])

# name, the loss, its inputs (floats are differentiated), the same by PyTorch in float64
CASES = [
    ("L2", losses.L2Loss(), (SCORES, TARGETS), lambda x, y: over_samples(0.5 * functional.mse_loss(x, y, reduction="none"))),
    ("L1", losses.L1Loss(), (SCORES, TARGETS), lambda x, y: over_samples(functional.l1_loss(x, y, reduction="none"))),
    ("Huber", losses.HuberLoss(), (SCORES, TARGETS), lambda x, y: over_samples(functional.smooth_l1_loss(x, y, reduction="none"))),
    ("Huber, rho", losses.HuberLoss(rho=2.5), (SCORES, TARGETS), lambda x, y: over_samples(functional.smooth_l1_loss(x, y, reduction="none", beta=2.5))),
    ("SigmoidBCE", losses.SigmoidBCELoss(), (SCORES, PARTS), lambda x, y: over_samples(functional.binary_cross_entropy_with_logits(x, y, reduction="none"))),
    ("SigmoidBCE, from_sigmoid", losses.SigmoidBCELoss(from_sigmoid=True), (PARTS, DISTRIBUTION), lambda x, y: over_samples(functional.binary_cross_entropy(x, y, reduction="none"))),
    ("SigmoidBCE, pos_weight", lambda x, y, p: losses.SigmoidBCELoss()(x, y, None, p), (SCORES, PARTS, WEIGHTS), pos_weighted),
    ("SigmoidBCE, both", lambda x, y, p: losses.SigmoidBCELoss(from_sigmoid=True)(x, y, None, p), (PARTS, DISTRIBUTION, WEIGHTS),
     lambda x, y, p: over_samples(-(p * y * torch.log(x) + (1 - y) * torch.log(1 - x)))),
    ("SoftmaxCE", losses.SoftmaxCELoss(), (SCORES, CLASSES), lambda x, y: functional.cross_entropy(x.movedim(-1, 1), y, reduction="none").mean(1)),
    ("SoftmaxCE, axis", losses.SoftmaxCELoss(axis=1), (SCORES.transpose(0, 2, 1), CLASSES), lambda x, y: functional.cross_entropy(x, y, reduction="none").mean(1)),
    ("SoftmaxCE, dense", losses.SoftmaxCELoss(sparse_label=False), (SCORES, DISTRIBUTION), lambda x, y: functional.cross_entropy(x.movedim(-1, 1), y.movedim(-1, 1), reduction="none").mean(1)),
    ("SoftmaxCE, from_logits", losses.SoftmaxCELoss(from_logits=True), (numpy.log(DISTRIBUTION), CLASSES), lambda x, y: functional.nll_loss(x.movedim(-1, 1), y, reduction="none").mean(1)),
    ("KLDiv", losses.KLDivLoss(), (numpy.log(DISTRIBUTION), DISTRIBUTION[::-1].copy()), lambda x, y: functional.kl_div(x, y, reduction="none").mean((1, 2))),
    ("KLDiv, scores", losses.KLDivLoss(from_logits=False), (SCORES, DISTRIBUTION), lambda x, y: functional.kl_div(x.log_softmax(-1), y, reduction="none").mean((1, 2))),
    ("Hinge", losses.HingeLoss(), (SCORES, SIGNS), lambda x, y: over_samples(functional.relu(1 - x * y))),
    ("Hinge, margin", losses.HingeLoss(margin=2), (SCORES, SIGNS), lambda x, y: over_samples(functional.relu(2 - x * y))),
    ("SquaredHinge", losses.SquaredHingeLoss(), (SCORES, SIGNS), lambda x, y: over_samples(functional.relu(1 - x * y) ** 2)),
    ("Logistic", losses.LogisticLoss(), (SCORES, SIGNS.astype("i8")), lambda x, y: over_samples(softplus(-x * y))),
    ("Logistic, binary", losses.LogisticLoss(label_format="binary"), (SCORES, (SIGNS > 0).astype("i8")), lambda x, y: over_samples(softplus(-x * (2 * y - 1)))),
    ("Triplet", losses.TripletLoss(margin=4), ROWS, lambda x, p, n: functional.relu(4 + ((p - x) ** 2).sum(1) - ((n - x) ** 2).sum(1))),
    ("PoissonNLL", losses.PoissonNLLLoss(), (SCORES, COUNTS.astype("i8")), lambda x, y: over_samples(functional.poisson_nll_loss(x, y.double(), reduction="none"))),
    ("PoissonNLL, mean", losses.PoissonNLLLoss(from_logits=False), (PARTS, COUNTS.astype("i8")), lambda x, y: over_samples(functional.poisson_nll_loss(x, y.double(), log_input=False, reduction="none"))),
    ("PoissonNLL, full", losses.PoissonNLLLoss(compute_full=True), (SCORES, COUNTS.astype("i8")), lambda x, y: over_samples(torch.exp(x) - y * x + stirling(y.double()))),
    ("CosineEmbedding", losses.CosineEmbeddingLoss(margin=0.1), (*ROWS[:2], numpy.array([1, -1, -1, 1])), lambda x, y, z: functional.cosine_embedding_loss(x, y, z, margin=0.1, reduction="none")),
    ("SDML", losses.SDMLLoss(), ROWS[:2], lambda x, y: functional.kl_div((-((x[:, None] - y[None]) ** 2).sum(2)).log_softmax(1), torch.eye(4) * 0.6 + 0.1, reduction="none").sum(1)),
]  # fmt: skip


def arrays(inputs, dtype):
    return [np.array(x, dtype=dtype if x.dtype.kind == "f" else x.dtype) for x in inputs]


def expected(inputs, formula):
    """PyTorch's values, and its gradients of their sum by the float inputs."""
    given = [torch.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
    value = formula(*given)
    value.sum().backward()
    return value.detach().numpy(), [x.grad.numpy() for x in given if x.requires_grad]


@pytest.fixture(params=CASES, ids=lambda case: case[0])
def case(request):
    return request.param[1:]


def test_values_are_pytorchs(case):
    loss, inputs, formula = case
    value, _ = expected(inputs, formula)
    found = loss(*arrays(inputs, "float64"))
    assert found.dtype == numpy.float64
    numpy.testing.assert_allclose(found.asnumpy(), value, rtol=1e-7, atol=1e-9)
    short = loss(*arrays(inputs, "float32"))
    assert short.dtype == numpy.float32
    numpy.testing.assert_allclose(short.asnumpy(), value, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_losses_give_the_same(case, dtype):
    loss, inputs, _ = case
    given = arrays(inputs, dtype)
    program = hybridize.hybridize(loss if isinstance(loss, gluon.HybridBlock) else lambda *xs: loss(*xs)).compile(
        *given
    )
    found, wanted = program(*given), loss(*given)
    assert program.fallbacks == ()
    assert found.dtype == wanted.dtype
    numpy.testing.assert_allclose(
        found.asnumpy(), wanted.asnumpy(), rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-6
    )


ELEMENTWISE = [
    one for one in CASES if one[0] in ("L1", "L2", "Huber", "SigmoidBCE", "Hinge", "Logistic, binary", "PoissonNLL")
]


@pytest.mark.parametrize("case", ELEMENTWISE, ids=lambda case: case[0])
def test_weights_and_batch_axes(case):
    _, loss, inputs, _ = case
    pred, label = arrays(inputs, "float64")
    elements = type(loss)(**({"label_format": "binary"} if "binary" in case[0] else {}))
    single = np.reshape(elements(np.reshape(pred, (-1, 1)), np.reshape(label, (-1, 1))), pred.shape).asnumpy()
    by_element = draw.uniform(size=pred.shape)
    by_sample = draw.uniform(size=(pred.shape[0], 1, 1))
    options = {"label_format": "binary"} if "binary" in case[0] else {}
    for axis, rest in ((0, (1, 2)), (1, (0, 2)), (-1, (0, 1))):
        for weights in (by_element, by_sample):
            found = type(loss)(weight=0.25, batch_axis=axis, **options)(pred, label, np.array(weights, dtype="float64"))
            numpy.testing.assert_allclose(found.asnumpy(), (0.25 * single * weights).mean(rest), rtol=1e-12)
    plain = type(loss)(weight=None, **options)(pred, label)
    numpy.testing.assert_allclose(plain.asnumpy(), single.mean((1, 2)), rtol=1e-12)


def test_weights_of_softmax_cross_entropy():
    pred, label = arrays((SCORES, CLASSES), "float64")
    single = -torch.tensor(SCORES).log_softmax(-1).gather(-1, torch.tensor(CLASSES)[..., None]).numpy()
    weights = draw.uniform(size=(4, 3, 1))
    found = losses.SoftmaxCELoss(weight=3)(pred, label, np.array(weights, dtype="float64"))
    numpy.testing.assert_allclose(found.asnumpy(), 3 * (single * weights).mean((1, 2)))
    found = losses.SoftmaxCELoss(batch_axis=1)(pred, label)
    numpy.testing.assert_allclose(found.asnumpy(), single.mean((0, 2)))
    by_sample = losses.TripletLoss(weight=2)(*arrays(ROWS, "float64"), np.array([1, 2, 0, 1], dtype="float64"))
    plain = losses.TripletLoss()(*arrays(ROWS, "float64"))
    numpy.testing.assert_allclose(by_sample.asnumpy(), 2 * plain.asnumpy() * [1, 2, 0, 1])


@pytest.mark.parametrize("label", [CLASSES, CLASSES.astype("f4"), CLASSES.astype("i4"), CLASSES[..., None]])
def test_classes_come_in_any_dtype(label):
    pred = np.array(SCORES, dtype="float32")
    wanted = losses.SoftmaxCELoss()(pred, np.array(CLASSES)).asnumpy()
    numpy.testing.assert_array_equal(losses.SoftmaxCELoss()(pred, label).asnumpy(), wanted)


def test_labels_take_the_shape_of_predictions():
    pred, label = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 1.0, 1.0])
    numpy.testing.assert_allclose(losses.L2Loss()(pred, label).asnumpy(), [0, 0.5, 4.5])
    numpy.testing.assert_allclose(losses.L2Loss()(pred, [1, 1, 1]).asnumpy(), [0, 0.5, 4.5])


def test_large_scores_do_not_overflow():
    pred, label = np.array([[-1e4], [1e4], [50.0]]), np.array([1.0, 0.0, 1.0])
    numpy.testing.assert_allclose(
        losses.SigmoidBCELoss()(pred, label).asnumpy(), [1e4, 1e4, numpy.exp(-50.0)], rtol=1e-6
    )
    rows = np.array([[1e4, -1e4], [-1e30, 0.0]])
    numpy.testing.assert_array_equal(losses.SoftmaxCELoss()(rows, np.array([1, 1])).asnumpy(), [2e4, 0])


def test_probabilities_of_0_cost_much_not_infinity():
    sure = losses.SigmoidBCELoss(from_sigmoid=True)(np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]))
    numpy.testing.assert_allclose(sure.asnumpy(), -math.log(1e-12), rtol=1e-5)
    none = losses.KLDivLoss()(np.log(np.array([[0.5, 0.5]])), np.array([[0.0, 1.0]]))
    numpy.testing.assert_allclose(none.asnumpy(), math.log(2) / 2, rtol=1e-5)


@pytest.mark.parametrize("loss", [losses.SigmoidBCELoss(), losses.LogisticLoss(label_format="binary")])
@pytest.mark.parametrize("hybrid", [False, True])
def test_binary_cross_entropy_has_its_slope_at_0(loss, hybrid):
    """A net whose weights begin at 0 gives scores of exactly 0, where max and abs have corners."""
    run = hybridize.hybridize(lambda x, y: loss(x, y)) if hybrid else loss
    scores = np.zeros((2, 1))
    scores.attach_grad()
    with autograd.record():
        value = run(scores, np.array([[1.0], [0.0]]))
    value.backward()
    numpy.testing.assert_allclose(scores.grad.asnumpy(), [[-0.5], [0.5]])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_cosines_of_nothing_have_no_slope(dtype):
    loss = losses.CosineEmbeddingLoss()
    x = np.array([[0, 0], [0, 0], [300, 400]], dtype=dtype)
    x.attach_grad()
    with autograd.record():
        found = loss(x, np.array([[1, 1], [1, 1], [400, 300]], dtype=dtype), np.array([1, -1, 1], dtype=dtype))
    found.backward()
    assert found.dtype == x.dtype
    numpy.testing.assert_allclose(found.asnumpy().astype("f8"), [1, 0, 0.04], atol=0.004)
    numpy.testing.assert_array_equal(x.grad.asnumpy()[:2], 0)
    assert numpy.isfinite(x.grad.asnumpy().astype("f8")).all()


def test_counts_of_0_have_a_full_likelihood():
    """0 log 0 is no NaN, nor is its slope."""
    counts = np.array([0.0, 1.0])
    counts.attach_grad()
    with autograd.record():
        found = losses.PoissonNLLLoss(compute_full=True)(np.zeros((2, 1)), counts)
    found.backward()
    numpy.testing.assert_allclose(found.asnumpy(), [1, 1])
    assert numpy.isfinite(counts.grad.asnumpy()).all()


def test_a_loss_is_captured_for_every_batch_size():
    net = losses.SoftmaxCELoss()
    net.hybridize()
    for size in (4, 7, 7, 2, 9, 1, 5):
        pred, label = draw.normal(size=(size, 5)), draw.integers(0, 5, size)
        found = net(np.array(pred), np.array(label)).asnumpy()
        wanted = functional.cross_entropy(torch.tensor(pred), torch.tensor(label), reduction="none").numpy()
        numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert net.cache_info().captures <= 3


def test_own_losses_of_both_generations():
    class Cubic(losses.Loss):
        def __init__(self, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight, batch_axis, **kwargs)

        def hybrid_forward(self, F, pred, label, sample_weight=None):
            label = losses._reshape_like(F, label, pred)
            loss = F.abs(label - pred) ** 3
            loss = losses._apply_weighting(F, loss, self._weight, sample_weight)
            return F.mean(loss, axis=self._batch_axis, exclude=True)

    class Quartic(losses.Loss):
        def __init__(self):
            super().__init__(None, 0)

        def forward(self, pred, label):
            return ((label - pred) ** 4).mean(1)

    x, y = np.array([[1.0, 3.0], [2.0, 5.0]]), np.zeros((2, 2))
    for loss, power in ((Cubic(weight=2), 3), (Quartic(), 4)):
        wanted = (x.asnumpy() ** power).mean(1) * (2 if power == 3 else 1)
        numpy.testing.assert_allclose(loss(x, y).asnumpy(), wanted)
        loss.hybridize()
        numpy.testing.assert_allclose(loss(x, y).asnumpy(), wanted)


def test_names():
    assert repr(losses.L2Loss()) == "L2Loss(batch_axis=0, w=1.0)"
    assert losses.SigmoidBCELoss is losses.SigmoidBinaryCrossEntropyLoss
    assert losses.SoftmaxCELoss is losses.SoftmaxCrossEntropyLoss
    assert gluon.loss.L1Loss is losses.L1Loss
    assert losses.L2Loss().collect_params() == {}


KEPT_AXIS = {
    "SoftmaxCELoss": (losses.SoftmaxCELoss(sparse_label=False), (2, 4, 5), (2, 4, 1)),
    "SoftmaxCELoss of indices": (losses.SoftmaxCELoss(), (2, 4, 5), (2, 4, 1)),
    "L2Loss": (losses.L2Loss(), (2, 4, 1), (2, 4, 1)),
    "SigmoidBCELoss": (losses.SigmoidBCELoss(), (2, 1), (2, 1)),
}
"""Losses, shapes of predictions, and of the loss of their elements, which has an axis of one."""


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", KEPT_AXIS)
def test_weights_may_be_more_than_the_elements_of_a_loss(name, hybrid):
    """Where the axes are as many: a mask of [batch, steps, classes] beside a loss of [batch, steps, 1]."""
    loss, shape, elements = KEPT_AXIS[name]
    draw = numpy.random.default_rng(3)
    sizes = (*elements[:-1], 5)
    weights = numpy.array(draw.uniform(0.5, 2, sizes), "f4")
    pred = np.array(draw.normal(size=shape))
    labels = draw.integers(0, 5, shape[:-1]) if "indices" in name else draw.uniform(0, 1, shape)
    if hybrid:
        loss.hybridize()
    means = weights.mean(-1, keepdims=True)
    found = loss(pred, np.array(labels), np.array(weights))
    wanted = loss(pred, np.array(labels), np.array(means))
    numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    for wrong in ((1, *sizes[1:-1], 5) if len(sizes) == 2 else sizes[1:], (*sizes, 1)):
        with pytest.raises(ShapeError, match=r"sample_weight.*does not broadcast"):
            loss(pred, np.array(labels), np.ones(wrong))


@pytest.mark.parametrize("hybrid", [False, True])
def test_labels_that_do_not_fit_are_said_to(hybrid):
    def call(loss, *args):
        if hybrid:
            loss.hybridize()
        return loss(*(np.ones(shape) for shape in args))

    with pytest.raises(ShapeError, match=r"L2Loss needs one label for each prediction, got f32\[4\] and f32\[4,2\]"):
        call(losses.L2Loss(), (4, 2), (4,))
    with pytest.raises(ShapeError, match=r"needs labels of the shape \(4,\), got f32\[4,2\](.|\n)*sparse_label=False"):
        call(losses.SoftmaxCELoss(), (4, 2), (4, 2))
    with pytest.raises(ShapeError, match=r"sample_weight f32\[4\] does not broadcast(.|\n)*\[batch, 1\]"):
        call(losses.SoftmaxCELoss(), (4, 2), (4,), (4,))
    with pytest.raises(ShapeError, match=r"sample_weight f32\[4\] does not broadcast(.|\n)*\[batch, 1\]"):
        call(losses.L2Loss(), (4, 2), (4, 2), (4,))
    with pytest.raises(ShapeError, match="batch_axis=2 is out of bounds"):
        call(losses.L1Loss(batch_axis=2), (4, 2), (4, 2))
    with pytest.raises(ShapeError, match=r"two batches \[batch, n\]"):
        call(losses.SDMLLoss(), (1, 2), (1, 2))


def test_settings_that_cannot_be():
    with pytest.raises(ArgumentError, match="E365"):
        losses.L1Loss(weight=np.ones(3))
    with pytest.raises(ArgumentError, match="rho of HuberLoss must be positive"):
        losses.HuberLoss(rho=0)
    with pytest.raises(ArgumentError, match="label_format 'other'"):
        losses.LogisticLoss(label_format="other")
    with pytest.raises(ArgumentError, match=r"must be in \[0, 1\)"):
        losses.SDMLLoss(smoothing_parameter=1.0)


@pytest.mark.parametrize("hybrid", [False, True])
def test_backward_gives_pytorchs_gradients(case, hybrid):
    loss, inputs, formula = case
    given = arrays(inputs, "float64")
    if hybrid:
        loss = hybridize.hybridize(lambda *xs, loss=loss: loss(*xs))
    wrt = [x for x in given if x.dtype == numpy.float64]
    for x in wrt:
        x.attach_grad()
    with autograd.record():
        value = loss(*given)
    value.backward()
    for x, want in zip(wrt, expected(inputs, formula)[1], strict=True):
        numpy.testing.assert_allclose(x.grad.asnumpy(), want, rtol=1e-6, atol=1e-8)


def test_every_loss_is_one_program_for_all_batches(case):
    loss, inputs, _ = case
    if not isinstance(loss, gluon.HybridBlock):
        return
    loss.hybridize()
    for count in (4, 3, 2, 4, 3):
        given = arrays([x[:count] for x in inputs], "float64")
        found = loss(*given).asnumpy()
        with hybridize.disabled():
            wanted = loss(*given).asnumpy()
        numpy.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert loss.cache_info().captures == 2
    loss.hybridize(active=False)


def test_slopes_of_slopes_are_pytorchs(case):
    loss, inputs, formula = case
    by = numpy.random.default_rng(5).normal(size=inputs[0].shape)
    given = arrays(inputs, "float64")
    given[0].attach_grad()
    with autograd.record():
        (first,) = autograd.grad(loss(*given) ** 2, [given[0]], create_graph=True)
        pushed = (first * np.array(by, dtype="float64")).sum()
    pushed.backward()
    theirs = [torch.tensor(x, requires_grad=k == 0) for k, x in enumerate(inputs)]
    (slope,) = torch.autograd.grad((formula(*theirs) ** 2).sum(), theirs[0], create_graph=True)
    (slope * torch.tensor(by)).sum().backward()
    numpy.testing.assert_allclose(first.asnumpy(), slope.detach().numpy(), rtol=1e-6, atol=1e-8)
    numpy.testing.assert_allclose(given[0].grad.asnumpy(), theirs[0].grad.numpy(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("loss", [losses.SigmoidBCELoss(), losses.LogisticLoss(label_format="binary")])
def test_curvature_at_a_score_of_0(loss):
    """What Newton's method needs of a net that begins with weights of 0."""
    x = np.zeros((2, 1), dtype="float64")
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(loss(x, np.array([[1.0], [0.0]], dtype="float64")), [x], create_graph=True)
    first.backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), [[0.25], [0.25]])
