# SPDX-License-Identifier: Apache-2.0
"""Programs of flat arrays as files have them: under the structures of arguments and results that JAX's users know."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from hybridize.base.errors import CaptureError
from hybridize.base.frozen import changed
from hybridize.base.nested import LEAF, NONE, Structure
from hybridize.formats import Leaf as SavedLeaf
from hybridize.formats import SavedSignature
from hybridize.jax.forms import ArrayLeaf, CallForm, Static


def nested(form: CallForm, signature: SavedSignature, name: str) -> SavedSignature:
    """Return a signature of arrays alone under the structure of the arguments and of the results.

    Nodes of classes that JAX was told of are tuples: a file has no classes.

    Raises:
        CaptureError E464: a constant among them is an object that no file holds.
    """
    assert form.results is not None
    positional, keywords = structure_of(form.tree).children
    children = list(positional.children)
    leaves = _parted(form.leaves, [child.leaves for child in (*children, *keywords.children)], signature.leaves, name)
    for position, value in sorted(form.fixed[0].items()):
        children.insert(position, LEAF)
        leaves.insert(position, [_constant(value, name)])
    names = list(keywords.keys)
    inner = list(keywords.children)
    for key, value in form.fixed[1].items():
        names.append(key)
        inner.append(LEAF)
        leaves.append([_constant(value, name)])
    arguments = Structure("tuple", (Structure("tuple", tuple(children)), Structure("dict", tuple(inner), tuple(names))))
    results = _parted(form.results.leaves, [len(form.results.leaves)], signature.result_leaves, name)
    return changed(
        signature, arguments=arguments, leaves=tuple(leaf for part in leaves for leaf in part),
        result=structure_of(form.results.tree), result_leaves=tuple(results[0]),
    )  # fmt: skip


def structure_of(tree: Any) -> Structure:
    """Return the structure of a tree of JAX's."""
    data = tree.node_data()
    if data is None:
        return LEAF if tree.num_leaves == 1 else NONE
    kind, keys = data
    children = tuple(map(structure_of, tree.children()))
    if kind is type(None):
        return NONE
    if kind is list:
        return Structure("list", children)
    if kind in (dict, OrderedDict):
        return Structure("dict", children, tuple(keys), None if kind is dict else OrderedDict)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return Structure("namedtuple", children, cls=kind)
    return Structure("tuple", children)


def _parted(
    leaves: Sequence[Any], counts: Sequence[int], arrays: Sequence[SavedLeaf], name: str
) -> list[list[SavedLeaf]]:
    """The leaves of a file, in parts of these counts: arrays in their turn, and constants."""
    rest: Iterator[SavedLeaf] = iter(arrays)
    every = [_constant(leaf.value, name) if isinstance(leaf, Static) else _number(leaf, next(rest)) for leaf in leaves]
    parts = iter(every)
    return [[next(parts) for _ in range(count)] for count in counts]


def _number(leaf: Any, array: SavedLeaf) -> SavedLeaf:
    """The leaf of an array; of a number of Python's among the arguments, that."""
    if isinstance(leaf, ArrayLeaf) and leaf.weak and leaf.python is not None:
        return SavedLeaf("scalar", leaf.python)
    return array


def _constant(value: Any, name: str) -> SavedLeaf:
    if value is None or isinstance(value, (bool, int, float, str)):
        return SavedLeaf("constant", value)
    raise CaptureError(
        "E464", f"{name} takes or returns a {type(value).__name__}, which a file does not hold",
        help="use numbers, words and arrays",
    )  # fmt: skip
