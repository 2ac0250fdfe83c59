# SPDX-License-Identifier: Apache-2.0
"""`gluon.loss`: what training makes small, under MXNet's names.

In: predictions and labels. Out: one number per sample, of which `backward` takes the sum. All are HybridBlocks without
parameters: the same values imperatively and compiled, differentiable by the rules of the operations they are made of.
Where MXNet 1.9 and 2.0 give different values, 2.0's are given here. It must not know graphs, compilers or trainers.
"""

from hybridize.base.missing import refuses
from hybridize.gluon.loss.base import Loss as Loss
from hybridize.gluon.loss.base import _apply_weighting as _apply_weighting
from hybridize.gluon.loss.base import _reshape_like as _reshape_like
from hybridize.gluon.loss.classes import HingeLoss as HingeLoss
from hybridize.gluon.loss.classes import KLDivLoss as KLDivLoss
from hybridize.gluon.loss.classes import LogisticLoss as LogisticLoss
from hybridize.gluon.loss.classes import SigmoidBinaryCrossEntropyLoss as SigmoidBinaryCrossEntropyLoss
from hybridize.gluon.loss.classes import SoftmaxCrossEntropyLoss as SoftmaxCrossEntropyLoss
from hybridize.gluon.loss.classes import SquaredHingeLoss as SquaredHingeLoss
from hybridize.gluon.loss.distances import CosineEmbeddingLoss as CosineEmbeddingLoss
from hybridize.gluon.loss.distances import SDMLLoss as SDMLLoss
from hybridize.gluon.loss.distances import TripletLoss as TripletLoss
from hybridize.gluon.loss.regression import HuberLoss as HuberLoss
from hybridize.gluon.loss.regression import L1Loss as L1Loss
from hybridize.gluon.loss.regression import L2Loss as L2Loss
from hybridize.gluon.loss.regression import PoissonNLLLoss as PoissonNLLLoss
from hybridize.gluon.loss.sequences import CTCLoss as CTCLoss

SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss
SoftmaxCELoss = SoftmaxCrossEntropyLoss

__getattr__ = refuses(
    __name__,
    globals(),
)
