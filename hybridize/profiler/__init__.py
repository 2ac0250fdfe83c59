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
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.profiler",
    {
        "objects": "Counter Domain Event Frame Marker Task scope",
        "recording": "pause profiler_set_config profiler_set_state resume set_config set_state",
        "reports": "dump dump_profile dumps",
    },
)
"""Places of what programs call."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
