# SPDX-License-Identifier: Apache-2.0
"""Gluon: nets as Python classes that run imperatively, and, after `net.hybridize()`, as compiled programs.

In: arrays. Out: arrays. A `Block` holds parameters and children and says in `forward` what it does; a `HybridBlock`
makes one `capture.Function` of it. Parameters reach a program by being read while it is captured.
It must not know graphs, compilers or kernels.
"""

from typing import TYPE_CHECKING, Any

from hybridize.base.errors import DeferredInitializationError as DeferredInitializationError
from hybridize.base.loading import LOADING, load_module
from hybridize.base.missing import missing
from hybridize.gluon import nn as nn
from hybridize.gluon.block import Block as Block
from hybridize.gluon.hybrid_block import HybridBlock as HybridBlock
from hybridize.gluon.parameter import Constant as Constant
from hybridize.gluon.parameter import Parameter as Parameter
from hybridize.gluon.parameter_dict import ParameterDict as ParameterDict

if TYPE_CHECKING:
    from hybridize.gluon import contrib as contrib
    from hybridize.gluon import data as data
    from hybridize.gluon import loss as loss
    from hybridize.gluon import model_zoo as model_zoo
    from hybridize.gluon import probability as probability
    from hybridize.gluon import rnn as rnn
    from hybridize.gluon import utils as utils
    from hybridize.gluon.symbol_block import SymbolBlock as SymbolBlock
    from hybridize.gluon.trainer import Trainer as Trainer

_LATER = {
    "SymbolBlock": "hybridize.gluon.symbol_block:SymbolBlock",
    "Trainer": "hybridize.gluon.trainer:Trainer",
    "contrib": "hybridize.gluon.contrib",
    "data": "hybridize.gluon.data",
    "loss": "hybridize.gluon.loss",
    "metric": "hybridize.metric",
    "model_zoo": "hybridize.gluon.model_zoo",
    "probability": "hybridize.gluon.probability",
    "rnn": "hybridize.gluon.rnn",
    "utils": "hybridize.gluon.utils",
}
"""The modules of names that are loaded when asked for: training, recurrent nets, MXNet's graphs (2.x: metric)."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise missing(__name__, name, {*globals(), *_LATER})
    module, _, attribute = _LATER[name].partition(":")
    loaded = load_module(module)
    found = getattr(loaded, attribute) if attribute else loaded
    globals()[name] = found
    return found


def _imports(symbol_file: str, input_names: list[str], param_file: str | None) -> Block:
    with LOADING:
        from hybridize.gluon.symbol_block import SymbolBlock  # late: MXNet's graphs

    return SymbolBlock.imports(symbol_file, input_names, param_file)


HybridBlock._imports = _imports


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
