"""Calls that none of the router's rules is for go by few looks; all others by the rules."""

import sys

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.capture.python import direct
from hybridize.capture.python.router import routed
from hybridize.gluon import nn

PLAIN = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


@pytest.fixture
def asked(monkeypatch):
    """What `look(x, number)` gives for an array and a number of a program, in the middle of its capture."""
    is_direct = direct.is_direct

    def ask(look):
        answers = []

        def spy(function, args, kwargs):
            if not answers:
                answers.append(None)
                answers[0] = look(*args)
            return is_direct(function, args, kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(direct, "is_direct", spy)
            hybridize(lambda x, number: np.add(x, number), backend="numpy")(PLAIN, 2.5)
        return answers[0]

    return ask


def users(x):
    return x


DIRECT = {
    "a function": lambda x, number: (npx.relu, (x,), {}),
    "a method": lambda x, number: (x.reshape, (3, 2), {}),
    "a tuple of sizes": lambda x, number: (x.reshape, ((3, 2),), {}),
    "a keyword": lambda x, number: (np.sum, (x,), {"axis": 0}),
    "numbers, strings, None": lambda x, number: (np.sum, (x, None, "float32", 1, 2.0, True), {}),
}
BY_RULES = {
    "a number that only calls know": lambda x, number: (np.add, (x, number), {}),
    "one among sizes": lambda x, number: (np.reshape, (x, (3, number)), {}),
    "a method of such a number": lambda x, number: (number.sum, (), {}),
    "what gives Python numbers": lambda x, number: (x.item, (0,), {}),
    "a list": lambda x, number: (np.concatenate, ([x, x],), {}),
    "a list in a tuple": lambda x, number: (np.concatenate, (([x], x),), {}),
    "a NumPy array": lambda x, number: (np.add, (x, numpy.ones(3)), {}),
    "an array from outside": lambda x, number: (np.add, (x, PLAIN), {}),
    "an iterator": lambda x, number: (np.add, (x, iter([1])), {}),
    "a function of the user's": lambda x, number: (npx.relu, (x,), {"users": users}),
    "the user's function": lambda x, number: (users, (x,), {}),
    "a builtin": lambda x, number: (abs, (x,), {}),
    "NumPy's function": lambda x, number: (numpy.add, (x, 1), {}),
    "an operation of the user's own": lambda x, number: (npx.custom, (x,), {"op_type": "users"}),
    "what is of no array": lambda x, number: (autograd.is_training, (), {}),
}


@pytest.mark.parametrize("call", DIRECT.values(), ids=DIRECT)
def test_calls_of_ours_with_plain_values_are_direct(call, asked):
    assert asked(lambda x, number: direct.is_direct(*call(x, number)))


@pytest.mark.parametrize("call", BY_RULES.values(), ids=BY_RULES)
def test_all_others_go_by_the_rules(call, asked):
    assert not asked(lambda x, number: direct.is_direct(*call(x, number)))


class Users(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(3, in_units=3)

    def forward(self, x):
        return self.inner(x)


class Called(Users):
    def __call__(self, x):
        return super().__call__(x)


def test_layers_and_their_own_methods_are_told_apart_from_the_users(asked):
    block, called = Users(), Called()
    layer = block.inner

    def owners(x, number):
        calls = [
            block,
            layer,
            block._run_there,
            layer.forward,
            block.forward,
            called,
            layer.register_forward_hook,
            layer.save,
        ]
        return [direct.owner_of(one, (x,), {}) for one in calls] + [direct.owner_of(layer, ([x],), {})]

    answers = asked(owners)
    assert [one is not None for one in answers] == [True, True, True, True, False, False, False, False, False]
    assert answers[:4] == [block, layer, block, layer]


def test_attributes_of_layers_that_somebody_else_gives_are_not_read_directly():
    class Given(Users):
        fixed = 3

        @property
        def computed(self):
            return 4

        def __getattr__(self, name):
            return 5 if name == "dynamic" else super().__getattr__(name)

    class Asked(Given):
        def __getattribute__(self, name):
            return super().__getattribute__(name)

    block, other = Given(), Asked()
    block.own = 7
    assert direct.own_attribute(block, "own") == 7 and direct.own_attribute(block, "inner") is block.inner
    names = "fixed", "computed", "dynamic", "forward", "absent"
    assert {direct.own_attribute(block, name) for name in names} == {direct.MISSING}
    assert direct.own_attribute(other, "inner") is direct.MISSING


def test_nodes_are_of_the_users_line_however_many_a_call_records():
    def function(x):
        y = np.var(x, axis=1)  # several nodes
        z = npx.softmax(x)
        return y.sum() + z.sum()

    graph = hybridize(function).program(PLAIN).capture.graph
    first = function.__code__.co_firstlineno
    lines = [node.loc.line - first for node in graph.nodes]
    assert set(lines) == {1, 2, 3} and lines == sorted(lines)


def test_what_the_user_replaces_later_is_noticed():
    net = nn.HybridSequential()
    net.add(Users(), nn.Dense(3, in_units=3))
    net.initialize()
    net.hybridize()
    before = net(PLAIN)
    net[0].inner = nn.Dense(3, in_units=3, activation="tanh")
    net[0].inner.initialize()
    after = net(PLAIN)
    net.hybridize(False)
    assert not numpy.array_equal(before.asnumpy(), after.asnumpy())
    assert numpy.allclose(after.asnumpy(), net(PLAIN).asnumpy(), rtol=1e-5)


def calls_in(function, *arguments):
    """The number of calls, of C functions too, that `function` makes."""
    count = 0

    def look(frame, event, _):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(look)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", ["relu", "softmax", "reshape"])
def test_the_router_adds_few_calls_to_one_of_ours(name, asked):
    def costs(x, number):
        function = (lambda x: x.reshape) if name == "reshape" else lambda x: getattr(npx, name)
        arguments = (3, 2) if name == "reshape" else (x,)
        calls = [calls_in(one, *arguments) for one in 3 * [function(x), routed(function(x))]]
        return calls[-1] - calls[-2]  # what is remembered is known then

    assert asked(costs) < 40
