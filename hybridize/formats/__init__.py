# SPDX-License-Identifier: Apache-2.0
"""Files in and out: graphs with their weights, and weights alone.

In: paths and bytes, which are never trusted. Out: `(Graph, weights)` or plain NumPy arrays. Every reader checks sizes
before it allocates and answers anything malformed with a `LoadError` that names the byte offset or the key; no reader
runs code from a file. Every writer is atomic: the old file stands until the new one is whole on the disk.
It must not know arrays with operators, blocks or capture.

Libraries of formats (safetensors, zipfile) are loaded when a file is first read or written, not with hybridize.
"""

from hybridize.formats.archive import read_archive as read_archive
from hybridize.formats.archive import read_if_archive as read_if_archive
from hybridize.formats.archive import read_received as read_received
from hybridize.formats.archive import write_archive as write_archive
from hybridize.formats.archive import written as written
from hybridize.formats.detection import detect as detect
from hybridize.formats.saved import CheckedCall as CheckedCall
from hybridize.formats.saved import Leaf as Leaf
from hybridize.formats.saved import SavedProgram as SavedProgram
from hybridize.formats.saved import SavedSignature as SavedSignature
