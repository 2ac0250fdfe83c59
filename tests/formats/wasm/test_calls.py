"""Programs in Node give what they give imperatively, whatever goes in and comes out."""

import numpy
import pytest

import hybridize as hy
from hybridize import np, npx
from hybridize.gluon import nn


def close(found, expected):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def test_the_net_of_the_chapter_for_one_row_and_for_any_number(wasm, plain):
    net = mlp()
    batches = [np.random.normal(size=(rows, 512)) for rows in (1, 64, 32, 3, 700)]
    expected = [net(x).asnumpy() for x in batches]
    net.hybridize()
    model = wasm(lambda data: net(data), *[(x,) for x in batches[:3]])
    arrays = [x.asnumpy() for x in batches]
    # Sizes change from call to call; those that are known need not be said; nothing is left of earlier calls.
    asked = [0, 3, 0, 4, 1, 1, 0, 2]
    calls = [{"data": plain(arrays[k]) if turn % 2 else arrays[k]} for turn, k in enumerate(asked)]
    for k, outcome in zip(asked, model.calls(*calls).outcomes, strict=True):
        close(outcome["output"], expected[k])


def test_a_loop_that_ends_when_the_data_says_so(wasm):
    def steps(x):
        count = np.zeros((), dtype="int64")
        while np.abs(x).max() > 0.01:
            x = np.where(x > 0, x * 0.5, x * 0.25)
            count = count + 1
        return {"x": x, "count": count}

    inputs = [np.array(numpy.random.default_rng(seed).normal(size=(4, 3)).astype("f4")) for seed in range(3)]
    expected = [steps(x) for x in inputs]
    model = wasm(steps, (inputs[0],))
    counts = set()
    for want, got in zip(expected, model.calls(*({"x": x.asnumpy()} for x in inputs)).outcomes, strict=True):
        close(got["x"], want["x"].asnumpy())
        assert got["count"] == int(want["count"])
        counts.add(int(got["count"]))
    assert len(counts) > 1


def test_every_element_type(wasm, dtype):
    x = numpy.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)

    def both(x, y):
        return np.concatenate([y, x]), np.where(y > x, x, y)

    given = [np.array(x, dtype=dtype), np.array(x[:, ::-1].copy(), dtype=dtype)]
    expected = [one.asnumpy() for one in both(*given)]
    model = wasm(both, tuple(given))
    (got,) = model.calls({"x": x, "y": x[:, ::-1].copy()}).outcomes
    assert [array.dtype for array in got.values()] == [dtype, dtype]
    assert all(numpy.array_equal(found, want) for found, want in zip(got.values(), expected, strict=True))


def test_numbers_without_axes(wasm):
    def f(a, n, b):
        return a * 2, n + 1, np.logical_not(b)

    given = np.array(1.5), np.array(2**40, dtype="int64"), np.array(True, dtype="bool")
    model = wasm(f, given)
    found = model.calls(
        {"a": 2.5, "n": 7, "b": True},
        {"a": 1, "n": {"bigint": str(2**62)}, "b": False},
        {"a": 1, "n": 1.5, "b": True},
        {"a": 1, "n": 1, "b": 3},
        {"a": "1", "n": 1, "b": True},
    ).outcomes
    assert [tuple(one.values()) for one in found[:2]] == [(5.0, 8, False), (2.0, 2**62 + 1, True)]
    assert found[2] == ("RangeError", "input n: 1.5 is no int64")
    assert found[3] == ("RangeError", "input b: 3 is no bool")
    assert found[4] == ("TypeError", "input a is float32, given as Float32Array; got string")


