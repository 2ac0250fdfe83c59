# SPDX-License-Identifier: Apache-2.0
"""Settings of Keras models that programs depend on: the layers, which of them train, their types.

Keras looks at these at each call; under `tf.function` nobody does.
"""

from __future__ import annotations

from typing import Any

from hybridize.runtime.entry import Look, Watch, items_watched
from hybridize.tensorflow.internals import LAYER_NAMES, LAYER_STATE, PARTS_NAME, layers_of, parts_of


class LayerSettings:
    """The settings of a model or layer, as they were when they were last seen; of other objects there are none."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self.see()

    def see(self) -> None:
        """Take them as they are now."""
        self._layers = layers_of(self._target)
        self._states = list(map(LAYER_STATE, self._layers))
        self._parts = [(layer, parts) for layer in self._layers if (parts := list(parts_of(layer)))]

    def watches(self) -> list[Watch]:
        """List what an emitted entry looks at to find them as they were; where that is too little it asks `hold`."""
        values = [dict(zip(LAYER_NAMES, state, strict=True)) for state in self._states]
        for layer, items in zip(self._layers, values, strict=True):
            items[PARTS_NAME] = parts_of(layer)
            if any(vars(layer).get(name) is not value for name, value in items.items()):
                return [Watch(Look.CALL, self.hold, None, True)]
        watches = []
        for layer, items in zip(self._layers, values, strict=True):
            watches += [Watch(Look.ITEM, vars(layer), name, value) for name, value in items.items()]
            watches += items_watched(items[PARTS_NAME])
        return watches

    def hold(self) -> bool:
        """Tell whether they are as they were."""
        if list(map(LAYER_STATE, self._layers)) != self._states:
            return False
        return all(parts_of(layer) == parts for layer, parts in self._parts)
