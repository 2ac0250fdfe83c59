# SPDX-License-Identifier: Apache-2.0
"""MXNet's paths: the modules and names by which programs written for MXNet 1.9 and 2.0 import what lies elsewhere here.

Nothing is defined: a path stands for the module that has its names here, which is often a wider one, and a name of a
module for its place. They are looked up where Python or a module has found nothing (`base.names.Paths`).
"""

from hybridize.base.names import places

_PATHS = {
    "amp": "amp.amp amp.loss_scaler contrib.amp contrib.amp.amp contrib.amp.loss_scaler",
    "array.linalg": "numpy.linalg numpy.fallback_linalg ndarray.numpy.linalg symbol.numpy.linalg",
    "array.np": (
        "numpy numpy.arrayprint numpy.fallback numpy.function_base numpy.io numpy.multiarray numpy.set_functions "
        "numpy.stride_tricks numpy.type_functions numpy.utils ndarray.numpy symbol.numpy"
    ),
    "array.npx": (
        "numpy_extension numpy_extension.control_flow numpy_extension.utils ndarray.numpy_extension "
        "ndarray.numpy_extension.control_flow symbol.numpy_extension"
    ),
    "array.random": (
        "numpy.random numpy_extension.random ndarray.numpy.random ndarray.numpy_extension.random symbol.numpy.random "
        "symbol.numpy_extension.random"
    ),
    "contrib.text": "contrib.text.embedding contrib.text.utils contrib.text.vocab",
    "gluon.contrib.cnn": "gluon.contrib.cnn.conv_layers",
    "gluon.contrib.estimator": (
        "gluon.contrib.estimator.batch_processor gluon.contrib.estimator.event_handler gluon.contrib.estimator.utils"
    ),
    "gluon.contrib.nn": "gluon.contrib.nn.basic_layers",
    "gluon.contrib.rnn": "gluon.contrib.rnn.conv_rnn_cell gluon.contrib.rnn.rnn_cell",
    "gluon.data": "gluon.contrib.data",
    "gluon.data.vision.transforms": "gluon.data.vision.transforms.image",
    "gluon.nn": "gluon.nn.basic_layers gluon.nn.conv_layers",
    "gluon.probability": (
        "gluon.probability.block gluon.probability.block.stochastic_block gluon.probability.distributions "
        + " ".join(
            f"gluon.probability.distributions.{module}"
            for module in (
                "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "dirichlet", "exp_family",
                "exponential", "fishersnedecor", "gamma", "geometric", "gumbel", "half_cauchy", "half_normal",
                "independent", "laplace", "multinomial", "negative_binomial", "normal", "one_hot_categorical",
                "pareto", "poisson", "relaxed_bernoulli", "relaxed_one_hot_categorical", "studentT",
                "transformed_distribution", "uniform", "weibull",
            )
        )
    ),
    "gluon.probability.numerics": "gluon.probability.distributions.utils",
    "gluon.rnn": "gluon.rnn.conv_rnn_cell",
    "image": "image.image",
    "image.detection": "image.det",
    "init": "initializer",
    "io": "io.io io.utils",
    "kvstore": "kvstore.kvstore",
    "metric": "gluon.metric",
    "ndarray": "nd ndarray.ndarray ndarray.op ndarray.utils",
    "ndarray:contrib": "contrib.nd contrib.ndarray ndarray.contrib",
    "ndarray:image": "ndarray.image",
    "ndarray:linalg": "ndarray.linalg",
    "ndarray:random": "ndarray.random",
    "onnx": "contrib.onnx",
    "onnx.mxnet": "onnx.mx2onnx onnx.onnx2mx contrib.onnx.mx2onnx contrib.onnx.onnx2mx",
    "optimizer": " ".join(
        f"optimizer.{module}"
        for module in (
            "adabelief", "adadelta", "adagrad", "adam", "adamW", "adamax", "contrib", "dcasgd", "ftml", "ftrl", "lamb",
            "lans", "lars", "nadam", "nag", "optimizer", "rmsprop", "sgd", "sgld", "signum", "utils",
        )
    ),
    "sparse": "ndarray.sparse",
    "symbol": "sym symbol.op symbol.symbol",
    "symbol.executor": "executor",
    "symbol:contrib": "contrib.sym contrib.symbol symbol.contrib",
    "symbol:image": "symbol.image",
    "symbol:linalg": "symbol.linalg",
    "symbol:random": "symbol.random",
}  # fmt: skip
"""By modules of ours, or groups of their functions, the paths of MXNet that stand for them."""

MODULES = {path: f"hybridize.{place}" for place, paths in _PATHS.items() for path in paths.split()}
"""By paths below `hybridize`: places of modules, or of groups of functions."""

NAMES = {
    "amp": {"amp": "hybridize.amp", "loss_scaler": "hybridize.amp"},
    "gluon": places("hybridize.gluon", {"private_names": "tensor_types"}),
    "gluon.block": places(
        "hybridize.gluon",
        {
            "private_names": "_flatten=flattened _regroup=regrouped",
            "hybrid_block": "HybridBlock",
            "symbol_block": "SymbolBlock",
        },
    ),
    "gluon.data.dataloader": places(
        "hybridize.gluon", {"private_names": "_MultiWorkerIter=PooledBatches _as_in_context=in_context"}
    )
    | places("hybridize.gluon.data", {"batchify": "default_mp_batchify_fn=default_batchify_fn"})
    | places("multiprocessing", {"reduction": "ForkingPickler"}),
    "gluon.data.vision.datasets": places(
        "hybridize.gluon.data.vision", {"images": "ImageFolderDataset ImageListDataset ImageRecordDataset"}
    ),
    "gluon.model_zoo.vision.resnet": places("hybridize.gluon.model_zoo.vision", {"resnet": "_conv3x3=_by_3"}),
    "gluon.parameter": places("hybridize.gluon", {"private_names": "tensor_types", "parameter_dict": "ParameterDict"}),
    "gluon.utils": places(
        "hybridize.gluon",
        {
            "private_names": "_get_repo_file_url=repository_file _get_repo_url=repository",
            "hooks": "HookHandle",
        },
    )
    | {"replace_file": "os:replace"},
    "metric": {"ndarray": "hybridize.ndarray"},
    "image": places("hybridize.image", {"resizing": "_get_interp_method=interpolation"}),
}
"""By modules below `hybridize`: places of names that MXNet has there, and their files here have not.

Of names that MXNet keeps private only those by which other libraries import them.
"""
