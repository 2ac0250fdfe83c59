"""Pages that nobody may touch."""

import ctypes
import os

NO_ACCESS = 1  # of Windows


def forbid(address, nbytes):
    """Take the right to read and to write pages away: who does ends the process."""
    pages = ctypes.c_void_p(address), ctypes.c_size_t(nbytes)
    if os.name == "nt":
        before = ctypes.c_uint32()
        assert ctypes.WinDLL("kernel32").VirtualProtect(*pages, NO_ACCESS, ctypes.byref(before))
    else:
        assert ctypes.CDLL(None).mprotect(*pages, 0) == 0
