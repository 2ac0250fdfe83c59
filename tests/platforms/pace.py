"""How long what is timed may take: limits are those of a processor, and an emulator's are longer."""

import os
from typing import Final

SLOWER: Final = int(os.environ.get("HYBRIDIZE_SLOWER", "1"))
"""How many times as long a program may take here: `arm64.test` says it."""
