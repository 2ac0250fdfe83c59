# SPDX-License-Identifier: Apache-2.0
"""A module for Fortran 2018 by iso_c_binding: a type that owns a model; its functions return the codes of C's."""

from __future__ import annotations

from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.sizes import chosen
from hybridize.formats.library.bindings.arrays import CallArray, call_arrays, filled

_TYPES: Final = {
    "bool": "integer(c_int8_t)", "int8": "integer(c_int8_t)", "int16": "integer(c_int16_t)",
    "int32": "integer(c_int32_t)", "int64": "integer(c_int64_t)", "uint8": "integer(c_int8_t)",
    "uint16": "integer(c_int16_t)", "uint32": "integer(c_int32_t)", "uint64": "integer(c_int64_t)",
    "float16": "integer(c_int16_t)", "bfloat16": "integer(c_int16_t)", "float32": "real(c_float)",
    "float64": "real(c_double)",
}  # fmt: skip
"""The types of elements; what Fortran has no type for are integers of the same bits."""
_RESERVED: Final = (
    "this",
    "code",
    "sizes",
    "inputs",
    "outputs",
    "c_loc",
    "c_ptr",
    "c_null_ptr",
    "path",
    "name",
    "data",
)
_LONGEST: Final = 40
"""Letters of a model's name: Fortran's names have at most 63."""


def fortran_module(model: LibraryModel) -> str:
    """Return the text of NAME.f90.

    Raises:
        CodegenError E974: Fortran cannot use the name.
    """
    if len(model.name) > _LONGEST or model.name.startswith("_"):
        raise CodegenError(
            "E974", f"a module of Fortran cannot be called {model.name!r}",
            help=f"write to a file whose name begins with a letter and has at most {_LONGEST}",
        )  # fmt: skip
    arrays = call_arrays(model, (*_RESERVED, model.name))
    sized = chosen(model)
    names = [one.name for one in arrays] + (["sizes"] if sized else [])
    inputs = [one for one in arrays if one.is_input]
    outputs = [one for one in arrays if not one.is_input]
    declared = [f"    {_declared(one)}" for one in arrays]
    declared += ["    integer(c_int64_t), intent(in), target :: sizes(*)"] if sized else []
    states = bool(model.state_tensors)
    parts = {
        "TABLE": [f"  !   {'in ' if one.is_input else 'out'}  {one.name}: {one.dtype}{one.shape}" for one in arrays],
        "SIZES": "  !   sizes: those of all inputs, one after the other, as C has them" if sized else "  !",
        "DUMMIES": ", &\n      ".join(["this", *names]),
        "DECLARED": declared,
        "INPUT_COUNT": str(max(1, len(inputs))),
        "OUTPUT_COUNT": str(max(1, len(outputs))),
        "FILL": [
            f"    {side}({number}) = c_loc({one.name}{'(1)' if one.axes else ''})"
            for side, group in (("inputs", inputs), ("outputs", outputs))
            for number, one in enumerate(group, 1)
        ],
        "GIVEN": "c_loc(sizes(1))" if sized else "c_null_ptr",
        "SEED_BOUND": "    procedure :: seed => seed_model\n" if model.random >= 0 else "",
        "SEED_C": _SEED_C.replace("NAME", model.name) if model.random >= 0 else "",
        "SEED": _SEED.replace("NAME", model.name) if model.random >= 0 else "",
        "STATES_BOUND": _STATES_BOUND if states else "",
        "STATES_C": _STATES_C.replace("NAME", model.name) if states else "",
        "STATES": _STATES.replace("NAME", model.name) if states else "",
    }
    return filled(_TEMPLATE, model, parts)


def _declared(one: CallArray) -> str:
    """Declare an argument: any array of the kind, whatever its number of axes, or one number."""
    intent = "in" if one.is_input else "inout"
    return f"{_TYPES[one.dtype]}, intent({intent}), target :: {one.name}{'(*)' if one.axes else ''}"


