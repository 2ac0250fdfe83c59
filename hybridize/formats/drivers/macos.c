/* SPDX-License-Identifier: Apache-2.0
 * The form of macOS's libraries, for foreign.c: Mach-O whose addresses are told by the codes of LC_DYLD_INFO_ONLY. */
#define SEGMENT 0x19
#define SYMBOLS 0x02
#define ADDRESSES 0x80000022

static struct { size_t begin, address, nbytes; } segments[16];
static size_t segment_count, symbols, symbol_count, names, codes[8];

static uint8_t *file_bytes;

static uint64_t leb(const uint8_t **code) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *(*code)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

/* Words that hold an address of the library, each in a segment. */
static void move(const uint8_t *code, const uint8_t *end) {
    size_t at = 0;
    while (code < end) {
        uint8_t low = *code & 15, kind = *code++ & 0xF0;
        uint64_t count = low, step = 8;
        switch (kind) {
            case 0x00: return;
            case 0x10: continue;
            case 0x20: at = segments[low].address + leb(&code); continue;
            case 0x30: at += leb(&code); continue;
            case 0x40: at += 8 * (size_t)low; continue;
            case 0x50: break;
            case 0x60: count = leb(&code); break;
            case 0x70: count = 1, step = 8 + leb(&code); break;
            case 0x80: count = leb(&code), step = 8 + leb(&code); break;
            default: fail("an unknown code moves", "the library");
        }
        for (; count > 0; count--, at += step) put64(at, at64(at) + (uint64_t)image);
    }
}

/* Words that hold the address of a function of the process. Those that are bound late, at their first call, end each
 * with a code that ends the others. */
static void bind(const uint8_t *code, const uint8_t *end, int late) {
    const char *name = "";
    size_t at = 0;
    while (code < end) {
        uint8_t low = *code & 15, kind = *code++ & 0xF0;
        uint64_t count = 1, step = 8;
        switch (kind) {
            case 0x00:
                if (late) continue;
                return;
            case 0x10: case 0x30: case 0x50: continue;
            case 0x20: case 0x60: leb(&code); continue;
            case 0x40: name = (const char *)code; code += strlen((const char *)code) + 1; continue;
            case 0x70: at = segments[low].address + leb(&code); continue;
            case 0x80: at += leb(&code); continue;
            case 0x90: break;
            case 0xA0: step = 8 + leb(&code); break;
            case 0xB0: step = 8 + 8 * (uint64_t)low; break;
            case 0xC0: count = leb(&code), step = 8 + leb(&code); break;
            default: fail("an unknown code binds", name);
        }
        /* What binds late asks for this one; nothing does here. */
        for (; count > 0; count--, at += step)
            if (strcmp(name, "dyld_stub_binder")) put64(at, (uint64_t)given(name + 1)); /* behind a `_` */
    }
}

static void *exported(const char *name) {
    for (size_t k = 0; k < symbol_count; k++) {
        const uint8_t *entry = file_bytes + symbols + 16 * k;
        uint32_t place;
        uint64_t address;
        memcpy(&place, entry, 4);
        memcpy(&address, entry + 8, 8);
        const char *its = (const char *)file_bytes + names + place;
        if ((entry[4] & 0x0F) == 0x0F && *its == '_' && !strcmp(its + 1, name)) return image + address;
    }
    return NULL;
}

static void load(FILE *file) {
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file), end = 0;
    rewind(file);
    image = file_bytes = malloc(size);
    if (size < 4096 || fread(file_bytes, 1, size, file) != size || at32(0) != 0xFEEDFACF) fail("cannot read", "the library");
    for (size_t at = 32, left = at32(16); left > 0; left--, at += at32(at + 4)) {
        if (at32(at) == SEGMENT) {
            if (segment_count == 16) fail("too many segments in", "the library");
            if (at64(at + 40) + at64(at + 48) > size) fail("cut short:", "the library");
            segments[segment_count].address = at64(at + 24);
            segments[segment_count].begin = at64(at + 40);
            segments[segment_count++].nbytes = at64(at + 48);
            if (at64(at + 24) + at64(at + 32) > end) end = at64(at + 24) + at64(at + 32);
        } else if (at32(at) == SYMBOLS) {
            symbols = at32(at + 8), symbol_count = at32(at + 12), names = at32(at + 16);
        } else if (at32(at) == ADDRESSES) {
            for (int k = 0; k < 8; k++) codes[k] = at32(at + 8 + 4 * (size_t)k);
        }
    }
    unsigned char *made = mmap(NULL, end, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED || !codes[1]) fail("no memory, or no addresses, for", "the library");
    for (size_t k = 0; k < segment_count; k++)
        memcpy(made + segments[k].address, file_bytes + segments[k].begin, segments[k].nbytes);
    image = made;
    move(file_bytes + codes[0], file_bytes + codes[0] + codes[1]);
    bind(file_bytes + codes[2], file_bytes + codes[2] + codes[3], 0);
    bind(file_bytes + codes[6], file_bytes + codes[6] + codes[7], 1);
    __builtin___clear_cache((char *)made, (char *)made + end);
}
