# SPDX-License-Identifier: Apache-2.0
"""MXNet's `profiler`: what ran, how often and how long, as tables and as a file that browsers draw.

    profiler.set_config(profile_all=True, filename="profile.json")
    profiler.set_state("run")
    net(x)
    profiler.set_state("stop")
    print(profiler.dumps())     # tables
    profiler.dump()             # profile.json, for chrome://tracing or ui.perfetto.dev

In: the spans that `base.spans` tells of, and what users begin and end themselves. While it runs, compiled calls go
through Python, where they are seen: some 10 us each. It must not know nets or training.

    recording    settings, states, and what has been heard
    objects      Domain, Task, Frame, Event, Counter, Marker, scope
    reports      dumps and dump
    kernels      the kernels of the programs that ran, measured
"""

from hybridize.base.missing import refuses
from hybridize.profiler.objects import Counter as Counter
from hybridize.profiler.objects import Domain as Domain
from hybridize.profiler.objects import Event as Event
from hybridize.profiler.objects import Frame as Frame
from hybridize.profiler.objects import Marker as Marker
from hybridize.profiler.objects import Task as Task
from hybridize.profiler.objects import scope as scope
from hybridize.profiler.recording import pause as pause
from hybridize.profiler.recording import profiler_set_config as profiler_set_config
from hybridize.profiler.recording import profiler_set_state as profiler_set_state
from hybridize.profiler.recording import resume as resume
from hybridize.profiler.recording import set_config as set_config
from hybridize.profiler.recording import set_state as set_state
from hybridize.profiler.reports import dump as dump
from hybridize.profiler.reports import dump_profile as dump_profile
from hybridize.profiler.reports import dumps as dumps

__getattr__ = refuses(__name__, globals())
