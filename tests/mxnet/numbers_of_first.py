"""Programs whose numbers differ between MXNet's generations; they run on MXNet 1.9.1 and on `hybridize.mxnet`.

.mxnet/1.9.1/bin/python tests/mxnet/numbers_of_first.py > tests/mxnet/numbers_of_first.json
"""

import contextlib
import functools
import json
import sys

import numpy

WEIGHT = numpy.array([[0.5, -1.2, 0.3, 2.0], [1.5, -0.7, 0.0, -0.1], [0.9, 0.2, -0.4, 0.6]], "float32")
STEPS = 5
SETTINGS = (
    {}, {"wd": 0.1}, {"clip_gradient": 0.5},
    {"wd": 0.1, "clip_gradient": 0.5, "rescale_grad": 0.25}, {"lr_scheduler": 0.1},
    {"dtype": "float16", "multi_precision": True, "wd": 0.1}, {"mult": True, "wd": 0.1}, {"learning_rate": None},
)  # fmt: skip
"""For each optimizer."""
OPTIMIZERS = {
    "sgd": ({}, {"momentum": 0.9}), "nag": ({}, {"momentum": 0.9}), "signum": ({}, {"momentum": 0.0}, {"wd_lh": 0.1}),
    "ftml": ({}, {"beta1": 0.5, "beta2": 0.9}), "lars": ({}, {"momentum": 0.9, "eta": 0.1}, {"eps": 0.1}),
    "lbsgd": ({"batch_scale": 2, "updates_per_epoch": 2}, {"momentum": 0.9, "warmup_strategy": "lars"}),
    "dcasgd": ({}, {"lamda": 0.5}), "adam": ({}, {"beta1": 0.5}), "adagrad": ({}, {"eps": 0.01}),
    "rmsprop": ({}, {"centered": True}, {"gamma1": 0.8, "epsilon": 0.01}, {"clip_weights": 0.5},
                {"gamma1": 0.8, "epsilon": 0.01, "centered": True, "gamma2": 0.5}),
    "adadelta": ({}, {"rho": 0.8, "epsilon": 0.01}), "ftrl": ({}, {"lamda1": 0.1, "beta": 0.5}), "adamax": ({},),
    "lamb": ({}, {"lower_bound": 0.5, "upper_bound": 1.0}, {"bias_correction": False}),
}  # fmt: skip


def gradient(step, dtype):
    return (numpy.cos(numpy.arange(12).reshape(3, 4) * 1.7 + step * 0.9) * 3).astype(dtype)


def trained(mx, name, own, setting):
    """A weight and a bias after five updates."""
    own = {**own, **setting}
    dtype, mult, schedule = own.pop("dtype", "float32"), own.pop("mult", False), own.pop("lr_scheduler", None)
    if schedule is not None:
        own["lr_scheduler"] = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=schedule)
    elif own.setdefault("learning_rate", 0.1) is None:
        del own["learning_rate"]
    if mult:
        own["param_idx2name"] = {0: "a_weight", 1: "a_bias"}
    optimizer = mx.optimizer.create(name, **own)
    if mult:
        optimizer.set_lr_mult({"a_weight": 0.5})
        optimizer.set_wd_mult({"a_weight": 2.0})
    weights = [mx.nd.array(one, dtype=dtype) for one in (WEIGHT, WEIGHT[0])]
    states = [optimizer.create_state_multi_precision(*one) for one in enumerate(weights)]
    for step in range(STEPS):
        for index, (weight, state) in enumerate(zip(weights, states)):  # noqa: B905
            grad = gradient(step, dtype)
            grad = mx.nd.array(grad if index == 0 else grad[1], dtype=dtype)
            optimizer.update_multi_precision(index, weight, grad, state)
    return weights


def by_trainer(mx, name, arguments):
    """The weight of a layer after three steps of a trainer that has the optimizer's name."""
    net = mx.gluon.nn.Dense(3, in_units=4, weight_initializer=mx.init.Constant(mx.nd.array(WEIGHT)))
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), name, arguments)
    for step in range(3):
        with mx.autograd.record():
            loss = (net(mx.nd.array(gradient(step, "float32"))) ** 2).sum()
        loss.backward()
        trainer.step(3)
    return [net.weight.data(), net.bias.data()]


