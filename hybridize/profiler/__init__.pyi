# Written by `docs/make.py` from the module's table of names.

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

PLACES: dict[str, str]
__all__ = [
    "Counter", "Domain", "Event", "Frame", "Marker", "Task", "dump", "dump_profile", "dumps", "pause",
    "profiler_set_config", "profiler_set_state", "resume", "scope", "set_config", "set_state"
]
