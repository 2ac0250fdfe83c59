// SPDX-License-Identifier: Apache-2.0
// What the safepoint of a loop does now and then; see `codegen.llvm.safepoints`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "processor.h"

typedef struct object object;

struct loop {
    int64_t left, interval, since;  // turns until the next look, between the last two; the clock at the last call
};

// What `effects.connect` has told the module: numbers of the process, and a function that leaves an exception behind.
struct watched {
    volatile int64_t *pending, *readers, *writer;
};

CHECK_LOOP(struct loop)
CHECK_WATCHED(struct watched)

extern struct watched hybridize_watched;
extern int32_t (*hybridize_effect)(void *, object *);

int32_t PyGILState_Ensure(void);
void PyGILState_Release(int32_t state);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *thread);
int32_t PyErr_CheckSignals(void);
void PyErr_Fetch(object **kind, object **value, object **traceback);
void PyErr_NormalizeException(object **kind, object **value, object **traceback);
int32_t PyException_SetTraceback(object *value, object *traceback);
void Py_DecRef(object *value);

enum { MOST_TURNS = 256 };  // between two looks at the clock: there are twice as many after each

// Have CPython handle signals, and what they raise be left behind; returns whether this thread's program has left an
// exception behind. CPython runs Python of the user's then, so the program is no reader of memory meanwhile.
bool has_failed(void) {
    object *kind = NULL, *value = NULL, *traceback = NULL;
    int32_t state = PyGILState_Ensure(), answer = 0;
    --*hybridize_watched.readers;
    PyEval_RestoreThread(PyEval_SaveThread());  // a loop may have kept the GIL
    bool raised = PyErr_CheckSignals();
    if (raised) {
        PyErr_Fetch(&kind, &value, &traceback);
        PyErr_NormalizeException(&kind, &value, &traceback);
    }
    if (traceback) PyException_SetTraceback(value, traceback);
    if (raised || *hybridize_watched.pending || *hybridize_watched.writer) answer = hybridize_effect(NULL, value);
    Py_DecRef(kind);
    Py_DecRef(value);
    Py_DecRef(traceback);
    ++*hybridize_watched.readers;
    PyGILState_Release(state);
    return answer;
}

// Whether the loop is to end.
bool safepoint(struct loop *loop) {
    int64_t now = clock_ticks();
    bool late = (uint64_t)(now - loop->since) > TICKS_BETWEEN_CALLS;
    int64_t twice = 2 * loop->interval;
    loop->left = loop->interval = late ? 1 : twice < MOST_TURNS ? twice : MOST_TURNS;
    if (!late && !*hybridize_watched.pending) return false;
    loop->since = now;
    return has_failed();
}
