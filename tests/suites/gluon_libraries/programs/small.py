"""The small packages: faces (gluonfr), probabilistic models (mxfusion), boards (mxboard), counts (mxop), data sets."""

import json
import sys
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import gluon
from rules import Rule, filled, numbers, signature, stages, without_dropout

# Faces


def faces(name):
    import gluonfr

    net = gluonfr.model_zoo.get_model(name, classes=7, weight_norm=True)
    data = numbers((2, 3, 112, 112))
    filled(net, data)
    net.apply(without_dropout)
    return stages(net, data, train=False)


LOSSES = {
    "ArcLoss": lambda loss: loss.ArcLoss(5, 0.4, 8, easy_margin=False),
    "ArcLoss easy": lambda loss: loss.ArcLoss(5, 0.4, 8),
    "CosLoss": lambda loss: loss.CosLoss(5, 0.2, 8),
    "L2Softmax": lambda loss: loss.L2Softmax(5, 12, from_normx=True),
    "ASoftmax": lambda loss: loss.ASoftmax(5, 3, 8),
    "RingLoss": lambda loss: loss.RingLoss(0.1),
    "CenterLoss": lambda loss: loss.CenterLoss(5, 6, 0.1),
    "TripletLoss": lambda loss: loss.TripletLoss(0.3),
    "ContrastiveLoss": lambda loss: loss.ContrastiveLoss(0.5),
    "RangeLoss": lambda loss: loss.RangeLoss(0.5, 0.1, 2, 2, 2, 6, 9.0),
    "LGMLoss": lambda loss: loss.LGMLoss(5, 6, 0.1, 0.1, 1.0),
    "MPSLoss": lambda loss: loss.MPSLoss(0.4),
    "GitLoss": lambda loss: loss.GitLoss(5, 6, 0.1, 0.1, 4),
    "COCOLoss": lambda loss: loss.COCOLoss(5, 6, 2.0),
    "SVXSoftmax": lambda loss: loss.SVXSoftmax(5, 8, 0.3, 1.2),
}


def face_loss(name):
    from gluonfr import loss

    one = LOSSES[name](loss)
    one.initialize(Rule())
    for parameter in one.collect_params().values():
        if len(parameter.shape) == 2 and parameter.grad_req != "null":
            parameter.set_data(numbers(parameter.shape))
    pred, label = numbers((4, 5), 0.9), mx.nd.array([0, 3, 1, 3])
    features = numbers((4, 6))
    inputs = {
        "RingLoss": (pred, label, features), "CenterLoss": (pred, label, features), "GitLoss": (pred, label, features),
        "TripletLoss": (features, numbers((4, 6), 0.8), numbers((4, 6), 1.2)),
        "ContrastiveLoss": (features, numbers((4, 6), 0.8), mx.nd.array([0, 1, 1, 0])), "LGMLoss": (features, label),
        "COCOLoss": (features, label), "RangeLoss": (features, label), "MPSLoss": (features, numbers((4, 6), 0.8)),
    }.get(name, (pred, label))  # fmt: skip
    found = {}
    for stage in ("", " hybridized"):
        inputs[0].attach_grad()
        with mx.autograd.record():
            value = one(*inputs)
            value = value if not isinstance(value, (list, tuple)) else sum(part.mean() for part in value)
        value.backward()
        found["loss" + stage] = signature(value, inputs[0].grad)
        if name not in ("RangeLoss", "MPSLoss"):  # which MXNet refuses, hybridized
            one.hybridize()
    return found


def face_blocks():
    from gluonfr.nn.basic_blocks import NormDense

    net = NormDense(5, weight_norm=True, feature_norm=True, in_units=6)
    net.initialize(Rule())
    return stages(net, numbers((4, 6)))


# Probabilistic models


