/* The chapter's net from C. In the folder of the models:

       cc -O2 ../c/mlp.c -I. -L. -lmlp -Wl,-rpath,. -lm -o mlp && ./mlp    */
#include <math.h>
#include <stdio.h>

#include "mlp.h"

static size_t read_floats(const char *path, float *into, size_t most) {
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(into, sizeof *into, most, file) : 0;
    if (file) fclose(file);
    return count;
}

int main(void) {
    float data[1024], expected[2] = {NAN, NAN}, output[2], largest = 0;
    int64_t sizes[] = {1, (int64_t)read_floats("mlp.input.f32", data, 1024)}; /* of `data`: one row */
    read_floats("mlp.output.f32", expected, 2);

    mlp *model = NULL;
    int32_t code = mlp_create(&model, NULL);
    if (!code) code = mlp_run(model, (const void *[]){data}, sizes, (void *[]){output}, NULL);
    mlp_destroy(model);
    if (code) return fprintf(stderr, "mlp: %s\n", mlp_error(code)), 1;

    for (int i = 0; i < 2; i++) {
        float difference = fabsf(output[i] - expected[i]);
        if (!(difference <= 1e-5f)) return fprintf(stderr, "%g is not %g\n", output[i], expected[i]), 1;
        largest = fmaxf(largest, difference);
    }
    printf("output %.6f %.6f, largest difference %.1e\n", output[0], output[1], largest);
    return 0;
}
