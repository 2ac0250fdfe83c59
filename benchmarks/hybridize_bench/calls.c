/* SPDX-License-Identifier: Apache-2.0
 *
 * Seconds that calls take from C: of an exported library's functions, and of a program's machine code alone.
 * Compiled by the benchmark (cc -O2 -shared) and loaded into one process with both, see calls.py.
 */
#include <stdint.h>
#include <time.h>

typedef int32_t create_function(void **model, const void *options);
typedef void destroy_function(void *model);
typedef int32_t run_function(void *model, const void *const *inputs, const int64_t *input_sizes, void *const *outputs,
                             const int64_t *output_sizes);
typedef void kernel_function(const void *const *inputs, void *const *outputs, void *scratch);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Calls that fail return early, so their time says nothing: the first code that is not 0 comes back as -code. */
double seconds_of_runs(run_function *run, void *model, const void *const *inputs, const int64_t *input_sizes,
                       void *const *outputs, const int64_t *output_sizes, int64_t count) {
  double begin = now();
  for (int64_t i = 0; i < count; i++) {
    int32_t code = run(model, inputs, input_sizes, outputs, output_sizes);
    if (code) return -(double)code;
  }
  return now() - begin;
}

double seconds_of_kernels(kernel_function *kernel, const void *const *inputs, void *const *outputs, void *scratch,
                          int64_t count) {
  double begin = now();
  for (int64_t i = 0; i < count; i++) kernel(inputs, outputs, scratch);
  return now() - begin;
}

/* Each model is destroyed before the next one is made, and only the making is timed. */
int32_t seconds_of_creates(create_function *create, destroy_function *destroy, double *seconds, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    void *model = 0;
    double begin = now();
    int32_t code = create(&model, 0);
    seconds[i] = now() - begin;
    if (code) return code;
    destroy(model);
  }
  return 0;
}
