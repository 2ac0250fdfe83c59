# SPDX-License-Identifier: Apache-2.0
"""Layers that bring their input to mean 0 and variance 1: over the batch, one axis, groups of channels, one image.

The running statistics of `BatchNorm` are parameters without gradients. Training writes them: imperatively while the net
runs, in a compiled program, or a compiled step, as state that a call commits all or nothing.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.functions import neural, normalization, positions, shapes
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import axis_of
from hybridize.base.dtypes import as_dtype, bfloat16, float16
from hybridize.base.errors import ArgumentError
from hybridize.gluon.checking import check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.operator_keywords import OperatorKeywords
from hybridize.gluon.parameter import UNKNOWN, Parameter


def _check_epsilon(block: HybridBlock, epsilon: Any) -> None:
    """Refuse what is no positive number.

    Raises:
        ArgumentError E331: it is none.
    """
    if not hasattr(epsilon, "__float__") or not epsilon > 0:
        what = f"epsilon of {type(block).__name__} must be a positive number, got {epsilon!r}"
        raise ArgumentError("E331", what, help="without it, a constant channel would be divided by 0")


def _along_axis(block: HybridBlock, name: str, learned: bool, size: int, init: Any) -> Parameter:
    """A parameter of a block along its axis."""
    request = "write" if learned else "null"
    return block.params.deferred(name, (size,), init, grad_req=request, differentiable=learned)


class _Scaled(HybridBlock):
    """The base of the layers: `gamma` along an axis, whose size the first input tells."""

    _operands = "gamma"
    _repr_form = "eps={0._epsilon}, axis={0._axis}, scale={0._scale}, in_channels={0._size}"

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        scale: bool = True,
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        _check_epsilon(self, epsilon)
        self._axis, self._epsilon, self._scale = axis, epsilon, scale
        self.gamma: Parameter = _along_axis(self, "gamma", scale, in_channels, gamma_initializer)

    @property
    def _size(self) -> int:
        return (self.gamma.shape or (UNKNOWN,))[0]

    def infer_shape(self, x: Any) -> None:
        size = x.shape[axis_of(self._axis, x.ndim, type(self).__name__)]
        for name in self._operands.split():
            self._parameters[name].complete(size)


class _Normalized(_Scaled):
    """The base of the layers that have `beta`, too."""

    _operands = "gamma beta"
    _kwargs = OperatorKeywords(eps="_epsilon", axis="_axis", center="_center", scale="_scale")
    _repr_form = "eps={0._epsilon}, axis={0._axis}, center={0._center}, scale={0._scale}, in_channels={0._size}"

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(axis, epsilon, scale, gamma_initializer, in_channels, **kwargs)
        self._center = center
        self.beta: Parameter = _along_axis(self, "beta", center, in_channels, beta_initializer)


class BatchNorm(_Normalized):
    """Normalize each channel: (x - mean) / sqrt(variance + epsilon) gamma + beta.

    While training, mean and variance are those of the batch over all axes but one, and the running statistics follow:
    `running = momentum * running + (1 - momentum) * batch`. That is MXNet's meaning; PyTorch's momentum is 1 minus this
    one, and its running variance is the unbiased one. A batch moves them when it goes forward, within
    `autograd.record()` or `autograd.train_mode()`; in prediction they are only read.

    Args:
        axis: of the channels.
        momentum: the part of the running statistics that a batch leaves.
        epsilon: added to the variance.
        center: whether `beta` is learned; else it stays as initialized, 0.
        scale: whether `gamma` is learned; else it is 1.
        use_global_stats: normalize by the running statistics in training too, and leave them as they are.
        beta_initializer: initializer of `beta`, [channels].
        gamma_initializer: initializer of `gamma`, [channels].
        running_mean_initializer: initializer of `running_mean`, [channels].
        running_variance_initializer: initializer of `running_var`, [channels].
        in_channels: number of channels; 0: taken from the first input.

    Raises:
        ArgumentError E331: momentum does not lie between 0 and 1, or epsilon is not positive.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.BatchNorm()
    >>> layer.initialize()
    >>> layer(np.ones((2, 3, 8, 8))).shape, layer.gamma.shape
    ((2, 3, 8, 8), (3,))
    """

    _operands = "gamma beta running_mean running_var"
    _kwargs = OperatorKeywords(
        axis="_axis", eps="_epsilon", momentum="_momentum", fix_gamma="_fix_gamma",
        use_global_stats="_use_global_stats",
    )  # fmt: skip
    _repr_form = (
        "axis={0._axis}, eps={0._epsilon}, momentum={0._momentum}, fix_gamma={0._fix_gamma}, "
        "use_global_stats={0._use_global_stats}, in_channels={0._size}"
    )

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, in_channels, **kwargs)
        check_part(self, "momentum", momentum, "it is the part of the running statistics that is kept")
        self._momentum, self._use_global_stats, self._fix_gamma = momentum, use_global_stats, not scale
        self.running_mean: Parameter = _along_axis(self, "running_mean", False, in_channels, running_mean_initializer)
        self.running_var: Parameter = _along_axis(self, "running_var", False, in_channels, running_variance_initializer)

    def forward(self, x: Any) -> ndarray:
        gamma, beta, mean, var = (
            parameter.data() for parameter in (self.gamma, self.beta, self.running_mean, self.running_var)
        )
        return normalization.batch_norm(
            x,
            gamma,
            beta,
            mean,
            var,
            eps=self._epsilon,
            momentum=self._momentum,
            fix_gamma=self._fix_gamma,
            use_global_stats=self._use_global_stats,
            axis=self._axis,
        )

    def cast(self, dtype: Any) -> None:
        """Change the dtype; a short one leaves the parameters in float32, as means over a batch need it."""
        super().cast("float32" if as_dtype(dtype) in (float16, bfloat16) else dtype)


class BatchNormReLU(BatchNorm):
    """Return max(y, 0) of the result y of `BatchNorm`. It takes the same arguments.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.BatchNormReLU(in_channels=2)
    >>> layer.initialize()
    >>> layer(np.array([[-1.0, 2.0]])).round(2)
    array([[0., 2.]])
    """

    def forward(self, x: Any) -> ndarray:
        return neural.relu(super().forward(x))


class SyncBatchNorm(BatchNorm):
    """Apply `BatchNorm`. MXNet's layer of this name also averages over devices; here one device has the whole batch.

    Args:
        in_channels: number of channels; 0: taken from the first input.
        num_devices: 1 or None.
        momentum: the part of the running statistics that a batch leaves.
        epsilon: added to the variance.
        center: whether `beta` is learned.
        scale: whether `gamma` is learned.
        use_global_stats: normalize by the running statistics in training too.
        kwargs: the initializers of `BatchNorm`.

    Raises:
        ArgumentError E331: several devices.

    >>> from hybridize.gluon import nn
    >>> nn.SyncBatchNorm(in_channels=3, num_devices=1).gamma.shape
    (3,)
    """

    _num_devices = 1
    _kwargs = OperatorKeywords(
        eps="_epsilon", momentum="_momentum", fix_gamma="_fix_gamma", use_global_stats="_use_global_stats",
        ndev="_num_devices", key="prefix",
    )  # fmt: skip

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        **kwargs: Any,
    ) -> None:
        if num_devices not in (None, 1):
            what = f"SyncBatchNorm normalizes what is on one device, got num_devices={num_devices!r}"
            raise ArgumentError("E331", what, help="pass whole batches, without split_and_load")
        super().__init__(1, momentum, epsilon, center, scale, use_global_stats, in_channels=in_channels, **kwargs)


class LayerNorm(_Normalized):
    """Return (x - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance over one axis.

    Args:
        axis: that is normalized.
        epsilon: added to the variance.
        center: whether `beta` is learned.
        scale: whether `gamma` is learned.
        beta_initializer: initializer of `beta`.
        gamma_initializer: initializer of `gamma`.
        in_channels: size of the axis; 0: taken from the first input.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.LayerNorm()
    >>> layer.initialize()
    >>> layer(np.array([[1.0, 2.0, 3.0]])).round(3)
    array([[-1.225,  0.   ,  1.225]])
    """

    def forward(self, data: Any) -> ndarray:
        return neural.layer_norm(data, self.gamma.data(), self.beta.data(), axis=self._axis, eps=self._epsilon)


class RMSNorm(_Scaled):
    """Return x / sqrt(mean(x x) + epsilon) gamma over one axis.

    Unlike `LayerNorm` it subtracts no mean and adds no `beta`.

    Args:
        axis: that is normalized.
        epsilon: added to the mean.
        scale: whether `gamma` is learned; else it is 1.
        gamma_initializer: initializer of `gamma`.
        in_channels: size of the axis; 0: taken from the first input.

    Raises:
        ArgumentError E331: epsilon is not positive.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.RMSNorm()
    >>> layer.initialize()
    >>> layer(np.array([[1.0, 2.0, 2.0]])).round(3)
    array([[0.577, 1.155, 1.155]])
    """

    def forward(self, x: Any) -> ndarray:
        return positions.rms_norm(x, self.gamma.data(), self._axis, self._epsilon)


class GroupNorm(_Normalized):
    """Standardize each group of channels and all axes after them.

    `gamma` and `beta` have one element for each channel (axis 1).

    Args:
        num_groups: into how many groups the channels are divided.
        epsilon: added to the variance.
        center: whether `beta` is learned.
        scale: whether `gamma` is learned.
        beta_initializer: initializer of `beta`.
        gamma_initializer: initializer of `gamma`.
        in_channels: number of channels; 0: taken from the first input.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.GroupNorm(num_groups=2)
    >>> layer.initialize()
    >>> layer(np.ones((2, 4, 5))).shape, layer.gamma.shape
    ((2, 4, 5), (4,))
    """

    _kwargs = OperatorKeywords(eps="_epsilon", num_groups="_num_groups", center="_center", scale="_scale")
    _repr_form = f"num_groups={{0._num_groups}}, {_Normalized._repr_form}"

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
        super().__init__(1, epsilon, center, scale, beta_initializer, gamma_initializer, in_channels, **kwargs)
        self._num_groups = num_groups

    def forward(self, data: Any) -> ndarray:
        return normalization.group_norm(data, self.gamma.data(), self.beta.data(), self._num_groups, self._epsilon)


class InstanceNorm(_Normalized):
    """Standardize over all axes but those of the batch and the channels.

    `gamma` and `beta` have one element for each channel.

    Args:
        axis: of the channels.
        epsilon: added to the variance.
        center: whether `beta` is learned.
        scale: whether `gamma` is learned; by default it is not.
        beta_initializer: initializer of `beta`.
        gamma_initializer: initializer of `gamma`.
        in_channels: number of channels; 0: taken from the first input.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.InstanceNorm()
    >>> layer.initialize()
    >>> layer(np.ones((2, 4, 5))).shape, layer.gamma.shape
    ((2, 4, 5), (4,))
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, in_channels, **kwargs)

    def forward(self, x: Any) -> ndarray:
        gamma, beta = self.gamma.data(), self.beta.data()
        if self._axis == 1:
            return normalization.instance_norm(x, gamma, beta, self._epsilon)
        return shapes.swapaxes(
            normalization.instance_norm(shapes.swapaxes(x, 1, self._axis), gamma, beta, self._epsilon), 1, self._axis
        )
