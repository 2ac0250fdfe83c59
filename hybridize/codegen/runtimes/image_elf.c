// SPDX-License-Identifier: Apache-2.0
// The pages of the file that a library is in, touched before calls come, on systems whose files are ELF.

#include <stdint.h>

enum { LOADED = 1, READABLE = 4, PAGE = 4096 };

struct header {
    char ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, segments, sections;
    uint32_t flags;
    uint16_t header_bytes, segment_bytes, segment_count;
};

struct segment {
    uint32_t kind, flags;
    uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};

// Linkers define it where they put the header into memory; elsewhere it is null, and nothing is touched.
extern const struct header __ehdr_start __attribute__((weak, visibility("hidden")));

void touch_image(void) {
    const char *start = (const char *)&__ehdr_start;
    if (!start) return;
    const struct segment *segments = (const struct segment *)(start + __ehdr_start.segments);
    const struct segment *end = segments + __ehdr_start.segment_count, *first = segments;
    while (first < end && (first->kind != LOADED || first->offset)) first++;
    if (first == end) return;
    for (const struct segment *segment = segments; segment < end; segment++) {
        if (segment->kind != LOADED || !(segment->flags & READABLE) || !segment->memory_bytes) continue;
        const volatile char *bytes = start + (segment->address - first->address);
        for (uint64_t at = 0; at < segment->memory_bytes; at += PAGE) (void)bytes[at];
        (void)bytes[segment->memory_bytes - 1];
    }
}