_SEED_C: Final = """
    function c_seed(model, number) bind(c, name="NAME_seed") result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: model
      integer(c_int64_t), value :: number
      integer(c_int32_t) :: code
    end function
"""
_SEED: Final = """
  ! Begins the random numbers anew.
  function seed_model(this, number) result(code)
    class(NAME_model), intent(inout) :: this
    integer(c_int64_t), intent(in) :: number
    integer(c_int32_t) :: code
    code = c_seed(this%handle, number)
  end function
"""
_STATES_BOUND: Final = """\
    procedure :: get => get_state
    procedure :: set => set_state
    procedure :: save => save_states
    procedure :: load => load_states
"""
_STATES_C: Final = """
    function c_get(model, name, data, nbytes) bind(c, name="NAME_get") result(code)
      import :: c_ptr, c_char, c_int32_t, c_int64_t
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: name(*)
      type(*), intent(inout) :: data(*)
      integer(c_int64_t), value :: nbytes
      integer(c_int32_t) :: code
    end function

    function c_set(model, name, data, nbytes) bind(c, name="NAME_set") result(code)
      import :: c_ptr, c_char, c_int32_t, c_int64_t
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: name(*)
      type(*), intent(in) :: data(*)
      integer(c_int64_t), value :: nbytes
      integer(c_int32_t) :: code
    end function

    function c_save(model, path) bind(c, name="NAME_save") result(code)
      import :: c_ptr, c_char, c_int32_t
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t) :: code
    end function

    function c_load(model, path) bind(c, name="NAME_load") result(code)
      import :: c_ptr, c_char, c_int32_t
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t) :: code
    end function
"""
_STATES: Final = """
  ! Reads a state: an array of its elements, with their bytes, as in get("step", steps, 8_c_int64_t).
  function get_state(this, name, data, nbytes) result(code)
    class(NAME_model), intent(in) :: this
    character(len=*), intent(in) :: name
    type(*), intent(inout) :: data(*)
    integer(c_int64_t), intent(in) :: nbytes
    integer(c_int32_t) :: code
    code = c_get(this%handle, name // c_null_char, data, nbytes)
  end function

  ! Sets a state.
  function set_state(this, name, data, nbytes) result(code)
    class(NAME_model), intent(inout) :: this
    character(len=*), intent(in) :: name
    type(*), intent(in) :: data(*)
    integer(c_int64_t), intent(in) :: nbytes
    integer(c_int32_t) :: code
    code = c_set(this%handle, name // c_null_char, data, nbytes)
  end function

  ! Writes all states to a safetensors file.
  function save_states(this, path) result(code)
    class(NAME_model), intent(in) :: this
    character(len=*), intent(in) :: path
    integer(c_int32_t) :: code
    code = c_save(this%handle, path // c_null_char)
  end function

  ! Reads all states from one.
  function load_states(this, path) result(code)
    class(NAME_model), intent(inout) :: this
    character(len=*), intent(in) :: path
    integer(c_int32_t) :: code
    code = c_load(this%handle, path // c_null_char)
  end function
"""
_TEMPLATE: Final = """\
! The model NAME from Fortran 2018; the functions are those of NAME.h, and return its codes: 0 is success.
!
! Arrays of C lie row by row, those of Fortran column by column: what is [2,3] in C is (3,2) here.
module NAME_module
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: NAME_model, NAME_message

  ! A model; it is given back when it goes out of scope. A copy would be the same model: pass it on by reference.
  type :: NAME_model
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_model
    procedure :: destroy => destroy_model
    procedure :: run => run_model
%SEED_BOUND%%STATES_BOUND%    final :: end_model
  end type

  interface
    function c_create(model, options) bind(c, name="NAME_create") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(out) :: model
      type(c_ptr), value :: options
      integer(c_int32_t) :: code
    end function

    subroutine c_destroy(model) bind(c, name="NAME_destroy")
      import :: c_ptr
      type(c_ptr), value :: model
    end subroutine

    function c_run(model, inputs, sizes, outputs, output_sizes) bind(c, name="NAME_run") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: model, sizes, output_sizes
      type(c_ptr), intent(in) :: inputs(*), outputs(*)
      integer(c_int32_t) :: code
    end function

    function c_error(code) bind(c, name="NAME_error") result(text)
      import :: c_ptr, c_int32_t
      integer(c_int32_t), value :: code
      type(c_ptr) :: text
    end function

    function c_length(text) bind(c, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
%SEED_C%%STATES_C%  end interface

contains

  ! Makes the model; one that is there is given back first.
  function create_model(this) result(code)
    class(NAME_model), intent(inout) :: this
    integer(c_int32_t) :: code
    call this%destroy()
    code = c_create(this%handle, c_null_ptr)
  end function

  subroutine destroy_model(this)
    class(NAME_model), intent(inout) :: this
    call c_destroy(this%handle)
    this%handle = c_null_ptr
  end subroutine

  subroutine end_model(this)
    type(NAME_model), intent(inout) :: this
    call this%destroy()
  end subroutine

  ! Runs the model.
  !
%TABLE%
%SIZES%
  function run_model(%DUMMIES%) result(code)
    class(NAME_model), intent(in) :: this
%DECLARED%
    integer(c_int32_t) :: code
    type(c_ptr) :: inputs(%INPUT_COUNT%), outputs(%OUTPUT_COUNT%)
%FILL%
    code = c_run(this%handle, inputs, %GIVEN%, outputs, c_null_ptr)
  end function
%SEED%%STATES%
  ! The text of a code.
  function NAME_message(code) result(message)
    integer(c_int32_t), intent(in) :: code
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: text
    integer :: k
    text = c_error(code)
    call c_f_pointer(text, letters, [c_length(text)])
    allocate (character(len=size(letters)) :: message)
    do k = 1, size(letters)
      message(k:k) = letters(k)
    end do
  end function

end module
"""
