# A net that repeats a layer until nothing changes, from R: any number of rows in, a matrix and an integer out.
#
#     PKG_CPPFLAGS=-I. PKG_LIBS='-L. -lsteps -Wl,-rpath,.' R CMD SHLIB ../r/steps_call.c -o steps_call.so
#     Rscript ../r/steps.R

dyn.load("steps_call.so")

read <- function(path) {
  values <- readBin(path, "numeric", n = file.size(path) / 4, size = 4, endian = "little")
  matrix(values, ncol = 16, byrow = TRUE)
}

model <- .Call("open_model")
result <- .Call("run_model", model, read("steps.input.f32"))

difference <- max(abs(result$state - read("steps.output.f32")))
count <- readBin("steps.count.i64", "integer", size = 8, endian = "little")
cat(sprintf("%d steps, largest difference %.1e\n", result$steps, difference))
stopifnot(difference <= 1e-5, result$steps == count)
