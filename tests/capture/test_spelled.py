"""Text of containers that hold numbers which are others at each call: the numbers, not what stands for them."""

from collections import OrderedDict, defaultdict, deque

import pytest

from hybridize import hybridize, np
from hybridize.base.errors import CaptureError
from tests.refusals import refusal

HOLDING = {
    "list": lambda n: [n, [n]],
    "tuple": lambda n: (n, [n]),
    "dict": lambda n: {"a": n, "b": {"c": (n,)}},
    "ordered": lambda n: OrderedDict(a=[n]),
    "default": lambda n: defaultdict(int, {1: n}),
    "deque": lambda n: deque([0, n], 3),
    "set": lambda n: {n},
    "frozenset": lambda n: [frozenset([n])],
}
SAID = {
    "str": str,
    "repr": repr,
    "f": lambda v: f"{v}",
    "f!r": lambda v: f"{v!r:>60}",
    "percent": lambda v: "%s" % (v,),  # noqa: UP031
    "format": lambda v: "{}".format(v),  # noqa: UP032
    "named": lambda v: "{v}".format(v=v),  # noqa: UP032
    "mapped": lambda v: "{v}".format_map({"v": v}),
    "join": lambda v: "-".join([str(v), repr(v)]),
}


class Counter:
    def __init__(self):
        self.count, self.kept = 8, [8, {"a": 8}]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("holding", HOLDING)
def test_text_of_a_container_tells_the_number_of_the_call(holding, said):
    made, say = HOLDING[holding], SAID[said]

    def body(at, x):
        at.count = at.count + 1
        told = say(made(at.count))
        return x * len(told), told

    one, other, program = Counter(), Counter(), hybridize(body)
    for _ in range(4):
        found, wanted = program(one, np.ones(2)), body(other, np.ones(2))
        assert found[1] == wanted[1]
        assert found[0].tolist() == wanted[0].tolist()


@pytest.mark.parametrize("said", SAID)
def test_text_of_a_container_outside_whose_items_are_replaced(said):
    say = SAID[said]

    def body(at, x):
        at.kept[0] = at.kept[0] + 1
        told = say(at.kept)
        return x * len(told), told

    one, other, program = Counter(), Counter(), hybridize(body)
    for number in range(5):
        assert program(one, np.ones(2))[1] == body(other, np.ones(2))[1]
        one.kept[1]["a"] = other.kept[1]["a"] = 10**number


@pytest.mark.parametrize("container", [deque, lambda parts: OrderedDict(a=parts[0])])
def test_text_of_a_container_that_holds_an_array_is_refused(container):
    with refusal(CaptureError, "E424.*holds an array"):
        hybridize(lambda x: (x, str(container([x * 2]))))(np.ones(2))