def normal_model():
    from mxfusion import Model, Variable
    from mxfusion.components.distributions import Normal
    from mxfusion.components.variables import PositiveTransformation

    m = Model()
    m.mu = Variable()
    m.s = Variable(transformation=PositiveTransformation())
    m.Y = Normal.define_variable(mean=m.mu, variance=m.s, shape=(20,))
    return m


def fitted(hybridize=False):
    """The mode of a normal model."""
    from mxfusion.inference import MAP, GradBasedInference

    m = normal_model()
    inference = GradBasedInference(inference_algorithm=MAP(model=m, observed=[m.Y]))
    inference.initialize(Y=(20,))
    inference.params[m.mu] = mx.nd.array([0.3])
    inference.params[m.s] = mx.nd.array([0.7])
    inference.run(Y=numbers((20,), 3) + 1, learning_rate=0.1, max_iter=60, verbose=False)
    return {"fitted": signature(inference.params[m.mu], inference.params[m.s])}


def gaussian_process(kernel):
    """The parameters of a Gaussian process, and what it predicts."""
    from mxfusion import Model, Variable
    from mxfusion.components.distributions.gp import kernels
    from mxfusion.components.variables import PositiveTransformation
    from mxfusion.inference import MAP, GradBasedInference, ModulePredictionAlgorithm, TransferInference
    from mxfusion.modules.gp_modules import GPRegression

    x = np.linspace(-2, 2, 9).reshape(-1, 1)
    m = Model()
    m.N = Variable()
    m.X = Variable(shape=(m.N, 1))
    m.noise_var = Variable(
        shape=(1,), transformation=PositiveTransformation(), initial_value=mx.nd.array([0.05], dtype="float64")
    )
    made = {
        "RBF": lambda: kernels.RBF(input_dim=1, variance=1, lengthscale=1, dtype="float64"),
        "Matern52": lambda: kernels.Matern52(input_dim=1, variance=1, lengthscale=1, dtype="float64"),
        "sum": lambda: kernels.RBF(1, variance=1, lengthscale=1, dtype="float64") + kernels.Linear(1, dtype="float64"),
    }
    m.kernel = made[kernel]()
    m.Y = GPRegression.define_variable(X=m.X, kernel=m.kernel, noise_var=m.noise_var, shape=(m.N, 1), dtype="float64")
    inference = GradBasedInference(inference_algorithm=MAP(model=m, observed=[m.X, m.Y]), dtype="float64")
    of_float64 = lambda one: mx.nd.array(one, dtype="float64")  # noqa: E731
    inference.run(X=of_float64(x), Y=of_float64(np.sin(x)), max_iter=15, learning_rate=0.05, verbose=False)
    found = {"noise": signature(inference.params[m.noise_var])}
    predicting = TransferInference(
        ModulePredictionAlgorithm(model=m, observed=[m.X], target_variables=[m.Y]),
        infr_params=inference.params,
        dtype="float64",
    )
    predicted = predicting.run(X=of_float64(x + 0.1))[0]
    return {**found, "predicted": signature(*predicted)}


def kernels():
    from mxfusion.components.distributions.gp import kernels as every

    x, y = numbers((5, 2)), numbers((4, 2), 0.8)
    found = []
    for name in ("RBF", "Matern12", "Matern32", "Matern52", "Linear", "Bias", "White"):
        kernel = getattr(every, name)(2, name="k")
        settings = {f"k_{one}": mx.nd.array([[1.3 if "variance" in one else 0.8]]) for one in kernel._parameter_names}
        found.append(kernel.K(mx.nd, x.expand_dims(0), y.expand_dims(0), **settings))
        found.append(kernel.Kdiag(mx.nd, x.expand_dims(0), **settings))
    return {"kernels": signature(*found)}


