"""Arrays from outside, ours and NumPy's, written in place: wherever they live, however written, in whatever branch."""

import linecache
from itertools import product

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np

WRITES = (
    "{a} += x", "{a} *= 2", "{a}[:] = x", "{a}[1] = x[0]", "{a}[1] = (-{a})[0]", "{a}[{a} > 0] = 5.0",
    "numpy.add({a}, 1.0, out={a})", "np.add({a}, 1.0, out={a})", "{a}[0] += 2.0",
)  # fmt: skip
BRANCHES = (
    "if x.sum() > 3:\n    {w}",
    "if ({a} > 0).all():\n    {w}",
    "if x.sum() > 3:\n    {w}\nelse:\n    {a}[2] = 7.0",
    "if x.sum() > 0:\n    if x[0] > 3:\n        {w}\n    else:\n        {a}[:] = x",
    "for i in range(3):\n    {w}\n    if {a}.sum() > 8:\n        break",
    "while {a}.sum() < 9:\n    {w}\n    {a}[:] = {a} + 3",
    "{a}[2] = 7.0\nif x.sum() > 3:\n    {w}",
    "if x.sum() > 3:\n    {w}\nelse:\n    {w}",
    "{w}",
)

# Where the array lives: code before, statements that take it as `a` (in `h` instead of `f`, if there is one), its name
# in the statements that write, and afterwards.
HOMES = {
    "a default": ("", "def f(x, a=ARRAY):", "pass", "a", "f.__defaults__[0]"),
    "a default by name": ("", "def f(x, *, a=ARRAY):", "pass", "a", "f.__kwdefaults__['a']"),
    "a default of a callee": ("", "def h(x, a=ARRAY):", "pass", "a", "h.__defaults__[0]"),
    "a default, twice": ("", "def h(x, a=ARRAY, twice=True):", "pass", "a", "h.__defaults__[0]"),
    "a default of a lambda": ("h = lambda d=ARRAY: d", "def f(x):", "a = h()", "a", "h()"),
    "a list in a default": ("", "def f(x, d=[ARRAY]):", "a = d[0]", "a", "f.__defaults__[0][0]"),
    "a tuple in a default": ("", "def f(x, d=(ARRAY, 1)):", "a, _ = d", "a", "f.__defaults__[0][0]"),
    "a dict in a default": (
        "", "def f(x, d={'k': ARRAY}):", "for a in d.values():\n    pass", "a", "f.__defaults__[0]['k']"
    ),
    "a global": ("g = ARRAY", "def f(x):", "a = g", "a", "g"),
    "a view of a global": ("g = ARRAY", "def f(x):", "a = g[:]", "a", "g"),
    "an attribute": ("class O: pass\no = O()\no.a = ARRAY", "def f(x):", "pass", "o.a", "o.a"),
    "a class attribute": ("class O: a = ARRAY\no = O()", "def f(x):", "a = o.a", "a", "O.a"),
    "getattr": ("class O: pass\no = O()\no.a = ARRAY", "def f(x):", "a = getattr(o, 'a')", "a", "o.a"),
    "vars": ("class O: pass\no = O()\no.a = ARRAY", "def f(x):", "a = vars(o)['a']", "a", "o.a"),
    "an argument": ("g = ARRAY\ndef f(x):\n    return h(x, g)", "def h(x, a):", "pass", "a", "g"),
    "starred": ("l = [ARRAY]\ndef f(x):\n    return h(x, *l)", "def h(x, *r):", "a = r[0]", "a", "l[0]"),
    "named": ("l = {'a': ARRAY}\ndef f(x):\n    return h(x, **l)", "def h(x, a):", "pass", "a", "l['a']"),
    "partial": ("def f(x):\n    return p(x)", "def h(a, x):", "pass", "a", "p.args[0]"),
    "partial by name": ("def f(x):\n    return q(x)", "def h(x, a):", "pass", "a", "q.keywords['a']"),
    "for": ("l = [ARRAY]", "def f(x):", "for a in l:\n    pass", "a", "l[0]"),
    "for in a slice": ("l = [ARRAY]", "def f(x):", "for a in l[:]:\n    pass", "a", "l[0]"),
    "enumerate": ("l = [ARRAY]", "def f(x):", "for i, a in enumerate(l):\n    pass", "a", "l[0]"),
    "items": ("l = {'a': ARRAY}", "def f(x):", "a = [v for k, v in l.items()][-1]", "a", "l['a']"),
    "next": ("l = [ARRAY]", "def f(x):", "a = next(iter(l))", "a", "l[0]"),
    "itemgetter": ("l = [ARRAY]", "def f(x):", "a = operator.itemgetter(0)(l)", "a", "l[0]"),
    "max": ("l = [ARRAY]", "def f(x):", "a = max(l, key=len)", "a", "l[0]"),
    "sorted": ("l = [ARRAY]", "def f(x):", "a = sorted(l, key=len)[0]", "a", "l[0]"),
    "setdefault": ("l = {0: ARRAY}", "def f(x):", "a = l.setdefault(0, 1)", "a", "l[0]"),
    "pop": ("l = [ARRAY]\ng = l[0]", "def f(x):", "a = l.pop()\nl.append(a)", "a", "g"),
    "a shallow copy": ("l = [ARRAY]", "def f(x):", "a = copy.copy(l)[0]", "a", "l[0]"),
    "a sum of lists": ("l = [ARRAY]", "def f(x):", "a = ([] + l)[0]", "a", "l[0]"),
    "the rest": ("l = [ARRAY]", "def f(x):", "*_, a = l", "a", "l[0]"),
    "a nested list": ("l = [[ARRAY]]", "def f(x):", "(a,), = l", "a", "l[0][0]"),
    "a merged dict": ("l = {'a': ARRAY}", "def f(x):", "a = {**l}['a']", "a", "l['a']"),
    "yield from": ("l = [ARRAY]\ndef g():\n    yield from l", "def f(x):", "for a in g():\n    pass", "a", "l[0]"),
    "a named tuple": ("l = Pair(ARRAY)", "def f(x):", "a = l.w", "a", "l.w"),
    "a named tuple, unpacked": ("l = Pair(ARRAY)", "def f(x):", "(a,) = l", "a", "l.w"),
    "ChainMap": ("l = collections.ChainMap({'a': ARRAY})", "def f(x):", "a = l['a']", "a", "l['a']"),
    "UserList": ("l = collections.UserList([ARRAY])", "def f(x):", "for a in l:\n    pass", "a", "l[0]"),
    "match": ("l = [ARRAY]", "def f(x):", "match l:\n    case [a]:\n        pass", "a", "l[0]"),
    "a guarded match": ("l = [ARRAY]", "def f(x):", "match l:\n    case [a] if len(l) == 1:\n        pass", "a", "l[0]"),
}  # fmt: skip
ARRAYS = {
    "ours": ("np.array([1.0, 2.0, 3.0])",),
    "numpy": ("numpy.array([1.0, 2.0, 3.0], dtype='float32')", "numpy.array([1.0, 2.0, 3.0])"),
}
GIVEN = ([1.0, 1.0, 1.0], [4.0, 0.0, 1.0], [-1.0, 2.0, 0.0], [5.0, 5.0, 5.0])
IMPORTS = "import collections, copy, functools, operator, numpy\nPair = collections.namedtuple('Pair', 'w')\n"


