# SPDX-License-Identifier: Apache-2.0
"""Generation of sequences: prompts are read at once, then one token after the other is chosen and read.

`SequenceSampler` takes the likeliest token or draws one, `BeamSearch` keeps the likeliest few sequences. Both are
blocks around a decoder, an object with `max_length`, `begin_cache`, `prefill` and `step` as those of `model_zoo.text`;
`Recurrent` makes one of a step function and its states. Imperatively they are Python; hybridized, prompt, loop and
choice are one program. What is chosen has no gradient: they do not record.
"""

from hybridize.gluon.generation.beam_search import BeamSearch as BeamSearch
from hybridize.gluon.generation.recurrent import Recurrent as Recurrent
from hybridize.gluon.generation.sampler import SequenceSampler as SequenceSampler
