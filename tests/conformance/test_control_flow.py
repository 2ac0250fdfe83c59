"""Control flow on data: every form, on inputs that take every path."""

import pytest

from hybridize.array import np, npx

UP, DOWN, MIXED, BIG = [1.0, 2.0], [-1.0, -2.0], [0.5, -0.25], [50.0, 60.0]
ALL = (UP, DOWN, MIXED, BIG)


def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def if_only(x):
    y = x
    if x.sum() > 0:
        y = x * 2
    return y + 1


def elif_chain(x):
    total = x.sum()
    if total > 10:
        y = x * 10
    elif total > 0:
        y = x + 1
    elif total > -2:
        y = x - 1
    else:
        y = -x
    return y


def nested_if(x):
    y = x * 0
    if x.sum() > 0:
        if x.max() > 10:
            y = y + 1
        else:
            y = y + 2
        y = y * 3
    elif x.min() < -1:
        y = y - 1
    return y


def early_return(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def many_returns(x):
    if x.sum() > 10:
        return x * 10
    if x.sum() > 0:
        return x + 1
    y = x - 1
    if y.min() < -2:
        return y * 2
    y = y + 5
    return y


def nested_returns(x):
    if x.sum() > 0:
        if x.max() > 10:
            return x
        x = x + 1
    x = x * 2
    if x.sum() < 0:
        x = x - 1
        if x.min() < -4:
            return x * 3
    return x + 100


def return_in_else(x):
    if x.sum() > 0:
        y = x + 1
    else:
        return x * 5
    return y * 2


def conditional_expression(x):
    return x * 2 if x.sum() > 0 else x - 1


def chained_expression(x):
    return 1.0 if x.sum() > 10 else 2.0 if x.sum() > 0 else 3.0


def numbers_differ(x):
    if x.sum() > 0:
        n = 3
    else:
        n = 4
    return x * n, n


def int_and_float(x):
    n = 1.5 if x.sum() > 0 else 2.5
    return x + n


def same_number(x):
    n = 0
    if x.sum() > 0:
        n = 2
        x = x + 1
    else:
        n = 2
    return x.reshape(n), n


def and_or_not(x):
    if x.sum() > 0 and x.max() > 10:
        return x
    if x.sum() > 0 or not x.min() < -1:
        return x * 2
    return x * 3


def python_and_symbol(x):
    flag = True
    if flag and x.sum() > 0:
        x = x + 1
    if not flag or x.max() > 100:
        x = x * 0
    return x


def comparison_chain(x):
    if 0 < x.sum() < 10:
        return x * 2
    return x


def truth_of_a_number(x):
    if x.sum():
        return x + 1
    return x


def none_and_is(x):
    y = None
    if y is None:
        y = x
    return y if y is not None else x * 2


def while_loop(x):
    while np.abs(x).max() > 1:
        x = x / 2
    return x


def while_counting(x):
    steps = 0
    while np.abs(x).max() > 1:
        x = x / 2
        steps = steps + 1
    return x, steps


def while_total(x):
    total = 0
    while x.sum() > 0 and total < 100:
        total = total + x.sum()
        x = x - 1
    return total + x


def while_break(x):
    n = 0
    while True:
        x = x / 2
        n += 1
        if np.abs(x).max() < 1:
            break
    return x, n


def while_break_else(x):
    n = 0
    while np.abs(x).max() > 1:
        x = x / 2
        n += 1
        if n > 3:
            break
    else:
        x = x + 100
    return x


def while_continue(x):
    n = 0
    total = x * 0
    while n < 10:
        n += 1
        if x.sum() > n:
            continue
        total = total + n
    return total


def while_return(x):
    while True:
        x = x * 0.5
        if np.abs(x).max() < 1:
            return x * 100


def while_return_or_not(x):
    n = 0
    while np.abs(x).max() > 1:
        x = x / 2
        n += 1
        if n > 4:
            return x * 1000
    return x


def nested_while(x):
    outer = 0
    while np.abs(x).max() > 1:
        inner = 0
        while inner < 3:
            x = x * 0.9
            inner += 1
        outer += 1
    return x, outer


def for_unrolled(x):
    for _ in range(3):
        if x.sum() > 0:
            x = x * 2
        else:
            x = x - 1
    return x


def for_break(x):
    for i in range(100):
        if np.abs(x).max() < 1:
            break
        x = x / 2 + i * 0
    return x


def for_break_last_index(x):
    n = 0
    for i in range(10):
        n = i
        x = x / 2
        if np.abs(x).max() < 1:
            break
    else:
        n = -1
    return x, n


def for_continue(x):
    y = x * 0
    for i in range(5):
        if x.sum() > i:
            continue
        y = y + i
    return y


def for_return(x):
    for i in range(50):
        x = x - i
        if x.sum() < 0:
            return x * 2
    return x


def for_over_a_list(x):
    for factor in [1, 2, 3]:
        if x.sum() > 20:
            break
        x = x * factor
    return x


def for_over_rows(x):
    total = np.zeros(1)
    for row in x.reshape(2, 1):
        if row.sum() > 40:
            break
        total = total + row
    return total + x


def for_over_zip(x):
    y = x * 0
    for i, (a, b) in enumerate(zip([1, 2], [3, 4], strict=True)):
        y = y + a * x + b + i
    return y


def for_data_range(x):
    y = x * 0
    for i in range((np.abs(x).max() * 2).astype("int64")):
        y = y + i
    return y


def for_in_while(x):
    while np.abs(x).sum() > 1:
        for k in (2, 4):
            x = x / k
    return x


def break_in_nested_loops(x):
    for _ in range(3):
        for _ in range(4):
            if x.sum() > 100:
                break
            x = x + 10
        else:
            x = x * 2
        if x.max() > 200:
            break
    return x


def assigned_on_one_side_unused(x):
    if x.sum() > 0:
        extra = x * 2
        y = extra + 1
    else:
        y = x
    return y


def tuple_variables(x):
    pair = (x, 0)
    if x.sum() > 0:
        pair = (x * 2, 1)
    return pair


def dict_variables(x):
    state = {"h": x, "n": 1.0}
    if x.sum() > 0:
        state = {"h": x + 1, "n": 2.0}
    return state["h"] * state["n"]


def list_built_in_a_branch(x):
    if x.sum() > 0:
        parts = [x]
        parts.append(x * 2)
        y = np.concatenate(parts)
    else:
        y = np.zeros(4) - 1
    return y


def list_after_early_return(x):
    if x.sum() > 10:
        return x
    parts = []
    for i in range(2):
        parts.append(x[i])  # noqa: PERF401
    return np.stack(parts)


def list_item_in_a_branch(x):
    parts = [x, x]
    if x.sum() > 0:
        parts[0] = x * 5
    return parts[0] + parts[1]


def list_replaced_in_a_branch(x):
    parts = [x]
    if x.sum() > 0:
        parts = [x * 2]
    parts.append(x)
    parts[0] = parts[0] + 1
    return parts


def list_changed_and_replaced(x):
    parts, others = [x], [x]
    if x.sum() > 0:
        parts[0] = parts[0] * 2
    else:
        parts = others
    return parts[0] + others[0]


def views_in_branches(x):
    y = x * 1
    if x.sum() > 0:
        y[0] = 5
        z = y[1:]
        z += 1
    else:
        y = y * 2
        y += 1
    return y


def arrays_shared_on_one_side(x):
    y = z = x * 2
    if x.sum() > 0:
        y = x * 3
    return y + z


def helper_function(x):
    def inner(y):
        if y.sum() > 0:
            return y * 2
        return y * 3

    return inner(x) + inner(-x)


def recursion(x):
    def power(y, n):
        return y if n == 0 else power(y * 2, n - 1)

    return power(x, 3)


def lambda_with_a_condition(x):
    pick = lambda y: y if y.sum() > 0 else -y  # noqa: E731
    return pick(x) + pick(-x * 2)


def with_block(x):
    class Scope:
        def __enter__(self):
            return 2

        def __exit__(self, *args):
            return False

    with Scope() as two:
        if x.sum() > 0:
            x = x * two
    return x


def return_from_with(x):
    class Scope:
        def __enter__(self):
            return 2

        def __exit__(self, *args):
            return False

    with Scope() as two:
        if two > 1:
            return x * two
    return x


def try_except(x):
    try:
        y = {}["missing"]
    except KeyError:
        y = x + 1
    finally:
        x = x * 2
    return x + y


def return_from_try(x):
    for i in range(3):
        try:
            if i == 1:
                return x * i
            {}[i]
        except KeyError:
            x = x + 1
            continue
    return x


def match_statement(x):
    kind = "double"
    match kind:
        case "double":
            y = x * 2
        case _:
            y = x
    return y


def match_returns(x):
    match (1, 2):
        case (a, b) if b > a:
            return x + b
    return x


def walrus(x):
    if (total := x.sum()) > 0:
        x = x + total
    while (n := np.abs(x).max()) > 4:
        x = x / 2 + n * 0
    return x, total


def assertion_holds(x):
    assert x.sum() < 1000, "too large"
    return x + 1


def assertion_fails_for_some(x):
    assert x.sum() < 100, "too large"
    return x + 1


def in_array(x):
    return x * 2 if 1.0 in x else x


def minimum_of_numbers(x):
    return min(x.sum(), 3.0) + max(x.max(), x.min(), 0.5)


def unpacking(x):
    a, b = x
    first, *others = [a, b, a + b]
    return first + others[1]


def augmented(x):
    y = x * 1
    y += 1
    y *= x
    if x.sum() > 0:
        y = y - 1
    return y


def where_as_function(x):
    return np.where(x > 0, x, -x) if x.size > 1 else x


def generator_expression(x):
    return sum(x * i for i in range(3)) + sum([x[i] for i in range(2)])


def uses_cond(x):
    return npx.relu(x) if not (x.sum() > 0) else npx.sigmoid(x)


def del_variable(x):
    y = x * 2
    if x.sum() > 0:
        x = x + y
    del y
    return x


CASES = [
    if_else, if_only, elif_chain, nested_if, early_return, many_returns, nested_returns, return_in_else,
    conditional_expression, chained_expression, numbers_differ, int_and_float, same_number, and_or_not,
    python_and_symbol, comparison_chain, truth_of_a_number, none_and_is, while_loop, while_counting, while_total,
    while_break, while_break_else, while_continue, while_return, while_return_or_not, nested_while, for_unrolled,
    for_break, for_break_last_index, for_continue, for_return, for_over_a_list, for_over_rows, for_over_zip,
    for_data_range, for_in_while, break_in_nested_loops, assigned_on_one_side_unused, tuple_variables, dict_variables,
    list_built_in_a_branch, list_after_early_return, list_item_in_a_branch,
    list_replaced_in_a_branch, list_changed_and_replaced, views_in_branches, arrays_shared_on_one_side,
    helper_function, recursion,
    lambda_with_a_condition, with_block, return_from_with, try_except, return_from_try, match_statement,
    match_returns, walrus, assertion_holds, assertion_fails_for_some, in_array, minimum_of_numbers, unpacking,
    augmented, where_as_function, generator_expression, uses_cond, del_variable,
]  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_control_flow(same, function):
    same(lambda: function, *ALL, programs=1)