def densities(name):
    """Logarithms of densities, by the package's distributions."""
    from mxfusion.components import distributions
    from mxfusion.components.variables import Variable

    positive = mx.nd.abs(numbers((1, 4))) + 0.3
    cases = {
        "Normal": ({"mean": numbers((1, 4)), "variance": positive}, numbers((1, 4), 2)),
        "Gamma": ({"alpha": positive, "beta": positive + 1}, positive * 2),
        "Beta": ({"alpha": positive, "beta": positive + 1}, positive / 3),
        "Laplace": ({"location": numbers((1, 4)), "scale": positive}, numbers((1, 4), 2)),
        "Uniform": ({"low": -positive, "high": positive * 4}, positive),
        "Bernoulli": ({"prob_true": positive / 3}, mx.nd.array([[1, 0, 1, 1]])),
        "Dirichlet": ({"alpha": positive.reshape((1, 1, 4))}, mx.nd.array([[[0.1, 0.2, 0.3, 0.4]]])),
        "Categorical": ({"log_prob": mx.nd.log_softmax(numbers((1, 3, 4)))}, mx.nd.array([[[1], [0], [3]]])),
    }
    values, at = cases[name]
    keywords = {"num_classes": 4, "one_hot_encoding": False} if name == "Categorical" else {}
    one = getattr(distributions, name)(**{key: Variable() for key in values}, **keywords)
    at.attach_grad()
    with mx.autograd.record():
        density = one.log_pdf_impl(random_variable=at, F=mx.nd, **values)
    if name not in ("Uniform", "Categorical"):  # which have no slope
        density.backward()
    return {"density": signature(density, at.grad)}


def bayesian_network():
    """A net whose weights are normal: what is drawn differs, so of the fit only the shapes, and that it gets better."""
    from mxfusion import Model, Variable
    from mxfusion.components.distributions import Normal
    from mxfusion.components.functions import MXFusionGluonFunction
    from mxfusion.components.functions.operators import broadcast_to
    from mxfusion.components.variables import PositiveTransformation
    from mxfusion.inference import GradBasedInference, StochasticVariationalInference, create_Gaussian_meanfield

    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            gluon.nn.Dense(4, activation="tanh", flatten=False, in_units=1),
            gluon.nn.Dense(1, flatten=False, in_units=4),
        )
    net.initialize(Rule())
    m = Model()
    m.N = Variable()
    m.f = MXFusionGluonFunction(net, num_outputs=1, broadcastable=False)
    m.x = Variable(shape=(m.N, 1))
    m.v = Variable(shape=(1,), transformation=PositiveTransformation(), initial_value=mx.nd.array([0.01]))
    m.r = m.f(m.x)
    for one in m.r.factor.parameters.values():
        zero, unit = (broadcast_to(mx.nd.array([value]), one.shape) for value in (0.0, 1.0))
        one.set_prior(Normal(mean=zero, variance=unit))
    m.y = Normal.define_variable(mean=m.r, variance=broadcast_to(m.v, (m.N, 1)), shape=(m.N, 1))
    x = numbers((12, 1), 2)
    observed = [m.y, m.x]
    algorithm = StochasticVariationalInference(
        num_samples=3, model=m, posterior=create_Gaussian_meanfield(model=m, observed=observed), observed=observed
    )
    inference = GradBasedInference(inference_algorithm=algorithm)
    inference.initialize(y=x, x=x)
    inference.run(max_iter=30, learning_rate=0.05, y=mx.nd.sin(x), x=x, verbose=False)
    shapes = [
        inference.params[q.factor.mean].shape
        for q in (algorithm.posterior[one] for one in m.r.factor.parameters.values())
    ]
    return {"shapes": signature(np.array([size for shape in sorted(shapes) for size in (*shape, len(shape))]))}


# Boards


