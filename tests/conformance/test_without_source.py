"""Functions without source (`python -c`, a prompt, `exec`): what they read is read anew, or they are refused."""

import collections
import dataclasses
import functools
import math
import string

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.errors import CaptureError

PRELUDE = """
class Slotted:
    __slots__ = ("v", "l")

    def __init__(self):
        self.v, self.l = 2.0, [1.0]

    def scaled(self, x):
        return x * self.v

    def asks(self, x):
        return isinstance(x, np.ndarray)


class Called:
    held = [np.zeros(2)]

    def __init__(self):
        self.v, self.l = 2.0, [np.ones(2)]

    def __call__(self, x):
        return x * self.v

    @property
    def p(self):
        return self.v * 3

    @functools.cached_property
    def kept(self):
        return np.ones(2) * self.v


class Net(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.v, self.acts = 2.0, []

    def forward(self, x):
        return x * self.v


def tagged(x):
    return x * numbers[0]


@functools.lru_cache
def cached(k):
    return np.ones(2) * k


@functools.singledispatch
def over(v):
    return v


@over.register(np.ndarray)
def _(v):
    return v * 100


tagged.a = 2.0
tagged.l = [1.0]
slotted, called, net = Slotted(), Called(), Net()
numbers, table, groups = [1.0], {"k": [np.ones(2)]}, collections.Counter()
foreign = numpy.array([1.0, 2.0], dtype="float32")
"""


class World:
    """One copy of the names, and the function, hybridized or not."""

    def __init__(self, text, verb):
        from hybridize.gluon import nn

        modules = {"np": np, "numpy": numpy, "nn": nn, "functools": functools, "collections": collections, "math": math}
        self.names = {"__name__": "without_source", **modules}
        exec(PRELUDE, self.names)
        exec(f"def body(x, n=3):\n    {text}\n", self.names)
        self.function = verb(self.names["body"])

    def call(self, n):
        try:
            return repr(self.function(np.array([1.0, 2.0]), n))
        except CaptureError:
            raise
        except Exception as error:
            return repr(error)

    def state(self):
        found = self.names
        owners = [found["called"], found["net"], found["tagged"], found["Called"]]
        parts = [{name: value for name, value in vars(owner).items() if name[0] != "_"} for owner in owners]
        parts[1].pop("watch", None)
        slotted, containers = found["slotted"], [found["numbers"], found["table"], found["groups"], found["foreign"]]
        return repr([parts[0], parts[1], parts[2], parts[3]["held"], slotted.v, slotted.l, *containers])


READS = {
    "x * slotted.v": "slotted.v = 7.0",
    "x * called.v": "called.v = 7.0",
    "x + sum(slotted.l)": "slotted.l.append(4.0)",
    "sum(called.l)": "called.l.append(np.ones(2))",
    "slotted.scaled(x)": "Slotted.scaled = lambda self, x: x * 99",
    "called(x)": "Called.__call__ = lambda self, x: x * 99",
    "called.p * x": "called.v = 9.0",
    "sum(Called.held) + x": "Called.held.append(np.ones(2))",
    "type(called).held[0]": "Called.held = [np.ones(2)]",
    "net.v * x": "net.v = 5.0",
    "net(x)": "net.v = 5.0",
    "x * tagged.a": "tagged.a = 4.0",
    "x * tagged.l[-1]": "tagged.l.append(4.0)",
    "tagged(x)": "numbers[0] = 5.0",
    "sum(table['k'])": "table['k'].append(np.ones(2))",
    "sum(groups.values()) * x": "groups['b'] = 4",
    "x + foreign": "foreign[0] = 9",
    "getattr(called, 'v') * x": "called.v = 4",
    "vars(called)['v'] * x": "called.v = 4",
    "called.nothing": "called.nothing = 4",
    "hasattr(called, 'nothing')": "called.nothing = 4",
    "'k' in numbers": "numbers.append('k')",
    "x if isinstance(x, np.ndarray) else -x": "pass",
    "(isinstance(n, int), type(n) is int, str(n), f'{n}')": "pass",
    "math.sqrt(n) * x": "pass",
    "x if n > 2 else -x": "pass",
    "collections.OrderedDict(a=x)['a'] * called.v": "called.v = 4",
}