def _indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def program(home, array, write, branch):
    """Return the text of a program, and the expression of its array."""
    before, head, taking, name, after = HOMES[home]
    body = _indented(taking) + _indented(branch.format(w=write.format(a=name), a=name))
    made = f"{head}\n{body}    return {name} + 0\n"
    if head.startswith("def h"):
        made += "p, q = functools.partial(h, ARRAY), functools.partial(h, a=ARRAY)\n" if "partial" in home else ""
        if "default" in home:
            made += f"def f(x):\n    return h(x){' * 2 + h(x)' if 'twice' in home else ''}\n"
    return f"{IMPORTS}{before}\n{made}".replace("ARRAY", array), after


def results(text, after, compiled):
    """Return what calls give, and the array after each."""
    file = f"<written arrays {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"np": np, "__name__": "written_arrays"}
    exec(compile(text, file, "exec"), names)
    called, found = names["f"], []
    if compiled:
        called = hybridize(called, backend="numpy")
    for values in GIVEN:
        found.append(numpy.asarray(called(np.array(values))).tolist())
        found.append(numpy.asarray(eval(after, names)).tolist())
    return found


def check(home, array, write, branch):
    text, after = program(home, array, write, branch)
    assert results(text, after, True) == results(text, after, False), text


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("home", HOMES)
def test_arrays_of_the_surroundings_are_written_in_branches(home, kind):
    start = list(HOMES).index(home)
    for number, write in enumerate(WRITES):  # each write in one branch; all of them: the next test
        array = ARRAYS[kind][number % len(ARRAYS[kind])]
        check(home, array, write, BRANCHES[(number + start) % len(BRANCHES)])


@pytest.mark.long
@pytest.mark.parametrize("home", HOMES)
def test_arrays_of_the_surroundings_are_written_in_all_branches(home):
    arrays = [array for made in ARRAYS.values() for array in made]
    for array, write, branch in product(arrays, WRITES, BRANCHES):
        check(home, array, write, branch)
