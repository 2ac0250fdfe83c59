// SPDX-License-Identifier: Apache-2.0
// A library that is loaded, used and unloaded many times, and copies of it side by side: program LIBRARY COPY NAME.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *library;
    int32_t (*create)(void **, const void *);
    int32_t (*run)(void *, const void *const *, const int64_t *, void *const *, const int64_t *);
    void (*destroy)(void *);
} functions;
static float data[5 * 16], expected[5 * 8];

static void *found(void *library, const char *name, const char *word) {
    char full[512];
    snprintf(full, sizeof full, "%s_%s", name, word);
    return dlsym(library, full);
}

static functions opened(const char *path, const char *name, int mode) {
    functions made = {dlopen(path, RTLD_NOW | mode), NULL, NULL, NULL};
    if (!made.library) exit(2);
    void *all[] = {found(made.library, name, "create"), found(made.library, name, "run"), found(made.library, name, "destroy")};
    memcpy(&made.create, &all[0], sizeof(void *));
    memcpy(&made.run, &all[1], sizeof(void *));
    memcpy(&made.destroy, &all[2], sizeof(void *));
    return made;
}

static void use(functions code, void *model, int first) {
    const int64_t sizes[] = {5, 16};
    float output[5 * 8];
    const void *inputs[] = {data};
    void *outputs[] = {output};
    if (code.run(model, inputs, sizes, outputs, NULL)) exit(3);
    if (first) memcpy(expected, output, sizeof output);
    if (memcmp(expected, output, sizeof output)) exit(4);
}

static long resident(void) {
    long all, kept = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &kept) != 2) exit(5);
    fclose(file);
    return kept * 4;
}

int main(int count, char **words) {
    if (count != 4) return 1;
    for (int k = 0; k < 5 * 16; k++) data[k] = (float)(k % 5) - 2;
    long before = 0;
    for (int turn = 0; turn < 200; turn++) {
        functions code = opened(words[1], words[3], RTLD_LOCAL);
        void *model;
        if (code.create(&model, NULL)) return 6;
        use(code, model, turn == 0);
        code.destroy(model);
        if (dlclose(code.library)) return 7;
        if (turn == 20) before = resident();
    }
    if (resident() - before > 1000) return 8;
    functions one = opened(words[1], words[3], RTLD_GLOBAL), other = opened(words[2], words[3], RTLD_GLOBAL);
    if (one.library == other.library) return 9;
    void *models[2];
    if (one.create(&models[0], NULL) || other.create(&models[1], NULL)) return 10;
    use(one, models[0], 0), use(other, models[1], 0);
    one.destroy(models[0]);
    if (dlclose(one.library)) return 11;
    use(other, models[1], 0);
    other.destroy(models[1]);
    return 0;
}
