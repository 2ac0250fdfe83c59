# SPDX-License-Identifier: Apache-2.0
"""The layer whose parameters MXNet 1.9.1 shapes in another way than 2.0; all else is that of `hybridize.gluon.nn`."""

from collections.abc import Callable
from typing import Any

from hybridize.base.names import face
from hybridize.gluon import nn


class GroupNorm(nn.GroupNorm):
    """`hybridize.gluon.nn.GroupNorm` with a gamma and a beta for each group, not for each channel.

    Args:
        num_groups: into how many groups the channels are divided.
        epsilon: added to the variance.
        center: whether `beta` is learned.
        scale: whether `gamma` is learned.
        beta_initializer: initializer of `beta`.
        gamma_initializer: initializer of `gamma`.
        in_channels: accepted; the parameters do not depend on it.
        kwargs: of `Block`.
    """

    _repr_form = "eps={0._epsilon}, num_groups={0._num_groups}, center={0._center}, scale={0._scale}"

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_groups, epsilon, center, scale, beta_initializer, gamma_initializer, num_groups, **kwargs)


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), nn.__name__)
