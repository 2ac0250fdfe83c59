"""Errors point at the user's own line: through blocks, nested functions, converted code and operators.

The line that an error must name is marked with the comment `here` in this file.
"""

import contextlib
import dataclasses
import functools
import inspect
import linecache
import math
import os
import signal
import subprocess
import sys
import threading
import traceback

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.base.config import CONFIG
from hybridize.base.errors import CaptureError, GraphError, HybridizeError, OutOfBoundsError, ReadError, ShapeError
from hybridize.base.locations import PACKAGE
from hybridize.gluon import HybridBlock, nn
from tests.platforms.marks import signals

X = np.ones((2, 3))


def operator(x):
    y = x * 2
    return y @ np.ones((4, 2))  # here


def function(x):
    y = x + 1
    return np.concatenate([y, np.ones((3, 2))])  # here


def method(x):
    return x.reshape(
        5,
        7,
    )  # the call begins two lines above: see `begins`


def index(x):
    y = x.T
    return y[
        7,
        0,
    ]  # the subscript begins three lines above


def branch(x):
    if x.sum() > 0:
        y = x + 1
        z = np.ones((4,)) + y  # here
        return z
    return x


def loop(x):
    for i in range(3):
        y = x + i
        x = y @ x  # here
    return x


def data_loop(x):
    while x.sum() < 100:
        y = x * 2
        x = np.dot(y, y)  # here
    return x


def helper(x, width):
    return np.dot(x, np.ones((width, 2)))  # here


def nested(x):
    def inner(y):
        return helper(y, 9)

    return inner(x) + 1


def comprehension(x):
    return [y + np.ones((5,)) for y in (x, x)]  # here


def conditional(x):
    flag = True
    return x.reshape(4) if flag else x  # here


def in_lambda(x):
    f = lambda a: np.matmul(a, a)  # here  # noqa: E731
    return f(x)


def in_default(x, *, scale=2.0):
    return npx.layer_norm(x * scale, np.ones(5), np.ones(5))  # here


def augmented(x):
    x = x * 1
    x += np.ones((7,))  # here
    return x


def assigned(x):
    x = x * 1
    x[0] = np.ones((7,))  # here
    return x


def written_out_of_bounds(x):
    x = x * 1
    x[9] = 1.0  # here
    return x


class Layer(HybridBlock):
    """A block with an error in its forward."""

    def forward(self, x):
        h = x * 2
        return h @ h  # here


class Outer(HybridBlock):
    """A block around it."""

    def __init__(self):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Dropout(0.5), Layer())

    def forward(self, x):
        return self.body(x) + 1


class Old(HybridBlock):
    """MXNet 1.x's way to write a block."""

    def hybrid_forward(self, F, x):
        y = F.relu(x)
        return F.concat(y, F.ones((5, 5)), dim=0)  # here


def marked(function):
    """The number of the line that says `here` in the source of a function or class."""
    lines, start = inspect.getsourcelines(function)
    (number,) = (i for i, line in enumerate(lines) if "# here" in line)
    return start + number


CASES = [
    operator, function, branch, loop, data_loop, comprehension, conditional, in_lambda, in_default, augmented,
    assigned, written_out_of_bounds,
]  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_functions(case, compiled):
    call = hybridize(case) if compiled else case
    with pytest.raises(HybridizeError) as caught:
        call(X)
    assert caught.value.loc.file == __file__
    assert caught.value.loc.line == marked(case), str(caught.value)
    assert linecache.getline(__file__, marked(case)).strip() in str(caught.value)
    if not (compiled and case in (branch, data_loop)):  # there the program raises when it runs, and Python is not there
        assert (__file__, marked(case)) in frames(caught), "the traceback shows the line, too"


@pytest.mark.parametrize("compiled", [False, True])
def test_nested_functions(compiled):
    with pytest.raises(ShapeError) as caught:
        (hybridize(nested) if compiled else nested)(X)
    assert (caught.value.loc.file, caught.value.loc.line) == (__file__, marked(helper))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("case", "text"), [(method, "x.reshape("), (index, "y[")])