def test_sizes_that_depend_on_two_inputs(wasm, plain):
    def f(x, y):
        return (np.concatenate([x, y]) @ np.ones((2, 3))).reshape(-1, 6), x.sum(axis=0)

    calls = [(np.ones((a, 2)), np.ones((b, 2))) for a, b in ((3, 5), (4, 8), (6, 2))]
    model = wasm(f, *calls)
    x, y = (numpy.random.default_rng(n).normal(size=(n, 2)).astype("f4") for n in (9, 31))
    expected = f(np.array(x), np.array(y))
    good, odd, inferred = model.calls({"x": x, "y": y}, {"x": x, "y": y[:-1]}, {"x": plain(x), "y": plain(y)}).outcomes
    for got in (good, inferred):
        for found, want in zip(got.values(), expected, strict=True):
            close(found, want.asnumpy())
    assert odd[0] == "RangeError" and "got x float32[9,2], y float32[30,2]" in odd[1]


def test_two_inputs_that_must_agree(wasm):
    calls = [(np.ones((n, 3)), np.ones((3, n))) for n in (4, 6, 9)]
    model = wasm(lambda x, y: x @ y, *calls)
    x, y = (numpy.random.default_rng(0).normal(size=size).astype("f4") for size in ((7, 3), (3, 7)))
    good, wrong = model.calls({"x": x, "y": y}, {"x": x, "y": y[:, :5].copy()}).outcomes
    close(good["output"], x @ y)
    assert wrong[0] == "RangeError"


def test_no_arguments_and_nested_results(wasm):
    table = np.array(numpy.arange(6.0, dtype="f4").reshape(2, 3))
    model = wasm(lambda: {"whole": table * 2, "parts": [table[0] + 1, table.sum()]}, ())
    (got,) = model.calls({}).outcomes
    assert {name: x.tolist() for name, x in got.items()} == {
        "whole": [[0, 2, 4], [6, 8, 10]],
        "parts_0": [1, 2, 3],
        "parts_1": 15.0,
    }


def test_functions_of_the_mathematics_library(wasm):
    def f(x):
        return npx.erf(x), npx.gamma(np.abs(x) + 0.5), np.arctan2(x, 2.0), np.power(np.abs(x), 1.7), np.fmod(x, 0.3)

    x = np.array(numpy.linspace(-3, 3, 37), dtype="float64")
    model = wasm(f, (x,))
    (got,) = model.calls({"x": x.asnumpy()}).outcomes
    for found, want in zip(got.values(), f(x), strict=True):
        numpy.testing.assert_allclose(found, want.asnumpy(), rtol=1e-12, atol=1e-13)
    text = model.mjs.read_text()
    assert "function lgamma" not in text, "only what the module calls is in the loader"


def test_random_numbers_are_those_of_the_seed(wasm):
    def f(x):
        return np.random.uniform(size=(2, 3)) + x

    hy.random.seed(11)
    model = wasm(f, (np.zeros((3,)),))
    zeros, big = numpy.zeros(3, "f4"), {"bigint": str(2**64 + 5)}
    found = model.calls(
        {"x": zeros}, {"x": zeros}, {"seed": 5}, {"x": zeros}, {"x": zeros}, {"seed": big}, {"x": zeros}
    ).outcomes
    hy.random.seed(5)
    first, second = (f(np.zeros((3,))).asnumpy() for _ in range(2))
    assert numpy.array_equal(found[3]["output"], first) and numpy.array_equal(found[4]["output"], second)
    assert numpy.array_equal(found[6]["output"], first)
    assert not numpy.array_equal(found[0]["output"], found[1]["output"])
    assert "seed(" in model.types.read_text()
    for wrong in (1.5, "x", None):
        (outcome,) = model.calls({"seed": wrong}).outcomes
        assert outcome[0] == "TypeError" and "a seed is a whole number; got " in outcome[1]


def test_state_is_the_models_own(wasm):
    total = np.zeros((2,))

    def f(x):
        total[:] = total + x
        return total * 1

    model = wasm(f, (np.ones((2,)),))
    one = {"x": numpy.ones(2, "f4")}
    outcomes = model.calls(one, one, {"seed": 1}).outcomes
    start = float(total[0])
    assert [one["output"].tolist() for one in outcomes[:2]] == [[start + 1] * 2, [start + 2] * 2]
    assert outcomes[2] == ("TypeError", "net draws no random numbers")
    assert "seed" not in model.types.read_text()


