# Written by `docs/make.py` from the module's table of names.

from hybridize.init.base import InitDesc as InitDesc
from hybridize.init.base import Initializer as Initializer
from hybridize.init.base import alias as alias
from hybridize.init.base import create as create
from hybridize.init.base import register as register
from hybridize.init.constants import Constant as Constant
from hybridize.init.constants import LSTMBias as LSTMBias
from hybridize.init.constants import One as One
from hybridize.init.constants import One as Ones
from hybridize.init.constants import Zero as Zero
from hybridize.init.constants import Zero as Zeros
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

PLACES: dict[str, str]
__all__ = [
    "Bilinear", "Constant", "FusedRNN", "InitDesc", "Initializer", "LSTMBias", "Load", "MSRAPrelu", "Mixed", "Normal",
    "One", "Ones", "Orthogonal", "RNNFused", "TruncNorm", "Uniform", "Xavier", "Zero", "Zeros", "alias", "create",
    "register"
]