def test_expressions_of_several_lines(case, text, compiled):
    with pytest.raises((ShapeError, OutOfBoundsError)) as caught:
        (hybridize(case) if compiled else case)(X)
    lines, start = inspect.getsourcelines(case)
    (first,) = (start + i for i, line in enumerate(lines) if text in line)
    assert caught.value.loc.file == __file__
    assert first <= caught.value.loc.line <= first + 3


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("net", "where"), [(Layer, Layer), (Outer, Layer), (Old, Old)])
def test_blocks(net, where, compiled):
    block = net()
    if compiled:
        block.hybridize()
    with pytest.raises(ShapeError) as caught:
        block(X)
    assert (caught.value.loc.file, caught.value.loc.line) == (__file__, marked(where)), str(caught.value)
    with pytest.raises(ShapeError):  # and again: nothing was kept of the first try
        block(X)


def test_layers_point_at_the_call():
    """A layer of ours has no line of the user's inside: the call of the net is the line."""
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.Dense(2, in_units=5))
    net.initialize()
    net.hybridize()
    with pytest.raises(ShapeError) as caught:
        net(X)
    assert caught.value.loc.function == "test_layers_point_at_the_call"
    assert "net(X)" in str(caught.value)


# ------------------------------------------------------------------------------------------------------- refusals


def reads_numpy(x):
    y = numpy.asarray(x)  # here
    return np.array(y)


def reads_asnumpy(x):
    for _ in range(2):
        x = x + x.asnumpy().max()  # here
    return x


def opens_a_file(x):
    with open("/dev/null") as file:  # here
        file.read()
    return x


REFUSED = [reads_numpy, reads_asnumpy, opens_a_file]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.__name__)
def test_refusals(case):
    fast = hybridize(case)
    for _ in range(2):
        with pytest.raises(CaptureError) as caught:
            fast(X)
        assert (caught.value.loc.file, caught.value.loc.line) == (__file__, marked(case)), str(caught.value)
        assert caught.value.help


