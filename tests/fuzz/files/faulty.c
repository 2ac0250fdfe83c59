/* A library with the interface of an exported one that doubles three floats, by hand. -DFAULT=n gives it a fault that
 * drive.c is there to find; -DFAULT=0 none. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/library/model.h"

enum { OK, NULL_, SIZE, UNALIGNED, MEMORY, FILE_, ASSERTION, OPTION };

static const int64_t three[] = {3};
static const tensor x = {"x", "float32", 4, 1, three, three, "[3]"}, y = {"y", "float32", 4, 1, three, three, "[3]"};
static const description said = {"{}", "faulty", "1", 1, 1, &x, &y};
static volatile float kept;

const description *faulty_describe(void) { return &said; }

const char *faulty_error(int32_t code) {
    static const char *const texts[] = {"no error", "null", "size", "unaligned", "memory", "file", "assertion", "option"};
    int kind = code & 0xFF, array = code >> 8 & 0xFFFF;
    if (code < 0 || code >> 24 || kind > 7 || array > 2) return FAULT == 1 ? NULL : "there is no such code";
    return texts[kind];
}

int32_t faulty_create(void **model, const options *given) {
    if (!model) return FAULT == 2 ? OK : NULL_;
    *model = NULL;
    if (given && given->processor && strcmp(given->processor, "baseline")) return OPTION;
    if (given && given->threads < 0) return OPTION;
    *model = malloc(4);
    if (!*model) return FAULT == 3 ? OK : MEMORY;
    return OK;
}

void faulty_destroy(void *model) {
    if (FAULT != 4) free(model);
}

int32_t faulty_sizes(const int64_t *in, int64_t *out) {
    if (!in || !out) return NULL_;
    if (FAULT == 5 ? in[0] < 3 : in[0] != 3) return SIZE;
    out[0] = 3;
    return OK;
}

int32_t faulty_run(void *model, const void *const *inputs, const int64_t *in, void *const *outputs, const int64_t *out) {
    if (FAULT == 6 && inputs && inputs[0] && *(const char *)inputs[0]) kept = 1;  /* before anything is asked */
    if (!model || !inputs || !outputs) return NULL_;
    if (in && in[0] != 3) return SIZE;
    if (out && out[0] != 3) return SIZE | 2 << 8;
    for (int i = 0; i < 2; i++) {
        const char *at = i ? outputs[0] : inputs[0];
        if (!at) return NULL_ | (i + 1) << 8;
        if (FAULT != 7 && (uintptr_t)at % 4) return UNALIGNED | (i + 1) << 8;
    }
    const float *a = inputs[0];
    float *b = outputs[0];
    for (int i = FAULT == 8 ? -1 : 0; i < (FAULT == 9 ? 4 : 3); i++) {
        float value = a[i];
        if (FAULT == 10 && i == 1) ((volatile float *)a)[i] = value;
        b[i < 0 || i > 2 ? 0 : i] = value * 2;
    }
    if (FAULT == 11) b[3] = 0;
    if (FAULT == 12) b[1] += (uintptr_t)b % 64 == 0;
    if (FAULT == 13) {  /* threads that know of each other */
        kept = a[0];
        for (volatile int i = 0; i < 20000; i++) {
            if (i % 5000 == 0) usleep(200);  /* so that others come in between, on a busy machine too */
            kept = kept + a[i % 3] * 0.25f;
        }
        b[2] = kept;
    }
    return OK;
}