def optimizers(mx):
    """The class of optimizers that MXNet 1.9.1 has, by their names, each with settings that all have."""
    for name, specs in OPTIMIZERS.items():
        for own in specs:
            for setting in SETTINGS:
                yield (
                    f"{name} {own} {setting}",
                    lambda name=name, own=own, setting=setting: trained(mx, name, own, setting),
                )
    for name in OPTIMIZERS:
        for arguments in ({}, {"wd": 0.1}):
            yield f"Trainer {name} {arguments}", lambda name=name, one=arguments: by_trainer(mx, name, one)
    for name, arguments in (("SGD", (0.9,)), ("NAG", (0.9,)), ("FTML", (0.5, 0.9)), ("AdaGrad", (0.01,)),
                            ("AdaDelta", (0.8,)), ("Ftrl", (0.1, 0.2)), ("DCASGD", (0.0, 0.5)), ("Adam", (0.1, 0.5)),
                            ("LARS", (0.9, True, 0.1)), ("RMSProp", (0.1, 0.8))):  # fmt: skip
        yield (
            f"{name} {arguments}",
            lambda name=name, one=arguments: by_trainer(mx, getattr(mx.optimizer, name)(*one), None),
        )


def losses(mx):
    """Losses that the generations reduce in another way."""
    spread = numpy.random.RandomState(0)
    scores, other = (spread.uniform(-1.5, 1.5, shape).astype("float32") for shape in ((4, 5), (4, 5, 3)))
    shares = numpy.exp(-scores / 2) / numpy.exp(-scores / 2).sum(1, keepdims=True)
    signs = numpy.array([1, -1, 1, -1], "float32")
    calls = [
        ("KLDivLoss", {}, (scores, shares)), ("KLDivLoss", {"from_logits": False}, (scores, shares)),
        ("KLDivLoss", {"from_logits": False, "axis": 1}, (other, numpy.abs(other))),
        ("PoissonNLLLoss", {}, (scores, shares * 3)), ("PoissonNLLLoss", {"from_logits": False}, (shares, shares * 3)),
        ("CosineEmbeddingLoss", {}, (scores, shares, signs)),
        ("CosineEmbeddingLoss", {"margin": 0.3}, (scores, shares, signs)),
    ]  # fmt: skip
    for name, own, arguments in calls:
        for further in ({}, {"weight": 0.5}, {"sample_weight": True}):
            yield (
                f"{name} {own} {arguments[0].shape} {further}",
                functools.partial(lost, mx, name, {**own, **further}, arguments),
            )


def lost(mx, name, own, arguments, compiled=False):
    """A loss and its gradient."""
    own = dict(own)
    by = own.pop("sample_weight", False)
    loss = getattr(mx.gluon.loss, name)(**own)
    if compiled:
        loss.hybridize()
    arrays = [mx.nd.array(one) for one in arguments]
    arrays[0].attach_grad()
    if by:
        arrays.append(mx.nd.array(numpy.array([1, 0.5, 2, 0]).reshape((4,) + (1,) * (arguments[0].ndim - 1))))
    with mx.autograd.record():
        result = loss(*arrays)
    result.backward()
    return [result, arrays[0].grad]


def layers(mx):
    """Layers whose parameters the generations shape in another way."""
    for groups in (1, 2, 3, 6):
        for own in ({}, {"epsilon": 0.1}, {"center": False}, {"scale": False}):
            yield f"GroupNorm {groups} {own}", functools.partial(normalized, mx, groups, own)


def normalized(mx, groups, own, compiled=False):
    """A layer's result by parameters of its own shapes, and gradients."""
    layer = mx.gluon.nn.GroupNorm(num_groups=groups, prefix="n_", **own)
    layer.initialize()
    data = numpy.random.RandomState(2).uniform(-1, 1, (2, 6, 3)).astype("float32")
    x, factors = mx.nd.array(data), mx.nd.array(data * data)
    x.attach_grad()
    layer(x)
    for parameter in layer.collect_params().values():
        if parameter.grad_req != "null":
            parameter.set_data(mx.nd.array(numpy.arange(1, 1 + groups)))
    if compiled:
        layer.hybridize()
    with mx.autograd.record():
        result = layer(x)
        total = (result * factors).sum()
    total.backward()
    learned = [one for one in (layer.gamma, layer.beta) if one.grad_req != "null"]
    return [result, x.grad, *(one.grad() for one in learned)]


