# SPDX-License-Identifier: Apache-2.0
"""Programs of other frameworks: plain data that their readers make, and one walk that applies it to operands.

    file -- reader of the format --> ForeignProgram -- walk, by the rows of a Vocabulary --> operands

`program` is the data: graphs of nodes that name values. `vocabulary` holds the rows of one framework: an operator, the
function of `ops` that computes it, and how its parameters are spelled there. `known` are values that are not data: what
shapes, axes and counts are made of. `walk` goes from node to node.
It must not know a framework, nor arrays of ours: a row computes with whatever the current interpreter does.
"""
