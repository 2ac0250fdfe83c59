"""Text and printing of values of the program: made by each call, in order."""

# ruff: noqa: UP031
import logging
import sys
import warnings

import pytest

from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function

VALUES = ([1.0, 3.0], [-1.0, -2.0], [0.5, 0.25], [20.0, 0.0])

FORMAT, ONE = "{:.2f} {b} {}", "%s"
TEXTS = {
    "of an array": lambda x: f"{x}",
    "of an element": lambda x: f"{x[0]} {x[1]:.3f} {x[0]:>10.1f}|",
    "represented": lambda x: f"{x!r} {x[0]!r} {x.sum()!s:>20}",
    "with a name": lambda x: f"{x[0]=}",
    "nested formats": lambda x, n=4: f"{x[0]:.{n}f} {n}",
    "percent": lambda x: "%.3f of %s" % (x[0], x),
    "percent of one": lambda x: ONE % x.sum(),
    "format": lambda x: FORMAT.format(x[0], x, b=x[1]),
    "str": lambda x: str(x) + "; " + str(x.sum()),
    "repr": lambda x: repr(x[0]),
    "join": lambda x: ", ".join(f"{v:.1f}" for v in x),
    "of a bool": lambda x: f"{bool(x[0] > 0)} {x[0] > 0}",
    "of containers": lambda x: f"{[x[0], 1]} {(x[1],)} { ({'a': x[0]}) }",
    "of a count": lambda x: f"{len([v for v in x if v > 0])} positive",
    "of sizes": lambda x: f"{x.shape} {x.dtype} {x[0]}",
    "structures": lambda x: {"text": f"{x[0]}", "list": [f"{x[1]}", x]},
    "of what is written later": lambda x: (y := x.copy(), f"{y}", y.__iadd__(1))[1],
    "modulo": lambda x: x % 2,
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_a_result(same, name):
    same(lambda: TEXTS[name], *VALUES)


class Log:
    pass


def test_text_kept_outside(same):
    def make():
        log, place = [], Log()
        place.last = ""

        def step(x):
            log.append(f"sum {x.sum()}")
            place.last = "%.2f" % x[0]
            return x

        return step, lambda: (list(log), place.last)

    same(make, *VALUES)


def prints(x):
    print("x is", x, x[0], sep="-")
    if x[0] > 0:
        print("positive", f"{x[0]:.3f}", end="!\n")
        print("no values here")
    else:
        print("not", flush=True)
    for i in range(3):
        if x[1] + i > 3:
            break
        print(i, [x + i])
    while x.sum() < 50 and x.sum() > 0:
        x = x * 2
        print(x)
    return x


def prints_and_raises(x):
    print(x[0])
    if x[0] > 0:
        print("raises")
        raise ValueError("positive")
    print("after", x[1])
    return x


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("function", [prints, prints_and_raises])
def test_printed_in_order(function, backend, capsys):
    compiled = Function(function, backend=backend)
    for values in (*VALUES, *VALUES):
        said = []
        for run in (function, compiled):
            try:
                run(np.array(values))
            except ValueError as error:
                print(error)
            said.append(capsys.readouterr())
        assert said[0] == said[1]


def test_printed_to_the_standard_error(capsys):
    def function(x):
        print("sum", x.sum(), file=sys.stderr)
        return x

    Function(function)(np.array([1.0, 2.0]))
    assert capsys.readouterr() == ("", "sum 3.0\n")


def test_logged_by_each_call(caplog):
    logger = logging.getLogger("conformance")

    def function(x):
        logger.warning("sum %.2f of %s", x.sum(), x)
        x[0] = 0
        logger.error(f"first {x[0]}")
        return x

    compiled = Function(function)
    for values in (*VALUES, *VALUES):
        said = []
        for run in (function, compiled):
            caplog.clear()
            run(np.array(values))
            said.append([record.message for record in caplog.records])  # as they were written
        assert said[0] == said[1] and len(said[0]) == 2


def test_warned_by_each_call():
    def function(x):
        warnings.warn(f"sum {x.sum()}", stacklevel=1)
        return x

    compiled = Function(function)
    for values in VALUES:
        with pytest.warns(UserWarning, match=f"sum {float(np.array(values).sum())}"):
            compiled(np.array(values))


def test_no_log_on_a_branch():
    def function(x):
        if x[0] > 0:
            logging.getLogger("conformance").info("value %s", x)
        return x

    with pytest.raises(CaptureError, match="E430"):
        Function(function)(np.array([1.0]))
