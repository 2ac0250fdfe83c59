// SPDX-License-Identifier: Apache-2.0
// States of a model by name: read, set, written to a safetensors file and read from one. A file replaces another when
// all of it is on the disk; a model changes when all of a file is right. The tables are written by
// `codegen.llvm.library.states`.

#include "library.h"
#include "files.h"

struct state {
    int64_t name, dtype;  // in the texts
    int64_t nbytes, offset, ndim;
    int64_t sizes;  // of its axes, in the table of sizes
};

CHECK_STATE(struct state)

extern const struct state state_table[];
extern const int64_t state_count;
extern const char state_texts[];
extern const int64_t state_sizes[];
extern const char state_header[];  // of the file, with its length: the states follow in order
extern const int64_t state_header_bytes;

void lock(_Atomic int32_t *word);

enum { NO_STATE = 0, OTHER_BYTES = 0, ABSENT = 1, OTHER_TYPE = 2 };                     // of `CODE_STATE`
enum { NOT_OPENED = 5, CUT_OFF = 6, NO_SAFETENSORS = 7, NOT_WRITTEN = 8, NOT_REPLACED = 9 };  // of `CODE_FILE`
enum { NULL_NAME = 6, NULL_DATA = 7, NULL_PATH = 8 };                                   // of `CODE_NULL`
enum { MOST_HEADER = 100 << 20 };

static int32_t about(const struct state *state, int32_t number) {
    return CODE_STATE | (int32_t)(state - state_table + 1) << 8 | number << 24;
}

static void unlock(struct model *model) {
    atomic_store_explicit(&model->lock, 0, memory_order_release);
}

static char *bytes_of(struct model *model, const struct state *state) {
    return (char *)model + state->offset;
}

static void copy_bytes(char *to, const char *from, int64_t nbytes) {
    __builtin_memcpy(to, from, (uint64_t)nbytes);
}

static const struct state *named_state(const char *name) {
    for (int64_t number = 0; number < state_count; number++) {
        const char *own = state_texts + state_table[number].name, *other = name;
        while (*own && *own == *other) own++, other++;
        if (*own == *other) return &state_table[number];
    }
    return NULL;
}

static int32_t wanted_state(
    struct model *model, const char *name, const void *data, int64_t nbytes, const struct state **place
) {
    if (!model) return failure(CODE_NULL, 1);
    if (!name) return failure(CODE_NULL, NULL_NAME);
    if (!data) return failure(CODE_NULL, NULL_DATA);
    const struct state *state = *place = named_state(name);
    if (!state) return failure(CODE_STATE, NO_STATE);
    return state->nbytes == nbytes ? 0 : about(state, OTHER_BYTES);
}

int32_t model_get(struct model *model, const char *name, void *data, int64_t nbytes) {
    const struct state *state;
    int32_t answer = wanted_state(model, name, data, nbytes, &state);
    if (answer) return answer;
    lock(&model->lock);
    copy_bytes(data, bytes_of(model, state), nbytes);
    unlock(model);
    return 0;
}

int32_t model_set(struct model *model, const char *name, const void *data, int64_t nbytes) {
    const struct state *state;
    int32_t answer = wanted_state(model, name, data, nbytes, &state);
    if (answer) return answer;
    lock(&model->lock);
    copy_bytes(bytes_of(model, state), data, nbytes);
    unlock(model);
    return 0;
}

// ------------------------------------------------------------------------------------------------------------ writing

static const char write_mode[] = "wb", read_mode[] = "rb", ending[] = ".part";

static bool write_states(struct model *model, struct file *file) {
    bool good = fwrite(state_header, 1, (uint64_t)state_header_bytes, file) == (uint64_t)state_header_bytes;
    for (int64_t number = 0; good && number < state_count; number++) {
        uint64_t nbytes = (uint64_t)state_table[number].nbytes;
        good = fwrite(bytes_of(model, &state_table[number]), 1, nbytes, file) == nbytes;
    }
    return good && write_to_disk(file);
}

int32_t model_save(struct model *model, const char *path) {
    if (!model) return failure(CODE_NULL, 1);
    if (!path) return failure(CODE_NULL, NULL_PATH);
    int64_t length = 0;
    while (path[length]) length++;
    char *temporary = malloc((uint64_t)length + sizeof ending);
    if (!temporary) return failure(CODE_MEMORY, 0);
    copy_bytes(temporary, path, length);
    copy_bytes(temporary + length, ending, sizeof ending);
    lock(&model->lock);  // also of the file: two threads may save one model to one place
    struct file *file = fopen(temporary, write_mode);
    int32_t answer = 0;
    if (file) {
        bool good = write_states(model, file);
        good = fclose(file) == 0 && good;
        if (!good) answer = failure(CODE_FILE, NOT_WRITTEN);
        if (good && !replace_file(temporary, path)) answer = failure(CODE_FILE, NOT_REPLACED);
        if (answer) remove(temporary);
    } else {
        answer = failure(CODE_FILE, NOT_WRITTEN);
    }
    unlock(model);
    free(temporary);
    return answer;
}

