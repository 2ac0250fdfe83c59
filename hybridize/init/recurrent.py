# SPDX-License-Identifier: Apache-2.0
"""The one parameter into which MXNet packs all weights and biases of a recurrent layer."""

from __future__ import annotations

import json
from typing import Any

from hybridize.array.functions.shapes import reshape
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.init.base import InitDesc, Initializer, create, register
from hybridize.ops.library.rnn import GATES, KINDS, RecurrentStack


@register
class RNNFused(Initializer):
    """Fill each part of a packed recurrent parameter by an initializer for that part.

    All weights come first, for each layer and direction i2h, h2h and, with a projection, h2r; then in the same order
    the biases of i2h and h2h.

    Args:
        mode: `rnn_relu`, `rnn_tanh`, `lstm` or `gru`.
        num_layers: how many layers.
        state_size: of the state of each.
        bidirectional: whether each has two directions.
        projection_size: of what is projected, or None.
        i2h_weight_initializer: of [gates state_size, inputs]; None: the initializer of the net.
        h2h_weight_initializer: of [gates state_size, state_size or projection_size].
        i2h_bias_initializer: of [gates state_size]; None: zeros.
        h2h_bias_initializer: the same.
        h2r_weight_initializer: of [projection_size, state_size].

    Raises:
        ArgumentError E312: an unknown `mode`.
        ShapeError E120: the parameter has a size that no number of inputs gives.

    >>> from hybridize import init
    >>> initializer = init.RNNFused("lstm", num_layers=1, state_size=1, h2h_bias_initializer="ones")
    >>> packed = gluon.Parameter("rnn", shape=(16,), init=initializer)  # 4 gates: 4 + 4 weights, 4 + 4 biases
    >>> packed.initialize()
    >>> packed.data()[8:]
    array([0., 0., 0., 0., 1., 1., 1., 1.])
    """

    def __init__(
        self,
        mode: str,
        num_layers: int,
        state_size: int,
        bidirectional: bool = False,
        projection_size: int | None = None,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = None,
        h2h_bias_initializer: Any = None,
        h2r_weight_initializer: Any = None,
    ) -> None:
        biases, weights = (i2h_bias_initializer, h2h_bias_initializer), (i2h_weight_initializer, h2h_weight_initializer)
        parts = dict(zip(KINDS, (*weights, *biases, h2r_weight_initializer), strict=True))
        super().__init__(
            mode=mode,
            num_layers=num_layers,
            state_size=state_size,
            bidirectional=bidirectional,
            projection_size=projection_size,
            **{f"{part}_initializer": chosen for part, chosen in parts.items()},
        )
        if mode not in GATES:
            raise ArgumentError("E312", f"RNNFused has no mode {mode!r}", help=f"one of {', '.join(GATES)}")
        self._stack = RecurrentStack(mode, state_size, num_layers, bidirectional, projection_size)
        self._chosen = {part: None if chosen is None else create(chosen) for part, chosen in parts.items()}

    def dumps(self) -> str:
        """Return JSON that `create` reads back; the initializers of parts are JSON in it."""
        parts = {f"{part}_initializer": None if one is None else one.dumps() for part, one in self._chosen.items()}
        return json.dumps(["rnnfused", {**self._kwargs, **parts}])

    def _init_weight(self, name: str, arr: ndarray) -> None:
        initializer = name.global_init if isinstance(name, InitDesc) else None
        net = initializer if isinstance(initializer, Initializer) and initializer is not self else create("uniform")
        inputs = self._stack.inputs_of(arr.size) if arr.ndim == 1 else None
        if inputs is None:
            raise ShapeError(
                "E120",
                f"{name}, {arr.type}, does not hold a whole number of inputs for {self._stack.num_layers} layers of "
                f"{self._stack.state_size} states",
                help="mode, num_layers and state_size must be those of the layer",
            )
        for full, place, shape in self._stack.places(inputs):
            part = full.partition("_")[2]
            chosen = self._chosen[part] or (create("zeros") if part.endswith("bias") else net)
            chosen.init_weight(InitDesc(f"{name}_{part}"), reshape(arr[place], shape))


@register
class FusedRNN(Initializer):
    """Raise an error: MXNet 1.x's FusedRNNCell, whose parameter this initializer is for, is not in hybridize.

    `RNNFused` initializes the packed parameter of Gluon's recurrent layers.

    Raises:
        ArgumentError E312: always.

    >>> from hybridize import init
    >>> init.FusedRNN("zeros", 2, 1, "lstm")
    Traceback (most recent call last):
        ...
    hybridize.errors.ArgumentError: ArgumentError E312: ...
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ArgumentError(
            "E312",
            "init.FusedRNN initializes the parameter of MXNet 1.x's mx.rnn.FusedRNNCell, which hybridize does not have",
            help="init.RNNFused initializes the packed parameter of Gluon's recurrent layers",
        )
