# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's operators that update weights: `nd.sgd_mom_update(weight, grad, mom, lr=0.1, out=weight)`.

A formula gives the new weight and the new states. What is made of it writes the states where they are, and gives the
weight, which `out=` takes; each formula has variants:

    mp_*                 the weight of a half precision beside its float32 copy, which the formula is of
    multi_*              several weights, whose arrays lie one after the other, with a number of each
    preloaded_multi_*    the same, with the numbers in arrays: the last two
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import Any

from hybridize.array import np
from hybridize.array.legacy_rules import by_position, named_as
from hybridize.array.operands import array
from hybridize.base.errors import ArgumentError

_Function = Callable[..., Any]


def _clipped(x: Any, bound: float) -> Any:
    return x if bound < 0 else np.clip(x, -bound, bound)


def _plain(grad: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    """The gradient, rescaled, then clipped."""
    return _clipped(grad * rescale_grad, clip_gradient)


def _decayed(weight: Any, grad: Any, wd: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    """The gradient of the loss and of the decay together, clipped."""
    return _clipped(grad * rescale_grad + weight * wd, clip_gradient)


def sgd(
    weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by a step down the gradient.

    Args:
        weight, grad: the weight and its gradient.
        lr: the learning rate.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        lazy_update: has no effect: updates are dense.

    >>> nd.sgd_update(nd.ones(1), nd.ones(1), lr=0.1).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    return (weight - (_plain(grad, rescale_grad, clip_gradient) + weight * wd) * lr,)


def sgd_mom(
    weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0,
    clip_gradient: float = -1.0, lazy_update: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by a step down the gradient, with momentum.

    Args:
        weight, grad: the weight and its gradient.
        mom: the state, which is written.
        lr: the learning rate.
        momentum: the share of the former step.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        lazy_update: has no effect: updates are dense.

    >>> nd.sgd_mom_update(nd.ones(1), nd.ones(1), nd.zeros(1), lr=0.1, momentum=0.9).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    velocity = mom * momentum - (_plain(grad, rescale_grad, clip_gradient) + weight * wd) * lr
    return weight + velocity, velocity


def nag_mom(
    weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0,
    clip_gradient: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by a step with Nesterov's momentum.

    Args:
        weight, grad: the weight and its gradient.
        mom: the state, which is written.
        lr: the learning rate.
        momentum: the share of the former step.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.

    >>> nd.nag_mom_update(nd.ones(1), nd.ones(1), nd.zeros(1), lr=0.1).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    step = (_plain(grad, rescale_grad, clip_gradient) + weight * wd) * lr
    velocity = mom * momentum - step
    return weight + velocity * momentum - step, velocity


def signsgd(
    weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0
) -> tuple[Any, ...]:
    """Update a weight by a step in the direction of the gradient's sign.

    Args:
        weight, grad: the weight and its gradient.
        lr: the learning rate.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.

    >>> nd.signsgd_update(nd.ones(1), nd.array([7]), lr=0.1).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    return (weight * (1.0 - lr * wd) - np.sign(grad) * lr,)


def signum(
    weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0,
    clip_gradient: float = -1.0, wd_lh: Any = 0.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by a step in the direction of the sign of the mean gradient.

    Args:
        weight, grad: the weight and its gradient.
        mom: the state, which is written.
        lr: the learning rate.
        momentum: the decay of the mean.
        wd: the decay of the weight, as a part of the gradient.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        wd_lh: the decay of the weight, beside the gradient.

    >>> nd.signum_update(nd.ones(1), nd.ones(1), nd.zeros(1), lr=0.1, momentum=0.9).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    mean = mom * momentum - (weight * wd + _plain(grad, rescale_grad, clip_gradient)) * (1.0 - momentum)
    return weight * (1.0 - lr * wd_lh) + np.sign(mean) * lr, mean


def _moments(g: Any, mean: Any, var: Any, beta1: Any, beta2: Any) -> tuple[Any, Any]:
    return mean * beta1 + g * (1.0 - beta1), var * beta2 + np.square(g) * (1.0 - beta2)


def adam(
    weight: Any, grad: Any, mean: Any, var: Any, lr: Any, beta1: Any = 0.9, beta2: Any = 0.999,
    epsilon: float = 1e-8, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by Adam, in place of `out`; the learning rate has to hold the correction of the bias.

    Args:
        weight, grad: the weight and its gradient.
        mean, var: the state, which is written.
        lr: the learning rate.
        beta1, beta2: the decays of both means.
        epsilon: is added to the root.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        lazy_update: has no effect: updates are dense.

    >>> w, g, m, v = nd.ones(1), nd.ones(1), nd.zeros(1), nd.zeros(1)
    >>> nd.adam_update(w, g, m, v, lr=0.1, out=w).asnumpy().round(4)
    array([0.6838], dtype=float32)
    """
    m, v = _moments(_decayed(weight, grad, wd, rescale_grad, clip_gradient), mean, var, beta1, beta2)
    return weight - m * lr / (np.sqrt(v) + epsilon), m, v


def adamw(
    weight: Any, grad: Any, mean: Any, var: Any, rescale_grad: Any, lr: Any, eta: Any, beta1: Any = 0.9,
    beta2: Any = 0.999, epsilon: float = 1e-8, wd: Any = 0.0, clip_gradient: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by Adam with a decay beside it; nothing changes where `rescale_grad` is 0, infinite or NaN.

    Args:
        weight, grad: the weight and its gradient.
        mean, var: the state, which is written.
        rescale_grad: the factor of the gradient, an array.
        lr: the learning rate.
        eta: the factor of the whole step.
        beta1, beta2: the decays of both means.
        epsilon: is added to the root.
        wd: the decay of the weight.
        clip_gradient: the limit of the rescaled gradient; negative: none.

    >>> w, one, zero = nd.ones(1), nd.ones(1), nd.zeros(1)
    >>> nd.contrib.adamw_update(w, one, zero, zero.copy(), one, lr=0.1, eta=1.0).asnumpy().round(4)
    array([0.6838], dtype=float32)
    """
    scale = array(rescale_grad).astype(array(weight).dtype)
    usable = np.logical_and(np.isfinite(scale), np.not_equal(scale, 0))
    m, v = _moments(_plain(grad, scale, clip_gradient), mean, var, beta1, beta2)
    stepped = weight - (m / (np.sqrt(v) + epsilon) * lr + weight * wd) * eta
    return tuple(np.where(usable, new, old) for new, old in ((stepped, weight), (m, mean), (v, var)))


def ftml(
    weight: Any, grad: Any, d: Any, v: Any, z: Any, lr: Any, beta1: float = 0.6, beta2: float = 0.999,
    epsilon: float = 1e-8, t: int = 1, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_grad: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by FTML (follow the moving leader).

    Args:
        weight, grad: the weight and its gradient.
        d, v, z: the state, which is written.
        lr: the learning rate.
        beta1, beta2: the decays of both means.
        epsilon: is added to the root.
        t: the count of updates, from 1 on.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_grad: the limit of the rescaled gradient; negative: none.

    >>> w, zero = nd.ones(1), nd.zeros(1)
    >>> nd.ftml_update(w, nd.ones(1), zero, zero.copy(), zero.copy(), lr=0.1).shape
    (1,)
    """
    g = _decayed(weight, grad, wd, rescale_grad, clip_grad)
    squares = v * beta2 + np.square(g) * (1.0 - beta2)
    leader = (np.sqrt(squares / (1.0 - beta2**t)) + epsilon) * (1.0 - beta1**t) / lr
    mean = z * beta1 + g * (1.0 - beta1) - (leader - d * beta1) * weight
    return -mean / leader, leader, squares, mean


def ftrl(
    weight: Any, grad: Any, z: Any, n: Any, lr: Any, lamda1: float = 0.01, beta: float = 1.0, wd: Any = 0.0,
    rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by FTRL (follow the regularized leader).

    Args:
        weight, grad: the weight and its gradient.
        z, n: the state, which is written.
        lr: the learning rate.
        lamda1: the L1 penalty.
        beta: is added to the root.
        wd: the L2 penalty.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.

    >>> nd.ftrl_update(nd.ones(1), nd.ones(1), nd.zeros(1), nd.zeros(1), lr=0.1).shape
    (1,)
    """
    g = _plain(grad, rescale_grad, clip_gradient)
    squares = n + np.square(g)
    leader = z + g - (np.sqrt(squares) - np.sqrt(n)) * weight / lr
    step = (np.sign(leader) * lamda1 - leader) / ((np.sqrt(squares) + beta) / lr + wd)
    return np.where(np.abs(leader) > lamda1, step, 0.0), leader, squares


def rmsprop(
    weight: Any, grad: Any, n: Any, lr: Any, gamma1: float = 0.95, epsilon: float = 1e-8, wd: Any = 0.0,
    rescale_grad: Any = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by RMSProp, as Tieleman and Hinton have it.

    Args:
        weight, grad: the weight and its gradient.
        n: the state, which is written.
        lr: the learning rate.
        gamma1: the decay of the mean of squares.
        epsilon: is added to the mean.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        clip_weights: the limit of the weight; negative: none.

    >>> nd.rmsprop_update(nd.ones(1), nd.ones(1), nd.zeros(1), lr=0.1).shape
    (1,)
    """
    g = _decayed(weight, grad, wd, rescale_grad, clip_gradient)
    squares = n * gamma1 + np.square(g) * (1.0 - gamma1)
    return _clipped(weight - g * lr / np.sqrt(squares + epsilon), clip_weights), squares


def rmspropalex(
    weight: Any, grad: Any, n: Any, g: Any, delta: Any, lr: Any, gamma1: float = 0.95, gamma2: float = 0.9,
    epsilon: float = 1e-8, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a weight by RMSProp, as Graves has it: by the deviation from the mean.

    Args:
        weight, grad: the weight and its gradient.
        n, g, delta: the state, which is written.
        lr: the learning rate.
        gamma1, gamma2: the decay of both means, and the momentum.
        epsilon: is added to the mean.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        clip_weights: the limit of the weight; negative: none.

    >>> zero = nd.zeros(1)
    >>> nd.rmspropalex_update(nd.ones(1), nd.ones(1), zero, zero.copy(), zero.copy(), lr=0.1).shape
    (1,)
    """
    now = _decayed(weight, grad, wd, rescale_grad, clip_gradient)
    squares, mean = n * gamma1 + np.square(now) * (1.0 - gamma1), g * gamma1 + now * (1.0 - gamma1)
    step = delta * gamma2 - now * lr / np.sqrt(squares - np.square(mean) + epsilon)
    return _clipped(weight + step, clip_weights), squares, mean, step


def group_adagrad(
    weight: Any, grad: Any, history: Any, lr: Any, rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
    epsilon: float = 1e-5,
) -> tuple[Any, ...]:  # fmt: skip
    """Update a matrix by AdaGrad with one number for each row.

    Args:
        weight, grad: the weight and its gradient.
        history: the state, which is written.
        lr: the learning rate.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.
        epsilon: is added to the root.

    >>> nd.contrib.group_adagrad_update(nd.ones((1, 2)), nd.ones((1, 2)), nd.zeros((1, 1)), lr=0.1).asnumpy().round(4)
    array([[0.9, 0.9]], dtype=float32)
    """
    g = _plain(grad, rescale_grad, clip_gradient)
    squares = history + np.mean(np.square(g), tuple(range(1, g.ndim)), keepdims=True)
    return weight - g * lr / np.sqrt(squares + epsilon), squares


def lamb_phase1(
    weight: Any, grad: Any, mean: Any, var: Any, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-6,
    t: int = 1, bias_correction: bool = True, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the direction of LAMB's step.

    Args:
        weight, grad: the weight and its gradient.
        mean, var: the state, which is written.
        beta1, beta2: the decays of both means.
        epsilon: is added to the root.
        t: the count of updates, from 1 on.
        bias_correction: divide the means by 1 - beta**t.
        wd: the decay of the weight.
        rescale_grad: the factor of the gradient.
        clip_gradient: the limit of the rescaled gradient; negative: none.

    >>> nd.lamb_update_phase1(nd.ones(1), nd.ones(1), nd.zeros(1), nd.zeros(1)).asnumpy().round(4)
    array([1.], dtype=float32)
    """
    m, v = _moments(_plain(grad, rescale_grad, clip_gradient), mean, var, beta1, beta2)
    first, second = (1.0 - beta1**t, 1.0 - beta2**t) if bias_correction else (1.0, 1.0)
    return m / first / (np.sqrt(v / second) + epsilon) + weight * wd, m, v


def lamb_phase2(
    weight: Any, g: Any, r1: Any, r2: Any, lr: Any, lower_bound: float = -1.0, upper_bound: float = -1.0
) -> tuple[Any, ...]:
    """Update a weight by LAMB along a direction.

    Args:
        weight: the weight.
        g: the direction, of `lamb_update_phase1`.
        r1, r2: the norms of the weight and of the direction.
        lr: the learning rate.
        lower_bound, upper_bound: limits of `r1`; negative: none.

    >>> one = nd.ones(1)
    >>> nd.lamb_update_phase2(one, one, one, one, lr=0.1).asnumpy().round(4)
    array([0.9], dtype=float32)
    """
    length = r1 if lower_bound < 0 else np.maximum(r1, lower_bound)
    length = length if upper_bound < 0 else np.minimum(length, upper_bound)
    both = np.logical_and(np.greater(length, 0), np.greater(r2, 0))
    return (weight - g * np.where(both, length / np.where(both, r2, 1.0), 1.0) * lr,)


def lamb(
    weight: Any, grad: Any, mean: Any, var: Any, lr: Any, wd: Any, t: int, beta1: float = 0.9, beta2: float = 0.999,
    epsilon: float = 1e-6, rescale_grad: Any = 1.0, lower_bound: float = -1.0, upper_bound: float = -1.0,
    clip_gradient: float = -1.0, bias_correction: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """Both phases of LAMB."""
    direction, m, v = lamb_phase1(
        weight, grad, mean, var, beta1, beta2, epsilon, t, bias_correction, wd, rescale_grad, clip_gradient
    )
    length, distance = (np.sqrt(np.sum(np.square(x))) for x in (weight, direction))
    return *lamb_phase2(weight, direction, length, distance, lr, lower_bound, upper_bound), m, v


_FIRST_NUMBERS = ("lr", "rescale_grad", "beta1")
"""Parameters of which one is the first behind the arrays of each formula."""


def _parameters(formula: _Function) -> tuple[list[str], list[Parameter]]:
    """Return the names of a formula's arrays, and its other parameters."""
    parameters = list(signature(formula).parameters.values())
    place = next(at for at, one in enumerate(parameters) if one.name in _FIRST_NUMBERS)
    return [one.name for one in parameters[:place]], parameters[place:]


def _step(formula: _Function, half: bool, arrays: Sequence[Any], numbers: Mapping[str, Any]) -> Any:
    """Compute a formula, write its states, and give the weight.

    Args:
        formula: of the weight, the gradient, states and numbers.
        half: the weight is of a half precision, and the last array is its float32 copy, which is written, too.
        arrays: the formula's, in their order.
        numbers: the formula's, by name.
    """
    weight, gradient, *states = arrays
    if not half:
        new, *values = formula(*arrays, **numbers)
    else:
        copy = states.pop()
        new, *values = formula(copy, gradient.astype("float32"), *states, **numbers)
    for state, value in zip(states, values, strict=False):  # what is behind the states is only read
        state[...] = value
    if not half or formula is lamb_phase1:  # which gives no weight
        return new
    copy[...] = new
    return new.astype(weight.dtype)


def updating(formula: _Function, half: bool = False) -> _Function:
    """The operator of a formula."""
    names, rest = _parameters(formula)
    names += ["weight32"] * half
    takes = Signature([*by_position(*names), *rest])

    @named_as(formula, *takes.parameters.values())
    def call(*args: Any, **kwargs: Any) -> Any:
        numbers = takes.bind(*args, **kwargs).arguments
        return _step(formula, half, [numbers.pop(name) for name in names], numbers)

    return call


def several(formula: _Function, half: bool = False, preloaded: bool = False) -> _Function:
    """The operator of a formula for several weights, whose arrays lie one after the other."""
    names, rest = _parameters(formula)
    width = len(names) + half
    own = by_position(lrs=None, wds=None, num_weights=None)
    shown = [*own[2 * preloaded :], *(one for one in rest if one.name not in ("lr", "wd"))]
    by_name = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in shown]

    @named_as(formula, Parameter("data", Parameter.VAR_POSITIONAL), *by_name)
    def call(*data: Any, lrs: Any = None, wds: Any = None, num_weights: int | None = None, **numbers: Any) -> Any:
        if preloaded:
            data, (lrs, wds) = data[:-2], data[-2:]
        count = len(data) // width
        if len(data) != count * width or num_weights not in (None, count):
            what = f"{len(data)} arrays, {width} for each weight, for num_weights={num_weights}"
            raise ArgumentError("E310", f"multi_{formula.__name__}_update: {what}")
        new = [
            _step(formula, half, data[at * width : (at + 1) * width], {**numbers, "lr": lrs[at], "wd": wds[at]})
            for at in range(count)
        ]
        return new if count > 1 else new[0]

    return call


def listed(formula: _Function, half: bool = False, each: Sequence[str] = (), first: str = "") -> _Function:
    """The operator of a formula for several weights, whose arrays are in lists, by kind.

    Args:
        formula: of one weight.
        half: the weights are of a half precision; their copies are the last of the lists.
        each: the formula's words for the numbers of each weight, in the order of the call.
        first: the formula's word for the number behind the lists, which all weights share.
    """
    names = [*_parameters(formula)[0], *["weights32"] * half]
    words = [*([first] if first else []), *each]

    def call(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> Any:
        named = {word: numbers.pop(_PLURALS[word]) for word in words[len(args) - len(names) :]}
        named |= dict(zip(words, args[len(names) :], strict=False))
        common = {first: named.pop(first), **numbers} if first else numbers
        return [
            _step(formula, half, arrays, {**common, **{word: values[at] for word, values in named.items()}})
            for at, arrays in enumerate(zip(*args[: len(names)], strict=True))
        ]

    call.__doc__ = formula.__doc__
    return call


_PLURALS = {"lr": "lrs", "wd": "wds", "eta": "etas", "t": "step_count", "rescale_grad": "rescale_grad"}
"""The words of operators for several weights."""


def multi_sum_sq(*data: Any, num_arrays: int | None = None) -> Any:
    """Return the sums of the squares of several arrays, as one vector of float32.

    >>> nd.multi_sum_sq(nd.array([1, 2]), nd.array([3]), num_arrays=2).asnumpy()
    array([5., 9.], dtype=float32)
    """
    return np.stack([np.sum(np.square(array(x).astype("float32"))) for x in data])


def multi_lars(
    lrs: Any, weights_sum_sq: Any, grads_sum_sq: Any, wds: Any, eta: float, eps: float, rescale_grad: float = 1.0
) -> Any:
    """Return learning rates of layers by LARS, from sums of squares of their weights and gradients.

    Args:
        lrs: a learning rate for each layer.
        weights_sum_sq: sums of the squares of weights.
        grads_sum_sq: sums of the squares of gradients.
        wds: decays of weights.
        eta: the coefficient of trust.
        eps: is added to the norm of the gradient.
        rescale_grad: the factor of gradients.

    >>> one = nd.array([1.0])
    >>> nd.multi_lars(one, one * 4, one, one * 0, eta=0.5, eps=0.0).asnumpy()
    array([1.], dtype=float32)
    """
    length, slope = np.sqrt(weights_sum_sq), np.sqrt(grads_sum_sq) * rescale_grad
    both = np.logical_and(np.greater(length, 0), np.greater(slope, 0))
    return np.where(both, lrs * (length * eta) / (slope + wds * length + eps), lrs)


def multi_all_finite(*data: Any, num_arrays: int | None = None, init_output: bool = True) -> Any:
    """Return 1 where all elements of all arrays are finite, and 0 otherwise, as float32 of one element.

    Args:
        data: the arrays.
        num_arrays: how many there are.
        init_output: has to be True.

    >>> nd.multi_all_finite(nd.ones(1), nd.array([float("nan")]), num_arrays=2).asnumpy()
    array([0.], dtype=float32)
    """
    if not init_output:
        help = "give all arrays to one call"
        raise ArgumentError("E310", "multi_all_finite: init_output=False keeps what out= holds", help=help)
    finite = [np.all(np.isfinite(x)) for x in data]
    return np.reshape(np.all(np.stack(finite)), (1,)).astype("float32")


def all_finite(data: Any, init_output: bool = True) -> Any:
    """Return 1 where all elements are finite, and 0 otherwise, as float32 of one element.

    Args:
        data: an array.
        init_output: has to be True.

    >>> nd.all_finite(nd.array([1, 2])).asnumpy()
    array([1.], dtype=float32)
    """
    return multi_all_finite(data, init_output=init_output)


def reset_arrays(*data: Any, num_arrays: int | None = None) -> None:
    """Write 0 to all elements of all arrays.

    >>> x = nd.ones((2,))
    >>> nd.reset_arrays(x, num_arrays=1)
    >>> x.asnumpy()
    array([0., 0.], dtype=float32)
    """
    for x in data:
        x[...] = 0


FUNCTIONS: dict[str, _Function] = {
    **{
        f"{one.__name__}_update": updating(one)
        for one in (sgd, sgd_mom, nag_mom, signsgd, signum, adam, ftml, ftrl, rmsprop, rmspropalex)
    },
    **{f"mp_{one.__name__}_update": updating(one, half=True) for one in (sgd, sgd_mom, nag_mom)},
    **{
        f"{'preloaded_' * preloaded}multi_{'mp_' * half}{one.__name__}_update": several(one, half, preloaded)
        for one in (sgd, sgd_mom) for half in (False, True) for preloaded in (False, True)
    },
    **{
        f"{'mp_' * half}lamb_update_{phase}": updating(one, half)
        for phase, one in (("phase1", lamb_phase1), ("phase2", lamb_phase2)) for half in (False, True)
    },
    **{one.__name__: one for one in (multi_sum_sq, multi_lars, all_finite, multi_all_finite, reset_arrays)},
}  # fmt: skip
"""By their names in `nd`."""
CONTRIB: dict[str, _Function] = {
    "adamw_update": updating(adamw),
    "mp_adamw_update": updating(adamw, half=True),
    "group_adagrad_update": updating(group_adagrad),
    **{
        f"multi_{'mp_' * half}adamw_update": listed(adamw, half, ("lr", "wd", "eta"), "rescale_grad")
        for half in (False, True)
    },
    **{f"multi_{'mp_' * half}lamb_update": listed(lamb, half, ("t", "lr", "wd")) for half in (False, True)},
}
"""By their names in `nd.contrib`."""
