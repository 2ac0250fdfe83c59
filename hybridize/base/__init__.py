# SPDX-License-Identifier: Apache-2.0
"""The words every other package speaks: dtypes, sizes, types, errors, lines of the user's source, modes.

In: nothing of ours. Out: plain values and small frozen classes. It must not know of graphs, ops,
arrays or compilers. A helper that two packages share lives here only when it has a name of its own.

    dtypes, promotion, dims, types    what an array is: element types, sizes that may be symbols, both in one
    precision                         the types that sums of products are read, added up and given in
    errors, locations                 what goes wrong, and at which line of the user's
    tracebacks, advice, missing       what users see of them; warnings; names that a module has not
    elsewhere                         names of other libraries that a class has not
    config, modes, version            switches: of the process, of a thread; the version
    settings, registry                numbers that users give, checked; classes that strings name
    recorded                          choices by numbers of Python's, or of a program that records them
    frozen, constructors              immutable classes; their constructors, compiled once for all processes
    nested, once, digests             trees of leaves, what is made once, hashes
    requirements                      the Python and the packages that hybridize cannot start without
    x86                               features of x86-64 processors, by Linux's names
    memo                              results of pure functions, by what they are made of
    members                           attributes of classes, which no metaclass gives
    pickled                           names that pickles use, and picklers that copy functions
    prefixes                          names by a hint, a count and a prefix, for symbols and blocks
    characters, platforms             characters that an output lacks; names of kinds of machines
    html, drawing, charts, colours    pieces of pages for notebooks; graphs and curves as SVG; constants of colours
    notebooks, progress               notebooks, and modules that they load again; a line on terminals about what takes
                                      long
    faces                             arrays of other libraries, as programs have them
    hooks, participation              what an upper package sets for a lower one; how a class takes part in captures
    access, comparison                memory that threads share, seen whole; the rule by which results are compared
    forks, loading                    locks of processes that fork, late imports
    spans                             what runs, and how long, told to whoever listens
    parsing, room                     Python's parser, one thread at a time; deep trees and the recursion limit
    collector                         Python's garbage collector, which looks less often while programs are made
    library                           what MXNet's users import of its `base`, loaded when asked for
"""

from typing import Any, Final

from hybridize.base import requirements

if (_PROBLEM := requirements.problem()) is not None:
    raise _PROBLEM

# Not before: errors are made of NumPy's, which an older one lacks.
from hybridize.base.loading import load_module
from hybridize.base.missing import missing

_LIBRARY: Final = (
    "MXNetError", "__version__", "data_dir", "data_dir_default", "integer_types", "mx_real_t", "numeric_types",
    "py_str", "string_types",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Give the names of `library` as those of this package: `from hybridize.base import MXNetError`."""
    if name in _LIBRARY:
        return getattr(load_module("hybridize.base.library"), name)
    if name.islower():  # so Python asks for a module of the package before it imports it
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise missing(__name__, name, _LIBRARY)
