# Written by `docs/make.py` from the module's table of names.

from hybridize.base.errors import DeferredInitializationError as DeferredInitializationError
from hybridize.gluon.block import Block as Block
from hybridize.gluon import contrib as contrib
from hybridize.gluon import data as data
from hybridize.gluon.hybrid_block import HybridBlock as HybridBlock
from hybridize.gluon import loss as loss
from hybridize.gluon import model_zoo as model_zoo
from hybridize.gluon import nn as nn
from hybridize.gluon.parameter import Constant as Constant
from hybridize.gluon.parameter import Parameter as Parameter
from hybridize.gluon.parameter_dict import ParameterDict as ParameterDict
from hybridize.gluon import probability as probability
from hybridize.gluon import rnn as rnn
from hybridize.gluon.symbol_block import SymbolBlock as SymbolBlock
from hybridize.gluon.trainer import Trainer as Trainer
from hybridize.gluon import utils as utils
from hybridize import metric as metric

PLACES: dict[str, str]
__all__ = [
    "Block", "Constant", "DeferredInitializationError", "HybridBlock", "Parameter", "ParameterDict", "SymbolBlock",
    "Trainer", "contrib", "data", "loss", "metric", "model_zoo", "nn", "probability", "rnn", "utils"
]