def test_what_is_written_into_an_argument_comes_back(wasm):
    def f(x):
        x[0] = 7
        return x.sum()

    model = wasm(f, (np.ones((3,)),))
    (got,) = model.calls({"x": numpy.ones(3, "f4")}).outcomes
    assert got["output"] == 9 and got["x_after"].tolist() == [7, 1, 1]


def test_assertions_stop_a_call_and_only_it(wasm):
    total = np.zeros(())

    def f(x):
        total[...] = total + 1
        npx.assert_(x > 0, "x's signs: “all” above 0\n")  # noqa: PT009
        return x + total

    model = wasm(f, (np.ones((2,)),))
    start = float(total)
    good, bad = {"x": numpy.ones(2, "f4")}, {"x": -numpy.ones(2, "f4")}
    outcomes = model.calls(good, *[bad] * 200, good).outcomes
    assert outcomes[0]["output"].tolist() == [start + 2] * 2
    assert set(outcomes[1:-1]) == {("AssertionError", "x's signs: “all” above 0\n")}
    assert outcomes[-1]["output"].tolist() == [start + 3] * 2


def test_prints(wasm):
    def f(x, n, b, h):
        npx.print("x is {}, {{n}} is {}", x, n)
        npx.print("b:", b, "h:", h)
        return x

    half = np.array([0.1, 65504, -numpy.inf], dtype="float16")
    given = (
        np.array([[0.1, 2.0], [3.5, 1e30]]),
        np.array(-3, dtype="int64"),
        np.array([True, False], dtype="bool"),
        half,
    )
    model = wasm(f, given)
    answers = model.calls(dict(zip("xnbh", (x.asnumpy() for x in given), strict=True)))
    assert answers.printed == ["x is [[0.1 2] [3.5 1e+30]], {n} is -3", "b: [True False] h: [0.1 65500 -Infinity]"]


def test_a_format_of_pythons_own_is_refused(wasm):
    def f(x):
        npx.print("{:.3f}" + " {}", x, x)
        return x

    with pytest.raises(hy.errors.CaptureError, match=r"E457.*:\.3f"):
        wasm(f, (np.ones(()),))


def test_what_is_given_is_checked(wasm, plain):
    model = wasm(lambda data, mask: np.where(mask, data, 0), (np.ones((2, 3)), np.ones((2, 3), dtype="bool")))
    x, mask = numpy.ones((2, 3), "f4"), numpy.ones((2, 3), bool)
    wrong = [
        ({"mask": mask}, "TypeError", "input data is float32, given as Float32Array; got nothing"),
        ({"data": x.astype("f8"), "mask": mask}, "TypeError", "given as Float32Array; got Float64Array"),
        ({"data": [1, 2], "mask": mask}, "TypeError", "got Array"),
        ({"data": x, "mask": mask, "maks": mask}, "TypeError", "net has no input maks; it has data, mask"),
        (
            {"data": plain(x[:1]), "mask": mask},
            "RangeError",
            "net takes data float32[2,3], mask bool[2,3]; got data float32[3]",
        ),
        ({"data": x.T.copy(), "mask": mask}, "RangeError", "got data float32[3,2], mask bool[2,3]"),
        ({"data": x.reshape(6), "mask": mask}, "RangeError", "input data has 2 axes; got the shape [6]"),
        ({"data": x, "mask": mask.view("u1") + numpy.uint8(1)}, "RangeError", "input mask: a bool is 0 or 1"),
    ]
    for (_, error, message), outcome in zip(wrong, model.calls(*(call for call, _, _ in wrong)).outcomes, strict=True):
        assert outcome[0] == error and message in outcome[1]
