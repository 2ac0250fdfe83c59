# SPDX-License-Identifier: Apache-2.0
"""SavedModels, the folders of `tf.saved_model.save` and Keras's `export`, as `ForeignProgram`s.

A signature, or a method of the saved object, is a function whose last arguments are bound to objects of the model:
variables, whose values lie in a tensor bundle, and constants. The bundle knows objects by their paths from the root.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import bytes_of, malformed
from hybridize.formats.detection import SAVED_MODEL
from hybridize.formats.foreign.program import ForeignProgram, Port
from hybridize.formats.tensorflow.bundle import Bundle
from hybridize.formats.tensorflow.graphdef import program_of_functions
from hybridize.formats.tensorflow.messages import DTYPES, SCHEMAS, array_of, sizes_of
from hybridize.formats.tensorflow.vocabulary import Handle
from hybridize.formats.wire import Message, parse

_VERSION: Final = 1
"""The only schema version that there is."""
_DEFAULT: Final = ("serving_default", "serve", "__call__", "call", "forward")
"""The signatures that are loaded where none is asked for: the first of these that is there, else the first one."""


def read(folder: str | os.PathLike[str], signature: str | None = None) -> ForeignProgram:
    """Read a signature of a SavedModel, or a method of its object.

    Args:
        folder: with `saved_model.pb` in it.
        signature: its name; the default one where None is given.

    Raises:
        LoadError: E601 malformed, E602 newer than what is read, E605 there is no such signature, E606 operators that
            are not supported.
    """
    return _SavedModel(os.fspath(folder)).program(signature)


class _Functions(Mapping[str, Message]):
    """The functions of a model by name; each is parsed when it is first asked for."""

    def __init__(self, library: Message, source: str) -> None:
        self._source = source
        self._data: dict[str, memoryview] = {}
        self._parsed: dict[str, Message] = {}
        for data in library.get("function", ()):
            name = parse(data, "FunctionName", SCHEMAS, source).get("signature", {}).get("name", "")
            self._data[name] = data

    def __getitem__(self, name: str) -> Message:
        if name not in self._parsed:
            self._parsed[name] = parse(self._data[name], "Function", SCHEMAS, self._source)
        return self._parsed[name]

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


class _Messages:
    """Messages of one kind by number; each is parsed when it is first asked for."""

    def __init__(self, data: Sequence[memoryview], kind: str, source: str) -> None:
        self._data, self._kind, self._source = data, kind, source
        self._parsed: dict[int, Message] = {}
        self._numbers: dict[int, dict[str, int]] = {}

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, number: int) -> Message:
        if number not in self._parsed:
            if not 0 <= number < len(self._data):
                raise malformed(self._source, f"there is no object {number} of {len(self._data)}", 0)
            self._parsed[number] = parse(self._data[number], self._kind, SCHEMAS, self._source)
        return self._parsed[number]

    def children(self, number: int) -> dict[str, int]:
        """The numbers of an object's children by their names."""
        if number not in self._numbers:
            children = self[number].get("children", ())
            self._numbers[number] = {one.get("name", ""): one.get("id", 0) for one in children}
        return self._numbers[number]