def divides(x):
    n = 3 - 3
    return x / (1 // n)  # here


def looks_up(x):
    table = {"a": 1}
    if x.shape[0]:
        return x * table["b"]  # here
    return x


def attribute(x):
    return x.nosuch  # here


@pytest.mark.parametrize("case", [divides, looks_up, attribute], ids=lambda case: case.__name__)
def test_foreign_errors_keep_their_class_and_line(case):
    fast = hybridize(case)
    with pytest.raises((ZeroDivisionError, KeyError, AttributeError)) as caught:
        fast(X)
    assert (__file__, marked(case)) in frames(caught)


def frames(caught):
    return [(frame.filename, frame.lineno) for frame in traceback.extract_tb(caught.tb)]


# ----------------------------------------------------------------------------------------------------- tracebacks


def _failing():
    net = nn.HybridSequential()
    net.add(nn.Dense(3), nn.Dense(4))
    net.initialize()
    net(np.ones((2, 5)))
    active = nn.Dense(3, in_units=5)
    active.initialize()
    active.hybridize()
    fast = hybridize(lambda x: x.reshape(7))
    return {
        "function": lambda: np.concatenate([np.ones(3), np.ones((2, 2))]),
        "objection": lambda: np.take(np.ones(3), "a"),
        "method": lambda: np.ones(3).reshape(4),
        "operator": lambda: np.ones(3) + np.ones(4),
        "product": lambda: np.ones(3) @ np.ones((4, 2)),
        "net": lambda: net(np.ones((2, 6))),
        "compiled net": lambda: active(np.ones((2, 6))),
        "compiled function": lambda: fast(np.ones(3)),
    }


@pytest.mark.parametrize("name", list(_failing()))
@pytest.mark.parametrize("full", [False, True])
def test_tracebacks_hide_the_frames_of_the_package(name, full, monkeypatch):
    """But for the few that an operator leaves by; `HYBRIDIZE_TRACEBACK=full` shows all."""
    monkeypatch.setattr(CONFIG, "full_tracebacks", full)
    with pytest.raises(HybridizeError) as caught:
        _failing()[name]()
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    assert len(ours) > 1 if full else len(ours) <= 4, frames
    assert frames[1].filename == __file__
    if name in ("function", "objection", "net", "compiled net", "compiled function"):
        assert bool(ours) == full
    text = "".join(traceback.format_exception(caught.value))
    assert text.count(PACKAGE) == len(ours) or full


def test_errors_of_the_user_keep_the_users_frames():
    class Mine(nn.HybridBlock):
        def forward(self, x):
            return helper(x)

    def helper(x):
        raise KeyError("mine")

    for active in (False, True):
        block = Mine()
        block.hybridize(active)
        with pytest.raises(KeyError) as caught:
            block(X)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert names == ["test_errors_of_the_user_keep_the_users_frames", "forward", "helper"]


def test_defects_of_the_package_keep_all_frames(monkeypatch):
    def broken(*_, **__):
        raise GraphError("E901", "a defect")

    monkeypatch.setattr(nn.Dense, "forward", broken)
    net = nn.Dense(3)
    with pytest.raises(GraphError) as caught:
        net(X)
    assert any(frame.filename.startswith(PACKAGE) for frame in traceback.extract_tb(caught.value.__traceback__))


def _in_programs():
    class Broken:
        def write(self, text):
            raise OSError(28, "no space")

    @hybridize
    def asserts(x):
        assert x.sum() > 0
        return x

    @hybridize
    def raises(x):
        if x.sum() < 0:
            raise KeyError("mine")
        return x

    @hybridize
    def prints(x):
        print(x.sum(), flush=True)
        return x

    @hybridize
    def loops(x):
        while x.sum() < 0:
            x = x - 1
        return x

    def printed(x):
        with contextlib.redirect_stdout(Broken()):
            return prints(x)

    def interrupted(x):
        loops(-x)
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            return loops(x)
        finally:
            timer.join()

    return {
        "assert": (asserts, AssertionError), "raise": (raises, KeyError),
        "print": pytest.param(printed, OSError), "Ctrl-C": pytest.param(interrupted, KeyboardInterrupt, marks=signals),
    }  # fmt: skip


@pytest.mark.parametrize(("call", "kind"), list(_in_programs().values()), ids=list(_in_programs()))
@pytest.mark.parametrize("full", [False, True])
def test_what_a_program_raises_hides_the_frames_of_the_package(call, kind, full, monkeypatch):
    """At the first call, which compiles, and at later ones, which emitted code serves."""
    monkeypatch.setattr(CONFIG, "full_tracebacks", full)
    for _ in range(3):
        with pytest.raises(kind) as caught:
            call(np.array([-1.0, -2.0]))
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert frames[0].filename == __file__
        assert full or not [frame for frame in frames if frame.filename.startswith(PACKAGE)]


def test_uncaught_errors_show_the_users_lines(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("from hybridize import np\n\nnp.ones(3) + np.ones(4)\n")
    for extra, shown in (({}, False), ({"HYBRIDIZE_TRACEBACK": "full"}, True)):
        done = subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, env={**os.environ, **extra}, check=False
        )
        assert "ShapeError E101" in done.stderr and str(program) in done.stderr
        assert (PACKAGE in done.stderr) == shown


def test_lines_of_pythons_own_modules_are_nobodys():
    """Python's wrappers call what they are given: the line is that of who called them."""
    joined = functools.singledispatch(np.concatenate)
    with pytest.raises(ShapeError) as caught:
        joined([np.ones(3), np.ones((2, 2))])
    assert caught.value.loc.file == __file__
    assert "joined([" in caught.value.loc.text


@dataclasses.dataclass
class Pair:
    left: int
    right: int = 0


WRONG = {
    "x * None": "x * None",
    "x < None": "x < None",
    "-None": "-None",
    "text + number": "'a' + 1",
    "count += None": "(count := 1); count += None",
    "None in number": "3 in 5",
    "len": "len(3)",
    "int": "int('a')",
    "round": "round(None)",
    "sum": "sum(None)",
    "max": "max([])",
    "sorted": "sorted([1, 'a'])",
    "any": "any(3)",
    "hash": "hash([])",
    "range": "range('a')",
    "math": "math.sqrt(-1)",
    "item of a list": "[1][5]",
    "item of a dict": "{}['k']",
    "item of a shape": "x.shape[7]",
    "write of a list": "a = [1]; a[5] = 2",
    "write of a tuple": "a = (1, 2); a[0] = 3",
    "write of a string": "a = 'ab'; a[0] = 'c'",
    "attribute of a number": "a = 3; a.color = 1",
    "attribute": "x.shape.color",
    "attribute of a module": "math.color",
    "method": "[1].index(5)",
    "call of a number": "len(x)()",
    "call of the user's": "helper(x, 1, 2, 3)",
    "constructor": "Pair(1, 2, 3)",
    "isinstance": "isinstance(x, 'ndarray')",
    "issubclass": "issubclass(3, int)",
    "loop": "for i in None: pass",
    "assert": "assert len(x) > 5, 'too few'",
    "format": "'%d' % 'a'",
    "join": "' '.join([1])",
    "print": "print(1, sep=3)",
    "next": "next(iter([]))",
    "power": "pow(2, 'a')",
}
"""Lines that are wrong in Python itself, of which no error of ours tells."""


@pytest.mark.parametrize("line", list(WRONG.values()), ids=list(WRONG))
def test_what_python_raises_at_a_line_is_alike_in_compiled_code(line, tmp_path, monkeypatch):
    """The same class and text, and none of the frames by which compiled code comes to the line."""
    path = tmp_path / "wrong.py"
    path.write_text(f"def wrong(x):\n    {line}\n")
    names = {"np": np, "math": math, "helper": helper, "Pair": Pair}
    exec(compile(path.read_text(), str(path), "exec"), names)
    errors = []
    for function in (names["wrong"], hybridize(names["wrong"])):
        with pytest.raises(Exception) as caught:
            function(X)
        frames = [one.filename for one in traceback.extract_tb(caught.value.__traceback__)]
        assert frames == [__file__, str(path)]
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1]
    monkeypatch.setattr(CONFIG, "full_tracebacks", True)
    with pytest.raises(Exception) as caught:
        hybridize(names["wrong"])(X)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(one.filename.startswith(PACKAGE) for one in frames)


