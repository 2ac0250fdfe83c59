# SPDX-License-Identifier: Apache-2.0
"""ONNX: models read into `ForeignProgram`s without the onnx package, and graphs of ours written as models.

`messages` has the tables of the file's messages; `graphs` reads their parts, `read` a whole model; the tables of rows
(`elementwise`, `shapes`, `reductions`, ...) say what each operator computes, from operator set 7 on.
It must not know arrays of ours, blocks or capture.
"""
