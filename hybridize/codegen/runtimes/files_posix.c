// SPDX-License-Identifier: Apache-2.0
// Linux and macOS.

#include "files.h"

int32_t fsync(int32_t file);
int32_t rename(const char *path, const char *place);

bool write_to_disk(struct file *file) {
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool replace_file(const char *path, const char *place) {
    return rename(path, place) == 0;
}
