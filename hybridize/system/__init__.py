# SPDX-License-Identifier: Apache-2.0
"""The operating system: the only room that knows which one this is, and what it offers.

In: nothing of ours. Out: numbers, bytes, `OSError`s; small objects for pages and folders. It must not know what the
pages, files and threads are for. `linux`, `macos` and `windows` have the same names, of which this module gives those
of the system that Python runs on; `posix` has what the first two share. Each of the three can be imported anywhere, so
that tests and the type checker look at all of them.

Ask by the name of the room, `system.affinity()`: so a test can plant another answer.
"""

import sys

if sys.platform == "win32":
    from hybridize.system import windows as end
elif sys.platform == "darwin":
    from hybridize.system import macos as end
else:
    from hybridize.system import linux as end

# ------------------------------------------------------------------------------------------------------ what this is

NAME = end.NAME
"""`linux`, `macos` or `windows`: what is neither of the last two is taken for the first."""
PROCESSOR = end.PROCESSOR
"""The family of processors that this process has code for: `x86_64`, `aarch64`, or what the system calls another."""
ROOT = "/"
"""The folder below which the files of the system are: tests bring their own."""

# ------------------------------------------------------------------------------------------------- machine code

pages = end.pages
"""Return the object that manages pages of machine code, always the same one.

`new(nbytes)` gives the address of fresh pages that can be written, `make_executable(address, nbytes)` changes the right
to write them into that to run them, and makes sure that processors fetch what was written. `give_back(address, nbytes)`
frees what `new` gave; it works as long as the object is there, even when modules have been cleared. Each raises
`OSError`.
"""
HOW_TO_ALLOW_CODE = end.HOW_TO_ALLOW_CODE
"""The remedy, in words, where the system does not let a process run code that it made."""
function_address = end.function_address
"""Return the address of a function of this process, of the C library, the mathematics library or CPython; 0: there is
none of that name. `aligned_alloc` and `free` belong together."""
c_library = end.c_library
"""Return the C library, whose functions are called without giving Python's lock away."""
gpu_driver = end.gpu_driver
"""Return the library of the driver of NVIDIA's GPUs, whose functions are called without Python's lock; `OSError`."""
gpu_counter = end.gpu_counter
"""Return the library that counts these GPUs without starting one; `OSError`."""
thread_words = end.thread_words
"""Return the functions and numbers that the emitted code of the pool needs of the system, in the order in which the
code for this system expects them; None where there are none for this processor."""

# ------------------------------------------------------------------------------------------------------------ memory

HAS_LARGE_PAGES = end.HAS_LARGE_PAGES
"""True where `madvise` takes the advice MADV_HUGEPAGE."""
large_memory = end.large_memory
"""Return zeros of this process alone, a buffer, in large pages where the system has some; None where it has none."""
forget = end.forget
"""Let the system take back whole pages of a mapped file, which lose what was written to them (or do nothing)."""
shared_memory = end.shared_memory
"""Return a descriptor of memory without a name, which other processes can map; None where there is none."""

# ------------------------------------------------------------------------------------------------------------- files

READ = end.READ
"""Flags of `os.open` for a file of bytes that is only read, and that started processes do not inherit."""
PrivateFolder = end.PrivateFolder
"""An open folder that nobody but the user can write to, for the body of a `with` statement; `OSError` for another, and,
with `follow=False`, for a link.

What is done by it (`open`, `rename`, `link`, `remove`, `touch`, `scan`, `is_at`) is done in that folder, even where
somebody puts another folder, or a link, in its place.
"""
is_foreign = end.is_foreign
"""Tell whether somebody else owns a file or folder of this `os.stat_result`, or may write to it."""
file_content = end.file_content
"""Return what an open file holds, a buffer: mapped where other files can take the place of mapped ones, else read.

With `writable=True` one that can be written to, which does not change the file."""
replace = end.replace
"""Put a file in the place of another one, or of none, at once; wait a moment for who has the other one open."""
is_in_use = end.is_in_use
"""Tell whether an `OSError` of `replace` may say that a program has the file open, or runs it."""
lock_file = end.lock_file
"""Take the lock of an open file, alone or shared with others; False where another process has one that excludes it. The
lock ends with the last descriptor and mapping that the file was opened for."""
reserve = end.reserve
"""Give an open file so many bytes on the disk: where it is full, this is the place where an error tells."""
sync = end.sync
"""Wait until a file, or the names in a folder, are on the disk."""
cache_folder = end.cache_folder
"""Return the folder for caches of this user's programs of a name; empty where the user has none."""

# --------------------------------------------------------------------------------------------------------- processes

START_METHOD = end.START_METHOD
"""The method of `multiprocessing` that starts processes at the least cost and is safe beside threads: `fork`, `spawn`.
"""
KILLED = end.KILLED
"""The exit code, in the words of `multiprocessing`, of a process that the system killed; None where it has no such."""
at_fork = end.at_fork
"""Call functions around each fork of this process, as `os.register_at_fork` does; do nothing where nothing forks."""
process_start = end.process_start
"""Return the time at which a process began, in units of the system's; -1: there is no such process any more, 0: there
may be one, of which nobody tells."""
process_space = end.process_space
"""Return the name of what numbers processes: each container may have its own; empty where nobody tells."""
host_name = end.host_name
"""Return the name of this machine in its network."""
boot_name = end.boot_name
"""Return what the system calls this run of the machine; empty where nobody tells."""
user_name = end.user_name
"""Return a name of this user that is one in the machine, fit for the name of a file."""
give_way = end.give_way
"""Let another thread run on this processor, if one waits for it."""
allow_open_files = end.allow_open_files
"""Let this process have so many files and connections open, as far as the system does."""

# -------------------------------------------------------------------------------------------------------- processors

affinity = end.affinity
"""Return the numbers of the processors that this process may run on."""
cores = end.cores
"""Count the physical cores among processors: two threads of one core share the unit that kernels keep busy."""
quota = end.quota
"""Return how many whole processors' time this process may use, rounded down, at least 1; None: there is no limit.

Down, as what exceeds the quota is taken back by stopping all threads for the rest of a period.
"""
cache_bytes = end.cache_bytes
"""Return the size of a data cache, by its level, of the processor that kernels run on; 0 where nobody tells."""
processor_flags = end.processor_flags
"""Return the features of the first processor by Linux's names; empty where nobody tells."""
processor_facts = end.processor_facts
"""Return what tells the first processor from others, as lines of text; nothing where nobody tells."""
processor_name = end.processor_name
"""Return the name of the processor, as people know it; empty where nobody tells."""
