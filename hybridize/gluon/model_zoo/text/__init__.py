# SPDX-License-Identifier: Apache-2.0
"""Models of text: decoders that give the scores of the next token, one place after the other.

A decoder is a block `decoder(tokens)` for training, and a step function for generation: `begin_cache` makes the arrays
that keep keys and values, `prefill` reads the prompts, `step` reads one more token of each row. See
`gluon.generation`.
"""

from hybridize.gluon.model_zoo.text.decoder import CausalDecoder as CausalDecoder
from hybridize.gluon.model_zoo.text.gpt import GPT as GPT
from hybridize.gluon.model_zoo.text.gpt import gpt_mini as gpt_mini
from hybridize.gluon.model_zoo.text.llama import Llama as Llama
from hybridize.gluon.model_zoo.text.llama import llama_mini as llama_mini
