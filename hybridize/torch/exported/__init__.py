# SPDX-License-Identifier: Apache-2.0
"""The road through `torch.export`, for modules that our own capture cannot follow; a module that takes it says so.

In: a module and the tensors of a call. Out: `compiled.Compiled`, the programs of one kind of call. PyTorch traces
(`exporting`, `tracing`), `formats.torch_export` translates. State of Python's is that of the capture here, so that a
module is captured again only where its parts, modes or tensors are others.
"""
