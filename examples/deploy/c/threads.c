/* The chapter's net on 64 rows by four threads of OpenMP: a host lends the library its own.

       cc -O2 -fopenmp ../c/threads.c -I. -L. -lmlp -Wl,-rpath,. -lm -o threads && ./threads    */
#include <math.h>
#include <stdio.h>

#include "mlp.h"

static void parallel_for(void *context, void (*task)(void *work, int64_t number), void *work, int64_t count) {
    (void)context;
#pragma omp parallel for schedule(dynamic) num_threads(4)
    for (int64_t number = 0; number < count; number++) task(work, number);
}

static size_t read_floats(const char *path, float *into, size_t most) {
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(into, sizeof *into, most, file) : 0;
    if (file) fclose(file);
    return count;
}

int main(void) {
    static float data[64 * 512], expected[64 * 2], output[64 * 2], largest = 0;
    int64_t sizes[] = {(int64_t)read_floats("mlp.batch.input.f32", data, 64 * 512) / 512, 512};
    read_floats("mlp.batch.output.f32", expected, 64 * 2);

    mlp_options options = {.parallel_for = parallel_for, .threads = 4};
    mlp *model = NULL;
    int32_t code = mlp_create(&model, &options);
    if (!code) code = mlp_run(model, (const void *[]){data}, sizes, (void *[]){output}, (int64_t[]){64, 2});
    mlp_destroy(model);
    if (code) return fprintf(stderr, "threads: %s\n", mlp_error(code)), 1;

    for (int i = 0; i < 64 * 2; i++) {
        float difference = fabsf(output[i] - expected[i]);
        if (!(difference <= 1e-5f)) return fprintf(stderr, "element %d differs by %g\n", i, difference), 1;
        largest = fmaxf(largest, difference);
    }
    printf("64 rows by 4 threads, largest difference %.1e\n", largest);
    return 0;
}
