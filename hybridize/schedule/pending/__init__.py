# SPDX-License-Identifier: Apache-2.0
"""Units of a program as steps that wait for their places in memory, each kind with the record of what it waits with.

    base       what is known of the program (`Scheduling`), and what each kind answers (`PendingSteps`)
    loops      groups of fused nodes
    contractions   products of matrices, contractions with windows
    routines   sorting, scattering, factors of matrices
    regions    control flow, whose bodies are programs
    copies     outputs that are copies, borders, matrices that are packed

In: a unit, the program. Out: `PendingSteps`, with its work, what it reads and stores, the scratch that it needs and how
threads would share it; it gives its steps when bands and memory are settled. Nothing here knows which unit comes next.
"""

from hybridize.schedule.pending.base import PendingSteps as PendingSteps
from hybridize.schedule.pending.base import Scheduling as Scheduling
from hybridize.schedule.pending.base import StepOperations as StepOperations
from hybridize.schedule.pending.base import Surroundings as Surroundings
from hybridize.schedule.pending.contractions import pending_maps as pending_maps
from hybridize.schedule.pending.contractions import pending_product as pending_product
from hybridize.schedule.pending.contractions import pending_taps as pending_taps
from hybridize.schedule.pending.copies import borders as borders
from hybridize.schedule.pending.copies import copied_outputs as copied_outputs
from hybridize.schedule.pending.copies import packings as packings
from hybridize.schedule.pending.copies import pending_copy as pending_copy
from hybridize.schedule.pending.loops import pending_loops as pending_loops
from hybridize.schedule.pending.regions import pending_region as pending_region
from hybridize.schedule.pending.routines import pending_routine as pending_routine
from hybridize.schedule.pending.routines import write_over as write_over
