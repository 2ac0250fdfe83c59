// SPDX-License-Identifier: Apache-2.0
// Two models in one program, on its threads and in the process that it forks.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "left.h"
#include "right.h"

enum { ROWS = 5, THREADS = 6, TURNS = 300 };
static left *first;
static right *second;
static float data[ROWS * 16], expected[2][ROWS * 8];

static int call(int which, float *found) {
    const int64_t sizes[] = {ROWS, 16};
    const void *inputs[] = {data};
    void *outputs[] = {found};
    return which ? right_run(second, inputs, sizes, outputs, NULL) : left_run(first, inputs, sizes, outputs, NULL);
}

static void *turns(void *which) {
    for (int turn = 0; turn < TURNS; turn++) {
        float found[ROWS * 8];
        const int number = which != NULL;
        if (call(number, found) || memcmp(found, expected[number], sizeof found)) abort();
    }
    return NULL;
}

int main(void) {
    for (int k = 0; k < ROWS * 16; k++) data[k] = (float)(k % 7) - 3;
    if (left_create(&first, NULL) || right_create(&second, NULL)) return 1;
    if (call(0, expected[0]) || call(1, expected[1])) return 2;
    if (!memcmp(expected[0], expected[1], sizeof expected[0])) return 3;
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++)
        if (pthread_create(&threads[k], NULL, turns, k % 2 ? data : NULL)) return 4;
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    const pid_t child = fork();
    if (child < 0) return 5;
    if (!child) {  // what was created before goes on, and is given back
        turns(NULL), turns(data);
        left_destroy(first), right_destroy(second);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) return 6;
    left_destroy(first);
    right_destroy(second);
    return 0;
}
