// SPDX-License-Identifier: Apache-2.0
// How much stack create and run take: program LIBRARY NAME PROCESSOR. Each runs on a thread whose stack is painted.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"

enum { PAINT = 0xA5, ARRAYS = 512, AXES = 2048, STACK = 1 << 20 };
static void *library, *model, *inputs[ARRAYS], *outputs[ARRAYS];
static const char *name;
static int64_t input_sizes[AXES], output_sizes[AXES];
static options given;
static int32_t code;
static int32_t (*create)(void **, const options *);
static int32_t (*run)(void *, void *const *, const int64_t *, void *const *, const int64_t *);
static int32_t (*sizes)(const int64_t *, int64_t *);
static const description *(*describe)(void);
static void (*destroy)(void *);
static const char *(*error)(int32_t);

static void find(const char *word, void *place) {
    char full[512];
    snprintf(full, sizeof full, "%s_%s", name, word);
    void *found = dlsym(library, full);
    if (!found) exit(3);
    memcpy(place, &found, sizeof found);
}

static void *nothing(void *unused) { return unused; }
static void *creating(void *unused) { return code = create(&model, &given), unused; }
static void *running(void *unused) { return code = run(model, inputs, input_sizes, outputs, NULL), unused; }

static long used(void *(*what)(void *)) {
    unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, PAINT, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, what, NULL)) exit(4);
    pthread_join(thread, NULL);
    long untouched = 0;
    while (untouched < STACK && stack[untouched] == PAINT) untouched++;
    munmap(stack, STACK);
    return STACK - untouched;
}

static void room(const tensor *tensors, int32_t count, const int64_t *axes, void **arrays) {
    for (int32_t k = 0; k < count; k++) {
        int64_t bytes = tensors[k].itemsize;
        for (int32_t axis = 0; axis < tensors[k].ndim; axis++) bytes *= *axes++;
        arrays[k] = calloc(1, (size_t)(bytes + 64));
    }
}

int main(int count, char **words) {
    if (count != 4) return 1;
    name = words[2];
    given.processor = words[3];
    library = dlopen(words[1], RTLD_NOW);
    if (!library) return 2;
    find("create", &create), find("run", &run), find("sizes", &sizes), find("describe", &describe), find("destroy", &destroy), find("error", &error);
    const description *said = describe();
    int64_t *size = input_sizes;
    for (int32_t k = 0; k < said->input_count; k++)
        for (int32_t axis = 0; axis < said->inputs[k].ndim; axis++)
            // One that no exact program takes, where the call chooses.
            *size++ = said->inputs[k].largest[axis] > said->inputs[k].smallest[axis] ? 37 : said->inputs[k].smallest[axis];
    if ((code = sizes(input_sizes, output_sizes))) return fprintf(stderr, "%s %s\n", said->json, error(code)), 5;
    room(said->inputs, said->input_count, input_sizes, inputs);
    room(said->outputs, said->output_count, output_sizes, outputs);
    long before = used(nothing), creation = used(creating) - before;
    if (code) return 6;
    long call = used(running) - before;
    if (code) return 7;
    printf("%ld %ld\n", creation, call);
    destroy(model);
    return 0;
}
