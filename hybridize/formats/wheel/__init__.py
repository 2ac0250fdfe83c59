# SPDX-License-Identifier: Apache-2.0
"""Wheels: a library for C as a package that pip installs, and that needs nothing but Python.

    write_wheel(deployable, path, ...) -> files        NAME-VERSION-py3-none-PLATFORMS.whl, NAME-VERSION.tar.gz

In: a `Deployable`. Out: a wheel for one machine or several, and the sources that it is built of.

    write        from a program to both files
    naming       names and versions that packages may have; the tag of a library, by what it needs of its system
    texts        the module, its types, the metadata: what differs between models
    samples      calls that the self-test repeats, as a safetensors file
    running      the wheel that was just written, unpacked and run in a process without packages
    parts        what does not differ: the binding, the self-test, the builder of wheels, copied as they are

It must not know arrays with operators, blocks or capture.
"""

from hybridize.formats.wheel.write import write_wheel as write_wheel
