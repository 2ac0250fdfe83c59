"""What the driver is called with is what its header says: of each function the types of its arguments, and constants."""

from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p, sizeof
from pathlib import Path

import pytest

from hybridize.runtime.cuda import context, gpu, library, linking, signatures, work
from hybridize.runtime.cuda.signatures import COUNTING, SIGNATURES, CopyNode, KernelNode, UpdateResult

RECORDED = {
    name: types
    for name, *types in (line.split() for line in Path(__file__).with_name("signatures.txt").read_text().splitlines())
}
NUMBERS = {
    "int": c_int, "unsigned": c_uint, "size_t": c_size_t, "unsigned_long_long": c_uint64,
    "CUdeviceptr": c_uint64, "CUdevice": c_int, "CUresult": c_int, "char": c_char,
    "CUgraphExecUpdateResultInfo": UpdateResult, "CUDA_KERNEL_NODE_PARAMS": KernelNode, "CUDA_MEMCPY3D": CopyNode,
}  # fmt: skip
ENUMERATIONS = {
    "CUdevice_attribute", "CUfunction_attribute", "CUjitInputType", "CUjit_option", "CUpointer_attribute",
}  # fmt: skip
HANDLES = {
    "CUcontext", "CUstream", "CUevent", "CUlinkState", "CUmodule", "CUfunction", "CUgraph", "CUgraphExec", "CUgraphNode", "nvmlDevice_t",
}  # fmt: skip


def ctype(text):
    """The ctypes that a type of C is: pointers to pointers to characters are text, those to nothing known are addresses."""
    if text in ENUMERATIONS:
        return c_int
    if text in HANDLES or text == "void*":
        return c_void_p
    if text == "char**":
        return POINTER(c_char_p)
    return POINTER(ctype(text[:-1])) if text.endswith("*") else NUMBERS[text]


@pytest.mark.parametrize("name", [*SIGNATURES, *COUNTING])
def test_arguments_have_the_types_of_the_header(name):
    types = [*(SIGNATURES | COUNTING)[name]]
    if name == "cuModuleGetFunction":  # a name that is only read: bytes of Python's
        assert types[2] is c_char_p and RECORDED[name][2] == "char*"
        types[2] = POINTER(c_char)
    assert types == [ctype(text) for text in RECORDED[name]]


def test_the_table_has_no_others():
    assert list(RECORDED) == [*SIGNATURES, *COUNTING]


def test_a_library_without_a_function_is_not_taken():
    class Old:
        pass

    with pytest.raises(AttributeError, match="nvmlInit_v2"):
        signatures.declared(Old(), COUNTING)


CONSTANTS = {
    "CUDA_ERROR_OUT_OF_MEMORY": (2, library.OUT_OF_MEMORY),
    "CUDA_ERROR_INVALID_IMAGE": (200, library.NO_IMAGE),
    "CU_JIT_INPUT_PTX": (1, linking._PTX),
    "CU_JIT_ERROR_LOG_BUFFER": (5, linking._LOG),
    "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES": (6, linking._LOG_BYTES),
    "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": (3, work._LOCAL_BYTES),
    "CU_FUNC_ATTRIBUTE_NUM_REGS": (4, work._REGISTERS),
    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": (8, work._DYNAMIC_BYTES),
    "CU_EVENT_DISABLE_TIMING": (2, work._UNTIMED),
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": (75, gpu._MAJOR),
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": (76, gpu._MINOR),
    "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL": (9, gpu._ORDINAL),
    "CU_STREAM_LEGACY": (1, gpu.LEGACY),
    "CU_STREAM_NON_BLOCKING": (1, context._BESIDE_OTHERS),
    "CU_MEMORYTYPE_DEVICE": (2, work._ON_DEVICE),
}
"""As a program of C prints them that includes cuda.h of CUDA 12.9, and as the package has them."""


def test_constants_are_those_of_the_header():
    assert {name: ours for name, (_, ours) in CONSTANTS.items()} == {
        name: header for name, (header, _) in CONSTANTS.items()
    }
    assert (sizeof(UpdateResult), sizeof(KernelNode), sizeof(CopyNode)) == (24, 72, 200)


OFFSETS = {
    KernelNode: {"func": 0, "gridDimX": 8, "blockDimX": 20, "sharedMemBytes": 32, "kernelParams": 40, "extra": 48, "kern": 56, "ctx": 64},
    CopyNode: {
        "srcXInBytes": 0, "srcMemoryType": 32, "srcHost": 40, "src_address": 48, "srcArray": 56, "srcPitch": 72, "srcHeight": 80,
        "dstXInBytes": 88, "dstMemoryType": 120, "dstHost": 128, "dst_address": 136, "dstArray": 144, "dstPitch": 160,
        "dstHeight": 168, "WidthInBytes": 176, "Height": 184, "Depth": 192,
    },
}  # fmt: skip
"""As a program of C prints them that includes cuda.h of CUDA 12.9."""


@pytest.mark.parametrize("structure", OFFSETS)
def test_fields_are_where_the_header_has_them(structure):
    assert {name: getattr(structure, name).offset for name in OFFSETS[structure]} == OFFSETS[structure]
