# SPDX-License-Identifier: Apache-2.0
"""Gluon: nets as Python classes that run imperatively, and, after `net.hybridize()`, as compiled programs.

In: arrays. Out: arrays. A `Block` holds parameters and children and says in `forward` what it does; a `HybridBlock`
makes one `capture.Function` of it. Parameters reach a program by being read while it is captured.
It must not know graphs, compilers or kernels.
"""

import importlib
from typing import Any

from hybridize.base.errors import DeferredInitializationError as DeferredInitializationError
from hybridize.gluon import contrib as contrib
from hybridize.gluon import data as data
from hybridize.gluon import loss as loss
from hybridize.gluon import nn as nn
from hybridize.gluon import utils as utils
from hybridize.gluon.block import Block as Block
from hybridize.gluon.hybrid_block import HybridBlock as HybridBlock
from hybridize.gluon.parameter import Constant as Constant
from hybridize.gluon.parameter import Parameter as Parameter
from hybridize.gluon.parameter_dict import ParameterDict as ParameterDict
from hybridize.gluon.symbol_block import SymbolBlock as SymbolBlock
from hybridize.gluon.trainer import Trainer as Trainer


def __getattr__(name: str) -> Any:
    if name == "metric":  # where MXNet 2.x keeps it; loaded when it is asked for
        return importlib.import_module("hybridize.metric")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
