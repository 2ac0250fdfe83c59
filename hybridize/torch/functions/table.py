# SPDX-License-Identifier: Apache-2.0
"""The table of torch's functions: for each what a program computes in its place.

An entry is a function with the parameters that torch's has, by the same names. Two kinds:

    @computes("add", "special.expit", "F.softmax")    tensors come as operands, and operands are returned: new tensors
    @views("transpose")                               tensors come as symbols, and symbols are returned: views of them

A name without a prefix stands for `torch.NAME`, `torch.Tensor.NAME`, and `torch.nn.functional.NAME` where that is one
of those or written in C; with one for that function alone (`F.` is `torch.nn.functional.`, `nn.`
what that calls in C). What torch derives of a
function is not written here: `NAME_`, `out=` and `inplace=True` write what the entry returns (see `calling`), operators
are in `OPERATORS`. Where torch has only what writes, as `zero_`, what is computed by that name is
written.

Numbers come as Python's, as sizes, or as a `SizeNumber` where only the program knows them; dtypes as torch's.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from hybridize.base.frozen import frozen
from hybridize.torch.internals import BUILT_IN_LAYERS

_NAMESPACES = {
    "F": torch.nn.functional,
    "special": torch.special,
    "linalg": torch.linalg,
    "Tensor": torch.Tensor,
    "torch": torch,
    "nn": BUILT_IN_LAYERS,
}


@frozen(eq=False)
class Entry:
    """An entry of the table: what a program computes in the place of a function of torch."""

    name: str
    function: Callable[..., Any]
    views: bool
    """True if tensors come as symbols, and results are views."""
    kinds: str = ""
    """Letters of NumPy's for the kinds of dtypes that it takes: f, i, u, b. All where there are none."""
    alike: tuple[str, ...] = ()
    """Parameters whose tensors have one dtype: for all others torch promotes."""
    held: tuple[str, ...] = ()
    """Parameters whose numbers the dtype of the result must hold: else torch raises."""
    scales: tuple[str, ...] = ()
    """The same, where floats of 16 bits are computed with as float32, which must hold them."""
    fills: tuple[str, ...] = ()
    """The same, where floats of 16 bits take any number."""
    whole: tuple[str, ...] = ()
    """The same, where floats of 16 bits take any number if the result has one element."""
    also: tuple[str, ...] = ()
    """Other names that torch has for parameters, each as `name=parameter`."""

    @functools.cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Parameters of the entry, by their names."""
        return dict(inspect.signature(self.function).parameters)

    @functools.cached_property
    def places(self) -> list[str]:
        """Parameters by their places, up to one that takes all others."""
        parameters = itertools.takewhile(lambda one: one.kind is one.POSITIONAL_OR_KEYWORD, self.parameters.values())
        return [one.name for one in parameters]

    @functools.cached_property
    def synonyms(self) -> dict[str, str]:
        """Parameters by their other names."""
        return dict(pair.split("=") for pair in self.also)

    @functools.cached_property
    def packed(self) -> int | None:
        """The place from which on arguments are one of `Sizes`: sizes one by one, or all of them in a tuple or list."""
        names = [name for name in self.places if self.parameters[name].annotation == "Sizes"]
        return self.places.index(names[0]) if names else None

    @functools.cached_property
    def classes(self) -> dict[str, str]:
        """Annotations that say what torch's own parser takes: those of `CLASSES`, by the names of the parameters."""
        words = {name: str(one.annotation).removesuffix(" | None") for name, one in self.parameters.items()}
        plain = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return {name: word for name, word in words.items() if word in CLASSES and self.parameters[name].kind in plain}


Sizes = Sequence[Any]
"""The annotation of a parameter for which torch takes numbers, or tensors, one by one, or a tuple or list of them."""
CLASSES = {"Operand": "Tensor", "Symbol": "Tensor", "int": "int", "bool": "bool"}
"""Annotations of parameters, and what torch calls what is given for them."""
FUNCTIONS: dict[Any, Entry] = {}
"""By torch's own objects."""
ABSENT: list[str] = []
"""Names that this version of torch does not have, so that nobody can call them: none in the version that is tested."""
BY_NAME: dict[str, Entry] = {}
"""Those that have no prefix, by their names: what derives of a function is found so."""


def _objects(name: str) -> Iterator[Any]:
    prefix, _, last = name.rpartition(".")
    if prefix:
        objects = [getattr(_NAMESPACES[prefix], last, None)]
        yield from (one for one in objects if one is not None)
        return
    objects = [getattr(space, last, None) for space in (torch, torch.Tensor)]
    ours = getattr(torch.nn.functional, last, None)
    if ours is not None and (ours in objects or isinstance(ours, types.BuiltinFunctionType)):
        objects.append(ours)
    if (built_in := getattr(BUILT_IN_LAYERS, last, None)) is not None:
        objects.append(built_in)
    yield from (one for one in objects if one is not None)


def _register(
    names: tuple[str, ...], views: bool, kinds: str = "", **parameters: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    listed = {name: tuple(text.split()) for name, text in parameters.items()}

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            entry = Entry(name, function, views, kinds, **listed)
            written = not views and name.endswith("_") and not name.endswith("__")
            objects = () if written else tuple(_objects(name))
            if not objects and not written:
                ABSENT.append(name)
            for one in objects:
                FUNCTIONS[one] = entry
            if "." not in name:
                BY_NAME[name] = entry
        return function

    return register


def computes(*names: str, kinds: str = "", **parameters: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what is computed in the place of functions of torch: operands in, operands out.

    Args:
        names: of the functions.
        kinds: of dtypes that they take, by NumPy's letters; all where there are none.
        parameters: fields of `Entry`, each the names of parameters after each other: `alike`, whose tensors have one
            dtype; `held`, whose numbers the dtype of the result must hold; `scales`, the same with float32 in the place
            of floats of 16 bits; `fills`, where those take any number; `whole`, where they do if the result has one
            element; `also`, other names, as `name=parameter`.
    """
    return _register(names, False, kinds, **parameters)


def views(*names: str, also: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what functions of torch give that return views: symbols in, symbols out."""
    return _register(names, views=True, also=also)


OPERATORS: dict[str, str] = {
    **{f"__{name}__": name for name in (
        "add", "sub", "mul", "pow", "matmul", "neg", "abs", "eq", "ne", "lt", "le", "gt", "ge",
    )},
    "__truediv__": "div", "__floordiv__": "floor_divide", "__mod__": "remainder", "__pos__": "positive",
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__invert__": "bitwise_not",
    "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
}  # fmt: skip
"""Python's operators of tensors, and the functions that they are."""
REFLECTED: dict[str, str] = {f"__r{name[2:]}": function for name, function in OPERATORS.items()} | {
    "rsub": "sub",
    "__rdiv__": "div",
}
"""The same with the tensor on the right."""
IN_PLACE: dict[str, str] = {
    **{f"__i{name[2:]}": function for name, function in OPERATORS.items() if name != "__invert__"},
    "__idiv__": "div",  # what torch calls `/=`
}
"""The same, written to the tensor on the left."""
