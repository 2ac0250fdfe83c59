# SPDX-License-Identifier: Apache-2.0
"""`gluon.loss`: what training makes small, under MXNet's names.

In: predictions and labels. Out: one number per sample, of which `backward` takes the sum. All are HybridBlocks without
parameters: the same values imperatively and compiled, differentiable by the rules of the operations they are made of.
Where MXNet 1.9 and 2.0 give different values, 2.0's are given here. It must not know graphs, compilers or trainers.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.loss",
    {
        "base": "Loss _apply_weighting _reshape_like",
        "classes": (
            "HingeLoss KLDivLoss LogisticLoss SigmoidBCELoss=SigmoidBinaryCrossEntropyLoss "
            "SigmoidBinaryCrossEntropyLoss SoftmaxCELoss=SoftmaxCrossEntropyLoss SoftmaxCrossEntropyLoss "
            "SquaredHingeLoss"
        ),
        "distances": "CosineEmbeddingLoss SDMLLoss TripletLoss",
        "regression": "HuberLoss L1Loss L2Loss PoissonNLLLoss",
        "sequences": "CTCLoss",
    },
)
"""Places of the losses."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
