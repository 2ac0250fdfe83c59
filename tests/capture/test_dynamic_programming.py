"""Tables that nested loops over open sizes fill: dynamic programming, the same imperatively and compiled.

A number that an outer loop counts is the same in all rounds of an inner one: no line of it, whatever their lengths.
"""

import numpy
import pytest

from hybridize import autograd, hybridize, np
from tests.samples import sampled


def longest_common(a, b):
    table = np.zeros((a.shape[0] + 1, b.shape[0] + 1))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = np.maximum(table[i, j + 1], table[i + 1, j])
    return table


def edit_distance(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        table[i, 0] = i
    for j in range(m + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = table[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            table[i, j] = np.minimum(np.minimum(table[i - 1, j] + 1, table[i, j - 1] + 1), change)
    return table


def edit_by_rows(a, b):
    before = np.arange(len(b) + 1)
    for i in range(len(a)):
        row = np.zeros(len(b) + 1)
        row[0] = i + 1
        for j in range(len(b)):
            row[j + 1] = np.minimum(np.minimum(before[j + 1], row[j]) + 1, before[j] + (a[i] != b[j]))
        before = row
    return before


def viterbi(a, b):
    n, m = a.shape[0], b.shape[0]
    best, state = np.zeros((n, m)), np.zeros((n, m), dtype="int32")
    best[0] = b
    for t in range(1, n):
        for s in range(m):
            scores = best[t - 1] + b[s] * b
            best[t, s] = scores.max() + a[t]
            state[t, s] = scores.argmax()
    path = np.zeros(n, dtype="int32")
    path[-1] = best[-1].argmax()
    for t in range(n - 1, 0, -1):
        path[t - 1] = state[t, path[t]]
    return best, state, path


def prefix_sums(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1))
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            table[i + 1, j + 1] = table[i, j + 1] + table[i + 1, j] - table[i, j] + u * v
    return table


def knapsack(a, b):
    best = np.zeros((len(a) + 1, len(b) + 1))
    for i in range(1, len(a) + 1):
        for w in range(len(b) + 1):
            best[i, w] = best[i - 1, w]
            if w >= i:
                best[i, w] = np.maximum(best[i, w], best[i - 1, w - i] + a[i - 1])
    return best


def knapsack_in_one_row(a, b):
    best = np.zeros(len(b) + 2)
    for i in range(len(a)):
        for w in reversed(range(len(b))):
            best[w + 2] = np.maximum(best[w + 2], best[w] + a[i] * b[w])
    return best


def matrix_chain(a, b):
    n = len(a)
    cost = np.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            best = cost[i, i] + cost[i + 1, i + length] + a[i] * a[i + length]
            for k in range(i + 1, i + length):
                best = np.minimum(best, cost[i, k] + cost[k + 1, i + length] + a[i] * a[k])
            cost[i, i + length] = best
    return cost


def wavefront(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1))
    for d in range(n + m - 1):
        for i in range(n):
            j = d - i
            if j >= 0 and j < m:
                table[i + 1, j + 1] = table[i, j + 1] - table[i + 1, j] + a[i] * b[j]
    return table


def convolution(a, b):
    out = np.zeros(len(a) + len(b) - 1)
    for i in range(len(a)):
        for j in range(len(b)):
            out[i + j] += a[i] * b[j]
    return out


def transposed(a, b):
    out = np.zeros((len(b), len(a)))
    for i in range(len(a)):
        for j in range(len(b)):
            out[j, i] = a[i] * b[j] + i - j
    return out


def through_a_view(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1))
    other = table.T
    for i in range(len(a)):
        for j in range(len(b)):
            other[j + 1, i + 1] = table[i, j + 1] - table[i + 1, j] + a[i] * b[j]
    return table


def through_rows(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1))
    for i in range(len(a)):
        row, before = table[i + 1], table[i]
        for j in range(len(b)):
            row[j + 1] = row[j] - before[j + 1] + a[i] * b[j]
    return table


def swept(a, b):
    grid = np.zeros((len(a) + 2, len(b) + 2))
    grid[0] = 4
    for _ in range(len(b)):
        for i in range(1, len(a) + 1):
            for j in range(1, len(b) + 1):
                around = grid[i - 1, j] - grid[i + 1, j] + grid[i, j - 1] - grid[i, j + 1]
                grid[i, j] = (around + a[i - 1] * b[j - 1]) % 7
    return grid


def both_ways(a, b):
    n = len(a)
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            table[j, i] += a[i] * a[j]
            table[i, j] -= table[j, i] * 2
    return table


def alternating(a, b):
    x, y = np.zeros(len(a) + 1), np.zeros(len(a) + 1)
    for i in range(len(a)):
        x[i + 1] = y[i] + a[i]
        y[i + 1] = x[i + 1] - x[i]
    return x, y


def left_behind(a, b):
    out = np.zeros(len(a))
    for i in range(len(a)):
        for j in range(len(b)):
            k = i
            sum_of_both = i + j
        out[i] = k + 100 * sum_of_both
    return out, k, sum_of_both


