# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: SavedModels and functions read into `ForeignProgram`s without TensorFlow.

`messages` has the tables of the messages; `graphdef` makes graphs of functions, whoever has them; `bundle` reads the
variables' files, `saved_model` the folder. The tables of rows (`elementwise`, `shapes`, `linear`, ...) say what each
operator computes. A variable is a value of the walk, its `Handle`; `Walk.state` has what it holds now.
It must not know arrays of ours, blocks or capture; and TensorFlow is never loaded.
"""
