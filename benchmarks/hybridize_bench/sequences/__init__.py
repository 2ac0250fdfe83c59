# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks over sequences: recurrent layers, attention, a Transformer, a decoder, language models.

Each is data that every runtime builds in its own words: sizes, named arrays (weights and inputs, the same at every
run), and what must come out, in float64. `inference` and `training` say which of them are workloads.
"""
