/* A net that repeats a layer until nothing changes, from C: any number of rows in, floats and an integer out.

       cc -O2 ../c/steps.c -I. -L. -lsteps -Wl,-rpath,. -lm -o steps && ./steps    */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

static size_t read_file(const char *path, void *into, size_t most) {
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(into, 1, most, file) : 0;
    if (file) fclose(file);
    return bytes;
}

int main(void) {
    float data[1024], expected[1024], *state = NULL, largest = 0;
    int64_t count = 0, expected_count = -1;
    int64_t sizes[] = {(int64_t)(read_file("steps.input.f32", data, sizeof data) / sizeof(float[16])), 16}, room[2];
    size_t known = read_file("steps.output.f32", expected, sizeof expected) / sizeof *expected;
    read_file("steps.count.i64", &expected_count, sizeof expected_count);

    steps *model = NULL;
    int32_t code = steps_create(&model, NULL);
    if (!code) code = steps_sizes(sizes, room); /* `state` is room[0] x room[1]; `steps` has no axes */
    if (!code) state = malloc((size_t)(room[0] * room[1]) * sizeof *state);
    if (!code) code = steps_run(model, (const void *[]){data}, sizes, (void *[]){state, &count}, room);
    steps_destroy(model);
    if (code) return fprintf(stderr, "steps: %s\n", steps_error(code)), 1;

    for (size_t i = 0; i < (size_t)(room[0] * room[1]); i++) {
        float difference = i < known ? fabsf(state[i] - expected[i]) : INFINITY;
        if (!(difference <= 1e-5f)) return fprintf(stderr, "element %zu differs by %g\n", i, difference), 1;
        largest = fmaxf(largest, difference);
    }
    free(state);
    printf("%lld steps, largest difference %.1e\n", (long long)count, largest);
    return count != expected_count;
}