def in_parts(a, b):
    x = np.zeros((len(a) + 3, len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            x[i : i + 2, j] += a[i] * b[j]
        x[i + 2 : i + 4] = x[i : i + 2] - a[i]
    return x


def sorted_in_place(a, b):
    x = a.copy()
    for _ in range(len(a)):
        for j in range(len(a) - 1):
            if x[j] > x[j + 1]:
                larger = x[j].copy()
                x[j] = x[j + 1]
                x[j + 1] = larger
    return x


def triangle(a, b):
    x = np.zeros((len(a), len(a)), dtype="int32")
    for i in range(len(a)):
        x[i, 0] = 1
    for i in range(1, len(a)):
        for j in range(1, i + 1):
            x[i, j] = (x[i - 1, j - 1] + x[i - 1, j]) % 1009
    return x


PROGRAMS = [
    longest_common, edit_distance, edit_by_rows, viterbi, prefix_sums, knapsack, knapsack_in_one_row, matrix_chain,
    wavefront, convolution, transposed, through_a_view, through_rows, swept, both_ways, alternating, left_behind,
    in_parts, sorted_in_place, triangle,
]  # fmt: skip


def numbers(results):
    results = results if isinstance(results, tuple) else (results,)
    return [one.asnumpy() if hasattr(one, "asnumpy") else numpy.asarray(one) for one in results]


SIZES = {True: ((4, 4), (3, 5)), None: ((3, 2), (17, 5))}
"""Sizes of the calls, for `dynamic=True` and without: equal ones at first, or a loop that is rolled later."""


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_tables(program, dynamic):
    compiled = hybridize(program, dynamic=dynamic)
    draw = numpy.random.default_rng(3)
    for n, m in SIZES[dynamic]:
        a, b = (draw.integers(0, 4, size).astype("f4") for size in (n, m))
        found, expected = (numbers(one(np.array(a), np.array(b))) for one in (compiled, program))
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize("program", [longest_common, prefix_sums, convolution, alternating])
def test_gradients_of_tables(program, dynamic):
    def gradients(function, a, b):
        arrays = [np.array(a), np.array(b)]
        for one in arrays:
            one.attach_grad()
        with autograd.record():
            results = function(*arrays)
            results = results if isinstance(results, tuple) else (results,)
            total = sum((one * one).sum() for one in results) + (arrays[0].sum() + arrays[1].sum()) * 0
        total.backward()
        return [one.grad.asnumpy() for one in arrays]

    compiled = hybridize(program, dynamic=dynamic)
    draw = numpy.random.default_rng(4)
    for n, m in SIZES[dynamic]:
        a, b = (draw.integers(0, 4, size).astype("f4") for size in (n, m))
        for one, other in zip(gradients(compiled, a, b), gradients(program, a, b), strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-5)


def below_the_diagonal(a):
    total = np.zeros(())
    for i in range(len(a)):
        for j in range(i):
            total = total * 0.9 + a[i] * a[j]
    return total


def above_the_diagonal(a):
    total = np.zeros(())
    for i in range(20):
        for j in range(i, 20):
            total = total * 0.9 + a[i] * a[j]
    return total


def down_from_it(a):
    total = np.zeros(())
    for i in range(20):
        for j in range(i - 1, -1, -1):
            total = total * 0.9 + a[i] * a[j]
    return total


def by_steps(a):
    total = np.zeros(())
    for i in range(20):
        for j in range(0, 2 * i, 3):
            total = total * 0.9 + a[i] * a[j // 2]
    return total


def between_two(a):
    total = np.zeros(())
    for i in range(11):
        for j in range(i):
            for k in range(j, i):
                total = total * 0.9 + a[i] * a[j] - a[k]
    return total


def into_a_table(a):
    table = np.zeros((13, 13))
    for i in range(12):
        for j in range(i + 1):
            table[i + 1, j] = table[i, j] * 0.5 + a[i] * a[j]
    return table.sum()


def with_an_end(a):
    total = np.zeros(())
    for i in range(20):
        for j in range(i):
            if total > 3:
                break
            total = total * 0.9 + a[i] * a[j]
        else:
            total = total - 1
    return total


@pytest.mark.parametrize("dynamic", [True, None])
@pytest.mark.parametrize(
    "program",
    sampled(
        [below_the_diagonal, above_the_diagonal, down_from_it, by_steps, between_two, into_a_table, with_an_end], 2
    ),
    ids=lambda one: one.__name__,
)
def test_gradients_of_ranges_that_another_loop_ends(program, dynamic):
    data = numpy.random.default_rng(5).random(20).astype("f4")
    results = []
    for function in (program, hybridize(program, dynamic=dynamic)):
        a = np.array(data)
        a.attach_grad()
        with autograd.record():
            total = function(a)
        total.backward()
        results.append((total.asnumpy(), a.grad.asnumpy()))
    for found, expected in zip(*results, strict=True):
        numpy.testing.assert_allclose(found, expected, rtol=1e-4)
