# SPDX-License-Identifier: Apache-2.0
"""The hash of identities within hybridize. What stands in files and texts is SHA-256, as others know it."""

from __future__ import annotations

try:  # what hashlib has at its core: without OpenSSL, which takes half as long to load as a program from the disk
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def digest(content: bytes | memoryview, nbytes: int = 32) -> bytes:
    """Bytes that say whether two contents are the same: BLAKE2b."""
    return blake2b(content, digest_size=nbytes).digest()
