// SPDX-License-Identifier: Apache-2.0
// Files of C, as far as states are written to them: `files_posix.c`, `files_windows.c`.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file;

struct file *fopen(const char *path, const char *mode);
uint64_t fread(void *bytes, uint64_t size, uint64_t count, struct file *file);
uint64_t fwrite(const void *bytes, uint64_t size, uint64_t count, struct file *file);
int32_t fclose(struct file *file);
int32_t fflush(struct file *file);
int32_t fileno(struct file *file);
int32_t remove(const char *path);
int32_t seek_file(struct file *file, int64_t offset, int32_t whence);

// All that was written is on the disk, or it was not written.
bool write_to_disk(struct file *file);

// A file in the place of another, or of none.
bool replace_file(const char *path, const char *place);