def board(kind):
    """What is written, without the times that it is written at."""
    from mxboard import SummaryWriter
    from mxboard.proto import event_pb2

    data = numbers((6, 4))
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(logdir=folder, flush_secs=1) as writer:
            if kind == "histogram":
                writer.add_histogram(tag="weights", values=data, global_step=1, bins=5)
            elif kind == "image":
                writer.add_image(tag="float", image=mx.nd.abs(numbers((3, 5, 4))), global_step=1)
                writer.add_image(
                    tag="uint8", image=(mx.nd.abs(numbers((2, 1, 5, 4))) * 255).astype("uint8"), global_step=1
                )
            elif kind == "text":
                writer.add_text(tag="words", text="one\ntwo", global_step=1)
            elif kind == "audio":
                writer.add_audio(tag="sound", audio=numbers((300,)), sample_rate=8000, global_step=1)
            elif kind == "embedding":
                writer.add_embedding(tag="table", embedding=data, labels=mx.nd.array([0, 1, 2, 0, 1, 2]))
            elif kind == "curve":
                writer.add_pr_curve("curve", mx.nd.array([0, 1, 1, 0]), mx.nd.array([0.2, 0.7, 0.4, 0.6]), 5)
        written, found = b"", []
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "tfevents" in path.name:
                written = path.read_bytes()
            elif path.is_file() and path.suffix == ".tsv":
                found += [float(one) for line in path.read_text().split("\n") if line for one in line.split("\t")]
        while written:
            size = int.from_bytes(written[:8], "little")
            event = event_pb2.Event.FromString(written[12 : 12 + size])
            written = written[16 + size :]
            for value in event.summary.value:
                found += [
                    event.step,
                    value.simple_value,
                    value.histo.sum,
                    value.histo.num,
                    value.image.height,
                    value.image.width,
                ]
                found += [value.audio.sample_rate, value.audio.length_frames, len(value.tag), *value.histo.bucket]
                found += [
                    *value.tensor.float_val,
                    *map(len, value.tensor.string_val),
                    *value.image.encoded_image_string[-60:],
                ]
    return {"written": signature(np.array(found, "float64"))}


# Counts, and a data set


def counted():
    from mxop.gluon import count_ops

    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Conv2D(4, 3, in_channels=3), gluon.nn.BatchNorm(), gluon.nn.Activation("relu"), gluon.nn.MaxPool2D()
    )
    net.add(gluon.nn.AvgPool2D(), gluon.nn.Flatten(), gluon.nn.Dense(5))
    net.initialize(Rule())
    found = count_ops(net, (1, 3, 20, 20))
    return {
        "counts": signature(
            [value for _, value in sorted(found.items())] if isinstance(found, dict) else np.ravel(found)
        )
    }


def sentences():
    import importlib.util

    place = next(
        Path(one, "bert_embedding", "dataset.py")
        for one in sys.path
        if Path(one, "bert_embedding", "dataset.py").exists()
    )
    spec = importlib.util.spec_from_file_location("dataset", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    import gluonnlp as nlp

    words = nlp.vocab.BERTVocab(nlp.data.count_tokens(["a", "dog", "cat", "sat"]))
    transform = nlp.data.BERTSentenceTransform(nlp.data.BERTTokenizer(words), 8, vocab=words, pair=False)
    rows = module.BertEmbeddingDataset(["a dog sat", "a cat"], transform=lambda one: transform((one[0],)))
    found = [np.concatenate([np.ravel(part) for part in row]) for row in rows]
    return {"rows": signature(*found, [len(rows)]), "json": signature([len(json.dumps([len(one) for one in found]))])}


PROGRAMS = {
    "Bayesian network": (bayesian_network,),
    "faces": (faces, "mobilefacenet"),
    **{f"face loss {name}": (face_loss, name) for name in LOSSES},
    "face blocks": (face_blocks,),
    "mode of a normal model": (fitted,),
    **{f"Gaussian process {name}": (gaussian_process, name) for name in ("RBF", "Matern52", "sum")},
    "kernels": (kernels,),
    **{
        f"density {name}": (densities, name)
        for name in ("Normal", "Gamma", "Beta", "Laplace", "Uniform", "Bernoulli", "Dirichlet", "Categorical")
    },
    **{f"board {kind}": (board, kind) for kind in ("histogram", "image", "text", "audio", "embedding", "curve")},
    "counts": (counted,),
    "sentences": (sentences,),
}
