# SPDX-License-Identifier: Apache-2.0
"""Graph -> Graph. One list is the pipeline; a reason stands on every line.

In and out: a valid graph. A pass that changes nothing returns the same object. Under `CHECK=1` the verifier runs after
every pass. Rules keep results bit for bit, NaN and signed zeros included; only those of `simplify_functions` round
otherwise, within 2 ulp.
It must not know machines, kernels or schedules.
"""

from hybridize.passes.common import EliminateCommon as EliminateCommon
from hybridize.passes.dead import EliminateDead as EliminateDead
from hybridize.passes.fold import FoldConstants as FoldConstants
from hybridize.passes.host import HostComplex as HostComplex
from hybridize.passes.inline import Inline as Inline
from hybridize.passes.kept import KeepLess as KeepLess
from hybridize.passes.masks import MasksOfResults as MasksOfResults
from hybridize.passes.pairs import PairTerms as PairTerms
from hybridize.passes.parts import ComputeParts as ComputeParts
from hybridize.passes.pipeline import Pass as Pass
from hybridize.passes.pipeline import Pipeline as Pipeline
from hybridize.passes.rematerialise import Rematerialise as Rematerialise
from hybridize.passes.scans import HoistFromScans as HoistFromScans
from hybridize.passes.scans import MergeScans as MergeScans
from hybridize.passes.scans import SaveResiduals as SaveResiduals
from hybridize.passes.scans import SinkFromScans as SinkFromScans
from hybridize.passes.scans import TrimScans as TrimScans
from hybridize.passes.simplify import Simplify as Simplify
from hybridize.passes.simplify_functions import half_of_one_and_tanh as half_of_one_and_tanh
from hybridize.passes.simplify_functions import over_copies_of_a_root as over_copies_of_a_root
from hybridize.passes.simplify_functions import over_copies_of_a_total_of_powers as over_copies_of_a_total_of_powers
from hybridize.passes.taken import TakeFromOperands as TakeFromOperands

REMATERIALISE = Rematerialise(limit_bytes=16 << 20)
"""Values from this size on are computed again: reading them from memory takes about as long."""
PIPELINE = Pipeline(
    Inline(),  # composites are words for people: later passes see through them
    HostComplex(),  # after composites are open; before all others, whose rules and kernels are of real numbers
    FoldConstants(limit_bytes=1 << 20),  # larger results stay computed at run time: a file holds no zeros
    Simplify(),  # after folding, so that computed ones and zeros are seen; equal things then look equal
    EliminateCommon(),  # after both, so that equal constants and equal nodes are met
    EliminateDead(),  # before scans are looked at: gradients that nobody asked for are no results of theirs
    TrimScans(),  # first of those over scans: they go by what a body reads and emits
    MergeScans(),  # after, so that operands that are one are seen; the state that a gradient asks for is the scan's
    SaveResiduals(),  # after the forward pass is one scan, which can keep what the backward one reads
    HoistFromScans(),  # after, since what was kept need not be computed before a scan
    SinkFromScans(),  # last of those over scans: what was read from memory is outside already
    TrimScans(),  # after what was taken out: nobody reads it inside any more
    MasksOfResults(),  # after equal things are one, so that it sees who reads a mask
    ComputeParts(),  # after equal things are one, so that it sees who reads a concatenation
    TakeFromOperands(),  # after equal things are one, whose other readers need no memory for it then
    REMATERIALISE,  # after equal things are one, as its copies are equal to what is there
    PairTerms(),  # after what goes by the operands of contractions, which are halves of others then
    KeepLess(),  # after what is computed again with its products; its copies are equal to what is there, too
    EliminateDead(),  # last: every pass may leave dead nodes
)
UNCUT = Pipeline(*(one for one in PIPELINE.passes if not isinstance(one, KeepLess)))
"""For a graph that is cut into a forward and a backward half: the cut chooses what the halves keep."""