// ------------------------------------------------------------------------------------------------------------ reading

// JSON from `at` to `end`; what is not as expected makes it bad, and moves it to the end.
struct json {
    const char *at, *end;
    bool bad;
};

static void spoil(struct json *json) {
    json->bad = true;
    json->at = json->end;
}

static char next_char(struct json *json) {
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
        json->at++;
    return json->at < json->end ? *json->at : 0;
}

static bool take_char(struct json *json, char wanted) {
    if (next_char(json) != wanted) return false;
    json->at++;
    return true;
}

static void need_char(struct json *json, char wanted) {
    if (!take_char(json, wanted)) spoil(json);
}

// A text between quotes; escapes stay as they are.
static struct json take_text(struct json *json) {
    need_char(json, '"');
    struct json text = {json->at, json->at, json->bad};
    while (json->at < json->end && *json->at != '"') json->at += *json->at == '\\' && json->at + 1 < json->end ? 2 : 1;
    text.end = json->at;
    need_char(json, '"');
    return text;
}

// The number that four hexadecimal digits are; -1 where there are none.
static int32_t take_digits(struct json *text) {
    int32_t number = 0;
    for (int32_t place = 0; place < 4; place++) {
        char digit = text->at < text->end ? *text->at++ : 0, letter = digit | 32;
        if (digit >= '0' && digit <= '9') number = number << 4 | (digit - '0');
        else if (letter >= 'a' && letter <= 'f') number = number << 4 | (letter - 'a' + 10);
        else return -1;
    }
    return number;
}

static char escaped(char letter) {
    if (letter == 'n') return '\n';
    if (letter == 't') return '\t';
    if (letter == 'r') return '\r';
    if (letter == 'b') return '\b';
    return letter == 'f' ? '\f' : letter;
}

// The next character of a text as bytes of UTF-8; returns how many they are, 0 where it is damaged.
static int32_t take_letter(struct json *text, char *bytes) {
    bytes[0] = *text->at++;
    if (bytes[0] != '\\') return 1;
    if (text->at == text->end) return 0;
    bytes[0] = escaped(*text->at++);
    if (bytes[0] != 'u') return 1;
    int32_t number = take_digits(text);
    if (number >= 0xD800 && number < 0xDC00) {  // the first half of a pair
        if (text->end - text->at < 2 || text->at[0] != '\\' || text->at[1] != 'u') return 0;
        text->at += 2;
        int32_t low = take_digits(text);
        if (low < 0xDC00 || low > 0xDFFF) return 0;
        number = 0x10000 + ((number - 0xD800) << 10 | (low - 0xDC00));
    }
    if (number < 0) return 0;
    int32_t more = number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
    for (int32_t place = more; place > 0; place--, number >>= 6) bytes[place] = (char)(0x80 | (number & 0x3F));
    bytes[0] = (char)(more ? 0xFF00 >> (more + 1) | number : number);
    return more + 1;
}

static bool is_text(struct json text, const char *wanted) {
    while (text.at < text.end) {
        char bytes[4];
        int32_t count = take_letter(&text, bytes);
        if (!count) return false;
        for (int32_t place = 0; place < count; place++, wanted++)
            if (!*wanted || *wanted != bytes[place]) return false;
    }
    return !*wanted;
}

static int64_t take_number(struct json *json) {
    int64_t number = 0;
    char digit = next_char(json);
    if (digit < '0' || digit > '9') spoil(json);
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9') {
        if (number > (INT64_MAX - 9) / 10) spoil(json);
        else number = 10 * number + (*json->at++ - '0');
    }
    return number;
}

static void skip_value(struct json *json) {
    int64_t depth = 0;
    do {
        char first = next_char(json);
        if (first == '"') {
            take_text(json);
        } else if (!first) {
            spoil(json);
        } else {
            if (first == '{' || first == '[') depth++;
            if (first == '}' || first == ']') depth--;
            json->at++;
        }
    } while (!json->bad && (depth > 0 || (next_char(json) && *json->at != ',' && *json->at != '}' && *json->at != ']')));
}

struct span {
    int64_t start, stop;  // in the data of the file
    bool is_there, is_right;
};

