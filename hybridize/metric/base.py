# SPDX-License-Identifier: Apache-2.0
"""The base of metrics, how strings name them, and several as one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError, ShapeError, UndefinedError
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.base.registry import Registry, described
from hybridize.base.tracebacks import leaves

if TYPE_CHECKING:
    from hybridize.base.registry import ClassDecorator

Array = NDArray[Any]
Names = Sequence[str] | None
_WITH_RESULTS = "call it outside the compiled function, with the results of that function"


class EvalMetric:
    """Keep a sum and a count over the batches since `reset`, and return their quotient. The base of metrics.

    Subclasses define `update`, which adds to `sum_metric` and `num_inst`.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels.
        has_global_stats: whether `update` also adds to `global_sum_metric` and `global_num_inst`, which `reset_local`
            leaves alone.
        kwargs: settings that `get_config` tells.

    >>> from hybridize import metric, np
    >>> class Total(metric.EvalMetric):
    ...     def update(self, labels, preds):
    ...         self.sum_metric += float(preds.sum())
    ...         self.num_inst += 1
    >>> total = Total("total")
    >>> total.update(None, np.ones(3))
    >>> total.get()
    ('total', 3.0)
    """

    __hybridize_read__ = ReadPolicy.CONTENT
    __hybridize_write__ = WritePolicy.IN_TURN

    name: str
    sum_metric: Any
    global_sum_metric: Any
    num_inst: float
    global_num_inst: float

    def __init__(
        self,
        name: str,
        output_names: Names = None,
        label_names: Names = None,
        *,
        has_global_stats: bool = False,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = has_global_stats
        self._kwargs = kwargs
        self.reset()

    @outside_only("adds a batch to sums in Python", help=_WITH_RESULTS)
    @leaves
    def update(self, labels: Any, preds: Any) -> None:
        """Add a batch.

        Args:
            labels: what was right, an array or a list of arrays.
            preds: what was predicted, as many.

        Raises:
            UndefinedError E328: the class does not say what it measures.
            ShapeError E140: labels and predictions do not go together.
        """
        what = f"{type(self).__name__} does not say what it measures: it has no update"
        raise UndefinedError("E328", what, help="define update(self, labels, preds)")

    @outside_only("adds a batch to sums in Python", help=_WITH_RESULTS)
    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Add a batch whose arrays have names.

        Args:
            label: what was right, by name.
            pred: what was predicted.

        Raises:
            ArgumentError E370: one of `label_names` or `output_names` is not there.
        """
        self.update(_chosen(label, self.label_names, "label"), _chosen(pred, self.output_names, "prediction"))

    @outside_only("forgets the batches so far")
    def reset(self) -> None:
        """Forget all batches."""
        self.reset_local()
        self.global_num_inst = 0
        self.global_sum_metric = 0.0

    @outside_only("forgets the batches so far")
    def reset_local(self) -> None:
        """Forget all batches, but for `get_global`."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def get(self) -> tuple[Any, Any]:
        """(name, value) over the batches since `reset` or `reset_local`; NaN when there were none."""
        return self.name, self._value(self.sum_metric, self.num_inst) if self.num_inst else math.nan

    def get_global(self) -> tuple[Any, Any]:
        """(name, value) over the batches since `reset`."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(
            self.global_sum_metric, self.global_num_inst
        ) if self.global_num_inst else math.nan

    def get_name_value(self) -> list[tuple[str, Any]]:
        """[(name, value)] of `get`."""
        return _paired(self.get())

    def get_global_name_value(self) -> list[tuple[str, Any]]:
        """[(name, value)] of `get_global`."""
        return _paired(self.get_global())

    def get_config(self) -> dict[str, Any]:
        """Settings from which `create(**config)` makes the same metric, without its batches."""
        names = {"name": self.name, "output_names": self.output_names, "label_names": self.label_names}
        return {**self._kwargs, "metric": type(self).__name__, **names}

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def _add(self, total: Any, count: float) -> None:
        """Add to the sums and the counts."""
        self.sum_metric = self._joined(self.sum_metric, total)
        self.global_sum_metric = self._joined(self.global_sum_metric, total)
        self.num_inst += count
        self.global_num_inst += count

    def _joined(self, before: Any, total: Any) -> Any:
        """Two sums as one; the first is 0.0 at the beginning."""
        return before + total

    def _value(self, total: Any, count: Any) -> Any:
        """The result, of what was summed."""
        return _plain(total / count)


