# Written by `docs/make.py` from the module's table of names.

from hybridize.formats.archive import read_archive as read_archive
from hybridize.formats.archive import read_if_archive as read_if_archive
from hybridize.formats.archive import read_received as read_received
from hybridize.formats.archive import write_archive as write_archive
from hybridize.formats.archive import written as written
from hybridize.formats.detection import detect as detect
from hybridize.formats.saved import ARRAY as ARRAY
from hybridize.formats.saved import CheckedCall as CheckedCall
from hybridize.formats.saved import Leaf as Leaf
from hybridize.formats.saved import OF_ND as OF_ND
from hybridize.formats.saved import SavedProgram as SavedProgram
from hybridize.formats.saved import SavedSignature as SavedSignature

PLACES: dict[str, str]
__all__ = [
    "ARRAY", "CheckedCall", "Leaf", "OF_ND", "SavedProgram", "SavedSignature", "detect", "read_archive",
    "read_if_archive", "read_received", "write_archive", "written"
]
