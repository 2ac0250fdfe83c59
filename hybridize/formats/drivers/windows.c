/* SPDX-License-Identifier: Apache-2.0
 * The form of Windows' libraries, for foreign.c. */
static size_t directory(int number) { return at32(at32(60) + 24 + 112 + 8 * (size_t)number); }

static void *exported(const char *name) {
    size_t table = directory(0), functions = at32(table + 28), names = at32(table + 32), places = at32(table + 36);
    for (uint32_t i = 0; i < at32(table + 24); i++)
        if (!strcmp((char *)image + at32(names + 4 * i), name)) return image + at32(functions + 4 * at16(places + 2 * i));
    return NULL;
}

static void move(uint64_t by, size_t table, size_t size) {
    for (size_t at = table; at < table + size; at += at32(at + 4))
        for (size_t i = at + 8; i < at + at32(at + 4); i += 2)
            if (at16(i) >> 12 == 10) put64(at32(at) + (at16(i) & 4095), at64(at32(at) + (at16(i) & 4095)) + by);
}

static void load(FILE *file) {
    unsigned char head[4096];
    if (fread(head, 1, sizeof head, file) < 1024) fail("cannot read", "the library");
    image = head;
    size_t start = at32(60), sections = start + 24 + at16(start + 20), count = at16(start + 6), size = at32(start + 80);
    unsigned char *made = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) fail("no memory for", "the library");
    memcpy(made, head, sizeof head < size ? sizeof head : size);
    for (size_t i = sections; i < sections + 40 * count; i += 40) {
        size_t bytes = at32(i + 8) < at32(i + 16) ? at32(i + 8) : at32(i + 16);
        fseek(file, at32(i + 20), SEEK_SET);
        if (fread(made + at32(i + 12), 1, bytes, file) != bytes) fail("cut short:", "the library");
    }
    image = made;
    move((uint64_t)made - at64(start + 48), directory(5), at32(start + 24 + 112 + 44));
    for (size_t i = directory(1); directory(1) && at32(i + 12); i += 20)
        for (size_t from = at32(i), to = at32(i + 16); at64(from); from += 8, to += 8)
            put64(to, (uint64_t)given((char *)image + at64(from) + 2));
}
