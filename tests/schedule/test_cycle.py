"""Groups that lie around others do not come to wait for each other."""

from __future__ import annotations

import numpy

from hybridize.compiler import compile as compiled
from hybridize.graph import parse
from hybridize.ops import OPS, evaluate

AROUND = """
graph(%0 "c": f64[4], %1 "h": f64[4], %2 "a": f64[4], %3 "b": f64[4], %4: f64[4,4], %5 "2": f64[4], %6 "n": f64[4],
      %7: f64[4], %8: f64[4], %9: f64[4], %10: f64[4], %11: f64[], %12: f64[], %13: f64[], %14: f64[], %15: f64[4],
      %16: f64[1,4], %17: f64[4]) {
BODY}
"""


def test_a_group_that_begins_before_and_ends_after_another():
    """Found among training programs of chance: a product, its epilogue, and two groups that each store for the other."""
    body = """
  %18: f64[4] = constant([0.5, 0.5, 0.5, 0.5])
  %19: f64[4] = mul(%2, %3)
  %20: f64[4] = mul(%19, %0)
  %21: f64[] = sum(%20, axes=(0,))
  %22: f64[4] = add(%5, %8)
  %23: f64[4] = mul(%22, %22)
  %24: f64[] = sum(%23, axes=(0,))
  %25: f64[] = add(%11, %24)
  %26: f64[] = add(%25, %12)
  %27: f64[] = add(%26, %21)
  %28: f64[] = add(%27, %13)
  %29: f64[] = add(%28, %14)
  %30: f64[1,4] = matmul(%16, %4, transpose_x=False, transpose_w=False)
  %31: f64[4] = reshape(%30, shape=(4,))
  %32: f64[4] = add(%15, %19)
  %33: f64[4] = add(%31, %17)
  %34: f64[4] = add(%33, %17)
  %35: f64[4] = add(%22, %22)
  %36: f64[4] = add(%34, %10)
  %37: f64[4] = add(%36, %10)
  %38: f64[4] = mul(%37, %6)
  %39: f64[4] = mul(%38, %0)
  %40: f64[4] = mul(%38, %9)
  %41: f64[4] = add(%32, %40)
  %42: f64[4] = mul(%39, %1)
  %43: f64[4] = add(%7, %42)
  %44: f64[4] = mul(%35, %18)
  %45: f64[4] = add(%43, %44)
  return %29, %41, %45
"""
    graph = parse(AROUND.strip().replace("BODY", body.strip("\n") + "\n").replace("\n      %", " %"), OPS)
    rng = numpy.random.default_rng(0)
    inputs = [rng.standard_normal(value.type.shape) for value in graph.inputs]
    found = compiled(graph, name="around").run(inputs)
    for ours, theirs in zip(found, evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-12)
