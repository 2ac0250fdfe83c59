// SPDX-License-Identifier: Apache-2.0
// Windows.

#include "files.h"

enum { REPLACING = 1, THROUGH = 8 };

int32_t _commit(int32_t file);
int32_t MoveFileExA(const char *path, const char *place, int32_t flags);

bool write_to_disk(struct file *file) {
    return fflush(file) == 0 && _commit(fileno(file)) == 0;
}

bool replace_file(const char *path, const char *place) {
    return MoveFileExA(path, place, REPLACING | THROUGH) != 0;
}
