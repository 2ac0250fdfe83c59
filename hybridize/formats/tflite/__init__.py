# SPDX-License-Identifier: Apache-2.0
"""TFLite models: a reader of files, and the rows of their operators.

In: bytes of a `.tflite` file. Out: a `ForeignProgram`, or operands that a row computes.
`messages` has the tables of slots, `read` makes the program, `vocabulary` is filled by the tables of rows:
`elementwise`, `shapes`, `linear`, `state`, and `quantized` for integers that stand for numbers. No flatbuffers, no
TensorFlow.
"""
