# SPDX-License-Identifier: Apache-2.0
"""The losses that MXNet 1.9.1 reduces in another way than 2.0; all else is that of `hybridize.gluon.loss`."""

from collections.abc import Callable
from typing import Any

from hybridize.array import np
from hybridize.base.names import face
from hybridize.gluon import loss
from hybridize.gluon.loss.base import sum_of_samples, weighted


class KLDivLoss(loss.KLDivLoss):
    """label (log(label) - pred), summed over a sample: the divergence itself; 2.0 gives the mean."""

    def _finished(self, loss: Any, sample_weight: Any = None) -> Any:
        return sum_of_samples(weighted(loss, self._weight, sample_weight), self._batch_axis)


class PoissonNLLLoss(loss.PoissonNLLLoss):
    """`hybridize.gluon.loss.PoissonNLLLoss`, the mean over all samples: an array of one number."""

    def _finished(self, loss: Any, sample_weight: Any = None) -> Any:
        return np.reshape(np.mean(weighted(loss, self._weight, sample_weight)), (1,))


class CosineEmbeddingLoss(loss.CosineEmbeddingLoss):
    """`hybridize.gluon.loss.CosineEmbeddingLoss`, of shape [batch, 1]."""

    def _finished(self, loss: Any, sample_weight: Any = None) -> Any:
        return weighted(loss, self._weight, sample_weight)


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), loss.__name__)
