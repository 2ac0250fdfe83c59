# SPDX-License-Identifier: Apache-2.0
"""The loop IR: what one element of an output is, as a scalar expression of its index.

In: lowerings of ops. Out: expressions that `schedule` fuses by substitution and `codegen` turns into code.

    expr  = Const(value, dtype)                       a number
          | Axis(k)                                   i64 index along axis k of the output (or a fold variable, k < 0)
          | Load(operand, indices)                    one element of input `operand`
          | CallExpr(function, args, dtype)           a scalar function of the table `FUNCTIONS`
          | Select(condition, then, orelse)
          | Cast(expr, dtype)
          | Fold(kind, size, variable, elements, dtype)   a monoid's first result over variable in 0..size-1
          | FoldResult(fold, number, dtype)               another of its results

Every expression is pure and typed; index expressions are i64.

    expr         the expressions, what a lowering may return
    functions    the scalar functions: each with its arity, what it takes, its meaning and its cost
    monoids      what is folded: accumulators, how elements enter, how states combine, what results
    index        normal forms: equal expressions are one object, index arithmetic is affine, bounds decide comparisons
    contraction  sums of products of two operands by index maps: roles of axes, meaning, gradients
    kernel       loop nests that store expressions in flat buffers; how they run is `schedule.kernel`'s
    measure      how wide and heavy an expression is, the bytes that loops move
    interpret    what a kernel means, slowly
    draws        formulas of random numbers, for expressions and for NumPy arrays alike

It must not know graphs or ops.
"""
