# SPDX-License-Identifier: Apache-2.0
"""`layer._kwargs`: the keywords of MXNet's operator that a layer is, as `hybrid_forward` of MXNet 1 passes them.

`F.Convolution(x, weight, bias, **self._kwargs)` is a convolution of the layer's windows. The attributes of the layer
are the one place where they lie: what is set here is set there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from hybridize.base.errors import ArgumentError

TUNING = ("cudnn_off", "cudnn_tune", "workspace")
"""Keywords by which MXNet chooses among implementations: accepted, and without effect."""


class _Keywords(dict[str, Any]):
    """Values by keyword; to set one sets the attribute of the layer."""

    def __init__(self, layer: Any, attributes: Mapping[str, str]) -> None:
        self._layer, self._attributes = layer, attributes
        values = {keyword: getattr(layer, attribute) for keyword, attribute in attributes.items()}
        super().__init__({keyword: value for keyword, value in values.items() if value is not None})

    def __setitem__(self, keyword: str, value: Any) -> None:
        if keyword in TUNING:
            return
        if keyword not in self._attributes:
            what = f"{type(self._layer).__name__}._kwargs has no {keyword!r}"
            raise ArgumentError("E344", what, help=f"it has {', '.join(self._attributes)}")
        setattr(self._layer, self._attributes[keyword], value)
        super().__setitem__(keyword, value)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for keyword, value in dict(*args, **kwargs).items():
            self[keyword] = value

    def _refuse(self, *args: Any) -> NoReturn:
        what = f"keywords of {type(self._layer).__name__} cannot be removed: they are its settings"
        raise ArgumentError("E344", what, help="remove them from a copy: kwargs = dict(self._kwargs)")

    __delitem__ = pop = popitem = clear = setdefault = _refuse


class OperatorKeywords:
    """The descriptor of `_kwargs`: attributes of the layer by the keywords of the operator; None: it is left out."""

    def __init__(self, **attributes: str) -> None:
        self._attributes = attributes

    def __get__(self, layer: Any, kind: type) -> Any:
        return self if layer is None else _Keywords(layer, self._attributes)

    def __set__(self, layer: Any, values: Mapping[str, Any]) -> None:
        _Keywords(layer, self._attributes).update(values)
