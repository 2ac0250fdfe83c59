# SPDX-License-Identifier: Apache-2.0
"""Metrics: how well predictions went, over many batches, under MXNet's names.

In: labels and predictions, ours or anybody's arrays, one or a list of them. Out: a name and a number. Sums are kept in
float64. Where MXNet 1.9 and 2.0 differ, 2.0's values are given; `get_global` and `reset_local` are 1.9's.
It must not know graphs, blocks or recording: what is measured has been computed.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.metric",
    {
        "base": "CompositeEvalMetric EvalMetric alias check_label_shapes create register",
        "classes": "Accuracy BinaryAccuracy CrossEntropy NegativeLogLikelihood Perplexity TopKAccuracy",
        "counts": "F1 Fbeta MCC PCC",
        "custom": "CustomMetric Loss Torch np",
        "regression": "MAE MSE MeanCosineSimilarity MeanPairwiseDistance PearsonCorrelation RMSE",
    },
)
"""Places of the metrics."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
