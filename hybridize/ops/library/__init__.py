# SPDX-License-Identifier: Apache-2.0
"""Compositions of ops under one name each, which every door's table calls: arrays, MXNet's files, PyTorch's programs.

In: operands, and Python's numbers and words for what is no operand. Out: operands. `convolution_layers` has
convolutions with bias; `pooling` windows of which each gives one number, and parts of images; `padding` elements
around an array; `resizing` images of other sizes; `sampling` images at places that data say; `deformation` grids of
such places, and convolutions whose windows bend; `columns` windows as columns of a matrix, and sums over channels;
`regions` parts of images in a fixed number of bins; `boxes` places of objects, compared, chosen and matched;
`correlation` windows of two images compared; `attention` means of values by the weights of their keys; `rnn` stacks
of recurrent layers; `decimals` numbers rounded as Python's `round` does; `quantized` integers that stand for real
numbers. A door translates names, defaults and conventions of its own, and computes nothing.
It must not know doors: no array, module or file.
"""
