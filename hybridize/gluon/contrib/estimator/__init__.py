# SPDX-License-Identifier: Apache-2.0
"""`Estimator`: the training loop, with handlers of its events: metrics, validation, checkpoints, early stopping.

In: a net, a loss, a trainer and batches. Out: the net, trained; metrics. Everything is done with what users have too:
`autograd.record`, `backward`, `trainer.step`. It must not know graphs, compilers or the tape.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.contrib.estimator",
    {
        "batches": "BatchProcessor",
        "checkpoints": "CheckpointHandler",
        "curves": "Curves CurvesHandler",
        "estimator": "Estimator",
        "events": "BatchBegin BatchEnd EpochBegin EpochEnd EventHandler TrainBegin TrainEnd",
        "handlers": (
            "EarlyStoppingHandler GradientUpdateHandler LoggingHandler MetricHandler StoppingHandler ValidationHandler"
        ),
        "progress": "ProgressHandler",
    },
)
"""Places of the estimator, its handlers and their events."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