def metrics(mx):
    """Metrics that the generations reduce in another way, alone and among others, by class and by name."""
    spread = numpy.random.RandomState(1)
    numbers, classes, sides = ([], [], [])
    for rows in (6, 2, 5):
        numbers.append([spread.uniform(-1, 1, (rows, 3)).astype("float32") for _ in range(2)])
        for labels, count in ((classes, 4), (sides, 2)):
            labels.append([spread.randint(0, count, rows).astype("float32"), shares(spread, rows, count)])
    makers = {
        "RMSE": mx.metric.RMSE, "PearsonCorrelation": mx.metric.PearsonCorrelation, "MAE": mx.metric.MAE,
        "MSE": mx.metric.MSE, "rmse": lambda: mx.metric.create("rmse"), "mse": lambda: mx.metric.create("mse"),
        "pearsonr": lambda: mx.metric.create("pearsonr"), "list": lambda: mx.metric.create(["rmse", "mae"]),
        "composite": lambda: mx.metric.CompositeEvalMetric(["rmse", mx.metric.create("pearsonr")]),
        "function": lambda: mx.metric.create(lambda label, pred: abs(label - pred).max()),
        "Loss": mx.metric.Loss, "micro": lambda: mx.metric.PearsonCorrelation(average="micro"),
    }  # fmt: skip
    for title, make in makers.items():
        yield f"metric {title}", functools.partial(measured, mx, make, numbers)
    for name, own in (
        ("Accuracy", {}), ("TopKAccuracy", {"top_k": 2}), ("CrossEntropy", {}), ("NegativeLogLikelihood", {}),
        ("Perplexity", {"ignore_label": None}), ("Perplexity", {"ignore_label": 2}), ("PCC", {}),
    ):  # fmt: skip
        yield (
            f"metric {name} {own}",
            functools.partial(measured, mx, functools.partial(getattr(mx.metric, name), **own), classes),
        )
    for name in ("F1", "MCC"):
        for average in ("macro", "micro"):
            yield (
                f"metric {name} {average}",
                functools.partial(measured, mx, functools.partial(getattr(mx.metric, name), average=average), sides),
            )


def shares(spread, rows, count):
    return spread.dirichlet([1] * count, rows).astype("float32")


def measured(mx, make, batches):
    """A metric after each batch, and of the last alone."""
    metric, values = make(), []
    for one in batches:
        metric.update([mx.nd.array(one[0])], [mx.nd.array(one[1])])
        values.append(metric.get()[1])
    metric.reset()
    metric.update([mx.nd.array(batches[-1][0])], [mx.nd.array(batches[-1][1])])
    return [Number(one) for one in (*values, metric.get()[1])]


class Number:
    """A number as an array, as other programs give."""

    def __init__(self, value):
        self.value = value

    def asnumpy(self):
        return numpy.array(self.value)


PARTS = {"optimizers": optimizers, "losses": losses, "layers": layers, "metrics": metrics}


def main():
    import mxnet as mx

    results = {}
    for part, programs in PARTS.items():
        results[part] = {}
        for title, function in programs(mx):
            try:
                with contextlib.redirect_stdout(sys.stderr):  # MXNet prints where a rate is replaced
                    arrays = [one.asnumpy() for one in function()]
            except Exception as error:
                sys.stderr.write(f"{title}: {type(error).__name__}\n")
                continue
            if all(numpy.isfinite(one).all() for one in arrays):
                results[part][title] = [
                    [list(one.shape), [float(f"{x:.6g}") for x in one.ravel().tolist()]] for one in arrays
                ]
    text = json.dumps(results, indent=0, sort_keys=True)
    sys.stdout.write(text.replace(",\n", ",").replace("[\n", "[").replace("\n]", "]") + "\n")


if __name__ == "__main__":
    main()
