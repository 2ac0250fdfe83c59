# SPDX-License-Identifier: Apache-2.0
"""Torch's functions, methods and operators, and what a program computes in the place of each.

In: a function of torch and its arguments, tensors of the program among them. Out: tensors of the program. `table` is
the registry, `rules` are torch's rules for dtypes and sizes, `calling` binds arguments and writes what is written; the
entries themselves are in `pointwise`, `shapes` and beside them, one for each function: it decides the type of the
result and its value, by primitives and the compositions of `ops.library`.
"""

from hybridize.torch.functions import activations as activations
from hybridize.torch.functions import attention as attention
from hybridize.torch.functions import conversions as conversions
from hybridize.torch.functions import convolution as convolution
from hybridize.torch.functions import creation as creation
from hybridize.torch.functions import distributions as distributions
from hybridize.torch.functions import dropout as dropout
from hybridize.torch.functions import embedding as embedding
from hybridize.torch.functions import indexing as indexing
from hybridize.torch.functions import linear as linear
from hybridize.torch.functions import losses as losses
from hybridize.torch.functions import matrices as matrices
from hybridize.torch.functions import moving as moving
from hybridize.torch.functions import normalization as normalization
from hybridize.torch.functions import padding as padding
from hybridize.torch.functions import pointwise as pointwise
from hybridize.torch.functions import pooling as pooling
from hybridize.torch.functions import random as random
from hybridize.torch.functions import recurrent as recurrent
from hybridize.torch.functions import reductions as reductions
from hybridize.torch.functions import resizing as resizing
from hybridize.torch.functions import selection as selection
from hybridize.torch.functions import shapes as shapes
from hybridize.torch.functions import sorting as sorting
from hybridize.torch.functions import special as special
from hybridize.torch.functions.calling import Capturing as Capturing
from hybridize.torch.functions.calling import apply as apply
from hybridize.torch.functions.table import BY_NAME as BY_NAME
from hybridize.torch.functions.table import FUNCTIONS as FUNCTIONS
