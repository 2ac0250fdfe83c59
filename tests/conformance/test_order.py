"""The order in which Python computes the parts of a statement, where one part changes what another one reads."""

import itertools
from types import SimpleNamespace

import pytest


def attribute_is_read_before_the_value(x):
    counter = SimpleNamespace(n=0)

    def ten():
        counter.n = 10
        return 1

    counter.n += ten()
    return x * counter.n


def item_is_read_before_the_value(x):
    counts = {"a": 1}

    def ten():
        counts["a"] = 10
        return 2

    counts["a"] *= ten()
    return x * counts["a"]


def items_of_two_levels(x):
    rows = [[1, 2], [3, 4]]

    def pop():
        return rows.pop(0)[0]

    rows[1][0] -= pop()
    return x, rows


def variable_is_read_before_the_value(x):
    n = 1

    def ten():
        nonlocal n
        n = 10
        return 2

    n += ten()
    return x * n


def owner_and_key_are_computed_once(x):
    seen = []
    rows = [[1.0, 2.0]]

    def told(value):
        seen.append(value)
        return value

    rows[told(0)][told(1)] += told(5)
    return x, rows, seen


def item_then_its_index(x):
    items, i = [0, 0, 0], 0
    items[i], i = 5, 2
    return x * i, items


def index_then_its_item(x):
    items, i = [0, 0, 0], 0
    i, items[i] = 2, 5
    return x * i, items


def targets_in_targets(x):
    items, i = [0, 0, 0], 0
    (items[i], i), items[i], *items[i:], (i, items[i]) = (5, 2), 7, 8, 9, (0, 6)
    return x * i, items


def starred_item(x):
    items, i = [0, 0, 0], 0
    items[i], *i = 1, 2, 3
    [*(a, items[0])], b = (4, 5), 6
    return x, items, i, a, b


def reversed_list(x):
    nodes = [SimpleNamespace(value=number, next=None) for number in range(4)]
    for first, second in itertools.pairwise(nodes):
        first.next = second
    previous, node = None, nodes[0]
    while node is not None:
        node.next, previous, node = previous, node, node.next
    found = []
    while previous is not None:
        found.append(previous.value)
        previous = previous.next
    return x, found


def swapped_in_a_branch(x):
    a, b = x, x + 1
    if x.sum() > 3:
        a[0], a, b = b[0], b, a
    return a, b


def several_targets(x):
    items, i = [0, 0, 0], 0
    i = items[i] = 2
    items[i] = j = i = 1
    return x * i * j, items


def text_is_made_one_value_after_the_other(x):
    items = [1, 2]
    return x, f"{items} {items.append(3)} {items!r:>12} {items.pop(0)}{items=}"


def text_of_data_is_made_one_value_after_the_other(x):
    items = [1]
    return f"{items}{x.sum():.1f} {items.append(x[0])} {items[1]:{items.pop(0)}.2f}|{len(items)}"


def text_ends_with_the_first_error(x):
    items = []
    try:
        return x, f"{items:d} {items.append(1)}"
    except TypeError as error:
        return x, items, str(error)


FUNCTIONS = [
    attribute_is_read_before_the_value, item_is_read_before_the_value, items_of_two_levels,
    variable_is_read_before_the_value, owner_and_key_are_computed_once, item_then_its_index, index_then_its_item,
    targets_in_targets, starred_item, reversed_list, swapped_in_a_branch, several_targets,
    text_is_made_one_value_after_the_other, text_of_data_is_made_one_value_after_the_other,
    text_ends_with_the_first_error,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_order(same, function):
    same(lambda: function, [1.0, 2.0], [3.0, 4.0])
