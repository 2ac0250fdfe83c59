"""Random programs with outside state, as source text: a module, and what a user does with it step by step.

A program is drawn from a grammar of three independent parts: a *kind* of value (number, array, list of arrays, dict,
deque, dataclass, ...), a *location* (global, closure, attribute of an object, a class or a module, item, default
argument, ...), and *uses* (reads, writes, callables). Nothing is drawn for a known defect.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

PRELUDE = """\
import collections
import contextvars
import dataclasses
import functools
import logging
import math
import operator
import os
import statistics
import sys
import tempfile
import threading
import types

import numpy
from hybridize import autograd, hybridize, np, npx
from hybridize.gluon import nn


Pair = collections.namedtuple("Pair", ["w", "k"])


@dataclasses.dataclass
class Config:
    w: object
    k: float = 2.0


def chosen(value):
    # A new array: what data chooses among arrays is one in a program (docs/guide/README.md, What differs).
    return value.copy() if isinstance(value, (np.ndarray, numpy.ndarray)) else value


def scribble(value):
    if isinstance(value, (np.ndarray, numpy.ndarray)):
        value[...] = 50
    elif isinstance(value, dict):
        for part in value.values():
            scribble(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            scribble(part)

"""

NUMBER, ARRAY, FLAG, TEXT, MAYBE = "number", "array", "flag", "text", "maybe"
ARRAYS, NUMBERS, DEQUE, ARRAY_DICT, NUMBER_DICT = "arrays", "numbers", "deque", "array dict", "number dict"
SET, PAIR, CONFIG, COUNTER, GROUPS, TUPLE, NESTED = "set", "pair", "config", "counter", "groups", "tuple", "nested"


@dataclass(frozen=True)
class Kind:
    """A kind of value: how it is made, read, asked and written; `{p}` is the place, `{a}`, `{n}` expressions."""

    made: Sequence[str]
    arrays: Sequence[str] = ()
    """Expressions that are arrays."""
    numbers: Sequence[str] = ()
    conditions: Sequence[str] = ()
    writes: Sequence[str] = ()
    """Statements that change what the place holds; those with `{p} = ` or `{p} += ` bind the place again."""
    outside: Sequence[str] = ()
    """Statements of a user who changes the value between calls, beside `writes` and binding again."""


_SIZED = ("{p}", "not {p}", "len({p}) > 2", "len({p}) % 2 == 0")

KINDS: dict[str, Kind] = {
    NUMBER: Kind(
        ("1", "2", "3.0", "0.5", "-2", "0"),
        numbers=("{p}", "{p}", "{p}", "{p} + 1", "-{p}", "abs({p})", "{p} * 2", "max({p}, 1)"),
        arrays=("x * {p}", "x + {p}", "np.full(3, {p})"),
        conditions=("{p} > 1", "{p} == 2", "{p} % 2 == 0", "{p}"),
        writes=("{p} = {p} + 1", "{p} += 1", "{p} += 10", "{p} = {n}", "{p} -= 2", "{p} = -{p}"),
    ),
    ARRAY: Kind(
        (
            "np.array([1.0, 2.0, 3.0])", "np.ones(3)", "np.zeros(3)", "np.array([-1.0, 4.0, 2.0])",
            "numpy.array([2.0, 1.0, 0.0], dtype='float32')", "np.array([1, 2, 3], dtype='int32')",
            "np.array([1.0, -2.0, 3.0], dtype='float64')", "np.arange(6).reshape(2, 3)[1]",
        ),
        arrays=("{p}", "{p}", "{p} + x", "{p} * 2", "{p}[::-1]", "-{p}", "np.maximum({p}, x)", "{p}.copy()"),
        numbers=("{p}.shape[0]", "len({p})", "{p}.ndim", "{p}.size"),
        conditions=("{p}.sum() > 4", "{p}.shape == (3,)", "({p} > 0).all()"),
        writes=(
            "{p}[:] = {a}", "{p}[0] = 5", "{p} += {a}", "{p} = {p} + {a}", "{p} = {a}", "{p}[...] = {p} + 1",
            "{p}[1:] = {p}[:2]", "{p}[0] = {n}", "{p}[1] = {a}[0]", "{p} *= 2", "{p}[-1] += {n}",
        ),
        outside=("{p}[:] = 7", "{p}[0] = 9", "{p} += 1", "{p}[1:] = 3"),
    ),
    MAYBE: Kind(
        ("None", "None", "np.ones(3)"),
        arrays=("(x if {p} is None else x + {p})", "({p} if {p} is not None else x)"),
        conditions=("{p} is None", "{p} is not None"),
        writes=("{p} = {a}", "{p} = None", "{p} = {a} if {p} is None else {p} + 1"),
    ),
    FLAG: Kind(
        ("True", "False"), conditions=("{p}", "not {p}", "{p} is True"), arrays=("(x if {p} else -x)",),
        writes=("{p} = not {p}", "{p} = True", "{p} = False"),
    ),
    TEXT: Kind(
        ("'on'", "'off'"), conditions=("{p} == 'on'", "'f' in {p}", "{p}.startswith('o')"), numbers=("len({p})",),
        writes=("{p} = 'off'", "{p} = {p} + 'n'", "{p} += 'f'"),
    ),
    ARRAYS: Kind(
        ("[np.ones(3)]", "[np.ones(3), np.array([1.0, 2.0, 3.0])]", "[]", "[np.zeros(3)] * 2"),
        arrays=(
            "sum({p})", "{p}[-1]", "{p}[0]", "np.stack({p}).sum(0)", "np.concatenate({p})[:3]",
            "[v * 2 for v in {p}][-1]", "functools.reduce(lambda a, b: a + b, {p})", "list({p})[0]", "tuple({p})[-1]",
            "{p}[-2:][0]", "next(iter({p}))", "sum(v for v in {p})", "(lambda *a: a[-1])(*{p})", "{p}[::-1][0]",
            "sum([v * i for i, v in enumerate({p})])", "sum(a * b for a, b in zip({p}, {p}))", "{p}.copy()[-1]",
            "np.array({p}).sum(0)", "{p}.pop()", "(x if {p} else -x)", "x * len({p})", "sum({p} + [x])",
            "sum({p}[1:])", "next(reversed({p}))", "({p} or [x])[0]", "{p}[len({p}) - 1]",
            "sum(map(lambda v: v + 1, {p}))", "np.stack(list({p}))[0]",
        ),
        numbers=("len({p})", "sum(1 for v in {p})", "len(list({p}))", "{p}[0].ndim", "len([v for v in {p} if True])"),
        conditions=_SIZED,
        writes=(
            "{p}.append({a})", "{p}.append({a})", "{p}.append({a})", "{p}.insert(0, {a})", "{p}.extend([{a}])",
            "{p} += [{a}]", "{p}[0] = {a}", "{p}[-1] = {a}", "{p}[:] = [{a}, {a}]", "{p}.pop()", "{p}.clear()",
            "{p}.reverse()", "{p}[0] += 1", "{p}[-1] *= 2", "{p}[0][1] = 5", "list.append({p}, {a})",
            "operator.iadd({p}, [{a}])", "{p}.__setitem__(0, {a})", "{p} = [*{p}, {a}]", "{p} = {p} + [{a}]",
            "{p} = {p}[-2:]", "{p}.pop(0)", "del {p}[0]", "{p}[1:] = [{a}]", "{p}[0][:] = {a}", "{p}.append({p}[-1])",
            "{p}.append({p}[-1] + {a})", "{p} *= 2", "add = {p}.append; add({a})",
        ),
        outside=("{p}[0][:] = 7", "{p}[-1] += 1"),
    ),
    NUMBERS: Kind(
        ("[1.0, 2.0]", "[3]", "[2, 1, 3]", "[]"),
        numbers=(
            "sum({p})", "len({p})", "{p}[-1]", "{p}[0]", "max({p})", "sorted({p})[0]", "[v + 1 for v in {p}][-1]",
            "sum(v * 2 for v in {p})", "{p}.count(1.0)", "min(*{p}, 9)", "{p}.pop()", "math.fsum({p})",
            "list({p})[-1]", "sum({p}[1:])", "{p}[::-1][0]",
        ),
        arrays=("x * sum({p})", "x + {p}[-1]", "np.array({p}).sum() + x", "x * len({p})", "np.full(3, max({p}))"),
        conditions=(*_SIZED, "2.0 in {p}", "3 not in {p}", "{p} == [1.0, 2.0]", "any(v > 2 for v in {p})"),
        writes=(
            "{p}.append({n})", "{p}.append({n})", "{p}.insert(0, {n})", "{p}.extend([{n}])", "{p} += [{n}]",
            "{p}[0] = {n}", "{p}[-1] += 1", "{p}[:] = [{n}]", "{p}.pop()", "{p}.clear()", "{p}.sort()",
            "{p}.reverse()", "{p} = [*{p}, {n}]", "operator.iadd({p}, [{n}])", "{p}.__setitem__(0, {n})",
            "{p}.remove({p}[0])", "del {p}[0]", "{p} = sorted({p})", "{p}[1:] = [{n}, {n}]", "list.append({p}, {n})",
        ),
    ),
    TUPLE: Kind(
        ("(np.ones(3), 2.0)", "(np.array([1.0, 2.0, 3.0]), 3)"),
        arrays=("{p}[0]", "{p}[0] * {p}[1]", "(lambda w, k: w * k)(*{p})", "{p}[:1][0]"), numbers=("{p}[1]", "len({p})"),
        conditions=("{p}[1] > 2",),
        writes=("{p} = ({a}, {n})", "{p} = ({p}[0] + 1, {p}[1])", "{p}[0][0] = 4", "{p} = (x, *{p}[1:])"),
        outside=("{p}[0][:] = 7",),
    ),
    DEQUE: Kind(
        ("collections.deque([np.ones(3)], maxlen=3)", "collections.deque([np.ones(3)] * 2, maxlen=2)",
         "collections.deque([np.zeros(3)])"),
        arrays=(
            "sum({p})", "{p}[-1]", "{p}[0]", "np.stack(list({p})).sum(0)", "[v * 2 for v in {p}][-1]", "{p}.pop()",
            "{p}.popleft()", "list({p})[0]", "x * len({p})", "sum(v for v in {p})",
        ),
        numbers=("len({p})", "sum(1 for v in {p})"), conditions=_SIZED,
        writes=(
            "{p}.append({a})", "{p}.append({a})", "{p}.appendleft({a})", "{p}.popleft()", "{p}.pop()",
            "{p}.rotate(1)", "{p}.extend([{a}])", "{p}[0] = {a}", "{p}[-1] += 1", "{p}.clear()", "{p} += [{a}]",
        ),
        outside=("{p}[0][:] = 7",),
    ),
    ARRAY_DICT: Kind(
        ("{'a': np.ones(3)}", "{'a': np.ones(3), 'b': np.array([1.0, 2.0, 3.0])}", "{}",
         "collections.OrderedDict(a=np.ones(3))"),
        arrays=(
            "{p}['a']", "{p}.get('b', x)", "sum({p}.values())", "[{p}[k] for k in sorted({p})][-1]",
            "sum(v for k, v in {p}.items())", "{p}[list({p})[-1]]", "{p}.setdefault('c', {a})", "{p}.pop('b', {a})",
            "({p} | {{'z': x}})['a']", "{{**{p}}}['a']", "(lambda **k: sum(k.values()))(**{p})", "dict({p})['a']",
            "(x if 'b' in {p} else -x)", "list({p}.values())[0]", "{p}.copy()['a']", "{{k: v * 2 for k, v in {p}.items()}}['a']",
        ),
        numbers=("len({p})", "len(list({p}.keys()))", "sum(1 for k in {p})", "len(max({p}))"),
        conditions=("'b' in {p}", "'c' not in {p}", "{p}", "len({p}) > 1", "{p}.get('b') is None"),
        writes=(
            "{p}['b'] = {a}", "{p}['a'] = {a}", "{p}['a'] = {p}['a'] + {a}", "{p}['a'] += 1", "{p}.update(b={a})",
            "{p}.update({{'b': {a}}})", "{p}.setdefault('c', {a})", "{p}.pop('b', None)", "{p}.__setitem__('a', {a})",
            "{p}.__setitem__('a', {p}['a'] + {a})", "{p} |= {{'b': {a}}}", "{p}.clear()", "{p}['a'][0] = 5",
            "operator.setitem({p}, 'b', {a})", "{p} = {{**{p}, 'c': {a}}}", "operator.ior({p}, {{'b': {a}}})",
            "type({p}).__setitem__({p}, 'b', {a})", "{p}['k' + str(len({p}) % 3)] = {a}", "{p}.popitem()", "del {p}['a']",
        ),
        outside=("{p}['a'][:] = 7", "{p}['d'] = np.ones(3)"),
    ),
    NUMBER_DICT: Kind(
        ("{'a': 1.0}", "{'a': 2, 'b': 3.0}", "{}", "{1: 2.0, 'a': 4}"),
        numbers=(
            "{p}['a']", "{p}.get('b', 2.0)", "sum({p}.values())", "len({p})", "max({p}.values())",
            "{p}.setdefault('c', {n})", "{p}.pop('b', 1.0)", "sum(v for v in {p}.values())",
            "{{k: v + 1 for k, v in {p}.items()}}['a']", "list({p}.values())[-1]",
        ),
        arrays=("x * {p}['a']", "x + sum({p}.values())", "x * {p}.get('b', 3)"),
        conditions=("'b' in {p}", "{p}['a'] > 1", "{p}", "{p} == {{'a': 1.0}}", "len({p}) > 1"),
        writes=(
            "{p}['b'] = {n}", "{p}['a'] = {n}", "{p}['a'] += 1", "{p}.update(b={n})", "{p}.setdefault('c', {n})",
            "{p}.pop('b', None)", "{p}.__setitem__('a', {p}['a'] + 1)", "{p} |= {{'b': {n}}}", "{p}.clear()",
            "operator.setitem({p}, 'b', {n})", "{p} = dict({p}, a={n})", "{p}['n'] = {p}.get('n', 0) + 1",
        ),
    ),
    SET: Kind(
        ("{1, 2}", "{3.0}", "set()"),
        numbers=("len({p})", "sum({p})", "max({p})", "sorted({p})[-1]", "len({p} | {{7}})"),
        arrays=("x * len({p})", "(x if 2 in {p} else -x)"),
        conditions=("2 in {p}", "3 not in {p}", "{p}", "{p} == {{1, 2}}", "{p} >= {{1}}"),
        writes=("{p}.add({n})", "{p}.discard(2)", "{p}.update([{n}])", "{p} |= {{7}}", "{p}.clear()", "{p} = {p} | {{4}}"),
    ),
    PAIR: Kind(
        ("Pair(np.ones(3), 2.0)", "Pair(w=np.array([1.0, 2.0, 3.0]), k=3)"),
        arrays=("{p}.w", "{p}.w * {p}.k", "{p}[0] + x", "(lambda w, k: w + k)(*{p})"), numbers=("{p}.k", "{p}[1]"),
        conditions=("{p}.k > 2",),
        writes=("{p} = {p}._replace(k={n})", "{p} = Pair({a}, {n})", "{p} = {p}._replace(w={p}.w + x)", "{p}.w[0] = 5"),
        outside=("{p}.w[:] = 7",),
    ),
    CONFIG: Kind(
        ("Config(np.ones(3))", "Config(w=np.array([1.0, 2.0, 3.0]), k=3)", "types.SimpleNamespace(w=np.ones(3), k=2)"),
        arrays=("{p}.w", "{p}.w * {p}.k", "getattr({p}, 'w') + x", "(x if hasattr({p}, 'late') else -x)",
                "getattr({p}, 'late', x)"),
        numbers=("{p}.k", "getattr({p}, 'k')", "vars({p})['k']", "len(vars({p}))"),
        conditions=("{p}.k > 2", "hasattr({p}, 'late')"),
        writes=("{p}.k = {n}", "{p}.k += 1", "{p}.w = {a}", "{p}.w += {a}", "{p}.w = {p}.w + x", "{p}.late = {a}",
                "setattr({p}, 'k', {n})", "{p}.w[0] = 5", "vars({p})['k'] = {n}", "{p}.__dict__.update(k={n})",
                "object.__setattr__({p}, 'k', {n})"),
        outside=("{p}.w[:] = 7", "{p}.late = np.ones(3)", "vars({p}).pop('late', None)"),
    ),
    COUNTER: Kind(
        ("collections.Counter(a=1)", "collections.Counter()"),
        numbers=("{p}['a']", "sum({p}.values())", "len({p})", "{p}.total()"), arrays=("x * {p}['a']",),
        conditions=("{p}['b'] > 1", "'b' in {p}"),
        writes=("{p}['a'] += 1", "{p}['b'] = {n}", "{p}.update(['a'])", "{p}.update(a=2)", "{p}.subtract(['a'])"),
    ),
    GROUPS: Kind(
        ("collections.defaultdict(list)", "{'k': [np.ones(3)], 'l': []}", "collections.defaultdict(list, k=[np.ones(3)])"),
        arrays=("sum({p}['k'])", "{p}['k'][-1]", "sum({p}['k'] + {p}['l'])", "np.stack({p}['k']).sum(0)",
                "sum(v[0] for v in {p}.values() if v)"),
        numbers=("len({p}['k'])", "len({p})", "sum(len(v) for v in {p}.values())"),
        conditions=("{p}['k']", "'l' in {p}"),
        writes=("{p}['k'].append({a})", "{p}['k'].append({a})", "{p}['l'].append({a})", "{p}['k'] = [{a}]",
                "{p}['k'][0] = {a}", "{p}.setdefault('k', []).append({a})", "{p}['k'] += [{a}]"),
        outside=("{p}['k'].append(np.ones(3))", "{p}['k'] = [np.ones(3)]"),
    ),
    NESTED: Kind(
        ("[[np.ones(3)], {'a': np.ones(3), 'n': 1}]", "[[np.ones(3), np.zeros(3)], {'a': np.zeros(3), 'n': 2.0}]"),
        arrays=("{p}[0][-1]", "sum({p}[0])", "{p}[1]['a']", "{p}[1]['a'] * {p}[1]['n']", "sum([v for v in {p}[0]])"),
        numbers=("{p}[1]['n']", "len({p}[0])"), conditions=("{p}[1]['n'] > 1", "len({p}[0]) > 2"),
        writes=("{p}[0].append({a})", "{p}[1]['a'] = {a}", "{p}[1]['n'] += 1", "{p}[0][0] = {a}", "{p}[0] = [{a}]",
                "{p}[1]['a'] += x", "inside = {p}[0]; inside.append({a})", "{p}[0], {p}[1]['n'] = [{a}], {n}"),
        outside=("{p}[0][0][:] = 7", "{p}[1] = {{'a': np.ones(3), 'n': 5}}"),
    ),
}  # fmt: skip

ODD_ARRAYS = (
    "chosen(max([{a}[0], {a}[1]]))",
    "(sum((v for v in {a} if v > 0), {a}[0] * 0) + {a}[0])",
    "{a}[{a} > 1].sum()",
    "np.array([10.0, 20.0, 30.0])[{a}.argmax()]",
    "[10, 20, 30][{a}.argmax()] + {a}",
    "math.sqrt(abs({a}[0])) + {a}",
    "{a} ** {n}",
    "chosen({a} > 1 and {a} or {a})",
    "chosen({c} and {a} or {a})",
    "chosen([{a}, {a}][int({a}.argmax()) % 2])",
    "np.stack([v + {n} for v in {a}])",
    "float({a}[0]) * {a}",
    "np.linalg.solve(np.eye(3) * 2, {a})",
    "{a}.astype('int32')",
    "{a} @ {a}",
    "np.where({c}, {a}, {a})",
    "{a}.copy()",
)
ODD_NUMBERS = (
    "pow({n}, 3, 7)",
    "round({n})",
    "divmod({n}, 3)[0]",
    "math.floor({n})",
    "math.sqrt(abs({n}))",
    "statistics.mean([{n}, 1.0])",
    "float({n})",
    "bool({n})",
    "len(str({n}))",
    "float({a}.sum())",
    "{a}.sum().item()",
    "int({a}.argmax())",
    "{a}.strides[0]",
    "len(format({n}))",
    "{n} + 0.5",
    "{n} * 1j",
    "type({n}) is int",
    "sum([{n}, {n}])",
    "sorted([{n}, {n}])[0]",
    "({n} & 3)",
    "{n} ** -1",
    "hash(int({n}))",
    "{n} + 2**62",
    "max([{n}, {n}, 2])",
    "math.gcd(int({n}), 6)",
    "getattr({n}, 'dtype', 7) == 7",
)
ODD_CONDITIONS = (
    "any(v > 1 for v in {a})",
    "all([{a}[0] > 0, {a}[1] > 0])",
    "{a}[0] in (1.0, 2.0)",
    "{a}[0] > 0 and {a}[1] > 0",
    "not {a}.any()",
    "isinstance({n}, numpy.integer)",
    "isinstance({n}, float)",
    "{n} in (1, 2, 3.0)",
    "-1 < {a}[0] < 3",
    "{n} is None",
)
"""Ways of writing that are usual and hard: elements, conversions, classes of numbers."""


@dataclass(frozen=True)
class Construct:
    """Lines that go together: each was found to be missed by statements that are drawn one by one."""

    finds: str
    """The defect of World.read, or of an earlier commit, that programs with it show."""
    lines: Sequence[str]
    """Of the program; they make `{y}` of `x`. Names in braces are fresh ones."""
    top: Sequence[str] = ()
    """Of the module."""
    outside: Sequence[str] = ("pass",)
    """What a user does between calls."""


CONSTRUCTS: dict[str, Construct] = {
    "an object of the call, read and then written": Construct(
        "reads of the program's own objects that are guarded",
        ("{own} = Config(x, 2.0)", "{y} = {own}.w * {own}.k", "{own}.k += 1", "{y} = {y} * {own}.k"),
    ),
    "a variable of an inner function, bound again": Construct(
        "guards on symbols",
        ("{k} = x * 2", "def {inner}(z):", "    return z + {k}", "{y} = {inner}(x)", "{k} = {y}", "{y} = {y} + {k}"),
    ),
    "an object that reads itself while it is made": Construct(
        "guards on symbols, in objects that are not whole yet",
        ("{y} = {G}(x).v",),
        ("@dataclasses.dataclass(slots=True)", "class {G}:", "    v: object", "    def __post_init__(self):",
         "        self.v = self.v * 2"),
    ),
    "an item of a list that has grown": Construct(
        "items of containers that have moved, guarded by themselves or not at all",
        ("{G}.append(1.0)", "{y} = x * {G}[0]"),
        ("{G} = [2.0]",),
        ("{G}[0] = 9.0", "{G}.insert(0, 7.0)"),
    ),
    "an item that is put before others": Construct(
        "items of containers that have moved, found where they were",
        ("{G}.insert(0, x)", "{y} = {G}[0] + {G}[1]"),
        ("{G} = [np.ones(3), np.ones(3)]",),
        ("{G}[0] = np.ones(3) * 9", "{G}.reverse()"),
    ),
    "a slice": Construct(
        "keys that cannot be guarded one by one",
        ("{y} = x * sum({G}[1:])",),
        ("{G} = [1.0, 2.0, 3.0]",),
        ("{G}[2] = 9.0",),
    ),
    "a counter, read after it was set": Construct(
        "numbers that calls read again (A1 of numbers)",
        ("global {G}", "{G} += 1", "{y} = x * {G}"),
        ("{G} = 1",),
        ("{G} = 7",),
    ),
    "an item beside one that is counted": Construct(
        "guards on all of a container for one of its items",
        ("{G}['n'] += 1", "{y} = x * {G}['k']"),
        ("{G} = {{'n': 0, 'k': 2.0}}",),
        ("{G}['k'] = 5.0",),
    ),
    "an array that is replaced at each call": Construct(
        "arrays that calls read again: rates, averages",
        ("global {G}", "{G} = 0.5 * {G} + x", "{y} = {G} * 1"),
        ("{G} = np.ones(3)",),
        ("{G} = np.ones(3) * 4",),
    ),
    "a name": Construct(
        "values of names that are not guarded",
        ("{y} = x * {G}",),
        ("{G} = 2.0",),
        ("{G} = 5.0", "{G} = np.ones(3)"),
    ),
    "a variable written at two levels": Construct(
        "A6: what the inner function wrote is lost",
        ("nonlocal {c}", "{c} = {c} + 1", "def {inner}(z):", "    nonlocal {c}", "    {c} += 10", "    return z * {c}",
         "{y} = {inner}(x) + {c}"),
    ),
    "a list that grows and is read": Construct(
        "A1: what was appended is not read in the same call",
        ("{G}.append(x)", "{y} = sum({G})"),
        ("{G} = []",),
        ("{G}.clear()", "{G}.append(np.ones(3))"),
    ),
    "a copy of an object, written": Construct(
        "guards on symbols that a function of Python's has put into an object",
        ("{own} = dataclasses.replace({G}, w=x)", "{own}.w = {own}.w + 1", "{y} = {own}.w * {own}.k",
         "{y} = {y} + Pair({y}, 2.0)._replace(w=x).w"),
        ("{G} = Config(np.ones(3), 3.0)",),
        ("{G}.k = 5.0",),
    ),
    "attributes by their dict": Construct(
        "attributes that are written in one way and read in another",
        ("object.__setattr__({G}, 'k', {G}.k + 1)", "{y} = x * vars({G})['k']", "vars({G})['w'] = {y}", "{y} = {G}.w + x"),
        ("{G} = types.SimpleNamespace(w=np.ones(3), k=3.0)",),
        ("{G}.k = 5.0", "vars({G})['k'] = 7.0"),
    ),
    "a list of numbers that data writes": Construct(
        "numbers of which data decides what they are",
        ("{G}[0] = float(x[0])", "{y} = x + {G}[0]"),
        ("{G} = [1.0]",),
        ("{G}[0] = 7.0",),
    ),
}  # fmt: skip

BINDING = ("{p} = ", "{p} += ", "{p} -= ", "{p} |= ", "{p} *= ")
COMMON = (NUMBER, NUMBER, ARRAY, ARRAY, ARRAYS, ARRAYS, ARRAYS, NUMBERS, ARRAY_DICT, ARRAY_DICT, NUMBER_DICT, DEQUE)
OTHERS = (MAYBE, FLAG, TEXT, TUPLE, SET, PAIR, CONFIG, COUNTER, GROUPS, NESTED)


@dataclass
class Place:
    """Where a value is: as functions of the program write it, and as the user between calls does."""

    kind: str
    text: str
    head: str = ""
    """The declaration that a function needs which binds it: `global G1`."""
    outside: str = ""
    rebind: str = ""
    """How the user binds it again; `{v}` is the value."""
    bound: bool = True
    """Whether functions of the program may bind it again."""


@dataclass
class Use:
    """Something that can be called: expressions with it, and what a user does to it between calls."""

    arrays: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    outside: list[Callable[[Writer], str]] = field(default_factory=list)


def grouped(text: str) -> str:
    """An expression in parentheses, unless it is an atom."""
    return text if re.fullmatch(r"\w[\w.]*(\(\w*\)|\[-?\w*\])?", text) else f"({text})"


class Body:
    """Writes the body of one function."""

    def __init__(
        self, writer: Writer, places: list[Place], uses: list[Use], arrays: list[str], numbers: list[str]
    ) -> None:
        self.writer, self.random = writer, writer.random
        self.places, self.uses = places, uses
        self.arrays, self.numbers = list(arrays), list(numbers)
        self.lines: list[str] = []
        self.heads: set[str] = set()
        self.depth = 0
        self.inner = 0

    def pick(self, choices: Sequence) -> object:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # ------------------------------------------------------------------------------------------------- expressions

    def read(self, part: str, depth: int) -> str | None:
        """A read of a place, filled; None where no place has one."""
        able = [place for place in self.places if getattr(KINDS[place.kind], part)]
        if not able:
            return None
        place = self.pick(able)
        return self.fill(self.pick(getattr(KINDS[place.kind], part)), depth, place)

    def fill(self, text: str, depth: int, place: Place | None = None) -> str:
        """A template with expressions in it."""
        if place is not None and place.head and text.startswith(BINDING):
            self.heads.add(place.head)

        def part(match: re.Match[str]) -> str:
            match match.group(1):
                case "p":
                    return place.text if place is not None else ""
                case "a":
                    return grouped(self.array(depth - 1))
                case "n":
                    return grouped(self.number(depth - 1))
                case "c":
                    return self.condition(depth - 1)
            return match.group(1)[0]

        text = re.sub(r"\{(p|a|n|c)\}", part, text)
        return text.replace("{{", "{").replace("}}", "}")

    def array(self, depth: int = 2) -> str:
        roll = self.random.random()
        if depth <= 0 or roll < 0.2:
            return self.pick(self.arrays)
        if roll < 0.6 and (read := self.read("arrays", depth)):
            return read
        if roll < 0.8 and (uses := [use for use in self.uses if use.arrays]):
            return self.fill(self.pick(self.pick(uses).arrays), depth)
        return self.fill(
            self.pick(
                [
                    "({a} + {a})",
                    "({a} - {a})",
                    "{a} * {n}",
                    "({a} + {n})",
                    "(-{a})",
                    "abs({a})",
                    "{a}[::-1]",
                    "npx.relu({a})",
                    "np.maximum({a}, {a})",
                    "chosen({a} if {c} else {a})",
                    "np.where({a} > 1, {a}, 0)",
                    "({a} % 7)",
                    "({a}.sum() + {a})",
                    "{a} * -{n}",
                    "chosen({a} if {n} else {a})",
                ]
                if self.chance(0.85)
                else ODD_ARRAYS
            ),
            depth,
        )

    def number(self, depth: int = 1) -> str:
        roll = self.random.random()
        if depth <= 0 or roll < 0.3:
            return self.pick([*self.numbers * 3, "1", "2", "3.0"])
        if roll < 0.65 and (read := self.read("numbers", depth)):
            return read
        if roll < 0.75 and (uses := [use for use in self.uses if use.numbers]):
            return self.fill(self.pick(self.pick(uses).numbers), depth)
        return self.fill(
            self.pick(
                [
                    "({n} + 1)",
                    "(-{n})",
                    "(-{n})",
                    "abs({n})",
                    "abs({n})",
                    "({n} * 2)",
                    "max({n}, 1)",
                    "({n} - {n})",
                    "({n} % 5)",
                    "({n} + {n})",
                    "({n} // 2)",
                    "({n} / 2)",
                    "({n} if {c} else 1)",
                    "{n} ** 2",
                    "int({n})",
                    "min({n}, {n})",
                ]
                if self.chance(0.8)
                else ODD_NUMBERS
            ),
            depth,
        )

    def condition(self, depth: int = 1) -> str:
        roll = self.random.random()
        if roll < 0.6 and (read := self.read("conditions", depth)):
            return read
        if roll < 0.7:
            return f"{self.pick(self.arrays)}.sum() > 3"
        if roll < 0.76:
            return self.fill(self.pick(ODD_CONDITIONS), depth)
        number = self.pick([*self.numbers, "1"])
        return self.pick([f"{number} > 1", f"isinstance({number}, int)", f"{number} == 2", f"{number} > 0"])

    # -------------------------------------------------------------------------------------------------- statements

    def write(self) -> None:
        place = self.pick(self.places)
        texts = [text for text in KINDS[place.kind].writes if place.bound or not text.startswith(BINDING)]
        self.line(self.fill(self.pick(texts), 2, place))

    def block(self, count: int) -> None:
        arrays, numbers = list(self.arrays), list(self.numbers)
        self.depth += 1
        for _ in range(count):
            self.statement(nested=True)
        self.depth -= 1
        self.arrays, self.numbers = arrays, numbers

    def loop(self) -> None:
        containers = [p for p in self.places if p.kind in (ARRAYS, DEQUE, ARRAY_DICT)]
        name = self.writer.fresh("y")
        self.line(f"{name} = {self.pick(self.arrays)}")
        if containers and self.chance(0.7):
            place = self.pick(containers)
            p = f"{place.text}.values()" if place.kind == ARRAY_DICT else place.text
            self.line(self.pick([f"for v in {p}:", f"for i, v in enumerate({p}):", f"for v in list({p}):"]))
            self.line(f"    {name} = {self.pick([f'{name} + v', 'v', f'{name} * 2 - v'])}")
        else:
            count = self.pick(
                [
                    "2",
                    "3",
                    "max(n, 0) % 4" if "n" in self.numbers else "0",
                    f"len({containers[0].text})" if containers else "2",
                ]
            )
            self.line(f"for i in range({count}):")
            self.depth += 1
            if self.chance(0.6) and self.places:
                self.write()
            self.line(f"{name} = {name} + {self.array(1)}")
            if self.chance(0.15):
                self.line(f"if {self.condition()}:")
                self.line(f"    {self.pick(['break', 'continue'])}")
            self.depth -= 1
        self.arrays.append(name)

    def inner_function(self) -> None:
        """A function in the function, which may write what it sees."""
        name = self.writer.fresh("inner")
        cells = [p for p in self.places if p.head]
        self.line(f"def {name}(y):")
        inner = Body(self.writer, self.places, self.uses[:1], ["y", *self.arrays[:1]], self.numbers[:2])
        inner.depth = self.depth + 1
        if self.chance(0.5) and self.depth == 0:
            local = self.writer.fresh("k")
            self.lines.insert(len(self.lines) - 1, f"{local} = {self.number(1)}")
            inner.heads.add(f"nonlocal {local}")
            inner.line(f"{local} += 10")
            inner.numbers.append(local)
            self.numbers.append(local)
        if cells and self.chance(0.8):
            place = self.pick(cells)
            texts = KINDS[place.kind].writes
            inner.line(inner.fill(self.pick([text for text in texts if text.startswith(BINDING)] or texts), 2, place))
        elif self.places:
            inner.write()
        inner.line(f"return {inner.array(2)}")
        self.lines += ["    " * (self.depth + 1) + head for head in sorted(inner.heads)] + inner.lines
        result = self.writer.fresh("y")
        self.line(f"{result} = {name}({self.array(1)})")
        self.arrays.append(result)

    def made(self) -> None:
        """A container or object of the function's own."""
        kind = self.pick([ARRAYS, NUMBERS, ARRAY_DICT, NUMBER_DICT, CONFIG, SET, DEQUE, GROUPS, NESTED])
        name = self.writer.fresh("own")
        self.line(f"{name} = {self.writer.value(kind)}")
        self.places = [*self.places, Place(kind, name), Place(kind, name)]

    def construct(self) -> None:
        """Lines that go together."""
        able = [name for name, one in CONSTRUCTS.items() if self.writer.cells or "{c}" not in "".join(one.lines)]
        name = self.pick(able)
        self.writer.constructs.add(name)
        chosen = CONSTRUCTS[name]
        names = self.writer.names_of(chosen)
        top, lines, outside = (
            [text.format(**names) for text in part] for part in (chosen.top, chosen.lines, chosen.outside)
        )
        self.writer.top[:0] = top
        self.heads |= {line for line in lines if line.startswith(("global ", "nonlocal "))}
        for line in lines:
            if not line.startswith(("global ", "nonlocal ")):
                self.line(line)
        if outside != ["pass"]:
            self.writer.uses.append(Use(outside=[lambda w: w.pick(outside)]))
        self.arrays.append(names["y"])

    def statement(self, nested: bool = False) -> None:
        if not nested and self.chance(0.1):
            self.made()
        if not nested and self.depth == 0 and self.chance(0.06):
            self.construct()
        roll = self.random.random()
        if roll < 0.5 and self.places:
            self.write()
        elif roll < 0.7 or nested:
            if self.chance(0.75):
                name = self.writer.fresh("y")
                self.line(f"{name} = {self.array(2)}")
                self.arrays.append(name)
            else:
                name = self.writer.fresh("k")
                self.line(f"{name} = {self.number(2)}")
                self.numbers.append(name)
        elif roll < 0.8:
            self.line(f"if {self.condition()}:")
            self.block(1 + self.chance(0.3))
            if self.chance(0.5):
                self.line("else:")
                self.block(1)
        elif roll < 0.9:
            self.loop()
        elif roll < 0.94:
            self.inner_function()
        elif roll < 0.97:
            self.odd()
        else:
            self.view()

    def odd(self) -> None:
        """Statements that raise, catch, print, assert, delete."""
        form = self.random.randrange(6)
        if form == 0:
            self.line(f"if {self.pick([*self.numbers, '1'])} {self.pick(['> 2', '< 0', '== 3'])}:")
            self.line(f"    raise ValueError('{self.writer.fresh('no')}')")
        elif form == 1:
            self.line(f"if {grouped(self.array(1))}.sum() > 20:")
            self.line(f"    raise ValueError('{self.writer.fresh('no')}')")
        elif form == 2:
            # Of arrays only: what the capture knows (a constant, a number among the arguments) it prints by itself,
            # once, as the chapter shows; that is decided, and no difference.
            name = self.writer.fresh("shown")
            self.line(f"{name} = {self.array(1)}")
            self.line(self.pick([f"print('value', {name})", f"print(f'got {{{name}}}')"]))
        elif form == 3 and self.places:
            self.line("try:")
            self.depth += 1
            self.write()
            self.depth -= 1
            self.line(f"except {self.pick(['IndexError', 'KeyError', 'Exception', '(IndexError, KeyError)'])}:")
            self.line(
                f"    {self.pick(['pass', 'x = x + 1'])}" if self.depth == 0 and "x" in self.arrays else "    pass"
            )
        elif form == 4:
            self.line(f"assert {self.condition()}, 'said'")
        else:
            self.line(f"if {self.condition()}:")
            self.line(f"    return {self.returned()}")

    def view(self) -> None:
        arrays = [p for p in self.places if p.kind == ARRAY]
        name = self.writer.fresh("part")
        self.line(f"{name} = {self.pick([p.text for p in arrays] or self.arrays)}[{self.pick(['1:', ':2', '::-1'])}]")
        self.line(self.pick([f"{name}[:] = {self.number(0)}", f"{name} += 1", f"{name}[0] = 5"]))

    def returned(self) -> str:
        results = [self.array(2)]
        count = self.random.randint(0, 2)
        results += [self.number(2) if self.chance(0.5) else self.array(2) for _ in range(count)]
        if self.places and self.chance(0.15):
            results.append(self.pick(self.places).text)
        if len(results) == 1:
            return results[0] if self.chance(0.9) else f"{self.pick(['Pair', 'Config'])}({results[0]}, 2)"
        return (
            ", ".join(results)
            if self.chance(0.8)
            else "{" + ", ".join(f"'r{i}': {r}" for i, r in enumerate(results)) + "}"
        )

    def finished(self, indent: int) -> list[str]:
        heads = sorted(self.heads)
        return ["    " * indent + text for text in (*heads, *self.lines)]


class Writer:
    """Writes one module and the steps of its user."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.top: list[str] = []
        self.places: list[Place] = []
        """Places that every function sees."""
        self.own: list[Place] = []
        """Places that only the program itself sees: cells and defaults."""
        self.cells: list[tuple[str, str]] = []
        self.defaults: list[tuple[str, str]] = []
        self.uses: list[Use] = []
        self.steps: list[str] = []
        self.constructs: set[str] = set()
        """Those of `CONSTRUCTS` that are in it."""

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, choices: Sequence) -> object:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def names_of(self, construct: Construct) -> dict[str, str]:
        """Fresh names for the braces of a construct; `c` is a variable of the function around."""
        found = set(re.findall(r"(?<!\{)\{(\w+)\}", "\n".join((*construct.top, *construct.lines))))
        names = {name: self.fresh(name) for name in sorted(found - {"c"})}
        return names | ({"c": self.pick(self.cells)[0]} if "c" in found else {})

    # ------------------------------------------------------------------------------------------------------ places

    def value(self, kind: str) -> str:
        return self.pick(KINDS[kind].made)

    def place(self, form: str) -> None:
        kind = self.pick(COMMON if self.chance(0.7) else OTHERS)
        value = self.value(kind)
        locations = [
            self.global_name,
            self.global_name,
            self.global_name,
            self.attribute,
            self.attribute,
            self.class_attribute,
            self.module_attribute,
            self.item,
            self.function_attribute,
            self.default,
        ]
        if form == "closure":
            locations = [self.cell, self.cell, self.cell, *locations]
        self.pick(locations)(kind, value)

    def global_name(self, kind: str, value: str) -> None:
        name = self.fresh("G")
        self.top.append(f"{name} = {value}")
        self.places.append(Place(kind, name, f"global {name}", name, f"{name} = {{v}}"))

    def _owned(self, kind: str, text: str) -> None:
        self.places.append(Place(kind, text, "", text, f"{text} = {{v}}"))

    def attribute(self, kind: str, value: str) -> None:
        owner, attribute = self.fresh("o"), self.fresh("a")
        form = self.random.randrange(5)
        if form == 0:
            self.top.append(f"{owner} = types.SimpleNamespace({attribute}={value})")
        else:
            cls = self.fresh("C")
            base = {1: "", 2: "", 3: "", 4: "(nn.HybridBlock)"}[form]
            slots = f"    __slots__ = ('{attribute}',)\n\n" if form == 3 else ""
            start = "        super().__init__()\n" if form == 4 else ""
            self.top.append(
                f"class {cls}{base}:\n{slots}    def __init__(self):\n{start}        self.{attribute} = {value}\n\n\n{owner} = {cls}()"
            )
        self._owned(kind, f"{owner}.{attribute}")

    def class_attribute(self, kind: str, value: str) -> None:
        cls, owner, attribute = self.fresh("C"), self.fresh("o"), self.fresh("a")
        self.top.append(
            f"class {cls}:\n    {attribute} = {value}\n\n\nclass {cls}D({cls}):\n    pass\n\n\n{owner} = {cls}D()"
        )
        text = self.pick(
            [f"{owner}.{attribute}", f"{cls}.{attribute}", f"{cls}D.{attribute}", f"type({owner}).{attribute}"]
        )
        rebind = self.pick(
            [f"{cls}.{attribute} = {{v}}", f"{owner}.{attribute} = {{v}}", f"{cls}D.{attribute} = {{v}}"]
        )
        self.places.append(Place(kind, text, "", text, rebind))

    def module_attribute(self, kind: str, value: str) -> None:
        module, attribute = self.fresh("m"), self.fresh("a")
        self.top.append(f"{module} = types.ModuleType('{module}')\n{module}.{attribute} = {value}")
        self._owned(kind, f"{module}.{attribute}")

    def item(self, kind: str, value: str) -> None:
        name = self.fresh("D")
        form = self.random.randrange(3)
        if form == 0:
            self.top.append(f"{name} = {{'key': {value}}}")
            self._owned(kind, f"{name}['key']")
        elif form == 1:
            self.top.append(f"{name} = [0, {value}]")
            self._owned(kind, f"{name}[1]")
        else:
            self.top.append(f"{name} = {{'key': [{value}]}}")
            self._owned(kind, f"{name}['key'][0]")

    def function_attribute(self, kind: str, value: str) -> None:
        name = self.fresh("tagged")
        self.top.append(f"def {name}(x):\n    return x + 1\n\n\n{name}.a = {value}")
        self._owned(kind, f"{name}.a")

    def default(self, kind: str, value: str) -> None:
        name = self.fresh("d")
        index = len(self.defaults)
        self.defaults.append((name, value))
        rebind = f"body.__defaults__ = tuple({{v}} if i == {index} else d for i, d in enumerate(body.__defaults__))"
        self.own.append(Place(kind, name, "", f"body.__defaults__[{index}]", rebind))

    def cell(self, kind: str, value: str) -> None:
        name = self.fresh("c")
        self.cells.append((name, value))
        self.own.append(Place(kind, name, f"nonlocal {name}", f"get_{name}()", f"set_{name}({{v}})"))

    # --------------------------------------------------------------------------------------------------- callables

    def body(
        self, arrays: list[str], numbers: list[str], size: int, indent: int = 1, places: list[Place] | None = None
    ) -> list[str]:
        """Lines of a function that the program calls."""
        body = Body(self, self.places if places is None else places, self.uses[-2:], arrays, numbers)
        for _ in range(self.random.randint(0, size)):
            body.statement(nested=True)
        body.line(f"return {body.array(2)}")
        return body.finished(indent)

    def replacement(self) -> str:
        return self.pick(["x * 50", "x + 50", "x - 7", "x * 3 + 1"])

    def callable(self) -> None:
        self.pick(
            [
                self.helper,
                self.helper,
                self.helper_with_default,
                self.helper_with_default,
                self.methods,
                self.methods,
                self.methods,
                self.property_,
                self.cached_property,
                self.cached_function,
                self.partial,
                self.singledispatch,
                self.table_of_functions,
                self.length,
                self.decorated,
                self.generator,
                self.block,
                self.dunders,
                self.hybridized_helper,
                self.environment,
                self.class_with_hooks,
                self.dense,
                self.gradient,
            ]
        )()

    def helper(self) -> None:
        name = self.fresh("helper")
        lines = self.body(["x"], ["k"], 2)
        self.top.append("\n".join([f"def {name}(x, k=2):", *lines]))
        self.uses.append(
            Use(
                [f"{name}({{a}})", f"{name}({{a}}, {{n}})", f"{name}({{a}}, k={{n}})"],
                outside=[
                    lambda w: f"{name} = lambda x, k=2: {w.replacement()}",
                    lambda w: f"{name}.__code__ = (lambda x, k: {w.replacement()}).__code__",
                    lambda w: f"{name}.__defaults__ = ({w.pick(['5', '-1', '2.5'])},)",
                ],
            )
        )

    def helper_with_default(self) -> None:
        name, default = self.fresh("helper"), self.fresh("d")
        kind = self.pick([ARRAYS, NUMBERS, ARRAY_DICT, NUMBER_DICT, ARRAY, NUMBER])
        star = self.chance(0.3)
        inner = Place(kind, default, "", "", "")
        lines = self.body(["x"], [], 2, places=[inner, inner, *self.places[:1]])
        self.top.append("\n".join([f"def {name}(x, {'*, ' if star else ''}{default}={self.value(kind)}):", *lines]))
        held = f"{name}.__kwdefaults__['{default}']" if star else f"{name}.__defaults__[0]"
        new = (
            (lambda w: f"{name}.__kwdefaults__ = {{'{default}': {w.value(kind)}}}")
            if star
            else (lambda w: f"{name}.__defaults__ = ({w.value(kind)},)")
        )
        changes = [new]
        in_place = [
            t for t in (*KINDS[kind].writes, *KINDS[kind].outside) if not t.startswith(("{p} ", "add =", "inside ="))
        ]
        if in_place:
            changes.append(lambda w: w.filled(w.pick(in_place), held))
        self.uses.append(Use([f"{name}({{a}})", f"{name}({{a}})"], outside=changes))

    def filled(self, text: str, place: str) -> str:
        """A statement of the user about a place; there, no argument is at hand."""
        array = self.pick(["np.ones(3)", "np.array([4.0, 5.0, 6.0])"])
        text = text.replace("{p}", place).replace("{a}", array).replace("{n}", self.pick(["4", "5.0"]))
        return re.sub(r"\bx\b", "np.ones(3)", text).replace("{{", "{").replace("}}", "}")

    def _class(self, members: list[str], base: str = "", derived: str = "") -> tuple[str, str]:
        cls, owner = self.fresh("C"), self.fresh("o")
        self.top.append(f"class {cls}{base}:\n" + "\n\n".join(members) + derived.replace("{cls}", cls))
        self.top.append(f"{owner} = {cls + 'D' if derived else cls}()")
        return cls, owner

    def _init(self) -> str:
        return f"    def __init__(self):\n        self.v = {self.pick(['2.0', '3', '1'])}\n        self.w = {self.value(ARRAY)}"

    def _self_places(self) -> list[Place]:
        return [Place(NUMBER, "self.v"), Place(ARRAY, "self.w"), *self.places[:1]]

    def methods(self) -> None:
        form = self.pick(["plain", "plain", "static", "class", "call", "item", "super", "block"])
        lines = self.body(
            ["x"], [], 2, indent=2, places=self._self_places() if form not in ("static", "class") else None
        )
        cls_name = "act"
        signature = {
            "static": "    @staticmethod\n    def act(x):",
            "class": "    @classmethod\n    def act(cls, x):",
            "call": "    def __call__(self, x):",
            "item": "    def __getitem__(self, x):",
        }.get(form, "    def act(self, x):")
        method = "\n".join([signature, *lines])
        derived, base, init = "", "", self._init()
        if form == "super":
            derived = "\n\n\nclass {cls}D({cls}):\n    def act(self, x):\n        return super().act(x) * 2"
        if form == "block":
            base = "(nn.HybridBlock)"
            init = init.replace("(self):\n", "(self):\n        super().__init__()\n")
            if self.chance(0.5):
                method = method.replace("act", "forward")
                cls_name = "forward"
        cls, owner = self._class([init, method], base, derived)
        other = self.fresh("E")
        new = {
            "call": lambda w: f"{cls}.__call__ = lambda self, x: {w.replacement()}",
            "item": lambda w: f"{cls}.__getitem__ = lambda self, x: {w.replacement()}",
            "static": lambda w: f"{cls}.act = staticmethod(lambda x: {w.replacement()})",
            "class": lambda w: f"{cls}.act = classmethod(lambda cls, x: {w.replacement()})",
        }.get(form, lambda w: f"{cls}.{cls_name} = lambda self, x: {w.replacement()}")
        use = {
            "call": [f"{owner}({{a}})"],
            "item": [f"{owner}[{{a}}]"],
            "static": [f"{owner}.act({{a}})", f"{cls}.act({{a}})"],
            "class": [f"{owner}.act({{a}})", f"{cls}.act({{a}})"],
        }.get(form, [f"{owner}.{cls_name}({{a}})", f"{owner}.{cls_name}({{a}})", f"{cls}.{cls_name}({owner}, {{a}})"])
        if cls_name == "forward":
            use = [f"{owner}({{a}})"]
        changes = [
            new,
            new,
            lambda w: f"{owner}.v = {w.pick(['4', '5.0'])}",
            lambda w: f"{owner}.w = np.array([4.0, 5.0, 6.0])",
        ]
        if form in ("plain", "static", "class", "super", "block"):
            changes.append(lambda w: f"{owner}.{cls_name} = lambda x: {w.replacement()}")
            changes.append(lambda w: f"vars({owner}).pop('{cls_name}', None)")
        if form in ("plain", "call"):
            name = {"plain": "act", "call": "__call__"}[form]
            self.top.append(f"class {other}({cls}):\n    def {name}(self, x):\n        return x * 50")
            changes.append(lambda w: f"{owner}.__class__ = {other}")
        if form == "super":
            changes.append(lambda w: f"{cls}D.act = lambda self, x: {w.replacement()}")
        if form == "plain":
            changes.append(lambda w: f"{cls}.act.__code__ = (lambda self, x: {w.replacement()}).__code__")
        self.uses.append(Use(use, outside=changes))

    def property_(self) -> None:
        member = "    @property\n    def p(self):\n        return self.v + 1"
        setter = "    @p.setter\n    def p(self, value):\n        self.v = value * 2"
        cls, owner = self._class([self._init(), member, setter])
        self.uses.append(
            Use(
                [f"{owner}.p * {{a}}", f"{{a}} + {owner}.p"],
                [f"{owner}.p"],
                [
                    lambda w: f"{cls}.p = property(lambda self: {w.pick(['50.0', '7'])})",
                    lambda w: f"{owner}.v = {w.pick(['9', '4.0'])}",
                    lambda w: f"{owner}.p = 4",
                ],
            )
        )
        self.places.append(Place(NUMBER, f"{owner}.p", "", f"{owner}.p", f"{owner}.p = {{v}}"))

    def cached_property(self) -> None:
        text = self.pick(["self.v + 1", "self.w * 2"])
        _, owner = self._class(
            [self._init(), f"    @functools.cached_property\n    def c(self):\n        return {text}"]
        )
        number = "v" in text
        self.uses.append(
            Use(
                [f"({{a}} + {owner}.c)"],
                [f"{owner}.c"] if number else [],
                [
                    lambda w: f"{owner}.v = {w.pick(['9', '4.0'])}",
                    lambda w: f"{owner}.w = np.array([4.0, 5.0, 6.0])",
                    lambda w: f"{owner}.c = {w.pick(['30.0', '7']) if number else 'np.zeros(3)'}",
                    lambda w: f"vars({owner}).pop('c', None)",
                    lambda w: f"{owner}.w[:] = 8",
                ],
            )
        )

    def cached_function(self) -> None:
        name = self.fresh("table")
        decorator = self.pick(["@functools.cache", "@functools.lru_cache", "@functools.lru_cache(maxsize=2)"])
        numbers = [p for p in self.places if p.kind in (NUMBER, ARRAY)]
        extra = f" + {self.pick(numbers).text}" if numbers and self.chance(0.7) else ""
        form = self.chance(0.7)
        value = f"np.arange(3) * k{extra}" if form else f"k * 2{extra}"
        self.top.append(f"{decorator}\ndef {name}(k):\n    return {value}")
        changes = [lambda w: f"{name}.cache_clear()"]
        if form:
            changes += [lambda w: f"{name}(2)[:] = 7", lambda w: f"{name}(1)[0] = 4"]
        uses = [f"({{a}} + {name}(2))", f"({{a}} * {name}(1))"]
        self.uses.append(Use(uses, outside=changes))

    def partial(self) -> None:
        base, name = self.fresh("helper"), self.fresh("part")
        lines = self.body(["x"], ["k"], 1)
        self.top.append("\n".join([f"def {base}(x, k):", *lines, "", "", f"{name} = functools.partial({base}, k=3.0)"]))
        self.uses.append(
            Use(
                [f"{name}({{a}})", f"{name}({{a}}, k={{n}})"],
                outside=[
                    lambda w: f"{name}.keywords['k'] = {w.pick(['9.0', '4'])}",
                    lambda w: f"{name} = functools.partial({base}, k=8)",
                    lambda w: f"{base}.__code__ = (lambda x, k: {w.replacement()}).__code__",
                ],
            )
        )

    def singledispatch(self) -> None:
        name = self.fresh("over")
        self.top.append(
            f"@functools.singledispatch\ndef {name}(v):\n    return v\n\n\n@{name}.register(np.ndarray)\n@{name}.register(numpy.ndarray)\ndef _(v):\n    return v * 100\n\n\n"
            f"@{name}.register\ndef _(v: int):\n    return v * 1000"
        )
        self.uses.append(
            Use(
                [f"{name}({{a}})", f"({{a}} * {name}({{n}}))"],
                [f"{name}({{n}})"],
                [
                    lambda w: f"{name}.register(float)(lambda v: v + 7)",
                    lambda w: f"{name}.register(int)(lambda v: v * 5)",
                ],
            )
        )

    def table_of_functions(self) -> None:
        name = self.fresh("T")
        text = self.pick(["{{'f': lambda x: {0}, 'g': lambda x: x + 2}}", "[lambda x: {0}, lambda x: x + 2]"])
        key, other = ("'f'", "'g'") if text.startswith("{{") else ("0", "1")
        self.top.append(f"{name} = " + text.format("x * 2"))
        self.uses.append(
            Use(
                [f"{name}[{key}]({{a}})", f"{name}[{other}]({{a}})"],
                outside=[
                    lambda w: f"{name}[{key}] = lambda x: {w.replacement()}",
                    lambda w: f"{name}[{key}] = {name}[{other}]",
                ],
            )
        )

    def length(self) -> None:
        member = "    def __len__(self):\n        return len(self.items)"
        init = "    def __init__(self):\n        self.items = [np.ones(3), np.ones(3)]"
        iterate = "    def __iter__(self):\n        return iter(self.items)"
        contains = "    def __contains__(self, key):\n        return key < len(self.items)"
        truth = "    def __bool__(self):\n        return len(self.items) > 2"
        members = [init, member, iterate, contains] + ([truth] if self.chance(0.4) else [])
        cls, owner = self._class(members)
        self.places.append(Place(ARRAYS, f"{owner}.items", "", f"{owner}.items", f"{owner}.items = {{v}}"))
        self.uses.append(
            Use(
                [
                    f"{{a}} * len({owner})",
                    f"sum({owner}) + {{a}}",
                    f"({{a}} if {owner} else -{{a}})",
                    f"({{a}} if 2 in {owner} else -{{a}})",
                ],
                [f"len({owner})"],
                [
                    lambda w: f"{cls}.__len__ = lambda self: {w.pick(['5', '1'])}",
                    lambda w: f"{owner}.items.append(np.ones(3))",
                    lambda w: f"{cls}.__contains__ = lambda self, key: {w.pick(['True', 'False'])}",
                    lambda w: f"{cls}.__iter__ = lambda self: iter([np.ones(3)])",
                    lambda w: f"{cls}.__bool__ = lambda self: {w.pick(['True', 'False'])}",
                ],
            )
        )

    def decorated(self) -> None:
        name, deco = self.fresh("helper"), self.fresh("counting")
        self.top.append(
            f"def {deco}(function):\n    calls = [0]\n    total = 0\n\n    @functools.wraps(function)\n    def inner(*args, **kwargs):\n"
            f"        nonlocal total\n        calls[0] += 1\n        total += 1\n        return function(*args, **kwargs) * calls[0] + total\n\n    return inner"
        )
        lines = self.body(["x"], [], 1)
        self.top.append("\n".join([f"@{deco}", f"def {name}(x):", *lines]))
        self.uses.append(
            Use(
                [f"{name}({{a}})"],
                outside=[
                    lambda w: f"{name}.__wrapped__.__code__ = (lambda x: {w.replacement()}).__code__",
                    lambda w: f"{name}.__closure__[0].cell_contents[0] = 7",
                ],
            )
        )

    def generator(self) -> None:
        name = self.fresh("several")
        numbers = [p.text for p in self.places if p.kind == NUMBER] or ["2"]
        self.top.append(f"def {name}(x):\n    for i in range(2):\n        yield x * i + {self.pick(numbers)}")
        self.uses.append(
            Use(
                [f"sum({name}({{a}}))", f"list({name}({{a}}))[-1]", f"next({name}({{a}}))"],
                outside=[
                    lambda w: f"{name}.__code__ = (lambda x: (yield {w.replacement()})).__code__",
                ],
            )
        )

    def block(self) -> None:
        init = "    def __init__(self):\n        super().__init__()\n        self.acts = []\n        self.steps = 0"
        write = self.pick(
            [
                "self.acts.append(x)",
                "self.acts = [*self.acts, x]",
                "self.acts = [x]",
                "self.steps += 1",
                "self.acts += [x * 2]",
                "self.last = x",
            ]
        )
        result = self.pick(
            ["sum(self.acts) + x", "x * len(self.acts)", "x * self.steps", "(self.acts or [x])[-1] * 2", "x"]
        )
        cls, owner = self._class(
            [init, f"    def forward(self, x):\n        {write}\n        return {result}"], "(nn.HybridBlock)"
        )
        self.top.append(f"{owner}.hybridize()" if self.chance(0.3) else "")
        self.uses.append(
            Use(
                [f"{owner}({{a}})"],
                outside=[
                    lambda w: f"{owner}.acts.clear()",
                    lambda w: f"{owner}.acts = [np.ones(3)]",
                    lambda w: f"{owner}.steps = 5",
                    lambda w: f"{cls}.forward = lambda self, x: {w.replacement()}",
                    lambda w: f"{owner}.forward = lambda x: {w.replacement()}",
                ],
            )
        )

    def dense(self) -> None:
        name = self.fresh("dense")
        self.top.append(
            f"{name} = nn.Dense(3, in_units=3, flatten=False)\n{name}.initialize()\n{name}.weight.set_data(np.ones((3, 3)))\n{name}.bias.set_data(np.zeros(3))"
        )
        self.uses.append(
            Use(
                [f"{name}({{a}})", f"({{a}} + {name}.bias.data())"],
                outside=[
                    lambda w: f"{name}.weight.set_data(np.eye(3) * {w.pick(['2', '3'])})",
                    lambda w: f"{name}.bias.data()[:] = 4",
                    lambda w: (
                        f"{name} = nn.Dense(3, in_units=3, flatten=False)\n{name}.initialize()\n{name}.weight.set_data(np.eye(3))"
                    ),
                    lambda w: f"{name}.forward = lambda x: {w.replacement()}",
                ],
            )
        )

    def dunders(self) -> None:
        members = [
            self._init(),
            "    def __add__(self, other):\n        return other + self.v",
            "    def __eq__(self, other):\n        return self.v == other",
            "    __hash__ = None",
            "    def __enter__(self):\n        self.v += 1\n        return self",
            "    def __exit__(self, *error):\n        self.v -= 1",
        ]
        cls, owner = self._class(members)
        self.uses.append(
            Use(
                [f"({owner} + {{a}})", f"({{a}} if {owner} == 2 else -{{a}})"],
                outside=[
                    lambda w: f"{owner}.v = {w.pick(['2', '7'])}",
                    lambda w: f"{cls}.__add__ = lambda self, x: {w.replacement()}",
                    lambda w: f"{cls}.__eq__ = lambda self, other: {w.pick(['True', 'False'])}",
                ],
            )
        )

    def class_with_hooks(self) -> None:
        members = [
            "    def __init__(self):\n        self.v = 1.0",
            self.pick(
                [
                    "    def __getattr__(self, name):\n        if name.startswith('_'):\n            raise AttributeError(name)\n        return self.v + len(name)",
                    "    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value * 2)",
                    "    def __delattr__(self, name):\n        object.__delattr__(self, name)",
                ]
            ),
        ]
        cls, owner = self._class(members)
        self.places.append(Place(NUMBER, f"{owner}.v", "", f"{owner}.v", f"{owner}.v = {{v}}"))
        uses = [f"({{a}} * {owner}.some)"] if "__getattr__" in members[1] else [f"({{a}} + {owner}.v)"]
        changes = [lambda w: f"{owner}.v = 6.0"]
        if "__getattr__" in members[1]:
            changes += [lambda w: f"{cls}.__getattr__ = lambda self, name: 3.0", lambda w: f"{owner}.some = 8.0"]
        self.uses.append(Use(uses, outside=changes))

    def hybridized_helper(self) -> None:
        name = self.fresh("fast")
        lines = self.body(["x"], [], 1)
        self.top.append("\n".join(["@hybridize", f"def {name}(x):", *lines]))
        self.uses.append(
            Use(
                [f"{name}({{a}})"],
                outside=[
                    lambda w: f"{name} = lambda x: {w.replacement()}",
                    lambda w: f"{name}(np.ones(3))",
                ],
            )
        )

    def environment(self) -> None:
        """What the process itself knows."""
        key = self.fresh("HYBRIDIZE_WORLD_")
        texts, changes = self.pick(
            [
                (
                    [
                        f"{{a}} * float(os.environ.get('{key}', '2'))",
                        f"({{a}} if os.environ.get('{key}') else -{{a}})",
                        f"({{a}} if '{key}' in os.environ else -{{a}})",
                        f"({{a}} + len(os.environ.get('{key}', '')))",
                    ],
                    [f"os.environ['{key}'] = '5'", f"os.environ.pop('{key}', None)"],
                ),
                (["{a} * len(sys.argv)", f"({{a}} if '{key}' in sys.argv else -{{a}})"], [f"sys.argv.append('{key}')"]),
                (
                    [f"({{a}} if '{key}' in sys.modules else -{{a}})"],
                    [f"sys.modules['{key}'] = types", f"sys.modules.pop('{key}', None)"],
                ),
                (["({a} + sys.getrecursionlimit())"], ["sys.setrecursionlimit(sys.getrecursionlimit() + 10)"]),
                (
                    [
                        f"({{a}} + globals().get('{key}', 2))",
                        f"({{a}} + vars(sys.modules[__name__]).get('{key}', 2))",
                        f"({{a}} if '{key}' in globals() else -{{a}})",
                    ],
                    [f"{key} = 5", f"{key} = 7.0"],
                ),
                (
                    [f"({{a}} if os.path.exists(os.path.join(tempfile.gettempdir(), '{key}')) else -{{a}})"],
                    [f"open(os.path.join(tempfile.gettempdir(), '{key}'), 'w').close()"],
                ),
                (
                    [
                        f"({{a}} if logging.getLogger('{key}').isEnabledFor(logging.INFO) else -{{a}})",
                        f"({{a}} + logging.getLogger('{key}').level)",
                    ],
                    [
                        f"logging.getLogger('{key}').setLevel(logging.INFO)",
                        f"logging.getLogger('{key}').setLevel(logging.ERROR)",
                    ],
                ),
                ([f"({{a}} * {key}.get())"], [f"{key}.set(5.0)"]),
                ([f"({{a}} * {key}.k)"], [f"{key}.k = 5.0"]),
            ]
        )
        if f"{key}.get()" in texts[0]:
            self.top.append(f"{key} = contextvars.ContextVar('{key}', default=2.0)")
        elif f"{key}.k" in texts[0]:
            self.top.append(f"{key} = threading.local()\n{key}.k = 2.0")
        self.uses.append(Use(texts, outside=[lambda w: w.pick(changes)]))

    def gradient(self) -> None:
        """A step of training: weights with gradients, outside."""
        name, weight = self.fresh("train"), self.fresh("w")
        logs = [place for place in self.places if place.kind == ARRAYS]
        log = f"\n    {self.pick(logs).text}.append(loss)" if logs else ""
        update = self.pick([f"{weight}[:] = {weight} - 0.5 * {weight}.grad", f"{weight}[:] -= {weight}.grad", "pass"])
        result = self.pick(["loss", f"{weight}.grad * 1", f"{weight} + loss"])
        self.top.append(
            f"{weight} = np.array([1.0, 2.0, 3.0])\n{weight}.attach_grad()\n\ndef {name}(x):\n    with autograd.record():\n"
            f"        loss = ({weight} * x).sum()\n    loss.backward()\n    {update}{log}\n    return {result}"
        )
        self.uses.append(
            Use(
                [f"{name}({{a}})"],
                outside=[
                    lambda w: f"{weight}[:] = 2",
                    lambda w: f"{weight}.grad[:] = 7",
                    lambda w: f"{weight}.attach_grad(grad_req='add')",
                    lambda w: f"{weight} = np.ones(3)\n{weight}.attach_grad()",
                    lambda w: f"{weight}.grad_req = 'null'",
                ],
            )
        )

    # ----------------------------------------------------------------------------------------------------- program

    def main(self, form: str, parameters: list[str]) -> None:
        arrays = ["x"]
        numbers = [p for p in parameters if p in ("n", "r")]
        places = [*self.own, *self.own, *self.places]
        if "c" in parameters:
            places.append(Place(self.container, "c", bound=False))
        if form == "method":
            places += [Place(NUMBER, "self.v"), Place(ARRAY, "self.w"), Place(ARRAYS, "self.log")]
        body = Body(self, places, self.uses, arrays, numbers)
        for _ in range(self.random.randint(1, 4)):
            body.statement()
        body.line(f"return {body.returned()}")
        declared = [*parameters, *(f"{name}={value}" for name, value in self.defaults)]
        if form == "closure":
            setters = []
            for name, _ in self.cells:
                setters += [
                    f"    def get_{name}():\n        return {name}\n",
                    f"    def set_{name}(value):\n        nonlocal {name}\n        {name} = value\n",
                ]
            names = [f"{verb}_{name}" for name, _ in self.cells for verb in ("get", "set")]
            self.top.append(
                "\n".join(
                    [
                        "def make():",
                        *(f"    {name} = {value}" for name, value in self.cells),
                        "",
                        f"    def body({', '.join(declared)}):",
                        *body.finished(2),
                        "",
                        *setters,
                        f"    return {', '.join(['body', *names])}",
                        "",
                        "",
                        f"{', '.join(['body', *names])} = make()",
                    ]
                )
            )
            self.top.append("program = hybridize(body)")
        elif form == "method":
            init = "    def __init__(self):\n        self.v = 2.0\n        self.w = np.ones(3)\n        self.log = [np.ones(3)]\n"
            self.top.append(
                "\n".join(
                    [
                        "class Model:",
                        init,
                        f"    def run({', '.join(['self', *declared])}):",
                        *body.finished(2),
                        "",
                        "",
                        "model = Model()\nbody = Model.run",
                    ]
                )
            )
            self.top.append("program = hybridize(model.run)")
        elif form == "block":
            init = "    def __init__(self):\n        super().__init__()\n"
            self.top.append(
                "\n".join(
                    [
                        "class Net(nn.HybridBlock):",
                        init,
                        f"    def forward({', '.join(['self', *declared])}):",
                        *body.finished(2),
                        "",
                        "",
                        "program = hybridize(Net())\nbody = Net.forward",
                    ]
                )
            )
        else:
            self.top.append(
                "\n".join([f"def body({', '.join(declared)}):", *body.finished(1), "", "", "program = hybridize(body)"])
            )

    def argument(self, parameter: str) -> str:
        if parameter == "x":
            return (
                self.pick(
                    [
                        "np.array([1.0, 2.0, 3.0])",
                        "np.array([-1.0, 0.0, 4.0])",
                        "np.ones(3)",
                        "np.array([5.0, -2.0, 1.0])",
                        *self.known_arrays,
                    ]
                )
                if self.chance(0.92)
                else self.pick(
                    [
                        "np.ones(1)",
                        "np.ones((2, 3))",
                        "np.array([1, 2, 3], dtype='int32')",
                        "np.array([0.5, 1.0, 2.0], dtype='float64')",
                    ]
                )
            )
        if parameter == "n":
            return (
                self.pick(["0", "1", "2", "3", "-1", "2"])
                if self.chance(0.8)
                else self.pick(["2**63 - 1", "-2**63", "2**53 + 1", "True", "numpy.int64(3)", "2**70", "2.0"])
            )
        if parameter == "r":
            return (
                self.pick(["0.1", "2.3", "-1.7", "0.5", "3.0"])
                if self.chance(0.75)
                else self.pick(
                    [
                        "1e39",
                        "16777217.0",
                        "math.nan",
                        "float('inf')",
                        "numpy.float32(2.5)",
                        "numpy.float64(0.1)",
                        "2",
                        "-0.0",
                    ]
                )
            )
        return self.value(self.container)

    def call(self, parameters: list[str]) -> str:
        result = self.fresh("out")
        before = []
        arguments = []
        for parameter in parameters:
            text = self.argument(parameter)
            if parameter in ("x", "c") and self.chance(0.4) and "(" in text:
                name = self.fresh("arg")
                before.append(f"{name} = {text}")
                text = name
                if parameter == "x":
                    self.known_arrays.append(name)
            arguments.append(text)
        self.results.append(result)
        return "\n".join([*before, f"{result} = program({', '.join(arguments)})"])

    def outside(self) -> str:
        """What a user does between calls."""
        roll = self.random.random()
        if roll < 0.1 and self.results:
            return f"scribble({self.pick(self.results)})"
        if roll < 0.15 and self.known_arrays:
            return f"{self.pick(self.known_arrays)}[:] = {self.pick(['3', '8'])}"
        changes = [change for use in self.uses for change in use.outside]
        if changes and roll < 0.55:
            return self.pick(changes)(self)
        places = [p for p in (*self.places, *self.own) if p.outside]
        if not places:
            return self.pick(changes)(self) if changes else "pass"
        place = self.pick(places)
        kind = KINDS[place.kind]
        if self.chance(0.4):
            return place.rebind.format(v=self.value(place.kind))
        texts = [*kind.writes, *kind.outside]
        calls = place.outside.endswith((")", "]")) and place.outside.startswith(("get_", "body."))
        if calls:
            texts = [t for t in texts if not t.startswith("{p} ")]
        if not texts:
            return place.rebind.format(v=self.value(place.kind))
        return self.filled(self.pick(texts), place.outside)

    def written(self) -> tuple[str, list[str]]:
        """The module and the steps."""
        form = self.pick(["function", "function", "function", "closure", "closure", "method", "block"])
        self.container = self.pick([ARRAYS, ARRAY_DICT, NUMBERS, TUPLE])
        parameters = ["x", *(p for p, share in (("n", 0.5), ("r", 0.4), ("c", 0.15)) if self.chance(share))]
        self.known_arrays: list[str] = []
        self.results: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            self.place(form)
        for _ in range(self.random.randint(0, 2)):
            self.callable()
        self.main(form, parameters)
        self.steps = [self.call(parameters)]
        if self.chance(0.6):
            self.steps.append(self.call(parameters))
        for _ in range(self.random.randint(2, 4)):
            for _ in range(1 + self.chance(0.3)):
                self.steps.append(self.outside())
            self.steps.append(self.call(parameters))
        return tidy("\n\n".join(part for part in self.top if part)), [tidy(step) for step in self.steps]


def tidy(source: str) -> str:
    """A text as `ast` writes it: without parentheses that are not needed."""
    return ast.unparse(ast.parse(source))


def written(seed: int) -> tuple[str, list[str]]:
    """The module of a seed, and what its user does, step by step."""
    return Writer(seed).written()


def directed(name: str) -> tuple[str, list[str]]:
    """A program of one construct, by its name."""
    construct = CONSTRUCTS[name]
    writer = Writer(0)
    writer.cells = [("c0", "2")]
    names = writer.names_of(construct)
    top, lines, outside = (
        [text.format(**names) for text in part] for part in (construct.top, construct.lines, construct.outside)
    )
    body = "\n".join(["        " + line for line in (*lines, f"return {names['y']}")])
    made = (
        f"def make():\n    c0 = 2\n    def body(x):\n{body}\n    return body\nbody = make()\nprogram = hybridize(body)"
    )
    calls = [f"out{number} = program(np.array([1.0, 2.0, 3.0]) * {number})" for number in range(1, 7)]
    steps = [
        *calls[:3],
        *(step for change, call in zip(outside * 3, calls[3:], strict=False) for step in (change, call)),
    ]
    return tidy("\n".join((*top, made))), [tidy(step) for step in steps]


if __name__ == "__main__":
    import sys

    module, steps = written(int(sys.argv[1]))
    print(PRELUDE + module + "\n\n" + "\n".join(steps))
