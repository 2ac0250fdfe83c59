"""Walks over syntax trees see what Python's own see, but for operators and contexts."""

import ast
from pathlib import Path

import pytest

import hybridize
from hybridize.capture.convert.trees import below, locate, parts

EVERYTHING = '''
import a.b as c, d
from . import e
@decorate(1)
async def f(x, /, y: int = 1, *z, k, l=None, **m) -> str:
    """Text."""
    global g
    async with x as (p, q), y:
        await x
    async for i in y:
        yield i
    return [*z, {**m, 1: 2}, {3, 4}, f"{x!r:>{y}}", lambda v=1, *, w: v @ w]
class D(A, metaclass=M):
    n: int
    o: int = 5
    def h(self):
        nonlocal_ = [i async for i in x if i if j]
        def inner():
            nonlocal nonlocal_
            nonlocal_ += 1
        del self.x, self[1:2, ::3, ...]
        try:
            raise E from None
        except (A, B) as error:
            pass
        except* C:
            pass
        else:
            x = y = (z := 3) if not a else -b
        finally:
            assert a < b <= c is not d, "text"
        while a and b or c:
            break
        else:
            continue
        match a, b:
            case [1, *rest] | {"k": v, **others} if v:
                pass
            case K(1, n=2) | None | -1 | "s" | (m.n as o):
                pass
            case _:
                yield from (i for i in j)
'''.replace("        except* C:\n            pass\n", "")
SOURCES = [EVERYTHING, *(path.read_text() for path in sorted(Path(hybridize.__file__).parent.glob("capture/*/*.py")))]
WORDS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


@pytest.mark.parametrize("source", SOURCES)
def test_parts_are_the_children(source):
    for node in ast.walk(ast.parse(source)):
        assert parts(node) == [one for one in ast.iter_child_nodes(node) if not isinstance(one, WORDS)]


@pytest.mark.parametrize("source", SOURCES)
def test_below_goes_down_in_order(source):
    def down(node):
        yield node
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, WORDS):
                yield from down(child)

    tree = ast.parse(source)
    assert list(below([tree])) == list(down(tree))
    closed = set(below([tree], ast.ClassDef))
    assert not any(node in closed for part in ast.walk(tree) if isinstance(part, ast.ClassDef) for node in part.body)


def places(tree):
    return [
        (type(node).__name__, [getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset")])
        for node in ast.walk(tree)
    ]


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("source", SOURCES[:4])
def test_places_are_those_that_python_gives(source, once):
    trees = [ast.parse(source) for _ in range(2)]
    for tree in trees:
        for number, node in enumerate(ast.walk(tree)):
            if hasattr(node, "lineno") and number % 3:
                for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
                    delattr(node, name)
    root = ast.Pass(lineno=1, end_lineno=1, col_offset=0, end_col_offset=0)
    ast.fix_missing_locations(trees[0])
    locate(trees[1], root, once=once)
    assert places(trees[0]) == places(trees[1])


def test_a_part_is_left_out():
    tree = ast.parse("a = b\nc = d")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            del node.lineno
    locate(tree, tree.body[0], but=tree.body[1])
    assert hasattr(tree.body[0].value, "lineno")
    assert not hasattr(tree.body[1].value, "lineno")
