# SPDX-License-Identifier: Apache-2.0
"""Nested structures around leaves, taken apart and put together.

Structures are tuples, lists, dicts and `OrderedDict`s, named tuples, classes of the user's that are tuples or lists,
None, faces of arrays, and objects by their attributes: frozen dataclasses, and whatever else a caller of `flatten`
says.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import BuiltinFunctionType
from typing import Any

from hybridize.base.faces import Face, FaceTuple
from hybridize.base.frozen import frozen
from hybridize.base.members import class_member


@frozen
class Structure:
    """The shape of a nested value without its leaves; hashable, so it can be part of a key."""

    kind: str
    """leaf, none, tuple, list, dict, namedtuple, sequence (a class that is a tuple or list), object or face."""
    children: tuple[Structure, ...] = ()
    keys: tuple[Any, ...] = ()
    """Keys of a dict, in order; names of the attributes of an object."""
    cls: type | None = None
    """Class of a named tuple, a sequence, an object or a face; `OrderedDict` where a dict is one."""

    def __hash__(self) -> int:
        # Remembered: it is asked for at each call that Python sees.
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash((self.kind, self.children, self.keys, self.cls))
        return known

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Structure):
            return self is other
        kinds, others = (self.kind, self.cls, self.keys), (other.kind, other.cls, other.keys)
        return kinds == others and self.children == other.children and are_one_key(self.keys, other.keys)

    @property
    def leaves(self) -> int:
        """Number of leaves below."""
        return 1 if self.kind == "leaf" else sum(child.leaves for child in self.children)

    def __str__(self) -> str:
        inner = [str(child) for child in self.children]
        match self.kind:
            case "leaf" | "face":
                return "*"
            case "none":
                return "None"
            case "list":
                return f"[{', '.join(inner)}]"
            case "dict":
                return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(self.keys, inner, strict=True)) + "}"
            case "namedtuple" | "sequence":
                return f"{self.cls.__name__ if self.cls else ''}({', '.join(inner)})"
            case "object":
                named = [f"{key}={child}" for key, child in zip(self.keys, inner, strict=True)]
                return f"{self.cls.__name__ if self.cls else ''}({', '.join(named)})"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"


def are_one_key(x: Any, y: Any) -> bool:
    """Tell whether two keys that are equal are also of one class: 1, 1.0 and True are three, 0.0 and -0.0 are two."""
    if x is y:
        return True
    if type(x) is tuple and type(y) is tuple:
        return all(map(are_one_key, x, y))
    return type(x) is type(y) and (type(x) not in (float, complex) or repr(x) == repr(y))


DICTS = (dict, OrderedDict)
"""Classes of dicts that are taken apart."""
_CONTAINERS = (tuple, list, dict)
LEAF = Structure("leaf")
NONE = Structure("none")


@cache
def positional(count: int) -> Structure:
    """The structure of `(args, kwargs)` for so many positional arguments that are leaves, the most usual one."""
    return Structure("tuple", (Structure("tuple", (LEAF,) * count), Structure("dict")))


def flatten_call(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], Structure]:
    """`flatten` of `(args, kwargs)`."""
    if kwargs or any([arg is None or isinstance(arg, _CONTAINERS) or is_record(arg) for arg in args]):  # noqa: C419
        return flatten((tuple(args), kwargs))
    return list(args), positional(len(args))


@lru_cache(1024)
def _fields(cls: Any) -> frozenset[str] | None:
    """The names of the fields of a frozen dataclass of the user's; None for any other class."""
    fields = class_member(cls, "__dataclass_fields__")
    params = class_member(cls, "__dataclass_params__")
    if fields is None or params is None or not params.frozen or cls.__module__.partition(".")[0] == "hybridize":
        return None
    return frozenset(fields)


def is_record(value: Any) -> bool:
    """Return whether a value is a frozen dataclass, and holds its fields and nothing else."""
    cls: Any = type(value)
    fields = _fields(cls)
    return fields is not None and getattr(value, "__dict__", {}).keys() == fields


@lru_cache(1024)
def is_sequence_class(cls: Any) -> bool:
    """Return whether a class is a tuple or list with more to it, of which items alone make an object again.

    Classes written in C are not, as they have makers of their own; but C's named tuples are, whose maker takes items.
    """
    if cls in (tuple, list) or not issubclass(cls, (tuple, list)) or hasattr(cls, "_fields"):
        return False
    if _is_struct_sequence(cls):
        return bool(cls.n_fields == cls.n_sequence_fields)
    maker = next(vars(base)["__new__"] for base in cls.__mro__ if "__new__" in vars(base))
    return isinstance(maker, staticmethod) or maker in (vars(tuple)["__new__"], vars(list)["__new__"])


def _is_struct_sequence(cls: Any) -> bool:
    """Tell whether a class is one of C's named tuples, some of whose fields may not be items."""
    return isinstance(getattr(cls, "n_sequence_fields", None), int) and tuple in cls.__bases__


def items_of(value: Any) -> list[Any]:
    """Return the items of a tuple or list, which a class of the user's may show otherwise."""
    return list(tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value))


