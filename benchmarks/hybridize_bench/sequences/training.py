# SPDX-License-Identifier: Apache-2.0
"""The trainings of language models: what is trained, how, and on which tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridize_bench.peers import I32
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel


@dataclass(frozen=True)
class SequenceTraining:
    """A language model, softmax cross-entropy of the next token, and how it is trained."""

    title: str
    model: RecurrentModel | TransformerModel
    batch: int
    optimizer: str
    """Either "sgd" or "adam", without momentum and weight decay."""
    rate: float
    least_steps: int = 20
    """That come before it is timed, however long they take."""

    @property
    def flops(self) -> int:
        """Operations of a step's products; a multiply-add is two."""
        return self.model.flops(self.batch)

    def tokens(self, count: int) -> list[tuple[I32, I32]]:
        """Batches of tokens and those that follow, the same at every run; a few tokens are frequent, as in text."""
        random = np.random.default_rng(1)
        chances = 1 / np.arange(1, self.model.vocabulary + 1)
        found = []
        for _ in range(count):
            drawn = random.choice(self.model.vocabulary, (2, *self.model.shape(self.batch)), p=chances / chances.sum())
            found.append((drawn[0].astype(np.int32), drawn[1].astype(np.int32)))
        return found


SEQUENCE_TRAININGS = {
    # SGD, as language models of this kind have been trained; its update is the least that a step can have, so that what
    # is compared is the loop, forward and back.
    "train-lstm-lm": SequenceTraining(
        "a training step of an LSTM language model, 128 to 256, 2,000 tokens, T = 35, batch 32, SGD",
        RecurrentModel(35), 32, "sgd", 0.5, least_steps=100,
    ),
    # Adam, as Transformers are trained.
    "train-transformer": SequenceTraining(
        "a training step of a Transformer language model, 4 layers of 256, 2,000 tokens, T = 128, batch 8, Adam",
        TransformerModel(), 8, "adam", 1e-3,
    ),
}  # fmt: skip
"""Those whose call is a step."""
LONG_TRAININGS = {
    "train-lstm-lm-1000": SequenceTraining(
        "a training step of the LSTM language model, T = 1,000", RecurrentModel(1000), 32, "sgd", 0.5, least_steps=2
    ),
}
"""Those of which only the memory is asked."""
