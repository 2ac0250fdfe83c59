"""Conversion of source: what is found, what stays the user's, and that converted code is plain Python outside a capture."""

import ast
import functools
import linecache
import subprocess
import sys
import traceback

import pytest

from hybridize.array import np
from hybridize.capture import Function
from hybridize.capture.convert.scopes import bound_names, escapes
from hybridize.capture.convert.source import find
from hybridize.capture.convert.statements import converted, converted_code, is_converted
from hybridize.capture.python.router import Router

LAMBDAS = [lambda x: x + 1, lambda x: (x if x > 2 else
                                       -x), lambda: 3]  # fmt: skip


def plain(function, *args, **kwargs):
    """What the converted function does where nothing is captured."""
    made = converted(function, Router(function))
    assert made is not None
    assert is_converted(made)
    return made(*args, **kwargs)


def everything(items, limit=3, *rest, flag=False, **named):
    """A bit of all statements."""
    total, seen = 0, []
    for i, item in enumerate(items):
        if item is None:
            continue
        if i > limit:
            break
        total += item
        seen.append(item)
    else:
        seen.append("end")
    while total > 100 and not flag:
        total -= 10
    try:
        value = {"a": [1, 2]}["a"][named.get("at", 0)]
    except IndexError as error:
        value = str(error)
    finally:
        seen.append("finally")
    match rest:
        case (first, *_):
            seen.append(first)
        case _:
            seen.append(None)
    nested = [(a, b) for a in range(2) for b in "xy" if a or b == "y"]
    chained = 0 < total < 50 or (lambda z: z * 2)(total) if seen else None
    assert limit != 99, f"{limit} is too much"
    del i
    if (n := len(seen)) > 2:
        return total, seen, value, nested, chained, n
    return seen


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([1, 2, 3],), {}), (([1, None, 200], 1), {}), (([5] * 9, 3, "r", "s"), {"flag": True, "at": 7}), (([7],), {"at": 1}),
    ],
)  # fmt: skip
def test_converted_code_is_plain_python(args, kwargs):
    assert plain(everything, *args, **kwargs) == everything(*args, **kwargs)


def test_errors_are_pythons_own():
    with pytest.raises(AssertionError, match="99 is too much"):
        plain(everything, [], 99)

    def unbound(flag):
        if flag:
            y = 1
        return y

    assert plain(unbound, True) == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        plain(unbound, False)


def test_defaults_closures_and_names():
    by = 3

    def function(x, y=2, *, z=4):
        nonlocal by
        by += 1
        return x * y * z * by

    made = converted(function, Router(function))
    assert made(1) == 32
    assert by == 4, "the very cell of the user's"
    assert (made.__name__, made.__defaults__, made.__kwdefaults__) == ("function", (2,), {"z": 4})
    assert made.__globals__ is globals()


def test_private_names_and_super():
    class Base:
        def value(self):
            return 1

    class Derived(Base):
        def __init__(self):
            self.__hidden = 5

        def value(self):
            for _ in range(2):
                if self.__hidden > 3:
                    return super().value() + self.__hidden
            return None

    assert plain(Derived.value, Derived()) == 6


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


class Halves:
    """Methods that name their class, the function beside it, and a function of their own name."""

    BY = 2

    def own(self, n):
        return n // Halves.BY

    def factorial(self, n):
        return factorial(n) // Halves.BY

    def own_super(self, n):
        return super(Halves, self).__thisclass__, n  # noqa: UP008

    class Inner:
        def own(self, n):
            return Halves.Inner, n


def test_functions_and_methods_that_name_themselves_have_a_source():
    def nested(n):
        return 0 if n == 0 else nested(n - 1)

    assert plain(factorial, 5) == 120
    assert plain(nested, 3) == 0
    assert plain(Halves.own, Halves(), 5) == 2
    assert plain(Halves.factorial, Halves(), 4) == 12
    assert plain(Halves.own_super, Halves(), 1) == (Halves, 1)
    assert plain(Halves.Inner.own, Halves.Inner(), 1) == (Halves.Inner, 1)


def test_generators_and_decorated_functions():
    def generator(n):
        for i in range(n):
            if i % 2:
                yield i * 2

    assert list(plain(generator, 6)) == [2, 6, 10]

    def noted(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) + 1

        return inner

    @noted
    def decorated(x):
        return x * 2

    assert plain(decorated, 3) == 7


FOLDED = [lambda x: "s" if False else x + 1, lambda x: x if True else "s", lambda x: None and x, lambda x: 0 or x * 3,  # noqa: SIM223
          lambda x: (1, 2)[0] + x, lambda x: "a" "b" if not x else -x]  # fmt: skip


@pytest.mark.parametrize(("number", "expected"), [(0, 3), (1, 2), (2, None), (3, 6), (4, 3), (5, -2)])
def test_lambdas_of_which_constants_decide_a_part(number, expected):
    """The compiler writes no instruction for what is never taken, so those that are there do not cover the body."""
    assert plain(FOLDED[number], 2) == expected


def test_lambdas_on_one_line_are_told_apart():
    assert plain(LAMBDAS[0], 2) == 3
    assert plain(LAMBDAS[1], 2) == -2
    assert plain(LAMBDAS[2]) == 3
    sources = [ast.unparse(find(one.__code__, globals()).tree) for one in LAMBDAS]
    assert sources == ["lambda x: x + 1", "lambda x: x if x > 2 else -x", "lambda: 3"]


