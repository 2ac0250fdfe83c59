# SPDX-License-Identifier: Apache-2.0
"""Optimizers: formulas that change weights by their gradients, under MXNet's names.

In: weights, gradients, and what was remembered of the updates before. Out: the same buffers, changed in place. Each
formula stands in one place, as array operations; imperatively it runs as one compiled loop for each combination of
dtypes, which learning rates and other numbers enter as inputs. It must not know blocks, parameters or trainers.
"""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.base.names import refuses
from hybridize.optimizer.adaptive import AdaDelta as AdaDelta
from hybridize.optimizer.adaptive import AdaGrad as AdaGrad
from hybridize.optimizer.adaptive import Ftrl as Ftrl
from hybridize.optimizer.adaptive import GroupAdaGrad as GroupAdaGrad
from hybridize.optimizer.adaptive import RMSProp as RMSProp
from hybridize.optimizer.base import Optimizer as Optimizer
from hybridize.optimizer.base import create as create
from hybridize.optimizer.base import register as register
from hybridize.optimizer.descent import DCASGD as DCASGD
from hybridize.optimizer.descent import NAG as NAG
from hybridize.optimizer.descent import SGD as SGD
from hybridize.optimizer.descent import SignSGD as SignSGD
from hybridize.optimizer.descent import Signum as Signum
from hybridize.optimizer.langevin import SGLD as SGLD
from hybridize.optimizer.large_batch import LANS as LANS
from hybridize.optimizer.large_batch import LARS as LARS
from hybridize.optimizer.large_batch import LBSGD as LBSGD
from hybridize.optimizer.moments import FTML as FTML
from hybridize.optimizer.moments import LAMB as LAMB
from hybridize.optimizer.moments import AdaBelief as AdaBelief
from hybridize.optimizer.moments import Adam as Adam
from hybridize.optimizer.moments import Adamax as Adamax
from hybridize.optimizer.moments import AdamW as AdamW
from hybridize.optimizer.moments import Nadam as Nadam
from hybridize.optimizer.updater import Updater as Updater
from hybridize.optimizer.updater import get_updater as get_updater

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals())
