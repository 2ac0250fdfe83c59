// SPDX-License-Identifier: Apache-2.0
// A file of weights that is mapped.

#include "weights_beside.h"

enum { FROM_END = 2, READABLE = 1, PRIVATE = 2 };

// Closed when another program is started; and not waited for, as a pipe would be until somebody writes to it.
extern const int64_t open_flags;

int32_t open(const char *path, int32_t flags, ...);
int32_t close(int32_t file);
int64_t lseek(int32_t file, int64_t offset, int32_t whence);
void *mmap(void *address, uint64_t nbytes, int32_t protection, int32_t flags, int32_t file, int64_t offset);
int32_t munmap(void *address, uint64_t nbytes);

int32_t attach_weights(struct model *model, const char *path) {
    if (!path) return failure(CODE_FILE, NO_PATH);
    int32_t file = open(path, (int32_t)open_flags);
    if (file < 0) return failure(CODE_FILE, NOT_OPENED);
    bool whole = lseek(file, 0, FROM_END) == weights_bytes;
    void *bytes = whole ? mmap(NULL, (uint64_t)weights_bytes, READABLE, PRIVATE, file, 0) : NULL;
    close(file);
    if (!whole) return failure(CODE_FILE, OTHER_LENGTH);
    if ((int64_t)bytes == -1) return failure(CODE_FILE, NOT_READ);
    model->mapped = bytes;
    model->weights = bytes;
    if (is_right(bytes)) return 0;
    detach_weights(model);
    return failure(CODE_FILE, OTHER_CONTENT);
}

void detach_weights(struct model *model) {
    munmap(model->mapped, (uint64_t)weights_bytes);
}