class Measured(EvalMetric):
    """A metric of pairs of a label and a prediction.

    Subclasses say what each adds (`_measure`), and may say what the result is (`_value`) and how sums add up
    (`_joined`).
    """

    def __init__(self, name: str, output_names: Names = None, label_names: Names = None, **kwargs: Any) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, **kwargs)

    @leaves
    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            self._add(*self._measure(as_numpy(label), as_numpy(pred)))

    def _measure(self, label: Array, pred: Array) -> tuple[Any, int]:
        """Return what a pair adds to the sum and to the count; subclasses define it."""
        what = f"{type(self).__name__} does not say what it measures: it has no _measure"
        raise UndefinedError("E328", what, help="define _measure(self, label, pred), which returns a sum and a count")


def _plain(value: Any) -> Any:
    """A Python number where it is one."""
    return value.item() if hasattr(value, "item") and getattr(value, "size", 0) == 1 else value


def _paired(named: tuple[Any, Any]) -> list[tuple[str, Any]]:
    name, value = named
    return list(zip(name, value, strict=True)) if isinstance(name, list) else [(name, value)]


def _chosen(arrays: Mapping[str, Any], names: Names, what: str) -> list[Any]:
    if names is None:
        return list(arrays.values())
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ArgumentError("E370", f"there is no {what} {missing[0]!r}", help=f"available: {', '.join(arrays)}")
    return [arrays[name] for name in names]


def as_numpy(x: Any) -> Array:
    """Any array's values."""
    return numpy.asarray(x.detach().cpu() if hasattr(x, "detach") and hasattr(x, "cpu") else x)


def rows(x: Array) -> Array:
    """Vectors along the last axis: [count, length], also where one of the two is 0."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def same_size(name: str, label: Array, pred: Array) -> None:
    """Refuse other than one prediction for each label.

    Raises:
        ShapeError E140: there are more of one.
    """
    if label.size != pred.size:
        raise ShapeError(
            "E140",
            f"{name} has {label.size} labels {list(label.shape)} for {pred.size} predictions {list(pred.shape)}",
            help="the numbers of labels and predictions must be equal",
        )


def listed(x: Any) -> list[Any]:
    """Arrays as a list of them; a list of numbers is one array."""
    if isinstance(x, (list, tuple)) and (not x or hasattr(x[0], "shape")):
        return list(x)
    return [x]


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """Raise an error unless there are as many labels as predictions.

    Args:
        labels: an array or a list of arrays.
        preds: the same.
        wrap: make lists of single arrays.
        shape: compare the shapes of two arrays instead.

    Raises:
        ShapeError E140: they differ.

    >>> from hybridize import metric, np
    >>> labels, predictions = metric.check_label_shapes(np.ones(3), np.ones(3))
    """
    if shape:
        sizes = tuple(labels.shape), tuple(preds.shape)
    else:
        lists = listed(labels), listed(preds)
        sizes = (len(lists[0]),), (len(lists[1]),)
        labels, preds = lists if wrap else (labels, preds)
    if sizes[0] != sizes[1]:
        what = "shapes" if shape else "numbers of arrays"
        raise ShapeError(
            "E140",
            f"a metric compares labels with predictions: their {what} are {sizes[0]} and {sizes[1]}",
            help="give a label for each prediction",
        )
    return labels, preds


_REGISTRY: Registry[EvalMetric] = Registry("hybridize.metric", "classes", "counts", "custom", "regression")
register: ClassDecorator = _REGISTRY.register
alias: Callable[..., ClassDecorator] = _REGISTRY.alias


@leaves
def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return the metric that `metric` names.

    Args:
        metric: a metric, a class of them, a name, what `get_config` gave (or its JSON), a list of these, or a function
            (label, pred) of NumPy arrays that gives a number, or a sum and a count.
        args: settings, where it is a name or a class.
        kwargs: the same.

    Raises:
        ArgumentError E368: there is no such metric.

    >>> from hybridize import metric
    >>> metric.create("acc").name, metric.create(["mae", "mse"]).get()[0]
    ('accuracy', ['mae', 'mse'])
    """
    return created({}, metric, *args, **kwargs)


