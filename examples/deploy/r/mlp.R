# The chapter's net from R. In the folder of the models:
#
#     PKG_CPPFLAGS=-I. PKG_LIBS='-L. -lmlp -Wl,-rpath,.' R CMD SHLIB ../r/mlp_call.c -o mlp_call.so && Rscript ../r/mlp.R

dyn.load("mlp_call.so")

read <- function(path) readBin(path, "numeric", n = file.size(path) / 4, size = 4, endian = "little")

model <- .Call("open_model")
output <- .Call("run_model", model, read("mlp.input.f32"))

difference <- max(abs(output - read("mlp.output.f32")))
cat(sprintf("output %.6f %.6f, largest difference %.1e\n", output[1], output[2], difference))
stopifnot(difference <= 1e-5)