static bool is_shape(struct json *json, const struct state *state) {
    int64_t axis = 0;
    bool right = true;
    need_char(json, '[');
    if (take_char(json, ']')) return state->ndim == 0;
    do {
        int64_t size = take_number(json);
        right = right && axis < state->ndim && state_sizes[state->sizes + axis] == size;
        axis++;
    } while (take_char(json, ','));
    need_char(json, ']');
    return right && axis == state->ndim;
}

static const char key_dtype[] = "dtype", key_shape[] = "shape", key_offsets[] = "data_offsets";

static void take_entry(struct json *json, const struct state *state, struct span *span) {
    bool dtype = false, shape = false, offsets = false;
    need_char(json, '{');
    do {
        struct json key = take_text(json);
        need_char(json, ':');
        if (is_text(key, key_dtype)) {
            dtype = is_text(take_text(json), state_texts + state->dtype);
        } else if (is_text(key, key_shape)) {
            shape = is_shape(json, state);
        } else if (is_text(key, key_offsets)) {
            need_char(json, '[');
            span->start = take_number(json);
            need_char(json, ',');
            span->stop = take_number(json);
            need_char(json, ']');
            offsets = true;
        } else {
            skip_value(json);
        }
    } while (take_char(json, ','));
    need_char(json, '}');
    span->is_there = true;
    span->is_right = dtype && shape && offsets && span->stop - span->start == state->nbytes;
}

// The places of all states in a file.
static int32_t read_header(struct json *json, struct span *spans) {
    need_char(json, '{');
    if (!take_char(json, '}')) {
        do {
            struct json key = take_text(json);
            need_char(json, ':');
            int64_t number = 0;
            while (number < state_count && !is_text(key, state_texts + state_table[number].name)) number++;
            if (!json->bad && number < state_count)
                take_entry(json, &state_table[number], &spans[number]);
            else
                skip_value(json);
        } while (take_char(json, ','));
        need_char(json, '}');
    }
    if (json->bad || next_char(json)) return failure(CODE_FILE, NO_SAFETENSORS);
    for (int64_t number = 0; number < state_count; number++) {
        if (!spans[number].is_there) return about(&state_table[number], ABSENT);
        if (!spans[number].is_right) return about(&state_table[number], OTHER_TYPE);
    }
    return 0;
}

// The data of all states, one after the other.
static int32_t read_states(struct file *file, int64_t first, const struct span *spans, char *data) {
    for (int64_t number = 0; number < state_count; number++) {
        int64_t nbytes = state_table[number].nbytes;
        if (spans[number].start > INT64_MAX - first) return failure(CODE_FILE, NO_SAFETENSORS);
        if (seek_file(file, first + spans[number].start, 0)) return failure(CODE_FILE, CUT_OFF);
        if (fread(data, 1, (uint64_t)nbytes, file) != (uint64_t)nbytes) return failure(CODE_FILE, CUT_OFF);
        data += nbytes;
    }
    return 0;
}

static int32_t read_file(struct model *model, struct file *file, struct span *spans, char *data) {
    uint64_t length;
    if (fread(&length, 1, 8, file) != 8) return failure(CODE_FILE, CUT_OFF);
    if (length > MOST_HEADER) return failure(CODE_FILE, NO_SAFETENSORS);
    char *header = malloc(length + 1);
    if (!header) return failure(CODE_MEMORY, 0);
    int32_t answer = failure(CODE_FILE, CUT_OFF);
    if (fread(header, 1, length, file) == length) {
        struct json json = {header, header + length, false};
        answer = read_header(&json, spans);
    }
    free(header);
    if (!answer) answer = read_states(file, 8 + (int64_t)length, spans, data);
    if (answer) return answer;
    lock(&model->lock);
    for (int64_t number = 0; number < state_count; number++) {
        copy_bytes(bytes_of(model, &state_table[number]), data, state_table[number].nbytes);
        data += state_table[number].nbytes;
    }
    unlock(model);
    return 0;
}

int32_t model_load(struct model *model, const char *path) {
    if (!model) return failure(CODE_NULL, 1);
    if (!path) return failure(CODE_NULL, NULL_PATH);
    uint64_t total = 1, table = (uint64_t)state_count * sizeof(struct span);
    for (int64_t number = 0; number < state_count; number++) total += (uint64_t)state_table[number].nbytes;
    char *memory = malloc(table + total);
    if (!memory) return failure(CODE_MEMORY, 0);
    struct span *spans = (struct span *)memory;
    for (int64_t number = 0; number < state_count; number++) spans[number] = (struct span){0, 0, false, false};
    int32_t answer = failure(CODE_FILE, NOT_OPENED);
    struct file *file = fopen(path, read_mode);
    if (file) {
        answer = read_file(model, file, spans, memory + table);
        fclose(file);
    }
    free(memory);
    return answer;
}