def created(kinds: Mapping[type[EvalMetric], type[EvalMetric]], metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return what `create` gives, with other classes in place of those that names stand for.

    Args:
        kinds: the other classes.
        metric: as of `create`.
        args: the same.
        kwargs: the same.

    Raises:
        ArgumentError E368: there is no such metric.
    """
    if isinstance(metric, str) and metric.startswith(("[", "{")):
        metric, kwargs = described(metric, "metric", "E368", 'json.dumps(metric.get_config()), or ["name", {...}]')
        args = ()
    if isinstance(metric, EvalMetric):
        return metric
    if isinstance(metric, type) and issubclass(metric, EvalMetric):
        return metric(*args, **kwargs)
    if isinstance(metric, str):
        cls = _REGISTRY.find(metric)
        if cls is not None:
            return kinds.get(cls, cls)(*args, **kwargs)
    elif isinstance(metric, Mapping) and "metric" in metric:
        return created(kinds, **metric)
    elif isinstance(metric, (list, tuple)):
        return created(kinds, "composite", [created(kinds, each, *args, **kwargs) for each in metric])
    elif callable(metric):
        return created(kinds, "custommetric", metric, *args, **kwargs)
    raise ArgumentError("E368", f"{metric!r} is not a metric", help=f"a function, an EvalMetric or {_REGISTRY.names}")


@alias("composite")
@register
class CompositeEvalMetric(EvalMetric):
    """Compute several metrics of the same labels and predictions. `get` returns lists.

    Args:
        metrics: what `create` takes, each.
        name: of the whole.
        output_names: which predictions `update_dict` hands on; None: all.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> both = metric.CompositeEvalMetric([metric.MAE(), metric.MSE()])
    >>> both.update(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    >>> both.get()
    (['mae', 'mse'], [1.0, 2.0])
    """

    _create = staticmethod(create)

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        self.metrics: list[EvalMetric] = [self._create(each) for each in metrics or ()]
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @outside_only("adds a metric to those there are")
    def add(self, metric: Any) -> None:
        """One more."""
        self.metrics.append(self._create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """The metric at an index.

        Raises:
            ArgumentError E371: there are fewer.
        """
        if not -len(self.metrics) <= index < len(self.metrics):
            raise ArgumentError("E371", f"there is no metric {index} in a composite of {len(self.metrics)}")
        return self.metrics[index]

    @leaves
    def update(self, labels: Any, preds: Any) -> None:
        for metric in self.metrics:
            metric.update(labels, preds)

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        if self.label_names is not None:
            label = {name: label[name] for name in label if name in self.label_names}
        if self.output_names is not None:
            pred = {name: pred[name] for name in pred if name in self.output_names}
        for metric in self.metrics:
            metric.update_dict(label, pred)

    def reset(self) -> None:
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[str], list[Any]]:
        return _unzipped(pair for metric in self.metrics for pair in metric.get_name_value())

    def get_global(self) -> tuple[list[str], list[Any]]:
        return _unzipped(pair for metric in self.metrics for pair in metric.get_global_name_value())

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "metrics": [metric.get_config() for metric in self.metrics]}


def _unzipped(pairs: Any) -> tuple[list[str], list[Any]]:
    names, values = [], []
    for name, value in pairs:
        names.append(name)
        values.append(value)
    return names, values
