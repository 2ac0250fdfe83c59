# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.contrib.estimator.batches import BatchProcessor as BatchProcessor
from hybridize.gluon.contrib.estimator.checkpoints import CheckpointHandler as CheckpointHandler
from hybridize.gluon.contrib.estimator.curves import Curves as Curves
from hybridize.gluon.contrib.estimator.curves import CurvesHandler as CurvesHandler
from hybridize.gluon.contrib.estimator.estimator import Estimator as Estimator
from hybridize.gluon.contrib.estimator.events import BatchBegin as BatchBegin
from hybridize.gluon.contrib.estimator.events import BatchEnd as BatchEnd
from hybridize.gluon.contrib.estimator.events import EpochBegin as EpochBegin
from hybridize.gluon.contrib.estimator.events import EpochEnd as EpochEnd
from hybridize.gluon.contrib.estimator.events import EventHandler as EventHandler
from hybridize.gluon.contrib.estimator.events import TrainBegin as TrainBegin
from hybridize.gluon.contrib.estimator.events import TrainEnd as TrainEnd
from hybridize.gluon.contrib.estimator.handlers import EarlyStoppingHandler as EarlyStoppingHandler
from hybridize.gluon.contrib.estimator.handlers import GradientUpdateHandler as GradientUpdateHandler
from hybridize.gluon.contrib.estimator.handlers import LoggingHandler as LoggingHandler
from hybridize.gluon.contrib.estimator.handlers import MetricHandler as MetricHandler
from hybridize.gluon.contrib.estimator.handlers import StoppingHandler as StoppingHandler
from hybridize.gluon.contrib.estimator.handlers import ValidationHandler as ValidationHandler
from hybridize.gluon.contrib.estimator.progress import ProgressHandler as ProgressHandler

PLACES: dict[str, str]
__all__ = [
    "BatchBegin", "BatchEnd", "BatchProcessor", "CheckpointHandler", "Curves", "CurvesHandler",
    "EarlyStoppingHandler", "EpochBegin", "EpochEnd", "Estimator", "EventHandler", "GradientUpdateHandler",
    "LoggingHandler", "MetricHandler", "ProgressHandler", "StoppingHandler", "TrainBegin", "TrainEnd",
    "ValidationHandler"
]
