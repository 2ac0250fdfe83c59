# SPDX-License-Identifier: Apache-2.0
"""The loss of sequences whose alignment is not known."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.base.errors import ArgumentError
from hybridize.gluon.loss.base import Loss, weighted


class CTCLoss(Loss):
    """Return -log of the probability of all alignments that read as the label (connectionist temporal classification).

    The last class is the blank. `npx.ctc_loss` says the rest.

    Args:
        layout: of predictions, `NTC` or `TNC`: batch, steps, classes.
        label_layout: of labels, `NT` or `TN`.
        weight: a number that the loss is multiplied by, or None.

    Called with `pred`, scores in `layout`; `label`, classes from 0 in `label_layout`, -1 after their end;
    `pred_lengths` and `label_lengths`, None or [batch]; `sample_weight`, None or [batch]. Gives [batch].

    Raises:
        ArgumentError E366: an unknown layout.

    Source: Graves et al. 2006.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.CTCLoss(layout="NTC")(np.zeros((1, 4, 3)), np.array([[1, 2]])).round(3)
    array([2.785])
    """

    def __init__(
        self, layout: str = "NTC", label_layout: str = "NT", weight: float | None = None, **kwargs: Any
    ) -> None:
        if layout not in ("NTC", "TNC") or label_layout not in ("NT", "TN"):
            raise ArgumentError(
                "E366",
                f"CTCLoss has no layouts {layout!r} and {label_layout!r}",
                help="layout is NTC or TNC, label_layout NT or TN",
            )
        super().__init__(weight, label_layout.find("N"), **kwargs)
        self._layout, self._label_layout = layout, label_layout

    def forward(
        self, pred: Any, label: Any, pred_lengths: Any = None, label_lengths: Any = None, sample_weight: Any = None
    ) -> ndarray:
        scores = np.swapaxes(pred, 0, 1) if self._layout == "NTC" else array(pred)
        labels = np.swapaxes(label, 0, 1) if self._label_layout == "TN" else array(label)
        loss = npx.ctc_loss(scores, labels, pred_lengths, label_lengths, blank_label="last")
        return weighted(loss, self._weight, sample_weight)