Faces = Mapping[Any, type[FaceTuple]]
_NO_FACES: Faces = {}


def flatten(
    value: Any,
    opens: Callable[[Any], bool] = is_record,
    whole: Callable[[Any], bool] | None = None,
    faces: Faces = _NO_FACES,
) -> tuple[list[Any], Structure]:
    """Return the leaves of `value`, left to right, and its structure.

    Args:
        value: a nested structure.
        opens: whether an object is taken apart into its attributes.
        whole: whether a container is a leaf.
        faces: classes of another library's tuples that are to be made again; others are tuples then.
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves, opens, whole, faces)


def _flatten(
    value: Any, leaves: list[Any], opens: Callable[[Any], bool], whole: Callable[[Any], bool] | None, faces: Faces
) -> Structure:
    if value is None:
        return NONE
    if whole is not None and whole(value):
        leaves.append(value)
        return LEAF
    if isinstance(value, (tuple, list)) and not (is_sequence_class(type(value)) and getattr(value, "__dict__", None)):
        children = tuple(_flatten(child, leaves, opens, whole, faces) for child in items_of(value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return Structure("namedtuple", children, cls=type(value))
        if type(value) in faces or is_sequence_class(type(value)):
            return Structure("sequence", children, cls=faces.get(type(value), type(value)))
        return Structure("tuple" if isinstance(value, tuple) else "list", children)
    if type(value) in DICTS:
        children = tuple(_flatten(child, leaves, opens, whole, faces) for child in value.values())
        return Structure("dict", children, tuple(value), None if type(value) is dict else OrderedDict)
    if isinstance(value, Face):
        leaves.append(value.array)
        return Structure("face", (LEAF,), cls=type(value))
    if opens(value):
        attributes = vars(value)
        children = tuple(_flatten(child, leaves, opens, whole, faces) for child in attributes.values())
        return Structure("object", children, tuple(attributes), type(value))
    leaves.append(value)
    return LEAF


def arranged(value: Any, structure: Structure) -> Any:
    """Return `value` with the keys of its dicts in the order of a structure, where they are the same keys.

    Named tuples are of the structure's class, where that has the same name and fields: a file has a class of its own.
    """
    if type(value) in DICTS:
        if structure.kind != "dict" or value.keys() != set(structure.keys):
            return value
        pairs = zip(structure.keys, structure.children, strict=True)
        return type(value)((key, arranged(value[key], child)) for key, child in pairs)
    if not isinstance(value, (tuple, list)) or len(value) != len(structure.children):
        return value
    if structure.kind not in ("tuple", "list", "namedtuple"):
        return value
    items = [arranged(part, child) for part, child in zip(value, structure.children, strict=True)]
    if hasattr(value, "_fields"):
        cls: Any = type(value)
        wanted: Any = structure.cls
        alike = structure.kind == "namedtuple" and (cls.__name__, cls._fields) == (wanted.__name__, wanted._fields)
        return (wanted if alike else cls)._make(items)
    return items if isinstance(value, list) else tuple(items)


def listed(value: Any) -> list[Any]:
    """Return the items of a list or tuple, or a list of the one value that it is not."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def unflatten(structure: Structure, leaves: list[Any] | tuple[Any, ...]) -> Any:
    """The inverse of `flatten`."""
    return _unflatten(structure, iter(leaves))


def _unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    if structure.kind == "leaf":
        return next(leaves)
    if structure.kind == "none":
        return None
    children = [_unflatten(child, leaves) for child in structure.children]
    match structure.kind:
        case "list":
            return children
        case "dict":
            return (structure.cls or dict)(zip(structure.keys, children, strict=True))
        case "namedtuple":
            assert structure.cls is not None
            return structure.cls(*children)
        case "face":
            assert structure.cls is not None
            assert issubclass(structure.cls, Face)
            return structure.cls.made(*children)
        case "sequence":
            assert structure.cls is not None
            return _sequence(structure.cls, children)
        case "object":
            assert structure.cls is not None
            instance = empty_object(structure.cls)
            vars(instance).update(zip(structure.keys, children, strict=True))
            return instance
    return tuple(children)


def empty_object(cls: Any) -> Any:
    """Make an object of a class, not by a `__new__` of the user's: what is to be in it has been made already."""
    python = next(base for base in cls.__mro__ if isinstance(vars(base).get("__new__"), BuiltinFunctionType))
    return python.__new__(cls)


def _sequence(cls: Any, items: list[Any]) -> Any:
    """An object of a class that is a tuple or list, which nothing of the class's own has made."""
    if issubclass(cls, FaceTuple):
        return cls.made(items)
    if _is_struct_sequence(cls):
        return cls(items)
    if issubclass(cls, tuple):
        return tuple.__new__(cls, items)
    instance = list.__new__(cls)
    list.extend(instance, items)
    return instance


def object_classes(structure: Structure) -> list[type]:
    """Return the classes of the objects in a structure."""
    own = [structure.cls] if structure.kind in ("object", "sequence") and structure.cls is not None else []
    return own + [cls for child in structure.children for cls in object_classes(child)]
