! Training in Fortran 2018, with a checkpoint in the middle. In the folder of the model:
!
!     gfortran -O2 step.f90 ../train.f90 -L. -lstep -Wl,-rpath,. -o train_f && ./train_f
program train
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use step_module
  implicit none
  integer, parameter :: rows = 32, pixels = 64, batches = 8, steps = 100, middle = 50
  real(c_float) :: x(pixels, rows, batches), y(rows, batches), expected(steps)
  type(step_model) :: model
  integer(c_int64_t) :: done(1)
  real(c_double) :: rate(1)
  integer :: unit

  open (newunit=unit, file="step.x.f32", access="stream", form="unformatted", status="old")
  read (unit) x
  close (unit)
  open (newunit=unit, file="step.y.f32", access="stream", form="unformatted", status="old")
  read (unit) y
  close (unit)
  open (newunit=unit, file="step.losses.f32", access="stream", form="unformatted", status="old")
  read (unit) expected
  close (unit)

  call check(model%create())
  call run_steps(1, middle)
  call check(model%save("checkpoint_f.safetensors"))
  call run_steps(middle + 1, steps)

  call check(model%create())  ! as another process would
  call check(model%load("checkpoint_f.safetensors"))
  call run_steps(middle + 1, steps)
  call check(model%get("step", done, 8_c_int64_t))
  call check(model%get("learning_rate", rate, 8_c_int64_t))
  print "(i0, a, f5.3, a)", done(1), " steps at ", rate(1), ", every loss as in Python, bit for bit"
  call check(model%set("learning_rate", [0.001_c_double], 8_c_int64_t))  ! from here on

contains

  subroutine run_steps(first, last)
    integer, intent(in) :: first, last
    real(c_float) :: loss
    integer :: k, batch
    do k = first, last
      batch = modulo(k - 1, batches) + 1
      call check(model%run(x(:, :, batch), y(:, batch), loss))
      if (loss /= expected(k)) call fail("a loss is not Python's")
      if (modulo(k, 10) == 1) print "(a, i0, a, f7.4)", "step ", k - 1, ": loss ", loss
    end do
  end subroutine

  subroutine check(code)
    integer(c_int32_t), intent(in) :: code
    if (code /= 0) call fail(step_message(code))
  end subroutine

  subroutine fail(message)
    character(len=*), intent(in) :: message
    write (error_unit, "(2a)") "train: ", message
    error stop 1
  end subroutine
end program
