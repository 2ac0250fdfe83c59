# SPDX-License-Identifier: Apache-2.0
"""Files in and out: graphs with their weights, and weights alone.

In: paths and bytes, which are never trusted. Out: `(Graph, weights)` or plain NumPy arrays. Every reader checks sizes
before it allocates and answers anything malformed with a `LoadError` that names the byte offset or the key; no reader
runs code from a file. Every writer is atomic: the old file stands until the new one is whole on the disk.
It must not know arrays with operators, blocks or capture.

Libraries of formats (zipfile) are loaded when a file is first read or written, not with hybridize.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.formats",
    {
        "archive": "read_archive read_if_archive read_received write_archive written",
        "detection": "detect",
        "saved": "ARRAY CheckedCall Leaf OF_ND SavedProgram SavedSignature",
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
