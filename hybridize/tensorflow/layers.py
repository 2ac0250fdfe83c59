# SPDX-License-Identifier: Apache-2.0
"""Settings of Keras models that programs depend on: the layers, which of them train, their types.

Keras looks at these at each call; under `tf.function` nobody does.
"""

from __future__ import annotations

from typing import Any


class LayerSettings:
    """The settings of a model or layer, as they were when they were last seen."""

    def __init__(self, target: Any) -> None:
        listed = getattr(target, "_flatten_layers", None)
        self._layers = listed if callable(listed) else None
        self._seen: list[Any] = self._now()

    def _now(self) -> list[Any]:
        if self._layers is None:
            return []
        now: list[Any] = []
        for layer in self._layers():
            now += [layer, layer.trainable, getattr(layer, "_dtype_policy", None)]
        return now

    def hold(self) -> bool:
        """Tell whether they are as they were."""
        if self._layers is None:
            return True
        now = self._now()
        return len(now) == len(self._seen) and all(map(_same, now, self._seen))

    def see(self) -> None:
        """Take them as they are now."""
        self._seen = self._now()


def _same(x: Any, y: Any) -> bool:
    return x is y