@pytest.mark.parametrize("before", ["", "    assert True\n", "    def inner():\n        assert x\n"])
def test_a_changed_file_is_no_source(tmp_path, before):
    path = tmp_path / "changed.py"
    path.write_text(f"def f(x):\n{before}    return x + 1\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    path.write_text(f"def f(x):\n{before}    return x + 2\n")
    linecache.checkcache(str(path))
    assert find(names["f"].__code__, names) is None
    assert Function(names["f"])(np.array([1.0])).item() == 2.0, "what runs, not what stands there now"


def test_asserts_are_left_out_where_python_does_so(tmp_path):
    path = tmp_path / "optimized.py"
    path.write_text(
        "from hybridize import hybridize, np\n"
        "def f(x):\n"
        "    if x.sum() > 0:\n"
        "        assert len(x) > 5, 'short'\n"
        "    assert x.sum() > 100\n"
        "    return x * 2\n"
        "print(hybridize(f)(np.array([1.0])))\n"
    )
    for flags, expected in (([], "short"), (["-O"], "[2.]")):
        ran = subprocess.run([sys.executable, *flags, str(path)], capture_output=True, text=True, timeout=120)
        assert expected in (ran.stdout if flags else ran.stderr)


def steps_of_conversion(path, count):
    """The number of Python calls that converting `count` branches takes, one in the other."""
    path.write_text(
        "def f(x, k):\n    if k < 0:\n        y = x\n"
        + "".join(f"    elif k == {number}:\n        y = x * {number}\n" for number in range(count))
        + "".join(f"    if k == {number}:\n        return y\n" for number in range(count))
    )
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    steps = 0

    def counted(frame, event, argument):
        nonlocal steps
        steps += event == "call"

    sys.setprofile(counted)
    try:
        made = converted_code(names["f"].__code__, names)
    finally:
        sys.setprofile(None)
    assert made is not None
    return steps


def test_conversion_takes_time_in_proportion_to_the_source(tmp_path):
    once, twice = (steps_of_conversion(tmp_path / f"branches{count}.py", count) for count in (40, 80))
    assert twice < 3 * once


def test_functions_that_look_at_their_frame_are_left_alone():
    def function(x):
        return locals()

    assert converted_code(function.__code__, globals()) is None


def test_conversion_is_remembered():
    def function(x):
        return x + 1

    assert converted_code(function.__code__, globals()) is converted_code(function.__code__, globals())


def raises_deep_inside(x):
    y = x + 1
    for _ in range(2):
        if y.ndim == 1:
            raise KeyError("mine")
    return y


def test_tracebacks_show_the_users_lines_only():
    fast = Function(raises_deep_inside)
    with pytest.raises(KeyError, match="mine") as caught:
        fast(np.array([1.0]))
    frames = traceback.extract_tb(caught.value.__traceback__)
    mine = [frame for frame in frames if frame.filename == __file__]
    assert mine[-1].line == 'raise KeyError("mine")'
    assert {frame.name for frame in mine} <= {"raises_deep_inside", "test_tracebacks_show_the_users_lines_only"}
    assert not any("flow.py" in frame.filename or "router.py" in frame.filename for frame in frames)


def test_lines_of_nodes_are_the_users():
    def function(x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y

    first = function.__code__.co_firstlineno
    graph = Function(function).program(np.array([1.0, 2.0])).captured
    (cond,) = [node for node in graph.nodes if node.op.name == "cond"]
    lines = {node.op.name: node.loc.line - first for node in cond.op.then.nodes}
    assert lines["mul"] == 2
    assert {node.loc.function for node in cond.op.orelse.nodes} == {"function"}
    assert cond.loc.file == __file__


def statements(text):
    return ast.parse(text).body


def test_names_that_statements_bind():
    text = """
a, (b, *c) = 1, (2, 3)
for d in []: e = [x for x in [] if (f := x)]
with g as h: import i.j, k as l
def m(n): o = 1
class P: q = 1
try: pass
except E as r: del s
match t:
    case {"u": v, **w} | [v, *w]: pass
x.y = z[0] = 1
"""
    assert bound_names(statements(text)) == set("abcdefhilmrsvw") | {"P"}


@pytest.mark.parametrize(
    ("text", "returns", "loops"),
    [
        ("x = 1", False, False), ("if a: return", True, False), ("for i in a: break", False, False),
        ("for i in a:\n  pass\nelse: break", False, True), ("while a: return", True, False),
        ("with a: continue", False, True), ("def f(): return", False, False), ("try: pass\nfinally: break", False, True),
        ("match a:\n  case 1: return", True, False),
    ],
)  # fmt: skip
def test_how_statements_leave(text, returns, loops):
    found = escapes(statements(text))
    assert (found.returns, found.loops) == (returns, loops)


def test_deep_nesting():
    text = "def f(x):\n"
    for depth in range(15):
        text += "    " * (depth + 1) + f"if x > {depth}:\n"
    text += "    " * 16 + "return x\n    return -x\n"
    name = "/deep.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    assert plain(names["f"], 20) == 20
    assert plain(names["f"], 3) == -3
    assert sys.getrecursionlimit() >= 1000


def test_a_file_that_imports_nothing_but_everything(tmp_path):
    path = tmp_path / "star.py"
    path.write_text("from math import *\ndef f(x): return x + 1\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert find(names["f"].__code__, names) is not None
