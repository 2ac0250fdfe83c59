# SPDX-License-Identifier: Apache-2.0
"""From a graph to something that runs: passes, schedule, code generation, and the memory of what was compiled.

In: a graph, a target. Out: an `Executable`, and callables over it (`make_entry`). It must not know arrays, capture or
Python functions: it sees types and NumPy buffers only.

Schedules and code generation take as long to load as all the rest of `import hybridize`, and not every process
compiles. This package is the door to them: its functions import them when they are first called, its modules do not.

    compile, kernels, work          graph to executable: of a processor, of a device; what both have in common
    entry, pool                     executable to callable; the threads' code
    host                            this machine, and the modules that a process needs once
    measured, measuring             which choices are fastest on it: kept on the disk; found by timing
    cache; disk, folder, stored, identity    what was compiled: in memory; on the disk, for other processes
    shared                          files that processes map: what several of them would have in memory otherwise
    explain, explanation, profile, limits    reports: the passes again, as data, timed, beside what the core can do
    strided                         copies between views of a device's memory
    timed, timeline                 programs that note when each step ran: for reports, and for the profiler
    explanation_page                a report as HTML, for notebooks
"""

from hybridize.compiler.compile import cache_clear as cache_clear
from hybridize.compiler.compile import cache_info as cache_info
from hybridize.compiler.compile import compile as compile
from hybridize.compiler.compile import default_target as default_target
from hybridize.compiler.entry import make_entry as make_entry
