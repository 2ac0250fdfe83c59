# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.loss.base import Loss as Loss
from hybridize.gluon.loss.base import _apply_weighting as _apply_weighting
from hybridize.gluon.loss.base import _reshape_like as _reshape_like
from hybridize.gluon.loss.classes import HingeLoss as HingeLoss
from hybridize.gluon.loss.classes import KLDivLoss as KLDivLoss
from hybridize.gluon.loss.classes import LogisticLoss as LogisticLoss
from hybridize.gluon.loss.classes import SigmoidBinaryCrossEntropyLoss as SigmoidBCELoss
from hybridize.gluon.loss.classes import SigmoidBinaryCrossEntropyLoss as SigmoidBinaryCrossEntropyLoss
from hybridize.gluon.loss.classes import SoftmaxCrossEntropyLoss as SoftmaxCELoss
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

PLACES: dict[str, str]
__all__ = [
    "CTCLoss", "CosineEmbeddingLoss", "HingeLoss", "HuberLoss", "KLDivLoss", "L1Loss", "L2Loss", "LogisticLoss",
    "Loss", "PoissonNLLLoss", "SDMLLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss", "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss", "SquaredHingeLoss", "TripletLoss", "_apply_weighting", "_reshape_like"
]
