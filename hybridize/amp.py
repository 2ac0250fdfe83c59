# SPDX-License-Identifier: Apache-2.0
"""MXNet's `amp`: losses that are scaled, so that gradients of short floats do not vanish, and steps that overflow.

Operations compute in the dtypes of their arrays: a net of short floats is one that was cast.

    net.cast("bfloat16")            # or float16; normalizations keep their float32
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"multi_precision": True})
    amp.init_trainer(trainer)
    with autograd.record():
        y = loss(net(x.astype("bfloat16")), label)
        with amp.scale_loss(y, trainer) as scaled:
            autograd.backward(scaled)
    trainer.step(batch_size)        # nothing, where a gradient is infinite or NaN; then the scale is halved
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from hybridize.array import np
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.names import refuses
from hybridize.base.participation import ReadPolicy, outside_only
from hybridize.gluon.trainer import Trainer

_GREATEST: Final = 2.0**24
_amp_initialized: Final = False
"""Libraries ask for it: nothing casts inside of operations here."""


class LossScaler:
    """Choose the factor of losses: half after a step with infinite gradients, double after many good steps.

    Args:
        init_scale: the factor to begin with.
        scale_seq_len: after how many good steps it is doubled.

    >>> from hybridize import amp
    >>> amp.LossScaler(init_scale=1024).loss_scale
    1024
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, init_scale: float = 2.0**16, scale_seq_len: int = 2000) -> None:
        self.loss_scale: float = init_scale
        """The factor."""
        self._length = scale_seq_len
        self._good = 0

    def accepts(self, grads: Sequence[Any]) -> bool:
        """Tell whether all gradients are finite, and choose the factor of the next step."""
        fine = all(bool(np.isfinite(grad).all()) for grad in grads)
        if not fine:
            self.loss_scale, self._good = max(1.0, self.loss_scale / 2), 0
            return False
        self._good += 1
        if self._good == self._length:
            self.loss_scale, self._good = min(_GREATEST, self.loss_scale * 2), 0
        return True


def init(target_dtype: Any = "float16", *args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error: the dtype of its arrays decides what a program computes in, and no switch changes it.

    Raises:
        ArgumentError E3008: always.

    >>> from hybridize import amp
    >>> amp.init()
    Traceback (most recent call last):
        ...
    hybridize.errors.ArgumentError: ArgumentError E3008: ...
    """
    raise ArgumentError(
        "E3008",
        f"amp.init({target_dtype!r}) cannot cast inside operations: operations compute in the dtypes of their arrays",
        help="use net.cast('bfloat16') and multi_precision=True for the optimizer; amp.init_trainer scales losses",
    )


@outside_only("sets up a trainer")
def init_trainer(trainer: Trainer, scaler: LossScaler | None = None) -> None:
    """Prepare a trainer for the gradients of a scaled loss. It skips steps that overflow.

    Args:
        trainer: of the parameters.
        scaler: chooses the factor; None: MXNet's, from 65536 on.

    Raises:
        ArgumentError E3009: it is no trainer.

    >>> from hybridize import amp, autograd, gluon, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> amp.init_trainer(trainer)
    >>> with autograd.record():
    ...     with amp.scale_loss(net(np.ones((1, 2))).sum(), trainer) as scaled:
    ...         scaled.backward()
    >>> trainer.step(1)
    """
    if not isinstance(trainer, Trainer):
        raise ArgumentError("E3009", f"amp.init_trainer takes a gluon.Trainer, got {type(trainer).__name__}")
    trainer.loss_scaler = LossScaler() if scaler is None else scaler
    trainer.scale_of_loss = 1.0


@contextmanager
@outside_only("chooses a factor for each step in Python", help="scale the loss by a number, as in loss * 1024")
def scale_loss(loss: Any, trainer: Trainer) -> Iterator[Any]:
    """Multiply the loss, or each loss of a list, by the present factor, in a `with` block; see `init_trainer`.

    Gradients that float16 rounds to 0 stay above 0 so. The next step of the trainer divides them by the factor.

    Args:
        loss: what the backward pass begins at.
        trainer: whose next step divides by the factor.

    Raises:
        StateError E579: the trainer was not set up.

    >>> from hybridize import amp
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> amp.init_trainer(trainer, amp.LossScaler(init_scale=1024))
    >>> with autograd.record():
    ...     with amp.scale_loss(net(np.ones((1, 2))).sum(), trainer) as scaled:
    ...         scaled.backward()
    >>> net.bias.grad()
    array([1024.])
    """
    factor = _scaler(trainer).loss_scale
    trainer.scale_of_loss = factor
    yield [one * factor for one in loss] if isinstance(loss, (list, tuple)) else loss * factor


@outside_only("writes gradients")
def unscale(trainer: Trainer) -> None:
    """Divide the gradients by the factor now, so that you can look at them, or clip them, before the step.

    Raises:
        StateError E579: the trainer was not set up.

    >>> from hybridize import amp, autograd, gluon, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(1, in_units=2, use_bias=False)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> amp.init_trainer(trainer)
    >>> with autograd.record():
    ...     with amp.scale_loss(net(np.ones((1, 2))).sum(), trainer) as scaled:
    ...         scaled.backward()
    >>> amp.unscale(trainer)
    >>> net.weight.grad()
    array([[1., 1.]])
    """
    _scaler(trainer)
    factor, trainer.scale_of_loss = trainer.scale_of_loss, 1.0
    for parameter in trainer.parameters:
        if parameter.grad_req != "null":
            for gradient in parameter.list_grad():
                gradient[...] = gradient / factor


def _scaler(trainer: Trainer) -> Any:
    if trainer.loss_scaler is None:
        raise StateError("E579", "this trainer does not scale losses", help="call amp.init_trainer(trainer) first")
    return trainer.loss_scaler


_CAST = "net.cast('bfloat16') makes a net of short floats; normalizations keep their float32"
_NO_LISTS = "no operation is cast: each computes in the dtypes of its arrays"
__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "convert_hybrid_block": _CAST, "convert_model": _CAST, "convert_symbol": _CAST, "convert_bucketing_module": _CAST,
    "list_lp16_ops": _NO_LISTS, "list_fp32_ops": _NO_LISTS, "list_widest_type_cast": _NO_LISTS,
    "list_lp16_fp32_ops": _NO_LISTS, "list_conditional_fp32_ops": _NO_LISTS, "list_loss_output_functions": _NO_LISTS,
})  # fmt: skip
