/* Runs the programs of one shared library on the calls of a file: corpus LIBRARY CALLS RESULTS [PROCESSOR].
 *
 * CALLS: the number of programs; for each the number of inputs; for each of those the number of axes, the sizes, the
 * bytes, and the array, filled up to a multiple of 8. RESULTS: the outputs, end to end. Program k is called programK.
 * Every array has memory of its own, of just its size. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static void in_reverse(void *context, void (*task)(void *, int64_t), void *work, int64_t count) {
    (void)context;
    while (count > 0) task(work, --count);
}

static void *library;

static void *function(int64_t program, const char *word) {
    char name[64];
    snprintf(name, sizeof name, "program%d_%s", (int)program, word);
    return dlsym(library, name);
}

static void *take(size_t size) { return malloc(size ? size : 1); }

static int64_t word(FILE *file) {
    int64_t found = 0;
    if (fread(&found, 8, 1, file) != 1) abort();
    return found;
}

static int run(int64_t program, FILE *calls, FILE *results, const char *processor) {
    int32_t (*create)(void **, const options *), (*sizes_of)(const int64_t *, int64_t *);
    int32_t (*call)(void *, const void *const *, const int64_t *, void *const *, const int64_t *);
    const description *(*describe)(void);
    const char *(*error)(int32_t);
    void (*destroy)(void *);
    *(void **)&create = function(program, "create");
    *(void **)&sizes_of = function(program, "sizes");
    *(void **)&call = function(program, "run");
    *(void **)&describe = function(program, "describe");
    *(void **)&error = function(program, "error");
    *(void **)&destroy = function(program, "destroy");

    const description *said = describe();
    int64_t input_count = word(calls), sizes[256], room[256], used = 0, axes = 0;
    if (input_count != said->input_count) return 3;
    void **inputs = take((size_t)input_count * sizeof *inputs);
    for (int64_t i = 0; i < input_count; i++) {
        if (word(calls) != said->inputs[i].ndim) return 4;
        for (int32_t axis = 0; axis < said->inputs[i].ndim; axis++) sizes[used++] = word(calls);
        size_t bytes = (size_t)word(calls), filled = (8 - bytes % 8) % 8;
        char padding[8];
        inputs[i] = take(bytes);
        if (fread(inputs[i], 1, bytes, calls) != bytes || fread(padding, 1, filled, calls) != filled) return 5;
    }
    void *model = NULL;
    options given = {NULL, processor, in_reverse, NULL, 5};
    int32_t code = create(&model, &given);
    if (!code) code = sizes_of(sizes, room);
    void **outputs = take((size_t)said->output_count * sizeof *outputs);
    size_t *bytes = take((size_t)said->output_count * sizeof *bytes);
    for (int32_t k = 0; !code && k < said->output_count; k++) {
        bytes[k] = (size_t)said->outputs[k].itemsize;
        for (int32_t axis = 0; axis < said->outputs[k].ndim; axis++) bytes[k] *= (size_t)room[axes++];
        outputs[k] = take(bytes[k]);
    }
    if (!code) code = call(model, (const void *const *)inputs, sizes, outputs, room);
    if (code) return fprintf(stderr, "program%d: %s\n", (int)program, error(code)), 6;
    for (int32_t k = 0; k < said->output_count; k++) {
        fwrite(outputs[k], 1, bytes[k], results);
        free(outputs[k]);
    }
    for (int64_t i = 0; i < input_count; i++) free(inputs[i]);
    free(inputs);
    free(outputs);
    free(bytes);
    destroy(model);
    return 0;
}

int main(int argc, char **argv) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    FILE *calls = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
    if (!library || !calls || !results) return 2;
    int64_t count = word(calls);
    for (int64_t k = 0; k < count; k++) {
        int code = run(k, calls, results, argc > 4 ? argv[4] : NULL);
        if (code) return code;
    }
    fclose(calls);
    fclose(results);
    return dlclose(library);
}
