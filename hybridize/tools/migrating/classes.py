# SPDX-License-Identifier: Apache-2.0
"""Classes that derive from hybridize's: the package is asked whether it makes a class with these methods."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hybridize.base.errors import HybridizeError
from hybridize.tools.migrating import names


def refusal(node: ast.ClassDef, bases: Sequence[str | None]) -> str | None:
    """Return why hybridize refuses to make a class, where it does; None otherwise.

    A class is made of those bases that are hybridize's, with the methods alone: decorators, defaults, annotations and
    attributes are left away, so that nothing of the script runs.

    Args:
        node: the statement.
        bases: what each base stands for, where that is known.
    """
    owners = {f"base{number}": owner for number, owner in enumerate(map(_class, bases)) if owner is not None}
    methods: list[ast.stmt] = [
        _bare(one) for one in node.body if isinstance(one, ast.FunctionDef) and not one.decorator_list
    ]
    if not owners or not methods:
        return None
    skeleton = ast.parse(f"class {node.name}({', '.join(owners)}): pass")
    assert isinstance(skeleton.body[0], ast.ClassDef)
    skeleton.body[0].body = methods
    space: dict[str, Any] = {"__name__": "__migrated__", **owners}
    try:
        exec(compile(ast.fix_missing_locations(skeleton), "<a class to migrate>", "exec"), space)
    except HybridizeError as error:
        return "; ".join(filter(None, [error.what, error.help]))
    except TypeError:  # of a metaclass, or of bases that do not fit: what is left away may mend it
        return None
    return None


def _class(path: str | None) -> type | None:
    if path is None or not path.startswith(f"{names.ROOT}."):
        return None
    thing = names.look(path).object
    return thing if isinstance(thing, type) and names.is_ours(thing) else None


def _bare(method: ast.FunctionDef) -> ast.stmt:
    """Return a method without what runs as its class is made."""
    own = method.args
    nothing = ast.Constant(None)
    arguments = ast.arguments(
        posonlyargs=[ast.arg(one.arg) for one in own.posonlyargs],
        args=[ast.arg(one.arg) for one in own.args],
        vararg=own.vararg and ast.arg(own.vararg.arg),
        kwonlyargs=[ast.arg(one.arg) for one in own.kwonlyargs],
        kw_defaults=[one and nothing for one in own.kw_defaults],
        kwarg=own.kwarg and ast.arg(own.kwarg.arg),
        defaults=[nothing] * len(own.defaults),
    )
    bare = ast.parse(f"def {method.name}(): pass").body[0]
    assert isinstance(bare, ast.FunctionDef)
    bare.args, bare.body = arguments, method.body
    return ast.copy_location(bare, method)