class _SavedModel:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(os.path.abspath(folder))
        self.source = f"{self.name}/{SAVED_MODEL}"
        model = parse(bytes_of(os.path.join(folder, SAVED_MODEL)), "SavedModel", SCHEMAS, self.source)
        if model.get("version", _VERSION) != _VERSION or not model.get("meta_graphs"):
            if model.get("version", 0) > _VERSION:
                text = f"{self.source} is of schema version {model['version']}"
                raise LoadError("E602", text, help=f"hybridize reads {_VERSION}")
            raise malformed(self.source, "it has no graph", 0)
        graphs = model["meta_graphs"]
        self.graph = next((one for one in graphs if "serve" in one.get("info", {}).get("tags", ())), graphs[0])
        self.objects = _Messages(self.graph.get("objects", {}).get("node", ()), "Object", self.source)
        if not len(self.objects):
            raise LoadError(
                "E603", f"{self.source} was written by TensorFlow 1: it has no objects",
                help="load it with TensorFlow 2 and save it again: tf.saved_model.save(tf.saved_model.load(old), new)",
            )  # fmt: skip
        self.functions = _Functions(self.graph.get("graph", {}).get("library", {}), self.source)
        self.concrete: Mapping[str, Message] = self.graph["objects"].get("functions", {})

    # ---------------------------------------------------------------------------------------------------- signatures

    def program(self, signature: str | None) -> ForeignProgram:
        """The program of a signature or method."""
        name, inputs, outputs = self.chosen(signature)
        bound, weights, trained = self.bound(name)
        notes = {"producer": f"TensorFlow {self.graph.get('info', {}).get('tensorflow_version', '')}".strip(),
                 "function": name}  # fmt: skip
        return program_of_functions(self.functions, name, bound, source=self.name, inputs=inputs, outputs=outputs,
                                    weights=weights, trained=trained, metadata=notes)  # fmt: skip

    def chosen(self, signature: str | None) -> tuple[str, list[Port] | None, list[str] | None]:
        """The function of a name, how its arguments are called, and its results."""
        choices = dict(self.choices())
        name = signature
        if name is None:
            name = next((one for one in _DEFAULT if one in choices), next(iter(choices), None))
        if name is None or (name not in choices and name not in self.functions):
            listed = ", ".join(choices) or "none"
            what = "no functions that can be called" if name is None else f"no signature {name!r}"
            raise LoadError("E605", f"{self.name} has {what}", help=f"it has {listed}")
        if name not in choices:
            return name, None, None
        functions = choices[name]
        if len(functions) > 1:
            raise LoadError("E605", f"{self.name}: {name} has {len(functions)} functions, one for each way to call it",
                            help=f"signature={functions[0]!r}, or another of {', '.join(functions[1:])}")  # fmt: skip
        return functions[0], *self.described(name, functions[0])

    def choices(self) -> Iterator[tuple[str, list[str]]]:
        """The names of signatures, and of the object's own methods, with their functions."""
        own = self.objects.children(0)
        signatures = self.objects.children(own["signatures"]) if "signatures" in own else {}
        for name, number in signatures.items():
            bare = self.objects[number].get("bare")
            if bare and bare.get("name") in self.functions:
                yield name, [bare["name"]]
        for name, number in own.items():
            names = self.objects[number].get("function", {}).get("names", ())
            names = [one for one in names if one in self.functions]
            if names and name not in signatures and (not name.startswith("_") or name in _DEFAULT):
                yield name, names

    def described(self, name: str, function: str) -> tuple[list[Port] | None, list[str] | None]:
        """The arguments and results of a function as its signature names them, in the function's order."""
        infos = self.graph.get("signatures", {}).get(name)
        own = self.functions[function].get("signature", {})
        if infos is None:
            return None, None
        inputs, outputs = infos.get("inputs", {}), infos.get("outputs", {})
        arguments = [arg.get("name", "") for arg in own.get("input", ())]
        free = len(arguments) - len(self.concrete.get(function, {}).get("bound", ()))
        ports = None
        if set(arguments[:free]) == set(inputs):
            ports = [_port(one, inputs[one]) for one in arguments[:free]]
        results = {_number_of(info): one for one, info in outputs.items()}
        count = len(own.get("output", ()))
        return ports, [results[k] for k in range(count)] if results.keys() == set(range(count)) else None

    # -------------------------------------------------------------------------------------------- what is bound to them

    def bound(self, name: str) -> tuple[list[Handle | NDArray[Any]], dict[str, NDArray[Any]], frozenset[str]]:
        """The last arguments of a function, the values of variables, the names of those that are to be trained."""
        values: list[Handle | NDArray[Any]] = []
        weights: dict[str, NDArray[Any]] = {}
        trained: set[str] = set()
        names: dict[int, str] = {}
        bound = self.concrete.get(name, {}).get("bound", ())
        if any("variable" in self.objects[number] for number in bound):
            bundle = Bundle(os.path.join(self.folder, "variables", "variables"), self.name)
            keys = self.keys(bundle)
        for number in bound:
            one = self.objects[number]
            if "constant" in one:
                values.append(self.constant(one["constant"].get("operation", "")))
                continue
            if "variable" not in one:
                kind = next((kind for kind in ("asset", "resource", "captured", "user") if kind in one), "object")
                raise LoadError("E603", f"{self.name}: {name} uses {_KINDS.get(kind, kind)}, which is not supported",
                                help="save a function of tensors and variables")  # fmt: skip
            if number not in names:
                variable = one["variable"]
                unique = _unique(variable.get("name") or f"variable {number}", weights)
                names[number] = unique
                if number not in keys:
                    raise malformed(self.source, f"the variable {unique!r} has no values", 0)
                weights[unique] = bundle.array(keys[number])
                if variable.get("trainable"):
                    trained.add(unique)
            values.append(Handle(names[number]))
        return values, weights, frozenset(trained)

    def keys(self, bundle: Bundle) -> dict[int, str]:
        """The keys of values by the numbers of their objects: a key is the path of names from the root to one."""
        keys = {}
        for key in bundle.entries:
            path, _, attribute = key.rpartition("/.ATTRIBUTES/")
            number: int | None = 0
            for part in path.split("/"):
                name = part.replace(".S", "/").replace("..", ".")
                number = None if number is None else self.objects.children(number).get(name)
            if attribute == "VARIABLE_VALUE" and number is not None:
                keys[number] = key
        return keys

    def constant(self, operation: str) -> NDArray[Any]:
        """The array of a constant, a node of the main graph."""
        for data in self.graph["graph"].get("node", ()):
            node = parse(data, "Node", SCHEMAS, self.source)
            if node.get("name") == operation:
                for attr in node.get("attr", ()):
                    entry = parse(attr, "NamedAttr", SCHEMAS, self.source)
                    if entry.get("key") == "value":
                        return array_of(
                            entry.get("value", {}).get("tensor", {}), self.source, f"the constant {operation!r}"
                        )
        raise malformed(self.source, f"there is no constant {operation!r}", 0)


_KINDS: Final = {
    "asset": "a file (an asset)", "resource": "a resource that is no variable (a hash table, as a rule)",
    "captured": "a tensor of another graph", "user": "an object that is no variable",
}  # fmt: skip


def _port(name: str, info: Message) -> Port:
    return Port(name, DTYPES.get(info.get("dtype", 0)), sizes_of(info.get("shape", {})))


def _number_of(info: Message) -> int:
    """The number of a result, in `StatefulPartitionedCall:1`."""
    number = info.get("name", "").rpartition(":")[2]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else -1


def _unique(name: str, others: Mapping[str, object]) -> str:
    """A name that none of the others has: Keras's layers may share one."""
    number, result = 1, name
    while result in others:
        result = f"{name}_{number}"
        number += 1
    return result
