// SPDX-License-Identifier: Apache-2.0
// Made by `make runtimes`.
#pragma once

#include <stddef.h>

#define NUMBERS 63
#define RECENT 16

#define CHECK_DEVICE(RECORD) \
    _Static_assert(offsetof(RECORD, starter) == 0, "starter"); \
    _Static_assert(offsetof(RECORD, accelerator) == 8, "accelerator"); \
    _Static_assert(offsetof(RECORD, buffer_class) == 16, "buffer_class"); \
    _Static_assert(offsetof(RECORD, buffer_memory) == 24, "buffer_memory"); \
    _Static_assert(offsetof(RECORD, buffer_layout) == 32, "buffer_layout"); \
    _Static_assert(offsetof(RECORD, memory_accelerator) == 40, "memory_accelerator"); \
    _Static_assert(offsetof(RECORD, memory_address) == 48, "memory_address"); \
    _Static_assert(offsetof(RECORD, memory_users) == 56, "memory_users"); \
    _Static_assert(offsetof(RECORD, origin) == 64, "origin"); \
    _Static_assert(offsetof(RECORD, nobody) == 72, "nobody"); \
    _Static_assert(offsetof(RECORD, variable) == 80, "variable"); \
    _Static_assert(offsetof(RECORD, present) == 88, "present"); \
    _Static_assert(offsetof(RECORD, known) == 96, "known"); \
    _Static_assert(offsetof(RECORD, is_present) == 104, "is_present"); \
    _Static_assert(offsetof(RECORD, PyContextVar_Get) == 112, "PyContextVar_Get"); \
    _Static_assert(offsetof(RECORD, failed) == 120, "failed"); \
    _Static_assert(offsetof(RECORD, number) == 128, "number"); \
    _Static_assert(offsetof(RECORD, buffer_words) == 136, "buffer_words"); \
    _Static_assert(offsetof(RECORD, storage_words) == 144, "storage_words"); \
    _Static_assert(offsetof(RECORD, buffers) == 152, "buffers"); \
    _Static_assert(offsetof(RECORD, storages) == 160, "storages"); \
    _Static_assert(offsetof(RECORD, bound) == 168, "bound"); \
    _Static_assert(offsetof(RECORD, bound_count) == 176, "bound_count"); \
    _Static_assert(offsetof(RECORD, hosts) == 184, "hosts"); \
    _Static_assert(offsetof(RECORD, host_count) == 192, "host_count"); \
    _Static_assert(offsetof(RECORD, numbers) == 200, "numbers"); \
    _Static_assert(offsetof(RECORD, number_count) == 208, "number_count"); \
    _Static_assert(offsetof(RECORD, number_words) == 216, "number_words"); \
    _Static_assert(offsetof(RECORD, states) == 224, "states"); \
    _Static_assert(offsetof(RECORD, state_count) == 232, "state_count"); \
    _Static_assert(offsetof(RECORD, storage_exposed) == 240, "storage_exposed"); \
    _Static_assert(offsetof(RECORD, askers) == 248, "askers"); \
    _Static_assert(offsetof(RECORD, host_states) == 256, "host_states"); \
    _Static_assert(offsetof(RECORD, host_state_count) == 264, "host_state_count"); \
    _Static_assert(offsetof(RECORD, derived) == 272, "derived"); \
    _Static_assert(offsetof(RECORD, dirty) == 280, "dirty"); \
    _Static_assert(offsetof(RECORD, derived_count) == 288, "derived_count"); \
    _Static_assert(offsetof(RECORD, derived_buffer) == 296, "derived_buffer"); \
    _Static_assert(offsetof(RECORD, rows) == 304, "rows"); \
    _Static_assert(offsetof(RECORD, row_count) == 312, "row_count"); \
    _Static_assert(offsetof(RECORD, row_words) == 320, "row_words");

#define CHECK_ROW(RECORD) \
    _Static_assert(offsetof(RECORD, holder) == 0, "holder"); \
    _Static_assert(offsetof(RECORD, graph) == 8, "graph"); \
    _Static_assert(offsetof(RECORD, used) == 16, "used"); \
    _Static_assert(offsetof(RECORD, block) == 24, "block"); \
    _Static_assert(offsetof(RECORD, is_sent) == 32, "is_sent");

#define CHECK_STARTER(RECORD) \
    _Static_assert(offsetof(RECORD, recorded) == 0, "recorded"); \
    _Static_assert(offsetof(RECORD, untidy) == 8, "untidy"); \
    _Static_assert(offsetof(RECORD, failed) == 16, "failed"); \
    _Static_assert(offsetof(RECORD, inherited) == 24, "inherited"); \
    _Static_assert(offsetof(RECORD, asking) == 32, "asking"); \
    _Static_assert(offsetof(RECORD, started) == 40, "started"); \
    _Static_assert(offsetof(RECORD, result) == 48, "result"); \
    _Static_assert(offsetof(RECORD, place) == 56, "place"); \
    _Static_assert(offsetof(RECORD, push) == 64, "push"); \
    _Static_assert(offsetof(RECORD, launch) == 72, "launch"); \
    _Static_assert(offsetof(RECORD, pop) == 80, "pop"); \
    _Static_assert(offsetof(RECORD, call) == 88, "call"); \
    _Static_assert(offsetof(RECORD, numbers) == 96, "numbers"); \
    _Static_assert(offsetof(RECORD, context) == 104, "context"); \
    _Static_assert(offsetof(RECORD, stream) == 112, "stream"); \
    _Static_assert(offsetof(RECORD, recent) == 120, "recent");
