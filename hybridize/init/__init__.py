# SPDX-License-Identifier: Apache-2.0
"""Initial values of parameters: Gluon's initializers, under Gluon's names.

In: an array to fill, and the parameter's name, whose ending says what it is (`weight`, `bias`, `gamma`, ...). Numbers
are drawn from `hybridize.random`, so a seed reproduces a net. It must not know blocks or parameters.
"""

from hybridize.base.missing import refuses
from hybridize.init.base import InitDesc as InitDesc
from hybridize.init.base import Initializer as Initializer
from hybridize.init.base import alias as alias
from hybridize.init.base import create as create
from hybridize.init.base import register as register
from hybridize.init.constants import Constant as Constant
from hybridize.init.constants import LSTMBias as LSTMBias
from hybridize.init.constants import One as One
from hybridize.init.constants import Zero as Zero
from hybridize.init.mixed import Load as Load
from hybridize.init.mixed import Mixed as Mixed
from hybridize.init.recurrent import FusedRNN as FusedRNN
from hybridize.init.recurrent import RNNFused as RNNFused
from hybridize.init.variance import Bilinear as Bilinear
from hybridize.init.variance import MSRAPrelu as MSRAPrelu
from hybridize.init.variance import Normal as Normal
from hybridize.init.variance import Orthogonal as Orthogonal
from hybridize.init.variance import TruncNorm as TruncNorm
from hybridize.init.variance import Uniform as Uniform
from hybridize.init.variance import Xavier as Xavier

Ones = One
Zeros = Zero

__getattr__ = refuses(
    __name__,
    globals(),
    instead={"Load": "net.load_parameters(path)"},
)
