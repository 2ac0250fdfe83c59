// SPDX-License-Identifier: Apache-2.0
// A file of weights that is read into memory, where there is no `mmap`.

#include "weights_beside.h"

struct file;

struct file *fopen(const char *path, const char *mode);
uint64_t fread(void *bytes, uint64_t size, uint64_t count, struct file *file);
int32_t fgetc(struct file *file);
int32_t fclose(struct file *file);

int32_t attach_weights(struct model *model, const char *path) {
    if (!path) return failure(CODE_FILE, NO_PATH);
    void *memory = malloc((uint64_t)weights_bytes + LINE);
    if (!memory) return failure(CODE_MEMORY, 0);
    int32_t problem = NOT_OPENED;
    struct file *file = fopen(path, "rb");
    if (file) {
        void *bytes = on_a_line(memory);
        bool whole = fread(bytes, 1, (uint64_t)weights_bytes, file) == (uint64_t)weights_bytes && fgetc(file) == -1;
        fclose(file);
        model->mapped = memory;
        model->weights = bytes;
        if (whole && is_right(bytes)) return 0;
        problem = whole ? OTHER_CONTENT : OTHER_LENGTH;
    }
    free(memory);
    return failure(CODE_FILE, problem);
}

void detach_weights(struct model *model) {
    free(model->mapped);
}
