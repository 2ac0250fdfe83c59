# SPDX-License-Identifier: Apache-2.0
"""Structures, leaves and plain values of a program as JSON, and back. Nothing that is read is trusted."""

from __future__ import annotations

import functools
from collections import OrderedDict, namedtuple
from collections.abc import Iterable
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.base.nested import LEAF, NONE, Structure, positional
from hybridize.formats.saved import ARRAY, Leaf
from hybridize.graph import Value

_STRUCTURES = ("leaf", "none", "tuple", "list", "dict", "namedtuple")
_PLAIN = (type(None), bool, int, float, str)


def leaf_out(leaf: Leaf) -> list[Any]:
    """A leaf: its kind, and its value where it has one.

    Raises:
        ArgumentError E304: a value that no file can hold.
    """
    return [leaf.kind] if leaf == ARRAY else [leaf.kind, plain(leaf.value)]


def plain(value: Any) -> Any:
    """A value that JSON can hold.

    Raises:
        ArgumentError E304: it is none.
    """
    if type(value) not in _PLAIN:
        raise ArgumentError(
            "E304",
            f"an argument, result or key {value!r} of class {type(value).__name__} cannot be saved",
            help="arrays, numbers, strings and None can be saved",
        )
    return value


def structure_out(structure: Structure) -> dict[str, Any]:
    """A structure.

    Raises:
        ArgumentError E304: a key of a dict that no file can hold.
    """
    out: dict[str, Any] = {"kind": structure.kind}
    if structure.children:
        out["children"] = [structure_out(child) for child in structure.children]
    if structure.kind == "dict":
        out["keys"] = [plain(key) for key in structure.keys]
    if structure.cls is OrderedDict:
        out["class"] = ["OrderedDict"]
    elif structure.cls is not None:
        out["class"] = [structure.cls.__name__, *structure.cls._fields]  # type: ignore[attr-defined]
    return out


def word(value: Any) -> str:
    """A string.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def leaf_in(tree: list[Any]) -> Leaf:
    """Read a leaf that `leaf_out` wrote.

    Raises:
        ValueError, TypeError: it is something else.
    """
    kind, *value = tree
    if kind not in ("array", "scalar", "constant") or (
        value != ["nd"] if kind == "array" and value else len(value) != (kind != "array")
    ):
        raise ValueError(f"{tree!r} is not a leaf")
    if value and type(value[0]) not in _PLAIN:
        raise ValueError(f"{tree!r} is not a leaf")
    return Leaf(kind, *value) if value else ARRAY


def structure_in(tree: dict[str, Any]) -> Structure:
    """Read a structure that `structure_out` wrote.

    Raises:
        ValueError, TypeError, LookupError, RecursionError: it is something else.
    """
    kind = tree["kind"]
    children = tuple([structure_in(child) for child in tree.get("children", ())])
    if kind not in _STRUCTURES or (children and kind in ("leaf", "none")):
        raise ValueError(f"{kind!r} is not a structure")
    if kind in ("leaf", "none"):
        return LEAF if kind == "leaf" else NONE
    keys: tuple[Any, ...] = ()
    if kind == "dict":
        keys = tuple(tree["keys"])
        if not len(keys) == len(set(keys)) == len(children) or any(type(key) not in _PLAIN for key in keys):
            raise ValueError("the keys of a dict do not fit")
    cls: type | None = None
    if kind == "dict" and "class" in tree:
        if tree["class"] != ["OrderedDict"]:
            raise ValueError(f"{tree['class']!r} is no class of dicts")
        cls = OrderedDict
    if kind == "namedtuple":
        name, *fields = map(word, tree["class"])
        if len(fields) != len(children):
            raise ValueError("the fields of a named tuple do not fit")
        cls = _named_tuple(name, tuple(fields))
    return Structure(kind, children, keys, cls)


def arguments_out(structure: Structure) -> int | dict[str, Any]:
    """The structure of arguments: their number, where all are positional leaves.

    Raises:
        ArgumentError E304: a key of a dict that no file can hold.
    """
    return structure.leaves if structure == positional(structure.leaves) else structure_out(structure)


def arguments_in(tree: int | dict[str, Any], leaves: int) -> Structure:
    """The structure of arguments with so many leaves: a tuple of a tuple and a dict by names.

    Raises:
        ValueError, TypeError, LookupError, RecursionError: it is something else.
    """
    if type(tree) is int and tree == leaves:
        return positional(leaves)
    if not isinstance(tree, dict):
        raise TypeError("arguments are a tree")
    structure = structure_in(tree)
    if structure.kind != "tuple" or [child.kind for child in structure.children] != ["tuple", "dict"]:
        raise ValueError("arguments are a tuple and a dict")
    for key in structure.children[1].keys:
        word(key)
    return structure


def check_scalars(leaves: Iterable[Leaf], values: Iterable[Value]) -> None:
    """Make sure that what stands for a Python number has no axes.

    Args:
        leaves: of the arguments or the result.
        values: of the graph, one for each leaf that is no constant.

    Raises:
        ValueError: it has some.
    """
    arrays = [leaf for leaf in leaves if leaf.kind != "constant"]
    for leaf, value in zip(arrays, values, strict=True):
        if leaf.kind == "scalar" and value.type.shape:
            raise ValueError(f"{value.type} is not a number")


@functools.lru_cache(1024)
def _named_tuple(name: str, fields: tuple[str, ...]) -> type:
    # One class for a name and its fields, so that results are arguments of the next call.
    # Names that are no identifiers are refused there, so nothing of the file is run.
    return namedtuple(name, fields)
