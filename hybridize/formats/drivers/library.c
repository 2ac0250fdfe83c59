/* SPDX-License-Identifier: Apache-2.0
 * Runs an exported C library on the calls of a file: driver CALLS RESULTS [PROCESSOR [WEIGHTS]]. The same as library.py, for processors that
 * an emulator stands for. Compiled with -DNAME=... and the header of that library included by -include. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define F(what) JOIN(NAME, what)

#ifdef WINDOWS
#include "foreign.c"
#include "windows.c"
#elif defined(MACOS)
#include "foreign.c"
#include "macos.c"
#endif

static unsigned char *data;
static size_t at;

static int64_t word(void) {
    int64_t value;
    memcpy(&value, data + at, 8);
    at += 8;
    return value;
}

static int64_t *words(int64_t count) {
    int64_t *found = calloc((size_t)count + 1, 8);
    for (int64_t i = 0; i < count; i++) found[i] = word();
    return found;
}

static void *aligned(size_t size) { return (void *)(((uintptr_t)calloc(1, size + 64) + 63) / 64 * 64); }

static void answer(FILE *out, int64_t code) {
    const char *text = code ? F(_error)((int32_t)code) : "";
    int64_t length = (int64_t)strlen(text);
    fwrite(&code, 8, 1, out);
    fwrite(&length, 8, 1, out);
    fwrite(text, 1, (size_t)length, out);
}

static F(_options) options;

static void run(FILE *out) {
    int64_t inputs = word(), outputs = word(), size_count = word(), output_size_count = word();
    int64_t *sizes = words(size_count), *lengths = words(inputs), *itemsizes = words(outputs), *axes = words(outputs);
    int64_t *found = calloc((size_t)output_size_count + 1, 8);
    const void **given = calloc((size_t)inputs + 1, sizeof *given);
    void **made = calloc((size_t)outputs + 1, sizeof *made);
    for (int64_t i = 0; i < inputs; i++) {
        given[i] = memcpy(aligned((size_t)lengths[i]), data + at, (size_t)lengths[i]);
        at += (size_t)(lengths[i] + 15) / 16 * 16;
    }
    NAME *model = NULL;
    int32_t code = F(_create)(&model, &options);
    if (!code) code = F(_sizes)(sizes, found);
    if (!code) {
        int64_t axis = 0;
        for (int64_t i = 0; i < outputs; i++) {
            for (int64_t k = 0; k < axes[i]; k++) itemsizes[i] *= found[axis++];
            made[i] = aligned((size_t)itemsizes[i]);
        }
        code = F(_run)(model, given, sizes, made, found);
    }
    answer(out, code);
    if (!code) {
        fwrite(found, 8, (size_t)output_size_count, out);
        for (int64_t i = 0; i < outputs; i++) fwrite(made[i], 1, (size_t)itemsizes[i], out);
    }
    F(_destroy)(model);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    if (count > 3 && *arguments[3]) options.processor = arguments[3];
    if (count > 4 && *arguments[4]) options.weights = arguments[4];
    FILE *file = fopen(arguments[1], "rb");
    if (!file) return 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    data = aligned(size);
    if (fread(data, 1, size, file) != size) return 2;
    fclose(file);
    FILE *out = fopen(arguments[2], "wb");
    if (!out) return 2;
    for (int64_t calls = word(); calls > 0; calls--) run(out);
    return fclose(out) ? 2 : 0;
}
