# Written by `docs/make.py` from the module's table of names.

from hybridize.metric.base import CompositeEvalMetric as CompositeEvalMetric
from hybridize.metric.base import EvalMetric as EvalMetric
from hybridize.metric.base import alias as alias
from hybridize.metric.base import check_label_shapes as check_label_shapes
from hybridize.metric.base import create as create
from hybridize.metric.base import register as register
from hybridize.metric.classes import Accuracy as Accuracy
from hybridize.metric.classes import BinaryAccuracy as BinaryAccuracy
from hybridize.metric.classes import CrossEntropy as CrossEntropy
from hybridize.metric.classes import NegativeLogLikelihood as NegativeLogLikelihood
from hybridize.metric.classes import Perplexity as Perplexity
from hybridize.metric.classes import TopKAccuracy as TopKAccuracy
from hybridize.metric.counts import F1 as F1
from hybridize.metric.counts import Fbeta as Fbeta
from hybridize.metric.counts import MCC as MCC
from hybridize.metric.counts import PCC as PCC
from hybridize.metric.custom import CustomMetric as CustomMetric
from hybridize.metric.custom import Loss as Loss
from hybridize.metric.custom import Torch as Torch
from hybridize.metric.custom import np as np
from hybridize.metric.regression import MAE as MAE
from hybridize.metric.regression import MSE as MSE
from hybridize.metric.regression import MeanCosineSimilarity as MeanCosineSimilarity
from hybridize.metric.regression import MeanPairwiseDistance as MeanPairwiseDistance
from hybridize.metric.regression import PearsonCorrelation as PearsonCorrelation
from hybridize.metric.regression import RMSE as RMSE

PLACES: dict[str, str]
__all__ = [
    "Accuracy", "BinaryAccuracy", "CompositeEvalMetric", "CrossEntropy", "CustomMetric", "EvalMetric", "F1", "Fbeta",
    "Loss", "MAE", "MCC", "MSE", "MeanCosineSimilarity", "MeanPairwiseDistance", "NegativeLogLikelihood", "PCC",
    "PearsonCorrelation", "Perplexity", "RMSE", "TopKAccuracy", "Torch", "alias", "check_label_shapes", "create",
    "np", "register"
]