def test_missing_files_show_no_lines_of_the_package():
    with pytest.raises(ReadError) as caught:
        nn.Dense(2).load_parameters("absent.params")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    assert PACKAGE not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("call", [lambda: np.exp(None), lambda: np.maximum(X, "a"), lambda: np.sqrt(object())])
def test_elementwise_functions_hide_the_frames_of_the_package(call):
    with pytest.raises(HybridizeError) as caught:
        call()
    assert {one.filename for one in traceback.extract_tb(caught.value.__traceback__)} == {__file__}


CALLS = {
    "nothing": lambda net: net(),
    "too much": lambda net: net(X, X),
    "another name": lambda net: net(inputs=X),
}


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("in_units", [0, 3])
@pytest.mark.parametrize("call", list(CALLS.values()), ids=list(CALLS))
def test_arguments_that_a_layer_does_not_take_are_said_by_its_forward(call, in_units, active):
    """Whether or not its sizes are known, and compiled or not; `net(x=...)` tells the sizes as `net(...)` does."""
    nets = nn.Dense(4, in_units=in_units), nn.HybridSequential()
    nets[1].add(nn.Dense(4, in_units=in_units))
    for net in nets:
        net.initialize()
        net.hybridize(active)
        with pytest.raises(TypeError, match=r"forward\(\) (missing|takes 2|got an unexpected)") as caught:
            call(net)
        assert {one.filename for one in traceback.extract_tb(caught.value.__traceback__)} == {__file__}
    layer = nets[0]
    assert layer(x=X).shape == (2, 4)
