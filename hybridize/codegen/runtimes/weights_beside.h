// SPDX-License-Identifier: Apache-2.0
// Weights in a file beside the library, known by length and checksum to be those of this library. The checksum finds
// damage and other models' files; it is no protection against somebody who wants to be mistaken.
#pragma once

#include "library.h"

extern const int64_t weights_bytes, weights_checksum;

enum { NO_PATH, NOT_OPENED, OTHER_LENGTH, OTHER_CONTENT, NOT_READ };  // of `CODE_FILE`

// See `codegen.llvm.library.weights_file.checksum`.
static inline bool is_right(const uint64_t *words) {
    uint64_t total = 0;
    for (uint64_t k = 0; k < (uint64_t)weights_bytes / 8; k++) {
        uint64_t turned = words[k] << 31 | words[k] >> 33;
        total += words[k] * (2 * k + 1) + turned * (4 * k + 3);
    }
    return total == (uint64_t)weights_checksum;
}