@pytest.mark.parametrize("text", READS)
def test_what_they_read_is_read_anew(text):
    made, python = World(f"return {text}", hybridize), World(f"return {text}", lambda f: f)
    for change, n in (("pass", 3), (READS[text], 3), ("pass", 3), ("pass", 1)):
        for world in (made, python):
            exec(change, world.names)
        assert made.call(n) == python.call(n)
    assert made.function.cache_info().captures > 0


REFUSED = (
    "slotted.v = 3",
    "slotted.l.append(x)",
    "called.l[0] = [x]",
    "called.v += 1",
    "Called.held.append(x)",
    "type(called).held.append(x); called.held = []",
    "Called.held = [x]",
    "net.acts.append(x)",
    "net.v = x",
    "tagged.a = x",
    "tagged.l[0] = [x]",
    "tagged.l += [2.0]",
    "table['k'].append(x)",
    "table['k'] = x",
    "groups['b'] += 1",
    "foreign[0] = 4",
    "global numbers; numbers = [x]",
    "numbers.append(2); raise ValueError('no')",
    "called.l.append(x); there_is_no_such_name",
    "return called.kept",
    "return cached(2)",
    "return over(x)",
    "return slotted.asks(x)",
)


@pytest.mark.parametrize("text", REFUSED)
def test_what_they_change_is_refused_and_left_alone(text):
    made = World(text, hybridize)
    before = made.state()
    for _ in range(2):
        with pytest.raises(CaptureError, match="E431"):
            made.call(3)
        assert made.state() == before


def test_exceptions_and_objects_of_their_own():
    assert World("raise ValueError('no')", hybridize).call(3) == "ValueError('no')"
    made = World("l = [x]; l.append(x * 2); return sum(l), l", hybridize)
    assert made.call(3) == World("l = [x]; l.append(x * 2); return sum(l), l", lambda f: f).call(3)


SHOWN = {
    "f'{x}'": "x", "f'{x!r}'": "x", "f'{x!s:>9}'": "x", "'%s' % x": "x", "'%r' % (x,)": "x", "'{}'.format(x * 2)": "x",
    "str(x + 1)": "x", "ascii([x])": "x", "f'{kept}'": "kept", "'%s' % [kept]": "kept", "f'{pair}'": "pair",
    "'{}'.format(pair)": "pair", "string.Template('$a').substitute(a=x)": "x",
}  # fmt: skip
"""Text that code makes of arrays: an argument, one from outside, one in an object of its own."""


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.parametrize("use", ["return {}", "print({})", "raise ValueError({})", "d = {{}}; d[{}] = x; return d"])
def test_text_of_arrays_is_refused_at_its_line(text, use):
    """It would be that of the first call in all others, or say what is none of the user's business."""
    names = {"np": np, "string": string, "dataclasses": dataclasses, "kept": np.ones(2)}
    pair = "@dataclasses.dataclass\nclass Pair:\n    w: object\npair = Pair(kept)\n"
    exec(compile(f"{pair}def f(x):\n    {use.format(text)}", "<no source>", "exec"), names)
    with pytest.raises(CaptureError, match="E424") as raised:
        hybridize(names["f"])(np.ones(2))
    assert (raised.value.loc.file, raised.value.loc.line) == ("<no source>", 6)
    assert "Symbol" not in str(raised.value)


def test_what_looks_at_programs_is_shown_symbols():
    """A debugger, say, which stops in a function that is being captured."""
    asked = {"__name__": "pdb", "repr": repr}
    exec(compile("def shown(x):\n    return len(repr(x))", "pdb.py", "exec"), asked)
    names = {"np": np, "shown": asked["shown"]}
    exec(compile("def f(x):\n    return x * shown(x)", "<no source>", "exec"), names)
    assert float(hybridize(names["f"])(np.ones(2))[0]) > 2
