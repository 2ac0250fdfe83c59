"""Small modules of the kind that people give to `torch.jit.script`, and a verdict on the PyTorch door for each.

`tests/torch/test_scripted.py` runs them as tests; `python -m tests.torch.scripted` prints a table.
"""

from tests.torch.scripted import control as control
from tests.torch.scripted import language as language
from tests.torch.scripted import layers as layers
from tests.torch.scripted import parity as parity
from tests.torch.scripted import programs as programs
from tests.torch.scripted import state as state
from tests.torch.scripted import structures as structures
from tests.torch.scripted import tensors as tensors
from tests.torch.scripted.cases import CASES as CASES
