"""Types print and are read back, with sizes that are not known too."""

import pytest

from hybridize.base.dims import SizeScope
from hybridize.base.errors import GraphError
from hybridize.base.types import TensorType, same_shape, surely_same


def test_sizes_that_are_not_known():
    scope = SizeScope()
    n, m = scope.symbol(9), scope.symbol(5)
    kind = TensorType((2 * n + 1, (n + m) // 3, 4), TensorType.parse("f32[]").dtype)
    assert str(kind) == "f32[2*n0+1,div(n0+n1,3),4]"
    assert TensorType.parse(str(kind), {"n0": n, "n1": m}) == kind
    assert kind.scope is scope
    assert kind.nbytes.at(dict(zip(scope.symbols, (3, 3), strict=True))) == 7 * 2 * 4 * 4
    assert TensorType.parse("f32[2,3]").scope is None
    assert scope.lines() == ["n0 in 2.. like 9", "n1 in 2.. like 5"]


@pytest.mark.parametrize("text", ["f32[2,x]", "f32[-1]", "f32[2*3]", "f32[2,]", "f32[,2]", "f33[2]", "f32", "f32[n0]"])
def test_what_is_no_type(text):
    with pytest.raises(GraphError, match="E901") as caught:
        TensorType.parse(text)
    assert text in str(caught.value)


def test_comparing_shapes_of_two_ranks_asks_nothing():
    scope = SizeScope()
    n = scope.symbol(9)
    assert not same_shape((n, 4), (9,))
    assert TensorType((n,), TensorType.parse("f32[]").dtype) != TensorType.parse("f32[4,4]")
    assert not surely_same((n,), (9,))
    assert surely_same((n, 4), (n, 4))
    assert scope.lines() == ["n0 in 2.. like 9"]
