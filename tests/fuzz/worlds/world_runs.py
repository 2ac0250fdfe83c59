"""One seed from beginning to end: write, compare, and go on without the statements that are refused."""

from __future__ import annotations

import ast
import re
from typing import Any

from world_programs import written
from world_twins import Report, compare

RELENT = 5
"""Refused statements that are dropped, so that the rest of a program is still compared."""


def options_of(seed: int) -> dict[str, Any]:
    """How a seed is run: mostly on the backend that compiles nothing, and mostly with source."""
    return {"backend": "llvm" if seed % 4 == 0 else "numpy", "source": seed % 16 != 5}


def check(seed: int) -> tuple[Report, str, list[str]]:
    """Compare the program of a seed; the report, and the program that it is about."""
    module, steps = written(seed)
    options = options_of(seed)
    report = compare(module, steps, **options)
    codes = list(report.codes)
    for _ in range(RELENT):
        if report.wrong or report.outcome != "refused" or not report.line:
            break
        fewer = without_line(module, report.line)
        if fewer is None:
            break
        module = fewer
        report = compare(module, steps, **options)
        codes += report.codes
    report.codes = codes
    return report, module, steps


def without_line(module: str, line: int) -> str | None:
    """The module without the innermost simple statement of a line; a return gives back an argument instead."""
    tree = ast.parse(module)
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            for index, statement in enumerate(body):
                inner = isinstance(getattr(statement, "body", None), list)
                last = statement.lineno if inner else statement.end_lineno
                if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) or not statement.lineno <= line <= last:
                    continue
                if isinstance(statement, ast.Return):
                    kept = simplified(statement)
                    if kept is None:
                        return None
                elif inner and isinstance(statement, ast.If):
                    body[index : index + 1] = statement.body
                else:
                    body[index] = ast.Pass()
                try:
                    return ast.unparse(ast.fix_missing_locations(tree))
                except Exception:
                    return None
    return None


def simplified(statement: ast.Return) -> ast.Return | None:
    """A return of less than before."""
    value = statement.value
    if isinstance(value, ast.Tuple) and len(value.elts) > 1:
        value.elts.pop()
        return statement
    if isinstance(value, ast.Name) or value is None:
        return None
    names = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in ("x", "y")]
    if not names:
        return None
    statement.value = ast.Name("x", ast.Load()) if any(n.id == "x" for n in names) else names[0]
    return statement


BLAMED = (
    ("the code of a function is replaced", r"__code__ = "),
    ("default arguments", r"__(kw)?defaults__|def \w+\([^)]*\w=(\[|\{|np|collections)"),
    ("singledispatch", r"singledispatch"),
    ("cached functions", r"functools\.(lru_)?cache\b"),
    ("cached_property", r"cached_property"),
    ("partial", r"functools\.partial"),
    (
        "a method, operator or class is replaced",
        r"^(C|E)\d+D?\.\w+ = (lambda|property|staticmethod|classmethod)|\.__class__ = |^o\d+\.\w+ = lambda|^dense\d+\.forward",
    ),
    ("hooks of attributes", r"__(get|set|del)attr__"),
    ("properties", r"@property"),
    ("item methods by name", r"__setitem__|operator\.setitem"),
    ("operators by name", r"operator\.i"),
    ("methods of containers as functions", r"\b(list|dict)\.(append|__\w+__)|add = "),
    ("nonlocals", r"nonlocal"),
    ("the world", r"environ|sys\.argv|sys\.modules|recursionlimit|globals\(\)|vars\("),
    (
        "written to a container outside",
        r"\.(append|extend|insert|appendleft|update|setdefault|pop|popleft|add|clear|reverse|rotate|sort|remove|popitem|subtract|discard)\(|\] [-+*|]?= |del ",
    ),
    ("negation and abs", r"abs\(|-\(?[a-z]"),
)
"""Constructs of a program that was made small, the most telling first."""


def blamed(module: str, steps: list[str]) -> str:
    """The construct that a small failing program is about."""
    text = module + "\n" + "\n".join(steps)
    return next((name for name, pattern in BLAMED if re.search(pattern, text, re.M)), "other")


def clusters_key(outcome: str, module: str, steps: list[str]) -> str:
    """What is alike fails alike: the construct to blame, and the words of the program without its names and numbers."""
    text = module + "\n" + "\n".join(steps)
    words = set(
        re.findall(r"\.[a-z_]{3,}|\b(?:nonlocal|global|abs|sum|len|isinstance)\b|__\w+__|-(?=\w)|[-+*|]=", text)
    )
    hidden = {".array", ".ones", ".run", ".items", "__init__", ".a", ".shape"}
    return f"{outcome}: {blamed(module, steps)}: {' '.join(sorted(words - hidden))}"
