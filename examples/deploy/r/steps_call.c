/* What R's .Call needs of steps.h: matrices, which R stores by columns and the net by rows, and a list of results. */
#include <R.h>
#include <Rinternals.h>

#include "steps.h"

static void destroy(SEXP model) {
    steps_destroy(R_ExternalPtrAddr(model));
    R_ClearExternalPtr(model);
}

SEXP open_model(void) {
    steps *made = NULL;
    int32_t code = steps_create(&made, NULL);
    if (code) error("%s", steps_error(code));
    SEXP model = PROTECT(R_MakeExternalPtr(made, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(model, destroy, TRUE);
    UNPROTECT(1);
    return model;
}

SEXP run_model(SEXP model, SEXP data) {
    int rows = nrows(data), columns = ncols(data);
    int64_t sizes[] = {rows, columns}, room[2], count;
    int32_t code = steps_sizes(sizes, room);
    if (code) error("%s", steps_error(code));
    float *values = (float *)R_alloc(XLENGTH(data), sizeof(float)); /* R frees what R_alloc gives */
    float *state = (float *)R_alloc(room[0] * room[1], sizeof(float));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) values[i * columns + j] = (float)REAL(data)[i + j * rows];
    code = steps_run(R_ExternalPtrAddr(model), (const void *[]){values}, sizes, (void *[]){state, &count}, room);
    if (code) error("%s", steps_error(code));

    const char *names[] = {"state", "steps", ""};
    SEXP result = PROTECT(mkNamed(VECSXP, names)), matrix = allocMatrix(REALSXP, rows, columns);
    SET_VECTOR_ELT(result, 0, matrix);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) REAL(matrix)[i + j * rows] = state[i * columns + j];
    SET_VECTOR_ELT(result, 1, ScalarInteger((int)count));
    UNPROTECT(1);
    return result;
}
